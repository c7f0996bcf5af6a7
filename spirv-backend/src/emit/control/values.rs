//! Where values come from and go to: constants, inputs, uniforms, outputs.

use super::super::declarations::Shape;
use super::super::interface::Place;
use super::{Slot, Translator};
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Program, Statement, ValueId};
use lambdav_core::types::{Type, TypeKind};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};

impl<'p> Translator<'p> {
    /// Computes a value, or remembers what it is.
    pub(super) fn expression(&mut self, value: ValueId, expr: &'p Expr) -> Slot<'p> {
        let ty = self.program.ty(value);
        match expr {
            Expr::Constant(words) => Slot::Constant(words),
            Expr::Input(input) => {
                let place = self.interface.input(&mut self.declarations, *input);
                Slot::Id(self.load(place, ty, input.name()))
            }
            Expr::Uniform(index) => {
                let place = self.interface.uniform(&mut self.declarations, self.program, *index);
                Slot::Id(self.load(place, ty, &self.program.uniforms[*index as usize].name))
            }
            Expr::Op(..) if self.parts[value.index()].is_some() => Slot::Empty,
            Expr::Op(op, operands) => Slot::Id(self.operation(*op, ty, operands)),
        }
    }

    fn load(&mut self, place: Place, ty: Type, name: &str) -> Word {
        let (pointer, is_block) = match place {
            Place::Variable(id) => (id, false),
            Place::Member { base, pointer_type, index } => {
                let index = self.declarations.uint(index);
                let operands = vec![Operand::IdRef(base), Operand::IdRef(index)];
                (self.compute(Op::AccessChain, pointer_type, operands), true)
            }
        };
        let operands = vec![Operand::IdRef(pointer)];
        let id = if is_block && ty == Type::BOOL {
            let uint = self.declarations.shape(Shape::Uint);
            let word = self.compute(Op::Load, uint, operands);
            let zero = self.declarations.uint(0);
            self.instruction(Op::INotEqual, ty, &[word, zero])
        } else {
            let ty = self.declarations.ty(ty);
            self.compute(Op::Load, ty, operands)
        };
        self.declarations.name_value(id, name);
        id
    }

    /// The id of a value.
    pub(in crate::emit) fn value(&mut self, value: ValueId) -> Word {
        match self.slots[value.index()] {
            Slot::Id(id) => id,
            Slot::Constant(words) => {
                let id = self.declarations.constant(self.program.ty(value), words);
                self.slots[value.index()] = Slot::Id(id);
                id
            }
            Slot::Empty => unreachable!("the schedule defines values before their uses"),
        }
    }

    /// Stores the outputs, filled from (0, 0, 0, 1), and returns.
    pub(super) fn store_outputs(&mut self, values: &'p [ValueId]) {
        let ty = Type::vec(4);
        for (&value, &location) in values.iter().zip(&self.program.locations) {
            self.span = self.program.values[value.index()].span;
            let given = self.program.types.components(self.program.ty(value));
            let filler = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
            let filled = if let Slot::Constant(words) = self.slots[value.index()] {
                self.declarations.constant(ty, &[words, &filler[given..]].concat())
            } else if given == 4 && self.parts[value.index()].is_none() {
                self.value(value)
            } else {
                let mut ids: Vec<Word> = match self.parts[value.index()] {
                    Some(parts) => parts.iter().map(|&part| self.value(part)).collect(),
                    None => vec![self.value(value)],
                };
                for &word in &filler[given..] {
                    ids.push(self.declarations.constant(Type::NUM, &[word]));
                }
                self.instruction(Op::CompositeConstruct, ty, &ids)
            };
            let variable = self.interface.output(&mut self.declarations, location);
            self.mark_line();
            let operands = vec![Operand::IdRef(variable), Operand::IdRef(filled)];
            self.push(Instruction::new(Op::Store, None, None, operands));
        }
        self.push(Instruction::new(Op::Return, None, None, vec![]));
    }
}

/// For each vector that is constructed in the root for outputs alone, its components.
pub(super) fn parts_of_outputs(program: &Program) -> Vec<Option<&[ValueId]>> {
    let mut parts = vec![None; program.values.len()];
    for statement in &program.block(Program::ROOT).statements {
        if let Statement::Let { value, expr: Expr::Op(Core::Construct(ty), operands) } = statement
            && matches!(program.types.kind(*ty), TypeKind::Vector(..))
            && program.outputs().contains(value)
        {
            parts[value.index()] = Some(&operands[..]);
        }
    }
    let mut forget = |values: &[ValueId]| values.iter().for_each(|v| parts[v.index()] = None);
    for (index, block) in program.blocks.iter().enumerate() {
        block.statements.iter().for_each(|statement| forget(statement.uses()));
        if index != Program::ROOT.index() {
            forget(block.end.uses());
        }
    }
    parts
}
