//! `lambdav test`: golden images.
//!
//! A *test* is a directive in a comment of a program; it describes a picture to draw. Its *golden* is
//! the blessed picture, a file beside the program. Its [*expectations*](expectation) compare values. [`plan`] finds programs and reads directives.
//! [`workers`] runs the tests in other processes, so that no test can end the run. In a worker,
//! [`mod@run`] draws and compares one test; [`golden`] reads and writes goldens. [`report`] reports the
//! results. A run writes only files with names of its own, each atomically, and replaces or removes
//! only files with a [`mark`].

mod buffers;
mod comments;
mod directive;
mod equality;
mod evaluate;
mod evidence;
mod expectation;
mod files;
mod folders;
mod golden;
mod groups;
mod job;
mod mark;
mod memory;
mod options;
mod orphans;
mod plan;
mod report;
mod result;
mod run;
mod script;
mod worker;
mod workers;

pub(super) use worker::work;
pub(super) use workers::WORKER;

use super::engines::EngineName;
use super::failure::{Failure, Result};
use super::gpu::GpuArguments;
use super::messages::{MessageFormat, print};
use super::module::SearchArguments;
use super::undefined::UndefinedBehaviour;
use super::values::{seconds, threads};
use clap::Args;
use directive::Wrong;
use lambdav_core::diagnostics::{nearest_name, printable};
use plan::{Planned, Test};
use result::{Status, Summary, TestResult};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

const HELP: &str = "\
A test is a comment of a program:

  ; test: --size 64x64                      one test; its golden is NAME.png
  ; test: night --time 22 --set glow=2      one of several; its golden is NAME.night.png
  ; test: exact --format exr --max-ulp 2    png, exr, npy, or digest: a line in place of a picture

A compute program in WGSL, GLSL or SPIR-V is run on buffers; the golden NAME.json holds one of them:

  // test: --groups 4 --bind values=values.json --save histogram

So is a shader with passes, without --groups:

  ; test: --bind values=values.json --save histogram

Below a test, expectations compare values: numbers, elements NAME[i] of buffers, pixels, and expressions
in the language of the program, so that functions can be tested. Without a test above it, an expectation
is a test of its own:

  ; expect: (luma (vec3 1)) == 1 ulp 1      floats may differ by so many steps
  ; expect: pixel(3,4) == (vec4 1 0 0 1)    the pixel of the picture, in binary32
  // expect: histogram[3] == 7u             after `// test: --groups 4 --bind values=values.json`

A test without --save of a compute program, or with --format none, has no golden.

A directive takes the options of `render` that define the picture (size, time, frame, mouse, date,
set, uniforms, bind, mesh, camera, vertices, instances, output, max-iterations, srgb, depth; in other
languages than λV entry, input, clear; in GLSL and WGSL include and define; in GLSL dialect and
origin) and those of `diff` that allow differences; or --groups, --zeros and --save of `run`. In WGSL and GLSL the comment is `// test: …`. Any
program x, also a SPIR-V module, can have its directives in a file x.test beside it. A test that fails
writes NAME.new.png and NAME.diff.png beside its golden. Only files that `lambdav test` has written
are replaced or removed. A file x.amber, in AmberScript, is one test with its own expectations; a
script that uses an unsupported feature neither passes nor fails.

Exit status: 0 all passed; 1 some did not; 2 the command line is at fault; 3 the machine is.";

/// Draw the tests of programs and compare the pictures with their goldens
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct TestArguments {
    /// Programs, and folders to search for programs
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Make drawn pictures the goldens if these are missing or differ by more than is allowed
    #[arg(long, conflicts_with_all = ["list", "against", "merge", "accept"])]
    bless: bool,
    /// Make the drawn pictures of these tests the goldens; names are those that the failed run printed
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with_all = ["list", "against", "merge", "filter", "shard"])]
    accept: Vec<String>,
    /// With --bless and --accept: also replace goldens that `lambdav test` did not write, and mark
    /// those that match
    #[arg(long)]
    adopt: bool,
    /// With --bless: remove goldens that belong to no test
    #[arg(long, requires = "bless")]
    prune: bool,
    /// Run only tests whose name contains this; may be given more than once
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// List the tests and their goldens without running them
    #[arg(long, conflicts_with_all = [
        "merge", "report", "require_tests", "jobs", "quiet", "against", "timeout", "memory", "engine", "device", "native",
        "flush_subnormals",
    ])]
    list: bool,
    /// Engine that computes the pixels; by default simd, or core for a program that exceeds the limits
    /// of simd
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    gpu: GpuArguments,
    #[command(flatten)]
    search: SearchArguments,
    /// What is done about undefined behaviour, such as a division by 0: nothing; `report` adds a line to a test's result for each
    /// place of the text that meets any; `error` does so, and the test fails. `; undefined: none` below a test expects it
    #[arg(long, value_enum, default_value = "ignore")]
    undefined: UndefinedBehaviour,
    /// Fail if a program in a folder has no test. Files that other programs include need none
    #[arg(long)]
    require_tests: bool,
    /// Number of tests to run at once; by default the number of cores
    #[arg(long, short, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    jobs: Option<NonZeroUsize>,
    /// Print only the number of failed tests; the exit status shows failure, too
    #[arg(long, short)]
    quiet: bool,
    /// Run part K of N parts, as in 2/3; together the parts are all tests
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "merge")]
    shard: Option<(usize, usize)>,
    /// Write a report into this folder: index.html, junit.xml and results.jsonl
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Run no tests; join the reports in these folders, one for each shard, into one
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = [
        "paths", "filter", "engine", "against", "jobs", "timeout", "memory", "device", "native", "flush_subnormals",
    ])]
    merge: Vec<PathBuf>,
    /// Compare the pictures in this folder, which another program drew and which are named as the
    /// goldens, with the pictures drawn here. Tests without a golden are left out
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
    /// Seconds that each test may take to read its program, draw and compare
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, allow_hyphen_values = true)]
    timeout: Duration,
    /// Memory of the process that runs the tests, in GiB; by default three quarters of the machine's
    /// memory, and at least 4
    #[arg(long, value_name = "GIB", value_parser = gib, allow_hyphen_values = true)]
    memory: Option<f64>,
    /// Run the tests again whenever a program, a file that it includes, or a golden changes, until
    /// interrupted
    #[arg(long, conflicts_with_all = ["list", "merge"])]
    pub(super) watch: bool,
    /// Format of results on standard output; json is one object per test
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
}

fn gib(text: &str) -> std::result::Result<f64, String> {
    // The allocator alone reserves one GiB at the start.
    let gib = text.parse().ok().filter(|gib| (1.5..=1e6).contains(gib));
    gib.ok_or_else(|| format!("`{text}` is not a number of GiB from 1.5 on"))
}

fn shard(text: &str) -> std::result::Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(format!("`{text}` is not a part such as 2/3")),
    }
}

impl TestArguments {
    /// True if drawn pictures become goldens.
    fn blesses(&self) -> bool {
        self.bless || !self.accept.is_empty()
    }
}

pub(super) fn run(options: &TestArguments) -> Result {
    if options.adopt && !options.blesses() {
        return Err(Failure::usage("--adopt is for --bless and --accept"));
    }
    options.undefined.without_paint("tests compare pictures, which are not painted")?;
    if let Some(folder) = &options.report {
        report::check(folder)?;
    }
    if !options.merge.is_empty() {
        return merge(options);
    }
    if options.engine != Some(EngineName::Gpu) {
        options.gpu.open(false)?;
    }
    let begun = Instant::now();
    let mut planned = plan::plan(&options.paths)?;
    warn(&planned);
    let all = std::mem::take(&mut planned.tests);
    let mut tests: Vec<&Test> = all.iter().collect();
    tests.retain(|test| {
        options.filter.is_empty() || options.filter.iter().any(|text| test.id().contains(text))
    });
    if !options.accept.is_empty() {
        accepted(&mut tests, &options.accept)?;
    }
    if tests.is_empty() {
        return Err(nothing(options, &planned, all.len()));
    }
    if options.against.is_some() {
        let count = tests.len();
        tests.retain(|test| test.has_golden());
        if tests.is_empty() {
            let what = format!("--against compares pictures, and none of {count} tests has one");
            return Err(Failure::input(what));
        }
    }
    let count = tests.len();
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
    let results = run_tests(options, &tests)?;
    // A golden is an orphan only if none of all known tests has it, filtered ones included.
    planned.tests = all;
    let mut summary = Summary {
        results,
        all: count,
        shard: options.shard,
        orphans: orphans::find(&planned),
        pruned: Vec::new(),
        untested: planned.untested,
        requires_tests: options.require_tests,
        seconds: begun.elapsed().as_secs_f64(),
    };
    let pruned = if options.prune { summary.prune() } else { Ok(()) };
    finish(options, &summary).and(pruned)
}

/// Results of the tests, in order. Each result is printed when its test ends.
fn run_tests(options: &TestArguments, tests: &[&Test]) -> Result<Vec<TestResult>> {
    let mut say = |result: &TestResult| match options.message_format {
        MessageFormat::Json => print(format!("{}\n", result.json())),
        MessageFormat::Text => Ok(()),
    };
    // Malformed directives need no process.
    let mut results: BTreeMap<usize, TestResult> = BTreeMap::new();
    let mut others = Vec::new();
    for (number, test) in tests.iter().enumerate() {
        match &test.directive {
            Err(wrong) if !folders::is_script(&test.program) => {
                let (file, line) = (test.place.0.display(), test.place.1);
                let message = match wrong {
                    Wrong::Placed(message) => message.clone(),
                    Wrong::Directive(message) => format!("{file}:{line}: {message}"),
                };
                let result = TestResult::wrong(test, Status::Broken, message);
                say(&result)?;
                results.insert(number, result);
            }
            _ => others.push(number),
        }
    }
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = options.jobs.map_or(cores, NonZeroUsize::get);
    let run: Vec<&Test> = others.iter().map(|&number| tests[number]).collect();
    let run = workers::run(&run, threads, options.timeout, &mut say)?;
    results.extend(run.into_iter().map(|(index, result)| (others[index], result)));
    Ok(results.into_values().collect())
}

/// Warns of comments that resemble tests.
fn warn(planned: &Planned) {
    for warning in &planned.warnings {
        // Standard error failed: no channel is left for an error.
        let _ = writeln!(io::stderr(), "warning: {}", printable(warning));
    }
}

/// Keeps the tests with these names. A name is that of a test, of its golden, or of its new picture.
fn accepted(tests: &mut Vec<&Test>, names: &[String]) -> Result {
    let plain = |name: &str| name.strip_prefix("./").unwrap_or(name).to_owned();
    let of = |test: &Test| {
        let files = [&test.golden, &test.new_picture()].map(|file| plain(&file.to_string_lossy()));
        let [golden, new] = files;
        [test.id(), golden, new]
    };
    for name in names {
        if !tests.iter().any(|test| of(test).contains(&plain(name))) {
            let ids: Vec<String> = tests.iter().map(|test| test.id()).collect();
            let near = nearest_name(name, ids.iter().map(String::as_str));
            let near =
                near.map_or("--list shows all".to_owned(), |near| format!("`{near}` is one"));
            return Err(Failure::usage(format!("--accept: there is no test `{name}`; {near}")));
        }
    }
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    tests.retain(|test| of(test).iter().any(|name| names.contains(name)));
    Ok(())
}

/// Prints and writes the results, and returns the exit status. They are printed even if they cannot be
/// written.
fn finish(options: &TestArguments, summary: &Summary) -> Result {
    let written = options.report.as_ref().map(|folder| report::write(folder, summary));
    match options.message_format {
        MessageFormat::Text => {
            let folder = options.report.as_deref().filter(|_| matches!(written, Some(Ok(()))));
            print(report::terminal::text(summary, options.quiet, folder))?;
        }
        MessageFormat::Json => {
            for path in &summary.pruned {
                let removed = serde_json::json!({"removed": path.to_string_lossy()});
                print(format!("{removed}\n"))?;
            }
        }
    }
    written.unwrap_or(Ok(()))?;
    match summary.status() {
        0 => Ok(()),
        status => Err(Failure { status, message: None }),
    }
}

fn merge(options: &TestArguments) -> Result {
    if options.report.is_none() && options.message_format == MessageFormat::Json {
        return Err(Failure::usage("--merge joins reports; name a folder with --report"));
    }
    let mut summary = report::merge(&options.merge)?;
    summary.requires_tests = options.require_tests;
    finish(options, &summary)
}

/// Failure for an empty set of tests: a gate must not take it for success.
fn nothing(options: &TestArguments, planned: &Planned, count: usize) -> Failure {
    if count == 0 {
        let paths: Vec<String> =
            options.paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let paths = paths.join(", ");
        let untested = match planned.untested.len() {
            0 => String::new(),
            1 => ", of 1 program".to_owned(),
            programs => format!(", of {programs} programs"),
        };
        return Failure::input(format!(
            "no tests in {paths}{untested}; a test is a comment of a program, such as \
             `; test: --size 64x64` in λV or `// test: --size 64x64` in WGSL and GLSL"
        ));
    }
    let filter = options.filter.join("`, `");
    Failure::input(format!("none of {count} tests has `{filter}` in its name; --list shows them"))
}

fn list(options: &TestArguments, tests: &[&Test]) -> Result {
    let lines: Vec<String> = tests
        .iter()
        .map(|test| {
            let golden = test.golden.display().to_string();
            match options.message_format {
                MessageFormat::Text if !test.has_golden() => format!("{}\n", test.id()),
                MessageFormat::Text => format!("{}  {golden}\n", test.id()),
                MessageFormat::Json => {
                    let golden = Some(golden).filter(|_| test.has_golden());
                    format!("{}\n", serde_json::json!({"test": test.id(), "golden": golden}))
                }
            }
        })
        .collect();
    print(lines.concat())
}
