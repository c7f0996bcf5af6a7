//! `; expect:`: values of functions, buffers and pixels, in all languages and by all engines.

use super::harness::{CommandOutcome, TestFolder};
use serde_json::Value;

const ENGINES: [&str; 3] = ["simd", "core", "spirv"];

const LUMA: &str = "(define (luma c) (dot c (vec3 0.25 0.5 0.25)))";

const WGSL: &str = "struct Pair { a: f32, b: vec2i }
    const TABLE = array(1.0, 2.0, 4.0);
    var<private> calls: i32 = 3;
    fn luma(c: vec3f) -> f32 { return dot(c, vec3f(0.25, 0.5, 0.25)); }
    fn twice(x: u32) -> u32 { calls += 1; return x * u32(calls) / 2; }
    fn endless(x: f32) -> f32 { var y = x; loop { y += 1.0; if y < 0.0 { break; } } return y; }
    fn gone() -> f32 { discard; return 1.0; }";

const GLSL: &str = "#version 450
    layout(location = 0) in vec2 uv;
    layout(location = 0) out vec4 colour;
    struct Pair { float a; ivec2 b; };
    int calls = 3;
    #define HALF 0.5
    float luma(vec3 c) { return dot(c, vec3(0.25, 0.5, 0.25)); }
    uint twice(uint x) { calls += 1; colour = vec4(1.0); return x * uint(calls) / 2u; }
    float endless(float x) { while (x > 0.0) { x += 1.0; } return x; }";

/// A program in λV with these directives above it.
fn lv(directives: &str) -> String {
    format!("{directives}\n{LUMA}\n(uniform gain num 1)\n(vec4 (luma (vec3 gain)) 0.5 (time) 1)")
}

fn run(place: &TestFolder, arguments: &str) -> CommandOutcome {
    let outcome = place.run_line(&format!("test {arguments}"));
    assert_eq!(outcome.err, "", "{}", outcome.text());
    outcome
}

/// Runs the tests with each engine, which demands one outcome, and returns the message of each test that does not pass.
#[track_caller]
fn messages(place: &TestFolder) -> Vec<(String, String, String)> {
    let mut all: Vec<Vec<(String, String, String)>> = Vec::new();
    for engine in ENGINES {
        let outcome = run(place, &format!(". --engine {engine} --jobs 1 --message-format json"));
        let mut found = Vec::new();
        for line in outcome.text().lines() {
            let value: Value = serde_json::from_str(line).expect("a line is JSON");
            let text = |key: &str| value[key].as_str().expect("it has the member").to_owned();
            if text("status") != "passed" {
                found.push((text("test"), text("status"), text("message")));
            }
        }
        found.sort();
        all.push(found);
    }
    assert_eq!(all[0], all[1], "simd and core");
    assert_eq!(all[0], all[2], "simd and spirv");
    all.swap_remove(0)
}

/// All expectations of a program hold, and each with another value does not, by all engines.
#[track_caller]
fn hold(name: &str, marker: &str, program: &str, expectations: &[(&str, &str)]) {
    let right = expectations.iter().map(|(words, _)| format!("{marker} {words}\n"));
    let place = TestFolder::new();
    place.write(name, format!("{}{program}", right.collect::<String>()));
    assert_eq!(messages(&place), []);
    let wrong = expectations.iter().map(|(words, other)| {
        let (left, right) = words.rsplit_once(" == ").expect("it compares");
        let ulp = right.find(" ulp").map_or("", |at| &right[at..]);
        format!("{marker} {left} == {other}{ulp}\n")
    });
    place.write(name, format!("{}{program}", wrong.collect::<String>()));
    let found = messages(&place);
    for (line, (words, other)) in (1..).zip(expectations) {
        let test = format!("{name}:line-{line}");
        let found = found.iter().find(|(id, ..)| *id == test);
        let (_, status, message) = found.unwrap_or_else(|| panic!("{words} holds"));
        assert_eq!(status, "failed", "{words}: {message}");
        assert!(message.contains(" is not ") && message.contains(other), "{words}: {message}");
    }
}

#[test]
fn functions_of_shaders() {
    let program = format!(
        "(struct Pair a b) (constant depth int 3i)\n(define (fill x) (tabulate 3 (func (i) (+ x (num i)))))\n{LUMA}"
    );
    hold(
        "a.lv",
        "; expect:",
        &program,
        &[
            ("(luma (vec3 1)) == 1", "2"),
            ("0.5 == (luma (vec3 0 1 0))", "(luma (vec3 1))"),
            ("(luma (vec3 0.1 0.2 0.3)) == 0.2 ulp 4", "0.3"),
            ("(* 2i depth) == 6", "7"),
            ("(less 1 2) == true", "false"),
            ("(mat2 (vec2 1 2) (vec2 3 4)) == (mat2 (vec2 1 2) (vec2 3 4))", "(mat2 1)"),
            ("(Pair 1 2i) == (Pair 1 2i)", "(Pair 1 3i)"),
            ("(fill 1) == (fill 1)", "(fill 2)"),
            ("(/ 0 0) == nan", "0"),
            ("(/ -1 0) == -inf", "inf"),
            ("(- 0) == 0", "1"),
        ],
    );
}

#[test]
fn functions_of_wgsl() {
    hold(
        "a.wgsl",
        "// expect:",
        WGSL,
        &[
            ("luma(vec3f(1)) == 1", "2"),
            ("luma(vec3f(0.1, 0.2, 0.3)) == 0.2 ulp 4", "0.3"),
            ("twice(21) == 42", "0x2b"),
            ("1 + 1 == 2", "3"),
            ("Pair(1.5, vec2i(2, -3)) == Pair(1.5, vec2(2, -3))", "Pair(1.5, vec2(2, 3))"),
            ("TABLE[2] == 4", "4.5"),
            ("mat2x3f(1, 2, 3, 4, 5, 6)[1] == vec3(4.0, 5, 6)", "vec3f(4, 5, 7)"),
            ("array<vec2f, 2>(vec2f(1), vec2f(2))[1].y == 2", "1"),
            ("all(vec3f(1) == vec3f(1)) == true", "false"),
            ("bitcast<u32>(-1i) == 0xffffffffu", "0u"),
        ],
    );
}

#[test]
fn functions_of_glsl() {
    hold(
        "a.frag",
        "// expect:",
        GLSL,
        &[
            ("luma(vec3(1.0)) == 1.0", "2.0"),
            ("luma(vec3(0.1, 0.2, 0.3)) == 0.2 ulp 4", "0.3"),
            ("twice(21u) == 42", "43"),
            ("Pair(1.5, ivec2(2, -3)) == Pair(1.5, ivec2(2, -3))", "Pair(1.5, ivec2(2, 3))"),
            ("HALF == 0.5", "0.25"),
            ("mat2x3(1, 2, 3, 4, 5, 6)[1] == vec3(4, 5, 6)", "vec3(4, 5, 7)"),
            ("float[2](1.0, 2.0) == float[2](1.0, 2.0)", "float[2](1.0, 3.0)"),
            ("uv == vec2(0.0)", "vec2(1.0)"),
            ("bvec2(true, false) == bvec2(true, false)", "bvec2(true, true)"),
        ],
    );
}

/// Files of other stages, and text without an entry point, have functions as well.
#[test]
fn functions_of_any_stage() {
    let compute = "#version 450
        layout(local_size_x = 4) in;
        layout(binding = 0) buffer Values { uint values[]; };
        shared uint all;
        uint square(uint x) { return x * x; }
        void main() { all = 1; barrier(); values[gl_GlobalInvocationID.x] = square(all); }";
    hold("a.comp", "// expect:", compute, &[("square(3u) == 9", "8")]);
    let vertex = "#version 450
        layout(location = 0) in vec3 position;
        vec4 moved(vec3 p) { gl_PointSize = 1.0; return vec4(p + 1.0, 1.0); }
        void main() { gl_Position = moved(position); }";
    hold("a.vert", "// expect:", vertex, &[("moved(vec3(1)) == vec4(2, 2, 2, 1)", "vec4(2)")]);
    let shared = "@group(0) @binding(0) var<storage, read_write> values: array<u32>;
        var<workgroup> all: array<u32, 4>;
        fn square(x: u32) -> u32 { return x * x; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) k: u32) {
            all[k] = k; workgroupBarrier(); values[k] = square(all[3 - k]);
        }";
    hold("a.wgsl", "// expect:", shared, &[("square(3) == 9", "8")]);
    let triangles = "(attribute place vec3) (define (up p) (vec4 p 1)) (position (up place))
        (varying shade (.x place)) (vec4 shade 0 0 1)";
    hold("a.lv", "; expect:", triangles, &[("(up (vec3 2)) == (vec4 2 2 2 1)", "(vec4 2)")]);
}

/// An expectation uses the settings of the test above it, and its program's files.
#[test]
fn settings_belong_to_the_test_above() {
    let place = TestFolder::with([
        ("lib.lv", LUMA),
        (
            "a.lv",
            "(include \"lib.lv\") (texture photo) (uniform gain num 1) (constant n int 2i)
            ; expect: (luma (vec3 gain)) == 1
            ; test: low --size 4x2 --time 3 --set gain=2 --set n=5 --format none
            ; expect: (luma (vec3 gain)) == 2
            ; expect: (time) == 3
            ; expect: (resolution) == (vec2 4 2)
            ; expect: (frag-coord) == (vec4 0.5 0.5 0 1)
            ; expect: n == 5
            ; test: bound --bind photo=photo.png --format none
            ; expect: (texel photo (ivec2 0i 0i) 0i) == (vec4 1 0 0 1)
            ; expect: n == 2
            (texel photo (ivec2 0i 0i) 0i)",
        ),
        ("red.lv", "(vec4 1 0 0 1)"),
        (
            "b.wgsl",
            "#import lib
            override scale: f32 = 2.0;
            // test: --set scale=4 --format none
            // expect: f(2.0) * scale == 12
            @fragment fn main() -> @location(0) vec4f { return vec4f(scale); }",
        ),
        ("lib.wgsl", "fn f(x: f32) -> f32 { return x + 1.0; }"),
    ]);
    place.run_line("render red.lv -o photo.png --size 1x1").done();
    assert_eq!(messages(&place), []);
    let list = run(&place, "--list");
    let wanted = "a.lv:line-2\na.lv:low\na.lv:bound\nb.wgsl\n";
    assert_eq!(list.text(), wanted);
    // A texture that the expression reads needs an image.
    place.write(
        "a.lv",
        "; expect: (texel photo (ivec2 0i 0i) 0i) == (vec4 1)\n(texture photo) (vec4 1)",
    );
    let [(_, status, message)] = &messages(&place)[..] else { panic!("one does not hold") };
    assert!(message.contains("`photo` is not bound"), "{message}");
    assert_eq!(status, "broken");
}

/// Goldens and expectations of one test.
#[test]
fn a_test_may_have_both() {
    let program =
        |gain| lv(&format!("; test: --size 4x4\n; expect: (* gain (luma (vec3 1))) == {gain}"));
    let place = TestFolder::with([("a.lv", &*program(2))]);
    // Nothing is blessed while an expectation does not hold.
    let outcome = run(&place, "--bless");
    let text = outcome.text();
    assert_eq!(outcome.status, 1, "{text}");
    let wanted = "failed a.lv: a.lv:2: (* gain (luma (vec3 1))) == 2: 1.0 is not 2.0, 8388608 ulp";
    assert!(text.contains(wanted), "{text}");
    assert!(!place.files().contains_key("a.png"));
    place.write("a.lv", program(1));
    run(&place, "--bless").done();
    assert!(place.files().contains_key("a.png"));
    place.write("a.lv", program(3));
    let outcome = run(&place, "");
    assert!(outcome.text().starts_with("failed a.lv: a.lv:2: "), "{}", outcome.text());
    // Then nothing is wrong with the picture.
    assert!(!place.files().contains_key("a.new.png"));
}

/// Tests without a golden write nothing, and their pictures are no orphans.
#[test]
fn tests_without_a_golden() {
    let text = lv(
        "; test: a --size 2x2\n; test: b --format none --size 2x2\n; expect: pixel(0,0) == (vec4 1 0.5 0 1)",
    );
    let place = TestFolder::with([("a.lv", &*text)]);
    run(&place, "--bless").done();
    let files: Vec<String> = place.files().into_keys().collect();
    assert_eq!(files, ["a.a.png", "a.lv"]);
    let outcome = run(&place, "--report report");
    assert!(outcome.text().contains("2 tests: 2 passed"), "{}", outcome.text());
    assert!(!outcome.text().contains("no test has"), "{}", outcome.text());
    let results = String::from_utf8(place.read("report/results.jsonl")).expect("it is text");
    assert!(results.contains(r#""golden":null"#), "{results}");
    place.write("a.lv", text.replace("0.5 0 1", "0.25 0 1"));
    let outcome = run(&place, "--report report");
    assert_eq!(outcome.status, 1);
    let junit = String::from_utf8(place.read("report/junit.xml")).expect("it is text");
    assert!(junit.contains("the first difference is at .y: 0.5 and 0.25"), "{junit}");
    assert!(!junit.contains("golden:"), "{junit}");
    let merged = run(&place, "--merge report --report all");
    assert!(merged.text().contains("1 passed, 1 failed"), "{}", merged.text());
    // Another program draws no picture of a test without one.
    let list = run(&place, "--against report --message-format json");
    assert_eq!(list.text().lines().count(), 1, "{}", list.text());
    let outcome = place.run_line("test --against report --filter :b");
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("none of 1 tests has one"), "{}", outcome.err);
}

#[test]
fn pixels_of_pictures() {
    let picture = "(vec4 (/ (.x (frag-coord)) 8) (/ (.y (frag-coord)) 4) 0.1 1)";
    let text = format!(
        "; test: --size 8x4 --format none\n; expect: pixel(7,0) == (vec4 0.9375 0.125 0.1 1)\n{picture}"
    );
    let place = TestFolder::with([("a.lv", &*text)]);
    // OpenGL counts rows from below, and a program may have a function of that name.
    place.write(
        "b.frag",
        "// test: --size 8x4 --format none --origin lower-left
        // expect: pixel(7,0) == vec4(0.9375, 0.875, 0.1, 1)
        void main() { gl_FragColor = vec4(gl_FragCoord.xy / vec2(8, 4), 0.1, 1); }",
    );
    place.write(
        "c.frag",
        "// expect: pixel(7,1) == 8
        int pixel(int x, int y) { return x + y; }
        void main() { gl_FragColor = vec4(1); }",
    );
    place.write("e.lv", picture);
    let spirv = place.run_line("compile e.lv --emit spirv-text -o d.spvasm");
    assert_eq!(spirv.status, 0, "{}", spirv.err);
    place.write(
        "d.spvasm.test",
        "--size 8x4 --format none\nexpect: pixel(1,1) == pixel(1,1)\n; expect: pixel(1,3) == 1\n",
    );
    let found = messages(&place);
    let [(test, status, message)] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((&**test, &**status), ("d.spvasm", "broken"));
    let wanted =
        "d.spvasm.test:3:25: `1` is one number, and the other side, of the type pixel, has 4";
    assert_eq!(message, wanted);
}

#[test]
fn elements_of_buffers() {
    let program = "struct Point { at: vec2f, n: i32 }
        struct All { count: u32, scale: vec3f, points: array<Point> }
        @group(0) @binding(0) var<storage, read_write> all: All;
        @group(0) @binding(1) var<storage, read_write> squares: array<vec2u, 4>;
        fn square(x: u32) -> u32 { return x * x; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) k: u32) {
            all.count = 7; all.scale.y = 0.5; all.points[k].at.y = f32(k); all.points[k].n = -i32(k);
            squares[k] = vec2u(k, square(k));
        }";
    let right = "// test: --groups 1 --zeros all=4
        // expect: all.count == 7
        // expect: all.scale == vec3f(0, 0.5, 0)
        // expect: all.points[3].at == vec2f(0, 3)
        // expect: all.points[3].n == -3
        // expect: squares[3][1] == square(3)
        // expect: squares[2] == vec2u(2, 4)
        // expect: squares[2].y == all.count
        // expect: (all) == 7
        // expect: all == 7
        // expect: all.nothing == 7
        // expect: all.points[4].n == 7
        // expect: squares[1][2] == 7
        // expect: squares[0][0] == 0.0
        // expect: pixel(0,0) == 0.0
        // expect: squares[1] == vec2f(1, 1)\n";
    let place = TestFolder::with([("a.wgsl", &*format!("{right}{program}"))]);
    let found = messages(&place);
    let [(_, status, message)] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(status, "broken");
    let mut lines = message.lines();
    for wanted in ["a.wgsl:8: squares[2].y == all.count: 4 is not 7", "a.wgsl:9: error[LV0636]"] {
        let line = lines.next().expect(wanted);
        assert!(line.starts_with(wanted), "{wanted}: {message}");
    }
    for wanted in [
        "a.wgsl:10:20: `all` is a whole buffer; name an element or a member of it",
        "a.wgsl:11:20: `all` has no member `nothing`; it has `count`, `scale`, `points`",
        "a.wgsl:12:20: the index 4 is out of range: `all.points` has 4 elements",
        "a.wgsl:13:20: the index 2 is out of range: `squares[1]` has 2 elements",
        "a.wgsl:14:37: `0.0` is no value of the type uint of the other side",
        "a.wgsl:15:20: a compute program draws no picture",
        "a.wgsl:16:20: the sides have different types: uvec2 and vec2<f32>",
    ] {
        assert!(message.contains(wanted), "{wanted}: {message}");
    }
    // Without workgroups nothing runs.
    place.write("a.wgsl", format!("// expect: squares[1][1] == 1\n{program}"));
    let found = messages(&place);
    let what = "a.wgsl:1:12: `squares` is a buffer of a compute program, which runs in workgroups; \
                write a `test:` with --groups above the expectation";
    assert_eq!(found[0].2, what);
    place.write("a.wgsl", format!("// test: --groups 1\n{program}"));
    assert!(messages(&place)[0].2.contains("nothing is compared"), "--groups alone");
}

#[test]
fn results_of_passes() {
    let place = TestFolder::with([(
        "a.lv",
        "(result counts uint 4) (result seen uint 8)
        ; expect: counts[3] == 2
        ; expect: (at counts 1) == counts[1]
        ; test: --save seen
        ; expect: seen[7] == 49
        (define (square x) (* x x))
        (pass both (size 8)
          (scatter seen (id) (uint (square (id))))
          (combine counts (rem (id) 4i) 1u add))",
    )]);
    run(&place, "--bless").done();
    assert_eq!(messages(&place), []);
    place.write(
        "b.lv",
        "(result counts uint 4)
        ; expect: counts[4] == 2
        ; expect: counts[2] == 3
        (pass all (size 8) (combine counts (rem (id) 4i) 1u add))",
    );
    let found = messages(&place);
    assert_eq!(found[0].2, "b.lv:2:19: the index 4 is out of range: `counts` has 4 elements");
    assert_eq!(found[1].2, "b.lv:3: counts[2] == 3: 2 is not 3");
}

/// Errors of an expression have its place.
#[test]
fn errors_have_their_place() {
    for (name, text, parts) in [
        (
            "a.lv",
            lv("; a\n   ; expect: (lumma (vec3 1)) == 1"),
            &["a.lv:2: error[LV0301]", "--> a.lv:2:15", "did you mean `luma`?"][..],
        ),
        ("a.lv", lv("; expect: 1 == (luma 1 2)"), &["--> a.lv:1:16"]),
        (
            "a.lv",
            lv("; expect: (vec3 1) == (vec4 1)"),
            &["a.lv:1:11: the sides have different types: vec3 and vec4"],
        ),
        ("a.lv", lv("; expect: (vec3 1) == 1"), &["a.lv:1:23: `1` is one number"]),
        ("a.lv", lv("; expect: 1i == (uint 1)"), &["a.lv:1:11: `1i` is no value of the type uint"]),
        ("a.lv", lv("; expect: (int 1) == 1 ulp 1"), &["`ulp` is for floats, and int has none"]),
        ("a.lv", lv("; expect: luma == 1"), &["a.lv:1:11", "is a function"]),
        (
            "a.lv",
            lv("; expect: pixel(9999,0) == 1"),
            &["a.lv:1:11: the pixel (9999, 0) is outside"],
        ),
        (
            "a.lv",
            lv("; expect: 1 2 == (luma (vec3 1))"),
            &["--> a.lv:1:13", "ends before this one"],
        ),
        (
            "a.wgsl",
            format!("{WGSL}\n// expect: lumma(vec3f(1)) == 1"),
            &["--> a.wgsl:8:12", "`luma` is similar"],
        ),
        (
            "a.wgsl",
            format!("// expect: 1 == luma(vec3f(1)) luma\n{WGSL}"),
            &["--> a.wgsl:1:32", "the expression ends here"],
        ),
        (
            "a.wgsl",
            format!("// expect: gone() == 1\n{WGSL}"),
            &["a.wgsl:1:12: the expression discards its pixel"],
        ),
        (
            "a.wgsl",
            format!("// expect: endless(1) == 1\n{WGSL}"),
            &["a.wgsl:1: error[LV0504]", "--> a.wgsl:7:"],
        ),
        ("a.wgsl", format!("// expect: twice == 1\n{WGSL}"), &["--> a.wgsl:1:12"]),
        (
            "a.wgsl",
            format!("// expect: array<f32, 17>() == 1\n{WGSL}"),
            &["more than 16 components"],
        ),
        (
            "a.frag",
            format!("{GLSL}\n  // expect: lumma(vec3(1)) == 1"),
            &["--> a.frag:10:14", "`luma` is similar"],
        ),
        (
            "a.frag",
            format!("{GLSL}\n// expect: luma(vec3(1)); == 1"),
            &["--> a.frag:10:25", "the expression ends here"],
        ),
        (
            "a.frag",
            format!("{GLSL}\n// expect: endless(1.0) == 1"),
            &["a.frag:10: error[LV0504]", "--> a.frag:9:"],
        ),
        (
            "a.comp",
            "void main() {}\n// expect: gl_GlobalInvocationID.x == 1".to_owned(),
            &["a.comp:2: error[LV0605]: the input GlobalInvocationId"],
        ),
    ] {
        let place = TestFolder::new();
        place.write(name, &text);
        let found = messages(&place);
        let [(_, status, message)] = &found[..] else { panic!("{text}: {found:#?}") };
        assert_eq!(status, "broken", "{text}: {message}");
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

#[test]
fn core_text_and_spirv_have_no_expressions() {
    let place = TestFolder::with([("a.lv", &*lv(""))]);
    for (name, emit) in [("b.core", "core"), ("c.spvasm", "spirv-text")] {
        let compiled = place.run_line(&format!("compile a.lv --emit {emit} -o {name}"));
        assert_eq!(compiled.status, 0, "{}", compiled.err);
        place.write(&format!("{name}.test"), "expect: (luma (vec3 1)) == 1\n");
    }
    place.write("a.lv", lv("; expect: (luma (vec3 1)) == 1"));
    let found = messages(&place);
    assert_eq!(found.len(), 2, "{found:#?}");
    for (test, _, message) in found {
        let name = test.split(':').next().unwrap_or_default();
        let wanted = format!("{name}.test:1:9: core text and SPIR-V have no expressions; ");
        assert!(message.starts_with(&wanted), "{message}");
    }
}

/// Malformed expectations make their test malformed, with the place, and are found without a process.
#[test]
fn malformed_expectations() {
    for (words, column, part) in [
        ("(luma 1)", 11, "`VALUE == VALUE`"),
        ("1 == (f 1) == 2", 22, "one `==`"),
        ("1 == 1.5", 11, "nothing is tested"),
        ("== 1", 11, "in front of `==`"),
        ("(f 1) == 2 ulp", 25, "`ulp` has a number"),
    ] {
        let text = lv(&format!("; test: a --size 2x2\n; expect: {words}"));
        let place = TestFolder::with([("a.lv", &*text)]);
        let found = messages(&place);
        let [(test, status, message)] = &found[..] else { panic!("{words}: {found:#?}") };
        assert_eq!((&**test, &**status), ("a.lv:line-1", "broken"));
        let place = format!("a.lv:2:{column}: ");
        assert!(message.starts_with(&place) && message.contains(part), "{words}: {message}");
    }
    for (directive, part) in [
        ("--format none", "a test has expectations below it"),
        ("--format none --tolerance 1", "leave out options of one"),
        ("--format none --save x", "leave out --format"),
        ("--groups 1", "nothing is compared"),
        ("--groups 1 --format exr", "--save NAME"),
    ] {
        let place = TestFolder::with([("a.lv", &*lv(&format!("; test: {directive}")))]);
        let found = messages(&place);
        assert!(found[0].2.contains(part), "{directive}: {found:#?}");
    }
}

/// A comment that is nearly an expectation is a warning.
#[test]
fn near_misses_are_warnings() {
    let text =
        lv("; expect: (luma (vec3 1)) == 1\n; Expect: x\n// expect: 1 == x\n; we expect: nothing");
    let place = TestFolder::with([("a.lv", &*text.replace("// expect", "(define x 1) // expect"))]);
    let outcome = place.run_line("test a.lv");
    assert!(outcome.err.contains("a.lv:2: `Expect: x` is no expectation"), "{}", outcome.err);
    assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
}

/// Names of tests: an expectation without a test has one of its own, and needs none for others.
#[test]
fn names_of_expectations() {
    let text = lv(
        "; expect: (luma (vec3 1)) == 1\n; expect: (luma (vec3 2)) == 2\n; test: line-1 --size 2x2\n; expect: gain == 1",
    );
    let place = TestFolder::with([
        ("a.lv", &*text),
        ("b.lv", &*lv("; expect: gain == 1\n; test: --size 2x2")),
    ]);
    place.write("a.lv.test", "expect: gain == 1\n");
    let list = run(&place, "--list");
    let wanted = "a.lv:test-line-1\na.lv:line-2\na.lv:line-1  a.line-1.png\na.lv:line-1-2\nb.lv:line-1\nb.lv  b.png\n";
    assert_eq!(list.text(), wanted);
    let parts: Vec<String> = (1..=3)
        .map(|k| run(&place, &format!("--shard {k}/3 --message-format json")).text().to_owned())
        .collect();
    assert_eq!(parts.concat().lines().count(), 6);
}

/// A device computes expectations like any engine.
#[test]
fn a_device_computes_expressions() {
    let place = TestFolder::with([(
        "a.lv",
        &*lv(
            "; test: --size 4x2 --format none\n; expect: (luma (vec3 1)) == 1\n; expect: (resolution) == (vec2 4 2)\n; expect: (mat4 1) == (mat4 1)",
        ),
    )]);
    place.write(
        "b.wgsl",
        format!("// expect: Pair(1.5, vec2i(2, -3)) == Pair(1.5, vec2(2, -4))\n{WGSL}"),
    );
    let outcome = place.run_line("test --engine gpu --message-format json");
    if outcome.status == 3 || outcome.err.contains("device") {
        return lambdav_test_support::skipped("no device");
    }
    let text = outcome.text();
    let wanted = "(1.5, 2, -3) is not (1.5, 2, -4); the first difference is at .b.y: -3 and -4";
    assert!(text.contains(wanted), "{text}{}", outcome.err);
    assert!(text.contains(r#""status":"passed","test":"a.lv""#), "{text}");
}

/// Any text of an expression gives an answer or an error, never a fault of the machine.
#[test]
fn hostile_expressions() {
    let deep = format!("{}1{}", "(".repeat(3000), ")".repeat(3000));
    let texts = [
        "}",
        "{",
        ";",
        "/*",
        "*/",
        "//",
        "\"",
        "a[",
        "#include \"a\"",
        "#define x",
        "\\",
        "ü",
        "@",
        "1,2",
        "-",
        "!",
        "<",
        "a<b<c",
        "}void f(){",
        "return 1.0",
        "discard",
        "fn f() {}",
        "(define x 1)",
        "(output 0 1)",
        "main()",
        "(rec 1)",
        "(@ 1)",
        "luma",
        "__LINE__",
        "package::x",
        "x::y",
        "vec4",
        "if",
        "?",
        "0x",
        "1e",
        "1u8",
        "(",
        ")",
        "[]",
        "()",
        "\u{feff}",
        &deep,
    ];
    for (name, marker, program) in [
        ("a.lv", ";", lv("")),
        ("a.wgsl", "//", WGSL.to_owned()),
        ("a.frag", "//", format!("{GLSL}\nvoid main() {{}}")),
    ] {
        let lines = texts.iter().map(|text| format!("{marker} expect: {text} == (luma)\n"));
        // A version comes first in GLSL.
        let place =
            TestFolder::with([(name, &*format!("{program}\n{}", lines.collect::<String>()))]);
        for (test, status, message) in messages(&place) {
            assert!(["broken", "failed"].contains(&&*status), "{test}: {status}: {message}");
        }
    }
}

/// Time is limited as for pictures.
#[test]
fn time_is_limited() {
    let text = lv(
        "(define (long x) ((rec-func (i s) (if (< i 16000000) (rec (+ i 1) (+ s ((rec-func (k t) \
                   (if (< k 16000000) (rec (+ k 1) (sin (+ t i))) t)) 0 x))) s)) 0 x))\n; expect: (long (time)) == 1",
    );
    let place = TestFolder::with([("a.lv", &*text)]);
    let outcome = run(&place, "--timeout 0.5");
    assert_eq!(outcome.status, 3, "{}", outcome.text());
    let wanted = "machine a.lv:line-2: it took longer than 0.5 s; --timeout allows more";
    assert!(outcome.text().contains(wanted), "{}", outcome.text());
}

/// Outputs of integers: expectations have their type, goldens are digests, and traces show the numbers.
#[test]
fn integers_are_tested_as_they_are() {
    let text = |last: &str, expected: &str| {
        format!(
            "; test: --size 4x4 --format digest
; expect: pixel(1,2) == (ivec4 1i 2i 7i {expected})
(ivec4 (int (.xy (frag-coord))) 7i {last})"
        )
    };
    let place = TestFolder::new();
    place.write("a.lv", text("-1i", "-1i"));
    place.run(&["test", "a.lv", "--bless"]).done();
    for engine in ["simd", "core", "spirv"] {
        place.run(&["test", "a.lv", "--engine", engine]).done();
    }
    place.run(&["render", "a.lv", "a.npy", "--size", "1x1"]).done();
    let words = [0, 0, 7, -1].map(i32::to_le_bytes);
    assert!(place.read("a.npy").ends_with(words.as_flattened()), "the integers are as they are");
    // Both numbers are NaN as binary32.
    place.write("a.lv", text("-2i", "-1i"));
    let outcome = place.run(&["test", "a.lv"]);
    assert_eq!(outcome.status, 1, "{}", outcome.text());
    let said = "(1, 2, 7, -2) is not (1, 2, 7, -1)";
    assert!(outcome.text().contains(said), "{}", outcome.text());
    place.write("a.lv", text("-2i", "-2i"));
    let outcome = place.run(&["test", "a.lv"]);
    assert_eq!(outcome.status, 1, "{}", outcome.text());
    let traced = place.run(&["trace", "a.lv", "1", "2"]).done();
    assert!(traced.text().contains("output 0 = (1, 2, 7, -2)"), "{}", traced.text());
    place.write("b.lv", "; test: --size 4x4 --format npy\n(ivec4 1i 2i 3i 4i)");
    let outcome = place.run(&["test", "b.lv", "--bless"]);
    assert_eq!(outcome.status, 1, "{}", outcome.text());
    assert!(outcome.text().contains("its golden is a digest"), "{}", outcome.text());
    assert!(!place.path("b.npy").exists());
}
