//! A compiled program as a kernel that fills tiles.
//!
//! Whole groups are computed in place, a row of them at a call. Groups that reach over the tile's right or
//! lower edge are computed beside it, with a mask of the lanes inside.
//!
//! *Faults.* A call says that some lane of some group exceeded a loop's limit. Which pixel is the
//! first in scan order, and what it met first, is then found by computing the band's pixels again one by
//! one, each in a group with a mask of its lane alone. Where the part for the whole frame is at fault,
//! every pixel is, and a program in which nothing has been moved to that part tells what it meets
//! first.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use lambdav_core::inputs;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_raster::{Cancel, Fault, Kernel, Size, Stop, Tile, TileBuffer};

use crate::activity::{self, Activity};
use crate::cranelift::jit::{Code, Inputs, Row, Wanted};
use crate::cranelift::{EmitError, MAX_LOOP_NESTING, Target};
use crate::lanes::{self, Axis, Given, Width};
use crate::registers::{self, Choice, Reason, Shape, Status};

/// Above this many bytes of stack a program is compiled for fewer lanes.
const MAX_STACK: usize = 256 << 10;

/// One output of a program, compiled.
#[derive(Debug)]
pub struct SimdKernel {
    program: schedule::Program,
    target: Target,
    code: Code,
    reason: Reason,
    times: Times,
    inputs: Inputs,
    sites: Vec<Span>,
    /// What is the same for the whole frame, once some tile has needed it.
    frame: OnceLock<Frame>,
    /// Held while that is computed.
    computing: Mutex<()>,
    /// The code with nothing moved to the frame's part.
    unhoisted: OnceLock<Code>,
}

/// How long the stages of a compilation took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Lowering to the lane program.
    pub lanes: Duration,
    /// Lowering to the register program, for each number of lanes that was tried.
    pub registers: Duration,
    /// Making machine code of it, likewise.
    pub code: Duration,
}

#[derive(Debug)]
enum Frame {
    Slots(Vec<u64>),
    Limit,
}

impl SimdKernel {
    /// Compiles the output of a program that was scheduled for it alone, for so many lanes, or, if that is none
    /// of [`Shape::LANES`] or not said, for as many as seem best.
    ///
    /// # Errors
    ///
    /// Those of [`Target::host`] and [`Code::new`], and [`EmitError::TooDeep`].
    pub fn new(
        program: schedule::Program,
        lanes: Option<u32>,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<Self, EmitError> {
        Self::for_target(program, lanes, inputs, max_iterations, Target::host()?)
    }

    /// The same with some of what this machine's processor can do.
    ///
    /// # Errors
    ///
    /// Those of [`Code::new`], and [`EmitError::TooDeep`].
    pub fn for_target(
        program: schedule::Program,
        lanes: Option<u32>,
        inputs: &inputs::Inputs,
        max_iterations: u64,
        target: Target,
    ) -> Result<Self, EmitError> {
        let Compiled { lane_program, code, reason, times } =
            compile(&program, lanes, &target, pixels(inputs), true)?;
        let given = lane_program.given.iter().map(|given| word(inputs, given)).collect();
        Ok(Self {
            program,
            target,
            code,
            reason,
            times,
            inputs: Inputs { given, max_iterations },
            sites: lane_program.sites,
            frame: OnceLock::new(),
            computing: Mutex::new(()),
            unhoisted: OnceLock::new(),
        })
    }

    /// Where the loop of a fault's site is.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    /// Bytes of stack that computing a tile takes.
    pub fn stack_size(&self) -> usize {
        self.code.stack
    }

    /// The code.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Why it has so many lanes.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// How long compiling it took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// How many lanes are active in an image of that size, by a sample of its groups. It takes about as long as
    /// lowering to lanes did, and a fifth of a second.
    pub fn activity(&self, size: Size) -> Activity {
        let program =
            with_stack(self.program.nesting(), || lanes::lower(&self.program, 0, true, Width::Any));
        with_stack(program.nesting, || {
            activity::sample(&program, self.code.shape(), &self.inputs, size, activity::PATIENCE)
        })
    }

    fn frame(&self, cancel: &Cancel<'_>) -> Result<&Frame, Stop> {
        if let Some(known) = self.frame.get() {
            return Ok(known);
        }
        let _computing = self.computing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.frame.get() {
            return Ok(known);
        }
        let found = match self.code.frame(&self.inputs, wanted(cancel)) {
            (Status::Done, slots) => Frame::Slots(slots),
            (Status::Limit(_), _) => Frame::Limit,
            (Status::Cancelled, _) => return Err(Stop::Cancelled),
        };
        Ok(self.frame.get_or_init(|| found))
    }

    /// What the first pixel of a tile meets, given that every pixel is at fault.
    fn fault_of_frame(&self, tile: Tile, cancel: &Cancel<'_>) -> Stop {
        let code = self.unhoisted.get_or_init(|| {
            let lanes = Some(self.code.shape().lanes());
            let compiled = compile(&self.program, lanes, &self.target, 0.0, false);
            compiled.expect("the same program has been compiled before").code
        });
        self.fault(code, &[], tile, cancel)
    }

    /// The first fault in scan order of a part of a tile in which there is one.
    fn fault(&self, code: &Code, slots: &[u64], part: Tile, cancel: &Cancel<'_>) -> Stop {
        let shape = code.shape();
        let mut run = vec![0; shape.lanes() as usize];
        run[0] = u32::MAX;
        let mut group = vec![[0.0; 4]; shape.lanes() as usize];
        for y in part.y..part.y + part.height {
            for x in part.x..part.x + part.width {
                if !cancel.wants(x, y) {
                    return Stop::Cancelled;
                }
                let row = Row { x, y, groups: 1, stride: shape.columns() as usize };
                let wanted = wanted(cancel);
                match code.row(&self.inputs, slots, &run, wanted, row, &mut group) {
                    Status::Done => {}
                    Status::Cancelled => return Stop::Cancelled,
                    Status::Limit(site) => return Fault { x, y, site }.into(),
                }
            }
        }
        unreachable!("a fault of a group is a fault of one of its lanes")
    }
}

impl Kernel for SimdKernel {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let slots = match self.frame(cancel)? {
            Frame::Slots(slots) => slots,
            Frame::Limit => return Err(self.fault_of_frame(tile, cancel)),
        };
        let shape = self.code.shape();
        let (columns, rows) = (shape.columns(), shape.rows());
        let all = vec![u32::MAX; shape.lanes() as usize];
        let mut beside = vec![[0.0; 4]; shape.lanes() as usize];
        let stride = tile.width as usize;
        for top in (0..tile.height).step_by(rows as usize) {
            let y = tile.y + top;
            if !cancel.wants(tile.x, y) {
                return Err(Stop::Cancelled);
            }
            let height = rows.min(tile.height - top);
            let compute = |run: &[u32], row: Row, pixels: &mut [[f32; 4]]| match self.code.row(
                &self.inputs,
                slots,
                run,
                wanted(cancel),
                row,
                pixels,
            ) {
                Status::Done => Ok(()),
                Status::Cancelled => Err(Stop::Cancelled),
                Status::Limit(_) => {
                    let band = Tile { y, height, ..tile };
                    Err(self.fault(&self.code, slots, band, cancel))
                }
            };
            let whole = if height == rows { tile.width / columns } else { 0 };
            let band = &mut pixels.samples_mut().as_chunks_mut().0[top as usize * stride..];
            if whole > 0 {
                compute(&all, Row { x: tile.x, y, groups: whole, stride }, band)?;
            }
            for left in (whole * columns..tile.width).step_by(columns as usize) {
                let width = columns.min(tile.width - left);
                let run: Vec<u32> = (0..shape.lanes())
                    .map(|lane| {
                        let (column, row) = shape.pixel(lane);
                        if column < width && row < height { u32::MAX } else { 0 }
                    })
                    .collect();
                let row = Row { x: tile.x + left, y, groups: 1, stride: columns as usize };
                compute(&run, row, &mut beside)?;
                for (row, from) in beside.chunks(columns as usize).take(height as usize).enumerate()
                {
                    let to = &mut band[row * stride + left as usize..][..width as usize];
                    to.copy_from_slice(&from[..width as usize]);
                }
            }
        }
        Ok(())
    }
}

fn wanted<'a>(cancel: &Cancel<'a>) -> Wanted<'a> {
    Wanted { frontier: cancel.frontier(), first: cancel.first() }
}

/// The word that is given for a quantity.
pub fn word(inputs: &inputs::Inputs, given: &Given) -> u32 {
    match *given {
        Given::Resolution(Axis::X) => inputs.resolution[0].to_bits(),
        Given::Resolution(Axis::Y) => inputs.resolution[1].to_bits(),
        Given::Time => inputs.time.to_bits(),
        Given::Frame => inputs.frame.to_bits(),
        Given::Mouse(k) => inputs.mouse[usize::from(k)].to_bits(),
        Given::Uniform(index, k) => inputs.uniforms[index as usize][usize::from(k)],
    }
}

/// The shape for a lane program, and why: that of so many lanes, or, if that is none of [`Shape::LANES`] or not said, the
/// preferred one.
pub fn choice(program: &lanes::Program, lanes: Option<u32>) -> Choice {
    match lanes.and_then(Shape::new) {
        Some(shape) => Choice { shape, reason: Reason::Asked },
        None => Shape::preferred(program),
    }
}

/// The lane program and the register program of a scheduled output, for about so many lanes.
pub fn lower(
    program: &schedule::Program,
    lanes: Option<u32>,
) -> (lanes::Program, registers::Program) {
    with_stack(program.nesting(), || {
        let lane_program = lanes::lower(program, 0, true, width(lanes));
        let register_program = registers::lower(&lane_program, choice(&lane_program, lanes).shape);
        (lane_program, register_program)
    })
}

/// The text of a lane program, however deeply it nests.
pub fn text(program: &lanes::Program) -> String {
    with_stack(program.nesting, || program.to_string())
}

/// For how many lanes the lane program is, if so many have been asked for.
fn width(lanes: Option<u32>) -> Width {
    if lanes == Some(1) { Width::One } else { Width::Any }
}

struct Compiled {
    lane_program: lanes::Program,
    code: Code,
    reason: Reason,
    times: Times,
}

/// How many pixels the image has.
fn pixels(inputs: &inputs::Inputs) -> f64 {
    inputs.resolution.map(f64::from).iter().product()
}

fn compile(
    program: &schedule::Program,
    lanes: Option<u32>,
    target: &Target,
    pixels: f64,
    hoist: bool,
) -> Result<Compiled, EmitError> {
    with_stack(program.nesting(), || {
        let mut times = Times::default();
        let lane_program =
            timed(&mut times.lanes, || lanes::lower(program, 0, hoist, width(lanes)));
        if lane_program.loop_nesting > MAX_LOOP_NESTING {
            return Err(EmitError::TooDeep { depth: lane_program.loop_nesting });
        }
        let Choice { mut shape, mut reason } = choice(&lane_program, lanes);
        loop {
            let register_program =
                timed(&mut times.registers, || registers::lower(&lane_program, shape));
            let allocation = target.allocation(&register_program.row, pixels);
            let target = target.clone().with_allocation(allocation);
            let code = timed(&mut times.code, || Code::new(register_program, &target))?;
            let lanes = shape.lanes();
            let fewer = Shape::LANES.into_iter().rev().find(|&l| l < lanes && l > 1);
            match fewer.and_then(Shape::new) {
                Some(fewer) if reason != Reason::Asked && code.stack > MAX_STACK => {
                    shape = fewer;
                    reason = Reason::Stack { lanes, bytes: code.stack, most: MAX_STACK };
                }
                _ => return Ok(Compiled { lane_program, code, reason, times }),
            }
        }
    })
}

/// Does something, and adds how long it took.
fn timed<R>(time: &mut Duration, stage: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    let result = stage();
    *time += begun.elapsed();
    result
}

/// How much stack a level of nesting takes at most in the passes that recurse on it.
const STACK_PER_LEVEL: usize = 8 << 10;

/// Runs a pass that recurses on the nesting of blocks, on a stack that is large enough.
fn with_stack<R: Send>(nesting: usize, pass: impl FnOnce() -> R + Send) -> R {
    if nesting < 64 {
        return pass();
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size((2 << 20) + nesting * STACK_PER_LEVEL)
            .spawn_scoped(scope, pass)
            .expect("a thread can be started")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
