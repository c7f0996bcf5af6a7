//! Comparison of the core with the oracle.

use crate::graph::build;
use crate::machine;
use crate::modules;
use crate::oracle::{Change, Order, Outcome, run, run_logged};
use crate::program::Program;
use crate::wgsl;
use crate::words::{by_words, compiled, raised_agrees};
use lambdav_core::core_text;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{Dispatch, DispatchFault, Memory, has_barrier};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{Program as Schedule, schedule_effects};
use lambdav_core::source::SourceFile;
use lambdav_float_environment::with_default;
use lambdav_simd_backend::kernel::Tier;
use lambdav_test_support::spirv_opt;
use thiserror::Error;

/// Most `rec`s of a loop; no program has a longer loop.
pub(crate) const ITERATIONS: u64 = 1000;

/// A program for which core and oracle differ.
#[derive(Debug, Error)]
pub enum Mismatch {
    /// The core is refused.
    #[error("{form}: refused: {}", diagnostic.message)]
    Refused {
        /// The form of the core.
        form: &'static str,
        /// The diagnostic.
        diagnostic: Box<Diagnostic>,
    },
    /// An invocation has a fault.
    #[error("{form}: {fault:?}")]
    Fault {
        /// The form of the core.
        form: &'static str,
        /// The fault.
        fault: DispatchFault,
    },
    /// The outcomes differ.
    #[error("{form}: {found:?}, and the oracle has {expected:?}")]
    Outcome {
        /// The form of the core.
        form: String,
        /// The outcome of the core. Memories that are not asked for have their initial words.
        found: Box<Outcome>,
        /// The oracle's outcome.
        expected: Box<Outcome>,
    },
    /// Core text that is printed, read and printed again differs.
    #[error("core text is not read back as it was printed: `{first}` becomes `{second}`")]
    Text {
        /// The first line that differs.
        first: String,
        /// The line after reading and printing.
        second: String,
    },
    /// The core that is raised has workgroups of another size.
    #[error("raised: the size of a workgroup is {0:?}")]
    Workgroup(Option<[u32; 3]>),
    /// The SIMD backend fails.
    #[error("{form}: {message}")]
    Machine {
        /// The form of the program.
        form: String,
        /// The failure.
        message: String,
    },
    /// The oracle's result depends on the order, though the program is race-free.
    #[error("a race-free program depends on the order")]
    Race,
}

/// The features of a program that agrees.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verdict {
    /// The result depends on the order of invocations or of workgroups.
    pub depends_on_order: bool,
    /// A barrier is divergent.
    pub is_divergent: bool,
    /// The number of evaluated schedules.
    pub schedules: usize,
    /// The number of executions by the SIMD backend, and of modules.
    pub executions: usize,
    /// The numbers of those in lanes, in threads, and in both, after a proof.
    pub tiers: [usize; 3],
    /// The number of executions that exceed a limit, as they should.
    pub faults: usize,
    /// The program is a text in WGSL, too.
    pub has_text: bool,
}

/// Compares the core with the oracle: whole, for each buffer alone, rebuilt, and after core text. The core that is raised
/// from words is compared, too, and with eval_S for a text that is changed as `seed` says; and again, if wanted, for the
/// words of that text that `spirv-opt` has `optimised`.
///
/// # Errors
///
/// The first difference.
pub fn compare(program: &Program, seed: u64, optimised: bool) -> Result<Verdict, Mismatch> {
    with_default(|| compare_all(program, seed, optimised))
}

fn compare_all(program: &Program, seed: u64, optimised: bool) -> Result<Verdict, Mismatch> {
    let (expected, changes) = run_logged(program, Order::Forward);
    let backward = run(program, Order::Backward);
    let mut verdict = Verdict {
        depends_on_order: buffers(program, &expected) != buffers(program, &backward),
        is_divergent: matches!(expected, Outcome::Divergent { .. }),
        schedules: 0,
        executions: 0,
        tiers: [0; 3],
        faults: 0,
        has_text: false,
    };
    if program.is_race_free && (verdict.depends_on_order || verdict.is_divergent) {
        return Err(Mismatch::Race);
    }
    if let Some(text) = wgsl::print(program) {
        verdict.has_text = true;
        let words = compiled(&text)?;
        let found = by_words(program, &text, &words)?;
        agree(program, found, &expected, "words")?;
        verdict.schedules += raised_agrees(program, &words, &expected)?;
    }
    if let Some(text) = wgsl::print_changed(program, seed) {
        let words = compiled(&text)?;
        // A change may leave out the end of a round.
        if let Some(expected) = by_words(program, &text, &words)? {
            verdict.schedules += raised_agrees(program, &words, &expected)?;
            if optimised {
                // It folds sums that are NaNs to other bits, so eval_S takes the same words.
                let words = spirv_opt(&words);
                if let Some(expected) = by_words(program, &text, &words)? {
                    verdict.schedules += raised_agrees(program, &words, &expected)?;
                }
            }
        }
    }
    let core = build(program);
    agrees(program, &core, (&expected, &changes), ["whole", "a slice"], Some(seed), &mut verdict)?;
    let rebuilt = core.with_uniforms_fixed(&[], |_| false);
    let names = ["rebuilt", "a slice, rebuilt"];
    agrees(program, &rebuilt, (&expected, &changes), names, None, &mut verdict)?;
    let print = |core: &Core| {
        core_text::print(core, None).map_err(|diagnostic| Mismatch::Refused {
            form: "core text",
            diagnostic: diagnostic.into(),
        })
    };
    let text = print(&core)?;
    let (read, diagnostics) = core_text::read(&SourceFile::new("a.core", &*text));
    let Some(read) = read else {
        let diagnostic = diagnostics[0].clone().into();
        return Err(Mismatch::Refused { form: "core text that is read", diagnostic });
    };
    agrees(program, &read, (&expected, &changes), ["read", "a slice, read"], None, &mut verdict)?;
    let again = print(&read)?;
    // The reader drops guards. The scheduler makes others, in the order of the nodes.
    if again == text || text.contains("= guard ") {
        return Ok(verdict);
    }
    let mut lines = text.lines().zip(again.lines()).filter(|(first, second)| first != second);
    let (first, second) = lines.next().unwrap_or(("the end", "more lines, or fewer"));
    Err(Mismatch::Text { first: first.to_owned(), second: second.to_owned() })
}

/// The words of all buffers; none after a divergent barrier.
fn buffers(program: &Program, outcome: &Outcome) -> Vec<Vec<u32>> {
    let Outcome::Words(words) = outcome else { return Vec::new() };
    let words = words.iter().zip(&program.memories);
    let buffers = words.filter(|(_, memory)| !memory.is_of_workgroup);
    buffers.map(|(words, _)| words.clone()).collect()
}

/// Compares the outcome of words with the expected one; `None` is that of a loop that does not end.
fn agree(
    program: &Program,
    found: Option<Outcome>,
    expected: &Outcome,
    form: &'static str,
) -> Result<(), Mismatch> {
    let is_equal = match (&found, expected) {
        (Some(found @ Outcome::Words(_)), Outcome::Words(_)) => {
            buffers(program, found) == buffers(program, expected)
        }
        (found, expected) => found.as_ref() == Some(expected),
    };
    match is_equal {
        true => Ok(()),
        false => {
            let found = found.unwrap_or(Outcome::Words(Vec::new())).into();
            Err(Mismatch::Outcome {
                form: form.to_owned(),
                found,
                expected: expected.clone().into(),
            })
        }
    }
}

/// Evaluates the whole core and each slice of its effects. With a seed, also executes the whole by the SIMD backend, modules
/// of it by eval_S, and each slice of a program without barriers by a quarter of the executions, as the seed says.
/// Adds what was executed to `verdict`.
fn agrees(
    program: &Program,
    core: &Core,
    (expected, changes): (&Outcome, &[Change]),
    [whole, slice]: [&'static str; 2],
    seed: Option<u64>,
    verdict: &mut Verdict,
) -> Result<(), Mismatch> {
    let buffers = (0..program.memories.len()).filter(|&k| !program.memories[k].is_of_workgroup);
    let buffers: Vec<usize> = buffers.collect();
    let mut slices = vec![(whole, (0..program.memories.len()).collect())];
    slices.extend(buffers.iter().map(|&memory| (slice, vec![memory])));
    for (form, asked) in &slices {
        let scheduled = schedule_effects(core, asked)
            .map_err(|diagnostic| Mismatch::Refused { form, diagnostic: diagnostic.into() })?;
        let equals = |form: &str, found: Outcome| {
            let is_equal = match (&found, expected) {
                (Outcome::Words(found), Outcome::Words(expected)) => {
                    let mut compared = asked.iter().filter(|memory| buffers.contains(memory));
                    compared.all(|&memory| found[memory] == expected[memory])
                }
                _ => found == *expected,
            };
            let (found, expected) = (found.into(), expected.clone().into());
            let mismatch = Mismatch::Outcome { form: form.to_owned(), found, expected };
            if is_equal { Ok(()) } else { Err(mismatch) }
        };
        equals(form, evaluate(program, &scheduled, memory(program, &scheduled), form)?)?;
        let is_whole = *form == whole;
        let Some(seed) = seed else { continue };
        if is_whole {
            modules::agree(program, core, &scheduled, expected)?;
            verdict.executions += modules::kinds().len();
        }
        // A program with barriers has many phases to compile.
        if is_whole || !has_barrier(&scheduled) {
            let machines = machine::of(program.is_race_free, &scheduled);
            let chosen = (seed..).zip(machines).filter(|(k, _)| is_whole || k.is_multiple_of(4));
            for (_, machine) in chosen {
                let form = format!("{form}, {machine:?}");
                let memory = memory(program, &scheduled);
                let found = machine::run(program, &scheduled, memory, machine, ITERATIONS);
                let wrong = |message| Mismatch::Machine { form: form.clone(), message };
                let execution = found.map_err(wrong)?;
                let found = outcome(program, execution.ended);
                let found = found.map_err(|fault| wrong(format!("{fault:?}")))?;
                // A slice leaves out changes; after a divergent barrier the interpreters have made more.
                if is_whole && matches!(found, Outcome::Words(_)) {
                    execution.log.agrees(program, machine, changes).map_err(wrong)?;
                }
                equals(&form, found)?;
                verdict.executions += 1;
                match execution.tier {
                    None | Some(Tier::InOrder) => {}
                    Some(Tier::Lanes) => verdict.tiers[0] += 1,
                    Some(Tier::Threads) => verdict.tiers[1] += 1,
                    Some(Tier::AtOnce) => verdict.tiers[2] += 1,
                }
            }
        }
        if is_whole {
            let wrong = |message| Mismatch::Machine { form: (*form).to_owned(), message };
            verdict.faults += machine::faults_agree(program, &scheduled).map_err(wrong)?;
            verdict.executions += machine::lanes_agree(program, &scheduled).map_err(wrong)?;
        }
    }
    verdict.schedules += slices.len();
    Ok(())
}

/// The initial contents of memories.
pub(crate) fn memory(program: &Program, scheduled: &Schedule) -> Memory {
    let mut memory = Memory::new(&scheduled.types);
    for (number, declaration) in program.memories.iter().enumerate() {
        memory.set(number, declaration.words.clone());
    }
    memory
}

/// The outcome of a dispatch, or its fault.
fn outcome(
    program: &Program,
    ended: Result<Memory, DispatchFault>,
) -> Result<Outcome, DispatchFault> {
    match ended {
        Ok(memory) => {
            let words = (0..program.memories.len()).map(|number| memory.words(number).to_vec());
            Ok(Outcome::Words(words.collect()))
        }
        Err(DispatchFault::DivergentBarrier { arrived, other, .. }) => {
            Ok(Outcome::Divergent { arrived, other })
        }
        Err(fault) => Err(fault),
    }
}

/// The outcome by the core evaluator.
fn evaluate(
    program: &Program,
    scheduled: &Schedule,
    memory: Memory,
    form: &'static str,
) -> Result<Outcome, Mismatch> {
    let ended = evaluated(program, scheduled, memory);
    outcome(program, ended).map_err(|fault| Mismatch::Fault { form, fault })
}

/// The dispatch by the core evaluator.
pub(crate) fn evaluated(
    program: &Program,
    scheduled: &Schedule,
    memory: Memory,
) -> Result<Memory, DispatchFault> {
    let dispatch = Dispatch { workgroup: program.workgroup, groups: program.groups };
    dispatch.run(scheduled, &Inputs::default(), memory, ITERATIONS, &|_| false)
}
