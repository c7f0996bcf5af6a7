//! The scenes: programs, numbers of vertices, and textures. Vertices are computed from their index.

use lambdav_engine::{Bindings, Frame, Options, Shader, Size};
use std::error::Error;

/// Triangles at random places, given the sides of a right angle in pixels.
const SCATTERED: &str = include_str!("../../shaders/triangles/scattered.lv");
/// A bumpy closed surface over a ground, from the camera or from the light.
const BUMPY: &str = include_str!("../../shaders/triangles/bumpy.lv");

const PLAIN: &str = "(vec4 colour 1)";
const PHOTO: &str =
    "(texture photo (wrap repeat)) (* (vec4 colour 1) (sample photo (* 4 at-corner)))";
const SAMPLES: &str = "(state (samples 4))";

/// The depth as seen from the light.
const FROM_LIGHT: &str = "
    (position (* light-clip (vec4 point 1)))
    (vec4 (vec3 (.z (frag-coord))) 1)";

/// The lit picture: four samples of the shadow map around the point.
const LIT: &str = "
    (texture shadow (filter nearest))
    (position (* camera-clip (vec4 point 1)))
    (varying at point)
    (varying towards normal)
    (define from-light (* light-clip (vec4 at 1)))
    (define place (+ (* (.xy from-light) 0.5) 0.5))
    (define (seen dx dy)
      (if (< (- (.z from-light) 0.004) (.x (sample shadow (+ place (* 0.0007 (vec2 dx dy))))))
        0.25
        0))
    (define lit (+ (seen -1 -1) (seen 1 -1) (seen -1 1) (seen 1 1)))
    (define direct (* lit (max 0 (dot (normalize towards) light))))
    (vec4 (* (vec3 0.9 0.8 0.6) (+ 0.15 direct)) 1)";

/// A scene.
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// Triangles of all passes.
    pub(super) triangles: u32,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    /// Sides in pixels, rest of the program, and number of samples.
    Scattered(f32, &'static str, u8),
    Shadowed,
}

const fn scattered(
    name: &'static str,
    triangles: u32,
    side: f32,
    rest: &'static str,
    samples: u8,
) -> Scene {
    Scene { name, triangles, content: Content::Scattered(side, rest, samples) }
}

pub(super) const SCENES: [Scene; 7] = [
    scattered("ten-pixels", 100_000, 4.472, PLAIN, 1),
    scattered("one-pixel", 1_000_000, 1.414, PLAIN, 1),
    scattered("large", 1_000, 300.0, PHOTO, 1),
    scattered("ten-pixels-4", 100_000, 4.472, PLAIN, 4),
    scattered("one-pixel-4", 1_000_000, 1.414, PLAIN, 4),
    scattered("large-4", 1_000, 300.0, PHOTO, 4),
    Scene { name: "shadowed", triangles: 100_000, content: Content::Shadowed },
];

/// A program with its inputs. Each pass of a scene is drawn alone; textures are bound before.
pub(super) struct Pass {
    pub(super) shader: Shader,
    pub(super) bindings: Bindings,
    pub(super) vertices: u32,
}

impl Pass {
    fn new(text: &str, vertices: u32) -> Result<Self, Box<dyn Error>> {
        let shader = Shader::new("triangles", text)?;
        let mut bindings = shader.bindings();
        bindings.vertices(vertices);
        Ok(Self { shader, bindings, vertices })
    }
}

impl Scene {
    /// The passes of the scene, the last one with the picture.
    pub(super) fn passes(&self, size: Size) -> Result<Vec<Pass>, Box<dyn Error>> {
        match self.content {
            Content::Scattered(side, rest, samples) => {
                let samples = if samples == 4 { SAMPLES } else { "" };
                let mut pass =
                    Pass::new(&format!("{SCATTERED}{samples}{rest}"), 3 * self.triangles)?;
                pass.bindings.set("side", side)?;
                if !pass.shader.resources().is_empty() {
                    let texel = |x: u32, y: u32| [x, y, x ^ y, 63].map(|part| part as f32 / 63.0);
                    pass.bindings.bind("photo", &Frame::from_fn(Size::new(64, 64)?, texel))?;
                }
                Ok(vec![pass])
            }
            Content::Shadowed => {
                let vertices = 3 * self.triangles / 2;
                let from_light = Pass::new(&format!("{BUMPY}{FROM_LIGHT}"), vertices)?;
                let mut lit = Pass::new(&format!("{BUMPY}{LIT}"), vertices)?;
                let pipeline = from_light.shader.pipeline(&Options::default())?;
                let shadow = pipeline.render(&from_light.bindings, size)?;
                lit.bindings.bind("shadow", &shadow)?;
                Ok(vec![from_light, lit])
            }
        }
    }
}
