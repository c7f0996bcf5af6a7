//! Expressions: a walk over the tree with an explicit stack of tasks.

use super::code::{Abstraction, Case, Code, CodeArena, CodeId, Local};
use super::resolver::{Binding, Recursion, Resolver, Task};
use crate::syntax::{self, ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::Name;
use lambdav_core::source::{SourceFile, Span};

impl<'t> Resolver<'t> {
    /// Resolves a top-level expression.
    pub(super) fn expression(&mut self, id: ExprId) -> CodeId {
        self.run(Task::Visit(id))
    }

    /// Resolves a top-level function: `(define (name parameter …) body)`.
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
            Task::Recursion(parameters) => {
                let rec = Local { level: self.level, index: parameters as u32 };
                let fixed = vec![true; parameters];
                return self.loops.push(Recursion { rec, fixed, loose: 0 });
            }
            Task::Begin(name) => return self.unfinished.push(name),
            Task::Finish => {
                self.unfinished.pop();
                return;
            }
            Task::LetStar { form, bindings, body } => {
                self.let_star(form, bindings, body);
                return;
            }
            Task::Bind(names) => {
                let slots = names.iter().filter(|(_, form)| form.is_none()).count();
                if slots > 0 {
                    self.level += 1;
                    self.used.push(vec![false; slots]);
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
                    self.closed_scope = self.used.pop().expect("the scope was opened");
                }
                for (name, _) in names {
                    self.scope.get_mut(name).and_then(Vec::pop).expect("it was bound");
                }
                return;
            }
            Task::Apply { span, arguments } => {
                let arguments = self.pop(arguments);
                let callee = self.results.pop().expect("the callee comes first");
                self.applied(callee, &arguments);
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
                self.unused_parameters(&parameters);
                let fixed = match recursive.then(|| self.loops.pop()).flatten() {
                    Some(Recursion { fixed, loose: 0, .. }) => fixed.into(),
                    _ => vec![false; parameters.len()].into(),
                };
                let (parameters, name) = (parameters.into(), name.map(Into::into));
                (Code::Function(Abstraction { recursive, fixed, parameters, body, name }), span)
            }
            Task::If { span } => {
                let all = self.pop(3);
                (Code::If([all[0], all[1], all[2]]), span)
            }
            Task::With { span, fields } => {
                let values = self.pop(fields.len());
                let value = self.results.pop().expect("the value comes first");
                let fields = fields.into_iter().zip(values).collect();
                (Code::With { value, fields }, span)
            }
            Task::Tabulate { span, count } => {
                let function = self.results.pop().expect("there is a function");
                (Code::Tabulate(count, function), span)
            }
            Task::Case { span, ty, cases, has_else } => {
                let otherwise = has_else.then(|| self.results.pop().expect("it comes last"));
                let bodies = self.pop(cases.len());
                let scrutinee = self.results.pop().expect("the scrutinee comes first");
                let arms = cases.into_iter().zip(bodies).collect();
                (Code::Case(Case { ty, scrutinee, arms, otherwise }.into()), span)
            }
            Task::Mode { span, eager } => {
                let value = self.results.pop().expect("there is an expression");
                (Code::Mode { eager, value }, span)
            }
            Task::The { span, ty } => {
                let value = self.results.pop().expect("an annotation has an expression");
                (Code::The(ty, value), span)
            }
        };
        let code = self.push(code, span);
        self.results.push(code);
    }

    /// For an application of a `rec`: records the parameters that it passes on unchanged.
    fn applied(&mut self, callee: CodeId, arguments: &[CodeId]) {
        let Code::Local(rec) = *self.arena.get(callee) else { return };
        let passed: Vec<Option<u32>> = arguments
            .iter()
            .map(|&argument| match *self.arena.get(argument) {
                Code::Local(Local { level, index }) if level == rec.level => Some(index),
                _ => None,
            })
            .collect();
        let Some(recursion) = self.recursion(rec) else { return };
        recursion.loose -= 1;
        for (index, fixed) in (0..).zip(&mut recursion.fixed) {
            *fixed &= passed.get(index as usize) == Some(&Some(index));
        }
    }

    /// The `rec-func` to which this `rec` belongs.
    pub(super) fn recursion(&mut self, rec: Local) -> Option<&mut Recursion> {
        let at = self.loops.binary_search_by_key(&rec.level, |of| of.rec.level).ok()?;
        self.loops.get_mut(at).filter(|of| of.rec == rec)
    }

    /// The code of a leaf; `None` if tasks were pushed that will leave the result.
    fn visit(&mut self, id: ExprId) -> Option<Code> {
        let expr = self.tree.get(id);
        match &expr.kind {
            ExprKind::Number { value, index } => Some(Code::Number(*value, *index)),
            ExprKind::Integer(scalar, bits) => Some(Code::Integer(*scalar, *bits)),
            ExprKind::Bool(b) => Some(Code::Bool(*b)),
            ExprKind::Error => Some(Code::Error),
            ExprKind::String(_) => {
                let message = "a string is not a value";
                self.report(
                    Diagnostic::new(DiagnosticCode::StringAsValue, expr.span, message)
                        .label("no value is written so")
                        .help("strings are the paths of `(include \"path\")` at the top level"),
                );
                Some(Code::Error)
            }
            ExprKind::Identifier(name) => Some(self.name(name, expr.span)),
            ExprKind::List(children) => match children.split_first() {
                None => {
                    self.report(
                        Diagnostic::new(
                            DiagnosticCode::EmptyList,
                            expr.span,
                            "an empty list means nothing",
                        )
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
                    None if self.is_foreign_form(head) => {
                        let name = self.identifier(head).expect("it is a name");
                        self.name(name, self.tree.get(head).span);
                        Some(Code::Error)
                    }
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
}

/// Resolves the expansion of a builtin: one expression in which every free name is a builtin or a special
/// form.
pub(crate) fn resolve_expansion(arena: &mut CodeArena, text: &str) -> CodeId {
    let source = SourceFile::new("<expansion>", text);
    let (tree, errors) = syntax::parse(&source);
    let mut resolver = Resolver::new(arena, &tree, 1);
    resolver.lints = false;
    let code = resolver.expression(tree.roots[0]);
    assert!(errors.is_empty() && resolver.diagnostics.is_empty(), "bad expansion: {text}");
    code
}
