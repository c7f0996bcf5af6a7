//! An open device: submission, waiting, and clean-up of its objects.

use super::loaded::Loaded;
use super::result::said;
use crate::about::About;
use crate::error::Error;
use ash::vk;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Polled while the device works; the wait ends with an error when it returns false.
pub type Patience<'a> = &'a dyn Fn() -> bool;

/// Patience without end.
pub fn forever() -> bool {
    true
}

/// Nanoseconds between two polls.
const MOMENT: u64 = 5_000_000;

/// Format of every image and texture.
pub(super) const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// An open device. Clones share it, and threads may use it together.
#[derive(Clone)]
pub struct Device {
    pub(super) shared: Arc<Shared>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// State shared by all objects of a device.
pub(super) struct Shared {
    pub(super) physical: vk::PhysicalDevice,
    pub(super) device: ash::Device,
    pub(super) family: u32,
    pub(super) about: About,
    /// The version of Vulkan that loader and device both support.
    pub(super) version: u32,
    /// The features that are enabled.
    pub(super) features: vk::PhysicalDeviceFeatures,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    /// True if its `fma` rounds once; unset until the first query.
    pub(super) fused: OnceLock<bool>,
    /// Held while the queue is used.
    pub(super) queue: Mutex<vk::Queue>,
    /// True if the device missed a deadline: objects that it may still use are never freed.
    pub(super) is_stuck: AtomicBool,
    // Last field: dropped after the device.
    pub(super) loaded: Arc<Loaded>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.is_stuck.load(Ordering::Relaxed) {
            // Leak the library too, which the device may still use.
            std::mem::forget(Arc::clone(&self.loaded));
            return;
        }
        // SAFETY: everything made from the device has been destroyed.
        unsafe { self.device.destroy_device(None) };
    }
}

impl Device {
    /// Kind, features and guarantees of the device.
    pub fn about(&self) -> &About {
        &self.shared.about
    }

    /// True if its `fma` rounds once; `find` is called at most once.
    pub(crate) fn fused(&self, find: impl FnOnce() -> bool) -> bool {
        *self.shared.fused.get_or_init(find)
    }

    /// Name that the device reports.
    pub fn name(&self) -> &str {
        &self.shared.about.name
    }

    /// Limit of the outputs drawn at once, and one more than the largest location.
    pub fn most_outputs(&self) -> u32 {
        let limits = &self.shared.limits;
        limits.max_color_attachments.min(limits.max_fragment_output_attachments)
    }

    /// Support of linear filtering for textures, and the numbers of fraction bits in the weights of
    /// texels and of levels.
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
    /// Submits commands and waits for the end.
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
        // SAFETY: the submission that signals the fence has ended, or never began.
        unsafe { device.destroy_fence(fence, None) };
        done
    }

    /// Checks a quantity against a limit.
    pub(super) fn within(&self, what: &'static str, wanted: u64, most: u64) -> Result<(), Error> {
        if wanted <= most { Ok(()) } else { Err(Error::Limit { what, wanted, most }) }
    }
}

type Undo = Box<dyn FnOnce(&ash::Device) + Send>;

/// Destroys the objects of a frame, last made first.
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
        // All submissions have ended, or the device is stuck.
        if self.shared.is_stuck.load(Ordering::Relaxed) {
            std::mem::forget(Arc::clone(&self.shared));
            return;
        }
        while let Some(undo) = self.undo.pop() {
            undo(&self.shared.device);
        }
    }
}

/// Creates an object and schedules its destruction.
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
