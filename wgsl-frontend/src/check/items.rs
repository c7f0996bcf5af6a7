//! Functions of the program, and how their arguments are passed.

use super::built_ins::Stage;
use super::causes::Summary;
use super::values::Place;
use crate::types::Type;
use lambdav_core::source::Span;

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    Value,
    /// A pointer to a variable of a function, or a private one.
    Pointer,
    /// A pointer into a buffer or shared memory: each variable makes a function of its own, which takes the
    /// indices that the program computes.
    Special,
    /// A texture or sampler.
    Handle,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) ty: Type,
    pub(super) passing: Passing,
}

/// What only some stages have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Derivatives,
    Discard,
    /// Shared memory and barriers.
    Workgroup,
}

/// A function of the program.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) id: u32,
    pub(super) parameters: Vec<Parameter>,
    pub(super) result: Type,
    pub(super) stage: Option<Stage>,
    /// The declaration.
    pub(super) global: usize,
    /// What it and its callees need, with a place each.
    pub(super) needs: Vec<(Need, Span)>,
    /// What its callers must know of the analysis of uniformity.
    pub(super) uniformity: Summary,
    /// True if its declaration was reported.
    pub(super) is_wrong: bool,
}

/// Code that is to be made for a function, with places for its special parameters.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) function: usize,
    pub(super) id: u32,
    pub(super) fixed: Vec<Option<Place>>,
}
