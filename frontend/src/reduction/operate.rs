//! Values, and the evaluation of builtins' recipes.

use crate::builtins::Recipe;
use lambdav_core::inputs::Inputs;
use lambdav_core::op::Op;
use lambdav_core::resource::Bound;
use lambdav_core::types::{Type, TypeKind, Types};

/// A value that is not a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) ty: Type,
    /// The words, as in [`Op::apply`].
    pub(super) words: Box<[u32]>,
}

impl Data {
    pub(super) fn num(value: f32) -> Self {
        Self { ty: Type::NUM, words: [value.to_bits()].into() }
    }

    pub(super) fn bool(value: bool) -> Self {
        Self { ty: Type::BOOL, words: [value.into()].into() }
    }

    pub(super) fn floats(ty: Type, values: &[f32]) -> Self {
        Self { ty, words: values.iter().map(|x| x.to_bits()).collect() }
    }

    /// A scalar broadcast to `ty`; a value of type `ty` as it is.
    fn broadcast(&self, ty: Type) -> Option<Self> {
        match (self.ty.builtin()?, ty.builtin()?) {
            _ if self.ty == ty => Some(self.clone()),
            (TypeKind::Scalar(from), TypeKind::Vector(to, n)) if from == to => {
                Some(Self { ty, words: vec![self.words[0]; n.into()].into() })
            }
            _ => None,
        }
    }
}

/// The value of an operation; `None` if it is not defined on these operands.
pub(super) fn operate(types: &Types, op: Op, operands: &[&Data]) -> Option<Data> {
    operate_with(types, op, operands, &[])
}

/// The same, with the data of resources.
fn operate_with(types: &Types, op: Op, operands: &[&Data], resources: &[Bound]) -> Option<Data> {
    let of: Vec<Type> = operands.iter().map(|d| d.ty).collect();
    let ty = op.result_type(types, &of)?;
    let words: Vec<&[u32]> = operands.iter().map(|d| &*d.words).collect();
    let mut out = vec![0; types.components(ty)];
    op.evaluate(types, resources, &of, &words, &mut out);
    Some(Data { ty, words: out.into() })
}

/// The index of a recipe: the literal, or the second operand.
fn at_index(literal: Option<u32>, operands: &[Data]) -> Option<Data> {
    match literal {
        Some(index) => Some(Data { ty: Type::INT, words: [index].into() }),
        None => operands.get(1).cloned(),
    }
}

/// The value of a recipe on these operands. `None` for an expansion, which is reduced instead; for a
/// derivative, which needs its operand at other pixels; and if the recipe does not fit the operands.
pub(super) fn follow(
    types: &Types,
    recipe: &Recipe,
    operands: &[Data],
    inputs: &Inputs,
) -> Option<Data> {
    match recipe {
        Recipe::Fold(op, ty) => {
            let (first, rest) = operands.split_first()?;
            let first = first.broadcast(*ty)?;
            if rest.is_empty() {
                return operate(types, *op, &[&first]);
            }
            rest.iter().try_fold(first, |left, right| {
                operate(types, *op, &[&left, &right.broadcast(*ty)?])
            })
        }
        Recipe::Reversed(op, ty) => match operands {
            [a, b] => operate(types, *op, &[&b.broadcast(*ty)?, &a.broadcast(*ty)?]),
            _ => None,
        },
        Recipe::Broadcast(op, width) => {
            let operands = operands
                .iter()
                .map(|operand| operand.broadcast(Type::of(types.component(operand.ty, 0), *width)));
            let operands: Vec<Data> = operands.collect::<Option<_>>()?;
            operate(types, *op, &operands.iter().collect::<Vec<_>>())
        }
        Recipe::Direct(op) => {
            operate_with(types, *op, &operands.iter().collect::<Vec<_>>(), &inputs.resources)
        }
        Recipe::Flatten(ty) => {
            let words: Box<[u32]> = operands.iter().flat_map(|d| &d.words).copied().collect();
            match (types.kind(*ty), operands) {
                (TypeKind::Vector(..), [one]) if words.len() == 1 => one.broadcast(*ty),
                _ => (words.len() == types.components(*ty)).then_some(Data { ty: *ty, words }),
            }
        }
        Recipe::Diagonal(ty) => {
            let (TypeKind::Matrix(_, n), [one]) = (*types.kind(*ty), operands) else { return None };
            let mut words = vec![0f32.to_bits(); types.components(*ty)];
            for i in 0..usize::from(n) {
                words[i * usize::from(n) + i] = *one.words.first()?;
            }
            Some(Data { ty: *ty, words: words.into() })
        }
        Recipe::Swizzle(components) => {
            let vector = operands.first()?;
            let words = components.iter().map(|&k| vector.words.get(usize::from(k)).copied());
            let words: Box<[u32]> = words.collect::<Option<_>>()?;
            let scalar = types.component(vector.ty, 0);
            Some(Data { ty: Type::of(scalar, components.len() as u8), words })
        }
        Recipe::Column(k) => operate(types, Op::Column(*k), &[operands.first()?]),
        Recipe::At(index) => {
            let index = at_index(*index, operands)?;
            operate(types, Op::At, &[operands.first()?, &index])
        }
        Recipe::Update(index) => {
            let index = at_index(*index, operands)?;
            operate(types, Op::Update, &[operands.first()?, &index, operands.get(2)?])
        }
        Recipe::Element(index) => {
            let digits = index.map(|index| Data { ty: Type::UINT, words: [index].into() });
            let index = digits.as_ref().or(operands.get(1))?;
            operate_with(types, Op::Element, &[operands.first()?, index], &inputs.resources)
        }
        Recipe::Input(input) => Some(Data::floats(input.ty(), inputs.get(*input))),
        // Programs that draw triangles are refused before.
        Recipe::Stage(_) | Recipe::Expansion(_) | Recipe::Derivative(_) => None,
    }
}
