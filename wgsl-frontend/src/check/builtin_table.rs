//! Functions of the language: names, shapes of parameters, instructions.

use crate::const_eval::{Math, Packing};
use lambdav_core::op::Elementary;
use rspirv::spirv::GlslStd450Op as Glsl;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The parameters of a numeric function. `T` is a scalar or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// So many `T` of floats.
    Floats(usize),
    /// So many `T` of integers or floats.
    Numbers(usize),
    /// One `T` of signed numbers.
    Signed,
    /// One `T` of integers.
    Integer,
    /// `T` of integers, then so many of that type, then an offset and a count.
    Field(usize),
    /// Two `T` of floats, and a third that may be a scalar.
    Mix,
    /// Two vectors of numbers; the result is a scalar.
    Dot,
    /// So many `T` of floats; the result is a scalar.
    Length(usize),
    /// So many vectors of floats.
    Vectors(usize),
    /// Two vectors of three floats.
    Cross,
    /// Two vectors of floats and a float.
    Refract,
    Determinant,
    Transpose,
    /// A `bool` or a vector of them; the result is a `bool`.
    Bools,
    Select,
    /// `T` of floats and exponents.
    Ldexp,
    /// A vector of so many f32; the result is a `u32`.
    Pack(u8),
    /// A `u32`; the result is a vector of so many f32.
    Unpack(u8),
    /// A vector of four integers; true if they are signed.
    PackBytes(bool),
    UnpackBytes(bool),
    DotBytes(bool),
}

/// What a numeric function becomes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Emits {
    /// A function of GLSL.std.450.
    Glsl(Glsl),
    /// One for floats, signed, unsigned integers.
    GlslBy(Glsl, Glsl, Glsl),
    /// Several instructions.
    Special,
}

/// A numeric function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) shape: Shape,
    pub(super) math: Math,
    pub(super) emits: Emits,
}

fn row(name: &str) -> Option<Row> {
    use Elementary as E;
    let of = |shape, math, emits| Some(Row { shape, math, emits });
    let elementary = |function: Elementary, glsl| {
        of(Shape::Floats(function.arity()), Math::Elementary(function), Emits::Glsl(glsl))
    };
    let float = |math, glsl| of(Shape::Floats(1), math, Emits::Glsl(glsl));
    let special = |shape, math| of(shape, math, Emits::Special);
    match name {
        "acos" => elementary(E::Acos, Glsl::Acos),
        "acosh" => elementary(E::Acosh, Glsl::Acosh),
        "asin" => elementary(E::Asin, Glsl::Asin),
        "asinh" => elementary(E::Asinh, Glsl::Asinh),
        "atan" => elementary(E::Atan, Glsl::Atan),
        "atanh" => elementary(E::Atanh, Glsl::Atanh),
        "atan2" => elementary(E::Atan2, Glsl::Atan2),
        "cos" => elementary(E::Cos, Glsl::Cos),
        "cosh" => elementary(E::Cosh, Glsl::Cosh),
        "exp" => elementary(E::Exp, Glsl::Exp),
        "exp2" => elementary(E::Exp2, Glsl::Exp2),
        "log" => elementary(E::Log, Glsl::Log),
        "log2" => elementary(E::Log2, Glsl::Log2),
        "pow" => elementary(E::Pow, Glsl::Pow),
        "sin" => elementary(E::Sin, Glsl::Sin),
        "sinh" => elementary(E::Sinh, Glsl::Sinh),
        "tan" => elementary(E::Tan, Glsl::Tan),
        "tanh" => elementary(E::Tanh, Glsl::Tanh),
        "ceil" => float(Math::Ceil, Glsl::Ceil),
        "floor" => float(Math::Floor, Glsl::Floor),
        "trunc" => float(Math::Trunc, Glsl::Trunc),
        "round" => float(Math::Round, Glsl::RoundEven),
        "fract" => float(Math::Fract, Glsl::Fract),
        "sqrt" => float(Math::Sqrt, Glsl::Sqrt),
        "inverseSqrt" => float(Math::InverseSqrt, Glsl::InverseSqrt),
        "radians" => float(Math::Radians, Glsl::Radians),
        "degrees" => float(Math::Degrees, Glsl::Degrees),
        "saturate" => special(Shape::Floats(1), Math::Saturate),
        "quantizeToF16" => special(Shape::Floats(1), Math::QuantizeToF16),
        "step" => of(Shape::Floats(2), Math::Step, Emits::Glsl(Glsl::Step)),
        "smoothstep" => of(Shape::Floats(3), Math::SmoothStep, Emits::Glsl(Glsl::SmoothStep)),
        "fma" => of(Shape::Floats(3), Math::Fma, Emits::Glsl(Glsl::Fma)),
        "mix" => of(Shape::Mix, Math::Mix, Emits::Glsl(Glsl::FMix)),
        "abs" => special(Shape::Numbers(1), Math::Abs),
        "sign" => {
            of(Shape::Signed, Math::Sign, Emits::GlslBy(Glsl::FSign, Glsl::SSign, Glsl::SSign))
        }
        "min" => {
            of(Shape::Numbers(2), Math::Min, Emits::GlslBy(Glsl::FMin, Glsl::SMin, Glsl::UMin))
        }
        "max" => {
            of(Shape::Numbers(2), Math::Max, Emits::GlslBy(Glsl::FMax, Glsl::SMax, Glsl::UMax))
        }
        "clamp" => of(
            Shape::Numbers(3),
            Math::Clamp,
            Emits::GlslBy(Glsl::FClamp, Glsl::SClamp, Glsl::UClamp),
        ),
        "countLeadingZeros" => special(Shape::Integer, Math::CountLeadingZeros),
        "countTrailingZeros" => special(Shape::Integer, Math::CountTrailingZeros),
        "countOneBits" => special(Shape::Integer, Math::CountOneBits),
        "reverseBits" => special(Shape::Integer, Math::ReverseBits),
        "firstTrailingBit" => {
            of(Shape::Integer, Math::FirstTrailingBit, Emits::Glsl(Glsl::FindILsb))
        }
        "firstLeadingBit" => of(
            Shape::Integer,
            Math::FirstLeadingBit,
            Emits::GlslBy(Glsl::FindUMsb, Glsl::FindSMsb, Glsl::FindUMsb),
        ),
        "extractBits" => special(Shape::Field(0), Math::ExtractBits),
        "insertBits" => special(Shape::Field(1), Math::InsertBits),
        "dot" => special(Shape::Dot, Math::Dot),
        "cross" => of(Shape::Cross, Math::Cross, Emits::Glsl(Glsl::Cross)),
        "length" => of(Shape::Length(1), Math::Length, Emits::Glsl(Glsl::Length)),
        "distance" => of(Shape::Length(2), Math::Distance, Emits::Glsl(Glsl::Distance)),
        "normalize" => of(Shape::Vectors(1), Math::Normalize, Emits::Glsl(Glsl::Normalize)),
        "faceForward" => of(Shape::Vectors(3), Math::FaceForward, Emits::Glsl(Glsl::FaceForward)),
        "reflect" => of(Shape::Vectors(2), Math::Reflect, Emits::Glsl(Glsl::Reflect)),
        "refract" => of(Shape::Refract, Math::Refract, Emits::Glsl(Glsl::Refract)),
        "determinant" => of(Shape::Determinant, Math::Determinant, Emits::Glsl(Glsl::Determinant)),
        "transpose" => special(Shape::Transpose, Math::Transpose),
        "all" => special(Shape::Bools, Math::All),
        "any" => special(Shape::Bools, Math::Any),
        "select" => special(Shape::Select, Math::Select),
        "ldexp" => of(Shape::Ldexp, Math::Ldexp, Emits::Glsl(Glsl::Ldexp)),
        "pack4x8snorm" => {
            of(Shape::Pack(4), Math::Pack(Packing::Snorm8), Emits::Glsl(Glsl::PackSnorm4x8))
        }
        "pack4x8unorm" => {
            of(Shape::Pack(4), Math::Pack(Packing::Unorm8), Emits::Glsl(Glsl::PackUnorm4x8))
        }
        "pack2x16snorm" => {
            of(Shape::Pack(2), Math::Pack(Packing::Snorm16), Emits::Glsl(Glsl::PackSnorm2x16))
        }
        "pack2x16unorm" => {
            of(Shape::Pack(2), Math::Pack(Packing::Unorm16), Emits::Glsl(Glsl::PackUnorm2x16))
        }
        "pack2x16float" => {
            of(Shape::Pack(2), Math::Pack(Packing::Half), Emits::Glsl(Glsl::PackHalf2x16))
        }
        "unpack4x8snorm" => {
            of(Shape::Unpack(4), Math::Unpack(Packing::Snorm8), Emits::Glsl(Glsl::UnpackSnorm4x8))
        }
        "unpack4x8unorm" => {
            of(Shape::Unpack(4), Math::Unpack(Packing::Unorm8), Emits::Glsl(Glsl::UnpackUnorm4x8))
        }
        "unpack2x16snorm" => {
            of(Shape::Unpack(2), Math::Unpack(Packing::Snorm16), Emits::Glsl(Glsl::UnpackSnorm2x16))
        }
        "unpack2x16unorm" => {
            of(Shape::Unpack(2), Math::Unpack(Packing::Unorm16), Emits::Glsl(Glsl::UnpackUnorm2x16))
        }
        "unpack2x16float" => {
            of(Shape::Unpack(2), Math::Unpack(Packing::Half), Emits::Glsl(Glsl::UnpackHalf2x16))
        }
        "pack4xI8" => {
            special(Shape::PackBytes(true), Math::PackBytes { signed: true, clamped: false })
        }
        "pack4xU8" => {
            special(Shape::PackBytes(false), Math::PackBytes { signed: false, clamped: false })
        }
        "pack4xI8Clamp" => {
            special(Shape::PackBytes(true), Math::PackBytes { signed: true, clamped: true })
        }
        "pack4xU8Clamp" => {
            special(Shape::PackBytes(false), Math::PackBytes { signed: false, clamped: true })
        }
        "unpack4xI8" => special(Shape::UnpackBytes(true), Math::UnpackBytes { signed: true }),
        "unpack4xU8" => special(Shape::UnpackBytes(false), Math::UnpackBytes { signed: false }),
        "dot4I8Packed" => special(Shape::DotBytes(true), Math::DotBytes { signed: true }),
        "dot4U8Packed" => special(Shape::DotBytes(false), Math::DotBytes { signed: false }),
        _ => None,
    }
}

/// Numeric functions.
const NUMERIC: [&str; 83] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "atan2",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "log",
    "log2",
    "pow",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "ceil",
    "floor",
    "trunc",
    "round",
    "fract",
    "sqrt",
    "inverseSqrt",
    "radians",
    "degrees",
    "saturate",
    "quantizeToF16",
    "step",
    "smoothstep",
    "fma",
    "mix",
    "abs",
    "sign",
    "min",
    "max",
    "clamp",
    "countLeadingZeros",
    "countTrailingZeros",
    "countOneBits",
    "reverseBits",
    "firstTrailingBit",
    "firstLeadingBit",
    "extractBits",
    "insertBits",
    "dot",
    "cross",
    "length",
    "distance",
    "normalize",
    "faceForward",
    "reflect",
    "refract",
    "determinant",
    "transpose",
    "all",
    "any",
    "select",
    "ldexp",
    "pack4x8snorm",
    "pack4x8unorm",
    "pack2x16snorm",
    "pack2x16unorm",
    "pack2x16float",
    "unpack4x8snorm",
    "unpack4x8unorm",
    "unpack2x16snorm",
    "unpack2x16unorm",
    "unpack2x16float",
    "pack4xI8",
    "pack4xU8",
    "pack4xI8Clamp",
    "pack4xU8Clamp",
    "unpack4xI8",
    "unpack4xU8",
    "dot4I8Packed",
    "dot4U8Packed",
    "modf",
    "frexp",
    "arrayLength",
    "workgroupUniformLoad",
    "bitcast",
];

/// Other functions.
const OTHERS: [&str; 43] = [
    "dpdx",
    "dpdxCoarse",
    "dpdxFine",
    "dpdy",
    "dpdyCoarse",
    "dpdyFine",
    "fwidth",
    "fwidthCoarse",
    "fwidthFine",
    "textureDimensions",
    "textureGather",
    "textureGatherCompare",
    "textureLoad",
    "textureNumLayers",
    "textureNumLevels",
    "textureNumSamples",
    "textureSample",
    "textureSampleBias",
    "textureSampleCompare",
    "textureSampleCompareLevel",
    "textureSampleGrad",
    "textureSampleLevel",
    "textureSampleBaseClampToEdge",
    "textureStore",
    "atomicLoad",
    "atomicStore",
    "atomicAdd",
    "atomicSub",
    "atomicMax",
    "atomicMin",
    "atomicAnd",
    "atomicOr",
    "atomicXor",
    "atomicExchange",
    "atomicCompareExchangeWeak",
    "storageBarrier",
    "textureBarrier",
    "workgroupBarrier",
    "subgroupBarrier",
    "rayQueryInitialize",
    "rayQueryProceed",
    "rayQueryGetCommittedIntersection",
    "rayQueryGetCandidateIntersection",
];

/// The numeric function of a name.
pub(super) fn find(name: &str) -> Option<Row> {
    static ROWS: OnceLock<FxHashMap<&str, Row>> = OnceLock::new();
    let rows =
        ROWS.get_or_init(|| NUMERIC.iter().filter_map(|&name| Some((name, row(name)?))).collect());
    rows.get(name).copied()
}

/// True for a function of the language, built or not.
pub(super) fn is_function(name: &str) -> bool {
    find(name).is_some()
        || NUMERIC.contains(&name)
        || OTHERS.contains(&name)
        || name.starts_with("subgroup")
        || name.starts_with("quad")
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NUMERIC.into_iter().chain(OTHERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numeric_functions_have_rows() {
        let without = ["modf", "frexp", "arrayLength", "workgroupUniformLoad", "bitcast"];
        for name in NUMERIC {
            assert_eq!(find(name).is_none(), without.contains(&name), "{name}");
        }
    }
}
