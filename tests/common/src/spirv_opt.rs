//! Modules that `spirv-opt` optimises.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// A module after `spirv-opt -O`.
///
/// # Panics
///
/// If `spirv-opt` is not installed, or does not take the module.
pub fn spirv_opt(words: &[u32]) -> Vec<u32> {
    let output = run("spirv-opt", &["-O", "-", "-o", "-"], &in_no_language(words));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let words = output.stdout.chunks_exact(4);
    words.map(|of| u32::from_le_bytes([of[0], of[1], of[2], of[3]])).collect()
}

/// True if `spirv-val` accepts a module. (`spirv-opt` 2023.1 copies some structures between buffers of different layouts
/// by a store of the wrong type.)
///
/// # Panics
///
/// If `spirv-val` is not installed.
pub fn is_valid(words: &[u32]) -> bool {
    run("spirv-val", &["-"], words).status.success()
}

fn run(program: &str, arguments: &[&str], words: &[u32]) -> Output {
    let bytes: Vec<u8> = words.iter().copied().flat_map(u32::to_le_bytes).collect();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it is installed");
    child.stdin.take().expect("it is a pipe").write_all(&bytes).expect("it reads its input");
    child.wait_with_output().expect("it ends")
}

/// The words without the source language, which `spirv-opt` may not know yet.
fn in_no_language(words: &[u32]) -> Vec<u32> {
    let (mut words, mut at) = (words.to_vec(), 5);
    while let Some(&first) = words.get(at) {
        if first & 0xffff == 3 {
            words[at + 1] = 0;
        }
        at += ((first >> 16) as usize).max(1);
    }
    words
}
