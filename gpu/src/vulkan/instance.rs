//! The devices of the system, and how one is opened.

use super::device::{Device, Shared};
use super::loaded::{Complaints, Loaded, entry, has_validation};
use super::result::said;
use crate::about::{About, choose};
use crate::error::Error;
use ash::{khr, vk};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

/// Vulkan on this system, with its devices.
pub struct Vulkan {
    loaded: Arc<Loaded>,
    found: Vec<Found>,
    about: Vec<About>,
}

/// A device that can draw.
#[derive(Clone, Copy)]
struct Found {
    physical: vk::PhysicalDevice,
    /// Index of a queue family that can draw.
    family: u32,
    /// Float controls are an extension that must be enabled.
    has_extension: bool,
}

impl std::fmt::Debug for Vulkan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vulkan").field("devices", &self.about).finish_non_exhaustive()
    }
}

impl Vulkan {
    /// Finds the devices of this system that can draw.
    ///
    /// # Errors
    ///
    /// [`Error::NoLoader`] and [`Error::NoDevice`] if there is none, and errors of Vulkan.
    pub fn load() -> Result<Self, Error> {
        Self::with(Loaded::new(&entry()?, None)?)
    }

    /// The same with the validation layer of Khronos, which reports wrong calls; `None` if it is not
    /// installed.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::load`].
    pub fn validated() -> Result<Option<(Self, Complaints)>, Error> {
        let entry = entry()?;
        if !has_validation(&entry)? {
            return Ok(None);
        }
        let complaints = Complaints::default();
        let vulkan = Self::with(Loaded::new(&entry, Some(complaints.clone()))?)?;
        Ok(Some((vulkan, complaints)))
    }

    fn with(loaded: Loaded) -> Result<Self, Error> {
        let mut vulkan = Self { loaded: Arc::new(loaded), found: Vec::new(), about: Vec::new() };
        vulkan.find()?;
        Ok(vulkan)
    }

    /// Collects the devices that can draw.
    fn find(&mut self) -> Result<(), Error> {
        let instance = &self.loaded.instance;
        // SAFETY: see the head.
        let all = unsafe { instance.enumerate_physical_devices() };
        for physical in all.map_err(said("vkEnumeratePhysicalDevices"))? {
            // SAFETY: see the head.
            let families =
                unsafe { instance.get_physical_device_queue_family_properties(physical) };
            let draws =
                |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
            let Some(family) = families.iter().position(draws) else { continue };
            let (about, has_extension) = self.loaded.about(physical)?;
            self.about.push(about);
            self.found.push(Found { physical, family: family as u32, has_extension });
        }
        if self.found.is_empty() { Err(Error::NoDevice) } else { Ok(()) }
    }

    /// The devices; at least one.
    pub fn devices(&self) -> &[About] {
        &self.about
    }

    /// Opens a device by number, by name or by part of a name, ignoring case; by default the first GPU,
    /// or, without one, the first device.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDevice`], [`Error::AmbiguousDevice`], and errors of Vulkan.
    pub fn open(&self, wanted: Option<&str>) -> Result<Device, Error> {
        let number = choose(&self.about, wanted)?;
        let (Found { physical, family, has_extension }, about) =
            (self.found[number], self.about[number].clone());
        let instance = &self.loaded.instance;
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        // SAFETY: see the head.
        let all = unsafe { instance.get_physical_device_features(physical) };
        let yes = |flag| flag != vk::FALSE;
        let features = vk::PhysicalDeviceFeatures::default()
            .shader_float64(about.float64)
            .shader_int64(about.int64)
            // Vulkan has no other name for the number of a fragment's triangle.
            .geometry_shader(yes(all.geometry_shader))
            .image_cube_array(yes(all.image_cube_array))
            .shader_image_gather_extended(yes(all.shader_image_gather_extended))
            .full_draw_index_uint32(yes(all.full_draw_index_uint32))
            // For instrumented modules.
            .fragment_stores_and_atomics(yes(all.fragment_stores_and_atomics));
        let controls = [khr::shader_float_controls::NAME.as_ptr()];
        let extensions = if has_extension { &controls[..] } else { &[] };
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&features)
            .enabled_extension_names(extensions);
        // SAFETY: see the head.
        let device = unsafe { instance.create_device(physical, &info, None) };
        let device = device.map_err(said("vkCreateDevice"))?;
        // SAFETY: see the head.
        let (queue, properties, memory) = unsafe {
            (
                device.get_device_queue(family, 0),
                instance.get_physical_device_properties(physical),
                instance.get_physical_device_memory_properties(physical),
            )
        };
        let shared = Shared {
            physical,
            device,
            family,
            about,
            version: self.loaded.version.min(properties.api_version),
            features,
            limits: properties.limits,
            memory,
            fused: OnceLock::new(),
            queue: Mutex::new(queue),
            is_stuck: AtomicBool::new(false),
            loaded: Arc::clone(&self.loaded),
        };
        Ok(Device { shared: Arc::new(shared) })
    }
}
