//! `--undefined`: what is done about undefined behaviour.

use crate::failure::{Failure, Result};
use crate::messages::report_line;
use clap::ValueEnum;
use lambdav_engine::Undefined;

/// What is done about undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UndefinedBehaviour {
    /// Nothing
    Ignore,
    /// A line for each place
    Report,
    /// The same, and no file
    Error,
    /// The same, and magenta pixels
    Paint,
}

impl UndefinedBehaviour {
    /// True if the program is to note undefined behaviour.
    pub(crate) fn reports(self) -> bool {
        self != Self::Ignore
    }

    /// The findings that count. Results that a language defines are only reported.
    pub(crate) fn faults(found: &[Undefined]) -> impl Iterator<Item = &Undefined> {
        found.iter().filter(|of| !of.is_defined)
    }

    /// Refuses to paint.
    pub(crate) fn without_paint(self, what: &str) -> Result {
        match self {
            Self::Paint => Err(Failure::usage(format!("{what}: write --undefined report"))),
            Self::Ignore | Self::Report | Self::Error => Ok(()),
        }
    }

    /// Prints the lines of a report, and fails if that is asked for. `what` met the undefined behaviour.
    pub(crate) fn tell(self, found: &[Undefined], what: &str) -> Result {
        let is_error = self == Self::Error;
        for met in found {
            report_line(&met.to_string());
        }
        match is_error && Self::faults(found).next().is_some() {
            true => {
                Err(Failure::input(format!("{what} meets undefined behaviour; no file is written")))
            }
            false => Ok(()),
        }
    }
}
