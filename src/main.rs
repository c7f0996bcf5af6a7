//! The `lambdav` command.
#![forbid(unsafe_code)]

/// Compilation makes many small objects; with the system's allocator, a fourth of its time would be
/// allocation. (The choice is made here, not in `lambdav_command`, since a library must not choose an
/// allocator for the programs that link it.)
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    lambdav_command::main()
}
