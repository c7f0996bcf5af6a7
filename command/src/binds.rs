//! Files bound to textures and buffers by `--bind`.

use super::failure::{Failure, Result};
use super::files::{load_image_if, load_texture, read_array, read_bytes};
use super::module::object;
use super::sampling::{Sampling, is_option};
use super::setting::Setting;
use lambdav_engine::{BindError, Bindings, DataRef, Slot};
use lambdav_image::file::ImageRef;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Resources' names and files; the last one for a name counts.
#[derive(Clone, Default)]
pub(super) struct Binds(Vec<Bind>);

/// A file for a resource.
#[derive(Clone, Debug, PartialEq)]
struct Bind {
    name: String,
    /// The plane of a texture that it is for, if it is for one.
    plane: Option<u32>,
    path: PathBuf,
    rows: Rows,
    /// Options of its sampler, as they are written.
    sampling: Vec<String>,
}

/// The faces of a cube, in the order of its planes.
const FACES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// Splits `NAME[PLANE]` at its bracket. The plane is a number or a face.
fn plane_of(name: &str) -> (&str, Option<u32>) {
    let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
    let face = |plane: &str| FACES.iter().position(|face| *face == plane).map(|face| face as u32);
    let parsed =
        split.and_then(|(name, plane)| Some((name, plane.parse().ok().or_else(|| face(plane))?)));
    parsed.map_or((name, None), |(name, plane)| (name, Some(plane)))
}

/// The order of an image's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rows {
    /// That of the file; the user has not said so.
    Unsaid,
    /// That of the file: `:as-is`.
    AsIs,
    /// The reverse: `:flip`.
    Reversed,
}

/// Splits `NAME=FILE` or `NAME=FILE:OPTION,…`; NAME may be `NAME[PLANE]`. Options are `flip`, `as-is`, and those of samplers. A
/// file whose own name ends so needs a second ending.
fn parse(text: &str) -> Option<Bind> {
    let (name, file) = text.split_once('=')?;
    let is_known = |option: &str| matches!(option, "flip" | "as-is") || is_option(option);
    let split = file.rsplit_once(':').filter(|(_, options)| options.split(',').all(is_known));
    let (file, options) = split.unwrap_or((file, ""));
    let (mut rows, mut sampling) = (Rows::Unsaid, Vec::new());
    for option in options.split(',').filter(|option| !option.is_empty()) {
        match option {
            "flip" => rows = Rows::Reversed,
            "as-is" => rows = Rows::AsIs,
            _ => sampling.push(option.to_owned()),
        }
    }
    let (name, plane) = plane_of(name);
    let (name, path) = (name.to_owned(), PathBuf::from(file));
    (!file.is_empty()).then_some(Bind { name, plane, path, rows, sampling })
}

/// The file of a value of `--bind`.
pub(super) fn file_of(text: &str) -> Option<PathBuf> {
    parse(text).map(|bind| bind.path)
}

impl Bind {
    /// The name of an element of an array of textures, which looks like that of a plane.
    fn element(&self) -> Option<String> {
        self.plane.map(|plane| format!("{}[{plane}]", self.name))
    }

    fn sampling(&self) -> std::result::Result<Sampling, String> {
        Sampling::read(self.sampling.iter().map(String::as_str))
    }
}

impl Binds {
    /// Names of arrays of textures with the number of elements that have a file, if they are that.
    pub(super) fn lengths(&self) -> BTreeMap<String, u32> {
        let mut lengths = BTreeMap::new();
        for (name, plane) in self.0.iter().filter_map(|bind| Some((&bind.name, bind.plane?))) {
            let length: &mut u32 = lengths.entry(name.clone()).or_default();
            *length = (*length).max(plane.saturating_add(1));
        }
        lengths
    }

    /// Names of textures and how they are read, as far as it is said.
    pub(super) fn samplings(&self) -> impl Iterator<Item = (String, Sampling)> {
        let names = |bind: &Bind| [Some(bind.name.clone()), bind.element()].into_iter().flatten();
        let given = self.0.iter().filter_map(|bind| Some((bind, bind.sampling().ok()?)));
        let given = given.filter(|(_, sampling)| sampling.is_given());
        given
            .flat_map(move |(bind, sampling)| names(bind).map(move |name| (name, sampling.clone())))
    }

    /// Parses the values of `--bind`.
    pub(super) fn read(bind: &[String]) -> Result<Self> {
        let one = |text: &String| {
            let nothing = || format!("`{text}` binds nothing: write --bind NAME=FILE");
            let bind = parse(text).ok_or_else(|| Failure::usage(nothing()))?;
            bind.sampling().map_err(|what| Failure::usage(format!("--bind {text}: {what}")))?;
            Ok(bind)
        };
        bind.iter().map(one).collect::<Result<_>>().map(Self)
    }

    /// Paths of the files, in the order of the options.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().map(|bind| &bind.path)
    }

    /// Resolves relative paths against a folder; `-` stays standard input.
    #[must_use]
    pub(super) fn within(self, folder: &Path) -> Self {
        let path = |bind: Bind| match bind.path == Path::new("-") {
            true => bind,
            false => Bind { path: folder.join(bind.path), ..bind },
        };
        Self(self.0.into_iter().map(path).collect())
    }

    /// Names of files whose order of rows is unsaid.
    pub(super) fn unsaid(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|bind| bind.rows == Rows::Unsaid).map(|bind| bind.name.as_str())
    }

    /// Keeps the pairs whose name passes `keep`.
    #[must_use]
    pub(super) fn filter(self, keep: impl Fn(&str) -> bool) -> Self {
        let keeps = |bind: &Bind| keep(&bind.name) || bind.element().is_some_and(|of| keep(&of));
        Self(self.0.into_iter().filter(keeps).collect())
    }

    /// The files of a texture, plane by plane; the last one for a plane counts.
    fn planes(&self, name: &str) -> Result<Vec<&Bind>> {
        let of_name = || self.0.iter().filter(|bind| bind.name == name);
        if of_name().all(|bind| bind.plane.is_none()) {
            return Ok(of_name().next_back().into_iter().collect());
        }
        let mut planes: BTreeMap<u32, &Bind> = BTreeMap::new();
        for bind in of_name() {
            let Some(plane) = bind.plane else {
                let what = format!("`{name}` is bound as a whole and by planes: choose one");
                return Err(Failure::usage(what));
            };
            planes.insert(plane, bind);
        }
        match (0..).zip(planes.keys()).find(|(wanted, plane)| *wanted != **plane) {
            None => Ok(planes.into_values().collect()),
            Some((missing, _)) => {
                let what = format!(
                    "`{name}` has files for planes behind {missing}, and none for it: --bind {name}[{missing}]=FILE"
                );
                Err(Failure::usage(what))
            }
        }
    }

    /// Reads and binds the files. Returns the members that JSON files give to blocks, for the caller to
    /// set.
    pub(super) fn apply(&self, bindings: &mut Bindings) -> Result<Vec<Setting>> {
        let mut members = Vec::new();
        // Elements of arrays of textures are textures by themselves.
        let mut all = self.clone();
        for bind in &mut all.0 {
            if let Some(element) = bind.element()
                && bindings.slot(&bind.name).is_err()
                && bindings.slot(&element).is_ok()
            {
                (bind.name, bind.plane) = (element, None);
            }
        }
        for (index, Bind { name, plane, path, rows, .. }) in all.0.iter().enumerate() {
            let fail = |error: BindError| match error {
                BindError::Unknown { .. } => Failure::usage(error.to_string()),
                _ => Failure::input(format!("`{}`: {error}", path.display())),
            };
            let slot = bindings.slot(name).map_err(fail)?;
            if all.0[index + 1..].iter().any(|later| later.name == *name) {
                continue;
            }
            if plane.is_some() && !matches!(slot, Slot::Texture | Slot::Unused) {
                let what = format!("`{name}` is no texture, which alone has planes");
                return Err(Failure::usage(what));
            }
            if *rows != Rows::Unsaid && !matches!(slot, Slot::Texture | Slot::Unused) {
                let what = format!("`{name}` takes no image: `:flip` and `:as-is` are for images");
                return Err(Failure::usage(what));
            }
            match slot {
                Slot::Texture => {
                    let files = all.planes(name)?;
                    if let [Bind { plane: None, path, rows, .. }] = &files[..]
                        && let Some(file) = load_texture(path)?
                    {
                        if *rows == Rows::Reversed {
                            let what = format!(
                                "`{}` has levels or planes, which `:flip` does not turn",
                                path.display()
                            );
                            return Err(Failure::usage(what));
                        }
                        bindings.bind_texture_file(name, file).map_err(fail)?;
                        continue;
                    }
                    let mut images = Vec::new();
                    for Bind { path, rows, .. } in &files {
                        let count = files.len() as u32;
                        let accept = |size| bindings.check_size(name, size, count).map_err(fail);
                        let mut image = load_image_if(path, accept)?;
                        if *rows == Rows::Reversed {
                            image.reverse_rows();
                        }
                        images.push(image);
                    }
                    let images: Vec<ImageRef<'_>> = images.iter().map(ImageRef::from).collect();
                    match (plane, &images[..]) {
                        (None, &[image]) => bindings.bind(name, image),
                        _ => bindings.bind(name, DataRef::Planes(&images)),
                    }
                    .map_err(fail)?;
                }
                Slot::Block => {
                    let (file, bytes) = read_bytes(path)?;
                    if path.extension().is_some_and(|of| of.eq_ignore_ascii_case("json")) {
                        let all = object(&file, &bytes, "MEMBER")?.into_iter();
                        members.extend(
                            all.map(|of| Setting { path: format!("{name}.{}", of.path), ..of }),
                        );
                    } else {
                        bindings.bind(name, DataRef::Bytes(&bytes)).map_err(fail)?;
                    }
                }
                // A resource that the program does not use needs no data.
                Slot::Unused => bindings.note_unused(name.clone()),
                _ => {
                    let bytes = read_array(path)?;
                    let data = match path.extension() {
                        Some(ending) if ending.eq_ignore_ascii_case("bin") => {
                            DataRef::Bytes(&bytes)
                        }
                        _ => DataRef::of_array(&bytes).map_err(|what| {
                            Failure::input(format!("`{}` is {what}", path.display()))
                        })?,
                    };
                    bindings.bind(name, data).map_err(fail)?;
                }
            }
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_bind() {
        let bind = |name: &str, path: &str, rows| {
            let (name, plane) = (name.to_owned(), None);
            let (path, sampling) = (PathBuf::from(path), Vec::new());
            Some(Bind { name, plane, path, rows, sampling })
        };
        assert_eq!(parse("a=b.png"), bind("a", "b.png", Rows::Unsaid));
        assert_eq!(parse("a=b.png:flip"), bind("a", "b.png", Rows::Reversed));
        assert_eq!(parse("a=b.png:as-is"), bind("a", "b.png", Rows::AsIs));
        assert_eq!(parse("a=b:flip:as-is"), bind("a", "b:flip", Rows::AsIs));
        assert_eq!(parse("a=b:flip:flip"), bind("a", "b:flip", Rows::Reversed));
        assert_eq!(parse("a=c:/b.png"), bind("a", "c:/b.png", Rows::Unsaid));
        assert_eq!(parse("a=c=d:flop"), bind("a", "c=d:flop", Rows::Unsaid));
        assert_eq!(["a=", "a=:flip", "a"].map(parse), [None, None, None]);
        let sampling = |text: &str| parse(text).map(|of| (of.path, of.rows, of.sampling.join(",")));
        for (text, file, rows, options) in [
            ("a=b:wrap=repeat", "b", Rows::Unsaid, "wrap=repeat"),
            ("a=b:flip,mipmaps,mag=nearest", "b", Rows::Reversed, "mipmaps,mag=nearest"),
            ("a=b:wrap=repeat:as-is", "b:wrap=repeat", Rows::AsIs, ""),
            ("a=b:wrap=repeat,more", "b:wrap=repeat,more", Rows::Unsaid, ""),
        ] {
            assert_eq!(sampling(text), Some((file.into(), rows, options.into())), "{text}");
        }
        let wrong = Binds::read(&["a=b:wrap=tile".to_owned()]);
        assert!(wrong.is_err());
        let plane = |text: &str| parse(text).map(|bind| (bind.name, bind.plane));
        for (text, name, found) in [
            ("a[3]=b.png", "a", Some(3)),
            ("a[+x]=b", "a", Some(0)),
            ("a.b[-z]=b", "a.b", Some(5)),
            ("a[w]=b", "a[w]", None),
            ("a[]=b[0]", "a[]", None),
        ] {
            assert_eq!(plane(text), Some((name.to_owned(), found)), "{text}");
        }
    }
}
