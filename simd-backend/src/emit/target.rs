//! What code is made for: which emitter, and how much of the machine it may use.

use std::fmt;
use std::sync::Arc;

use cranelift_codegen::isa::OwnedTargetIsa;

use super::cranelift::CraneliftEmitter;
use super::{Allocation, EmitError, Emitter};
use crate::machine::{Class, Machine};

/// What code is made for.
#[derive(Clone)]
pub struct Target {
    emitter: Arc<dyn Emitter>,
    /// The emitter's, or with fewer registers.
    machine: Machine,
    /// What a program is to be compiled with, unless each is by its size.
    allocation: Option<Allocation>,
    /// Says how code lies in memory.
    isa: OwnedTargetIsa,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.isa.triple())
    }
}

impl Target {
    /// This machine, with all that its processor can do.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] where the processor lacks what every kernel needs.
    pub fn host() -> Result<Self, EmitError> {
        Self::with(&[])
    }

    /// This machine without some of what its processor can do: names of Cranelift's settings for
    /// the architecture, like `has_avx`, that are to be off.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] where the processor lacks what every kernel needs, or there is no
    /// such setting.
    pub fn with(off: &[&str]) -> Result<Self, EmitError> {
        let emitter = CraneliftEmitter::host(off)?;
        let (machine, isa) = (*emitter.machine(), emitter.isa());
        Ok(Self { emitter: Arc::new(emitter), machine, allocation: None, isa })
    }

    /// The same with fewer registers for vectors, at least five: more values lie in memory. For
    /// tests.
    #[must_use]
    pub fn with_vector_registers(mut self, registers: usize) -> Self {
        self.machine.registers[Class::Vector] = registers;
        self
    }

    /// The same for another machine: for register programs that are interpreted. No code can be
    /// made for it.
    #[must_use]
    pub fn with_machine(self, machine: Machine) -> Self {
        Self { machine, ..self }
    }

    /// The same with that allocation of registers for every program.
    #[must_use]
    pub fn with_allocation(self, allocation: Allocation) -> Self {
        Self { allocation: Some(allocation), ..self }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What makes the code.
    pub fn emitter(&self) -> &dyn Emitter {
        &*self.emitter
    }

    /// The allocation of registers for every program, if there is such.
    pub fn allocation(&self) -> Option<Allocation> {
        self.allocation
    }

    /// What says how code lies in memory.
    pub(super) fn isa(&self) -> &OwnedTargetIsa {
        &self.isa
    }
}
