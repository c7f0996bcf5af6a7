//! Reasons why there is no trace.

use super::pixel::Stop;
use crate::accepted::Accepted;
use crate::compilers::at_fault;
use crate::error::Error;

/// Reason why a pixel has no trace.
#[derive(Debug)]
pub enum TraceError {
    /// The caller asked to stop.
    Cancelled,
    /// The program is at fault, or too large.
    Error(Error),
}

impl From<Error> for TraceError {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl TraceError {
    pub(super) fn stopped(program: &Accepted, stop: Stop) -> Self {
        match stop {
            Stop::Cancelled => Self::Cancelled,
            Stop::Fault(diagnostic) => Self::Error(at_fault(program, *diagnostic)),
        }
    }
}
