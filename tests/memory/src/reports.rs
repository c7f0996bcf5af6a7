//! Reports of undefined behaviour: machine code against the core evaluator.

use crate::compare::ITERATIONS;
use crate::generate;
use crate::program::Program;
use crate::wgsl;
use lambdav_engine::{DataRef, DispatchOptions, Engine, Options, Shader, ShaderOptions};

/// The least number of invocations for which kernels check the order.
const CHECKED: u64 = 1 << 14;

/// The words of all buffers, and the lines of the report; or the error.
type Outcome = Result<(Vec<Option<Vec<u32>>>, Vec<String>), String>;

/// Compares the reports of a random program, whose text is changed as the seed says, and of a larger dispatch of some programs.
/// Returns the number of lines.
///
/// # Errors
///
/// The first difference.
pub fn compare_reports(seed: u64) -> Result<usize, String> {
    let program = generate(seed);
    let Some(text) = wgsl::print_changed(&program, seed) else { return Ok(0) };
    let shader = Shader::with_options("program.wgsl", &text, &ShaderOptions::default().compute());
    let shader = shader.map_err(|error| format!("{text}: {error}"))?;
    let invocations: u64 =
        program.groups.iter().chain(&program.workgroup).map(|&of| u64::from(of)).product();
    let [x, y, z] = program.groups;
    let many = CHECKED.div_ceil(invocations) as u32;
    let larger = seed.is_multiple_of(4).then_some([x * many, y, z]);
    let mut lines = 0;
    for groups in [program.groups].into_iter().chain(larger) {
        let expected = outcome(&shader, &program, groups, &Options::default().engine(Engine::Core));
        for lanes in [1, 4, 16] {
            let options = Options::default().engine(Engine::Simd).lanes(lanes);
            let found = outcome(&shader, &program, groups, &options);
            if found != expected {
                return Err(format!(
                    "{lanes} lanes, {groups:?} workgroups: {found:#?}, and the evaluator has {expected:#?}\n{text}"
                ));
            }
        }
        lines += expected.map_or(0, |(_, report)| report.len());
    }
    Ok(lines)
}

fn outcome(shader: &Shader, program: &Program, groups: [u32; 3], options: &Options) -> Outcome {
    let options = options.clone().report_undefined(true).max_iterations(ITERATIONS);
    let pipeline = shader.compute_pipeline(&options).map_err(|error| error.to_string())?;
    let mut bindings = pipeline.bindings();
    let names: Vec<String> = (0..program.memories.len()).map(|of| format!("m{of}")).collect();
    let is_known = |name: &str| shader.resources().iter().any(|of| *of.name == *name);
    for (name, memory) in names.iter().zip(&program.memories) {
        if memory.is_of_workgroup || !is_known(name) {
            continue;
        }
        let bytes: Vec<u8> = memory.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bindings.bind(name, DataRef::Bytes(&bytes)).map_err(|error| error.to_string())?;
    }
    let ran = pipeline.dispatch_with(&mut bindings, groups, &DispatchOptions::default());
    let ran = ran.map_err(|error| error.to_string())?;
    let words = names.iter().map(|name| bindings.words(name).map(<[u32]>::to_vec)).collect();
    Ok((words, ran.undefined.iter().map(ToString::to_string).collect()))
}
