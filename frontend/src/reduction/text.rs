//! The terms of a text: forms with numbered variables, subterms before terms.

use super::fault::SourceFault;
use super::operate::Data;
use crate::builtins::Builtin;
use lambdav_core::graph::StageInput;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use std::sync::Arc;

/// Most free variables of all terms together.
const MAX_FREE: usize = 1 << 26;

/// Index of a term of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextId(pub(super) u32);

/// The number of a variable. Each binder of the text has its own; the variables bound by one form have
/// successive numbers.
pub(super) type Variable = u32;

/// The constructor of a structure, or of one case of a variant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Constructor {
    /// The name of the structure or case.
    pub(super) name: Arc<str>,
    /// The index of the declaration.
    pub(super) declaration: u32,
    /// The case of a variant; 0 for a structure.
    pub(super) case: u32,
    /// The names of the fields.
    pub(super) fields: Box<[Box<str>]>,
    /// For each field with a type: that type, if it is builtin.
    pub(super) types: Box<[Option<Option<Type>>]>,
}

/// A builtin of arrays, vectors and matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Array,
    At,
    Update,
    SizeOf,
    Count,
    /// `id`, which has no operand.
    Id,
}

impl Primitive {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "at" => Self::At,
            "update" => Self::Update,
            "size-of" => Self::SizeOf,
            "count" => Self::Count,
            "id" => Self::Id,
            _ => return None,
        })
    }
}

/// The form of a term.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Data(Data),
    Variable(Variable),
    Builtin(Builtin),
    /// A uniform, by index.
    Uniform(u32),
    /// A constant, by index.
    Fixed(u32),
    /// An attribute or a varying, at the pixel itself.
    Stage(StageInput),
    /// `(callee argument …)`.
    Apply,
    /// The values, then the body; the first of the bound variables.
    Let(Variable),
    /// The body; the first parameter, and the number of parameters.
    Func(Variable, u32),
    /// The same; `rec` is the variable after the parameters.
    RecFunc(Variable, u32),
    /// Condition, then, else.
    If,
    /// The expression, with its type if that is builtin.
    The(Option<Type>),
    /// The expression, whose values an observer sees under the name in this string.
    Probe(Span),
    /// A constructor of a structure, or of a case with fields.
    Constructor(Arc<Constructor>),
    /// A case without fields.
    Constant(Arc<Constructor>),
    /// A field or swizzle, by name with its dot.
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
    /// The constructor of its case; `None` for the `else`.
    pub(super) constructor: Option<Arc<Constructor>>,
    /// The first of the variables bound in its body.
    pub(super) first: Variable,
}

/// A term of the text.
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
    /// True if the text mentions a builtin that may read values at other pixels.
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
