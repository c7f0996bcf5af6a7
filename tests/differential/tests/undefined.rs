//! Reports of undefined behaviour: machine code and the core evaluator meet the same sites, those of the probes that are
//! evaluated; the evaluation of the text by substitution, which knows no probes, applies the same builtins to such operands.
//! The picture is that without reports.

use lambdav_core::evaluate::{Evaluated, Evaluator, Observer};
use lambdav_core::graph::Core;
use lambdav_core::inputs::frag_coord;
use lambdav_core::op::Op;
use lambdav_core::schedule::probes::is_hit;
use lambdav_core::schedule::{Program, schedule, schedule_probed, schedule_reported};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type};
use lambdav_engine::Settings;
use lambdav_engine::engines::{CoreEngine, SimdEngine};
use lambdav_frontend::reduction::{self, Limits, SourceEvent, SourceProgram};
use lambdav_frontend::{compile, compile_reporting, syntax};
use lambdav_generate::{GenerateOptions, generate, resources};
use lambdav_image::{Frame, Size};
use lambdav_raster::{Attachment, Kernel, RenderOptions, Surface, render_attachments};
use lambdav_spirv_backend::emit::{EmitOptions, Exact, Instrument, Subnormals, emit};
use lambdav_spirv_eval::{LoadOptions, Module, ModuleEvaluator, Resources};
use lambdav_test_support::in_parallel;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of programs. More: `UNDEFINED_PROGRAMS=5000 cargo test --release -p lambdav-differential --test undefined`.
const PROGRAMS: u64 = 120;
/// Odd numbers of columns and rows.
const SIZE: (u32, u32) = (13, 3);

/// The sites that an evaluation meets.
#[derive(Default)]
struct Met(BTreeSet<u32>);

impl Observer for Met {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        if let (Op::Probe(number), [1]) = (evaluated.op, evaluated.result) {
            self.0.insert(number);
        }
    }
}

/// Sites of builtins: the application, and the words of the condition.
type Places = BTreeSet<(Span, String, String)>;

/// The conditions that hold in an evaluation of the text.
struct TextMet<'a> {
    places: Places,
    /// Whether a predicate holds for operands, by its text.
    known: &'a mut HashMap<String, bool>,
}

impl reduction::Observer for TextMet<'_> {
    fn open(&mut self) -> u32 {
        1
    }

    fn event(&mut self, _: u32, event: SourceEvent) {
        let SourceEvent::Operation { builtin, at, operands } = event else { return };
        let types: Vec<Type> = operands.iter().map(|(ty, _)| *ty).collect();
        for condition in builtin.undefined(&types) {
            let operands: String =
                operands.iter().map(|(ty, words)| format!(" {}", literal(*ty, words))).collect();
            let text = format!("(output 0 (if ({}{operands}) 1 0))", condition.predicate);
            let holds = *self.known.entry(text).or_insert_with_key(|text| {
                let (core, found) = compile(&SourceFile::new("condition.lv", &**text));
                let core = core.unwrap_or_else(|| panic!("{found:?}\n{text}"));
                let words = core.graph.constant_words(core.outputs[0].node);
                words.expect("it is folded") != [0]
            });
            if holds {
                self.places.insert((at, builtin.name().into_owned(), condition.words.to_owned()));
            }
        }
    }
}

/// A value in λV.
fn literal(ty: Type, words: &[u32]) -> String {
    let scalars = words.iter().map(|&word| match ty.scalar() {
        Some(Scalar::I32) => format!("{}i", word as i32),
        Some(Scalar::U32) => format!("{word}u"),
        Some(Scalar::Bool) => (word != 0).to_string(),
        _ => match f32::from_bits(word) {
            number if number.is_nan() => "(/ 0 0)".to_owned(),
            number if number.is_infinite() => {
                format!("(/ {} 0)", if number > 0.0 { 1 } else { -1 })
            }
            number => format!("{number:?}"),
        },
    });
    let scalars: Vec<String> = scalars.collect();
    match scalars.len() {
        1 => scalars.concat(),
        _ => format!("({} {})", ty.name().expect("it is a vector or matrix"), scalars.join(" ")),
    }
}

/// Operations on aggregates, which an observer of the text does not see.
const OF_AGGREGATES: [&str; 4] = ["at", "update", "texel", "output"];

/// The attachments of a kernel.
fn drawn(kernel: &impl Kernel, size: Size) -> Vec<Frame> {
    let blank = || Frame::zeros(size).expect("it is small");
    let mut frames: Vec<Frame> = (0..kernel.attachments()).map(|_| blank()).collect();
    let stride = 4 * size.width() as usize;
    let targets = frames.iter_mut().map(|frame| {
        let surface = Surface::new(frame.samples_mut(), size, stride);
        Attachment::Float(surface.expect("it fits"))
    });
    render_attachments(kernel, targets.collect(), &RenderOptions::default()).expect("it ends");
    frames
}

/// Compares all engines at one output of a program. Returns the number of sites, and of those that some pixel meets.
fn compare(core: &Core, location: u32, text: &str) -> Option<(usize, usize)> {
    let source = syntax::parse(&SourceFile::new("generated.lv", text)).0;
    let source = SourceProgram::new(&source).ok()?;
    let mut known = HashMap::new();
    let size = Size::new(SIZE.0, SIZE.1).expect("a small size");
    let mut settings = Settings::new(core, size);
    settings.inputs.resources = resources(core.graph.types());
    let [plain, probed, reported] =
        [schedule, schedule_probed, schedule_reported].map(|make| make(core, &[location]).ok());
    let (plain, probed, reported) = (plain?, probed?, reported?);
    let limit = settings.max_iterations;
    let mut evaluators = [&plain, &reported].map(|program| Evaluator::new(program, limit));
    let mut observed = Evaluator::new(&probed, limit);
    let others = reported.outputs().len() - 1;
    // For each site the first pixel and the number of pixels.
    let mut all: BTreeMap<u32, [u32; 2]> = BTreeMap::new();
    for y in 0..size.height() {
        for x in 0..size.width() {
            let inputs = settings.inputs.at(x, y);
            let mut met = Met::default();
            for evaluator in &mut evaluators {
                evaluator.run(&inputs, &|| false).ok()?;
            }
            observed.run_observed(&inputs, &|| false, &mut met).ok()?;
            let [plain, reported] = &evaluators;
            assert_eq!(plain.output(0), reported.output(0), "({x}, {y}): a report changes\n{text}");
            assert_eq!(plain.output(0), observed.output(0), "({x}, {y}): a probe changes\n{text}");
            let pixel = |k: usize| -> [f32; 4] {
                std::array::from_fn(|c| f32::from_bits(reported.output(1 + k)[c]))
            };
            let found = (0..core.sites.len() as u32).filter(|&site| is_hit(site, pixel));
            let found: BTreeSet<u32> = found.collect();
            assert_eq!(found, met.0, "({x}, {y}): {:?}\n{text}", core.sites);
            let mut by_text = TextMet { places: Places::new(), known: &mut known };
            let limits = Limits { max_iterations: limit, ..Limits::default() };
            if source.run_observed(location, &inputs, limits, &|| false, &mut by_text).is_ok() {
                let sites = found.iter().map(|&site| &core.sites[site as usize]);
                let sites = sites.filter(|site| !OF_AGGREGATES.contains(&&*site.operation));
                let sites =
                    sites.map(|of| (of.span, of.operation.clone(), of.condition.to_owned()));
                let (found, mut expected) = (sites.collect::<Places>(), by_text.places);
                // Defaults are of no pixel. Each form has a line.
                expected.retain(|(at, ..)| {
                    let line = text[..at.start as usize].rfind('\n').map_or(0, |end| end + 1);
                    !["(constant ", "(uniform "].iter().any(|form| text[line..].starts_with(form))
                });
                // What constants decide under an `@` is of no pixel.
                let of_no_pixel = core.met.0.keys().map(|&site| &core.sites[site as usize]);
                let of_no_pixel: Places = of_no_pixel
                    .map(|of| (of.span, of.operation.clone(), of.condition.to_owned()))
                    .filter(|_| text.contains("(@"))
                    .collect();
                let is_equal = found.is_subset(&expected)
                    && expected.difference(&found).all(|of| of_no_pixel.contains(of));
                assert!(is_equal, "({x}, {y}): {found:?} and {expected:?}\n{text}");
            }
            for site in found {
                all.entry(site).or_insert([y << 16 | x, 0])[1] += 1;
            }
        }
    }
    let engine = CoreEngine::new(core, location, &settings).ok()?;
    let picture = drawn(&engine, size);
    for lanes in [1, 4, 8, 16] {
        let Ok(engine) = SimdEngine::new(core, location, &settings, Some(lanes)) else { continue };
        let found = drawn(&engine, size);
        assert_eq!(found.len(), 1 + others);
        for (index, (found, expected)) in found.iter().zip(&picture).enumerate() {
            let words = |frame: &Frame| -> Vec<u32> {
                frame.samples().iter().map(|sample| sample.to_bits()).collect()
            };
            assert_eq!(words(found), words(expected), "{lanes} lanes, attachment {index}\n{text}");
        }
    }
    instrumented(core, &reported, &settings, None, &all, text);
    // Exact modules have thousands of instructions.
    if core.sites.len() < 3 {
        instrumented(core, &reported, &settings, Some(EXACT), &all, text);
    }
    Some((core.sites.len(), all.len()))
}

/// An exact module of a device with all features.
const EXACT: Exact = Exact {
    float64: true,
    fused: true,
    subnormals: Subnormals::Integers,
    report: None,
    registers: false,
};

/// Evaluates an instrumented module for all pixels, and compares its buffer.
fn instrumented(
    core: &Core,
    reported: &Program,
    settings: &Settings,
    exact: Option<Exact>,
    expected: &BTreeMap<u32, [u32; 2]>,
    text: &str,
) {
    let sites = core.sites.len();
    let [first, binding] =
        [reported.locations[0] + 1, core.graph.types().resources().len() as u32 + 1];
    let changed = [0, binding];
    let instrument = Instrument { binding: changed, first, sites: sites as u32 };
    let options = EmitOptions { exact, instrument: Some(instrument), ..EmitOptions::default() };
    let Ok(emitted) = emit(reported, None, &options) else { return };
    let load = LoadOptions { changed: Some(changed), ..LoadOptions::default() };
    let module = Module::with_options(&emitted.words, &load);
    let module = module.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let types = core.uniforms.iter().map(|uniform| uniform.ty);
    let resources = Resources::new(&settings.inputs, core.graph.types(), types);
    let mut evaluator = ModuleEvaluator::new(&module, &resources, settings.max_iterations);
    let mut buffer = [u32::MAX, 0].repeat(sites);
    for y in 0..SIZE.1 {
        for x in 0..SIZE.0 {
            let ran = evaluator.run_on(&mut buffer, frag_coord(x, y), &|| false);
            ran.unwrap_or_else(|fault| panic!("({x}, {y}): {fault}\n{text}"));
        }
    }
    for (site, found) in (0..).zip(buffer.as_chunks::<2>().0) {
        let wanted = expected.get(&site).copied().unwrap_or([u32::MAX, 0]);
        assert_eq!(*found, wanted, "{exact:?}: {:?}\n{text}", core.sites[site as usize]);
    }
}

/// Compares all outputs of a generated program. Returns for each the number of sites, and of those that some pixel meets.
fn compare_all(seed: u64) -> Vec<(usize, usize)> {
    let options =
        GenerateOptions { size: 60, endless: seed.is_multiple_of(2), special_divisors: true };
    let text: String =
        generate(seed, options).forms.iter().map(|form| format!("{form}\n")).collect();
    let source = SourceFile::new("generated.lv", &*text);
    let (Some(core), _) = compile_reporting(&source, &mut |_, _| None) else { return Vec::new() };
    if core.triangles.is_some() || core.passes.is_some() {
        return Vec::new();
    }
    let outputs = core.outputs.iter();
    outputs.filter_map(|output| compare(&core, output.location, &text)).collect()
}

/// The sites of generated programs.
#[test]
fn engines_meet_the_same_sites() {
    let programs = std::env::var("UNDEFINED_PROGRAMS").ok().and_then(|count| count.parse().ok());
    let programs = programs.unwrap_or(PROGRAMS);
    let [compared, sites, met] = [0, 0, 0].map(AtomicU64::new);
    in_parallel(0..programs, |seed| {
        for (of_core, of_picture) in compare_all(seed) {
            compared.fetch_add(1, Ordering::Relaxed);
            sites.fetch_add(of_core as u64, Ordering::Relaxed);
            met.fetch_add(of_picture as u64, Ordering::Relaxed);
        }
    });
    let [compared, sites, met] = [compared, sites, met].map(AtomicU64::into_inner);
    println!("{compared} outputs, {sites} sites, {met} of them met");
    assert!(compared > programs / 2 && met > programs, "{compared} outputs, {met} sites met");
    #[cfg(feature = "mutants")]
    mutants_are_found();
}

/// Mutants act on the whole process, so they follow the test without them.
#[cfg(feature = "mutants")]
fn mutants_are_found() {
    use lambdav_core::mutants::{Mutant, activate};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    for mutant in Mutant::OF_REPORTS {
        activate(Some(mutant));
        let differs = |seed: &u64| catch_unwind(AssertUnwindSafe(|| compare_all(*seed))).is_err();
        let found = (0..PROGRAMS).find(differs);
        activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
