//! Instruction selection: from instructions of the register program to those of the machine.
//!
//! An instruction whose only use is in the same block may be selected at that use. A load becomes a
//! memory operand there. A comparison is made under the mask that it is joined with, or sets the
//! flags of a branch. All of these are pure, so their order does not matter, except for reloads:
//! their spill slots must not be overwritten in between. Constants are made at each use: they lie
//! in memory.
//!
//! | module | does |
//! |---|---|
//! | `function` | blocks, and the dispatch on instructions |
//! | `selection` | the state: values and their places |
//! | `vector`, `scalar`, `integers` | operations |
//! | `quads`, `columns` | neighbours in quads, and rows in memory |
//! | `memory`, `tables`, `arrays`, `accesses`, `calls` | loads, stores and calls |

mod accesses;
mod arrays;
mod calls;
mod columns;
mod function;
mod integers;
mod memory;
mod quads;
mod scalar;
mod selection;
mod tables;
mod vector;

pub(super) use function::select;
