//! Scenes from seeds.

use super::family::{Comparison, Component, Limit, Output, Site, Source};
use super::geometry::{Geometry, Triangulation, position, signed, special, unit};
use super::{Scalar, Scene, Varying, VaryingValues};
use crate::reference::{Blend, Cull, DepthTest, Front, Interpolation, Samples, State, Topology};
use lambdav_test_support::Random;

impl Scene {
    /// The scene of a seed.
    pub fn random(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let geometry = *random.pick(&Geometry::ALL);
        let size = size(random);
        let mut state = state(random);
        let (positions, indices) = if geometry == Geometry::Triangulation {
            state.topology = Topology::Triangles;
            triangulation(random, size)
        } else {
            mesh(random, geometry, size)
        };
        let offsets = random.percent(35).then(|| {
            let count = random.between(1, 3);
            (0..count).map(|_| offset(random)).collect()
        });
        let varyings =
            (0..random.weighted(&[10, 30, 30, 20, 10])).map(|_| varying(random, positions.len()));
        let varyings = varyings.collect();
        let [width, height] = size;
        let mut scene = Self {
            width,
            height,
            state,
            geometry,
            positions,
            offsets,
            indices,
            varyings,
            discard: None,
            depth: None,
            outputs: Vec::new(),
            limit: None,
        };
        scene.discard = random.percent(30).then(|| scene.random_comparison(random));
        scene.depth = random.percent(25).then(|| scene.random_component(random));
        scene.outputs =
            (0..random.weighted(&[0, 60, 25, 15])).map(|_| scene.random_output(random)).collect();
        if random.percent(6) {
            scene.limit = Some(scene.random_limit(random));
        }
        scene
    }

    fn random_source(&self, random: &mut Random) -> Source {
        match random.weighted(&[if self.varyings.is_empty() { 0 } else { 60 }, 25, 8, 7]) {
            0 => Source::Varying(random.below(self.varyings.len())),
            1 => Source::FragCoord,
            2 => Source::PrimitiveIndex,
            _ => Source::Facing,
        }
    }

    fn random_component(&self, random: &mut Random) -> Component {
        let source = self.random_source(random);
        Component { source, index: random.below(self.components(source)) }
    }

    /// A condition that holds at some fragments.
    fn random_comparison(&self, random: &mut Random) -> Comparison {
        let component = self.random_component(random);
        let bound = match (component.source, component.index) {
            (Source::FragCoord, 0) => unit(random) * self.width as f32,
            (Source::FragCoord, 1) => unit(random) * self.height as f32,
            (Source::PrimitiveIndex, _) => random.below(20) as f32,
            _ => signed(random, 1.0),
        };
        Comparison { component, bound }
    }

    fn random_output(&self, random: &mut Random) -> Output {
        let source = self.random_source(random);
        match random.weighted(&[50, 8, 8, 9, 25]) {
            0 => Output::Value(source),
            1 => Output::Dfdx(source),
            2 => Output::Dfdy(source),
            3 => Output::Fwidth(source),
            _ => Output::Grey(self.random_component(random), self.random_component(random)),
        }
    }

    fn random_limit(&self, random: &mut Random) -> Limit {
        let mut sites = vec![Site::Position];
        sites.extend(self.discard.map(|_| Site::Discard));
        sites.extend(self.depth.map(|_| Site::Depth));
        sites.extend((0..self.outputs.len()).map(Site::Output));
        let site = *random.pick(&sites);
        let mut condition = self.random_comparison(random);
        if site == Site::Position {
            // Most scenes should have no fault of a vertex, which hides all fragments.
            let component = Component { source: Source::FragCoord, index: random.below(4) };
            condition = Comparison { component, bound: 2.0 + 2.0 * unit(random) };
        }
        Limit { site, condition }
    }
}

/// Sizes are mostly small and often odd, for quads and bounds at the image's edge.
fn size(random: &mut Random) -> [u32; 2] {
    match random.weighted(&[5, 25, 45, 25]) {
        0 => [1, 1],
        1 => [0, 1].map(|_| random.between(1, 9) as u32),
        2 => [0, 1].map(|_| random.between(4, 33) as u32),
        _ => [random.between(20, 96), random.between(20, 80)].map(|side| side as u32),
    }
}

fn state(random: &mut Random) -> State {
    use DepthTest as T;
    let depth = [
        T::Less,
        T::LessEq,
        T::Always,
        T::Off,
        T::Neq,
        T::GreaterEq,
        T::Equal,
        T::Greater,
        T::Never,
    ];
    let depth = depth[random.weighted(&[40, 15, 12, 12, 9, 5, 4, 2, 1])];
    let clear = if random.percent(50) {
        [0.0; 4]
    } else {
        [0; 4].map(|_| *random.pick(&[0.0, -0.0, 1.0, 0.25, -2.0, 0.1, 1e-40, 3e38]))
    };
    State {
        cull: [Cull::None, Cull::Back, Cull::Front][random.weighted(&[70, 15, 15])],
        front: *random.pick(&[Front::Ccw, Front::Cw]),
        depth,
        depth_write: random.percent(80),
        blend: [Blend::Off, Blend::Over, Blend::Add, Blend::Multiply]
            [random.weighted(&[40, 30, 15, 15])],
        samples: [Samples::One, Samples::Four][random.weighted(&[60, 40])],
        clear,
        topology: [Topology::Triangles, Topology::Strip, Topology::Fan]
            [random.weighted(&[60, 20, 20])],
    }
}

/// Vertices and indices of a mesh.
type Mesh = (Vec<[f32; 4]>, Option<Vec<u32>>);

fn triangulation(random: &mut Random, size: [u32; 2]) -> Mesh {
    let points = random.below(25);
    let of = Triangulation::random(random, size, points);
    let is_flat = random.percent(40);
    let positions = of.places.iter().map(|&place| {
        let w = if is_flat { 1.0 } else { 0.25 + 3.0 * unit(random) };
        position(place, size, unit(random), w)
    });
    (positions.collect(), Some(of.triangles.concat()))
}

fn mesh(random: &mut Random, geometry: Geometry, size: [u32; 2]) -> Mesh {
    let count = match random.weighted(&[2, 33, 50, 15]) {
        0 => random.between(1, 3),
        1 => random.between(3, 8),
        2 => random.between(9, 40),
        _ => random.between(41, 90),
    };
    let positions = geometry.positions(random, size, count);
    // Indices repeat vertices, leave some out, and may leave one or two over.
    let indices = random.percent(50).then(|| {
        let length = random.between(count, 3 * count);
        (0..length).map(|_| random.below(count) as u32).collect()
    });
    (positions, indices)
}

fn offset(random: &mut Random) -> [f32; 4] {
    if random.percent(25) {
        return [0.0; 4];
    }
    let z = if random.percent(50) { 0.0 } else { signed(random, 0.2) };
    [signed(random, 0.7), signed(random, 0.7), z, 0.0]
}

fn varying(random: &mut Random, vertices: usize) -> Varying {
    let index = match random.weighted(&[90, 5, 5]) {
        0 => None,
        1 => Some(VaryingValues::VertexIndex),
        _ => Some(VaryingValues::InstanceIndex),
    };
    if let Some(values) = index {
        let interpolation = Interpolation::Flat;
        return Varying { scalar: Scalar::Int, components: 1, interpolation, values };
    }
    let scalar = [Scalar::Num, Scalar::Int, Scalar::Uint][random.weighted(&[80, 10, 10])];
    let components = random.between(1, 4);
    let interpolation = match scalar {
        Scalar::Num => [Interpolation::Perspective, Interpolation::Linear, Interpolation::Flat]
            [random.weighted(&[50, 30, 20])],
        Scalar::Int | Scalar::Uint => Interpolation::Flat,
    };
    let is_special = random.percent(10);
    let mut word = || match scalar {
        Scalar::Num if is_special && random.percent(30) => special(random).to_bits(),
        Scalar::Num if random.percent(20) => (random.below(5) as f32 - 2.0).to_bits(),
        Scalar::Num => signed(random, 2.0).to_bits(),
        Scalar::Int | Scalar::Uint if random.percent(50) => random.below(5) as u32,
        Scalar::Int | Scalar::Uint => random.bits() as u32,
    };
    let values = (0..vertices).map(|_| (0..components).map(|_| word()).collect()).collect();
    Varying { scalar, components, interpolation, values: VaryingValues::Attribute(values) }
}
