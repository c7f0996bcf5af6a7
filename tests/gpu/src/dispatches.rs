//! Compute programs by a device: the same buffers as by machine code, or as those of the oracle of random dispatches.

use lambdav_core::schedule::schedule_effects;
use lambdav_engine::engines::GpuMode;
use lambdav_engine::{Bindings, Engine, Options, Shader, ShaderOptions};
use lambdav_gpu::{BoundBuffer, Device, DispatchJob, forever};
use lambdav_memory_tests::oracle::{Order, Outcome, run};
use lambdav_memory_tests::{generate, graph, modules};
use lambdav_spirv_backend::emit::EmitOptions;
use std::error::Error;
use std::path::Path;

/// Runs a generated dispatch without races from its module. False if the dispatch of that seed has races.
///
/// # Errors
///
/// Errors of the device, and a buffer that differs from the oracle's.
pub fn generated(
    seed: u64,
    device: &Device,
    options: &EmitOptions,
) -> Result<bool, Box<dyn Error>> {
    let program = generate(seed);
    let expected = match run(&program, Order::Forward) {
        Outcome::Words(words) if program.is_race_free => words,
        _ => return Ok(false),
    };
    let core = graph::build(&program);
    let scheduled = schedule_effects(&core, &core.changed_memories())
        .map_err(|diagnostic| diagnostic.message)?;
    let module = modules::emitted(&core, &scheduled, options)?;
    let numbered = (0_u32..).zip(&program.memories).filter(|(_, of)| !of.is_of_workgroup);
    let bound = numbered.clone().map(|(number, of)| BoundBuffer {
        set: 0,
        binding: number + 1,
        is_uniform: false,
        words: &of.words,
    });
    let bound: Vec<BoundBuffer<'_>> = bound.collect();
    let job = DispatchJob {
        words: &module.words,
        entry_point: "main",
        groups: program.groups,
        push_constants: &Default::default(),
        buffers: &bound,
        textures: &[],
    };
    let mut prepared = device.prepare_dispatch(&job, &forever)?;
    prepared.run(&forever)?;
    for (index, (number, _)) in numbered.enumerate() {
        let (found, expected) = (prepared.read(index)?, &expected[number as usize]);
        if found != *expected {
            let what = format!("buffer {number}: {found:?}, and the oracle has {expected:?}");
            return Err(format!("seed {seed}, {options:?}: {what}").into());
        }
    }
    Ok(true)
}

/// Binds the data of a compute shader.
pub type Bind = fn(&mut Bindings) -> Result<(), Box<dyn Error>>;

/// Runs a compute shader by machine code and by a device, and returns the first of the buffers that differs.
///
/// # Errors
///
/// A shader that cannot be run.
pub fn first_difference(
    file: &Path,
    device: &Device,
    groups: [u32; 3],
    buffers: &[&str],
    bind: Bind,
) -> Result<Option<String>, Box<dyn Error>> {
    let shader = Shader::open_with(file, &ShaderOptions::default().compute())?;
    let by = |engine| -> Result<Bindings, Box<dyn Error>> {
        let pipeline = shader.compute_pipeline(&Options::default().engine(engine))?;
        let mut bindings = pipeline.bindings();
        bind(&mut bindings)?;
        pipeline.dispatch(&mut bindings, groups)?;
        Ok(bindings)
    };
    let expected = by(Engine::Simd)?;
    let found = by(Engine::Gpu(device.clone(), GpuMode::Exact))?;
    for name in buffers {
        let [expected, found] = [&expected, &found].map(|of| of.words(name).unwrap_or_default());
        let mut both = found.iter().zip(expected).enumerate();
        if let Some((index, (found, expected))) = both.find(|(_, (a, b))| a != b) {
            let what = format!("`{name}`, word {index}: {found:#010x}, not {expected:#010x}");
            return Ok(Some(what));
        }
    }
    Ok(None)
}
