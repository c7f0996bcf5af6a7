//! Checks the invariants that [`super`] lists; gathers all violations.

use super::{Block, BlockId, End, Expr, Program, Statement, ValueId};
use crate::types::Type;
use std::fmt;

/// A violated invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// A block uses a value that is not defined before it.
    Undefined {
        /// The block.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A value is defined twice.
    Redefined {
        /// The block of the second definition.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A value has another type than its definition gives it, or an operation is not defined on
    /// its operands.
    Type {
        /// The block of the definition.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A condition is not a `bool`.
    Condition {
        /// The block that ends or contains the `if`.
        block: BlockId,
        /// The condition.
        value: ValueId,
    },
    /// A block ends in a way that is not allowed where it stands, or with values of other number or
    /// types than are wanted there.
    End {
        /// The block.
        block: BlockId,
    },
    /// A loop has no `rec`, or no way out.
    Loop {
        /// Its body.
        block: BlockId,
    },
    /// A block is referred to twice, or not at all, or does not exist.
    Tree {
        /// The block.
        block: BlockId,
    },
    /// A uniform, a constant or the list of outputs does not fit its declaration.
    Interface {
        /// The block.
        block: BlockId,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined { block, value } => {
                write!(f, "block {} uses %{} which is not defined before", block.0, value.0)
            }
            Self::Redefined { block, value } => {
                write!(f, "block {} defines %{} a second time", block.0, value.0)
            }
            Self::Type { block, value } => {
                write!(f, "%{} in block {} is ill-typed", value.0, block.0)
            }
            Self::Condition { block, value } => {
                write!(f, "the condition %{} in block {} is no bool", value.0, block.0)
            }
            Self::End { block } => write!(f, "block {} ends wrongly", block.0),
            Self::Loop { block } => {
                write!(f, "the loop with body {} lacks a rec or a way out", block.0)
            }
            Self::Tree { block } => {
                write!(f, "block {} is not referred to exactly once", block.0)
            }
            Self::Interface { block } => {
                write!(f, "block {} does not fit the declared interface", block.0)
            }
        }
    }
}

/// What a block's end is for.
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
    /// Whether some statement so far defines the value.
    defined: Vec<bool>,
    /// Whether it can be used here.
    in_scope: Vec<bool>,
    visited: Vec<bool>,
    /// For each block that is a loop's body: whether there is a `rec`, and a yield, in its tail.
    tails: Vec<[bool; 2]>,
}

/// What remains to be done, last first.
enum Task {
    Block(BlockId, Context),
    Continue(BlockId, usize, Context),
    /// Enters the scope of the value.
    Enter(ValueId),
    /// Leaves the scope of these values.
    Leave(Vec<ValueId>),
    CheckLoop(BlockId),
}

/// Checks every invariant of a program.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        program,
        errors: Vec::new(),
        defined: vec![false; program.values.len()],
        in_scope: vec![false; program.values.len()],
        visited: vec![false; program.blocks.len()],
        tails: vec![[false; 2]; program.blocks.len()],
    };
    verifier.run();
    for (i, &visited) in verifier.visited.iter().enumerate() {
        if !visited {
            verifier.errors.push(VerifyError::Tree { block: BlockId(i as u32) });
        }
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

impl<'p> Verifier<'p> {
    fn run(&mut self) {
        let mut tasks = vec![Task::Block(Program::ROOT, Context::Root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Block(block, context) => match self.visited.get_mut(block.index()) {
                    Some(visited) if !*visited => {
                        *visited = true;
                        let defines = self.program.block(block).statements.iter();
                        tasks.push(Task::Leave(defines.map(Statement::value).collect()));
                        tasks.push(Task::Continue(block, 0, context));
                    }
                    _ => self.errors.push(VerifyError::Tree { block }),
                },
                Task::Continue(block, at, context) => self.advance(block, at, context, &mut tasks),
                Task::Enter(value) => self.set_scope(value, true),
                Task::Leave(values) => values.into_iter().for_each(|v| self.set_scope(v, false)),
                Task::CheckLoop(body) => {
                    if self.tails.get(body.index()) != Some(&[true; 2]) {
                        self.errors.push(VerifyError::Loop { block: body });
                    }
                }
            }
        }
    }

    fn advance(&mut self, block: BlockId, from: usize, context: Context, tasks: &mut Vec<Task>) {
        let program: &'p Program = self.program;
        let b: &'p Block = program.block(block);
        for (at, statement) in b.statements.iter().enumerate().skip(from) {
            let value = statement.value();
            match statement {
                Statement::Let { expr, .. } => {
                    self.check_expr(block, value, expr);
                    self.define(block, value);
                    self.set_scope(value, true);
                }
                Statement::If { condition, then, otherwise, .. } => {
                    self.check_condition(block, *condition);
                    self.define(block, value);
                    let ty = self.ty(value);
                    tasks.push(Task::Continue(block, at + 1, context));
                    tasks.push(Task::Enter(value));
                    tasks.push(Task::Block(*otherwise, Context::Arm(ty)));
                    tasks.push(Task::Block(*then, Context::Arm(ty)));
                    return;
                }
                Statement::Loop { params, inits, body, .. } => {
                    self.check_all(block, inits);
                    let types: Vec<Type> = params.iter().map(|&p| self.ty(p)).collect();
                    if inits.iter().map(|&i| self.ty(i)).ne(types.iter().copied()) {
                        self.errors.push(VerifyError::Type { block, value });
                    }
                    self.define(block, value);
                    let ty = self.ty(value);
                    for &param in params {
                        self.define(block, param);
                        self.set_scope(param, true);
                    }
                    tasks.push(Task::Continue(block, at + 1, context));
                    tasks.push(Task::Enter(value));
                    tasks.push(Task::CheckLoop(*body));
                    tasks.push(Task::Leave(params.to_vec()));
                    let context = Context::Tail { params: types.into(), ty, body: *body };
                    tasks.push(Task::Block(*body, context));
                    return;
                }
            }
        }
        self.check_end(block, &b.end, context, tasks);
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
            Expr::Constant(words) => words.len() == ty.components(),
            Expr::Input(input) => input.ty() == ty,
            Expr::Uniform(index) => {
                self.program.uniforms.get(*index as usize).is_some_and(|u| u.ty == ty)
            }
            Expr::Op(op, operands) => {
                self.check_all(block, operands);
                let types: Vec<Type> = operands.iter().map(|&o| self.ty(o)).collect();
                op.result_type(&types) == Some(ty)
            }
        };
        if !right {
            self.errors.push(VerifyError::Type { block, value });
        }
    }

    fn check_end(&mut self, block: BlockId, end: &End, context: Context, tasks: &mut Vec<Task>) {
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
            (End::If { condition, then, otherwise }, context @ Context::Tail { .. }) => {
                self.check_condition(block, *condition);
                tasks.push(Task::Block(*otherwise, context.clone()));
                tasks.push(Task::Block(*then, context));
            }
            (End::Rec(_) | End::If { .. }, Context::Root | Context::Arm(_)) => {
                self.errors.push(VerifyError::End { block });
            }
        }
    }
}
