//! Compares all pictures in all configurations with the list; exit status 1 if any differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_matrix::compare::compare;
use lambdav_matrix::emulated;
use std::process::ExitCode;
use std::time::Instant;

/// Compare λV's pictures on every kind of machine with the list of digests
#[derive(Parser)]
struct Arguments {
    /// Compare on this machine only, without the emulated architecture
    #[arg(long)]
    here: bool,
    /// Compare only every N-th kernel
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let every = arguments.every as usize;
    let start = Instant::now();
    let report = compare(|number| number % every == 0);
    println!("{report}; {:.0} s", start.elapsed().as_secs_f64());
    let mut equal = report.differences.is_empty();
    if !arguments.here && !cfg!(target_arch = "aarch64") {
        match emulated::run(&["--here".to_owned(), format!("--every={every}")]) {
            Ok(others) => equal &= others,
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::from(3);
            }
        }
    }
    if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
