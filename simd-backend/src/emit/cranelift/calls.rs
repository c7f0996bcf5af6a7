//! Calls: of procedures, and of the reference mathematics.

use cranelift_codegen::ir::{
    self, AbiParam, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData, Signature,
    StackSlotData, StackSlotKind, UserExternalName, types,
};

use super::selection::{Conventions, Selection, clif_type};
use crate::emit::abi;
use crate::lanes::Kind;
use crate::registers::{Argument, End, Reg, RegisterFunction, RegisterType};

/// The signature of a function that takes these arguments after the context.
pub(super) fn signature(arguments: &[Argument], conventions: Conventions) -> Signature {
    let mut signature = Signature::new(conventions.outer);
    signature.params.push(AbiParam::new(types::I64));
    let types = arguments.iter().map(|of| clif_type(RegisterType::Scalar(of.kind())));
    signature.params.extend(types.map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// The signature of a procedure: the parameters of its first block, and its result.
pub(super) fn procedure_signature(
    function: &RegisterFunction,
    conventions: Conventions,
) -> Signature {
    let ty = |reg: &Reg| AbiParam::new(clif_type(function.registers[reg.index()]));
    let mut signature = Signature::new(conventions.inner);
    signature.params.extend(function.blocks[0].params.iter().map(ty));
    let result = function.blocks.iter().find_map(|block| match &block.end {
        End::ReturnValue(reg) => Some(ty(reg)),
        _ => None,
    });
    signature.returns.push(result.expect("a procedure returns something"));
    signature
}

/// The signature of [`abi::REFERENCE`].
fn reference_signature(conventions: Conventions) -> Signature {
    let mut signature = Signature::new(conventions.outer);
    signature.params.extend([types::I32, types::I32, types::I64].map(AbiParam::new));
    signature
}

impl Selection<'_, '_> {
    /// Calls the reference mathematics; operands and mask are passed in memory.
    pub(super) fn callout(&mut self, function: u32, to: Reg, mask: Reg, operands: &[Reg]) {
        let ty = clif_type(self.ty(to));
        let bytes = ty.bytes() as i32;
        let (callee, slot) = self.reference();
        let address = self.builder.ins().stack_addr(types::I64, slot, 0);
        let flags = MemFlagsData::trusted();
        for (i, &reg) in std::iter::once(&mask).chain(operands).enumerate() {
            let mut value = self.get(reg);
            if self.ty(reg) == RegisterType::Scalar(Kind::Mask) {
                value = self.builder.ins().uextend(types::I32, value);
            }
            self.builder.ins().store(flags, value, address, i as i32 * bytes);
        }
        let function = self.builder.ins().iconst(types::I32, i64::from(function));
        let lanes = self.builder.ins().iconst(types::I32, i64::from(bytes / 4));
        self.builder.ins().call(callee, &[function, lanes, address]);
        let value = self.builder.ins().load(ty, flags, address, 3 * bytes);
        self.set(to, value);
    }

    pub(super) fn procedure(&mut self, index: u32) -> FuncRef {
        if let Some(known) = self.procedures[index as usize] {
            return known;
        }
        let func = &mut *self.builder.func;
        let name = UserExternalName { namespace: 0, index: abi::symbol(index as usize) };
        let name = func.declare_imported_user_function(name);
        let code = &self.program.procedures[index as usize].code;
        let signature = func.import_signature(procedure_signature(code, self.conventions));
        let callee = func.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: true,
            patchable: false,
        });
        *self.procedures[index as usize].insert(callee)
    }

    pub(super) fn reference(&mut self) -> (FuncRef, ir::StackSlot) {
        if let Some(known) = self.reference {
            return known;
        }
        let func = &mut *self.builder.func;
        let name = UserExternalName { namespace: 0, index: abi::REFERENCE };
        let name = func.declare_imported_user_function(name);
        let signature = func.import_signature(reference_signature(self.conventions));
        let callee = func.import_function(ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: false,
            patchable: false,
        });
        let size = 4 * self.machine.register_bytes();
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
        let slot = func.create_sized_stack_slot(slot);
        *self.reference.insert((callee, slot))
    }
}
