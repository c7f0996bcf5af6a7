//! Programs, and their values by both evaluators.

use lambdav_core::diagnostics::{Diagnostic, Diagnostics};
use lambdav_core::evaluate;
use lambdav_core::float::canonical;
use lambdav_core::graph::Core;
use lambdav_core::inputs::{Inputs, frag_coord};
use lambdav_core::resource::Bound;
use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::{SourceFile, Span};
use lambdav_frontend::compile;
use lambdav_generate::suite::{self, Case, hide_literals, read_cases};
use lambdav_generate::{GenerateOptions, generate, is_refused_for_rounds, resources};
use lambdav_matrix::pictures;
use lambdav_spirv_backend::emit as emit_program;
use lambdav_spirv_backend::emit::{self, EmittedModule};
use lambdav_spirv_eval as eval;
use lambdav_test_support::files_below;
use std::path::Path;
use std::sync::Arc;

/// A compiled program.
pub(crate) struct Shader {
    pub(crate) source: SourceFile,
    pub(crate) core: Core,
    /// The values of its uniforms.
    pub(crate) uniforms: Vec<Arc<[u32]>>,
    /// The data of its textures and buffers.
    pub(crate) resources: Vec<Bound>,
}

impl Shader {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Self::compiled(name, text)
            .unwrap_or_else(|diagnostics| panic!("{name}: {diagnostics:?}\n{text}"))
    }

    /// A generated program, or nothing if an `@` in it unrolls too much.
    pub(crate) fn generated(name: &str, text: &str) -> Option<Self> {
        match Self::compiled(name, text) {
            Ok(shader) => Some(shader),
            Err(diagnostics) => {
                let all: Vec<Diagnostic> = diagnostics.into_iter().collect();
                assert!(is_refused_for_rounds(text, &all), "{name}: {all:?}\n{text}");
                None
            }
        }
    }

    fn compiled(name: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(name, text);
        let (core, diagnostics) = compile(&source);
        let core = core.ok_or(diagnostics)?;
        let uniforms = core.uniforms.iter().map(|uniform| uniform.default.clone()).collect();
        let resources = resources(core.graph.types());
        Ok(Self { source, core, uniforms, resources })
    }

    pub(crate) fn locations(&self) -> Vec<u32> {
        self.core.outputs.iter().map(|output| output.location).collect()
    }

    pub(crate) fn scheduled(&self, locations: &[u32]) -> Program {
        schedule(&self.core, locations).expect("it can be scheduled")
    }

    /// All outputs, emitted with lines.
    pub(crate) fn emitted(&self, options: &emit::EmitOptions) -> EmittedModule {
        let program = self.scheduled(&self.locations());
        emit_program(&program, Some(&self.source), options).expect("it can be said in SPIR-V")
    }

    /// The text of the module.
    pub(crate) fn text(&self) -> String {
        let module = self.emitted(&emit::EmitOptions::default());
        lambdav_spirv::disassemble(&module.words).expect("it is a module")
    }

    /// The inputs of some pixels of an image of 23×11.
    pub(crate) fn pixels(&self, count: usize) -> impl Iterator<Item = Inputs> {
        let pixels = (0..23 * 11).step_by((23 * 11 / count).max(1)).map(|i| (i % 23, i / 23));
        pixels.map(move |(x, y)| Inputs {
            frag_coord: frag_coord(x, y),
            resolution: [23.0, 11.0],
            time: 1.25,
            frame: 2.0,
            mouse: [3.5, 2.0, 1.0, -1.0],
            uniforms: self.uniforms.clone(),
            resources: self.resources.clone(),
        })
    }
}

/// All shaders of the gallery.
pub(crate) fn gallery() -> Vec<Shader> {
    let shader = |of: &pictures::Shader| {
        let shader = Shader::new(&of.name, of.loaded.source.text());
        Shader { resources: of.resources.clone(), ..shader }
    };
    pictures::gallery().iter().map(shader).collect()
}

/// The programs that the conformance suite accepts, with uniforms in place of numbers where possible.
pub(crate) fn conformance() -> Vec<Shader> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/language");
    let mut shaders = Vec::new();
    for path in files_below(&folder, &["lv"]) {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let cases = read_cases(&text).expect("it holds programs");
        let accepted = |case: &&Case| !matches!(case.verdict, suite::ExpectedVerdict::Rejected(_));
        shaders.extend(cases.iter().filter(accepted).map(|case| {
            let name = format!("{}: {}", path.display(), case.title);
            let source = SourceFile::new(&*name, &*case.program);
            let hidden = hide_literals(&source);
            Shader::new(&name, hidden.as_ref().unwrap_or(&case.program))
        }));
    }
    assert!(shaders.len() >= 1000, "{}", shaders.len());
    shaders
}

/// Number of generated programs: 300, or the environment's `PROGRAMS`.
pub(crate) fn programs() -> u64 {
    std::env::var("PROGRAMS").map_or(300, |text| text.parse().expect("PROGRAMS is a number"))
}

/// Generated programs of these seeds, except those in which an `@` unrolls too much.
pub(crate) fn generated(seeds: std::ops::Range<u64>) -> impl Iterator<Item = Shader> {
    seeds.filter_map(|seed| {
        let options = GenerateOptions {
            size: 20 + (seed as usize * 7) % 160,
            endless: seed % 2 == 0,
            special_divisors: true,
        };
        let program = generate(seed, options);
        let text = program.to_string();
        let mut shader = Shader::generated(&format!("seed-{seed}.lv"), &text)?;
        for (name, words) in &program.settings {
            let uniforms = &shader.core.uniforms;
            if let Some(index) = uniforms.iter().position(|uniform| uniform.name == *name) {
                shader.uniforms[index] = words.clone().into();
            }
        }
        Some(shader)
    })
}

/// The value of a pixel: the words of the outputs, padded, or the loop that exceeds the limit. All NaNs
/// are equal.
pub(crate) type PixelOutcome = Result<Vec<[u32; 4]>, Span>;

fn filled(words: &[u32]) -> [u32; 4] {
    let mut pixel = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    pixel[..words.len()].copy_from_slice(words);
    pixel.map(canonical)
}

/// Evaluates with the core's evaluator.
pub(crate) fn by_core(program: &Program, pixels: &[Inputs], limit: u64) -> Vec<PixelOutcome> {
    let mut evaluator = evaluate::Evaluator::new(program, limit);
    let pixel = |inputs: &Inputs| match evaluator.run(inputs, &|| false) {
        Ok(()) => {
            let outputs = 0..program.locations.len();
            Ok(outputs.map(|i| filled(evaluator.output(i))).collect())
        }
        Err(evaluate::EvaluationFault::LoopLimit(span)) => Err(span),
        Err(evaluate::EvaluationFault::Cancelled) => unreachable!("nobody cancels it"),
    };
    pixels.iter().map(pixel).collect()
}

/// Evaluates with eval_S.
pub(crate) fn by_words(
    program: &Program,
    module: &EmittedModule,
    pixels: &[Inputs],
    limit: u64,
) -> Vec<PixelOutcome> {
    by_words_of(program, module, pixels, limit, eval::Arithmetic::default())
}

/// Evaluates with eval_S on a device with that arithmetic.
pub(crate) fn by_words_of(
    program: &Program,
    module: &EmittedModule,
    pixels: &[Inputs],
    limit: u64,
    arithmetic: eval::Arithmetic,
) -> Vec<PixelOutcome> {
    let loaded = eval::Module::new(&module.words).expect("it can be evaluated");
    let types = program.uniforms.iter().map(|uniform| uniform.ty);
    let resources = eval::Resources::new(&pixels[0], &program.types, types);
    let mut evaluator = eval::ModuleEvaluator::new(&loaded, &resources, limit);
    evaluator.set_clear(program.clear());
    evaluator.set_arithmetic(arithmetic);
    let pixel = |inputs: &Inputs| match evaluator.run(inputs.frag_coord, &|| false) {
        Ok(()) => {
            let output = |&at: &u32| filled(evaluator.output(at).expect("there is such an output"));
            Ok(program.locations.iter().map(output).collect())
        }
        // Exact modules have further loops.
        Err(eval::ModuleFault::LoopLimit { header, position }) => match module.loop_span(header) {
            Some(span) => {
                assert!(position.is_some(), "loops have lines");
                Err(span)
            }
            None => Err(Span::default()),
        },
        Err(fault) => panic!("{fault}"),
    };
    pixels.iter().map(pixel).collect()
}
