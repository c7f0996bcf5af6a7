//! Mutants: deliberate mistakes that can be switched on, to show that tests find them.
//!
//! Each is a plausible mistake in a compiler of masked code. Mutants exist only with the feature `mutants`;
//! without it [`is_active`] is false at compile time.

/// A deliberate mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// After an `if`, lanes get the value of the arm not taken.
    WrongBlend = 1,
    /// The mask of an inner arm is not restricted to the mask of the outer arm.
    LostMask,
    /// The second argument of a `rec` sees the new value of the first parameter.
    StaleSwap,
    /// A loop is executed although no lane takes the arm around it.
    HoistedLoop,
    /// The initial live mask of a loop has all lanes, not the active ones.
    DeadLaneAlive,
    /// Of a value that varies by row, a register gets the part of a column.
    WrongRegister,
    /// The second register that a round of a loop passes on gets the value of the first.
    LostArgument,
    /// The operands of a minimum are swapped, which shows if they are equal or one is NaN.
    SwappedMinimum,
    /// Numbers are less than themselves.
    WrongComparison,
    /// Vector selects use the complement of the mask.
    SwappedSelect,
    /// A spill slot is reused too early.
    ReusedSlot,
    /// Values that change spill slots are stored before all of them are loaded.
    OverwrittenSlot,
    /// A value stored in one block is reloaded in others, as if it had been stored on all paths.
    StaleSlot,
    /// The result of a call is assumed to be stored in its spill slot.
    UnstoredResult,
    /// A function's value is shared by several registers of a group, but computed under the mask of only
    /// one of them.
    NarrowMask,
    /// The halves of a mask are swapped.
    SwappedHalves,
    /// A displacement counts bytes although the instruction scales it by its operand's size (EVEX disp8*N).
    WrongDisplacement,
    /// A move that the register allocator inserts in a loop header is lost.
    LostMove,
    /// A callee-saved register is not preserved.
    ClobberedSurvivor,
    /// A mask keeps the lanes that it should lose.
    MaskPolarity,
    /// Shift counts are taken modulo 64.
    LongShift,
    /// The sum in a division by a constant loses its carry: it is taken as 32 bits.
    LostCarry,
    /// The multiplier for a divisor that is uniform over the frame is rounded down.
    ShortFactor,
    /// An index is not clamped below the number of parts.
    LooseIndex,
    /// A field of a variant's case is read from the words of another case.
    WrongField,
    /// An update changes the old array too.
    UpdateInPlace,
    /// The distance to a constant is relative to the displacement itself, not to the instruction's end.
    WrongDistance,
    /// An array is updated in memory that another live array still occupies.
    SharedArray,
    /// Column and row of a texel are not clamped.
    LooseTexel,
    /// The row pitch of a texture is its number of rows.
    WrongTexelRow,
    /// Indices are clamped to the extent of the next resource.
    ForeignExtent,
    /// The extent of a resource is not updated when other data is bound.
    StaleExtent,
    /// An update stores in inactive lanes too.
    UnmaskedStore,
    /// The first two of the words that one load fetches are swapped.
    SwappedWords,
    /// The halves of a table in registers are swapped.
    SwappedTables,
    /// Indices of columns are assumed to be consecutive, without the test.
    UntestedColumns,
    /// Texels are assumed to lie side by side, without the test.
    UntestedPairs,
    /// Memory holds another component of a narrow texture.
    WrongComponent,
    /// The second of two words side by side is taken for the first.
    SwappedPair,
    /// The weights of the rows of a bilinear mix are swapped.
    SwappedRows,
    /// A neighbour's value is read from the pixel's own side of the pair.
    WrongQuad,
    /// Values that are undefined in inactive lanes are assumed to be whole.
    PartialQuad,
    /// All pixels that run are stored, although the store mask excludes some.
    StoredUnderRun,
    /// A change of a memory has the mask of the group, not that of its block.
    RunMask,
    /// An access beyond the end of a memory accesses the last word.
    ClampedAccess,
    /// The lanes of a group change a memory in reverse order.
    ReversedLanes,
    /// A result of an atomic operation is the new word.
    NewWord,
    /// Atomic operations of two kinds are taken to commute.
    MixedAtomics,
    /// An invocation does not wait at a barrier.
    SkippedBarrier,
    /// A copy for atomic operations begins with the words of the memory.
    UsedCopy,
    /// The segments of programs with barriers are taken to be independent.
    UnprovedSegment,
    /// All invocations of a workgroup go the way of the first.
    FirstCondition,
    /// A workgroup begins with the variables of the one before it on its thread.
    KeptVariables,
    /// Words that are stored together are stored again one by one.
    StoredTwice,
    /// Loads are not checked for the order.
    UncheckedReads,
    /// The result of lanes is taken though an access was late.
    IgnoredFlag,
    /// Changes leave no stamps.
    UnstampedChange,
    /// A table of an elementary function has its words in the places before.
    ShiftedTable,
    /// Lanes beyond the range of an elementary function's first body keep its result.
    NearResult,
    /// A plane of a texture begins as many rows behind the one before as the texture has columns.
    WrongPlane,
}

impl Mutant {
    /// Mutants of lane programs.
    pub const OF_MASKS: [Self; 5] =
        [Self::WrongBlend, Self::LostMask, Self::StaleSwap, Self::HoistedLoop, Self::DeadLaneAlive];

    /// Mutants of integer operations.
    pub const OF_INTEGERS: [Self; 2] = [Self::LongShift, Self::LostCarry];

    /// Mutants of division by a number that is uniform over the frame.
    pub const OF_DIVISORS: [Self; 1] = [Self::ShortFactor];

    /// Mutants of choices by an index.
    pub const OF_INDICES: [Self; 1] = [Self::LooseIndex];

    /// Mutants of textures.
    pub const OF_TEXTURES: [Self; 2] = [Self::LooseTexel, Self::WrongTexelRow];

    /// Mutants of textures with planes.
    pub const OF_PLANES: [Self; 1] = [Self::WrongPlane];

    /// Mutants of sizes that code reads at run time. They show with two resources.
    pub const OF_EXTENTS: [Self; 1] = [Self::ForeignExtent];

    /// Mutants that show if other data is bound.
    pub const OF_BINDING: [Self; 1] = [Self::StaleExtent];

    /// Mutants of words that one load fetches.
    pub const OF_FOURS: [Self; 1] = [Self::SwappedWords];

    /// Mutants of tables in registers.
    pub const OF_TABLES: [Self; 1] = [Self::SwappedTables];

    /// Mutants of elementary functions at large arguments.
    pub const OF_LARGE_ARGUMENTS: [Self; 2] = [Self::ShiftedTable, Self::NearResult];

    /// Mutants of loads by columns.
    pub const OF_COLUMNS: [Self; 1] = [Self::UntestedColumns];

    /// Mutants of bilinear mixes.
    pub const OF_MIXES: [Self; 2] = [Self::UntestedPairs, Self::SwappedRows];

    /// Mutants of textures of which one component is read.
    pub const OF_NARROW: [Self; 3] = [Self::WrongComponent, Self::UntestedPairs, Self::SwappedPair];

    /// Mutants of values that are read in other lanes.
    pub const OF_QUADS: [Self; 2] = [Self::WrongQuad, Self::PartialQuad];

    /// Mutants of quads with pixels that run and are not stored.
    pub const OF_STORES: [Self; 1] = [Self::StoredUnderRun];

    /// Mutants of memories that show in any number of lanes.
    pub const OF_MEMORIES: [Self; 3] = [Self::ClampedAccess, Self::NewWord, Self::SkippedBarrier];

    /// Mutants of memories that show in several lanes.
    pub const OF_MEMORIES_IN_LANES: [Self; 2] = [Self::RunMask, Self::ReversedLanes];

    /// Mutants of checks for the order.
    pub const OF_CHECKS: [Self; 3] =
        [Self::UncheckedReads, Self::IgnoredFlag, Self::UnstampedChange];

    /// Mutants that show only in a log of changes.
    pub const OF_LOGS: [Self; 1] = [Self::StoredTwice];

    /// Mutants of invocations that run at once.
    pub const OF_INDEPENDENCE: [Self; 5] = [
        Self::MixedAtomics,
        Self::UsedCopy,
        Self::UnprovedSegment,
        Self::FirstCondition,
        Self::KeptVariables,
    ];

    /// Mutants of arrays in memory.
    pub const OF_ARRAYS: [Self; 3] = [Self::SharedArray, Self::UnmaskedStore, Self::LooseIndex];

    /// Mutants of register programs and of the emitter.
    pub const OF_CODE: [Self; 5] = [
        Self::WrongRegister,
        Self::LostArgument,
        Self::SwappedMinimum,
        Self::WrongComparison,
        Self::SwappedSelect,
    ];

    /// Mutants of the wide emitter that both kinds of masks show, in vectors and in mask registers.
    pub const OF_VECTORS: [Self; 3] = [Self::SwappedHalves, Self::LostMove, Self::WrongDistance];

    /// Mutants that need EVEX or mask registers.
    pub const OF_MASK_REGISTERS: [Self; 6] = [
        Self::SwappedHalves,
        Self::SwappedMinimum,
        Self::WrongDisplacement,
        Self::LostMove,
        Self::ClobberedSurvivor,
        Self::MaskPolarity,
    ];

    /// Mutants that only a checker of undefined lanes shows: machine code has the right bits there nearly
    /// always.
    pub const OF_UNDEFINED_LANES: [Self; 1] = [Self::NarrowMask];

    /// Mutants of spilling.
    pub const OF_SPILLING: [Self; 4] =
        [Self::ReusedSlot, Self::OverwrittenSlot, Self::StaleSlot, Self::UnstoredResult];
}

lambdav_core::mutants!();
