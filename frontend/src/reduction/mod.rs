//! The source evaluator: the small-step semantics of the report (§4), rule by rule, on the syntax tree.
//!
//! It is the oracle for all stages between the tree and a pixel: it shares nothing with name resolution,
//! elaboration, the core and the schedule. It shares with them the parser, the table of builtins
//! ([`crate::builtins`]) and the primitive operations ([`lambdav_core::op`]).
//!
//! These are the rules; [`reducer`] only searches for the place of the next one:
//!
//! ```text
//! (let ((x e) …) b)                →  b[e/x …]
//! (if true a b)                    →  a              (if false a b)  →  b
//! ((func (x …) b) e …)             →  b[e/x …]
//! ((rec-func (x …) b) v …)         →  b[v/x …, (rec-func (x …) b)/rec]
//! (builtin v …)                    →  the value, or its expansion applied to v …
//! (.f (S v …))                     →  the v of the field f
//! (with (S v …) (f w) …)           →  (S v …) with w in place of the v of f
//! (case (C v …) … ((C x …) b) …)   →  b[v/x …]
//! ```
//!
//! Here `v` is a value (or, for a function argument of a `rec-func`, any term). `let*` is nested `let`s, a
//! `define` substitutes in the forms that follow, and `(the T e)`, `(@ e)` and `($ e)` are `e`.
//!
//! # Substitution without capture
//!
//! Reduction always takes the outermost reducible place, beginning with a closed program. So each reduced
//! term is closed, and hence each substituted argument is closed. A closed term has no variable that a binder
//! around its new place could capture. So run-time renaming is never needed. ([`read`] numbers each binder of
//! the text, which distinguishes shadowed names once and for all.)
//!
//! # Literal, but not slow
//!
//! This is Wadsworth's graph reduction ("Semantics and Pragmatics of the Lambda-Calculus", 1971):
//!
//! - substitution puts the *same* node in all places of a variable, and the value of a reduced node
//!   overwrites it, so it is reduced only once;
//! - substitution copies only the paths that lead to the variable: each term of the text knows its free
//!   variables, and each node the number of its variables not yet replaced ([`term`]). Closed terms are never
//!   copied, so a part of a loop's body that does not depend on its parameters is computed once.
//!
//! Both change only how often a term is reduced, never its value: the language is pure.
//!
//! `rec` is in tail position, so the value of the term that ends in it is the value of the whole loop, and
//! that term is not needed again once the next round begins. Hence the update frames of that term are
//! dropped, and a loop runs in constant space.
//!
//! # Limits
//!
//! No function here recurses, not even to drop terms: depth costs only memory. Steps, live nodes and pending
//! reductions are counted; exceeding a limit is [`SourceFault::Limit`]. LANGUAGE §3 allows this evaluator to
//! give up where another engine answers. Iterations of loops are limited exactly as in the core evaluator.

mod aggregate;
mod fault;
mod observer;
mod operate;
mod passes;
mod pixel;
mod program;
mod read;
mod reducer;
mod shape;
mod term;
#[cfg(test)]
mod tests;
mod text;

use crate::syntax::{self, Tree};
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::resource::unbound;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Type, Types};
use lambdav_float_environment::with_default;
use observer::{Watcher, seen};
use program::SourceUniform;
use reducer::Reducer;
use std::sync::Arc;
use term::Part;
use text::TextId;

pub use fault::{Limits, SourceFault};
pub use observer::{Observer, SEEN_PARTS, SourceEvent, SourceValue};
pub use passes::{ObservedWrite, PassFault};
pub use program::{SourceProgram, StageResult, StageValues};

impl SourceProgram {
    /// Reads a program that the compiler accepts. A program that the compiler refuses may have no faults
    /// here, or even a value.
    pub fn new(tree: &Tree) -> Result<Self, SourceFault> {
        Self::with_constants(tree, &[])
    }

    /// The same, with words as values of constants, by name.
    pub fn with_constants(tree: &Tree, given: &[(&str, &[u32])]) -> Result<Self, SourceFault> {
        with_default(|| read::program(tree, given, None))
    }

    /// Reads a program and an expression, the text of a file of `source` by its index, which no other file includes.
    pub fn with_expression(
        source: &SourceFile,
        file: usize,
        given: &[(&str, &[u32])],
    ) -> Result<Self, SourceFault> {
        let (tree, roots, _) = syntax::parse_beside(source, Some(file), limits::ERRORS);
        let Some(&root) = roots.first() else {
            return Err(SourceFault::Unexpected(Span::default(), "no expression"));
        };
        with_default(|| read::program(&tree, given, Some(root)))
    }

    /// The value of the expression of [`Self::with_expression`], with an observer; `None` if it is a function.
    pub fn run_expression<O: Observer>(
        &self,
        inputs: &Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Option<SourceValue>, SourceFault> {
        let root =
            self.expression.ok_or(SourceFault::Unexpected(Span::default(), "no expression"))?;
        Ok(seen(&self.reduce(root, inputs, &(), limits, cancelled, observer)?))
    }

    /// The types known to the evaluator: those of textures and buffers, in order, and of the buffers'
    /// elements. Declared types have no names.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The locations of the outputs, in order of declaration.
    pub fn locations(&self) -> impl Iterator<Item = u32> {
        self.outputs.iter().map(|&(location, _)| location)
    }

    /// The words of the output at `location`: 1 to 4 components, 4 in a program that discards pixels.
    /// `inputs` must have the words of each uniform and the data of each texture or buffer. `cancelled` is
    /// polled at intervals.
    pub fn run(
        &self,
        location: u32,
        inputs: &Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Box<[u32]>, SourceFault> {
        self.run_observed(location, inputs, limits, cancelled, &mut ())
    }

    /// The spans of all names that an [`Observer`] may see.
    pub fn names(&self) -> impl Iterator<Item = Span> {
        self.names.all()
    }

    /// Like [`Self::run`], with an observer.
    pub fn run_observed<O: Observer>(
        &self,
        location: u32,
        inputs: &Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Box<[u32]>, SourceFault> {
        if unbound(&self.types, &inputs.resources).is_some() {
            let message = "a texture or buffer is not bound";
            return Err(SourceFault::Unexpected(Span::default(), message));
        }
        let output = self.outputs.iter().find(|(l, _)| *l == location);
        let &(_, root) = output
            .ok_or(SourceFault::Unexpected(Span::default(), "no output has this location"))?;
        let reduce =
            |root, observer: &mut O| self.reduce(root, inputs, &(), limits, cancelled, observer);
        if let Some(condition) = self.discard {
            match reduce(condition, observer)? {
                Part::Data(data) if data.ty == Type::BOOL => {
                    let is_discarded = data.words[0] != 0;
                    if O::IS_ACTIVE {
                        let condition = self.texts.get(condition).span;
                        observer.event(0, SourceEvent::Discard { condition, is_discarded });
                    }
                    // A discarded pixel evaluates no output.
                    if is_discarded {
                        return Ok(self.clear.map(f32::to_bits).into());
                    }
                }
                _ => {
                    let span = self.texts.get(condition).span;
                    return Err(SourceFault::Unexpected(span, "not a condition"));
                }
            }
        }
        match reduce(root, observer)? {
            Part::Data(data)
                if data.ty.is_num() || data.ty.is_integer() && data.words.len() == 4 =>
            {
                let filler = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
                let missing = if self.discard.is_some() { data.words.len() } else { 4 };
                return Ok([&data.words[..], &filler[missing..]].concat().into());
            }
            _ => {}
        }
        Err(SourceFault::Unexpected(self.texts.get(root).span, "not a value of an output"))
    }

    /// The value of a term.
    fn reduce<O: Observer>(
        &self,
        root: TextId,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Part, SourceFault> {
        observer.begin();
        let watcher = Watcher::new(observer, &self.names, &self.texts);
        let reducer = Reducer::observed(self, inputs, stage, limits, cancelled, watcher);
        with_default(|| reducer.run(root))
    }

    /// The words of a result of a program that draws triangles, for a vertex or fragment whose inputs are those of
    /// `stage`. `inputs` and `cancelled` are as for [`Self::run`].
    pub fn run_stage(
        &self,
        result: StageResult,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Box<[u32]>, SourceFault> {
        self.run_stage_observed(result, inputs, stage, limits, cancelled, &mut ())
    }

    /// Like [`Self::run_stage`], with an observer.
    pub fn run_stage_observed<O: Observer>(
        &self,
        result: StageResult,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Box<[u32]>, SourceFault> {
        let root = match result {
            StageResult::Position => self.position,
            StageResult::Varying(index) => self.varyings.get(index as usize).copied(),
            StageResult::Depth => self.depth,
            StageResult::Output(location) => {
                self.outputs.iter().find(|(l, _)| *l == location).map(|&(_, root)| root)
            }
            StageResult::Discard => match self.discard {
                Some(root) => Some(root),
                None => return Ok([0].into()),
            },
        };
        let Some(root) = root else {
            return Err(SourceFault::Unexpected(Span::default(), "there is no such result"));
        };
        match self.reduce(root, inputs, stage, limits, cancelled, observer)? {
            Part::Data(data) => Ok(data.words),
            _ => Err(SourceFault::Unexpected(self.texts.get(root).span, "not a value of a stage")),
        }
    }

    /// The words of each uniform's default, in order of declaration.
    pub fn uniform_defaults(
        &self,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Arc<[u32]>>, SourceFault> {
        // A default does not depend on uniforms, but may mention them.
        let zero = |uniform: &SourceUniform| {
            let mut words = Vec::new();
            uniform.shape.zero(&self.types, &mut words);
            words.into()
        };
        let inputs =
            Inputs { uniforms: self.uniforms.iter().map(zero).collect(), ..Inputs::default() };
        self.uniforms
            .iter()
            .map(|uniform| match uniform.default {
                Some(root) => {
                    let value = self.reduce(root, &inputs, &(), limits, cancelled, &mut ())?;
                    let mut words = Vec::new();
                    let span = self.texts.get(root).span;
                    let fits = uniform.shape.words(&value, &mut words);
                    fits.map(|()| words.into())
                        .ok_or(SourceFault::Unexpected(span, "a default of another type"))
                }
                None => Ok(zero(uniform)),
            })
            .collect()
    }
}
