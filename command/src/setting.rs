//! A value from the user, with its place.

use super::failure::Failure;
use lambdav_engine::settings::{TextPosition, UniformError};
use std::rc::Rc;

/// A value for the uniform or part that `path` names.
#[derive(Clone)]
pub(super) struct Setting {
    pub(super) path: String,
    /// The value as text.
    pub(super) value: String,
    /// File and position of the value; none on the command line.
    pub(super) place: Option<(Rc<str>, TextPosition)>,
}

impl Setting {
    /// Failure for an error in this setting, with its place.
    pub(super) fn failure(&self, error: UniformError) -> Failure {
        match &self.place {
            Some((file, at)) => Failure::input(format!("`{file}`: {}", error.within(*at))),
            None => Failure::usage(error.to_string()),
        }
    }

    /// Failure with this message, with the setting's place.
    pub(super) fn wrong(&self, what: &str) -> Failure {
        match &self.place {
            Some((file, at)) => Failure::input(format!("`{file}`, {at}: {what}")),
            None => Failure::usage(what),
        }
    }
}
