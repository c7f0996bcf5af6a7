//! Compares the front end for WGSL with an evaluator of the language on random programs; exit status 1 if any
//! differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_engine::Engine;
use lambdav_wgsl_tests::compare::{Mismatch, compare};
use lambdav_wgsl_tests::program::Program;
use lambdav_wgsl_tests::reduce::reduce;
use lambdav_wgsl_tests::{Options, generate, print};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

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
    let options = Options { statements: arguments.statements, ..Options::default() };
    let [next, found, done, limited] = [0, 0, 0, 0].map(AtomicU64::new);
    let output = Mutex::new(());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.programs || found.load(Ordering::Relaxed) >= arguments.most {
                return;
            }
            let seed = arguments.seed + number;
            let program = generate(seed, &options);
            if arguments.print {
                println!("{}", print(&program));
            }
            let result = compare(&program, &engines(seed));
            if let Err(Mismatch::Limit { .. }) = result {
                limited.fetch_add(1, Ordering::Relaxed);
            } else if let Err(mismatch) = result {
                found.fetch_add(1, Ordering::Relaxed);
                let _line = output.lock();
                println!("seed {seed}: {mismatch}");
                if let Some(folder) = &arguments.save
                    && let Err(error) = save(folder, seed, &program, &mismatch)
                {
                    eprintln!("error: {error}");
                }
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(500) {
                eprintln!("{done} programs");
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let [found, done, limited] = [found, done, limited].map(AtomicU64::into_inner);
    println!("{done} programs, {limited} over the limits of engines: {found} mismatches");
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
