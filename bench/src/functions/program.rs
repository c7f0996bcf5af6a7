//! The measured programs: a loop around a function, compiled from a shader's text.

use super::{Domain, polynomial};
use lambdav_core::schedule::schedule;
use lambdav_engine::Settings;
use lambdav_engine::program::Loaded;
use lambdav_image::Size;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::verify;
use lambdav_simd_backend::registers::{Callable, Inputs, Poll, Row, Status};
use lambdav_simd_backend::{Compiler, Target};
use std::sync::atomic::AtomicU64;

/// Number of pixels in a row, and number of rows: whole groups of every shape. There are enough pixels to
/// include the rare arguments that need ball arithmetic at their average frequency.
pub(super) const COLUMNS: u32 = 256;
const ROWS: u32 = 256;

/// Number of values that each pixel sums: enough that the store and the mispredicted loop exit do not
/// count.
pub(super) const ROUNDS: u32 = 64;

pub(super) const PIXELS: usize = (COLUMNS * ROWS) as usize;
pub(super) const VALUES: usize = PIXELS * ROUNDS as usize;

/// Step from one argument to the next, as a fraction of the range: nearly irrational, so that the arguments
/// cover the range.
pub(super) const STEPS: [f32; 2] = [0.569_840_3, 0.438_579];

/// The bits of zero and infinity, as numbers. A number from the first up to the second has the bits of a finite one.
pub(super) const ALL_BITS: [f32; 2] = [0.0, 2_139_095_040.0];

/// A loop in machine code.
pub(super) struct Compiled {
    code: Executable,
    inputs: Inputs,
    slots: Vec<u64>,
}

static FRONTIER: AtomicU64 = AtomicU64::new(u64::MAX);
const POLL: Poll<'_> = Poll { frontier: &FRONTIER, first: 0 };

/// The summand of each round.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// The function.
    Function,
    /// The polynomial instead of the function.
    Polynomial,
    /// The arguments themselves.
    Arguments,
}

/// The text of the shader.
fn text(domain: &Domain, value: Value) -> String {
    let operand = |[low, high]: [f32; 2], step: f32| {
        format!("(+ {low} (* {} (fract (+ base (* i {step})))))", high - low)
    };
    let Domain { function, x, y, .. } = domain;
    let first = match x {
        Some(x) => operand(*x, STEPS[0]),
        None => format!("(from-bits (uint {}))", operand(ALL_BITS, STEPS[0])),
    };
    let is_pair = function.arity() == 2;
    let second = if is_pair { operand(*y, STEPS[1]) } else { String::new() };
    let value = match value {
        Value::Function | Value::Polynomial => format!("({} {first} {second})", function.name()),
        Value::Arguments if is_pair => format!("(+ {first} {second})"),
        Value::Arguments => first,
    };
    format!(
        "(define base (+ (* 0.618034 (.x (frag-coord))) (* 0.7548777 (.y (frag-coord)))))
         ((rec-func (i sum) (if (less i {ROUNDS}) (rec (+ i 1) (+ sum {value})) sum)) 0 0)"
    )
}

impl Compiled {
    /// Compiles for the given number of lanes, or the default one.
    pub(super) fn new(domain: &Domain, lanes: Option<u32>, value: Value, target: &Target) -> Self {
        let loaded = Loaded::from_text("function.lv", &text(domain, value));
        let core = loaded.core.expect("the text is a program");
        let size = Size::new(COLUMNS, ROWS).expect("a common size");
        let settings = Settings::new(&core, size);
        let scheduled = schedule(&core, &[0]).expect("it does not nest");
        let mut compiler = Compiler { lanes, ..Compiler::new(target.clone()) };
        let mut program = compiler.lane_program(&scheduled);
        // The polynomial gets the same number of lanes as the function.
        compiler.lanes = Some(compiler.choice(&program).shape.lanes());
        if let Value::Polynomial = value {
            program = polynomial::instead(&program);
            assert_eq!(verify(&program), Ok(()));
        }
        let compiled = compiler.compile_lane_program(program).expect("it compiles");
        let code = Executable::new(&compiled.code, &compiler.target).expect("there is memory");
        let words = words(&compiled.lanes, &settings.inputs);
        let inputs = Inputs::of_words(words, settings.max_iterations);
        let (status, slots) = code.frame(&inputs, POLL);
        assert_eq!(status, Status::Done);
        Self { code, inputs, slots }
    }

    /// The number of lanes.
    pub(super) fn lanes(&self) -> u32 {
        self.code.shape().lanes()
    }

    /// Computes all pixels.
    pub(super) fn run(&self, pixels: &mut [[f32; 4]]) {
        let shape = self.code.shape();
        let mask = vec![u32::MAX; shape.lanes() as usize];
        let (stride, groups) = (COLUMNS as usize, COLUMNS / shape.columns());
        for y in (0..ROWS).step_by(shape.rows() as usize) {
            let row = Row { x: 0, y, groups, stride, plane: 0 };
            let pixels = &mut pixels[y as usize * stride..];
            let status = self.code.row(&self.inputs, &self.slots, &mask, POLL, row, pixels);
            assert_eq!(status, Status::Done);
        }
    }
}
