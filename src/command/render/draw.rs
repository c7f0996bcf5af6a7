//! An engine run over a frame, with a progress bar.

use super::options::RenderArguments;
use crate::command::failure::{Failure, Result, chain};
use crate::command::messages::fault;
use crate::command::stats::Stats;
use crate::command::supervise::Deadline;
use indicatif::{ProgressBar, ProgressStyle};
use lambdav::core::source::SourceFile;
use lambdav::engine::Engine;
use lambdav::raster::file::{Encoding, render_for};
use lambdav::raster::{AnyImage, RenderError, ThreadPool, thread_pool};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How pictures are drawn and written.
#[derive(Debug)]
pub(super) struct How {
    /// The file.
    pub(super) encoding: Encoding,
    /// The threads that were asked for.
    pool: Option<ThreadPool>,
}

impl How {
    /// As the options say.
    pub(super) fn new(options: &RenderArguments, encoding: Encoding) -> Result<Self> {
        let tiles = lambdav::raster::RenderOptions::default().tiles(options.picture.size);
        let pool = options.threads.map(|threads| thread_pool(threads.min(tiles))).transpose();
        Ok(Self { encoding, pool: pool.map_err(|e| Failure::machine(chain(&e)))? })
    }

    /// Does something on these threads.
    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            None => work(),
            Some(pool) => pool.install(work),
        }
    }
}

/// Draws with that engine.
pub(super) fn draw(
    source: &SourceFile,
    engine: &(impl Engine + ?Sized),
    options: &RenderArguments,
    how: &How,
    deadline: Deadline,
    stats: &mut Stats,
) -> Result<AnyImage> {
    let fail = |diagnostic| fault(source, diagnostic, options.messages);
    let progress = Progress::new();
    let advance = |done, total| progress.advance(done, total);
    let render_options = lambdav::raster::RenderOptions {
        timeout: Some(deadline.left()),
        progress: Some(&advance),
        ..lambdav::raster::RenderOptions::default()
    };
    let result =
        how.install(|| render_for(engine, options.picture.size, how.encoding, &render_options));
    progress.clear();
    stats.took("render");
    match result {
        Ok(image) => Ok(image),
        Err(RenderError::Fault(fault)) => Err(fail(engine.explain(&fault))),
        Err(RenderError::TimedOut { .. }) => Err(deadline.failure()),
        Err(error) => Err(Failure::machine(chain(&error))),
    }
}

/// A bar on standard error, if that is a terminal, for what takes longer than a second.
struct Progress {
    start: Instant,
    bar: OnceLock<ProgressBar>,
    terminal: bool,
}

impl Progress {
    fn new() -> Self {
        Self { start: Instant::now(), bar: OnceLock::new(), terminal: io::stderr().is_terminal() }
    }

    fn advance(&self, done: usize, total: usize) {
        if !self.terminal || self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{wide_bar} {percent}% {eta}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total as u64).with_style(style).with_elapsed(self.start.elapsed())
        });
        // Calls overtake one another.
        if done as u64 > bar.position() {
            bar.set_position(done as u64);
        }
    }

    fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
