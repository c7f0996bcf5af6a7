//! Mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that an emitter of SPIR-V could really make. They are there only with
//! the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// The emitter swaps the values of the two arms in the φ of an `if`.
    SwappedWays = 1,
    /// The emitter does not notice that an inner `if` opened a block, so that φ's name the one
    /// before.
    StaleBlock,
    /// The emitter goes on with a loop where it should leave it, and the other way round.
    SwappedBranches,
    /// The emitter takes the wrong operand of `min` and `max`.
    SwappedSelect,
    /// The emitter compares for ordered and different numbers, which a NaN is not.
    OrderedNotEqual,
    /// The emitter takes counts of shifts modulo 64.
    LongShift,
    /// The emitter loses a carry between the halves of a product.
    LostCarry,
    /// The emitter does not keep an index below the number of parts.
    LooseIndex,
    /// The emitter reads a field of a variant's case from the words of another case's.
    WrongField,
    /// The emitter lets an update change the array that it is made of.
    UpdateInPlace,
    /// The emitter does not clamp what a texel is fetched by.
    LooseTexel,
    /// The emitter discards the pixels that are not to be.
    KilledElsewhere,
    /// Exact modules do not note products that underflow.
    UnnotedProduct,
    /// Exact modules round a sum of `fma` twice.
    RoundedTwice,
    /// Exact modules take the body's result where it may be wrong.
    Undecided,
    /// The first coefficient of each body of an exact module is off by a unit in its last place.
    WrongCoefficient,
    /// The emitter lets sums and products be contracted.
    Contracted,
    /// Exact modules do not correct a quotient, and do not look at its residual.
    Uncorrected,
}

impl Mutant {
    /// Those that every program may show.
    pub const ALL: [Self; 6] = [
        Self::SwappedWays,
        Self::StaleBlock,
        Self::SwappedBranches,
        Self::SwappedSelect,
        Self::OrderedNotEqual,
        Self::KilledElsewhere,
    ];

    /// Those of exact modules.
    pub const OF_EXACT: [Self; 4] =
        [Self::UnnotedProduct, Self::RoundedTwice, Self::Undecided, Self::WrongCoefficient];

    /// Those that a device shows that computes as roughly as Vulkan lets it.
    pub const OF_ROUGH: [Self; 2] = [Self::Contracted, Self::Uncorrected];

    /// Those of integers.
    pub const OF_INTEGERS: [Self; 2] = [Self::LongShift, Self::LostCarry];

    /// Those of what an index chooses from.
    pub const OF_INDICES: [Self; 1] = [Self::LooseIndex];

    /// Those of textures.
    pub const OF_TEXTURES: [Self; 1] = [Self::LooseTexel];
}

lambdav_core::mutants!();
