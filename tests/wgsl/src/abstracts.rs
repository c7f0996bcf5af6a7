//! Expressions of abstract numbers: integers of 64 bits that must not overflow, and binary64.

use lambdav_glsl_tests::program::{Binary, Scalar};

/// A function of abstract numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the function of its name")]
pub enum Function {
    Min,
    Max,
    Abs,
    Floor,
    Sqrt,
}

impl Function {
    /// The name in the text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Abs => "abs",
            Self::Floor => "floor",
            Self::Sqrt => "sqrt",
        }
    }
}

/// An expression of abstract numbers.
#[derive(Clone, Debug)]
pub enum Abstract {
    /// A literal that is not negative.
    Int(i64),
    /// A literal that is not negative.
    Float(f64),
    /// A constant of the module, with its value.
    Constant(String, Number),
    /// `-`.
    Negate(Box<Self>),
    /// `~`.
    Complement(Box<Self>),
    /// An operator of two operands.
    Binary(Binary, Box<Self>, Box<Self>),
    /// A function.
    Call(Function, Vec<Self>),
}

/// An abstract number.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each is the number of its name")]
pub enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// The word of a concrete type. `None` if the type lacks the number.
    pub fn word(self, scalar: Scalar) -> Option<u32> {
        match (scalar, self) {
            (Scalar::Int, Self::Int(value)) => i32::try_from(value).ok().map(|value| value as u32),
            (Scalar::Uint, Self::Int(value)) => u32::try_from(value).ok(),
            (Scalar::Float, Self::Int(value)) => Some((value as f32).to_bits()),
            (Scalar::Float, Self::Float(value)) => {
                let value = value as f32;
                value.is_finite().then(|| value.to_bits())
            }
            _ => None,
        }
    }
}

/// Both operands as numbers of one kind.
enum Pair {
    Ints(i64, i64),
    Floats(f64, f64),
}

fn pair(a: Number, b: Number) -> Pair {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Pair::Ints(a, b),
        (a, b) => Pair::Floats(a.float(), b.float()),
    }
}

/// A comparison.
pub fn compare(op: Binary, a: Number, b: Number) -> bool {
    fn of<T: PartialOrd>(op: Binary, a: T, b: T) -> bool {
        match op {
            Binary::Less => a < b,
            Binary::Greater => a > b,
            Binary::LessEqual => a <= b,
            Binary::GreaterEqual => a >= b,
            Binary::Equal => a == b,
            _ => a != b,
        }
    }
    match pair(a, b) {
        Pair::Ints(a, b) => of(op, a, b),
        Pair::Floats(a, b) => of(op, a, b),
    }
}

impl Abstract {
    /// The value. `None` if the expression is an error.
    pub fn value(&self) -> Option<Number> {
        match self {
            Self::Int(value) => Some(Number::Int(*value)),
            Self::Float(value) => Some(Number::Float(*value)),
            Self::Constant(_, value) => Some(*value),
            Self::Negate(a) => match a.value()? {
                Number::Int(value) => value.checked_neg().map(Number::Int),
                Number::Float(value) => Some(Number::Float(-value)),
            },
            Self::Complement(a) => match a.value()? {
                Number::Int(value) => Some(Number::Int(!value)),
                Number::Float(_) => None,
            },
            Self::Binary(op @ (Binary::ShiftLeft | Binary::ShiftRight), a, b) => {
                let (Number::Int(a), Number::Int(b)) = (a.value()?, b.value()?) else {
                    return None;
                };
                let b = u32::try_from(b).ok().filter(|&b| b < 63)?;
                match op {
                    Binary::ShiftRight => Some(Number::Int(a >> b)),
                    _ => ((a << b) >> b == a).then_some(Number::Int(a << b)),
                }
            }
            Self::Binary(op, a, b) => match pair(a.value()?, b.value()?) {
                Pair::Ints(a, b) => Self::integers(*op, a, b).map(Number::Int),
                Pair::Floats(a, b) => Self::floats(*op, a, b).map(Number::Float),
            },
            Self::Call(function, all) => Self::call(*function, all),
        }
    }

    fn integers(op: Binary, a: i64, b: i64) -> Option<i64> {
        match op {
            Binary::Add => a.checked_add(b),
            Binary::Sub => a.checked_sub(b),
            Binary::Mul => a.checked_mul(b),
            Binary::Div => a.checked_div(b),
            Binary::Rem => a.checked_rem(b),
            Binary::BitAnd => Some(a & b),
            Binary::BitOr => Some(a | b),
            Binary::BitXor => Some(a ^ b),
            _ => None,
        }
    }

    fn floats(op: Binary, a: f64, b: f64) -> Option<f64> {
        let value = match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            _ => return None,
        };
        value.is_finite().then_some(value)
    }

    fn call(function: Function, all: &[Self]) -> Option<Number> {
        let a = all[0].value()?;
        let b = all.get(1).map_or(Some(a), Self::value)?;
        let float = |value: f64| value.is_finite().then_some(Number::Float(value));
        match (function, pair(a, b)) {
            (Function::Min, Pair::Ints(a, b)) => Some(Number::Int(a.min(b))),
            (Function::Max, Pair::Ints(a, b)) => Some(Number::Int(a.max(b))),
            (Function::Abs, Pair::Ints(a, _)) => a.checked_abs().map(Number::Int),
            (Function::Min, Pair::Floats(a, b)) => float(if b < a { b } else { a }),
            (Function::Max, Pair::Floats(a, b)) => float(if a < b { b } else { a }),
            (Function::Abs, Pair::Floats(a, _)) => float(a.abs()),
            (Function::Floor, _) => float(a.float().floor()),
            (Function::Sqrt, _) => float(a.float().sqrt()),
        }
    }

    /// True if the number is an integer.
    pub fn is_int(&self) -> bool {
        matches!(self.value(), Some(Number::Int(_)))
    }
}
