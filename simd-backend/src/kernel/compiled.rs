//! Machine code of one output, for any inputs.

use std::sync::{Arc, OnceLock};

use lambdav_core::inputs;
use lambdav_core::resource::unbound;
use lambdav_core::schedule;
use lambdav_core::source::Span;

use super::groups::Groups;
use super::{SimdKernel, given, primitive};
use crate::emit::{Allocation, BindError, EmitError, Executable, Target};
use crate::lanes::{Extents, InputWords, Mismatch};
use crate::pipeline::{Compilation, Compiler, Times, timed};
use crate::registers::{Callable, Choice, Inputs, Reason};

/// One output of a program, compiled once and for any inputs: values of uniforms, textures and buffers of
/// any size. [`Self::bind`] makes kernels of it, without compiling.
#[derive(Debug)]
pub struct CompiledKernel {
    pub(super) program: schedule::Program,
    pub(super) compiler: Compiler,
    code: Executable,
    /// The code with nothing moved to the function for the frame.
    unhoisted: OnceLock<Executable>,
    reason: Reason,
    allocation: Allocation,
    times: Times,
    sites: Vec<Span>,
    /// What the words of its inputs are.
    pub(super) layout: InputWords,
}

impl CompiledKernel {
    /// Compiles the output of a program that was scheduled for it alone.
    ///
    /// # Errors
    ///
    /// Those of [`Compiler::compile`].
    pub fn new(program: schedule::Program, compiler: Compiler) -> Result<Self, EmitError> {
        let Compilation { lanes, choice, code, allocation, mut times, .. } =
            compiler.compile(&program)?;
        let code = timed(&mut times.code, || Executable::new(&code, &compiler.target))?;
        let Choice { reason, .. } = choice;
        let (sites, layout, unhoisted) = (lanes.sites, lanes.inputs, OnceLock::new());
        Ok(Self { program, compiler, code, unhoisted, reason, allocation, times, sites, layout })
    }

    /// The code with these inputs, of which each entry of a loop may execute so many `rec`s.
    ///
    /// # Errors
    ///
    /// Where a resource is not bound, or has another size than is baked.
    pub fn bind(
        self: &Arc<Self>,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<SimdKernel, BindError> {
        let groups = self.groups(inputs, max_iterations)?;
        Ok(SimdKernel { compiled: Arc::clone(self), groups })
    }

    pub(super) fn groups(
        &self,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<Groups, BindError> {
        let primitive = primitive(&self.compiler.of_primitive, inputs);
        Ok(Groups::new(self.inputs(inputs, max_iterations)?, primitive))
    }

    fn inputs(&self, inputs: &inputs::Inputs, max_iterations: u64) -> Result<Inputs, BindError> {
        if let Some(unbound) = unbound(&self.program.types, &inputs.resources) {
            return Err(BindError::Unbound(unbound.name.to_string()));
        }
        // There may be data for more resources than there are.
        let data = inputs.resources[..self.program.types.resources().len()].to_vec();
        let words = given(&self.layout, inputs);
        Inputs::new(words, self.code.resources(), data, max_iterations)
            .map_err(|mismatch| self.mismatch(mismatch))
    }

    pub(super) fn mismatch(&self, Mismatch { resource }: Mismatch) -> BindError {
        let name = self.program.types.resources()[resource].name.to_string();
        match self.compiler.extents.get(resource) {
            None | Some(Extents::Any) => BindError::Unbound(name),
            Some(_) => BindError::Size(name),
        }
    }

    /// Where the loop of a fault's site is.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    /// The bytes of stack that the compiled code takes, exactly. What calls it, and the reference
    /// mathematics that it may call, need some more.
    pub fn stack_size(&self) -> usize {
        self.code.stack()
    }

    /// The code.
    pub fn code(&self) -> &Executable {
        &self.code
    }

    /// What it is made for.
    pub fn target(&self) -> Target {
        self.compiler.target()
    }

    /// How registers were allocated.
    pub fn allocation(&self) -> Allocation {
        self.allocation
    }

    /// Why it has so many lanes.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// How long compiling it took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// The code with nothing moved to the function for the frame, which is compiled when it is asked for
    /// first.
    pub(super) fn unhoisted(&self) -> &Executable {
        self.unhoisted.get_or_init(|| {
            let lanes = Some(self.code.shape().lanes());
            let compiler = self.compiler.clone();
            let compiler =
                Compiler { lanes, pixels: 0.0, hoist: false, deadline: None, ..compiler };
            let compiled = compiler.compile(&self.program);
            let compiled = compiled.and_then(|c| Executable::new(&c.code, &compiler.target));
            compiled.expect("the same program has been compiled before")
        })
    }
}
