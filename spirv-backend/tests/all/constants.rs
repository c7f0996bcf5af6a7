//! Specialisation constants.

use crate::validity::accepted_by_spirv_val;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile_keeping;
use lambdav_spirv::specialise;
use lambdav_spirv_backend::emit;
use lambdav_spirv_backend::emit::{EmitOptions, Version};
use lambdav_spirv_eval::{Module, ModuleEvaluator, Resources};
use std::collections::BTreeMap;

const PROGRAM: &str = "(constant gain num 2)
    (constant on bool true)
    (constant n int -3i)
    (constant m uint 4u)
    (constant many vec2 (vec2 1 2))
    (constant decides bool true)
    (uniform u num 5)
    (vec4 (if on gain u) (num n) (num m) (@ (if decides (.y many) 3)))";

/// One constant of each scalar type, with its default and with other values. Constants that an `@`
/// needed are folded.
#[test]
fn constants_are_kept() {
    let source = SourceFile::new("constants.lv", PROGRAM);
    let kept = compile_keeping(&source, 20, &mut |_, _| None);
    let core = kept.core.expect("it is right");
    assert_eq!(kept.constants, 4);
    let program = schedule(&core, &[0]).expect("it schedules");
    for version in Version::all() {
        let options = EmitOptions { version, constants: kept.constants, ..EmitOptions::default() };
        let module = emit(&program, Some(&source), &options).expect("it fits");
        if version == Version::default() {
            accepted_by_spirv_val(&module);
        }
        let value = |words: &[u32]| {
            let module = Module::new(words).expect("it can be evaluated");
            let inputs = Inputs { uniforms: vec![[5f32.to_bits()].into()], ..Inputs::default() };
            let types = core.uniforms[..1].iter().map(|uniform| uniform.ty);
            let resources = Resources::new(&inputs, core.graph.types(), types);
            let mut evaluator = ModuleEvaluator::new(&module, &resources, 10);
            evaluator.run(inputs.frag_coord, &|| false).expect("it ends");
            let words = evaluator.output(0).expect("it has one").to_vec();
            words.into_iter().map(f32::from_bits).collect::<Vec<f32>>()
        };
        assert_eq!(value(&module.words), [2.0, -3.0, 4.0, 2.0]);
        let given = |values: &[(u32, u32)]| {
            specialise(&module.words, &values.iter().copied().collect::<BTreeMap<u32, u32>>())
        };
        let others = given(&[(0, 7f32.to_bits()), (2, 8), (3, 9), (17, 1)]);
        assert_eq!(value(&others), [7.0, 8.0, 9.0, 2.0]);
        assert_eq!(value(&given(&[(1, 0)])), [5.0, -3.0, 4.0, 2.0]);
        assert_eq!(given(&[]), module.words);
    }
    specialise(&[0x0723_0203, 0, 0, 0, 0, 0, 0x0009_0001], &BTreeMap::new());
}
