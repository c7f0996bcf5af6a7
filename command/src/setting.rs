//! A value that is given, and where it stands.

use super::failure::Failure;
use lambdav_engine::settings::{TextPosition, UniformError};
use std::rc::Rc;

/// A value that is given to what a path leads to.
#[derive(Clone)]
pub(super) struct Setting {
    pub(super) path: String,
    /// As text.
    pub(super) value: String,
    /// The file that has it, and where; none of the command line.
    pub(super) place: Option<(Rc<str>, TextPosition)>,
}

impl Setting {
    /// What an error in it is.
    pub(super) fn failure(&self, error: UniformError) -> Failure {
        match &self.place {
            Some((file, at)) => Failure::input(format!("`{file}`: {}", error.within(*at))),
            None => Failure::usage(error.to_string()),
        }
    }
}
