//! The directives of a GLSL text: definitions of macros, conditions, and all other tokens.

use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, Token, TokenValue};

/// A definition of a macro.
pub(super) struct Definition {
    /// None: without parentheses.
    pub(super) parameters: Option<Vec<String>>,
    pub(super) body: Vec<Token>,
}

/// The text, apart from what is known of its macros.
pub(super) struct Parts {
    pub(super) definitions: Vec<(String, Definition)>,
    /// Lines with conditions.
    pub(super) conditions: Vec<Vec<Token>>,
    pub(super) rest: Vec<Token>,
    /// Indices into the rest where a directive stands.
    pub(super) directives: Vec<usize>,
}

impl Parts {
    /// The preprocessor's own lexer reads the text, in which `#` is another token.
    pub(super) fn new(text: &str) -> Self {
        let plain = text.replace('#', "?");
        let tokens: Vec<Token> = Preprocessor::new(&plain).map_while(Result::ok).collect();
        let hash =
            |token: &Token| text.as_bytes().get(token.location.start as usize) == Some(&b'#');
        let ends = |at: usize| match tokens.get(at + 1) {
            Some(next) => {
                ends_line(&text[tokens[at].location.end as usize..next.location.start as usize])
            }
            None => true,
        };
        let mut parts =
            Self { definitions: vec![], conditions: vec![], rest: vec![], directives: vec![] };
        let mut at = 0;
        while at < tokens.len() {
            if !hash(&tokens[at]) {
                parts.rest.push(tokens[at].clone());
                at += 1;
                continue;
            }
            let start = at;
            while !ends(at) {
                at += 1;
            }
            at += 1;
            parts.directives.push(parts.rest.len());
            let line = &tokens[start + 1..at];
            match line.split_first() {
                Some((word, line)) if is_ident(word, "define") => {
                    parts.definitions.extend(definition(text, line));
                }
                Some((word, line)) if !is_ident(word, "undef") => {
                    parts.conditions.push(line.to_vec());
                }
                _ => {}
            }
        }
        parts
    }
}

fn is_ident(token: &Token, word: &str) -> bool {
    matches!(&token.value, TokenValue::Ident(name) if name == word)
}

pub(super) fn is_punct(token: &Token, punct: Punct) -> bool {
    token.value == TokenValue::Punct(punct)
}

/// Whether a line ends for certain in what stands between two tokens.
fn ends_line(gap: &str) -> bool {
    let outside = match (gap.find("/*"), gap.rfind("*/")) {
        (Some(first), Some(last)) if first < last => [&gap[..first], &gap[last..]],
        (Some(first), _) => [&gap[..first], ""],
        _ => [gap, ""],
    };
    let ends = |text: &str| {
        let mut before = ' ';
        text.chars().any(|c| {
            let newline = c == '\n' || c == '\r';
            let ends = newline && before != '\\';
            // Both characters of a line end that is taken back are.
            before = if newline && !ends { '\\' } else { c };
            ends
        })
    };
    outside.iter().any(|text| ends(text))
}

/// What a `#define` says.
fn definition(text: &str, line: &[Token]) -> Option<(String, Definition)> {
    let (name, rest) = line.split_first()?;
    let TokenValue::Ident(word) = &name.value else { return None };
    let adjacent = |next: &Token| {
        let gap = &text[name.location.end as usize..next.location.start as usize];
        gap.chars().all(|c| matches!(c, '\\' | '\n' | '\r'))
    };
    let with_parameters = rest.first().filter(|next| is_punct(next, Punct::LeftParen));
    let (parameters, body) = match with_parameters {
        Some(open) if adjacent(open) => {
            let close = rest.iter().position(|token| is_punct(token, Punct::RightParen))?;
            let names = rest[1..close].iter().filter_map(|token| match &token.value {
                TokenValue::Ident(name) => Some(name.clone()),
                _ => None,
            });
            (Some(names.collect()), &rest[close + 1..])
        }
        _ => (None, rest),
    };
    Some((word.clone(), Definition { parameters, body: body.to_vec() }))
}
