//! Compares the front end for WGSL with an evaluator of the language on random programs; exit status 1 if any
//! differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_engine::Engine;
use lambdav_glsl_tests::campaign::Campaign;
use lambdav_wgsl_tests::compare::{Mismatch, compare};
use lambdav_wgsl_tests::program::Program;
use lambdav_wgsl_tests::reduce::reduce;
use lambdav_wgsl_tests::{Options, generate, print};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare the front end for WGSL with an evaluator of the language on random programs
#[derive(Parser)]
struct Arguments {
    /// Number of programs
    #[arg(long, default_value_t = 1_000)]
    programs: u64,
    /// Seed of the first program; the others have those after it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// About the number of statements of the entry point
    #[arg(long, default_value_t = 30)]
    statements: usize,
    /// Write texts that differ, and their reduced forms, into this folder
    #[arg(long)]
    save: Option<PathBuf>,
    /// Print the text of each program
    #[arg(long)]
    print: bool,
    /// Number of mismatches that end the run
    #[arg(long, default_value_t = 20)]
    most: u64,
}

/// Machine code; for each eighth program the evaluator of SPIR-V as well.
fn engines(seed: u64) -> Vec<Engine> {
    match seed.is_multiple_of(8) {
        true => vec![Engine::Simd, Engine::Spirv],
        false => vec![Engine::Simd],
    }
}

/// Writes the text and its reduced form.
fn save(folder: &Path, seed: u64, program: &Program, mismatch: &Mismatch) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let write = |name: String, program: &Program, note: &str| {
        let note: String = note.lines().map(|line| format!("// {line}\n")).collect();
        std::fs::write(folder.join(name), print(program) + &note)
    };
    write(format!("{seed}.wgsl"), program, &mismatch.to_string())?;
    let kind = mismatch.kind();
    let fails = |program: &Program| {
        compare(program, &engines(seed)).is_err_and(|mismatch| mismatch.kind() == kind)
    };
    let reduced = reduce(program, &fails);
    let note = compare(&reduced, &engines(seed)).err().map(|error| error.to_string());
    write(format!("{seed}.reduced.wgsl"), &reduced, &note.unwrap_or_default())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let options = Options { statements: arguments.statements };
    let program = |seed| {
        let program = generate(seed, &options);
        if arguments.print {
            println!("{}", print(&program));
        }
        program
    };
    let found = |program: &Program, seed, mismatch: &Mismatch| {
        println!("seed {seed}: {mismatch}");
        if let Some(folder) = &arguments.save
            && let Err(error) = save(folder, seed, program, mismatch)
        {
            eprintln!("error: {error}");
        }
    };
    let Arguments { programs, seed, most, .. } = arguments;
    let test = |program: &Program, seed| compare(program, &engines(seed));
    Campaign { programs, seed, most }.run(program, test, found)
}
