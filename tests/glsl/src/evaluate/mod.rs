//! An evaluator of GLSL by the text of its specification.
//!
//! Each pixel is an invocation with variables of its own, which walks the tree: assignments change variables,
//! arguments are copied in and out, `&&` does not evaluate its right operand if the left one decides. Elementary
//! operations on components are those of [`lambdav_core::op::Op::apply`], so they have this project's meaning; all other
//! functions are written here, from LANGUAGE §6, §9 and `docs/spirv.md`. There is no SPIR-V here and no graph.
//!
//! Derivatives stand in statements of `main` itself. There, the four invocations of a quad have come to the same
//! statement, and a neighbour evaluates the operand with its variables from before that statement.

pub mod arithmetic;
pub mod builtins;
mod construct;
mod expression;
pub mod linear;
pub mod numbers;
pub mod packing;
mod statement;
pub mod undefined;

use crate::history::History;
use crate::program::{Item, Program, Statement};
use lambdav_float_environment::with_default;
use std::collections::BTreeSet;
use std::rc::Rc;
pub use undefined::{Condition, UNWRITTEN};

/// The words of a value: one for each component.
type Words = Vec<u32>;

/// Reason for the end of an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    Discard,
    Fault(String),
}

/// The position of row 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Row 0 of the picture is at y = 0.5 (Vulkan).
    #[default]
    UpperLeft,
    /// The last row of the picture is at y = 0.5 (OpenGL).
    LowerLeft,
}

/// The most statements and expressions that one invocation evaluates.
const MOST_STEPS: u64 = 4_000_000;

/// Variables of the four invocations of a quad, before a statement.
type Quad = [Vec<Words>; 4];

/// One pixel's execution.
struct Invocation<'p> {
    program: &'p Program,
    /// The words of each variable; empty if it is not set.
    memory: Vec<Words>,
    /// The place in its quad: bit 0 of the column, then of the row.
    lane: usize,
    /// The quad, in a statement with derivatives.
    quad: Option<Rc<Quad>>,
    steps: u64,
    /// The undefined behaviour so far.
    met: BTreeSet<Condition>,
    /// True if something was written to the output.
    is_output_set: bool,
    history: History,
}

/// A pixel of a picture.
#[derive(Clone, Debug, Default)]
pub struct Pixel {
    /// The words of the colour; zeros if it is discarded.
    pub words: [u32; 4],
    /// The undefined behaviour that it meets.
    pub met: BTreeSet<Condition>,
    /// Its history; `None` if it is discarded.
    pub history: Option<History>,
}

/// A picture of the program: the words of `width * height` pixels, row by row. A discarded pixel has zeros.
///
/// # Errors
///
/// A mistake of the program, such as a variable that is read before it is set, or one that takes too long.
pub fn picture(
    program: &Program,
    width: u32,
    height: u32,
    origin: Origin,
) -> Result<Vec<[u32; 4]>, String> {
    let pixels = pixels(program, width, height, origin)?;
    Ok(pixels.into_iter().map(|pixel| pixel.words).collect())
}

/// Like [`picture`], with the undefined behaviour of each pixel.
///
/// # Errors
///
/// As for [`picture`].
pub fn pixels(
    program: &Program,
    width: u32,
    height: u32,
    origin: Origin,
) -> Result<Vec<Pixel>, String> {
    with_default(|| {
        let mut pixels = vec![Pixel::default(); width as usize * height as usize];
        for y in (0..height).step_by(2) {
            for x in (0..width).step_by(2) {
                let colours = quad(program, x, y)?;
                for (lane, colour) in colours.into_iter().enumerate() {
                    let (x, y) = (x + (lane as u32 & 1), y + (lane as u32 >> 1));
                    if x >= width || y >= height {
                        continue;
                    }
                    let row = match origin {
                        Origin::UpperLeft => y,
                        Origin::LowerLeft => height - 1 - y,
                    };
                    pixels[(row * width + x) as usize] = colour;
                }
            }
        }
        Ok(pixels)
    })
}

/// The history of a pixel of a picture with the origin at the upper left; `None` if it is discarded.
///
/// # Errors
///
/// As for [`picture`].
pub fn history(program: &Program, x: u32, y: u32) -> Result<Option<History>, String> {
    let mut all = with_default(|| quad(program, x & !1, y & !1))?;
    Ok(all[(x & 1 | (y & 1) << 1) as usize].history.take())
}

/// The pixels of the quad whose first pixel is at an even column and row.
fn quad(program: &Program, x: u32, y: u32) -> Result<[Pixel; 4], String> {
    let mut lanes = [0, 1, 2, 3].map(|lane| Some(Invocation::new(program, x, y, lane)));
    // What discarded pixels have met.
    let mut found: [Pixel; 4] = Default::default();
    let mut step = |run: &mut dyn FnMut(&mut Invocation<'_>) -> Result<bool, Stop>| {
        for (lane, pixel) in lanes.iter_mut().zip(&mut found) {
            let Some(invocation) = lane else { continue };
            match run(invocation) {
                Ok(_) => {}
                Err(Stop::Discard) => {
                    pixel.met = std::mem::take(&mut invocation.met);
                    *lane = None;
                }
                Err(Stop::Fault(fault)) => return Err(fault),
            }
        }
        Ok(())
    };
    step(&mut |invocation| invocation.globals().map(|()| true))?;
    let mut has_returned = [false; 4];
    for statement in &program.main {
        let has_derivative = has_derivative(statement);
        if has_derivative {
            let mut all: Quad = Default::default();
            for (lane, memory) in lanes.iter().zip(&mut all) {
                let Some(invocation) = lane else {
                    return Err("a derivative after a discarded pixel".into());
                };
                *memory = invocation.memory.clone();
            }
            let all = Rc::new(all);
            for lane in lanes.iter_mut().flatten() {
                lane.quad = Some(Rc::clone(&all));
            }
        }
        for ((lane, has_returned), pixel) in lanes.iter_mut().zip(&mut has_returned).zip(&mut found)
        {
            let Some(invocation) = lane else { continue };
            if *has_returned {
                continue;
            }
            match invocation.statement(statement) {
                Ok(statement::Flow::Next) => {}
                Ok(_) => *has_returned = true,
                Err(Stop::Discard) => {
                    pixel.met = std::mem::take(&mut invocation.met);
                    *lane = None;
                }
                Err(Stop::Fault(fault)) => return Err(fault),
            }
        }
        lanes.iter_mut().flatten().for_each(|lane| lane.quad = None);
    }
    for (lane, pixel) in lanes.into_iter().zip(&mut found) {
        if let Some(Invocation { memory, mut met, history, .. }) = lane {
            let words = &memory[program.output];
            let words: [u32; 4] = words[..].try_into().map_err(|_| "the output is not set")?;
            if words.iter().any(|&word| !f32::from_bits(word).is_finite()) {
                met.insert(("output", "NaN or infinity"));
            }
            *pixel = Pixel { words, met, history: Some(history) };
        }
    }
    Ok(found)
}

/// True if an expression of the statement is a derivative.
fn has_derivative(statement: &Statement) -> bool {
    let is_derivative = |expr: &crate::program::Expr| matches!(expr.kind, crate::program::Kind::Builtin(builtin, _) if builtin.is_derivative());
    match statement {
        Statement::Declare { variables, .. } => variables
            .iter()
            .any(|(_, value)| value.as_ref().is_some_and(|value| value.any(&is_derivative))),
        Statement::Expression(expr) => expr.any(&is_derivative),
        _ => false,
    }
}

impl<'p> Invocation<'p> {
    /// An invocation of a quad before its first statement.
    fn new(program: &'p Program, x: u32, y: u32, lane: usize) -> Self {
        let mut memory = vec![Vec::new(); program.variables.len()];
        for (variable, words) in &program.uniforms {
            memory[*variable].clone_from(words);
        }
        let (x, y) = (x + (lane as u32 & 1), y + (lane as u32 >> 1));
        let position = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
        memory[program.position] = position.map(f32::to_bits).to_vec();
        memory[program.facing] = vec![1];
        memory[program.output] = vec![0; 4];
        let (met, history) = (BTreeSet::new(), History::default());
        let (quad, is_output_set) = (None, false);
        Self { program, memory, lane, quad, steps: 0, met, is_output_set, history }
    }

    /// Runs the initialisers of global variables.
    fn globals(&mut self) -> Result<(), Stop> {
        for item in &self.program.items {
            if let Item::Global { variable, value: Some(value), .. } = item {
                let words = self.value(value)?;
                self.set(*variable, words);
            }
        }
        Ok(())
    }

    /// Sets a variable.
    fn set(&mut self, variable: usize, words: Words) {
        self.history.values.push((variable, words.clone()));
        self.memory[variable] = words;
    }

    /// Counts a step.
    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        match self.steps > MOST_STEPS {
            true => Err(Stop::Fault("it takes too long".into())),
            false => Ok(()),
        }
    }

    /// The value of an expression at a pixel of the quad, before this statement. Another pixel itself meets its undefined
    /// behaviour.
    fn at_lane(&mut self, lane: usize, of: &crate::program::Expr) -> Result<Words, Stop> {
        let Some(quad) = &self.quad else {
            return Err(Stop::Fault("a derivative outside statements of main".into()));
        };
        let memory = quad[lane].clone();
        let (program, quad, met) = (self.program, Some(Rc::clone(quad)), BTreeSet::new());
        let (history, is_output_set) = (History::default(), self.is_output_set);
        let mut other =
            Invocation { program, memory, lane, quad, steps: 0, met, is_output_set, history };
        let words = other.value(of)?;
        if lane == self.lane {
            self.met.extend(other.met);
        }
        Ok(words)
    }
}
