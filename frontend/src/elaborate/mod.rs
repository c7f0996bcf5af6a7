//! Elaboration: runs the program at compile time; computations that depend on inputs become core.
//!
//! This is normalisation by evaluation. Functions exist only here, as closures. Arguments and `let` bindings
//! are call-by-need thunks. Numbers and values computed from them are core nodes ([`Value::Data`]). Typing is
//! the report's: an expression is typed where substitution would bring it, which is where it is elaborated.
//! `Rec τ` and `PureRec` are types of nodes, so `rec` can be passed by name like any value, and is checked
//! where it is used.
//!
//! # Guarantees
//!
//! - Sharing is linear. Applications are memoised by closure and arguments, closures and thunks by their code
//!   and the denotations of their free locals. An argument that already has a value counts as that value. So
//!   `(f (+ x 1))` written twice is elaborated once.
//! - It terminates. Each infinite elaboration nests applications without bound; an application is nested in
//!   another one if that one's body (or its argument's text) contains it. More than [`APPLICATION_NESTING`]
//!   nested applications are an error, and so are more than [`EXPANSION_STEPS`] expressions evaluated, more
//!   than [`BINDINGS`] and more than [`NODES`].
//! - Memos under `@` (eager) are separate from others. Constants decide under `@`, and constancy does not
//!   depend on simplification (see [`lambdav_core::graph`]).
//! - It does not recurse: [`run`] keeps its own stack.
//! - The core is well typed, and every `Rec` is in the tail of its own loop.
//!
//! [`APPLICATION_NESTING`]: lambdav_core::limits::APPLICATION_NESTING
//! [`EXPANSION_STEPS`]: lambdav_core::limits::EXPANSION_STEPS
//! [`BINDINGS`]: lambdav_core::limits::BINDINGS
//! [`NODES`]: lambdav_core::limits::NODES

mod apply;
mod cases;
mod choice;
mod constancy;
mod continuation;
mod elaborator;
mod expectation;
mod formers;
mod limits;
mod loops;
mod operands;
mod passes;
mod probes;
mod report;
mod rounds;
mod run;
mod structures;
mod uniforms;
mod unreached;
mod unroll;
mod values;

use crate::resolve::{CodeArena, CodeId, GlobalValue, Items, UniformItem, VaryingItem};
use constancy::Constancy;
use elaborator::Elaborator;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::flat::FlatType;
use lambdav_core::graph::{
    Attribute, Core, Interpolation, NodeId, Output, Place, StageInput, Triangles, Uniform, Varying,
};
use lambdav_core::limits::{DEFAULT_OPERATIONS, VALUE_WORDS};
use lambdav_core::probes::Sites;
use lambdav_core::source::Span;
use lambdav_core::types::{Type, TypeKind, Types};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use uniforms::{GUARANTEED_BYTES, block_bytes};
use values::{Data, Denotation, Value};

/// Supplies values for the constants that a program declares, in order, in place of their defaults. A value
/// must have as many words as the constant's type has components; others are ignored.
pub type Fix<'f> = dyn FnMut(&Types, &Uniform) -> Option<Arc<[u32]>> + 'f;

/// The result of elaboration.
pub(crate) struct Elaborated {
    /// Complete only if the program was sound and no diagnostic is an error.
    pub(crate) core: Core,
    pub(crate) diagnostics: Diagnostics,
    /// The scalar constants that decided nothing and that no default reads, in order.
    pub(crate) free: Vec<u32>,
    /// The type of [`Items::expression`], whose words are the outputs then.
    pub(crate) expression: Option<FlatType>,
}

/// Elaborates a resolved program, with at most `most` findings of each severity. `sound`: no earlier stage
/// found an error. The constants in `kept`, which must be free, become uniforms after all others. If the program `reports`
/// undefined behaviour, it has probes.
pub(crate) fn elaborate(
    arena: CodeArena,
    items: &Items,
    sound: bool,
    most: usize,
    fix: &mut Fix<'_>,
    kept: &[u32],
    reports: bool,
) -> Elaborated {
    let declarations = items.declarations.clone();
    let mut elaborator = Elaborator::new(arena, declarations, most);
    elaborator.sites = reports.then(Sites::default);
    if reports {
        // Probes are operations, too.
        elaborator.default_operations = Some(16 * DEFAULT_OPERATIONS);
    }
    if let Some(diagnostic) = too_many_words(elaborator.graph.types(), items) {
        elaborator.report(diagnostic);
        let diagnostics = elaborator.diagnostics;
        return Elaborated {
            core: Core::default(),
            diagnostics,
            free: Vec::new(),
            expression: None,
        };
    }
    elaborator.draws_triangles = items.position.is_some();
    elaborator.declare_counters(items);
    elaborator.globals = global_denotations(&mut elaborator, items);
    let (mut core, mut kept_uniforms) = (Core::default(), Vec::new());
    let mut known = vec![None; items.constants.len()];
    elaborator.read_by_defaults = Some(FxHashSet::default());
    for (global, value) in items.globals.iter().enumerate() {
        if let GlobalValue::Constant(index) = value {
            let item = &items.constants[*index as usize];
            let mut constant = with_default_value(&mut elaborator, item);
            let words = fix(elaborator.graph.types(), &constant);
            if let Some(words) = words.filter(|words| words.len() == constant.default.len()) {
                constant.default = words;
            }
            known[*index as usize] = Some(constant.clone());
            if kept.contains(index) {
                let place = (items.uniforms.len() + kept_uniforms.len()) as u32;
                let node = elaborator.graph.uniform(place, item.ty, item.span);
                let value = elaborator.data(node, Constancy::Varies);
                elaborator.globals[global] = Denotation::Value(value);
                kept_uniforms.push(constant);
                continue;
            }
            let node = elaborator.graph.constant(item.ty, &constant.default, item.span);
            let constancy = elaborator.constancies.of_constant(*index);
            let value = elaborator.data(node, constancy);
            elaborator.globals[global] = Denotation::Value(value);
            core.constants.push(constant);
        }
    }
    let globals = elaborator.globals.clone();
    for item in &items.uniforms {
        core.uniforms.push(with_default_value(&mut elaborator, item));
    }
    let read = elaborator.read_by_defaults.take().unwrap_or_default();
    for (global, value) in (0..).zip(&items.globals) {
        if let GlobalValue::Constant(index) = value
            && read.contains(&global)
        {
            elaborator.constancies.consult_constant(*index);
        }
    }
    let bytes = block_bytes(elaborator.graph.types(), &core.uniforms);
    if let Some(first) = items.uniforms.first()
        && bytes > GUARANTEED_BYTES
    {
        let diagnostic = Diagnostic::new(
            DiagnosticCode::LargeUniforms,
            items
                .uniforms
                .iter()
                .max_by_key(|item| elaborator.graph.types().components(item.ty))
                .unwrap_or(first)
                .span,
            format!("the uniforms take {bytes} bytes"),
        )
        .label("the largest is this")
        .help(format!(
            "not every GPU allows more than {GUARANTEED_BYTES}; \
                       in an array each element takes a multiple of 16"
        ));
        elaborator.report(diagnostic);
    }
    // Before the fragment stage, which reads the varyings' types, and so that no value of the fragment stage
    // hides a derivative in the vertex stage.
    let vertex = vertex_stage(&mut elaborator, items);
    let globals = match items.position {
        Some(_) => elaborator.globals.clone(),
        None => globals,
    };
    for item in &items.outputs {
        let span = elaborator.arena.span(item.code);
        let value = elaborator.evaluate(item.code);
        // Without a value, the error has been reported, here or by an earlier stage.
        if let Some(Data { node, .. }) = elaborator.require_value(value, span, "an output", None) {
            let ty = elaborator.graph.value_type(node);
            let holds_integers = items.discard.is_none() && items.position.is_none();
            let is_four = ty.is_integer() && ty.width() == Some(4);
            if ty.is_num() || is_four && holds_integers {
                let node = elaborator.probed_output(node, span);
                core.outputs.push(Output { location: item.location, node, span });
            } else {
                let help = match ty.is_integer() {
                    true => "convert it: `(num …)`",
                    false => "an output is a num or a vec2, vec3 or vec4",
                };
                let ty = elaborator.a(ty);
                elaborator.report(
                    Diagnostic::new(
                        DiagnosticCode::OutputType,
                        span,
                        format!("an output cannot be {ty}"),
                    )
                    .label(format!("this is {ty}"))
                    .help(help),
                );
            }
        }
    }
    let expression = items.expression.and_then(|code| {
        let (ty, outputs) = elaborator.expectation(code)?;
        core.outputs = outputs;
        Some(ty)
    });
    let depth = items.depth.and_then(|code| elaborator.number(code, "a depth"));
    let discarded = items.discard.and_then(|code| Some((elaborator.condition(code)?, code)));
    core.passes = passes::elaborate_passes(&mut elaborator, items, &known);
    if sound && items.expression.is_none() && !reports && !elaborator.has_errors() {
        unreached::warn(&mut elaborator, &globals, items);
    }
    let is_free = |index: &u32| {
        let is_scalar =
            matches!(items.constants[*index as usize].ty.builtin(), Some(TypeKind::Scalar(_)));
        is_scalar && !elaborator.constancies.is_consulted(*index)
    };
    let free = (0..items.constants.len() as u32).filter(is_free).collect();
    core.uniforms.extend(kept_uniforms);
    core.sites = elaborator.sites.take().map_or_else(Vec::new, Sites::into_all);
    core.met = elaborator.met;
    core.graph = elaborator.graph;
    if let Some((position, varyings)) = vertex {
        let (attributes, state) = (items.attributes.clone(), items.state);
        let discard = discarded.map(|(condition, _)| condition);
        let triangles = Triangles { attributes, varyings, position, depth, discard, state };
        core.triangles = Some(triangles.into());
    } else if let Some((condition, code)) = discarded {
        core.discard_if(condition, items.state.clear, elaborator.arena.span(code));
    }
    if items.expression.is_some() {
        core.drop_unread_passes();
    }
    Elaborated { core, diagnostics: elaborator.diagnostics, free, expression }
}

/// The position and the varyings. `None` without a position, and after an error.
fn vertex_stage(elaborator: &mut Elaborator, items: &Items) -> Option<(NodeId, Vec<Varying>)> {
    let position = items.position?;
    elaborator.is_in_vertex_stage = true;
    let mut varyings = Vec::new();
    for item in &items.varyings {
        let VaryingItem { name, interpolation, code, readers, span } = item;
        if let Some(node) = elaborator.varying(*code, *interpolation) {
            let (name, readers) = (name.clone(), readers.clone());
            let (interpolation, span) = (*interpolation, *span);
            let ty = elaborator.graph.value_type(node);
            varyings.push(Some(Varying { name, ty, interpolation, node, readers, span }));
        } else {
            varyings.push(None);
        }
    }
    let position = elaborator.position(position);
    elaborator.is_in_vertex_stage = false;
    for (global, value) in items.globals.iter().enumerate() {
        if let GlobalValue::Varying(index) = value
            && let Some(varying) = &varyings[*index as usize]
        {
            let input = StageInput::Varying(*index, Place::HERE);
            let node = elaborator.graph.stage_input(input, varying.ty, varying.span);
            let value = elaborator.data(node, Constancy::Varies);
            elaborator.globals[global] = Denotation::Value(value);
        }
    }
    Some((position?, varyings.into_iter().collect::<Option<_>>()?))
}

/// LV0502 if the defaults of uniforms and constants have more words than all values may have.
fn too_many_words(types: &Types, items: &Items) -> Option<Diagnostic> {
    let mut words = 0;
    let first = items.constants.iter().chain(&items.uniforms).find(|item| {
        words += types.components(item.ty);
        words > VALUE_WORDS
    })?;
    let message = "the uniforms and constants are too large together";
    let diagnostic = Diagnostic::new(DiagnosticCode::ExpansionTooLarge, first.span, message);
    let note = format!("all values together have at most {VALUE_WORDS} words");
    let help = "use smaller arrays, or `buffer`s, which are bound";
    Some(diagnostic.label("with this one").note(note).help(help))
}

impl Elaborator {
    /// The bool that is a top-level condition; reports other values.
    fn condition(&mut self, code: CodeId) -> Option<NodeId> {
        let span = self.arena.span(code);
        let value = self.evaluate(code);
        let Data { node, .. } = self.require_value(value, span, "a condition", None)?;
        let ty = self.graph.value_type(node);
        if ty == Type::BOOL {
            return Some(node);
        }
        self.report(self.no_condition(ty, span));
        None
    }

    /// The `num` that is a top-level expression; reports other values.
    fn number(&mut self, code: CodeId, what: &str) -> Option<NodeId> {
        self.of_type(code, what, Type::NUM, "a num")
    }

    /// The position of a vertex; reports other values.
    fn position(&mut self, code: CodeId) -> Option<NodeId> {
        self.of_type(code, "a position", Type::vec(4), "a vec4: x, y, z and w of clip space")
    }

    fn of_type(&mut self, code: CodeId, what: &str, wanted: Type, is: &str) -> Option<NodeId> {
        let span = self.arena.span(code);
        let value = self.evaluate(code);
        let Data { node, .. } = self.require_value(value, span, what, None)?;
        let ty = self.graph.value_type(node);
        if ty == wanted {
            return Some(node);
        }
        let found = self.a(ty);
        let message = format!("{what} cannot be {found}");
        let diagnostic = Diagnostic::new(DiagnosticCode::OutputType, span, message);
        self.report(diagnostic.label(format!("this is {found}")).help(format!("{what} is {is}")));
        None
    }

    /// The value of a varying; reports values that cannot be interpolated.
    fn varying(&mut self, code: CodeId, interpolation: Interpolation) -> Option<NodeId> {
        let span = self.arena.span(code);
        let value = self.evaluate(code);
        let Data { node, .. } = self.require_value(value, span, "a varying", None)?;
        let ty = self.graph.value_type(node);
        let found = self.a(ty);
        let help = if !Varying::fits(ty) {
            "a varying is a num, an int, a uint or a vector of these"
        } else if ty.is_integer() && interpolation != Interpolation::Flat {
            "there is no integer between two others: write `flat` after it, or convert it by `(num …)`"
        } else {
            return Some(node);
        };
        let message = match Varying::fits(ty) {
            true => format!("{found} cannot be interpolated"),
            false => format!("a varying cannot be {found}"),
        };
        let diagnostic = Diagnostic::new(DiagnosticCode::InterfaceType, span, message);
        self.report(diagnostic.label(format!("this is {found}")).help(help));
        None
    }

    /// The diagnostic for a condition of another type.
    fn no_condition(&self, ty: Type, span: Span) -> Diagnostic {
        Diagnostic::new(DiagnosticCode::ConditionType, span, "the condition is not a bool")
            .label(format!("this is {}", self.a(ty)))
            .help("compare: `(!= x 0)`; of a bvec, use `any-of` or `all-of`")
    }
}

/// A uniform or constant with its default. A missing or erroneous default is zero, with identity matrices.
fn with_default_value(elaborator: &mut Elaborator, item: &UniformItem) -> Uniform {
    let default = item.default.and_then(|code| default_value(elaborator, item.ty, code));
    let default = default.unwrap_or_else(|| elaborator.zeros.of(elaborator.graph.types(), item.ty));
    Uniform { name: item.name.clone(), ty: item.ty, default }
}

fn default_value(elaborator: &mut Elaborator, ty: Type, code: CodeId) -> Option<Arc<[u32]>> {
    let span = elaborator.arena.span(code);
    let value = elaborator.evaluate(code);
    let Data { node, .. } =
        elaborator.require_value(value, span, "the default of a uniform", None)?;
    let found = elaborator.graph.value_type(node);
    if found != ty {
        let (found, ty) = (elaborator.a(found), elaborator.a(ty));
        elaborator.report(
            Diagnostic::new(
                DiagnosticCode::UniformDefaultType,
                span,
                "the default has another type",
            )
            .label(format!("this is {found}, the uniform {ty}"))
            .help(format!("give it {ty}, or leave the default out")),
        );
        return None;
    }
    if elaborator.graph.depends_on_inputs(node) {
        elaborator.report(
            Diagnostic::new(
                DiagnosticCode::UniformDefaultInput,
                span,
                "the default depends on an input",
            )
            .label("must be the same before anything is rendered")
            .help("use numbers and defines that use no input and no uniform"),
        );
        return None;
    }
    match elaborator.graph.constant_words(node) {
        Some(words) => Some(words.into()),
        // The loops of another default exceeded the limit, which has been reported.
        None if elaborator.default_operations.is_none() => None,
        // The node still contains a loop, or a probe; the evaluator runs it.
        None => {
            match lambdav_core::evaluate::constant(
                &elaborator.graph,
                node,
                &mut elaborator.default_operations,
                &mut elaborator.met,
            ) {
                Ok(words) => Some(words.into()),
                Err(fault) => {
                    elaborator.report(fault.also(span, "of this default"));
                    None
                }
            }
        }
    }
}

/// The denotation of each global before elaboration.
fn global_denotations(elaborator: &mut Elaborator, items: &Items) -> Vec<Denotation> {
    let mut all = Vec::with_capacity(items.globals.len());
    for global in &items.globals {
        all.push(match global {
            GlobalValue::Code(name, code) => {
                let denotation = elaborator.thunk(*code, values::ROOT);
                elaborator.name(denotation, name);
                denotation
            }
            GlobalValue::Uniform(index) => {
                let uniform = &items.uniforms[*index as usize];
                let node = elaborator.graph.uniform(*index, uniform.ty, uniform.span);
                Denotation::Value(elaborator.data(node, Constancy::Varies))
            }
            GlobalValue::Resource(ty, span) => {
                let node = elaborator.graph.constant(*ty, &[], *span);
                Denotation::Value(elaborator.data(node, Constancy::LITERAL))
            }
            GlobalValue::Attribute(index) => {
                let Attribute { ty, span, .. } = items.attributes[*index as usize];
                let input = StageInput::Attribute(*index);
                let node = elaborator.graph.stage_input(input, ty, span);
                Denotation::Value(elaborator.data(node, Constancy::Varies))
            }
            // Replaced before anything is elaborated that may use it.
            GlobalValue::Constant(_) | GlobalValue::Varying(_) => Denotation::Value(Value::Error),
        });
    }
    all
}
