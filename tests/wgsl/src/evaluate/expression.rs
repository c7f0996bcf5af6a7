//! Expressions, places, and calls.

use super::operations::{binary, operation, part};
use super::statement::Flow;
use super::{Invocation, Place, Words, undefined};
use crate::builtins::Builtin;
use crate::program::{Binary, Expr, Kind, Stage, Type};
use lambdav_core::op::Op;
use lambdav_glsl_tests::evaluate::numbers;

impl Invocation<'_> {
    /// The place that an expression names. Its indices are evaluated.
    pub(super) fn place(&mut self, of: &Expr) -> Result<Place, String> {
        match &of.kind {
            Kind::Variable(variable) => {
                let size = of.ty.size(&self.program.structures);
                Ok(Place { variable: *variable, offsets: (0..size).collect() })
            }
            Kind::Deref(pointer) => {
                let name = &self.program.variables[*pointer].name;
                let place = self.memory.pointers[*pointer].clone();
                place.ok_or_else(|| format!("`{name}` is used before it is set"))
            }
            Kind::Field(base, _) | Kind::Swizzle(base, ..) => {
                let place = self.place(base)?;
                Ok(place.part(&part(self.program, of, 0)))
            }
            Kind::Index(base, index) => {
                let place = self.place(base)?;
                let word = self.value(index)?[0];
                self.met.extend(undefined::outside(base, index, word));
                Ok(place.part(&part(self.program, of, word)))
            }
            _ => Err(format!("no place: {of:?}")),
        }
    }

    pub(super) fn read(&self, place: &Place) -> Result<Words, String> {
        let words = &self.memory.words[place.variable];
        if words.is_empty() {
            let name = &self.program.variables[place.variable].name;
            return Err(format!("`{name}` is read before it is declared"));
        }
        Ok(place.offsets.iter().map(|&offset| words[offset]).collect())
    }

    pub(super) fn write(&mut self, place: &Place, value: &[u32]) -> Result<(), String> {
        let words = &mut self.memory.words[place.variable];
        if words.is_empty() {
            let name = &self.program.variables[place.variable].name;
            return Err(format!("`{name}` is changed before it is declared"));
        }
        for (&offset, &word) in place.offsets.iter().zip(value) {
            words[offset] = word;
        }
        self.history.values.push((place.variable, words.clone()));
        Ok(())
    }

    /// The value of an expression, with its effects.
    pub(super) fn value(&mut self, of: &Expr) -> Result<Words, String> {
        self.step()?;
        if matches!(of.kind, Kind::Variable(_)) || self.program.is_place(of) {
            let place = self.place(of)?;
            return self.read(&place);
        }
        match &of.kind {
            Kind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let first = self.value(a)?;
                match (first[0] != 0) == (*op == Binary::Or) {
                    true => Ok(first),
                    false => self.value(b),
                }
            }
            Kind::Call(function, arguments) => self.call(*function, arguments),
            Kind::Builtin(builtin, arguments) if builtin.is_derivative() => {
                self.derivative(*builtin, &arguments[0])
            }
            _ => {
                let mut values = Vec::new();
                for operand in of.operands() {
                    values.push(self.value(operand)?);
                }
                // Compilers evaluate other expressions.
                if of.stage == Stage::Run {
                    self.met.extend(undefined::operation(of, &values));
                }
                let value = operation(self.program, of, &values);
                value.ok_or_else(|| format!("it has no value: {of:?}"))
            }
        }
    }

    pub(super) fn compound(
        &mut self,
        op: Binary,
        target: (&Type, &[u32]),
        value: (&Type, &[u32]),
    ) -> Words {
        self.met.extend(undefined::operator(op, target, value));
        binary(op, target, value)
    }

    /// A call: arguments from left to right, then the body.
    fn call(&mut self, function: usize, arguments: &[Expr]) -> Result<Words, String> {
        let function = &self.program.functions[function];
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match &argument.kind {
                Kind::AddressOf(place) => (Some(self.place(place)?), Vec::new()),
                _ => (None, self.value(argument)?),
            });
        }
        for (&parameter, (place, words)) in function.parameters.iter().zip(given) {
            self.history.values.push((parameter, words.clone()));
            self.memory.words[parameter] = words;
            self.memory.pointers[parameter] = place;
        }
        match self.statements(&function.body)? {
            Flow::Return(words) => Ok(words),
            _ if function.result == Type::Void => Ok(Vec::new()),
            _ => Err(format!("`{}` ends without a result", function.name)),
        }
    }

    fn derivative(&mut self, builtin: Builtin, of: &Expr) -> Result<Words, String> {
        self.history.is_partial |= of.any(&|of| matches!(of.kind, Kind::Call(..)));
        let mut along = |bit: usize| -> Result<Words, String> {
            let first = self.at_lane(self.lane & !bit, of)?;
            let second = self.at_lane(self.lane | bit, of)?;
            Ok(first.iter().zip(&second).map(|(&a, &b)| numbers::sub(b, a)).collect())
        };
        match builtin {
            Builtin::Dpdx | Builtin::DpdxFine | Builtin::DpdxCoarse => along(1),
            Builtin::Dpdy | Builtin::DpdyFine | Builtin::DpdyCoarse => along(2),
            _ => {
                let (x, y) = (along(1)?, along(2)?);
                let size = |word: u32| numbers::float(Op::Abs, &[word]);
                let sum = |(&a, &b)| numbers::add(size(a), size(b));
                Ok(x.iter().zip(&y).map(sum).collect())
            }
        }
    }
}

impl Place {
    /// A part of this place.
    fn part(&self, positions: &[usize]) -> Self {
        let offsets = positions.iter().map(|&k| self.offsets[k]).collect();
        Self { variable: self.variable, offsets }
    }
}
