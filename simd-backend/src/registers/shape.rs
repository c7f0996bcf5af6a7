//! The number of lanes of a group, their layout, and the best number for a program.

use std::fmt;

use crate::cost;
use crate::lanes::Axis;
use crate::lanes::walk::{Event, Walk};
use crate::lanes::{LaneProgram, LaneStatement, Rate, Width};
use crate::machine::Tile;
use lambdav_core::graph::Side;

/// The layout of a group's lanes: `across × down` registers, each a tile of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The pixels of a register.
    pub tile: Tile,
    /// Registers side by side.
    pub across: u32,
    /// Registers one below the other.
    pub down: u32,
}

impl Shape {
    /// The numbers of lanes that can be asked for.
    pub const LANES: [u32; 6] = [1, 4, 8, 16, 32, 64];

    /// The shape of a group of `lanes` lanes in registers of `tile`; for one lane, in scalars.
    /// `None` if the lanes do not fill registers, or the number is not in [`Shape::LANES`].
    pub fn new(lanes: u32, tile: Tile) -> Option<Self> {
        let (columns, rows) = match lanes {
            1 => return Some(Self { tile: Tile::ONE, across: 1, down: 1 }),
            4 => (4, 1),
            8 => (4, 2),
            16 => (4, 4),
            32 => (8, 4),
            64 => (16, 4),
            _ => return None,
        };
        let fits = columns % tile.columns() == 0 && rows % tile.rows() == 0;
        fits.then(|| Self { tile, across: columns / tile.columns(), down: rows / tile.rows() })
    }

    /// The next smaller shape in vectors.
    pub fn fewer(self) -> Option<Self> {
        let smaller =
            Self::LANES.into_iter().rev().filter(|&lanes| lanes < self.lanes() && lanes > 1);
        smaller.filter_map(|lanes| Self::new(lanes, self.tile)).next()
    }

    /// The number of lanes.
    pub fn lanes(self) -> u32 {
        self.columns() * self.rows()
    }

    /// Pixels side by side.
    pub fn columns(self) -> u32 {
        self.tile.columns() * self.across
    }

    /// Pixels one below the other.
    pub fn rows(self) -> u32 {
        self.tile.rows() * self.down
    }

    /// The number of registers of a value of that rate, if one register holds W lanes of it.
    pub fn registers(self, rate: Rate) -> usize {
        let (across, down) = self.extent(rate);
        (across * down) as usize
    }

    fn extent(self, rate: Rate) -> (u32, u32) {
        (
            if rate.includes(Rate::X) { self.across } else { 1 },
            if rate.includes(Rate::Y) { self.down } else { 1 },
        )
    }

    /// The register of a value of rate `from` with the lanes of register `index` of a value of rate
    /// `to`, where `to` includes `from`.
    pub(super) fn project(self, index: usize, to: Rate, from: Rate) -> usize {
        let (across, _) = self.extent(to);
        let (row, column) = (index as u32 / across, index as u32 % across);
        let (across, down) = self.extent(from);
        (row.min(down - 1) * across + column.min(across - 1)) as usize
    }

    /// The first register of a varying value that shares lanes with register `index` of a value of
    /// `rate`.
    pub(super) fn first_of(self, index: usize, rate: Rate) -> usize {
        let (across, _) = self.extent(rate);
        let (row, column) = (index as u32 / across, index as u32 % across);
        (row * self.across + column) as usize
    }

    /// The register with the pixels of `side` in the pairs along `axis` that register `index`
    /// belongs to. A register must have one pixel along the axis.
    pub(super) fn neighbour(self, index: usize, rate: Rate, axis: Axis, side: Side) -> usize {
        let (across, _) = self.extent(rate);
        let (mut row, mut column) = (index as u32 / across, index as u32 % across);
        let along = match axis {
            Axis::X => &mut column,
            Axis::Y => &mut row,
        };
        *along = *along & !1 | u32::from(side == Side::Odd);
        (row * across + column) as usize
    }

    /// The width of groups of this shape, on which a lane program may rely.
    pub fn width(self) -> Width {
        match (self.columns(), self.rows()) {
            (1, 1) => Width::One,
            (_, 1) => Width::Pairs,
            _ => Width::Quads,
        }
    }

    /// The column and row of a lane in its group: registers in rows, lanes in registers.
    pub fn pixel(self, lane: u32) -> (u32, u32) {
        let (register, lane) = (lane / self.tile.width(), lane % self.tile.width());
        let (column, row) = self.tile.pixel(lane);
        let (x, y) = (register % self.across, register / self.across);
        (x * self.tile.columns() + column, y * self.tile.rows() + row)
    }

    /// The preferred shape for a program, in registers of `tile`, for an image of `pixels` pixels.
    ///
    /// Divergence matters less than the share of uniform work and the size of the program.
    /// (Measured over gallery and benchmark.)
    pub fn preferred(program: &LaneProgram, tile: Tile, pixels: f64) -> Choice {
        let work = work(program);
        let several = cost::REGISTERS * tile.width();
        // Code for many lanes is long, and few pixels do not repay its compile time.
        let several = if pixels < cost::MANY_PIXELS {
            several.min(cost::LANES_OF_FEW_PIXELS)
        } else {
            several
        };
        let is_uniform = work.is_mostly_uniform();
        let most = if is_uniform { several.max(cost::UNIFORM_LANES) } else { several };
        let shape = Self::new(most, tile).expect("a shape of every machine");
        let mut choice = Choice { shape, reason: Reason::Work(work) };
        while let Some(fewer) = choice.shape.fewer() {
            let lanes = choice.shape.lanes();
            let instrs = work.values * u64::from(lanes.div_ceil(tile.width()));
            let many = lanes > cost::FEW_LANES;
            let most = if many { cost::MANY_INSTRS } else { cost::MAX_INSTRS };
            if instrs <= most {
                break;
            }
            let reason = Reason::Instrs { lanes, instrs, most };
            choice = Choice { shape: fewer, reason };
        }
        choice
    }
}

/// A shape, and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The shape.
    pub shape: Shape,
    /// The reason.
    pub reason: Reason,
}

/// The reason for a number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They were asked for.
    Asked,
    /// They suit this work.
    Work(Work),
    /// With more lanes there would be too many instructions.
    Instrs {
        /// The larger number of lanes.
        lanes: u32,
        /// The register instructions that these would need.
        instrs: u64,
        /// The limit of instructions for that number of lanes.
        most: u64,
    },
    /// With more lanes arrays would need too much memory.
    Arrays {
        /// The larger number of lanes.
        lanes: u32,
        /// The bytes of arrays that these would need.
        bytes: usize,
        /// The limit of bytes.
        most: usize,
    },
    /// With more lanes the code needed too much stack.
    Stack {
        /// The larger number of lanes.
        lanes: u32,
        /// The bytes of stack that these needed.
        bytes: usize,
        /// The limit of bytes, as long as fewer lanes are possible.
        most: usize,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Asked => write!(f, "asked for"),
            Self::Work(work) => {
                let Work { uniform, varying, .. } = work;
                let mostly = if work.is_mostly_uniform() { "uniform" } else { "varying" };
                write!(f, "work mostly {mostly}: {varying} operations a register, ")?;
                write!(f, "{uniform} for all lanes, by cost, a loop as {} rounds", cost::ROUNDS)
            }
            Self::Instrs { lanes, instrs, most } => {
                write!(f, "{instrs} register instructions at {lanes} lanes, more than {most}")
            }
            Self::Arrays { lanes, bytes, most } => {
                write!(f, "{bytes} bytes of arrays at {lanes} lanes, more than {most}")
            }
            Self::Stack { lanes, bytes, most } => {
                write!(f, "{bytes} bytes of stack at {lanes} lanes, more than {most}")
            }
        }
    }
}

/// The work of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The cost of uniform operations, weighted by loop depth.
    pub uniform: u64,
    /// The cost of operations for each register, weighted by loop depth.
    pub varying: u64,
    /// The number of operations for each register, each counted once.
    pub values: u64,
}

impl Work {
    /// True if most of the work is uniform.
    pub fn is_mostly_uniform(self) -> bool {
        self.uniform > self.varying
    }
}

fn work(program: &LaneProgram) -> Work {
    let mut work = Work::default();
    let mut loops = 0;
    let group = program.frame_len..program.block(LaneProgram::ROOT).statements.len();
    for event in Walk::of_statements(LaneProgram::ROOT, group).events(program) {
        match event {
            Event::Statement(id, index) => match program.block(id).statements[index] {
                LaneStatement::Let { value, ref expr } => {
                    let cost = expr.cost() * cost::in_loops(loops);
                    if program.rate(value).is_uniform() {
                        work.uniform = work.uniform.saturating_add(cost);
                    } else {
                        work.varying = work.varying.saturating_add(cost);
                        work.values += u64::from(cost > 0);
                    }
                }
                LaneStatement::Access { ref access, .. } => {
                    let cost = access.cost() * cost::in_loops(loops);
                    work.varying = work.varying.saturating_add(cost);
                    work.values += 1;
                }
                LaneStatement::If { .. } => {}
                LaneStatement::Loop { .. } => loops += 1,
            },
            Event::After(id, index) => {
                let is_loop =
                    matches!(program.block(id).statements[index], LaneStatement::Loop { .. });
                loops -= u32::from(is_loop);
            }
            Event::Enter(_) | Event::End(_) | Event::Leave(_) => {}
        }
    }
    work
}
