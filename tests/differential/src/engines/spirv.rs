//! SPIR-V words, emitted, decoded and evaluated.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::each_output;
use lambdav_spirv_backend::emit::{EmitOptions, FloatControls, Version, emit};
use lambdav_spirv_eval::{Module, ModuleEvaluator, ModuleFault, Resources};

/// Compiles each output to words, decodes the words and executes them.
pub(super) struct Spirv;

impl Engine for Spirv {
    fn name(&self) -> &'static str {
        "spirv"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        // The version changes the words little, so each program takes one version.
        let choice = case.source.text().len();
        let version = Version::all().nth(choice % 7).unwrap_or_default();
        let options = EmitOptions {
            version,
            float_controls: if choice % 2 == 1 {
                FloatControls::ALL
            } else {
                FloatControls::default()
            },
            strip: choice.is_multiple_of(3),
            constants: 0,
            exact: None,
            instrument: None,
        };
        let types = || case.core.uniforms.iter().map(|uniform| uniform.ty);
        let resources = Resources::new(&case.inputs, case.core.graph.types(), types());
        let core = case.core.with_closed_loops_evaluated(case.conditions.max_iterations);
        each_output(case, &core, |schedule, location, components| {
            let emitted =
                emit(&schedule, Some(&case.source), &options).map_err(|error| error.to_string())?;
            let module = Module::new(&emitted.words).map_err(|error| error.to_string())?;
            let limit = case.conditions.max_iterations;
            let mut evaluator = ModuleEvaluator::new(&module, &resources, limit);
            evaluator.set_clear(schedule.clear());
            let mut words = Vec::new();
            for pixel in 0..case.conditions.pixels() {
                match evaluator.run(case.at(pixel).frag_coord, &|| false) {
                    Ok(()) => {
                        let found = evaluator.output(location).unwrap_or_default();
                        words.extend_from_slice(filled(found, components)?);
                    }
                    Err(ModuleFault::LoopLimit { header, .. }) => {
                        let span = emitted.loop_span(header);
                        return Ok(Image::LoopLimit { pixel, span });
                    }
                    Err(fault) => return Err(fault.to_string()),
                }
            }
            Ok(Image::Whole(words))
        })
    }
}

/// The given components of an output. The others must be those of (0, 0, 0, 1).
fn filled(words: &[u32], components: usize) -> Result<&[u32], String> {
    let filler = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    match words.split_at_checked(components) {
        Some((given, rest)) if words.len() == 4 && *rest == filler[components..] => Ok(given),
        _ => Err(format!("an output of {components} components is {words:x?}")),
    }
}
