//! Textures: images with all their levels, views and samplers.

use super::device::{Cleanup, FORMAT, Patience, Shared, make};
use super::result::said;
use crate::error::Error;
use ash::vk;
use lambdav_core::sampler::{Border, Compare, Sampler, Wrap};
use lambdav_core::texture::{Filter, Level, Texels, TextureData, TextureKind, TextureOptions};
use std::sync::Arc;

const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: vk::REMAINING_MIP_LEVELS,
    base_array_layer: 0,
    layer_count: vk::REMAINING_ARRAY_LAYERS,
};

/// How a shader reads a texture.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    /// It fetches texels, and sees the faces of cubes as layers, as modules of ours do.
    Fetches,
    /// It fetches texels, and samples by a sampler with these options.
    Declared(TextureOptions),
    /// It samples what it declares by this sampler, which compares if that is true.
    Sampler(Sampler, bool),
}

/// The sampler with this state.
fn sampler_with(
    state: &Sampler,
    compares: bool,
    is_integer: bool,
) -> vk::SamplerCreateInfo<'static> {
    let filter = |filter| match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    };
    let wrap = |wrap| match wrap {
        Wrap::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Wrap::MirrorOnce => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        Wrap::Border => vk::SamplerAddressMode::CLAMP_TO_BORDER,
    };
    let compare = match state.compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    };
    let border = match (state.border, is_integer) {
        (Border::Transparent, false) => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        (Border::Black, false) => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        (Border::White, false) => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        (Border::Transparent, true) => vk::BorderColor::INT_TRANSPARENT_BLACK,
        (Border::Black, true) => vk::BorderColor::INT_OPAQUE_BLACK,
        (Border::White, true) => vk::BorderColor::INT_OPAQUE_WHITE,
    };
    let between_levels = match state.mip {
        Some(Filter::Linear) => vk::SamplerMipmapMode::LINEAR,
        _ => vk::SamplerMipmapMode::NEAREST,
    };
    let [least, most] = match state.mip {
        Some(_) => state.levels,
        // As Vulkan emulates a texture without levels.
        None => [0.0, 0.25],
    };
    let [u, v, w] = state.wrap.map(wrap);
    vk::SamplerCreateInfo::default()
        .mag_filter(filter(state.mag))
        .min_filter(filter(state.min))
        .mipmap_mode(between_levels)
        .address_mode_u(u)
        .address_mode_v(v)
        .address_mode_w(w)
        .mip_lod_bias(state.bias)
        .compare_enable(compares)
        .compare_op(compare)
        .min_lod(least)
        .max_lod(most.min(vk::LOD_CLAMP_NONE))
        .border_color(border)
        .unnormalized_coordinates(state.in_texels)
}

/// The sampler for these options.
fn sampler(options: TextureOptions) -> vk::SamplerCreateInfo<'static> {
    let TextureOptions { filter, wrap, border, .. } = options;
    let mip = Some(filter);
    let state = Sampler { mag: filter, min: filter, mip, wrap, border, ..Sampler::default() };
    sampler_with(&state, false, false)
}

impl Cleanup {
    /// An image with these texels, and a sampler for the reader.
    pub(super) fn texture(
        &mut self,
        data: &TextureData,
        reader: Reader,
        patience: Patience<'_>,
    ) -> Result<(vk::DescriptorImageInfo, Upload), Error> {
        let levels = data.levels();
        let format = match data.components() {
            Texels::Numbers => FORMAT,
            Texels::Integers => vk::Format::R32G32B32A32_SINT,
            Texels::Unsigned => vk::Format::R32G32B32A32_UINT,
        };
        let is_volume = data.kind() == TextureKind::Volume;
        let extent = |level: &Level| vk::Extent3D {
            width: level.width,
            height: level.height,
            depth: if is_volume { level.planes } else { 1 },
        };
        let layers = if is_volume { 1 } else { levels[0].planes };
        let is_cube = matches!(data.kind(), TextureKind::Cube | TextureKind::CubeArray);
        let flags = match is_cube {
            true => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            false => vk::ImageCreateFlags::empty(),
        };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(if is_volume { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D })
            .format(format)
            .extent(extent(&levels[0]))
            .mip_levels(levels.len() as u32)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        let this = self;
        let image = this.image_of(&info)?;
        let size = size_of_val(data.texels()) as u64;
        let (from, staging) = this.buffer(size, vk::BufferUsageFlags::TRANSFER_SRC)?;
        let copies = (0..)
            .zip(levels)
            .map(|(number, level)| {
                let layers = vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .mip_level(number)
                    .layer_count(layers);
                vk::BufferImageCopy::default()
                    .buffer_offset(u64::from(level.first) * 16)
                    .image_subresource(layers)
                    .image_extent(extent(level))
            })
            .collect();
        let upload = Upload { image, from, staging, texels: data.texels().len(), copies };
        upload.fill(&this.shared, data, patience)?;

        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(match (data.kind(), reader) {
                (TextureKind::Flat, _) => vk::ImageViewType::TYPE_2D,
                (TextureKind::Volume, _) => vk::ImageViewType::TYPE_3D,
                (TextureKind::Cube, Reader::Sampler(..)) => vk::ImageViewType::CUBE,
                (TextureKind::CubeArray, Reader::Sampler(..)) => vk::ImageViewType::CUBE_ARRAY,
                _ => vk::ImageViewType::TYPE_2D_ARRAY,
            })
            .format(format)
            .subresource_range(RANGE);
        let view = make!(this, create_image_view, destroy_image_view, info);
        let info = match reader {
            Reader::Fetches => vk::SamplerCreateInfo::default(),
            Reader::Declared(options) => sampler(options),
            Reader::Sampler(state, compares) => {
                let is_integer = data.components() != Texels::Numbers;
                sampler_with(&state, compares, is_integer)
            }
        };
        let sampler = make!(this, create_sampler, destroy_sampler, info);
        let image_layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        Ok((vk::DescriptorImageInfo { sampler, image_view: view, image_layout }, upload))
    }
}

/// Upload of texels to an image through a staging buffer.
pub(super) struct Upload {
    image: vk::Image,
    from: vk::Buffer,
    staging: vk::DeviceMemory,
    /// Number of texels, all levels together.
    texels: usize,
    copies: Vec<vk::BufferImageCopy>,
}

impl Upload {
    /// Fills the image, leaves it readable by shaders, and waits for the end.
    pub(super) fn fill(
        &self,
        shared: &Arc<Shared>,
        data: &TextureData,
        patience: Patience<'_>,
    ) -> Result<(), Error> {
        assert_eq!(data.texels().len(), self.texels, "a texture keeps its size");
        let words: Vec<u32> = data.texels().as_flattened().iter().map(|x| x.to_bits()).collect();
        shared.write(self.staging, &words)?;
        let mut cleanup = Cleanup::new(shared);
        let here = &mut cleanup;
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(shared.family);
        let pool = make!(here, create_command_pool, destroy_command_pool, info);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let (nothing, written) =
            (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let barrier = |old, new, before, after| {
            vk::ImageMemoryBarrier::default()
                .image(self.image)
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
        let copied = vk::PipelineStageFlags::TRANSFER;
        let shaders = vk::PipelineStageFlags::VERTEX_SHADER
            | vk::PipelineStageFlags::FRAGMENT_SHADER
            | vk::PipelineStageFlags::COMPUTE_SHADER;
        let (device, flags) = (&shared.device, vk::DependencyFlags::empty());
        // SAFETY: see the head.
        let recorded = unsafe {
            device.allocate_command_buffers(&info).and_then(|commands| {
                let it = commands[0];
                device.begin_command_buffer(it, &vk::CommandBufferBeginInfo::default())?;
                // An earlier frame may still read the image.
                device.cmd_pipeline_barrier(it, shaders, copied, flags, &[], &[], &first);
                device.cmd_copy_buffer_to_image(it, self.from, self.image, written, &self.copies);
                device.cmd_pipeline_barrier(it, copied, shaders, flags, &[], &[], &last);
                device.end_command_buffer(it)?;
                Ok(it)
            })
        };
        shared.execute(recorded.map_err(said("vkEndCommandBuffer"))?, patience)
    }
}
