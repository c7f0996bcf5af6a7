//! Errors of devices and drawing.

use std::fmt::Write;
use thiserror::Error;

/// Reasons why there is no picture.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// The system has no Vulkan.
    #[error(
        "there is no Vulkan here: its loader (libvulkan.so.1, vulkan-1.dll) was not found; a driver of a GPU \
         installs it, and Mesa's lavapipe is one that needs no GPU"
    )]
    NoLoader,
    /// Vulkan has no device.
    #[error(
        "there is no Vulkan device: no driver was found, or none that can draw; Mesa's lavapipe is one that \
         needs no GPU"
    )]
    NoDevice,
    /// No device has that name or number.
    #[error("there is no device `{wanted}`; there is{}", list(.there))]
    UnknownDevice {
        /// The requested name or number.
        wanted: String,
        /// The names of all devices.
        there: Vec<String>,
    },
    /// The requested part of a name matches several devices.
    #[error("`{wanted}` is part of several names; say the number, or more of the name. There is{}", list(.there))]
    AmbiguousDevice {
        /// The requested name.
        wanted: String,
        /// The names of all devices.
        there: Vec<String>,
    },
    /// The job exceeds a limit of the device.
    #[error("the device takes at most {most} {what}, and this has {wanted}")]
    Limit {
        /// The limited quantity.
        what: &'static str,
        /// The amount requested.
        wanted: u64,
        /// The limit of the device.
        most: u64,
    },
    /// The device lacks an ability that the job needs.
    #[error("the device cannot {ability}; {instead}")]
    Unsupported {
        /// The missing ability.
        ability: &'static str,
        /// Ways out.
        instead: &'static str,
    },
    /// An attribute has too little data for the vertices or instances.
    #[error("the attribute at location {location} has {found} elements, and {wanted} are drawn")]
    Elements {
        /// Its location.
        location: u32,
        /// The elements that the draw reads.
        wanted: u64,
        /// The elements that it has.
        found: u64,
    },
    /// The device or its driver has no memory left, or none that fits.
    #[error("the device has no memory for this")]
    OutOfMemory,
    /// The device was lost.
    #[error(
        "the device was lost while it drew: its work took too long or failed, and the driver or system ended it"
    )]
    Lost,
    /// The device did not answer before the caller's patience ended.
    #[error("the device did not answer in time")]
    TimedOut,
    /// The module cannot be drawn.
    #[error("the module cannot be drawn: {0}")]
    Module(String),
    /// Another failure reported by Vulkan.
    #[error("`{call}` of Vulkan failed: {text} ({code})")]
    Vulkan {
        /// The failed function.
        call: &'static str,
        /// Result code.
        code: i32,
        /// The result code in words.
        text: String,
    },
}

/// The devices by number, one per line.
fn list(names: &[String]) -> String {
    let mut text = String::new();
    for (number, name) in names.iter().enumerate() {
        let _ = write!(text, "\n  {number}: {name}");
    }
    text
}
