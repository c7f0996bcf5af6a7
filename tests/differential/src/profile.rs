//! What control flow a program has, pixel by pixel: a plain walk over its schedule.

use crate::case::Case;
use crate::engines::{Pixel, Verdict, is_number, scheduled, value};
use lambdav_frontend::builtins::Input;
use lambdav_frontend::evaluate::Inputs;
use lambdav_frontend::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use lambdav_frontend::types::Type;
use std::collections::HashMap;

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// How many outputs there are, and how many of them are neither constant nor all NaN.
    pub images: [u32; 2],
    /// Whether, inside an `if` that pixels decide differently, there is a loop that is as long for
    /// one pixel as it is not for another.
    pub divergent_loop_in_if: bool,
    /// How deep such `if`s nest.
    pub divergent_depth: u32,
    /// How deep loops nest that some pixel goes through.
    pub loop_depth: u32,
    /// Whether a pixel was not computed because it would have taken too long.
    pub out_of_fuel: bool,
}

/// How many rounds of loops the walk goes through at most.
const MAX_ROUNDS: u32 = 200_000;

/// Walks over all pixels; an error where a value is not as expected.
pub fn profile(case: &Case, expected: &[Pixel]) -> Result<Profile, String> {
    let program = scheduled(&case.core, &case.locations())?;
    let mut walker = Walker {
        program: &program,
        words: vec![Box::default(); program.values.len()],
        pixel: HashMap::new(),
        rounds: 0,
    };
    let mut seen: HashMap<ValueId, Seen> = HashMap::new();
    let mut profile = Profile::default();
    for (inputs, expected) in case.pixels.iter().zip(expected) {
        walker.pixel.clear();
        if walker.block(Program::ROOT, inputs).is_none() {
            profile.out_of_fuel = true;
            break;
        }
        for (&output, expected) in program.outputs().iter().zip(expected) {
            let found = value(&walker.words[output.index()], is_number(program.ty(output)));
            if *expected != Verdict::OutOfFuel && found != *expected {
                return Err(format!("the walk gives {found:?}, not {expected:?}"));
            }
        }
        for (&at, &count) in &walker.pixel {
            seen.entry(at).and_modify(|s| s.varies |= s.first != count).or_insert(Seen {
                first: count,
                varies: false,
            });
        }
    }
    for i in 0..program.outputs().len() {
        let values = || expected.iter().map(|pixel| &pixel[i]);
        let is_nan = |v: &&Verdict| {
            matches!(v, Verdict::Value(w) if w.iter().all(|&w| f32::from_bits(w).is_nan()))
        };
        let first = values().find(|v| !is_nan(v));
        let varied = values().any(|v| !is_nan(&v) && Some(v) != first);
        profile.images[0] += 1;
        profile.images[1] += u32::from(varied);
    }
    shape(&program, &seen, &mut profile);
    Ok(profile)
}

/// A count of the first pixel that came there, and whether another pixel had another one.
#[derive(Clone, Copy)]
struct Seen {
    first: u64,
    varies: bool,
}

/// Depths and nesting of what was seen to diverge.
fn shape(program: &Program, seen: &HashMap<ValueId, Seen>, profile: &mut Profile) {
    let varies = |value: ValueId| seen.get(&value).is_some_and(|s| s.varies);
    let mut stack = vec![(Program::ROOT, 0, 0)];
    while let Some((block, ifs, loops)) = stack.pop() {
        let block = program.block(block);
        for statement in &block.statements {
            match *statement {
                Statement::Let { .. } => {}
                Statement::If { value, then, otherwise, .. } => {
                    let ifs = ifs + u32::from(varies(value));
                    profile.divergent_depth = profile.divergent_depth.max(ifs);
                    stack.push((then, ifs, loops));
                    stack.push((otherwise, ifs, loops));
                }
                Statement::Loop { value, body, .. } => {
                    profile.divergent_loop_in_if |= ifs > 0 && varies(value);
                    let loops = loops + u32::from(seen.contains_key(&value));
                    profile.loop_depth = profile.loop_depth.max(loops);
                    stack.push((body, ifs, loops));
                }
            }
        }
        if let End::If { then, otherwise, .. } = block.end {
            stack.push((then, ifs, loops));
            stack.push((otherwise, ifs, loops));
        }
    }
}

struct Walker<'p> {
    program: &'p Program,
    words: Vec<Box<[u32]>>,
    /// Of each `if` that this pixel came to, how often it took the first arm and (in the upper half)
    /// the second; of each loop, how many rounds it did in all.
    pixel: HashMap<ValueId, u64>,
    rounds: u32,
}

impl<'p> Walker<'p> {
    fn holds(&self, condition: ValueId) -> bool {
        self.words[condition.index()][0] != 0
    }

    /// How the block ended: with the next round or not, and with what; `None` if it takes too long.
    fn block(&mut self, mut id: BlockId, inputs: &Inputs) -> Option<(bool, &'p [ValueId])> {
        let program = self.program;
        loop {
            let block = program.block(id);
            for statement in &block.statements {
                match statement {
                    Statement::Let { value, expr } => self.compute(*value, expr, inputs),
                    Statement::If { value, condition, then, otherwise } => {
                        let holds = self.holds(*condition);
                        *self.pixel.entry(*value).or_default() += if holds { 1 } else { 1 << 32 };
                        let arm = if holds { *then } else { *otherwise };
                        let (_, result) = self.block(arm, inputs)?;
                        self.words[value.index()] = self.words[result[0].index()].clone();
                    }
                    Statement::Loop { value, params, inits, body } => {
                        let mut next: &[ValueId] = inits;
                        loop {
                            let new: Vec<_> =
                                next.iter().map(|v| self.words[v.index()].clone()).collect();
                            for (param, words) in params.iter().zip(new) {
                                self.words[param.index()] = words;
                            }
                            self.rounds += 1;
                            if self.rounds > MAX_ROUNDS {
                                return None;
                            }
                            *self.pixel.entry(*value).or_default() += 1;
                            let (goes_on, result) = self.block(*body, inputs)?;
                            if !goes_on {
                                self.words[value.index()] = self.words[result[0].index()].clone();
                                break;
                            }
                            next = result;
                        }
                    }
                }
            }
            match &block.end {
                End::Yield(values) => return Some((false, values)),
                End::Rec(values) => return Some((true, values)),
                End::If { condition, then, otherwise } => {
                    id = if self.holds(*condition) { *then } else { *otherwise };
                }
            }
        }
    }

    fn compute(&mut self, value: ValueId, expr: &Expr, inputs: &Inputs) {
        let bits = |xs: &[f32]| xs.iter().map(|x| x.to_bits()).collect::<Box<[u32]>>();
        self.words[value.index()] = match expr {
            Expr::Constant(words) => words.clone(),
            Expr::Uniform(index) => inputs.uniforms[*index as usize].clone(),
            Expr::Input(Input::FragCoord) => bits(&inputs.frag_coord),
            Expr::Input(Input::Resolution) => bits(&inputs.resolution),
            Expr::Input(Input::Time) => bits(&[inputs.time]),
            Expr::Input(Input::Frame) => bits(&[inputs.frame]),
            Expr::Input(Input::Mouse) => bits(&inputs.mouse),
            Expr::Op(op, operands) => {
                let types: Vec<Type> = operands.iter().map(|&o| self.program.ty(o)).collect();
                let words: Vec<&[u32]> =
                    operands.iter().map(|&o| &*self.words[o.index()]).collect();
                let mut out = vec![0; self.program.ty(value).components()];
                op.apply(&types, &words, &mut out);
                out.into()
            }
        };
    }
}
