//! The resolver's state: the names in scope, the pending tasks, the code made so far.

use super::code::{Code, CodeArena, CodeId, Local, Parameter};
use super::declared::{Annotation, Declarations, FieldName, Former};
use crate::builtins::Builtin;
use crate::syntax::{ExprId, ExprKind, Tree};
use lambdav_core::diagnostics::{Diagnostic, Diagnostics};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// A special form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Let,
    LetStar,
    Func,
    RecFunc,
    If,
    The,
    With,
    Case,
    Tabulate,
    Probe,
    Eager,
    Ordinary,
}

impl Form {
    pub(super) const NAMES: [(&'static str, Self); 12] = [
        ("let", Self::Let),
        ("let*", Self::LetStar),
        ("func", Self::Func),
        ("rec-func", Self::RecFunc),
        ("if", Self::If),
        ("the", Self::The),
        ("with", Self::With),
        ("case", Self::Case),
        ("tabulate", Self::Tabulate),
        ("probe", Self::Probe),
        ("@", Self::Eager),
        ("$", Self::Ordinary),
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, form)| form)
    }

    /// The form's shape in the text.
    pub(super) fn usage(self) -> &'static str {
        match self {
            Self::Let => "(let ((name value) …) body)",
            Self::LetStar => "(let* ((name value) …) body)",
            Self::Func => "(func (parameter …) body)",
            Self::RecFunc => "(rec-func (parameter …) body)",
            Self::If => "(if condition then else)",
            Self::The => "(the TYPE expression)",
            Self::With => "(with structure (field value) …)",
            Self::Case => "(case variant ((CASE name …) body) … (else body))",
            Self::Tabulate => "(tabulate N function)",
            Self::Probe => "(probe \"name\" expression)",
            Self::Eager => "(@ expression)",
            Self::Ordinary => "($ expression)",
        }
    }
}

/// The denotation of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    Form(Form),
    Local(Local),
    Global(u32),
    Builtin(Builtin),
    Former(Former),
    /// Bound by an erroneous form.
    Error,
}

/// A binding whose value is being resolved; its name is not bound yet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unfinished<'t> {
    /// The name of a `define`.
    Define(ExprId),
    /// A binding of a `let` or `let*`, by its index; those after it are still to come.
    Binding(&'t [ExprId], usize),
}

/// A `rec-func` whose body is being resolved.
#[derive(Debug)]
pub(super) struct Recursion {
    /// Its `rec`.
    pub(super) rec: Local,
    /// The parameters that each `rec` so far passes on unchanged.
    pub(super) fixed: Vec<bool>,
    /// The number of uses of its `rec` so far that are not applications.
    pub(super) loose: usize,
}

/// A pending step.
pub(super) enum Task<'t> {
    Visit(ExprId),
    /// Begins the body of a `rec-func` with this many parameters.
    Recursion(usize),
    /// The next binding of a `let*`.
    LetStar {
        form: Span,
        bindings: &'t [ExprId],
        body: ExprId,
    },
    /// Begins the value of this binding.
    Begin(Unfinished<'t>),
    /// Ends the value of the innermost such binding.
    Finish,
    /// Opens a scope. Names of special forms take no slot in it.
    Bind(Vec<(&'t str, Option<Form>)>),
    /// Closes the scope again.
    Unbind(Vec<(&'t str, Option<Form>)>),
    Apply {
        span: Span,
        arguments: usize,
    },
    Let {
        span: Span,
        names: Vec<&'t str>,
    },
    Function {
        span: Span,
        recursive: bool,
        parameters: Vec<Parameter>,
        name: Option<&'t str>,
    },
    If {
        span: Span,
    },
    The {
        span: Span,
        ty: Annotation,
    },
    With {
        span: Span,
        fields: Vec<FieldName>,
    },
    Tabulate {
        span: Span,
        count: u32,
    },
    /// `@` if eager, else `$`.
    Mode {
        span: Span,
        eager: bool,
    },
    Case {
        span: Span,
        ty: Type,
        cases: Vec<u32>,
        has_else: bool,
    },
}

/// Resolves the expressions of one text.
pub(super) struct Resolver<'t> {
    pub(super) arena: &'t mut CodeArena,
    pub(super) tree: &'t Tree,
    /// The text, for line numbers in messages; `None` for an expansion.
    pub(super) source: Option<&'t SourceFile>,
    /// The index of the next top-level form.
    pub(super) next_root: usize,
    pub(super) declarations: Declarations,
    pub(super) diagnostics: Diagnostics,
    /// The number of names compared with all bound names so far.
    pub(super) suggestions: usize,
    pub(super) scope: FxHashMap<&'t str, Vec<Binding>>,
    pub(super) level: u32,
    /// Warnings of lints are enabled.
    pub(super) lints: bool,
    /// For each open scope, outermost first: its used locals; and those of the scope closed last.
    pub(super) used: Vec<Vec<bool>>,
    pub(super) closed_scope: Vec<bool>,
    /// The `rec-func`s whose bodies are being resolved, outermost first.
    pub(super) loops: Vec<Recursion>,
    /// The used globals.
    pub(super) used_globals: FxHashSet<u32>,
    /// The names whose values are being resolved, outermost first.
    pub(super) unfinished: Vec<Unfinished<'t>>,
    pub(super) tasks: Vec<Task<'t>>,
    pub(super) results: Vec<CodeId>,
}

impl<'t> Resolver<'t> {
    pub(super) fn new(arena: &'t mut CodeArena, tree: &'t Tree, most: usize) -> Self {
        Self {
            arena,
            tree,
            source: None,
            next_root: 0,
            declarations: Declarations::new(tree),
            diagnostics: Diagnostics::new(most),
            suggestions: 0,
            scope: FxHashMap::default(),
            level: 0,
            lints: true,
            used: Vec::new(),
            closed_scope: Vec::new(),
            loops: Vec::new(),
            used_globals: FxHashSet::default(),
            unfinished: Vec::new(),
            tasks: Vec::new(),
            results: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn push(&mut self, code: Code, span: Span) -> CodeId {
        self.arena.push(code, span, self.level)
    }

    /// Binds `name` from here to the end of the program.
    pub(super) fn bind_global(&mut self, name: &'t str, binding: Binding) {
        self.scope.insert(name, vec![binding]);
    }

    pub(super) fn identifier(&self, id: ExprId) -> Option<&'t str> {
        match &self.tree.get(id).kind {
            ExprKind::Identifier(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn list(&self, id: ExprId) -> Option<&'t [ExprId]> {
        match &self.tree.get(id).kind {
            ExprKind::List(children) => Some(children),
            _ => None,
        }
    }

    pub(super) fn pop(&mut self, count: usize) -> Box<[CodeId]> {
        self.results.split_off(self.results.len() - count).into()
    }

    /// Pushes tasks to be executed in the given order.
    pub(super) fn schedule(&mut self, tasks: impl IntoIterator<Item = Task<'t>>) {
        let start = self.tasks.len();
        self.tasks.extend(tasks);
        self.tasks[start..].reverse();
    }
}
