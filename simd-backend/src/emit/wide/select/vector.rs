//! Operations lane by lane, and splitting and joining of registers.

use lambdav_core::elementary::Part;
use regalloc2::VReg;

use super::selection::{Selection, Source, Value, is_comparison};
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Mem, Rm};
use crate::emit::wide::isa::{Condition, Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR, Wide};
use crate::lanes::{Kind, LaneOp};
use crate::mutants::{Mutant, is_active};
use crate::registers::{Instr, Reg, RegisterType};

/// The rounding mode of the instruction; it does not set the inexact flag.
pub(super) fn rounding(op: LaneOp) -> Option<i32> {
    Some(match op {
        LaneOp::RoundEven => 8,
        LaneOp::Floor => 9,
        LaneOp::Ceil => 10,
        LaneOp::Trunc => 11,
        _ => return None,
    })
}

/// The predicate of a comparison instruction. Adding 4 negates it.
pub(super) fn predicate(op: LaneOp) -> i32 {
    match op {
        LaneOp::Equal => 0,
        LaneOp::Less if !is_active(Mutant::WrongComparison) => 1,
        LaneOp::Less | LaneOp::LessEqual | LaneOp::LessEqualUnsigned => 2,
        LaneOp::LessUnsigned => 1,
        LaneOp::NotEqual => 4,
        _ => unreachable!("no comparison"),
    }
}

/// Negates a predicate.
const OPPOSITE: i32 = 4;

/// The predicate for exchanged operands.
fn flipped(predicate: i32, is_float: bool) -> i32 {
    match (predicate, is_float) {
        (1, true) => 0xe,
        (2, true) => 0xd,
        (5, true) => 0xa,
        (6, true) => 0x9,
        (1, false) => 6,
        (2, false) => 5,
        (5, false) => 2,
        (6, false) => 1,
        (symmetric, _) => symmetric,
    }
}

fn is_mask(ty: RegisterType) -> bool {
    matches!(ty, RegisterType::Vector(Kind::Mask) | RegisterType::WideMask)
}

/// The instruction for lanes of 32 bits or for lanes of 64.
fn by_lane(ty: RegisterType, narrow: Opcode, wide: Opcode) -> Opcode {
    match ty {
        RegisterType::Vector(Kind::F64 | Kind::I64)
        | RegisterType::Scalar(Kind::F64 | Kind::I64)
        | RegisterType::WideMask => wide,
        _ => narrow,
    }
}

impl Selection<'_> {
    /// An operation whose operands may be exchanged so that the second is in memory.
    pub(super) fn commutative(&mut self, op: Opcode, size: Size, to: VReg, [a, b]: [Reg; 2]) {
        let [a, b] = if self.is_in_memory(a) && !self.is_in_memory(b) { [b, a] } else { [a, b] };
        self.binary(op, size, to, [a, b]);
    }

    /// An operation whose second operand may be in memory.
    pub(super) fn binary(&mut self, op: Opcode, size: Size, to: VReg, [a, b]: [Reg; 2]) {
        let a = self.register(a);
        let b = self.source(b, op, size);
        self.op3(op, size, to, a, b);
    }

    pub(super) fn vector(&mut self, to: Reg, op: LaneOp, operands: &[Reg]) {
        let (from, size) = (self.ty(operands[0]), self.size());
        if is_comparison(op) && !is_mask(from) {
            self.compare(to, operands, op, false, None);
            return;
        }
        if is_mask(from) && self.wide.has_masks() && op != LaneOp::Select {
            self.mask_logic(to, op, operands);
            return;
        }
        if op == LaneOp::Not
            && let Some(Instr::Op(_, compare, of)) = self.deferred(operands[0])
        {
            self.compare(to, of, *compare, true, None);
            return;
        }
        if op == LaneOp::Select {
            self.select_lanes(to, [operands[0], operands[1], operands[2]]);
            return;
        }
        if op == LaneOp::Bits {
            let value = self.register(operands[0]);
            self.values[to.index()] = Value::Register(value);
            return;
        }
        if op == LaneOp::Fma {
            self.mul_add(to, [operands[0], operands[1], operands[2]]);
            return;
        }
        let both = [operands[0], *operands.get(1).unwrap_or(&operands[0])];
        let pick = |narrow, wide| by_lane(from, narrow, wide);
        let is_float = matches!(from, RegisterType::Vector(Kind::F32 | Kind::F64));
        if let Some(mode) = rounding(op) {
            let op = pick(Opcode::RoundPs, Opcode::RoundPd);
            let source = self.source(operands[0], op, size);
            let made = self.define(to);
            let it = Instruction::new(op, size).reg(Arg::Def(made)).number(mode);
            self.push(source.of(it));
            return;
        }
        match op {
            LaneOp::Neg | LaneOp::Abs => {
                let value = self.register(operands[0]);
                let made = self.define(to);
                self.sign(made, from, op, value);
            }
            LaneOp::Sqrt => {
                let op = pick(Opcode::SqrtPs, Opcode::SqrtPd);
                let source = self.source(operands[0], op, size);
                let made = self.define(to);
                self.op2(op, size, made, source);
            }
            LaneOp::FromInteger => {
                let source = self.source(operands[0], Opcode::DToPs, size);
                let made = self.define(to);
                self.op2(Opcode::DToPs, size, made, source);
            }
            LaneOp::Not => {
                let value = self.register(operands[0]);
                let made = self.define(to);
                self.inverted(made, value);
            }
            LaneOp::ShiftLeft(n) | LaneOp::ShiftRight(n) | LaneOp::ShiftRightSigned(n) => {
                let op = match op {
                    LaneOp::ShiftLeft(_) => pick(Opcode::ShiftLeftD, Opcode::ShiftLeftQ),
                    LaneOp::ShiftRight(_) => pick(Opcode::ShiftRightD, Opcode::ShiftRightQ),
                    _ => Opcode::ShiftRightSignedD,
                };
                let value = self.register(operands[0]);
                let made = self.define(to);
                self.shift(op, size, made, value, n);
            }
            _ => {
                let made = self.code.register(VECTOR);
                let [a, b] = both;
                match op {
                    LaneOp::Add if is_float => {
                        self.commutative(pick(Opcode::AddPs, Opcode::AddPd), size, made, both);
                    }
                    LaneOp::Add => {
                        self.commutative(pick(Opcode::AddD, Opcode::AddQ), size, made, both);
                    }
                    LaneOp::Sub if is_float => {
                        self.binary(pick(Opcode::SubPs, Opcode::SubPd), size, made, both);
                    }
                    LaneOp::Sub => self.binary(pick(Opcode::SubD, Opcode::SubQ), size, made, both),
                    LaneOp::Mul if is_float => {
                        self.commutative(pick(Opcode::MulPs, Opcode::MulPd), size, made, both);
                    }
                    LaneOp::Div => {
                        self.binary(pick(Opcode::DivPs, Opcode::DivPd), size, made, both);
                    }
                    LaneOp::Min if is_float => {
                        let swapped = is_active(Mutant::SwappedMinimum);
                        let of = if swapped { [a, b] } else { [b, a] };
                        self.binary(pick(Opcode::MinPs, Opcode::MinPd), size, made, of);
                    }
                    LaneOp::Max if is_float => {
                        self.binary(pick(Opcode::MaxPs, Opcode::MaxPd), size, made, [b, a]);
                    }
                    LaneOp::And => {
                        self.commutative(pick(Opcode::AndPs, Opcode::AndPd), size, made, both);
                    }
                    LaneOp::AndNot => {
                        self.binary(pick(Opcode::AndNotPs, Opcode::AndNotPd), size, made, [b, a]);
                    }
                    LaneOp::Or => {
                        self.commutative(pick(Opcode::OrPs, Opcode::OrPd), size, made, both);
                    }
                    LaneOp::Xor => {
                        self.commutative(pick(Opcode::XorPs, Opcode::XorPd), size, made, both);
                    }
                    // Equality of masks.
                    LaneOp::Equal => {
                        self.commutative(pick(Opcode::EqualD, Opcode::EqualQ), size, made, both);
                    }
                    LaneOp::NotEqual => {
                        self.commutative(pick(Opcode::XorPs, Opcode::XorPd), size, made, both);
                    }
                    _ => self.integers(op, size, made, operands),
                }
                self.values[to.index()] = Value::Register(made);
            }
        }
    }

    /// Flips all bits.
    fn inverted(&mut self, to: VReg, value: VReg) {
        let (size, broadcast) = (self.size(), self.wide.has_masks());
        let ones = if broadcast {
            let bytes = Self::lane_bytes(RegisterType::Vector(Kind::I32)).into();
            let mem = self.constant_place(RegisterType::Vector(Kind::I32), u64::MAX, bytes);
            Source { rm: Rm::Mem(mem), broadcast }
        } else {
            let ones = self.temporary(VECTOR);
            self.load_constant(ones, RegisterType::Vector(Kind::Mask), 1);
            Source::register(ones)
        };
        self.op3(Opcode::XorPs, size, to, value, ones);
    }

    /// Flips or clears the signs.
    pub(super) fn sign(&mut self, to: VReg, ty: RegisterType, op: LaneOp, value: VReg) {
        let sign: u64 = if Self::lane_bytes(ty) == 8 { 1 << 63 } else { 1 << 31 };
        let (bits, op) = if op == LaneOp::Neg {
            (sign, by_lane(ty, Opcode::XorPs, Opcode::XorPd))
        } else {
            (sign - 1, by_lane(ty, Opcode::AndPs, Opcode::AndPd))
        };
        let (size, broadcast) = (self.size_of(ty), self.wide.has_masks());
        let bytes = if broadcast { Self::lane_bytes(ty).into() } else { size.bytes() };
        let mem = self.constant_place(ty, bits, bytes);
        self.op3(op, size, to, value, Source { rm: Rm::Mem(mem), broadcast });
    }

    /// A comparison of numbers, or its negation. With a mask, lanes outside it are false.
    fn compare(
        &mut self,
        to: Reg,
        operands: &[Reg],
        op: LaneOp,
        opposite: bool,
        mask: Option<Reg>,
    ) {
        let (from, size) = (self.ty(operands[0]), self.size());
        let is_float = matches!(from, RegisterType::Vector(Kind::F32 | Kind::F64));
        let mut predicate = predicate(op) ^ if opposite { OPPOSITE } else { 0 };
        let [mut a, mut b] = [operands[0], operands[1]];
        let has_masks = self.wide.has_masks();
        if let Some([a, b]) = self.tested([a, b]) {
            let op = match predicate {
                OPPOSITE => by_lane(from, Opcode::TestDK, Opcode::TestQK),
                _ => by_lane(from, Opcode::TestNotDK, Opcode::TestNotQK),
            };
            let it = Instruction::new(op, size);
            self.compare_by(it, to, [a, b], mask);
            return;
        }
        if (is_float || has_masks) && self.is_in_memory(a) && !self.is_in_memory(b) {
            predicate = flipped(predicate, is_float);
            [a, b] = [b, a];
        }
        let is_unsigned = matches!(op, LaneOp::LessUnsigned | LaneOp::LessEqualUnsigned);
        if !is_float && !has_masks {
            if is_unsigned {
                self.compare_unsigned(to, [a, b], predicate);
            } else {
                self.compare_integers(to, [a, b], predicate);
            }
            return;
        }
        let op = match (is_float, has_masks) {
            (true, true) => by_lane(from, Opcode::ComparePsK, Opcode::ComparePdK),
            (true, false) => by_lane(from, Opcode::ComparePs, Opcode::ComparePd),
            (false, _) if is_unsigned => Opcode::CompareUDK,
            (false, _) => by_lane(from, Opcode::CompareDK, Opcode::CompareQK),
        };
        let it = Instruction::new(op, size).number(predicate);
        self.compare_by(it, to, [a, b], mask);
    }

    /// A comparison by the instruction `it`. With a mask, lanes outside it are false.
    fn compare_by(&mut self, it: Instruction<Arg>, to: Reg, [a, b]: [Reg; 2], mask: Option<Reg>) {
        let mask = mask.map(|mask| Arg::Use(self.register(mask)));
        let a = self.register(a);
        let b = self.source(b, it.op, it.size);
        let made = self.define(to);
        let it = it.reg(Arg::Def(made)).vvvv(Arg::Use(a));
        self.push(Instruction { mask, ..b.of(it) });
    }

    /// The operands of a bitwise conjunction that is compared with zero, if `a` and `b` are such;
    /// an operand in memory comes second.
    fn tested(&self, [a, b]: [Reg; 2]) -> Option<[Reg; 2]> {
        let is_zero = |reg: Reg| matches!(self.values[reg.index()], Value::Constant(0));
        let (Some(Instr::Op(_, LaneOp::And, of)), true) = (match is_zero(a) {
            true => (self.deferred(b), true),
            false => (self.deferred(a), is_zero(b)),
        }) else {
            return None;
        };
        Some(if self.is_in_memory(of[0]) { [of[1], of[0]] } else { [of[0], of[1]] })
    }

    /// Without mask registers, the only integer comparisons are "equal" and "greater".
    fn compare_integers(&mut self, to: Reg, [a, b]: [Reg; 2], predicate: i32) {
        let (from, size) = (self.ty(a), self.size());
        let greater = by_lane(from, Opcode::GreaterD, Opcode::GreaterQ);
        let equal = by_lane(from, Opcode::EqualD, Opcode::EqualQ);
        let (op, of, opposite) = match predicate {
            0 => (equal, [a, b], false),
            1 => (greater, [b, a], false),
            2 => (greater, [a, b], true),
            4 => (equal, [a, b], true),
            5 => (greater, [b, a], true),
            _ => (greater, [a, b], false),
        };
        let found = self.temporary(VECTOR);
        self.binary(op, size, found, of);
        let made = self.define(to);
        if opposite {
            self.inverted(made, found);
        } else {
            self.op2(Opcode::Move, size, made, Source::register(found));
        }
    }

    /// Logic on mask registers. Their bits beyond the lanes are undefined.
    fn mask_logic(&mut self, to: Reg, op: LaneOp, operands: &[Reg]) {
        let comparison = |s: &Self, reg: Reg| match s.deferred(reg) {
            Some(Instr::Op(_, op, of)) if is_comparison(*op) => Some((*op, of.clone())),
            _ => None,
        };
        match op {
            LaneOp::And => {
                for (of, other) in [(operands[1], operands[0]), (operands[0], operands[1])] {
                    if let Some((op, of)) = comparison(self, of) {
                        self.compare(to, &of, op, false, Some(other));
                        return;
                    }
                }
            }
            LaneOp::AndNot => {
                if let Some((op, of)) = comparison(self, operands[1]) {
                    let opposite = !is_active(Mutant::MaskPolarity);
                    self.compare(to, &of, op, opposite, Some(operands[0]));
                    return;
                }
            }
            LaneOp::Not => {
                if let Some((op, of)) = comparison(self, operands[0]) {
                    self.compare(to, &of, op, true, None);
                    return;
                }
            }
            _ => {}
        }
        let a = self.register(operands[0]);
        let b = operands.get(1).map_or(a, |&reg| self.register(reg));
        let made = self.define(to);
        let (op, a, b) = match op {
            LaneOp::And => (Opcode::AndK, a, b),
            LaneOp::AndNot => (Opcode::AndNotK, b, a),
            LaneOp::Or => (Opcode::OrK, a, b),
            LaneOp::Equal => (Opcode::XnorK, a, b),
            LaneOp::NotEqual => (Opcode::XorK, a, b),
            LaneOp::Not => {
                self.op2(Opcode::NotK, Size::B128, made, Source::register(a));
                return;
            }
            _ => unreachable!("{op:?} is not an operation on masks"),
        };
        self.op3(op, Size::B128, made, a, Source::register(b));
    }

    /// Selects lanes by a mask.
    fn select_lanes(&mut self, to: Reg, [mask, a, b]: [Reg; 3]) {
        let (ty, size) = (self.ty(to), self.size());
        let [a, b] = if is_active(Mutant::SwappedSelect) { [b, a] } else { [a, b] };
        let zero = |s: &Self, reg: Reg| matches!(s.values[reg.index()], Value::Constant(bits) if bits == 0);
        let condition = self.register(mask);
        if self.class(ty) == MASK {
            let [a, b] = [a, b].map(|reg| self.register(reg));
            let [then, otherwise] = [(); 2].map(|()| self.temporary(MASK));
            self.op3(Opcode::AndK, Size::B128, then, condition, Source::register(a));
            self.op3(Opcode::AndNotK, Size::B128, otherwise, condition, Source::register(b));
            let made = self.define(to);
            self.op3(Opcode::OrK, Size::B128, made, then, Source::register(otherwise));
            return;
        }
        if !self.wide.has_masks() {
            if zero(self, b) {
                let a = self.source(a, Opcode::AndPs, size);
                let made = self.define(to);
                self.op3(Opcode::AndPs, size, made, condition, a);
            } else if zero(self, a) {
                let b = self.source(b, Opcode::AndNotPs, size);
                let made = self.define(to);
                self.op3(Opcode::AndNotPs, size, made, condition, b);
            } else {
                let b = self.register(b);
                let a = self.source(a, Opcode::BlendVPs, size);
                let made = self.define(to);
                let it =
                    Instruction::new(Opcode::BlendVPs, size).reg(Arg::Def(made)).vvvv(Arg::Use(b));
                self.push(Instruction { last: Some(Arg::Use(condition)), ..a.of(it) });
            }
            return;
        }
        let mask = Some(Arg::Use(condition));
        if zero(self, b) {
            let a = self.register(a);
            let op = by_lane(ty, Opcode::Move, Opcode::MoveAPd);
            let made = self.define(to);
            let it = Instruction::new(op, size).reg(Arg::Def(made)).rm(Arg::Use(a));
            self.push(Instruction { mask, zeroing: true, ..it });
            return;
        }
        let op = by_lane(ty, Opcode::BlendMPs, Opcode::BlendMPd);
        let b = self.register(b);
        let a = self.source(a, op, size);
        let made = self.define(to);
        let it = Instruction::new(op, size).reg(Arg::Def(made)).vvvv(Arg::Use(b));
        self.push(Instruction { mask, ..a.of(it) });
    }

    /// The exponent or the significand of each number.
    pub(super) fn part(&mut self, to: Reg, part: Part, from: Reg) {
        /// Range [1, 2); NaN for negative numbers.
        const SIGNIFICAND: i32 = 0b11_00;
        let (op, number) = match part {
            Part::Exponent => (Opcode::ExponentPd, 0),
            Part::Significand => (Opcode::SignificandPd, SIGNIFICAND),
        };
        let size = self.size();
        let source = self.source(from, op, size);
        let made = self.define(to);
        self.push(source.of(Instruction::new(op, size).reg(Arg::Def(made)).number(number)));
    }

    pub(super) fn concat(&mut self, to: Reg, [upper, lower]: [Reg; 2], is_upper: bool) {
        let (op, size) =
            (if is_upper { Opcode::UnpackHighPs } else { Opcode::UnpackLowPs }, self.size());
        let lower = self.register(lower);
        let upper = self.source(upper, op, size);
        let made = self.define(to);
        self.op3(op, size, made, lower, upper);
    }

    /// The lower or the upper words of two registers, in the order of `vshufps`.
    pub(super) fn words(&mut self, to: Reg, [low, high]: [Reg; 2], is_upper: bool) {
        /// The first and third of four words of each operand, or the second and fourth.
        const WORDS: [i32; 2] = [0b10_00_10_00, 0b11_01_11_01];
        let low = self.register(low);
        let high = self.source(high, Opcode::ShufflePs, self.size());
        let made = self.define(to);
        let words = WORDS[usize::from(is_upper)];
        let it = Instruction::new(Opcode::ShufflePs, self.size()).number(words);
        self.push(high.of(it.reg(Arg::Def(made)).vvvv(Arg::Use(low))));
    }

    /// The upper word of two words shifted left as one.
    pub(super) fn funnel(&mut self, to: Reg, by: u8, [upper, lower]: [Reg; 2]) {
        let size = self.size();
        let upper = self.register(upper);
        if self.has_funnels {
            let lower = self.source(lower, Opcode::Funnel, size);
            let made = self.define(to);
            let it = Instruction::new(Opcode::Funnel, size).number(by.into());
            self.push(lower.of(it.reg(Arg::Def(made)).vvvv(Arg::Use(upper))));
            return;
        }
        let lower = self.register(lower);
        let [above, below] = [0; 2].map(|_| self.temporary(VECTOR));
        self.shift(Opcode::ShiftLeftD, size, above, upper, by);
        self.shift(Opcode::ShiftRightD, size, below, lower, 32 - by);
        let made = self.define(to);
        self.op3(Opcode::OrPs, size, made, above, Source::register(below));
    }

    /// Bitwise logic of three words; the target is tied to the first.
    pub(super) fn logic(&mut self, to: Reg, table: u8, [a, b, c]: [Reg; 3]) {
        let size = self.size();
        let [first, second] = [a, b].map(|reg| self.register(reg));
        let third = self.source(c, Opcode::Logic, size);
        let made = self.define(to);
        let it = Instruction::new(Opcode::Logic, size).number(table.into());
        self.push(third.of(it.reg(Arg::Tied(first, made)).vvvv(Arg::Use(second))));
    }

    /// A fused multiply-add. The target is tied to an operand that dies here, if there is one.
    pub(super) fn mul_add(&mut self, to: Reg, [a, b, c]: [Reg; 3]) {
        let ty = self.ty(to);
        let size = self.size_of(ty);
        let is_vector = !matches!(ty, RegisterType::Scalar(_));
        let is_double = Self::lane_bytes(ty) == 8;
        let dies = |s: &Self, reg: Reg| s.uses_of(reg).count == 1 && !s.is_in_memory(reg);
        let (in_memory, dying) = ([a, b, c].map(|reg| self.is_in_memory(reg)), dies);
        let [op132, op213, op231] = match (is_vector, is_double) {
            (true, true) => [Opcode::MulAdd132Pd, Opcode::MulAdd213Pd, Opcode::MulAdd231Pd],
            (true, false) => [Opcode::MulAdd132Ps, Opcode::MulAdd213Ps, Opcode::MulAdd231Ps],
            (false, true) => [Opcode::MulAdd132Sd, Opcode::MulAdd213Sd, Opcode::MulAdd231Sd],
            (false, false) => [Opcode::MulAdd132Ss, Opcode::MulAdd213Ss, Opcode::MulAdd231Ss],
        };
        let (op, tied, second, third) = match in_memory {
            // Target × second + memory.
            [false, false, true] if dying(self, b) && !dying(self, a) => (op213, b, a, c),
            // Target × memory + second: the addend is probably needed again.
            [true, false, true] if is_vector => (op132, b, c, a),
            [false, true, true] if is_vector => (op132, a, c, b),
            [true, false, true] => (op213, a, b, c),
            [false, true, true] => (op213, b, a, c),
            [false, _, true] => (op213, a, b, c),
            // Second × memory + target, or target × memory + second.
            [false, true, false] if dying(self, a) && !dying(self, c) => (op132, a, c, b),
            [_, true, _] => (op231, c, a, b),
            [true, false, false] if dying(self, b) && !dying(self, c) => (op132, b, c, a),
            [true, ..] => (op231, c, b, a),
            _ if dying(self, c) => (op231, c, a, b),
            _ if dying(self, a) => (op213, a, b, c),
            _ if dying(self, b) => (op213, b, a, c),
            _ => (op231, c, a, b),
        };
        let (tied, second) = (self.register(tied), self.kept(second));
        let third = self.source(third, op, size);
        let made = self.define(to);
        let it = Instruction::new(op, size).reg(Arg::Tied(tied, made)).vvvv(Arg::Use(second));
        self.push(third.of(it));
    }

    pub(super) fn broadcast(&mut self, to: Reg, from: Reg) {
        let (ty, size) = (self.ty(to), self.size());
        let lane = self.ty(from);
        let op = match lane {
            RegisterType::Scalar(Kind::F32) => Opcode::BroadcastSs,
            RegisterType::Scalar(Kind::F64) => Opcode::BroadcastSd,
            RegisterType::Scalar(Kind::I64) => Opcode::BroadcastQ,
            RegisterType::Scalar(Kind::Mask) if Self::lane_bytes(ty) == 8 => Opcode::BroadcastQ,
            _ => Opcode::BroadcastD,
        };
        if let Value::Constant(bits) = self.values[from.index()] {
            self.values[to.index()] = Value::Constant(bits);
            return;
        }
        if let Some(instr) = self.deferred(from)
            && let Some(place) = self.place_of(instr)
        {
            let made = self.define(to);
            self.op2(op, size, made, place);
            return;
        }
        let mut value = self.register(from);
        if lane == RegisterType::Scalar(Kind::Mask) {
            // Ones in all bits, or zero.
            let (size, ones) = (Size::B64, self.temporary(GENERAL));
            self.push(Instruction::new(Opcode::Neg, size).rm(Arg::Tied(value, ones)));
            value = ones;
        }
        let made = self.define(to);
        if made.class() == MASK {
            let it = Instruction::new(Opcode::FromGeneralK, Size::B128);
            self.push(it.reg(Arg::Def(made)).rm(Arg::Use(value)));
            return;
        }
        if value.class() == GENERAL {
            let low = self.temporary(VECTOR);
            let (op, size) = if Self::lane_bytes(ty) == 8 {
                (Opcode::FromGeneral64, Size::B64)
            } else {
                (Opcode::FromGeneral32, Size::B32)
            };
            self.op2(op, size, low, Source::register(value));
            value = low;
        }
        self.op2(op, size, made, Source::register(value));
    }

    /// Half of a register's lanes, widened to twice the bits.
    pub(super) fn half(&mut self, to: Reg, from: Reg, upper: bool) {
        let (ty, size) = (self.ty(from), self.size());
        let upper = upper != (is_active(Mutant::SwappedHalves) && is_mask(ty));
        if self.class(ty) == MASK {
            let value = self.register(from);
            if !upper {
                self.values[to.index()] = Value::Register(value);
                return;
            }
            let made = self.define(to);
            let (op, lanes) = match self.wide {
                Wide::Avx512 => (Opcode::ShiftRightK16, 8),
                _ => (Opcode::ShiftRightK8, 4),
            };
            let it = Instruction::new(op, Size::B128).reg(Arg::Def(made)).rm(Arg::Use(value));
            self.push(it.number(lanes));
            return;
        }
        if let Value::Constant(bits) = self.values[from.index()] {
            let is_float = ty == RegisterType::Vector(Kind::F32);
            let bits =
                if is_float { f64::from(f32::from_bits(bits as u32)).to_bits() } else { bits };
            self.values[to.index()] = Value::Constant(bits);
            return;
        }
        let op = match ty {
            RegisterType::Vector(Kind::F32) => Opcode::PsToPd,
            RegisterType::Vector(Kind::I32) => Opcode::UDToQ,
            _ => Opcode::DToQ,
        };
        let source = self.source(from, op, size);
        let source = match source.rm {
            Rm::Reg(Arg::Any(value) | Arg::Use(value)) if upper => {
                let half = self.temporary(VECTOR);
                let op = if size == Size::B512 { Opcode::Extract256 } else { Opcode::Extract128 };
                let it = Instruction::new(op, size).rm(Arg::Def(half)).reg(Arg::Use(value));
                self.push(it.number(1));
                Source::register(half)
            }
            Rm::Mem(mem) if upper => {
                let offset = mem.offset + size.half().bytes() as i32;
                Source::memory(Mem { offset, ..mem })
            }
            _ => source,
        };
        let made = self.define(to);
        self.op2(op, size, made, source);
    }

    /// Joins two halves, each lane narrowed to half the bits.
    pub(super) fn join(&mut self, to: Reg, [low, high]: [Reg; 2]) {
        let size = self.size();
        let ty = self.ty(to);
        if ty == RegisterType::Vector(Kind::F32) {
            let halves = [low, high].map(|half| {
                let narrow = self.temporary(VECTOR);
                let source = self.source(half, Opcode::PdToPs, size);
                self.op2(Opcode::PdToPs, size, narrow, source);
                narrow
            });
            let made = self.define(to);
            let op = if size == Size::B512 { Opcode::Insert256 } else { Opcode::Insert128 };
            let it = Instruction::new(op, size).reg(Arg::Def(made)).vvvv(Arg::Use(halves[0]));
            self.push(it.rm(Arg::Use(halves[1])).number(1));
            return;
        }
        if ty == RegisterType::Vector(Kind::I32) && self.wide.has_masks() {
            // The even words of both.
            let words = (0..size.bytes() / 4).map(|word| 2 * word);
            let mem = self.whole_constant(words.flat_map(u32::to_le_bytes).collect());
            let numbers = self.temporary(VECTOR);
            self.op2(Opcode::Load, size, numbers, Source::memory(mem));
            let low = self.register(low);
            let high = self.source(high, Opcode::PermuteTwo, size);
            let made = self.define(to);
            let it = Instruction::new(Opcode::PermuteTwo, size).reg(Arg::Tied(numbers, made));
            self.push(high.of(it.vvvv(Arg::Use(low))));
            return;
        }
        let [low, high] = [low, high].map(|half| self.register(half));
        match self.wide {
            Wide::Avx2 => {
                // The even words of each 128 bits; then the middle quarters are exchanged.
                let mixed = self.temporary(VECTOR);
                let it = Instruction::new(Opcode::ShufflePs, size).reg(Arg::Def(mixed));
                self.push(it.vvvv(Arg::Use(low)).rm(Arg::Use(high)).number(0x88));
                let made = self.define(to);
                let it = Instruction::new(Opcode::PermuteQ, size).reg(Arg::Def(made));
                self.push(it.rm(Arg::Use(mixed)).number(0b1101_1000));
            }
            Wide::Avx512 => {
                let made = self.define(to);
                self.op3(Opcode::UnpackK, Size::B128, made, high, Source::register(low));
            }
            Wide::Avx512At256 => {
                let mut shift = |op, from| {
                    let shifted = self.temporary(MASK);
                    let it = Instruction::new(op, Size::B128).reg(Arg::Def(shifted));
                    self.push(it.rm(Arg::Use(from)).number(4));
                    shifted
                };
                let high = shift(Opcode::ShiftLeftK8, high);
                let low = shift(Opcode::ShiftLeftK8, low);
                let low = shift(Opcode::ShiftRightK8, low);
                let made = self.define(to);
                self.op3(Opcode::OrK, Size::B128, made, high, Source::register(low));
            }
        }
    }

    /// Sets the flags: the condition holds if any lane of any mask is set.
    pub(super) fn any(&mut self, masks: &[Reg]) -> Condition {
        let masks: Vec<VReg> = masks.iter().map(|&reg| self.register(reg)).collect();
        let is_mask = masks[0].class() == MASK;
        let (or, size) =
            if is_mask { (Opcode::OrK, Size::B128) } else { (Opcode::OrPs, self.size()) };
        // Joined in pairs; the test of mask registers takes two.
        let mut left = masks;
        while left.len() > if is_mask { 2 } else { 1 } {
            let pairs = left.chunks(2).map(|pair| {
                let &[a, b] = pair else { return pair[0] };
                let both = self.temporary(a.class());
                self.op3(or, size, both, a, Source::register(b));
                both
            });
            left = pairs.collect();
        }
        self.any_of_two(left[0], *left.last().expect("there is one"))
    }

    /// Sets the flags: the condition holds if a lane of one of two masks is set. Masks are registers of their own, if the machine has
    /// them; else vectors, of which both must be the same.
    pub(super) fn any_of_two(&mut self, a: VReg, b: VReg) -> Condition {
        let (op, size) = match self.wide {
            Wide::Avx2 => (Opcode::Test, self.size()),
            Wide::Avx512 => (Opcode::TestK16, Size::B128),
            Wide::Avx512At256 => (Opcode::TestK8, Size::B128),
        };
        self.push(Instruction::new(op, size).reg(Arg::Use(a)).rm(Arg::Use(b)));
        Condition::NotEqual
    }
}
