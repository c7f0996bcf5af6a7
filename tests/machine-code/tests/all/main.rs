//! The evaluator against a processor, and running kernels.

#![cfg(all(unix, target_arch = "x86_64"))]

mod forms;
mod kernels;
mod native;
mod twins;
