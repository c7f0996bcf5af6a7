//! eval_S: what a SPIR-V module computes, by the operational semantics of the λV report (§3).
//!
//! A module is read from its words alone and checked as far as executing it needs; then each pixel
//! is a walk: a memory of ids, the current and the previous block, and the callers of the function. A φ
//! takes the value of the way that control came; merge instructions, names and lines do nothing. Arithmetic is IEEE
//! binary32, the functions of GLSL.std.450 are those of LANGUAGE §6, the elementary ones correctly rounded, and
//! a NaN that is computed is 0x7fc00000.
//!
//! It executes fragment shaders of any compiler, of values of 32 bits: functions, variables of all logical storage
//! classes, pointers into them, structures and arrays, structured or any other reducible control flow, OpKill,
//! matrices, textures of two dimensions, derivatives. No function calls itself, so each id has a place of its own, and an
//! activation of a function is a number: what was computed in another one is as good as not computed.
//!
//! What SPIR-V leaves undefined is, as the reader chooses ([`Undefined`]), a fault or bits that nobody expects, so
//! that an emitter does not depend on it; or it has the values of `docs/spirv.md`, so that modules of other compilers
//! have an answer, with which the raise is compared.
//!
//! # What is guaranteed
//!
//! - *Words of any kind have an answer or an error, never a panic, and every run ends*: blocks are put in order
//!   (`order`), a branch backwards goes to the header of a loop, and each entry of a loop may take it only so often.
//!   Calls go no deeper than there are functions.
//! - *Nothing is guessed*: instructions, functions and declarations that the evaluator does not know are refused by
//!   name, and so are, in modules that must not depend on what is undefined, capabilities and decorations.
//!   [`Module::ACCEPTED`] lists the instructions.
//! - An id that has not been computed in this activation is an error where it is used. (OpUndef, which may be
//!   anything, is zero.)
//! - A derivative is the difference between the two pixels of a quad (LANGUAGE §13), each of which executes the module for
//!   itself. Where one of them does not come to the same derivative, that is a fault: the raise has a value there.
//!   OpUnreachable that is reached is a fault, too.
//!
//! - Numbers of 64 bits are scalars (`wide`): exact modules have such. Subnormal numbers are kept, unless
//!   one asks for a device that flushes them ([`Arithmetic`]).
//!
//! It shares nothing with the emitter and the raise but reference mathematics and the data of textures and buffers.

#![forbid(unsafe_code)]

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
pub mod mutants;
mod options;
mod order;
mod resources;
mod run;
mod scan;
mod signature;
mod values;
mod wide;

pub use code::Position;
pub use error::LoadError;
pub use module::{Module, Source};
pub use options::{Arithmetic, LoadOptions, Undefined};
pub use resources::{
    BindingKind, InputSource, InputVariable, Member, PUSH_CONSTANT_WORDS, ResourceBinding,
    Resources, SharedData,
};
pub use run::{ModuleEvaluator, ModuleFault};
