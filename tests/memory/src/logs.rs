//! The changes of memories that the interpreters of the SIMD backend make, beside the oracle's.
//!
//! A wrong mask, or a change that has moved, shows here even where no result depends on it. Changes of different memories
//! have no order among themselves: the core has a state for each memory.

use crate::machine::{Form, Mode};
use crate::oracle::Change;
use crate::program::Program;
use lambdav_simd_backend::lanes::interpret::{LaneChange, Replaced};

/// The changes of an execution; none by machine code.
pub struct Log {
    /// Those of lane programs, call by call.
    pub lanes: Vec<Vec<LaneChange>>,
    /// Those of register programs, call by call.
    pub words: Vec<Vec<Replaced>>,
}

impl Log {
    /// The words that are replaced, in order.
    pub fn replaced(&self) -> Vec<Replaced> {
        let lanes = self.lanes.iter().flatten().map(|change| change.replaced);
        lanes.chain(self.words.iter().flatten().copied()).collect()
    }

    /// Compares the changes of each memory with the oracle's, for an execution whose result is the oracle's.
    ///
    /// In order, they are the same. In lanes, each invocation of a lane program makes the same changes in the same order,
    /// and a register program changes the same places as often. Threads end their calls in any order; they are not compared.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn agrees(
        &self,
        program: &Program,
        execution: (Form, Mode),
        expected: &[Change],
    ) -> Result<(), String> {
        for memory in 0..program.memories.len() {
            let expected: Vec<&Change> =
                expected.iter().filter(|change| change.memory == memory).collect();
            let of = |replaced: &Replaced| replaced.memory as usize == memory;
            let lanes = self.lanes.iter();
            let lanes =
                lanes.map(|call| call.iter().filter(|change| of(&change.replaced)).collect());
            let words = self.words.iter().flatten().filter(|replaced| of(replaced)).collect();
            memory_agrees(program, execution, (lanes.collect(), words), &expected)
                .map_err(|message| format!("memory {memory}: {message}"))?;
        }
        Ok(())
    }
}

/// [`Log::agrees`] for one memory: the changes of lane programs, call by call, and of register programs.
fn memory_agrees(
    program: &Program,
    execution: (Form, Mode),
    (lanes, words): (Vec<Vec<&LaneChange>>, Vec<&Replaced>),
    expected: &[&Change],
) -> Result<(), String> {
    let of_oracle = |change: &Change| (change.index as u32, change.word);
    let of_words = |change: &Replaced| (change.index, change.word);
    match execution {
        (Form::Code(_) | Form::Evaluated(_), _) | (_, Mode::Threads(_)) => Ok(()),
        (Form::Lanes, Mode::InOrder) => {
            let found = lanes.iter().flatten();
            let found = found.map(|of| (of.atomic, of.operands, of_words(&of.replaced)));
            let expected = expected.iter().map(|of| (of.atomic, of.operands, of_oracle(of)));
            equal("all", found.collect(), expected.collect())
        }
        (Form::Registers(_), Mode::InOrder) => {
            let found = words.into_iter().map(of_words).collect();
            equal("all", found, expected.iter().map(|change| of_oracle(change)).collect())
        }
        (Form::Lanes, Mode::Lanes(_)) => {
            let (size, workgroups) = (count(program.workgroup), count(program.groups));
            if lanes.len() != workgroups {
                return Err(format!("{} calls", lanes.len()));
            }
            for (workgroup, call) in lanes.iter().enumerate() {
                for local in 0..size {
                    let invocation = (workgroup as u64, local as u64);
                    let expected = expected.iter().filter(|of| of.invocation == invocation);
                    let found = call.iter().filter(|of| of.lane == local);
                    // New words may depend on other invocations.
                    let found = found.map(|of| (of.atomic, of.operands, of.replaced.index));
                    let expected = expected.map(|of| (of.atomic, of.operands, of.index as u32));
                    let name = format!("invocation {local} of workgroup {workgroup}");
                    equal(&name, found.collect(), expected.collect())?;
                }
            }
            Ok(())
        }
        (Form::Registers(_), Mode::Lanes(_)) => {
            let sorted = |mut all: Vec<u32>| {
                all.sort_unstable();
                all
            };
            let expected = expected.iter().map(|change| change.index as u32).collect();
            let found = words.into_iter().map(|change| change.index).collect();
            equal("all, sorted", sorted(found), sorted(expected))
        }
    }
}

/// The number of items of a box.
fn count(size: [u32; 3]) -> usize {
    size.iter().map(|&side| side as usize).product()
}

/// Demands that changes are the same.
fn equal<T: std::fmt::Debug + PartialEq>(
    of: &str,
    found: Vec<T>,
    expected: Vec<T>,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let pairs = found.iter().zip(&expected).take_while(|(found, expected)| found == expected);
    let at = pairs.count();
    let (found, expected) = (found.get(at), expected.get(at));
    Err(format!("{of}: change {at} is {found:?}, and the oracle has {expected:?}"))
}
