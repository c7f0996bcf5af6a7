//! Material libraries of OBJ files: the images of materials.

use std::collections::BTreeMap;

use super::lines::{Lines, Words};
use crate::files::RelativePath;
use crate::material::{Image, ImageData, MaterialImage, Role};

/// Images of materials, by the material's name.
#[derive(Default)]
pub(super) struct Library {
    materials: BTreeMap<String, BTreeMap<Role, Image>>,
}

impl Library {
    /// Adds the materials of a file. Unknown lines are ignored; the last definition of a material counts. Images lie
    /// beside the library.
    pub(super) fn add(&mut self, bytes: &[u8], library: &RelativePath) {
        let mut current = None;
        for (_, line) in Lines::new(bytes) {
            let mut words = Words::new(&line);
            let Some(keyword) = words.next() else { continue };
            let role = match keyword.to_ascii_lowercase().as_slice() {
                b"newmtl" => {
                    let name = words.rest();
                    self.materials.insert(name.clone(), BTreeMap::new());
                    current = Some(name);
                    continue;
                }
                b"map_kd" => Role::BaseColor,
                b"map_ke" => Role::Emissive,
                b"norm" => Role::Normal,
                _ => continue,
            };
            let material = current.as_ref().and_then(|name| self.materials.get_mut(name));
            if let (Some(material), Some(file)) = (material, file(&words.rest())) {
                let data = ImageData::File(library.beside(file));
                let name = Some(file.to_owned());
                material.insert(role, Image { name, media_type: None, data });
            }
        }
    }

    /// The images, none yet in use.
    pub(super) fn images(self) -> Images {
        Images { library: self, indices: BTreeMap::new(), images: Vec::new() }
    }
}

/// Images in order of first use.
pub(super) struct Images {
    library: Library,
    /// Index of each path.
    indices: BTreeMap<RelativePath, usize>,
    images: Vec<Image>,
}

impl Images {
    /// The images of a material.
    pub(super) fn of(&mut self, material: &str) -> Vec<MaterialImage> {
        let roles = self.library.materials.remove(material).into_iter().flatten();
        let image = |(role, image): (Role, Image)| {
            let next = self.images.len();
            let index = match &image.data {
                ImageData::File(Ok(path)) => *self.indices.entry(path.clone()).or_insert(next),
                _ => next,
            };
            if index == next {
                self.images.push(image);
            }
            MaterialImage { role, image: index, texcoord: 0 }
        };
        roles.map(image).collect()
    }

    pub(super) fn into_images(self) -> Vec<Image> {
        self.images
    }
}

/// The file name after the options of a map, such as `-s 1 1 1`. It may contain blanks.
fn file(text: &str) -> Option<&str> {
    let mut rest = text;
    while rest.starts_with('-') {
        let (option, after) = rest.split_once(char::is_whitespace)?;
        // Offsets, scales and turbulence have one to three numbers.
        let (least, most) = match option {
            "-o" | "-s" | "-t" => (1, 3),
            "-mm" => (2, 2),
            _ => (1, 1),
        };
        rest = after.trim_start();
        for i in 0..most {
            match rest.split_once(char::is_whitespace) {
                Some((word, after)) if i < least || word.parse::<f64>().is_ok() => {
                    rest = after.trim_start();
                }
                None if i < least => return None,
                _ => break,
            }
        }
    }
    Some(rest).filter(|rest| !rest.is_empty())
}

/// The files that a line names: each ends with `.mtl`, or the line names one.
pub(super) fn names(rest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut begin = 0;
    let lower = rest.to_ascii_lowercase();
    for (at, ending) in lower.match_indices(".mtl") {
        let end = at + ending.len();
        if rest[end..].starts_with(char::is_whitespace) {
            names.push(rest[begin..end].trim().to_owned());
            begin = end;
        }
    }
    names.push(rest[begin..].trim().to_owned());
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_maps_are_skipped() {
        for (text, expected) in [
            ("a.png", Some("a.png")),
            ("my picture.png", Some("my picture.png")),
            ("-clamp on a.png", Some("a.png")),
            ("-s 1 2 3 -o 0.5 -mm 0 1  b c.png", Some("b c.png")),
            ("-s 1 2 a.png", Some("a.png")),
            ("-s", None),
            ("", None),
        ] {
            assert_eq!(file(text), expected, "{text}");
        }
    }

    #[test]
    fn libraries_are_named_with_blanks_or_in_a_row() {
        assert_eq!(names("a.mtl b.MTL"), ["a.mtl", "b.MTL"]);
        assert_eq!(names("my file.mtl"), ["my file.mtl"]);
        assert_eq!(names("my file.mtl b.mtl"), ["my file.mtl", "b.mtl"]);
        assert_eq!(names("odd name"), ["odd name"]);
        assert_eq!(names(""), [""; 0]);
    }

    #[test]
    fn the_last_definition_counts() {
        let mut library = Library::default();
        let path = |name| RelativePath::from_name(name).expect("it is inside");
        library.add(
            b"map_Kd x.png\nnewmtl a\nmap_Kd old.png\nKd 1 1 1\nnewmtl b\nnorm n.png\n",
            &path("in/a.mtl"),
        );
        library.add(b"newmtl a\nmap_Kd ../up.png\nmap_Ke n.png\nbump h.png\n", &path("in/b.mtl"));
        let mut images = library.images();
        let used = |role, image| MaterialImage { role, image, texcoord: 0 };
        assert_eq!(images.of("a"), [used(Role::BaseColor, 0), used(Role::Emissive, 1)]);
        assert_eq!(images.of("b"), [used(Role::Normal, 1)]);
        assert_eq!(images.of("c"), []);
        let images = images.into_images();
        assert!(matches!(&images[0].data, ImageData::File(Err(_))));
        let ImageData::File(Ok(path)) = &images[1].data else { panic!("{images:?}") };
        assert_eq!(path.as_str(), "in/n.png");
    }
}
