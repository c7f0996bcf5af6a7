//! Operations with operands that are undefined in SPIR-V, by the text of docs/spirv.md.

use crate::builtins::{Builtin, Shared};
use crate::program::{Binary, Expr, Kind, Scalar, Type};
use lambdav_glsl_tests::evaluate::Condition;
use lambdav_glsl_tests::evaluate::undefined::{of_builtin, of_conversion, of_operator};

/// The function of GLSL with the same conditions.
fn shared(builtin: Builtin) -> Option<Shared> {
    Some(match builtin {
        Builtin::Sqrt => Shared::Sqrt,
        Builtin::InverseSqrt => Shared::InverseSqrt,
        Builtin::Log => Shared::Log,
        Builtin::Log2 => Shared::Log2,
        Builtin::Pow => Shared::Pow,
        Builtin::Asin => Shared::Asin,
        Builtin::Acos => Shared::Acos,
        Builtin::Acosh => Shared::Acosh,
        Builtin::Atanh => Shared::Atanh,
        Builtin::Atan2 => Shared::Atan2,
        Builtin::Normalize => Shared::Normalize,
        Builtin::SmoothStep => Shared::SmoothStep,
        Builtin::Clamp => Shared::Clamp,
        Builtin::ExtractBits => Shared::BitfieldExtract,
        Builtin::InsertBits => Shared::BitfieldInsert,
        _ => return None,
    })
}

/// Conditions of an operator.
pub(super) fn operator(op: Binary, a: (&Type, &[u32]), b: (&Type, &[u32])) -> Vec<Condition> {
    let mut all = of_operator(op, a, b);
    if op == Binary::Rem && a.0.scalar() == Some(Scalar::Float) {
        let is_zero = |word: &u32| word << 1 == 0;
        all.extend(b.1.iter().any(is_zero).then_some(("%", "the divisor is 0")));
    }
    all
}

/// Conditions of an operation that hold for its operands.
pub(super) fn operation(of: &Expr, values: &[Vec<u32>]) -> Vec<Condition> {
    match &of.kind {
        Kind::Binary(op, a, b) => operator(*op, (&a.ty, &values[0]), (&b.ty, &values[1])),
        Kind::Index(base, index) => outside(base, index, values[1][0]),
        Kind::Construct(parts) if !matches!(of.ty, Type::Array(..) | Type::Structure(_)) => {
            let Some(to) = of.ty.scalar() else { return Vec::new() };
            let each = |(part, value): (&Expr, &Vec<u32>)| match part.ty.scalar() {
                Some(from) => of_conversion(from, to, value),
                None => Vec::new(),
            };
            let all = parts.iter().zip(values).flat_map(each);
            all.map(|(name, words)| (if name == "int" { "i32" } else { "u32" }, words)).collect()
        }
        Kind::Builtin(builtin, arguments) => {
            let Some(shared) = shared(*builtin) else { return Vec::new() };
            let types: Vec<&Type> = arguments.iter().map(|argument| &argument.ty).collect();
            let all = of_builtin(shared, &types, values).into_iter();
            all.map(|(_, words)| (builtin.name(), words)).collect()
        }
        _ => Vec::new(),
    }
}

/// The condition of an index.
pub(super) fn outside(base: &Expr, index: &Expr, word: u32) -> Vec<Condition> {
    let Some((_, count)) = base.ty.indexed() else { return Vec::new() };
    let is_negative = index.ty == Type::INT && (word as i32) < 0;
    let is_outside = is_negative || word as usize >= count;
    is_outside.then_some(("[]", "an index outside")).into_iter().collect()
}
