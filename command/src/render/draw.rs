//! Draws all frames of an output with one pipeline, and writes them.

use super::feedback::Feedback;
use super::options::RenderArguments;
use super::sequence::{Moment, file_name};
use crate::engines::in_time;
use crate::failure::{Failure, Result, save_failure};
use crate::files::check_target;
use crate::hash::sha256;
use crate::messages::{note, write_out};
use crate::probe;
use crate::progress::Progress;
use crate::stats::Stats;
use crate::supervise::Deadline;
use crate::undefined::UndefinedBehaviour;
use crate::unit::Around;
use lambdav_core::types::Type;
use lambdav_engine::{
    Bindings, Pipeline, PixelSet, RenderOptions, Shader, SpecialsCounter, Target, error_chain,
    metadata,
};
use lambdav_image::file::npy::encode_bits;
use lambdav_image::file::raw::RawLayout;
use lambdav_image::file::{Encoding, Format, Metadata, encode, save, write_atomically};
use lambdav_image::quantize::quantize;
use lambdav_image::{AnyImage, Frame};
use lambdav_workers::{ThreadPool, thread_pool};
use std::path::{Path, PathBuf};

/// Most bytes of uniform values in an image's metadata.
pub(super) const MAX_TOLD: usize = 1 << 16;

/// Encoding of pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Samples that are drawn, and their file format.
    pub(super) encoding: Encoding,
    /// Layout of a pixel for frames without a header.
    pub(super) raw: Option<RawLayout>,
}

/// The requested pictures. One picture at a time is in memory.
pub(super) struct Job<'a> {
    options: &'a RenderArguments,
    form: Form,
    /// Pool with the requested number of threads.
    pool: Option<ThreadPool>,
    /// Moments of the pictures, in order.
    moments: Vec<Moment>,
    /// Input files.
    read: Vec<PathBuf>,
    pub(super) stats: Stats,
    deadline: Deadline,
    /// Pictures finished so far (`done`), of `all`.
    done: usize,
    all: usize,
    progress: Progress,
    /// Metadata that all files share, unless disabled.
    origin: Option<Metadata>,
    /// Texture that holds the previous frame.
    feedback: Option<Feedback>,
    /// Last picture, reused as the target of the next one; with feedback always a frame of floats.
    image: Option<AnyImage>,
    /// Depth buffer of the last picture, if one is wanted.
    depths: Vec<f32>,
    /// Encoded bytes of the last picture on standard output; reused.
    bytes: Vec<u8>,
    /// Counts NaN and infinite samples.
    specials: SpecialsCounter,
}

impl<'a> Job<'a> {
    /// Creates the job and starts the deadline of its first picture. `read` lists the input files.
    pub(super) fn new(
        options: &'a RenderArguments,
        form: Form,
        read: &[&PathBuf],
        stats: Stats,
    ) -> Result<Self> {
        let tiles = RenderOptions::default().tiles(options.picture.size);
        let pool = options.threads.map(|threads| thread_pool(threads.min(tiles))).transpose();
        let moments = options.moments();
        Ok(Self {
            options,
            form,
            pool: pool.map_err(|e| Failure::machine(error_chain(&e)))?,
            all: moments.len(),
            moments,
            read: read.iter().map(|path| (*path).clone()).collect(),
            stats,
            deadline: Deadline::set(options.timeout),
            done: 0,
            progress: Progress::new(),
            origin: None,
            feedback: None,
            image: None,
            depths: Vec::new(),
            bytes: Vec::new(),
            specials: SpecialsCounter::default(),
        })
    }

    /// Called once the outputs are known: checks that all pictures can be written. `included` extends
    /// the input files.
    pub(super) fn begin(&mut self, locations: &[u32], included: &[PathBuf]) -> Result {
        self.all = self.moments.len() * locations.len();
        self.read.extend_from_slice(included);
        if self.options.samples.depth_file().is_some() && locations.len() > 1 {
            let message = "--depth FILE is for one output; name it with --output LOC";
            return Err(Failure::usage(message));
        }
        for moment in &self.moments {
            if let Some(path) = self.depth_target(*moment)? {
                if self.options.out() == path {
                    let message = "the picture and its depth buffer need different files";
                    return Err(Failure::usage(message));
                }
                check_target(&path, &self.read)?;
            }
        }
        if self.options.out() == Path::new("-") {
            return Ok(());
        }
        for location in locations {
            for moment in &self.moments {
                check_target(&self.target(*moment, *location)?, &self.read)?;
            }
        }
        Ok(())
    }

    /// Binds, from now on, each frame to this texture for the next one.
    pub(super) fn feed_back(&mut self, feedback: Option<Feedback>) {
        if let Some(feedback) = &feedback {
            self.stats.note("feedback", feedback.to_string());
        }
        self.feedback = feedback;
    }

    /// Sets the metadata of the pictures: a digest of `program`, and `uniforms`, the values of uniforms
    /// and constants as a JSON object, unless too long.
    pub(super) fn describe(&mut self, program: &[u8], uniforms: Option<&str>) {
        self.origin = (!self.options.no_metadata).then(|| {
            let origin = metadata().with("lambdav:program", sha256(program));
            match uniforms.filter(|text| *text != "{}") {
                Some(text) => origin.with("lambdav:uniforms", text),
                None => origin,
            }
        });
    }

    /// Metadata of one picture.
    fn metadata(&self, moment: Moment, location: u32) -> Metadata {
        let Some(origin) = &self.origin else { return Metadata::default() };
        let mut origin = origin
            .clone()
            .with("lambdav:output", location.to_string())
            .with("lambdav:time", moment.time.to_string())
            .with("lambdav:frame", moment.frame.to_string());
        if let Some(name) = &self.options.feedback {
            origin = origin.with("lambdav:feedback", name);
        }
        if let Some(mouse) = self.options.picture.mouse {
            origin = origin.with("lambdav:mouse", mouse.map(|x| x.to_string()).join(","));
        }
        if let Some(date) = self.options.picture.date {
            origin = origin.with("lambdav:date", date.map(|x| x.to_string()).join(","));
        }
        origin
    }

    /// Path of a picture.
    fn target(&self, moment: Moment, location: u32) -> Result<PathBuf> {
        let location = self.options.has_all_outputs().then_some(location);
        file_name(self.options.out(), moment.number, location)
    }

    /// Deadline of the next picture.
    pub(super) fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Pixels drawn so far.
    pub(super) fn pixels(&self) -> f64 {
        let size = self.options.picture.size;
        f64::from(size.width()) * f64::from(size.height()) * self.done as f64
    }

    /// Notes NaN and infinite samples, once for all pictures.
    pub(super) fn note_specials(&self) {
        let specials = self.specials.total();
        if !specials.is_none() {
            let of = if self.done == 1 { "the picture has" } else { "the pictures have" };
            note(&format!("{of} non-finite samples: {specials}"), self.options.messages);
        }
    }

    /// Draws and writes the pictures of one output.
    pub(super) fn draw(
        &mut self,
        shader: &Shader,
        pipeline: &Pipeline,
        bindings: &mut Bindings,
    ) -> Result {
        let is_npy = self.form.raw.is_none() && self.form.encoding == Encoding::Npy;
        if pipeline.integers(pipeline.output()).is_some() && !(is_npy && self.feedback.is_none()) {
            let what = format!(
                "the output {} has integers, which only NPY holds: name a file that ends in `.npy`, without --feedback",
                pipeline.output()
            );
            return Err(Failure::usage(what));
        }
        for moment in self.moments.clone() {
            if self.done > 0 {
                self.deadline = Deadline::set(self.options.timeout);
            }
            bindings.time(moment.time).frame(moment.frame);
            self.bind_last(bindings)?;
            self.probe(shader, pipeline.output(), bindings)?;
            self.draw_one(pipeline, bindings)?;
            self.stats.took("render");
            self.write_depths(moment)?;
            let is_wanted = self.write(moment, pipeline)?;
            self.stats.took("write");
            self.done += 1;
            if !is_wanted {
                break;
            }
        }
        if self.done == self.all {
            self.progress.clear();
        }
        Ok(())
    }

    /// Prints the messages of the probed units of the next picture.
    fn probe(&self, shader: &Shader, output: u32, bindings: &Bindings) -> Result {
        let around = Around {
            size: self.options.picture.size,
            output,
            max_iterations: self.options.picture.max_iterations,
            groups: None,
            deadline: self.deadline,
        };
        probe::tell(&self.options.probe, shader, bindings, &around, self.options.messages)
    }

    /// Binds the last frame to the feedback texture, if there is one.
    fn bind_last(&self, bindings: &mut Bindings) -> Result {
        match (&self.feedback, &self.image) {
            (Some(feedback), Some(AnyImage::Float(frame))) => feedback.bind(bindings, frame),
            _ => Ok(()),
        }
    }

    fn draw_one(&mut self, pipeline: &Pipeline, bindings: &Bindings) -> Result {
        let encoding = self.form.encoding;
        // A frame that is fed back stays float32 until it is written.
        let drawn_as = if self.feedback.is_some() { Encoding::Npy } else { encoding };
        let mut image = match self.image.take() {
            Some(image) => image,
            None => drawn_as
                .blank(self.options.picture.size)
                .map_err(|error| Failure::machine(error_chain(&error)))?,
        };
        let advance = |done, total| {
            self.progress.advance(self.done * total + done, self.all * total);
        };
        let has_integers = pipeline.integers(pipeline.output()).is_some();
        let options = RenderOptions {
            timeout: Some(self.deadline.left()),
            progress: Some(&advance),
            specials: Some(&self.specials).filter(|_| !has_integers),
            ..RenderOptions::default()
        };
        let target = Target::from(&mut image).transfer(drawn_as.transfer());
        let mut depths = vec![];
        if self.options.samples.depth_file().is_some() {
            depths.resize(self.options.picture.size.pixels(), 1.0);
        }
        let drawn = self.install(|| match depths.is_empty() {
            true => pipeline.render_with(bindings, target, &options),
            false => pipeline.render_with_depth(bindings, vec![target], &mut depths, &options),
        });
        self.depths = depths;
        if drawn.is_err() {
            self.progress.clear();
        }
        let (deadline, messages) = (self.deadline, self.options.messages);
        let drawn = in_time(drawn, deadline, messages);
        if let (UndefinedBehaviour::Paint, Ok(drawn)) = (self.options.undefined, &drawn) {
            paint(&mut image, &drawn.undefined_pixels);
        }
        self.image = Some(image);
        let drawn = drawn?;
        if let Some(remark) = drawn.remark {
            note(&remark, messages);
        }
        self.options.undefined.tell(&drawn.undefined, "the picture")
    }

    /// Path of the depth buffer's file, if one is wanted.
    fn depth_target(&self, moment: Moment) -> Result<Option<PathBuf>> {
        let file = self.options.samples.depth_file();
        file.map(|path| file_name(path, moment.number, None)).transpose()
    }

    /// Writes the depth buffer of the last picture, if one is wanted.
    fn write_depths(&self, moment: Moment) -> Result {
        let Some(path) = self.depth_target(moment)? else { return Ok(()) };
        let size = self.options.picture.size;
        let picture = Frame::from_fn(size, |x, y| {
            let depth = self.depths[size.index(x, y) as usize];
            [depth, depth, depth, 1.0]
        });
        let format = Format::from_path(&path).map_err(|e| Failure::usage(error_chain(&e)))?;
        let encoding = if format == Format::Exr { Encoding::Exr } else { Encoding::Npy };
        let metadata = self.metadata(moment, 0);
        let saved = self.install(|| save(&path, &AnyImage::from(picture), encoding, &metadata));
        saved.map_err(|error| save_failure(&error))
    }

    /// Writes the last picture. Returns false if the reader has closed the pipe.
    fn write(&mut self, moment: Moment, pipeline: &Pipeline) -> Result<bool> {
        let location = pipeline.output();
        let Some(image) = &self.image else { return Ok(true) };
        let Form { encoding, raw } = self.form;
        let metadata = self.metadata(moment, location);
        let quantized = match (raw, image, encoding) {
            (Some(_), AnyImage::Float(frame), Encoding::Png8(transfer)) => {
                Some(AnyImage::from(quantize::<u8>(frame, transfer)))
            }
            (Some(_), AnyImage::Float(frame), Encoding::Png16(transfer)) => {
                Some(AnyImage::from(quantize::<u16>(frame, transfer)))
            }
            _ => None,
        };
        let image = quantized.as_ref().unwrap_or(image);
        let integers =
            pipeline.integers(location).map(|ty| if ty == Type::INT { "<i4" } else { "<u4" });
        if self.options.out() != Path::new("-") {
            let path = self.target(moment, location)?;
            let saved = self.install(|| match (raw, image) {
                (Some(layout), _) => write_atomically(&path, |out| layout.encode(image, out)),
                (None, AnyImage::Float(frame)) if let Some(ty) = integers => {
                    write_atomically(&path, |out| encode_bits(ty, frame, &metadata, out))
                }
                _ => save(&path, image, encoding, &metadata),
            });
            return saved.map(|()| true).map_err(|error| save_failure(&error));
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        let encoded = self.install(|| match (raw, image) {
            (Some(layout), _) => layout.encode(image, &mut bytes),
            (None, AnyImage::Float(frame)) if let Some(ty) = integers => {
                encode_bits(ty, frame, &metadata, &mut bytes)
            }
            _ => encode(image, encoding, &metadata, &mut bytes),
        });
        encoded.map_err(|error| Failure::machine(error_chain(&error)))?;
        // The reader may be slow: no deadline while writing.
        Deadline::lift();
        let is_read = write_out(&bytes);
        self.bytes = bytes;
        is_read
    }

    /// Runs `work` on the requested threads.
    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            None => work(),
            Some(pool) => pool.install(work),
        }
    }
}

/// Draws pixels in magenta.
fn paint(image: &mut AnyImage, pixels: &PixelSet) {
    let size = image.size();
    let at = |[x, y]: [u32; 2]| 4 * size.index(x, y) as usize;
    for pixel in pixels.iter() {
        let first = at(pixel);
        match image {
            AnyImage::Unorm8(image) => {
                image.samples_mut()[first..][..4].copy_from_slice(&[u8::MAX, 0, u8::MAX, u8::MAX]);
            }
            AnyImage::Unorm16(image) => {
                let magenta = [u16::MAX, 0, u16::MAX, u16::MAX];
                image.samples_mut()[first..][..4].copy_from_slice(&magenta);
            }
            AnyImage::Float(image) => {
                image.samples_mut()[first..][..4].copy_from_slice(&[1.0, 0.0, 1.0, 1.0]);
            }
        }
    }
}
