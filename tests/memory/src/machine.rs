//! Executions by the SIMD backend: the interpreter of lane programs, the interpreter of register programs before and
//! after spilling, and machine code of each target that this machine can execute.
//!
//! All of them execute any program in order. Programs without barriers are also executed in several lanes, filled within
//! each workgroup. A race-free program has the oracle's result in lanes, too; for another one the forms agree among
//! themselves. Kernels choose the tier: they run by threads what they can prove.

use crate::compare::{ITERATIONS as MOST, memory};
use crate::logs::Log;
use crate::program::Program;
use lambdav_core::evaluate::{Dispatch, DispatchFault, Memory, has_barrier};
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::Program as Schedule;
use lambdav_machine_code::Evaluated;
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::executable::shared;
use lambdav_simd_backend::emit::{EmitError, Executable, Target};
use lambdav_simd_backend::kernel::{
    DispatchError, DispatchKernel, Interpreted, InterpretedLanes, Spilling, Tier, dispatch_inputs,
    list_invocations,
};
use lambdav_simd_backend::lanes::{Items, LaneProgram};
use lambdav_simd_backend::registers::{Callable, Inputs as Words, Listed, Poll, Status};
use lambdav_workers::ThreadPool;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

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

/// The executions of a program by the SIMD backend; none of one without effects. Programs with barriers run in order
/// only.
pub fn of(is_race_free: bool, scheduled: &Schedule) -> Vec<(Form, Mode)> {
    if scheduled.outputs().is_empty() {
        return Vec::new();
    }
    let code = Form::Code(Target::BASELINE);
    let registers = [Spilling::Before, Spilling::After].map(Form::Registers);
    let mut all = vec![(Form::Lanes, Mode::InOrder), (code, Mode::InOrder)];
    if has_barrier(scheduled) {
        all.push((Form::Lanes, Mode::Threads(32)));
        all.push((registers[1], Mode::Threads(8)));
        let name =
            if Target::here().any(|here| here == "avx2") { "avx2" } else { Target::BASELINE };
        all.push((Form::Code(name), Mode::Threads(8)));
        return all;
    }
    all.extend(registers.map(|form| (form, Mode::InOrder)));
    if is_race_free {
        all.extend([4, 16].map(|lanes| (Form::Lanes, Mode::Lanes(lanes))));
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
    all.push((code, Mode::Threads(4)));
    all
}

/// The results of a dispatch, or its fault.
pub type Ended = Result<Memory, DispatchFault>;

/// Executions by kernels with at most 0 or 1 `rec`s of a loop, which many programs exceed, end as the core evaluator's do.
/// Returns the number of faults.
///
/// # Errors
///
/// Refused programs, and different ends.
pub fn faults_agree(program: &Program, scheduled: &Schedule) -> Result<usize, String> {
    let dispatch = Dispatch { workgroup: program.workgroup, groups: program.groups };
    let mut faults = 0;
    let code = Form::Code(Target::BASELINE);
    let registers = Form::Registers(Spilling::After);
    for (limit, executions) in [
        (0, &[(registers, Mode::Threads(8))][..]),
        (1, &[(code, Mode::InOrder), (code, Mode::Threads(4))]),
    ] {
        let (inputs, found) = (Inputs::default(), memory(program, scheduled));
        let expected = dispatch.run(scheduled, &inputs, found, limit, &|_| false);
        let Err(fault) = expected else { continue };
        for &execution in executions {
            let found =
                run(program, scheduled, memory(program, scheduled), execution, limit)?.ended;
            if found != Err(fault) {
                return Err(format!("{execution:?}: {found:?} in place of {fault:?}"));
            }
            faults += 1;
        }
    }
    Ok(faults)
}

/// In lanes, a program with races has a result of its own: lanes go on in step, and change words in their order. All forms
/// have that result. Returns their number.
///
/// # Errors
///
/// Refused programs, and different results.
pub fn lanes_agree(program: &Program, scheduled: &Schedule) -> Result<usize, String> {
    if has_barrier(scheduled) || program.is_race_free {
        return Ok(0);
    }
    let lanes = Mode::Lanes(8);
    let run = |form| run(program, scheduled, memory(program, scheduled), (form, lanes), MOST);
    let expected = run(Form::Lanes)?;
    let forms = [
        Form::Registers(Spilling::Before),
        Form::Registers(Spilling::After),
        Form::Code(Target::BASELINE),
        Form::Evaluated("avx2"),
        Form::Evaluated("avx512"),
    ];
    let words = expected.log.replaced();
    for form in forms {
        let found = run(form)?;
        if found.ended != expected.ended {
            let (found, expected) = (found.ended, expected.ended);
            return Err(format!("{form:?} in lanes: {found:?} in place of {expected:?}"));
        }
        if matches!(form, Form::Registers(_)) && found.log.replaced() != words {
            let found = found.log.replaced();
            return Err(format!("{form:?} in lanes changes {found:?} in place of {words:?}"));
        }
    }
    Ok(forms.len())
}

/// An execution of a dispatch.
pub struct Execution {
    /// Its end.
    pub ended: Ended,
    /// The tier that a kernel chose.
    pub tier: Option<Tier>,
    /// The changes of memories.
    pub log: Log,
}

/// Executes a program.
///
/// # Errors
///
/// Refused programs, and faults in lanes without a proof.
pub fn run(
    program: &Program,
    scheduled: &Schedule,
    memory: Memory,
    (form, mode): (Form, Mode),
    max_iterations: u64,
) -> Result<Execution, String> {
    let dispatch = Dispatch { workgroup: program.workgroup, groups: program.groups };
    let name = match form {
        Form::Code(name) | Form::Evaluated(name) => name,
        Form::Lanes | Form::Registers(_) => "avx2",
    };
    let lanes = match mode {
        Mode::InOrder => 1,
        Mode::Lanes(lanes) | Mode::Threads(lanes) => lanes,
    };
    let (items, hoist) = (Items::INVOCATIONS, mode != Mode::InOrder);
    let lanes = Some(lanes);
    let compiler = Compiler { items, lanes, hoist, ..Compiler::new(target(name)) };
    // Half of the register programs show what runs without checks.
    let is_odd = !scheduled.values.len().is_multiple_of(2);
    let checks_from = if matches!(form, Form::Registers(_)) && is_odd { u64::MAX } else { 1 };
    let (dispatch, compiler) = (&dispatch, &compiler);
    let job = Job { dispatch, scheduled, compiler, mode, max_iterations, checks_from };
    let (of_lanes, of_words) = (Arc::default(), Arc::default());
    let (lanes_to, words_to) = (Arc::clone(&of_lanes), Arc::clone(&of_words));
    let (ended, tier) = match form {
        Form::Lanes => job.execute(memory, move |compiler, lanes| {
            let made = InterpretedLanes::new(lanes, compiler.choice(lanes).shape);
            Ok(made.with_log(Arc::clone(&lanes_to)))
        }),
        Form::Registers(spilling) => job.execute(memory, move |compiler, lanes| {
            let made = Interpreted::new(compiler, lanes, spilling);
            let made = made.unwrap_or_else(|errors| panic!("{errors:?}\n{lanes}"));
            Ok(made.with_log(Arc::clone(&words_to)))
        }),
        Form::Code(_) => job.execute(memory, |compiler, lanes| {
            let compiled = compiler.compile_lane_program(lanes.clone())?;
            Executable::new(&compiled.code, &compiler.target)
        }),
        Form::Evaluated(_) => job.execute(memory, |compiler, lanes| {
            Ok(Evaluated::new(&compiler.compile_lane_program(lanes.clone())?.code))
        }),
    }?;
    Ok(Execution { ended, tier, log: Log { lanes: of_lanes.take(), words: of_words.take() } })
}

/// A dispatch of a program.
struct Job<'a> {
    dispatch: &'a Dispatch,
    scheduled: &'a Schedule,
    compiler: &'a Compiler,
    mode: Mode,
    max_iterations: u64,
    /// The least number of invocations that are checked; small dispatches are, too.
    checks_from: u64,
}

impl Job<'_> {
    fn inputs(&self, lanes: &LaneProgram, memory: &Memory) -> Result<Words, String> {
        let inputs =
            dispatch_inputs(self.scheduled, lanes, &Inputs::default(), memory, self.max_iterations);
        inputs.map_err(|error| error.to_string())
    }

    fn execute<C: Callable + Send + Sync>(
        &self,
        mut memory: Memory,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, EmitError> + Send + Sync + 'static,
    ) -> Result<(Ended, Option<Tier>), String> {
        match self.mode {
            Mode::Lanes(_) => Ok((Ok(self.in_lanes(memory, make)?), None)),
            Mode::InOrder | Mode::Threads(_) => {
                let kernel = DispatchKernel::new(self.scheduled.clone(), self.compiler, make)
                    .map_err(|error| error.to_string())?;
                // Each group is a part for a thread.
                let kernel = kernel.with_groups(1).with_checks_from(self.checks_from);
                let inputs = Inputs::default();
                let (most, original) = (self.max_iterations, memory.clone());
                let to = &mut memory;
                let run = || match self.mode {
                    Mode::InOrder => {
                        kernel.run_in_order(self.dispatch, &inputs, to, most, None).map(|()| None)
                    }
                    _ => kernel.run(self.dispatch, &inputs, to, most, None).map(Some),
                };
                match pool().install(run) {
                    Ok(tier) => Ok((Ok(memory), tier)),
                    Err(DispatchError::Fault(fault)) => {
                        memory.begin_workgroup(&self.scheduled.types);
                        if memory != original {
                            return Err("a fault has changed a memory".to_owned());
                        }
                        Ok((Err(fault), None))
                    }
                    Err(error) => Err(error.to_string()),
                }
            }
        }
    }

    /// Runs the invocations of each workgroup in lanes, without a proof.
    fn in_lanes<C: Callable>(
        &self,
        mut memory: Memory,
        make: impl Fn(&Compiler, &LaneProgram) -> Result<C, EmitError>,
    ) -> Result<Memory, String> {
        let lanes = self.compiler.lane_program(self.scheduled);
        let code = make(self.compiler, &lanes).map_err(|error| error.to_string())?;
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
            let (size, lanes) =
                (self.dispatch.invocations_of_workgroup(), code.shape().lanes() as usize);
            let all = workgroup * size..(workgroup + 1) * size;
            list_invocations(self.dispatch, all, code.items(), lanes, &mut table);
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
