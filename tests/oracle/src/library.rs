//! Functions of exact SPIR-V modules in machine code: integer programs, fast enough for millions of
//! arguments.
//!
//! The operands of a function's core text are uniforms. Here they are elements of a buffer, one for each
//! pixel.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use lambdav_core::core_text;
use lambdav_core::graph::Core;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::SourceFile;
use lambdav_core::types::Type;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::registers::{Callable, Inputs, Poll, Row, Shape, Status};
use lambdav_simd_backend::{Compiler, EmitError, Target};
use lambdav_spirv_backend::library::LibraryFunction;

/// Number of pixels computed at once.
const PIXELS: usize = 1024;
/// Number of lanes of a group.
const LANES: u32 = 16;

/// A function of the library in machine code.
#[derive(Debug)]
pub struct LibraryCode {
    code: Executable,
    arity: usize,
    words: Vec<u32>,
    program: Program,
}

/// The text with elements of a buffer in place of uniforms. `stride` is the number of pixels in a row.
fn with_buffer(text: &str, stride: usize) -> String {
    let mut lines = text.lines();
    let mut out = String::new();
    let mut operands = Vec::new();
    out += lines.next().expect("the head of core text");
    out += &format!(
        "
type #999999 = buffer \"operands\" uvec3
%900000: #999999 = ()
%900001: vec4 = input frag-coord
%900002: num = component.0 %900001
%900003: num = component.1 %900001
%900004: uint = convert %900002
%900005: uint = convert %900003
%900006: uint = {stride}
%900007: uint = mul %900005, %900006
%900008: uint = add %900004, %900007
%900009: uvec3 = element %900000, %900008
%900010: uint = component.0 %900009
%900011: uint = component.1 %900009
%900012: uint = component.2 %900009
%900020: num = from-bits %900010
%900021: num = from-bits %900011
%900022: num = from-bits %900012
"
    );
    for line in lines {
        if let Some(rest) = line.strip_prefix("uniform ") {
            operands.push(rest.split(':').next().expect("a name").to_owned());
            continue;
        }
        // Core text has no copies, so `after` renames the value.
        let replaced = line.split_once(" = uniform ").map(|(of, name)| {
            let name = name.split(';').next().expect("the name").trim();
            let index =
                operands.iter().position(|operand| operand == name).expect("declared before");
            format!("{of} = after %90002{index}, %900001")
        });
        out += replaced.as_deref().unwrap_or(line);
        out.push('\n');
    }
    out
}

/// The core of a valid text.
fn core(text: String) -> Core {
    let (core, diagnostics) = core_text::read(&SourceFile::new("function.core", text));
    core.unwrap_or_else(|| panic!("the text is right: {diagnostics:?}"))
}

impl LibraryCode {
    /// Compiles a function.
    ///
    /// # Errors
    ///
    /// The errors of [`Compiler::compile`].
    pub fn new(function: LibraryFunction, target: &Target) -> Result<Self, EmitError> {
        Self::of_text(function.text(), function.arity(), target)
    }

    /// Compiles a core text with `arity` uniforms, all of type num, and one output.
    ///
    /// # Errors
    ///
    /// The errors of [`Compiler::compile`].
    pub fn of_text(text: &str, arity: usize, target: &Target) -> Result<Self, EmitError> {
        let shape = Shape::new(LANES, target.machine().tile).expect("a shape");
        let core = core(with_buffer(text, PIXELS / shape.rows() as usize));
        let program = schedule(&core, &[0]).expect("it nests little");
        let compiler = Compiler { lanes: Some(LANES), ..Compiler::new(target.clone()) };
        let compiled = compiler.compile(&program)?;
        let resources = vec![Self::buffer(&program, &[])];
        let given = lambdav_core::inputs::Inputs { resources, ..Default::default() };
        let words = words(&compiled.lanes, &given);
        Ok(Self { code: Executable::new(&compiled.code, target)?, arity, words, program })
    }

    /// A buffer with these operands.
    fn buffer(program: &Program, operands: &[[f32; 3]]) -> Bound {
        let mut words: Vec<u32> = operands.iter().flatten().map(|x| x.to_bits()).collect();
        words.resize(3 * PIXELS, 0);
        let element = Type::of(lambdav_core::types::Scalar::U32, 3);
        let data = BufferData::new(&program.types, element, words).expect("it is not empty");
        Bound::Buffer(Arc::new(data))
    }

    /// Number of operands.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Computes the results for pairs. Unary functions ignore the second operand.
    pub fn evaluate_pairs(&self, pairs: &[(f32, f32)], results: &mut [f32]) {
        let operands: Vec<[f32; 3]> = pairs.iter().map(|&(x, y)| [x, y, 0.0]).collect();
        self.evaluate(&operands, results);
    }

    /// Computes the results for triples of operands.
    pub fn evaluate(&self, operands: &[[f32; 3]], results: &mut [f32]) {
        static FRONTIER: AtomicU64 = AtomicU64::new(u64::MAX);
        let shape = self.code.shape();
        let poll = Poll { frontier: &FRONTIER, first: 0 };
        let (columns, rows) = (shape.columns() as usize, shape.rows() as usize);
        let stride = PIXELS / rows;
        let mask = vec![u32::MAX; shape.lanes() as usize];
        let mut pixels = vec![[0.0; 4]; PIXELS];
        for (operands, results) in operands.chunks(PIXELS).zip(results.chunks_mut(PIXELS)) {
            let data = vec![Self::buffer(&self.program, operands)];
            let inputs = Inputs::new(self.words.clone(), self.code.resources(), data, 1 << 24);
            let inputs = inputs.expect("it is the buffer that the text declares");
            let row = Row { x: 0, y: 0, groups: (stride / columns) as u32, stride, plane: 0 };
            let (_, slots) = self.code.frame(&inputs, poll);
            let status = self.code.row(&inputs, &slots, &mask, poll, row, &mut pixels);
            assert_eq!(status, Status::Done, "its loops end");
            for (result, [value, ..]) in results.iter_mut().zip(&pixels) {
                *result = *value;
            }
        }
    }
}
