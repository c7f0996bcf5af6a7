//! Programs, and the two float images of them: the core evaluator's and the device's.

use lambdav_core::diagnostics::{Diagnostic, Diagnostics};
use lambdav_core::evaluate::Evaluator;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::op::Op;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::schedule::{Expr, Program, Statement, schedule};
use lambdav_core::source::SourceFile;
use lambdav_core::texture::{Level, TextureData};
use lambdav_core::types::{Resource, ResourceKind, Scalar, Types};
use lambdav_frontend::{compile, compile_for_samplers};
use lambdav_generate::{GenerateOptions, generate, is_refused_for_rounds, resources};
use lambdav_gpu::{Device, Error, Job, PixelBits, Prepared, forever};
use lambdav_matrix::pictures;
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_eval::{PUSH_CONSTANT_WORDS, Resources};
use rayon::prelude::*;
use std::sync::Arc;

/// A compiled program. Its uniforms have their defaults, its textures some texels, the time is 1.5.
#[derive(Debug)]
pub struct Shader {
    /// Its name, without an ending.
    pub name: String,
    /// Data that is given.
    given: Option<Vec<Bound>>,
    source: SourceFile,
    core: Core,
    /// The same with samples that are the device's, if it is to draw that.
    native: Option<Core>,
}

/// What differs between a device and the reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// How many components were compared.
    pub components: usize,
    /// How many of them differ in a bit.
    pub differing: usize,
    /// The first of these, in words.
    pub first: Option<String>,
    /// Where any differ, how many do when the picture is read again, drawn again, and made again from the start: a device
    /// that is sound says the same.
    pub again: [usize; 3],
    /// How many pixels met a subnormal number, if the module says so.
    pub met: usize,
}

/// One output of a shader, which is an image.
#[derive(Debug)]
pub struct Output<'s> {
    shader: &'s Shader,
    program: Program,
    /// The same with closed loops evaluated, of which modules are emitted.
    emitted: Program,
    /// What the device draws, if that is another.
    native: Option<Program>,
}

impl Shader {
    /// Compiles a text that is known to be sound.
    ///
    /// # Panics
    ///
    /// Where it is not.
    pub fn new(name: &str, text: &str) -> Self {
        Self::compiled(name, text).unwrap_or_else(|diagnostics| panic!("{name}: {diagnostics:?}"))
    }

    /// The same of a text that may be refused.
    ///
    /// # Errors
    ///
    /// Why it is.
    pub fn compiled(name: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(name, text);
        let (core, diagnostics) = compile(&source);
        let core = core.ok_or(diagnostics)?;
        Ok(Self { name: name.into(), given: None, source, core, native: None })
    }

    /// The same where the device takes samples of textures by its samplers.
    ///
    /// # Panics
    ///
    /// Where the text is not sound.
    #[must_use]
    pub fn sampled_natively(self) -> Self {
        let kept = compile_for_samplers(&self.source, limits::ERRORS, &mut |_, _| None, false);
        Self { native: Some(kept.core.expect("the text is sound")), ..self }
    }

    /// The same with this data for its textures and buffers, in the order of their declarations.
    #[must_use]
    pub fn with_resources(self, of: impl FnOnce(&Types) -> Vec<Bound>) -> Self {
        let given = Some(of(self.core.graph.types()));
        Self { given, ..self }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The generated program of that seed and size; none where it is refused for the rounds of its loops, as a few are.
    ///
    /// # Panics
    ///
    /// If it is refused for anything else.
    pub fn generated(seed: u64, size: usize) -> Option<Self> {
        Self::generated_with(seed, size, true)
    }

    /// The same, with divisors that are zero, subnormal, infinite or NaN, or without.
    ///
    /// # Panics
    ///
    /// As [`Shader::generated`].
    pub fn generated_with(seed: u64, size: usize, special_divisors: bool) -> Option<Self> {
        let options = GenerateOptions { size, endless: false, special_divisors };
        let text = generate(seed, options).to_string();
        let refused = |diagnostics: Diagnostics| {
            let all: Vec<Diagnostic> = diagnostics.into_iter().collect();
            assert!(is_refused_for_rounds(&text, &all), "{all:?}");
        };
        Self::compiled("generated", &text).map_err(refused).ok()
    }

    /// All shaders of the gallery, by name, with the data that they bind.
    pub fn gallery() -> Vec<Self> {
        pictures::gallery().iter().map(Self::pictured).collect()
    }

    /// All shaders of the gallery and of the benchmark, with the data that they bind.
    pub fn all() -> Vec<Self> {
        pictures::all().iter().map(Self::pictured).collect()
    }

    fn pictured(of: &pictures::Shader) -> Self {
        let shader = Self::new(&of.name, of.loaded.source.text());
        shader.with_resources(|_| of.resources.clone())
    }

    /// Compares all outputs at once, bit by bit, of a module that is emitted with these options, on a device
    /// and by the core's evaluator.
    ///
    /// # Errors
    ///
    /// As of [`Device::prepare`] and [`Prepared::draw`].
    ///
    /// # Panics
    ///
    /// If the program cannot be scheduled, or a loop of it does not end.
    pub fn compare(
        &self,
        device: &Device,
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<Comparison, Error> {
        let locations: Vec<u32> = self.core.outputs.iter().map(|output| output.location).collect();
        let program = schedule(&self.core, &locations).expect("it can be scheduled");
        let evaluated = self.core.with_closed_loops_evaluated(limits::ITERATIONS);
        let emitted = schedule(&evaluated, &locations).expect("it can be scheduled");
        self.compare_outputs(&program, &emitted, device, size, options)
    }

    /// The same of the outputs of a program that is scheduled for some, of which the module is emitted with closed loops
    /// evaluated.
    fn compare_outputs(
        &self,
        program: &Program,
        emitted: &Program,
        device: &Device,
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<Comparison, Error> {
        let report = options.exact.and_then(|exact| exact.report);
        let outputs: Vec<u32> = program.locations.iter().copied().chain(report).collect();
        let (mut prepared, _) = self.prepare(emitted, device, &outputs, size, options)?;
        prepared.draw(&forever)?;
        let wanted = self.by_core(program, size);
        let compare = |prepared: &mut Prepared| -> Result<Comparison, Error> {
            let mut comparison = Comparison::default();
            for (&location, wanted) in program.locations.iter().zip(&wanted) {
                let found = prepared.read(location, &forever)?;
                let both = wanted.as_flattened().iter().zip(found.as_flattened()).enumerate();
                comparison.components += both.len();
                for (index, (wanted, found)) in both.filter(|(_, (wanted, found))| wanted != found)
                {
                    let (pixel, component) = (index as u32 / 4, index % 4);
                    let [x, y] = [pixel % size[0], pixel / size[0]];
                    comparison.first.get_or_insert_with(|| {
                        format!("({x}, {y}).{component} of output {location} is {found:#010x}, not {wanted:#010x}")
                    });
                    comparison.differing += 1;
                }
            }
            Ok(comparison)
        };
        let mut comparison = compare(&mut prepared)?;
        if comparison.differing > 0 {
            let read = compare(&mut prepared)?.differing;
            prepared.draw(&forever)?;
            let drawn = compare(&mut prepared)?.differing;
            let (mut made, _) = self.prepare(emitted, device, &outputs, size, options)?;
            made.draw(&forever)?;
            comparison.again = [read, drawn, compare(&mut made)?.differing];
        }
        if let Some(report) = report {
            let met = prepared.read(report, &forever)?;
            comparison.met = met.iter().filter(|pixel| pixel[0] != 0).count();
        }
        Ok(comparison)
    }

    /// What draws these outputs of a program, and its push constants.
    fn prepare(
        &self,
        program: &Program,
        device: &Device,
        outputs: &[u32],
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<(Prepared, [u32; PUSH_CONSTANT_WORDS]), Error> {
        let module = emit(program, Some(&self.source), options)
            .map_err(|error| Error::Module(error.to_string()))?;
        let types = program.uniforms.iter().map(|uniform| uniform.ty);
        let resources = Resources::new(&self.inputs(size), &program.types, types);
        let job = Job::new(&module.words, outputs, size).with(&resources);
        let job = Job { clear: program.clear(), ..job };
        Ok((device.prepare(&job, &forever)?, *resources.push_constants()))
    }

    /// The core evaluator's images of the outputs of a program, filled from (0, 0, 0, 1).
    fn by_core(&self, program: &Program, size: [u32; 2]) -> Vec<PixelBits> {
        let inputs = self.inputs(size);
        let row = |y: u32| {
            let mut evaluator = Evaluator::new(program, limits::ITERATIONS);
            let mut row = vec![PixelBits::new(); program.locations.len()];
            for x in 0..size[0] {
                let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
                let inputs = Inputs { frag_coord, ..inputs.clone() };
                evaluator.run(&inputs, &|| false).expect("its loops end");
                for (output, pixels) in row.iter_mut().enumerate() {
                    let mut pixel = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
                    let words = evaluator.output(output);
                    pixel[..words.len()].copy_from_slice(words);
                    pixels.push(pixel);
                }
            }
            row
        };
        let rows: Vec<Vec<PixelBits>> = (0..size[1]).into_par_iter().map(row).collect();
        let image =
            |output: usize| rows.iter().flat_map(|row| row[output].iter().copied()).collect();
        (0..program.locations.len()).map(image).collect()
    }

    /// Its outputs, in order of declaration.
    ///
    /// # Panics
    ///
    /// Where the program cannot be scheduled, which no shader of the gallery is.
    pub fn outputs(&self) -> impl Iterator<Item = Output<'_>> {
        let evaluated = self.core.with_closed_loops_evaluated(limits::ITERATIONS);
        self.core.outputs.iter().map(move |output| {
            let scheduled =
                |core: &Core| schedule(core, &[output.location]).expect("it can be scheduled");
            let (program, emitted) = (scheduled(&self.core), scheduled(&evaluated));
            let native = self.native.as_ref().map(scheduled);
            Output { shader: self, program, emitted, native }
        })
    }

    /// Data for its textures and buffers: ordinary numbers, since devices may flush subnormals, and are free
    /// with NaN and with the signs of zeros.
    fn resources(&self) -> Vec<Bound> {
        if let Some(given) = &self.given {
            return given.clone();
        }
        let types = self.core.graph.types();
        let ordinary = |x: f32| if x.is_normal() { x } else { 0.375 };
        let data = |(bound, resource): (Bound, &Arc<Resource>)| match (bound, resource.kind) {
            (Bound::Texture(data), ResourceKind::Texture(options)) => {
                let Level { width, height, .. } = data.levels()[0];
                let first = &data.texels()[..(width * height) as usize];
                let texels = first.iter().map(|texel| texel.map(ordinary));
                let made = TextureData::new([width, height], texels, options.mipmaps);
                Bound::Texture(made.expect("there is one of that size").into())
            }
            (Bound::Buffer(data), ResourceKind::Buffer(element)) => {
                let scalars: Vec<Scalar> = types.scalars(element).collect();
                let word = |(&word, scalar): (&u32, &Scalar)| match scalar {
                    Scalar::F32 => ordinary(f32::from_bits(word)).to_bits(),
                    _ => word,
                };
                let words = data.words().iter().zip(scalars.iter().cycle()).map(word);
                let made = BufferData::new(types, element, words.collect());
                Bound::Buffer(made.expect("there is one of that length").into())
            }
            _ => unreachable!("it is what is declared"),
        };
        resources(types).into_iter().zip(types.resources()).map(data).collect()
    }

    /// The inputs of all pixels of an image of that size, but for their positions.
    fn inputs(&self, [width, height]: [u32; 2]) -> Inputs {
        Inputs {
            resolution: [width as f32, height as f32],
            time: 1.5,
            uniforms: self.core.uniforms.iter().map(|uniform| uniform.default.clone()).collect(),
            resources: self.resources(),
            ..Inputs::default()
        }
    }
}

impl Output<'_> {
    /// Its location.
    pub fn location(&self) -> u32 {
        self.program.locations[0]
    }

    /// Whether the program calls elementary functions, or `fma`, which SPIR-V does not demand to be
    /// rounded once: then devices may differ.
    pub fn has_elementary(&self) -> bool {
        let statements = self.program.blocks.iter().flat_map(|block| &block.statements);
        statements.into_iter().any(|statement| {
            let Statement::Let { expr: Expr::Op(op, _), .. } = statement else { return false };
            matches!(op, Op::Elementary(_) | Op::Fma)
        })
    }

    /// The core evaluator's image of that size, filled from (0, 0, 0, 1).
    ///
    /// # Panics
    ///
    /// If a loop does not end.
    pub fn by_core(&self, size: [u32; 2]) -> PixelBits {
        self.shader.by_core(&self.program, size).remove(0)
    }

    /// The device's.
    ///
    /// # Errors
    ///
    /// As of [`Device::prepare`] and [`Prepared::draw`].
    pub fn by_device(&self, device: &Device, size: [u32; 2]) -> Result<PixelBits, Error> {
        let (mut prepared, _) = self.prepare(device, size, &EmitOptions::default())?;
        prepared.draw(&forever)?;
        prepared.read(self.location(), &forever)
    }

    /// What draws it any number of times, in a module that is emitted with these options, and its push constants.
    ///
    /// # Errors
    ///
    /// As of [`Device::prepare`].
    pub fn prepare(
        &self,
        device: &Device,
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<(Prepared, [u32; PUSH_CONSTANT_WORDS]), Error> {
        let program = self.native.as_ref().unwrap_or(&self.emitted);
        self.shader.prepare(program, device, &[self.location()], size, options)
    }

    /// Compares it, as [`Shader::compare`] does all outputs.
    ///
    /// # Errors
    ///
    /// As of [`Shader::compare`].
    ///
    /// # Panics
    ///
    /// If a loop does not end.
    pub fn compare(
        &self,
        device: &Device,
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<Comparison, Error> {
        self.shader.compare_outputs(&self.program, &self.emitted, device, size, options)
    }
}
