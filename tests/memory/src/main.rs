//! Compares the core with an oracle on random dispatches; exit status 1 if any differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_core::core_text;
use lambdav_memory_tests::{Verdict, compare, compare_layouts, generate, graph, wgsl};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compare the core with an oracle on random dispatches
#[derive(Parser)]
struct Arguments {
    /// Number of programs
    #[arg(long, default_value_t = 1_000)]
    programs: u64,
    /// Seed of the first program; the others have those after it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the tree, the core text and the texts in WGSL of each program
    #[arg(long)]
    print: bool,
    /// Compare words that spirv-opt has optimised, too
    #[arg(long)]
    optimise: bool,
    /// Number of mismatches that end the run
    #[arg(long, default_value_t = 20)]
    most: u64,
}

/// The counts of a thread.
#[derive(Default)]
struct Counts {
    programs: u64,
    schedules: usize,
    executions: usize,
    tiers: [usize; 3],
    faults: usize,
    depends_on_order: u64,
    divergent: u64,
    race_free: u64,
    texts: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (next, wrong) = (AtomicU64::new(arguments.seed), AtomicU64::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut counts = Counts::default();
        while wrong.load(Ordering::Relaxed) < arguments.most {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed - arguments.seed >= arguments.programs {
                break;
            }
            if (seed - arguments.seed + 1).is_multiple_of(1_000) {
                eprintln!("program {seed}");
            }
            let program = generate(seed);
            if arguments.print {
                let text = core_text::print(&graph::build(&program), None);
                let text = text.unwrap_or_else(|diagnostic| diagnostic.message);
                println!("{program:#?}\n{text}");
                let texts = [wgsl::print(&program), wgsl::print_changed(&program, seed)];
                texts.iter().flatten().for_each(|text| println!("{text}"));
            }
            counts.programs += 1;
            counts.race_free += u64::from(program.is_race_free);
            if let Err(mismatch) = compare_layouts(seed, arguments.optimise) {
                println!("layout {seed}: {mismatch}");
                wrong.fetch_add(1, Ordering::Relaxed);
            }
            match compare(&program, seed, arguments.optimise) {
                Ok(Verdict {
                    depends_on_order,
                    is_divergent,
                    schedules,
                    executions,
                    tiers,
                    faults,
                    has_text,
                }) => {
                    counts.texts += u64::from(has_text);
                    counts.schedules += schedules;
                    counts.executions += executions;
                    for (sum, of) in counts.tiers.iter_mut().zip(tiers) {
                        *sum += of;
                    }
                    counts.faults += faults;
                    counts.depends_on_order += u64::from(depends_on_order);
                    counts.divergent += u64::from(is_divergent);
                }
                Err(mismatch) => {
                    wrong.fetch_add(1, Ordering::Relaxed);
                    println!("program {seed}: {mismatch}");
                }
            }
        }
        counts
    };
    let all: Vec<Counts> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let sum = |of: fn(&Counts) -> u64| all.iter().map(of).sum::<u64>();
    let tier = |k: usize| all.iter().map(|counts| counts.tiers[k]).sum::<usize>();
    println!(
        "{} programs, {} race-free, {} as texts in WGSL, {} schedules, {} executions by the SIMD backend, of them {} in lanes, {} in threads, {} in both, {} faults; {} depend on the order, {} have a divergent barrier; {} mismatches",
        sum(|counts| counts.programs),
        sum(|counts| counts.race_free),
        sum(|counts| counts.texts),
        all.iter().map(|counts| counts.schedules).sum::<usize>(),
        all.iter().map(|counts| counts.executions).sum::<usize>(),
        tier(0),
        tier(1),
        tier(2),
        all.iter().map(|counts| counts.faults).sum::<usize>(),
        sum(|counts| counts.depends_on_order),
        sum(|counts| counts.divergent),
        wrong.load(Ordering::Relaxed),
    );
    if wrong.load(Ordering::Relaxed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
