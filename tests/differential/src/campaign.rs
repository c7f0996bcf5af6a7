//! Runs many generated programs on all threads and shrinks those that show a bug.

use crate::check::{Bug, Failure, check};
use crate::conditions::Conditions;
use crate::engine::Engine;
use crate::report::Report;
use lambdav_generate::{GenerateOptions, GeneratedProgram, Random, generate, shrink};
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// Seed of all programs.
    pub seed: u64,
    /// The number of the first program.
    pub first: u64,
    /// Number of programs.
    pub programs: u64,
    /// Largest size of a program, roughly in terms for each output.
    pub size: usize,
    /// Percentage of programs that contain endless loops, which nothing evaluates.
    pub endless: u32,
    /// Number of threads.
    pub threads: usize,
    /// Number of smaller programs tried for each bug.
    pub attempts: usize,
    /// The campaign ends after this many bugs.
    pub max_bugs: usize,
}

/// A program that shows a bug.
#[derive(Clone, Debug)]
pub struct Found {
    /// The seed of the campaign.
    pub seed: u64,
    /// The program's number in the campaign.
    pub number: u64,
    /// The kind of the bug, and details.
    pub failure: Failure,
    /// The smallest program found that shows the bug.
    pub program: GeneratedProgram,
    /// The simplest conditions found under which it shows.
    pub conditions: Conditions,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, number, failure, program, conditions } = self;
        let command = "cargo run --release -p lambdav-differential --";
        writeln!(f, "; {:?}", failure.bug)?;
        writeln!(f, "; {command} --seed {seed} --first {number} --programs 1")?;
        writeln!(f, "; smaller, with {conditions}:")?;
        for line in failure.detail.lines() {
            writeln!(f, "; {line}")?;
        }
        program.fmt(f)
    }
}

impl Campaign {
    /// The program of that number, and the conditions of its run.
    pub fn program(&self, number: u64) -> (GeneratedProgram, Conditions) {
        let mut random = Random::new(self.seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let endless = random.percent(self.endless);
        let size = random.between(self.size / 4, self.size);
        let conditions = Conditions::random(&mut random);
        (
            generate(random.bits(), GenerateOptions { size, endless, special_divisors: true }),
            conditions,
        )
    }

    /// Checks all programs.
    pub fn run(&self, engines: &[&dyn Engine]) -> Report {
        self.run_with(engines, &|_| ())
    }

    /// Checks all programs; calls `progress` with the report so far after each.
    pub fn run_with(&self, engines: &[&dyn Engine], progress: &(dyn Fn(&Report) + Sync)) -> Report {
        let next = AtomicU64::new(self.first);
        let report = Mutex::new(Report::default());
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| self.work(engines, &next, &report, progress));
            }
        });
        let mut report = report.into_inner().expect("no worker panics");
        report.found.sort_by_key(|found| found.number);
        report
    }

    fn work(
        &self,
        engines: &[&dyn Engine],
        next: &AtomicU64,
        report: &Mutex<Report>,
        progress: &(dyn Fn(&Report) + Sync),
    ) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let bugs = report.lock().expect("no worker panics").found.len();
            if number >= self.first + self.programs || bugs >= self.max_bugs {
                return;
            }
            let (program, conditions) = self.program(number);
            let checked = check(&program, conditions, engines)
                .map_err(|failure| self.smaller(number, failure, engines));
            let mut report = report.lock().expect("no worker panics");
            match checked {
                Ok(profile) => report.add(&profile),
                Err(found) => {
                    report.programs += 1;
                    report.found.push(found);
                }
            }
            progress(&report);
        }
    }

    /// Shrinks the program of that number while it shows the same kind of bug.
    fn smaller(&self, number: u64, failure: Failure, engines: &[&dyn Engine]) -> Found {
        let (mut program, mut conditions) = self.program(number);
        let shows = |program: &GeneratedProgram, conditions, bug: &Bug| {
            check(program, conditions, engines).is_err_and(|other| other.bug == *bug)
        };
        for _ in 0..2 {
            let simpler = conditions.simpler().into_iter();
            if let Some(simpler) = { simpler }.find(|c| shows(&program, *c, &failure.bug)) {
                conditions = simpler;
            }
            let mut still = |program: &GeneratedProgram| shows(program, conditions, &failure.bug);
            program = shrink(&program, self.attempts, &mut still);
        }
        let failure = check(&program, conditions, engines).err().unwrap_or(failure);
        Found { seed: self.seed, number, failure, program, conditions }
    }
}
