//! A register program as a kernel, executed by its interpreter.
//!
//! Any machine will do, those for which there is no emitter included.

use lambdav_core::inputs;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};

use super::groups::Groups;
use super::words;
use crate::lanes::LaneProgram;
use crate::pipeline::Compiler;
use crate::registers::{
    Callable, Inputs, Poll, RegisterProgram, Row, Shape, Status, VerifyError, interpret, verify,
};

/// Which register program is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spilling {
    /// As it is lowered, with as many registers as it has values.
    Before,
    /// With what lies in memory decided.
    After,
}

/// One output of a program as a register program.
///
/// It panics where the program does what no correct one does.
#[derive(Debug)]
pub struct InterpretedKernel {
    program: schedule::Program,
    compiler: Compiler,
    spilling: Spilling,
    groups: Groups<Interpreted>,
    sites: Vec<Span>,
}

#[derive(Debug)]
struct Interpreted(RegisterProgram);

impl InterpretedKernel {
    /// Makes the register program of an output that was scheduled alone.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn new(
        program: schedule::Program,
        compiler: Compiler,
        spilling: Spilling,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<Self, Vec<VerifyError>> {
        let lanes = compiler.lane_program(&program);
        let code = Interpreted(registers(&compiler, &lanes, spilling));
        verify(&code.0)?;
        let inputs = Inputs { words: words(&lanes, inputs), max_iterations };
        let groups = Groups::new(code, inputs);
        Ok(Self { program, compiler, spilling, groups, sites: lanes.sites })
    }

    /// Where the loop of a fault's site is.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    fn unhoisted(&self) -> Interpreted {
        let lanes = Some(self.groups.code().shape().lanes());
        let compiler = Compiler { lanes, hoist: false, ..self.compiler.clone() };
        let program = compiler.lane_program(&self.program);
        Interpreted(registers(&compiler, &program, self.spilling))
    }
}

fn registers(compiler: &Compiler, lanes: &LaneProgram, spilling: Spilling) -> RegisterProgram {
    let shape = compiler.choice(lanes).shape;
    match spilling {
        Spilling::Before => compiler.unspilled(lanes, shape),
        Spilling::After => compiler.register_program(lanes, shape).0,
    }
}

impl Kernel for InterpretedKernel {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.groups.tile(tile, pixels, cancel, || self.unhoisted())
    }
}

impl Callable for Interpreted {
    fn shape(&self) -> Shape {
        self.0.shape
    }

    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        interpret::frame(&self.0, inputs, poll).unwrap_or_else(|trap| panic!("{trap}\n{}", self.0))
    }

    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        interpret::row(&self.0, inputs, slots, mask, poll, row, pixels)
            .unwrap_or_else(|trap| panic!("{trap}\n{}", self.0))
    }
}
