//! Smaller programs with the same mismatch: statements are removed, expressions become simpler.

use crate::program::{Expr, Kind, Program, Statement, Type};

/// The most programs that are tried.
const MOST_TRIALS: usize = 1_500;

/// A small program for which `fails` holds, as it does for this one.
pub fn reduce(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut reducer = Reducer { program: program.clone(), fails, trials: 0 };
    loop {
        let was = reducer.trials;
        let mut has_changed = reducer.statements();
        has_changed |= reducer.items();
        has_changed |= reducer.expressions();
        if !has_changed || reducer.trials == was {
            return reducer.program;
        }
    }
}

struct Reducer<'a> {
    program: Program,
    fails: &'a dyn Fn(&Program) -> bool,
    trials: usize,
}

impl Reducer<'_> {
    /// Keeps an edit if the mismatch stays. `None` if the edit finds nothing to do.
    fn keep(&mut self, edit: impl FnOnce(&mut Program) -> bool) -> Option<bool> {
        let mut smaller = self.program.clone();
        if !edit(&mut smaller) || self.trials >= MOST_TRIALS {
            return None;
        }
        self.trials += 1;
        let is_kept = (self.fails)(&smaller);
        if is_kept {
            self.program = smaller;
        }
        Some(is_kept)
    }

    fn items(&mut self) -> bool {
        let mut has_changed = false;
        for k in (0..self.program.items.len()).rev() {
            let edit = |program: &mut Program| {
                program.items.remove(k);
                true
            };
            has_changed |= self.keep(edit) == Some(true);
        }
        has_changed
    }

    /// Removes runs of statements, long ones first, and replaces statements by their bodies.
    fn statements(&mut self) -> bool {
        let mut has_changed = false;
        for length in [16, 8, 4, 2, 1] {
            let mut at = 0;
            while let Some(is_kept) = self.keep(|program| remove(program, at, length)) {
                has_changed |= is_kept;
                if !is_kept {
                    at += 1;
                }
            }
        }
        let mut at = 0;
        while let Some(is_kept) = self.keep(|program| open(program, at)) {
            has_changed |= is_kept;
            at += 1;
        }
        has_changed
    }

    fn expressions(&mut self) -> bool {
        let mut has_changed = false;
        let mut at = 0;
        loop {
            // Each operand of the same type, then a constant.
            let mut choice = 0;
            loop {
                match self.keep(|program| simplify(program, at, choice)) {
                    Some(true) => {
                        has_changed = true;
                        choice = 0;
                    }
                    Some(false) => choice += 1,
                    None => break,
                }
            }
            at += 1;
            let mut count = 0;
            each_expr(&mut self.program, &mut |_| {
                count += 1;
                false
            });
            if at >= count || self.trials >= MOST_TRIALS {
                return has_changed;
            }
        }
    }
}

/// Calls `work` for each list of statements until it returns true.
fn each_list(program: &mut Program, work: &mut dyn FnMut(&mut Vec<Statement>) -> bool) -> bool {
    let bodies = program.functions.iter_mut().map(|function| &mut function.body);
    let mut all: Vec<&mut Vec<Statement>> = bodies.collect();
    all.insert(0, &mut program.main);
    all.into_iter().any(|list| lists_within(list, work))
}

fn lists_within(
    list: &mut Vec<Statement>,
    work: &mut dyn FnMut(&mut Vec<Statement>) -> bool,
) -> bool {
    work(list)
        || list
            .iter_mut()
            .any(|statement| bodies(statement).into_iter().any(|list| lists_within(list, work)))
}

fn bodies(statement: &mut Statement) -> Vec<&mut Vec<Statement>> {
    match statement {
        Statement::If(_, yes, no) => [yes].into_iter().chain(no.as_mut()).collect(),
        Statement::For { body, .. }
        | Statement::While(_, body)
        | Statement::DoWhile(body, _)
        | Statement::Block(body) => vec![body],
        Statement::Switch(_, cases) => cases.iter_mut().map(|case| &mut case.body).collect(),
        _ => Vec::new(),
    }
}

/// Removes the statements from number `at` in their list.
fn remove(program: &mut Program, at: usize, length: usize) -> bool {
    let mut number = 0;
    each_list(program, &mut |list| {
        let start = number;
        number += list.len();
        if at >= number {
            return false;
        }
        let first = at - start;
        list.drain(first..(first + length).min(list.len()));
        true
    })
}

/// Puts the first body of statement number `at` in its place.
fn open(program: &mut Program, at: usize) -> bool {
    let mut number = 0;
    each_list(program, &mut |list| {
        let start = number;
        number += list.len();
        if at >= number {
            return false;
        }
        let first = at - start;
        let body = match bodies(&mut list[first]).first_mut() {
            Some(body) => Statement::Block(std::mem::take(*body)),
            None => return true,
        };
        list[first] = body;
        true
    })
}

/// Calls `work` for each expression until it returns true.
fn each_expr(program: &mut Program, work: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
    for item in &mut program.items {
        if let crate::program::Item::Global { value: Some(value), .. } = item
            && expr_within(value, work)
        {
            return true;
        }
    }
    each_list(program, &mut |list| {
        list.iter_mut().any(|statement| {
            let own: Vec<&mut Expr> = match statement {
                Statement::Declare { variables, .. } => {
                    variables.iter_mut().filter_map(|(_, value)| value.as_mut()).collect()
                }
                Statement::Expression(of) | Statement::Return(Some(of)) => vec![of],
                Statement::If(of, ..)
                | Statement::While(of, _)
                | Statement::DoWhile(_, of)
                | Statement::Switch(of, _) => vec![of],
                Statement::For { condition, .. } => condition.iter_mut().collect(),
                _ => Vec::new(),
            };
            own.into_iter().any(|of| expr_within(of, work))
        })
    })
}

fn expr_within(of: &mut Expr, work: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
    if work(of) {
        return true;
    }
    if matches!(of.kind, Kind::Macro(..)) {
        return false;
    }
    of.operands_mut().into_iter().any(|operand| expr_within(operand, work))
}

/// Replaces expression number `at` by one of its operands of the same type, or by a constant.
fn simplify(program: &mut Program, at: usize, choice: usize) -> bool {
    let mut number = 0;
    let mut is_done = false;
    each_expr(program, &mut |of| {
        number += 1;
        if number <= at {
            return false;
        }
        let same: Vec<Expr> =
            of.operands().into_iter().filter(|operand| operand.ty == of.ty).cloned().collect();
        let is_leaf = matches!(of.kind, Kind::Literal(_) | Kind::Variable(_))
            || matches!(&of.kind, Kind::Construct(parts) if parts.iter().all(|part| matches!(part.kind, Kind::Literal(_))));
        if let Some(operand) = same.into_iter().nth(choice) {
            (*of, is_done) = (operand, true);
        } else if !is_leaf
            && choice <= of.operands().len()
            && let Some(zero) = zero(&of.ty)
        {
            (*of, is_done) = (zero, true);
        }
        true
    });
    is_done
}

/// A constant of a scalar, vector or matrix type.
fn zero(ty: &Type) -> Option<Expr> {
    let scalar = ty.scalar()?;
    let literal = Expr::literal(scalar, 0);
    Some(match ty {
        Type::Scalar(_) => literal,
        _ => Expr::new(ty.clone(), Kind::Construct(vec![literal])),
    })
}
