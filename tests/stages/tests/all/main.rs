//! The files of all stages, and the harness itself.

mod harness;

use lambdav_stages::check_folder;

#[test]
fn lanes() {
    check_folder("lanes");
}

#[test]
fn registers() {
    check_folder("registers");
}

/// Register programs as text: the reader.
#[test]
fn read() {
    check_folder("read");
}

/// Register programs as text: the verifier.
#[test]
fn verify() {
    check_folder("verify");
}

/// Register programs as text: the interpreter.
#[test]
fn run() {
    check_folder("run");
}

#[test]
fn assembly() {
    check_folder("assembly");
}

#[test]
fn spirv() {
    check_folder("spirv");
}
