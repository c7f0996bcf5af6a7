//! The Vulkan library, an instance, and the validation layers.

use super::result::said;
use crate::error::Error;
use ash::{Entry, Instance, ext, vk};
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// The newest version of Vulkan that this crate uses.
const NEWEST: u32 = vk::API_VERSION_1_3;

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

/// An instance, destroyed on drop, and the library that it belongs to.
pub(super) struct Loaded {
    pub(super) instance: Instance,
    /// The requested version of Vulkan.
    pub(super) version: u32,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Receiver of the messages; keeps their memory alive.
    _complaints: Option<Complaints>,
    _entry: Entry,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: everything made from the instance has been destroyed.
        unsafe {
            if let Some((messages, messenger)) = &self.messenger {
                messages.destroy_debug_utils_messenger(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}

/// Messages of the validation layers, in order.
#[derive(Clone, Debug, Default)]
pub struct Complaints(Arc<Mutex<Vec<String>>>);

impl Complaints {
    /// All messages so far.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Loads the system's Vulkan library.
pub(super) fn entry() -> Result<Entry, Error> {
    // SAFETY: a library with the name of Vulkan's loader is assumed to be one.
    unsafe { Entry::load() }.map_err(|_| Error::NoLoader)
}

/// True if the validation layer of Khronos is installed.
pub(super) fn has_validation(entry: &Entry) -> Result<bool, Error> {
    // SAFETY: see the head.
    let layers = unsafe { entry.enumerate_instance_layer_properties() };
    let layers = layers.map_err(said("vkEnumerateInstanceLayerProperties"))?;
    Ok(layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION)))
}

impl Loaded {
    /// Creates an instance; with `complaints`, validation layers are enabled and write there.
    pub(super) fn new(entry: &Entry, complaints: Option<Complaints>) -> Result<Self, Error> {
        // SAFETY: see the head.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.map_err(said("vkEnumerateInstanceVersion"))?;
        // A loader of Vulkan 1.0 rejects other versions.
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
            Self { instance, version, messenger: None, _complaints: None, _entry: entry.clone() };
        if let Some(complaints) = complaints {
            loaded.listen(complaints)?;
        }
        Ok(loaded)
    }

    /// Registers a callback for messages of the layers.
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
        // SAFETY: see the head; the receiver lives as long as the instance.
        let messenger = unsafe { messages.create_debug_utils_messenger(&info, None) };
        let messenger = messenger.map_err(said("vkCreateDebugUtilsMessengerEXT"))?;
        self._complaints = Some(complaints);
        self.messenger = Some((messages, messenger));
        Ok(())
    }
}

/// Stores a message of a layer. Layers call it from any thread.
unsafe extern "system" fn complain(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    to: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `to` is the pointer that the messenger was made with, and its target lives as long as the
    // instance; `data` and its message live as long as this call, and the message ends in zero.
    unsafe {
        let to = &*to.cast::<Mutex<Vec<String>>>();
        let message: *const c_char = (*data).p_message;
        let text = if message.is_null() { c"" } else { CStr::from_ptr(message) };
        let mut all = to.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(text.to_string_lossy().into_owned());
    }
    vk::FALSE
}
