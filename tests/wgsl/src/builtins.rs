//! The functions of the language that programs call.

pub use lambdav_glsl_tests::builtins::Builtin as Shared;

/// The parameters of a function. `T` is a scalar or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// So many `T` of floats.
    Floats(usize),
    /// So many `T` of integers or floats.
    Numbers(usize),
    /// One `T` of signed numbers.
    Signed,
    /// One `T` of integers.
    Integer,
    /// `T` of integers, so many of it, an offset and a count.
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
    /// Two vectors of floats, and a float.
    Refract,
    /// A square matrix; the result is a float.
    Determinant,
    /// A matrix.
    Transpose,
    /// A `bool` or a vector of them; the result is a `bool`.
    Bools,
    /// Two `T`, and a `bool` or a vector of them.
    Select,
    /// `T` of floats, and one of exponents.
    Ldexp,
    /// `T` of floats; the result is one of exponents.
    Exponent,
    /// A vector of so many floats; the result is a `u32`.
    Pack(u8),
    /// A `u32`; the result is a vector of so many floats.
    Unpack(u8),
    /// A vector of four integers, signed if true; the result is a `u32`.
    PackBytes(bool),
    /// A `u32`; the result is a vector of four integers.
    UnpackBytes(bool),
    /// Two `u32`; the result is an integer.
    DotBytes(bool),
    /// A derivative.
    Derivative,
}

macro_rules! builtins {
    ($($variant:ident $name:literal $shape:expr,)*) => {
        /// A function of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the function of its name")]
        pub enum Builtin { $($variant,)* }

        impl Builtin {
            /// All functions.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in the text. A member of the result follows in those with a dot.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The parameters.
            pub fn shape(self) -> Shape {
                match self { $(Self::$variant => $shape,)* }
            }
        }
    };
}

builtins! {
    Acos "acos" Shape::Floats(1),
    Acosh "acosh" Shape::Floats(1),
    Asin "asin" Shape::Floats(1),
    Asinh "asinh" Shape::Floats(1),
    Atan "atan" Shape::Floats(1),
    Atanh "atanh" Shape::Floats(1),
    Atan2 "atan2" Shape::Floats(2),
    Cos "cos" Shape::Floats(1),
    Cosh "cosh" Shape::Floats(1),
    Exp "exp" Shape::Floats(1),
    Exp2 "exp2" Shape::Floats(1),
    Log "log" Shape::Floats(1),
    Log2 "log2" Shape::Floats(1),
    Pow "pow" Shape::Floats(2),
    Sin "sin" Shape::Floats(1),
    Sinh "sinh" Shape::Floats(1),
    Tan "tan" Shape::Floats(1),
    Tanh "tanh" Shape::Floats(1),
    Ceil "ceil" Shape::Floats(1),
    Floor "floor" Shape::Floats(1),
    Trunc "trunc" Shape::Floats(1),
    Round "round" Shape::Floats(1),
    Fract "fract" Shape::Floats(1),
    Sqrt "sqrt" Shape::Floats(1),
    InverseSqrt "inverseSqrt" Shape::Floats(1),
    Radians "radians" Shape::Floats(1),
    Degrees "degrees" Shape::Floats(1),
    Saturate "saturate" Shape::Floats(1),
    QuantizeToF16 "quantizeToF16" Shape::Floats(1),
    ModfFract "modf.fract" Shape::Floats(1),
    ModfWhole "modf.whole" Shape::Floats(1),
    FrexpFract "frexp.fract" Shape::Floats(1),
    FrexpExp "frexp.exp" Shape::Exponent,
    Step "step" Shape::Floats(2),
    SmoothStep "smoothstep" Shape::Floats(3),
    Fma "fma" Shape::Floats(3),
    Mix "mix" Shape::Mix,
    Abs "abs" Shape::Numbers(1),
    Sign "sign" Shape::Signed,
    Min "min" Shape::Numbers(2),
    Max "max" Shape::Numbers(2),
    Clamp "clamp" Shape::Numbers(3),
    CountLeadingZeros "countLeadingZeros" Shape::Integer,
    CountTrailingZeros "countTrailingZeros" Shape::Integer,
    CountOneBits "countOneBits" Shape::Integer,
    ReverseBits "reverseBits" Shape::Integer,
    FirstTrailingBit "firstTrailingBit" Shape::Integer,
    FirstLeadingBit "firstLeadingBit" Shape::Integer,
    ExtractBits "extractBits" Shape::Field(0),
    InsertBits "insertBits" Shape::Field(1),
    Dot "dot" Shape::Dot,
    Cross "cross" Shape::Cross,
    Length "length" Shape::Length(1),
    Distance "distance" Shape::Length(2),
    Normalize "normalize" Shape::Vectors(1),
    FaceForward "faceForward" Shape::Vectors(3),
    Reflect "reflect" Shape::Vectors(2),
    Refract "refract" Shape::Refract,
    Determinant "determinant" Shape::Determinant,
    Transpose "transpose" Shape::Transpose,
    All "all" Shape::Bools,
    Any "any" Shape::Bools,
    Select "select" Shape::Select,
    Ldexp "ldexp" Shape::Ldexp,
    Pack4x8snorm "pack4x8snorm" Shape::Pack(4),
    Pack4x8unorm "pack4x8unorm" Shape::Pack(4),
    Pack2x16snorm "pack2x16snorm" Shape::Pack(2),
    Pack2x16unorm "pack2x16unorm" Shape::Pack(2),
    Pack2x16float "pack2x16float" Shape::Pack(2),
    Unpack4x8snorm "unpack4x8snorm" Shape::Unpack(4),
    Unpack4x8unorm "unpack4x8unorm" Shape::Unpack(4),
    Unpack2x16snorm "unpack2x16snorm" Shape::Unpack(2),
    Unpack2x16unorm "unpack2x16unorm" Shape::Unpack(2),
    Unpack2x16float "unpack2x16float" Shape::Unpack(2),
    Pack4xI8 "pack4xI8" Shape::PackBytes(true),
    Pack4xU8 "pack4xU8" Shape::PackBytes(false),
    Pack4xI8Clamp "pack4xI8Clamp" Shape::PackBytes(true),
    Pack4xU8Clamp "pack4xU8Clamp" Shape::PackBytes(false),
    Unpack4xI8 "unpack4xI8" Shape::UnpackBytes(true),
    Unpack4xU8 "unpack4xU8" Shape::UnpackBytes(false),
    Dot4I8Packed "dot4I8Packed" Shape::DotBytes(true),
    Dot4U8Packed "dot4U8Packed" Shape::DotBytes(false),
    Dpdx "dpdx" Shape::Derivative,
    DpdxFine "dpdxFine" Shape::Derivative,
    DpdxCoarse "dpdxCoarse" Shape::Derivative,
    Dpdy "dpdy" Shape::Derivative,
    DpdyFine "dpdyFine" Shape::Derivative,
    DpdyCoarse "dpdyCoarse" Shape::Derivative,
    Fwidth "fwidth" Shape::Derivative,
    FwidthFine "fwidthFine" Shape::Derivative,
    FwidthCoarse "fwidthCoarse" Shape::Derivative,
}

impl Builtin {
    /// True for a derivative.
    pub fn is_derivative(self) -> bool {
        self.shape() == Shape::Derivative
    }

    /// The function of GLSL with the same meaning.
    pub fn shared(self) -> Option<Shared> {
        Some(match self {
            Self::Acos => Shared::Acos,
            Self::Acosh => Shared::Acosh,
            Self::Asin => Shared::Asin,
            Self::Asinh => Shared::Asinh,
            Self::Atan => Shared::Atan,
            Self::Atanh => Shared::Atanh,
            Self::Atan2 => Shared::Atan2,
            Self::Cos => Shared::Cos,
            Self::Cosh => Shared::Cosh,
            Self::Exp => Shared::Exp,
            Self::Exp2 => Shared::Exp2,
            Self::Log => Shared::Log,
            Self::Log2 => Shared::Log2,
            Self::Pow => Shared::Pow,
            Self::Sin => Shared::Sin,
            Self::Sinh => Shared::Sinh,
            Self::Tan => Shared::Tan,
            Self::Tanh => Shared::Tanh,
            Self::Ceil => Shared::Ceil,
            Self::Floor => Shared::Floor,
            Self::Trunc => Shared::Trunc,
            Self::Round => Shared::RoundEven,
            Self::Fract => Shared::Fract,
            Self::Sqrt => Shared::Sqrt,
            Self::InverseSqrt => Shared::InverseSqrt,
            Self::Radians => Shared::Radians,
            Self::Degrees => Shared::Degrees,
            Self::ModfFract | Self::ModfWhole => Shared::Modf,
            Self::FrexpFract | Self::FrexpExp => Shared::Frexp,
            Self::Step => Shared::Step,
            Self::SmoothStep => Shared::SmoothStep,
            Self::Fma => Shared::Fma,
            Self::Mix => Shared::Mix,
            Self::Sign => Shared::Sign,
            Self::Min => Shared::Min,
            Self::Max => Shared::Max,
            Self::Clamp => Shared::Clamp,
            Self::CountOneBits => Shared::BitCount,
            Self::ReverseBits => Shared::BitfieldReverse,
            Self::FirstTrailingBit => Shared::FindLsb,
            Self::FirstLeadingBit => Shared::FindMsb,
            Self::ExtractBits => Shared::BitfieldExtract,
            Self::InsertBits => Shared::BitfieldInsert,
            Self::Cross => Shared::Cross,
            Self::Length => Shared::Length,
            Self::Distance => Shared::Distance,
            Self::Normalize => Shared::Normalize,
            Self::FaceForward => Shared::FaceForward,
            Self::Reflect => Shared::Reflect,
            Self::Refract => Shared::Refract,
            Self::Determinant => Shared::Determinant,
            Self::Transpose => Shared::Transpose,
            Self::All => Shared::All,
            Self::Any => Shared::Any,
            Self::Select => Shared::Choose,
            Self::Ldexp => Shared::Ldexp,
            Self::Pack4x8snorm => Shared::PackSnorm4x8,
            Self::Pack4x8unorm => Shared::PackUnorm4x8,
            Self::Pack2x16snorm => Shared::PackSnorm2x16,
            Self::Pack2x16unorm => Shared::PackUnorm2x16,
            Self::Pack2x16float => Shared::PackHalf2x16,
            Self::Unpack4x8snorm => Shared::UnpackSnorm4x8,
            Self::Unpack4x8unorm => Shared::UnpackUnorm4x8,
            Self::Unpack2x16snorm => Shared::UnpackSnorm2x16,
            Self::Unpack2x16unorm => Shared::UnpackUnorm2x16,
            Self::Unpack2x16float => Shared::UnpackHalf2x16,
            _ => return None,
        })
    }
}
