//! The core evaluator on the program specialised to the values of its uniforms.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::{image, reference};

/// Folds everything that depends on uniforms alone.
pub(super) struct Fixed;

impl Engine for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        let core = case.core.with_uniforms_fixed(&case.inputs.uniforms, |_| true);
        let images = reference(&core, case)?;
        let images = images.iter().map(|verdicts| match image(verdicts) {
            // Folding changes the order of loops, so the reported loop may be another one.
            Image::LoopLimit { pixel, .. } => Image::LoopLimit { pixel, span: None },
            image => image,
        });
        Ok(images.collect())
    }
}
