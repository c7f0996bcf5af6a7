//! The size of an image.
//!
//! A [`Size`] is checked on construction and never again: both sides are at least 1 and at most
//! [`MAX_SIDE`], and there are at most [`MAX_PIXELS`] pixels, so that a frame takes at most 4 GiB and
//! all indices into it fit in 32 bits. The limits hold for sizes from the command line and from files.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The longest side, in pixels.
pub const MAX_SIDE: u32 = 1 << 16;

/// Most pixels of an image.
pub const MAX_PIXELS: u64 = 1 << 28;

/// Width and height in pixels, within the limits of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    width: u32,
    height: u32,
}

/// Reason why a size was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SizeError {
    /// The text is not two whole numbers with an `x` between them.
    #[error("`{text}` is not a size; write WIDTHxHEIGHT, such as 512x512")]
    Syntax {
        /// The given text.
        text: String,
    },
    /// A side is 0.
    #[error("an image of {width}x{height} pixels is empty")]
    Empty {
        /// Pixels in a row.
        width: u64,
        /// Rows.
        height: u64,
    },
    /// A side is longer than [`MAX_SIDE`].
    #[error("an image of {width}x{height} pixels has a side longer than {MAX_SIDE}")]
    TooLong {
        /// Pixels in a row.
        width: u64,
        /// Rows.
        height: u64,
    },
    /// There are more than [`MAX_PIXELS`] pixels.
    #[error("an image of {width}x{height} pixels has more than {MAX_PIXELS} pixels")]
    TooMany {
        /// Pixels in a row.
        width: u64,
        /// Rows.
        height: u64,
    },
}

impl Size {
    /// One pixel.
    pub const PIXEL: Self = Self { width: 1, height: 1 };

    /// A size of `width` × `height` pixels, if it is within the limits.
    pub fn new(width: u32, height: u32) -> Result<Self, SizeError> {
        Self::from_u64(width.into(), height.into())
    }

    /// Like [`Self::new`], from wider numbers, as in file headers.
    pub(crate) fn from_u64(width: u64, height: u64) -> Result<Self, SizeError> {
        if width == 0 || height == 0 {
            return Err(SizeError::Empty { width, height });
        }
        if width > MAX_SIDE.into() || height > MAX_SIDE.into() {
            return Err(SizeError::TooLong { width, height });
        }
        if width * height > MAX_PIXELS {
            return Err(SizeError::TooMany { width, height });
        }
        // Both are at most MAX_SIDE here.
        Ok(Self { width: width as u32, height: height as u32 })
    }

    /// Pixels in a row.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(self) -> u32 {
        self.height
    }

    /// Pixels in the image.
    pub fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// RGBA samples in the image: four per pixel.
    pub fn samples(self) -> usize {
        self.pixels() * 4
    }

    /// Index of pixel (`x`, `y`) in scan order.
    pub fn index(self, x: u32, y: u32) -> u64 {
        u64::from(y) * u64::from(self.width) + u64::from(x)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    /// Parses `WIDTHxHEIGHT`, in decimal digits without signs or spaces.
    fn from_str(text: &str) -> Result<Self, SizeError> {
        let syntax = || SizeError::Syntax { text: text.to_owned() };
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(syntax)?;
        let side = |digits: &str| {
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(syntax());
            }
            // The text is all digits, so a failed parse means that the number exceeds 64 bits: too long
            // anyway.
            Ok(digits.parse().unwrap_or(u64::MAX))
        };
        Self::from_u64(side(width)?, side(height)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive() {
        assert!(Size::new(1, 1).is_ok());
        assert!(Size::new(MAX_SIDE, 4096).is_ok());
        assert!(Size::new(16384, 16384).is_ok());
        assert!(matches!(Size::new(16385, 16384), Err(SizeError::TooMany { .. })));
        assert!(matches!(Size::new(MAX_SIDE + 1, 1), Err(SizeError::TooLong { .. })));
        assert!(matches!(Size::new(u32::MAX, u32::MAX), Err(SizeError::TooLong { .. })));
        assert!(matches!(Size::new(0, 5), Err(SizeError::Empty { .. })));
        assert!(matches!(Size::new(5, 0), Err(SizeError::Empty { .. })));
    }

    #[test]
    fn text_is_read_strictly() {
        assert_eq!("640x480".parse(), Size::new(640, 480));
        assert_eq!("1X1".parse(), Size::new(1, 1));
        for text in
            ["", "x", "640", "640x", "x480", "+1x1", "1x-1", " 1x1", "1x1x1", "1.0x1", "１x1"]
        {
            assert!(matches!(text.parse::<Size>(), Err(SizeError::Syntax { .. })), "{text}");
        }
        assert!(matches!("0x4".parse::<Size>(), Err(SizeError::Empty { .. })));
        assert!(matches!("99999999999999999999x1".parse::<Size>(), Err(SizeError::TooLong { .. })));
    }

    #[test]
    fn display_reads_back() {
        let size = Size::new(97, 61).expect("within the limits");
        assert_eq!(size.to_string().parse(), Ok(size));
        assert_eq!(size.index(3, 2), 2 * 97 + 3);
    }
}
