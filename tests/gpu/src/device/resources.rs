//! What a frame is drawn to and from: memory, buffers, the image, the uniform block, and what is bound.

use super::{Cleanup, Device, Error, FORMAT, Job, make};
use ash::vk;
use lambdav_core::texture::TextureOptions;
use lambdav_spirv_backend::eval::SharedData;
use lambdav_spirv_backend::inspect::inspect;

impl Device {
    pub(super) fn memory(
        &self,
        cleanup: &mut Cleanup<'_>,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Error> {
        // SAFETY: see the head.
        let all =
            unsafe { self.loaded.instance.get_physical_device_memory_properties(self.physical) };
        let types = all.memory_types_as_slice().iter().enumerate();
        let index = types
            .filter(|&(i, ty)| {
                needs.memory_type_bits >> i & 1 == 1 && ty.property_flags.contains(flags)
            })
            .map(|(i, _)| i as u32)
            .next()
            .ok_or(Error::NoMemory)?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        Ok(make!(cleanup, allocate_memory, free_memory, info))
    }

    pub(super) fn buffer(
        &self,
        cleanup: &mut Cleanup<'_>,
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<(vk::Buffer, vk::DeviceMemory), Error> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let buffer = make!(cleanup, create_buffer, destroy_buffer, info);
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: see the head.
        let needs = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        let memory = self.memory(cleanup, needs, flags)?;
        // SAFETY: see the head.
        unsafe { self.device.bind_buffer_memory(buffer, memory, 0) }?;
        Ok((buffer, memory))
    }

    pub(super) fn image(
        &self,
        cleanup: &mut Cleanup<'_>,
        job: &Job<'_>,
    ) -> Result<(vk::Image, vk::ImageView), Error> {
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: job.size[0], height: job.size[1], depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let image = make!(cleanup, create_image, destroy_image, info);
        // SAFETY: see the head.
        let needs = unsafe { self.device.get_image_memory_requirements(image) };
        let memory = self.memory(cleanup, needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        // SAFETY: see the head.
        unsafe { self.device.bind_image_memory(image, memory, 0) }?;
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(range);
        let view = make!(cleanup, create_image_view, destroy_image_view, info);
        Ok((image, view))
    }

    /// A buffer of these words, at least one, for a shader to read.
    fn filled(
        &self,
        cleanup: &mut Cleanup<'_>,
        words: &[u32],
        usage: vk::BufferUsageFlags,
    ) -> Result<vk::DescriptorBufferInfo, Error> {
        let size = (words.len() * 4) as u64;
        let (buffer, memory) = self.buffer(cleanup, size, usage)?;
        // SAFETY: see the head; the buffer has room for the words.
        unsafe {
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, size, flags)?.cast::<u32>();
            mapped.copy_from_nonoverlapping(words.as_ptr(), words.len());
            self.device.unmap_memory(memory);
        }
        Ok(vk::DescriptorBufferInfo { buffer, offset: 0, range: size })
    }

    /// What a shader finds at a binding.
    fn descriptor(
        &self,
        cleanup: &mut Cleanup<'_>,
        data: &SharedData,
        sampled: Option<TextureOptions>,
    ) -> Result<Found, Error> {
        Ok(match data {
            SharedData::Texture(data) => Found::Image(self.texture(cleanup, data, sampled)?),
            SharedData::Buffer(words) => {
                let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
                Found::Buffer(
                    vk::DescriptorType::STORAGE_BUFFER,
                    self.filled(cleanup, words, usage)?,
                )
            }
        })
    }

    /// The descriptor set of the uniform block, textures and buffers, and its layout.
    pub(super) fn bound(
        &self,
        cleanup: &mut Cleanup<'_>,
        job: &Job<'_>,
    ) -> Result<(vk::DescriptorSet, vk::PipelineLayout), Error> {
        let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
        let block = [job.uniforms, &[0; 4]].concat();
        let block = self.filled(cleanup, &block, usage)?;
        let interface = inspect(job.words).expect("it is SPIR-V");
        let mut found = vec![(0, Found::Buffer(vk::DescriptorType::UNIFORM_BUFFER, block))];
        for (binding, data) in job.resources {
            let wanted = interface.resources.iter().find(|it| it.binding == Some(*binding));
            let sampled = wanted.and_then(|wanted| wanted.sampler);
            found.push((*binding, self.descriptor(cleanup, data, sampled)?));
        }
        let stage = vk::ShaderStageFlags::FRAGMENT;
        let binding = |(number, found): &(u32, Found)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(*number)
                .descriptor_type(found.ty())
                .descriptor_count(1)
                .stage_flags(stage)
        };
        let bindings: Vec<_> = found.iter().map(binding).collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts =
            [make!(cleanup, create_descriptor_set_layout, destroy_descriptor_set_layout, info)];
        let size = |(_, found): &(u32, Found)| vk::DescriptorPoolSize {
            ty: found.ty(),
            descriptor_count: 1,
        };
        let sizes: Vec<_> = found.iter().map(size).collect();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = make!(cleanup, create_descriptor_pool, destroy_descriptor_pool, info);
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: see the head; the set is freed with its pool.
        let set = unsafe { self.device.allocate_descriptor_sets(&info) }?[0];
        for (number, found) in &found {
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(*number);
            let write = write.descriptor_type(found.ty());
            let write = match found {
                Found::Image(info) => write.image_info(std::slice::from_ref(info)),
                Found::Buffer(_, info) => write.buffer_info(std::slice::from_ref(info)),
            };
            // SAFETY: see the head.
            unsafe { self.device.update_descriptor_sets(&[write], &[]) };
        }
        let ranges = [vk::PushConstantRange { stage_flags: stage, offset: 0, size: 32 }];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(&ranges);
        let layout = make!(cleanup, create_pipeline_layout, destroy_pipeline_layout, info);
        Ok((set, layout))
    }
}

/// What is bound.
#[derive(Clone, Copy)]
enum Found {
    Image(vk::DescriptorImageInfo),
    /// A block of uniforms, or a buffer.
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
