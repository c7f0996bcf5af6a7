//! Executions by the SIMD backend: the interpreter of lane programs, the interpreter of register programs before and
//! after spilling, and machine code of each target that this machine can execute.
//!
//! All of them execute any program in order. A race-free program is also executed in several lanes, filled within each
//! workgroup. Kernels choose the tier: they run by threads what they can prove.

use crate::compare::ITERATIONS;
use crate::program::Program;
use lambdav_core::evaluate::{Dispatch, Invocation, Memory, has_barrier};
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::Program as Schedule;
use lambdav_machine_code::Evaluated;
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::executable::shared;
use lambdav_simd_backend::emit::{Executable, Target};
use lambdav_simd_backend::kernel::{
    DispatchKernel, Interpreted, Spilling, Tier, dispatch_inputs, list_invocations,
};
use lambdav_simd_backend::lanes::interpret::{self, Group, Invocations};
use lambdav_simd_backend::lanes::{Items, LaneProgram, Options, Width, lower};
use lambdav_simd_backend::registers::{Callable, Inputs as Words, Listed, Poll, Status};
use lambdav_workers::ThreadPool;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// The executable form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The lane program, interpreted.
    Lanes,
    /// The register program, interpreted.
    Registers(Spilling),
    /// Machine code of the target of that name.
    Code(&'static str),
    /// Machine code of that target, evaluated: this machine need not have it.
    Evaluated(&'static str),
}

/// The order in which invocations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One after the other.
    InOrder,
    /// In so many lanes, for a program without races.
    Lanes(u32),
    /// As a kernel for so many lanes decides.
    Threads(u32),
}

/// The target of that name.
fn target(name: &'static str) -> Target {
    static TARGETS: OnceLock<Vec<Target>> = OnceLock::new();
    let all = TARGETS.get_or_init(|| {
        let named = |name| Target::named(name).expect("any machine emits it").expect("it is known");
        Target::names().map(named).collect()
    });
    all.iter().find(|target| target.name() == name).expect("it is one of these").clone()
}

/// Pairs of a target and a number of lanes that fills its registers.
const LANES: [(&str, u32); 7] = [
    (Target::BASELINE, 4),
    (Target::BASELINE, 8),
    ("avx2", 8),
    ("avx2", 16),
    ("avx512", 8),
    ("avx512", 16),
    ("avx512", 32),
];

/// The executions of a program by the SIMD backend; none of one with barriers, or without
/// effects.
pub fn of(is_race_free: bool, scheduled: &Schedule) -> Vec<(Form, Mode)> {
    if has_barrier(scheduled) || scheduled.outputs().is_empty() {
        return Vec::new();
    }
    let registers = [Spilling::Before, Spilling::After].map(Form::Registers);
    let mut all = vec![(Form::Lanes, Mode::InOrder), (Form::Code(Target::BASELINE), Mode::InOrder)];
    all.extend(registers.map(|form| (form, Mode::InOrder)));
    if is_race_free {
        all.extend([2, 7].map(|lanes| (Form::Lanes, Mode::Lanes(lanes))));
        all.extend(
            registers.into_iter().zip([8, 16]).map(|(form, lanes)| (form, Mode::Lanes(lanes))),
        );
        for (name, lanes) in LANES {
            let is_here = Target::here().any(|here| here == name);
            let form = if is_here { Form::Code(name) } else { Form::Evaluated(name) };
            all.push((form, Mode::Lanes(lanes)));
        }
        all.push((Form::Evaluated("avx512"), Mode::Lanes(16)));
        all.push((Form::Evaluated("avx2"), Mode::Lanes(8)));
    }
    all.push((Form::Registers(Spilling::After), Mode::Threads(8)));
    all.push((Form::Code(Target::BASELINE), Mode::Threads(4)));
    all
}

/// Executes a program on memories; returns those that it leaves, and the tier of a kernel.
///
/// # Errors
///
/// Refused programs, and faults, which no program has.
pub fn run(
    program: &Program,
    scheduled: &Schedule,
    memory: Memory,
    (form, mode): (Form, Mode),
) -> Result<(Memory, Option<Tier>), String> {
    let dispatch = Dispatch { workgroup: program.workgroup, groups: program.groups };
    let name = match form {
        Form::Code(name) | Form::Evaluated(name) => name,
        Form::Lanes | Form::Registers(_) => "avx2",
    };
    let lanes = match mode {
        Mode::InOrder => 1,
        Mode::Lanes(lanes) | Mode::Threads(lanes) => lanes,
    };
    let (items, hoist) = (Items::Invocations, mode != Mode::InOrder);
    let lanes = Some(lanes);
    let compiler = Compiler { items, lanes, hoist, ..Compiler::new(target(name)) };
    let job = Job { dispatch: &dispatch, scheduled, compiler: &compiler, mode };
    Ok(match form {
        Form::Lanes => (job.interpret(memory)?, None),
        Form::Registers(spilling) => job.execute(memory, |compiler, lanes| {
            Interpreted::new(compiler, lanes, spilling).map_err(|errors| format!("{errors:?}"))
        })?,
        Form::Code(_) => job.execute(memory, |compiler, lanes| {
            let compiled = compiler.compile_lane_program(lanes.clone());
            let code =
                compiled.and_then(|compiled| Executable::new(&compiled.code, &compiler.target));
            code.map_err(|error| error.to_string())
        })?,
        Form::Evaluated(_) => job.execute(memory, |compiler, lanes| {
            let compiled = compiler.compile_lane_program(lanes.clone());
            compiled.map(|of| Evaluated::new(&of.code)).map_err(|error| error.to_string())
        })?,
    })
}

/// A dispatch of a program.
struct Job<'a> {
    dispatch: &'a Dispatch,
    scheduled: &'a Schedule,
    compiler: &'a Compiler,
    mode: Mode,
}

impl Job<'_> {
    /// The invocations of a workgroup.
    fn of_workgroup(&self, workgroup: u64) -> Vec<Invocation> {
        let locals = 0..self.dispatch.invocations_of_workgroup();
        locals.map(|local| self.dispatch.invocation(workgroup, local)).collect()
    }

    fn inputs(&self, lanes: &LaneProgram, memory: &Memory) -> Result<Words, String> {
        let inputs = dispatch_inputs(self.scheduled, lanes, &Inputs::default(), memory, ITERATIONS);
        inputs.map_err(|error| error.to_string())
    }

    /// Interprets the lane program.
    fn interpret(&self, mut memory: Memory) -> Result<Memory, String> {
        let Compiler { lanes, hoist, .. } = *self.compiler;
        let lanes = lanes.expect("they are given");
        let width = if lanes == 1 { Width::One } else { Width::Any };
        let options = Options { hoist, ..self.compiler.options(width) };
        let program = lower(self.scheduled, &options);
        let inputs = self.inputs(&program, &memory)?;
        for workgroup in 0..self.dispatch.workgroups() {
            memory.begin_workgroup(&self.scheduled.types);
            for some in self.of_workgroup(workgroup).chunks(lanes as usize) {
                let last = some[some.len() - 1];
                let mut all = some.to_vec();
                all.resize(lanes as usize, last);
                let mask: Vec<bool> = (0..lanes as usize).map(|lane| lane < some.len()).collect();
                let group = Group {
                    inputs: inputs.words(),
                    primitive: &self.dispatch.groups,
                    resources: inputs.data(),
                    pixels: &[],
                    mask: &mask,
                    max_iterations: ITERATIONS,
                };
                let invocations = Invocations { all: &all, memory: &mut memory };
                interpret::dispatch(&program, &group, invocations)
                    .map_err(|limit| format!("{limit:?}\n{program}"))?;
            }
        }
        Ok(memory)
    }

    fn execute<C: Callable + Sync>(
        &self,
        memory: Memory,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, String>,
    ) -> Result<(Memory, Option<Tier>), String> {
        match self.mode {
            Mode::Lanes(_) => Ok((self.in_lanes(memory, make)?, None)),
            Mode::InOrder | Mode::Threads(_) => {
                let kernel = DispatchKernel::new(self.scheduled.clone(), self.compiler, make)?;
                // Each group is a part for a thread.
                let kernel = kernel.with_groups(1);
                let (frontier, inputs) = (AtomicU64::new(u64::MAX), Inputs::default());
                let run = || match self.mode {
                    Mode::InOrder => {
                        let done = kernel.run_in_order(
                            self.dispatch,
                            &inputs,
                            memory,
                            ITERATIONS,
                            &frontier,
                        );
                        done.map(|memory| (memory, None))
                    }
                    _ => {
                        let done =
                            kernel.run(self.dispatch, &inputs, memory, ITERATIONS, &frontier);
                        done.map(|(memory, tier)| (memory, Some(tier)))
                    }
                };
                pool().install(run).map_err(|error| format!("{error:?}"))
            }
        }
    }

    /// Runs the invocations of each workgroup in lanes, without a proof.
    fn in_lanes<C: Callable>(
        &self,
        mut memory: Memory,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, String>,
    ) -> Result<Memory, String> {
        let lanes = self.compiler.lane_program(self.scheduled);
        let code = make(self.compiler, &lanes)?;
        let inputs = self.inputs(&lanes, &memory)?;
        let frontier = AtomicU64::new(u64::MAX);
        let poll = Poll { frontier: &frontier, first: 0 };
        let (status, slots) = code.frame(&inputs, poll);
        let mut table = Vec::new();
        if status != Status::Done {
            return Err(format!("the frame: {status:?}"));
        }
        for workgroup in 0..self.dispatch.workgroups() {
            memory.begin_workgroup(&self.scheduled.types);
            list_invocations(
                &self.of_workgroup(workgroup),
                code.shape().lanes() as usize,
                &mut table,
            );
            let listed = Listed { table: &table, primitive: &self.dispatch.groups };
            let memories = shared(&mut memory);
            let status = code.listed(&inputs, &slots, poll, listed, &memories, &mut []);
            if status != Status::Done {
                return Err(format!("{status:?}"));
            }
        }
        Ok(memory)
    }
}

/// Threads for kernels.
fn pool() -> &'static ThreadPool {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| {
        let three = NonZeroUsize::new(3).expect("it is not zero");
        lambdav_workers::thread_pool(three).expect("the system starts threads")
    })
}
