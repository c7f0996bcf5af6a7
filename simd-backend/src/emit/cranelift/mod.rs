//! The Cranelift emitter: portable, in vectors of 128 bits on every architecture.
//!
//! - [`function`]: the flow graph of a function, and the dispatch on instructions;
//! - [`operations`], [`integers`], [`fused`], [`memory`], [`calls`]: lowering of instructions to
//!   Cranelift's.
//!
//! On x86-64 the code needs SSE4.1, which has single instructions for rounding and blending.

mod calls;
mod function;
mod fused;
mod integers;
mod memory;
mod operations;
mod selection;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir;
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_module::FuncId;

use self::selection::Conventions;
use super::abi::{self, CompiledFunction, MachineCode, Relocation};
use super::{Allocation, EmitError, Emitter, Listing, Part, parts};
use crate::machine::{Machine, PerClass, Tile};
use crate::registers::RegisterProgram;

/// Settings that are off on every machine. With AVX-512DQ a product of two halves of 32 bits
/// becomes `vpmullq`, three operations on Intel's processors; without it, `pmuludq`, which is one.
const UNWANTED: &[&str] = if cfg!(target_arch = "x86_64") { &["has_avx512dq"] } else { &[] };

/// Makes code with Cranelift.
pub struct CraneliftEmitter {
    isa: OwnedTargetIsa,
    /// The same with single-pass register allocation, made once a program needs it.
    quick: OnceLock<OwnedTargetIsa>,
    builder: isa::Builder,
    machine: Machine,
}

impl fmt::Debug for CraneliftEmitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CraneliftEmitter({})", self.isa.triple())
    }
}

impl CraneliftEmitter {
    /// An emitter for this machine, without some features of its processor. `off` names Cranelift's
    /// settings for the architecture that are to be off.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] if the processor lacks what every kernel needs, or there is no such
    /// setting.
    pub fn host(off: &[&str]) -> Result<Self, EmitError> {
        let machine = |what: &dyn fmt::Display| EmitError::Machine(what.to_string());
        let mut builder = cranelift_native::builder().map_err(|e| machine(&e))?;
        for name in UNWANTED.iter().chain(off) {
            builder.set(name, "false").map_err(|e| machine(&e))?;
        }
        let isa = finish(&builder, "backtracking")?;
        // Other architectures have no flags of these names.
        let needed = ["has_sse3", "has_ssse3", "has_sse41"];
        for flag in isa.isa_flags() {
            if needed.contains(&flag.name) && flag.as_bool() == Some(false) {
                let name = flag.name.trim_start_matches("has_").to_uppercase();
                return Err(EmitError::Machine(format!("its processor has no {name}")));
            }
        }
        let machine = describe(&*isa);
        Ok(Self { isa, quick: OnceLock::new(), builder, machine })
    }

    /// Cranelift's description of the machine, by which the code is loaded.
    pub(super) fn isa(&self) -> OwnedTargetIsa {
        self.isa.clone()
    }

    fn isa_for(&self, allocation: Allocation) -> &dyn TargetIsa {
        match allocation {
            Allocation::Thorough => &*self.isa,
            Allocation::Quick => &**self.quick.get_or_init(|| {
                finish(&self.builder, "single_pass").expect("the other allocator was accepted")
            }),
        }
    }
}

fn is_x86(isa: &dyn TargetIsa) -> bool {
    isa.name() == "x64"
}

/// The machine as Cranelift uses it: masks are vectors, and no vector register survives a call of
/// the System V convention. (On aarch64 the lower halves of some do.)
fn describe(isa: &dyn TargetIsa) -> Machine {
    let is_on = |name| isa.isa_flags().iter().any(|f| f.name == name && f.as_bool() == Some(true));
    Machine {
        tile: Tile::FOUR,
        registers: PerClass([if is_x86(isa) { 16 } else { 32 }, 0]),
        preserved: PerClass([0, 0]),
        fma: !is_x86(isa) || (is_on("has_avx") && is_on("has_fma")),
    }
}

fn finish(isa: &isa::Builder, allocation: &str) -> Result<OwnedTargetIsa, EmitError> {
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

impl CraneliftEmitter {
    /// Function number `index` of a program, as Cranelift's IR.
    fn function(
        &self,
        program: &RegisterProgram,
        index: usize,
        part: &Part<'_>,
        context: &mut FunctionBuilderContext,
    ) -> ir::Function {
        let conventions = Conventions::of(&*self.isa);
        let is_x86 = is_x86(&*self.isa);
        function::function(program, index, part, &self.machine, is_x86, conventions, context)
    }
}

impl Emitter for CraneliftEmitter {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn emit(
        &self,
        program: &RegisterProgram,
        allocation: Allocation,
        listing: Listing,
    ) -> Result<MachineCode, EmitError> {
        let mut functions = Vec::with_capacity(program.procedures.len() + 2);
        let mut context = Context::new();
        let mut builder_context = FunctionBuilderContext::new();
        for (index, part) in parts(program, allocation).enumerate() {
            context.clear();
            context.func = self.function(program, index, &part, &mut builder_context);
            context.set_disasm(listing == Listing::Assembly);
            let mut text = String::new();
            if listing == Listing::Intermediate {
                text = context.func.display().to_string();
            }
            context
                .compile(self.isa_for(part.allocation), &mut ControlPlane::default())
                .map_err(|e| EmitError::TooLarge(e.inner.to_string()))?;
            let code = context.compiled_code().expect("it has just been compiled");
            if listing == Listing::Assembly {
                text = code.vcode.clone().unwrap_or_default();
            }
            let id = FuncId::from_u32(abi::symbol(index));
            let relocations = code.buffer.relocs().iter();
            let relocations =
                relocations.map(|r| Relocation::from_mach_reloc(r, &context.func, id)).collect();
            functions.push(CompiledFunction {
                name: part.name,
                bytes: code.code_buffer().to_vec(),
                alignment: code.buffer.alignment.into(),
                relocations,
                stack: frame_size(&*self.isa, code),
                listing: text,
            });
        }
        Ok(MachineCode::new(program, functions, None))
    }
}

/// The bytes of stack that a function takes: its frame, the return address and the frame pointer.
fn frame_size(isa: &dyn TargetIsa, code: &cranelift_codegen::CompiledCode) -> usize {
    let frame = code.buffer.frame_layout().map_or(0, |f| f.frame_to_fp_offset as usize);
    frame + 2 * usize::from(isa.pointer_bytes())
}
