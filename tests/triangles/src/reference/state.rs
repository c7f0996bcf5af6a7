//! The options of `(state …)`.

/// All options, with the language's defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The faces that are not drawn.
    pub cull: Cull,
    /// The winding of front faces.
    pub front: Front,
    /// The depth test.
    pub depth: DepthTest,
    /// True if fragments that pass the test write their depth.
    pub depth_write: bool,
    /// The combination of a fragment with the target.
    pub blend: Blend,
    /// The number of samples of a pixel.
    pub samples: Samples,
    /// The colour of a target before the first triangle.
    pub clear: [f32; 4],
    /// The assembly of vertices to triangles.
    pub topology: Topology,
}

impl Default for State {
    fn default() -> Self {
        Self {
            cull: Cull::None,
            front: Front::Ccw,
            depth: DepthTest::Less,
            depth_write: true,
            blend: Blend::Off,
            samples: Samples::One,
            clear: [0.0; 4],
            topology: Topology::Triangles,
        }
    }
}

/// Faces that are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cull {
    /// No face.
    None,
    /// Back faces.
    Back,
    /// Front faces.
    Front,
}

impl Cull {
    /// True if a triangle with that face is not drawn.
    pub(crate) fn drops(self, is_front: bool) -> bool {
        match self {
            Self::None => false,
            Self::Back => !is_front,
            Self::Front => is_front,
        }
    }
}

/// Winding of front faces, as seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// Anticlockwise.
    Ccw,
    /// Clockwise.
    Cw,
}

impl Front {
    /// True if a triangle with that sum of areas, which is not 0, shows its front.
    pub(crate) fn is_front(self, sum: i128) -> bool {
        match self {
            Self::Ccw => sum < 0,
            Self::Cw => sum > 0,
        }
    }
}

/// Comparison of a fragment's depth with the stored one, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthTest {
    /// No fragment passes.
    Never,
    /// Passes where the fragment is nearer.
    Less,
    /// Passes at equal depth.
    Equal,
    /// Passes where the fragment is nearer, or at equal depth.
    LessEq,
    /// Passes where the fragment is farther.
    Greater,
    /// Passes at another depth.
    Neq,
    /// Passes where the fragment is farther, or at equal depth.
    GreaterEq,
    /// Each fragment passes.
    Always,
    /// Each fragment passes, and none writes depth.
    Off,
}

impl DepthTest {
    /// The result for a fragment's depth and the stored depth.
    pub(crate) fn passes(self, fragment: f32, stored: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => fragment < stored,
            Self::Equal => fragment == stored,
            Self::LessEq => fragment <= stored,
            Self::Greater => fragment > stored,
            Self::Neq => fragment != stored,
            Self::GreaterEq => fragment >= stored,
            Self::Always | Self::Off => true,
        }
    }
}

/// Combination of a fragment with the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// The fragment replaces the target.
    Off,
    /// The fragment covers the target by its alpha.
    Over,
    /// Sum.
    Add,
    /// Product.
    Multiply,
}

impl Blend {
    /// The target's new colour for the fragment `s` and the colour `d` that is there.
    pub(crate) fn apply(self, s: [f32; 4], d: [f32; 4]) -> [f32; 4] {
        match self {
            Self::Off => s,
            Self::Over => {
                let a = s[3];
                let rgb = |k: usize| s[k] * a + d[k] * (1.0 - a);
                [rgb(0), rgb(1), rgb(2), a + d[3] * (1.0 - a)]
            }
            Self::Add => std::array::from_fn(|k| s[k] + d[k]),
            Self::Multiply => std::array::from_fn(|k| s[k] * d[k]),
        }
    }
}

/// Number of samples of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// One, at the centre.
    One,
    /// Four, at Vulkan's standard positions.
    Four,
}

impl Samples {
    /// The places of the samples inside a pixel, in 1/256 of its side.
    pub(crate) fn places(self) -> &'static [[i128; 2]] {
        match self {
            Self::One => &[[128, 128]],
            // (6, 2), (14, 6), (2, 10), (10, 14) in 1/16.
            Self::Four => &[[96, 32], [224, 96], [32, 160], [160, 224]],
        }
    }

    /// The number of samples.
    pub fn count(self) -> usize {
        self.places().len()
    }
}

/// Assembly of vertices to triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Three vertices each.
    Triangles,
    /// Each vertex from the third on makes a triangle with the two before it.
    Strip,
    /// Each vertex from the third on makes a triangle with the one before it and the first.
    Fan,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_tests() {
        use DepthTest as T;
        // Results for a fragment that is nearer, at equal depth, and farther.
        let table = [
            (T::Never, [false, false, false]),
            (T::Less, [true, false, false]),
            (T::Equal, [false, true, false]),
            (T::LessEq, [true, true, false]),
            (T::Greater, [false, false, true]),
            (T::Neq, [true, false, true]),
            (T::GreaterEq, [false, true, true]),
            (T::Always, [true, true, true]),
            (T::Off, [true, true, true]),
        ];
        for (test, expected) in table {
            let found = [0.25, 0.5, 0.75].map(|depth| test.passes(depth, 0.5));
            assert_eq!(found, expected, "{test:?}");
            assert_eq!(test.passes(-0.0, 0.0), test.passes(0.0, 0.0), "{test:?}");
        }
    }

    #[test]
    fn blends() {
        let (s, d) = ([0.5, 2.0, -1.0, 0.25], [1.0, 0.5, 4.0, 0.5]);
        assert_eq!(Blend::Off.apply(s, d), s);
        assert_eq!(Blend::Add.apply(s, d), [1.5, 2.5, 3.0, 0.75]);
        assert_eq!(Blend::Multiply.apply(s, d), [0.5, 1.0, -4.0, 0.125]);
        // s·¼ + d·¾, and ¼ + ½·¾.
        assert_eq!(Blend::Over.apply(s, d), [0.875, 0.875, 2.75, 0.625]);
    }

    #[test]
    fn blending_rounds_each_operation() {
        // 1 - 2^-25 is 1, so both products are the operands. A fused operation would tell.
        let a = f32::from_bits(0x3300_0000);
        let d = 1.0 + f32::EPSILON;
        assert_eq!(Blend::Over.apply([0.0, 0.0, 0.0, a], [d; 4]), [d, d, d, a + d]);
        let s = 1.0 + 3.0 * f32::EPSILON;
        assert_eq!(Blend::Over.apply([s, s, s, s], [1.0; 4])[0], s * s + (1.0 - s));
    }
}
