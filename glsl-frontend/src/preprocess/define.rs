//! Macros and their definitions.

use super::lexer::{Interned, RawKind, RawToken};
use crate::token::{Name, Punctuation as P};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, quote};
use lambdav_core::source::Span;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    /// The parameters' number; `None` without parentheses.
    pub parameters: Option<usize>,
    /// The replacement list; `##` stands between two other tokens.
    pub body: Vec<RawToken>,
    /// For each parameter: true if some use of it is no operand of `##`, so that its argument is expanded.
    pub expands: Vec<bool>,
    /// The position of the name in its definition.
    pub at: Span,
    /// Who defined it.
    pub origin: Origin,
    /// The number of its expansions that are being read. It is not expanded again within them.
    pub active: Cell<u32>,
    /// True once an error of its `##` was reported.
    pub is_reported: Cell<bool>,
}

/// Who defined a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The text.
    Text,
    /// The language.
    Predefined,
    /// `--define`.
    CommandLine,
    /// The language; the value depends on the position.
    Line,
    /// The language; the value depends on the position.
    File,
}

impl Macro {
    /// True if a second definition may follow this one.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| a.kind == b.kind)
    }
}

/// A finding of this module's code.
pub(super) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::GlslDirective, span, message)
}

/// The macro that a line `#define` defines; `line` is what follows, `directive` the name `define`.
pub(super) fn parse(
    line: &[RawToken],
    directive: Span,
    interned: &Interned,
    origin: Origin,
) -> Result<(Name, Macro), Diagnostic> {
    let shown = |token: &RawToken| interned.spelling(token.kind).map_or("this".into(), quote);
    let Some((&RawToken { kind: RawKind::Name(name), span: at, .. }, rest)) = line.split_first()
    else {
        let help = "write `#define NAME TEXT`, or `#define NAME(a, b) TEXT`";
        return Err(match line.first() {
            None => {
                error(directive, "`#define` lacks the name of a macro").label("here").help(help)
            }
            Some(token) => {
                error(token.span, format!("{} is not the name of a macro", shown(token)))
                    .label("a name is expected")
                    .help(help)
            }
        });
    };
    let mut names = FxHashMap::default();
    let mut body = rest;
    let is_function = rest.first().is_some_and(|t| t.is(P::LeftParenthesis) && !t.is_spaced());
    if is_function {
        body = parameters(rest, interned, &mut names)?;
    }
    let mut of = Macro {
        parameters: is_function.then_some(names.len()),
        body: Vec::with_capacity(body.len()),
        expands: vec![false; names.len()],
        at,
        origin,
        active: Cell::new(0),
        is_reported: Cell::new(false),
    };
    for (index, &token) in body.iter().enumerate() {
        let is_paste = |at: Option<&RawToken>| at.is_some_and(|t| t.kind == RawKind::Paste);
        let before = index.checked_sub(1).and_then(|index| body.get(index));
        let after = body.get(index + 1);
        let mut token = token;
        match token.kind {
            RawKind::Paste if before.is_none() || after.is_none() || is_paste(before) => {
                let what = "`##` lacks an operand";
                let help = "`##` joins the token before it with the token behind it";
                return Err(error(token.span, what).label("here").help(help));
            }
            RawKind::Hash => {
                let help = "GLSL has no strings: write the text where it is needed";
                let found = error(token.span, "GLSL has no `#` in the text of a macro");
                return Err(found.label("here").help(help));
            }
            RawKind::Name(name) => {
                if let Some(&parameter) = names.get(&name) {
                    token.kind = RawKind::Parameter(parameter);
                    of.expands[parameter as usize] |= !is_paste(before) && !is_paste(after);
                }
            }
            _ => {}
        }
        of.body.push(token);
    }
    Ok((name, of))
}

/// Reads the parameters of a macro; `line` begins with the parenthesis. Returns the rest of the line.
fn parameters<'l>(
    line: &'l [RawToken],
    interned: &Interned,
    names: &mut FxHashMap<Name, u32>,
) -> Result<&'l [RawToken], Diagnostic> {
    const HELP: &str = "parameters are names between commas: `#define NAME(a, b) TEXT`";
    let mut rest = &line[1..];
    if let [token, after @ ..] = rest
        && token.is(P::RightParenthesis)
    {
        return Ok(after);
    }
    loop {
        let [parameter, separator, after @ ..] = rest else {
            let found = error(line[0].span, "the parameters of a macro are not closed");
            return Err(found.label("they begin here").help(HELP));
        };
        let RawKind::Name(name) = parameter.kind else {
            let found = error(parameter.span, "the name of a parameter is expected");
            return Err(found.label("here").help(if parameter.is(P::Dot) {
                "GLSL has no `...`: name each parameter"
            } else {
                HELP
            }));
        };
        if names.insert(name, names.len() as u32).is_some() {
            let name = quote(interned.names.text(name));
            let found = error(parameter.span, format!("two parameters are named {name}"));
            return Err(found.label("the second one").help("rename one of them"));
        }
        rest = after;
        if separator.is(P::RightParenthesis) {
            return Ok(rest);
        }
        if !separator.is(P::Comma) {
            let found = error(separator.span, "`,` or `)` is expected");
            return Err(found.label("in the parameters of a macro").help(HELP));
        }
    }
}
