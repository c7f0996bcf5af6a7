//! The tests of frontend and core on shader texts, in one binary: `cargo test -p lambdav-frontend --test all
//! -- pages` runs those of one module.

mod core_text;
mod diagnostics;
mod mistakes;
mod pages;
mod reference;
mod resources;
mod triangles;
mod verify;
