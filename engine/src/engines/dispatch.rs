//! Engines of compute programs: a dispatch changes memories, in the order of [`lambdav_core::evaluate`].

use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{
    Dispatch, DispatchFault, EvaluationFault, Memory, loop_limit_diagnostic,
};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Program, schedule_effects};

/// A compute program of an engine.
#[derive(Debug)]
pub enum DispatchProgram {
    /// For the core evaluator.
    Core(Box<Program>, [u32; 3]),
    /// A module for the evaluator of SPIR-V.
    #[cfg(feature = "spirv")]
    Spirv(Box<super::SpirvDispatch>),
}

/// The reason that a dispatch has no results.
#[derive(Debug)]
pub enum DispatchStop {
    /// The program is at fault.
    Program(Diagnostic),
    /// It was cancelled.
    Cancelled,
}

/// The note that names an invocation.
pub(super) fn first_invocation([x, y, z]: [u32; 3]) -> String {
    format!("the first such invocation is ({x}, {y}, {z})")
}

impl DispatchProgram {
    /// A compute program for the core evaluator.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply.
    pub fn of_core(core: &Core, workgroup: [u32; 3]) -> Result<Self, Diagnostic> {
        let types = core.graph.types();
        let changed = core.effects.iter().map(|effect| core.graph.value_type(effect.node));
        let changed: Vec<usize> = changed.filter_map(|ty| types.resource(ty)).collect();
        let program = schedule_effects(core, &changed)?;
        Ok(Self::Core(program.into(), workgroup))
    }

    /// Dispatches so many workgroups along each axis on the words of memories, by the numbers of resources; returns the
    /// words that the dispatch leaves. `cancelled` is polled with the number of finished workgroups.
    ///
    /// # Errors
    ///
    /// The first fault in the order of the dispatch, or cancellation. Then there are no results.
    pub fn run(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: Vec<Vec<u32>>,
        cancelled: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<Vec<u32>>, DispatchStop> {
        match self {
            Self::Core(program, workgroup) => {
                let mut memory = Memory::new(&program.types);
                let count = words.len();
                for (number, words) in words.into_iter().enumerate() {
                    memory.set(number, words);
                }
                let dispatch = Dispatch { workgroup: *workgroup, groups };
                let (inputs, limit) = (&settings.inputs, settings.max_iterations);
                let memory = dispatch.run(program, inputs, memory, limit, cancelled);
                let memory = memory.map_err(|fault| stop(&fault, limit))?;
                Ok((0..count).map(|number| memory.words(number).to_vec()).collect())
            }
            #[cfg(feature = "spirv")]
            Self::Spirv(program) => program.run(settings, groups, words, cancelled),
        }
    }
}

/// The end that a fault makes.
fn stop(fault: &DispatchFault, max_iterations: u64) -> DispatchStop {
    match fault {
        DispatchFault::Invocation { fault: EvaluationFault::Cancelled, .. } => {
            DispatchStop::Cancelled
        }
        DispatchFault::Invocation { id, fault: EvaluationFault::LoopLimit(span) } => {
            let diagnostic = loop_limit_diagnostic(*span, max_iterations);
            DispatchStop::Program(diagnostic.note(first_invocation(*id)))
        }
        divergent @ DispatchFault::DivergentBarrier { .. } => {
            DispatchStop::Program(divergent.diagnostic().expect("it has one"))
        }
    }
}
