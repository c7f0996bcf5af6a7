//! Of how many lanes a group is, how they lie, and how many are best for a program.

use std::fmt;

use crate::lanes::{BlockId, End, Program, Rate, Statement};

/// How the lanes of a group lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// W, the lanes of a register.
    pub width: u32,
    /// Registers side by side.
    pub across: u32,
    /// Registers one below the other.
    pub down: u32,
}

impl Shape {
    /// The numbers of lanes for which there is a shape.
    pub const LANES: [u32; 5] = [1, 4, 8, 16, 32];

    /// The shape for a number of lanes, if it is one of [`Shape::LANES`].
    pub fn new(lanes: u32) -> Option<Self> {
        let (width, across, down) = match lanes {
            1 => (1, 1, 1),
            4 => (4, 1, 1),
            8 => (4, 1, 2),
            16 => (4, 1, 4),
            32 => (4, 2, 4),
            _ => return None,
        };
        Some(Self { width, across, down })
    }

    /// Lanes in all.
    pub fn lanes(self) -> u32 {
        self.columns() * self.rows()
    }

    /// Pixels side by side.
    pub fn columns(self) -> u32 {
        self.width * self.across
    }

    /// Pixels one below the other.
    pub fn rows(self) -> u32 {
        self.down
    }

    /// How many registers a value of that rate has, if one register holds W lanes of it.
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

    /// Which register of a value of rate `from` holds the lanes that register `index` of a value
    /// of rate `to` holds, where `to` includes `from`.
    pub(super) fn project(self, index: usize, to: Rate, from: Rate) -> usize {
        let (across, _) = self.extent(to);
        let (row, column) = (index as u32 / across, index as u32 % across);
        let (across, down) = self.extent(from);
        (row.min(down - 1) * across + column.min(across - 1)) as usize
    }

    /// The first register of a varying value that has the lanes of a register of one of that rate.
    pub(super) fn first_of(self, index: usize, rate: Rate) -> usize {
        let (across, _) = self.extent(rate);
        let (row, column) = (index as u32 / across, index as u32 % across);
        (row * self.across + column) as usize
    }

    /// The column and row of a lane in its group: registers in rows, lanes in registers.
    pub fn pixel(self, lane: u32) -> (u32, u32) {
        let (register, lane) = (lane / self.width, lane % self.width);
        (register % self.across * self.width + lane, register / self.across)
    }
}

/// Above this many register instructions a program is compiled for fewer lanes, down to 8: compiling would take longer
/// than what it saves in most images.
const MANY_INSTRS: u64 = 5_000;

/// Above this many, for fewer still, so that the time that it takes does not grow with them.
const MAX_INSTRS: u64 = 60_000;

/// How much a loop's body counts beside what is outside.
const ROUNDS: u64 = 8;

/// Deeper loops count no more: the sum is to stay a number.
const MOST_LOOPS: u32 = 6;

impl Shape {
    /// The shape for a program if nobody says another.
    ///
    /// Sixteen lanes, four registers for a value, keep the machine busy while they wait for one another. Twice as many are
    /// better where most work is the same for all lanes of a group: numbers that depend on a loop's counter alone.
    /// Large programs have fewer. (Measured over gallery and benchmark; divergence matters less than either.)
    pub fn preferred(program: &Program) -> Choice {
        let work = work(program);
        let most = if work.is_mostly_uniform() { 32 } else { 16 };
        let mut choice = Choice { shape: Self::of(most), reason: Reason::Work(work) };
        for fewer in [16, 8, 4].into_iter().filter(|&lanes| lanes < most) {
            let lanes = choice.shape.lanes();
            let instrs = work.values * u64::from(lanes.div_ceil(4));
            let most = if lanes > 8 { MANY_INSTRS } else { MAX_INSTRS };
            if instrs <= most {
                break;
            }
            let reason = Reason::Instrs { lanes, instrs, most };
            choice = Choice { shape: Self::of(fewer), reason };
        }
        choice
    }

    fn of(lanes: u32) -> Self {
        Self::new(lanes).expect("one of the shapes")
    }
}

/// A shape, and why it is this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The shape.
    pub shape: Shape,
    /// Why.
    pub reason: Reason,
}

/// Why a program has so many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They were asked for.
    Asked,
    /// They suit this work.
    Work(Work),
    /// With more lanes there would be too many instructions.
    Instrs {
        /// That number of lanes.
        lanes: u32,
        /// The register instructions that they need.
        instrs: u64,
        /// The most for which there are so many lanes.
        most: u64,
    },
    /// With more lanes the code needed too much stack.
    Stack {
        /// That number of lanes.
        lanes: u32,
        /// The bytes that they needed.
        bytes: usize,
        /// The most that it may need while there can be fewer lanes.
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
                write!(f, "{uniform} for all lanes, by cost, a loop as {ROUNDS} rounds")
            }
            Self::Instrs { lanes, instrs, most } => {
                write!(f, "{instrs} register instructions at {lanes} lanes, more than {most}")
            }
            Self::Stack { lanes, bytes, most } => {
                write!(f, "{bytes} bytes of stack at {lanes} lanes, more than {most}")
            }
        }
    }
}

/// What a group does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations for all lanes at once, by what they cost and how deep they are in loops.
    pub uniform: u64,
    /// Operations for each register, by the same.
    pub varying: u64,
    /// Operations for each register, each counted once.
    pub values: u64,
}

impl Work {
    /// Whether most of it is the same for all lanes.
    pub fn is_mostly_uniform(self) -> bool {
        self.uniform > self.varying
    }
}

fn work(program: &Program) -> Work {
    let mut work = Work::default();
    let group = &program.block(Program::ROOT).statements[program.frame_len..];
    let mut stack: Vec<(BlockId, u32)> = Vec::new();
    let mut add = |statements: &[Statement], loops: u32, stack: &mut Vec<(BlockId, u32)>| {
        for statement in statements {
            match *statement {
                Statement::Let { value, ref expr } => {
                    let cost = expr.cost() * ROUNDS.pow(loops.min(MOST_LOOPS));
                    if program.rate(value).is_uniform() {
                        work.uniform = work.uniform.saturating_add(cost);
                    } else {
                        work.varying = work.varying.saturating_add(cost);
                        work.values += u64::from(cost > 0);
                    }
                }
                Statement::If { then, otherwise, .. } => {
                    stack.extend([(then, loops), (otherwise, loops)]);
                }
                Statement::Loop { body, .. } => stack.push((body, loops + 1)),
            }
        }
    };
    add(group, 0, &mut stack);
    while let Some((id, loops)) = stack.pop() {
        let block = program.block(id);
        add(&block.statements, loops, &mut stack);
        if let End::If { then, otherwise, .. } = block.end {
            stack.extend([(then, loops), (otherwise, loops)]);
        }
    }
    work
}
