//! Machine code of compute programs that tells its sites.
//!
//! Invocations yield the sites that they met as outputs ([`lambdav_core::schedule::probes`]). The operands of a site's first
//! invocation are those of the core evaluator. It evaluates that invocation, or its workgroup, alone: on the original memories if
//! workgroups are independent of one another, else on those that the invocations before it leave.

use super::SimdError;
use super::invocations::{InvocationSites, Invocations, first_indices};
use super::running::{Cancelled, DispatchStop, failed, memory_of, stop, watched};
use crate::mutants::{Mutant, is_active};
use crate::settings::Settings;
use lambdav_core::evaluate::{Dispatch, DispatchFault, Memory, needs_whole_workgroups};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Program, schedule_effects_probed, schedule_effects_reported};
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::kernel::{Call, DispatchError, DispatchKernel};
use std::sync::atomic::{AtomicU64, Ordering};

/// A compute program with probes.
#[derive(Debug)]
pub struct ReportedDispatch {
    kernel: DispatchKernel<Executable>,
    /// The program with its probes.
    probed: Program,
    workgroup: [u32; 3],
}

impl ReportedDispatch {
    /// Compiles a program with probes.
    ///
    /// # Errors
    ///
    /// As for [`SimdProgram::new`](super::SimdProgram::new).
    pub(super) fn new(
        core: &Core,
        workgroup: [u32; 3],
        compiler: &Compiler,
    ) -> Result<Self, SimdError> {
        let changed = core.changed_memories();
        let probed = schedule_effects_probed(core, &changed).map_err(SimdError::Program)?;
        let reported = schedule_effects_reported(core, &changed).map_err(SimdError::Program)?;
        let kernel = DispatchKernel::compile(reported, compiler).map_err(SimdError::Emit)?;
        Ok(Self { kernel, probed, workgroup })
    }

    /// Dispatches so many workgroups along each axis, as
    /// [`DispatchProgram::run_reported`](super::DispatchProgram::run_reported) says.
    ///
    /// # Errors
    ///
    /// The first fault in the order of the dispatch, or cancellation. Then the words are as before.
    pub(super) fn run(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &mut Vec<Vec<u32>>,
        cancelled: Option<Cancelled<'_>>,
        note: &dyn Fn([u32; 3]) -> String,
    ) -> Result<Invocations, DispatchStop> {
        let dispatch = Dispatch { workgroup: self.workgroup, groups };
        let mut memory = memory_of(self.kernel.types(), words.clone());
        let ran = watched(cancelled, |frontier| {
            self.run_within(settings, &dispatch, (words, &mut memory), frontier)
        })?;
        let limit = settings.max_iterations;
        let met = ran.map_err(|stopped| match stopped {
            Stopped::Code(error) => failed(error, limit, note),
            Stopped::Evaluator(fault) => stop(&fault, limit, note),
        })?;
        *words = memory.into_words();
        Ok(met)
    }

    /// Runs the invocations on memories that have the original words.
    fn run_within(
        &self,
        settings: &Settings,
        dispatch: &Dispatch,
        (words, memory): (&[Vec<u32>], &mut Memory),
        frontier: Option<&AtomicU64>,
    ) -> Result<Invocations, Stopped> {
        let (inputs, limit) = (&settings.inputs, settings.max_iterations);
        let mut call = Call::new(dispatch, limit);
        call.frontier = frontier.unwrap_or(call.frontier);
        let sites = InvocationSites::new(dispatch);
        let told = Call { sink: Some(&sites), ..call.clone() };
        let tier = self.kernel.call(&told, inputs, memory).map_err(Stopped::Code)?;
        let told = sites.into_found();
        let size = match needs_whole_workgroups(&self.probed) {
            true => dispatch.invocations_of_workgroup(),
            false => 1,
        };
        let mut observed = Invocations::default();
        let mut original = None;
        let mut done = 0;
        for index in first_indices(&told) {
            if index < done {
                continue;
            }
            let memory =
                original.get_or_insert_with(|| memory_of(self.kernel.types(), words.to_vec()));
            let first = index - index % size;
            if !tier.is_independent() && !is_active(Mutant::OriginalMemory) {
                let before = Call { part: done..first, ..call.clone() };
                self.kernel.call(&before, inputs, memory).map_err(Stopped::Code)?;
            }
            done = first + size;
            let cancelled =
                |_| frontier.is_some_and(|frontier| frontier.load(Ordering::Relaxed) == 0);
            let part = (first..done, memory);
            let ran =
                dispatch.run_part(&self.probed, inputs, part, limit, &cancelled, &mut observed);
            ran.map_err(Stopped::Evaluator)?;
        }
        Ok(Invocations::of_code(&told, observed))
    }
}

/// What ended a dispatch.
enum Stopped {
    Code(DispatchError),
    Evaluator(DispatchFault),
}
