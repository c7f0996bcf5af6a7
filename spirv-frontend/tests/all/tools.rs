//! Programs of spirv-tools, Debian's package, which `.ci/install-tools` installs.

use lambdav_spirv_backend::words;
use lambdav_test_support::skipped;
use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a program is there.
pub(crate) fn has(tool: &str) -> bool {
    let mut version = Command::new(tool);
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    let found = version.status().is_ok_and(|status| status.success());
    if !found {
        skipped(&format!("{tool} is not installed; .ci/install-tools does that"));
    }
    found
}

/// What a program writes that is given that as its input.
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

/// The words of a module from its text, optimised if that is wanted.
pub(crate) fn assemble(text: &str, environment: &str, optimised: bool) -> Vec<u32> {
    let mut assembler = Command::new("spirv-as");
    assembler.args(["--target-env", environment, "--preserve-numeric-ids", "-o", "-", "-"]);
    let mut bytes = run(&mut assembler, text.as_bytes());
    if optimised {
        bytes = run(Command::new("spirv-opt").args(["-O", "-", "-o", "-"]), &bytes);
    }
    words(&bytes).expect("it is a module")
}
