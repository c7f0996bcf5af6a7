//! The tests of the SPIR-V backend, in one program: `cargo test -p lambdav-spirv-backend --test all
//! -- theorem` runs those of one module.

mod aggregates;
mod constants;
mod exact;
mod integers;
mod interface;
mod library;
mod malformed;
mod passes;
mod shape;
mod support;
mod tables;
mod theorem;
mod validity;
