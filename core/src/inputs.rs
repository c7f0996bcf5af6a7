//! Inputs of a program: the built-in inputs by name, and the values of all inputs of one pixel.

use crate::resource::Bound;
use crate::types::Type;
use std::sync::Arc;

/// A built-in input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// `(frag-coord)`: vec4.
    FragCoord,
    /// `(resolution)`: vec2.
    Resolution,
    /// `(time)`: num.
    Time,
    /// `(frame)`: num.
    Frame,
    /// `(mouse)`: vec4.
    Mouse,
}

impl Input {
    /// All inputs.
    pub const ALL: [Self; 5] =
        [Self::FragCoord, Self::Resolution, Self::Time, Self::Frame, Self::Mouse];

    /// Its type.
    pub fn ty(self) -> Type {
        match self {
            Self::FragCoord | Self::Mouse => Type::vec(4),
            Self::Resolution => Type::vec(2),
            Self::Time | Self::Frame => Type::NUM,
        }
    }

    /// Its name, in λV and in core text.
    pub fn name(self) -> &'static str {
        match self {
            Self::FragCoord => "frag-coord",
            Self::Resolution => "resolution",
            Self::Time => "time",
            Self::Frame => "frame",
            Self::Mouse => "mouse",
        }
    }
}

/// The coordinate of the centre of a column or row of pixels. Exact: sides of images are at most 65,536.
pub fn centre(pixel: u32) -> f32 {
    pixel as f32 + 0.5
}

/// The position `frag-coord` of the centre of a pixel.
pub fn frag_coord(x: u32, y: u32) -> [f32; 4] {
    [centre(x), centre(y), 0.0, 1.0]
}

/// The values of all inputs of one pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// (x+0.5, y+0.5, z, 1/w), origin at the upper left.
    pub frag_coord: [f32; 4],
    /// Width and height in pixels.
    pub resolution: [f32; 2],
    /// Seconds.
    pub time: f32,
    /// The frame number.
    pub frame: f32,
    /// As set by the host program; zero by default.
    pub mouse: [f32; 4],
    /// The words of each uniform; the program's default where it has no other value.
    pub uniforms: Vec<Arc<[u32]>>,
    /// The data of each resource.
    pub resources: Vec<Bound>,
}

impl Inputs {
    /// The same inputs at another pixel.
    #[must_use]
    pub fn at(&self, x: u32, y: u32) -> Self {
        Self { frag_coord: frag_coord(x, y), ..self.clone() }
    }

    /// The components of an input.
    pub fn get(&self, input: Input) -> &[f32] {
        match input {
            Input::FragCoord => &self.frag_coord,
            Input::Resolution => &self.resolution,
            Input::Time => std::slice::from_ref(&self.time),
            Input::Frame => std::slice::from_ref(&self.frame),
            Input::Mouse => &self.mouse,
        }
    }
}

impl Default for Inputs {
    /// The first pixel of an image of one pixel; no uniforms, no resources.
    fn default() -> Self {
        Self {
            frag_coord: frag_coord(0, 0),
            resolution: [1.0, 1.0],
            time: 0.0,
            frame: 0.0,
            mouse: [0.0; 4],
            uniforms: Vec::new(),
            resources: Vec::new(),
        }
    }
}
