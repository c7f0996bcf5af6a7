//! Executes single instructions.

use super::super::arithmetic::{Binary, Unary, fma, halves, joined, word};
use super::super::code::{Argument, Meaning, Operand, Step};
use super::super::options::Arithmetic;
use super::super::resources::BindingKind;
use super::super::values::ComponentType;
use super::{ModuleEvaluator, Wrong};
use crate::mutants::{Mutant, is_active};
use rspirv::spirv::Dim;

/// Limit of the operands of a function.
const OPERANDS: usize = 4;

/// Flushes a subnormal operand or result to zero if `flushes`, keeping its sign.
fn seen(word: u32, flushes: bool) -> u32 {
    let is_subnormal = word & 0x7f80_0000 == 0;
    if flushes && is_subnormal { word & 1 << 31 } else { word }
}

/// Perturbs a normal result by up to two units in the last place, as a function of the operands.
fn roughly(result: u32, operands: [u32; 2]) -> u32 {
    let mixed = operands.iter().fold(0x9e37_79b9_u32, |mixed, &word| {
        (mixed ^ word).wrapping_mul(0x85eb_ca6b).rotate_left(13)
    });
    let off = result.wrapping_add(mixed % 5).wrapping_sub(2);
    let is_ordinary = |word: u32| f32::from_bits(word).is_normal();
    if is_ordinary(result) && is_ordinary(off) { off } else { result }
}

impl ModuleEvaluator<'_> {
    /// Applies a function of whole operands.
    fn apply(
        &mut self,
        meaning: Meaning,
        to: usize,
        of: &[Argument],
        words: usize,
    ) -> Result<(), Wrong> {
        let mut operands = [Operand::default(); OPERANDS];
        for (operand, argument) in operands.iter_mut().zip(of) {
            self.check(argument.at)?;
            let words = &self.memory[argument.at..argument.at + argument.words];
            *operand = Operand { words, rows: argument.rows };
        }
        let mut out = std::mem::take(&mut self.transit);
        out.clear();
        out.resize(words, 0);
        // (Borrowed again: the operands borrow the memory.)
        meaning(&operands[..of.len().min(OPERANDS)], &mut out);
        self.memory[to..to + words].copy_from_slice(&out);
        self.transit = out;
        Ok(())
    }

    /// Executes an instruction.
    pub(super) fn step(&mut self, step: &Step) -> Result<(), Wrong> {
        let to = match *step {
            Step::Unary { function, to, a, words } => {
                self.check(a)?;
                let Arithmetic { flushes, is_rough, .. } = self.arithmetic;
                let (of_numbers, is_number) = function.numbers();
                let is_rough = is_rough && matches!(function, Unary::Sqrt | Unary::InverseSqrt);
                for i in 0..words {
                    let a = seen(self.memory[a + i], flushes && of_numbers);
                    let mut result = function.apply(a);
                    if is_rough {
                        result = roughly(result, [a; 2]);
                    }
                    self.memory[to + i] = seen(result, flushes && is_number);
                }
                to
            }
            Step::Binary { function, to, a, b, words } => {
                self.check(a)?;
                self.check(b)?;
                let Arithmetic { flushes, is_rough, .. } = self.arithmetic;
                let (of_numbers, is_number) = function.numbers();
                let is_rough = is_rough && matches!(function, Binary::Div);
                for i in 0..words {
                    let of = [a, b].map(|at| seen(self.memory[at + i], flushes && of_numbers));
                    let mut result = function.apply(of[0], of[1]);
                    if is_rough {
                        result = roughly(result, of);
                    }
                    self.memory[to + i] = seen(result, flushes && is_number);
                }
                to
            }
            Step::Fma { to, of, words } => {
                for operand in of {
                    self.check(operand)?;
                }
                let Arithmetic { flushes, rounds_twice, .. } = self.arithmetic;
                for i in 0..words {
                    let of = of.map(|at| seen(self.memory[at + i], flushes));
                    let result = match rounds_twice {
                        true => {
                            let product = Binary::Mul.apply(of[0], of[1]);
                            Binary::Add.apply(seen(product, flushes), of[2])
                        }
                        false => fma(of),
                    };
                    self.memory[to + i] = seen(result, flushes);
                }
                to
            }
            Step::Contract { to, of, opposite, words } => {
                let Arithmetic { flushes, is_rough, .. } = self.arithmetic;
                for i in (0..words).filter(|_| is_rough) {
                    let [a, b, c] = of.map(|at| seen(self.memory[at + i], flushes));
                    let [a, c] = [(a, opposite[0]), (c, opposite[1])]
                        .map(|(word, opposite)| word ^ u32::from(opposite) << 31);
                    self.memory[to + i] = seen(fma([a, b, c]), flushes);
                }
                to
            }
            Step::Lengthen { to, a } => {
                self.check(a)?;
                let number = f32::from_bits(seen(self.memory[a], self.arithmetic.flushes));
                let bits = f64::from(number).to_bits();
                self.memory[to..to + 2].copy_from_slice(&halves(bits));
                to
            }
            Step::Shorten { to, a } => {
                self.check(a)?;
                let bits = joined([self.memory[a], self.memory[a + 1]]);
                self.memory[to] = seen(word(f64::from_bits(bits) as f32), self.arithmetic.flushes);
                to
            }
            Step::Select { to, condition, a, b, words, stride } => {
                self.check(condition)?;
                self.check(a)?;
                self.check(b)?;
                let stride = if is_active(Mutant::OneCondition) { 0 } else { stride };
                for i in 0..words {
                    let holds = self.memory[condition + i * stride] != 0;
                    self.memory[to + i] = self.memory[if holds { a } else { b } + i];
                }
                to
            }
            Step::Any { to, a, words } => {
                let any = self.get(a, words).ok_or(Wrong::Undefined)?.iter().any(|&word| word != 0);
                self.memory[to] = any.into();
                to
            }
            Step::All { to, a, words } => {
                let all = self.get(a, words).ok_or(Wrong::Undefined)?.iter().all(|&word| word != 0);
                self.memory[to] = all.into();
                to
            }
            Step::Compose { to, ref parts } => {
                let mut end = to;
                for part in parts {
                    self.check(part.value)?;
                    self.memory.copy_within(part.at..part.at + part.words, end);
                    end += part.words;
                }
                to
            }
            Step::Apply { meaning, to, ref of, words } => {
                self.apply(meaning, to, of, words)?;
                to
            }
            Step::Pick { to, a, ref index } => {
                self.check(a)?;
                self.memory[to] = self.memory[a + self.index(index, index.count)?];
                to
            }
            Step::Replace { to, a, part, ref index } => {
                self.check(a)?;
                self.check(part)?;
                let at = self.index(index, index.count)?;
                self.memory.copy_within(a..a + index.count, to);
                self.memory[to + at] = self.memory[part];
                to
            }
            Step::Load { to, ref place } => {
                self.load(to, place)?;
                to
            }
            Step::Fetch { to, texture, ty, place, offset, level, sample } => {
                let texture = self.texture(texture)?;
                let at = self.fetched(texture, ty, place, offset, sample)?;
                let level = self.level(texture, level)?;
                let of = texture.level(level);
                let mut outside = at.iter().zip([of.width, of.height, of.planes]);
                if self.is_marked() && outside.any(|(at, size)| *at as u32 >= size) {
                    return Err(Wrong::Outside);
                }
                // Clamps coordinates outside the level.
                let texel = texture.texel_of_plane(at, level).map(f32::to_bits);
                self.memory[to..to + 4].copy_from_slice(&texel);
                to
            }
            Step::Sample(ref sample) => {
                let texel = self.sample(sample)?;
                let words = match sample.ty.component {
                    ComponentType::Float => texel.map(word),
                    _ => texel.map(f32::to_bits),
                };
                let to = sample.to;
                self.memory[to..to + sample.words()].copy_from_slice(&words[..sample.words()]);
                to
            }
            Step::Element { to, first, ref index } => {
                self.check(first)?;
                self.memory[to] = self.memory[first] + self.index(index, index.count)? as u32;
                to
            }
            Step::Size { to, texture, ty, level } => {
                let texture = self.texture(texture)?;
                let size = texture.level(self.level(texture, level)?);
                let mut sides = match ty.dimension {
                    Dim::DimBuffer => vec![size.width * size.height],
                    Dim::Dim1D => vec![size.width],
                    Dim::Dim3D => vec![size.width, size.height, size.planes],
                    _ => vec![size.width, size.height],
                };
                if ty.is_array {
                    let of_layer = if ty.dimension == Dim::DimCube { 6 } else { 1 };
                    sides.push(size.planes / of_layer);
                }
                self.memory[to..to + sides.len()].copy_from_slice(&sides);
                to
            }
            Step::Samples { to, texture } => {
                self.memory[to] = self.texture(texture)?.level(0).planes;
                to
            }
            Step::Levels { to, texture } => {
                self.memory[to] = self.texture(texture)?.levels().len() as u32;
                to
            }
            Step::Derivative { to, a, words, axes } => {
                self.check(a)?;
                self.derivative(to, a, words, axes)?;
                to
            }
            Step::Swap { to, a, words, direction } => {
                self.check(a)?;
                self.check(direction)?;
                self.swap(to, a, words, direction)?;
                to
            }
            Step::Demote => {
                self.is_discarded = !is_active(Mutant::LostDiscard);
                return Ok(());
            }
            Step::IsDemoted { to } => {
                self.memory[to] = self.is_discarded.into();
                to
            }
            // `run_pixel` executes calls.
            Step::Call(_) => return Err(Wrong::Undefined),
            Step::Length { to, buffer } => {
                let BindingKind::Buffer { stride, .. } = self.module.resources[buffer].kind else {
                    return Err(Wrong::Unbound(buffer));
                };
                self.memory[to] = (self.buffer(buffer)?.len() / stride) as u32;
                to
            }
            // `run_from` waits, and an observer sees the message.
            Step::Barrier | Step::Print => return Ok(()),
            Step::Elements { to, memory, offset, stride } => {
                let words = self.storage[memory].len();
                self.memory[to] = (words.saturating_sub(offset) / stride) as u32;
                to
            }
            Step::Atomic { to, function, ref place, operand, comparand } => {
                let value = |at: Option<usize>| match at {
                    Some(at) => self.check(at).map(|()| self.memory[at]),
                    None => Ok(0),
                };
                let [operand, comparand] = [value(operand)?, value(comparand)?];
                let old = self.replace(place, |old| function.apply(old, operand, comparand))?;
                let Some(to) = to else { return Ok(()) };
                let is_new = is_active(Mutant::NewWord);
                self.memory[to] =
                    if is_new { function.apply(old, operand, comparand) } else { old };
                to
            }
            Step::Write { ref place, a, ref numbers } => {
                self.check(a)?;
                self.write(place, a, numbers)?;
                return Ok(());
            }
            Step::Store { ref place, a } => {
                self.check(a)?;
                self.store(place, a)?;
                return Ok(());
            }
        };
        self.defined[to] = self.activation;
        Ok(())
    }
}
