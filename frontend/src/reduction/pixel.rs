//! The pixels of a quad, at which derivatives evaluate terms.

use lambdav_core::graph::{Axis, Place, Side, neighbour};

/// The evaluated pixel, or another pixel of its quad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pixel {
    column: Option<Side>,
    row: Option<Side>,
}

impl Pixel {
    /// The pixel on this side, in the same row or column.
    pub(super) fn neighbour(self, axis: Axis, side: Side) -> Self {
        match axis {
            Axis::X => Self { column: Some(side), ..self },
            Axis::Y => Self { row: Some(side), ..self },
        }
    }

    /// The place of interpolated values.
    pub(super) fn place(self) -> Place {
        Place { x: self.column, y: self.row }
    }

    /// The pixel's `frag-coord`, from that of the evaluated pixel.
    pub(super) fn frag_coord(self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let moved = |coordinate, side: Option<Side>| {
            side.map_or(coordinate, |side| neighbour(coordinate, side))
        };
        [moved(x, self.column), moved(y, self.row), z, w]
    }
}
