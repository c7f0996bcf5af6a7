//! Characters to tokens. `<` and `>` always stand alone here: [`crate::templates`] joins them.

use crate::numbers::{WrongNumber, number};
use crate::token::{Name, Names, Punctuation, Token, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, quote};
use lambdav_core::source::Span;

/// The tokens of a part of a text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    /// The next character.
    pub(crate) at: usize,
    /// Where the text begins in that of all files.
    base: usize,
    /// True if nothing but blanks and comments stands before the next token in its line.
    is_first: bool,
}

/// True for the blank characters of WGSL.
fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || c == '\u{200e}' || c == '\u{200f}' || is_line_break(c)
}

/// True for characters that end a line.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn error(at: Span, message: String) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::WgslToken, at, message)
}

impl<'a> Lexer<'a> {
    /// A lexer of a text that begins at `base`, from `at` on.
    pub(crate) fn new(text: &'a str, base: u32, at: usize) -> Self {
        Self { text, at, base: base as usize, is_first: true }
    }

    /// The rest of the part.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// What was read since `from`.
    pub(crate) fn span(&self, from: usize) -> Span {
        Span::new((self.base + from) as u32, (self.base + self.at) as u32)
    }

    /// True if the token that follows is the first one of its line.
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// Passes over the rest of the line, and returns it without its comments.
    pub(crate) fn line(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.find(is_line_break).unwrap_or(rest.len());
        self.at += length;
        let line = &rest[..length];
        line.split_once("//").map_or(line, |(line, _)| line).trim()
    }

    /// Passes over the end of a line.
    pub(crate) fn line_break(&mut self) {
        if let Some(c) = self.rest().chars().next() {
            self.at += c.len_utf8();
        }
        self.is_first = true;
    }

    /// Passes over blanks and comments.
    pub(crate) fn blanks(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            let mut characters = rest.chars();
            match characters.next() {
                Some(c) if is_blank(c) => {
                    self.is_first |= is_line_break(c);
                    self.at += c.len_utf8();
                }
                Some('/') if rest.starts_with("//") => {
                    self.at += rest.find(is_line_break).unwrap_or(rest.len());
                }
                Some('/') if rest.starts_with("/*") => self.block_comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Block comments nest.
    fn block_comment(&mut self) -> Result<(), Diagnostic> {
        let (start, bytes) = (self.at, self.rest().as_bytes());
        let (mut at, mut open) = (0, 0_usize);
        while at < bytes.len() {
            match bytes.get(at..at + 2) {
                Some(b"/*") => (at, open) = (at + 2, open + 1),
                Some(b"*/") => {
                    (at, open) = (at + 2, open - 1);
                    if open == 0 {
                        self.at += at;
                        return Ok(());
                    }
                }
                _ => {
                    self.is_first |= bytes[at] == b'\n';
                    at += 1;
                }
            }
        }
        self.at = start + 2;
        let begin = self.span(start);
        self.at = self.text.len();
        let found = error(begin, "a block comment is not closed".to_owned());
        Err(found.label("it begins here").help("block comments nest: each `/*` needs its own `*/`"))
    }

    /// The next token behind blanks; at the end [`TokenKind::End`].
    pub(crate) fn next(&mut self, names: &mut Names) -> Result<Token, Diagnostic> {
        self.blanks()?;
        self.is_first = false;
        let (from, rest) = (self.at, self.rest());
        let Some(c) = rest.chars().next() else {
            return Ok(Token { kind: TokenKind::End, span: self.span(from) });
        };
        let second = rest.as_bytes().get(1);
        if c.is_ascii_digit() || (c == '.' && second.is_some_and(u8::is_ascii_digit)) {
            let (length, number) = number(rest);
            self.at += length;
            let span = self.span(from);
            let kind = number.map(TokenKind::Number).map_err(|WrongNumber { what, help }| {
                error(span, format!("{} {what}", quote(&rest[..length]))).help(help)
            })?;
            return Ok(Token { kind, span });
        }
        if c == '_' || unicode_ident::is_xid_start(c) {
            let name = self.word(names);
            return Ok(Token { kind: TokenKind::Name(name), span: self.span(from) });
        }
        let found = match c {
            '<' => Some(Punctuation::Less),
            '>' => Some(Punctuation::Greater),
            // `>=` is joined later, so this `=` stands alone.
            '=' if from > 0 && matches!(self.text.as_bytes()[from - 1], b'<' | b'>') => {
                Some(Punctuation::Assign)
            }
            _ => Punctuation::at_start(rest.as_bytes()),
        };
        if let Some(punctuation) = found {
            self.at += punctuation.text().len();
            let kind = TokenKind::Punctuation(punctuation);
            return Ok(Token { kind, span: self.span(from) });
        }
        self.at += c.len_utf8();
        let shown = quote(&rest[..c.len_utf8()]);
        let found = error(self.span(from), format!("{shown} does not belong to WGSL"));
        Err(match c {
            '"' | '\'' => found.help("WGSL has no strings"),
            '?' => found.help("write `select(b, a, condition)` for `condition ? a : b`"),
            _ => found.help("take it away, or make a comment of it: `// …`"),
        })
    }

    /// An identifier or keyword.
    fn word(&mut self, names: &mut Names) -> Name {
        let rest = self.rest();
        let is_inner = |c: char| c == '_' || unicode_ident::is_xid_continue(c);
        let length = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
        self.at += length;
        names.number(&rest[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelling(text: &str) -> Vec<&str> {
        let mut names = Names::default();
        let mut lexer = Lexer::new(text, 0, 0);
        let mut all = Vec::new();
        loop {
            let token = lexer.next(&mut names).expect("the text is well-formed");
            if token.kind == TokenKind::End {
                return all;
            }
            all.push(&text[token.span.start as usize..token.span.end as usize]);
        }
    }

    #[test]
    fn comments_nest_and_all_blanks_are_blank() {
        assert_eq!(
            spelling("a /* /* b */ ) */ c // d\u{85}e\u{2028}f\u{200e}g"),
            ["a", "c", "e", "f", "g"]
        );
    }

    #[test]
    fn names_are_those_of_unicode() {
        assert_eq!(spelling("Δέλτα _x réflexion 𝐱 i32"), ["Δέλτα", "_x", "réflexion", "𝐱", "i32"]);
    }

    #[test]
    fn operators_are_as_long_as_they_can_be() {
        assert_eq!(spelling("a&&b"), ["a", "&&", "b"]);
        assert_eq!(spelling("a>>=b<=c"), ["a", ">", ">", "=", "b", "<", "=", "c"]);
        assert_eq!(spelling("a->b--c"), ["a", "->", "b", "--", "c"]);
    }

    #[test]
    fn what_is_no_token_is_an_error_with_its_place() {
        let text = "a \"b\"";
        let mut names = Names::default();
        let mut lexer = Lexer::new(text, 0, 0);
        lexer.next(&mut names).expect("a name");
        let error = lexer.next(&mut names).expect_err("a quotation mark");
        assert_eq!(error.primary.span, Span::new(2, 3));
        let mut lexer = Lexer::new("/* /* */", 0, 0);
        assert!(lexer.next(&mut names).is_err());
    }
}
