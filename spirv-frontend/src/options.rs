//! Options of the raise.

use lambdav_core::interface::LocationSource;
use std::collections::BTreeMap;

/// Options of the raise.
#[derive(Clone, Debug, Default)]
pub struct RaiseOptions {
    /// The name of the entry point; without it the module must have one fragment entry point only, or one
    /// that is called `main`.
    pub entry_point: Option<String>,
    /// The colour that a pixel keeps that is discarded.
    pub clear: [f32; 4],
    /// Where inputs of locations come from; all others are uniforms, whose default is zero.
    pub locations: BTreeMap<u32, LocationSource>,
}
