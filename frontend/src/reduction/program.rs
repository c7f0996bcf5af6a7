//! A program as the evaluator takes it.

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
    /// Of each resource that is a buffer, the shape of its elements.
    pub(super) elements: Vec<Option<Shape>>,
    pub(super) texts: Texts,
    pub(super) uniforms: Vec<SourceUniform>,
    /// The constants whose values are given.
    pub(super) constants: Vec<(Shape, Arc<[u32]>)>,
    /// Location and expression.
    pub(super) outputs: Vec<(u32, TextId)>,
    /// Where this is true a pixel keeps the colour that is cleared to.
    pub(super) discard: Option<TextId>,
    pub(super) clear: [f32; 4],
}
