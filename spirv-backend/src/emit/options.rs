//! How to emit.

use std::fmt;
use std::str::FromStr;

/// A version of SPIR-V, 1.0 to 1.6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub(super) u8);

impl Version {
    /// 1.0, which everything takes.
    pub const MIN: Self = Self(0);
    /// 1.6.
    pub const MAX: Self = Self(6);
    /// 1.3: the first with the storage class of buffers.
    pub(super) const V1_3: Self = Self(3);
    /// 1.4: the first with the float controls, and whose entry points list all variables.
    pub(super) const V1_4: Self = Self(4);

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::MIN.0..=Self::MAX.0).map(Self)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::all()
            .find(|version| version.to_string() == text)
            .ok_or_else(|| format!("`{text}` is none of 1.0 to {}", Self::MAX))
    }
}

/// What happens to subnormal numbers in an exact module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subnormals {
    /// Where an operand or result may be one, the pixel is computed again, by integers.
    #[default]
    Integers,
    /// The device keeps them, as [`FloatControls::subnormals`] demands.
    Preserve,
    /// They may become zero.
    Flush,
}

/// How a module computes what devices compute in their own ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// Whether the device has floats and integers of 64 bits. Without them, division, square root,
    /// `fma` and elementary functions are computed by integers of 32 bits.
    pub float64: bool,
    /// Whether to rely on the device's `fma` of 32 bits for quotients and roots, which is several times faster. The module
    /// finds out whether it rounds once; where it does not, each pixel is computed twice, and is right all the same.
    pub fused: bool,
    /// What happens to subnormal numbers.
    pub subnormals: Subnormals,
    /// The location of one more output, (1, 0, 0, 1) where a pixel met a number that is subnormal or
    /// rounds to one or to zero, else (0, 0, 0, 1).
    pub report: Option<u32>,
    /// Whether values of pixels that are computed again may lie in registers. Compilers for CPUs then take a fourth of the
    /// time. A GPU executes the fewer pixels at once, these or not, the more registers a shader has.
    pub registers: bool,
}

/// What a module demands of the arithmetic of an implementation, as SPV_KHR_float_controls lets it:
/// of 32 bits, and of 64 where the module has such floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// That signed zeros, infinities and NaNs be kept.
    pub signed_zeros: bool,
    /// That numbers be rounded to nearest even.
    pub rounding: bool,
    /// That subnormal numbers of 32 bits be kept.
    pub subnormals: bool,
}

impl FloatControls {
    /// All of them.
    pub const ALL: Self = Self { signed_zeros: true, rounding: true, subnormals: true };
}

/// How to emit.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitOptions {
    /// The version of the module; by default 1.0.
    pub version: Version,
    /// What to demand of the implementation's arithmetic.
    pub float_controls: FloatControls,
    /// Whether to leave out what computes nothing: the source, lines and all names.
    pub strip: bool,
    /// How many uniforms, the last ones, which must be scalars, are specialisation constants instead:
    /// their ids count from 0, and their defaults are those of the uniforms.
    pub constants: usize,
    /// Whether the module computes the bits that the language says on every conformant device.
    /// Without it, division, square root, `fma` and elementary functions are the device's own.
    pub exact: Option<Exact>,
}
