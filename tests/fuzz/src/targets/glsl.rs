//! GLSL to SPIR-V words, then as for other words. The front end finds all mistakes: the raise only meets
//! features that the core lacks, and programs that are too large.

use super::raise::run;
use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::{Language, mutate};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_generate::{Random, unfit};
use lambdav_glsl_frontend::{Compiled, Options, Stage, compile};
use lambdav_spirv_frontend::{RaiseOptions, raise};

pub(super) struct Glsl<'s> {
    pub(super) seeds: &'s Seeds,
}

impl FuzzTarget for Glsl<'_> {
    fn name(&self) -> &'static str {
        "glsl"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let text = random.pick(&self.seeds.glsl);
        mutate(text, &self.seeds.glsl, Language::Glsl, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        super::changed(input, &self.seeds.glsl, Language::Glsl, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let source = SourceFile::new("fuzz.frag", String::from_utf8_lossy(input));
        let stage = match number % 16 {
            1 => Stage::Vertex,
            2 => Stage::Compute,
            _ => Stage::Fragment,
        };
        let options = Options::new(stage);
        let Compiled { source, words, diagnostics, .. } = compile(source, &options, &mut NoFiles);
        unfit(&source, &diagnostics, words.is_some()).map_or(Ok(()), Err)?;
        let Some(words) = words else { return Ok(Reached::default()) };
        let found = raise("fuzz.spv", &words, &RaiseOptions::default()).program.err();
        let is_allowed = |code| {
            matches!(code, DiagnosticCode::UnsupportedModule | DiagnosticCode::ExpansionTooLarge)
        };
        match found {
            Some(found) if !is_allowed(found.code) => {
                Err(format!("the raise complains: {}", found.message))
            }
            _ => run(&words, number),
        }
    }
}
