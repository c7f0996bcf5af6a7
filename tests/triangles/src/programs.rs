//! Generated programs that draw triangles: the core evaluator beside the other engines.
//!
//! Expressions are arbitrary here, so no reference rasterizer draws them. The source evaluator shares no
//! interpolation with the core.

use crate::engines::{Conditions, Form, exact, in_form};
use crate::picture::{Picture, equal};
use lambdav_core::graph::AttributeRate;
use lambdav_core::resource::Bound;
use lambdav_core::types::Scalar;
use lambdav_engine::{
    Bindings, DataRef, Drawn, Engine, Error, Frame, Options, RenderOptions, Shader, Size,
};
use lambdav_generate::{GenerateOptions, generate_triangles, resources};
use lambdav_test_support::Random;
use lambdav_workers::thread_pool;
use std::num::NonZeroUsize;

/// A generated program with its data.
#[derive(Debug)]
pub struct Program {
    seed: u64,
    text: String,
    shader: Shader,
    size: Size,
}

impl Program {
    /// The program of a seed; `None` if the compiler refuses it, as happens where loops unroll too far.
    ///
    /// # Panics
    ///
    /// If the picture has no pixels.
    pub fn random(seed: u64) -> Option<Self> {
        let random = &mut Random::new(seed);
        let options = GenerateOptions {
            size: random.between(8, 60),
            endless: random.percent(40),
            special_divisors: true,
        };
        let [width, height] = [0, 1].map(|_| random.between(3, 17) as u32);
        let size = Size::new(width, height).expect("it has pixels");
        Self::of(seed, size, generate_triangles(seed, options).to_string())
    }

    fn of(seed: u64, size: Size, text: String) -> Option<Self> {
        let shader = Shader::new("program.lv", &text).ok()?;
        Some(Self { seed, text, shader, size })
    }

    /// Another text with the same size and data, to reduce a difference; `None` if the compiler refuses it.
    pub fn with_text(&self, text: String) -> Option<Self> {
        Self::of(self.seed, self.size, text)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Compares the engines with the core evaluator. Returns the number of pictures.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn check(&self) -> Result<usize, String> {
        let core = Conditions { max_iterations: 1 << 16, ..Conditions::by(Engine::Core) };
        let wanted = self.draw(&core);
        let mut all = Conditions::of_program(self.seed);
        if wanted.is_err() {
            all.retain(|of| !matches!(of.form, Form::Exact | Form::RaisedExact));
        }
        for conditions in &all {
            let found = self.draw(conditions);
            let difference = match (&wanted, &found) {
                (Ok(wanted), Ok(found)) => equal(wanted, found).err().map(|of| of.to_string()),
                (Err(wanted), Err(found)) => self.other_fault(wanted, found, conditions),
                // A raised program does not run a loop whose value is known, and may have an answer.
                (Err(_), Ok(_)) if conditions.form != Form::Text => None,
                (Err(wanted), Ok(_)) => Some(format!("only the core evaluator stops: {wanted}")),
                (Ok(_), Err(found)) => Some(format!("the core evaluator does not stop: {found}")),
            };
            if let Some(difference) = difference {
                return Err(format!("program {}, {conditions}: {difference}", self.seed));
            }
        }
        Ok(all.len())
    }

    /// The difference between two faults.
    fn other_fault(
        &self,
        wanted: &Error,
        found: &Error,
        conditions: &Conditions,
    ) -> Option<String> {
        let [wanted, found] = [wanted, found].map(Error::to_string);
        let is_limit = [&wanted, &found].iter().all(|text| text.contains("LV0504"));
        let is_equal = match conditions.form {
            Form::Text | Form::Exact => wanted == found,
            // The place of a raised loop is in core text.
            Form::Raised | Form::RaisedExact => is_limit,
        };
        (!is_equal).then(|| format!("another fault: {found}\ninstead of: {wanted}"))
    }

    /// The picture under some conditions.
    ///
    /// # Errors
    ///
    /// As of the engine.
    pub fn draw(&self, conditions: &Conditions) -> Result<Picture, Error> {
        self.draw_with(conditions, false).map(|(picture, _)| picture)
    }

    /// Compares the pictures and the reports of undefined behaviour of the engines with those of the core evaluator. Returns
    /// the number of lines.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn check_reports(&self) -> Result<usize, String> {
        let core = Conditions { max_iterations: 1 << 16, ..Conditions::by(Engine::Core) };
        let Ok(plain) = self.draw(&core) else { return Ok(0) };
        let mut lines = None;
        let all = Conditions::of_program(self.seed).into_iter().filter(|of| of.form == Form::Text);
        for conditions in std::iter::once(core).chain(all) {
            let differs = |why: String| format!("program {}, {conditions}: {why}", self.seed);
            let (picture, drawn) =
                self.draw_with(&conditions, true).map_err(|error| differs(error.to_string()))?;
            equal(&plain, &picture).map_err(|difference| differs(difference.to_string()))?;
            let found = (drawn.undefined, drawn.undefined_pixels);
            match &lines {
                None => lines = Some(found),
                Some(wanted) if *wanted == found => {}
                Some(wanted) => return Err(differs(format!("{found:#?} and not {wanted:#?}"))),
            }
        }
        Ok(lines.map_or(0, |(lines, _)| lines.len()))
    }

    fn draw_with(&self, conditions: &Conditions, reports: bool) -> Result<(Picture, Drawn), Error> {
        let shader = in_form(&self.shader, conditions.form)?;
        let options = conditions.options(shader.outputs().to_vec()).report_undefined(reports);
        let pipeline = shader.pipeline(&options)?;
        let mut bindings = pipeline.bindings();
        self.bind(&shader, &mut bindings)?;
        conditions.draw(&pipeline, &bindings, self.size)
    }

    /// Binds random attributes, textures and buffers. The name of each decides its data.
    fn bind(&self, shader: &Shader, bindings: &mut Bindings) -> Result<(), Error> {
        let mut random = Random::new(self.seed ^ 0x5eed);
        let (vertices, instances) = (3 * random.between(1, 4), random.between(1, 2));
        for attribute in shader.attributes() {
            let hash = attribute.name.bytes().fold(self.seed, |h, byte| h * 31 + u64::from(byte));
            let random = &mut Random::new(hash);
            let count = match attribute.rate {
                AttributeRate::Vertex => vertices,
                AttributeRate::Instance => instances,
            };
            let words = count * attribute.ty.width().map_or(16, usize::from);
            let small = |random: &mut Random| random.below(65) as f32 / 16.0 - 2.0;
            match attribute.ty.scalar() {
                Some(Scalar::I32) => {
                    let all: Vec<i32> = (0..words).map(|_| random.below(9) as i32 - 4).collect();
                    bindings.attribute(&attribute.name, DataRef::Ints(&all))?;
                }
                Some(Scalar::U32) => {
                    let all: Vec<u32> = (0..words).map(|_| random.below(9) as u32).collect();
                    bindings.attribute(&attribute.name, DataRef::Uints(&all))?;
                }
                _ if attribute.name == "corner" => {
                    let corner = |random: &mut Random| {
                        let [x, y, z] = [0, 1, 2].map(|_| small(random));
                        [x, y, 0.3 + 0.2 * z, 1.5 + 0.5 * small(random)]
                    };
                    let all: Vec<f32> = (0..count).flat_map(|_| corner(random)).collect();
                    bindings.attribute(&attribute.name, DataRef::Nums(&all))?;
                }
                _ => {
                    let all: Vec<f32> = (0..words).map(|_| small(random)).collect();
                    bindings.attribute(&attribute.name, DataRef::Nums(&all))?;
                }
            }
        }
        let indices: Vec<u32> = (0..vertices as u32).collect();
        bindings.indices(indices).instances(instances as u32);
        // A raised program has those resources that it uses, with options of its own.
        let types = self.shader.core().graph.types();
        let data: Vec<(&str, Bound)> =
            types.resources().iter().map(|of| &*of.name).zip(resources(types)).collect();
        let named = |name: &str| {
            let found = data.iter().find(|(of, _)| *of == name);
            found.map_or(Bound::Nothing, |(_, data)| data.clone())
        };
        let wanted = shader.core().graph.types().resources();
        bindings.set_resources(wanted.iter().map(|of| named(&of.name)).collect());
        Ok(())
    }
}

impl Conditions {
    /// The conditions of a generated program.
    fn of_program(seed: u64) -> Vec<Self> {
        let mut random = Random::new(seed);
        let mut conditions = |form, engine, lanes| Self {
            form,
            lanes,
            threads: random.between(1, 2),
            // The library of exact modules loops, too.
            max_iterations: 1 << 16,
            tile: *random.pick(&[[64, 64], [5, 3], [16, 4]]),
            ..Self::by(engine)
        };
        let lanes = [1, 4, 8, 16, 32][(seed % 5) as usize];
        let mut all = vec![
            conditions(Form::Text, Engine::Fast, 0),
            conditions(Form::Text, Engine::Simd, lanes),
            conditions(Form::Text, Engine::Spirv, 0),
            conditions(Form::Raised, Engine::Core, 0),
        ];
        if seed.is_multiple_of(4) {
            all.push(conditions(Form::Text, Engine::Source, 0));
        }
        if seed % 4 == 1 {
            all.push(conditions(Form::RaisedExact, Engine::Core, 0));
        }
        if seed % 4 == 2 {
            all.push(conditions(Form::Exact, Engine::Spirv, 0));
        }
        all
    }

    /// The options of the engine, for these outputs.
    pub(crate) fn options(&self, outputs: Vec<u32>) -> Options {
        let options = Options::default()
            .engine(self.engine.clone())
            .outputs(outputs)
            .max_iterations(self.max_iterations);
        let options = if self.lanes > 0 { options.lanes(self.lanes) } else { options };
        let options = if self.form == Form::Exact { options.module(exact(true)) } else { options };
        match self.target {
            Some(target) => options.target(target),
            None => options,
        }
    }

    /// Draws all outputs, in order of their locations, and depths; with the report, if there is one.
    pub(crate) fn draw(
        &self,
        pipeline: &lambdav_engine::Pipeline,
        bindings: &Bindings,
        size: Size,
    ) -> Result<(Picture, Drawn), Error> {
        let outputs = pipeline.outputs().len();
        let mut frames: Vec<Frame> =
            (0..outputs).map(|_| Frame::from_fn(size, |_, _| [0.0; 4])).collect();
        let mut depths = vec![0.0; size.pixels()];
        let [width, height] = self.tile;
        let options = RenderOptions { tile: Size::new(width, height)?, ..RenderOptions::default() };
        let threads = NonZeroUsize::new(self.threads).expect("at least one");
        let pool = thread_pool(threads).expect("threads can be started");
        let targets = frames.iter_mut().map(Into::into).collect();
        let drawn =
            pool.install(|| pipeline.render_with_depth(bindings, targets, &mut depths, &options))?;
        // Forms differ in the order of declarations.
        let mut attachments: Vec<(u32, Vec<[f32; 4]>)> = (pipeline.outputs().iter().copied())
            .zip(frames.iter().map(|frame| frame.samples().as_chunks().0.to_vec()))
            .collect();
        attachments.sort_by_key(|&(location, _)| location);
        let attachments = attachments.into_iter().map(|(_, pixels)| pixels).collect();
        Ok((Picture::new(size.width(), size.height(), attachments, Some(depths)), drawn))
    }
}
