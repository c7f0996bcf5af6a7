//! Traces of invocations of compute programs.

use super::words::{Adapter, file_indices};
use super::{TraceError, TracedUnit, subject};
use crate::bindings::Bindings;
use crate::compilers::{at_fault, check};
use crate::compute::prepared;
use crate::engines::SpirvDispatch;
use crate::error::Error;
use crate::shader::Shader;
use lambdav_trace::{Sink, Unit};

impl Shader {
    /// Evaluates an invocation of a compute program, by its index in a dispatch of so many workgroups. The workgroups
    /// before it, and the other invocations of its own, run first, in the defined order. Its events go to `sink`.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] for other programs and for an invocation that the dispatch lacks; as for
    /// [`ComputePipeline::dispatch`](crate::ComputePipeline::dispatch).
    pub fn observe_invocation(
        &self,
        bindings: &Bindings,
        groups: [u32; 3],
        id: [u32; 3],
        max_iterations: u64,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn Sink,
    ) -> Result<TracedUnit, TraceError> {
        let program = &self.0;
        check(program, bindings)?;
        let name = program.source.name();
        let mismatch = |why: String| TraceError::from(Error::Mismatch(format!("`{name}` {why}")));
        let (Some(workgroup), Some(module)) = (program.core.workgroup, &program.module) else {
            return Err(mismatch("is no compute program in WGSL, GLSL or SPIR-V".to_owned()));
        };
        let all: [u64; 3] =
            std::array::from_fn(|axis| u64::from(groups[axis]) * u64::from(workgroup[axis]));
        if (0..3).any(|axis| u64::from(id[axis]) >= all[axis]) {
            let [x, y, z] = all;
            let why = format!(
                "has no such invocation: there are {x} x {y} x {z} of them; --groups makes more"
            );
            return Err(mismatch(why));
        }
        let (settings, words) = prepared(program, &mut bindings.clone(), max_iterations)?;
        let dispatch = SpirvDispatch::observed(&module.words, &program.interface, &program.source);
        let dispatch =
            dispatch.map_err(|error| Error::Unsupported(format!("`{name}`: {error}")))?;
        let files = file_indices(dispatch.module(), &program.source);
        let mut observer = Adapter::new(&program.source, &files, sink);
        let slice = dispatch.observe(&settings, groups, &words, id, cancelled, &mut observer);
        let slice = slice.map_err(|found| at_fault(program, found))?;
        let needed = observer.needed(slice.ok_or(TraceError::Cancelled)?);
        let axes = if all[2] > 1 {
            3
        } else if all[1] > 1 {
            2
        } else {
            1
        };
        let unit = Unit::Id { id, axes, pass: None };
        let subject = subject(program, unit, Vec::new());
        Ok(TracedUnit { subject, is_by_need: false, needed })
    }
}
