//! The same bits on every machine: λV's pictures against one list of digests,
//! `tests/golden/gallery.txt`.
//!
//! | module | is |
//! |---|---|
//! | [`pictures`] | the shaders that draw pictures, and digests of these |
//! | [`configurations`] | numbers of lanes and threads, tiles, and what a processor can do |
//! | [`compare`] | all pictures in all configurations, on the machine that this runs on |
//! | [`emulated`] | this very program built for another architecture, and run by an emulator |
//!
//! The list is written by the core evaluator alone: `BLESS=1 cargo test --test all gallery`.
#![forbid(unsafe_code)]

pub mod compare;
pub mod configurations;
pub mod emulated;
pub mod pictures;
