//! A program, as the evaluator's input.

use super::observer::Names;
use super::shape::Shape;
use super::text::{TextId, Texts};
use lambdav_core::graph::{StageInput, Way};
use lambdav_core::source::Span;
use lambdav_core::types::{Type, Types};
use std::sync::Arc;

/// A uniform as declared.
#[derive(Clone, Debug)]
pub(super) struct SourceUniform {
    pub(super) shape: Shape,
    pub(super) default: Option<TextId>,
}

/// A buffer that passes write.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceResult {
    /// Its number among the resources.
    pub(super) resource: usize,
    pub(super) length: Length,
    /// The number of the buffer that counts appended elements.
    pub(super) counter: Option<usize>,
    pub(super) span: Span,
}

/// The number of elements of a result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Token(u32),
    /// The value of a constant.
    Text(TextId),
    /// That of another buffer, by number.
    Of(usize),
}

/// A number of ids or the index of a write.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whole {
    Token(u32),
    Text(TextId),
}

/// A pass.
#[derive(Clone, Debug)]
pub(super) struct SourcePass {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) size: Vec<Whole>,
    pub(super) writes: Vec<SourceWrite>,
}

/// A write of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceWrite {
    pub(super) way: Way,
    pub(super) resource: usize,
    pub(super) index: Option<Whole>,
    pub(super) value: TextId,
    pub(super) condition: Option<TextId>,
    pub(super) span: Span,
}

/// A program, ready to be evaluated for any number of pixels by any number of threads.
#[derive(Debug)]
pub struct SourceProgram {
    /// The names of variables and definitions, for observers.
    pub(super) names: Names,
    pub(super) types: Types,
    /// For each resource that is a buffer, the shape of its elements.
    pub(super) elements: Vec<Option<Shape>>,
    pub(super) texts: Texts,
    pub(super) uniforms: Vec<SourceUniform>,
    /// The shapes and values of the constants.
    pub(super) constants: Vec<(Shape, Arc<[u32]>)>,
    /// The location and expression of each output.
    pub(super) outputs: Vec<(u32, TextId)>,
    /// An expression beside the program, which sees its definitions.
    pub(super) expression: Option<TextId>,
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
