//! The effects of vector instructions, by mnemonic.

use std::collections::HashMap;
use std::sync::LazyLock;

use iced_x86::Mnemonic;

use crate::bits::Bits;
use crate::float::{self, double, narrow, single, widen};
use crate::integer;
use crate::shuffle::{Shuffle, shuffle};

/// A function of a lane.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    Float(float::Function),
    Integer(integer::Function),
}

/// An operation that is the same in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Lanewise {
    /// The width of an operand's lane.
    pub(crate) from: u32,
    /// The width of a lane of the result.
    pub(crate) to: u32,
    /// Number of operands that are read: the last ones.
    pub(crate) sources: usize,
    /// Computes the lowest lane only.
    pub(crate) is_scalar: bool,
    pub(crate) function: Function,
}

/// An operation on the lowest bits of mask registers.
#[derive(Clone, Copy)]
pub(crate) enum MaskOp {
    Move,
    Not,
    Two(fn(Bits, Bits) -> Bits),
    ShiftLeft,
    ShiftRight,
    /// Joins the lower halves of two masks.
    Unpack,
    /// Sets flags by the union of two masks.
    OrTest,
    /// Sets flags by two intersections: of both masks, and of the second with the first one's complement.
    Test,
}

/// The effect of a vector instruction.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Lanewise(Lanewise),
    /// A bitwise function.
    Logic(u32, fn(Bits, Bits) -> Bits),
    /// A function of three bits, given as a table.
    Ternary(u32),
    /// Shifts all lanes by one count.
    Shift(u32, integer::Function),
    Shuffle(Shuffle),
    /// Moves a whole register. Memory may have to be aligned.
    Move {
        width: u32,
        is_aligned: bool,
    },
    /// Loads words by indices of that width, under a mask; clears the mask.
    Gather(u32),
    /// Stores words by indices of that width, under a mask; clears the mask.
    Scatter(u32),
    /// Moves one lane of binary32 or binary64.
    MoveScalar(u32),
    /// Moves one integer, zero-extended.
    MoveInteger(u32),
    /// Moves the lower or the upper two words.
    MoveHalf {
        is_upper: bool,
    },
    /// Selects by a mask register.
    Blend(u32),
    /// Selects by the highest bit of each lane.
    BlendBySign(u32),
    /// Collects the highest bits of the lanes in an integer.
    SignBits(u32),
    /// Sets flags by the highest bit of each lane.
    TestSigns(u32),
    /// Sets flags by all bits.
    TestBits,
    /// Compares one lane and sets flags.
    CompareScalar(u32),
    /// Converts from a general register.
    FromGeneral {
        width: u32,
        signed: [float::Function; 2],
    },
    /// Converts to a general register of 32 or of 64 bits.
    ToGeneral {
        width: u32,
        functions: [float::Function; 2],
    },
    ExtractLane(u32),
    InsertLane(u32),
    InsertSingle,
    MaskToVector(u32),
    VectorToMask(u32),
    Mask(u32, MaskOp),
    ZeroUpper,
    ZeroAll,
}

/// The effect of a vector or mask instruction; `None` for other instructions. `is_variable`: the last operand
/// is no immediate.
pub(crate) fn operation(mnemonic: Mnemonic, is_variable: bool) -> Option<Operation> {
    static OPERATIONS: LazyLock<HashMap<(Mnemonic, bool), Operation>> = LazyLock::new(|| {
        let mut all = HashMap::new();
        for mnemonic in Mnemonic::values() {
            let name = format!("{mnemonic:?}").to_lowercase();
            let name = name.strip_prefix('v').unwrap_or(&name);
            let variable = by_name(&format!("{name} variable")).or_else(|| by_name(name));
            all.extend(variable.map(|operation| ((mnemonic, true), operation)));
            all.extend(by_name(name).map(|operation| ((mnemonic, false), operation)));
        }
        all
    });
    OPERATIONS.get(&(mnemonic, is_variable)).copied()
}

fn by_name(name: &str) -> Option<Operation> {
    move_or_test(name)
        .or_else(|| shuffle(name).map(Operation::Shuffle))
        .or_else(|| logic(name))
        .or_else(|| conversion(name))
        .or_else(|| arithmetic(name))
        .or_else(|| integers(name))
        .or_else(|| masks(name))
}

fn move_or_test(name: &str) -> Option<Operation> {
    use Operation::*;
    Some(match name {
        "movaps" | "movdqa" | "movdqa32" | "movntps" | "movntdq" => {
            Move { width: 32, is_aligned: true }
        }
        "movapd" | "movdqa64" | "movntpd" => Move { width: 64, is_aligned: true },
        "movups" | "movdqu" | "movdqu32" | "lddqu" => Move { width: 32, is_aligned: false },
        "movupd" | "movdqu64" => Move { width: 64, is_aligned: false },
        "movdqu8" => Move { width: 8, is_aligned: false },
        "movdqu16" => Move { width: 16, is_aligned: false },
        "movss" => MoveScalar(32),
        "movsd" => MoveScalar(64),
        "movd" => MoveInteger(32),
        "movq" => MoveInteger(64),
        "gatherdps" | "pgatherdd" => Gather(32),
        "scatterdps" | "pscatterdd" => Scatter(32),
        "movlps" | "movlpd" => MoveHalf { is_upper: false },
        "movhps" | "movhpd" => MoveHalf { is_upper: true },
        "blendmps" | "pblendmd" => Blend(32),
        "blendmpd" | "pblendmq" => Blend(64),
        "blendvps" => BlendBySign(32),
        "blendvpd" => BlendBySign(64),
        "pblendvb" => BlendBySign(8),
        "movmskps" => SignBits(32),
        "movmskpd" => SignBits(64),
        "pmovmskb" => SignBits(8),
        "testps" => TestSigns(32),
        "testpd" => TestSigns(64),
        "ptest" => TestBits,
        "comiss" | "ucomiss" => CompareScalar(32),
        "comisd" | "ucomisd" => CompareScalar(64),
        "pextrb" => ExtractLane(8),
        "pextrw" => ExtractLane(16),
        "pextrd" | "extractps" => ExtractLane(32),
        "pextrq" => ExtractLane(64),
        "pinsrb" => InsertLane(8),
        "pinsrw" => InsertLane(16),
        "pinsrd" => InsertLane(32),
        "pinsrq" => InsertLane(64),
        "insertps" => InsertSingle,
        "pmovm2b" => MaskToVector(8),
        "pmovm2w" => MaskToVector(16),
        "pmovm2d" => MaskToVector(32),
        "pmovm2q" => MaskToVector(64),
        "pmovb2m" => VectorToMask(8),
        "pmovw2m" => VectorToMask(16),
        "pmovd2m" => VectorToMask(32),
        "pmovq2m" => VectorToMask(64),
        "zeroupper" => ZeroUpper,
        "zeroall" => ZeroAll,
        _ => return None,
    })
}

fn logic(name: &str) -> Option<Operation> {
    let width = if name.ends_with("pd") || name.ends_with('q') { 64 } else { 32 };
    Some(match name {
        "andps" | "andpd" | "pand" | "pandd" | "pandq" => Operation::Logic(width, Bits::and),
        "andnps" | "andnpd" | "pandn" | "pandnd" | "pandnq" => {
            Operation::Logic(width, |a, b| a.not().and(b))
        }
        "orps" | "orpd" | "por" | "pord" | "porq" => Operation::Logic(width, Bits::or),
        "xorps" | "xorpd" | "pxor" | "pxord" | "pxorq" => Operation::Logic(width, Bits::xor),
        "pternlogd" | "pternlogq" => Operation::Ternary(width),
        _ => return None,
    })
}

fn conversion(name: &str) -> Option<Operation> {
    let lanewise = |from, to, function| {
        let is_scalar = matches!(name, "cvtss2sd" | "cvtsd2ss");
        let function = Function::Float(function);
        Some(Operation::Lanewise(Lanewise { from, to, sources: 1, is_scalar, function }))
    };
    let from_general = |width, signed| Some(Operation::FromGeneral { width, signed });
    let to_general = |width, functions| Some(Operation::ToGeneral { width, functions });
    match name {
        "cvtps2pd" | "cvtss2sd" => lanewise(32, 64, widen),
        "cvtpd2ps" | "cvtsd2ss" => lanewise(64, 32, narrow),
        "cvtdq2ps" => lanewise(32, 32, single::from_i32),
        "cvtudq2ps" => lanewise(32, 32, single::from_u32),
        "cvtdq2pd" => lanewise(32, 64, double::from_i32),
        "cvtudq2pd" => lanewise(32, 64, double::from_u32),
        "cvtqq2ps" => lanewise(64, 32, single::from_i64),
        "cvtuqq2ps" => lanewise(64, 32, single::from_u64),
        "cvtqq2pd" => lanewise(64, 64, double::from_i64),
        "cvtuqq2pd" => lanewise(64, 64, double::from_u64),
        "cvtps2dq" => lanewise(32, 32, single::to_i32),
        "cvttps2dq" => lanewise(32, 32, single::truncate_i32),
        "cvtps2udq" => lanewise(32, 32, single::to_u32),
        "cvttps2udq" => lanewise(32, 32, single::truncate_u32),
        "cvtps2qq" => lanewise(32, 64, single::to_i64),
        "cvttps2qq" => lanewise(32, 64, single::truncate_i64),
        "cvtps2uqq" => lanewise(32, 64, single::to_u64),
        "cvttps2uqq" => lanewise(32, 64, single::truncate_u64),
        "cvtpd2dq" => lanewise(64, 32, double::to_i32),
        "cvttpd2dq" => lanewise(64, 32, double::truncate_i32),
        "cvtpd2udq" => lanewise(64, 32, double::to_u32),
        "cvttpd2udq" => lanewise(64, 32, double::truncate_u32),
        "cvtpd2qq" => lanewise(64, 64, double::to_i64),
        "cvttpd2qq" => lanewise(64, 64, double::truncate_i64),
        "cvtpd2uqq" => lanewise(64, 64, double::to_u64),
        "cvttpd2uqq" => lanewise(64, 64, double::truncate_u64),
        "cvtsi2ss" => from_general(32, [single::from_i32, single::from_i64]),
        "cvtsi2sd" => from_general(64, [double::from_i32, double::from_i64]),
        "cvtusi2ss" => from_general(32, [single::from_u32, single::from_u64]),
        "cvtusi2sd" => from_general(64, [double::from_u32, double::from_u64]),
        "cvtss2si" => to_general(32, [single::to_i32, single::to_i64]),
        "cvttss2si" => to_general(32, [single::truncate_i32, single::truncate_i64]),
        "cvtsd2si" => to_general(64, [double::to_i32, double::to_i64]),
        "cvttsd2si" => to_general(64, [double::truncate_i32, double::truncate_i64]),
        "cvtss2usi" => to_general(32, [single::to_u32, single::to_u64]),
        "cvttss2usi" => to_general(32, [single::truncate_u32, single::truncate_u64]),
        "cvtsd2usi" => to_general(64, [double::to_u32, double::to_u64]),
        "cvttsd2usi" => to_general(64, [double::truncate_u32, double::truncate_u64]),
        _ => None,
    }
}

/// Arithmetic of floats. The last two letters of the name give the lanes and their width.
fn arithmetic(name: &str) -> Option<Operation> {
    let (stem, suffix) = name.split_at_checked(name.len().checked_sub(2)?)?;
    let (width, is_scalar) = match suffix {
        "ps" => (32, false),
        "pd" => (64, false),
        "ss" => (32, true),
        "sd" => (64, true),
        _ => return None,
    };
    macro_rules! of_width {
        ($function:ident) => {
            if width == 32 { single::$function } else { double::$function }
        };
    }
    let (sources, function): (usize, float::Function) = match stem {
        "add" => (2, of_width!(add)),
        "sub" => (2, of_width!(sub)),
        "mul" => (2, of_width!(mul)),
        "div" => (2, of_width!(div)),
        "min" => (2, of_width!(min)),
        "max" => (2, of_width!(max)),
        "cmp" => (2, of_width!(compare)),
        "sqrt" => (1, of_width!(sqrt)),
        "round" => (1, of_width!(round)),
        "rndscale" => (1, of_width!(round_scaled)),
        "getexp" => (1, of_width!(exponent)),
        "getmant" => (1, of_width!(significand)),
        "fmadd132" => (3, of_width!(fmadd132)),
        "fmadd213" => (3, of_width!(fmadd213)),
        "fmadd231" => (3, of_width!(fmadd231)),
        "fmsub132" => (3, of_width!(fmsub132)),
        "fmsub213" => (3, of_width!(fmsub213)),
        "fmsub231" => (3, of_width!(fmsub231)),
        "fnmadd132" => (3, of_width!(fnmadd132)),
        "fnmadd213" => (3, of_width!(fnmadd213)),
        "fnmadd231" => (3, of_width!(fnmadd231)),
        "fnmsub132" => (3, of_width!(fnmsub132)),
        "fnmsub213" => (3, of_width!(fnmsub213)),
        "fnmsub231" => (3, of_width!(fnmsub231)),
        _ => return None,
    };
    let function = Function::Float(function);
    Some(Operation::Lanewise(Lanewise { from: width, to: width, sources, is_scalar, function }))
}

fn width_of(letter: u8) -> Option<u32> {
    match letter {
        b'b' => Some(8),
        b'w' => Some(16),
        b'd' => Some(32),
        b'q' => Some(64),
        _ => None,
    }
}

fn integers(name: &str) -> Option<Operation> {
    let lanewise = |from, to, sources, function| {
        let function = Function::Integer(function);
        Some(Operation::Lanewise(Lanewise { from, to, sources, is_scalar: false, function }))
    };
    if let Some(function) = integer::half_function(name) {
        return lanewise(64, 64, 2, function);
    }
    for (prefix, is_signed) in [("pmovsx", true), ("pmovzx", false), ("pmov", false)] {
        if let Some(&[from, to]) = name.strip_prefix(prefix).map(str::as_bytes) {
            let (from, to) = (width_of(from)?, width_of(to)?);
            let is_narrowing = prefix == "pmov";
            if is_narrowing != (to < from) {
                return None;
            }
            return match (is_signed, from) {
                (true, 8) => lanewise(from, to, 1, |[a, ..], _, _| a as i8 as u64),
                (true, 16) => lanewise(from, to, 1, |[a, ..], _, _| a as i16 as u64),
                (true, _) => lanewise(from, to, 1, |[a, ..], _, _| a as i32 as u64),
                (false, _) => lanewise(from, to, 1, |[a, ..], _, _| a),
            };
        }
    }
    let (stem, last) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let width = width_of(last.as_bytes()[0])?;
    match stem {
        "psll" => Some(Operation::Shift(width, integer::shift_left)),
        "psrl" => Some(Operation::Shift(width, integer::shift_right)),
        "psra" => Some(Operation::Shift(width, integer::shift_arithmetic)),
        _ => {
            let (sources, function) = integer::function(stem)?;
            lanewise(width, width, sources, function)
        }
    }
}

fn masks(name: &str) -> Option<Operation> {
    let unpack = match name {
        "kunpckbw" => Some(16),
        "kunpckwd" => Some(32),
        "kunpckdq" => Some(64),
        _ => None,
    };
    if let Some(width) = unpack {
        return Some(Operation::Mask(width, MaskOp::Unpack));
    }
    let (stem, last) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let width = width_of(last.as_bytes()[0])?;
    let op = match stem {
        "kmov" => MaskOp::Move,
        "knot" => MaskOp::Not,
        "kand" => MaskOp::Two(Bits::and),
        "kandn" => MaskOp::Two(|a, b| a.not().and(b)),
        "kor" => MaskOp::Two(Bits::or),
        "kxor" => MaskOp::Two(Bits::xor),
        "kxnor" => MaskOp::Two(|a, b| a.xor(b).not()),
        "kshiftl" => MaskOp::ShiftLeft,
        "kshiftr" => MaskOp::ShiftRight,
        "kortest" => MaskOp::OrTest,
        "ktest" => MaskOp::Test,
        _ => return None,
    };
    Some(Operation::Mask(width, op))
}
