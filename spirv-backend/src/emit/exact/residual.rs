//! Quotients, roots and `fma` in binary32, on devices whose `fma` rounds once.
//!
//! A device's own quotient q of a and b may be some units in its last place off. The residual a − q·b is
//! one `fma`, and exact if q is nearly right. Divided by b, it corrects q, which is then right in all
//! but one of some hundred thousand cases; otherwise a neighbour of q is. The residual r of the
//! corrected quotient shows if it is right: |r| < |b|·u/2 for u, the unit in its last place (for a power
//! of two, the smaller unit below it, on both sides). Likewise a root s of x is right if |x − s²| < s·u.
//! (The midpoint m of two numbers of 24 bits satisfies x ≠ m², and both are multiples of u²/4.)
//! Intermediate underflow and overflow fail the test: the bound is lowered by 2^-126, and rounding is
//! monotonic. So nothing is assumed about the device's division and inverse square root.
//!
//! A result that fails the test is either zero, infinite or NaN, and follows from the operands' bits; or
//! it is undecided, and the pixel is computed again.
//!
//! GLSL.std.450 guarantees that every `fma` with `NoContraction` has the same precision. One `fma` of
//! hidden operands tests if it rounds once; if it does not, each pixel is computed again.

use crate::emit::modes::Switch;
use crate::emit::translator::Translator;
use crate::library::LibraryFunction;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::NAN;
use lambdav_core::types::Type;
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

const NUM: Type = Type::NUM;
const BOOL: Type = Type::BOOL;
/// The exponent field, whose bits are those of infinity.
const EXPONENT: u32 = 0x7f80_0000;
/// The largest number below 1.
const BELOW_ONE: f32 = 1.0_f32.next_down();
const LEAST: f32 = f32::MIN_POSITIVE;
/// 2^-24.
const HALF_UNIT: f32 = f32::EPSILON / 2.0;

impl Translator<'_> {
    /// Emits a function of numbers that are zero or normal; it notes a result below 2^-126 of operands that
    /// are neither zero nor infinite nor NaN.
    pub(super) fn by_residual(&mut self, function: LibraryFunction) -> Word {
        self.function_of_numbers(function.name(), function.arity(), |s, of| {
            // A compiler may find that an operand is zero or infinite.
            let of = s.hidden_operands(of);
            match function {
                LibraryFunction::Div => s.ratio(of[0], of[1]),
                LibraryFunction::Sqrt => s.root(of[0]),
                LibraryFunction::Fma => s.fused(&of),
                LibraryFunction::Add | LibraryFunction::Mul | LibraryFunction::Elementary(_) => {
                    unreachable!("they have no residuals")
                }
            }
        })
    }

    fn ratio(&mut self, a: Word, b: Word) -> Word {
        let one = self.num(1.0);
        let inverse = self.arithmetic(Op::FDiv, NUM, &[one, b]);
        let near = self.arithmetic(Op::FMul, NUM, &[a, inverse]);
        if is_active(Mutant::Uncorrected) {
            return near;
        }
        let rest = self.residual(a, near, b);
        let quotient = self.fma(NUM, &[rest, inverse, near]);
        let size = self.glsl(Glsl::FAbs, NUM, &[b]);
        let rest = self.residual(a, quotient, b);
        let is_right = self.is_nearest(rest, quotient, size, HALF_UNIT);
        self.unless(is_right, NUM, quotient, |s| {
            let other = s.neighbour(quotient, rest, inverse);
            let rest = s.residual(a, other, b);
            let is_right = s.is_nearest(rest, other, size, HALF_UNIT);
            let of = [a, b].map(|id| s.is_ordinary(id));
            let is_ordinary = s.instruction(Op::LogicalAnd, BOOL, &of);
            s.undecided(is_ordinary, is_right);
            if s.notes().is_some() {
                let double = s.num(2.0 * LEAST);
                let is_small = s.is_below(quotient, double);
                let is_small = s.instruction(Op::LogicalAnd, BOOL, &[is_small, is_ordinary]);
                s.note(is_small, BOOL);
            }
            // If b is zero, a·∞; if b is infinite, a·0, each with b's sign. Else a·b, since a determines
            // the result.
            let turned = s.with_bits(NUM, b, Op::BitwiseXor, EXPONENT);
            let [zero, infinite] = [0.0, f32::INFINITY].map(|number| s.num(number));
            let is_zero = s.instruction(Op::FOrdEqual, BOOL, &[size, zero]);
            let is_infinite = s.instruction(Op::FOrdEqual, BOOL, &[size, infinite]);
            let turns = s.instruction(Op::LogicalOr, BOOL, &[is_zero, is_infinite]);
            let factor = s.instruction(Op::Select, NUM, &[turns, turned, b]);
            let special = s.arithmetic(Op::FMul, NUM, &[a, factor]);
            s.instruction(Op::Select, NUM, &[is_ordinary, other, special])
        })
    }

    fn root(&mut self, x: Word) -> Word {
        let half = self.num(0.5);
        let inverse = self.glsl(Glsl::InverseSqrt, NUM, &[x]);
        let near = self.arithmetic(Op::FMul, NUM, &[x, inverse]);
        let half = self.arithmetic(Op::FMul, NUM, &[half, inverse]);
        let rest = self.residual(x, near, near);
        let root = self.fma(NUM, &[rest, half, near]);
        let rest = self.residual(x, root, root);
        let is_right = self.is_nearest(rest, root, root, 2.0 * HALF_UNIT);
        self.unless(is_right, NUM, root, |s| {
            let other = s.neighbour(root, rest, half);
            let rest = s.residual(x, other, other);
            let is_right = s.is_nearest(rest, other, other, 2.0 * HALF_UNIT);
            let is_ordinary = s.is_ordinary(x);
            let zero = s.num(0.0);
            let is_negative = s.instruction(Op::FOrdLessThan, BOOL, &[x, zero]);
            let is_positive = s.instruction(Op::LogicalNot, BOOL, &[is_negative]);
            let has_root = s.instruction(Op::LogicalAnd, BOOL, &[is_ordinary, is_positive]);
            s.undecided(has_root, is_right);
            // Zeros, infinity and NaN are their own roots.
            let none = s.with_bits(NUM, x, Op::BitwiseOr, NAN);
            let special = s.instruction(Op::Select, NUM, &[is_negative, none, x]);
            s.instruction(Op::Select, NUM, &[has_root, other, special])
        })
    }

    /// The device's own `fma`. A small result is noted, unless a factor is zero.
    fn fused(&mut self, of: &[Word]) -> Word {
        let value = self.fma(NUM, of);
        if self.notes().is_some() {
            let [zero, least] = [0.0, LEAST].map(|number| self.num(number));
            let is_small = self.is_below(value, least);
            self.when(is_small, |s| {
                let factors = [of[0], of[1]];
                let differ = factors.map(|f| s.instruction(Op::FUnordNotEqual, BOOL, &[f, zero]));
                let is_product = s.instruction(Op::LogicalAnd, BOOL, &differ);
                s.note(is_product, BOOL);
            });
        }
        value
    }

    /// The neighbour of a value that its residual, about half a unit in the last place, points to. The
    /// correction is enlarged a little.
    fn neighbour(&mut self, value: Word, rest: Word, correction: Word) -> Word {
        let more = self.num(1.0 + 2048.0 * f32::EPSILON);
        let correction = self.arithmetic(Op::FMul, NUM, &[correction, more]);
        self.fma(NUM, &[rest, correction, value])
    }

    /// Marks the pixel to be computed again if ordinary operands gave a result that may be wrong.
    fn undecided(&mut self, is_ordinary: Word, is_right: Word) {
        let is_wrong = self.instruction(Op::LogicalNot, BOOL, &[is_right]);
        let undecided = self.instruction(Op::LogicalAnd, BOOL, &[is_ordinary, is_wrong]);
        self.turn_on(Switch::Again, undecided);
    }

    /// True if a value is the nearest to the exact one: its residual is below the unit in its last
    /// place, times `size` and `factor`.
    fn is_nearest(&mut self, rest: Word, value: Word, size: Word, factor: f32) -> Word {
        // A power of two takes the exponent of the number below it.
        let [below_one, factor, less] = [BELOW_ONE, factor, -LEAST].map(|number| self.num(number));
        let below = self.arithmetic(Op::FMul, NUM, &[value, below_one]);
        let power = self.with_bits(NUM, below, Op::BitwiseAnd, EXPONENT);
        let unit = self.arithmetic(Op::FMul, NUM, &[power, factor]);
        let bound = self.fma(NUM, &[unit, size, less]);
        self.is_below(rest, bound)
    }

    /// True if a number's size is below the bound.
    fn is_below(&mut self, id: Word, bound: Word) -> Word {
        let size = self.glsl(Glsl::FAbs, NUM, &[id]);
        self.instruction(Op::FOrdLessThan, BOOL, &[size, bound])
    }

    /// of − value·by.
    fn residual(&mut self, of: Word, value: Word, by: Word) -> Word {
        let opposite = self.arithmetic(Op::FNegate, NUM, &[value]);
        self.fma(NUM, &[opposite, by, of])
    }

    /// True if a number is neither zero, infinite nor NaN.
    fn is_ordinary(&mut self, id: Word) -> Word {
        let [zero, infinite] = [0.0, f32::INFINITY].map(|number| self.num(number));
        let size = self.glsl(Glsl::FAbs, NUM, &[id]);
        let above = self.instruction(Op::FOrdLessThan, BOOL, &[zero, size]);
        let below = self.instruction(Op::FOrdLessThan, BOOL, &[size, infinite]);
        self.instruction(Op::LogicalAnd, BOOL, &[above, below])
    }

    /// True if the device's `fma` rounds twice: (1 + 2^-12)² − (1 + 2^-11) is 2^-24 only before
    /// rounding.
    pub(super) fn rounds_twice(&mut self) -> Word {
        let number = 1.0 + f32::EPSILON * 2048.0;
        let hidden = [number, 1.0 - 2.0 * number].map(|number| self.num(number));
        let hidden = self.hidden_operands(&hidden);
        let found = self.fma(NUM, &[hidden[0], hidden[0], hidden[1]]);
        let expected = self.num(HALF_UNIT);
        self.instruction(Op::FUnordNotEqual, BOOL, &[found, expected])
    }

    fn num(&mut self, number: f32) -> Word {
        self.declarations.constant(NUM, &[number.to_bits()])
    }
}
