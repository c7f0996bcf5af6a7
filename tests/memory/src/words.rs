//! The program's text in WGSL: its words by eval_S, and the core that is raised from them.

use crate::compare::{ITERATIONS, Mismatch, evaluated};
use crate::machine::{self, Ended};
use crate::oracle::Outcome;
use crate::program::Program;
use lambdav_core::evaluate::{DispatchFault, Memory};
use lambdav_core::files::NoFiles;
use lambdav_core::interface::{Binding, Stage};
use lambdav_core::schedule::schedule_effects;
use lambdav_core::source::SourceFile;
use lambdav_core::types::MemoryKind;
use lambdav_spirv_eval::{
    DispatchError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Resources, Undefined,
};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use lambdav_wgsl_frontend::{Options, compile};

/// The words of a text.
pub(crate) fn compiled(text: &str) -> Result<Vec<u32>, Mismatch> {
    let source = SourceFile::new("dispatch.wgsl", text);
    let compiled = compile(source, &Options::default(), &mut NoFiles);
    match compiled.words {
        Some(words) => Ok(words),
        None => {
            let first = compiled.diagnostics.first();
            let second = first.map_or(String::new(), |first| first.message.clone());
            Err(Mismatch::Text { first: text.to_owned(), second })
        }
    }
}

/// The outcome of the words by eval_S; `None` if a loop does not end.
pub(crate) fn by_words(
    program: &Program,
    text: &str,
    words: &[u32],
) -> Result<Option<Outcome>, Mismatch> {
    let wrong = |what: String| Mismatch::Text { first: text.to_owned(), second: what };
    let options = LoadOptions {
        stage: Stage::Compute,
        undefined: Undefined::Total,
        ..LoadOptions::default()
    };
    let module = Module::with_options(words, &options).map_err(|error| wrong(error.to_string()))?;
    let mut evaluator = ModuleEvaluator::new(&module, &Resources::default(), ITERATIONS);
    let resources = module.resources();
    let mut memory: Vec<Vec<u32>> =
        resources.iter().map(|of| program.memories[of.binding as usize].words.clone()).collect();
    match evaluator.dispatch(program.groups, &mut memory, &|_| false) {
        Ok(()) => {
            // A buffer that the text does not name keeps its words.
            let mut all: Vec<Vec<u32>> =
                program.memories.iter().map(|of| of.words.clone()).collect();
            for (of, words) in resources.iter().zip(memory) {
                all[of.binding as usize] = words;
            }
            Ok(Some(Outcome::Words(all)))
        }
        Err(DispatchError::Barrier { waits, other, .. }) => {
            Ok(Some(Outcome::Divergent { arrived: waits, other }))
        }
        Err(DispatchError::Fault { fault: ModuleFault::LoopLimit { .. }, .. }) => Ok(None),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Compares the core that is raised from the words with the oracle: whole, for each buffer alone, and rebuilt. Returns
/// the number of evaluated schedules.
pub(crate) fn raised_agrees(
    program: &Program,
    words: &[u32],
    expected: &Outcome,
) -> Result<usize, Mismatch> {
    let options = RaiseOptions { stage: Stage::Compute, ..RaiseOptions::default() };
    let refused =
        |diagnostic| Mismatch::Refused { form: "raised", diagnostic: Box::new(diagnostic) };
    let (core, interface) = raise("dispatch", words, &options).program.map_err(refused)?;
    if core.workgroup != Some(program.workgroup) {
        return Err(Mismatch::Workgroup(core.workgroup));
    }
    // The program's number of each buffer that the core has.
    let buffer = |number: usize| match interface.resources.get(number)?.binding {
        Binding::Descriptor { binding, .. } => Some(binding as usize),
        Binding::PushConstants => None,
    };
    let rebuilt = core.with_uniforms_fixed(&[], |_| false);
    let forms = [(&core, ["raised", "a slice, raised"]), (&rebuilt, ["raised and rebuilt"; 2])];
    let mut count = 0;
    for (core, [whole, slice]) in forms {
        let all = core.changed_memories();
        let types = core.graph.types();
        let is_buffer =
            |of: &usize| types.memories().any(|known| known == (*of, MemoryKind::Storage));
        let mut memory = Memory::new(types);
        for (number, _) in types.memories().filter(|(number, _)| is_buffer(number)) {
            let words = buffer(number).map(|of| program.memories[of].words.clone());
            memory.set(number, words.unwrap_or_default());
        }
        let mut slices = vec![(whole, all.clone())];
        slices.extend(all.iter().copied().filter(is_buffer).map(|memory| (slice, vec![memory])));
        for (form, asked) in slices {
            let scheduled = schedule_effects(core, &asked)
                .map_err(|diagnostic| Mismatch::Refused { form, diagnostic: diagnostic.into() })?;
            let equals = |form: String, ended: Ended| {
                let is_equal = match (&ended, expected) {
                    (Ok(found), Outcome::Words(expected)) => asked.iter().all(|&number| {
                        let of = buffer(number).filter(|_| is_buffer(&number));
                        of.is_none_or(|of| found.words(number) == expected[of])
                    }),
                    (
                        Err(DispatchFault::DivergentBarrier { arrived, other, .. }),
                        Outcome::Divergent { arrived: first, other: second },
                    ) => (arrived, other) == (first, second),
                    // A program without a memory has no barrier either.
                    (Ok(_), Outcome::Divergent { .. }) => types.memories().next().is_none(),
                    (Err(_), _) => false,
                };
                let message = format!("{ended:?}, and eval_S has {expected:?}");
                if is_equal { Ok(()) } else { Err(Mismatch::Machine { form, message }) }
            };
            equals(form.to_owned(), evaluated(program, &scheduled, memory.clone()))?;
            count += 1;
            if form != "raised" {
                continue;
            }
            for machine in machine::of(false, &scheduled) {
                let form = format!("raised, {machine:?}");
                let ended = machine::run(program, &scheduled, memory.clone(), machine, ITERATIONS);
                let execution =
                    ended.map_err(|message| Mismatch::Machine { form: form.clone(), message })?;
                equals(form, execution.ended)?;
            }
        }
    }
    Ok(count)
}
