//! Samplers of a device beside those of the oracle: what docs/textures.md says, Vulkan says, too.
//!
//! A device may compute weights with few bits and levels of detail roughly. So values are compared, not bits, and places that
//! lie on an edge between texels or levels may differ.

use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::{Texels, TextureData};
use lambdav_glsl_frontend::{Options, Stage, compile};
use lambdav_gpu::{BoundBuffer, BoundTexture, Device, DispatchJob, forever};
use lambdav_oracle::samplers::{Call, Dimension, GROUP, Trial};
use std::error::Error;

/// Values of a trial that a device has otherwise than the oracle, and their greatest difference.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// All values.
    pub values: usize,
    /// Those that differ by more than 1/255.
    pub off: usize,
    /// An invocation with such a value: what the device and the oracle have.
    pub first: Option<(usize, [f32; 4], [f32; 4])>,
}

/// Runs a trial by a device; `None` for those that are not compared.
///
/// # Errors
///
/// Errors of the device.
///
/// # Panics
///
/// If the trial's text is wrong.
pub fn beside(trial: &Trial, device: &Device) -> Result<Option<Difference>, Box<dyn Error>> {
    // Our images have two sides. Mesa's logarithm in levels of detail is a rough one.
    let chooses = trial.sampler.mip.is_some() || trial.sampler.mag != trial.sampler.min;
    let is_rough = trial.call == Call::Moves && chooses;
    // Vulkan leaves corners that are gathered open; those of integers have no mean there.
    let is_open = trial.is_integer && trial.dimension == Dimension::Cube;
    if trial.dimension == Dimension::Line || is_rough || is_open {
        return Ok(None);
    }
    let text = trial.text();
    let options = Options::new(Stage::Compute);
    let compiled = compile(SourceFile::new("trial.comp", &*text), &options, &mut NoFiles);
    let words = compiled.words.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let (kind, size) = (trial.kind(), trial.size());
    let texture = match trial.is_integer {
        true => {
            let texels = trial.integers().into_iter();
            TextureData::of_integers(kind, Texels::Unsigned, size, texels)?
        }
        false => TextureData::with_planes(kind, size, trial.texels().into_iter(), trial.mipmaps)?,
    };
    let given: Vec<u32> = trial.given().iter().map(|x| x.to_bits()).collect();
    let count = trial.places.len();
    let found = vec![0; 4 * count];
    let buffer = |binding, words| BoundBuffer { set: 0, binding, is_uniform: false, words };
    let job = DispatchJob {
        words: &words,
        entry_point: "main",
        groups: [(count / GROUP) as u32, 1, 1],
        push_constants: &Default::default(),
        buffers: &[buffer(1, &given), buffer(2, &found)],
        textures: &[BoundTexture {
            set: 0,
            binding: 0,
            data: &texture,
            sampler: Some((trial.sampler, trial.is_shadow)),
        }],
    };
    let mut prepared = device.prepare_dispatch(&job, &forever)?;
    prepared.run(&forever)?;
    let mut difference = Difference::default();
    for (number, found) in prepared.read(1)?.chunks(4).enumerate() {
        let found: [f32; 4] = std::array::from_fn(|k| f32::from_bits(found[k]));
        let wanted = trial.wanted(number);
        let off = (0..4).filter(|&k| (found[k] - wanted[k]).abs() > 1.0 / 255.0).count();
        difference.values += 4;
        difference.off += off;
        if off > 0 && difference.first.is_none() {
            difference.first = Some((number, found, wanted));
        }
    }
    Ok(Some(difference))
}
