//! Inlines calls: pointer parameters are other names of the caller's variables.

use super::raiser::{Frame, Raiser, Task, Value};
use crate::error::{RaiseError, Result};
use crate::flow::{FlowId, Target};
use crate::memory::Memory;
use crate::module::{Instruction, ModuleType};
use crate::mutants::{Mutant, is_active};
use lambdav_core::source::Span;

impl Raiser<'_, '_> {
    pub(super) fn call(
        &mut self,
        instruction: &Instruction<'_>,
        at: FlowId,
        memory: Memory,
    ) -> Result<()> {
        let id = instruction.operand(2)?;
        let function = self.module.functions.get(&id);
        let (Some(function), Some(facts)) = (function, self.facts.get(&id)) else {
            return Err(instruction.malformed("there is no such function"));
        };
        let arguments = instruction.rest(3);
        if arguments.len() != function.parameters.len() {
            return Err(instruction.malformed("the function takes another number of arguments"));
        }
        let mut frame = Frame::new(function, facts, memory.len());
        let mut root = 0;
        for (&argument, &(parameter, ty)) in arguments.iter().zip(&function.parameters) {
            let mut value = self.value(argument)?;
            let is_pointer = matches!(self.module.ty(ty)?, ModuleType::Pointer(..));
            if is_pointer != matches!(value, Value::Pointer(_)) {
                return Err(instruction.malformed("an argument is of another type"));
            }
            match &mut value {
                Value::Node(node) => {
                    let ty = self.core_type(ty)?;
                    *node = self.of_type(*node, ty)?;
                    self.name(parameter, *node);
                }
                Value::Pointer(pointer) => {
                    if let Some(slot) = pointer.root.slot() {
                        frame.set_root(root, slot);
                    }
                    root += 1;
                }
                Value::Image(_) | Value::Sampler(_) => {}
            }
            frame.values.insert(parameter, value);
        }
        self.bind_globals(&mut frame);
        self.frames.push(frame);
        let (values, is_again) = (Vec::new(), false);
        self.tasks.push(Task::Enter { block: 0, at, values, memory, is_again });
        Ok(())
    }

    /// Binds the module's writable variables to their slots.
    pub(super) fn bind_globals(&self, frame: &mut Frame<'_, '_>) {
        for root in frame.facts.bounds[1]..frame.facts.roots.len() {
            if let Some(Value::Pointer(pointer)) = self.globals.get(&frame.facts.roots[root])
                && let Some(slot) = pointer.root.slot()
            {
                frame.set_root(root, slot);
            }
        }
    }

    /// Continues after a call.
    pub(super) fn come_back(
        &mut self,
        block: usize,
        next: usize,
        at: FlowId,
        span: Span,
    ) -> Result<()> {
        self.check_ways(at)?;
        let joined = self.join(at, Target::Return)?;
        let frame = self.frames.pop().expect("it was called");
        let Some((at, mut leaf)) = joined else { return Ok(()) };
        if !is_active(Mutant::LineOfCallee) {
            self.span = span;
        }
        leaf.memory.truncate(frame.first_slot);
        let call = &self.frame().function.blocks[block].instructions[next - 1];
        let (ty, id) = (call.operand(0)?, call.operand(1)?);
        if let Some(&node) = leaf.values.first() {
            let ty = self.core_type(ty)?;
            let node = self.of_type(node, ty).map_err(|error| error.at(call.at, None))?;
            self.name(id, node);
            self.frame().values.insert(id, Value::Node(node));
        }
        self.execute(block, next, at, leaf.memory)
    }

    /// Checks that all ways out of a function return or end the program.
    pub(super) fn check_ways(&mut self, at: FlowId) -> Result<()> {
        for leaf in self.flow.leaves(at) {
            if let Target::Block(block) = self.flow.leaf(leaf).target {
                let of = &self.frame().function.blocks[block];
                let what = format!("a branch to %{} leaves its constructs", of.label);
                return Err(RaiseError::malformed(what).at(of.end.at, None));
            }
        }
        Ok(())
    }
}
