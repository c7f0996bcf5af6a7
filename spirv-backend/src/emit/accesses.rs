//! Accesses to memories: storage buffers of words, and variables of workgroups.
//!
//! A state has no words, so it is no value of the module. Atomic operations are relaxed: they order nothing but themselves,
//! as in WGSL, and barriers order everything within a workgroup.
//!
//! An access beyond the end of a memory is tested for, unless the entry point makes none
//! ([`ComputeEntry::is_inside`](super::ComputeEntry::is_inside)): a load reads the first word and drops it, a store and an
//! atomic operation stand in a selection.
//!
//! Variables of workgroups are filled with zeros at the beginning of the entry point, each invocation its share.

use super::declarations::TypeDeclaration;
use super::translator::{Slot, Translator};
use crate::mutants::{Mutant, is_active};
use lambdav_core::evaluate::has_barrier;
use lambdav_core::graph::StageInput;
use lambdav_core::memory::{Atomic, InvocationInput, MemoryOp};
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Program, ValueId};
use lambdav_core::types::{MemoryKind, ResourceKind, Type};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{LoopControl, MemorySemantics, Op, Scope, StorageClass, Word};

/// Whether an access is within its memory.
#[derive(Clone, Copy, Debug)]
enum Within {
    Always,
    Never,
    /// If the condition holds.
    If(Word),
}

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
            MemoryOp::Size => Slot::Id(self.size_of(operands[0])),
            MemoryOp::Load => {
                let index = self.value(operands[1]);
                let zero = self.declarations.uint(0);
                let word = match self.access_within(operands[0], operands[1]) {
                    Within::Always => self.load_word(operands[0], index),
                    Within::Never => zero,
                    Within::If(is_within) => {
                        let inside = [is_within, index, zero];
                        let index = self.instruction(Op::Select, Type::UINT, &inside);
                        let word = self.load_word(operands[0], index);
                        match is_active(Mutant::LooseLoad) {
                            true => word,
                            false => {
                                self.instruction(Op::Select, Type::UINT, &[is_within, word, zero])
                            }
                        }
                    }
                };
                Slot::Id(word)
            }
            MemoryOp::Store => {
                let (mut index, word) = (self.value(operands[1]), self.value(operands[2]));
                let within = self.access_within(operands[0], operands[1]);
                let within = match within {
                    Within::If(_) if is_active(Mutant::ClampedStore) => {
                        let (size, one) = (self.size_of(operands[0]), self.declarations.uint(1));
                        let last = self.instruction(Op::ISub, Type::UINT, &[size, one]);
                        index = self.natively(Core::Min, Type::UINT, Type::UINT, &[index, last]);
                        Within::Always
                    }
                    within => within,
                };
                let store = |s: &mut Self| {
                    let pointer = s.word_at(operands[0], index);
                    s.store(pointer, word);
                };
                match within {
                    Within::Always => store(self),
                    Within::Never => {}
                    Within::If(is_within) => self.when(is_within, store),
                }
                nothing
            }
            MemoryOp::Atomic(atomic, _) => {
                let words: Vec<Word> = operands[1..].iter().map(|&word| self.value(word)).collect();
                let update = |s: &mut Self| s.atomic(atomic, operands[0], &words);
                let zero = self.declarations.uint(0);
                let old = match self.access_within(operands[0], operands[1]) {
                    Within::Always => update(self),
                    Within::Never => zero,
                    Within::If(is_within) => {
                        let is_beyond = self.instruction(Op::LogicalNot, Type::BOOL, &[is_within]);
                        self.unless(is_beyond, Type::UINT, zero, update)
                    }
                };
                let types = &self.function.program.types;
                let (state, _) = types.part(ty, 1).expect("it is a structure of two fields");
                let state = self.declarations.constant(state, &[]);
                Slot::Id(self.construct(ty, &[old, state]))
            }
            MemoryOp::Barrier(_) => {
                if !is_active(Mutant::SkippedBarrier) {
                    self.barrier();
                }
                nothing
            }
        }
    }

    /// Waits for all invocations of the workgroup, and makes their writes visible to one another.
    fn barrier(&mut self) {
        self.settle();
        let scope = self.declarations.uint(Scope::Workgroup as u32);
        let semantics = MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::UNIFORM_MEMORY
            | MemorySemantics::WORKGROUP_MEMORY;
        let semantics = self.declarations.uint(semantics.bits());
        self.mark_line();
        let operands = vec![
            Operand::IdScope(scope),
            Operand::IdScope(scope),
            Operand::IdMemorySemantics(semantics),
        ];
        self.push(Instruction::new(Op::ControlBarrier, None, None, operands));
    }

    /// Fills the variables of the workgroup with zeros. Begins the function's second block if there are any.
    pub(super) fn clear_workgroup(&mut self) {
        let Some(size) = self.interface.workgroup else { return };
        let variables = workgroup_variables(self.function.program);
        if variables.is_empty() {
            return;
        }
        let local = StageInput::Invocation(InvocationInput::LocalIndex);
        let variable = self.interface.stage_input(&mut self.declarations, local);
        let first = self.load_input(variable, Type::UINT, "");
        let zero = self.declarations.uint(0);
        let step = self.declarations.uint(size.iter().product());
        for (number, words) in variables {
            let count = self.declarations.uint(words);
            let [header, body, continuing, merge] = [(); 4].map(|()| self.declarations.id());
            let (index, next) = (self.declarations.id(), self.declarations.id());
            let before = self.function.current;
            self.branch(header);
            self.begin(header);
            let uint = self.declarations.ty(Type::UINT);
            let ways = [first, before, next, continuing].map(Operand::IdRef).to_vec();
            self.push(Instruction::new(Op::Phi, Some(uint), Some(index), ways));
            let is_left = self.instruction(Op::ULessThan, Type::BOOL, &[index, count]);
            let operands = vec![
                Operand::IdRef(merge),
                Operand::IdRef(continuing),
                Operand::LoopControl(LoopControl::NONE),
            ];
            self.push(Instruction::new(Op::LoopMerge, None, None, operands));
            let operands = [is_left, body, merge].map(Operand::IdRef).to_vec();
            self.push(Instruction::new(Op::BranchConditional, None, None, operands));
            self.begin(body);
            let pointer = self.word_of(number, index);
            self.store(pointer, zero);
            self.branch(continuing);
            self.begin(continuing);
            let operands = [index, step].map(Operand::IdRef).to_vec();
            self.push(Instruction::new(Op::IAdd, Some(uint), Some(next), operands));
            self.branch(header);
            self.begin(merge);
        }
        self.barrier();
    }

    /// Says if an index is within a memory.
    fn access_within(&mut self, state: ValueId, index: ValueId) -> Within {
        if self.interface.is_inside {
            return Within::Always;
        }
        let (index, size) = (self.value(index), self.size_of(state));
        let known = [index, size].map(|id| self.declarations.known_uint(id));
        if let [Some(index), Some(size)] = known {
            return if index < size { Within::Always } else { Within::Never };
        }
        Within::If(self.instruction(Op::ULessThan, Type::BOOL, &[index, size]))
    }

    /// The number of the memory of a state.
    fn memory(&self, state: ValueId) -> usize {
        let program = self.function.program;
        program.types.resource(program.ty(state)).expect("it is a state")
    }

    /// The variable of the memory of that number.
    fn variable_of(&mut self, number: usize) -> Word {
        let resource = &self.function.program.types.resources()[number];
        self.interface.resource(&mut self.declarations, number as u32, resource)
    }

    /// The number of words of a memory.
    fn size_of(&mut self, state: ValueId) -> Word {
        let program = self.function.program;
        if let Some(MemoryKind::Workgroup(words)) = program.types.memory(program.ty(state)) {
            return self.declarations.uint(words);
        }
        let base = self.variable_of(self.memory(state));
        let ty = self.declarations.ty(Type::UINT);
        let operands = vec![Operand::IdRef(base), Operand::LiteralBit32(0)];
        self.compute(Op::ArrayLength, ty, operands)
    }

    /// A pointer to the word at an index of a state's memory.
    fn word_at(&mut self, state: ValueId, index: Word) -> Word {
        self.word_of(self.memory(state), index)
    }

    /// A pointer to the word at an index of the memory of that number.
    fn word_of(&mut self, number: usize, index: Word) -> Word {
        let base = self.variable_of(number);
        let resource = &self.function.program.types.resources()[number];
        let (zero, uint) = (self.declarations.uint(0), self.declarations.ty(Type::UINT));
        let (class, indices) = match resource.kind {
            ResourceKind::Memory(MemoryKind::Workgroup(_)) => {
                (StorageClass::Workgroup, vec![index])
            }
            _ => (StorageClass::StorageBuffer, vec![zero, index]),
        };
        let pointer = self.declarations.shape(TypeDeclaration::Pointer(class, uint));
        let operands = [base].into_iter().chain(indices).map(Operand::IdRef).collect();
        self.compute(Op::AccessChain, pointer, operands)
    }

    /// The word at an index within a state's memory.
    fn load_word(&mut self, state: ValueId, index: Word) -> Word {
        let pointer = self.word_at(state, index);
        let uint = self.declarations.ty(Type::UINT);
        self.compute(Op::Load, uint, vec![Operand::IdRef(pointer)])
    }

    /// The old word of an atomic operation within a memory. `words` are index, operand, and comparand if there is one.
    fn atomic(&mut self, atomic: Atomic, state: ValueId, words: &[Word]) -> Word {
        let pointer = self.word_at(state, words[0]);
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
        all.extend(words[1..].iter().copied().map(Operand::IdRef));
        let uint = self.declarations.ty(Type::UINT);
        self.compute(op, uint, all)
    }
}

/// The variables of workgroups that a program accesses, with their numbers of words.
fn workgroup_variables(program: &Program) -> Vec<(usize, u32)> {
    let is_accessed = |number: usize| {
        let is_state = |expr: &Expr| match expr {
            Expr::Op(Core::Memory(MemoryOp::State(ty)), _) => {
                program.types.resource(*ty) == Some(number)
            }
            _ => false,
        };
        super::has(program, is_state)
    };
    let all = program.types.memories().filter_map(|(number, kind)| match kind {
        MemoryKind::Workgroup(words) if is_accessed(number) => Some((number, words)),
        _ => None,
    });
    all.collect()
}

/// True if a program, or its beginning, has barriers.
pub(super) fn has_barriers(program: &Program) -> bool {
    has_barrier(program) || !workgroup_variables(program).is_empty()
}
