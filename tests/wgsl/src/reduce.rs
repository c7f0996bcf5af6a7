//! Smaller programs with the same mismatch: statements are removed, expressions become simpler.

use crate::program::{Expr, Kind, Program, Statement};

/// The most programs that are tried.
const MOST_TRIALS: usize = 1_500;

/// A small program for which `fails` holds, as it does for this one.
pub fn reduce(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut trials = 0;
    let mut keep = |best: &mut Program, edit: &dyn Fn(&mut Program) -> bool| {
        let mut smaller = best.clone();
        if trials >= MOST_TRIALS || !edit(&mut smaller) {
            return None;
        }
        trials += 1;
        let is_kept = fails(&smaller);
        if is_kept {
            *best = smaller;
        }
        Some(is_kept)
    };
    loop {
        let mut has_changed = false;
        for length in [16, 4, 1] {
            let mut at = 0;
            while let Some(is_kept) = keep(&mut best, &|program| remove(program, at, length)) {
                has_changed |= is_kept;
                at += usize::from(!is_kept);
            }
        }
        for at in (0..best.globals.len()).rev() {
            let edit = |program: &mut Program| {
                program.globals.remove(at);
                true
            };
            has_changed |= keep(&mut best, &edit) == Some(true);
        }
        let mut at = 0;
        while let Some(is_kept) = keep(&mut best, &|program| simplify(program, at)) {
            has_changed |= is_kept;
            at += usize::from(!is_kept);
        }
        if !has_changed {
            return best;
        }
    }
}

fn lists(program: &mut Program, work: &mut dyn FnMut(&mut Vec<Statement>) -> bool) -> bool {
    let bodies = program.functions.iter_mut().map(|function| &mut function.body);
    std::iter::once(&mut program.main).chain(bodies).any(|list| lists_within(list, work))
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
        Statement::For { body, .. } | Statement::While(_, body) | Statement::Block(body) => {
            vec![body]
        }
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch(_, cases) => cases.iter_mut().map(|case| &mut case.body).collect(),
        _ => Vec::new(),
    }
}

/// Removes the statements from number `at` in their list.
fn remove(program: &mut Program, at: usize, length: usize) -> bool {
    let mut number = 0;
    lists(program, &mut |list| {
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

/// Replaces expression number `at`, which is not a leaf, by an operand of its type or by zero.
fn simplify(program: &mut Program, at: usize) -> bool {
    let mut number = 0;
    let mut visit = |of: &mut Expr| {
        let operand = of.operands().into_iter().find(|operand| operand.ty == of.ty).cloned();
        let zero = match &of.kind {
            Kind::Literal(_) | Kind::Variable(_) | Kind::Deref(_) | Kind::AddressOf(_) => None,
            Kind::Construct(parts) if parts.is_empty() => None,
            _ => Some(Expr::new(of.ty.clone(), Kind::Construct(Vec::new()))),
        };
        let Some(new) = operand.or(zero) else { return false };
        number += 1;
        if number <= at {
            return false;
        }
        *of = new;
        true
    };
    let mut globals = program.globals.iter_mut().filter_map(|global| global.value.as_mut());
    if globals.any(|of| within(of, &mut visit)) {
        return true;
    }
    lists(program, &mut |list| list.iter_mut().any(|statement| own(statement, &mut visit)))
}

fn own(statement: &mut Statement, visit: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
    match statement {
        Statement::Declare { value: Some(of), .. }
        | Statement::Assign(_, _, of)
        | Statement::Phony(of)
        | Statement::If(of, ..)
        | Statement::Switch(of, _)
        | Statement::Return(Some(of)) => within(of, visit),
        Statement::Call(of) => of.operands_mut().into_iter().any(|operand| within(operand, visit)),
        _ => false,
    }
}

fn within(of: &mut Expr, visit: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
    visit(of) || of.operands_mut().into_iter().any(|operand| within(operand, visit))
}
