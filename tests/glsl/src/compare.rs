//! Comparison of engines with the evaluator, bit by bit.

use crate::compiler::{CompileError, Compiler};
use crate::evaluate::{Origin, history, picture};
use crate::history::History;
use crate::print::print;
use crate::program::{Program, Scalar, Structure, Type, Variable};
use lambdav_core::float::canonical;
use lambdav_core::limits;
use lambdav_engine::{Engine, Options, Shader, Size};
use lambdav_trace::{ItemKind, Trace, Value};
use std::time::Duration;
use thiserror::Error;

/// Width and height of pictures.
pub const SIZE: u32 = 8;

/// Reasons why a program is not equal on both sides.
#[derive(Debug, Error)]
pub enum Mismatch {
    /// The evaluator found a mistake of the generator.
    #[error("the evaluator stops: {0}")]
    Evaluator(String),
    /// The text was not compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The engine did not draw.
    #[error("{engine:?} does not draw: {message}")]
    Engine {
        /// The engine.
        engine: Engine,
        /// Its message.
        message: String,
    },
    /// The program exceeds a limit of the engine, which is no difference.
    #[error("{engine:?} reaches a limit: {message}")]
    Limit {
        /// The engine.
        engine: Engine,
        /// Its message.
        message: String,
    },
    /// A pixel is not traced.
    #[error("pixel ({x}, {y}) is not traced: {message}")]
    Untraced {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        /// The message.
        message: String,
    },
    /// A traced value differs from the pixel.
    #[error("pixel ({x}, {y}): {what} is {found:08x?}, not {expected:08x?}")]
    Trace {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        /// The traced value.
        what: &'static str,
        /// The evaluator's words.
        expected: [u32; 4],
        /// The traced words.
        found: Vec<u32>,
    },
    /// A report of undefined behaviour differs.
    #[error("{engine:?}: {message}")]
    Report {
        /// The engine.
        engine: Engine,
        /// The difference.
        message: String,
    },
    /// A trace differs from the evaluator's history.
    #[error("pixel ({x}, {y}): the trace differs: {what}")]
    History {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        /// The difference.
        what: String,
    },
    /// A component differs.
    #[error("{engine:?}, pixel ({x}, {y}), component {component}: {found:#010x} ({}), not {expected:#010x} ({})",
        f32::from_bits(*.found), f32::from_bits(*.expected))]
    Value {
        /// The engine.
        engine: Engine,
        /// The column.
        x: u32,
        /// The row.
        y: u32,
        /// The component of the colour.
        component: usize,
        /// The evaluator's word.
        expected: u32,
        /// The engine's word.
        found: u32,
    },
}

impl Mismatch {
    /// The kind of mismatch, which a reduced program keeps.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Evaluator(_) => "evaluator",
            Self::Compile(CompileError::Refused(_)) => "refused",
            Self::Compile(_) => "not raised",
            Self::Engine { message, .. } if message.starts_with("panic") => "panic",
            Self::Engine { .. } => "engine",
            Self::Limit { .. } => "limit",
            Self::Untraced { .. } => "untraced",
            Self::Trace { .. } => "trace",
            Self::Report { .. } => "report",
            Self::History { .. } => "history",
            Self::Value { .. } => "value",
        }
    }
}

/// Compares traces of a program's pixels with the evaluator: the pixel, the last value of the output, all values of variables,
/// rounds and lines. Returns the number of values that were compared.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_traces(program: &Program, compiler: Compiler) -> Result<usize, Mismatch> {
    let expected = picture(program, SIZE, SIZE, Origin::UpperLeft).map_err(Mismatch::Evaluator)?;
    let text = print(program, compiler.style(program.dialect));
    let shader = compiler.compile(&text)?;
    let uniforms = values(program);
    let names: Vec<&str> = program.variables.iter().map(|of| of.name.as_str()).collect();
    let names = [&names[..], &[]];
    compare_traces_of(&shader, &uniforms, &expected, names, &|x, y| history(program, x, y))
}

/// Compares traces of a shader's pixels with the expected picture, and with the histories of pixels. `names` are those of the
/// variables, and of pointers. An output is a variable `o` or `gl_FragColor`, or the
/// result of a function `main`.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_traces_of(
    shader: &Shader,
    uniforms: &[(String, String)],
    expected: &[[u32; 4]],
    names: [&[&str]; 2],
    history: &dyn Fn(u32, u32) -> Result<Option<History>, String>,
) -> Result<usize, Mismatch> {
    let mut compared = 0;
    let untraced = |x, y, message: String| Mismatch::Untraced { x, y, message };
    let size = Size::new(SIZE, SIZE).map_err(|error| untraced(0, 0, error.to_string()))?;
    let mut bindings = shader.bindings();
    for (name, value) in uniforms {
        let set = bindings.set_text(name, value);
        set.map_err(|error| untraced(0, 0, error.to_string()))?;
    }
    let location = shader.outputs()[0];
    let tracer = shader.tracer(&bindings, size, location, limits::ITERATIONS, None);
    let tracer = tracer.map_err(|error| untraced(0, 0, error.to_string()))?;
    for (k, expected) in (0..).zip(expected) {
        let (x, y) = (k % SIZE, k / SIZE);
        let traced = tracer.trace([x, y], None, &|| false);
        let (trace, values) = traced.map_err(|error| untraced(x, y, format!("{error:?}")))?;
        let Some((_, Value::Words { words: colour, .. })) = trace.subject.results.first() else {
            return Err(untraced(x, y, "it has no colour".to_owned()));
        };
        let differs = |what, found: &[u32]| {
            let (found, expected) = (found.to_vec(), *expected);
            Err(Mismatch::Trace { x, y, what, expected, found })
        };
        if colour.iter().copied().map(canonical).ne(*expected) {
            return differs("the pixel", colour);
        }
        if let Some(words) = last_output(&trace).filter(|_| !trace.subject.is_discarded)
            && words.iter().copied().map(canonical).ne(*expected)
        {
            return differs("the output", &words);
        }
        if let Some(history) = history(x, y).map_err(Mismatch::Evaluator)? {
            let same = history.compare(names, &trace, &values);
            compared += same.map_err(|what| Mismatch::History { x, y, what })?;
        }
    }
    Ok(compared)
}

/// The last value of the output among a trace's events.
fn last_output(trace: &Trace) -> Option<Box<[u32]>> {
    let words = |value: &Value| match value {
        Value::Words { words, .. } if words.len() == 4 => Some(words.clone()),
        _ => None,
    };
    let main = trace.scopes.iter().find(|scope| scope.name.as_deref() == Some("main"));
    if let Some(value) = main.and_then(|main| main.result.as_ref()) {
        return words(value);
    }
    let items = trace.scopes.iter().flat_map(|scope| &scope.items);
    let stored = items.filter_map(|item| match &item.kind {
        ItemKind::Binding(name, value) if matches!(&**name, "o" | "gl_FragColor") => {
            Some((item.rank, words(value)?))
        }
        _ => None,
    });
    stored.max_by_key(|(rank, _)| *rank).map(|(_, words)| words)
}

/// Compares a program's pictures by these engines with the evaluator's.
///
/// # Errors
///
/// The first mismatch.
pub fn compare(program: &Program, compiler: Compiler, engines: &[Engine]) -> Result<(), Mismatch> {
    let expected = picture(program, SIZE, SIZE, Origin::UpperLeft).map_err(Mismatch::Evaluator)?;
    let text = print(program, compiler.style(program.dialect));
    let shader = compiler.compile(&text)?;
    compare_pictures(&shader, engines, &values(program), &expected)
}

/// Names and values of a program's uniforms.
pub fn values(program: &Program) -> Vec<(String, String)> {
    let value = |(variable, words): &(usize, Vec<u32>)| {
        let Variable { name, ty } = &program.variables[*variable];
        let mut words = words.iter().copied();
        (name.clone(), json(ty, &program.structures, &mut words))
    };
    program.uniforms.iter().map(value).collect()
}

/// Compares a shader's pictures by these engines with the expected one; uniforms are names and values.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_pictures(
    shader: &Shader,
    engines: &[Engine],
    uniforms: &[(String, String)],
    expected: &[[u32; 4]],
) -> Result<(), Mismatch> {
    for engine in engines {
        let found = catching(|| draw(shader, engine, uniforms)).map_err(|message| {
            let engine = engine.clone();
            match message.contains("LV0502") {
                true => Mismatch::Limit { engine, message },
                false => Mismatch::Engine { engine, message },
            }
        })?;
        for (k, (expected, found)) in expected.iter().zip(&found).enumerate() {
            for component in 0..4 {
                let (expected, found) = (expected[component], found[component]);
                if expected != found {
                    let (x, y) = (k as u32 % SIZE, k as u32 / SIZE);
                    let engine = engine.clone();
                    return Err(Mismatch::Value { engine, x, y, component, expected, found });
                }
            }
        }
    }
    Ok(())
}

/// Runs an engine; its panic is a message.
fn catching<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    })
}

fn draw(
    shader: &Shader,
    engine: &Engine,
    uniforms: &[(String, String)],
) -> Result<Vec<[u32; 4]>, String> {
    let size = Size::new(SIZE, SIZE).map_err(|error| error.to_string())?;
    let options = Options::default().engine(engine.clone()).for_size(size);
    let options = options.timeout(Duration::from_secs(60));
    let pipeline = shader.pipeline(&options).map_err(|error| error.to_string())?;
    let mut bindings = pipeline.bindings();
    for (name, value) in uniforms {
        bindings.set_text(name, value).map_err(|error| error.to_string())?;
    }
    let frame = pipeline.render(&bindings, size).map_err(|error| error.to_string())?;
    // NaN is one value in a frame.
    Ok(frame.pixels().iter().map(|pixel| pixel.map(f32::to_bits)).collect())
}

/// The text of a uniform's value.
pub fn json(ty: &Type, structures: &[Structure], words: &mut impl Iterator<Item = u32>) -> String {
    let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
    match ty {
        Type::Scalar(scalar) => {
            let word = words.next().expect("a value has all words");
            match scalar {
                Scalar::Float => format!("{}", f32::from_bits(word)),
                Scalar::Int => format!("{}", word as i32),
                _ => format!("{word}"),
            }
        }
        Type::Structure(number) => {
            let fields = &structures[*number].fields;
            let field =
                |(name, ty): &(String, Type)| format!("\"{name}\":{}", json(ty, structures, words));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        Type::Void => String::new(),
        ty => {
            let (part, count) = ty.indexed().expect("it has parts");
            list((0..count).map(|_| json(&part, structures, words)).collect())
        }
    }
}
