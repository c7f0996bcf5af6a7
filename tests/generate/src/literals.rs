//! Leaves: numbers, pixel coordinates, constants of each type.

use crate::generator::{Generator, Stage};
use crate::table::{giving, type_name};
use crate::term::{Term, TermKind};
use lambdav_core::types::{Scalar, Type, TypeKind};
use lambdav_frontend::builtins::Builtin;

/// Ordinary numbers, then numbers at special cases of operations.
const NUMBERS: [&str; 36] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-2",
    "0.5",
    "-0.5",
    "0.25",
    "7",
    "10",
    "1.5",
    "-3.75",
    "0.1",
    "-0.3",
    "4",
    "6",
    "2.5",
    "1e-3",
    "100",
    "-0.0",
    "1e-40",
    "-1e-45",
    "1e-45",
    "1.17549435e-38",
    "3e38",
    "-3e38",
    "16777216",
    "16777217",
    "8388608.5",
    "2147483648",
    "4294967296",
    "0.99999994",
    "1.0000001",
    "3.1415927",
    "1e10",
];

/// Magnitudes of integers: ordinary ones and special cases.
const INTEGERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "12",
    "16",
    "31",
    "32",
    "33",
    "255",
    "65537",
    "0x55555555",
    "0x7f800000",
    "16777217",
    "0b1100",
    "747796405",
    "2147483647",
];

/// Quotients that are NaN or infinite, which have no literals.
const QUOTIENTS: [(&str, &str); 4] = [("0", "0"), ("1", "0"), ("-1", "0"), ("1", "-0.0")];

impl Generator<'_> {
    /// A number that is equal for all pixels.
    pub(crate) fn number(&mut self) -> Term {
        let num = TermKind::Value(Type::NUM);
        if self.random.percent(3)
            && let Some(quotient) = self.quotient()
        {
            return quotient;
        }
        if self.random.percent(4) {
            let name = *self.random.pick(&["pi", "tau"]);
            if self.scope.are_original(&[name]) {
                self.scope.used.extend(Builtin::lookup(name));
                return Term::atom(num, name);
            }
        }
        // Mostly ordinary numbers: the special ones turn most results into NaN.
        let end = if self.random.percent(75) { 20 } else { NUMBERS.len() };
        let at = self.random.below(end);
        Term::atom(num, NUMBERS[at])
    }

    /// A number that is NaN or infinite, unless `/` is hidden.
    pub(crate) fn quotient(&mut self) -> Option<Term> {
        if !self.scope.are_original(&["/"]) {
            return None;
        }
        let num = TermKind::Value(Type::NUM);
        let &(a, b) = self.random.pick(&QUOTIENTS);
        let (a, b) = (Term::atom(num.clone(), a), Term::atom(num.clone(), b));
        Some(Term::list(num, vec![Term::word("/"), a, b]))
    }

    /// An `int` or `uint` that often varies by pixel.
    fn integer(&mut self, ty: Type) -> Term {
        let kind = TermKind::Value(ty);
        let name = type_name(ty);
        if self.random.percent(35)
            && self.scope.are_original(&[name])
            && let Some(coordinate) = self.coordinate()
        {
            return Term::list(kind, vec![Term::word(name), coordinate]);
        }
        let magnitude = *self.random.pick(&INTEGERS);
        let text = match ty {
            Type::INT if self.random.percent(4) => "-2147483648i".to_owned(),
            Type::INT if self.random.percent(35) => format!("-{magnitude}i"),
            Type::INT => format!("{magnitude}i"),
            _ if self.random.percent(10) => format!("{}u", self.random.bits() as u32),
            _ => format!("{magnitude}u"),
        };
        Term::atom(kind, text)
    }

    /// The pixel's column or row, as it is (0.5 to 7.5) or scaled.
    pub(crate) fn coordinate(&mut self) -> Option<Term> {
        if self.constant || !self.scope.are_original(&["frag-coord", ".x", ".y", "*"]) {
            return None;
        }
        let num = TermKind::Value(Type::NUM);
        if !self.stage.has_pixels() {
            return self.variable(Type::NUM);
        }
        let axis = *self.random.pick(&[".x", ".y"]);
        let place = Term::list(TermKind::Value(Type::vec(4)), vec![Term::word("frag-coord")]);
        let plain = Term::list(num.clone(), vec![Term::word(axis), place]);
        if self.random.percent(60) {
            return Some(plain);
        }
        let factor = *self.random.pick(&["0.125", "0.3", "-1", "0.5", "1.7"]);
        Some(Term::list(num.clone(), vec![Term::word("*"), plain, Term::atom(num, factor)]))
    }

    /// A smallest term of that type.
    pub(crate) fn leaf(&mut self, ty: Type) -> Term {
        if let Some(variable) = self.variable(ty) {
            return match self.loop_depth > 0 && self.random.percent(50) {
                true => self.updated(ty, variable),
                false => variable,
            };
        }
        let kind = TermKind::Value(ty);
        let Some(builtin) = ty.builtin() else { return self.aggregate_leaf(ty) };
        match builtin {
            TypeKind::Scalar(Scalar::F32) => {
                if self.random.percent(55)
                    && let Some(term) = self.coordinate()
                {
                    return term;
                }
                self.number()
            }
            TypeKind::Scalar(Scalar::Bool) => self.comparison(),
            TypeKind::Scalar(Scalar::I32 | Scalar::U32) => self.integer(ty),
            TypeKind::Vector(scalar, n) => {
                if !self.constant && scalar == Scalar::F32 && self.random.percent(30) {
                    let inputs: Vec<Builtin> = giving(ty)
                        .iter()
                        .map(|e| e.builtin)
                        .filter(|of| of.arity() == (0, Some(0)) && self.fits_stage(*of))
                        .collect();
                    if !inputs.is_empty() {
                        let builtin = *self.random.pick(&inputs);
                        if let Some(name) = self.scope.builtin(builtin, self.random) {
                            return Term::list(kind, vec![Term::word(name)]);
                        }
                    }
                }
                let count = if self.random.percent(40) { 1 } else { n };
                let parts = (0..count).map(|_| self.leaf(Type::of(scalar, 1)));
                let parts: Vec<Term> = parts.collect();
                Term::list(kind, [vec![Term::word(type_name(ty))], parts].concat())
            }
            TypeKind::Matrix(..) => {
                let diagonal = self.leaf(Type::NUM);
                Term::list(kind, vec![Term::word(type_name(ty)), diagonal])
            }
            TypeKind::Structure(_)
            | TypeKind::Variant(_)
            | TypeKind::Array(..)
            | TypeKind::Resource(_) => {
                unreachable!("it is builtin")
            }
        }
    }

    /// A visible variable of that type, preferably a hot one.
    fn variable(&mut self, ty: Type) -> Option<Term> {
        let all = self.scope.variables(|kind| *kind == TermKind::Value(ty));
        let hot: Vec<_> = all.iter().filter(|(_, hot)| *hot).cloned().collect();
        let from = if !hot.is_empty() && self.random.percent(60) { hot } else { all };
        if from.is_empty() || self.random.percent(25) {
            return None;
        }
        Some(Term::atom(TermKind::Value(ty), self.random.pick(&from).0.clone()))
    }

    /// A `bool` that often varies by pixel.
    fn comparison(&mut self) -> Term {
        let bool = TermKind::Value(Type::BOOL);
        let name = *self.random.pick(&["less", "greater", "less-eq", ">=", "eq", "neq"]);
        if self.random.percent(6) || !self.scope.are_original(&[name]) {
            return Term::atom(bool, if self.random.percent(50) { "true" } else { "false" });
        }
        let left = self.leaf(Type::NUM);
        let right = if self.random.percent(60) {
            Term::atom(TermKind::Value(Type::NUM), self.random.between(1, 7).to_string())
        } else {
            self.leaf(Type::NUM)
        };
        Term::list(bool, vec![Term::word(name), left, right])
    }

    /// A comparison that often varies by pixel: of a coordinate or a variable with a number in the range of
    /// coordinates.
    pub(crate) fn pixels_decide(&mut self) -> Option<Term> {
        let name = *self.random.pick(&["less", "greater", "<=", ">="]);
        if !self.scope.are_original(&[name]) {
            return None;
        }
        let num = TermKind::Value(Type::NUM);
        let left = match self.random.percent(30) {
            true => self.variable(Type::NUM),
            false => None,
        };
        let left = match left {
            Some(variable) => variable,
            None => self.coordinate()?,
        };
        let right = match self.random.percent(80) {
            true => Term::atom(num, *self.random.pick(&["1", "2", "3", "4", "5", "2.5", "1.5"])),
            false => self.coordinate()?,
        };
        Some(Term::list(TermKind::Value(Type::BOOL), vec![Term::word(name), left, right]))
    }

    /// A condition that is false at every pixel.
    pub(crate) fn impossible(&mut self) -> Option<Term> {
        let bool = TermKind::Value(Type::BOOL);
        let (num, vec2) = (TermKind::Value(Type::NUM), TermKind::Value(Type::vec(2)));
        let has_pixels = self.stage != Stage::Pass;
        if self.constant
            || !has_pixels
            || !self.scope.are_original(&["<", ".x", "resolution", "frame", "/", "-"])
        {
            return None;
        }
        let width = Term::list(vec2, vec![Term::word("resolution")]);
        let width = Term::list(num.clone(), vec![Term::word(".x"), width]);
        let frame = Term::list(num.clone(), vec![Term::word("frame")]);
        let number = |text: &str| Term::atom(num.clone(), text);
        let zero = Term::list(num.clone(), vec![Term::word("-"), frame.clone(), frame.clone()]);
        let nan = Term::list(num.clone(), vec![Term::word("/"), number("0"), zero]);
        let [a, b] = match self.random.below(4) {
            0 => [width, number("1")],
            1 => [number("3"), frame],
            2 => [nan, self.leaf(Type::NUM)],
            _ => [self.coordinate()?, number("-1e6")],
        };
        Some(Term::list(bool, vec![Term::word("<"), a, b]))
    }
}
