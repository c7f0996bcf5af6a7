//! What a row of the table says. Every field is a column, and a row without one does not compile.

use lambdav_core::op::Op;
use lambdav_core::types::{Scalar, Type};

use super::recipe::{Operand, Recipe, Resolved, SignatureError};
use super::signature::{Signature, constructor};

/// A builtin.
pub(super) struct Row {
    /// The principal name.
    pub(super) name: &'static str,
    /// Other names.
    pub(super) aliases: &'static [&'static str],
    /// How many operands, and what they are called.
    pub(super) operands: Operands,
    /// Which types they may have, and the type of the result.
    pub(super) signature: Signature,
    /// What is computed.
    pub(super) meaning: Meaning,
    /// Its kind by LANGUAGE §6.
    pub(super) kind: OperationKind,
    /// Where SPIR-V leaves the result undefined.
    pub(super) undefined: Undefined,
    /// Whether a schedule may move it.
    pub(super) placement: Placement,
    /// One paragraph for the reference page.
    pub(super) documentation: &'static str,
    /// An example for the reference page, also a test.
    pub(super) example: Example,
}

/// How many operands a builtin takes; the names are those of documentation, expansions and
/// conditions.
pub(super) enum Operands {
    /// One for each name.
    Exactly(&'static [&'static str]),
    /// One for each name, and any number of others.
    AtLeast(&'static [&'static str]),
    /// From the first to the second number; the names are those to show.
    Between(usize, usize, &'static [&'static str]),
}

/// What is computed.
pub(super) enum Meaning {
    /// A primitive operation: unary, or binary and folded from the left, on operands that are
    /// broadcast to their common type.
    Fold(Op),
    /// A binary primitive operation on the broadcast operands in reverse order.
    Reversed(Op),
    /// A primitive operation on the operands as they are.
    Direct(Op),
    /// An expression in the operands' names (of an `Operands::Exactly`).
    Expansion(&'static str),
    /// The same, where the text depends on the operands' types.
    ExpansionFor(fn(&[Type]) -> String),
    /// Any recipe, from the operands and the result type.
    Recipe(fn(&[Operand], Type) -> Recipe),
    /// Not a function but this value.
    Constant(f32),
}

/// Where SPIR-V leaves the result undefined; the λV result is the IEEE one nevertheless.
pub(super) enum Undefined {
    /// Nowhere.
    Never,
    /// Where a condition in the operands' names holds for some component. The names denote
    /// operands broadcast to their common size. An application with fewer operands than names has no
    /// such case.
    Where(&'static str),
    /// The same with a condition for each component type of the first operand; nowhere for others.
    ByKind(&'static [(Scalar, &'static str)]),
    /// Where a `bool` condition in the operands' names holds; the names denote whole operands.
    WhereWhole(&'static str),
}

/// The three kinds of operation of LANGUAGE §6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// The IEEE operation itself, or no rounding at all.
    Exact,
    /// The binary32 value nearest to the exact real result.
    CorrectlyRounded,
    /// Defined by an expression of other builtins.
    Expanded,
}

/// Whether an operation is total and reads its own lane only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// It is; a schedule puts it where it likes.
    Floating,
    /// It is not; it stays in the region that demands it.
    Pinned,
}

/// An expression and its value, both as λV text. Inputs have the values of the upper left pixel of
/// a still image of 512 by 512 pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The expression.
    pub expression: &'static str,
    /// Its value: a number, `true`, `false`, or a constructor applied to such.
    pub value: &'static str,
}

impl Row {
    /// Resolves an application whose number of operands has been checked.
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

    /// The predicate that says where the result is undefined in SPIR-V.
    pub(super) fn undefined(&self, types: &[Type]) -> Option<String> {
        let names = self.operands.names();
        if types.len() != names.len() {
            return None;
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
        match self.undefined {
            Undefined::Never => None,
            Undefined::WhereWhole(condition) => Some(format!("(func ({parameters}) {condition})")),
            Undefined::Where(condition) => Some(of_components(condition)),
            Undefined::ByKind(conditions) => {
                let kind = types.first()?.scalar()?;
                let known = conditions.iter().find(|(scalar, _)| *scalar == kind);
                known.map(|(_, condition)| of_components(condition))
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

/// The type to which operands of an accepted componentwise application are broadcast.
pub(super) fn common(types: &[Type]) -> Type {
    let vector = types.iter().find(|t| t.width().is_some_and(|n| n > 1));
    *vector.or(types.first()).expect("a componentwise builtin has operands")
}
