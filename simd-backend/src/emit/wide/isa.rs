//! The table of instructions, one row each, from which the encoder, the printer and the decoding
//! test work.

/// A processor feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// The baseline of x86-64.
    Base,
    /// AVX.
    Avx,
    /// AVX2.
    Avx2,
    /// Fused multiply-add.
    Fma,
    /// AVX-512F.
    F,
    /// AVX-512DQ.
    Dq,
    /// AVX-512BW.
    #[cfg_attr(not(test), expect(dead_code, reason = "no instruction of the table needs it"))]
    Bw,
    /// AVX-512VL.
    Vl,
    /// AVX-512 VBMI2.
    Vbmi2,
}

/// The size of an instruction's operands, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Size {
    /// 32: general registers, and scalars where the size does not matter.
    B32,
    /// 64: general registers.
    B64,
    /// 128.
    B128,
    /// 256.
    B256,
    /// 512.
    B512,
}

impl Size {
    /// The size in bytes.
    pub(crate) fn bytes(self) -> u32 {
        4 << self as u32
    }

    /// Half the size of a vector.
    pub(crate) fn half(self) -> Self {
        match self {
            Self::B512 => Self::B256,
            _ => Self::B128,
        }
    }
}

/// The encodings of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The encoding since the 8086, with REX.
    Legacy,
    /// VEX alone.
    Vex,
    /// EVEX alone.
    Evex,
    /// VEX, or EVEX for operands that VEX cannot encode.
    Both,
}

/// The kind of a memory operand: the unit of an 8-bit displacement in EVEX, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tuple {
    /// A vector, or one element of so many bytes broadcast to all lanes.
    Full(u8),
    /// A vector.
    FullMem,
    /// Half of a vector, or one element of so many bytes broadcast.
    Half(u8),
    /// Half of a vector.
    HalfMem,
    /// A fixed number of bytes.
    Bytes(u8),
}

impl Tuple {
    /// The bytes that an instruction reads or writes.
    pub(crate) fn bytes(self, size: Size, broadcast: bool) -> u32 {
        match self {
            Self::Full(element) | Self::Half(element) if broadcast => element.into(),
            Self::Full(_) | Self::FullMem => size.bytes(),
            Self::Half(_) | Self::HalfMem => size.bytes() / 2,
            Self::Bytes(bytes) => bytes.into(),
        }
    }

    /// The bytes of an element that the instruction may broadcast.
    pub(crate) fn element(self) -> Option<u8> {
        match self {
            Self::Full(element) | Self::Half(element) => Some(element),
            _ => None,
        }
    }
}

/// A field of an instruction that names an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// ModRM.reg.
    Reg,
    /// VEX.vvvv.
    Vvvv,
    /// ModRM.rm, a register or memory.
    Rm,
    /// The register in the upper half of the immediate byte.
    Last,
    /// The immediate.
    Imm,
}

/// The kind of an operand in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextOperand {
    /// A general register of the instruction's size.
    G,
    /// A general register of 32 bits.
    D,
    /// A general register of 8 bits.
    B,
    /// A vector of the instruction's size.
    V,
    /// A vector of half the instruction's size.
    H,
    /// A vector of 128 bits.
    X,
    /// A vector of 256 bits.
    Y,
    /// Memory addressed by a vector of indices of the instruction's size.
    M,
    /// A mask register.
    K,
    /// An immediate number.
    N,
}

type Operands = &'static [(Field, TextOperand)];

/// An instruction.
pub(crate) struct Row {
    /// Its mnemonic, and that of its EVEX form.
    pub(crate) names: [&'static str; 2],
    pub(crate) form: Form,
    /// The mandatory prefix: none, 66, F3, F2.
    pub(crate) prefix: u8,
    /// The opcode map: none, 0F, 0F 38, 0F 3A.
    pub(crate) map: u8,
    pub(crate) opcode: u8,
    /// The bit W of VEX, and of EVEX.
    pub(crate) w: [u8; 2],
    /// The part of the opcode in ModRM.reg.
    pub(crate) digit: Option<u8>,
    pub(crate) tuple: Tuple,
    /// The operands, in the order of the text.
    pub(crate) operands: Operands,
    /// The features that the VEX (or legacy) form needs, and the EVEX form.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares them with a decoder's"))]
    pub(crate) features: [&'static [Feature]; 2],
}

macro_rules! operands {
    ($($field:ident $kind:ident),*) => { &[$((Field::$field, TextOperand::$kind)),*] };
}

const RVM: Operands = operands!(Reg V, Vvvv V, Rm V);
const RVMI: Operands = operands!(Reg V, Vvvv V, Rm V, Imm N);
const RVM_X: Operands = operands!(Reg X, Vvvv X, Rm X);
const RVMI_X: Operands = operands!(Reg X, Vvvv X, Rm X, Imm N);
const RM: Operands = operands!(Reg V, Rm V);
const MR: Operands = operands!(Rm V, Reg V);
const RM_X: Operands = operands!(Reg X, Rm X);
const MR_X: Operands = operands!(Rm X, Reg X);
const RMI: Operands = operands!(Reg V, Rm V, Imm N);
const VMI: Operands = operands!(Vvvv V, Rm V, Imm N);
const KVMI: Operands = operands!(Reg K, Vvvv V, Rm V, Imm N);
const KVMI_X: Operands = operands!(Reg K, Vvvv X, Rm X, Imm N);
const KKK: Operands = operands!(Reg K, Vvvv K, Rm K);
const KK: Operands = operands!(Reg K, Rm K);
const KKI: Operands = operands!(Reg K, Rm K, Imm N);
const GG: Operands = operands!(Reg G, Rm G);
const G: Operands = operands!(Rm G);
const GI: Operands = operands!(Rm G, Imm N);

use Feature::{Avx, Avx2, Base, Dq, F, Fma, Vbmi2, Vl};
use Form::{Both, Evex, Legacy, Vex};
use Tuple::{Bytes, Full, FullMem, Half, HalfMem};

const NONE: &[Feature] = &[Base];
const AVX: &[Feature] = &[Avx];
const AVX2: &[Feature] = &[Avx2];
const FMA: &[Feature] = &[Fma];
const FVL: &[Feature] = &[F, Vl];
const DQVL: &[Feature] = &[Dq, Vl];
const VBMI2VL: &[Feature] = &[Vbmi2, Vl];
const F1: &[Feature] = &[F];
const DQ1: &[Feature] = &[Dq];

macro_rules! rows {
    ($($op:ident: $name:literal $(or $other:literal)?, $form:ident, $prefix:literal $map:literal
        $opcode:literal $(/ $digit:literal)?, $w:literal $w2:literal, $tuple:expr, $operands:expr,
        $vex:ident $evex:ident;)*) => {
        /// An instruction: the number of its row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Opcode { $(
            #[doc = $name]
            $op
        ),* }

        /// The rows, in the order of [`Opcode`].
        static ROWS: &[Row] = &[$({
            let name = $name;
            #[allow(unused_mut, unused_assignments, reason = "few rows give them")]
            let (mut other, mut digit) = (name, None);
            $(other = $other;)?
            $(digit = Some($digit);)?
            Row {
                names: [name, other],
                form: $form,
                prefix: $prefix,
                map: $map,
                opcode: $opcode,
                w: [$w, $w2],
                digit,
                tuple: $tuple,
                operands: $operands,
                features: [$vex, $evex],
            }
        }),*];

        /// All instructions.
        #[cfg(test)]
        pub(crate) const OPS: &[Opcode] = &[$(Opcode::$op),*];
    };
}

rows! {
    // Moves of whole registers.
    Load: "vmovups", Both, 0 1 0x10, 0 0, FullMem, RM, AVX FVL;
    Store: "vmovups", Both, 0 1 0x11, 0 0, FullMem, MR, AVX FVL;
    Move: "vmovaps", Both, 0 1 0x28, 0 0, FullMem, RM, AVX FVL;
    // Moves of scalars.
    LoadSs: "vmovss", Both, 2 1 0x10, 0 0, Bytes(4), RM_X, AVX F1;
    LoadSd: "vmovsd", Both, 3 1 0x10, 0 1, Bytes(8), RM_X, AVX F1;
    // Into the upper half.
    LoadHigh: "vmovhpd", Both, 1 1 0x16, 0 1, Bytes(8), RVM_X, AVX F1;
    StoreSs: "vmovss", Both, 2 1 0x11, 0 0, Bytes(4), MR_X, AVX F1;
    StoreSd: "vmovsd", Both, 3 1 0x11, 0 1, Bytes(8), MR_X, AVX F1;
    FromGeneral32: "vmovd", Both, 1 1 0x6e, 0 0, Bytes(4), operands!(Reg X, Rm D), AVX F1;
    FromGeneral64: "vmovq", Both, 1 1 0x6e, 1 1, Bytes(8), operands!(Reg X, Rm G), AVX F1;
    ToGeneral32: "vmovd", Both, 1 1 0x7e, 0 0, Bytes(4), operands!(Rm D, Reg X), AVX F1;
    ToGeneral64: "vmovq", Both, 1 1 0x7e, 1 1, Bytes(8), operands!(Rm G, Reg X), AVX F1;
    // Broadcasts.
    BroadcastSs: "vbroadcastss", Both, 1 2 0x18, 0 0, Bytes(4), operands!(Reg V, Rm X), AVX2 FVL;
    BroadcastSd: "vbroadcastsd", Both, 1 2 0x19, 0 1, Bytes(8), operands!(Reg V, Rm X), AVX2 FVL;
    BroadcastD: "vpbroadcastd", Both, 1 2 0x58, 0 0, Bytes(4), operands!(Reg V, Rm X), AVX2 FVL;
    BroadcastQ: "vpbroadcastq", Both, 1 2 0x59, 0 1, Bytes(8), operands!(Reg V, Rm X), AVX2 FVL;
    // Gathers and scatters.
    Gather: "vpgatherdd", Vex, 1 2 0x90, 0 0, Bytes(4), operands!(Reg V, Rm M, Vvvv V), AVX2 NONE;
    GatherK: "vpgatherdd", Evex, 1 2 0x90, 0 0, Bytes(4), operands!(Reg V, Rm M), NONE FVL;
    ScatterK: "vpscatterdd", Evex, 1 2 0xa0, 0 0, Bytes(4), operands!(Rm M, Reg V), NONE FVL;
    // Arithmetic.
    AddPs: "vaddps", Both, 0 1 0x58, 0 0, Full(4), RVM, AVX FVL;
    AddPd: "vaddpd", Both, 1 1 0x58, 0 1, Full(8), RVM, AVX FVL;
    AddSs: "vaddss", Both, 2 1 0x58, 0 0, Bytes(4), RVM_X, AVX F1;
    AddSd: "vaddsd", Both, 3 1 0x58, 0 1, Bytes(8), RVM_X, AVX F1;
    SubPs: "vsubps", Both, 0 1 0x5c, 0 0, Full(4), RVM, AVX FVL;
    SubPd: "vsubpd", Both, 1 1 0x5c, 0 1, Full(8), RVM, AVX FVL;
    SubSs: "vsubss", Both, 2 1 0x5c, 0 0, Bytes(4), RVM_X, AVX F1;
    SubSd: "vsubsd", Both, 3 1 0x5c, 0 1, Bytes(8), RVM_X, AVX F1;
    MulPs: "vmulps", Both, 0 1 0x59, 0 0, Full(4), RVM, AVX FVL;
    MulPd: "vmulpd", Both, 1 1 0x59, 0 1, Full(8), RVM, AVX FVL;
    MulSs: "vmulss", Both, 2 1 0x59, 0 0, Bytes(4), RVM_X, AVX F1;
    MulSd: "vmulsd", Both, 3 1 0x59, 0 1, Bytes(8), RVM_X, AVX F1;
    DivPs: "vdivps", Both, 0 1 0x5e, 0 0, Full(4), RVM, AVX FVL;
    DivPd: "vdivpd", Both, 1 1 0x5e, 0 1, Full(8), RVM, AVX FVL;
    DivSs: "vdivss", Both, 2 1 0x5e, 0 0, Bytes(4), RVM_X, AVX F1;
    DivSd: "vdivsd", Both, 3 1 0x5e, 0 1, Bytes(8), RVM_X, AVX F1;
    MinPs: "vminps", Both, 0 1 0x5d, 0 0, Full(4), RVM, AVX FVL;
    MinPd: "vminpd", Both, 1 1 0x5d, 0 1, Full(8), RVM, AVX FVL;
    MinSs: "vminss", Both, 2 1 0x5d, 0 0, Bytes(4), RVM_X, AVX F1;
    MinSd: "vminsd", Both, 3 1 0x5d, 0 1, Bytes(8), RVM_X, AVX F1;
    MaxPs: "vmaxps", Both, 0 1 0x5f, 0 0, Full(4), RVM, AVX FVL;
    MaxPd: "vmaxpd", Both, 1 1 0x5f, 0 1, Full(8), RVM, AVX FVL;
    MaxSs: "vmaxss", Both, 2 1 0x5f, 0 0, Bytes(4), RVM_X, AVX F1;
    MaxSd: "vmaxsd", Both, 3 1 0x5f, 0 1, Bytes(8), RVM_X, AVX F1;
    SqrtPs: "vsqrtps", Both, 0 1 0x51, 0 0, Full(4), RM, AVX FVL;
    SqrtPd: "vsqrtpd", Both, 1 1 0x51, 0 1, Full(8), RM, AVX FVL;
    SqrtSs: "vsqrtss", Both, 2 1 0x51, 0 0, Bytes(4), RVM_X, AVX F1;
    SqrtSd: "vsqrtsd", Both, 3 1 0x51, 0 1, Bytes(8), RVM_X, AVX F1;
    RoundPs: "vroundps" or "vrndscaleps", Both, 1 3 0x08, 0 0, Full(4), RMI, AVX FVL;
    RoundPd: "vroundpd" or "vrndscalepd", Both, 1 3 0x09, 0 1, Full(8), RMI, AVX FVL;
    RoundSs: "vroundss" or "vrndscaless", Both, 1 3 0x0a, 0 0, Bytes(4), RVMI_X, AVX F1;
    RoundSd: "vroundsd" or "vrndscalesd", Both, 1 3 0x0b, 0 1, Bytes(8), RVMI_X, AVX F1;
    // Exponents and significands.
    ExponentPd: "vgetexppd", Evex, 1 2 0x42, 0 1, Full(8), RM, NONE FVL;
    SignificandPd: "vgetmantpd", Evex, 1 3 0x26, 0 1, Full(8), RMI, NONE FVL;
    // Fused multiply-add. 132: target × last + second; 213: second × target + last; 231: second ×
    // last + target.
    MulAdd132Pd: "vfmadd132pd", Both, 1 2 0x98, 1 1, Full(8), RVM, FMA FVL;
    MulAdd213Pd: "vfmadd213pd", Both, 1 2 0xa8, 1 1, Full(8), RVM, FMA FVL;
    MulAdd231Pd: "vfmadd231pd", Both, 1 2 0xb8, 1 1, Full(8), RVM, FMA FVL;
    MulAdd132Ps: "vfmadd132ps", Both, 1 2 0x98, 0 0, Full(4), RVM, FMA FVL;
    MulAdd213Ps: "vfmadd213ps", Both, 1 2 0xa8, 0 0, Full(4), RVM, FMA FVL;
    MulAdd231Ps: "vfmadd231ps", Both, 1 2 0xb8, 0 0, Full(4), RVM, FMA FVL;
    MulAdd132Ss: "vfmadd132ss", Both, 1 2 0x99, 0 0, Bytes(4), RVM_X, FMA F1;
    MulAdd213Ss: "vfmadd213ss", Both, 1 2 0xa9, 0 0, Bytes(4), RVM_X, FMA F1;
    MulAdd231Ss: "vfmadd231ss", Both, 1 2 0xb9, 0 0, Bytes(4), RVM_X, FMA F1;
    MulAdd132Sd: "vfmadd132sd", Both, 1 2 0x99, 1 1, Bytes(8), RVM_X, FMA F1;
    MulAdd213Sd: "vfmadd213sd", Both, 1 2 0xa9, 1 1, Bytes(8), RVM_X, FMA F1;
    MulAdd231Sd: "vfmadd231sd", Both, 1 2 0xb9, 1 1, Bytes(8), RVM_X, FMA F1;
    // Integers.
    AddD: "vpaddd", Both, 1 1 0xfe, 0 0, Full(4), RVM, AVX2 FVL;
    AddQ: "vpaddq", Both, 1 1 0xd4, 0 1, Full(8), RVM, AVX2 FVL;
    SubD: "vpsubd", Both, 1 1 0xfa, 0 0, Full(4), RVM, AVX2 FVL;
    SubQ: "vpsubq", Both, 1 1 0xfb, 0 1, Full(8), RVM, AVX2 FVL;
    MulD: "vpmulld", Both, 1 2 0x40, 0 0, Full(4), RVM, AVX2 FVL;
    MulHalvesQ: "vpmuludq", Both, 1 1 0xf4, 0 1, Full(8), RVM, AVX2 FVL;
    MinD: "vpminsd", Both, 1 2 0x39, 0 0, Full(4), RVM, AVX2 FVL;
    MaxD: "vpmaxsd", Both, 1 2 0x3d, 0 0, Full(4), RVM, AVX2 FVL;
    MinUD: "vpminud", Both, 1 2 0x3b, 0 0, Full(4), RVM, AVX2 FVL;
    MaxUD: "vpmaxud", Both, 1 2 0x3f, 0 0, Full(4), RVM, AVX2 FVL;
    ShiftLeftD: "vpslld", Both, 1 1 0x72 / 6, 0 0, FullMem, VMI, AVX2 FVL;
    ShiftLeftQ: "vpsllq", Both, 1 1 0x73 / 6, 0 1, FullMem, VMI, AVX2 FVL;
    ShiftRightD: "vpsrld", Both, 1 1 0x72 / 2, 0 0, FullMem, VMI, AVX2 FVL;
    ShiftRightQ: "vpsrlq", Both, 1 1 0x73 / 2, 0 1, FullMem, VMI, AVX2 FVL;
    ShiftRightSignedD: "vpsrad", Both, 1 1 0x72 / 4, 0 0, FullMem, VMI, AVX2 FVL;
    ShiftLeftByD: "vpsllvd", Both, 1 2 0x47, 0 0, Full(4), RVM, AVX2 FVL;
    ShiftRightByD: "vpsrlvd", Both, 1 2 0x45, 0 0, Full(4), RVM, AVX2 FVL;
    ShiftRightSignedByD: "vpsravd", Both, 1 2 0x46, 0 0, Full(4), RVM, AVX2 FVL;
    // Logic.
    AndPs: "vandps", Both, 0 1 0x54, 0 0, Full(4), RVM, AVX DQVL;
    AndPd: "vandpd", Both, 1 1 0x54, 0 1, Full(8), RVM, AVX DQVL;
    AndNotPs: "vandnps", Both, 0 1 0x55, 0 0, Full(4), RVM, AVX DQVL;
    AndNotPd: "vandnpd", Both, 1 1 0x55, 0 1, Full(8), RVM, AVX DQVL;
    OrPs: "vorps", Both, 0 1 0x56, 0 0, Full(4), RVM, AVX DQVL;
    OrPd: "vorpd", Both, 1 1 0x56, 0 1, Full(8), RVM, AVX DQVL;
    XorPs: "vxorps", Both, 0 1 0x57, 0 0, Full(4), RVM, AVX DQVL;
    XorPd: "vxorpd", Both, 1 1 0x57, 0 1, Full(8), RVM, AVX DQVL;
    // Bitwise logic of three operands, the target first, by a truth table.
    Logic: "vpternlogd", Evex, 1 3 0x25, 0 0, Full(4), RVMI, NONE FVL;
    // Two words shifted left as one; the result is the upper word.
    Funnel: "vpshldd", Evex, 1 3 0x71, 0 0, Full(4), RVMI, NONE VBMI2VL;
    // Comparisons.
    CompareSsFlags: "vucomiss", Both, 0 1 0x2e, 0 0, Bytes(4), RM_X, AVX F1;
    CompareSdFlags: "vucomisd", Both, 1 1 0x2e, 0 1, Bytes(8), RM_X, AVX F1;
    ComparePs: "vcmpps", Vex, 0 1 0xc2, 0 0, Full(4), RVMI, AVX NONE;
    ComparePd: "vcmppd", Vex, 1 1 0xc2, 0 0, Full(8), RVMI, AVX NONE;
    CompareSs: "vcmpss", Vex, 2 1 0xc2, 0 0, Bytes(4), RVMI_X, AVX NONE;
    CompareSd: "vcmpsd", Vex, 3 1 0xc2, 0 0, Bytes(8), RVMI_X, AVX NONE;
    ComparePsK: "vcmpps", Evex, 0 1 0xc2, 0 0, Full(4), KVMI, NONE FVL;
    ComparePdK: "vcmppd", Evex, 1 1 0xc2, 0 1, Full(8), KVMI, NONE FVL;
    CompareSsK: "vcmpss", Evex, 2 1 0xc2, 0 0, Bytes(4), KVMI_X, NONE F1;
    CompareSdK: "vcmpsd", Evex, 3 1 0xc2, 0 1, Bytes(8), KVMI_X, NONE F1;
    EqualD: "vpcmpeqd", Vex, 1 1 0x76, 0 0, Full(4), RVM, AVX2 NONE;
    EqualQ: "vpcmpeqq", Vex, 1 2 0x29, 0 0, Full(8), RVM, AVX2 NONE;
    GreaterD: "vpcmpgtd", Vex, 1 1 0x66, 0 0, Full(4), RVM, AVX2 NONE;
    GreaterQ: "vpcmpgtq", Vex, 1 2 0x37, 0 0, Full(8), RVM, AVX2 NONE;
    CompareDK: "vpcmpd", Evex, 1 3 0x1f, 0 0, Full(4), KVMI, NONE FVL;
    CompareUDK: "vpcmpud", Evex, 1 3 0x1e, 0 0, Full(4), KVMI, NONE FVL;
    CompareQK: "vpcmpq", Evex, 1 3 0x1f, 0 1, Full(8), KVMI, NONE FVL;
    TestNotDK: "vptestnmd", Evex, 2 2 0x27, 0 0, Full(4), operands!(Reg K, Vvvv V, Rm V), NONE FVL;
    TestNotQK: "vptestnmq", Evex, 2 2 0x27, 0 1, Full(8), operands!(Reg K, Vvvv V, Rm V), NONE FVL;
    TestDK: "vptestmd", Evex, 1 2 0x27, 0 0, Full(4), operands!(Reg K, Vvvv V, Rm V), NONE FVL;
    TestQK: "vptestmq", Evex, 1 2 0x27, 0 1, Full(8), operands!(Reg K, Vvvv V, Rm V), NONE FVL;
    Test: "vptest", Vex, 1 2 0x17, 0 0, FullMem, RM, AVX NONE;
    // Selection.
    BlendVPs: "vblendvps", Vex, 1 3 0x4a, 0 0, FullMem, operands!(Reg V, Vvvv V, Rm V, Last V),
        AVX NONE;
    BlendMPs: "vblendmps", Evex, 1 2 0x65, 0 0, Full(4), RVM, NONE FVL;
    BlendMPd: "vblendmpd", Evex, 1 2 0x65, 0 1, Full(8), RVM, NONE FVL;
    MoveAPd: "vmovapd", Both, 1 1 0x28, 0 1, FullMem, RM, AVX FVL;
    // Conversions.
    DToPs: "vcvtdq2ps", Both, 0 1 0x5b, 0 0, Full(4), RM, AVX FVL;
    UDToPs: "vcvtudq2ps", Evex, 3 1 0x7a, 0 0, Full(4), RM, NONE FVL;
    PsToD: "vcvttps2dq", Both, 2 1 0x5b, 0 0, Full(4), RM, AVX FVL;
    PsToUD: "vcvttps2udq", Evex, 0 1 0x78, 0 0, Full(4), RM, NONE FVL;
    DToSs: "vcvtsi2ss", Both, 2 1 0x2a, 0 0, Bytes(4), operands!(Reg X, Vvvv X, Rm D), AVX F1;
    PsToPd: "vcvtps2pd", Both, 0 1 0x5a, 0 0, Half(4), operands!(Reg V, Rm H), AVX FVL;
    PdToPs: "vcvtpd2ps", Both, 1 1 0x5a, 0 1, Full(8), operands!(Reg H, Rm V), AVX FVL;
    SsToSd: "vcvtss2sd", Both, 2 1 0x5a, 0 0, Bytes(4), RVM_X, AVX F1;
    SdToSs: "vcvtsd2ss", Both, 3 1 0x5a, 0 1, Bytes(8), RVM_X, AVX F1;
    DToQ: "vpmovsxdq", Both, 1 2 0x25, 0 0, HalfMem, operands!(Reg V, Rm H), AVX2 FVL;
    UDToQ: "vpmovzxdq", Both, 1 2 0x35, 0 0, HalfMem, operands!(Reg V, Rm H), AVX2 FVL;
    // Lanes.
    Extract128: "vextractf128" or "vextractf32x4", Both, 1 3 0x19, 0 0, Bytes(16),
        operands!(Rm X, Reg V, Imm N), AVX FVL;
    ExtractD: "vpextrd", Both, 1 3 0x16, 0 0, Bytes(4), operands!(Rm D, Reg X, Imm N), AVX DQ1;
    Extract256: "vextractf32x8", Evex, 1 3 0x1b, 0 0, Bytes(32),
        operands!(Rm Y, Reg V, Imm N), NONE DQ1;
    Insert128: "vinsertf128" or "vinsertf32x4", Both, 1 3 0x18, 0 0, Bytes(16),
        operands!(Reg V, Vvvv V, Rm X, Imm N), AVX FVL;
    Insert256: "vinsertf32x8", Evex, 1 3 0x1a, 0 0, Bytes(32),
        operands!(Reg V, Vvvv V, Rm Y, Imm N), NONE DQ1;
    // Two parts of 128 bits, each of either register: by VEX; one half from each, by EVEX.
    Permute128: "vperm2f128", Vex, 1 3 0x06, 0 0, FullMem, RVMI, AVX NONE;
    Shuffle128: "vshuff32x4", Evex, 1 3 0x23, 0 0, Full(4), RVMI, NONE FVL;
    ShufflePs: "vshufps", Both, 0 1 0xc6, 0 0, Full(4), RVMI, AVX FVL;
    // Permutes one register by the indices in the second operand.
    PermuteD: "vpermd", Both, 1 2 0x36, 0 0, Full(4), RVM, AVX2 FVL;
    // Permutes two registers by the indices in the target.
    PermuteTwo: "vpermi2d", Evex, 1 2 0x76, 0 0, Full(4), RVM, NONE FVL;
    PermuteQ: "vpermq", Both, 1 3 0x00, 1 1, Full(8), RMI, AVX2 FVL;
    UnpackLowPs: "vunpcklps", Both, 0 1 0x14, 0 0, Full(4), RVM, AVX FVL;
    UnpackHighPs: "vunpckhps", Both, 0 1 0x15, 0 0, Full(4), RVM, AVX FVL;
    UnpackLowPd: "vunpcklpd", Both, 1 1 0x14, 0 1, Full(8), RVM, AVX FVL;
    UnpackHighPd: "vunpckhpd", Both, 1 1 0x15, 0 1, Full(8), RVM, AVX FVL;
    ZeroUpper: "vzeroupper", Vex, 0 1 0x77, 0 0, FullMem, &[], AVX NONE;
    // Masks.
    LoadK: "kmovw", Vex, 0 1 0x90, 0 0, Bytes(2), KK, F1 NONE;
    StoreK: "kmovw", Vex, 0 1 0x91, 0 0, Bytes(2), operands!(Rm K, Reg K), F1 NONE;
    FromGeneralK: "kmovw", Vex, 0 1 0x92, 0 0, Bytes(4), operands!(Reg K, Rm D), F1 NONE;
    ToGeneralK: "kmovw", Vex, 0 1 0x93, 0 0, Bytes(4), operands!(Reg D, Rm K), F1 NONE;
    AndK: "kandw", Vex, 0 1 0x41, 0 0, Bytes(2), KKK, F1 NONE;
    AndNotK: "kandnw", Vex, 0 1 0x42, 0 0, Bytes(2), KKK, F1 NONE;
    NotK: "knotw", Vex, 0 1 0x44, 0 0, Bytes(2), KK, F1 NONE;
    OrK: "korw", Vex, 0 1 0x45, 0 0, Bytes(2), KKK, F1 NONE;
    XnorK: "kxnorw", Vex, 0 1 0x46, 0 0, Bytes(2), KKK, F1 NONE;
    XorK: "kxorw", Vex, 0 1 0x47, 0 0, Bytes(2), KKK, F1 NONE;
    UnpackK: "kunpckbw", Vex, 1 1 0x4b, 0 0, Bytes(2), KKK, F1 NONE;
    TestK16: "kortestw", Vex, 0 1 0x98, 0 0, Bytes(2), KK, F1 NONE;
    TestK8: "kortestb", Vex, 1 1 0x98, 0 0, Bytes(1), KK, DQ1 NONE;
    ShiftRightK16: "kshiftrw", Vex, 1 3 0x30, 1 0, Bytes(2), KKI, F1 NONE;
    ShiftRightK8: "kshiftrb", Vex, 1 3 0x30, 0 0, Bytes(1), KKI, DQ1 NONE;
    ShiftLeftK8: "kshiftlb", Vex, 1 3 0x32, 0 0, Bytes(1), KKI, DQ1 NONE;
    SignsToK: "vpmovd2m", Evex, 2 2 0x39, 0 0, FullMem, operands!(Reg K, Rm V), NONE DQVL;
    KToSigns: "vpmovm2d", Evex, 2 2 0x38, 0 0, FullMem, operands!(Reg V, Rm K), NONE DQVL;
    // General registers.
    Mov: "mov", Legacy, 0 0 0x8b, 0 0, Bytes(8), GG, NONE NONE;
    MovToMemory: "mov", Legacy, 0 0 0x89, 0 0, Bytes(8), operands!(Rm G, Reg G), NONE NONE;
    MovNumber: "mov", Legacy, 0 0 0xc7 / 0, 0 0, Bytes(8), GI, NONE NONE;
    Lea: "lea", Legacy, 0 0 0x8d, 0 0, Bytes(8), GG, NONE NONE;
    Add: "add", Legacy, 0 0 0x03, 0 0, Bytes(8), GG, NONE NONE;
    Or: "or", Legacy, 0 0 0x0b, 0 0, Bytes(8), GG, NONE NONE;
    And: "and", Legacy, 0 0 0x23, 0 0, Bytes(8), GG, NONE NONE;
    Sub: "sub", Legacy, 0 0 0x2b, 0 0, Bytes(8), GG, NONE NONE;
    Xor: "xor", Legacy, 0 0 0x33, 0 0, Bytes(8), GG, NONE NONE;
    Cmp: "cmp", Legacy, 0 0 0x3b, 0 0, Bytes(8), GG, NONE NONE;
    TestG: "test", Legacy, 0 0 0x85, 0 0, Bytes(8), operands!(Rm G, Reg G), NONE NONE;
    Mul: "imul", Legacy, 0 1 0xaf, 0 0, Bytes(8), GG, NONE NONE;
    AddNumber: "add", Legacy, 0 0 0x81 / 0, 0 0, Bytes(8), GI, NONE NONE;
    OrNumber: "or", Legacy, 0 0 0x81 / 1, 0 0, Bytes(8), GI, NONE NONE;
    AndNumber: "and", Legacy, 0 0 0x81 / 4, 0 0, Bytes(8), GI, NONE NONE;
    SubNumber: "sub", Legacy, 0 0 0x81 / 5, 0 0, Bytes(8), GI, NONE NONE;
    XorNumber: "xor", Legacy, 0 0 0x81 / 6, 0 0, Bytes(8), GI, NONE NONE;
    CmpNumber: "cmp", Legacy, 0 0 0x81 / 7, 0 0, Bytes(8), GI, NONE NONE;
    Shl: "shl", Legacy, 0 0 0xc1 / 4, 0 0, Bytes(1), GI, NONE NONE;
    Shr: "shr", Legacy, 0 0 0xc1 / 5, 0 0, Bytes(1), GI, NONE NONE;
    Sar: "sar", Legacy, 0 0 0xc1 / 7, 0 0, Bytes(1), GI, NONE NONE;
    Neg: "neg", Legacy, 0 0 0xf7 / 3, 0 0, Bytes(8), G, NONE NONE;
    Not: "not", Legacy, 0 0 0xf7 / 2, 0 0, Bytes(8), G, NONE NONE;
    Set: "set", Legacy, 0 1 0x90 / 0, 0 0, Bytes(1), operands!(Rm B), NONE NONE;
    ZeroExtend: "movzx", Legacy, 0 1 0xb6, 0 0, Bytes(1), operands!(Reg D, Rm B), NONE NONE;
    Cmov: "cmov", Legacy, 0 1 0x40, 0 0, Bytes(8), GG, NONE NONE;
    Push: "push", Legacy, 0 0 0xff / 6, 0 0, Bytes(8), G, NONE NONE;
    Pop: "pop", Legacy, 0 0 0x8f / 0, 0 0, Bytes(8), G, NONE NONE;
    CallAddress: "call", Legacy, 0 0 0xff / 2, 0 0, Bytes(8), G, NONE NONE;
    Return: "ret", Legacy, 0 0 0xc3, 0 0, Bytes(8), &[], NONE NONE;
}

impl Opcode {
    /// Its row.
    pub(crate) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The size of its immediate in bytes.
    pub(crate) fn number_bytes(self) -> usize {
        let row = self.row();
        let has = |field| row.operands.iter().any(|&(of, _)| of == field);
        if !has(Field::Imm) {
            usize::from(has(Field::Last))
        } else if row.form == Legacy && row.tuple == Bytes(8) {
            4
        } else {
            1
        }
    }
}

/// A condition of jumps, `set` and `cmov`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Condition {
    /// Unsigned.
    Below = 2,
    /// Unsigned.
    AboveOrEqual,
    /// Zero.
    Equal,
    /// Not zero.
    NotEqual,
    /// Unsigned.
    BelowOrEqual,
    /// Unsigned.
    Above,
    /// Signed.
    Less = 12,
    /// Signed.
    GreaterOrEqual,
    /// Signed.
    LessOrEqual,
    /// Signed.
    Greater,
}

impl Condition {
    /// The opposite condition.
    pub(crate) fn inverted(self) -> Self {
        match self {
            Self::Below => Self::AboveOrEqual,
            Self::AboveOrEqual => Self::Below,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::BelowOrEqual => Self::Above,
            Self::Above => Self::BelowOrEqual,
            Self::Less => Self::GreaterOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
        }
    }

    /// Its suffix in mnemonics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Below => "b",
            Self::AboveOrEqual => "ae",
            Self::Equal => "e",
            Self::NotEqual => "ne",
            Self::BelowOrEqual => "be",
            Self::Above => "a",
            Self::Less => "l",
            Self::GreaterOrEqual => "ge",
            Self::LessOrEqual => "le",
            Self::Greater => "g",
        }
    }
}
