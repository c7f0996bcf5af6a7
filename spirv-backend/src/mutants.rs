//! Mutants: plausible mistakes of an emitter of SPIR-V, switched on to show that the tests find them.
//!
//! They exist only with the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Swaps the values of the two arms in the φ of an `if`.
    SwappedWays = 1,
    /// Misses that an inner `if` opened a block, so φ's name the block before it.
    StaleBlock,
    /// Continues a loop where it should leave it, and the other way round.
    SwappedBranches,
    /// Takes the wrong operand of `min` and `max`.
    SwappedSelect,
    /// Tests inequality by an ordered comparison, which a NaN fails.
    OrderedNotEqual,
    /// Takes shift counts modulo 64.
    LongShift,
    /// Loses a carry between the halves of a product.
    LostCarry,
    /// Does not clamp an index.
    LooseIndex,
    /// Reads a field of a variant's case from the words of another case's field.
    WrongField,
    /// Updates an array in place.
    UpdateInPlace,
    /// Does not clamp the coordinates of a texel fetch.
    LooseTexel,
    /// Discards the pixels that should be kept, and the other way round.
    KilledElsewhere,
    /// Exact modules do not note products that underflow.
    UnnotedProduct,
    /// Exact modules round the sum of an `fma` twice.
    RoundedTwice,
    /// Exact modules accept the result of a body that does not decide.
    Undecided,
    /// The first coefficient of each body in an exact module is off by one unit in its last place.
    WrongCoefficient,
    /// Allows sums and products to be contracted.
    Contracted,
    /// Exact modules do not correct a quotient and ignore its residual.
    Uncorrected,
    /// Clamps the index of a store to the end of the memory.
    ClampedStore,
    /// Reads the first word of a memory beyond its end.
    LooseLoad,
    /// Leaves barriers out.
    SkippedBarrier,
    /// Drops atomic operations whose old words are unused.
    DroppedAtomic,
}

impl Mutant {
    /// Mutants that any program can reveal.
    pub const ALL: [Self; 6] = [
        Self::SwappedWays,
        Self::StaleBlock,
        Self::SwappedBranches,
        Self::SwappedSelect,
        Self::OrderedNotEqual,
        Self::KilledElsewhere,
    ];

    /// Mutants of exact modules.
    pub const OF_EXACT: [Self; 4] =
        [Self::UnnotedProduct, Self::RoundedTwice, Self::Undecided, Self::WrongCoefficient];

    /// Mutants revealed by a device as inaccurate as Vulkan allows.
    pub const OF_ROUGH: [Self; 2] = [Self::Contracted, Self::Uncorrected];

    /// Mutants of integer operations.
    pub const OF_INTEGERS: [Self; 2] = [Self::LongShift, Self::LostCarry];

    /// Mutants of dynamic indices.
    pub const OF_INDICES: [Self; 1] = [Self::LooseIndex];

    /// Mutants of memories.
    pub const OF_MEMORIES: [Self; 3] = [Self::ClampedStore, Self::LooseLoad, Self::SkippedBarrier];

    /// Mutants of passes in exact modules.
    pub const OF_PASSES: [Self; 1] = [Self::DroppedAtomic];

    /// Mutants of textures.
    pub const OF_TEXTURES: [Self; 1] = [Self::LooseTexel];
}

lambdav_core::mutants!();
