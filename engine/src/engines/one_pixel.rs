//! The fragments of one pixel alone, for traces.

use lambdav_raster::{Cancel, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use std::sync::{Arc, Mutex, PoisonError};

/// The fragments of a pixel, in the order of drawing: the words of the triangle, and true for the test of mask and depth.
pub(crate) type FragmentsOfPixel = Vec<(Arc<[u32]>, bool)>;

/// A kernel of fragments that computes one pixel, and notes its fragments.
pub(super) struct OnePixel<'a> {
    pub(super) kernel: &'a dyn QuadKernel,
    pub(super) is_test: bool,
    pub(super) pixel: [u32; 2],
    pub(super) fragments: &'a Mutex<FragmentsOfPixel>,
}

impl Kernel for OnePixel<'_> {
    fn tile(&self, _: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        unreachable!("a stage computes quads")
    }

    fn stack_size(&self) -> usize {
        self.kernel.stack_size()
    }

    fn attachments(&self) -> usize {
        self.kernel.attachments()
    }
}

impl QuadKernel for OnePixel<'_> {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let [x, y] = self.pixel;
        let own = quads.iter().find(|quad| [quad.x, quad.y] == [x & !1, y & !1]);
        let bit = Quad::bit(x & 1, y & 1);
        let Some(own) = own.filter(|quad| quad.stored & bit != 0) else { return Ok(()) };
        let mut fragments = self.fragments.lock().unwrap_or_else(PoisonError::into_inner);
        fragments.push((primitive.into(), self.is_test));
        self.kernel.quads(&[Quad { run: bit, stored: bit, ..*own }], primitive, pixels, cancel)
    }
}
