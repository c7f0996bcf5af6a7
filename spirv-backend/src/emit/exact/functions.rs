//! Arithmetic in binary64.
//!
//! Sums and products of any numbers of 24 bits are, in 53 bits, exact where their result in binary32 is subnormal, and else
//! far enough from its midpoints (2·24 + 2 bits are enough).
//! A quotient of numbers of 24 bits, and a root of one, is nowhere nearer to a midpoint of two such
//! numbers than by 2^-51 of its size, or it is one of those numbers; so one of 53 bits may be off by two
//! units in its last place, and rounds to the right one all the same; where the result is subnormal, it must be exact
//! if it is one of 53 bits. The sum of a product, which is exact, and a number
//! is rounded to odd.

use crate::emit::declarations::TypeDeclaration;
use crate::emit::modes::Variant;
use crate::emit::translator::{FunctionState, Translator};
use crate::exact::library::Function;
use crate::mutants::{Mutant, is_active};
use lambdav_core::types::Type;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

const DOUBLE: TypeDeclaration = TypeDeclaration::Double;
const LONG: TypeDeclaration = TypeDeclaration::Long;
const NUM: TypeDeclaration = TypeDeclaration::Value(Type::NUM);
const WORD: TypeDeclaration = TypeDeclaration::Value(Type::UINT);

/// 2^-149, the least subnormal number, and 2^52.
const UNIT: f64 = f32::from_bits(1) as f64;
const WHOLE: f64 = (1_u64 << 52) as f64;

impl<'p> Translator<'p> {
    /// Emits a function of numbers whose value is a number, which `body` makes of the parameters.
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

    /// Emits the function of an arithmetic operation. Of full numbers, a result below 2^-126 is noted.
    pub(super) fn in_binary64(&mut self, function: Function, variant: Variant) -> Word {
        let name = match variant {
            Variant::Rare => format!("{} of any number", function.name()),
            _ => function.name().to_owned(),
        };
        self.function_of_numbers(&name, function.arity(), |s, operands| {
            let is_rare = variant == Variant::Rare;
            // An operand may be a zero that a compiler finds: what is divided by that, lavapipe takes for anything.
            let operands = match function {
                Function::Div | Function::Fma => s.hidden_operands(operands),
                _ => operands.to_vec(),
            };
            let wide = operands.iter().map(|&id| match is_rare {
                true => s.widened(id),
                false => s.of_shape(Op::FConvert, DOUBLE, &[id]),
            });
            let wide: Vec<Word> = wide.collect();
            let value = match function {
                Function::Add => s.in_double(Op::FAdd, wide[0], wide[1]),
                Function::Mul => s.in_double(Op::FMul, wide[0], wide[1]),
                Function::Div => s.in_double(Op::FDiv, wide[0], wide[1]),
                Function::Sqrt => s.glsl_of(Glsl::Sqrt, DOUBLE, &wide),
                Function::Fma => s.sum_to_odd(wide[0], wide[1], wide[2]),
                Function::Elementary(_) => unreachable!("it has a body of its own"),
            };
            if is_rare {
                return s.narrowed(value);
            }
            s.note_small(value);
            s.of_shape(Op::FConvert, NUM, &[value])
        })
    }

    /// Any number of binary32 in binary64: of a subnormal one by its bits.
    fn widened(&mut self, id: Word) -> Word {
        let [exponent, digits, sign, none] =
            [0x7f80_0000, 0x007f_ffff, 1 << 31, 0].map(|word| self.declarations.uint(word));
        let bits = self.instruction(Op::Bitcast, Type::UINT, &[id]);
        let above = self.instruction(Op::BitwiseAnd, Type::UINT, &[bits, exponent]);
        let is_small = self.instruction(Op::IEqual, Type::BOOL, &[above, none]);
        let digits = self.instruction(Op::BitwiseAnd, Type::UINT, &[bits, digits]);
        let integer = self.of_shape(Op::ConvertUToF, DOUBLE, &[digits]);
        let unit = self.declarations.long(DOUBLE, UNIT.to_bits());
        let small = self.in_double(Op::FMul, integer, unit);
        let opposite = self.of_shape(Op::FNegate, DOUBLE, &[small]);
        self.is_not_contracted(opposite);
        let sign = self.instruction(Op::BitwiseAnd, Type::UINT, &[bits, sign]);
        let is_negative = self.instruction(Op::INotEqual, Type::BOOL, &[sign, none]);
        let small = self.of_shape(Op::Select, DOUBLE, &[is_negative, opposite, small]);
        let full = self.of_shape(Op::FConvert, DOUBLE, &[id]);
        self.of_shape(Op::Select, DOUBLE, &[is_small, small, full])
    }

    /// A number of binary64 rounded to binary32. Below 2^-126 the sum of its size and 2^52 units has the
    /// digits of the result as its last bits, rounded to nearest even.
    fn narrowed(&mut self, id: Word) -> Word {
        let [least, units, whole] = [f64::from(f32::MIN_POSITIVE), 1.0 / UNIT, WHOLE]
            .map(|number| self.declarations.long(DOUBLE, number.to_bits()));
        let [shift, sign] = [32, 1 << 31].map(|word| self.declarations.uint(word));
        let size = self.glsl_of(Glsl::FAbs, DOUBLE, &[id]);
        let is_small = self.instruction(Op::FOrdLessThan, Type::BOOL, &[size, least]);
        let scaled = self.in_double(Op::FMul, size, units);
        let rounded = self.in_double(Op::FAdd, scaled, whole);
        let bits = self.of_shape(Op::Bitcast, LONG, &[rounded]);
        let digits = self.of_shape(Op::UConvert, WORD, &[bits]);
        let bits = self.of_shape(Op::Bitcast, LONG, &[id]);
        let above = self.of_shape(Op::ShiftRightLogical, LONG, &[bits, shift]);
        let above = self.of_shape(Op::UConvert, WORD, &[above]);
        let sign = self.instruction(Op::BitwiseAnd, Type::UINT, &[above, sign]);
        let small = self.instruction(Op::BitwiseOr, Type::UINT, &[digits, sign]);
        let small = self.instruction(Op::Bitcast, Type::NUM, &[small]);
        let full = self.of_shape(Op::FConvert, NUM, &[id]);
        self.instruction(Op::Select, Type::NUM, &[is_small, small, full])
    }

    /// a·b + c, a and b of 24 bits: of 53 bits, the last of which says whether anything was lost.
    fn sum_to_odd(&mut self, a: Word, b: Word, c: Word) -> Word {
        let product = self.in_double(Op::FMul, a, b);
        let sum = self.in_double(Op::FAdd, product, c);
        if is_active(Mutant::RoundedTwice) {
            return sum;
        }
        // What rounding lost (Knuth).
        let rest = self.in_double(Op::FSub, sum, product);
        let taken = self.in_double(Op::FSub, sum, rest);
        let lost = self.in_double(Op::FSub, product, taken);
        let lost_of_c = self.in_double(Op::FSub, c, rest);
        let error = self.in_double(Op::FAdd, lost, lost_of_c);
        let zero = self.declarations.long(DOUBLE, 0);
        let is_inexact = self.instruction(Op::FOrdNotEqual, Type::BOOL, &[error, zero]);
        // Its size is the next one that is odd, or the one before that, if it is not odd.
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
    fn in_double(&mut self, op: Op, a: Word, b: Word) -> Word {
        let id = self.of_shape(op, DOUBLE, &[a, b]);
        self.is_not_contracted(id);
        id
    }

    pub(super) fn glsl_of(&mut self, function: Glsl, shape: TypeDeclaration, ids: &[Word]) -> Word {
        let (ty, set) = (self.declarations.shape(shape), self.declarations.glsl());
        let mut operands =
            vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(function as u32)];
        operands.extend(ids.iter().copied().map(Operand::IdRef));
        self.compute(Op::ExtInst, ty, operands)
    }
}
