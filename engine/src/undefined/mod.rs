//! Reports of undefined behaviour: the sites that a picture, a dispatch or passes met ([`lambdav_core::probes`]).
//!
//! | module | contents |
//! |---|---|
//! | `reporting` | a program with probes, compiled again, and the lines of a report |
//! | `pixels` | the sites of each pixel |
//! | `watched` | a kernel that notes the sites of each pixel beside its outputs |
//! | `stages` | kernels of vertices and of fragments that do so |

mod pixels;
mod reporting;
mod stages;
mod unit;
mod watched;

pub use pixels::PixelSet;

pub(crate) use reporting::{Met, Reporting};
pub(crate) use stages::ProbedStages;
pub use unit::Unit;
pub(crate) use watched::Watched;

use std::fmt;

/// A site that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undefined {
    /// Name of the file, line and column, from 1; line 0 if a module has no lines.
    pub place: (String, u32, u32),
    /// The operation, as the author names it.
    pub operation: String,
    /// The condition that held.
    pub condition: &'static str,
    /// True if the author's language defines the result, which may not be meant.
    pub is_defined: bool,
    /// The first unit: ids of passes before vertices, vertices before pixels, pixels in scan order, vertices by instance and
    /// index, ids in their order. None for what no unit evaluates: defaults of uniforms and constants, applications to constants
    /// under `@`, and sizes of passes.
    pub first: Option<Unit>,
    /// The operands there, in the language's notation. If the unit met the site several times, the least words.
    pub operands: Vec<String>,
    /// Number of units that met the site.
    pub units: u64,
    /// The noun for one unit, and that for several.
    pub(crate) nouns: [&'static str; 2],
}

impl fmt::Display for Undefined {
    /// The line of LANGUAGE §15.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: (file, line, column), operation, condition, first, .. } = self;
        write!(f, "{file}:")?;
        if *line > 0 {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {operation}: {condition}")?;
        if self.is_defined {
            write!(f, " (defined, perhaps not meant)")?;
        }
        let operands = self.operands.join(", ");
        match first {
            Some(first) => write!(f, "; first at {first}")?,
            None if operands.is_empty() => {}
            None => write!(f, ";")?,
        }
        if !operands.is_empty() {
            write!(f, " with {operands}")?;
        }
        match first {
            Some(_) => write!(f, "; {} {}", self.units, self.nouns[usize::from(self.units != 1)]),
            None => Ok(()),
        }
    }
}
