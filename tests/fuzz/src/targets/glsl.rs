//! GLSL to SPIR-V words, then as for other words. The front end finds all mistakes: the raise only meets
//! features that the core lacks, and programs that are too large.

use super::raise::run;
use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::{Language, mutate};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_generate::Random;
use lambdav_glsl_frontend::{Options, Stage, compile};
use lambdav_spirv_frontend::{RaiseOptions, raise};

pub(super) struct Glsl<'s> {
    pub(super) seeds: &'s Seeds,
}

/// Most mutations keep parentheses balanced; the others change whole lines.
fn language(random: &mut Random) -> Language {
    if random.percent(70) { Language::Program } else { Language::Core }
}

impl FuzzTarget for Glsl<'_> {
    fn name(&self) -> &'static str {
        "glsl"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let text = random.pick(&self.seeds.glsl);
        let language = language(random);
        mutate(text, &self.seeds.glsl, language, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let language = language(random);
        super::changed(input, &self.seeds.glsl, language, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let source = SourceFile::new("fuzz.frag", String::from_utf8_lossy(input));
        let stage = match number % 16 {
            0 => Stage::Vertex,
            1 => Stage::Compute,
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
        let compiled = compile(source, &options, &mut NoFiles);
        let length = compiled.source.text().len();
        let outside =
            compiled.diagnostics.iter().find(|found| found.primary.span.end as usize > length);
        if let Some(found) = outside {
            return Err(format!("a message lies outside of the text: {}", found.message));
        }
        let Some(words) = compiled.words else {
            return match compiled.diagnostics.has_errors() {
                true => Ok(Reached::default()),
                false => Err("a refusal has no message".into()),
            };
        };
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
