//! Compute shaders satisfy the validation layers, and leave what they should.

use super::device;
use lambdav_gpu::{BoundBuffer, DispatchJob, Error, forever};
use lambdav_spirv::assemble::{SpirvVersion, assemble};

/// Doubles each word of the buffer 1.3, and adds the word of the block 0.0.
const DOUBLE: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"double\" %id
    OpExecutionMode %main LocalSize 4 1 1
    OpDecorate %id BuiltIn GlobalInvocationId
    OpDecorate %words ArrayStride 4
    OpDecorate %buffer BufferBlock
    OpMemberDecorate %buffer 0 Offset 0
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %values DescriptorSet 1
    OpDecorate %values Binding 3
    OpDecorate %uniforms DescriptorSet 0
    OpDecorate %uniforms Binding 0
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %uvec3 = OpTypeVector %uint 3
    %function = OpTypeFunction %void
    %words = OpTypeRuntimeArray %uint
    %buffer = OpTypeStruct %words
    %block = OpTypeStruct %uint
    %to_id = OpTypePointer Input %uvec3
    %to_buffer = OpTypePointer Uniform %buffer
    %to_block = OpTypePointer Uniform %block
    %to_word = OpTypePointer Uniform %uint
    %zero = OpConstant %uint 0
    %id = OpVariable %to_id Input
    %values = OpVariable %to_buffer Uniform
    %uniforms = OpVariable %to_block Uniform
    %main = OpFunction %void None %function
    %entry = OpLabel
    %all = OpLoad %uvec3 %id
    %x = OpCompositeExtract %uint %all 0
    %place = OpAccessChain %to_word %values %zero %x
    %more = OpAccessChain %to_word %uniforms %zero
    %old = OpLoad %uint %place
    %added = OpLoad %uint %more
    %twice = OpIAdd %uint %old %old
    %new = OpIAdd %uint %twice %added
    OpStore %place %new
    OpReturn
    OpFunctionEnd
";

#[test]
fn dispatches_are_valid() {
    let Some((device, complaints)) = device() else { return };
    let version = SpirvVersion::of_environment("vulkan1.0").expect("it is known");
    let words = assemble(DOUBLE, version).expect("it can be assembled");
    let buffers = [
        BoundBuffer { set: 1, binding: 3, is_uniform: false, words: &[1, 2, 3, 4, 5, 6, 7, 8] },
        BoundBuffer { set: 0, binding: 0, is_uniform: true, words: &[100, 0, 0, 0] },
    ];
    let job = DispatchJob {
        words: &words,
        entry_point: "double",
        groups: [2, 1, 1],
        push_constants: &Default::default(),
        buffers: &buffers,
        textures: &[],
    };
    let mut prepared = device.prepare_dispatch(&job, &forever).expect("it can be prepared");
    prepared.run(&forever).expect("it runs");
    let expected = [102, 104, 106, 108, 110, 112, 114, 116];
    assert_eq!(prepared.read(0).expect("it can be read"), expected);
    prepared.write(0, &[0; 8]).expect("it can be written");
    prepared.run(&forever).expect("it runs again");
    assert_eq!(prepared.read(0).expect("it can be read"), [100; 8]);
    let refused = |job| device.prepare_dispatch(&job, &forever).expect_err("it is refused");
    let no_entry = refused(DispatchJob { entry_point: "main", ..job });
    assert!(matches!(no_entry, Error::Module(_)), "{no_entry}");
    let too_many = refused(DispatchJob { groups: [1, u32::MAX, 1], ..job });
    assert!(matches!(too_many, Error::Limit { .. }), "{too_many}");
    drop(prepared);
    assert_eq!(complaints.all(), Vec::<String>::new());
}
