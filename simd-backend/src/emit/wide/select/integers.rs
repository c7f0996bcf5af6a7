//! Integer operations of several instructions lane by lane, and scalar ones for which there are
//! only vector instructions.

use regalloc2::VReg;

use super::selection::{Selection, Source, Value};
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Rm};
use crate::emit::wide::isa::{Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR, Wide};
use crate::lanes::{Kind, LaneOp};
use crate::registers::{Reg, RegisterType};

/// Predicates of floating-point comparisons: greater or equal, false for a NaN; and neither operand
/// a NaN.
const GREATER_OR_EQUAL: i32 = 0xd;
const ORDERED: i32 = 7;

/// 2^31, 2^32 and 2^16 as `F32`.
const TWO_31: u32 = 0x4f00_0000;
const TWO_32: u32 = 0x4f80_0000;
const TWO_16: u32 = 0x4780_0000;

/// The instruction of an operation on two `I32`, if there is one.
fn instruction(op: LaneOp) -> Option<Opcode> {
    Some(match op {
        LaneOp::Mul => Opcode::MulD,
        LaneOp::Min => Opcode::MinD,
        LaneOp::Max => Opcode::MaxD,
        LaneOp::MinUnsigned => Opcode::MinUD,
        LaneOp::MaxUnsigned => Opcode::MaxUD,
        LaneOp::ShiftLeftBy => Opcode::ShiftLeftByD,
        LaneOp::ShiftRightBy => Opcode::ShiftRightByD,
        LaneOp::ShiftRightSignedBy => Opcode::ShiftRightSignedByD,
        _ => return None,
    })
}

impl Selection<'_> {
    /// An operation on vectors of integers, or one that results in integers.
    pub(super) fn integers(&mut self, op: LaneOp, size: Size, to: VReg, operands: &[Reg]) {
        if let Some(machine) = instruction(op) {
            let [a, b] = [operands[0], operands[1]];
            let is_shift = matches!(
                op,
                LaneOp::ShiftLeftBy | LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy
            );
            if is_shift {
                self.binary(machine, size, to, [a, b]);
            } else {
                self.commutative(machine, size, to, [a, b]);
            }
            return;
        }
        let is_constant =
            matches!(operands.get(1).map(|reg| self.values[reg.index()]), Some(Value::Constant(_)));
        let of: Vec<VReg> = operands.iter().map(|&reg| self.register(reg)).collect();
        self.integers_in(op, size, to, &of, is_constant);
    }

    /// An operation on scalar integers, or one that results in one, in the lowest lane of a vector.
    pub(super) fn integer_as_vector(&mut self, to: Reg, op: LaneOp, operands: &[Reg]) {
        let of: Vec<VReg> = operands
            .iter()
            .map(|&reg| {
                let value = self.register(reg);
                if value.class() != GENERAL {
                    return value;
                }
                let lane = self.temporary(VECTOR);
                self.op2(Opcode::FromGeneral32, Size::B32, lane, Source::register(value));
                lane
            })
            .collect();
        let made = self.define(to);
        let is_general = made.class() == GENERAL;
        let lane = if is_general { self.temporary(VECTOR) } else { made };
        match instruction(op) {
            Some(op) => self.op3(op, Size::B128, lane, of[0], Source::register(of[1])),
            None => self.integers_in(op, Size::B128, lane, &of, false),
        }
        if is_general {
            let it = Instruction::new(Opcode::ToGeneral32, Size::B32).rm(Arg::Def(made));
            self.push(it.reg(Arg::Use(lane)));
        }
    }

    /// The same in registers of `size`. `is_constant`: the second operand is the same in all lanes.
    fn integers_in(&mut self, op: LaneOp, size: Size, to: VReg, of: &[VReg], is_constant: bool) {
        match op {
            LaneOp::MulHigh => self.product_above(size, to, [of[0], of[1]], is_constant),
            LaneOp::FromUnsigned => self.convert_unsigned(size, to, of[0]),
            LaneOp::ToIntegerInRange => {
                self.op2(Opcode::PsToD, size, to, Source::register(of[0]));
            }
            LaneOp::ToInteger => self.truncate(size, to, of[0]),
            LaneOp::ToUnsigned => self.truncate_unsigned(size, to, of[0]),
            _ => unreachable!("{op:?} is not an operation on integers"),
        }
    }

    /// Shifts all lanes by the same count.
    pub(super) fn shift(&mut self, op: Opcode, size: Size, to: VReg, value: VReg, count: u8) {
        let it = Instruction::new(op, size).vvvv(Arg::Def(to)).rm(Arg::Use(value));
        self.push(it.number(count.into()));
    }

    /// A vector with the same 32 bits in all lanes.
    pub(super) fn everywhere(&mut self, size: Size, bits: u32) -> Source {
        let (ty, broadcast) = (RegisterType::Vector(Kind::I32), self.wide.has_masks());
        let bytes = if broadcast { 4 } else { size.bytes() };
        Source { rm: Rm::Mem(self.constant_place(ty, bits.into(), bytes)), broadcast }
    }

    fn made(&mut self, op: Opcode, size: Size, a: VReg, b: Source) -> VReg {
        let made = self.temporary(VECTOR);
        self.op3(op, size, made, a, b);
        made
    }

    fn converted(&mut self, op: Opcode, size: Size, a: VReg) -> VReg {
        let made = self.temporary(VECTOR);
        self.op2(op, size, made, Source::register(a));
        made
    }

    fn compared(&mut self, size: Size, a: VReg, b: Source, predicate: i32) -> VReg {
        let has_masks = self.wide.has_masks();
        let op = if has_masks { Opcode::ComparePsK } else { Opcode::ComparePs };
        let found = self.temporary(if has_masks { MASK } else { VECTOR });
        let it = Instruction::new(op, size).reg(Arg::Def(found)).vvvv(Arg::Use(a));
        self.push(b.of(it.number(predicate)));
        found
    }

    /// The upper halves of products, computed separately in even and in odd lanes.
    fn product_above(&mut self, size: Size, to: VReg, [a, b]: [VReg; 2], is_constant: bool) {
        let mut odd = |value| {
            let made = self.temporary(VECTOR);
            self.shift(Opcode::ShiftRightQ, size, made, value, 32);
            made
        };
        let (odd_a, odd_b) = (odd(a), if is_constant { b } else { odd(b) });
        let even = self.made(Opcode::MulHalvesQ, size, a, Source::register(b));
        let odd = self.made(Opcode::MulHalvesQ, size, odd_a, Source::register(odd_b));
        let mixed = self.temporary(VECTOR);
        let mut shuffle = |to, a, b, lanes| {
            let it = Instruction::new(Opcode::ShufflePs, size).reg(Arg::Def(to)).vvvv(Arg::Use(a));
            self.push(it.rm(Arg::Use(b)).number(lanes));
        };
        // In each 128 bits: the upper halves of the even lanes' products, then of the odd lanes'.
        shuffle(mixed, even, odd, 0b11_01_11_01);
        shuffle(to, mixed, mixed, 0b11_01_10_00);
    }

    /// Splits a number into its upper and lower 16 bits, which convert exactly; their sum is
    /// rounded once.
    fn convert_unsigned(&mut self, size: Size, to: VReg, value: VReg) {
        if self.wide.has_masks() {
            self.op2(Opcode::UDToPs, size, to, Source::register(value));
            return;
        }
        let upper = self.temporary(VECTOR);
        self.shift(Opcode::ShiftRightD, size, upper, value, 16);
        let mask = self.everywhere(size, 0xffff);
        let lower = self.made(Opcode::AndPs, size, value, mask);
        let [upper, lower] = [upper, lower].map(|v| self.converted(Opcode::DToPs, size, v));
        let scale = self.everywhere(size, TWO_16);
        let it = Instruction::new(Opcode::MulAdd132Ps, size).reg(Arg::Tied(upper, to));
        self.push(scale.of(it.vvvv(Arg::Use(lower))));
    }

    /// The instruction returns the least integer for results out of range and for NaN; both are
    /// corrected.
    fn truncate(&mut self, size: Size, to: VReg, value: VReg) {
        let is_number = self.compared(size, value, Source::register(value), ORDERED);
        let limit = self.everywhere(size, TWO_31);
        if self.wide.has_masks() {
            let made = self.temporary(VECTOR);
            let it = Instruction::new(Opcode::PsToD, size).reg(Arg::Def(made)).rm(Arg::Use(value));
            self.push(Instruction { mask: Some(Arg::Use(is_number)), zeroing: true, ..it });
            let is_large = self.compared(size, value, limit, GREATER_OR_EQUAL);
            let last = self.everywhere(size, i32::MAX as u32);
            let it =
                Instruction::new(Opcode::BlendMPs, size).reg(Arg::Def(to)).vvvv(Arg::Use(made));
            self.push(Instruction { mask: Some(Arg::Use(is_large)), ..last.of(it) });
        } else {
            let is_large = self.compared(size, value, limit, GREATER_OR_EQUAL);
            let made = self.converted(Opcode::PsToD, size, value);
            let made = self.made(Opcode::XorPs, size, made, Source::register(is_large));
            self.op3(Opcode::AndPs, size, to, made, Source::register(is_number));
        }
    }

    /// Negative numbers and NaN become 0 first.
    fn truncate_unsigned(&mut self, size: Size, to: VReg, value: VReg) {
        let zero = self.temporary(VECTOR);
        self.load_constant(zero, RegisterType::Scalar(Kind::F32), 0);
        let value = self.made(Opcode::MaxPs, size, value, Source::register(zero));
        if self.wide.has_masks() {
            self.op2(Opcode::PsToUD, size, to, Source::register(value));
            return;
        }
        // Results with the highest bit are the bit itself and the conversion of the rest.
        let low = self.converted(Opcode::PsToD, size, value);
        let half = self.everywhere(size, TWO_31);
        let rest = self.made(Opcode::SubPs, size, value, half);
        let rest = self.converted(Opcode::PsToD, size, rest);
        let is_high = self.temporary(VECTOR);
        self.shift(Opcode::ShiftRightSignedD, size, is_high, low, 31);
        let rest = self.made(Opcode::AndPs, size, rest, Source::register(is_high));
        let both = self.made(Opcode::OrPs, size, low, Source::register(rest));
        let limit = self.everywhere(size, TWO_32);
        let is_large = self.compared(size, value, limit, GREATER_OR_EQUAL);
        self.op3(Opcode::OrPs, size, to, both, Source::register(is_large));
    }

    /// Unsigned `<` or `≤`, or their negations, without mask registers.
    pub(super) fn compare_unsigned(&mut self, to: Reg, [a, b]: [Reg; 2], predicate: i32) {
        debug_assert_eq!(self.wide, Wide::Avx2);
        let size = self.size();
        let (a, b, is_less) = match predicate {
            1 => (a, b, true),
            2 => (a, b, false),
            5 => (b, a, false),
            _ => (b, a, true),
        };
        let [a, b] = [a, b].map(|reg| self.register(reg));
        if is_less {
            // Flipping the highest bits makes the comparison signed.
            let [a, b] = [a, b].map(|value| {
                let least = self.everywhere(size, 1 << 31);
                self.made(Opcode::XorPs, size, value, least)
            });
            let made = self.define(to);
            self.op3(Opcode::GreaterD, size, made, b, Source::register(a));
        } else {
            let least = self.made(Opcode::MinUD, size, a, Source::register(b));
            let made = self.define(to);
            self.op3(Opcode::EqualD, size, made, least, Source::register(a));
        }
    }
}
