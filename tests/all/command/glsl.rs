//! GLSL on the command line: dialects, conventions, options, includes, stages and test cards.
#![cfg(feature = "foreign")]

use super::harness::{CommandOutcome, TestFolder};

/// A Shadertoy text whose picture shows the time, the size, the mouse, the frame and the date.
const TOY: &str = "void mainImage(out vec4 c, in vec2 p) {
    c = vec4(p / iResolution.xy, iTime + iMouse.x + float(iFrame) + iDate.w, 1.0);
}
";

/// Draws a picture of 4 × 2 pixels, and returns the pixels of its left column, the upper one first.
#[track_caller]
fn left(folder: &TestFolder, name: &str, options: &str) -> ([[f32; 4]; 2], CommandOutcome) {
    let outcome = folder.run_line(&format!("render {name} out.npy --size 4x2 {options}"));
    assert_eq!(outcome.status, 0, "{name}: {}", outcome.err);
    let frame = folder.frame("out.npy");
    ([0, 1].map(|y| frame.pixel(0, y).expect("it has two rows")), outcome)
}

/// The same picture, whatever tells the dialect; the options of a run are its values.
#[test]
fn a_shadertoy_text_is_drawn() {
    let folder = TestFolder::with([("toy.frag", TOY), ("toy.txt", TOY), ("toy.shadertoy", TOY)]);
    let values = "--time 1 --mouse 2,0,0,0 --frame 4 --date 2026,10,28,8";
    let wanted = [[0.125, 0.75, 15.0, 1.0], [0.125, 0.25, 15.0, 1.0]];
    for name in ["toy.frag", "toy.shadertoy", "toy.txt"] {
        let (found, outcome) = left(&folder, name, values);
        assert_eq!(found, wanted, "{name}");
        let note = format!(
            "note: `{name}`: a Shadertoy text, origin at the lower left (--dialect, --origin)\n"
        );
        assert!(outcome.err.starts_with(&note), "{}", outcome.err);
        let values = "set by their names: `iResolution` by --size, `iTime` by --time, `iFrame` by --frame, \
             `iMouse` by --mouse, `iDate` by --date; --set gives others";
        assert!(outcome.err.contains(values), "{}", outcome.err);
    }
    let (found, outcome) = left(&folder, "toy.frag", &format!("{values} --origin upper-left"));
    assert_eq!(found, [wanted[1], wanted[0]].map(|[a, b, c, d]| [a, b, c, d]));
    assert!(outcome.err.contains("origin at the upper left"), "{}", outcome.err);
    let (found, outcome) = left(&folder, "toy.frag", "--dialect shadertoy --set iTime=0.5");
    assert_eq!(found[0], [0.125, 0.75, 0.5, 1.0]);
    assert!(!outcome.err.contains("a Shadertoy text"), "{}", outcome.err);
    // Standard input has no ending.
    let outcome = folder.run_with(&["render", "-", "in.npy", "--size", "4x2"], TOY);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert_eq!(folder.frame("in.npy").pixel(0, 0), Some([0.125, 0.75, 0.0, 1.0]));
    let outcome = folder.run_line("render toy.frag a.npy --dialect vulkan");
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("the name `iResolution` is unknown"), "{}", outcome.err);
}

/// As on the site, a picture is opaque, a buffer keeps its alpha, and a text can ask whether the device is slow.
#[test]
fn shadertoys_host_is_kept_to() {
    let text = "#if HW_PERFORMANCE == 0
#define WIDTH 9.0
#else
#define WIDTH 0.5
#endif
void mainImage(out vec4 c, in vec2 p) { c = vec4(WIDTH, 0.25, 1.0, 0.125); }
";
    let own = text.replace("#if HW", "#define HW_PERFORMANCE 0\n#if HW");
    let folder =
        TestFolder::with([("image.frag", text), ("Buffer A.glsl", text), ("slow.frag", &own)]);
    assert_eq!(left(&folder, "image.frag", "").0, [[0.5, 0.25, 1.0, 1.0]; 2]);
    assert_eq!(left(&folder, "slow.frag", "").0, [[9.0, 0.25, 1.0, 1.0]; 2]);
    let outcome = folder.run(&["render", "Buffer A.glsl", "out.npy", "--size", "4x2"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert_eq!(folder.frame("out.npy").pixel(0, 0), Some([0.5, 0.25, 1.0, 0.125]));
}

/// Without a default, a number has the middle of its range and a bool is true; a default lies in the range.
#[test]
fn isf_inputs_without_defaults_have_values() {
    let text = r#"/*{ "INPUTS": [
    { "NAME": "a", "TYPE": "float", "MIN": 2.0, "MAX": 4.0 },
    { "NAME": "b", "TYPE": "float", "MIN": -1.0 },
    { "NAME": "c", "TYPE": "float", "DEFAULT": 9, "MIN": 0.0, "MAX": 4.0 },
    { "NAME": "d", "TYPE": "bool" },
    { "NAME": "e", "TYPE": "event" }
] }*/
void main() { gl_FragColor = vec4(a, b, c, d && !e ? isf_fragCoord.y : -1.0); }
"#;
    let folder = TestFolder::with([("a.fs", text)]);
    assert_eq!(left(&folder, "a.fs", "").0, [[3.0, 0.5, 4.0, 1.0], [3.0, 0.5, 4.0, 0.0]]);
}

/// OpenGL's loose uniforms and old outputs, `u_time` and the defaults of uniforms.
#[test]
fn opengl_texts_are_drawn() {
    let old = "#ifdef GL_ES
precision mediump float;
#endif
uniform vec2 u_resolution;
uniform float u_time, gain;
void main() { gl_FragColor = vec4(gl_FragCoord.xy / u_resolution, u_time * gain, 1.0); }
";
    let new = "#version 330
uniform vec3 tint = vec3(0.5, 0.25, 1.0);
out vec4 colour;
void main() { colour = vec4(tint, gl_FragCoord.y); }
";
    let folder = TestFolder::with([("old.fs", old), ("new.glsl", new)]);
    let (found, outcome) = left(&folder, "old.fs", "--time 3 --set gain=0.5");
    assert_eq!(found, [[0.125, 0.75, 1.5, 1.0], [0.125, 0.25, 1.5, 1.0]]);
    assert!(outcome.err.contains("an OpenGL text, origin at the lower left"), "{}", outcome.err);
    assert_eq!(left(&folder, "new.glsl", "").0, [[0.5, 0.25, 1.0, 1.5], [0.5, 0.25, 1.0, 0.5]]);
    let (found, _) = left(&folder, "new.glsl", "--set tint=1,2,3 --origin upper-left");
    assert_eq!(found, [[1.0, 2.0, 3.0, 0.5], [1.0, 2.0, 3.0, 1.5]]);
}

/// The inputs of an ISF header have its defaults, also where JSON forbids a comma.
#[test]
fn isf_texts_are_drawn() {
    let text = r#"/*{
    "INPUTS": [
        { "NAME": "level", "TYPE": "float", "DEFAULT": 0.25, "MAX": 1.0 },
        { "NAME": "tint", "TYPE": "color", "DEFAULT": [0.5, 1.0, 2.0, 1.0] },
        { "NAME": "on", "TYPE": "bool", "DEFAULT": true },
        { "NAME": "picture", "TYPE": "image" },
    ]
}*/
void main() {
    vec2 size = IMG_SIZE(picture);
    gl_FragColor = on ? vec4(tint.rgb * level, isf_FragNormCoord.y + size.x) : vec4(0.0);
}
"#;
    let folder = TestFolder::with([("a.isf", text), ("dot.lv", "(vec4 1)")]);
    folder.run_line("render dot.lv dot.png --size 1x1").done();
    let (found, outcome) = left(&folder, "a.isf", "--bind picture=dot.png");
    assert_eq!(found, [[0.125, 0.25, 0.5, 1.75], [0.125, 0.25, 0.5, 1.25]]);
    assert!(outcome.err.contains("an ISF text, origin at the lower left"), "{}", outcome.err);
    let (found, _) = left(&folder, "a.isf", "--bind picture=dot.png --set level=1 --set on=false");
    assert_eq!(found, [[0.0; 4]; 2]);
}

/// The time since the last frame is 0 in the first one.
#[test]
fn isf_texts_know_the_time_between_frames() {
    let text = "/*{ \"ISFVSN\": \"2\" }*/\nvoid main() { gl_FragColor = vec4(TIMEDELTA * 60.0); }";
    let folder = TestFolder::with([("a.isf", text)]);
    assert_eq!(left(&folder, "a.isf", "").0, [[0.0; 4]; 2]);
    assert_eq!(left(&folder, "a.isf", "--frame 3").0, [[1.0; 4]; 2]);
}

/// `--include` and `--define`; a file outside the folder is not read, and nothing of it is shown.
#[test]
fn includes_and_macros() {
    let text = "#version 450
#include \"noise.glsl\"
layout(location = 0) out vec4 o;
void main() { o = vec4(twice(AMOUNT), K, SIZE.x, 1.0); }
";
    let folder = TestFolder::with([
        ("a.frag", text),
        ("lib/noise.glsl", "float twice(float x) { return 2.0 * x; }\n"),
        ("b/secret.txt", "password = 1\n"),
        ("b/own/b.frag", "#version 450\n#include \"../secret.txt\"\nvoid main() {}\n"),
        ("c.frag", "#version 450\n#include \"lib/wrong.glsl\"\nvoid main() {}\n"),
        ("lib/wrong.glsl", "\n\nfloat f() { return colour; }\n"),
    ]);
    let macros = "--include lib --define AMOUNT=0.25 --define K --define SIZE=vec2(3.0)";
    assert_eq!(left(&folder, "a.frag", macros).0[0], [0.5, 1.0, 3.0, 1.0]);
    folder.fails(&["render", "a.frag", "a.npy"], 1, "cannot read `noise.glsl`");
    let outcome = folder.run(&["check", "b/own/b.frag"]);
    assert_eq!(outcome.status, 1);
    assert!(
        outcome.err.contains("error[LV0213]") && outcome.err.contains(":2:"),
        "{}",
        outcome.err
    );
    assert!(!outcome.err.contains("password"), "{}", outcome.err);
    folder.fails(&["check", "c.frag"], 1, "lib/wrong.glsl:3:20");
    folder.fails(&["check", "a.frag", "--define", "2=3"], 2, "`2=3` defines no macro");
    folder.write("a.lv", "(vec3 1)");
    for option in ["--define=A", "--include=lib", "--origin=lower-left", "--dialect=isf"] {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        folder.fails(&["render", "a.lv", "a.npy", option], 2, &format!("{name} is for "));
    }
}

/// `--language` decides for standard input and endings that tell nothing.
#[test]
fn the_language_can_be_named() {
    let wgsl = "@fragment fn main() -> @location(0) vec4f { return vec4f(0.5); }";
    let folder = TestFolder::with([("a.txt", wgsl), ("b.txt", TOY)]);
    let draw = |language, text: &str| {
        let arguments = ["render", "-", "o.npy", "--size", "1x1", "--language", language];
        folder.run_with(&arguments, text)
    };
    assert_eq!(draw("wgsl", wgsl).status, 0);
    assert_eq!(folder.frame("o.npy").pixel(0, 0), Some([0.5; 4]));
    assert_eq!(draw("glsl", TOY).status, 0);
    assert_eq!(draw("lv", "(vec4 0.25)").status, 0);
    assert_eq!(draw("glsl", "(vec4 0.25)").status, 1);
    folder.run_line("check a.txt --language wgsl").done();
    assert_eq!(folder.run_line("check a.txt").status, 1);
}

/// A texture without an image is a test card in `render`, and an error in `test`.
#[test]
fn textures_without_images() {
    let text = "// test: --size 8x8
void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel0, p / iResolution.xy); }
";
    let folder = TestFolder::with([("a.frag", text)]);
    let (found, outcome) = left(&folder, "a.frag", "");
    let note = "`iChannel0` has no image, and a test card instead; --bind NAME=FILE binds one";
    assert!(outcome.err.contains(note), "{}", outcome.err);
    assert_ne!(found[0], found[1]);
    folder.write("a.png", "");
    let outcome = folder.run_line("test a.frag --bless");
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("iChannel0") || outcome.text().contains("iChannel0"));
    folder.fails(&["render", "a.frag", "o.npy", "--bind", "iChannel0=none.png"], 2, "none.png");
}

/// `:flip` turns an image wherever `--bind` is read. A note says where a dialect's own programs would turn it.
#[test]
fn bound_images_are_turned() {
    let toy = "// test: --size 2x2 --bind iChannel0=rows.png:flip
void mainImage(out vec4 c, in vec2 p) { c = texelFetch(iChannel0, ivec2(p), 0); }
";
    let viewer = "uniform sampler2D u_tex0, other;
void main() { gl_FragColor = texelFetch(u_tex0, ivec2(0), 0) + texelFetch(other, ivec2(0), 0); }
";
    let rows = "(vec4 (if (< (.y (frag-coord)) 1) 1 0.25) 0 0 1)";
    let folder = TestFolder::with([
        ("toy.frag", toy),
        ("viewer.frag", &format!("#version 330\nout vec4 gl_FragColor_;\n{viewer}")),
        ("rows.lv", rows),
        ("array.lv", "(buffer b num)\n(vec4 (at b 0))"),
        ("one.json", "[1]"),
    ]);
    folder.run_line("render rows.lv rows.npy --size 2x2").done();
    folder.run_line("render rows.lv rows.png --size 2x2").done();
    std::fs::copy(folder.path("rows.npy"), folder.path("rows.npy:flip")).expect("it is copied");
    let red = |options: &str| {
        let outcome = folder.run_line(&format!("render toy.frag o.npy --size 2x2 {options}"));
        assert_eq!(outcome.status, 0, "{options}: {}", outcome.err);
        let lowest = folder.frame("o.npy").pixel(0, 1).expect("it has two rows")[0];
        let says = outcome.err.matches("`toy.frag`: `iChannel0`: t = 0 is the first row").count();
        (lowest, says)
    };
    assert_eq!(red("--bind iChannel0=rows.npy"), (1.0, 1));
    assert_eq!(red("--bind iChannel0=rows.npy:flip"), (0.25, 0));
    assert_eq!(red("--bind iChannel0=rows.npy:as-is"), (1.0, 0));
    assert_eq!(red("--bind iChannel0=rows.npy:flip:as-is"), (1.0, 0));
    assert_eq!(red("--bind iChannel0=rows.npy:flip:flip"), (0.25, 0));
    assert_eq!(red("--bind iChannel0=rows.npy:flip --frame 2 --dialect shadertoy"), (0.25, 0));
    // A golden picture of the turned image, and one program with each.
    folder.run_line("test toy.frag --bless").done();
    folder.run_line("test toy.frag").done();
    folder.write("toy.frag", toy.replace(":flip", ""));
    assert_eq!(folder.run_line("test toy.frag").status, 1);
    let both = "diff --run toy.frag rows.lv --size 2x2 --bind iChannel0=rows.npy";
    assert_eq!(folder.run_line(both).status, 1);
    assert_eq!(folder.run_line(&format!("{both}:flip")).status, 0);
    folder.fails(
        &["render", "array.lv", "o.npy", "--bind", "b=one.json:flip"],
        2,
        "`:flip` and `:as-is` are for images",
    );
}

/// Vertex and compute shaders are checked, inspected and compiled, and not drawn.
#[test]
fn other_stages_are_compiled() {
    let vertex = "#version 330
in vec3 at; uniform mat4 view; out vec2 uv;
void main() { gl_Position = view * vec4(at, 1.0); uv = at.xy; }
";
    let compute = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { float all[]; };
void main() { all[gl_GlobalInvocationID.x] *= 2.0; }
";
    let folder = TestFolder::with([("a.vert", vertex), ("b.comp", compute)]);
    for (name, stage) in [("a.vert", "Vertex"), ("b.comp", "GLCompute")] {
        folder.run(&["check", name]).done();
        folder.fails(&["render", name, "o.npy"], 1, "error[LV0605]");
        let outcome = folder.run(&["inspect", name]);
        assert!(
            outcome.text().contains(&format!("entry point main: {stage}")),
            "{}",
            outcome.text()
        );
        assert_eq!(folder.run(&["compile", name, "-o", "m.spv"]).status, 0);
        assert_eq!(folder.read("m.spv")[..4], 0x0723_0203_u32.to_le_bytes());
    }
    folder.write("wrong.vert", vertex.replace("at.xy", "at.xyzw"));
    folder.fails(&["check", "wrong.vert"], 1, "wrong.vert:3:56");
}

/// In a folder, texts that others include are passed over; one that is named is checked.
#[test]
fn included_texts_of_folders_are_passed_over() {
    let main = "#version 450
#define COLOUR vec4(1)
#include \"lib/colour.glsl\"
layout(location = 0) out vec4 o;
void main() { o = colour(); }
";
    let folder = TestFolder::with([
        ("all/a.frag", main),
        ("all/lib/colour.glsl", "vec4 colour() { return COLOUR; }\n"),
        ("all/lib/more.glsl", "// void main() {}\nfloat more() { return 1.0; }\n"),
        ("wrong/b.glsl", "void main() { colour(); }\n"),
        ("wrong/c.frag", "vec4 colour() { return COLOUR; }\n"),
    ]);
    let outcome = folder.run(&["check", "all"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let passed = "note: `all/lib/colour.glsl`, `all/lib/more.glsl`: passed over";
    assert!(outcome.err.starts_with(passed), "{}", outcome.err);
    assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
    let outcome = folder.run(&["check", "all", "--message-format", "json"]);
    assert_eq!((outcome.status, outcome.err.as_str(), outcome.text()), (0, "", ""));
    folder.fails(&["check", "all/lib/colour.glsl"], 1, "`COLOUR` is unknown");
    folder.fails(&["check", "all/lib/more.glsl"], 1, "the text has no function `main`");
    let outcome = folder.run(&["check", "wrong"]);
    assert_eq!(outcome.status, 1);
    for name in ["wrong/b.glsl:1:15", "wrong/c.frag:1:24"] {
        assert!(outcome.err.contains(name), "{}", outcome.err);
    }
}

/// Several mistakes in one run, one message each.
#[test]
fn each_mistake_has_one_message() {
    let text = "#version 300 es
precision highp float;
out vec4 o;
void main() {
    vec3 a = vec2(1.0);
    float b = 1;
    o = vec4(foo(1.0), a.q, 1.0, 1.0);
    o = unknown + unknown;
    o = 0.5;
}
";
    let folder = TestFolder::with([("a.frag", text)]);
    let outcome = folder.run(&["check", "a.frag"]);
    assert_eq!(outcome.status, 1);
    let places: Vec<&str> =
        outcome.err.lines().filter_map(|line| line.trim().strip_prefix("--> a.frag:")).collect();
    assert_eq!(places, ["5:14", "6:15", "7:14", "7:24", "8:9", "9:9"], "{}", outcome.err);
}

/// All commands that draw take GLSL with its options.
#[test]
fn every_command_takes_glsl() {
    let text = "// test: --size 4x2 --define GAIN=0.5 --time 1
void mainImage(out vec4 c, in vec2 p) { c = vec4(GAIN * iTime); }
";
    let folder = TestFolder::with([("a.frag", text), ("b.lv", "(vec4 1)")]);
    assert_eq!(folder.run_line("test a.frag --bless").status, 0);
    assert_eq!(folder.run_line("test a.frag").status, 0);
    folder.write("a.frag", text.replace("GAIN=0.5", "GAIN=0.75"));
    assert_eq!(folder.run_line("test a.frag").status, 1);
    let line = "diff --run a.frag b.lv --size 4x2 --time 2 --define GAIN=0.5";
    let outcome = folder.run_line(line);
    assert_eq!(outcome.status, 0, "{}{}", outcome.text(), outcome.err);
    let outcome = folder.run_line(&line.replace("0.5", "0.25"));
    assert_eq!(outcome.status, 1, "{}{}", outcome.text(), outcome.err);
    for emit in ["core", "spirv-text", "asm", "lanes"] {
        let outcome = folder.run_line(&format!("compile a.frag --emit {emit} --define GAIN=1.0"));
        assert_eq!(outcome.status, 0, "{emit}: {}", outcome.err);
    }
    for engine in ["simd", "core", "spirv"] {
        let (found, _) =
            left(&folder, "a.frag", &format!("--define GAIN=0.5 --time 3 --engine {engine}"));
        assert_eq!(found, [[1.5, 1.5, 1.5, 1.0]; 2], "{engine}");
    }
}

/// A case that falls into others is not executed for a selector of another case, whatever its loops do.
#[test]
fn a_case_that_is_not_taken_does_not_run() {
    let place = TestFolder::with([(
        "a.frag",
        "#version 450
layout(location = 0) out vec4 colour;
float spin(float p) {
  float a = p;
  for (int i = 0; i < 10; i += int(p)) a += 1.0;
  return a;
}
void main() {
  float x = 0.5;
  switch (uint(gl_FragCoord.x) + 2) {
  default: x = spin(gl_FragCoord.y * 0.1);
  case 3u: x += 1.0;
  case 2u: ;
  }
  colour = vec4(x);
}
",
    )]);
    for engine in ["simd", "core", "spirv"] {
        let engine = format!("--engine={engine}");
        let all = ["render", "a.frag", "a.npy", "--size", "2x1", "--max-iterations", "99", &engine];
        let outcome = place.run(&all);
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let frame = place.frame("a.npy");
        assert_eq!(frame.pixel(0, 0), Some([0.5; 4]));
        assert_eq!(frame.pixel(1, 0), Some([1.5; 4]));
    }
}
