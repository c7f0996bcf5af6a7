//! Scenes drawn by the product: each scene's program, mesh and instances, by an engine under some conditions.

use crate::picture::{Picture, equal};
use crate::reference::Error as ReferenceError;
use crate::scenes::{LimitExceeded, Scalar, Scene};
use lambdav_core::core_text;
use lambdav_core::graph::AttributeRate;
use lambdav_core::interface::{LocationInput, LocationSource};
use lambdav_core::triangles::EntryPoints;
use lambdav_engine::stages::{EmitOptions, Exact, Subnormals};
use lambdav_engine::{Bindings, DataRef, Engine, Error, Shader, Size};
use lambdav_spirv_frontend::{StageOptions, raise_stages};
use std::fmt;
use std::sync::Arc;

/// The conditions of a picture. No bit depends on them.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The form of the program.
    pub form: Form,
    /// The engine.
    pub engine: Engine,
    /// The number of pixels that machine code computes together; 0 for its own choice.
    pub lanes: u32,
    /// The target of machine code; its own choice if there is none.
    pub target: Option<&'static str>,
    /// The number of threads.
    pub threads: usize,
    /// Width and height of a tile.
    pub tile: [u32; 2],
    /// The limit of the rounds of a loop.
    pub max_iterations: u64,
}

/// The form of a scene's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The shader.
    Text,
    /// Raised from its module.
    Raised,
    /// Raised from its exact module, which has no floats of 64 bits.
    RaisedExact,
    /// The shader; the engine `spirv` executes its exact module, with floats of 64 bits.
    Exact,
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { form, engine, lanes, target, threads, tile: [width, height], .. } = self;
        let target = target.unwrap_or("the default target");
        write!(
            f,
            "{form:?} by {engine:?} with {lanes} lanes for {target}, {threads} threads, tiles of {width}x{height}"
        )
    }
}

/// Most iterations of a loop: endless loops are found soon.
const MAX_ITERATIONS: u64 = 100;

impl Conditions {
    /// One thread and small tiles, by this engine.
    pub fn by(engine: Engine) -> Self {
        let (form, max_iterations) = (Form::Text, MAX_ITERATIONS);
        let (lanes, target, threads, tile) = (0, None, 1, [64, 64]);
        Self { form, engine, lanes, target, threads, tile, max_iterations }
    }

    /// The conditions of a scene with that seed. Every engine that evaluates draws small scenes; all draw with
    /// machine code of different kinds.
    pub fn of(seed: u64, scene: &Scene) -> Vec<Self> {
        const LANES: [u32; 6] = [1, 4, 8, 16, 32, 64];
        const TILES: [[u32; 2]; 6] = [[64, 64], [16, 4], [7, 5], [256, 4], [1, 1], [33, 2]];
        const TARGETS: [Option<&str>; 3] = [None, Some("avx2"), Some("baseline")];
        let pick = |of: u64, count: usize| (seed / of % count as u64) as usize;
        let conditions = |engine, lanes, target, number: u64| Self {
            lanes,
            target,
            threads: 1 + (seed + number) as usize % 3,
            tile: TILES[(pick(5, 6) + number as usize) % 6],
            ..Self::by(engine)
        };
        let lanes = LANES[pick(1, 6)];
        let known: Vec<&str> = lambdav_engine::targets().collect();
        let target = TARGETS[pick(6, 3)].filter(|name| known.contains(name) && lanes != 64);
        let mut all =
            vec![conditions(Engine::Simd, lanes, target, 0), conditions(Engine::Fast, 0, None, 1)];
        let is_small = scene.width * scene.height <= 1200;
        if is_small {
            all.push(conditions(Engine::Core, 0, None, 2));
        }
        if is_small && seed.is_multiple_of(8) {
            all.push(conditions(Engine::Source, 0, None, 3));
        }
        if is_small && seed % 4 == 1 {
            all.push(conditions(Engine::Spirv, 0, None, 4));
        }
        if seed % 4 == 2 {
            all.push(Self { form: Form::Raised, ..conditions(Engine::Simd, lanes, target, 5) });
        }
        if is_small && seed % 16 == 7 && scene.limit.is_none() {
            all.push(Self { form: Form::Exact, ..conditions(Engine::Spirv, 0, None, 7) });
        }
        // An exact module evaluates colours before the depth test.
        if seed % 16 == 3 && scene.limit.is_none() {
            all.push(Self { form: Form::RaisedExact, ..conditions(Engine::Fast, 0, None, 6) });
        }
        all
    }
}

/// Compares a scene's picture, or its fault, with the reference.
///
/// # Errors
///
/// The difference.
pub fn check(scene: &Scene, conditions: &Conditions) -> Result<(), String> {
    check_against(scene, &scene.draw(), conditions)
}

/// [`check`], with the reference's picture.
///
/// # Errors
///
/// The difference.
pub fn check_against(
    scene: &Scene,
    wanted: &Result<Picture, ReferenceError<LimitExceeded>>,
    conditions: &Conditions,
) -> Result<(), String> {
    match (wanted, draw(scene, conditions)) {
        (Ok(wanted), Ok(found)) => {
            equal(wanted, &found).map_err(|difference| difference.to_string())
        }
        (Err(wanted), Err(found)) => {
            let found = found.to_string();
            let note = match wanted {
                ReferenceError::Vertex { instance, index, .. } => {
                    format!("vertex {index} of instance {instance}")
                }
                ReferenceError::Fragment { x, y, .. } => format!("pixel ({x}, {y})"),
            };
            let is_limit = found.contains("LV0504");
            match is_limit && found.contains(&note) {
                true => Ok(()),
                false => {
                    Err(format!("the reference stops at {note}, and the engine says\n{found}"))
                }
            }
        }
        (Ok(_), Err(found)) => {
            Err(format!("the engine stops, and the reference does not:\n{found}"))
        }
        // A raised program does not run a loop whose value is known, and may have an answer.
        (Err(_), Ok(_)) if conditions.form != Form::Text => Ok(()),
        (Err(wanted), Ok(_)) => {
            Err(format!("the reference stops, and the engine does not: {wanted}"))
        }
    }
}

/// The picture of a scene.
///
/// # Errors
///
/// As of the engine.
pub fn draw(scene: &Scene, conditions: &Conditions) -> Result<Picture, Error> {
    let shader = Shader::new("scene.lv", &scene.lambda_v())?;
    let shader = in_form(&shader, conditions.form)?;
    let options = conditions.options((0..scene.outputs.len() as u32).collect());
    let pipeline = shader.pipeline(&options)?;
    let mut bindings = pipeline.bindings();
    bind(&shader, scene, &mut bindings)?;
    let size = Size::new(scene.width, scene.height)?;
    conditions.draw(&pipeline, &bindings, size).map(|(picture, _)| picture)
}

/// A program in a form.
///
/// # Panics
///
/// If the module of the program is not raised.
pub(crate) fn in_form(shader: &Shader, form: Form) -> Result<Shader, Error> {
    match form {
        Form::Text | Form::Exact => Ok(shader.clone()),
        Form::Raised => raised(shader, &EmitOptions::default()),
        Form::RaisedExact => raised(shader, &exact(false)),
    }
}

/// Options of exact modules.
pub(crate) fn exact(float64: bool) -> EmitOptions {
    let exact = Exact {
        float64,
        fused: false,
        subnormals: Subnormals::Integers,
        report: None,
        registers: true,
    };
    EmitOptions { exact: Some(exact), ..EmitOptions::default() }
}

/// The program after the round trip through SPIR-V, by way of core text.
///
/// # Panics
///
/// If the module is not raised.
fn raised(shader: &Shader, options: &EmitOptions) -> Result<Shader, Error> {
    let triangles = shader.core().triangles.as_deref().expect("a scene draws triangles");
    let locations: Vec<u32> = shader.core().outputs.iter().map(|output| output.location).collect();
    let module = shader.spirv(&locations, options)?;
    let [vertex, _] = EntryPoints::new(shader.core(), triangles, &locations).interfaces;
    let is_instanced = |of: &&LocationInput| {
        matches!(of.source, Ok(LocationSource::Attribute(AttributeRate::Instance)))
    };
    let instanced = vertex.locations.iter().filter(is_instanced).map(|of| of.location).collect();
    let stages = StageOptions { instanced, state: triangles.state, ..StageOptions::default() };
    let raised = raise_stages("scene.spv", &module.words, &stages);
    let program = raised.program.unwrap_or_else(|error| panic!("it is not raised: {error:?}"));
    let (mut core, _) = program;
    // A module has no defaults of uniforms.
    for uniform in &mut core.uniforms {
        let declared = shader.core().uniforms.iter().find(|of| of.name == uniform.name);
        uniform.default = Arc::clone(&declared.expect("it is declared").default);
    }
    let text = core_text::print(&core, Some(&raised.source)).expect("it nests little");
    Ok(Shader::new("scene.core", &text)?)
}

/// Binds attributes, indices and instances.
pub(crate) fn bind(shader: &Shader, scene: &Scene, bindings: &mut Bindings) -> Result<(), Error> {
    let is_read = |name: &str| shader.attributes().iter().any(|of| of.name == name);
    for attribute in scene.attributes().iter().filter(|of| is_read(&of.name)) {
        let words = &attribute.words;
        let floats: Vec<f32>;
        let ints: Vec<i32>;
        let data = match attribute.scalar {
            Scalar::Num => {
                floats = words.iter().map(|&word| f32::from_bits(word)).collect();
                DataRef::Nums(&floats)
            }
            Scalar::Int => {
                ints = words.iter().map(|&word| word.cast_signed()).collect();
                DataRef::Ints(&ints)
            }
            Scalar::Uint => DataRef::Uints(words),
        };
        bindings.attribute(&attribute.name, data)?;
    }
    bindings.indices(scene.indices()).instances(scene.instances());
    Ok(())
}
