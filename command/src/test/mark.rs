//! Marks: what says in a file that a run has written it, and as what.
//!
//! A picture says so in its comment, beside the name of the program that wrote it: a text chunk of PNG, an
//! attribute of OpenEXR, the blanks of an NPY header. A digest is its own mark, since nothing else looks like
//! one. *A run removes and overwrites marked files only*: whatever has the name of a golden, or of a picture of a
//! test that fails, and no mark, is somebody's own.

use super::plan::Test;
use lambdav_engine::metadata;
use lambdav_image::file::{self, Metadata};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// As what a run has written a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// What a test is compared with.
    Golden,
    /// What a test that failed has drawn.
    New,
    /// Where that differs.
    Differences,
}

impl Role {
    const ALL: [Self; 3] = [Self::Golden, Self::New, Self::Differences];

    /// What a comment begins with.
    fn words(self) -> &'static str {
        match self {
            Self::Golden => "golden of ",
            Self::New => "drawn by a test that failed",
            Self::Differences => "differences of a test that failed",
        }
    }
}

/// What a file says that a run has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) role: Role,
    /// The test, as [`name`] calls it; empty in pictures of version 0.1.
    pub(super) test: String,
}

/// How much of a file is read for its mark, which stands at the front.
const FRONT: u64 = 16 << 10;

impl Mark {
    /// The mark of the file at `path`; none if it has none, or is not there.
    pub(super) fn of(path: &Path) -> Option<Self> {
        if !path.is_file() {
            return None;
        }
        let mut front = Vec::new();
        File::open(path).ok()?.take(FRONT).read_to_end(&mut front).ok()?;
        if is_digest(&front) {
            return Some(Self { role: Role::Golden, test: String::new() });
        }
        let metadata = file::metadata(&front).ok()?;
        let entry = |name: &str| {
            metadata.entries().find(|(of, _)| *of == name).map(|(_, text)| text.to_owned())
        };
        // NPY has no room for the name of the program; nothing else writes in its blanks.
        let is_npy = file::npy::is_npy(&front);
        if !is_npy && !entry(Metadata::SOFTWARE)?.starts_with("lambdav ") {
            return None;
        }
        let comment = entry(Metadata::COMMENT)?;
        Role::ALL.iter().find_map(|&role| {
            let test = comment.strip_prefix(role.words())?;
            Some(Self { role, test: test.trim_start_matches(':').trim().to_owned() })
        })
    }
}

/// What a file says of its origin that a run writes for a test in that role.
pub(super) fn metadata_of(test: &Test, role: Role) -> Metadata {
    let colon = if role == Role::Golden { "" } else { ": " };
    metadata().with(Metadata::COMMENT, format!("{}{colon}{}", role.words(), name(test)))
}

/// What a mark calls a test: without the way to the program, which may be any.
pub(super) fn name(test: &Test) -> String {
    let file = test.program.file_name().unwrap_or_default().to_string_lossy();
    let name = match test.name.as_str() {
        "" => file.into_owned(),
        name => format!("{file}:{name}"),
    };
    // What all formats hold.
    name.chars().filter(|c| (' '..='~').contains(c)).take(500).collect()
}

/// Whether a file is a digest and nothing else: `sha256`, 64 digits, a size, a kind of samples.
fn is_digest(text: &[u8]) -> bool {
    let Some(line) = str::from_utf8(text).ok().map(|text| text.trim_end_matches(['\n', '\r']))
    else {
        return false;
    };
    let words: Vec<&str> = line.split(' ').collect();
    let [kind, digits, size, samples] = words[..] else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    kind == "sha256"
        && digits.len() == 64
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
        && size.split_once('x').is_some_and(|(w, h)| is_number(w) && is_number(h))
        && ["8-bit", "16-bit", "float32"].contains(&samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_told_from_other_texts() {
        let digits = "0123456789abcdef".repeat(4);
        assert!(is_digest(format!("sha256 {digits} 8x16 float32\n").as_bytes()));
        for text in [
            format!("sha256 {digits} 8x16"),
            format!("sha256 {digits} 8 float32"),
            format!("sha256 {} 8x16 float32", &digits[1..]),
            format!("sha256 {digits} 8x16 float32\nmore"),
            format!("{digits}  disk.png"),
            String::new(),
        ] {
            assert!(!is_digest(text.as_bytes()), "{text}");
        }
    }
}
