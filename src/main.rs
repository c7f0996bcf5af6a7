//! The `lambdav` command.
#![forbid(unsafe_code)]

/// The system's allocator takes a fourth of the time of compiling, which makes many small objects. (It is
/// chosen here and not in `lambdav_command`, since a library must not choose it for a program that links it.)
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    lambdav_command::main()
}
