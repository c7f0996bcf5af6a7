//! The bytes of a file to lane programs, and for some inputs to pixels.

use super::pixels::{compare, lower, stages};
use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::Language;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_engine::program::Loaded;
use lambdav_generate::{Random, unfit};

pub(super) struct Pipeline<'s> {
    pub(super) seeds: &'s Seeds,
}

/// One in this many inputs goes to the differential oracle, and another is drawn.
const SOME: u64 = 8;

impl FuzzTarget for Pipeline<'_> {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        super::program(self.seeds, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        super::changed(input, &self.seeds.texts, Language::Program, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let loaded = Loaded::from_bytes("fuzz.lv", input.to_vec());
        let accepted = loaded.core.is_some();
        unfit(&loaded.source, &loaded.diagnostics, accepted).map_or(Ok(()), Err)?;
        let is_parsers = |d: &Diagnostic| d.code.as_str().starts_with("LV01");
        let parsed = !loaded.diagnostics.iter().any(is_parsers);
        if parsed && !loaded.is_core_text && (number == 0 || number % SOME == 1) {
            lambdav_generate::compare(loaded.source.text())?;
        }
        let Some(core) = &loaded.core else {
            return Ok(Reached { parsed, ..Reached::default() });
        };
        let mut computed = false;
        for stage in stages(core) {
            for (location, program) in lower(&stage)? {
                if number.is_multiple_of(SOME) {
                    let source = &loaded.source;
                    computed |= compare(&stage, source, location, &program, number / SOME)?;
                }
            }
        }
        Ok(Reached { parsed, accepted, computed })
    }
}
