//! Attributes, and the conditions `@if`, `@elif`, `@else` of WESL.

use super::parser::{Parser, Result};
use super::tree::{Attribute, Code, Expression, Unary};
use crate::token::{Punctuation as P, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};

/// Most attributes of one thing.
const ATTRIBUTES: usize = 32;

/// The last `@if` chain of a list: true if one of its conditions held.
pub(super) type Chain = Option<bool>;

impl Parser<'_> {
    /// Attributes in front of something; true if it is kept.
    pub(super) fn attributes(&mut self, chain: &mut Chain) -> Result<(Vec<Attribute>, bool)> {
        let mut all = Vec::new();
        let mut keep = true;
        let mut conditional = false;
        while self.is(P::At) {
            let start = self.advance();
            let span = self.span();
            let TokenKind::Name(name) = self.kind() else {
                return Err(self.wrong("the name of an attribute is expected"));
            };
            let text = self.text(name).to_owned();
            self.advance();
            if let "if" | "elif" | "else" = &*text {
                let held = match (&*text, *chain) {
                    ("if", _) => false,
                    (_, Some(held)) => held,
                    (_, None) => {
                        let message = format!("`@{text}` has no `@if` in front of it");
                        return Err(self.report(Diagnostic::new(
                            DiagnosticCode::WgslSyntax,
                            start.to(span),
                            message,
                        )));
                    }
                };
                let holds = if text == "else" { true } else { self.feature_condition()? };
                keep &= holds && !held;
                conditional = true;
                *chain = Some(held || holds);
                continue;
            }
            let mut attribute =
                Attribute { name, span: start.to(span), words: Vec::new(), arguments: Vec::new() };
            let takes_words = matches!(&*text, "builtin" | "interpolate" | "diagnostic");
            if self.eat(P::LeftParenthesis) {
                while !self.is(P::RightParenthesis) {
                    if takes_words {
                        let at = self.span();
                        let TokenKind::Name(word) = self.kind() else {
                            return Err(self.wrong("a name is expected"));
                        };
                        self.advance();
                        attribute.words.push((word, at));
                        // `diagnostic(off, a.b)`
                        while self.eat(P::Dot) {
                            self.advance();
                        }
                    } else {
                        attribute.arguments.push(self.expression()?);
                    }
                    if !self.eat(P::Comma) {
                        break;
                    }
                }
                let end = self.expect(P::RightParenthesis, "behind the attribute")?;
                attribute.span = attribute.span.to(end);
            }
            if all.len() == ATTRIBUTES {
                let message = format!("there are more than {ATTRIBUTES} attributes");
                let code = DiagnosticCode::WgslTooLarge;
                return Err(self.report(Diagnostic::new(code, attribute.span, message)));
            }
            all.push(attribute);
        }
        if !conditional {
            *chain = None;
        }
        Ok((all, keep))
    }

    fn feature_condition(&mut self) -> Result<bool> {
        self.expect(P::LeftParenthesis, "behind the attribute")?;
        self.muted += 1;
        let condition = self.expression();
        self.muted -= 1;
        let condition = condition?;
        self.expect(P::RightParenthesis, "behind the condition")?;
        match self.holds(condition) {
            Some(value) => Ok(value),
            None => {
                let message =
                    "a condition of `@if` has names of features, `true`, `false`, `!`, `&&`, `||`";
                let code = DiagnosticCode::WgslSyntax;
                Err(self.report(Diagnostic::new(code, condition.span, message)))
            }
        }
    }

    /// The value of a condition.
    fn holds(&self, condition: Expression) -> Option<bool> {
        let mut stack: Vec<bool> = Vec::new();
        for node in &self.unit.nodes[condition.start as usize..condition.end as usize] {
            let value = match node.code {
                Code::Bool(value) => value,
                Code::Name(reference) => (self.context.features)(self.text(reference.name)),
                Code::Unary(Unary::Not) => !stack.pop()?,
                Code::Load | Code::Short(_) => continue,
                Code::ShortEnd(and) => {
                    let [b, a] = [stack.pop()?, stack.pop()?];
                    if and { a && b } else { a || b }
                }
                _ => return None,
            };
            stack.push(value);
        }
        stack.pop()
    }
}
