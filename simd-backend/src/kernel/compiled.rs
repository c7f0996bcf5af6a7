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

/// One output of a program, compiled once for any inputs: values of uniforms, textures and buffers of any
/// size. [`Self::bind`] makes kernels of it without compiling.
#[derive(Debug)]
pub struct CompiledKernel {
    pub(super) program: schedule::Program,
    pub(super) compiler: Compiler,
    code: Executable,
    /// The code without hoisting to the function for the frame.
    unhoisted: OnceLock<Executable>,
    reason: Reason,
    allocation: Allocation,
    times: Times,
    sites: Vec<Span>,
    /// The meaning of each word of the inputs.
    pub(super) layout: InputWords,
}

impl CompiledKernel {
    /// Compiles an output that was scheduled alone.
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

    /// Binds the code to inputs. Each entry of a loop may execute at most `max_iterations` `rec`s.
    ///
    /// # Errors
    ///
    /// If a resource is not bound, or has another size than the baked one.
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
        // The caller may bind more resources than the program has.
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

    /// The source span of a fault's loop.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    /// The exact number of bytes of stack that the compiled code takes. Its caller, and the reference
    /// mathematics that it may call, need some more.
    pub fn stack_size(&self) -> usize {
        self.code.stack()
    }

    /// The machine code.
    pub fn code(&self) -> &Executable {
        &self.code
    }

    /// The target of the code.
    pub fn target(&self) -> Target {
        self.compiler.target()
    }

    /// The register allocation used.
    pub fn allocation(&self) -> Allocation {
        self.allocation
    }

    /// The reason for the number of lanes.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// How long the stages of compiling took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// The code without hoisting to the function for the frame. It is compiled at the first call.
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
