//! A trace as a page: one self-contained file.
//!
//! It holds the trace as JSON, which its script displays. Only `</` can end the text of a `script` element, so `<` is
//! escaped; texts never become markup.

use super::tree::Trace;
use serde_json::json;

/// The page, with a placeholder for the trace.
const PAGE: &str = include_str!("page.html");

/// The placeholder.
const HOLE: &str = "{{DATA}}";

impl Trace {
    /// The trace as a page: the source with values beside its lines, and a slider for the rounds of each loop.
    pub fn page(&self) -> String {
        let data = json!({"trace": self.json(), "texts": self.subject.texts});
        let data = data.to_string().replace('<', "\\u003c");
        let (front, back) = PAGE.split_once(HOLE).unwrap_or((PAGE, ""));
        [front, &data, back].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Recorder;
    use crate::tree::Subject;

    #[test]
    fn texts_cannot_end_the_script() {
        let subject = Subject {
            files: vec!["a".to_owned()],
            texts: vec!["</script><script>alert(1)".to_owned()],
            pixel: [0; 2],
            size: [1; 2],
            output: 0,
            colour: [0; 4],
            is_discarded: false,
            drawn: None,
        };
        let page = Recorder::default().finish(subject, true).page();
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert_eq!(PAGE.matches(HOLE).count(), 1);
    }
}
