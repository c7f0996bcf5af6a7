//! All limits of the compiler.
//!
//! *Compiling takes time and memory linear in the text; a text that would need more exceeds one of these
//! limits and is refused.* docs/limits.md lists the limits. `lambdav-scaling` measures the worst cases of a
//! text of 1 MB: at most 4 seconds and 1 GiB on one core. The numbers below are chosen for that bound, and so
//! that 200,000 operations are accepted. (Limits of images are in the raster crate.)
//!
//! Each limit is compared where its work is counted, and reported there.

/// Longest text that is read, in bytes: 16 MiB. A longer one is LV0108.
pub const TEXT: usize = 1 << 24;

/// Longest core text that is read or printed, in bytes: 128 MiB, three times the core text of the largest
/// programs that usually compile.
pub const CORE_TEXT: usize = 1 << 27;

/// Longest text in WGSL or GLSL that is read, in bytes: 4 MiB. A longer one is LV0623 or LV0643.
pub const FOREIGN_TEXT: usize = 1 << 22;

/// Deepest nesting of lists. A list inside this many others is LV0106.
pub const LIST_NESTING: usize = 20_000;

/// Deepest nesting of files that include one another.
pub const INCLUDE_NESTING: usize = 64;

/// Most tokens that the macros of a GLSL text make and read again, and that its files have beyond their first
/// inclusion. More are LV0611, or LV0213 at an `#include`.
pub const MACRO_TOKENS: usize = 1_000_000;

/// Longest name or number that `##` makes in GLSL, in bytes. A longer one is LV0611.
pub const PASTED_BYTES: usize = 1024;

/// Deepest nesting of blocks: branches and loops after inlining. Deeper is LV0503.
pub const BLOCK_NESTING: usize = 20_000;

/// Default number of errors, and of warnings, that are reported. The others are only counted.
pub const ERRORS: usize = 20;

/// Most unbound names for which a similar bound name is searched.
pub const SUGGESTIONS: usize = 100;

/// Deepest nesting of applications of functions. Deeper is LV0501.
pub const APPLICATION_NESTING: u32 = 10_000;

/// Most expressions evaluated while a program is expanded, which take a third of a second. Each application
/// of a function counts its body again, even if it adds no node. An operation written once counts about
/// three. More are LV0502.
pub const EXPANSION_STEPS: u32 = 1_500_000;

/// Most arguments and `let` bindings made while a program is expanded. More are LV0502.
pub const BINDINGS: usize = 2_000_000;

/// Most core nodes of a program. More are LV0502.
pub const NODES: usize = 1_000_000;

/// Most nodes that the scheduler adds for guards and copies of loops. More are LV0502.
pub const PLACED_NODES: usize = 500_000;

/// Most steps of the scheduler for copies of loops, for guards whose conditions need loops themselves, and for
/// what such guards ask of nodes that have had their turn; also for pairs of a load from a memory and a consumer of its
/// state. More are LV0502.
pub const PLACING_WORK: usize = 20_000_000;

/// Most operands of the statements and block ends of a scheduled program. More are LV0502.
pub const OPERANDS: usize = 3_000_000;

/// Most operations that all loops in the defaults of a program's uniforms execute together. More are LV0504.
pub const DEFAULT_OPERATIONS: u64 = 1 << 24;

/// Most operations of a closed loop that becomes a constant of a module; such a loop depends on no input,
/// uniform or resource. A longer one stays a loop.
pub const CLOSED_LOOP_OPERATIONS: u64 = 1 << 20;

/// Most operations that all such loops of a module execute together.
pub const CLOSED_LOOPS_OPERATIONS: u64 = 1 << 24;

/// Default limit on the `rec`s that one entry of a loop executes. More are LV0504.
pub const ITERATIONS: u64 = 1 << 24;

/// Deepest nesting of loops in machine code: register allocation takes time by its square. Deeper loops are
/// left to the evaluator.
pub const CODE_LOOP_NESTING: usize = 200;

/// Most values, and operands of `if`s and block ends, of a lane program that becomes machine code. A larger
/// one is left to the evaluator.
pub const LANE_VALUES: usize = 4_000_000;

/// Most values that one loop or branch passes on in machine code: each is compared with every other. A larger
/// program is left to the evaluator.
pub const PASSED_VALUES: usize = 4_096;

/// Most instructions of a register program that becomes machine code. A larger program is left to the
/// evaluator.
pub const INSTRS: usize = 1_500_000;

/// Most words of a value, and most parts (fields, elements, cases) of a type. More are LV0419.
pub const WORDS: u32 = 1 << 16;

/// Most texels of a texture, all levels counted, and of all textures of a program together: they take 2 GiB.
/// A larger texture is refused when it is bound.
pub const TEXELS: u32 = 1 << 27;

/// Most words of a buffer, and of all buffers of a program together: they take 1 GiB. A larger buffer is
/// refused when it is bound.
pub const BUFFER_WORDS: u32 = 1 << 28;

/// Deepest nesting of statements of GLSL. Deeper is LV0623.
pub const STATEMENT_NESTING: u32 = 200;

/// The end of the locations of a stage's inputs and outputs in GLSL. A further one is LV0619.
pub const LOCATIONS: u32 = 4096;

/// Deepest nesting of structures, variants and arrays. Deeper is LV0419.
pub const TYPE_NESTING: u32 = 256;

/// Most words of a computed array that machine code indexes dynamically; arrays that are read in place may be
/// larger. A larger program is left to the evaluator, and is LV0506 where machine code is asked for.
pub const CHOSEN_WORDS: usize = 16_384;

/// Most bytes per thread that machine code needs for arrays that are live at once, at the fewest lanes of a
/// vector. A larger program is left to the evaluator.
pub const ARRAY_BYTES: usize = 1 << 24;

/// Most words of all constants plus operands of all operations of a program. More are LV0502.
pub const EXTENT: usize = 1 << 24;

/// Most words of all values of a scheduled program together: an evaluator stores each. More are LV0502.
pub const VALUE_WORDS: usize = 1 << 26;

/// Most memories of a program, and most states in one value. More are LV0419.
pub const MEMORIES: usize = 256;

/// Most passes, and most results, of a program. More are LV0502.
pub const PASSES: usize = 1024;

/// Most words of the elements that the writes of all passes write, each once. More are LV0502.
pub const WRITE_WORDS: usize = 1 << 18;

/// Most operations of all passes together, those that several need counted for each. More are LV0502.
pub const PASS_NODES: usize = 4_000_000;

/// Most words of a memory of workgroups.
pub const WORKGROUP_WORDS: u32 = 1 << 16;

/// Phases into which barriers split a program, times its values: each phase has a list of all values.
pub const PHASE_VALUES: usize = 1 << 24;

/// Most invocations of a workgroup.
pub const WORKGROUP_INVOCATIONS: u32 = 1024;
