//! The engines that the conformance suite compares.

use lambdav_frontend::core::Core;
use lambdav_frontend::diagnostics::Diagnostic;
use lambdav_frontend::evaluate::core::Evaluator;
use lambdav_frontend::evaluate::{Fault, Inputs, loop_limit_diagnostic};
use lambdav_frontend::schedule::schedule;
use lambdav_frontend::source::SourceFile;

/// A program that was accepted.
pub struct Accepted<'a> {
    /// Its text.
    pub source: &'a SourceFile,
    /// Its core.
    pub core: &'a Core,
}

/// The words of each output by location, for one pixel. `inputs` has no uniforms: they keep their
/// defaults.
pub type Engine = fn(&Accepted<'_>, &Inputs, u64) -> Result<Vec<(u32, Vec<u32>)>, Diagnostic>;

/// All engines by name. This is the place to add one.
pub const ENGINES: &[(&str, Engine)] = &[("core", core)];

fn core(
    program: &Accepted<'_>,
    inputs: &Inputs,
    max_iterations: u64,
) -> Result<Vec<(u32, Vec<u32>)>, Diagnostic> {
    let locations: Vec<u32> = program.core.outputs.iter().map(|o| o.location).collect();
    let scheduled = schedule(program.core, &locations)?;
    let mut evaluator = Evaluator::new(&scheduled, max_iterations);
    let uniforms = program.core.uniforms.iter().map(|u| u.default.clone()).collect();
    let inputs = Inputs { uniforms, ..inputs.clone() };
    match evaluator.run(&inputs, &|| false) {
        Ok(()) => {
            let outputs = scheduled.locations.iter().enumerate();
            Ok(outputs.map(|(i, &at)| (at, evaluator.output(i).to_vec())).collect())
        }
        Err(Fault::LoopLimit(span)) => Err(loop_limit_diagnostic(span, max_iterations)),
        Err(Fault::Cancelled) => unreachable!("nobody cancels it"),
    }
}
