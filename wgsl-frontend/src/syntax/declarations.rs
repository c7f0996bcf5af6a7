//! Directives and declarations outside of functions.

use super::attributes::Chain;
use super::parser::{Parser, Result};
use super::tree::{Attribute, Expression, Field, Function, Global, Item, Reference, Variable};
use crate::token::{Name, Punctuation as P, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

/// Extensions whose features are built, or are words only.
const EXTENSIONS: [&str; 3] = ["clip_distances", "dual_source_blending", "primitive_index"];

/// Most members of a structure, and most parameters of a function, that SPIR-V has.
const MEMBERS: usize = 16_383;
const PARAMETERS: usize = 255;

impl Parser<'_> {
    /// `enable`, `requires`, `diagnostic` in front of all declarations.
    pub(super) fn directives(&mut self) {
        loop {
            let from = self.position();
            let mut chain = None;
            let done = match self.word() {
                "enable" => self.enable(),
                "requires" => self.pass_over(),
                "diagnostic" => self.pass_over(),
                _ if self.is(P::Semicolon) => {
                    self.advance();
                    continue;
                }
                // `@if(feature) enable …;`
                _ if self.is(P::At) => {
                    let directive = self.attributes(&mut chain);
                    let is_directive = matches!(self.word(), "enable" | "requires" | "diagnostic");
                    match directive {
                        Ok((_, _)) if is_directive => self.pass_over(),
                        _ => {
                            self.rewind(from);
                            return;
                        }
                    }
                }
                _ => return,
            };
            if done.is_err() {
                self.recover(from);
            }
        }
    }

    /// `enable f16, …;`
    fn enable(&mut self) -> Result<()> {
        self.advance();
        while let TokenKind::Name(name) = self.kind() {
            let span = self.advance();
            let text = self.text(name).to_owned();
            let naga = text.starts_with("wgpu_") || text == "naga_ext";
            if !naga && !EXTENSIONS.contains(&&*text) {
                let message = format!("the extension `{text}` is not supported");
                let found = Diagnostic::new(DiagnosticCode::UnsupportedModule, span, message);
                self.report(match &*text {
                    "f16" => found.help("numbers have 32 bits: write `f32` for `f16`"),
                    _ => found,
                });
            }
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.expect(P::Semicolon, "behind the directive").map(|_| ())
    }

    fn pass_over(&mut self) -> Result<()> {
        while !self.is(P::Semicolon) && self.kind() != TokenKind::End {
            self.advance();
        }
        self.expect(P::Semicolon, "behind the directive").map(|_| ())
    }

    /// All declarations.
    pub(super) fn globals(&mut self) {
        let mut chain = None;
        while self.kind() != TokenKind::End {
            let from = self.position();
            if self.eat(P::Semicolon) {
                continue;
            }
            self.uses.clear();
            self.used.clear();
            self.muted = 0;
            if self.global(&mut chain).is_err() {
                self.close_scopes(0);
                self.set_depth(0);
                self.recover(from);
            }
        }
    }

    /// An expression up to the end of the text, as the last declaration.
    pub(super) fn only_expression(&mut self, at: Span) {
        self.uses.clear();
        self.used.clear();
        self.muted = 0;
        let Ok(expression) = self.expression() else { return };
        if self.kind() != TokenKind::End {
            self.wrong("the expression ends here");
            return;
        }
        let (module, uses) = (self.context.module, std::mem::take(&mut self.uses));
        let what = Item::Expression(expression);
        let (name, attributes, replaces) = (None, Vec::new(), None);
        self.unit.globals.push(Global { module, name, at, attributes, what, uses, replaces });
    }

    fn global(&mut self, chain: &mut Chain) -> Result<()> {
        let (attributes, keep) = self.attributes(chain)?;
        self.muted = u32::from(!keep);
        if self.word() == "virtual"
            && matches!(self.ahead(1), TokenKind::Name(name) if self.text(name) == "fn")
        {
            self.advance();
        }
        let start = self.span();
        let word = self.word().to_owned();
        let mut replaces = None;
        let (name, at, what) = match &*word {
            "const" => {
                self.advance();
                let (name, at) = self.identifier("the name of a constant")?;
                let ty = self.optional_type()?;
                self.expect(P::Assign, "behind the name of the constant")?;
                let value = self.expression()?;
                self.expect(P::Semicolon, "behind the declaration")?;
                (Some(name), at, Item::Const { ty, value })
            }
            "override" if self.is_function_ahead() => {
                self.advance();
                let (name, at, function, path) = self.function()?;
                replaces = path;
                (Some(name), at, function)
            }
            "override" => {
                self.advance();
                let (name, at) = self.identifier("the name of a constant")?;
                let ty = self.optional_type()?;
                let value = if self.eat(P::Assign) { Some(self.expression()?) } else { None };
                self.expect(P::Semicolon, "behind the declaration")?;
                (Some(name), at, Item::Override { ty, value })
            }
            "var" => {
                self.advance();
                let (name, at, variable) = self.variable()?;
                self.expect(P::Semicolon, "behind the declaration")?;
                (Some(name), at, Item::Variable(variable))
            }
            "alias" | "type" => {
                self.advance();
                let (name, at) = self.identifier("the name of a type")?;
                self.expect(P::Assign, "behind the name of the type")?;
                let ty = self.expression()?;
                self.expect(P::Semicolon, "behind the declaration")?;
                (Some(name), at, Item::Alias(ty))
            }
            "struct" => {
                self.advance();
                let (name, at) = self.identifier("the name of a structure")?;
                let members = self.structure()?;
                (Some(name), at, Item::Structure(members))
            }
            "fn" => {
                let (name, at, function, _) = self.function()?;
                (Some(name), at, function)
            }
            "const_assert" => {
                self.advance();
                let value = self.expression()?;
                self.expect(P::Semicolon, "behind the assertion")?;
                (None, start.to(value.span), Item::Assert(value))
            }
            "let" => {
                let found = self.wrong("`let` stands in functions only");
                self.amend(|last| {
                    last.help("write `const`, or `override` for a value given later")
                });
                return Err(found);
            }
            "enable" | "requires" | "diagnostic" => {
                return Err(self.wrong("a directive stands in front of all declarations"));
            }
            "import" => {
                return Err(self.wrong("an import stands in front of all declarations"));
            }
            _ => return Err(self.wrong("a declaration is expected")),
        };
        if keep {
            let (module, uses) = (self.context.module, std::mem::take(&mut self.uses));
            let global = Global { module, name, at, attributes, what, uses, replaces };
            self.unit.globals.push(global);
        }
        Ok(())
    }

    fn is_function_ahead(&self) -> bool {
        matches!(self.ahead(1), TokenKind::Name(name) if self.text(name) == "fn")
    }

    pub(super) fn optional_type(&mut self) -> Result<Option<Expression>> {
        if self.eat(P::Colon) { self.expression().map(Some) } else { Ok(None) }
    }

    /// What follows `var`.
    pub(super) fn variable(&mut self) -> Result<(Name, Span, Variable)> {
        let mut template = Vec::new();
        if self.eat(P::TemplateBegin) {
            while !self.is(P::TemplateEnd) {
                template.push(self.expression()?);
                if !self.eat(P::Comma) {
                    break;
                }
            }
            self.expect(P::TemplateEnd, "behind the address space")?;
        }
        let (name, at) = self.identifier("the name of a variable")?;
        let ty = self.optional_type()?;
        let value = if self.eat(P::Assign) { Some(self.expression()?) } else { None };
        Ok((name, at, Variable { template, ty, value }))
    }

    fn structure(&mut self) -> Result<Vec<Field>> {
        self.expect(P::LeftBrace, "in front of the members")?;
        let mut members = Vec::new();
        let mut chain = None;
        while !self.is(P::RightBrace) {
            // naga_oil leaves empty members behind conditions.
            if self.eat(P::Comma) || self.eat(P::Semicolon) {
                continue;
            }
            let (member, keep) = self.field(&mut chain)?;
            if keep {
                members.push(member);
            }
            if !self.eat(P::Comma) && !self.eat(P::Semicolon) {
                break;
            }
        }
        self.expect(P::RightBrace, "behind the members")?;
        self.limited(members.len(), MEMBERS, "members")?;
        Ok(members)
    }

    fn limited(&mut self, count: usize, most: usize, what: &str) -> Result<()> {
        if count <= most {
            return Ok(());
        }
        let message = format!("there are {count} {what}, and at most {most} are possible");
        let at = self.last();
        Err(self.report(Diagnostic::new(DiagnosticCode::WgslTooLarge, at, message)))
    }

    /// `@location(0) name: type`
    fn field(&mut self, chain: &mut Chain) -> Result<(Field, bool)> {
        let (attributes, keep) = self.attributes(chain)?;
        let (name, at) = self.identifier("a name")?;
        self.expect(P::Colon, "behind the name")?;
        self.muted += u32::from(!keep);
        let ty = self.expression()?;
        self.muted -= u32::from(!keep);
        Ok((Field { name, at, attributes, ty }, keep))
    }

    /// A function from `fn` on. With a path for a name it replaces that function.
    fn function(&mut self) -> Result<(Name, Span, Item, Option<Reference>)> {
        self.advance();
        let (name, at) = self.identifier("the name of a function")?;
        let path = if self.is(P::Path) { Some(self.path(name, at)?) } else { None };
        self.open_scope();
        self.expect(P::LeftParenthesis, "behind the name of the function")?;
        let mut parameters = Vec::new();
        let mut chain = None;
        while !self.is(P::RightParenthesis) {
            if self.eat(P::Comma) {
                continue;
            }
            let (parameter, keep) = self.field(&mut chain)?;
            if keep {
                parameters.push(parameter);
            }
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.expect(P::RightParenthesis, "behind the parameters")?;
        self.limited(parameters.len(), PARAMETERS, "parameters")?;
        let (mut result, mut result_attributes): (_, Vec<Attribute>) = (None, Vec::new());
        if self.eat(P::Arrow) {
            result_attributes = self.attributes(&mut None)?.0;
            result = Some(self.expression()?);
        }
        // Attributes may stand in front of a block.
        self.attributes(&mut None)?;
        for parameter in &parameters {
            self.bind(parameter.name);
        }
        self.expect(P::LeftBrace, "in front of the function's statements")?;
        let body = self.statements()?;
        self.close_scope();
        let end = self.expect(P::RightBrace, "behind the function's statements")?;
        let function = Function { parameters, result, result_attributes, body, end };
        Ok((name, at, Item::Function(Box::new(function)), path))
    }

    fn amend(&mut self, change: impl FnOnce(Diagnostic) -> Diagnostic) {
        self.diagnostics.amend(change);
    }
}
