//! Lowers parts of values: structures, variants and arrays.
//!
//! Parts that are known at compile time need no code: their components exist already. A dynamic index
//! chooses from an array in memory by a load, from other arrays by selects. With many parts the selects go
//! by the bits of the index.

use lambdav_core::op::Op;
use lambdav_core::schedule::{self, Expr};
use lambdav_core::types::{Scalar, Type};

use super::state::{Lowering, Place, UniformWords, kind_of};
use crate::cost;
use crate::lanes::sources::{Source, sources};
use crate::lanes::{InputWord, Kind, LaneExpr, LaneOp, Rate, Space, ValueId, Width};
use crate::mutants::{Mutant, is_active};

impl Lowering<'_> {
    /// The position of a value in memory, if it lies in memory.
    pub(super) fn place(&mut self, value: schedule::ValueId, expr: &Expr) -> Option<Place> {
        if !self.places.is_in_memory(value) {
            return None;
        }
        Some(match expr {
            Expr::Constant(words) => {
                Place { space: Space::Inputs, first: self.table(words), index: None }
            }
            Expr::Uniform(index) => {
                let UniformWords::Inputs(first) = self.uniforms[*index as usize] else {
                    unreachable!("a primitive has no arrays")
                };
                Place { space: Space::Inputs, first, index: None }
            }
            Expr::Op(Op::Element, operands) => {
                let number = self.resource(operands[0]);
                let width = self.program.types.components(self.program.ty(value)) as u32;
                let last = self.last_of(number);
                let index = self.clamped_to(operands[1], last);
                let width = self.integer(width);
                let index = Some(self.op(LaneOp::Mul, &[index, width]));
                Place { space: Space::Resource(number as u32), first: 0, index }
            }
            Expr::Op(op, operands) => {
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
                        let words = self.op(LaneOp::Mul, &[index, stride]);
                        let index = match of.index {
                            Some(before) => self.op(LaneOp::Add, &[before, words]),
                            None => words,
                        };
                        Place { index: Some(index), ..of }
                    }
                }
            }
            Expr::Input(_) | Expr::Stage(_) => unreachable!("inputs do not lie in memory"),
        })
    }

    /// The index of the first word of a constant, which is added to the inputs once.
    pub(super) fn table(&mut self, words: &[u32]) -> u32 {
        if let Some(&known) = self.tables.get(words) {
            return known;
        }
        let first = self.out.inputs.add_constant(words);
        self.tables.insert(words.into(), first);
        first
    }

    /// The components of a value of type `ty` at a place in memory.
    pub(super) fn loaded(&mut self, place: Place, ty: Type, kinds: Vec<Kind>) -> Vec<ValueId> {
        let ranges = self.arrays.of(ty).to_vec();
        if place.index.is_some() || ranges.is_empty() {
            let words = self.loaded_words(place, kinds);
            return self.assembled(ty, words);
        }
        let (mut all, mut next) = (Vec::with_capacity(kinds.len()), 0);
        let from = |first: usize| Place { first: place.first + first as u32, ..place };
        for range in ranges {
            all.extend(self.loaded_words(from(next), kinds[next..range.start].to_vec()));
            let (kind, rate) = (Kind::Array(range.len() as u32), self.out.width.lanes());
            let array = self.define(kind, rate, LaneExpr::Table(from(range.start).first));
            all.resize(range.end, array);
            next = range.end;
        }
        all.extend(self.loaded_words(from(next), kinds[next..].to_vec()));
        all
    }

    /// The words of a value at a place in memory, without arrays as values.
    fn loaded_words(&mut self, place: Place, kinds: Vec<Kind>) -> Vec<ValueId> {
        let word = |(kind, first)| match place.index {
            None => match self.out.inputs.get(first as usize) {
                InputWord::Constant(bits) => self.constant(kind, bits.into()),
                _ => self.input_word(kind, first),
            },
            Some(index) => {
                let (rate, space) = (self.out.rate(index), place.space);
                let load = LaneExpr::Load { space, first, index };
                if kind != Kind::Mask {
                    return self.define(kind, rate, load);
                }
                let word = self.define(Kind::I32, rate, load);
                self.truth(word)
            }
        };
        kinds.into_iter().zip(place.first..).map(word).collect()
    }

    /// True if a word is not zero.
    fn truth(&mut self, word: ValueId) -> ValueId {
        let zero = self.integer(0);
        self.op(LaneOp::NotEqual, &[word, zero])
    }

    /// The components of a value from its words. Arrays that lie in memory are made of their words.
    fn assembled(&mut self, ty: Type, mut words: Vec<ValueId>) -> Vec<ValueId> {
        for range in self.arrays.of(ty).to_vec() {
            let of: Vec<ValueId> =
                words[range.clone()].iter().map(|&v| self.in_memory(v)).collect();
            let (kind, rate) = (Kind::Array(range.len() as u32), self.out.width.lanes());
            let array = self.define(kind, rate, LaneExpr::Array(of.into()));
            words[range].fill(array);
        }
        words
    }

    /// A component as a word of memory: a truth value is 0 or 1.
    fn in_memory(&mut self, component: ValueId) -> ValueId {
        if self.out.kind(component) != Kind::Mask {
            return component;
        }
        let [one, zero] = [1, 0].map(|bits| self.integer(bits));
        self.op(LaneOp::Select, &[component, one, zero])
    }

    /// A component of a value. It may be a word of an array in memory.
    fn word(&mut self, value: schedule::ValueId, component: usize) -> ValueId {
        let ty = self.program.ty(value);
        let of = self.components(value)[component];
        match self.arrays.around(ty, component) {
            None => of,
            Some(range) => {
                let kind = kind_of(self.program.types.component(ty, component));
                let of = self.lineage.latest(of);
                self.word_at(of, (component - range.start) as u32, None, kind)
            }
        }
    }

    /// A word of an array in memory.
    fn word_at(
        &mut self,
        array: ValueId,
        first: u32,
        index: Option<ValueId>,
        kind: Kind,
    ) -> ValueId {
        let (at, rate) = (LaneExpr::At { array, first, index }, self.out.width.lanes());
        if kind != Kind::Mask {
            return self.define(kind, rate, at);
        }
        let word = self.define(Kind::I32, rate, at);
        self.truth(word)
    }

    /// The offset in words of the part that an index chooses, and the number of words of a part.
    fn part_of(&mut self, array: Type, index: schedule::ValueId) -> (ValueId, usize) {
        let types = &self.program.types;
        let count = types.parts(array).len();
        let width = types.components(array) / count;
        let index = self.clamped(index, count);
        let stride = self.integer(width as u32);
        (self.op(LaneOp::Mul, &[index, stride]), width)
    }

    /// The part of an array in memory that an index chooses, of type `ty`.
    fn chosen(
        &mut self,
        of: schedule::ValueId,
        index: schedule::ValueId,
        ty: Type,
    ) -> Vec<ValueId> {
        let array = self.lineage.latest(self.components(of)[0]);
        let (index, _) = self.part_of(self.program.ty(of), index);
        let kinds: Vec<Kind> = self.program.types.scalars(ty).map(kind_of).collect();
        let words = kinds.into_iter().zip(0..);
        let words = words.map(|(kind, k)| self.word_at(array, k, Some(index), kind)).collect();
        self.assembled(ty, words)
    }

    /// An array in memory with one part replaced, in the lanes of a mask.
    fn replaced(
        &mut self,
        of: schedule::ValueId,
        index: schedule::ValueId,
        part: schedule::ValueId,
        mask: ValueId,
    ) -> Vec<ValueId> {
        let before = self.components(of).to_vec();
        let latest = self.lineage.latest(before[0]);
        let (index, width) = self.part_of(self.program.ty(of), index);
        let (kind, rate) = (self.out.kind(before[0]), self.out.width.lanes());
        let mut array = latest;
        for k in 0..width {
            let word = self.word(part, k);
            let word = self.in_memory(word);
            let masked =
                (self.out.width != Width::One && !is_active(Mutant::UnmaskedStore)).then_some(mask);
            let first = k as u32;
            let put = LaneExpr::Put { array, first, index: Some(index), word, mask: masked };
            let after = self.define(kind, rate, put);
            self.lineage.comes_of(after, array, mask);
            array = after;
        }
        vec![array; before.len()]
    }

    /// True if an index is an `int`.
    fn is_signed(&self, index: schedule::ValueId) -> bool {
        self.program.ty(index).scalar() == Some(Scalar::I32)
    }

    /// An index of `count` parts, clamped in every lane.
    fn clamped(&mut self, index: schedule::ValueId, count: usize) -> ValueId {
        let last = self.integer(count as u32 - 1);
        self.clamped_to(index, last)
    }

    /// An index, clamped in every lane to the index of the last part.
    fn clamped_to(&mut self, index: schedule::ValueId, last: ValueId) -> ValueId {
        let mut clamped = self.components(index)[0];
        if self.is_signed(index) {
            let zero = self.integer(0);
            clamped = self.op(LaneOp::Max, &[clamped, zero]);
        }
        if is_active(Mutant::LooseIndex) {
            return clamped;
        }
        self.op(LaneOp::MinUnsigned, &[clamped, last])
    }

    /// True if the clamped index is at most the index of a part, or at least it. Neither comparison needs
    /// the clamp.
    fn reaches(&mut self, index: schedule::ValueId, part: usize, at_most: bool) -> ValueId {
        let signed = self.is_signed(index);
        let (index, part) = (self.components(index)[0], self.integer(part as u32));
        let of = if at_most { [index, part] } else { [part, index] };
        self.op(if signed { LaneOp::LessEqual } else { LaneOp::LessEqualUnsigned }, &of)
    }

    /// The part that an index chooses, as selects between components.
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
            let bit = self.op(LaneOp::And, &[index, bit]);
            let is_odd = self.op(LaneOp::NotEqual, &[bit, zero]);
            let pairs = parts.chunks(2).map(|pair| match pair {
                [even, odd] => self.select_each(is_odd, odd, even),
                // No clamped index has this bit set here.
                _ => pair[0].clone(),
            });
            parts = pairs.collect();
        }
        parts.swap_remove(0)
    }

    /// The part that an index chooses, of type `ty`, as lookups. The array's words must be of the frame,
    /// and the index must vary.
    fn looked_up(
        &mut self,
        array: schedule::ValueId,
        words: &[ValueId],
        count: usize,
        index: schedule::ValueId,
        ty: Type,
    ) -> Option<Vec<ValueId>> {
        let is_of_frame = self.of_frame.get(array.index()).copied().unwrap_or(false);
        let is_index_of_frame = self.out.rate(self.components(index)[0]) == Rate::FRAME;
        let are_words = words.iter().all(|&word| self.out.kind(word) != Kind::Mask);
        if !is_of_frame || is_index_of_frame || !are_words || count < cost::TABLE {
            return None;
        }
        let (index, _) = self.part_of(self.program.ty(array), index);
        let rate = self.out.rate(index);
        let kinds: Vec<Kind> = self.program.types.scalars(ty).map(kind_of).collect();
        let word = |(kind, first)| {
            let words = words.into();
            self.define(kind, rate, LaneExpr::Lookup { words, first, index })
        };
        Some(kinds.into_iter().zip(0..).map(word).collect())
    }

    /// The components of an array with the part at an index replaced, as selects.
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
                self.op(LaneOp::Equal, &[index, k])
            };
            all.extend(self.select_each(is_here, part, before));
        }
        all
    }

    fn select_each(&mut self, condition: ValueId, a: &[ValueId], b: &[ValueId]) -> Vec<ValueId> {
        a.iter().zip(b).map(|(&a, &b)| self.select(condition, a, b)).collect()
    }

    /// The components of the result of an operation on parts. `None` for other operations.
    pub(super) fn of_parts(
        &mut self,
        op: Op,
        operands: &[schedule::ValueId],
        ty: Type,
        mask: ValueId,
    ) -> Option<Vec<ValueId>> {
        let types: Vec<Type> = operands.iter().map(|&v| self.program.ty(v)).collect();
        if let Op::At | Op::Update = op {
            if self.arrays.is_whole(types[0]) {
                let changed = match *operands {
                    [of, index] => return Some(self.chosen(of, index, ty)),
                    [of, index, part] => self.replaced(of, index, part, mask),
                    _ => unreachable!("it has two operands or three"),
                };
                if is_active(Mutant::UpdateInPlace) {
                    self.map[operands[0].index()] = changed.clone().into();
                }
                return Some(changed);
            }
            // Arrays inside the parts are lowered word by word here.
            let words = 0..self.program.types.components(types[0]);
            let of: Vec<ValueId> = words.map(|i| self.word(operands[0], i)).collect();
            let count = self.program.types.parts(types[0]).len();
            return Some(match operands {
                &[array, index] => {
                    let words = match self.looked_up(array, &of, count, index, ty) {
                        Some(words) => words,
                        None => self.at(&of, count, index),
                    };
                    self.assembled(ty, words)
                }
                _ => {
                    let words = 0..self.program.types.components(types[2]);
                    let part: Vec<ValueId> = words.map(|i| self.word(operands[2], i)).collect();
                    let words = self.updated(&of, count, operands[1], &part);
                    let changed = self.assembled(ty, words);
                    if is_active(Mutant::UpdateInPlace) {
                        self.map[operands[0].index()] = changed.clone().into();
                    }
                    changed
                }
            });
        }
        let sources = sources(&self.program.types, op, &types, ty)?;
        let kinds: Vec<Kind> = self.program.types.scalars(ty).map(kind_of).collect();
        let (mut all, mut next) = (Vec::with_capacity(kinds.len()), 0);
        while next < sources.len() {
            let range = self.arrays.around(ty, next).unwrap_or(next..next + 1);
            let is_array = !self.arrays.of(ty).is_empty() && self.arrays.around(ty, next).is_some();
            if is_array
                && let Some((operand, first)) = self.arrays.whole(&types, &sources[range.clone()])
            {
                let array = self.lineage.latest(self.components(operands[operand])[first]);
                all.resize(range.end, array);
                next = range.end;
                continue;
            }
            for i in range.clone() {
                let word = match sources[i] {
                    Source::Operand(operand, k) => self.word(operands[operand], k),
                    Source::Constant(bits) => self.constant(kinds[i], bits.into()),
                };
                all.push(word);
            }
            if is_array {
                let of: Vec<ValueId> =
                    all[range.clone()].iter().map(|&v| self.in_memory(v)).collect();
                let (kind, rate) = (Kind::Array(range.len() as u32), self.out.width.lanes());
                let array = self.define(kind, rate, LaneExpr::Array(of.into()));
                all[range.clone()].fill(array);
            }
            next = range.end;
        }
        Some(all)
    }
}
