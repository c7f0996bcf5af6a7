//! The results of passes, by all engines, and by the modules for devices.

use crate::case::Case;
use crate::conditions::{Conditions, ENOUGH_ITERATIONS};
use lambdav_core::core_text;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Core, Passes};
use lambdav_core::interface::Stage;
use lambdav_core::passes::{DevicePasses, Form, Places};
use lambdav_core::resource::{Bound, BufferData, element_type};
use lambdav_core::source::SourceFile;
use lambdav_engine::Settings;
use lambdav_engine::engines::{
    DispatchStop, PassEngine, PassesProgram, SourceProgram, bind_results,
};
use lambdav_generate::{
    GenerateOptions, GeneratedProgram, Random, generate_passes, is_refused_for_rounds,
};
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::Target;
use lambdav_spirv_backend::emit::{ComputeEntry, EmitOptions, Exact, Subnormals, emit_computes};
use lambdav_spirv_eval::{Arithmetic, LoadOptions, Module, ModuleEvaluator, Resources, SharedData};

/// The words of all results and counters after the passes, or the fault.
type Outcome = Result<Vec<Vec<u32>>, Fault>;

/// A fault of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    code: DiagnosticCode,
    message: String,
    notes: Vec<String>,
    start: u32,
}

impl Fault {
    fn of(found: Diagnostic) -> Self {
        let start = found.primary.span.start;
        Self { code: found.code, message: found.message, notes: found.notes, start }
    }
}

/// The contribution of a program to a campaign.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassProfile {
    /// A pass has a fault.
    pub has_fault: bool,
    /// A device keeps the order of all writes.
    pub is_ordered: bool,
    /// Some word of a result is not 0.
    pub has_results: bool,
}

/// The program with passes of that number, and its conditions.
pub fn pass_program(seed: u64, number: u64, size: usize) -> (GeneratedProgram, Conditions) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number));
    let options =
        GenerateOptions { size, endless: random.percent(50), ..GenerateOptions::default() };
    let program = generate_passes(random.bits(), options);
    (program, Conditions::random(&mut random))
}

/// Compares all engines on the results of a program's passes.
///
/// # Errors
///
/// The first difference.
pub fn check_passes(
    program: &GeneratedProgram,
    conditions: Conditions,
) -> Result<PassProfile, String> {
    let case = match Case::new(program, conditions) {
        // The compiler may execute rounds that the source evaluator counts.
        Ok(case) if case.saves_rounds() => {
            let max_iterations = ENOUGH_ITERATIONS;
            Case { conditions: Conditions { max_iterations, ..conditions }, ..case }
        }
        Ok(case) => case,
        // Unrolling may be endless where the loop ends.
        Err(refused) if is_refused_for_rounds(&program.to_string(), &refused) => {
            return Ok(PassProfile::default());
        }
        Err(refused) => return Err(format!("refused: {refused:?}")),
    };
    let expected = run(&case.core, &PassEngine::Core, &case)?;
    let target = Target::host().map_err(|error| error.to_string())?;
    let compiler =
        |lanes| PassEngine::Simd(Compiler { lanes, ..Compiler::new(target.clone()) }.into());
    let mut engines = vec![
        ("simd", compiler(None)),
        ("simd, 1 lane", compiler(Some(1))),
        ("simd, 8 lanes", compiler(Some(8))),
        ("spirv", PassEngine::Spirv),
    ];
    let source = SourceProgram::new(&case.source, &case.core.constants, &[]);
    let source = source.map_err(|found| format!("source: {}", found.message))?;
    engines.push(("source", PassEngine::Source(source.into())));
    for (name, engine) in engines {
        let found = run(&case.core, &engine, &case)?;
        let gave_up = |fault: &Fault| fault.code == DiagnosticCode::EvaluatorLimit;
        let is_same = match name {
            // The text has another order of loops for an id.
            "source" => same(&found, &expected),
            _ => found == expected,
        };
        if !is_same && !found.as_ref().is_err_and(gave_up) {
            return Err(format!("{name}: {found:?}\ncore: {expected:?}"));
        }
    }
    let fixed = case.core.with_uniforms_fixed(&case.inputs.uniforms, |_| true);
    let found = run(&fixed, &PassEngine::Core, &case)?;
    if !same(&found, &expected) {
        return Err(format!("uniforms fixed: {found:?}\ncore: {expected:?}"));
    }
    let printed = core_text::print(&case.core, None).map_err(|found| found.message)?;
    let (again, wrong) = core_text::read(&SourceFile::new("core", printed.as_str()));
    let again = again.ok_or_else(|| format!("core text: {wrong:?}\n{printed}"))?;
    // Positions are those in the core text.
    let found = run(&again, &PassEngine::Core, &case)?;
    if !same(&found, &expected) {
        return Err(format!("core text: {found:?}\ncore: {expected:?}"));
    }
    let passes = case.core.passes.as_deref().ok_or("there are no passes")?;
    let is_ordered = passes.passes.iter().all(|pass| pass.disorder(&case.core).is_none());
    if let (true, Ok(expected)) = (is_ordered, &expected) {
        for exact in [None, Some(true), Some(false)] {
            let found = by_device(&case, passes, exact)?;
            if found != *expected {
                return Err(format!("device, {exact:?}: {found:?}\ncore: {expected:?}"));
            }
        }
    }
    let words = expected.iter().flatten().flatten();
    let has_results = words.into_iter().any(|&word| word != 0);
    Ok(PassProfile { has_fault: expected.is_err(), is_ordered, has_results })
}

/// True for the same results, or for the same fault at the same id, wherever it is in the text.
fn same(found: &Outcome, expected: &Outcome) -> bool {
    match (found, expected) {
        (Err(found), Err(expected)) => {
            (found.code, &found.message, &found.notes)
                == (expected.code, &expected.message, &expected.notes)
        }
        _ => found == expected,
    }
}

/// The words of results and counters.
fn words(passes: &Passes, resources: &[Bound]) -> Vec<Vec<u32>> {
    let of = |number: u32| resources[number as usize].words().to_vec();
    let all = passes.results.iter();
    all.flat_map(|result| [Some(result.resource), result.counter]).flatten().map(of).collect()
}

fn run(core: &Core, engine: &PassEngine, case: &Case) -> Result<Outcome, String> {
    let compiled = PassesProgram::new(core, engine).map_err(|error| format!("{error:?}"))?;
    let compiled = compiled.ok_or("there are no passes")?;
    let max_iterations = case.conditions.max_iterations;
    let mut settings = Settings { inputs: case.inputs.clone(), max_iterations };
    let passes = core.passes.as_deref().ok_or("there are no passes")?;
    if let Err(found) = compiled.begin(&mut settings) {
        return Ok(Err(Fault::of(found)));
    }
    match compiled.run(&mut settings, None) {
        Ok(()) => Ok(Ok(words(passes, &settings.inputs.resources))),
        Err(DispatchStop::Program(found)) => Ok(Err(Fault::of(found))),
        Err(other) => Err(format!("{other:?}")),
    }
}

/// The words of results after the entry points of a module, executed as a host of devices does it: of a native module, or of
/// an exact one, with 64-bit floats or without, by a device as inaccurate as Vulkan allows.
fn by_device(case: &Case, passes: &Passes, exact: Option<bool>) -> Result<Vec<Vec<u32>>, String> {
    let arithmetic = match exact {
        None => Arithmetic::default(),
        Some(_) => Arithmetic { flushes: true, rounds_twice: true, is_rough: true },
    };
    let exact = exact.map(|float64| {
        let (subnormals, report, registers) = (Subnormals::Integers, None, float64);
        Exact { float64, fused: false, subnormals, report, registers }
    });
    let options = EmitOptions { exact, ..EmitOptions::default() };
    let core = &case.core;
    let types = core.graph.types();
    let devices = DevicePasses::new(core, passes).map_err(|found| found.message)?;
    let entries = devices.passes.iter().map(|pass| ComputeEntry {
        program: &pass.program,
        interface: &pass.interface,
        workgroup: pass.workgroup,
        is_inside: true,
    });
    let entries: Vec<ComputeEntry<'_>> = entries.collect();
    let emitted = emit_computes(&[], &entries, None, &options);
    let emitted = emitted.map_err(|error| error.to_string())?;
    let mut inputs = case.inputs.clone();
    bind_results(types, &passes.results, &mut inputs.resources).map_err(|found| found.message)?;
    for (entry, pass) in entries.iter().zip(&passes.passes) {
        let options = LoadOptions {
            stage: Stage::Compute,
            entry_point: Some(pass.name.clone()),
            ..LoadOptions::default()
        };
        let module = Module::with_options(&emitted.words, &options);
        let module = module.map_err(|error| format!("{}: {error}", pass.name))?;
        let uniforms = core.uniforms.iter().map(|uniform| uniform.ty);
        let resources = Resources::new(&inputs, types, uniforms);
        // The buffer of each binding; a second binding of a result has its elements, too.
        let number_at = |binding: u32| {
            let bound = &entry.interface.resources;
            let at = |of: &&usize| bound[**of].binding.descriptor() == Some([0, binding]);
            let written = pass.writes.iter().map(|write| write.resource as usize);
            let memory = |result: usize| {
                let name = format!("{} after", types.resources()[result].name);
                let all = devices.types().resources();
                all.iter().position(|of| *of.name == *name).expect("it is written")
            };
            let second = written.clone().find(|&result| at(&&memory(result)));
            second.or_else(|| (0..types.resources().len()).find(|number| at(&number)))
        };
        let numbers: Vec<Option<usize>> =
            module.resources().iter().map(|of| number_at(of.binding)).collect();
        let mut memory: Vec<Vec<u32>> = numbers
            .iter()
            .map(|number| {
                let binding = number.map(|number| number as u32 + 1);
                let all = resources.resources().iter();
                let found = all.clone().find(|(of, _)| Some(*of) == binding);
                match found {
                    Some((_, SharedData::Buffer(words))) => words.to_vec(),
                    _ => Vec::new(),
                }
            })
            .collect();
        // (The dispatch loops of exact modules have many rounds.)
        let limit = case.conditions.max_iterations.max(1 << 22);
        let mut evaluator = ModuleEvaluator::new(&module, &resources, limit);
        evaluator.set_arithmetic(arithmetic);
        // (Generated passes have few ids along each axis.)
        let ran = evaluator.dispatch([1, 1, 1], &mut memory, &|_| false);
        ran.map_err(|error| format!("{}: {error:?}", pass.name))?;
        for result in pass.writes.iter().map(|write| write.resource as usize) {
            let name = format!("{} after", types.resources()[result].name);
            let all = devices.types().resources();
            let number = all.iter().position(|of| *of.name == *name).expect("it is written");
            let binding = entry.interface.resources[number].binding.descriptor();
            let at = module.resources().iter().position(|of| Some([of.set, of.binding]) == binding);
            // A variable that nothing needs is not declared.
            let Some(at) = at else { continue };
            let element = element_type(types, result as u32);
            let places = Places::of(types, element, Form::Device);
            let words = memory[at].chunks(places.stride as usize).flat_map(|element| {
                places.words.iter().map(|&word| element[word as usize]).collect::<Vec<_>>()
            });
            let data = BufferData::new(types, element, words.collect());
            let data = data.map_err(|error| error.to_string())?;
            inputs.resources[result] = Bound::Buffer(data.into());
        }
    }
    Ok(words(passes, &inputs.resources))
}
