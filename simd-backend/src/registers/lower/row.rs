//! The function for a row of groups: its loop, coordinates and stores.

use lambdav_core::inputs::centre;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::builder::{Builder, Constant, Slots};
use crate::lanes::{
    self, Axis, Items, Kind, LaneExpr, LaneOp, LaneProgram, LaneStatement, Rate, ValueId, Width,
};
use crate::registers::halves::Assemble;
use crate::registers::{
    Argument, End, Instr, Listed, PIXEL_BYTES, Reg, RegisterType, Shape, Status,
};

/// The size in bytes of a group's part of the table of lanes.
fn table_bytes(items: Items, shape: Shape) -> u64 {
    (Listed::words_of_group(items, shape) * size_of::<u32>()) as u64
}

impl Builder<'_> {
    fn argument(&mut self, kind: Kind, argument: Argument) -> Reg {
        let reg = self.reg(RegisterType::Scalar(kind));
        self.push(Instr::Argument(reg, argument));
        reg
    }

    /// Makes the function for a row of groups.
    pub(super) fn row(&mut self, statements: Range<usize>, slots: &mut Slots) {
        let (integer, address) = (RegisterType::Scalar(Kind::I32), RegisterType::Scalar(Kind::I64));
        self.frame_values(statements.clone(), slots);
        self.slots.clone_from(&slots.of);
        self.tables.clone_from(&slots.tables);
        let of_primitive = statements.start..statements.start + self.program.primitive_len;
        let of_group = of_primitive.end..statements.end;
        // The position of a group: its first column, or the address of its part of the table.
        let (at, step) = match self.program.items {
            Items::Rows => (Argument::Column, u64::from(self.shape.columns())),
            items => (Argument::Lanes, table_bytes(items, self.shape)),
        };
        let at_type = RegisterType::Scalar(at.kind());
        let (mut stride, mut rows) = (None, Vec::new());
        if self.program.items == Items::Rows {
            let y = self.argument(Kind::I32, Argument::Row);
            stride = Some(self.argument(Kind::I64, Argument::Stride));
            let y = self.op(RegisterType::Scalar(Kind::F32), LaneOp::FromInteger, &[y]);
            rows = self.centres(y, Axis::Y);
        }
        let arguments = vec![
            self.argument(at.kind(), at),
            self.argument(Kind::I32, Argument::Groups),
            self.argument(Kind::I64, Argument::Pixels),
        ];
        self.statements(of_primitive);
        let [group, again, end] = [(); 3].map(|()| self.reserve());
        self.jump(group, arguments);

        let [at, left, pixels] = [self.reg(at_type), self.reg(integer), self.reg(address)];
        self.begin(group, vec![at, left, pixels]);
        match self.program.items {
            Items::Rows => {
                let first = self.op(RegisterType::Scalar(Kind::F32), LaneOp::FromInteger, &[at]);
                let columns = self.centres(first, Axis::X);
                self.coordinates = [columns, rows];
            }
            Items::Listed | Items::Invocations { .. } => self.group = Some(at),
        }
        let before = self.work;
        self.statements(of_group);
        self.store(pixels, stride);
        let work = self.work - before;
        let one = self.constant(integer, 1);
        let left = self.op(integer, LaneOp::Sub, &[left, one]);
        let zero = self.constant(integer, 0);
        let is_last = self.op(RegisterType::Scalar(Kind::Mask), LaneOp::Equal, &[left, zero]);
        self.branch(is_last, end, again);

        self.begin(again, Vec::new());
        self.poll_if_long(work);
        let step = self.constant(at_type, step);
        let at = self.op(at_type, LaneOp::Add, &[at, step]);
        let stored = match self.program.items {
            Items::Rows => self.shape.columns(),
            Items::Listed | Items::Invocations { .. } => self.shape.lanes(),
        };
        let bytes = self.constant(address, u64::from(stored * PIXEL_BYTES));
        let pixels = self.op(address, LaneOp::Add, &[pixels, bytes]);
        self.jump(group, vec![at, left, pixels]);

        self.begin(end, Vec::new());
        self.finish(End::Return(Status::Done));
    }

    /// The centres of a group's pixels along an axis; the first pixel has column or row `from`.
    fn centres(&mut self, from: Reg, axis: Axis) -> Vec<Reg> {
        let rate = Items::Rows.rate(Width::Any, axis);
        let tile = self.shape.tile;
        let ty = self.type_of(Kind::F32, rate);
        (0..self.shape.registers(rate))
            .map(|i| {
                let offset = self.reg(ty);
                let first = i as u32 * tile.extent(axis);
                if tile.extent(axis) > 1 {
                    self.push(Instr::Centres(offset, axis, first as f32));
                } else {
                    self.push(Instr::Constant(offset, centre(first).to_bits().into()));
                }
                let from = if self.ty(from) == ty { from } else { self.broadcast(from, ty) };
                self.op(ty, LaneOp::Add, &[from, offset])
            })
            .collect()
    }

    /// Gives slots to the values of the frame that `statements` and the outputs use. Constants
    /// among these are made again.
    fn frame_values(&mut self, statements: Range<usize>, slots: &mut Slots) {
        let program = self.program;
        let root = program.block(LaneProgram::ROOT);
        let mut of_frame = FxHashMap::default();
        for statement in &root.statements[..program.frame_len] {
            for &value in statement.values() {
                let bits = match statement {
                    LaneStatement::Let { expr: LaneExpr::Constant(bits), .. } => {
                        Some(Constant::Bits(*bits))
                    }
                    LaneStatement::Let { expr: LaneExpr::Undefined, .. } => {
                        Some(Constant::Undefined)
                    }
                    _ => None,
                };
                of_frame.insert(value, bits);
            }
        }
        let mut used = Vec::new();
        lanes::uses(program, statements, &mut used);
        used.extend(program.outputs());
        used.sort_unstable();
        used.dedup();
        for value in used {
            match of_frame.get(&value) {
                None => {}
                Some(&Some(constant)) => {
                    self.constants.insert(value, constant);
                }
                Some(None) => {
                    slots.of.insert(value, slots.kinds.len() as u32);
                    slots.kinds.push(program.kind(value));
                }
            }
        }
        for words in lanes::lookups(program) {
            if !slots.tables.contains_key(words) {
                let first = slots.kinds.len();
                slots.tables.insert(words.into(), first as u32);
                slots.kinds.resize(first + words.len().div_ceil(2), Kind::I64);
            }
        }
    }

    /// One or two words of the frame in the format of a slot
    /// ([`words_of_slot`](crate::registers::words_of_slot)).
    pub(super) fn joined(&mut self, words: &[ValueId]) -> Reg {
        let [word, slot] = [Kind::I32, Kind::I64].map(RegisterType::Scalar);
        let mut halves = [self.constant(slot, 0); 2];
        for (half, &value) in halves.iter_mut().zip(words) {
            let mut reg = self.fit(value, Rate::FRAME)[0];
            if self.program.kind(value) == Kind::F32 {
                reg = self.op(word, LaneOp::Bits, &[reg]);
            }
            *half = self.op(slot, LaneOp::Widen, &[reg]);
        }
        if cfg!(target_endian = "big") {
            halves.reverse();
        }
        let above = self.op(slot, LaneOp::ShiftLeft(32), &[halves[1]]);
        self.op(slot, LaneOp::Or, &[halves[0], above])
    }

    /// Stores the pixels of a group in all attachments. Without a stride, rows are contiguous.
    fn store(&mut self, pixels: Reg, stride: Option<Reg>) {
        let ty = RegisterType::Scalar(Kind::I64);
        let attachments = self.program.outputs().as_chunks::<4>().0;
        let mut first = pixels;
        for (number, outputs) in attachments.iter().enumerate() {
            if number > 0 {
                let plane = self.reg(ty);
                self.push(Instr::Plane(plane));
                first = self.op(ty, LaneOp::Add, &[first, plane]);
            }
            self.store_attachment(outputs, first, stride);
        }
    }

    fn store_attachment(&mut self, outputs: &[ValueId; 4], pixels: Reg, stride: Option<Reg>) {
        let channels = outputs.map(|v| self.fit(v, Rate::VARYING));
        let across = self.shape.across as usize;
        let mut address = pixels;
        let tile = self.shape.tile;
        for down in 0..self.shape.down as usize {
            let mut rows = Vec::with_capacity(tile.rows() as usize);
            for row in 0..tile.rows() {
                if down > 0 || row > 0 {
                    let bytes = u64::from(self.shape.columns() * PIXEL_BYTES);
                    let ty = RegisterType::Scalar(Kind::I64);
                    let stride = stride.unwrap_or_else(|| self.constant(ty, bytes));
                    address =
                        self.op(RegisterType::Scalar(Kind::I64), LaneOp::Add, &[address, stride]);
                }
                rows.push(address);
            }
            for column in 0..across {
                let channels = std::array::from_fn(|k| channels[k][down * across + column]);
                let offset = column as u32 * tile.columns() * PIXEL_BYTES;
                self.push(Instr::Store { channels, rows: rows.clone().into(), offset });
            }
        }
    }
}
