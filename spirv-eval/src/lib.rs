//! eval_S: the value of a SPIR-V module, by the operational semantics of the λV report (§3).
//!
//! The module is decoded from its words alone and checked as far as executing it needs. Then each pixel
//! walks the blocks with a memory of ids, the current and the previous block, and the callers of the
//! function. A φ takes the value for its predecessor; merge instructions, names and lines do nothing.
//! Arithmetic is IEEE binary32, the functions of GLSL.std.450 are those of LANGUAGE §6, elementary
//! functions are correctly rounded, and a computed NaN is 0x7fc00000.
//!
//! It executes vertex, fragment and compute shaders of any compiler on 32-bit values: functions, variables of all logical
//! storage classes, pointers into them, structures and arrays, structured or any other reducible control
//! flow, OpKill, matrices, 2D textures, derivatives. Recursion is refused, so each id has a place of its
//! own. Activations of functions are numbered: a value computed in another activation counts as not
//! computed.
//!
//! SPIR-V's undefined behaviour is, as the caller chooses ([`Undefined`]), a fault or improbable bits,
//! so that no emitter can depend on it; or it has the values of `docs/spirv.md`, so that modules of
//! other compilers have one answer, with which the raise is compared.
//!
//! # Guarantees
//!
//! - *Any words give an answer or an error, never a panic, and every run ends*: blocks are put in order
//!   (`order`), a branch backwards goes to the header of a loop, and each entry of a loop may take it a
//!   limited number of times. The call depth is at most the number of functions.
//! - *Nothing is guessed*: unknown instructions, functions and declarations are refused by name. Modules
//!   that must not depend on undefined behaviour are also refused for unknown capabilities and
//!   decorations. [`Module::ACCEPTED`] lists the instructions.
//! - Using an id that has not been computed in this activation is an error. (OpUndef, which may be any
//!   value, is zero.)
//! - A derivative is the difference between two pixels of a quad (LANGUAGE §13), each of which executes
//!   the module by itself. If one of them does not reach the same derivative, that is a fault, though
//!   the raise has a value there. Executing OpUnreachable is a fault, too.
//!
//! - A dispatch has one result: invocations run one after another, up to the next barrier (`run::dispatch`). Words of
//!   storage buffers beyond their end, and of variables of the workgroup, are read as 0 and not written; a stored NaN is
//!   0x7fc00000.
//! - An observer sees names and lines of the author, and which events made the output: the dynamic slice (`run::slice`).
//! - Numbers of 64 bits are scalars (`wide`), for exact modules. Subnormal numbers are kept unless the
//!   caller asks for a device that flushes them ([`Arithmetic`]).
//!
//! The evaluator shares nothing with the emitter and the raise but reference mathematics and the data of
//! textures and buffers.

#![forbid(unsafe_code)]

mod accepted;
mod arithmetic;
mod binary;
mod code;
mod composite;
mod compute;
mod debug;
mod error;
mod function;
mod functions;
mod global;
mod images;
mod integers;
mod loader;
mod module;
pub mod mutants;
mod note;
mod observer;
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
pub use observer::{ModuleEvent, ModuleScalar, ModuleValue, Observer, Printed};
pub use options::{Arithmetic, LoadOptions, Undefined};
pub use resources::{
    BindingKind, InputSource, InputVariable, Member, PUSH_CONSTANT_WORDS, ResourceBinding,
    Resources, SharedData,
};
pub use run::{DispatchError, Invocation, ModuleEvaluator, ModuleFault, Slice};
