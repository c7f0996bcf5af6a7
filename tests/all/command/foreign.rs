//! WGSL and GLSL on the command line.
#![cfg(feature = "foreign")]

use super::harness::TestFolder;

const WRONG: [(&str, &str, [&str; 2]); 4] = [
    (
        "name.wgsl",
        "@fragment\nfn main() -> @location(0) vec4f {\n    return vec4f(colour);\n}\n",
        ["error[LV0606]: no definition in scope for identifier: `colour`", "name.wgsl:3:18"],
    ),
    (
        "type.wgsl",
        "@fragment\nfn main() -> @location(0) vec4f {\n    let x: i32 = 1;\n    return vec4f(1.0 * x);\n}\n",
        ["error[LV0606]", "type.wgsl:4:"],
    ),
    (
        "call.frag",
        "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(f(1.0)); }\n",
        ["error[LV0606]: Unknown function 'f'", "call.frag:3:24"],
    ),
    (
        "stage.wgsl",
        "@compute @workgroup_size(1)\nfn main() {}\n",
        ["error[LV0605]: the module has no fragment entry point, only GLCompute", "stage.wgsl"],
    ),
];

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let place = TestFolder::new();
    for (name, text, said) in WRONG {
        place.write(name, text);
        for message in said {
            place.fails(&["check", name], 1, message);
        }
    }
}

/// Two entry points, and an input of each kind.
#[test]
fn entry_points_and_inputs() {
    let text = "@fragment fn one(@location(0) uv: vec2f) -> @location(0) vec4f { return vec4f(uv, 0.0, 1.0); }
        @fragment fn two(@location(1) x: vec3f) -> @location(0) vec4f { return vec4f(x, 1.0); }";
    let place = TestFolder::with([
        ("a.wgsl", text),
        ("one.lv", "(vec4 (/ (.xy (frag-coord)) (resolution)) 0 1)"),
        ("two.lv", "(vec4 0.5 0.25 1 1)"),
    ]);
    place.fails(&["render", "a.wgsl", "a.npy"], 1, "name one of `one`, `two`");
    let size = ["--size", "5x3"];
    for (entry, input) in [("one", "0=uv"), ("two", "1=0.5,0.25,1")] {
        let twin = format!("{entry}.lv");
        place.run(&[&["render", &twin, "b.npy"][..], &size].concat()).done();
        let render = ["render", "a.wgsl", "a.npy", "--entry", entry, "--input", input];
        place.run(&[&render[..], &size].concat()).done();
        assert_eq!(place.frame("a.npy").pixels(), place.frame("b.npy").pixels(), "{entry}");
    }
    let zero = ["render", "a.wgsl", "a.npy", "--entry", "one"];
    let outcome = place.run(&[&zero[..], &size].concat());
    assert_eq!(outcome.err, "note: `a.wgsl`: `input.0` is 0; --set gives it a value\n");
    let wrong = [&zero[..], &["--input", "4=1"]].concat();
    place.fails(&wrong, 2, "the module has no input 4; it has 0");
}

/// A block by members, by JSON and by its bytes, in layouts with gaps.
#[test]
fn blocks_are_bound_whole() {
    let text = "struct Light { at: vec3f, power: f32, on: u32, turn: vec4f }
        @group(1) @binding(2) var<uniform> light: Light;
        @fragment fn main() -> @location(0) vec4f {
            let turned = light.turn.xy * light.at.x + light.turn.zw * light.at.y;
            return vec4f(turned * light.power, light.at.z, f32(light.on));
        }";
    let place = TestFolder::with([("a.wgsl", text)]);
    let words = [0.5_f32, 0.25, 2.0, 3.0].map(f32::to_bits).into_iter().chain([1, 0, 0, 0]);
    let words = words.chain([0.0_f32, 1.0, -1.0, 0.5].map(f32::to_bits));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    place.write("light.bin", &bytes);
    let json = r#"{"at": [0.5, 0.25, 2], "power": 3, "on": 1, "turn": [0, 1, -1, 0.5]}"#;
    place.write("light.json", json);
    let all: [&[&str]; 4] = [
        &["--bind", "1.2=light.bin"],
        &["--bind", "1.2=light.json"],
        &[
            "--set",
            "at=0.5,0.25,2",
            "--set",
            "power=3",
            "--set",
            "on=1",
            "--set",
            "turn=0,1,-1,0.5",
        ],
        &["--bind", "1.2=light.json", "--bind", "1.2=light.bin", "--set", "1.2.power=3"],
    ];
    for how in all {
        let render = ["render", "a.wgsl", "a.npy", "--size", "2x2"];
        place.run(&[&render[..], how].concat()).done();
        assert_eq!(place.frame("a.npy").pixel(1, 1), Some([-0.75, 1.875, 2.0, 1.0]), "{how:?}");
    }
    let render = |bind| ["render", "a.wgsl", "a.npy", "--bind", bind];
    place.write("short.bin", &bytes[..32]);
    place.fails(
        &render("1.2=short.bin"),
        1,
        "32 bytes, and `turn` of the block 1.2 ends at byte 48",
    );
    place.write("wrong.json", "[1]");
    place.fails(&render("1.2=wrong.json"), 1, "`wrong.json`");
    place.write("other.json", r#"{"pwer": 1}"#);
    place.fails(&render("1.2=other.json"), 2, "pwer");
    place.fails(&render("1.3=light.bin"), 2, "1.3");
}
