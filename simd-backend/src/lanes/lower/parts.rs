//! Parts of values: structures, variants and arrays.
//!
//! What is known of a part when the program is compiled is no computation: the components are there.
//! An index chooses from an array in memory by a load, and else by selects: where there are many
//! parts, by the bits of the index, one after the other.

use lambdav_core::op::Op as CoreOp;
use lambdav_core::schedule::{self, Expr as CoreExpr};
use lambdav_core::types::{Scalar, Type};

use super::state::{Lowering, Place, kind_of};
use crate::cost;
use crate::lanes::sources::{Source, sources};
use crate::lanes::{Expr, InputWord, Kind, Op, ValueId};
use crate::mutants::{Mutant, is_active};

impl Lowering<'_> {
    /// Where a value lies, if it lies in memory.
    pub(super) fn place(&mut self, value: schedule::ValueId, expr: &CoreExpr) -> Option<Place> {
        if !self.places.is_in_memory(value) {
            return None;
        }
        Some(match expr {
            CoreExpr::Constant(words) => Place { first: self.table(words), index: None },
            CoreExpr::Uniform(index) => {
                Place { first: self.uniforms[*index as usize], index: None }
            }
            CoreExpr::Op(op, operands) => {
                let of = self.place_of[&operands[0]];
                let (types, ty) = (&self.program.types, self.program.ty(operands[0]));
                match op.fixed_part() {
                    Some(part) => {
                        let (_, first) = types.part(ty, part).expect("the operand has this part");
                        Place { first: of.first + first as u32, ..of }
                    }
                    None => {
                        let stride = types.components(self.program.ty(value)) as u32;
                        let count = types.parts(ty).len();
                        let index = self.clamped(operands[1], count);
                        let stride = self.integer(stride);
                        let words = self.op(Op::Mul, &[index, stride]);
                        let index = match of.index {
                            Some(before) => self.op(Op::Add, &[before, words]),
                            None => words,
                        };
                        Place { index: Some(index), ..of }
                    }
                }
            }
            CoreExpr::Input(_) => unreachable!("it is no aggregate"),
        })
    }

    /// Where the words of a constant begin.
    fn table(&mut self, words: &[u32]) -> u32 {
        if let Some(&known) = self.tables.get(words) {
            return known;
        }
        let first = self.out.inputs.len() as u32;
        self.out.inputs.extend(words.iter().map(|&word| InputWord::Constant(word)));
        self.tables.insert(words.into(), first);
        first
    }

    /// The components of a value that lies there.
    pub(super) fn loaded(&mut self, place: Place, kinds: Vec<Kind>) -> Vec<ValueId> {
        let word = |(kind, first)| match (place.index, &self.out.inputs[first as usize]) {
            (None, &InputWord::Constant(bits)) => self.constant(kind, bits.into()),
            (None, _) => self.input_word(kind, first),
            (Some(index), _) => {
                let rate = self.out.rate(index);
                let load = Expr::Load { first, index };
                if kind != Kind::Mask {
                    return self.define(kind, rate, load);
                }
                let word = self.define(Kind::I32, rate, load);
                let zero = self.integer(0);
                self.op(Op::NotEqual, &[word, zero])
            }
        };
        kinds.into_iter().zip(place.first..).map(word).collect()
    }

    /// Whether an index is an `int`.
    fn is_signed(&self, index: schedule::ValueId) -> bool {
        self.program.ty(index).scalar() == Some(Scalar::I32)
    }

    /// An index of so many parts, clamped in every lane.
    fn clamped(&mut self, index: schedule::ValueId, count: usize) -> ValueId {
        let mut clamped = self.components(index)[0];
        if self.is_signed(index) {
            let zero = self.integer(0);
            clamped = self.op(Op::Max, &[clamped, zero]);
        }
        if is_active(Mutant::LooseIndex) {
            return clamped;
        }
        let last = self.integer(count as u32 - 1);
        self.op(Op::MinUnsigned, &[clamped, last])
    }

    /// Whether an index, clamped, is at most (or at least) that of a part.
    fn reaches(&mut self, index: schedule::ValueId, part: usize, at_most: bool) -> ValueId {
        let signed = self.is_signed(index);
        let (index, part) = (self.components(index)[0], self.integer(part as u32));
        let of = if at_most { [index, part] } else { [part, index] };
        self.op(if signed { Op::LessEqual } else { Op::LessEqualUnsigned }, &of)
    }

    /// The part of several components that an index chooses.
    pub(super) fn at(
        &mut self,
        of: &[ValueId],
        count: usize,
        index: schedule::ValueId,
    ) -> Vec<ValueId> {
        let width = of.len() / count;
        if width == 0 {
            return Vec::new();
        }
        let mut parts: Vec<Vec<ValueId>> = of.chunks(width).map(<[_]>::to_vec).collect();
        if count <= cost::LINEAR_PARTS {
            let mut chosen = parts.pop().expect("there is one");
            for (k, part) in parts.into_iter().enumerate().rev() {
                let is_here = self.reaches(index, k, true);
                chosen = self.select_each(is_here, &part, &chosen);
            }
            return chosen;
        }
        let index = self.clamped(index, count);
        for bit in 0.. {
            if parts.len() == 1 {
                break;
            }
            let (bit, zero) = (self.integer(1 << bit), self.integer(0));
            let bit = self.op(Op::And, &[index, bit]);
            let is_odd = self.op(Op::NotEqual, &[bit, zero]);
            let pairs = parts.chunks(2).map(|pair| match pair {
                [even, odd] => self.select_each(is_odd, odd, even),
                // No index within the parts has the bit there.
                _ => pair[0].clone(),
            });
            parts = pairs.collect();
        }
        parts.swap_remove(0)
    }

    /// Components with others in place of the part that an index chooses.
    pub(super) fn updated(
        &mut self,
        of: &[ValueId],
        count: usize,
        index: schedule::ValueId,
        part: &[ValueId],
    ) -> Vec<ValueId> {
        if part.is_empty() || count == 1 {
            return part.to_vec();
        }
        let mut all = Vec::with_capacity(of.len());
        for (k, before) in of.chunks(part.len()).enumerate() {
            let is_here = if k == 0 || k == count - 1 {
                self.reaches(index, k, k == 0)
            } else {
                let (index, k) = (self.components(index)[0], self.integer(k as u32));
                self.op(Op::Equal, &[index, k])
            };
            all.extend(self.select_each(is_here, part, before));
        }
        all
    }

    fn select_each(&mut self, condition: ValueId, a: &[ValueId], b: &[ValueId]) -> Vec<ValueId> {
        a.iter().zip(b).map(|(&a, &b)| self.select(condition, a, b)).collect()
    }

    /// The components of an operation's result, if that is made of parts.
    pub(super) fn of_parts(
        &mut self,
        op: CoreOp,
        operands: &[schedule::ValueId],
        ty: Type,
    ) -> Option<Vec<ValueId>> {
        let types: Vec<Type> = operands.iter().map(|&v| self.program.ty(v)).collect();
        if let CoreOp::At | CoreOp::Update = op {
            let of = self.map[operands[0].index()].clone();
            let count = self.program.types.parts(types[0]).len();
            return Some(match operands {
                &[_, index] => self.at(&of, count, index),
                _ => {
                    let part = self.map[operands[2].index()].clone();
                    let changed = self.updated(&of, count, operands[1], &part);
                    if is_active(Mutant::UpdateInPlace) {
                        self.map[operands[0].index()] = changed.clone().into();
                    }
                    changed
                }
            });
        }
        let sources = sources(&self.program.types, op, &types, ty)?;
        let mut kinds = self.program.types.scalars(ty).map(kind_of);
        let component = |source| {
            let kind = kinds.next().expect("one for each component");
            match source {
                Source::Operand(operand, i) => self.components(operands[operand])[i],
                Source::Constant(bits) => self.constant(kind, bits.into()),
            }
        };
        Some(sources.into_iter().map(component).collect())
    }
}
