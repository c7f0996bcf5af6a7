//! Mutants: deliberate mistakes in drawing triangles that can be switched on, to show that tests find them.
//!
//! Mutants exist only with the feature `mutants`; without it [`is_active`] is false at compile time.

use std::sync::atomic::{AtomicU8, Ordering};

/// A deliberate mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Right edges are covered in place of left ones.
    RightEdge = 1,
    /// The plane on the right lies on the left.
    PlaneSign,
    /// Odd triangles of a strip keep the order of their vertices.
    StripWinding,
    /// The w of vertices 1 and 2 is that of the other.
    WrongW,
    /// A discarded fragment stores its depth.
    DepthOfDiscarded,
    /// A tile draws its pieces in the order of their left edges.
    LostOrder,
    /// All pixels of a quad with a covered pixel are stored.
    StoredHelpers,
    /// The third sample is a sixteenth of a pixel too far to the right.
    SamplePosition,
    /// A clipped triangle's flat varyings are those of the first vertex of the polygon.
    FlatOfPolygon,
    /// Linear varyings are clipped as perspective ones.
    LinearClip,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::RightEdge,
        Self::PlaneSign,
        Self::StripWinding,
        Self::WrongW,
        Self::DepthOfDiscarded,
        Self::LostOrder,
        Self::StoredHelpers,
        Self::SamplePosition,
        Self::FlatOfPolygon,
        Self::LinearClip,
    ];
}

static ACTIVE: AtomicU8 = AtomicU8::new(0);

/// Activates one mutant for the whole process, or none.
#[cfg(feature = "mutants")]
pub fn activate(mutant: Option<Mutant>) {
    ACTIVE.store(mutant.map_or(0, |mutant| mutant as u8), Ordering::Relaxed);
}

/// True if this mutant is active.
pub(crate) fn is_active(mutant: Mutant) -> bool {
    cfg!(feature = "mutants") && ACTIVE.load(Ordering::Relaxed) == mutant as u8
}
