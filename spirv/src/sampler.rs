//! Notes in a module about the samplers that it needs.
//!
//! SPIR-V cannot express a sampler's state: the host program makes the sampler. A module that samples
//! natively on the device has one string for each texture, which no instruction uses and drivers ignore:
//! `lambdav sampler 2: linear repeat mipmaps`, where 2 is the binding in set 0.

use lambdav_core::texture::{Filter, TextureOptions, Wrap};
use std::fmt;

const HEAD: &str = "lambdav sampler ";

/// State of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerNote {
    /// The texture's binding in set 0.
    pub binding: u32,
    /// Options that the program declares for the texture.
    pub options: TextureOptions,
}

impl fmt::Display for SamplerNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TextureOptions { filter, wrap, srgb, mipmaps, .. } = self.options;
        // A texture that is sampled natively has one mode for all axes.
        write!(f, "{HEAD}{}: {} {}", self.binding, filter.name(), wrap[0].name())?;
        f.write_str(if srgb { " srgb" } else { "" })?;
        f.write_str(if mipmaps { " mipmaps" } else { "" })
    }
}

impl SamplerNote {
    /// Parses a note as `Display` writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (binding, state) = text.strip_prefix(HEAD)?.split_once(": ")?;
        let mut words = state.split(' ').peekable();
        let (filter, wrap) = (Filter::from_name(words.next()?)?, Wrap::from_name(words.next()?)?);
        let [srgb, mipmaps] = ["srgb", "mipmaps"].map(|word| words.next_if_eq(&word).is_some());
        let wrap = [wrap; 3];
        let options =
            TextureOptions { filter, wrap, srgb, mipmaps, native: true, ..Default::default() };
        let binding = binding.parse().ok()?;
        words.next().is_none().then_some(Self { binding, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for filter in [Filter::Nearest, Filter::Linear] {
            for wrap in [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror] {
                for (srgb, mipmaps) in [(false, false), (false, true), (true, false), (true, true)]
                {
                    let native = true;
                    let options = TextureOptions {
                        filter,
                        wrap: [wrap; 3],
                        srgb,
                        mipmaps,
                        native,
                        ..Default::default()
                    };
                    let note = SamplerNote { binding: 17, options };
                    assert_eq!(SamplerNote::parse(&note.to_string()), Some(note));
                }
            }
        }
        for text in [
            "",
            "lambdav sampler",
            "lambdav sampler 1: linear",
            "lambdav sampler x: linear clamp",
            "lambdav sampler 1: linear clamp mipmaps srgb",
            "sampler 1: linear clamp",
        ] {
            assert_eq!(SamplerNote::parse(text), None, "{text}");
        }
    }
}
