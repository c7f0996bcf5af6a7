//! Targets: the input readers.

mod amber;
mod assembly;
mod beside;
pub mod command;
mod core_text;
mod folders;
mod glsl;
mod hostile;
mod images;
mod json;
mod meshes;
mod names;
mod npy;
mod pairs;
mod parse;
mod pipeline;
mod pixels;
mod raise;
mod reports;
mod settings;
mod spirv;

use crate::seeds::Seeds;
use crate::text::{Language, more, mutate};
use lambdav_generate::Random;

/// Stages that an input reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// It is well-formed.
    pub parsed: bool,
    /// It is accepted as a whole.
    pub accepted: bool,
    /// Pixels were computed and compared.
    pub computed: bool,
}

/// An input reader.
pub trait FuzzTarget: Sync {
    /// The target's name, for the command line and for its folder in the corpus.
    fn name(&self) -> &'static str;

    /// Makes an input.
    fn input(&self, random: &mut Random) -> Vec<u8>;

    /// Mutates an input, which may grow.
    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8>;

    /// Runs an input. Slow checks run for some numbers only, and always for 0.
    ///
    /// # Errors
    ///
    /// A property that does not hold.
    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String>;

    /// True if inputs are binary rather than text.
    fn is_binary(&self) -> bool {
        false
    }
}

/// All targets.
pub fn all(seeds: &Seeds) -> [Box<dyn FuzzTarget + '_>; 20] {
    [
        Box::new(parse::Parse { seeds }),
        Box::new(pipeline::Pipeline { seeds }),
        Box::new(core_text::CoreText { seeds }),
        Box::new(spirv::Spirv { seeds }),
        Box::new(raise::Raise { seeds }),
        Box::new(raise::Wgsl { seeds }),
        Box::new(glsl::Glsl { seeds }),
        Box::new(images::Images::new()),
        Box::new(folders::Folders),
        Box::new(beside::Beside),
        Box::new(reports::Reports),
        Box::new(pairs::Pairs),
        Box::new(npy::Npy::new()),
        Box::new(amber::Amber),
        Box::new(assembly::Assembly::new(seeds)),
        Box::new(hostile::Hostile),
        Box::new(names::Names),
        Box::new(json::Json::new()),
        Box::new(settings::SettingPaths::new()),
        Box::new(meshes::Meshes),
    ]
}

/// Mutates a text; half of the time, after repeating a piece of it.
fn changed(input: &[u8], others: &[String], language: Language, random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let text = match random.percent(50) {
        true => more(&text, language, random),
        false => text.into_owned(),
    };
    mutate(&text, others, language, random)
}

/// The text of a program: a generated program with a mistake, or a mutated text.
fn program(seeds: &Seeds, random: &mut Random) -> Vec<u8> {
    use lambdav_generate::Mistake;

    let texts = |random: &mut Random, seeds: &Seeds| match random.percent(65) {
        true => random.pick(&seeds.programs).to_string(),
        false => random.pick(&seeds.texts).clone(),
    };
    if random.percent(35) {
        let (program, other) = (random.pick(&seeds.programs), random.pick(&seeds.programs));
        let mistake = *random.pick(&Mistake::ALL);
        if let Some(text) = mistake.make(program, other, random) {
            return text.into_bytes();
        }
    }
    let text = texts(random, seeds);
    mutate(&text, &seeds.texts, Language::Program, random)
}
