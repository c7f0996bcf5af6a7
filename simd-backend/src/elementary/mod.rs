//! The elementary functions as straight-line code in the operations of the lane program.
//!
//! A [`Body`] computes in binary64 and ends in a *rounding test* (Ziv's): the result r lies within a
//! relative error ε of the true value, so if r(1−ε) and r(1+ε) round to the same binary32, that is the correctly
//! rounded value, subnormal or not. Where they do not, the lane is *undecided*, and the reference mathematics
//! computes it; so is a lane whose argument is beyond a body's range. Since the true value decides and not
//! the way to it, every emitter gives the same bits.
//!
//! The bounds ε are derived where they are used, with u = 2^-53, the relative error of one operation. They are
//! generous: an ε of 2^-46 leaves one lane in two million undecided.
//!
//! | module | functions |
//! |---|---|
//! | [`exponential`] | `exp exp2 sinh cosh tanh` |
//! | [`logarithm`] | `log log2 asinh acosh atanh` |
//! | [`trigonometric`] | `sin cos tan` |
//! | [`inverse`] | `asin acos atan atan2` |
//! | [`power`] | `pow` |

mod exponential;
mod inverse;
mod logarithm;
mod power;
mod trigonometric;

use std::collections::HashMap;

use lambdav_frontend::op::Elementary;

use crate::lanes::{Kind, Op};

/// A value of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct V(pub u32);

/// How a value of a [`Body`] comes about.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// That operand of the function.
    Operand(usize),
    /// These bits.
    Constant(u64),
    /// An operation.
    Op(Op, Vec<V>),
}

/// A function as straight-line code.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The values in order, each with its kind.
    pub steps: Vec<(Kind, Step)>,
    /// The result, an `F32`.
    pub result: V,
    /// The lanes in which the result is not to be used, a mask.
    pub undecided: V,
}

/// The body of a function.
pub fn body(function: Elementary) -> Body {
    let mut b = Builder::new(function.arity());
    match function {
        Elementary::Exp => exponential::exp(&mut b),
        Elementary::Exp2 => exponential::exp2(&mut b),
        Elementary::Sinh => exponential::sinh(&mut b),
        Elementary::Cosh => exponential::cosh(&mut b),
        Elementary::Tanh => exponential::tanh(&mut b),
        Elementary::Log => logarithm::log(&mut b),
        Elementary::Log2 => logarithm::log2(&mut b),
        Elementary::Asinh => logarithm::asinh(&mut b),
        Elementary::Acosh => logarithm::acosh(&mut b),
        Elementary::Atanh => logarithm::atanh(&mut b),
        Elementary::Sin => trigonometric::sin(&mut b),
        Elementary::Cos => trigonometric::cos(&mut b),
        Elementary::Tan => trigonometric::tan(&mut b),
        Elementary::Asin => inverse::asin(&mut b),
        Elementary::Acos => inverse::acos(&mut b),
        Elementary::Atan => inverse::atan(&mut b),
        Elementary::Atan2 => inverse::atan2(&mut b),
        Elementary::Pow => power::pow(&mut b),
    };
    b.finish()
}

/// 1.5·2^52: added to a number below 2^51, it rounds that to an integer, which then is the difference of the bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// Makes a body, value by value. Equal constants are one.
struct Builder {
    steps: Vec<(Kind, Step)>,
    constants: HashMap<(Kind, u64), V>,
    end: Option<(V, V)>,
}

impl Builder {
    fn new(arity: usize) -> Self {
        let steps = (0..arity).map(|i| (Kind::F32, Step::Operand(i))).collect();
        Self { steps, constants: HashMap::new(), end: None }
    }

    fn finish(self) -> Body {
        let (result, undecided) = self.end.expect("each body ends in a rounding test");
        Body { steps: self.steps, result, undecided }
    }

    fn push(&mut self, kind: Kind, step: Step) -> V {
        self.steps.push((kind, step));
        V(self.steps.len() as u32 - 1)
    }

    fn bits(&mut self, kind: Kind, bits: u64) -> V {
        if let Some(&known) = self.constants.get(&(kind, bits)) {
            return known;
        }
        let value = self.push(kind, Step::Constant(bits));
        self.constants.insert((kind, bits), value);
        value
    }

    fn op(&mut self, op: Op, operands: &[V]) -> V {
        let kinds: Vec<Kind> = operands.iter().map(|v| self.steps[v.0 as usize].0).collect();
        let kind = op.result(&kinds).expect("the operation is defined on these kinds");
        self.push(kind, Step::Op(op, operands.to_vec()))
    }

    /// An operand in binary64, exactly.
    fn operand(&mut self, index: u32) -> V {
        self.op(Op::Promote, &[V(index)])
    }

    /// A constant of binary64.
    fn c(&mut self, value: f64) -> V {
        self.bits(Kind::F64, value.to_bits())
    }

    /// A constant of 64 bits.
    fn i(&mut self, value: u64) -> V {
        self.bits(Kind::I64, value)
    }

    fn add(&mut self, a: V, b: V) -> V {
        self.op(Op::Add, &[a, b])
    }

    fn sub(&mut self, a: V, b: V) -> V {
        self.op(Op::Sub, &[a, b])
    }

    fn mul(&mut self, a: V, b: V) -> V {
        self.op(Op::Mul, &[a, b])
    }

    fn div(&mut self, a: V, b: V) -> V {
        self.op(Op::Div, &[a, b])
    }

    fn sqrt(&mut self, a: V) -> V {
        self.op(Op::Sqrt, &[a])
    }

    fn abs(&mut self, a: V) -> V {
        self.op(Op::Abs, &[a])
    }

    /// `b` where `b < a`, else `a`: NaN stays NaN.
    fn min(&mut self, a: V, b: V) -> V {
        self.op(Op::Min, &[a, b])
    }

    fn max(&mut self, a: V, b: V) -> V {
        self.op(Op::Max, &[a, b])
    }

    fn less(&mut self, a: V, b: V) -> V {
        self.op(Op::Less, &[a, b])
    }

    fn equal(&mut self, a: V, b: V) -> V {
        self.op(Op::Equal, &[a, b])
    }

    fn and(&mut self, a: V, b: V) -> V {
        self.op(Op::And, &[a, b])
    }

    fn or(&mut self, a: V, b: V) -> V {
        self.op(Op::Or, &[a, b])
    }

    fn select(&mut self, c: V, a: V, b: V) -> V {
        self.op(Op::Select, &[c, a, b])
    }

    /// The bits of a number.
    fn bits_of(&mut self, a: V) -> V {
        self.op(Op::Bits, &[a])
    }

    /// The number of these bits.
    fn number_of(&mut self, a: V) -> V {
        self.op(Op::Bits, &[a])
    }

    fn shift_left(&mut self, a: V, n: u8) -> V {
        self.op(Op::ShiftLeft(n), &[a])
    }

    fn shift_right(&mut self, a: V, n: u8) -> V {
        self.op(Op::ShiftRight(n), &[a])
    }

    /// c₀ + x(c₁ + x(c₂ + …)), by Horner's rule.
    fn polynomial(&mut self, x: V, coefficients: &[f64]) -> V {
        let mut rest = coefficients.iter().rev();
        let mut sum = self.c(*rest.next().expect("a polynomial has coefficients"));
        for &coefficient in rest {
            let c = self.c(coefficient);
            let product = self.mul(sum, x);
            sum = self.add(c, product);
        }
        sum
    }

    /// The sign bit of a number, all other bits zero.
    fn sign_of(&mut self, a: V) -> V {
        let bits = self.bits_of(a);
        let sign = self.i(1 << 63);
        self.and(bits, sign)
    }

    /// A number that is not negative, with a sign bit put to it.
    fn with_sign(&mut self, a: V, sign: V) -> V {
        let bits = self.bits_of(a);
        let bits = self.or(bits, sign);
        self.number_of(bits)
    }

    /// A number with its sign flipped where that sign bit is set.
    fn flip(&mut self, a: V, sign: V) -> V {
        // Adding the highest bit flips it.
        let bits = self.bits_of(a);
        let bits = self.add(bits, sign);
        self.number_of(bits)
    }

    /// Ends the body: `r` lies within a relative error of 2^`exponent` of the true value, or is it.
    fn round(&mut self, r: V, exponent: i32) {
        let epsilon = f64::from(exponent).exp2();
        let (below, above) = (self.c(1.0 - epsilon), self.c(1.0 + epsilon));
        let [low, high] = [below, above].map(|c| {
            let bound = self.mul(r, c);
            self.op(Op::Demote, &[bound])
        });
        // Bits, so that a NaN is like itself.
        let [a, b] = [low, high].map(|v| self.op(Op::Bits, &[v]));
        let undecided = self.op(Op::NotEqual, &[a, b]);
        self.end = Some((low, undecided));
    }

    /// After [`Builder::round`]: these lanes are undecided too.
    fn refuse(&mut self, mask: V) {
        let (result, undecided) = self.end.expect("a rounding test comes before");
        let undecided = self.or(undecided, mask);
        self.end = Some((result, undecided));
    }
}
