//! Prints a Vulkan device's differences from the language, as Markdown: `cargo run --release -p
//! lambdav-gpu-tests`. `--help` lists the other subcommands.
#![forbid(unsafe_code)]

mod compile_times;
mod cost;
mod exact;
mod exhaustive;

use clap::{Parser, Subcommand};
use exhaustive::Function;
use lambdav_gpu::{Device, Difference, Vulkan, forever, functions};
use lambdav_gpu_tests::triangles::{Differences, exact};
use lambdav_gpu_tests::{Shader, dispatches, open};
use lambdav_spirv_backend::emit::EmitOptions;
use std::error::Error;
use std::ops::Range;
use std::process::ExitCode;

/// Size of the gallery's images.
const SIZE: [u32; 2] = [240, 150];

/// Stack size of each thread.
const STACK: usize = 256 << 20;

/// Compare a Vulkan device with the reference
#[derive(Parser)]
struct Command {
    /// The device: its number or a part of its name (default: a device on the CPU, if there is one)
    #[arg(long, global = true)]
    device: Option<String>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Measure the error of the device's own arithmetic: elementary functions and the gallery (the default)
    Native,
    /// Compare exact modules bit by bit: the gallery, the benchmark's shaders, generated programs
    Exact(exact::Arguments),
    /// Compare functions of exact modules with machine code, at all 2^32 arguments, or at random ones for
    /// functions of several
    Functions {
        /// Take one of every 2^BITS arguments
        #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=16))]
        step: u32,
        /// Number of random arguments for functions of several
        #[arg(long, default_value_t = 1 << 27)]
        pairs: u64,
        /// Do without 64-bit floats
        #[arg(long)]
        no_float64: bool,
        /// The functions (default: all)
        #[arg(value_parser = function)]
        functions: Vec<Function>,
    },
    /// Measure how long the device takes to compile exact modules: the gallery, the conformance suite and
    /// files
    CompileTimes(compile_times::Arguments),
    /// Measure the cost of exact modules, compared with the device's own arithmetic
    Cost {
        /// Number of runs; the median is printed
        #[arg(long, default_value_t = 5)]
        runs: usize,
        /// The shaders (default: the gallery and the benchmark)
        shaders: Vec<String>,
    },
    /// Compare random dispatches without races, from exact modules, with their oracle
    Dispatches {
        /// Number of dispatches, with races or without
        #[arg(long, default_value_t = 3_000)]
        programs: u64,
        /// The first seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Do without 64-bit floats
        #[arg(long)]
        no_float64: bool,
    },
    /// Compare scenes of triangles: bit by bit on the grid of the device, with exact modules; and usual scenes,
    /// with the device's own arithmetic
    Triangles {
        /// Number of scenes of each kind
        #[arg(long, default_value_t = 1_000)]
        scenes: u64,
        /// Seed of the first scene
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Subpixel steps of the device, in a pixel
        #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=256))]
        steps: u32,
    },
}

fn function(name: &str) -> Result<Function, String> {
    let all = exhaustive::functions();
    let names = || all.iter().map(|it| it.0).collect::<Vec<_>>().join(" ");
    all.iter().copied().find(|it| it.0 == name).ok_or_else(|| format!("one of {}", names()))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Command { device, what } = Command::parse();
    if let Some(What::CompileTimes(_)) = what
        && let Some(is_right) = compile_times::without_caches()?
    {
        return Ok(exit_code(is_right));
    }
    // Drivers' compilers run on these threads and may need a larger stack than the default.
    rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global()?;
    let device = match device {
        Some(name) => Some(Vulkan::load()?.open(Some(&name))?),
        None => open()?,
    };
    let device = device.ok_or("there is no Vulkan device")?;
    println!("On {}.\n", device.name());
    let is_right = match what {
        None | Some(What::Native) => {
            println!("{}", functions::table(&device, &EmitOptions::default(), &forever)?);
            gallery(&device)?;
            true
        }
        Some(What::Exact(arguments)) => exact::compare(&device, &arguments)?,
        Some(What::Functions { step, pairs, no_float64, functions }) => {
            let all = if functions.is_empty() { exhaustive::functions() } else { functions };
            exhaustive::compare(&device, &all, step, pairs, no_float64)?
        }
        Some(What::CompileTimes(arguments)) => compile_times::table(&device, &arguments)?,
        Some(What::Triangles { scenes, seed, steps }) => {
            triangles(&device, seed..seed + scenes, steps)?
        }
        Some(What::Dispatches { programs, seed, no_float64 }) => {
            let options = exact::options(&device, no_float64, false);
            dispatches(&device, seed..seed + programs, &options)
        }
        Some(What::Cost { runs, shaders }) => {
            cost::table(&device, runs, &shaders)?;
            true
        }
    };
    Ok(exit_code(is_right))
}

fn dispatches(device: &Device, seeds: Range<u64>, options: &EmitOptions) -> bool {
    let (mut run, mut wrong) = (0, 0);
    for seed in seeds {
        match dispatches::generated(seed, device, options) {
            Ok(is_run) => run += usize::from(is_run),
            Err(error) => {
                wrong += 1;
                println!("{error}");
            }
        }
    }
    println!("{run} dispatches leave the oracle's buffers, {wrong} do not.");
    wrong == 0
}

fn triangles(device: &Device, seeds: Range<u64>, steps: u32) -> Result<bool, Box<dyn Error>> {
    let mut wrong = 0;
    for seed in seeds.clone() {
        if let Err(difference) = exact(seed, device, steps) {
            wrong += 1;
            if wrong <= 5 {
                println!("{difference}\n");
            }
        }
    }
    println!("{} scenes on the grid: {wrong} differ", seeds.clone().count());
    let mut differences = Differences::default();
    for seed in seeds.clone() {
        differences.add(seed, device)?;
    }
    println!("{} usual scenes: {differences}", seeds.count());
    Ok(wrong == 0)
}

fn exit_code(is_right: bool) -> ExitCode {
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn gallery(device: &Device) -> Result<(), Box<dyn Error>> {
    let [width, height] = SIZE;
    println!("Of {} components each ({width}×{height}):\n", 4 * width * height);
    println!(
        "| shader | output | elementary functions | components that differ | ULP at most | 8-bit levels at most |"
    );
    println!("|---|---:|---|---:|---:|---:|");
    for shader in Shader::gallery() {
        for output in shader.outputs() {
            let found = output.by_device(device, SIZE)?;
            let Difference { components, nans, ulps, levels } =
                Difference::new(&output.by_core(SIZE), &found);
            let elementary = if output.has_elementary() { "yes" } else { "none" };
            let nans = if nans == 0 { String::new() } else { format!(", {nans} NaN") };
            println!(
                "| `{}` | {} | {elementary} | {components}{nans} | {ulps} | {levels} |",
                shader.name,
                output.location()
            );
        }
    }
    Ok(())
}
