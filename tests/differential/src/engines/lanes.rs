//! The interpreter of lane programs.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::each_output;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, LoopLimit, interpret};
use lambdav_simd_backend::lanes::{LaneProgram, Options, Width, lower, verify};

/// Interprets the lane program of each output.
pub(super) struct Lanes {
    /// The name of the engine.
    pub(super) name: &'static str,
    /// True: lanes are whole quads, some of whose pixels may lie outside the image, and read one another.
    /// False: any pixels.
    pub(super) quads: bool,
}

/// Lanes of a group: more than a register has, and no power of two.
const LANES: usize = 19;

/// Quads of a group, for the same reason.
const QUADS: usize = 5;

impl Engine for Lanes {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        each_output(case, &case.core, |schedule, _, components| {
            let width = if self.quads { Width::Quads } else { Width::Any };
            let program = lower(&schedule, &Options::new(width));
            verify(&program).map_err(|errors| {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                format!("malformed lane program: {}\n{program}", errors.join("; "))
            })?;
            let groups = if self.quads { quads(case) } else { anywhere(case) };
            if let Some(words) = whole(&program, case, components, &groups) {
                return Ok(Image::Whole(words));
            }
            // The first pixel, and the first loop that it meets, are defined by the order of the schedule: no
            // hoisting.
            let program = lower(&schedule, &Options { hoist: false, ..Options::new(Width::Any) });
            let fault = (0..case.conditions.pixels()).find_map(|pixel| {
                Some((pixel, group(&program, case, &[(place(case, pixel), true)]).err()?))
            });
            let (pixel, LoopLimit { site }) =
                fault.ok_or("a group exceeds a limit that no lane of it exceeds")?;
            Ok(Image::LoopLimit { pixel, span: Some(program.sites[site as usize]) })
        })
    }
}

/// A pixel's coordinates, and true if it is in the image.
type Lane = ((u32, u32), bool);

/// Groups of consecutive pixels, each with an inactive lane outside the image.
fn anywhere(case: &Case) -> Vec<Vec<Lane>> {
    let all: Vec<usize> = (0..case.conditions.pixels()).collect();
    let group = |pixels: &[usize]| {
        let lanes = pixels.iter().map(|&pixel| (place(case, pixel), true));
        lanes.chain([(place(case, case.conditions.pixels() + 3), false)]).collect()
    };
    all.chunks(LANES).map(group).collect()
}

/// Groups of quads side by side.
fn quads(case: &Case) -> Vec<Vec<Lane>> {
    let (width, height) = (case.conditions.width, case.conditions.height);
    let mut groups = Vec::new();
    for y in (0..height).step_by(2) {
        let corners: Vec<u32> = (0..width).step_by(2).collect();
        groups.extend(corners.chunks(QUADS).map(|corners| {
            let pixels =
                corners.iter().flat_map(|&x| [(x, y), (x, y + 1), (x + 1, y), (x + 1, y + 1)]);
            pixels.map(|(x, y)| ((x, y), x < width && y < height)).collect()
        }));
    }
    groups
}

fn place(case: &Case, pixel: usize) -> (u32, u32) {
    let width = case.conditions.width as usize;
    ((pixel % width) as u32, (pixel / width) as u32)
}

/// The words of the image; `None` if a loop exceeds its limit.
fn whole(
    program: &LaneProgram,
    case: &Case,
    components: usize,
    groups: &[Vec<Lane>],
) -> Option<Vec<u32>> {
    let mut words = vec![0; case.conditions.pixels() * components];
    for lanes in groups {
        let found = group(program, case, lanes).ok()?;
        for (&((x, y), _), pixel) in lanes.iter().zip(found).filter(|((_, active), _)| *active) {
            let at = (y * case.conditions.width + x) as usize * components;
            for (word, component) in words[at..][..components].iter_mut().zip(pixel) {
                *word = component.to_bits();
            }
        }
    }
    Some(words)
}

fn group(program: &LaneProgram, case: &Case, lanes: &[Lane]) -> Result<Vec<[f32; 4]>, LoopLimit> {
    let inputs = words(program, &case.inputs);
    let (pixels, mask): (Vec<_>, Vec<_>) = lanes.iter().copied().unzip();
    let max_iterations = case.conditions.max_iterations;
    let (inputs, resources, mask) = (&inputs, &case.inputs.resources, &mask[..]);
    interpret(
        program,
        &Group { inputs, primitive: &[], resources, pixels: &pixels, mask, max_iterations },
    )
}
