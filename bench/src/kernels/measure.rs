//! Speed of the kernels relative to scalar Rust.

use super::{KERNELS, Kernel};
use crate::BenchArguments;
use crate::compile::instructions;
use crate::table::Table;
use crate::timing::{Clock, Subject, Summary};
use lambdav_core::float::canonical_bits;
use lambdav_core::schedule::schedule;
use lambdav_engine::Settings;
use lambdav_engine::engines::SimdEngine;
use lambdav_engine::program::Loaded;
use lambdav_image::{Frame, Size};
use lambdav_raster::{self as raster, Cancel, Kernel as _, Tile, TileBuffer};
use lambdav_simd_backend::registers::{Callable, Shape};
use lambdav_simd_backend::{SimdKernel, Target};
use serde::Serialize;
use std::hint::black_box;
use std::io;
use std::num::NonZero;
use std::thread;

const TILE: u32 = 32;

/// Width and height of the image: enough pixels for the number of lanes that large images get.
const SIDE: u32 = 1024;

/// A row of the table. Times are milliseconds. Speeds are the time of scalar Rust over that of machine
/// code.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    /// Scalar Rust.
    scalar: Summary,
    /// At each number of lanes, then at the default one.
    lanes: Vec<Compiled>,
    /// At the default number of lanes, for each target that the machine can execute.
    targets: Vec<Compiled>,
    /// Speed-up of two threads over one, if there are two processors.
    threads: Option<Summary>,
    /// Time from the text to the schedule.
    frontend: Summary,
}

/// Measurements of machine code for a number of lanes.
#[derive(Serialize)]
struct Compiled {
    target: &'static str,
    lanes: u32,
    time: Summary,
    speed: Summary,
    /// Time from the schedule to machine code.
    jit: Summary,
    /// Bytes of machine code.
    code: usize,
    stack: usize,
    /// Number of instructions before register allocation.
    instructions: usize,
}

/// Measures and prints.
pub(crate) fn run(options: &BenchArguments) -> io::Result<()> {
    println!("ms of scalar Rust, and speed-ups over scalar Rust; best: default / best");
    let mut columns = vec![("kernel", 17), ("Rust ms", 8)];
    let lanes = Shape::LANES.map(|lanes| format!("x{lanes}"));
    columns.extend(lanes.iter().map(|name| (name.as_str(), 6)));
    columns.extend([("default", 11), ("spread", 6), ("best", 5)]);
    columns.extend(Target::here().map(|name| (name, name.len().max(6))));
    columns.extend([("2 thr.", 6), ("frontend", 9), ("JIT ms", 7), ("code", 6)]);
    columns.extend([("instrs", 6), ("stack", 6)]);
    let table = Table::new(&columns);
    let mut rows = Vec::new();
    for kernel in KERNELS.iter().filter(|kernel| options.wants(kernel.name)) {
        let row = measure(kernel, options.runs());
        print(&table, &row);
        rows.push(row);
    }
    options.save(&rows)
}

fn print(table: &Table, row: &Row) {
    let speed = |compiled: &Compiled| format!("{:.2}", compiled.speed.median);
    let mut cells = vec![row.name.to_owned(), format!("{:.2}", row.scalar.median)];
    let (default, lanes) = row.lanes.split_last().expect("the default comes last");
    cells.extend(lanes.iter().map(speed));
    let best = lanes.iter().map(|compiled| compiled.speed.median).fold(0.0, f64::max);
    cells.extend([
        format!("{} (x{})", speed(default), default.lanes),
        format!("{:.2}", default.speed.spread),
        format!("{:.2}", default.speed.median / best),
    ]);
    cells.extend(row.targets.iter().map(speed));
    cells.extend([
        row.threads.map_or("-".to_owned(), |threads| format!("{:.2}", threads.median)),
        format!("{:.2}", row.frontend.median),
        format!("{:.2}", default.jit.median),
        default.code.to_string(),
        default.instructions.to_string(),
        default.stack.to_string(),
    ]);
    table.row(cells);
}

/// The tiles of an image. Every subject computes them into one small buffer, so that the comparison is of
/// kernels, not of memory.
fn tiles(size: Size) -> impl Iterator<Item = Tile> {
    let starts = |side: u32| (0..side).step_by(TILE as usize);
    let tile = move |x: u32, y: u32| {
        let (width, height) = (TILE.min(size.width() - x), TILE.min(size.height() - y));
        Tile { x, y, width, height }
    };
    starts(size.height()).flat_map(move |y| starts(size.width()).map(move |x| tile(x, y)))
}

/// Computes an image tile by tile in a buffer of one tile.
fn scalar(kernel: &Kernel, size: Size, mut seen: impl FnMut(&[f32])) {
    let mut samples = vec![0.0; (TILE * TILE * 4) as usize];
    let resolution = [size.width() as f32, size.height() as f32];
    for tile in tiles(size) {
        let samples = &mut samples[..4 * (tile.width * tile.height) as usize];
        (kernel.scalar)(tile, resolution, samples);
        seen(samples);
    }
}

fn compiled(engine: &SimdEngine, size: Size, mut seen: impl FnMut(&[f32])) {
    let mut samples = vec![0.0; (TILE * TILE * 4) as usize];
    for tile in tiles(size) {
        let samples = &mut samples[..4 * (tile.width * tile.height) as usize];
        let mut buffer = TileBuffer::new(tile, samples);
        engine.tile(tile, &mut buffer, &Cancel::never(size)).expect("it ends");
        seen(samples);
    }
}

/// The bits of samples, in the order of tiles. All NaNs are equal.
fn bits(samples: &[f32]) -> impl Iterator<Item = u32> {
    samples.iter().map(|&sample| canonical_bits(sample))
}

/// Number of samples that differ from the scalar version.
fn differences(kernel: &Kernel, engine: &SimdEngine, size: Size) -> usize {
    let (mut wanted, mut found) = (Vec::new(), Vec::new());
    scalar(kernel, size, |samples| wanted.extend(bits(samples)));
    compiled(engine, size, |samples| found.extend(bits(samples)));
    wanted.iter().zip(&found).filter(|(a, b)| a != b).count()
}

fn engine(loaded: &Loaded, size: Size, way: Way) -> SimdEngine {
    let core = loaded.core.as_ref().expect("the kernels compile");
    let settings = Settings::new(core, size);
    SimdEngine::for_target(core, 0, &settings, way.lanes, way.target()).expect("it compiles")
}

/// Name of the target, and number of lanes.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// Default: this machine.
    target: Option<&'static str>,
    /// Default: chosen by the compiler.
    lanes: Option<u32>,
}

impl Way {
    fn target(self) -> Target {
        match self.target {
            Some(name) => Target::named(name).map(|known| known.expect("one of them")),
            None => Target::host(),
        }
        .expect("a machine that is not too old")
    }
}

/// Each number of lanes, the default one, and each target.
fn ways() -> impl Iterator<Item = Way> {
    let lanes = Shape::LANES.map(|lanes| Way { lanes: Some(lanes), ..Way::default() });
    let targets = Target::here().map(|name| Way { target: Some(name), ..Way::default() });
    lanes.into_iter().chain([Way::default()]).chain(targets)
}

fn measure(kernel: &Kernel, runs: usize) -> Row {
    let size = Size::new(SIDE, SIDE).expect("a common size");
    let loaded = Loaded::from_text(kernel.name, kernel.shader);
    let engines: Vec<SimdEngine> = ways().map(|way| engine(&loaded, size, way)).collect();
    for engine in &engines {
        let lanes = engine.kernel().code().shape().lanes();
        let differ = differences(kernel, engine, size);
        assert_eq!(differ, 0, "{} at {lanes} lanes: samples that differ", kernel.name);
    }

    let look = |samples: &[f32]| {
        black_box(samples);
    };
    let mut subjects: Vec<Subject<'_>> = vec![Box::new(|| scalar(kernel, size, look))];
    for engine in &engines {
        subjects.push(Box::new(move || compiled(engine, size, look)));
    }
    let times = Clock::Processor.interleaved(runs, &mut subjects);
    let of_ways = &times[1..];
    let core = loaded.core.as_ref().expect("the kernels compile");
    let scheduled = schedule(core, &[0]).expect("it does not nest");
    let compile_times = compile_times(kernel, size, runs);
    let compiled = engines.iter().enumerate().map(|(i, engine)| {
        let code = engine.kernel().code();
        Compiled {
            target: engine.kernel().target().name(),
            lanes: code.shape().lanes(),
            time: Summary::of(&of_ways[i]),
            speed: Summary::of_ratios(&times[0], &of_ways[i]),
            jit: Summary::of(&compile_times[i + 1]),
            code: code.size(),
            stack: code.stack(),
            instructions: instructions(&scheduled, engine.kernel()),
        }
    });
    let mut lanes: Vec<Compiled> = compiled.collect();
    let targets = lanes.split_off(Shape::LANES.len() + 1);
    Row {
        name: kernel.name,
        scalar: Summary::of(&times[0]),
        lanes,
        targets,
        threads: threads(&loaded, runs),
        frontend: Summary::of(&compile_times[0]),
    }
}

/// Speed-up of two threads over one for a square image, if there are two processors. The frame exists
/// already: threads do not share most of the system time that fresh memory costs.
fn threads(loaded: &Loaded, runs: usize) -> Option<Summary> {
    let processors = thread::available_parallelism().ok()?;
    let size = Size::new(SIDE, SIDE).expect("a common size");
    let engine = &engine(loaded, size, Way::default());
    let subject = |threads| -> Subject<'_> {
        let mut frame = Frame::from_fn(size, |_, _| [0.0; 4]);
        let pool = raster::thread_pool(threads).expect("threads can be started");
        Box::new(move || {
            let options = raster::RenderOptions::default();
            pool.install(|| raster::render_into(engine, &mut frame, &options)).expect("it ends");
            black_box(&mut frame);
        })
    };
    (processors.get() > 1).then(|| {
        let times = Clock::Wall.interleaved(
            runs,
            &mut [subject(NonZero::<usize>::MIN), subject(NonZero::new(2).expect("not zero"))],
        );
        Summary::of_ratios(&times[0], &times[1])
    })
}

/// Milliseconds of the frontend, and of the JIT for each way.
fn compile_times(kernel: &Kernel, size: Size, runs: usize) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(runs); 1 + ways().count()];
    for _ in 0..runs {
        let mut scheduled = None;
        let mut settings = None;
        times[0].push(Clock::Processor.time(|| {
            let core = Loaded::from_text(kernel.name, kernel.shader).core.expect("it compiles");
            settings = Some(Settings::new(&core, size));
            scheduled = Some(schedule(&core, &[0]).expect("it does not nest"));
        }));
        let (scheduled, settings) = scheduled.zip(settings).expect("both have just been made");
        for (times, way) in times[1..].iter_mut().zip(ways()) {
            let program = scheduled.clone();
            times.push(Clock::Processor.time(|| {
                let limit = settings.max_iterations;
                let (lanes, target) = (way.lanes, way.target());
                let kernel =
                    SimdKernel::for_target(program, lanes, &settings.inputs, limit, target);
                black_box(kernel.expect("it compiles"));
            }));
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::{KERNELS, Loaded, Size, differences, engine, ways};

    /// The size is not a multiple of any group.
    #[test]
    fn scalar_rust_computes_the_same() {
        let size = Size::new(37, 41).expect("a common size");
        for kernel in &KERNELS {
            let loaded = Loaded::from_text(kernel.name, kernel.shader);
            for way in ways() {
                let engine = engine(&loaded, size, way);
                let differ = differences(kernel, &engine, size);
                assert_eq!(differ, 0, "{}, {way:?}: samples that differ", kernel.name);
            }
        }
    }
}
