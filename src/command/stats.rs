//! `render --stats`: how long each part took, and what was compiled.

use lambdav::raster::Size;
use lambdav::simd::cranelift::jit::Code;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What `--stats` tells.
pub(super) struct Stats {
    wanted: bool,
    last: Instant,
    parts: Vec<(&'static str, Duration)>,
    compiled: Option<String>,
}

impl Stats {
    /// Begins to count.
    pub(super) fn new(wanted: bool) -> Self {
        Self { wanted, last: Instant::now(), parts: Vec::new(), compiled: None }
    }

    /// The time since the last part belongs to this one.
    pub(super) fn took(&mut self, part: &'static str) {
        let now = Instant::now();
        self.parts.push((part, now - self.last));
        self.last = now;
    }

    /// What the machine code is like.
    pub(super) fn compiled(&mut self, code: &Code) {
        let shape = code.shape();
        self.compiled = Some(format!(
            "{} lanes, groups of {}x{} pixels; {} bytes of code, {} of stack",
            shape.lanes(),
            shape.columns(),
            shape.rows(),
            code.size,
            code.stack
        ));
    }

    /// Says all of it on standard error, if that is wanted.
    pub(super) fn say(&self, size: Size) {
        if !self.wanted {
            return;
        }
        let mut text = String::new();
        for (part, time) in &self.parts {
            text += &format!("{part:>16}: {:9.3} ms", time.as_secs_f64() * 1e3);
            if *part == "render" {
                let pixels = f64::from(size.width()) * f64::from(size.height());
                text += &format!(", {:.2} ns per pixel", time.as_secs_f64() * 1e9 / pixels);
            }
            text += "\n";
        }
        if let Some(compiled) = &self.compiled {
            text += &format!("{:>16}: {compiled}\n", "code");
        }
        let _ = io::stderr().write_all(text.as_bytes());
    }
}
