//! The terms of a text: forms with numbered variables, subterms before terms.

use super::fault::SourceFault;
use super::operate::Data;
use crate::builtins::Builtin;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use std::sync::Arc;

/// The most free variables of all terms together.
const MAX_FREE: usize = 1 << 26;

/// Index of a term of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextId(pub(super) u32);

/// The number of a variable: each binder of the text has its own. The variables that one form binds
/// have successive numbers.
pub(super) type Variable = u32;

/// What makes a structure, or a variant of one case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Constructor {
    /// The declaration, by its place among all.
    pub(super) declaration: u32,
    /// The case of a variant; 0 for a structure.
    pub(super) case: u32,
    /// The names of the fields.
    pub(super) fields: Box<[Box<str>]>,
    /// Of those with a type, that, if it is one that every program has.
    pub(super) types: Box<[Option<Option<Type>>]>,
}

/// A builtin of arrays, vectors and matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Array,
    At,
    Update,
    SizeOf,
}

impl Primitive {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "at" => Self::At,
            "update" => Self::Update,
            "size-of" => Self::SizeOf,
            _ => return None,
        })
    }
}

/// What a term is.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Data(Data),
    Variable(Variable),
    Builtin(Builtin),
    /// The uniform of that index.
    Uniform(u32),
    /// The constant of that index.
    Fixed(u32),
    /// `(callee argument …)`.
    Apply,
    /// The values, then the body, in which variables from this number on stand for them.
    Let(Variable),
    /// The body; the first parameter and how many there are.
    Func(Variable, u32),
    /// The same; `rec` is the variable after the parameters.
    RecFunc(Variable, u32),
    /// Condition, then, else.
    If,
    /// The expression, of that type if it is one that every program has.
    The(Option<Type>),
    /// A constructor with fields, or of a structure.
    Constructor(Arc<Constructor>),
    /// A case without fields.
    Constant(Arc<Constructor>),
    /// The field, or the components of a vector, of that name with its dot.
    Accessor(Arc<str>),
    Primitive(Primitive),
    /// The structure, then the values of these fields.
    With(Arc<[Arc<str>]>),
    /// The scrutinee, then the bodies.
    Case(Arc<[Arm]>),
}

/// An arm of a `case`.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    /// What it is for; `None` for the `else`.
    pub(super) constructor: Option<Arc<Constructor>>,
    /// The first of the variables that are bound in its body.
    pub(super) first: Variable,
}

/// A term as it stands in the text.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) form: Form,
    pub(super) children: Arc<[TextId]>,
    /// The free variables, ascending.
    pub(super) free: Arc<[Variable]>,
    pub(super) span: Span,
    /// The value of a token of digits.
    pub(super) index: Option<u32>,
}

/// All terms of a text, subterms before terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    all: Vec<Text>,
    variables: Variable,
    total_free: usize,
    closed: Arc<[Variable]>,
    have_derivatives: bool,
}

impl Texts {
    /// Whether something is mentioned that may ask for values at other pixels.
    pub(super) fn have_derivatives(&self) -> bool {
        self.have_derivatives
    }

    pub(super) fn get(&self, id: TextId) -> &Text {
        &self.all[id.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn new_variables(&mut self, count: usize) -> Variable {
        let first = self.variables;
        self.variables += count as u32;
        first
    }

    pub(super) fn push(
        &mut self,
        form: Form,
        children: &[TextId],
        span: Span,
        index: Option<u32>,
    ) -> Result<TextId, SourceFault> {
        let bound = match &form {
            &Form::Let(first) => first..first + children.len() as u32 - 1,
            &Form::Func(first, count) => first..first + count,
            &Form::RecFunc(first, count) => first..first + count + 1,
            Form::Case(arms) => {
                let fields = |arm: &Arm| arm.constructor.as_ref().map_or(0, |c| c.fields.len());
                let first = arms.first().map_or(0, |arm| arm.first);
                first..first + arms.iter().map(fields).sum::<usize>() as u32
            }
            _ => 0..0,
        };
        let mut open = children.iter().map(|&c| &self.get(c).free).filter(|f| !f.is_empty());
        let free = match (&form, open.next(), open.next()) {
            (&Form::Variable(v), ..) => Arc::from([v]),
            (_, None, _) => self.closed.clone(),
            (_, Some(only), None) if bound.is_empty() => only.clone(),
            _ => {
                let all = children.iter().flat_map(|&c| self.get(c).free.iter().copied());
                let mut all: Vec<Variable> = all.filter(|v| !bound.contains(v)).collect();
                all.sort_unstable();
                all.dedup();
                self.total_free += all.len();
                all.into()
            }
        };
        if self.total_free > MAX_FREE {
            return Err(SourceFault::Limit("free variables"));
        }
        if let Form::Builtin(builtin) = &form {
            self.have_derivatives |= builtin.asks_neighbours();
        }
        self.all.push(Text { form, children: children.into(), free, span, index });
        Ok(TextId(self.all.len() as u32 - 1))
    }
}
