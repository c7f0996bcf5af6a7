//! Prints the cost of each family for texts of one length; exit status 1 if a family exceeds the limits.
//!
//! Each family runs in its own process, which reports its processor time and peak memory at the end.
#![forbid(unsafe_code)]

use clap::Parser;
use cpu_time::ProcessTime;
use lambdav_scaling::{Family, Way, families};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Print the compiler's cost for each family of programs
#[derive(Parser)]
struct Arguments {
    /// Families, or prefixes of their names (default: all)
    families: Vec<String>,
    /// Length of the texts in bytes
    #[arg(long, default_value_t = 1_000_000)]
    bytes: usize,
    /// Ways: picture, core-text, spirv, and glsl for texts in GLSL (default: all)
    #[arg(long, value_delimiter = ',')]
    way: Vec<String>,
    /// Limit of processor time for one text, in seconds
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Limit of memory for one text, in MiB
    #[arg(long, default_value_t = 1024)]
    mebibytes: u64,
    /// Write the text of the one named family instead
    #[arg(long)]
    write: bool,
    /// Do the work in this process
    #[arg(long, hide = true)]
    here: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ways: Vec<Way> = Way::ALL
        .into_iter()
        .filter(|way| arguments.way.is_empty() || arguments.way.iter().any(|n| n == way.name()))
        .collect();
    let chosen = |family: &Family| {
        let named = &arguments.families;
        named.is_empty() || named.iter().any(|name| family.name.starts_with(name.as_str()))
    };
    if arguments.here || arguments.write {
        let Some(family) = Family::named(&arguments.families[0]) else {
            eprintln!("error: there is no such family");
            return ExitCode::from(2);
        };
        let (_, text) = family.of_length(arguments.bytes);
        if arguments.write {
            print!("{text}");
        } else {
            work(&text, ways[0]);
        }
        return ExitCode::SUCCESS;
    }
    println!("{:26} {:9} {:>8} {:>7} {:>6}  answer", "family", "way", "bytes", "seconds", "MiB");
    let mut within = true;
    for family in families::all().chain(families::foreign()).filter(chosen) {
        for &way in ways.iter().filter(|way| way.takes(family)) {
            within &= row(&arguments, family, way);
        }
    }
    if within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compiles one text and prints the cost.
fn work(text: &str, way: Way) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can start");
    let before = ProcessTime::now();
    let answer = pool.install(|| way.go(text));
    let seconds = before.elapsed().as_secs_f64();
    println!("{} {seconds:.3} {} {answer}", text.len(), peak() >> 10);
}

/// The peak memory of the process in KiB; 0 where the system does not report it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// Runs a child process on one text and prints a line. True if it stays within the limits.
fn row(arguments: &Arguments, family: Family, way: Way) -> bool {
    let program = std::env::current_exe().expect("the running program has a path");
    let mut command = Command::new(program);
    command.args(["--here", family.name, "--way", way.name()]);
    command.args(["--bytes", &arguments.bytes.to_string()]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program can be started again");
    // Four times the limit of processor time: a slower process certainly exceeds the limit.
    let end = Instant::now() + Duration::from_secs_f64(arguments.seconds * 4.0);
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            break Some(status);
        }
        if Instant::now() > end {
            let _ = child.kill();
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let output = child.wait_with_output().expect("it has ended");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let parts: Vec<&str> = said.trim().splitn(4, ' ').collect();
    let (within, line) = match (status, parts.as_slice()) {
        (Some(status), &[bytes, seconds, mebibytes, answer]) if status.success() => {
            let fine = seconds.parse().is_ok_and(|s: f64| s <= arguments.seconds)
                && mebibytes.parse().is_ok_and(|m: u64| m <= arguments.mebibytes);
            let answer: String = answer.chars().take(70).collect();
            (fine, format!("{bytes:>8} {seconds:>7} {mebibytes:>6}  {answer}"))
        }
        (None, _) => (false, format!("{:>8} {:>7} {:>6}  killed", "", "", "")),
        (Some(status), _) => (false, format!("{:>8} {:>7} {:>6}  {status}", "", "", "")),
    };
    println!(
        "{:26} {:9} {line}{}",
        family.name,
        way.name(),
        if within { "" } else { "  TOO MUCH" }
    );
    within
}
