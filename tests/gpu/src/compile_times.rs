//! Measures the time from an exact module to a device's first small picture.
//!
//! Drivers cache compiled code in files, so a second run would measure nothing. Drivers read the environment
//! when Vulkan's loader loads them, so the measuring process must be started with these caches off
//! ([`without_caches`]).

use clap::Args;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::limits::ITERATIONS;
use lambdav_core::schedule::schedule;
use lambdav_engine::ShaderOptions;
use lambdav_engine::program::Loaded;
use lambdav_generate::resources;
use lambdav_generate::suite::{ExpectedVerdict, read_cases};
use lambdav_gpu::{Device, Job, forever};
use lambdav_gpu_tests::Shader;
use lambdav_spirv_backend::emit::emit;
use lambdav_spirv_eval::Resources;
use lambdav_test_support::files_below;
use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Programs to measure.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of slowest programs to print
    #[arg(long, default_value_t = 10)]
    worst: usize,
    /// Leave out the gallery and the benchmark
    #[arg(long)]
    no_gallery: bool,
    /// Leave out the conformance programs
    #[arg(long)]
    no_conformance: bool,
    /// Largest time of a program, in seconds
    #[arg(long, default_value_t = 20.0)]
    limit: f64,
    /// More programs, in any language (default: those of tests/foreign)
    files: Vec<PathBuf>,
}

const SIZE: [u32; 2] = [16, 16];

/// Variables that turn off the disk caches of Mesa's and NVIDIA's drivers.
const NO_CACHES: [(&str, &str); 2] =
    [("MESA_SHADER_CACHE_DISABLE", "true"), ("__GL_SHADER_DISK_CACHE", "0")];

/// Runs this command again with the drivers' disk caches off; true if that run succeeds. `None` if they are
/// off already.
///
/// # Errors
///
/// If the process cannot be started.
pub(crate) fn without_caches() -> io::Result<Option<bool>> {
    if NO_CACHES.iter().all(|&(name, value)| env::var_os(name).is_some_and(|it| it == value)) {
        return Ok(None);
    }
    let mut again = Command::new(env::current_exe()?);
    let status = again.args(env::args_os().skip(1)).envs(NO_CACHES).status()?;
    Ok(Some(status.success()))
}

/// All programs, with names: the gallery, the benchmark, the conformance suite, and files.
fn programs(arguments: &Arguments) -> Result<Vec<(String, Core)>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    let mut add = |name: String, loaded: Loaded| match loaded.core {
        Some(core) => all.push((name, core)),
        None => println!("left out, since it is refused: {name}"),
    };
    let gallery = if arguments.no_gallery { Vec::new() } else { Shader::all() };
    for shader in gallery {
        add(shader.name.clone(), Loaded::from_text(&shader.name, shader.text()));
    }
    if !arguments.no_conformance {
        for path in files_below(&root.join("tests/language"), &["lv"]) {
            for case in read_cases(&fs::read_to_string(&path)?)? {
                // An endless loop would occupy the device for ever. Cases with their own limit are about such
                // loops: they end at the case's pixel, but maybe at no other.
                let ends = case.max_iterations == ITERATIONS;
                if ends && matches!(case.verdict, ExpectedVerdict::Accepted(_)) {
                    let name = format!("{}:{}", path.display(), case.line);
                    add(name.clone(), Loaded::from_text(&name, &case.program));
                }
            }
        }
    }
    let mut foreign = arguments.files.clone();
    if foreign.is_empty() {
        foreign = files_below(&root.join("tests/foreign"), &["wgsl", "frag"]);
    }
    for path in foreign {
        let (bytes, options) = (fs::read(&path)?, ShaderOptions::default());
        let loaded = Loaded::from_file_with(Some(&path), bytes, 10, &mut |_, _| None, &options);
        add(path.display().to_string(), loaded);
    }
    Ok(all)
}

/// Emits, compiles and draws a program once. The result is in seconds.
fn time(device: &Device, core: &Core) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    let mut locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    locations.sort_unstable();
    let core = core.with_closed_loops_evaluated(ITERATIONS);
    let program = schedule(&core, &locations).map_err(|diagnostic| diagnostic.message)?;
    let module = emit(&program, None, &device.exact(false, None))?;
    let inputs = Inputs {
        resolution: SIZE.map(|side| side as f32),
        uniforms: core.uniforms.iter().map(|uniform| uniform.default.clone()).collect(),
        resources: resources(&program.types),
        ..Inputs::default()
    };
    let types = program.uniforms.iter().map(|uniform| uniform.ty);
    let shared = Resources::new(&inputs, &program.types, types);
    let job = Job::new(&module.words, &locations, SIZE).with(&shared);
    device.prepare(&job, &forever)?.draw(&forever)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Prints each program's time as it is measured, and the slowest programs at the end. True if the device
/// accepts all programs and none exceeds the limit.
pub(crate) fn table(device: &Device, arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let mut times = Vec::new();
    let mut refused = 0;
    for (name, core) in programs(arguments)? {
        // The name comes first, in case the driver hangs.
        print!("{name}: ");
        io::stdout().flush()?;
        match time(device, &core) {
            Ok(seconds) => {
                let is_slow = seconds > arguments.limit;
                println!("{seconds:.2} s{}", if is_slow { ", more than the limit" } else { "" });
                times.push((seconds, name));
            }
            Err(error) => {
                refused += 1;
                println!("refused: {error}");
            }
        }
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slow = times.iter().filter(|(seconds, _)| *seconds > arguments.limit).count();
    println!(
        "\n{} programs, {refused} refused, {slow} take more than {} s.",
        times.len(),
        arguments.limit
    );
    if let Some((seconds, name)) = times.first() {
        println!("The slowest is `{name}`: {seconds:.2} s.");
    }
    println!("Seconds to the first picture:\n\n| program | seconds |\n|---|---:|");
    for (seconds, name) in times.iter().take(arguments.worst) {
        println!("| `{name}` | {seconds:.2} |");
    }
    Ok(refused == 0 && slow == 0)
}
