//! Checks many generated programs; exit status 1 if any shows a bug.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_differential::{Campaign, Engine, Report, all};
use std::process::ExitCode;
use std::time::Instant;

/// Compare the engines of λV on generated programs
#[derive(Parser)]
struct Arguments {
    /// How many programs
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    /// Decides all programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first program
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The engines, of which the first is what the others are compared with
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// How large programs are, roughly in terms for each output
    #[arg(long, default_value_t = 160)]
    size: usize,
    /// So many of 100 programs contain endless loops that nothing evaluates
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100))]
    endless: u32,
    /// How many threads (default: all)
    #[arg(long)]
    threads: Option<usize>,
    /// How many smaller programs to try for each bug
    #[arg(long, default_value_t = 3000)]
    attempts: usize,
    /// How many bugs end the run
    #[arg(long, default_value_t = 10)]
    max_bugs: usize,
    /// Print the programs instead of checking them
    #[arg(long)]
    print: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let engines = all();
    let mut chosen: Vec<&dyn Engine> = Vec::new();
    if arguments.engines.is_empty() {
        chosen = engines.iter().map(|engine| &**engine).collect();
    }
    for name in &arguments.engines {
        match engines.iter().find(|engine| engine.name() == name) {
            Some(engine) => chosen.push(&**engine),
            None => {
                let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
                eprintln!("error: no engine `{name}`; there are {}", names.join(", "));
                return ExitCode::from(2);
            }
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let campaign = Campaign {
        seed: arguments.seed,
        first: arguments.first,
        programs: arguments.programs,
        size: arguments.size,
        endless: arguments.endless,
        threads: arguments.threads.unwrap_or(threads),
        attempts: arguments.attempts,
        max_bugs: arguments.max_bugs,
    };
    if arguments.print {
        for number in campaign.first..campaign.first + campaign.programs {
            println!("; program {number} of seed {}\n{}", campaign.seed, campaign.program(number));
        }
        return ExitCode::SUCCESS;
    }
    let start = Instant::now();
    let report = campaign.run(&chosen);
    print(&campaign, &report, start.elapsed().as_secs_f64());
    if report.found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(campaign: &Campaign, report: &Report, seconds: f64) {
    for found in &report.found {
        println!("; --seed {} --first {} --programs 1", campaign.seed, found.number);
        println!("; {:?}", found.failure.bug);
        for line in found.failure.detail.lines() {
            println!("; {line}");
        }
        println!("{}", found.program);
    }
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let programs = report.programs;
    println!("programs {programs} ({:.0} per second)", programs as f64 / seconds);
    println!("bugs {}", report.found.len());
    let lines = [
        ("images neither constant nor NaN", report.images[1], report.images[0]),
        ("divergent loop inside a divergent if", report.divergent_loop_in_if, programs),
        ("divergent ifs three deep", report.three_deep, programs),
        ("loops two deep", report.nested_loops, programs),
        ("out of fuel", report.out_of_fuel, programs),
    ];
    for (what, part, whole) in lines {
        println!("{what}: {:.1} %", share(part, whole));
    }
}
