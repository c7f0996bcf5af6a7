//! Programs of Debian's package spirv-tools, which `.ci/install-tools` installs, and the files of
//! GraphicsFuzz.

use lambdav_spirv::{bytes, words};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Standard output of a program with that input.
fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it is installed");
    child.stdin.take().expect("it is a pipe").write_all(input).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Assembles a module with spirv-as.
pub(crate) fn assemble(text: &str, environment: &str) -> Vec<u32> {
    let mut assembler = Command::new("spirv-as");
    assembler.args(["--target-env", environment, "--preserve-numeric-ids", "-o", "-", "-"]);
    words(&run(&mut assembler, text.as_bytes())).expect("it is a module")
}

/// True if spirv-val accepts a module.
pub(crate) fn is_valid(module: &[u32]) -> bool {
    let mut child = Command::new("spirv-val")
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it is installed");
    // spirv-val may end before it has read everything.
    let _ = child.stdin.take().expect("it is a pipe").write_all(&bytes(module));
    child.wait().expect("it ends").success()
}

/// The tests that GraphicsFuzz found, sorted, if they are there.
pub(crate) fn graphicsfuzz_files() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/graphicsfuzz");
    let files = std::fs::read_dir(folder).ok()?;
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    Some(files)
}
