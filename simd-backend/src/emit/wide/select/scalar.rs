//! Operations on scalars. A truth value is 0 or 1 in a general register.

use regalloc2::VReg;

use super::selection::{Selection, Source, Value, is_comparison};
use super::vector::{predicate, rounding};
use crate::emit::abi::Field;
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Instruction, Mem};
use crate::emit::wide::isa::{Condition, Opcode, Size};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR};
use crate::lanes::{Kind, LaneOp};
use crate::mutants::{Mutant, is_active};
use crate::registers::{Instr, Reg, RegisterType};

/// The size of an integer or a truth value.
fn size(kind: Kind) -> Size {
    if kind == Kind::I64 { Size::B64 } else { Size::B32 }
}

impl Selection<'_> {
    pub(super) fn kind(&self, reg: Reg) -> Kind {
        match self.ty(reg) {
            RegisterType::Scalar(kind) | RegisterType::Vector(kind) => kind,
            RegisterType::WideMask => Kind::Mask,
        }
    }

    pub(super) fn scalar(&mut self, to: Reg, op: LaneOp, operands: &[Reg]) {
        let from = self.kind(operands[0]);
        if is_comparison(op) && from != Kind::Mask {
            let is_equality = matches!(op, LaneOp::Equal | LaneOp::NotEqual);
            if from.is_float() && is_equality {
                let found = self.equality(op, operands);
                let made = self.define(to);
                let it = Instruction::new(Opcode::AndNumber, Size::B32);
                self.push(it.rm(Arg::Tied(found, made)).number(1));
            } else {
                let condition = self.compare_flags(op, operands);
                self.set(to, condition);
            }
            return;
        }
        match (op, from) {
            (LaneOp::Select, _) => self.select_scalar(to, operands),
            (LaneOp::Bits, _) => self.bits(to, operands[0]),
            (LaneOp::Fma, _) => self.mul_add(to, [operands[0], operands[1], operands[2]]),
            (LaneOp::ToInteger | LaneOp::ToUnsigned | LaneOp::ToIntegerInRange, _) => {
                self.integer_as_vector(to, op, operands);
            }
            (LaneOp::FromInteger, _) => {
                let value = self.register(operands[0]);
                // The other lanes of the result are copied from this operand.
                let zero = self.temporary(VECTOR);
                self.load_constant(zero, RegisterType::Scalar(Kind::F32), 0);
                let made = self.define(to);
                self.op3(Opcode::DToSs, Size::B128, made, zero, Source::register(value));
            }
            (_, Kind::F32 | Kind::F64) => self.float(to, op, operands, from),
            _ => self.integer(to, op, operands, from),
        }
    }

    fn float(&mut self, to: Reg, op: LaneOp, operands: &[Reg], kind: Kind) {
        let pick = |single, double| if kind == Kind::F64 { double } else { single };
        let size = Size::B128;
        if let (LaneOp::Neg | LaneOp::Abs, &[of]) = (op, operands) {
            let value = self.register(of);
            let made = self.define(to);
            self.sign(made, RegisterType::Scalar(kind), op, value);
            return;
        }
        let unary = match op {
            LaneOp::Sqrt => Some(pick(Opcode::SqrtSs, Opcode::SqrtSd)),
            LaneOp::Promote => Some(Opcode::SsToSd),
            LaneOp::Demote => Some(Opcode::SdToSs),
            op if rounding(op).is_some() => Some(pick(Opcode::RoundSs, Opcode::RoundSd)),
            _ => None,
        };
        if let Some(machine) = unary {
            let value = self.register(operands[0]);
            let made = self.define(to);
            let it = Instruction::new(machine, size).reg(Arg::Def(made)).vvvv(Arg::Use(value));
            self.push(it.rm(Arg::Use(value)).number(rounding(op).unwrap_or(0)));
            return;
        }
        let [a, b] = [operands[0], operands[1]];
        let may_swap = matches!(op, LaneOp::Add | LaneOp::Mul);
        let swaps = may_swap && self.is_in_memory(a) && !self.is_in_memory(b);
        let (machine, of) = match op {
            LaneOp::Add => (pick(Opcode::AddSs, Opcode::AddSd), [a, b]),
            LaneOp::Sub => (pick(Opcode::SubSs, Opcode::SubSd), [a, b]),
            LaneOp::Mul => (pick(Opcode::MulSs, Opcode::MulSd), [a, b]),
            LaneOp::Div => (pick(Opcode::DivSs, Opcode::DivSd), [a, b]),
            LaneOp::Min if is_active(Mutant::SwappedMinimum) => {
                (pick(Opcode::MinSs, Opcode::MinSd), [a, b])
            }
            LaneOp::Min => (pick(Opcode::MinSs, Opcode::MinSd), [b, a]),
            LaneOp::Max => (pick(Opcode::MaxSs, Opcode::MaxSd), [b, a]),
            _ => unreachable!("{op:?} is not an operation on numbers"),
        };
        let of = if swaps { [b, a] } else { of };
        let made = self.code.register(VECTOR);
        self.binary(machine, size, made, of);
        self.values[to.index()] = Value::Register(made);
    }

    /// The value as an immediate, if it is a constant that fits.
    fn number(&self, reg: Reg) -> Option<i32> {
        match self.values[reg.index()] {
            Value::Constant(bits) if size(self.kind(reg)) == Size::B64 => {
                i32::try_from(bits as i64).ok()
            }
            Value::Constant(bits) => Some(bits as u32 as i32),
            _ => None,
        }
    }

    /// An instruction that overwrites its first operand. `of`: its forms for a register and for an
    /// immediate.
    fn change(&mut self, to: Reg, of: [Opcode; 2], size: Size, value: VReg, by: Reg) {
        let number = self.number(by);
        let by = if number.is_none() { Some(self.register(by)) } else { None };
        let made = self.define(to);
        let target = Arg::Tied(value, made);
        let it = match (number, by) {
            (Some(number), _) => Instruction::new(of[1], size).rm(target).number(number),
            (None, Some(by)) => Instruction::new(of[0], size).reg(target).rm(Arg::Use(by)),
            (None, None) => unreachable!("the operand is a number or a register"),
        };
        self.push(it);
    }

    /// Negates a truth value.
    fn opposite(&mut self, value: VReg) -> VReg {
        let made = self.temporary(GENERAL);
        let it = Instruction::new(Opcode::XorNumber, Size::B32).rm(Arg::Tied(value, made));
        self.push(it.number(1));
        made
    }

    fn integer(&mut self, to: Reg, op: LaneOp, operands: &[Reg], kind: Kind) {
        let (size, is_mask) = (size(kind), kind == Kind::Mask);
        let a = self.register(operands[0]);
        match op {
            LaneOp::Add => {
                self.change(to, [Opcode::Add, Opcode::AddNumber], size, a, operands[1]);
            }
            LaneOp::Sub => {
                self.change(to, [Opcode::Sub, Opcode::SubNumber], size, a, operands[1]);
            }
            LaneOp::And => {
                self.change(to, [Opcode::And, Opcode::AndNumber], size, a, operands[1]);
            }
            LaneOp::Or => self.change(to, [Opcode::Or, Opcode::OrNumber], size, a, operands[1]),
            // Equality of truth values.
            LaneOp::NotEqual => {
                self.change(to, [Opcode::Xor, Opcode::XorNumber], size, a, operands[1]);
            }
            LaneOp::Equal => {
                let a = self.opposite(a);
                self.change(to, [Opcode::Xor, Opcode::XorNumber], size, a, operands[1]);
            }
            LaneOp::AndNot => {
                let b = self.register(operands[1]);
                let b = if is_mask {
                    self.opposite(b)
                } else {
                    let not = self.temporary(GENERAL);
                    self.push(Instruction::new(Opcode::Not, size).rm(Arg::Tied(b, not)));
                    not
                };
                let made = self.define(to);
                let it = Instruction::new(Opcode::And, size).reg(Arg::Tied(b, made));
                self.push(it.rm(Arg::Use(a)));
            }
            LaneOp::Xor => self.change(to, [Opcode::Xor, Opcode::XorNumber], size, a, operands[1]),
            LaneOp::Mul => {
                let b = self.register(operands[1]);
                let made = self.define(to);
                let it = Instruction::new(Opcode::Mul, size).reg(Arg::Tied(a, made));
                self.push(it.rm(Arg::Use(b)));
            }
            LaneOp::Widen => {
                let made = self.define(to);
                self.op2(Opcode::Mov, Size::B32, made, Source::register(a));
            }
            // The upper half of the register is undefined for an `I32`.
            LaneOp::Narrow => self.values[to.index()] = Value::Register(a),
            LaneOp::Not if is_mask => {
                let made = self.opposite(a);
                self.values[to.index()] = Value::Register(made);
            }
            LaneOp::Not => {
                let made = self.define(to);
                self.push(Instruction::new(Opcode::Not, size).rm(Arg::Tied(a, made)));
            }
            LaneOp::ShiftLeft(n) | LaneOp::ShiftRight(n) | LaneOp::ShiftRightSigned(n) => {
                let shift = match op {
                    LaneOp::ShiftLeft(_) => Opcode::Shl,
                    LaneOp::ShiftRight(_) => Opcode::Shr,
                    _ => Opcode::Sar,
                };
                let made = self.define(to);
                let it = Instruction::new(shift, size);
                self.push(it.rm(Arg::Tied(a, made)).number(n.into()));
            }
            _ => self.integer_as_vector(to, op, operands),
        }
    }

    fn bits(&mut self, to: Reg, from: Reg) {
        let value = self.register(from);
        let made = self.define(to);
        let is_wide = matches!(self.kind(from), Kind::F64 | Kind::I64);
        let size = if is_wide { Size::B64 } else { Size::B32 };
        let it = if value.class() == GENERAL {
            let op = if is_wide { Opcode::FromGeneral64 } else { Opcode::FromGeneral32 };
            Instruction::new(op, size).reg(Arg::Def(made)).rm(Arg::Use(value))
        } else {
            let op = if is_wide { Opcode::ToGeneral64 } else { Opcode::ToGeneral32 };
            Instruction::new(op, size).rm(Arg::Def(made)).reg(Arg::Use(value))
        };
        self.push(it);
    }

    fn select_scalar(&mut self, to: Reg, operands: &[Reg]) {
        let [condition, a, b] = [0, 1, 2].map(|i| self.register(operands[i]));
        let kind = self.kind(to);
        if !kind.is_float() {
            let it = Instruction::new(Opcode::TestG, Size::B32).reg(Arg::Use(condition));
            self.push(it.rm(Arg::Use(condition)));
            let made = self.define(to);
            let it = Instruction::new(Opcode::Cmov, size(kind)).reg(Arg::Tied(b, made));
            let condition = Some(Condition::NotEqual);
            self.push(Instruction { condition, ..it.rm(Arg::Use(a)) });
            return;
        }
        let ones = self.temporary(GENERAL);
        self.push(Instruction::new(Opcode::Neg, Size::B64).rm(Arg::Tied(condition, ones)));
        if self.wide.has_masks() {
            let mask = self.temporary(MASK);
            self.op2(Opcode::FromGeneralK, Size::B128, mask, Source::register(ones));
            let op = if kind == Kind::F64 { Opcode::BlendMPd } else { Opcode::BlendMPs };
            let made = self.define(to);
            let it = Instruction::new(op, Size::B128).reg(Arg::Def(made)).vvvv(Arg::Use(b));
            self.push(Instruction { mask: Some(Arg::Use(mask)), ..it.rm(Arg::Use(a)) });
        } else {
            let mask = self.temporary(VECTOR);
            self.op2(Opcode::FromGeneral64, Size::B64, mask, Source::register(ones));
            let made = self.define(to);
            let it = Instruction::new(Opcode::BlendVPs, Size::B128).reg(Arg::Def(made));
            let it = it.vvvv(Arg::Use(b)).rm(Arg::Use(a));
            self.push(Instruction { last: Some(Arg::Use(mask)), ..it });
        }
    }

    /// The result of an equality or inequality of numbers, in a general register: 0 if false; if
    /// true, not 0, and its last bit is set.
    fn equality(&mut self, op: LaneOp, operands: &[Reg]) -> VReg {
        let is_double = self.kind(operands[0]) == Kind::F64;
        let has_masks = self.wide.has_masks();
        let machine = match (has_masks, is_double) {
            (true, true) => Opcode::CompareSdK,
            (true, false) => Opcode::CompareSsK,
            (false, true) => Opcode::CompareSd,
            (false, false) => Opcode::CompareSs,
        };
        let a = self.register(operands[0]);
        let b = self.source(operands[1], machine, Size::B128);
        let found = self.temporary(if has_masks { MASK } else { VECTOR });
        let it = Instruction::new(machine, Size::B128).reg(Arg::Def(found)).vvvv(Arg::Use(a));
        self.push(b.of(it.number(predicate(op))));
        let made = self.temporary(GENERAL);
        let it = if has_masks {
            let it = Instruction::new(Opcode::ToGeneralK, Size::B128);
            it.reg(Arg::Def(made)).rm(Arg::Use(found))
        } else {
            let it = Instruction::new(Opcode::ToGeneral32, Size::B32);
            it.rm(Arg::Def(made)).reg(Arg::Use(found))
        };
        self.push(it);
        made
    }

    /// Sets the flags by a comparison. On floats it is less or less-or-equal.
    fn compare_flags(&mut self, op: LaneOp, operands: &[Reg]) -> Condition {
        let kind = self.kind(operands[0]);
        let [a, b] = [operands[0], operands[1]];
        if kind.is_float() {
            let is_less = op == LaneOp::Less && !is_active(Mutant::WrongComparison);
            // An unordered result sets "below", so the operands are swapped to test "above".
            let machine =
                if kind == Kind::F64 { Opcode::CompareSdFlags } else { Opcode::CompareSsFlags };
            let b = self.register(b);
            let a = self.source(a, machine, Size::B128);
            self.push(a.of(Instruction::new(machine, Size::B128).reg(Arg::Use(b))));
            return if is_less { Condition::Above } else { Condition::AboveOrEqual };
        }
        let size = size(kind);
        let a = self.register(a);
        match self.number(b) {
            Some(0) if matches!(op, LaneOp::Equal | LaneOp::NotEqual) => {
                let it = Instruction::new(Opcode::TestG, size).reg(Arg::Use(a));
                self.push(it.rm(Arg::Use(a)));
            }
            Some(number) => {
                let it = Instruction::new(Opcode::CmpNumber, size).rm(Arg::Use(a));
                self.push(it.number(number));
            }
            None => {
                let b = self.register(b);
                let it = Instruction::new(Opcode::Cmp, size).reg(Arg::Use(a));
                self.push(it.rm(Arg::Use(b)));
            }
        }
        match op {
            LaneOp::Less => Condition::Less,
            LaneOp::LessEqual => Condition::LessOrEqual,
            LaneOp::LessUnsigned => Condition::Below,
            LaneOp::LessEqualUnsigned => Condition::BelowOrEqual,
            LaneOp::Equal => Condition::Equal,
            _ => Condition::NotEqual,
        }
    }

    /// Sets the flags by a truth value.
    pub(super) fn flags(&mut self, reg: Reg) -> Condition {
        match self.deferred(reg) {
            Some(instr) => self.flags_of(instr),
            None => {
                let value = self.register(reg);
                self.test(value)
            }
        }
    }

    fn test(&mut self, value: VReg) -> Condition {
        let it = Instruction::new(Opcode::TestG, Size::B32).reg(Arg::Use(value));
        self.push(it.rm(Arg::Use(value)));
        Condition::NotEqual
    }

    /// Sets the flags by the result of a deferred instruction.
    pub(super) fn flags_of(&mut self, instr: &Instr) -> Condition {
        match instr {
            Instr::Any(_, masks) => self.any(masks),
            Instr::Scattered(_, index, columns) => self.scattered(*index, *columns),
            Instr::Apart(_, step, pairs) => self.apart(*step, pairs),
            Instr::Poll(_) => {
                let address = self.field(Field::Frontier);
                let first = self.field(Field::FirstPixel);
                let mem = Mem::at(Arg::Use(address), 0);
                let it = Instruction::new(Opcode::Cmp, Size::B64).reg(Arg::Use(first));
                self.push(it.mem(mem));
                Condition::Below
            }
            Instr::Input(..) => {
                let place = self.place_of(instr).expect("inputs are in memory");
                self.push(place.of(Instruction::new(Opcode::CmpNumber, Size::B32)));
                Condition::NotEqual
            }
            Instr::Op(_, op, operands) => {
                let is_equality = matches!(op, LaneOp::Equal | LaneOp::NotEqual);
                if is_equality && self.kind(operands[0]).is_float() {
                    let found = self.equality(*op, operands);
                    return self.test(found);
                }
                self.compare_flags(*op, operands)
            }
            _ => unreachable!("it makes no truth value"),
        }
    }

    /// A truth value from the flags.
    pub(super) fn set(&mut self, to: Reg, condition: Condition) {
        let byte = self.temporary(GENERAL);
        let it = Instruction::new(Opcode::Set, Size::B32).rm(Arg::Def(byte));
        self.push(Instruction { condition: Some(condition), ..it });
        let made = self.define(to);
        self.op2(Opcode::ZeroExtend, Size::B32, made, Source::register(byte));
    }
}
