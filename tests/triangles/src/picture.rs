//! Pictures, and the first difference between two.

use std::fmt;

/// A picture, row by row.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The pixels of each attachment, resolved.
    pub attachments: Vec<Vec<[f32; 4]>>,
    /// The depth of each pixel's first sample; `None` if it is unknown.
    pub depth: Option<Vec<f32>>,
    /// The fragments of each pixel in order. Only the reference rasterizer lists them; else there are none.
    pub coverage: Vec<Vec<Coverage>>,
}

impl Picture {
    /// A picture of another engine, without a list of fragments.
    pub fn new(
        width: u32,
        height: u32,
        attachments: Vec<Vec<[f32; 4]>>,
        depth: Option<Vec<f32>>,
    ) -> Self {
        Self { width, height, attachments, depth, coverage: Vec::new() }
    }

    /// The number of fragments that cover a sample, for each pixel.
    pub fn counts(&self, sample: usize) -> Vec<usize> {
        let covers = |fragment: &&Coverage| fragment.samples >> sample & 1 == 1;
        self.coverage.iter().map(|fragments| fragments.iter().filter(covers).count()).collect()
    }
}

/// A fragment's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The instance.
    pub instance: u32,
    /// The number of the triangle in its instance.
    pub primitive: u32,
    /// The number of the piece of the clipped triangle.
    pub piece: usize,
    /// The covered samples; bit 0 is the first.
    pub samples: u8,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instance, primitive, piece, samples } = self;
        write!(
            f,
            "primitive {primitive} of instance {instance}, piece {piece}, samples {samples:04b}"
        )
    }
}

/// A number of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A component of an attachment.
    Attachment {
        /// The attachment's place in the list.
        index: usize,
        /// The component, 0 to 3.
        component: usize,
    },
    /// The depth.
    Depth,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attachment { index, component } => write!(f, "attachment {index}.{component}"),
            Self::Depth => f.write_str("depth"),
        }
    }
}

/// The first difference between two pictures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Difference {
    /// Other sizes, or lists of other lengths.
    #[error("the picture has {found}, not {expected}")]
    Shape {
        /// The shape of the expected picture.
        expected: String,
        /// The shape of the other.
        found: String,
    },
    /// Other bits at a pixel.
    #[error(
        "pixel ({x}, {y}), {place}: {found:?} ({:#010x}), not {expected:?} ({:#010x}); fragments: {}",
        .found.to_bits(), .expected.to_bits(), list(.coverage)
    )]
    Value {
        /// The pixel's column.
        x: u32,
        /// The pixel's row.
        y: u32,
        /// The number.
        place: Place,
        /// The expected number.
        expected: f32,
        /// The other picture's number.
        found: f32,
        /// The fragments of the pixel in the expected picture.
        coverage: Vec<Coverage>,
    },
}

fn list(coverage: &[Coverage]) -> String {
    match coverage {
        [] => "none".into(),
        _ => coverage.iter().map(Coverage::to_string).collect::<Vec<_>>().join("; "),
    }
}

/// Compares two pictures to the bit; all NaNs are equal. Depths are compared where both pictures have them.
///
/// # Errors
///
/// The first difference in scan order; at one pixel, attachments come before depth.
pub fn equal(expected: &Picture, found: &Picture) -> Result<(), Difference> {
    let is_depth_known = expected.depth.is_some() && found.depth.is_some();
    let shapes = [expected, found].map(|picture| shape(picture, is_depth_known));
    if shapes[0] != shapes[1] {
        let [expected, found] = shapes;
        return Err(Difference::Shape { expected, found });
    }
    for pixel in 0..expected.width as usize * expected.height as usize {
        let attachments = expected.attachments.iter().zip(&found.attachments).enumerate();
        let colours = attachments.flat_map(|(index, (expected, found))| {
            (0..4).map(move |component| {
                let place = Place::Attachment { index, component };
                (place, expected[pixel][component], found[pixel][component])
            })
        });
        let depths = expected.depth.iter().zip(&found.depth);
        let depths = depths.map(|(e, f)| (Place::Depth, e[pixel], f[pixel]));
        for (place, expected_number, found_number) in colours.chain(depths) {
            let is_equal = expected_number.to_bits() == found_number.to_bits()
                || (expected_number.is_nan() && found_number.is_nan());
            if !is_equal {
                return Err(Difference::Value {
                    x: (pixel % expected.width as usize) as u32,
                    y: (pixel / expected.width as usize) as u32,
                    place,
                    expected: expected_number,
                    found: found_number,
                    coverage: expected.coverage.get(pixel).cloned().unwrap_or_default(),
                });
            }
        }
    }
    Ok(())
}

/// Sizes and lengths that must be equal.
fn shape(picture: &Picture, is_depth_known: bool) -> String {
    let Picture { width, height, attachments, depth, .. } = picture;
    let lengths: Vec<usize> = attachments.iter().map(Vec::len).collect();
    let mut shape = format!("{width} x {height} pixels, attachments of {lengths:?}");
    if let (true, Some(depth)) = (is_depth_known, depth) {
        shape += &format!(", depths of {}", depth.len());
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        let pixels = vec![[0.0, 1.0, f32::NAN, -1.0]; 6];
        Picture::new(3, 2, vec![pixels.clone(), pixels], Some(vec![1.0; 6]))
    }

    #[test]
    fn the_first_difference_is_found() {
        let mut expected = picture();
        expected.coverage = vec![Vec::new(); 6];
        let seen = Coverage { instance: 1, primitive: 2, piece: 0, samples: 0b101 };
        expected.coverage[4].push(seen);
        let mut found = picture();
        found.attachments[0][3][2] = -f32::NAN;
        assert_eq!(equal(&expected, &found), Ok(()));
        found.depth.as_mut().expect("it has a depth")[4] = 0.5;
        found.attachments[1][4][0] = -0.0;
        let difference = equal(&expected, &found).expect_err("a zero has another sign");
        let place = Place::Attachment { index: 1, component: 0 };
        assert_eq!(
            difference,
            Difference::Value {
                x: 1,
                y: 1,
                place,
                expected: 0.0,
                found: -0.0,
                coverage: vec![seen]
            }
        );
        assert_eq!(
            difference.to_string(),
            "pixel (1, 1), attachment 1.0: -0.0 (0x80000000), not 0.0 (0x00000000); fragments: \
             primitive 2 of instance 1, piece 0, samples 0101"
        );
        found.attachments[1][4][0] = 0.0;
        let difference = equal(&expected, &found).expect_err("a depth differs");
        assert!(matches!(difference, Difference::Value { place: Place::Depth, .. }));
        found.depth = None;
        assert_eq!(equal(&expected, &found), Ok(()));
    }

    #[test]
    fn shapes_must_be_equal() {
        let mut found = picture();
        found.attachments.pop();
        assert!(matches!(equal(&picture(), &found), Err(Difference::Shape { .. })));
        let mut found = picture();
        found.depth = Some(Vec::new());
        assert!(matches!(equal(&picture(), &found), Err(Difference::Shape { .. })));
    }
}
