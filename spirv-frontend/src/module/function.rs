//! Functions: blocks of instructions.

use super::words::Instruction;
use crate::error::{RaiseError, Result};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// How a block says that it is the head of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Of a selection: the label of the block where the arms meet.
    Selection(u32),
    /// Of a loop: that of the block behind it, and that of the block from which it goes on.
    Loop(u32, u32),
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Block<'w> {
    pub(crate) label: u32,
    /// All between label and end, but for the merge instruction.
    pub(crate) instructions: Vec<Instruction<'w>>,
    pub(crate) merge: Option<Merge>,
    /// The OpLine in front of the merge instruction.
    pub(crate) merge_line: Option<Instruction<'w>>,
    /// The instruction that ends it.
    pub(crate) end: Instruction<'w>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function<'w> {
    /// The type of its result.
    pub(crate) result: u32,
    /// Ids and types.
    pub(crate) parameters: Vec<(u32, u32)>,
    /// The first one is where it begins.
    pub(crate) blocks: Vec<Block<'w>>,
    /// Blocks by their labels.
    pub(crate) labels: FxHashMap<u32, usize>,
    /// Where it is declared.
    pub(crate) at: usize,
}

impl Function<'_> {
    /// Whether it makes the pixel a helper, or asks whether it is one.
    pub(super) fn is_about_helpers(&self) -> bool {
        let mut all = self.blocks.iter().flat_map(|block| &block.instructions);
        all.any(|of| matches!(of.op, Op::DemoteToHelperInvocation | Op::IsHelperInvocationEXT))
    }

    /// The block with that label.
    pub(crate) fn block(&self, label: u32) -> Result<usize> {
        let found = self.labels.get(&label).copied();
        found.ok_or_else(|| RaiseError::malformed(format!("%{label} is no block of the function")))
    }

    /// The blocks to which control can go from a block, each once.
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

/// What has been read of functions.
#[derive(Debug, Default)]
pub(super) struct Reader<'w> {
    done: FxHashMap<u32, Function<'w>>,
    function: Option<(u32, Function<'w>)>,
    block: Option<Started<'w>>,
    /// The OpLine that holds.
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
    /// Whether a function has begun and not ended.
    pub(super) fn is_inside(&self) -> bool {
        self.function.is_some()
    }

    /// Takes the next instruction of functions.
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
                // What stood before the label holds in the block.
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
            (_, None) => return Err(instruction.malformed("it stands outside every block")),
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
