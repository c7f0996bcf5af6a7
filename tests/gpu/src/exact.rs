//! Compares exact modules with the reference, bit by bit: the gallery, the benchmark's shaders, generated
//! programs.

use clap::Args;
use lambdav_generate::resources;
use lambdav_gpu::Device;
use lambdav_gpu_tests::{Shader, without_float64};
use lambdav_spirv_backend::emit::EmitOptions;
use rayon::prelude::*;
use std::error::Error;
use std::sync::Mutex;
use std::time::Instant;

/// Options of the comparison.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of generated programs
    #[arg(long, default_value_t = 2_000)]
    programs: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Do without 64-bit floats
    #[arg(long)]
    no_float64: bool,
    /// Let subnormal numbers become zero, and count the shaders that meet one
    #[arg(long)]
    flush_subnormals: bool,
    /// Compare only programs without elementary functions
    #[arg(long)]
    plain: bool,
    /// Compare only generated programs
    #[arg(long)]
    only_generated: bool,
    /// Shaders to compare, without generated programs (default: the gallery, the benchmark and generated
    /// programs)
    names: Vec<String>,
}

/// Location of the output that reports subnormal numbers.
const REPORT: u32 = 7;

/// Sizes of the pictures.
const SIZE: [u32; 2] = [240, 150];
const SMALL: [u32; 2] = [23, 11];

/// The options with which modules are emitted.
pub(crate) fn options(device: &Device, no_float64: bool, flushes: bool) -> EmitOptions {
    let best = device.exact(flushes, Some(REPORT));
    if no_float64 { without_float64(device, best) } else { best }
}

/// Compares and prints the differences. True if there are none, apart from pictures that met a subnormal
/// number where those may become zero.
pub(crate) fn compare(device: &Device, arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let options = options(device, arguments.no_float64, arguments.flush_subnormals);
    println!("{:?}\n", options.exact);
    let mut is_right = true;
    let has_elementary = |shader: &Shader| shader.outputs().any(|output| output.has_elementary());
    let left_out = |shader: &Shader| arguments.plain && has_elementary(shader);
    let names = &arguments.names;
    let wanted = |shader: &Shader| names.is_empty() || names.contains(&shader.name);
    let shaders = if arguments.only_generated { Vec::new() } else { Shader::all() };
    for shader in shaders.iter().filter(|shader| wanted(shader) && !left_out(shader)) {
        let start = Instant::now();
        let found = shader.compare(device, SIZE, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        let first = found.first.map(|first| format!(", {first}")).unwrap_or_default();
        let met = match found.met {
            0 => String::new(),
            met => format!(", {met} pixels met a subnormal number"),
        };
        println!(
            "{:20} {:8} components, {} differ{first}{met} ({seconds:.1} s)",
            shader.name, found.components, found.differing
        );
        is_right &= found.differing == 0 || found.met > 0;
    }
    // Programs that are equal, met a subnormal number, differ and met one, or are refused by the driver.
    let counts = Mutex::new([0_usize; 4]);
    let wrong = Mutex::new(Vec::new());
    let programs = if names.is_empty() { arguments.programs } else { 0 };
    let seeds = arguments.seed..arguments.seed + programs;
    seeds.into_par_iter().for_each(|seed| {
        let size = 20 + (seed as usize * 7) % 120;
        let Some(shader) = Shader::generated(seed, size) else { return };
        let shader = shader.with_resources(resources);
        if left_out(&shader) {
            return;
        }
        let found = shader.compare(device, SMALL, &options);
        let mut counts = counts.lock().expect("no holder panics");
        match found {
            Err(error) => {
                counts[3] += 1;
                println!("seed {seed}: {error}");
            }
            Ok(found) => {
                counts[0] += usize::from(found.differing == 0);
                counts[1] += usize::from(found.met > 0);
                counts[2] += usize::from(found.differing > 0 && found.met > 0);
                if found.differing > 0 && found.met == 0 {
                    let first = found.first.unwrap_or_default();
                    println!(
                        "seed {seed}: {} components differ, {first}; {:?} when read, drawn, made again\n{}",
                        found.differing,
                        found.again,
                        shader.text()
                    );
                    wrong.lock().expect("no holder panics").push(seed);
                }
            }
        }
    });
    let [equal, met, differ, refused] = counts.into_inner().expect("no holder panicked");
    let wrong = wrong.into_inner().expect("no holder panicked");
    println!(
        "{equal} generated programs are equal, {} differ; {met} met a subnormal number, {differ} of them differ; {refused} were refused by the driver",
        wrong.len()
    );
    Ok(is_right && wrong.is_empty())
}
