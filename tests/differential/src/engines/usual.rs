//! The core evaluator on the program without `@` and `$`, which change no bit.

use crate::case::Case;
use crate::engine::{Engine, Image, Verdict};
use crate::reference::{image, reference};
use lambdav_generate::suite::without_modes;

/// Elaborates all of the program as usual.
pub(super) struct Usual;

impl Engine for Usual {
    fn name(&self) -> &'static str {
        "usual"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        let Some(source) = without_modes(&case.source) else {
            return Ok(case.locations().iter().map(|_| Image::OutOfFuel).collect());
        };
        let (core, diagnostics) = lambdav_frontend::compile(&source);
        let core = core.ok_or_else(|| {
            let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            format!("without `@` it is refused: {}", messages.join("; "))
        })?;
        let image = |verdicts: &Vec<Verdict>| match image(verdicts) {
            // It counts rounds that are unrolled.
            Image::LoopLimit { .. } => Image::OutOfFuel,
            image => image,
        };
        Ok(reference(&core, case)?.iter().map(image).collect())
    }
}
