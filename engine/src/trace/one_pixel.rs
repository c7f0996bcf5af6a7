//! The fragments of one pixel alone.

use crate::engines::{BoundTriangles, TriangleError};
use lambdav_raster::{
    Attachment, Cancel, Kernel, Quad, QuadKernel, RenderOptions, Stop, Tile, TileBuffer,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The fragments of a pixel, in the order of drawing: the words of the triangle, and true for the test of mask and depth.
pub(super) type FragmentsOfPixel = Vec<(Arc<[u32]>, bool)>;

/// A kernel of fragments that computes one pixel, and notes its fragments.
struct OnePixel<'a> {
    kernel: &'a dyn QuadKernel,
    is_test: bool,
    pixel: [u32; 2],
    fragments: &'a Mutex<FragmentsOfPixel>,
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

/// Draws the fragments of one pixel alone, of a program of one output. Returns them.
///
/// # Errors
///
/// As for [`BoundTriangles::draw`].
pub(super) fn draw_pixel(
    bound: &BoundTriangles<'_>,
    pixel: [u32; 2],
    attachment: Attachment<'_>,
    options: &RenderOptions<'_>,
) -> Result<FragmentsOfPixel, TriangleError> {
    let found = Mutex::default();
    let one = |kernel, is_test| OnePixel { kernel, is_test, pixel, fragments: &found };
    bound.draw_around(bound.vertices(), one, vec![attachment], None, options)?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}
