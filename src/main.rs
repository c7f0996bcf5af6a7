//! The `lambdav` command.
#![forbid(unsafe_code)]

mod command;

/// Compiling makes many small things, which the system's allocator takes a fourth of the time for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    command::run()
}
