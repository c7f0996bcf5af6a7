//! Words of the program in messages: quoting them, and guessing which one was meant.

use std::borrow::Cow;

/// How many characters of a quoted word are shown.
const MAX_QUOTED: usize = 40;

/// A word of the program in back quotes, fit to be shown: long ones are cut, control characters
/// escaped.
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

/// Whether a character would control a terminal, other than line ends and tabs: also those that change the
/// direction of writing, and line ends that only some programs know.
pub fn is_control(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        c => c.is_control(),
    }
}

/// Whether a character does not fit into one line of a terminal: it controls one, or is a line end or a tab.
fn breaks_line(c: char) -> bool {
    is_control(c) || matches!(c, '\n' | '\t')
}

/// Text for a terminal: characters that would control it are escaped. Line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// Text for one line of a terminal: as [`printable`], and line ends and tabs are escaped, too.
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

/// The candidate that `wanted` is most likely a misspelling of, if any is near enough.
///
/// Near means a Damerau–Levenshtein distance (insertions, deletions, replacements, swaps of
/// neighbours) of at most a third of the length of `wanted`, rounded to the nearest, and at least 1
/// from two characters on. Names that
/// differ only in case or in `_` for `-` (`smooth_step`, `Mix`) are always near. Of equally near
/// candidates the alphabetically first is taken, so that the answer depends on no order.
pub fn nearest_name<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = wanted.chars().count();
    // Nobody misspells such a name, and the distance takes the product of the lengths.
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
            // Of a short name at least one character must be right.
            let different = distance >= length.max(name.chars().count());
            (distance <= limit && !different).then_some((distance, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// A name without the differences that people make by habit of other languages.
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
