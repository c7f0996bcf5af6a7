//! This program, built for another architecture and run by an emulator. There its compiler emits and runs
//! code of that architecture.

use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::process::Command;

/// The architecture.
pub const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Its linker, from Debian's `gcc-aarch64-linux-gnu`.
const LINKER: &str = "aarch64-linux-gnu-gcc";

/// The emulator, from Debian's `qemu-user`.
const EMULATOR: &str = "qemu-aarch64";

/// The reason why the emulated program cannot run.
#[derive(Debug)]
pub enum Unable {
    /// This tool is missing; `.ci/install-tools` installs it.
    Missing(String),
    /// The program could not be built or started.
    Failed(String),
}

impl Display for Unable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(what) => write!(f, "{what} is missing; .ci/install-tools installs it"),
            Self::Failed(what) => write!(f, "{what}"),
        }
    }
}

fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// True if the compiler has the architecture's standard library.
fn has_library() -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    rustc.output().is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && PathBuf::from(folder).is_dir()
    })
}

/// Checks that all tools for building and running are there.
///
/// # Errors
///
/// [`Unable::Missing`].
pub fn available() -> Result<(), Unable> {
    let missing = |what: &str| Err(Unable::Missing(what.to_owned()));
    if !answers(EMULATOR) {
        return missing(EMULATOR);
    }
    if !answers(LINKER) {
        return missing(LINKER);
    }
    if !has_library() {
        return missing(&format!("Rust's standard library for {TARGET}"));
    }
    Ok(())
}

/// Builds the program and runs it with these arguments. Its output is printed. False if it found differences.
///
/// # Errors
///
/// If the program cannot be built or started.
pub fn run(arguments: &[String]) -> Result<bool, Unable> {
    available()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let variable = |what: &str| format!("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_{what}");
    let status = Command::new(cargo)
        .args([
            "run",
            "--quiet",
            "--profile",
            "emulated",
            "--locked",
            "--package",
            "lambdav-matrix",
        ])
        .args(["--target", TARGET, "--"])
        .args(arguments)
        .current_dir(crate::pictures::root())
        .env(variable("LINKER"), LINKER)
        .env(variable("RUNNER"), EMULATOR)
        // Static linking, so that the emulator needs no libraries of the other architecture.
        .env(variable("RUSTFLAGS"), "-C target-feature=+crt-static")
        .status();
    match status {
        Ok(status) => match status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(Unable::Failed(format!("{TARGET}: {status}"))),
        },
        Err(error) => Err(Unable::Failed(format!("cargo cannot be started: {error}"))),
    }
}
