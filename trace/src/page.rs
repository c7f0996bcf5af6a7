//! A trace as a page: one self-contained file.
//!
//! It holds traces as JSON, which its script displays. Only `</` can end the text of a `script` element, so `<` is
//! escaped; texts never become markup.

use super::tree::Trace;
use serde_json::{Value as Json, json};

/// The page, with a placeholder for the data.
const PAGE: &str = include_str!("page.html");

/// The placeholder.
const HOLE: &str = "{{DATA}}";

/// Contents of a page beside the trace.
#[derive(Debug, Default)]
pub struct Page<'t> {
    /// Traces of pixels around the pixel, which the page shows if they are chosen.
    pub around: &'t [Trace],
    /// The picture, as a PNG file in base64.
    pub picture: Option<String>,
    /// The command that traces another pixel, in front of its column and row, and behind them.
    pub command: Option<[String; 2]>,
}

impl Trace {
    /// The trace as a page: the source with values beside its lines, a slider for the rounds of each loop, and the picture
    /// in which a pixel is chosen.
    pub fn page(&self, page: &Page<'_>) -> String {
        let traces: Vec<Json> = std::iter::once(self).chain(page.around).map(Self::json).collect();
        let data = json!({
            "traces": traces,
            "texts": self.subject.texts,
            "picture": page.picture,
            "command": page.command,
        });
        let data = data.to_string().replace('<', "\\u003c");
        let (front, back) = PAGE.split_once(HOLE).unwrap_or((PAGE, ""));
        [front, &data, back].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Recorder;
    use crate::subject::{Subject, Unit};

    #[test]
    fn texts_cannot_end_the_script() {
        let subject = Subject {
            files: vec!["a".to_owned()],
            texts: vec!["</script><script>alert(1)".to_owned()],
            unit: Unit::Expression("a".to_owned()),
            results: Vec::new(),
            is_discarded: false,
            against: None,
        };
        let trace = Recorder::default().finish(subject, true, &|_| true);
        let command = ["</script>".to_owned(), String::new()];
        let page = trace.page(&Page { command: Some(command), ..Page::default() });
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert_eq!(PAGE.matches(HOLE).count(), 1);
    }
}
