//! Costs of operations, and the thresholds that decisions compare them with.
//!
//! They were measured on Zen 4 and Zen 5 with registers of 128 bits, over the gallery and the
//! kernels of the benchmark (`lambdav-bench kernels` and `lambdav-bench compile`). None of them
//! changes a result.

use crate::machine::PerClass;
use lambdav_core::op::Op;

/// A division or a square root, in simple operations. On Zen 4 they take 3 and 5 cycles for a register of
/// 128 bits. Products and sums take half a cycle and wait for each other.
pub(crate) const DIVISION: u64 = 4;

/// An elementary function, in simple operations: its body has 30 to 90 in binary64 (`lambdav-bench
/// functions`).
pub(crate) const ELEMENTARY: u64 = 40;

/// A load, in simple operations. (On an Intel Xeon with AVX-512 a gather of 8 words takes 4 cycles,
/// one of 16 words 12, where a comparison or a select of as many takes half of one to one.)
pub(crate) const LOAD: u64 = 8;

/// Minimum number of parts of a constant that lies in memory if an index chooses from it. Smaller constants
/// use selects. (Intel Xeon, nanoseconds per pixel of 200 numbers from a constant of 4, 8, 16 and 64 parts.
/// By loads: 51, 50, 48 and 49 with AVX-512; 33, 36, 46 and 31 with AVX2; 51, 48, 49 and 57 with Cranelift,
/// lane by lane. By selects: 34, 59, 76 and 214; 42, 100, 150 and 386; 40, 70, 113 and 348.)
pub(crate) const TABLE: usize = 8;

/// A store at a varying index, in simple operations.
pub(crate) const STORE: u64 = 12;

/// Minimum number of parts of an array that lies in memory, if an index chooses from it or updates it. Each
/// word of a smaller array is a value, chosen by selects. (Intel Xeon with AVX-512, nanoseconds per pixel
/// of 200 loads from 12 parts by selects, from any number in memory: 84 and 70 to 90 with AVX-512, 205 and
/// 73 with AVX2, 370 and 175 with Cranelift; of 200 updates 92 and 85, 203 and 165, 357 and 285. A word
/// that is read soon after it is written, as at the top of a stack, takes two to three times as long.)
pub(crate) const ARRAY: usize = 16;

/// Maximum number of words of an array that may be words of the frame, each a value of its own.
pub(crate) const MAX_FRAME_WORDS: usize = 1024;

/// Maximum number of words of an array that is a value of the frame, if code of the frame indexes it
/// dynamically: that takes a select for each word.
pub(crate) const MAX_SELECTED_WORDS: usize = 64;

/// If an expression copied to another pixel costs more than this, its value is read from that pixel's lane
/// instead, by a permutation of lanes.
pub(crate) const SHARED: u64 = 2;

/// Maximum number of bytes of arrays that live at once. Above it a program is compiled for fewer lanes: the
/// arrays should stay in a core's private cache.
pub(crate) const MAX_ARRAY_BYTES: usize = 1 << 20;

/// Maximum number of words that an array copy unrolls. Longer copies are loops.
pub(crate) const UNROLLED_WORDS: u32 = 8;

/// Maximum number of parts (not in memory) for a choice by comparing the index with each. Larger choices go
/// by the bits of the index: n − 1 comparisons and as many selects become two operations of a clamp, a test
/// for each bit, and as many selects.
pub(crate) const LINEAR_PARTS: usize = 8;

/// Cost of an operation of the core for one component, in simple operations.
pub fn of_core(op: Op) -> u64 {
    match op {
        Op::Component(_)
        | Op::Column(_)
        | Op::Field(_)
        | Op::Construct(_)
        | Op::Inject(..)
        | Op::Tag
        | Op::Payload(..)
        | Op::Probe(_)
        | Op::After => 0,
        Op::Div | Op::Sqrt => DIVISION,
        Op::Texel => LOAD,
        Op::Elementary(_) => ELEMENTARY,
        _ => 1,
    }
}

/// Maximum work that is done for all lanes without a test if any is active. It is about the cost of a test,
/// a branch that is sometimes mispredicted, and the values that go around it. (Ambient occlusion,
/// flattened, took three square roots in each round, though hardly any ray needs one.)
pub(crate) const UNTESTED: u64 = 8;

/// Maximum work of a round that is done before the test if any lane leaves the loop. That work is wasted in
/// the last round only. (Mandelbrot.)
pub(crate) const BEFORE_EXIT: u64 = 24;

/// A divergent decision in a loop's tail: two masks, and the selects by them. It is not zero: free code
/// could be duplicated any number of times.
pub(crate) const DECISION: u64 = 4;

/// Compile time of a call, in instructions: all registers are saved around it.
pub(crate) const INSTRS_OF_CALL: usize = 4;

/// Number of rounds that a loop counts as, in sums of work or uses.
pub(crate) const ROUNDS: u64 = 8;

/// Maximum loop depth that weighs: sums must not overflow.
const MAX_WEIGHED_LOOPS: u32 = 6;

/// Weight of code in so many nested loops.
pub(crate) fn in_loops(loops: u32) -> u64 {
    ROUNDS.pow(loops.min(MAX_WEIGHED_LOOPS))
}

/// Maximum number of register instructions before a program is compiled for fewer lanes, down to
/// [`FEW_LANES`]. Compiling would take longer than the lanes save in most images. (The gallery's large
/// shaders at 512×512.)
pub(crate) const MANY_INSTRS: u64 = 5_000;

/// The number of lanes down to which [`MANY_INSTRS`] is the bound.
pub(crate) const FEW_LANES: u32 = 8;

/// Above this many register instructions, even fewer lanes than [`FEW_LANES`] are used, so that compile
/// time does not grow with the lanes. Registers are then allocated in one pass for any number of pixels.
pub(crate) const MAX_INSTRS: u64 = 60_000;

/// Number of registers to a varying value, for a program of varying work: four independent chains hide
/// latency. (Also with 256 bits, measured on Zen 3, and 512, on Emerald Rapids: the kernels of the
/// benchmark are up to a quarter faster with four than with two; plasma and volume, which call most of the
/// time, up to 7 % slower.)
pub(crate) const REGISTERS: u32 = 4;

/// Maximum number of lanes of such a program for fewer pixels than [`MANY_PIXELS`]: the code of four
/// registers is twice as long as that of two. (Emerald Rapids, compiling and one frame on one thread, sums
/// over the gallery, 32 lanes and 64: 153 and 175 ms at 128×128, 220 and 244 at 256×256, 448 and 463 at
/// 512×512, 1,330 and 1,324 at 1024×1024.)
pub(crate) const LANES_OF_FEW_PIXELS: u32 = 32;

/// See [`LANES_OF_FEW_PIXELS`].
pub(crate) const MANY_PIXELS: f64 = 8e5;

/// Minimum number of lanes for a program of mostly uniform work. (Fold, matrices, tesseract: sines of a
/// loop's counter are computed once for a group.)
pub(crate) const UNIFORM_LANES: u32 = 32;

/// Maximum number of bytes of stack before a program is compiled for fewer lanes: threads have 2 MiB.
pub(crate) const MAX_STACK: usize = 256 << 10;

/// Registers reserved for temporaries of a block, beside the values that live through it.
pub(crate) const REGISTERS_OF_BLOCK: PerClass<usize> = PerClass([4, 2]);

/// A value that lives across calls is kept in memory if this factor times the number of those calls is at
/// least its number of reads. Both are weighted by loops, and each block that uses the value counts as one
/// read. (Volume: values that live through the loop towards the light, across the calls of `exp`.)
pub(crate) const SAVES: u64 = 4;

/// Minimum number of instructions of a function for which allocation in one pass pays.
pub(crate) const QUICK_INSTRS: usize = 3_500;

/// Maximum number of pixels for allocation in one pass: above it slower code costs more time than fast
/// compiling saves. (On two processors both are equal at 512×512, in the mean of the gallery's large
/// programs.)
pub(crate) const QUICK_PIXELS: f64 = 3e5;

/// A round of a loop, or a group of a row, with more register instructions than this polls for cancellation
/// itself, which costs three instructions. Shorter rounds and groups run in thousands between two polls, in
/// less than a tenth of a second.
pub(crate) const POLLING_ROUND: u64 = 1 << 12;

/// Number of register instructions that a call of an elementary function counts as.
pub(crate) const CALL: u64 = 200;
