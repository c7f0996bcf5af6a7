//! Blocks and branches.
//!
//! Nothing recurses: a stack of tasks holds the remaining work. At the head of a construct, the code
//! after it is pushed on the stack, and the blocks that end it become targets: a branch to a target is a
//! way out. Any other branch continues with its block, which must not have been raised before. So each
//! block is raised once for each call (a short continue construct once for each `continue`), and control
//! flow that violates its merge instructions is an error.

use super::raiser::{Raiser, Task, Value};
use crate::error::{RaiseError, Result};
use crate::flow::{FlowId, Leaf, Target};
use crate::memory::Memory;
use crate::module::{Block, Instruction, Merge, ModuleType};
use lambdav_core::graph::NodeId;
use lambdav_core::interface::Stage;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rspirv::spirv::Op;

impl Raiser<'_, '_> {
    /// Raises the function of the only frame on a new tree.
    pub(super) fn run(&mut self, memory: Memory) -> Result<FlowId> {
        let root = self.flow.hole();
        let (values, is_again) = (Vec::new(), false);
        self.tasks.push(Task::Enter { block: 0, at: root, values, memory, is_again });
        while let Some(task) = self.tasks.pop() {
            self.step()?;
            match task {
                Task::Enter { block, at, values, memory, is_again } => {
                    self.enter(block, at, values, memory, is_again)?;
                }
                Task::Merge { block, at } => self.merge(block, at)?,
                Task::Cases { pending, at } => self.cases(pending, at)?,
                Task::Continue(open) => self.continue_loop(open)?,
                Task::Finish(open) => self.finish_loop(*open)?,
                Task::Return { block, next, at, span } => self.come_back(block, next, at, span)?,
            }
        }
        self.check_ways(root)?;
        Ok(root)
    }

    fn enter(
        &mut self,
        block: usize,
        at: FlowId,
        values: Vec<NodeId>,
        memory: Memory,
        is_again: bool,
    ) -> Result<()> {
        let frame = self.frame();
        let function = frame.function;
        let of = &function.blocks[block];
        if std::mem::replace(&mut frame.visited[block], true) && !is_again {
            let what =
                format!("the block %{} is reached in ways that are not structured", of.label);
            return Err(RaiseError::malformed(what).at(of.end.at, None));
        }
        if let Some(Merge::Loop(merge, next)) = of.merge {
            let (merge, next) = (function.block(merge)?, function.block(next)?);
            if frame.facts.loops[&block].comes_back {
                return self.begin_loop([block, merge, next], at, values, memory);
            }
            // No way leads back: the body runs once.
            for target in [merge, next] {
                self.frame().add_target(target);
                self.tasks.push(Task::Merge { block: target, at });
            }
        }
        self.set_phis(of, &values)?;
        self.execute(block, 0, at, memory)
    }

    /// Sets the values of a block's φ's.
    pub(super) fn set_phis(&mut self, of: &Block<'_>, values: &[NodeId]) -> Result<()> {
        let phis = of.instructions.iter().filter(|phi| phi.op == Op::Phi);
        for (phi, &node) in phis.zip(values) {
            self.frame().values.insert(phi.operand(1)?, Value::Node(node));
            self.name(phi.operand(1)?, node);
        }
        Ok(())
    }

    /// Executes a block from an instruction on.
    pub(super) fn execute(
        &mut self,
        block: usize,
        from: usize,
        at: FlowId,
        mut memory: Memory,
    ) -> Result<()> {
        let of = &self.frame().function.blocks[block];
        for (index, instruction) in of.instructions.iter().enumerate().skip(from) {
            self.step()?;
            let span = self.line(instruction);
            if instruction.op == Op::Variable && block != 0 {
                return Err(instruction.malformed("it is not in the first block"));
            }
            if instruction.op == Op::FunctionCall {
                let next = index + 1;
                self.tasks.push(Task::Return { block, next, at, span: self.span });
                let called = self.call(instruction, at, memory);
                return called.map_err(|error| error.at(instruction.at, span));
            }
            let done = self
                .probe(instruction, &mut memory)
                .and_then(|()| self.instruction(instruction, &mut memory));
            done.map_err(|error| in_instruction(error, instruction).at(instruction.at, span))?;
        }
        let span = Some(self.span);
        self.end(of, block, at, memory).map_err(|error| error.at(of.end.at, span))
    }

    /// Follows the source lines.
    fn line(&mut self, instruction: &Instruction<'_>) -> Option<Span> {
        match instruction.op {
            Op::Line => {
                self.span = self.module.span(instruction, self.source).unwrap_or_default();
            }
            Op::NoLine => self.span = Span::default(),
            _ => {}
        }
        Some(self.span)
    }

    fn end(&mut self, of: &Block<'_>, block: usize, at: FlowId, mut memory: Memory) -> Result<()> {
        let end = &of.end;
        if let Some(Merge::Selection(merge)) = of.merge {
            let merge = self.frame().function.block(merge)?;
            self.frame().add_target(merge);
            self.tasks.push(Task::Merge { block: merge, at });
        }
        match end.op {
            Op::Branch => self.go(of, end.operand(0)?, at, memory),
            Op::BranchConditional => {
                let condition = self.operand(end, 0)?;
                if self.type_of(condition) != Type::BOOL {
                    return Err(end.malformed("its condition is no bool"));
                }
                let arms = [end.operand(1)?, end.operand(2)?];
                if let Some(words) = self.graph.constant_words(condition) {
                    return self.go(of, arms[usize::from(words[0] == 0)], at, memory);
                }
                if arms[0] == arms[1] {
                    return self.go(of, arms[0], at, memory);
                }
                let pending = self.arms_meet(of, block, arms)?;
                if !pending.is_empty() {
                    pending.iter().for_each(|&met| self.frame().add_target(met));
                    self.tasks.push(Task::Cases { pending, at });
                }
                self.probe_way(of, arms, condition, &mut memory)?;
                let ways = self.flow.branch(at, condition);
                self.go(of, arms[1], ways[1], memory.clone())?;
                self.go(of, arms[0], ways[0], memory)
            }
            Op::Switch => self.switch(of, block, at, memory),
            Op::Return | Op::ReturnValue => {
                let mut values = Vec::new();
                let ty = self.frame().function.result;
                if end.op == Op::ReturnValue {
                    let ty = self.core_type(ty)?;
                    let result = self.operand(end, 0)?;
                    values.push(self.of_type(result, ty)?);
                } else if *self.module.ty(ty)? != ModuleType::Void {
                    return Err(end.malformed("the function has a result"));
                }
                self.flow.leave(at, Leaf { target: Target::Return, values, memory });
                Ok(())
            }
            Op::Kill | Op::TerminateInvocation => {
                self.demand(Stage::has_discard, "discard")?;
                let values = Vec::new();
                self.flow.leave(at, Leaf { target: Target::Kill, values, memory });
                Ok(())
            }
            _ => {
                self.flow.never(at);
                Ok(())
            }
        }
    }

    /// Branches from a block to the one with that label.
    pub(super) fn go(
        &mut self,
        from: &Block<'_>,
        label: u32,
        at: FlowId,
        memory: Memory,
    ) -> Result<()> {
        let function = self.frame().function;
        let block = function.block(label)?;
        let phis = function.blocks[block].instructions.iter().filter(|phi| phi.op == Op::Phi);
        let mut values = Vec::new();
        for phi in phis {
            let mut pairs = phi.rest(2).chunks_exact(2);
            let Some(pair) = pairs.find(|pair| pair[1] == from.label) else {
                let what = format!("there is no value for the way from %{}", from.label);
                return Err(phi.malformed(&what));
            };
            let ty = self.core_type(phi.operand(0)?)?;
            let node = self.node(pair[0]).map_err(|error| error.at(phi.at, None))?;
            values.push(self.of_type(node, ty).map_err(|error| error.at(phi.at, None))?);
        }
        self.arrive(block, at, values, memory);
        Ok(())
    }

    /// Arrives at a block: a way out if it ends a construct; else raising continues there.
    pub(super) fn arrive(&mut self, block: usize, at: FlowId, values: Vec<NodeId>, memory: Memory) {
        if self.frame().is_target(block) {
            self.flow.leave(at, Leaf { target: Target::Block(block), values, memory });
        } else {
            self.tasks.push(Task::Enter { block, at, values, memory, is_again: false });
        }
    }

    /// Joins the ways to a block and continues there.
    fn merge(&mut self, block: usize, at: FlowId) -> Result<()> {
        self.frame().remove_target(block);
        if let Some((at, leaf)) = self.join(at, Target::Block(block))? {
            self.arrive(block, at, leaf.values, leaf.memory);
        }
        Ok(())
    }

    /// Joins the ways to a target.
    pub(super) fn join(&mut self, at: FlowId, target: Target) -> Result<Option<(FlowId, Leaf)>> {
        let frame = self.frames.last().expect("a function is being raised");
        let memories = self.memories.count();
        let is_live = Self::liveness(frame, memories, self.reported, &self.unset);
        self.flow.gather(&mut self.graph, at, target, &is_live, memories, self.span)?;
        let is_live = |slot| is_live(target, slot);
        self.flow.converge(&mut self.graph, at, target, is_live, self.span)
    }
}

/// Adds the instruction's name to an error.
fn in_instruction(mut error: RaiseError, instruction: &Instruction<'_>) -> RaiseError {
    let name = instruction.name();
    if !error.message.starts_with("Op") {
        error.message = format!("{name}: {}", error.message);
    }
    error
}
