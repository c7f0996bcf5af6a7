//! Names of other languages for things that λV calls otherwise.
//!
//! A row has the names, from GLSL, HLSL, WGSL, C, Scheme and their neighbours, and the advice. Code in back
//! quotes compiles where `x y t` are nums, `i j` ints, `u` a uint, `p q` bools, `v w` vec3s, `uv` a vec2, `m`
//! a mat3, `image` a texture and `data` a buffer.

/// The syntactic role of a foreign name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// A function or a value; its operands are expressions.
    Name,
    /// The head of a form, whose parts need not be expressions: they are not resolved or reported.
    Form,
}
use Use::{Form, Name};

const LOOP: &str = "a loop is a function that goes on with itself: \
                    `((rec-func (n sum) (if (> n 9) sum (rec (+ n 1) (+ sum n)))) 0 0)`";
const FUNCTION: &str =
    "a function is `(func (x) (* x x))`, or `(define (square x) (* x x))` at the top level";
const DEFINE: &str =
    "a name is bound by `(define name 1)` at the top level, or by `(let ((name 1)) name)`";
const CHANGE: &str = "nothing can be changed: bind a new name, `(let ((sum (+ x 1))) sum)`";
const COLOUR: &str = "the colour is the value of the last expression, such as `(vec4 1 0.5 0 1)`";
const SAMPLE: &str = "declare `(texture image)` at the top level, and write `(sample image uv)`";

/// The foreign names, each row with its role and advice.
const ELSEWHERE: [(Use, &[&str], &str); 127] = [
    // Operators.
    (Name, &["&&"], "write `(and p q)`"),
    (Name, &["||"], "write `(or p q)`"),
    (Name, &["!", "¬"], "write `(not p)`"),
    (Name, &["==", "===", "eq?", "eqv?", "equal?", "equal"], "write `(= x y)`"),
    (Name, &["<>", "!==", "=/=", "≠", "notEqual", "not="], "write `(!= x y)`"),
    (Name, &["≤", "lessThanEqual"], "write `(<= x y)`"),
    (Name, &["≥", "greaterThanEqual"], "write `(>= x y)`"),
    (Name, &["lessThan"], "write `(< x y)`"),
    (Name, &["greaterThan"], "write `(> x y)`"),
    (Name, &["xor", "^^"], "of bools write `(!= p q)`, of integers `(bit-xor i j)`"),
    (Name, &["%", "fmod", "modulo"], "write `(mod x y)`"),
    (Name, &["**"], "write `(pow x y)`"),
    (Name, &["&"], "write `(bit-and i j)`"),
    (Name, &["|"], "write `(bit-or i j)`"),
    (Name, &["^"], "of integers write `(bit-xor i j)`; a power is `(pow x y)`"),
    (Name, &["~"], "write `(bit-not i)`"),
    (Name, &["<<"], "write `(shift-left i u)`"),
    (Name, &[">>", ">>>"], "write `(shift-right i u)`"),
    (Name, &["?", ":", "?:"], "write `(if p x y)`"),
    (Name, &["×", "·"], "write `(* x y)`"),
    (Name, &["÷"], "write `(/ x y)`"),
    (Form, &["++", "--", "+=", "-=", "*=", "/=", "%=", ":=", "<-", "set!", "setq", "setf"], CHANGE),
    (Name, &["=>", "->"], FUNCTION),
    // Types, and conversions between them.
    (
        Name,
        &["float", "float32", "f32", "double", "f64", "half", "f16", "real", "number"],
        "write `(num i)`; a number without a suffix is a num as it is",
    ),
    (Name, &["int32", "i32", "long", "integer"], "write `(int x)`"),
    (Name, &["uint32", "u32", "unsigned"], "write `(uint x)`"),
    (Name, &["boolean"], "write `(bool x)`"),
    (Name, &["vec1", "float1"], "a single component is a num: write it as it is"),
    (Name, &["float2", "half2", "vec2f", "vec2h", "dvec2"], "write `(vec2 x y)`"),
    (Name, &["float3", "half3", "vec3f", "vec3h", "dvec3", "rgb"], "write `(vec3 x y t)`"),
    (Name, &["float4", "half4", "vec4f", "vec4h", "dvec4", "rgba"], "write `(vec4 x y t 1)`"),
    (Name, &["int2", "vec2i"], "write `(ivec2 i j)`"),
    (Name, &["int3", "vec3i"], "write `(ivec3 i j 0i)`"),
    (Name, &["int4", "vec4i"], "write `(ivec4 i j 0i 0i)`"),
    (Name, &["uint2", "vec2u"], "write `(uvec2 u u)`"),
    (Name, &["uint3", "vec3u"], "write `(uvec3 u u u)`"),
    (Name, &["uint4", "vec4u"], "write `(uvec4 u u u u)`"),
    (Name, &["float2x2", "mat2x2", "mat2x2f", "mat2f"], "write `(mat2 uv uv)`, column by column"),
    (Name, &["float3x3", "mat3x3", "mat3x3f", "mat3f"], "write `(mat3 v v w)`, column by column"),
    (
        Name,
        &["float4x4", "mat4x4", "mat4x4f", "mat4f"],
        "write `(mat4 1)`, or columns or components",
    ),
    (
        Form,
        &["void"],
        "this is not λV, or not all of it: a program is an expression like `(vec4 1 0.5 0 1)`",
    ),
    (Form, &["sampler2D", "Texture2D", "texture_2d", "sampler"], SAMPLE),
    // Functions of numbers.
    (Name, &["frac"], "write `(fract x)`"),
    (Name, &["lerp"], "write `(mix x y t)`"),
    (Name, &["saturate", "clamp01"], "write `(clamp x 0 1)`"),
    (Name, &["smoothstep", "smooth_step"], "write `(smooth-step 0 1 x)`"),
    (Name, &["inversesqrt", "inverseSqrt", "rsqrt"], "write `(inverse-sqrt x)`"),
    (Name, &["fabs"], "write `(abs x)`"),
    (Name, &["fmin"], "write `(min x y)`"),
    (Name, &["fmax"], "write `(max x y)`"),
    (Name, &["ceiling"], "write `(ceil x)`"),
    (Name, &["truncate"], "write `(trunc x)`"),
    (Name, &["roundEven", "rint", "nearbyint"], "write `(round-even x)`"),
    (Name, &["sgn", "signum"], "write `(sign x)`"),
    (Name, &["sqr", "square"], "write `(* x x)`"),
    (Name, &["expt", "powf"], "write `(pow x y)`"),
    (Name, &["ln"], "write `(log x)`"),
    (Name, &["log10"], "write `(/ (log x) (log 10))`"),
    (Name, &["exp10"], "write `(pow 10 x)`"),
    (Name, &["mad"], "write `(fma x y t)`, or `(+ (* x y) t)`"),
    (Name, &["sincos"], "write `(sin x)` and `(cos x)`"),
    (Name, &["modf"], "write `(trunc x)` and `(- x (trunc x))`"),
    (Name, &["frexp"], "write `(significand x)` and `(exponent x)`"),
    (
        Name,
        &["isnan", "isNan", "isNaN", "nan?"],
        "write `(!= x x)`: a NaN alone differs from itself",
    ),
    (Name, &["isinf", "isInf"], "write `(= (abs x) (/ 1 0))`"),
    (Name, &["inf", "Infinity", "INFINITY"], "write `(/ 1 0)`"),
    (Name, &["nan", "NaN", "NAN"], "write `(/ 0 0)`"),
    (Name, &["PI", "M_PI", "Pi", "π"], "write `pi`"),
    (Name, &["TAU", "TWO_PI", "τ"], "write `tau`"),
    // Vectors and matrices.
    (Name, &["norm", "magnitude"], "write `(length v)`"),
    (Name, &["normalise"], "write `(normalize v)`"),
    (Name, &["faceforward", "faceForward"], "write `(face-forward v v w)`"),
    (Name, &["mul", "matmul", "matrixCompMult"], "write `(* m v)`"),
    (Name, &["det"], "write `(determinant m)`"),
    (Name, &["any"], "write `(any-of (< v w))`"),
    (Name, &["all"], "write `(all-of (< v w))`"),
    (
        Name,
        &["ddx", "dFdx", "dpdx", "ddx_fine", "dFdxFine", "dpdxFine", "dFdxCoarse", "dpdxCoarse"],
        "write `(dfdx x)`",
    ),
    (
        Name,
        &["ddy", "dFdy", "dpdy", "ddy_fine", "dFdyFine", "dpdyFine", "dFdyCoarse", "dpdyCoarse"],
        "write `(dfdy x)`",
    ),
    (Name, &["fwidthFine", "fwidthCoarse"], "write `(fwidth x)`"),
    // Integers and bits.
    (Name, &["quotient", "idiv"], "of integers write `(div i j)`"),
    (Name, &["remainder"], "write `(rem i j)`"),
    (Name, &["floatBitsToUint", "asuint"], "write `(bits x)`"),
    (Name, &["floatBitsToInt", "asint"], "write `(int (bits x))`"),
    (Name, &["uintBitsToFloat", "intBitsToFloat", "asfloat"], "write `(from-bits u)`"),
    (
        Name,
        &["bitcast"],
        "write `(bits x)` or `(from-bits u)`; between integers `(uint i)` keeps the bits",
    ),
    (Name, &["bitCount", "countbits", "countOneBits", "popcount"], "write `(count-ones u)`"),
    (Name, &["reversebits", "reverseBits", "bitfieldReverse"], "write `(reverse-bits u)`"),
    (Name, &["firstbithigh", "firstLeadingBit", "findMSB"], "write `(first-leading-bit u)`"),
    (Name, &["firstbitlow", "firstTrailingBit", "findLSB"], "write `(first-trailing-bit u)`"),
    (Name, &["clz", "countLeadingZeros"], "write `(leading-zeros u)`"),
    (Name, &["ctz", "countTrailingZeros"], "write `(trailing-zeros u)`"),
    (Name, &["bitfieldExtract", "extractBits"], "write `(extract-bits i 0u 8u)`"),
    (Name, &["bitfieldInsert", "insertBits"], "write `(insert-bits i j 0u 8u)`"),
    (Name, &["packUnorm4x8", "pack4x8unorm"], "write `(pack-unorm4x8 (vec4 x))`"),
    (Name, &["packHalf2x16", "pack2x16float"], "write `(pack-half2x16 uv)`"),
    (Name, &["unpackUnorm4x8", "unpack4x8unorm"], "write `(unpack-unorm4x8 u)`"),
    (Name, &["unpackHalf2x16", "unpack2x16float"], "write `(unpack-half2x16 u)`"),
    // Structures, arrays and textures.
    (Name, &["list", "vector"], "write `(array x y)`"),
    (Name, &["nth", "aref", "array-ref", "vector-ref", "list-ref", "elt"], "write `(at data i)`"),
    (Name, &["arrayLength", "vector-length", "len"], "write `(size-of data)`"),
    (Name, &["texture", "texture2D", "texture2d", "textureSample", "tex2D"], SAMPLE),
    (
        Name,
        &["textureLod", "texture2DLod", "textureSampleLevel", "tex2Dlod"],
        "write `(sample-level image uv x)`",
    ),
    (
        Name,
        &["textureGrad", "textureSampleGrad", "tex2Dgrad"],
        "write `(sample-grad image uv uv uv)`",
    ),
    (Name, &["textureSampleBias"], "write `(sample-bias image uv x)`"),
    (Name, &["textureOffset", "textureLodOffset"], "write `(sample-offset image uv (ivec2 i j))`"),
    (Name, &["textureProj", "tex2Dproj"], "write `(sample-projected image v)`"),
    (Name, &["textureGather"], "write `(gather image uv 0)`"),
    (Name, &["textureQueryLod"], "write `(texture-lod image uv)`"),
    (
        Name,
        &["textureSampleCompare", "shadow2D", "textureGatherCompare"],
        "declare `(texture shadow (kind depth))` at the top level, and write `(sample-compare shadow uv 0.5)` or `(gather-compare shadow uv 0.5)`",
    ),
    (Name, &["texelFetch", "textureLoad", "imageLoad"], "write `(texel image (ivec2 i j))`"),
    (Name, &["textureSize", "textureDimensions", "imageSize"], "write `(texture-size image)`"),
    // Inputs and outputs.
    (Name, &["gl_FragCoord", "fragCoord", "FRAGCOORD", "SV_Position"], "write `(frag-coord)`"),
    (Name, &["iResolution", "u_resolution"], "write `(resolution)`"),
    (Name, &["iTime", "iGlobalTime", "u_time", "TIME"], "write `(time)`"),
    (Name, &["iFrame"], "write `(frame)`"),
    (Name, &["iMouse", "u_mouse"], "write `(mouse)`"),
    (
        Name,
        &["uv", "UV", "texCoord", "texcoord"],
        "define it: `(define place (/ (.xy (frag-coord)) (resolution)))`",
    ),
    (Name, &["gl_FragColor", "fragColor", "FragColor", "COLOR"], COLOUR),
    (Name, &["discard", "clip"], "write `(discard-if p)` at the top level"),
    // Forms.
    (Form, &["lambda", "λ", "fn", "function", "fun", "\\"], FUNCTION),
    (Form, &["defun", "defn", "def", "var", "val", "const"], DEFINE),
    (
        Form,
        &[
            "letrec", "letrec*", "let-rec", "loop", "for", "while", "do", "dotimes", "map",
            "reduce", "fold",
        ],
        LOOP,
    ),
    (
        Form,
        &["begin", "progn", "return"],
        "nothing has an effect here: the last expression alone is enough",
    ),
    (Form, &["cond", "when", "unless"], "write `(if p x y)`, one inside another for several cases"),
    (
        Form,
        &["switch", "match"],
        "write `(if p x y)`, one inside another for several cases; of a variant, `case`",
    ),
    (Form, &["else", "elif", "then"], "`if` has no keywords: `(if p x y)`"),
    (Form, &["import", "require"], "another file is included by `(include \"path\")`"),
];

/// The advice for a name that is not bound here but has a meaning in other languages.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    row(name).map(|&(_, _, help)| help)
}

/// True if this name is the head of a form in another language, so the parts of the list need not be
/// expressions.
pub(super) fn is_form_elsewhere(name: &str) -> bool {
    row(name).is_some_and(|&(place, ..)| place == Form)
}

fn row(name: &str) -> Option<&'static (Use, &'static [&'static str], &'static str)> {
    ELSEWHERE.iter().find(|(_, names, _)| names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use lambdav_core::diagnostics::DiagnosticCode;
    use lambdav_core::source::SourceFile;
    use std::collections::BTreeSet;

    /// Each name is reported once, with its advice; the parts of a form are not reported.
    #[test]
    fn none_of_them_is_bound() {
        let mut seen = BTreeSet::new();
        for (place, names, help) in ELSEWHERE {
            for name in names {
                assert!(seen.insert(name), "{name} is there twice");
                let text = format!("(vec3 ({name} ((other other)) 1))");
                let (_, diagnostics) = compile(&SourceFile::new("", text));
                assert_eq!(diagnostics[0].code, DiagnosticCode::UnboundName, "{name}");
                assert_eq!(diagnostics[0].help.as_deref(), Some(help), "{name}");
                assert_eq!(diagnostics.len() == 1, place == Form, "{name}");
            }
        }
        assert!(seen.len() > 250, "{}", seen.len());
    }

    /// All advice in back quotes compiles.
    #[test]
    fn what_they_recommend_compiles() {
        const TOP_LEVEL: [&str; 4] = ["(define ", "(texture ", "(discard-if ", "(output "];
        const BOUND: &str = "(struct Both it one) (buffer data num) (define x 0.5) (define y 2)
            (define t 0.25) (define i 3i) (define j 5i) (define u 7u) (define p (< x y))
            (define q (< y x)) (define v (vec3 1 2 3)) (define w (vec3 3 2 1))
            (define uv (vec2 0.5 0.25)) (define m (mat3 1))";
        let mut count = 0;
        for (_, names, help) in ELSEWHERE {
            for code in help.split('`').skip(1).step_by(2) {
                let is_code = code.starts_with('(') || matches!(code, "pi" | "tau");
                if !is_code || code.starts_with("(include ") {
                    continue;
                }
                let image = if code.starts_with("(texture ") {
                    ""
                } else {
                    "(texture image) (texture shadow (kind depth))"
                };
                let text = match TOP_LEVEL.iter().any(|head| code.starts_with(head)) {
                    true => format!("{BOUND} {image} {code} (vec3 1)"),
                    // A value is evaluated there; a function is held.
                    false => format!("{BOUND} {image} (.one (Both {code} 1))"),
                };
                let (core, diagnostics) = compile(&SourceFile::new("", text));
                assert!(core.is_some(), "{names:?}: {code}: {diagnostics:?}");
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }
}
