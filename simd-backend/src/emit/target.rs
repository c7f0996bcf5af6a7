//! Compilation targets: the emitter, and its share of the machine.

use std::fmt;
use std::sync::{Arc, OnceLock};

use cranelift_codegen::isa::OwnedTargetIsa;

use super::cranelift::CraneliftEmitter;
use super::wide::{Wide, WideEmitter};
use super::{Allocation, EmitError, Emitter};
use crate::machine::{Class, Machine};

/// A compilation target: the widest registers that are asked for, and narrower ones for a number of
/// lanes that does not fill those.
#[derive(Clone)]
pub struct Target {
    /// The emitter for wide registers; `None` if Cranelift makes all code.
    wide: Option<WideEmitter>,
    /// Made on first use, which takes half a millisecond.
    cranelift: Arc<OnceLock<CraneliftEmitter>>,
    /// Replaces the machine's number of vector registers.
    vector_registers: Option<usize>,
    /// Replaces the emitter's machine.
    machine: Option<Machine>,
    /// The register allocator for all programs; `None`: chosen for each program.
    allocation: Option<Allocation>,
    reason: Reason,
}

/// The reason for the choice of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Asked,
    /// The processor has the registers.
    Here,
    /// So few lanes fill the registers.
    Lanes(u32),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.name())
    }
}

impl Target {
    /// The name of the target of every machine: Cranelift's code, in registers of 128 bits.
    pub const BASELINE: &str = "baseline";

    /// This machine, with the widest registers that its processor has.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] if the processor lacks what every kernel needs.
    pub fn host() -> Result<Self, EmitError> {
        let here = [Wide::Avx512, Wide::Avx2].into_iter().find(|wide| wide.is_here());
        match here {
            Some(wide) => Ok(Self { reason: Reason::Here, ..Self::wide(wide) }),
            None => Ok(Self { reason: Reason::Here, ..Self::with(&[])? }),
        }
    }

    /// The names that [`Self::named`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once(Self::BASELINE).chain(Wide::ALL.map(Wide::name))
    }

    /// The names of targets whose code this machine can execute.
    pub fn here() -> impl Iterator<Item = &'static str> {
        let wide = Wide::ALL.into_iter().filter(|wide| wide.is_here());
        std::iter::once(Self::BASELINE).chain(wide.map(Wide::name))
    }

    /// The target of that name, even if this machine cannot execute its code; `None` if the name is
    /// unknown.
    ///
    /// # Errors
    ///
    /// As of [`Self::host`].
    pub fn named(name: &str) -> Result<Option<Self>, EmitError> {
        if name == Self::BASELINE {
            return Self::with(&[]).map(Some);
        }
        let wide = Wide::ALL.into_iter().find(|wide| wide.name() == name);
        Ok(wide.map(Self::wide))
    }

    /// A target of wide registers, even if this machine does not have them.
    pub fn wide(wide: Wide) -> Self {
        Self {
            wide: Some(WideEmitter::new(wide)),
            cranelift: Arc::default(),
            vector_registers: None,
            machine: None,
            allocation: None,
            reason: Reason::Asked,
        }
    }

    /// Cranelift's code for this machine, without some features of its processor. `off` names
    /// Cranelift's settings for the architecture, like `has_avx`, that are to be off.
    ///
    /// # Errors
    ///
    /// [`EmitError::Machine`] if the processor lacks what every kernel needs, or there is no such
    /// setting.
    pub fn with(off: &[&str]) -> Result<Self, EmitError> {
        let cranelift = OnceLock::from(CraneliftEmitter::host(off)?);
        Ok(Self {
            wide: None,
            cranelift: Arc::new(cranelift),
            vector_registers: None,
            machine: None,
            allocation: None,
            reason: Reason::Asked,
        })
    }

    /// The target for code of `lanes` lanes: registers that these fill, if there are any.
    #[must_use]
    pub fn for_lanes(&self, lanes: Option<u32>) -> Self {
        let (Some(emitter), Some(lanes), None) = (self.wide, lanes, self.machine) else {
            return self.clone();
        };
        let wide = match (emitter.wide, lanes) {
            (_, 1 | 4) if self.cranelift().is_ok() => None,
            (Wide::Avx512, 8) => Some(WideEmitter::new(Wide::Avx512At256)),
            _ => return self.clone(),
        };
        Self { wide, reason: Reason::Lanes(lanes), ..self.clone() }
    }

    /// Cranelift's emitter.
    fn cranelift(&self) -> Result<&CraneliftEmitter, EmitError> {
        if let Some(made) = self.cranelift.get() {
            return Ok(made);
        }
        let made = CraneliftEmitter::host(&[])?;
        // Another thread may have set it first.
        Ok(self.cranelift.get_or_init(|| made))
    }

    /// The same target with fewer registers for vectors, at least five, so that more values are
    /// spilled. For tests.
    #[must_use]
    pub fn with_vector_registers(self, registers: usize) -> Self {
        Self { vector_registers: Some(registers), ..self }
    }

    /// The same target without AVX-512 VBMI2, which some processors with its registers lack. For
    /// tests.
    #[must_use]
    pub fn without_extensions(self) -> Self {
        Self { wide: self.wide.map(WideEmitter::without_funnels), ..self }
    }

    /// The same target for another machine, to interpret register programs. No code can be made for
    /// it.
    #[must_use]
    pub fn with_machine(self, machine: Machine) -> Self {
        Self { machine: Some(machine), ..self }
    }

    /// The same target with that register allocator for every program.
    #[must_use]
    pub fn with_allocation(self, allocation: Allocation) -> Self {
        Self { allocation: Some(allocation), ..self }
    }

    /// The machine for which register programs are made.
    pub fn machine(&self) -> Machine {
        let mut machine = self.machine.unwrap_or_else(|| *self.emitter().machine());
        if let Some(registers) = self.vector_registers {
            machine.registers[Class::Vector] = registers;
            let preserved = machine.preserved[Class::Vector];
            machine.preserved[Class::Vector] = preserved.min(registers.saturating_sub(5));
        }
        machine
    }

    /// The emitter.
    pub fn emitter(&self) -> &dyn Emitter {
        match &self.wide {
            Some(wide) => wide,
            None => self.cranelift.get().expect("it is made with the target"),
        }
    }

    /// The register allocator for every program, if one is prescribed.
    pub fn allocation(&self) -> Option<Allocation> {
        self.allocation
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.wide.map_or(Self::BASELINE, |emitter| emitter.wide.name())
    }

    /// The reason for the choice of this target, in words.
    pub fn reason(&self) -> String {
        match (self.reason, self.wide) {
            (Reason::Asked, _) => "asked for".to_owned(),
            (Reason::Here, Some(emitter)) => {
                format!("this machine has {}", emitter.wide.needs())
            }
            (Reason::Here, None) => format!("this machine lacks {}", Wide::Avx2.needs()),
            (Reason::Lanes(lanes), _) => format!("{lanes} lanes fill no wider registers"),
        }
    }

    /// Cranelift's description of the machine, by which its code is loaded.
    pub(super) fn isa(&self) -> Result<OwnedTargetIsa, EmitError> {
        Ok(self.cranelift()?.isa())
    }
}
