//! The page: one file that needs nothing else.
//!
//! What is known of the tests stands in it as JSON, which the page's script shows. In a `script` element
//! nothing but `</` can end the text, so that `<` is written as an escape; names are never made markup.

use serde_json::{Value, json};

/// The page, with a hole for what is known.
const PAGE: &str = include_str!("page.html");

/// Where that goes.
const HOLE: &str = "{{DATA}}";

/// The page's text.
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
