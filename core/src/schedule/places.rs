//! Finds the values of a program that may be read in place, in memory, where an index selects one part:
//! uniforms and constants that are structures or arrays, elements of buffers, and parts of all these. Other
//! values are computed whole.

use super::{Event, Expr, Program, Statement, ValueId};
use crate::op::Op;
use crate::types::{Type, TypeKind, Types};

/// The values that may be read in place.
#[derive(Debug)]
pub struct Places {
    /// `in_memory[v]`: `v` is read in place.
    in_memory: Vec<bool>,
    /// `whole[v]`: some use needs more of `v` than a part.
    whole: Vec<bool>,
}

impl Places {
    /// Analyses all values. Constants of fewer than `least` parts (nested parts counted) are not read in
    /// place.
    pub fn new(program: &Program, least: usize) -> Self {
        let count = program.values.len();
        let mut places = Self { in_memory: vec![false; count], whole: vec![false; count] };
        for event in program.walk() {
            match event {
                Event::Statement(_, statement) => places.statement(program, statement, least),
                Event::End(_, end) => places.uses(end.uses()),
                Event::Enter(..) | Event::After(..) | Event::Leave(_) => {}
            }
        }
        places
    }

    fn statement(&mut self, program: &Program, statement: &Statement, least: usize) {
        if let Statement::Let { value, expr } = statement {
            let ty = program.ty(*value);
            self.in_memory[value.index()] = match expr {
                Expr::Constant(_) => extent(&program.types, ty).is_some_and(|parts| parts >= least),
                Expr::Uniform(_) => extent(&program.types, ty).is_some(),
                Expr::Input(_) | Expr::Stage(_) => false,
                Expr::Op(Op::Element, _) => true,
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

    /// True if a value is read in place.
    pub fn is_in_memory(&self, value: ValueId) -> bool {
        self.in_memory[value.index()]
    }

    /// True if a value is to be computed or read as a whole.
    pub fn is_whole(&self, value: ValueId) -> bool {
        !self.is_in_memory(value) || self.whole[value.index()]
    }

    /// The number of components of all values that are whole.
    pub fn components(&self, program: &Program) -> usize {
        let values = (0..program.values.len() as u32).map(ValueId);
        let there = values.filter(|&value| self.is_whole(value));
        there.map(|value| program.types.components(program.ty(value))).sum()
    }
}

/// The number of components of a structure, or of innermost elements of an array of arrays; `None` for other
/// types.
fn extent(types: &Types, mut ty: Type) -> Option<usize> {
    if let TypeKind::Structure(_) = types.kind(ty) {
        return Some(types.components(ty));
    }
    let mut parts = None;
    while let TypeKind::Array(element, count) = *types.kind(ty) {
        ty = element;
        parts = Some(parts.unwrap_or(1_usize).saturating_mul(count as usize));
    }
    parts
}

/// True if the operation takes a part of its first operand.
fn takes_part(op: Op) -> bool {
    op == Op::At || op.fixed_part().is_some()
}
