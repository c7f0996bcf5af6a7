//! The spelling of operations and numbers.

use crate::float::NAN;
use crate::memory::{Atomic, MemoryOp};
use crate::op::{Elementary, Op};
use crate::types::{Scalar, Type};
use std::fmt::Write;

macro_rules! plain_operations {
    ($($op:ident = $name:literal,)*) => {
        /// Writes the name of an operation.
        pub(super) fn write_operation(out: &mut String, op: Op) {
            match op {
                $(Op::$op => out.push_str($name),)*
                Op::Construct(_) => out.push_str("construct"),
                Op::Convert(_) => out.push_str("convert"),
                Op::Field(k) => write_indexed(out, "field", &[k]),
                Op::Inject(_, case) => write_indexed(out, "inject", &[case]),
                Op::Payload(case, field) => write_indexed(out, "payload", &[case, field]),
                Op::Component(k) => write_indexed(out, "component", &[k.into()]),
                Op::Column(k) => write_indexed(out, "column", &[k.into()]),
                Op::Probe(number) => write_indexed(out, "probe", &[number]),
                Op::Elementary(f) => out.push_str(f.name()),
                Op::Memory(op) => write_memory_operation(out, op),
            }
        }

        fn plain_operation(name: &str) -> Option<Op> {
            match name {
                $($name => Some(Op::$op),)*
                _ => Elementary::ALL.into_iter().find(|f| f.name() == name).map(Op::Elementary),
            }
        }

        /// All names but those with an index, for spelling suggestions.
        pub(super) fn operation_names() -> impl Iterator<Item = &'static str> {
            [$($name,)* "construct", "convert", "state", "size", "load", "store", "barrier"]
                .into_iter()
                .chain(Elementary::ALL.map(Elementary::name))
        }
    };
}

plain_operations! {
    Neg = "neg",
    Abs = "abs",
    Floor = "floor",
    Ceil = "ceil",
    Trunc = "trunc",
    RoundEven = "round-even",
    Sqrt = "sqrt",
    Add = "add",
    Sub = "sub",
    Mul = "mul",
    Div = "div",
    Rem = "rem",
    MulHigh = "mul-high",
    Fma = "fma",
    Plane = "plane",
    Min = "min",
    Max = "max",
    Less = "less",
    LessEqual = "less-equal",
    Equal = "equal",
    NotEqual = "not-equal",
    And = "and",
    Or = "or",
    Xor = "xor",
    Not = "not",
    ShiftLeft = "shift-left",
    ShiftRight = "shift-right",
    Any = "any",
    All = "all",
    Select = "select",
    Bits = "bits",
    FromBits = "from-bits",
    At = "at",
    Update = "update",
    Tag = "tag",
    Texel = "texel",
    TextureSize = "texture-size",
    TextureLevels = "texture-levels",
    Sample = "sample",
    Element = "element",
    Length = "length",
    After = "after",
}

fn write_memory_operation(out: &mut String, op: MemoryOp) {
    match op {
        MemoryOp::State(_) => out.push_str("state"),
        MemoryOp::Size => out.push_str("size"),
        MemoryOp::Load => out.push_str("load"),
        MemoryOp::Store => out.push_str("store"),
        MemoryOp::Atomic(atomic, _) => {
            out.push_str("atomic.");
            out.push_str(atomic.name());
        }
        MemoryOp::Barrier(_) => out.push_str("barrier"),
    }
}

fn memory_operation(name: &str, ty: Type) -> Option<Op> {
    Some(Op::Memory(match name {
        "state" => MemoryOp::State(ty),
        "size" => MemoryOp::Size,
        "load" => MemoryOp::Load,
        "store" => MemoryOp::Store,
        "barrier" => MemoryOp::Barrier(ty),
        _ => {
            let name = name.strip_prefix("atomic.")?;
            let atomic = Atomic::ALL.into_iter().find(|atomic| atomic.name() == name)?;
            MemoryOp::Atomic(atomic, ty)
        }
    }))
}

fn write_indexed(out: &mut String, name: &str, indices: &[u32]) {
    out.push_str(name);
    for index in indices {
        // Writing to a string does not fail.
        let _ = write!(out, ".{index}");
    }
}

/// The operation with this name and a result of type `ty`.
pub(super) fn operation(name: &str, ty: Type) -> Option<Op> {
    match name {
        "construct" => return Some(Op::Construct(ty)),
        "convert" => return ty.scalar().map(Op::Convert),
        _ => {}
    }
    if let Some(op) = memory_operation(name, ty) {
        return Some(op);
    }
    let Some((name, indices)) = name.split_once('.') else { return plain_operation(name) };
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| is_digits(text));
    match (name, indices.split_once('.')) {
        ("component", None) => Some(Op::Component(number(indices)?.try_into().ok()?)),
        ("column", None) => Some(Op::Column(number(indices)?.try_into().ok()?)),
        ("field", None) => Some(Op::Field(number(indices)?)),
        ("probe", None) => Some(Op::Probe(number(indices)?)),
        ("inject", None) => Some(Op::Inject(ty, number(indices)?)),
        ("payload", Some((case, field))) => Some(Op::Payload(number(case)?, number(field)?)),
        _ => None,
    }
}

/// Writes a component so that [`component`] returns the same word.
pub(super) fn write_component(out: &mut String, scalar: Scalar, word: u32) {
    let number = f32::from_bits(word);
    // Writing to a string does not fail.
    let _ = match (scalar, word) {
        (Scalar::Bool, 0) => write!(out, "false"),
        (Scalar::Bool, _) => write!(out, "true"),
        (Scalar::F32, NAN) => write!(out, "nan"),
        (Scalar::F32, _) if number.is_nan() => write!(out, "0x{word:08x}"),
        // The shortest decimal that reads back as this number; also `inf` and `-inf`.
        (Scalar::F32, _) => write!(out, "{number:?}"),
        (Scalar::I32, _) => write!(out, "{}", word as i32),
        (Scalar::U32, _) => write!(out, "{word}"),
    };
}

/// The word of a component; `None` if the text is not one.
pub(super) fn component(text: &str, scalar: Scalar) -> Option<u32> {
    match (scalar, text) {
        (Scalar::Bool, "false") => Some(0),
        (Scalar::Bool, "true") => Some(1),
        (Scalar::Bool, _) => None,
        (Scalar::I32, _) => text.parse().ok().map(|int: i32| int as u32),
        (Scalar::U32, _) => text.parse().ok(),
        (Scalar::F32, "inf") => Some(f32::INFINITY.to_bits()),
        (Scalar::F32, "-inf") => Some(f32::NEG_INFINITY.to_bits()),
        (Scalar::F32, "nan") => Some(NAN),
        (Scalar::F32, _) => match text.strip_prefix("0x") {
            Some(digits) => (digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
                .then(|| u32::from_str_radix(digits, 16).ok())?,
            // A text that begins with a digit or a point is a decimal, or `parse` refuses it.
            None => text
                .strip_prefix(['+', '-'])
                .unwrap_or(text)
                .starts_with(|c: char| c.is_ascii_digit() || c == '.')
                .then(|| text.parse::<f32>().ok())?
                .filter(|number| number.is_finite())
                .map(f32::to_bits),
        },
    }
}

/// True for one or more decimal digits.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_name_of_its_own() {
        let mut seen = std::collections::HashSet::new();
        for name in operation_names() {
            assert!(seen.insert(name), "{name} is the name of two");
            let op = operation(name, Type::vec(2)).expect("the name is known");
            let mut out = String::new();
            write_operation(&mut out, op);
            assert_eq!(out, name);
        }
        for atomic in Atomic::ALL {
            let op = Op::Memory(MemoryOp::Atomic(atomic, Type::NUM));
            let mut out = String::new();
            write_operation(&mut out, op);
            assert!(
                seen.insert(Box::leak(out.clone().into_boxed_str())),
                "{out} is the name of two"
            );
            assert_eq!(operation(&out, Type::NUM), Some(op));
        }
        assert_eq!(operation("column.3", Type::NUM), Some(Op::Column(3)));
        assert_eq!(operation("column.+3", Type::NUM), None);
        assert_eq!(operation("column.256", Type::NUM), None);
        for op in [Op::Field(300), Op::Payload(1, 2), Op::Inject(Type::NUM, 3), Op::Column(1)] {
            let mut out = String::new();
            write_operation(&mut out, op);
            assert_eq!(operation(&out, Type::NUM), Some(op));
        }
        assert_eq!(operation("payload.1", Type::NUM), None);
        assert_eq!(operation("field.1.2", Type::NUM), None);
    }
}
