//! Expressions, by precedence with an explicit stack.

use super::parser::{Parser, Reported, Result};
use super::tree::{Binary, Callee, Code, Expression, Node, TypeName, TypeSpecifier, Unary};
use super::words::Word;
use crate::token::{Punctuation as P, TokenKind};
use lambdav_core::limits::TYPE_NESTING;
use lambdav_core::source::Span;

/// Where an expression ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// At a comma outside parentheses, too.
    Comma,
    /// Commas are operators.
    End,
}

/// What waits for operands.
enum Waiting {
    Prefix(Code),
    Binary(u8, Code),
    Assign(Code),
    Comma,
    Parenthesis,
    Call {
        callee: u32,
        arguments: u32,
    },
    Index,
    List(u32),
    /// Between `?` and `:`.
    Second,
    /// Behind `:`.
    Third,
}

/// The binding strength of `?:`.
const CHOICE: u8 = 2;
/// The binding strength of assignments.
const ASSIGN: u8 = 1;

struct Entry {
    what: Waiting,
    /// Where the operation begins.
    start: u32,
    span: Span,
}

fn binary(p: P) -> Option<(u8, Code)> {
    let of = |strength, op| Some((strength, Code::Binary(op)));
    match p {
        P::Star => of(13, Binary::Multiply),
        P::Slash => of(13, Binary::Divide),
        P::Percent => of(13, Binary::Remainder),
        P::Plus => of(12, Binary::Add),
        P::Minus => of(12, Binary::Subtract),
        P::ShiftLeft => of(11, Binary::ShiftLeft),
        P::ShiftRight => of(11, Binary::ShiftRight),
        P::Less => of(10, Binary::Less),
        P::Greater => of(10, Binary::Greater),
        P::LessEqual => of(10, Binary::LessEqual),
        P::GreaterEqual => of(10, Binary::GreaterEqual),
        P::Equal => of(9, Binary::Equal),
        P::NotEqual => of(9, Binary::NotEqual),
        P::And => of(8, Binary::And),
        P::Caret => of(7, Binary::Xor),
        P::Or => of(6, Binary::Or),
        P::AndAnd => Some((5, Code::ShortEnd(true))),
        P::XorXor => of(4, Binary::LogicalXor),
        P::OrOr => Some((3, Code::ShortEnd(false))),
        _ => None,
    }
}

fn assignment(p: P) -> Option<Code> {
    Some(Code::Assign(match p {
        P::Assign => None,
        P::MultiplyAssign => Some(Binary::Multiply),
        P::DivideAssign => Some(Binary::Divide),
        P::RemainderAssign => Some(Binary::Remainder),
        P::AddAssign => Some(Binary::Add),
        P::SubtractAssign => Some(Binary::Subtract),
        P::ShiftLeftAssign => Some(Binary::ShiftLeft),
        P::ShiftRightAssign => Some(Binary::ShiftRight),
        P::AndAssign => Some(Binary::And),
        P::XorAssign => Some(Binary::Xor),
        P::OrAssign => Some(Binary::Or),
        _ => return None,
    }))
}

fn prefix(p: P) -> Option<Code> {
    match p {
        P::Plus => Some(Code::Unary(Unary::Plus)),
        P::Minus => Some(Code::Unary(Unary::Minus)),
        P::Not => Some(Code::Unary(Unary::Not)),
        P::Tilde => Some(Code::Unary(Unary::Complement)),
        P::Increment => Some(Code::Step { down: false, before: true }),
        P::Decrement => Some(Code::Step { down: true, before: true }),
        _ => None,
    }
}

/// The nodes of one expression, and what waits.
struct Building {
    nodes: Vec<Node>,
    waiting: Vec<Entry>,
    /// Start of each operand that is complete and not yet used.
    starts: Vec<u32>,
}

impl Building {
    fn node(&mut self, code: Code, span: Span) {
        self.nodes.push(Node { code, span });
    }

    fn operand(&mut self, code: Code, span: Span) {
        self.node(code, span);
        self.starts.push(span.start);
    }

    /// Where the last operand begins.
    fn start(&self) -> u32 {
        self.starts.last().copied().unwrap_or_default()
    }

    /// Writes the operators on the top that bind at least as strongly.
    fn reduce(&mut self, strength: u8, end: u32) {
        while let Some(entry) = self.waiting.last() {
            let (own, code, operands) = match entry.what {
                Waiting::Prefix(code) => (14, code, 1),
                Waiting::Binary(own, code) => (own, code, 2),
                Waiting::Third => (CHOICE, Code::Chosen, 3),
                Waiting::Assign(code) => (ASSIGN, code, 2),
                Waiting::Comma => (0, Code::Comma, 2),
                _ => return,
            };
            if own < strength {
                return;
            }
            let start = match operands {
                1 => entry.start,
                _ => self.starts[self.starts.len() - operands],
            };
            self.waiting.pop();
            self.starts.truncate(self.starts.len() - operands);
            self.operand(code, Span::new(start, end));
        }
    }
}

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expression(&mut self, until: Until) -> Result<Expression> {
        self.enter()?;
        let result = self.whole(until);
        self.leave();
        result
    }

    /// An expression up to the end of the text.
    pub(super) fn only_expression(&mut self) -> Result<Expression> {
        let expression = self.expression(Until::Comma)?;
        match self.kind() {
            TokenKind::End => Ok(expression),
            _ => Err(self.wrong("the expression ends here")),
        }
    }

    fn whole(&mut self, until: Until) -> Result<Expression> {
        let mut all = Building { nodes: Vec::new(), waiting: Vec::new(), starts: Vec::new() };
        let begin = self.span();
        loop {
            if self.operand(&mut all)? {
                continue;
            }
            // An operand is complete: operators behind it follow.
            if self.operators(&mut all, until)? {
                break;
            }
        }
        let span = Span::new(all.starts.first().copied().unwrap_or(begin.start), self.last().end);
        let (start, end) = self.push(all.nodes);
        Ok(Expression { start, end, span })
    }

    /// Reads what stands in front of an operand, or an operand. True if another operand must follow.
    fn operand(&mut self, all: &mut Building) -> Result<bool> {
        let token = self.token();
        let span = token.span;
        let waiting = |what| Entry { what, start: span.start, span };
        match token.kind {
            TokenKind::Integer { value, unsigned } => {
                self.advance();
                all.operand(if unsigned { Code::Uint(value) } else { Code::Int(value) }, span);
                Ok(false)
            }
            TokenKind::Float(value) => {
                self.advance();
                all.operand(Code::Float(value), span);
                Ok(false)
            }
            TokenKind::Double(value) => {
                self.advance();
                all.operand(Code::Double(value), span);
                Ok(false)
            }
            TokenKind::Text(text) => {
                let ends =
                    |next| matches!(next, TokenKind::Punctuation(P::Comma | P::RightParenthesis));
                let is_argument =
                    matches!(all.waiting.last(), Some(Entry { what: Waiting::Call { .. }, .. }));
                if !(is_argument && ends(self.ahead(1))) {
                    return Err(
                        self.wrong("GLSL has no strings, but for arguments of `debugPrintfEXT`")
                    );
                }
                self.advance();
                all.operand(Code::Text(text), span);
                Ok(false)
            }
            TokenKind::Punctuation(P::LeftParenthesis) => {
                self.advance();
                all.waiting.push(waiting(Waiting::Parenthesis));
                Ok(true)
            }
            TokenKind::Punctuation(P::LeftBrace) => {
                self.advance();
                all.node(Code::ListBegin, span);
                if self.is(P::RightBrace) {
                    let end = self.advance().span;
                    all.operand(Code::List(0), span.to(end));
                    return Ok(false);
                }
                all.waiting.push(waiting(Waiting::List(0)));
                Ok(true)
            }
            TokenKind::Punctuation(p) => match prefix(p) {
                Some(code) => {
                    self.advance();
                    all.waiting.push(waiting(Waiting::Prefix(code)));
                    Ok(true)
                }
                None => Err(self.wrong("an expression is expected")),
            },
            TokenKind::Name(name) => match self.words.of(name) {
                Word::Bool(value) => {
                    self.advance();
                    all.operand(Code::Bool(value), span);
                    Ok(false)
                }
                Word::Type => {
                    let ty = self.type_specifier()?;
                    self.call(all, Callee::Type(ty), span)
                }
                Word::Mark(super::tree::Mark::Other) => {
                    // `nonuniformEXT(i)` is i.
                    self.advance();
                    Ok(true)
                }
                Word::Identifier => {
                    if self.is_array_of_structures() {
                        let ty = self.type_specifier()?;
                        return self.call(all, Callee::Type(ty), span);
                    }
                    self.advance();
                    if self.is(P::LeftParenthesis) {
                        return self.call(all, Callee::Name(name, span), span);
                    }
                    all.operand(Code::Name(name), span);
                    Ok(false)
                }
                _ => Err(self.wrong("an expression is expected")),
            },
            TokenKind::End => Err(self.wrong("an expression is expected")),
        }
    }

    /// `S[2](`, where S is a structure.
    fn is_array_of_structures(&self) -> bool {
        let (TokenKind::Name(name), TokenKind::Punctuation(P::LeftBracket)) =
            (self.kind(), self.ahead(1))
        else {
            return false;
        };
        if !self.structures.contains(&name) {
            return false;
        }
        let mut by = 1;
        let mut depth = 0;
        loop {
            match self.ahead(by) {
                TokenKind::Punctuation(P::LeftBracket) => depth += 1,
                TokenKind::Punctuation(P::RightBracket) => depth -= 1,
                TokenKind::Punctuation(P::LeftParenthesis) if depth == 0 => return true,
                _ if depth == 0 => return false,
                TokenKind::Punctuation(P::Semicolon) | TokenKind::End => return false,
                _ => {}
            }
            by += 1;
        }
    }

    /// The parenthesis of a call. True if an argument must follow.
    fn call(&mut self, all: &mut Building, callee: Callee, span: Span) -> Result<bool> {
        self.expect(P::LeftParenthesis, "behind the name of the type")?;
        let number = self.unit.callees.len() as u32;
        self.unit.callees.push(callee);
        all.node(Code::Begin(number), span);
        let empty = self.is(P::RightParenthesis)
            || (self.ahead(1) == TokenKind::Punctuation(P::RightParenthesis)
                && matches!(self.kind(), TokenKind::Name(name) if self.names.text(name) == "void"));
        if empty {
            while !self.eat(P::RightParenthesis) {
                self.advance();
            }
            let span = span.to(self.last());
            all.operand(Code::Call { callee: number, arguments: 0 }, span);
            return Ok(false);
        }
        let what = Waiting::Call { callee: number, arguments: 0 };
        all.waiting.push(Entry { what, start: span.start, span });
        Ok(true)
    }

    /// Reads what follows an operand, up to an operator that wants another one. True at the end.
    fn operators(&mut self, all: &mut Building, until: Until) -> Result<bool> {
        loop {
            let token = self.token();
            let end = self.last().end;
            let TokenKind::Punctuation(p) = token.kind else {
                return self.finish(all, end);
            };
            match p {
                P::Dot => {
                    self.advance();
                    self.field(all)?;
                }
                P::LeftBracket => {
                    self.advance();
                    let entry =
                        Entry { what: Waiting::Index, start: all.start(), span: token.span };
                    all.waiting.push(entry);
                    return Ok(false);
                }
                P::Increment | P::Decrement => {
                    self.advance();
                    let span = Span::new(all.start(), token.span.end);
                    all.node(Code::Step { down: p == P::Decrement, before: false }, span);
                }
                P::RightParenthesis | P::RightBracket | P::RightBrace => {
                    all.reduce(0, end);
                    if !self.close(all, p)? {
                        return self.finish(all, end);
                    }
                }
                P::Comma => {
                    all.reduce(0, end);
                    match all.waiting.last_mut().map(|entry| &mut entry.what) {
                        Some(Waiting::Call { arguments, .. }) => {
                            *arguments += 1;
                            self.advance();
                            all.starts.pop();
                            all.node(Code::Argument, token.span);
                        }
                        Some(Waiting::List(count)) => {
                            *count += 1;
                            self.advance();
                            all.starts.pop();
                            if self.is(P::RightBrace) {
                                // A trailing comma.
                                *count -= 1;
                                all.starts.push(token.span.start);
                                continue;
                            }
                        }
                        None if until == Until::Comma => return self.finish(all, end),
                        _ => {
                            self.advance();
                            let entry = Entry {
                                what: Waiting::Comma,
                                start: all.start(),
                                span: token.span,
                            };
                            all.waiting.push(entry);
                        }
                    }
                    return Ok(false);
                }
                P::Question => {
                    self.advance();
                    all.reduce(CHOICE + 1, end);
                    all.node(Code::Choose, token.span);
                    let entry =
                        Entry { what: Waiting::Second, start: all.start(), span: token.span };
                    all.waiting.push(entry);
                    return Ok(false);
                }
                P::Colon => {
                    all.reduce(0, end);
                    let Some(entry) = all.waiting.last_mut() else {
                        return self.finish(all, end);
                    };
                    if !matches!(entry.what, Waiting::Second) {
                        return self.finish(all, end);
                    }
                    self.advance();
                    entry.what = Waiting::Third;
                    all.node(Code::Otherwise, token.span);
                    return Ok(false);
                }
                _ => {
                    if let Some((strength, code)) = binary(p) {
                        self.advance();
                        all.reduce(strength, end);
                        match code {
                            Code::ShortEnd(and) => all.node(Code::Short(and), token.span),
                            _ => all.node(Code::Value, token.span),
                        }
                        let what = Waiting::Binary(strength, code);
                        all.waiting.push(Entry { what, start: all.start(), span: token.span });
                        return Ok(false);
                    }
                    if let Some(code) = assignment(p) {
                        self.advance();
                        // `c ? a : b = x` assigns to b.
                        all.reduce(CHOICE + 1, end);
                        let what = Waiting::Assign(code);
                        all.waiting.push(Entry { what, start: all.start(), span: token.span });
                        return Ok(false);
                    }
                    return self.finish(all, end);
                }
            }
        }
    }

    /// A closing bracket. False if it closes nothing of this expression.
    fn close(&mut self, all: &mut Building, p: P) -> Result<bool> {
        let Some(entry) = all.waiting.last() else { return Ok(false) };
        let own = match entry.what {
            Waiting::Parenthesis | Waiting::Call { .. } => P::RightParenthesis,
            Waiting::Index => P::RightBracket,
            Waiting::List(_) => P::RightBrace,
            _ => return Ok(false),
        };
        if p != own {
            return Ok(false);
        }
        let entry = all.waiting.pop().expect("it was there");
        let end = self.advance().span.end;
        let span = Span::new(entry.start, end);
        match entry.what {
            Waiting::Call { callee, arguments } => {
                all.starts.pop();
                all.node(Code::Argument, self.last());
                all.operand(Code::Call { callee, arguments: arguments + 1 }, span);
            }
            Waiting::Index => {
                all.starts.pop();
                all.node(Code::Index, span);
            }
            Waiting::List(count) => {
                all.starts.pop();
                all.operand(Code::List(count + 1), span);
            }
            _ => {
                if let Some(start) = all.starts.last_mut() {
                    *start = entry.start;
                }
            }
        }
        Ok(true)
    }

    /// A field, swizzle or method.
    fn field(&mut self, all: &mut Building) -> Result<()> {
        let token = self.token();
        let TokenKind::Name(name) = token.kind else {
            return Err(self.wrong("the name of a field is expected"));
        };
        self.advance();
        let span = Span::new(all.start(), token.span.end);
        if self.is(P::LeftParenthesis) {
            if self.ahead(1) != TokenKind::Punctuation(P::RightParenthesis) {
                self.advance();
                return Err(self.wrong("`)` is missing: methods take no arguments"));
            }
            self.advance();
            let end = self.advance().span.end;
            let span = Span::new(span.start, end);
            let is_length = self.names.text(name) == "length";
            all.node(if is_length { Code::Length } else { Code::Method(name) }, span);
        } else {
            all.node(Code::Field(name), Span::new(span.start, token.span.end));
        }
        Ok(())
    }

    /// Ends an expression: nothing may be open.
    fn finish(&mut self, all: &mut Building, end: u32) -> Result<bool> {
        all.reduce(0, end);
        let Some(entry) = all.waiting.last() else { return Ok(true) };
        let (what, opening) = match entry.what {
            Waiting::Parenthesis | Waiting::Call { .. } => ("`)` is missing", "opened here"),
            Waiting::Index => ("`]` is missing", "opened here"),
            Waiting::List(_) => ("`}` is missing", "opened here"),
            _ => ("`:` is missing", "for this `?`"),
        };
        let span = entry.span;
        let Reported = self.wrong(what);
        self.also(span, opening);
        Err(Reported)
    }

    /// The type of a constructor or declaration, with the lengths of an array.
    pub(super) fn type_specifier(&mut self) -> Result<TypeSpecifier> {
        let token = self.token();
        let TokenKind::Name(name) = token.kind else {
            return Err(self.wrong("a type is expected"));
        };
        match self.words.of(name) {
            Word::Type | Word::Identifier => {}
            Word::Struct => return self.structure(),
            _ => return Err(self.wrong("a type is expected")),
        }
        self.advance();
        let dims = self.dims()?;
        let span = token.span.to(self.last());
        Ok(TypeSpecifier { what: TypeName::Named(name), dims, span })
    }

    /// `[2][]`.
    pub(super) fn dims(&mut self) -> Result<Vec<Option<Expression>>> {
        let mut dims = Vec::new();
        while self.eat(P::LeftBracket) {
            if dims.len() >= TYPE_NESTING as usize {
                let message = format!("an array has at most {TYPE_NESTING} dimensions");
                return Err(self.too_large(message, "use one index that counts all elements"));
            }
            if self.eat(P::RightBracket) {
                dims.push(None);
                continue;
            }
            dims.push(Some(self.expression(Until::End)?));
            self.expect(P::RightBracket, "behind the length of an array")?;
        }
        Ok(dims)
    }
}
