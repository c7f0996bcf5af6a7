//! Core text to a graph, then as for a program.

use super::pixels::{compare, lower, stages};
use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::{Language, mutate};
use lambdav_core::core_text::{print, read};
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;
use lambdav_frontend::syntax::decode;
use lambdav_generate::{Random, unfit};

pub(super) struct CoreText<'s> {
    pub(super) seeds: &'s Seeds,
}

/// One in this many inputs is drawn.
const SOME: u64 = 16;

impl FuzzTarget for CoreText<'_> {
    fn name(&self) -> &'static str {
        "core-text"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let text = random.pick(&self.seeds.cores);
        mutate(text, &self.seeds.cores, Language::Core, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        super::changed(input, &self.seeds.cores, Language::Core, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let Ok(file) = decode("fuzz.core", input.to_vec()) else {
            return Ok(Reached::default());
        };
        let (core, diagnostics) = read(&file);
        unfit(&file, &diagnostics, core.is_some()).map_or(Ok(()), Err)?;
        let Some(core) = core else { return Ok(Reached::default()) };
        let mut computed = false;
        for stage in stages(&core) {
            for (location, program) in lower(&stage)? {
                if number.is_multiple_of(SOME) {
                    computed |= compare(&stage, &file, location, &program, number / SOME)?;
                }
            }
        }
        comes_back(&core, &file)?;
        Ok(Reached { parsed: true, accepted: true, computed })
    }
}

/// Checks that printed core can be read, and that printing what was read gives the same text.
fn comes_back(core: &Core, file: &SourceFile) -> Result<(), String> {
    // Blocks that nest too deep cannot be printed.
    let Ok(first) = print(core, Some(file)) else { return Ok(()) };
    let again = |text: &str| {
        let file = SourceFile::new("printed.core", text);
        let (core, diagnostics) = read(&file);
        let core = core.ok_or_else(|| format!("printed, but not read: {diagnostics:?}\n{text}"))?;
        print(&core, Some(&file)).map_err(|_| "read, but not printed again".to_owned())
    };
    // Reading simplifies once more. Guards are placed anew each time, in an unspecified order.
    let second = again(&first)?;
    let third = again(&second)?;
    if !third.contains("= guard ") && without_comments(&second) != without_comments(&third) {
        return Err(format!("core text changes when it is read:\n{second}\n{third}"));
    }
    Ok(())
}

/// The lines without their comments, which are positions.
fn without_comments(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect()
}
