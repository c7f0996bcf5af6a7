//! What compiled code, whoever emits it, and its callers agree on.
//!
//! *Functions.* Both follow the C convention of the machine: `extern "C"` here, and the default
//! calling convention of the target where code is emitted. They return a [`Status`] as
//! [`Status::code`]. The function for the frame takes the address of a [`Context`]; the one for a
//! row of groups takes that and then, in this order, its arguments ([`Argument::of`]). Both preserve what the
//! convention says. They are called in the default floating-point environment. On x86-64 the upper
//! halves of vector registers are clear when they are called, and when they return.
//!
//! *The context* is read only, and stays as it is during a call. What its fields point to does so
//! too, but for the slots, which the function for the frame fills, the memory for arrays, which the
//! function for a row writes and reads, and no other call at the time, and the frontier, which other
//! threads move. What it points to, and pixels, are aligned as their element types are: four bytes for
//! words, masks, arrays and pixels, eight for slots. The words of inputs hold the resources' descriptors
//! ([`Descriptors`]), which say how many texels and elements there are.
//!
//! *Call-outs.* Where a procedure cannot decide a lane it calls the reference mathematics
//! ([`REFERENCE`]), C convention too, with the number of the function
//! ([`Elementary`](lambdav_core::op::Elementary)), the number n of lanes, and the address of 4n
//! words: the execution mask, one word a lane, then the first operands, the second operands, and
//! room for the results. Where the call is cancelled, the results are undefined.
//!
//! *Procedures* are the emitter's own business: nothing else calls them.
//!
//! [`Argument::of`]: crate::registers::Argument::of
//! [`Status`]: crate::registers::Status
//! [`Status::code`]: crate::registers::Status::code

use crate::lanes::{Descriptors, Items};
use crate::registers::{Inputs, Poll, RegisterProgram, Shape};

/// The number of the symbol of the reference mathematics.
pub const REFERENCE: u32 = 0;

/// The number of the symbol of a function of [`MachineCode::functions`].
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
    resources: *const u64,
    pub(super) primitive: *const u32,
    pub(super) plane: u64,
}

/// The reference mathematics: the number of the function, that of lanes, and the address of what
/// they are given.
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
    /// The number of the first pixel: the call is cancelled unless it is below the frontier.
    FirstPixel = std::mem::offset_of!(Context, first_pixel) as isize,
    /// [`Limit::First`](crate::registers::Limit::First).
    FirstRounds = std::mem::offset_of!(Context, first_rounds) as isize,
    /// [`Limit::Rest`](crate::registers::Limit::Rest).
    RestRounds = std::mem::offset_of!(Context, rest_rounds) as isize,
    /// The address of the reference mathematics, for code that does not refer to [`REFERENCE`].
    Reference = std::mem::offset_of!(Context, reference) as isize,
    /// The address of the memory for arrays: a word a lane, word by word.
    Arrays = std::mem::offset_of!(Context, arrays) as isize,
    /// The address of the addresses of resources, eight bytes each. A resource is words, as inputs are.
    Resources = std::mem::offset_of!(Context, resources) as isize,
    /// The address of the words of the primitive.
    Primitive = std::mem::offset_of!(Context, primitive) as isize,
    /// How many bytes further the pixels of the next attachment are.
    Plane = std::mem::offset_of!(Context, plane) as isize,
}

impl Context {
    /// A context for inputs, slots and an execution mask that outlive it, without a primitive and for one attachment.
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
        }
    }
}

/// What an emitter returns: bytes, not yet in executable memory.
pub struct MachineCode {
    /// How lanes lie.
    pub(crate) shape: Shape,
    /// What they compute.
    pub(crate) items: Items,
    /// How many attachments there are.
    pub(crate) attachments: usize,
    /// How many words a primitive has.
    pub(crate) primitive_words: usize,
    /// How many slots the function for the frame fills.
    pub(crate) slots: usize,
    /// How many words of input are read.
    pub(crate) inputs: usize,
    /// The formats of resources, and where their sizes are.
    pub(crate) resources: Descriptors,
    /// How many words the function for a row needs for arrays.
    pub(crate) array_words: usize,
    /// All functions.
    pub(crate) functions: Vec<Function>,
    /// Which of them is that for the frame.
    pub(crate) frame: usize,
    /// Which of them is that for a row of groups.
    pub(crate) row: usize,
    /// The bytes of stack that a call of either takes, those of what it calls included, the
    /// reference mathematics excepted.
    pub(crate) stack: usize,
    /// What executes it, if that is more than the emitter's host.
    pub(crate) needs: Option<Needs>,
}

/// What executes some code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// The target's name.
    pub(crate) name: &'static str,
    /// What it needs, in words.
    pub(crate) what: &'static str,
    /// Whether this machine has that.
    pub(crate) is_here: bool,
}

impl std::fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MachineCode({:?}, {} bytes)", self.shape, self.size())
    }
}

impl MachineCode {
    /// That of a program: of all its procedures, and then for the frame and for a row, which may call
    /// them.
    pub(super) fn new(
        program: &RegisterProgram,
        functions: Vec<Function>,
        needs: Option<Needs>,
    ) -> Self {
        let frame = program.procedures.len();
        let (procedures, callers) = functions.split_at(frame);
        let most = |of: &[Function]| of.iter().map(|function| function.stack).max().unwrap_or(0);
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

    /// All functions one after the other, and where each begins.
    pub(super) fn laid_out(&self) -> (Vec<u8>, Vec<usize>) {
        let offsets = offsets(&self.functions);
        let mut bytes = Vec::new();
        for (function, &offset) in self.functions.iter().zip(&offsets) {
            bytes.resize(offset, 0);
            bytes.extend_from_slice(&function.bytes);
        }
        (bytes, offsets)
    }

    /// How lanes lie.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What the lanes compute.
    pub fn items(&self) -> Items {
        self.items
    }

    /// How many attachments there are.
    pub fn attachments(&self) -> usize {
        self.attachments
    }

    /// How many words a primitive has.
    pub fn primitive_words(&self) -> usize {
        self.primitive_words
    }

    /// The bytes of stack that a call takes, the reference mathematics excepted.
    pub fn stack(&self) -> usize {
        self.stack
    }

    /// How many slots the function for the frame fills.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How many words of input are read.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The formats of resources, and where their sizes are.
    pub fn resources(&self) -> &Descriptors {
        &self.resources
    }

    /// How many words the function for a row needs for arrays.
    pub fn array_words(&self) -> usize {
        self.array_words
    }

    /// What was asked to be shown, function by function.
    pub fn listing(&self) -> String {
        self.functions.iter().map(|f| format!("; {}\n{}\n", f.name, f.listing)).collect()
    }

    /// Bytes of machine code and constants.
    pub fn size(&self) -> usize {
        self.functions.iter().map(|function| function.bytes.len()).sum()
    }
}

/// A function in bytes.
pub(crate) struct Function {
    /// Its name, for people.
    pub(crate) name: String,
    /// Instructions, and the constants after them.
    pub(crate) bytes: Vec<u8>,
    /// A power of two: the address is a multiple of it.
    pub(crate) alignment: u64,
    /// What is filled in once addresses are known. They refer to [`REFERENCE`] and [`symbol`]s, in
    /// namespace 0.
    pub(crate) relocations: Vec<Relocation>,
    /// The bytes of stack that a call takes, without those of what it calls.
    pub(crate) stack: usize,
    /// What was asked to be shown of it.
    pub(crate) listing: String,
}

/// Where each function begins if they lie one after the other.
pub(super) fn offsets(functions: &[Function]) -> Vec<usize> {
    let mut end = 0_usize;
    let begin = |function: &Function| {
        let begin = end.next_multiple_of(function.alignment as usize);
        end = begin + function.bytes.len();
        begin
    };
    functions.iter().map(begin).collect()
}

/// A place in a function that depends on an address.
pub(crate) type Relocation = cranelift_module::ModuleReloc;
