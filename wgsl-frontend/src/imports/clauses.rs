//! What follows `#import` and `import`: paths with lists in braces.

use super::{Dialect, Import};
use lambdav_core::source::Span;

/// A piece of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A name or a path in quotation marks.
    Name(String),
    /// `::`
    Path,
    Open,
    Close,
    Comma,
    As,
}

/// The pieces of a line of naga_oil. `None` if something else stands there.
pub(super) fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '{' => {
                all.push(Piece::Open);
                1
            }
            '}' => {
                all.push(Piece::Close);
                1
            }
            ',' => {
                all.push(Piece::Comma);
                1
            }
            ':' if rest.starts_with("::") => {
                all.push(Piece::Path);
                2
            }
            '"' => {
                let end = rest[1..].find('"')? + 1;
                all.push(Piece::Name(rest[1..end].to_owned()));
                end + 1
            }
            ';' if rest.trim_end() == ";" => return Some(all),
            _ => {
                let is_inner = |c: char| c == '_' || unicode_ident::is_xid_continue(c);
                let length = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
                if length == 0 {
                    return None;
                }
                all.push(match &rest[..length] {
                    "as" => Piece::As,
                    name => Piece::Name(name.to_owned()),
                });
                length
            }
        };
        rest = rest[length..].trim_start();
    }
    Some(all)
}

/// The imports that pieces mean. `None` if they have another form.
pub(super) fn imports(pieces: &[Piece], at: Span, dialect: Dialect) -> Option<Vec<Import>> {
    let mut all = Vec::new();
    // The path so far, and how long it was at each open brace.
    let mut path: Vec<String> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut alias: Option<String> = None;
    // What stands before: a name must not follow one, and a comma ends an item.
    let mut is_complete = false;
    let mut after_as = false;
    // An old form: `#import path a, b`.
    let mut is_old = false;
    let finish =
        |path: &mut Vec<String>, alias: &mut Option<String>, base, all: &mut Vec<Import>| {
            if path.len() > base {
                all.push(Import { path: path.clone(), alias: alias.take(), at, dialect });
                path.truncate(base);
            }
        };
    let mut closed = false;
    for piece in pieces {
        let base = open.last().copied().unwrap_or(0);
        match piece {
            Piece::Name(name) if after_as => {
                alias = Some(name.clone());
                after_as = false;
            }
            Piece::Name(name) => {
                if is_complete {
                    if is_old || !open.is_empty() || dialect == Dialect::Wesl {
                        return None;
                    }
                    is_old = true;
                    open.push(path.len());
                }
                path.push(name.clone());
                is_complete = true;
            }
            Piece::Path => is_complete = false,
            Piece::As => after_as = true,
            Piece::Open => {
                open.push(path.len());
                is_complete = false;
            }
            Piece::Comma => {
                if !closed {
                    finish(&mut path, &mut alias, base, &mut all);
                }
                path.truncate(base);
                is_complete = false;
            }
            Piece::Close => {
                if !closed {
                    finish(&mut path, &mut alias, base, &mut all);
                }
                open.pop()?;
                path.truncate(base);
                (is_complete, closed) = (false, true);
                continue;
            }
        }
        closed = false;
    }
    let base = open.last().copied().unwrap_or(0);
    if !closed {
        finish(&mut path, &mut alias, base, &mut all);
    }
    if is_old {
        open.pop();
    }
    (open.is_empty() && !after_as && !all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<String>> {
        let all = imports(&pieces(text)?, Span::default(), Dialect::Oil)?;
        Some(all.iter().map(|one| format!("{}={}", one.name(), one.path.join("."))).collect())
    }

    #[test]
    fn lists_are_unfolded() {
        let is = |text: &str, all: &[&str]| {
            assert_eq!(
                read(text).as_deref(),
                Some(&all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..]),
                "{text}"
            );
        };
        is("a::b", &["b=a.b"]);
        is("a::b as c", &["c=a.b"]);
        is("a::{b, c::d as e, f::{g, h}}", &["b=a.b", "e=a.c.d", "g=a.f.g", "h=a.f.h"]);
        is("a::{b,\n c,\n}", &["b=a.b", "c=a.c"]);
        is("a, b::c;", &["a=a", "c=b.c"]);
        is("a::{b}, c", &["b=a.b", "c=c"]);
        is("a b, c", &["b=a.b", "c=a.c"]);
        is("\"x/y.wgsl\"::z", &["z=x/y.wgsl.z"]);
    }

    #[test]
    fn other_forms_are_wrong() {
        for text in ["", "a::{b", "a}", "a::b as", "a + b", "\"a"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
