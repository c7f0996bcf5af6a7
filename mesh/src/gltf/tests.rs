//! Tests of whole files, which [`Builder`] makes.

mod builder;
mod errors;
mod order;
mod values;
