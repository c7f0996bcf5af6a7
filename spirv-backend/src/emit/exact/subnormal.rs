//! Noting subnormal numbers.

use crate::emit::modes::{Mode, Switch};
use crate::emit::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

/// 2^-126, the least number that is not subnormal.
pub(super) const LEAST: u32 = 0x0080_0000;
/// 2^-101.
const COARSE: u32 = 26 << 23;
/// All bits but the sign.
const SIZE: u32 = 0x7fff_ffff;

impl Translator<'_> {
    /// Whether subnormal numbers are noted, and where.
    pub(super) fn notes(&self) -> Option<Switch> {
        match self.function.mode {
            Mode::Fast { notes, .. } => notes,
            _ => None,
        }
    }

    /// Notes that a number is subnormal where a condition of that type holds somewhere.
    pub(super) fn note(&mut self, condition: Word, bools: Type) {
        let Some(switch) = self.notes() else { return };
        let condition = match bools {
            Type::BOOL => condition,
            _ => self.instruction(Op::Any, Type::BOOL, &[condition]),
        };
        self.turn_on(switch, condition);
    }

    /// Turns a switch on where a condition holds.
    pub(super) fn turn_on(&mut self, switch: Switch, condition: Word) {
        let on = match self.function.noted[switch as usize] {
            Some(on) => self.instruction(Op::LogicalOr, Type::BOOL, &[on, condition]),
            None => condition,
        };
        self.function.noted[switch as usize] = Some(on);
    }

    /// Writes down what the open block has noted, which ends.
    pub(in crate::emit) fn settle(&mut self) {
        for switch in [Switch::Again, Switch::Subnormal] {
            if let Some(on) = self.function.noted[switch as usize].take() {
                let before = self.is_on(switch);
                let after = self.instruction(Op::LogicalOr, Type::BOOL, &[before, on]);
                let variable = self.switch(switch);
                self.store(variable, after);
            }
        }
    }

    /// The condition on which a loop ends early, where there is one.
    pub(in crate::emit) fn ends_early(&mut self) -> Option<Word> {
        let Mode::Fast { repeats: true, .. } = self.function.mode else { return None };
        Some(self.is_on(Switch::Again))
    }

    /// Notes that a constant is subnormal.
    pub(in crate::emit) fn note_constant(&mut self, ty: Type, words: &[u32]) {
        if self.notes().is_none() {
            return;
        }
        let is_subnormal = |word: u32| word & SIZE < LEAST && word & SIZE != 0;
        let scalars = self.function.program.types.scalars(ty);
        if scalars.zip(words).any(|(of, &word)| of == Scalar::F32 && is_subnormal(word)) {
            let yes = self.declarations.constant(Type::BOOL, &[1]);
            self.note(yes, Type::BOOL);
        }
    }

    /// Notes where a value that comes from outside is subnormal: a number, or a vector or matrix of
    /// numbers.
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

    /// Whether numbers are subnormal, by their bits.
    pub(super) fn is_subnormal(&mut self, id: Word, ty: Type) -> Word {
        let width = ty.width().expect("a number or a vector");
        let (uints, bools) = (Type::of(Scalar::U32, width), Type::bvec(width));
        let [size, one, last] = [SIZE, 1, LEAST - 1].map(|word| self.everywhere(uints, word));
        let bits = self.instruction(Op::Bitcast, uints, &[id]);
        let bits = self.instruction(Op::BitwiseAnd, uints, &[bits, size]);
        let below = self.instruction(Op::ISub, uints, &[bits, one]);
        self.instruction(Op::ULessThan, bools, &[below, last])
    }

    /// An operation on full numbers whose result may be subnormal, which is noted.
    pub(super) fn noted(&mut self, op: Core, ty: Type, ids: &[Word]) -> Option<Word> {
        let (instruction, enough) = match op {
            Core::Add => (Op::FAdd, COARSE),
            Core::Sub => (Op::FSub, COARSE),
            Core::Mul => (Op::FMul, 1.0_f32.to_bits()),
            _ => return None,
        };
        let id = self.arithmetic(instruction, ty, ids);
        let [a, b] = [ids[0], ids[1]];
        let is_always = |of: Word, test: &dyn Fn(u32) -> bool| {
            self.declarations.numbers(of).is_some_and(|words| words.iter().all(|&w| test(w)))
        };
        // A constant that is zero makes no subnormal number either.
        let is_enough = |word: u32| word & SIZE >= enough || word & SIZE == 0;
        if is_always(a, &is_enough) || is_always(b, &is_enough) {
            return Some(id);
        }
        if is_active(Mutant::UnnotedProduct) && op == Core::Mul {
            return Some(id);
        }
        let known = [a, b].map(|of| is_always(of, &|word| word & SIZE != 0));
        let bools = Type::bvec(ty.width().expect("arithmetic is of nums and vectors"));
        let (least, zero) = (self.everywhere(ty, LEAST), self.everywhere(ty, 0));
        let size = self.glsl(Glsl::FAbs, ty, &[id]);
        let mut condition = self.instruction(Op::FOrdLessThan, bools, &[size, least]);
        let also = |s: &mut Self, condition, a, b| {
            let differs = s.instruction(Op::FUnordNotEqual, bools, &[a, b]);
            s.apply(Core::And, bools, bools, &[condition, differs])
        };
        match op {
            Core::Add => {
                let opposite = self.arithmetic(Op::FNegate, ty, &[b]);
                condition = also(self, condition, a, opposite);
            }
            Core::Sub => condition = also(self, condition, a, b),
            _ => {
                if !known[0] {
                    condition = also(self, condition, a, zero);
                }
                if !known[1] && a != b {
                    condition = also(self, condition, b, zero);
                }
            }
        }
        self.note(condition, bools);
        Some(id)
    }
}
