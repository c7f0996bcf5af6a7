//! Tests of the crate from outside: mutated files, memory, other readers.

mod memory;
mod mutated;
mod readers;
