//! The theorem on mutated modules that spirv-val still accepts: operands, operations, constants and
//! branches that no compiler would write. 1,000 mutations, or the environment's `CHANGES`.

use crate::theorem::Foreign;
use crate::tools::{graphicsfuzz_files, is_valid};
use crate::written::written;
use lambdav_amber::Script;
use lambdav_spirv::assemble::assemble;
use lambdav_spirv_eval::{LoadOptions, Module, Undefined};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use lambdav_test_support::{Random, has_tool};
use rspirv::spirv::Op;

/// Opcodes that replace one another.
const SETS: [&[u32]; 4] = [
    // Operations on two integers, and on two floats.
    &[128, 130, 132, 134, 135, 137, 138, 139, 194, 195, 196, 197, 198, 199],
    &[129, 131, 133, 136, 140, 141],
    // Comparisons of integers, and of floats.
    &[170, 171, 172, 173, 174, 175, 176, 177, 178, 179],
    &[180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191],
];

/// A module, split into instructions.
struct Instructions {
    words: Vec<u32>,
    /// Start of each instruction; `body` is the index of the first one of a function.
    starts: Vec<usize>,
    body: usize,
}

impl Instructions {
    fn new(words: Vec<u32>) -> Self {
        let (mut starts, mut at) = (Vec::new(), 5);
        while at < words.len() {
            starts.push(at);
            at += (words[at] >> 16) as usize;
        }
        let is_function = |&at: &usize| words[at] & 0xffff == Op::Function as u32;
        let body = starts.iter().position(is_function).expect("it has a function");
        Self { words, starts, body }
    }

    fn op(&self, at: usize) -> u32 {
        self.words[at] & 0xffff
    }

    fn len(&self, at: usize) -> usize {
        (self.words[at] >> 16) as usize
    }

    /// Applies a random mutation, if possible.
    fn change(&mut self, random: &mut Random) {
        let functions = &self.starts[self.body..];
        let at = *random.pick(functions);
        let (op, len) = (self.op(at), self.len(at));
        match random.below(4) {
            0 if len > 1 => {
                // The operand of an instruction of the same kind.
                let is_same = |&&other: &&usize| self.op(other) == op && self.len(other) == len;
                let same: Vec<usize> = functions.iter().filter(is_same).copied().collect();
                let (other, k) = (*random.pick(&same), 1 + random.below(len - 1));
                self.words[at + k] = self.words[other + k];
            }
            1 if len > 1 => {
                let other = *random.pick(functions);
                let word = self.words[other + random.below(self.len(other))];
                self.words[at + 1 + random.below(len - 1)] = word;
            }
            2 => {
                if let Some(set) = SETS.iter().find(|set| set.contains(&op)) {
                    self.words[at] = self.words[at] & 0xffff_0000 | *random.pick(set);
                }
            }
            _ => {
                let is_constant = |&&at: &&usize| self.op(at) == Op::Constant as u32;
                let all: Vec<usize> =
                    self.starts[..self.body].iter().filter(is_constant).copied().collect();
                if !all.is_empty() {
                    let word = &mut self.words[*random.pick(&all) + 3];
                    let (more, less) = (word.wrapping_add(1), word.wrapping_sub(1));
                    *word = *random.pick(&[more, less, 0, 31, 33, u32::MAX, 1 << 31, 0x7fc0_0000]);
                }
            }
        }
    }
}

/// True if both the evaluator and the raise accept the module; an error if they disagree.
fn agree(words: &[u32], seed: u64) -> Result<bool, String> {
    let options = RaiseOptions { clear: [0.25, 0.5, 0.75, 1.0], ..RaiseOptions::default() };
    let Ok((core, interface)) = raise("a.spv", words, &options).program else { return Ok(false) };
    let total = LoadOptions { undefined: Undefined::Total, ..LoadOptions::default() };
    Module::with_options(words, &total).map_err(|error| format!("not evaluated: {error}"))?;
    let foreign = Foreign::seeded(words, (&core, &interface), options.clear, [7, 5], 20, seed);
    // OpUnreachable was executed, or neighbours diverge: the words have no value.
    let has_no_answer = |what: &str| {
        ["OpUnreachable executed", "non-uniform control"].iter().any(|part| what.contains(part))
    };
    match foreign.check(&[[0, 0], [3, 2], [6, 4], [5, 1]]) {
        Err(what) if has_no_answer(&what) => Ok(false),
        checked => checked.map(|_| true),
    }
}

/// Small modules, and those of GraphicsFuzz, if they are there, except for the largest.
fn modules() -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = written().into_iter().map(|(_, words)| words).collect();
    for file in graphicsfuzz_files().unwrap_or_default() {
        let text = std::fs::read_to_string(file).expect("it can be read");
        let Ok(script) = Script::read(&text) else { continue };
        for shader in &script.shaders {
            let text = &text[shader.text.start as usize..shader.text.end as usize];
            // A few read images, and are in GLSL.
            let Some(version) = shader.version() else { continue };
            let words = assemble(text, version).expect("it is right");
            if words.len() < 2500 {
                all.push(words);
            }
        }
    }
    all
}

#[test]
fn what_is_valid_agrees() {
    if !has_tool("spirv-val") {
        return;
    }
    let count = std::env::var("CHANGES");
    let count: u64 = count.map_or(1000, |text| text.parse().expect("CHANGES is a number"));
    let seed = std::env::var("SEED").map_or(1, |text| text.parse().expect("SEED is a number"));
    let (modules, mut random, mut agreed) = (modules(), Random::new(seed), 0);
    for number in 0..count {
        let mut module = Instructions::new(random.pick(&modules).clone());
        for _ in 0..1 + random.below(2) {
            module.change(&mut random);
        }
        match agree(&module.words, number) {
            Ok(both) => agreed += u64::from(both),
            Err(what) if is_valid(&module.words) => panic!("change {number}: {what}"),
            Err(_) => {}
        }
    }
    println!("{agreed} of {count} are known and agree");
    assert!(agreed > count / 4, "{agreed}");
}
