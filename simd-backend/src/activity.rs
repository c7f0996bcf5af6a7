//! How many lanes are active on average: which share of what is computed in lanes some pixel needs.
//!
//! Machine code does not count. The interpreter of lane programs does, for a sample of the groups
//! of an image.
//!
//! # What is counted
//!
//! What is computed is computed for all lanes of a group. It is needed by those that are *active*
//! in its block:
//!
//! - at the root, the lanes inside the image ([`Expr::ExecutionMask`]);
//! - in an arm that is entered if any lane of a mask is set ([`Expr::Any`]), the lanes of the mask;
//! - in any other arm, the lanes that are active around it;
//! - in the first round of a loop, the lanes that are active around it; in each other round, those
//!   that are active where the `rec` stands.
//!
//! Each execution of a computation counts by its [cost](Expr::cost) and the registers that it
//! takes. What is the same for all lanes is computed without them and does not count. A short arm
//! that is computed without a test is work of the lanes around it.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use lambdav_image::Size;

use crate::lanes::interpret::{Group, Observer, observe};
use crate::lanes::{BlockId, Expr, LaneProgram, Statement, ValueId};
use crate::registers::{Inputs, Shape};

/// How many groups of an image are looked at.
pub const GROUPS: u32 = 64;

/// How long they are looked at.
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);

/// What share of the lanes is active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activity {
    /// From 0 to 1; none where nothing is computed in lanes.
    pub share: Option<f64>,
    /// In how many groups that is so. When time is up the last one counts as far as it went.
    pub groups: u32,
    /// How many were to be looked at: [`GROUPS`], or all of an image that has fewer.
    pub planned: u32,
}

/// Looks at groups that are spread over an image of that size, and lie as the kernel lays them,
/// until time is up.
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
        // What counts has been counted when it ends, in whatever way.
        let _ = observe(program, &group, &mut counter);
        groups += 1;
    }
    let share = (counter.all > 0).then(|| counter.active as f64 / counter.all as f64);
    Activity { share, groups, planned }
}

/// The column and row of a group to look at: all of them if they are few, else the points of M.
/// Roberts' sequence R2, which are spread evenly however many there are.
fn place(index: u32, columns: u32, rows: u32) -> (u32, u32) {
    if u64::from(columns) * u64::from(rows) <= GROUPS.into() {
        return (index % columns, index / columns);
    }
    // The powers of 1/ρ, where ρ³ = ρ + 1.
    let [x, y] = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3]
        .map(|step: f64| (0.5 + step * f64::from(index)).fract());
    ((x * f64::from(columns)) as u32, (y * f64::from(rows)) as u32)
}

/// Counts what is computed in lanes.
struct Counter {
    /// The mask of each value that is [`Expr::Any`].
    masks: Vec<Option<ValueId>>,
    /// What each block computes for a lane, without the blocks in it.
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
                let &Statement::Let { value, ref expr } = statement else { continue };
                if let Expr::Any(mask) = expr {
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
