//! Instructions that our own emitter does not use, on operands near limits: the evaluator of words
//! against Rust's operations, and the raise against the evaluator.

use crate::tools::assemble;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::op::NAN;
use lambdav_core::schedule::schedule;
use lambdav_spirv_eval::{LoadOptions, Module, ModuleEvaluator, Resources, Undefined};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use lambdav_test_support::{INTEGERS, NUMBERS, Random, has_tool};

/// The result of an instruction for its operands.
type Meaning = fn([u32; 3]) -> u32;

/// Instructions from `%a %b %c` (uints), `%i %j` (the first two as ints) and `%x %y` (as floats) to the
/// uint `%r`, with their results.
const INTEGER: &[(&str, Meaning)] = &[
    ("%q = OpSRem %int %i %j\n %r = OpBitcast %uint %q", |[a, b, _]| match b {
        0 => 0,
        _ => (a as i32).wrapping_rem(b as i32) as u32,
    }),
    ("%q = OpSMod %int %i %j\n %r = OpBitcast %uint %q", |[a, b, _]| match b {
        0 => 0,
        _ => {
            let (a, b) = (i64::from(a as i32), i64::from(b as i32));
            (a - b * (a as f64 / b as f64).floor() as i64) as u32
        }
    }),
    ("%q = OpSDiv %int %i %j\n %r = OpBitcast %uint %q", |[a, b, _]| match b {
        0 => a,
        _ => (a as i32).wrapping_div(b as i32) as u32,
    }),
    ("%r = OpUMod %uint %a %b", |[a, b, _]| a.checked_rem(b).unwrap_or(0)),
    ("%r = OpBitCount %uint %a", |[a, ..]| a.count_ones()),
    ("%r = OpBitReverse %uint %a", |[a, ..]| a.reverse_bits()),
    ("%r = OpBitFieldInsert %uint %a %b %c %seven", |[a, b, c]| {
        let (offset, count) = (c.min(32), 7.min(32 - c.min(32)));
        let field = |k: u32| (offset..offset + count).contains(&k);
        let moved = |k: u32| (b >> (k - offset)) & 1;
        (0..32).map(|k| (if field(k) { moved(k) } else { a >> k & 1 }) << k).sum()
    }),
    ("%r = OpBitFieldUExtract %uint %a %b %c", |[a, b, c]| {
        let (offset, count) = (b.min(32), c.min(32 - b.min(32)));
        (0..count).map(|k| ((a >> (offset + k)) & 1) << k).sum()
    }),
    ("%q = OpBitFieldSExtract %int %i %b %c\n %r = OpBitcast %uint %q", |[a, b, c]| {
        let (offset, count) = (b.min(32), c.min(32 - b.min(32)));
        let bit = |k: u32| (a >> (offset + k.min(count - 1))) & 1;
        if count == 0 { 0 } else { (0..32).map(|k| bit(k) << k).sum() }
    }),
    ("%r = OpExtInst %uint %glsl FindILsb %a", |[a, ..]| match a {
        0 => u32::MAX,
        _ => a.trailing_zeros(),
    }),
    ("%r = OpExtInst %uint %glsl FindUMsb %a", |[a, ..]| 31_u32.wrapping_sub(a.leading_zeros())),
    ("%q = OpExtInst %int %glsl FindSMsb %i\n %r = OpBitcast %uint %q", |[a, ..]| {
        let a = if (a as i32) < 0 { !a } else { a };
        31_u32.wrapping_sub(a.leading_zeros())
    }),
    ("%p = OpUMulExtended %pair %a %b\n %r = OpCompositeExtract %uint %p 1", |[a, b, _]| {
        ((u64::from(a) * u64::from(b)) >> 32) as u32
    }),
    ("%p = OpSMulExtended %pair %a %b\n %r = OpCompositeExtract %uint %p 1", |[a, b, _]| {
        ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
    }),
    ("%p = OpIAddCarry %pair %a %b\n %r = OpCompositeExtract %uint %p 1", |[a, b, _]| {
        u32::from(a.checked_add(b).is_none())
    }),
    ("%p = OpISubBorrow %pair %a %b\n %r = OpCompositeExtract %uint %p 1", |[a, b, _]| {
        u32::from(a < b)
    }),
    (
        "%v = OpExtInst %vec4 %glsl UnpackSnorm4x8 %a\n %e = OpCompositeExtract %float %v 3\n %r = OpBitcast %uint %e",
        |[a, ..]| (f32::from((a >> 24) as u8 as i8) / 127.0).max(-1.0).to_bits(),
    ),
    (
        "%v = OpExtInst %vec2 %glsl UnpackUnorm2x16 %a\n %e = OpCompositeExtract %float %v 1\n %r = OpBitcast %uint %e",
        |[a, ..]| ((a >> 16) as f32 / 65535.0).to_bits(),
    ),
    (
        "%v = OpExtInst %vec2 %glsl UnpackHalf2x16 %a\n %e = OpCompositeExtract %float %v 0\n %r = OpBitcast %uint %e",
        |[a, ..]| {
            let (sign, size) = ((a & 0x8000) << 16, a & 0x7fff);
            match size {
                0x7c01.. => NAN,
                0x7c00 => sign | f32::INFINITY.to_bits(),
                0..0x400 => sign | (size as f32 / 16_777_216.0).to_bits(),
                _ => sign | ((size << 13) + (112 << 23)),
            }
        },
    ),
];

fn num(word: u32) -> f32 {
    f32::from_bits(word)
}

/// The bits of a number; every NaN is the canonical one.
fn word(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

fn half(word: u32) -> u32 {
    let (sign, x) = (word >> 16 & 0x8000, f64::from(num(word)).abs());
    if x.is_nan() {
        return 0x7e00;
    }
    if x >= 65_520.0 {
        return sign | 0x7c00;
    }
    // The weight of the last place: of 11 bits, or that of subnormal numbers.
    let exponent = if x == 0.0 { -14 } else { x.log2().floor().max(-14.0) as i32 };
    let places = (x / 2_f64.powi(exponent - 10)).round_ties_even() as u32;
    sign | (places + (exponent + 14) as u32 * 1024)
}

/// Instructions from the floats `%x %y %z` to the uint `%r`, with their results.
const NUMERIC: &[(&str, Meaning)] = &[
    ("%q = OpFMod %float %x %y\n %r = OpBitcast %uint %q", |[a, b, _]| {
        word(num(a) - num(b) * (num(a) / num(b)).floor())
    }),
    ("%q = OpFRem %float %x %y\n %r = OpBitcast %uint %q", |[a, b, _]| {
        word(num(a) - num(b) * (num(a) / num(b)).trunc())
    }),
    ("%q = OpExtInst %float %glsl NMin %x %y\n %r = OpBitcast %uint %q", |[a, b, _]| {
        match (num(a), num(b)) {
            (x, y) if x.is_nan() || y < x => word(y),
            (x, _) => word(x),
        }
    }),
    ("%q = OpExtInst %float %glsl NMax %x %y\n %r = OpBitcast %uint %q", |[a, b, _]| {
        match (num(a), num(b)) {
            (x, y) if x.is_nan() || x < y => word(y),
            (x, _) => word(x),
        }
    }),
    ("%q = OpExtInst %float %glsl FSign %x\n %r = OpBitcast %uint %q", |[a, ..]| {
        let x = num(a);
        word(f32::from(i8::from(x > 0.0) - i8::from(x < 0.0)))
    }),
    ("%q = OpExtInst %float %glsl Ldexp %x %j\n %r = OpBitcast %uint %q", |[a, b, _]| {
        word((f64::from(num(a)) * 2_f64.powi((b as i32).clamp(-600, 600))) as f32)
    }),
    (
        "%f = OpExtInst %modf %glsl ModfStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
        |[a, ..]| {
            let x = num(a);
            if x.is_infinite() {
                word(0.0_f32.copysign(x))
            } else {
                word((x - x.trunc()).copysign(x))
            }
        },
    ),
    (
        "%f = OpExtInst %frexp %glsl FrexpStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
        |[a, ..]| {
            let x = f64::from(num(a));
            if x == 0.0 || !x.is_finite() {
                return word(num(a));
            }
            word((x / 2_f64.powi(x.abs().log2().floor() as i32 + 1)) as f32)
        },
    ),
    (
        "%f = OpExtInst %frexp %glsl FrexpStruct %x\n %q = OpCompositeExtract %int %f 1\n %r = OpBitcast %uint %q",
        |[a, ..]| {
            let x = f64::from(num(a));
            if x == 0.0 || !x.is_finite() {
                return 0;
            }
            (x.abs().log2().floor() as i32 + 1) as u32
        },
    ),
    (
        "%v = OpCompositeConstruct %vec2 %x %y\n %r = OpExtInst %uint %glsl PackHalf2x16 %v",
        |[a, b, _]| half(a) | half(b) << 16,
    ),
    (
        "%v = OpCompositeConstruct %vec2 %x %y\n %r = OpExtInst %uint %glsl PackUnorm2x16 %v",
        |[a, b, _]| {
            let one =
                |of: u32| (f64::from(num(of)).clamp(0.0, 1.0) * 65535.0).round_ties_even() as u32;
            one(a) | one(b) << 16
        },
    ),
    (
        "%v = OpCompositeConstruct %vec4 %x %y %x %y\n %r = OpExtInst %uint %glsl PackSnorm4x8 %v",
        |[a, b, _]| {
            let one = |of: u32| {
                (f64::from(num(of)).clamp(-1.0, 1.0) * 127.0).round_ties_even() as i32 as u32 & 0xff
            };
            (one(a) | one(b) << 8) * 0x0001_0001
        },
    ),
    ("%q = OpFUnordLessThan %bool %x %y\n %r = OpSelect %uint %q %seven %zero", |[a, b, _]| {
        7 * u32::from(num(a).partial_cmp(&num(b)).is_none_or(|order| order.is_lt()))
    }),
    (
        "%q = OpFUnordGreaterThanEqual %bool %x %y\n %r = OpSelect %uint %q %seven %zero",
        |[a, b, _]| 7 * u32::from(num(a).partial_cmp(&num(b)).is_none_or(|order| order.is_ge())),
    ),
    ("%q = OpFOrdNotEqual %bool %x %y\n %r = OpSelect %uint %q %seven %zero", |[a, b, _]| {
        7 * u32::from(num(a).partial_cmp(&num(b)).is_some_and(|order| order.is_ne()))
    }),
    ("%q = OpFUnordEqual %bool %x %y\n %r = OpSelect %uint %q %seven %zero", |[a, b, _]| {
        7 * u32::from(num(a).partial_cmp(&num(b)).is_none_or(|order| order.is_eq()))
    }),
    ("%q = OpQuantizeToF16 %float %x\n %r = OpBitcast %uint %q", |[a, ..]| {
        let (sign, size) = (a & 1 << 31, num(a).abs());
        match half(a) {
            0x7c01..0x8000 => NAN,
            _ if size < 6.103_515_6e-5 => sign,
            0x7c00 | 0xfc00 => sign | f32::INFINITY.to_bits(),
            half => sign | (((half & 0x7fff) << 13) + (112 << 23)),
        }
    }),
    (
        "%v = OpQuantizeToF16 %vec2 %xy\n %q = OpCompositeExtract %float %v 1\n %r = OpBitcast %uint %q",
        |[_, b, _]| match half(b) {
            0x7c01..0x8000 => NAN,
            half if half & 0x7c00 == 0 && num(b).abs() < 6.103_515_6e-5 => b & 1 << 31,
            half if half & 0x7fff == 0x7c00 => (b & 1 << 31) | f32::INFINITY.to_bits(),
            half => (b & 1 << 31) | (((half & 0x7fff) << 13) + (112 << 23)),
        },
    ),
    ("%q = OpIsInf %bool %x\n %r = OpSelect %uint %q %seven %zero", |[a, ..]| {
        7 * u32::from(num(a).is_infinite())
    }),
];

/// Instructions for which only agreement of the raise and the evaluator of words is tested.
const AGREED: &[&str] = &[
    "%r = OpShiftLeftLogical %uint %a %b",
    "%r = OpShiftRightLogical %uint %a %b",
    "%q = OpShiftRightArithmetic %int %i %b\n %r = OpBitcast %uint %q",
    "%r = OpUDiv %uint %a %b",
    "%q = OpSNegate %int %i\n %r = OpBitcast %uint %q",
    "%r = OpNot %uint %a",
    "%r = OpBitwiseXor %uint %a %b",
    "%q = OpConvertFToS %int %x\n %r = OpBitcast %uint %q",
    "%r = OpConvertFToU %uint %x",
    "%q = OpConvertSToF %float %i\n %r = OpBitcast %uint %q",
    "%q = OpConvertUToF %float %a\n %r = OpBitcast %uint %q",
    "%q = OpBitcast %float %a\n %r = OpBitcast %uint %q",
    "%v = OpCompositeConstruct %vec2 %x %y\n %q = OpVectorExtractDynamic %float %v %c\n %r = OpBitcast %uint %q",
    "%v = OpCompositeConstruct %vec2 %x %y\n %q = OpVectorExtractDynamic %float %v %j\n %r = OpBitcast %uint %q",
    "%v = OpCompositeConstruct %vec2 %x %y\n %w = OpVectorInsertDynamic %vec2 %v %x %j\n %q = OpCompositeExtract %float %w 0\n %r = OpBitcast %uint %q",
    "%v = OpCompositeConstruct %vec2 %x %y\n %w = OpVectorShuffle %vec4 %v %v 0xffffffff 3 0 1\n %q = OpDot %float %w %w\n %r = OpBitcast %uint %q",
    "OpStore %array %arrays\n %p = OpAccessChain %to_float %array %j\n OpStore %p %x\n %p2 = OpAccessChain %to_float %array %b\n %q = OpLoad %float %p2\n %r = OpBitcast %uint %q",
    "%q = OpLoad %float %undefined\n %r = OpBitcast %uint %q",
    "%q = OpExtInst %int %glsl SAbs %i\n %r = OpBitcast %uint %q",
    "%q = OpExtInst %int %glsl SSign %i\n %r = OpBitcast %uint %q",
    "%r = OpExtInst %uint %glsl UClamp %a %b %c",
    "%q = OpExtInst %int %glsl SClamp %i %j %i\n %r = OpBitcast %uint %q",
    "%r = OpExtInst %uint %glsl PackUnorm4x8 %xyxy",
    "%r = OpExtInst %uint %glsl PackSnorm2x16 %xy",
    "%v = OpExtInst %vec4 %glsl UnpackUnorm4x8 %a\n %q = OpDot %float %v %powers\n %r = OpBitcast %uint %q",
    "%v = OpExtInst %vec2 %glsl UnpackSnorm2x16 %a\n %q = OpCompositeExtract %float %v 1\n %r = OpBitcast %uint %q",
    "%q = OpExtInst %float %glsl Modf %x %undefined\n %l = OpLoad %float %undefined\n %m = OpFAdd %float %q %l\n %r = OpBitcast %uint %m",
    "%q = OpExtInst %float %glsl Frexp %x %exponent\n %l = OpLoad %int %exponent\n %r = OpBitcast %uint %l",
    "%q = OpExtInst %float %glsl Determinant %mat\n %r = OpBitcast %uint %q",
    "%m = OpExtInst %mat4 %glsl MatrixInverse %mat\n %q = OpCompositeExtract %float %m 2 1\n %r = OpBitcast %uint %q",
    "%m = OpTranspose %mat4 %mat\n %v = OpMatrixTimesVector %vec4 %m %xyxy\n %q = OpCompositeExtract %float %v 1\n %r = OpBitcast %uint %q",
    "%v = OpVectorTimesMatrix %vec4 %powers %mat\n %q = OpCompositeExtract %float %v 2\n %r = OpBitcast %uint %q",
    "%m = OpMatrixTimesMatrix %mat4 %mat %mat\n %q = OpCompositeExtract %float %m 3 0\n %r = OpBitcast %uint %q",
    "%m = OpOuterProduct %mat4 %xyxy %powers\n %q = OpCompositeExtract %float %m 2 3\n %r = OpBitcast %uint %q",
    "%m = OpMatrixTimesScalar %mat4 %mat %y\n %q = OpCompositeExtract %float %m 0 2\n %r = OpBitcast %uint %q",
    "%v = OpVectorTimesScalar %vec2 %xy %y\n %q = OpCompositeExtract %float %v 1\n %r = OpBitcast %uint %q",
];

/// Functions of floats and vectors with the same test: of `%x %y %z`, or of the vectors `%xyxy`,
/// `%powers` and `%yxzx`, as many as the function takes.
const FUNCTIONS: &[(&str, usize)] = &[
    ("Round", 1),
    ("RoundEven", 1),
    ("Trunc", 1),
    ("FAbs", 1),
    ("FSign", 1),
    ("Floor", 1),
    ("Ceil", 1),
    ("Fract", 1),
    ("Radians", 1),
    ("Degrees", 1),
    ("Sin", 1),
    ("Exp2", 1),
    ("Log", 1),
    ("Sqrt", 1),
    ("InverseSqrt", 1),
    ("Pow", 2),
    ("Atan2", 2),
    ("FMin", 2),
    ("FMax", 2),
    ("FClamp", 3),
    ("FMix", 3),
    ("Step", 2),
    ("SmoothStep", 3),
    ("Fma", 3),
    ("NMin", 2),
    ("NMax", 2),
    ("NClamp", 3),
    ("Normalize", 1),
    ("FaceForward", 3),
    ("Reflect", 2),
];

/// The word with these halves.
pub(crate) fn joined(halves: &[u32]) -> u32 {
    num(halves[0]) as u32 | (num(halves[1]) as u32) << 16
}

/// The value of a module with these push constants, by the evaluator of words.
pub(crate) fn by_words(module: &Module, of: [u32; 3]) -> u32 {
    let mut resources = Resources::default();
    resources.set_block(None, of.to_vec());
    let mut evaluator = ModuleEvaluator::new(module, &resources, 0);
    evaluator.run([0.5, 0.5, 0.0, 1.0], &|| false).expect("nothing loops");
    let halves = evaluator.output(0).expect("it has one");
    joined(halves)
}

/// The text of a shader that writes the halves of `%r` to two components.
pub(crate) fn text(body: &str) -> String {
    format!(
        "OpCapability Shader
             %glsl = OpExtInstImport \"GLSL.std.450\"
             OpMemoryModel Logical GLSL450
             OpEntryPoint Fragment %main \"main\" %out
             OpExecutionMode %main OriginUpperLeft
             OpDecorate %out Location 0
             OpDecorate %block Block
             OpMemberDecorate %block 0 Offset 0
             OpMemberDecorate %block 1 Offset 4
             OpMemberDecorate %block 2 Offset 8
             %void = OpTypeVoid
             %main_type = OpTypeFunction %void
             %float = OpTypeFloat 32
             %int = OpTypeInt 32 1
             %uint = OpTypeInt 32 0
             %bool = OpTypeBool
             %vec2 = OpTypeVector %float 2
             %vec4 = OpTypeVector %float 4
             %pair = OpTypeStruct %uint %uint
             %modf = OpTypeStruct %float %float
             %frexp = OpTypeStruct %float %int
             %block = OpTypeStruct %uint %uint %uint
             %to_block = OpTypePointer PushConstant %block
             %given = OpVariable %to_block PushConstant
             %to_out = OpTypePointer Output %vec2
             %out = OpVariable %to_out Output
             %zero = OpConstant %uint 0
             %seven = OpConstant %uint 7
             %half = OpConstant %uint 16
             %mask = OpConstant %uint 65535
             %mat4 = OpTypeMatrix %vec4 4
             %four = OpConstant %uint 4
             %floats = OpTypeArray %float %four
             %one = OpConstant %float 1
             %two = OpConstant %float -2
             %three = OpConstant %float 0.5
             %powers = OpConstantComposite %vec4 %one %two %three %one
             %arrays = OpConstantComposite %floats %one %two %three %one
             %to_floats = OpTypePointer Function %floats
             %to_float = OpTypePointer Function %float
             %to_int = OpTypePointer Function %int
             %main = OpFunction %void None %main_type
             %start = OpLabel
             %array = OpVariable %to_floats Function
             %undefined = OpVariable %to_float Function
             %exponent = OpVariable %to_int Function
             %all = OpLoad %block %given
             %a = OpCompositeExtract %uint %all 0
             %b = OpCompositeExtract %uint %all 1
             %c = OpCompositeExtract %uint %all 2
             %i = OpBitcast %int %a
             %j = OpBitcast %int %b
             %x = OpBitcast %float %a
             %y = OpBitcast %float %b
             %z = OpBitcast %float %c
             %xy = OpCompositeConstruct %vec2 %x %y
             %xyxy = OpCompositeConstruct %vec4 %xy %xy
             %yxzx = OpCompositeConstruct %vec4 %y %x %z %x
             %mat = OpCompositeConstruct %mat4 %xyxy %powers %yxzx %powers
             {body}
             %low = OpBitwiseAnd %uint %r %mask
             %high = OpShiftRightLogical %uint %r %half
             %low_number = OpConvertUToF %float %low
             %high_number = OpConvertUToF %float %high
             %colour = OpCompositeConstruct %vec2 %low_number %high_number
             OpStore %out %colour
             OpReturn
             OpFunctionEnd"
    )
}

fn module(body: &str) -> Vec<u32> {
    assemble(&text(body), "spv1.3")
}

/// Compares the raise with the evaluator of words, and both with the expected meaning, if given.
fn check(body: &str, meaning: Option<Meaning>, pool: &[u32]) {
    let mut random = Random::new(1);
    let words = module(body);
    let raised = raise("a.spv", &words, &RaiseOptions::default()).program;
    let (core, _) = raised.unwrap_or_else(|error| panic!("{body}: {error:?}"));
    let program = schedule(&core, &[0]).expect("it can be scheduled");
    let mut evaluator = Evaluator::new(&program, 0);
    let options = LoadOptions { undefined: Undefined::Total, ..LoadOptions::default() };
    let loaded = Module::with_options(&words, &options);
    let loaded = loaded.unwrap_or_else(|error| panic!("{body}: {error}"));
    let pairs = pool.iter().flat_map(|&a| pool.iter().map(move |&b| (a, b)));
    for (a, b) in pairs {
        let small = random.below(40) as u32;
        for of in [[a, b, *random.pick(pool)], [a, small, b], [a, b, small], [a, small, small]] {
            let uniforms = of.map(|word| [word].into()).to_vec();
            let inputs = Inputs { uniforms, ..Inputs::default() };
            evaluator.run(&inputs, &|| false).expect("nothing loops");
            let halves = evaluator.output(0);
            let found = joined(halves);
            let executed = by_words(&loaded, of);
            assert_eq!(executed, found, "{body}: {of:x?}: words {executed:#x}, core {found:#x}");
            if let Some(meaning) = meaning {
                let wanted = meaning(of);
                assert_eq!(found, wanted, "{body}: {of:x?}: {found:#x}, not {wanted:#x}");
            }
        }
    }
}

#[test]
fn of_integers() {
    if has_tool("spirv-as") {
        INTEGER.iter().for_each(|(body, meaning)| check(body, Some(*meaning), &INTEGERS));
    }
}

#[test]
fn of_numbers() {
    if has_tool("spirv-as") {
        NUMERIC.iter().for_each(|(body, meaning)| check(body, Some(*meaning), &NUMBERS));
    }
}

#[test]
fn words_and_raise_agree() {
    if !has_tool("spirv-as") {
        return;
    }
    for body in AGREED {
        check(body, None, &INTEGERS);
        check(body, None, &NUMBERS);
    }
    for (function, count) in FUNCTIONS {
        let [scalars, vectors] = [["%x", "%y", "%z"], ["%xyxy", "%powers", "%yxzx"]];
        let scalar = format!(
            "%q = OpExtInst %float %glsl {function} {}\n %r = OpBitcast %uint %q",
            scalars[..*count].join(" ")
        );
        check(&scalar, None, &NUMBERS);
        let vector = format!(
            "%v = OpExtInst %vec4 %glsl {function} {}\n %q = OpCompositeExtract %float %v 2
             %r = OpBitcast %uint %q",
            vectors[..*count].join(" ")
        );
        check(&vector, None, &NUMBERS);
    }
}
