//! Marks: signs in a file that `lambdav test` wrote it, and in which role.
//!
//! A picture's mark is its comment, beside the name of the writing program: a text chunk of PNG, an
//! attribute of OpenEXR, the blanks of an NPY header; of a JSON file it is the first member. A digest is its own mark, since nothing else has
//! its form. *Only marked files are removed or overwritten*: an unmarked file with the name of a
//! golden, or of a failed test's picture, belongs to the user.

use super::plan::Test;
use lambdav_engine::metadata;
use lambdav_image::file::{self, Metadata};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Role of a written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Golden of a test.
    Golden,
    /// Picture drawn by a failed test.
    New,
    /// Heat map of a failed test.
    Differences,
}

impl Role {
    const ALL: [Self; 3] = [Self::Golden, Self::New, Self::Differences];

    /// Prefix of the comment.
    fn words(self) -> &'static str {
        match self {
            Self::Golden => "golden of ",
            Self::New => "drawn by a test that failed",
            Self::Differences => "differences of a test that failed",
        }
    }
}

/// Mark of a written file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) role: Role,
    /// The test, as [`name`] gives it; empty in pictures of version 0.1.
    pub(super) test: String,
}

/// Bytes read for the mark, which is near the beginning of a file.
const FRONT: u64 = 16 << 10;

impl Mark {
    /// Mark of the file at `path`; none if unmarked or missing.
    pub(super) fn of(path: &Path) -> Option<Self> {
        if !path.is_file() {
            return None;
        }
        let mut front = Vec::new();
        File::open(path).ok()?.take(FRONT).read_to_end(&mut front).ok()?;
        if let Some(comment) = of_json(&front) {
            return Self::of_comment(&comment);
        }
        if is_digest(&front) {
            return Some(Self { role: Role::Golden, test: String::new() });
        }
        let metadata = file::metadata(&front).ok()?;
        let entry = |name: &str| {
            metadata.entries().find(|(of, _)| *of == name).map(|(_, text)| text.to_owned())
        };
        // NPY has no room for the name of the program; no other program writes in its blanks.
        let is_npy = file::npy::is_npy(&front);
        if !is_npy && !entry(Metadata::SOFTWARE)?.starts_with("lambdav ") {
            return None;
        }
        Self::of_comment(&entry(Metadata::COMMENT)?)
    }

    /// The mark that a comment is.
    fn of_comment(comment: &str) -> Option<Self> {
        Role::ALL.iter().find_map(|&role| {
            let test = comment.strip_prefix(role.words())?;
            Some(Self { role, test: test.trim_start_matches(':').trim().to_owned() })
        })
    }
}

/// Metadata of a file that is written for a test in that role.
pub(super) fn metadata_of(test: &Test, role: Role) -> Metadata {
    metadata().with(Metadata::COMMENT, comment(test, role))
}

/// The comment of a file that is written for a test in that role.
pub(super) fn comment(test: &Test, role: Role) -> String {
    let colon = if role == Role::Golden { "" } else { ": " };
    format!("{}{colon}{}", role.words(), name(test))
}

/// Name of the comment in a JSON file, where it is the first member.
pub(super) const JSON: &str = "lambdav";

/// The comment of a JSON file.
fn of_json(front: &[u8]) -> Option<String> {
    let front = front.strip_prefix(format!("{{\"{JSON}\": ").as_bytes())?;
    let line = front.split(|&byte| byte == b'\n').next()?.strip_suffix(b",")?;
    serde_json::from_slice(line).ok()
}

/// Name of a test in its mark, without the folder of the program.
pub(super) fn name(test: &Test) -> String {
    let file = test.program.file_name().unwrap_or_default().to_string_lossy();
    let name = match test.name.as_str() {
        "" => file.into_owned(),
        name => format!("{file}:{name}"),
    };
    // Characters that all formats can hold.
    name.chars().filter(|c| (' '..='~').contains(c)).take(500).collect()
}

/// True if the text is exactly a digest: `sha256`, 64 digits, size, sample type.
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
