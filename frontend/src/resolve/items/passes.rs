//! Results and passes (LANGUAGE §18).

use super::{
    GlobalValue, Pass, PassSize, ResultItem, ResultLength, TopLevel, WriteIndex, WriteItem,
};
use crate::resolve::code::CodeId;
use crate::resolve::declared::Former;
use crate::resolve::resolver::Binding;
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Combine, Way};
use lambdav_core::limits::{BUFFER_WORDS, PASSES, WRITE_WORDS};
use lambdav_core::source::Span;
use lambdav_core::types::{Resource, ResourceKind, Scalar, Type, TypeKind, Types};
use rustc_hash::FxHashMap;

const RESULT: &str = "(result NAME TYPE N)";
const PASS: &str = "(pass NAME (size X) write …)";
const SCATTER: &str = "(scatter BUFFER index value unique (when condition))";
const COMBINE: &str = "(combine BUFFER index value add (when condition))";
const APPEND: &str = "(append BUFFER value (when condition))";

/// The types of elements of results, for messages.
const ELEMENTS: &str =
    "use num, int, uint, a vector of these, mat2 to mat4, or structures and arrays of such";

/// True if the elements of a result may have this type.
fn fits_result(types: &Types, element: Type) -> bool {
    types.fits_element(element) && !types.scalars(element).any(|scalar| scalar == Scalar::Bool)
}

impl<'t> TopLevel<'t> {
    /// `(result NAME TYPE N)`, without its head.
    pub(super) fn result(&mut self, span: Span, rest: &'t [ExprId]) {
        let &[target, ty, length] = rest else {
            let at = rest.get(3).map_or(span, |&extra| self.resolver.tree.get(extra).span);
            let what = format!("`result` has 3 parts after its name, not {}", rest.len());
            self.malformed(at, what, RESULT);
            return self.bind_malformed(rest.first().copied());
        };
        let name_span = self.resolver.tree.get(target).span;
        let Some(name) = self.resolver.identifier(target) else {
            return self.malformed(name_span, "`result` needs a name", RESULT);
        };
        let type_span = self.resolver.tree.get(ty).span;
        let element = self.resolver.complete_type(ty);
        let length_span = self.resolver.tree.get(length).span;
        let length = self.result_length(length);
        if !self.resolver.may_bind(name, name_span) {
            return;
        }
        let is_new = self.may_be_set("result", name, name_span);
        if self.items.results.len() == PASSES {
            self.too_many("results", name_span);
            return self.resolver.bind_global(name, Binding::Error);
        }
        let (Some(element), Some(length), true) = (element, length, is_new) else {
            return self.resolver.bind_global(name, Binding::Error);
        };
        let types = &mut self.resolver.declarations.types;
        if !fits_result(types, element) {
            let message = format!("an element of type {} cannot be written", types.name(element));
            let diagnostic = Diagnostic::new(DiagnosticCode::UniformType, type_span, message);
            self.resolver.report(diagnostic.help(ELEMENTS));
            return self.resolver.bind_global(name, Binding::Error);
        }
        if let ResultLength::Elements(count) = length
            && u64::from(count) * types.components(element) as u64 > BUFFER_WORDS.into()
        {
            let message = format!("the result `{name}` has too many elements");
            let note = format!("a buffer has at most {BUFFER_WORDS} words");
            let diagnostic = Diagnostic::new(DiagnosticCode::ResultLength, length_span, message);
            self.resolver.report(diagnostic.note(note));
            return self.resolver.bind_global(name, Binding::Error);
        }
        let kind = ResourceKind::Buffer(element);
        let ty = types.add_resource(Resource { name: name.into(), kind });
        let item = ResultItem {
            ty,
            element,
            length,
            span,
            length_span,
            is_appended: false,
            counter: None,
        };
        self.results_of.insert(ty, self.items.results.len());
        self.items.results.push(item);
        self.add_global(name, GlobalValue::Resource(ty, span));
    }

    /// The number of elements of a result; reports others.
    fn result_length(&mut self, id: ExprId) -> Option<ResultLength> {
        let expr = self.resolver.tree.get(id);
        let found = match &expr.kind {
            ExprKind::Error => return None,
            &ExprKind::Number { index: Some(count @ 1..), .. } => {
                Some(ResultLength::Elements(count))
            }
            ExprKind::Identifier(name) => match self.resolver.lookup(name) {
                Some(Binding::Error) => return None,
                Some(Binding::Global(global)) => match self.items.globals[global as usize] {
                    GlobalValue::Constant(index) => {
                        self.resolver.used_globals.insert(global);
                        Some(ResultLength::Constant(index))
                    }
                    _ => None,
                },
                _ => None,
            },
            ExprKind::List(list) => match list[..] {
                [head, buffer] if self.is_count(head) => match self.resource_named(buffer) {
                    Some(Err(())) => return None,
                    Some(Ok(ty)) if !self.results_of.contains_key(&ty) => {
                        let kind = self.resolver.declarations.types.resource_kind(ty);
                        matches!(kind, Some(ResourceKind::Buffer(_)))
                            .then_some(ResultLength::Of(ty))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        if found.is_none() {
            let message = "this is no length of a result";
            let help = "write digits, the name of a `constant`, or `(count BUFFER)` of a `buffer`";
            self.resolver.report(
                Diagnostic::new(DiagnosticCode::ResultLength, expr.span, message)
                    .label("must be known before anything runs, and at least 1")
                    .help(help),
            );
        }
        found
    }

    /// True for the name of the builtin `count`.
    fn is_count(&self, head: ExprId) -> bool {
        let name = self.resolver.identifier(head);
        let binding = name.and_then(|name| self.resolver.lookup(name));
        matches!(binding, Some(Binding::Former(Former::Count)))
    }

    /// The type of the resource that an expression names; `Err` for an erroneous declaration, none for others.
    fn resource_named(&mut self, id: ExprId) -> Option<Result<Type, ()>> {
        match self.resolver.lookup(self.resolver.identifier(id)?)? {
            Binding::Error => Some(Err(())),
            Binding::Global(global) => match self.items.globals[global as usize] {
                GlobalValue::Resource(ty, _) => {
                    self.resolver.used_globals.insert(global);
                    Some(Ok(ty))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `(pass NAME (size X) form …)`, without its head.
    pub(super) fn pass(&mut self, span: Span, rest: &'t [ExprId]) {
        // A program may have passes alone.
        self.attempted_output = true;
        let &[target, size, ref forms @ ..] = rest else {
            return self.malformed(span, "`pass` needs a name and a size", PASS);
        };
        let name_span = self.resolver.tree.get(target).span;
        let Some(name) = self.resolver.identifier(target) else {
            if !matches!(self.resolver.tree.get(target).kind, ExprKind::Error) {
                self.malformed(name_span, "`pass` needs a name", PASS);
            }
            return;
        };
        let first = *self.pass_spans.entry(name).or_insert(name_span);
        if first != name_span {
            let message = format!("a second pass named `{name}`");
            let diagnostic = Diagnostic::new(DiagnosticCode::DuplicatePass, name_span, message)
                .label("here again")
                .also(first, "first here")
                .help("messages call a pass by its name, so these must differ");
            self.resolver.report(diagnostic);
        }
        if self.items.passes.len() == PASSES {
            return self.too_many("passes", name_span);
        }
        let size = self.pass_size(size);
        let mut pass = Pass { name: name.to_owned(), span: name_span, size, writes: Vec::new() };
        let (mut ways, mut hidden) = (FxHashMap::default(), Vec::new());
        for &form in forms {
            self.pass_form(form, &mut pass, &mut ways, &mut hidden);
        }
        // The pass's own names end here.
        while let Some((name, bindings, span)) = hidden.pop() {
            match bindings {
                Some(bindings) => self.resolver.scope.insert(name, bindings),
                None => self.resolver.scope.remove(name),
            };
            match span {
                Some(span) => self.define_spans.insert(name, span),
                None => self.define_spans.remove(name),
            };
        }
        self.items.passes.push(pass);
    }

    /// Reports a result or a pass beyond the limit.
    fn too_many(&mut self, what: &str, span: Span) {
        let message = format!("the program has too many {what}");
        let diagnostic = Diagnostic::new(DiagnosticCode::ExpansionTooLarge, span, message);
        let note = format!("a program has at most {PASSES} {what}");
        self.resolver.report(diagnostic.label("with this one").note(note));
    }

    /// The numbers of ids; reports a malformed list.
    fn pass_size(&mut self, id: ExprId) -> Vec<PassSize> {
        let expr = self.resolver.tree.get(id);
        let list = self.resolver.list(id).and_then(<[_]>::split_first);
        let parts = match list {
            Some((&head, parts)) if self.resolver.identifier(head) == Some("size") => parts,
            _ => {
                if !matches!(expr.kind, ExprKind::Error) {
                    self.malformed(expr.span, "a pass begins with its size", PASS);
                }
                return Vec::new();
            }
        };
        if !(1..=3).contains(&parts.len()) {
            let what = format!("`size` has 1 to 3 parts after its name, not {}", parts.len());
            self.malformed(expr.span, what, "(size X)`, `(size X Y)` or `(size X Y Z)");
            return Vec::new();
        }
        let one = |&part: &ExprId| match self.resolver.tree.get(part).kind {
            ExprKind::Number { index: Some(count), .. } => {
                PassSize::Token(count, self.resolver.tree.get(part).span)
            }
            _ => PassSize::Code(self.resolver.expression(part)),
        };
        parts.iter().map(one).collect()
    }

    /// A `define` or a write of a pass.
    fn pass_form(
        &mut self,
        id: ExprId,
        pass: &mut Pass,
        ways: &mut FxHashMap<Type, (Way, Span)>,
        hidden: &mut Vec<Hidden<'t>>,
    ) {
        let expr = self.resolver.tree.get(id);
        let list = self.resolver.list(id).and_then(<[_]>::split_first);
        let word = list.and_then(|(&head, _)| self.resolver.identifier(head));
        let (Some(word), Some((_, rest))) = (word, list) else {
            if !matches!(expr.kind, ExprKind::Error) {
                self.no_write(expr.span);
            }
            return;
        };
        match word {
            "define" => {
                let target = rest.first().copied();
                let target = target.map(|target| {
                    self.resolver.list(target).and_then(<[_]>::first).copied().unwrap_or(target)
                });
                if let Some(name) = target.and_then(|target| self.resolver.identifier(target)) {
                    let bindings = self.resolver.scope.get(name).cloned();
                    hidden.push((name, bindings, self.define_spans.get(name).copied()));
                }
                self.define(expr.span, rest);
            }
            "scatter" | "combine" | "append" => {
                self.write(word, expr.span, rest, pass, ways);
            }
            _ => self.no_write(expr.span),
        }
    }

    fn no_write(&mut self, span: Span) {
        let help = "define`, `scatter`, `combine` or `append";
        self.malformed(span, "this is no form of a pass", help);
    }

    /// A write, without its head.
    fn write(
        &mut self,
        word: &str,
        span: Span,
        rest: &'t [ExprId],
        pass: &mut Pass,
        ways: &mut FxHashMap<Type, (Way, Span)>,
    ) {
        let (usage, most) = match word {
            "scatter" => (SCATTER, 5),
            "combine" => (COMBINE, 5),
            _ => (APPEND, 3),
        };
        let (mut parts, mut condition) = (rest, None);
        if let Some((&last, before)) = rest.split_last()
            && let Some(&[head, of]) = self.resolver.list(last)
            && self.resolver.identifier(head) == Some("when")
            && before.len() > 1
        {
            (parts, condition) = (before, Some(of));
        }
        let (target, index, value, option) = match (word, parts) {
            ("append", &[target, value]) => (target, None, value, None),
            ("scatter", &[target, index, value]) => (target, Some(index), value, None),
            ("scatter" | "combine", &[target, index, value, option]) => {
                (target, Some(index), value, Some(option))
            }
            _ => {
                let at = rest.get(most).map_or(span, |&extra| self.resolver.tree.get(extra).span);
                return self.malformed(at, format!("`{word}` has another shape"), usage);
            }
        };
        let option_span = option.map_or(span, |option| self.resolver.tree.get(option).span);
        let way = match (word, option.map(|option| self.resolver.identifier(option))) {
            ("append", _) => Some(Way::Append),
            ("scatter", None) => Some(Way::Scatter),
            ("scatter", Some(Some("unique"))) => Some(Way::Unique),
            ("combine", Some(Some(name))) => Combine::from_name(name).map(Way::Combine),
            _ => None,
        };
        if way.is_none() {
            let what = match word {
                "scatter" => "this is no option of `scatter`",
                _ => "`combine` has one of add, min, max, bit-and, bit-or, bit-xor here",
            };
            self.malformed(option_span, what, usage);
        }
        let index = index.map(|index| match self.resolver.tree.get(index).kind {
            ExprKind::Number { index: Some(digits), .. } => {
                WriteIndex::Token(digits, self.resolver.tree.get(index).span)
            }
            _ => WriteIndex::Code(self.resolver.expression(index)),
        });
        let value = self.resolver.expression(value);
        let condition = condition.map(|condition| self.resolver.expression(condition));
        let target_span = self.resolver.tree.get(target).span;
        let ty = match self.resource_named(target) {
            Some(Ok(ty)) if self.results_of.contains_key(&ty) => ty,
            Some(Err(())) => return,
            found => return self.no_result(target, target_span, found.is_some()),
        };
        let Some(way) = way else { return };
        let number = self.results_of[&ty];
        let element = self.items.results[number].element;
        let types = &self.resolver.declarations.types;
        self.write_words += types.components(element);
        if self.write_words > WRITE_WORDS {
            let message = "the writes of all passes are too large together";
            let note = format!("their elements have at most {WRITE_WORDS} words");
            let diagnostic = Diagnostic::new(DiagnosticCode::ExpansionTooLarge, span, message);
            self.resolver.report(diagnostic.label("with this one").note(note));
            return;
        }
        if let Way::Combine(combine) = way
            && !combine.fits(types, element)
        {
            let (name, found) = (combine.name(), types.name(element));
            let message = format!("`{name}` does not combine elements of type {found}");
            let is_nums = element.is_num();
            let help = match (combine, *types.kind(element)) {
                (Combine::Add, _) if is_nums => {
                    "a sum of nums depends on the order: add integers, such as `(int (* 65536 x))`"
                }
                (Combine::Min | Combine::Max, TypeKind::Vector(..)) if is_nums => {
                    "write the components to results of their own"
                }
                _ => "integers and vectors of them take all operations, a num takes min and max",
            };
            let diagnostic = Diagnostic::new(DiagnosticCode::WriteType, option_span, message);
            self.resolver.report(diagnostic.help(help));
            return;
        }
        let (first, at) = *ways.entry(ty).or_insert((way, span));
        if first != way && !(first.is_scatter() && way.is_scatter()) {
            let name = self.resolver.identifier(target).unwrap_or_default();
            let message = format!("the pass writes `{name}` in two ways");
            let help = "within a pass a buffer has scatters, combines of one operation, or appends; use two passes";
            let diagnostic = Diagnostic::new(DiagnosticCode::MixedWrites, span, message)
                .label("another way here")
                .also(at, "first here")
                .help(help);
            self.resolver.report(diagnostic);
            return;
        }
        if way == Way::Append {
            self.items.results[number].is_appended = true;
        }
        pass.writes.push(WriteItem { way, ty, element, index, value, condition, span });
    }

    /// Reports a write to something that is no result.
    fn no_result(&mut self, target: ExprId, span: Span, is_resource: bool) {
        let expr = self.resolver.tree.get(target);
        if matches!(expr.kind, ExprKind::Error) {
            return;
        }
        let (message, help) = match self.resolver.identifier(target) {
            Some(name) if is_resource => (
                format!("`{name}` is read-only"),
                format!("declare a result: `(result {name} TYPE N)`"),
            ),
            Some(name) if self.resolver.lookup(name).is_some() => (
                format!("`{name}` is no result"),
                "name a `result`, which is not passed like a value here".to_owned(),
            ),
            Some(name) => (
                format!("there is no result `{name}`"),
                format!("declare it before the pass: `(result {name} TYPE N)`"),
            ),
            None => (
                "a pass writes to the name of a result".to_owned(),
                "declare one: `(result NAME TYPE N)`".to_owned(),
            ),
        };
        let diagnostic = Diagnostic::new(DiagnosticCode::NoResult, span, message);
        self.resolver.report(diagnostic.help(help));
    }

    /// Adds the counters of results to which passes append, after all other resources.
    pub(super) fn add_counters(&mut self) {
        let types = &mut self.resolver.declarations.types;
        for item in self.items.results.iter_mut().filter(|item| item.is_appended) {
            let number = types.resource(item.ty).expect("a result is a resource");
            let name = format!("(count {})", types.resources()[number].name);
            let kind = ResourceKind::Buffer(Type::UINT);
            item.counter = Some(types.add_resource(Resource { name: name.into(), kind }));
        }
    }

    /// The code of all passes: of sizes, and of writes.
    pub(super) fn pass_code(&self) -> [Vec<CodeId>; 2] {
        let passes = &self.items.passes;
        let sizes = passes.iter().flat_map(|pass| &pass.size).filter_map(PassSize::code);
        let writes = passes.iter().flat_map(|pass| &pass.writes);
        let writes = writes.flat_map(|write| {
            let index = write.index.as_ref().and_then(WriteIndex::code);
            write.condition.into_iter().chain(index).chain([write.value])
        });
        [sizes.collect(), writes.collect()]
    }
}

/// A name that a pass hides: its bindings and the position of its `define`.
type Hidden<'t> = (&'t str, Option<Vec<Binding>>, Option<Span>);
