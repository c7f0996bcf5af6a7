//! Arithmetic in binary64.
//!
//! Sums and products of numbers of 24 bits, computed in 53 bits, are exact if their result in binary32
//! is subnormal. Otherwise they are far enough from binary32's midpoints (2·24 + 2 bits are enough).
//!
//! A quotient of numbers of 24 bits, or the root of one, is a number of 24 bits or at least 2^-51 of its
//! size away from the midpoint of two of them. So the binary64 result may be off by two units in its
//! last place and still rounds correctly. If the binary32 result is subnormal, the binary64 result must
//! be exact whenever 53 bits can represent it.
//!
//! An `fma` adds a number to the exact product and rounds the sum to odd.

use super::subnormal;
use crate::emit::declarations::TypeDeclaration;
use crate::emit::translator::{FunctionState, Translator};
use crate::library::LibraryFunction;
use crate::mutants::{Mutant, is_active};
use lambdav_core::types::Type;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

pub(super) const DOUBLE: TypeDeclaration = TypeDeclaration::Double;
pub(super) const LONG: TypeDeclaration = TypeDeclaration::Long;
pub(super) const NUM: TypeDeclaration = TypeDeclaration::Value(Type::NUM);
const WORD: TypeDeclaration = TypeDeclaration::Value(Type::UINT);

/// 2^-149, the least positive number of binary32, and 2^52.
pub(super) const UNIT: f64 = f32::from_bits(1) as f64;
const WHOLE: f64 = (1_u64 << 52) as f64;
/// 2^-126, the least normal number.
pub(super) const LEAST: f64 = f32::MIN_POSITIVE as f64;

impl<'p> Translator<'p> {
    /// Emits a function of nums with a num result, which `body` computes from the parameters.
    pub(super) fn function_of_numbers(
        &mut self,
        name: &str,
        arity: usize,
        body: impl FnOnce(&mut Self, &[Word]) -> Word,
    ) -> Word {
        let (id, num) = (self.declarations.id(), self.declarations.ty(Type::NUM));
        self.declarations.name(id, name);
        let ty = self.declarations.function_type(num, &vec![num; arity]);
        let parameters: Vec<Word> = (0..arity).map(|_| self.declarations.id()).collect();
        let FunctionState { program, mode, .. } = self.function;
        let inner = FunctionState::new(program, mode, Vec::new());
        let outer = std::mem::replace(&mut self.function, inner);
        let lines = self.lines.take();
        let entry = self.declarations.id();
        self.begin(entry);
        let value = body(self, &parameters);
        self.settle();
        let operands = vec![Operand::IdRef(value)];
        self.push(Instruction::new(Op::ReturnValue, None, None, operands));
        let declared = |id| Instruction::new(Op::FunctionParameter, Some(num), Some(id), vec![]);
        self.finish_function(id, num, ty, parameters.into_iter().map(declared).collect());
        self.lines = lines;
        self.function = outer;
        id
    }

    /// Emits the function of an arithmetic operation on numbers that are zero or normal; it notes a
    /// result below 2^-126.
    pub(super) fn in_binary64(&mut self, function: LibraryFunction) -> Word {
        self.function_of_numbers(function.name(), function.arity(), |s, operands| {
            // A compiler may find that an operand is zero; lavapipe then takes any value for a quotient
            // by it.
            let operands = match function {
                LibraryFunction::Div | LibraryFunction::Fma => s.hidden_operands(operands),
                _ => operands.to_vec(),
            };
            let wide: Vec<Word> =
                operands.iter().map(|&id| s.of_shape(Op::FConvert, DOUBLE, &[id])).collect();
            let value = match function {
                LibraryFunction::Div => s.of_doubles(Op::FDiv, &wide),
                LibraryFunction::Sqrt => s.glsl_of(Glsl::Sqrt, DOUBLE, &wide),
                LibraryFunction::Fma => s.sum_to_odd(wide[0], wide[1], wide[2]),
                LibraryFunction::Add | LibraryFunction::Mul | LibraryFunction::Elementary(_) => {
                    unreachable!("they are the device's, or have bodies")
                }
            };
            s.note_small(value);
            s.of_shape(Op::FConvert, NUM, &[value])
        })
    }

    /// Converts any binary32 number to binary64; subnormals and zeros by their bits.
    pub(super) fn widened(&mut self, id: Word) -> Word {
        let [size, least] =
            [subnormal::SIZE, subnormal::LEAST].map(|word| self.declarations.uint(word));
        let [plus, minus] = [UNIT, -UNIT].map(|unit| self.double(unit));
        let zero = self.declarations.constant(Type::INT, &[0]);
        let bits = self.instruction(Op::Bitcast, Type::INT, &[id]);
        let is_negative = self.instruction(Op::SLessThan, Type::BOOL, &[bits, zero]);
        let unit = self.of_shape(Op::Select, DOUBLE, &[is_negative, minus, plus]);
        let bits = self.instruction(Op::Bitcast, Type::UINT, &[id]);
        let size = self.instruction(Op::BitwiseAnd, Type::UINT, &[bits, size]);
        let integer = self.of_shape(Op::ConvertUToF, DOUBLE, &[size]);
        let small = self.of_doubles(Op::FMul, &[integer, unit]);
        let is_small = self.instruction(Op::ULessThan, Type::BOOL, &[size, least]);
        let normal = self.of_shape(Op::FConvert, DOUBLE, &[id]);
        self.of_shape(Op::Select, DOUBLE, &[is_small, small, normal])
    }

    /// Rounds a binary64 number to binary32: `normal`, unless `is_small`, its size being below 2^-126.
    /// Then the sum of its size and 2^52 units of 2^-149 has the result's digits as its last bits,
    /// rounded to nearest even.
    pub(super) fn with_small(
        &mut self,
        id: Word,
        size: Word,
        is_small: Word,
        normal: Word,
    ) -> Word {
        let [units, whole] = [1.0 / UNIT, WHOLE].map(|number| self.double(number));
        let [shift, sign] = [32, 1 << 31].map(|word| self.declarations.uint(word));
        let scaled = self.of_doubles(Op::FMul, &[size, units]);
        let rounded = self.of_doubles(Op::FAdd, &[scaled, whole]);
        let bits = self.of_shape(Op::Bitcast, LONG, &[rounded]);
        let digits = self.of_shape(Op::UConvert, WORD, &[bits]);
        let bits = self.of_shape(Op::Bitcast, LONG, &[id]);
        let above = self.of_shape(Op::ShiftRightLogical, LONG, &[bits, shift]);
        let above = self.of_shape(Op::UConvert, WORD, &[above]);
        let sign = self.instruction(Op::BitwiseAnd, Type::UINT, &[above, sign]);
        let small = self.instruction(Op::BitwiseOr, Type::UINT, &[digits, sign]);
        let small = self.instruction(Op::Bitcast, Type::NUM, &[small]);
        self.instruction(Op::Select, Type::NUM, &[is_small, small, normal])
    }

    /// a·b + c for a and b of 24 bits, rounded to odd in 53 bits: the last bit records any loss.
    pub(super) fn sum_to_odd(&mut self, a: Word, b: Word, c: Word) -> Word {
        let product = self.of_doubles(Op::FMul, &[a, b]);
        let sum = self.of_doubles(Op::FAdd, &[product, c]);
        if is_active(Mutant::RoundedTwice) {
            return sum;
        }
        // The rounding error of the sum (Knuth).
        let rest = self.of_doubles(Op::FSub, &[sum, product]);
        let taken = self.of_doubles(Op::FSub, &[sum, rest]);
        let lost = self.of_doubles(Op::FSub, &[product, taken]);
        let lost_of_c = self.of_doubles(Op::FSub, &[c, rest]);
        let error = self.of_doubles(Op::FAdd, &[lost, lost_of_c]);
        let zero = self.double(0.0);
        let is_inexact = self.instruction(Op::FOrdNotEqual, Type::BOOL, &[error, zero]);
        // Round to odd: an inexact even result becomes its odd neighbour in the direction of the error.
        let bits = self.of_shape(Op::Bitcast, LONG, &[sum]);
        let [one, none] = [1, 0].map(|number| self.declarations.long(LONG, number));
        let last = self.of_shape(Op::BitwiseAnd, LONG, &[bits, one]);
        let is_even = self.instruction(Op::IEqual, Type::BOOL, &[last, none]);
        let moves = self.instruction(Op::LogicalAnd, Type::BOOL, &[is_inexact, is_even]);
        let below = self.instruction(Op::FOrdLessThan, Type::BOOL, &[error, zero]);
        let negative = self.instruction(Op::FOrdLessThan, Type::BOOL, &[sum, zero]);
        let grows = self.instruction(Op::LogicalEqual, Type::BOOL, &[below, negative]);
        let above = self.of_shape(Op::IAdd, LONG, &[bits, one]);
        let under = self.of_shape(Op::ISub, LONG, &[bits, one]);
        let odd = self.of_shape(Op::Select, LONG, &[grows, above, under]);
        let bits = self.of_shape(Op::Select, LONG, &[moves, odd, bits]);
        self.of_shape(Op::Bitcast, DOUBLE, &[bits])
    }

    /// Arithmetic in binary64.
    pub(super) fn of_doubles(&mut self, op: Op, ids: &[Word]) -> Word {
        let id = self.of_shape(op, DOUBLE, ids);
        self.is_not_contracted(id);
        id
    }

    /// A binary64 constant.
    pub(super) fn double(&mut self, number: f64) -> Word {
        self.declarations.long(DOUBLE, number.to_bits())
    }

    pub(super) fn glsl_of(&mut self, function: Glsl, shape: TypeDeclaration, ids: &[Word]) -> Word {
        let (ty, set) = (self.declarations.shape(shape), self.declarations.glsl());
        let mut operands =
            vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(function as u32)];
        operands.extend(ids.iter().copied().map(Operand::IdRef));
        self.compute(Op::ExtInst, ty, operands)
    }
}
