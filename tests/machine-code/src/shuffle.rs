//! Instructions that permute lanes.

/// A lane of the result, with the inputs that choose its source.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The lane's number.
    pub(crate) lane: usize,
    /// Number of lanes of the widest operand.
    pub(crate) lanes: usize,
    /// The immediate.
    pub(crate) imm: usize,
    /// The index in this lane of the vector of indices.
    pub(crate) control: usize,
}

/// The source of a lane.
#[derive(Clone, Copy)]
pub(crate) enum Pick {
    /// A lane of an operand: the operand, then the lane.
    Lane(usize, usize),
    /// Zero.
    Zero,
}

/// A permutation of lanes.
#[derive(Clone, Copy)]
pub(crate) struct Shuffle {
    /// Width of a lane.
    pub(crate) width: u32,
    /// Number of operands that are read: the last ones.
    pub(crate) sources: usize,
    /// The operand that holds indices.
    pub(crate) control: Option<usize>,
    /// The source of each lane.
    pub(crate) pick: fn(Place) -> Pick,
}

use Pick::{Lane, Zero};

/// Interleaves the lower or upper halves of blocks of `M` lanes.
fn unpack<const M: usize, const HIGH: bool>(p: Place) -> Pick {
    let (block, lane) = (p.lane / M, p.lane % M);
    Lane(lane % 2, block * M + lane / 2 + if HIGH { M / 2 } else { 0 })
}

/// Repeats the first `M` lanes.
fn broadcast<const M: usize>(p: Place) -> Pick {
    Lane(0, p.lane % M)
}

/// Selects among four lanes, in blocks of four.
fn select4(p: Place) -> Pick {
    Lane(0, p.lane / 4 * 4 + (p.imm >> (2 * (p.lane % 4)) & 3))
}

/// Replaces one block of `M` lanes.
fn insert<const M: usize>(p: Place) -> Pick {
    let block = p.imm & (p.lanes / M - 1);
    if p.lane / M == block { Lane(1, p.lane % M) } else { Lane(0, p.lane) }
}

/// One block of `M` lanes.
fn extract<const M: usize>(p: Place) -> Pick {
    let block = p.imm & (p.lanes / M - 1);
    Lane(0, block * M + p.lane)
}

/// Two blocks of `M` lanes of each source, or one for vectors of two blocks.
fn blocks<const M: usize>(p: Place) -> Pick {
    let count = p.lanes / M;
    let (block, bits) = (p.lane / M, if count == 4 { 2 } else { 1 });
    let chosen = p.imm >> (bits * block) & (count - 1);
    Lane(block / (count / 2), chosen * M + p.lane % M)
}

fn permute_halves(p: Place) -> Pick {
    let control = p.imm >> (4 * (p.lane / 2));
    if control & 8 != 0 { Zero } else { Lane(control >> 1 & 1, (control & 1) * 2 + p.lane % 2) }
}

fn align_bytes(p: Place) -> Pick {
    let (block, byte) = (p.lane / 16 * 16, p.lane % 16 + p.imm);
    match byte {
        0..16 => Lane(1, block + byte),
        16..32 => Lane(0, block + byte - 16),
        _ => Zero,
    }
}

fn align(p: Place) -> Pick {
    let lane = p.lane + (p.imm & (p.lanes - 1));
    if lane < p.lanes { Lane(1, lane) } else { Lane(0, lane - p.lanes) }
}

fn by_imm(p: Place) -> Pick {
    Lane(p.imm >> (p.lane % 8) & 1, p.lane)
}

/// A lookup in two tables: the first and last of three sources, or the last two.
fn two_tables<const FIRST: usize>(p: Place) -> Pick {
    let index = p.control & (2 * p.lanes - 1);
    Lane(if index < p.lanes { FIRST } else { 2 }, index & (p.lanes - 1))
}

/// The permutation of the instruction with that name, without the leading `v`.
pub(crate) fn shuffle(name: &str) -> Option<Shuffle> {
    let plain = |width, sources, pick| Shuffle { width, sources, control: None, pick };
    let control =
        |width, sources, control, pick| Shuffle { width, sources, control: Some(control), pick };
    Some(match name {
        "unpcklps" | "punpckldq" => plain(32, 2, unpack::<4, false>),
        "unpckhps" | "punpckhdq" => plain(32, 2, unpack::<4, true>),
        "unpcklpd" | "punpcklqdq" => plain(64, 2, unpack::<2, false>),
        "unpckhpd" | "punpckhqdq" => plain(64, 2, unpack::<2, true>),
        "punpcklbw" => plain(8, 2, unpack::<16, false>),
        "punpckhbw" => plain(8, 2, unpack::<16, true>),
        "punpcklwd" => plain(16, 2, unpack::<8, false>),
        "punpckhwd" => plain(16, 2, unpack::<8, true>),
        "shufps" => plain(32, 2, |p| match (select4(p), p.lane % 4) {
            (Lane(_, lane), within) => Lane(within / 2, lane),
            (Zero, _) => Zero,
        }),
        "shufpd" => plain(64, 2, |p| Lane(p.lane % 2, p.lane / 2 * 2 + (p.imm >> p.lane & 1))),
        "pshufd" => plain(32, 1, select4),
        "permq" | "permpd" => plain(64, 1, select4),
        "perm2f128" | "perm2i128" => plain(64, 2, permute_halves),
        "shuff32x4" | "shufi32x4" => plain(32, 2, blocks::<4>),
        "shuff64x2" | "shufi64x2" => plain(64, 2, blocks::<2>),
        "insertf128" | "inserti128" | "insertf64x2" | "inserti64x2" => plain(64, 2, insert::<2>),
        "insertf32x4" | "inserti32x4" => plain(32, 2, insert::<4>),
        "insertf64x4" | "inserti64x4" => plain(64, 2, insert::<4>),
        "insertf32x8" | "inserti32x8" => plain(32, 2, insert::<8>),
        "extractf128" | "extracti128" | "extractf64x2" | "extracti64x2" => {
            plain(64, 1, extract::<2>)
        }
        "extractf32x4" | "extracti32x4" => plain(32, 1, extract::<4>),
        "extractf64x4" | "extracti64x4" => plain(64, 1, extract::<4>),
        "extractf32x8" | "extracti32x8" => plain(32, 1, extract::<8>),
        "broadcastss" | "pbroadcastd" => plain(32, 1, broadcast::<1>),
        "broadcastsd" | "pbroadcastq" => plain(64, 1, broadcast::<1>),
        "pbroadcastb" => plain(8, 1, broadcast::<1>),
        "pbroadcastw" => plain(16, 1, broadcast::<1>),
        "broadcastf32x2" | "broadcasti32x2" => plain(32, 1, broadcast::<2>),
        "broadcastf32x4" | "broadcasti32x4" => plain(32, 1, broadcast::<4>),
        "broadcastf32x8" | "broadcasti32x8" => plain(32, 1, broadcast::<8>),
        "broadcastf128" | "broadcasti128" | "broadcastf64x2" | "broadcasti64x2" => {
            plain(64, 1, broadcast::<2>)
        }
        "broadcastf64x4" | "broadcasti64x4" => plain(64, 1, broadcast::<4>),
        "movddup" => plain(64, 1, |p| Lane(0, p.lane & !1)),
        "movsldup" => plain(32, 1, |p| Lane(0, p.lane & !1)),
        "movshdup" => plain(32, 1, |p| Lane(0, p.lane | 1)),
        "movlhps" | "movhpd" => plain(64, 2, |p| Lane(p.lane, 0)),
        "movhlps" => plain(64, 2, |p| Lane(1 - p.lane, 1)),
        "blendps" | "pblendd" => plain(32, 2, by_imm),
        "blendpd" => plain(64, 2, by_imm),
        "pblendw" => plain(16, 2, by_imm),
        "alignd" => plain(32, 2, align),
        "alignq" => plain(64, 2, align),
        "palignr" => plain(8, 2, align_bytes),
        "pslldq" => plain(8, 1, |p| match (p.lane % 16).checked_sub(p.imm) {
            Some(byte) => Lane(0, p.lane / 16 * 16 + byte),
            None => Zero,
        }),
        "psrldq" => plain(8, 1, |p| match p.lane % 16 + p.imm {
            byte @ 0..16 => Lane(0, p.lane / 16 * 16 + byte),
            _ => Zero,
        }),
        "pshufb" => control(8, 2, 1, |p| match p.control & 0x80 {
            0 => Lane(0, p.lane / 16 * 16 + p.control % 16),
            _ => Zero,
        }),
        "permps" | "permd" => control(32, 2, 0, |p| Lane(1, p.control & (p.lanes - 1))),
        "permpd variable" | "permq variable" => {
            control(64, 2, 0, |p| Lane(1, p.control & (p.lanes - 1)))
        }
        "permilps" => plain(32, 1, select4),
        "permilpd" => plain(64, 1, |p| Lane(0, p.lane / 2 * 2 + (p.imm >> (p.lane % 8) & 1))),
        "permilps variable" => control(32, 2, 1, |p| Lane(0, p.lane / 4 * 4 + p.control % 4)),
        "permilpd variable" => {
            control(64, 2, 1, |p| Lane(0, p.lane / 2 * 2 + (p.control >> 1) % 2))
        }
        "permt2ps" | "permt2d" => control(32, 3, 1, two_tables::<0>),
        "permt2pd" | "permt2q" => control(64, 3, 1, two_tables::<0>),
        "permi2ps" | "permi2d" => control(32, 3, 0, two_tables::<1>),
        "permi2pd" | "permi2q" => control(64, 3, 0, two_tables::<1>),
        _ => return None,
    })
}
