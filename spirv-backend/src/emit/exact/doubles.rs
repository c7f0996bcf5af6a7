//! Arithmetic of the rare function in binary64, where no number of binary32 is subnormal.
//!
//! Each component of a result is emitted twice: as a number of binary32, and as the same number in binary64 for later
//! operations of the same block. So a sum of sums packs and unpacks nothing. Unused ones are dropped
//! ([`unused`](super::unused)). From block to block, values go in binary32: in a machine they lie in memory.
//!
//! A result of 53 bits is rounded to one of binary32, which is the right one (`functions`):
//!
//! - Of at least 2^-126, by converting it to binary32 and back.
//! - A sum below that is exact.
//! - A product or a quotient below that, by a sum with 3·2^-98, whose last bit is 2^-149; but what is at most 2^-150 becomes a
//!   zero of its sign by conversion.

use super::functions::{DOUBLE, LEAST, LONG, NUM, UNIT};
use crate::emit::integers::bools;
use crate::emit::translator::Translator;
use lambdav_core::op::Op as Core;
use lambdav_core::types::Type;
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

/// 3·2^-98, whose last bit is 2^-149.
const ROUNDS: f64 = UNIT * ((1_u64 << 52) + (1_u64 << 51)) as f64;
/// 2^-150: what is not larger rounds to zero.
const LOST: f64 = UNIT / 2.0;

/// How a result in binary64 becomes one of binary32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// It is not subnormal.
    Full,
    /// It is exact below 2^-126.
    Sum,
    Any,
}

impl Translator<'_> {
    /// An operation whose operands have the type `kind`, if it looks at the size of numbers.
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
            _ if self.function.is_full => Rounding::Full,
            Core::Add | Core::Sub => Rounding::Sum,
            Core::Sqrt => Rounding::Full,
            _ => Rounding::Any,
        };
        if !matches!(op, Core::Add | Core::Sub | Core::Mul | Core::Div | Core::Sqrt | Core::Fma) {
            return None;
        }
        // An operand may be a zero that a compiler finds: what is divided by that, lavapipe takes for anything.
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

    /// A component of a number or a vector of that type, in binary64.
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
        let double = match word.is_some() || self.function.full.contains(&id) {
            true => self.of_shape(Op::FConvert, DOUBLE, &[number]),
            false => self.widened(number),
        };
        self.function.doubles.insert((id, component), double);
        double
    }

    /// A result rounded to binary32, and the same in binary64.
    fn rounded(&mut self, exact: Word, rounding: Rounding) -> (Word, Word) {
        let single = self.of_shape(Op::FConvert, NUM, &[exact]);
        let full = self.of_shape(Op::FConvert, DOUBLE, &[single]);
        if rounding == Rounding::Full {
            return (single, full);
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
        (single, self.of_shape(Op::Select, DOUBLE, &[is_other, small, full]))
    }

    /// A number of binary64 that compilers do not know.
    fn hidden_double(&mut self, id: Word) -> Word {
        let zero = self.long_zero();
        let bits = self.of_shape(Op::Bitcast, LONG, &[id]);
        let bits = self.of_shape(Op::BitwiseXor, LONG, &[bits, zero]);
        self.of_shape(Op::Bitcast, DOUBLE, &[bits])
    }

    /// A comparison of the components of two numbers or vectors.
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

    /// The components in binary64 of a value that is a part, a choice or the opposite of such.
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

    /// The components in binary64 of a vector that is put together of these.
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
