//! A Vulkan device that draws one triangle at a time.
//!
//! Safety, for all blocks below: handles come from the calls above them and are checked by `?`; what
//! a structure borrows outlives the call that takes it; every object is pushed on a [`Cleanup`] when it
//! is made, and destroyed by it, in reverse and after the device is idle. Nothing is shared between threads.

use crate::vertex;
use ash::vk;
use ash::{Entry, Instance};
use std::ffi::CStr;
use thiserror::Error;

/// Why there is no image.
#[derive(Debug, Error)]
pub enum Error {
    /// Vulkan says so.
    #[error("Vulkan: {0}")]
    Vulkan(#[from] vk::Result),
    /// The vertex shader cannot be built.
    #[error("the vertex shader: {0}")]
    Vertex(#[from] rspirv::dr::Error),
    /// No memory is fit for a buffer or image.
    #[error("the device has no fit memory")]
    NoMemory,
}

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The words of a fragment shader with one output.
    pub words: &'a [u32],
    /// The location of the output.
    pub location: u32,
    /// How many pixels a row has, and how many rows there are.
    pub size: [u32; 2],
    /// The block of push constants.
    pub push_constants: &'a [u32; 8],
    /// The uniform block.
    pub uniforms: &'a [u32],
}

/// The bits of the pixels, row by row.
pub type Frame = Vec<[u32; 4]>;

/// A device.
pub struct Device {
    // Keeps the library loaded.
    _entry: Entry,
    instance: Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    name: String,
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: all that was made of them has been destroyed.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.name).finish_non_exhaustive()
    }
}

type Undo<'d> = Box<dyn FnOnce() + 'd>;

/// Destroys, last first, what a frame was made with.
struct Cleanup<'d> {
    device: &'d ash::Device,
    undo: Vec<Undo<'d>>,
}

impl<'d> Cleanup<'d> {
    fn push(&mut self, undo: impl FnOnce() + 'd) {
        self.undo.push(Box::new(undo));
    }
}

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        // SAFETY: see the head. What went wrong while waiting is reported by whoever drew.
        let _ = unsafe { self.device.device_wait_idle() };
        while let Some(undo) = self.undo.pop() {
            undo();
        }
    }
}

/// Makes an object, and has it destroyed in the end.
macro_rules! make {
    ($cleanup:ident, $create:ident, $destroy:ident, $info:expr) => {{
        let device = $cleanup.device;
        // SAFETY: see the head.
        let made = unsafe { device.$create(&$info, None) }?;
        // SAFETY: see the head.
        $cleanup.push(move || unsafe { device.$destroy(made, None) });
        made
    }};
}

impl Device {
    /// A device that can draw, one on the CPU if there is such; none if there is no Vulkan here.
    pub fn open() -> Result<Option<Self>, Error> {
        // SAFETY: the system's Vulkan loader, if there is one, is what it says.
        let Ok(entry) = (unsafe { Entry::load() }) else { return Ok(None) };
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_0);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: see the head.
        let instance = match unsafe { entry.create_instance(&info, None) } {
            Ok(instance) => instance,
            Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // SAFETY: see the head.
        let mut all = unsafe { instance.enumerate_physical_devices() }?;
        // SAFETY: see the head.
        let properties = |physical| unsafe { instance.get_physical_device_properties(physical) };
        all.sort_by_key(|&p| properties(p).device_type != vk::PhysicalDeviceType::CPU);
        for physical in all {
            // SAFETY: see the head.
            let families =
                unsafe { instance.get_physical_device_queue_family_properties(physical) };
            let draws =
                |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
            let Some(family) = families.iter().position(draws) else { continue };
            let family = family as u32;
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            // SAFETY: see the head.
            let device = unsafe { instance.create_device(physical, &info, None) }?;
            let name = properties(physical);
            let name = name.device_name_as_c_str().map(CStr::to_string_lossy);
            let name = name.unwrap_or_default().into_owned();
            return Ok(Some(Self { _entry: entry, instance, physical, device, family, name }));
        }
        // SAFETY: nothing else was made of it.
        unsafe { instance.destroy_instance(None) };
        Ok(None)
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Draws.
    pub fn draw(&self, job: &Job<'_>) -> Result<Frame, Error> {
        let mut cleanup = Cleanup { device: &self.device, undo: Vec::new() };
        let cleanup = &mut cleanup;
        let (image, view) = self.image(cleanup, job)?;
        let pass = render_pass(cleanup, job.location)?;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(std::slice::from_ref(&view))
            .width(job.size[0])
            .height(job.size[1])
            .layers(1);
        let framebuffer = make!(cleanup, create_framebuffer, destroy_framebuffer, info);
        let bytes = u64::from(job.size[0]) * u64::from(job.size[1]) * 16;
        let (result, result_memory) =
            self.buffer(cleanup, bytes, vk::BufferUsageFlags::TRANSFER_DST)?;
        let (set, layout) = self.uniforms(cleanup, job.uniforms)?;
        let pipeline = pipeline(cleanup, job, pass, layout)?;

        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
        let pool = make!(cleanup, create_command_pool, destroy_command_pool, info);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let extent = vk::Extent2D { width: job.size[0], height: job.size[1] };
        let clear = [vk::ClearValue::default()];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(pass)
            .framebuffer(framebuffer)
            .render_area(extent.into())
            .clear_values(&clear);
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .layer_count(1);
        let copy =
            vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent.into());
        let constants: Vec<u8> = job.push_constants.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let device = &self.device;
        // SAFETY: see the head.
        unsafe {
            let commands = device.allocate_command_buffers(&info)?;
            let c = commands[0];
            device.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_begin_render_pass(c, &begin, vk::SubpassContents::INLINE);
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_pipeline(c, point, pipeline);
            device.cmd_bind_descriptor_sets(c, point, layout, 0, &[set], &[]);
            let stage = vk::ShaderStageFlags::FRAGMENT;
            device.cmd_push_constants(c, layout, stage, 0, &constants);
            device.cmd_draw(c, 3, 1, 0, 0);
            device.cmd_end_render_pass(c);
            let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            device.cmd_copy_image_to_buffer(c, image, from, result, &[copy]);
            device.end_command_buffer(c)?;
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            let queue = device.get_device_queue(self.family, 0);
            device.queue_submit(queue, &[submit], vk::Fence::null())?;
            device.queue_wait_idle(queue)?;
            let flags = vk::MemoryMapFlags::empty();
            let mapped = device.map_memory(result_memory, 0, bytes, flags)?;
            let pixels = (job.size[0] * job.size[1]) as usize;
            let frame = std::slice::from_raw_parts(mapped.cast::<[u32; 4]>(), pixels).to_vec();
            device.unmap_memory(result_memory);
            Ok(frame)
        }
    }

    fn memory(
        &self,
        cleanup: &mut Cleanup<'_>,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Error> {
        // SAFETY: see the head.
        let all = unsafe { self.instance.get_physical_device_memory_properties(self.physical) };
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

    fn buffer(
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

    fn image(
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

    fn uniforms(
        &self,
        cleanup: &mut Cleanup<'_>,
        words: &[u32],
    ) -> Result<(vk::DescriptorSet, vk::PipelineLayout), Error> {
        let size = (words.len().max(4) * 4) as u64;
        let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
        let (buffer, memory) = self.buffer(cleanup, size, usage)?;
        // SAFETY: see the head; the buffer has room for the words.
        unsafe {
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, size, flags)?.cast::<u32>();
            mapped.copy_from_nonoverlapping(words.as_ptr(), words.len());
            self.device.unmap_memory(memory);
        }
        let ty = vk::DescriptorType::UNIFORM_BUFFER;
        let stage = vk::ShaderStageFlags::FRAGMENT;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(ty)
            .descriptor_count(1)
            .stage_flags(stage)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts =
            [make!(cleanup, create_descriptor_set_layout, destroy_descriptor_set_layout, info)];
        let sizes = [vk::DescriptorPoolSize { ty, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = make!(cleanup, create_descriptor_pool, destroy_descriptor_pool, info);
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: see the head; the set is freed with its pool.
        let set = unsafe { self.device.allocate_descriptor_sets(&info) }?[0];
        let whole = [vk::DescriptorBufferInfo { buffer, offset: 0, range: size }];
        let write =
            vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(ty).buffer_info(&whole);
        // SAFETY: see the head.
        unsafe { self.device.update_descriptor_sets(&[write], &[]) };
        let ranges = [vk::PushConstantRange { stage_flags: stage, offset: 0, size: 32 }];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(&ranges);
        let layout = make!(cleanup, create_pipeline_layout, destroy_pipeline_layout, info);
        Ok((set, layout))
    }
}

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

fn render_pass(cleanup: &mut Cleanup<'_>, location: u32) -> Result<vk::RenderPass, Error> {
    let attachments = [vk::AttachmentDescription::default()
        .format(FORMAT)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)];
    let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let unused = vk::AttachmentReference { attachment: vk::ATTACHMENT_UNUSED, layout };
    let mut colors = vec![unused; location as usize];
    colors.push(vk::AttachmentReference { attachment: 0, layout });
    let subpasses = [vk::SubpassDescription::default().color_attachments(&colors)];
    let dependencies = [vk::SubpassDependency::default()
        .src_subpass(0)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    Ok(make!(cleanup, create_render_pass, destroy_render_pass, info))
}

fn pipeline(
    cleanup: &mut Cleanup<'_>,
    job: &Job<'_>,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, Error> {
    let vertex = vertex::words()?;
    let info = vk::ShaderModuleCreateInfo::default().code(&vertex);
    let vertex = make!(cleanup, create_shader_module, destroy_shader_module, info);
    let info = vk::ShaderModuleCreateInfo::default().code(job.words);
    let fragment = make!(cleanup, create_shader_module, destroy_shader_module, info);
    let stages =
        [(vk::ShaderStageFlags::VERTEX, vertex), (vk::ShaderStageFlags::FRAGMENT, fragment)].map(
            |(stage, module)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage)
                    .module(module)
                    .name(c"main")
            },
        );
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let extent = vk::Extent2D { width: job.size[0], height: job.size[1] };
    let viewports = [vk::Viewport {
        width: job.size[0] as f32,
        height: job.size[1] as f32,
        max_depth: 1.0,
        ..vk::Viewport::default()
    }];
    let scissors = [vk::Rect2D::from(extent)];
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let all = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA);
    let blends = vec![all; job.location as usize + 1];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(pass);
    let device = cleanup.device;
    let cache = vk::PipelineCache::null();
    // SAFETY: see the head.
    let made = unsafe { device.create_graphics_pipelines(cache, &[info], None) };
    let pipeline = made.map_err(|(_, error)| error)?[0];
    // SAFETY: see the head.
    cleanup.push(move || unsafe { device.destroy_pipeline(pipeline, None) });
    Ok(pipeline)
}
