//! The theorem backwards: the words of a module, the raised program on every engine, and the program's
//! emitted words compute the same.
//!
//! *eval_S(w) = core(raise(w)) = simd(raise(w)) = eval_S(emit(raise(w)))*, bit for bit.

use lambdav::Size;
use lambdav_core::evaluate::{EvaluationFault, Evaluator};
use lambdav_core::float::canonical;
use lambdav_core::graph::Core;
use lambdav_core::inputs::{Inputs, frag_coord};
use lambdav_core::interface::{Binding, Interface, LocationSource, Placement};
use lambdav_core::resource::Bound;
use lambdav_core::schedule::schedule;
use lambdav_core::types::{Scalar, Type, Types};
use lambdav_engine::engines::SimdEngine;
use lambdav_engine::settings::Settings;
use lambdav_generate::resources;
use lambdav_image::Frame;
use lambdav_raster::{RenderOptions, render};
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_eval::{
    InputSource, LoadOptions, Module, ModuleEvaluator, ModuleFault, Resources, Undefined,
};
use lambdav_test_support::Random;
use std::sync::Arc;

/// A module, its raised program, and the inputs of both.
pub(crate) struct Foreign<'m> {
    pub(crate) words: &'m [u32],
    pub(crate) core: &'m Core,
    pub(crate) interface: &'m Interface,
    /// The colour of a discarded pixel.
    pub(crate) clear: [f32; 4],
    pub(crate) size: [u32; 2],
    /// The values of uniforms, in the program's order.
    pub(crate) uniforms: Vec<Arc<[u32]>>,
    /// The words of blocks, by set and binding; `None` for push constants.
    pub(crate) blocks: Vec<(Option<[u32; 2]>, Vec<u32>)>,
    /// Textures and buffers, in the program's order.
    pub(crate) resources: Vec<Bound>,
    pub(crate) max_iterations: u64,
}

/// Counts of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) pixels: usize,
    pub(crate) discarded: usize,
    /// Pixels for which executing the words exceeds the limit of iterations; `lazy` counts those for
    /// which the lazy core still has a value.
    pub(crate) endless: usize,
    pub(crate) lazy: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Self) {
        self.pixels += other.pixels;
        self.discarded += other.discarded;
        self.endless += other.endless;
        self.lazy += other.lazy;
    }
}

/// The compared pixels of each shader: 64, or the environment's `PIXELS`, rounded down to a square.
pub(crate) fn pixels(size: [u32; 2]) -> Vec<[u32; 2]> {
    let count = std::env::var("PIXELS");
    let count: u32 = count.map_or(64, |text| text.parse().expect("PIXELS is a number"));
    let side = count.isqrt().max(1);
    // Neighbours in the sample differ in their row and column in the quad.
    let at = |k: u32, other: u32, size: u32| (k * size / side + other % 3).min(size - 1);
    let row = |y: u32| (0..side).map(move |x| [at(x, y, size[0]), at(y, x, size[1])]);
    (0..side).flat_map(row).collect()
}

/// A pixel of four components; every NaN becomes the canonical one.
fn filled(words: &[u32]) -> [u32; 4] {
    let mut pixel = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    pixel.iter_mut().zip(words).for_each(|(to, &word)| *to = word);
    pixel.map(canonical)
}

/// The colours of all outputs at a pixel; `None` if a loop exceeds the limit.
type Colours = Option<Vec<[u32; 4]>>;

impl<'m> Foreign<'m> {
    /// Values of uniforms from a seed and their names, and some data for textures and buffers.
    pub(crate) fn seeded(
        words: &'m [u32],
        (core, interface): (&'m Core, &'m Interface),
        clear: [f32; 4],
        size: [u32; 2],
        max_iterations: u64,
        seed: u64,
    ) -> Self {
        let types = core.graph.types();
        let mut uniforms: Vec<Arc<[u32]>> = core
            .uniforms
            .iter()
            .map(|of| {
                let bytes = of.name.bytes().map(u64::from);
                uniform(types, of.ty, bytes.fold(seed, |hash, byte| hash * 31 % (1 << 48) + byte))
            })
            .collect();
        // Words of a block depend on their places alone, since compilers name and split members in their own ways.
        for (block, uniform, member) in interface.uniforms() {
            let Placement::Words(offsets) = &member.placement else {
                unreachable!("the raise places words")
            };
            let at = match block.binding {
                Binding::Descriptor { set, binding } => {
                    1 + u64::from(set) * 64 + u64::from(binding)
                }
                Binding::PushConstants => 0,
            };
            let scalars = types.scalars(core.uniforms[uniform].ty);
            let of_word = |(scalar, &offset): (Scalar, &u32)| {
                word(&mut Random::new(seed ^ at << 40 ^ u64::from(offset) << 8), scalar)
            };
            uniforms[uniform] = scalars.zip(offsets).map(of_word).collect();
        }
        let (blocks, resources) = (blocks(interface, &uniforms), resources(types));
        Self { words, core, interface, clear, size, uniforms, blocks, resources, max_iterations }
    }

    /// Compares all values that the theorem equates.
    pub(crate) fn check(&self, pixels: &[[u32; 2]]) -> Result<Counts, String> {
        let mut locations: Vec<u32> = self.core.outputs.iter().map(|of| of.location).collect();
        locations.sort_unstable();
        let program = schedule(self.core, &locations).map_err(|error| error.message)?;
        let mut evaluator = Evaluator::new(&program, self.max_iterations);
        let options = LoadOptions {
            undefined: Undefined::Total,
            entry_point: Some(self.interface.entry_point.name.clone()),
            ..LoadOptions::default()
        };
        let module = Module::with_options(self.words, &options)
            .map_err(|error| format!("the words cannot be evaluated: {error}"))?;
        let resources = self.shared(&module)?;
        let mut by_words = ModuleEvaluator::new(&module, &resources, self.max_iterations);
        self.set_inputs(&mut by_words);
        let emitted = emit(&program, None, &EmitOptions::default()).expect("it fits");
        let emitted = Module::new(&emitted.words).expect("it can be evaluated");
        let types = program.uniforms.iter().map(|uniform| uniform.ty);
        let shared = Resources::new(&self.inputs([0, 0]), &program.types, types);
        let mut again = ModuleEvaluator::new(&emitted, &shared, self.max_iterations);
        let frames = self.pictures()?;
        let mut counts = Counts::default();
        for &[x, y] in pixels {
            let inputs = self.inputs([x, y]);
            let core: Colours = match evaluator.run(&inputs, &|| false) {
                Ok(()) => Some((0..locations.len()).map(|k| filled(evaluator.output(k))).collect()),
                Err(EvaluationFault::LoopLimit(_)) => None,
                Err(EvaluationFault::Cancelled) => unreachable!("nobody cancels it"),
            };
            let differs = |what: &str, found: &Colours| {
                Err(format!("at {x} {y}: core {core:x?}, and {what} {found:x?}"))
            };
            let emitted = outputs(&mut again, &inputs, &locations, self.clear)?;
            if emitted != core {
                return differs("emitted again", &emitted);
            }
            if let Some(frames) = &frames {
                let pixel = |frame: &Frame| frame.pixel(x, y).expect("it lies in the picture");
                let colours = frames.iter().map(|frame| filled(&pixel(frame).map(f32::to_bits)));
                let simd = Some(colours.collect());
                if simd != core {
                    return differs("machine code", &simd);
                }
            }
            let words = outputs(&mut by_words, &inputs, &locations, self.clear)?;
            counts.pixels += 1;
            counts.discarded += usize::from(by_words.is_discarded());
            if words.is_none() {
                counts.endless += 1;
                counts.lazy += usize::from(core.is_some());
            } else if words != core {
                return differs("words", &words);
            }
        }
        Ok(counts)
    }

    /// The pictures of all outputs; `None` if a loop exceeds the limit in some pixel.
    pub(crate) fn pictures(&self) -> Result<Option<Vec<Frame>>, String> {
        let mut locations: Vec<u32> = self.core.outputs.iter().map(|of| of.location).collect();
        locations.sort_unstable();
        self.draw(&locations)
    }

    fn inputs(&self, [x, y]: [u32; 2]) -> Inputs {
        Inputs {
            frag_coord: frag_coord(x, y),
            resolution: self.size.map(|side| side as f32),
            uniforms: self.uniforms.clone(),
            resources: self.resources.clone(),
            ..Inputs::default()
        }
    }

    /// The blocks, textures and buffers of the module.
    fn shared(&self, module: &Module) -> Result<Resources, String> {
        let mut bound = Vec::new();
        for of in module.resources() {
            let binding = Binding::Descriptor { set: of.set, binding: of.binding };
            let number = self.interface.resource(binding);
            // Unused resources are not bound.
            bound.push(number.map_or(Bound::Nothing, |number| self.resources[number].clone()));
        }
        let inputs = Inputs { resources: bound, ..self.inputs([0, 0]) };
        let mut resources = Resources::for_members(&inputs, &[], module.resources());
        for (at, words) in &self.blocks {
            resources.set_block(*at, words.clone());
        }
        Ok(resources)
    }

    fn set_inputs(&self, evaluator: &mut ModuleEvaluator<'_>) {
        for input in &self.interface.locations {
            let source = match input.source {
                Ok(LocationSource::Uv) => InputSource::Uv(self.size.map(|side| side as f32)),
                Ok(LocationSource::Position) => InputSource::Position,
                Ok(other) => panic!("a full screen has no {other:?}"),
                Err(uniform) => InputSource::Words(self.uniforms[uniform].as_ref().into()),
            };
            evaluator.set_input(input.location, &source);
        }
    }

    /// The pictures of all outputs by machine code; `None` if a loop exceeds the limit in some pixel.
    fn draw(&self, locations: &[u32]) -> Result<Option<Vec<Frame>>, String> {
        let size = Size::new(self.size[0], self.size[1]).expect("it is small");
        let mut settings = Settings::new(self.core, size);
        settings.inputs = Inputs { frag_coord: [0.0; 4], ..self.inputs([0, 0]) };
        settings.max_iterations = self.max_iterations;
        let mut frames = Vec::new();
        for &location in locations {
            let engine = SimdEngine::new(self.core, location, &settings, None)
                .map_err(|error| format!("no machine code: {error}"))?;
            match render(&engine, size, &RenderOptions::default()) {
                Ok(frame) => frames.push(frame),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(frames))
    }
}

/// The outputs of a pixel by the evaluator of words.
fn outputs(
    evaluator: &mut ModuleEvaluator<'_>,
    inputs: &Inputs,
    locations: &[u32],
    clear: [f32; 4],
) -> Result<Colours, String> {
    match evaluator.run(inputs.frag_coord, &|| false) {
        Ok(()) if evaluator.is_discarded() => {
            Ok(Some(vec![clear.map(f32::to_bits); locations.len()]))
        }
        Ok(()) => {
            let output =
                |&at: &u32| evaluator.output(at).map(filled).ok_or("it has no such output");
            Ok(Some(locations.iter().map(output).collect::<Result<_, _>>()?))
        }
        Err(ModuleFault::LoopLimit { .. }) => Ok(None),
        Err(fault) => Err(format!("words at {:?}: {fault}", inputs.frag_coord)),
    }
}

/// A word of a uniform; small, so that loops end.
fn word(random: &mut Random, scalar: Scalar) -> u32 {
    let numbers = [0.75_f32, 1.5, 0.25, 2.0, -0.5, 3.0, 1.0, 5.5].map(f32::to_bits);
    match scalar {
        Scalar::F32 => *random.pick(&numbers),
        Scalar::Bool => random.below(2) as u32,
        Scalar::I32 | Scalar::U32 => random.below(5) as u32,
    }
}

/// The words of a uniform.
fn uniform(types: &Types, ty: Type, seed: u64) -> Arc<[u32]> {
    let mut random = Random::new(seed);
    types.scalars(ty).map(|scalar| word(&mut random, scalar)).collect()
}

/// Blocks with these values in the layout of the interface.
fn blocks(interface: &Interface, uniforms: &[Arc<[u32]>]) -> Vec<(Option<[u32; 2]>, Vec<u32>)> {
    let mut all: Vec<(Option<[u32; 2]>, Vec<u32>)> = Vec::new();
    for (block, uniform, member) in interface.uniforms() {
        let Placement::Words(offsets) = &member.placement else {
            unreachable!("the raise places words")
        };
        let at = match block.binding {
            Binding::Descriptor { set, binding } => Some([set, binding]),
            Binding::PushConstants => None,
        };
        let index = all.iter().position(|(of, _)| *of == at).unwrap_or_else(|| {
            all.push((at, Vec::new()));
            all.len() - 1
        });
        let words = &mut all[index].1;
        for (&offset, &word) in offsets.iter().zip(uniforms[uniform].iter()) {
            let place = offset as usize / 4;
            words.resize(words.len().max(place + 1), 0);
            words[place] = word;
        }
    }
    all
}
