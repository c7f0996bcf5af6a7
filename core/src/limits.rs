//! All limits of the compiler.
//!
//! *The compiler's time and memory are linear in the text, or one of these refuses it.* LANGUAGE.md §8
//! has them as a table. What a text of 1 MB takes at most is measured by `lambdav-scaling`: 4 seconds
//! and 1 GiB on one core; the numbers below are chosen for that, and so that 200,000 operations are
//! accepted. (Images have limits of their own, which are the raster's.)

/// The length of the longest text that is read, in bytes: 16 MiB. A larger one is LV0108.
pub const TEXT: usize = 1 << 24;

/// The length of the longest core text that is read or printed, in bytes: 128 MiB, three times what
/// the largest programs that are compiled usually take.
pub const CORE_TEXT: usize = 1 << 27;

/// The length of the longest text in WGSL or GLSL that is read, in bytes: 1 MiB. A larger one is LV0606.
pub const FOREIGN_TEXT: usize = 1 << 20;

/// How deep lists may nest. A list inside this many others is LV0106.
pub const LIST_NESTING: usize = 20_000;

/// The most files that include one another.
pub const INCLUDE_NESTING: usize = 64;

/// How deep blocks may nest: branches and loops after inlining. Deeper is LV0503.
pub const BLOCK_NESTING: usize = 20_000;

/// How many errors are told, and how many warnings, if nobody asks for more or fewer; of the others
/// only the number.
pub const ERRORS: usize = 20;

/// How many names that are not bound are compared with those that are, to suggest one.
pub const SUGGESTIONS: usize = 100;

/// How deep applications of functions may nest. Deeper is LV0501.
pub const APPLICATION_NESTING: u32 = 10_000;

/// How many expressions may be evaluated in expanding a program: so many that it takes a third of
/// a second. Of a function that is applied again, its body counts again, even if no new node comes
/// of it. An operation written once takes about three. More are LV0502.
pub const EXPANSION_STEPS: u32 = 1_500_000;

/// How many arguments and bindings of `let`s may be made in expanding a program. More are LV0502.
pub const BINDINGS: usize = 2_000_000;

/// How many core nodes a program may expand to. More are LV0502.
pub const NODES: usize = 1_000_000;

/// How many nodes may be added to say where loops are needed, and to copy them. More are LV0502.
pub const PLACED_NODES: usize = 500_000;

/// How many steps it may take to find out where loops that conditions need, too, are needed. More are
/// LV0502.
pub const PLACING_WORK: usize = 20_000_000;

/// How many operands, of statements and of ends of blocks, a scheduled program may have. More are
/// LV0502.
pub const OPERANDS: usize = 3_000_000;

/// How many operations all loops in the defaults of a program's uniforms may execute together. More
/// are LV0504.
pub const DEFAULT_OPERATIONS: u64 = 1 << 24;

/// How many operations a loop that depends on nothing from outside may execute to become a constant of a
/// module. One that takes more stays a loop.
pub const CLOSED_LOOP_OPERATIONS: u64 = 1 << 20;

/// How many operations all such loops of a module may execute together.
pub const CLOSED_LOOPS_OPERATIONS: u64 = 1 << 24;

/// How many `rec`s each entry of a loop may execute if nobody asks for more or fewer. More are LV0504.
pub const ITERATIONS: u64 = 1 << 24;

/// How deep loops may nest in machine code: register allocation takes the square of it. Deeper ones
/// are evaluated.
pub const CODE_LOOP_NESTING: usize = 200;

/// How many values, and operands of `if`s and of ends of blocks, a lane program may have from which
/// machine code is made. A larger one is evaluated.
pub const LANE_VALUES: usize = 4_000_000;

/// How many values a loop or a branch may pass on in machine code: what is passed on is compared with
/// all else that is. A larger program is evaluated.
pub const PASSED_VALUES: usize = 4_096;

/// Of how many instructions of registers machine code is made. A larger program is evaluated.
pub const INSTRS: usize = 1_500_000;

/// How many words a value may have, and how many parts: fields, elements, cases. More are LV0419.
pub const WORDS: u32 = 1 << 16;

/// How many texels a texture may have, those of all its levels counted, and all textures of a program
/// together: they take 2 GiB. More are refused where they are bound.
pub const TEXELS: u32 = 1 << 27;

/// How many words a buffer may have, and all buffers of a program together: they take 1 GiB. More are
/// refused where they are bound.
pub const BUFFER_WORDS: u32 = 1 << 28;

/// How deep structures, variants and arrays may nest. Deeper is LV0419.
pub const TYPE_NESTING: u32 = 256;

/// How many words an array may have that machine code computes, rather than reads, and an index
/// chooses from. A larger program is evaluated; where machine code is asked for it is LV0506.
pub const CHOSEN_WORDS: usize = 16_384;

/// How many bytes of memory machine code may take on each thread for arrays that live at once, in as
/// few lanes as vectors have. A larger program is evaluated.
pub const ARRAY_BYTES: usize = 1 << 24;

/// How many words all constants of a program may have, and its operations operands, together. More
/// are LV0502.
pub const EXTENT: usize = 1 << 24;

/// How many words all values of a scheduled program may have together: an evaluator has a place for
/// each. More are LV0502.
pub const VALUE_WORDS: usize = 1 << 26;
