//! Engines of compute programs: a dispatch changes memories, in the order of [`lambdav_core::evaluate`].

use super::SimdError;
use super::reported::ReportedDispatch;
use crate::settings::Settings;
use crate::undefined::Invocations;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{
    Dispatch, DispatchFault, EvaluationFault, Memory, Observer, loop_limit_diagnostic,
};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Program, schedule_effects, schedule_effects_probed};
use lambdav_core::types::Types;
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::kernel::{DispatchError, DispatchKernel};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// A compute program of an engine.
#[derive(Debug)]
pub enum DispatchProgram {
    /// For the core evaluator.
    Core(Box<Program>, [u32; 3]),
    /// Machine code.
    Simd(Box<DispatchKernel<Executable>>, [u32; 3]),
    /// Machine code that tells its sites.
    Reported(Box<ReportedDispatch>),
    /// A module for the evaluator of SPIR-V.
    #[cfg(feature = "spirv")]
    Spirv(Box<super::SpirvDispatch>),
    /// A module for a Vulkan device.
    #[cfg(feature = "gpu")]
    Gpu(Box<super::GpuDispatch>),
}

/// Says if a dispatch is to end early.
pub type Cancelled<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// The reason that a dispatch has no results.
#[derive(Debug)]
pub enum DispatchStop {
    /// The program is at fault.
    Program(Diagnostic),
    /// It was cancelled.
    Cancelled,
    /// The machine has no thread or memory left.
    Machine(String),
}

/// The note that names an invocation.
pub(crate) fn first_invocation([x, y, z]: [u32; 3]) -> String {
    format!("the first such invocation is ({x}, {y}, {z})")
}

impl DispatchProgram {
    /// A compute program for the core evaluator, with the program's probes.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply.
    pub fn of_core(core: &Core, workgroup: [u32; 3]) -> Result<Self, Diagnostic> {
        let program = schedule_effects_probed(core, &core.changed_memories())?;
        Ok(Self::Core(program.into(), workgroup))
    }

    /// A compute program as machine code.
    ///
    /// # Errors
    ///
    /// As for [`SimdProgram::new`](super::SimdProgram::new).
    pub fn of_code(
        core: &Core,
        workgroup: [u32; 3],
        compiler: &Compiler,
    ) -> Result<Self, SimdError> {
        let program = scheduled(core).map_err(SimdError::Program)?;
        if core.effects.is_empty() {
            // Nothing is changed, and there is no code without a result.
            return Ok(Self::Core(program.into(), workgroup));
        }
        let kernel = DispatchKernel::compile(program, compiler).map_err(SimdError::Emit)?;
        Ok(Self::Simd(kernel.into(), workgroup))
    }

    /// Like [`Self::of_code`], for [`Self::run_reported`].
    ///
    /// # Errors
    ///
    /// As for [`Self::of_code`].
    pub(crate) fn of_reported(
        core: &Core,
        workgroup: [u32; 3],
        compiler: &Compiler,
    ) -> Result<Self, SimdError> {
        if core.effects.is_empty() {
            return Self::of_core(core, workgroup).map_err(SimdError::Program);
        }
        Ok(Self::Reported(ReportedDispatch::new(core, workgroup, compiler)?.into()))
    }

    /// Like [`Self::run`], and returns the sites that invocations met, of a program with probes: for the core evaluator, or of
    /// [`Self::of_reported`].
    ///
    /// # Errors
    ///
    /// As for [`Self::run`].
    pub(crate) fn run_reported(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &mut Vec<Vec<u32>>,
        cancelled: Option<Cancelled<'_>>,
        note: &dyn Fn([u32; 3]) -> String,
    ) -> Result<Invocations, DispatchStop> {
        if let Self::Reported(code) = self {
            return code.run(settings, groups, words, cancelled, note);
        }
        let mut met = Invocations::default();
        self.run_observed(settings, groups, words, cancelled, note, &mut met)?;
        Ok(met)
    }

    /// Dispatches so many workgroups along each axis on the words of memories, by the numbers of resources. `cancelled`, if
    /// there is one, is polled with the number of finished workgroups.
    ///
    /// # Errors
    ///
    /// The first fault in the order of the dispatch, or cancellation. Then the words are as before.
    pub fn run(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &mut Vec<Vec<u32>>,
        cancelled: Option<Cancelled<'_>>,
    ) -> Result<(), DispatchStop> {
        self.run_observed(settings, groups, words, cancelled, &first_invocation, &mut ())
    }

    /// Like [`Self::run`]. `note` names the invocation of a fault. Only the core evaluator has an observer.
    pub(crate) fn run_observed(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &mut Vec<Vec<u32>>,
        cancelled: Option<Cancelled<'_>>,
        note: &dyn Fn([u32; 3]) -> String,
        observer: &mut impl Observer,
    ) -> Result<(), DispatchStop> {
        let (inputs, limit) = (&settings.inputs, settings.max_iterations);
        match self {
            Self::Core(program, workgroup) => {
                let dispatch = Dispatch { workgroup: *workgroup, groups };
                let memory = memory_of(&program.types, words.clone());
                let cancelled = |done| cancelled.is_some_and(|cancelled| cancelled(done));
                let memory =
                    dispatch.run_observed(program, inputs, memory, limit, &cancelled, observer);
                let memory = memory.map_err(|fault| stop(&fault, limit, note))?;
                *words = memory.into_words();
                Ok(())
            }
            Self::Simd(kernel, workgroup) => {
                let dispatch = Dispatch { workgroup: *workgroup, groups };
                let mut memory = memory_of(kernel.types(), std::mem::take(words));
                let run = watched(cancelled, |frontier| {
                    kernel.run(&dispatch, inputs, &mut memory, limit, frontier)
                });
                *words = memory.into_words();
                run?.map(drop).map_err(|error| failed(error, limit, note))
            }
            Self::Reported(code) => code.run(settings, groups, words, cancelled, note).map(drop),
            #[cfg(feature = "spirv")]
            Self::Spirv(program) => program.run(settings, groups, words, cancelled, note),
            #[cfg(feature = "gpu")]
            Self::Gpu(program) => program.run(settings, groups, words, cancelled),
        }
    }
}

/// The final states of the memories that a program changes.
pub(super) fn scheduled(core: &Core) -> Result<Program, Diagnostic> {
    schedule_effects(core, &core.changed_memories())
}

/// Memories with these words, by the numbers of resources.
pub(super) fn memory_of(types: &Types, words: Vec<Vec<u32>>) -> Memory {
    let mut memory = Memory::new(types);
    for (number, words) in words.into_iter().enumerate() {
        memory.set(number, words);
    }
    memory
}

/// Time between two looks at whether a dispatch is cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// Runs work that ends early when its frontier is 0, and sets that when it is cancelled. Without `cancelled` there is no
/// frontier.
///
/// # Errors
///
/// If no thread can be started.
pub(super) fn watched<T>(
    cancelled: Option<Cancelled<'_>>,
    work: impl FnOnce(Option<&AtomicU64>) -> T,
) -> Result<T, DispatchStop> {
    let Some(cancelled) = cancelled else { return Ok(work(None)) };
    let frontier = AtomicU64::new(u64::MAX);
    let (done, is_done) = mpsc::channel::<()>();
    let worked = thread::scope(|scope| {
        let frontier = &frontier;
        // The channel closes when the work is done.
        thread::Builder::new().spawn_scoped(scope, move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if cancelled(0) {
                    frontier.store(0, Ordering::Relaxed);
                }
            }
        })?;
        let result = work(Some(frontier));
        drop(done);
        Ok(result)
    });
    worked.map_err(|error: io::Error| {
        DispatchStop::Machine(format!("cannot start a thread: {error}"))
    })
}

/// The end that an error of machine code makes.
pub(super) fn failed(
    error: DispatchError,
    max_iterations: u64,
    note: &dyn Fn([u32; 3]) -> String,
) -> DispatchStop {
    match error {
        DispatchError::Fault(fault) => stop(&fault, max_iterations, note),
        error => DispatchStop::Machine(error.to_string()),
    }
}

/// The end that a fault makes.
pub(super) fn stop(
    fault: &DispatchFault,
    max_iterations: u64,
    note: &dyn Fn([u32; 3]) -> String,
) -> DispatchStop {
    match fault {
        DispatchFault::Invocation { fault: EvaluationFault::Cancelled, .. } => {
            DispatchStop::Cancelled
        }
        DispatchFault::Invocation { id, fault: EvaluationFault::LoopLimit(span) } => {
            let diagnostic = loop_limit_diagnostic(*span, max_iterations);
            DispatchStop::Program(diagnostic.note(note(*id)))
        }
        divergent @ DispatchFault::DivergentBarrier { .. } => {
            DispatchStop::Program(divergent.diagnostic().expect("it has one"))
        }
    }
}
