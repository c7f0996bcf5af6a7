//! State of the lowering of a function: blocks, registers, and values made at their uses.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cost;
use crate::lanes::memory::Memory;
use crate::lanes::{self, Kind, LaneOp, LaneProgram, Rate, ValueId};
use crate::mutants::{Mutant, is_active};
use crate::registers::halves::Assemble;
use crate::registers::{
    BlockCall, BlockId, End, Instr, Reg, RegisterBlock, RegisterFunction, RegisterType, Shape,
    Status,
};
use lambdav_core::op::Elementary;

/// The slots: values of the frame that groups use.
pub(super) struct Slots {
    pub(super) of: FxHashMap<ValueId, u32>,
    /// Tables for lookups: the first of their slots, which hold two words each.
    pub(super) tables: FxHashMap<Box<[ValueId]>, u32>,
    pub(super) kinds: Vec<Kind>,
}

pub(super) struct Builder<'p> {
    pub(super) program: &'p LaneProgram,
    pub(super) shape: Shape,
    pub(super) memory: &'p Memory,
    /// The number of words beside all arrays, needed to move arrays in cycles.
    pub(super) beside: u32,
    pub(super) function: RegisterFunction,
    /// The registers of each value, as far as it has been lowered.
    pub(super) map: Vec<Vec<Reg>>,
    /// The centres of the columns and rows of a group of a row.
    pub(super) coordinates: [Vec<Reg>; 2],
    /// The address of the current group's part of the table of lanes.
    pub(super) group: Option<Reg>,
    /// Constants, which are made at each use.
    pub(super) constants: FxHashMap<ValueId, Constant>,
    /// Values that the function for the frame left in slots, read at each use.
    pub(super) slots: FxHashMap<ValueId, u32>,
    /// The first slot of each table for lookups.
    pub(super) tables: FxHashMap<Box<[ValueId]>, u32>,
    /// Values already made in this block: constants, slots that were read, broadcasts and
    /// comparisons.
    pub(super) made: FxHashMap<(Made, RegisterType), Reg>,
    /// The scalars that this block loads from memory.
    pub(super) read: FxHashSet<Reg>,
    /// The elementary functions that are called; true for vectors, false for scalars.
    pub(super) procedures: Vec<(Elementary, bool)>,
    pub(super) flow: Flow,
    /// Comparisons of scalars of binary32, by their results.
    pub(super) compares: FxHashMap<Reg, (LaneOp, [Reg; 2])>,
    /// The bits of scalar constants.
    pub(super) constant_regs: FxHashMap<Reg, u64>,
    pub(super) params: Vec<Reg>,
    pub(super) instrs: Vec<Instr>,
    /// The cost of all instructions so far, in units of a simple one.
    pub(super) work: u64,
    pub(super) current: BlockId,
    pub(super) cold: bool,
}

/// A value that is made at each use.
#[derive(Clone, Copy)]
pub(super) enum Constant {
    Bits(u64),
    Undefined,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Made {
    Undefined,
    Constant(u64),
    Slot(u32),
    Broadcast(Reg),
    Compare(LaneOp, [Reg; 2]),
}

/// The end of a block that is not filled yet.
const PENDING: End = End::Return(Status::Done);

impl Assemble for Builder<'_> {
    fn reg(&mut self, ty: RegisterType) -> Reg {
        self.function.registers.push(ty);
        Reg(self.function.registers.len() as u32 - 1)
    }

    fn push(&mut self, instr: Instr) {
        if let Instr::Slot(to, _) | Instr::Input(to, _) | Instr::Primitive(to, _) = instr {
            self.read.insert(to);
        }
        self.work += if instr.is_call() { cost::CALL } else { 1 };
        self.instrs.push(instr);
    }
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p LaneProgram, shape: Shape, memory: &'p Memory) -> Self {
        let mut builder = Self {
            program,
            shape,
            memory,
            beside: 0,
            function: RegisterFunction {
                registers: Vec::new(),
                blocks: Vec::new(),
                spill_slots: 0,
            },
            map: vec![Vec::new(); program.values.len()],
            coordinates: [Vec::new(), Vec::new()],
            group: None,
            constants: FxHashMap::default(),
            slots: FxHashMap::default(),
            tables: FxHashMap::default(),
            made: FxHashMap::default(),
            read: FxHashSet::default(),
            procedures: Vec::new(),
            flow: Flow::new(program),
            compares: FxHashMap::default(),
            constant_regs: FxHashMap::default(),
            params: Vec::new(),
            instrs: Vec::new(),
            work: 0,
            current: BlockId(0),
            cold: false,
        };
        let entry = builder.reserve();
        builder.begin(entry, Vec::new());
        builder
    }

    pub(super) fn ty(&self, reg: Reg) -> RegisterType {
        self.function.registers[reg.index()]
    }

    /// Reserves the number of a block that is filled later.
    pub(super) fn reserve(&mut self) -> BlockId {
        let block =
            RegisterBlock { params: Vec::new(), instrs: Vec::new(), end: PENDING, cold: false };
        self.function.blocks.push(block);
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    pub(super) fn begin(&mut self, block: BlockId, params: Vec<Reg>) {
        self.current = block;
        self.params = params;
        self.cold = false;
        self.made.clear();
        self.read.clear();
    }

    pub(super) fn finish(&mut self, end: End) {
        self.function.blocks[self.current.index()] = RegisterBlock {
            params: std::mem::take(&mut self.params),
            instrs: std::mem::take(&mut self.instrs),
            end,
            cold: self.cold,
        };
    }

    pub(super) fn jump(&mut self, block: BlockId, arguments: Vec<Reg>) {
        self.finish(End::Jump(BlockCall { block, arguments }));
    }

    /// Ends the block with a branch to one of two blocks without parameters.
    pub(super) fn branch(&mut self, condition: Reg, then: BlockId, otherwise: BlockId) {
        let target = |block| BlockCall { block, arguments: Vec::new() };
        self.finish(End::Branch { condition, then: target(then), otherwise: target(otherwise) });
    }

    pub(super) fn constant(&mut self, ty: RegisterType, bits: u64) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Constant(bits), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Constant(reg, bits));
        if matches!(ty, RegisterType::Scalar(_)) {
            self.constant_regs.insert(reg, bits);
        }
        self.made.insert((Made::Constant(bits), ty), reg);
        reg
    }

    pub(super) fn undefined(&mut self, ty: RegisterType) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Undefined, ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Undefined(reg));
        self.made.insert((Made::Undefined, ty), reg);
        reg
    }

    pub(super) fn slot(&mut self, slot: u32, kind: Kind) -> Reg {
        let ty = RegisterType::Scalar(kind);
        if let Some(&known) = self.made.get(&(Made::Slot(slot), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Slot(reg, slot));
        self.made.insert((Made::Slot(slot), ty), reg);
        reg
    }

    pub(super) fn broadcast(&mut self, from: Reg, ty: RegisterType) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Broadcast(from), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Broadcast(reg, from));
        self.made.insert((Made::Broadcast(from), ty), reg);
        reg
    }

    /// The type of the registers of a value.
    pub(super) fn type_of(&self, kind: Kind, rate: Rate) -> RegisterType {
        if rate.is_uniform() || self.shape.tile.width() == 1 {
            RegisterType::Scalar(kind)
        } else {
            RegisterType::Vector(kind)
        }
    }

    /// The number of registers for as many lanes as one register of 32-bit lanes has.
    pub(super) fn parts(&self, kind: Kind, rate: Rate) -> usize {
        let wide = matches!(kind, Kind::F64 | Kind::I64);
        if wide && matches!(self.type_of(kind, rate), RegisterType::Vector(_)) { 2 } else { 1 }
    }

    /// New registers for a value; none for an array.
    pub(super) fn regs(&mut self, value: ValueId) -> Vec<Reg> {
        let (kind, rate) = (self.program.kind(value), self.program.rate(value));
        if kind.words().is_some() {
            return Vec::new();
        }
        let ty = self.type_of(kind, rate);
        let count = self.shape.registers(rate) * self.parts(kind, rate);
        (0..count).map(|_| self.reg(ty)).collect()
    }

    pub(super) fn new_params(&mut self, values: &[ValueId]) -> Vec<Reg> {
        let mut params = Vec::new();
        for &value in values {
            let regs = self.regs(value);
            params.extend(&regs);
            self.map[value.index()] = regs;
        }
        params
    }

    /// The registers of a value at `rate`, which includes the value's own rate.
    pub(super) fn fit(&mut self, value: ValueId, rate: Rate) -> Vec<Reg> {
        if self.program.kind(value).words().is_some() {
            return Vec::new();
        }
        let count = self.shape.registers(rate) * self.parts(self.program.kind(value), rate);
        (0..count).map(|index| self.fit_one(value, rate, index)).collect()
    }

    /// One of the registers of [`Builder::fit`].
    pub(super) fn fit_one(&mut self, value: ValueId, rate: Rate, index: usize) -> Reg {
        let kind = self.program.kind(value);
        let ty = self.type_of(kind, rate);
        match self.constants.get(&value) {
            Some(&Constant::Bits(bits)) => return self.constant(ty, bits),
            Some(Constant::Undefined) => return self.undefined(ty),
            None => {}
        }
        if let Some(&slot) = self.slots.get(&value) {
            let reg = self.slot(slot, kind);
            return if self.ty(reg) == ty { reg } else { self.broadcast(reg, ty) };
        }
        let regs = &self.map[value.index()];
        let first = regs[0];
        if self.ty(first) != ty {
            return match self.compares.get(&first) {
                Some(&(op, operands)) => self.compare_again(op, operands, ty),
                None => self.broadcast(first, ty),
            };
        }
        let parts = self.parts(kind, rate);
        let mut register = self.shape.project(index / parts, rate, self.program.rate(value));
        if self.program.rate(value) == Rate::Y && is_active(Mutant::WrongRegister) {
            register = index / parts % self.shape.across as usize;
        }
        regs[register * parts + index % parts]
    }

    /// Repeats a comparison of scalars as a mask: comparing two broadcast numbers is cheaper than
    /// broadcasting a truth value.
    pub(super) fn compare_again(
        &mut self,
        op: LaneOp,
        operands: [Reg; 2],
        ty: RegisterType,
    ) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Compare(op, operands), ty)) {
            return known;
        }
        let vectors = operands.map(|reg| match self.constant_regs.get(&reg) {
            Some(&bits) => self.constant(RegisterType::Vector(Kind::F32), bits),
            None => self.broadcast(reg, RegisterType::Vector(Kind::F32)),
        });
        let reg = self.op(ty, op, &vectors);
        self.made.insert((Made::Compare(op, operands), ty), reg);
        reg
    }

    pub(super) fn fit_all(&mut self, values: &[ValueId], like: &[ValueId]) -> Vec<Reg> {
        let pairs = values.iter().zip(like);
        pairs.flat_map(|(&value, &like)| self.fit(value, self.program.rate(like))).collect()
    }

    pub(super) fn condition(&mut self, value: ValueId) -> Reg {
        self.fit(value, Rate::GROUP)[0]
    }
}

/// The correspondence of blocks of the lane program and of the function.
pub(super) struct Flow {
    /// The first block of each block of the lane program, unless it continues the one before.
    pub(super) entries: Vec<Option<BlockId>>,
    /// The targets of each block's end.
    pub(super) exits: Vec<Option<Exits>>,
    /// The enclosing statements, and the blocks where they continue.
    pub(super) open: Vec<Open>,
    /// In this block, statements before this index are already computed.
    pub(super) computed: (lanes::BlockId, usize),
}

impl Flow {
    pub(super) fn new(program: &LaneProgram) -> Self {
        let blocks = program.blocks.len();
        Self {
            entries: vec![None; blocks],
            exits: vec![None; blocks],
            open: Vec::new(),
            computed: (LaneProgram::ROOT, 0),
        }
    }
}

/// The targets of a block's end, and the statement to which it belongs.
#[derive(Clone, Copy)]
pub(super) struct Exits {
    /// The block that contains the `if` or loop, and the statement's index there.
    pub(super) statement: (lanes::BlockId, usize),
    /// The target of yielded values.
    pub(super) exit: BlockId,
    /// In a loop, the target of the next round's arguments.
    pub(super) latch: Option<BlockId>,
}

/// A statement whose blocks are being lowered.
pub(super) enum Open {
    If {
        join: BlockId,
    },
    Loop {
        rounds: [Reg; 2],
        latch: BlockId,
        header: BlockId,
        exit: BlockId,
        done: BlockId,
        /// The value of `Builder::work` at its beginning.
        before: u64,
    },
}
