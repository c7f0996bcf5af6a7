//! How fast machine code is, over the same kernel in scalar Rust, in one run on one machine.
//!
//! ```text
//! RUSTFLAGS="-C target-cpu=native" cargo run --release -p lambdav-bench
//! ```
//!
//! Each row is a kernel, each column a number of lanes: the median of several runs as a ratio to the
//! median of the scalar version, which runs in between. Every image is compared with the scalar version's, bit for bit.
#![forbid(unsafe_code)]

mod kernels;

use kernels::{KERNELS, Kernel};
use lambdav::engine::{Engine, Settings, SimdEngine};
use lambdav::program::Loaded;
use lambdav::raster::{Options, Size, render};
use lambdav::simd::registers::Shape;
use std::num::NonZeroUsize;
use std::time::Instant;

const SIDE: u32 = 1024;
const RUNS: usize = 9;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Milliseconds that something takes, and what it gives.
fn timed<T>(what: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = what();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

fn scalar(kernel: &Kernel) -> Vec<f32> {
    let resolution = [SIDE as f32; 2];
    let mut samples = Vec::with_capacity((SIDE * SIDE * 4) as usize);
    for y in 0..SIDE {
        for x in 0..SIDE {
            samples.extend((kernel.scalar)([x as f32 + 0.5, y as f32 + 0.5], resolution));
        }
    }
    samples
}

fn measure(kernel: &Kernel) {
    let loaded = Loaded::from_text(kernel.name, kernel.shader);
    let core = loaded.core.expect("the kernels compile");
    let size = Size::new(SIDE, SIDE).expect("a common size");
    let settings = Settings::new(&core, size);
    let engines: Vec<SimdEngine> = Shape::LANES
        .iter()
        .map(|&lanes| SimdEngine::new(&core, 0, &settings, Some(lanes)).expect("it compiles"))
        .collect();
    let mut scalar_times = Vec::new();
    let mut times = vec![Vec::new(); engines.len()];
    for _ in 0..RUNS {
        let (time, wanted) = timed(|| scalar(kernel));
        scalar_times.push(time);
        for (engine, times) in engines.iter().zip(&mut times) {
            let options = Options {
                threads: NonZeroUsize::new(1),
                stack_size: engine.stack_size(),
                ..Options::default()
            };
            let (time, frame) = timed(|| render(engine, size, &options).expect("it ends"));
            times.push(time);
            let same = frame.samples().iter().zip(&wanted).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{}: the same image", kernel.name);
        }
    }
    let base = median(scalar_times);
    print!("{:>12} {base:9.1} ms", kernel.name);
    for times in times {
        print!(" {:8.2}", base / median(times));
    }
    println!();
}

fn main() {
    print!("{:>12} {:>12}", "kernel", "scalar Rust");
    for lanes in Shape::LANES {
        print!(" {:>8}", format!("x{lanes}"));
    }
    println!();
    for kernel in KERNELS {
        measure(kernel);
    }
}
