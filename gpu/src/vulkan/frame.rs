//! A prepared frame: the objects that draw a picture any number of times.

use super::device::{Cleanup, Device, Patience, Shared, make};
use super::job::{Job, PixelBits};
use super::pipeline::{pipeline, render_pass};
use super::result::said;
use super::textures::Upload;
use crate::error::Error;
use ash::vk;
use lambdav_core::texture::TextureData;
use lambdav_spirv_eval::{PUSH_CONSTANT_WORDS, SharedData};

/// Bytes of a pixel.
const PIXEL: u64 = 16;

impl Device {
    /// Makes the objects that draw a frame any number of times.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`], and errors of Vulkan for the shader, the memory or the device.
    pub fn prepare(&self, job: &Job<'_>, patience: Patience<'_>) -> Result<Prepared, Error> {
        let shared = &self.shared;
        shared.check(job)?;
        let mut cleanup = Cleanup::new(shared);
        let made = &mut cleanup;
        let images = (job.outputs.iter())
            .map(|_| made.image(job.size))
            .collect::<Result<Vec<(vk::Image, vk::ImageView)>, Error>>()?;
        let pass = render_pass(made, job.outputs)?;
        let views: Vec<vk::ImageView> = images.iter().map(|(_, view)| *view).collect();
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(job.size[0])
            .height(job.size[1])
            .layers(1);
        let framebuffer = make!(made, create_framebuffer, destroy_framebuffer, info);
        let bytes = u64::from(job.size[0]) * u64::from(job.size[1]) * PIXEL;
        let (result, result_memory) = made.buffer(bytes, vk::BufferUsageFlags::TRANSFER_DST)?;
        let bound = made.bound(job, patience)?;
        let pipeline = pipeline(made, job, pass, bound.layout)?;

        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(shared.family);
        let pool = make!(made, create_command_pool, destroy_command_pool, info);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(2);
        // SAFETY: see the head; they are freed with their pool.
        let commands = unsafe { shared.device.allocate_command_buffers(&info) };
        let commands = commands.map_err(said("vkAllocateCommandBuffers"))?;
        let [draw, read] = commands[..] else { unreachable!("two were asked for") };
        let mut prepared = Prepared {
            draw,
            read,
            pass,
            framebuffer,
            pipeline,
            layout: bound.layout,
            set: bound.set,
            extent: vk::Extent2D { width: job.size[0], height: job.size[1] },
            clear: job.clear,
            times: 1,
            outputs: job.outputs.iter().copied().zip(images.iter().map(|(i, _)| *i)).collect(),
            result,
            result_memory,
            bytes,
            textures: bound.textures,
            cleanup,
        };
        prepared.record(job.push_constants)?;
        Ok(prepared)
    }
}

impl Shared {
    /// Checks a job against the limits of the device.
    fn check(&self, job: &Job<'_>) -> Result<(), Error> {
        let limits = &self.limits;
        for (axis, what) in ["pixels in a row", "rows of pixels"].into_iter().enumerate() {
            let most = [limits.max_framebuffer_width, limits.max_framebuffer_height][axis]
                .min(limits.max_image_dimension2_d)
                .min(limits.max_viewport_dimensions[axis]);
            self.within(what, job.size[axis].into(), most.into())?;
        }
        let most = limits.max_color_attachments.min(limits.max_fragment_output_attachments);
        let locations = job.outputs.iter().max().map_or(0, |last| u64::from(*last) + 1);
        self.within("locations of outputs", locations, most.into())?;
        let uniforms = (job.uniforms.len() * 4) as u64;
        self.within("bytes of uniforms", uniforms, limits.max_uniform_buffer_range.into())?;
        let (mut textures, mut buffers) = (0, 0);
        for (_, data) in job.resources {
            match data {
                SharedData::Texture(data) => {
                    textures += 1;
                    let level = &data.levels()[0];
                    let most = limits.max_image_dimension2_d.into();
                    self.within("texels in a row of a texture", level.width.into(), most)?;
                    self.within("rows of texels of a texture", level.height.into(), most)?;
                }
                SharedData::Buffer(words) => {
                    buffers += 1;
                    let most = limits.max_storage_buffer_range.into();
                    self.within("bytes of a buffer", (words.len() * 4) as u64, most)?;
                }
            }
        }
        let most = limits
            .max_per_stage_descriptor_sampled_images
            .min(limits.max_per_stage_descriptor_samplers)
            .min(limits.max_descriptor_set_sampled_images)
            .min(limits.max_descriptor_set_samplers);
        self.within("textures", textures, most.into())?;
        let most = limits
            .max_per_stage_descriptor_storage_buffers
            .min(limits.max_descriptor_set_storage_buffers);
        self.within("buffers", buffers, most.into())
    }
}

/// The objects that draw a frame.
pub struct Prepared {
    /// Commands that draw; `read` copies the image to host-visible memory.
    draw: vk::CommandBuffer,
    read: vk::CommandBuffer,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    extent: vk::Extent2D,
    clear: [u32; 4],
    /// Number of times that each pixel is computed.
    times: u32,
    /// The images of the outputs, by location.
    outputs: Vec<(u32, vk::Image)>,
    result: vk::Buffer,
    result_memory: vk::DeviceMemory,
    /// Size of `result`.
    bytes: u64,
    /// Uploads of textures, by binding.
    textures: Vec<(u32, Upload)>,
    cleanup: Cleanup,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Prepared {
    /// Records the commands that draw a frame with these push constants.
    fn record(&mut self, push_constants: &[u32; PUSH_CONSTANT_WORDS]) -> Result<(), Error> {
        let device = &self.cleanup.shared.device;
        let color = vk::ClearColorValue { uint32: self.clear };
        let clear = vec![vk::ClearValue { color }; self.outputs.len()];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(self.extent.into())
            .clear_values(&clear);
        let constants: Vec<u8> = push_constants.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let draw = self.draw;
        // SAFETY: see the head; the command buffer is not executing.
        let recorded = unsafe {
            device.begin_command_buffer(draw, &vk::CommandBufferBeginInfo::default()).and_then(
                |()| {
                    device.cmd_begin_render_pass(draw, &begin, vk::SubpassContents::INLINE);
                    let point = vk::PipelineBindPoint::GRAPHICS;
                    device.cmd_bind_pipeline(draw, point, self.pipeline);
                    device.cmd_bind_descriptor_sets(draw, point, self.layout, 0, &[self.set], &[]);
                    let stage = vk::ShaderStageFlags::FRAGMENT;
                    device.cmd_push_constants(draw, self.layout, stage, 0, &constants);
                    device.cmd_draw(draw, 3, self.times, 0, 0);
                    device.cmd_end_render_pass(draw);
                    device.end_command_buffer(draw)
                },
            )
        };
        recorded.map_err(said("vkEndCommandBuffer"))
    }

    /// Changes the push constants of later frames.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub fn set_push_constants(&mut self, words: &[u32; PUSH_CONSTANT_WORDS]) -> Result<(), Error> {
        self.record(words)
    }

    /// Makes [`Self::draw`] compute each pixel `times` times, for benchmarks; also sets the push
    /// constants.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub fn repeat(&mut self, times: u32, words: &[u32; PUSH_CONSTANT_WORDS]) -> Result<(), Error> {
        self.times = times;
        self.record(words)
    }

    /// Replaces the texels of the texture at a binding by as many others.
    ///
    /// # Errors
    ///
    /// If the device is lost, is out of memory, or does not answer.
    ///
    /// # Panics
    ///
    /// If no texture of this size is bound there.
    pub fn set_texture(
        &mut self,
        binding: u32,
        data: &TextureData,
        patience: Patience<'_>,
    ) -> Result<(), Error> {
        let upload = self.textures.iter().find(|(of, _)| *of == binding);
        let (_, upload) = upload.expect("a texture is bound there");
        upload.fill(&self.cleanup.shared, data, patience)
    }

    /// Draws the frame and waits for the end.
    ///
    /// # Errors
    ///
    /// If the device is lost, is out of memory, or does not answer.
    pub fn draw(&mut self, patience: Patience<'_>) -> Result<(), Error> {
        self.cleanup.shared.execute(self.draw, patience)
    }

    /// Reads the pixels of one output of a frame that was drawn.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::draw`].
    ///
    /// # Panics
    ///
    /// If the job does not have that output.
    pub fn read(&mut self, location: u32, patience: Patience<'_>) -> Result<PixelBits, Error> {
        let shared = &self.cleanup.shared;
        let device = &shared.device;
        let image = self.outputs.iter().find(|(of, _)| *of == location);
        let (_, image) = *image.expect("the output was asked for");
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .layer_count(1);
        let copy = vk::BufferImageCopy::default()
            .image_subresource(layers)
            .image_extent(self.extent.into());
        let (read, result) = (self.read, self.result);
        // SAFETY: see the head; the command buffer is not executing.
        let recorded = unsafe {
            device.begin_command_buffer(read, &vk::CommandBufferBeginInfo::default()).and_then(
                |()| {
                    let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                    device.cmd_copy_image_to_buffer(read, image, from, result, &[copy]);
                    // A fence alone does not make the copied bytes visible to the host.
                    let written = vk::MemoryBarrier::default()
                        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                        .dst_access_mask(vk::AccessFlags::HOST_READ);
                    let copied = vk::PipelineStageFlags::TRANSFER;
                    let host = vk::PipelineStageFlags::HOST;
                    let flags = vk::DependencyFlags::empty();
                    device.cmd_pipeline_barrier(read, copied, host, flags, &[written], &[], &[]);
                    device.end_command_buffer(read)
                },
            )
        };
        recorded.map_err(said("vkEndCommandBuffer"))?;
        shared.execute(read, patience)?;
        let flags = vk::MemoryMapFlags::empty();
        // A buffer of this size was allocated, so the number fits a `usize`.
        let pixels = (self.bytes / PIXEL) as usize;
        let mut frame = Vec::new();
        frame.try_reserve_exact(pixels).map_err(|_| Error::OutOfMemory)?;
        // SAFETY: see the head; the buffer has room for the pixels, and its memory is aligned for any type.
        unsafe {
            let mapped = device.map_memory(self.result_memory, 0, self.bytes, flags);
            let mapped = mapped.map_err(said("vkMapMemory"))?;
            frame.extend_from_slice(std::slice::from_raw_parts(mapped.cast::<[u32; 4]>(), pixels));
            device.unmap_memory(self.result_memory);
        }
        Ok(frame)
    }
}
