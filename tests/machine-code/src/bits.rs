//! Words and vectors whose bits may be undefined.

/// Up to 64 bits. A bit is known, or undefined: then code must not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// The bits.
    pub value: u64,
    /// One where the bit is undefined.
    pub undefined: u64,
}

/// The lowest `width` bits set.
pub(crate) fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The lowest `width` bits as a number in two's complement.
pub(crate) fn signed(value: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((value << unused) as i64) >> unused
}

impl Bits {
    /// All bits undefined.
    pub const UNDEFINED: Self = Self { value: 0, undefined: u64::MAX };

    /// All bits known.
    pub fn known(value: u64) -> Self {
        Self { value, undefined: 0 }
    }

    /// The content of a register that nothing has written. It differs for each `origin`, so that copies of it
    /// are recognised.
    pub(crate) fn left_over(origin: u64) -> Self {
        Self { value: 0x6c65_6674_6f76_6572_u64.wrapping_mul(2 * origin + 1), undefined: u64::MAX }
    }

    /// True if both are copies of one register's left-over content.
    pub(crate) fn is_copy(self, other: Self) -> bool {
        self == other && self.value & self.undefined != 0
    }

    /// The lowest bits; `None` if one of them is undefined.
    pub fn get(self, width: u32) -> Option<u64> {
        (self.undefined & ones(width) == 0).then_some(self.value & ones(width))
    }

    /// The lowest bits, zero-extended.
    pub(crate) fn low(self, width: u32) -> Self {
        Self { value: self.value & ones(width), undefined: self.undefined & ones(width) }
    }

    /// The lowest bits, sign-extended.
    pub(crate) fn extended(self, width: u32) -> Self {
        let extend = |bits| signed(bits, width) as u64;
        Self { value: extend(self.value), undefined: extend(self.undefined) }
    }

    /// Replaces `width` bits from `place` on.
    pub(crate) fn replaced(self, place: u32, width: u32, new: Self) -> Self {
        let put = |old: u64, new: u64| old & !(ones(width) << place) | (new & ones(width)) << place;
        Self { value: put(self.value, new.value), undefined: put(self.undefined, new.undefined) }
    }

    /// A whole word: undefined as soon as one operand is, else the value.
    pub(crate) fn whole(value: u64, width: u32, is_undefined: bool) -> Self {
        if is_undefined { Self::UNDEFINED.low(width) } else { Self::known(value & ones(width)) }
    }

    /// A sum or product: the bits below the first undefined bit of the operands are known.
    pub(crate) fn carried(value: u64, operands: &[Self]) -> Self {
        let undefined = operands.iter().fold(0, |all, operand| all | operand.undefined);
        let undefined = if undefined == 0 { 0 } else { u64::MAX << undefined.trailing_zeros() };
        Self { value, undefined }
    }

    /// True if the word is zero; `None` if that is not known.
    pub(crate) fn is_zero(self) -> Option<bool> {
        match (self.value & !self.undefined, self.undefined) {
            (0, 0) => Some(true),
            (0, _) => None,
            _ => Some(false),
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        let zeros = !self.value & !self.undefined | !other.value & !other.undefined;
        let undefined = (self.undefined | other.undefined) & !zeros;
        Self { value: self.value & other.value, undefined }
    }

    pub(crate) fn not(self) -> Self {
        Self { value: !self.value, ..self }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    pub(crate) fn xor(self, other: Self) -> Self {
        let undefined = self.undefined | other.undefined;
        Self { value: self.value ^ other.value, undefined }
    }

    pub(crate) fn shifted_left(self, by: u32) -> Self {
        let shift = |bits: u64| bits.checked_shl(by).unwrap_or(0);
        Self { value: shift(self.value), undefined: shift(self.undefined) }
    }

    pub(crate) fn shifted_right(self, by: u32) -> Self {
        let shift = |bits: u64| bits.checked_shr(by).unwrap_or(0);
        Self { value: shift(self.value), undefined: shift(self.undefined) }
    }

    /// The first operand if the condition is true, else the second. If the condition is not known, the bits
    /// on which both agree.
    pub(crate) fn select(condition: Option<bool>, then: Self, otherwise: Self) -> Self {
        match condition {
            Some(true) => then,
            Some(false) => otherwise,
            None => Self {
                value: then.value,
                undefined: then.undefined | otherwise.undefined | (then.value ^ otherwise.value),
            },
        }
    }

    /// A bit as a condition; `None` if it is undefined.
    pub(crate) fn bit(self, place: u32) -> Option<bool> {
        self.shifted_right(place).get(1).map(|bit| bit == 1)
    }
}

/// A vector register of 512 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vector {
    /// The bits, the lowest first.
    pub value: [u64; 8],
    /// One where the bit is undefined.
    pub undefined: [u64; 8],
}

impl Vector {
    /// All bits undefined.
    pub const UNDEFINED: Self = Self { value: [0; 8], undefined: [u64::MAX; 8] };

    /// A lane, for lanes of that width (8, 16, 32 or 64).
    pub fn lane(&self, width: u32, lane: usize) -> Bits {
        let bit = lane * width as usize;
        let (word, shift) = (bit / 64, bit as u32 % 64);
        let word = Bits { value: self.value[word], undefined: self.undefined[word] };
        word.shifted_right(shift).low(width)
    }

    /// Sets a lane.
    pub fn set_lane(&mut self, width: u32, lane: usize, bits: Bits) {
        let bit = lane * width as usize;
        let (word, shift) = (bit / 64, bit as u32 % 64);
        let old = Bits { value: self.value[word], undefined: self.undefined[word] };
        let new = old.replaced(shift, width, bits);
        (self.value[word], self.undefined[word]) = (new.value, new.undefined);
    }

    /// Clears all bits from `bit` on, a multiple of 64.
    pub(crate) fn clear_above(&mut self, bit: u32) {
        let first = bit as usize / 64;
        self.value[first..].fill(0);
        self.undefined[first..].fill(0);
    }

    /// True if all bits from `bit` on, a multiple of 64, are known to be zero.
    pub(crate) fn is_clear_above(&self, bit: u32) -> bool {
        let first = bit as usize / 64;
        self.value[first..].iter().chain(&self.undefined[first..]).all(|&word| word == 0)
    }
}
