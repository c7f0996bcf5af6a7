//! Contents of a file that decoding ignores, although viewers apply them.
//!
//! Pixels are taken as stored. A comparison of files can report that a viewer would turn one of them,
//! or show it in other colours.

use std::fmt;

/// Ignored content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LeftOut {
    /// EXIF orientation: the picture is to be turned or mirrored.
    Orientation,
    /// A colour profile.
    Profile,
    /// A `gAMA` chunk of PNG, if no other chunk defines the colours.
    Gamma,
    /// Frames of an animation, or pages, after the first.
    Frames,
}

/// Writes a noun.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Orientation => "EXIF orientation",
            Self::Profile => "colour profile",
            Self::Gamma => "gAMA",
            Self::Frames => "further frames",
        })
    }
}

/// Types and data of the complete chunks of a PNG file.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut rest = bytes.get(8..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (kind, after) = after.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length) as usize;
        let data = after.get(..length)?;
        rest = after.get(length + 4..).unwrap_or_default();
        Some((kind, data))
    })
}

/// Ignored contents of a PNG file.
pub(super) fn of_png(bytes: &[u8]) -> Vec<LeftOut> {
    let mut found = Vec::new();
    let (mut has_gamma, mut has_meaning) = (false, false);
    for (kind, data) in chunks(bytes) {
        match kind {
            b"iCCP" => found.push(LeftOut::Profile),
            b"gAMA" => has_gamma = true,
            b"sRGB" | b"cICP" => has_meaning = true,
            b"eXIf" if orientation(data).is_some_and(|way| way != 1) => {
                found.push(LeftOut::Orientation);
            }
            b"acTL" => {
                let frames = data.first_chunk::<4>().map_or(0, |n| u32::from_be_bytes(*n));
                if frames > 1 {
                    found.push(LeftOut::Frames);
                }
            }
            _ => {}
        }
    }
    if has_gamma && !has_meaning && !found.contains(&LeftOut::Profile) {
        found.push(LeftOut::Gamma);
    }
    found
}

/// Reader of a TIFF structure, which EXIF uses, too.
pub(super) struct Tiff<'a> {
    bytes: &'a [u8],
    is_little: bool,
}

impl<'a> Tiff<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let is_little = match bytes.get(..4)? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        Some(Self { bytes, is_little })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let two = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.is_little { u16::from_le_bytes(two) } else { u16::from_be_bytes(two) })
    }

    fn long(&self, at: usize) -> Option<u32> {
        let four = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.is_little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) })
    }

    /// Offset and number of entries of the first directory.
    fn directory(&self) -> Option<(usize, usize)> {
        let at = self.long(4)? as usize;
        Some((at, self.short(at)?.into()))
    }

    /// The value of an entry of the first directory, if it is a short number, else 0; none without the
    /// entry.
    pub(super) fn value(&self, tag: u16) -> Option<u16> {
        let (at, count) = self.directory()?;
        let entry = (0..count).map(|index| at + 2 + 12 * index);
        let entry = entry.take_while(|&at| at < self.bytes.len());
        let at = entry.into_iter().find(|&at| self.short(at) == Some(tag))?;
        if self.short(at + 2)? == 3 { self.short(at + 8) } else { Some(0) }
    }

    /// True if there is a second directory.
    #[cfg(feature = "formats")]
    pub(super) fn has_more(&self) -> bool {
        let next = self.directory().and_then(|(at, count)| self.long(at + 2 + 12 * count));
        next.is_some_and(|next| next != 0)
    }
}

/// Tag of the orientation; its value 1 means as stored.
pub(super) const ORIENTATION: u16 = 0x112;

/// Orientation in EXIF data.
pub(super) fn orientation(exif: &[u8]) -> Option<u16> {
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Tiff::new(exif)?.value(ORIENTATION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Undecoded;
    use std::path::Path;

    /// EXIF data with an orientation, in both byte orders.
    fn exif(way: u16) -> [Vec<u8>; 2] {
        let little = |short: u16| short.to_le_bytes();
        let big = |short: u16| short.to_be_bytes();
        [(b"II", little as fn(u16) -> [u8; 2]), (b"MM", big)].map(|(order, short)| {
            let is_little = order == b"II";
            let long = |value: u16| match is_little {
                true => [short(value), short(0)].concat(),
                false => [short(0), short(value)].concat(),
            };
            let entry = [&short(ORIENTATION)[..], &short(3), &long(1), &short(way), &short(0)];
            [&order[..], &short(42), &long(8), &short(1), &entry.concat(), &long(0)].concat()
        })
    }

    /// A PNG file of these chunks; their checksums are not read.
    fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in chunks {
            bytes.extend((data.len() as u32).to_be_bytes());
            bytes.extend(*kind);
            bytes.extend(*data);
            bytes.extend([0; 4]);
        }
        bytes
    }

    fn found(mut bytes: &[u8]) -> Vec<LeftOut> {
        Undecoded::read(&mut bytes, Path::new("")).expect("it is an image").left_out()
    }

    #[test]
    fn chunks_of_png() {
        let [turned, straight] = [exif(6), exif(1)];
        let frames = [0, 0, 0, 2, 0, 0, 0, 0];
        assert_eq!(found(&png(&[(b"gAMA", &[0; 4])])), [LeftOut::Gamma]);
        assert_eq!(found(&png(&[(b"gAMA", &[0; 4]), (b"sRGB", &[0])])), []);
        assert_eq!(found(&png(&[(b"gAMA", &[0; 4]), (b"iCCP", b"x")])), [LeftOut::Profile]);
        for (turned, straight) in turned.iter().zip(&straight) {
            assert_eq!(found(&png(&[(b"eXIf", straight)])), []);
            let all = png(&[(b"acTL", &frames), (b"IDAT", b""), (b"eXIf", turned)]);
            assert_eq!(found(&all), [LeftOut::Orientation, LeftOut::Frames]);
            // Truncated files end the search.
            (0..all.len()).for_each(|length| drop(of_png(&all[..length])));
            let cut = |length: usize| orientation(&turned[..length]);
            assert_eq!((0..turned.len()).filter_map(cut).find(|&way| way != 6), None);
        }
        assert_eq!(found(&png(&[(b"acTL", &[0, 0, 0, 1])])), []);
    }

    #[cfg(feature = "formats")]
    #[test]
    fn other_formats() {
        let jpeg = |parts: &[&[u8]]| {
            let mut bytes = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
            for part in parts {
                bytes.extend(b"\xff");
                bytes.push(part[0]);
                bytes.extend((part.len() as u16 + 1).to_be_bytes());
                bytes.extend(&part[1..]);
            }
            bytes
        };
        let turned = [b"\xe1Exif\0\0", &exif(3)[0][..]].concat();
        let profile = b"\xe2ICC_PROFILE\0\x01\x01abc";
        assert_eq!(found(&jpeg(&[])), []);
        assert_eq!(found(&jpeg(&[&turned, profile])), [LeftOut::Orientation, LeftOut::Profile]);
        let frame = b",\0\0\0\0\x01\0\x01\0\0\x02\x01\0\0";
        let gif = |frames: usize| {
            let head = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0";
            [&head[..], &frame.repeat(frames), b";"].concat()
        };
        assert_eq!((found(&gif(1)), found(&gif(2))), (vec![], vec![LeftOut::Frames]));
        let [mut tiff, _] = exif(8);
        assert_eq!(found(&tiff), [LeftOut::Orientation]);
        let end = tiff.len();
        tiff[end - 4] = 8;
        assert_eq!(found(&tiff), [LeftOut::Orientation, LeftOut::Frames]);
        let webp = |parts: &[&[u8]]| {
            let parts: Vec<Vec<u8>> = parts
                .iter()
                .map(|part| {
                    [&part[..4], &(part.len() as u32 - 4).to_le_bytes(), &part[4..]].concat()
                })
                .collect();
            [&b"RIFF\0\0\0\0WEBP"[..], &parts.concat()].concat()
        };
        let exif = [b"EXIF", &exif(2)[1][..]].concat();
        let all = webp(&[b"VP8X\0\0", b"ICCP\0\0", &exif, b"ANMF", b"ANMF"]);
        let three = [LeftOut::Orientation, LeftOut::Profile, LeftOut::Frames];
        assert_eq!(found(&all), three);
        for file in [jpeg(&[&turned, profile]), gif(2), tiff, all] {
            for length in 12..file.len() {
                if let Ok(cut) = Undecoded::read(&mut &file[..length], Path::new("")) {
                    let _ = cut.left_out();
                }
            }
        }
    }
}
