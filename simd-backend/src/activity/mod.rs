//! Lane utilisation: the average share of lanes whose results some pixel needs.
//!
//! Machine code has no counters. The interpreter of lane programs counts, on a sample of the groups of an
//! image.
//!
//! # Counting
//!
//! An operation computes all lanes of a group. Only the lanes that are *active* in its block need the
//! result:
//!
//! - at the root, the lanes inside the image ([`LaneExpr::ExecutionMask`]);
//! - in an arm that is entered if any lane of a mask is set ([`LaneExpr::Any`]), the lanes of the mask;
//! - in any other arm, the lanes that are active around it;
//! - in the first round of a loop, the lanes that are active around it; in each other round, those
//!   that are active where the `rec` stands.
//!
//! Each execution of an operation counts its [cost](LaneExpr::cost) times its number of registers. Uniform
//! values are computed without lanes and do not count. A short arm without a test counts as work of the
//! lanes around it.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use lambdav_image::Size;

use crate::lanes::interpret::{Group, Observer, observe};
use crate::lanes::{BlockId, LaneExpr, LaneProgram, LaneStatement, ValueId};
use crate::registers::{Inputs, Shape};

/// Number of groups of an image to sample.
pub const GROUPS: u32 = 64;

/// Time limit of a sample.
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);

/// Lane utilisation of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activity {
    /// Active share of lanes, from 0 to 1. `None` if nothing is computed in lanes.
    pub share: Option<f64>,
    /// Number of groups sampled. If time ran out, the last group counts as far as it was executed.
    pub groups: u32,
    /// Number of groups to sample: [`GROUPS`], or all of a smaller image.
    pub planned: u32,
}

/// Samples groups that are spread over an image and lie as the kernel lays them, until time is up.
pub(crate) fn sample(
    program: &LaneProgram,
    shape: Shape,
    inputs: &Inputs,
    primitive: &[u32],
    size: Size,
    patience: Duration,
) -> Activity {
    let columns = size.width().div_ceil(shape.columns());
    let rows = size.height().div_ceil(shape.rows());
    let planned = (u64::from(columns) * u64::from(rows)).min(GROUPS.into()) as u32;
    let mut counter = Counter::new(program, shape, patience);
    let mut groups = 0;
    while groups < planned && (groups == 0 || !counter.is_late()) {
        let (column, row) = place(groups, columns, rows);
        let pixels: Vec<(u32, u32)> = (0..shape.lanes())
            .map(|lane| {
                let (x, y) = shape.pixel(lane);
                (column * shape.columns() + x, row * shape.rows() + y)
            })
            .collect();
        let mask: Vec<bool> =
            pixels.iter().map(|&(x, y)| x < size.width() && y < size.height()).collect();
        let group = Group {
            inputs: inputs.words(),
            primitive,
            resources: inputs.data(),
            pixels: &pixels,
            mask: &mask,
            max_iterations: inputs.max_iterations(),
        };
        // An error or a time-out keeps the counts so far.
        let _ = observe(program, &group, &mut counter);
        groups += 1;
    }
    let share = (counter.all > 0).then(|| counter.active as f64 / counter.all as f64);
    Activity { share, groups, planned }
}

/// Column and row of a group to sample: all groups if they are few, else points of M. Roberts' sequence R2.
/// Any number of its first points is spread evenly.
fn place(index: u32, columns: u32, rows: u32) -> (u32, u32) {
    if u64::from(columns) * u64::from(rows) <= GROUPS.into() {
        return (index % columns, index / columns);
    }
    // The powers of 1/ρ, where ρ³ = ρ + 1.
    let [x, y] = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3]
        .map(|step: f64| (0.5 + step * f64::from(index)).fract());
    ((x * f64::from(columns)) as u32, (y * f64::from(rows)) as u32)
}

/// Counts the work of lanes.
struct Counter {
    /// The mask of each value that is [`LaneExpr::Any`].
    masks: Vec<Option<ValueId>>,
    /// Work of each block for one lane, without nested blocks.
    work: Vec<u64>,
    lanes: u64,
    active: u64,
    all: u64,
    begun: Instant,
    patience: Duration,
}

impl Counter {
    fn new(program: &LaneProgram, shape: Shape, patience: Duration) -> Self {
        let mut masks = vec![None; program.values.len()];
        let mut work = vec![0; program.blocks.len()];
        for (block, work) in program.blocks.iter().zip(&mut work) {
            for statement in &block.statements {
                let &LaneStatement::Let { value, ref expr } = statement else { continue };
                if let LaneExpr::Any(mask) = expr {
                    masks[value.index()] = Some(*mask);
                }
                let rate = program.rate(value);
                if !rate.is_uniform() {
                    *work += expr.cost() * shape.registers(rate) as u64;
                }
            }
        }
        let lanes = shape.lanes().into();
        Self { masks, work, lanes, active: 0, all: 0, begun: Instant::now(), patience }
    }

    fn is_late(&self) -> bool {
        self.begun.elapsed() >= self.patience
    }
}

impl Observer for Counter {
    fn mask(&self, condition: ValueId) -> Option<ValueId> {
        self.masks[condition.index()]
    }

    fn enter(&mut self, block: BlockId, active: usize) -> ControlFlow<()> {
        let work = self.work[block.index()];
        self.active += work * active as u64;
        self.all += work * self.lanes;
        if self.is_late() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
