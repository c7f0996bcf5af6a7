//! Special operands.

/// Integers near limits of `i32`, `u32` and their operations.
pub const INTEGERS: [u32; 36] = [
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    31,
    32,
    33,
    63,
    641,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x0100_0001,
    0x0100_0003,
    0x1234_5678,
    0x2aaa_aaab,
    0x7fff_ff7f,
    0x7fff_ffbf,
    0x7fff_ffc0,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0x8000_0080,
    0xaaaa_aaab,
    0xdead_beef,
    0xffff_0001,
    0xffff_ff7f,
    0xffff_ff80,
    0xffff_fff6,
    0xffff_fffd,
    0xffff_fffe,
    0xffff_ffff,
];

/// Bits of binary32 numbers near limits of operations.
pub const NUMBERS: [u32; 36] = [
    0x0000_0000, // 0
    0x8000_0000, // −0
    0x0000_0001, // the least subnormal
    0x8000_0001,
    0x0080_0000, // the least normal
    0x3f00_0000, // ½
    0xbf00_0000,
    0x3f7f_ffff, // just below 1
    0xbf7f_ffff,
    0x3f80_0000, // 1
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000, // 1½
    0xbfc0_0000,
    0x4b7f_ffff, // 2^24 − 1
    0x4b80_0001,
    0x4eff_ffff, // just below 2^31
    0x4f00_0000, // 2^31
    0x4f00_0001,
    0xceff_ffff,
    0xcf00_0000,
    0xcf00_0001,
    0x4f7f_ffff, // just below 2^32
    0x4f80_0000, // 2^32
    0xcf80_0000,
    0x60ad_78ec, // 10^20
    0xe0ad_78ec,
    0x7f7f_ffff, // the largest
    0xff7f_ffff,
    0x7f80_0000, // ∞
    0xff80_0000,
    0x7fc0_0000, // NaN
    0xffc1_2345,
    0x7fa0_0001,
    0x33ff_ffff,
    0xb380_0000,
];
