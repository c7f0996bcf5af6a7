//! Files and standard input: reading programs, and early checks that a target can be written.

use super::failure::{Failure, Result, save_failure};
use super::watch;
use lambdav_core::limits;
use lambdav_engine::endings;
use lambdav_engine::program::{self, Fix, Loaded};
use lambdav_engine::{ShaderOptions, error_chain};
use lambdav_image::file::{self, DecodeError, LeftOut, LoadError, Undecoded};
use lambdav_image::texture::{self, TextureFile};
use lambdav_image::{AnyImage, Size};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Compiles the bytes of the file at `path` with values for constants, and at most `most` errors and
/// `most` warnings; prints nothing.
pub(super) fn compile_fixed(
    path: &Path,
    bytes: Vec<u8>,
    most: usize,
    fix: &mut Fix<'_>,
    options: &ShaderOptions,
) -> Loaded {
    let file = Some(path).filter(|path| *path != Path::new("-"));
    let loaded = Loaded::with_options(file, bytes, most, fix, options);
    loaded.included.iter().for_each(|path| watch::note(path));
    loaded
}

/// Display name and bytes of the file at `path`, or of standard input for `-`.
pub(super) fn read_bytes(path: &Path) -> Result<(String, Vec<u8>)> {
    if path == Path::new("-") {
        let bytes = program::read_bytes(io::stdin().lock())
            .map_err(|e| Failure::machine(format!("cannot read standard input: {e}")))?;
        return Ok(("<stdin>".to_owned(), bytes));
    }
    watch::note(path);
    let bytes = File::open(path)
        .and_then(program::read_bytes)
        .map_err(|e| Failure::file(format!("cannot read `{}`: {e}", path.display()), &e))?;
    Ok((path.to_string_lossy().into_owned(), bytes))
}

/// Reads the image at `path`, or from standard input for `-`.
pub(super) fn load_image(path: &Path) -> Result<AnyImage> {
    load_image_if(path, |_| Ok(()))
}

/// Like [`load_image`]; `accept` can refuse the size before the image is decoded.
pub(super) fn load_image_if(path: &Path, accept: impl FnOnce(Size) -> Result) -> Result<AnyImage> {
    Ok(load_image_with(path, accept)?.0)
}

/// Reads a KTX2 or DDS file, or an NPY file of planes or integers; `None` for other files, which are images.
pub(super) fn load_texture(path: &Path) -> Result<Option<TextureFile>> {
    let ending = path.extension().unwrap_or_default();
    if !["ktx2", "dds", "npy"].iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(None);
    }
    watch::note(path);
    let fail = |error: &dyn std::fmt::Display| {
        Failure::input(format!("cannot read `{}`: {error}", path.display()))
    };
    let bytes = read_array(path)?;
    match texture::is_texture(&bytes) {
        true => texture::read(&bytes).map(Some).map_err(|error| fail(&error)),
        false => Ok(None),
    }
}

/// File name extensions of programs that are drawn.
pub(super) fn drawn() -> impl Iterator<Item = &'static str> {
    ["lv", "core", "spv", "spvasm", "amber", "wgsl"].into_iter().chain(endings::FRAGMENT)
}

/// File name extensions of programs that are only compiled.
pub(super) fn undrawn() -> impl Iterator<Item = &'static str> {
    endings::VERTEX.into_iter().chain(endings::COMPUTE)
}

/// File name extensions of GLSL.
pub(super) fn glsl() -> impl Iterator<Item = &'static str> {
    endings::FRAGMENT.into_iter().chain(undrawn())
}

/// True if the file name has the extension of a program.
pub(super) fn is_program(path: &Path) -> bool {
    let all = || drawn().chain(endings::COMPUTE);
    path.extension().is_some_and(|ending| all().any(|known| ending == known))
}

/// Reads an image, and lists the contents of its file that decoding ignores.
pub(super) fn load_image_whole(path: &Path) -> Result<(AnyImage, Vec<LeftOut>)> {
    load_image_with(path, |_| Ok(()))
}

fn load_image_with(
    path: &Path,
    accept: impl FnOnce(Size) -> Result,
) -> Result<(AnyImage, Vec<LeftOut>)> {
    let fail = |error: LoadError| match &error {
        LoadError::Io { source, .. } => Failure::file(error_chain(&error), source),
        LoadError::Decode { source: DecodeError::OutOfMemory(_), .. } => {
            Failure::machine(error_chain(&error))
        }
        _ => Failure::input(error_chain(&error)),
    };
    let undecoded = if path == Path::new("-") {
        Undecoded::read(&mut io::stdin(), Path::new("<stdin>"))
    } else {
        watch::note(path);
        Undecoded::open(path)
    };
    let undecoded = undecoded.map_err(fail)?;
    accept(undecoded.size().map_err(fail)?)?;
    let left_out = undecoded.left_out();
    Ok((undecoded.decode().map_err(fail)?, left_out))
}

/// Reads the file of a buffer, or standard input for `-`, at most as many bytes as the largest buffer
/// has.
pub(super) fn read_array(path: &Path) -> Result<Vec<u8>> {
    const MAX_BYTES: u64 = 4 * limits::BUFFER_WORDS as u64 + (1 << 20);
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes)
    } else {
        watch::note(path);
        File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            Err(Failure::file(message, &error))
        }
    }
}

/// Size of an image and type of its samples.
pub(super) fn form(image: &AnyImage) -> String {
    format!("{} {}", image.size(), samples(image))
}

/// Type of an image's samples.
pub(super) fn samples(image: &AnyImage) -> &'static str {
    match image {
        AnyImage::Unorm8(_) => "8-bit",
        AnyImage::Unorm16(_) => "16-bit",
        AnyImage::Float(_) => "float32",
    }
}

/// All files under a folder that pass `wanted`, as paths relative to the folder. Links to folders are
/// not followed.
pub(super) fn files_under(
    folder: &Path,
    wanted: &dyn Fn(&Path) -> bool,
) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        let at = folder.join(&within);
        let fail = |error: io::Error| {
            Failure::file(format!("cannot read the folder `{}`: {error}", at.display()), &error)
        };
        for entry in fs::read_dir(&at).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let path = within.join(entry.file_name());
            if entry.file_type().map_err(fail)?.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

/// The images under a folder, by file name extension, as relative paths.
pub(super) fn image_files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    files_under(folder, &file::has_readable_name)
}

/// Rejects `-` with `--watch`: standard input does not change.
pub(super) fn no_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result {
    match paths.into_iter().any(|path| path == Path::new("-")) {
        true => Err(Failure::usage("--watch is for files, and `-` is standard input")),
        false => Ok(()),
    }
}

/// Rejects a second `-`: standard input can be read only once.
pub(super) fn one_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result {
    match paths.into_iter().filter(|path| *path == Path::new("-")).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::usage("standard input, `-`, can be given only once")),
    }
}

/// Checks, before a long run, that a file can be written and is not an input.
pub(super) fn check_target<P: AsRef<Path>>(path: &Path, read: &[P]) -> Result {
    check_not_read(path, read)?;
    file::check_target(path).map_err(|error| match why(path) {
        Some(why) => Failure::usage(format!("cannot write `{}`: {why}", path.display())),
        None => save_failure(&error),
    })
}

/// Checks that an output file is not one of the input files.
pub(super) fn check_not_read<P: AsRef<Path>>(path: &Path, read: &[P]) -> Result {
    match read.iter().map(AsRef::as_ref).find(|other| is_same_file(path, other)) {
        None => Ok(()),
        Some(same) => Err(Failure::usage(format!(
            "`{}` would be overwritten, and it is `{}`, which is read; name another file",
            path.display(),
            same.display()
        ))),
    }
}

/// Reason why no file can have this path, if the path itself is at fault.
fn why(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match folder.metadata() {
        _ if path.is_dir() => Some("it is a folder".to_owned()),
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(format!("`{}` is not a folder", folder.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(format!("there is no folder `{}`", folder.display()))
        }
        Err(_) => None,
    }
}

/// True if both paths lead to one regular file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_file = |path: &Path| path.metadata().is_ok_and(|found| found.is_file());
    is_file(a) && is_file(b) && same_file::is_same_file(a, b).unwrap_or(false)
}
