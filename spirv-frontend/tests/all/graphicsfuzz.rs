//! Fragment shaders that once broke a driver, with the picture that they must draw: tests of the Vulkan
//! conformance suite that draw one picture or compare two. The theorem ([`crate::theorem`]) is tested on
//! a sample of pixels of each: 64, or the environment's `PIXELS`.
//!
//! The files are in `../shared/corpus`, outside the project. Without them the tests are skipped; without
//! `spirv-opt`, the one of optimised modules is.

use crate::theorem::{Counts, Foreign, pixels};
use crate::tools;
use lambdav::Size;
use lambdav_amber::{AmberCommand, AmberErrorKind, AmberPipeline, Script};
use lambdav_core::graph::Core;
use lambdav_core::interface::{Binding, Interface, Placement, words_at};
use lambdav_engine::engines::SimdEngine;
use lambdav_engine::settings::Settings;
use lambdav_image::Image;
use lambdav_image::quantize::Transfer;
use lambdav_raster::render_quantized;
use lambdav_spirv::assemble::assemble;
use lambdav_spirv_frontend::{RaiseOptions, raise};
use lambdav_test_support::{has_tool, skipped, spirv_opt};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The reason why a file is not tested, or its failure.
#[derive(Debug)]
enum Verdict {
    Unsupported(String),
    Fails(String),
}

/// The words of all uniforms.
type Values = Vec<Arc<[u32]>>;

fn corpus() -> Option<Vec<PathBuf>> {
    let files = tools::graphicsfuzz_files();
    if files.is_none() {
        skipped("../shared/corpus/graphicsfuzz is not there");
    }
    files
}

/// A script and its text.
struct Read<'t> {
    text: &'t str,
    script: Script,
    optimised: bool,
    counts: RefCell<Counts>,
}

/// The words of a pipeline's shader, and its raised program.
fn program(
    read: &Read<'_>,
    pipeline: &AmberPipeline,
    clear: [f32; 4],
) -> Result<(Vec<u32>, Core, Interface), Verdict> {
    let shader = &read.script.shaders[pipeline.shader];
    let text = &read.text[shader.text.start as usize..shader.text.end as usize];
    let Some(version) = shader.version() else {
        return Err(Verdict::Unsupported("a shader in GLSL".into()));
    };
    let mut words = assemble(text, version).expect("it is right");
    if read.optimised {
        words = spirv_opt(&words);
    }
    let options = RaiseOptions { clear, ..RaiseOptions::default() };
    let (core, interface) = raise("shader.spv", &words, &options).program.map_err(|error| {
        match error.code.as_str() {
            "LV0605" => Verdict::Unsupported(error.message),
            code => Verdict::Fails(format!("{code}: {}", error.message)),
        }
    })?;
    if !interface.resources.is_empty() {
        return Err(Verdict::Unsupported("images".into()));
    }
    Ok((words, core, interface))
}

fn uniforms(
    script: &Script,
    pipeline: &AmberPipeline,
    core: &Core,
    interface: &Interface,
) -> Result<Values, Verdict> {
    let mut all: Values = core.uniforms.iter().map(|of| of.default.clone()).collect();
    for (of, uniform, member) in interface.uniforms() {
        let Placement::Words(offsets) = &member.placement else {
            unreachable!("the raise places words")
        };
        // A buffer reads as zero after its end.
        let words = pipeline.bound.buffers.get(&of.binding).and_then(|&block| {
            let mut block = script.buffers[block].bytes.to_vec();
            let end = offsets.iter().max().map_or(0, |&last| last as usize + 4);
            block.resize(block.len().max(end), 0);
            words_at(&block, offsets)
        });
        let what = || Verdict::Fails(format!("nothing is bound to {}", of.binding));
        all[uniform] = words.ok_or_else(what)?.into();
    }
    Ok(all)
}

fn draw(read: &Read<'_>, pipeline: &AmberPipeline, clear: [f32; 4]) -> Result<Image<u8>, Verdict> {
    let (words, core, interface) = program(read, pipeline, clear)?;
    let uniforms = uniforms(&read.script, pipeline, &core, &interface)?;
    let [width, height] = pipeline.size;
    let size = Size::new(width, height).expect("it is small");
    let mut settings = Settings::new(&core, size);
    settings.inputs.uniforms.clone_from(&uniforms);
    let location = core.outputs[0].location;
    let engine = SimdEngine::new(&core, location, &settings, None)
        .map_err(|error| Verdict::Fails(format!("{error:?}")))?;
    let picture = render_quantized::<u8>(&engine, size, Transfer::Linear, &Default::default())
        .map_err(|error| Verdict::Fails(format!("{error:?}")))?;
    let blocks = pipeline.bound.buffers.iter().map(|(binding, &buffer)| {
        let at = match *binding {
            Binding::Descriptor { set, binding } => Some([set, binding]),
            Binding::PushConstants => None,
        };
        let mut bytes = read.script.buffers[buffer].bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let words = bytes.as_chunks::<4>().0.iter();
        (at, words.map(|&word| u32::from_le_bytes(word)).collect())
    });
    let foreign = Foreign {
        words: &words,
        core: &core,
        interface: &interface,
        clear,
        size: pipeline.size,
        uniforms,
        blocks: blocks.collect(),
        resources: Vec::new(),
        max_iterations: settings.max_iterations,
    };
    read.counts.borrow_mut().add(foreign.check(&pixels(pipeline.size)).map_err(Verdict::Fails)?);
    Ok(picture)
}

fn check(text: &str, optimised: bool) -> Result<Counts, Verdict> {
    let script = Script::read(text).map_err(|error| match error.kind {
        AmberErrorKind::Unsupported(what) => Verdict::Unsupported(what),
        kind => Verdict::Fails(kind.to_string()),
    })?;
    let read = Read { text, script, optimised, counts: RefCell::default() };
    let (mut clear, mut pictures) = (BTreeMap::new(), BTreeMap::new());
    let mut is_checked = false;
    for command in &read.script.commands {
        match command {
            AmberCommand::Clear { pipeline, colour, .. } => {
                clear.insert(*pipeline, *colour);
            }
            AmberCommand::Draw { pipeline: number, .. } => {
                let pipeline = &read.script.pipelines[*number];
                let clear = clear.get(number).copied().unwrap_or_default();
                pictures.insert(&pipeline.target, draw(&read, pipeline, clear)?);
            }
            // The tolerance is ignored: the expected colours are exact.
            AmberCommand::ExpectColour { picture, place, size: [w, h], colour, .. } => {
                is_checked = true;
                let (picture, [x0, y0]) = (&pictures[picture], *place);
                for (x, y) in (0..*h).flat_map(|y| (0..*w).map(move |x| (x0 + x, y0 + y))) {
                    let found = picture.pixel(x, y).expect("it lies in the picture");
                    let mut pairs = found.iter().zip(colour);
                    if !pairs.all(|(found, wanted)| wanted.is_none_or(|wanted| wanted == *found)) {
                        let what = format!("{found:?} instead of {colour:?} at {x} {y}");
                        return Err(Verdict::Fails(what));
                    }
                }
            }
            AmberCommand::ExpectEqual { pictures: [one, other], .. } => {
                is_checked = true;
                if pictures[one].samples() != pictures[other].samples() {
                    return Err(Verdict::Fails(format!("`{one}` is not `{other}`")));
                }
            }
            AmberCommand::Dispatch { .. }
            | AmberCommand::ExpectNumbers { .. }
            | AmberCommand::ExpectSame { .. } => {
                return Err(Verdict::Unsupported("compute".into()));
            }
        }
    }
    match is_checked {
        true => Ok(read.counts.into_inner()),
        false => Err(Verdict::Unsupported("nothing that is expected is known".into())),
    }
}

fn check_all(optimised: bool) {
    if optimised && !has_tool("spirv-opt") {
        return;
    }
    let Some(files) = corpus() else { return };
    let (mut passed, mut failed, mut total) = (0, Vec::new(), Counts::default());
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
            Ok(counts) => {
                passed += 1;
                total.add(counts);
            }
            Err(Verdict::Unsupported(what)) => unsupported.entry(what).or_default().push(name),
            Err(Verdict::Fails(what)) => failed.push(format!("{name}: {what}")),
        }
    }
    let count: usize = unsupported.values().map(Vec::len).sum();
    println!("passed {passed}, unsupported {count}, failed {}; {total:?}", failed.len());
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
