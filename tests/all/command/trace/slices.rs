//! The text of a trace shows the lines that made the output: the dynamic slice.

use super::super::harness::TestFolder;
use super::json;

/// Values that are needed and values that are not, in every kind of statement.
const GLSL: &str = "\
#version 450
layout(location = 0) out vec4 colour;
struct Pair { float first; float second; };
float twice(float x) { return x * 2.0; }
void both(inout float kept, inout float lost) { kept += 1.0; lost += 2.0; }
void main() {
    float a = gl_FragCoord.x;
    float b = gl_FragCoord.y;
    float c = twice(b);
    float d = twice(a);
    float old = 1.0;
    if (a > 2.0) old = 2.0;
    if (b > 2.0) c = 2.0;
    Pair pair;
    pair.first = d;
    pair.second = c;
    both(d, c);
    vec2 v = vec2(9.0);
    v.x = old;
    v = vec2(old, d);
    float sum = 0.0;
    for (int i = 0; i < 3; i++) {
        if (i == 1) continue;
        sum += v.y;
        c += 1.0;
    }
    if (b < 0.0) discard;
    colour = vec4(sum, pair.first, v.x, 1.0);
}
";

/// The same with names of values, pointers and a loop that leaves early.
const WGSL: &str = "\
fn twice(x: f32) -> f32 {
  let y = x * 2.0;
  return y;
}
fn grow(kept: ptr<function, f32>, lost: ptr<function, f32>) {
  *kept += 1.0;
  *lost += 2.0;
}
@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let a = at.x;
  let b = twice(at.y);
  var kept = twice(a);
  var lost = b;
  grow(&kept, &lost);
  var i = 0;
  loop {
    if i > 2 { break; }
    lost += 1.0;
    kept += f32(i);
    i++;
  }
  switch i {
    case 3: { kept *= 0.5; }
    default: { kept = 0.0; }
  }
  var unseen = kept;
  unseen += 1.0;
  return vec4f(kept, a, 0.0, 1.0);
}
";

/// The lines of a trace without their bits: FILE:LINE:COLUMN and the rest.
fn lines(place: &TestFolder, arguments: &str) -> Vec<String> {
    let found = place.run_line(arguments).done();
    let (_, events) = found.text().split_once("\n\n").expect("events follow");
    let without_bits = |line: &str| {
        let mut parts =
            line.split(" [").map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
        let first = line.split(" [").next().unwrap_or_default().to_owned();
        parts.next();
        parts.fold(first, |all, part| all + part)
    };
    events.lines().skip(1).map(|line| without_bits(line).trim().to_owned()).collect()
}

/// True if some line gives a value to a name.
fn binds(lines: &[String], name: &str) -> bool {
    lines.iter().any(|line| line.split_whitespace().nth(1) == Some(name) && line.contains(" = "))
}

#[test]
fn glsl_shows_the_values_that_made_the_output() {
    let place = TestFolder::with([("a.frag", GLSL)]);
    let screen = lines(&place, "trace a.frag 1 1 --size 4x4");
    for name in ["a", "d", "old", "v", "sum", "pair.first", "colour", "i", "kept"] {
        assert!(binds(&screen, name), "{name}: {screen:#?}");
    }
    for name in ["c", "pair.second", "lost"] {
        assert!(!binds(&screen, name), "{name}: {screen:#?}");
    }
    let has = |part: &str| screen.iter().any(|line| line.contains(part));
    // A decision that leaves the old value, and one that might have discarded the pixel.
    for part in
        ["if a > 2.0: false", "if i == 1: false", "if b < 0.0: false", "twice(x = 1.5) = 3.0"]
    {
        assert!(has(part), "{part}: {screen:#?}");
    }
    for part in ["if b > 2.0", "twice(x = 1.5) = 3.0  ", "v = (9.0, 9.0)"] {
        assert!(!has(part), "{part}: {screen:#?}");
    }
    // The call whose result is not used.
    let calls = screen.iter().filter(|line| line.contains("twice(")).count();
    assert_eq!(calls, 1, "{screen:#?}");
    // All events have all names.
    let all = lines(&place, "trace a.frag 1 1 --size 4x4 --all");
    for name in ["a", "b", "c", "d", "pair.second", "lost"] {
        assert!(binds(&all, name), "{name}: {all:#?}");
    }
    assert!(all.iter().any(|line| line.contains("if b > 2.0: false")), "{all:#?}");
    // Where the other way is taken, the new value is shown, and so is the decision.
    let screen = lines(&place, "trace a.frag 3 1 --size 4x4");
    assert!(screen.iter().any(|line| line.ends_with("old = 2.0")), "{screen:#?}");
    assert!(screen.iter().any(|line| line.contains("if a > 2.0: true")), "{screen:#?}");
}

#[test]
fn wgsl_shows_the_values_that_made_the_output() {
    let place = TestFolder::with([("a.wgsl", WGSL)]);
    let screen = lines(&place, "trace a.wgsl 1 1 --size 4x4");
    for name in ["a", "kept", "y", "i"] {
        assert!(binds(&screen, name), "{name}: {screen:#?}");
    }
    for name in ["b", "lost", "unseen"] {
        assert!(!binds(&screen, name), "{name}: {screen:#?}");
    }
    assert!(screen.iter().any(|line| line.contains("if i > 2: true")), "{screen:#?}");
    assert_eq!(screen.iter().filter(|line| line.contains("twice(")).count(), 1, "{screen:#?}");
    // A module of the same program has the same slice.
    place.run_line("compile a.wgsl -o a.spv").done();
    let module = lines(&place, "trace a.spv 1 1 --size 4x4");
    for name in ["lost", "b"] {
        assert!(!binds(&module, name), "{name}: {module:#?}");
    }
    assert!(binds(&module, "kept") && binds(&module, "a"), "{module:#?}");
}

/// A discarded pixel is made by the decision that discards it.
#[test]
fn the_decision_that_discards() {
    let text = GLSL.replace("b < 0.0", "b > 1.0").replace("if (b > 2.0) c = 2.0;", "");
    let place = TestFolder::with([("a.frag", &text)]);
    let screen = lines(&place, "trace a.frag 1 1 --size 4x4");
    assert!(screen.iter().any(|line| line.contains("if b > 1.0: true")), "{screen:#?}");
    assert!(binds(&screen, "b") && !binds(&screen, "sum"), "{screen:#?}");
}

/// Items of JSON say whether they are needed.
#[test]
fn items_are_needed_or_not() {
    let place = TestFolder::with([("a.frag", GLSL)]);
    let trace = json(&place, &["trace", "a.frag", "1", "1", "--size", "4x4"]);
    let mut counts = [0, 0];
    for scope in trace["scopes"].as_array().expect("scopes") {
        for item in scope["items"].as_array().expect("items") {
            counts[usize::from(item["needed"].as_bool().expect("it is a bool"))] += 1;
        }
    }
    assert!(counts[0] > 3 && counts[1] > 10, "{counts:?}");
}

/// Pixels of WGSL and of a module, as texts.
#[test]
fn texts_of_wgsl_and_spirv() {
    let place = TestFolder::with([("a.wgsl", WGSL)]);
    let expected = include_str!("goldens/a.wgsl.txt");
    let found = place.run_line("trace a.wgsl 1 1 --size 4x4").done();
    assert_eq!(found.text(), expected, "{}", found.text());
    let text = "\
; SPIR-V
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %position %colour
OpExecutionMode %main OriginUpperLeft
%file = OpString \"ramp.txt\"
OpName %main \"main\"
OpName %position \"position\"
OpName %colour \"colour\"
OpName %half \"half_of_x\"
OpName %lost \"lost\"
OpName %steep \"steep\"
OpDecorate %position BuiltIn FragCoord
OpDecorate %colour Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%in = OpTypePointer Input %vec4
%out = OpTypePointer Output %vec4
%position = OpVariable %in Input
%colour = OpVariable %out Output
%two = OpConstant %float 2
%one = OpConstant %float 1
%main = OpFunction %void None %fn
%begin = OpLabel
OpLine %file 3 5
%at = OpLoad %vec4 %position
%x = OpCompositeExtract %float %at 0
%y = OpCompositeExtract %float %at 1
OpLine %file 4 5
%half = OpFDiv %float %x %two
OpLine %file 5 5
%lost = OpFDiv %float %y %two
OpLine %file 6 5
%is = OpFOrdGreaterThan %bool %half %one
OpSelectionMerge %end None
OpBranchConditional %is %more %end
%more = OpLabel
OpLine %file 7 5
%steep = OpFMul %float %half %two
OpBranch %end
%end = OpLabel
OpLine %file 8 5
%value = OpPhi %float %half %begin %steep %more
%all = OpCompositeConstruct %vec4 %value %value %value %one
OpStore %colour %all
OpReturn
OpFunctionEnd
";
    let place = TestFolder::with([("ramp.spvasm", text)]);
    let mut found = place.run_line("trace ramp.spvasm 3 1 --size 4x4").done().text().to_owned();
    found += place.run_line("trace ramp.spvasm 1 1 --size 4x4").done().text();
    assert_eq!(found, include_str!("goldens/ramp.spvasm.txt"), "{found}");
}
