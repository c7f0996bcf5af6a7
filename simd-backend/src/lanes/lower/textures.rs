//! Resources: where a texel lies.
//!
//! The sizes of all levels are known when code is made. Where the level is, too, a column and a row that
//! are clamped make a place inside. Where it is computed, sizes are looked up by it, and the place is
//! clamped once more: nothing relies on numbers that were looked up.

use lambdav_core::op::Op as CoreOp;
use lambdav_core::resource::Bound;
use lambdav_core::schedule;
use lambdav_core::texture::Level;

use super::state::Lowering;
use crate::lanes::{Expr, Kind, Op, Space, ValueId};
use crate::mutants::{Mutant, is_active};

/// Which level of a texture is meant.
#[derive(Clone, Copy)]
enum Chosen {
    Known(usize),
    /// By a number that has been clamped.
    By(ValueId),
}

impl Lowering<'_> {
    /// The components of what an operation reads of a texture, or of a buffer that is not in an element.
    pub(super) fn of_resource(
        &mut self,
        op: CoreOp,
        operands: &[schedule::ValueId],
    ) -> Vec<ValueId> {
        let number = self.resource(operands[0]);
        let levels: Box<[Level]> = match &self.resources[number] {
            Bound::Texture(data) => data.levels().into(),
            Bound::Buffer(data) => return vec![self.integer(data.len() as u32)],
            Bound::Nothing => unreachable!("all resources are bound"),
        };
        match op {
            CoreOp::Texel => self.texel(number, &levels, operands),
            CoreOp::TextureSize => {
                let level = self.level(&levels, operands[1]);
                let width = self.of_level(&levels, level, |of| of.width);
                vec![width, self.of_level(&levels, level, |of| of.height)]
            }
            CoreOp::TextureLevels => vec![self.integer(levels.len() as u32)],
            _ => unreachable!("samples of a device are not lowered"),
        }
    }

    /// The number of the resource that a value is.
    pub(super) fn resource(&self, value: schedule::ValueId) -> usize {
        self.program.types.resource(self.program.ty(value)).expect("the operand is a resource")
    }

    fn level(&mut self, levels: &[Level], level: schedule::ValueId) -> Chosen {
        let level = self.components(level)[0];
        let last = levels.len() - 1;
        match self.constants.get(&level) {
            _ if last == 0 => Chosen::Known(0),
            Some(&bits) => Chosen::Known(((bits as u32 as i32).max(0) as usize).min(last)),
            None => {
                let last = self.integer(last as u32);
                Chosen::By(self.within(level, last))
            }
        }
    }

    /// A signed number, made to lie between 0 and another one.
    fn within(&mut self, number: ValueId, last: ValueId) -> ValueId {
        let zero = self.integer(0);
        let number = self.op(Op::Max, &[number, zero]);
        self.op(Op::MinUnsigned, &[number, last])
    }

    /// What each level has, of that one.
    fn of_level(
        &mut self,
        levels: &[Level],
        level: Chosen,
        each: impl Fn(&Level) -> u32,
    ) -> ValueId {
        match level {
            Chosen::Known(level) => self.integer(each(&levels[level])),
            Chosen::By(index) => {
                let words: Vec<u32> = levels.iter().map(each).collect();
                let (first, space) = (self.table(&words), Space::Inputs);
                let rate = self.out.rate(index);
                self.define(Kind::I32, rate, Expr::Load { space, first, index })
            }
        }
    }

    fn texel(
        &mut self,
        number: usize,
        levels: &[Level],
        operands: &[schedule::ValueId],
    ) -> Vec<ValueId> {
        let &[mut x, mut y] = self.components(operands[1]) else {
            unreachable!("a place is an ivec2")
        };
        let level = self.level(levels, operands[2]);
        let (is_loose, is_wrong) =
            (is_active(Mutant::LooseTexel), is_active(Mutant::WrongTexelRow));
        if !is_loose {
            let right = self.of_level(levels, level, |of| of.width - 1);
            let bottom = self.of_level(levels, level, |of| of.height - 1);
            (x, y) = (self.within(x, right), self.within(y, bottom));
        }
        let row = self.of_level(levels, level, |of| if is_wrong { of.height } else { of.width });
        let row = self.op(Op::Mul, &[y, row]);
        let place = self.op(Op::Add, &[row, x]);
        let first = self.of_level(levels, level, |of| of.first);
        let mut place = self.op(Op::Add, &[place, first]);
        if matches!(level, Chosen::By(_)) || is_loose || is_wrong {
            let last = levels[levels.len() - 1];
            let last = self.integer(last.first + last.width * last.height - 1);
            place = self.op(Op::MinUnsigned, &[place, last]);
        }
        let index = self.op(Op::ShiftLeft(2), &[place]);
        let (rate, space) = (self.out.rate(index), Space::Resource(number as u32));
        let word = |first| self.define(Kind::F32, rate, Expr::Load { space, first, index });
        (0..4).map(word).collect()
    }
}
