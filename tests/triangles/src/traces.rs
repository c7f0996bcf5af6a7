//! Traces of pixels of scenes, compared with the fragments that the reference rasterizer evaluates.

use crate::engines::bind;
use crate::reference::{Fragment, Shader, Vertex, draw};
use crate::scenes::Scene;
use lambdav_engine::{Shader as Compiled, Size};
use lambdav_test_support::Random;
use lambdav_trace::{Recorder, Value};
use std::time::Duration;

/// A fragment: the number of its triangle, and whether it is discarded, and shaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Evaluated {
    primitive: u32,
    is_discarded: bool,
    is_shaded: bool,
}

/// The shader of a scene that notes the fragments of a pixel.
struct Noted<S> {
    inner: S,
    pixel: [u32; 2],
    fragments: Vec<Evaluated>,
}

impl<S: Shader> Shader for Noted<S> {
    type Fault = S::Fault;

    fn vertex(&mut self, index: u32, instance: u32) -> Result<Vertex, S::Fault> {
        self.inner.vertex(index, instance)
    }

    fn discards(&mut self, fragment: &Fragment<'_>) -> Result<bool, S::Fault> {
        let is_discarded = self.inner.discards(fragment)?;
        if [fragment.x, fragment.y] == self.pixel {
            let primitive = fragment.primitive_index;
            self.fragments.push(Evaluated { primitive, is_discarded, is_shaded: false });
        }
        Ok(is_discarded)
    }

    fn depth(&mut self, fragment: &Fragment<'_>) -> Result<f32, S::Fault> {
        self.inner.depth(fragment)
    }

    fn outputs(&mut self, fragment: &Fragment<'_>) -> Result<Vec<[f32; 4]>, S::Fault> {
        if [fragment.x, fragment.y] == self.pixel {
            let last = self.fragments.last_mut().expect("its condition was evaluated");
            last.is_shaded = true;
        }
        self.inner.outputs(fragment)
    }
}

/// Traces a few pixels of the scene of a seed. Returns the number of fragments.
///
/// # Errors
///
/// The first difference.
pub fn check(seed: u64) -> Result<usize, String> {
    let scene = Scene { limit: None, ..Scene::random(seed) };
    let random = &mut Random::new(seed);
    let text = scene.lambda_v();
    let size = Size::new(scene.width, scene.height).map_err(|error| error.to_string())?;
    let shader = Compiled::new("scene.lv", &text).map_err(|error| error.to_string())?;
    let output = random.below(scene.outputs.len());
    let mut bindings = shader.bindings();
    bind(&shader, &scene, &mut bindings).map_err(|error| error.to_string())?;
    let timeout = Some(Duration::from_secs(60));
    let tracer = shader.tracer(&bindings, size, output as u32, 100, timeout);
    let tracer = tracer.map_err(|error| error.to_string())?;
    let mut count = 0;
    for _ in 0..3 {
        let pixel = [scene.width, scene.height].map(|side| random.below(side as usize) as u32);
        let mut noted = Noted { inner: scene.shader(), pixel, fragments: Vec::new() };
        let wanted = draw(&scene.draw_call(), &mut noted).map_err(|error| error.to_string())?;
        let [x, y] = pixel;
        let wanted = wanted.attachments[output][(y * scene.width + x) as usize];
        let failed =
            |why: String| format!("scene {seed}, output {output}, {pixel:?}: {why}\n{text}");
        let mut recorder = Recorder::default();
        let found = tracer.pixel(pixel, &mut recorder, &|| false);
        let found = found.map_err(|error| failed(format!("{error:?}")))?;
        let trace = recorder.finish(tracer.subject(pixel, &found), true, &|_| true);
        let colour = found.colour.map(f32::from_bits);
        let is_equal =
            |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        if !colour.iter().zip(&wanted).all(is_equal) {
            return Err(failed(format!("{colour:?} and not {wanted:?}")));
        }
        let is_fragment = |name: &str| ["fragment", "discarded fragment"].contains(&name);
        let of_pixel = trace
            .scopes
            .iter()
            .filter(|scope| scope.parent == 0 && scope.name.as_deref().is_some_and(is_fragment));
        let fragments: Vec<Evaluated> = of_pixel
            .map(|scope| Evaluated {
                primitive: match &scope.arguments[..] {
                    [(_, Value::Words { words, .. })] => words[0],
                    other => panic!("{other:?}"),
                },
                is_discarded: scope.name.as_deref() == Some("discarded fragment"),
                is_shaded: scope.result.is_some(),
            })
            .collect();
        if fragments != noted.fragments {
            return Err(failed(format!("{fragments:?} and not {:?}", noted.fragments)));
        }
        count += fragments.len();
    }
    Ok(count)
}
