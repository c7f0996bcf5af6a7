//! Replacement lists with their arguments.

use super::define::{Macro, error};
use super::lexer::{RawKind, RawToken, single};
use super::state::Preprocessor;
use crate::mutants::{Mutant, is_active};
use lambdav_core::diagnostics::quote;
use lambdav_core::limits::PASTED_BYTES;
use lambdav_core::source::Span;
use std::rc::Rc;

/// An invocation with arguments.
pub(super) struct Call {
    /// The macro.
    pub of: Rc<Macro>,
    /// The invocation, with its parentheses; of an invocation in a macro's text, the outermost one.
    pub span: Span,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The first argument that is not looked at yet.
    pub next: usize,
}

/// An argument.
#[derive(Default)]
pub(super) struct Argument {
    /// The tokens as written.
    pub tokens: Vec<RawToken>,
    /// The expanded tokens; `None` before, or if they are the same.
    pub expanded: Option<Vec<RawToken>>,
}

/// The tokens that replace an invocation. The call's arguments are expanded.
pub(super) fn substitute(call: &Call, preprocessor: &mut Preprocessor<'_>) -> Vec<RawToken> {
    let of = &*call.of;
    let mut tokens: Vec<RawToken> = Vec::with_capacity(of.body.len());
    let mut pasting = false;
    let mut placemarkers = false;
    for (index, token) in of.body.iter().enumerate() {
        if token.kind == RawKind::Paste {
            pasting = true;
            continue;
        }
        let pastes = of.body.get(index + 1).is_some_and(|next| next.kind == RawKind::Paste);
        let own;
        let operand: &[RawToken] = match token.kind {
            RawKind::Parameter(parameter) => {
                let mut index = parameter as usize;
                if is_active(Mutant::OtherArgument) {
                    index = (index + 1) % call.arguments.len();
                }
                let argument = &call.arguments[index];
                match &argument.expanded {
                    Some(expanded) if !pasting && !pastes => expanded,
                    _ => &argument.tokens,
                }
            }
            kind => {
                own = [RawToken::replaced(kind, call.span)];
                &own
            }
        };
        if !preprocessor.charge(operand.len().max(1), call.span) {
            return Vec::new();
        }
        let marker = [RawToken::replaced(RawKind::Placemarker, call.span)];
        let operand = if operand.is_empty() && (pasting || pastes) {
            placemarkers = true;
            &marker
        } else {
            operand
        };
        if pasting {
            pasting = false;
            // The left operand is at least a placemarker.
            let left = tokens.pop().unwrap_or(marker[0]);
            let (right, rest) = operand.split_first().unwrap_or((&marker[0], &[]));
            match paste(left.kind, right.kind, of, call.span, preprocessor) {
                Some(kind) => tokens.push(RawToken::replaced(kind, call.span)),
                None => tokens.extend([left, *right]),
            }
            tokens.extend(rest);
        } else {
            tokens.extend(operand);
        }
    }
    if placemarkers {
        tokens.retain(|token| token.kind != RawKind::Placemarker);
    }
    tokens
}

/// The token that `##` makes of two; `None` after an error.
fn paste(
    left: RawKind,
    right: RawKind,
    of: &Macro,
    span: Span,
    preprocessor: &mut Preprocessor<'_>,
) -> Option<RawKind> {
    match (left, right) {
        (RawKind::Placemarker, other) | (other, RawKind::Placemarker) => return Some(other),
        _ => {}
    }
    let spelling = |kind| preprocessor.interned.spelling(kind);
    let joined = match (spelling(left), spelling(right)) {
        (Some(left), Some(right)) if left.len() + right.len() <= PASTED_BYTES => {
            Some(format!("{left}{right}"))
        }
        _ => None,
    };
    if let Some(joined) = &joined {
        if !preprocessor.charge(joined.len() / 16, span) {
            return None;
        }
        if let Some(kind) = single(joined, &mut preprocessor.interned) {
            return Some(kind);
        }
    }
    if !of.is_reported.replace(true) {
        let shown = |kind| match preprocessor.interned.spelling(kind) {
            Some(text) => quote(text),
            None => "a token".to_owned(),
        };
        let what = format!("`##` cannot join {} and {} to one token", shown(left), shown(right));
        let mut found = error(span, what).label("the invocation");
        if of.at != Span::default() {
            found = found.also(of.at, "the macro");
        }
        let help = match joined {
            None => format!("a name has at most {PASTED_BYTES} characters"),
            Some(_) => "the two together are a name, a number or an operator".to_owned(),
        };
        preprocessor.diagnostics.push(found.help(help));
    }
    None
}
