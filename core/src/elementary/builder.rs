//! Bodies as data, and a builder of bodies.

use rustc_hash::FxHashMap;

use super::operation::{BodyKind, BodyOp, Part};

/// A value of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct V(pub u32);

/// The computation of a value of a [`Body`].
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An operand of the function, by index.
    Operand(usize),
    /// A constant, by its bits.
    Constant(u64),
    /// An operation.
    Op(BodyOp, Vec<V>),
    /// Three `F64`s: the product of the first two plus the third, rounded once or twice, whichever is faster.
    MulAdd([V; 3]),
}

/// A function as straight-line code.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The values in order, each with its kind.
    pub steps: Vec<(BodyKind, Step)>,
    /// The result, an `F32`.
    pub result: V,
    /// A mask: lanes whose result must not be used.
    pub undecided: V,
    /// A mask, part of `undecided`: the lanes that [`far_body`](super::far_body) computes, if it exists.
    pub beyond: Option<V>,
}

/// The relative error of bodies is below this, except for `pow` and for those that end in
/// [`Builder::round_scaled`].
pub(super) const EPSILON: f64 = 1.0 / (1_u64 << 42) as f64;

/// One binary32 ULP, in binary64 ULPs.
const DROPPED: u64 = 1 << 29;

/// 1.5·2^52. Added to a number below 2^51, it rounds that number to an integer, which is the difference of
/// the bits of sum and constant.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Builds a body, value by value. Equal constants are one value.
pub(super) struct Builder {
    steps: Vec<(BodyKind, Step)>,
    constants: FxHashMap<(BodyKind, u64), V>,
    end: Option<(V, V)>,
    beyond: Option<V>,
    /// The body is for registers of 512 bits ([`wide_body`](super::wide_body)).
    pub(super) is_wide: bool,
}

impl Builder {
    pub(super) fn new(arity: usize, is_wide: bool) -> Self {
        let steps = (0..arity).map(|i| (BodyKind::F32, Step::Operand(i))).collect();
        Self { steps, constants: FxHashMap::default(), end: None, beyond: None, is_wide }
    }

    pub(super) fn finish(self) -> Body {
        let (result, undecided) = self.end.expect("each body ends in a rounding test");
        Body { steps: self.steps, result, undecided, beyond: self.beyond }
    }

    pub(super) fn push(&mut self, kind: BodyKind, step: Step) -> V {
        self.steps.push((kind, step));
        V(self.steps.len() as u32 - 1)
    }

    pub(super) fn bits(&mut self, kind: BodyKind, bits: u64) -> V {
        if let Some(&known) = self.constants.get(&(kind, bits)) {
            return known;
        }
        let value = self.push(kind, Step::Constant(bits));
        self.constants.insert((kind, bits), value);
        value
    }

    pub(super) fn op(&mut self, op: BodyOp, operands: &[V]) -> V {
        let kinds: Vec<BodyKind> = operands.iter().map(|v| self.steps[v.0 as usize].0).collect();
        let kind = op.result(&kinds);
        self.push(kind, Step::Op(op, operands.to_vec()))
    }

    /// A binary32 number in binary64, exactly.
    pub(super) fn promote(&mut self, a: V) -> V {
        self.op(BodyOp::Promote, &[a])
    }

    /// A binary32 constant.
    pub(super) fn single(&mut self, value: f32) -> V {
        self.bits(BodyKind::F32, value.to_bits().into())
    }

    /// A binary64 constant.
    pub(super) fn c(&mut self, value: f64) -> V {
        self.bits(BodyKind::F64, value.to_bits())
    }

    /// A constant of 64 bits.
    pub(super) fn i(&mut self, value: u64) -> V {
        self.bits(BodyKind::I64, value)
    }

    pub(super) fn add(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Add, &[a, b])
    }

    pub(super) fn sub(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Sub, &[a, b])
    }

    pub(super) fn mul(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Mul, &[a, b])
    }

    pub(super) fn div(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Div, &[a, b])
    }

    /// a·b + c.
    pub(super) fn mul_add(&mut self, a: V, b: V, c: V) -> V {
        self.push(BodyKind::F64, Step::MulAdd([a, b, c]))
    }

    /// A part of a number; only in wide bodies.
    pub(super) fn part(&mut self, part: Part, a: V) -> V {
        self.op(BodyOp::Part(part), &[a])
    }

    pub(super) fn sqrt(&mut self, a: V) -> V {
        self.op(BodyOp::Sqrt, &[a])
    }

    pub(super) fn abs(&mut self, a: V) -> V {
        self.op(BodyOp::Abs, &[a])
    }

    /// `b` where `b < a`, else `a`: NaN stays NaN.
    pub(super) fn min(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Min, &[a, b])
    }

    pub(super) fn max(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Max, &[a, b])
    }

    pub(super) fn less(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Less, &[a, b])
    }

    pub(super) fn equal(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Equal, &[a, b])
    }

    pub(super) fn and(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::And, &[a, b])
    }

    pub(super) fn or(&mut self, a: V, b: V) -> V {
        self.op(BodyOp::Or, &[a, b])
    }

    pub(super) fn select(&mut self, c: V, a: V, b: V) -> V {
        self.op(BodyOp::Select, &[c, a, b])
    }

    /// The bits of a number.
    pub(super) fn bits_of(&mut self, a: V) -> V {
        self.op(BodyOp::Bits, &[a])
    }

    /// The number with these bits.
    pub(super) fn number_of(&mut self, a: V) -> V {
        self.op(BodyOp::Bits, &[a])
    }

    pub(super) fn shift_left(&mut self, a: V, n: u8) -> V {
        self.op(BodyOp::ShiftLeft(n), &[a])
    }

    pub(super) fn shift_right(&mut self, a: V, n: u8) -> V {
        self.op(BodyOp::ShiftRight(n), &[a])
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

    /// A binary32 number clamped to bounds; NaN stays NaN.
    pub(super) fn clamp(&mut self, a: V, low: f32, high: f32) -> V {
        let (low, high) = (self.single(low), self.single(high));
        let a = self.max(a, low);
        self.min(a, high)
    }

    /// Flips the sign of `x` if the integer `k`, of the same size, is odd. `sign` is the index of the sign
    /// bit.
    pub(super) fn negated_if_odd(&mut self, x: V, k: V, sign: u8) -> V {
        // Adding the highest bit flips it.
        let (bits, sign) = (self.bits_of(x), self.shift_left(k, sign));
        let bits = self.add(bits, sign);
        self.number_of(bits)
    }

    /// The magnitude of a number of binary32 and its sign bit, all other bits zero.
    pub(super) fn parts(&mut self, a: V) -> (V, V) {
        let bits = self.bits_of(a);
        let sign = self.bits(BodyKind::I32, 1 << 31);
        let sign = self.and(bits, sign);
        (self.abs(a), sign)
    }

    /// k = `x` rounded to an integer, for |x| < 2^51, and an integer with the last bits of k.
    pub(super) fn nearest(&mut self, x: V) -> (V, V) {
        let magic = self.c(MAGIC);
        let rounded = self.add(x, magic);
        (self.sub(rounded, magic), self.bits_of(rounded))
    }

    /// k = `x`·`factor` rounded to an integer, for |k| < 2^50, and an integer with the last bits of k. If the
    /// product is about halfway between two integers, k is either.
    pub(super) fn nearest_product(&mut self, x: V, factor: f64) -> (V, V) {
        let (factor, magic) = (self.c(factor), self.c(MAGIC));
        let rounded = self.mul_add(x, factor, magic);
        (self.sub(rounded, magic), self.bits_of(rounded))
    }

    /// Ends the body: `r` equals the true value, or is within a relative error of [`EPSILON`].
    ///
    /// Rounding 53 digits to 24 drops the last 29. A midpoint's are 1000…, and the error is below 2^11 units
    /// of the last one. If the true value is subnormal, `r` must still round to the same number; it does if
    /// that number is an operand of the function, as for all functions x + O(x²).
    pub(super) fn round(&mut self, r: V) {
        const OFF: u64 = 1 << (53 - 42);
        let result = self.op(BodyOp::Demote, &[r]);
        let bits = self.bits_of(r);
        // The dropped digits are among the last 32; a register holds twice as many 32-bit words.
        let bits = self.op(BodyOp::Narrow, &[bits]);
        let single = |b: &mut Self, word| b.bits(BodyKind::I32, word);
        let (above, rest) = (single(self, DROPPED / 2 + OFF), single(self, DROPPED - 2 * OFF));
        let zero = single(self, 0);
        let from_midpoint = self.add(bits, above);
        let distance = self.and(from_midpoint, rest);
        let undecided = self.equal(distance, zero);
        self.end = Some((result, undecided));
    }

    /// |x| 2^-896 in binary64, from the bits of a binary32 number without its sign; only in wide bodies.
    /// Digits and exponent are copied, and zeros appended; the exponent field has three more bits, and its
    /// bias is 896 larger. Subnormal numbers stay subnormal.
    pub(super) fn scaled_down(&mut self, magnitude: V) -> V {
        let (upper, lower) = (self.shift_right(magnitude, 3), self.shift_left(magnitude, 29));
        let bits = self.op(BodyOp::Concat, &[upper, lower]);
        self.number_of(bits)
    }

    /// Ends a wide body: `r` 2^896 equals the true value except for its sign, or is within a relative error
    /// of 2^-41. The result's sign is that of `r`, flipped for each word of `signs` whose highest bit is set.
    ///
    /// Adds half a binary32 ULP to the bits, then drops the lower bits and three bits of the exponent. The
    /// amount added beyond that half is for the test, as in [`Builder::round`]; it changes only results near
    /// a midpoint. If the true value is subnormal, so is `r`, with the same last place.
    pub(super) fn round_scaled(&mut self, r: V, signs: [V; 2]) {
        const OFF: u64 = 1 << (53 - 41);
        /// The exclusive or of three operands.
        const PARITY: u8 = 0b1001_0110;
        /// The first operand's bit where the third's is set, else the second's.
        const CHOICE: u8 = 0b1110_0100;
        let bits = self.bits_of(r);
        let above = self.i(DROPPED / 2 + OFF);
        let from_midpoint = self.add(bits, above);
        let upper = self.op(BodyOp::Upper, &[from_midpoint]);
        let lower = self.op(BodyOp::Narrow, &[from_midpoint]);
        let magnitude = self.op(BodyOp::Funnel(3), &[upper, lower]);
        let sign = self.op(BodyOp::Logic(PARITY), &[upper, signs[0], signs[1]]);
        let highest = self.bits(BodyKind::I32, 1 << 31);
        let result = self.op(BodyOp::Logic(CHOICE), &[sign, magnitude, highest]);
        let result = self.number_of(result);
        let rest = self.bits(BodyKind::I32, DROPPED - 2 * OFF);
        let zero = self.bits(BodyKind::I32, 0);
        let distance = self.and(lower, rest);
        let undecided = self.equal(distance, zero);
        self.end = Some((result, undecided));
    }

    /// Ends the body: `r` equals the true value, subnormal or not, or is within this relative error of it.
    pub(super) fn round_within(&mut self, r: V, epsilon: f64) {
        let (below, above) = (self.c(1.0 - epsilon), self.c(1.0 + epsilon));
        let [low, high] = [below, above].map(|c| {
            let bound = self.mul(r, c);
            self.op(BodyOp::Demote, &[bound])
        });
        // Compares bits, so that a NaN equals itself.
        let [a, b] = [low, high].map(|v| self.bits_of(v));
        let undecided = self.op(BodyOp::NotEqual, &[a, b]);
        self.end = Some((low, undecided));
    }

    /// After the rounding test: changes the binary32 result. An undecided lane takes the slow path, whatever
    /// this does to its result.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self, V) -> V) {
        let (result, undecided) = self.end.expect("a rounding test comes before");
        let result = change(self, result);
        self.end = Some((result, undecided));
    }

    /// After the rounding test: flips the sign of the result if the integer `k` is odd.
    pub(super) fn flipped(&mut self, k: V) {
        self.change(|b, result| b.negated_if_odd(result, k, 31));
    }

    /// After the rounding test: sets the sign of a result that is not negative.
    pub(super) fn signed(&mut self, sign: V) {
        self.change(|b, result| {
            let bits = b.bits_of(result);
            let bits = b.or(bits, sign);
            b.number_of(bits)
        });
    }

    /// After the rounding test: makes the lanes of a mask undecided, too.
    pub(super) fn refuse(&mut self, mask: V) {
        let (result, undecided) = self.end.expect("a rounding test comes before");
        let undecided = self.or(undecided, mask);
        self.end = Some((result, undecided));
    }

    /// After the rounding test: makes results below `least` in magnitude undecided, too.
    pub(super) fn refuse_small(&mut self, least: f32) {
        let (result, _) = self.end.expect("a rounding test comes before");
        let (size, least) = (self.abs(result), self.single(least));
        let is_small = self.less(size, least);
        self.refuse(is_small);
    }

    /// After the rounding test: leaves the lanes of a mask to [`far_body`](super::far_body).
    pub(super) fn leave(&mut self, mask: V) {
        self.refuse(mask);
        self.beyond = Some(mask);
    }

    /// For each lane, the word of a table at the last three bits of `index`.
    pub(super) fn table(&mut self, table: &'static [u32; 8], index: V) -> V {
        self.op(BodyOp::Table(table), &[index])
    }
}
