//! Places at which a host program binds blocks, textures and buffers.

use std::fmt;

/// Where a block is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// Under that number of a descriptor set.
    Descriptor {
        /// The set.
        set: u32,
        /// The number.
        binding: u32,
    },
    /// As push constants.
    PushConstants,
}

/// `0.1`, or `push`.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Descriptor { set, binding } => write!(f, "{set}.{binding}"),
            Self::PushConstants => f.write_str("push"),
        }
    }
}
