//! Modules that are read and written again keep the interface for host programs: sets, bindings, offsets and
//! names.
#![cfg(feature = "foreign")]

use super::harness::TestFolder;

const TWO: &str = "struct Params { gain: f32, tint: vec3f, rows: array<vec4f, 3> }
    @group(1) @binding(2) var<uniform> params: Params;
    @group(0) @binding(2) var<storage, read> second: array<f32>;
    @group(0) @binding(1) var<storage, read> first: array<f32>;
    @group(3) @binding(5) var picture: texture_2d<f32>;
    @group(3) @binding(6) var near: sampler;
    @fragment fn shade(@location(0) uv: vec2f) -> @location(0) vec4f {
        let sum = params.tint * params.gain + params.rows[1].xyz;
        return vec4f(sum, 1.0) * textureSample(picture, near, uv) + vec4f(second[0], first[0], 0.0, 1.0);
    }
    @fragment fn other() -> @location(0) vec4f { return vec4f(params.gain); }
    @compute @workgroup_size(1) fn work() {}";

/// Two unnamed buffers, the second of which is read first; blocks in two sets; and push constants, one member
/// of which has a layout other than std140.
const MODULE: &str = r#"OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "shade" %out
OpExecutionMode %main OriginUpperLeft
OpMemberName %block 0 "scale"
OpMemberName %block 1 "shift"
OpName %block "Block"
OpMemberName %pushed 0 "a"
OpMemberName %pushed 1 "w"
OpDecorate %out Location 0
OpDecorate %buffer Block
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %floats ArrayStride 4
OpDecorate %early DescriptorSet 0
OpDecorate %early Binding 2
OpDecorate %late DescriptorSet 0
OpDecorate %late Binding 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 8
OpMemberDecorate %block 1 Offset 32
OpDecorate %given DescriptorSet 2
OpDecorate %given Binding 7
OpDecorate %pushed Block
OpDecorate %three ArrayStride 4
OpMemberDecorate %pushed 0 Offset 4
OpMemberDecorate %pushed 1 Offset 8
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%vec4 = OpTypeVector %float 4
%n3 = OpConstant %int 3
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%floats = OpTypeRuntimeArray %float
%buffer = OpTypeStruct %floats
%three = OpTypeArray %float %n3
%block = OpTypeStruct %float %vec4
%pushed = OpTypeStruct %float %three
%to_out = OpTypePointer Output %vec4
%to_buffer = OpTypePointer StorageBuffer %buffer
%to_block = OpTypePointer Uniform %block
%to_pushed = OpTypePointer PushConstant %pushed
%b_float = OpTypePointer StorageBuffer %float
%u_float = OpTypePointer Uniform %float
%u_vec4 = OpTypePointer Uniform %vec4
%p_float = OpTypePointer PushConstant %float
%out = OpVariable %to_out Output
%early = OpVariable %to_buffer StorageBuffer
%late = OpVariable %to_buffer StorageBuffer
%given = OpVariable %to_block Uniform
%push = OpVariable %to_pushed PushConstant
%main = OpFunction %void None %main_type
%start = OpLabel
%p0 = OpAccessChain %b_float %early %i0 %i0
%e = OpLoad %float %p0
%p1 = OpAccessChain %b_float %late %i0 %i0
%l = OpLoad %float %p1
%p2 = OpAccessChain %u_float %given %i0
%scale = OpLoad %float %p2
%p3 = OpAccessChain %u_vec4 %given %i1
%shift = OpLoad %vec4 %p3
%p4 = OpAccessChain %p_float %push %i0
%a = OpLoad %float %p4
%p5 = OpAccessChain %p_float %push %i1 %i2
%w = OpLoad %float %p5
%all = OpCompositeConstruct %vec4 %e %l %a %w
%scaled = OpVectorTimesScalar %vec4 %all %scale
%sum = OpFAdd %vec4 %scaled %shift
OpStore %out %sum
OpReturn
OpFunctionEnd
"#;

/// The same bindings and settings give the same picture, for the module and for modules written from it once
/// and twice.
#[test]
fn numbers_mean_what_they_meant() {
    let place = TestFolder::with([("a.spvasm", MODULE), ("one.json", "[1]"), ("two.json", "[2]")]);
    let said = place.run(&["compile", "a.spvasm", "-o", "b.spv"]);
    assert!(
        said.err.contains("note: `w` of `a.spvasm` is not laid out as std140 says"),
        "{}",
        said.err
    );
    assert_eq!(place.run(&["compile", "b.spv", "-o", "c.spv"]).err, "");
    let given = [
        "--bind",
        "0.1=one.json",
        "--bind",
        "0.2=two.json",
        "--set",
        "2.7.scale=3",
        "--set",
        "shift=1,2,3,4",
        "--set",
        "push.a=5",
        "--set",
        "push.w=6,7,8",
    ];
    for (shader, engine) in
        [("a.spvasm", "simd"), ("b.spv", "simd"), ("b.spv", "spirv"), ("c.spv", "core")]
    {
        let render = ["render", shader, "a.npy", "--size", "1x1", "--engine", engine];
        place.run(&[&render[..], &given].concat()).done();
        assert_eq!(place.frame("a.npy").pixels(), [[7.0, 5.0, 18.0, 28.0]], "{shader} {engine}");
    }
    let diff = ["diff", "--run", "a.spvasm", "b.spv", "--size", "1x1"];
    place.run(&[&diff[..], &given].concat()).done();
    for shader in ["b.spv", "c.spv"] {
        let inspected = place.run(&["inspect", shader]).done();
        for line in [
            "entry point shade: Fragment",
            "set 0 binding 1: storage buffer ",
            "set 0 binding 2: storage buffer ",
            "set 2 binding 7: uniform buffer Block",
            "       8  f32 scale",
            "      32  vec4 shift",
            "push constants ",
            "       4  f32 a",
            "      32  f32[3] w, elements 16 bytes apart",
        ] {
            assert!(inspected.text().contains(line), "{shader} {line}: {}", inspected.text());
        }
    }
    // The same holds for exact modules.
    place.run(&["compile", "a.spvasm", "--exact", "-o", "e.spv"]);
    let inspected = place.run(&["inspect", "e.spv"]).done();
    assert!(inspected.text().contains("set 2 binding 7: uniform buffer Block"));
}

/// For WGSL, the author's groups, bindings, names and all entry points are shown and kept.
#[test]
fn authors_see_their_own_names() {
    let place = TestFolder::with([("a.wgsl", TWO)]);
    let lines = [
        "set 0 binding 1: storage buffer first",
        "set 0 binding 2: storage buffer second",
        "set 1 binding 2: uniform buffer params",
        "       0  f32 gain",
        "      16  vec3 tint",
        "      32  vec4[3] rows, elements 16 bytes apart",
        "set 3 binding 5: ",
    ];
    let author = place.run(&["inspect", "a.wgsl"]).done();
    place.run(&["compile", "a.wgsl", "--entry", "shade", "-o", "b.spv"]).done();
    let again = place.run(&["inspect", "b.spv"]).done();
    for text in [author.text(), again.text()] {
        for line in lines {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
    for line in ["entry point other: Fragment", "entry point work: GLCompute", "sampler near"] {
        assert!(author.text().contains(line), "{line}: {}", author.text());
    }
    assert!(author.text().contains("       0  f32[] first, elements 4 bytes apart"));
    assert!(again.text().contains("entry point shade: Fragment"), "{}", again.text());
}
