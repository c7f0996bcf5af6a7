//! Vulkan devices that draw the SPIR-V of a program into images of floats.
//!
//! [`Vulkan`] lists the devices of the system. Each has an [`About`]: its kind, and the features on
//! which exactness depends. A device is opened by its number or by a part of its name. A [`Device`]
//! takes a [`Job`] — the words of a module, the image size, inputs, and the outputs to keep —
//! and draws it off-screen any number of times ([`Prepared`]): one triangle that covers the image, or
//! the triangles of a vertex shader with the state of LANGUAGE §14 ([`Triangles`]), colour attachments
//! of four 32-bit floats, a depth of 32 bits, and the push constants, uniform block, textures and buffers
//! of LANGUAGE §5.
//!
//! A [`DispatchJob`] runs a compute shader on buffers and textures instead ([`PreparedDispatch`]).
//!
//! - *Failure is an error, never a hang*: no loader, no driver, a size beyond the limits of the device,
//!   no memory, a lost device, and a device that does not answer before the caller's [`Patience`] ends.
//!   Objects that such a device still uses are not freed.
//! - *Pixels are read as the bits that the device wrote*; this crate computes no number.
//!
//! All unsafe code is in the module `vulkan`, whose functions are safe to call: every object is used as
//! Vulkan's specification demands and destroyed once, after the device is done with it.
//! [`Vulkan::validated`] has the validation layers check that.
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
pub use vulkan::{
    Attribute, BoundBuffer, BoundTexture, Complaints, Device, DispatchJob, Indices, Job, Patience,
    PixelBits, Prepared, PreparedDispatch, Triangles, Vulkan, forever,
};
