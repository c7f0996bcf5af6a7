//! `with` and `case`: shapes, and coverage of cases.

use super::declared::{FieldName, Former};
use super::resolver::{Binding, Form, Resolver, Task};
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rustc_hash::FxHashMap;

/// A clause of a `case`.
struct Clause<'t> {
    case: u32,
    names: Vec<&'t str>,
    body: ExprId,
}

impl<'t> Resolver<'t> {
    /// `(with value (field e) …)`, without its head.
    pub(super) fn with(&mut self, span: Span, rest: &'t [ExprId]) -> Option<()> {
        let Some((&value, replaced)) = rest.split_first().filter(|(_, rest)| !rest.is_empty())
        else {
            let what = "`with` has a structure and at least one field with its new value";
            self.malformed(Form::With, span, what);
            return None;
        };
        let (mut fields, mut visits) = (Vec::new(), vec![Task::Visit(value)]);
        let mut spans: FxHashMap<FieldName, Span> = FxHashMap::default();
        for &clause in replaced {
            let at = self.tree.get(clause).span;
            let (name, e) = match self.list(clause) {
                Some(&[name, e]) => (self.identifier(name), e),
                _ => (None, clause),
            };
            let Some(name) = name else {
                if !matches!(self.tree.get(clause).kind, ExprKind::Error) {
                    self.malformed(Form::With, at, "a field and its new value are a list of two");
                }
                return None;
            };
            let Some(field) = self.declarations.known_field(name) else {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::NoSuchField,
                        at,
                        format!("no structure has a field `{name}`"),
                    )
                    .help("fields are declared by `(struct NAME field …)`"),
                );
                return None;
            };
            if let Some(&first) = spans.get(&field) {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::DuplicateName,
                        at,
                        format!("the field `{name}` is given twice"),
                    )
                    .label("here again")
                    .also(first, "first here")
                    .help("give each field one new value"),
                );
                return None;
            }
            fields.push(field);
            spans.insert(field, at);
            visits.push(Task::Visit(e));
        }
        self.schedule(visits.into_iter().chain([Task::With { span, fields }]));
        Some(())
    }

    /// `(case e ((CASE name …) body) … (else body))`, without its head.
    pub(super) fn case(&mut self, span: Span, rest: &'t [ExprId]) -> Option<()> {
        let Some((&scrutinee, clauses)) = rest.split_first().filter(|(_, rest)| !rest.is_empty())
        else {
            self.malformed(Form::Case, span, "`case` has a variant and its cases");
            return None;
        };
        let mut of: Option<(Type, Span)> = None;
        let mut parsed = Vec::<Clause<'t>>::new();
        let mut spans: FxHashMap<u32, Span> = FxHashMap::default();
        let mut otherwise: Option<(ExprId, Span)> = None;
        let mut is_sound = true;
        for &clause in clauses {
            let at = self.tree.get(clause).span;
            let Some(&[pattern, body]) = self.list(clause) else {
                if !matches!(self.tree.get(clause).kind, ExprKind::Error) {
                    let what = "a clause is a list of a pattern, or `else`, and a body";
                    self.malformed(Form::Case, at, what);
                }
                return None;
            };
            if let Some((_, first)) = otherwise {
                self.wrong_cases(at, "this clause is never reached", Some((first, "after this")));
                is_sound = false;
                continue;
            }
            if self.identifier(pattern) == Some("else") {
                otherwise = Some((body, at));
                continue;
            }
            let (ty, case, names) = self.pattern(pattern)?;
            match of {
                Some((first, first_span)) if first != ty => {
                    let [first, other] =
                        [first, ty].map(|ty| self.declarations.types.name(ty).to_string());
                    self.wrong_cases(
                        self.tree.get(pattern).span,
                        format!("this is a case of `{other}`"),
                        Some((first_span, &format!("this one is of `{first}`"))),
                    );
                    return None;
                }
                Some(_) => {}
                None => of = Some((ty, at)),
            }
            if let Some(&first) = spans.get(&case) {
                self.wrong_cases(at, "this case is there twice", Some((first, "first here")));
                is_sound = false;
                continue;
            }
            parsed.push(Clause { case, names, body });
            spans.insert(case, at);
        }
        let Some((ty, _)) = of else {
            self.wrong_cases(span, "a `case` of `else` alone decides nothing", None);
            return None;
        };
        let variant = self.declarations.types.variant(ty).expect("a case belongs to a variant");
        let missing: Vec<String> = variant
            .cases
            .iter()
            .zip(0..)
            .filter(|(_, index)| !spans.contains_key(index))
            .map(|(case, _)| format!("`{}`", case.name))
            .collect();
        match otherwise {
            Some((_, at)) if missing.is_empty() => {
                let message = "nothing is left for `else`";
                self.wrong_cases(at, message, None);
                is_sound = false;
            }
            None if !missing.is_empty() => {
                let more = if missing.len() > 4 { ", …" } else { "" };
                let all = missing[..missing.len().min(4)].join(", ");
                self.wrong_cases(span, format!("there is no clause for {all}{more}"), None);
                is_sound = false;
            }
            _ => {}
        }
        if !is_sound {
            return None;
        }
        let cases = parsed.iter().map(|clause| clause.case).collect();
        let mut tasks = vec![Task::Visit(scrutinee)];
        for Clause { names, body, .. } in parsed {
            let scope: Vec<(&str, Option<Form>)> =
                names.into_iter().map(|name| (if name == "_" { "" } else { name }, None)).collect();
            if scope.is_empty() {
                tasks.push(Task::Visit(body));
            } else {
                tasks.extend([Task::Bind(scope.clone()), Task::Visit(body), Task::Unbind(scope)]);
            }
        }
        tasks.extend(otherwise.map(|(body, _)| Task::Visit(body)));
        tasks.push(Task::Case { span, ty, cases, has_else: otherwise.is_some() });
        self.schedule(tasks);
        Some(())
    }

    fn wrong_cases(&mut self, at: Span, message: impl Into<String>, also: Option<(Span, &str)>) {
        let mut diagnostic = Diagnostic::new(DiagnosticCode::WrongCases, at, message)
            .help("write one clause for each case of the variant, or `(else body)` for the rest");
        if let Some((span, label)) = also {
            diagnostic = diagnostic.also(span, label);
        }
        self.report(diagnostic);
    }

    /// Resolves `(CASE name …)`: the variant, the case, and the names for its fields.
    fn pattern(&mut self, id: ExprId) -> Option<(Type, u32, Vec<&'t str>)> {
        let span = self.tree.get(id).span;
        let parts = self.list(id).and_then(<[_]>::split_first);
        let head = parts.and_then(|(&head, _)| Some((head, self.identifier(head)?)));
        let (Some((head, name)), Some((_, names))) = (head, parts) else {
            if !matches!(self.tree.get(id).kind, ExprKind::Error) {
                let what = "a pattern is a list of a case and names for its fields, or `else`";
                self.malformed(Form::Case, span, what);
            }
            return None;
        };
        let at = self.tree.get(head).span;
        let (ty, case) = match self.lookup(name) {
            Some(Binding::Former(Former::Case(ty, case))) => (ty, case),
            Some(Binding::Error) => return None,
            None => {
                self.name(name, at);
                return None;
            }
            Some(_) => {
                self.wrong_cases(at, format!("`{name}` is not a case of a variant"), None);
                return None;
            }
        };
        let mut parsed = Vec::with_capacity(names.len());
        for &name in names {
            let Some(text) = self.identifier(name) else {
                let at = self.tree.get(name).span;
                if !matches!(self.tree.get(name).kind, ExprKind::Error) {
                    self.malformed(Form::Case, at, "a field is bound to a name, or to `_`");
                }
                return None;
            };
            parsed.push((text, self.tree.get(name).span));
        }
        self.check_names(parsed.iter().copied().filter(|(name, _)| *name != "_"))?;
        let names: Vec<&'t str> = parsed.into_iter().map(|(name, _)| name).collect();
        let of = self.declarations.types.case(ty, case).expect("the variant has this case");
        let fields = of.fields.len();
        if names.len() != fields {
            let plural = if fields == 1 { "field" } else { "fields" };
            let message = format!("`{name}` has {fields} {plural}, not {}", names.len());
            self.malformed(Form::Case, span, message);
            return None;
        }
        Some((ty, case, names))
    }
}
