//! Tests of memories in the core: random dispatches, and texts.

mod dispatches;
mod hostile;
mod random;
mod refused;
