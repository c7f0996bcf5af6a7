//! Tests of the evaluator against a processor, and of kernels under the evaluator.

#![cfg(all(unix, target_arch = "x86_64"))]

mod copies;
mod forms;
mod kernels;
mod native;
mod twins;
