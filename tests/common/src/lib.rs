//! Support code shared by the tests of several crates. It depends on none of them.
#![forbid(unsafe_code)]

mod files;
mod lines;
pub mod meshes;
mod modules;
mod parallel;
mod random;
mod spirv_opt;
mod words;

use std::io::Write;
use std::process::{Command, Stdio};

pub use files::files_below;
pub use lines::{command_line, command_lines, header_bindings, header_command_lines};
pub use modules::cycles;
pub use parallel::{demand_enough, find_in_parallel, in_parallel, seeds};
pub use random::Random;
pub use spirv_opt::{is_valid, spirv_opt};
pub use words::{INTEGERS, NUMBERS};

/// A fragment shader in SPIR-V text that writes the `vec4` of a uniform block at binding 1.
pub const COLOUR_SHADER: &str = include_str!("colour.spvasm");

/// True if a program that `.ci/install-tools` installs is there. Otherwise reports that the test is skipped.
pub fn has_tool(name: &str) -> bool {
    let mut version = Command::new(name);
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    let found = version.status().is_ok_and(|status| status.success());
    if !found {
        skipped(&format!("{name} is not installed; .ci/install-tools does that"));
    }
    found
}

/// Reports a skipped test on standard error. The gate searches for this line, and the test harness shows the
/// output of `println` for failing tests only.
pub fn skipped(why: &str) {
    let line = format!("\nskipped: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error can be written");
}
