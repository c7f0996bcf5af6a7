//! The tests of the SPIR-V frontend, in one program.

mod assemble;
mod bound;
mod changed;
mod graphicsfuzz;
mod helpers;
mod large;
mod malformed;
mod naga;
mod naga_words;
mod operations;
mod own;
mod theorem;
mod tools;
mod undefined;
mod words;
mod written;

#[allow(dead_code, reason = "the tests of the emitter share it")]
#[path = "../../../spirv-backend/tests/all/support/mod.rs"]
mod support;
