//! Uniforms and their parts, set by path: every engine gives the same picture, whatever the source of the
//! settings.

use super::harness::TestFolder;

const PROGRAM: &str = "(struct Light (power num) (colour vec3))
    (struct Params (intensity num) (lights (array 2 Light)) (on bool))
    (uniform params Params)
    (uniform kernel (array 3 vec4) (array (vec4 1) (vec4 2) (vec4 3)))
    (uniform m mat4)
    (constant k (array 2 num) (array 7 8))
    (vec4 (.intensity params)
          (.power (at (.lights params) 1))
          (+ (.y (at kernel 1)) (.y (.colour (at (.lights params) 0))) (.x (* m (vec4 0 1 0 0))))
          (if (.on params) (at k 0) (at k 1)))";

const WGSL: &str = "struct Light { power: f32, colour: vec3f }
    struct Params { intensity: f32, lights: array<Light, 2>, on: u32 }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<uniform> kernel: array<vec4f, 3>;
    @group(1) @binding(0) var<uniform> m: mat4x4f;
    @fragment fn main() -> @location(0) vec4f {
        let third = kernel[1].y + params.lights[0].colour.y + (m * vec4f(0.0, 1.0, 0.0, 0.0)).x;
        return vec4f(params.intensity, params.lights[1].power, third, select(8.0, 7.0, params.on != 0u));
    }";

const GLSL: &str = "#version 450
    struct Light { float power; vec3 colour; };
    layout(set = 0, binding = 0) uniform Block { float intensity; Light lights[2]; uint on; } params;
    layout(set = 0, binding = 1) uniform Others { vec4 kernel[3]; mat4 m; };
    layout(location = 0) out vec4 c;
    void main() {
        float third = kernel[1].y + params.lights[0].colour.y + (m * vec4(0.0, 1.0, 0.0, 0.0)).x;
        c = vec4(params.intensity, params.lights[1].power, third, params.on != 0u ? 7.0 : 8.0);
    }";

const SET: [&str; 6] = [
    "params.intensity=0.5",
    "params.lights[1].power=3",
    "params.lights[0].colour=4",
    "params.on=true",
    "kernel[1]=0,8,0,0",
    "m[1].x=16",
];

const PIXEL: [f32; 4] = [0.5, 3.0, 28.0, 7.0];

fn place() -> TestFolder {
    let place = TestFolder::with([("a.lv", PROGRAM), ("a.wgsl", WGSL), ("a.frag", GLSL)]);
    for (shader, module) in [("a.lv", "lv.spv"), ("a.wgsl", "wgsl.spv"), ("a.frag", "frag.spv")] {
        place.run(&["compile", shader, "-o", module]).done();
    }
    place.run(&["compile", "a.lv", "--exact", "-o", "exact.spv"]).done();
    place
}

fn render<'a>(shader: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["render", shader, "o.npy", "--size", "1x1"], more].concat()
}

#[track_caller]
fn draws(place: &TestFolder, shader: &str, more: &[&str]) {
    let outcome = place.run(&render(shader, more));
    assert_eq!(outcome.status, 0, "{shader} {more:?}: {}", outcome.err);
    let pixel = place.frame("o.npy").pixel(0, 0).expect("there is one");
    assert_eq!(pixel.map(f32::to_bits), PIXEL.map(f32::to_bits), "{shader} {more:?}: {pixel:?}");
}

#[test]
fn every_engine_takes_paths() {
    let place = place();
    let set: Vec<&str> = SET.iter().flat_map(|set| ["--set", set]).collect();
    for (shader, engines) in [
        ("a.lv", &["simd", "core", "source", "spirv"][..]),
        ("a.wgsl", &["simd", "core", "spirv"]),
        ("a.frag", &["simd", "core", "spirv"]),
        ("lv.spv", &["simd", "core", "spirv"]),
        ("wgsl.spv", &["simd", "core", "spirv"]),
        ("frag.spv", &["simd", "core", "spirv"]),
    ] {
        for engine in engines {
            draws(&place, shader, &[&["--engine", engine], &set[..]].concat());
        }
    }
    // An exact module has no defaults, so everything is given.
    let rest = [
        "--set",
        "params.lights[1].colour=0",
        "--set",
        "params.lights[0].power=0",
        "--set",
        "kernel[0]=0",
        "--set",
        "kernel[2]=0",
        "--set",
        "m[0]=0",
        "--set",
        "m[1].y=0",
        "--set",
        "m[1].z=0",
        "--set",
        "m[1].w=0",
        "--set",
        "m[2]=0",
        "--set",
        "m[3]=0",
    ];
    draws(&place, "exact.spv", &[&["--engine", "spirv"], &set[..], &rest].concat());
}

#[test]
fn files_and_directives_take_paths() {
    let place = place();
    let members =
        r#"{"intensity": 0.5, "lights[1].power": 3, "lights[0]": {"colour": [0, 4, 0]}, "on": 1}"#;
    let others = r#""kernel[1]": [0, 8, 0, 0], "m[1][0]": 16"#;
    place.write("u.json", format!("{{\"params\": {members}, {others}}}"));
    let paths = r#"{"params.intensity": 0.5, "params.lights[1].power": 3, "params.lights[0].colour.y": 4, "params.on": 1,"#;
    place.write("paths.json", format!("{paths} {others}}}"));
    place.write("block.json", members);
    place.write("others.json", format!("{{{others}}}"));
    for shader in ["a.wgsl", "a.frag", "wgsl.spv", "frag.spv"] {
        draws(&place, shader, &["--uniforms", "u.json"]);
        draws(&place, shader, &["--uniforms", "paths.json"]);
        draws(&place, shader, &["--bind", "0.0=block.json", "--uniforms", "others.json"]);
        draws(
            &place,
            shader,
            &["--set", &format!("params={members}"), "--uniforms", "others.json"],
        );
    }
    // In λV the members of a structure are fields, whose names are plain.
    draws(&place, "lv.spv", &["--uniforms", "paths.json"]);
    place.write("lv.json", paths.replace("\"params.on\": 1", "\"params.on\": true") + others + "}");
    draws(&place, "a.lv", &["--uniforms", "lv.json", "--set", "k[0]=7"]);
    // Later settings win, and the command line comes after the file.
    draws(&place, "a.lv", &["--uniforms", "lv.json", "--set", "k=[7, 9]", "--set", "params.on=1"]);

    let folder = TestFolder::with([("a.lv", PROGRAM), ("b.wgsl", WGSL)]);
    let directive = SET.map(|set| format!("--set '{set}'")).join(" ");
    for shader in ["a.lv", "b.wgsl"] {
        let text = format!("; test: --size 1x1 --format npy {directive}\n");
        folder.write(&format!("{shader}.test"), text);
    }
    folder.run(&["test", ".", "--bless"]).done();
    for golden in ["a.npy", "b.npy"] {
        assert_eq!(folder.frame(golden).pixel(0, 0), Some(PIXEL), "{golden}");
    }
    folder.run(&["test", ".", "--engine", "spirv"]).done();
}

#[test]
fn constants_have_parts() {
    let place = place();
    let render = render("a.lv", &["--set", "k[1]=0.25", "--set", "params.on=false"]);
    place.run(&render).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0).map(|pixel| pixel[3]), Some(0.25));
    place.run(&["compile", "a.lv", "--emit", "core", "--set", "k[1]=0.25"]).done();
    let compile = |set| ["compile", "a.lv", "--emit", "core", "--set", set];
    place.fails(
        &compile("k[2]=1"),
        2,
        "`k` is an array of 2 elements, without `[2]`; it has `k[0]` to `k[1]`",
    );
    place.fails(
        &compile("m[0]=1"),
        2,
        "`m[0]` is a uniform, which gets its value when the program is drawn",
    );
    // A uniform's name may begin like a path into a constant.
    let text = "(constant a num) (uniform a.b num) (vec2 a a.b)";
    place.write("dots.lv", text);
    let render = ["render", "dots.lv", "o.npy", "--set", "a.b=2", "--set", "a=1"];
    place.run(&render).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0), Some([1.0, 2.0, 0.0, 1.0]));
    place.fails(
        &["render", "dots.lv", "o.npy", "--set", "a.c=2"],
        2,
        "`a` is a num, which has no part `.c`",
    );
}

#[test]
fn what_is_left_out_keeps_its_value() {
    let place = place();
    let outcome = place.run(&render("a.lv", &["--set", "kernel[1].x=5"])).done();
    assert_eq!(outcome.err, "");
    let pixel = place.frame("o.npy").pixel(0, 0).expect("there is one");
    assert_eq!(pixel[2].to_bits(), 2_f32.to_bits(), "the default of the program");
    // Modules have no defaults: unset parts are zero, which a note reports.
    let set = [
        "--set",
        "params.lights[0].colour.y=1",
        "--set",
        "kernel[0]=1",
        "--set",
        "m=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
    ];
    let outcome = place.run(&render("a.wgsl", &set));
    let parts = "`intensity`, `lights[0].power`, `lights[0].colour[0]`, `lights[0].colour[2]`, `lights[1]`, `on`, \
                 `kernel[1]`, `kernel[2]`";
    assert_eq!(outcome.err, format!("note: `a.wgsl`: {parts} are 0; --set gives them values\n"));
}

#[test]
fn a_wrong_path_says_what_is_there() {
    let place = place();
    for (shader, set, message) in [
        (
            "a.lv",
            "params.intensty=1",
            "has no field `intensty`; did you mean `intensity`? it has intensity, lights, on",
        ),
        (
            "a.lv",
            "kernel[3]=1",
            "`kernel` is an array of 3 elements, without `[3]`; it has `kernel[0]` to `kernel[2]`",
        ),
        ("a.lv", "kernl[3]=1", "the program has no uniform `kernl`; did you mean `kernel`?"),
        (
            "a.wgsl",
            "params.intensty=1",
            "the block `params` has no member `intensty`; did you mean `intensity`?",
        ),
        (
            "a.frag",
            "params.lights[2].power=1",
            "`params.lights` is an array of 2 elements, without `[2]`",
        ),
        ("a.frag", "0.1.kernel[0].q.x=1", "`0.1.kernel[0].q` is a num, which has no part `.x`"),
    ] {
        place.fails(&render(shader, &["--set", set]), 2, message);
        let (path, value) = set.split_once('=').expect("it has one");
        place.write("u.json", format!("{{\"{path}\": {value}}}"));
        place.fails(&render(shader, &["--uniforms", "u.json"]), 1, message);
    }
}

const UNUSED_WGSL: &str = "struct Params { gain: f32, time: f32 }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<uniform> tint: vec4f;
    @group(0) @binding(2) var picture: texture_2d<f32>;
    @group(0) @binding(3) var smooth_sampler: sampler;
    @group(0) @binding(4) var<storage, read> weights: array<f32>;
    @fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";

/// An unused location input, unused push constants, and an unused uniform block.
const UNUSED_MODULE: &str = r#"OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main "main" %out %uv
    OpExecutionMode %main OriginUpperLeft
    OpName %uv "uv"
    OpName %block "Pushed"
    OpMemberName %block 0 "amount"
    OpDecorate %out Location 0
    OpDecorate %uv Location 3
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    %void = OpTypeVoid
    %f = OpTypeFloat 32
    %v2 = OpTypeVector %f 2
    %v4 = OpTypeVector %f 4
    %block = OpTypeStruct %f
    %to_out = OpTypePointer Output %v4
    %to_in = OpTypePointer Input %v2
    %to_push = OpTypePointer PushConstant %block
    %out = OpVariable %to_out Output
    %uv = OpVariable %to_in Input
    %pushed = OpVariable %to_push PushConstant
    %one = OpConstant %f 1
    %ones = OpConstantComposite %v4 %one %one %one %one
    %of_main = OpTypeFunction %void
    %main = OpFunction %void None %of_main
    %start = OpLabel
    OpStore %out %ones
    OpReturn
    OpFunctionEnd
"#;

#[test]
fn inputs_that_are_not_used_can_be_given() {
    let place = TestFolder::with([("a.wgsl", UNUSED_WGSL), ("a.spvasm", UNUSED_MODULE)]);
    place.write("block.json", "{}");
    let named = |shader: &str, names: &str, value: &str| {
        format!("note: `{shader}` does not use {names}: {value} nothing\n")
    };
    for engine in ["simd", "core", "spirv"] {
        let engine = ["--engine", engine];
        for (shader, option, value, name) in [
            ("a.wgsl", "--set", "gain=2", "gain"),
            ("a.wgsl", "--set", "params.gain=2", "params.gain"),
            ("a.wgsl", "--set", "0.0.time=2", "0.0.time"),
            ("a.wgsl", "--set", "params={\"gain\": 2}", "params"),
            ("a.wgsl", "--set", "tint.x=2", "tint.x"),
            ("a.wgsl", "--bind", "picture=no.png", "picture"),
            ("a.wgsl", "--bind", "0.4=no.npy", "0.4"),
            ("a.wgsl", "--bind", "weights=no.npy", "weights"),
            ("a.wgsl", "--bind", "0.1=block.json", "0.1"),
            ("a.spvasm", "--input", "3=1,2", "input 3"),
            ("a.spvasm", "--input", "3=uv", "input 3"),
            ("a.spvasm", "--set", "push.amount=1", "push.amount"),
            ("a.spvasm", "--set", "amount=1", "amount"),
            ("a.spvasm", "--bind", "push=no.bin", "push"),
        ] {
            let outcome = place.run(&render(shader, &[&engine[..], &[option, value]].concat()));
            let note = named(shader, &format!("`{name}`"), "its value changes");
            assert_eq!((outcome.status, outcome.err), (0, note), "{value}");
        }
    }
    let two = render("a.wgsl", &["--set", "gain=1", "--set", "tint=1"]);
    let note = named("a.wgsl", "`gain`, `tint`", "their values change");
    assert_eq!(place.run(&two).err, note);
    // A test passes with the same note.
    place.write("a.wgsl.test", "; test: --size 1x1 --set gain=1\n");
    let outcome = place.run(&["test", "a.wgsl", "--bless"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    // A name that the program never had is an error.
    for (shader, option, value, message) in [
        ("a.wgsl", "--set", "gian=2", "no uniform `gian`; did you mean `gain`?"),
        ("a.wgsl", "--set", "parms.gain=2", "no uniform `parms`; did you mean `params`?"),
        (
            "a.wgsl",
            "--bind",
            "pictur=no.png",
            "no texture or buffer `pictur`; did you mean `picture`?",
        ),
        ("a.wgsl", "--bind", "smooth_sampler=no.png", "no texture or buffer `smooth_sampler`"),
        ("a.wgsl", "--input", "3=uv", "the module has no input 3; it has none"),
        ("a.spvasm", "--input", "2=uv", "the module has no input 2; it has 3"),
        ("a.spvasm", "--set", "push.amont=1", "`push.amont`"),
    ] {
        place.fails(&render(shader, &[option, value]), 2, message);
    }
}

const MOMENTS: &str = "struct Clock { time: f32, frame: u32 }
    struct Params { gain: f32, @align(16) clock: Clock, @align(16) resolution: vec2f }
    @group(0) @binding(0) var<uniform> params: Params;
    @fragment fn main() -> @location(0) vec4f {
        return vec4f(params.clock.time, f32(params.clock.frame), params.resolution);
    }";

#[test]
fn members_called_as_inputs_are_these() {
    let place = TestFolder::with([("a.wgsl", MOMENTS)]);
    place.run(&["compile", "a.wgsl", "-o", "a.spv"]).done();
    let pixel = |name: &str| place.frame(name).pixel(0, 0).expect("there is one");
    for (shader, engine) in ["a.wgsl", "a.spv"]
        .into_iter()
        .flat_map(|shader| ["simd", "core", "spirv"].map(|engine| (shader, engine)))
    {
        let draw = |more: &[&str]| {
            let how =
                ["render", shader, "o.npy", "--size", "4x2", "--engine", engine, "--set", "gain=1"];
            let outcome = place.run(&[&how[..], more].concat());
            assert_eq!(outcome.status, 0, "{shader} {engine}: {}", outcome.err);
            outcome.err
        };
        let note = draw(&["--time", "2.5", "--frame", "7"]);
        assert_eq!(pixel("o.npy"), [2.5, 7.0, 4.0, 2.0], "{shader} {engine}");
        let all = "`clock.time` by --time, `clock.frame` by --frame, `resolution` by --size";
        let wanted = format!("note: `{shader}`: set by their names: {all}; --set gives others\n");
        assert_eq!(note, wanted, "{engine}");
        // Explicit settings win, for a whole block or a part.
        for set in ["clock.time=5", r#"clock={"time": 5}"#, r#"params={"clock": {"time": 5}}"#] {
            if shader == "a.spv" && set.starts_with("params") {
                continue;
            }
            let note = draw(&["--time", "2.5", "--frame", "7", "--set", set]);
            assert_eq!(pixel("o.npy"), [5.0, 7.0, 4.0, 2.0], "{shader} {engine} {set}");
            assert!(!note.contains("clock.time") && note.contains("clock.frame"), "{note}");
        }
        // The frames of a sequence have their own times and numbers.
        let how = ["render", shader, "f%d.npy", "--size", "4x2", "--engine", engine];
        let frames = ["--set", "gain=1", "--frames", "2..4", "--fps", "2", "--time", "1"];
        assert_eq!(place.run(&[&how[..], &frames].concat()).status, 0);
        for (number, time) in [(2, 2.0), (3, 2.5)] {
            let name = format!("f{number}.npy");
            assert_eq!(pixel(&name), [time, number as f32, 4.0, 2.0], "{shader} {engine}");
        }
    }
    // A block that is given whole keeps its values.
    place.write("block.bin", [0; 48]);
    let bound =
        ["render", "a.wgsl", "o.npy", "--size", "4x2", "--time", "3", "--bind", "0.0=block.bin"];
    place.run(&bound).done();
    assert_eq!(pixel("o.npy"), [0.0; 4]);
    // The same in a test's directive, and in the message of a failed test.
    place.write("a.wgsl.test", "; test: --size 4x2 --format npy --time 1.5\n");
    place.run(&["test", "a.wgsl", "--bless"]).done();
    assert_eq!(pixel("a.npy"), [1.5, 0.0, 4.0, 2.0]);
    place.run(&["test", "a.wgsl", "--engine", "spirv"]).done();
    place.write("a.wgsl.test", "; test: --size 4x2 --format npy --time 2.5\n");
    let outcome = place.run(&["test", "a.wgsl"]);
    assert_eq!(outcome.status, 1);
    let all = "`clock.time` by --time, `clock.frame` by --frame, `resolution` by --size";
    let wanted = format!("    `a.wgsl`: set by their names: {all}; --set gives others\n");
    assert!(outcome.text().contains(&wanted), "{}", outcome.text());
    let run = ["diff", "--run", "a.wgsl", "a.spv", "--size", "4x2", "--time", "1.5"];
    assert_eq!(place.run(&run).status, 0);
}
