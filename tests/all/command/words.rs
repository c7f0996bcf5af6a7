//! `--engine spirv` on modules: their words are executed with the same inputs as on the other engines.

use super::harness::TestFolder;

/// A location input, two uniform blocks, push constants called `inputs` that are not λV's, a row-major
/// matrix, a texture and a sampler in another set, two buffers of one number, relaxed precision, a variable
/// that is not written whole, and a pixel that becomes a helper.
const MODULE: &str = r#"OpCapability Shader
OpCapability DemoteToHelperInvocation
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %frag_coord %uv %tint %second %pushed %picture %near %lights %weights
OpExecutionMode %main OriginUpperLeft
OpName %first_block "First"
OpMemberName %first_block 0 "gain"
OpMemberName %first_block 1 "turn"
OpName %second_block "Second"
OpMemberName %second_block 0 "colour"
OpName %push_block "inputs"
OpMemberName %push_block 0 "time"
OpName %picture "picture"
OpName %lights "lights"
OpName %weights "weights"
OpName %uv "uv"
OpDecorate %out Location 0
OpDecorate %uv Location 2
OpDecorate %frag_coord BuiltIn FragCoord
OpDecorate %first_block Block
OpMemberDecorate %first_block 0 Offset 4
OpMemberDecorate %first_block 1 Offset 16
OpMemberDecorate %first_block 1 RowMajor
OpMemberDecorate %first_block 1 MatrixStride 16
OpDecorate %second_block Block
OpMemberDecorate %second_block 0 Offset 0
OpDecorate %push_block Block
OpMemberDecorate %push_block 0 Offset 8
OpDecorate %tint DescriptorSet 0
OpDecorate %tint Binding 1
OpDecorate %second DescriptorSet 2
OpDecorate %second Binding 1
OpDecorate %picture DescriptorSet 1
OpDecorate %picture Binding 4
OpDecorate %near DescriptorSet 1
OpDecorate %near Binding 5
OpDecorate %numbers ArrayStride 4
OpDecorate %buffer Block
OpMemberDecorate %buffer 0 NonWritable
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %lights DescriptorSet 3
OpDecorate %lights Binding 7
OpDecorate %weights DescriptorSet 4
OpDecorate %weights Binding 7
OpDecorate %product RelaxedPrecision
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%mat2 = OpTypeMatrix %vec2 2
%first_block = OpTypeStruct %float %mat2
%second_block = OpTypeStruct %vec4
%push_block = OpTypeStruct %float
%numbers = OpTypeRuntimeArray %float
%buffer = OpTypeStruct %numbers
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%to_out = OpTypePointer Output %vec4
%to_vec4 = OpTypePointer Input %vec4
%to_vec2 = OpTypePointer Input %vec2
%to_first = OpTypePointer Uniform %first_block
%to_second = OpTypePointer Uniform %second_block
%to_push = OpTypePointer PushConstant %push_block
%to_image = OpTypePointer UniformConstant %image
%to_sampler = OpTypePointer UniformConstant %sampler
%to_buffer = OpTypePointer StorageBuffer %buffer
%b_float = OpTypePointer StorageBuffer %float
%u_float = OpTypePointer Uniform %float
%u_mat2 = OpTypePointer Uniform %mat2
%u_vec4 = OpTypePointer Uniform %vec4
%p_float = OpTypePointer PushConstant %float
%f_vec2 = OpTypePointer Function %vec2
%f_float = OpTypePointer Function %float
%out = OpVariable %to_out Output
%frag_coord = OpVariable %to_vec4 Input
%uv = OpVariable %to_vec2 Input
%tint = OpVariable %to_first Uniform
%second = OpVariable %to_second Uniform
%pushed = OpVariable %to_push PushConstant
%picture = OpVariable %to_image UniformConstant
%near = OpVariable %to_sampler UniformConstant
%lights = OpVariable %to_buffer StorageBuffer
%weights = OpVariable %to_buffer StorageBuffer
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%five = OpConstant %float 5
%main = OpFunction %void None %main_type
%start = OpLabel
%partial = OpVariable %f_vec2 Function
%at = OpLoad %vec4 %frag_coord
%x = OpCompositeExtract %float %at 0
%column = OpConvertFToS %int %x
%place = OpLoad %vec2 %uv
%p0 = OpAccessChain %u_float %tint %i0
%gain = OpLoad %float %p0
%p1 = OpAccessChain %u_mat2 %tint %i1
%turn = OpLoad %mat2 %p1
%p2 = OpAccessChain %u_vec4 %second %i0
%colour = OpLoad %vec4 %p2
%p3 = OpAccessChain %p_float %pushed %i0
%time = OpLoad %float %p3
%img = OpLoad %image %picture
%smp = OpLoad %sampler %near
%both = OpSampledImage %sampled %img %smp
%texel = OpImageSampleImplicitLod %vec4 %both %place
%turned = OpMatrixTimesVector %vec2 %turn %place
%p4 = OpAccessChain %f_float %partial %i0
OpStore %p4 %gain
%all = OpLoad %vec2 %partial
%known = OpCompositeExtract %float %all 0
%p5 = OpAccessChain %b_float %lights %i0 %column
%light = OpLoad %float %p5
%p6 = OpAccessChain %b_float %weights %i0 %column
%weight = OpLoad %float %p6
%lit = OpFMul %float %light %weight
%tx = OpCompositeExtract %float %turned 0
%ty = OpCompositeExtract %float %turned 1
%sum = OpCompositeConstruct %vec4 %tx %ty %time %known
%product = OpFMul %vec4 %texel %colour
%total = OpFAdd %vec4 %product %sum
%scaled = OpVectorTimesScalar %vec4 %total %lit
OpStore %out %scaled
%is_far = OpFOrdGreaterThan %bool %x %five
OpSelectionMerge %end None
OpBranchConditional %is_far %far %end
%far = OpLabel
OpDemoteToHelperInvocation
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"#;

const GIVEN: [&str; 22] = [
    "--size",
    "7x5",
    "--input",
    "2=uv",
    "--set",
    "gain=0.75",
    "--set",
    "turn=1,2,3,4",
    "--set",
    "colour=0.5,0.25,2,1",
    "--set",
    "push.time=3",
    "--bind",
    "picture=picture.npy",
    "--bind",
    "3.7=lights.json",
    "--bind",
    "weights=weights.json",
    "--clear",
    "0.1,0.2,0.3,0.4",
    "--time",
    "9",
];

fn folder() -> TestFolder {
    let place = TestFolder::with([
        ("a.spvasm", MODULE),
        ("p.lv", "(vec4 (fract (* 0.37 (.xy (frag-coord)))) 0.5 1)"),
        ("lights.json", "[1, 2, 3, 4, 5, 6, 7]"),
        ("weights.json", "[0.1, 0.3, -0.7, 1.25, 0.9, 2, 3]"),
    ]);
    place.run(&["render", "p.lv", "picture.npy", "--size", "4x3"]).done();
    place
}

/// Words and machine code give the same bits, for text and binary modules, in pictures, sequences and tests.
#[test]
fn words_are_given_what_other_engines_are() {
    let place = folder();
    let draw = |shader: &str, engine: &str, more: &[&str]| {
        let render = ["render", shader, "a.npy", "--engine", engine];
        place.run(&[&render[..], &GIVEN, more].concat()).done();
        place.frame("a.npy")
    };
    let simd = draw("a.spvasm", "simd", &[]);
    assert_ne!(simd.pixel(1, 1), simd.pixel(2, 1));
    assert_eq!(simd.pixel(6, 2), Some([0.1, 0.2, 0.3, 0.4]));
    assert_eq!(simd.pixels(), draw("a.spvasm", "spirv", &[]).pixels());
    let fed = ["--feedback", "picture", "--bind", "picture=p.npy"];
    place.run(&["render", "p.lv", "p.npy", "--size", "7x5"]).done();
    let frames = ["--frames", "0..3"];
    for engine in ["simd", "spirv"] {
        let out = format!("{engine}-%d.npy");
        let render = ["render", "a.spvasm", &out, "--engine", engine];
        place.run(&[&render[..], &GIVEN, &fed, &frames].concat()).done();
    }
    assert_eq!(place.frame("simd-2.npy").pixels(), place.frame("spirv-2.npy").pixels());
    let test = format!("; test: {}\n{MODULE}", GIVEN.join(" "));
    place.write("t.spvasm", test);
    place.run(&["test", "t.spvasm", "--bless"]).done();
    place.run(&["test", "t.spvasm", "--engine", "spirv"]).done();
}

/// Unset inputs are zero, as on other engines. `--time` sets λV's own block and members with that name, which
/// a note reports.
#[test]
fn nothing_is_invented() {
    let place = folder();
    for engine in ["simd", "spirv"] {
        let out = format!("{engine}.npy");
        let render =
            ["render", "a.spvasm", &out, "--engine", engine, "--size", "4x2", "--time", "9"];
        let binds = ["picture=picture.npy", "lights=lights.json", "weights=weights.json"];
        let binds: Vec<&str> = binds.iter().flat_map(|bind| ["--bind", bind]).collect();
        let outcome = place.run(&[&render[..], &binds].concat());
        for note in ["`uv`, `gain`, `turn`, `colour` are 0", "`time` by --time"] {
            assert!(outcome.err.contains(note), "{}", outcome.err);
        }
    }
    assert_eq!(place.frame("simd.npy").pixels(), place.frame("spirv.npy").pixels());
}

/// The words of exact modules can be executed, although they cannot be raised.
#[test]
fn exact_modules_are_executed() {
    let place = TestFolder::with([("a.lv", "(vec4 (sin (.x (frag-coord))) (time) 0 1)")]);
    place.run(&["render", "a.lv", "a.npy", "--size", "5x3", "--time", "2"]).done();
    place.run(&["compile", "a.lv", "--exact", "-o", "a.spv"]).done();
    let render = ["render", "a.spv", "b.npy", "--size", "5x3", "--time", "2"];
    place.fails(&render, 1, "error[LV0605]");
    place.run(&[&render[..], &["--engine", "spirv"]].concat()).done();
    assert_eq!(place.frame("a.npy").pixels(), place.frame("b.npy").pixels());
}
