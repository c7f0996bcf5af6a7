//! Workarounds for drivers' mistakes about constants and loops.
//!
//! # Constants
//!
//! A compiler that sees a zero operand may simplify: a sum to the other operand, a product to zero, a
//! sign to a choice between −1, 0 and 1, a quotient by zero to any value. The result may have zeros of
//! the wrong sign, or lose a NaN or an infinity (Mesa does that whatever a module demands). So exact
//! modules make zeros from the sign of a number that no compiler knows: the last component of the
//! pixel's position, which is positive; for other stages see `sign`. They also hide values that a compiler may find to be zero:
//! choices between constants, numbers made of integers and bools, differences of a value and itself, and
//! operands of divisions and of `fma`. Uniforms and specialisation constants are hidden as well, since a
//! driver may compile a module for their values (lavapipe does that for uniforms that conditions depend
//! on).
//!
//! Hiding is an exclusive or with a word that is zero. A value that is hidden twice, as a constant and
//! then as the operand of a division, takes two different words ([`Hiding`]): compilers know that the
//! same word cancels.
//!
//! # Loops
//!
//! - A loop with one exit that leaves with a value computed in its last round gets a second exit, which
//!   no pixel takes. Without it, if the loop has control flow, lavapipe gives pixels that have left the
//!   values of other pixels' later rounds.
//! - Vectors are carried to the next round by component: lavapipe mixes up vectors that change places.
//! - Bools are carried as 0 and 1, in every module (`loops`).
//! - LLVM's time for loops doubles with each loop that follows another, since lavapipe counts the rounds
//!   of all in one variable. A library function has one loop or more, and compilers copy it to each
//!   call. So the fast function calls it from one place, as the rare one does, if there were many loops
//!   otherwise.

use crate::emit::declarations::TypeDeclaration;
use crate::emit::modes::{Hiding, builtin};
use crate::emit::translator::Translator;
use lambdav_core::graph::{Place, StageInput};
use lambdav_core::interface::Stage;
use lambdav_core::memory::InvocationInput;
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use rustc_hash::FxHashSet;

/// Larger structures are carried to the next round as a whole.
const MAX_PARTS: usize = 64;

/// Limit of the loops in a function that a driver's compiler should see, where fewer are possible.
pub(super) const MAX_LOOPS: usize = 8;

/// Larger constants are tables, whose elements are loaded.
const MAX_WORDS: usize = 64;

impl Translator<'_> {
    /// The hidden form of a constant in exact modules.
    pub(in crate::emit) fn hidden(&mut self, constant: Word, ty: Type, words: &[u32]) -> Word {
        let types = &self.function.program.types;
        let mut scalars = types.scalars(ty).zip(words);
        let has_zero = scalars.any(|(of, &word)| of == Scalar::F32 && word << 1 == 0);
        let is_hidden = self.function.mode.is_exact() && has_zero && words.len() <= MAX_WORDS;
        if !is_hidden || matches!(types.kind(ty), TypeKind::Variant(_)) {
            return constant;
        }
        if let Some(&known) = self.function.hidden.get(&constant) {
            return known;
        }
        let id = match ty.width() {
            Some(width) => self.hidden_numbers(constant, ty, width, words),
            None => {
                let mut rest = words;
                let parts: Vec<Type> = types.parts(ty).collect();
                let parts: Vec<Word> = parts
                    .into_iter()
                    .map(|part| {
                        let count = self.function.program.types.components(part);
                        let (words, others) = rest.split_at(count);
                        rest = others;
                        let id = self.declarations.constant(part, words);
                        self.hidden(id, part, words)
                    })
                    .collect();
                self.at_first(Op::CompositeConstruct, ty, &parts)
            }
        };
        self.function.hidden.insert(constant, id);
        id
    }

    /// Hides a uniform or specialisation constant, whose value compilers may know.
    pub(in crate::emit) fn hide_uniform(&mut self, id: Word, ty: Type) -> Word {
        if !self.function.mode.is_exact() {
            return id;
        }
        match *self.function.program.types.kind(ty) {
            TypeKind::Matrix(Scalar::F32, n) => {
                let columns: Vec<Word> = (0..n)
                    .map(|k| {
                        let column = self.extract(Type::vec(n), id, k.into());
                        self.hide(Hiding::Given, column, Type::vec(n))
                    })
                    .collect();
                self.construct(ty, &columns)
            }
            TypeKind::Scalar(Scalar::F32) | TypeKind::Vector(Scalar::F32, _) => {
                self.hide(Hiding::Given, id, ty)
            }
            _ => id,
        }
    }

    /// Hides nums that compilers may know.
    pub(super) fn hide(&mut self, hiding: Hiding, id: Word, ty: Type) -> Word {
        let uints = Type::of(Scalar::U32, ty.width().expect("a number or a vector"));
        let zeros = self.zeros(hiding, uints);
        self.with_bits_of(ty, id, Op::BitwiseXor, zeros)
    }

    /// The hiding word of that kind in each component.
    fn zeros(&mut self, hiding: Hiding, uints: Type) -> Word {
        let width = usize::from(uints.width().expect("a word or a vector"));
        if let Some(known) = self.function.zeros[hiding as usize][width - 1] {
            return known;
        }
        let zeros = match (hiding, width) {
            (Hiding::Given, 1) => self.sign(),
            (_, 1) => {
                let (sign, by) = (self.sign(), self.declarations.uint(hiding as u32));
                self.at_first(Op::ShiftRightLogical, Type::UINT, &[sign, by])
            }
            _ => {
                let zero = self.zeros(hiding, Type::UINT);
                self.at_first(Op::CompositeConstruct, uints, &vec![zero; width])
            }
        };
        self.function.zeros[hiding as usize][width - 1] = Some(zeros);
        zeros
    }

    /// The hidden form of a constant num or vector.
    fn hidden_numbers(&mut self, constant: Word, ty: Type, width: u8, words: &[u32]) -> Word {
        let uints = Type::of(Scalar::U32, width);
        let zeros = self.zeros(Hiding::Given, uints);
        let bits = self.declarations.constant(uints, words);
        let bits = self.at_first(Op::BitwiseXor, uints, &[bits, zeros]);
        let id = self.at_first(Op::Bitcast, ty, &[bits]);
        self.declarations.is_like(id, constant);
        id
    }

    /// A condition that never holds, which compilers cannot know.
    pub(in crate::emit) fn never(&mut self) -> Word {
        let sign = self.zeros(Hiding::Given, Type::UINT);
        let zero = self.declarations.uint(0);
        self.instruction(Op::INotEqual, Type::BOOL, &[sign, zero])
    }

    /// A zero integer that compilers cannot know, computed in the open block.
    pub(super) fn zero(&mut self) -> Word {
        let sign = self.in_open_block(Self::sign);
        let last = self.declarations.uint(31);
        self.instruction(Op::ShiftRightLogical, Type::UINT, &[sign, last])
    }

    /// Hides the result of an operation if compilers may know it: a choice between constants, or the
    /// difference of a value and itself. (Numbers made of integers and bools are hidden where they are
    /// made.)
    pub(in crate::emit) fn hide_result(
        &mut self,
        op: Core,
        ty: Type,
        ids: &[Word],
        id: Word,
    ) -> Word {
        let is_known = |id: &Word| self.declarations.numbers(*id).is_some();
        let may_be_known = match op {
            Core::Select => ids[1..].iter().all(is_known),
            Core::Min | Core::Max => ids.iter().all(is_known),
            Core::Sub => ids[0] == ids[1],
            _ => false,
        };
        match self.function.mode.is_exact() && ty.is_num() && may_be_known {
            true => self.hide(Hiding::Result, id, ty),
            false => id,
        }
    }

    /// Hides the value at a merge block if every predecessor passes a constant.
    pub(in crate::emit) fn hide_joined(&mut self, ty: Type, ways: &[Word], id: Word) -> Word {
        let is_known = ways.iter().all(|way| self.declarations.numbers(*way).is_some());
        match self.function.mode.is_exact() && ty.is_num() && is_known && !ways.contains(&id) {
            true => self.hide(Hiding::Result, id, ty),
            false => id,
        }
    }

    /// Hides the operands of a function of nums, in its first block.
    pub(super) fn hidden_operands(&mut self, of: &[Word]) -> Vec<Word> {
        let zero = self.in_open_block(|s| s.zeros(Hiding::Operand, Type::UINT));
        let hide = |&id: &Word| self.with_bits_of(Type::NUM, id, Op::BitwiseXor, zero);
        of.iter().map(hide).collect()
    }

    /// The zero that hides binary64 numbers.
    pub(super) fn long_zero(&mut self) -> Word {
        if let Some(known) = self.function.long_zero {
            return known;
        }
        let zero = self.zeros(Hiding::Operand, Type::UINT);
        let (id, ty) = (self.declarations.id(), self.declarations.shape(TypeDeclaration::Long));
        let operands = vec![Operand::IdRef(zero)];
        self.function.prologue.push(Instruction::new(Op::UConvert, Some(ty), Some(id), operands));
        self.function.long_zero = Some(id);
        id
    }

    /// Puts the instructions in the open block instead of the function's beginning.
    fn in_open_block(&mut self, make: impl FnOnce(&mut Self) -> Word) -> Word {
        let before = std::mem::take(&mut self.function.prologue);
        let known = std::mem::take(&mut self.function.zeros);
        let made = make(self);
        self.function.zeros = known;
        let instructions = std::mem::replace(&mut self.function.prologue, before);
        instructions.into_iter().for_each(|instruction| self.push(instruction));
        made
    }

    /// The sign bit, which is 0, of a vertex's index, or of a component of a fragment's position: of 1/w for a
    /// full screen, else of x, since 1/w may be negative where the centre of a pixel is not covered. In a compute shader
    /// it is that of an invocation's x plus 2^16, which is 2^31 beyond what compilers know of an x.
    fn sign(&mut self) -> Word {
        let global = StageInput::Invocation(InvocationInput::GlobalId);
        let input = match self.interface.bound.entry_point.stage {
            Stage::Vertex => StageInput::VertexIndex,
            Stage::Compute => global,
            _ => StageInput::W(Place::HERE),
        };
        let variable = self.interface.stage_input(&mut self.declarations, input);
        let mask = self.declarations.uint(1 << 31);
        if input == global {
            let id = self.at_first(Op::Load, InvocationInput::GlobalId.ty(), &[variable]);
            let x = self.extract_first(Type::UINT, id, 0);
            let more = self.declarations.uint(1 << 16);
            let sum = self.at_first(Op::IAdd, Type::UINT, &[x, more]);
            return self.at_first(Op::BitwiseAnd, Type::UINT, &[sum, mask]);
        }
        let signed = if input == StageInput::VertexIndex {
            self.at_first(Op::Load, Type::INT, &[variable])
        } else {
            let component = if self.interface.draws_triangles { 0 } else { 3 };
            let position = self.at_first(Op::Load, Type::vec(4), &[variable]);
            self.extract_first(Type::NUM, position, component)
        };
        let bits = self.at_first(Op::Bitcast, Type::UINT, &[signed]);
        self.at_first(Op::BitwiseAnd, Type::UINT, &[bits, mask])
    }

    /// A component of a vector, extracted at the beginning of the function.
    fn extract_first(&mut self, ty: Type, from: Word, component: u32) -> Word {
        let (id, ty) = (self.declarations.id(), self.declarations.ty(ty));
        let operands = vec![Operand::IdRef(from), Operand::LiteralBit32(component)];
        let extract = Instruction::new(Op::CompositeExtract, Some(ty), Some(id), operands);
        self.function.prologue.push(extract);
        id
    }

    /// An instruction at the beginning of the function.
    fn at_first(&mut self, op: Op, ty: Type, ids: &[Word]) -> Word {
        let (id, ty) = (self.declarations.id(), self.declarations.ty(ty));
        let operands = ids.iter().copied().map(Operand::IdRef).collect();
        self.function.prologue.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// True if the fast function would have too many loops with a copy of a library function at each
    /// call.
    pub(super) fn has_too_many_loops(&self, program: &Program) -> bool {
        let statements = program.blocks.iter().flat_map(|block| &block.statements);
        let loops = statements.map(|statement| match statement {
            Statement::Loop { .. } => 1,
            Statement::Let { value, expr: Expr::Op(op, operands) } => {
                let is_of_numbers = operands.first().is_some_and(|&of| program.ty(of).is_num());
                let function = builtin(*op).filter(|of| is_of_numbers && self.is_of_library(of));
                let width = program.ty(*value).width().unwrap_or(1);
                function.map_or(0, |_| width.into())
            }
            _ => 0,
        });
        loops.sum::<usize>() > MAX_LOOPS
    }

    /// True if a loop may leave with a value that its body computes.
    pub(in crate::emit) fn leaves_with_new(&self, body: BlockId) -> bool {
        let program = self.function.program;
        let tail = program.tail(body);
        let blocks = || tail.iter().map(|&block| program.block(block));
        let statements = blocks().flat_map(|block| &block.statements);
        let computed: FxHashSet<ValueId> = statements.map(Statement::value).collect();
        blocks().any(|block| match &block.end {
            End::Yield(values) => values.iter().any(|value| computed.contains(value)),
            _ => false,
        })
    }

    /// True if one φ carries the whole value. (Structures that are split are small, so they are not
    /// deep.)
    pub(in crate::emit) fn is_carried_whole(&self, ty: Type) -> bool {
        let types = &self.function.program.types;
        let has_parts = matches!(
            types.kind(ty),
            TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Structure(_)
        );
        let count = types.components(ty);
        !self.function.mode.is_exact() || !has_parts || count == 0 || count > MAX_PARTS
    }
}
