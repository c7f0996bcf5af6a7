//! Formats of texels: how the bytes of a texel hold its components. They are those that every Vulkan 1.0 device can sample, without
//! compressed ones.

use crate::srgb::Decoder;

/// The numbers that the bits of a component stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// x / (2^bits − 1).
    Unorm,
    /// Red, green and blue encoded with the transfer function of sRGB, of 8 bits; alpha is `Unorm`.
    Srgb,
    /// max(x / (2^(bits − 1) − 1), −1), in two's complement.
    Snorm,
    Uint,
    Sint,
    /// A binary16 or binary32 number.
    Float,
}

/// The places of the components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// So many components of so many bits, one after another; with blue first if that is true.
    Array(u8, u8, bool),
    /// In a little-endian word of so many bytes: first bit and number of bits of red, green, blue and alpha.
    Packed(u8, [(u8, u8); 4]),
    /// Red and green of 11 bits, blue of 10: unsigned floats with 5 bits of exponent.
    Float11,
    /// Three mantissas of 9 bits and an exponent of 5.
    SharedExponent,
}

/// A format of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFormat {
    layout: Layout,
    kind: Kind,
}

/// A texel as numbers or as integers; missing components are those of (0, 0, 0, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Texel {
    /// Numbers.
    Numbers([f32; 4]),
    /// Integers, by their bits.
    Integers([u32; 4]),
}

/// The fields of a word from its highest bit on: names and bits.
const fn packed(fields: [(u8, u8); 4]) -> [(u8, u8); 4] {
    // `fields` has component (0 red … 3 alpha) and bits, from the highest bit on; a component without bits is left out.
    let mut places = [(0, 0); 4];
    let (mut k, mut at) = (4, 0);
    while k > 0 {
        k -= 1;
        let (component, bits) = fields[k];
        if bits > 0 {
            places[component as usize] = (at, bits);
            at += bits;
        }
    }
    places
}

const R: u8 = 0;
const G: u8 = 1;
const B: u8 = 2;
const A: u8 = 3;

impl TexelFormat {
    const fn array(kind: Kind, count: u8, bits: u8) -> Self {
        Self { layout: Layout::Array(count, bits, false), kind }
    }

    const fn word(kind: Kind, bytes: u8, fields: [(u8, u8); 4]) -> Self {
        Self { layout: Layout::Packed(bytes, packed(fields)), kind }
    }

    /// The format with this number in Vulkan; `None` for others, compressed ones among them.
    pub fn of_vulkan(number: u32) -> Option<Self> {
        use Kind::{Float, Sint, Snorm, Srgb, Uint, Unorm};
        // Seven interpretations of each arrangement, of which scaled integers are left out.
        let of = |first: u32, kinds: [Kind; 5]| match number - first {
            0 => Some(kinds[0]),
            1 => Some(kinds[1]),
            4 => Some(kinds[2]),
            5 => Some(kinds[3]),
            6 => Some(kinds[4]),
            _ => None,
        };
        let bytes = [Unorm, Snorm, Uint, Sint, Srgb];
        let halves = [Unorm, Snorm, Uint, Sint, Float];
        let array =
            |first, kinds, count, bits| of(first, kinds).map(|kind| Self::array(kind, count, bits));
        Some(match number {
            2 => Self::word(Unorm, 2, [(R, 4), (G, 4), (B, 4), (A, 4)]),
            3 => Self::word(Unorm, 2, [(B, 4), (G, 4), (R, 4), (A, 4)]),
            4 => Self::word(Unorm, 2, [(R, 5), (G, 6), (B, 5), (A, 0)]),
            5 => Self::word(Unorm, 2, [(B, 5), (G, 6), (R, 5), (A, 0)]),
            6 => Self::word(Unorm, 2, [(R, 5), (G, 5), (B, 5), (A, 1)]),
            7 => Self::word(Unorm, 2, [(B, 5), (G, 5), (R, 5), (A, 1)]),
            8 => Self::word(Unorm, 2, [(A, 1), (R, 5), (G, 5), (B, 5)]),
            9..=15 => array(9, bytes, 1, 8)?,
            16..=22 => array(16, bytes, 2, 8)?,
            23..=29 => array(23, bytes, 3, 8)?,
            30..=36 => Self { layout: Layout::Array(3, 8, true), kind: of(30, bytes)? },
            37..=43 => array(37, bytes, 4, 8)?,
            44..=50 => Self { layout: Layout::Array(4, 8, true), kind: of(44, bytes)? },
            // A word of bytes from red on.
            51..=57 => array(51, bytes, 4, 8)?,
            58..=63 => Self::word(of(58, bytes)?, 4, [(A, 2), (R, 10), (G, 10), (B, 10)]),
            64..=69 => Self::word(of(64, bytes)?, 4, [(A, 2), (B, 10), (G, 10), (R, 10)]),
            70..=76 => array(70, halves, 1, 16)?,
            77..=83 => array(77, halves, 2, 16)?,
            84..=90 => array(84, halves, 3, 16)?,
            91..=97 => array(91, halves, 4, 16)?,
            98..=109 => {
                let kind = [Uint, Sint, Float][(number as usize - 98) % 3];
                Self::array(kind, ((number - 98) / 3 + 1) as u8, 32)
            }
            122 => Self { layout: Layout::Float11, kind: Float },
            123 => Self { layout: Layout::SharedExponent, kind: Float },
            124 => Self::array(Unorm, 1, 16),
            126 => Self::array(Float, 1, 32),
            _ => return None,
        })
    }

    /// The format with this number in DXGI.
    pub fn of_dxgi(number: u32) -> Option<Self> {
        let vulkan = match number {
            2 => 109,
            3 => 107,
            4 => 108,
            6 => 106,
            7 => 104,
            8 => 105,
            10 => 97,
            11 => 91,
            12 => 95,
            13 => 92,
            14 => 96,
            16 => 103,
            17 => 101,
            18 => 102,
            24 => 64,
            25 => 68,
            26 => 122,
            28 => 37,
            29 => 43,
            30 => 41,
            31 => 38,
            32 => 42,
            34 => 83,
            35 => 77,
            36 => 81,
            37 => 78,
            38 => 82,
            40 | 41 => 100,
            42 => 98,
            43 => 99,
            49 => 16,
            50 => 20,
            51 => 17,
            52 => 21,
            54 => 76,
            55 => 124,
            56 => 70,
            57 => 74,
            58 => 71,
            59 => 75,
            61 => 9,
            62 => 13,
            63 => 10,
            64 => 14,
            67 => 123,
            85 => 4,
            86 => 8,
            87 => 44,
            91 => 50,
            115 => {
                return Some(Self::word(Kind::Unorm, 2, [(A, 4), (R, 4), (G, 4), (B, 4)]));
            }
            _ => return None,
        };
        Self::of_vulkan(vulkan)
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        match self.layout {
            Layout::Array(count, bits, _) => usize::from(count) * usize::from(bits) / 8,
            Layout::Packed(bytes, _) => bytes.into(),
            Layout::Float11 | Layout::SharedExponent => 4,
        }
    }

    /// True if texels are integers.
    pub fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Uint | Kind::Sint)
    }

    /// True if texels are signed integers.
    pub fn is_signed(self) -> bool {
        self.kind == Kind::Sint
    }

    /// True if red, green and blue are decoded from sRGB.
    pub fn is_srgb(self) -> bool {
        self.kind == Kind::Srgb
    }

    /// The texel in these bytes, of which there are [`Self::bytes`].
    pub fn decode(self, bytes: &[u8]) -> Texel {
        let word = || bytes.iter().rev().fold(0_u32, |word, &byte| word << 8 | u32::from(byte));
        let mut components: [Option<(u32, u8)>; 4] = [None; 4];
        match self.layout {
            Layout::Array(count, bits, is_blue_first) => {
                for (k, bytes) in bytes.chunks(usize::from(bits) / 8).take(count.into()).enumerate()
                {
                    let word =
                        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                    let place = if is_blue_first && k < 3 { 2 - k } else { k };
                    components[place] = Some((word, bits));
                }
            }
            Layout::Packed(_, fields) => {
                for (component, (at, bits)) in components.iter_mut().zip(fields) {
                    let mask = (1_u32 << bits) - 1;
                    *component = (bits > 0).then(|| (word() >> at & mask, bits));
                }
            }
            Layout::Float11 => {
                let word = word();
                let [r, g] = [0, 11].map(|at| unsigned_float(word >> at & 0x7ff, 6));
                return Texel::Numbers([r, g, unsigned_float(word >> 22, 5), 1.0]);
            }
            Layout::SharedExponent => {
                let word = word();
                let scale = 2.0_f32.powi((word >> 27) as i32 - 24);
                let [r, g, b] = [0, 9, 18].map(|at| (word >> at & 0x1ff) as f32 * scale);
                return Texel::Numbers([r, g, b, 1.0]);
            }
        }
        if self.is_integer() {
            let integer = |k: usize| match components[k] {
                None => u32::from(k == 3),
                Some((word, bits)) if self.is_signed() => signed(word, bits) as u32,
                Some((word, _)) => word,
            };
            return Texel::Integers([0, 1, 2, 3].map(integer));
        }
        let number = |k: usize| {
            let Some((word, bits)) = components[k] else { return if k == 3 { 1.0 } else { 0.0 } };
            let most = |bits: u8| ((1_u64 << bits) - 1) as f32;
            match self.kind {
                Kind::Srgb if k < 3 => Decoder::of_8_bits().values()[word as usize],
                Kind::Snorm => (signed(word, bits) as f32 / most(bits - 1)).max(-1.0),
                Kind::Float if bits == 32 => f32::from_bits(word),
                Kind::Float => half(word),
                _ => word as f32 / most(bits),
            }
        };
        Texel::Numbers([0, 1, 2, 3].map(number))
    }
}

/// The integer in the low bits of a word, in two's complement.
fn signed(word: u32, bits: u8) -> i32 {
    (word << (32 - bits)) as i32 >> (32 - bits)
}

/// The number with these bits in binary16.
pub fn half(bits: u32) -> f32 {
    let size = unsigned_float(bits & 0x7fff, 10);
    if bits & 0x8000 == 0 { size } else { -size }
}

/// An unsigned float with so many bits of mantissa behind 5 of exponent.
fn unsigned_float(bits: u32, mantissa: u32) -> f32 {
    let (exponent, part) = (bits >> mantissa, bits & ((1 << mantissa) - 1));
    match exponent {
        // Both are exact.
        0 => part as f32 * 2.0_f32.powi(-14 - mantissa as i32),
        31 if part != 0 => f32::NAN,
        31 => f32::INFINITY,
        _ => f32::from_bits((exponent + 112) << 23 | part << (23 - mantissa)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(vulkan: u32, bytes: &[u8]) -> [f32; 4] {
        let format = TexelFormat::of_vulkan(vulkan).expect("it is known");
        assert_eq!(format.bytes(), bytes.len());
        match format.decode(bytes) {
            Texel::Numbers(numbers) => numbers,
            Texel::Integers(_) => panic!("it has numbers"),
        }
    }

    #[test]
    fn formats_of_vulkan() {
        assert_eq!(numbers(37, &[0, 51, 255, 102]), [0.0, 0.2, 1.0, 0.4]);
        assert_eq!(numbers(44, &[255, 51, 0, 102]), [0.0, 0.2, 1.0, 0.4]);
        assert_eq!(numbers(9, &[255]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(38, &[0x81, 0x80, 0x7f, 0]), [-1.0, -1.0, 1.0, 0.0]);
        assert_eq!(numbers(43, &[0, 255, 51, 51])[1..], [1.0, 0.033_104_767, 0.2]);
        // Red is in the highest bits.
        assert_eq!(numbers(4, &0xf800_u16.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(5, &0x001f_u16.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(3, &0x0ff0_u16.to_le_bytes()), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(numbers(8, &0xfc00_u16.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(64, &0xc000_03ff_u32.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(58, &0x3ff0_0000_u32.to_le_bytes()), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(numbers(83, &[0, 0x3c, 1, 0x80]), [1.0, -(2.0_f32.powi(-24)), 0.0, 1.0]);
        assert_eq!(numbers(122, &0x781e_03c0_u32.to_le_bytes()), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(numbers(123, &0x8000_0100_u32.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(126, &1.5_f32.to_le_bytes()), [1.5, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(124, &[255, 255]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(TexelFormat::of_vulkan(131), None);
        assert_eq!(TexelFormat::of_vulkan(11), None);
    }

    #[test]
    fn integers_keep_their_bits() {
        let of =
            |vulkan: u32, bytes: &[u8]| TexelFormat::of_vulkan(vulkan).map(|of| of.decode(bytes));
        assert_eq!(of(41, &[1, 2, 255, 4]), Some(Texel::Integers([1, 2, 255, 4])));
        assert_eq!(of(42, &[1, 2, 255, 4]), Some(Texel::Integers([1, 2, u32::MAX, 4])));
        assert_eq!(of(98, &[1, 0, 0, 0x80]), Some(Texel::Integers([0x8000_0001, 0, 0, 1])));
        assert_eq!(of(68, &0x4000_0001_u32.to_le_bytes()), Some(Texel::Integers([1, 0, 0, 1])));
    }

    #[test]
    fn halves_are_exact() {
        for (bits, wanted) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x0400, 6.103_515_6e-5),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half(bits), wanted, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }
}
