//! Files beside a mesh: buffers, material libraries and images.
//!
//! A mesh names them by URI or by name. [`RelativePath`] admits no name that leads out of the mesh's folder by
//! itself: no scheme, no absolute path, no `..`. [`Folder`] also follows links, and refuses those that lead out.
//! Backslashes and colons are refused on every system, since some take them for separators and drives.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use thiserror::Error;

use crate::limits::{Budget, LimitError, Quantity};

/// A path below the mesh's folder: names with `/` between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelativePath(String);

/// Reason why a URI or a name is no [`RelativePath`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// It leads out of the mesh's folder.
    #[error("`{}` leads out of the mesh's folder", shown(.0))]
    Outside(String),
    /// It names no file.
    #[error("`{}` is the name of no file", shown(.0))]
    Name(String),
}

impl RelativePath {
    /// The path that a URI of a glTF denotes.
    ///
    /// # Errors
    ///
    /// [`PathError`].
    pub fn from_uri(uri: &str) -> Result<Self, PathError> {
        let decoded = percent_decode_str(uri).decode_utf8();
        Self::from_name(&decoded.map_err(|_| PathError::Name(uri.to_owned()))?)
    }

    /// The path that a name denotes.
    ///
    /// # Errors
    ///
    /// [`PathError`].
    pub fn from_name(name: &str) -> Result<Self, PathError> {
        let is_outside = name.starts_with('/')
            || name.contains(['\\', ':'])
            || name.split('/').any(|part| part == "..");
        if is_outside {
            return Err(PathError::Outside(name.to_owned()));
        }
        let parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
        let path = parts.collect::<Vec<_>>().join("/");
        if path.is_empty() || name.ends_with('/') || name.contains('\0') {
            return Err(PathError::Name(name.to_owned()));
        }
        Ok(Self(path))
    }

    /// The path of a file that this one names, in its folder.
    pub(crate) fn beside(&self, name: &str) -> Result<Self, PathError> {
        let path = Self::from_name(name)?;
        let folder = self.0.rsplit_once('/').map(|(folder, _)| folder);
        Ok(folder.map_or(path.clone(), |folder| Self(format!("{folder}/{}", path.0))))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reason why a file beside a mesh cannot be read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The URI or name is no path below the mesh's folder.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A link leads out of the mesh's folder.
    #[error("`{}` is a link that leads out of the mesh's folder", shown(.0))]
    Link(String),
    /// The mesh was read from memory, without a folder.
    #[error("`{}` cannot be read, since the mesh was not read from a folder", shown(.0))]
    NoFolder(String),
    /// The path is that of a folder or a device.
    #[error("`{}` is not a regular file", shown(.0))]
    Special(String),
    /// The system cannot read it.
    #[error("cannot read `{}`", shown(.path))]
    Io {
        /// The path, relative to the mesh.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The files exceed the limits.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A data URI in another encoding than base64.
    #[error("a data URI is not in base64")]
    NotBase64,
    /// A data URI with malformed base64.
    #[error("malformed base64 in a data URI")]
    Base64(#[source] base64::DecodeError),
}

/// Reads the files that a mesh names.
pub trait Resolver {
    /// The bytes of a file. More than `limit` bytes are an error, which is found before they are read.
    ///
    /// # Errors
    ///
    /// [`FileError`].
    fn read(&self, path: &RelativePath, limit: u64) -> Result<Vec<u8>, FileError>;
}

/// The folder of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder that holds a mesh.
    pub fn beside(mesh: &Path) -> Self {
        let folder = mesh.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self(folder.unwrap_or(Path::new(".")).to_owned())
    }

    /// The file at a path, with all links followed.
    ///
    /// # Errors
    ///
    /// [`FileError`] if there is no regular file at the path, or a link leads out of the folder.
    pub fn locate(&self, path: &RelativePath) -> Result<PathBuf, FileError> {
        let failed = |source| FileError::Io { path: path.0.clone(), source };
        let folder = fs::canonicalize(&self.0).map_err(failed)?;
        // Name by name, since some systems separate them otherwise.
        let inside = path.0.split('/').fold(folder.clone(), |at, name| at.join(name));
        let file = fs::canonicalize(inside).map_err(failed)?;
        if !file.starts_with(&folder) {
            return Err(FileError::Link(path.0.clone()));
        }
        // Opening a pipe could wait forever.
        if !fs::metadata(&file).map_err(failed)?.is_file() {
            return Err(FileError::Special(path.0.clone()));
        }
        Ok(file)
    }
}

impl Resolver for Folder {
    fn read(&self, path: &RelativePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let failed = |source| FileError::Io { path: path.0.clone(), source };
        let file = self.locate(path)?;
        let bytes = read_bounded(&file, limit).map_err(failed)?;
        bytes.ok_or(LimitError { quantity: Quantity::FileBytes, limit }.into())
    }
}

/// No folder: a mesh that must stand alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoFolder;

impl Resolver for NoFolder {
    fn read(&self, path: &RelativePath, _: u64) -> Result<Vec<u8>, FileError> {
        Err(FileError::NoFolder(path.0.clone()))
    }
}

/// The bytes of a file, or nothing if there are more than `limit`.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let expected = usize::try_from(length).map_err(io::Error::other)?;
    bytes.try_reserve_exact(expected.saturating_add(1)).map_err(io::Error::other)?;
    // The file may grow meanwhile, and a pipe has no length.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The bytes that a URI of a glTF stands for.
pub(crate) fn read_uri(
    uri: &str,
    resolver: &dyn Resolver,
    budget: &mut Budget,
) -> Result<Vec<u8>, FileError> {
    if let Some(bytes) = data_uri(uri, budget) {
        return bytes;
    }
    read_path(&RelativePath::from_uri(uri)?, resolver, budget)
}

/// The bytes of a file, within the budget.
pub(crate) fn read_path(
    path: &RelativePath,
    resolver: &dyn Resolver,
    budget: &mut Budget,
) -> Result<Vec<u8>, FileError> {
    let bytes = match resolver.read(path, budget.left()) {
        // The error tells the limit of all files, not the rest of it.
        Err(FileError::Limit(_)) => return Err(budget.exceeded().into()),
        bytes => bytes?,
    };
    budget.spend(bytes.len() as u64)?;
    Ok(bytes)
}

/// The media type of a data URI, if it is one.
pub(crate) fn media_type(uri: &str) -> Option<&str> {
    let rest = data(uri)?;
    let (kind, _) = rest.split_once([';', ','])?;
    Some(kind).filter(|kind| !kind.is_empty())
}

/// The part of a data URI after its scheme.
fn data(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(5)?;
    scheme.eq_ignore_ascii_case("data:").then_some(rest)
}

/// The bytes of a data URI, if it is one.
pub(crate) fn data_uri(uri: &str, budget: &mut Budget) -> Option<Result<Vec<u8>, FileError>> {
    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let decoded = |rest: &str| {
        let encoded = rest.split_once(',').filter(|(kind, _)| kind.ends_with(";base64"));
        let (_, encoded) = encoded.ok_or(FileError::NotBase64)?;
        budget.spend(encoded.len() as u64 / 4 * 3)?;
        BASE64.decode(encoded).map_err(FileError::Base64)
    };
    data(uri).map(decoded)
}

/// A name from a file, fit for a message: without control characters, and not too long.
pub(crate) fn shown(name: &str) -> String {
    const LONGEST: usize = 80;
    let mut text = String::new();
    for c in name.chars().take(LONGEST) {
        match c {
            '\'' | '"' | '\\' => text.push(c),
            _ => text.extend(c.escape_debug()),
        }
    }
    if name.chars().nth(LONGEST).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn paths_stay_below_the_folder() {
        let path = |uri| RelativePath::from_uri(uri).map(|path| path.0);
        for (uri, expected) in [
            ("a.bin", "a.bin"),
            ("./b/a.bin", "b/a.bin"),
            ("my%20mesh.bin", "my mesh.bin"),
            ("λ%CE%BB", "λλ"),
            ("a..b", "a..b"),
        ] {
            assert_eq!(path(uri).as_deref(), Ok(expected));
        }
        for uri in [
            "/etc/passwd",
            "../a",
            "a/../../b",
            "%2e%2e/a",
            "%2Fetc",
            "http://x/a",
            "file:///a",
            "C:a",
            "c:\\a",
            "\\\\host\\a",
            "a/..",
        ] {
            assert!(matches!(path(uri), Err(PathError::Outside(_))), "{uri}");
        }
        for uri in ["", ".", "a/", "a%00", "%ff", "./"] {
            assert!(matches!(path(uri), Err(PathError::Name(_))), "{uri}");
        }
    }

    #[test]
    fn data_uris_are_base64() {
        let read = |uri: &str| {
            let mut budget = Budget::after(&[], &Limits { file_bytes: 6, ..Limits::default() });
            read_uri(uri, &NoFolder, budget.as_mut().expect("it is new"))
        };
        for uri in ["data:;base64,AQID", "DATA:a/b;base64,AQID", "data:x;charset=y;base64,AQID"] {
            assert_eq!(read(uri).expect("it is right"), [1, 2, 3]);
        }
        assert_eq!(read("data:;base64,AQI").expect("padding may be missing"), [1, 2]);
        assert_eq!(read("data:;base64,AQI=").expect("padding is right"), [1, 2]);
        assert!(matches!(read("data:,abc"), Err(FileError::NotBase64)));
        assert!(matches!(read("data:;base64"), Err(FileError::NotBase64)));
        assert!(matches!(read("data:;base64,A?"), Err(FileError::Base64(_))));
        assert!(matches!(read("data:;base64,AAAAAAAAAAAA"), Err(FileError::Limit(_))));
        assert!(matches!(read("a.bin"), Err(FileError::NoFolder(_))));
        assert_eq!(media_type("data:image/png;base64,AA"), Some("image/png"));
        assert_eq!(media_type("data:;base64,AA"), None);
        assert_eq!(media_type("a.png"), None);
    }

    #[test]
    fn a_folder_reads_regular_files_within_the_limit() {
        let place = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(place.path().join("in")).expect("a folder can be made");
        fs::write(place.path().join("in/a.bin"), [1, 2, 3]).expect("it can be written");
        let folder = Folder::beside(&place.path().join("mesh.gltf"));
        let path = |name| RelativePath::from_name(name).expect("it is inside");
        assert_eq!(folder.read(&path("in/a.bin"), 3).expect("it is there"), [1, 2, 3]);
        assert!(matches!(folder.read(&path("in/a.bin"), 2), Err(FileError::Limit(_))));
        assert!(matches!(folder.read(&path("in"), 9), Err(FileError::Special(_))));
        let absent = folder.read(&path("b"), 9).expect_err("it is not there");
        assert_eq!(absent.to_string(), "cannot read `b`");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_in_the_folder() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let inside = place.path().join("inside");
        fs::create_dir(&inside).expect("a folder can be made");
        fs::write(place.path().join("secret"), "x").expect("it can be written");
        fs::write(inside.join("own"), "y").expect("it can be written");
        for (target, name) in [("../secret", "out"), ("own", "in"), ("..", "up")] {
            std::os::unix::fs::symlink(target, inside.join(name)).expect("it can be linked");
        }
        let folder = Folder::beside(&inside.join("mesh.gltf"));
        let read = |name| folder.read(&RelativePath::from_name(name).expect("it is inside"), 9);
        assert_eq!(read("in").expect("it stays inside"), b"y");
        assert!(matches!(read("out"), Err(FileError::Link(_))));
        assert!(matches!(read("up/secret"), Err(FileError::Link(_))));
    }

    #[test]
    fn names_are_shown_without_control_characters() {
        assert_eq!(shown("a\u{1b}[1m"), "a\\u{1b}[1m");
        assert_eq!(shown(&"x".repeat(100)).chars().count(), 81);
    }
}
