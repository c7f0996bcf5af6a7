//! Watching an evaluation.

use crate::op::Op;
use crate::schedule::ValueId;
use crate::types::Type;

/// An operation that was evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'e> {
    /// The value that it defines.
    pub value: ValueId,
    /// What was done.
    pub op: Op,
    /// The types of its operands.
    pub types: &'e [Type],
    /// Their words.
    pub operands: &'e [&'e [u32]],
    /// The words of the result.
    pub result: &'e [u32],
}

/// Somebody who watches an evaluation.
pub trait Observer {
    /// Sees an operation, in the order of evaluation, in each round of a loop again.
    fn operation(&mut self, evaluated: &Evaluated<'_>);
}

/// Nobody watches.
impl Observer for () {
    #[inline]
    fn operation(&mut self, _: &Evaluated<'_>) {}
}
