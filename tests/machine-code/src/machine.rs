//! The state of a processor, and execution of code.

use std::sync::OnceLock;

use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FastFormatter, Instruction, MemorySize, OpKind, Register,
};

use crate::bits::{Bits, Vector};
use crate::fault::{Fault, FaultKind};
use crate::flags::Flags;
use crate::memory::{Memory, Region};
use crate::operation::{Operation, operation};

/// The return address of the outermost call.
const RETURN_ADDRESS: u64 = 0xffff_8000_0000_0000;

/// Callee-saved registers of the System V convention: rbx, rsp, rbp, r12–r15.
const PRESERVED: [usize; 7] = [3, 4, 5, 12, 13, 14, 15];

/// Argument registers: rdi, rsi, rdx, rcx, r8, r9.
const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

/// A decoded instruction.
pub(crate) struct Step {
    pub(crate) instruction: Instruction,
    /// The vector operation; `None` for general registers.
    pub(crate) operation: Option<Operation>,
    /// Width of the widest vector operand in bits.
    pub(crate) vector_bits: u32,
    /// Width of the first operand in bits.
    pub(crate) result_bits: u32,
    /// Number of operands before the immediate.
    pub(crate) operands: u32,
    /// The immediate, or zero.
    pub(crate) imm: u8,
    /// Legacy encoding: bits of a vector register outside the result stay, and memory operands must be
    /// aligned.
    pub(crate) is_legacy: bool,
}

impl Step {
    /// Decodes the operands' properties.
    fn new(instruction: Instruction) -> Self {
        let is_imm = |operand: &u32| instruction.op_kind(*operand) >= OpKind::Immediate8;
        let is_imm = |operand: &u32| {
            is_imm(operand) && instruction.op_kind(*operand) <= OpKind::Immediate32to64
        };
        let count = instruction.op_count();
        let operands = (0..count).find(|operand| is_imm(operand)).unwrap_or(count);
        let imm = if operands < count { instruction.immediate(operands) as u8 } else { 0 };
        let bits = |operand| match instruction.op_kind(operand) {
            OpKind::Register => {
                let register = instruction.op_register(operand);
                if register.is_vector_register() { 8 * register.size() as u32 } else { 0 }
            }
            OpKind::Memory => memory_bits(instruction.memory_size()),
            _ => 0,
        };
        Self {
            operation: operation(instruction.mnemonic(), operands == count),
            result_bits: bits(0),
            vector_bits: (0..operands).map(bits).max().unwrap_or(0),
            operands,
            imm,
            is_legacy: instruction.code().encoding() == EncodingKind::Legacy,
            instruction,
        }
    }
}

/// Width of a memory operand in bits; for a broadcast, its width after the broadcast.
fn memory_bits(size: MemorySize) -> u32 {
    if size.is_broadcast() {
        let name = format!("{size:?}");
        let digits = name.trim_start_matches("Broadcast").split('_').next().unwrap_or_default();
        return digits.parse().unwrap_or(0);
    }
    8 * size.size() as u32
}

/// Machine code at an address. Instructions are decoded when they are first executed.
pub struct Code {
    base: u64,
    bytes: Vec<u8>,
    steps: Vec<OnceLock<Box<Step>>>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({} bytes at {:#x})", self.bytes.len(), self.base)
    }
}

impl Code {
    /// Instructions and constants at an address.
    pub fn new(base: u64, bytes: Vec<u8>) -> Self {
        let steps = bytes.iter().map(|_| OnceLock::new()).collect();
        Self { base, bytes, steps }
    }

    /// The code as readable memory.
    pub fn region(&self) -> Region<'static> {
        Region::constant("code", self.base, self.bytes.clone())
    }

    fn step(&self, address: u64) -> Option<&Step> {
        let offset = usize::try_from(address.checked_sub(self.base)?).ok()?;
        let step = self.steps.get(offset)?.get_or_init(|| {
            let bytes = &self.bytes[offset..];
            let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
            Box::new(Step::new(decoder.decode()))
        });
        Some(step)
    }
}

/// A host function, given the six argument registers. An error ends the run.
pub type Callee<'h> = dyn FnMut(&mut Memory<'_>, [Bits; 6]) -> Result<(), String> + 'h;

/// A host function that code can call.
pub struct HostFunction<'h> {
    /// Its address.
    pub address: u64,
    /// Its implementation.
    pub function: &'h mut Callee<'h>,
}

/// A processor and its memory.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    /// rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
    pub general: [Bits; 16],
    /// The condition flags.
    pub flags: Flags,
    /// zmm0 to zmm31.
    pub vectors: [Vector; 32],
    /// k0 to k7.
    pub masks: [Bits; 8],
    /// The memory.
    pub memory: Memory<'a>,
    /// The address of the next instruction.
    pub(crate) next: u64,
    /// Alternates at each condition that is not known.
    turn: bool,
    /// Number of contents of registers so far.
    origins: u64,
    /// The number of each general register's content. Registers that hold copies have the same number, even if
    /// only some bits are left over.
    contents: [u64; 16],
}

impl<'a> Machine<'a> {
    /// A processor whose registers are all undefined.
    pub fn new(memory: Memory<'a>) -> Self {
        Self {
            general: std::array::from_fn(|k| Bits::left_over(k as u64)),
            flags: Flags::UNDEFINED,
            vectors: [Vector::UNDEFINED; 32],
            masks: [Bits::UNDEFINED; 8],
            memory,
            next: 0,
            turn: false,
            origins: 16,
            contents: std::array::from_fn(|k| k as u64),
        }
    }

    /// Calls a function of the System V convention and returns its result. The return address lies in the
    /// eight bytes below `stack`. The code may call host functions.
    ///
    /// # Errors
    ///
    /// The faulting instruction: its own fault, a violation of the convention, or an exceeded step limit.
    ///
    /// # Panics
    ///
    /// If there is no memory below `stack`, `stack` is not aligned, or there are too many arguments.
    pub fn call(
        &mut self,
        code: &Code,
        entry: u64,
        arguments: &[Bits],
        stack: u64,
        host: &mut [HostFunction<'_>],
        limit: u64,
    ) -> Result<Bits, Fault> {
        assert_eq!(stack % 16, 0, "the stack is aligned before the call");
        let marks = |k: usize| Bits::known(0x5eed_0000_0000_0000 | k as u64);
        for k in PRESERVED {
            self.general[k] = marks(k);
        }
        for (&argument, k) in arguments.iter().zip(ARGUMENTS) {
            self.general[k] = argument;
        }
        assert!(arguments.len() <= ARGUMENTS.len(), "arguments are in registers");
        for vector in &mut self.vectors[..16] {
            vector.clear_above(128);
        }
        self.general[4] = Bits::known(stack - 8);
        let stored = self.memory.store(stack - 8, 8, Bits::known(RETURN_ADDRESS));
        stored.expect("there is a stack");
        self.next = entry;
        let mut last = entry;
        let mut steps = 0;
        while self.next != RETURN_ADDRESS {
            if let Some(function) = host.iter_mut().find(|f| f.address == self.next) {
                self.call_host(function).map_err(|kind| fault(code, last, kind))?;
                continue;
            }
            last = self.next;
            if steps == limit {
                return Err(fault(code, last, FaultKind::StepLimit(limit)));
            }
            steps += 1;
            self.step(code).map_err(|kind| fault(code, last, kind))?;
        }
        self.check_return(stack, marks).map_err(|kind| fault(code, last, kind))?;
        Ok(self.general[0])
    }

    /// Executes the instruction at an address.
    ///
    /// # Errors
    ///
    /// The instruction's fault.
    pub fn execute(&mut self, code: &Code, address: u64) -> Result<(), Fault> {
        self.next = address;
        self.step(code).map_err(|kind| fault(code, address, kind))
    }

    fn step(&mut self, code: &Code) -> Result<(), FaultKind> {
        let outside = FaultKind::Outside { address: self.next, size: 1 };
        let step = code.step(self.next).ok_or(outside)?;
        if step.instruction.is_invalid() {
            return Err(FaultKind::Unknown);
        }
        self.next = step.instruction.next_ip();
        match step.operation {
            Some(operation) => self.vector(step, operation),
            None => self.general(&step.instruction),
        }
    }

    /// Calls a host function by the convention: afterwards all caller-saved registers are undefined.
    fn call_host(&mut self, host: &mut HostFunction<'_>) -> Result<(), FaultKind> {
        let stack = self.general[4].get(64).ok_or(FaultKind::Undefined("the stack pointer"))?;
        if stack % 16 != 8 {
            return Err(FaultKind::StackAlignment(stack));
        }
        let arguments = ARGUMENTS.map(|k| self.general[k]);
        (host.function)(&mut self.memory, arguments).map_err(FaultKind::Host)?;
        for k in (0..16).filter(|k| !PRESERVED.contains(k)) {
            self.general[k] = self.left_over();
            self.contents[k] = self.origins;
        }
        for (k, vector) in self.vectors.iter_mut().enumerate() {
            // Upper halves that are clear stay clear; others become undefined.
            let clear = k < 16 && vector.is_clear_above(128);
            *vector = Vector::UNDEFINED;
            if clear {
                vector.clear_above(128);
            }
        }
        self.masks = [Bits::UNDEFINED; 8];
        self.flags = Flags::UNDEFINED;
        self.next = self.pop()?;
        Ok(())
    }

    fn check_return(&self, stack: u64, mark: impl Fn(usize) -> Bits) -> Result<(), FaultKind> {
        for k in PRESERVED {
            let expected = if k == 4 { Bits::known(stack) } else { mark(k) };
            if self.general[k] != expected {
                return Err(FaultKind::NotPreserved(GENERAL_NAMES[k]));
            }
        }
        match self.vectors[..16].iter().position(|vector| !vector.is_clear_above(128)) {
            Some(k) => Err(FaultKind::UpperHalf(k)),
            None => Ok(()),
        }
    }

    fn left_over(&mut self) -> Bits {
        self.origins += 1;
        Bits::left_over(self.origins)
    }

    /// Notes that a general register has a new content.
    pub(crate) fn renew(&mut self, register: usize) {
        self.origins += 1;
        self.contents[register] = self.origins;
    }

    /// Notes that a general register holds a copy of another.
    pub(crate) fn note_copy(&mut self, to: usize, from: usize) {
        self.contents[to] = self.contents[from];
    }

    /// True if both general registers hold the same content.
    pub(crate) fn hold_copies(&self, these: usize, those: usize) -> bool {
        self.contents[these] == self.contents[those]
    }

    /// The condition, or alternately true and false if it is not known.
    pub(crate) fn decide(&mut self, condition: Option<bool>) -> bool {
        condition.unwrap_or_else(|| {
            self.turn = !self.turn;
            self.turn
        })
    }

    pub(crate) fn push(&mut self, bits: Bits) -> Result<(), FaultKind> {
        let stack = self.general[4].get(64).ok_or(FaultKind::Undefined("the stack pointer"))?;
        let stack = stack.wrapping_sub(8);
        self.memory.store(stack, 8, bits)?;
        self.general[4] = Bits::known(stack);
        Ok(())
    }

    pub(crate) fn pop_bits(&mut self) -> Result<Bits, FaultKind> {
        let stack = self.general[4].get(64).ok_or(FaultKind::Undefined("the stack pointer"))?;
        let bits = self.memory.load(stack, 8)?;
        self.general[4] = Bits::known(stack.wrapping_add(8));
        Ok(bits)
    }

    pub(crate) fn pop(&mut self) -> Result<u64, FaultKind> {
        self.pop_bits()?.get(64).ok_or(FaultKind::Undefined("the return address"))
    }

    /// The address of the memory operand.
    pub(crate) fn address(&self, instruction: &Instruction) -> Result<u64, FaultKind> {
        let index = self.address_register(instruction.memory_index())?;
        let scaled = index.wrapping_mul(instruction.memory_index_scale().into());
        Ok(self.base_address(instruction)?.wrapping_add(scaled))
    }

    /// The address of a load; `None` if the index is undefined. Inactive lanes load by undefined indices, and
    /// the loaded values are undefined, too. (The verifier of register programs checks that indices are in
    /// bounds.)
    pub(crate) fn address_of_load(
        &self,
        instruction: &Instruction,
    ) -> Result<Option<u64>, FaultKind> {
        let index = instruction.memory_index();
        if index.is_gpr64() && self.general[index.number()].get(64).is_none() {
            return self.base_address(instruction).map(|_| None);
        }
        self.address(instruction).map(Some)
    }

    /// The address without the index.
    pub(crate) fn base_address(&self, instruction: &Instruction) -> Result<u64, FaultKind> {
        if instruction.segment_prefix() != Register::None {
            return Err(FaultKind::UnknownForm("segments"));
        }
        let base = self.address_register(instruction.memory_base())?;
        Ok(base.wrapping_add(instruction.memory_displacement64()))
    }

    fn address_register(&self, register: Register) -> Result<u64, FaultKind> {
        match register {
            Register::None | Register::RIP => Ok(0),
            register if register.is_gpr64() => {
                let bits = self.general[register.number()];
                bits.get(64).ok_or(FaultKind::Undefined("the address"))
            }
            _ => Err(FaultKind::UnknownForm("this kind of address")),
        }
    }
}

const GENERAL_NAMES: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];

fn fault(code: &Code, address: u64, kind: FaultKind) -> Fault {
    let mut text = String::new();
    match code.step(address) {
        Some(step) => FastFormatter::new().format(&step.instruction, &mut text),
        None => text.push_str("no instruction"),
    }
    Fault { address, text, kind }
}
