use super::*;
use crate::error::{AttributeError, Place};
use crate::files::{NoFolder, PathError};
use crate::material::{ImageData, Role};
use crate::mesh::{Data, Scalar};
use crate::read::Format;

fn read(text: &str) -> Result<Mesh, ReadError> {
    Mesh::read(text.as_bytes(), Format::Obj, &NoFolder, &Limits::default())
}

fn right(text: &str) -> Mesh {
    read(text).expect("it is right")
}

fn error(text: &str) -> String {
    read(text).map(|_| ()).expect_err("it is wrong").to_string()
}

fn nums(mesh: &Mesh, name: &str) -> Vec<f32> {
    let found = mesh.attributes().iter().find(|attribute| attribute.name() == name);
    match found.map(|attribute| attribute.data()) {
        Some(Data::Num(numbers)) => numbers.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn polygons_are_fans_of_their_first_corner() {
    let mesh = right(&format!("{SQUARE}v 0 2 0\nf 2 3 5 4 1\n"));
    // Vertices are numbered in order of first use.
    assert_eq!(mesh.indices(), [0, 1, 2, 0, 2, 3, 0, 3, 4]);
    let positions = [1., 0., 0., 1., 1., 0., 0., 2., 0., 0., 1., 0., 0., 0., 0.];
    assert_eq!(nums(&mesh, "position"), positions);
    assert_eq!(mesh.attribute_names(), ["position"]);
}

#[test]
fn negative_indices_count_from_the_end() {
    let mesh = right("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -1 -4 2\n");
    assert_eq!(mesh.indices(), [0, 1, 2, 3, 0, 0]);
    assert_eq!(nums(&mesh, "position")[9..], [5., 5., 5.]);
}

#[test]
fn vertices_are_triples() {
    let text = format!(
        "{SQUARE}vt 0.25 0.25\nvt 0.5 1 7\nvt 0.75\nvn 0 0 1\nvn 0 0 -1\n\
         f 1/1/1 2/2/1 3/3/1\nf 1/1/2 3/3/1 4/2/1\n"
    );
    let mesh = right(&text);
    assert_eq!(mesh.indices(), [0, 1, 2, 3, 2, 4]);
    // v becomes 1 - v; a missing v is 0.
    let texcoords = [0.25, 0.75, 0.5, 0., 0.75, 1., 0.25, 0.75, 0.5, 0.];
    assert_eq!(nums(&mesh, "texcoord-0"), texcoords);
    let normals = [0., 0., 1., 0., 0., 1., 0., 0., 1., 0., 0., -1., 0., 0., 1.];
    assert_eq!(nums(&mesh, "normal"), normals);
    assert_eq!(mesh.attribute_names(), ["position", "normal", "texcoord-0"]);
}

#[test]
fn texture_coordinates_are_subtracted_in_binary32() {
    let mesh = right(&format!("{SQUARE}vt 0.1 0.1\nf 1/1 2/1 3/1\n"));
    assert_eq!(nums(&mesh, "texcoord-0")[..2], [0.1_f32, 1.0_f32 - 0.1_f32]);
}

#[test]
fn corners_may_lack_fields() {
    for corner in ["/1/1", "1//1", "1/1", "1", "1/1/1", "1/", "1//", "+1"] {
        let text = format!("{SQUARE}vt 0 0\nvn 0 0 1\nf {corner} 2 3\n");
        assert_eq!(read(&text).is_ok(), !corner.starts_with('/'), "{corner}");
    }
}

#[test]
fn a_part_that_lacks_an_attribute_is_named() {
    let text = format!(
        "{SQUARE}vt 0 0\nvn 0 0 1\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1//1 2//1 3//1\nf 1 2 3\n"
    );
    let mut mesh = right(&text);
    let lacking = |mesh: &Mesh, name: &str| match mesh.attribute(name, Scalar::Num, 2) {
        Err(AttributeError::Partial { place, .. }) => Some(place),
        _ => None,
    };
    assert_eq!(lacking(&mesh, "texcoord-0"), Some(Place::Line(10)));
    assert_eq!(lacking(&mesh, "normal"), Some(Place::Line(8)));
    mesh.select_material("a").expect("it has triangles");
    assert_eq!(mesh.attribute_names(), ["position", "texcoord-0"]);
    let absent = mesh.attribute("tangent", Scalar::Num, 4).map_err(|error| error.to_string());
    let expected = "the mesh has no attribute `tangent`; it has `position`, `texcoord-0`";
    assert_eq!(absent, Err(expected.into()));
}

#[test]
fn parts_follow_materials() {
    let text = format!(
        "{SQUARE}f 1 2 3\nusemtl red one\nf 1 2 3 4\nf 1 2 4\nusemtl blue\nusemtl red one\nf 4 3 2\n\
         g x\nusemtl blue#2\nf 1 3 4\n"
    );
    let mesh = right(&text);
    let parts: Vec<_> =
        mesh.parts().iter().map(|part| (part.material, part.triangles.clone())).collect();
    assert_eq!(parts, [(None, 0..1), (Some(0), 1..5), (Some(2), 5..6)]);
    let names: Vec<_> = mesh.materials().iter().filter_map(|m| m.name.as_deref()).collect();
    assert_eq!(names, ["red one", "blue", "blue#2"]);
}

#[test]
fn faces_may_come_before_their_vertices() {
    let mesh = right(&format!("f 1 2 3\n{SQUARE}"));
    assert_eq!(mesh.triangles(), 1);
    let expected = "line 1: there is no `v` 5; the file has 4";
    assert_eq!(error(&format!("f 1 2 5\nf 1 2 3\n{SQUARE}")), expected);
}

#[test]
fn mistakes_have_lines() {
    for (text, expected) in [
        ("v 0 0\n", "line 1: `v` needs 3 numbers, and has 2"),
        ("\n# c\nv 0 x 0\n", "line 3: `x` is no number"),
        ("vt\n", "line 1: `vt` needs 1 numbers, and has 0"),
        ("vn 0 0 1e\n", "line 1: `1e` is no number"),
        ("v 0 0 0\nf 1 1\n", "line 2: a face needs 3 corners, and has 2"),
        ("f\n", "line 1: a face needs 3 corners, and has 0"),
        ("v 0 0 0\nf 1 1 0\n", "line 2: there is no `v` 0; the file has 1"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: there is no `v` -2; the file has 1"),
        ("v 0 0 0\nf 1/1 1 1\n", "line 2: there is no `vt` 1; the file has 0"),
        ("v 0 0 0\nf 1//-1 1 1\n", "line 2: there is no `vn` -1; the file has 0"),
        ("v 0 0 0\nf 1 1 99999999999\n", "line 2: there is no `v` 99999999999; the file has 1"),
        ("v 0 0 0\nf 1 1 1/1/1/1\n", "line 2: `1/1/1/1` is no corner; write v, v/vt, v//vn or"),
        ("v 0 0 0\nf 1 1 1///\n", "line 2: `1///` is no corner; write v, v/vt, v//vn or v/vt/vn"),
        ("v 0 0 0\nf 1 1 a\\\nb\n", "line 2: `a` is no corner; write v, v/vt, v//vn or v/vt/vn"),
    ] {
        assert!(error(text).starts_with(expected), "{text}: {}", error(text));
    }
}

#[test]
fn limits_hold() {
    let text = format!("{SQUARE}f 1 2 3 4\n");
    let read = |limits: Limits| {
        let read = Mesh::read(text.as_bytes(), Format::Obj, &NoFolder, &limits);
        read.map(|_| ()).map_err(|error| error.to_string())
    };
    let limits = Limits::default();
    let exact = Limits { vertices: 4, triangles: 2, mesh_bytes: 4 * 12 + 2 * 12, ..limits };
    assert_eq!(read(exact), Ok(()));
    let refused = |text: &str| Err(text.to_owned());
    assert_eq!(read(Limits { vertices: 3, ..exact }), refused("the mesh has more than 3 vertices"));
    assert_eq!(
        read(Limits { triangles: 1, ..exact }),
        refused("the mesh has more than 1 triangles")
    );
    assert_eq!(
        read(Limits { mesh_bytes: 71, ..exact }),
        refused("the mesh takes more than 71 bytes of memory")
    );
}

#[test]
fn other_lines_are_remarked() {
    let mesh = right(&format!("o a\ns off\nl 1 2\nl 2 3\ncurv 0 1 1 2\n{SQUARE}f 1 2 3\n"));
    let remarks: Vec<_> = mesh.remarks().iter().map(ToString::to_string).collect();
    assert_eq!(remarks, ["line 3: `l` is ignored", "line 5: `curv` is ignored"]);
}

#[test]
fn numbers_are_canonical() {
    let mesh = right("v -nan inf 1e39\nv -0 .5 5.\nv 1e-46 1 1\nf 1 2 3\n");
    let bits: Vec<u32> = nums(&mesh, "position").iter().map(|number| number.to_bits()).collect();
    let infinity = f32::INFINITY.to_bits();
    assert_eq!(bits[..6], [0x7fc0_0000, infinity, infinity, 0x8000_0000, 0x3f00_0000, 0x40a0_0000]);
    assert_eq!(bits[6], 0);
}

/// Files in memory.
struct Memory(Vec<(&'static str, &'static str)>);

impl Resolver for Memory {
    fn read(&self, path: &RelativePath, _: u64) -> Result<Vec<u8>, FileError> {
        let found = self.0.iter().find(|(name, _)| *name == path.as_str());
        let (_, text) = found.ok_or_else(|| FileError::Special(path.as_str().to_owned()))?;
        Ok(text.as_bytes().to_vec())
    }
}

#[test]
fn libraries_give_images() {
    let files = Memory(vec![
        ("m/a.mtl", "newmtl red\nKd 1 0 0\nmap_Kd red.png\n"),
        ("b.mtl", "newmtl blue\nnorm ../n.png\nmap_Kd -clamp on red.png"),
    ]);
    let text = format!(
        "mtllib m/a.mtl b.mtl\nmtllib c.mtl\nmtllib b.mtl\n{SQUARE}usemtl blue\nf 1 2 3\nusemtl none\nf 1 2 3\nusemtl red\nf 1 2 3\n"
    );
    let read = |text: &str| Mesh::read(text.as_bytes(), Format::Obj, &files, &Limits::default());
    let mesh = read(&text).expect("it is right");
    let roles: Vec<Vec<(Role, usize)>> = mesh
        .materials()
        .iter()
        .map(|material| material.images.iter().map(|image| (image.role, image.image)).collect())
        .collect();
    assert_eq!(
        roles,
        [vec![(Role::BaseColor, 0), (Role::Normal, 1)], vec![], vec![(Role::BaseColor, 2)]]
    );
    let [first, outside, second] = mesh.images() else { panic!("{:?}", mesh.images()) };
    for (image, expected) in [(first, "red.png"), (second, "m/red.png")] {
        assert!(matches!(&image.data, ImageData::File(Ok(path)) if path.as_str() == expected));
    }
    assert!(matches!(outside.data, ImageData::File(Err(PathError::Outside(_)))));
    let remarks: Vec<_> = mesh.remarks().iter().map(ToString::to_string).collect();
    let expected = "line 2: the images of materials are not known: `c.mtl` is not a regular file";
    assert_eq!(remarks, [expected]);
    let outside = read("\nmtllib ../a.mtl\n").map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(outside, Err("line 2: `../a.mtl` leads out of the mesh's folder".into()));
}

#[test]
fn an_empty_file_is_an_empty_mesh() {
    let mesh = right("");
    assert_eq!((mesh.vertices(), mesh.triangles()), (0, 0));
    assert_eq!(mesh.attribute("position", Scalar::Num, 3), Ok(vec![]));
}
