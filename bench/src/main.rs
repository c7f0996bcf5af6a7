//! Benchmarks of the machine code beside other implementations of the same computation, in one run on one
//! machine.
//!
//! ```text
//! RUSTFLAGS="-C target-cpu=native" cargo build --release -p lambdav-bench
//! taskset -c 1 target/release/lambdav-bench kernels
//! taskset -c 1 target/release/lambdav-bench functions
//! taskset -c 1 target/release/lambdav-bench compile --command target/release/lambdav
//! taskset -c 1 target/release/lambdav-bench pipelines
//! target/release/lambdav-bench triangles
//! target/release/lambdav-bench compute
//! target/release/lambdav-bench samplers
//! target/release/lambdav-bench drivers
//! ```
//!
//! Without `taskset`, `kernels` also measures two threads. Runs of the compared subjects alternate. Tables
//! show medians of CPU time of the thread. All compared subjects compute the same bits, which is checked
//! before measuring.
#![forbid(unsafe_code)]

// Generated code is not formatted.
#[rustfmt::skip]
#[allow(
    clippy::all,
    unused_parens,
    unused_variables,
    dead_code,
    reason = "written for the compiler, all functions alike"
)]
mod bodies;
mod compile;
mod compute;
mod drivers;
mod functions;
#[cfg(test)]
mod generate;
mod kernels;
mod pipelines;
mod samplers;
mod server;
mod table;
mod texts;
mod textures;
mod timing;
mod triangles;

use clap::{Args, Parser, Subcommand};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure the machine code of λV
#[derive(Parser)]
#[command(version)]
struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Speed of the kernels over the same in scalar Rust
    Kernels(BenchArguments),
    /// Nanoseconds per value of the elementary functions
    Functions(functions::FunctionOptions),
    /// Compile times of programs of a thousand to a hundred thousand operations, of the gallery, and of
    /// whole processes
    Compile(compile::CompileOptions),
    /// Milliseconds from texts in GLSL to SPIR-V
    Texts(texts::TextOptions),
    /// A thousand small pictures of a pipeline, beside the compiled kernel alone
    Pipelines(BenchArguments),
    /// Pictures of triangles at 1080p, beside Vulkan drivers
    Triangles(server::PeerOptions),
    /// Compute shaders, beside Vulkan drivers and plain Rust
    Compute(server::PeerOptions),
    /// Textures that are read by samplers, beside Vulkan drivers
    Samplers(server::PeerOptions),
    /// Whole frames, beside Vulkan drivers that draw the same frames on the CPU
    Drivers(drivers::DriverOptions),
}

/// Options of all tables.
#[derive(Args)]
struct BenchArguments {
    /// Names of subjects to measure; by default all
    names: Vec<String>,
    /// Number of runs to take the median of
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Also write all numbers to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl BenchArguments {
    /// True if the subject is selected.
    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|n| n == name)
    }

    fn runs(&self) -> usize {
        self.runs.into()
    }

    /// Writes the rows to the JSON file, if one is requested. Fails if no subject was selected.
    fn save<T: serde::Serialize>(&self, rows: &[T]) -> io::Result<()> {
        if rows.is_empty() {
            return Err(io::Error::other(format!("unknown names: {}", self.names.join(", "))));
        }
        self.json.as_ref().map_or(Ok(()), |path| table::write_json(path, self.runs(), rows))
    }
}

/// Compiling makes many small allocations; the system's allocator takes a fourth of the compile time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let done = match Command::parse().what {
        What::Kernels(options) => kernels::run(&options),
        What::Functions(options) => functions::run(&options),
        What::Compile(options) => compile::run(&options),
        What::Texts(options) => texts::run(&options),
        What::Pipelines(options) => pipelines::run(&options),
        What::Triangles(options) => triangles::run(&options),
        What::Compute(options) => compute::run(&options),
        What::Samplers(options) => samplers::run(&options),
        What::Drivers(options) => drivers::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
