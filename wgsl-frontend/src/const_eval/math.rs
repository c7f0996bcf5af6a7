//! Names of the numeric functions.

use lambdav_core::op::Elementary;

/// A numeric function that can be computed beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Math {
    Elementary(Elementary),
    Abs,
    Ceil,
    Floor,
    Trunc,
    Round,
    Fract,
    Sqrt,
    InverseSqrt,
    Radians,
    Degrees,
    Saturate,
    Sign,
    Min,
    Max,
    Clamp,
    Step,
    SmoothStep,
    Mix,
    Fma,
    QuantizeToF16,
    Ldexp,
    CountLeadingZeros,
    CountTrailingZeros,
    CountOneBits,
    FirstLeadingBit,
    FirstTrailingBit,
    ReverseBits,
    ExtractBits,
    InsertBits,
    Dot,
    Cross,
    Length,
    Distance,
    Normalize,
    FaceForward,
    Reflect,
    Refract,
    Determinant,
    Transpose,
    All,
    Any,
    Select,
    Pack(Packing),
    Unpack(Packing),
    PackBytes { signed: bool, clamped: bool },
    UnpackBytes { signed: bool },
    DotBytes { signed: bool },
}

/// Formats of packed vectors of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Snorm8,
    Unorm8,
    Snorm16,
    Unorm16,
    Half,
}
