//! Generated programs as trees of text with types, so that they can be shrunk.

use lambdav_core::types::Type;
use std::fmt;
use std::sync::Arc;

/// What an expression is, as far as it decides where the expression can stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A value of that type.
    Value(Type),
    /// A function value.
    Function(Arc<FunctionKind>),
    /// A value that the counter of that loop may have in the next round.
    Step(u32),
    /// The parameter of that name, which each `rec` passes on unchanged; if it is a function, it must.
    Static(String),
    /// A structure that holds functions.
    Held(Arc<HeldKind>),
    /// The parameter of that name, a structure that holds functions, which each `rec` must pass on
    /// whole.
    Whole(String, Arc<HeldKind>),
    /// What can stand in the tail of that loop, whose value has type `ty`; with `goes_on`, it has a
    /// `rec` for certain.
    Tail {
        /// The number of the loop.
        of: u32,
        /// The type of the loop's value.
        ty: Type,
        /// Whether it certainly contains a `rec`.
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
    /// The names of its fields and what they are, one a function at least.
    pub fields: Vec<(String, TermKind)>,
}

/// What a term is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermRole {
    /// An expression.
    Expression(TermKind),
    /// A part of a form.
    Syntax,
    /// A list whose elements can be left out: bindings of a `let`.
    Bindings,
}

/// An expression, or a part of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it is for.
    pub role: TermRole,
    /// What it consists of.
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

    /// What it is, if it is an expression.
    pub fn kind(&self) -> Option<&TermKind> {
        match &self.role {
            TermRole::Expression(kind) => Some(kind),
            TermRole::Syntax | TermRole::Bindings => None,
        }
    }

    /// The parts of a list; none of an atom.
    pub fn parts(&self) -> &[Self] {
        match &self.shape {
            TermShape::Atom(_) => &[],
            TermShape::List(parts) => parts,
        }
    }

    /// How many atoms and lists it consists of.
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

/// A program and what to run it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedProgram {
    /// The forms of the top level.
    pub forms: Vec<Term>,
    /// Names of uniforms and the words of the values that they are to have instead of their
    /// defaults.
    pub settings: Vec<(String, Box<[u32]>)>,
}

impl GeneratedProgram {
    /// How many atoms and lists it consists of.
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
