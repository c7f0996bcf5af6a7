//! Some pixels of a program, by all engines.

use lambdav_core::evaluate::{self, EvaluationFault};
use lambdav_core::float::same_words;
use lambdav_core::graph::Core;
use lambdav_core::inputs::{Inputs, frag_coord};
use lambdav_core::schedule::{Program, schedule, verify};
use lambdav_core::source::SourceFile;
use lambdav_core::triangles::{FragmentStage, VertexStage};
use lambdav_engine::Settings;
use lambdav_generate::resources;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::SimdKernel;
use lambdav_simd_backend::lanes::{self, Width};
use lambdav_simd_backend::registers::Shape;
use lambdav_spirv_backend::{self as spirv_backend, emit::EmitOptions};
use lambdav_spirv_eval::{Module, ModuleEvaluator, Resources};
use std::borrow::Cow;
use std::cell::Cell;

/// Width and height of the image.
const SIDE: u32 = 3;
/// Iteration limit of loops.
const ROUNDS: u64 = 24;
/// Largest number of the evaluator's cancellation polls.
const POLLS: u32 = 1 << 10;
/// Larger programs are not compiled.
const MAX_VALUES: usize = 600;

/// The programs that machine code is made of: the stages of a program that draws triangles, or else the core.
pub(super) fn stages(core: &Core) -> Vec<Cow<'_, Core>> {
    let Some(triangles) = &core.triangles else { return vec![Cow::Borrowed(core)] };
    let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    let fragments = FragmentStage::new(core, triangles, &locations);
    let vertices = VertexStage::new(core, triangles, &fragments.varyings);
    let all = [Some(vertices.core), Some(fragments.colours), fragments.test];
    all.into_iter().flatten().map(Cow::Owned).collect()
}

/// Schedules each output and lowers it to lanes; both verifiers must pass.
pub(super) fn lower(core: &Core) -> Result<Vec<(u32, Program)>, String> {
    let mut all = Vec::new();
    for output in &core.outputs {
        // Blocks that nest too deep are refused.
        let Ok(program) = schedule(core, &[output.location]) else { continue };
        verify(&program).map_err(|errors| format!("malformed schedule: {errors:?}"))?;
        for width in [Width::Any, Width::One] {
            let lanes = lanes::lower(&program, &lanes::Options::new(width));
            lanes::verify(&lanes)
                .map_err(|errors| format!("malformed lane program: {errors:?}"))?;
        }
        all.push((output.location, program));
    }
    Ok(all)
}

fn inputs(core: &Core, x: u32, y: u32) -> Inputs {
    let size = Size::new(SIDE, SIDE).expect("a size of images");
    let mut inputs = Settings::new(core, size).inputs;
    inputs.resources = resources(core.graph.types());
    inputs.frag_coord = frag_coord(x, y);
    inputs.time = 1.25;
    inputs.mouse = [2.5, 1.0, -1.0, 0.0];
    inputs
}

/// The words of an output at each pixel in scan order, up to the first pixel where a loop exceeds its limit;
/// `None` if evaluation takes too long.
fn expected(core: &Core, program: &Program) -> Option<Vec<Vec<u32>>> {
    let mut evaluator = evaluate::Evaluator::new(program, ROUNDS);
    let polls = Cell::new(0);
    let takes_long = || polls.replace(polls.get() + 1) > POLLS;
    let mut all = Vec::new();
    for pixel in 0..SIDE * SIDE {
        match evaluator.run(&inputs(core, pixel % SIDE, pixel / SIDE), &takes_long) {
            Ok(()) => all.push(evaluator.output(0).to_vec()),
            Err(EvaluationFault::LoopLimit(_)) => break,
            Err(EvaluationFault::Cancelled) => return None,
        }
    }
    Some(all)
}

/// Compares pixels of machine code and SPIR-V with those of the core evaluator. False if the program is too
/// large or too slow to compare.
pub(super) fn compare(
    core: &Core,
    file: &SourceFile,
    location: u32,
    program: &Program,
    choice: u64,
) -> Result<bool, String> {
    if program.values.len() > MAX_VALUES || program.nesting() > 100 {
        return Ok(false);
    }
    let Some(expected) = expected(core, program) else { return Ok(false) };
    by_spirv(core, file, location, program, &expected)?;
    let lanes = Shape::LANES[choice as usize % Shape::LANES.len()];
    let size = Size::new(SIDE, SIDE).expect("a size of images");
    let kernel = match SimdKernel::new(program.clone(), Some(lanes), &inputs(core, 0, 0), ROUNDS) {
        Ok(kernel) => kernel,
        Err(error) if error.is_limit() => return Ok(true),
        Err(error) => return Err(error.to_string()),
    };
    let tile = Tile::whole(size);
    let mut samples = vec![f32::NAN; tile.samples()];
    let mut pixels = TileBuffer::new(tile, &mut samples);
    let done = match kernel.tile(tile, &mut pixels, &Cancel::never(size)) {
        Ok(()) => size.pixels(),
        Err(Stop::Fault(fault)) => size.index(fault.x, fault.y) as usize,
        Err(Stop::Cancelled) => return Err("cancelled without a request".into()),
    };
    if done != expected.len() {
        let all = expected.len();
        return Err(format!("simd with {lanes} lanes computes {done} pixels, core {all}"));
    }
    if done < size.pixels() {
        return Ok(true);
    }
    for (i, (words, pixel)) in expected.iter().zip(samples.as_chunks::<4>().0).enumerate() {
        let found: Vec<u32> = pixel.iter().take(words.len()).map(|c| c.to_bits()).collect();
        if !same_words(words, &found) {
            return Err(format!(
                "pixel {i}: simd with {lanes} lanes says {found:x?}, core {words:x?}"
            ));
        }
    }
    Ok(true)
}

fn by_spirv(
    core: &Core,
    file: &SourceFile,
    location: u32,
    program: &Program,
    expected: &[Vec<u32>],
) -> Result<(), String> {
    // Integers of the vertex stage are outputs of no fragment shader.
    if program.outputs().iter().any(|&output| !program.ty(output).is_num()) {
        return Ok(());
    }
    let options = EmitOptions::default();
    // Programs with too many uniforms or exits of a loop are refused.
    let Ok(emitted) = spirv_backend::emit(program, Some(file), &options) else { return Ok(()) };
    let module = Module::new(&emitted.words).map_err(|error| error.to_string())?;
    let types = core.uniforms.iter().map(|uniform| uniform.ty);
    let resources = Resources::new(&inputs(core, 0, 0), &program.types, types);
    let mut evaluator = ModuleEvaluator::new(&module, &resources, ROUNDS);
    evaluator.set_clear(program.clear());
    for (i, words) in expected.iter().enumerate() {
        let at = inputs(core, i as u32 % SIDE, i as u32 / SIDE).frag_coord;
        evaluator.run(at, &|| false).map_err(|fault| format!("pixel {i}: spirv: {fault}"))?;
        let found = evaluator.output(location).unwrap_or_default();
        if !found.get(..words.len()).is_some_and(|found| same_words(words, found)) {
            return Err(format!("pixel {i}: spirv says {found:x?}, core {words:x?}"));
        }
    }
    Ok(())
}
