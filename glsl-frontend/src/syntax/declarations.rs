//! Declarations: variables, structures, blocks, functions.

use super::expressions::Until;
use super::parser::{Parser, Reported, Result};
use super::tree::{
    BlockDeclaration, Declaration, Declarator, Function, Item, LayoutItem, Parameter, Qualifiers,
    StructDeclaration, TypeName, TypeSpecifier, What,
};
use super::words::Word;
use crate::token::{Name, Punctuation as P, TokenKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;

impl Parser<'_> {
    /// Adds a place to the last error.
    pub(super) fn also(&mut self, span: Span, label: &str) {
        self.diagnostics.amend(|last| last.also(span, label));
    }

    /// True if a declaration begins here: with a qualifier, with a type that does not construct, or with two
    /// names.
    pub(super) fn is_declaration(&self) -> bool {
        match self.word() {
            Some(Word::Storage(_) | Word::Layout | Word::Precision | Word::Struct) => true,
            Some(Word::Mark(mark)) => mark != super::tree::Mark::Other,
            Some(word @ (Word::Type | Word::Identifier)) => {
                let mut by = 1;
                let mut depth = 0;
                loop {
                    match self.ahead(by) {
                        TokenKind::Punctuation(P::LeftBracket) => depth += 1,
                        TokenKind::Punctuation(P::RightBracket) => depth -= 1,
                        TokenKind::Name(_) if depth == 0 => return true,
                        // A type by itself is a declaration that lacks a name.
                        TokenKind::Punctuation(P::LeftParenthesis) if depth == 0 => return false,
                        _ if depth == 0 => return word == Word::Type && by == 1,
                        TokenKind::Punctuation(P::Semicolon) | TokenKind::End => return false,
                        _ => {}
                    }
                    by += 1;
                }
            }
            _ => false,
        }
    }

    /// A declaration outside functions.
    pub(super) fn declaration_item(&mut self) -> Result<Item> {
        if self.eat_word(Word::Precision) {
            self.precision()?;
            return Ok(Item::Precision);
        }
        let qualifiers = self.qualifiers()?;
        if self.is(P::Semicolon) && qualifiers.span.is_some() {
            self.advance();
            return Ok(Item::Qualifiers(qualifiers, Vec::new()));
        }
        if let (TokenKind::Name(name), Some(_)) = (self.kind(), qualifiers.span)
            && self.words.of(name) == Word::Identifier
        {
            match self.ahead(1) {
                TokenKind::Punctuation(P::LeftBrace) => return self.interface_block(qualifiers),
                TokenKind::Punctuation(P::Semicolon | P::Comma) => {
                    let mut names = vec![self.identifier("a name")?];
                    while self.eat(P::Comma) {
                        names.push(self.identifier("a name")?);
                    }
                    self.expect(P::Semicolon, "behind the names")?;
                    return Ok(Item::Qualifiers(qualifiers, names));
                }
                _ => {}
            }
        }
        let ty = self.type_specifier()?;
        if self.is(P::Semicolon) {
            self.advance();
            let declarators = Vec::new();
            return Ok(Item::Declaration(Declaration { qualifiers, ty, declarators }));
        }
        let (name, at) = self.identifier("a name")?;
        if self.is(P::LeftParenthesis) {
            return self.function(ty, name, at).map(Item::Function);
        }
        self.variables(qualifiers, ty, name, at).map(Item::Declaration)
    }

    /// `highp float;` behind `precision`.
    fn precision(&mut self) -> Result<()> {
        while let Some(Word::Mark(_)) = self.word() {
            self.advance();
        }
        self.type_specifier()?;
        self.expect(P::Semicolon, "behind the precision")?;
        Ok(())
    }

    /// A declaration in a function.
    pub(super) fn local_declaration(&mut self) -> Result<What> {
        if self.eat_word(Word::Precision) {
            self.precision()?;
            return Ok(What::Empty);
        }
        let qualifiers = self.qualifiers()?;
        let ty = self.type_specifier()?;
        if self.eat(P::Semicolon) {
            let declarators = Vec::new();
            return Ok(What::Declaration(Declaration { qualifiers, ty, declarators }));
        }
        let (name, at) = self.identifier("a name")?;
        if self.is(P::LeftParenthesis) && qualifiers.span.is_none() {
            let function = self.function(ty, name, at)?;
            if function.body.is_some() {
                return Err(self.report(
                    Diagnostic::new(
                        DiagnosticCode::GlslPlacement,
                        at,
                        "a function is defined inside a function",
                    )
                    .help("move it out"),
                ));
            }
            return Ok(What::Prototype(Box::new(function)));
        }
        self.variables(qualifiers, ty, name, at).map(What::Declaration)
    }

    /// `bool b = f()` in the head of a loop.
    pub(super) fn condition_declaration(&mut self) -> Result<Declaration> {
        let qualifiers = self.qualifiers()?;
        let ty = self.type_specifier()?;
        let (name, span) = self.identifier("a name")?;
        self.expect(P::Assign, "behind the name")?;
        let initial = Some(self.expression(Until::Comma)?);
        let declarators = vec![Declarator { name, span, dims: Vec::new(), initial }];
        Ok(Declaration { qualifiers, ty, declarators })
    }

    fn variables(
        &mut self,
        qualifiers: Qualifiers,
        ty: TypeSpecifier,
        name: Name,
        at: Span,
    ) -> Result<Declaration> {
        let mut declarators = vec![self.declarator(name, at)?];
        while self.eat(P::Comma) {
            let (name, at) = self.identifier("a name")?;
            declarators.push(self.declarator(name, at)?);
        }
        self.expect(P::Semicolon, "behind the declaration")?;
        Ok(Declaration { qualifiers, ty, declarators })
    }

    fn declarator(&mut self, name: Name, span: Span) -> Result<Declarator> {
        let dims = self.dims()?;
        let initial = match self.eat(P::Assign) {
            true => Some(self.expression(Until::Comma)?),
            false => None,
        };
        Ok(Declarator { name, span, dims, initial })
    }

    /// All qualifiers in front of a type.
    pub(super) fn qualifiers(&mut self) -> Result<Qualifiers> {
        let mut all = Qualifiers::default();
        loop {
            let span = self.span();
            match self.word() {
                Some(Word::Storage(storage)) => {
                    self.advance();
                    all.storage.push((storage, span));
                }
                Some(Word::Mark(mark)) => {
                    self.advance();
                    all.marks.push((mark, span));
                }
                Some(Word::Layout) => self.layout(&mut all)?,
                Some(Word::Subroutine) => {
                    let found = lacking(span, "subroutines are not supported");
                    let help = "call the functions in a `switch` over a uniform";
                    return Err(self.report(found.help(help)));
                }
                Some(Word::PerVertex) => {
                    let what = "inputs of the three vertices are not supported";
                    return Err(self.report(lacking(span, what)));
                }
                _ => return Ok(all),
            }
            let span = span.to(self.last());
            all.span = Some(all.span.map_or(span, |before| before.to(span)));
        }
    }

    /// `layout(location = 0, flat)`.
    fn layout(&mut self, all: &mut Qualifiers) -> Result<()> {
        self.advance();
        self.expect(P::LeftParenthesis, "behind `layout`")?;
        while !self.eat(P::RightParenthesis) {
            let token = self.token();
            let TokenKind::Name(name) = token.kind else {
                return Err(self.wrong("the name of a layout is expected"));
            };
            self.advance();
            let value = match self.eat(P::Assign) {
                true => Some(self.expression(Until::Comma)?),
                false => None,
            };
            let span = token.span.to(self.last());
            all.layout.push(LayoutItem { name, value, span });
            if !self.eat(P::Comma) {
                self.expect(P::RightParenthesis, "behind the layout")?;
                break;
            }
        }
        Ok(())
    }

    /// `struct S { … }`.
    pub(super) fn structure(&mut self) -> Result<TypeSpecifier> {
        let begin = self.advance().span;
        let name = match self.is(P::LeftBrace) {
            true => None,
            false => Some(self.identifier("the name of a structure")?),
        };
        if let Some((name, _)) = name {
            self.structures.insert(name);
        }
        let members = self.members()?;
        let declaration = Box::new(StructDeclaration { name, members });
        let dims = self.dims()?;
        let span = begin.to(self.last());
        Ok(TypeSpecifier { what: TypeName::Struct(declaration), dims, span })
    }

    /// The members of a structure or block, with the braces.
    fn members(&mut self) -> Result<Vec<Declaration>> {
        let open = self.expect(P::LeftBrace, "behind the name")?;
        self.enter()?;
        let mut members = Vec::new();
        while !self.eat(P::RightBrace) {
            if self.kind() == TokenKind::End {
                let Reported = self.wrong("`}` is missing");
                self.also(open, "opened here");
                return Err(Reported);
            }
            if self.eat(P::Semicolon) {
                continue;
            }
            let qualifiers = self.qualifiers()?;
            let ty = self.type_specifier()?;
            let (name, at) = self.identifier("the name of a member")?;
            members.push(self.variables(qualifiers, ty, name, at)?);
        }
        self.leave();
        Ok(members)
    }

    /// `uniform Name { … } instance;`.
    fn interface_block(&mut self, qualifiers: Qualifiers) -> Result<Item> {
        let (name, span) = self.identifier("the name of a block")?;
        let members = self.members()?;
        let instance = match self.is(P::Semicolon) {
            true => None,
            false => {
                let (name, at) = self.identifier("the name of the block's variable")?;
                Some(self.declarator(name, at)?)
            }
        };
        self.expect(P::Semicolon, "behind the block")?;
        Ok(Item::Block(BlockDeclaration { qualifiers, name, span, members, instance }))
    }

    /// The parameters of a function, and its body if it has one.
    fn function(&mut self, result: TypeSpecifier, name: Name, span: Span) -> Result<Function> {
        self.advance();
        let mut parameters = Vec::new();
        if !self.eat(P::RightParenthesis) {
            loop {
                parameters.push(self.parameter()?);
                if !self.eat(P::Comma) {
                    break;
                }
            }
            self.expect(P::RightParenthesis, "behind the parameters")?;
        }
        // `(void)`
        if let [only] = &parameters[..]
            && only.name.is_none()
            && only.dims.is_empty()
            && let TypeName::Named(word) = only.ty.what
            && self.names.text(word) == "void"
        {
            parameters.clear();
        }
        if self.eat(P::Semicolon) {
            return Ok(Function { result, name, span, parameters, body: None });
        }
        self.expect(P::LeftBrace, "behind the head of a function")?;
        let body = Some(self.block()?);
        Ok(Function { result, name, span, parameters, body })
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let begin = self.span();
        let qualifiers = self.qualifiers()?;
        let ty = self.type_specifier()?;
        let name = match self.kind() {
            TokenKind::Name(_) => Some(self.identifier("the name of a parameter")?),
            _ => None,
        };
        let dims = self.dims()?;
        Ok(Parameter { qualifiers, ty, name, dims, span: begin.to(self.last()) })
    }
}

/// The error about what λV lacks.
fn lacking(at: Span, what: &str) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::UnsupportedModule, at, what)
}
