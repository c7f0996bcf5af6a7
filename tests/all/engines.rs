//! The engines that the conformance suite compares.

use lambdav_core::core_text;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{EvaluationFault, Evaluator, loop_limit_diagnostic};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_engine::Settings;
use lambdav_engine::engines::{DispatchStop, PassEngine, PassesProgram};
use lambdav_frontend::reduction::{self, Limits, PassFault, SourceFault};
use lambdav_frontend::syntax::parse;
use lambdav_image::Size;
use lambdav_raster::{self as raster, Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::emit::Target;
use lambdav_simd_backend::{Compiler, SimdKernel};
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_eval as eval;

/// An accepted program.
pub(crate) struct Accepted<'a> {
    /// Its text.
    pub(crate) source: &'a SourceFile,
    /// Its core.
    pub(crate) core: &'a Core,
    /// The locations of the requested outputs.
    pub(crate) locations: Vec<u32>,
}

/// The words of each output by location.
pub(crate) type Outputs = Vec<(u32, Vec<u32>)>;

/// The reason why an engine computed no outputs.
pub(crate) enum Stop {
    /// The diagnostic for the user.
    Diagnostic(Box<Diagnostic>),
    /// A loop exceeds its limit, at a place in the source that the engine does not know.
    LoopLimit,
    /// The engine gave up or failed.
    Other(String),
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic(Box::new(diagnostic))
    }
}

/// Computes the requested outputs of one pixel. `inputs` has no uniforms, so uniforms have their defaults.
/// The number is the iteration limit.
pub(crate) type EvaluateFunction = fn(&Accepted<'_>, &Inputs, u64) -> Result<Outputs, Stop>;

/// All engines by name. New engines are added here.
pub(crate) const ENGINES: &[(&str, EvaluateFunction)] = &[
    ("core", core),
    ("core alone", alone),
    ("core, uniforms fixed", fixed),
    ("core, closed loops evaluated", evaluated),
    ("core text", printed_core),
    ("source", literal),
    ("spirv", spirv),
    ("simd, 1 lane", |p, i, m| machine_code(p, i, m, 1)),
    ("simd, 8 lanes", |p, i, m| machine_code(p, i, m, 8)),
];

fn core(program: &Accepted<'_>, inputs: &Inputs, max_iterations: u64) -> Result<Outputs, Stop> {
    evaluate(program.core, &program.locations, inputs, max_iterations)
}

/// The inputs after the passes of a program, which `engine` runs.
fn after_passes(
    core: &Core,
    engine: &PassEngine,
    inputs: Inputs,
    max_iterations: u64,
) -> Result<Inputs, Stop> {
    let passes = PassesProgram::new(core, engine);
    let passes = passes.map_err(|error| Stop::Other(format!("{error:?}")))?;
    let Some(passes) = passes else { return Ok(inputs) };
    let mut settings = Settings { inputs, max_iterations };
    passes.begin(&mut settings)?;
    match passes.run(&mut settings, None) {
        Ok(()) => Ok(settings.inputs),
        Err(DispatchStop::Program(found)) => Err(found.into()),
        Err(other) => Err(Stop::Other(format!("{other:?}"))),
    }
}

/// Schedules each output alone.
fn alone(program: &Accepted<'_>, inputs: &Inputs, max_iterations: u64) -> Result<Outputs, Stop> {
    let mut outputs = Outputs::new();
    for &location in &program.locations {
        outputs.extend(evaluate(program.core, &[location], inputs, max_iterations)?);
    }
    Ok(outputs)
}

/// The program specialised to the defaults of its uniforms.
fn fixed(program: &Accepted<'_>, inputs: &Inputs, max_iterations: u64) -> Result<Outputs, Stop> {
    let defaults = program.core.uniforms.iter().map(|uniform| uniform.default.clone());
    let core = program.core.with_uniforms_fixed(&defaults.collect::<Vec<_>>(), |_| true);
    evaluate(&core, &program.locations, inputs, max_iterations)
}

/// The program with closed loops evaluated, from which modules are emitted.
fn evaluated(
    program: &Accepted<'_>,
    inputs: &Inputs,
    max_iterations: u64,
) -> Result<Outputs, Stop> {
    let core = program.core.with_closed_loops_evaluated(max_iterations);
    evaluate(&core, &program.locations, inputs, max_iterations)
}

/// Prints the core, reads it and prints it again, which must give the same text. Then evaluates it.
fn printed_core(
    program: &Accepted<'_>,
    inputs: &Inputs,
    max_iterations: u64,
) -> Result<Outputs, Stop> {
    let text = core_text::print(program.core, Some(program.source))?;
    let (core, diagnostics) = core_text::read(&SourceFile::new("core", text.as_str()));
    let core = core.ok_or_else(|| Stop::Other(format!("not read: {diagnostics:?}\n{text}")))?;
    let bare = core_text::print(program.core, None)?;
    let again = core_text::print(&core, None)?;
    if again != bare {
        return Err(Stop::Other(format!("printed\n{bare}\nand then\n{again}")));
    }
    evaluate(&core, &program.locations, inputs, max_iterations).map_err(|stop| match stop {
        // The diagnostic's positions refer to the core text.
        Stop::Diagnostic(_) => Stop::LoopLimit,
        other => other,
    })
}

fn evaluate(
    core: &Core,
    locations: &[u32],
    inputs: &Inputs,
    max_iterations: u64,
) -> Result<Outputs, Stop> {
    let scheduled = schedule(core, locations)?;
    let mut evaluator = Evaluator::new(&scheduled, max_iterations);
    let uniforms = core.uniforms.iter().map(|u| u.default.clone()).collect();
    let inputs = Inputs { uniforms, ..inputs.clone() };
    let inputs = after_passes(core, &PassEngine::Core, inputs, max_iterations)?;
    match evaluator.run(&inputs, &|| false) {
        Ok(()) => {
            let outputs = scheduled.locations.iter().enumerate();
            Ok(outputs.map(|(i, &at)| (at, evaluator.output(i).to_vec())).collect())
        }
        Err(fault) => Err(explain(fault, max_iterations)),
    }
}

/// The source evaluator, which substitutes in the syntax tree.
fn literal(program: &Accepted<'_>, inputs: &Inputs, max_iterations: u64) -> Result<Outputs, Stop> {
    let explain = |fault| match fault {
        SourceFault::Pixel(fault) => explain(fault, max_iterations),
        other => Stop::Other(format!("{other:?}")),
    };
    let (tree, _) = parse(program.source);
    let literal = reduction::SourceProgram::new(&tree).map_err(explain)?;
    let (limits, never) = (Limits { max_iterations, ..Limits::default() }, || false);
    let uniforms = literal.uniform_defaults(Limits::default(), &never).map_err(explain)?;
    let mut inputs = Inputs { uniforms, ..inputs.clone() };
    let ran = literal.run_passes(&mut inputs, limits, &never);
    ran.map_err(|fault| match fault {
        PassFault::Value { fault, .. } => explain(fault),
        PassFault::Program(found) => Stop::from(*found),
    })?;
    let declared: Vec<u32> = literal.locations().collect();
    if declared != program.core.outputs.iter().map(|o| o.location).collect::<Vec<_>>() {
        return Err(Stop::Other(format!("its outputs are {declared:?}")));
    }
    program
        .locations
        .iter()
        .map(|&at| Ok((at, literal.run(at, &inputs, limits, &never).map_err(explain)?.into_vec())))
        .collect()
}

/// The SPIR-V module with all outputs.
fn spirv(program: &Accepted<'_>, inputs: &Inputs, max_iterations: u64) -> Result<Outputs, Stop> {
    let other = |what: String| Stop::Other(what);
    let scheduled = schedule(program.core, &program.locations)?;
    let emitted = emit(&scheduled, Some(program.source), &EmitOptions::default())
        .map_err(|error| other(error.to_string()))?;
    let module = eval::Module::new(&emitted.words).map_err(|error| other(error.to_string()))?;
    let uniforms = program.core.uniforms.iter();
    let inputs = Inputs {
        uniforms: uniforms.clone().map(|u| u.default.clone()).collect(),
        ..inputs.clone()
    };
    let inputs = after_passes(program.core, &PassEngine::Spirv, inputs, max_iterations)?;
    let resources = eval::Resources::new(&inputs, &scheduled.types, uniforms.map(|u| u.ty));
    let mut evaluator = eval::ModuleEvaluator::new(&module, &resources, max_iterations);
    evaluator.set_clear(scheduled.clear());
    match evaluator.run(inputs.frag_coord, &|| false) {
        Ok(()) => {}
        Err(eval::ModuleFault::LoopLimit { header, position }) => {
            let span = emitted.loop_span(header).ok_or_else(|| other("no such loop".into()))?;
            let at = program.source.line_column(span.start);
            if position.map(|p| (p.line, p.column)) != Some((at.line, at.column)) {
                return Err(other(format!("the module says that the loop is at {position:?}")));
            }
            return Err(loop_limit_diagnostic(span, max_iterations).into());
        }
        Err(fault) => return Err(other(fault.to_string())),
    }
    let outputs = scheduled.outputs().iter().zip(&scheduled.locations);
    outputs
        .map(|(&value, &at)| {
            let found = evaluator.output(at).ok_or_else(|| other(format!("no output {at}")))?;
            Ok((at, found[..scheduled.types.components(scheduled.ty(value))].to_vec()))
        })
        .collect()
}

/// Machine code of each output, for a tile of one pixel.
fn machine_code(
    program: &Accepted<'_>,
    inputs: &Inputs,
    max_iterations: u64,
    lanes: u32,
) -> Result<Outputs, Stop> {
    let other = |error: &dyn std::fmt::Display| Stop::Other(error.to_string());
    let uniforms = program.core.uniforms.iter().map(|u| u.default.clone()).collect();
    let inputs = Inputs { uniforms, ..inputs.clone() };
    let target = Target::host().map_err(|error| other(&error))?;
    let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
    let engine = PassEngine::Simd(compiler.into());
    let inputs = after_passes(program.core, &engine, inputs, max_iterations)?;
    let [width, height] = inputs.resolution.map(|side| side as u32);
    let size = Size::new(width, height).map_err(|e| other(&e))?;
    let [x, y] = [0, 1].map(|k| inputs.frag_coord[k] as u32);
    let tile = Tile { x, y, width: 1, height: 1 };
    let mut outputs = Outputs::new();
    for &location in &program.locations {
        let scheduled = schedule(program.core, &[location])?;
        let components = scheduled.types.components(scheduled.ty(scheduled.outputs()[0]));
        let kernel = match SimdKernel::new(scheduled, Some(lanes), &inputs, max_iterations) {
            Ok(kernel) => kernel,
            // The command draws such a program with the core evaluator.
            Err(error) if error.is_limit() => {
                outputs.extend(evaluate(program.core, &[location], &inputs, max_iterations)?);
                continue;
            }
            Err(error) => return Err(other(&error)),
        };
        let mut samples = [0.0; 4];
        let mut pixels = TileBuffer::new(tile, &mut samples);
        match kernel.tile(tile, &mut pixels, &Cancel::never(size)) {
            Ok(()) => {
                let words = samples[..components].iter().map(|c| c.to_bits()).collect();
                outputs.push((location, words));
            }
            Err(raster::Stop::Fault(fault)) => {
                return Err(loop_limit_diagnostic(kernel.site(fault.site), max_iterations).into());
            }
            Err(raster::Stop::Cancelled) => unreachable!("it is never cancelled"),
        }
    }
    Ok(outputs)
}

fn explain(fault: EvaluationFault, max_iterations: u64) -> Stop {
    match fault {
        EvaluationFault::LoopLimit(span) => loop_limit_diagnostic(span, max_iterations).into(),
        EvaluationFault::Cancelled => unreachable!("it is never cancelled"),
    }
}
