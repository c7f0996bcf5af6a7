//! An evaluator of WGSL by the text of its specification.
//!
//! Each pixel is an invocation with memory of its own, which walks the tree. A name of memory is a place; it is read
//! where a value is needed, and operands are evaluated from left to right. Operations on components are those of
//! [`lambdav_core::op::Op::apply`] and of `lambdav-glsl-tests`. There is no SPIR-V here and no graph.
//!
//! A discarded pixel goes on as a helper. Derivatives stand in statements of the entry point itself: there, the four
//! invocations of a quad have come to the same statement, and a neighbour evaluates the operand with its memory
//! from before that statement.

mod expression;
mod operations;
mod statement;
mod strict;
mod undefined;

pub(crate) use strict::{is_partly_valid, strict};

use crate::program::{Expr, Kind, Program, Statement, VariableId};
use lambdav_float_environment::with_default;
use lambdav_glsl_tests::evaluate::{Condition, Pixel};
use lambdav_glsl_tests::history::History;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The words of a value: one for each component.
type Words = Vec<u32>;

/// A place in memory: words of a variable.
#[derive(Clone, Debug)]
struct Place {
    variable: VariableId,
    offsets: Vec<usize>,
}

/// The most statements and expressions that one invocation evaluates.
const MOST_STEPS: u64 = 4_000_000;

/// Memory of an invocation.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// The words of each variable; empty if it is not declared yet.
    words: Vec<Words>,
    /// The places of pointers.
    pointers: Vec<Option<Place>>,
}

/// One pixel's execution.
struct Invocation<'p> {
    program: &'p Program,
    memory: Memory,
    /// The place in its quad: bit 0 of the column, then of the row.
    lane: usize,
    /// Memory of the quad before a statement with derivatives.
    quad: Option<Rc<[Memory; 4]>>,
    is_discarded: bool,
    steps: u64,
    /// The undefined behaviour so far.
    met: BTreeSet<Condition>,
    history: History,
}

/// A picture of the program: the words of `width * height` pixels, row by row. A discarded pixel has zeros.
///
/// # Errors
///
/// A mistake of the program, such as a name that is used before its declaration, or one that takes too long.
pub fn picture(program: &Program, width: u32, height: u32) -> Result<Vec<[u32; 4]>, String> {
    Ok(pixels(program, width, height)?.into_iter().map(|pixel| pixel.words).collect())
}

/// Like [`picture`], with the undefined behaviour of each pixel.
///
/// # Errors
///
/// As for [`picture`].
pub fn pixels(program: &Program, width: u32, height: u32) -> Result<Vec<Pixel>, String> {
    with_default(|| {
        let mut pixels = vec![Pixel::default(); width as usize * height as usize];
        for y in (0..height).step_by(2) {
            for x in (0..width).step_by(2) {
                for (lane, colour) in quad(program, x, y)?.into_iter().enumerate() {
                    let (x, y) = (x + (lane as u32 & 1), y + (lane as u32 >> 1));
                    if x < width && y < height {
                        pixels[(y * width + x) as usize] = colour;
                    }
                }
            }
        }
        Ok(pixels)
    })
}

/// The history of a pixel; `None` if it is discarded.
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
    let mut lanes = [0, 1, 2, 3].map(|lane| Invocation::new(program, x, y, lane));
    for lane in &mut lanes {
        lane.globals()?;
    }
    let mut colours: [Option<Words>; 4] = Default::default();
    for statement in &program.main {
        if has_derivative(statement) {
            let all = Rc::new([0, 1, 2, 3].map(|k: usize| lanes[k].memory.clone()));
            lanes.iter_mut().for_each(|lane| lane.quad = Some(Rc::clone(&all)));
        }
        for (lane, colour) in lanes.iter_mut().zip(&mut colours) {
            if colour.is_none()
                && let statement::Flow::Return(words) = lane.statement(statement)?
            {
                *colour = Some(words);
            }
            lane.quad = None;
        }
    }
    let mut result: [Pixel; 4] = Default::default();
    for ((lane, colour), result) in lanes.into_iter().zip(colours).zip(&mut result) {
        let words = colour.ok_or("the entry point ends without a result")?;
        result.met = lane.met;
        if !lane.is_discarded {
            result.history = Some(lane.history);
            result.words = words[..].try_into().map_err(|_| "the result has four words")?;
            if words.iter().any(|&word| !f32::from_bits(word).is_finite()) {
                result.met.insert(("output", "NaN or infinity"));
            }
        }
    }
    Ok(result)
}

/// True if an expression of the statement is a derivative.
fn has_derivative(statement: &Statement) -> bool {
    let is_derivative =
        |of: &Expr| matches!(of.kind, Kind::Builtin(builtin, _) if builtin.is_derivative());
    match statement {
        Statement::Declare { value: Some(of), .. } | Statement::Assign(_, _, of) => {
            of.any(&is_derivative)
        }
        _ => false,
    }
}

impl<'p> Invocation<'p> {
    /// An invocation before its first statement.
    fn new(program: &'p Program, x: u32, y: u32, lane: usize) -> Self {
        let count = program.variables.len();
        let mut memory = Memory { words: vec![Vec::new(); count], pointers: vec![None; count] };
        for (variable, words) in &program.uniforms {
            memory.words[*variable].clone_from(words);
        }
        let (x, y) = (x + (lane as u32 & 1), y + (lane as u32 >> 1));
        let position = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
        memory.words[program.position] = position.map(f32::to_bits).to_vec();
        memory.words[program.facing] = vec![1];
        let (met, history) = (BTreeSet::new(), History::default());
        Self { program, memory, lane, quad: None, is_discarded: false, steps: 0, met, history }
    }

    /// Sets constants and variables of the module.
    fn globals(&mut self) -> Result<(), String> {
        for global in &self.program.globals {
            self.declare(global.variable, global.value.as_ref())?;
        }
        Ok(())
    }

    fn declare(&mut self, variable: VariableId, value: Option<&Expr>) -> Result<(), String> {
        let words = match value {
            Some(value) => self.value(value)?,
            None => vec![0; self.program.variables[variable].ty.size(&self.program.structures)],
        };
        self.history.values.push((variable, words.clone()));
        self.memory.words[variable] = words;
        Ok(())
    }

    /// Counts a step.
    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MOST_STEPS { Err("it takes too long".into()) } else { Ok(()) }
    }

    /// The value of an expression at a pixel of the quad, before this statement. Another pixel itself meets its undefined
    /// behaviour.
    fn at_lane(&mut self, lane: usize, of: &Expr) -> Result<Words, String> {
        let quad =
            self.quad.as_ref().ok_or("a derivative outside statements of the entry point")?;
        let (memory, quad) = (quad[lane].clone(), Some(Rc::clone(quad)));
        let (program, met, history) = (self.program, BTreeSet::new(), History::default());
        let mut other =
            Invocation { program, memory, lane, quad, is_discarded: false, steps: 0, met, history };
        let words = other.value(of)?;
        if lane == self.lane {
            self.met.extend(other.met);
        }
        Ok(words)
    }
}
