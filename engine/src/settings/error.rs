//! Errors of setting uniforms.

use super::names::instead;
use super::position::{TextPosition, suffix};
use lambdav_core::graph::Uniform;
use thiserror::Error;

impl UniformError {
    /// The same error for a constant.
    pub(crate) fn of_constant(self) -> Self {
        match self {
            Self::Value { name, reason, at } => Self::ConstantValue { name, reason, at },
            other => other,
        }
    }

    /// Moves the error's place to a text in which the value begins at `place`.
    #[must_use]
    pub fn within(mut self, place: TextPosition) -> Self {
        if let Self::Unknown { at, .. }
        | Self::Path { at, .. }
        | Self::Value { at, .. }
        | Self::ConstantValue { at, .. } = &mut self
        {
            *at = Some(at.map_or(place, |inner| place.then(inner)));
        }
        self
    }

    /// Adds constants as candidates for suggestions.
    #[must_use]
    pub fn or_one_of(self, constants: &[Uniform]) -> Self {
        match self {
            Self::Unknown { name, others, at, .. } => {
                let constants = constants.iter().map(|constant| constant.name.clone());
                let mut error = Self::unknown(name, others.into_iter().chain(constants).collect());
                if let Self::Unknown { at: place, .. } = &mut error {
                    *place = at;
                }
                error
            }
            other => other,
        }
    }

    pub(super) fn unknown(name: String, others: Vec<String>) -> Self {
        let help = instead(&name, others.iter().map(String::as_str));
        Self::Unknown { name, help, others, at: None }
    }
}

/// Reason why a uniform cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UniformError {
    /// The program has no uniform of that name.
    #[error("the program has no uniform `{name}`; {help}{}", suffix(.at))]
    Unknown {
        /// The name.
        name: String,
        /// Suggestions.
        help: String,
        /// All names of uniforms.
        others: Vec<String>,
        /// Place in a text of settings.
        at: Option<TextPosition>,
    },
    /// A uniform has no such part.
    #[error("`{path}`: {reason}{}", suffix(.at))]
    Path {
        /// The path.
        path: String,
        /// The wrong part, and the existing ones.
        reason: String,
        /// Place in a text of settings.
        at: Option<TextPosition>,
    },
    /// The name is a constant, which is fixed when the shader is compiled.
    #[error(
        "`{name}` is a constant, which is fixed when the shader is compiled: give it a value with `Shader::with_constant`"
    )]
    Constant {
        /// The name.
        name: String,
    },
    /// A text is no JSON object.
    #[error("not a JSON object of uniforms: {0}")]
    Malformed(String),
    /// The value does not fit the constant's type.
    #[error("constant `{name}`: {reason}{}", suffix(.at))]
    ConstantValue {
        /// Its name.
        name: String,
        /// The expected and the given value.
        reason: String,
        /// Place in a text of settings.
        at: Option<TextPosition>,
    },
    /// The value does not fit the uniform's type.
    #[error("uniform `{name}`: {reason}{}", suffix(.at))]
    Value {
        /// Its name.
        name: String,
        /// The expected and the given value.
        reason: String,
        /// Place in a text of settings.
        at: Option<TextPosition>,
    },
}
