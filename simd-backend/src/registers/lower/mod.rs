//! From the lane program to the register program.
//!
//! | module | does |
//! |---|---|
//! | `mod` | the state: blocks, registers, what is made where it is used |
//! | `flow` | statements, `if` and loops as a flow graph |
//! | `compute` | computations, register by register |
//! | `row` | the function for a row of groups: its loop, coordinates and stores |

mod compute;
mod flow;
mod row;

use rustc_hash::FxHashMap;

use self::flow::Flow;
use super::halves::Assemble;
use super::{
    Block, BlockCall, BlockId, End, Function, Instr, Reg, RegisterProgram, Shape, Status, Type,
    procedure,
};
use crate::lanes::{Kind, LaneProgram, Op, Rate, ValueId, Width};
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Elementary;

/// Makes the register program for a shape.
pub fn lower(program: &LaneProgram, shape: Shape) -> RegisterProgram {
    assert!(program.width == Width::Any || shape.lanes() == 1, "the program is for one lane");
    let frame = 0..program.frame_len;
    let group = program.frame_len..program.block(LaneProgram::ROOT).statements.len();
    let mut slots = Slots { of: FxHashMap::default(), kinds: Vec::new() };

    let mut row = Builder::new(program, shape);
    row.row(group, &mut slots);
    let (row, procedures) = (row.function, row.procedures);

    let mut builder = Builder::new(program, shape);
    builder.procedures = procedures;
    builder.statements(frame);
    let mut kept: Vec<_> = slots.of.into_iter().collect();
    kept.sort_by_key(|&(_, slot)| slot);
    for (value, slot) in kept {
        let from = builder.fit(value, Rate::FRAME)[0];
        builder.push(Instr::SetSlot(slot, from));
    }
    builder.finish(End::Return(Status::Done));
    let frame = builder.function;
    let procedures = builder.procedures.into_iter();
    let procedures = procedures.map(|(f, is_vector)| procedure::procedure(f, is_vector)).collect();
    RegisterProgram {
        shape,
        frame,
        row,
        procedures,
        slots: slots.kinds,
        inputs: program.inputs.len(),
    }
}

/// The values of the frame that groups use.
struct Slots {
    of: FxHashMap<ValueId, u32>,
    kinds: Vec<Kind>,
}

struct Builder<'p> {
    program: &'p LaneProgram,
    shape: Shape,
    function: Function,
    /// The registers of each value, as far as it has been lowered.
    map: Vec<Vec<Reg>>,
    /// The centres of the columns and rows of a group.
    coordinates: [Vec<Reg>; 2],
    /// The values that are constants: made where they are used.
    constants: FxHashMap<ValueId, Constant>,
    /// The values that the part for the frame has left in slots: read where they are used.
    slots: FxHashMap<ValueId, u32>,
    /// What has been made in this block of others: constants, what was read from slots, and numbers
    /// broadcast to a register.
    made: FxHashMap<(Made, Type), Reg>,
    /// The elementary functions that are called, of vectors or of scalars.
    procedures: Vec<(Elementary, bool)>,
    flow: Flow,
    /// The comparisons of scalars of binary32.
    compares: FxHashMap<Reg, (Op, [Reg; 2])>,
    /// The scalars that are constants.
    constant_regs: FxHashMap<Reg, u64>,
    params: Vec<Reg>,
    instrs: Vec<Instr>,
    current: BlockId,
    cold: bool,
}

/// A value that is made where it is used.
#[derive(Clone, Copy)]
enum Constant {
    Bits(u64),
    Undefined,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Made {
    Undefined,
    Constant(u64),
    Slot(u32),
    Broadcast(Reg),
    Compare(Op, [Reg; 2]),
}

/// A block that is not there yet.
const PENDING: End = End::Return(Status::Done);

impl Assemble for Builder<'_> {
    fn reg(&mut self, ty: Type) -> Reg {
        self.function.registers.push(ty);
        Reg(self.function.registers.len() as u32 - 1)
    }

    fn push(&mut self, instr: Instr) {
        self.instrs.push(instr);
    }
}

impl<'p> Builder<'p> {
    fn new(program: &'p LaneProgram, shape: Shape) -> Self {
        let mut builder = Self {
            program,
            shape,
            function: Function { registers: Vec::new(), blocks: Vec::new(), spill_slots: 0 },
            map: vec![Vec::new(); program.values.len()],
            coordinates: [Vec::new(), Vec::new()],
            constants: FxHashMap::default(),
            slots: FxHashMap::default(),
            made: FxHashMap::default(),
            procedures: Vec::new(),
            flow: Flow::new(program),
            compares: FxHashMap::default(),
            constant_regs: FxHashMap::default(),
            params: Vec::new(),
            instrs: Vec::new(),
            current: BlockId(0),
            cold: false,
        };
        let entry = builder.reserve();
        builder.begin(entry, Vec::new());
        builder
    }

    fn ty(&self, reg: Reg) -> Type {
        self.function.registers[reg.index()]
    }

    /// The number of a block that will be filled later.
    fn reserve(&mut self) -> BlockId {
        let block = Block { params: Vec::new(), instrs: Vec::new(), end: PENDING, cold: false };
        self.function.blocks.push(block);
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    fn begin(&mut self, block: BlockId, params: Vec<Reg>) {
        self.current = block;
        self.params = params;
        self.cold = false;
        self.made.clear();
    }

    fn finish(&mut self, end: End) {
        self.function.blocks[self.current.index()] = Block {
            params: std::mem::take(&mut self.params),
            instrs: std::mem::take(&mut self.instrs),
            end,
            cold: self.cold,
        };
    }

    fn jump(&mut self, block: BlockId, arguments: Vec<Reg>) {
        self.finish(End::Jump(BlockCall { block, arguments }));
    }

    /// Ends the block with a decision between two without parameters.
    fn branch(&mut self, condition: Reg, then: BlockId, otherwise: BlockId) {
        let target = |block| BlockCall { block, arguments: Vec::new() };
        self.finish(End::Branch { condition, then: target(then), otherwise: target(otherwise) });
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Constant(bits), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Constant(reg, bits));
        if matches!(ty, Type::Scalar(_)) {
            self.constant_regs.insert(reg, bits);
        }
        self.made.insert((Made::Constant(bits), ty), reg);
        reg
    }

    fn undefined(&mut self, ty: Type) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Undefined, ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Undefined(reg));
        self.made.insert((Made::Undefined, ty), reg);
        reg
    }

    fn slot(&mut self, slot: u32, kind: Kind) -> Reg {
        let ty = Type::Scalar(kind);
        if let Some(&known) = self.made.get(&(Made::Slot(slot), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Slot(reg, slot));
        self.made.insert((Made::Slot(slot), ty), reg);
        reg
    }

    fn broadcast(&mut self, from: Reg, ty: Type) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Broadcast(from), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Broadcast(reg, from));
        self.made.insert((Made::Broadcast(from), ty), reg);
        reg
    }

    /// What registers of a value of that kind and rate hold.
    fn type_of(&self, kind: Kind, rate: Rate) -> Type {
        if rate.is_uniform() || self.shape.tile.width() == 1 {
            Type::Scalar(kind)
        } else {
            Type::Vector(kind)
        }
    }

    /// How many registers hold the lanes of one of 32 bits.
    fn parts(&self, kind: Kind, rate: Rate) -> usize {
        let wide = matches!(kind, Kind::F64 | Kind::I64);
        if wide && matches!(self.type_of(kind, rate), Type::Vector(_)) { 2 } else { 1 }
    }

    /// New registers for a value.
    fn regs(&mut self, value: ValueId) -> Vec<Reg> {
        let (kind, rate) = (self.program.kind(value), self.program.rate(value));
        let ty = self.type_of(kind, rate);
        let count = self.shape.registers(rate) * self.parts(kind, rate);
        (0..count).map(|_| self.reg(ty)).collect()
    }

    fn new_params(&mut self, values: &[ValueId]) -> Vec<Reg> {
        let mut params = Vec::new();
        for &value in values {
            let regs = self.regs(value);
            params.extend(&regs);
            self.map[value.index()] = regs;
        }
        params
    }

    /// The registers of a value as if it had a rate that includes its own.
    fn fit(&mut self, value: ValueId, rate: Rate) -> Vec<Reg> {
        let count = self.shape.registers(rate) * self.parts(self.program.kind(value), rate);
        (0..count).map(|index| self.fit_one(value, rate, index)).collect()
    }

    /// One of the registers of [`Builder::fit`].
    fn fit_one(&mut self, value: ValueId, rate: Rate, index: usize) -> Reg {
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

    /// A comparison of numbers as a mask: comparing two broadcast numbers is cheaper than
    /// broadcasting a truth value.
    fn compare_again(&mut self, op: Op, operands: [Reg; 2], ty: Type) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Compare(op, operands), ty)) {
            return known;
        }
        let vectors = operands.map(|reg| match self.constant_regs.get(&reg) {
            Some(&bits) => self.constant(Type::Vector(Kind::F32), bits),
            None => self.broadcast(reg, Type::Vector(Kind::F32)),
        });
        let reg = self.op(ty, op, &vectors);
        self.made.insert((Made::Compare(op, operands), ty), reg);
        reg
    }

    fn fit_all(&mut self, values: &[ValueId], like: &[ValueId]) -> Vec<Reg> {
        let pairs = values.iter().zip(like);
        pairs.flat_map(|(&value, &like)| self.fit(value, self.program.rate(like))).collect()
    }

    fn condition(&mut self, value: ValueId) -> Reg {
        self.fit(value, Rate::GROUP)[0]
    }
}
