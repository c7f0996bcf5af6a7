//! Other readers of the same files: the crates `gltf` and `tobj`.

use gltf::mesh::Mode;
use lambdav_mesh::{Attribute, Data, Format, Limits, Mesh, NoFolder};
use lambdav_test_support::Random;
use lambdav_test_support::meshes::{Gltf, random_obj};

const FILES: u64 = 400;

fn read(bytes: &[u8], format: Format) -> Mesh {
    let read = Mesh::read(bytes, format, &NoFolder, &Limits::default());
    read.unwrap_or_else(|error| panic!("{error}: {error:?}"))
}

/// Numbers of an attribute, `width` for each vertex, filled with 1.
fn nums(mesh: &Mesh, name: &str, width: usize) -> Option<Vec<f32>> {
    let found = mesh.attributes().iter().find(|attribute| attribute.name() == name)?;
    let Data::Num(numbers) = found.data() else { panic!("{name} has integers") };
    let vertices = numbers.chunks(usize::from(found.components()));
    let filled = |vertex: &[f32]| {
        let mut vertex = vertex.to_vec();
        vertex.resize(width, 1.0);
        vertex
    };
    Some(vertices.flat_map(filled).collect())
}

/// The product of two matrices by columns.
fn product(a: [[f64; 4]; 4], b: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    b.map(|column| std::array::from_fn(|row| (0..4).map(|k| a[k][row] * column[k]).sum()))
}

/// The mesh of a scene as the crate `gltf` reads it. Attributes that primitives lack have the numbers (0, 0, 0, 1).
#[derive(Default)]
struct Theirs {
    positions: Vec<f32>,
    normals: Vec<f32>,
    texcoords: Vec<f32>,
    colors: Vec<f32>,
    joints: Vec<u32>,
    indices: Vec<u32>,
}

impl Theirs {
    fn node(&mut self, node: &gltf::Node<'_>, parent: [[f64; 4]; 4], binary: &[u8]) {
        let local = node.transform().matrix().map(|column| column.map(f64::from));
        let world = product(parent, local);
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            self.primitive(&primitive, world, binary);
        }
        for child in node.children() {
            self.node(&child, world, binary);
        }
    }

    fn primitive(&mut self, primitive: &gltf::Primitive<'_>, world: [[f64; 4]; 4], binary: &[u8]) {
        let first = self.positions.len() as u32 / 3;
        let reader = primitive.reader(|_| Some(binary));
        let positions: Vec<[f32; 3]> = reader.read_positions().expect("they are there").collect();
        let count = positions.len();
        let turn = |matrix: &[[f64; 4]; 4], [x, y, z]: [f32; 3]| -> [f64; 3] {
            let at = [x, y, z].map(f64::from);
            std::array::from_fn(|row| (0..3).map(|k| matrix[k][row] * at[k]).sum())
        };
        self.positions.extend(positions.into_iter().flat_map(|at| {
            let turned = turn(&world, at);
            [0, 1, 2].map(|row| (turned[row] + world[3][row]) as f32)
        }));
        // Turns and scales have orthogonal columns, so the inverse transpose divides by their squared lengths.
        let normal = world.map(|column| {
            let square: f64 = column[..3].iter().map(|number| number * number).sum();
            column.map(|number| number / square)
        });
        match reader.read_normals() {
            Some(all) => {
                self.normals.extend(all.flat_map(|at| turn(&normal, at).map(|x| x as f32)));
            }
            None => self.normals.extend(vec![0.0; 3 * count]),
        }
        match reader.read_tex_coords(0) {
            Some(all) => self.texcoords.extend(all.into_f32().flatten()),
            None => self.texcoords.extend(vec![0.0; 2 * count]),
        }
        match reader.read_colors(0) {
            Some(all) => self.colors.extend(all.into_rgba_f32().flatten()),
            None => self.colors.extend([0.0, 0.0, 0.0, 1.0].repeat(count)),
        }
        match reader.read_joints(0) {
            Some(all) => self.joints.extend(all.into_u16().flatten().map(u32::from)),
            None => self.joints.extend([0, 0, 0, 1].repeat(count)),
        }
        let corners: Vec<u32> = match reader.read_indices() {
            Some(all) => all.into_u32().collect(),
            None => (0..count as u32).collect(),
        };
        let [a, b, c, _] = world;
        let determinant = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        let mut push = |x: u32, y: u32, z: u32| {
            let (y, z) = if determinant < 0.0 { (z, y) } else { (y, z) };
            self.indices.extend([x, y, z].map(|index| first + index));
        };
        match primitive.mode() {
            Mode::Triangles => corners.chunks_exact(3).for_each(|t| push(t[0], t[1], t[2])),
            Mode::TriangleStrip => {
                for (i, t) in corners.windows(3).enumerate() {
                    if i % 2 == 0 { push(t[0], t[1], t[2]) } else { push(t[0], t[2], t[1]) }
                }
            }
            Mode::TriangleFan => {
                for t in corners.windows(2).skip(1) {
                    push(t[0], t[1], corners[0]);
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_crate_gltf_reads_the_same() {
    let mut unit = [[0.0; 4]; 4];
    (0..4).for_each(|i| unit[i][i] = 1.0);
    let mut random = Random::new(3);
    let mut triangles = 0;
    for number in 0..FILES {
        let file = Gltf::random(&mut random).glb();
        let ours = read(&file, Format::Gltf);
        let theirs = gltf::Gltf::from_slice(&file);
        let theirs = theirs.unwrap_or_else(|error| panic!("{number}: {error}"));
        let binary = theirs.blob.as_deref().expect("it has a binary chunk");
        let mut found = Theirs::default();
        for node in theirs.default_scene().expect("it has a scene").nodes() {
            found.node(&node, unit, binary);
        }
        let compare = |name: &str, width: usize, theirs: &[f32], ulps: u32| {
            if let Some(ours) = nums(&ours, name, width) {
                assert_eq!(ours.len(), theirs.len(), "{number}: {name}");
                // Zeros may differ in their signs.
                let is_near =
                    |(&a, &b): (&f32, &f32)| a == b || a.to_bits().abs_diff(b.to_bits()) <= ulps;
                let wrong = ours.iter().zip(theirs).position(|pair| !is_near(pair));
                assert!(
                    wrong.is_none(),
                    "{number}: {name} differs at {wrong:?}\n{ours:?}\n{theirs:?}"
                );
            }
        };
        compare("position", 3, &found.positions, 0);
        compare("normal", 3, &found.normals, 0);
        // The crate multiplies normalised integers by a reciprocal.
        compare("texcoord-0", 2, &found.texcoords, 1);
        compare("color-0", 4, &found.colors, 1);
        let joints = ours.attributes().iter().find(|attribute| attribute.name() == "joints-0");
        if let Some(Data::Uint(joints)) = joints.map(Attribute::data) {
            assert_eq!(*joints, found.joints, "{number}");
        }
        assert_eq!(ours.indices(), found.indices, "{number}");
        triangles += ours.triangles();
    }
    assert!(triangles > 1000);
}

#[test]
fn the_crate_tobj_reads_the_same() {
    let mut random = Random::new(4);
    let mut triangles = 0;
    for number in 0..FILES {
        let text = random_obj(&mut random);
        let ours = read(text.as_bytes(), Format::Obj);
        let options = tobj::GPU_LOAD_OPTIONS;
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, |_| {
            Err(tobj::LoadError::GenericFailure)
        })
        .unwrap_or_else(|error| panic!("{number}: {error}"));
        let Some(theirs) = models.first().map(|model| &model.mesh) else {
            assert_eq!(ours.triangles(), 0);
            continue;
        };
        assert_eq!(ours.indices(), theirs.indices, "{number}");
        assert_eq!(nums(&ours, "position", 3).as_ref(), Some(&theirs.positions), "{number}");
        let normals = nums(&ours, "normal", 3).unwrap_or_default();
        assert_eq!(normals, theirs.normals, "{number}");
        let flipped: Vec<f32> = theirs
            .texcoords
            .chunks(2)
            .flat_map(|texcoord| [texcoord[0], 1.0 - texcoord[1]])
            .collect();
        assert_eq!(nums(&ours, "texcoord-0", 2).unwrap_or_default(), flipped, "{number}");
        triangles += ours.triangles();
    }
    assert!(triangles > 1000);
}
