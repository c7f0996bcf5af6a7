//! Instructions on general registers.

use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

use crate::bits::{Bits, ones, signed};
use crate::fault::FaultKind;
use crate::flags::{Flag, Flags};
use crate::machine::Machine;

impl Machine<'_> {
    /// Executes an instruction on general registers.
    pub(crate) fn general(&mut self, instruction: &Instruction) -> Result<(), FaultKind> {
        let code = instruction.mnemonic();
        let width = || operand_width(instruction, 0);
        let condition = instruction.condition_code();
        match code {
            Mnemonic::Nop | Mnemonic::Endbr64 => Ok(()),
            Mnemonic::Ud2 | Mnemonic::Int3 => Err(FaultKind::Trap),
            Mnemonic::Mov => {
                let value = self.read(instruction, 1)?;
                self.write(instruction, 0, value)?;
                if let Some((to, from)) = registers(instruction)
                    && width()? == 64
                {
                    self.note_copy(to, from);
                }
                Ok(())
            }
            Mnemonic::Movzx => {
                let value = self.read(instruction, 1)?.low(operand_width(instruction, 1)?);
                self.write(instruction, 0, value)
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let value = self.read(instruction, 1)?.extended(operand_width(instruction, 1)?);
                self.write(instruction, 0, value)
            }
            Mnemonic::Cdqe => {
                self.general[0] = self.general[0].extended(32);
                self.renew(0);
                Ok(())
            }
            Mnemonic::Lea => {
                let value = self.effective_address(instruction);
                self.write(instruction, 0, value)
            }
            Mnemonic::Add | Mnemonic::Adc => {
                let carry = if code == Mnemonic::Adc { self.carry()? } else { 0 };
                let [a, b] = self.both(instruction)?;
                self.flags = Flags::of_sum(a, b, carry, width()?);
                let sum = a.value.wrapping_add(b.value).wrapping_add(carry);
                self.write(instruction, 0, Bits::carried(sum, &[a, b]))
            }
            Mnemonic::Sub | Mnemonic::Sbb => {
                let borrow = if code == Mnemonic::Sbb { self.carry()? } else { 0 };
                let [mut a, mut b] = self.both(instruction)?;
                let are_copies =
                    registers(instruction).is_some_and(|(a, b)| self.hold_copies(a, b));
                if is_same(instruction) || are_copies || a.is_copy(b) {
                    // A value minus itself is zero, even if the value is undefined.
                    (a, b) = (Bits::known(0), Bits::known(0));
                }
                let difference = a.value.wrapping_sub(b.value).wrapping_sub(borrow);
                self.flags = Flags::of_difference(a, b, borrow, width()?);
                self.write(instruction, 0, Bits::carried(difference, &[a, b]))
            }
            Mnemonic::Cmp => {
                let [a, b] = self.both(instruction)?;
                self.flags = Flags::of_difference(a, b, 0, width()?);
                Ok(())
            }
            Mnemonic::Neg => {
                let (zero, a) = (Bits::known(0), self.read(instruction, 0)?);
                self.flags = Flags::of_difference(zero, a, 0, width()?);
                self.write(instruction, 0, Bits::carried(a.value.wrapping_neg(), &[a]))
            }
            Mnemonic::Inc | Mnemonic::Dec => {
                let (a, one) = (self.read(instruction, 0)?, Bits::known(1));
                let carry = self.flags.carry;
                let (value, flags) = if code == Mnemonic::Inc {
                    (a.value.wrapping_add(1), Flags::of_sum(a, one, 0, width()?))
                } else {
                    (a.value.wrapping_sub(1), Flags::of_difference(a, one, 0, width()?))
                };
                self.flags = Flags { carry, ..flags };
                self.write(instruction, 0, Bits::carried(value, &[a]))
            }
            Mnemonic::And => self.logic(instruction, Bits::and),
            Mnemonic::Or => self.logic(instruction, Bits::or),
            Mnemonic::Xor if is_same(instruction) => {
                self.flags = Flags::of_result(Bits::known(0), width()?);
                self.write(instruction, 0, Bits::known(0))
            }
            Mnemonic::Xor => self.logic(instruction, Bits::xor),
            Mnemonic::Test => {
                let [a, b] = self.both(instruction)?;
                self.flags = Flags::of_result(a.and(b), width()?);
                Ok(())
            }
            Mnemonic::Not => {
                let a = self.read(instruction, 0)?;
                self.write(instruction, 0, a.not())
            }
            Mnemonic::Andn => {
                let [a, b] = [self.read(instruction, 1)?, self.read(instruction, 2)?];
                let result = a.not().and(b);
                let flags = Flags::of_result(result, width()?);
                self.flags = Flags { parity: Flag::Undefined, ..flags };
                self.write(instruction, 0, result)
            }
            Mnemonic::Imul => self.multiply(instruction),
            Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr | Mnemonic::Sar => {
                self.shift(instruction)
            }
            Mnemonic::Shld | Mnemonic::Shrd => self.double_shift(instruction),
            Mnemonic::Shlx | Mnemonic::Shrx | Mnemonic::Sarx => {
                let width = width()?;
                let a = self.read(instruction, 1)?.low(width);
                let count = self.read(instruction, 2)?;
                let by = (count.value & u64::from(width - 1)) as u32;
                let result = match code {
                    Mnemonic::Shlx => a.shifted_left(by),
                    Mnemonic::Shrx => a.shifted_right(by),
                    _ => shifted_arithmetic(a, by, width),
                };
                let is_known = count.get(width.trailing_zeros()).is_some();
                self.write(instruction, 0, if is_known { result } else { Bits::UNDEFINED })
            }
            Mnemonic::Bt if instruction.op0_kind() == OpKind::Register => {
                let width = width()?;
                let [a, b] = self.both(instruction)?;
                let place = (b.value & u64::from(width - 1)) as u32;
                let bit = if b.undefined == 0 { a.bit(place) } else { None };
                let zero = self.flags.zero;
                let carry = bit.map_or(Flag::Either, Flag::Is);
                self.flags = Flags { carry, zero, ..Flags::UNDEFINED };
                Ok(())
            }
            Mnemonic::Popcnt | Mnemonic::Lzcnt | Mnemonic::Tzcnt => {
                let width = width()?;
                let a = self.read(instruction, 1)?.low(width);
                let unused = 64 - width;
                let count = match code {
                    Mnemonic::Popcnt => a.value.count_ones(),
                    Mnemonic::Lzcnt => a.value.leading_zeros() - unused,
                    _ => a.value.trailing_zeros().min(width),
                };
                let result = Bits::whole(count.into(), 64, a.undefined != 0);
                self.flags = if code == Mnemonic::Popcnt {
                    Flags::zero_and_carry(a.is_zero(), Some(false))
                } else {
                    let flags = Flags::zero_and_carry(result.is_zero(), a.is_zero());
                    Flags { carry: flags.carry, zero: flags.zero, ..Flags::UNDEFINED }
                };
                self.write(instruction, 0, result)
            }
            Mnemonic::Push => {
                let value = self.read(instruction, 0)?;
                if width()? != 64 {
                    return Err(FaultKind::UnknownForm("this width of stack"));
                }
                self.push(value)
            }
            Mnemonic::Pop => {
                let value = self.pop_bits()?;
                if width()? != 64 {
                    return Err(FaultKind::UnknownForm("this width of stack"));
                }
                self.write(instruction, 0, value)
            }
            Mnemonic::Leave => {
                self.general[4] = self.general[5];
                self.general[5] = self.pop_bits()?;
                self.renew(4);
                self.renew(5);
                Ok(())
            }
            Mnemonic::Call => {
                let target = self.target(instruction)?;
                self.push(Bits::known(self.next))?;
                self.next = target;
                Ok(())
            }
            Mnemonic::Ret if instruction.op_count() == 0 => {
                self.next = self.pop()?;
                Ok(())
            }
            Mnemonic::Jmp => {
                self.next = self.target(instruction)?;
                Ok(())
            }
            _ if condition != ConditionCode::None => self.conditional(instruction, condition),
            _ => Err(FaultKind::Unknown),
        }
    }

    fn conditional(
        &mut self,
        instruction: &Instruction,
        condition: ConditionCode,
    ) -> Result<(), FaultKind> {
        let holds = self.flags.condition(condition)?;
        if instruction.is_jcc_short_or_near() {
            if self.decide(holds) {
                self.next = instruction.near_branch_target();
            }
            return Ok(());
        }
        if instruction.op_count() == 1 {
            let (yes, no) = (Bits::known(1), Bits::known(0));
            return self.write(instruction, 0, Bits::select(holds, yes, no));
        }
        // The destination is written, and cleared above 32 bits, whether or not the condition holds.
        let [old, new] = self.both(instruction)?;
        self.write(instruction, 0, Bits::select(holds, new, old))
    }

    fn carry(&self) -> Result<u64, FaultKind> {
        let carry = self.flags.condition(ConditionCode::b)?;
        carry.map(u64::from).ok_or(FaultKind::Undefined("the carry"))
    }

    fn logic(
        &mut self,
        instruction: &Instruction,
        operation: fn(Bits, Bits) -> Bits,
    ) -> Result<(), FaultKind> {
        let [a, b] = self.both(instruction)?;
        let result = operation(a, b);
        self.flags = Flags::of_result(result, operand_width(instruction, 0)?);
        self.write(instruction, 0, result)
    }

    fn multiply(&mut self, instruction: &Instruction) -> Result<(), FaultKind> {
        let width = operand_width(instruction, 0)?;
        let [a, b] = match instruction.op_count() {
            2 => self.both(instruction)?,
            3 => [self.read(instruction, 1)?, self.read(instruction, 2)?],
            _ => return Err(FaultKind::UnknownForm("two results of a product")),
        };
        let product = i128::from(signed(a.value, width)) * i128::from(signed(b.value, width));
        let is_known = (a.undefined | b.undefined) & ones(width) == 0;
        let fits = product == i128::from(signed(product as u64, width));
        let over = if is_known { Flag::Is(!fits) } else { Flag::Either };
        self.flags = Flags { carry: over, overflow: over, ..Flags::UNDEFINED };
        self.write(instruction, 0, Bits::carried(product as u64, &[a, b]))
    }

    /// A shift that fills one register with bits of another.
    fn double_shift(&mut self, instruction: &Instruction) -> Result<(), FaultKind> {
        let width = operand_width(instruction, 0)?;
        let [a, b] = self.both(instruction)?.map(|bits| bits.low(width));
        let counted = if width == 64 { 6 } else { 5 };
        let by = self.read(instruction, 2)?.get(counted).map(|by| by as u32);
        // If the count exceeds a narrow operand's width, the result is undefined.
        if width < 32 {
            return Err(FaultKind::UnknownForm("this width of a double shift"));
        }
        let Some(by) = by else {
            self.flags = Flags::UNDEFINED;
            return self.write(instruction, 0, Bits::UNDEFINED);
        };
        if by == 0 {
            return self.write(instruction, 0, a);
        }
        let (result, last) = match instruction.mnemonic() {
            Mnemonic::Shld => {
                (a.shifted_left(by).or(b.shifted_right(width - by)), a.shifted_right(width - by))
            }
            _ => (a.shifted_right(by).or(b.shifted_left(width - by)), a.shifted_right(by - 1)),
        };
        let carry = last.bit(0).map_or(Flag::Either, Flag::Is);
        let overflow = match by {
            1 => a.xor(result).bit(width - 1).map_or(Flag::Either, Flag::Is),
            _ => Flag::Undefined,
        };
        self.flags = Flags { carry, overflow, ..Flags::of_result(result, width) };
        self.write(instruction, 0, result)
    }

    fn shift(&mut self, instruction: &Instruction) -> Result<(), FaultKind> {
        let width = operand_width(instruction, 0)?;
        let [a, count] = self.both(instruction)?;
        let a = a.low(width);
        let counted = if width == 64 { 6 } else { 5 };
        let Some(by) = count.get(counted) else {
            self.flags = Flags::UNDEFINED;
            return self.write(instruction, 0, Bits::UNDEFINED);
        };
        let by = by as u32;
        let (result, last) = match instruction.mnemonic() {
            Mnemonic::Shr => (a.shifted_right(by), a.shifted_right(by.wrapping_sub(1))),
            Mnemonic::Sar => (
                shifted_arithmetic(a, by, width),
                shifted_arithmetic(a, by.wrapping_sub(1).min(63), width),
            ),
            _ => (a.shifted_left(by), a.shifted_right(width.wrapping_sub(by))),
        };
        if by > 0 {
            let carry = last.bit(0).map_or(Flag::Either, Flag::Is);
            let sign = |bits: Bits| bits.bit(width - 1);
            let overflow = match instruction.mnemonic() {
                _ if by > 1 => Flag::Undefined,
                Mnemonic::Sar => Flag::Is(false),
                _ => sign(a.xor(result)).map_or(Flag::Either, Flag::Is),
            };
            // If the count reaches a narrow operand's width, the carry is undefined.
            let carry = if by >= width { Flag::Undefined } else { carry };
            self.flags = Flags { carry, overflow, ..Flags::of_result(result, width) };
        }
        self.write(instruction, 0, result)
    }

    fn both(&self, instruction: &Instruction) -> Result<[Bits; 2], FaultKind> {
        Ok([self.read(instruction, 0)?, self.read(instruction, 1)?])
    }

    fn target(&self, instruction: &Instruction) -> Result<u64, FaultKind> {
        match instruction.op_kind(0) {
            OpKind::NearBranch64 => Ok(instruction.near_branch_target()),
            _ => self.read(instruction, 0)?.get(64).ok_or(FaultKind::Undefined("the target")),
        }
    }

    /// The address computed by `lea`, which need not be in memory.
    fn effective_address(&self, instruction: &Instruction) -> Bits {
        let register = |register: Register| match register {
            Register::None | Register::RIP | Register::EIP => Bits::known(0),
            register => self.general[register.number()],
        };
        let base = register(instruction.memory_base());
        let index = register(instruction.memory_index());
        let scale = instruction.memory_index_scale();
        let scaled = index.value.wrapping_mul(scale.into());
        let index = index.shifted_left(scale.trailing_zeros());
        let sum = base.value.wrapping_add(scaled);
        Bits::carried(sum.wrapping_add(instruction.memory_displacement64()), &[base, index])
    }

    /// Reads a general register, memory or an immediate, zero-extended.
    pub(crate) fn read(&self, instruction: &Instruction, operand: u32) -> Result<Bits, FaultKind> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                let (number, place, width) = general(instruction.op_register(operand))?;
                Ok(self.general[number].shifted_right(place).low(width))
            }
            OpKind::Memory => {
                let size = instruction.memory_size().size() as u64;
                match self.address_of_load(instruction)? {
                    Some(address) => self.memory.load(address, size),
                    None => Ok(Bits::UNDEFINED.low(8 * size as u32)),
                }
            }
            kind if (OpKind::Immediate8..=OpKind::Immediate32to64).contains(&kind) => {
                Ok(Bits::known(instruction.immediate(operand)))
            }
            _ => Err(FaultKind::UnknownForm("this kind of operand")),
        }
    }

    /// Writes a general register or memory. A 32-bit write clears the upper half of a register.
    pub(crate) fn write(
        &mut self,
        instruction: &Instruction,
        operand: u32,
        bits: Bits,
    ) -> Result<(), FaultKind> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                let (number, place, width) = general(instruction.op_register(operand))?;
                let register = &mut self.general[number];
                *register = match width {
                    32 => bits.low(32),
                    width => register.replaced(place, width, bits),
                };
                self.renew(number);
                Ok(())
            }
            OpKind::Memory => {
                let size = instruction.memory_size().size() as u64;
                self.memory.store(self.address(instruction)?, size, bits)
            }
            _ => Err(FaultKind::UnknownForm("this kind of result")),
        }
    }
}

fn shifted_arithmetic(a: Bits, by: u32, width: u32) -> Bits {
    let shift = |bits| (signed(bits, width) >> by) as u64;
    Bits { value: shift(a.value), undefined: shift(a.undefined) }.low(width)
}

/// True if both operands are one register: their difference is zero, even if they are undefined.
fn is_same(instruction: &Instruction) -> bool {
    instruction.op1_kind() == OpKind::Register
        && instruction.op0_kind() == OpKind::Register
        && instruction.op0_register() == instruction.op1_register()
}

/// The numbers of the first two operands if both are general registers of 32 or 64 bits.
fn registers(instruction: &Instruction) -> Option<(usize, usize)> {
    let whole = |k| {
        let is_register = instruction.op_kind(k) == OpKind::Register;
        let register = instruction.op_register(k);
        let is_whole = is_register && (register.is_gpr32() || register.is_gpr64());
        is_whole.then(|| register.number())
    };
    Some((whole(0)?, whole(1)?))
}

/// A general register's number, lowest bit and width.
fn general(register: Register) -> Result<(usize, u32, u32), FaultKind> {
    let is_high = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    if !register.is_gpr() {
        return Err(FaultKind::UnknownForm("this kind of register"));
    }
    let place = if is_high { 8 } else { 0 };
    Ok((register.full_register().number(), place, 8 * register.size() as u32))
}

/// The width of an operand in bits: a general register, memory or an immediate.
pub(crate) fn operand_width(instruction: &Instruction, operand: u32) -> Result<u32, FaultKind> {
    match instruction.op_kind(operand) {
        OpKind::Register => Ok(general(instruction.op_register(operand))?.2),
        OpKind::Memory => Ok(8 * instruction.memory_size().size() as u32),
        OpKind::Immediate64 | OpKind::Immediate8to64 | OpKind::Immediate32to64 => Ok(64),
        _ => Err(FaultKind::UnknownForm("this kind of operand")),
    }
}
