//! Small modules in the style of other compilers.

use crate::bound;
use crate::helpers;
use crate::theorem::{Counts, Foreign, pixels};
use lambdav_core::interface::LocationSource;
use lambdav_spirv::assemble::{SpirvVersion, assemble};
use lambdav_spirv_frontend::{RaiseOptions, raise};

const SIZE: [u32; 2] = [33, 17];

/// A module whose function has this body; declarations and other functions precede it.
pub(crate) fn module(decorations: &str, declarations: &str, body: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
         OpCapability DerivativeControl
         OpCapability ImageQuery
         OpCapability DemoteToHelperInvocation
         OpExtension \"SPV_EXT_demote_to_helper_invocation\"
         OpExtension \"SPV_KHR_terminate_invocation\"
         %glsl = OpExtInstImport \"GLSL.std.450\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint Fragment %main \"main\" %out %frag_coord %uv
         OpExecutionMode %main OriginUpperLeft
         OpDecorate %out Location 0
         OpDecorate %uv Location 0
         OpDecorate %frag_coord BuiltIn FragCoord
         {decorations}
         %void = OpTypeVoid
         %main_type = OpTypeFunction %void
         %float = OpTypeFloat 32
         %int = OpTypeInt 32 1
         %uint = OpTypeInt 32 0
         %bool = OpTypeBool
         %vec2 = OpTypeVector %float 2
         %vec3 = OpTypeVector %float 3
         %vec4 = OpTypeVector %float 4
         %ivec2 = OpTypeVector %int 2
         %to_out = OpTypePointer Output %vec4
         %out = OpVariable %to_out Output
         %to_coord = OpTypePointer Input %vec4
         %frag_coord = OpVariable %to_coord Input
         %to_uv = OpTypePointer Input %vec2
         %uv = OpVariable %to_uv Input
         %false = OpConstantFalse %bool
         %true = OpConstantTrue %bool
         %i0 = OpConstant %int 0
         %i1 = OpConstant %int 1
         %i2 = OpConstant %int 2
         %i3 = OpConstant %int 3
         %i5 = OpConstant %int 5
         %u3 = OpConstant %uint 3
         %f0 = OpConstant %float 0
         %f1 = OpConstant %float 1
         %f3 = OpConstant %float 3
         %half = OpConstant %float 0.5
         %array = OpTypeArray %float %u3
         %pair = OpTypeStruct %vec2 %array
         %to_array = OpTypePointer Function %array
         %to_pair = OpTypePointer Function %pair
         %to_float = OpTypePointer Function %float
         %to_int = OpTypePointer Function %int
         {declarations}
         %main = OpFunction %void None %main_type
         %start = OpLabel
         {body}
         OpReturn
         OpFunctionEnd"
    );
    // The last version whose interfaces have only inputs and outputs.
    let version = SpirvVersion::of_environment("spv1.3").expect("it is known");
    assemble(&text, version).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Beginning of a body: the pixel's column is `%c`, an int, and `%x`, a float.
pub(crate) const COLUMN: &str = "%at = OpLoad %vec4 %frag_coord
     %x = OpCompositeExtract %float %at 0
     %y = OpCompositeExtract %float %at 1
     %c = OpConvertFToS %int %x
     %r = OpConvertFToS %int %y";

/// Compares the words of a module with its raised program, for some values of uniforms.
pub(crate) fn compare(words: &[u32]) -> Result<Counts, String> {
    let mut options = RaiseOptions { clear: [0.25, 0.5, 0.75, 1.0], ..RaiseOptions::default() };
    options.locations.insert(0, LocationSource::Uv);
    let raised = raise("a.spv", words, &options).program;
    let (core, interface) = raised.map_err(|error| error.message)?;
    let mut counts = Counts::default();
    for seed in 0..3 {
        let foreign = Foreign::seeded(words, (&core, &interface), options.clear, SIZE, 50, seed);
        counts.add(foreign.check(&pixels(SIZE))?);
    }
    Ok(counts)
}

/// Pointers to variables and their parts as arguments; one function reads the other's stores.
fn pointers_as_parameters() -> Vec<u32> {
    let functions = "%binary = OpTypeFunction %float %to_float %to_array %int
         %to_private = OpTypePointer Private %float
         %global = OpVariable %to_private Private %half
         %inner_type = OpTypeFunction %void %to_float
         %inner = OpFunction %void None %inner_type
         %target = OpFunctionParameter %to_float
         %inner_start = OpLabel
         %old = OpLoad %float %target
         %more = OpFAdd %float %old %f3
         OpStore %target %more
         %seen = OpLoad %float %global
         %twice = OpFAdd %float %seen %seen
         OpStore %global %twice
         OpReturn
         OpFunctionEnd
         %f = OpFunction %float None %binary
         %number = OpFunctionParameter %to_float
         %numbers = OpFunctionParameter %to_array
         %index = OpFunctionParameter %int
         %f_start = OpLabel
         %fresh = OpVariable %to_float Function
         %element = OpAccessChain %to_float %numbers %index
         %before = OpLoad %float %fresh
         OpStore %element %before
         OpStore %fresh %f1
         %call = OpFunctionCall %void %inner %element
         %called = OpFunctionCall %void %inner %number
         %result = OpLoad %float %element
         OpReturnValue %result
         OpFunctionEnd";
    let body = format!(
        "%all = OpVariable %to_pair Function
         %single = OpVariable %to_float Function
         {COLUMN}
         OpStore %single %x
         %p = OpAccessChain %to_array %all %i1
         %a = OpFunctionCall %float %f %single %p %c
         %second = OpAccessChain %to_float %all %i0 %r
         %b = OpFunctionCall %float %f %second %p %i1
         %copied = OpCopyObject %to_array %p
         %q = OpAccessChain %to_float %copied %r
         %e = OpLoad %float %q
         %s = OpLoad %float %single
         %g = OpLoad %float %global
         %ab = OpFAdd %float %a %b
         %sg = OpFMul %float %s %g
         %t = OpLoad %float %second
         %colour = OpCompositeConstruct %vec4 %ab %e %sg %t
         OpStore %out %colour"
    );
    module("", functions, &body)
}

/// A case that falls into an earlier one, literals with the highest bit, and a branch out of a loop in a
/// switch.
fn switches() -> Vec<u32> {
    let body = format!(
        "%sum = OpVariable %to_int Function
         %k = OpVariable %to_int Function
         {COLUMN}
         OpStore %sum %c
         OpStore %k %i0
         OpBranch %header
         %header = OpLabel
         OpLoopMerge %merge %continue None
         OpBranch %test
         %test = OpLabel
         %n = OpLoad %int %k
         %goes_on = OpSLessThan %bool %n %i5
         OpBranchConditional %goes_on %body %merge
         %body = OpLabel
         %v0 = OpIAdd %int %n %c
         %v1 = OpSMod %int %v0 %i5
         %selector = OpISub %int %v1 %i1
         OpSelectionMerge %end None
         OpSwitch %selector %default 0 %leave 1 %second -1 %first 2 %skip
         %first = OpLabel
         %s1 = OpLoad %int %sum
         %s2 = OpIMul %int %s1 %i3
         OpStore %sum %s2
         OpBranch %end
         %second = OpLabel
         OpStore %sum %i2
         OpBranch %first
         %leave = OpLabel
         OpBranch %merge
         %skip = OpLabel
         OpBranch %continue
         %default = OpLabel
         %s3 = OpLoad %int %sum
         %s4 = OpIAdd %int %s3 %i5
         OpStore %sum %s4
         OpBranch %end
         %end = OpLabel
         OpBranch %continue
         %continue = OpLabel
         %next = OpIAdd %int %n %i1
         OpStore %k %next
         OpBranch %header
         %merge = OpLabel
         %found = OpLoad %int %sum
         %rounds = OpLoad %int %k
         %g = OpConvertSToF %float %found
         %h = OpConvertSToF %float %rounds
         %colour = OpCompositeConstruct %vec4 %g %h %x %y
         OpStore %out %colour"
    );
    module("", "", &body)
}

/// A function that discards a pixel which its caller would continue.
fn discarded_in_a_function() -> Vec<u32> {
    let functions = "%of_int = OpTypeFunction %int %int
         %f = OpFunction %int None %of_int
         %n = OpFunctionParameter %int
         %f_start = OpLabel
         %rest = OpSRem %int %n %i3
         %is_that = OpIEqual %bool %rest %i1
         OpSelectionMerge %lives None
         OpBranchConditional %is_that %dies %lives
         %dies = OpLabel
         OpKill
         %lives = OpLabel
         OpReturnValue %rest
         OpFunctionEnd";
    let body = format!(
        "{COLUMN}
         %a = OpFunctionCall %int %f %c
         %early = OpCompositeConstruct %vec4 %x %y %x %y
         OpStore %out %early
         %b = OpFunctionCall %int %f %r
         %s = OpIAdd %int %a %b
         %n0 = OpConvertSToF %float %s
         %colour = OpCompositeConstruct %vec4 %n0 %y %x %n0
         OpStore %out %colour"
    );
    module("", functions, &body)
}

/// Row-major and column-major matrices that are not square, in arrays of structures, with dynamic
/// indices.
fn blocks_of_uniforms() -> Vec<u32> {
    let decorations = "OpDecorate %block Block
         OpDecorate %given DescriptorSet 1
         OpDecorate %given Binding 3
         OpDecorate %parts ArrayStride 80
         OpDecorate %rows ArrayStride 48
         OpMemberDecorate %block 0 Offset 16
         OpMemberDecorate %block 1 Offset 176
         OpMemberDecorate %block 1 RowMajor
         OpMemberDecorate %block 1 MatrixStride 16
         OpMemberDecorate %block 2 Offset 272
         OpMemberDecorate %part 0 Offset 0
         OpMemberDecorate %part 1 Offset 16
         OpMemberDecorate %part 1 ColMajor
         OpMemberDecorate %part 1 MatrixStride 16
         OpDecorate %pushed Block
         OpMemberDecorate %pushed 0 Offset 8
         OpMemberDecorate %pushed 1 Offset 48";
    let declarations = "%mat3 = OpTypeMatrix %vec3 3
         %mat2x3 = OpTypeMatrix %vec3 2
         %part = OpTypeStruct %int %mat3
         %u2 = OpConstant %uint 2
         %parts = OpTypeArray %part %u2
         %rows = OpTypeArray %mat2x3 %u2
         %block = OpTypeStruct %parts %rows %vec3
         %to_block = OpTypePointer Uniform %block
         %given = OpVariable %to_block Uniform
         %pushed = OpTypeStruct %uint %vec4
         %to_pushed = OpTypePointer PushConstant %pushed
         %push = OpVariable %to_pushed PushConstant
         %u_uint = OpTypePointer PushConstant %uint
         %u_vec4 = OpTypePointer PushConstant %vec4
         %u_float = OpTypePointer Uniform %float
         %u_vec3 = OpTypePointer Uniform %vec3
         %u_mat = OpTypePointer Uniform %mat2x3
         %u_int = OpTypePointer Uniform %int";
    let body = format!(
        "{COLUMN}
         %p0 = OpAccessChain %u_float %given %i0 %c %i1 %r %c
         %a = OpLoad %float %p0
         %p1 = OpAccessChain %u_vec3 %given %i1 %r %c
         %column = OpLoad %vec3 %p1
         %p2 = OpAccessChain %u_float %given %i1 %i1 %c %r
         %b = OpLoad %float %p2
         %p3 = OpAccessChain %u_mat %given %i1 %i0
         %matrix = OpLoad %mat2x3 %p3
         %v = OpLoad %vec2 %uv
         %product = OpMatrixTimesVector %vec3 %matrix %v
         %whole = OpLoad %block %given
         %last = OpCompositeExtract %vec3 %whole 2
         %p4 = OpAccessChain %u_int %given %i0 %i1 %i0
         %n = OpLoad %int %p4
         %m = OpConvertSToF %float %n
         %p5 = OpAccessChain %u_uint %push %i0
         %pu = OpLoad %uint %p5
         %pf = OpConvertUToF %float %pu
         %p6 = OpAccessChain %u_vec4 %push %i1
         %pv = OpLoad %vec4 %p6
         %sum = OpFAdd %vec3 %product %column
         %sums = OpFAdd %vec3 %sum %last
         %s = OpCompositeExtract %float %sums 1
         %ab = OpFMul %float %a %b
         %mp = OpFAdd %float %m %pf
         %left = OpCompositeConstruct %vec4 %ab %s %mp %f1
         %colour = OpFAdd %vec4 %left %pv
         OpStore %out %colour"
    );
    module(decorations, declarations, &body)
}

/// Specialisation constants with their defaults, and constants computed from them.
fn specialisation_constants() -> Vec<u32> {
    let decorations = "OpDecorate %n SpecId 0\n OpDecorate %t SpecId 1";
    let declarations = "%n = OpSpecConstant %int 7
         %t = OpSpecConstantTrue %bool
         %m = OpSpecConstantOp %int SDiv %n %i2
         %d = OpSpecConstantOp %int IMul %m %n
         %chosen = OpSpecConstantOp %int Select %t %d %i1
         %v = OpSpecConstantComposite %ivec2 %chosen %m
         %w = OpSpecConstantOp %int CompositeExtract %v 0";
    let body = format!(
        "{COLUMN}
         %moved = OpIAdd %int %w %c
         %g = OpConvertSToF %float %moved
         %h = OpConvertSToF %float %m
         %colour = OpCompositeConstruct %vec4 %g %h %x %y
         OpStore %out %colour"
    );
    module(decorations, declarations, &body)
}

/// φ's that exchange values, a copied part of a structure, indices far out of bounds.
fn phis_and_copies() -> Vec<u32> {
    let body = format!(
        "%one = OpVariable %to_pair Function
         %other = OpVariable %to_pair Function
         {COLUMN}
         OpBranch %header
         %header = OpLabel
         %a = OpPhi %float %f0 %start %b %again
         %b = OpPhi %float %x %start %a %again
         %k = OpPhi %int %i0 %start %next %again
         OpLoopMerge %merge %again None
         OpBranch %test
         %test = OpLabel
         %goes_on = OpSLessThan %bool %k %i3
         OpBranchConditional %goes_on %again %merge
         %again = OpLabel
         %next = OpIAdd %int %k %i1
         %p = OpAccessChain %to_float %one %i1 %k
         OpStore %p %b
         OpBranch %header
         %merge = OpLabel
         %far = OpIMul %int %c %i5
         %outside = OpISub %int %far %r
         %q = OpAccessChain %to_float %one %i0 %outside
         OpStore %q %y
         OpCopyMemory %other %one
         OpStore %q %f3
         %s = OpAccessChain %to_float %other %i1 %outside
         %t = OpLoad %float %s
         %all = OpLoad %pair %other
         %v = OpCompositeExtract %vec2 %all 0
         %again_all = OpCompositeInsert %pair %t %all 1 2
         %u = OpCompositeExtract %float %again_all 1 2
         %is_left = OpFOrdLessThan %bool %x %y
         %chosen = OpSelect %pair %is_left %all %again_all
         %w = OpCompositeExtract %float %chosen 1 2
         %sum = OpFAdd %float %u %w
         %ab = OpFSub %float %a %b
         %colour = OpCompositeConstruct %vec4 %v %sum %ab
         OpStore %out %colour"
    );
    module("", "", &body)
}

/// Derivatives: nested, in a function, and of a φ.
fn derivatives() -> Vec<u32> {
    let functions = "%of_vec2 = OpTypeFunction %vec2 %vec2
         %f = OpFunction %vec2 None %of_vec2
         %v = OpFunctionParameter %vec2
         %f_start = OpLabel
         %square = OpFMul %vec2 %v %v
         %dx = OpDPdx %vec2 %square
         %sum = OpFAdd %vec2 %dx %square
         %dy = OpDPdyFine %vec2 %sum
         OpReturnValue %dy
         OpFunctionEnd";
    let body = format!(
        "{COLUMN}
         %place = OpLoad %vec2 %uv
         %a = OpFunctionCall %vec2 %f %place
         %xy = OpFMul %float %x %y
         %odd = OpBitwiseAnd %int %c %i1
         %is_odd = OpIEqual %bool %odd %i1
         OpSelectionMerge %meet None
         OpBranchConditional %is_odd %then %otherwise
         %then = OpLabel
         OpBranch %meet
         %otherwise = OpLabel
         %twice = OpFMul %float %xy %f3
         OpBranch %meet
         %meet = OpLabel
         %b = OpPhi %float %xy %then %twice %otherwise
         %w = OpFwidthCoarse %float %b
         %d = OpDPdy %float %b
         %colour = OpCompositeConstruct %vec4 %a %w %d
         OpStore %out %colour"
    );
    module("", functions, &body)
}

/// Textures with separate samplers, also as arguments: samples, texels out of bounds, sizes.
fn textures() -> Vec<u32> {
    let decorations = "OpDecorate %picture DescriptorSet 0
         OpDecorate %picture Binding 4
         OpDecorate %near DescriptorSet 0
         OpDecorate %near Binding 5
         OpDecorate %both DescriptorSet 2
         OpDecorate %both Binding 1";
    let declarations = "%image = OpTypeImage %float 2D 0 0 0 1 Unknown
         %sampler = OpTypeSampler
         %sampled = OpTypeSampledImage %image
         %to_image = OpTypePointer UniformConstant %image
         %to_sampler = OpTypePointer UniformConstant %sampler
         %to_sampled = OpTypePointer UniformConstant %sampled
         %picture = OpVariable %to_image UniformConstant
         %near = OpVariable %to_sampler UniformConstant
         %both = OpVariable %to_sampled UniformConstant
         %ivec4 = OpTypeVector %int 4
         %offset = OpConstantComposite %ivec2 %i2 %i1
         %look = OpTypeFunction %vec4 %to_sampled %vec2
         %f = OpFunction %vec4 None %look
         %texture = OpFunctionParameter %to_sampled
         %at_uv = OpFunctionParameter %vec2
         %f_start = OpLabel
         %read = OpLoad %sampled %texture
         %found = OpImageSampleImplicitLod %vec4 %read %at_uv
         OpReturnValue %found
         OpFunctionEnd";
    let body = format!(
        "{COLUMN}
         %place = OpLoad %vec2 %uv
         %img = OpLoad %image %picture
         %smp = OpLoad %sampler %near
         %joined = OpSampledImage %sampled %img %smp
         %s1 = OpImageSampleExplicitLod %vec4 %joined %place Lod|ConstOffset %f0 %offset
         %s2 = OpFunctionCall %vec4 %f %both %place
         %far = OpISub %int %c %i5
         %texel_at = OpCompositeConstruct %ivec4 %far %r %i5 %i1
         %s3 = OpImageFetch %vec4 %img %texel_at Lod %i0
         %size = OpImageQuerySizeLod %ivec2 %img %i3
         %width = OpCompositeExtract %int %size 0
         %w = OpConvertSToF %float %width
         %a = OpFAdd %vec4 %s1 %s2
         %b = OpFAdd %vec4 %a %s3
         %colour = OpVectorTimesScalar %vec4 %b %w
         OpStore %out %colour"
    );
    module(decorations, declarations, &body)
}

/// An arm of a selection that leads to the other arm, and arms that meet before the merge block, at a
/// loop.
fn arms_that_meet() -> Vec<u32> {
    let body = format!(
        "%sum = OpVariable %to_float Function
         {COLUMN}
         %is_left = OpFOrdLessThan %bool %x %y
         OpSelectionMerge %first_end None
         OpBranchConditional %is_left %first %both
         %first = OpLabel
         OpStore %sum %y
         OpBranch %both
         %both = OpLabel
         %chosen = OpPhi %float %x %start %f3 %first
         %s0 = OpLoad %float %sum
         %s1 = OpFAdd %float %s0 %chosen
         OpStore %sum %s1
         OpBranch %first_end
         %first_end = OpLabel
         %is_far = OpSGreaterThan %bool %c %r
         OpSelectionMerge %end None
         OpBranchConditional %is_far %all %half_way
         %half_way = OpLabel
         %s2 = OpFMul %float %s1 %f3
         OpStore %sum %s2
         OpBranch %all
         %all = OpLabel
         OpBranch %end
         %end = OpLabel
         %s3 = OpLoad %float %sum
         %odd = OpSMod %int %c %i3
         %is_odd = OpIEqual %bool %odd %i1
         OpSelectionMerge %last None
         OpBranchConditional %is_odd %one %other
         %one = OpLabel
         OpStore %sum %f3
         OpBranch %loop
         %other = OpLabel
         OpBranch %loop
         %loop = OpLabel
         %k = OpPhi %int %odd %one %i0 %other %next %continue
         OpLoopMerge %behind %continue None
         OpBranch %test
         %test = OpLabel
         %goes_on = OpSLessThan %bool %k %i3
         OpBranchConditional %goes_on %continue %behind
         %continue = OpLabel
         %next = OpIAdd %int %k %i1
         %s4 = OpLoad %float %sum
         %s5 = OpFAdd %float %s4 %s4
         OpStore %sum %s5
         OpBranch %loop
         %behind = OpLabel
         OpBranch %last
         %last = OpLabel
         %s6 = OpLoad %float %sum
         %colour = OpCompositeConstruct %vec4 %s3 %s1 %x %s6
         OpStore %out %colour"
    );
    module("", "", &body)
}

/// A loop that takes a derivative of a carried value, which starts with `first`.
fn derivative_in_a_loop(first: &str) -> Vec<u32> {
    let body = format!(
        "{COLUMN}
         %start_value = OpFAdd %float {first} %half
         OpBranch %loop
         %loop = OpLabel
         %k = OpPhi %int %i0 %start %next %continue
         %a = OpPhi %float %start_value %start %b %continue
         OpLoopMerge %behind %continue None
         OpBranch %test
         %test = OpLabel
         %goes_on = OpSLessThan %bool %k %i3
         OpBranchConditional %goes_on %continue %behind
         %continue = OpLabel
         %d = OpDPdx %float %a
         %e = OpFAdd %float %d %f1
         %b = OpFMul %float %a %e
         %next = OpIAdd %int %k %i1
         OpBranch %loop
         %behind = OpLabel
         %colour = OpCompositeConstruct %vec4 %a %x %y %a
         OpStore %out %colour"
    );
    module("", "", &body)
}

/// Modf and Frexp store through pointers: in a loop, whose next round reads it, and in an arm.
fn stores_of_functions() -> Vec<u32> {
    let body = format!(
        "%whole = OpVariable %to_float Function
         %all = OpVariable %to_pair Function
         %exponent = OpVariable %to_int Function
         %k = OpVariable %to_int Function
         {COLUMN}
         OpStore %whole %x
         OpStore %exponent %r
         OpStore %k %i0
         OpBranch %header
         %header = OpLabel
         OpLoopMerge %behind %continue None
         OpBranch %test
         %test = OpLabel
         %round = OpLoad %int %k
         %more = OpSLessThan %bool %round %i3
         OpBranchConditional %more %body %behind
         %body = OpLabel
         %before = OpLoad %float %whole
         %powers = OpLoad %int %exponent
         %power = OpConvertSToF %float %powers
         %scaled = OpFMul %float %before %half
         %sum = OpFAdd %float %scaled %power
         %rest = OpExtInst %float %glsl Modf %sum %whole
         %element = OpAccessChain %to_float %all %i1 %round
         %fraction = OpExtInst %float %glsl Modf %sum %element
         %odd = OpFOrdGreaterThan %bool %rest %f0
         OpSelectionMerge %joined None
         OpBranchConditional %odd %arm %joined
         %arm = OpLabel
         %significand = OpExtInst %float %glsl Frexp %sum %exponent
         OpBranch %joined
         %joined = OpLabel
         OpBranch %continue
         %continue = OpLabel
         %next = OpIAdd %int %round %i1
         OpStore %k %next
         OpBranch %header
         %behind = OpLabel
         %a = OpLoad %float %whole
         %first = OpAccessChain %to_float %all %i1 %i0
         %b = OpLoad %float %first
         %last = OpAccessChain %to_float %all %i1 %i2
         %d = OpLoad %float %last
         %e = OpLoad %int %exponent
         %f = OpConvertSToF %float %e
         %colour = OpCompositeConstruct %vec4 %a %b %d %f
         OpStore %out %colour"
    );
    module("", "", &body)
}

/// A value that a loop computes from coordinates has no derivative inside the loop: the neighbour's
/// value is unknown.
#[test]
fn derivatives_of_what_loops_carry() {
    let error = compare(&derivative_in_a_loop("%x")).expect_err("it differs from pixel to pixel");
    assert_eq!(error, "a derivative inside a loop, of a value that it computes from coordinates");
}

/// All modules, by name.
pub(crate) fn written() -> Vec<(&'static str, Vec<u32>)> {
    vec![
        ("pointers", pointers_as_parameters()),
        ("switches", switches()),
        ("kill", discarded_in_a_function()),
        ("blocks", blocks_of_uniforms()),
        ("constants", specialisation_constants()),
        ("phis", phis_and_copies()),
        ("quads", derivatives()),
        ("textures", textures()),
        ("arms", arms_that_meet()),
        ("demoted", helpers::demoted()),
        ("terminated", helpers::terminated()),
        ("empty cases", helpers::empty_cases()),
        ("levels", bound::levels()),
        ("buffers", bound::buffers()),
        ("stores of functions", stores_of_functions()),
        ("rounds", derivative_in_a_loop("%f3")),
    ]
}
