//! A Vulkan device that draws one triangle at a time.
//!
//! Safety, for all blocks here and in the modules inside: handles come from the calls above them and are
//! checked by `?`; what a structure borrows outlives the call that takes it; every object is pushed on a
//! [`Cleanup`] when it is made, and destroyed by it, in reverse and after the device is idle. Whoever draws
//! holds [`Device::drawing`]: a queue is used by one thread at a time.

mod pipeline;
mod resources;
mod textures;

use ash::vk;
use ash::{Entry, Instance};
use lambdav_spirv_backend::eval::SharedData;
use pipeline::{pipeline, render_pass};
use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Why there is no image.
#[derive(Debug, Error)]
pub enum Error {
    /// Vulkan says so.
    #[error("Vulkan: {0}")]
    Vulkan(#[from] vk::Result),
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
    /// The words of the colour that is cleared to.
    pub clear: [u32; 4],
    /// The block of push constants.
    pub push_constants: &'a [u32; 8],
    /// The uniform block.
    pub uniforms: &'a [u32],
    /// The data of textures and buffers, and their bindings.
    pub resources: &'a [(u32, SharedData)],
}

/// The bits of the pixels, row by row.
pub type PixelBits = Vec<[u32; 4]>;

/// An instance, destroyed in the end, and the library that it is of.
struct Loaded {
    instance: Instance,
    _entry: Entry,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: all that was made of it has been destroyed.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// A device.
pub struct Device {
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    name: String,
    drawing: Mutex<()>,
    // Dropped after what is done here.
    loaded: Loaded,
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: all that was made of it has been destroyed.
        unsafe { self.device.destroy_device(None) };
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

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

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

use make;

impl Device {
    /// A device that can draw, one on the CPU if there is such; none if there is no Vulkan here.
    pub fn open() -> Result<Option<Self>, Error> {
        // SAFETY: the system's Vulkan loader, if there is one, is what it says.
        let Ok(entry) = (unsafe { Entry::load() }) else { return Ok(None) };
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_0);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: see the head.
        let loaded = match unsafe { entry.create_instance(&info, None) } {
            Ok(instance) => Loaded { instance, _entry: entry },
            Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let instance = &loaded.instance;
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
            let drawing = Mutex::new(());
            return Ok(Some(Self { physical, device, family, name, drawing, loaded }));
        }
        Ok(None)
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes all that it takes to draw a frame, any number of times. Nobody else draws meanwhile.
    ///
    /// # Errors
    ///
    /// What Vulkan says: of the shader, the memory, the device.
    pub fn prepare(&self, job: &Job<'_>) -> Result<Prepared<'_>, Error> {
        let drawing = self.drawing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cleanup = Cleanup { device: &self.device, undo: Vec::new() };
        let made = &mut cleanup;
        let (image, view) = self.image(made, job)?;
        let pass = render_pass(made, job.location)?;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(std::slice::from_ref(&view))
            .width(job.size[0])
            .height(job.size[1])
            .layers(1);
        let framebuffer = make!(made, create_framebuffer, destroy_framebuffer, info);
        let bytes = u64::from(job.size[0]) * u64::from(job.size[1]) * 16;
        let (result, result_memory) =
            self.buffer(made, bytes, vk::BufferUsageFlags::TRANSFER_DST)?;
        let (set, layout) = self.bound(made, job)?;
        let pipeline = pipeline(made, job, pass, layout)?;

        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
        let pool = make!(made, create_command_pool, destroy_command_pool, info);
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(2);
        let extent = vk::Extent2D { width: job.size[0], height: job.size[1] };
        let color = vk::ClearColorValue { float32: job.clear.map(f32::from_bits) };
        let clear = [vk::ClearValue { color }];
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
        let commands = unsafe {
            let commands = device.allocate_command_buffers(&info)?;
            let [draw, read] = commands[..] else { unreachable!("two were asked for") };
            device.begin_command_buffer(draw, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_begin_render_pass(draw, &begin, vk::SubpassContents::INLINE);
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_pipeline(draw, point, pipeline);
            device.cmd_bind_descriptor_sets(draw, point, layout, 0, &[set], &[]);
            let stage = vk::ShaderStageFlags::FRAGMENT;
            device.cmd_push_constants(draw, layout, stage, 0, &constants);
            device.cmd_draw(draw, 3, 1, 0, 0);
            device.cmd_end_render_pass(draw);
            device.end_command_buffer(draw)?;

            device.begin_command_buffer(read, &vk::CommandBufferBeginInfo::default())?;
            let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            device.cmd_copy_image_to_buffer(read, image, from, result, &[copy]);
            // What waits for the queue alone need not see what the copy wrote.
            let written = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            let (copied, host) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
            let flags = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(read, copied, host, flags, &[written], &[], &[]);
            device.end_command_buffer(read)?;
            [draw, read]
        };
        let family = self.family;
        Ok(Prepared { cleanup, commands, family, result_memory, bytes, _drawing: drawing })
    }
}

/// All that it takes to draw a frame.
pub struct Prepared<'d> {
    /// Cleans up while nobody else draws.
    cleanup: Cleanup<'d>,
    /// To draw, and to copy what was drawn to where it can be read.
    commands: [vk::CommandBuffer; 2],
    family: u32,
    result_memory: vk::DeviceMemory,
    bytes: u64,
    _drawing: MutexGuard<'d, ()>,
}

impl std::fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Prepared<'_> {
    fn execute(&mut self, commands: vk::CommandBuffer) -> Result<(), Error> {
        let (device, commands) = (self.cleanup.device, [commands]);
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        // SAFETY: see the head; who has `self` to itself is the only one to use the queue.
        unsafe {
            let queue = device.get_device_queue(self.family, 0);
            device.queue_submit(queue, &[submit], vk::Fence::null())?;
            Ok(device.queue_wait_idle(queue)?)
        }
    }

    /// Draws the frame, and waits until it is there.
    ///
    /// # Errors
    ///
    /// Where the device is lost or out of memory.
    pub fn draw(&mut self) -> Result<(), Error> {
        self.execute(self.commands[0])
    }

    /// The pixels of the frame, which has been drawn.
    ///
    /// # Errors
    ///
    /// Where the device is lost or out of memory.
    pub fn read(&mut self) -> Result<PixelBits, Error> {
        self.execute(self.commands[1])?;
        let (device, flags) = (self.cleanup.device, vk::MemoryMapFlags::empty());
        // As many as it has room for, which was given: the product fits.
        let pixels = (self.bytes / 16) as usize;
        // SAFETY: see the head.
        unsafe {
            let mapped = device.map_memory(self.result_memory, 0, self.bytes, flags)?;
            let frame = std::slice::from_raw_parts(mapped.cast::<[u32; 4]>(), pixels).to_vec();
            device.unmap_memory(self.result_memory);
            Ok(frame)
        }
    }
}
