//! Division of integers, truncating, for all operands.
//!
//! # General divisors
//!
//! Computed in binary64, which represents all operands a and b exactly. Truncating the rounded quotient
//! gives the truncated a/b. If a/b is an integer, the quotient is exact. Otherwise a/b is at least 1/|b|
//! away from every integer. The rounding error is at most 2^-53·|a/b| ≤ 2^-53·2^32/|b|, which is less. So
//! rounding neither reaches nor passes an integer. Where the language defines the quotient as `a`, the
//! divisor is replaced by 1, and the remainder is then 0, as defined.
//!
//! # Constant divisors
//!
//! Computed by the upper half of a product with 2^p/d rounded up (T. Granlund, P. L. Montgomery,
//! "Division by Invariant Integers using Multiplication", 1994).
//!
//! *Unsigned.* Let m·d = 2^p + e with 0 < e ≤ 2^(p−32). Then n·m/2^p = n/d + n·e/(d·2^p). The last term
//! is less than 1/d for n < 2^32, so both sides have the same floor. With p = 32 + s and 2^s ≥ d such an
//! m always exists, below 2^33; with a smaller s it may exist. If m = 2^32 + m', the upper half of its
//! product is n + t, where t is that of m'. (n + t)/2^s is computed as (t + (n − t)/2)/2^(s−1), which
//! does not overflow.
//!
//! *Signed.* With 0 < e ≤ 2^(p−31) the same holds for n < 2^31, with an m below 2^32. For negative n,
//! n·m/2^p is less than n/d by less than 1/d, so its floor is the truncated quotient minus one.
//!
//! # Divisors that are uniform over the frame
//!
//! The same algorithm, for all divisors, with a multiplier and shift counts that are computed once for
//! the frame (figures 4.1 and 5.1 of that article). Let d be the absolute value of the divisor, or 1 if
//! it is 0. Let l = ⌈log2 d⌉, so that 2^(l−1) < d ≤ 2^l. (l is the number of bits of d − 1; the exponent
//! of d − ½ gives it.)
//!
//! *Unsigned.* With m = ⌊2^32·(2^l − d)/d⌋ + 1 and t the upper half of n·m, the quotient is
//! (t + (n − t)/2^min(l,1))/2^max(l−1,0), which does not overflow.
//!
//! *Signed.* With m = ⌊2^32·2^(l−1)/d⌋ + 1, which is below 2^32 for d ≥ 2, the floor of n·m/2^(32+l−1) is
//! the truncated quotient, minus one if n is negative. For d = 1, m would be 2^32 + 1; instead m is 1 and
//! n is added to the product's upper half. (A remainder by 1 is masked instead.)
//!
//! *The multiplier.* ⌊2^32·r/d⌋ for r < d is computed as two digits of 16 bits, in binary64.
//! 2^16·r < 2^48 is exact, and its quotient by d is below 2^16. So the rounding error is at most 2^-37
//! and does not reach the next integer, which is at least 1/d > 2^-33 away. The rest, 2^16·r minus the
//! digit times d, is exact too.

use super::state::{Invariant, Lowering};
use crate::lanes::{Kind, LaneOp, Rate, ValueId};
use crate::mutants::{Mutant, is_active};

/// 2^52 and 3·2^51: the low bits of a binary64 number of this magnitude are an integer.
const TWO_52: f64 = (1_u64 << 52) as f64;
const MAGIC: f64 = 1.5 * TWO_52;

/// m and s as in the module's head, with the smallest s that has such an m, for a divisor of at least 2.
fn multiplier(divisor: u32, is_signed: bool) -> (u64, u8) {
    let d = u128::from(divisor);
    let found = (0..=32).find_map(|s: u8| {
        let power = 1_u128 << (32 + s);
        let m = power / d + 1;
        let most = 1_u128 << if is_signed { s + 1 } else { s };
        (m * d - power <= most).then_some((m as u64, s))
    });
    found.expect("2^s is at least the divisor at last")
}

impl Lowering<'_> {
    pub(super) fn quotient(&mut self, is_signed: bool, a: ValueId, b: ValueId) -> ValueId {
        match self.constants.get(&b) {
            Some(&bits) => self.quotient_by(is_signed, a, bits as u32),
            None => match self.invariant(is_signed, a, b) {
                Some(by) if is_signed => self.signed_quotient_by_invariant(a, by),
                Some(by) => self.quotient_by_invariant(a, by),
                None => self.quotient_of_any(is_signed, a, b).0,
            },
        }
    }

    pub(super) fn remainder(&mut self, is_signed: bool, a: ValueId, b: ValueId) -> ValueId {
        if let Some(by) = self.invariant(is_signed, a, b) {
            if !is_signed {
                let quotient = self.quotient_by_invariant(a, by);
                let product = self.op(LaneOp::Mul, &[quotient, by.divisor]);
                return self.op(LaneOp::Sub, &[a, product]);
            }
            let product = self.op(LaneOp::MulHigh, &[a, by.factor]);
            let quotient = self.signed_quotient_of_product(product, a, by);
            let product = self.op(LaneOp::Mul, &[quotient, by.divisor]);
            let rest = self.op(LaneOp::Sub, &[a, product]);
            return self.op(LaneOp::And, &[rest, by.keep]);
        }
        let (quotient, divisor) = match self.constants.get(&b) {
            // The quotient is the dividend, so the remainder is 0.
            Some(0) => return self.integer(0),
            Some(&bits) if !is_signed && (bits as u32).is_power_of_two() => {
                let below = self.integer(bits as u32 - 1);
                return self.op(LaneOp::And, &[a, below]);
            }
            // A power of two and its opposite have as many zeros at the end.
            Some(&bits) if is_signed && (bits as i32).unsigned_abs().is_power_of_two() => {
                return self.signed_remainder_by_power(a, bits.trailing_zeros() as u8);
            }
            Some(&bits) => (self.quotient_by(is_signed, a, bits as u32), b),
            None => self.quotient_of_any(is_signed, a, b),
        };
        let product = self.op(LaneOp::Mul, &[quotient, divisor]);
        self.op(LaneOp::Sub, &[a, product])
    }

    /// The signed remainder by 2^`log`: the last bits, of a negative dividend those that are left after its
    /// quotient is rounded up.
    fn signed_remainder_by_power(&mut self, a: ValueId, log: u8) -> ValueId {
        if log == 0 {
            return self.integer(0);
        }
        let below = self.integer((1 << log) - 1);
        let [more, sum] = self.raised_if_negative(a, log);
        let rest = self.op(LaneOp::And, &[sum, below]);
        self.op(LaneOp::Sub, &[rest, more])
    }

    /// 2^`log` − 1 for a negative dividend, else 0, and the sum of it and the dividend, whose quotient by
    /// 2^`log`, rounded down, is the truncated one. `log` is at least 1.
    fn raised_if_negative(&mut self, a: ValueId, log: u8) -> [ValueId; 2] {
        let sign = self.op(LaneOp::ShiftRightSigned(31), &[a]);
        let more = self.op(LaneOp::ShiftRight(32 - log), &[sign]);
        [more, self.op(LaneOp::Add, &[a, more])]
    }

    /// The precomputed values of a division by `b`. `None` if `b` is a constant or not uniform over the
    /// frame, if the dividend is uniform over the frame too, or if `b` cannot be computed at the root.
    fn invariant(&mut self, is_signed: bool, a: ValueId, b: ValueId) -> Option<Invariant> {
        let is_invariant = self.out.rate(b) == Rate::FRAME && self.out.rate(a) != Rate::FRAME;
        if !is_invariant || self.constants.contains_key(&b) {
            return None;
        }
        if let Some(&known) = self.divisors.get(&(is_signed, b)) {
            return Some(known);
        }
        let at_root = self.at_root(b)?;
        let made = self.in_root(|lowering| lowering.prepared(is_signed, at_root));
        self.divisors.insert((is_signed, b), made);
        Some(made)
    }

    /// Emits the precomputation for a divisor.
    fn prepared(&mut self, is_signed: bool, b: ValueId) -> Invariant {
        let [zero, one] = [0, 1].map(|bits| self.integer(bits));
        let (mut divisor, mut sign) = (b, zero);
        if is_signed {
            sign = self.op(LaneOp::ShiftRightSigned(31), &[b]);
            divisor = self.with_sign(b, sign);
        }
        let divisor = self.op(LaneOp::MaxUnsigned, &[divisor, one]);
        let d = self.double(false, divisor);
        let f64 = |lowering: &mut Self, x: f64| lowering.constant(Kind::F64, x.to_bits());
        let half = f64(self, 0.5);
        let below = self.op(LaneOp::Sub, &[d, half]);
        let bits = self.op(LaneOp::Bits, &[below]);
        let exponent = self.op(LaneOp::ShiftRight(52), &[bits]);
        let exponent = self.op(LaneOp::Narrow, &[exponent]);
        let bias = self.integer(1022);
        let log = self.op(LaneOp::Sub, &[exponent, bias]);
        let mask = self.constant(Kind::I64, 0x7ff << 52);
        let power = self.op(LaneOp::And, &[bits, mask]);
        // 2^(l − 1).
        let mut rest = self.op(LaneOp::Bits, &[power]);
        if !is_signed {
            let power = self.op(LaneOp::Add, &[rest, rest]);
            rest = self.op(LaneOp::Sub, &[power, d]);
        }
        let step = f64(self, 65536.0);
        let mut digits = [rest; 2];
        for digit in &mut digits {
            let scaled = self.op(LaneOp::Mul, &[rest, step]);
            let quotient = self.op(LaneOp::Div, &[scaled, d]);
            *digit = self.op(LaneOp::Trunc, &[quotient]);
            let product = self.op(LaneOp::Mul, &[*digit, d]);
            rest = self.op(LaneOp::Sub, &[scaled, product]);
        }
        let upper = self.op(LaneOp::Mul, &[digits[0], step]);
        let whole = self.op(LaneOp::Add, &[upper, digits[1]]);
        let shifted = f64(self, TWO_52);
        let shifted = self.op(LaneOp::Add, &[whole, shifted]);
        let bits = self.op(LaneOp::Bits, &[shifted]);
        let whole = self.op(LaneOp::Narrow, &[bits]);
        let mut factor = whole;
        if !is_active(Mutant::ShortFactor) {
            factor = self.op(LaneOp::Add, &[whole, one]);
        }
        let before = self.op(LaneOp::MinUnsigned, &[log, one]);
        let keep = self.negated(before);
        if is_signed {
            // The factor is 1 for the divisor 1.
            let is_one = self.op(LaneOp::Sub, &[one, before]);
            let kept = self.op(LaneOp::And, &[factor, keep]);
            factor = self.op(LaneOp::Add, &[kept, is_one]);
        }
        let shift = self.op(LaneOp::Sub, &[log, one]);
        let shift = self.op(LaneOp::Max, &[shift, zero]);
        Invariant { divisor, sign, factor, before, shift, keep }
    }

    /// The value, negated where `sign` is all ones.
    fn with_sign(&mut self, value: ValueId, sign: ValueId) -> ValueId {
        let flipped = self.op(LaneOp::Xor, &[value, sign]);
        self.op(LaneOp::Sub, &[flipped, sign])
    }

    fn quotient_by_invariant(&mut self, a: ValueId, by: Invariant) -> ValueId {
        let product = self.op(LaneOp::MulHigh, &[a, by.factor]);
        let rest = self.op(LaneOp::Sub, &[a, product]);
        let rest = self.op(LaneOp::ShiftRightBy, &[rest, by.before]);
        let sum = self.op(LaneOp::Add, &[rest, product]);
        self.op(LaneOp::ShiftRightBy, &[sum, by.shift])
    }

    fn signed_quotient_by_invariant(&mut self, a: ValueId, by: Invariant) -> ValueId {
        let product = self.op(LaneOp::MulHigh, &[a, by.factor]);
        let more = self.op(LaneOp::AndNot, &[a, by.keep]);
        let product = self.op(LaneOp::Add, &[product, more]);
        let quotient = self.signed_quotient_of_product(product, a, by);
        self.with_sign(quotient, by.sign)
    }

    /// The quotient by the divisor's absolute value, from the upper half of a product.
    fn signed_quotient_of_product(
        &mut self,
        product: ValueId,
        a: ValueId,
        by: Invariant,
    ) -> ValueId {
        let product = self.less_where_negative(product, a, by.factor);
        let below = self.op(LaneOp::ShiftRightSignedBy, &[product, by.shift]);
        let sign = self.op(LaneOp::ShiftRightSigned(31), &[a]);
        self.op(LaneOp::Sub, &[below, sign])
    }

    /// The quotient, and the divisor used.
    fn quotient_of_any(&mut self, is_signed: bool, a: ValueId, b: ValueId) -> (ValueId, ValueId) {
        let (zero, one) = (self.integer(0), self.integer(1));
        let mut is_left = self.op(LaneOp::Equal, &[b, zero]);
        if is_signed {
            let (least, minus) = (self.integer(1 << 31), self.integer(u32::MAX));
            let is_least = self.op(LaneOp::Equal, &[a, least]);
            let is_minus = self.op(LaneOp::Equal, &[b, minus]);
            let overflows = self.op(LaneOp::And, &[is_least, is_minus]);
            is_left = self.op(LaneOp::Or, &[is_left, overflows]);
        }
        let divisor = self.op(LaneOp::Select, &[is_left, one, b]);
        let [dividend, by] = [a, divisor].map(|v| self.double(is_signed, v));
        let quotient = self.op(LaneOp::Div, &[dividend, by]);
        let quotient = self.op(LaneOp::Trunc, &[quotient]);
        let magic = self.constant(Kind::F64, MAGIC.to_bits());
        let shifted = self.op(LaneOp::Add, &[quotient, magic]);
        let bits = self.op(LaneOp::Bits, &[shifted]);
        (self.op(LaneOp::Narrow, &[bits]), divisor)
    }

    /// An integer as binary64. The low bits of 2^52 + n are n. For signed integers n is the distance to the
    /// smallest integer.
    fn double(&mut self, is_signed: bool, value: ValueId) -> ValueId {
        let (value, less) = if is_signed {
            let least = self.integer(1 << 31);
            (self.op(LaneOp::Xor, &[value, least]), TWO_52 + f64::from(1_u32 << 31))
        } else {
            (value, TWO_52)
        };
        let wide = self.op(LaneOp::Widen, &[value]);
        let [above, less] = [(Kind::I64, TWO_52.to_bits()), (Kind::F64, less.to_bits())]
            .map(|(kind, bits)| self.constant(kind, bits));
        let bits = self.op(LaneOp::Or, &[wide, above]);
        let shifted = self.op(LaneOp::Bits, &[bits]);
        self.op(LaneOp::Sub, &[shifted, less])
    }

    fn quotient_by(&mut self, is_signed: bool, a: ValueId, divisor: u32) -> ValueId {
        if is_signed {
            let magnitude = (divisor as i32).unsigned_abs();
            let quotient = self.signed_quotient_by(a, magnitude);
            return if (divisor as i32) < 0 { self.negated(quotient) } else { quotient };
        }
        if divisor <= 1 {
            return a;
        }
        if divisor.is_power_of_two() {
            return self.op(LaneOp::ShiftRight(divisor.trailing_zeros() as u8), &[a]);
        }
        let (m, s) = multiplier(divisor, false);
        let factor = self.integer(m as u32);
        let product = self.op(LaneOp::MulHigh, &[a, factor]);
        if m >> 32 == 0 {
            return self.op(LaneOp::ShiftRight(s), &[product]);
        }
        if is_active(Mutant::LostCarry) {
            let sum = self.op(LaneOp::Add, &[a, product]);
            return self.op(LaneOp::ShiftRight(s.min(31)), &[sum]);
        }
        let rest = self.op(LaneOp::Sub, &[a, product]);
        let half = self.op(LaneOp::ShiftRight(1), &[rest]);
        let sum = self.op(LaneOp::Add, &[half, product]);
        self.op(LaneOp::ShiftRight(s - 1), &[sum])
    }

    /// The divisor is the absolute value, which is 2^31 for the smallest integer.
    fn signed_quotient_by(&mut self, a: ValueId, divisor: u32) -> ValueId {
        if divisor <= 1 {
            return a;
        }
        if divisor.is_power_of_two() {
            let shift = divisor.trailing_zeros() as u8;
            let [_, sum] = self.raised_if_negative(a, shift);
            return self.op(LaneOp::ShiftRightSigned(shift), &[sum]);
        }
        let (m, s) = multiplier(divisor, true);
        let factor = self.integer(m as u32);
        let product = self.op(LaneOp::MulHigh, &[a, factor]);
        let product = self.less_where_negative(product, a, factor);
        let below = self.op(LaneOp::ShiftRightSigned(s), &[product]);
        let sign = self.op(LaneOp::ShiftRightSigned(31), &[a]);
        self.op(LaneOp::Sub, &[below, sign])
    }
}
