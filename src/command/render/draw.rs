//! An engine run over a frame, with a progress bar.

use super::options::RenderArguments;
use crate::command::failure::{Failure, Result, chain};
use crate::command::messages::fault;
use crate::command::stats::Stats;
use crate::command::supervise::Deadline;
use indicatif::{ProgressBar, ProgressStyle};
use lambdav::core::source::SourceFile;
use lambdav::engine::Engine;
use lambdav::raster::{Frame, RenderError, render, thread_pool};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Draws with that engine, on the threads that the options ask for.
pub(super) fn draw(
    source: &SourceFile,
    engine: &impl Engine,
    options: &RenderArguments,
    deadline: Deadline,
    stats: &mut Stats,
) -> Result<Frame> {
    let fail = |diagnostic| fault(source, diagnostic, options.messages);
    let progress = Progress::new();
    let advance = |done, total| progress.advance(done, total);
    let how = lambdav::raster::RenderOptions {
        timeout: Some(deadline.left()),
        progress: Some(&advance),
        ..lambdav::raster::RenderOptions::default()
    };
    let result = match options.threads {
        None => render(engine, options.size, &how),
        Some(threads) => thread_pool(threads.min(how.tiles(options.size)))
            .map_err(RenderError::Threads)
            .and_then(|pool| pool.install(|| render(engine, options.size, &how))),
    };
    progress.clear();
    stats.took("render");
    match result {
        Ok(frame) => Ok(frame),
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
