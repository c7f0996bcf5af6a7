//! Many programs on all threads.

use crate::check::{Failure, check};
use crate::engines::Engine;
use crate::profile::Profile;
use lambdav_generate::{Options, Program, Random, generate, shrink};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// Decides all programs.
    pub seed: u64,
    /// The number of the first program.
    pub first: u64,
    /// How many programs.
    pub programs: u64,
    /// The size of programs.
    pub size: usize,
    /// So many of 100 programs contain endless loops where nothing evaluates them.
    pub endless: u32,
    /// How many threads work on it.
    pub threads: usize,
    /// How many smaller programs are tried for each bug.
    pub attempts: usize,
    /// How many bugs end the campaign.
    pub max_bugs: usize,
}

/// A program that shows a bug.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number in the campaign.
    pub number: u64,
    /// What is wrong.
    pub failure: Failure,
    /// The smallest program that was found to show it.
    pub program: Program,
}

/// Sums over all programs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many programs were checked.
    pub programs: u64,
    /// How many images they have, and how many are neither constant nor NaN.
    pub images: [u64; 2],
    /// Programs with a divergent loop inside a divergent `if`.
    pub divergent_loop_in_if: u64,
    /// Programs with divergent `if`s nested three deep.
    pub three_deep: u64,
    /// Programs with loops nested two deep, of which some pixel enters the inner one.
    pub nested_loops: u64,
    /// Programs that took too long at some pixel.
    pub out_of_fuel: u64,
    /// The bugs, in order.
    pub found: Vec<Found>,
}

impl Report {
    fn add(&mut self, profile: Profile) {
        self.programs += 1;
        for (sum, part) in self.images.iter_mut().zip(profile.images) {
            *sum += u64::from(part);
        }
        self.divergent_loop_in_if += u64::from(profile.divergent_loop_in_if);
        self.three_deep += u64::from(profile.divergent_depth >= 3);
        self.nested_loops += u64::from(profile.loop_depth >= 2);
        self.out_of_fuel += u64::from(profile.out_of_fuel);
    }
}

impl Campaign {
    /// The program of that number.
    pub fn program(&self, number: u64) -> Program {
        let mut random = Random::new(self.seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let endless = random.percent(self.endless);
        let size = random.between(self.size / 4, self.size);
        generate(random.bits(), Options { size, endless })
    }

    /// Checks all programs.
    pub fn run(&self, engines: &[&dyn Engine]) -> Report {
        let next = AtomicU64::new(self.first);
        let report = Mutex::new(Report::default());
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| self.work(engines, &next, &report));
            }
        });
        let mut report = report.into_inner().expect("no worker panics");
        report.found.sort_by_key(|found| found.number);
        report
    }

    fn work(&self, engines: &[&dyn Engine], next: &AtomicU64, report: &Mutex<Report>) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let bugs = report.lock().expect("no worker panics").found.len();
            if number >= self.first + self.programs || bugs >= self.max_bugs {
                return;
            }
            let program = self.program(number);
            match check(&program, engines) {
                Ok(profile) => report.lock().expect("no worker panics").add(profile),
                Err(failure) => {
                    let mut same = |smaller: &Program| {
                        check(smaller, engines).is_err_and(|other| other.bug == failure.bug)
                    };
                    let program = shrink(&program, self.attempts, &mut same);
                    let failure = check(&program, engines).err().unwrap_or(failure);
                    let mut report = report.lock().expect("no worker panics");
                    report.programs += 1;
                    report.found.push(Found { number, failure, program });
                }
            }
        }
    }
}
