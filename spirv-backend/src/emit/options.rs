//! Options of the emitter.

use lambdav_core::schedule::probes::report_outputs;
use std::fmt;
use std::str::FromStr;

/// A version of SPIR-V, 1.0 to 1.6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub(super) u8);

impl Version {
    /// 1.0, which every implementation accepts.
    pub const MIN: Self = Self(0);
    /// 1.6.
    pub const MAX: Self = Self(6);
    /// 1.3: the first with the storage class of buffers.
    pub(super) const V1_3: Self = Self(3);
    /// 1.4: the first with the float controls, and whose entry points list all variables.
    pub(super) const V1_4: Self = Self(4);

    /// All versions.
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

/// Treatment of subnormal numbers in an exact module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subnormals {
    /// A pixel that may meet one is computed again by integers.
    #[default]
    Integers,
    /// The device keeps them, as [`FloatControls::subnormals`] demands.
    Preserve,
    /// Subnormal numbers may become zero.
    Flush,
}

/// Methods of an exact module for operations whose results are the device's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// True if the device has floats and integers of 64 bits. Without them, 32-bit integers compute
    /// division, square root, `fma` and elementary functions.
    pub float64: bool,
    /// True to use the device's 32-bit `fma` for quotients and roots, which is several times faster. The
    /// module tests if it rounds once. If it does not, each pixel is computed twice, and the result is
    /// still right.
    pub fused: bool,
    /// Treatment of subnormal numbers.
    pub subnormals: Subnormals,
    /// Location of an additional output: (1, 0, 0, 1) for a pixel that met a number which is subnormal
    /// or rounds to a subnormal number or to zero, else (0, 0, 0, 1).
    pub report: Option<u32>,
    /// True if values of pixels that are computed again may be in registers, which quarters compile
    /// times for CPUs. On a GPU, the more registers a shader needs, the fewer pixels execute at once,
    /// these or others.
    pub registers: bool,
}

/// Demands on the implementation's arithmetic, by SPV_KHR_float_controls: for 32 bits, and for 64 bits
/// if the module has such floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// Signed zeros, infinities and NaNs are kept.
    pub signed_zeros: bool,
    /// Results are rounded to nearest even.
    pub rounding: bool,
    /// Subnormal numbers of 32 bits are kept.
    pub subnormals: bool,
}

impl FloatControls {
    /// All demands.
    pub const ALL: Self = Self { signed_zeros: true, rounding: true, subnormals: true };
}

/// Options of the emitter.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitOptions {
    /// The version of the module; by default 1.0.
    pub version: Version,
    /// Demands on the implementation's arithmetic.
    pub float_controls: FloatControls,
    /// True to omit the source, lines and all names.
    pub strip: bool,
    /// Number of uniforms, counted from the end, that become specialisation constants. They must be
    /// scalars; their ids count from 0, and their defaults are those of the uniforms.
    pub constants: usize,
    /// Computes the language's bits on every conformant device. By default, division, square root, `fma`
    /// and elementary functions are the device's own.
    pub exact: Option<Exact>,
    /// Writes reports of undefined behaviour to a buffer, for a full-screen program that reports.
    pub instrument: Option<Instrument>,
}

/// A buffer of reports: two uints for each site, the first pixel in scan order that met the site, row · 65536 + column, and the
/// number of pixels. The host fills it with 0xffffffff and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// Descriptor set and binding of the buffer.
    pub binding: [u32; 2],
    /// Location of the first output with sites; those after it have the next ones.
    pub first: u32,
    /// Number of sites.
    pub sites: u32,
}

impl Instrument {
    /// The number of an output with sites, by its location; none for other outputs.
    pub(super) fn place(self, location: u32) -> Option<u32> {
        let place = location.checked_sub(self.first)?;
        ((place as usize) < report_outputs(self.sites as usize)).then_some(place)
    }
}
