//! A prepared dispatch: the objects that run a compute shader any number of times.

use super::device::{Cleanup, Device, Patience, make};
use super::resources::{Found, reader};
use super::result::said;
use super::textures::Reader;
use crate::error::Error;
use ash::vk;
use lambdav_core::interface::Stage;
use lambdav_core::sampler::Sampler;
use lambdav_core::texture::TextureData;
use lambdav_spirv::inspect::inspect;
use lambdav_spirv_eval::PUSH_CONSTANT_WORDS;
use std::ffi::CString;

/// A compute shader with its buffers.
#[derive(Clone, Copy, Debug)]
pub struct DispatchJob<'a> {
    /// The words of a module.
    pub words: &'a [u32],
    /// The name of an entry point of stage compute.
    pub entry_point: &'a str,
    /// The number of workgroups along each axis.
    pub groups: [u32; 3],
    /// The block of push constants.
    pub push_constants: &'a [u32; PUSH_CONSTANT_WORDS],
    /// Each buffer that the shader declares, once.
    pub buffers: &'a [BoundBuffer<'a>],
    /// Each texture that it declares, once.
    pub textures: &'a [BoundTexture<'a>],
}

/// A texture with its place.
#[derive(Clone, Copy, Debug)]
pub struct BoundTexture<'a> {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// The texels.
    pub data: &'a TextureData,
    /// The sampler of a shader that samples natively, and true if it compares. A module of ours needs none.
    pub sampler: Option<(Sampler, bool)>,
}

/// A buffer with its place.
#[derive(Clone, Copy, Debug)]
pub struct BoundBuffer<'a> {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// A uniform block; else a storage buffer.
    pub is_uniform: bool,
    /// The words before the first run, at least one.
    pub words: &'a [u32],
}

impl BoundBuffer<'_> {
    fn ty(&self) -> vk::DescriptorType {
        match self.is_uniform {
            true => vk::DescriptorType::UNIFORM_BUFFER,
            false => vk::DescriptorType::STORAGE_BUFFER,
        }
    }
}

impl Device {
    /// Makes the objects that run a dispatch any number of times.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`], [`Error::Module`], [`Error::TimedOut`], and errors of Vulkan for the shader, the memory or the device.
    ///
    /// # Panics
    ///
    /// If a buffer has no words.
    pub fn prepare_dispatch(
        &self,
        job: &DispatchJob<'_>,
        patience: Patience<'_>,
    ) -> Result<PreparedDispatch, Error> {
        let shared = &self.shared;
        let interface = inspect(job.words).map_err(|error| Error::Module(error.to_string()))?;
        let mut entries = interface.entry_points.iter();
        if !entries.any(|of| of.name == job.entry_point && of.stage == Stage::Compute) {
            let why = format!("it has no compute shader `{}`", job.entry_point);
            return Err(Error::Module(why));
        }
        let limits = &shared.limits;
        for (groups, most) in job.groups.into_iter().zip(limits.max_compute_work_group_count) {
            shared.within("workgroups along an axis", groups.into(), most.into())?;
        }
        for buffer in job.buffers {
            let most = match buffer.is_uniform {
                true => limits.max_uniform_buffer_range,
                false => limits.max_storage_buffer_range,
            };
            shared.within("bytes of a buffer", size_of_val(buffer.words) as u64, most.into())?;
        }
        let mut cleanup = Cleanup::new(shared);
        let made = &mut cleanup;
        let (mut buffers, mut found) = (Vec::new(), Vec::new());
        for buffer in job.buffers {
            assert!(!buffer.words.is_empty(), "a buffer has at least one word");
            let usage = match buffer.is_uniform {
                true => vk::BufferUsageFlags::UNIFORM_BUFFER,
                // In memory that the host reads fast.
                false => vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
            };
            let (handle, memory) = made.buffer(size_of_val(buffer.words) as u64, usage)?;
            shared.write(memory, buffer.words)?;
            buffers.push((memory, buffer.words.len()));
            let range = size_of_val(buffer.words) as u64;
            let info = vk::DescriptorBufferInfo { buffer: handle, offset: 0, range };
            found.push((buffer.set, buffer.binding, Found::Buffer(buffer.ty(), info)));
        }
        for &BoundTexture { set, binding, data, sampler } in job.textures {
            let reader = match sampler {
                Some((state, compares)) => Reader::Sampler(state, compares),
                None => reader(&interface, [set, binding]),
            };
            let (info, _) = made.texture(data, reader, patience)?;
            found.push((set, binding, Found::Image(info)));
        }
        let (layout, sets) = made.descriptors(&found, vk::ShaderStageFlags::COMPUTE)?;
        let info = vk::ShaderModuleCreateInfo::default().code(job.words);
        let module = make!(made, create_shader_module, destroy_shader_module, info);
        let name =
            CString::new(job.entry_point).map_err(|error| Error::Module(error.to_string()))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&name);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let cache = vk::PipelineCache::null();
        // SAFETY: see the head.
        let pipelines = unsafe { shared.device.create_compute_pipelines(cache, &[info], None) };
        let pipelines = pipelines.map_err(|(_, error)| said("vkCreateComputePipelines")(error))?;
        let pipeline = pipelines[0];
        // SAFETY: see the head.
        made.push(move |device| unsafe { device.destroy_pipeline(pipeline, None) });
        let [commands] = made.commands()?;
        let constants: Vec<u8> = job.push_constants.iter().flat_map(|w| w.to_ne_bytes()).collect();
        // The host writes before a run and reads after it.
        let barrier =
            |from, to| vk::MemoryBarrier::default().src_access_mask(from).dst_access_mask(to);
        let shader = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
        let host = vk::AccessFlags::HOST_READ | vk::AccessFlags::HOST_WRITE;
        let compute = vk::PipelineStageFlags::COMPUTE_SHADER;
        let on_host = vk::PipelineStageFlags::HOST;
        let none = vk::DependencyFlags::empty();
        let device = &shared.device;
        let [x, y, z] = job.groups;
        // SAFETY: see the head; the command buffer is not executing.
        let recorded = unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).and_then(
                |()| {
                    let point = vk::PipelineBindPoint::COMPUTE;
                    device.cmd_bind_pipeline(commands, point, pipeline);
                    if !sets.is_empty() {
                        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &[]);
                    }
                    let stage = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, layout, stage, 0, &constants);
                    let all = [barrier(vk::AccessFlags::HOST_WRITE, shader)];
                    device.cmd_pipeline_barrier(commands, on_host, compute, none, &all, &[], &[]);
                    device.cmd_dispatch(commands, x, y, z);
                    let all = [barrier(vk::AccessFlags::SHADER_WRITE, host)];
                    device.cmd_pipeline_barrier(commands, compute, on_host, none, &all, &[], &[]);
                    device.end_command_buffer(commands)
                },
            )
        };
        recorded.map_err(said("vkEndCommandBuffer"))?;
        Ok(PreparedDispatch { commands, buffers, cleanup })
    }
}

/// The objects that run a dispatch.
pub struct PreparedDispatch {
    commands: vk::CommandBuffer,
    /// The memory of the buffers with their numbers of words, in the order of the job.
    buffers: Vec<(vk::DeviceMemory, usize)>,
    cleanup: Cleanup,
}

impl std::fmt::Debug for PreparedDispatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.buffers.len();
        f.debug_struct("PreparedDispatch").field("buffers", &count).finish_non_exhaustive()
    }
}

impl PreparedDispatch {
    /// Runs the dispatch on the buffers as they are, and waits for the end.
    ///
    /// # Errors
    ///
    /// If the device is lost, is out of memory, or does not answer.
    pub fn run(&mut self, patience: Patience<'_>) -> Result<(), Error> {
        self.cleanup.shared.execute(self.commands, patience)
    }

    /// Replaces the words of a buffer, by its number in the job.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    ///
    /// # Panics
    ///
    /// If there is no such buffer, or it has another number of words.
    pub fn write(&mut self, number: usize, words: &[u32]) -> Result<(), Error> {
        let (memory, count) = self.buffers[number];
        assert_eq!(words.len(), count, "a buffer keeps its size");
        self.cleanup.shared.write(memory, words)
    }

    /// The words of a buffer, by its number in the job.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    ///
    /// # Panics
    ///
    /// If there is no such buffer.
    pub fn read(&mut self, number: usize) -> Result<Vec<u32>, Error> {
        let (memory, count) = self.buffers[number];
        self.cleanup.shared.read(memory, count)
    }
}
