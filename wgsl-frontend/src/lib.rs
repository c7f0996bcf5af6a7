//! WGSL to SPIR-V.
#![forbid(unsafe_code)]
#![allow(dead_code)]

mod lexer;
mod numbers;
mod syntax;
mod templates;
mod token;
