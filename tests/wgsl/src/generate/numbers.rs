//! Literals, constants and abstract numbers.

use super::Generator;
use crate::abstracts::{Abstract, Function, Number};
use crate::program::{Binary, Expr, Kind, Scalar, Type};

const FLOATS: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    3.0,
    -2.5,
    0.1,
    0.3,
    7.75,
    10.0,
    100.0,
    -33.0,
    1e-3,
    1e5,
    1e10,
    -1e20,
    3e38,
    1e-38,
    1e-42,
    0.999_999_94,
    1.000_000_1,
    16_777_216.0,
];

impl Generator {
    /// The word of a literal.
    pub(super) fn word(&mut self, scalar: Scalar) -> u32 {
        let is_usual = self.random.percent(75);
        match scalar {
            Scalar::Bool => self.random.below(2) as u32,
            Scalar::Int if is_usual => (self.random.below(14) as i32 - 4) as u32,
            Scalar::Uint if is_usual => self.random.below(12) as u32,
            Scalar::Int | Scalar::Uint => match self.random.below(6) {
                0 => 1 << self.random.below(32),
                1 => (1 << self.random.below(32)) - 1,
                2 => u32::MAX,
                3 => i32::MAX as u32,
                4 => self.random.below(1000) as u32,
                _ => self.random.bits() as u32,
            },
            Scalar::Float if is_usual => (self.random.below(33) as f32 / 4.0 - 4.0).to_bits(),
            Scalar::Float => match self.random.below(4) {
                0 => {
                    let word = self.random.bits() as u32;
                    if f32::from_bits(word).is_finite() { word } else { 0x3fc0_0000 }
                }
                _ => self.random.pick(&FLOATS).to_bits(),
            },
        }
    }

    pub(super) fn uniform_word(&mut self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Float => (self.random.below(200) as f32 / 8.0 - 10.0).to_bits(),
            Scalar::Int => (self.random.below(40) as i32 - 10) as u32,
            _ => self.random.below(40) as u32,
        }
    }

    /// A value of a type that depends on nothing.
    pub(super) fn constant(&mut self, ty: &Type) -> Expr {
        if let Type::Scalar(scalar) = *ty {
            if scalar != Scalar::Bool
                && self.random.percent(15)
                && let Some(found) = self.of_abstract(scalar)
            {
                return found;
            }
            let word = self.word(scalar);
            return Expr::literal(scalar, word);
        }
        let parts = match ty {
            _ if self.random.percent(10) => Vec::new(),
            Type::Vector(scalar, width) => {
                let count = if self.random.percent(25) { 1 } else { *width };
                (0..count).map(|_| self.constant(&Type::Scalar(*scalar))).collect()
            }
            Type::Structure(number) => {
                let fields = self.program.structures[*number].fields.clone();
                fields.iter().map(|(_, ty)| self.constant(ty)).collect()
            }
            ty => {
                let (part, count) = ty.indexed().expect("it has parts");
                (0..count).map(|_| self.constant(&part)).collect()
            }
        };
        let found = self.finish(ty, Kind::Construct(parts));
        found.expect("a composite of constants has a value")
    }

    /// A number that is computed without a type.
    pub(super) fn of_abstract(&mut self, scalar: Scalar) -> Option<Expr> {
        let is_int = scalar != Scalar::Float || self.random.percent(30);
        let number = self.abstract_number(is_int, 3);
        number.value()?.word(scalar)?;
        self.finish(&Type::Scalar(scalar), Kind::Abstract(number))
    }

    /// A comparison of numbers without a type.
    pub(super) fn compare_abstracts(&mut self) -> Option<Expr> {
        let is_int = self.random.percent(50);
        let [a, b] = [0, 1].map(|_| self.abstract_number(is_int, 2));
        let op = self.relation();
        self.finish(&Type::BOOL, Kind::Compare(op, a, b))
    }

    /// An abstract number with a value.
    pub(super) fn abstract_number(&mut self, is_int: bool, depth: u32) -> Abstract {
        for _ in 0..4 {
            let found = self.try_abstract(is_int, depth);
            let is_small = |value: Number| match value {
                Number::Int(value) => value.unsigned_abs() < 1 << 50,
                Number::Float(value) => value.abs() < 1e30,
            };
            if found.value().is_some_and(is_small) && found.is_int() == is_int {
                return found;
            }
        }
        if is_int { Abstract::Int(3) } else { Abstract::Float(0.25) }
    }

    fn try_abstract(&mut self, is_int: bool, depth: u32) -> Abstract {
        if depth == 0 || self.random.percent(25) {
            let named: Vec<(String, Abstract)> = self
                .program
                .abstracts
                .iter()
                .filter(|(_, value)| value.is_int() == is_int)
                .cloned()
                .collect();
            if !named.is_empty() && self.random.percent(40) {
                let (name, value) = self.random.pick(&named);
                return Abstract::Constant(name.clone(), value.value().expect("it has a value"));
            }
            return match is_int {
                true if self.random.percent(80) => Abstract::Int(self.random.below(100) as i64),
                true => Abstract::Int(self.random.below(1 << 40) as i64),
                false => Abstract::Float(self.random.below(1000) as f64 / 8.0),
            };
        }
        let a = Box::new(self.abstract_number(is_int, depth - 1));
        // An integer beside a float converts.
        let other = is_int || self.random.percent(30);
        let b = Box::new(self.abstract_number(other, depth - 1));
        let call = |function, all: Vec<Abstract>| Abstract::Call(function, all);
        match (is_int, self.random.below(10)) {
            (_, 0) => Abstract::Negate(a),
            (_, 1) => call(Function::Min, vec![*a, *b]),
            (_, 2) => call(Function::Max, vec![*b, *a]),
            (_, 3) => call(Function::Abs, vec![*a]),
            (true, 4) => Abstract::Complement(a),
            (true, 5) => {
                let count = Box::new(Abstract::Int(self.random.below(20) as i64));
                let op = *self.random.pick(&[Binary::ShiftLeft, Binary::ShiftRight]);
                Abstract::Binary(op, a, count)
            }
            (true, 6..8) => {
                let ops = [Binary::BitAnd, Binary::BitOr, Binary::BitXor, Binary::Rem];
                let op = *self.random.pick(&ops);
                Abstract::Binary(op, a, b)
            }
            (false, 4) => call(Function::Floor, vec![*a]),
            (false, 5) => call(Function::Sqrt, vec![*a]),
            _ => {
                let op = *self.random.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Div]);
                Abstract::Binary(op, a, b)
            }
        }
    }
}
