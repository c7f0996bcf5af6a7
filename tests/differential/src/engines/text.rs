//! The core evaluator on core text, read back.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::{image, reference};
use lambdav_frontend::core_text;
use lambdav_frontend::source::SourceFile;

/// Prints the core, reads it, demands that it prints the same again, and evaluates it.
pub(super) struct Text;

impl Engine for Text {
    fn name(&self) -> &'static str {
        "core-text"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        let print = |core, file| core_text::print(core, Some(file)).map_err(|d| d.message);
        let file = SourceFile::new("generated.core", print(&case.core, &case.source)?);
        let (core, diagnostics) = core_text::read(&file);
        let Some(core) = core else {
            let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            return Err(format!("core text is refused: {}\n{}", messages.join("; "), file.text()));
        };
        let again = print(&core, &file)?;
        if without_comments(&again) != without_comments(file.text()) {
            return Err(format!("core text changes when it is read:\n{}\n{again}", file.text()));
        }
        let mut images: Vec<Image> = reference(&core, case)?.iter().map(|v| image(v)).collect();
        for image in &mut images {
            // Positions are those in the text of the core.
            if let Image::LoopLimit { span, .. } = image {
                *span = None;
            }
        }
        Ok(images)
    }
}

/// The lines of core text, their comments, which are positions, apart.
fn without_comments(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect()
}
