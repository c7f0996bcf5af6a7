//! Sequences: numbers, times and file names of frames.

use crate::failure::{Failure, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `(frame)`, a float, gives whole numbers up to here without gaps.
const MAX_FRAME: u32 = 1 << 24;

/// Numbers of frames, from `first` to `end` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frames {
    first: u32,
    end: u32,
}

/// Parses `A..B`, which excludes B, or `A..=B`, which includes it.
pub(super) fn frames(text: &str) -> Result<Frames, String> {
    let parsed = text.split_once("..").and_then(|(first, end)| {
        let (end, more) = end.strip_prefix('=').map_or((end, 0), |end| (end, 1));
        let end = end.parse::<u32>().ok()?.checked_add(more)?;
        Some(Frames { first: first.parse().ok()?, end })
    });
    match parsed {
        Some(frames) if frames.first >= frames.end => Err(format!("there is no frame in `{text}`")),
        Some(frames) if frames.end > MAX_FRAME + 1 => {
            Err(format!("frames have numbers up to {MAX_FRAME}"))
        }
        Some(frames) => Ok(frames),
        None => Err(format!("`{text}` is not a range such as 0..250")),
    }
}

/// Parses frames per second: a number, or a ratio such as 30000/1001.
pub(super) fn frames_per_second(text: &str) -> Result<f64, String> {
    let (frames, seconds) = text.split_once('/').unwrap_or((text, "1"));
    let ratio = frames.parse::<f64>().ok().zip(seconds.parse::<f64>().ok());
    let ratio = ratio.map(|(frames, seconds)| frames / seconds);
    let ratio = ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    ratio
        .ok_or_else(|| format!("`{text}` is neither a number such as 24 nor a ratio as 30000/1001"))
}

/// Time and frame number of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Frame of a sequence; none for a single picture.
    pub(super) number: Option<u32>,
    /// Value of `(time)`.
    pub(super) time: f32,
    /// Value of `(frame)`.
    pub(super) frame: f32,
}

impl Frames {
    /// Moments of all frames. Frame 0 is at the time `start`.
    pub(super) fn moments(self, start: f32, per_second: f64) -> Vec<Moment> {
        let moment = |number: u32| Moment {
            number: Some(number),
            // Computed from the number, so that rounding errors do not accumulate.
            time: (f64::from(start) + f64::from(number) / per_second) as f32,
            frame: number as f32,
        };
        (self.first..self.end).map(moment).collect()
    }
}

/// Path of a frame, and of an output if there are several: for frame 7 and output 1, `out-%04d.png`
/// becomes `out-0007.1.png`.
pub(super) fn file_name(out: &Path, number: Option<u32>, location: Option<u32>) -> Result<PathBuf> {
    let mut path = match number {
        Some(number) => {
            let name = out.to_str().and_then(|out| numbered(out, number));
            PathBuf::from(name.ok_or_else(|| {
                Failure::usage(format!(
                    "`{}` has no place for the number of a frame; write one, as in out-%04d.png",
                    out.display()
                ))
            })?)
        }
        None => out.to_owned(),
    };
    if let Some(location) = location {
        let mut ending = OsString::from(location.to_string());
        if let Some(old) = path.extension() {
            ending.push(".");
            ending.push(old);
        }
        path.set_extension(ending);
    }
    Ok(path)
}

/// Replaces the one `%d` or `%04d` of a text by the number; `%%` is `%`. None unless there is exactly
/// one.
fn numbered(text: &str, number: u32) -> Option<String> {
    let mut parts = text.split('%');
    let (mut name, mut is_done) = (parts.next()?.to_owned(), false);
    while let Some(part) = parts.next() {
        if part.is_empty() {
            name.push('%');
            name.push_str(parts.next()?);
            continue;
        }
        let (width, rest) = part.split_once('d')?;
        let digits = match width.strip_prefix('0') {
            Some(digits) => digits.parse::<u8>().ok()?,
            None if width.is_empty() => 0,
            None => return None,
        };
        if std::mem::replace(&mut is_done, true) {
            return None;
        }
        name += &format!("{number:0width$}{rest}", width = usize::from(digits));
    }
    is_done.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_place() {
        for (text, name) in [
            ("out-%04d.png", Some("out-0007.png")),
            ("%d", Some("7")),
            ("a%%%02d%%", Some("a%07%")),
            ("%03d/%%d.exr", Some("007/%d.exr")),
            ("out.png", None),
            ("%d-%d.png", None),
            ("%4d.png", None),
            ("%x%d.png", None),
            ("100%", None),
        ] {
            assert_eq!(numbered(text, 7).as_deref(), name, "{text}");
        }
        let name = |location| file_name(Path::new("a/b-%d.x.png"), Some(12), location).ok();
        assert_eq!(name(Some(3)), Some(PathBuf::from("a/b-12.x.3.png")));
        assert_eq!(name(None), Some(PathBuf::from("a/b-12.x.png")));
    }

    #[test]
    fn times_are_of_numbers() {
        assert_eq!(frames("3..5"), Ok(Frames { first: 3, end: 5 }));
        assert_eq!(frames("3..=5"), Ok(Frames { first: 3, end: 6 }));
        for wrong in ["3", "3..3", "5..3", "-1..3", "..4", "3..", "0..16777218", "a..b"] {
            frames(wrong).expect_err(wrong);
        }
        let moments = Frames { first: 29, end: 31 }.moments(0.5, 30.0);
        let times: Vec<(f32, f32)> = moments.iter().map(|m| (m.time, m.frame)).collect();
        assert_eq!(times, [((0.5 + 29.0 / 30.0) as f32, 29.0), (1.5, 30.0)]);
        assert_eq!(frames_per_second("30000/1001"), Ok(30000.0 / 1001.0));
        for wrong in ["0", "-1", "x", "1/0", "nan", "inf"] {
            frames_per_second(wrong).expect_err(wrong);
        }
    }
}
