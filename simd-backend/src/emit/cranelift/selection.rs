//! A function that is being made.

use cranelift_codegen::cursor::FuncCursor;
use cranelift_codegen::ir::{self, Constant, FuncRef, Value, types};
use rustc_hash::FxHashMap;

use crate::lanes::Kind;
use crate::machine::Machine;
use crate::registers::{Function, Reg, RegisterProgram, Type};

/// The type of the values of a register.
pub(super) fn clif_type(ty: Type) -> ir::Type {
    match ty {
        Type::Scalar(Kind::F32) => types::F32,
        Type::Scalar(Kind::F64) => types::F64,
        Type::Scalar(Kind::I32) => types::I32,
        Type::Scalar(Kind::I64) => types::I64,
        Type::Scalar(Kind::Mask) => types::I8,
        Type::Vector(Kind::F32) => types::F32X4,
        Type::Vector(Kind::F64) => types::F64X2,
        Type::Vector(Kind::I32 | Kind::Mask) => types::I32X4,
        Type::Vector(Kind::I64) | Type::WideMask => types::I64X2,
    }
}

/// A function that is being made.
pub(super) struct Selection<'p, 'f> {
    pub(super) program: &'p RegisterProgram,
    pub(super) function: &'p Function,
    pub(super) is_x86: bool,
    pub(super) machine: &'p Machine,
    pub(super) pos: FuncCursor<'f>,
    pub(super) blocks: Vec<ir::Block>,
    pub(super) values: Vec<Option<Value>>,
    /// The address of the context, then [`abi::ROW_ARGUMENTS`].
    pub(super) arguments: Vec<Value>,
    /// The imported function and room for its operands, once there is a call of it.
    pub(super) reference: Option<(FuncRef, ir::StackSlot)>,
    /// The procedures that have been called here.
    pub(super) procedures: Vec<Option<FuncRef>>,
    /// What the function's vectors of constants are called.
    pub(super) constants: FxHashMap<u128, Constant>,
    /// The address of the spill slots, if there are any.
    pub(super) spill_slots: Option<Value>,
    /// How many loops are around each block, if their order counts.
    pub(super) depths: Option<Vec<u32>>,
}

impl Selection<'_, '_> {
    pub(super) fn get(&self, reg: Reg) -> Value {
        self.values[reg.index()].expect("assigned before it is used")
    }

    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        self.values[reg.index()] = Some(value);
    }

    pub(super) fn ty(&self, reg: Reg) -> Type {
        self.function.registers[reg.index()]
    }
}

/// What is read of memory for a register: a mask is kept in words.
pub(super) fn word_type(ty: Type) -> ir::Type {
    if ty == Type::Scalar(Kind::Mask) { types::I32 } else { clif_type(ty) }
}
