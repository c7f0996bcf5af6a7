//! The state of the parser, its errors and its recovery.

use super::tree::{Node, Reference, Unit};
use crate::token::{Name, Names, Punctuation as P, Token, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, quote};
use lambdav_core::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Deepest nesting of statements.
const NESTING: usize = 200;

/// Longest name, in bytes.
const NAME: usize = 1024;

/// An error that was reported.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Result<T> = std::result::Result<T, Reported>;

/// What a file is parsed with.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) names: &'a Names,
    /// The number of the module.
    pub(crate) module: u32,
    /// The declarations that paths of the module lead to.
    pub(crate) paths: &'a FxHashMap<Box<[Name]>, Reference>,
    /// The value of a feature in `@if`.
    pub(crate) features: &'a dyn Fn(&str) -> bool,
}

pub(super) struct Parser<'a> {
    pub(super) context: Context<'a>,
    pub(super) tokens: &'a [Token],
    at: usize,
    /// Where a file ends.
    end: Span,
    pub(super) unit: &'a mut Unit,
    pub(super) diagnostics: &'a mut Diagnostics,
    depth: usize,
    /// Names that functions bind: how often.
    locals: FxHashMap<Name, u32>,
    scopes: Vec<Vec<Name>>,
    /// The uses of the declaration that is open.
    pub(super) uses: Vec<(Reference, Span)>,
    pub(super) used: FxHashSet<Reference>,
    /// More than zero in what an `@if` leaves out.
    pub(super) muted: u32,
}

/// Parses a file into the unit, and the expression behind its text that has this place.
pub(crate) fn parse(
    tokens: &[Token],
    end: u32,
    expression: Option<Span>,
    context: Context<'_>,
    unit: &mut Unit,
    diagnostics: &mut Diagnostics,
) {
    let is_of = |token: &Token| {
        expression.is_some_and(|of| of.start <= token.span.start && token.span.end <= of.end)
    };
    let begin = tokens.iter().position(is_of).unwrap_or(tokens.len());
    let mut parser = Parser {
        context,
        tokens: &tokens[..begin],
        at: 0,
        end: Span::new(end, end),
        unit,
        diagnostics,
        depth: 0,
        locals: FxHashMap::default(),
        scopes: Vec::new(),
        uses: Vec::new(),
        used: FxHashSet::default(),
        muted: 0,
    };
    parser.directives();
    parser.globals();
    if let Some(at) = expression {
        parser.tokens = &tokens[begin..];
        (parser.at, parser.end) = (0, Span::new(at.end, at.end));
        parser.only_expression(at);
    }
}

impl Parser<'_> {
    pub(super) fn text(&self, name: Name) -> &str {
        self.context.names.text(name)
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, by: usize) -> TokenKind {
        self.tokens.get(self.at + by).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    /// The span of the token before.
    pub(super) fn last(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |before| self.tokens[before].span)
    }

    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len());
        span
    }

    pub(super) fn is(&self, p: P) -> bool {
        self.kind() == TokenKind::Punctuation(p)
    }

    pub(super) fn eat(&mut self, p: P) -> bool {
        let found = self.is(p);
        if found {
            self.advance();
        }
        found
    }

    /// The text of the current name; empty for other tokens.
    pub(super) fn word(&self) -> &str {
        match self.kind() {
            TokenKind::Name(name) => self.text(name),
            _ => "",
        }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, p: P, place: &str) -> Result<Span> {
        if self.is(p) {
            return Ok(self.advance());
        }
        // The place is behind the token before, where something lacks.
        let found = self.describe();
        let message = format!("`{}` is missing {place}", p.text());
        let label = format!("{found} stands here");
        let at = self.span();
        Err(self.report(Diagnostic::new(DiagnosticCode::WgslSyntax, at, message).label(label)))
    }

    /// An identifier that a declaration may bind.
    pub(super) fn identifier(&mut self, what: &str) -> Result<(Name, Span)> {
        let span = self.span();
        match self.kind() {
            TokenKind::Name(name) if is_word(self.text(name)) => {
                let text = quote(self.text(name)).to_string();
                Err(self
                    .wrong(&format!("{what} is expected, and {text} is a word of the language")))
            }
            TokenKind::Name(name) if matches!(self.text(name), "_") => {
                Err(self.wrong(&format!("{what} is expected, and `_` is none")))
            }
            TokenKind::Name(name) if self.text(name).starts_with("__") => {
                Err(self.wrong(&format!("{what} must not begin with two underscores")))
            }
            TokenKind::Name(name) if self.text(name).len() > NAME => {
                let message = format!("a name has at most {NAME} bytes");
                let code = DiagnosticCode::WgslTooLarge;
                Err(self.report(Diagnostic::new(code, span, message)))
            }
            TokenKind::Name(name) => {
                self.advance();
                Ok((name, span))
            }
            _ => Err(self.wrong(&format!("{what} is expected"))),
        }
    }

    /// Reports a fault at the current token.
    pub(super) fn wrong(&mut self, message: &str) -> Reported {
        let label = format!("{} stands here", self.describe());
        let at = self.span();
        self.report(Diagnostic::new(DiagnosticCode::WgslSyntax, at, message).label(label))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn describe(&self) -> String {
        match self.kind() {
            TokenKind::Name(name) => quote(self.text(name)).to_string(),
            TokenKind::Number(_) => "a number".to_owned(),
            TokenKind::Punctuation(p) => format!("`{}`", p.text()),
            TokenKind::End => "the end of the text".to_owned(),
        }
    }

    /// Enters a nested statement.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= NESTING {
            return Ok(());
        }
        let message = format!("statements are nested deeper than {NESTING}");
        let found = Diagnostic::new(DiagnosticCode::WgslTooLarge, self.span(), message);
        Err(self.report(found.help("move inner statements to a function")))
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn push(&mut self, nodes: Vec<Node>) -> (u32, u32) {
        let start = self.unit.nodes.len() as u32;
        self.unit.nodes.extend(nodes);
        (start, self.unit.nodes.len() as u32)
    }

    pub(super) fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(super) fn close_scope(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(count) = self.locals.get_mut(&name) {
                *count -= 1;
            }
        }
    }

    /// Binds a local name.
    pub(super) fn bind(&mut self, name: Name) {
        if self.muted > 0 {
            return;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
            *self.locals.entry(name).or_default() += 1;
        }
    }

    /// Notes the use of a name; local ones are not noted.
    pub(super) fn note(&mut self, name: Name, span: Span) -> Reference {
        let reference = Reference { module: self.context.module, name };
        let is_local = self.locals.get(&name).is_some_and(|&count| count > 0);
        if !is_local {
            self.note_reference(reference, span);
        }
        reference
    }

    pub(super) fn note_reference(&mut self, reference: Reference, span: Span) {
        if self.muted == 0 && self.used.insert(reference) {
            self.uses.push((reference, span));
        }
    }

    /// The current position, for [`Self::recover`].
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position.
    pub(super) fn rewind(&mut self, to: usize) {
        self.at = to;
    }

    /// Passes over the rest of a faulty declaration or statement: to behind its semicolon, or behind the
    /// block that it opens. Stops in front of a brace that closes an outer block.
    pub(super) fn recover(&mut self, from: usize) {
        let mut depth = 0_u32;
        for token in &self.tokens[from..self.at] {
            match token.kind {
                TokenKind::Punctuation(P::LeftBrace) => depth += 1,
                TokenKind::Punctuation(P::RightBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let is_outside = self.scopes.is_empty();
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Punctuation(P::Semicolon) if depth == 0 => {
                    self.advance();
                    return;
                }
                // A declaration begins: nothing else does so with this word.
                TokenKind::Name(name)
                    if is_outside
                        && depth == 0
                        && self.at > from
                        && matches!(self.text(name), "fn" | "struct") =>
                {
                    return;
                }
                TokenKind::Punctuation(P::LeftBrace) => depth += 1,
                TokenKind::Punctuation(P::RightBrace) if depth == 0 => {
                    self.at += usize::from(is_outside);
                    return;
                }
                TokenKind::Punctuation(P::RightBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Closes the scopes that an error left open.
    pub(super) fn close_scopes(&mut self, to: usize) {
        while self.scopes.len() > to {
            self.close_scope();
        }
    }

    pub(super) fn scopes(&self) -> usize {
        self.scopes.len()
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn set_depth(&mut self, depth: usize) {
        self.depth = depth;
    }
}

/// The keywords of WGSL.
pub(super) fn is_word(text: &str) -> bool {
    matches!(
        text,
        "alias"
            | "break"
            | "case"
            | "const"
            | "const_assert"
            | "continue"
            | "continuing"
            | "default"
            | "diagnostic"
            | "discard"
            | "else"
            | "enable"
            | "false"
            | "fn"
            | "for"
            | "if"
            | "let"
            | "loop"
            | "override"
            | "requires"
            | "return"
            | "struct"
            | "switch"
            | "true"
            | "var"
            | "while"
    )
}
