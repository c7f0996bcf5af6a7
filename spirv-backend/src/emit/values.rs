//! Sources and destinations of values: constants, inputs, uniforms, outputs.

use super::interface::MemoryReference;
use super::modes::{Magnitudes, Mode};
use super::translator::{Slot, Translator};
use lambdav_core::op::{NAN, Op as Core};
use lambdav_core::schedule::{Expr, NO_LOCATION, ValueId};
use lambdav_core::triangles::DISCARD;
use lambdav_core::types::{Scalar, Type};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};

impl<'p> Translator<'p> {
    /// Computes a value, or records the constant or place that it is.
    pub(super) fn expression(&mut self, value: ValueId, expr: &'p Expr) -> Slot<'p> {
        let ty = self.function.program.ty(value);
        if self.function.places.is_in_memory(value) {
            return self.placed(value, expr);
        }
        match expr {
            Expr::Constant(words) => Slot::Constant(words),
            Expr::Input(input) => {
                let place = self.interface.input(&mut self.declarations, *input);
                Slot::Id(self.load(place, ty, input.name()))
            }
            Expr::Stage(input) => Slot::Id(self.stage_input(*input, ty)),
            Expr::Uniform(index) if self.function.mode == Mode::Library => {
                Slot::Id(self.function.parameters[*index as usize])
            }
            Expr::Uniform(index) if *index as usize >= self.block_members() => {
                let id = self.specialisation(*index, ty);
                self.note_from_outside(id, ty);
                Slot::Id(self.hide_uniform(id, ty))
            }
            Expr::Uniform(index) => {
                let place = self.uniform(*index);
                let id = self.load_place(&place, ty);
                self.declarations
                    .name_value(id, &self.function.program.uniforms[*index as usize].name);
                Slot::Id(id)
            }
            Expr::Op(..) if self.function.parts[value.index()].is_some() => Slot::Empty,
            Expr::Op(Core::After, operands) => match self.is_state(ty) {
                true => Slot::Constant(&[]),
                false => Slot::Id(self.value(operands[0])),
            },
            Expr::Op(Core::Memory(op), operands) => self.access(*op, ty, operands),
            Expr::Op(op, operands) => {
                let Magnitudes { harmless, never_subnormal } = &self.function.magnitudes;
                let [is_harmless, is_never_subnormal] =
                    [harmless, never_subnormal].map(|of| of.get(value.index()) == Some(&true));
                (self.function.is_harmless, self.function.is_never_subnormal) =
                    (is_harmless, is_never_subnormal);
                let id = self.operation(*op, ty, operands);
                (self.function.is_harmless, self.function.is_never_subnormal) = (false, false);
                Slot::Id(id)
            }
        }
    }

    /// Number of uniforms in blocks; the others are specialisation constants.
    pub(super) fn block_members(&self) -> usize {
        self.function.program.uniforms.len().saturating_sub(self.options.constants)
    }

    /// The specialisation constant for the uniform of that index.
    fn specialisation(&mut self, index: u32, ty: Type) -> Word {
        let uniform = &self.function.program.uniforms[index as usize];
        let spec_id = index - self.block_members() as u32;
        self.declarations.specialisation(spec_id, ty, uniform.default[0], &uniform.name)
    }

    fn load(&mut self, place: MemoryReference, ty: Type, name: &str) -> Word {
        let pointer = match place {
            MemoryReference::Variable(id) => id,
            MemoryReference::Member { base, pointer_type, index } => {
                let index = self.declarations.uint(index);
                let operands = vec![Operand::IdRef(base), Operand::IdRef(index)];
                self.compute(Op::AccessChain, pointer_type, operands)
            }
        };
        self.load_input(pointer, ty, name)
    }

    /// Loads an input and names its value, unless the name is empty.
    pub(super) fn load_input(&mut self, pointer: Word, ty: Type, name: &str) -> Word {
        let to = self.declarations.ty(ty);
        let id = self.compute(Op::Load, to, vec![Operand::IdRef(pointer)]);
        if !name.is_empty() {
            self.declarations.name_value(id, name);
        }
        self.note_from_outside(id, ty);
        id
    }

    /// Stores the outputs and returns. Colours are padded from (0, 0, 0, 1).
    pub(super) fn store_outputs(&mut self, values: &'p [ValueId]) {
        if self.function.mode == Mode::Library {
            let value = self.value(values[0]);
            let operands = vec![Operand::IdRef(value)];
            return self.push(Instruction::new(Op::ReturnValue, None, None, operands));
        }
        let is_output = |&(_, location): &(&ValueId, &u32)| *location != NO_LOCATION;
        let outputs = values.iter().zip(&self.function.program.locations).filter(is_output);
        for (&value, &location) in outputs {
            self.function.span = self.function.program.values[value.index()].span;
            if location == DISCARD {
                if !self.function.discards {
                    let condition = self.value(value);
                    self.discard_where(condition);
                }
                continue;
            }
            let own = self.function.program.ty(value);
            let is_padded = self.interface.is_colour(location) && !own.is_integer();
            let ty = if is_padded { Type::vec(4) } else { own };
            let [given, wanted] = [own, ty].map(|ty| self.function.program.types.components(ty));
            let filler = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
            let filler = &filler[given..wanted];
            let filled = if let Slot::Constant(words) = self.function.slots[value.index()] {
                self.declarations.constant(ty, &[words, filler].concat())
            } else if given == wanted && self.function.parts[value.index()].is_none() {
                self.value(value)
            } else {
                let mut ids: Vec<Word> = match self.function.parts[value.index()] {
                    Some(parts) => parts.iter().map(|&part| self.value(part)).collect(),
                    None => vec![self.value(value)],
                };
                for &word in filler {
                    ids.push(self.declarations.constant(Type::NUM, &[word]));
                }
                self.instruction(Op::CompositeConstruct, ty, &ids)
            };
            let filled = self.written(filled, ty);
            let instrument = self.options.instrument;
            let variable = match self.interface.report(&mut self.declarations, location, instrument)
            {
                Some(variable) => variable,
                None => self.interface.output(&mut self.declarations, location, own),
            };
            self.mark_line();
            let operands = vec![Operand::IdRef(variable), Operand::IdRef(filled)];
            self.push(Instruction::new(Op::Store, None, None, operands));
        }
        self.settle();
        self.push(Instruction::new(Op::Return, None, None, vec![]));
    }

    /// The value to store in an output: exact modules store the canonical NaN.
    fn written(&mut self, value: Word, ty: Type) -> Word {
        let is_native = self.function.mode == Mode::Native;
        if is_native || !ty.is_num() || self.declarations.numbers(value).is_some() {
            return value;
        }
        let bools = Type::of(Scalar::Bool, ty.width().unwrap_or(1));
        let is_number = self.instruction(Op::FOrdEqual, bools, &[value, value]);
        let nan = self.everywhere(ty, NAN);
        self.instruction(Op::Select, ty, &[is_number, value, nan])
    }
}
