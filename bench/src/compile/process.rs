//! Time of whole processes: from the start of the command to the image on disk.

use crate::timing::{Clock, Summary};
use std::io;
use std::path::Path;
use std::process::Command;

/// A shader of a constant colour.
pub(crate) const CONSTANT: &str = "(vec3 0.2 0.4 0.6)\n";

/// Names and texts of programs.
pub(super) const PROGRAMS: [(&str, &str); 2] =
    [("constant", CONSTANT), ("mandelbrot-image", include_str!("../../shaders/mandelbrot.lv"))];

/// Number of processes of a median.
const RUNS: usize = 20;

/// Time of the command for an image of 256x256, in milliseconds.
pub(super) fn time(command: &Path, text: &str) -> io::Result<Summary> {
    let folder = tempfile::tempdir()?;
    let (shader, image) = (folder.path().join("shader.lv"), folder.path().join("image.png"));
    std::fs::write(&shader, text)?;
    let mut process = Command::new(command);
    process.arg("render").args([&shader, &image]).args(["--size", "256x256"]);
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..=RUNS {
        let mut status = None;
        times.push(Clock::Wall.time(|| status = Some(process.status())));
        let status = status.expect("it has just been tried")?;
        if !status.success() {
            return Err(io::Error::other(format!("{}: {status}", command.display())));
        }
    }
    // The first process loads the command into memory.
    Ok(Summary::of(&times[1..]))
}
