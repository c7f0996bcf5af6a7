//! Reading the function: its blocks and their instructions, ids replaced by places in memory.

use super::binary::Instruction;
use super::code::{Block, End, Phi, Position, Step};
use super::compute::{compute, place};
use super::error::LoadError;
use super::global::Globals;
use super::images::image;
use super::values::{ComponentType, Entity, Ids, Space, SpirvType, ValueType};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// A φ or branch whose ids may be defined later.
#[derive(Debug)]
struct Pending {
    op: Op,
    operands: Vec<u32>,
    at: usize,
}

impl Pending {
    fn new(instruction: &Instruction<'_>) -> Self {
        let Instruction { op, operands, at } = *instruction;
        Self { op, operands: operands.to_vec(), at }
    }

    fn instruction(&self) -> Instruction<'_> {
        Instruction { op: self.op, operands: &self.operands, at: self.at }
    }
}

/// A block as it is read.
#[derive(Debug)]
struct Draft {
    label: u32,
    is_header: bool,
    line: Option<Position>,
    header: Option<Position>,
    phis: Vec<(usize, ValueType, Pending)>,
    steps: Vec<Step>,
    end: Option<Pending>,
}

/// The function as it is read.
#[derive(Debug)]
pub(super) struct LoadedFunction {
    pub(super) id: u32,
    blocks: Vec<Draft>,
    is_open: bool,
}

impl LoadedFunction {
    /// From its OpFunction.
    pub(super) fn new(ids: &mut Ids, instruction: &Instruction<'_>) -> Result<Self, LoadError> {
        instruction.exactly(4)?;
        let id = instruction.operand(1)?;
        ids.define(instruction, id, Entity::Function)?;
        match ids.ty(instruction, instruction.operand(3)?)? {
            SpirvType::Main => Ok(Self { id, blocks: Vec::new(), is_open: true }),
            _ => Err(instruction.malformed("it has a result")),
        }
    }

    /// Whether its OpFunctionEnd is still to come.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Reads an instruction inside it.
    pub(super) fn instruction(
        &mut self,
        ids: &mut Ids,
        globals: &mut Globals,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let open = self.blocks.last_mut().filter(|block| block.end.is_none());
        match (instruction.op, open) {
            (Op::Nop | Op::NoLine, _) => Ok(()),
            (Op::Line, None) => Ok(()),
            (Op::FunctionEnd, None) => {
                self.is_open = false;
                Ok(())
            }
            (Op::Label, None) => {
                let label = instruction.operand(0)?;
                ids.define(instruction, label, Entity::Label)?;
                self.blocks.push(Draft {
                    label,
                    is_header: false,
                    line: None,
                    header: None,
                    phis: Vec::new(),
                    steps: Vec::new(),
                    end: None,
                });
                Ok(())
            }
            (Op::Label | Op::FunctionEnd, Some(_)) => {
                Err(instruction.malformed("the block before it has no end"))
            }
            (_, None) => Err(instruction.malformed("it stands in no block")),
            (_, Some(block)) => block.instruction(ids, globals, instruction),
        }
    }

    /// The blocks, all ids being known.
    pub(super) fn finish(self, ids: &Ids) -> Result<Vec<Block>, LoadError> {
        if self.is_open || self.blocks.last().is_none_or(|block| block.end.is_none()) {
            return Err(LoadError::Missing("end of its function"));
        }
        let labels = self.blocks.iter().enumerate().map(|(index, block)| (block.label, index));
        let labels: FxHashMap<u32, usize> = labels.collect();
        let headers: Vec<bool> = self.blocks.iter().map(|block| block.is_header).collect();
        let blocks = self.blocks.into_iter().enumerate();
        blocks.map(|(index, block)| block.finish(index, ids, &labels, &headers)).collect()
    }
}

impl Draft {
    fn instruction(
        &mut self,
        ids: &mut Ids,
        globals: &mut Globals,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let operand = |index| instruction.operand(index);
        match instruction.op {
            Op::Line => {
                self.line =
                    Some(Position { file: operand(0)?, line: operand(1)?, column: operand(2)? });
                Ok(())
            }
            Op::SelectionMerge => instruction.exactly(2),
            Op::LoopMerge => {
                (self.is_header, self.header) = (true, self.line);
                operand(2).map(drop)
            }
            Op::Branch | Op::BranchConditional | Op::Return | Op::Unreachable => {
                self.end = Some(Pending::new(instruction));
                Ok(())
            }
            Op::Store => {
                let place = place(ids, instruction, operand(0)?)?;
                match place.space {
                    Space::Outputs => {}
                    Space::Own(number) => globals.variables[number].is_written = true,
                    _ => return Err(instruction.malformed("it is memory that is only read")),
                }
                let a = ids.value_of(instruction, operand(1)?, place.kind)?;
                let place = globals.place(ids, instruction, place)?;
                self.steps.push(Step::Store { place, a });
                Ok(())
            }
            Op::AccessChain => {
                let pointer = globals.access(ids, instruction)?;
                ids.define(instruction, operand(1)?, pointer)
            }
            Op::Undef => globals.define_constant(ids, instruction),
            Op::Variable => globals.variable(ids, instruction),
            op => {
                if let Some(entity) = image(ids, instruction)? {
                    return ids.define(instruction, operand(1)?, entity);
                }
                let kind = ids.kind(instruction, operand(0)?)?;
                let to = ids.allocate(kind);
                if ids.is_full() {
                    let what = "values of so many words".into();
                    return Err(LoadError::Unknown { what, at: instruction.at });
                }
                if op == Op::Phi {
                    if !self.steps.is_empty() {
                        return Err(instruction.malformed("it stands after other instructions"));
                    }
                    self.phis.push((to, kind, Pending::new(instruction)));
                } else {
                    self.steps.push(compute(globals, ids, instruction, kind, to)?);
                }
                ids.define(instruction, operand(1)?, Entity::Value(kind, to))
            }
        }
    }

    fn finish(
        self,
        index: usize,
        ids: &Ids,
        labels: &FxHashMap<u32, usize>,
        headers: &[bool],
    ) -> Result<Block, LoadError> {
        let pending = self.end.ok_or(LoadError::Missing("end of a block"))?;
        let end = pending.instruction();
        let target = |k| {
            let id = end.operand(k)?;
            let to = labels.get(&id).copied();
            let to = to.ok_or_else(|| end.malformed(format!("%{id} is no block")))?;
            if to == 0 || to <= index && !headers[to] {
                return Err(end.malformed(format!("it goes back to %{id}, which begins no loop")));
            }
            Ok(to)
        };
        let end = match end.op {
            Op::Branch => End::Branch(target(0)?),
            Op::BranchConditional => {
                let bool = ValueType::scalar(ComponentType::Bool);
                let condition = ids.value_of(&end, end.operand(0)?, bool)?;
                End::Conditional { condition, then: target(1)?, otherwise: target(2)? }
            }
            Op::Return => End::Return,
            _ => End::Unreachable,
        };
        let mut phis = Vec::with_capacity(self.phis.len());
        for (to, kind, pending) in self.phis {
            let instruction = pending.instruction();
            let (pairs, rest) = instruction.rest(2)?.as_chunks::<2>();
            if !rest.is_empty() {
                return Err(instruction.malformed("a value has no block"));
            }
            let mut ways = Vec::with_capacity(pairs.len());
            for &[value, block] in pairs {
                let from = labels.get(&block).copied();
                let from =
                    from.ok_or_else(|| instruction.malformed(format!("%{block} is no block")))?;
                ways.push((from, ids.value_of(&instruction, value, kind)?));
            }
            ways.sort_unstable_by_key(|&(from, _)| from);
            if ways.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(instruction.malformed("a block is named twice"));
            }
            phis.push(Phi { to, words: kind.words(), ways });
        }
        let header = self.is_header.then_some(self.header);
        Ok(Block { label: self.label, header, phis, steps: self.steps, end })
    }
}
