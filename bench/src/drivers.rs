//! Whole frames of floats, beside Vulkan drivers that draw them on the CPU from our own SPIR-V.
//!
//! Each driver runs in a process of its own for each number of threads, since drivers read the number of
//! processors when they are loaded. The process may run on that many processors only. The time is that of
//! drawing one frame into memory that has been used before, without reading it back. Subjects alternate,
//! and medians are printed. The first frames are compared bit by bit; the number of pixels that a driver
//! gets wrong is printed beside its time.

use crate::BenchArguments;
use crate::compile::CONSTANT;
use crate::kernels::KERNELS;
use crate::table::Table;
use crate::textures;
use crate::timing::{Clock, Summary};
use clap::Args;
use lambdav_core::float::same;
use lambdav_core::resource::Bound;
use lambdav_core::types::Types;
use lambdav_engine::Settings;
use lambdav_engine::engines::FastEngine;
use lambdav_engine::program::Loaded;
use lambdav_gpu::forever;
use lambdav_gpu_tests::{Shader, open};
use lambdav_image::{Frame, Size};
use lambdav_matrix::pictures;
use lambdav_raster::{self as raster, RenderOptions};
use lambdav_spirv_backend::emit::EmitOptions;
use serde::Serialize;
use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::available_parallelism;

/// The time of all frames, equal to that of `lambdav-gpu-tests`.
const TIME: f32 = 1.5;

/// Options of `drivers`.
#[derive(Args)]
pub(crate) struct DriverOptions {
    #[command(flatten)]
    common: BenchArguments,
    /// A driver: the file that describes it to Vulkan's loader; by default the drivers that the loader
    /// finds
    #[arg(long = "driver", value_name = "FILE")]
    drivers: Vec<PathBuf>,
    /// Width and height of the frames
    #[arg(long, value_name = "WxH", default_value = "1920x1080")]
    size: Size,
    /// Draw that shader frame by frame, on request of the other process
    #[arg(long, hide = true, value_name = "SHADER")]
    serve: Option<String>,
}

/// A row of the table. Times are milliseconds.
#[derive(Serialize)]
struct Row {
    shader: String,
    threads: usize,
    ours: Summary,
    drivers: Vec<Peer>,
}

/// The measurement of a driver.
#[derive(Serialize)]
struct Peer {
    name: String,
    time: Summary,
    /// Our time over the driver's.
    ratio: Summary,
    /// Number of pixels with at least one wrong bit.
    wrong: usize,
}

/// Names and texts of all shaders: a constant, the kernels, samples of textures, the gallery.
fn shaders() -> Vec<(String, String)> {
    let kernels = KERNELS.iter().map(|k| (format!("kernels/{}", k.name), k.shader.to_owned()));
    let mut all = vec![("constant".to_owned(), CONSTANT.to_owned())];
    all.extend(kernels);
    let sampled = textures::SHADERS.iter();
    all.extend(sampled.map(|(name, text)| (format!("textures/{name}"), (*text).to_owned())));
    for shader in Shader::gallery() {
        all.push((format!("shaders/{}", shader.name), shader.text().to_owned()));
    }
    all
}

/// The data of a shader's textures and buffers.
fn resources(name: &str, text: &str, types: &Types) -> Vec<Bound> {
    match name.starts_with("shaders/") {
        true => pictures::resources(text, types),
        false => textures::data(types),
    }
}

/// Measures and prints.
pub(crate) fn run(options: &DriverOptions) -> io::Result<()> {
    if let Some(name) = &options.serve {
        return serve(name, options.size);
    }
    let drivers: Vec<Option<&PathBuf>> = match &options.drivers[..] {
        [] => vec![None],
        named => named.iter().map(Some).collect(),
    };
    println!("ms per frame; for drivers also our time over theirs, and the number of wrong pixels");
    let mut table = None;
    let mut rows = Vec::new();
    let processors = available_parallelism().map_or(1, NonZero::get);
    for (name, text) in shaders().into_iter().filter(|(name, _)| options.common.wants(name)) {
        for threads in [1, 2].into_iter().filter(|&threads| threads <= processors) {
            let row = measure(&name, &text, threads, &drivers, options)?;
            print(table.get_or_insert_with(|| head(&row)), &row);
            rows.push(row);
        }
    }
    options.common.save(&rows)
}

fn head(row: &Row) -> Table {
    println!("{}", row.drivers.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join("; "));
    let mut columns = vec![("shader", 26), ("threads", 7), ("ours", 8), ("spread", 6)];
    for _ in &row.drivers {
        columns.extend([("driver", 8), ("spread", 6), ("ratio", 6), ("wrong", 8)]);
    }
    Table::new(&columns)
}

fn print(table: &Table, row: &Row) {
    let time = |time: Summary| [format!("{:.2}", time.median), format!("{:.2}", time.spread)];
    let mut cells = vec![row.shader.clone(), row.threads.to_string()];
    cells.extend(time(row.ours));
    for peer in &row.drivers {
        cells.extend(time(peer.time));
        cells.extend([format!("{:.2}", peer.ratio.median), peer.wrong.to_string()]);
    }
    table.row(cells);
}

fn measure(
    name: &str,
    text: &str,
    threads: usize,
    drivers: &[Option<&PathBuf>],
    options: &DriverOptions,
) -> io::Result<Row> {
    let (size, runs) = (options.size, options.common.runs());
    let loaded = Loaded::from_text(name, text);
    let core = loaded.core.as_ref().expect("what is measured compiles");
    let location = core.outputs.iter().map(|output| output.location).min().expect("it has one");
    let mut settings = Settings::new(core, size);
    settings.inputs.time = TIME;
    settings.inputs.resources = resources(name, text, core.graph.types());
    let engine = FastEngine::new(core, location, &settings, None).map_err(io::Error::other)?;
    let threads_of_pool = NonZero::new(threads).expect("at least one thread");
    let pool = raster::thread_pool(threads_of_pool).map_err(io::Error::other)?;
    let mut frame = Frame::from_fn(size, |_, _| [0.0; 4]);
    let draw = |frame: &mut Frame| {
        let options = RenderOptions::default();
        pool.install(|| raster::render_into(&engine, frame, &options)).expect("it ends");
        black_box(frame);
    };
    draw(&mut frame);

    let mut servers = Vec::new();
    let mut wrong = Vec::new();
    for driver in drivers {
        let mut server = Server::start(name, threads, *driver, size)?;
        wrong.push(differences(&frame, &server.frame(size)?));
        servers.push(server);
    }
    let mut times = vec![Vec::with_capacity(runs); servers.len() + 1];
    for _ in 0..runs {
        // An untimed frame precedes each timed one: see [`Clock::interleaved`].
        draw(&mut frame);
        times[0].push(Clock::Wall.time(|| draw(&mut frame)));
        for (times, server) in times[1..].iter_mut().zip(&mut servers) {
            server.draw()?;
            times.push(server.draw()?);
        }
    }
    let peers = servers.iter().zip(&times[1..]).zip(wrong);
    let peers = peers.map(|((server, theirs), wrong)| Peer {
        name: server.name.clone(),
        time: Summary::of(theirs),
        ratio: Summary::of_ratios(&times[0], theirs),
        wrong,
    });
    let drivers = peers.collect();
    Ok(Row { shader: name.to_owned(), threads, ours: Summary::of(&times[0]), drivers })
}

/// Number of pixels that differ in a bit. All NaNs are equal.
fn differences(ours: &Frame, theirs: &[[f32; 4]]) -> usize {
    let is_equal = |(&a, &b): (&f32, &f32)| same(a, b);
    let pixels = ours.pixels().iter().zip(theirs);
    pixels.filter(|(a, b)| !a.iter().zip(*b).all(is_equal)).count()
}

/// A process that draws frames with a driver on request.
struct Server {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The device's name for itself.
    name: String,
}

impl Server {
    fn start(
        shader: &str,
        threads: usize,
        driver: Option<&PathBuf>,
        size: Size,
    ) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let size = format!("{}x{}", size.width(), size.height());
        command.args(["drivers", "--serve", shader, "--size", &size]);
        if let Some(driver) = driver {
            // Older loaders know only the first variable.
            command.env("VK_ICD_FILENAMES", driver).env("VK_DRIVER_FILES", driver);
        }
        command.env("LP_NUM_THREADS", threads.to_string()).env(THREADS, threads.to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut server = Self { process, requests, answers, name: String::new() };
        server.name = server.answer()?;
        Ok(server)
    }

    fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.is_empty() {
            return Err(io::Error::other(format!("a driver's process: {}", self.process.wait()?)));
        }
        Ok(line.trim_end().to_owned())
    }

    /// The pixels of the first frame, which the server sends without a request.
    fn frame(&mut self, size: Size) -> io::Result<Vec<[f32; 4]>> {
        let mut bytes = vec![0; 16 * size.pixels()];
        self.answers.read_exact(&mut bytes)?;
        let words = bytes.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word));
        Ok(words.collect::<Vec<_>>().as_chunks().0.to_vec())
    }

    /// Draws a frame and returns its time in milliseconds.
    fn draw(&mut self) -> io::Result<f64> {
        self.requests.write_all(b"\n")?;
        self.answer()?.parse().map_err(io::Error::other)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The variable with the number of processors that a server may use.
const THREADS: &str = "LAMBDAV_BENCH_THREADS";

/// Restricts this process to that many processors. Call before any thread starts.
#[cfg(target_os = "linux")]
fn restrict(threads: usize) -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let all = sched_getaffinity(None)?;
    let mut some = CpuSet::new();
    for processor in (0..CpuSet::MAX_CPU).filter(|&cpu| all.is_set(cpu)).take(threads) {
        some.set(processor);
    }
    Ok(sched_setaffinity(None, &some)?)
}

/// Other systems do not restrict processors.
#[cfg(not(target_os = "linux"))]
fn restrict(_: usize) -> io::Result<()> {
    Ok(())
}

/// The server's side of [`Server`]: sends the device's name and the first frame, then the time of each
/// requested frame.
fn serve(name: &str, size: Size) -> io::Result<()> {
    if let Some(threads) = std::env::var(THREADS).ok().and_then(|threads| threads.parse().ok()) {
        restrict(threads)?;
    }
    let (_, text) = shaders()
        .into_iter()
        .find(|(known, _)| known == name)
        .ok_or_else(|| io::Error::other(format!("no shader is called {name}")))?;
    let device = open().map_err(io::Error::other)?;
    let device = device.ok_or_else(|| io::Error::other("there is no Vulkan device"))?;
    let shader = Shader::new(name, &text).with_resources(|types| resources(name, &text, types));
    let output = shader.outputs().min_by_key(|output| output.location()).expect("it has one");
    let prepared = output.prepare(&device, [size.width(), size.height()], &EmitOptions::default());
    let (mut prepared, _) = prepared.map_err(io::Error::other)?;
    prepared.draw(&forever).map_err(io::Error::other)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", device.name())?;
    for pixel in prepared.read(output.location(), &forever).map_err(io::Error::other)? {
        out.write_all(pixel.map(u32::to_le_bytes).as_flattened())?;
    }
    out.flush()?;
    for request in io::stdin().lines() {
        request?;
        let mut drawn = Ok(());
        let time = Clock::Wall.time(|| drawn = prepared.draw(&forever));
        drawn.map_err(io::Error::other)?;
        writeln!(out, "{time}")?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Frame, Size, differences};

    #[test]
    fn pixels_that_differ() {
        let frame = Frame::from_fn(Size::new(2, 1).expect("a size"), |x, _| match x {
            0 => [0.0, f32::NAN, 1.0, 1.0],
            _ => [0.5; 4],
        });
        assert_eq!(differences(&frame, &[[0.0, -f32::NAN, 1.0, 1.0], [0.5; 4]]), 0);
        assert_eq!(differences(&frame, &[[-0.0, f32::NAN, 1.0, 1.0], [0.5, 0.6, 0.7, 0.5]]), 2);
    }
}
