//! Why there is no picture.

use std::fmt::Write;
use thiserror::Error;

/// Why there is no picture.
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
        /// What was asked for.
        wanted: String,
        /// The names of all devices.
        there: Vec<String>,
    },
    /// Several devices have that part of a name.
    #[error("`{wanted}` is part of several names; say the number, or more of the name. There is{}", list(.there))]
    AmbiguousDevice {
        /// What was asked for.
        wanted: String,
        /// The names of all devices.
        there: Vec<String>,
    },
    /// The device is not made for something of that size.
    #[error("the device takes at most {most} {what}, and this has {wanted}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much of it is wanted.
        wanted: u64,
        /// How much the device takes.
        most: u64,
    },
    /// The device or its driver has no memory left, or none that fits.
    #[error("the device has no memory for this")]
    OutOfMemory,
    /// The device is lost.
    #[error(
        "the device was lost while it drew: the driver or the system ended what took too long or went wrong"
    )]
    Lost,
    /// The device did not answer while somebody waited.
    #[error("the device did not answer in time")]
    TimedOut,
    /// The module is none that can be drawn.
    #[error("the module cannot be drawn: {0}")]
    Module(String),
    /// Vulkan says something else.
    #[error("`{call}` of Vulkan failed: {text} ({code})")]
    Vulkan {
        /// The function that was called.
        call: &'static str,
        /// Its result.
        code: i32,
        /// The same in words.
        text: String,
    },
}

/// The devices by number, a line each.
fn list(names: &[String]) -> String {
    let mut text = String::new();
    for (number, name) in names.iter().enumerate() {
        let _ = write!(text, "\n  {number}: {name}");
    }
    text
}
