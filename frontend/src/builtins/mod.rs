//! The table of builtins: names, signatures, meanings.
//!
//! An application of a builtin is *resolved* by the types of its operands, to a result type and a [`Recipe`].
//! Elaboration builds core nodes from the recipe; the source evaluator computes with it. Nothing else in the
//! system knows a builtin by name.
//!
//! The table consists of [`row::Row`]s, in one file per theme. Swizzles (`.xyz`) are not rows, since there
//! are hundreds of them; they share one row.
//!
//! Guarantees, each of them tested:
//! - a name denotes at most one builtin;
//! - a recipe is well typed: on operands of the resolved types it yields a value of the resolved result type;
//! - a [`Recipe::Expansion`] is closed, uses only the forms `func`, `let` and `let*`, and terminates: no
//!   builtin expands, directly or indirectly, to an application of itself on the same types.

mod arithmetic;
mod comparison;
mod construction;
mod conversion;
mod cubes;
mod derivatives;
mod geometry;
mod inputs;
mod integers;
mod matrices;
mod packing;
mod recipe;
mod row;
mod samples;
mod signature;
mod swizzle;
#[cfg(test)]
mod tests;
mod textures;
mod transcendental;

use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use lambdav_core::graph::Axis;
use lambdav_core::types::{Scalar, Type, Types};

pub use recipe::{Operand, Recipe, Resolved, SignatureError};
pub use row::{Condition, Example, OperationKind, Placement};
use row::{Meaning, Row};
use swizzle::Swizzle;
pub(crate) use swizzle::swizzle_advice;

/// A builtin: a row of the table or a swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Builtin(Handle);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Handle {
    /// A row, by its index in [`ROWS`].
    Row(u8),
    Swizzle(Swizzle),
}

/// All rows, theme by theme.
static ROWS: LazyLock<Vec<&'static Row>> = LazyLock::new(|| {
    [
        arithmetic::ROWS,
        integers::ROWS,
        comparison::ROWS,
        transcendental::ROWS,
        geometry::ROWS,
        construction::ROWS,
        matrices::ROWS,
        conversion::ROWS,
        packing::ROWS,
        derivatives::ROWS,
        textures::ROWS,
        inputs::ROWS,
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// The row index of every name and alias.
static NAMES: LazyLock<FxHashMap<&'static str, u8>> = LazyLock::new(|| {
    let mut names = FxHashMap::default();
    for (index, row) in ROWS.iter().enumerate() {
        let index = u8::try_from(index).expect("the table has fewer than 256 rows");
        for &name in std::iter::once(&row.name).chain(row.aliases) {
            let previous = names.insert(name, index);
            assert!(previous.is_none(), "two rows are called {name}");
        }
    }
    names
});

impl Builtin {
    /// The builtin with this name or alias, or the swizzle.
    pub fn lookup(name: &str) -> Option<Self> {
        if let Some(&row) = NAMES.get(name) {
            return Some(Self(Handle::Row(row)));
        }
        Swizzle::parse(name).map(|swizzle| Self(Handle::Swizzle(swizzle)))
    }

    /// All builtins except swizzles, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS.len()).map(|index| Self(Handle::Row(index as u8)))
    }

    /// All names and aliases except swizzles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.keys().copied()
    }

    /// The name; for a builtin with aliases, the principal one.
    pub fn name(self) -> Cow<'static, str> {
        match self.0 {
            Handle::Row(_) => Cow::Borrowed(self.row().name),
            Handle::Swizzle(swizzle) => Cow::Owned(swizzle.name()),
        }
    }

    /// The other names.
    pub fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// True if it can be applied; otherwise it is a value, see [`Builtin::constant`].
    pub fn is_function(self) -> bool {
        self.constant().is_none()
    }

    /// The value of a constant such as `pi`: the nearest binary32.
    pub fn constant(self) -> Option<f32> {
        match self.row().meaning {
            Meaning::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The smallest and the largest number of operands; `None` if unlimited.
    pub fn arity(self) -> (usize, Option<usize>) {
        self.row().operands.arity()
    }

    /// Resolves an application to these operands.
    pub fn resolve(self, operands: &[Operand]) -> Result<Resolved, SignatureError> {
        if !self.is_function() {
            return Err(SignatureError::NotAFunction);
        }
        let (least, most) = self.arity();
        if operands.len() < least || most.is_some_and(|most| operands.len() > most) {
            return Err(SignatureError::Count { expected: self.row().operands.expected() });
        }
        match self.0 {
            Handle::Row(_) => self.row().resolve(operands),
            Handle::Swizzle(swizzle) => swizzle.resolve(operands[0].ty),
        }
    }

    /// True if it may read an operand at other pixels: a derivative, or a sample, whose level of detail
    /// depends on derivatives.
    pub fn asks_neighbours(self) -> bool {
        let is_sample = matches!(
            &*self.name(),
            "sample"
                | "sample-bias"
                | "sample-offset"
                | "sample-projected"
                | "sample-compare"
                | "texture-lod"
        );
        self.is_derivative() || is_sample
    }

    /// True for derivatives.
    pub fn is_derivative(self) -> bool {
        match self.0 {
            Handle::Row(_) => derivatives::ROWS.iter().any(|row| std::ptr::eq(row, self.row())),
            Handle::Swizzle(_) => false,
        }
    }

    /// True for inputs of a stage, which only a program that draws triangles has.
    pub fn is_of_stage(self) -> bool {
        matches!(self.resolve(&[]), Ok(Resolved { recipe: Recipe::Stage(_), .. }))
    }

    /// The axis of `dfdx` and `dfdy`; `None` for others.
    pub fn axis(self) -> Option<Axis> {
        match self.0 {
            Handle::Row(_) => derivatives::axis(self.row().name),
            Handle::Swizzle(_) => None,
        }
    }

    /// The kind of operation (LANGUAGE §6).
    pub fn kind(self) -> OperationKind {
        self.row().kind
    }

    /// The freedom of a schedule to move its operations.
    pub fn placement(self) -> Placement {
        self.row().placement
    }

    /// The conditions under which SPIR-V leaves the result undefined. `types` are operand types that the builtin accepts. The
    /// condition of an expanded builtin covers its expansion: a check for undefined behaviour tests the author's builtins, not
    /// those inside expansions (`refract` takes a root that it does not use).
    pub fn undefined(self, types: &[Type]) -> Vec<Condition> {
        self.row().undefined(types)
    }

    /// The same, in terms of the operands' names. If a condition is for one component type of the first operand only, that
    /// type comes with it.
    pub fn undefined_where(self) -> Vec<(Option<Scalar>, &'static str)> {
        match self.row().undefined {
            row::Undefined::Never => vec![],
            row::Undefined::Where(condition, _) | row::Undefined::WhereWhole(condition, _) => {
                vec![(None, condition)]
            }
            row::Undefined::ByKind(conditions) => {
                conditions.iter().map(|&(scalar, condition, _)| (Some(scalar), condition)).collect()
            }
        }
    }

    /// The place of the builtin in the table, swizzles last.
    pub fn place(self) -> u32 {
        match self.0 {
            Handle::Row(row) => row.into(),
            Handle::Swizzle(_) => ROWS.len() as u32,
        }
    }

    /// An application for display: `(clamp x lo hi)`; for a constant, its name.
    pub fn usage(self) -> String {
        let name = self.name();
        match self.is_function() {
            true => self.row().operands.usage(&name),
            false => name.into_owned(),
        }
    }

    /// The accepted operand types, as a clause: `nums and vectors of one size`; empty without operands.
    pub fn takes(self) -> &'static str {
        self.row().signature.takes
    }

    /// The documentation, one paragraph.
    pub fn documentation(self) -> &'static str {
        self.row().documentation
    }

    /// An expression and its value.
    pub fn example(self) -> Example {
        self.row().example
    }

    /// The error of an application, in one sentence without a full stop.
    pub fn message(self, types: &Types, error: &SignatureError, operands: &[Operand]) -> String {
        let name = self.name();
        match error {
            SignatureError::NotAFunction => {
                format!("`{name}` is a value, not a function; write it without parentheses")
            }
            SignatureError::Count { expected } => {
                format!("`{name}` takes {expected}, not {}", operands.len())
            }
            SignatureError::Types { expected, culprit, .. } => {
                let found: Vec<String> =
                    operands.iter().map(|o| types.name(o.ty).to_string()).collect();
                let found = match (found.as_slice(), *culprit) {
                    ([one], _) => format!("not {one}"),
                    ([first, second], _) => format!("not {first} and {second}"),
                    (many, Some(k)) if k < many.len() => {
                        format!("and operand {} is {}", k + 1, many[k])
                    }
                    (many, _) => format!("not {}", many.join(", ")),
                };
                format!("`{name}` takes {expected}, {found}")
            }
            SignatureError::Index { found, limit, .. } => {
                let found = match found {
                    Some(found) => format!("{found} is too large"),
                    None => "this is no literal".to_owned(),
                };
                let last = limit - 1;
                format!("the index of `{name}` is a literal from 0 to {last} here, and {found}")
            }
        }
    }

    fn row(self) -> &'static Row {
        match self.0 {
            Handle::Row(index) => ROWS[usize::from(index)],
            Handle::Swizzle(_) => &swizzle::ROW,
        }
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Builtin({})", self.name())
    }
}
