//! Expressions and special forms.

use super::elsewhere::elsewhere;
use super::{Code, CodeArena, CodeId, Function, Local, Parameter};
use crate::builtins::Builtin;
use crate::syntax::{ExprId, ExprKind, Tree};
use lambdav_core::diagnostics::{Code as Lv, Diagnostic, nearest_name};
use lambdav_core::graph::Name;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Type;
use rustc_hash::FxHashMap;

/// A special form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Let,
    LetStar,
    Func,
    RecFunc,
    If,
    The,
}

impl Form {
    const NAMES: [(&'static str, Self); 6] = [
        ("let", Self::Let),
        ("let*", Self::LetStar),
        ("func", Self::Func),
        ("rec-func", Self::RecFunc),
        ("if", Self::If),
        ("the", Self::The),
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, form)| form)
    }

    fn usage(self) -> &'static str {
        match self {
            Self::Let => "(let ((name value) …) body)",
            Self::LetStar => "(let* ((name value) …) body)",
            Self::Func => "(func (parameter …) body)",
            Self::RecFunc => "(rec-func (parameter …) body)",
            Self::If => "(if condition then else)",
            Self::The => "(the TYPE expression)",
        }
    }
}

/// The words with a meaning of their own at the top level.
pub(super) const RESERVED: [&str; 3] = ["define", "output", "uniform"];

/// What a name denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    Form(Form),
    Local(Local),
    Global(u32),
    Builtin(Builtin),
    /// Bound by something that was in error.
    Error,
}

/// A parameter as it stands in the text.
struct ParsedParameter<'t> {
    name: &'t str,
    parameter: Parameter,
}

enum Task<'t> {
    Visit(ExprId),
    /// The next binding of a `let*`.
    LetStar {
        form: Span,
        bindings: &'t [ExprId],
        body: ExprId,
    },
    /// Opens a scope. Names of special forms take no slot in it.
    Bind(Vec<(&'t str, Option<Form>)>),
    /// Closes it again.
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
        ty: Type,
    },
}

/// Resolves the expressions of one text.
pub(super) struct Resolver<'t> {
    pub(super) arena: &'t mut CodeArena,
    pub(super) tree: &'t Tree,
    pub(super) diagnostics: Vec<Diagnostic>,
    scope: FxHashMap<&'t str, Vec<Binding>>,
    level: u32,
    tasks: Vec<Task<'t>>,
    results: Vec<CodeId>,
}

impl<'t> Resolver<'t> {
    pub(super) fn new(arena: &'t mut CodeArena, tree: &'t Tree) -> Self {
        Self {
            arena,
            tree,
            diagnostics: Vec::new(),
            scope: FxHashMap::default(),
            level: 0,
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

    /// Gives `name` a meaning from here to the end of the program.
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

    pub(super) fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some(bindings) = self.scope.get(name)
            && let Some(&binding) = bindings.last()
        {
            return Some(binding);
        }
        Form::from_name(name)
            .map(Binding::Form)
            .or_else(|| Builtin::lookup(name).map(Binding::Builtin))
    }

    /// The special form that the expression denotes, if it is a name that does.
    pub(super) fn form_of(&self, id: ExprId) -> Option<Form> {
        match self.lookup(self.identifier(id)?)? {
            Binding::Form(form) => Some(form),
            _ => None,
        }
    }

    /// Resolves one expression of the top level.
    pub(super) fn expression(&mut self, id: ExprId) -> CodeId {
        self.run(Task::Visit(id))
    }

    /// Resolves a `func` of the top level: `(define (name parameter …) body)`.
    pub(super) fn function(
        &mut self,
        span: Span,
        name: &'t str,
        parameters: &'t [ExprId],
        body: ExprId,
    ) -> CodeId {
        match self.function_tasks(span, false, parameters, body, Some(name)) {
            Some(()) => self.drain(),
            None => self.push(Code::Error, span),
        }
    }

    fn run(&mut self, task: Task<'t>) -> CodeId {
        self.tasks.push(task);
        self.drain()
    }

    fn drain(&mut self) -> CodeId {
        while let Some(task) = self.tasks.pop() {
            self.step(task);
        }
        self.results.pop().expect("every task leaves one result")
    }

    fn step(&mut self, task: Task<'t>) {
        let (code, span) = match task {
            Task::Visit(id) => {
                if let Some(code) = self.visit(id) {
                    let span = self.tree.get(id).span;
                    let code = self.push(code, span);
                    self.results.push(code);
                }
                return;
            }
            Task::LetStar { form, bindings, body } => {
                self.let_star(form, bindings, body);
                return;
            }
            Task::Bind(names) => {
                if names.iter().any(|(_, form)| form.is_none()) {
                    self.level += 1;
                }
                let mut index = 0;
                for (name, form) in names {
                    let binding = match form {
                        Some(form) => Binding::Form(form),
                        None => {
                            index += 1;
                            Binding::Local(Local { level: self.level, index: index - 1 })
                        }
                    };
                    self.scope.entry(name).or_default().push(binding);
                }
                return;
            }
            Task::Unbind(names) => {
                if names.iter().any(|(_, form)| form.is_none()) {
                    self.level -= 1;
                }
                for (name, _) in names {
                    self.scope.get_mut(name).and_then(Vec::pop).expect("it was bound");
                }
                return;
            }
            Task::Apply { span, arguments } => {
                let arguments = self.pop(arguments);
                let callee = self.results.pop().expect("the callee comes first");
                (Code::Apply { callee, arguments }, span)
            }
            Task::Let { span, names } => {
                let body = self.results.pop().expect("the body comes last");
                let values = self.pop(names.len());
                let names = names.into_iter().map(Name::new).collect();
                (Code::Let { names, values, body }, span)
            }
            Task::Function { span, recursive, parameters, name } => {
                let body = self.results.pop().expect("a function has a body");
                let (parameters, name) = (parameters.into(), name.map(Into::into));
                (Code::Function(Function { recursive, parameters, body, name }), span)
            }
            Task::If { span } => {
                let all = self.pop(3);
                (Code::If([all[0], all[1], all[2]]), span)
            }
            Task::The { span, ty } => {
                let value = self.results.pop().expect("an annotation has an expression");
                (Code::The(ty, value), span)
            }
        };
        let code = self.push(code, span);
        self.results.push(code);
    }

    fn pop(&mut self, count: usize) -> Box<[CodeId]> {
        self.results.split_off(self.results.len() - count).into()
    }

    /// Pushes tasks so that they are done in the given order.
    fn schedule(&mut self, tasks: impl IntoIterator<Item = Task<'t>>) {
        let start = self.tasks.len();
        self.tasks.extend(tasks);
        self.tasks[start..].reverse();
    }

    /// The code of a leaf, or `None` where tasks were pushed that will leave the result.
    fn visit(&mut self, id: ExprId) -> Option<Code> {
        let expr = self.tree.get(id);
        match &expr.kind {
            ExprKind::Number { value, index } => Some(Code::Number(*value, *index)),
            ExprKind::Bool(b) => Some(Code::Bool(*b)),
            ExprKind::Error => Some(Code::Error),
            ExprKind::Identifier(name) => Some(self.name(name, expr.span)),
            ExprKind::List(children) => match children.split_first() {
                None => {
                    self.report(
                        Diagnostic::new(Lv::EmptyList, expr.span, "an empty list means nothing")
                            .label("no function stands here")
                            .help("a function without parameters is applied as `(f)`"),
                    );
                    Some(Code::Error)
                }
                Some((&head, rest)) => match self.form_of(head) {
                    Some(form) => match self.form(form, expr.span, head, rest) {
                        Some(()) => None,
                        None => Some(Code::Error),
                    },
                    None => {
                        let apply = Task::Apply { span: expr.span, arguments: rest.len() };
                        let visits = children.iter().map(|&c| Task::Visit(c));
                        self.schedule(visits.chain([apply]));
                        None
                    }
                },
            },
        }
    }

    fn name(&mut self, name: &'t str, span: Span) -> Code {
        match self.lookup(name) {
            Some(Binding::Local(local)) => Code::Local(local),
            Some(Binding::Global(global)) => Code::Global(global),
            Some(Binding::Builtin(builtin)) => Code::Builtin(builtin),
            Some(Binding::Error) => Code::Error,
            Some(Binding::Form(form)) => {
                self.report(
                    Diagnostic::new(Lv::FormAsValue, span, format!("`{name}` is not a value"))
                        .label("a special form cannot be passed, returned or chosen")
                        .help(format!("write it as the head of a list: `{}`", form.usage())),
                );
                Code::Error
            }
            None => {
                let diagnostic = self.unbound(name, span);
                self.report(diagnostic);
                Code::Error
            }
        }
    }

    fn unbound(&self, name: &str, span: Span) -> Diagnostic {
        if name == "rec" {
            return Diagnostic::new(Lv::RecOutside, span, "`rec` stands outside every `rec-func`")
                .label("there is no loop to go on with")
                .help("`rec` is bound in the body of `(rec-func (parameter …) body)`");
        }
        if RESERVED.contains(&name) {
            return Diagnostic::new(
                Lv::ReservedWord,
                span,
                format!("`{name}` has a meaning at the top level only"),
            )
            .label("inside an expression")
            .help("move the form to the top level, or use `let` for a local name");
        }
        let diagnostic = Diagnostic::new(Lv::UnboundName, span, format!("`{name}` is not bound"))
            .label("not found in this scope");
        if let Some(help) = elsewhere(name) {
            return diagnostic.help(help);
        }
        let mut names: Vec<&str> = Builtin::names().collect();
        names.extend(Form::NAMES.iter().map(|&(name, _)| name));
        names.extend(self.scope.iter().filter(|(_, b)| !b.is_empty()).map(|(&name, _)| name));
        names.sort_unstable();
        match nearest_name(name, names) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("a name must be bound by `define`, `uniform`, `let` or a parameter before it is used"),
        }
    }

    fn malformed(&mut self, form: Form, span: Span, what: impl Into<String>) {
        let usage = form.usage();
        self.report(
            Diagnostic::new(Lv::MalformedForm, span, what).help(format!("write `{usage}`")),
        );
    }

    fn form(&mut self, form: Form, span: Span, head: ExprId, rest: &'t [ExprId]) -> Option<()> {
        let wanted = if form == Form::If { 3 } else { 2 };
        if rest.len() != wanted {
            let name = self.identifier(head).unwrap_or_default();
            let has = rest.len();
            // Point at the first part too many, else at the whole form.
            let at = rest.get(wanted).map_or(span, |&extra| self.tree.get(extra).span);
            self.malformed(
                form,
                at,
                format!("`{name}` has {wanted} parts after its name, not {has}"),
            );
            return None;
        }
        match form {
            Form::If => {
                let visits = rest.iter().map(|&c| Task::Visit(c));
                self.schedule(visits.chain([Task::If { span }]));
            }
            Form::The => {
                let ty = self.type_name(rest[0])?;
                self.schedule([Task::Visit(rest[1]), Task::The { span, ty }]);
            }
            Form::Func | Form::RecFunc => {
                let Some(parameters) = self.list(rest[0]) else {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "the parameters are a list of names");
                    return None;
                };
                if form == Form::RecFunc && parameters.is_empty() {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "a `rec-func` has at least one parameter");
                    return None;
                }
                self.function_tasks(span, form == Form::RecFunc, parameters, rest[1], None)?;
            }
            Form::Let => self.let_(span, rest)?,
            Form::LetStar => {
                let Some(bindings) = self.list(rest[0]) else {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "the bindings are a list of lists");
                    return None;
                };
                self.tasks.push(Task::LetStar { form: span, bindings, body: rest[1] });
            }
        }
        Some(())
    }

    /// The type that an expression names.
    pub(super) fn type_name(&mut self, id: ExprId) -> Option<Type> {
        let span = self.tree.get(id).span;
        let name = self.identifier(id);
        let found = name.and_then(Type::from_name);
        if found.is_none() && !matches!(self.tree.get(id).kind, ExprKind::Error) {
            let diagnostic =
                Diagnostic::new(Lv::UnknownType, span, "there is no type of that name")
                    .label("a type must stand here")
                    .help("the types are num, bool, vec2 to vec4, bvec2 to bvec4 and mat2 to mat4");
            self.report(diagnostic);
        }
        found
    }

    fn function_tasks(
        &mut self,
        span: Span,
        recursive: bool,
        parameters: &'t [ExprId],
        body: ExprId,
        name: Option<&'t str>,
    ) -> Option<()> {
        let form = if recursive { Form::RecFunc } else { Form::Func };
        let mut parsed = Vec::with_capacity(parameters.len());
        for &parameter in parameters {
            parsed.push(self.parameter(form, parameter)?);
        }
        let mut names: Vec<(&str, Option<Form>)> = parsed.iter().map(|p| (p.name, None)).collect();
        self.check_names(parsed.iter().map(|p| (p.name, p.parameter.span)))?;
        if recursive {
            if let Some(rec) = parsed.iter().find(|p| p.name == "rec") {
                self.report(
                    Diagnostic::new(
                        Lv::RecAsParameter,
                        rec.parameter.span,
                        "a parameter of a `rec-func` cannot be named `rec`",
                    )
                    .label("would hide the loop's own `rec`")
                    .help("choose another name"),
                );
                return None;
            }
            names.push(("rec", None));
        }
        let parameters = parsed.into_iter().map(|p| p.parameter).collect();
        // The scope must be closed before the function is made: its level is that outside.
        // A function without parameters opens a scope all the same.
        let open = if names.is_empty() { vec![("", None)] } else { names };
        self.schedule([
            Task::Bind(open.clone()),
            Task::Visit(body),
            Task::Unbind(open),
            Task::Function { span, recursive, parameters, name },
        ]);
        Some(())
    }

    fn parameter(&mut self, form: Form, id: ExprId) -> Option<ParsedParameter<'t>> {
        let span = self.tree.get(id).span;
        if let Some(name) = self.identifier(id) {
            let parameter = Parameter { name: Name::new(name), annotation: None, span };
            return Some(ParsedParameter { name, parameter });
        }
        if let Some(&[name, ty]) = self.list(id)
            && let Some(name) = self.identifier(name)
        {
            let annotation = Some((self.type_name(ty)?, span));
            let parameter = Parameter { name: Name::new(name), annotation, span };
            return Some(ParsedParameter { name, parameter });
        }
        if !matches!(self.tree.get(id).kind, ExprKind::Error) {
            self.malformed(
                form,
                span,
                "a parameter is a name, or a name and a type in parentheses",
            );
        }
        None
    }

    /// Whether the name may be given a meaning; reports it if not.
    pub(super) fn may_bind(&mut self, name: &str, span: Span) -> bool {
        let reserved = RESERVED.contains(&name);
        if reserved {
            let diagnostic =
                Diagnostic::new(Lv::ReservedWord, span, format!("`{name}` is a reserved word"))
                    .label("cannot be given another meaning")
                    .help("choose another name");
            self.report(diagnostic);
        }
        !reserved
    }

    /// Refuses reserved words, and names that one form binds twice.
    fn check_names(&mut self, names: impl Iterator<Item = (&'t str, Span)>) -> Option<()> {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        let mut result = Some(());
        for (name, span) in names {
            if !self.may_bind(name, span) {
                result = None;
                continue;
            }
            match seen.get(name) {
                Some(&first) => {
                    result = None;
                    self.report(
                        Diagnostic::new(
                            Lv::DuplicateName,
                            span,
                            format!("`{name}` is bound twice"),
                        )
                        .label("here again")
                        .also(first, "first here")
                        .help(
                            "the names of one form must differ; `let*` binds one after the other",
                        ),
                    );
                }
                None => {
                    seen.insert(name, span);
                }
            }
        }
        result
    }

    fn binding(&mut self, form: Form, id: ExprId) -> Option<(&'t str, ExprId, Span)> {
        if let Some(&[name, value]) = self.list(id)
            && let Some(text) = self.identifier(name)
        {
            return Some((text, value, self.tree.get(name).span));
        }
        if !matches!(self.tree.get(id).kind, ExprKind::Error) {
            let span = self.tree.get(id).span;
            self.malformed(form, span, "a binding is a list of a name and an expression");
        }
        None
    }

    fn let_(&mut self, span: Span, rest: &'t [ExprId]) -> Option<()> {
        let Some(bindings) = self.list(rest[0]) else {
            let at = self.tree.get(rest[0]).span;
            self.malformed(Form::Let, at, "the bindings are a list of lists");
            return None;
        };
        let mut parsed = Vec::with_capacity(bindings.len());
        for &binding in bindings {
            parsed.push(self.binding(Form::Let, binding)?);
        }
        self.check_names(parsed.iter().map(|&(name, _, span)| (name, span)))?;
        let names: Vec<_> = parsed.iter().map(|&(n, value, _)| (n, self.form_of(value))).collect();
        let (named, mut tasks): (Vec<&str>, Vec<Task<'t>>) = parsed
            .iter()
            .zip(&names)
            .filter(|(_, (_, form))| form.is_none())
            .map(|(&(name, value, _), _)| (name, Task::Visit(value)))
            .unzip();
        tasks.extend([Task::Bind(names.clone()), Task::Visit(rest[1]), Task::Unbind(names)]);
        if !named.is_empty() {
            tasks.push(Task::Let { span, names: named });
        }
        self.schedule(tasks);
        Some(())
    }

    fn let_star(&mut self, span: Span, bindings: &'t [ExprId], body: ExprId) {
        let Some((&first, rest)) = bindings.split_first() else {
            self.tasks.push(Task::Visit(body));
            return;
        };
        let binding = self.binding(Form::LetStar, first);
        let binding = binding.filter(|&(name, _, at)| self.may_bind(name, at));
        let Some((name, value, _)) = binding else {
            let error = self.push(Code::Error, span);
            self.results.push(error);
            return;
        };
        let form = self.form_of(value);
        let names = vec![(name, form)];
        let next = Task::LetStar { form: span, bindings: rest, body };
        if form.is_some() {
            self.schedule([Task::Bind(names.clone()), next, Task::Unbind(names)]);
        } else {
            self.schedule([
                Task::Visit(value),
                Task::Bind(names.clone()),
                next,
                Task::Unbind(names),
                Task::Let { span, names: vec![name] },
            ]);
        }
    }
}

/// Resolves the expansion of a builtin: the text of one expression in which every name is a builtin
/// or a special form.
pub(crate) fn resolve_expansion(arena: &mut CodeArena, text: &str) -> CodeId {
    let source = SourceFile::new("<expansion>", text);
    let (tree, errors) = crate::syntax::parse(&source);
    let mut resolver = Resolver::new(arena, &tree);
    let code = resolver.expression(tree.roots[0]);
    assert!(errors.is_empty() && resolver.diagnostics.is_empty(), "bad expansion: {text}");
    code
}
