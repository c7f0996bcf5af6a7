//! Engines of compute programs: a dispatch changes memories, in the order of [`lambdav_core::evaluate`].

use super::SimdError;
use super::invocations::Invocations;
use super::reported::ReportedDispatch;
use super::running::{
    Cancelled, DispatchStop, failed, first_invocation, memory_of, scheduled, stop, watched,
};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{Dispatch, Observer};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Program, schedule_effects_probed};
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::kernel::DispatchKernel;

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
