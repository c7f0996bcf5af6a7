//! All code that calls Vulkan.
//!
//! Safety, for all blocks here and in the modules inside: handles come from the calls above them and are
//! checked by `?`; data that a structure borrows outlives the call that takes it; every object is pushed
//! on a `Cleanup` when it is made, and destroyed by it, in reverse order and after the device is done
//! with everything that uses it. A queue is used by one thread at a time: `Shared::queue` is held
//! meanwhile. Code that changes an object has exclusive access to it.

mod check;
mod describe;
mod device;
mod dispatch;
mod frame;
mod instance;
mod job;
mod loaded;
mod pipeline;
mod resources;
mod result;
mod targets;
mod textures;
mod vertices;

pub use device::{Device, Patience, forever};
pub use dispatch::{BoundBuffer, BoundTexture, DispatchJob, PreparedDispatch};
pub use frame::Prepared;
pub use instance::Vulkan;
pub use job::{Attribute, Indices, Job, PixelBits, Triangles};
pub use loaded::Complaints;
