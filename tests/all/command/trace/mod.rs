//! `lambdav trace`: its output, its errors, and its bits against those of the core evaluator.

mod against;
#[cfg(feature = "foreign")]
mod slices;
mod units;

use super::harness::TestFolder;
use lambdav_image::Frame;
use lambdav_test_support::header_bindings;
use serde_json::Value;
use std::path::Path;

/// A shader whose pixels differ in conditions and rounds.
const STEPS: &str = "\
(define (soft d k)
  (if (< d k) (/ d k) 1))
(define c (* 3 (- (/ (.xy (frag-coord)) (.y (resolution))) (vec2 1 0.5))))
(uniform tint vec3 (vec3 1 0.5 0.25))
(define steps
  ((rec-func (z n)
     (if (or (> (dot z z) 4) (>= n 64))
       n
       (rec (+ c (vec2 (- (* (.x z) (.x z)) (* (.y z) (.y z)))
                       (* 2 (.x z) (.y z))))
            (+ n 1))))
   (vec2 0) 0))
(let* ((shade (/ steps 64))
       (k (+ shade 0.5)))
  (* tint (soft shade k)))
";

#[cfg(feature = "foreign")]
const RINGS: &str = "\
#version 450
layout(location = 0) out vec4 colour;
float rings(vec2 p, inout float sum) {
    float r = length(p);
    for (int i = 0; i < 3; i++) {
        sum += r;
        if (sum > 1.5) break;
    }
    return r;
}
void main() {
    vec2 p = gl_FragCoord.xy / 16.0;
    float sum = 0.0;
    float r = rings(p, sum);
    colour = vec4(p, sum, 1.0);
}
";

#[cfg(feature = "foreign")]
const BEAMS: &str = "\
struct Ray { from: vec3f, to: vec3f }
fn far(p: vec2f) -> f32 {
  let r = length(p);
  var sum = 0.0;
  for (var i = 0; i < 3; i++) {
    sum += r;
    if sum > 1.5 { break; }
  }
  return sum;
}
@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let p = at.xy / 16.0;
  var ray: Ray;
  ray.to.y = 2.0;
  return vec4f(p, far(p), ray.to.y);
}
";

/// The trace as JSON.
#[track_caller]
fn json(place: &TestFolder, arguments: &[&str]) -> Value {
    let outcome = place.run(&[arguments, &["--json"]].concat());
    assert_eq!(outcome.status, 0, "{arguments:?}: {}", outcome.err);
    serde_json::from_str(outcome.text()).expect("it is JSON")
}

/// The bits of the traced pixel.
fn bits(trace: &Value) -> Vec<String> {
    let bits = trace["value"]["bits"].as_array().expect("the value has bits");
    bits.iter().map(|bits| bits.as_str().expect("it is text").to_owned()).collect()
}

/// Draws a shader by the core evaluator.
#[track_caller]
fn drawn(place: &TestFolder, arguments: &[&str]) -> Frame {
    let draw = ["render", arguments[0], "drawn.npy", "--engine", "core"];
    let outcome = place.run(&[&draw, &arguments[1..]].concat());
    assert_eq!(outcome.status, 0, "{arguments:?}: {}", outcome.err);
    place.frame("drawn.npy")
}

/// Traces some pixels of a shader, which must have the bits that the core evaluator draws.
#[track_caller]
fn has_the_bits_of_the_core(place: &TestFolder, arguments: &[&str], size: [u32; 2]) {
    let sides = format!("{}x{}", size[0], size[1]);
    let arguments = [arguments, &["--size", &sides]].concat();
    let frame = drawn(place, &arguments);
    for [x, y] in [[0, 0], [size[0] - 1, size[1] / 2], [size[0] / 2, size[1] - 1]] {
        let pixel = [x.to_string(), y.to_string()];
        let traced = ["trace", arguments[0], &pixel[0], &pixel[1]];
        let trace = json(place, &[&traced, &arguments[1..]].concat());
        let colour = frame.pixels()[(y * size[0] + x) as usize];
        let expected = colour.map(|component| format!("{:#010x}", component.to_bits()));
        assert_eq!(bits(&trace), expected, "{arguments:?} at ({x}, {y})");
    }
}

/// The options for data in the first command line of a shader's header.
fn data_of(text: &str) -> Vec<String> {
    let bind = |(name, file)| ["--bind".to_owned(), format!("{name}={file}")];
    header_bindings(text).into_iter().flat_map(bind).collect()
}

#[test]
fn the_gallery_has_the_bits_of_the_core() {
    let place = TestFolder::new();
    place.copy_gallery();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the gallery is there") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|ending| ending != "lv") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it is text");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let data = data_of(&text);
        let shader = format!("shaders/{name}");
        let mut arguments = vec![shader.as_str()];
        arguments.extend(data.iter().map(String::as_str));
        has_the_bits_of_the_core(&place, &arguments, [7, 5]);
        count += 1;
    }
    assert!(count > 8, "{count} shaders were traced");
}

#[test]
#[cfg(feature = "foreign")]
fn foreign_shaders_have_the_bits_of_the_core() {
    let place = TestFolder::with([("rings.frag", RINGS), ("beams.wgsl", BEAMS)]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign");
    for name in ["plasma.wgsl", "mandelbrot.wgsl", "march.wgsl", "clouds.frag", "weave.frag"] {
        place.write(name, std::fs::read(folder.join(name)).expect("it is there"));
        has_the_bits_of_the_core(&place, &[name], [9, 6]);
    }
    place.write("disc.frag", std::fs::read(folder.join("disc.frag")).expect("it is there"));
    has_the_bits_of_the_core(&place, &["disc.frag", "--input", "0=uv"], [9, 6]);
    place.write("low.frag", RINGS);
    has_the_bits_of_the_core(&place, &["low.frag", "--origin", "lower-left"], [9, 6]);
    for name in ["rings.frag", "beams.wgsl"] {
        has_the_bits_of_the_core(&place, &[name], [16, 16]);
    }
}

/// Modules: those of other compilers are executed as they are, and keep their lines.
#[test]
fn modules_have_the_bits_of_the_core() {
    let place = TestFolder::with([("steps.lv", STEPS)]);
    place.run_line("compile steps.lv -o steps.spv").done();
    let sides = [9, 6];
    has_the_bits_of_the_core(&place, &["steps.spv", "--set", "tint=1,2,3"], sides);
    let text = place.run_line("trace steps.spv 3 3 --size 9x6 --set tint=1,2,3");
    assert_eq!(text.status, 0, "{}", text.err);
    assert!(text.text().contains("steps.lv:7:"), "{}", text.text());
}

/// Passes run before the pixel is traced.
#[test]
fn passes_come_before_the_pixel() {
    let text = "(result squares num 8)\n\
                (pass square (size 8) (scatter squares (id) (* (num (id)) (num (id)))))\n\
                (define s (at squares 3))\n(vec3 s)";
    let place = TestFolder::with([("squares.lv", text)]);
    has_the_bits_of_the_core(&place, &["squares.lv"], [2, 2]);
    let outcome = place.run_line("trace squares.lv 0 0 --size 2x2").done();
    assert!(
        outcome.text().contains("squares.lv:3:9  s = 9.0 [0x41100000]\n"),
        "{}",
        outcome.text()
    );
}

#[test]
fn a_trace_of_lambda() {
    let place = TestFolder::with([("steps.lv", STEPS)]);
    let expected = "\
steps.lv: pixel (20, 30) of 64x64
output 0 = (0.030303031, 0.015151516, 0.007575758, 1.0) [0x3cf83e10 0x3c783e10 0x3bf83e10 0x3f800000]

Nearest first:
  steps.lv:15:11  soft(d = 0.015625 [0x3c800000], k = 0.515625 [0x3f040000]) = 0.030303031 [0x3cf83e10]
    steps.lv:2:3  if (< d k): true, goes on at steps.lv:2:15
  steps.lv:14:9  k = 0.515625 [0x3f040000]
  steps.lv:13:9  shade = 0.015625 [0x3c800000]
  steps.lv:5:9  steps = 1.0 [0x3f800000]
  steps.lv:6:3  loop: 2 rounds = 1.0 [0x3f800000]
    steps.lv:9:8  deciding round 2 of 2: z = (-2.0390625, -0.0703125) [0xc0028000 0xbd900000], n = 1.0 [0x3f800000]
      steps.lv:7:6  if (or (> (dot z z) 4) (>= n 64)): true, goes on at steps.lv:8:8
    steps.lv:6:3  round 1 of 2: z = (0.0, 0.0) [0x00000000 0x00000000], n = 0.0 [0x00000000]
      steps.lv:7:6  if (or (> (dot z z) 4) (>= n 64)): false, goes on at steps.lv:9:8
  steps.lv:3:9  c = (-2.0390625, -0.0703125) [0xc0028000 0xbd900000]
  steps.lv:4:10  tint = (1.0, 0.5, 0.25) [0x3f800000 0x3f000000 0x3e800000]
";
    let found = place.run_line("trace steps.lv 20 30 --size 64x64").done();
    assert_eq!(found.text(), expected);
    // All events, in the order of the text.
    let all = place.run_line("trace steps.lv 20 30 --size 64x64 --all").done();
    let places: Vec<u32> = all
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("  steps.lv:")?.split(':').next()?.parse().ok())
        .collect();
    assert_eq!(places, [3, 4, 5, 6, 13, 14, 15]);
}

#[test]
#[cfg(feature = "foreign")]
fn traces_of_glsl_and_wgsl() {
    let place = TestFolder::with([("rings.frag", RINGS), ("beams.wgsl", BEAMS)]);
    let glsl = "\
rings.frag: pixel (8, 8) of 16x16
output 0 = (0.53125, 0.53125, 1.5026019, 1.0) [0x3f080000 0x3f080000 0x3fc05542 0x3f800000]

Nearest first:
  rings.frag:15:5  colour = (0.53125, 0.53125, 1.5026019, 1.0) [0x3f080000 0x3f080000 0x3fc05542 0x3f800000]
";
    let found = place.run_line("trace rings.frag 8 8 --size 16x16").done();
    assert!(found.text().starts_with(glsl), "{}", found.text());
    let all = place.run_line("trace rings.frag 8 8 --size 16x16 --all").done();
    for line in [
        "rings.frag:14:5  rings(p = (0.53125, 0.53125) [0x3f080000 0x3f080000]) = 0.75130093 [0x3f405542]",
        "  rings.frag:5:21  loop: 2 rounds",
        "    rings.frag:5:21  deciding round 2 of 2",
        "      rings.frag:7:13  if sum > 1.5: true, goes on at rings.frag:7:24",
    ] {
        assert!(all.text().contains(line), "{line}\n{}", all.text());
    }
    let all = place.run_line("trace beams.wgsl 8 8 --size 16x16 --all").done();
    for line in [
        "beams.wgsl:14:3  ray.to.y = 2.0 [0x40000000]",
        "beams.wgsl:15:3  far(p = (0.53125, 0.53125) [0x3f080000 0x3f080000])",
        "  beams.wgsl:3:3  r = 0.75130093 [0x3f405542]",
        "beams.wgsl:12:3  p = (0.53125, 0.53125)",
    ] {
        assert!(all.text().contains(line), "{line}\n{}", all.text());
    }
}

/// Programs whose traces have all kinds of scopes and items.
fn programs(place: &TestFolder) -> Vec<&'static str> {
    place.write("steps.lv", STEPS);
    place.write(
        "shapes.lv",
        "(struct Ray (from vec3) (n int))\n(variant Shape (Disc (r num)) (Empty))\n\
         (define ray (Ray (vec3 1 2 3) -4i))\n(define all (array 1 2 (.x (.from ray))))\n\
         (define shape (if (< (.x (frag-coord)) 2) (Disc 0.5) Empty))\n\
         (define colour (case shape ((Disc r) (* r (at all 1))) ((Empty) (num (.n ray)))))\n\
         (discard-if (> (.y (frag-coord)) 3))\n(vec3 colour)",
    );
    match cfg!(feature = "foreign") {
        true => vec!["steps.lv", "shapes.lv", "rings.frag", "beams.wgsl"],
        false => vec!["steps.lv", "shapes.lv"],
    }
}

fn is_value(value: &Value) {
    assert!(value["type"].is_string(), "{value}");
    match value["parts"].as_array() {
        Some(parts) => {
            assert!(value["more"].is_u64(), "{value}");
            for part in parts {
                assert!(part["name"].is_string(), "{value}");
                is_value(&part["value"]);
            }
        }
        None => {
            let decimal = value["decimal"].as_array().expect("components");
            let bits = value["bits"].as_array().expect("bits");
            assert!(!decimal.is_empty() && decimal.iter().all(Value::is_string), "{value}");
            assert!(bits.iter().all(|word| word.as_str().is_some_and(|word| word.len() == 10)));
        }
    }
}

/// The members of JSON are those that docs/debugging.md lists.
#[test]
fn json_has_the_documented_members() {
    let place = TestFolder::new();
    #[cfg(feature = "foreign")]
    for (name, text) in [("rings.frag", RINGS), ("beams.wgsl", BEAMS)] {
        place.write(name, text);
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/debugging.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let documented = |object: &Value| {
        for name in object.as_object().expect("it is an object").keys() {
            assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
        }
    };
    let mut kinds = Vec::new();
    for name in programs(&place) {
        for pixel in ["0 0", "3 1", "1 7"] {
            let words: Vec<&str> = ["trace", name].into_iter().chain(pixel.split(' ')).collect();
            let trace = json(&place, &[&words[..], &["--size", "8x8"]].concat());
            documented(&trace);
            assert_eq!(trace["version"], 1);
            assert_eq!(trace["discarded"], name == "shapes.lv" && pixel == "1 7");
            assert_eq!((&trace["files"][0], &trace["size"][0]), (&name.into(), &8.into()));
            is_value(&trace["value"]);
            let scopes = trace["scopes"].as_array().expect("scopes");
            for (index, scope) in scopes.iter().enumerate() {
                documented(scope);
                let kind = scope["kind"].as_str().expect("a kind");
                kinds.push(kind.to_owned());
                let parent = scope["parent"].as_u64().expect("a parent") as usize;
                assert!(parent < index || index == 0 && parent == 0);
                let owner = scopes[parent]["kind"].as_str().expect("a kind");
                assert_eq!(kind == "round", owner == "loop", "{kind} in {owner}");
                for item in scope["items"].as_array().expect("items") {
                    documented(item);
                    let kind = item["kind"].as_str().expect("a kind");
                    kinds.push(kind.to_owned());
                    if kind == "scope" {
                        let inner = item["scope"].as_u64().expect("an index") as usize;
                        assert_eq!(scopes[inner]["parent"], index);
                    } else {
                        is_value(&item["value"]);
                    }
                    if !item["place"].is_null() {
                        let place = item["place"].as_array().expect("a place");
                        assert!(place.len() == 3 && place[1].as_u64() > Some(0));
                    }
                }
            }
        }
    }
    for kind in ["pixel", "call", "loop", "round", "binding", "condition", "scope"] {
        assert!(kinds.iter().any(|found| found == kind), "no trace has a {kind}");
    }
}

#[test]
fn the_first_pixel_where_a_condition_holds() {
    let place = TestFolder::with([("steps.lv", STEPS)]);
    // More than ten steps: the first pixel in scan order, by a picture of the steps.
    let picture = STEPS.replace("(* tint (soft shade k))", "(vec3 steps)");
    place.write("picture.lv", picture);
    let frame = drawn(&place, &["picture.lv", "--size", "16x12"]);
    let first = frame.pixels().iter().position(|pixel| pixel[0] > 10.0);
    let first = first.expect("some pixel has more steps");
    let (x, y) = (first % 16, first / 16);
    let found =
        place.run(&["trace", "steps.lv", "--break", "steps > 10", "--size", "16x12"]).done();
    let heading = format!("steps.lv: pixel ({x}, {y}) of 16x12\n");
    assert!(found.text().starts_with(&heading), "{heading}{}", found.text());
    // A parameter of the loop, in any round.
    let found = place.run(&["trace", "steps.lv", "--break", "n >= 11", "--size", "16x12"]).done();
    assert!(found.text().starts_with(&heading), "{heading}{}", found.text());
    // Values that never hold.
    place.fails(
        &["trace", "steps.lv", "--break", "steps < 0 and isnan(c.x)", "--size", "16x12"],
        1,
        "`steps < 0 and isnan(c.x)` holds in no pixel of the picture of 16x12",
    );
}

#[test]
fn wrong_command_lines() {
    let place = TestFolder::with([
        ("steps.lv", STEPS),
        ("wrong.lv", "(vec3 oops)"),
        ("endless.lv", "((rec-func (x) (if (< x 0) x (rec x))) (.x (frag-coord)))"),
        ("steps.core", "lambdav-core 1\n%0: num = 1.0\noutput 0 = %0\n"),
        (
            "three.lv",
            "(attribute position vec3)\n(position (vec4 position 1))\n(output 0 (vec4 1))",
        ),
    ]);
    place.fails(
        &["trace", "steps.lv", "64", "3", "--size", "64x48"],
        2,
        "the pixel (64, 3) is outside of the picture of 64x48: X is 0 to 63, Y is 0 to 47",
    );
    place.fails(&["trace", "steps.lv", "3", "48", "--size", "64x48"], 2, "Y is 0 to 47");
    place.fails(&["trace", "steps.lv"], 2, "<X>");
    place.fails(&["trace", "steps.lv", "-1", "3"], 2, "-1");
    place.fails(&["trace", "none.lv", "0", "0"], 2, "cannot read `none.lv`");
    place.fails(&["trace", "wrong.lv", "0", "0"], 1, "wrong.lv:1:7");
    place.fails(&["trace", "endless.lv", "0", "0", "--max-iterations", "9"], 1, "LV0504");
    place.fails(&["trace", "steps.core", "0", "0"], 2, "core text");
    place.fails(&["trace", "three.lv", "0", "0"], 2, "there is no mesh");
    place.fails(&["trace", "steps.lv", "0", "0", "--output", "3"], 2, "no output 3");
    place.fails(&["trace", "steps.lv", "0", "0", "--set", "tone=1"], 2, "tone");
    place.fails(
        &["trace", "steps.lv", "--break", "q > 1"],
        2,
        "--break: the program binds no name `q`; it binds `c`, `d`",
    );
    place.fails(&["trace", "steps.lv", "--break", "n is 1"], 2, "write NAME OP NUMBER");
    place.fails(&["trace", "steps.lv", "--break", "n > x"], 2, "`x` is no number");
    place.fails(&["trace", "steps.lv", "1", "1", "--break", "n > 1"], 2, "cannot be used with");
    place.fails(&["trace", "steps.lv", "0", "0", "--html", "steps.lv"], 2, "would be overwritten");
}

/// The number of events is limited, and the end of a long loop is kept.
#[test]
fn long_loops() {
    let text = "(define n ((rec-func (a b) (if (>= a 300000) b (let ((c (+ b 1))) (rec (+ a 1) c)))) 0 0))\n(vec3 n)";
    let place = TestFolder::with([("long.lv", text)]);
    let found = place.run_line("trace long.lv 0 0 --size 1x1").done();
    let text = found.text();
    for part in [
        "loop: 300001 rounds = 300000.0",
        "deciding round 300001 of 300001",
        "round 1 of",
        "were not kept",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A golden that differs, and an expectation that does not hold, are traced.
#[test]
fn failed_tests_are_traced() {
    let program = "; test: --size 8x8\n; expect: (bend 3) == 9\n(define (bend x)\n  (* x x))\n\
                   (define r (bend (/ (.x (frag-coord)) 8)))\n(vec3 r)\n";
    let place = TestFolder::with([("a.lv", program)]);
    assert_eq!(place.run(&["test", "--bless"]).status, 0);
    place.write("a.lv", program.replace("(* x x)", "(if (> x 0.5) (+ x 1) (* x x))"));
    let outcome = place.run(&["test", "--message-format", "json"]);
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    let result = outcome.text().lines().next().expect("a result");
    let result: Value = serde_json::from_str(result).expect("it is JSON");
    let traces = &result["traces"];
    let texts = [&traces["expectations"][0], &traces["pixel"]].map(Value::as_str);
    let [Some(expectation), Some(pixel)] = texts else { panic!("{traces}") };
    for part in [
        "a.lv: (bend 3)\nvalue = 4.0 [0x40800000]\n",
        "a.lv:2:11  bend(x = 3.0 [0x40400000]) = 4.0",
        "a.lv:4:3  if (> x 0.5): true, goes on at a.lv:4:17",
    ] {
        assert!(expectation.contains(part), "{part}: {expectation}");
    }
    // The first column beyond the middle.
    assert!(pixel.starts_with("a.lv: pixel (4, 0) of 8x8\n"), "{pixel}");
    assert!(pixel.contains("a.lv:5:9  r = 1.5625 "), "{pixel}");
    let outcome = place.run(&["test"]);
    assert!(
        outcome.text().contains("trace of a.lv:\n    a.lv: (bend 3)\n"),
        "{}{}",
        outcome.text(),
        outcome.err
    );
}

/// Expressions of GLSL and WGSL are traced, too.
#[test]
#[cfg(feature = "foreign")]
fn failed_expressions_are_traced() {
    let place = TestFolder::with([
        (
            "a.frag",
            "// expect: bend(3.0) == 9.0\nfloat bend(float x) {\n    float y = x + 1.0;\n    return y;\n}\n",
        ),
        (
            "b.wgsl",
            "// expect: bend(3.0) == 9.0\nfn bend(x: f32) -> f32 {\n  let y = x + 1.0;\n  return y;\n}\n",
        ),
    ]);
    let outcome = place.run(&["test", "--message-format", "json", "a.frag", "b.wgsl"]);
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    let mut count = 0;
    for line in outcome.text().lines() {
        let result: Value = serde_json::from_str(line).expect("it is JSON");
        let Some(trace) = result["traces"]["expectations"][0].as_str() else { continue };
        assert!(trace.contains(": bend(3.0)\n"), "{trace}");
        assert!(trace.contains("bend(x = 3.0 [0x40400000]) = 4.0 "), "{trace}");
        assert!(trace.contains(":3:") && trace.contains("y = 4.0 "), "{trace}");
        count += 1;
    }
    assert_eq!(count, 2, "{}", outcome.text());
}
