//! Bodies as data, and making them value by value.

use rustc_hash::FxHashMap;

use super::operation::{Kind, Op, Part};

/// A value of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct V(pub u32);

/// How a value of a [`Body`] comes about.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// That operand of the function.
    Operand(usize),
    /// These bits.
    Constant(u64),
    /// An operation.
    Op(Op, Vec<V>),
    /// Of three `F64`: the product of the first two plus the third, rounded once or twice, as is
    /// faster.
    MulAdd([V; 3]),
}

/// A function as straight-line code.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The values in order, each with its kind.
    pub steps: Vec<(Kind, Step)>,
    /// The result, an `F32`.
    pub result: V,
    /// The lanes in which the result is not to be used, a mask.
    pub undecided: V,
}

/// The relative error that bodies stay below, but that of `pow`, and those that end in [`Builder::round_scaled`].
pub(super) const EPSILON: f64 = 1.0 / (1_u64 << 42) as f64;

/// A unit in the last place of binary32, in those of binary64.
const DROPPED: u64 = 1 << 29;

/// 1.5·2^52: added to a number below 2^51, it rounds that to an integer, which then is the
/// difference of the bits.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Makes a body, value by value. Equal constants are one.
pub(super) struct Builder {
    steps: Vec<(Kind, Step)>,
    constants: FxHashMap<(Kind, u64), V>,
    end: Option<(V, V)>,
    /// Whether it is for registers of 512 bits ([`wide_body`](super::wide_body)).
    pub(super) is_wide: bool,
}

impl Builder {
    pub(super) fn new(arity: usize, is_wide: bool) -> Self {
        let steps = (0..arity).map(|i| (Kind::F32, Step::Operand(i))).collect();
        Self { steps, constants: FxHashMap::default(), end: None, is_wide }
    }

    pub(super) fn finish(self) -> Body {
        let (result, undecided) = self.end.expect("each body ends in a rounding test");
        Body { steps: self.steps, result, undecided }
    }

    pub(super) fn push(&mut self, kind: Kind, step: Step) -> V {
        self.steps.push((kind, step));
        V(self.steps.len() as u32 - 1)
    }

    pub(super) fn bits(&mut self, kind: Kind, bits: u64) -> V {
        if let Some(&known) = self.constants.get(&(kind, bits)) {
            return known;
        }
        let value = self.push(kind, Step::Constant(bits));
        self.constants.insert((kind, bits), value);
        value
    }

    pub(super) fn op(&mut self, op: Op, operands: &[V]) -> V {
        let kinds: Vec<Kind> = operands.iter().map(|v| self.steps[v.0 as usize].0).collect();
        let kind = op.result(&kinds);
        self.push(kind, Step::Op(op, operands.to_vec()))
    }

    /// A number of binary32 in binary64, exactly.
    pub(super) fn promote(&mut self, a: V) -> V {
        self.op(Op::Promote, &[a])
    }

    /// A constant of binary32.
    pub(super) fn single(&mut self, value: f32) -> V {
        self.bits(Kind::F32, value.to_bits().into())
    }

    /// A constant of binary64.
    pub(super) fn c(&mut self, value: f64) -> V {
        self.bits(Kind::F64, value.to_bits())
    }

    /// A constant of 64 bits.
    pub(super) fn i(&mut self, value: u64) -> V {
        self.bits(Kind::I64, value)
    }

    pub(super) fn add(&mut self, a: V, b: V) -> V {
        self.op(Op::Add, &[a, b])
    }

    pub(super) fn sub(&mut self, a: V, b: V) -> V {
        self.op(Op::Sub, &[a, b])
    }

    pub(super) fn mul(&mut self, a: V, b: V) -> V {
        self.op(Op::Mul, &[a, b])
    }

    pub(super) fn div(&mut self, a: V, b: V) -> V {
        self.op(Op::Div, &[a, b])
    }

    /// a·b + c.
    pub(super) fn mul_add(&mut self, a: V, b: V, c: V) -> V {
        self.push(Kind::F64, Step::MulAdd([a, b, c]))
    }

    /// A part of a number, in wide bodies.
    pub(super) fn part(&mut self, part: Part, a: V) -> V {
        self.op(Op::Part(part), &[a])
    }

    pub(super) fn sqrt(&mut self, a: V) -> V {
        self.op(Op::Sqrt, &[a])
    }

    pub(super) fn abs(&mut self, a: V) -> V {
        self.op(Op::Abs, &[a])
    }

    /// `b` where `b < a`, else `a`: NaN stays NaN.
    pub(super) fn min(&mut self, a: V, b: V) -> V {
        self.op(Op::Min, &[a, b])
    }

    pub(super) fn max(&mut self, a: V, b: V) -> V {
        self.op(Op::Max, &[a, b])
    }

    pub(super) fn less(&mut self, a: V, b: V) -> V {
        self.op(Op::Less, &[a, b])
    }

    pub(super) fn equal(&mut self, a: V, b: V) -> V {
        self.op(Op::Equal, &[a, b])
    }

    pub(super) fn and(&mut self, a: V, b: V) -> V {
        self.op(Op::And, &[a, b])
    }

    pub(super) fn or(&mut self, a: V, b: V) -> V {
        self.op(Op::Or, &[a, b])
    }

    pub(super) fn select(&mut self, c: V, a: V, b: V) -> V {
        self.op(Op::Select, &[c, a, b])
    }

    /// The bits of a number.
    pub(super) fn bits_of(&mut self, a: V) -> V {
        self.op(Op::Bits, &[a])
    }

    /// The number of these bits.
    pub(super) fn number_of(&mut self, a: V) -> V {
        self.op(Op::Bits, &[a])
    }

    pub(super) fn shift_left(&mut self, a: V, n: u8) -> V {
        self.op(Op::ShiftLeft(n), &[a])
    }

    pub(super) fn shift_right(&mut self, a: V, n: u8) -> V {
        self.op(Op::ShiftRight(n), &[a])
    }

    /// c₀ + x(c₁ + x(c₂ + …)), by Horner's rule.
    pub(super) fn polynomial(&mut self, x: V, coefficients: &[f64]) -> V {
        let mut rest = coefficients.iter().rev();
        let mut sum = self.c(*rest.next().expect("a polynomial has coefficients"));
        for &coefficient in rest {
            let c = self.c(coefficient);
            sum = self.mul_add(sum, x, c);
        }
        sum
    }

    /// A number, no less and no more than that, in binary32; NaN stays NaN.
    pub(super) fn clamp(&mut self, a: V, low: f32, high: f32) -> V {
        let (low, high) = (self.single(low), self.single(high));
        let a = self.max(a, low);
        self.min(a, high)
    }

    /// A number with its sign flipped where the last bit of an integer of its size is set; its own sign bit is that many above
    /// the last.
    pub(super) fn turned(&mut self, x: V, k: V, sign: u8) -> V {
        // Adding the highest bit flips it.
        let (bits, sign) = (self.bits_of(x), self.shift_left(k, sign));
        let bits = self.add(bits, sign);
        self.number_of(bits)
    }

    /// The magnitude of a number of binary32 and its sign bit, all other bits zero.
    pub(super) fn parts(&mut self, a: V) -> (V, V) {
        let bits = self.bits_of(a);
        let sign = self.bits(Kind::I32, 1 << 31);
        let sign = self.and(bits, sign);
        (self.abs(a), sign)
    }

    /// k = `x` rounded to an integer, for |x| < 2^51, and an integer with the last bits of k.
    pub(super) fn nearest(&mut self, x: V) -> (V, V) {
        let magic = self.c(MAGIC);
        let rounded = self.add(x, magic);
        (self.sub(rounded, magic), self.bits_of(rounded))
    }

    /// k = `x`·`factor` rounded to an integer, for |k| < 2^50, and an integer with the last bits of
    /// k. Where the product is in the middle of two, as near as can be said, k is either.
    pub(super) fn nearest_product(&mut self, x: V, factor: f64) -> (V, V) {
        let (factor, magic) = (self.c(factor), self.c(MAGIC));
        let rounded = self.mul_add(x, factor, magic);
        (self.sub(rounded, magic), self.bits_of(rounded))
    }

    /// Ends the body: `r` lies within a relative error of [`EPSILON`] of the true value, or is it.
    ///
    /// Of 53 digits the last 29 are those that rounding to 24 drops, a midpoint's are 1000…, and
    /// the error is below 2^11 of the last one. Where the true value is subnormal, `r` must round
    /// to the same all the same: it does if that is an operand of the function, as of all that are
    /// x + O(x²).
    pub(super) fn round(&mut self, r: V) {
        const OFF: u64 = 1 << (53 - 42);
        let result = self.op(Op::Demote, &[r]);
        let bits = self.bits_of(r);
        // The dropped digits are among the last 32, of which twice as many fit into a register.
        let bits = self.op(Op::Narrow, &[bits]);
        let single = |b: &mut Self, word| b.bits(Kind::I32, word);
        let (above, rest) = (single(self, DROPPED / 2 + OFF), single(self, DROPPED - 2 * OFF));
        let zero = single(self, 0);
        let from_midpoint = self.add(bits, above);
        let distance = self.and(from_midpoint, rest);
        let undecided = self.equal(distance, zero);
        self.end = Some((result, undecided));
    }

    /// |x| 2^-896 in binary64, of the bits of a number of binary32 without its sign, in wide bodies: the same digits and as
    /// many zeros, with three more bits in the exponent, whose bias is 896 larger. Subnormal numbers are so here, too.
    pub(super) fn scaled_down(&mut self, magnitude: V) -> V {
        let (upper, lower) = (self.shift_right(magnitude, 3), self.shift_left(magnitude, 29));
        let bits = self.op(Op::Concat, &[upper, lower]);
        self.number_of(bits)
    }

    /// Ends a wide body: `r` 2^896 lies within a relative error of 2^-41 of the true value, or is it, but for its sign, which is
    /// that of `r` flipped for each of these words whose highest bit is set.
    ///
    /// Half a place of binary32 is added to the bits, and what is below is dropped, as are three bits of the exponent. What is
    /// added beyond that half is for the test, as in [`Builder::round`]; it changes no result but those that are near a midpoint.
    /// Where the true value is subnormal, `r` is so, too, with the same last place.
    pub(super) fn round_scaled(&mut self, r: V, signs: [V; 2]) {
        const OFF: u64 = 1 << (53 - 41);
        /// The exclusive or of three.
        const PARITY: u8 = 0b1001_0110;
        /// The first where the third is set, else the second.
        const CHOICE: u8 = 0b1110_0100;
        let bits = self.bits_of(r);
        let above = self.i(DROPPED / 2 + OFF);
        let from_midpoint = self.add(bits, above);
        let upper = self.op(Op::Upper, &[from_midpoint]);
        let lower = self.op(Op::Narrow, &[from_midpoint]);
        let magnitude = self.op(Op::Funnel(3), &[upper, lower]);
        let sign = self.op(Op::Logic(PARITY), &[upper, signs[0], signs[1]]);
        let highest = self.bits(Kind::I32, 1 << 31);
        let result = self.op(Op::Logic(CHOICE), &[sign, magnitude, highest]);
        let result = self.number_of(result);
        let rest = self.bits(Kind::I32, DROPPED - 2 * OFF);
        let zero = self.bits(Kind::I32, 0);
        let distance = self.and(lower, rest);
        let undecided = self.equal(distance, zero);
        self.end = Some((result, undecided));
    }

    /// Ends the body: `r` lies within that relative error of the true value, subnormal or not, or
    /// is it.
    pub(super) fn round_within(&mut self, r: V, epsilon: f64) {
        let (below, above) = (self.c(1.0 - epsilon), self.c(1.0 + epsilon));
        let [low, high] = [below, above].map(|c| {
            let bound = self.mul(r, c);
            self.op(Op::Demote, &[bound])
        });
        // Bits, so that a NaN is like itself.
        let [a, b] = [low, high].map(|v| self.bits_of(v));
        let undecided = self.op(Op::NotEqual, &[a, b]);
        self.end = Some((low, undecided));
    }

    /// After the rounding test: the result, in binary32. An undecided lane is the reference's,
    /// whatever happens to the result.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self, V) -> V) {
        let (result, undecided) = self.end.expect("a rounding test comes before");
        let result = change(self, result);
        self.end = Some((result, undecided));
    }

    /// After the rounding test: flips the sign of the result where the last bit of an integer is
    /// set.
    pub(super) fn flipped(&mut self, k: V) {
        self.change(|b, result| b.turned(result, k, 31));
    }

    /// After the rounding test: puts a sign bit to the result, which is not negative.
    pub(super) fn signed(&mut self, sign: V) {
        self.change(|b, result| {
            let bits = b.bits_of(result);
            let bits = b.or(bits, sign);
            b.number_of(bits)
        });
    }

    /// After the rounding test: these lanes are undecided too.
    pub(super) fn refuse(&mut self, mask: V) {
        let (result, undecided) = self.end.expect("a rounding test comes before");
        let undecided = self.or(undecided, mask);
        self.end = Some((result, undecided));
    }
}
