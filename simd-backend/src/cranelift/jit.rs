//! Code in memory, and calling it. All unsafe code of the project is in this file.
//!
//! A [`Code`] owns the pages that it was written to; whoever calls it borrows it, so no code is called
//! after its pages are gone. What the compiled functions read and write is given by safe references
//! that outlive the call, and is large enough by the checks here.

#![allow(unsafe_code, reason = "calling what was compiled")]

use std::sync::atomic::AtomicU64;

use cranelift_codegen::Context as Compiler;
use cranelift_codegen::control::ControlPlane;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, ModuleReloc, default_libcall_names};
use lambdav_core::op::Elementary;

use super::{Allocation, EmitError, Target, emit};
use crate::registers::{POLL_ROUNDS, Program, Shape, Status};

/// What the compiled functions know of the outside, and where.
pub(super) mod context {
    /// As the compiled code sees it: each field is eight bytes.
    #[repr(C)]
    pub(super) struct Context {
        pub(super) given: *const u32,
        pub(super) slots: *mut u64,
        pub(super) run: *const u32,
        pub(super) frontier: *const u64,
        pub(super) first_pixel: u64,
        pub(super) first_rounds: u64,
        pub(super) rest_rounds: u64,
    }

    const fn at(offset: usize) -> i32 {
        offset as i32
    }

    pub(in crate::cranelift) const GIVEN: i32 = at(std::mem::offset_of!(Context, given));
    pub(in crate::cranelift) const SLOTS: i32 = at(std::mem::offset_of!(Context, slots));
    pub(in crate::cranelift) const RUN: i32 = at(std::mem::offset_of!(Context, run));
    pub(in crate::cranelift) const FRONTIER: i32 = at(std::mem::offset_of!(Context, frontier));
    pub(in crate::cranelift) const FIRST_PIXEL: i32 =
        at(std::mem::offset_of!(Context, first_pixel));
    pub(in crate::cranelift) const FIRST_ROUNDS: i32 =
        at(std::mem::offset_of!(Context, first_rounds));
    pub(in crate::cranelift) const REST_ROUNDS: i32 =
        at(std::mem::offset_of!(Context, rest_rounds));
}

/// Computes an elementary function for compiled code: of `lanes` lanes, for which `data` holds first
/// a mask, then the first operands, then the second ones, and then room for the results.
///
/// # Safety
///
/// `function` is an [`Elementary`] as a number, and `data` points to four times `lanes` words.
unsafe extern "C" fn elementary(function: u32, lanes: u32, data: *mut u32) {
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
pub struct Code {
    /// Taken when dropped.
    module: Option<JITModule>,
    frame: *const u8,
    row: *const u8,
    shape: Shape,
    slots: usize,
    given: usize,
    /// Bytes of machine code and constants.
    pub size: usize,
    /// Bytes of stack that a call needs.
    pub stack: usize,
    /// How registers were allocated in the function for a row.
    pub allocation: Allocation,
}

// SAFETY: the pages are executable and no longer writable once the module is finalised, and `module` is touched
// again only on dropping, which has the `Code` to itself.
unsafe impl Send for Code {}
// SAFETY: as above: shared access only calls the code, which writes to what it is given alone.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: calls borrow `self`, so none is under way, and the addresses go with `self`.
            unsafe { module.free_memory() };
        }
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({:?}, {} bytes)", self.shape, self.size)
    }
}

/// What a frame is computed from.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// One for each word that the program is given.
    pub given: Vec<u32>,
    /// How many `rec`s each entry of a loop may execute.
    pub max_iterations: u64,
}

/// Tells compiled code whether it is still wanted: while `first` is below the frontier.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The frontier.
    pub frontier: &'a AtomicU64,
    /// The first pixel that is computed.
    pub first: u64,
}

/// Groups side by side.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The column of the first pixel.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// How many groups.
    pub groups: u32,
    /// How many pixels further the next row of pixels is.
    pub stride: usize,
}

impl Code {
    /// Compiles a program for this machine.
    ///
    /// # Errors
    ///
    /// [`EmitError::TooLarge`] where the code generator gives up.
    pub fn new(mut program: Program, target: &Target) -> Result<Self, EmitError> {
        let mut builder = JITBuilder::with_isa(target.isa.clone(), default_libcall_names());
        builder.symbol("elementary", elementary as *const u8);
        let mut module = JITModule::new(builder);
        // The emitter refers to it by this number.
        let callee =
            declare(&mut module, "elementary", Linkage::Import, emit::elementary_signature())?;
        assert_eq!(callee.as_u32(), emit::ELEMENTARY, "the first function of a module");
        let functions = emit::functions(&mut program, target);
        let mut ids = Vec::with_capacity(functions.len());
        for emit::Named { name, function, .. } in &functions {
            ids.push(declare(&mut module, name, Linkage::Local, function.signature.clone())?);
        }
        let (mut size, mut frames) = (0, Vec::with_capacity(ids.len()));
        let mut compiler = Compiler::new();
        let allocation = functions.last().expect("the function for a row").allocation;
        for (&id, emit::Named { function, allocation, .. }) in ids.iter().zip(functions) {
            compiler.clear();
            compiler.func = function;
            compiler
                .compile(target.isa(allocation), &mut ControlPlane::default())
                .map_err(|e| EmitError::TooLarge(e.inner.to_string()))?;
            let code = compiler.compiled_code().expect("it has just been compiled");
            let relocs = code.buffer.relocs().iter();
            let relocs: Vec<_> = relocs
                .map(|reloc| ModuleReloc::from_mach_reloc(reloc, &compiler.func, id))
                .collect();
            module
                .define_function_bytes(
                    id,
                    code.buffer.alignment.into(),
                    code.code_buffer(),
                    &relocs,
                )
                .map_err(too_large)?;
            size += code.buffer.total_size() as usize;
            let frame = code.buffer.frame_layout().map_or(0, |f| f.frame_to_fp_offset as usize);
            frames.push(frame);
        }
        // A function may have called a procedure.
        let (procedures, functions) = frames.split_at(program.procedures.len());
        let stack = [procedures, functions].iter().filter_map(|f| f.iter().max()).sum();
        module.finalize_definitions().map_err(too_large)?;
        let mut ends = ids[program.procedures.len()..].iter();
        let mut next =
            || module.get_finalized_function(*ends.next().expect("two are not procedures"));
        let (frame, row) = (next(), next());
        Ok(Self {
            module: Some(module),
            frame,
            row,
            shape: program.shape,
            slots: program.slots.len(),
            given: program.given,
            size,
            stack,
            allocation,
        })
    }

    /// How the lanes lie.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    fn context(
        &self,
        inputs: &Inputs,
        slots: *mut u64,
        run: &[u32],
        wanted: Wanted<'_>,
    ) -> context::Context {
        assert_eq!(inputs.given.len(), self.given, "one word for each");
        let first_rounds = inputs.max_iterations.min(POLL_ROUNDS);
        context::Context {
            given: inputs.given.as_ptr(),
            slots,
            run: run.as_ptr(),
            frontier: wanted.frontier.as_ptr(),
            first_pixel: wanted.first,
            first_rounds,
            // Rounds are counted in signed numbers.
            rest_rounds: (inputs.max_iterations - first_rounds).min(i64::MAX as u64),
        }
    }

    /// Computes what is the same for the whole frame: the slots' words.
    pub fn frame(&self, inputs: &Inputs, wanted: Wanted<'_>) -> (Status, Vec<u64>) {
        let mut slots = vec![0; self.slots];
        let context = self.context(inputs, slots.as_mut_ptr(), &[], wanted);
        clean_registers();
        // SAFETY: the function has this signature (`emit::signature`). It reads the words of `given`,
        // of which there are as many as it was compiled for, and writes `self.slots` words.
        // It reads no masks.
        let status = unsafe {
            let function: extern "C" fn(*const context::Context) -> i64 =
                std::mem::transmute(self.frame);
            function(&raw const context)
        };
        (Status::from_code(status), slots)
    }

    /// Computes a row of groups into `pixels`, RGBA row by row. `run` has a word for each lane: all
    /// ones where it runs, else zero, the same for each group.
    ///
    /// # Panics
    ///
    /// If `pixels`, `slots` or `run` have another size than the row and the program need.
    pub fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        run: &[u32],
        wanted: Wanted<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        let Row { x, y, groups, stride } = row;
        let width = groups as usize * self.shape.columns() as usize;
        let rows = self.shape.rows() as usize;
        assert!(groups > 0 && width <= stride && pixels.len() >= (rows - 1) * stride + width);
        assert_eq!(slots.len(), self.slots, "what `frame` has made");
        assert_eq!(run.len(), self.shape.lanes() as usize, "one for each lane");
        // The function for a row does not write to the slots.
        let context = self.context(inputs, slots.as_ptr().cast_mut(), run, wanted);
        clean_registers();
        // SAFETY: the function has this signature (`emit::signature`). It reads as many words of
        // `given`, `slots` and `run` as have been checked, and writes `rows` times `width` pixels, whose
        // last has been checked to lie inside `pixels`.
        let status = unsafe {
            type Function =
                extern "C" fn(*const context::Context, u32, u32, u32, *mut [f32; 4], usize) -> i64;
            let function: Function = std::mem::transmute(self.row);
            function(&raw const context, x, y, groups, pixels.as_mut_ptr(), stride * 16)
        };
        Status::from_code(status)
    }
}

/// Clears the upper halves of the vector registers, which other code may have left in use. The compiled code moves
/// registers by instructions of SSE, each of which then waits for the last value of such a half: code that runs between
/// calls of functions for AVX took ten times as long.
fn clean_registers() {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx")]
        fn zero_upper() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if is_x86_feature_detected!("avx") {
            // SAFETY: the processor has AVX. Nobody has a value in the upper halves: no function need keep them.
            unsafe { zero_upper() }
        }
    }
}

fn declare(
    module: &mut JITModule,
    name: &str,
    linkage: Linkage,
    signature: cranelift_codegen::ir::Signature,
) -> Result<FuncId, EmitError> {
    module.declare_function(name, linkage, &signature).map_err(too_large)
}

fn too_large(error: ModuleError) -> EmitError {
    EmitError::TooLarge(match error {
        ModuleError::Compilation(error) => error.to_string(),
        other => other.to_string(),
    })
}
