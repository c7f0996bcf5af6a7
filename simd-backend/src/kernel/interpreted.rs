//! A register program, executed by its interpreter.
//!
//! Any machine will do, those for which there is no emitter included.

use crate::lanes::{Items, LaneProgram};
use crate::pipeline::Compiler;
use crate::registers::{
    Callable, Inputs, Listed, Poll, RegisterProgram, Row, Shape, Status, VerifyError, interpret,
    verify,
};

/// Which register program is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spilling {
    /// As it is lowered, with as many registers as it has values.
    Before,
    /// With what lies in memory decided.
    After,
}

/// A register program whose functions are interpreted.
///
/// Calling them panics where the program does what no correct one does.
#[derive(Debug)]
pub struct Interpreted(RegisterProgram);

impl Interpreted {
    /// The register program of a lane program.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn new(
        compiler: &Compiler,
        lanes: &LaneProgram,
        spilling: Spilling,
    ) -> Result<Self, Vec<VerifyError>> {
        let shape = compiler.choice(lanes).shape;
        let program = match spilling {
            Spilling::Before => compiler.unspilled(lanes, shape),
            Spilling::After => compiler.register_program(lanes, shape).0,
        };
        verify(&program)?;
        Ok(Self(program))
    }
}

impl Callable for Interpreted {
    fn shape(&self) -> Shape {
        self.0.shape
    }

    fn items(&self) -> Items {
        self.0.items
    }

    fn attachments(&self) -> usize {
        self.0.attachments
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

    fn listed(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        interpret::listed(&self.0, inputs, slots, poll, listed, pixels)
            .unwrap_or_else(|trap| panic!("{trap}\n{}", self.0))
    }
}
