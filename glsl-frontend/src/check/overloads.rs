//! All functions of one name.
//!
//! A call finds its function by the types of its arguments, and without an equal one among those functions that
//! conversions may reach, so that many overloads cost a call nothing.

use super::items::{Parameter, Passing};
use crate::types::{Kind, Type, Types};
use rustc_hash::FxHashMap;

/// The functions of one name, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Overloads {
    /// In the order of their declarations.
    all: Vec<usize>,
    /// By the types of their parameters.
    exact: FxHashMap<Box<[Type]>, usize>,
    /// By the shapes of their parameters.
    shaped: FxHashMap<Box<[Shape]>, Vec<usize>>,
    /// For each parameter, true if some function takes a variable there.
    keeps: Vec<bool>,
}

/// A type up to implicit conversions, which change scalars only.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// A scalar, vector or matrix, by the numbers of its columns and rows.
    Numeric(u8, u8),
    Other(Type),
}

impl Shape {
    fn of(types: &Types, ty: Type) -> Self {
        match types.kind(ty) {
            Kind::Scalar(_) => Self::Numeric(1, 1),
            Kind::Vector(_, width) => Self::Numeric(1, width),
            Kind::Matrix(_, columns, rows) => Self::Numeric(columns, rows),
            _ => Self::Other(ty),
        }
    }

    fn of_all(types: &Types, all: &[Type]) -> Box<[Self]> {
        all.iter().map(|&ty| Self::of(types, ty)).collect()
    }
}

impl Overloads {
    /// Adds a function with new types of parameters.
    pub(super) fn add(&mut self, number: usize, parameters: &[Parameter], types: &Types) {
        let own: Vec<Type> = parameters.iter().map(|parameter| parameter.ty).collect();
        self.all.push(number);
        self.shaped.entry(Shape::of_all(types, &own)).or_default().push(number);
        self.exact.insert(own.into(), number);
        self.keeps.resize(self.keeps.len().max(parameters.len()), false);
        for (keep, parameter) in self.keeps.iter_mut().zip(parameters) {
            *keep |= parameter.passing != Passing::In;
        }
    }

    /// The functions in the order of their declarations.
    pub(super) fn all(&self) -> &[usize] {
        &self.all
    }

    /// The function whose parameters have these types.
    pub(super) fn exact(&self, types: &[Type]) -> Option<usize> {
        self.exact.get(types).copied()
    }

    /// The functions that may take arguments of these types, in the order of their declarations.
    pub(super) fn like(&self, table: &Types, types: &[Type]) -> &[usize] {
        self.shaped.get(&Shape::of_all(table, types)).map_or(&[], Vec::as_slice)
    }

    /// For each parameter, true if some function takes a variable there.
    pub(super) fn keeps(&self) -> &[bool] {
        &self.keeps
    }
}
