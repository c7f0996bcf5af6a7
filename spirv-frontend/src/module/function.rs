//! Functions: blocks of instructions.

use super::words::Instruction;
use crate::error::{RaiseError, Result};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// Merge instruction of a block that heads a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Selection: label of the merge block.
    Selection(u32),
    /// Loop: labels of the merge block and of the continue target.
    Loop(u32, u32),
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Block<'w> {
    pub(crate) label: u32,
    /// All instructions between label and end except the merge instruction.
    pub(crate) instructions: Vec<Instruction<'w>>,
    pub(crate) merge: Option<Merge>,
    /// The OpLine before the merge instruction.
    pub(crate) merge_line: Option<Instruction<'w>>,
    /// The terminator.
    pub(crate) end: Instruction<'w>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function<'w> {
    /// The result type.
    pub(crate) result: u32,
    /// Ids and types.
    pub(crate) parameters: Vec<(u32, u32)>,
    /// The first one is the entry block.
    pub(crate) blocks: Vec<Block<'w>>,
    /// Block indices by label.
    pub(crate) labels: FxHashMap<u32, usize>,
    /// Word index of the declaration.
    pub(crate) at: usize,
}

impl Function<'_> {
    /// True if the function makes the pixel a helper invocation or tests that.
    pub(super) fn is_about_helpers(&self) -> bool {
        let mut all = self.blocks.iter().flat_map(|block| &block.instructions);
        all.any(|of| matches!(of.op, Op::DemoteToHelperInvocation | Op::IsHelperInvocationEXT))
    }

    /// The index of the block with that label.
    pub(crate) fn block(&self, label: u32) -> Result<usize> {
        let found = self.labels.get(&label).copied();
        found.ok_or_else(|| RaiseError::malformed(format!("%{label} is no block of the function")))
    }

    /// The successors of a block, each once.
    pub(crate) fn successors(&self, block: usize) -> Result<Vec<usize>> {
        let end = &self.blocks[block].end;
        let labels: Vec<u32> = match end.op {
            Op::Branch => vec![end.operand(0)?],
            Op::BranchConditional => vec![end.operand(1)?, end.operand(2)?],
            Op::Switch => {
                let default = std::iter::once(end.operand(1)?);
                default.chain(end.rest(2).iter().skip(1).step_by(2).copied()).collect()
            }
            _ => Vec::new(),
        };
        let mut blocks = Vec::with_capacity(labels.len());
        for label in labels {
            let block = self.block(label).map_err(|error| error.at(end.at, None))?;
            if !blocks.contains(&block) || blocks.len() > 64 {
                blocks.push(block);
            }
        }
        Ok(blocks)
    }
}

/// Reads functions; holds the finished ones.
#[derive(Debug, Default)]
pub(super) struct Reader<'w> {
    done: FxHashMap<u32, Function<'w>>,
    function: Option<(u32, Function<'w>)>,
    block: Option<Started<'w>>,
    /// The current OpLine.
    line: Option<Instruction<'w>>,
}

#[derive(Debug)]
struct Started<'w> {
    label: u32,
    instructions: Vec<Instruction<'w>>,
    merge: Option<Merge>,
    merge_line: Option<Instruction<'w>>,
}

impl<'w> Reader<'w> {
    /// True inside a function.
    pub(super) fn is_inside(&self) -> bool {
        self.function.is_some()
    }

    /// Reads the next instruction of a function.
    pub(super) fn read(&mut self, instruction: Instruction<'w>) -> Result<()> {
        let operand = |index| instruction.operand(index);
        if instruction.op == Op::Function {
            if self.function.is_some() {
                return Err(instruction.malformed("a function in a function"));
            }
            let function = Function {
                result: operand(0)?,
                parameters: Vec::new(),
                blocks: Vec::new(),
                labels: FxHashMap::default(),
                at: instruction.at,
            };
            self.function = Some((operand(1)?, function));
            return Ok(());
        }
        let (id, function) = self.function.as_mut().expect("a function has begun");
        match (instruction.op, &mut self.block) {
            (Op::FunctionParameter, None) => {
                function.parameters.push((operand(1)?, operand(0)?));
            }
            (Op::FunctionEnd, None) => {
                if function.blocks.is_empty() {
                    return Err(instruction.unsupported("a function without a body"));
                }
                let (id, function) = (*id, self.function.take().expect("it has begun").1);
                self.done.insert(id, function);
                self.line = None;
            }
            (Op::Line, None) => self.line = Some(instruction),
            (Op::NoLine, None) => self.line = None,
            (Op::Label, None) => {
                // A line before the label applies to the block.
                let instructions = self.line.into_iter().collect();
                let label = operand(0)?;
                self.block = Some(Started { label, instructions, merge: None, merge_line: None });
            }
            (Op::SelectionMerge, Some(block)) => {
                block.merge = Some(Merge::Selection(operand(0)?));
            }
            (Op::LoopMerge, Some(block)) => {
                block.merge = Some(Merge::Loop(operand(0)?, operand(1)?));
                block.merge_line = self.line;
            }
            (
                Op::Branch
                | Op::BranchConditional
                | Op::Switch
                | Op::Return
                | Op::ReturnValue
                | Op::Kill
                | Op::TerminateInvocation
                | Op::Unreachable,
                Some(_),
            ) => {
                let Started { label, instructions, merge, merge_line } =
                    self.block.take().expect("a block has begun");
                let index = function.blocks.len();
                if function.labels.insert(label, index).is_some() {
                    return Err(instruction.malformed(&format!("two blocks are %{label}")));
                }
                let end = instruction;
                function.blocks.push(Block { label, instructions, merge, merge_line, end });
                self.line = None;
            }
            (_, Some(block)) => {
                match instruction.op {
                    Op::Line => self.line = Some(instruction),
                    Op::NoLine => self.line = None,
                    _ => {}
                }
                block.instructions.push(instruction);
            }
            (_, None) => return Err(instruction.malformed("it is outside a block")),
        }
        Ok(())
    }

    /// All functions.
    pub(super) fn finish(self) -> Result<FxHashMap<u32, Function<'w>>> {
        match self.function {
            None => Ok(self.done),
            Some((_, function)) => {
                Err(RaiseError::malformed("a function does not end").at(function.at, None))
            }
        }
    }
}
