//! Values of expressions in the scope of a program, for the expectations of `lambdav test`.
//!
//! The front end of each language compiles an expression to a picture of its words ([`lambdav_core::flat`]). So every
//! engine computes it.

use crate::bindings::Bindings;
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::reading::ShaderOptions;
use crate::shader::Shader;
use crate::target::Target;
use lambdav_core::flat::{FlatType, PlacedExpression, words_of};
use lambdav_image::{Frame, Size};
use lambdav_raster::RenderOptions;
use std::time::Duration;

/// A number that is no half of a word: the colour of a discarded pixel.
const DISCARDED: f32 = 0.5;

impl ShaderOptions {
    /// Compiles an expression in the scope of the program in place of its picture. Only λV, WGSL and GLSL have
    /// expressions.
    #[doc(hidden)]
    #[must_use]
    pub fn expression(mut self, expression: PlacedExpression) -> Self {
        self.expression = Some(expression);
        self.clear([DISCARDED; 4])
    }
}

impl Shader {
    /// The type of the expression that was compiled; none for other programs.
    #[doc(hidden)]
    pub fn expression(&self) -> Option<&FlatType> {
        self.0.expression.as_ref()
    }

    /// The words of the expression's value, at the first pixel of a picture of that size. Textures and buffers that it
    /// does not read need no data. `None` if it discards the pixel.
    ///
    /// # Errors
    ///
    /// As for [`Pipeline::render_with`](crate::Pipeline::render_with), and [`Error::Mismatch`] for other programs and
    /// for the engine `source`.
    #[doc(hidden)]
    pub fn evaluate_expression(
        &self,
        options: &Options,
        bindings: &Bindings,
        size: Size,
        timeout: Option<Duration>,
    ) -> Result<Option<Vec<u32>>, Error> {
        let Some(ty) = self.expression() else {
            return Err(Error::Mismatch("the program is no expression".to_owned()));
        };
        if matches!(options.engine, Engine::Source) {
            let why = "expressions are computed by the engines `simd`, `core`, `spirv` and `gpu`";
            return Err(Error::Mismatch(why.to_owned()));
        }
        let one = Size::new(1, 1)?;
        let mut bindings = bindings.clone();
        bindings.bind_unread().map_err(|error| Error::Machine(error.to_string()))?;
        bindings.set_resolution(size);
        let pipeline = self.pipeline(&options.clone().outputs(0..ty.outputs()).for_size(one))?;
        let mut frames = Vec::new();
        for _ in 0..ty.outputs() {
            frames.push(Frame::zeros(one).map_err(|error| Error::Machine(error.to_string()))?);
        }
        let targets = frames.iter_mut().map(Target::from).collect();
        let render = RenderOptions { timeout, ..RenderOptions::default() };
        pipeline.render_outputs_with(&bindings, targets, &render)?;
        let pixels = frames.iter().map(|frame| words_of(frame.pixel(0, 0)?));
        let words: Option<Vec<[u32; 2]>> = pixels.collect();
        Ok(words.map(|words| words.concat()[..ty.components.len()].to_vec()))
    }
}
