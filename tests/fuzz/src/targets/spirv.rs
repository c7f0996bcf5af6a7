//! SPIR-V words to pixels.

use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::words::{from_bytes, mutate};
use lambdav::core::inputs::Inputs;
use lambdav::core::types::Types;
use lambdav::spirv::bytes;
use lambdav::spirv::eval::{Module, ModuleEvaluator, Resources};
use lambdav_generate::Random;
use std::cell::Cell;

pub(super) struct Spirv<'s> {
    pub(super) seeds: &'s Seeds,
}

/// Rounds of each entry of a loop: loops of loops of loops are wanted, too.
const ROUNDS: u64 = 3;

/// How often the evaluator may poll.
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
        let parsed = words.len() > 5;
        let module = match Module::new(&words) {
            Ok(module) => module,
            Err(error) if error.to_string().is_empty() => {
                return Err("an error says nothing".into());
            }
            Err(_) => return Ok(Reached { parsed, ..Reached::default() }),
        };
        let members = module.uniforms();
        let types = Types::default();
        let zero = |words: usize| vec![0x3f80_0000; words].into();
        let uniforms = members.iter().map(|member| zero(types.components(member.ty))).collect();
        let inputs = Inputs { time: 1.25, uniforms, ..Inputs::default() };
        let resources = Resources::for_members(&inputs, members, module.textures());
        let mut evaluator = ModuleEvaluator::new(&module, &resources, ROUNDS);
        let polls = Cell::new(0);
        let takes_long = || polls.replace(polls.get() + 1) > POLLS;
        let mut computed = false;
        for pixel in 0..2 {
            let x = pixel as f32 + 0.5;
            if evaluator.run([x, 0.5, 0.0, 1.0], &takes_long).is_ok() {
                for location in module.locations() {
                    computed = true;
                    evaluator.output(location).ok_or("an output of the module has no words")?;
                }
            }
        }
        Ok(Reached { parsed, accepted: true, computed })
    }

    fn is_binary(&self) -> bool {
        true
    }
}
