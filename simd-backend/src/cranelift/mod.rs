//! The Cranelift emitter: a register program as machine code for this machine, or for another to look at.
//!
//! - [`emit`]: instructions of the register program as Cranelift's;
//! - [`jit`]: code in memory, and calling it: the only unsafe code of the project.
//!
//! Cranelift computes in vectors of 128 bits on every architecture. On x86-64 the code needs SSE4.1
//! (rounding and blending are single instructions from there on).

mod emit;
pub mod jit;

use std::sync::Arc;

use cranelift_codegen::Context;
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use thiserror::Error;

use crate::registers;

/// How deep loops may nest in machine code.
pub const MAX_LOOP_NESTING: usize = 200;

/// What keeps code from being made.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The machine has no instructions that the code needs.
    #[error("this machine is too old or of an unknown kind: {0}")]
    Machine(String),
    /// Loops nest so deeply that compiling them would take for ever: register allocation takes the
    /// square of it.
    #[error("loops nest {depth} deep, and machine code is made of at most {MAX_LOOP_NESTING}")]
    TooDeep {
        /// How deep.
        depth: usize,
    },
    /// The program is too large for the code generator.
    #[error("the program is too large to compile: {0}")]
    TooLarge(String),
}

/// How a function's values get registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// By trying, and trying again (Cranelift's `backtracking`).
    Thorough,
    /// In one pass over each block (`single_pass`), with nothing in registers between blocks. Compiling takes half the time,
    /// less for a program of many blocks, and the code of large programs runs a fifth to two fifths longer: nearly all
    /// of their values are in memory between blocks in any case. Small loops would run twice as long.
    Quick,
}

impl Allocation {
    /// Programs of at least so many instructions are worth it.
    const QUICK_INSTRS: usize = 3_500;

    /// For more pixels what runs longer takes more time than compiling does. (On two processors both are equal at 512x512,
    /// in the mean of the gallery's large programs.)
    const QUICK_PIXELS: f64 = 3e5;

    /// What takes the least time, of compiling and of computing so many pixels together.
    pub fn preferred(function: &registers::Function, pixels: f64) -> Self {
        let is_quick = pixels <= Self::QUICK_PIXELS && function.instrs() >= Self::QUICK_INSTRS;
        if is_quick { Self::Quick } else { Self::Thorough }
    }
}

/// What code is made for.
#[derive(Clone)]
pub struct Target {
    isa: Arc<dyn TargetIsa>,
    /// The same with registers allocated in one pass.
    quick: Arc<dyn TargetIsa>,
    /// What a program is to be compiled with, unless each is by its size.
    allocation: Option<Allocation>,
    /// How many registers there are for vectors.
    vector_registers: usize,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Target({})", self.isa.triple())
    }
}

impl Target {
    /// This machine, with all that its processor can do.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] where the processor lacks what every kernel needs.
    pub fn host() -> Result<Self, EmitError> {
        Self::with(&[])
    }

    /// This machine without some of what its processor can do: names of Cranelift's settings for
    /// the architecture, like `has_avx`, that are to be off.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] where the processor lacks what every kernel needs, or there is no
    /// such setting.
    pub fn with(off: &[&str]) -> Result<Self, EmitError> {
        let machine = |what: &dyn std::fmt::Display| EmitError::Machine(what.to_string());
        let isa = |allocation| {
            let mut isa = cranelift_native::builder().map_err(|e| machine(&e))?;
            for name in off {
                isa.set(name, "false").map_err(|e| machine(&e))?;
            }
            finish(isa, allocation)
        };
        let (isa, quick) = (isa("backtracking")?, isa("single_pass")?);
        // Other architectures have no flags of these names.
        let needed = ["has_sse3", "has_ssse3", "has_sse41"];
        for flag in isa.isa_flags() {
            if needed.contains(&flag.name) && flag.as_bool() == Some(false) {
                let name = flag.name.trim_start_matches("has_").to_uppercase();
                return Err(EmitError::Machine(format!("its processor has no {name}")));
            }
        }
        let vector_registers = if isa.name() == "x64" { 16 } else { 32 };
        Ok(Self { isa, quick, allocation: None, vector_registers })
    }

    /// The same with fewer registers for vectors, at least five: more values lie in memory. For tests.
    #[must_use]
    pub fn with_vector_registers(self, vector_registers: usize) -> Self {
        Self { vector_registers, ..self }
    }

    /// The same with registers allocated in that way, whatever the size of the program and the image.
    #[must_use]
    pub fn with_allocation(self, allocation: Allocation) -> Self {
        Self { allocation: Some(allocation), ..self }
    }

    /// How registers are allocated in a function that computes so many pixels.
    pub fn allocation(&self, function: &registers::Function, pixels: f64) -> Allocation {
        self.allocation.unwrap_or_else(|| Allocation::preferred(function, pixels))
    }

    fn isa(&self, allocation: Allocation) -> &dyn TargetIsa {
        match allocation {
            Allocation::Thorough => &*self.isa,
            Allocation::Quick => &*self.quick,
        }
    }

    fn is_x86(&self) -> bool {
        self.isa.name() == "x64"
    }

    /// Whether a multiplication and an addition are one instruction.
    fn has_fma(&self) -> bool {
        let is_on =
            |name| self.isa.isa_flags().iter().any(|f| f.name == name && f.as_bool() == Some(true));
        !self.is_x86() || (is_on("has_avx") && is_on("has_fma"))
    }
}

fn finish(isa: isa::Builder, allocation: &str) -> Result<OwnedTargetIsa, EmitError> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", "none"),
        ("regalloc_algorithm", allocation),
        ("enable_verifier", verify),
        ("unwind_info", "false"),
        ("is_pic", "false"),
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).expect("a setting of this version of Cranelift");
    }
    isa.finish(settings::Flags::new(flags)).map_err(|e| EmitError::Machine(e.to_string()))
}

/// The text of Cranelift's own form of a program.
pub fn clif(mut program: registers::Program, target: &Target) -> String {
    let functions = emit::functions(&mut program, target).into_iter();
    functions.map(|f| format!("; {}\n{}\n", f.name, f.function.display())).collect()
}

/// The assembly text of a program.
///
/// # Errors
///
/// [`EmitError::TooLarge`].
pub fn assembly(mut program: registers::Program, target: &Target) -> Result<String, EmitError> {
    let mut text = String::new();
    for emit::Named { name, function, allocation } in emit::functions(&mut program, target) {
        let mut context = Context::for_function(function);
        context.set_disasm(true);
        let code = context
            .compile(target.isa(allocation), &mut Default::default())
            .map_err(|e| EmitError::TooLarge(e.inner.to_string()))?;
        text += &format!("; {name}\n{}\n", code.vcode.as_deref().unwrap_or_default());
    }
    Ok(text)
}
