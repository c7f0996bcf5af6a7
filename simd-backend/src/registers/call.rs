//! Calls of a register program's functions, whoever executes them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{POLL_ROUNDS, Shape, Status};

/// What a frame is computed from.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// One for each of the program's inputs ([`InputWord`](crate::lanes::InputWord)).
    pub words: Vec<u32>,
    /// How many `rec`s each entry of a loop may execute.
    pub max_iterations: u64,
}

impl Inputs {
    /// The rounds that a loop may do before its first poll ([`Limit::First`]), and the rest
    /// ([`Limit::Rest`]).
    ///
    /// [`Limit::First`]: super::Limit::First
    /// [`Limit::Rest`]: super::Limit::Rest
    pub fn rounds(&self) -> [u64; 2] {
        let first = self.max_iterations.min(POLL_ROUNDS);
        // Rounds are counted in signed numbers.
        [first, (self.max_iterations - first).min(i64::MAX as u64)]
    }
}

/// Says whether a call is cancelled: unless `first` is below the frontier.
#[derive(Clone, Copy, Debug)]
pub struct Poll<'a> {
    /// The frontier.
    pub frontier: &'a AtomicU64,
    /// The number of the first pixel that is computed.
    pub first: u64,
}

impl Poll<'_> {
    /// Whether the call goes on.
    pub fn goes_on(&self) -> bool {
        self.first < self.frontier.load(Ordering::Relaxed)
    }
}

/// Groups side by side.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The column of the first pixel.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// How many groups.
    pub groups: u32,
    /// How many pixels further the next row of pixels is.
    pub stride: usize,
}

/// Something that executes the functions of a register program.
pub trait Callable {
    /// How lanes lie.
    fn shape(&self) -> Shape;

    /// Computes what is the same for the whole frame: the slots' words.
    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>);

    /// Computes a row of groups into `pixels`, RGBA row by row. `mask` is the execution mask: a
    /// word for each lane, all ones where it is active, else zero, the same for each group.
    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status;
}
