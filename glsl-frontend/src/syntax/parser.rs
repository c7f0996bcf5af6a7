//! The parser: one token at a time, errors with recovery at statements and declarations.

use super::tree::{Item, Node, Unit};
use super::words::{Word, Words};
use crate::token::{Name, Names, Punctuation as P, Token, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, quote};
use lambdav_core::limits::STATEMENT_NESTING;
use lambdav_core::source::Span;
use rustc_hash::FxHashSet;

/// An error that has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

pub(super) type Result<T> = std::result::Result<T, Reported>;

pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    pub(super) names: &'a Names,
    pub(super) words: &'a Words,
    pub(super) unit: Unit,
    /// Names of structures that were declared anywhere before.
    pub(super) structures: FxHashSet<Name>,
    pub(super) diagnostics: Diagnostics,
    pub(super) depth: u32,
}

/// Parses the tokens of a text, and of the expression at the end of it that has this place.
pub(crate) fn parse(
    tokens: &[Token],
    expression: Option<Span>,
    names: &Names,
    words: &Words,
    most: usize,
) -> (Unit, Diagnostics) {
    let is_of = |token: &Token| {
        expression.is_some_and(|of| of.start <= token.span.start && token.span.start <= of.end)
    };
    // A macro's tokens have the place of its use, so those of the expression are the last ones.
    let begin = tokens.iter().position(is_of).unwrap_or(tokens.len().saturating_sub(1));
    let ended: Vec<Token> = match expression {
        Some(_) => tokens[..begin].iter().chain(tokens.last()).copied().collect(),
        None => Vec::new(),
    };
    let mut parser = Parser {
        tokens: if expression.is_some() { &ended } else { tokens },
        at: 0,
        names,
        words,
        unit: Unit::default(),
        structures: FxHashSet::default(),
        diagnostics: Diagnostics::new(most),
        depth: 0,
    };
    while parser.kind() != TokenKind::End {
        // An error leaves blocks without counting back.
        parser.depth = 0;
        let before = parser.at;
        match parser.item() {
            Ok(Some(item)) => parser.unit.items.push(item),
            Ok(None) => {}
            Err(Reported) => parser.recover(before),
        }
    }
    if expression.is_some() && !parser.diagnostics.has_errors() {
        (parser.tokens, parser.at, parser.depth) = (&tokens[begin..], 0, 0);
        parser.unit.expression = parser.only_expression().ok();
    }
    (parser.unit, parser.diagnostics)
}

impl Parser<'_> {
    pub(super) fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before.
    pub(super) fn last(&self) -> Span {
        self.tokens[self.at.max(1) - 1].span
    }

    /// The kind of a token further on.
    pub(super) fn ahead(&self, by: usize) -> TokenKind {
        self.tokens.get(self.at + by).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.token();
        self.at += 1;
        token
    }

    pub(super) fn is(&self, punctuation: P) -> bool {
        self.kind() == TokenKind::Punctuation(punctuation)
    }

    pub(super) fn eat(&mut self, punctuation: P) -> bool {
        let found = self.is(punctuation);
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&self) -> Option<Word> {
        match self.kind() {
            TokenKind::Name(name) => Some(self.words.of(name)),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, word: Word) -> bool {
        self.word() == Some(word)
    }

    pub(super) fn eat_word(&mut self, word: Word) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, punctuation: P, place: &str) -> Result<Span> {
        if self.is(punctuation) {
            return Ok(self.advance().span);
        }
        let message = format!("`{}` is missing {place}", punctuation.text());
        if punctuation != P::Semicolon || self.at == 0 {
            return Err(self.wrong(&message));
        }
        // The next token may be lines away.
        let behind = self.last().end;
        let place = Span::new(behind, behind);
        let missing = Diagnostic::new(DiagnosticCode::GlslSyntax, place, message).label("here");
        let found = format!("{} stands here", self.describe());
        let missing = match self.kind() {
            TokenKind::End => missing,
            _ => missing.also(self.span(), found),
        };
        Err(self.report(missing))
    }

    pub(super) fn identifier(&mut self, what: &str) -> Result<(Name, Span)> {
        match self.token() {
            Token { kind: TokenKind::Name(name), span }
                if self.words.of(name) == Word::Identifier =>
            {
                self.at += 1;
                Ok((name, span))
            }
            Token { kind: TokenKind::Name(name), .. } => {
                let text = quote(self.names.text(name)).to_string();
                Err(self
                    .wrong(&format!("{what} is expected, and {text} is a word of the language")))
            }
            _ => Err(self.wrong(&format!("{what} is expected"))),
        }
    }

    /// Reports what is wrong at the current token.
    pub(super) fn wrong(&mut self, message: &str) -> Reported {
        let found = self.describe();
        let span = self.span();
        self.report(
            Diagnostic::new(DiagnosticCode::GlslSyntax, span, message)
                .label(format!("{found} stands here")),
        )
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn describe(&self) -> String {
        match self.kind() {
            TokenKind::Name(name) => quote(self.names.text(name)).to_string(),
            TokenKind::Integer { .. } | TokenKind::Float(_) | TokenKind::Double(_) => {
                "a number".to_owned()
            }
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Punctuation(p) => format!("`{}`", p.text()),
            TokenKind::End => "the end of the text".to_owned(),
        }
    }

    /// Enters a nested statement or structure.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= STATEMENT_NESTING {
            return Ok(());
        }
        let message = format!("statements are nested deeper than {STATEMENT_NESTING}");
        Err(self.too_large(message, "move inner statements to a function"))
    }

    /// Reports that a limit is exceeded at the current token.
    pub(super) fn too_large(&mut self, message: String, help: &str) -> Reported {
        let code = DiagnosticCode::GlslTooLarge;
        self.report(Diagnostic::new(code, self.span(), message).help(help))
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn push(&mut self, nodes: Vec<Node>) -> (u32, u32) {
        let start = self.unit.nodes.len() as u32;
        self.unit.nodes.extend(nodes);
        (start, self.unit.nodes.len() as u32)
    }

    /// Passes over the rest of a faulty declaration or statement: to behind its semicolon, or behind the
    /// block that it opens. Stops in front of a brace that closes an outer block.
    pub(super) fn recover(&mut self, from: usize) {
        let mut depth = 0_u32;
        for token in &self.tokens[from..self.at.min(self.tokens.len())] {
            match token.kind {
                TokenKind::Punctuation(P::LeftBrace) => depth += 1,
                TokenKind::Punctuation(P::RightBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Punctuation(P::Semicolon) if depth == 0 => {
                    self.at += 1;
                    return;
                }
                TokenKind::Punctuation(P::LeftBrace) => depth += 1,
                TokenKind::Punctuation(P::RightBrace) if depth == 0 => {
                    // At the top level a lone brace is passed over.
                    self.at += usize::from(self.depth == 0);
                    return;
                }
                TokenKind::Punctuation(P::RightBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        self.eat(P::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The current position, for [`Self::recover`].
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Nothing but a semicolon, or an item.
    fn item(&mut self) -> Result<Option<Item>> {
        if self.eat(P::Semicolon) {
            return Ok(None);
        }
        self.declaration_item().map(Some)
    }
}
