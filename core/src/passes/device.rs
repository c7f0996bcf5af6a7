//! Passes as entry points of a module.

use super::{PassProgram, Role, workgroup};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Core, Passes};
use crate::interface::{EntryPoint, Interface, Stage};
use crate::schedule::{Program, schedule_effects};
use crate::types::Types;

/// The passes of a program as entry points of one module, of one table of types.
///
/// A result is written at the binding of its declaration, with the layout std430. But if a pass reads the elements of a result that
/// it writes, the result has a second binding, after all others, and all passes write there: the host gives both the same
/// elements before each pass.
#[derive(Debug)]
pub struct DevicePasses {
    /// The passes in order.
    pub passes: Vec<DevicePass>,
    types: Types,
}

/// A pass as an entry point.
#[derive(Debug)]
pub struct DevicePass {
    /// Its final states.
    pub program: Program,
    /// Name and bindings.
    pub interface: Interface,
    /// The number of invocations of a workgroup, by axes.
    pub workgroup: [u32; 3],
}

impl DevicePasses {
    /// The passes of a program.
    ///
    /// # Errors
    ///
    /// Too many results, and as for [`schedule_effects`].
    pub fn new(core: &Core, passes: &Passes) -> Result<Self, Diagnostic> {
        let programs = PassProgram::for_device(core, passes).map_err(|limit| {
            let span = passes.passes.first().map(|pass| pass.span).unwrap_or_default();
            let message = format!("the passes write too many results: {limit}");
            Diagnostic::new(DiagnosticCode::TypeTooLarge, span, message)
        })?;
        let elements = |of: &PassProgram| {
            of.memories.iter().copied().filter(|of| of.role == Role::Elements).collect::<Vec<_>>()
        };
        let mut shared: Vec<(usize, u32)> = Vec::new();
        for memory in programs.iter().flat_map(elements) {
            let is_apart =
                |of: &PassProgram| elements(of).contains(&memory) && of.reads(memory.resource);
            let known = shared.iter().any(|&(number, _)| number == memory.number);
            if !known && !programs.iter().any(is_apart) {
                shared.push((memory.number, memory.resource));
            }
        }
        let mut all = Vec::new();
        for (program, pass) in programs.iter().zip(&passes.passes) {
            let changed: Vec<usize> = program.memories.iter().map(|of| of.number).collect();
            let mut interface = Interface::of(&program.core);
            interface.entry_point = EntryPoint::new(&*pass.name, Stage::Compute);
            for &(number, resource) in &shared {
                interface.resources[number].binding =
                    interface.resources[resource as usize].binding;
            }
            all.push(DevicePass {
                program: schedule_effects(&program.core, &changed)?,
                interface,
                workgroup: workgroup(pass.size.len(), super::Form::Device),
            });
        }
        let types = match programs.last() {
            Some(program) => program.core.graph.types().clone(),
            None => core.graph.types().clone(),
        };
        Ok(Self { passes: all, types })
    }

    /// The table of types of all passes.
    pub fn types(&self) -> &Types {
        &self.types
    }
}
