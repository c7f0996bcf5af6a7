//! Reports of undefined behaviour: the sites that a picture, a dispatch or passes met ([`lambdav_core::probes`]).
//!
//! | module | contents |
//! |---|---|
//! | `reporting` | a program with probes, compiled again, and the lines of a report |
//! | `watched` | a kernel that notes the sites of each pixel beside its outputs |
//! | `invocations` | an observer that notes the sites of invocations |

mod invocations;
mod reporting;
mod unit;
mod watched;

pub(crate) use invocations::Invocations;
pub(crate) use reporting::{Met, Reporting};
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
    /// The first unit: ids of passes before pixels, pixels in scan order, ids in their order.
    pub first: Unit,
    /// The operands there, in the language's notation. If the unit met the site several times, the least words.
    pub operands: Vec<String>,
    /// Number of units that met the site.
    pub units: u64,
    /// The noun for the units.
    pub(crate) noun: &'static str,
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
        write!(f, "; first at {first}")?;
        if !self.operands.is_empty() {
            write!(f, " with {}", self.operands.join(", "))?;
        }
        let noun = if self.units == 1 { self.noun.trim_end_matches('s') } else { self.noun };
        write!(f, "; {} {noun}", self.units)
    }
}
