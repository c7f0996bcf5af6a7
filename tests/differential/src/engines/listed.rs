//! Listed lanes in machine code and in the interpreter of register programs: quads of which some pixels are
//! stored.
//!
//! All outputs are attachments of one kernel. All uniforms that can be are words of the primitive. An image
//! is drawn in two passes: the first runs all pixels and stores some, the second runs and stores the others.
//! The first pass must not change pixels that it does not store.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::{each_output, scheduled};
use lambdav_core::schedule::Program;
use lambdav_core::source::Span;
use lambdav_core::types::Scalar;
use lambdav_image::Size;
use lambdav_machine_code::Evaluated;
use lambdav_raster::{Cancel, Fault, Quad, QuadKernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::kernel::{CalledKernel, Interpreted, Spilling};
use lambdav_simd_backend::machine::Machine;
use lambdav_simd_backend::{Compiler, SimdKernel, Target};
use std::fmt::Display;

/// Draws all outputs at once; if a pixel exceeds a limit, each output alone.
pub(super) struct Listed {
    pub(super) name: &'static str,
    pub(super) lanes: u32,
    pub(super) by: By,
}

/// Executes the functions of a program.
#[derive(Clone, Copy)]
pub(super) enum By {
    /// The processor; the target's name.
    Machine(&'static str),
    /// The evaluator of machine code; the target's name.
    Evaluator(&'static str),
    /// The interpreter of register programs for that machine.
    Interpreter(Machine, Spilling),
}

/// The initial value of every component.
const UNTOUCHED: f32 = f32::from_bits(0xffab_cdef);

impl Engine for Listed {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        match self.draw(case, scheduled(&case.core, &case.locations())?)? {
            Ok(images) => Ok(images.into_iter().map(Image::Whole).collect()),
            // A pixel that exceeds a limit exceeds it for all outputs.
            Err(_) => each_output(case, &case.core, |schedule, _, _| {
                Ok(match self.draw(case, schedule)? {
                    Ok(mut images) => Image::Whole(images.remove(0)),
                    Err((pixel, span)) => Image::LoopLimit { pixel, span: Some(span) },
                })
            }),
        }
    }
}

/// The words of each output; or the first pixel that exceeds a limit, and the loop.
type Drawn = Result<Vec<Vec<u32>>, (usize, Span)>;

impl Listed {
    fn draw(&self, case: &Case, schedule: Program) -> Result<Drawn, String> {
        let types = &schedule.types;
        let components = |&output| types.components(schedule.ty(output));
        let components: Vec<usize> = schedule.outputs().iter().map(components).collect();
        let is_word = |index: &u32| {
            let scalar = schedule.uniforms[*index as usize].ty.scalar();
            scalar.is_some_and(|scalar| scalar != Scalar::Bool)
        };
        let of_primitive: Vec<u32> = (0..schedule.uniforms.len() as u32).filter(is_word).collect();
        let words = of_primitive.iter().flat_map(|&index| &*case.inputs.uniforms[index as usize]);
        let primitive: Vec<u32> = words.copied().collect();

        let target = match self.by {
            By::Machine(name) | By::Evaluator(name) => Target::named(name),
            By::Interpreter(machine, _) => {
                Target::host().map(|host| Some(host.with_machine(machine)))
            }
        };
        let target = target.map_err(text)?.ok_or("there is no such target")?;
        let compiler = Compiler { lanes: Some(self.lanes), ..Compiler::new(target) };
        let compiler = compiler.listed(of_primitive);
        let (inputs, limit) = (&case.inputs, case.conditions.max_iterations);
        match self.by {
            By::Machine(_) => {
                let kernel = SimdKernel::with_compiler(schedule, inputs, limit, compiler);
                let kernel = kernel.map_err(text)?;
                passes(case, &kernel, |site| kernel.site(site), &primitive, &components)
            }
            By::Evaluator(_) => {
                let kernel =
                    CalledKernel::new(schedule, compiler, inputs, limit, |compiler, lanes| {
                        let compiled = compiler.compile_lane_program(lanes.clone());
                        compiled.map(|compiled| Evaluated::new(&compiled.code))
                    });
                let kernel = kernel.map_err(text)?;
                passes(case, &kernel, |site| kernel.site(site), &primitive, &components)
            }
            By::Interpreter(_, spilling) => {
                let kernel =
                    CalledKernel::new(schedule, compiler, inputs, limit, |compiler, lanes| {
                        Interpreted::new(compiler, lanes, spilling)
                    });
                let kernel = kernel.map_err(|errors| {
                    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                    format!("malformed register program: {}", errors.join("; "))
                })?;
                passes(case, &kernel, |site| kernel.site(site), &primitive, &components)
            }
        }
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// Draws a kernel's attachments in two passes; `components` has one entry for each attachment.
fn passes(
    case: &Case,
    kernel: &impl QuadKernel,
    site: impl Fn(u32) -> Span,
    primitive: &[u32],
    components: &[usize],
) -> Result<Drawn, String> {
    let size = Size::new(case.conditions.width, case.conditions.height).map_err(text)?;
    let tile = Tile::whole(size);
    let mut samples = vec![UNTOUCHED; components.len() * tile.samples()];
    let quads: Vec<Quad> = Quad::of_tile(tile).collect();
    // The sets of stored pixels cycle through all 16 subsets of a quad.
    let first = |number: usize, quad: &Quad| quad.run & (number % 16) as u8;
    let first: Vec<Quad> =
        (0..).zip(&quads).map(|(n, q)| Quad { stored: first(n, q), ..*q }).collect();
    let rest = first.iter().map(|quad| {
        let rest = quad.run & !quad.stored;
        Quad { run: rest, stored: rest, ..*quad }
    });
    let rest: Vec<Quad> = rest.collect();
    for pass in [&first, &rest] {
        let mut pixels = TileBuffer::with_attachments(tile, components.len(), &mut samples);
        match kernel.quads(pass, primitive, &mut pixels, &Cancel::never(size)) {
            Ok(()) => {}
            Err(Stop::Fault(Fault { x, y, site: number })) => {
                return Ok(Err((size.index(x, y) as usize, site(number))));
            }
            Err(Stop::Cancelled) => return Err("cancelled without a request".into()),
        }
        if std::ptr::eq(pass, &first) {
            untouched(&rest, tile, &samples)?;
        }
    }
    let attachments = samples.chunks(tile.samples()).zip(components);
    let words = attachments.map(|(samples, &components)| {
        let pixels = samples.as_chunks::<4>().0.iter();
        pixels.flat_map(|pixel| &pixel[..components]).map(|c| c.to_bits()).collect()
    });
    Ok(Ok(words.collect()))
}

/// Checks that the pixels stored by these quads are still untouched.
fn untouched(quads: &[Quad], tile: Tile, samples: &[f32]) -> Result<(), String> {
    for quad in quads {
        for (x, y) in Quad::PIXELS {
            if quad.stored & Quad::bit(x, y) == 0 {
                continue;
            }
            let (x, y) = (quad.x + x, quad.y + y);
            let at = (y * tile.width + x) as usize;
            for (number, attachment) in samples.chunks(tile.samples()).enumerate() {
                if attachment[4 * at..][..4].iter().any(|c| c.to_bits() != UNTOUCHED.to_bits()) {
                    return Err(format!(
                        "pixel ({x}, {y}) of attachment {number} was not to be stored"
                    ));
                }
            }
        }
    }
    Ok(())
}
