//! Plain data and callbacks between the rasterizer and its caller.

use super::fragment::Fragment;
use super::state::State;

/// The data of a picture, except vertices and fragments, which a [`Shader`] evaluates.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawCall {
    /// The width of the image in pixels, 1 to 2^16.
    pub width: u32,
    /// The height of the image in pixels, 1 to 2^16.
    pub height: u32,
    /// The number of instances.
    pub instances: u32,
    /// The indices of the vertices of each instance. A mesh without indices has 0, 1, 2 ….
    pub indices: Vec<u32>,
    /// The options of the program.
    pub state: State,
    /// The varyings, in the order in which vertices have them.
    pub varyings: Vec<VaryingKind>,
    /// The number of outputs.
    pub attachments: usize,
    /// True if the program has a `(depth e)`.
    pub has_depth: bool,
}

/// The shape of a varying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaryingKind {
    /// The number of components, 1 to 4.
    pub components: usize,
    /// The interpolation over a triangle.
    pub interpolation: Interpolation,
    /// True if the components are integers, which must be flat. Their words are kept as they are.
    pub is_integer: bool,
}

/// Interpolation of a varying over a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Linear in the plane of the triangle.
    Perspective,
    /// Linear in the image.
    Linear,
    /// The value at the triangle's first vertex.
    Flat,
}

/// The result of the vertex stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The position in clip space.
    pub position: [f32; 4],
    /// The words of each varying.
    pub varyings: Vec<Vec<u32>>,
}

/// The program: both stages.
///
/// A fragment's functions are called in the order of the language, and only where the language evaluates
/// them.
pub trait Shader {
    /// A limit that is exceeded, or another error of one evaluation.
    type Fault;

    /// The vertex of that index and instance. It is called once for each pair that a triangle uses, in the
    /// order (instance, index).
    ///
    /// # Errors
    ///
    /// The vertex's own fault.
    fn vertex(&mut self, index: u32, instance: u32) -> Result<Vertex, Self::Fault>;

    /// The value of `discard-if`.
    ///
    /// # Errors
    ///
    /// The fragment's own fault.
    fn discards(&mut self, fragment: &Fragment<'_>) -> Result<bool, Self::Fault>;

    /// The value of `(depth e)`, before it is clamped. It is called only if the draw call has one.
    ///
    /// # Errors
    ///
    /// The fragment's own fault.
    fn depth(&mut self, fragment: &Fragment<'_>) -> Result<f32, Self::Fault>;

    /// The colour for each attachment, filled to four components.
    ///
    /// # Errors
    ///
    /// The fragment's own fault.
    fn outputs(&mut self, fragment: &Fragment<'_>) -> Result<Vec<[f32; 4]>, Self::Fault>;
}

/// The first fault of a draw call: of vertices by (instance, index), then of fragments by (instance,
/// primitive, pixel in scan order, piece).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error<F> {
    /// The fault of a vertex.
    #[error("vertex {index} of instance {instance}: {fault}")]
    Vertex {
        /// The instance.
        instance: u32,
        /// The vertex's index.
        index: u32,
        /// The fault.
        fault: F,
    },
    /// The fault of a fragment.
    #[error(
        "pixel ({x}, {y}), primitive {primitive} of instance {instance}, piece {piece}: {fault}"
    )]
    Fragment {
        /// The instance.
        instance: u32,
        /// The triangle's number in its instance.
        primitive: u32,
        /// The pixel's column.
        x: u32,
        /// The pixel's row.
        y: u32,
        /// The number of the piece of the clipped triangle.
        piece: usize,
        /// The fault.
        fault: F,
    },
}
