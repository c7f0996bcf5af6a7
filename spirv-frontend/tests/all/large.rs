//! Large values cost no more than the parts that are read.

use lambdav_spirv::assemble::{SpirvVersion, assemble};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Time limit: it took many seconds before zeros were shared, and takes a hundredth of a second now.
const MAX_TIME: Duration = Duration::from_secs(4);

/// A module with arrays of 60,000 numbers, these declarations, and this body, which computes the number
/// `%r`.
fn module(declarations: &str, variables: &str, body: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
         OpMemoryModel Logical GLSL450
         OpEntryPoint Fragment %main \"main\" %out %at
         OpExecutionMode %main OriginUpperLeft
         OpDecorate %out Location 0
         OpDecorate %at BuiltIn FragCoord
         %void = OpTypeVoid
         %main_type = OpTypeFunction %void
         %float = OpTypeFloat 32
         %uint = OpTypeInt 32 0
         %vec4 = OpTypeVector %float 4
         %to_out = OpTypePointer Output %vec4
         %to_at = OpTypePointer Input %vec4
         %out = OpVariable %to_out Output
         %at = OpVariable %to_at Input
         %many = OpConstant %uint 60000
         %array = OpTypeArray %float %many
         %to_array = OpTypePointer Function %array
         %to_float = OpTypePointer Function %float
         %private = OpTypePointer Private %array
         {declarations}
         %main = OpFunction %void None %main_type
         %start = OpLabel
         {variables}
         %p = OpLoad %vec4 %at
         %x = OpCompositeExtract %float %p 0
         %k = OpConvertFToU %uint %x
         {body}
         %colour = OpCompositeConstruct %vec4 %r %r %r %r
         OpStore %out %colour
         OpReturn
         OpFunctionEnd"
    );
    let version = SpirvVersion::of_environment("spv1.3").expect("it is known");
    assemble(&text, version).expect("it is right")
}

fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    let mut all = String::new();
    for k in 0..count {
        writeln!(all, "{}", line(k)).expect("a text takes all");
    }
    all
}

#[test]
fn what_is_not_read_takes_no_time() {
    let read = "%q = OpAccessChain %to_float %v3 %k\n OpStore %q %x\n %r = OpLoad %float %q";
    let undefined = lines(30_000, |k| format!("%n{k} = OpUndef %array"));
    let variables = lines(20_000, |k| format!("%v{k} = OpVariable %to_array Function"));
    let privates = lines(20_000, |k| format!("%v{k} = OpVariable %private Private"));
    let inserts = lines(16_000, |k| {
        format!("%a{} = OpCompositeInsert %array %x %a{k} {}", k + 1, k * 7 % 60_000)
    });
    let inserts = format!("%a0 = OpUndef %array\n{inserts}");
    let extract = |id: &str| format!("%r = OpCompositeExtract %float %{id} 3");
    let modules = [
        ("undefined", module("", "", &format!("{undefined}{}", extract("n7")))),
        ("variables", module("", &variables, read)),
        ("private", module(&privates, "", "%r = OpFAdd %float %x %x")),
        ("inserts", module("", "", &format!("{inserts}{}", extract("a16000")))),
    ];
    for (name, words) in modules {
        let begun = Instant::now();
        let raised = raise("a.spv", &words, &RaiseOptions::default()).program;
        assert!(raised.is_ok(), "{name}: {:?}", raised.err());
        let took = begun.elapsed();
        assert!(took < MAX_TIME, "{name}: {took:?}");
    }
}
