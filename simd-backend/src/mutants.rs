//! Mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that a compiler of masked code could really make. They are there only with the
//! feature `mutants`; without it [`is_active`] is false at compile time.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// After an `if`, lanes get the value of the arm that they did not take.
    WrongBlend = 1,
    /// The lanes of an arm of an `if` within an `if` are not restricted to those of the outer arm.
    LostMask,
    /// The second argument of a `rec` sees the new value of the first parameter.
    StaleSwap,
    /// A loop is executed although no lane takes the arm that it stands in.
    HoistedLoop,
    /// A loop begins with all lanes, not with those that came to it.
    DeadLaneAlive,
    /// Of a value that differs by row, a register gets the one of the column.
    WrongRegister,
    /// The second register that a round of a loop hands on gets the value of the first.
    LostArgument,
    /// The operands of a minimum are swapped, which shows where they are equal or a NaN.
    SwappedMinimum,
    /// Numbers are less than themselves.
    WrongComparison,
    /// Lanes of a vector select by the mask's complement.
    SwappedSelect,
    /// A spill slot is used for another value a little too early.
    ReusedSlot,
    /// Values that change spill slots are stored before all are read.
    OverwrittenSlot,
    /// A value that one block has stored is read by others as if it were in memory everywhere.
    StaleSlot,
    /// The result of a call is taken for stored in its spill slot.
    UnstoredResult,
    /// A function of a value that several registers of a group share is computed for the active
    /// lanes of one of them.
    NarrowMask,
    /// The halves of a mask are taken for each other.
    SwappedHalves,
    /// A distance from a register counts bytes where the instruction counts operands.
    WrongDisplacement,
    /// What the allocator copies where a loop begins is lost.
    LostMove,
    /// A register that is to survive a call does not.
    ClobberedSurvivor,
    /// Lanes stay in a mask where they are to leave it.
    MaskPolarity,
    /// Counts of shifts are taken modulo 64.
    LongShift,
    /// The sum in a division by a constant is taken for one of 32 bits.
    LostCarry,
    /// The multiplier for a divisor of the frame is rounded down.
    ShortFactor,
    /// An index is not kept below the number of parts.
    LooseIndex,
    /// A field of a variant's case is read from the words of another case's.
    WrongField,
    /// An update changes the array that it is made of.
    UpdateInPlace,
    /// The distance to a constant counts from where it stands, not from the instruction's end.
    WrongDistance,
    /// An array is updated in memory that another one still lies in.
    SharedArray,
    /// A column and a row of a texture are not clamped.
    LooseTexel,
    /// Rows of a texture are as long as its columns.
    WrongTexelRow,
    /// The last element, texel or column is that of the next resource.
    ForeignExtent,
    /// Sizes of a resource stay as they were when other data is bound.
    StaleExtent,
    /// An update stores in lanes that are not active, too.
    UnmaskedStore,
    /// Of words that are loaded together, the first two are taken for each other.
    SwappedWords,
    /// Halves of a table in registers are taken for each other.
    SwappedTables,
    /// Words of columns are taken for words that follow one another.
    UntestedColumns,
    /// A neighbour's value is taken from the asking pixel's side of the pair.
    WrongQuad,
    /// What a lane holds that nobody asked for is taken for right.
    PartialQuad,
    /// Pixels that run are stored, whether they are to be stored or not.
    StoredUnderRun,
}

impl Mutant {
    /// Those of lane programs.
    pub const OF_MASKS: [Self; 5] =
        [Self::WrongBlend, Self::LostMask, Self::StaleSwap, Self::HoistedLoop, Self::DeadLaneAlive];

    /// Those of integers.
    pub const OF_INTEGERS: [Self; 2] = [Self::LongShift, Self::LostCarry];

    /// Those of division by a number of the frame.
    pub const OF_DIVISORS: [Self; 1] = [Self::ShortFactor];

    /// Those of what an index chooses from.
    pub const OF_INDICES: [Self; 1] = [Self::LooseIndex];

    /// Those of textures.
    pub const OF_TEXTURES: [Self; 2] = [Self::LooseTexel, Self::WrongTexelRow];

    /// Those of sizes that code reads when it runs, of two resources.
    pub const OF_EXTENTS: [Self; 1] = [Self::ForeignExtent];

    /// Those that show where data is bound in the place of other data.
    pub const OF_BINDING: [Self; 1] = [Self::StaleExtent];

    /// Those of words that are loaded together.
    pub const OF_FOURS: [Self; 1] = [Self::SwappedWords];

    /// Those of tables in registers.
    pub const OF_TABLES: [Self; 1] = [Self::SwappedTables];

    /// Those of words that are read by columns.
    pub const OF_COLUMNS: [Self; 1] = [Self::UntestedColumns];

    /// Those of values that are read in other lanes.
    pub const OF_QUADS: [Self; 2] = [Self::WrongQuad, Self::PartialQuad];

    /// Those of quads of which some pixels are stored.
    pub const OF_STORES: [Self; 1] = [Self::StoredUnderRun];

    /// Those of arrays in memory.
    pub const OF_ARRAYS: [Self; 3] = [Self::SharedArray, Self::UnmaskedStore, Self::LooseIndex];

    /// Those of register programs and of the emitter.
    pub const OF_CODE: [Self; 5] = [
        Self::WrongRegister,
        Self::LostArgument,
        Self::SwappedMinimum,
        Self::WrongComparison,
        Self::SwappedSelect,
    ];

    /// Those of the emitter for wide registers: with masks in vectors, and with registers for them.
    pub const OF_VECTORS: [Self; 3] = [Self::SwappedHalves, Self::LostMove, Self::WrongDistance];

    /// Those that need EVEX or registers for masks.
    pub const OF_MASK_REGISTERS: [Self; 6] = [
        Self::SwappedHalves,
        Self::SwappedMinimum,
        Self::WrongDisplacement,
        Self::LostMove,
        Self::ClobberedSurvivor,
        Self::MaskPolarity,
    ];

    /// Those that show where undefined lanes are told from others: machine code has the right bits
    /// there nearly always.
    pub const OF_UNDEFINED_LANES: [Self; 1] = [Self::NarrowMask];

    /// Those of spilling.
    pub const OF_SPILLING: [Self; 4] =
        [Self::ReusedSlot, Self::OverwrittenSlot, Self::StaleSlot, Self::UnstoredResult];
}

lambdav_core::mutants!();
