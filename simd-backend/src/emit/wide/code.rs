//! A function before its registers are allocated: instructions with virtual registers.

use regalloc2::{
    Block, Function, Inst, InstRange, Operand, OperandConstraint, OperandKind, OperandPos, PReg,
    PRegSet, RegClass, VReg,
};
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Formatter};

use super::instruction::{Base, Hardware, Instruction, Mem, Rm, Text, register_name};
use super::isa::Condition;

/// A register operand when an instruction is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    /// Assigned.
    Def(VReg),
    /// Read.
    Use(VReg),
    /// Read from a register or directly from a spill slot: ModRM.rm alone.
    Any(VReg),
    /// Two values in one register: the first is read, the second assigned.
    Tied(VReg, VReg),
    /// The register of the field `reg`, which is assigned here: its old value does not matter.
    SameAsReg,
    /// A machine register.
    Fixed(Hardware),
}

/// A register operand as the allocator knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The operand of that index.
    Operand(u8),
    /// A machine register.
    Fixed(Hardware),
}

/// A step of a function.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Plain(Instruction<Place>),
    /// Defines the registers in which arguments arrive.
    Arguments,
    /// Jumps to the one successor.
    Jump,
    /// Jumps to the first of two successors if the condition holds, else to the second.
    Branch(Condition),
    /// Calls the procedure of that number.
    Call(u32),
    /// Calls the reference mathematics for `lanes` lanes.
    Reference {
        function: u32,
        lanes: u32,
    },
    /// Returns the operands' values, or that number.
    Return(Option<i32>),
}

/// A function with virtual registers.
#[derive(Default)]
pub(super) struct Code {
    pub(super) steps: Vec<Step>,
    operands: Vec<Operand>,
    /// The first operand of each step; the end of the last step's operands comes last.
    starts: Vec<u32>,
    /// The registers that a call clobbers, except its result.
    clobbers: PRegSet,
    clobbers_of: FxHashMap<u32, PRegSet>,
    pub(super) blocks: Vec<CodeBlock>,
    pub(super) classes: Vec<RegClass>,
    /// The constants; each is aligned to its size.
    pub(super) constants: Vec<Vec<u8>>,
    constant_ids: FxHashMap<Vec<u8>, u32>,
    /// Bytes of stack for indices of a load.
    pub(super) scratch: u32,
    /// The size of a vector register's spill slot, in units of eight bytes.
    pub(super) vector_words: usize,
}

/// A block.
#[derive(Default)]
pub(super) struct CodeBlock {
    pub(super) range: (usize, usize),
    pub(super) params: Vec<VReg>,
    /// The arguments for the parameters of the only successor.
    pub(super) arguments: Vec<VReg>,
    pub(super) successors: Vec<Block>,
    pub(super) predecessors: Vec<Block>,
    pub(super) cold: bool,
    /// True if a loop begins here.
    pub(super) is_header: bool,
}

impl Code {
    pub(super) fn new(vector_words: usize, clobbers: PRegSet) -> Self {
        Self { vector_words, clobbers, starts: vec![0], ..Self::default() }
    }

    pub(super) fn register(&mut self, class: RegClass) -> VReg {
        self.classes.push(class);
        VReg::new(self.classes.len() - 1, class)
    }

    /// The number of a constant, given by the bytes that an instruction reads.
    pub(super) fn constant(&mut self, bytes: Vec<u8>) -> u32 {
        if let Some(&known) = self.constant_ids.get(&bytes) {
            return known;
        }
        let id = self.constants.len() as u32;
        self.constants.push(bytes.clone());
        self.constant_ids.insert(bytes, id);
        id
    }

    /// Ends a step, whose operands are those appended since the last one.
    fn end_step(&mut self, step: Step) {
        self.steps.push(step);
        self.starts.push(self.operands.len() as u32);
    }

    /// Appends an instruction.
    pub(super) fn push(&mut self, instruction: Instruction<Arg>) {
        let first = self.operands.len();
        let place = |operands: &mut Vec<Operand>, arg: Arg| -> Place {
            let mut add = |operand| {
                operands.push(operand);
                Place::Operand((operands.len() - 1 - first) as u8)
            };
            match arg {
                Arg::Def(reg) => add(Operand::reg_def(reg)),
                Arg::Use(reg) => add(Operand::reg_use(reg)),
                Arg::Any(reg) => add(Operand::any_use(reg)),
                Arg::Tied(from, to) => {
                    let Place::Operand(index) = add(Operand::reg_use(from)) else {
                        unreachable!("it is an operand");
                    };
                    add(Operand::reg_reuse_def(to, index.into()))
                }
                Arg::Fixed(number) => Place::Fixed(number),
                Arg::SameAsReg => unreachable!("resolved below"),
            }
        };
        let it = instruction;
        let operands = &mut self.operands;
        let reg = it.reg.map(|arg| place(operands, arg));
        let mut other = |arg: Arg| match arg {
            Arg::SameAsReg => reg.expect("there is one"),
            arg => place(operands, arg),
        };
        let vvvv = it.vvvv.map(&mut other);
        let rm = it.rm.map(|rm| match rm {
            Rm::Reg(arg) => Rm::Reg(other(arg)),
            Rm::Mem(Mem { base, index, offset }) => Rm::Mem(Mem {
                base: match base {
                    Base::Register(arg) => Base::Register(other(arg)),
                    Base::Frame(area) => Base::Frame(area),
                    Base::Constant(id) => Base::Constant(id),
                },
                index: index.map(&mut other),
                offset,
            }),
        });
        let (last, mask) = (it.last.map(&mut other), it.mask.map(&mut other));
        let step = Instruction {
            op: it.op,
            size: it.size,
            reg,
            vvvv,
            rm,
            last,
            mask,
            zeroing: it.zeroing,
            broadcast: it.broadcast,
            number: it.number,
            condition: it.condition,
        };
        self.end_step(Step::Plain(step));
    }

    /// Appends a step without a row in the table, with its operands in fixed registers.
    pub(super) fn push_fixed(&mut self, step: Step, uses: &[(VReg, PReg)], defs: &[(VReg, PReg)]) {
        if let Step::Call(_) | Step::Reference { .. } = step {
            let mut clobbers = self.clobbers;
            for &(_, at) in defs {
                clobbers.remove(at);
            }
            self.clobbers_of.insert(self.steps.len() as u32, clobbers);
        }
        let fixed =
            |reg, at, kind, pos| Operand::new(reg, OperandConstraint::FixedReg(at), kind, pos);
        for &(reg, at) in uses {
            self.operands.push(fixed(reg, at, OperandKind::Use, OperandPos::Early));
        }
        for &(reg, at) in defs {
            self.operands.push(fixed(reg, at, OperandKind::Def, OperandPos::Late));
        }
        self.end_step(step);
    }

    /// Fills in predecessors and loop headers.
    pub(super) fn finish(&mut self) {
        for index in 0..self.blocks.len() {
            for i in 0..self.blocks[index].successors.len() {
                let to = self.blocks[index].successors[i].index();
                self.blocks[to].predecessors.push(Block::new(index));
                self.blocks[to].is_header |= to <= index;
            }
        }
    }
}

impl Function for Code {
    fn num_insts(&self) -> usize {
        self.steps.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let (from, to) = self.blocks[block.index()].range;
        InstRange::new(Inst::new(from), Inst::new(to))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }

    fn is_ret(&self, inst: Inst) -> bool {
        matches!(self.steps[inst.index()], Step::Return(_))
    }

    fn is_branch(&self, inst: Inst) -> bool {
        matches!(self.steps[inst.index()], Step::Jump | Step::Branch(_))
    }

    fn branch_blockparams(&self, block: Block, _: Inst, _: usize) -> &[VReg] {
        &self.blocks[block.index()].arguments
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        let [from, to] = [0, 1].map(|i| self.starts[inst.index() + i] as usize);
        &self.operands[from..to]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        self.clobbers_of.get(&inst.raw_u32()).copied().unwrap_or_default()
    }

    fn num_vregs(&self) -> usize {
        self.classes.len()
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        if class == super::machine::VECTOR { self.vector_words } else { 1 }
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, block) in self.blocks.iter().enumerate() {
            let list = |regs: &[VReg]| -> String {
                let names: Vec<String> = regs.iter().map(|&reg| name(reg)).collect();
                names.join(", ")
            };
            writeln!(f, "block{index}({}):", list(&block.params))?;
            for number in block.range.0..block.range.1 {
                let operands = self.inst_operands(Inst::new(number));
                let of = |index: u8| name(operands[usize::from(index)].vreg());
                let all: Vec<VReg> = operands.iter().map(|operand| operand.vreg()).collect();
                let next: Vec<String> =
                    block.successors.iter().map(|to| format!("block{}", to.index())).collect();
                match &self.steps[number] {
                    Step::Plain(instruction) => {
                        let name = |place, kind, size| match place {
                            Place::Operand(index) => of(index),
                            Place::Fixed(number) => register_name(kind, size, number),
                        };
                        let is_evex = false;
                        writeln!(f, "    {}", Text { instruction, is_evex, name })?;
                    }
                    Step::Arguments => writeln!(f, "    {} = arguments", list(&all))?,
                    Step::Jump => writeln!(f, "    jmp {}({})", next[0], list(&block.arguments))?,
                    Step::Branch(condition) => {
                        writeln!(f, "    j{} {}, else {}", condition.name(), next[0], next[1])?;
                    }
                    Step::Call(procedure) => {
                        writeln!(f, "    call procedure{procedure} {}", list(&all))?;
                    }
                    Step::Reference { function, lanes } => {
                        writeln!(f, "    call reference {function}, {lanes}")?;
                    }
                    Step::Return(Some(code)) => writeln!(f, "    ret {code}")?,
                    Step::Return(None) => writeln!(f, "    ret {}", list(&all))?,
                }
            }
        }
        Ok(())
    }
}

/// The name of a virtual register.
fn name(reg: VReg) -> String {
    let class = match reg.class() {
        RegClass::Int => 'g',
        RegClass::Float => 'v',
        RegClass::Vector => 'm',
    };
    format!("{class}{}", reg.vreg())
}
