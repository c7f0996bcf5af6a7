//! Statements. They nest up to a limit.

use super::attributes::Chain;
use super::parser::{Parser, Result};
use super::tree::{Binary, Clause, Code, Expression, Loop, Statement, What};
use crate::token::{Punctuation as P, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

impl Parser<'_> {
    /// Statements up to the brace that closes their block, which is left.
    pub(super) fn statements(&mut self) -> Result<Vec<Statement>> {
        let mut all = Vec::new();
        let mut chain = None;
        while !self.is(P::RightBrace) {
            if self.kind() == TokenKind::End {
                return Err(self.wrong("a block is not closed: `}` is missing"));
            }
            if self.eat(P::Semicolon) {
                continue;
            }
            let (from, depth, scopes, muted) =
                (self.position(), self.depth(), self.scopes(), self.muted);
            match self.attributed(&mut chain) {
                Ok(Some(statement)) => all.push(statement),
                Ok(None) => {}
                Err(_) => {
                    self.set_depth(depth);
                    self.close_scopes(scopes);
                    self.recover(from);
                }
            }
            self.muted = muted;
        }
        Ok(all)
    }

    /// A statement with its attributes; nothing if a condition leaves it out.
    fn attributed(&mut self, chain: &mut Chain) -> Result<Option<Statement>> {
        let (_, keep) = self.attributes(chain)?;
        self.muted += u32::from(!keep);
        self.enter()?;
        let statement = self.statement()?;
        self.leave();
        Ok(keep.then_some(statement))
    }

    /// A block in braces, with a scope of its own.
    fn block(&mut self, place: &str) -> Result<Vec<Statement>> {
        self.attributes(&mut None)?;
        self.expect(P::LeftBrace, place)?;
        self.open_scope();
        let all = self.statements()?;
        self.close_scope();
        self.expect(P::RightBrace, "behind the block")?;
        Ok(all)
    }

    fn statement(&mut self) -> Result<Statement> {
        let start = self.span();
        let word = self.word().to_owned();
        let what = match &*word {
            "if" => self.selection()?,
            "switch" => self.switch()?,
            "loop" => self.repeat()?,
            "for" => self.counted()?,
            "while" => {
                self.advance();
                let test = self.expression()?;
                let body = self.block("in front of the loop's statements")?;
                What::Loop(Box::new(Loop {
                    first: None,
                    test: Some(test),
                    body,
                    continuing: Vec::new(),
                    break_if: None,
                }))
            }
            "break" => {
                self.advance();
                if self.word() == "if" {
                    return Err(self.wrong("`break if` stands at the end of `continuing` only"));
                }
                self.semicolon()?;
                What::Break
            }
            "continue" => {
                self.advance();
                self.semicolon()?;
                What::Continue
            }
            "discard" => {
                self.advance();
                self.semicolon()?;
                What::Discard
            }
            "return" => {
                self.advance();
                let value = if self.is(P::Semicolon) { None } else { Some(self.expression()?) };
                self.semicolon()?;
                What::Return(value)
            }
            "const_assert" => {
                self.advance();
                let value = self.expression()?;
                self.semicolon()?;
                What::Assert(value)
            }
            "case" | "default" => {
                return Err(self.wrong("a clause of a `switch` stands outside of one"));
            }
            "else" => return Err(self.wrong("`else` has no `if` in front of it")),
            "continuing" => {
                return Err(self.wrong("`continuing` stands at the end of a `loop` only"));
            }
            "fn" | "struct" | "alias" | "override" => {
                return Err(self.wrong("a function has no declarations of this kind"));
            }
            _ if self.is(P::LeftBrace) => What::Block(self.block("")?),
            _ => {
                let what = self.simple()?;
                self.semicolon()?;
                what
            }
        };
        Ok(Statement { span: start.to(self.last()), what })
    }

    fn semicolon(&mut self) -> Result<()> {
        self.expect(P::Semicolon, "behind the statement").map(|_| ())
    }

    /// A statement that `for` takes, too: a declaration, an assignment, a call.
    fn simple(&mut self) -> Result<What> {
        let word = self.word().to_owned();
        match &*word {
            "var" => {
                self.advance();
                let (name, at, variable) = self.variable()?;
                self.bind(name);
                return Ok(What::Var(name, at, Box::new(variable)));
            }
            "let" | "const" => {
                self.advance();
                let (name, at) = self.identifier("a name")?;
                let ty = self.optional_type()?;
                self.expect(P::Assign, "behind the name")?;
                let value = self.expression()?;
                self.bind(name);
                return Ok(match &*word {
                    "let" => What::Let(name, at, ty, value),
                    _ => What::Const(name, at, ty, value),
                });
            }
            "_" => {
                self.advance();
                self.expect(P::Assign, "behind `_`")?;
                let value = self.expression()?;
                return Ok(What::Assign { target: None, op: None, value });
            }
            _ => {}
        }
        let target = self.expression()?;
        let TokenKind::Punctuation(p) = self.kind() else { return self.alone(target) };
        let op = match p {
            P::Assign => None,
            P::AddAssign => Some(Binary::Add),
            P::SubtractAssign => Some(Binary::Subtract),
            P::MultiplyAssign => Some(Binary::Multiply),
            P::DivideAssign => Some(Binary::Divide),
            P::RemainderAssign => Some(Binary::Remainder),
            P::AndAssign => Some(Binary::And),
            P::OrAssign => Some(Binary::Or),
            P::XorAssign => Some(Binary::Xor),
            P::ShiftLeftAssign => Some(Binary::ShiftLeft),
            P::ShiftRightAssign => Some(Binary::ShiftRight),
            P::Increment | P::Decrement => {
                self.advance();
                return Ok(What::Step { target, down: p == P::Decrement });
            }
            _ => return self.alone(target),
        };
        self.advance();
        let value = self.expression()?;
        Ok(What::Assign { target: Some(target), op, value })
    }

    /// An expression that is a statement: a call.
    fn alone(&mut self, expression: Expression) -> Result<What> {
        let last = self.unit.nodes[expression.start as usize..expression.end as usize].last();
        if last.is_some_and(|node| matches!(node.code, Code::Call(_))) {
            return Ok(What::Call(expression));
        }
        let message = "this expression is no statement";
        let found = Diagnostic::new(DiagnosticCode::WgslSyntax, expression.span, message);
        Err(self.report(found.help("assign it, call a function, or write `_ = …;`")))
    }

    fn selection(&mut self) -> Result<What> {
        let mut arms = Vec::new();
        loop {
            self.advance();
            let condition = self.expression()?;
            arms.push((condition, self.block("behind the condition")?));
            if !self.eat_word("else") {
                return Ok(What::If { arms, otherwise: None });
            }
            if self.word() != "if" {
                let otherwise = Some(self.block("behind `else`")?);
                return Ok(What::If { arms, otherwise });
            }
        }
    }

    fn switch(&mut self) -> Result<What> {
        self.advance();
        let value = self.expression()?;
        self.attributes(&mut None)?;
        self.expect(P::LeftBrace, "behind the value of the `switch`")?;
        let mut clauses = Vec::new();
        let mut chain = None;
        while !self.is(P::RightBrace) {
            let (_, keep) = self.attributes(&mut chain)?;
            let span = self.span();
            let mut selectors = Vec::new();
            self.muted += u32::from(!keep);
            if self.eat_word("default") {
                selectors.push(None);
            } else if self.eat_word("case") {
                while !self.is(P::Colon) && !self.is(P::LeftBrace) && !self.is(P::At) {
                    let selector = match self.eat_word("default") {
                        true => None,
                        false => Some(self.expression()?),
                    };
                    selectors.push(selector);
                    if !self.eat(P::Comma) {
                        break;
                    }
                }
            } else {
                return Err(self.wrong("`case` or `default` is expected"));
            }
            let span = span.to(self.last());
            self.eat(P::Colon);
            let body = self.block("behind the values of the case")?;
            self.muted -= u32::from(!keep);
            if keep {
                clauses.push(Clause { selectors, span, body });
            }
        }
        self.expect(P::RightBrace, "behind the clauses")?;
        Ok(What::Switch { value, clauses })
    }

    fn repeat(&mut self) -> Result<What> {
        self.advance();
        self.attributes(&mut None)?;
        self.expect(P::LeftBrace, "behind `loop`")?;
        self.open_scope();
        let mut all = Loop {
            first: None,
            test: None,
            body: Vec::new(),
            continuing: Vec::new(),
            break_if: None,
        };
        all.body = self.until_continuing()?;
        if self.eat_word("continuing") {
            self.attributes(&mut None)?;
            self.expect(P::LeftBrace, "behind `continuing`")?;
            self.open_scope();
            all.continuing = self.until_continuing()?;
            if self.eat_word("break") {
                if !self.eat_word("if") {
                    return Err(self.wrong("`continuing` has no `break` but `break if`"));
                }
                all.break_if = Some(self.expression()?);
                self.semicolon()?;
            }
            self.close_scope();
            self.expect(P::RightBrace, "behind the last statement of `continuing`")?;
        }
        self.close_scope();
        self.expect(P::RightBrace, "behind the loop")?;
        Ok(What::Loop(Box::new(all)))
    }

    /// Statements up to a brace, `continuing`, or `break if`.
    fn until_continuing(&mut self) -> Result<Vec<Statement>> {
        let mut all = Vec::new();
        let mut chain = None;
        loop {
            let is_break_if = self.word() == "break"
                && matches!(self.ahead(1), TokenKind::Name(name) if self.text(name) == "if");
            if self.is(P::RightBrace) || self.word() == "continuing" || is_break_if {
                return Ok(all);
            }
            if self.kind() == TokenKind::End {
                return Err(self.wrong("a block is not closed: `}` is missing"));
            }
            if self.eat(P::Semicolon) {
                continue;
            }
            let (from, depth, scopes, muted) =
                (self.position(), self.depth(), self.scopes(), self.muted);
            match self.attributed(&mut chain) {
                Ok(Some(statement)) => all.push(statement),
                Ok(None) => {}
                Err(_) => {
                    self.set_depth(depth);
                    self.close_scopes(scopes);
                    self.recover(from);
                }
            }
            self.muted = muted;
        }
    }

    fn counted(&mut self) -> Result<What> {
        self.advance();
        self.expect(P::LeftParenthesis, "behind `for`")?;
        self.open_scope();
        let first = match self.is(P::Semicolon) {
            true => None,
            false => Some(self.part()?),
        };
        self.expect(P::Semicolon, "behind the first part of the loop")?;
        let test = match self.is(P::Semicolon) {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect(P::Semicolon, "behind the condition")?;
        let continuing = match self.is(P::RightParenthesis) {
            true => Vec::new(),
            false => vec![self.part()?],
        };
        self.expect(P::RightParenthesis, "behind the parts of the loop")?;
        let body = self.block("in front of the loop's statements")?;
        self.close_scope();
        Ok(What::Loop(Box::new(Loop { first, test, body, continuing, break_if: None })))
    }

    /// A part of `for`.
    fn part(&mut self) -> Result<Statement> {
        let start: Span = self.span();
        let what = self.simple()?;
        Ok(Statement { span: start.to(self.last()), what })
    }
}
