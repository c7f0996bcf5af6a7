//! Register programs executed by their interpreter.
//!
//! It takes programs for any machine, those without an emitter included.

use crate::lanes::{Items, LaneProgram};
use crate::pipeline::Compiler;
use crate::registers::{
    Callable, Inputs, Listed, Memories, Poll, RegisterProgram, Row, Shape, Status, VerifyError,
    interpret, verify,
};

/// The stage whose register program is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spilling {
    /// Before spilling, with any number of registers.
    Before,
    /// After spilling.
    After,
}

/// A register program whose functions are interpreted.
///
/// Panics if the program executes an operation that no correct program does.
#[derive(Debug)]
pub struct Interpreted(RegisterProgram);

impl Interpreted {
    /// The register program of a lane program.
    ///
    /// # Errors
    ///
    /// The errors of the verifier.
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
        memories: &Memories<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        interpret::listed(&self.0, inputs, slots, poll, listed, memories, pixels)
            .unwrap_or_else(|trap| panic!("{trap}\n{}", self.0))
    }
}
