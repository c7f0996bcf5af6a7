//! The rows of the table. Every field is a column; a row without one of them does not compile.

use lambdav_core::op::Op;
use lambdav_core::types::{Scalar, Type};

use super::recipe::{Operand, Recipe, Resolved, SignatureError};
use super::signature::{Signature, constructor};

/// A row: a builtin.
pub(super) struct Row {
    /// The principal name.
    pub(super) name: &'static str,
    /// Other names.
    pub(super) aliases: &'static [&'static str],
    /// The number and names of the operands.
    pub(super) operands: Operands,
    /// The accepted operand types, and the type of the result.
    pub(super) signature: Signature,
    /// The computation.
    pub(super) meaning: Meaning,
    /// Its kind by LANGUAGE §6.
    pub(super) kind: OperationKind,
    /// The condition under which SPIR-V leaves the result undefined.
    pub(super) undefined: Undefined,
    /// The freedom of a schedule to move it.
    pub(super) placement: Placement,
    /// One paragraph for the reference page.
    pub(super) documentation: &'static str,
    /// An example for the reference page, also a test.
    pub(super) example: Example,
}

/// The number of operands of a builtin, and their names, for documentation, expansions and conditions.
pub(super) enum Operands {
    /// One for each name.
    Exactly(&'static [&'static str]),
    /// One for each name, and any number of others.
    AtLeast(&'static [&'static str]),
    /// From the first to the second number; the names are for display.
    Between(usize, usize, &'static [&'static str]),
}

/// The computation of a builtin.
pub(super) enum Meaning {
    /// A primitive operation: unary, or binary and folded from the left, on operands broadcast to their
    /// common type.
    Fold(Op),
    /// A binary primitive operation on the broadcast operands in reverse order.
    Reversed(Op),
    /// A primitive operation on the operands as they are.
    Direct(Op),
    /// An expression in terms of the operands' names (of an `Operands::Exactly`).
    Expansion(&'static str),
    /// An expression that depends on the operands' types.
    ExpansionFor(fn(&[Type]) -> String),
    /// Any recipe, from the operands and the result type.
    Recipe(fn(&[Operand], Type) -> Recipe),
    /// A value instead of a function.
    Constant(f32),
}

/// The conditions under which SPIR-V leaves the result undefined, or the author did not mean the operands. The λV result is
/// the IEEE one nevertheless.
pub(super) enum Undefined {
    /// None.
    Never,
    /// A condition in terms of the operands' names, for each component, and its words in a report. The names denote operands
    /// broadcast to their common size. An application with fewer operands than names is always defined.
    Where(&'static str, &'static str),
    /// Such conditions for component types of the first operand; none for other types.
    ByKind(&'static [(Scalar, &'static str, &'static str)]),
    /// A `bool` condition in terms of the operands' names, which denote whole operands, and its words.
    WhereWhole(&'static str, &'static str),
}

/// A condition of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The λV text of a predicate, `(func (operands…) condition)`.
    pub predicate: String,
    /// The condition in words, for reports.
    pub words: &'static str,
}

/// The three kinds of operation of LANGUAGE §6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// The IEEE operation itself, or an operation without rounding.
    Exact,
    /// The binary32 value nearest to the exact real result.
    CorrectlyRounded,
    /// Defined by an expression of other builtins.
    Expanded,
}

/// The freedom of a schedule to move an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// The operation is total and reads only its own lane; a schedule may place it anywhere.
    Floating,
    /// It stays in the region that demands it.
    Pinned,
}

/// An expression and its value, both as λV text. Inputs have the values of the upper left pixel of a still
/// image of 512 by 512 pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The expression.
    pub expression: &'static str,
    /// Its value: a number, `true`, `false`, or a constructor applied to these.
    pub value: &'static str,
}

impl Row {
    /// Resolves an application, whose number of operands must be right.
    pub(super) fn resolve(&self, operands: &[Operand]) -> Result<Resolved, SignatureError> {
        let result = (self.signature.check)(operands)
            .map_err(|mismatch| mismatch.into_error(self.signature.takes))?;
        let types: Vec<Type> = operands.iter().map(|o| o.ty).collect();
        let recipe = match self.meaning {
            Meaning::Fold(op) => Recipe::Fold(op, common(&types)),
            Meaning::Reversed(op) => Recipe::Reversed(op, common(&types)),
            Meaning::Direct(op) => Recipe::Direct(op),
            Meaning::Expansion(body) => self.expansion(body),
            Meaning::ExpansionFor(body) => self.expansion(&body(&types)),
            Meaning::Recipe(recipe) => recipe(operands, result),
            Meaning::Constant(_) => return Err(SignatureError::NotAFunction),
        };
        Ok(Resolved { result, recipe })
    }

    fn expansion(&self, body: &str) -> Recipe {
        Recipe::Expansion(format!("(func ({}) {body})", self.operands.names().join(" ")))
    }

    /// The conditions for operands whose result is undefined in SPIR-V.
    pub(super) fn undefined(&self, types: &[Type]) -> Vec<Condition> {
        let names = self.operands.names();
        if types.len() != names.len() {
            return Vec::new();
        }
        let parameters = names.join(" ");
        let of_components = |condition: &str| match common(types).width() {
            Some(width @ 2..) => {
                let bindings: Vec<String> = names
                    .iter()
                    .zip(types)
                    .filter_map(|(name, ty)| {
                        let common = constructor(Type::of(ty.scalar()?, width));
                        Some(format!("({name} ({common} {name}))"))
                    })
                    .collect();
                let bindings = bindings.join(" ");
                format!("(func ({parameters}) (let ({bindings}) (any-of {condition})))")
            }
            _ => format!("(func ({parameters}) {condition})"),
        };
        let of = |predicate, words| Condition { predicate, words };
        match self.undefined {
            Undefined::Never => Vec::new(),
            Undefined::WhereWhole(condition, words) => {
                vec![of(format!("(func ({parameters}) {condition})"), words)]
            }
            Undefined::Where(condition, words) => vec![of(of_components(condition), words)],
            Undefined::ByKind(conditions) => {
                let kind = types.first().and_then(|ty| ty.scalar());
                let known = conditions.iter().filter(|(scalar, ..)| Some(*scalar) == kind);
                known.map(|&(_, condition, words)| of(of_components(condition), words)).collect()
            }
        }
    }
}

impl Operands {
    fn names(&self) -> &'static [&'static str] {
        match self {
            Self::Exactly(names) | Self::AtLeast(names) | Self::Between(_, _, names) => names,
        }
    }

    pub(super) fn arity(&self) -> (usize, Option<usize>) {
        match self {
            Self::Exactly(names) => (names.len(), Some(names.len())),
            Self::AtLeast(names) => (names.len(), None),
            Self::Between(least, most, _) => (*least, Some(*most)),
        }
    }

    /// `no operands`, `2 operands`, `at least 2 operands`, `1 or 2 operands`, `1 to 9 operands`.
    pub(super) fn expected(&self) -> String {
        let operands = |n: usize| if n == 1 { "operand" } else { "operands" };
        match self.arity() {
            (0, Some(0)) => "no operands".to_owned(),
            (n, Some(m)) if n == m => format!("{n} {}", operands(n)),
            (n, Some(m)) if n + 1 == m => format!("{n} or {m} operands"),
            (n, Some(m)) => format!("{n} to {m} operands"),
            (n, None) => format!("at least {n} {}", operands(n)),
        }
    }

    /// `(clamp x lo hi)`, `(+ a b …)`.
    pub(super) fn usage(&self, name: &str) -> String {
        let more = if matches!(self, Self::AtLeast(_)) { " …" } else { "" };
        let names: String = self.names().iter().map(|operand| format!(" {operand}")).collect();
        format!("({name}{names}{more})")
    }
}

/// Literals as text, broadcast to the common type of the operands.
pub(super) fn constants<const N: usize>(types: &[Type], literals: [&str; N]) -> [String; N] {
    literals.map(|literal| match common(types) {
        vector if vector.width() != Some(1) => format!("({} {literal})", constructor(vector)),
        _ => literal.to_owned(),
    })
}

/// The type to which a componentwise application broadcasts its operands.
pub(super) fn common(types: &[Type]) -> Type {
    let vector = types.iter().find(|t| t.width().is_some_and(|n| n > 1));
    *vector.or(types.first()).expect("a componentwise builtin has operands")
}
