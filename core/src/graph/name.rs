//! Names of values in the source, for debuggers.

use std::sync::Arc;

/// The name of a `define`, `let` or parameter. Very long names are cut off, so that names take memory linear
/// in the number of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(Arc<str>);

impl Name {
    /// The largest number of characters.
    pub const MAX: usize = 64;

    /// The name, or its beginning.
    pub fn new(text: &str) -> Self {
        let end = text.char_indices().nth(Self::MAX).map_or(text.len(), |(end, _)| end);
        Self(text[..end].into())
    }

    /// Its characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        assert_eq!(Name::new("ä").as_str(), "ä");
        assert_eq!(Name::new(&"ä".repeat(64)).as_str(), "ä".repeat(64));
        assert_eq!(Name::new(&"ä".repeat(65)).as_str(), "ä".repeat(64));
    }
}
