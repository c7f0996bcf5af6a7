//! Binary64 arithmetic of the rare function, where no binary32 number is subnormal.
//!
//! Each component of a result is emitted twice: in binary32, and as the same number in binary64 for
//! later operations in the block. So a sum of sums converts nothing. Unused copies are dropped
//! ([`unused`](super::unused)). Between blocks, values are in binary32: a dispatch loop keeps them in
//! memory.
//!
//! A result of 53 bits is rounded to binary32, which gives the right result (`functions`):
//!
//! - At least 2^-126: by converting to binary32 and back.
//! - A smaller sum is exact.
//! - A smaller product or quotient: by a sum with 3·2^-98, whose last bit is 2^-149; but at most 2^-150
//!   becomes a zero with its sign, by conversion.
//!   zero of its sign by conversion.

use super::functions::{DOUBLE, LEAST, LONG, NUM, UNIT};
use crate::emit::integers::bools;
use crate::emit::translator::Translator;
use lambdav_core::op::Op as Core;
use lambdav_core::types::Type;
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

/// 3·2^-98, whose last bit is 2^-149.
const ROUNDS: f64 = UNIT * ((1_u64 << 52) + (1_u64 << 51)) as f64;
/// 2^-150: smaller or equal sizes round to zero.
const LOST: f64 = UNIT / 2.0;

/// Rounding of a binary64 result to binary32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// The result is not subnormal.
    NeverSubnormal,
    /// The result is exact below 2^-126.
    Sum,
    Any,
}

impl Translator<'_> {
    /// An operation that depends on the magnitudes of its operands, which have the type `kind`; `None`
    /// for others.
    pub(super) fn in_doubles(
        &mut self,
        op: Core,
        kind: Type,
        ty: Type,
        ids: &[Word],
    ) -> Option<Word> {
        let comparison = match op {
            Core::Less => Some((Op::FOrdLessThan, [0, 1])),
            Core::LessEqual => Some((Op::FOrdLessThanEqual, [0, 1])),
            Core::Equal => Some((Op::FOrdEqual, [0, 1])),
            Core::NotEqual => Some((Op::FUnordNotEqual, [0, 1])),
            Core::Min => Some((Op::FOrdLessThan, [1, 0])),
            Core::Max => Some((Op::FOrdLessThan, [0, 1])),
            _ => None,
        };
        if let Some((instruction, operands)) = comparison {
            let of = operands.map(|k| ids[k]);
            let is_so = self.compared(instruction, kind, of);
            return Some(match op {
                Core::Min | Core::Max => {
                    let (chosen, bools) = ([is_so, ids[1], ids[0]], bools(kind));
                    let id = self.instruction(Op::Select, ty, &chosen);
                    self.also_in_double(Core::Select, bools, ty, &chosen, id);
                    id
                }
                _ => is_so,
            });
        }
        let rounding = match op {
            _ if self.function.is_never_subnormal => Rounding::NeverSubnormal,
            Core::Add | Core::Sub => Rounding::Sum,
            Core::Sqrt => Rounding::NeverSubnormal,
            _ => Rounding::Any,
        };
        if !matches!(op, Core::Add | Core::Sub | Core::Mul | Core::Div | Core::Sqrt | Core::Fma) {
            return None;
        }
        // A compiler may find that an operand is zero; lavapipe then takes any value for a quotient by
        // it.
        let is_hidden = matches!(op, Core::Div | Core::Fma);
        let width = ty.width().expect("arithmetic is of nums and vectors");
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for k in 0..u32::from(width) {
            let of = ids.iter().map(|&id| {
                let of = self.in_double(kind, id, k);
                if is_hidden { self.hidden_double(of) } else { of }
            });
            let of: Vec<Word> = of.collect();
            let exact = match op {
                Core::Add => self.of_doubles(Op::FAdd, &of),
                Core::Sub => self.of_doubles(Op::FSub, &of),
                Core::Mul => self.of_doubles(Op::FMul, &of),
                Core::Div => self.of_doubles(Op::FDiv, &of),
                Core::Sqrt => self.glsl_of(Glsl::Sqrt, DOUBLE, &of),
                _ => self.sum_to_odd(of[0], of[1], of[2]),
            };
            let (single, double) = self.rounded(exact, rounding);
            narrow.push(single);
            wide.push(double);
        }
        let id = match narrow[..] {
            [one] => one,
            _ => self.construct(ty, &narrow),
        };
        self.function.doubles.extend((0..).zip(wide).map(|(k, wide)| ((id, k), wide)));
        Some(id)
    }

    /// A component of a num or vector in binary64.
    fn in_double(&mut self, ty: Type, id: Word, component: u32) -> Word {
        if let Some(&known) = self.function.doubles.get(&(id, component)) {
            return known;
        }
        let word = self.declarations.numbers(id).map(|words| words[component as usize]);
        let is_zero = |word: &u32| word << 1 == 0;
        if let Some(word) = word.filter(|word| !is_zero(word)) {
            let bits = f64::from(f32::from_bits(word)).to_bits();
            return self.declarations.long(DOUBLE, bits);
        }
        let number = match ty.width() {
            Some(1) => id,
            _ => self.extract(Type::NUM, id, component),
        };
        // (A zero is hidden.)
        let double = match word.is_some() || self.function.never_subnormal.contains(&id) {
            true => self.of_shape(Op::FConvert, DOUBLE, &[number]),
            false => self.widened(number),
        };
        self.function.doubles.insert((id, component), double);
        double
    }

    /// A result rounded to binary32, in binary32 and in binary64.
    fn rounded(&mut self, exact: Word, rounding: Rounding) -> (Word, Word) {
        let single = self.of_shape(Op::FConvert, NUM, &[exact]);
        let normal = self.of_shape(Op::FConvert, DOUBLE, &[single]);
        if rounding == Rounding::NeverSubnormal {
            return (single, normal);
        }
        let least = self.double(LEAST);
        let size = self.glsl_of(Glsl::FAbs, DOUBLE, &[exact]);
        let is_small = self.instruction(Op::FOrdLessThan, Type::BOOL, &[size, least]);
        let single = self.with_small(exact, size, is_small, single);
        let (is_other, small) = match rounding {
            Rounding::Sum => (is_small, exact),
            _ => {
                let [rounds, lost] = [ROUNDS, LOST].map(|number| self.double(number));
                let raised = self.of_doubles(Op::FAdd, &[exact, rounds]);
                let small = self.of_doubles(Op::FSub, &[raised, rounds]);
                let is_kept = self.instruction(Op::FOrdLessThan, Type::BOOL, &[lost, size]);
                let is_both = [is_small, is_kept];
                (self.instruction(Op::LogicalAnd, Type::BOOL, &is_both), small)
            }
        };
        (single, self.of_shape(Op::Select, DOUBLE, &[is_other, small, normal]))
    }

    /// A binary64 number whose value compilers cannot know.
    fn hidden_double(&mut self, id: Word) -> Word {
        let zero = self.long_zero();
        let bits = self.of_shape(Op::Bitcast, LONG, &[id]);
        let bits = self.of_shape(Op::BitwiseXor, LONG, &[bits, zero]);
        self.of_shape(Op::Bitcast, DOUBLE, &[bits])
    }

    /// Compares nums or vectors by component.
    fn compared(&mut self, op: Op, kind: Type, ids: [Word; 2]) -> Word {
        let bools = bools(kind);
        let each = (0..u32::from(bools.width().unwrap_or(1))).map(|k| {
            let of = ids.map(|id| self.in_double(kind, id, k));
            self.instruction(op, Type::BOOL, &of)
        });
        let each: Vec<Word> = each.collect();
        match each[..] {
            [one] => one,
            _ => self.instruction(Op::CompositeConstruct, bools, &each),
        }
    }

    /// Records binary64 components of a value that is a part, a choice or the negation of values that
    /// have them.
    pub(in crate::emit) fn also_in_double(
        &mut self,
        op: Core,
        kind: Type,
        ty: Type,
        ids: &[Word],
        id: Word,
    ) {
        let Some(width) = ty.width().filter(|_| ty.is_num() && !self.function.doubles.is_empty())
        else {
            return;
        };
        let known = |s: &Self, id, k| s.function.doubles.get(&(id, k)).copied();
        for k in 0..u32::from(width) {
            let double = match op {
                Core::Component(component) => known(self, ids[0], component.into()),
                Core::Select => match [ids[1], ids[2]].map(|of| known(self, of, k)) {
                    [Some(a), Some(b)] => {
                        let condition = match kind {
                            Type::BOOL => ids[0],
                            _ => self.extract(Type::BOOL, ids[0], k),
                        };
                        Some(self.of_shape(Op::Select, DOUBLE, &[condition, a, b]))
                    }
                    _ => None,
                },
                Core::Neg => known(self, ids[0], k).map(|of| self.of_doubles(Op::FNegate, &[of])),
                Core::Abs => {
                    known(self, ids[0], k).map(|of| self.glsl_of(Glsl::FAbs, DOUBLE, &[of]))
                }
                _ => None,
            };
            self.function.doubles.extend(double.map(|double| ((id, k), double)));
        }
    }

    /// Records binary64 components of a vector constructed from these parts.
    pub(in crate::emit) fn constructed_in_double(&mut self, parts: &[(Word, Type)], id: Word) {
        let mut next = 0;
        for &(part, ty) in parts {
            let width = ty.width().unwrap_or(0);
            for k in 0..u32::from(width) {
                let double = self.function.doubles.get(&(part, k)).copied();
                self.function.doubles.extend(double.map(|double| ((id, next), double)));
                next += 1;
            }
        }
    }
}
