//! The core evaluator on the program for the values that its uniforms have.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::{image, reference};

/// Folds what depends on uniforms alone.
pub(super) struct Fixed;

impl Engine for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        let core = case.core.with_uniforms_fixed(&case.inputs.uniforms, |_| true);
        let images = reference(&core, case)?;
        let images = images.iter().map(|verdicts| match image(verdicts) {
            // Of several loops that go on too long, which is met first depends on what is folded.
            Image::LoopLimit { pixel, .. } => Image::LoopLimit { pixel, span: None },
            image => image,
        });
        Ok(images.collect())
    }
}
