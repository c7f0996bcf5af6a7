//! Modules of programs with passes, native and exact: valid in all versions, with the entry points of all stages.

use crate::support::Shader;
use crate::validity::{environments, validate, write};
use lambdav_core::interface::Interface;
use lambdav_core::passes::DevicePasses;
use lambdav_generate::suite::{ExpectedVerdict, read_cases};
use lambdav_generate::{GenerateOptions, generate_passes};
use lambdav_spirv_backend::emit::{
    ComputeEntry, EmitError, EmitOptions, EmittedModule, Exact, Subnormals, Version, emit_computes,
};
use lambdav_test_support::{files_below, has_tool};
use std::path::Path;
use tempfile::TempDir;

/// Programs of the suite and of the gallery, and generated ones, for which a device keeps the order of all writes.
fn programs() -> Vec<Shader> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts: Vec<(String, String)> = Vec::new();
    for file in files_below(&root.join("tests/language/s18-passes"), &["lv"]) {
        let text = std::fs::read_to_string(&file).expect("it is there");
        for case in read_cases(&text).expect("it can be read") {
            if !matches!(case.verdict, ExpectedVerdict::Rejected(_)) {
                texts.push((case.title.clone(), case.program.clone()));
            }
        }
    }
    for file in files_below(&root.join("shaders/compute"), &["lv"]) {
        let text = std::fs::read_to_string(&file).expect("it is there");
        texts.push((file.display().to_string(), text));
    }
    let mut all: Vec<_> = texts.iter().map(|(name, text)| Shader::new(name, text)).collect();
    let options = GenerateOptions { size: 80, endless: false, ..GenerateOptions::default() };
    all.extend((0..150).filter_map(|seed| {
        Shader::generated(&format!("seed {seed}"), &generate_passes(seed, options).to_string())
    }));
    let is_ordered = |shader: &Shader| {
        let passes = shader.core.passes.iter().flat_map(|of| &of.passes);
        passes.clone().next().is_some()
            && passes.clone().all(|pass| pass.disorder(&shader.core).is_none())
    };
    all.into_iter().filter(is_ordered).collect()
}

/// The module of all outputs and passes.
fn emitted(shader: &Shader, options: &EmitOptions) -> Result<EmittedModule, EmitError> {
    let core = &shader.core;
    let passes = core.passes.as_deref().expect("it has passes");
    let devices = DevicePasses::new(core, passes).expect("they are small");
    let mut stages = Vec::new();
    if !core.outputs.is_empty() {
        let mut program = shader.scheduled(&shader.locations());
        program.types.clone_from(devices.types());
        stages.push((program, Interface::of(core)));
    }
    let stages: Vec<_> = stages.iter().map(|(program, of)| (program, of)).collect();
    let entries = devices.passes.iter().map(|pass| ComputeEntry {
        program: &pass.program,
        interface: &pass.interface,
        workgroup: pass.workgroup,
        is_inside: true,
    });
    emit_computes(&stages, &entries.collect::<Vec<_>>(), Some(&shader.source), options)
}

#[test]
fn spirv_val_accepts_passes() {
    if !has_tool("spirv-val") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let all = programs();
    assert!(all.len() >= 80, "{} programs", all.len());
    for (index, shader) in all.iter().enumerate() {
        let version = Version::all().nth(index % 7).expect("there are seven");
        let exact = Exact {
            float64: index % 3 == 1,
            fused: false,
            subnormals: Subnormals::Integers,
            report: None,
            registers: index % 2 == 1,
        };
        let exact = (index % 3 > 0).then_some(exact);
        let strip = index % 2 == 0;
        let options = EmitOptions { version, strip, exact, ..EmitOptions::default() };
        let module = emitted(shader, &options).expect("it can be said in SPIR-V");
        let path = write(folder.path(), &module);
        for environment in environments(version) {
            validate(&path, environment, shader.source.name());
        }
    }
}
