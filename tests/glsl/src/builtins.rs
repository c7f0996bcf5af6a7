//! The builtin functions that programs call.

use crate::dialect::Dialect;
use crate::types::Scalar;

/// Availability of a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// In all dialects.
    Always,
    /// In all but `#version 100`.
    Es300,
    /// In desktop versions from 330 and in 300 es.
    Desktop,
    /// In 450 and 300 es.
    Packing,
    /// In 450 only.
    Vulkan,
}

macro_rules! builtins {
    ($($variant:ident $name:literal $since:ident,)*) => {
        /// A builtin function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the function of its name")]
        pub enum Builtin { $($variant,)* }

        impl Builtin {
            /// The name in the text.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            fn since(self) -> Since {
                match self { $(Self::$variant => Since::$since,)* }
            }
        }
    };
}

builtins! {
    Radians "radians" Always,
    Degrees "degrees" Always,
    Sin "sin" Always,
    Cos "cos" Always,
    Tan "tan" Always,
    Asin "asin" Always,
    Acos "acos" Always,
    Atan "atan" Always,
    Atan2 "atan" Always,
    Sinh "sinh" Es300,
    Cosh "cosh" Es300,
    Tanh "tanh" Es300,
    Asinh "asinh" Es300,
    Acosh "acosh" Es300,
    Atanh "atanh" Es300,
    Pow "pow" Always,
    Exp "exp" Always,
    Log "log" Always,
    Exp2 "exp2" Always,
    Log2 "log2" Always,
    Sqrt "sqrt" Always,
    InverseSqrt "inversesqrt" Always,
    Abs "abs" Always,
    Sign "sign" Always,
    Floor "floor" Always,
    Trunc "trunc" Es300,
    Round "round" Es300,
    RoundEven "roundEven" Es300,
    Ceil "ceil" Always,
    Fract "fract" Always,
    Mod "mod" Always,
    Min "min" Always,
    Max "max" Always,
    Clamp "clamp" Always,
    Mix "mix" Always,
    // With bools; of integers since 450.
    Choose "mix" Es300,
    Step "step" Always,
    SmoothStep "smoothstep" Always,
    Length "length" Always,
    Distance "distance" Always,
    Dot "dot" Always,
    Cross "cross" Always,
    Normalize "normalize" Always,
    FaceForward "faceforward" Always,
    Reflect "reflect" Always,
    Refract "refract" Always,
    Fma "fma" Vulkan,
    IsNan "isnan" Es300,
    IsInf "isinf" Es300,
    Modf "modf" Es300,
    Frexp "frexp" Vulkan,
    Ldexp "ldexp" Vulkan,
    MatrixCompMult "matrixCompMult" Always,
    OuterProduct "outerProduct" Es300,
    Transpose "transpose" Es300,
    Determinant "determinant" Es300,
    Inverse "inverse" Es300,
    LessThan "lessThan" Always,
    LessThanEqual "lessThanEqual" Always,
    GreaterThan "greaterThan" Always,
    GreaterThanEqual "greaterThanEqual" Always,
    Equal "equal" Always,
    NotEqual "notEqual" Always,
    Any "any" Always,
    All "all" Always,
    Not "not" Always,
    FloatBitsToInt "floatBitsToInt" Desktop,
    FloatBitsToUint "floatBitsToUint" Desktop,
    IntBitsToFloat "intBitsToFloat" Desktop,
    UintBitsToFloat "uintBitsToFloat" Desktop,
    BitfieldExtract "bitfieldExtract" Vulkan,
    BitfieldInsert "bitfieldInsert" Vulkan,
    BitfieldReverse "bitfieldReverse" Vulkan,
    BitCount "bitCount" Vulkan,
    FindLsb "findLSB" Vulkan,
    FindMsb "findMSB" Vulkan,
    AddCarry "uaddCarry" Vulkan,
    SubBorrow "usubBorrow" Vulkan,
    MulExtended "umulExtended" Vulkan,
    SignedMulExtended "imulExtended" Vulkan,
    PackUnorm2x16 "packUnorm2x16" Packing,
    PackSnorm2x16 "packSnorm2x16" Packing,
    PackHalf2x16 "packHalf2x16" Packing,
    PackUnorm4x8 "packUnorm4x8" Vulkan,
    PackSnorm4x8 "packSnorm4x8" Vulkan,
    UnpackUnorm2x16 "unpackUnorm2x16" Packing,
    UnpackSnorm2x16 "unpackSnorm2x16" Packing,
    UnpackHalf2x16 "unpackHalf2x16" Packing,
    UnpackUnorm4x8 "unpackUnorm4x8" Vulkan,
    UnpackSnorm4x8 "unpackSnorm4x8" Vulkan,
    DFdx "dFdx" Es300,
    DFdy "dFdy" Es300,
    FWidth "fwidth" Es300,
}

impl Builtin {
    /// True if the dialect has the function.
    pub fn is_in(self, dialect: Dialect) -> bool {
        match self.since() {
            Since::Always => true,
            Since::Es300 | Since::Desktop => dialect != Dialect::Es100,
            Since::Packing => matches!(dialect, Dialect::Vulkan | Dialect::Es300),
            Since::Vulkan => dialect == Dialect::Vulkan,
        }
    }

    /// The first of the arguments that are `out`. All after it are, too.
    pub fn first_out(self) -> Option<usize> {
        match self {
            Self::Modf | Self::Frexp => Some(1),
            Self::AddCarry | Self::SubBorrow | Self::MulExtended | Self::SignedMulExtended => {
                Some(2)
            }
            _ => None,
        }
    }

    /// The scalar of `out` arguments.
    pub fn out_scalar(self) -> Scalar {
        match self {
            Self::Frexp | Self::SignedMulExtended => Scalar::Int,
            Self::AddCarry | Self::SubBorrow | Self::MulExtended => Scalar::Uint,
            _ => Scalar::Float,
        }
    }

    /// True for a derivative.
    pub fn is_derivative(self) -> bool {
        matches!(self, Self::DFdx | Self::DFdy | Self::FWidth)
    }
}
