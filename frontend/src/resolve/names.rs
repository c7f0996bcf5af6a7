//! Lookup of names, advice for unbound ones, and checks of names to be bound.

use super::code::Code;
use super::declared::{Former, StructureDeclaration};
use super::elsewhere::{elsewhere, is_form_elsewhere};
use super::resolver::{Binding, Form, Resolver, Unfinished};
use crate::builtins::{Builtin, swizzle_advice};
use crate::syntax::ExprId;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Severity, nearest_name};
use lambdav_core::limits;
use lambdav_core::source::Span;
use rustc_hash::FxHashMap;

/// The words reserved at the top level.
const RESERVED: [&str; 3] = ["define", "output", "uniform"];

impl<'t> Resolver<'t> {
    pub(super) fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some(bindings) = self.scope.get(name)
            && let Some(&binding) = bindings.last()
        {
            return Some(binding);
        }
        if let Some(field) = name.strip_prefix('.')
            && let Some(field) = self.declarations.known_field(field)
        {
            return Some(Binding::Former(Former::Field(field)));
        }
        match name {
            "array" => Some(Binding::Former(Former::Array)),
            "size-of" => Some(Binding::Former(Former::SizeOf)),
            "count" => Some(Binding::Former(Former::Count)),
            "id" => Some(Binding::Former(Former::Id)),
            _ => Form::from_name(name)
                .map(Binding::Form)
                .or_else(|| Builtin::lookup(name).map(Binding::Builtin)),
        }
    }

    /// The special form that an expression names; `None` for others.
    pub(super) fn form_of(&self, id: ExprId) -> Option<Form> {
        match self.lookup(self.identifier(id)?)? {
            Binding::Form(form) => Some(form),
            _ => None,
        }
    }

    pub(super) fn name(&mut self, name: &'t str, span: Span) -> Code {
        match self.lookup(name) {
            Some(Binding::Local(local)) => {
                self.used[local.level as usize - 1][local.index as usize] = true;
                if let Some(of) = self.recursion(local) {
                    of.loose += 1;
                }
                Code::Local(local)
            }
            Some(Binding::Global(global)) => {
                self.used_globals.insert(global);
                Code::Global(global)
            }
            Some(Binding::Builtin(builtin)) => Code::Builtin(builtin),
            Some(Binding::Former(former)) => Code::Former(former),
            Some(Binding::Error) => Code::Error,
            Some(Binding::Form(form)) => {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::FormAsValue,
                        span,
                        format!("`{name}` is not a value"),
                    )
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

    fn unbound(&mut self, name: &str, span: Span) -> Diagnostic {
        if name == "rec" {
            return Diagnostic::new(
                DiagnosticCode::RecOutside,
                span,
                "`rec` stands outside every `rec-func`",
            )
            .label("there is no loop to go on with")
            .help("`rec` is bound in the body of `(rec-func (parameter …) body)`");
        }
        if RESERVED.contains(&name) {
            return Diagnostic::new(
                DiagnosticCode::ReservedWord,
                span,
                format!("`{name}` has a meaning at the top level only"),
            )
            .label("inside an expression")
            .help("move the form to the top level, or use `let` for a local name");
        }
        let diagnostic =
            Diagnostic::new(DiagnosticCode::UnboundName, span, format!("`{name}` is not bound"))
                .label("not found in this scope");
        if let Some(diagnostic) = self.bound_too_late(name, &diagnostic) {
            return diagnostic;
        }
        let may_look =
            self.diagnostics.has_room(Severity::Error) && self.suggestions < limits::SUGGESTIONS;
        if may_look && let Some(at) = self.bound_below(name) {
            self.suggestions += 1;
            return self.defined_below(diagnostic, at);
        }
        if let Some(help) = elsewhere(name) {
            return diagnostic.help(help);
        }
        if let Some(help) = self.parts_advice(name) {
            return diagnostic.help(help);
        }
        if may_look && let Some(help) = self.fields_advice(name) {
            self.suggestions += 1;
            return diagnostic.help(help);
        }
        if let Some(help) = swizzle_advice(name) {
            return diagnostic.help(help);
        }
        if !may_look {
            return diagnostic;
        }
        self.suggestions += 1;
        let mut names: Vec<&str> = Builtin::names().collect();
        names.extend(["array", "size-of", "count", "id"]);
        names.extend(Form::NAMES.iter().map(|&(name, _)| name));
        names.extend(self.scope.iter().filter(|(_, b)| !b.is_empty()).map(|(&name, _)| name));
        names.sort_unstable();
        match nearest_name(name, names) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("a name must be bound by `define`, `uniform`, `let` or a parameter before it is used"),
        }
    }

    /// True if a list with this head is a form in another language and has no meaning here.
    pub(super) fn is_foreign_form(&self, head: ExprId) -> bool {
        let is_foreign = |name| is_form_elsewhere(name) && self.lookup(name).is_none();
        self.identifier(head).is_some_and(is_foreign)
    }

    /// The position where a later top-level form binds the name.
    fn bound_below(&self, name: &str) -> Option<Span> {
        const BINDING: [&str; 6] = ["define", "uniform", "constant", "texture", "buffer", "struct"];
        self.declared_below(|parts| {
            let (&head, rest) = parts.split_first()?;
            let is_it = |id: &ExprId| self.identifier(*id) == Some(name);
            let first = |id: ExprId| self.list(id).and_then(<[_]>::first).copied().unwrap_or(id);
            match self.identifier(head)? {
                "variant" => rest.iter().skip(1).map(|&case| first(case)).find(is_it),
                word if BINDING.contains(&word) => rest.first().map(|&id| first(id)).filter(is_it),
                _ => None,
            }
        })
    }

    /// The position of the first expression that `find` returns for a later top-level form.
    pub(super) fn declared_below(
        &self,
        find: impl Fn(&'t [ExprId]) -> Option<ExprId>,
    ) -> Option<Span> {
        let coming = self.tree.roots.get(self.next_root..).unwrap_or_default();
        let found = coming.iter().find_map(|&root| find(self.list(root)?))?;
        Some(self.tree.get(found).span)
    }

    /// A finding about a use before the definition at `at`.
    pub(super) fn defined_below(&self, finding: Diagnostic, at: Span) -> Diagnostic {
        let line = self.source.map(|source| source.line_column(at.start).line);
        let line = line.map_or(String::new(), |line| format!(" on line {line}"));
        finding
            .label("not yet defined here")
            .also(at, format!("defined{line}, below"))
            .help("a definition is for what comes after it: move it before this")
    }

    /// Advice for `v.x`, `a[0]` and `a+b`, written as one word.
    fn parts_advice(&self, name: &str) -> Option<String> {
        let is_name = |part: &str| {
            part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        };
        let mut parts = name.split('.');
        let mut made = parts.next().unwrap_or_default().to_owned();
        let rest: Vec<&str> = parts.collect();
        if is_name(&made) && !rest.is_empty() && rest.iter().all(|part| is_name(part)) {
            for part in rest {
                made = format!("(.{part} {made})");
            }
            return Some(format!("a component or field is taken by a function: write `{made}`"));
        }
        let (whole, index) = name.strip_suffix(']')?.split_once('[')?;
        let is_index = is_name(index) || index.parse::<u32>().is_ok();
        (is_name(whole) && is_index)
            .then(|| format!("an element is taken by a function: write `(at {whole} {index})`"))
    }

    /// Advice for an unknown accessor: the fields of the program's structures.
    fn fields_advice(&self, name: &str) -> Option<String> {
        let field = name.strip_prefix('.').filter(|field| !field.is_empty())?;
        let structures = &self.declarations.structures;
        // Letters of swizzles only: meant as a swizzle.
        if structures.is_empty() || field.chars().all(|c| "xyzwrgbastpq".contains(c)) {
            return None;
        }
        let fields = |of: &StructureDeclaration| -> Vec<String> {
            of.fields
                .iter()
                .map(|f| format!("`.{}`", self.declarations.field_name(f.name)))
                .collect()
        };
        let known = structures.iter().flat_map(|of| of.fields.iter());
        let known: Vec<&str> = known.map(|f| &**self.declarations.field_name(f.name)).collect();
        if let Some(near) = nearest_name(field, known.iter().copied()) {
            return Some(format!("no structure has a field `{field}`; did you mean `.{near}`?"));
        }
        let shown = structures.iter().take(4).map(|of| match fields(of).as_slice() {
            [] => format!("{} has none", of.name),
            all => format!("{} has {}", of.name, all.join(", ")),
        });
        let shown: Vec<String> = shown.collect();
        Some(format!("no structure has a field `{field}`: {}", shown.join("; ")))
    }

    /// The finding for a name whose value, or a value beside it, is still being resolved: the name is bound
    /// only afterwards.
    fn bound_too_late(&self, name: &str, finding: &Diagnostic) -> Option<Diagnostic> {
        let is_it = |id: ExprId| self.identifier(id) == Some(name);
        let bound = |binding: ExprId| self.list(binding).and_then(<[_]>::first).copied();
        for &unfinished in self.unfinished.iter().rev() {
            let (own, others) = match unfinished {
                Unfinished::Define(own) => (Some(own), &[][..]),
                Unfinished::Binding(bindings, i) => (bound(bindings[i]), bindings),
            };
            if let Some(own) = own.filter(|&own| is_it(own)) {
                return Some(
                    finding
                        .clone()
                        .label("not yet bound in its own value")
                        .also(self.tree.get(own).span, "this is its value")
                        .help(
                            "a function cannot call itself; a loop is written \
                             `((rec-func (n …) (if done result (rec next …))) first …)`",
                        ),
                );
            }
            let beside = others.iter().filter_map(|&binding| bound(binding)).find(|&id| is_it(id));
            if let Some(beside) = beside {
                return Some(
                    finding
                        .clone()
                        .also(self.tree.get(beside).span, "bound for the body alone")
                        .help("`let*` binds one name after the other: each value can use those before it"),
                );
            }
        }
        None
    }

    /// True if the name may be bound; reports it if not.
    pub(super) fn may_bind(&mut self, name: &str, span: Span) -> bool {
        let reserved = RESERVED.contains(&name);
        if reserved {
            let diagnostic = Diagnostic::new(
                DiagnosticCode::ReservedWord,
                span,
                format!("`{name}` is a reserved word"),
            )
            .label("cannot be given another meaning")
            .help("choose another name");
            self.report(diagnostic);
        }
        !reserved
    }

    /// Refuses reserved words, and names that one form binds twice.
    pub(super) fn check_names(
        &mut self,
        names: impl Iterator<Item = (&'t str, Span)>,
    ) -> Option<()> {
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
                            DiagnosticCode::DuplicateName,
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
}
