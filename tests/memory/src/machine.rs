//! Executions by the SIMD backend: the interpreter of lane programs, the interpreter of register programs before and
//! after spilling, and machine code of each target that this machine can execute.

use crate::compare::{ITERATIONS, memory, words};
use crate::oracle::Outcome;
use crate::program::Program;
use lambdav_core::evaluate::{Dispatch, Memory, has_barrier};
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::Program as Schedule;
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::{Executable, Target};
use lambdav_simd_backend::kernel::{DispatchKernel, Interpreted, Spilling, dispatch_inputs};
use lambdav_simd_backend::lanes::interpret::{self, Group, Invocations};
use lambdav_simd_backend::lanes::{Items, LaneProgram};
use lambdav_simd_backend::registers::Callable;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// A form in which a program is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The lane program, interpreted.
    Lanes,
    /// The register program, interpreted.
    Registers(Spilling),
    /// Machine code of the target of that name.
    Code(&'static str),
}

/// The targets that this machine can execute.
fn targets() -> &'static [Target] {
    static TARGETS: OnceLock<Vec<Target>> = OnceLock::new();
    TARGETS.get_or_init(|| {
        let named = |name| Target::named(name).expect("this machine has it").expect("it is known");
        Target::here().map(named).collect()
    })
}

/// The forms in which the SIMD backend executes a program; none for one with barriers.
pub fn of(scheduled: &Schedule) -> Vec<Form> {
    if has_barrier(scheduled) {
        return Vec::new();
    }
    let mut all = vec![Form::Lanes];
    all.extend([Spilling::Before, Spilling::After].map(Form::Registers));
    all.extend(targets().iter().map(|target| Form::Code(target.name())));
    all
}

/// Executes a program.
///
/// # Errors
///
/// Refused programs, and faults, which no program has.
pub fn run(program: &Program, scheduled: &Schedule, form: Form) -> Result<Outcome, String> {
    let dispatch = Dispatch { workgroup: program.workgroup, groups: program.groups };
    let target = match form {
        Form::Code(name) => targets().iter().find(|target| target.name() == name),
        Form::Lanes | Form::Registers(_) => targets().last(),
    };
    let compiler = Compiler::new(target.expect("it is here").clone());
    let memory = memory(program, scheduled);
    let memory = match form {
        Form::Lanes => lanes(&compiler, &dispatch, scheduled, memory)?,
        Form::Registers(spilling) => {
            let make = |compiler: &Compiler, lanes: &LaneProgram| {
                Interpreted::new(compiler, lanes, spilling).map_err(|errors| format!("{errors:?}"))
            };
            execute(&DispatchKernel::new(scheduled.clone(), &compiler, make)?, &dispatch, memory)?
        }
        Form::Code(_) => {
            let kernel = DispatchKernel::<Executable>::compile(scheduled.clone(), &compiler);
            execute(&kernel.map_err(|error| error.to_string())?, &dispatch, memory)?
        }
    };
    Ok(words(program, &memory))
}

fn execute<C: Callable>(
    kernel: &DispatchKernel<C>,
    dispatch: &Dispatch,
    memory: Memory,
) -> Result<Memory, String> {
    let frontier = AtomicU64::new(u64::MAX);
    let result = kernel.run(dispatch, &Inputs::default(), memory, ITERATIONS, &frontier);
    result.map_err(|error| format!("{error:?}"))
}

/// Interprets the lane program, one invocation after the other.
fn lanes(
    compiler: &Compiler,
    dispatch: &Dispatch,
    scheduled: &Schedule,
    mut memory: Memory,
) -> Result<Memory, String> {
    let items = Items::Invocations;
    let compiler = Compiler { items, lanes: Some(1), hoist: false, ..compiler.clone() };
    let program = compiler.lane_program(scheduled);
    let of_code = (&program.inputs, &program.resources);
    let inputs = dispatch_inputs(scheduled, of_code, &Inputs::default(), &memory, ITERATIONS);
    let inputs = inputs.map_err(|error| error.to_string())?;
    for workgroup in 0..dispatch.workgroups() {
        memory.begin_workgroup(&scheduled.types);
        for local in 0..dispatch.invocations_of_workgroup() {
            let group = Group {
                inputs: inputs.words(),
                primitive: &dispatch.groups,
                resources: inputs.data(),
                pixels: &[],
                mask: &[true],
                max_iterations: ITERATIONS,
            };
            let all = &[dispatch.invocation(workgroup, local)];
            let invocations = Invocations { all, memory: &mut memory };
            interpret::dispatch(&program, &group, invocations)
                .map_err(|limit| format!("{limit:?}\n{program}"))?;
        }
    }
    Ok(memory)
}
