//! Accesses to memories: storage buffers of words, which passes write.
//!
//! A state has no words, so it is no value of the module. No access is beyond the end: a pass asks for the size before.
//! Atomic operations are relaxed: within a pass nobody reads what another invocation has written.

use super::declarations::TypeDeclaration;
use super::translator::{Slot, Translator};
use lambdav_core::memory::{Atomic, MemoryOp};
use lambdav_core::schedule::ValueId;
use lambdav_core::types::Type;
use rspirv::dr::Operand;
use rspirv::spirv::{MemorySemantics, Op, Scope, StorageClass, Word};

impl<'p> Translator<'p> {
    /// True for the type of a memory's states.
    pub(super) fn is_state(&self, ty: Type) -> bool {
        self.function.program.types.memory(ty).is_some()
    }

    /// Emits an operation on states.
    pub(super) fn access(&mut self, op: MemoryOp, ty: Type, operands: &[ValueId]) -> Slot<'p> {
        let nothing = Slot::Constant(&[]);
        match op {
            MemoryOp::State(_) => nothing,
            MemoryOp::Size => Slot::Id(self.length_of(operands[0])),
            MemoryOp::Load => {
                let pointer = self.word_at(operands[0], operands[1]);
                let uint = self.declarations.ty(Type::UINT);
                Slot::Id(self.compute(Op::Load, uint, vec![Operand::IdRef(pointer)]))
            }
            MemoryOp::Store => {
                let pointer = self.word_at(operands[0], operands[1]);
                let word = self.value(operands[2]);
                self.store(pointer, word);
                nothing
            }
            MemoryOp::Atomic(atomic, _) => {
                let old = self.atomic(atomic, operands);
                let types = &self.function.program.types;
                let (state, _) = types.part(ty, 1).expect("it is a structure of two fields");
                let state = self.declarations.constant(state, &[]);
                Slot::Id(self.construct(ty, &[old, state]))
            }
            MemoryOp::Barrier(_) => unreachable!("passes have no barriers"),
        }
    }

    /// The variable of a memory.
    fn memory(&mut self, state: ValueId) -> Word {
        let types = &self.function.program.types;
        let number = types.resource(self.function.program.ty(state)).expect("it is a state");
        let resource = &types.resources()[number];
        self.interface.resource(&mut self.declarations, number as u32, resource)
    }

    /// The number of words of a memory.
    fn length_of(&mut self, state: ValueId) -> Word {
        let base = self.memory(state);
        let ty = self.declarations.ty(Type::UINT);
        let operands = vec![Operand::IdRef(base), Operand::LiteralBit32(0)];
        self.compute(Op::ArrayLength, ty, operands)
    }

    /// A pointer to the word at an index.
    fn word_at(&mut self, state: ValueId, index: ValueId) -> Word {
        let (base, index) = (self.memory(state), self.value(index));
        let (zero, uint) = (self.declarations.uint(0), self.declarations.ty(Type::UINT));
        let pointer = TypeDeclaration::Pointer(StorageClass::StorageBuffer, uint);
        let pointer = self.declarations.shape(pointer);
        let operands = [base, zero, index].map(Operand::IdRef).to_vec();
        self.compute(Op::AccessChain, pointer, operands)
    }

    /// The old word of an atomic operation.
    fn atomic(&mut self, atomic: Atomic, operands: &[ValueId]) -> Word {
        let pointer = self.word_at(operands[0], operands[1]);
        let words: Vec<Word> = operands[2..].iter().map(|&word| self.value(word)).collect();
        let scope = self.declarations.uint(Scope::Device as u32);
        let relaxed = self.declarations.uint(MemorySemantics::empty().bits());
        let mut all = vec![Operand::IdRef(pointer), Operand::IdScope(scope)];
        all.push(Operand::IdMemorySemantics(relaxed));
        let op = match atomic {
            Atomic::Add => Op::AtomicIAdd,
            Atomic::IntMin => Op::AtomicSMin,
            Atomic::IntMax => Op::AtomicSMax,
            Atomic::UintMin => Op::AtomicUMin,
            Atomic::UintMax => Op::AtomicUMax,
            Atomic::And => Op::AtomicAnd,
            Atomic::Or => Op::AtomicOr,
            Atomic::Xor => Op::AtomicXor,
            Atomic::Exchange => Op::AtomicExchange,
            Atomic::CompareExchange => {
                all.push(Operand::IdMemorySemantics(relaxed));
                Op::AtomicCompareExchange
            }
        };
        all.extend(words.into_iter().map(Operand::IdRef));
        let uint = self.declarations.ty(Type::UINT);
        self.compute(op, uint, all)
    }
}
