//! The core evaluator on the program without `@` and `$`, which change no result.

use crate::case::Case;
use crate::engine::{Engine, Image, Verdict};
use crate::reference::{image, reference};
use lambdav_generate::suite::without_modes;

/// Elaborates the whole program without modes.
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
            // Unrolled rounds are counted here, but not in the program with modes.
            Image::LoopLimit { .. } => Image::OutOfFuel,
            image => image,
        };
        Ok(reference(&core, case)?.iter().map(image).collect())
    }
}
