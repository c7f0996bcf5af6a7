//! Comparison of the core with the oracle.

use crate::graph::build;
use crate::machine;
use crate::oracle::{Order, Outcome, run};
use crate::program::Program;
use crate::wgsl;
use lambdav_core::core_text;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{Dispatch, DispatchFault, Memory, has_barrier};
use lambdav_core::files::NoFiles;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::interface::Stage;
use lambdav_core::schedule::{Program as Schedule, schedule_effects};
use lambdav_core::source::SourceFile;
use lambdav_float_environment::with_default;
use lambdav_simd_backend::kernel::Tier;
use lambdav_spirv_eval::{
    DispatchError, LoadOptions, Module, ModuleEvaluator, Resources, Undefined,
};
use lambdav_wgsl_frontend::{Options, compile};
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
    /// The number of executions by the SIMD backend.
    pub executions: usize,
    /// The number of those by threads, after a proof.
    pub at_once: usize,
    /// The number of executions that exceed a limit, as they should.
    pub faults: usize,
    /// The program is a text in WGSL, too.
    pub has_text: bool,
}

/// Compares the core with the oracle: whole, for each buffer alone, rebuilt, and after core text.
///
/// # Errors
///
/// The first difference.
pub fn compare(program: &Program) -> Result<Verdict, Mismatch> {
    with_default(|| compare_all(program))
}

fn compare_all(program: &Program) -> Result<Verdict, Mismatch> {
    let expected = run(program, Order::Forward);
    let backward = run(program, Order::Backward);
    let buffers = |outcome: &Outcome| match outcome {
        Outcome::Words(words) => {
            let words = words.iter().zip(&program.memories);
            let buffers = words.filter(|(_, memory)| !memory.is_of_workgroup);
            buffers.map(|(words, _)| words.clone()).collect()
        }
        Outcome::Divergent { .. } => Vec::new(),
    };
    let mut verdict = Verdict {
        depends_on_order: buffers(&expected) != buffers(&backward),
        is_divergent: matches!(expected, Outcome::Divergent { .. }),
        schedules: 0,
        executions: 0,
        at_once: 0,
        faults: 0,
        has_text: false,
    };
    if program.is_race_free && (verdict.depends_on_order || verdict.is_divergent) {
        return Err(Mismatch::Race);
    }
    verdict.has_text = words_agree(program, &expected, &buffers)?;
    let core = build(program);
    let [schedules, executions, at_once, faults] =
        agrees(program, &core, &expected, ["whole", "a slice"], true)?;
    verdict.schedules += schedules;
    verdict.executions += executions;
    verdict.at_once += at_once;
    verdict.faults += faults;
    let rebuilt = core.with_uniforms_fixed(&[], |_| false);
    let names = ["rebuilt", "a slice, rebuilt"];
    verdict.schedules += agrees(program, &rebuilt, &expected, names, false)?[0];
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
    verdict.schedules += agrees(program, &read, &expected, ["read", "a slice, read"], false)?[0];
    let again = print(&read)?;
    // The reader drops guards. The scheduler makes others, in the order of the nodes.
    if again == text || text.contains("= guard ") {
        return Ok(verdict);
    }
    let mut lines = text.lines().zip(again.lines()).filter(|(first, second)| first != second);
    let (first, second) = lines.next().unwrap_or(("the end", "more lines, or fewer"));
    Err(Mismatch::Text { first: first.to_owned(), second: second.to_owned() })
}

/// Compares eval_S on the words of the program's text with the oracle; false if there is no such text.
fn words_agree(
    program: &Program,
    expected: &Outcome,
    buffers: &dyn Fn(&Outcome) -> Vec<Vec<u32>>,
) -> Result<bool, Mismatch> {
    let Some(text) = wgsl::print(program) else { return Ok(false) };
    let source = SourceFile::new("dispatch.wgsl", &*text);
    let compiled = compile(source, &Options::default(), &mut NoFiles);
    let first = compiled.diagnostics.first().cloned();
    let wrong = |what: String| Mismatch::Text { first: text.clone(), second: what };
    let Some(words) = compiled.words else {
        return Err(wrong(first.map_or(String::new(), |first| first.message)));
    };
    let options =
        LoadOptions { stage: Stage::Compute, undefined: Undefined::Total, entry_point: None };
    let module =
        Module::with_options(&words, &options).map_err(|error| wrong(error.to_string()))?;
    let mut evaluator = ModuleEvaluator::new(&module, &Resources::default(), ITERATIONS);
    let resources = module.resources();
    let mut memory: Vec<Vec<u32>> =
        resources.iter().map(|of| program.memories[of.binding as usize].words.clone()).collect();
    let found = match evaluator.dispatch(program.groups, &mut memory, &|| false) {
        Ok(()) => {
            // A buffer that the text does not name keeps its words.
            let mut all: Vec<Vec<u32>> =
                program.memories.iter().map(|of| of.words.clone()).collect();
            for (of, words) in resources.iter().zip(memory) {
                all[of.binding as usize] = words;
            }
            Outcome::Words(all)
        }
        Err(DispatchError::Barrier { waits, other, .. }) => {
            Outcome::Divergent { arrived: waits, other }
        }
        Err(error) => return Err(wrong(error.to_string())),
    };
    let is_equal = match (&found, expected) {
        (Outcome::Words(_), Outcome::Words(_)) => buffers(&found) == buffers(expected),
        _ => found == *expected,
    };
    if is_equal {
        return Ok(true);
    }
    let (found, expected) = (found.into(), expected.clone().into());
    Err(Mismatch::Outcome { form: "words".to_owned(), found, expected })
}

/// Evaluates the whole core and each slice of its effects, and executes them by the SIMD backend if that `is_asked`. (Of a
/// program with barriers, the whole only.)
/// Returns the number of schedules, of executions, of those by threads, and of faults.
fn agrees(
    program: &Program,
    core: &Core,
    expected: &Outcome,
    [whole, slice]: [&'static str; 2],
    is_asked: bool,
) -> Result<[usize; 4], Mismatch> {
    let buffers = (0..program.memories.len()).filter(|&k| !program.memories[k].is_of_workgroup);
    let buffers: Vec<usize> = buffers.collect();
    let mut slices = vec![(whole, (0..program.memories.len()).collect())];
    slices.extend(buffers.iter().map(|&memory| (slice, vec![memory])));
    let [mut executions, mut at_once, mut faults] = [0; 3];
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
        equals(form, evaluate(program, &scheduled, form)?)?;
        // A program with barriers has many phases to compile.
        if is_asked && (*form == whole || !has_barrier(&scheduled)) {
            for machine in machine::of(program, &scheduled) {
                let form = format!("{form}, {machine:?}");
                let found = machine::run(program, &scheduled, machine, ITERATIONS);
                let found =
                    found.map_err(|message| Mismatch::Machine { form: form.clone(), message })?;
                let (found, tier) = found;
                let found = outcome(program, found).map_err(|fault| Mismatch::Machine {
                    form: form.clone(),
                    message: format!("{fault:?}"),
                })?;
                equals(&form, found)?;
                executions += 1;
                at_once += usize::from(tier == Some(Tier::AtOnce));
            }
            let wrong = |message| Mismatch::Machine { form: (*form).to_owned(), message };
            faults += machine::faults_agree(program, &scheduled).map_err(wrong)?;
            executions += machine::lanes_agree(program, &scheduled).map_err(wrong)?;
        }
    }
    Ok([slices.len(), executions, at_once, faults])
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

fn evaluate(
    program: &Program,
    scheduled: &Schedule,
    form: &'static str,
) -> Result<Outcome, Mismatch> {
    let dispatch = Dispatch { workgroup: program.workgroup, groups: program.groups };
    let (inputs, memory) = (Inputs::default(), memory(program, scheduled));
    let ended = dispatch.run(scheduled, &inputs, memory, ITERATIONS, &|| false);
    outcome(program, ended).map_err(|fault| Mismatch::Fault { form, fault })
}
