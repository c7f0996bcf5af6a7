//! Comparison of engines with the evaluator, bit by bit.

use crate::program::Program;
use crate::{history, picture, pixels, print};
use lambdav_core::diagnostics::render_text;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_engine::program::Loaded;
use lambdav_engine::{Engine, Shader};
use lambdav_glsl_tests::compare::{SIZE, compare_pictures, compare_traces_of, json};
use lambdav_glsl_tests::compiler::CompileError;
use lambdav_glsl_tests::reports::compare_reports_of;
use lambdav_wgsl_frontend::{Options, compile};

pub use lambdav_glsl_tests::compare::Mismatch;

/// Compiles a text.
///
/// # Errors
///
/// The first diagnostic, or a module that is not raised.
pub fn shader(text: &str) -> Result<Shader, CompileError> {
    let options = Options { most: 1, ..Options::default() };
    let source = SourceFile::new("program.wgsl", text);
    let compiled = compile(source, &options, &mut NoFiles);
    let Some(words) = compiled.words else {
        let first = compiled.diagnostics.first();
        let first = first.map(|of| render_text(std::slice::from_ref(of), &compiled.source, false));
        return Err(CompileError::Refused(first.unwrap_or_default()));
    };
    let loaded = Loaded::from_bytes("program.spv", lambdav_spirv::bytes(&words));
    Shader::of(loaded).map_err(|error| CompileError::NotRaised(error.to_string()))
}

/// Compares traces of a program's pixels with the evaluator. Returns the number of values that were compared.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_traces(program: &Program) -> Result<usize, Mismatch> {
    let expected = picture(program, SIZE, SIZE).map_err(Mismatch::Evaluator)?;
    let names: Vec<&str> = program.variables.iter().map(|of| of.name.as_str()).collect();
    let pointers = program.variables.iter().filter(|of| of.role.is_pointer());
    let pointers: Vec<&str> = pointers.map(|of| of.name.as_str()).collect();
    let (shader, uniforms) = (shader(&print(program))?, values(program));
    let names = [&names[..], &pointers[..]];
    compare_traces_of(&shader, &uniforms, &expected, names, &|x, y| history(program, x, y))
}

/// Compares the reports of undefined behaviour by these engines with the evaluator's. Returns the number of lines.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_reports(program: &Program, engines: &[Engine]) -> Result<usize, Mismatch> {
    let all = pixels(program, SIZE, SIZE).map_err(Mismatch::Evaluator)?;
    let shader = Shader::new("program.wgsl", &print(program));
    let shader = shader.map_err(|error| CompileError::NotRaised(error.to_string()))?;
    compare_reports_of(&shader, &values(program), &all, engines)
}

/// Compares a program's pictures by these engines with the evaluator's.
///
/// # Errors
///
/// The first mismatch.
pub fn compare(program: &Program, engines: &[Engine]) -> Result<(), Mismatch> {
    let expected = picture(program, SIZE, SIZE).map_err(Mismatch::Evaluator)?;
    let shader = shader(&print(program))?;
    compare_pictures(&shader, engines, &values(program), &expected)
}

/// Names and values of a program's uniforms.
fn values(program: &Program) -> Vec<(String, String)> {
    let value = |(id, words): &(usize, Vec<u32>)| {
        let variable = &program.variables[*id];
        let mut words = words.iter().copied();
        (variable.name.clone(), json(&variable.ty, &program.structures, &mut words))
    };
    program.uniforms.iter().map(value).collect()
}
