//! Words of the program in messages: quoting and spelling suggestions.

use std::borrow::Cow;

/// The most characters shown of a quoted word.
const MAX_QUOTED: usize = 40;

/// A word of the program in back quotes for display: long words are cut, control characters escaped.
pub fn quote(word: &str) -> String {
    let mut shown = String::from("`");
    let mut characters = word.chars();
    for c in characters.by_ref().take(MAX_QUOTED) {
        if breaks_line(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if characters.next().is_some() {
        shown.push('…');
    }
    shown.push('`');
    shown
}

/// True for characters that control a terminal, except line ends and tabs. Includes characters that change
/// the writing direction, and line ends that only some programs know.
pub fn is_control(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        c => c.is_control(),
    }
}

/// True for characters that do not fit into one line of a terminal: control characters, line ends and tabs.
fn breaks_line(c: char) -> bool {
    is_control(c) || matches!(c, '\n' | '\t')
}

/// Escapes characters that control a terminal. Line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// Like [`printable`], but escapes line ends and tabs, too: for one line of a terminal.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, breaks_line)
}

fn escaped(text: &str, is_bad: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_bad) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_bad(c) => shown.push(c),
            '\n' | '\t' => shown.extend(c.escape_default()),
            c => shown.extend(c.escape_unicode()),
        }
    }
    shown.into()
}

/// The candidate of which `wanted` is most likely a misspelling, if any is near enough.
///
/// Near means a Damerau–Levenshtein distance (insertions, deletions, replacements, swaps of neighbours) of at
/// most a third of the length of `wanted`, rounded to nearest, and at least 1 from two characters on. Names
/// that differ only in case or in `_` for `-` (`smooth_step`, `Mix`) are always near. Of equally near
/// candidates the alphabetically first one is chosen, so the answer does not depend on their order.
pub fn nearest_name<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = wanted.chars().count();
    // Longer names are rarely misspellings, and the distance takes time by the product of the lengths.
    if length == 0 || length > 64 {
        return None;
    }
    let limit = if length == 2 { 1 } else { (length + 1) / 3 };
    let folded = fold(wanted);
    candidates
        .into_iter()
        .filter(|&name| name != wanted && !name.is_empty())
        .filter(|name| name.chars().count().abs_diff(length) <= limit.max(3))
        .filter_map(|name| {
            let other = fold(name);
            if other == folded {
                return Some((0, name));
            }
            let distance = strsim::damerau_levenshtein(&folded, &other);
            // Short names must agree in at least one character.
            let different = distance >= length.max(name.chars().count());
            (distance <= limit && !different).then_some((distance, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// A name without case and separators, which differ between languages.
fn fold(name: &str) -> String {
    name.chars().filter(|&c| c != '-' && c != '_').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] =
        ["smooth-step", "sin", "sinh", "mix", "min", "max", "rec-func", "uv", "+"];

    #[track_caller]
    fn nearest(wanted: &str, expected: Option<&str>) {
        assert_eq!(nearest_name(wanted, NAMES), expected, "{wanted}");
    }

    #[test]
    fn misspellings_are_recognised() {
        nearest("smoothstep", Some("smooth-step"));
        nearest("smooth_step", Some("smooth-step"));
        nearest("smoth-stpe", Some("smooth-step"));
        nearest("snih", Some("sinh"));
        nearest("sine", Some("sin"));
        nearest("Mix", Some("mix"));
        nearest("recfunc", Some("rec-func"));
    }

    #[test]
    fn other_words_are_not() {
        nearest("colour", None);
        nearest("x", None);
        nearest("u", None);
        nearest("else", None);
        nearest("-", None);
        nearest("", None);
        nearest(&"s".repeat(1000), None);
        assert_eq!(nearest_name("sin", ["sin"]), None);
    }

    #[test]
    fn equally_near_names_come_in_alphabetical_order() {
        assert_eq!(nearest_name("mux", ["mix", "max"]), Some("max"));
        assert_eq!(nearest_name("mux", ["max", "mix"]), Some("max"));
    }

    #[test]
    fn one_line_stays_one() {
        assert_eq!(one_line("a\nb\tc\r\u{2028}"), r"a\nb\tc\u{d}\u{2028}");
        assert_eq!(one_line("\u{85}é"), r"\u{85}é");
        assert_eq!(printable("a\nb\tc\r"), "a\nb\tc\\u{d}");
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quote("a\x1bb"), "`a\\u{1b}b`");
        assert_eq!(quote(&"é".repeat(1000)), format!("`{}…`", "é".repeat(40)));
    }
}
