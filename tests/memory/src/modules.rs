//! Modules that are emitted for a dispatch, native and exact, by eval_S.

use crate::compare::{ITERATIONS, Mismatch};
use crate::oracle::Outcome;
use crate::program::Program;
use lambdav_core::graph::Core;
use lambdav_core::interface::{EntryPoint, Interface, Stage};
use lambdav_core::schedule::Program as Schedule;
use lambdav_spirv_backend::emit::{
    ComputeEntry, EmitOptions, EmittedModule, Exact, Subnormals, emit_computes,
};
use lambdav_spirv_eval::{
    Arithmetic, DispatchError, LoadOptions, Module, ModuleEvaluator, Resources,
};

/// The module of a dispatch, scheduled for the final states of its memories. Memory `k` is bound at `k + 1`.
pub fn emitted(
    core: &Core,
    scheduled: &Schedule,
    options: &EmitOptions,
) -> Result<EmittedModule, Mismatch> {
    let mut interface = Interface::of(core);
    interface.entry_point = EntryPoint::new("main", Stage::Compute);
    let workgroup = core.workgroup.unwrap_or([1; 3]);
    let entry =
        ComputeEntry { program: scheduled, interface: &interface, workgroup, is_inside: false };
    let emitted = emit_computes(&[], &[entry], None, options);
    emitted.map_err(|error| wrong("module", error.to_string()))
}

/// Options of modules, native and exact, with the least accurate device for which they are right.
pub fn kinds() -> [(&'static str, EmitOptions, Arithmetic); 3] {
    let exact = |float64: bool| {
        let (subnormals, report, registers) = (Subnormals::Integers, None, !float64);
        let exact = Some(Exact { float64, fused: false, subnormals, report, registers });
        EmitOptions { exact, ..EmitOptions::default() }
    };
    let rough = Arithmetic { flushes: true, rounds_twice: true, is_rough: true };
    [
        ("module", EmitOptions::default(), Arithmetic::default()),
        ("exact module", exact(true), rough),
        ("exact module without float64", exact(false), rough),
    ]
}

/// Compares the outcome of the modules of a dispatch by eval_S with the oracle's.
pub(crate) fn agree(
    program: &Program,
    core: &Core,
    scheduled: &Schedule,
    expected: &Outcome,
) -> Result<(), Mismatch> {
    for (form, options, arithmetic) in kinds() {
        let module = emitted(core, scheduled, &options)?;
        let found =
            by_words(program, &module, arithmetic).map_err(|message| wrong(form, message))?;
        let is_equal = match (&found, expected) {
            (Outcome::Words(found), Outcome::Words(expected)) => {
                let both = found.iter().zip(expected).zip(&program.memories);
                both.filter(|(_, memory)| !memory.is_of_workgroup).all(|((a, b), _)| a == b)
            }
            _ => found == *expected,
        };
        if !is_equal {
            let (form, found, expected) = (form.to_owned(), found.into(), expected.clone().into());
            return Err(Mismatch::Outcome { form, found, expected });
        }
    }
    Ok(())
}

fn wrong(form: &str, message: String) -> Mismatch {
    Mismatch::Machine { form: form.to_owned(), message }
}

/// The outcome of a module by eval_S.
fn by_words(
    program: &Program,
    module: &EmittedModule,
    arithmetic: Arithmetic,
) -> Result<Outcome, String> {
    let options = LoadOptions { stage: Stage::Compute, ..LoadOptions::default() };
    let module =
        Module::with_options(&module.words, &options).map_err(|error| error.to_string())?;
    // A loop of the module that clears a variable, or computes a function, has more rounds.
    let mut evaluator = ModuleEvaluator::new(&module, &Resources::default(), 64 * ITERATIONS);
    evaluator.set_arithmetic(arithmetic);
    let memory_of = |binding: u32| binding as usize - 1;
    let bound = module.resources().iter().map(|of| memory_of(of.binding));
    let bound: Vec<usize> = bound.collect();
    let mut memory: Vec<Vec<u32>> =
        bound.iter().map(|&number| program.memories[number].words.clone()).collect();
    match evaluator.dispatch(program.groups, &mut memory, &|_| false) {
        Ok(()) => {
            let mut all: Vec<Vec<u32>> =
                program.memories.iter().map(|of| of.words.clone()).collect();
            bound.iter().zip(memory).for_each(|(&number, words)| all[number] = words);
            Ok(Outcome::Words(all))
        }
        Err(DispatchError::Barrier { waits, other, .. }) => {
            Ok(Outcome::Divergent { arrived: waits, other })
        }
        Err(error) => Err(error.to_string()),
    }
}
