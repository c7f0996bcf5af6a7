//! From allocated registers to bytes: frames, moves, jumps, constants.
//!
//! ```text
//!  frame pointer ─▶ the caller's frame pointer, and the preserved registers
//!                   (in the functions for the frame and for a row)
//!                   vector registers saved around the reference mathematics
//!                   the allocator's spill slots
//!                   the spill slots of the register program
//!  stack pointer ─▶ operands and results of the reference mathematics, or indices of a load
//! ```
//!
//! The stack pointer is a multiple of 64 at every call.

use std::fmt::Write as _;

use regalloc2::{AllocationKind, Block, Edit, Function as _, InstOrEdit, Output, PReg, RegClass};

use super::code::{Code, Place, Step};
use super::instruction::{Area, Base, ConstantUse, Hardware, Instruction, Mem, Rm};
use super::isa::{Condition, Opcode, Size};
use super::machine::{CONTEXT, FRAME, GENERAL, MASK, STACK, VECTOR, Wide};
use crate::emit::Role;
use crate::emit::abi::Field;
use crate::mutants::{Mutant, is_active};

/// The alignment of vectors and of the stack.
const ALIGNMENT: usize = 64;
/// Stack pages are touched in order, from the top.
const PAGE: usize = 4096;
/// The registers that a function called from outside preserves, beside the frame pointer.
const PRESERVED: [u8; 5] = [3, 12, 13, 14, 15];

/// The bytes of a function.
pub(super) struct Assembled {
    pub(super) bytes: Vec<u8>,
    /// Calls of procedures: the position of the four bytes of the distance, and the procedure.
    pub(super) calls: Vec<(usize, u32)>,
    /// Bytes of stack, the return address included.
    pub(super) stack: usize,
    /// The instructions as text.
    pub(super) listing: String,
    /// The same instructions with the positions where they begin.
    #[cfg(test)]
    pub(super) instructions: Vec<(usize, Instruction<Hardware>)>,
}

/// The offsets of a frame's parts from the stack pointer.
struct Layout {
    slots: usize,
    spilled: usize,
    survivors: usize,
    /// The size of the frame.
    size: usize,
}

struct Assembler<'c> {
    wide: Wide,
    role: Role,
    code: &'c Code,
    output: &'c Output,
    layout: Layout,
    out: Assembled,
    constants: Vec<ConstantUse>,
    /// The position of each block.
    places: Vec<usize>,
    /// Distances to fill in: their positions, and the blocks.
    jumps: Vec<(usize, usize)>,
    lists: bool,
}

/// Makes the bytes of a function.
pub(super) fn assemble(
    wide: Wide,
    role: Role,
    code: &Code,
    output: &Output,
    spill_slots: u32,
    lists: bool,
) -> Assembled {
    let calls_out = code.steps.iter().find_map(|step| match step {
        Step::Reference { lanes, .. } => Some(*lanes as usize * 16),
        _ => None,
    });
    let slots = calls_out.unwrap_or(0).max(code.scratch as usize).next_multiple_of(ALIGNMENT);
    let vector = wide.size().bytes() as usize;
    let spilled = (slots + spill_slots as usize * vector).next_multiple_of(ALIGNMENT);
    let survivors = (spilled + output.num_spillslots * 8).next_multiple_of(ALIGNMENT);
    let saved = if calls_out.is_some() { wide.preserved_vectors().len() * vector } else { 0 };
    let size = survivors + saved;
    // On entry of a procedure the return address lies just below a multiple of `ALIGNMENT`.
    let size = match role {
        Role::Procedure if size == 0 && calls_out.is_none() => 0,
        Role::Procedure => size + ALIGNMENT - 8,
        Role::Frame | Role::Row => size,
    };
    let mut assembler = Assembler {
        wide,
        role,
        code,
        output,
        layout: Layout { slots, spilled, survivors, size },
        out: Assembled {
            bytes: Vec::new(),
            calls: Vec::new(),
            stack: size + 8,
            listing: String::new(),
            #[cfg(test)]
            instructions: Vec::new(),
        },
        constants: Vec::new(),
        places: vec![usize::MAX; code.blocks.len()],
        jumps: Vec::new(),
        lists,
    };
    if role != Role::Procedure {
        assembler.out.stack += (1 + PRESERVED.len()) * 8 + ALIGNMENT;
    }
    assembler.assemble();
    assembler.out
}

impl Assembler<'_> {
    fn assemble(&mut self) {
        self.prologue();
        let (hot, cold): (Vec<usize>, Vec<usize>) =
            (0..self.code.blocks.len()).partition(|&index| !self.code.blocks[index].cold);
        let order = [hot, cold].concat();
        for (at, &index) in order.iter().enumerate() {
            self.block(index, order.get(at + 1).copied());
        }
        for &(at, block) in &self.jumps {
            let distance = (self.places[block] as i64 - at as i64 - 4) as i32;
            self.out.bytes[at..][..4].copy_from_slice(&distance.to_le_bytes());
        }
        self.constants();
    }

    /// Appends constants, the larger first, so that each is aligned to its size.
    fn constants(&mut self) {
        let all = &self.code.constants;
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&id| std::cmp::Reverse(all[id].len()));
        let mut places = vec![0; all.len()];
        for id in order {
            let bytes = &mut self.out.bytes;
            bytes.resize(bytes.len().next_multiple_of(all[id].len()), 0xcc);
            places[id] = bytes.len();
            bytes.extend_from_slice(&all[id]);
        }
        for used in &self.constants {
            let place = places[used.constant as usize] as i64 + i64::from(used.offset);
            let end = if is_active(Mutant::WrongDistance) { used.at + 4 } else { used.end };
            let distance = (place - end as i64) as i32;
            self.out.bytes[used.at..][..4].copy_from_slice(&distance.to_le_bytes());
        }
    }

    fn emit(&mut self, instruction: Instruction<Hardware>) {
        #[cfg(test)]
        self.out.instructions.push((self.out.bytes.len(), instruction));
        self.constants.extend(instruction.encode(&mut self.out.bytes));
        if self.lists {
            let _ = writeln!(self.out.listing, "  {instruction}");
        }
    }

    fn say(&mut self, text: std::fmt::Arguments<'_>) {
        if self.lists {
            let _ = writeln!(self.out.listing, "{text}");
        }
    }

    fn stack_change(&mut self, op: Opcode, bytes: usize) {
        if bytes > 0 {
            let it = Instruction::new(op, Size::B64).rm(STACK);
            self.emit(it.number(bytes as i32));
        }
    }

    fn prologue(&mut self) {
        let size = self.layout.size;
        if self.role != Role::Procedure {
            self.emit(Instruction::new(Opcode::Push, Size::B64).rm(FRAME));
            self.emit(Instruction::new(Opcode::Mov, Size::B64).reg(FRAME).rm(STACK));
            for number in PRESERVED {
                self.emit(Instruction::new(Opcode::Push, Size::B64).rm(number));
            }
            // The first argument is the context.
            self.emit(Instruction::new(Opcode::Mov, Size::B64).reg(CONTEXT).rm(7));
            let align = Instruction::new(Opcode::AndNumber, Size::B64).rm(STACK);
            self.emit(align.number(-(ALIGNMENT as i32)));
        }
        // The first step is shorter: alignment may already have moved the stack pointer below the
        // last touched byte.
        let (mut left, mut step) = (size, PAGE - ALIGNMENT);
        while left >= step {
            self.stack_change(Opcode::SubNumber, step);
            self.emit(Instruction::new(Opcode::TestG, Size::B32).reg(STACK).mem(Mem::at(STACK, 0)));
            left -= step;
            step = PAGE;
        }
        self.stack_change(Opcode::SubNumber, left);
    }

    fn epilogue(&mut self, code: Option<i32>) {
        if self.role == Role::Procedure {
            self.stack_change(Opcode::AddNumber, self.layout.size);
        } else {
            self.emit(Instruction::new(Opcode::ZeroUpper, Size::B128));
            if let Some(code) = code {
                self.emit(Instruction::new(Opcode::MovNumber, Size::B64).rm(0).number(code));
            }
            let saved = -(8 * PRESERVED.len() as i32);
            let it = Instruction::new(Opcode::Lea, Size::B64).reg(STACK);
            self.emit(it.mem(Mem::at(FRAME, saved)));
            for number in PRESERVED.into_iter().rev() {
                self.emit(Instruction::new(Opcode::Pop, Size::B64).rm(number));
            }
            self.emit(Instruction::new(Opcode::Pop, Size::B64).rm(FRAME));
        }
        self.emit(Instruction::new(Opcode::Return, Size::B64));
    }

    fn block(&mut self, index: usize, next: Option<usize>) {
        self.places[index] = self.out.bytes.len();
        self.say(format_args!("block{index}:"));
        let (code, output) = (self.code, self.output);
        for item in output.block_insts_and_edits(code, Block::new(index)) {
            match item {
                InstOrEdit::Edit(Edit::Move { from, to }) => {
                    let is_lost = is_active(Mutant::LostMove)
                        && code.blocks[index].is_header
                        && from.is_reg();
                    if !is_lost {
                        self.relocate(self.place(*from), self.place(*to));
                    }
                }
                InstOrEdit::Inst(inst) => {
                    let allocated: Vec<Rm<PReg>> =
                        output.inst_allocs(inst).iter().map(|&at| self.place(at)).collect();
                    self.step(&code.steps[inst.index()], &allocated, index, next);
                }
            }
        }
    }

    /// The register or stack slot that the allocator chose.
    fn place(&self, at: regalloc2::Allocation) -> Rm<PReg> {
        match at.kind() {
            AllocationKind::Reg => Rm::Reg(at.as_reg().expect("a register")),
            AllocationKind::Stack => {
                let index = at.as_stack().expect("a stack slot").index();
                let offset = (self.layout.spilled + 8 * index) as i32;
                Rm::Mem(Mem::at(PReg::new(STACK.into(), GENERAL), offset))
            }
            AllocationKind::None => unreachable!("every operand has a place"),
        }
    }

    /// Copies from register to register, or between a register and the stack.
    fn relocate(&mut self, from: Rm<PReg>, to: Rm<PReg>) {
        let size = self.wide.size();
        let number = |reg: PReg| reg.hw_enc() as Hardware;
        let hardware = |mem: Mem<PReg>| Mem::at(STACK, mem.offset);
        let ops = |class: RegClass| match class {
            VECTOR if self.code.vector_words == 1 => {
                (Opcode::Move, Opcode::LoadSd, Opcode::StoreSd, Size::B128)
            }
            VECTOR => (Opcode::Move, Opcode::Load, Opcode::Store, size),
            MASK => (Opcode::LoadK, Opcode::LoadK, Opcode::StoreK, Size::B128),
            _ => (Opcode::Mov, Opcode::Mov, Opcode::MovToMemory, Size::B64),
        };
        match (from, to) {
            (Rm::Reg(from), Rm::Reg(to)) => {
                let (op, _, _, size) = ops(to.class());
                self.emit(Instruction::new(op, size).reg(number(to)).rm(number(from)));
            }
            (Rm::Mem(from), Rm::Reg(to)) => {
                let (_, op, _, size) = ops(to.class());
                self.emit(Instruction::new(op, size).reg(number(to)).mem(hardware(from)));
            }
            (Rm::Reg(from), Rm::Mem(to)) => {
                let (_, _, op, size) = ops(from.class());
                self.emit(Instruction::new(op, size).reg(number(from)).mem(hardware(to)));
            }
            (Rm::Mem(_), Rm::Mem(_)) => unreachable!("the allocator never moves memory to memory"),
        }
    }

    fn step(&mut self, step: &Step, allocated: &[Rm<PReg>], block: usize, next: Option<usize>) {
        match step {
            Step::Plain(instruction) => {
                let instruction = self.resolve(instruction, allocated);
                // A copy of a register to itself is left out.
                let is_copy = matches!(instruction.op, Opcode::Move) && instruction.mask.is_none();
                if !(is_copy && instruction.reg.map(Rm::Reg) == instruction.rm) {
                    self.emit(instruction);
                }
            }
            Step::Arguments => {}
            Step::Jump => {
                let to = self.code.block_succs(Block::new(block))[0].index();
                if Some(to) != next {
                    self.jump(None, to);
                }
            }
            Step::Branch(condition) => {
                let to = self.code.block_succs(Block::new(block));
                let [then, otherwise] = [to[0].index(), to[1].index()];
                if Some(then) == next {
                    self.jump(Some(condition.inverted()), otherwise);
                } else {
                    self.jump(Some(*condition), then);
                    if Some(otherwise) != next {
                        self.jump(None, otherwise);
                    }
                }
            }
            Step::Call(procedure) => {
                self.say(format_args!("  call procedure{procedure}"));
                self.out.bytes.push(0xe8);
                self.out.calls.push((self.out.bytes.len(), *procedure));
                self.out.bytes.extend([0; 4]);
            }
            Step::Reference { function, lanes } => self.reference(*function, *lanes),
            Step::Return(code) => self.epilogue(*code),
        }
    }

    /// Calls the reference mathematics. It may change all vector registers, so those that
    /// procedures preserve are saved around the call.
    fn reference(&mut self, function: u32, lanes: u32) {
        let mut survivors = self.wide.preserved_vectors();
        if is_active(Mutant::ClobberedSurvivor) {
            survivors.start = survivors.end.min(survivors.start + 1);
        }
        let size = self.wide.size();
        let first = self.wide.preserved_vectors().start;
        let place = |number: u8, base: usize| {
            let offset = base + usize::from(number - first) * size.bytes() as usize;
            Mem::at(STACK, offset as i32)
        };
        let base = self.layout.survivors;
        for number in survivors.clone() {
            self.emit(Instruction::new(Opcode::Store, size).reg(number).mem(place(number, base)));
        }
        self.emit(Instruction::new(Opcode::ZeroUpper, Size::B128));
        let number = |reg, number| {
            Instruction::new(Opcode::MovNumber, Size::B32).rm(reg).number(number as i32)
        };
        self.emit(number(7, function));
        self.emit(number(6, lanes));
        self.emit(Instruction::new(Opcode::Mov, Size::B64).reg(2).rm(STACK));
        let callee = Mem::at(CONTEXT, Field::Reference as i32);
        self.emit(Instruction::new(Opcode::CallAddress, Size::B64).mem(callee));
        for number in survivors {
            self.emit(Instruction::new(Opcode::Load, size).reg(number).mem(place(number, base)));
        }
    }

    fn jump(&mut self, condition: Option<Condition>, to: usize) {
        let name = condition.map_or("mp", Condition::name);
        self.say(format_args!("  j{name} block{to}"));
        let bytes = &mut self.out.bytes;
        // The distance of a backward jump is known.
        let known = self.places[to];
        let short = known as i64 - bytes.len() as i64 - 2;
        if known != usize::MAX && i8::try_from(short).is_ok() {
            bytes.extend([condition.map_or(0xeb, |of| 0x70 + of as u8), short as u8]);
            return;
        }
        match condition {
            Some(condition) => bytes.extend([0x0f, 0x80 + condition as u8]),
            None => bytes.push(0xe9),
        }
        self.jumps.push((bytes.len(), to));
        bytes.extend([0; 4]);
    }

    /// The instruction with the registers chosen by the allocator.
    fn resolve(&self, it: &Instruction<Place>, allocated: &[Rm<PReg>]) -> Instruction<Hardware> {
        let place = |place: Place| match place {
            Place::Fixed(number) => Rm::Reg(number),
            Place::Operand(index) => match allocated[usize::from(index)] {
                Rm::Reg(reg) => Rm::Reg(reg.hw_enc() as Hardware),
                Rm::Mem(mem) => Rm::Mem(Mem::at(STACK, mem.offset)),
            },
        };
        let register = |of: Place| match place(of) {
            Rm::Reg(number) => number,
            Rm::Mem(_) => unreachable!("the operand is constrained to a register"),
        };
        let memory = |Mem { base, index, offset }: Mem<Place>| match base {
            Base::Register(of) => {
                Mem { index: index.map(register), ..Mem::at(register(of), offset) }
            }
            Base::Frame(Area::Scratch) => Mem::at(STACK, offset),
            Base::Frame(Area::Slots) => Mem::at(STACK, self.layout.slots as i32 + offset),
            Base::Constant(id) => Mem { offset, ..Mem::constant(id) },
        };
        Instruction {
            op: it.op,
            size: it.size,
            reg: it.reg.map(register),
            vvvv: it.vvvv.map(register),
            rm: it.rm.map(|rm| match rm {
                Rm::Reg(of) => place(of),
                Rm::Mem(mem) => Rm::Mem(memory(mem)),
            }),
            last: it.last.map(register),
            mask: it.mask.map(register),
            zeroing: it.zeroing,
            broadcast: it.broadcast,
            number: it.number,
            condition: it.condition,
        }
    }
}
