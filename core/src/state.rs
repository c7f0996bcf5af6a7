//! The state of a pipeline that draws triangles: the options of `state` (LANGUAGE §14).

/// Defines an enumeration whose variants have names, in λV and in core text alike.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in λV and in core text.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The one of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

pub(crate) use named;

named! {
    /// Triangles that are not drawn.
    Cull {
        /// All are drawn.
        #[default]
        None = "none",
        /// Those whose back is seen.
        Back = "back",
        /// Those whose front is seen.
        Front = "front",
    }
}

named! {
    /// The order of the vertices of a triangle whose front is seen.
    FrontFace {
        /// Anticlockwise.
        #[default]
        Ccw = "ccw",
        /// Clockwise.
        Cw = "cw",
    }
}

named! {
    /// The comparison of a fragment's depth with the depth that is stored.
    DepthTest {
        /// Never passes.
        Never = "never",
        /// Passes if the fragment is nearer.
        #[default]
        Less = "less",
        /// Passes if the depths are equal.
        Equal = "equal",
        /// Passes if the fragment is not farther.
        LessEqual = "less-eq",
        /// Passes if the fragment is farther.
        Greater = "greater",
        /// Passes if the depths differ.
        NotEqual = "neq",
        /// Passes if the fragment is not nearer.
        GreaterEqual = "greater-eq",
        /// Passes.
        Always = "always",
        /// Passes, and no depth is stored.
        Off = "off",
    }
}

named! {
    /// The combination of a fragment with the colour that is stored.
    Blend {
        /// The fragment replaces it.
        #[default]
        Off = "off",
        /// The fragment covers it by its alpha.
        Over = "over",
        /// The sum.
        Add = "add",
        /// The product.
        Multiply = "multiply",
    }
}

named! {
    /// The assembly of triangles from indices.
    Topology {
        /// Three indices for each triangle.
        #[default]
        Triangles = "triangles",
        /// Each index after the second makes a triangle with the two before it.
        Strip = "strip",
        /// Each index after the second makes a triangle with the one before it and the first.
        Fan = "fan",
    }
}

/// The state of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Triangles that are not drawn.
    pub cull: Cull,
    /// The order of vertices on the front.
    pub front: FrontFace,
    /// The depth test.
    pub depth: DepthTest,
    /// True if fragments that pass the depth test store their depth.
    pub depth_write: bool,
    /// The blending of all outputs.
    pub blend: Blend,
    /// Samples of a pixel: 1 or 4.
    pub samples: u8,
    /// The colour that all outputs are cleared to.
    pub clear: [f32; 4],
    /// The assembly.
    pub topology: Topology,
}

impl State {
    /// Sets an option other than `clear`. False if it has no value of this name, `None` if there is no such option;
    /// then the state is as before.
    pub fn set(&mut self, option: &str, value: &str) -> Option<bool> {
        Some(match option {
            "cull" => Cull::from_name(value).map(|of| self.cull = of).is_some(),
            "front" => FrontFace::from_name(value).map(|of| self.front = of).is_some(),
            "depth" => DepthTest::from_name(value).map(|of| self.depth = of).is_some(),
            "blend" => Blend::from_name(value).map(|of| self.blend = of).is_some(),
            "topology" => Topology::from_name(value).map(|of| self.topology = of).is_some(),
            "depth-write" => {
                let found = [("on", true), ("off", false)].into_iter().find(|of| of.0 == value);
                found.map(|(_, is_on)| self.depth_write = is_on).is_some()
            }
            "samples" => {
                let found = [("1", 1), ("4", 4)].into_iter().find(|of| of.0 == value);
                found.map(|(_, count)| self.samples = count).is_some()
            }
            _ => return None,
        })
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            cull: Cull::default(),
            front: FrontFace::default(),
            depth: DepthTest::default(),
            depth_write: true,
            blend: Blend::default(),
            samples: 1,
            clear: [0.0; 4],
            topology: Topology::default(),
        }
    }
}
