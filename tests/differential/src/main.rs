//! Checks many generated programs; exit status 1 if any shows a bug.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_differential::{
    Campaign, Conditions, Engine, check, check_passes, engines, pass_program,
};
use lambdav_generate::{GeneratedProgram, Term};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Compare the engines of λV on generated programs
#[derive(Parser)]
struct Arguments {
    /// Number of programs
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    /// Seed of all programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first program
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The engines that are compared with the core evaluator (default: all)
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// Size of programs, roughly in terms for each output
    #[arg(long, default_value_t = 160)]
    size: usize,
    /// Percentage of programs with endless loops, which nothing evaluates
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100))]
    endless: u32,
    /// Number of threads (default: all)
    #[arg(long)]
    threads: Option<usize>,
    /// Number of smaller programs to try for each bug
    #[arg(long, default_value_t = 3000)]
    attempts: usize,
    /// Number of bugs that end the run
    #[arg(long, default_value_t = 10)]
    max_bugs: usize,
    /// Check this program instead of generated ones; comments `; name = 0x…` give uniforms their
    /// words
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Print the programs instead of checking them
    #[arg(long)]
    print: bool,
    /// Check programs with passes, by all engines of passes, one thread
    #[arg(long)]
    passes: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let engines = engines::all();
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
    if let Some(path) = &arguments.file {
        return match std::fs::read_to_string(path) {
            Ok(text) => check_text(&text, &chosen),
            Err(error) => {
                eprintln!("error: {}: {error}", path.display());
                ExitCode::from(2)
            }
        };
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
    if arguments.passes {
        return passes(&arguments);
    }
    if arguments.print {
        for number in campaign.first..campaign.first + campaign.programs {
            let (program, conditions) = campaign.program(number);
            println!("; program {number} of seed {}, {conditions}\n{program}", campaign.seed);
        }
        return ExitCode::SUCCESS;
    }
    let start = Instant::now();
    let report = campaign.run_with(&chosen, &|so_far| {
        if so_far.programs.is_multiple_of(1000) {
            let (programs, bugs) = (so_far.programs, so_far.found.len());
            let seconds = start.elapsed().as_secs();
            eprintln!("{programs} of {} programs in {seconds} s, {bugs} bugs", campaign.programs);
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    print!("{report}");
    println!("{:.0} programs per second", report.programs as f64 / seconds);
    if report.found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks programs with passes.
fn passes(arguments: &Arguments) -> ExitCode {
    let (mut faults, mut ordered, mut results) = (0, 0, 0);
    for number in arguments.first..arguments.first + arguments.programs {
        let (program, conditions) = pass_program(arguments.seed, number, arguments.size);
        match check_passes(&program, conditions) {
            Ok(profile) => {
                faults += u64::from(profile.has_fault);
                ordered += u64::from(profile.is_ordered);
                results += u64::from(profile.has_results);
            }
            Err(what) => {
                println!("; program {number} of seed {}, {conditions}\n{program}", arguments.seed);
                println!("{what}");
                return ExitCode::FAILURE;
            }
        }
    }
    let all = arguments.programs;
    println!(
        "{all} programs with passes: {faults} with a fault, {ordered} for devices, {results} with results"
    );
    ExitCode::SUCCESS
}

/// Checks one program, such as a shrunk one from a report, under several conditions.
fn check_text(text: &str, engines: &[&dyn Engine]) -> ExitCode {
    let program = GeneratedProgram { forms: vec![Term::word(text)], settings: settings(text) };
    for conditions in Conditions::several() {
        if let Err(failure) = check(&program, conditions, engines) {
            println!("{:?}, with {conditions}\n{}", failure.bug, failure.detail);
            return ExitCode::FAILURE;
        }
    }
    println!("no bug");
    ExitCode::SUCCESS
}

/// The uniforms set by comments `; name = 0x3f800000 0x00000000`, as [`GeneratedProgram`] prints them.
fn settings(text: &str) -> Vec<(String, Box<[u32]>)> {
    let setting = |line: &str| {
        let (name, words) = line.strip_prefix("; ")?.split_once(" = ")?;
        let word = |word: &str| u32::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let words = words.split_whitespace().map(word).collect::<Option<_>>()?;
        Some((name.to_owned(), words))
    };
    text.lines().filter_map(setting).collect()
}
