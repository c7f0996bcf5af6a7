//! Programs and their float images by the core evaluator and by a device.

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

/// A compiled program. Its uniforms have their defaults, its textures have fixed texels, and the time is 1.5.
#[derive(Debug)]
pub struct Shader {
    /// The program's name, without extension.
    pub name: String,
    /// Data for textures and buffers, if it was given.
    given: Option<Vec<Bound>>,
    source: SourceFile,
    core: Core,
    /// The program with samples left to the device, if the device is to draw that.
    native: Option<Core>,
}

/// Differences between a device and the reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of compared components.
    pub components: usize,
    /// Number of components that differ in a bit.
    pub differing: usize,
    /// A description of the first difference.
    pub first: Option<String>,
    /// Numbers of differences when the picture is read again, drawn again, and prepared again, if there was
    /// any difference. A sound device gives the same number each time.
    pub again: [usize; 3],
    /// Number of pixels that met a subnormal number, if the module reports them.
    pub met: usize,
}

/// One output of a shader.
#[derive(Debug)]
pub struct Output<'s> {
    shader: &'s Shader,
    program: Program,
    /// The same with closed loops evaluated; modules are emitted from this.
    emitted: Program,
    /// The program that the device draws, if it is another one.
    native: Option<Program>,
}

impl Shader {
    /// Compiles a valid text.
    ///
    /// # Panics
    ///
    /// If the text is refused.
    pub fn new(name: &str, text: &str) -> Self {
        Self::compiled(name, text).unwrap_or_else(|diagnostics| panic!("{name}: {diagnostics:?}"))
    }

    /// Compiles a text that may be refused.
    ///
    /// # Errors
    ///
    /// The diagnostics of a refused text.
    pub fn compiled(name: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(name, text);
        let (core, diagnostics) = compile(&source);
        let core = core.ok_or(diagnostics)?;
        Ok(Self { name: name.into(), given: None, source, core, native: None })
    }

    /// The shader with samples of textures left to the device's samplers.
    ///
    /// # Panics
    ///
    /// If the text is refused.
    #[must_use]
    pub fn sampled_natively(self) -> Self {
        let kept = compile_for_samplers(&self.source, limits::ERRORS, &mut |_, _| None, false);
        Self { native: Some(kept.core.expect("the text is sound")), ..self }
    }

    /// The shader with this data for its textures and buffers, in the order of their declarations.
    #[must_use]
    pub fn with_resources(self, of: impl FnOnce(&Types) -> Vec<Bound>) -> Self {
        let given = Some(of(self.core.graph.types()));
        Self { given, ..self }
    }

    /// The program's text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The generated program of that seed and size; `None` if its loops unroll too far, as happens for a few
    /// seeds.
    ///
    /// # Panics
    ///
    /// If it is refused for another reason.
    pub fn generated(seed: u64, size: usize) -> Option<Self> {
        Self::generated_with(seed, size, true)
    }

    /// A generated program, with or without divisors that are zero, subnormal, infinite or NaN.
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

    /// Compares all outputs of the program, bit by bit, between a device and the core evaluator. The module
    /// is emitted with these options.
    ///
    /// # Errors
    ///
    /// The errors of [`Device::prepare`] and [`Prepared::draw`].
    ///
    /// # Panics
    ///
    /// If the program cannot be scheduled, or has an endless loop.
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

    /// Compares the outputs of a scheduled program. `emitted` is the same program with closed loops
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

    /// The prepared drawing of these outputs, and its push constants.
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

    /// The core evaluator's images of a program's outputs. Missing components are those of (0, 0, 0, 1).
    fn by_core(&self, program: &Program, size: [u32; 2]) -> Vec<PixelBits> {
        let inputs = self.inputs(size);
        let row = |y: u32| {
            let mut evaluator = Evaluator::new(program, limits::ITERATIONS);
            let mut row = vec![PixelBits::new(); program.locations.len()];
            for x in 0..size[0] {
                evaluator.run(&inputs.at(x, y), &|| false).expect("its loops end");
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

    /// The program's outputs, in order of declaration.
    ///
    /// # Panics
    ///
    /// If the program cannot be scheduled. All shaders of the gallery can.
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

    /// Data for textures and buffers: normal numbers and 0.375, since devices may flush subnormals, and treat
    /// NaN and signs of zeros freely.
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

    /// The inputs of all pixels of an image of that size, except their coordinates.
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
    /// The output's location.
    pub fn location(&self) -> u32 {
        self.program.locations[0]
    }

    /// True if the program calls elementary functions or `fma`. Devices may differ there: SPIR-V does not
    /// demand that `fma` rounds once.
    pub fn has_elementary(&self) -> bool {
        let statements = self.program.blocks.iter().flat_map(|block| &block.statements);
        statements.into_iter().any(|statement| {
            let Statement::Let { expr: Expr::Op(op, _), .. } = statement else { return false };
            matches!(op, Op::Elementary(_) | Op::Fma)
        })
    }

    /// The core evaluator's image of that size. Missing components are those of (0, 0, 0, 1).
    ///
    /// # Panics
    ///
    /// If a loop is endless.
    pub fn by_core(&self, size: [u32; 2]) -> PixelBits {
        self.shader.by_core(&self.program, size).remove(0)
    }

    /// The device's image.
    ///
    /// # Errors
    ///
    /// The errors of [`Device::prepare`] and [`Prepared::draw`].
    pub fn by_device(&self, device: &Device, size: [u32; 2]) -> Result<PixelBits, Error> {
        let (mut prepared, _) = self.prepare(device, size, &EmitOptions::default())?;
        prepared.draw(&forever)?;
        prepared.read(self.location(), &forever)
    }

    /// The prepared drawing of this output, which can be repeated, and its push constants. The module is
    /// emitted with these options.
    ///
    /// # Errors
    ///
    /// The errors of [`Device::prepare`].
    pub fn prepare(
        &self,
        device: &Device,
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<(Prepared, [u32; PUSH_CONSTANT_WORDS]), Error> {
        let program = self.native.as_ref().unwrap_or(&self.emitted);
        self.shader.prepare(program, device, &[self.location()], size, options)
    }

    /// Compares the output, as [`Shader::compare`] does for all outputs.
    ///
    /// # Errors
    ///
    /// The errors of [`Shader::compare`].
    ///
    /// # Panics
    ///
    /// If a loop is endless.
    pub fn compare(
        &self,
        device: &Device,
        size: [u32; 2],
        options: &EmitOptions,
    ) -> Result<Comparison, Error> {
        self.shader.compare_outputs(&self.program, &self.emitted, device, size, options)
    }
}
