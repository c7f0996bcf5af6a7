//! The interface between compiled code and its callers, the same for every emitter.
//!
//! *Functions.* Both follow the C convention of the machine: `extern "C"` here, and the default
//! calling convention of the target where code is emitted. They return a [`Status`] as
//! [`Status::code`]. The function for the frame takes the address of a [`Context`]. The function
//! for a row of groups takes the same address and then, in this order, its arguments
//! ([`Argument::of`]). Both preserve the registers that the convention names. They are called in
//! the default floating-point environment. On x86-64 the upper halves of vector registers are clear
//! on entry and on return.
//!
//! *The context* is read only and constant during a call. So is the memory that its fields point
//! to, with these exceptions: the function for the frame fills the slots; the function for a row
//! reads and writes the memory for arrays and the dropped word, which no other call uses at the time; it reads and
//! writes the words of memories; other threads move the frontier. All this memory, and pixels, are aligned to their elements: four bytes for words,
//! masks, arrays and pixels, eight for slots. The words of inputs hold the resources' descriptors
//! ([`Descriptors`]): the numbers of texels and elements.
//!
//! *Call-outs.* A procedure that cannot decide a lane calls the reference mathematics
//! ([`REFERENCE`]), by the C convention too. Its arguments are the number of the function
//! ([`Elementary`](lambdav_core::op::Elementary)), the number n of lanes, and the address of 4n
//! words: the execution mask, one word a lane, then the first operands, the second operands, and
//! room for the results. If the call is cancelled, the results are undefined.
//!
//! *Procedures* are private to the emitter: only its own code calls them.
//!
//! [`Argument::of`]: crate::registers::Argument::of
//! [`Status`]: crate::registers::Status
//! [`Status::code`]: crate::registers::Status::code

use crate::lanes::{Descriptors, Items};
use crate::registers::{Inputs, Poll, RegisterProgram, Shape};

/// The symbol number of the reference mathematics.
pub const REFERENCE: u32 = 0;

/// The symbol number of a function of [`MachineCode::functions`].
pub fn symbol(function: usize) -> u32 {
    REFERENCE + 1 + function as u32
}

/// The context as compiled code sees it: each field is eight bytes.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Context {
    inputs: *const u32,
    slots: *mut u64,
    mask: *const u32,
    frontier: *const u64,
    first_pixel: u64,
    first_rounds: u64,
    rest_rounds: u64,
    reference: Reference,
    arrays: *mut u32,
    pub(super) resources: *const u64,
    pub(super) primitive: *const u32,
    pub(super) plane: u64,
    pub(super) dropped: *mut u32,
}

/// The reference mathematics: takes the number of the function, the number of lanes, and the
/// address of the mask and operands.
pub(super) type Reference = unsafe extern "C" fn(u32, u32, *mut u32);

/// A field of the context: its offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The address of the words of the program's inputs.
    Inputs = std::mem::offset_of!(Context, inputs) as isize,
    /// The address of the slots, eight bytes each.
    Slots = std::mem::offset_of!(Context, slots) as isize,
    /// The address of the execution mask: a word a lane, all ones or zero, register by register.
    Mask = std::mem::offset_of!(Context, mask) as isize,
    /// The address of the frontier, an unsigned word of 64 bits.
    Frontier = std::mem::offset_of!(Context, frontier) as isize,
    /// The number of the first pixel: the call is cancelled once the frontier is not above it.
    FirstPixel = std::mem::offset_of!(Context, first_pixel) as isize,
    /// [`Limit::First`](crate::registers::Limit::First).
    FirstRounds = std::mem::offset_of!(Context, first_rounds) as isize,
    /// [`Limit::Rest`](crate::registers::Limit::Rest).
    RestRounds = std::mem::offset_of!(Context, rest_rounds) as isize,
    /// The address of the reference mathematics, for code without a relocation to [`REFERENCE`].
    Reference = std::mem::offset_of!(Context, reference) as isize,
    /// The address of the memory for arrays: word by word, for each word all lanes.
    Arrays = std::mem::offset_of!(Context, arrays) as isize,
    /// The address of a table of addresses, eight bytes each: the words of each resource. An empty memory has the
    /// address of a word.
    Resources = std::mem::offset_of!(Context, resources) as isize,
    /// The address of the words of the primitive.
    Primitive = std::mem::offset_of!(Context, primitive) as isize,
    /// The distance from the pixels of an attachment to those of the next, in bytes.
    Plane = std::mem::offset_of!(Context, plane) as isize,
    /// The address of a word that takes the stores of inactive lanes.
    Dropped = std::mem::offset_of!(Context, dropped) as isize,
}

impl Context {
    /// A context for inputs, slots and an execution mask that outlive it, without a primitive and
    /// for one attachment.
    pub(super) fn new(
        inputs: &Inputs,
        slots: *mut u64,
        mask: &[u32],
        poll: Poll<'_>,
        reference: Reference,
        arrays: *mut u32,
    ) -> Self {
        let [first_rounds, rest_rounds] = inputs.rounds();
        Self {
            inputs: inputs.words().as_ptr(),
            slots,
            mask: mask.as_ptr(),
            frontier: poll.frontier.as_ptr(),
            first_pixel: poll.first,
            first_rounds,
            rest_rounds,
            reference,
            arrays,
            resources: inputs.addresses().as_ptr(),
            primitive: std::ptr::null(),
            plane: 0,
            dropped: std::ptr::null_mut(),
        }
    }
}

/// The output of an emitter: bytes, not yet in executable memory.
pub struct MachineCode {
    /// The layout of lanes.
    pub(crate) shape: Shape,
    /// The items that the lanes compute: pixels of rows, or listed pixels.
    pub(crate) items: Items,
    /// The number of attachments.
    pub(crate) attachments: usize,
    /// The number of words of a primitive.
    pub(crate) primitive_words: usize,
    /// The number of slots that the function for the frame fills.
    pub(crate) slots: usize,
    /// The number of words of input.
    pub(crate) inputs: usize,
    /// The formats of resources, and the positions of their sizes among the inputs.
    pub(crate) resources: Descriptors,
    /// The number of words that the function for a row needs for arrays.
    pub(crate) array_words: usize,
    /// All functions.
    pub(crate) functions: Vec<CompiledFunction>,
    /// The index of the function for the frame.
    pub(crate) frame: usize,
    /// The index of the function for a row of groups.
    pub(crate) row: usize,
    /// The bytes of stack that a call of either takes, callees included, except the reference
    /// mathematics.
    pub(crate) stack: usize,
    /// The requirements of the code; `None` if the host that emitted it can execute it.
    pub(crate) needs: Option<Needs>,
}

/// The requirements of some code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// The target's name.
    pub(crate) name: &'static str,
    /// The needed features, for messages.
    pub(crate) what: &'static str,
    /// True if this machine has the features.
    pub(crate) is_here: bool,
}

impl std::fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MachineCode({:?}, {} bytes)", self.shape, self.size())
    }
}

impl MachineCode {
    /// The code of a program. `functions` holds its procedures and then the functions for the frame
    /// and for a row, which may call them.
    pub(super) fn new(
        program: &RegisterProgram,
        functions: Vec<CompiledFunction>,
        needs: Option<Needs>,
    ) -> Self {
        let frame = program.procedures.len();
        let (procedures, callers) = functions.split_at(frame);
        let most =
            |of: &[CompiledFunction]| of.iter().map(|function| function.stack).max().unwrap_or(0);
        Self {
            shape: program.shape,
            items: program.items,
            attachments: program.attachments,
            primitive_words: program.primitive_words as usize,
            slots: program.slots.len(),
            inputs: program.inputs.len(),
            resources: program.resources.clone(),
            array_words: program.array_bytes() / size_of::<u32>(),
            stack: most(procedures) + most(callers),
            functions,
            frame,
            row: frame + 1,
            needs,
        }
    }

    /// All functions one after the other, and the offset of each.
    pub(super) fn laid_out(&self) -> (Vec<u8>, Vec<usize>) {
        let offsets = offsets(&self.functions);
        let mut bytes = Vec::new();
        for (function, &offset) in self.functions.iter().zip(&offsets) {
            bytes.resize(offset, 0);
            bytes.extend_from_slice(&function.bytes);
        }
        (bytes, offsets)
    }

    /// The layout of lanes.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The items that the lanes compute.
    pub fn items(&self) -> Items {
        self.items
    }

    /// The number of attachments.
    pub fn attachments(&self) -> usize {
        self.attachments
    }

    /// The number of words of a primitive.
    pub fn primitive_words(&self) -> usize {
        self.primitive_words
    }

    /// The bytes of stack that a call takes, except those of the reference mathematics.
    pub fn stack(&self) -> usize {
        self.stack
    }

    /// The number of slots that the function for the frame fills.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The number of words of input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The formats of resources, and the positions of their sizes among the inputs.
    pub fn resources(&self) -> &Descriptors {
        &self.resources
    }

    /// The number of words that the function for a row needs for arrays.
    pub fn array_words(&self) -> usize {
        self.array_words
    }

    /// The listings of all functions, as requested.
    pub fn listing(&self) -> String {
        self.functions.iter().map(|f| format!("; {}\n{}\n", f.name, f.listing)).collect()
    }

    /// Bytes of machine code and constants.
    pub fn size(&self) -> usize {
        self.functions.iter().map(|function| function.bytes.len()).sum()
    }
}

/// A compiled function.
pub(crate) struct CompiledFunction {
    /// Its name in listings.
    pub(crate) name: String,
    /// Instructions, followed by constants.
    pub(crate) bytes: Vec<u8>,
    /// The alignment of its address, a power of two.
    pub(crate) alignment: u64,
    /// The places to fill in once addresses are known. They refer to [`REFERENCE`] and [`symbol`]s,
    /// in namespace 0.
    pub(crate) relocations: Vec<Relocation>,
    /// The bytes of stack that a call takes, callees excluded.
    pub(crate) stack: usize,
    /// Its listing, as requested.
    pub(crate) listing: String,
}

/// The offsets of functions that lie one after the other.
pub(super) fn offsets(functions: &[CompiledFunction]) -> Vec<usize> {
    let mut end = 0_usize;
    let begin = |function: &CompiledFunction| {
        let begin = end.next_multiple_of(function.alignment as usize);
        end = begin + function.bytes.len();
        begin
    };
    functions.iter().map(begin).collect()
}

/// A place in a function's bytes that depends on an address.
pub(crate) type Relocation = cranelift_module::ModuleReloc;
