//! A module as it is written: declarations by id, functions as blocks, names, decorations, lines.
//!
//! These modules know the grammar only, no meaning. *Any words give a module or an error.*

mod debug;
mod declarations;
mod function;
mod layout;
mod types;
mod words;

pub(crate) use declarations::{DEMOTED, EntryPoint, Module, REPORTED, Variable};
pub(crate) use function::{Block, Function, Merge};
pub(crate) use layout::{Layout, value_offsets, word_offsets};
pub(crate) use types::{ImageShape, ImageType, ModuleType};
pub(crate) use words::Instruction;
