//! The tests of the root package in one program, since linking takes longer than running most of them.
//!
//! | module | tests |
//! |---|---|
//! | [`command`] | the built command |
//! | [`derivatives`] | derivatives against differences of pixels |
//! | [`dependencies`] | sources and licences of packages |
//! | [`float_environment`] | independence of floating-point flags set by other code |
//! | [`foreign`] | WGSL and GLSL against twins in λV |
//! | [`gallery`] | the gallery on every engine, against digests |
//! | [`integers`] | integers against Rust's operations, on every engine |
//! | [`interface`] | interfaces as data against emitted modules |
//! | [`language`] | the conformance suite: every program under `tests/language` |
//! | [`limits`] | sharing, nesting, size: accepted and refused programs |
//! | [`masks`] | divergent control flow |
//! | [`modules`] | dependencies between crates and modules |
//! | [`operands`] | every builtin on special operands |

mod check;
mod command;
mod dependencies;
mod derivatives;
mod engines;
mod float_environment;
mod foreign;
mod gallery;
mod integers;
mod interface;
mod language;
mod limits;
mod masks;
mod modules;
mod operands;

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
