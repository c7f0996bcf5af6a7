//! A program, as the evaluator's input.

use super::shape::Shape;
use super::text::{TextId, Texts};
use lambdav_core::types::Types;
use std::sync::Arc;

/// A uniform as declared.
#[derive(Clone, Debug)]
pub(super) struct SourceUniform {
    pub(super) shape: Shape,
    pub(super) default: Option<TextId>,
}

/// A program, ready to be evaluated for any number of pixels by any number of threads.
#[derive(Debug)]
pub struct SourceProgram {
    pub(super) types: Types,
    /// For each resource that is a buffer, the shape of its elements.
    pub(super) elements: Vec<Option<Shape>>,
    pub(super) texts: Texts,
    pub(super) uniforms: Vec<SourceUniform>,
    /// The shapes and values of the constants.
    pub(super) constants: Vec<(Shape, Arc<[u32]>)>,
    /// The location and expression of each output.
    pub(super) outputs: Vec<(u32, TextId)>,
    /// The condition under which a pixel keeps the clear colour.
    pub(super) discard: Option<TextId>,
    pub(super) clear: [f32; 4],
}
