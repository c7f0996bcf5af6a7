//! The rules of LANGUAGE §14, by hand, and properties of random scenes.

mod assembly;
mod coverage;
mod errors;
mod interpolation;
mod outputs;
mod scenes;
mod support;
