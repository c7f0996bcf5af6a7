//! What operations cost, and the numbers that decisions compare costs with.
//!
//! They were measured on Zen 4 and Zen 5 with registers of 128 bits, over the gallery and the
//! kernels of the benchmark (`lambdav-bench kernels` and `lambdav-bench compile`). None of them
//! changes a result.

use crate::machine::PerClass;
use lambdav_core::op::Op as CoreOp;

/// A division or a square root, in simple operations. On Zen 4 they take 3 and 5 cycles a register
/// of 128 bits where products and sums take half of one and wait for each other.
pub(crate) const DIVISION: u64 = 4;

/// An elementary function, in simple operations: its body has 30 to 90 in binary64 (`lambdav-bench
/// functions`).
pub(crate) const ELEMENTARY: u64 = 40;

/// A load, in simple operations. (On an Intel Xeon with AVX-512 a gather of 8 words takes 4 cycles,
/// one of 16 words 12, where a comparison or a select of as many takes half of one to one.)
pub(crate) const LOAD: u64 = 8;

/// From so many parts on a constant that an index chooses from lies in memory, of fewer it is chosen
/// from by selects. (On an Intel Xeon, nanoseconds per pixel of 200 numbers from a constant of 4, 8,
/// 16 and 64: by loads 51, 50, 48 and 49 with AVX-512, 33, 36, 46 and 31 with AVX2, 51, 48, 49 and 57
/// with Cranelift, lane by lane; by selects 34, 59, 76 and 214; 42, 100, 150 and 386; 40, 70, 113 and
/// 348.)
pub(crate) const TABLE: usize = 8;

/// A store at an index that differs by lane, in the same.
pub(crate) const STORE: u64 = 12;

/// Arrays of at least so many parts that an index chooses from, or that are updated at one, are in
/// memory; of fewer each word is a value, chosen by selects. (Intel Xeon with AVX-512, nanoseconds per
/// pixel of 200 loads from 12 parts by selects, from any number in memory: 84 and 70 to 90 with AVX-512,
/// 205 and 73 with AVX2, 370 and 175 with Cranelift; of 200 updates 92 and 85, 203 and 165, 357 and 285.
/// Words that are read as soon as they are written, as at the top of a stack, take two to three times as
/// long as that.)
pub(crate) const ARRAY: usize = 16;

/// Arrays of at most so many words may be words of the frame, each a value of its own.
pub(crate) const MOST_FRAME_WORDS: usize = 1024;

/// Of arrays of more words none is a value of the frame if an index that is not known chooses from it there,
/// which is a select for each word.
pub(crate) const MOST_SELECTED_WORDS: usize = 64;

/// A copy of an expression at another pixel that costs more than this is read in the lane of that pixel
/// instead, by a permutation of lanes.
pub(crate) const SHARED: u64 = 2;

/// Above so many bytes of arrays that live at once a program is compiled for fewer lanes: they are to
/// stay in a cache that a core has for itself.
pub(crate) const MOST_ARRAY_BYTES: usize = 1 << 20;

/// Up to so many words are copied from array to array one after the other, more in a loop.
pub(crate) const UNROLLED_WORDS: u32 = 8;

/// Up to so many parts of what does not lie in memory are chosen from by comparing the index with
/// each; of more, by its bits: n − 1 comparisons and as many selects become two operations of a clamp,
/// a test for each bit, and as many selects.
pub(crate) const LINEAR_PARTS: usize = 8;

/// What an operation of the core costs for one component, in the same.
pub fn of_core(op: CoreOp) -> u64 {
    match op {
        CoreOp::Component(_)
        | CoreOp::Column(_)
        | CoreOp::Field(_)
        | CoreOp::Construct(_)
        | CoreOp::Inject(..)
        | CoreOp::Tag
        | CoreOp::Payload(..)
        | CoreOp::After => 0,
        CoreOp::Div | CoreOp::Sqrt => DIVISION,
        CoreOp::Texel => LOAD,
        CoreOp::Elementary(_) => ELEMENTARY,
        _ => 1,
    }
}

/// Up to this much work is done for all lanes rather than under a test whether any is active: about
/// what a test, a branch that is sometimes predicted wrongly, and the values that go around it
/// cost. (Ambient occlusion, flattened, took three square roots in each round, though hardly any
/// ray needs one.)
pub(crate) const UNTESTED: u64 = 8;

/// Up to this much work of a round is done before the test whether any lane leaves the loop, which
/// is in vain in the last round alone. (Mandelbrot.)
pub(crate) const BEFORE_EXIT: u64 = 24;

/// A decision of a loop's tail that lanes make differently: two masks, and what is selected by them.
/// What counts nothing could be written twice any number of times.
pub(crate) const DECISION: u64 = 4;

/// What making code of a call takes, in instructions: all registers are saved around it.
pub(crate) const INSTRS_OF_CALL: usize = 4;

/// How many rounds a loop counts as, where work or uses are added up.
pub(crate) const ROUNDS: u64 = 8;

/// Loops around more than this many count no more: the sums are to stay numbers.
const MOST_WEIGHED_LOOPS: u32 = 6;

/// How much what stands in so many loops counts for.
pub(crate) fn in_loops(loops: u32) -> u64 {
    ROUNDS.pow(loops.min(MOST_WEIGHED_LOOPS))
}

/// Above this many register instructions a program is compiled for fewer lanes, down to
/// [`FEW_LANES`]: compiling would take longer than what it saves in most images. (The gallery's
/// large shaders at 512×512.)
pub(crate) const MANY_INSTRS: u64 = 5_000;

/// The number of lanes down to which [`MANY_INSTRS`] is the bound.
pub(crate) const FEW_LANES: u32 = 8;

/// Above this many, for fewer lanes still, so that the time of compiling does not grow with them; and
/// registers are allocated in one pass for any number of pixels.
pub(crate) const MOST_INSTRS: u64 = 60_000;

/// Registers for a program whose work varies: four keep the machine busy while they wait for one
/// another. (Also of 256 bits, measured on Zen 3, and of 512, on Emerald Rapids: the kernels of the
/// benchmark are up to a quarter faster with four than with two; plasma and volume, which call most
/// of the time, up to 7 % slower.)
pub(crate) const REGISTERS: u32 = 4;

/// For fewer pixels than [`MANY_PIXELS`], no more lanes than these for such a program: the code of four
/// registers is twice as long as that of two. (Emerald Rapids, compiling and one frame on one thread,
/// sums over the gallery, 32 lanes and 64: 153 and 175 ms at 128×128, 220 and 244 at 256×256, 448 and
/// 463 at 512×512, 1,330 and 1,324 at 1024×1024.)
pub(crate) const LANES_OF_FEW_PIXELS: u32 = 32;

/// See [`LANES_OF_FEW_PIXELS`].
pub(crate) const MANY_PIXELS: f64 = 8e5;

/// At least so many lanes for a program whose work is mostly the same for all of them. (Fold,
/// matrices, tesseract: sines of a loop's counter are computed once for a group.)
pub(crate) const UNIFORM_LANES: u32 = 32;

/// Above this many bytes of stack a program is compiled for fewer lanes: threads have 2 MiB.
pub(crate) const MOST_STACK: usize = 256 << 10;

/// Registers that the instructions of a block have for themselves, beside what lives through it.
pub(crate) const REGISTERS_OF_BLOCK: PerClass<usize> = PerClass([4, 2]);

/// A value that lives across calls is kept in memory if saving it around each of them, so many
/// times over, costs as much as its uses. (Volume: values that live through the loop towards the
/// light, across the calls of `exp`.)
pub(crate) const SAVES: u64 = 4;

/// Functions of at least so many instructions are worth registers in one pass.
pub(crate) const QUICK_INSTRS: usize = 3_500;

/// For more pixels what runs longer takes more time than compiling does. (On two processors both
/// are equal at 512×512, in the mean of the gallery's large programs.)
pub(crate) const QUICK_PIXELS: f64 = 3e5;

/// A round of a loop, or a group of a row, of more register instructions than this polls for
/// cancellation itself, which costs three. (Others are done in thousands between two polls: in less
/// than a tenth of a second.)
pub(crate) const POLLING_ROUND: u64 = 1 << 12;

/// As how many register instructions a call of an elementary function counts.
pub(crate) const CALL: u64 = 200;
