//! Generated programs as trees of typed text, which can be shrunk.

use lambdav_core::types::Type;
use std::fmt;
use std::sync::Arc;

/// The kind of an expression, which decides where the expression may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A value of that type.
    Value(Type),
    /// A function value.
    Function(Arc<FunctionKind>),
    /// A next value of that loop's counter.
    Step(u32),
    /// The parameter with that name, which each `rec` passes on unchanged. For a function, the language
    /// demands this.
    Static(String),
    /// A structure that holds functions.
    Held(Arc<HeldKind>),
    /// The parameter with that name, a structure that holds functions, which each `rec` must pass on
    /// unchanged.
    Whole(String, Arc<HeldKind>),
    /// A tail of that loop.
    Tail {
        /// The number of the loop.
        of: u32,
        /// The type of the loop's value.
        ty: Type,
        /// The tail certainly contains a `rec`.
        goes_on: bool,
    },
}

/// Kinds of parameters and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionKind {
    /// The parameters.
    pub params: Vec<TermKind>,
    /// The result.
    pub result: TermKind,
}

/// A structure that holds functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldKind {
    /// The name of the structure.
    pub structure: String,
    /// Names and kinds of its fields; at least one is a function.
    pub fields: Vec<(String, TermKind)>,
}

/// The role of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermRole {
    /// An expression.
    Expression(TermKind),
    /// A part of a form.
    Syntax,
    /// A list whose elements can be removed: the bindings of a `let`.
    Bindings,
}

/// An expression, or a part of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its role.
    pub role: TermRole,
    /// Its text.
    pub shape: TermShape,
}

/// An atom or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermShape {
    /// A token.
    Atom(String),
    /// A list.
    List(Vec<Term>),
}

impl Term {
    /// A token that is part of a form.
    pub fn word(text: impl Into<String>) -> Self {
        Self { role: TermRole::Syntax, shape: TermShape::Atom(text.into()) }
    }

    /// A list that is part of a form.
    pub fn syntax(parts: Vec<Self>) -> Self {
        Self { role: TermRole::Syntax, shape: TermShape::List(parts) }
    }

    /// The bindings of a `let`.
    pub fn bindings(parts: Vec<Self>) -> Self {
        Self { role: TermRole::Bindings, shape: TermShape::List(parts) }
    }

    /// A token that is an expression.
    pub fn atom(kind: TermKind, text: impl Into<String>) -> Self {
        Self { role: TermRole::Expression(kind), shape: TermShape::Atom(text.into()) }
    }

    /// A list that is an expression.
    pub fn list(kind: TermKind, parts: Vec<Self>) -> Self {
        Self { role: TermRole::Expression(kind), shape: TermShape::List(parts) }
    }

    /// The kind of an expression; `None` for other terms.
    pub fn kind(&self) -> Option<&TermKind> {
        match &self.role {
            TermRole::Expression(kind) => Some(kind),
            TermRole::Syntax | TermRole::Bindings => None,
        }
    }

    /// The parts of a list; an atom has none.
    pub fn parts(&self) -> &[Self] {
        match &self.shape {
            TermShape::Atom(_) => &[],
            TermShape::List(parts) => parts,
        }
    }

    /// Number of atoms and lists in the term.
    pub fn size(&self) -> usize {
        1 + self.parts().iter().map(Self::size).sum::<usize>()
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shape {
            TermShape::Atom(text) => f.write_str(text),
            TermShape::List(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    part.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A program and its uniforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedProgram {
    /// The forms of the top level.
    pub forms: Vec<Term>,
    /// Names of uniforms, and words that replace their defaults.
    pub settings: Vec<(String, Box<[u32]>)>,
}

impl GeneratedProgram {
    /// Number of atoms and lists in the program.
    pub fn size(&self) -> usize {
        self.forms.iter().map(Term::size).sum()
    }
}

impl fmt::Display for GeneratedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, words) in &self.settings {
            let words: Vec<String> = words.iter().map(|w| format!("{w:#010x}")).collect();
            writeln!(f, "; {name} = {}", words.join(" "))?;
        }
        self.forms.iter().try_for_each(|form| writeln!(f, "{form}"))
    }
}
