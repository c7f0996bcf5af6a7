//! An instruction with operands of any register type `R`; its bytes and its text.

use std::fmt::{self, Display, Formatter};

use super::isa::{Condition, Field, Form, Opcode, Size, TextOperand};
use crate::mutants::{Mutant, is_active};

/// The stack pointer.
pub(crate) const RSP: u8 = 4;

/// Logarithm of the scale of an index: words of four bytes.
const WORDS: u8 = 2;

/// An instruction. Fields that its row in the table lacks are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction<R> {
    pub(crate) op: Opcode,
    pub(crate) size: Size,
    /// ModRM.reg.
    pub(crate) reg: Option<R>,
    /// VEX.vvvv.
    pub(crate) vvvv: Option<R>,
    /// ModRM.rm.
    pub(crate) rm: Option<Rm<R>>,
    /// The register in the immediate byte.
    pub(crate) last: Option<R>,
    /// EVEX: the mask of lanes that are written.
    pub(crate) mask: Option<R>,
    /// EVEX: clears the other lanes; else they keep their values.
    pub(crate) zeroing: bool,
    /// EVEX: memory holds one element for all lanes.
    pub(crate) broadcast: bool,
    pub(crate) number: i32,
    /// The condition of `set` and `cmov`.
    pub(crate) condition: Option<Condition>,
}

/// A register or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rm<R> {
    Reg(R),
    Mem(Mem<R>),
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mem<R> {
    pub(crate) base: Base<R>,
    /// The index, in words of four bytes: a general register, or a vector of one index per lane.
    pub(crate) index: Option<R>,
    pub(crate) offset: i32,
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base<R> {
    /// The address in a register.
    Register(R),
    /// A place in the function's frame.
    Frame(Area),
    /// The function's constant of that number.
    Constant(u32),
}

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// The operands and results of the reference mathematics, or the indices of a load.
    Scratch,
    /// The spill slots of the register program.
    Slots,
}

/// The number of a machine register within its class.
pub(crate) type Hardware = u8;

impl<R: Copy> Instruction<R> {
    pub(crate) fn new(op: Opcode, size: Size) -> Self {
        Self {
            op,
            size,
            reg: None,
            vvvv: None,
            rm: None,
            last: None,
            mask: None,
            zeroing: false,
            broadcast: false,
            number: 0,
            condition: None,
        }
    }

    pub(crate) fn reg(self, reg: R) -> Self {
        Self { reg: Some(reg), ..self }
    }

    pub(crate) fn vvvv(self, vvvv: R) -> Self {
        Self { vvvv: Some(vvvv), ..self }
    }

    pub(crate) fn rm(self, rm: R) -> Self {
        Self { rm: Some(Rm::Reg(rm)), ..self }
    }

    pub(crate) fn mem(self, mem: Mem<R>) -> Self {
        Self { rm: Some(Rm::Mem(mem)), ..self }
    }

    pub(crate) fn number(self, number: i32) -> Self {
        Self { number, ..self }
    }
}

impl<R: Copy> Mem<R> {
    pub(crate) fn at(base: R, offset: i32) -> Self {
        Self { base: Base::Register(base), index: None, offset }
    }

    /// The word number `index` after `base` plus `offset`.
    pub(crate) fn word(base: R, index: R, offset: i32) -> Self {
        Self { base: Base::Register(base), index: Some(index), offset }
    }

    /// A constant.
    pub(crate) fn constant(id: u32) -> Self {
        Self { base: Base::Constant(id), index: None, offset: 0 }
    }

    /// A place in the frame.
    pub(crate) fn frame(area: Area, offset: i32) -> Self {
        Self { base: Base::Frame(area), index: None, offset }
    }
}

/// A reference to a constant, whose distance is filled in later. The distance counts from the end
/// of the instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantUse {
    /// The position of the four bytes of the distance.
    pub(crate) at: usize,
    /// The position after the instruction.
    pub(crate) end: usize,
    pub(crate) constant: u32,
    pub(crate) offset: i32,
}

impl Instruction<Hardware> {
    /// True if it needs an EVEX encoding.
    pub(crate) fn is_evex(&self) -> bool {
        let base = match self.rm {
            Some(Rm::Reg(reg)) => Some(reg),
            _ => None,
        };
        let registers = [self.reg, self.vvvv, base];
        match self.op.row().form {
            Form::Legacy | Form::Vex => false,
            Form::Evex => true,
            Form::Both => {
                registers.into_iter().flatten().any(|reg| reg >= 16)
                    || self.size == Size::B512
                    || self.mask.is_some()
                    || self.broadcast
            }
        }
    }

    /// Appends its bytes. Returns the reference to a constant, if it has one.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) -> Option<ConstantUse> {
        let row = self.op.row();
        let reg = row.digit.or(self.reg).unwrap_or(0);
        let (rm, base) = match self.rm {
            Some(Rm::Reg(rm)) => (rm, false),
            Some(Rm::Mem(Mem { base: Base::Register(base), .. })) => (base, true),
            _ => (0, true),
        };
        let vvvv = self.vvvv.unwrap_or(0);
        let index = match self.rm {
            Some(Rm::Mem(Mem { index, .. })) => index,
            _ => None,
        };
        let bit = |reg: u8, bit: u8| reg >> bit & 1;
        let opcode = row.opcode + self.condition.map_or(0, |condition| condition as u8);
        let mut scale = 1;
        if row.form == Form::Legacy {
            let byte = |kind| row.operands.iter().any(|&(_, of)| of == kind);
            // Without a REX prefix, byte registers 4 to 7 would be AH, CH, DH and BH.
            let is_byte = byte(TextOperand::B) && !base && rm >= 4;
            let wide = self.size == Size::B64 && !matches!(self.op, Opcode::Push | Opcode::Pop);
            let wide = wide && !matches!(self.op, Opcode::CallAddress | Opcode::Return);
            let x = bit(index.unwrap_or(0), 3);
            let rex = u8::from(wide) << 3 | bit(reg, 3) << 2 | x << 1 | bit(rm, 3);
            if rex != 0 || is_byte {
                out.push(0x40 | rex);
            }
            if row.map == 1 {
                out.push(0x0f);
            }
        } else if self.is_evex() {
            scale = row.tuple.bytes(self.size, self.broadcast) as i32;
            let length = match self.size {
                Size::B512 => 2,
                Size::B256 => 1,
                _ => 0,
            };
            let x = if base { bit(index.unwrap_or(0), 3) } else { bit(rm, 4) };
            // The highest bit of a vector index is encoded in the place of vvvv's.
            let high = bit(vvvv | index.unwrap_or(0), 4);
            let inverted = bit(reg, 3) << 7 | x << 6 | bit(rm, 3) << 5 | bit(reg, 4) << 4;
            out.extend([
                0x62,
                (inverted ^ 0xf0) | row.map,
                row.w[1] << 7 | (!vvvv & 15) << 3 | 4 | row.prefix,
                u8::from(self.zeroing) << 7
                    | length << 5
                    | u8::from(self.broadcast) << 4
                    | (high ^ 1) << 3
                    | self.mask.unwrap_or(0),
            ]);
        } else {
            let all = [Some(reg), Some(rm), self.vvvv, self.last];
            let is_known = all.into_iter().flatten().all(|number| number < 16);
            debug_assert!(is_known && self.size != Size::B512, "{self} has no such form");
            // Instructions on three masks set L.
            let is_three = row.operands == three_masks();
            let length = u8::from(self.size == Size::B256 || is_three);
            let last = (!vvvv & 15) << 3 | length << 2 | row.prefix;
            let (r, b) = (bit(reg, 3) ^ 1, bit(rm, 3) ^ 1);
            let x = bit(index.unwrap_or(0), 3) ^ 1;
            if b == 1 && x == 1 && row.map == 1 && row.w[0] == 0 {
                out.extend([0xc5, r << 7 | last]);
            } else {
                out.extend([0xc4, r << 7 | x << 6 | b << 5 | row.map, row.w[0] << 7 | last]);
            }
        }
        out.push(opcode);
        let mut constant = None;
        match self.rm {
            None => {}
            Some(Rm::Reg(rm)) => out.push(0xc0 | (reg & 7) << 3 | rm & 7),
            Some(Rm::Mem(Mem { base: Base::Constant(id), offset, .. })) => {
                out.push((reg & 7) << 3 | 5);
                let at = out.len();
                out.extend([0; 4]);
                constant = Some(ConstantUse { at, end: at, constant: id, offset });
            }
            Some(Rm::Mem(Mem { base: Base::Frame(_), .. })) => {
                unreachable!("frames are laid out before")
            }
            Some(Rm::Mem(Mem { base: Base::Register(base), index, offset })) => {
                let short = offset % scale == 0 && i8::try_from(offset / scale).is_ok();
                let mode = if offset == 0 && base & 7 != 5 {
                    0
                } else if short {
                    1
                } else {
                    2
                };
                let rm = if index.is_some() { RSP } else { base & 7 };
                out.push(mode << 6 | (reg & 7) << 3 | rm);
                if let Some(index) = index {
                    out.push(WORDS << 6 | (index & 7) << 3 | base & 7);
                } else if rm == RSP {
                    out.push(0x24);
                }
                match mode {
                    0 => {}
                    1 => {
                        let unit = if is_active(Mutant::WrongDisplacement) { 1 } else { scale };
                        out.push((offset / unit) as u8);
                    }
                    _ => out.extend(offset.to_le_bytes()),
                }
            }
        }
        match (self.op.number_bytes(), self.last) {
            (0, _) => {}
            (_, Some(last)) => out.push(last << 4),
            (1, None) => out.push(self.number as u8),
            (_, None) => out.extend(self.number.to_le_bytes()),
        }
        constant.map(|used| ConstantUse { end: out.len(), ..used })
    }
}

/// The operands of instructions on three masks.
fn three_masks() -> &'static [(Field, TextOperand)] {
    Opcode::AndK.row().operands
}

/// The name of a register.
pub(crate) fn register_name(kind: TextOperand, size: Size, number: Hardware) -> String {
    const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    let general = |size| match (NAMES.get(number as usize), size) {
        (Some(name), Size::B64) => format!("r{name}"),
        (Some(name), Size::B32) => format!("e{name}"),
        (Some(name), _) if number < 4 => format!("{}l", &name[..1]),
        (Some(name), _) => format!("{name}l"),
        (None, Size::B64) => format!("r{number}"),
        (None, Size::B32) => format!("r{number}d"),
        (None, _) => format!("r{number}b"),
    };
    let vector = |size| match size {
        Size::B512 => format!("zmm{number}"),
        Size::B256 => format!("ymm{number}"),
        _ => format!("xmm{number}"),
    };
    match kind {
        TextOperand::G => general(size),
        TextOperand::D => general(Size::B32),
        TextOperand::B => general(Size::B128),
        TextOperand::V | TextOperand::M => vector(size),
        TextOperand::H => vector(size.half()),
        TextOperand::X => vector(Size::B128),
        TextOperand::Y => vector(Size::B256),
        TextOperand::K => format!("k{number}"),
        TextOperand::N => number.to_string(),
    }
}

/// The text of an instruction; `name` gives the names of registers.
pub(crate) struct Text<'i, R, F> {
    pub(crate) instruction: &'i Instruction<R>,
    /// True for the EVEX form, which may have another name.
    pub(crate) is_evex: bool,
    pub(crate) name: F,
}

impl<R: Copy, F: Fn(R, TextOperand, Size) -> String> Display for Text<'_, R, F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let it = self.instruction;
        let row = it.op.row();
        write!(f, "{}", row.names[usize::from(self.is_evex)])?;
        if let Some(condition) = it.condition {
            write!(f, "{}", condition.name())?;
        }
        for (i, &(field, kind)) in row.operands.iter().enumerate() {
            write!(f, "{}", if i == 0 { " " } else { ", " })?;
            let size = if matches!(it.op, Opcode::Push | Opcode::Pop | Opcode::CallAddress) {
                Size::B64
            } else {
                it.size
            };
            let register = |reg: Option<R>| reg.map(|reg| (self.name)(reg, kind, size));
            let text = match field {
                Field::Reg => register(it.reg),
                Field::Vvvv => register(it.vvvv),
                Field::Last => register(it.last),
                Field::Imm => Some(it.number.to_string()),
                Field::Rm => it.rm.map(|rm| match rm {
                    Rm::Reg(reg) => (self.name)(reg, kind, size),
                    Rm::Mem(mem) => self.memory(mem, kind),
                }),
            };
            write!(f, "{}", text.as_deref().unwrap_or("?"))?;
            if let (0, Some(mask)) = (i, it.mask) {
                write!(f, "{{{}}}", (self.name)(mask, TextOperand::K, size))?;
                if it.zeroing {
                    write!(f, "{{z}}")?;
                }
            }
        }
        Ok(())
    }
}

impl<R: Copy, F: Fn(R, TextOperand, Size) -> String> Text<'_, R, F> {
    fn memory(&self, Mem { base, index, offset }: Mem<R>, kind: TextOperand) -> String {
        let it = self.instruction;
        let base = match base {
            Base::Register(reg) => (self.name)(reg, TextOperand::G, Size::B64),
            Base::Frame(Area::Scratch) => "scratch".to_owned(),
            Base::Frame(Area::Slots) => "slots".to_owned(),
            Base::Constant(id) => format!("constant{id}"),
        };
        let of_index = if kind == TextOperand::M { TextOperand::M } else { TextOperand::G };
        let size = if kind == TextOperand::M { it.size } else { Size::B64 };
        let index = index.map(|reg| format!("+{}*4", (self.name)(reg, of_index, size)));
        let index = index.unwrap_or_default();
        let offset = match offset {
            0 => String::new(),
            offset => format!("{offset:+}"),
        };
        let element = it.op.row().tuple.element().filter(|_| it.broadcast);
        let whole = it.op.row().tuple.bytes(it.size, false);
        let times = element.map(|element| format!("{{1to{}}}", whole / u32::from(element)));
        format!("[{base}{index}{offset}]{}", times.unwrap_or_default())
    }
}

impl Display for Instruction<Hardware> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |reg, kind, size| register_name(kind, size, reg);
        Text { instruction: self, is_evex: self.is_evex(), name }.fmt(f)
    }
}
