//! `--undefined` for GLSL, WGSL and modules: the conditions of docs/spirv.md, at the author's line.

use super::harness::TestFolder;

/// Engines of pictures whose reports are compared.
const ENGINES: [&str; 3] = ["simd", "core", "spirv"];

/// An expression of `x` and `y`, their type, values that meet a condition, the line of a report behind its place, and the nearest
/// values that do not meet it. The expression is a number of this language.
type Case = (&'static str, &'static str, [&'static str; 2], &'static str, [&'static str; 2]);

#[rustfmt::skip]
const GLSL: &[Case] = &[
    ("float(x / y)", "int", ["7", "0"], "/: the divisor is 0; first at (0, 0) with 7, 0", ["7", "1"]),
    ("float(x / y)", "int", ["-2147483648", "-1"], "/: the least int by -1; first at (0, 0) with -2147483648, -1", ["-2147483647", "-1"]),
    ("float(x % y)", "int", ["7", "0"], "%: the divisor is 0; first at (0, 0) with 7, 0", ["7", "1"]),
    ("float(x / y)", "uint", ["7", "0"], "/: the divisor is 0; first at (0, 0) with 7, 0", ["7", "1"]),
    ("float(x % y)", "uint", ["7", "0"], "%: the divisor is 0; first at (0, 0) with 7, 0", ["7", "1"]),
    ("float((ivec2(x, 1) / ivec2(1, y)).x)", "int", ["7", "0"], "/: the divisor is 0; first at (0, 0) with (7, 1), (1, 0)", ["7", "1"]),
    ("mod(x, y)", "float", ["7", "0"], "mod: the divisor is 0; first at (0, 0) with 7, 0", ["7", "1e-45"]),
    ("float(x << y)", "int", ["1", "32"], "<<: a count that is not 0 to 31; first at (0, 0) with 1, 32", ["1", "31"]),
    ("float(x >> y)", "int", ["1", "-1"], ">>: a count that is not 0 to 31; first at (0, 0) with 1, -1", ["1", "0"]),
    ("float(x >> y)", "uint", ["1", "32"], ">>: a count that is not 0 to 31; first at (0, 0) with 1, 32", ["1", "31"]),
    ("float(bitfieldExtract(x, y, 8))", "int", ["1", "25"], "bitfieldExtract: offset + count above 32; first at (0, 0) with 1, 25, 8", ["1", "24"]),
    ("float(bitfieldInsert(x, 1, y, 4))", "int", ["1", "29"], "bitfieldInsert: offset + count above 32; first at (0, 0) with 1, 1, 29, 4", ["1", "28"]),
    ("float(int(x))", "float", ["2147483648", "0"], "int: NaN, or out of range; first at (0, 0) with 2147483600", ["2147483520", "0"]),
    ("float(uint(x))", "float", ["-1", "0"], "uint: NaN, or out of range; first at (0, 0) with -1", ["-0.99999994", "0"]),
    ("vec3(1, 2, 3)[x]", "int", ["3", "0"], "[]: an index outside; first at (0, 0) with 3", ["2", "0"]),
    ("float[3](1, 2, 3)[x]", "int", ["-1", "0"], "[]: an index outside; first at (0, 0) with -1", ["0", "0"]),
    ("sqrt(x)", "float", ["-1e-45", "0"], "sqrt: operand below 0; first at (0, 0) with -0.000000000000000000000000000000000000000000001", ["-0.0", "0"]),
    ("inversesqrt(x)", "float", ["0", "0"], "inversesqrt: operand at or below 0; first at (0, 0) with 0", ["1e-45", "0"]),
    ("log(x)", "float", ["-1", "0"], "log: operand below 0; first at (0, 0) with -1", ["-0.0", "0"]),
    ("log2(x)", "float", ["-1", "0"], "log2: operand below 0; first at (0, 0) with -1", ["-0.0", "0"]),
    ("pow(x, y)", "float", ["0", "0"], "pow: x < 0, or x = 0 and y <= 0; first at (0, 0) with 0, 0", ["0", "1e-45"]),
    ("pow(x, y)", "float", ["-1", "2"], "pow: x < 0, or x = 0 and y <= 0; first at (0, 0) with -1, 2", ["1e-45", "2"]),
    ("asin(x)", "float", ["1.0000001", "0"], "asin: operand beyond 1 or -1; first at (0, 0) with 1.0000001", ["1", "0"]),
    ("acos(x)", "float", ["-1.0000001", "0"], "acos: operand beyond 1 or -1; first at (0, 0) with -1.0000001", ["-1", "0"]),
    ("acosh(x)", "float", ["0.99999994", "0"], "acosh: operand below 1; first at (0, 0) with 0.99999994", ["1", "0"]),
    ("atanh(x)", "float", ["1", "0"], "atanh: operand at or beyond 1 or -1; first at (0, 0) with 1", ["0.99999994", "0"]),
    ("atan(x, y)", "float", ["-0.0", "0"], "atan: both 0; first at (0, 0) with -0, 0", ["0", "1e-45"]),
    ("normalize(vec2(x, y)).x", "float", ["0", "0"], "normalize: a length of 0; first at (0, 0) with (0, 0)", ["0", "1"]),
    ("smoothstep(x, y, 0.5)", "float", ["1", "1"], "smoothstep: e0 >= e1; first at (0, 0) with 1, 1, 0.5", ["0.99999994", "1"]),
    ("clamp(0.5, x, y)", "float", ["1", "0.99999994"], "clamp: lo > hi; first at (0, 0) with 0.5, 1, 0.99999994", ["1", "1"]),
    ("float(clamp(5, x, y))", "int", ["1", "0"], "clamp: lo > hi; first at (0, 0) with 5, 1, 0", ["1", "1"]),
    ("inverse(mat2(x, 0, 0, y))[0].x", "float", ["0", "1"], "inverse: a determinant of 0; first at (0, 0) with (0, 0, 0, 1)", ["1e-30", "1"]),
];

const DEFINED: &str = " (defined, perhaps not meant)";

#[rustfmt::skip]
const WGSL: &[Case] = &[
    ("f32(x / y)", "i32", ["7", "0"], "/: the divisor is 0 (defined, perhaps not meant); first at (0, 0) with 7, 0", ["7", "1"]),
    ("f32(x % y)", "u32", ["7", "0"], "%: the divisor is 0 (defined, perhaps not meant); first at (0, 0) with 7, 0", ["7", "1"]),
    ("x % y", "f32", ["7", "0"], "%: the divisor is 0; first at (0, 0) with 7, 0", ["7", "1e-45"]),
    ("f32(x << y)", "u32", ["1", "32"], "<<: a count that is not 0 to 31 (defined, perhaps not meant); first at (0, 0) with 1, 32", ["1", "31"]),
    ("f32(extractBits(x, y, 8u))", "u32", ["1", "25"], "extractBits: offset + count above 32 (defined, perhaps not meant); first at (0, 0) with 1, 25, 8", ["1", "24"]),
    ("f32(i32(x))", "f32", ["2147483648", "0"], "i32: NaN, or out of range (defined, perhaps not meant); first at (0, 0) with 2147483600", ["2147483520", "0"]),
    ("f32(u32(x))", "f32", ["-1", "0"], "u32: NaN, or out of range (defined, perhaps not meant); first at (0, 0) with -1", ["-0.99999994", "0"]),
    ("vec3f(1, 2, 3)[x]", "i32", ["3", "0"], "[]: an index outside (defined, perhaps not meant); first at (0, 0) with 3", ["2", "0"]),
    ("inverseSqrt(x)", "f32", ["0", "0"], "inverseSqrt: operand at or below 0; first at (0, 0) with 0", ["1e-45", "0"]),
    ("atan2(x, y)", "f32", ["-0.0", "0"], "atan2: both 0; first at (0, 0) with -0, 0", ["0", "1e-45"]),
    ("clamp(0.5, x, y)", "f32", ["1", "0.99999994"], "clamp: lo > hi; first at (0, 0) with 0.5, 1, 0.99999994", ["1", "1"]),
];

/// A program in GLSL; its expression is in line 4.
fn glsl(expression: &str, ty: &str) -> String {
    format!(
        "#version 450
layout(location = 0) out vec4 colour;
layout(push_constant) uniform P {{ {ty} x; {ty} y; }};
float f() {{ return {expression}; }}
void main() {{
  colour = vec4(min(1.0, max(0.0, f())));
}}
"
    )
}

/// A program in WGSL; its expression is in line 3.
fn wgsl(expression: &str, ty: &str) -> String {
    format!(
        "struct P {{ x: {ty}, y: {ty} }}
@group(0) @binding(0) var<uniform> p: P;
fn f(x: {ty}, y: {ty}) -> f32 {{ return {expression}; }}
@fragment fn main() -> @location(0) vec4f {{
  return vec4f(min(1.0, max(0.0, f(p.x, p.y))));
}}
"
    )
}

/// The lines of a report of a picture of 2 by 1 pixels.
fn report(place: &TestFolder, file: &str, engine: &str, [x, y]: [&str; 2]) -> Vec<String> {
    let picture: &[&str] = if file == "b.frag" { &["--bind", "picture=p.png"] } else { &[] };
    let (engine, x, y) = (format!("--engine={engine}"), format!("x={x}"), format!("y={y}"));
    let all = [
        "render",
        file,
        "a.png",
        "--size",
        "2x1",
        "--undefined",
        "report",
        &engine,
        "--set",
        &x,
        "--set",
        &y,
    ];
    let outcome = place.run(&[&all, picture].concat());
    assert_eq!(outcome.status, 0, "{file}: {}", outcome.err);
    outcome.err.lines().filter(|line| line.starts_with(file)).map(str::to_owned).collect()
}

fn check(cases: &[Case], file: &str, line: u32, text: impl Fn(&str, &str) -> String) {
    let place = TestFolder::new();
    for &(expression, ty, met, wanted, near) in cases {
        place.write(file, text(expression, ty));
        let operation = wanted.split(';').next().expect("it has a beginning");
        for engine in ENGINES {
            let found = report(&place, file, engine, met);
            let is_it = |found: &&String| {
                found.starts_with(&format!("{file}:{line}:"))
                    && found.ends_with(&format!(": {wanted}; 2 pixels"))
            };
            assert_eq!(found.iter().filter(is_it).count(), 1, "{expression}, {engine}: {found:?}");
            let found = report(&place, file, engine, near);
            let is_met = found.iter().any(|found| found.contains(operation));
            assert!(!is_met, "{expression}, {engine}, {near:?}: {found:?}");
        }
    }
}

#[test]
fn each_condition_of_glsl() {
    check(GLSL, "a.frag", 4, glsl);
}

#[test]
fn each_condition_of_wgsl() {
    assert!(WGSL.iter().any(|case| case.3.contains(DEFINED)));
    check(WGSL, "a.wgsl", 3, wgsl);
}

/// A variable is read before anything is stored to it, if `x` is not above 0; never if `y` is 1.
const UNSET: &str = "#version 450
layout(location = 0) out vec4 colour;
layout(push_constant) uniform P { float x; float y; };
void choose(out float into) { if (y == 1.0) into = 0.5; }
void main() {
  vec4 v;
  float sum, rest;
  v.xy = vec2(x);
  choose(rest);
  for (int i = 0; i < 3; i++) { if (x > 0.0) sum = rest; }
  colour = v + vec4(x > 0.0 ? sum : y == 1.0 ? 0.0 : sum + 1.0);
}
";

#[test]
fn variables_that_are_read_before_they_are_written() {
    let place = TestFolder::with([("a.frag", UNSET)]);
    let names = |found: Vec<String>| -> Vec<String> {
        let words = " read before it is written";
        let name = |line: &String| Some(line.split_once(words)?.0.rsplit(' ').next()?.to_owned());
        found.iter().filter_map(name).collect()
    };
    for engine in ENGINES {
        let met = |x, y| names(report(&place, "a.frag", engine, [x, y]));
        assert_eq!(met("1", "1"), [""; 0], "{engine}");
        assert_eq!(met("0", "1"), [""; 0], "{engine}");
        assert!(met("0", "0").contains(&"sum:".to_owned()), "{engine}: {:?}", met("0", "0"));
        assert!(!met("1", "0").contains(&"sum:".to_owned()), "{engine}: {:?}", met("1", "0"));
        assert!(met("1", "0").len() == 1, "{engine}: {:?}", met("1", "0"));
    }
}

const OUTPUT: &str = "#version 450
layout(location = 0) out vec4 colour;
layout(push_constant) uniform P { float x; float y; };
void main() { colour = vec4(0.0, x * y, 0.0, 1.0); }
";

const TEXEL: &str = "#version 450
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2D picture;
layout(push_constant) uniform P { int x; int y; };
void main() { colour = texelFetch(picture, ivec2(x, 0), y); }
";

/// Branches to OpUnreachable where x is above y.
const DEAD_END: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %out
OpExecutionMode %main OriginUpperLeft
OpMemberName %block 0 \"x\"
OpMemberName %block 1 \"y\"
OpDecorate %out Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%float = OpTypeFloat 32
%bool = OpTypeBool
%block = OpTypeStruct %float %float
%to_block = OpTypePointer PushConstant %block
%given = OpVariable %to_block PushConstant
%to_out = OpTypePointer Output %float
%out = OpVariable %to_out Output
%main = OpFunction %void None %main_type
%start = OpLabel
%all = OpLoad %block %given
%x = OpCompositeExtract %float %all 0
%y = OpCompositeExtract %float %all 1
OpStore %out %y
%is = OpFOrdGreaterThan %bool %x %y
OpSelectionMerge %meet None
OpBranchConditional %is %dead %meet
%dead = OpLabel
OpUnreachable
%meet = OpLabel
OpReturn
OpFunctionEnd
";

/// Conditions that are of no expression: values that meet them, and the nearest ones that do not.
#[test]
fn outputs_texels_and_dead_ends() {
    let place = TestFolder::with([("a.frag", OUTPUT), ("b.frag", TEXEL), ("c.spvasm", DEAD_END)]);
    place.write("p.lv", "(vec3 0.5)");
    place.run(&["render", "p.lv", "p.png", "--size", "3x2"]).done();
    let output = "a.frag:4:15: output: NaN or infinity; first at (0, 0) with (0, inf, 0, 1)";
    let texel = "b.frag:5:15: texelFetch: an index or level outside; first at (0, 0) with";
    let dead_end = "c.spvasm: OpBranchConditional: OpUnreachable is reached; first at (0, 0)";
    for engine in ENGINES {
        for (file, values, wanted) in [
            ("a.frag", ["3.4e38", "1.001"], format!("{output}; 2 pixels")),
            ("a.frag", ["3.4e38", "1.0008"], String::new()),
            ("b.frag", ["3", "0"], format!("{texel} (3, 0), 0; 2 pixels")),
            ("b.frag", ["-1", "0"], format!("{texel} (-1, 0), 0; 2 pixels")),
            ("b.frag", ["0", "1"], format!("{texel} (0, 0), 1; 2 pixels")),
            ("b.frag", ["2", "0"], String::new()),
            ("c.spvasm", ["1.0000001", "1"], format!("{dead_end}; 2 pixels")),
            ("c.spvasm", ["1", "1"], String::new()),
        ] {
            let found = report(&place, file, engine, values);
            assert_eq!(found.join("\n"), wanted, "{engine}, {file}: {values:?}");
        }
    }
}

/// A value whose components change their places is read, though it is stored back.
#[test]
fn permuted_components_are_read() {
    let text =
        |body: &str| format!("#version 100\nprecision highp float;\nvoid main() {{\n{body}\n}}\n");
    let reported = "read before it is written";
    for (body, is_read) in [
        ("gl_FragColor.grab = gl_FragColor;", true),
        ("vec4 a; a.yx = a.xy; gl_FragColor = vec4(0.0) * a;", true),
        ("vec2 b; vec4 a = vec4(0.0); a.yz = b; gl_FragColor = a;", true),
        ("gl_FragColor.rgb = vec3(0.5); gl_FragColor.a = 1.0;", false),
    ] {
        let place = TestFolder::with([("a.frag", &*text(body))]);
        let found =
            place.run(&["render", "a.frag", "a.png", "--size", "4x4", "--undefined", "report"]);
        assert_eq!(found.err.contains(reported), is_read, "{body}: {}", found.err);
    }
}
