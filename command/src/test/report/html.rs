//! The HTML report: one self-contained file.
//!
//! It holds the results as JSON, which its script displays. Only `</` can end the text of a `script`
//! element, so `<` is escaped; names never become markup.

use serde_json::{Value, json};

/// The page, with a placeholder for the results.
const PAGE: &str = include_str!("page.html");

/// The placeholder.
const HOLE: &str = "{{DATA}}";

/// Text of the page.
pub(super) fn page(header: &Value, tests: &[Value]) -> String {
    let data = json!({"run": header, "tests": tests}).to_string().replace('<', "\\u003c");
    let (front, back) = PAGE.split_once(HOLE).unwrap_or((PAGE, ""));
    [front, &data, back].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_the_script() {
        let page = page(&json!({}), &[json!({"test": "</script><script>alert(1)"})]);
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert_eq!(PAGE.matches(HOLE).count(), 1);
    }
}
