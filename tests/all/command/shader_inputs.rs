//! The table in docs/spirv.md of the values for inputs of foreign shaders. Each row has cases here, drawn by
//! every engine that takes such shaders.
#![cfg(feature = "foreign")]

use super::harness::TestFolder;
use std::collections::BTreeSet;
use std::path::Path;

/// A shader; and for several command lines the arguments of `render`, the pixel at (0, 0) of 4 × 2, and a
/// part of the notes.
struct Case {
    /// The first column of the row.
    row: &'static str,
    /// The file's name, whose extension gives the language.
    name: &'static str,
    text: &'static str,
    draws: &'static [(&'static [&'static str], [f32; 4], &'static str)],
}

const MEMBERS: &str = "members of uniform blocks and of push constants";
const PARTS: &str = "parts of them";
const BLOCKS: &str = "a whole block of them";
const FRAME: &str =
    "members called `time`, `frame`, `resolution` or `size`, `mouse`, also in structures";
const NAMELESS: &str = "one structure without a name that is all of a block (as WGSL's `var<uniform> params: Params` is)";
const LOCATIONS: &str = "`Location` inputs";
const BUILTINS: &str = "`FragCoord`, `FrontFacing`";
const TEXTURES: &str = "textures";
const BUFFERS: &str = "storage buffers of one array";
const SPECIALISATION: &str = "specialisation constants";

const TWO_BLOCKS: &str = "#version 450
    layout(set = 0, binding = 1) uniform First { float gain; float both; } first;
    layout(set = 2, binding = 3) uniform Second { float both; } second;
    layout(push_constant) uniform Push { float bias; } pushed;
    layout(location = 0) out vec4 c;
    void main() { c = vec4(first.gain, first.both, second.both, pushed.bias); }";

const PARTED: &str = "#version 450
    struct Light { float power; vec3 colour; };
    layout(set = 0, binding = 0) uniform Block { float intensity; Light lights[2]; } params;
    layout(set = 0, binding = 1) uniform Others { vec4 kernel[3]; mat4 m; };
    layout(location = 0) out vec4 c;
    void main() {
        c = vec4(params.intensity, params.lights[0].power + params.lights[1].colour.b, kernel[1].w, m[2].y);
    }";

const WHOLE: &str = "#version 450
    layout(set = 0, binding = 4) uniform Colours { vec4 tint; };
    layout(push_constant) uniform Push { float gain; uint on; } pushed;
    layout(location = 0) out vec4 c;
    void main() { c = tint * pushed.gain + float(pushed.on); }";

/// Integers and numbers, some of them in a nested structure.
const FRAMES: &str = "#version 450
    struct Globals { float time; uint frame; vec2 resolution; };
    layout(set = 0, binding = 0) uniform A { Globals globals; };
    layout(set = 0, binding = 1) uniform B { uvec2 size; vec4 mouse; };
    layout(location = 0) out vec4 c;
    void main() {
        c = vec4(globals.time, float(globals.frame), globals.resolution.x + float(size.y) / 8.0, mouse.x);
    }";

const INPUTS: &str = "@fragment fn main(@location(0) a: vec2f, @location(1) b: vec2f, @location(3) k: vec2f) -> @location(0) vec4f {
        return vec4f(a.x, b.x, k);
    }";

const GIVEN: &str = "@fragment fn main(@builtin(position) p: vec4f, @builtin(front_facing) front: bool) -> @location(0) vec4f {
        return vec4f(p.xy, p.z + p.w, f32(front));
    }";

/// The midpoint of two texels, a coordinate beyond the edge, and the size.
const APART: &str = "@group(0) @binding(5) var picture: texture_2d<f32>;
    @group(0) @binding(6) var linear: sampler;
    @fragment fn main() -> @location(0) vec4f {
        let middle = textureSampleLevel(picture, linear, vec2f(0.5, 0.5), 0.0).x;
        let outside = textureSampleLevel(picture, linear, vec2f(7.0, 0.5), 0.0).x;
        return vec4f(middle, outside, vec2f(textureDimensions(picture)));
    }";

const LEVELS: &str = "@group(0) @binding(5) var picture: texture_2d<f32>;
    @fragment fn main() -> @location(0) vec4f {
        let last = textureLoad(picture, vec2i(0, 0), 1).x;
        return vec4f(f32(textureNumLevels(picture)), last, 0.0, 1.0);
    }";

const COMBINED: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main \"main\" %colour
    OpExecutionMode %main OriginUpperLeft
    OpName %picture \"picture\"
    OpDecorate %colour Location 0
    OpDecorate %picture DescriptorSet 0
    OpDecorate %picture Binding 5
    %void = OpTypeVoid
    %function = OpTypeFunction %void
    %float = OpTypeFloat 32
    %vec2 = OpTypeVector %float 2
    %vec4 = OpTypeVector %float 4
    %image = OpTypeImage %float 2D 0 0 0 1 Unknown
    %sampled = OpTypeSampledImage %image
    %to_sampled = OpTypePointer UniformConstant %sampled
    %picture = OpVariable %to_sampled UniformConstant
    %to_colour = OpTypePointer Output %vec4
    %colour = OpVariable %to_colour Output
    %half = OpConstant %float 0.5
    %zero = OpConstant %float 0
    %centre = OpConstantComposite %vec2 %half %half
    %main = OpFunction %void None %function
    %start = OpLabel
    %texture = OpLoad %sampled %picture
    %sample = OpImageSampleExplicitLod %vec4 %texture %centre Lod %zero
    OpStore %colour %sample
    OpReturn
    OpFunctionEnd
";

const ARRAY: &str = "@group(0) @binding(7) var<storage, read> data: array<vec2f>;
    @fragment fn main() -> @location(0) vec4f {
        return vec4f(data[0], data[arrayLength(&data) - 1u]);
    }";

const SPECIALISED: &str = "OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main \"main\" %colour
    OpExecutionMode %main OriginUpperLeft
    OpDecorate %colour Location 0
    OpDecorate %gain SpecId 7
    OpDecorate %on SpecId 8
    %void = OpTypeVoid
    %function = OpTypeFunction %void
    %bool = OpTypeBool
    %float = OpTypeFloat 32
    %vec4 = OpTypeVector %float 4
    %to_colour = OpTypePointer Output %vec4
    %colour = OpVariable %to_colour Output
    %zero = OpConstant %float 0
    %gain = OpSpecConstant %float 0.75
    %on = OpSpecConstantTrue %bool
    %chosen = OpSpecConstantOp %float Select %on %gain %zero
    %value = OpSpecConstantComposite %vec4 %gain %chosen %zero %gain
    %main = OpFunction %void None %function
    %start = OpLabel
    OpStore %colour %value
    OpReturn
    OpFunctionEnd
";

const CASES: &[Case] = &[
    Case {
        row: MEMBERS,
        name: "blocks.frag",
        text: TWO_BLOCKS,
        draws: &[
            (
                &[
                    "--set",
                    "gain=2",
                    "--set",
                    "first.both=3",
                    "--set",
                    "second.both=4",
                    "--set",
                    "bias=5",
                ],
                [2.0, 3.0, 4.0, 5.0],
                "",
            ),
            (
                &[
                    "--set",
                    "0.1.gain=2",
                    "--set",
                    "0.1.both=3",
                    "--set",
                    "2.3.both=4",
                    "--set",
                    "push.bias=5",
                ],
                [2.0, 3.0, 4.0, 5.0],
                "",
            ),
            (&["--set", "gain=2", "--set", "bias=1"], [2.0, 0.0, 0.0, 1.0], "are 0"),
        ],
    },
    Case {
        row: PARTS,
        name: "parts.frag",
        text: PARTED,
        draws: &[
            (
                &[
                    "--set",
                    "params.intensity=2",
                    "--set",
                    "params.lights[0].power=3",
                    "--set",
                    "params.lights[1].colour.b=4",
                    "--set",
                    "kernel[1]=0,0,0,5",
                    "--set",
                    "m[2].y=6",
                ],
                [2.0, 7.0, 5.0, 6.0],
                "are 0",
            ),
            (
                &[
                    "--set",
                    "params.intensity=2",
                    "--set",
                    "params.lights[1].colour[2]=4",
                    "--set",
                    "kernel[1].a=5",
                    "--set",
                    "m[2][1]=6",
                ],
                [2.0, 4.0, 5.0, 6.0],
                "are 0",
            ),
            (&["--uniforms", "parts.json"], [2.0, 0.0, 5.0, 6.0], "are 0"),
        ],
    },
    Case {
        row: BLOCKS,
        name: "whole.frag",
        text: WHOLE,
        draws: &[
            (&["--bind", "0.4=tint.bin", "--bind", "push=push.json"], [3.0, 5.0, 7.0, 9.0], ""),
            // `--set` comes after the block.
            (
                &["--bind", "0.4=tint.bin", "--bind", "push=push.json", "--set", "gain=0.5"],
                [1.5, 2.0, 2.5, 3.0],
                "",
            ),
            (
                &["--set", "tint=1,2,3,4", "--set", "pushed={\"gain\": 2, \"on\": 1}"],
                [3.0, 5.0, 7.0, 9.0],
                "",
            ),
        ],
    },
    Case {
        row: FRAME,
        name: "frame.frag",
        text: FRAMES,
        draws: &[
            (
                &["--time", "0.5", "--frame", "3", "--mouse", "9,8,7,6"],
                [0.5, 3.0, 4.25, 9.0],
                "`globals.time`",
            ),
            (
                &["--time", "0.5", "--set", "globals.time=8", "--set", "globals.resolution=16,1"],
                [8.0, 0.0, 16.25, 0.0],
                "`size`",
            ),
        ],
    },
    Case {
        row: NAMELESS,
        name: "params.wgsl",
        text: "struct Params { gain: f32, tint: vec3f }
            @group(0) @binding(0) var<uniform> params: Params;
            @fragment fn main() -> @location(0) vec4f { return vec4f(params.tint, params.gain); }",
        draws: &[
            (&["--set", "gain=2", "--set", "tint=1,2,3"], [1.0, 2.0, 3.0, 2.0], ""),
            (&["--set", "0.0.gain=2", "--set", "0.0.tint=1,2,3"], [1.0, 2.0, 3.0, 2.0], ""),
        ],
    },
    Case {
        row: LOCATIONS,
        name: "inputs.wgsl",
        text: INPUTS,
        draws: &[
            (
                &["--input", "0=uv", "--input", "1=position", "--input", "3=1,0.5"],
                [0.125, 0.5, 1.0, 0.5],
                "",
            ),
            (&["--input", "0=uv"], [0.125, 0.0, 0.0, 0.0], "`b`"),
        ],
    },
    Case {
        row: BUILTINS,
        name: "given.wgsl",
        text: GIVEN,
        draws: &[(&[], [0.5, 0.5, 1.0, 1.0], "")],
    },
    Case {
        row: TEXTURES,
        name: "apart.wgsl",
        text: APART,
        draws: &[
            (&["--bind", "picture=two.npy"], [0.375, 0.5, 2.0, 1.0], ""),
            (&["--bind", "0.5=two.npy"], [0.375, 0.5, 2.0, 1.0], ""),
        ],
    },
    Case {
        row: TEXTURES,
        name: "levels.wgsl",
        text: LEVELS,
        draws: &[(&["--bind", "picture=two.npy"], [2.0, 0.375, 0.0, 1.0], "")],
    },
    Case {
        row: TEXTURES,
        name: "combined.spvasm",
        text: COMBINED,
        draws: &[
            (&["--bind", "picture=two.npy"], [0.375, 0.5, 0.0, 1.0], ""),
            (&["--bind", "0.5=two.npy"], [0.375, 0.5, 0.0, 1.0], ""),
        ],
    },
    Case {
        row: BUFFERS,
        name: "array.wgsl",
        text: ARRAY,
        draws: &[
            (&["--bind", "data=array.npy"], [1.0, 2.0, 5.0, 6.0], ""),
            (&["--bind", "0.7=array.npy"], [1.0, 2.0, 5.0, 6.0], ""),
        ],
    },
    Case {
        row: SPECIALISATION,
        name: "specialised.spvasm",
        text: SPECIALISED,
        draws: &[(&[], [0.75, 0.75, 0.0, 0.75], "")],
    },
];

/// Little-endian bytes of the numbers.
fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// An NPY file of numbers with this shape.
fn npy(shape: &str, numbers: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    let length = 117;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::to_le_bytes(length + 1));
    file.extend(format!("{header:<width$}\n", width = usize::from(length)).bytes());
    file.extend(bytes(numbers));
    file
}

fn place() -> TestFolder {
    let place = TestFolder::new();
    let texels = [0.25, 0.5, 0.0, 1.0, 0.5, 0.5, 0.0, 1.0];
    place.write("two.npy", npy("(1, 2, 4)", &texels));
    place.write("array.npy", npy("(3, 2)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    place.write("tint.bin", bytes(&[1.0, 2.0, 3.0, 4.0]));
    place.write("push.json", r#"{"gain": 2, "on": true}"#);
    place.write("parts.json", r#"{"params.intensity": 2, "kernel[1]": [0, 0, 0, 5], "m[2].y": 6}"#);
    place
}

#[test]
fn each_row_holds() {
    let place = place();
    for case in CASES {
        place.write(case.name, case.text);
        for (arguments, expected, note) in case.draws {
            for engine in ["simd", "core", "spirv"] {
                let render = ["render", case.name, "o.npy", "--size", "4x2", "--engine", engine];
                let outcome = place.run(&[&render, *arguments].concat());
                let said = format!("{} {arguments:?} on {engine}: {}", case.name, outcome.err);
                assert_eq!(outcome.status, 0, "{said}");
                let noted = if note.is_empty() {
                    outcome.err.is_empty()
                } else {
                    outcome.err.contains(note)
                };
                assert!(noted, "{said}");
                let pixel = place.frame("o.npy").pixel(0, 0).expect("the picture has pixels");
                assert_eq!(pixel.map(f32::to_bits), expected.map(f32::to_bits), "{said}{pixel:?}");
            }
        }
    }
}

/// The table and the cases have the same rows.
#[test]
fn each_row_has_a_case() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/spirv.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let (_, section) = page.split_once("## What a shader is given").expect("it has the table");
    let (section, _) = section.split_once("\n## ").expect("another section follows");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.filter_map(|line| line.split_once(" | ")).map(|(first, _)| first).skip(1);
    assert_eq!(
        rows.collect::<BTreeSet<_>>(),
        CASES.iter().map(|case| case.row).collect::<BTreeSet<_>>()
    );
}
