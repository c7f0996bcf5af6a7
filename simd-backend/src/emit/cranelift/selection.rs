//! State of the lowering of a function to Cranelift's IR.

use cranelift_codegen::ir::{self, Constant, FuncRef, Value, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig, TargetIsa};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

use crate::lanes::Kind;
use crate::machine::Machine;
use crate::registers::{Reg, RegisterFunction, RegisterProgram, RegisterType};

/// The type of the values of a register.
pub(super) fn clif_type(ty: RegisterType) -> ir::Type {
    match ty {
        RegisterType::Scalar(Kind::F32) => types::F32,
        RegisterType::Scalar(Kind::F64) => types::F64,
        RegisterType::Scalar(Kind::I32) => types::I32,
        RegisterType::Scalar(Kind::I64) => types::I64,
        RegisterType::Scalar(Kind::Mask) => types::I8,
        RegisterType::Vector(Kind::F32) => types::F32X4,
        RegisterType::Vector(Kind::F64) => types::F64X2,
        RegisterType::Vector(Kind::I32 | Kind::Mask) => types::I32X4,
        RegisterType::Vector(Kind::I64) | RegisterType::WideMask => types::I64X2,
        RegisterType::Scalar(Kind::Array(_)) | RegisterType::Vector(Kind::Array(_)) => {
            unreachable!("arrays lie in memory")
        }
    }
}

/// The calling conventions of a machine.
#[derive(Clone, Copy)]
pub(super) struct Conventions {
    /// For functions called by Rust code or calling it: the convention of `extern "C"`.
    pub(super) outer: CallConv,
    /// For procedures, which only code of this emitter calls: vectors are passed in registers.
    pub(super) inner: CallConv,
    /// The machine's properties that the function builder needs.
    pub(super) config: TargetFrontendConfig,
}

impl Conventions {
    pub(super) fn of(isa: &dyn TargetIsa) -> Self {
        let config = isa.frontend_config();
        Self { outer: config.default_call_conv, inner: CallConv::SystemV, config }
    }
}

/// The lowering of a function.
pub(super) struct Selection<'p, 'f> {
    pub(super) program: &'p RegisterProgram,
    pub(super) function: &'p RegisterFunction,
    pub(super) is_x86: bool,
    pub(super) conventions: Conventions,
    pub(super) machine: &'p Machine,
    /// The builder. It declares no variables: all values are in SSA form already.
    pub(super) builder: FunctionBuilder<'f>,
    pub(super) blocks: Vec<ir::Block>,
    pub(super) values: Vec<Option<Value>>,
    /// The address of the context, then the function's [`Argument`](crate::registers::Argument)s.
    pub(super) arguments: Vec<Value>,
    /// The imported reference mathematics and the stack slot of its operands, once a call needs
    /// them.
    pub(super) reference: Option<(FuncRef, ir::StackSlot)>,
    /// The procedures imported so far.
    pub(super) procedures: Vec<Option<FuncRef>>,
    /// The handles of vector constants, by their bits.
    pub(super) constants: FxHashMap<u128, Constant>,
    /// The numbers of bytes for the last index of a table.
    pub(super) table_bytes: Option<TableBytes>,
    /// The address of the spill slots, if there are any.
    pub(super) spill_slots: Option<Value>,
    /// The loop depth of each block, where the order of blocks matters.
    pub(super) depths: Option<Vec<u32>>,
}

/// The numbers of the bytes of a table's words, in its first and in its second vector.
#[derive(Clone, Copy)]
pub(super) struct TableBytes {
    /// The block that computes them.
    pub(super) block: Option<ir::Block>,
    pub(super) index: Value,
    pub(super) bytes: [Value; 2],
}

impl Selection<'_, '_> {
    pub(super) fn get(&self, reg: Reg) -> Value {
        self.values[reg.index()].expect("assigned before it is used")
    }

    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        self.values[reg.index()] = Some(value);
    }

    pub(super) fn ty(&self, reg: Reg) -> RegisterType {
        self.function.registers[reg.index()]
    }
}

/// The type of a register's value in memory: a mask is a word.
pub(super) fn word_type(ty: RegisterType) -> ir::Type {
    if ty == RegisterType::Scalar(Kind::Mask) { types::I32 } else { clif_type(ty) }
}
