//! The dialects of GLSL that programs are written in, and their limits.

use std::fmt;

/// A version of the language, and its conventions for inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `#version 450` for Vulkan: an output at a location, uniforms in a block.
    Vulkan,
    /// `#version 330`: loose uniforms.
    Desktop,
    /// `#version 300 es`: loose uniforms, no implicit conversions.
    Es300,
    /// `#version 100`: `gl_FragColor`, loops with constant bounds, no `uint`.
    Es100,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.name() == text);
        found.ok_or_else(|| "dialects are vulkan, desktop, es300 and es100".into())
    }
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Vulkan, Self::Desktop, Self::Es300, Self::Es100];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Desktop => "desktop",
            Self::Es300 => "es300",
            Self::Es100 => "es100",
        }
    }

    /// True for the ES versions.
    pub fn is_es(self) -> bool {
        matches!(self, Self::Es300 | Self::Es100)
    }

    /// True for `#version 100`, which lacks most of what the others have: `uint`, bit operations, `%`,
    /// `switch`, `while`, non-square matrices, constructors and copies of arrays.
    pub fn is_old(self) -> bool {
        self == Self::Es100
    }

    /// True if `int` becomes `float` by itself.
    pub fn converts(self) -> bool {
        !self.is_es()
    }

    /// True if `int` becomes `uint` by itself.
    pub fn converts_to_unsigned(self) -> bool {
        self == Self::Vulkan
    }

    /// True if an initialiser of a global variable may be any expression.
    pub fn has_global_code(self) -> bool {
        !self.is_es()
    }

    /// True if arrays have arrays as elements.
    pub fn has_nested_arrays(self) -> bool {
        self == Self::Vulkan
    }
}
