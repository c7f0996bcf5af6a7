//! The one table of builtins: names, signatures, meanings.
//!
//! An application of a builtin is *resolved* against the types of its operands and yields a result
//! type and a [`Recipe`]; elaboration builds core nodes from the recipe, the source evaluator
//! computes with it. Nothing else in the system knows a builtin by name.
//!
//! The table consists of [`row::Row`]s, in one file per theme. Swizzles (`.xyz`) are not rows,
//! since there are hundreds of them; they share one description.
//!
//! Guarantees, each of them tested:
//! - a name means at most one builtin;
//! - a recipe is well typed: computing it on operands of the resolved types yields a value of the
//!   resolved result type;
//! - an [`Recipe::Expansion`] is closed, uses the forms `func`, `let` and `let*` only, and comes to
//!   an end: no builtin expands to an application of itself on the same types, however indirectly.

mod arithmetic;
mod comparison;
mod construction;
mod conversion;
mod derivatives;
mod geometry;
mod inputs;
mod integers;
mod matrices;
mod packing;
mod recipe;
mod row;
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
pub use row::{Example, OperationKind, Placement};
use row::{Meaning, Row};
use swizzle::Swizzle;
pub(crate) use swizzle::swizzle_advice;

/// A builtin: a row of the table or a swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Builtin(Handle);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Handle {
    /// Index into [`ROWS`].
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

/// The row of every name and alias.
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
    /// The builtin of that name, alias or swizzle.
    pub fn lookup(name: &str) -> Option<Self> {
        if let Some(&row) = NAMES.get(name) {
            return Some(Self(Handle::Row(row)));
        }
        Swizzle::parse(name).map(|swizzle| Self(Handle::Swizzle(swizzle)))
    }

    /// All builtins but the swizzles, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ROWS.len()).map(|index| Self(Handle::Row(index as u8)))
    }

    /// All names and aliases but the swizzles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.keys().copied()
    }

    /// Its name; of a builtin with aliases, the principal one.
    pub fn name(self) -> Cow<'static, str> {
        match self.0 {
            Handle::Row(_) => Cow::Borrowed(self.row().name),
            Handle::Swizzle(swizzle) => Cow::Owned(swizzle.name()),
        }
    }

    /// Its other names.
    pub fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// Whether it can be applied; else it is a value, see [`Builtin::constant`].
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

    /// The smallest and the largest number of operands; `None` is without limit.
    pub fn arity(self) -> (usize, Option<usize>) {
        self.row().operands.arity()
    }

    /// What an application to these operands is.
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

    /// Whether it may ask what an operand is at other pixels: as a derivative, or as a sample, whose level
    /// of detail depends on them.
    pub fn asks_neighbours(self) -> bool {
        self.is_derivative() || *self.name() == *"sample"
    }

    /// Whether it is a derivative.
    pub fn is_derivative(self) -> bool {
        match self.0 {
            Handle::Row(_) => derivatives::ROWS.iter().any(|row| std::ptr::eq(row, self.row())),
            Handle::Swizzle(_) => false,
        }
    }

    /// Of `dfdx` and `dfdy`: along which axis.
    pub fn axis(self) -> Option<Axis> {
        match self.0 {
            Handle::Row(_) => derivatives::axis(self.row().name),
            Handle::Swizzle(_) => None,
        }
    }

    /// Which of the three kinds of LANGUAGE §6 it is.
    pub fn kind(self) -> OperationKind {
        self.row().kind
    }

    /// Whether a schedule may move its operations.
    pub fn placement(self) -> Placement {
        self.row().placement
    }

    /// The λV text of a predicate, `(func (operands…) condition)`, that is `true` where SPIR-V
    /// leaves the result undefined; `None` where it never is. `types` are operand types that the
    /// builtin accepts. The condition of an expanded builtin covers its expansion: whoever reports
    /// undefined behaviour asks about the builtins that the author wrote, not about those inside
    /// expansions (`refract` takes a root that it does not use).
    pub fn undefined(self, types: &[Type]) -> Option<String> {
        self.row().undefined(types)
    }

    /// The conditions under which SPIR-V leaves the result undefined, in the operands' names, each
    /// with the component type of the first operand that it is for, if it is not for all.
    pub fn undefined_where(self) -> Vec<(Option<Scalar>, &'static str)> {
        match self.row().undefined {
            row::Undefined::Never => vec![],
            row::Undefined::Where(condition) | row::Undefined::WhereWhole(condition) => {
                vec![(None, condition)]
            }
            row::Undefined::ByKind(conditions) => {
                conditions.iter().map(|&(scalar, condition)| (Some(scalar), condition)).collect()
            }
        }
    }

    /// An application to show: `(clamp x lo hi)`; of a constant, its name.
    pub fn usage(self) -> String {
        let name = self.name();
        match self.is_function() {
            true => self.row().operands.usage(&name),
            false => name.into_owned(),
        }
    }

    /// What operand types it takes, as a clause: `nums and vectors of one size`; empty where it
    /// takes no operands.
    pub fn takes(self) -> &'static str {
        self.row().signature.takes
    }

    /// What it does, in one paragraph.
    pub fn documentation(self) -> &'static str {
        self.row().documentation
    }

    /// An expression and its value.
    pub fn example(self) -> Example {
        self.row().example
    }

    /// What is wrong with an application, in one sentence without a full stop.
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
