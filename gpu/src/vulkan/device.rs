//! A device, and how it is waited for; what is made on it, and destroyed in the end.

use super::loaded::Loaded;
use super::result::said;
use crate::about::About;
use crate::error::Error;
use ash::vk;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Asked again and again while the device works: whether somebody still waits for it.
pub type Patience<'a> = &'a dyn Fn() -> bool;

/// All the patience that there is.
pub fn forever() -> bool {
    true
}

/// How many nanoseconds pass between two questions.
const MOMENT: u64 = 5_000_000;

/// Every picture and every texture has it.
pub(super) const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// A device that draws. Copies are the same one, and can be used by many threads.
#[derive(Clone)]
pub struct Device {
    pub(super) shared: Arc<Shared>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// What all that is made on a device needs.
pub(super) struct Shared {
    pub(super) physical: vk::PhysicalDevice,
    pub(super) device: ash::Device,
    pub(super) family: u32,
    pub(super) about: About,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    /// Whether its `fma` rounds once, as soon as somebody asked.
    pub(super) fused: OnceLock<bool>,
    /// Held by whoever uses the queue.
    pub(super) queue: Mutex<vk::Queue>,
    /// Whether it did not answer in time: what it may still use is never freed.
    pub(super) is_stuck: AtomicBool,
    // Dropped after what is done here.
    pub(super) loaded: Arc<Loaded>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.is_stuck.load(Ordering::Relaxed) {
            // Neither may its library go away.
            std::mem::forget(Arc::clone(&self.loaded));
            return;
        }
        // SAFETY: all that was made of it has been destroyed.
        unsafe { self.device.destroy_device(None) };
    }
}

impl Device {
    /// What it is.
    pub fn about(&self) -> &About {
        &self.shared.about
    }

    /// Whether its `fma` rounds once, which is found out once.
    pub(crate) fn fused(&self, find: impl FnOnce() -> bool) -> bool {
        *self.shared.fused.get_or_init(find)
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.shared.about.name
    }

    /// How many outputs it draws at once, and one more than the largest location.
    pub fn most_outputs(&self) -> u32 {
        let limits = &self.shared.limits;
        limits.max_color_attachments.min(limits.max_fragment_output_attachments)
    }

    /// Whether samplers mix texels of the format that textures have here, and how many bits the fractions
    /// have by which they mix texels, and levels.
    pub fn filtering(&self) -> (bool, [u32; 2]) {
        let Shared { loaded, physical, limits, .. } = &*self.shared;
        // SAFETY: see the head.
        let format =
            unsafe { loaded.instance.get_physical_device_format_properties(*physical, FORMAT) };
        let mixes = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
        let bits = [limits.sub_texel_precision_bits, limits.mipmap_precision_bits];
        (format.optimal_tiling_features.contains(mixes), bits)
    }
}

impl Shared {
    /// Has the device execute commands, and waits until it has.
    pub(super) fn execute(
        &self,
        commands: vk::CommandBuffer,
        patience: Patience<'_>,
    ) -> Result<(), Error> {
        let device = &self.device;
        let info = vk::FenceCreateInfo::default();
        // SAFETY: see the head.
        let fence = unsafe { device.create_fence(&info, None) }.map_err(said("vkCreateFence"))?;
        let commands = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        let submitted = {
            let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: see the head.
            unsafe { device.queue_submit(*queue, &[submit], fence) }
        };
        let done = match submitted {
            Err(error) => Err(said("vkQueueSubmit")(error)),
            Ok(()) => loop {
                // SAFETY: see the head.
                match unsafe { device.wait_for_fences(&[fence], true, MOMENT) } {
                    Ok(()) => break Ok(()),
                    Err(vk::Result::TIMEOUT) if patience() => {}
                    Err(vk::Result::ERROR_DEVICE_LOST) => break Err(Error::Lost),
                    Err(error) => {
                        self.is_stuck.store(true, Ordering::Relaxed);
                        return Err(match error {
                            vk::Result::TIMEOUT => Error::TimedOut,
                            error => said("vkWaitForFences")(error),
                        });
                    }
                }
            },
        };
        // SAFETY: nothing that was submitted signals it any more.
        unsafe { device.destroy_fence(fence, None) };
        done
    }

    /// That there is not too much of something.
    pub(super) fn within(&self, what: &'static str, wanted: u64, most: u64) -> Result<(), Error> {
        if wanted <= most { Ok(()) } else { Err(Error::Limit { what, wanted, most }) }
    }
}

type Undo = Box<dyn FnOnce(&ash::Device) + Send>;

/// Destroys, last first, what a frame was made with.
pub(super) struct Cleanup {
    pub(super) shared: Arc<Shared>,
    undo: Vec<Undo>,
}

impl Cleanup {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), undo: Vec::new() }
    }

    pub(super) fn push(&mut self, undo: impl FnOnce(&ash::Device) + Send + 'static) {
        self.undo.push(Box::new(undo));
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // All that was submitted has been waited for, or the device is stuck.
        if self.shared.is_stuck.load(Ordering::Relaxed) {
            std::mem::forget(Arc::clone(&self.shared));
            return;
        }
        while let Some(undo) = self.undo.pop() {
            undo(&self.shared.device);
        }
    }
}

/// Makes an object, and has it destroyed in the end.
macro_rules! make {
    ($cleanup:ident, $create:ident, $destroy:ident, $info:expr) => {{
        // SAFETY: see the head.
        let made = unsafe { $cleanup.shared.device.$create(&$info, None) };
        let made = made.map_err($crate::vulkan::result::said(stringify!($create)))?;
        // SAFETY: see the head.
        $cleanup.push(move |device| unsafe { device.$destroy(made, None) });
        made
    }};
}

pub(super) use make;
