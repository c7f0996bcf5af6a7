//! Draws of triangles: states, indices, instances, samples and depth.

use super::device;
use lambdav_core::graph::AttributeRate;
use lambdav_core::state::{Blend, Cull, DepthTest, FrontFace, State, Topology};
use lambdav_core::types::Scalar;
use lambdav_gpu::{Attribute, Device, Error, Indices, Job, PixelBits, Triangles, forever};
use lambdav_spirv::assemble::{SpirvVersion, assemble};

/// Side of the image.
const SIDE: u32 = 8;

const STAGES: [&str; 2] = ["vertex", "fragment"];

fn module() -> Vec<u32> {
    let version = SpirvVersion::of_environment("vulkan1.0").expect("it is one");
    assemble(include_str!("triangles.spvasm"), version).expect("it is right")
}

/// The corners of the left half of the image, at depth 0.25, in the order of a strip; a fifth vertex is the
/// first again.
const PLACES: [[f32; 4]; 5] = [
    [-1.0, -1.0, 0.25, 1.0],
    [-1.0, 1.0, 0.25, 1.0],
    [0.0, -1.0, 0.25, 1.0],
    [0.0, 1.0, 0.25, 1.0],
    [-1.0, -1.0, 0.25, 1.0],
];

/// The columns of a matrix that adds these numbers to x and z.
fn shift(x: f32, z: f32) -> [f32; 16] {
    let mut matrix = [0.0; 16];
    (0..4).for_each(|k| matrix[5 * k] = 1.0);
    (matrix[12], matrix[14]) = (x, z);
    matrix
}

/// A draw of the left half, and of its instances moved by `shift`.
struct Scene {
    places: Vec<u32>,
    matrices: Vec<u32>,
    tags: Vec<u32>,
    indices: Vec<u32>,
    state: State,
    constants: [u32; 8],
}

impl Scene {
    fn new(instances: &[[f32; 16]], indices: &[u32], state: State) -> Self {
        Self {
            places: PLACES.as_flattened().iter().map(|x| x.to_bits()).collect(),
            matrices: instances.as_flattened().iter().map(|x| x.to_bits()).collect(),
            tags: (0..5).collect(),
            indices: indices.to_vec(),
            state,
            constants: [0; 8],
        }
    }

    fn attributes(&self) -> [Attribute<'_>; 3] {
        let place = Attribute {
            location: 0,
            scalar: Scalar::F32,
            width: 4,
            columns: 1,
            rate: AttributeRate::Vertex,
            words: &self.places,
        };
        let rate = AttributeRate::Instance;
        let words = &self.matrices;
        let matrix = Attribute { location: 1, columns: 4, rate, words, ..place };
        let words = &self.tags;
        [place, matrix, Attribute { location: 5, scalar: Scalar::I32, width: 1, words, ..place }]
    }

    /// The outputs and the depth, drawn twice.
    fn draw(&self, device: &Device) -> ([PixelBits; 2], Vec<u32>) {
        let words = module();
        let attributes = self.attributes();
        let triangles = Triangles {
            entry_points: STAGES,
            attributes: &attributes,
            indices: Indices::List(&self.indices),
            instances: self.matrices.len() as u32 / 16,
            state: self.state,
            keeps_depth: true,
        };
        let job = Job::new(&words, &[0, 1], [SIDE; 2]).draw(triangles);
        let gain = [2.0_f32, 1.0, 1.0, 0.5].map(f32::to_bits);
        let job = Job { uniforms: &gain, push_constants: &self.constants, ..job };
        let mut prepared = device.prepare(&job, &forever).expect("it can be drawn");
        let mut read = || {
            prepared.draw(&forever).expect("it draws");
            let outputs = [0, 1].map(|location| prepared.read(location, &forever));
            (outputs.map(|it| it.expect("it was drawn")), prepared.read_depth(&forever))
        };
        let first = read();
        prepared.repeat(2, &self.constants).expect("there is memory");
        prepared.draw(&forever).expect("it draws");
        let again = prepared.read(0, &forever).expect("it was drawn");
        assert_eq!(first.0[0], again, "a pass that is repeated starts from the clear colour");
        (first.0, first.1.expect("it was drawn"))
    }
}

/// The components of a pixel.
fn at(pixels: &PixelBits, x: u32, y: u32) -> [f32; 4] {
    pixels[(y * SIDE + x) as usize].map(f32::from_bits)
}

const STRIP: [u32; 6] = [0, 1, 2, 2, 1, 3];

#[test]
fn indices_instances_and_depth() {
    let Some((device, complaints)) = device() else { return };
    let clear = [0.5, 0.25, 0.0, 1.0];
    let state = State { clear, ..State::default() };
    // The second instance is the right half, the third is behind the first.
    let instances = [shift(0.0, 0.0), shift(1.0, 0.5), shift(0.0, 0.25)];
    let mut scene = Scene::new(&instances, &STRIP, state);
    let ([colors, numbers], depth) = scene.draw(&device);
    let pixel = at(&colors, 1, 3);
    assert_eq!(pixel, [2.0 * (-1.0 + 1.5 / 4.0), -0.125, 0.25, 0.5]);
    // The first triangle has its right angle at the upper left.
    assert_eq!(at(&numbers, 0, 0), [0.0, 0.0, 1.0, 0.25]);
    assert_eq!(at(&numbers, 3, 7), [2.0, 1.0, 1.0, 0.25]);
    assert_eq!(at(&numbers, 4, 0), [10.0, 0.0, 1.0, 0.75]);
    let side = |x: f32| [x.to_bits(); 4];
    let row = [side(0.25), side(0.75)].concat();
    assert_eq!(depth, row.repeat(SIDE as usize));

    // Nothing is drawn to the right of the image.
    scene.constants[0] = 2.0_f32.to_bits();
    let ([colors, _], depth) = scene.draw(&device);
    assert!((0..SIDE).all(|x| at(&colors, x, 0) == clear));
    assert!(depth.iter().all(|&depth| f32::from_bits(depth) == 1.0));
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}

#[test]
fn states() {
    let Some((device, complaints)) = device() else { return };
    let clear = [0.5, 0.25, 0.0, 1.0];
    let plain = State { clear, ..State::default() };
    let one = [shift(0.0, 0.0)];
    let drawn = |indices: &[u32], state: State| Scene::new(&one, indices, state).draw(&device);
    let is_drawn = |indices: &[u32], state| at(&drawn(indices, state).0[0], 0, 0) != clear;
    assert!(is_drawn(&STRIP, plain));
    for (cull, front, expected) in [
        (Cull::Back, FrontFace::Ccw, true),
        (Cull::Front, FrontFace::Ccw, false),
        (Cull::Back, FrontFace::Cw, false),
        (Cull::Front, FrontFace::Cw, true),
    ] {
        assert_eq!(
            is_drawn(&STRIP, State { cull, front, ..plain }),
            expected,
            "{cull:?} {front:?}"
        );
    }
    for depth in DepthTest::ALL.iter().copied() {
        use DepthTest::{Always, Less, LessEqual, NotEqual, Off};
        let found = drawn(&STRIP, State { depth, ..plain });
        let passes = matches!(depth, Less | LessEqual | NotEqual | Always | Off);
        assert_eq!(at(&found.0[0], 0, 0) != clear, passes, "{depth:?}");
        let stored = if passes && depth != Off { 0.25 } else { 1.0 };
        assert_eq!(f32::from_bits(found.1[0]), stored, "{depth:?}");
    }
    let found = drawn(&STRIP, State { depth_write: false, ..plain });
    assert!(found.1.iter().all(|&depth| f32::from_bits(depth) == 1.0));

    // A strip has the triangles 012 and 132; a fan of 0, 1, 3 and 2 has 130 and 320.
    let strip = drawn(&[0, 1, 2, 3], State { topology: Topology::Strip, ..plain }).0;
    assert_eq!(at(&strip[1], 3, 7), [1.0, 1.0, 1.0, 0.25]);
    let fan = drawn(&[0, 1, 3, 2], State { topology: Topology::Fan, ..plain }).0;
    assert_eq!(at(&fan[1], 0, 7), [1.0, 0.0, 1.0, 0.25]);
    assert_eq!(at(&fan[1], 3, 0), [3.0, 1.0, 1.0, 0.25]);

    let source = at(&drawn(&STRIP, plain).0[0], 2, 5);
    let mixed = |k: usize, blend: Blend| match blend {
        Blend::Off => source[k],
        Blend::Over if k == 3 => source[3] + clear[3] * (1.0 - source[3]),
        Blend::Over => source[k] * source[3] + clear[k] * (1.0 - source[3]),
        Blend::Add => source[k] + clear[k],
        Blend::Multiply => source[k] * clear[k],
    };
    for blend in Blend::ALL.iter().copied() {
        let found = at(&drawn(&STRIP, State { blend, ..plain }).0[0], 2, 5);
        assert_eq!(found, [0, 1, 2, 3].map(|k| mixed(k, blend)), "{blend:?}");
    }
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}

#[test]
fn four_samples() {
    let Some((device, complaints)) = device() else { return };
    // The left half ends in the middle of pixel 5: two of its samples are covered, sample 0 among them.
    let instances = [shift(1.5 * 2.0 / SIDE as f32, 0.0)];
    let state = State { samples: 4, clear: [0.0, 0.0, 0.0, 1.0], ..State::default() };
    let ([colors, numbers], depth) = Scene::new(&instances, &STRIP, state).draw(&device);
    let alphas: Vec<f32> = (4..7).map(|x| at(&colors, x, 0)[3]).collect();
    assert_eq!(alphas, [0.5, 0.75, 1.0]);
    assert_eq!(at(&numbers, 5, 0), [0.0, 0.0, 0.5, 0.625]);
    let depth: Vec<f32> = depth[4..7].iter().copied().map(f32::from_bits).collect();
    assert_eq!(depth, [0.25, 0.25, 1.0]);
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}

/// A shadow map has a depth and no outputs.
#[test]
fn depth_alone() {
    let Some((device, complaints)) = device() else { return };
    let words = module();
    for samples in [1, 4] {
        let state = State { samples, ..State::default() };
        let scene = Scene::new(&[shift(0.0, 0.0)], &STRIP, state);
        let attributes = scene.attributes();
        let triangles = Triangles {
            entry_points: STAGES,
            attributes: &attributes,
            indices: Indices::List(&STRIP),
            instances: 1,
            state,
            keeps_depth: true,
        };
        let job = Job::new(&words, &[], [SIDE; 2]).draw(triangles);
        let mut prepared = device.prepare(&job, &forever).expect("it can be drawn");
        prepared.draw(&forever).expect("it draws");
        let depth = prepared.read_depth(&forever).expect("it was drawn");
        let row = [[0.25_f32.to_bits(); 4], [1.0_f32.to_bits(); 4]].concat();
        assert_eq!(depth, row.repeat(SIDE as usize), "{samples} samples");
    }
    drop(device);
    // The outputs of the module go nowhere.
    let mut said = complaints.all();
    said.retain(|text| !text.contains("OutputNotConsumed"));
    assert_eq!(said, [""; 0]);
}

#[test]
fn mistakes_are_errors() {
    let Some((device, complaints)) = device() else { return };
    let words = module();
    let scene = Scene::new(&[shift(0.0, 0.0)], &STRIP, State::default());
    let attributes = scene.attributes();
    let triangles = Triangles {
        entry_points: STAGES,
        attributes: &attributes,
        indices: Indices::List(&STRIP),
        instances: 1,
        state: State::default(),
        keeps_depth: false,
    };
    let job = Job::new(&words, &[0, 1], [SIDE; 2]);
    let refused = |triangles: Triangles<'_>| match device.prepare(&job.draw(triangles), &forever) {
        Err(error) => error,
        Ok(_) => panic!("it is drawn"),
    };
    let error = refused(Triangles { entry_points: ["fragment"; 2], ..triangles });
    let expected = "the module cannot be drawn: it has no vertex shader `fragment`";
    assert_eq!(error.to_string(), expected);
    let error = refused(Triangles { attributes: &attributes[..2], ..triangles });
    let expected = "the module cannot be drawn: it reads location 5, where no attribute is";
    assert_eq!(error.to_string(), expected);
    let error = refused(Triangles { indices: Indices::Count(6), ..triangles });
    assert_eq!(error, Error::Elements { location: 0, wanted: 6, found: 5 });
    let error = refused(Triangles { indices: Indices::List(&[5]), ..triangles });
    assert_eq!(error, Error::Elements { location: 0, wanted: 6, found: 5 });
    let error = refused(Triangles { instances: 2, ..triangles });
    assert_eq!(error, Error::Elements { location: 1, wanted: 2, found: 1 });
    let far =
        [attributes[0], attributes[1], attributes[2], Attribute { location: 900, ..attributes[0] }];
    let error = refused(Triangles { attributes: &far, ..triangles });
    assert!(matches!(error, Error::Limit { what: "locations of attributes", .. }), "{error}");
    let twice = [attributes[0], attributes[1], attributes[0]];
    let error = refused(Triangles { attributes: &twice, ..triangles });
    assert_eq!(error.to_string(), "the module cannot be drawn: two attributes have location 0");
    // No vertices make no triangles.
    let none = Triangles { indices: Indices::Count(0), instances: 0, ..triangles };
    let mut prepared = device.prepare(&job.draw(none), &forever).expect("it can be drawn");
    prepared.draw(&forever).expect("it draws");
    drop(prepared);
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}
