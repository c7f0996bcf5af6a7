//! SPIR-V words to a graph, then as for a program; and WGSL to SPIR-V words.

use super::pixels::{compare, lower, stages};
use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::{Language, mutate as mutate_text};
use crate::words::{from_bytes, mutate};
use lambdav_core::source::SourceFile;
use lambdav_engine::foreign::{self, to_spirv};
use lambdav_generate::Random;
use lambdav_spirv::bytes;
use lambdav_spirv_frontend::{RaiseOptions, Raised, StageOptions, raise, raise_stages};

/// One in this many inputs is drawn.
const SOME: u64 = 16;

pub(super) struct Raise<'s> {
    pub(super) seeds: &'s Seeds,
}

impl FuzzTarget for Raise<'_> {
    fn name(&self) -> &'static str {
        "raise"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        // Foreign modules are few, but each exercises more.
        let modules = match random.percent(50) {
            true => &self.seeds.foreign_modules,
            false => &self.seeds.modules,
        };
        let module: &Vec<u32> = random.pick(modules);
        bytes(&mutate(module, modules, random))
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        bytes(&mutate(&from_bytes(input), &self.seeds.foreign_modules, random))
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        run(&from_bytes(input), number)
    }

    fn is_binary(&self) -> bool {
        true
    }
}

pub(super) struct Wgsl<'s> {
    pub(super) seeds: &'s Seeds,
}

impl FuzzTarget for Wgsl<'_> {
    fn name(&self) -> &'static str {
        "wgsl"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let text = random.pick(&self.seeds.wgsl);
        mutate_text(text, &self.seeds.wgsl, Language::Core, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        super::changed(input, &self.seeds.wgsl, Language::Core, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let source = SourceFile::new("fuzz.wgsl", String::from_utf8_lossy(input));
        match to_spirv(foreign::Language::Wgsl, &source) {
            Ok(words) => run(&words, number),
            Err(all) if all.is_empty() => Err("a refusal has no message".into()),
            Err(_) => Ok(Reached::default()),
        }
    }
}

/// Raises both stages of a pipeline, and lowers them.
fn run_stages(words: &[u32]) -> Result<(), String> {
    match raise_stages("fuzz.spv", words, &StageOptions::default()).program {
        Ok((core, _)) => stages(&core).iter().try_for_each(|stage| lower(stage).map(|_| ())),
        Err(error) if error.message.is_empty() => Err("an error has no message".into()),
        Err(_) => Ok(()),
    }
}

pub(super) fn run(words: &[u32], number: u64) -> Result<Reached, String> {
    run_stages(words)?;
    let Raised { source, program } = raise("fuzz.spv", words, &RaiseOptions::default());
    let core = match program {
        Ok((core, _)) => core,
        Err(error) if error.message.is_empty() => return Err("an error has no message".into()),
        Err(_) => return Ok(Reached { parsed: words.len() > 5, ..Reached::default() }),
    };
    let mut computed = false;
    for (location, program) in lower(&core)? {
        if number.is_multiple_of(SOME) {
            computed |= compare(&core, &source, location, &program, number / SOME)?;
        }
    }
    Ok(Reached { parsed: true, accepted: true, computed })
}
