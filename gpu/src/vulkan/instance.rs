//! What the system has: the loader, the devices, and the layers that watch over calls.

use super::{Device, Shared, said};
use crate::Error;
use crate::about::{About, DeviceKind, FloatWidths, Independence, choose};
use ash::{Entry, Instance, ext, khr, vk};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// The newest version of Vulkan that anything here is from.
const NEWEST: u32 = vk::API_VERSION_1_3;

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

/// An instance, destroyed in the end, and the library that it is of.
pub(super) struct Loaded {
    pub(super) instance: Instance,
    /// Which version of Vulkan was asked for.
    version: u32,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// What the messenger writes to.
    _complaints: Option<Complaints>,
    _entry: Entry,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: all that was made of it has been destroyed.
        unsafe {
            if let Some((messages, messenger)) = &self.messenger {
                messages.destroy_debug_utils_messenger(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}

/// What validation layers have said, in order.
#[derive(Clone, Debug, Default)]
pub struct Complaints(Arc<Mutex<Vec<String>>>);

impl Complaints {
    /// All of it, so far.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What the system has.
pub struct Vulkan {
    loaded: Arc<Loaded>,
    found: Vec<Found>,
    about: Vec<About>,
}

/// A device that can draw.
#[derive(Clone, Copy)]
struct Found {
    physical: vk::PhysicalDevice,
    /// The family of queues that draw.
    family: u32,
    /// Whether float controls are an extension, which is to be enabled.
    has_extension: bool,
}

impl std::fmt::Debug for Vulkan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vulkan").field("devices", &self.about).finish_non_exhaustive()
    }
}

impl Vulkan {
    /// The devices of this system that can draw.
    ///
    /// # Errors
    ///
    /// [`Error::NoLoader`] and [`Error::NoDevice`] where there is none, and what Vulkan says.
    pub fn load() -> Result<Self, Error> {
        Self::with(&entry()?, None)
    }

    /// The same with the validation layer of Khronos, which says what is wrong with calls; none where that is
    /// not installed.
    ///
    /// # Errors
    ///
    /// Those of [`Self::load`].
    pub fn validated() -> Result<Option<(Self, Complaints)>, Error> {
        let entry = entry()?;
        // SAFETY: see the head.
        let layers = unsafe { entry.enumerate_instance_layer_properties() };
        let layers = layers.map_err(said("vkEnumerateInstanceLayerProperties"))?;
        if !layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION)) {
            return Ok(None);
        }
        let complaints = Complaints::default();
        let vulkan = Self::with(&entry, Some(complaints.clone()))?;
        Ok(Some((vulkan, complaints)))
    }

    fn with(entry: &Entry, complaints: Option<Complaints>) -> Result<Self, Error> {
        // SAFETY: see the head.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.map_err(said("vkEnumerateInstanceVersion"))?;
        // Vulkan 1.0 takes no number but its own.
        let version = version.map_or(vk::API_VERSION_1_0, |version| match version {
            version if version < vk::API_VERSION_1_1 => vk::API_VERSION_1_0,
            version => version.min(NEWEST),
        });
        let application = vk::ApplicationInfo::default().api_version(version);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let (layers, extensions) = ([VALIDATION.as_ptr()], [ext::debug_utils::NAME.as_ptr()]);
        let info = match &complaints {
            None => info,
            Some(_) => info.enabled_layer_names(&layers).enabled_extension_names(&extensions),
        };
        // SAFETY: see the head.
        let instance = match unsafe { entry.create_instance(&info, None) } {
            Ok(instance) => instance,
            Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Err(Error::NoDevice),
            Err(error) => return Err(said("vkCreateInstance")(error)),
        };
        let mut loaded =
            Loaded { instance, version, messenger: None, _complaints: None, _entry: entry.clone() };
        if let Some(complaints) = complaints {
            loaded.listen(complaints)?;
        }
        let mut vulkan = Self { loaded: Arc::new(loaded), found: Vec::new(), about: Vec::new() };
        vulkan.find()?;
        Ok(vulkan)
    }

    /// Looks for devices that can draw.
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

    /// Opens a device: of that number, of that name or with that part of a name, whatever the case; by default
    /// the first GPU, or, without one, the first device.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDevice`], [`Error::AmbiguousDevice`], and what Vulkan says.
    pub fn open(&self, wanted: Option<&str>) -> Result<Device, Error> {
        let number = choose(&self.about, wanted)?;
        let (Found { physical, family, has_extension }, about) =
            (self.found[number], self.about[number].clone());
        let instance = &self.loaded.instance;
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let features = vk::PhysicalDeviceFeatures::default()
            .shader_float64(about.float64)
            .shader_int64(about.int64);
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
            limits: properties.limits,
            memory,
            queue: Mutex::new(queue),
            is_stuck: AtomicBool::new(false),
            loaded: Arc::clone(&self.loaded),
        };
        Ok(Device { shared: Arc::new(shared) })
    }
}

fn entry() -> Result<Entry, Error> {
    // SAFETY: the system's Vulkan loader, if there is one, is what it says.
    unsafe { Entry::load() }.map_err(|_| Error::NoLoader)
}

impl Loaded {
    /// Has layers say what is wrong.
    fn listen(&mut self, complaints: Complaints) -> Result<(), Error> {
        let messages = ext::debug_utils::Instance::new(&self._entry, &self.instance);
        let to = Arc::as_ptr(&complaints.0).cast_mut().cast::<c_void>();
        let severity = vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
            | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(severity)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(complain))
            .user_data(to);
        // SAFETY: see the head; what is written to lives as long as the instance.
        let messenger = unsafe { messages.create_debug_utils_messenger(&info, None) };
        let messenger = messenger.map_err(said("vkCreateDebugUtilsMessengerEXT"))?;
        self._complaints = Some(complaints);
        self.messenger = Some((messages, messenger));
        Ok(())
    }

    /// What a device is, and whether its float controls are an extension, which is to be enabled.
    fn about(&self, physical: vk::PhysicalDevice) -> Result<(About, bool), Error> {
        let instance = &self.instance;
        // SAFETY: see the head.
        let (basic, features, extensions) = unsafe {
            (
                instance.get_physical_device_properties(physical),
                instance.get_physical_device_features(physical),
                instance.enumerate_device_extension_properties(physical),
            )
        };
        let extensions = extensions.map_err(said("vkEnumerateDeviceExtensionProperties"))?;
        let has = |name: &CStr| extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        // What both sides have.
        let version = self.version.min(basic.api_version);
        let is_core = version >= vk::API_VERSION_1_2;
        let can_ask = version >= vk::API_VERSION_1_1;
        let has_extension = can_ask && !is_core && has(khr::shader_float_controls::NAME);
        let has_float_controls = is_core || has_extension;
        let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let has_driver = is_core || can_ask && has(khr::driver_properties::NAME);
        if can_ask {
            let mut all = vk::PhysicalDeviceProperties2::default();
            if has_float_controls {
                all = all.push_next(&mut controls);
            }
            if has_driver {
                all = all.push_next(&mut driver);
            }
            // SAFETY: see the head; 1.1 has the function.
            unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        }
        let text = |of: Result<&CStr, _>| {
            of.map(|text: &CStr| text.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let driver = match has_driver {
            true => {
                let name = text(driver.driver_name_as_c_str());
                let info = text(driver.driver_info_as_c_str());
                [name, info].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ")
            }
            // Drivers count as they like.
            false => format!("version {:#x}", basic.driver_version),
        };
        let api = basic.api_version;
        let yes = |flag| flag != vk::FALSE;
        let widths = |of32, of64| FloatWidths { of32: yes(of32), of64: yes(of64) };
        let independence = |of| match of {
            vk::ShaderFloatControlsIndependence::ALL => Independence::All,
            vk::ShaderFloatControlsIndependence::TYPE_32_ONLY => Independence::Of32,
            _ => Independence::None,
        };
        let about = About {
            name: text(basic.device_name_as_c_str()),
            kind: match basic.device_type {
                vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
                vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
                vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
                vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
                _ => DeviceKind::Other,
            },
            driver,
            api: [
                vk::api_version_major(api),
                vk::api_version_minor(api),
                vk::api_version_patch(api),
            ],
            float64: yes(features.shader_float64),
            int64: yes(features.shader_int64),
            has_float_controls,
            denorm_preserve: widths(
                controls.shader_denorm_preserve_float32,
                controls.shader_denorm_preserve_float64,
            ),
            rounding_mode_rte: widths(
                controls.shader_rounding_mode_rte_float32,
                controls.shader_rounding_mode_rte_float64,
            ),
            signed_zero_inf_nan_preserve: widths(
                controls.shader_signed_zero_inf_nan_preserve_float32,
                controls.shader_signed_zero_inf_nan_preserve_float64,
            ),
            denorm_independence: independence(controls.denorm_behavior_independence),
            rounding_independence: independence(controls.rounding_mode_independence),
        };
        Ok((about, has_extension))
    }
}

/// Writes down what a layer says. Called by layers, from any thread.
unsafe extern "system" fn complain(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    to: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `to` is what the messenger was made with, which lives as long as the instance; `data` lives
    // as long as this call, as its message does, which ends in zero.
    unsafe {
        let to = &*to.cast::<Mutex<Vec<String>>>();
        let message: *const c_char = (*data).p_message;
        let text = if message.is_null() { c"" } else { CStr::from_ptr(message) };
        let mut all = to.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(text.to_string_lossy().into_owned());
    }
    vk::FALSE
}
