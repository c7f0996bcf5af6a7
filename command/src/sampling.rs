//! Samplers from the command line: behind the file of `--bind`, or by `--sampler`.

use super::failure::{Failure, Result};
use super::files::read_bytes;
use super::module::object;
use lambdav_core::sampler::Sampler;
use lambdav_engine::ShaderOptions;
use std::path::Path;

/// How a texture is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sampling {
    /// The state of its sampler, if anything is said of it.
    sampler: Option<Sampler>,
    /// It has all its levels.
    mipmaps: bool,
}

/// True for `mipmaps` and for a sampler's KEY=VALUE.
pub(super) fn is_option(text: &str) -> bool {
    match text.split_once('=') {
        Some((key, _)) => Sampler::KEYS.contains(&key),
        None => text == "mipmaps",
    }
}

impl Sampling {
    /// Reads `mipmaps` and KEY=VALUE. A filter between levels implies levels.
    ///
    /// # Errors
    ///
    /// The message says what is wrong, and what there is.
    pub(super) fn read<'t>(
        options: impl IntoIterator<Item = &'t str>,
    ) -> std::result::Result<Self, String> {
        let mut all = Self::default();
        for option in options {
            if option == "mipmaps" {
                all.mipmaps = true;
                continue;
            }
            let Some((key, value)) = option.split_once('=') else {
                return Err(format!("`{option}` is no option of a sampler: write KEY=VALUE"));
            };
            all.set(key.trim(), value.trim())?;
        }
        Ok(all)
    }

    /// Sets an option of the sampler.
    fn set(&mut self, key: &str, value: &str) -> std::result::Result<(), String> {
        let sampler = self.sampler.get_or_insert_default();
        sampler.set(key, value).map_err(|error| error.to_string())?;
        self.mipmaps |= key == "mip" && sampler.mip.is_some();
        Ok(())
    }

    /// True if anything is said.
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// The options with these for a texture or sampler of that name.
    pub(super) fn add_to(&self, name: &str, mut options: ShaderOptions) -> ShaderOptions {
        if let Some(sampler) = self.sampler {
            options = options.sampler(name, sampler);
        }
        match self.mipmaps {
            true => options.mipmaps(name),
            false => options,
        }
    }
}

/// A value of `--sampler`: NAME=KEY=VALUE,… or NAME=FILE.json with a GPUSamplerDescriptor of WebGPU.
pub(super) fn named(text: &str) -> Result<(String, Sampling)> {
    let wrong = |what: String| Failure::usage(format!("--sampler {text}: {what}"));
    let split = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let Some((name, value)) = split else {
        return Err(wrong("write NAME=KEY=VALUE,KEY=VALUE or NAME=FILE.json".to_owned()));
    };
    let is_file = Path::new(value).extension().is_some_and(|of| of.eq_ignore_ascii_case("json"));
    let sampling = match is_file && !value.contains(',') {
        true => described(Path::new(value))?,
        false => Sampling::read(value.split(',')).map_err(wrong)?,
    };
    Ok((name.to_owned(), sampling))
}

/// Reads a GPUSamplerDescriptor. Its default filter is nearest.
fn described(path: &Path) -> Result<Sampling> {
    let (file, bytes) = read_bytes(path)?;
    let mut all = Sampling::read(["filter=nearest", "mip=nearest", "max-level=32"])
        .expect("the defaults are right");
    for setting in object(&file, &bytes, "KEY")? {
        let key = match &*setting.path {
            "label" => continue,
            "addressModeU" => "wrap-u",
            "addressModeV" => "wrap-v",
            "addressModeW" => "wrap-w",
            "magFilter" => "mag",
            "minFilter" => "min",
            "mipmapFilter" => "mip",
            "lodMinClamp" => "min-level",
            "lodMaxClamp" => "max-level",
            "compare" => "compare",
            "maxAnisotropy" => "anisotropy",
            other => {
                return Err(setting.wrong(&format!("no GPUSamplerDescriptor has `{other}`")));
            }
        };
        let value = match setting.value.trim_matches('"') {
            "clamp-to-edge" => "clamp",
            "mirror-repeat" => "mirror",
            other => other,
        };
        all.set(key, value).map_err(|what| setting.wrong(&what))?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let read = |text: &str| Sampling::read(text.split(','));
        assert!(read("mipmaps").is_ok_and(|of| of.mipmaps && of.sampler.is_none()));
        assert!(read("mip=nearest").is_ok_and(|of| of.mipmaps && of.sampler.is_some()));
        assert!(read("mip=none").is_ok_and(|of| !of.mipmaps));
        assert_eq!(read("wrap"), Err("`wrap` is no option of a sampler: write KEY=VALUE".into()));
        assert!(read("filter=cubic").is_err_and(|what| what.contains("nearest, linear")));
    }
}
