//! Feedback: a texture that holds the frame before.

use crate::failure::{Failure, Result, chain};
use lambdav_core::resource::Bound;
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{ResourceKind, Types};
use lambdav_engine::engines::Engine;
use lambdav_engine::settings::{BindError, Settings, texels};
use lambdav_image::file::Encoding;
use lambdav_image::{Frame, Size};
use std::fmt;
use std::sync::Arc;

/// The texture that holds the frame before.
#[derive(Clone, Debug)]
pub(crate) struct Feedback {
    name: String,
    /// Its number among all textures and buffers of the program.
    number: usize,
    options: TextureOptions,
    /// Whether a file is bound to it for the first frame.
    from_file: bool,
}

impl fmt::Display for Feedback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = if self.from_file { "the file that is bound" } else { "zeros" };
        write!(f, "`{}` holds the frame before, at the first {start}", self.name)
    }
}

impl Feedback {
    /// Checks that the frames of a sequence can be bound to the texture of that name. At the first frame it
    /// holds the file that is bound to it, or, without one, zeros, which are bound here.
    pub(crate) fn begin(
        name: &str,
        size: Size,
        settings: &mut Settings,
        types: &Types,
    ) -> Result<Self> {
        let number = types.resources().iter().position(|resource| *resource.name == *name);
        let Some(number) = number else {
            return Err(Failure::usage(format!("--feedback: {}", BindError::unknown(types, name))));
        };
        let ResourceKind::Texture(options) = types.resources()[number].kind else {
            return Err(Failure::usage(format!(
                "--feedback: `{name}` is a buffer, and a frame is an image; declare (texture {name})"
            )));
        };
        if options.srgb {
            return Err(Failure::usage(format!(
                "--feedback: the texture `{name}` is `srgb`, and frames are floats, which are not decoded; \
                 declare it without `srgb`"
            )));
        }
        let from_file = settings.inputs.resources.get(number).and_then(Bound::texture).is_some();
        let sides = [size.width(), size.height()];
        if !from_file {
            let zeros =
                Encoding::Npy.blank(size).map_err(|error| Failure::machine(chain(&error)))?;
            let bound = settings.bind(types, name, &zeros);
            bound.map_err(|error| Failure::usage(format!("--feedback: {error}")))?;
        }
        let start = settings.inputs.resources[number].texture().expect("it is bound");
        let first = start.levels()[0];
        if [first.width, first.height] != sides {
            let [width, height] = sides;
            let start = format!("{}x{}", first.width, first.height);
            return Err(Failure::usage(format!(
                "--feedback: what is bound to `{name}` is {start}, and the frames that follow it are \
                 {width}x{height}; add --size {start}, or bind an image of {width}x{height}"
            )));
        }
        Ok(Self { name: name.to_owned(), number, options, from_file })
    }

    /// Binds a frame, for the next one.
    pub(super) fn bind(&self, engine: &mut dyn Engine, frame: &Frame) -> Result {
        let texture = texels(&self.name, self.options, frame.into());
        let texture = texture.map_err(|error| Failure::machine(error.to_string()))?;
        engine.set_texture(self.number, &Arc::new(texture));
        Ok(())
    }
}
