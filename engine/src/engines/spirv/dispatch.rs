//! Dispatches of modules, and of passes, by the evaluator of SPIR-V.

use super::super::running::{Cancelled, DispatchStop, first_invocation};
use super::{Loops, Origin, SpirvError, diagnostic, given};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::DispatchFault;
use lambdav_core::interface::{Binding, EntryPoint, Interface, Stage};
use lambdav_core::passes::PassProgram;
use lambdav_core::schedule::schedule_effects;
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv_backend::emit::{ComputeEntry, EmitOptions, emit_computes};
use lambdav_spirv_eval::{
    DispatchError, LoadError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Observer,
    Resources, SharedData, Slice, Undefined,
};

/// A compute entry point of a module.
#[derive(Debug)]
pub struct SpirvDispatch {
    module: Module,
    interface: Interface,
    loops: Loops,
    origin: Origin,
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
        Ok(Self::carried(Module::with_options(words, &options_for(interface))?, interface, source))
    }

    /// The same, with the names and lines that an observer sees.
    ///
    /// # Errors
    ///
    /// As for [`Self::of_words`].
    pub(crate) fn observed(
        words: &[u32],
        interface: &Interface,
        source: &SourceFile,
    ) -> Result<Self, LoadError> {
        Ok(Self::carried(Module::with_debug(words, &options_for(interface))?, interface, source))
    }

    fn carried(module: Module, interface: &Interface, source: &SourceFile) -> Self {
        let loops = Loops::Carried(source.clone());
        let origin = Origin::Interface(interface.clone());
        Self { module, interface: interface.clone(), loops, origin }
    }

    /// The module.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Runs a dispatch up to the workgroup of one invocation, which is observed, and returns the slice of its writes. `None` if
    /// it was cancelled.
    ///
    /// # Errors
    ///
    /// The first fault.
    pub(crate) fn observe(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &[Vec<u32>],
        invocation: [u32; 3],
        cancelled: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<Option<Slice>, Diagnostic> {
        let limit = settings.max_iterations;
        let (resources, mut memory) = self.bound(settings, &self.numbers(), words);
        let mut evaluator = ModuleEvaluator::new(&self.module, &resources, limit);
        let ran = evaluator.dispatch_observed(
            groups,
            &mut memory,
            invocation,
            &|_| cancelled(),
            observer,
        );
        match ran {
            Ok(slice) => Ok(Some(slice)),
            Err(DispatchError::Fault { fault: ModuleFault::Cancelled, .. }) => Ok(None),
            Err(error) => Err(self.found(error, limit, &first_invocation)),
        }
    }

    /// The numbers of the module's resources in the interface.
    fn numbers(&self) -> Vec<Option<usize>> {
        let numbers = self.module.resources().iter().map(|of| {
            let binding = Binding::Descriptor { set: of.set, binding: of.binding };
            self.interface.resource(binding)
        });
        numbers.collect()
    }

    /// The diagnostic of an error other than a cancellation.
    fn found(
        &self,
        error: DispatchError,
        limit: u64,
        note: &dyn Fn([u32; 3]) -> String,
    ) -> Diagnostic {
        match error {
            DispatchError::Fault { invocation, fault } => {
                diagnostic(fault, &self.module, &self.loops, limit).note(note(invocation))
            }
            DispatchError::Barrier { waits, other, block } => {
                let fault = DispatchFault::DivergentBarrier {
                    span: Span::default(),
                    arrived: waits,
                    other,
                };
                let found = fault.diagnostic().expect("it has one");
                found.note(format!("the barrier is in the block %{block}"))
            }
        }
    }

    /// A pass of a program.
    ///
    /// # Errors
    ///
    /// A pass that nests too deeply, or is too large for SPIR-V.
    pub fn of_pass(pass: &PassProgram) -> Result<Self, SpirvError> {
        let core = &pass.core;
        let changed: Vec<usize> = pass.memories.iter().map(|memory| memory.number).collect();
        let program = schedule_effects(core, &changed).map_err(SpirvError::Program)?;
        let mut interface = Interface::of(core);
        interface.entry_point = EntryPoint::new("pass", Stage::Compute);
        let entry = ComputeEntry {
            program: &program,
            interface: &interface,
            workgroup: [1; 3],
            is_inside: true,
        };
        let emitted = emit_computes(&[], &[entry], None, &EmitOptions::default())?;
        let options = LoadOptions {
            stage: Stage::Compute,
            entry_point: Some(interface.entry_point.name.clone()),
            ..LoadOptions::default()
        };
        let module = Module::with_options(&emitted.words, &options)?;
        let loops = Loops::Emitted(emitted);
        let uniforms = core.uniforms.iter().map(|uniform| uniform.ty).collect();
        let origin = Origin::Program(program.types, uniforms);
        Ok(Self { module, interface, loops, origin })
    }

    /// The blocks, textures and buffers for these settings, and the words of each resource of the module.
    fn bound(
        &self,
        settings: &Settings,
        numbers: &[Option<usize>],
        words: &[Vec<u32>],
    ) -> (Resources, Vec<Vec<u32>>) {
        let resources = match &self.origin {
            Origin::Program(types, uniforms) => {
                Resources::new(&settings.inputs, types, uniforms.iter().copied())
            }
            _ => given::resources(&self.module, &self.interface, settings),
        };
        // Variables that are declared but not used have no number.
        let memory = numbers.iter().zip(self.module.resources()).map(|(number, of)| {
            let read = resources.resources().iter().find(|(binding, _)| *binding == of.binding);
            match (read, number.and_then(|number| words.get(number))) {
                // A buffer that is read is a storage buffer like others.
                (Some((_, SharedData::Buffer(data))), _) if of.set == 0 => data.to_vec(),
                (_, Some(words)) => words.clone(),
                (_, None) => Vec::new(),
            }
        });
        let memory = memory.collect();
        (resources, memory)
    }

    /// See [`DispatchProgram::run`](super::super::DispatchProgram::run).
    pub(in super::super) fn run(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &mut [Vec<u32>],
        cancelled: Option<Cancelled<'_>>,
        note: &dyn Fn([u32; 3]) -> String,
    ) -> Result<(), DispatchStop> {
        let limit = settings.max_iterations;
        let numbers = self.numbers();
        let (resources, mut memory) = self.bound(settings, &numbers, words);
        let mut evaluator = ModuleEvaluator::new(&self.module, &resources, limit);
        let cancelled = |done| cancelled.is_some_and(|cancelled| cancelled(done));
        evaluator.dispatch(groups, &mut memory, &cancelled).map_err(|error| match error {
            DispatchError::Fault { fault: ModuleFault::Cancelled, .. } => DispatchStop::Cancelled,
            error => DispatchStop::Program(self.found(error, limit, note)),
        })?;
        for (number, memory) in numbers.into_iter().zip(memory) {
            if let Some(words) = number.and_then(|number| words.get_mut(number)) {
                *words = memory;
            }
        }
        Ok(())
    }
}

/// Options for loading a compute entry point.
fn options_for(interface: &Interface) -> LoadOptions {
    LoadOptions {
        stage: Stage::Compute,
        undefined: Undefined::Total,
        entry_point: Some(interface.entry_point.name.clone()),
        images: interface.images.clone(),
        ..LoadOptions::default()
    }
}
