//! Many random programs, on all threads.

use crate::compare::Mismatch;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The programs of a run.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// Number of programs.
    pub programs: u64,
    /// Seed of the first one; the others have those after it.
    pub seed: u64,
    /// Number of mismatches that end the run.
    pub most: u64,
}

impl Campaign {
    /// Makes the program of each seed and tests it. `found` is called for each mismatch, one at a time, with the program
    /// and its seed. Prints the counts; the status is a failure if there was a mismatch that is no limit of an engine.
    pub fn run<P>(
        self,
        program: impl Fn(u64) -> P + Sync,
        test: impl Fn(&P, u64) -> Result<(), Mismatch> + Sync,
        found: impl Fn(&P, u64, &Mismatch) + Sync,
    ) -> ExitCode {
        let [next, wrong, done, limited] = [0, 0, 0, 0].map(AtomicU64::new);
        let output = Mutex::new(());
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.programs || wrong.load(Ordering::Relaxed) >= self.most {
                    return;
                }
                let seed = self.seed + number;
                let program = program(seed);
                match test(&program, seed) {
                    Ok(()) => {}
                    Err(Mismatch::Limit { .. }) => {
                        limited.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(mismatch) => {
                        wrong.fetch_add(1, Ordering::Relaxed);
                        let _line = output.lock();
                        found(&program, seed, &mismatch);
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
        let [wrong, done, limited] = [wrong, done, limited].map(AtomicU64::into_inner);
        println!("{done} programs, {limited} over the limits of engines: {wrong} mismatches");
        if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// The first number of a program of which `differs` holds, among `programs`; all threads search.
pub fn first(programs: u64, differs: impl Fn(u64) -> bool + Sync) -> Option<u64> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, found) = (&AtomicU64::new(0), &AtomicU64::new(u64::MAX));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while found.load(Ordering::Relaxed) == u64::MAX {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= programs {
                        break;
                    }
                    if differs(seed) {
                        found.fetch_min(seed, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    Some(found.load(Ordering::Relaxed)).filter(|&seed| seed < u64::MAX)
}
