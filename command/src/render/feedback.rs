//! Feedback: a texture that holds the previous frame.

use crate::failure::{Failure, Result};
use lambdav_engine::{BindError, Bindings, Frame, Shader, Size, Slot, error_chain};
use lambdav_image::file::Encoding;
use std::fmt;

/// The texture that holds the previous frame.
#[derive(Clone, Debug)]
pub(crate) struct Feedback {
    name: String,
    /// True if `--bind` gives it a file for the first frame.
    from_file: bool,
    /// True if the program's first row is the last one of a frame.
    lower_left: bool,
}

impl fmt::Display for Feedback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = if self.from_file { "the bound file" } else { "zeros" };
        write!(f, "`{}` holds the previous frame; for the first frame, {start}", self.name)
    }
}

impl Feedback {
    /// Checks that frames can be bound to the texture `name`. Without a file from `--bind`, binds zeros
    /// for the first frame.
    pub(crate) fn begin(
        name: &str,
        shader: &Shader,
        size: Size,
        bindings: &mut Bindings,
    ) -> Result<Self> {
        let fail = |error: BindError| Failure::usage(format!("--feedback: {error}"));
        let Some((options, bound)) = bindings.texture(name) else {
            return Err(match bindings.slot(name) {
                Err(error) => fail(error),
                Ok(Slot::Buffer) => Failure::usage(format!(
                    "--feedback: `{name}` is a buffer, and a frame is an image; declare (texture {name})"
                )),
                Ok(_) => Failure::usage(format!("--feedback: `{name}` is no texture in use")),
            });
        };
        if options.srgb {
            return Err(Failure::usage(format!(
                "--feedback: the texture `{name}` is `srgb`, and frames are floats, which are not decoded; \
                 declare it without `srgb`"
            )));
        }
        let sides = [size.width(), size.height()];
        if bound.is_none() {
            let zeros =
                Encoding::Npy.blank(size).map_err(|error| Failure::machine(error_chain(&error)))?;
            bindings.bind(name, &zeros).map_err(fail)?;
        }
        if let Some([start_width, start_height]) = bound.filter(|bound| *bound != sides) {
            let [width, height] = sides;
            let start = format!("{start_width}x{start_height}");
            return Err(Failure::usage(format!(
                "--feedback: what is bound to `{name}` is {start}, and the frames that follow it are \
                 {width}x{height}; add --size {start}, or bind an image of {width}x{height}"
            )));
        }
        let lower_left = shader.is_lower_left();
        Ok(Self { name: name.to_owned(), from_file: bound.is_some(), lower_left })
    }

    /// Binds a frame for the next one: its rows in the order of the program, so that a pixel has its own place.
    pub(super) fn bind(&self, bindings: &mut Bindings, frame: &Frame) -> Result {
        let bound = match self.lower_left {
            true => {
                let (size, last) = (frame.size(), frame.size().height() - 1);
                let row = |x, y| frame.pixel(x, last - y).unwrap_or_default();
                bindings.bind(&self.name, &Frame::from_fn(size, row))
            }
            false => bindings.bind(&self.name, frame),
        };
        bound.map(drop).map_err(|error| Failure::machine(error.to_string()))
    }
}
