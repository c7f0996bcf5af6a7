//! The built-in functions whose parameters are numbers: names, versions, forms, and what each becomes.
//!
//! A form is a result and parameters, one letter each:
//!
//! | letter | type |
//! |---|---|
//! | `F I U B` | scalar or vector of float, int, uint, bool; all of a form have one width |
//! | `V W X Y` | the same, vectors only |
//! | `Z` | a float vector of another width |
//! | `f i u b` | scalar |
//! | `s t r` | scalar of float, int, uint that is repeated in each component |
//! | `2 3 4` | `vec2`, `vec3`, `vec4` |
//! | `M Q` | float matrix, square float matrix; all of a form are the same |
//! | `v *` | nothing; the special function says what (results only) |
//!
//! In front of a parameter, `o` is `out`, and `p` passes the variable itself. A form behind `>` needs version
//! 130, or 300 es.

use crate::types::{Scalar, Type};
use rspirv::spirv::GlslStd450Op as Glsl;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, OnceLock};

/// The stages that have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stages {
    All,
    Fragment,
    Compute,
}

/// What a call becomes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Emits {
    /// An instruction of GLSL.std.450.
    Ext(Glsl),
    /// One for float, int and uint of the first argument.
    Ext3(Glsl, Glsl, Glsl),
    /// An instruction.
    Op(Op),
    /// One for float, int, uint and bool of the first argument.
    Op4(Op, Op, Op, Op),
    /// One that returns a structure, whose members go to the places in this order; `None` is the result.
    Parts(Part, &'static [Option<usize>]),
    /// A derivative that needs DerivativeControl.
    Derivative(Op),
    /// An atomic operation, for int and uint.
    Atomic(Op, Op),
    /// A memory barrier: its scope and semantics.
    Memory(u32, u32),
    /// A function of its own.
    Special,
}

/// The instruction of [`Emits::Parts`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Ext(Glsl),
    Op(Op),
}

/// A built-in function.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The first version of GLSL, and of GLSL ES. Versions that get it by an extension count.
    pub(super) since: [u32; 2],
    pub(super) stages: Stages,
    letters: &'static str,
    pub(super) emits: Emits,
    forms: OnceLock<Vec<Form>>,
}

impl Row {
    /// The forms, in the order of preference.
    pub(super) fn forms(&self) -> &[Form] {
        self.forms.get_or_init(|| forms(self.letters))
    }
}

/// A version that does not exist.
pub(super) const NEVER: u32 = 9999;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Fixed(u8),
    /// A scalar or vector.
    Any,
    Vector,
    /// A vector of another width.
    Other,
    Matrix,
    Square,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Value,
    Out,
    /// The variable itself.
    Place,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) scalar: Scalar,
    pub(super) shape: Shape,
    pub(super) pass: Pass,
    /// A scalar that is repeated in each component.
    pub(super) repeats: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Returns {
    Nothing,
    Special,
    Of(Parameter),
}

#[derive(Clone, Debug)]
pub(super) struct Form {
    /// True if it needs version 130, or 300 es.
    pub(super) later: bool,
    pub(super) returns: Returns,
    pub(super) parameters: Vec<Parameter>,
}

/// What the letters of a form stand for in a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Binding {
    /// The width of vectors; 0 is unknown.
    pub(super) width: u8,
    pub(super) other: u8,
    pub(super) matrix: Option<Type>,
}

impl Binding {
    /// Binds the width, or compares it.
    pub(super) fn of_width(&mut self, width: u8) -> bool {
        if self.width == 0 {
            self.width = width;
        }
        self.width == width
    }

    /// Binds the matrix, or compares it.
    pub(super) fn of_matrix(&mut self, ty: Type) -> bool {
        *self.matrix.get_or_insert(ty) == ty
    }
}

fn parameter(letter: char, pass: Pass) -> Parameter {
    use Scalar::{Bool, Float, Int, Uint};
    let (scalar, shape) = match letter {
        'F' => (Float, Shape::Any),
        'I' => (Int, Shape::Any),
        'U' => (Uint, Shape::Any),
        'B' => (Bool, Shape::Any),
        'V' => (Float, Shape::Vector),
        'W' => (Int, Shape::Vector),
        'X' => (Uint, Shape::Vector),
        'Y' => (Bool, Shape::Vector),
        'Z' => (Float, Shape::Other),
        'i' | 't' => (Int, Shape::Fixed(1)),
        'u' | 'r' => (Uint, Shape::Fixed(1)),
        'b' => (Bool, Shape::Fixed(1)),
        '2' => (Float, Shape::Fixed(2)),
        '3' => (Float, Shape::Fixed(3)),
        '4' => (Float, Shape::Fixed(4)),
        'M' => (Float, Shape::Matrix),
        'Q' => (Float, Shape::Square),
        _ => (Float, Shape::Fixed(1)),
    };
    Parameter { scalar, shape, pass, repeats: matches!(letter, 's' | 't' | 'r') }
}

/// The forms that letters describe.
fn forms(text: &str) -> Vec<Form> {
    let form = |text: &str| {
        let (later, text) = match text.strip_prefix('>') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (result, letters) = text.split_once(':').unwrap_or((text, ""));
        let returns = match result.chars().next() {
            Some('v') | None => Returns::Nothing,
            Some('*') => Returns::Special,
            Some(letter) => Returns::Of(parameter(letter, Pass::Value)),
        };
        let mut parameters = Vec::new();
        let mut pass = Pass::Value;
        for letter in letters.chars() {
            match letter {
                'o' => pass = Pass::Out,
                'p' => pass = Pass::Place,
                _ => parameters.push(parameter(letter, std::mem::replace(&mut pass, Pass::Value))),
            }
        }
        Form { later, returns, parameters }
    };
    text.split(' ').map(form).collect()
}

/// The row of a name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    static ROWS: LazyLock<FxHashMap<&'static str, &'static Row>> =
        LazyLock::new(|| TABLE.iter().map(|row| (row.name, row)).collect());
    ROWS.get(name).copied()
}

/// All rows.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter()
}

const fn row(name: &'static str, since: [u32; 2], letters: &'static str, emits: Emits) -> Row {
    Row { name, since, stages: Stages::All, letters, emits, forms: OnceLock::new() }
}

const fn fragment(name: &'static str, since: [u32; 2], letters: &'static str, emits: Emits) -> Row {
    Row { name, since, stages: Stages::Fragment, letters, emits, forms: OnceLock::new() }
}

const fn compute(name: &'static str, emits: Emits) -> Row {
    let since = [420, 310];
    Row { name, since, stages: Stages::Compute, letters: "v:", emits, forms: OnceLock::new() }
}

const ALWAYS: [u32; 2] = [0, 0];
const V130: [u32; 2] = [130, 300];
const V310: [u32; 2] = [130, 310];
const ATOMIC: [u32; 2] = [400, 310];

use Emits::{Atomic, Derivative, Ext, Ext3, Memory, Op4, Parts, Special};

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    vec![
        // Angles.
        row("radians", ALWAYS, "F:F", Ext(Glsl::Radians)),
        row("degrees", ALWAYS, "F:F", Ext(Glsl::Degrees)),
        row("sin", ALWAYS, "F:F", Ext(Glsl::Sin)),
        row("cos", ALWAYS, "F:F", Ext(Glsl::Cos)),
        row("tan", ALWAYS, "F:F", Ext(Glsl::Tan)),
        row("asin", ALWAYS, "F:F", Ext(Glsl::Asin)),
        row("acos", ALWAYS, "F:F", Ext(Glsl::Acos)),
        row("atan", ALWAYS, "F:F F:FF", Special),
        row("sinh", V130, "F:F", Ext(Glsl::Sinh)),
        row("cosh", V130, "F:F", Ext(Glsl::Cosh)),
        row("tanh", V130, "F:F", Ext(Glsl::Tanh)),
        row("asinh", V130, "F:F", Ext(Glsl::Asinh)),
        row("acosh", V130, "F:F", Ext(Glsl::Acosh)),
        row("atanh", V130, "F:F", Ext(Glsl::Atanh)),
        // Exponentials.
        row("pow", ALWAYS, "F:FF", Ext(Glsl::Pow)),
        row("exp", ALWAYS, "F:F", Ext(Glsl::Exp)),
        row("log", ALWAYS, "F:F", Ext(Glsl::Log)),
        row("exp2", ALWAYS, "F:F", Ext(Glsl::Exp2)),
        row("log2", ALWAYS, "F:F", Ext(Glsl::Log2)),
        row("sqrt", ALWAYS, "F:F", Ext(Glsl::Sqrt)),
        row("inversesqrt", ALWAYS, "F:F", Ext(Glsl::InverseSqrt)),
        // Common functions.
        row("abs", ALWAYS, "F:F >I:I", Ext3(Glsl::FAbs, Glsl::SAbs, Glsl::SAbs)),
        row("sign", ALWAYS, "F:F >I:I", Ext3(Glsl::FSign, Glsl::SSign, Glsl::SSign)),
        row("floor", ALWAYS, "F:F", Ext(Glsl::Floor)),
        row("ceil", ALWAYS, "F:F", Ext(Glsl::Ceil)),
        row("fract", ALWAYS, "F:F", Ext(Glsl::Fract)),
        row("trunc", V130, "F:F", Ext(Glsl::Trunc)),
        row("round", V130, "F:F", Ext(Glsl::Round)),
        row("roundEven", V130, "F:F", Ext(Glsl::RoundEven)),
        row("mod", ALWAYS, "F:FF F:Fs", Emits::Op(Op::FMod)),
        row("modf", V130, "F:FoF", Parts(Part::Ext(Glsl::ModfStruct), &[None, Some(1)])),
        row(
            "min",
            ALWAYS,
            "F:FF F:Fs >I:II >I:It >U:UU >U:Ur",
            Ext3(Glsl::FMin, Glsl::SMin, Glsl::UMin),
        ),
        row(
            "max",
            ALWAYS,
            "F:FF F:Fs >I:II >I:It >U:UU >U:Ur",
            Ext3(Glsl::FMax, Glsl::SMax, Glsl::UMax),
        ),
        row(
            "clamp",
            ALWAYS,
            "F:FFF F:Fss >I:III >I:Itt >U:UUU >U:Urr",
            Ext3(Glsl::FClamp, Glsl::SClamp, Glsl::UClamp),
        ),
        row("mix", ALWAYS, "F:FFF F:FFs >F:FFB >I:IIB >U:UUB >B:BBB", Special),
        row("step", ALWAYS, "F:FF F:sF", Ext(Glsl::Step)),
        row("smoothstep", ALWAYS, "F:FFF F:ssF", Ext(Glsl::SmoothStep)),
        row("isnan", V130, "B:F", Emits::Op(Op::IsNan)),
        row("isinf", V130, "B:F", Emits::Op(Op::IsInf)),
        row("floatBitsToInt", V130, "I:F", Emits::Op(Op::Bitcast)),
        row("floatBitsToUint", V130, "U:F", Emits::Op(Op::Bitcast)),
        row("intBitsToFloat", V130, "F:I", Emits::Op(Op::Bitcast)),
        row("uintBitsToFloat", V130, "F:U", Emits::Op(Op::Bitcast)),
        row("fma", V310, "F:FFF", Ext(Glsl::Fma)),
        row("frexp", V310, "F:FoI", Parts(Part::Ext(Glsl::FrexpStruct), &[None, Some(1)])),
        row("ldexp", V310, "F:FI", Ext(Glsl::Ldexp)),
        // Packing.
        row("packUnorm2x16", V130, "u:2", Ext(Glsl::PackUnorm2x16)),
        row("packSnorm2x16", V130, "u:2", Ext(Glsl::PackSnorm2x16)),
        row("packUnorm4x8", V130, "u:4", Ext(Glsl::PackUnorm4x8)),
        row("packSnorm4x8", V130, "u:4", Ext(Glsl::PackSnorm4x8)),
        row("packHalf2x16", V130, "u:2", Ext(Glsl::PackHalf2x16)),
        row("unpackUnorm2x16", V130, "2:u", Ext(Glsl::UnpackUnorm2x16)),
        row("unpackSnorm2x16", V130, "2:u", Ext(Glsl::UnpackSnorm2x16)),
        row("unpackUnorm4x8", V130, "4:u", Ext(Glsl::UnpackUnorm4x8)),
        row("unpackSnorm4x8", V130, "4:u", Ext(Glsl::UnpackSnorm4x8)),
        row("unpackHalf2x16", V130, "2:u", Ext(Glsl::UnpackHalf2x16)),
        // Geometry.
        row("length", ALWAYS, "f:F", Ext(Glsl::Length)),
        row("distance", ALWAYS, "f:FF", Ext(Glsl::Distance)),
        row("dot", ALWAYS, "f:FF", Special),
        row("cross", ALWAYS, "3:33", Ext(Glsl::Cross)),
        row("normalize", ALWAYS, "F:F", Ext(Glsl::Normalize)),
        row("faceforward", ALWAYS, "F:FFF", Ext(Glsl::FaceForward)),
        row("reflect", ALWAYS, "F:FF", Ext(Glsl::Reflect)),
        row("refract", ALWAYS, "F:FFf", Ext(Glsl::Refract)),
        // Matrices.
        row("matrixCompMult", ALWAYS, "M:MM", Special),
        row("outerProduct", [120, 300], "*:VZ", Special),
        row("transpose", [120, 300], "*:M", Special),
        row("determinant", [120, 300], "f:Q", Ext(Glsl::Determinant)),
        row("inverse", [120, 300], "Q:Q", Ext(Glsl::MatrixInverse)),
        // Relations of vectors.
        row(
            "lessThan",
            ALWAYS,
            "Y:VV Y:WW >Y:XX",
            Op4(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan, Op::Nop),
        ),
        row(
            "lessThanEqual",
            ALWAYS,
            "Y:VV Y:WW >Y:XX",
            Op4(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual, Op::Nop),
        ),
        row(
            "greaterThan",
            ALWAYS,
            "Y:VV Y:WW >Y:XX",
            Op4(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan, Op::Nop),
        ),
        row(
            "greaterThanEqual",
            ALWAYS,
            "Y:VV Y:WW >Y:XX",
            Op4(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual, Op::Nop),
        ),
        row(
            "equal",
            ALWAYS,
            "Y:VV Y:WW >Y:XX Y:YY",
            Op4(Op::FOrdEqual, Op::IEqual, Op::IEqual, Op::LogicalEqual),
        ),
        row(
            "notEqual",
            ALWAYS,
            "Y:VV Y:WW >Y:XX Y:YY",
            Op4(Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual, Op::LogicalNotEqual),
        ),
        row("any", ALWAYS, "b:Y", Emits::Op(Op::Any)),
        row("all", ALWAYS, "b:Y", Emits::Op(Op::All)),
        row("not", ALWAYS, "Y:Y", Emits::Op(Op::LogicalNot)),
        // Integers.
        row("uaddCarry", V310, "U:UUoU", Parts(Part::Op(Op::IAddCarry), &[None, Some(2)])),
        row("usubBorrow", V310, "U:UUoU", Parts(Part::Op(Op::ISubBorrow), &[None, Some(2)])),
        row(
            "umulExtended",
            V310,
            "v:UUoUoU",
            Parts(Part::Op(Op::UMulExtended), &[Some(3), Some(2)]),
        ),
        row(
            "imulExtended",
            V310,
            "v:IIoIoI",
            Parts(Part::Op(Op::SMulExtended), &[Some(3), Some(2)]),
        ),
        row(
            "bitfieldExtract",
            V310,
            "I:Iii U:Uii",
            Op4(Op::Nop, Op::BitFieldSExtract, Op::BitFieldUExtract, Op::Nop),
        ),
        row("bitfieldInsert", V310, "I:IIii U:UUii", Emits::Op(Op::BitFieldInsert)),
        row("bitfieldReverse", V310, "I:I U:U", Emits::Op(Op::BitReverse)),
        row("bitCount", V310, "I:I I:U", Emits::Op(Op::BitCount)),
        row("findLSB", V310, "I:I I:U", Ext(Glsl::FindILsb)),
        row("findMSB", V310, "I:I I:U", Ext3(Glsl::FindSMsb, Glsl::FindSMsb, Glsl::FindUMsb)),
        // Derivatives and interpolation.
        fragment("dFdx", ALWAYS, "F:F", Emits::Op(Op::DPdx)),
        fragment("dFdy", ALWAYS, "F:F", Emits::Op(Op::DPdy)),
        fragment("fwidth", ALWAYS, "F:F", Emits::Op(Op::Fwidth)),
        fragment("dFdxCoarse", [130, NEVER], "F:F", Derivative(Op::DPdxCoarse)),
        fragment("dFdyCoarse", [130, NEVER], "F:F", Derivative(Op::DPdyCoarse)),
        fragment("fwidthCoarse", [130, NEVER], "F:F", Derivative(Op::FwidthCoarse)),
        fragment("dFdxFine", [130, NEVER], "F:F", Derivative(Op::DPdxFine)),
        fragment("dFdyFine", [130, NEVER], "F:F", Derivative(Op::DPdyFine)),
        fragment("fwidthFine", [130, NEVER], "F:F", Derivative(Op::FwidthFine)),
        fragment("interpolateAtCentroid", V310, "F:pF", Special),
        fragment("interpolateAtSample", V310, "F:pFi", Special),
        fragment("interpolateAtOffset", V310, "F:pF2", Special),
        // Noise, which is zero everywhere.
        row("noise1", [0, NEVER], "f:F", Special),
        row("noise2", [0, NEVER], "2:F", Special),
        row("noise3", [0, NEVER], "3:F", Special),
        row("noise4", [0, NEVER], "4:F", Special),
        // Atomic operations.
        row("atomicAdd", ATOMIC, "u:puu i:pii", Atomic(Op::AtomicIAdd, Op::AtomicIAdd)),
        row("atomicMin", ATOMIC, "u:puu i:pii", Atomic(Op::AtomicSMin, Op::AtomicUMin)),
        row("atomicMax", ATOMIC, "u:puu i:pii", Atomic(Op::AtomicSMax, Op::AtomicUMax)),
        row("atomicAnd", ATOMIC, "u:puu i:pii", Atomic(Op::AtomicAnd, Op::AtomicAnd)),
        row("atomicOr", ATOMIC, "u:puu i:pii", Atomic(Op::AtomicOr, Op::AtomicOr)),
        row("atomicXor", ATOMIC, "u:puu i:pii", Atomic(Op::AtomicXor, Op::AtomicXor)),
        row(
            "atomicExchange",
            ATOMIC,
            "u:puu i:pii",
            Atomic(Op::AtomicExchange, Op::AtomicExchange),
        ),
        row(
            "atomicCompSwap",
            ATOMIC,
            "u:puuu i:piii",
            Atomic(Op::AtomicCompareExchange, Op::AtomicCompareExchange),
        ),
        // Barriers: scope (1 device, 2 workgroup) and semantics, AcquireRelease with the memory of buffers (0x40), of the workgroup (0x100),
        // of atomic counters (0x400) and of images (0x800). Vulkan wants buffers beside atomic counters.
        compute("barrier", Special),
        row("memoryBarrier", [420, 310], "v:", Memory(1, 0xd48)),
        row("memoryBarrierBuffer", [420, 310], "v:", Memory(1, 0x48)),
        row("memoryBarrierAtomicCounter", [420, 310], "v:", Memory(1, 0x448)),
        row("memoryBarrierImage", [420, 310], "v:", Memory(1, 0x808)),
        compute("memoryBarrierShared", Memory(1, 0x108)),
        compute("groupMemoryBarrier", Memory(2, 0xd48)),
    ]
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row stands in the table once, and its forms use letters of the notation.
    #[test]
    fn rows() {
        let mut seen = std::collections::BTreeSet::new();
        for row in TABLE.iter() {
            assert!(seen.insert(row.name), "{} occurs twice", row.name);
            let known = |c: char| "FIUBVWXYZfiubstr234MQv*op>: ".contains(c);
            assert!(row.letters.chars().all(known), "{}: {}", row.name, row.letters);
            assert!(
                row.letters.split(' ').all(|form| form.matches(':').count() == 1),
                "{}",
                row.name
            );
        }
    }
}
