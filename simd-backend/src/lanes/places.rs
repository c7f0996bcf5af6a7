//! Which values of a scheduled program lie in memory, so that a part of them is read by its index:
//! uniforms and constants with arrays in them, and parts of these. All others are computed by
//! component.

use lambdav_core::op::Op;
use lambdav_core::schedule::{Event, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Type, TypeKind, Types};

use crate::cost;

/// What lies in memory.
pub(crate) struct Places {
    /// Of each value, whether it does.
    in_memory: Vec<bool>,
    /// Of each value, whether something uses more of it than parts.
    whole: Vec<bool>,
}

impl Places {
    /// Looks at all values.
    pub(crate) fn new(program: &Program) -> Self {
        let count = program.values.len();
        let mut places = Self { in_memory: vec![false; count], whole: vec![false; count] };
        for event in program.walk() {
            match event {
                Event::Statement(_, statement) => places.statement(program, statement),
                Event::End(_, end) => places.uses(end.uses()),
                Event::Enter(..) | Event::After(..) | Event::Leave(_) => {}
            }
        }
        places
    }

    fn statement(&mut self, program: &Program, statement: &Statement) {
        if let Statement::Let { value, expr } = statement {
            let ty = program.ty(*value);
            self.in_memory[value.index()] = match expr {
                Expr::Constant(words) => {
                    is_aggregate(&program.types, ty) && words.len() >= cost::TABLE
                }
                Expr::Uniform(_) => is_aggregate(&program.types, ty),
                Expr::Input(_) => false,
                Expr::Op(op, operands) => takes_part(*op) && self.is_in_memory(operands[0]),
            };
            if let Expr::Op(op, operands) = expr
                && takes_part(*op)
            {
                self.uses(&operands[1..]);
                return;
            }
        }
        self.uses(statement.uses());
    }

    fn uses(&mut self, values: &[ValueId]) {
        for value in values {
            self.whole[value.index()] = true;
        }
    }

    /// Whether a value lies in memory.
    pub(crate) fn is_in_memory(&self, value: ValueId) -> bool {
        self.in_memory[value.index()]
    }

    /// Whether a value is to be there by component.
    pub(crate) fn has_components(&self, value: ValueId) -> bool {
        !self.is_in_memory(value) || self.whole[value.index()]
    }

    /// How many components of values there are.
    pub(crate) fn components(&self, program: &Program) -> usize {
        let values = (0..program.values.len() as u32).map(ValueId);
        let there = values.filter(|&value| self.has_components(value));
        there.map(|value| program.types.components(program.ty(value))).sum()
    }
}

/// Whether it is a structure or an array.
fn is_aggregate(types: &Types, ty: Type) -> bool {
    matches!(types.kind(ty), TypeKind::Structure(_) | TypeKind::Array(..))
}

/// Whether the operation takes a part of its first operand.
pub(crate) fn takes_part(op: Op) -> bool {
    op == Op::At || op.fixed_part().is_some()
}

/// An array, vector or matrix of more than `most` components that an index chooses from, and that
/// does not lie in memory: how many it has.
pub(crate) fn too_large(program: &Program, places: &Places, most: usize) -> Option<usize> {
    program.walk().find_map(|event| match event {
        Event::Statement(_, Statement::Let { expr: Expr::Op(Op::At | Op::Update, of), .. }) => {
            let components = program.types.components(program.ty(of[0]));
            (!places.is_in_memory(of[0]) && components > most).then_some(components)
        }
        _ => None,
    })
}
