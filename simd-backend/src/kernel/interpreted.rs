//! Lane programs and register programs executed by their interpreters.
//!
//! It takes programs for any machine, those without an emitter included.

use crate::lanes::interpret::{Group, Invocations, LaneChange, LoopLimit, Replaced, dispatch};
use crate::lanes::{Column, Items, LaneProgram, Width};
use crate::pipeline::Compiler;
use crate::registers::{
    Callable, Inputs, Listed, Memories, Poll, RegisterProgram, Row, Shape, Status, VerifyError,
    interpret, verify,
};
use std::sync::{Arc, Mutex};

/// The stage whose register program is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spilling {
    /// Before spilling, with any number of registers.
    Before,
    /// After spilling.
    After,
}

/// The changes of memories that an interpreter made: for each call, in the order of their ends, those in the order of
/// execution.
#[derive(Debug)]
pub struct ChangeLog<T>(Mutex<Vec<Vec<T>>>);

impl<T> Default for ChangeLog<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> ChangeLog<T> {
    /// Executes a call, which reports changes to its argument.
    fn call<R>(log: Option<&Self>, execute: impl FnOnce(&mut dyn FnMut(T)) -> R) -> R {
        let Some(log) = log else { return execute(&mut |_| {}) };
        let mut changes = Vec::new();
        let result = execute(&mut |change| changes.push(change));
        log.0.lock().expect("no holder panics").push(changes);
        result
    }

    /// Takes the changes of all calls.
    ///
    /// # Panics
    ///
    /// If an interpretation has panicked.
    pub fn take(&self) -> Vec<Vec<T>> {
        std::mem::take(&mut *self.0.lock().expect("no holder panics"))
    }
}

/// A register program whose functions are interpreted.
///
/// Panics if the program executes an operation that no correct program does.
#[derive(Debug)]
pub struct Interpreted {
    program: RegisterProgram,
    log: Option<Arc<ChangeLog<Replaced>>>,
}

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
        Ok(Self { program, log: None })
    }

    /// The same, which logs the changes of memories.
    #[must_use]
    pub fn with_log(self, log: Arc<ChangeLog<Replaced>>) -> Self {
        Self { log: Some(log), ..self }
    }
}

/// A lane program that is interpreted in groups of a number of lanes.
#[derive(Debug)]
pub struct InterpretedLanes {
    program: LaneProgram,
    shape: Shape,
    log: Option<Arc<ChangeLog<LaneChange>>>,
}

impl InterpretedLanes {
    /// A program for invocations.
    ///
    /// # Panics
    ///
    /// If it is for another number of lanes.
    pub fn new(program: &LaneProgram, shape: Shape) -> Self {
        assert!(program.width != Width::One || shape.lanes() == 1, "the program is for one lane");
        Self { program: program.clone(), shape, log: None }
    }

    /// The same, which logs the changes of memories. A lane is the position of its invocation in the table of a call.
    #[must_use]
    pub fn with_log(self, log: Arc<ChangeLog<LaneChange>>) -> Self {
        Self { log: Some(log), ..self }
    }

    /// Executes the groups of a call.
    fn groups(
        &self,
        inputs: &Inputs,
        poll: Poll<'_>,
        listed: Listed<'_>,
        memories: &Memories<'_>,
        pixels: &mut [[f32; 4]],
        changed: &mut dyn FnMut(LaneChange),
    ) -> Status {
        let (items, lanes) = (self.program.items, self.shape.lanes() as usize);
        let words = Listed::words_of_group(items, self.shape);
        let plane = pixels.len() / self.attachments().max(1);
        for (number, table) in listed.table.chunks_exact(words).enumerate() {
            if !poll.goes_on() {
                return Status::Cancelled;
            }
            let mask = listed.column(items, self.shape, number, Column::Mask);
            let mask: Vec<bool> = mask.iter().map(|&word| word != 0).collect();
            let group = Group {
                inputs: inputs.words(),
                primitive: listed.primitive,
                resources: inputs.data(),
                pixels: &[],
                mask: &mask,
                max_iterations: inputs.max_iterations(),
            };
            let changed = &mut |change: LaneChange| {
                changed(LaneChange { lane: number * lanes + change.lane, ..change });
            };
            let found = dispatch(&self.program, &group, Invocations { table, memories }, changed);
            let found = match found {
                Ok(found) => found,
                Err(LoopLimit { site }) => return Status::Limit(site),
            };
            for (attachment, found) in found.chunks(lanes).enumerate() {
                for (lane, &pixel) in (0..).zip(found) {
                    let (column, row) = self.shape.pixel(lane);
                    let at = (row * self.shape.columns() + column) as usize;
                    pixels[attachment * plane + number * lanes + at] = pixel;
                }
            }
        }
        Status::Done
    }
}

impl Callable for InterpretedLanes {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn items(&self) -> Items {
        self.program.items
    }

    fn attachments(&self) -> usize {
        self.program.attachments()
    }

    /// A call computes all values that groups need.
    fn frame(&self, _: &Inputs, _: Poll<'_>) -> (Status, Vec<u64>) {
        (Status::Done, Vec::new())
    }

    /// # Panics
    ///
    /// Always: it is for invocations.
    fn row(
        &self,
        _: &Inputs,
        _: &[u64],
        _: &[u32],
        _: Poll<'_>,
        _: Row,
        _: &mut [[f32; 4]],
    ) -> Status {
        panic!("the program is for invocations")
    }

    fn listed(
        &self,
        inputs: &Inputs,
        _: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        memories: &Memories<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        assert!(inputs.are_for(memories), "the inputs have the sizes of memories");
        ChangeLog::call(self.log.as_deref(), |changed| {
            self.groups(inputs, poll, listed, memories, pixels, changed)
        })
    }
}

impl Callable for Interpreted {
    fn shape(&self) -> Shape {
        self.program.shape
    }

    fn items(&self) -> Items {
        self.program.items
    }

    fn attachments(&self) -> usize {
        self.program.attachments
    }

    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        interpret::frame(&self.program, inputs, poll)
            .unwrap_or_else(|trap| panic!("{trap}\n{}", self.program))
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
        interpret::row(&self.program, inputs, slots, mask, poll, row, pixels)
            .unwrap_or_else(|trap| panic!("{trap}\n{}", self.program))
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
        let result = ChangeLog::call(self.log.as_deref(), |changed| {
            interpret::listed(
                &self.program,
                inputs,
                slots,
                poll,
                (listed, memories),
                pixels,
                changed,
            )
        });
        result.unwrap_or_else(|trap| panic!("{trap}\n{}", self.program))
    }
}
