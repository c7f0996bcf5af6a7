//! Instructions on vector registers.

use iced_x86::{Mnemonic, OpKind, Register, RoundingControl};

use crate::bits::{Bits, Vector};
use crate::fault::FaultKind;
use crate::flags::Flags;
use crate::float::{double, single};
use crate::general::operand_width;
use crate::machine::{Machine, Step};
use crate::operation::{Function, Lanewise, MaskOp, Operation};
use crate::shuffle::{Pick, Place, Shuffle};

impl Machine<'_> {
    /// Executes an instruction on vector or mask registers.
    pub(crate) fn vector(&mut self, step: &Step, operation: Operation) -> Result<(), FaultKind> {
        let rounding = step.instruction.rounding_control();
        if !matches!(rounding, RoundingControl::None | RoundingControl::RoundToNearest) {
            return Err(FaultKind::UnknownForm("this rounding"));
        }
        let lanes = |width: u32| (step.vector_bits / width) as usize;
        let last = step.operands.saturating_sub(1);
        match operation {
            Operation::Lanewise(lanewise) => self.lanewise(step, &lanewise),
            Operation::Logic(width, function) => self.logic_lanes(step, width, function),
            Operation::Ternary(width) => {
                let all = [0, 1, 2].map(|operand| self.source(step, operand, width));
                let [a, b, c] = all;
                let (a, b, c) = (a?, b?, c?);
                self.each_lane(step, width, lanes(width), |lane| {
                    let operands = [&a, &b, &c].map(|vector| vector.lane(width, lane));
                    ternary(operands, step.imm).low(width)
                })
            }
            Operation::Shift(width, function) => {
                let from = step.instruction.op_count() - 2;
                let count = match step.operands == step.instruction.op_count() {
                    false => Bits::known(step.imm.into()),
                    true => self.source(step, last, 64)?.lane(64, 0),
                };
                let a = self.source(step, from, width)?;
                self.each_lane(step, width, lanes(width), |lane| {
                    let a = a.lane(width, lane);
                    let value = function([a.value, count.value, 0], 0, width);
                    // A known count also moves the undefined bits.
                    let undefined = function([a.undefined, count.value, 0], 0, width);
                    match count.undefined {
                        0 => Bits { value, undefined }.low(width),
                        _ => Bits::UNDEFINED,
                    }
                })
            }
            Operation::Shuffle(shuffle) => self.shuffle(step, &shuffle),
            Operation::Move { width, is_aligned } => {
                if is_aligned {
                    self.check_alignment(step)?;
                }
                let from = self.source_of_move(step, 1, width)?;
                self.finish(step, width, lanes(width), from)
            }
            Operation::Gather(width) => self.gather(step, width),
            Operation::Scatter(width) => self.scatter(step, width),
            Operation::MoveScalar(width) => {
                let from = self.source_of_move(step, last, width)?;
                let mut result = Vector::default();
                if step.instruction.op_kind(last) == OpKind::Register {
                    let upper = if step.operands == 3 { 1 } else { 0 };
                    if step.instruction.op_kind(upper) == OpKind::Register {
                        result = self.source(step, upper, width)?;
                    }
                }
                result.set_lane(width, 0, from.lane(width, 0));
                self.finish(step, width, 1, result)
            }
            Operation::MoveInteger(width) => {
                let bits = match self.vector_register(step, 1) {
                    Some(from) => from.lane(width, 0),
                    None => self.read(&step.instruction, 1)?,
                };
                if self.vector_register(step, 0).is_none() {
                    return self.write(&step.instruction, 0, bits);
                }
                let mut result = Vector::default();
                result.set_lane(width, 0, bits);
                self.finish(step, width, 1, result)
            }
            Operation::MoveHalf { is_upper } => self.move_half(step, usize::from(is_upper)),
            Operation::Blend(width) => {
                let (a, b) = (self.source(step, 1, width)?, self.source_of_move(step, 2, width)?);
                let mask = self.write_mask(step);
                let other = |lane| match step.instruction.zeroing_masking() {
                    true => Bits::known(0),
                    false => a.lane(width, lane),
                };
                let mut result = Vector::default();
                for lane in 0..lanes(width) {
                    let chosen =
                        Bits::select(mask.bit(lane as u32), b.lane(width, lane), other(lane));
                    result.set_lane(width, lane, chosen);
                }
                // The mask is already applied.
                self.finish(step, width, 0, result)
            }
            Operation::BlendBySign(width) => {
                let (a, b, mask) = if step.is_legacy {
                    (self.source(step, 0, width)?, self.source(step, 1, width)?, self.vectors[0])
                } else {
                    let b = self.source(step, 2, width)?;
                    (self.source(step, 1, width)?, b, self.source(step, 3, width)?)
                };
                self.each_lane(step, width, lanes(width), |lane| {
                    let condition = mask.lane(width, lane).bit(width - 1);
                    Bits::select(condition, b.lane(width, lane), a.lane(width, lane))
                })
            }
            Operation::SignBits(width) => {
                let from = self.source(step, 1, width)?;
                self.write(&step.instruction, 0, sign_bits(&from, width, lanes(width)))
            }
            Operation::TestSigns(width) => {
                let signs = |vector: Vector| sign_bits(&vector, width, lanes(width));
                let a = signs(self.source(step, 0, width)?);
                let b = signs(self.source(step, 1, width)?);
                let carry = a.not().and(b).is_zero();
                self.flags = Flags::zero_and_carry(a.and(b).is_zero(), carry);
                Ok(())
            }
            Operation::TestBits => {
                let (a, b) = (self.source(step, 0, 64)?, self.source(step, 1, 64)?);
                let any = |function: fn(Bits, Bits) -> Bits| {
                    let each = (0..lanes(64)).map(|k| function(a.lane(64, k), b.lane(64, k)));
                    each.reduce(Bits::or).and_then(Bits::is_zero)
                };
                let carry = any(|a, b| a.not().and(b));
                self.flags = Flags::zero_and_carry(any(Bits::and), carry);
                Ok(())
            }
            Operation::CompareScalar(width) => {
                let a = self.source(step, 0, width)?.lane(width, 0).get(width);
                let b = self.source(step, 1, width)?.lane(width, 0).get(width);
                let order = a.zip(b).map(|(a, b)| match width {
                    32 => single::float(a).partial_cmp(&single::float(b)),
                    _ => double::float(a).partial_cmp(&double::float(b)),
                });
                self.flags = Flags::comparison(order);
                Ok(())
            }
            Operation::FromGeneral { width, signed } => {
                let from = operand_width(&step.instruction, last)?;
                let bits = self.read(&step.instruction, last)?;
                let function = signed[usize::from(from == 64)];
                let mut result = self.source(step, step.operands - 2, width)?;
                let value = function([bits.value, 0, 0], 0);
                result.set_lane(width, 0, Bits::whole(value, width, bits.undefined != 0));
                self.finish(step, width, 1, result)
            }
            Operation::ToGeneral { width, functions } => {
                let to = operand_width(&step.instruction, 0)?;
                let from = self.source(step, 1, width)?.lane(width, 0);
                let value = functions[usize::from(to == 64)]([from.value, 0, 0], 0);
                self.write(&step.instruction, 0, Bits::whole(value, to, from.undefined != 0))
            }
            Operation::ExtractLane(width) => {
                let lane = usize::from(step.imm) & (128 / width as usize - 1);
                let bits = self.source(step, 1, width)?.lane(width, lane);
                self.write(&step.instruction, 0, bits)
            }
            Operation::InsertLane(width) => {
                let lane = usize::from(step.imm) & (128 / width as usize - 1);
                let bits = self.read(&step.instruction, last)?;
                let mut result = self.source(step, last - 1, width)?;
                result.set_lane(width, lane, bits);
                self.finish(step, width, 4, result)
            }
            Operation::InsertSingle => {
                let is_memory = step.instruction.op_kind(last) == OpKind::Memory;
                let imm = usize::from(step.imm);
                let from = if is_memory { 0 } else { imm >> 6 };
                let bits = self.source(step, last, 32)?.lane(32, from);
                let mut result = self.source(step, last - 1, 32)?;
                result.set_lane(32, imm >> 4 & 3, bits);
                for lane in (0..4).filter(|lane| imm >> lane & 1 == 1) {
                    result.set_lane(32, lane, Bits::known(0));
                }
                self.finish(step, 32, 4, result)
            }
            Operation::MaskToVector(width) => {
                let mask = self.mask_register(step, 1)?;
                self.each_lane(step, width, lanes(width), |lane| {
                    mask.shifted_right(lane as u32).extended(1).low(width)
                })
            }
            Operation::VectorToMask(width) => {
                let from = self.source(step, 1, width)?;
                self.set_mask_register(step, sign_bits(&from, width, lanes(width)))
            }
            Operation::Mask(width, op) => self.mask(step, width, op),
            Operation::ZeroUpper => {
                self.vectors[..16].iter_mut().for_each(|vector| vector.clear_above(128));
                Ok(())
            }
            Operation::ZeroAll => {
                self.vectors[..16].fill(Vector::default());
                Ok(())
            }
        }
    }

    fn lanewise(&mut self, step: &Step, lanewise: &Lanewise) -> Result<(), FaultKind> {
        let Lanewise { from, to, sources, is_scalar, function } = *lanewise;
        let first = step.operands - sources as u32;
        let lanes = if is_scalar { 1 } else { (step.vector_bits / from.max(to)) as usize };
        let mut vectors = [Vector::default(); 3];
        for (k, vector) in vectors.iter_mut().take(sources).enumerate() {
            *vector = self.active_source(step, first + k as u32, from, lanes)?;
        }
        let is_constant = sources == 2 && is_constant_of_equals(step);
        let compute = |lane: usize| {
            let operands = vectors.each_ref().map(|vector| vector.lane(from, lane));
            let values = operands.map(|bits| bits.value);
            let value = match function {
                Function::Float(function) => function(values, step.imm),
                Function::Integer(function) => function(values, step.imm, from),
            };
            let is_undefined = operands.iter().any(|bits| bits.undefined != 0);
            Bits::whole(value, to, is_undefined && !is_constant)
        };
        if is_scalar {
            let upper = if sources == 3 { 0 } else { step.operands.saturating_sub(2) };
            if step.instruction.op_register(0).is_k() {
                let result = compute(0);
                return self.set_compared(step, 1, |_| result);
            }
            let mut result = self.source(step, upper, to)?;
            result.set_lane(to, 0, compute(0));
            return self.finish(step, to, 1, result);
        }
        if step.instruction.op0_kind() == OpKind::Register && step.instruction.op0_register().is_k()
        {
            return self.set_compared(step, lanes, compute);
        }
        self.each_lane(step, to, lanes, compute)
    }

    /// Sets a mask register from the lanes of a comparison, each all ones or zero.
    fn set_compared(
        &mut self,
        step: &Step,
        lanes: usize,
        compare: impl Fn(usize) -> Bits,
    ) -> Result<(), FaultKind> {
        let mut result = Bits::known(0);
        for lane in 0..lanes {
            result = result.replaced(lane as u32, 1, compare(lane));
        }
        // Bits outside the write mask are cleared.
        let mask = self.write_mask(step);
        self.set_mask_register(step, result.and(mask))
    }

    fn logic_lanes(
        &mut self,
        step: &Step,
        width: u32,
        function: fn(Bits, Bits) -> Bits,
    ) -> Result<(), FaultKind> {
        let [first, second] = [step.operands - 2, step.operands - 1];
        let (a, b) = (self.source(step, first, width)?, self.source(step, second, width)?);
        let is_one = is_one_register(step, first, second);
        self.each_lane(step, width, (step.vector_bits / width) as usize, |lane| {
            logic([a.lane(width, lane), b.lane(width, lane)], is_one, function).low(width)
        })
    }

    fn shuffle(&mut self, step: &Step, shuffle: &Shuffle) -> Result<(), FaultKind> {
        let Shuffle { width, sources, control, pick } = *shuffle;
        let first = step.operands - sources as u32;
        let mut vectors = [Vector::default(); 3];
        for (k, vector) in vectors.iter_mut().take(sources).enumerate() {
            *vector = self.source(step, first + k as u32, width)?;
        }
        let lanes = (step.vector_bits / width) as usize;
        let written = (step.result_bits / width) as usize;
        let mut result = Vector::default();
        for lane in 0..written {
            let control = match control {
                Some(k) => vectors[k].lane(width, lane),
                None => Bits::known(0),
            };
            let place =
                Place { lane, lanes, imm: step.imm.into(), control: control.value as usize };
            let bits = match pick(place) {
                _ if control.undefined != 0 => Bits::UNDEFINED,
                Pick::Lane(source, lane) => vectors[source].lane(width, lane),
                Pick::Zero => Bits::known(0),
            };
            result.set_lane(width, lane, bits);
        }
        self.finish(step, width, written, result)
    }

    fn move_half(&mut self, step: &Step, half: usize) -> Result<(), FaultKind> {
        if step.instruction.op0_kind() == OpKind::Memory {
            let bits = self.source(step, 1, 64)?.lane(64, half);
            return self.write(&step.instruction, 0, bits);
        }
        let last = step.operands - 1;
        let bits = self.source(step, last, 64)?.lane(64, 0);
        let mut result = self.source(step, last - 1, 64)?;
        result.set_lane(64, half, bits);
        self.finish(step, 64, 2, result)
    }

    fn mask(&mut self, step: &Step, width: u32, op: MaskOp) -> Result<(), FaultKind> {
        let register = |operand| self.mask_register(step, operand).map(|bits| bits.low(width));
        let result = match op {
            MaskOp::Move => {
                let is_mask = |operand| {
                    step.instruction.op_kind(operand) == OpKind::Register
                        && step.instruction.op_register(operand).is_k()
                };
                let bits = match is_mask(1) {
                    true => register(1)?,
                    false => self.read(&step.instruction, 1)?.low(width),
                };
                if !is_mask(0) {
                    return self.write(&step.instruction, 0, bits);
                }
                bits
            }
            MaskOp::Not => register(1)?.not(),
            MaskOp::Two(function) => {
                logic([register(1)?, register(2)?], is_one_register(step, 1, 2), function)
            }
            MaskOp::ShiftLeft => register(1)?.shifted_left(step.imm.into()),
            MaskOp::ShiftRight => register(1)?.shifted_right(step.imm.into()),
            MaskOp::Unpack => {
                let half = width / 2;
                register(2)?.low(half).replaced(half, half, register(1)?)
            }
            MaskOp::OrTest => {
                let union = register(0)?.or(register(1)?);
                let carry = union.not().low(width).is_zero();
                self.flags = Flags::zero_and_carry(union.is_zero(), carry);
                return Ok(());
            }
            MaskOp::Test => {
                let (a, b) = (register(0)?, register(1)?);
                let carry = a.not().and(b).is_zero();
                self.flags = Flags::zero_and_carry(a.and(b).is_zero(), carry);
                return Ok(());
            }
        };
        self.set_mask_register(step, result.low(width))
    }

    fn mask_register(&self, step: &Step, operand: u32) -> Result<Bits, FaultKind> {
        match step.instruction.op_kind(operand) {
            OpKind::Register if step.instruction.op_register(operand).is_k() => {
                Ok(self.masks[step.instruction.op_register(operand).number()])
            }
            _ => Err(FaultKind::UnknownForm("this kind of mask")),
        }
    }

    fn set_mask_register(&mut self, step: &Step, bits: Bits) -> Result<(), FaultKind> {
        if !step.instruction.op0_register().is_k() {
            return Err(FaultKind::UnknownForm("this kind of mask"));
        }
        self.masks[step.instruction.op0_register().number()] = bits;
        Ok(())
    }

    /// The write mask; all ones if there is none.
    fn write_mask(&self, step: &Step) -> Bits {
        match step.instruction.op_mask() {
            Register::None => Bits::known(u64::MAX),
            register => self.masks[register.number()],
        }
    }

    fn vector_register(&self, step: &Step, operand: u32) -> Option<Vector> {
        let is_register = step.instruction.op_kind(operand) == OpKind::Register;
        let register = step.instruction.op_register(operand);
        let is_vector = is_register && register.is_vector_register();
        is_vector.then(|| self.vectors[register.number()])
    }

    /// An operand as lanes of that width: a vector register, memory, or a general register in the lowest
    /// lane.
    fn source(&self, step: &Step, operand: u32, width: u32) -> Result<Vector, FaultKind> {
        let lanes = (step.vector_bits / width).max(1) as usize;
        self.load_lanes(step, operand, width, lanes, Bits::known(u64::MAX), true)
    }

    /// The same for an instruction that reads only active lanes from memory.
    fn active_source(
        &self,
        step: &Step,
        operand: u32,
        width: u32,
        lanes: usize,
    ) -> Result<Vector, FaultKind> {
        self.load_lanes(step, operand, width, lanes, self.write_mask(step), true)
    }

    /// The same for a move, which reads only active lanes, from memory of any alignment.
    fn source_of_move(&self, step: &Step, operand: u32, width: u32) -> Result<Vector, FaultKind> {
        let lanes = (step.vector_bits / width).max(1) as usize;
        self.load_lanes(step, operand, width, lanes, self.write_mask(step), false)
    }

    fn load_lanes(
        &self,
        step: &Step,
        operand: u32,
        width: u32,
        lanes: usize,
        mask: Bits,
        must_align: bool,
    ) -> Result<Vector, FaultKind> {
        if let Some(vector) = self.vector_register(step, operand) {
            return Ok(vector);
        }
        let mut result = Vector::default();
        if step.instruction.op_kind(operand) != OpKind::Memory {
            result.set_lane(width, 0, self.read(&step.instruction, operand)?);
            return Ok(result);
        }
        let size = step.instruction.memory_size().size();
        let bytes = u64::from(width / 8);
        let is_broadcast = step.instruction.is_broadcast();
        let count = if is_broadcast { lanes } else { size / bytes as usize };
        let Some(address) = self.address_of_load(&step.instruction)? else {
            for lane in 0..count {
                result.set_lane(width, lane, Bits::UNDEFINED.low(width));
            }
            return Ok(result);
        };
        if must_align && step.is_legacy && size == 16 {
            check_aligned(address, 16)?;
        }
        for lane in 0..count {
            // A lane that may be read must lie in memory.
            let is_read = lane >= lanes || mask.bit(lane as u32).unwrap_or(true);
            if is_read {
                let offset = if is_broadcast { 0 } else { lane as u64 * bytes };
                let bits = self.memory.load(address.wrapping_add(offset), bytes)?;
                result.set_lane(width, lane, bits);
            }
        }
        Ok(result)
    }

    /// A lane with an undefined index is undefined, and its memory is not accessed.
    fn gather(&mut self, step: &Step, width: u32) -> Result<(), FaultKind> {
        let it = &step.instruction;
        let [target, indices] = [it.op0_register(), it.memory_index()];
        let mask = if it.op_mask() == Register::None { it.op_register(2) } else { it.op_mask() };
        if [target, mask].contains(&indices) || target == mask {
            return Err(FaultKind::UnknownForm("one register for two operands"));
        }
        let lanes = (8 * target.size() as u32 / width) as usize;
        let base = self.base_address(it)?;
        let mut result = Vector::default();
        for lane in 0..lanes {
            let active = match mask.is_k() {
                true => self.masks[mask.number()].bit(lane as u32),
                false => self.vectors[mask.number()].lane(width, lane).bit(width - 1),
            };
            let active = active.ok_or(FaultKind::Undefined("the mask"))?;
            let bits = match self.vectors[indices.number()].lane(width, lane).get(width) {
                _ if !active => self.vectors[target.number()].lane(width, lane),
                None => Bits::UNDEFINED.low(width),
                Some(index) => {
                    let scale = u64::from(it.memory_index_scale());
                    let offset = (i64::from(index as i32) as u64).wrapping_mul(scale);
                    self.memory.load(base.wrapping_add(offset), u64::from(width / 8))?
                }
            };
            result.set_lane(width, lane, bits);
        }
        self.vectors[target.number()] = result;
        if mask.is_k() {
            self.masks[mask.number()] = Bits::known(0);
        } else {
            self.vectors[mask.number()] = Vector::default();
        }
        Ok(())
    }

    /// Stores lanes in ascending order. An undefined index in an active lane is a fault.
    fn scatter(&mut self, step: &Step, width: u32) -> Result<(), FaultKind> {
        let it = &step.instruction;
        let (source, indices, mask) = (it.op1_register(), it.memory_index(), it.op_mask());
        let lanes = 8 * source.size() as u32 / width;
        let base = self.base_address(it)?;
        for lane in 0..lanes {
            let active = self.masks[mask.number()].bit(lane);
            if !active.ok_or(FaultKind::Undefined("the mask"))? {
                continue;
            }
            let index = self.vectors[indices.number()].lane(width, lane as usize).get(width);
            let index = index.ok_or(FaultKind::Undefined("the index"))?;
            let scale = u64::from(it.memory_index_scale());
            let offset = (i64::from(index as i32) as u64).wrapping_mul(scale);
            let bits = self.vectors[source.number()].lane(width, lane as usize);
            self.memory.store(base.wrapping_add(offset), u64::from(width / 8), bits)?;
        }
        self.masks[mask.number()] = Bits::known(0);
        Ok(())
    }

    fn check_alignment(&self, step: &Step) -> Result<(), FaultKind> {
        let operands = 0..step.instruction.op_count();
        let is_memory = |operand| step.instruction.op_kind(operand) == OpKind::Memory;
        if { operands }.any(is_memory) {
            let size = step.instruction.memory_size().size() as u64;
            check_aligned(self.address(&step.instruction)?, size)?;
        }
        Ok(())
    }

    fn each_lane(
        &mut self,
        step: &Step,
        width: u32,
        lanes: usize,
        compute: impl Fn(usize) -> Bits,
    ) -> Result<(), FaultKind> {
        let mut result = Vector::default();
        for lane in 0..lanes {
            result.set_lane(width, lane, compute(lane));
        }
        self.finish(step, width, lanes, result)
    }

    /// Writes the first lanes of a result to the first operand, under the mask. Legacy encodings keep the
    /// bits above the register, others clear them.
    fn finish(
        &mut self,
        step: &Step,
        width: u32,
        lanes: usize,
        mut result: Vector,
    ) -> Result<(), FaultKind> {
        let mask = self.write_mask(step);
        match step.instruction.op0_kind() {
            OpKind::Register if step.instruction.op0_register().is_vector_register() => {
                let register = step.instruction.op0_register();
                let bits = 8 * register.size() as u32;
                let old = self.vectors[register.number()];
                for lane in 0..lanes.min((bits / width) as usize) {
                    let kept = match step.instruction.zeroing_masking() {
                        true => Bits::known(0),
                        false => old.lane(width, lane),
                    };
                    let new = result.lane(width, lane);
                    let written = Bits::select(mask.bit(lane as u32), new, kept);
                    result.set_lane(width, lane, written);
                }
                if step.is_legacy {
                    let first = bits as usize / 64;
                    result.value[first..].copy_from_slice(&old.value[first..]);
                    result.undefined[first..].copy_from_slice(&old.undefined[first..]);
                } else {
                    result.clear_above(bits);
                }
                self.vectors[register.number()] = result;
                Ok(())
            }
            OpKind::Memory => {
                let address = self.address(&step.instruction)?;
                let bytes = u64::from(width / 8);
                let count = step.instruction.memory_size().size() as u64 / bytes;
                for lane in 0..count {
                    let active = mask.bit(lane as u32);
                    if active.ok_or(FaultKind::Undefined("the mask"))? {
                        let bits = result.lane(width, lane as usize);
                        let address = address.wrapping_add(lane * bytes);
                        self.memory.store(address, bytes, bits)?;
                    }
                }
                Ok(())
            }
            _ => Err(FaultKind::UnknownForm("this kind of result")),
        }
    }
}

fn check_aligned(address: u64, size: u64) -> Result<(), FaultKind> {
    if address.is_multiple_of(size) { Ok(()) } else { Err(FaultKind::Misaligned { address, size }) }
}

/// The highest bits of the lanes.
fn sign_bits(vector: &Vector, width: u32, lanes: usize) -> Bits {
    (0..lanes).fold(Bits::known(0), |all, lane| {
        all.replaced(lane as u32, 1, vector.lane(width, lane).shifted_right(width - 1))
    })
}

/// A bitwise function of two operands. With `is_one` both are the same register, so that bits on which the
/// result does not depend become known.
fn logic([a, b]: [Bits; 2], is_one: bool, function: fn(Bits, Bits) -> Bits) -> Bits {
    let result = function(a, b);
    if !is_one {
        return result;
    }
    let of = |value| function(Bits::known(value), Bits::known(value)).value;
    let depends = of(0) ^ of(u64::MAX);
    Bits { value: result.value, undefined: a.undefined & depends }
}

/// A function of three bits, given as a table.
fn ternary(operands: [Bits; 3], table: u8) -> Bits {
    let mut can_be = [0_u64; 2];
    for case in 0..8_usize {
        let possible = operands.iter().enumerate().fold(u64::MAX, |all, (k, operand)| {
            let is_one = case >> (2 - k) & 1 == 1;
            all & (if is_one { operand.value } else { !operand.value } | operand.undefined)
        });
        can_be[usize::from(table >> case & 1)] |= possible;
    }
    Bits { value: can_be[1], undefined: can_be[0] & can_be[1] }
}

fn is_one_register(step: &Step, first: u32, second: u32) -> bool {
    let kind = |operand| step.instruction.op_kind(operand) == OpKind::Register;
    let register = |operand| step.instruction.op_register(operand);
    kind(first) && kind(second) && register(first) == register(second)
}

/// True if both operands are one register and the result does not depend on its content.
fn is_constant_of_equals(step: &Step) -> bool {
    use Mnemonic::*;
    let is_known = matches!(
        step.instruction.mnemonic(),
        Pcmpeqb
            | Pcmpeqw
            | Pcmpeqd
            | Pcmpeqq
            | Vpcmpeqb
            | Vpcmpeqw
            | Vpcmpeqd
            | Vpcmpeqq
            | Pcmpgtb
            | Pcmpgtw
            | Pcmpgtd
            | Pcmpgtq
            | Vpcmpgtb
            | Vpcmpgtw
            | Vpcmpgtd
            | Vpcmpgtq
            | Psubb
            | Psubw
            | Psubd
            | Psubq
            | Vpsubb
            | Vpsubw
            | Vpsubd
            | Vpsubq
    );
    is_known && is_one_register(step, step.operands - 2, step.operands - 1)
}
