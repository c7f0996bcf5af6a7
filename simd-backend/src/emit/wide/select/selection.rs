//! State of instruction selection for a function.

use regalloc2::{RegClass, VReg};
use rustc_hash::FxHashMap;

use crate::emit::Role;
use crate::emit::abi::Field;
use crate::emit::wide::code::{Arg, Code};
use crate::emit::wide::instruction::{Area, Instruction, Mem, Rm};
use crate::emit::wide::isa::{Opcode, Size};
use crate::emit::wide::machine::{CONTEXT, GENERAL, MASK, VECTOR, Wide};
use crate::lanes::{Axis, Bound, Kind, LaneOp};
use crate::registers::{BlockId, Instr, Reg, RegisterFunction, RegisterProgram, RegisterType};

/// The state of a register of the program.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// Not assigned yet.
    Unset,
    Register(VReg),
    /// These bits in every lane.
    Constant(u64),
    Centres(Axis, f32),
    /// Made at its only use, by the instruction of that index in the block.
    Deferred(usize),
}

/// The number of uses of a register, and the place of the last one found.
#[derive(Clone, Copy, Default)]
pub(super) struct Uses {
    pub(super) count: u32,
    /// The block.
    pub(super) block: u32,
    /// The index of the instruction; [`END`] is the end of the block, [`PASSED`] an argument of its
    /// jump.
    pub(super) instr: u32,
}

pub(super) const END: u32 = u32::MAX;
pub(super) const PASSED: u32 = u32::MAX - 1;

/// An operand that may lie in memory.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) rm: Rm<Arg>,
    /// One element of memory for all lanes.
    pub(super) broadcast: bool,
}

/// Instruction selection for a function.
pub(super) struct Selection<'p> {
    pub(super) wide: Wide,
    pub(super) has_funnels: bool,
    pub(super) program: &'p RegisterProgram,
    pub(super) function: &'p RegisterFunction,
    pub(super) role: Role,
    /// Bounds of the function's integers; empty if it has no loads.
    pub(super) bounds: &'p [Bound],
    pub(super) code: Code,
    pub(super) values: Vec<Value>,
    pub(super) uses: Vec<Uses>,
    /// The current block.
    pub(super) block: BlockId,
    pub(super) instrs: &'p [Instr],
    /// The last instruction of the current block that writes each spill slot.
    pub(super) last_spills: FxHashMap<u32, usize>,
    /// Constants held in registers within the current block.
    pub(super) kept: FxHashMap<Reg, VReg>,
    /// The addresses of slots, inputs, arrays, resources and the primitive, in functions that need
    /// them.
    pub(super) slots: Option<VReg>,
    pub(super) inputs: Option<VReg>,
    pub(super) arrays: Option<VReg>,
    pub(super) resources: Option<VReg>,
    pub(super) primitive: Option<VReg>,
    /// The arguments of the function for a row.
    pub(super) arguments: Vec<VReg>,
}

impl<'p> Selection<'p> {
    pub(super) fn ty(&self, reg: Reg) -> RegisterType {
        self.function.registers[reg.index()]
    }

    /// The class of machine registers for values of a type.
    pub(super) fn class(&self, ty: RegisterType) -> RegClass {
        match ty {
            RegisterType::Scalar(kind) if kind.is_float() => VECTOR,
            RegisterType::Scalar(_) => GENERAL,
            RegisterType::Vector(Kind::Mask) | RegisterType::WideMask if self.wide.has_masks() => {
                MASK
            }
            RegisterType::Vector(_) | RegisterType::WideMask => VECTOR,
        }
    }

    pub(super) fn size(&self) -> Size {
        self.wide.size()
    }

    /// A new virtual register for a register of the program.
    pub(super) fn define(&mut self, reg: Reg) -> VReg {
        let made = self.code.register(self.class(self.ty(reg)));
        self.values[reg.index()] = Value::Register(made);
        made
    }

    pub(super) fn temporary(&mut self, class: RegClass) -> VReg {
        self.code.register(class)
    }

    pub(super) fn push(&mut self, instruction: Instruction<Arg>) {
        self.code.push(instruction);
    }

    /// The virtual register of a value. Makes the value if it is a constant or deferred.
    pub(super) fn register(&mut self, reg: Reg) -> VReg {
        match self.values[reg.index()] {
            Value::Register(made) => made,
            Value::Constant(bits) => {
                let to = self.temporary(self.class(self.ty(reg)));
                self.load_constant(to, self.ty(reg), bits);
                to
            }
            Value::Centres(axis, first) => {
                let to = self.temporary(VECTOR);
                let source = self.centres(self.ty(reg), axis, first);
                self.load(to, self.ty(reg), source);
                to
            }
            Value::Deferred(index) => {
                let instrs = self.instrs;
                self.instr(&instrs[index]);
                match self.values[reg.index()] {
                    Value::Register(made) => made,
                    _ => unreachable!("it has been made"),
                }
            }
            Value::Unset => unreachable!("assigned before it is used"),
        }
    }

    /// The same, but a constant stays in its register to the end of the block.
    pub(super) fn kept(&mut self, reg: Reg) -> VReg {
        if let Some(&made) = self.kept.get(&reg) {
            return made;
        }
        let made = self.register(reg);
        if matches!(self.values[reg.index()], Value::Constant(_)) {
            self.kept.insert(reg, made);
        }
        made
    }

    pub(super) fn uses_of(&self, reg: Reg) -> Uses {
        self.uses[reg.index()]
    }

    /// The deferred instruction of a value, if it has one.
    pub(super) fn deferred(&self, reg: Reg) -> Option<&'p Instr> {
        match self.values[reg.index()] {
            Value::Deferred(index) => Some(&self.instrs[index]),
            _ => None,
        }
    }

    pub(super) fn spill_slot(&self, slot: u32) -> Mem<Arg> {
        Mem::frame(Area::Slots, (slot * self.size().bytes()) as i32)
    }

    pub(super) fn field_place(&self, field: Field) -> Mem<Arg> {
        Mem::at(Arg::Fixed(CONTEXT), field as i32)
    }

    pub(super) fn field(&mut self, field: Field) -> VReg {
        let to = self.temporary(GENERAL);
        let mem = self.field_place(field);
        self.push(Instruction::new(Opcode::Mov, Size::B64).reg(Arg::Def(to)).mem(mem));
        to
    }

    /// An instruction of three operands as VEX encodes them: the target and two sources.
    pub(super) fn op3(&mut self, op: Opcode, size: Size, to: VReg, a: VReg, b: Source) {
        let instruction = Instruction::new(op, size).reg(Arg::Def(to)).vvvv(Arg::Use(a));
        self.push(b.of(instruction));
    }

    /// An instruction of two operands: the target and the source.
    pub(super) fn op2(&mut self, op: Opcode, size: Size, to: VReg, from: Source) {
        self.push(from.of(Instruction::new(op, size).reg(Arg::Def(to))));
    }
}

impl Source {
    /// An operand that must be in a register.
    pub(super) fn register(reg: VReg) -> Self {
        Self { rm: Rm::Reg(Arg::Use(reg)), broadcast: false }
    }

    /// An operand that may be in memory.
    pub(super) fn any(reg: VReg) -> Self {
        Self { rm: Rm::Reg(Arg::Any(reg)), broadcast: false }
    }

    pub(super) fn memory(mem: Mem<Arg>) -> Self {
        Self { rm: Rm::Mem(mem), broadcast: false }
    }

    pub(super) fn of(self, instruction: Instruction<Arg>) -> Instruction<Arg> {
        Instruction { rm: Some(self.rm), broadcast: self.broadcast, ..instruction }
    }
}

/// True if the result is a mask or a truth value.
pub(super) fn is_comparison(op: LaneOp) -> bool {
    use LaneOp::{Equal, Less, LessEqual, LessEqualUnsigned, LessUnsigned, NotEqual};
    matches!(op, Less | LessEqual | LessUnsigned | LessEqualUnsigned | Equal | NotEqual)
}
