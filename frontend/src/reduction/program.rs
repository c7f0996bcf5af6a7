//! A program, as the evaluator's input.

use super::passes::{SourcePass, SourceResult};
use super::shape::Shape;
use super::text::{TextId, Texts};
use lambdav_core::graph::StageInput;
use lambdav_core::types::{Type, Types};
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
    /// The position of a program that draws triangles.
    pub(super) position: Option<TextId>,
    /// The values of the varyings in the vertex stage.
    pub(super) varyings: Vec<TextId>,
    /// The fragment's own depth.
    pub(super) depth: Option<TextId>,
    /// The buffers that passes write.
    pub(super) results: Vec<SourceResult>,
    /// The passes, in order.
    pub(super) passes: Vec<SourcePass>,
}

/// A result of a stage of a program that draws triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageResult {
    /// The position: a `vec4`.
    Position,
    /// A varying, by index.
    Varying(u32),
    /// The condition of `discard-if`: a `bool`. Without one, false.
    Discard,
    /// The fragment's own depth: a `num`.
    Depth,
    /// The output at a location: 1 to 4 nums.
    Output(u32),
}

/// The values of the inputs of a stage.
pub trait StageValues {
    /// Type and words of an input; `None` if the stage lacks it.
    fn value(&self, input: StageInput) -> Option<(Type, Box<[u32]>)>;
}

/// No stage.
impl StageValues for () {
    fn value(&self, _: StageInput) -> Option<(Type, Box<[u32]>)> {
        None
    }
}
