//! The kernels in scalar Rust: the formulas of the shaders, in the same order, a pixel at a time.

use crate::timing::timed;
use lambdav::engine::{Settings, SimdEngine};
use lambdav::program::Loaded;
use lambdav::raster::{Cancel, Kernel as _, Size, Tile, TileBuffer};
use lambdav::simd::registers::Shape;
use std::hint::black_box;

const SIDE: u32 = 1024;
const TILE: u32 = 32;
const RUNS: usize = 9;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Everything is computed tile by tile into the same buffer, so that what is compared is the kernels.
fn tiles() -> impl Iterator<Item = Tile> {
    let starts = || (0..SIDE).step_by(TILE as usize);
    starts().flat_map(move |y| starts().map(move |x| Tile { x, y, width: TILE, height: TILE }))
}

/// The bits of all samples, in order of tiles, as one number, to compare images by.
fn digest(digest: u64, samples: &[f32]) -> u64 {
    samples.iter().fold(digest, |d, s| (d ^ u64::from(s.to_bits())).wrapping_mul(0x0100_0000_01b3))
}

fn scalar(kernel: &Kernel, samples: &mut [f32], mut seen: impl FnMut(&[f32])) {
    let resolution = [SIDE as f32; 2];
    for tile in tiles() {
        for (i, pixel) in (0..).zip(samples.as_chunks_mut().0) {
            let (x, y) = (tile.x + i % TILE, tile.y + i / TILE);
            *pixel = (kernel.scalar)([x as f32 + 0.5, y as f32 + 0.5], resolution);
        }
        seen(samples);
    }
}

fn compiled(engine: &SimdEngine, size: Size, samples: &mut [f32], mut seen: impl FnMut(&[f32])) {
    for tile in tiles() {
        let mut buffer = TileBuffer::new(tile, samples);
        engine.tile(tile, &mut buffer, &Cancel::never(size)).expect("it ends");
        seen(samples);
    }
}

fn measure(kernel: &Kernel) {
    let loaded = Loaded::from_text(kernel.name, kernel.shader);
    let core = loaded.core.expect("the kernels compile");
    let size = Size::new(SIDE, SIDE).expect("a common size");
    let settings = Settings::new(&core, size);
    let lanes = Shape::LANES.iter().map(|&lanes| Some(lanes)).chain([None]);
    let engines: Vec<SimdEngine> = lanes
        .map(|lanes| SimdEngine::new(&core, 0, &settings, lanes).expect("it compiles"))
        .collect();
    let mut samples = vec![0.0; (TILE * TILE * 4) as usize];
    let mut wanted = 0;
    scalar(kernel, &mut samples, |samples| wanted = digest(wanted, samples));
    for engine in &engines {
        let mut found = 0;
        compiled(engine, size, &mut samples, |samples| found = digest(found, samples));
        assert_eq!(found, wanted, "{}: the same image", kernel.name);
    }
    let mut scalar_times = Vec::new();
    let mut times = vec![Vec::new(); engines.len()];
    for _ in 0..RUNS {
        let look = |samples: &[f32]| {
            black_box(samples);
        };
        scalar_times.push(timed(|| scalar(kernel, &mut samples, look)));
        for (engine, times) in engines.iter().zip(&mut times) {
            times.push(timed(|| compiled(engine, size, &mut samples, look)));
        }
    }
    let base = median(scalar_times);
    print!("{:>12} {base:9.1} ms", kernel.name);
    for times in times {
        print!(" {:8.2}", base / median(times));
    }
    println!(" (x{})", engines[engines.len() - 1].kernel().code().shape().lanes());
}

/// Measures and prints.
pub(crate) fn run() {
    print!("{:>12} {:>12}", "kernel", "scalar Rust");
    for lanes in Shape::LANES {
        print!(" {:>8}", format!("x{lanes}"));
    }
    println!(" {:>8}", "default");
    for kernel in KERNELS {
        measure(kernel);
    }
}

/// A kernel: a shader, and the same in Rust.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) shader: &'static str,
    /// A pixel from its centre and the size of the image.
    pub(crate) scalar: fn([f32; 2], [f32; 2]) -> [f32; 4],
}

/// All of them.
pub(crate) const KERNELS: &[Kernel] = &[Kernel {
    name: "mandelbrot",
    shader: include_str!("../shaders/mandelbrot.lv"),
    scalar: mandelbrot,
}];

fn mandelbrot([px, py]: [f32; 2], [width, height]: [f32; 2]) -> [f32; 4] {
    let (cx, cy) = (-2.0 + 3.0 * (px / width), -1.5 + 3.0 * (py / height));
    let (mut x, mut y, mut n) = (0.0_f32, 0.0_f32, 0.0_f32);
    loop {
        let (xx, yy) = (x * x, y * y);
        if n < 256.0 && xx + yy < 4.0 {
            (x, y, n) = (xx - yy + cx, 2.0 * x * y + cy, n + 1.0);
        } else {
            let grey = n / 256.0;
            return [grey, grey, grey, 1.0];
        }
    }
}
