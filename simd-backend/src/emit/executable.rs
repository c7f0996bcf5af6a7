//! Executable memory, and calls of compiled code. All unsafe code of the crate is in this file.
//!
//! An [`Executable`] owns the pages of its code, and a caller borrows it: no code is called after
//! its pages are gone. Compiled functions read and write memory behind safe references that outlive
//! the call; the checks here ensure that this memory is large enough. The code itself keeps to
//! [`abi`] because only emitters of this crate can make a [`MachineCode`].

#![allow(unsafe_code, reason = "calls of compiled code")]

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, ModuleError, ModuleRelocTarget, default_libcall_names};
use lambdav_core::evaluate::Memory;
use lambdav_core::op::Elementary;
use lambdav_float_environment::with_default;
use memmap2::{Mmap, MmapMut};

use super::abi::{self, Context, MachineCode, Needs};
use super::{EmitError, Target};
use crate::lanes::{Descriptors, Items};
use crate::registers::{Callable, Inputs, Listed, Memories, PIXEL_BYTES, Poll, Row, Shape, Status};

thread_local! {
    /// The poll of the call under way on this thread: a frontier, and the number of the first
    /// pixel.
    static POLL: Cell<Option<(*const AtomicU64, u64)>> = const { Cell::new(None) };
    /// Memory for arrays, as large as the largest need of any program on this thread so far.
    static ARRAYS: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// Memory with the alignment of the widest registers.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u32; 16]);

/// Calls `f` with the address of `words` words for arrays, which only `f` uses until it returns.
fn with_arrays<R>(words: usize, f: impl FnOnce(*mut u32) -> R) -> R {
    if words == 0 {
        return f(std::ptr::null_mut());
    }
    // Taken out of the cell: a nested call gets memory of its own.
    let mut memory = ARRAYS.take();
    let lines = words.div_ceil(Line([0; 16]).0.len());
    if memory.len() < lines {
        memory = vec![Line([0; 16]); lines];
    }
    let result = f(memory.as_mut_ptr().cast());
    ARRAYS.set(memory);
    result
}

/// The words of memories, to be shared by calls until the borrow ends.
pub fn shared(memory: &mut Memory) -> Memories<'_> {
    Memories(memory.all_mut().map(shared_words).collect())
}

/// The same for words.
pub fn shared_words(words: &mut [u32]) -> &[AtomicU32] {
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) };
    let (first, count) = (words.as_mut_ptr().cast::<AtomicU32>(), words.len());
    // SAFETY: both types have the same size and alignment, and the words are borrowed mutably for the lifetime of the
    // result.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// Calls compiled code in the environment that it expects: the default floating-point environment,
/// clear upper halves of vector registers, and a poll for call-outs.
fn call<R>(poll: Poll<'_>, code: impl FnOnce() -> R) -> R {
    with_default(|| {
        let before = POLL.replace(Some((std::ptr::from_ref(poll.frontier), poll.first)));
        clear_upper_halves();
        let result = code();
        POLL.set(before);
        result
    })
}

/// True if the call under way on this thread is cancelled.
fn is_cancelled() -> bool {
    POLL.get().is_some_and(|(frontier, first)| {
        // SAFETY: `call` has stored the pointer, and its caller's reference outlives the call.
        first >= unsafe { &*frontier }.load(Ordering::Relaxed)
    })
}

/// The call-out of [`abi::REFERENCE`]: computes an elementary function in `lanes` lanes. `data`
/// holds the mask, the first operands, the second operands, and room for the results. It stops once
/// the call is cancelled: a value takes up to a tenth of a millisecond, and straight-line code has
/// any number of them.
///
/// # Safety
///
/// `function` is an [`Elementary`] as a number, and `data` points to four times `lanes` words.
unsafe extern "C" fn reference(function: u32, lanes: u32, data: *mut u32) {
    let lanes = lanes as usize;
    // SAFETY: the caller's promise. The words are in the frame of compiled code, and no other
    // reference to them exists.
    let data = unsafe { std::slice::from_raw_parts_mut(data, 4 * lanes) };
    let function = Elementary::ALL[function as usize];
    for lane in 0..lanes {
        if data[lane] != 0 {
            if is_cancelled() {
                return;
            }
            let [x, y] = [1, 2].map(|k| f32::from_bits(data[k * lanes + lane]));
            let y = if function.arity() == 2 { y } else { 0.0 };
            data[3 * lanes + lane] = function.evaluate(x, y).to_bits();
        }
    }
}

/// Memory that keeps the code of functions mapped.
#[expect(dead_code, reason = "keeps the pages mapped")]
enum Pages {
    /// The pages of position-independent code.
    Mapped(Mmap),
    /// The module of code that was relocated.
    Module(Box<Linked>),
}

/// A module that owns the memory of its functions.
struct Linked(Option<JITModule>);

impl Drop for Linked {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: a call borrows the `Executable` that owns this module, and before there is one
            // no call is made. So none is under way, and the addresses of the functions are dropped
            // with the module.
            unsafe { module.free_memory() };
        }
    }
}

/// Compiled functions, and the memory that they lie in.
pub struct Executable {
    /// Keeps the code mapped.
    _pages: Pages,
    frame: *const u8,
    row: *const u8,
    shape: Shape,
    items: Items,
    attachments: usize,
    primitive_words: usize,
    slots: usize,
    inputs: usize,
    resources: Descriptors,
    array_words: usize,
    size: usize,
    stack: usize,
}

// SAFETY: the pages are executable and no longer writable once they are mapped or the module is
// finalised. Only the drop touches them again, and it has exclusive access.
unsafe impl Send for Executable {}
// SAFETY: as above: shared access only calls the code, which writes to its arguments alone.
unsafe impl Sync for Executable {}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Executable({:?}, {} bytes)", self.shape, self.size)
    }
}

impl Executable {
    /// Puts code into memory that can be executed.
    ///
    /// # Errors
    ///
    /// [`EmitError::Memory`] if there is no memory for it, [`EmitError::Absent`] if this machine
    /// cannot execute it.
    ///
    /// # Panics
    ///
    /// If the code was not made by an [`Emitter`](super::Emitter) of `target`.
    pub fn new(code: &MachineCode, target: &Target) -> Result<Self, EmitError> {
        if let Some(Needs { name, what, .. }) = code.needs.filter(|needs| !needs.is_here) {
            let here: Vec<&str> = Target::here().collect();
            let here = here.join(", ");
            let message = format!("{name} needs {what}, which this machine lacks; it has {here}");
            return Err(EmitError::Absent(message));
        }
        // All functions in one piece of memory: a direct call has a limited reach.
        let (bytes, offsets) = code.laid_out();
        // The wide emitters' code refers to no address. Cranelift's code has relocations, and its
        // loader knows how to clear the instruction caches of machines that need it.
        let (pages, start) = match code.needs {
            Some(_) => map(&bytes)?,
            None => link(code, target, &bytes, &offsets)?,
        };
        let [frame, row] =
            [code.frame, code.row].map(|function| start.wrapping_add(offsets[function]));
        Ok(Self {
            _pages: pages,
            frame,
            row,
            shape: code.shape,
            items: code.items,
            attachments: code.attachments,
            primitive_words: code.primitive_words,
            slots: code.slots,
            inputs: code.inputs,
            resources: code.resources.clone(),
            array_words: code.array_words,
            size: code.size(),
            stack: code.stack,
        })
    }

    /// Bytes of machine code and constants.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The formats of resources, and where their sizes are.
    pub fn resources(&self) -> &Descriptors {
        &self.resources
    }

    /// The addresses of all resources, if some are memories. An empty memory has the address of the dropped
    /// word.
    fn addresses(
        &self,
        inputs: &Inputs,
        memories: &Memories<'_>,
        dropped: *mut u32,
    ) -> Option<Vec<u64>> {
        let mut numbers = self.resources.memories().peekable();
        numbers.peek()?;
        let mut addresses = inputs.addresses().to_vec();
        for number in numbers {
            let address = memories.words(number).first().map_or(dropped, AtomicU32::as_ptr);
            addresses[number] = address.expose_provenance() as u64;
        }
        Some(addresses)
    }

    /// Checks the number of input words, and that the code reads descriptors where `inputs` has
    /// them. `Inputs` itself keeps the descriptors equal to the data.
    fn check(&self, inputs: &Inputs) {
        assert_eq!(inputs.words().len(), self.inputs, "one word for each input");
        assert_eq!(inputs.descriptors(), &self.resources, "the code is for their formats");
    }
}

impl Callable for Executable {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn items(&self) -> Items {
        self.items
    }

    fn attachments(&self) -> usize {
        self.attachments
    }

    fn stack(&self) -> usize {
        self.stack
    }

    /// # Panics
    ///
    /// If the inputs are not for the program.
    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        let mut slots = vec![0; self.slots];
        self.check(inputs);
        let arrays = std::ptr::null_mut();
        let context = Context::new(inputs, slots.as_mut_ptr(), &[], poll, reference, arrays);
        // SAFETY: the function has this signature (`abi`). It reads the words of `inputs`, as many
        // as checked, and those of its resources, as many as their descriptors say, and writes
        // `self.slots` words. It reads no masks and has no arrays.
        let status = call(poll, || unsafe {
            let function: extern "C" fn(*const Context) -> i64 = std::mem::transmute(self.frame);
            function(&raw const context)
        });
        (Status::from_code(status), slots)
    }

    /// # Panics
    ///
    /// If the program is for listed lanes, if the inputs are not for it, or if `pixels`, `slots` or
    /// `mask` differ in size from the needs of the row and the program.
    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        let Row { x, y, groups, stride, plane } = row;
        let end = |columns: u32, rows: u32| {
            let width = (groups as usize).checked_mul(columns as usize)?;
            let end = (rows as usize - 1).checked_mul(stride)?.checked_add(width)?;
            (groups > 0 && width <= stride).then_some(end)
        };
        let end = end(self.shape.columns(), self.shape.rows());
        let more = (self.attachments - 1).checked_mul(plane);
        let is_apart = |end: usize| self.attachments == 1 || end <= plane;
        let fits = |end| Some(is_apart(end) && more?.checked_add(end)? <= pixels.len());
        assert_eq!(self.items, Items::Rows, "the code is for rows");
        assert_eq!(end.and_then(fits), Some(true), "{row:?} in {}", pixels.len());
        // Cannot overflow for rows that lie in memory; a single row ignores its stride.
        let stride = stride.wrapping_mul(PIXEL_BYTES as usize);
        self.check(inputs);
        assert_eq!(slots.len(), self.slots, "the slots that `frame` filled");
        assert_eq!(mask.len(), self.shape.lanes() as usize, "one mask word a lane");
        // The function for a row does not write to the slots.
        let slots = slots.as_ptr().cast_mut();
        with_arrays(self.array_words, |arrays| {
            let mut context = Context::new(inputs, slots, mask, poll, reference, arrays);
            // Likewise; a single attachment ignores its plane.
            context.plane = plane.wrapping_mul(PIXEL_BYTES as usize) as u64;
            // SAFETY: the function has this signature (`abi`). It reads as many words of `inputs`,
            // `slots` and `mask` as have been checked, and as many of resources as their
            // descriptors say. It reads and writes `array_words` words of arrays, which `with_arrays`
            // provides. It writes as many pixels of each row of each attachment as the groups have
            // columns; the last one has been checked to lie inside the attachment's part of
            // `pixels`.
            let status = call(poll, || unsafe {
                type Function =
                    extern "C" fn(*const Context, u32, u32, u32, *mut [f32; 4], usize) -> i64;
                let function: Function = std::mem::transmute(self.row);
                function(&raw const context, x, y, groups, pixels.as_mut_ptr(), stride)
            });
            Status::from_code(status)
        })
    }

    /// # Panics
    ///
    /// If the program is for rows, if the inputs are not for it or for the memories, or if `pixels`, `slots` or
    /// the list differ in size from the needs of the program.
    fn listed(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        memories: &Memories<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        let groups = listed.groups(self.items, self.shape);
        let plane = pixels.len() / self.attachments.max(1);
        let stored = groups as usize * self.shape.lanes() as usize;
        assert_ne!(self.items, Items::Rows, "the code is for listed lanes");
        assert_eq!(self.attachments * stored, pixels.len(), "a pixel a lane of each attachment");
        self.check(inputs);
        assert_eq!(slots.len(), self.slots, "the slots that `frame` filled");
        assert_eq!(listed.primitive.len(), self.primitive_words, "the words of a primitive");
        assert!(inputs.are_for(memories), "the inputs have the sizes of memories");
        let mut dropped = 0_u32;
        let dropped = &raw mut dropped;
        let addresses = self.addresses(inputs, memories, dropped);
        // The function for a row does not write to the slots.
        let slots = slots.as_ptr().cast_mut();
        with_arrays(self.array_words, |arrays| {
            let mut context = Context::new(inputs, slots, &[], poll, reference, arrays);
            context.primitive = listed.primitive.as_ptr();
            context.dropped = dropped;
            if let Some(addresses) = &addresses {
                context.resources = addresses.as_ptr();
            }
            context.plane = (plane * PIXEL_BYTES as usize) as u64;
            // SAFETY: the function has this signature (`abi`). It reads as many words of `inputs`,
            // `slots`, the table and the primitive as have been checked, and as many of resources
            // as their descriptors say. It reads and writes `array_words` words of arrays, which
            // `with_arrays` provides. It writes a pixel for each lane of each group in each
            // attachment; these have been checked to lie inside the attachment's part of `pixels`.
            // It reads and writes words of memories, as many as their descriptors say, or the dropped word. These
            // are atomics, which other threads access likewise. It reads no other masks.
            let status = call(poll, || unsafe {
                type Function =
                    extern "C" fn(*const Context, *const u32, u32, *mut [f32; 4]) -> i64;
                let function: Function = std::mem::transmute(self.row);
                let table = listed.table.as_ptr();
                function(&raw const context, table, groups, pixels.as_mut_ptr())
            });
            Status::from_code(status)
        })
    }
}

/// Puts position-independent code into pages of its own, first writable, then executable.
fn map(bytes: &[u8]) -> Result<(Pages, *const u8), EmitError> {
    let no_memory = |error: std::io::Error| EmitError::Memory(error.to_string());
    let mut pages = MmapMut::map_anon(bytes.len()).map_err(no_memory)?;
    pages.copy_from_slice(bytes);
    let pages = pages.make_exec().map_err(no_memory)?;
    let start = pages.as_ptr();
    Ok((Pages::Mapped(pages), start))
}

/// Puts code into memory and applies its relocations.
fn link(
    code: &MachineCode,
    target: &Target,
    bytes: &[u8],
    offsets: &[usize],
) -> Result<(Pages, *const u8), EmitError> {
    let mut builder = JITBuilder::with_isa(target.isa()?, default_libcall_names());
    builder.symbol("reference", reference as *const u8);
    let mut linked = Linked(Some(JITModule::new(builder)));
    let module = linked.0.as_mut().expect("it has just been put there");
    // The module ignores signatures: the code is bytes already.
    let signature = module.make_signature();
    let mut declare = |name, linkage| module.declare_function(name, linkage, &signature);
    let reference = declare("reference", Linkage::Import).map_err(no_code)?;
    let all = declare("all", Linkage::Local).map_err(no_code)?;
    let place = |symbol: u32, offset: u32| match symbol.checked_sub(abi::symbol(0)) {
        Some(function) => {
            ModuleRelocTarget::FunctionOffset(all, offsets[function as usize] as u32 + offset)
        }
        None => reference.into(),
    };
    let mut relocations = Vec::new();
    for (function, &base) in code.functions.iter().zip(offsets) {
        for relocation in &function.relocations {
            let name = match relocation.name {
                ModuleRelocTarget::User { index, .. } => place(index, 0),
                ModuleRelocTarget::FunctionOffset(id, offset) => place(id.as_u32(), offset),
                ref other => unreachable!("no code refers to {other}"),
            };
            let offset = base as u32 + relocation.offset;
            relocations.push(abi::Relocation { offset, name, ..relocation.clone() });
        }
    }
    let alignment = code.functions.iter().map(|function| function.alignment).max().unwrap_or(1);
    module.define_function_bytes(all, alignment, bytes, &relocations).map_err(no_code)?;
    module.finalize_definitions().map_err(no_code)?;
    let start = module.get_finalized_function(all);
    Ok((Pages::Module(Box::new(linked)), start))
}

/// Clears the upper halves of the vector registers, which other code may have left in use. Compiled
/// code moves registers by instructions of SSE, which then depend on the last value of each upper
/// half: code between calls of AVX functions took ten times as long.
fn clear_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx")]
        fn zero_upper() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if is_x86_feature_detected!("avx") {
            // SAFETY: the processor has AVX. No live value is in the upper halves: all of them are
            // caller-saved.
            unsafe { zero_upper() }
        }
    }
}

/// Any failure here is a lack of memory: the code itself has been made.
fn no_code(error: ModuleError) -> EmitError {
    EmitError::Memory(match error {
        ModuleError::Allocation { err } => err.to_string(),
        other => other.to_string(),
    })
}
