//! Detects subnormal numbers and notes them.

use crate::emit::modes::{Mode, Switch, UntestedResult};
use crate::emit::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

/// 2^-126, the least normal number.
pub(super) const LEAST: u32 = 0x0080_0000;
/// Batch size of the subnormal test.
const BATCH: usize = 16;
/// All bits but the sign.
pub(super) const SIZE: u32 = 0x7fff_ffff;

impl Translator<'_> {
    /// The switch that records subnormal numbers, if they are noted.
    pub(in crate::emit) fn notes(&self) -> Option<Switch> {
        match self.function.mode {
            Mode::Fast { notes, .. } => notes,
            _ => None,
        }
    }

    /// Notes a subnormal number if the condition holds in any component.
    pub(super) fn note(&mut self, condition: Word, bools: Type) {
        let Some(switch) = self.notes() else { return };
        let condition = self.any(condition, bools);
        self.turn_on(switch, condition);
    }

    /// Turns a switch on if the condition holds.
    pub(super) fn turn_on(&mut self, switch: Switch, condition: Word) {
        let on = match self.function.noted[switch as usize] {
            Some(on) => self.instruction(Op::LogicalOr, Type::BOOL, &[on, condition]),
            None => condition,
        };
        self.function.noted[switch as usize] = Some(on);
    }

    /// Stores the open block's notes in the switches. This may open another block.
    pub(in crate::emit) fn settle(&mut self) {
        self.test_results();
        for switch in [Switch::Again, Switch::Subnormal] {
            if let Some(on) = self.function.noted[switch as usize].take() {
                let before = self.is_on(switch);
                let after = self.instruction(Op::LogicalOr, Type::BOOL, &[before, on]);
                let variable = self.switch(switch);
                self.store(variable, after);
            }
        }
    }

    /// Notes the untested results that are subnormal. Zeros are as small, and frequent, so operands are tested
    /// only if any result is small.
    fn test_results(&mut self) {
        let untested = std::mem::take(&mut self.function.untested);
        let Some(switch) = self.notes().filter(|_| !untested.is_empty()) else { return };
        let mut any = None;
        for result in &untested {
            let is_small = self.any(result.is_small, result.ty);
            any = Some(match any {
                Some(any) => self.instruction(Op::LogicalOr, Type::BOOL, &[any, is_small]),
                None => is_small,
            });
        }
        let any = any.expect("there are some");
        let before = self.function.noted[switch as usize].take();
        self.when(any, |s| {
            for UntestedResult { is_product, ty, operands: [a, b], mut is_small } in untested {
                let bools = Type::bvec(ty.width().expect("arithmetic is of nums and vectors"));
                let mut also = |s: &mut Self, a, b| {
                    let differs = s.instruction(Op::FUnordNotEqual, bools, &[a, b]);
                    is_small = s.apply(Core::And, bools, bools, &[is_small, differs]);
                };
                if is_product {
                    let zero = s.everywhere(ty, 0);
                    also(s, a, zero);
                    if a != b {
                        also(s, b, zero);
                    }
                } else {
                    also(s, a, b);
                }
                s.note(is_small, bools);
            }
            // (`when` calls `settle` at its end.)
        });
        self.function.noted[switch as usize] = before;
    }

    /// True if a condition holds in any component.
    fn any(&mut self, condition: Word, ty: Type) -> Word {
        match ty.width() {
            Some(1) => condition,
            _ => self.instruction(Op::Any, Type::BOOL, &[condition]),
        }
    }

    /// The condition on which a loop ends early, if loops do.
    pub(in crate::emit) fn ends_early(&mut self) -> Option<Word> {
        let Mode::Fast { repeats: true, .. } = self.function.mode else { return None };
        Some(self.is_on(Switch::Again))
    }

    /// Forces a condition to `value` if loops end early.
    pub(in crate::emit) fn or_ends_early(&mut self, condition: Word, value: bool) -> Word {
        self.settle();
        let Some(ends) = self.ends_early() else { return condition };
        if value {
            return self.instruction(Op::LogicalOr, Type::BOOL, &[condition, ends]);
        }
        let goes_on = self.instruction(Op::LogicalNot, Type::BOOL, &[ends]);
        self.instruction(Op::LogicalAnd, Type::BOOL, &[condition, goes_on])
    }

    /// Notes a constant that is subnormal; returns true if it is.
    pub(in crate::emit) fn note_constant(&mut self, ty: Type, words: &[u32]) -> bool {
        if self.notes().is_none() {
            return false;
        }
        let is_subnormal = |word: u32| word & SIZE < LEAST && word & SIZE != 0;
        let scalars = self.function.program.types.scalars(ty);
        let is_any = scalars.zip(words).any(|(of, &word)| of == Scalar::F32 && is_subnormal(word));
        if is_any {
            let yes = self.declarations.constant(Type::BOOL, &[1]);
            self.note(yes, Type::BOOL);
        }
        is_any
    }

    /// Notes a subnormal value from outside: a num, or a vector or matrix of nums.
    pub(in crate::emit) fn note_from_outside(&mut self, id: Word, ty: Type) {
        if self.notes().is_none() {
            return;
        }
        match *self.function.program.types.kind(ty) {
            TypeKind::Matrix(Scalar::F32, n) => {
                for k in 0..n {
                    let column = self.extract(Type::vec(n), id, k.into());
                    self.note_from_outside(column, Type::vec(n));
                }
            }
            TypeKind::Scalar(Scalar::F32) | TypeKind::Vector(Scalar::F32, _) => {
                let is_subnormal = self.is_subnormal(id, ty);
                self.note(is_subnormal, Type::bvec(ty.width().expect("it is a vector")));
            }
            _ => {}
        }
    }

    /// True, by component, if numbers are subnormal; tests bits.
    pub(super) fn is_subnormal(&mut self, id: Word, ty: Type) -> Word {
        let width = ty.width().expect("a number or a vector");
        let (uints, bools) = (Type::of(Scalar::U32, width), Type::bvec(width));
        let [size, one, last] = [SIZE, 1, LEAST - 1].map(|word| self.everywhere(uints, word));
        let bits = self.instruction(Op::Bitcast, uints, &[id]);
        let bits = self.instruction(Op::BitwiseAnd, uints, &[bits, size]);
        let below = self.instruction(Op::ISub, uints, &[bits, one]);
        self.instruction(Op::ULessThan, bools, &[below, last])
    }

    /// A sum or product of numbers that are zero or normal; a subnormal result is noted.
    pub(super) fn noted(&mut self, op: Core, ty: Type, ids: &[Word]) -> Option<Word> {
        let is_product = op == Core::Mul;
        let is_sum = matches!(op, Core::Add | Core::Sub);
        if !is_sum && !is_product || is_product && is_active(Mutant::UnnotedProduct) {
            return None;
        }
        let id = self.natively(op, ty, ty, ids);
        let bools = Type::bvec(ty.width().expect("arithmetic is of nums and vectors"));
        let least = self.everywhere(ty, LEAST);
        let size = self.glsl(Glsl::FAbs, ty, &[id]);
        let is_small = self.instruction(Op::FOrdLessThan, bools, &[size, least]);
        let b = match op {
            Core::Add => self.arithmetic(Op::FNegate, ty, &[ids[1]]),
            _ => ids[1],
        };
        self.function.untested.push(UntestedResult {
            is_product,
            ty,
            operands: [ids[0], b],
            is_small,
        });
        if self.function.untested.len() == BATCH {
            self.test_results();
        }
        Some(id)
    }
}
