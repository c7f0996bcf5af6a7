//! Resources: addresses of texels, and sizes.
//!
//! Sizes are words of descriptors, or constants if they are baked. On the first level, and on any level of
//! baked sizes, clamped columns and rows give an address inside. If the level is computed, sizes are loaded
//! by level, and the address is clamped once more: no bound relies on loaded numbers.

use lambdav_core::op::Op;
use lambdav_core::schedule;
use lambdav_core::texture::Texels;
use lambdav_core::types::ResourceKind;

use super::state::Lowering;
use crate::lanes::{Extent, Extents, Kind, LaneExpr, LaneOp, Space, ValueId};
use crate::mutants::{Mutant, is_active};

/// The level of a texture.
#[derive(Clone, Copy)]
enum Chosen {
    Known(u8),
    /// A clamped level that is computed.
    By(ValueId),
}

impl Lowering<'_> {
    /// The components of a texture operation's result, or the length of a buffer.
    pub(super) fn of_resource(&mut self, op: Op, operands: &[schedule::ValueId]) -> Vec<ValueId> {
        let number = self.resource(operands[0]);
        if self.out.resources.0[number].levels == 0 {
            return vec![self.extent(number, Extent::Length)];
        }
        match op {
            Op::Texel => {
                let ty = self.program.ty(operands[0]);
                let kind = self.program.types.resource_kind(ty);
                let is_number = matches!(kind, Some(ResourceKind::Texture(options)) if options.texels == Texels::Numbers);
                self.texel(number, operands, is_number)
            }
            Op::TextureSize => {
                let level = self.level(number, operands[1]);
                let mut size = vec![self.of_level(number, level, Extent::Width)];
                size.push(self.of_level(number, level, Extent::Height));
                if self.out.resources.0[number].kind.has_planes() {
                    size.push(self.of_level(number, level, Extent::Planes));
                }
                size
            }
            Op::TextureLevels => vec![self.extent(number, Extent::Levels)],
            _ => unreachable!("samples of a device are not lowered"),
        }
    }

    /// The index of the resource that a value denotes.
    pub(super) fn resource(&self, value: schedule::ValueId) -> usize {
        self.program.types.resource(self.program.ty(value)).expect("the operand is a resource")
    }

    /// The index of the last element of a buffer.
    pub(super) fn last_of(&mut self, number: usize) -> ValueId {
        self.extent(number, Extent::Last)
    }

    /// An extent of a resource: a word of its descriptor, or a constant if sizes are baked.
    pub(super) fn extent(&mut self, number: usize, extent: Extent) -> ValueId {
        let all = &self.out.resources.0;
        let is_last = matches!(extent, Extent::Last | Extent::LastColumn(_));
        let resource = match is_active(Mutant::ForeignExtent) && is_last {
            true => &all[(number + 1) % all.len()],
            false => &all[number],
        };
        match resource.constant(extent) {
            Some(bits) => self.integer(bits),
            None => {
                let word = resource.word(extent);
                self.input_word(Kind::I32, word)
            }
        }
    }

    /// The level that an operand chooses, clamped.
    fn level(&mut self, number: usize, level: schedule::ValueId) -> Chosen {
        let level = self.components(level)[0];
        let resource = &self.out.resources.0[number];
        let last = resource.constant(Extent::LastLevel);
        if let (Some(last), Some(&bits)) = (last, self.constants.get(&level)) {
            let level = (bits as u32 as i32).max(0) as u32;
            return Chosen::Known(level.min(last) as u8);
        }
        let is_first = self.constants.get(&level).is_some_and(|&bits| bits as u32 as i32 <= 0);
        if last == Some(0) || is_first {
            return Chosen::Known(0);
        }
        let last = self.extent(number, Extent::LastLevel);
        Chosen::By(self.within(level, last))
    }

    /// A signed number clamped between 0 and `last`.
    fn within(&mut self, number: ValueId, last: ValueId) -> ValueId {
        let zero = self.integer(0);
        let number = self.op(LaneOp::Max, &[number, zero]);
        self.op(LaneOp::MinUnsigned, &[number, last])
    }

    /// An extent of the chosen level.
    fn of_level(&mut self, number: usize, level: Chosen, of: fn(u8) -> Extent) -> ValueId {
        match level {
            Chosen::Known(level) => self.extent(number, of(level)),
            Chosen::By(index) => {
                let resource = &self.out.resources.0[number];
                let first = match &resource.extents {
                    Extents::Texture(levels) => {
                        let each =
                            (0..levels.len() as u8).map(|level| resource.constant(of(level)));
                        let words: Option<Vec<u32>> = each.collect();
                        self.table(&words.expect("the sizes of all levels are baked"))
                    }
                    _ => resource.word(of(0)),
                };
                let rate = self.out.rate(index);
                self.define(Kind::I32, rate, LaneExpr::Load { space: Space::Inputs, first, index })
            }
        }
    }

    fn texel(
        &mut self,
        number: usize,
        operands: &[schedule::ValueId],
        is_number: bool,
    ) -> Vec<ValueId> {
        let (mut x, mut y, mut plane) = match *self.components(operands[1]) {
            [x, y] => (x, y, None),
            [x, y, plane] => (x, y, Some(plane)),
            _ => unreachable!("a place is an ivec2 or an ivec3"),
        };
        let level = self.level(number, operands[2]);
        let (is_loose, is_wrong) =
            (is_active(Mutant::LooseTexel), is_active(Mutant::WrongTexelRow));
        if !is_loose {
            let right = self.of_level(number, level, Extent::LastColumn);
            let bottom = self.of_level(number, level, Extent::LastRow);
            (x, y) = (self.within(x, right), self.within(y, bottom));
            plane = plane.map(|plane| {
                let last = self.of_level(number, level, Extent::LastPlane);
                self.within(plane, last)
            });
        }
        if let Some(plane) = plane {
            // Planes follow one another, row by row.
            let extent = if is_active(Mutant::WrongPlane) { Extent::Width } else { Extent::Height };
            let rows = self.of_level(number, level, extent);
            let rows = self.op(LaneOp::Mul, &[plane, rows]);
            y = self.op(LaneOp::Add, &[y, rows]);
        }
        let row = if is_wrong { Extent::Height } else { Extent::Width };
        let row = self.of_level(number, level, row);
        let row = self.op(LaneOp::Mul, &[y, row]);
        let mut place = self.op(LaneOp::Add, &[row, x]);
        let is_first = matches!(level, Chosen::Known(0));
        if !is_first {
            let first = self.of_level(number, level, Extent::First);
            place = self.op(LaneOp::Add, &[place, first]);
        }
        if matches!(level, Chosen::By(_)) || plane.is_some() || is_loose || is_wrong {
            let last = self.last_of(number);
            place = self.op(LaneOp::MinUnsigned, &[place, last]);
        }
        let index = self.op(LaneOp::ShiftLeft(2), &[place]);
        let (rate, space) = (self.out.rate(index), Space::Resource(number as u32));
        let kind = if is_number { Kind::F32 } else { Kind::I32 };
        let word = |first| self.define(kind, rate, LaneExpr::Load { space, first, index });
        (0..4).map(word).collect()
    }
}
