//! The shaders of a scene, evaluated in the order of the program's text.

use super::family::{Comparison, Component, Output, Site, Source};
use super::{Scalar, Scene, VaryingValues};
use crate::reference::{Fragment, Shader, Vertex, num};

/// A loop executed more rounds than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a loop exceeds its limit")]
pub struct LimitExceeded;

pub(super) struct SceneShader<'a>(pub(super) &'a Scene);

/// A place where sources are read: a fragment, at its own pixel or at a neighbour.
#[derive(Clone, Copy)]
struct Reader<'a> {
    scene: &'a Scene,
    fragment: &'a Fragment<'a>,
    x: i64,
    y: i64,
}

impl<'a> Reader<'a> {
    /// The fragment's own pixel.
    fn of(scene: &'a Scene, fragment: &'a Fragment<'a>) -> Self {
        Self { scene, fragment, x: i64::from(fragment.x), y: i64::from(fragment.y) }
    }

    fn source(self, source: Source) -> Vec<f32> {
        let Self { scene, fragment, x, y } = self;
        match source {
            Source::Varying(k) => {
                let converted = |word: u32| match scene.varyings[k].scalar {
                    Scalar::Num => f32::from_bits(word),
                    Scalar::Int => num(i128::from(word as i32)),
                    Scalar::Uint => num(i128::from(word)),
                };
                fragment.varying_at(k, x, y).into_iter().map(converted).collect()
            }
            Source::FragCoord => fragment.frag_coord_at(x, y).to_vec(),
            Source::PrimitiveIndex => vec![num(i128::from(fragment.primitive_index))],
            Source::Facing => vec![if fragment.front_facing { 1.0 } else { -1.0 }],
        }
    }

    fn component(self, component: Component) -> f32 {
        self.source(component.source)[component.index]
    }

    fn holds(self, Comparison { component, bound }: Comparison) -> bool {
        self.component(component) < bound
    }

    /// The derivative by the column: the odd column's value minus the even one's.
    fn dfdx(self, source: Source) -> Vec<f32> {
        let even = Self { x: self.x & !1, ..self }.source(source);
        let odd = Self { x: self.x | 1, ..self }.source(source);
        odd.into_iter().zip(even).map(|(odd, even)| odd - even).collect()
    }

    /// The derivative by the row.
    fn dfdy(self, source: Source) -> Vec<f32> {
        let even = Self { y: self.y & !1, ..self }.source(source);
        let odd = Self { y: self.y | 1, ..self }.source(source);
        odd.into_iter().zip(even).map(|(odd, even)| odd - even).collect()
    }

    fn output(self, output: Output) -> Vec<f32> {
        match output {
            Output::Value(source) => self.source(source),
            Output::Dfdx(source) => self.dfdx(source),
            Output::Dfdy(source) => self.dfdy(source),
            Output::Fwidth(source) => {
                let both = self.dfdx(source).into_iter().zip(self.dfdy(source));
                both.map(|(dx, dy)| dx.abs() + dy.abs()).collect()
            }
            Output::Grey(value, alpha) => {
                let value = self.component(value);
                vec![value, value, value, self.component(alpha)]
            }
        }
    }
}

/// The loop of a site: 0 where it ends; `None` where the site has no loop.
fn limit(scene: &Scene, site: Site, reader: Reader<'_>) -> Result<Option<f32>, LimitExceeded> {
    match scene.limit {
        Some(limit) if limit.site == site => {
            if reader.holds(limit.condition) {
                Ok(Some(0.0))
            } else {
                Err(LimitExceeded)
            }
        }
        _ => Ok(None),
    }
}

impl Shader for SceneShader<'_> {
    type Fault = LimitExceeded;

    fn vertex(&mut self, index: u32, instance: u32) -> Result<Vertex, LimitExceeded> {
        let scene = self.0;
        let place = index as usize;
        let p = scene.positions[place];
        let mut position = p;
        if let Some(offsets) = &scene.offsets {
            let offset = offsets[instance as usize];
            position = std::array::from_fn(|k| position[k] + offset[k]);
        }
        if let Some(limit) = scene.limit.filter(|limit| limit.site == Site::Position) {
            let Comparison { component, bound } = limit.condition;
            if p[component.index] < bound {
                position = position.map(|x| x + 0.0);
            } else {
                return Err(LimitExceeded);
            }
        }
        let varyings = scene.varyings.iter().map(|varying| match &varying.values {
            VaryingValues::Attribute(values) => values[place].clone(),
            VaryingValues::VertexIndex => vec![index],
            VaryingValues::InstanceIndex => vec![instance],
        });
        Ok(Vertex { position, varyings: varyings.collect() })
    }

    fn discards(&mut self, fragment: &Fragment<'_>) -> Result<bool, LimitExceeded> {
        let Some(condition) = self.0.discard else { return Ok(false) };
        let reader = Reader::of(self.0, fragment);
        limit(self.0, Site::Discard, reader)?;
        Ok(reader.holds(condition))
    }

    fn depth(&mut self, fragment: &Fragment<'_>) -> Result<f32, LimitExceeded> {
        let reader = Reader::of(self.0, fragment);
        let zero = limit(self.0, Site::Depth, reader)?;
        let depth = reader.component(self.0.depth.expect("the scene has a depth"));
        Ok(zero.map_or(depth, |zero| depth + zero))
    }

    fn outputs(&mut self, fragment: &Fragment<'_>) -> Result<Vec<[f32; 4]>, LimitExceeded> {
        let reader = Reader::of(self.0, fragment);
        let outputs = self.0.outputs.iter().enumerate().map(|(k, &output)| {
            let mut value = reader.output(output);
            if let Some(zero) = limit(self.0, Site::Output(k), reader)? {
                value.iter_mut().for_each(|x| *x += zero);
            }
            Ok(filled(&value))
        });
        outputs.collect()
    }
}

/// A value of one to four components, filled from (0, 0, 0, 1).
fn filled(value: &[f32]) -> [f32; 4] {
    std::array::from_fn(|k| value.get(k).copied().unwrap_or(if k == 3 { 1.0 } else { 0.0 }))
}
