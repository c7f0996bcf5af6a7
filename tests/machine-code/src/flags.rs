//! The flags that conditions read.

use iced_x86::ConditionCode;

use crate::bits::{Bits, ones};
use crate::fault::FaultKind;

/// A flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Known.
    Is(bool),
    /// Computed from undefined bits: true or false. Code may read it where the value makes no difference.
    Either,
    /// Left undefined by an instruction: code must not read it.
    Undefined,
}

impl Flag {
    fn of(known: Option<bool>) -> Self {
        known.map_or(Self::Either, Self::Is)
    }
}

/// The five condition flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// CF.
    pub carry: Flag,
    /// PF.
    pub parity: Flag,
    /// ZF.
    pub zero: Flag,
    /// SF.
    pub sign: Flag,
    /// OF.
    pub overflow: Flag,
}

impl Flags {
    /// All undefined.
    pub const UNDEFINED: Self = Self {
        carry: Flag::Undefined,
        parity: Flag::Undefined,
        zero: Flag::Undefined,
        sign: Flag::Undefined,
        overflow: Flag::Undefined,
    };

    /// Clears the flags other than these two.
    pub(crate) fn zero_and_carry(zero: Option<bool>, carry: Option<bool>) -> Self {
        let clear = Flag::Is(false);
        let (zero, carry) = (Flag::of(zero), Flag::of(carry));
        Self { carry, parity: clear, zero, sign: clear, overflow: clear }
    }

    /// The flags of a comparison of floats. The outer `None` is an undefined operand, the inner one an
    /// unordered result.
    pub(crate) fn comparison(order: Option<Option<std::cmp::Ordering>>) -> Self {
        let clear = Flag::Is(false);
        let of = |holds: fn(std::cmp::Ordering) -> bool| {
            Flag::of(order.map(|order| order.is_none_or(holds)))
        };
        let carry = of(std::cmp::Ordering::is_lt);
        let zero = of(std::cmp::Ordering::is_eq);
        Self { carry, parity: of(|_| false), zero, sign: clear, overflow: clear }
    }

    /// The flags of a result; clears carry and overflow.
    pub(crate) fn of_result(result: Bits, width: u32) -> Self {
        let result = result.low(width);
        let parity = result.get(8).map(|byte| byte.count_ones() % 2 == 0);
        Self {
            carry: Flag::Is(false),
            parity: Flag::of(parity),
            zero: Flag::of(result.is_zero()),
            sign: Flag::of(result.bit(width - 1)),
            overflow: Flag::Is(false),
        }
    }

    /// The flags of `a - b - borrow`.
    pub(crate) fn of_difference(a: Bits, b: Bits, borrow: u64, width: u32) -> Self {
        let (a, b) = (a.low(width), b.low(width));
        let value = a.value.wrapping_sub(b.value).wrapping_sub(borrow);
        let known = a.undefined | b.undefined == 0;
        let bit = |value: u64| value >> (width - 1) & 1 == 1;
        let if_known = |holds: bool| Flag::of(known.then_some(holds));
        Self {
            carry: if_known(u128::from(a.value) < u128::from(b.value) + u128::from(borrow)),
            overflow: if_known(bit((a.value ^ b.value) & (a.value ^ value))),
            // The operands are equal only if all bits are.
            zero: match borrow {
                0 => Flag::of(a.xor(b).is_zero()),
                _ => if_known(value & ones(width) == 0),
            },
            ..Self::of_result(Bits::carried(value, &[a, b]), width)
        }
    }

    /// The flags of `a + b + carry`.
    pub(crate) fn of_sum(a: Bits, b: Bits, carry: u64, width: u32) -> Self {
        let (a, b) = (a.low(width), b.low(width));
        let value = a.value.wrapping_add(b.value).wrapping_add(carry);
        let known = a.undefined | b.undefined == 0;
        let bit = |value: u64| value >> (width - 1) & 1 == 1;
        let if_known = |holds: bool| Flag::of(known.then_some(holds));
        let sum = u128::from(a.value) + u128::from(b.value) + u128::from(carry);
        Self {
            carry: if_known(sum >> width != 0),
            overflow: if_known(bit(!(a.value ^ b.value) & (a.value ^ value))),
            ..Self::of_result(Bits::carried(value, &[a, b]), width)
        }
    }

    /// True if a condition holds; `None` if that is not known.
    ///
    /// # Errors
    ///
    /// [`FaultKind::UndefinedFlag`] if the condition reads a flag that an instruction left undefined.
    pub(crate) fn condition(&self, code: ConditionCode) -> Result<Option<bool>, FaultKind> {
        let read = |flag, name| match flag {
            Flag::Is(value) => Ok(Some(value)),
            Flag::Either => Ok(None),
            Flag::Undefined => Err(FaultKind::UndefinedFlag(name)),
        };
        let carry = || read(self.carry, "CF");
        let zero = || read(self.zero, "ZF");
        let sign = || read(self.sign, "SF");
        let overflow = || read(self.overflow, "OF");
        let parity = || read(self.parity, "PF");
        let less = || Ok(sign()?.zip(overflow()?).map(|(sign, overflow)| sign != overflow));
        let either = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        let not = |condition: Option<bool>| condition.map(|holds| !holds);
        Ok(match code {
            ConditionCode::o => overflow()?,
            ConditionCode::no => not(overflow()?),
            ConditionCode::b => carry()?,
            ConditionCode::ae => not(carry()?),
            ConditionCode::e => zero()?,
            ConditionCode::ne => not(zero()?),
            ConditionCode::be => either(carry()?, zero()?),
            ConditionCode::a => not(either(carry()?, zero()?)),
            ConditionCode::s => sign()?,
            ConditionCode::ns => not(sign()?),
            ConditionCode::p => parity()?,
            ConditionCode::np => not(parity()?),
            ConditionCode::l => less()?,
            ConditionCode::ge => not(less()?),
            ConditionCode::le => either(zero()?, less()?),
            ConditionCode::g => not(either(zero()?, less()?)),
            ConditionCode::None => Some(true),
        })
    }
}
