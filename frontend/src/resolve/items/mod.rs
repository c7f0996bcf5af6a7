//! The top level of a program: defines, uniforms, outputs.

mod expectation;
mod passes;
mod state;
mod textures;
mod triangles;

use super::code::{CodeArena, CodeId};
use super::declared::Declarations;
use super::resolver::{Binding, Resolver, Unfinished};
use crate::syntax::{Expr, ExprId, ExprKind, Tree};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::graph::{Attribute, Interpolation, Name, Readers, Way};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::state::State;
use lambdav_core::types::{Resource, ResourceKind, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The value of a global name.
#[derive(Clone, Debug)]
pub(crate) enum GlobalValue {
    /// A `define` and its value.
    Code(Name, CodeId),
    /// Index into [`Items::uniforms`].
    Uniform(u32),
    /// Index into [`Items::constants`].
    Constant(u32),
    /// The type of a texture or buffer, and the position of its declaration.
    Resource(Type, Span),
    /// Index into [`Items::attributes`].
    Attribute(u32),
    /// Index into [`Items::varyings`].
    Varying(u32),
}

/// A `uniform` or `constant`.
#[derive(Clone, Debug)]
pub(crate) struct UniformItem {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) default: Option<CodeId>,
    pub(crate) span: Span,
}

/// An `output`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputItem {
    pub(crate) location: u32,
    pub(crate) code: CodeId,
}

/// A `varying`.
#[derive(Clone, Debug)]
pub(crate) struct VaryingItem {
    pub(crate) name: String,
    pub(crate) interpolation: Interpolation,
    pub(crate) code: CodeId,
    pub(crate) readers: Readers,
    pub(crate) span: Span,
}

/// A `result`: a buffer that passes write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultItem {
    /// The type of the buffer.
    pub(crate) ty: Type,
    pub(crate) element: Type,
    pub(crate) length: ResultLength,
    pub(crate) span: Span,
    pub(crate) length_span: Span,
    /// A pass appends to it.
    pub(crate) is_appended: bool,
    /// The type of the buffer that counts the appended elements.
    pub(crate) counter: Option<Type>,
}

/// The number of elements of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResultLength {
    Elements(u32),
    /// Index into [`Items::constants`].
    Constant(u32),
    /// As many as the buffer of this type has.
    Of(Type),
}

/// A `pass`.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub(crate) name: String,
    /// The position of the name.
    pub(crate) span: Span,
    /// The numbers of ids by axes; empty for a malformed one.
    pub(crate) size: Vec<PassSize>,
    pub(crate) writes: Vec<WriteItem>,
}

/// The number of ids along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PassSize {
    Token(u32, Span),
    Code(CodeId),
}

impl PassSize {
    fn code(&self) -> Option<CodeId> {
        match self {
            Self::Token(..) => None,
            Self::Code(code) => Some(*code),
        }
    }
}

/// The index of a write.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WriteIndex {
    Token(u32, Span),
    Code(CodeId),
}

impl WriteIndex {
    fn code(&self) -> Option<CodeId> {
        match self {
            Self::Token(..) => None,
            Self::Code(code) => Some(*code),
        }
    }
}

/// A write of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteItem {
    pub(crate) way: Way,
    /// The type of the buffer.
    pub(crate) ty: Type,
    pub(crate) element: Type,
    pub(crate) index: Option<WriteIndex>,
    pub(crate) value: CodeId,
    pub(crate) condition: Option<CodeId>,
    pub(crate) span: Span,
}

/// The resolved top level.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) globals: Vec<GlobalValue>,
    pub(crate) uniforms: Vec<UniformItem>,
    pub(crate) constants: Vec<UniformItem>,
    pub(crate) outputs: Vec<OutputItem>,
    /// The condition of `discard-if`.
    pub(crate) discard: Option<CodeId>,
    /// The state of the pipeline. Without a position only the clear colour counts, which discarded pixels
    /// keep.
    pub(crate) state: State,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) varyings: Vec<VaryingItem>,
    /// The position of a program that draws triangles.
    pub(crate) position: Option<CodeId>,
    /// The fragment's own depth.
    pub(crate) depth: Option<CodeId>,
    pub(crate) results: Vec<ResultItem>,
    pub(crate) passes: Vec<Pass>,
    /// An expression in place of outputs and stages.
    pub(crate) expression: Option<CodeId>,
    pub(crate) declarations: Rc<Declarations>,
}

impl Items {
    /// Lets the device sample all textures of one plane. Reports those whose options a device's sampler lacks.
    pub(crate) fn sample_natively(&mut self, most: usize) -> Diagnostics {
        let declarations = Rc::get_mut(&mut self.declarations);
        declarations.expect("nobody else has them yet").types.sample_natively();
        let mut diagnostics = Diagnostics::new(most);
        for value in &self.globals {
            let GlobalValue::Resource(ty, span) = *value else { continue };
            let kind = self.declarations.types.resource_kind(ty);
            if let Some(ResourceKind::Texture(options)) = kind
                && !options.kind.has_planes()
                && !options.fits_device()
            {
                let message = "a device's sampler lacks an option of this texture";
                let diagnostic = Diagnostic::new(DiagnosticCode::NativeSampler, span, message)
                    .help("compile the shader without `--native-sampling`");
                diagnostics.push(diagnostic);
            }
        }
        diagnostics
    }
}

/// The types of uniforms, constants and elements of buffers, for messages.
const STORED_TYPES: &str =
    "use num, int, uint, bool, a vector of numbers, mat2 to mat4, or structures and arrays of such";

/// The heads of top-level forms that a `define` can shadow.
const DECLARING: [&str; 13] = [
    "struct",
    "variant",
    "constant",
    "texture",
    "buffer",
    "discard-if",
    "state",
    "attribute",
    "position",
    "varying",
    "depth",
    "result",
    "pass",
];

/// The highest location that Vulkan guarantees.
const GUARANTEED_LOCATION: u32 = 3;
const MAX_LOCATION: u32 = 7;

/// Resolves a whole program, with at most `most` findings of each severity. The items omit erroneous forms.
/// `is_read`: the whole text could be parsed, so a missing form is really missing. With `expression`, its roots and its
/// position, the program needs no output: the expression sees all definitions, and takes the place of outputs and stages.
pub(crate) fn resolve<'t>(
    arena: &'t mut CodeArena,
    tree: &'t Tree,
    source: &'t SourceFile,
    is_read: bool,
    expression: Option<(&[ExprId], Span)>,
    most: usize,
) -> (Items, Diagnostics) {
    let mut top = TopLevel {
        resolver: Resolver::new(arena, tree, most),
        items: Items::default(),
        output_spans: Vec::new(),
        uniform_spans: FxHashMap::default(),
        define_spans: FxHashMap::default(),
        discard_span: None,
        states: FxHashMap::default(),
        attribute_spans: FxHashMap::default(),
        varying_spans: FxHashMap::default(),
        position_span: None,
        depth_span: None,
        results_of: FxHashMap::default(),
        pass_spans: FxHashMap::default(),
        write_words: 0,
        attempted_output: false,
    };
    top.resolver.source = Some(source);
    for (i, &root) in tree.roots.iter().enumerate() {
        top.resolver.next_root = i + 1;
        top.form(root);
    }
    // An unreadable part may have been meant as the output.
    if !top.attempted_output && is_read && expression.is_none() {
        let end = source.text().len() as u32;
        top.resolver.report(
            Diagnostic::new(
                DiagnosticCode::NoOutput,
                Span::new(end, end),
                "the program has no output",
            )
            .label("the end of the program")
            .help("end it with an expression, such as `(vec4 1 0.5 0 1)`, or write `(output 0 …)`"),
        );
    }
    top.add_counters();
    top.check_stages();
    match expression {
        Some((roots, at)) => top.expectation(roots, at),
        None => top.unused_uniforms(),
    }
    top.items.declarations = top.resolver.declarations.into();
    (top.items, top.resolver.diagnostics)
}

struct TopLevel<'t> {
    resolver: Resolver<'t>,
    items: Items,
    output_spans: Vec<(u32, Span)>,
    uniform_spans: FxHashMap<&'t str, Span>,
    define_spans: FxHashMap<&'t str, Span>,
    discard_span: Option<Span>,
    /// The options of `state` so far.
    states: FxHashMap<&'static str, Span>,
    attribute_spans: FxHashMap<&'t str, Span>,
    varying_spans: FxHashMap<&'t str, Span>,
    position_span: Option<Span>,
    depth_span: Option<Span>,
    /// Indices into [`Items::results`], by types.
    results_of: FxHashMap<Type, usize>,
    pass_spans: FxHashMap<&'t str, Span>,
    /// The number of words of the elements of all writes so far.
    write_words: usize,
    /// Some form was an output, or may have been meant as one.
    attempted_output: bool,
}

impl<'t> TopLevel<'t> {
    fn unused_uniforms(&mut self) {
        for (global, value) in (0..).zip(&self.items.globals) {
            if let GlobalValue::Uniform(index) = value
                && !self.resolver.used_globals.contains(&global)
            {
                let UniformItem { name, span, .. } = &self.items.uniforms[*index as usize];
                self.resolver.unused_uniform(name, *span);
            }
        }
    }

    fn form(&mut self, root: ExprId) {
        let expr = self.resolver.tree.get(root);
        if let ExprKind::List(children) = &expr.kind
            && let Some((&head, rest)) = children.split_first()
        {
            match self.resolver.identifier(head) {
                Some("define") => return self.define(expr.span, rest),
                Some("output") => return self.output_form(expr.span, rest),
                Some("uniform") => return self.uniform("uniform", expr.span, rest),
                Some(word) if DECLARING.contains(&word) && !self.is_defined(word) => {
                    return match word {
                        "constant" => self.uniform(word, expr.span, rest),
                        "texture" => self.texture(expr.span, rest),
                        "buffer" => self.buffer(expr.span, rest),
                        "struct" => self.resolver.structure(expr.span, rest),
                        "discard-if" => self.discard_if(expr.span, rest),
                        "state" => self.state(expr.span, rest),
                        "attribute" => self.attribute(expr.span, rest),
                        "position" => self.position(expr.span, rest),
                        "varying" => self.varying(expr.span, rest),
                        "depth" => self.depth(expr.span, rest),
                        "result" => self.result(expr.span, rest),
                        "pass" => self.pass(expr.span, rest),
                        _ => self.resolver.variant(expr.span, rest),
                    };
                }
                Some(word) if DECLARING.contains(&word) => {
                    let head = self.resolver.tree.get(head).span;
                    let first = self.define_spans.get(word).copied();
                    self.hidden_form(word, head, first);
                }
                Some("include") if rest.iter().any(|&part| self.is_string(part)) => {
                    return self.include(expr.span, rest);
                }
                _ => {}
            }
        }
        if matches!(expr.kind, ExprKind::Error) {
            self.attempted_output = true;
            return;
        }
        self.output(0, root, expr.span);
    }

    /// True if a `define` has given the name a meaning. A declaration has not: `position` is the name of an
    /// attribute and of a form.
    fn is_defined(&self, name: &str) -> bool {
        let is_form = matches!(self.resolver.lookup(name), Some(Binding::Form(_)));
        is_form || self.define_spans.contains_key(name)
    }

    /// True for a string, and for an error that may have been meant as one.
    fn is_string(&self, id: ExprId) -> bool {
        matches!(self.resolver.tree.get(id).kind, ExprKind::String(_) | ExprKind::Error)
    }

    /// An `include` that was not replaced by the forms of a file.
    fn include(&mut self, span: Span, rest: &[ExprId]) {
        // The file may have been meant to contain the output.
        self.attempted_output = true;
        if let &[path] = rest {
            let &Expr { ref kind, span: at } = self.resolver.tree.get(path);
            if matches!(kind, ExprKind::Error) {
                return;
            }
            let message = "a program that is given as text cannot include files";
            self.resolver.report(
                Diagnostic::new(DiagnosticCode::CannotInclude, at, message)
                    .label("relative to no file")
                    .help("give the program as a file"),
            );
        } else {
            let what = format!("`include` has 1 part after its name, not {}", rest.len());
            self.malformed(span, what, "(include \"path\")");
        }
    }

    fn malformed(&mut self, span: Span, what: impl Into<String>, usage: &str) {
        let diagnostic = Diagnostic::new(DiagnosticCode::MalformedTopLevel, span, what)
            .help(format!("write `{usage}`"));
        self.resolver.report(diagnostic);
    }

    /// Binds the name of a malformed declaration, so that its uses are not reported as unbound.
    fn bind_malformed(&mut self, name: Option<ExprId>) {
        if let Some(name) = name.and_then(|n| self.resolver.identifier(n)) {
            self.resolver.bind_global(name, Binding::Error);
        }
    }

    fn add_global(&mut self, name: &'t str, value: GlobalValue) {
        let index = self.items.globals.len() as u32;
        self.items.globals.push(value);
        self.resolver.bind_global(name, Binding::Global(index));
    }

    fn add_define(&mut self, name: &'t str, span: Span, code: CodeId) {
        if let Some(first) = self.define_spans.insert(name, span) {
            self.resolver.hidden_define(name, span, first);
        }
        self.add_global(name, GlobalValue::Code(Name::new(name), code));
    }

    fn define(&mut self, span: Span, rest: &'t [ExprId]) {
        const USAGE: &str = "(define name expression)` or `(define (name parameter …) body)";
        let &[target, value] = rest else {
            let at = rest.get(2).map_or(span, |&extra| self.resolver.tree.get(extra).span);
            let has = rest.len();
            self.malformed(at, format!("`define` has 2 parts after its name, not {has}"), USAGE);
            let name = rest
                .first()
                .and_then(|&t| self.resolver.list(t).and_then(|l| l.first()).copied().or(Some(t)));
            self.bind_malformed(name);
            return;
        };
        let target_span = self.resolver.tree.get(target).span;
        if let Some(name) = self.resolver.identifier(target) {
            if !self.resolver.may_bind(name, target_span) {
                return;
            }
            if let Some(form) = self.resolver.form_of(value) {
                self.resolver.bind_global(name, Binding::Form(form));
                return;
            }
            self.resolver.unfinished.push(Unfinished::Define(target));
            let code = self.resolver.expression(value);
            self.resolver.unfinished.pop();
            self.add_define(name, target_span, code);
            return;
        }
        let signature = self.resolver.list(target).and_then(<[_]>::split_first);
        let name = signature.and_then(|(&name, _)| self.resolver.identifier(name));
        let (Some(name), Some((&at, parameters))) = (name, signature) else {
            if !matches!(self.resolver.tree.get(target).kind, ExprKind::Error) {
                self.malformed(target_span, "`define` needs a name", USAGE);
            }
            return;
        };
        let name_span = self.resolver.tree.get(at).span;
        if self.resolver.may_bind(name, name_span) {
            self.resolver.unfinished.push(Unfinished::Define(at));
            let code = self.resolver.function(span, name, parameters, value);
            self.resolver.unfinished.pop();
            self.add_define(name, name_span, code);
        }
    }

    fn output_form(&mut self, span: Span, rest: &'t [ExprId]) {
        self.attempted_output = true;
        let &[location, value] = rest else {
            let at = rest.get(2).map_or(span, |&extra| self.resolver.tree.get(extra).span);
            let has = rest.len();
            let what = format!("`output` has 2 parts after its name, not {has}");
            self.malformed(at, what, "(output 0 expression)");
            return;
        };
        let at = self.resolver.tree.get(location).span;
        let location = match self.resolver.tree.get(location).kind {
            ExprKind::Number { index: Some(index), .. } if index <= MAX_LOCATION => index,
            ExprKind::Error => return,
            _ => {
                self.resolver.report(
                    Diagnostic::new(DiagnosticCode::OutputLocation, at, "not an output location")
                        .label("must be a literal from 0 to 7")
                        .help("most programs have one output: `(output 0 …)`"),
                );
                return;
            }
        };
        if location > GUARANTEED_LOCATION {
            self.resolver.report(
                Diagnostic::new(
                    DiagnosticCode::HighLocation,
                    at,
                    format!("location {location} is not available on every GPU"),
                )
                .label("Vulkan guarantees locations 0 to 3"),
            );
        }
        self.output(location, value, span);
    }

    fn output(&mut self, location: u32, value: ExprId, span: Span) {
        self.attempted_output = true;
        let code = self.resolver.expression(value);
        let mut there = self.output_spans.iter().filter(|(l, _)| *l == location);
        if let Some(&(_, first)) = there.next() {
            // A text in another language has many expressions at the top level: one finding is enough.
            // Resolving them has already reported their other errors.
            if there.next().is_some() {
                return;
            }
            self.output_spans.push((location, span));
            let diagnostic = Diagnostic::new(
                DiagnosticCode::DuplicateOutput,
                span,
                format!("a second output at location {location}"),
            )
            .label("here again")
            .also(first, "first here")
            .help("give each output its own location; an expression by itself is at location 0");
            self.resolver.report(diagnostic);
            return;
        }
        self.output_spans.push((location, span));
        self.items.outputs.push(OutputItem { location, code });
    }

    /// True if a uniform, constant or resource can have this name; reports it if not.
    fn may_be_set(&mut self, word: &str, name: &'t str, span: Span) -> bool {
        let first = *self.uniform_spans.entry(name).or_insert(span);
        if first == span {
            return true;
        }
        let diagnostic = Diagnostic::new(
            DiagnosticCode::DuplicateUniform,
            span,
            format!("a second {word} named `{name}`"),
        )
        .label("here again")
        .also(first, "first here")
        .help(
            "uniforms, constants, textures, buffers and results are known outside by their names, so these must differ",
        );
        self.resolver.report(diagnostic);
        false
    }

    fn add_resource(&mut self, name: &'t str, kind: ResourceKind, span: Span) {
        let resource = Resource { name: name.into(), kind };
        let ty = self.resolver.declarations.types.add_resource(resource);
        self.add_global(name, GlobalValue::Resource(ty, span));
    }

    /// `(buffer name TYPE)`, without its head.
    fn buffer(&mut self, span: Span, rest: &'t [ExprId]) {
        const USAGE: &str = "(buffer name TYPE)";
        let &[target, ty] = rest else {
            let at = rest.get(2).map_or(span, |&extra| self.resolver.tree.get(extra).span);
            let what = format!("`buffer` has 2 parts after its name, not {}", rest.len());
            self.malformed(at, what, USAGE);
            return self.bind_malformed(rest.first().copied());
        };
        let name_span = self.resolver.tree.get(target).span;
        let Some(name) = self.resolver.identifier(target) else {
            return self.malformed(name_span, "`buffer` needs a name", USAGE);
        };
        let type_span = self.resolver.tree.get(ty).span;
        let element = self.resolver.complete_type(ty);
        if !self.resolver.may_bind(name, name_span) {
            return;
        }
        if !self.may_be_set("buffer", name, name_span) {
            return self.resolver.bind_global(name, Binding::Error);
        }
        let types = &self.resolver.declarations.types;
        match element {
            Some(element) if types.fits_element(element) => {
                self.add_resource(name, ResourceKind::Buffer(element), span);
            }
            Some(element) => {
                let what = match types.components(element) {
                    0 => "has no components",
                    _ => "cannot lie in a buffer",
                };
                let message = format!("an element of type {} {what}", types.name(element));
                let diagnostic = Diagnostic::new(DiagnosticCode::UniformType, type_span, message)
                    .help(STORED_TYPES);
                self.resolver.report(diagnostic);
                self.resolver.bind_global(name, Binding::Error);
            }
            None => self.resolver.bind_global(name, Binding::Error),
        }
    }

    /// A `uniform`, or a `constant`, which is fixed at compile time.
    fn uniform(&mut self, word: &str, span: Span, rest: &'t [ExprId]) {
        let usage = format!("({word} name TYPE default)");
        let (name, ty, default) = match *rest {
            [name, ty] => (name, ty, None),
            [name, ty, default] => (name, ty, Some(default)),
            _ => {
                let at = rest.get(3).map_or(span, |&extra| self.resolver.tree.get(extra).span);
                let has = rest.len();
                let what = format!("`{word}` has 2 or 3 parts after its name, not {has}");
                self.malformed(at, what, &usage);
                self.bind_malformed(rest.first().copied());
                return;
            }
        };
        let name_span = self.resolver.tree.get(name).span;
        let Some(name) = self.resolver.identifier(name) else {
            self.malformed(name_span, format!("`{word}` needs a name"), &usage);
            return;
        };
        let type_span = self.resolver.tree.get(ty).span;
        let ty = self.resolver.complete_type(ty);
        let default = default.map(|d| self.resolver.expression(d));
        if !self.resolver.may_bind(name, name_span) {
            return;
        }
        if !self.may_be_set(word, name, name_span) {
            return self.resolver.bind_global(name, Binding::Error);
        }
        match ty {
            Some(ty) if self.resolver.declarations.types.fits_uniform(ty) => {
                let item = UniformItem { name: name.to_owned(), ty, default, span };
                let (items, value): (_, fn(u32) -> GlobalValue) = match word {
                    "constant" => (&mut self.items.constants, GlobalValue::Constant),
                    _ => (&mut self.items.uniforms, GlobalValue::Uniform),
                };
                let index = items.len() as u32;
                items.push(item);
                self.add_global(name, value(index));
            }
            Some(ty) => {
                let diagnostic = Diagnostic::new(
                    DiagnosticCode::UniformType,
                    type_span,
                    format!("a {word} cannot be a {}", self.resolver.declarations.types.name(ty)),
                )
                .help(STORED_TYPES);
                self.resolver.report(diagnostic);
                self.resolver.bind_global(name, Binding::Error);
            }
            None => self.resolver.bind_global(name, Binding::Error),
        }
    }
}
