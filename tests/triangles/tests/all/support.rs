//! Programs whose stages are functions of the test, with a log of evaluations.

use lambdav_triangles::Picture;
use lambdav_triangles::reference::{
    DrawCall, Error, Fragment, Interpolation, Shader, State, VaryingKind, Vertex, draw,
};
use lambdav_triangles::scenes::position;

pub(crate) type Value<T> = fn(&Fragment<'_>) -> T;

/// A program, and the evaluations so far.
pub(crate) struct Program {
    pub(crate) call: DrawCall,
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) discards: Value<bool>,
    pub(crate) depth: Value<f32>,
    pub(crate) outputs: Value<Vec<[f32; 4]>>,
    /// Evaluations that fail.
    pub(crate) faults: Vec<&'static str>,
    pub(crate) log: Vec<String>,
}

impl Program {
    /// One output, whose value is white, and no varyings; each vertex is used once, in order.
    pub(crate) fn new(size: [u32; 2], positions: &[[f32; 4]]) -> Self {
        let [width, height] = size;
        let call = DrawCall {
            width,
            height,
            instances: 1,
            indices: (0..positions.len() as u32).collect(),
            state: State::default(),
            varyings: Vec::new(),
            attachments: 1,
            has_depth: false,
        };
        let vertices =
            positions.iter().map(|&position| Vertex { position, varyings: Vec::new() }).collect();
        Self {
            call,
            vertices,
            discards: |_| false,
            depth: |_| 0.0,
            outputs: |_| vec![[1.0; 4]],
            faults: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Adds a varying of numbers, by vertex.
    pub(crate) fn varying(mut self, interpolation: Interpolation, values: &[f32]) -> Self {
        self.call.varyings.push(VaryingKind { components: 1, interpolation, is_integer: false });
        for (vertex, value) in self.vertices.iter_mut().zip(values) {
            vertex.varyings.push(vec![value.to_bits()]);
        }
        self
    }

    pub(crate) fn state(mut self, change: impl FnOnce(&mut State)) -> Self {
        change(&mut self.call.state);
        self
    }

    pub(crate) fn outputs(mut self, outputs: Value<Vec<[f32; 4]>>) -> Self {
        self.outputs = outputs;
        self
    }

    pub(crate) fn try_draw(&mut self) -> Result<Picture, Error<&'static str>> {
        let call = self.call.clone();
        draw(&call, self)
    }

    pub(crate) fn draw(&mut self) -> Picture {
        self.try_draw().expect("no evaluation fails")
    }

    fn note(&mut self, evaluation: String) -> Result<(), &'static str> {
        let fault = self.faults.iter().find(|fault| **fault == evaluation).copied();
        self.log.push(evaluation);
        fault.map_or(Ok(()), Err)
    }

    fn note_at(&mut self, stage: &str, f: &Fragment<'_>) -> Result<(), &'static str> {
        let Fragment { x, y, instance, primitive_index, .. } = f;
        self.note(format!("{stage} {instance}.{primitive_index} at ({x}, {y})"))
    }
}

impl Shader for Program {
    type Fault = &'static str;

    fn vertex(&mut self, index: u32, instance: u32) -> Result<Vertex, &'static str> {
        self.note(format!("vertex {instance}.{index}"))?;
        Ok(self.vertices[index as usize].clone())
    }

    fn discards(&mut self, fragment: &Fragment<'_>) -> Result<bool, &'static str> {
        self.note_at("discard", fragment)?;
        Ok((self.discards)(fragment))
    }

    fn depth(&mut self, fragment: &Fragment<'_>) -> Result<f32, &'static str> {
        self.note_at("depth", fragment)?;
        Ok((self.depth)(fragment))
    }

    fn outputs(&mut self, fragment: &Fragment<'_>) -> Result<Vec<[f32; 4]>, &'static str> {
        self.note_at("outputs", fragment)?;
        Ok((self.outputs)(fragment))
    }
}

/// The position of a place in pixels, with z = 0.5 and w = 1.
pub(crate) fn at(size: [u32; 2], x: f32, y: f32) -> [f32; 4] {
    position([(x * 256.0) as i64, (y * 256.0) as i64], size, 0.5, 1.0)
}

/// A triangle that covers the whole image, clockwise as seen, at a depth.
pub(crate) fn whole(size: [u32; 2], z: f32) -> [[f32; 4]; 3] {
    let [width, height] = size.map(|side| side as f32);
    [[0.0, 0.0], [2.0 * width, 0.0], [0.0, 2.0 * height]].map(|[x, y]| {
        let [x, y, _, w] = at(size, x, y);
        [x, y, z, w]
    })
}

/// The first component of a varying.
pub(crate) fn number(fragment: &Fragment<'_>, varying: usize) -> f32 {
    f32::from_bits(fragment.varying(varying)[0])
}

/// The pixels with a fragment, in scan order.
pub(crate) fn covered(picture: &Picture) -> Vec<[u32; 2]> {
    let counts = (0..4).map(|sample| picture.counts(sample)).collect::<Vec<_>>();
    (0..picture.width * picture.height)
        .filter(|&pixel| counts.iter().any(|counts| counts[pixel as usize] > 0))
        .map(|pixel| [pixel % picture.width, pixel / picture.width])
        .collect()
}
