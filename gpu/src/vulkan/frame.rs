//! A prepared frame: the objects that draw a picture any number of times.

use super::device::{Cleanup, Device, Patience};
use super::job::{Job, PixelBits};
use super::pipeline::pipeline;
use super::result::said;
use super::targets::Targets;
use super::textures::Upload;
use super::vertices::Vertices;
use crate::error::Error;
use ash::vk;
use lambdav_core::texture::TextureData;
use lambdav_spirv::inspect::inspect;
use lambdav_spirv_eval::PUSH_CONSTANT_WORDS;

/// Bytes of a pixel.
const PIXEL: u64 = 16;

impl Device {
    /// Makes the objects that draw a frame any number of times.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`], [`Error::Module`], errors of Vulkan for the shader, the memory or the device; of
    /// triangles also [`Error::Elements`] and [`Error::Unsupported`].
    ///
    /// # Panics
    ///
    /// If an attribute has no location, or not 1 to 4 numbers at each.
    pub fn prepare(&self, job: &Job<'_>, patience: Patience<'_>) -> Result<Prepared, Error> {
        let shared = &self.shared;
        shared.check(job)?;
        let interface = inspect(job.words).map_err(|error| Error::Module(error.to_string()))?;
        if let Some(triangles) = &job.triangles {
            shared.check_triangles(job, triangles, &interface)?;
        }
        let mut cleanup = Cleanup::new(shared);
        let made = &mut cleanup;
        let targets = made.targets(job)?;
        let bytes = u64::from(job.size[0]) * u64::from(job.size[1]) * PIXEL;
        let (result, result_memory) = made.buffer(bytes, vk::BufferUsageFlags::TRANSFER_DST)?;
        let bound = made.bound(job, &interface, patience)?;
        let vertices = job.triangles.map(|triangles| made.vertices(&triangles)).transpose()?;
        let pipeline = pipeline(made, job, targets.pass, bound.layout)?;

        let [draw, read] = made.commands()?;
        let mut prepared = Prepared {
            draw,
            read,
            targets,
            vertices,
            pipeline,
            layout: bound.layout,
            set: bound.set,
            extent: vk::Extent2D { width: job.size[0], height: job.size[1] },
            stages: job.stages(),
            times: 1,
            result,
            result_memory,
            bytes,
            textures: bound.textures,
            changed: bound.changed,
            cleanup,
        };
        prepared.record(job.push_constants)?;
        Ok(prepared)
    }
}

/// The objects that draw a frame.
pub struct Prepared {
    /// Commands that draw; `read` copies the image to host-visible memory.
    draw: vk::CommandBuffer,
    read: vk::CommandBuffer,
    targets: Targets,
    /// The vertices of triangles; `None` for the full screen.
    vertices: Option<Vertices>,
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    extent: vk::Extent2D,
    /// Stages that read push constants.
    stages: vk::ShaderStageFlags,
    /// Number of times that each pixel is computed.
    times: u32,
    result: vk::Buffer,
    result_memory: vk::DeviceMemory,
    /// Size of `result`.
    bytes: u64,
    /// Uploads of textures, by binding.
    textures: Vec<(u32, Upload)>,
    /// Memory and number of words of the buffer that fragments change.
    changed: Option<(vk::DeviceMemory, usize)>,
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
        let shared = &self.cleanup.shared;
        let device = &shared.device;
        let targets = &self.targets;
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(targets.pass)
            .framebuffer(targets.framebuffer)
            .render_area(self.extent.into())
            .clear_values(&targets.clear);
        let constants: Vec<u8> = push_constants.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let draw = self.draw;
        // Repeated triangles would meet their own depth: the pass is repeated instead.
        let passes = if self.vertices.is_some() { self.times } else { 1 };
        // SAFETY: see the head; the command buffer is not executing.
        let recorded = unsafe {
            device.begin_command_buffer(draw, &vk::CommandBufferBeginInfo::default()).and_then(
                |()| {
                    let point = vk::PipelineBindPoint::GRAPHICS;
                    device.cmd_bind_pipeline(draw, point, self.pipeline);
                    device.cmd_bind_descriptor_sets(draw, point, self.layout, 0, &[self.set], &[]);
                    device.cmd_push_constants(draw, self.layout, self.stages, 0, &constants);
                    for _ in 0..passes {
                        device.cmd_begin_render_pass(draw, &begin, vk::SubpassContents::INLINE);
                        match &self.vertices {
                            Some(vertices) => vertices.record(shared, draw),
                            None => device.cmd_draw(draw, 3, self.times, 0, 0),
                        }
                        device.cmd_end_render_pass(draw);
                    }
                    if self.changed.is_some() {
                        let all = [vk::MemoryBarrier::default()
                            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                            .dst_access_mask(vk::AccessFlags::HOST_READ)];
                        let fragments = vk::PipelineStageFlags::FRAGMENT_SHADER;
                        let (host, none) =
                            (vk::PipelineStageFlags::HOST, vk::DependencyFlags::empty());
                        device.cmd_pipeline_barrier(draw, fragments, host, none, &all, &[], &[]);
                    }
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

    /// Makes [`Self::draw`] compute each pixel, or clear and draw all triangles, `times` times, for
    /// benchmarks; also sets the push constants.
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
        let image = self.targets.outputs.iter().find(|(of, _)| *of == location);
        let (_, image) = *image.expect("the output was asked for");
        self.copy(image, vk::ImageAspectFlags::COLOR, patience)
    }

    /// Reads the words of the buffer that fragments change, after a frame was drawn.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    ///
    /// # Panics
    ///
    /// If the job has no such buffer.
    pub fn read_changed(&mut self) -> Result<Vec<u32>, Error> {
        let (memory, count) = self.changed.expect("the buffer was asked for");
        self.cleanup.shared.read(memory, count)
    }

    /// Reads the bits of the depth of a frame that was drawn, row by row; with 4 samples, those of sample 0.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::draw`].
    ///
    /// # Panics
    ///
    /// If the job keeps no depth.
    pub fn read_depth(&mut self, patience: Patience<'_>) -> Result<Vec<u32>, Error> {
        let image = self.targets.depth.expect("the depth was asked for");
        let texels = self.copy::<1>(image, vk::ImageAspectFlags::DEPTH, patience)?;
        Ok(texels.into_flattened())
    }

    /// The texels of an image, of `N` words each, at most those of a pixel.
    fn copy<const N: usize>(
        &mut self,
        image: vk::Image,
        aspect: vk::ImageAspectFlags,
        patience: Patience<'_>,
    ) -> Result<Vec<[u32; N]>, Error> {
        let shared = &self.cleanup.shared;
        let device = &shared.device;
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(aspect).layer_count(1);
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
        // A buffer of this size was allocated, so the number fits a `usize`.
        shared.read(self.result_memory, (self.bytes / PIXEL) as usize)
    }
}
