//! Dispatches of compute programs on a Vulkan device.
//!
//! The program is emitted as one compute shader with bindings of its own. The device keeps no order of invocations, so its
//! buffers are those of other engines only if no two invocations race. It finds no fault either: a loop may run for as long
//! as the device lets it.

use super::{GpuError, GpuMode, STACK};
use crate::engines::running::{Cancelled, DispatchStop, scheduled};
use crate::settings::Settings;
use lambdav_core::graph::Core;
use lambdav_core::interface::{EntryPoint, Interface, Stage};
use lambdav_core::types::{MemoryKind, Type, Types};
use lambdav_gpu::{BoundBuffer, BoundTexture, Device, DispatchJob, Error};
use lambdav_spirv_backend::emit::{ComputeEntry, emit_computes};
use lambdav_spirv_eval::{Resources, SharedData};
use std::panic::resume_unwind;
use std::thread;

/// Name of the entry point.
const MAIN: &str = "main";
/// Invocations along x of an exact module ([`emit_computes`]).
const MAX_ALONG_X: u64 = (1 << 31) - (1 << 16);

/// A compute program, compiled to a module for a Vulkan device.
#[derive(Debug)]
pub struct GpuDispatch {
    device: Device,
    words: Vec<u32>,
    interface: Interface,
    types: Types,
    /// Types of the uniforms.
    uniforms: Vec<Type>,
    workgroup: [u32; 3],
}

impl GpuDispatch {
    /// Compiles a compute program.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply, or is too large for SPIR-V.
    pub fn new(
        core: &Core,
        workgroup: [u32; 3],
        device: &Device,
        mode: GpuMode,
    ) -> Result<Self, GpuError> {
        let program = scheduled(core).map_err(GpuError::Program)?;
        let mut interface = Interface::of(core);
        interface.entry_point = EntryPoint::new(MAIN, Stage::Compute);
        let options = mode.emit_options(device, None);
        let entry =
            ComputeEntry { program: &program, interface: &interface, workgroup, is_inside: false };
        let words = emit_computes(&[], &[entry], None, &options)?.words;
        let uniforms = core.uniforms.iter().map(|uniform| uniform.ty).collect();
        let types = program.types;
        Ok(Self { device: device.clone(), words, interface, types, uniforms, workgroup })
    }

    /// See [`DispatchProgram::run`](crate::engines::DispatchProgram::run).
    pub(in crate::engines) fn run(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        words: &mut [Vec<u32>],
        cancelled: Option<Cancelled<'_>>,
    ) -> Result<(), DispatchStop> {
        if u64::from(groups[0]) * u64::from(self.workgroup[0]) > MAX_ALONG_X {
            let why = format!("a device runs at most {MAX_ALONG_X} invocations along x");
            return Err(DispatchStop::Machine(why));
        }
        let memories = self.types.memories().filter(|&(_, kind)| kind == MemoryKind::Storage);
        let memories: Vec<usize> = memories.map(|(number, _)| number).collect();
        if let Some(&number) = memories.iter().find(|&&number| words[number].is_empty()) {
            let name = &self.types.resources()[number].name;
            let why = format!("the buffer `{name}` is empty, and devices bind no empty buffers");
            return Err(DispatchStop::Machine(why));
        }
        let patience = || cancelled.is_none_or(|cancelled| !cancelled(0));
        let work = || self.dispatch(settings, groups, &memories, words, &patience);
        let done = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let done =
            done.map_err(|error| DispatchStop::Machine(format!("cannot start a thread: {error}")))?;
        done.map_err(|error| match error {
            Error::TimedOut => DispatchStop::Cancelled,
            error => DispatchStop::Machine(format!("`{}`: {error}", self.device.name())),
        })
    }

    fn dispatch(
        &self,
        settings: &Settings,
        groups: [u32; 3],
        memories: &[usize],
        words: &mut [Vec<u32>],
        patience: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let uniforms = self.uniforms.iter().copied();
        let resources = Resources::new(&settings.inputs, &self.types, uniforms);
        let place = |number: usize| {
            let of = &self.interface.resources[number];
            of.binding.descriptor().expect("resources are no push constants")
        };
        let storage = |number: usize, words| {
            let [set, binding] = place(number);
            BoundBuffer { set, binding, is_uniform: false, words }
        };
        let mut buffers: Vec<BoundBuffer<'_>> =
            memories.iter().map(|&number| storage(number, &*words[number])).collect();
        let mut textures = Vec::new();
        for (binding, data) in resources.resources() {
            match data {
                SharedData::Texture(data) => {
                    textures.push(BoundTexture { set: 0, binding: *binding, data, sampler: None });
                }
                SharedData::Buffer(words) => {
                    let binding = *binding;
                    buffers.push(BoundBuffer { set: 0, binding, is_uniform: false, words });
                }
            }
        }
        // A uniform block is padded to four words, the alignment of its end.
        let mut block = resources.uniforms().to_vec();
        block.resize(block.len().next_multiple_of(4), 0);
        let block_at = self.interface.uniforms().next();
        if let Some((of, ..)) = block_at
            && let Some([set, binding]) = of.binding.descriptor()
        {
            buffers.push(BoundBuffer { set, binding, is_uniform: true, words: &block });
        }
        let job = DispatchJob {
            words: &self.words,
            entry_point: MAIN,
            groups,
            push_constants: resources.push_constants(),
            buffers: &buffers,
            textures: &textures,
        };
        let mut prepared = self.device.prepare_dispatch(&job, patience)?;
        prepared.run(patience)?;
        let found = (0..memories.len()).map(|index| prepared.read(index));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        memories.iter().zip(found).for_each(|(&number, found)| words[number] = found);
        Ok(())
    }
}
