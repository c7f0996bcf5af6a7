//! Dispatches of modules by the evaluator of SPIR-V.

use super::super::dispatch::DispatchStop;
use super::{Loops, SpirvError, diagnostic, given};
use crate::settings::Settings;
use lambdav_core::evaluate::DispatchFault;
use lambdav_core::interface::{Binding, Interface, Stage};
use lambdav_core::passes::PassProgram;
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv_backend::emit::EmitError;
use lambdav_spirv_eval::{
    DispatchError, LoadError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Undefined,
};

/// A compute entry point of a module.
#[derive(Debug)]
pub struct SpirvDispatch {
    module: Module,
    interface: Interface,
    loops: Loops,
}

impl SpirvDispatch {
    /// A compute entry point of a module of any compiler. `interface` is that of the raised program, `source` the module's
    /// text.
    ///
    /// # Errors
    ///
    /// A module that the evaluator does not support.
    pub fn of_words(
        words: &[u32],
        interface: &Interface,
        source: &SourceFile,
    ) -> Result<Self, LoadError> {
        let options = LoadOptions {
            stage: Stage::Compute,
            undefined: Undefined::Total,
            entry_point: Some(interface.entry_point.name.clone()),
        };
        let module = Module::with_options(words, &options)?;
        let loops = Loops::Carried(source.clone());
        Ok(Self { module, interface: interface.clone(), loops })
    }

    /// A pass of a program.
    ///
    /// # Errors
    ///
    /// A pass that nests too deeply, or is too large for SPIR-V.
    pub fn of_pass(pass: &PassProgram) -> Result<Self, SpirvError> {
        Err(SpirvError::Emit(EmitError::Dispatched(pass.memories.len().to_string())))
    }

    /// See [`DispatchProgram::run`](super::super::DispatchProgram::run).
    pub(in super::super) fn run(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        mut words: Vec<Vec<u32>>,
        cancelled: &(dyn Fn(u64) -> bool + Sync),
        note: &dyn Fn([u32; 3]) -> String,
    ) -> Result<Vec<Vec<u32>>, DispatchStop> {
        let limit = settings.max_iterations;
        let resources = given::resources(&self.module, &self.interface, settings);
        let mut evaluator = ModuleEvaluator::new(&self.module, &resources, limit);
        let numbers = self.module.resources().iter().map(|of| {
            let binding = Binding::Descriptor { set: of.set, binding: of.binding };
            self.interface.resource(binding)
        });
        let numbers: Vec<Option<usize>> = numbers.collect();
        // Variables that are declared but not used have no number.
        let take = |number: &Option<usize>| {
            number.and_then(|number| words.get_mut(number)).map(std::mem::take).unwrap_or_default()
        };
        let mut memory: Vec<Vec<u32>> = numbers.iter().map(take).collect();
        evaluator.dispatch(groups, &mut memory, cancelled).map_err(|error| match error {
            DispatchError::Fault { fault: ModuleFault::Cancelled, .. } => DispatchStop::Cancelled,
            DispatchError::Fault { invocation, fault } => {
                let found = diagnostic(fault, &self.module, &self.loops, limit);
                DispatchStop::Program(found.note(note(invocation)))
            }
            DispatchError::Barrier { waits, other, block } => {
                let fault = DispatchFault::DivergentBarrier {
                    span: Span::default(),
                    arrived: waits,
                    other,
                };
                let found = fault.diagnostic().expect("it has one");
                DispatchStop::Program(found.note(format!("the barrier is in the block %{block}")))
            }
        })?;
        for (number, memory) in numbers.into_iter().zip(memory) {
            if let Some(words) = number.and_then(|number| words.get_mut(number)) {
                *words = memory;
            }
        }
        Ok(words)
    }
}
