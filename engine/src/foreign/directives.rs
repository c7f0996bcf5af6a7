//! Directives of a GLSL text: macro definitions, conditions, and all other tokens.

use super::logical::Logical;
use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, Token, TokenValue};

/// Directives whose lines undergo macro expansion.
const CONDITIONS: [&str; 3] = ["if", "elif", "line"];

/// A definition of a macro.
pub(super) struct Definition {
    /// None for a macro without parentheses.
    pub(super) parameters: Option<Vec<String>>,
    pub(super) body: Vec<Token>,
}

/// A text, split into macro definitions, conditions and other tokens.
pub(super) struct Parts {
    pub(super) definitions: Vec<(String, Definition)>,
    /// Tokens of lines with conditions.
    pub(super) conditions: Vec<Vec<Token>>,
    pub(super) rest: Vec<Token>,
    /// Indices into `rest` at which directives stand.
    pub(super) directives: Vec<usize>,
    /// Offset of the first token that the lexer rejects.
    pub(super) unknown: Option<usize>,
}

impl Parts {
    /// Splits a text. The preprocessor's own lexer reads it, with `?` for `#` so that directives stay
    /// tokens.
    pub(super) fn new(text: &str) -> Self {
        let logical = Logical::new(text);
        let plain = logical.text.replace('#', "?");
        let (mut tokens, mut unknown) = (Vec::new(), None);
        for token in Preprocessor::new(&plain) {
            match token {
                Ok(token) => tokens.push(token),
                Err(_) => {
                    let end = tokens.last().map_or(0, |last: &Token| last.location.end as usize);
                    let gap = plain[end..].find(|c: char| !c.is_ascii_whitespace() && c != '\x0b');
                    unknown = Some(logical.written(end + gap.unwrap_or(0)));
                    break;
                }
            }
        }
        // True if a line break lies between two tokens.
        let breaks = |before: usize, at: usize| logical.text[before..at].contains('\n');
        let starts: Vec<bool> = (0..tokens.len())
            .map(|at| {
                let before = at.checked_sub(1).map(|before| tokens[before].location.end as usize);
                let start = tokens[at].location.start as usize;
                before.is_none_or(|before| breaks(before, start))
            })
            .collect();
        let is_hash = |at: usize| {
            let start = tokens[at].location.start as usize;
            starts[at] && logical.text.as_bytes().get(start) == Some(&b'#')
        };
        let hashes: Vec<bool> = (0..tokens.len()).map(is_hash).collect();
        let mut parts = Self {
            definitions: vec![],
            conditions: vec![],
            rest: vec![],
            directives: vec![],
            unknown,
        };
        let mut at = 0;
        while at < tokens.len() {
            if !hashes[at] {
                parts.rest.push(written(&logical, &tokens[at]));
                at += 1;
                continue;
            }
            let start = at;
            at += 1;
            while starts.get(at) == Some(&false) {
                at += 1;
            }
            parts.directives.push(parts.rest.len());
            let line = &tokens[start + 1..at];
            match line.split_first() {
                Some((word, line)) if is_ident(word, "define") => {
                    parts.definitions.extend(definition(&logical, line));
                }
                Some((word, line)) if CONDITIONS.iter().any(|known| is_ident(word, known)) => {
                    parts.conditions.push(all_written(&logical, line));
                }
                _ => {}
            }
        }
        parts
    }
}

/// The token with its place in the written text.
fn written(logical: &Logical, token: &Token) -> Token {
    let mut token = token.clone();
    let [start, end] = [token.location.start, token.location.end].map(|at| at as usize);
    // Convert the last character, not the end: a line continuation may lie between.
    token.location.start = logical.written(start) as u32;
    token.location.end = logical.written(end.max(start + 1) - 1) as u32 + 1;
    token
}

fn all_written(logical: &Logical, tokens: &[Token]) -> Vec<Token> {
    tokens.iter().map(|token| written(logical, token)).collect()
}

fn is_ident(token: &Token, word: &str) -> bool {
    matches!(&token.value, TokenValue::Ident(name) if name == word)
}

pub(super) fn is_punct(token: &Token, punct: Punct) -> bool {
    token.value == TokenValue::Punct(punct)
}

/// Parses the line of a `#define`.
fn definition(logical: &Logical, line: &[Token]) -> Option<(String, Definition)> {
    let (name, rest) = line.split_first()?;
    let TokenValue::Ident(word) = &name.value else { return None };
    let with_parameters = rest.first().filter(|next| is_punct(next, Punct::LeftParen));
    let (parameters, body) = match with_parameters {
        Some(open) if open.location.start == name.location.end => {
            let close = rest.iter().position(|token| is_punct(token, Punct::RightParen))?;
            let names = rest[1..close].iter().filter_map(|token| match &token.value {
                TokenValue::Ident(name) => Some(name.clone()),
                _ => None,
            });
            (Some(names.collect()), &rest[close + 1..])
        }
        _ => (None, rest),
    };
    Some((word.clone(), Definition { parameters, body: all_written(logical, body) }))
}
