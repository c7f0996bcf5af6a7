//! Expressions, by precedence with an explicit stack.

use super::parser::{Parser, Reported, Result, is_word};
use super::tree::{Binary, Code, Expression, Node, Reference, Unary};
use crate::token::{Name, Punctuation as P, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

/// What waits for operands.
enum Waiting {
    Prefix(Unary),
    Binary(Operator),
    Parenthesis,
    /// A template list with so many arguments in front.
    Template(Reference, u32),
    Call(u32),
    Index,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Binary(Binary),
    /// `&&` (true), `||`.
    Short(bool),
}

impl Operator {
    fn of(p: P) -> Option<Self> {
        Some(Self::Binary(match p {
            P::Star => Binary::Multiply,
            P::Slash => Binary::Divide,
            P::Percent => Binary::Remainder,
            P::Plus => Binary::Add,
            P::Minus => Binary::Subtract,
            P::ShiftLeft => Binary::ShiftLeft,
            P::ShiftRight => Binary::ShiftRight,
            P::Less => Binary::Less,
            P::Greater => Binary::Greater,
            P::LessEqual => Binary::LessEqual,
            P::GreaterEqual => Binary::GreaterEqual,
            P::Equal => Binary::Equal,
            P::NotEqual => Binary::NotEqual,
            P::And => Binary::And,
            P::Caret => Binary::Xor,
            P::Or => Binary::Or,
            P::AndAnd => return Some(Self::Short(true)),
            P::OrOr => return Some(Self::Short(false)),
            _ => return None,
        }))
    }

    fn class(self) -> Class {
        match self {
            Self::Binary(Binary::Multiply | Binary::Divide | Binary::Remainder) => Class::Product,
            Self::Binary(Binary::Add | Binary::Subtract) => Class::Sum,
            Self::Binary(Binary::ShiftLeft | Binary::ShiftRight) => Class::Shift,
            Self::Binary(Binary::And) => Class::And,
            Self::Binary(Binary::Xor) => Class::Xor,
            Self::Binary(Binary::Or) => Class::Or,
            Self::Binary(_) => Class::Relation,
            Self::Short(true) => Class::AndAnd,
            Self::Short(false) => Class::OrOr,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Binary(op) => op.text(),
            Self::Short(true) => "&&",
            Self::Short(false) => "||",
        }
    }

    /// The binding strength.
    fn strength(self) -> u8 {
        match self.class() {
            Class::Unary => 9,
            Class::Product => 8,
            Class::Sum => 7,
            Class::Shift => 6,
            Class::Relation => 5,
            Class::And | Class::Xor | Class::Or => 4,
            Class::AndAnd | Class::OrOr => 3,
        }
    }

    /// True if the grammar allows operands of these forms without parentheses.
    fn takes(self, left: Class, right: Class) -> bool {
        let own = self.class();
        match own {
            Class::Shift => left == Class::Unary && right == Class::Unary,
            Class::Relation => left <= Class::Shift && right <= Class::Shift,
            Class::And | Class::Xor | Class::Or => {
                (left == Class::Unary || left == own) && right == Class::Unary
            }
            Class::AndAnd | Class::OrOr => {
                (left <= Class::Relation || left == own) && right <= Class::Relation
            }
            _ => true,
        }
    }
}

/// The form of an operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Unary,
    Product,
    Sum,
    Shift,
    Relation,
    And,
    Xor,
    Or,
    AndAnd,
    OrOr,
}

/// What became of a closing bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// It belongs to something around the expression.
    Not,
    Yes,
    /// The list is closed, and a call with arguments begins behind it.
    Call,
}

struct Entry {
    what: Waiting,
    /// Where the operation begins.
    start: u32,
    span: Span,
}

/// The nodes of one expression, and what waits.
struct Building {
    nodes: Vec<Node>,
    waiting: Vec<Entry>,
    /// Start and form of each operand that is complete and not yet used.
    operands: Vec<(u32, Class)>,
}

impl Building {
    fn node(&mut self, code: Code, span: Span) {
        self.nodes.push(Node { code, span });
    }

    fn operand(&mut self, code: Code, span: Span, class: Class) {
        self.node(code, span);
        self.operands.push((span.start, class));
    }

    fn start(&self) -> u32 {
        self.operands.last().map_or(0, |&(start, _)| start)
    }

    /// Writes the operators on the top that bind at least as strongly. The error is an operator whose operands
    /// need parentheses.
    fn reduce(&mut self, strength: u8, end: u32) -> std::result::Result<(), (Operator, Span)> {
        while let Some(entry) = self.waiting.last() {
            match entry.what {
                Waiting::Prefix(op) => {
                    let span = Span::new(entry.start, end);
                    self.waiting.pop();
                    self.operands.pop();
                    self.operand(Code::Unary(op), span, Class::Unary);
                }
                Waiting::Binary(op) if op.strength() >= strength => {
                    let at = entry.span;
                    self.waiting.pop();
                    let right = self.operands.pop().map_or(Class::Unary, |(_, class)| class);
                    let (start, left) = self.operands.pop().unwrap_or((at.start, Class::Unary));
                    if !op.takes(left, right) {
                        return Err((op, at));
                    }
                    let code = match op {
                        Operator::Binary(op) => Code::Binary(op),
                        Operator::Short(and) => Code::ShortEnd(and),
                    };
                    self.operand(code, Span::new(start, end), op.class());
                }
                _ => break,
            }
        }
        Ok(())
    }
}

fn prefix(p: P) -> Option<Unary> {
    match p {
        P::Minus => Some(Unary::Negate),
        P::Tilde => Some(Unary::Complement),
        P::Not => Some(Unary::Not),
        P::And => Some(Unary::AddressOf),
        P::Star => Some(Unary::Dereference),
        _ => None,
    }
}

impl Parser<'_> {
    /// Parses an expression, or a type.
    pub(super) fn expression(&mut self) -> Result<Expression> {
        let mut all = Building { nodes: Vec::new(), waiting: Vec::new(), operands: Vec::new() };
        let begin = self.span();
        loop {
            if self.operand(&mut all)? {
                continue;
            }
            if self.operators(&mut all)? {
                break;
            }
        }
        let span = Span::new(begin.start, self.last().end);
        let (start, end) = self.push(all.nodes);
        Ok(Expression { start, end, span })
    }

    fn reduce(&mut self, all: &mut Building, strength: u8) -> Result<()> {
        let end = self.last().end;
        all.reduce(strength, end).map_err(|(op, at)| {
            let message = format!("the operands of `{}` need parentheses", op.text());
            let found = Diagnostic::new(DiagnosticCode::WgslSyntax, at, message);
            self.report(found.help(
                "WGSL has no precedence between these operators: write `(a & b) == c`, `a << (b + c)`",
            ))
        })
    }

    /// Reads what stands in front of an operand, or an operand. True if another operand must follow.
    fn operand(&mut self, all: &mut Building) -> Result<bool> {
        let span = self.span();
        match self.kind() {
            TokenKind::Number(number) => {
                self.advance();
                all.operand(Code::Number(number), span, Class::Unary);
                Ok(false)
            }
            TokenKind::Punctuation(P::LeftParenthesis) => {
                self.advance();
                all.waiting.push(Entry { what: Waiting::Parenthesis, start: span.start, span });
                Ok(true)
            }
            // `&&a` and `--a` are one token, but two operators.
            TokenKind::Punctuation(p @ (P::AndAnd | P::Decrement)) => {
                self.advance();
                let op = if p == P::AndAnd { Unary::AddressOf } else { Unary::Negate };
                let middle = span.start + 1;
                for start in [span.start, middle] {
                    let span = Span::new(start, start + 1);
                    all.waiting.push(Entry { what: Waiting::Prefix(op), start, span });
                }
                Ok(true)
            }
            TokenKind::Punctuation(p) => match prefix(p) {
                Some(op) => {
                    self.advance();
                    all.waiting.push(Entry { what: Waiting::Prefix(op), start: span.start, span });
                    Ok(true)
                }
                None => Err(self.wrong("an expression is expected")),
            },
            TokenKind::Name(name) => self.name(all, name, span),
            TokenKind::End => Err(self.wrong("an expression is expected")),
        }
    }

    fn name(&mut self, all: &mut Building, name: Name, span: Span) -> Result<bool> {
        let text = self.text(name);
        if let "true" | "false" = text {
            let value = text == "true";
            self.advance();
            all.operand(Code::Bool(value), span, Class::Unary);
            return Ok(false);
        }
        if is_word(text) || text == "_" {
            return Err(self.wrong("an expression is expected"));
        }
        self.advance();
        let reference = match self.is(P::Path) {
            true => self.path(name, span)?,
            false => self.note(name, span),
        };
        let span = span.to(self.last());
        if self.eat(P::TemplateBegin) {
            let what = Waiting::Template(reference, 0);
            all.waiting.push(Entry { what, start: span.start, span });
            return Ok(true);
        }
        all.operand(Code::Name(reference), span, Class::Unary);
        self.call(all)
    }

    /// The rest of a path; its last name is the declaration's.
    pub(super) fn path(&mut self, first: Name, span: Span) -> Result<Reference> {
        let mut names = vec![first];
        while self.eat(P::Path) {
            let TokenKind::Name(name) = self.kind() else {
                return Err(self.wrong("a name is expected behind `::`"));
            };
            self.advance();
            names.push(name);
        }
        let span = span.to(self.last());
        let Some(&reference) = self.context.paths.get(&names[..]) else {
            let texts: Vec<&str> = names.iter().map(|&name| self.text(name)).collect();
            let message = format!("`{}` is unknown", texts.join("::"));
            let found = Diagnostic::new(DiagnosticCode::WgslName, span, message);
            return Err(self.report(found.help(
                "a path leads to a declaration of an imported module, or of one that a folder of `--include` has",
            )));
        };
        self.note_reference(reference, span);
        Ok(reference)
    }

    /// The parenthesis of a call, if one follows. True if an argument must follow.
    fn call(&mut self, all: &mut Building) -> Result<bool> {
        if !self.is(P::LeftParenthesis) {
            return Ok(false);
        }
        let span = self.advance();
        let start = all.start();
        if self.is(P::RightParenthesis) {
            let end = self.advance();
            all.operands.pop();
            all.operand(Code::Call(0), Span::new(start, end.end), Class::Unary);
            return Ok(false);
        }
        all.waiting.push(Entry { what: Waiting::Call(0), start, span });
        Ok(true)
    }

    /// Reads what follows an operand, up to an operator that wants another one. True at the end.
    fn operators(&mut self, all: &mut Building) -> Result<bool> {
        loop {
            let TokenKind::Punctuation(p) = self.kind() else { return self.finish(all) };
            match p {
                P::Dot => {
                    self.advance();
                    let TokenKind::Name(name) = self.kind() else {
                        return Err(self.wrong("the name of a member is expected"));
                    };
                    let end = self.advance();
                    let span = Span::new(all.start(), end.end);
                    all.node(Code::Field(name), span);
                }
                P::LeftBracket => {
                    let span = self.advance();
                    let start = all.start();
                    all.waiting.push(Entry { what: Waiting::Index, start, span });
                    return Ok(false);
                }
                P::RightParenthesis | P::RightBracket | P::TemplateEnd => {
                    self.reduce(all, 0)?;
                    match self.close(all, p)? {
                        Closed::Not => return self.finish(all),
                        Closed::Yes => {}
                        Closed::Call => return Ok(false),
                    }
                }
                P::Comma => {
                    self.reduce(all, 0)?;
                    let closing = match all.waiting.last_mut().map(|entry| &mut entry.what) {
                        Some(Waiting::Call(count)) => {
                            *count += 1;
                            all.nodes.push(Node { code: Code::Load, span: self.last() });
                            P::RightParenthesis
                        }
                        Some(Waiting::Template(_, count)) => {
                            *count += 1;
                            P::TemplateEnd
                        }
                        _ => return self.finish(all),
                    };
                    all.operands.pop();
                    self.advance();
                    // A trailing comma.
                    if !self.is(closing) || self.close_list(all)? == Closed::Call {
                        return Ok(false);
                    }
                }
                _ => {
                    let Some(op) = Operator::of(p) else { return self.finish(all) };
                    self.reduce(all, op.strength())?;
                    let span = self.advance();
                    let mark = match op {
                        Operator::Binary(_) => Code::Load,
                        Operator::Short(and) => Code::Short(and),
                    };
                    all.node(mark, span);
                    let start = all.start();
                    all.waiting.push(Entry { what: Waiting::Binary(op), start, span });
                    return Ok(false);
                }
            }
        }
    }

    /// Closes a bracket.
    fn close(&mut self, all: &mut Building, p: P) -> Result<Closed> {
        let Some(entry) = all.waiting.last() else { return Ok(Closed::Not) };
        match (&entry.what, p) {
            (Waiting::Parenthesis, P::RightParenthesis) => {
                let start = entry.start;
                all.waiting.pop();
                self.advance();
                if let Some(operand) = all.operands.last_mut() {
                    *operand = (start, Class::Unary);
                }
            }
            (Waiting::Index, P::RightBracket) => {
                all.waiting.pop();
                let end = self.advance();
                all.operands.pop();
                let span = Span::new(all.start(), end.end);
                if let Some(operand) = all.operands.last_mut() {
                    operand.1 = Class::Unary;
                }
                all.node(Code::Index, span);
            }
            (Waiting::Call(_), P::RightParenthesis) | (Waiting::Template(..), P::TemplateEnd) => {
                match all.waiting.last_mut().map(|entry| &mut entry.what) {
                    Some(Waiting::Call(count)) => {
                        *count += 1;
                        all.nodes.push(Node { code: Code::Load, span: self.last() });
                    }
                    Some(Waiting::Template(_, count)) => *count += 1,
                    _ => {}
                }
                all.operands.pop();
                return self.close_list(all);
            }
            _ => return Ok(Closed::Not),
        }
        Ok(Closed::Yes)
    }

    /// Closes a list of arguments at its bracket.
    fn close_list(&mut self, all: &mut Building) -> Result<Closed> {
        let end = self.advance();
        let Some(entry) = all.waiting.pop() else { return Ok(Closed::Not) };
        let span = Span::new(entry.start, end.end);
        match entry.what {
            Waiting::Call(count) => {
                all.operands.pop();
                all.operand(Code::Call(count), span, Class::Unary);
            }
            Waiting::Template(reference, count) => {
                all.operand(Code::Template(reference, count), span, Class::Unary);
                if self.call(all)? {
                    return Ok(Closed::Call);
                }
            }
            _ => {}
        }
        Ok(Closed::Yes)
    }

    /// The end: nothing may wait for a bracket.
    fn finish(&mut self, all: &mut Building) -> Result<bool> {
        self.reduce(all, 0)?;
        let Some(entry) = all.waiting.last() else { return Ok(true) };
        let (begin, closing) = match entry.what {
            Waiting::Parenthesis | Waiting::Call(_) => (entry.span, ")"),
            Waiting::Index => (entry.span, "]"),
            _ => (entry.span, ">"),
        };
        Err(self.unclosed(begin, closing))
    }

    fn unclosed(&mut self, begin: Span, closing: &str) -> Reported {
        let at = self.span();
        let found =
            Diagnostic::new(DiagnosticCode::WgslSyntax, at, format!("`{closing}` is missing"));
        self.report(found.also(begin, "to close this one"))
    }
}
