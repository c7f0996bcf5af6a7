//! Which instructions of the machine an instruction of the register program becomes.
//!
//! Some are made where they are used, if that is in one place of the same block: what is read from
//! memory becomes an operand there, a comparison is made under the mask that it is joined with, or
//! sets the flags of a branch. All of these are pure, so it does not matter when; but for what is read
//! from spill slots, which must not be filled in between. Constants are made at each use: they lie in
//! memory.
//!
//! | module | does |
//! |---|---|
//! | `function` | blocks, and which instruction becomes what |
//! | `selection` | the state: which values there are, and where |
//! | `vector`, `scalar`, `integers` | operations |
//! | `memory`, `tables`, `arrays`, `calls` | what is read, written and called |

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
