//! Ids in excerpts, numbered by their first occurrences.

use std::collections::BTreeMap;

/// The prefixes of ids: groups of prefixes that share their numbers, as `xmm1` and `ymm1` do.
pub(crate) type Ids = &'static [&'static [&'static str]];

/// The lines with new numbers in their ids: from 0 in each group, in the order of first occurrences.
pub(crate) fn renumbered(lines: &[&str], ids: Ids) -> Vec<String> {
    let mut known: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new(); ids.len()];
    let mut all = Vec::with_capacity(lines.len());
    for &line in lines {
        let (mut result, mut rest, mut before) = (String::new(), line, None);
        while let Some(first) = rest.chars().next() {
            match id_at(rest, before, ids) {
                Some((group, prefix, number)) => {
                    let next = known[group].len();
                    let new = known[group].entry(number).or_insert(next);
                    result.push_str(&format!("{prefix}{new}"));
                    rest = &rest[prefix.len() + number.len()..];
                }
                None => {
                    result.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
            before = result.chars().next_back();
        }
        all.push(result);
    }
    all
}

/// The id at the beginning of a text, after a character: its group, its prefix and its number.
fn id_at(text: &str, before: Option<char>, ids: Ids) -> Option<(usize, &'static str, &str)> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    if before.is_some_and(is_of_word) {
        return None;
    }
    let prefixes =
        ids.iter().enumerate().flat_map(|(group, all)| all.iter().map(move |of| (group, *of)));
    prefixes.into_iter().find_map(|(group, prefix)| {
        let rest = text.strip_prefix(prefix)?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_whole = !rest[digits..].chars().next().is_some_and(is_of_word);
        (digits > 0 && is_whole).then_some((group, prefix, &rest[..digits]))
    })
}
