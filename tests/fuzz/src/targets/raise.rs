//! SPIR-V words to a graph, then as for a program; and WGSL and GLSL to SPIR-V words.

use super::pixels::{compare, lower, stages};
use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::{Language, mutate as mutate_text};
use crate::words::{from_bytes, mutate};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_engine::foreign::{self, to_spirv};
use lambdav_generate::{Random, unfit};
use lambdav_glsl_frontend::{Compiled, Options, Stage, compile};
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

pub(super) struct Glsl<'s> {
    pub(super) seeds: &'s Seeds,
}

impl FuzzTarget for Glsl<'_> {
    fn name(&self) -> &'static str {
        "glsl"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let text = random.pick(&self.seeds.glsl);
        mutate_text(text, &self.seeds.glsl, Language::Glsl, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        super::changed(input, &self.seeds.glsl, Language::Glsl, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let source = SourceFile::new("fuzz.frag", String::from_utf8_lossy(input));
        let stage = match number % 8 {
            6 => Stage::Vertex,
            7 => Stage::Compute,
            _ => Stage::Fragment,
        };
        let options = Options {
            dialect: None,
            stage,
            defines: &[],
            roots: &[],
            path: None,
            most: limits::ERRORS,
        };
        let Compiled { source, words, diagnostics, .. } = compile(source, &options, &mut NoFiles);
        unfit(&source, &diagnostics, words.is_some()).map_or(Ok(()), Err)?;
        let Some(words) = words else { return Ok(Reached::default()) };
        is_never_malformed(&words)?;
        run(&words, number)
    }
}

/// Checks that the raise knows no rule of SPIR-V that the words break.
fn is_never_malformed(words: &[u32]) -> Result<(), String> {
    match raise("fuzz.frag", words, &RaiseOptions::default()).program {
        Err(error) if error.code == DiagnosticCode::MalformedModule => Err(error.message),
        _ => Ok(()),
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

fn run(words: &[u32], number: u64) -> Result<Reached, String> {
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
