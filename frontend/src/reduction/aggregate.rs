//! Structures, variants and arrays at run time, independent of the core's layout.

use super::operate::Data;
use super::program::SourceResult;
use super::shape::Shape;
use super::term::{Aggregate, AggregateKind, Part, Parts};
use super::text::Primitive;
use lambdav_core::resource::Bound;
use lambdav_core::types::{Type, TypeKind, Types};
use std::rc::Rc;

impl Shape {
    /// The words of a value of this shape; `None` for other values.
    pub(super) fn words(&self, part: &Part, words: &mut Vec<u32>) -> Option<()> {
        match (self, part) {
            (Self::Builtin(ty), Part::Data(data)) if data.ty == *ty => words.extend(&data.words),
            (Self::Structure(constructor, fields, _), Part::Aggregate(value)) => {
                let AggregateKind::Made(made) = &value.kind else { return None };
                if made != constructor || value.parts.len() != fields.len() {
                    return None;
                }
                let mut all = fields.iter().zip(value.parts.iter());
                all.try_for_each(|(field, part)| field.words(&part, words))?;
            }
            (Self::Array(count, element), Part::Aggregate(value)) => {
                if !matches!(value.kind, AggregateKind::Array)
                    || value.parts.len() != *count as usize
                {
                    return None;
                }
                value.parts.iter().try_for_each(|part| element.words(&part, words))?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// True if two parts have the same type, as far as they have types; arrays and structures are compared only
/// by kind.
fn of_one_type(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Data(a), Part::Data(b)) => a.ty == b.ty,
        (Part::Aggregate(a), Part::Aggregate(b)) => match (&a.kind, &b.kind) {
            (AggregateKind::Made(a), AggregateKind::Made(b)) => a.declaration == b.declaration,
            (AggregateKind::Array, AggregateKind::Array) => a.parts.len() == b.parts.len(),
            _ => false,
        },
        _ => false,
    }
}

/// The buffers of a program.
pub(super) struct Buffers<'a> {
    pub(super) types: &'a Types,
    /// The shapes of their elements, by index of the resource.
    pub(super) elements: &'a [Option<Shape>],
    pub(super) bound: &'a [Bound],
    /// The buffers that passes write.
    pub(super) results: &'a [SourceResult],
}

impl Buffers<'_> {
    /// The number of elements that passes appended to a buffer; none if no pass appends to it.
    fn count(&self, number: usize) -> Option<u32> {
        let result = self.results.iter().find(|of| of.resource == number)?;
        self.bound.get(result.counter?)?.words().first().copied()
    }
}

impl Primitive {
    /// The value for a buffer, if defined on it; `digits` as for [`Primitive::apply`].
    pub(super) fn read(
        self,
        buffers: &Buffers<'_>,
        operands: &[Part],
        digits: Option<u32>,
    ) -> Option<Part> {
        let (Part::Data(buffer), rest) = operands.split_first()? else { return None };
        let number = buffers.types.resource(buffer.ty)?;
        let shape = buffers.elements.get(number)?.as_ref()?;
        let data = buffers.bound.get(number)?.buffer()?;
        match (self, rest) {
            (Self::SizeOf, []) => {
                Some(Part::Data(Data { ty: Type::INT, words: [data.len() as u32].into() }))
            }
            (Self::Count, []) => {
                let count = buffers.count(number).unwrap_or(data.len() as u32);
                Some(Part::Data(Data { ty: Type::INT, words: [count].into() }))
            }
            (Self::At, [Part::Data(index)]) => {
                let last = data.len() - 1;
                let digits = digits.map(|digits| digits.min(last as u32));
                shape
                    .stored(&data.element(clamped(index, digits, data.len())?).into())
                    .map(Part::from)
            }
            _ => None,
        }
    }

    /// The value, if defined on these operands. `digits` is the value of the second operand's token, if that
    /// consists of digits.
    pub(super) fn apply(
        self,
        types: &Types,
        operands: &[Part],
        digits: Option<u32>,
    ) -> Option<Part> {
        match (self, operands) {
            (Self::Array, parts)
                if !parts.is_empty()
                    && parts.windows(2).all(|two| of_one_type(&two[0], &two[1])) =>
            {
                let (kind, parts) = (AggregateKind::Array, Parts::Values(parts.to_vec()));
                Some(Part::Aggregate(Rc::new(Aggregate { kind, parts })))
            }
            (Self::SizeOf, [Part::Aggregate(value)]) => matches!(value.kind, AggregateKind::Array)
                .then(|| {
                    Part::Data(Data { ty: Type::INT, words: [value.parts.len() as u32].into() })
                }),
            (Self::At, [of, Part::Data(index)]) => match of {
                Part::Aggregate(value) if matches!(value.kind, AggregateKind::Array) => {
                    Some(value.parts.get(clamped(index, digits, value.parts.len())?))
                }
                Part::Data(value) => {
                    let (ty, size) = part_type(types, value.ty)?;
                    let at = clamped(index, digits, value.words.len() / size)? * size;
                    let words = value.words[at..at + size].into();
                    Some(Part::Data(Data { ty, words }))
                }
                Part::Aggregate(_) | Part::Function(_) => None,
            },
            (Self::Update, [of, Part::Data(index), part]) => match (of, part) {
                (Part::Aggregate(value), part) if matches!(value.kind, AggregateKind::Array) => {
                    let at = clamped(index, digits, value.parts.len())?;
                    Some(Part::Aggregate(Rc::new(value.with(at, part.clone()))))
                }
                (Part::Data(value), Part::Data(part)) => {
                    if Some(part.ty.scalar()?) != value.ty.scalar() || part.words.len() != 1 {
                        return None;
                    }
                    let at = clamped(index, digits, value.words.len())?;
                    let mut words = value.words.clone();
                    words[at] = part.words[0];
                    Some(Part::Data(Data { ty: value.ty, words }))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The type of a vector's components or a matrix's columns, and its number of words.
fn part_type(types: &Types, ty: Type) -> Option<(Type, usize)> {
    match *types.kind(ty) {
        TypeKind::Vector(scalar, _) => Some((Type::of(scalar, 1), 1)),
        TypeKind::Matrix(scalar, n) => Some((Type::of(scalar, n), n.into())),
        _ => None,
    }
}

/// The position selected by an index, among `count` parts.
fn clamped(index: &Data, digits: Option<u32>, count: usize) -> Option<usize> {
    let last = count - 1;
    let index = match (index.ty, digits) {
        (Type::INT, _) => usize::try_from(index.words[0] as i32).unwrap_or(0),
        (Type::UINT, _) => index.words[0] as usize,
        (Type::NUM, Some(digits)) if digits as usize <= last => digits as usize,
        _ => return None,
    };
    Some(index.min(last))
}
