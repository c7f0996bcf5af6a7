//! Discarded pixels that continue or end, and switches with empty cases.

use crate::written::{COLUMN, module};

/// Pixels become helpers in a function, in a loop that continues, and after it; the module tests that,
/// and takes derivatives afterwards, which are unaffected.
pub(crate) fn demoted() -> Vec<u32> {
    let functions = "%of_int = OpTypeFunction %int %int
         %f = OpFunction %int None %of_int
         %n = OpFunctionParameter %int
         %f_start = OpLabel
         %rest = OpSRem %int %n %i5
         %is_that = OpIEqual %bool %rest %i1
         OpSelectionMerge %lives None
         OpBranchConditional %is_that %dies %lives
         %dies = OpLabel
         OpDemoteToHelperInvocation
         OpBranch %lives
         %lives = OpLabel
         OpReturnValue %rest
         OpFunctionEnd";
    let body = format!(
        "{COLUMN}
         %a = OpFunctionCall %int %f %c
         OpBranch %loop
         %loop = OpLabel
         %k = OpPhi %int %i0 %start %next %continue
         OpLoopMerge %behind %continue None
         OpBranch %test
         %test = OpLabel
         %goes_on = OpSLessThan %bool %k %a
         OpBranchConditional %goes_on %round %behind
         %round = OpLabel
         %product = OpIMul %int %k %r
         %is_far = OpSGreaterThan %bool %product %u24
         OpSelectionMerge %near None
         OpBranchConditional %is_far %far %near
         %far = OpLabel
         OpDemoteToHelperInvocation
         OpBranch %near
         %near = OpLabel
         OpBranch %continue
         %continue = OpLabel
         %next = OpIAdd %int %k %i1
         OpBranch %loop
         %behind = OpLabel
         %helps = OpIsHelperInvocationEXT %bool
         %seen = OpSelect %float %helps %f3 %f1
         %square = OpFMul %float %x %seen
         %dx = OpDPdx %float %square
         %dy = OpDPdy %float %x
         %colour = OpCompositeConstruct %vec4 %seen %dx %dy %y
         OpStore %out %colour"
    );
    module("", &format!("%u24 = OpConstant %int 24\n {functions}"), &body)
}

/// OpTerminateInvocation in a loop of a function.
pub(crate) fn terminated() -> Vec<u32> {
    let functions = "%of_int = OpTypeFunction %int %int
         %f = OpFunction %int None %of_int
         %n = OpFunctionParameter %int
         %f_start = OpLabel
         OpBranch %loop
         %loop = OpLabel
         %k = OpPhi %int %n %f_start %less %continue
         OpLoopMerge %behind %continue None
         OpBranch %test
         %test = OpLabel
         %goes_on = OpSGreaterThan %bool %k %i5
         OpBranchConditional %goes_on %round %behind
         %round = OpLabel
         %is_that = OpIEqual %bool %k %i7
         OpSelectionMerge %goes_on_here None
         OpBranchConditional %is_that %dies %goes_on_here
         %dies = OpLabel
         OpTerminateInvocation
         %goes_on_here = OpLabel
         OpBranch %continue
         %continue = OpLabel
         %less = OpISub %int %k %i3
         OpBranch %loop
         %behind = OpLabel
         OpReturnValue %k
         OpFunctionEnd";
    let body = format!(
        "{COLUMN}
         %a = OpFunctionCall %int %f %c
         %n0 = OpConvertSToF %float %a
         %colour = OpCompositeConstruct %vec4 %n0 %y %x %n0
         OpStore %out %colour"
    );
    module("", &format!("%i7 = OpConstant %int 7\n {functions}"), &body)
}

/// Empty cases that end their switch, leave the loop around it, or fall into the next case; a switch
/// without cases, and one with empty cases only.
pub(crate) fn empty_cases() -> Vec<u32> {
    let body = format!(
        "%sum = OpVariable %to_int Function
         {COLUMN}
         OpStore %sum %c
         OpBranch %header
         %header = OpLabel
         %n = OpPhi %int %i0 %start %next %continue
         OpLoopMerge %merge %continue None
         OpBranch %test
         %test = OpLabel
         %goes_on = OpSLessThan %bool %n %i5
         OpBranchConditional %goes_on %body %merge
         %body = OpLabel
         %v0 = OpIAdd %int %n %c
         %selector = OpSMod %int %v0 %i5
         OpSelectionMerge %end None
         OpSwitch %selector %end 0 %empty 1 %second 2 %end 3 %goes_round 7 %leaves
         %goes_round = OpLabel
         OpBranch %continue
         %leaves = OpLabel
         OpBranch %merge
         %empty = OpLabel
         OpBranch %second
         %second = OpLabel
         %s1 = OpLoad %int %sum
         %s2 = OpIMul %int %s1 %i3
         OpStore %sum %s2
         OpBranch %end
         %end = OpLabel
         %met = OpPhi %int %i1 %body %i2 %second
         OpSelectionMerge %only None
         OpSwitch %n %only
         %only = OpLabel
         OpSelectionMerge %last None
         OpSwitch %selector %last 4 %falls 0 %nothing
         %falls = OpLabel
         OpBranch %nothing
         %nothing = OpLabel
         OpBranch %last
         %last = OpLabel
         %s3 = OpLoad %int %sum
         %s4 = OpIAdd %int %s3 %met
         OpStore %sum %s4
         OpBranch %continue
         %continue = OpLabel
         %next = OpIAdd %int %n %i1
         OpBranch %header
         %merge = OpLabel
         %found = OpLoad %int %sum
         %g = OpConvertSToF %float %found
         %colour = OpCompositeConstruct %vec4 %g %f1 %x %y
         OpStore %out %colour"
    );
    module("", "", &body)
}
