//! Executable in memory, and calling it. All unsafe code of the crate is in this file.
//!
//! An [`Executable`] owns the pages that it was written to; whoever calls it borrows it, so no code
//! is called after its pages are gone. What the compiled functions read and write is behind safe
//! references that outlive the call, and is large enough by the checks here. That the code itself
//! keeps to [`abi`] is what emitters of this crate promise: nobody else can make a [`MachineCode`].

#![allow(unsafe_code, reason = "calling what was compiled")]

use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, ModuleError, default_libcall_names};
use lambdav_core::op::Elementary;

use super::abi::{self, Context, MachineCode};
use super::{EmitError, Target};
use crate::registers::{Callable, Inputs, PIXEL_BYTES, Poll, Row, Shape, Status};

/// The call-out of [`abi::REFERENCE`]: an elementary function of `lanes` lanes, for which `data`
/// holds first a mask, then the first operands, then the second ones, and then room for the
/// results.
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
            let [x, y] = [1, 2].map(|k| f32::from_bits(data[k * lanes + lane]));
            let y = if function.arity() == 2 { y } else { 0.0 };
            data[3 * lanes + lane] = function.evaluate(x, y).to_bits();
        }
    }
}

/// Compiled functions, and the memory that they lie in.
pub struct Executable {
    /// Taken when dropped.
    module: Option<JITModule>,
    frame: *const u8,
    row: *const u8,
    shape: Shape,
    slots: usize,
    inputs: usize,
    size: usize,
    stack: usize,
}

// SAFETY: the pages are executable and no longer writable once the module is finalised, and
// `module` is touched again only on dropping, which has the `Executable` to itself.
unsafe impl Send for Executable {}
// SAFETY: as above: shared access only calls the code, which writes to its arguments alone.
unsafe impl Sync for Executable {}

impl Drop for Executable {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: calls borrow `self`, so none is under way, and the addresses go with `self`.
            unsafe { module.free_memory() };
        }
    }
}

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
    /// [`EmitError::TooLarge`] where there is no memory for it.
    ///
    /// # Panics
    ///
    /// If the code is not that of an [`Emitter`](super::Emitter) of the target.
    pub fn new(code: &MachineCode, target: &Target) -> Result<Self, EmitError> {
        let mut builder = JITBuilder::with_isa(target.isa().clone(), default_libcall_names());
        builder.symbol("reference", reference as *const u8);
        let mut module = JITModule::new(builder);
        // Nobody looks at signatures: the code is bytes already.
        let signature = module.make_signature();
        let declare = |module: &mut JITModule, name: &str, linkage, number: u32| {
            let id = module.declare_function(name, linkage, &signature).map_err(too_large)?;
            assert_eq!(id.as_u32(), number, "functions are numbered in the order of declaration");
            Ok(id)
        };
        declare(&mut module, "reference", Linkage::Import, abi::REFERENCE)?;
        let mut ids = Vec::with_capacity(code.functions.len());
        for (index, function) in code.functions.iter().enumerate() {
            ids.push(declare(&mut module, &function.name, Linkage::Local, abi::symbol(index))?);
        }
        for (&id, abi::Function { bytes, alignment, relocations, .. }) in
            ids.iter().zip(&code.functions)
        {
            module.define_function_bytes(id, *alignment, bytes, relocations).map_err(too_large)?;
        }
        module.finalize_definitions().map_err(too_large)?;
        let [frame, row] =
            [code.frame, code.row].map(|function| module.get_finalized_function(ids[function]));
        Ok(Self {
            module: Some(module),
            frame,
            row,
            shape: code.shape,
            slots: code.slots,
            inputs: code.inputs,
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

    /// How lanes lie.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Computes what is the same for the whole frame: the slots' words.
    ///
    /// # Panics
    ///
    /// If there is another number of inputs than the program has.
    pub fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        let mut slots = vec![0; self.slots];
        assert_eq!(inputs.words.len(), self.inputs, "one word for each");
        let context = Context::new(inputs, slots.as_mut_ptr(), &[], poll);
        clear_upper_halves();
        // SAFETY: the function has this signature (`abi`). It reads the words of `inputs`, of which
        // there are as many as it was compiled for, and writes `self.slots` words. It reads no
        // masks.
        let status = unsafe {
            let function: extern "C" fn(*const Context) -> i64 = std::mem::transmute(self.frame);
            function(&raw const context)
        };
        (Status::from_code(status), slots)
    }

    /// Computes a row of groups into `pixels`, RGBA row by row. `mask` is the execution mask: a
    /// word for each lane, all ones where it is active, else zero, the same for each group.
    ///
    /// # Panics
    ///
    /// If `inputs`, `pixels`, `slots` or `mask` have another size than the row and the program
    /// need.
    pub fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        let Row { x, y, groups, stride } = row;
        let width = groups as usize * self.shape.columns() as usize;
        let rows = self.shape.rows() as usize;
        assert!(groups > 0 && width <= stride && pixels.len() >= (rows - 1) * stride + width);
        assert_eq!(inputs.words.len(), self.inputs, "one word for each");
        assert_eq!(slots.len(), self.slots, "what `frame` has made");
        assert_eq!(mask.len(), self.shape.lanes() as usize, "one for each lane");
        // The function for a row does not write to the slots.
        let context = Context::new(inputs, slots.as_ptr().cast_mut(), mask, poll);
        clear_upper_halves();
        // SAFETY: the function has this signature (`abi`). It reads as many words of `inputs`,
        // `slots` and `mask` as have been checked, and writes `rows` times `width` pixels, whose
        // last has been checked to lie inside `pixels`.
        let status = unsafe {
            type Function =
                extern "C" fn(*const Context, u32, u32, u32, *mut [f32; 4], usize) -> i64;
            let function: Function = std::mem::transmute(self.row);
            function(
                &raw const context,
                x,
                y,
                groups,
                pixels.as_mut_ptr(),
                stride * PIXEL_BYTES as usize,
            )
        };
        Status::from_code(status)
    }
}

impl Callable for Executable {
    fn shape(&self) -> Shape {
        Self::shape(self)
    }

    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        Self::frame(self, inputs, poll)
    }

    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        Self::row(self, inputs, slots, mask, poll, row, pixels)
    }
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

fn too_large(error: ModuleError) -> EmitError {
    EmitError::TooLarge(match error {
        ModuleError::Compilation(error) => error.to_string(),
        other => other.to_string(),
    })
}
