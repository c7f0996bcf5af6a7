//! Expressions, places, and calls.

use super::numbers::convert;
use super::statement::Flow;
use super::{Invocation, Stop, Words, arithmetic, construct, undefined};
use crate::builtins::Builtin;
use crate::program::{Binary, Direction, Expr, Kind, Type, Unary, VariableId};

/// A place that can be changed: words of a variable.
pub(super) struct Place {
    variable: VariableId,
    offsets: Vec<usize>,
}

impl Invocation<'_> {
    pub(super) fn size(&self, ty: &Type) -> usize {
        ty.size(&self.program.structures)
    }

    /// The positions of a part within a value, by its access, whose index is evaluated.
    fn part(&mut self, access: &Expr, base: &Type) -> Result<Vec<usize>, Stop> {
        Ok(match &access.kind {
            Kind::Field(_, field) => {
                let Type::Structure(number) = base else { unreachable!("it has fields") };
                let fields = &self.program.structures[*number].fields;
                let start: usize = fields[..*field].iter().map(|(_, ty)| self.size(ty)).sum();
                (start..start + self.size(&access.ty)).collect()
            }
            Kind::Swizzle(_, components, _) => {
                components.iter().copied().map(usize::from).collect()
            }
            Kind::Index(_, index) => {
                let word = self.value(index)?[0];
                let (_, count) = base.indexed().expect("it has parts");
                let is_negative = index.ty == Type::INT && (word as i32) < 0;
                let number = if is_negative { 0 } else { (word as usize).min(count - 1) };
                if is_negative || word as usize >= count {
                    self.met.extend([("[]", "an index outside")]);
                }
                let size = self.size(&access.ty);
                (number * size..(number + 1) * size).collect()
            }
            _ => unreachable!("it is an access"),
        })
    }

    /// Evaluates an expression whose value nobody wants: a variable, or its components, are not read.
    pub(super) fn dropped(&mut self, of: &Expr) -> Result<(), Stop> {
        match &of.kind {
            Kind::Variable(_) => Ok(()),
            Kind::Field(base, _) | Kind::Swizzle(base, ..) => self.dropped(base),
            _ => self.value(of).map(drop),
        }
    }

    /// The place that an expression names.
    pub(super) fn place(&mut self, of: &Expr) -> Result<Place, Stop> {
        match &of.kind {
            Kind::Variable(variable) => {
                Ok(Place { variable: *variable, offsets: (0..self.size(&of.ty)).collect() })
            }
            Kind::Field(base, _) | Kind::Index(base, _) | Kind::Swizzle(base, ..) => {
                let place = self.place(base)?;
                let part = self.part(of, &base.ty)?;
                let offsets = part.into_iter().map(|k| place.offsets[k]).collect();
                Ok(Place { variable: place.variable, offsets })
            }
            _ => Err(Stop::Fault(format!("no place: {of:?}"))),
        }
    }

    pub(super) fn read(&mut self, place: &Place) -> Result<Words, Stop> {
        if place.variable == self.program.output && !self.is_output_set {
            self.met.insert(undefined::UNWRITTEN);
        }
        let words = &self.memory[place.variable];
        if words.is_empty() {
            let name = &self.program.variables[place.variable].name;
            return Err(Stop::Fault(format!("`{name}` is read before it is set")));
        }
        Ok(place.offsets.iter().map(|&offset| words[offset]).collect())
    }

    pub(super) fn write(&mut self, place: &Place, value: &[u32]) {
        self.is_output_set |= place.variable == self.program.output;
        let words = &mut self.memory[place.variable];
        if words.is_empty() {
            // Parts that are never set are zero (`docs/spirv.md`).
            let ty = &self.program.variables[place.variable].ty;
            words.resize(ty.size(&self.program.structures), 0);
        }
        for (&offset, &word) in place.offsets.iter().zip(value) {
            words[offset] = word;
        }
        self.history.values.push((place.variable, words.clone()));
    }

    /// The value of an expression, with its effects.
    pub(super) fn value(&mut self, of: &Expr) -> Result<Words, Stop> {
        self.step()?;
        match &of.kind {
            Kind::Literal(word) => Ok(vec![*word]),
            Kind::Variable(_) => {
                let place = self.place(of)?;
                self.read(&place)
            }
            Kind::Field(base, _) | Kind::Index(base, _) | Kind::Swizzle(base, ..) => {
                let value = self.value(base)?;
                let part = self.part(of, &base.ty)?;
                Ok(part.into_iter().map(|k| value[k]).collect())
            }
            Kind::Length(array) => {
                let (_, count) = array.ty.indexed().expect("an array has elements");
                Ok(vec![count as u32])
            }
            Kind::Unary(op, a) => {
                let scalar = a.ty.scalar().expect("operands have components");
                let words = self.value(a)?;
                Ok(words.into_iter().map(|word| arithmetic::unary(*op, scalar, word)).collect())
            }
            Kind::Step { target, is_prefix, is_decrement } => {
                let place = self.place(target)?;
                let old = self.read(&place)?;
                let scalar = target.ty.scalar().expect("operands have components");
                let step = |&word: &u32| arithmetic::stepped(scalar, word, *is_decrement);
                let new: Words = old.iter().map(step).collect();
                self.write(&place, &new);
                Ok(if *is_prefix { new } else { old })
            }
            Kind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let first = self.value(a)?;
                match (first[0] != 0) == (*op == Binary::Or) {
                    true => Ok(first),
                    false => self.value(b),
                }
            }
            Kind::Binary(op, a, b) => {
                let first = self.value(a)?;
                let second = self.value(b)?;
                Ok(self.binary(*op, (&a.ty, &first), (&b.ty, &second)))
            }
            Kind::Assign(op, target, value) => {
                let place = self.place(target)?;
                let mut words = self.value(value)?;
                if let Some(op) = op {
                    let old = self.read(&place)?;
                    words = self.binary(*op, (&target.ty, &old), (&value.ty, &words));
                }
                self.write(&place, &words);
                Ok(words)
            }
            Kind::Conditional(condition, yes, no) => match self.value(condition)?[0] {
                0 => self.value(no),
                _ => self.value(yes),
            },
            Kind::Comma(a, b) => {
                self.dropped(a)?;
                self.value(b)
            }
            Kind::Construct(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.push(self.value(part)?);
                }
                if let Some(to) = of.ty.scalar() {
                    // Surplus components are not converted.
                    let mut left = match (&of.ty, &parts[..]) {
                        (Type::Matrix(..), [_]) => usize::MAX,
                        _ => self.size(&of.ty),
                    };
                    for (part, value) in parts.iter().zip(&values) {
                        let from = part.ty.scalar().expect("components");
                        let taken = &value[..value.len().min(left)];
                        self.met.extend(undefined::of_conversion(from, to, taken));
                        left -= taken.len();
                    }
                }
                Ok(construct::construct(&of.ty, parts, values))
            }
            Kind::Convert(a) => {
                let (from, to) = (a.ty.scalar(), of.ty.scalar());
                let (from, to) = (from.expect("components"), to.expect("components"));
                let words = self.value(a)?;
                self.met.extend(undefined::of_conversion(from, to, &words));
                Ok(words.into_iter().map(|word| convert(from, to, word)).collect())
            }
            Kind::Builtin(builtin, arguments) => self.call_builtin(*builtin, of, arguments),
            Kind::Call(function, arguments) => self.call(*function, arguments),
            Kind::Macro(_, _, expansion) => self.value(expansion),
            Kind::Parameter(_) => Err(Stop::Fault("a parameter outside its macro".into())),
        }
    }

    fn binary(&mut self, op: Binary, a: (&Type, &[u32]), b: (&Type, &[u32])) -> Words {
        match op {
            Binary::Equal | Binary::NotEqual => {
                let kinds = a.0.components(&self.program.structures);
                let is_equal = arithmetic::all_equal(&kinds, a.1, b.1);
                vec![u32::from(is_equal == (op == Binary::Equal))]
            }
            _ => {
                self.met.extend(undefined::of_operator(op, a, b));
                arithmetic::binary(op, a, b)
            }
        }
    }

    /// A call: arguments from left to right; copies in; the body; copies out, in the order of parameters.
    fn call(&mut self, function: usize, arguments: &[Expr]) -> Result<Words, Stop> {
        let program = self.program;
        let function = &program.functions[function];
        let mut values = Vec::new();
        for (argument, (_, direction)) in arguments.iter().zip(&function.parameters) {
            values.push(match direction.is_out() {
                true => (Some(self.place(argument)?), Vec::new()),
                false => (None, self.value(argument)?),
            });
        }
        for ((place, value), &(variable, direction)) in values.iter_mut().zip(&function.parameters)
        {
            if let (Some(place), Direction::InOut) = (&place, direction) {
                *value = self.read(place)?;
            }
            let value = std::mem::take(value);
            self.set(variable, value);
        }
        let result = match self.statements(&function.body)? {
            Flow::Return(words) => words,
            _ if function.result == Type::Void => Vec::new(),
            _ => {
                let name = &function.name;
                return Err(Stop::Fault(format!("`{name}` ends without a result")));
            }
        };
        for ((place, _), &(variable, _)) in values.iter().zip(&function.parameters) {
            if let Some(place) = place {
                let words = self.memory[variable].clone();
                if words.is_empty() {
                    let name = &program.variables[variable].name;
                    return Err(Stop::Fault(format!("`{name}` is not set when its function ends")));
                }
                self.write(place, &words);
            }
        }
        Ok(result)
    }

    fn call_builtin(
        &mut self,
        builtin: Builtin,
        of: &Expr,
        arguments: &[Expr],
    ) -> Result<Words, Stop> {
        if builtin.is_derivative() {
            return self.derivative(builtin, &arguments[0]);
        }
        let count = builtin.first_out().unwrap_or(arguments.len());
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for (k, argument) in arguments.iter().enumerate() {
            match k < count {
                true => values.push(self.value(argument)?),
                false => places.push(self.place(argument)?),
            }
        }
        let types: Vec<&Type> = arguments.iter().map(|argument| &argument.ty).collect();
        self.met.extend(undefined::of_builtin(builtin, &types[..count], &values));
        let mut results = super::builtins::call(builtin, &of.ty, &types[..count], &values);
        let outs = arguments[count..].iter().map(|argument| argument.ty.scalar());
        for ((place, words), to) in places.iter().zip(results.split_off(1)).zip(outs) {
            let from = builtin.out_scalar();
            let to = to.expect("it has components");
            self.met.extend(undefined::of_conversion(from, to, &words));
            let words: Words = words.iter().map(|&word| convert(from, to, word)).collect();
            self.write(place, &words);
        }
        Ok(results.remove(0))
    }

    fn derivative(&mut self, builtin: Builtin, of: &Expr) -> Result<Words, Stop> {
        let scalar = crate::program::Scalar::Float;
        self.history.is_partial |= of.any(&|of| matches!(of.kind, Kind::Call(..)));
        let mut along = |bit: usize| -> Result<Words, Stop> {
            let first = self.at_lane(self.lane & !bit, of)?;
            let second = self.at_lane(self.lane | bit, of)?;
            let difference = |(&a, &b)| super::numbers::sub(b, a);
            Ok(first.iter().zip(&second).map(difference).collect())
        };
        match builtin {
            Builtin::DFdx => along(1),
            Builtin::DFdy => along(2),
            _ => {
                let size =
                    |word: &u32| super::numbers::apply(lambdav_core::op::Op::Abs, scalar, &[*word]);
                let (x, y) = (along(1)?, along(2)?);
                let sum = |(a, b)| super::numbers::add(size(a), size(b));
                Ok(x.iter().zip(&y).map(sum).collect())
            }
        }
    }
}

impl Unary {
    /// The operator's text.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Not => "!",
            Self::BitNot => "~",
        }
    }
}
