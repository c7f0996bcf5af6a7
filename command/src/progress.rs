//! Progress of long work.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Progress bar on standard error, if that is a terminal, for work that takes longer than a second.
pub(super) struct Progress {
    start: Instant,
    bar: OnceLock<ProgressBar>,
    terminal: bool,
}

impl Progress {
    /// Progress of work that begins now.
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), bar: OnceLock::new(), terminal: io::stderr().is_terminal() }
    }

    /// Shows that `done` of `total` steps are done.
    pub(super) fn advance(&self, done: usize, total: usize) {
        if !self.terminal || self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{wide_bar} {percent}% {eta}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total as u64).with_style(style).with_elapsed(self.start.elapsed())
        });
        // Calls from several threads may arrive out of order.
        if done as u64 > bar.position() {
            bar.set_position(done as u64);
        }
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
