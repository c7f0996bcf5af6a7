//! Compares elementary functions with independent implementations.
//!
//! Prints a line for each comparison; exit status 1 if a result differs.
#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use lambdav_core::op::Elementary;
use lambdav_oracle::compare::{Arguments, OracleReport, Side, compare, each};
use lambdav_oracle::library::LibraryCode;
use lambdav_oracle::machine::{MachineCode, Rates};
use lambdav_oracle::soft::{self, SoftReport};
use lambdav_oracle::{coremath, exact, undecided};
use lambdav_simd_backend::Target;
use lambdav_spirv_backend::library::LibraryFunction;
use std::process::ExitCode;
use std::time::Instant;

/// Compare λV's elementary functions with independent implementations
#[derive(Parser)]
struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Compare the reference mathematics with multi-precision arithmetic
    Reference {
        /// Number of random arguments for each function, besides the special ones
        #[arg(long, default_value_t = 1_000_000)]
        count: u64,
        /// Seed of the random arguments
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Also compare with CORE-MATH, at one of every 2^BITS numbers, or as many random pairs
        #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(0..=24))]
        numbers: Option<u8>,
        /// The functions, by their names in λV (default: all)
        #[arg(value_parser = function)]
        functions: Vec<Elementary>,
    },
    /// Compare the functions of binary64 with CORE-MATH, each on a thread of its own
    Binary64 {
        /// Number of random arguments for each function, besides the special ones
        #[arg(long, default_value_t = 1_000_000)]
        count: u64,
        /// Seed of the random arguments
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Compare machine code with CORE-MATH: unary functions at all 2^32 numbers, the others at random and
    /// exact pairs
    Code {
        /// Compare the code of this target alone
        #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(Target::here()))]
        target: Option<String>,
        /// Take one of every 2^BITS numbers
        #[arg(long, value_name = "BITS", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=24))]
        step: u8,
        /// Number of random pairs, for functions of two arguments
        #[arg(long, default_value_t = 1_000_000_000)]
        pairs: u64,
        /// Seed of the random pairs
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The functions, by their names in λV (default: all)
        #[arg(value_parser = function)]
        functions: Vec<Elementary>,
    },
    /// Compare the library of exact SPIR-V modules, in machine code: operations with this processor's,
    /// elementary functions with CORE-MATH
    Library {
        /// Take one of every 2^BITS numbers, for elementary functions of one operand
        #[arg(long, value_name = "BITS", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=24))]
        step: u8,
        /// Also compare all arguments whose result is within 2^-44 of a midpoint, about one in 2^19, for
        /// elementary functions of one operand
        #[arg(long)]
        undecided: bool,
        /// Number of random operands
        #[arg(long, default_value_t = 10_000_000)]
        count: u64,
        /// Seed of the random operands
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The functions, by their names in core text (default: all)
        #[arg(value_parser = library_function)]
        functions: Vec<LibraryFunction>,
    },
}

fn library_function(name: &str) -> Result<LibraryFunction, String> {
    let found = LibraryFunction::ALL.iter().copied().find(|f| f.name() == name);
    let names: Vec<_> = LibraryFunction::ALL.iter().map(|f| f.name()).collect();
    found.ok_or_else(|| format!("one of {}", names.join(" ")))
}

fn function(name: &str) -> Result<Elementary, String> {
    let found = Elementary::ALL.into_iter().find(|f| f.name() == name);
    found.ok_or_else(|| format!("one of {}", Elementary::ALL.map(Elementary::name).join(" ")))
}

/// The named functions; all if there are none.
fn named(functions: Vec<Elementary>) -> Vec<Elementary> {
    if functions.is_empty() { Elementary::ALL.to_vec() } else { functions }
}

/// Compares and prints a line of the table. True if no result differs.
fn line(
    f: Elementary,
    what: &str,
    arguments: &[Arguments],
    found: Side<'_>,
    expected: Side<'_>,
) -> bool {
    let start = Instant::now();
    let reports = arguments.iter().map(|arguments| compare(f, arguments, found, expected));
    let OracleReport { inputs, differing, differences } =
        reports.reduce(OracleReport::and).unwrap_or_default();
    let seconds = start.elapsed().as_secs_f64();
    println!("{:8} {what:32} {inputs:>10} {differing:>11} {seconds:>8.1}", f.name());
    for d in differences.iter().take(5) {
        let [x, y, found, expected] = [d.x, d.y, d.found, d.expected].map(f32::to_bits);
        println!("    {x:#010x} {y:#010x}: {found:#010x}, expected {expected:#010x}");
    }
    differing == 0
}

fn reference(f: Elementary, count: u64, seed: u64, numbers: Option<u8>) -> bool {
    let arguments = [Arguments::special(f), Arguments::Random { count, seed }];
    let found = each(|x, y| f.evaluate(x, y));
    let expected = each(|x, y| lambdav_oracle::evaluate(f, x, y));
    let mut equal = line(f, "reference", &arguments, &found, &expected);
    if let Some(step) = numbers {
        let arguments = match f.arity() {
            1 => Arguments::Numbers { step, second: 0.0 },
            _ => Arguments::Random { count: 1 << (32 - step), seed },
        };
        let expected = each(|x, y| coremath::evaluate(f, x, y));
        equal &= line(f, "reference, CORE-MATH", &[arguments], &found, &expected);
    }
    equal
}

fn of_binary64(count: u64, seed: u64) -> bool {
    std::thread::scope(|scope| {
        let all = Elementary::ALL
            .map(|f| (f, scope.spawn(move || lambdav_oracle::binary64::compare(f, count, seed))));
        let mut is_equal = true;
        for (f, thread) in all {
            let found = thread.join().expect("a comparison does not panic");
            println!("{:8} {}", f.name(), found.as_ref().err().map_or("equal", String::as_str));
            is_equal &= found.is_ok();
        }
        is_equal
    })
}

/// Cranelift's settings for features that processors may lack.
const OFF: [&str; 3] = ["has_avx", "has_avx2", "has_fma"];

/// The code for the default number of lanes gets all arguments, with fused operations and without. Code for
/// other numbers of lanes has the same operations and gets one in 2^8 arguments.
const OTHERS: u8 = 8;

fn code(f: Elementary, target: Option<&str>, step: u8, pairs: u64, seed: u64) -> bool {
    let host = Target::host().expect("a machine that is not too old");
    let named = target.map(|name| (name, Target::named(name)));
    let named = named.map(|(name, known)| {
        let target = known.expect("a machine that is not too old").expect("one of them");
        (format!(", {name}"), target)
    });
    let old = cfg!(target_arch = "x86_64").then(|| Target::with(&OFF).expect("SSE4.1 is enough"));
    let targets = match &named {
        Some((name, target)) => vec![(&**name, None, target)],
        None => {
            let mut all = vec![("", None, &host), ("", Some(1), &host), ("", Some(4), &host)];
            all.extend(old.iter().map(|old| (", no AVX, no FMA", None, old)));
            all
        }
    };
    let expected = each(|x, y| coremath::evaluate(f, x, y));
    let mut equal = true;
    for (without, lanes, target) in targets {
        let code = MachineCode::new(f, lanes, Rates::Varying, target).expect("it compiles");
        let found = |pairs: &[(f32, f32)], results: &mut [f32]| code.evaluate(pairs, results);
        let main = lanes.is_none();
        let step = if main { step } else { step + OTHERS };
        let what = format!("{} lanes{without}", code.lanes());
        let mut arguments = vec![Arguments::special(f)];
        if f.arity() == 1 {
            arguments.push(Arguments::Numbers { step, second: 0.0 });
        } else {
            let count = if main { pairs } else { pairs >> OTHERS };
            arguments.push(Arguments::Random { count, seed });
        }
        equal &= line(f, &what, &arguments, &found, &expected);
        if f == Elementary::Pow {
            let exact = Arguments::These(exact::with_neighbours(&exact::powers()));
            let what = format!("{} lanes{without}, exact", code.lanes());
            equal &= line(f, &what, &[exact], &found, &expected);
            // CORE-MATH is slow for exact powers. The first power of a number is the number.
            let first = Arguments::Numbers { step, second: 1.0 };
            let what = format!("{} lanes{without}, x^1", code.lanes());
            equal &= line(f, &what, &[first], &found, &each(|x, _| x));
        }
    }
    equal
}

/// Compares a function of the library. True if no result differs.
fn library(function: LibraryFunction, step: u8, count: u64, seed: u64, hard: bool) -> bool {
    let target = Target::host().expect("a machine that is not too old");
    let code = LibraryCode::new(function, &target).expect("it compiles");
    let LibraryFunction::Elementary(f) = function else {
        let start = Instant::now();
        let SoftReport { inputs, differing, first } =
            soft::special(function, &code).and(soft::random(function, &code, count, seed));
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:8} {:32} {inputs:>10} {differing:>11} {seconds:>8.1}",
            function.name(),
            "library"
        );
        if let Some((operands, found, expected)) = first {
            println!("    {operands:#010x?}: {found:#010x}, expected {expected:#010x}");
        }
        return differing == 0;
    };
    let found = |pairs: &[(f32, f32)], results: &mut [f32]| code.evaluate_pairs(pairs, results);
    let expected = each(|x, y| coremath::evaluate(f, x, y));
    let mut arguments = vec![Arguments::special(f), Arguments::Random { count, seed }];
    if f.arity() == 1 {
        arguments.push(Arguments::Numbers { step, second: 0.0 });
    }
    let mut equal = line(f, "library", &arguments, &found, &expected);
    if hard && f.arity() == 1 {
        let arguments = Arguments::These(undecided::undecided(f, 0));
        equal &= line(f, "library, undecided", &[arguments], &found, &expected);
    }
    if f == Elementary::Pow {
        let exact = Arguments::These(exact::with_neighbours(&exact::powers()));
        equal &= line(f, "library, exact", &[exact], &found, &expected);
    }
    equal
}

fn main() -> ExitCode {
    let what = Command::parse().what;
    if !matches!(what, What::Binary64 { .. }) {
        println!(
            "{:8} {:32} {:>10} {:>11} {:>8}",
            "function", "found by", "inputs", "differences", "seconds"
        );
    }
    let equal = match what {
        What::Reference { count, seed, numbers, functions } => named(functions)
            .into_iter()
            .map(|f| reference(f, count, seed, numbers))
            .fold(true, |a, b| a & b),
        What::Binary64 { count, seed } => of_binary64(count, seed),
        What::Code { target, step, pairs, seed, functions } => named(functions)
            .into_iter()
            .map(|f| code(f, target.as_deref(), step, pairs, seed))
            .fold(true, |a, b| a & b),
        What::Library { step, count, seed, undecided: hard, functions } => {
            let functions =
                if functions.is_empty() { LibraryFunction::ALL.to_vec() } else { functions };
            functions
                .into_iter()
                .map(|f| library(f, step, count, seed, hard))
                .fold(true, |a, b| a & b)
        }
    };
    if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
