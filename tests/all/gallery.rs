//! The gallery, on every engine and at several sizes, against digests of the exact bits.
//!
//! `BLESS=1 cargo test --test all gallery` writes the digests, from the core evaluator alone.

use lambdav_core::core_text;
use lambdav_core::float::canonical_bits;
use lambdav_core::graph::Core;
use lambdav_core::schedule::schedule;
use lambdav_core::types::Scalar;
use lambdav_engine::engines::{BoundKernel, CoreEngine, SimdEngine, SourceEngine, SpirvEngine};
use lambdav_engine::program::Loaded;
use lambdav_image::{Frame, Size};
use lambdav_matrix::configurations::pool;
use lambdav_matrix::pictures::{self, List, SIZES, Shader, digest, gallery};
use lambdav_raster::RenderOptions;
use lambdav_simd_backend::registers::Shape;
use lambdav_spirv_backend::{self as spirv_backend, emit::EmitOptions};
use lambdav_spirv_eval::Module;
use std::collections::HashMap;
use std::sync::Arc;

fn draw(engine: &impl BoundKernel, size: Size, threads: Option<usize>) -> Frame {
    let draw = || pictures::draw(engine, size, &RenderOptions::default());
    match threads {
        None => draw(),
        Some(threads) => pool(threads).install(draw),
    }
}

fn bits(frame: &Frame) -> Vec<u32> {
    frame.samples().iter().map(|s| s.to_bits()).collect()
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Demands that every picture of the shaders has the digest of the list, which the core evaluator wrote.
/// `drawn` draws a picture and passes the frame to the given function.
fn as_listed(shaders: &[Shader], mut drawn: impl FnMut(&Shader, u32, Size, &dyn Fn(&Frame, &str))) {
    // The list is being written.
    if is_blessing() {
        return;
    }
    let list = List::read();
    for shader in shaders {
        for output in &shader.core().outputs {
            for (width, height) in SIZES {
                let (name, location) = (&shader.name, output.location);
                let size = Size::new(width, height).expect("a small size");
                let listed = list.get(name, location, size);
                let listed = listed.unwrap_or_else(|| panic!("{name} is not in the list"));
                drawn(shader, location, size, &|frame, how| {
                    assert_eq!(digest(frame), listed, "{name} {location} {size}, {how}");
                });
            }
        }
    }
}

/// The bits of every shader, output and size have not changed.
#[test]
fn digests() {
    let mut found = List::default();
    for shader in pictures::all() {
        let core = shader.core();
        for output in &core.outputs {
            for (width, height) in SIZES {
                let size = Size::new(width, height).expect("a small size");
                let settings = shader.settings(size);
                let engine = CoreEngine::new(core, output.location, &settings);
                let frame = draw(&engine.expect("it schedules"), size, None);
                found.insert(&shader.name, output.location, size, digest(&frame));
            }
        }
    }
    if is_blessing() {
        std::fs::write(List::path(), found.to_string()).expect("the list can be written");
    }
    assert_eq!(found.to_string(), List::read().to_string(), "the gallery's bits changed");
}

/// Core text is a program equivalent to its shader.
#[test]
fn core_text_round_trip() {
    let read_again = |shader: &Shader| {
        let (name, core) = (&shader.name, shader.core());
        let text = core_text::print(core, Some(&shader.loaded.source)).expect("it schedules");
        let again = Loaded::from_text(&format!("{name}.core"), &text);
        assert!(again.is_core_text);
        assert!(again.diagnostics.is_empty(), "{name}");
        let again = again.core.expect("no diagnostics");
        let second = core_text::print(&again, None).expect("it schedules");
        let first = core_text::print(core, None).expect("it schedules");
        assert_eq!(first, second, "{name}: printing is stable");
        again
    };
    let shaders = gallery();
    let again: HashMap<&str, Core> =
        shaders.iter().map(|shader| (&*shader.name, read_again(shader))).collect();
    as_listed(&shaders, |shader, location, size, is_as_listed| {
        let core = &again[&*shader.name];
        let engine = SimdEngine::new(core, location, &shader.settings(size), None);
        is_as_listed(&draw(&engine.expect("it compiles"), size, None), "core text");
    });
}

/// The source evaluator, which defines the language, gives the same pixels.
#[test]
fn source_agrees() {
    let size = Size::new(97, 61).expect("a small size");
    let pixels = [(0, 0), (96, 60), (48, 30), (13, 47), (71, 9), (35, 22)];
    for shader in gallery() {
        let (name, core) = (&shader.name, shader.core());
        for output in &core.outputs {
            let settings = shader.settings(size);
            let source = SourceEngine::new(&shader.loaded.source, output.location, &settings)
                .expect("the program was accepted");
            let core = CoreEngine::new(core, output.location, &settings).expect("it schedules");
            for (x, y) in pixels {
                let values = [pixel(&core, size, x, y), pixel(&source, size, x, y)];
                assert_eq!(values[0], values[1], "{name} at ({x}, {y})");
            }
        }
    }
}

/// The bits of one pixel; all NaNs are equal.
fn pixel(engine: &impl BoundKernel, size: Size, x: u32, y: u32) -> [u32; 4] {
    use lambdav_raster::{Cancel, Tile, TileBuffer};
    let tile = Tile { x, y, width: 1, height: 1 };
    let mut storage = [0.0; 4];
    let mut buffer = TileBuffer::new(tile, &mut storage);
    engine.tile(tile, &mut buffer, &Cancel::never(size)).expect("the gallery's loops end");
    storage.map(canonical_bits)
}

/// SPIR-V modules give the same bits: for each output alone, and for several outputs together.
#[test]
fn spirv_agrees() {
    as_listed(&gallery(), |shader, location, size, is_as_listed| {
        let (core, source) = (shader.core(), &shader.loaded.source);
        let settings = shader.settings(size);
        let alone = SpirvEngine::new(core, location, &settings).expect("it compiles");
        is_as_listed(&draw(&alone, size, None), "alone");
        let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
        if locations.len() == 1 {
            return;
        }
        let program = schedule(core, &locations).expect("it schedules");
        let options = EmitOptions::default();
        let emitted = spirv_backend::emit(&program, Some(source), &options).expect("it fits");
        let module = Module::new(&emitted.words).expect("it can be evaluated");
        let together = SpirvEngine::of_module(module, source, location, [0.0; 4], &settings);
        is_as_listed(&draw(&together, size, None), "together");
    });
}

/// Machine code gives the same bits for all numbers of lanes and threads.
#[test]
fn simd_agrees() {
    as_listed(&gallery(), |shader, location, size, is_as_listed| {
        let core = shader.core();
        let settings = shader.settings(size);
        for lanes in Shape::LANES {
            let engine =
                SimdEngine::new(core, location, &settings, Some(lanes)).expect("it compiles");
            for threads in [1, 2, 7] {
                let how = format!("{lanes} lanes, {threads} threads");
                is_as_listed(&draw(&engine, size, Some(threads)), &how);
            }
        }
    });
}

/// Programs specialised to uniforms with other values than their defaults give the same bits.
#[test]
fn specialised_programs_agree() {
    let size = Size::new(33, 17).expect("a small size");
    for shader in pictures::all() {
        let (name, core) = (&shader.name, shader.core());
        let mut changed = shader.settings(size);
        for (words, uniform) in changed.inputs.uniforms.iter_mut().zip(&core.uniforms) {
            let scalars = core.graph.types().scalars(uniform.ty);
            for (word, scalar) in Arc::make_mut(words).iter_mut().zip(scalars) {
                match scalar {
                    Scalar::F32 => *word = (f32::from_bits(*word) * 0.75 + 0.125).to_bits(),
                    Scalar::Bool => *word = 1 - *word,
                    Scalar::I32 | Scalar::U32 => {}
                }
            }
        }
        let settings = changed;
        let fixed = core.with_uniforms_fixed(&settings.inputs.uniforms, |_| true);
        for output in &core.outputs {
            let location = output.location;
            let general = SimdEngine::new(core, location, &settings, None).expect("it compiles");
            let expected = bits(&draw(&general, size, None));
            let evaluated = CoreEngine::new(&fixed, location, &settings).expect("it schedules");
            assert_eq!(expected, bits(&draw(&evaluated, size, None)), "{name}");
            for lanes in [1, 16] {
                let code = SimdEngine::new(&fixed, location, &settings, Some(lanes));
                let found = bits(&draw(&code.expect("it compiles"), size, None));
                assert_eq!(expected, found, "{name}, {lanes} lanes");
            }
        }
    }
}

/// Pictures too large for the evaluators are the same for all numbers of lanes. `FULL_SIZE=1` draws them at
/// 1920x1080.
#[test]
fn simd_configurations_agree() {
    let full = std::env::var_os("FULL_SIZE").is_some();
    let (width, height) = if full { (1920, 1080) } else { (400, 225) };
    let size = Size::new(width, height).expect("a common size");
    for shader in gallery() {
        let (name, core) = (&shader.name, shader.core());
        for output in &core.outputs {
            let mut first: Option<String> = None;
            for (lanes, threads) in [(8, 2), (1, 1), (4, 7), (16, 2), (32, 1)] {
                let settings = shader.settings(size);
                let engine = SimdEngine::new(core, output.location, &settings, Some(lanes))
                    .expect("it compiles");
                let found = digest(&draw(&engine, size, Some(threads)));
                let expected = first.get_or_insert_with(|| found.clone());
                assert_eq!(*expected, found, "{name}, {lanes} lanes, {threads} threads");
            }
        }
    }
}
