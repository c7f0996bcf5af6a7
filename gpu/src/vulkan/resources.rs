//! Memory, buffers, images and descriptors of a frame.

use super::device::{Cleanup, Patience, Shared, make};
use super::job::Job;
use super::result::said;
use super::textures::{Reader, Upload};
use crate::error::Error;
use ash::vk;
use lambdav_spirv::inspect::{Interface, Resource};
use lambdav_spirv_eval::{PUSH_CONSTANT_WORDS, SharedData};

impl Cleanup {
    /// Allocates memory of the first type that fits.
    pub(super) fn memory(
        &mut self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Error> {
        let this = self;
        let all = &this.shared.memory;
        let mut types = (0..).zip(all.memory_types_as_slice());
        let fits = types.find(|(index, ty)| {
            let heap = &all.memory_heaps[ty.heap_index as usize];
            needs.memory_type_bits >> index & 1 == 1
                && ty.property_flags.contains(flags)
                // Some drivers promise more memory than the heap has.
                && needs.size <= heap.size
        });
        let (index, _): (u32, _) = fits.ok_or(Error::OutOfMemory)?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        Ok(make!(this, allocate_memory, free_memory, info))
    }

    /// A buffer in host-visible memory.
    pub(super) fn buffer(
        &mut self,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<(vk::Buffer, vk::DeviceMemory), Error> {
        let this = self;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let buffer = make!(this, create_buffer, destroy_buffer, info);
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: see the head.
        let needs = unsafe { this.shared.device.get_buffer_memory_requirements(buffer) };
        // Reading uncached memory is a hundred times slower.
        let memory = match usage.contains(vk::BufferUsageFlags::TRANSFER_DST) {
            true => this
                .memory(needs, flags | vk::MemoryPropertyFlags::HOST_CACHED)
                .or_else(|_| this.memory(needs, flags))?,
            false => this.memory(needs, flags)?,
        };
        // SAFETY: see the head.
        let bound = unsafe { this.shared.device.bind_buffer_memory(buffer, memory, 0) };
        bound.map_err(said("vkBindBufferMemory"))?;
        Ok((buffer, memory))
    }

    /// An image with this description, in memory of the device.
    pub(super) fn image_of(&mut self, info: &vk::ImageCreateInfo<'_>) -> Result<vk::Image, Error> {
        let this = self;
        let image = make!(this, create_image, destroy_image, *info);
        // SAFETY: see the head.
        let needs = unsafe { this.shared.device.get_image_memory_requirements(image) };
        let memory = this.memory(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        // SAFETY: see the head.
        let bound = unsafe { this.shared.device.bind_image_memory(image, memory, 0) };
        bound.map_err(said("vkBindImageMemory"))?;
        Ok(image)
    }

    /// An image with this description, and a view of it.
    pub(super) fn image(
        &mut self,
        info: &vk::ImageCreateInfo<'_>,
        aspect: vk::ImageAspectFlags,
    ) -> Result<(vk::Image, vk::ImageView), Error> {
        let this = self;
        let image = this.image_of(info)?;
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(info.format)
            .subresource_range(range);
        let view = make!(this, create_image_view, destroy_image_view, info);
        Ok((image, view))
    }

    /// A buffer of these words, at least one, for shaders to read, and its memory.
    pub(super) fn filled(
        &mut self,
        words: &[u32],
        usage: vk::BufferUsageFlags,
    ) -> Result<(vk::DescriptorBufferInfo, vk::DeviceMemory), Error> {
        let size = (words.len() * 4) as u64;
        let (buffer, memory) = self.buffer(size, usage)?;
        self.shared.write(memory, words)?;
        Ok((vk::DescriptorBufferInfo { buffer, offset: 0, range: size }, memory))
    }

    /// The descriptor set of the uniform block, textures and buffers.
    pub(super) fn bound(
        &mut self,
        job: &Job<'_>,
        interface: &Interface,
        patience: Patience<'_>,
    ) -> Result<Resources, Error> {
        let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
        // A buffer has at least one word; a uniform block is padded to four, the alignment of its end.
        let words = job.uniforms.len().next_multiple_of(4).max(4);
        let block = [job.uniforms, &vec![0; words - job.uniforms.len()]].concat();
        let (block, _) = self.filled(&block, usage)?;
        let mut found = vec![(0, 0, Found::Buffer(vk::DescriptorType::UNIFORM_BUFFER, block))];
        let mut textures = Vec::new();
        for (binding, data) in job.resources {
            let of = match data {
                SharedData::Texture(data) => {
                    let own = job.samplers.iter().find(|(of, ..)| of == binding);
                    let reader = match own {
                        Some(&(_, state, compares)) => Reader::Sampler(state, compares),
                        None => reader(interface, [0, *binding]),
                    };
                    let (info, upload) = self.texture(data, reader, patience)?;
                    textures.push((*binding, upload));
                    Found::Image(info)
                }
                SharedData::Buffer(words) => {
                    let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
                    let (info, _) = self.filled(words, usage)?;
                    Found::Buffer(vk::DescriptorType::STORAGE_BUFFER, info)
                }
            };
            found.push((0, *binding, of));
        }
        let mut changed = None;
        if let Some((binding, words)) = job.changed {
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
            let (info, memory) = self.filled(words, usage)?;
            found.push((0, binding, Found::Buffer(vk::DescriptorType::STORAGE_BUFFER, info)));
            changed = Some((memory, words.len()));
        }
        let (layout, sets) = self.descriptors(&found, job.stages())?;
        Ok(Resources { set: sets[0], layout, textures, changed })
    }

    /// The layout of a pipeline, and its descriptor sets, with resources by set and binding.
    pub(super) fn descriptors(
        &mut self,
        found: &[(u32, u32, Found)],
        stage: vk::ShaderStageFlags,
    ) -> Result<(vk::PipelineLayout, Vec<vk::DescriptorSet>), Error> {
        let this = self;
        let count = found.iter().map(|(set, ..)| set + 1).max().unwrap_or(0);
        let most = this.shared.limits.max_bound_descriptor_sets;
        this.shared.within("descriptor sets", count.into(), most.into())?;
        let mut layouts = Vec::new();
        for number in 0..count {
            let of_set = found.iter().filter(|(set, ..)| *set == number);
            let bindings = of_set.map(|(_, binding, of)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*binding)
                    .descriptor_type(of.ty())
                    .descriptor_count(1)
                    .stage_flags(stage)
            });
            let bindings: Vec<_> = bindings.collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout =
                make!(this, create_descriptor_set_layout, destroy_descriptor_set_layout, info);
            layouts.push(layout);
        }
        let mut sets = Vec::new();
        if count > 0 {
            let size = |(.., of): &(u32, u32, Found)| vk::DescriptorPoolSize {
                ty: of.ty(),
                descriptor_count: 1,
            };
            let sizes: Vec<_> = found.iter().map(size).collect();
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(count).pool_sizes(&sizes);
            let pool = make!(this, create_descriptor_pool, destroy_descriptor_pool, info);
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            // SAFETY: see the head; the sets are freed with their pool.
            let made = unsafe { this.shared.device.allocate_descriptor_sets(&info) };
            sets = made.map_err(said("vkAllocateDescriptorSets"))?;
        }
        for (set, binding, of) in found {
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[*set as usize])
                .dst_binding(*binding)
                .descriptor_type(of.ty());
            let write = match of {
                Found::Image(info) => write.image_info(std::slice::from_ref(info)),
                Found::Buffer(_, info) => write.buffer_info(std::slice::from_ref(info)),
            };
            // SAFETY: see the head.
            unsafe { this.shared.device.update_descriptor_sets(&[write], &[]) };
        }
        Ok((this.pipeline_layout(&layouts, stage)?, sets))
    }

    /// The layout of a pipeline of these descriptor sets, with a block of push constants.
    fn pipeline_layout(
        &mut self,
        sets: &[vk::DescriptorSetLayout],
        stage: vk::ShaderStageFlags,
    ) -> Result<vk::PipelineLayout, Error> {
        let this = self;
        let size = (PUSH_CONSTANT_WORDS * 4) as u32;
        let ranges = [vk::PushConstantRange { stage_flags: stage, offset: 0, size }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(sets).push_constant_ranges(&ranges);
        Ok(make!(this, create_pipeline_layout, destroy_pipeline_layout, info))
    }

    /// Command buffers, which can be recorded again.
    pub(super) fn commands<const N: usize>(&mut self) -> Result<[vk::CommandBuffer; N], Error> {
        let this = self;
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(this.shared.family);
        let pool = make!(this, create_command_pool, destroy_command_pool, info);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(N as u32);
        // SAFETY: see the head; they are freed with their pool.
        let commands = unsafe { this.shared.device.allocate_command_buffers(&info) };
        let commands = commands.map_err(said("vkAllocateCommandBuffers"))?;
        Ok(commands.try_into().expect("as many as were asked for"))
    }
}

impl Shared {
    /// Writes words to host-visible memory, which has room for them.
    pub(super) fn write(&self, memory: vk::DeviceMemory, words: &[u32]) -> Result<(), Error> {
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: see the head; the memory has room for the words.
        unsafe {
            let mapped = self.device.map_memory(memory, 0, size_of_val(words) as u64, flags);
            let mapped = mapped.map_err(said("vkMapMemory"))?.cast::<u32>();
            mapped.copy_from_nonoverlapping(words.as_ptr(), words.len());
            self.device.unmap_memory(memory);
        }
        Ok(())
    }
}

/// How a module of ours reads the texture at a set and binding.
pub(super) fn reader(interface: &Interface, [set, binding]: [u32; 2]) -> Reader {
    let is_it = |it: &&Resource| it.set.unwrap_or(0) == set && it.binding == Some(binding);
    let found = interface.resources.iter().find(is_it);
    found.and_then(|of| of.sampler).map_or(Reader::Fetches, Reader::Declared)
}

impl Shared {
    /// Reads pixels or words from host-visible memory, which has so many.
    pub(super) fn read<T: Bits>(
        &self,
        memory: vk::DeviceMemory,
        count: usize,
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::new();
        found.try_reserve_exact(count).map_err(|_| Error::OutOfMemory)?;
        let (bytes, flags) = ((count * size_of::<T>()) as u64, vk::MemoryMapFlags::empty());
        // SAFETY: see the head; the memory has as many, is aligned for any type, and any bits are a value.
        unsafe {
            let mapped = self.device.map_memory(memory, 0, bytes, flags);
            let mapped = mapped.map_err(said("vkMapMemory"))?;
            found.extend_from_slice(std::slice::from_raw_parts(mapped.cast::<T>(), count));
            self.device.unmap_memory(memory);
        }
        Ok(found)
    }
}

/// Words, of which any bits are a value.
pub(super) trait Bits: Copy {}

impl Bits for u32 {}

impl<const N: usize> Bits for [u32; N] {}

/// Resources bound to a shader.
pub(super) struct Resources {
    pub(super) set: vk::DescriptorSet,
    pub(super) layout: vk::PipelineLayout,
    /// Uploads of textures, by binding.
    pub(super) textures: Vec<(u32, Upload)>,
    /// Memory and number of words of the buffer that fragments change.
    pub(super) changed: Option<(vk::DeviceMemory, usize)>,
}

/// Descriptor of a bound resource.
#[derive(Clone, Copy)]
pub(super) enum Found {
    Image(vk::DescriptorImageInfo),
    /// A uniform block or a storage buffer.
    Buffer(vk::DescriptorType, vk::DescriptorBufferInfo),
}

impl Found {
    fn ty(&self) -> vk::DescriptorType {
        match self {
            Self::Image(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            Self::Buffer(ty, _) => *ty,
        }
    }
}
