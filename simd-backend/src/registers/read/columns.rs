//! Columns of the table of lanes.

use super::error::ReadError;
use super::line::Line;
use crate::lanes::{Column, Items};

/// Takes the name of a column of the table of lanes.
pub(super) fn column(line: &mut Line<'_>) -> Result<Column, ReadError> {
    line.printed("a column", |word| {
        if let Some(word) = word.strip_prefix("saved.") {
            return word.parse().ok().map(Column::Saved);
        }
        let items = [Items::Listed, Items::INVOCATIONS].into_iter();
        items.flat_map(Items::columns).find(|column| column.to_string() == word)
    })
}
