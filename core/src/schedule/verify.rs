//! Verifies the invariants listed in [`super`]; collects all violations. States of memories are checked if everything else
//! is right.

use super::program::{BlockId, End, Expr, Program, Statement, ValueId};
use super::states::verify_states;
use super::violation::VerifyError;
use super::walk::Event;
use crate::graph::StageInput;
use crate::types::Type;

/// The context of a block's end.
#[derive(Clone)]
enum Context {
    Root,
    /// An arm of an `if` statement: yields this type.
    Arm(Type),
    /// In the tail of a loop's body: parameters' types, the loop's type, the body's block.
    Tail {
        params: std::rc::Rc<[Type]>,
        ty: Type,
        body: BlockId,
    },
}

struct Verifier<'p> {
    program: &'p Program,
    errors: Vec<VerifyError>,
    /// `defined[v]`: some statement so far defines `v`.
    defined: Vec<bool>,
    /// `in_scope[v]`: `v` can be used here.
    in_scope: Vec<bool>,
    /// For each loop body: its tail has a `rec`, and it has a yield.
    tails: Vec<[bool; 2]>,
    /// The contexts of the enclosing blocks, innermost last.
    contexts: Vec<Context>,
}

/// Checks every invariant of a program. If its blocks do not form a tree, only that is reported.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    check_tree(program)?;
    let mut verifier = Verifier {
        program,
        errors: Vec::new(),
        defined: vec![false; program.values.len()],
        in_scope: vec![false; program.values.len()],
        tails: vec![[false; 2]; program.blocks.len()],
        contexts: vec![Context::Root],
    };
    for event in program.walk() {
        match event {
            Event::Enter(..) => {}
            Event::Statement(block, statement) => verifier.statement(block, statement),
            Event::After(_, statement) => verifier.after(statement),
            Event::End(block, end) => verifier.end(block, end),
            Event::Leave(block) => verifier.leave(block),
        }
    }
    if verifier.errors.is_empty() { verify_states(program) } else { Err(verifier.errors) }
}

/// Checks that each block but the root is referred to exactly once, and is reachable from the root.
fn check_tree(program: &Program) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let mut visited = vec![false; program.blocks.len()];
    let mut stack = vec![Program::ROOT];
    while let Some(block) = stack.pop() {
        match visited.get_mut(block.index()) {
            Some(visited) if !*visited => *visited = true,
            _ => {
                errors.push(VerifyError::Tree { block });
                continue;
            }
        }
        let block = program.block(block);
        for statement in &block.statements {
            match *statement {
                Statement::Let { .. } => {}
                Statement::If { then, otherwise, .. } => stack.extend([then, otherwise]),
                Statement::Loop { body, .. } => stack.push(body),
            }
        }
        if let End::If { then, otherwise, .. } = block.end {
            stack.extend([then, otherwise]);
        }
    }
    let unreached = visited.iter().zip(0..).filter(|(visited, _)| !**visited);
    errors.extend(unreached.map(|(_, id)| VerifyError::Tree { block: BlockId(id) }));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

impl Verifier<'_> {
    fn statement(&mut self, block: BlockId, statement: &Statement) {
        let value = statement.value();
        match statement {
            Statement::Let { expr, .. } => {
                self.check_expr(block, value, expr);
                self.define(block, value);
                self.set_scope(value, true);
            }
            Statement::If { condition, .. } => {
                self.check_condition(block, *condition);
                self.define(block, value);
                self.contexts.push(Context::Arm(self.ty(value)));
            }
            Statement::Loop { params, inits, body, .. } => {
                self.check_all(block, inits);
                let types: Vec<Type> = params.iter().map(|&p| self.ty(p)).collect();
                if inits.iter().map(|&i| self.ty(i)).ne(types.iter().copied()) {
                    self.errors.push(VerifyError::Type { block, value });
                }
                self.define(block, value);
                for &param in params {
                    self.define(block, param);
                    self.set_scope(param, true);
                }
                let ty = self.ty(value);
                self.contexts.push(Context::Tail { params: types.into(), ty, body: *body });
            }
        }
    }

    /// Leaves the scope of a statement's inner blocks.
    fn after(&mut self, statement: &Statement) {
        self.contexts.pop();
        if let Statement::Loop { params, body, .. } = statement {
            params.iter().for_each(|&param| self.set_scope(param, false));
            if self.tails[body.index()] != [true; 2] {
                self.errors.push(VerifyError::Loop { block: *body });
            }
        }
        self.set_scope(statement.value(), true);
    }

    fn leave(&mut self, block: BlockId) {
        for statement in &self.program.block(block).statements {
            self.set_scope(statement.value(), false);
        }
    }

    fn set_scope(&mut self, value: ValueId, visible: bool) {
        if let Some(in_scope) = self.in_scope.get_mut(value.index()) {
            *in_scope = visible;
        }
    }

    fn ty(&self, value: ValueId) -> Type {
        self.program.values.get(value.index()).map_or(Type::BOOL, |v| v.ty)
    }

    fn define(&mut self, block: BlockId, value: ValueId) {
        match self.defined.get_mut(value.index()) {
            Some(defined) if !*defined => *defined = true,
            Some(_) => self.errors.push(VerifyError::Redefined { block, value }),
            None => self.errors.push(VerifyError::Undefined { block, value }),
        }
    }

    fn check(&mut self, block: BlockId, value: ValueId) {
        if self.in_scope.get(value.index()) != Some(&true) {
            self.errors.push(VerifyError::Undefined { block, value });
        }
    }

    fn check_all(&mut self, block: BlockId, values: &[ValueId]) {
        for &value in values {
            self.check(block, value);
        }
    }

    fn check_condition(&mut self, block: BlockId, value: ValueId) {
        self.check(block, value);
        if self.ty(value) != Type::BOOL {
            self.errors.push(VerifyError::Condition { block, value });
        }
    }

    fn check_expr(&mut self, block: BlockId, value: ValueId, expr: &Expr) {
        let ty = self.ty(value);
        let right = match expr {
            Expr::Constant(words) => {
                let types = &self.program.types;
                words.len() == types.components(ty) && !types.holds_state(ty)
            }
            Expr::Input(input) => input.ty() == ty,
            Expr::Stage(StageInput::Invocation(input)) => input.ty() == ty,
            // Its declaration is not part of the program.
            Expr::Stage(_) => true,
            Expr::Uniform(index) => {
                self.program.uniforms.get(*index as usize).is_some_and(|u| u.ty == ty)
            }
            Expr::Op(op, operands) => {
                self.check_all(block, operands);
                let types: Vec<Type> = operands.iter().map(|&o| self.ty(o)).collect();
                op.result_type(&self.program.types, &types) == Some(ty)
            }
        };
        if !right {
            self.errors.push(VerifyError::Type { block, value });
        }
    }

    fn end(&mut self, block: BlockId, end: &End) {
        let context = self.contexts.last().expect("the root's is there to the end").clone();
        match (end, context) {
            (End::Yield(values), Context::Root) => {
                self.check_all(block, values);
                if values.len() != self.program.locations.len() {
                    self.errors.push(VerifyError::Interface { block });
                }
            }
            (End::Yield(values), Context::Arm(ty)) => {
                self.check_all(block, values);
                if values.len() != 1 || self.ty(values[0]) != ty {
                    self.errors.push(VerifyError::End { block });
                }
            }
            (End::Yield(values), Context::Tail { ty, body, .. }) => {
                self.check_all(block, values);
                if values.len() != 1 || self.ty(values[0]) != ty {
                    self.errors.push(VerifyError::End { block });
                }
                self.tails[body.index()][1] = true;
            }
            (End::Rec(arguments), Context::Tail { params, body, .. }) => {
                self.check_all(block, arguments);
                if arguments.iter().map(|&a| self.ty(a)).ne(params.iter().copied()) {
                    self.errors.push(VerifyError::End { block });
                }
                self.tails[body.index()][0] = true;
            }
            (End::If { condition, .. }, Context::Tail { .. }) => {
                self.check_condition(block, *condition);
            }
            (End::Rec(_) | End::If { .. }, Context::Root | Context::Arm(_)) => {
                self.errors.push(VerifyError::End { block });
            }
        }
    }
}
