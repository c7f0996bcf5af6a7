//! Compares the reference mathematics with the oracle at many random arguments.
//!
//! Prints a line per function, and exits with status 1 if any result differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_frontend::op::Elementary;
use lambdav_oracle::compare::compare;
use std::process::ExitCode;
use std::time::Instant;

/// Compare λV's reference mathematics with an independent oracle
#[derive(Parser)]
struct Arguments {
    /// Random arguments per function, besides the special ones
    #[arg(long, default_value_t = 1_000_000)]
    count: u64,
    /// Seed of the random arguments
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The functions, by their names in λV; all if none is named
    #[arg(value_parser = function)]
    functions: Vec<Elementary>,
}

fn function(name: &str) -> Result<Elementary, String> {
    let found = Elementary::ALL.into_iter().find(|f| f.name() == name);
    found.ok_or_else(|| format!("one of {}", Elementary::ALL.map(Elementary::name).join(" ")))
}

fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    if arguments.functions.is_empty() {
        arguments.functions = Elementary::ALL.to_vec();
    }
    println!("{:8} {:>10} {:>11} {:>8}", "function", "inputs", "differences", "seconds");
    let mut all_equal = true;
    for f in arguments.functions {
        let start = Instant::now();
        let report = compare(f, arguments.count, arguments.seed);
        let (differences, seconds) = (report.differences.len(), start.elapsed().as_secs_f64());
        println!("{:8} {:>10} {differences:>11} {seconds:>8.1}", f.name(), report.inputs);
        for d in report.differences.iter().take(5) {
            let [x, y, found, expected] = [d.x, d.y, d.found, d.expected].map(f32::to_bits);
            println!("    {x:#010x} {y:#010x}: {found:#010x}, expected {expected:#010x}");
        }
        all_equal &= differences == 0;
    }
    if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
