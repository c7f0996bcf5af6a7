//! Vulkan devices that draw what a program compiles to, as floats.
//!
//! [`Vulkan`] is what the system has: a list of devices, each [`About`] what it is and which of the features it
//! has that decide whether it can be exact. One of them is opened by its number or a part of its name. A
//! [`Device`] takes a [`Job`] — the words of a fragment shader, its size, its inputs, the outputs that are
//! wanted — and draws it off-screen, any number of times ([`Prepared`]): one triangle that covers the image,
//! colour attachments of four 32-bit floats, the push constants, uniform block, textures and buffers of
//! LANGUAGE §5.
//!
//! - *What cannot be drawn is an error, never a hang*: no loader, no driver, a size beyond the limits of the
//!   device, no memory, a device that is lost, and one that does not answer while somebody waits
//!   ([`Patience`]). What such a device still uses is not freed.
//! - *What is read is the bits that the device wrote*; nothing here computes a number.
//!
//! All unsafe code is in the module `vulkan`, whose functions are safe to call: each object that it makes is
//! used as Vulkan's specification demands and destroyed once, after the device is done with it. With
//! [`Vulkan::validated`] the validation layers say whether that is so.
#![deny(unsafe_code)]

mod about;
mod difference;
mod error;
pub mod functions;
pub mod probe;
#[allow(unsafe_code, reason = "Vulkan is called there")]
mod vulkan;

pub use about::{About, DeviceKind, FloatWidths, Independence};
pub use difference::{Difference, ulps};
pub use error::Error;
pub use vulkan::{Complaints, Device, Job, Patience, PixelBits, Prepared, Vulkan, forever};
