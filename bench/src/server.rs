//! Vulkan drivers in processes of their own.
//!
//! Each driver runs in a process of its own for each number of threads, since drivers read the number of
//! processors when they are loaded. The process may run on that many processors only. It is this program
//! with `--serve SUBJECT`: it sends the device's name and the pixels of the first picture, then draws one
//! picture for each line that it reads, and answers with its time.

use crate::BenchArguments;
use crate::table::Table;
use crate::timing::{Clock, Summary};
use clap::Args;
use lambdav_core::float::same;
use lambdav_engine::Options;
use lambdav_gpu::{Device, PixelBits};
use lambdav_gpu_tests::open;
use lambdav_image::Frame;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::available_parallelism;

/// Drivers to compare with, and numbers of threads.
#[derive(Args)]
pub(crate) struct DriverArguments {
    /// A driver: the file that describes it to Vulkan's loader; by default the drivers that the loader
    /// finds
    #[arg(long = "driver", value_name = "FILE")]
    drivers: Vec<PathBuf>,
    /// Numbers of threads; by default 1 and 2, if there are as many processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,
    /// Draw this subject on requests from standard input
    #[arg(long, hide = true, value_name = "SUBJECT")]
    pub(crate) serve: Option<String>,
}

/// Options of a table beside drivers, whose code may be for another target.
#[derive(Args)]
pub(crate) struct PeerOptions {
    #[command(flatten)]
    pub(crate) common: BenchArguments,
    #[command(flatten)]
    pub(crate) drivers: DriverArguments,
    /// A target for our code, such as `avx2`; by default the host
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
}

impl PeerOptions {
    /// The options of our pipelines.
    pub(crate) fn engine(&self) -> Options {
        match &self.target {
            Some(target) => Options::default().target(target),
            None => Options::default(),
        }
    }
}

impl DriverArguments {
    /// The numbers of threads to measure.
    pub(crate) fn threads(&self) -> Vec<usize> {
        if !self.threads.is_empty() {
            return self.threads.iter().map(|&threads| threads.into()).collect();
        }
        let processors = available_parallelism().map_or(1, std::num::NonZero::get);
        [1, 2].into_iter().filter(|&threads| threads <= processors).collect()
    }

    /// Starts a server for each driver. `arguments` are those of this program that lead to the server's side.
    pub(crate) fn start(&self, arguments: &[&str], threads: usize) -> io::Result<Vec<Server>> {
        match &self.drivers[..] {
            [] => Ok(vec![Server::start(arguments, threads, None)?]),
            named => {
                named.iter().map(|driver| Server::start(arguments, threads, Some(driver))).collect()
            }
        }
    }
}

/// The measurement of a driver. Times are milliseconds.
#[derive(Serialize)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) time: Summary,
    /// Our time over the driver's.
    pub(crate) ratio: Summary,
    /// Number of pixels that differ.
    pub(crate) wrong: usize,
}

impl Peer {
    /// The columns of a driver in a table.
    const COLUMNS: [(&str, usize); 4] = [("driver", 8), ("spread", 6), ("ratio", 6), ("wrong", 8)];

    /// Prints the names of the drivers and the head of a table, whose first columns are these.
    pub(crate) fn head(drivers: &[Self], first: &[(&str, usize)]) -> Table {
        println!("{}", drivers.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join("; "));
        let columns = drivers.iter().flat_map(|_| Self::COLUMNS);
        Table::new(&first.iter().copied().chain(columns).collect::<Vec<_>>())
    }

    pub(crate) fn cells(&self) -> [String; 4] {
        let [time, spread] = cells(self.time);
        [time, spread, format!("{:.2}", self.ratio.median), self.wrong.to_string()]
    }
}

/// Time and spread.
pub(crate) fn cells(time: Summary) -> [String; 2] {
    [format!("{:.2}", time.median), format!("{:.2}", time.spread)]
}

/// Measures our drawing and that of servers in turns, and compares the first pictures: channels may differ by
/// `tolerance`, without one in no bit.
pub(crate) fn compare_frames(
    runs: usize,
    tolerance: Option<f32>,
    frame: &mut Frame,
    mut draw: impl FnMut(&mut Frame),
    servers: Vec<Server>,
) -> io::Result<(Summary, Vec<Peer>)> {
    draw(frame);
    let first = frame.pixels().to_vec();
    let wrong = |theirs: &[[f32; 4]]| differences(&first, theirs, tolerance);
    compare(runs, first.len(), wrong, || draw(frame), servers)
}

/// Measures our work and that of servers in turns. `wrong` compares our first result with one of so many pixels.
pub(crate) fn compare(
    runs: usize,
    pixels: usize,
    wrong: impl Fn(&[[f32; 4]]) -> usize,
    mut draw: impl FnMut(),
    mut servers: Vec<Server>,
) -> io::Result<(Summary, Vec<Peer>)> {
    let found = servers.iter_mut().map(|server| Ok(wrong(&server.frame(pixels)?)));
    let wrong: Vec<usize> = found.collect::<io::Result<_>>()?;
    let mut times = vec![Vec::with_capacity(runs); servers.len() + 1];
    for _ in 0..runs {
        // An untimed picture precedes each timed one: see [`Clock::interleaved`].
        draw();
        times[0].push(Clock::Wall.time(&mut draw));
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
    let peers = peers.collect();
    Ok((Summary::of(&times[0]), peers))
}

/// Number of pixels that differ. All NaNs are equal.
pub(crate) fn differences(ours: &[[f32; 4]], theirs: &[[f32; 4]], tolerance: Option<f32>) -> usize {
    let is_close = |a: f32, b: f32| tolerance.is_some_and(|most| (a - b).abs() <= most);
    let is_equal = |(&a, &b): (&f32, &f32)| same(a, b) || is_close(a, b);
    let pixels = ours.iter().zip(theirs);
    pixels.filter(|(a, b)| !a.iter().zip(*b).all(is_equal)).count()
}

/// A process that draws with a driver on request.
pub(crate) struct Server {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The device's name for itself.
    name: String,
}

impl Server {
    fn start(arguments: &[&str], threads: usize, driver: Option<&PathBuf>) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments);
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

    /// The pixels of the first picture, which the server sends without a request.
    fn frame(&mut self, pixels: usize) -> io::Result<Vec<[f32; 4]>> {
        let mut bytes = vec![0; 16 * pixels];
        self.answers.read_exact(&mut bytes)?;
        let words = bytes.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word));
        Ok(words.collect::<Vec<_>>().as_chunks().0.to_vec())
    }

    /// Draws a picture and returns its time in milliseconds.
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

/// The server's side: restricts this process, and opens the device.
pub(crate) fn open_restricted() -> io::Result<Device> {
    if let Some(threads) = std::env::var(THREADS).ok().and_then(|threads| threads.parse().ok()) {
        restrict(threads)?;
    }
    let device = open().map_err(io::Error::other)?;
    device.ok_or_else(|| io::Error::other("there is no Vulkan device"))
}

/// The server's side: sends the device's name and the pixels of the first picture, then the time of each
/// requested one.
pub(crate) fn answer(
    device: &Device,
    pixels: &PixelBits,
    mut draw: impl FnMut() -> Result<(), lambdav_gpu::Error>,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", device.name())?;
    for pixel in pixels {
        out.write_all(pixel.map(u32::to_le_bytes).as_flattened())?;
    }
    out.flush()?;
    for request in io::stdin().lines() {
        request?;
        let mut drawn = Ok(());
        let time = Clock::Wall.time(|| drawn = draw());
        drawn.map_err(io::Error::other)?;
        writeln!(out, "{time}")?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Frame, differences};
    use lambdav_image::Size;

    #[test]
    fn pixels_that_differ() {
        let frame = Frame::from_fn(Size::new(2, 1).expect("a size"), |x, _| match x {
            0 => [0.0, f32::NAN, 1.0, 1.0],
            _ => [0.5; 4],
        });
        assert_eq!(differences(frame.pixels(), &[[0.0, -f32::NAN, 1.0, 1.0], [0.5; 4]], None), 0);
        let others = [[-0.0, f32::NAN, 1.0, 1.0], [0.5, 0.6, 0.7, 0.5]];
        assert_eq!(differences(frame.pixels(), &others, None), 2);
        assert_eq!(differences(frame.pixels(), &others, Some(0.15)), 1);
    }
}
