//! Options of the raise.

use lambdav_core::interface::LocationSource;
use std::collections::BTreeMap;

/// Options of the raise.
#[derive(Clone, Debug, Default)]
pub struct RaiseOptions {
    /// Name of the entry point; by default the only fragment entry point, or else the one called `main`.
    pub entry_point: Option<String>,
    /// The colour that a discarded pixel keeps.
    pub clear: [f32; 4],
    /// Sources of inputs by location; other inputs are uniforms with default zero.
    pub locations: BTreeMap<u32, LocationSource>,
}
