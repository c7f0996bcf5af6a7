//! Bytes to images: PNG, OpenEXR and NPY.

use super::{FuzzTarget, Reached};
use crate::bytes::{mutate, png, repair_png};
use lambdav_generate::Random;
use lambdav_image::file::{DecodeError, Encoding, Metadata, decode, encode, metadata};
use lambdav_image::quantize::Transfer;
use lambdav_image::{AnyImage, Frame, Size};

pub(super) struct Images {
    seeds: Vec<Vec<u8>>,
}

/// Larger images are not encoded again.
const MAX_PIXELS: usize = 1 << 16;

impl Images {
    /// Files of all formats that we write, in several sizes.
    pub(super) fn new() -> Self {
        let mut random = Random::new(9);
        let mut seeds = Vec::new();
        for (width, height) in [(1, 1), (5, 3), (17, 40)] {
            let size = Size::new(width, height).expect("within the limits");
            // Some samples repeat, so that compression has an effect.
            let mut sample = || match random.percent(60) {
                true => 0.25,
                false => f32::from_bits(random.bits() as u32),
            };
            let frame = Frame::from_fn(size, |_, _| [sample(), sample(), sample(), 1.0]);
            for encoding in encodings() {
                seeds.push(encoded(&frame, encoding).expect("it goes to memory"));
            }
        }
        Self { seeds }
    }
}

fn encodings() -> [Encoding; 4] {
    let (eight, sixteen) = (Encoding::Png8(Transfer::Srgb), Encoding::Png16(Transfer::Linear));
    [eight, sixteen, Encoding::Exr, Encoding::Npy]
}

/// Metadata of the files.
fn origin() -> Metadata {
    Metadata::default().with(Metadata::SOFTWARE, "fuzz").with(Metadata::COMMENT, "a comment")
}

fn encoded(frame: &Frame, encoding: Encoding) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    encode(frame, encoding, &origin(), &mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

impl FuzzTarget for Images {
    fn name(&self) -> &'static str {
        "images"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        if random.percent(25) {
            // Kinds that can be read but are never written.
            let made = png(random);
            return if random.percent(50) {
                made
            } else {
                repaired(mutate(&made, &self.seeds, random))
            };
        }
        let seed: &Vec<u8> = random.pick(&self.seeds);
        self.mutate(seed, random)
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let bytes = mutate(input, &self.seeds, random);
        // Without correct checksums hardly any file is decoded.
        if random.percent(80) { repaired(bytes) } else { bytes }
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        // Metadata is read even if the image cannot be decoded.
        let said = metadata(input);
        if said.is_err_and(|error| error.to_string().is_empty()) {
            return Err("an error has no message".into());
        }
        let decoded = decode(input);
        let parsed = !matches!(decoded, Err(DecodeError::Unknown));
        let image = match decoded {
            Ok(image) => image,
            Err(error) if error.to_string().is_empty() => {
                return Err("an error has no message".into());
            }
            Err(_) => return Ok(Reached { parsed, ..Reached::default() }),
        };
        let computed = match image {
            AnyImage::Float(frame) if frame.size().pixels() <= MAX_PIXELS => {
                // An image that was read must survive encoding and decoding.
                for encoding in [Encoding::Exr, Encoding::Npy] {
                    let bytes = encoded(&frame, encoding)?;
                    let said = metadata(&bytes).map_err(|error| error.to_string())?;
                    if encoding == Encoding::Exr && said != origin() {
                        return Err(format!("metadata comes back as {said:?}"));
                    }
                    let AnyImage::Float(again) = decode(&bytes).map_err(|e| e.to_string())? else {
                        return Err("floats come back as integers".into());
                    };
                    let bits = |frame: &Frame| -> Vec<u32> {
                        frame.samples().iter().map(|sample| sample.to_bits()).collect()
                    };
                    if bits(&again) != bits(&frame) {
                        return Err(format!("{encoding:?} changes bits"));
                    }
                }
                true
            }
            _ => false,
        };
        Ok(Reached { parsed, accepted: true, computed })
    }

    fn is_binary(&self) -> bool {
        true
    }
}

fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    repair_png(&mut bytes);
    bytes
}
