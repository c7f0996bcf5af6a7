//! Operations on values.

use crate::builtins::Builtin;
use crate::program::{Binary, Expr, Kind, Program, Scalar, Type, Unary};
use lambdav_core::float::canonical;
use lambdav_core::op::Op;
use lambdav_glsl_tests::evaluate::{arithmetic, builtins, linear, numbers, packing};

/// The value of an operation on its operands' values, without effects. `None` if it is none.
pub(crate) fn operation(program: &Program, of: &Expr, values: &[Vec<u32>]) -> Option<Vec<u32>> {
    Some(match &of.kind {
        Kind::Literal(word) => vec![*word],
        Kind::Abstract(number) => {
            vec![number.value()?.word(of.ty.scalar().expect("it is a number"))?]
        }
        Kind::Compare(op, a, b) => {
            vec![u32::from(crate::abstracts::compare(*op, a.value()?, b.value()?))]
        }
        Kind::Field(..) | Kind::Swizzle(..) | Kind::Index(..) => {
            let index = values.get(1).map_or(0, |words| words[0]);
            let part = part(program, of, index);
            part.into_iter().map(|k| values[0][k]).collect()
        }
        Kind::Unary(op, a) => {
            let scalar = a.ty.scalar().expect("operands have components");
            let each = |&word| match op {
                Unary::Minus if scalar == Scalar::Int => word_negated(word),
                _ => arithmetic::unary(*op, scalar, word),
            };
            values[0].iter().map(each).collect()
        }
        Kind::Binary(op, a, b) => binary(*op, (&a.ty, &values[0]), (&b.ty, &values[1])),
        Kind::Construct(parts) => construct(program, &of.ty, parts, values),
        Kind::Bitcast(a) => bitcast(a.ty.scalar()?, of.ty.scalar()?, &values[0]),
        Kind::Builtin(builtin, arguments) => builtin_call(*builtin, &of.ty, arguments, values),
        Kind::Variable(_) | Kind::Deref(_) | Kind::AddressOf(_) | Kind::Call(..) => return None,
    })
}

fn word_negated(word: u32) -> u32 {
    word.wrapping_neg()
}

/// The positions of a part within its base; an index outside selects the nearest part.
pub(crate) fn part(program: &Program, access: &Expr, index: u32) -> Vec<usize> {
    let size = |ty: &Type| ty.size(&program.structures);
    match &access.kind {
        Kind::Field(base, field) => {
            let Type::Structure(number) = base.ty else { unreachable!("it has members") };
            let fields = &program.structures[number].fields;
            let start: usize = fields[..*field].iter().map(|(_, ty)| size(ty)).sum();
            (start..start + size(&access.ty)).collect()
        }
        Kind::Swizzle(_, components, _) => components.iter().copied().map(usize::from).collect(),
        Kind::Index(base, by) => {
            let (_, count) = base.ty.indexed().expect("it has parts");
            let is_negative = by.ty == Type::INT && (index as i32) < 0;
            let number = if is_negative { 0 } else { (index as usize).min(count - 1) };
            let size = size(&access.ty);
            (number * size..(number + 1) * size).collect()
        }
        _ => unreachable!("it is an access"),
    }
}

/// An operator of two values; `&&` and `||` of known values as well.
pub(crate) fn binary(op: Binary, a: (&Type, &[u32]), b: (&Type, &[u32])) -> Vec<u32> {
    let scalar = a.0.scalar().expect("operands have components");
    let at = |words: &[u32], k: usize| if words.len() == 1 { words[0] } else { words[k] };
    let count = a.1.len().max(b.1.len());
    let each = |f: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
        (0..count).map(|k| f(at(a.1, k), at(b.1, k))).collect()
    };
    match op {
        Binary::And => each(&|a, b| a & b),
        Binary::Or => each(&|a, b| a | b),
        Binary::Equal => each(&|a, b| numbers::apply(Op::Equal, scalar, &[a, b])),
        Binary::NotEqual => each(&|a, b| numbers::apply(Op::NotEqual, scalar, &[a, b])),
        Binary::Div if scalar == Scalar::Int => each(&|a, b| {
            let (x, y) = (a as i32, b as i32);
            x.checked_div(y).unwrap_or(x) as u32
        }),
        Binary::Div if scalar == Scalar::Uint => each(&|a, b| a.checked_div(b).unwrap_or(a)),
        Binary::Rem if scalar == Scalar::Int => {
            each(&|a, b| (a as i32).checked_rem(b as i32).unwrap_or(0) as u32)
        }
        Binary::Rem if scalar == Scalar::Uint => each(&|a, b| a.checked_rem(b).unwrap_or(0)),
        Binary::Rem => each(&|a, b| {
            let whole = numbers::float(Op::Trunc, &[numbers::div(a, b)]);
            numbers::sub(a, numbers::mul(b, whole))
        }),
        Binary::ShiftLeft => each(&|a, b| a << (b % 32)),
        Binary::ShiftRight if scalar == Scalar::Int => each(&|a, b| (a as i32 >> (b % 32)) as u32),
        Binary::ShiftRight => each(&|a, b| a >> (b % 32)),
        _ => arithmetic::binary(op, a, b),
    }
}

/// The nearest integer toward zero, within the type; of NaN 0. From and to other types as in WGSL.
fn convert(from: Scalar, to: Scalar, word: u32) -> u32 {
    let number = f32::from_bits(word);
    match (from, to) {
        (Scalar::Float, Scalar::Int) => number as i32 as u32,
        (Scalar::Float, Scalar::Uint) => number as u32,
        (Scalar::Float, Scalar::Bool) => u32::from(number != 0.0),
        (Scalar::Int, Scalar::Float) => (word as i32 as f32).to_bits(),
        (Scalar::Uint, Scalar::Float) => (word as f32).to_bits(),
        (Scalar::Bool, Scalar::Float) => (word as f32).to_bits(),
        (_, Scalar::Bool) if from != Scalar::Bool => u32::from(word != 0),
        _ => word,
    }
}

fn construct(program: &Program, ty: &Type, parts: &[Expr], values: &[Vec<u32>]) -> Vec<u32> {
    let count = ty.size(&program.structures);
    let to = match ty {
        Type::Array(..) | Type::Structure(_) => None,
        _ => ty.scalar(),
    };
    let mut words = Vec::new();
    for (part, value) in parts.iter().zip(values) {
        match (part.ty.scalar(), to) {
            (Some(from), Some(to)) => words.extend(value.iter().map(|&w| convert(from, to, w))),
            _ => words.extend(value),
        }
    }
    match words.len() {
        0 => vec![0; count],
        1 => words.repeat(count),
        _ => words,
    }
}

fn bitcast(from: Scalar, to: Scalar, words: &[u32]) -> Vec<u32> {
    let each = |&word: &u32| match (from, to) {
        (Scalar::Float, Scalar::Float) => word,
        (_, Scalar::Float) => canonical(word),
        _ => word,
    };
    words.iter().map(each).collect()
}

/// A call other than a derivative.
fn builtin_call(
    builtin: Builtin,
    result: &Type,
    arguments: &[Expr],
    values: &[Vec<u32>],
) -> Vec<u32> {
    let types: Vec<&Type> = arguments.iter().map(|argument| &argument.ty).collect();
    if let Some(shared) = builtin.shared() {
        let mut results = builtins::call(shared, result, &types, values);
        let number = usize::from(matches!(builtin, Builtin::ModfWhole | Builtin::FrexpExp));
        return results.swap_remove(number);
    }
    let scalar = types[0].scalar().expect("arguments have components");
    let a = &values[0];
    let each = |f: &dyn Fn(u32) -> u32| -> Vec<u32> { a.iter().map(|&word| f(word)).collect() };
    let byte = |word: u32, k: u32| word >> (8 * k) & 255;
    let signed = |word: u32, k: u32| i32::from(byte(word, k) as u8 as i8);
    let packed = |f: &dyn Fn(u32) -> u32| -> Vec<u32> {
        vec![a.iter().zip(0..).fold(0, |all, (&word, k)| all | (f(word) & 255) << (8 * k))]
    };
    match builtin {
        Builtin::Abs if scalar == Scalar::Int => each(&|word| (word as i32).wrapping_abs() as u32),
        Builtin::Abs if scalar == Scalar::Uint => a.clone(),
        Builtin::Abs => each(&|word| numbers::float(Op::Abs, &[word])),
        Builtin::Saturate => each(&|word| {
            let word = arithmetic::max(Scalar::Float, word, numbers::ZERO);
            arithmetic::min(Scalar::Float, word, numbers::ONE)
        }),
        Builtin::QuantizeToF16 => each(&quantized),
        Builtin::CountLeadingZeros => each(&u32::leading_zeros),
        Builtin::CountTrailingZeros => each(&u32::trailing_zeros),
        Builtin::Dot if scalar == Scalar::Float => vec![linear::dot(a, &values[1])],
        Builtin::Dot => {
            let products = a.iter().zip(&values[1]).map(|(a, b)| a.wrapping_mul(*b));
            vec![products.fold(0, u32::wrapping_add)]
        }
        Builtin::Pack4xI8 | Builtin::Pack4xU8 => packed(&|word| word),
        Builtin::Pack4xI8Clamp => packed(&|word| (word as i32).clamp(-128, 127) as u32),
        Builtin::Pack4xU8Clamp => packed(&|word| word.min(255)),
        Builtin::Unpack4xI8 => (0..4).map(|k| signed(a[0], k) as u32).collect(),
        Builtin::Unpack4xU8 => (0..4).map(|k| byte(a[0], k)).collect(),
        Builtin::Dot4I8Packed => {
            let products = (0..4).map(|k| signed(a[0], k) * signed(values[1][0], k));
            vec![products.sum::<i32>() as u32]
        }
        Builtin::Dot4U8Packed => {
            vec![(0..4).map(|k| byte(a[0], k) * byte(values[1][0], k)).sum()]
        }
        _ => unreachable!("{builtin:?}"),
    }
}

/// The nearest binary16; of a number below the normal ones zero.
fn quantized(word: u32) -> u32 {
    match f32::from_bits(word).abs() < 2_f32.powi(-14) {
        true => word & 1 << 31,
        false => packing::unpack_half(packing::pack_half(&[word, 0]))[0],
    }
}
