//! The options of a draw.

/// A side of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The front.
    Front,
    /// The back.
    Back,
}

/// A depth test: the comparison of a fragment's depth with the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the comparison of its name")]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// The combination of a fragment `s` with the stored colour `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// `s`.
    Off,
    /// `s.rgb*s.a + d.rgb*(1-s.a)`, `s.a + d.a*(1-s.a)`.
    Over,
    /// `s + d`.
    Add,
    /// `s*d`.
    Multiply,
}

impl Blend {
    /// The blended colour, in binary32.
    #[inline]
    pub fn blended(self, s: [f32; 4], d: [f32; 4]) -> [f32; 4] {
        match self {
            Self::Off => s,
            Self::Over => {
                let rest = 1.0 - s[3];
                let colour = |k: usize| s[k] * s[3] + d[k] * rest;
                [colour(0), colour(1), colour(2), s[3] + d[3] * rest]
            }
            Self::Add => std::array::from_fn(|k| s[k] + d[k]),
            Self::Multiply => std::array::from_fn(|k| s[k] * d[k]),
        }
    }
}

/// The assembly of triangles from indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Three indices for each triangle.
    Triangles,
    /// Each index after the second makes a triangle with the two before it.
    Strip,
    /// Each index after the second makes a triangle with the one before it and the first.
    Fan,
}

/// The state of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawState {
    /// The side whose triangles are not drawn.
    pub cull: Option<Face>,
    /// True if vertices of a front are clockwise as seen.
    pub is_clockwise: bool,
    /// The depth test. Without one all fragments pass, and no depth is stored.
    pub depth: Option<Compare>,
    /// True if fragments that pass store their depth.
    pub writes_depth: bool,
    /// The blending of all attachments.
    pub blend: Blend,
    /// Samples of a pixel: 1 or 4.
    pub samples: u8,
    /// The colour to which all attachments are cleared.
    pub clear: [f32; 4],
    /// The assembly.
    pub topology: Topology,
}
