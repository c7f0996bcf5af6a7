//! Runs many inputs; exit status 1 if any fails.
//!
//! A child process does the work, so that inputs that kill the process, for example by a stack overflow, are
//! found, too.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_fuzz::targets::{FuzzTarget, all};
use lambdav_fuzz::{
    Bounds, Campaign, Finding, FindingKind, FuzzReport, Limits, Search, Seeds, attempt,
    read_journal,
};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, exit};
use std::time::{Duration, Instant};

/// Fuzz all input readers with nearly valid inputs
#[derive(Parser)]
struct Arguments {
    /// Targets: parse, pipeline, core-text, spirv, raise, wgsl, glsl, images, folders, beside, reports, pairs, npy,
    /// meshes, amber, assembly, hostile, names, json or settings (default: all)
    #[arg(long, value_delimiter = ',')]
    target: Vec<String>,
    /// Number of inputs for each target
    #[arg(long, default_value_t = 100_000)]
    inputs: u64,
    /// Seed of all inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first input
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Start no input of a target after this many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Number of threads (default: all)
    #[arg(long)]
    threads: Option<usize>,
    /// Number of findings that end a target's run
    #[arg(long, default_value_t = 10)]
    findings: usize,
    /// Folder for failing inputs
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Search for inputs that are costly for their length, and write the costliest to `--out`
    #[arg(long)]
    costly: bool,
    /// Run this input of the one named target instead
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Write the inputs from `--first` on to the folder `--out` instead of running them
    #[arg(long)]
    write: bool,
    /// Do the work in this process, and note current inputs in this folder
    #[arg(long, hide = true)]
    journal: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.journal.is_none() && arguments.file.is_none() && !arguments.write {
        return supervise(&arguments);
    }
    let seeds = Seeds::new(arguments.seed);
    let targets = all(&seeds);
    let chosen: Vec<&dyn FuzzTarget> = targets
        .iter()
        .map(|target| &**target)
        .filter(|t| arguments.target.is_empty() || arguments.target.iter().any(|n| n == t.name()))
        .collect();
    if chosen.is_empty() || chosen.len() < arguments.target.len() {
        let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
        eprintln!("error: the targets are {}", names.join(", "));
        return ExitCode::from(2);
    }
    if let Some(path) = &arguments.file {
        return run_file(chosen[0], path);
    }
    let mut failed = false;
    if arguments.costly {
        for target in chosen {
            failed |= costly(&arguments, target);
        }
        return if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    for target in chosen {
        let campaign = campaign(&arguments);
        if arguments.write {
            for number in campaign.first..campaign.first + campaign.inputs {
                write(&arguments.out, target, number, &campaign.input(target, number));
            }
            continue;
        }
        let start = Instant::now();
        let report = campaign.run(target, &|number| {
            let path = write(&arguments.out, target, number, &campaign.input(target, number));
            println!("{}: input {number} hangs: {}", target.name(), path.display());
            exit(1);
        });
        print(target, &report, start.elapsed().as_secs_f64());
        for Finding { number, kind, what, input } in &report.found {
            let path = write(&arguments.out, target, *number, input);
            let how = match kind {
                FindingKind::Panic(place) => format!("panics at {place}"),
                FindingKind::Wrong => "is wrong".to_owned(),
                FindingKind::Slow => "is slow".to_owned(),
            };
            println!("  input {number} {how}: {what}\n    {}", path.display());
            failed = true;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Number of costliest inputs to print, of each kind.
const SHOWN: usize = 5;

/// Searches for costly inputs and prints their cost. True if one costs too much.
fn costly(arguments: &Arguments, target: &dyn FuzzTarget) -> bool {
    let bounds = Bounds::default();
    let search = Search {
        seed: arguments.seed,
        inputs: arguments.inputs,
        time: arguments.seconds.map(Duration::from_secs),
        bounds,
        by_clock: true,
    };
    let mut failed = false;
    for (kind, all) in ["bytes", "time"].into_iter().zip(search.run(target)) {
        for (number, costly) in all.iter().enumerate() {
            let is_finding = costly.exceeds(bounds);
            if number >= SHOWN && !is_finding {
                break;
            }
            failed |= is_finding;
            let name = format!("{}-{kind}-{number}.{}", target.name(), ending(target));
            let path = arguments.out.join(name);
            if let Err(error) = std::fs::write(&path, &costly.input) {
                eprintln!("error: cannot write {}: {error}", path.display());
            }
            let [bytes, seconds] = costly.rates();
            println!(
                "{:9} by {kind:5} {:6} bytes long: {:7.1} KB and {:8.2} us a byte, {:6.1} MiB, {:6.3} s{} {}",
                target.name(),
                costly.input.len(),
                bytes / 1e3,
                seconds * 1e6,
                costly.peak as f64 / 1048576.0,
                costly.seconds,
                if is_finding { ", TOO MUCH" } else { "" },
                path.display()
            );
            if let Some((kind, what)) = &costly.wrong {
                println!("    {kind:?}: {what}");
            }
        }
    }
    failed
}

fn campaign(arguments: &Arguments) -> Campaign {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Campaign {
        seed: arguments.seed,
        first: arguments.first,
        inputs: arguments.inputs,
        time: arguments.seconds.map(Duration::from_secs),
        threads: arguments.threads.unwrap_or(threads),
        limits: Limits { findings: arguments.findings, ..Limits::default() },
        journal: arguments.journal.clone(),
    }
}

fn print(target: &dyn FuzzTarget, report: &FuzzReport, seconds: f64) {
    let count = |matches: &dyn Fn(&FindingKind) -> bool| {
        report.found.iter().filter(|finding| matches(&finding.kind)).count()
    };
    let (slowest, number) = report.slowest;
    println!(
        "{:9} {} inputs, {:.0}/s; {:.1} % parsed, {:.1} % accepted, {:.1} % computed; \
         slowest {:.0} ms (input {number}); {} panics, {} wrong, {} slow",
        target.name(),
        report.inputs,
        report.inputs as f64 / seconds,
        report.percent(report.parsed),
        report.percent(report.accepted),
        report.percent(report.computed),
        slowest * 1e3,
        count(&|kind| matches!(kind, FindingKind::Panic(_))),
        count(&|kind| *kind == FindingKind::Wrong),
        count(&|kind| *kind == FindingKind::Slow),
    );
}

/// Writes an input to its own file.
fn write(folder: &Path, target: &dyn FuzzTarget, number: u64, input: &[u8]) -> PathBuf {
    let path = folder.join(format!("{}-{number}.{}", target.name(), ending(target)));
    if let Err(error) = std::fs::write(&path, input) {
        eprintln!("error: cannot write {}: {error}", path.display());
    }
    path
}

fn ending(target: &dyn FuzzTarget) -> &'static str {
    match target.name() {
        "spirv" | "raise" => "spv",
        "core-text" => "core",
        "npy" => "npy",
        "meshes" => "mesh",
        "amber" => "amber",
        "assembly" => "spvasm",
        "wgsl" => "wgsl",
        "glsl" => "frag",
        "hostile" | "names" => "txt",
        _ => "lv",
    }
}

/// Runs one input from a file.
fn run_file(target: &dyn FuzzTarget, path: &Path) -> ExitCode {
    let input = match std::fs::read(path) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("error: {}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let (seconds, result) = attempt(target, &input, 0);
    println!("{:.1} ms: {result:?}", seconds * 1e3);
    if result.is_ok() && seconds <= 1.0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all targets in a child process, one after the other. If the child is killed, runs its last inputs
/// again to find the fatal one.
fn supervise(arguments: &Arguments) -> ExitCode {
    let program = std::env::current_exe().expect("the running program has a path");
    let journal = tempfile::tempdir().expect("a folder can be made");
    let given: Vec<_> = std::env::args_os().skip(1).collect();
    let child = |more: &[&str], folder: &Path| {
        let mut command = Command::new(&program);
        command.args(&given).args(more).arg(folder);
        command.status().expect("the program can be started again").code()
    };
    let code = child(&["--journal"], journal.path());
    if let Some(code @ 0..=2) = code {
        return ExitCode::from(code as u8);
    }
    println!("the process was killed; each input that it was working on is run again by itself");
    let seeds = Seeds::new(arguments.seed);
    for target in all(&seeds) {
        if !arguments.target.is_empty() && !arguments.target.iter().any(|n| n == target.name()) {
            continue;
        }
        for number in read_journal(journal.path()) {
            let input = campaign(arguments).input(&*target, number);
            let path = write(&arguments.out, &*target, number, &input);
            let mut command = Command::new(&program);
            command.args(["--target", target.name(), "--file"]).arg(&path);
            let status = command.status().expect("the program can be started again");
            match status.code() {
                Some(0) => drop(std::fs::remove_file(&path)),
                _ => println!("{}: input {number}: {status}: {}", target.name(), path.display()),
            }
        }
    }
    ExitCode::FAILURE
}
