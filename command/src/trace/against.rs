//! The other side of a comparison: an engine or a picture.

use super::other::Other;
use super::work::Work;
use crate::engines::{EngineName, engine, in_time};
use crate::failure::{Failure, Result};
use crate::files::{load_image, samples};
use crate::gpu::Gpu;
use clap::ValueEnum;
use lambdav_engine::{Engine, Options, RenderOptions, error_chain};
use lambdav_image::quantize::{Transfer, quantize};
use lambdav_image::{AnyImage, Frame, Image, Size};
use lambdav_trace::{Against, NamedValues, Scalar, Subject, Trace, Value};

/// The opened other side.
pub(super) enum Second {
    Engine(String, Engine),
    Picture(String, AnyImage, Transfer),
}

impl Second {
    /// Opens the other side; a picture must have that size.
    pub(super) fn open(other: &Other, size: Size, srgb: bool, gpu: Option<&Gpu>) -> Result<Self> {
        match other {
            Other::Engine(name) => {
                if srgb {
                    let message =
                        "--srgb is for the comparison with a picture; an engine has floats";
                    return Err(Failure::usage(message));
                }
                let text =
                    name.to_possible_value().map_or_else(String::new, |of| of.get_name().into());
                Ok(Self::Engine(text, engine(Some(*name), gpu)))
            }
            Other::Picture(path) => {
                let name = path.display();
                if !path.exists() {
                    let engines: Vec<String> = EngineName::value_variants()
                        .iter()
                        .filter_map(|of| Some(of.to_possible_value()?.get_name().to_owned()))
                        .collect();
                    return Err(Failure::usage(format!(
                        "--compare: there is no picture `{name}`, and no engine of that name; engines are {}",
                        engines.join(", ")
                    )));
                }
                let image = load_image(path)?;
                if image.size() != size {
                    let found = image.size();
                    return Err(Failure::usage(format!(
                        "`{name}` is of {found}, and the picture of {size}: give --size {found}"
                    )));
                }
                if srgb && matches!(image, AnyImage::Float(_)) {
                    return Err(Failure::usage(format!("`{name}` has floats: leave out --srgb")));
                }
                let transfer = if srgb { Transfer::Srgb } else { Transfer::Linear };
                Ok(Self::Picture(path.display().to_string(), image, transfer))
            }
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Engine(name, _) => format!("engine {name}"),
            Self::Picture(name, image, _) => format!("picture {name} ({})", samples(image)),
        }
    }
}

/// A pixel of a picture as a value: floats, or levels.
fn value(image: &AnyImage, [x, y]: [u32; 2]) -> Value {
    let levels = |words: [u32; 4]| Value::Words {
        ty: "uvec4".into(),
        scalar: Scalar::Uint,
        words: words.into(),
    };
    match image {
        AnyImage::Unorm8(image) => levels(image.pixel(x, y).unwrap_or_default().map(u32::from)),
        AnyImage::Unorm16(image) => levels(image.pixel(x, y).unwrap_or_default().map(u32::from)),
        AnyImage::Float(image) => {
            Subject::colour(image.pixel(x, y).unwrap_or_default().map(f32::to_bits))
        }
    }
}

/// A frame with the samples of another picture.
fn like(frame: Frame, other: &AnyImage, transfer: Transfer) -> AnyImage {
    match other {
        AnyImage::Unorm8(_) => AnyImage::Unorm8(quantize(&frame, transfer)),
        AnyImage::Unorm16(_) => AnyImage::Unorm16(quantize(&frame, transfer)),
        AnyImage::Float(_) => AnyImage::Float(frame),
    }
}

impl Work<'_> {
    /// The first pixel, row by row from the upper left, that differs on the other side.
    pub(super) fn first_difference(&self, second: &Second) -> Result<Option<[u32; 2]>> {
        let here = self.draw(Engine::Fast)?;
        let (here, there) = match second {
            Second::Engine(_, engine) => {
                (AnyImage::Float(here), AnyImage::Float(self.draw(engine.clone())?))
            }
            Second::Picture(_, image, transfer) => (like(here, image, *transfer), image.clone()),
        };
        let width = self.picture.size.width();
        let mut all = (0..self.picture.size.height()).flat_map(|y| (0..width).map(move |x| [x, y]));
        Ok(all.find(|&at| !value(&here, at).equals(&value(&there, at))))
    }

    /// The picture by an engine.
    pub(super) fn draw(&self, engine: Engine) -> Result<Frame> {
        let size = self.picture.size;
        let pipeline = self.shader.pipeline(&self.options(engine).for_size(size));
        let pipeline = in_time(pipeline, self.deadline, self.messages)?;
        let zeros = Frame::zeros(size).map_err(|error| Failure::machine(error_chain(&error)));
        let mut frame = zeros?;
        let timeout = Some(self.deadline.left());
        let options = RenderOptions { timeout, ..RenderOptions::default() };
        let drawn = pipeline.render_with(self.bindings, &mut frame, &options);
        in_time(drawn, self.deadline, self.messages)?;
        Ok(frame)
    }

    fn options(&self, engine: Engine) -> Options {
        let options = Options::default().engine(engine).output(self.output);
        options.max_iterations(self.picture.max_iterations).for_sizes(self.bindings)
    }

    /// The pixel on the other side, and the first of its values that differs there.
    pub(super) fn against(
        &self,
        second: &Second,
        pixel: [u32; 2],
        trace: &Trace,
        named: &NamedValues,
    ) -> Result<Against> {
        let colour = trace.subject.results.first().map(|(_, value)| value.clone());
        let here = colour.unwrap_or_else(|| Subject::colour([0; 4]));
        let name = second.name();
        match second {
            Second::Engine(_, engine) => {
                let options = self.options(engine.clone());
                let left = self.deadline.left();
                let size = self.picture.size;
                let there = self.shader.drawn_pixel(&options, self.bindings, size, pixel, left);
                let there = in_time(there, self.deadline, self.messages)?;
                let others = self.tracer.values_by(engine, pixel, &|| self.is_late());
                let others = others.map_err(|error| self.failure(error))?;
                let names = self.tracer.distinct_names();
                let value = self.tracer.value(there);
                let is_equal = value.equals(&here);
                let names = others.map(|others| named.compare(&others, &names, is_equal));
                Ok(Against { name, value, here, names })
            }
            Second::Picture(_, image, transfer) => {
                let words = if let Value::Words { words, .. } = &here { &words[..] } else { &[] };
                let mut colour = [0.0; 4];
                colour.iter_mut().zip(words).for_each(|(to, &word)| *to = f32::from_bits(word));
                let one = Size::new(1, 1).map_err(|error| Failure::machine(error_chain(&error)))?;
                let frame = Image::from_samples(one, colour.to_vec());
                let frame = frame.map_err(|error| Failure::machine(error_chain(&error)))?;
                let here = value(&like(frame, image, *transfer), [0, 0]);
                Ok(Against { name, value: value(image, pixel), here, names: None })
            }
        }
    }
}
