//! SPIR-V assembly to words: the text of generated and foreign modules, with mutations.

use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::{Language, mutate};
use lambdav_generate::Random;
use lambdav_spirv::assemble::{SpirvVersion, assemble, is_assembly};
use lambdav_spirv::disassemble;
use lambdav_spirv_frontend::{RaiseOptions, raise};

pub(super) struct Assembly {
    texts: Vec<String>,
}

impl Assembly {
    pub(super) fn new(seeds: &Seeds) -> Self {
        let some = seeds.foreign_modules.iter().chain(seeds.modules.iter().step_by(7));
        let this = Self { texts: some.filter_map(|words| disassemble(words).ok()).collect() };
        // Builds tables that are made at the first use, so that no input is charged for them.
        if let Some(text) = this.texts.first() {
            let _ = this.run(text.as_bytes(), 0);
        }
        this
    }
}

/// The opcode of OpMemoryModel; a module has it exactly once.
const MEMORY_MODEL: u32 = 14;

/// Operands that are easily misread.
const WORDS: [&str; 24] = [
    "%4194303",
    "%4194304",
    "%4294967296",
    "%0",
    "%",
    "%a.b",
    "\"",
    "\"\\\"",
    "\"a\\\\\"",
    "!0xffffffff",
    "!4294967296",
    "0x1p-149",
    "-0x1.8p+128",
    "1e999",
    "-0",
    "nan",
    "None",
    "Sampled|Flat",
    "DepthReplacing",
    "OpCapability Shader",
    "%x = OpConstant %float 0.1",
    "= = =",
    "; a comment\n",
    "\u{feff}",
];

impl FuzzTarget for Assembly {
    fn name(&self) -> &'static str {
        "assembly"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let text = random.pick(&self.texts).clone();
        match random.percent(10) {
            true => text.into_bytes(),
            false => self.mutate(text.as_bytes(), random),
        }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let text = String::from_utf8_lossy(input).into_owned();
        if random.percent(40) || text.is_empty() {
            return mutate(&text, &self.texts, Language::Core, random);
        }
        // Replaces operands by others.
        let mut words: Vec<&str> = text.split(' ').collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(words.len());
            words[at] = match random.percent(60) {
                true => *random.pick(&WORDS),
                false => *random.pick(&words),
            };
        }
        words.join(" ").into_bytes()
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let text = String::from_utf8_lossy(input);
        let mut reached = Reached { parsed: is_assembly(&text), ..Reached::default() };
        let words = match assemble(&text, SpirvVersion::default()) {
            Ok(words) => words,
            Err(error) => {
                let [start, end] = [error.span.start, error.span.end].map(|at| at as usize);
                if error.kind.to_string().is_empty() || text.get(start..end).is_none() {
                    return Err(format!("an error has no message or no place: {error:?}"));
                }
                return Ok(reached);
            }
        };
        reached.accepted = true;
        // Disassembling and assembling a module must give the same instructions. (The text omits or moves
        // words that are no instructions; `!` makes arbitrary words.)
        let models =
            instructions(&words).iter().filter(|all| all[0] & 0xffff == MEMORY_MODEL).count();
        if models != 1 || text.contains('!') {
            return Ok(reached);
        }
        let raised = raise("fuzz.spv", &words, &RaiseOptions::default());
        if let (Ok(_), Ok(again)) = (raised.program, disassemble(&words)) {
            let same = assemble(&again, SpirvVersion::default());
            let same = same.map_err(|error| format!("{error:?}\n{again}"))?;
            if instructions(&same) != instructions(&words) {
                return Err(format!("it comes back as other words:\n{again}"));
            }
            reached.computed = true;
        }
        Ok(reached)
    }
}

/// The instructions behind a module's header, sorted.
fn instructions(words: &[u32]) -> Vec<&[u32]> {
    let mut rest = words.get(5..).unwrap_or_default();
    let mut all = Vec::new();
    while let Some(&first) = rest.first() {
        let length = ((first >> 16).max(1) as usize).min(rest.len());
        let (instruction, after) = rest.split_at(length);
        all.push(instruction);
        rest = after;
    }
    all.sort_unstable();
    all
}
