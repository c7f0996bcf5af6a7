//! Textures with levels, buffers of matrices, equal bindings in several descriptor sets, and variables
//! with computed specialisation constants as initialisers.

use crate::written::{COLUMN, module};

/// Samples of a texture whose number of levels is queried: with implicit level, with bias, with
/// gradients, and with explicit level.
pub(crate) fn levels() -> Vec<u32> {
    let decorations = "OpDecorate %picture DescriptorSet 1
         OpDecorate %picture Binding 4
         OpDecorate %other DescriptorSet 2
         OpDecorate %other Binding 4";
    let declarations = "%image = OpTypeImage %float 2D 0 0 0 1 Unknown
         %sampled = OpTypeSampledImage %image
         %to_sampled = OpTypePointer UniformConstant %sampled
         %picture = OpVariable %to_sampled UniformConstant
         %other = OpVariable %to_sampled UniformConstant
         %offset = OpConstantComposite %ivec2 %i2 %i1";
    let body = format!(
        "{COLUMN}
         %place = OpLoad %vec2 %uv
         %far = OpFMul %vec2 %place %place
         %joined = OpLoad %sampled %picture
         %beside = OpLoad %sampled %other
         %img = OpImage %image %joined
         %count = OpImageQueryLevels %int %img
         %levels = OpConvertSToF %float %count
         %wide = OpVectorTimesScalar %vec2 %far %levels
         %s1 = OpImageSampleImplicitLod %vec4 %joined %wide
         %s2 = OpImageSampleImplicitLod %vec4 %beside %place Bias|ConstOffset %half %offset
         %s3 = OpImageSampleExplicitLod %vec4 %joined %place Grad %far %place
         %lod = OpFMul %float %x %half
         %less = OpFSub %float %lod %f1
         %s4 = OpImageSampleExplicitLod %vec4 %beside %place Lod %less
         %a = OpFAdd %vec4 %s1 %s2
         %b = OpFAdd %vec4 %a %s3
         %c4 = OpFSub %vec4 %b %s4
         %colour = OpVectorTimesScalar %vec4 %c4 %levels
         OpStore %out %colour"
    );
    module(decorations, declarations, &body)
}

/// Two buffers with the same binding in two sets, one of row-major matrices, one of matrices that are
/// not square; and initialisers of variables.
pub(crate) fn buffers() -> Vec<u32> {
    let decorations = "OpDecorate %rows_block Block
         OpDecorate %by_rows DescriptorSet 0
         OpDecorate %by_rows Binding 3
         OpDecorate %by_rows NonWritable
         OpMemberDecorate %rows_block 0 Offset 0
         OpMemberDecorate %rows_block 0 RowMajor
         OpMemberDecorate %rows_block 0 MatrixStride 16
         OpDecorate %rows_array ArrayStride 48
         OpDecorate %wide_block Block
         OpDecorate %wide DescriptorSet 1
         OpDecorate %wide Binding 3
         OpDecorate %wide NonWritable
         OpMemberDecorate %wide_block 0 Offset 0
         OpDecorate %wide_array ArrayStride 48
         OpMemberDecorate %element 0 Offset 0
         OpMemberDecorate %element 0 ColMajor
         OpMemberDecorate %element 0 MatrixStride 16
         OpMemberDecorate %element 1 Offset 32
         OpDecorate %n SpecId 0";
    let declarations = "%mat3 = OpTypeMatrix %vec3 3
         %mat2x3 = OpTypeMatrix %vec3 2
         %element = OpTypeStruct %mat2x3 %int
         %rows_array = OpTypeRuntimeArray %mat3
         %rows_block = OpTypeStruct %rows_array
         %wide_array = OpTypeRuntimeArray %element
         %wide_block = OpTypeStruct %wide_array
         %to_rows = OpTypePointer StorageBuffer %rows_block
         %by_rows = OpVariable %to_rows StorageBuffer
         %to_wide = OpTypePointer StorageBuffer %wide_block
         %wide = OpVariable %to_wide StorageBuffer
         %b_mat3 = OpTypePointer StorageBuffer %mat3
         %b_vec3 = OpTypePointer StorageBuffer %vec3
         %b_float = OpTypePointer StorageBuffer %float
         %b_element = OpTypePointer StorageBuffer %element
         %n = OpSpecConstant %int 7
         %m = OpSpecConstantOp %int IMul %n %i3
         %to_private = OpTypePointer Private %int
         %kept = OpVariable %to_private Private %m";
    let body = format!(
        "%own = OpVariable %to_int Function %m
         {COLUMN}
         %p0 = OpAccessChain %b_mat3 %by_rows %i0 %r
         %whole = OpLoad %mat3 %p0
         %p1 = OpAccessChain %b_vec3 %by_rows %i0 %i1 %c
         %column = OpLoad %vec3 %p1
         %p2 = OpAccessChain %b_float %by_rows %i0 %c %i2 %r
         %number = OpLoad %float %p2
         %p3 = OpAccessChain %b_element %wide %i0 %c
         %all = OpLoad %element %p3
         %matrix = OpCompositeExtract %mat2x3 %all 0
         %integer = OpCompositeExtract %int %all 1
         %place = OpLoad %vec2 %uv
         %v = OpMatrixTimesVector %vec3 %matrix %place
         %w = OpMatrixTimesVector %vec3 %whole %column
         %vw = OpFAdd %vec3 %v %w
         %k0 = OpLoad %int %kept
         %k1 = OpIAdd %int %k0 %integer
         OpStore %kept %k1
         %k2 = OpLoad %int %kept
         %o0 = OpLoad %int %own
         %o1 = OpIMul %int %o0 %k2
         OpStore %own %r
         %f = OpConvertSToF %float %o1
         %g = OpFAdd %float %f %number
         %colour = OpCompositeConstruct %vec4 %vw %g
         OpStore %out %colour"
    );
    module(decorations, declarations, &body)
}
