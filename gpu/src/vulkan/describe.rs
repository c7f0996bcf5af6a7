//! Reads the properties of a device.

use super::loaded::Loaded;
use super::result::said;
use crate::about::{About, DeviceKind, FloatWidths, Independence};
use crate::error::Error;
use ash::{khr, vk};
use std::ffi::CStr;

impl Loaded {
    /// Describes a device; the flag is true if its float controls are an extension that must be enabled.
    pub(super) fn about(&self, physical: vk::PhysicalDevice) -> Result<(About, bool), Error> {
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
        // The version that loader and device both support.
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
            // The encoding of a driver's version is vendor-specific.
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
            geometry_shaders: yes(features.geometry_shader),
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
