//! The tests of the package, in one program: linking takes longer than running most of them.
//!
//! | module | is |
//! |---|---|
//! | [`command`] | the built command, as its users meet it |
//! | [`derivatives`] | against differences of pixels |
//! | [`dependencies`] | where packages come from, and under which licences |
//! | [`float_environment`] | flags that other code of the process sets change no bit |
//! | [`gallery`] | the gallery on every engine, against digests of the exact bits |
//! | [`integers`] | integers against Rust's operations, on every engine |
//! | [`interface`] | interfaces as data against the modules that are emitted |
//! | [`language`] | the conformance suite: every program under `tests/language` |
//! | [`limits`] | sharing, nesting, size: what must be accepted, and what is refused |
//! | [`masks`] | divergent control flow |
//! | [`modules`] | the arrows between modules |
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

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
