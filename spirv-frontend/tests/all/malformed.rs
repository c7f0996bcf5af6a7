//! Malformed words, and words close to a module: a program or a diagnostic, never a panic; likewise for
//! the evaluator of words with modules of other compilers.

use crate::naga_words::naga_words;
use crate::support::{Shader, generated};
use crate::tools::assemble;
use crate::written::written;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_generate::resources;
use lambdav_spirv::assemble::{SpirvVersion, assemble as assemble_loosely};
use lambdav_spirv_backend::emit::EmitOptions;
use lambdav_spirv_eval::{LoadOptions, Module, ModuleEvaluator, Resources, Undefined};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use lambdav_test_support::has_tool;
use proptest::prelude::*;
use std::cell::Cell;
use std::path::Path;

/// Raises any words and runs the program.
fn survive(words: &[u32]) {
    let Ok((core, _)) = raise("a.spv", words, &RaiseOptions::default()).program else { return };
    let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    let Ok(program) = schedule(&core, &locations) else { return };
    let inputs = Inputs {
        uniforms: core.uniforms.iter().map(|uniform| uniform.default.clone()).collect(),
        resources: resources(core.graph.types()),
        ..Inputs::default()
    };
    let _ = Evaluator::new(&program, 3).run(&inputs, &|| false);
}

/// Loads and executes any words with the evaluator of words.
fn survive_executed(words: &[u32]) {
    for undefined in [Undefined::Marked, Undefined::Total] {
        let options = LoadOptions { undefined, ..LoadOptions::default() };
        let Ok(module) = Module::with_options(words, &options) else { continue };
        let resources = Resources::default();
        let mut evaluator = ModuleEvaluator::new(&module, &resources, 3);
        let polls = Cell::new(0);
        let takes_long = || polls.replace(polls.get() + 1) > 64;
        for x in [0.5, 1.5] {
            let _ = evaluator.run([x, 0.5, 0.0, 1.0], &takes_long);
        }
    }
}

/// Modules in the style of other compilers.
fn of_others() -> Vec<Vec<u32>> {
    written().into_iter().map(|(_, words)| words).chain(of_naga()).collect()
}

/// Modules by naga: calls, pointers, switches, textures.
fn of_naga() -> Vec<Vec<u32>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/foreign");
    let mut all = Vec::new();
    for file in ["plasma.wgsl", "blur.wgsl", "bricks.frag", "disc.frag"] {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).expect("it is there");
        let language = Language::of(&path).expect("the ending says it");
        all.push(match language {
            Language::Wgsl => naga_words(&text).expect("it is right"),
            _ => to_spirv(language, &SourceFile::new("a", text)).expect("it is right"),
        });
    }
    all
}

/// The diagnostic for a module.
fn error(words: &[u32]) -> Diagnostic {
    let raised = raise("a.spv", words, &RaiseOptions::default());
    raised.program.expect_err("it is wrong")
}

const SAMPLE: &str =
    "(uniform m mat2) (uniform yes bool) (struct S (a vec2) (on bool)) (buffer b S)
     (output 1 (vec3 (.a (at b (int (time)))) (num (size-of b))))
     (output 0 ((rec-func (n v) (if (< n (time)) (rec (+ n 1) (* m (min v (sin n)))) v))
                0 (if yes (.xy (frag-coord)) (.zw (mouse)))))";

#[test]
fn every_beginning_and_every_word() {
    let words = Shader::new("a.lv", SAMPLE).emitted(&EmitOptions::default()).words;
    for end in 0..words.len() {
        error(&words[..end]);
    }
    for at in 0..words.len() {
        let flips = (0..32).map(|bit| words[at] ^ 1 << bit);
        let small = [0, 1, 2, 5, u32::MAX, words[at].wrapping_add(1), words[at].wrapping_sub(1)];
        for word in flips.chain(small) {
            let mut changed = words.clone();
            changed[at] = word;
            survive(&changed);
        }
    }
}

/// Replaces words of other compilers' modules, by valid ids and by other values.
#[test]
fn every_word_of_others() {
    for (number, words) in of_others().iter().enumerate() {
        for end in (0..words.len()).step_by(3) {
            assert!(Module::new(&words[..end]).is_err(), "{end} words");
            survive_executed(&words[..end]);
        }
        // Lines and names are never executed.
        let step = 1 + number / 9 * 3;
        for at in (0..words.len()).step_by(step) {
            let flips = (0..32).step_by(5).map(|bit| words[at] ^ 1 << bit);
            let (more, less) = (words[at].wrapping_add(1), words[at].wrapping_sub(1));
            for word in flips.chain([0, 1, 2, 5, u32::MAX, more, less]) {
                let mut changed = words.clone();
                changed[at] = word;
                survive_executed(&changed);
            }
        }
    }
}

proptest! {
    #[test]
    fn others_changed_in_places(
        number in 0_usize..19,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let mut words = of_others().swap_remove(number);
        for (to, from) in changes {
            let (to, from) = (to.index(words.len()), from.index(words.len()));
            words[to] = words[from];
        }
        survive(&words);
        survive_executed(&words);
    }

    #[test]
    fn changed_in_places(
        seed in 0_u64..50,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let shader = generated(seed..seed + 1).next().expect("one");
        let mut words = shader.emitted(&EmitOptions::default()).words;
        for (to, from) in changes {
            let (to, from) = (to.index(words.len()), from.index(words.len()));
            words[to] = words[from];
        }
        survive(&words);
    }

    #[test]
    fn random_words(mut words in prop::collection::vec(any::<u32>(), 0..64)) {
        survive(&words);
        words.splice(0..0, [0x0723_0203, 0x0001_0000, 0, 99, 0]);
        survive(&words);
    }
}

/// A fragment shader whose function has this body, after these declarations.
fn module(declarations: &str, body: &str) -> Vec<u32> {
    assemble(&text(declarations, body), "spv1.0")
}

/// The text of such a shader.
fn text(declarations: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
         %glsl = OpExtInstImport \"GLSL.std.450\"
         OpMemoryModel Logical GLSL450
         OpEntryPoint Fragment %main \"main\" %out
         OpExecutionMode %main OriginUpperLeft
         OpDecorate %out Location 0
         %void = OpTypeVoid
         %main_type = OpTypeFunction %void
         %f32 = OpTypeFloat 32
         %i32 = OpTypeInt 32 1
         %bool = OpTypeBool
         %vec4 = OpTypeVector %f32 4
         %vec4_out = OpTypePointer Output %vec4
         %out = OpVariable %vec4_out Output
         %zero = OpConstant %f32 0
         %one = OpConstant %f32 1
         %int_1 = OpConstant %i32 1
         %true = OpConstantTrue %bool
         {declarations}
         %main = OpFunction %void None %main_type
         {body}
         OpFunctionEnd"
    )
}

/// Each of these is refused, with that code and message.
#[test]
fn what_is_refused() {
    if !has_tool("spirv-as") {
        return;
    }
    use DiagnosticCode::{MalformedModule, UnsupportedModule};
    for (declarations, body, code, message) in [
        ("", "%a = OpLabel\n OpBranch %a", MalformedModule, "not structured"),
        ("", "%a = OpLabel\n OpBranch %a", MalformedModule, "%"),
        (
            "",
            "%a = OpLabel\n %x = OpFAdd %f32 %zero %int_1\n OpReturn",
            MalformedModule,
            "OpFAdd: its operands are of other types (at word",
        ),
        (
            "",
            "%a = OpLabel\n OpStore %out %x\n OpReturn\n %b = OpLabel\n %x = OpUndef %vec4\n OpReturn",
            MalformedModule,
            "has no value here",
        ),
        (
            "%f64 = OpTypeFloat 64\n %d = OpConstant %f64 1",
            "%a = OpLabel\n %x = OpFAdd %f64 %d %d\n OpReturn",
            UnsupportedModule,
            "numbers of 64 bits",
        ),
        (
            "",
            "%a = OpLabel\n %x = OpFunctionCall %void %main\n OpReturn",
            MalformedModule,
            "calls itself",
        ),
        (
            "OpDecorate %second Location 0\n OpDecorate %second Index 1
             %second = OpVariable %vec4_out Output",
            "%a = OpLabel\n %x = OpLoad %vec4 %second\n OpReturn",
            UnsupportedModule,
            "a second colour of an output",
        ),
        (
            "%query = OpTypeRayQueryKHR\n %to_query = OpTypePointer Function %query",
            "%a = OpLabel\n %x = OpVariable %to_query Function\n OpReturn",
            UnsupportedModule,
            "OpVariable: values of OpTypeRayQueryKHR",
        ),
    ] {
        let found = error(&module(declarations, body));
        assert_eq!(found.code, code, "{body}: {}", found.message);
        assert!(found.message.contains(message), "{body}: {}", found.message);
    }
}

/// Operand counts of GLSL.std.450 functions: one more or one less is refused, also by the evaluator of
/// words.
#[test]
fn operands_of_functions() {
    let declarations = "%vec3 = OpTypeVector %f32 3
        %mat4 = OpTypeMatrix %vec4 4
        %u32 = OpTypeInt 32 0
        %vec2 = OpTypeVector %f32 2
        %modf = OpTypeStruct %f32 %f32
        %frexp = OpTypeStruct %f32 %i32
        %u_1 = OpConstant %u32 1
        %v2 = OpConstantComposite %vec2 %one %one
        %v3 = OpConstantComposite %vec3 %one %one %one
        %v4 = OpConstantComposite %vec4 %one %one %one %one
        %m4 = OpConstantComposite %mat4 %v4 %v4 %v4 %v4";
    // Result type and operands.
    let mut all: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for name in
        ["Round", "RoundEven", "Trunc", "FAbs", "FSign", "Floor", "Ceil", "Fract", "Radians"]
    {
        all.push((name, "%f32", vec!["%one"]));
    }
    for name in
        ["Degrees", "Sin", "Asinh", "Exp2", "Log", "Sqrt", "InverseSqrt", "Length", "Normalize"]
    {
        all.push((name, "%f32", vec!["%one"]));
    }
    for name in ["Pow", "Atan2", "FMin", "FMax", "Step", "Distance", "NMin", "NMax", "Reflect"] {
        all.push((name, "%f32", vec!["%one"; 2]));
    }
    for name in ["FClamp", "FMix", "SmoothStep", "Fma", "FaceForward", "Refract", "NClamp"] {
        all.push((name, "%f32", vec!["%one"; 3]));
    }
    for (name, count) in [
        ("SAbs", 1),
        ("SSign", 1),
        ("FindILsb", 1),
        ("FindSMsb", 1),
        ("SMin", 2),
        ("SMax", 2),
        ("SClamp", 3),
    ] {
        all.push((name, "%i32", vec!["%int_1"; count]));
    }
    for (name, count) in [("FindUMsb", 1), ("UMin", 2), ("UMax", 2), ("UClamp", 3)] {
        all.push((name, "%u32", vec!["%u_1"; count]));
    }
    for name in ["PackSnorm4x8", "PackUnorm4x8"] {
        all.push((name, "%u32", vec!["%v4"]));
    }
    for name in ["PackSnorm2x16", "PackUnorm2x16", "PackHalf2x16"] {
        all.push((name, "%u32", vec!["%v2"]));
    }
    for name in ["UnpackSnorm4x8", "UnpackUnorm4x8"] {
        all.push((name, "%vec4", vec!["%u_1"]));
    }
    for name in ["UnpackSnorm2x16", "UnpackUnorm2x16", "UnpackHalf2x16"] {
        all.push((name, "%vec2", vec!["%u_1"]));
    }
    all.push(("Cross", "%vec3", vec!["%v3"; 2]));
    all.push(("Ldexp", "%f32", vec!["%one", "%int_1"]));
    all.push(("Determinant", "%f32", vec!["%m4"]));
    all.push(("MatrixInverse", "%mat4", vec!["%m4"]));
    all.push(("ModfStruct", "%modf", vec!["%one"]));
    all.push(("FrexpStruct", "%frexp", vec!["%one"]));
    let options = LoadOptions { undefined: Undefined::Total, ..LoadOptions::default() };
    for (name, ty, operands) in all {
        let written = |operands: &[&str]| {
            let call = format!("%x = OpExtInst {ty} %glsl {name} {}", operands.join(" "));
            let colour = "%v = OpCompositeConstruct %vec4 %one %one %one %one";
            let body = format!("%a = OpLabel\n {call}\n {colour}\n OpStore %out %v\n OpReturn");
            let version = SpirvVersion::of_environment("spv1.0").expect("it is known");
            // spirv-as itself refuses a wrong number of operands.
            assemble_loosely(&text(declarations, &body), version).expect("it can be written")
        };
        let right = written(&operands);
        let raised = raise("a.spv", &right, &RaiseOptions::default()).program;
        assert!(raised.is_ok(), "{name}: {raised:?}");
        Module::with_options(&right, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let more = [&operands[..], &operands[..1]].concat();
        for wrong in [&operands[1..], &more] {
            let words = written(wrong);
            let found = error(&words);
            assert_eq!(found.code, DiagnosticCode::MalformedModule, "{name}: {}", found.message);
            assert!(Module::with_options(&words, &options).is_err(), "{name} of {}", wrong.len());
        }
    }
}

/// Calls that double the program thirty times are refused for its size.
#[test]
fn many_calls() {
    if !has_tool("spirv-as") {
        return;
    }
    let mut declarations = String::from("%f = OpTypeFunction %f32 %f32\n");
    let mut functions = String::new();
    for k in 0..40 {
        let inner = match k {
            0 => "%x0 = OpExtInst %f32 %glsl Sin %p0\n OpReturnValue %x0".to_owned(),
            _ => format!(
                "%y{k} = OpFunctionCall %f32 %f{last} %p{k}
                 %x{k} = OpFunctionCall %f32 %f{last} %y{k}
                 OpReturnValue %x{k}",
                last = k - 1
            ),
        };
        functions += &format!(
            "%f{k} = OpFunction %f32 None %f\n %p{k} = OpFunctionParameter %f32
             %b{k} = OpLabel\n {inner}\n OpFunctionEnd\n"
        );
    }
    declarations += &functions;
    let body = "%a = OpLabel\n %x = OpFunctionCall %f32 %f39 %one
        %v = OpCompositeConstruct %vec4 %x %x %x %x\n OpStore %out %v\n OpReturn";
    let found = error(&module(&declarations, body));
    assert_eq!(found.code, DiagnosticCode::ExpansionTooLarge, "{}", found.message);
}
