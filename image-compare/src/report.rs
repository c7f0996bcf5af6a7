//! Text of a comparison.

use std::fmt::{self, Display};

use super::{CompareOutcome, Comparison, Depth, SWEEP, Verdict};

impl Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unorm8 => "8-bit UNORM",
            Self::Unorm16 => "16-bit UNORM",
            Self::Float => "binary32",
        })
    }
}

impl Depth {
    /// Name of a step.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Unorm8 => "levels of 8 bits",
            Self::Unorm16 => "levels of 16 bits",
            Self::Float => "ULP",
        }
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identical => "identical",
            Self::WithinTolerance => "same within the tolerance",
            Self::Different => "different",
        })
    }
}

impl Display for CompareOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sizes { a, b } => write!(f, "different: {a} pixels against {b}"),
            Self::Pixels(comparison) => comparison.fmt(f),
        }
    }
}

/// Writes several lines, without a line end after the last.
impl Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pixels = self.compared;
        write!(f, "{}: {} pixels compared as {}", self.verdict(), self.size, self.depth)?;
        match self.size.pixels() as u64 - pixels {
            0 => {}
            ignored => write!(f, ", {ignored} of them ignored")?,
        }
        if self.lost_nans != 0 {
            let (nans, depth) = (self.lost_nans, self.depth);
            write!(f, "\nNaNs that {depth} cannot hold, compared as 0: {nans} samples")?;
        }
        if self.specials.iter().any(|specials| !specials.is_none()) {
            let [a, b] = self.specials;
            match a == b {
                true => write!(f, "\nnon-finite samples: {a} in each")?,
                false => write!(f, "\nnon-finite samples: {a} against {b}")?,
            }
        }
        if self.differing == 0 {
            return Ok(());
        }
        let share = self.differing as f64 / pixels as f64 * 100.0;
        write!(f, "\ndiffering pixels: {} of {pixels} ({share:.4} %)", self.differing)?;
        if let Some(first) = &self.first {
            let (x, y) = (first.x, first.y);
            write!(f, "\nfirst: ({x}, {y}), ")?;
            pixel(f, first.a)?;
            f.write_str(" against ")?;
            pixel(f, first.b)?;
        }
        if let Some(peak) = &self.steps {
            let unit = self.depth.unit();
            write!(f, "\nlargest: {} {unit} at ({}, {})", peak.value, peak.x, peak.y)?;
        }
        if let Some(peak) = &self.absolute {
            write!(f, "\nlargest absolute: {:e} at ({}, {})", peak.value, peak.x, peak.y)?;
        }
        match self.psnr() {
            // Only signs of zeros differ.
            None => f.write_str("\nRMSE: 0")?,
            Some(psnr) if psnr.is_finite() => {
                write!(f, "\nRMSE: {:.3e} of full intensity (PSNR {psnr:.2} dB)", self.rmse)?;
            }
            Some(_) => f.write_str("\nRMSE: infinite")?,
        }
        if self.antialiased != 0 {
            write!(f, "\nantialiased pixels, passed over: {}", self.antialiased)?;
        }
        if self.beyond != self.differing {
            write!(f, "\npixels beyond what is allowed: {}", self.beyond)?;
        }
        f.write_str("\npixels differing by more than so many levels of 8 bits:")?;
        for (tolerance, count) in SWEEP.into_iter().zip(self.exceeding) {
            write!(f, "\n  {tolerance:>3}: {count}")?;
        }
        if let Some(ulps) = &self.ulps {
            f.write_str("\nsamples by distance in ULP:")?;
            for (least, most, count) in ulps.buckets() {
                match least == most {
                    true => write!(f, "\n  {least}: {count}")?,
                    false => write!(f, "\n  {least}-{most}: {count}")?,
                }
            }
            let nan = ulps.nan_against_number();
            if nan != 0 {
                write!(f, "\n  NaN against a number: {nan}")?;
            }
        }
        Ok(())
    }
}

/// Writes a pixel. Levels are whole numbers; a binary32 has the fewest digits that identify it.
fn pixel(f: &mut fmt::Formatter<'_>, pixel: [f64; 4]) -> fmt::Result {
    f.write_str("(")?;
    for (channel, value) in pixel.into_iter().enumerate() {
        let comma = if channel == 0 { "" } else { ", " };
        // All values came from an f32 or a shorter integer, so the conversion is exact.
        write!(f, "{comma}{}", value as f32)?;
    }
    f.write_str(")")
}
