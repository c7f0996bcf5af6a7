//! The interpreter of lane programs.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::each_output;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, LoopLimit, interpret};
use lambdav_simd_backend::lanes::{LaneProgram, Width, lower, verify};

/// Interprets the lane program of each output in groups of lanes that lie anywhere.
pub(super) struct Lanes;

/// Lanes of a group: more than a machine has, and no power of two.
const LANES: usize = 19;

impl Engine for Lanes {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        each_output(case, |schedule, _, components| {
            let program = lower(&schedule, 0, true, Width::Any, &case.inputs.resources);
            verify(&program).map_err(|errors| {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                format!("malformed lane program: {}\n{program}", errors.join("; "))
            })?;
            if let Some(words) = whole(&program, case, components) {
                return Ok(Image::Whole(words));
            }
            // Which pixel it is, and which loop it meets first, tells the order of the schedule.
            let program = lower(&schedule, 0, false, Width::Any, &case.inputs.resources);
            let fault = (0..case.conditions.pixels())
                .find_map(|pixel| Some((pixel, group(&program, case, &[pixel], &[true]).err()?)));
            let (pixel, LoopLimit { site }) =
                fault.ok_or("a group exceeds a limit that no lane of it exceeds")?;
            Ok(Image::LoopLimit { pixel, span: Some(program.sites[site as usize]) })
        })
    }
}

/// The words of the image, if no loop exceeds its limit.
fn whole(program: &LaneProgram, case: &Case, components: usize) -> Option<Vec<u32>> {
    let all: Vec<usize> = (0..case.conditions.pixels()).collect();
    let mut words = Vec::with_capacity(all.len() * components);
    for pixels in all.chunks(LANES) {
        // Beside the lanes of the image there are inactive ones, at pixels outside it.
        let mut lanes = pixels.to_vec();
        lanes.push(case.conditions.pixels() + 3);
        let mut mask = vec![true; pixels.len()];
        mask.push(false);
        let found = group(program, case, &lanes, &mask).ok()?;
        for pixel in &found[..pixels.len()] {
            words.extend(pixel[..components].iter().map(|c| c.to_bits()));
        }
    }
    Some(words)
}

fn group(
    program: &LaneProgram,
    case: &Case,
    pixels: &[usize],
    mask: &[bool],
) -> Result<Vec<[f32; 4]>, LoopLimit> {
    let inputs = words(program, &case.inputs);
    let width = case.conditions.width as usize;
    let pixels: Vec<(u32, u32)> =
        pixels.iter().map(|pixel| ((pixel % width) as u32, (pixel / width) as u32)).collect();
    let max_iterations = case.conditions.max_iterations;
    let (inputs, resources) = (&inputs, &case.inputs.resources);
    interpret(program, &Group { inputs, resources, pixels: &pixels, mask, max_iterations })
}
