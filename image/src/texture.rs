//! Textures in files: KTX2, DDS and NPY, with their levels, layers, faces and slices.

use crate::file::npy;
use crate::texel::{Texel, TexelFormat, half};
use thiserror::Error;

/// A texture as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureFile {
    /// True if planes are slices of a volume, false if they are layers or faces of cubes; NPY does not say.
    pub is_volume: Option<bool>,
    /// Red, green and blue were decoded from sRGB.
    pub is_srgb: bool,
    /// Texels in a row, rows, and planes of each level, the largest first; at least one level.
    pub levels: Vec<[u32; 3]>,
    /// The texels of all levels, plane by plane, row by row.
    pub texels: Texels,
}

/// The texels of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Texels {
    /// Numbers.
    Numbers(Vec<[f32; 4]>),
    /// Integers, by their bits; true if they are signed.
    Integers(Vec<[u32; 4]>, bool),
}

/// Reason why a file is no texture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextureFileError {
    /// The file breaks the rules of its format.
    #[error("the {format} file is broken: {what}")]
    Broken {
        /// `KTX2`, `DDS` or `NPY`.
        format: &'static str,
        /// The fault.
        what: String,
    },
    /// A format of texels that is not read.
    #[error(
        "the {format} file has texels of the format {texels}, which is not read: uncompressed ones are"
    )]
    Format {
        /// `KTX2` or `DDS`.
        format: &'static str,
        /// The name of the format.
        texels: String,
    },
    /// Compressed levels.
    #[error(
        "the KTX2 file is supercompressed ({0}), which is not read: `ktx extract` or `toktx` without compression writes one that is"
    )]
    Compressed(String),
    /// Too many texels.
    #[error("the texture has more than 2^27 texels")]
    TooLarge,
}

/// Most texels of all levels.
const MOST: u64 = 1 << 27;

/// True if the bytes begin like a KTX2 or DDS file, or are an NPY file of several planes or of other numbers than binary32.
pub fn is_texture(bytes: &[u8]) -> bool {
    let is_image = |array: &npy::Array<'_>| {
        matches!(&*array.dtype, "<f4" | ">f4") && array.shape.len() < 4 && !has_planes(&array.shape)
    };
    bytes.starts_with(&KTX2)
        || bytes.starts_with(b"DDS ")
        || npy::is_npy(bytes) && npy::read(bytes).is_ok_and(|array| !is_image(&array))
}

const KTX2: [u8; 12] = [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, b'\r', b'\n', 0x1a, b'\n'];

/// True if three dimensions are planes, rows and columns: the last one is no number of channels.
fn has_planes(shape: &[u64]) -> bool {
    matches!(shape, &[_, _, last] if last > 4)
}

/// Reads a texture.
///
/// # Errors
///
/// [`TextureFileError`].
pub fn read(bytes: &[u8]) -> Result<TextureFile, TextureFileError> {
    if bytes.starts_with(&KTX2) {
        return of_ktx2(bytes);
    }
    if bytes.starts_with(b"DDS ") {
        return of_dds(bytes);
    }
    of_npy(bytes)
}

/// The size of a level below the first.
fn level_size([width, height, planes]: [u32; 3], level: u32, is_volume: bool) -> [u32; 3] {
    let side = |side: u32| (side >> level.min(31)).max(1);
    [side(width), side(height), if is_volume { side(planes) } else { planes }]
}

fn texels_of(size: [u32; 3]) -> u64 {
    size.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// Collects texels.
struct Collected {
    format: TexelFormat,
    numbers: Vec<[f32; 4]>,
    integers: Vec<[u32; 4]>,
}

impl Collected {
    fn new(format: TexelFormat) -> Self {
        Self { format, numbers: Vec::new(), integers: Vec::new() }
    }

    /// Decodes the texels in these bytes.
    fn add(&mut self, bytes: &[u8]) {
        for texel in bytes.chunks_exact(self.format.bytes()) {
            match self.format.decode(texel) {
                Texel::Numbers(numbers) => self.numbers.push(numbers),
                Texel::Integers(integers) => self.integers.push(integers),
            }
        }
    }

    fn texels(self) -> Texels {
        match self.format.is_integer() {
            true => Texels::Integers(self.integers, self.format.is_signed()),
            false => Texels::Numbers(self.numbers),
        }
    }
}

fn of_ktx2(bytes: &[u8]) -> Result<TextureFile, TextureFileError> {
    let broken = |what: String| TextureFileError::Broken { format: "KTX2", what };
    let reader = ktx2::Reader::new(bytes).map_err(|error| broken(error.to_string()))?;
    let header = reader.header();
    if let Some(scheme) = header.supercompression_scheme {
        return Err(TextureFileError::Compressed(format!("{scheme:?}")));
    }
    let format = header.format.and_then(|format| TexelFormat::of_vulkan(format.value()));
    let Some(format) = format else {
        let texels = header.format.map_or("none".to_owned(), |format| format!("{format:?}"));
        return Err(TextureFileError::Format { format: "KTX2", texels });
    };
    let is_volume = header.pixel_depth > 0;
    let layers = header.layer_count.max(1).saturating_mul(header.face_count.max(1));
    let planes = if is_volume { header.pixel_depth } else { layers };
    let size = [header.pixel_width, header.pixel_height.max(1), planes];
    let (mut levels, mut all, mut count) = (Vec::new(), Collected::new(format), 0_u64);
    for (level, found) in (0..).zip(reader.levels()) {
        let size = level_size(size, level, is_volume);
        count = count.saturating_add(texels_of(size));
        if count > MOST {
            return Err(TextureFileError::TooLarge);
        }
        let needed = texels_of(size) as usize * format.bytes();
        let Some(bytes) = found.data.get(..needed) else {
            return Err(broken(format!(
                "level {level} has {} bytes, not {needed}",
                found.data.len()
            )));
        };
        all.add(bytes);
        levels.push(size);
    }
    if levels.is_empty() {
        return Err(broken("it has no level".to_owned()));
    }
    let is_volume = Some(is_volume);
    Ok(TextureFile { is_volume, is_srgb: format.is_srgb(), levels, texels: all.texels() })
}

fn of_dds(bytes: &[u8]) -> Result<TextureFile, TextureFileError> {
    let broken = |what: String| TextureFileError::Broken { format: "DDS", what };
    let dds = ddsfile::Dds::read(bytes).map_err(|error| broken(error.to_string()))?;
    let dxgi = dds.get_dxgi_format().map(|format| format as u32);
    let of_d3d = || dds.get_d3d_format().and_then(of_direct3d);
    let Some(format) = dxgi.and_then(TexelFormat::of_dxgi).or_else(of_d3d) else {
        let dxgi = dds.get_dxgi_format().map(|format| format!("{format:?}"));
        let d3d = dds.get_d3d_format().map(|format| format!("{format:?}"));
        let texels = dxgi.or(d3d).unwrap_or_else(|| "none".to_owned());
        return Err(TextureFileError::Format { format: "DDS", texels });
    };
    let is_volume = dds.header.caps2.contains(ddsfile::Caps2::VOLUME);
    let is_cube = dds.header.caps2.contains(ddsfile::Caps2::CUBEMAP);
    // The newer header counts cubes, and not their faces.
    let layers = dds.get_num_array_layers().max(1);
    let layers =
        if is_cube && !layers.is_multiple_of(6) { layers.saturating_mul(6) } else { layers };
    let planes = if is_volume { dds.get_depth().max(1) } else { layers };
    let size = [dds.get_width(), dds.get_height(), planes];
    let count = dds.get_num_mipmap_levels().clamp(1, 32);
    let levels: Vec<[u32; 3]> =
        (0..count).map(|level| level_size(size, level, is_volume)).collect();
    if levels.iter().map(|&size| texels_of(size)).fold(0, u64::saturating_add) > MOST {
        return Err(TextureFileError::TooLarge);
    }
    // Each layer has all its levels.
    let parts = if is_volume { 1 } else { layers as usize };
    let bytes_of = |size: [u32; 3]| {
        let texels = if is_volume { texels_of(size) } else { texels_of([size[0], size[1], 1]) };
        texels as usize * format.bytes()
    };
    let stride: usize = levels.iter().map(|&size| bytes_of(size)).sum();
    let needed = stride.saturating_mul(parts);
    if dds.data.len() < needed {
        return Err(broken(format!("it has {} bytes of texels, not {needed}", dds.data.len())));
    }
    let (mut all, mut first) = (Collected::new(format), 0);
    for &size in &levels {
        for part in 0..parts {
            let from = part * stride + first;
            all.add(&dds.data[from..from + bytes_of(size)]);
        }
        first += bytes_of(size);
    }
    let is_volume = Some(is_volume);
    Ok(TextureFile { is_volume, is_srgb: format.is_srgb(), levels, texels: all.texels() })
}

/// A format of Direct3D 9.
fn of_direct3d(format: ddsfile::D3DFormat) -> Option<TexelFormat> {
    use ddsfile::D3DFormat as D3D;
    let dxgi = match format {
        D3D::A8B8G8R8 | D3D::X8B8G8R8 => 28,
        D3D::A8R8G8B8 | D3D::X8R8G8B8 => 87,
        D3D::G16R16 => 35,
        D3D::A2B10G10R10 => 24,
        D3D::A1R5G5B5 | D3D::X1R5G5B5 => 86,
        D3D::R5G6B5 => 85,
        D3D::A4R4G4B4 | D3D::X4R4G4B4 => 115,
        D3D::L8 => 61,
        D3D::L16 => 56,
        D3D::A16B16G16R16 => 11,
        D3D::R16F => 54,
        D3D::G16R16F => 34,
        D3D::A16B16G16R16F => 10,
        D3D::R32F => 41,
        D3D::G32R32F => 16,
        D3D::A32B32G32R32F => 2,
        _ => return None,
    };
    TexelFormat::of_dxgi(dxgi)
}

/// An array of rows and columns; of planes, rows and columns if the last dimension is above 4; or with 1 to 4 channels behind them.
/// One channel is grey, and a missing alpha is 1; integers are filled from (0, 0, 0, 1).
fn of_npy(bytes: &[u8]) -> Result<TextureFile, TextureFileError> {
    let broken = |what: String| TextureFileError::Broken { format: "NPY", what };
    let array = npy::read(bytes).map_err(|error| broken(error.to_string()))?;
    let shape = &array.shape;
    let [planes, height, width, channels] = match shape[..] {
        [height, width] => [1, height, width, 1],
        [planes, height, width] if has_planes(shape) => [planes, height, width, 1],
        [height, width, channels] => [1, height, width, channels],
        [planes, height, width, channels] => [planes, height, width, channels],
        _ => return Err(broken(format!("an array of {} dimensions is no texture", shape.len()))),
    };
    if !(1..=4).contains(&channels) || [planes, height, width].contains(&0) {
        return Err(broken(format!("an array of the shape {shape:?} is no texture")));
    }
    let side = |side: u64| u32::try_from(side).map_err(|_| TextureFileError::TooLarge);
    let size = [side(width)?, side(height)?, side(planes)?];
    if texels_of(size) > MOST {
        return Err(TextureFileError::TooLarge);
    }
    let (is_big_endian, name) = match array.dtype.split_at_checked(1) {
        Some((">", name)) => (true, name),
        Some(("<" | "|" | "=", name)) => (false, name),
        _ => (false, &*array.dtype),
    };
    let bytes_of = match name {
        "f2" | "i2" | "u2" => 2,
        "f4" | "i4" | "u4" => 4,
        "i1" | "u1" => 1,
        _ => return Err(broken(format!("numbers of the type {name} are no texels"))),
    };
    let needed = texels_of(size) as usize * channels as usize * bytes_of;
    let Some(data) = array.data.get(..needed) else {
        return Err(broken(format!("it has {} bytes of numbers, not {needed}", array.data.len())));
    };
    let word = |bytes: &[u8]| {
        let fold = |word: u32, &byte: &u8| word << 8 | u32::from(byte);
        match is_big_endian {
            true => bytes.iter().fold(0, fold),
            false => bytes.iter().rev().fold(0, fold),
        }
    };
    let words: Vec<u32> = data.chunks_exact(bytes_of).map(word).collect();
    let texels = words.chunks_exact(channels as usize);
    let texels = match name.starts_with('f') {
        true => Texels::Numbers(
            texels
                .map(|texel| {
                    let number =
                        |&word: &u32| if bytes_of == 2 { half(word) } else { f32::from_bits(word) };
                    match texel {
                        [grey] => [number(grey), number(grey), number(grey), 1.0],
                        [r, g] => [number(r), number(g), 0.0, 1.0],
                        [r, g, b] => [number(r), number(g), number(b), 1.0],
                        [r, g, b, a, ..] => [number(r), number(g), number(b), number(a)],
                        [] => unreachable!("there is a channel"),
                    }
                })
                .collect(),
        ),
        false => {
            let is_signed = name.starts_with('i');
            let shift = 32 - 8 * bytes_of as u32;
            let integer = |&word: &u32| match is_signed {
                true => ((word << shift) as i32 >> shift) as u32,
                false => word,
            };
            let texel = |texel: &[u32]| {
                let mut all = [0, 0, 0, 1];
                all.iter_mut().zip(texel).for_each(|(to, word)| *to = integer(word));
                all
            };
            Texels::Integers(texels.map(texel).collect(), is_signed)
        }
    };
    Ok(TextureFile { is_volume: None, is_srgb: false, levels: vec![size], texels })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A KTX2 file of `[width, height, depth, layers, faces]`, as its header has them, with these levels, the largest first.
    fn ktx2(format: u32, sizes: [u32; 5], levels: &[Vec<u8>]) -> Vec<u8> {
        let mut file = KTX2.to_vec();
        let mut put = |word: u32| file.extend(word.to_le_bytes());
        put(format);
        put(1);
        sizes.into_iter().for_each(&mut put);
        put(levels.len() as u32);
        put(0);
        // An empty description of the format, and no keys.
        let index = 80 + 24 * levels.len() as u32;
        [index, 4, 0, 0, 0, 0, 0, 0].into_iter().for_each(&mut put);
        let mut at = u64::from(index) + 4;
        for level in levels {
            for word in [at, level.len() as u64, level.len() as u64] {
                file.extend(word.to_le_bytes());
            }
            at += level.len() as u64;
        }
        file.extend(4_u32.to_le_bytes());
        levels.iter().for_each(|level| file.extend(level));
        file
    }

    fn reds(texels: &Texels) -> Vec<f32> {
        match texels {
            Texels::Numbers(all) => all.iter().map(|texel| texel[0] * 255.0).collect(),
            Texels::Integers(all, _) => all.iter().map(|texel| texel[0] as f32).collect(),
        }
    }

    #[test]
    fn ktx2_has_levels_layers_and_faces() {
        // R8, two layers of 4×2 texels with all levels.
        let levels = [(0..16).collect(), vec![16, 17, 18, 19], vec![20, 21]];
        let file = read(&ktx2(9, [4, 2, 0, 2, 1], &levels)).expect("it is right");
        assert_eq!(file.levels, [[4, 2, 2], [2, 1, 2], [1, 1, 2]]);
        assert_eq!(reds(&file.texels), (0..22_u8).map(f32::from).collect::<Vec<_>>());
        assert_eq!(file.is_volume, Some(false));
        let cube =
            read(&ktx2(13, [1, 1, 0, 0, 6], &[vec![1, 2, 3, 4, 5, 6]])).expect("it is right");
        assert_eq!(cube.levels, [[1, 1, 6]]);
        assert_eq!(reds(&cube.texels), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let volume = read(&ktx2(9, [1, 1, 4, 0, 1], &[vec![0; 4], vec![0; 2], vec![0]]));
        assert_eq!(volume.expect("it is right").levels, [[1, 1, 4], [1, 1, 2], [1, 1, 1]]);
        let line = read(&ktx2(9, [3, 0, 0, 0, 1], &[vec![0; 3]])).expect("it is right");
        assert_eq!(line.levels, [[3, 1, 1]]);
    }

    #[test]
    fn broken_and_compressed_files_are_errors() {
        let short =
            read(&ktx2(37, [4, 4, 0, 0, 1], &[vec![0; 63]])).expect_err("a byte is missing");
        assert_eq!(short.to_string(), "the KTX2 file is broken: level 0 has 63 bytes, not 64");
        let compressed = read(&ktx2(131, [4, 4, 0, 0, 1], &[vec![0; 8]])).expect_err("it is BC1");
        assert!(compressed.to_string().contains("BC1_RGB_UNORM_BLOCK"), "{compressed}");
        let huge = read(&ktx2(9, [u32::MAX; 5], &[vec![0; 8]])).expect_err("it is too large");
        assert_eq!(huge, TextureFileError::TooLarge);
        let mut file = ktx2(9, [4, 4, 0, 0, 1], &[vec![0; 16]]);
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length} bytes");
        }
        file[44] = 2;
        assert!(matches!(read(&file), Err(TextureFileError::Compressed(_))));
    }

    #[test]
    fn dds_has_levels_in_each_layer() {
        let params = ddsfile::NewDxgiParams {
            height: 2,
            width: 2,
            depth: None,
            format: ddsfile::DxgiFormat::R8_UNorm,
            mipmap_levels: Some(2),
            array_layers: Some(6),
            caps2: Some(ddsfile::Caps2::CUBEMAP | ddsfile::Caps2::CUBEMAP_ALLFACES),
            is_cubemap: true,
            resource_dimension: ddsfile::D3D10ResourceDimension::Texture2D,
            alpha_mode: ddsfile::AlphaMode::Opaque,
        };
        let mut dds = ddsfile::Dds::new_dxgi(params).expect("it is right");
        // Each face has four texels, and one in its second level.
        dds.data = (0..30).collect();
        let mut bytes = Vec::new();
        dds.write(&mut bytes).expect("it is memory");
        let file = read(&bytes).expect("it is right");
        assert_eq!(file.levels, [[2, 2, 6], [1, 1, 6]]);
        let first = (0..6).flat_map(|face| (0..4).map(move |k| 5 * face + k));
        let wanted: Vec<f32> =
            first.chain((0..6).map(|face| 5 * face + 4)).map(|of: u8| of.into()).collect();
        assert_eq!(reds(&file.texels), wanted);
        assert!(read(&bytes[..bytes.len() - 1]).is_err());
    }

    fn npy(dtype: &str, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        npy::write_array(dtype, shape, [], &mut file).expect("it is memory");
        file.extend(bytes);
        file
    }

    #[test]
    fn npy_has_planes_and_channels() {
        let of = |dtype: &str, shape: &[u64], bytes: &[u8]| read(&npy(dtype, shape, bytes));
        let volume = of("<f2", &[2, 1, 5], &[0, 0x3c].repeat(10)).expect("it is right");
        assert_eq!((volume.levels[0], volume.is_volume), ([5, 1, 2], None));
        assert_eq!(volume.texels, Texels::Numbers(vec![[1.0; 4]; 10]));
        let integers = of("|i1", &[1, 2, 2], &[1, 0xff, 3, 4]).expect("it is right");
        let wanted = vec![[1, u32::MAX, 0, 1], [3, 4, 0, 1]];
        assert_eq!(integers.texels, Texels::Integers(wanted, true));
        let large = of(">u2", &[2, 1, 1, 1], &[1, 2, 0, 3]).expect("it is right");
        assert_eq!(large.levels, [[1, 1, 2]]);
        assert_eq!(large.texels, Texels::Integers(vec![[0x102, 0, 0, 1], [3, 0, 0, 1]], false));
        for (dtype, shape, bytes) in [
            ("<f8", &[1, 1][..], &[0; 8][..]),
            ("<u4", &[4], &[0; 16]),
            ("<u4", &[1, 1, 1, 9], &[0; 36]),
            ("<u4", &[2, 2], &[0; 15]),
            ("<u4", &[1 << 31, 1 << 31], &[]),
        ] {
            assert!(of(dtype, shape, bytes).is_err(), "{dtype} {shape:?}");
        }
        assert!(is_texture(&npy("<u4", &[1, 1], &[0; 4])));
        assert!(!is_texture(&npy("<f4", &[1, 1, 4], &[0; 16])));
    }
}
