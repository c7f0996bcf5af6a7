//! Fragment shaders that once broke a driver, with the picture that they must draw: tests of the Vulkan
//! conformance suite, as far as they draw one picture or compare two.
//!
//! They lie in `../shared/corpus`, which is no part of the project; without it, or without `spirv-as`, the
//! test is skipped.

use crate::amber::{Expectation, Pipeline, Script};
use crate::tools::assemble;
use lambdav::Size;
use lambdav::engine::SimdEngine;
use lambdav::raster::quantize::Transfer;
use lambdav::raster::{Image, render_quantized};
use lambdav::settings::Settings;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_backend::eval::{Module, ModuleEvaluator, Resources};
use lambdav_spirv_frontend::{Binding, Interface, RaiseOptions, raise};
use lambdav_test_support::skipped;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why a file is not tested, or what is wrong.
#[derive(Debug)]
enum Verdict {
    Unsupported(String),
    Fails(String),
}

/// The words of all uniforms.
type Values = Vec<Box<[u32]>>;

fn corpus() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/graphicsfuzz");
    let Ok(files) = std::fs::read_dir(&folder) else {
        skipped("../shared/corpus/graphicsfuzz is not there");
        return None;
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    Some(files)
}

/// The shader of a pipeline as a program, with the values of its uniforms.
fn program(
    script: &Script,
    pipeline: &Pipeline,
    optimised: bool,
) -> Result<(Core, Values), Verdict> {
    let unsupported = |what: &str| Verdict::Unsupported(what.to_owned());
    let shader = pipeline.fragment.as_ref().ok_or_else(|| unsupported("no fragment shader"))?;
    let shader = &script.shaders[shader];
    let text = shader.assembly.as_ref().ok_or_else(|| unsupported("a shader in GLSL"))?;
    let words = assemble(text, &shader.environment, optimised);
    let options = RaiseOptions { clear: pipeline.clear, ..RaiseOptions::default() };
    let (core, interface) = raise("shader.spv", &words, &options).program.map_err(|error| {
        match error.code.as_str() {
            "LV0605" => Verdict::Unsupported(error.message),
            code => Verdict::Fails(format!("{code}: {}", error.message)),
        }
    })?;
    let uniforms = uniforms(script, pipeline, &core, &interface)?;
    Ok((core, uniforms))
}

fn uniforms(
    script: &Script,
    pipeline: &Pipeline,
    core: &Core,
    interface: &Interface,
) -> Result<Values, Verdict> {
    let mut all: Values = core.uniforms.iter().map(|of| of.default.clone()).collect();
    for member in &interface.members {
        let place = match member.binding {
            Binding::Descriptor { set, binding } => Some((set, binding)),
            Binding::PushConstants => None,
        };
        let block = pipeline.uniforms.get(&place).map(|name| script.buffers[name].clone());
        // What is behind the end of a buffer is zero.
        let words = block.and_then(|mut block| {
            let end = member.offsets.iter().max().map_or(0, |&last| last as usize + 4);
            block.resize(block.len().max(end), 0);
            member.words(&block)
        });
        let what = || Verdict::Fails(format!("nothing is bound to {}", member.binding));
        all[member.uniform] = words.ok_or_else(what)?;
    }
    Ok(all)
}

fn draw(script: &Script, pipeline: &Pipeline, optimised: bool) -> Result<Image<u8>, Verdict> {
    let (core, uniforms) = program(script, pipeline, optimised)?;
    let [width, height] = pipeline.size;
    let size = Size::new(width, height).expect("it is small");
    let mut settings = Settings::new(&core, size);
    settings.inputs.uniforms.clone_from(&uniforms);
    let location = core.outputs[0].location;
    let engine = SimdEngine::new(&core, location, &settings, None)
        .map_err(|error| Verdict::Fails(format!("{error:?}")))?;
    let picture = render_quantized::<u8>(&engine, size, Transfer::Linear, &Default::default())
        .map_err(|error| Verdict::Fails(format!("{error:?}")))?;
    // The evaluator on 64 pixels.
    let program = schedule(&core, &[location]).expect("it can be scheduled");
    let mut evaluator = Evaluator::new(&program, settings.max_iterations);
    let module = emit(&program, None, &EmitOptions::default()).expect("it fits");
    let module = Module::new(&module.words).expect("it can be evaluated");
    let inputs = Inputs { uniforms: uniforms.clone(), ..Inputs::default() };
    let types = program.uniforms.iter().map(|uniform| uniform.ty);
    let resources = Resources::new(&inputs, &program.types, types);
    let mut by_words = ModuleEvaluator::new(&module, &resources, settings.max_iterations);
    for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x * width / 8, y * height / 8))) {
        let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
        let inputs = Inputs {
            frag_coord,
            resolution: [width as f32, height as f32],
            uniforms: uniforms.clone(),
            ..Inputs::default()
        };
        evaluator.run(&inputs, &|| false).expect("its loops end");
        let mut colour = [0.0, 0.0, 0.0, 1.0];
        let words = evaluator.output(0);
        by_words.run(frag_coord, &|| false).expect("its loops end");
        let emitted = by_words.output(location).expect("it has the output");
        if emitted[..words.len()] != *words {
            return Err(Verdict::Fails(format!("core {words:?} and SPIR-V {emitted:?}")));
        }
        colour.iter_mut().zip(words).for_each(|(part, &word)| *part = f32::from_bits(word));
        let level = |part: f32| (f64::from(part).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8;
        let wanted = picture.pixel(x, y).expect("it lies in the picture");
        if colour.map(level) != wanted {
            let what = format!("core {colour:?} and simd {wanted:?} at {x} {y}");
            return Err(Verdict::Fails(what));
        }
    }
    Ok(picture)
}

fn check(text: &str, optimised: bool) -> Result<(), Verdict> {
    let script = Script::read(text).map_err(Verdict::Unsupported)?;
    let mut pictures = BTreeMap::new();
    for name in &script.runs {
        let pipeline = &script.pipelines[name];
        if let Some(what) = &pipeline.unsupported {
            return Err(Verdict::Unsupported(what.clone()));
        }
        let target = pipeline.colour.clone().expect("it has a colour attachment");
        pictures.insert(target, draw(&script, pipeline, optimised)?);
    }
    if script.expectations.is_empty() {
        return Err(Verdict::Unsupported("nothing that is expected is known".into()));
    }
    for expectation in &script.expectations {
        match expectation {
            Expectation::Colour { buffer, place: [x0, y0], size: [w, h], colour, parts } => {
                let picture = &pictures[buffer];
                for (x, y) in (0..*h).flat_map(|y| (0..*w).map(move |x| (x0 + x, y0 + y))) {
                    let found = picture.pixel(x, y).expect("it lies in the picture");
                    if found[..*parts] != colour[..*parts] {
                        let what = format!("{found:?} instead of {colour:?} at {x} {y}");
                        return Err(Verdict::Fails(what));
                    }
                }
            }
            Expectation::Equal(one, other) => {
                if pictures[one].samples() != pictures[other].samples() {
                    return Err(Verdict::Fails(format!("`{one}` is not `{other}`")));
                }
            }
        }
    }
    Ok(())
}

fn check_all(optimised: bool) {
    if !crate::tools::has("spirv-as") || !crate::tools::has("spirv-opt") {
        return;
    }
    let Some(files) = corpus() else { return };
    let (mut passed, mut failed) = (0, Vec::new());
    let mut unsupported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in &files {
        let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
        if let Ok(only) = std::env::var("ONLY")
            && only != name
        {
            continue;
        }
        let text = std::fs::read_to_string(file).expect("it can be read");
        match check(&text, optimised) {
            Ok(()) => passed += 1,
            Err(Verdict::Unsupported(what)) => unsupported.entry(what).or_default().push(name),
            Err(Verdict::Fails(what)) => failed.push(format!("{name}: {what}")),
        }
    }
    let count: usize = unsupported.values().map(Vec::len).sum();
    println!("passed {passed}, unsupported {count}, failed {}", failed.len());
    for (what, names) in &unsupported {
        println!("  {} {what}: {}", names.len(), names.join(" "));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn as_they_are() {
    check_all(false);
}

#[test]
fn optimised() {
    check_all(true);
}
