//! Textures: images with all their levels, and what a shader finds at their bindings.

use super::{Cleanup, Device, Error, FORMAT, make};
use ash::vk;
use lambdav_core::texture::{Filter, Level, TextureData, TextureOptions, Wrap};

const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: vk::REMAINING_MIP_LEVELS,
    base_array_layer: 0,
    layer_count: 1,
};

/// The sampler that these options mean.
fn sampler(options: TextureOptions) -> vk::SamplerCreateInfo<'static> {
    let (filter, between_levels) = match options.filter {
        Filter::Nearest => (vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST),
        Filter::Linear => (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR),
    };
    let wrap = match options.wrap {
        Wrap::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
    };
    vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(between_levels)
        .address_mode_u(wrap)
        .address_mode_v(wrap)
}

impl Device {
    /// Whether samplers mix texels of the format that textures have here, and how many bits the fractions
    /// have by which they mix texels, and levels.
    pub fn filtering(&self) -> (bool, [u32; 2]) {
        let instance = &self.loaded.instance;
        // SAFETY: see the head.
        let (format, properties) = unsafe {
            (
                instance.get_physical_device_format_properties(self.physical, FORMAT),
                instance.get_physical_device_properties(self.physical),
            )
        };
        let mixes = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
        let limits = properties.limits;
        let bits = [limits.sub_texel_precision_bits, limits.mipmap_precision_bits];
        (format.optimal_tiling_features.contains(mixes), bits)
    }

    /// An image with these texels, and a sampler, which does what the shader wants of it, if it wants
    /// anything.
    pub(super) fn texture(
        &self,
        cleanup: &mut Cleanup<'_>,
        data: &TextureData,
        sampled: Option<TextureOptions>,
    ) -> Result<vk::DescriptorImageInfo, Error> {
        let levels = data.levels();
        let extent =
            |level: &Level| vk::Extent3D { width: level.width, height: level.height, depth: 1 };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(extent(&levels[0]))
            .mip_levels(levels.len() as u32)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        let image = make!(cleanup, create_image, destroy_image, info);
        // SAFETY: see the head.
        let needs = unsafe { self.device.get_image_memory_requirements(image) };
        let memory = self.memory(cleanup, needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        // SAFETY: see the head.
        unsafe { self.device.bind_image_memory(image, memory, 0) }?;

        let words = data.texels().as_flattened();
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        let size = size_of_val(words) as u64;
        let (buffer, staging) = self.buffer(cleanup, size, usage)?;
        // SAFETY: see the head; the buffer has room for the words.
        unsafe {
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(staging, 0, size, flags)?.cast::<f32>();
            mapped.copy_from_nonoverlapping(words.as_ptr(), words.len());
            self.device.unmap_memory(staging);
        }
        let copies: Vec<vk::BufferImageCopy> = (0..)
            .zip(levels)
            .map(|(number, level)| {
                let layers = vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .mip_level(number)
                    .layer_count(1);
                vk::BufferImageCopy::default()
                    .buffer_offset(u64::from(level.first) * 16)
                    .image_subresource(layers)
                    .image_extent(extent(level))
            })
            .collect();
        self.fill(cleanup, buffer, image, &copies)?;

        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(RANGE);
        let view = make!(cleanup, create_image_view, destroy_image_view, info);
        let info = sampled.map_or_else(vk::SamplerCreateInfo::default, sampler);
        let info = info.max_lod(vk::LOD_CLAMP_NONE);
        let sampler = make!(cleanup, create_sampler, destroy_sampler, info);
        let image_layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        Ok(vk::DescriptorImageInfo { sampler, image_view: view, image_layout })
    }

    /// Copies a buffer to an image, from which shaders read afterwards, and waits for it.
    fn fill(
        &self,
        cleanup: &mut Cleanup<'_>,
        from: vk::Buffer,
        to: vk::Image,
        copies: &[vk::BufferImageCopy],
    ) -> Result<(), Error> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
        let pool = make!(cleanup, create_command_pool, destroy_command_pool, info);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let (nothing, written) =
            (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let barrier = |old, new, before, after| {
            vk::ImageMemoryBarrier::default()
                .image(to)
                .subresource_range(RANGE)
                .old_layout(old)
                .new_layout(new)
                .src_access_mask(before)
                .dst_access_mask(after)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        };
        let write = vk::AccessFlags::TRANSFER_WRITE;
        let first = [barrier(nothing, written, vk::AccessFlags::empty(), write)];
        let read = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let last = [barrier(written, read, write, vk::AccessFlags::SHADER_READ)];
        let (top, copied, shaders) = (
            vk::PipelineStageFlags::TOP_OF_PIPE,
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::FRAGMENT_SHADER,
        );
        let (device, flags) = (&self.device, vk::DependencyFlags::empty());
        // SAFETY: see the head.
        unsafe {
            let commands = device.allocate_command_buffers(&info)?;
            let it = commands[0];
            device.begin_command_buffer(it, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_pipeline_barrier(it, top, copied, flags, &[], &[], &first);
            device.cmd_copy_buffer_to_image(it, from, to, written, copies);
            device.cmd_pipeline_barrier(it, copied, shaders, flags, &[], &[], &last);
            device.end_command_buffer(it)?;
            let queue = device.get_device_queue(self.family, 0);
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            device.queue_submit(queue, &[submit], vk::Fence::null())?;
            Ok(device.queue_wait_idle(queue)?)
        }
    }
}
