//! `lambdav test`: golden images.
//!
//! A *test* is a directive in a comment of a program: what picture is drawn of it. Its *golden* is the
//! picture that was blessed, a file beside the program. The way is: [`plan`] finds programs and reads
//! directives; [`golden`] says where a golden lies and what it holds; [`run`] draws and compares one
//! test; [`report`] says what came of all of them. A run changes nothing but files of its own names, each
//! whole or not at all.

mod directive;
mod evidence;
mod golden;
mod orphans;
mod plan;
mod report;
mod result;
mod run;
mod script;

use super::engines::EngineName;
use super::failure::{Failure, Result, chain};
use super::gpu::GpuArguments;
use super::messages::{MessageFormat, print};
use super::values::{seconds, threads};
use clap::Args;
use plan::{Planned, Test};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use result::{Summary, TestResult};
use run::How;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const HELP: &str = "\
A test is a comment of a program:

  ; test: --size 64x64                      one test; its golden is NAME.png
  ; test: night --time 22 --set glow=2      one of several; its golden is NAME.night.png
  ; test: exact --format exr --max-ulp 2    png, exr, npy, or digest: a line in place of a picture

A directive takes the options of `render` that say what is drawn (size, time, frame, mouse, set,
uniforms, bind, output, max-iterations, srgb, depth) and those of `diff` that say what may
differ. A SPIR-V module x.spv has its directives in x.spv.test. A test that fails writes
NAME.new.png and NAME.diff.png beside its golden. A file x.amber, of AmberScript, is one test, which
says itself what it expects; one that wants what is not supported neither passes nor fails.

Exit status: 0 all passed; 1 some did not; 2 the command line is at fault; 3 the machine is.";

/// Draw the tests of programs and compare them with their goldens
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct TestArguments {
    /// Programs, and folders that are looked through for programs
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Make the drawn pictures the goldens, where they differ by more than is allowed or are missing
    #[arg(long, conflicts_with_all = ["list", "against", "merge"])]
    bless: bool,
    /// With --bless: remove goldens that no test has
    #[arg(long, requires = "bless")]
    prune: bool,
    /// Only tests whose name contains this; can be given several times
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Name the tests and their goldens, and run none
    #[arg(long, conflicts_with = "merge")]
    list: bool,
    /// What computes the pixels; by default simd, or core for a program that exceeds its limits
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    gpu: GpuArguments,
    /// How many tests are run at once; by default as many as there are cores
    #[arg(long, short, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    jobs: Option<NonZeroUsize>,
    /// Say nothing of tests that fail, but how many; the exit status says it, too
    #[arg(long, short)]
    quiet: bool,
    /// Run the Kth of N parts, as 2/3, of which all together are all tests
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "merge")]
    shard: Option<(usize, usize)>,
    /// Write a report into this folder: index.html, junit.xml and results.jsonl
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Run nothing; join the reports in these folders, those of all shards, into one
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["paths", "filter", "engine", "against"])]
    merge: Vec<PathBuf>,
    /// Compare pictures in this folder, named as the goldens and drawn by something else, with what is
    /// drawn here
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// How many seconds each test may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, allow_hyphen_values = true)]
    timeout: Duration,
    /// Run the tests again whenever a program, what it includes, or a golden changes, until it is
    /// interrupted
    #[arg(long, conflicts_with_all = ["list", "merge"])]
    pub(super) watch: bool,
    /// How results are written to standard output; json is one object for each test
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
}

fn shard(text: &str) -> std::result::Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(format!("`{text}` is not a part such as 2/3")),
    }
}

pub(super) fn run(options: &TestArguments) -> Result {
    if !options.merge.is_empty() {
        return merge(options);
    }
    let gpu = match options.list {
        true => None,
        false => options.gpu.open(options.engine == Some(EngineName::Gpu))?,
    };
    let begun = Instant::now();
    let planned = plan::plan(&options.paths)?;
    let mut tests: Vec<&Test> = planned.tests.iter().collect();
    tests.retain(|test| {
        options.filter.is_empty() || options.filter.iter().any(|text| test.id().contains(text))
    });
    if tests.is_empty() {
        return Err(nothing(options, &planned));
    }
    let all = tests.len();
    if let Some((k, n)) = options.shard {
        let mut index = 0;
        tests.retain(|_| {
            index += 1;
            (index - 1) % n == k - 1
        });
    }
    if options.list {
        return list(options, &tests);
    }
    let how = How {
        engine: options.engine,
        gpu,
        bless: options.bless,
        against: options.against.clone(),
        timeout: options.timeout,
        is_reported: options.report.is_some(),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.map_or(0, NonZeroUsize::get))
        .thread_name(|index| format!("test {index}"))
        .stack_size(8 << 20)
        .build()
        .map_err(|error| Failure::machine(chain(&error)))?;
    // What is said of tests appears as they end; the report has them in order.
    let said = Mutex::new(());
    let results = pool.install(|| -> Result<Vec<TestResult>> {
        let groups: Vec<&[&Test]> = tests.chunk_by(|a, b| a.program == b.program).collect();
        let results: Result<Vec<Vec<TestResult>>> = groups
            .par_iter()
            .map(|group| {
                let results = if plan::is_script(&group[0].program) {
                    script::run_script(group, &how)
                } else {
                    run::run_program(group, &how)
                };
                if options.message_format == MessageFormat::Json {
                    let _one = said.lock();
                    for result in &results {
                        print(format!("{}\n", result.json()))?;
                    }
                }
                Ok(results)
            })
            .collect();
        Ok(results?.into_iter().flatten().collect())
    })?;
    // Goldens are told to be orphans where all tests are known that could have them.
    let orphans = orphans::find(&planned)?;
    let mut summary = Summary {
        results,
        all,
        shard: options.shard,
        orphans,
        pruned: 0,
        seconds: begun.elapsed().as_secs_f64(),
    };
    if options.prune {
        summary.prune()?;
    }
    finish(options, &summary)
}

/// Says and writes what came of it; the exit status.
fn finish(options: &TestArguments, summary: &Summary) -> Result {
    if let Some(folder) = &options.report {
        report::write(folder, summary)?;
    }
    if options.message_format == MessageFormat::Text {
        print(report::terminal::text(summary, options.quiet, options.report.as_deref()))?;
    }
    match summary.status() {
        0 => Ok(()),
        status => Err(Failure { status, message: None }),
    }
}

fn merge(options: &TestArguments) -> Result {
    if options.report.is_none() && options.message_format == MessageFormat::Json {
        return Err(Failure::usage("--merge joins reports; name a folder with --report"));
    }
    let summary = report::merge(&options.merge)?;
    finish(options, &summary)
}

/// There is no test to run, which a gate must not take for success.
fn nothing(options: &TestArguments, planned: &Planned) -> Failure {
    if planned.tests.is_empty() {
        let paths: Vec<String> =
            options.paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let paths = paths.join(", ");
        return Failure::input(format!(
            "no tests in {paths}; a test is a comment of a program, such as `; test: --size 64x64`"
        ));
    }
    let filter = options.filter.join("`, `");
    let count = planned.tests.len();
    Failure::input(format!("none of {count} tests has `{filter}` in its name; --list shows them"))
}

fn list(options: &TestArguments, tests: &[&Test]) -> Result {
    let lines: Vec<String> = tests
        .iter()
        .map(|test| {
            let golden = test.golden.display();
            match options.message_format {
                MessageFormat::Text => format!("{}  {golden}\n", test.id()),
                MessageFormat::Json => {
                    let golden = golden.to_string();
                    format!("{}\n", serde_json::json!({"test": test.id(), "golden": golden}))
                }
            }
        })
        .collect();
    print(lines.concat())
}
