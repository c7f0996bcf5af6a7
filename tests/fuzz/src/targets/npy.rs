//! NPY files as images and as elements of buffers: headers from a grammar, valid or nearly valid, and arrays
//! that are too short, right or too long.

use super::{FuzzTarget, Reached};
use crate::bytes::mutate;
use lambdav::{DataRef, Shader};
use lambdav_generate::Random;
use lambdav_image::Frame;
use lambdav_image::file::Metadata;
use lambdav_image::file::npy::{decode, encode, metadata, read, size};

pub(super) struct Npy {
    /// A program with buffers of several element types.
    shader: Shader,
}

/// The program's buffers and the widths of their elements.
const BUFFERS: [(&str, usize); 5] =
    [("nums", 1), ("ints", 1), ("bools", 1), ("pairs", 2), ("fours", 4)];

/// Larger images are not encoded again.
const MAX_PIXELS: usize = 1 << 16;

impl Npy {
    pub(super) fn new() -> Self {
        let text = "(buffer nums num) (buffer ints int) (buffer bools bool) (buffer pairs vec2)
            (buffer fours uvec4)
            (vec4 (at nums 0) (num (at ints 0)) (if (at bools 0) (.x (at pairs 0)) 0) (num (.w (at fours 0))))";
        Self { shader: Shader::new("fuzz.lv", text).expect("it is right") }
    }
}

/// A file with that version, header and data.
fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

impl FuzzTarget for Npy {
    fn name(&self) -> &'static str {
        "npy"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let dtypes = ["<f4", ">f4", "<i4", "<u4", ">u4", "|b1", "|u1", "<f8", "<f2", "f4", "λ", ""];
        let dtype = dtypes[random.weighted(&[50, 15, 8, 8, 3, 8, 3, 1, 1, 1, 1, 1])];
        let mut shape: Vec<u64> =
            (0..random.weighted(&[1, 20, 35, 40, 2])).map(|_| random.below(7) as u64).collect();
        if shape.len() == 3 && random.percent(80) {
            shape[2] = *random.pick(&[4, 4, 3, 1, 2]);
        }
        let count: u64 = shape.iter().product();
        if random.percent(8) && !shape.is_empty() {
            let large = [1 << 14, 1 << 16, u64::from(u32::MAX), 1 << 62, u64::MAX, 1 << 33];
            let at = random.below(shape.len());
            shape[at] = *random.pick(&large);
        }
        let parts: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let end = if parts.len() == 1 || random.percent(10) { "," } else { "" };
        let quote = if random.percent(90) { '\'' } else { '"' };
        let order = ["False", "True", "0"][random.weighted(&[94, 3, 3])];
        let mut entries = vec![
            format!("{quote}descr{quote}: {quote}{dtype}{quote}"),
            format!("{quote}fortran_order{quote}: {order}"),
            format!("{quote}shape{quote}: ({}{end})", parts.join(", ")),
        ];
        match random.below(20) {
            0 => drop(entries.remove(random.below(3))),
            1 => entries.reverse(),
            2 => entries.push(entries[random.below(3)].clone()),
            _ => {}
        }
        let blanks = " ".repeat(random.below(70))
            + ["\n", "\t\t \n", "", "\0"][random.weighted(&[70, 15, 12, 3])];
        let header = format!("{{{}, }}{blanks}", entries.join(", "));
        let width = if matches!(dtype, "|b1" | "|u1") { 1 } else { 4 };
        let more = [0, 0, 0, 0, 0, 1, 7, 1000];
        let mut length = count as usize * width + random.pick(&more);
        if random.percent(10) {
            length = length.saturating_sub(1 + random.below(9));
        }
        let data: Vec<u8> = match width {
            1 => (0..length).map(|_| u8::from(random.percent(50))).collect(),
            _ => (0..length).map(|_| random.bits() as u8).collect(),
        };
        let version = [1, 2, 3, 0, 9][random.weighted(&[70, 12, 12, 3, 3])];
        let made = file(version, &header, &data);
        if random.percent(25) { self.mutate(&made, random) } else { made }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        mutate(input, &[input.to_vec()], random)
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let told = |error: &dyn std::fmt::Display| match error.to_string().is_empty() {
            true => Err("an error has no message".to_owned()),
            false => Ok(()),
        };
        if let Err(error) = metadata(input) {
            told(&error)?;
        }
        let mut reached = Reached::default();
        let array = match read(input) {
            Ok(array) => array,
            Err(error) => {
                told(&error)?;
                if decode(input).is_ok() || size(input).is_ok() {
                    return Err("an image, but not an array".into());
                }
                return Ok(reached);
            }
        };
        reached.parsed = true;
        match decode(input) {
            Err(error) => told(&error)?,
            Ok(frame) => {
                reached.accepted = true;
                if size(input).ok() != Some(frame.size()) {
                    return Err("the size differs from the image".into());
                }
                let numbers: u64 = array.shape.iter().product();
                if array.data.len() as u64 / 4 < numbers {
                    return Err("an image has more numbers than the file".into());
                }
                if frame.size().pixels() <= MAX_PIXELS {
                    comes_back(&frame)?;
                }
            }
        }
        for (name, width) in BUFFERS {
            match self.shader.bindings().bind(name, DataRef::Npy(input)) {
                Err(error) => told(&error)?,
                Ok(_) => {
                    reached.computed = true;
                    // Scalars have one number in a row, others `width`.
                    let columns = array.shape.get(1).copied();
                    if array.shape.len() > 2 || columns.unwrap_or(1) != width as u64 {
                        return Err(format!("{name} takes an array of shape {:?}", array.shape));
                    }
                }
            }
        }
        Ok(reached)
    }

    fn is_binary(&self) -> bool {
        true
    }
}

/// Checks that an image survives encoding and decoding, bit for bit.
fn comes_back(frame: &Frame) -> Result<(), String> {
    let mut bytes = Vec::new();
    encode(frame, &Metadata::default(), &mut bytes).map_err(|error| error.to_string())?;
    let again = decode(&bytes).map_err(|error| error.to_string())?;
    let bits =
        |frame: &Frame| -> Vec<u32> { frame.samples().iter().map(|s| s.to_bits()).collect() };
    match bits(frame) == bits(&again) && frame.size() == again.size() {
        true => Ok(()),
        false => Err("writing and reading changes bits".into()),
    }
}
