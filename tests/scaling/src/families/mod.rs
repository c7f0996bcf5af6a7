//! The families.

mod control;
mod errors;
mod scopes;
mod texts;
mod values;

use std::fmt::Write;

/// Programs that are alike but for their size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// The text of a size, which it is about proportional to.
    pub text: fn(usize) -> String,
}

/// The families of which a text describes more than its length, and which limit ends that: it
/// refuses texts of 150 KB.
pub const LIMITED: [(&str, &str); 1] = [("parameters-of-recs", "LV0502")];

/// All of them.
pub fn all() -> impl Iterator<Item = Family> {
    [control::FAMILIES, scopes::FAMILIES, errors::FAMILIES, texts::FAMILIES, values::FAMILIES]
        .into_iter()
        .flatten()
        .map(|&(name, text)| Family { name, text })
}

/// Names and texts.
type Table = &'static [(&'static str, fn(usize) -> String)];

impl Family {
    /// The family of that name.
    pub fn named(name: &str) -> Option<Self> {
        all().find(|family| family.name == name)
    }

    /// A text of about so many bytes, and its size.
    pub fn of_length(&self, bytes: usize) -> (usize, String) {
        let mut size = 16;
        let mut text = (self.text)(size);
        // Two more rounds, since numbers in the text have more digits in a longer one.
        for _ in 0..3 {
            size = (size * bytes / text.len().max(1)).max(1);
            text = (self.text)(size);
        }
        (size, text)
    }
}

/// `count` pieces, one after the other.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        let _ = write!(text, "{}", piece(i));
    }
    text
}

/// `inner` inside `count` levels, of which each begins as `begin` says and ends with `end`.
fn nest(count: usize, begin: impl Fn(usize) -> String, inner: &str, end: &str) -> String {
    let mut text = each(count, begin);
    text.push_str(inner);
    text.push_str(&end.repeat(count));
    text
}

/// What every program may use.
const HEAD: &str =
    "(define t (time))\n(define x (.x (frag-coord)))\n(define y (.y (frag-coord)))\n";

/// A loop whose value nobody knows, told apart by a number.
fn count_to(i: usize) -> String {
    format!("((rec-func (n) (if (> n {i}.5) n (rec (+ (* n 2) 1)))) x)")
}
