//! The forms of programs that draw triangles, and the check of stages (LANGUAGE §14).
//!
//! A stage *uses* the inputs that its expressions mention, directly or by way of a `define`. So the check is a
//! walk over the resolved text, and depends on no types and no values.

use super::{GlobalValue, TopLevel, VaryingItem};
use crate::builtins::Builtin;
use crate::resolve::code::{Code, CodeId};
use crate::resolve::declared::Former;
use crate::resolve::resolver::Binding;
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Attribute, AttributeRate, Interpolation, Readers};
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rustc_hash::FxHashSet;

const ATTRIBUTE: &str = "(attribute NAME TYPE)` or `(attribute NAME TYPE instance)";
const POSITION: &str = "(position clip-position)";
const VARYING: &str = "(varying NAME expression perspective|linear|flat)";
const DEPTH: &str = "(depth expression)";

/// The builtins that only one stage has.
const OF_VERTEX: [&str; 2] = ["vertex-index", "instance-index"];
const OF_FRAGMENT: [&str; 3] = ["frag-coord", "front-facing", "primitive-index"];
/// The builtins that no pass has, beside inputs.
const DERIVATIVES: [&str; 3] = ["dfdx", "dfdy", "fwidth"];

/// A stage of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Vertex,
    Fragment,
}

impl<'t> TopLevel<'t> {
    /// Warns of a list that begins with the name of a form that a `define` has hidden.
    pub(super) fn hidden_form(&mut self, word: &str, span: Span, define: Option<Span>) {
        let message = format!("`{word}` is a definition here, not the top-level form");
        let mut diagnostic = Diagnostic::new(DiagnosticCode::HiddenForm, span, message)
            .label("this is an output")
            .help("give the definition another name, or write `(output 0 …)`");
        if let Some(define) = define {
            diagnostic = diagnostic.also(define, "defined here");
        }
        self.resolver.report(diagnostic);
    }

    /// The name that a form declares, with its position; reports its absence.
    fn declared(&mut self, word: &str, rest: &'t [ExprId], usage: &str) -> Option<(&'t str, Span)> {
        let &first = rest.first()?;
        let found = self.resolver.tree.get(first);
        match self.resolver.identifier(first) {
            Some(name) => Some((name, found.span)),
            None => {
                if !matches!(found.kind, ExprKind::Error) {
                    self.malformed(found.span, format!("`{word}` needs a name"), usage);
                }
                None
            }
        }
    }

    /// Reports a form with another number of parts.
    fn wrong_parts(
        &mut self,
        word: &str,
        span: Span,
        rest: &'t [ExprId],
        most: usize,
        wants: &str,
    ) {
        let at = rest.get(most).map_or(span, |&extra| self.resolver.tree.get(extra).span);
        let what = format!("`{word}` has {wants} after its name, not {}", rest.len());
        let usage = match word {
            "attribute" => ATTRIBUTE,
            "varying" => VARYING,
            "position" => POSITION,
            _ => DEPTH,
        };
        self.malformed(at, what, usage);
    }

    fn duplicate(&mut self, word: &str, name: &str, span: Span, first: Span) {
        let message = format!("a second {word} named `{name}`");
        let diagnostic = Diagnostic::new(DiagnosticCode::DuplicateInterface, span, message);
        let help = format!("{word}s are found by their names, so these must differ");
        self.resolver.report(diagnostic.label("here again").also(first, "first here").help(help));
    }

    /// `(attribute NAME TYPE [instance])`, without its head.
    pub(super) fn attribute(&mut self, span: Span, rest: &'t [ExprId]) {
        let (ty, word) = match *rest {
            [_, ty] => (ty, None),
            [_, ty, word] => (ty, Some(word)),
            _ => {
                self.wrong_parts("attribute", span, rest, 3, "2 or 3 parts");
                return self.bind_malformed(rest.first().copied());
            }
        };
        let rate = match word.map(|word| (self.resolver.identifier(word), word)) {
            None => Some(AttributeRate::Vertex),
            Some((Some("instance"), _)) => Some(AttributeRate::Instance),
            Some((_, word)) => {
                let at = self.resolver.tree.get(word);
                if !matches!(at.kind, ExprKind::Error) {
                    self.malformed(at.span, "this is no option of an attribute", ATTRIBUTE);
                }
                None
            }
        };
        let type_span = self.resolver.tree.get(ty).span;
        let ty = self.resolver.complete_type(ty);
        let Some((name, name_span)) = self.declared("attribute", rest, ATTRIBUTE) else { return };
        if !self.resolver.may_bind(name, name_span) {
            return;
        }
        let (Some(rate), Some(ty)) = (rate, ty) else {
            return self.resolver.bind_global(name, Binding::Error);
        };
        let is_new = match rate {
            AttributeRate::Instance => self.may_be_set("attribute", name, name_span),
            AttributeRate::Vertex => {
                let first = *self.attribute_spans.entry(name).or_insert(name_span);
                if first != name_span {
                    self.duplicate("attribute", name, name_span, first);
                }
                first == name_span
            }
        };
        if !is_new {
            return self.resolver.bind_global(name, Binding::Error);
        }
        if !Attribute::fits(ty, rate) {
            let types = &self.resolver.declarations.types;
            let message = format!("an attribute cannot be a {}", types.name(ty));
            let help = match ty == Type::mat(4) {
                true => {
                    "only an attribute of instances can be one: `(attribute NAME mat4 instance)`"
                }
                false => "use num, int, uint or a vector of these; of instances, also mat4",
            };
            let diagnostic = Diagnostic::new(DiagnosticCode::InterfaceType, type_span, message);
            self.resolver.report(diagnostic.help(help));
            return self.resolver.bind_global(name, Binding::Error);
        }
        let index = self.items.attributes.len() as u32;
        self.items.attributes.push(Attribute { name: name.to_owned(), ty, rate, span });
        self.add_global(name, GlobalValue::Attribute(index));
    }

    /// `(position e)`, without its head.
    pub(super) fn position(&mut self, span: Span, rest: &'t [ExprId]) {
        let &[value] = rest else {
            // The position is meant to be there.
            self.position_span.get_or_insert(span);
            return self.wrong_parts("position", span, rest, 1, "1 part");
        };
        let code = self.resolver.expression(value);
        match self.position_span {
            Some(first) => self.second("position", span, first, "a vertex has one position"),
            None => (self.position_span, self.items.position) = (Some(span), Some(code)),
        }
    }

    /// `(depth e)`, without its head.
    pub(super) fn depth(&mut self, span: Span, rest: &'t [ExprId]) {
        let &[value] = rest else {
            return self.wrong_parts("depth", span, rest, 1, "1 part");
        };
        let code = self.resolver.expression(value);
        match self.depth_span {
            Some(first) => self.second("depth", span, first, "a fragment has one depth"),
            None => (self.depth_span, self.items.depth) = (Some(span), Some(code)),
        }
    }

    /// `(varying NAME e [perspective|linear|flat])`, without its head.
    pub(super) fn varying(&mut self, span: Span, rest: &'t [ExprId]) {
        let (value, word) = match *rest {
            [_, value] => (value, None),
            [_, value, word] => (value, Some(word)),
            _ => {
                self.wrong_parts("varying", span, rest, 3, "2 or 3 parts");
                return self.bind_malformed(rest.first().copied());
            }
        };
        let code = self.resolver.expression(value);
        let named = word.map(|word| {
            let name = self.resolver.identifier(word);
            (name.and_then(Interpolation::from_name), word)
        });
        let interpolation = match named {
            None => Some(Interpolation::default()),
            Some((Some(interpolation), _)) => Some(interpolation),
            Some((None, word)) => {
                let at = self.resolver.tree.get(word);
                if !matches!(at.kind, ExprKind::Error) {
                    self.malformed(at.span, "this is no interpolation", VARYING);
                }
                None
            }
        };
        let Some((name, name_span)) = self.declared("varying", rest, VARYING) else { return };
        if !self.resolver.may_bind(name, name_span) {
            return;
        }
        let Some(interpolation) = interpolation else {
            return self.resolver.bind_global(name, Binding::Error);
        };
        let first = *self.varying_spans.entry(name).or_insert(name_span);
        if first != name_span {
            self.duplicate("varying", name, name_span, first);
            return self.resolver.bind_global(name, Binding::Error);
        }
        let index = self.items.varyings.len() as u32;
        let readers = Readers::default();
        let item = VaryingItem { name: name.to_owned(), interpolation, code, readers, span };
        self.items.varyings.push(item);
        self.add_global(name, GlobalValue::Varying(index));
    }

    /// Records which results use each varying.
    fn find_readers(&mut self) {
        let outputs: Vec<_> = self.items.outputs.iter().map(|of| (of.location, of.code)).collect();
        let is_varying = |(_, input): (Span, Mention)| match input {
            Mention::Varying(index) => Some(index as usize),
            _ => None,
        };
        for (location, code) in outputs {
            for index in self.mentioned(&[code]).into_iter().filter_map(is_varying) {
                self.items.varyings[index].readers.outputs.push(location);
            }
        }
        let test: Vec<CodeId> = self.items.discard.into_iter().chain(self.items.depth).collect();
        for index in self.mentioned(&test).into_iter().filter_map(is_varying) {
            self.items.varyings[index].readers.in_test = true;
        }
        self.items.varyings.iter_mut().for_each(|of| of.readers.outputs.sort_unstable());
    }

    /// Reports inputs in the wrong stage, and forms of triangles without a position. Finds the readers of
    /// varyings.
    pub(super) fn check_stages(&mut self) {
        self.find_readers();
        self.check_passes();
        let items = &self.items;
        let outputs = items.outputs.iter().map(|output| output.code);
        let fragment: Vec<CodeId> = outputs.chain(items.discard).chain(items.depth).collect();
        let varyings = items.varyings.iter().map(|varying| varying.code);
        let vertex: Vec<CodeId> = items.position.into_iter().chain(varyings).collect();
        let defaults = items.uniforms.iter().chain(&items.constants);
        let defaults: Vec<CodeId> = defaults.filter_map(|item| item.default).collect();
        if self.position_span.is_none() {
            return self.without_position(&[fragment, vertex, defaults].concat());
        }
        for (roots, stage) in [(vertex, Stage::Vertex), (fragment, Stage::Fragment)] {
            for (span, input) in self.mentioned(&roots) {
                let other = match input {
                    Mention::Attribute(_) => Stage::Vertex,
                    Mention::Varying(_) => Stage::Fragment,
                    Mention::Builtin(name) if OF_VERTEX.contains(&name) => Stage::Vertex,
                    Mention::Builtin("resolution") | Mention::Neighbours(_) | Mention::Id => {
                        continue;
                    }
                    Mention::Builtin(_) => Stage::Fragment,
                };
                if other != stage {
                    self.wrong_stage(span, input, other);
                }
            }
        }
        // Elaboration finds the other inputs; it knows the types of varyings only later.
        let is_varying = |(_, input): &(Span, Mention)| matches!(input, Mention::Varying(_));
        for (span, input) in self.mentioned(&defaults).into_iter().filter(is_varying) {
            let what = self.shown(input);
            let diagnostic = Diagnostic::new(
                DiagnosticCode::UniformDefaultInput,
                span,
                format!("a default depends on {what}"),
            );
            self.resolver.report(
                diagnostic
                    .label("must be the same before anything is rendered")
                    .help("use numbers and defines that use no input and no uniform"),
            );
        }
    }

    /// The description of an input, in back quotes.
    pub(super) fn shown(&self, input: Mention) -> String {
        match input {
            Mention::Attribute(index) => {
                format!("the attribute `{}`", self.items.attributes[index as usize].name)
            }
            Mention::Varying(index) => {
                format!("the varying `{}`", self.items.varyings[index as usize].name)
            }
            Mention::Builtin(name) => format!("`({name})`"),
            Mention::Neighbours(name) => format!("`{name}`"),
            Mention::Id => "`(id)`".to_owned(),
        }
    }

    fn wrong_stage(&mut self, span: Span, input: Mention, other: Stage) {
        let what = self.shown(input);
        let (stage, help) = match (other, input) {
            (Stage::Vertex, Mention::Attribute(index)) => {
                let name = &self.items.attributes[index as usize].name;
                ("fragment", format!("make it a varying: `(varying {name} {name})`"))
            }
            (Stage::Vertex, Mention::Builtin(name)) => {
                ("fragment", format!("make it a varying: `(varying number ({name}) flat)`"))
            }
            _ => ("vertex", "use it in an output, in `depth` or in `discard-if`".to_owned()),
        };
        let message = format!("the {stage} stage has no {what}");
        let message = message.replace("no the ", "no ");
        let diagnostic = Diagnostic::new(DiagnosticCode::WrongStage, span, message);
        self.resolver.report(diagnostic.label("of the other stage").help(help));
    }

    /// Reports inputs that a pass lacks, and ids outside passes.
    fn check_passes(&mut self) {
        let items = &self.items;
        let [sizes, writes] = self.pass_code();
        let outputs = items.outputs.iter().map(|output| output.code);
        let others = outputs.chain(items.discard).chain(items.depth).chain(items.position);
        let varyings = items.varyings.iter().map(|varying| varying.code);
        let defaults = items.uniforms.iter().chain(&items.constants);
        let defaults = defaults.filter_map(|item| item.default);
        let others: Vec<CodeId> =
            others.chain(varyings).chain(defaults).chain(sizes.iter().copied()).collect();
        for (span, input) in self.mentioned(&others) {
            if input == Mention::Id {
                let message = "only the writes of a pass have an `(id)`";
                let diagnostic = Diagnostic::new(DiagnosticCode::WrongStage, span, message);
                let help = "use it in a `scatter`, `combine` or `append`";
                self.resolver.report(diagnostic.label("outside every pass").help(help));
            }
        }
        for (span, input) in self.mentioned(&[sizes, writes].concat()) {
            if matches!(input, Mention::Id) {
                continue;
            }
            let message = format!("a pass has no {}", self.shown(input)).replace("no the ", "no ");
            let help = match input {
                Mention::Neighbours(_) => "compute the change from `(id)`, or take it in an output",
                _ => "a pass has `(id)`, and `(time)`, `(frame)` and `(mouse)`",
            };
            let diagnostic = Diagnostic::new(DiagnosticCode::WrongStage, span, message);
            self.resolver.report(diagnostic.label("of another stage").help(help));
        }
    }

    /// Reports forms and inputs that need a position.
    fn without_position(&mut self, roots: &[CodeId]) {
        let attributes = self.items.attributes.iter().map(|of| (of.span, "an attribute"));
        let varyings = self.items.varyings.iter().map(|of| (of.span, "a varying"));
        let depth = self.depth_span.map(|span| (span, "a depth"));
        let mut all: Vec<(Span, String)> = attributes
            .chain(varyings)
            .chain(depth)
            .map(|(span, what)| (span, what.to_owned()))
            .collect();
        let states = self.states.iter().filter(|(name, _)| **name != "clear");
        all.extend(states.map(|(name, &span)| (span, format!("the state `{name}`"))));
        for (span, input) in self.mentioned(roots) {
            if let Mention::Builtin(name) = input
                && !matches!(name, "frag-coord" | "resolution")
            {
                all.push((span, format!("`({name})`")));
            }
        }
        all.sort_by_key(|(span, _)| span.start);
        for (span, what) in all {
            let message = format!("{what} belongs to a program with a `position`");
            let diagnostic = Diagnostic::new(DiagnosticCode::NeedsPosition, span, message)
                .label("there are no triangles without it")
                .help("give the clip-space position of each vertex: `(position (vec4 x y z w))`");
            self.resolver.report(diagnostic);
        }
    }

    /// The inputs of stages that some code mentions, directly or by way of defines, each where it is mentioned
    /// first.
    pub(super) fn mentioned(&self, roots: &[CodeId]) -> Vec<(Span, Mention)> {
        let arena = &*self.resolver.arena;
        let (mut seen, mut globals) = (FxHashSet::default(), FxHashSet::default());
        let (mut found, mut inputs) = (Vec::new(), FxHashSet::default());
        let mut stack: Vec<CodeId> = roots.iter().rev().copied().collect();
        while let Some(code) = stack.pop() {
            if !seen.insert(code) {
                continue;
            }
            let input = match *arena.get(code) {
                Code::Global(global) => match &self.items.globals[global as usize] {
                    GlobalValue::Code(_, value) => {
                        if globals.insert(global) {
                            stack.push(*value);
                        }
                        None
                    }
                    GlobalValue::Attribute(index) => Some(Mention::Attribute(*index)),
                    GlobalValue::Varying(index) => Some(Mention::Varying(*index)),
                    _ => None,
                },
                Code::Builtin(builtin) => of_stage(builtin),
                Code::Former(Former::Id) => Some(Mention::Id),
                _ => None,
            };
            if let Some(input) = input.filter(|input| inputs.insert(*input)) {
                found.push((arena.span(code), input));
            }
            let first = stack.len();
            arena.get(code).children(|child| stack.push(child));
            stack[first..].reverse();
        }
        found
    }
}

/// An input of a stage, as the text mentions it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mention {
    Attribute(u32),
    Varying(u32),
    Builtin(&'static str),
    /// A derivative.
    Neighbours(&'static str),
    Id,
}

/// The mention of a builtin that only some stages have.
fn of_stage(builtin: Builtin) -> Option<Mention> {
    let is_it = |name: &&str| **name == *builtin.name();
    let mut all = OF_VERTEX.into_iter().chain(OF_FRAGMENT).chain(["resolution"]);
    let mut derivatives = DERIVATIVES.into_iter();
    let input = all.find(is_it).map(Mention::Builtin);
    input.or_else(|| derivatives.find(is_it).map(Mention::Neighbours))
}
