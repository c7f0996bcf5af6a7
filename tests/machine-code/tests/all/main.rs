//! The evaluator against a processor, and running kernels.

mod forms;
#[cfg(all(unix, target_arch = "x86_64"))]
mod native;
