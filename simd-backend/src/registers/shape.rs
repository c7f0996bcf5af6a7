//! Of how many lanes a group is, how they lie, and how many are best for a program.

use crate::lanes::{BlockId, End, Expr, Op, Program, Rate, Statement};

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
    pub fn preferred(program: &Program) -> Self {
        let Work { uniform, varying, values } = work(program);
        let most = if uniform > varying { 32 } else { 16 };
        let limit = |lanes| if lanes > 8 { MANY_INSTRS } else { MAX_INSTRS };
        let fits = |&lanes: &u32| values * u64::from(lanes.div_ceil(4)) <= limit(lanes);
        let lanes = [32, 16, 8].into_iter().filter(|&lanes| lanes <= most).find(fits);
        Self::new(lanes.unwrap_or(4)).expect("one of the shapes")
    }
}

/// What a group does.
#[derive(Default)]
struct Work {
    /// Operations for all lanes at once, by what they cost and how deep they are in loops.
    uniform: u64,
    /// Operations for each register.
    varying: u64,
    /// Operations for each register, each counted once.
    values: u64,
}

fn work(program: &Program) -> Work {
    let mut work = Work::default();
    let group = &program.block(Program::ROOT).statements[program.frame_len..];
    let mut stack: Vec<(BlockId, u32)> = Vec::new();
    let mut add = |statements: &[Statement], loops: u32, stack: &mut Vec<(BlockId, u32)>| {
        for statement in statements {
            match *statement {
                Statement::Let { value, ref expr } => {
                    let cost = match expr {
                        Expr::Elementary { .. } => 40,
                        Expr::Op(Op::Div | Op::Sqrt, _) => 4,
                        Expr::Op(..) => 1,
                        _ => 0,
                    };
                    let cost = cost * ROUNDS.pow(loops.min(MOST_LOOPS));
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
