//! The core evaluator on core text that was printed and read.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::{image, reference};
use lambdav_core::core_text;
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;

/// Prints the core, reads it, and does both again. The second text must not change any more. Evaluates the
/// core that was read.
pub(super) struct Text;

impl Engine for Text {
    fn name(&self) -> &'static str {
        "core-text"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        let first = SourceFile::new("generated.core", print(&case.core, &case.source)?);
        let second = SourceFile::new("again.core", print(&read(&first)?, &first)?);
        let core = read(&second)?;
        // Reading simplifies once more. Guards are placed anew each time, in an unspecified order.
        let third = print(&core, &second)?;
        let has_guard = third.contains("= guard ");
        if !has_guard && without_comments(&third) != without_comments(second.text()) {
            return Err(format!("core text changes when it is read:\n{}\n{third}", second.text()));
        }
        let mut images: Vec<Image> = reference(&core, case)?.iter().map(|v| image(v)).collect();
        for image in &mut images {
            // Spans refer to the core text, not to the source.
            if let Image::LoopLimit { span, .. } = image {
                *span = None;
            }
        }
        Ok(images)
    }
}

fn print(core: &Core, file: &SourceFile) -> Result<String, String> {
    core_text::print(core, Some(file)).map_err(|d| d.message)
}

fn read(file: &SourceFile) -> Result<Core, String> {
    let (core, diagnostics) = core_text::read(file);
    core.ok_or_else(|| {
        let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
        format!("core text is refused: {}\n{}", messages.join("; "), file.text())
    })
}

/// The lines of core text without their comments, which are positions.
fn without_comments(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect()
}
