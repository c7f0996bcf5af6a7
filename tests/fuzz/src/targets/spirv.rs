//! SPIR-V words to pixels.

use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::words::{from_bytes, mutate};
use lambdav_core::inputs::{Inputs, frag_coord};
use lambdav_core::interface::Stage;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::texture::TextureData;
use lambdav_core::types::{Type, Types};
use lambdav_generate::Random;
use lambdav_spirv::bytes;
use lambdav_spirv_eval::{
    BindingKind, Invocation, LoadOptions, Module, ModuleEvaluator, Resources, Undefined,
};
use std::cell::Cell;

pub(super) struct Spirv<'s> {
    pub(super) seeds: &'s Seeds,
}

/// Iteration limit of loops. It is low, so that deep nests of loops end, too.
const ROUNDS: u64 = 3;

/// Largest number of the evaluator's cancellation polls.
const POLLS: u32 = 1 << 8;

impl FuzzTarget for Spirv<'_> {
    fn name(&self) -> &'static str {
        "spirv"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        if random.percent(1) {
            let words: Vec<u32> = (0..random.below(60)).map(|_| random.bits() as u32).collect();
            let header = [0x0723_0203, 0x0001_0000, 0, 99, 0];
            return bytes(&[&header[..], &words].concat());
        }
        let module: &Vec<u32> = random.pick(&self.seeds.modules);
        bytes(&mutate(module, &self.seeds.modules, random))
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        bytes(&mutate(&from_bytes(input), &self.seeds.modules, random))
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let words = from_bytes(input);
        let mut reached = execute(&words, Undefined::Marked, Stage::Fragment)?;
        reached.computed |= execute(&words, Undefined::Total, Stage::Fragment)?.computed;
        execute(&words, Undefined::Total, Stage::Vertex)?;
        Ok(reached)
    }

    fn is_binary(&self) -> bool {
        true
    }
}

/// Loads a module and computes two pixels.
fn execute(words: &[u32], undefined: Undefined, stage: Stage) -> Result<Reached, String> {
    let parsed = words.len() > 5;
    let options = LoadOptions { undefined, stage, ..LoadOptions::default() };
    let module = match Module::with_options(words, &options) {
        Ok(module) => module,
        Err(error) if error.to_string().is_empty() => {
            return Err("an error has no message".into());
        }
        Err(_) => return Ok(Reached { parsed, ..Reached::default() }),
    };
    let members = module.uniforms();
    let types = Types::default();
    let zero = |words: usize| vec![0x3f80_0000; words].into();
    let uniforms = members.iter().map(|member| zero(types.components(member.ty))).collect();
    let resources = module.resources().iter().map(|of| data(&of.kind)).collect();
    let inputs = Inputs { time: 1.25, uniforms, resources, ..Inputs::default() };
    let resources = Resources::for_members(&inputs, members, module.resources());
    let mut evaluator = ModuleEvaluator::new(&module, &resources, ROUNDS);
    let polls = Cell::new(0);
    let takes_long = || polls.replace(polls.get() + 1) > POLLS;
    let vertex = |_: [f32; 2]| Invocation { vertex_index: 5, ..Invocation::default() };
    if stage == Stage::Vertex && evaluator.run_invocation([0.5; 2], &vertex, &takes_long).is_err() {
        return Ok(Reached { parsed, accepted: true, computed: false });
    }
    let mut computed = false;
    for pixel in 0..2 {
        if evaluator.run(frag_coord(pixel, 0), &takes_long).is_ok() {
            for location in module.locations() {
                computed = true;
                evaluator.output(location).ok_or("an output of the module has no words")?;
            }
        }
    }
    Ok(Reached { parsed, accepted: true, computed })
}

/// Data to bind: three texels, or three elements.
fn data(kind: &BindingKind) -> Bound {
    match kind {
        BindingKind::Memory => Bound::Nothing,
        BindingKind::Texture => {
            let texels = [[0.5, 1.0, -2.0, 0.0]; 3].into_iter();
            Bound::Texture(TextureData::new([3, 1], texels, true).expect("three of three").into())
        }
        BindingKind::Buffer { element, .. } => {
            let mut types = Types::default();
            let words: usize = element.iter().map(|member| types.components(member.ty)).sum();
            let Ok(element) = types.add_array(Type::UINT, words as u32) else {
                return Bound::Nothing;
            };
            let words = (0..3 * words as u32).collect();
            Bound::Buffer(BufferData::new(&types, element, words).expect("three").into())
        }
    }
}
