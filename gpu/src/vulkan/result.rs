//! Vulkan's result codes as errors.

use crate::error::Error;
use ash::vk;

/// Converts the result code of a failed call.
pub(super) fn said(call: &'static str) -> impl Fn(vk::Result) -> Error {
    move |code| match code {
        vk::Result::ERROR_DEVICE_LOST => Error::Lost,
        vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            Error::OutOfMemory
        }
        code => Error::Vulkan { call, code: code.as_raw(), text: code.to_string() },
    }
}
