//! Values in memory: uniforms, elements of buffers, constants with dynamic indices, and variables for
//! computed values with dynamic indices.
//!
//! Every index is clamped before use.

use super::declarations::TypeDeclaration;
use super::interface::Placed;
use super::translator::{Place, Slot, Translator};
use crate::mutants::{Mutant, is_active};
use lambdav_core::layout::Rules;
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, ValueId};
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};

impl<'p> Translator<'p> {
    /// The place of a uniform.
    pub(super) fn uniform(&mut self, index: u32) -> Place<'p> {
        let members = &self.function.program.uniforms[..self.block_members()];
        let Placed { class, base, member } =
            self.interface.uniform(&mut self.declarations, members, index);
        let indices = vec![self.declarations.uint(member)];
        Place::Memory { class, base, indices }
    }

    /// A value in memory; it is loaded only if it is used as a whole.
    pub(super) fn placed(&mut self, value: ValueId, expr: &'p Expr) -> Slot<'p> {
        let ty = self.function.program.ty(value);
        let is_whole = self.function.places.is_whole(value);
        let place = match expr {
            // A value without words needs no memory: drivers reject a block of such members only.
            Expr::Uniform(_) if self.function.program.types.components(ty) == 0 => {
                self.function.place_of.insert(value, Place::Constant(ty, &[]));
                return Slot::Constant(&[]);
            }
            Expr::Constant(words) => {
                self.function.place_of.insert(value, Place::Constant(ty, words));
                return Slot::Constant(words);
            }
            Expr::Uniform(index) => self.uniform(*index),
            Expr::Op(Core::Element, operands) => self.element(operands[0], operands[1]),
            Expr::Op(op, operands) => {
                let place = self.function.place_of[&operands[0]].clone();
                let index = match op.fixed_part() {
                    Some(part) => self.declarations.uint(part as u32),
                    None => self.part_index(operands[0], operands[1]),
                };
                self.part(place, index)
            }
            Expr::Input(_) | Expr::Stage(_) => unreachable!("it is no aggregate"),
        };
        let slot = if is_whole { Slot::Id(self.load_place(&place, ty)) } else { Slot::Empty };
        if let (Expr::Uniform(index), Slot::Id(id)) = (expr, slot) {
            self.declarations.name_value(id, &self.function.program.uniforms[*index as usize].name);
        }
        self.function.place_of.insert(value, place);
        slot
    }

    /// The place of a part of a value in memory.
    fn part(&mut self, place: Place<'p>, index: Word) -> Place<'p> {
        let (class, base, mut indices) = match place {
            Place::Memory { class, base, indices } => (class, base, indices),
            Place::Constant(ty, words) => {
                self.note_constant(ty, words);
                let constant = self.declarations.constant(ty, words);
                let base = self.interface.constant(&mut self.declarations, ty, constant);
                (StorageClass::Private, base, Vec::new())
            }
        };
        indices.push(index);
        Place::Memory { class, base, indices }
    }

    /// The variable of a buffer.
    fn buffer(&mut self, buffer: ValueId) -> Word {
        let types = &self.function.program.types;
        let number =
            types.resource(self.function.program.ty(buffer)).expect("the operand is a buffer");
        let resource = &types.resources()[number];
        self.interface.resource(&mut self.declarations, number as u32, resource)
    }

    /// Number of elements of a buffer, as a uint.
    fn count(&mut self, buffer: Word) -> Word {
        let ty = self.declarations.ty(Type::UINT);
        let operands = vec![Operand::IdRef(buffer), Operand::LiteralBit32(0)];
        self.compute(Op::ArrayLength, ty, operands)
    }

    /// Number of elements of a buffer, as an int.
    pub(super) fn length(&mut self, buffer: ValueId) -> Word {
        let base = self.buffer(buffer);
        let count = self.count(base);
        self.instruction(Op::Bitcast, Type::INT, &[count])
    }

    /// The place of a buffer's element.
    fn element(&mut self, buffer: ValueId, index: ValueId) -> Place<'p> {
        let base = self.buffer(buffer);
        let index = self.clamped(index, |s, ty| {
            let mut count = s.count(base);
            if ty == Type::INT {
                count = s.instruction(Op::Bitcast, ty, &[count]);
            }
            let one = s.declarations.constant(ty, &[1]);
            s.instruction(Op::ISub, ty, &[count, one])
        });
        let indices = vec![self.declarations.uint(0), index];
        Place::Memory { class: StorageClass::StorageBuffer, base, indices }
    }

    /// Loads a value. From a block, vectors and matrices are loaded one by one, since types differ there
    /// and bools are integers. (Types nest a few hundred deep at most.)
    pub(super) fn load_place(&mut self, place: &Place<'p>, ty: Type) -> Word {
        let Place::Memory { class, base, indices } = place else {
            unreachable!("a constant is not read");
        };
        let rules = match class {
            StorageClass::Uniform | StorageClass::PushConstant => Some(Rules::Std140),
            StorageClass::StorageBuffer => Some(Rules::Std430),
            _ => None,
        };
        let is_shared = rules.is_some();
        let types = &self.function.program.types;
        let kind = *types.kind(ty);
        if is_shared && matches!(kind, TypeKind::Structure(_) | TypeKind::Array(..)) {
            let parts: Vec<Type> = types.parts(ty).collect();
            let parts = parts.into_iter().enumerate().map(|(k, part)| {
                let index = self.declarations.uint(k as u32);
                let place = self.part(place.clone(), index);
                self.load_place(&place, part)
            });
            let parts: Vec<Word> = parts.collect();
            return self.construct(ty, &parts);
        }
        let shape = match rules {
            Some(rules) => TypeDeclaration::Memory(ty, rules),
            None => TypeDeclaration::Value(ty),
        };
        let to = self.declarations.shape(shape);
        let pointer = self.pointer(*class, to, *base, indices);
        let mut id = self.compute(Op::Load, to, vec![Operand::IdRef(pointer)]);
        if is_shared {
            self.note_from_outside(id, ty);
        }
        if matches!(class, StorageClass::Uniform | StorageClass::PushConstant) {
            id = self.hide_uniform(id, ty);
        }
        if !is_shared || ty.scalar() != Some(Scalar::Bool) {
            return id;
        }
        let words = types.components(ty);
        let uints = Type::of(Scalar::U32, words as u8);
        let zero = self.declarations.constant(uints, &vec![0; words]);
        self.instruction(Op::INotEqual, ty, &[id, zero])
    }

    /// A pointer to a value of that type: an access chain.
    fn pointer(&mut self, class: StorageClass, to: Word, base: Word, indices: &[Word]) -> Word {
        if indices.is_empty() {
            return base;
        }
        let pointer = self.declarations.shape(TypeDeclaration::Pointer(class, to));
        let operands = [&[base], indices].concat().into_iter().map(Operand::IdRef);
        self.compute(Op::AccessChain, pointer, operands.collect())
    }

    /// A clamped index into a value's parts.
    fn part_index(&mut self, of: ValueId, index: ValueId) -> Word {
        let count = self.function.program.types.parts(self.function.program.ty(of)).len() as u32;
        self.clamped(index, |s, ty| s.declarations.constant(ty, &[count - 1]))
    }

    /// Clamps an index to `last`, a number of the index's type.
    fn clamped(&mut self, index: ValueId, last: impl FnOnce(&mut Self, Type) -> Word) -> Word {
        let ty = self.function.program.ty(index);
        let mut id = self.value(index);
        if is_active(Mutant::LooseIndex) {
            return id;
        }
        if ty == Type::INT {
            let zero = self.declarations.constant(ty, &[0]);
            id = self.apply(Core::Max, ty, ty, &[id, zero]);
        }
        let last = last(self, ty);
        self.apply(Core::Min, ty, ty, &[id, last])
    }

    /// The part of a value at a dynamic index.
    pub(super) fn at(&mut self, ty: Type, of: ValueId, index: ValueId) -> Word {
        let index = self.part_index(of, index);
        let (whole, id) = (self.function.program.ty(of), self.value(of));
        if let TypeKind::Vector(..) = self.function.program.types.kind(whole) {
            return self.instruction(Op::VectorExtractDynamic, ty, &[id, index]);
        }
        let base = self.stored(whole, id);
        let place = Place::Memory { class: StorageClass::Function, base, indices: vec![index] };
        self.load_place(&place, ty)
    }

    /// A value with the part at a dynamic index replaced.
    pub(super) fn updated(&mut self, of: ValueId, index: ValueId, part: ValueId) -> Word {
        let index = self.part_index(of, index);
        let (ty, id, new) = (self.function.program.ty(of), self.value(of), self.value(part));
        if let TypeKind::Vector(..) = self.function.program.types.kind(ty) {
            return self.instruction(Op::VectorInsertDynamic, ty, &[id, new, index]);
        }
        let base = self.stored(ty, id);
        let to = self.declarations.ty(self.function.program.ty(part));
        let pointer = self.pointer(StorageClass::Function, to, base, &[index]);
        self.store(pointer, new);
        let place = Place::Memory { class: StorageClass::Function, base, indices: Vec::new() };
        let changed = self.load_place(&place, ty);
        if is_active(Mutant::UpdateInPlace) {
            self.function.slots[of.index()] = Slot::Id(changed);
        }
        changed
    }

    /// Stores a value in the variable for its type and returns the variable.
    fn stored(&mut self, ty: Type, id: Word) -> Word {
        let variable = match self.function.variables.get(&ty) {
            Some(&(variable, _)) => variable,
            None => {
                let to = self.declarations.ty(ty);
                let variable = self.declarations.id();
                let instruction = self.variable(variable, to);
                self.function.variables.insert(ty, (variable, instruction));
                variable
            }
        };
        self.store(variable, id);
        variable
    }

    /// Declares a variable of a function; `to` is the id of its type.
    pub(super) fn variable(&mut self, id: Word, to: Word) -> Instruction {
        let class = StorageClass::Function;
        let pointer = self.declarations.shape(TypeDeclaration::Pointer(class, to));
        let operands = vec![Operand::StorageClass(class)];
        Instruction::new(Op::Variable, Some(pointer), Some(id), operands)
    }

    pub(super) fn store(&mut self, to: Word, value: Word) {
        self.mark_line();
        let operands = vec![Operand::IdRef(to), Operand::IdRef(value)];
        self.push(Instruction::new(Op::Store, None, None, operands));
    }
}
