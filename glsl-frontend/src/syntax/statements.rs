//! Statements.

use super::expressions::Until;
use super::parser::{Parser, Reported, Result};
use super::tree::{Condition, Loop, Statement, What};
use super::words::Word;
use crate::token::{Punctuation as P, TokenKind};

impl Parser<'_> {
    /// The statements of a block, whose opening brace was read, and its closing brace.
    pub(super) fn block(&mut self) -> Result<Vec<Statement>> {
        self.enter()?;
        let open = self.last();
        let mut statements = Vec::new();
        while !self.is(P::RightBrace) {
            if self.kind() == TokenKind::End {
                let Reported = self.wrong("`}` is missing");
                self.also(open, "this block is open");
                return Err(Reported);
            }
            let before = self.position();
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) => {
                    self.recover(before);
                    if self.kind() == TokenKind::End {
                        return Err(Reported);
                    }
                }
            }
        }
        self.advance();
        self.leave();
        Ok(statements)
    }

    fn statement(&mut self) -> Result<Statement> {
        let depth = self.depth;
        if !self.is(P::LeftBrace) {
            self.enter()?;
        }
        let begin = self.span();
        let what = self.what();
        self.depth = depth;
        Ok(Statement { what: what?, span: begin.to(self.last()) })
    }

    fn what(&mut self) -> Result<What> {
        if self.eat(P::Semicolon) {
            return Ok(What::Empty);
        }
        if self.eat(P::LeftBrace) {
            return Ok(What::Block(self.block()?));
        }
        let Some(word) = self.word() else { return self.simple() };
        let single = match word {
            Word::Break => What::Break,
            Word::Continue => What::Continue,
            Word::Discard => What::Discard,
            Word::Demote => What::Demote,
            Word::If => return self.selection(),
            Word::Switch => return self.switch(),
            Word::For => return self.for_loop(),
            Word::While => return self.while_loop(),
            Word::Do => return self.do_loop(),
            Word::Case => {
                self.advance();
                let value = self.expression(Until::End)?;
                self.expect(P::Colon, "behind the value of a case")?;
                return Ok(What::Case(Some(value)));
            }
            Word::Default => {
                self.advance();
                self.expect(P::Colon, "behind `default`")?;
                return Ok(What::Case(None));
            }
            Word::Return => {
                self.advance();
                let value = match self.is(P::Semicolon) {
                    true => None,
                    false => Some(self.expression(Until::End)?),
                };
                self.expect(P::Semicolon, "behind `return`")?;
                return Ok(What::Return(value));
            }
            _ => return self.simple(),
        };
        self.advance();
        self.expect(P::Semicolon, "behind the statement")?;
        Ok(single)
    }

    /// A declaration or an expression.
    fn simple(&mut self) -> Result<What> {
        if self.is_declaration() {
            return self.local_declaration();
        }
        let value = self.expression(Until::End)?;
        self.expect(P::Semicolon, "behind the expression")?;
        Ok(What::Expression(value))
    }

    /// `if`, with the `else if`s that follow it.
    fn selection(&mut self) -> Result<What> {
        let mut arms = Vec::new();
        while self.eat_word(Word::If) {
            self.expect(P::LeftParenthesis, "behind `if`")?;
            let condition = self.expression(Until::End)?;
            self.expect(P::RightParenthesis, "behind the condition")?;
            arms.push((condition, self.statement()?));
            if !self.eat_word(Word::Else) {
                return Ok(What::If { arms, otherwise: None });
            }
        }
        let otherwise = Some(Box::new(self.statement()?));
        Ok(What::If { arms, otherwise })
    }

    fn switch(&mut self) -> Result<What> {
        self.advance();
        self.expect(P::LeftParenthesis, "behind `switch`")?;
        let value = self.expression(Until::End)?;
        self.expect(P::RightParenthesis, "behind the value")?;
        self.expect(P::LeftBrace, "behind `switch`")?;
        Ok(What::Switch { value, body: self.block()? })
    }

    fn for_loop(&mut self) -> Result<What> {
        self.advance();
        self.expect(P::LeftParenthesis, "behind `for`")?;
        let begin = self.span();
        let first = match self.eat(P::Semicolon) {
            true => None,
            false => Some(Statement { what: self.simple()?, span: begin.to(self.last()) }),
        };
        let condition = match self.is(P::Semicolon) {
            true => None,
            false => Some(self.condition()?),
        };
        self.expect(P::Semicolon, "behind the condition")?;
        let step = match self.is(P::RightParenthesis) {
            true => None,
            false => Some(self.expression(Until::End)?),
        };
        self.expect(P::RightParenthesis, "behind the head of the loop")?;
        let body = self.statement()?;
        let one = Loop { first, condition, step, body, test_behind: false };
        Ok(What::Loop(Box::new(one)))
    }

    fn condition(&mut self) -> Result<Condition> {
        if self.is_declaration() {
            return Ok(Condition::Declaration(self.condition_declaration()?));
        }
        Ok(Condition::Expression(self.expression(Until::End)?))
    }

    fn while_loop(&mut self) -> Result<What> {
        self.advance();
        self.expect(P::LeftParenthesis, "behind `while`")?;
        let condition = Some(self.condition()?);
        self.expect(P::RightParenthesis, "behind the condition")?;
        let body = self.statement()?;
        let one = Loop { first: None, condition, step: None, body, test_behind: false };
        Ok(What::Loop(Box::new(one)))
    }

    fn do_loop(&mut self) -> Result<What> {
        self.advance();
        let body = self.statement()?;
        if !self.eat_word(Word::While) {
            return Err(self.wrong("`while` is missing behind the body of `do`"));
        }
        self.expect(P::LeftParenthesis, "behind `while`")?;
        let condition = Some(Condition::Expression(self.expression(Until::End)?));
        self.expect(P::RightParenthesis, "behind the condition")?;
        self.expect(P::Semicolon, "behind the loop")?;
        let one = Loop { first: None, condition, step: None, body, test_behind: true };
        Ok(What::Loop(Box::new(one)))
    }
}
