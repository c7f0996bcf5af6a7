//! eval_S: what a SPIR-V module computes, by the operational semantics of the λV report (§3).
//!
//! A module is read from its words alone and checked as far as executing it needs; then each pixel
//! is a walk: a memory of ids, the current and the previous block. A φ takes the value of the way
//! that control came; merge instructions, names and lines do nothing. Arithmetic is IEEE binary32,
//! the functions of GLSL.std.450 are the correctly rounded ones of LANGUAGE §6, and a NaN that is
//! computed is 0x7fc00000.
//!
//! # What is guaranteed
//!
//! - *Words of any kind have an answer or an error, never a panic, and every run ends*: a branch
//!   backwards goes to the header of a loop, and each entry of a loop may take it only so often.
//! - *Nothing is guessed*: instructions, capabilities, decorations and functions that the evaluator
//!   does not know are refused by name. It knows one fragment entry point without calls, with
//!   values of bools, 32-bit floats and integers, vectors and matrices of them, and blocks of
//!   memory read at constant places; of images, texels of 2D ones. [`Module::ACCEPTED`] lists the instructions.
//! - An id that has not been computed in this pixel is an error where it is used. (OpUndef, which
//!   may be anything, is zero.)

mod accepted;
mod arithmetic;
mod binary;
mod code;
mod composite;
mod compute;
mod error;
mod function;
mod functions;
mod global;
mod images;
mod integers;
mod loader;
mod module;
mod options;
mod order;
mod resources;
mod run;
mod scan;
mod signature;
mod values;

pub use code::Position;
pub use error::LoadError;
pub use module::{Module, Source};
pub use options::{LoadOptions, Undefined};
pub use resources::{
    BindingKind, InputSource, InputVariable, Member, PUSH_CONSTANT_WORDS, ResourceBinding,
    Resources, SharedData,
};
pub use run::{ModuleEvaluator, ModuleFault};
