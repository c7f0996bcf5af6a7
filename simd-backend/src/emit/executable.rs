//! Executable in memory, and calling it. All unsafe code of the crate is in this file.
//!
//! An [`Executable`] owns the pages that it was written to; whoever calls it borrows it, so no code
//! is called after its pages are gone. What the compiled functions read and write is behind safe
//! references that outlive the call, and is large enough by the checks here. That the code itself
//! keeps to [`abi`] is what emitters of this crate promise: nobody else can make a [`MachineCode`].

#![allow(unsafe_code, reason = "calling what was compiled")]

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, ModuleError, ModuleRelocTarget, default_libcall_names};
use lambdav_core::op::Elementary;
use lambdav_float_environment::with_default;
use memmap2::{Mmap, MmapMut};

use super::abi::{self, Context, MachineCode, Needs};
use super::{EmitError, Target};
use crate::lanes::{Descriptors, Items};
use crate::registers::{Callable, Inputs, Listed, PIXEL_BYTES, Poll, Row, Shape, Status};

thread_local! {
    /// What the call under way on this thread polls: a frontier, and the number of the first pixel.
    static POLL: Cell<Option<(*const AtomicU64, u64)>> = const { Cell::new(None) };
    /// Memory for arrays: that of the program on this thread that needed most.
    static ARRAYS: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// Memory that is aligned as the widest registers are.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u32; 16]);

/// Does something with the address of so many words for arrays, which nobody else has meanwhile.
fn with_arrays<R>(words: usize, f: impl FnOnce(*mut u32) -> R) -> R {
    if words == 0 {
        return f(std::ptr::null_mut());
    }
    // (Taken out: should `f` come here again, that call gets memory of its own.)
    let mut memory = ARRAYS.take();
    let lines = words.div_ceil(Line([0; 16]).0.len());
    if memory.len() < lines {
        memory = vec![Line([0; 16]); lines];
    }
    let result = f(memory.as_mut_ptr().cast());
    ARRAYS.set(memory);
    result
}

/// Calls compiled code in the environment that it is made for: the floating-point environment is the
/// default one, upper halves of vector registers are clear, and call-outs know what to poll.
fn call<R>(poll: Poll<'_>, code: impl FnOnce() -> R) -> R {
    with_default(|| {
        let before = POLL.replace(Some((std::ptr::from_ref(poll.frontier), poll.first)));
        clear_upper_halves();
        let result = code();
        POLL.set(before);
        result
    })
}

/// Whether the call under way on this thread is cancelled.
fn is_cancelled() -> bool {
    POLL.get().is_some_and(|(frontier, first)| {
        // SAFETY: `call` has put it there, whose caller's reference to it outlives the call.
        first >= unsafe { &*frontier }.load(Ordering::Relaxed)
    })
}

/// The call-out of [`abi::REFERENCE`]: an elementary function of `lanes` lanes, for which `data`
/// holds first a mask, then the first operands, then the second ones, and then room for the
/// results. Once the call is cancelled it computes nothing: a value takes up to a tenth of a
/// millisecond, and straight-line code has any number of them.
///
/// # Safety
///
/// `function` is an [`Elementary`] as a number, and `data` points to four times `lanes` words.
unsafe extern "C" fn reference(function: u32, lanes: u32, data: *mut u32) {
    let lanes = lanes as usize;
    // SAFETY: the caller's promise; the words are in the caller's frame, which nobody else sees.
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

/// The memory of functions.
#[expect(dead_code, reason = "it is owned, and nobody looks at it")]
enum Pages {
    /// Of code that lies anywhere.
    Mapped(Mmap),
    /// Of code that refers to addresses.
    Module(Box<Linked>),
}

/// A module, and the memory of its functions.
struct Linked(Option<JITModule>);

impl Drop for Linked {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: whoever calls a function borrows the `Executable` that owns this, or there is
            // none yet; so no call is under way, and the addresses go with it.
            unsafe { module.free_memory() };
        }
    }
}

/// Compiled functions, and the memory that they lie in.
pub struct Executable {
    /// Where they lie.
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

// SAFETY: the pages are executable and no longer writable once they are mapped so or the module is
// finalised, and they are touched again only on dropping, which has the `Executable` to itself.
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
    /// [`EmitError::Memory`] where there is no memory for it, [`EmitError::Absent`] where this
    /// machine cannot execute it.
    ///
    /// # Panics
    ///
    /// If the code is not that of an [`Emitter`](super::Emitter) of the target.
    pub fn new(code: &MachineCode, target: &Target) -> Result<Self, EmitError> {
        if let Some(Needs { name, what, .. }) = code.needs.filter(|needs| !needs.is_here) {
            let here: Vec<&str> = Target::here().collect();
            let here = here.join(", ");
            let message = format!("{name} needs {what}, which is not here; there is {here}");
            return Err(EmitError::Absent(message));
        }
        // All functions in one piece of memory: calls between them do not reach everywhere.
        let (bytes, offsets) = code.laid_out();
        // What is emitted for a processor refers to no address. Cranelift's does, and may be for a
        // machine whose caches of instructions its loader knows to clear.
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

    /// Bytes of stack that a call takes, the reference mathematics excepted.
    pub fn stack(&self) -> usize {
        self.stack
    }

    /// The formats of resources, and where their sizes are.
    pub fn resources(&self) -> &Descriptors {
        &self.resources
    }

    /// That there are as many inputs as are read, and that descriptors are where the code reads them. That
    /// they are those of the data is [`Inputs`]' part.
    fn check(&self, inputs: &Inputs) {
        assert_eq!(inputs.words().len(), self.inputs, "one word for each");
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

    /// # Panics
    ///
    /// If the inputs are not for the program.
    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        let mut slots = vec![0; self.slots];
        self.check(inputs);
        let arrays = std::ptr::null_mut();
        let context = Context::new(inputs, slots.as_mut_ptr(), &[], poll, reference, arrays);
        // SAFETY: the function has this signature (`abi`). It reads the words of `inputs`, of which there are as
        // many as it was compiled for, and of its resources, as many as their descriptors say, and writes
        // `self.slots` words. It reads no masks and has no arrays.
        let status = call(poll, || unsafe {
            let function: extern "C" fn(*const Context) -> i64 = std::mem::transmute(self.frame);
            function(&raw const context)
        });
        (Status::from_code(status), slots)
    }

    /// # Panics
    ///
    /// If the program is for listed lanes, if the inputs are not for it, or if `pixels`, `slots` or `mask` have another
    /// size than the row and the program need.
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
        // What lies in memory has fewer bytes than there are addresses; of one row nobody looks at it.
        let stride = stride.wrapping_mul(PIXEL_BYTES as usize);
        self.check(inputs);
        assert_eq!(slots.len(), self.slots, "what `frame` has made");
        assert_eq!(mask.len(), self.shape.lanes() as usize, "one for each lane");
        // The function for a row does not write to the slots.
        let slots = slots.as_ptr().cast_mut();
        with_arrays(self.array_words, |arrays| {
            let mut context = Context::new(inputs, slots, mask, poll, reference, arrays);
            // Of one attachment nobody looks at it, either.
            context.plane = plane.wrapping_mul(PIXEL_BYTES as usize) as u64;
            // SAFETY: the function has this signature (`abi`). It reads as many words of `inputs`, `slots` and
            // `mask` as have been checked, of resources as many as their descriptors say, reads and writes as many words of arrays as
            // have been asked for, and writes as many pixels of each row of each attachment as the groups have columns,
            // whose last has been checked to lie inside the attachment's part of `pixels`.
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
    /// If the program is for rows, if the inputs are not for it, or if `pixels`, `slots` or what is listed have another
    /// size than the program needs.
    fn listed(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        let groups = listed.groups(self.shape);
        let plane = pixels.len() / self.attachments;
        let stored = groups as usize * self.shape.lanes() as usize;
        assert_eq!(self.items, Items::Listed, "the code is for listed lanes");
        assert_eq!(self.attachments * stored, pixels.len(), "a pixel a lane of each attachment");
        self.check(inputs);
        assert_eq!(slots.len(), self.slots, "what `frame` has made");
        assert_eq!(listed.primitive.len(), self.primitive_words, "the words of a primitive");
        // The function for a row does not write to the slots.
        let slots = slots.as_ptr().cast_mut();
        with_arrays(self.array_words, |arrays| {
            let mut context = Context::new(inputs, slots, &[], poll, reference, arrays);
            context.primitive = listed.primitive.as_ptr();
            context.plane = (plane * PIXEL_BYTES as usize) as u64;
            // SAFETY: the function has this signature (`abi`). It reads as many words of `inputs`, `slots`, the table and
            // the primitive as have been checked, of resources as many as their descriptors say, reads and writes as many
            // words of arrays as have been asked for, and writes a pixel for each lane of each group in each attachment,
            // which have been checked to lie inside the attachment's part of `pixels`. It reads no other masks.
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

/// Puts code that lies anywhere into pages of its own, which are first written and then executed.
fn map(bytes: &[u8]) -> Result<(Pages, *const u8), EmitError> {
    let no_memory = |error: std::io::Error| EmitError::Memory(error.to_string());
    let mut pages = MmapMut::map_anon(bytes.len()).map_err(no_memory)?;
    pages.copy_from_slice(bytes);
    let pages = pages.make_exec().map_err(no_memory)?;
    let start = pages.as_ptr();
    Ok((Pages::Mapped(pages), start))
}

/// Puts code into memory and fills in the addresses that it refers to.
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
    // Nobody looks at signatures: the code is bytes already.
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

/// Clears the upper halves of the vector registers, which other code may have left in use. The
/// compiled code moves registers by instructions of SSE, each of which then waits for the last
/// value of such a half: code that runs between calls of functions for AVX took ten times as long.
fn clear_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx")]
        fn zero_upper() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if is_x86_feature_detected!("avx") {
            // SAFETY: the processor has AVX. Nobody has a value in the upper halves: no function
            // need keep them.
            unsafe { zero_upper() }
        }
    }
}

/// Whatever happens here happens for want of memory: the code itself has been made.
fn no_code(error: ModuleError) -> EmitError {
    EmitError::Memory(match error {
        ModuleError::Allocation { err } => err.to_string(),
        other => other.to_string(),
    })
}
