//! Structures, variants and arrays: construction and parts.
//!
//! A variant is a structure of a tag and the words that its cases share, each a scalar. An `int` is
//! stored there as a `uint` with the same bits.

use super::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::mutants::mistaken_payload;
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};

impl Translator<'_> {
    /// Constructs a value from its parts.
    pub(super) fn construct(&mut self, ty: Type, parts: &[Word]) -> Word {
        if parts.is_empty() {
            // (Mesa refuses to construct an empty value.)
            return self.declarations.constant(ty, &[]);
        }
        self.declarations.most_parts = self.declarations.most_parts.max(parts.len());
        self.instruction(Op::CompositeConstruct, ty, parts)
    }

    /// Extracts a part of a value.
    pub(super) fn extract(&mut self, ty: Type, from: Word, index: u32) -> Word {
        self.extract_inner(ty, from, vec![index])
    }

    fn extract_inner(&mut self, ty: Type, from: Word, indices: Vec<u32>) -> Word {
        if indices.is_empty() {
            return from;
        }
        let ty = self.declarations.ty(ty);
        let mut operands = vec![Operand::IdRef(from)];
        operands.extend(indices.into_iter().map(Operand::LiteralBit32));
        self.compute(Op::CompositeExtract, ty, operands)
    }

    /// A component of a value, in the form in which a variant stores it.
    fn slot_of(&mut self, ty: Type, from: Word, mut component: usize) -> Word {
        let types = &self.function.program.types;
        let (mut at, mut indices) = (ty, Vec::new());
        loop {
            match *types.kind(at) {
                TypeKind::Scalar(_) => break,
                TypeKind::Variant(_) => {
                    indices.push(component as u32);
                    at = Type::of(types.component(at, component), 1);
                    break;
                }
                _ => {
                    let part = types.part_with(at, component);
                    let (inner, first) = types.part(at, part).expect("it is one of them");
                    indices.push(part as u32);
                    (at, component) = (inner, component - first);
                }
            }
        }
        let id = self.extract_inner(at, from, indices);
        if at == Type::INT { self.instruction(Op::Bitcast, Type::UINT, &[id]) } else { id }
    }

    /// A value from its components in the form in which a variant stores them. (Types nest a few hundred
    /// deep at most.)
    fn of_slots(&mut self, ty: Type, slots: &mut impl Iterator<Item = Word>) -> Word {
        let types = &self.function.program.types;
        let mut next = || slots.next().expect("there is one for each component");
        match *types.kind(ty) {
            TypeKind::Scalar(Scalar::I32) => {
                let slot = next();
                self.instruction(Op::Bitcast, ty, &[slot])
            }
            TypeKind::Scalar(_) => next(),
            TypeKind::Variant(_) => {
                let slots: Vec<Word> = (0..types.components(ty)).map(|_| next()).collect();
                self.construct(ty, &slots)
            }
            _ => {
                let parts: Vec<Type> = types.parts(ty).collect();
                let parts = parts.into_iter().map(|part| self.of_slots(part, slots));
                let parts: Vec<Word> = parts.collect();
                self.construct(ty, &parts)
            }
        }
    }

    /// A variant of a case, from the ids of the fields.
    pub(super) fn inject(&mut self, ty: Type, case: u32, fields: &[Word]) -> Word {
        let types = &self.function.program.types;
        let mut slots: Vec<Option<Word>> = vec![None; types.components(ty)];
        slots[0] = Some(self.declarations.uint(case));
        for (field, &id) in (0..).zip(fields) {
            let (of, places) = types.payload(ty, case, field).expect("a case has its fields");
            for (component, &place) in places.iter().enumerate() {
                slots[place as usize] = Some(self.slot_of(of, id, component));
            }
        }
        let zero = |(slot, scalar)| match slot {
            Some(slot) => slot,
            None => self.declarations.constant(Type::of(scalar, 1), &[0]),
        };
        let slots: Vec<Word> = slots.into_iter().zip(types.scalars(ty)).map(zero).collect();
        self.construct(ty, &slots)
    }

    /// A field of a case, also if the variant holds another case.
    pub(super) fn payload(&mut self, variant: Type, from: Word, case: u32, field: u32) -> Word {
        let types = &self.function.program.types;
        let (case, field) = match is_active(Mutant::WrongField) {
            true => mistaken_payload(types, variant, case, field),
            false => (case, field),
        };
        let (ty, places) = types.payload(variant, case, field).expect("there is such a field");
        let slots = places.iter().map(|&place| {
            let scalar = Type::of(types.component(variant, place as usize), 1);
            self.extract(scalar, from, place)
        });
        let slots: Vec<Word> = slots.collect();
        self.of_slots(ty, &mut slots.into_iter())
    }

    /// Selects by one bool. Before SPIR-V 1.4 OpSelect takes only scalars and vectors, with one bool for
    /// each component. (Types nest a few hundred deep at most.)
    pub(super) fn select(
        &mut self,
        condition: Word,
        ty: Type,
        then: Word,
        otherwise: Word,
    ) -> Word {
        let types = &self.function.program.types;
        let parts: Vec<Type> = match *types.kind(ty) {
            TypeKind::Scalar(_) => {
                return self.instruction(Op::Select, ty, &[condition, then, otherwise]);
            }
            TypeKind::Vector(_, n) => {
                let each = vec![condition; n.into()];
                let each = self.instruction(Op::CompositeConstruct, Type::bvec(n), &each);
                return self.instruction(Op::Select, ty, &[each, then, otherwise]);
            }
            TypeKind::Variant(_) => types.scalars(ty).map(|of| Type::of(of, 1)).collect(),
            _ => types.parts(ty).collect(),
        };
        let parts = (0..).zip(parts).map(|(k, part)| {
            let [then, otherwise] = [then, otherwise].map(|from| self.extract(part, from, k));
            self.select(condition, part, then, otherwise)
        });
        let parts: Vec<Word> = parts.collect();
        self.construct(ty, &parts)
    }
}
