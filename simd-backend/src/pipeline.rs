//! From a scheduled program to machine code: the stages in order.
//!
//! ```text
//! schedule ─ lanes::lower ─▶ lane program ─ registers::lower ─▶ ─ registers::spill ─▶ register program ─ Emitter ─▶ code
//!                                          for a Shape            for a Machine
//! ```
//!
//! *Listings show the code that runs*: kernels, `compile --emit`, tests and the benchmark all call a
//! [`Compiler`]. The [`Compilation`] holds the product of each stage exactly as the next stage took it.
//! Decisions between stages are made here: the shape, how registers are allocated, and a smaller number of
//! lanes if the code needs too much stack, memory for arrays or too many instructions.
//!
//! In debug builds each stage's product is verified.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::limits;
use std::time::{Duration, Instant};

use lambdav_core::op::Op;
use lambdav_core::resource::Bound;
use lambdav_core::schedule::{self, Expr};
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{Resource, ResourceKind, Types};
use lambdav_float_environment::with_default;

use crate::cost;
use crate::emit::{Allocation, EmitError, Listing, MachineCode, Target};
use crate::lanes::{self, Extents, Items, LaneProgram, Width};
use crate::registers::{self, Between, Choice, Reason, RegisterProgram, Shape};
use lambdav_core::schedule::Places;

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The machine and its emitter.
    pub target: Target,
    /// The requested number of lanes. If absent or not in [`Shape::LANES`], the cost model chooses.
    pub lanes: Option<u32>,
    /// Number of pixels to compute. For few pixels fast compilation wins.
    pub pixels: f64,
    /// Computes expressions that are uniform over the frame once per frame. If false, loops keep the order
    /// of the schedule.
    pub hoist: bool,
    /// Baked sizes of resources, by number. Baked sizes are constants: the code runs faster, but takes only
    /// data of these sizes. Results are the same in every bit. The code reads all other sizes at run time.
    pub extents: Vec<Extents>,
    /// Items that lanes compute: rows of pixels, or a list.
    pub items: Items,
    /// The indices of uniforms that items have ([`lanes::Options::of_primitive`]).
    pub of_primitive: Vec<u32>,
    /// Listings of the code to make.
    pub listing: Listing,
    /// Deadline of the compilation. It is checked between stages only, since emitters cannot poll it. The
    /// longest stage takes one and a half seconds at the limits.
    pub deadline: Option<Instant>,
}

/// A compiled program, stage by stage.
#[derive(Debug)]
pub struct Compilation {
    /// The lane program.
    pub lanes: LaneProgram,
    /// The shape of a group, and the reason for it.
    pub choice: Choice,
    /// The register program after spilling.
    pub registers: RegisterProgram,
    /// The register allocation used.
    pub allocation: Allocation,
    /// The machine code.
    pub code: MachineCode,
    /// How long the stages took.
    pub times: Times,
}

/// How long the stages of a compilation took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Lowering to the lane program.
    pub lanes: Duration,
    /// Lowering to the register program and spilling, summed over all numbers of lanes tried.
    pub registers: Duration,
    /// Emitting machine code, summed likewise.
    pub code: Duration,
}

impl Compiler {
    /// A compiler for a target. The cost model chooses the number of lanes, for an unlimited number of
    /// pixels.
    pub fn new(target: Target) -> Self {
        let (pixels, listing) = (f64::INFINITY, Listing::None);
        let (items, extents, of_primitive) = (Items::Rows, Vec::new(), Vec::new());
        Self {
            target,
            lanes: None,
            pixels,
            hoist: true,
            extents,
            items,
            of_primitive,
            listing,
            deadline: None,
        }
    }

    /// This compiler with the sizes of these resources baked.
    #[must_use]
    pub fn specialised(self, resources: &[Bound]) -> Self {
        Self { extents: resources.iter().map(Extents::of).collect(), ..self }
    }

    /// This compiler for listed lanes, with these uniforms as words of the primitive.
    #[must_use]
    pub fn listed(self, of_primitive: Vec<u32>) -> Self {
        Self { items: Items::Listed, of_primitive, ..self }
    }

    /// This compiler for one lane, which meets loops in the order of the schedule.
    #[must_use]
    pub fn in_order(&self) -> Self {
        Self { lanes: Some(1), hoist: false, ..self.clone() }
    }

    fn in_time(&self) -> Result<(), EmitError> {
        let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over { Err(EmitError::TimedOut) } else { Ok(()) }
    }

    /// The target of the code. It depends on the requested number of lanes.
    pub fn target(&self) -> Target {
        self.target.for_lanes(self.lanes)
    }

    /// The lane program of an output that was scheduled alone, for groups of the width that
    /// [`Self::choice`] gives.
    ///
    /// # Panics
    ///
    /// If [`Self::check`] refuses the program.
    pub fn lane_program(&self, program: &schedule::Program) -> LaneProgram {
        let width = match (self.lanes, self.items) {
            (Some(1), _) => Width::One,
            // Invocations have no neighbours.
            (_, Items::Invocations { .. }) => Width::Any,
            _ => Width::Quads,
        };
        let lowered = self.lower(program, width);
        if width == Width::Any {
            return lowered;
        }
        let wanted = self.choice(&lowered).shape.width();
        if wanted == width { lowered } else { self.lower(program, wanted) }
    }

    /// The options of lowering to lane programs of a width.
    pub fn options(&self, width: Width) -> lanes::Options<'_> {
        let Self { items, hoist, extents, of_primitive, .. } = self;
        lanes::Options { width, items: *items, hoist: *hoist, extents, of_primitive }
    }

    fn lower(&self, program: &schedule::Program, width: Width) -> LaneProgram {
        with_default(|| lanes::lower(program, &self.options(width)))
    }

    /// The shape of a lane program's groups, and the reason for it. Needs of stack, arrays and instructions
    /// are not considered yet.
    pub fn choice(&self, program: &LaneProgram) -> Choice {
        let tile = self.target().machine().tile;
        match self.lanes.and_then(|lanes| Shape::new(lanes, tile)) {
            Some(shape) => Choice { shape, reason: Reason::Asked },
            None => Shape::preferred(program, tile, self.pixels),
        }
    }

    /// The register program for a shape before spilling, with any number of registers.
    pub fn unspilled(&self, program: &LaneProgram, shape: Shape) -> RegisterProgram {
        let registers = registers::lower(program, shape);
        debug_assert_eq!(registers::verify(&registers), Ok(()), "{registers}");
        registers
    }

    /// The register program for a shape after spilling, and the allocation of its registers.
    pub fn register_program(
        &self,
        program: &LaneProgram,
        shape: Shape,
    ) -> (RegisterProgram, Allocation) {
        let mut registers = self.unspilled(program, shape);
        let allocation = self.allocation(&registers.row);
        let between = match allocation {
            Allocation::Thorough => Between::Registers,
            Allocation::Quick => Between::Memory,
        };
        registers::spill(&mut registers, &self.target().machine(), between);
        debug_assert_eq!(registers::verify(&registers), Ok(()), "{registers}");
        (registers, allocation)
    }

    /// The allocation that minimises the time of compiling plus computing all pixels.
    fn allocation(&self, row: &registers::RegisterFunction) -> Allocation {
        let instrs = row.instrs();
        let is_quick = || {
            let few_pixels = self.pixels <= cost::QUICK_PIXELS && instrs >= cost::QUICK_INSTRS;
            few_pixels || instrs as u64 > cost::MAX_INSTRS
        };
        self.target
            .allocation()
            .unwrap_or_else(|| if is_quick() { Allocation::Quick } else { Allocation::Thorough })
    }

    /// Checks that an output that was scheduled alone is small enough for a lane program.
    ///
    /// # Errors
    ///
    /// [`EmitError::TooMuch`], [`EmitError::IndexedArray`], [`EmitError::Native`] and, for pixels,
    /// [`EmitError::Dispatched`].
    pub fn check(&self, program: &schedule::Program) -> Result<(), EmitError> {
        let mut memories = program.types.memories();
        let is_of_invocations = matches!(self.items, Items::Invocations { .. });
        if let (Some((number, _)), false) = (memories.next(), is_of_invocations) {
            return Err(EmitError::Dispatched(program.types.resources()[number].name.to_string()));
        }
        let places = Places::new(program, cost::TABLE);
        within(places.components(program), limits::LANE_VALUES, "values of one lane")?;
        if let Some(native) = native(&program.types) {
            return Err(EmitError::Native(native.name.to_string()));
        }
        match too_large(program, &places) {
            Some(array) => Err(EmitError::IndexedArray(Box::new(array))),
            None => Ok(()),
        }
    }

    /// Compiles an output that was scheduled alone.
    ///
    /// # Errors
    ///
    /// Those of [`Self::check`], and [`EmitError::TooDeep`], [`EmitError::TooLarge`] and
    /// [`EmitError::TimedOut`].
    pub fn compile(&self, program: &schedule::Program) -> Result<Compilation, EmitError> {
        let mut times = Times::default();
        self.check(program)?;
        self.in_time()?;
        let lanes = timed(&mut times.lanes, || self.lane_program(program));
        with_default(|| self.compile_lanes(lanes, Some(program), times))
    }

    /// Compiles a lane program of [`Width::Any`], or of any width if one lane is requested.
    ///
    /// # Errors
    ///
    /// Those of [`Self::compile`].
    pub fn compile_lane_program(&self, program: LaneProgram) -> Result<Compilation, EmitError> {
        with_default(|| self.compile_lanes(program, None, Times::default()))
    }

    fn compile_lanes(
        &self,
        mut lanes: LaneProgram,
        of: Option<&schedule::Program>,
        mut times: Times,
    ) -> Result<Compilation, EmitError> {
        if lanes.loop_nesting > limits::CODE_LOOP_NESTING {
            return Err(EmitError::TooDeep { depth: lanes.loop_nesting });
        }
        let (values, passed) = lanes.size();
        within(values, limits::LANE_VALUES, "values of one lane")?;
        within(passed, limits::PASSED_VALUES, "values that a loop or a branch passes on")?;
        let target = self.target();
        let (machine, emitter) = (target.machine(), target.emitter());
        assert_eq!(machine.tile, emitter.machine().tile, "code can be made for that machine");
        let mut choice = self.choice(&lanes);
        loop {
            self.in_time()?;
            if let (Width::Quads, Width::Pairs, Some(of)) = (lanes.width, choice.shape.width(), of)
            {
                lanes = timed(&mut times.lanes, || self.lower(of, Width::Pairs));
            }
            let (registers, allocation) =
                timed(&mut times.registers, || self.register_program(&lanes, choice.shape));
            let fewer = choice.shape.fewer().filter(|_| choice.reason != Reason::Asked);
            let (bytes, most) = (registers.array_bytes(), cost::MAX_ARRAY_BYTES);
            if let (Some(shape), true) = (fewer, bytes > most) {
                let reason = Reason::Arrays { lanes: choice.shape.lanes(), bytes, most };
                choice = Choice { shape, reason };
                continue;
            }
            within(bytes, limits::ARRAY_BYTES, "bytes of arrays that live at once")?;
            let size = instrs(&registers);
            if let (Some(shape), true) = (fewer, size > limits::INSTRS) {
                let (lanes, instrs) = (choice.shape.lanes(), size as u64);
                let reason = Reason::Instrs { lanes, instrs, most: limits::INSTRS as u64 };
                choice = Choice { shape, reason };
                continue;
            }
            within(size, limits::INSTRS, "instructions of registers")?;
            self.in_time()?;
            let code =
                timed(&mut times.code, || emitter.emit(&registers, allocation, self.listing))?;
            match fewer {
                Some(shape) if code.stack() > cost::MAX_STACK => {
                    let reason = Reason::Stack {
                        lanes: choice.shape.lanes(),
                        bytes: code.stack(),
                        most: cost::MAX_STACK,
                    };
                    choice = Choice { shape, reason };
                }
                _ => return Ok(Compilation { lanes, choice, registers, allocation, code, times }),
            }
        }
    }
}

/// Estimated number of machine instructions: a call counts several times, parameters of blocks count too.
/// Within the limit it returns an upper bound instead, without looking for calls.
fn instrs(program: &RegisterProgram) -> usize {
    let blocks = program.frame.blocks.iter().chain(&program.row.blocks);
    let most = blocks
        .clone()
        .map(|block| (1 + cost::INSTRS_OF_CALL) * block.instrs.len() + block.params.len() + 1);
    let most = most.sum();
    if most <= limits::INSTRS {
        return most;
    }
    let sizes = blocks.map(|block| {
        let calls = block.instrs.iter().filter(|instr| instr.is_call()).count();
        block.instrs.len() + cost::INSTRS_OF_CALL * calls + block.params.len() + 1
    });
    sizes.sum()
}

/// The first texture sampled by the device's own sampler (only SPIR-V declares one).
fn native(types: &Types) -> Option<&Resource> {
    let mut all = types.resources().iter().map(|of| &**of);
    all.find(|of| matches!(of.kind, ResourceKind::Texture(TextureOptions { native: true, .. })))
}

/// Checks a size against the limit of machine code.
fn within(size: usize, most: usize, unit: &'static str) -> Result<(), EmitError> {
    if size <= most { Ok(()) } else { Err(EmitError::TooMuch { size, unit, most }) }
}

/// Runs a stage and adds its time.
pub(crate) fn timed<R>(time: &mut Duration, stage: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    let result = stage();
    *time += begun.elapsed();
    result
}

/// The error for an array that an index chooses from, if it has too many words and does not lie in memory.
fn too_large(program: &schedule::Program, places: &Places) -> Option<Diagnostic> {
    program.walk().find_map(|event| {
        let schedule::Event::Statement(_, statement) = event else { return None };
        let schedule::Statement::Let { value, expr: Expr::Op(Op::At | Op::Update, of) } = statement
        else {
            return None;
        };
        let words = program.types.components(program.ty(of[0]));
        if places.is_in_memory(of[0]) || words <= limits::CHOSEN_WORDS {
            return None;
        }
        let (span, most) = (program.values[value.index()].span, limits::CHOSEN_WORDS);
        let message = format!(
            "an index chooses from an array of {words} words that is computed; machine code takes at most {most}"
        );
        let diagnostic = Diagnostic::new(DiagnosticCode::IndexedArray, span, message)
            .label("the index is known only when the program runs")
            .note("constant arrays and uniforms lie in memory and may be larger")
            .help("make the array smaller, a constant table or a uniform, or use the engine `core`, which is slow");
        Some(diagnostic)
    })
}
