//! The families.

mod control;
mod errors;
mod glsl;
mod scopes;
mod texts;
mod values;
mod wgsl;

use std::fmt::Write;

/// Programs that differ only in size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// The text for a size. Its length is about proportional to the size.
    pub text: fn(usize) -> String,
    /// The language of the programs.
    pub language: TextLanguage,
}

/// The language of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLanguage {
    /// λV.
    Lv,
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
}

/// Families whose programs grow faster than their texts, with the code of the limit. The limit refuses texts
/// of 150 KB.
pub const LIMITED: [(&str, &str); 1] = [("parameters-of-recs", "LV0502")];

/// All families of programs in λV.
pub fn all() -> impl Iterator<Item = Family> {
    let tables =
        [control::FAMILIES, scopes::FAMILIES, errors::FAMILIES, texts::FAMILIES, values::FAMILIES];
    let all = tables.into_iter().flatten();
    all.map(|&(name, text)| Family { name, text, language: TextLanguage::Lv })
}

/// All families of programs in GLSL and WGSL.
pub fn foreign() -> impl Iterator<Item = Family> {
    let of = |table: Table, language| {
        table.iter().map(move |&(name, text)| Family { name, text, language })
    };
    of(glsl::FAMILIES, TextLanguage::Glsl).chain(of(wgsl::FAMILIES, TextLanguage::Wgsl))
}

/// Names and texts.
type Table = &'static [(&'static str, fn(usize) -> String)];

impl Family {
    /// The family of that name.
    pub fn named(name: &str) -> Option<Self> {
        all().chain(foreign()).find(|family| family.name == name)
    }

    /// A text of about this many bytes, and its size.
    pub fn of_length(&self, bytes: usize) -> (usize, String) {
        let mut size = 16;
        let mut text = (self.text)(size);
        // Numbers have more digits in longer texts, so the first estimate is corrected twice.
        for _ in 0..3 {
            size = (size * bytes / text.len().max(1)).max(1);
            text = (self.text)(size);
        }
        (size, text)
    }
}

/// Joins `count` pieces.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        let _ = write!(text, "{}", piece(i));
    }
    text
}

/// Nests `inner` in `count` levels. Each level begins with the text of `begin` and ends with `end`.
fn nest(count: usize, begin: impl Fn(usize) -> String, inner: &str, end: &str) -> String {
    let mut text = each(count, begin);
    text.push_str(inner);
    text.push_str(&end.repeat(count));
    text
}

/// Definitions at the beginning of programs.
const HEAD: &str =
    "(define t (time))\n(define x (.x (frag-coord)))\n(define y (.y (frag-coord)))\n";

/// A loop whose value cannot be folded. Loops with different numbers differ.
fn count_to(i: usize) -> String {
    format!("((rec-func (n) (if (> n {i}.5) n (rec (+ (* n 2) 1)))) x)")
}
