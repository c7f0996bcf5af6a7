//! Dispatches of modules, and of passes, by the evaluator of SPIR-V.

use super::super::dispatch::{Cancelled, DispatchStop};
use super::{Loops, Origin, SpirvError, diagnostic, given};
use crate::settings::Settings;
use lambdav_core::evaluate::DispatchFault;
use lambdav_core::interface::{Binding, EntryPoint, Interface, Stage};
use lambdav_core::passes::PassProgram;
use lambdav_core::schedule::schedule_effects;
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv_backend::emit::{ComputeEntry, EmitOptions, emit_computes};
use lambdav_spirv_eval::{
    DispatchError, LoadError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Resources,
    SharedData, Undefined,
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
        let options = LoadOptions {
            stage: Stage::Compute,
            undefined: Undefined::Total,
            entry_point: Some(interface.entry_point.name.clone()),
            ..LoadOptions::default()
        };
        let module = Module::with_options(words, &options)?;
        let loops = Loops::Carried(source.clone());
        let origin = Origin::Interface(interface.clone());
        Ok(Self { module, interface: interface.clone(), loops, origin })
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
        let numbers = self.module.resources().iter().map(|of| {
            let binding = Binding::Descriptor { set: of.set, binding: of.binding };
            self.interface.resource(binding)
        });
        let numbers: Vec<Option<usize>> = numbers.collect();
        let (resources, mut memory) = self.bound(settings, &numbers, words);
        let mut evaluator = ModuleEvaluator::new(&self.module, &resources, limit);
        let cancelled = |done| cancelled.is_some_and(|cancelled| cancelled(done));
        evaluator.dispatch(groups, &mut memory, &cancelled).map_err(|error| match error {
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
        Ok(())
    }
}
