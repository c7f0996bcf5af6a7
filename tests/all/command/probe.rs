//! `--probe`: the messages of chosen units, by `probe` in λV and by `debugPrintfEXT` in GLSL and SPIR-V.

use super::harness::TestFolder;

const SHADER: &str = "(define (weight k) (probe \"weight\" (/ 1 (+ k 1))))
(define x (probe \"x\" (floor (.x (frag-coord)))))
(define unused (probe \"unused\" (sqrt x)))
(define total ((rec-func (k sum)
  (if (< k (probe \"limit\" x)) (rec (+ k 1) (probe \"sum\" (+ sum (weight k)))) sum)) 0 0))
(if (< x 2)
  (vec3 total (probe \"then\" x) x)
  (vec3 (probe \"else\" total) unused 0))
";

fn probes(place: &TestFolder, file: &str, options: &[&str]) -> (i32, String) {
    let all = [&["render", file, "out.png", "--size", "4x2"], options].concat();
    let outcome = place.run(&all);
    (outcome.status, outcome.err)
}

/// Values of probes: in the order of the text, in loops by rounds, once for a value that is used twice, and none that is not
/// needed; by every engine, and the picture is what it was.
#[test]
fn values_in_the_order_of_the_text() {
    let place = TestFolder::with([("a.lv", SHADER)]);
    let expected = "\
a.lv:2:11: pixel (1, 0): x = 1.0 [0x3f800000]
a.lv:5:12: pixel (1, 0): limit = 1.0 [0x3f800000]
a.lv:5:44: pixel (1, 0): sum = 1.0 [0x3f800000]
a.lv:1:20: pixel (1, 0): weight = 1.0 [0x3f800000]
a.lv:7:15: pixel (1, 0): then = 1.0 [0x3f800000]
a.lv:2:11: pixel (3, 1): x = 3.0 [0x40400000]
";
    for engine in ["simd", "core", "source", "spirv"] {
        let engine = format!("--engine={engine}");
        assert_eq!(probes(&place, "a.lv", &[&engine]), (0, String::new()));
        let plain = place.read("out.png");
        let (status, err) = probes(&place, "a.lv", &["--probe", "1,0", "--probe=3,1", &engine]);
        assert_eq!(status, 0, "{err}");
        assert!(err.starts_with(expected), "{err}");
        let sums: Vec<&str> = err.lines().filter(|line| line.contains("(3, 1): sum = ")).collect();
        let at = "a.lv:5:44: pixel (3, 1): sum =";
        let sums_expected = [
            format!("{at} 1.0 [0x3f800000]"),
            format!("{at} 1.5 [0x3fc00000]"),
            format!("{at} 1.8333334 [0x3feaaaab]"),
        ];
        assert_eq!(sums, sums_expected, "{err}");
        assert!(err.contains("(3, 1): unused = 1.7320508 [0x3fddb3d7]"), "{err}");
        assert_eq!(err.matches("unused").count(), 1, "{err}");
        assert_eq!(place.read("out.png"), plain);
    }
}

/// A probe is its expression wherever it stands: around a literal index, a function, a `rec`, a static parameter; under `@`;
/// inside a derivative, whose neighbour tells nothing. Values with parts are told.
#[test]
fn probes_are_their_expressions() {
    let place = TestFolder::new();
    for (text, lines) in [
        ("(vec3 (at (vec3 1 2 3) (probe \"i\" 2)))", vec!["i = 2.0 [0x40000000]"]),
        ("(vec3 ((probe \"f\" (func (x) (+ x 1))) 2))", vec![]),
        ("(vec3 ((rec-func (k) (if (< k 2) (probe \"end\" (rec (+ k 1))) k)) 0))", vec![]),
        (
            "(vec3 ((rec-func (k) (if (< k 2) (rec (+ k 1)) (probe \"end\" k))) 0))",
            vec!["end = 2.0 [0x40000000]"],
        ),
        (
            "(vec3 ((rec-func (k f) (if (< k 1) (rec (f k) (probe \"f\" f)) k)) 0 (func (x) (+ x 1))))",
            vec![],
        ),
        (
            "(define x (.x (frag-coord))) (vec3 ((rec-func (k c) (if (< k 2) (rec (+ k 1) (probe \"c\" c)) (dfdx c))) 0 (* x x)))",
            vec!["c = 2.25 [0x40100000]"; 2],
        ),
        ("(vec3 (dfdx (probe \"x\" (* 2 (.x (frag-coord))))))", vec![]),
        ("(vec3 (@ (probe \"two\" (+ 1 1))))", vec!["two = 2.0 [0x40000000]"]),
        (
            "(struct S a b) (.b (probe \"s\" (S (vec2 1 2) true))) (vec3 (.x (.a (probe \"s\" (S (vec2 1 2) true)))))",
            vec!["s = S(a = (1.0, 2.0) [0x3f800000 0x40000000], b = true)"],
        ),
        ("(define probe (func (x) x)) (vec3 (probe 1))", vec![]),
        ("(define tell probe) (vec3 (tell \"1 2\" (- 3)))", vec!["1 2 = -3.0 [0xc0400000]"]),
    ] {
        let text = text.replacen("(.b (probe \"s\" (S (vec2 1 2) true))) ", "", 1);
        place.write("a.lv", &text);
        for engine in ["simd", "core", "source", "spirv"] {
            let engine = format!("--engine={engine}");
            let (status, err) = probes(&place, "a.lv", &["--probe=1,0", &engine]);
            assert_eq!(status, 0, "{text}: {err}");
            let found: Vec<&str> = err
                .lines()
                .filter_map(|line| Some(line.split_once(": pixel (1, 0): ")?.1))
                .collect();
            assert_eq!(found, lines, "{text} by {engine}: {err}");
            let note = "note: pixel (1, 0) reaches no `probe` and no `debugPrintfEXT`\n";
            assert_eq!(err.contains(note), lines.is_empty(), "{err}");
        }
    }
}

const PRINTF: &str = "#version 450
#extension GL_EXT_debug_printf : enable
layout(location = 0) out vec4 colour;
#define LOG(what, x) debugPrintfEXT(what, x)
float part(int k) {
    debugPrintfEXT(\"part %d of \\\"%v2i\\\"\\n\", k, ivec2(gl_FragCoord.xy));
    return float(k) * 0.5;
}
void main() {
    vec3 sum = vec3(0.0);
    for (int k = 0; k < int(gl_FragCoord.x); k++) sum += part(k + 1);
    LOG(\"sum = %1.2v3f %%\", sum);
    colour = vec4(sum, 1.0);
}
";

/// Messages of GLSL in the order of execution; the module that glslang makes of the text has the same.
#[test]
fn messages_of_glsl() {
    let place = TestFolder::with([("a.frag", PRINTF)]);
    let expected = "\
a.frag:6:5: pixel (2, 1): part 1 of \"2, 1\"
a.frag:6:5: pixel (2, 1): part 2 of \"2, 1\"
a.frag:12:5: pixel (2, 1): sum = 1.50, 1.50, 1.50 %
";
    assert_eq!(probes(&place, "a.frag", &["--probe=2,1"]), (0, expected.to_owned()));
    // A trace shows them where they were told.
    let trace = place.run(&["trace", "a.frag", "2", "1", "--size", "4x2"]);
    assert_eq!(trace.status, 0, "{}", trace.err);
    assert!(
        trace.text().contains("a.frag:12:5  message: sum = 1.50, 1.50, 1.50 %\n"),
        "{}",
        trace.text()
    );
    assert_eq!(trace.text().matches("message: part").count(), 2, "{}", trace.text());
    let trace = place.run(&["trace", "a.frag", "2", "1", "--size", "4x2", "--json"]);
    let json: serde_json::Value = serde_json::from_str(trace.text()).expect("it is JSON");
    let scopes = json["scopes"].as_array().expect("there are scopes");
    let items = scopes.iter().flat_map(|scope| scope["items"].as_array().expect("they have items"));
    let texts: Vec<&str> = items
        .filter(|item| item["kind"] == "message")
        .filter_map(|item| item["text"].as_str())
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
}

/// Messages of a module without names: lines by OpLine, a string as an argument, a value that is a constant; and a call of
/// another instruction set, which tells nothing.
#[test]
fn messages_of_modules() {
    let module = "OpCapability Shader
        OpExtension \"SPV_KHR_non_semantic_info\"
        %print = OpExtInstImport \"NonSemantic.DebugPrintf\"
        %other = OpExtInstImport \"NonSemantic.Other\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %out %at
        OpExecutionMode %main OriginUpperLeft
        %file = OpString \"a.slang\"
        %format = OpString \"%s is %v4f, not %d or %x\"
        %what = OpString \"the place\"
        OpDecorate %out Location 0
        OpDecorate %at BuiltIn FragCoord
        %void = OpTypeVoid
        %main_type = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %vec4 = OpTypeVector %float 4
        %to_in = OpTypePointer Input %vec4
        %to_out = OpTypePointer Output %vec4
        %at = OpVariable %to_in Input
        %out = OpVariable %to_out Output
        %n7 = OpConstant %int -7
        %main = OpFunction %void None %main_type
        %start = OpLabel
        %place = OpLoad %vec4 %at
        OpLine %file 3 5
        %told = OpExtInst %void %print 1 %format %what %place %n7
        %not_told = OpExtInst %void %other 1 %format %what
        OpStore %out %place
        OpReturn
        OpFunctionEnd
";
    let place = TestFolder::with([("a.spvasm", module)]);
    let expected = "a.slang:3:5: pixel (2, 1): the place is 2.500000, 1.500000, 0.000000, 1.000000, not -7 or %x\n";
    assert_eq!(probes(&place, "a.spvasm", &["--probe=2,1"]), (0, expected.to_owned()));
}

/// Strings that are no argument of a call, and arguments that cannot be printed, are errors.
#[test]
fn mistakes() {
    let place = TestFolder::new();
    for (statement, message) in [
        ("debugPrintfEXT();", "`debugPrintfEXT` takes its format first, a string"),
        ("debugPrintfEXT(1.0);", "`debugPrintfEXT` takes its format first, a string"),
        (
            "debugPrintfEXT(\"m\", mat2(1.0));",
            "prints numbers, vectors and strings, and this is `mat2`",
        ),
        ("float x = \"one\";", "GLSL has no strings"),
        ("float x = sin(\"one\");", "a string is not a value"),
        ("float x = (\"one\");", "GLSL has no strings"),
        ("debugPrintfEXT(\"one\" + 1);", "GLSL has no strings"),
        ("debugPrintfEXT(\"one);", "a string ends in its line"),
    ] {
        let text = format!(
            "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() {{\n    c = vec4(1.0);\n    {statement}\n}}\n"
        );
        place.write("a.frag", text);
        let outcome = place.run(&["render", "a.frag", "out.png"]);
        assert_eq!(outcome.status, 1, "{statement}");
        assert!(outcome.err.contains(message), "{statement}: {}", outcome.err);
        assert!(outcome.err.contains("a.frag:5:"), "{statement}: {}", outcome.err);
    }
    for (text, message) in [
        ("(vec3 (probe 1))", "`probe` has 2 parts after its name, not 1"),
        ("(vec3 (probe name 1))", "the name is a text between quotes"),
        ("(vec3 (+ \"name\" 1))", "string"),
    ] {
        place.write("a.lv", text);
        let outcome = place.run(&["render", "a.lv", "out.png"]);
        assert_eq!(outcome.status, 1, "{text}");
        assert!(outcome.err.contains(message), "{text}: {}", outcome.err);
    }
    place.write("a.lv", SHADER);
    let outside = "the pixel (4, 0) is outside of the picture of 4x2";
    place.fails(&["render", "a.lv", "out.png", "--size=4x2", "--probe=4,0"], 2, outside);
    let outcome = place.run(&["render", "a.lv", "out.png", "--probe=middle"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("`middle` is no unit: write X,Y, vertex:N"), "{}", outcome.err);
}

/// Vertices, ids of passes and invocations.
#[test]
fn other_units() {
    let place = TestFolder::with([
        (
            "bins.lv",
            "(result out num 4)\n(pass fill (size 4) (scatter out (id) (probe \"value\" (* 2 (num (id))))))\n",
        ),
        (
            "triangle.lv",
            "(define k (probe \"k\" (num (vertex-index))))\n(position (vec4 k (- k) 0 1))\n(varying shade (+ k 1))\n(vec3 (probe \"shade\" shade))\n",
        ),
        (
            "a.comp",
            "#version 450\n#extension GL_EXT_debug_printf : enable\nlayout(local_size_x = 2) in;\nlayout(set = 0, binding = 0) buffer B { uint b[4]; };\nvoid main() {\n    uint k = gl_GlobalInvocationID.x;\n    debugPrintfEXT(\"b[%u] was %u\", k, b[k]);\n    b[k] = k + (k > 0 ? b[k - 1] : 7);\n}\n",
        ),
    ]);
    let outcome = place.run(&["run", "bins.lv", "--save", "out=o.npy", "--probe", "id:3"]);
    let expected = "bins.lv:2:39: id 3 of fill: value = 6.0 [0x40c00000]\n";
    assert_eq!((outcome.status, &*outcome.err), (0, expected));
    let outcome = place.run(&["run", "bins.lv", "--save", "out=o.npy", "--probe", "id:1:fill"]);
    assert!(outcome.err.contains("id 1 of fill: value = 2.0"), "{}", outcome.err);
    let outcome = place.run(&[
        "render",
        "triangle.lv",
        "t.png",
        "--probe",
        "vertex:2",
        "--vertices=3",
        "--size=4x4",
    ]);
    let expected = "triangle.lv:1:11: vertex 2 of instance 0: k = 2.0 [0x40000000]\n";
    assert_eq!((outcome.status, &*outcome.err), (0, expected));
    // Three triangles cover the pixel, the nearest one last; the second has a fragment that is discarded.
    let covering = "(define k (mod (vertex-index) 3i))
(define n (div (vertex-index) 3i))
(position (vec4 (if (= k 1i) 3 -1) (if (= k 2i) 3 -1) (- 0.5 (* 0.1 (num n))) 1))
(varying shade (num n))
(discard-if (= shade 1))
(vec3 (probe \"shade\" (* 2 shade)))
";
    place.write("two.lv", covering);
    let options = ["render", "two.lv", "t.png", "--vertices=9", "--size=4x4"];
    let outcome = place.run(&[&options[..], &["--probe", "1,2"]].concat());
    let expected = "two.lv:6:7: pixel (1, 2): shade = 0.0 [0x00000000]\ntwo.lv:6:7: pixel (1, 2): shade = 4.0 [0x40800000]\n";
    assert_eq!((outcome.status, &*outcome.err), (0, expected));
    let run = ["run", "a.comp", "--groups=2", "--save=B=b.npy", "--probe=id:2", "--probe=id:0"];
    let outcome = place.run(&run);
    let expected = "a.comp:7:5: id 2: b[2] was 0\na.comp:7:5: id 0: b[0] was 0\n";
    assert_eq!((outcome.status, &*outcome.err), (0, expected));
    let run = ["run", "a.comp", "--groups=2", "--save=B=b.npy", "--probe=id:9"];
    place.fails(&run, 2, "has no such invocation");
}
