//! Keywords and names of types, by version.

use super::tree::{Mark, Storage};
use crate::token::{Name, Names};
use crate::types::{self, Kind, Role, Types};
use crate::version::Version;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Identifier,
    /// The name of a built-in type.
    Type,
    Storage(Storage),
    Mark(Mark),
    Bool(bool),
    Struct,
    Layout,
    Precision,
    If,
    Else,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Break,
    Continue,
    Return,
    Discard,
    Demote,
    Subroutine,
    /// `pervertexEXT`.
    PerVertex,
}

/// What each name of a text is.
#[derive(Debug)]
pub(crate) struct Words {
    words: Vec<Word>,
}

impl Words {
    /// Finds the keywords of a version among the names.
    pub(crate) fn new(names: &Names, version: Version, vulkan: bool) -> Self {
        let mut types = Types::new();
        let words = names.all().map(|text| word(text, version, vulkan, &mut types)).collect();
        Self { words }
    }

    pub(crate) fn of(&self, name: Name) -> Word {
        self.words.get(name.0 as usize).copied().unwrap_or(Word::Identifier)
    }
}

fn word(text: &str, version: Version, vulkan: bool, types: &mut Types) -> Word {
    // Least desktop and ES versions that reserve a word.
    let since = |desktop: u32, es: u32| version.number >= if version.es { es } else { desktop };
    let never = u32::MAX;
    let (word, reserved) = match text {
        "true" => (Word::Bool(true), true),
        "false" => (Word::Bool(false), true),
        "struct" => (Word::Struct, true),
        "const" => (Word::Storage(Storage::Const), true),
        "in" => (Word::Storage(Storage::In), true),
        "out" => (Word::Storage(Storage::Out), true),
        "inout" => (Word::Storage(Storage::InOut), true),
        "uniform" => (Word::Storage(Storage::Uniform), true),
        "attribute" => (Word::Storage(Storage::Attribute), true),
        "varying" => (Word::Storage(Storage::Varying), true),
        "buffer" => (Word::Storage(Storage::Buffer), since(430, 310)),
        "shared" => (Word::Storage(Storage::Shared), since(430, 310)),
        "layout" => (Word::Layout, since(130, 300)),
        "precision" => (Word::Precision, true),
        "highp" | "mediump" | "lowp" => (Word::Mark(Mark::Precision), true),
        "flat" => (Word::Mark(Mark::Flat), since(130, 300)),
        "smooth" => (Word::Mark(Mark::Smooth), since(130, 300)),
        "noperspective" => (Word::Mark(Mark::NoPerspective), since(130, 300)),
        "centroid" => (Word::Mark(Mark::Centroid), since(120, 300)),
        "sample" => (Word::Mark(Mark::Sample), since(400, 320)),
        "patch" => (Word::Mark(Mark::Patch), since(400, 320)),
        "invariant" => (Word::Mark(Mark::Invariant), since(120, 100)),
        "precise" => (Word::Mark(Mark::Precise), since(400, 320)),
        "coherent" => (Word::Mark(Mark::Coherent), since(420, 310)),
        "volatile" => (Word::Mark(Mark::Volatile), since(420, 310)),
        "restrict" => (Word::Mark(Mark::Restrict), since(420, 310)),
        "readonly" => (Word::Mark(Mark::ReadOnly), since(420, 310)),
        "writeonly" => (Word::Mark(Mark::WriteOnly), since(420, 310)),
        "nonuniformEXT" => (Word::Mark(Mark::Other), vulkan),
        "if" => (Word::If, true),
        "else" => (Word::Else, true),
        "for" => (Word::For, true),
        "while" => (Word::While, true),
        "do" => (Word::Do, true),
        "switch" => (Word::Switch, since(130, 300)),
        "case" => (Word::Case, since(130, 300)),
        "default" => (Word::Default, since(130, 300)),
        "break" => (Word::Break, true),
        "continue" => (Word::Continue, true),
        "return" => (Word::Return, true),
        "discard" => (Word::Discard, true),
        "demote" => (Word::Demote, vulkan),
        "terminateInvocation" => (Word::Discard, vulkan),
        "subroutine" => (Word::Subroutine, since(400, never)),
        "pervertexEXT" | "pervertexNV" => (Word::PerVertex, true),
        "uint" | "uvec2" | "uvec3" | "uvec4" => (Word::Type, since(130, 300)),
        "double" => (Word::Type, since(400, never)),
        "sampler" | "samplerShadow" => (Word::Type, vulkan),
        "atomic_uint" => (Word::Type, since(420, 310)),
        _ => match types::named(types, text).map(|ty| types.kind(ty)) {
            Some(Kind::Image(image)) => (
                Word::Type,
                match image.role {
                    Role::Separate | Role::Subpass => vulkan,
                    Role::Storage => since(420, 310),
                    Role::Combined => true,
                },
            ),
            Some(Kind::Matrix(_, columns, rows)) => {
                (Word::Type, columns == rows || since(120, 300))
            }
            Some(_) => (Word::Type, true),
            None => (Word::Identifier, true),
        },
    };
    if reserved { word } else { Word::Identifier }
}
