//! Worker process: draws and compares tests. A crash costs only the tests that are running.
//!
//! It reads tests from standard input and writes results to standard output ([`job`](super::job)). It
//! ends with its standard input, so that it never outlives the command.
//!
//! A worker is this binary under the word `test-worker`. `setrlimit` bounds its memory.

use super::job::{Event, GO, read_order};
use super::options::RunOptions;
use super::plan::Test;
use super::run::{Said, run_program};
use super::script::run_script;
use super::{TestArguments, folders, memory};
use crate::engines::EngineName;
use crate::failure::{Failure, Result};
use crate::messages::print;
use crate::supervise;
use crate::watch;
use lambdav_engine::error_chain;
use lambdav_image::file::abandon_writes;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;
use std::io::{self, BufRead};
use std::sync::Mutex;
use std::thread;

/// Runs the tests from standard input.
pub(crate) fn work(options: &TestArguments) -> Result {
    memory::limit(options.memory);
    let said = match run(options) {
        Ok(()) => Event::done(),
        Err(failure) => Event::failure(&failure),
    };
    print(format!("{said}\n"))
}

fn run(options: &TestArguments) -> Result {
    let (tests, threads) = orders()?;
    let gpu = options.gpu.open(options.engine == Some(EngineName::Gpu))?;
    let run_options = RunOptions {
        engine: options.engine,
        gpu,
        search: options.search.clone(),
        bless: options.blesses(),
        adopt: options.adopt,
        against: options.against.clone(),
        timeout: options.timeout,
        undefined: options.undefined,
        is_reported: options.report.is_some(),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("test {index}"))
        .stack_size(8 << 20)
        .build()
        .map_err(|error| {
            let error = error_chain(&error);
            Failure::machine(format!(
                "cannot start {threads} threads: {error}; --jobs asks for fewer"
            ))
        })?;
    // Events of several threads must not interleave within a line.
    let said = Mutex::new(());
    let say = |said_of: Said<'_>, number: usize| {
        let _one = said.lock();
        let read = match said_of {
            Said::Ends(..) if options.watch => watch::take(),
            _ => Vec::new(),
        };
        // If standard output is closed, the command has ended.
        let _ = print(format!("{}\n", Event::of(&said_of, number, read)));
    };
    pool.install(|| {
        let groups: Vec<&[(usize, Test)]> =
            tests.chunk_by(|(_, a), (_, b)| a.program == b.program).collect();
        groups.par_iter().for_each(|group| {
            let of_group: Vec<&Test> = group.iter().map(|(_, test)| test).collect();
            let number = |test: &Test| {
                let found = group.iter().find(|(_, other)| std::ptr::eq(other, test));
                found.map_or(0, |(number, _)| *number)
            };
            let say = |said: Said<'_>| {
                let test = match &said {
                    Said::Begins(test) | Said::Ends(test, _) => number(test),
                };
                say(said, test);
            };
            if folders::is_script(&of_group[0].program) {
                run_script(&of_group, &run_options, &say);
            } else {
                run_program(&of_group, &run_options, &say);
            }
        });
    });
    Ok(())
}

/// Reads the tests, with their numbers, and the number of threads. A thread watches the rest of
/// standard input and ends the process with it.
fn orders() -> Result<(Vec<(usize, Test)>, usize)> {
    let wrong = || Failure::machine("a worker of `lambdav test` is started by that command alone");
    let mut tests = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::machine(error_chain(&error)))?;
        let value: Value = serde_json::from_str(&line).map_err(|_| wrong())?;
        if let Some(threads) = value[GO].as_u64() {
            thread::Builder::new()
                .name("standard input".to_owned())
                .spawn(|| {
                    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
                    abandon_writes();
                    supervise::end(3);
                })
                .map_err(|error| Failure::machine(error_chain(&error)))?;
            return Ok((tests, threads as usize));
        }
        tests.push(read_order(&value).ok_or_else(wrong)?);
    }
    Err(wrong())
}
