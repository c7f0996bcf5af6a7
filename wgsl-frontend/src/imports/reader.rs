//! Tokens of a file, with its conditions and imports.

use super::clauses::{self, Piece};
use super::conditions::{Conditions, holds, unset};
use super::state::Loader;
use super::{Dialect, Import, Module};
use crate::lexer::Lexer;
use crate::token::{Punctuation as P, Token, TokenKind};
use lambdav_core::diagnostics::quote;
use lambdav_core::limits::INCLUDE_NESTING;
use lambdav_core::source::Span;
use std::path::PathBuf;
use std::rc::Rc;

/// A text that is read.
struct Open {
    text: Rc<str>,
    /// Where it begins in the text of all files.
    base: u32,
    /// The next character.
    at: usize,
    folder: PathBuf,
    conditions: Conditions,
}

impl Open {
    fn new(loader: &Loader<'_>, span: Span, folder: PathBuf) -> Self {
        let text = Rc::from(loader.source.slice(span));
        Self { text, base: span.start, at: 0, folder, conditions: Conditions::default() }
    }
}

/// Reads the part `span` of the source into a module.
pub(super) fn read(loader: &mut Loader<'_>, span: Span, module: &mut Module, is_main: bool) {
    let mut open = vec![Open::new(loader, span, module.folder.clone())];
    while let Some(mut file) = open.pop() {
        if let Some((inner, folder)) = segment(loader, &mut file, module, is_main) {
            // The rest follows behind the text that stands here.
            open.push(file);
            if open.len() > INCLUDE_NESTING {
                let message = format!("files include one another more than {INCLUDE_NESTING} deep");
                loader.wrong(inner, message);
                return;
            }
            open.push(Open::new(loader, inner, folder));
        } else if !file.conditions.is_empty() {
            let end = file.base + file.text.len() as u32;
            let at = Span::new(end, end);
            loader.wrong(at, "an `#if` is not closed").help("write `#endif`");
        }
    }
    wesl(loader, module);
}

/// Adds the tokens of an expression to a module. No line of it is a directive.
pub(super) fn read_expression(loader: &mut Loader<'_>, span: Span, module: &mut Module) {
    let text: Rc<str> = Rc::from(loader.source.slice(span));
    let mut lexer = Lexer::new(&text, span.start, 0);
    loop {
        if let Err(error) = lexer.blanks() {
            loader.diagnostics.push(error);
            continue;
        }
        match lexer.next(loader.names) {
            Ok(token) if token.kind == TokenKind::End => return,
            Ok(token) => module.tokens.push(token),
            Err(error) => loader.diagnostics.push(error),
        }
    }
}

/// Reads up to a line that stands for another text, and returns that text's place.
fn segment(
    loader: &mut Loader<'_>,
    file: &mut Open,
    module: &mut Module,
    is_main: bool,
) -> Option<(Span, PathBuf)> {
    let text = Rc::clone(&file.text);
    let mut lexer = Lexer::new(&text, file.base, file.at);
    loop {
        if !file.conditions.is_active() {
            if lexer.rest().is_empty() {
                return None;
            }
            let start = lexer.at;
            let line = lexer.line();
            let is_directive = line.starts_with('#');
            if is_directive {
                let at = lexer.span(start);
                condition(loader, file, line[1..].trim(), at);
            }
            lexer.line_break();
            continue;
        }
        if let Err(error) = lexer.blanks() {
            loader.diagnostics.push(error);
            continue;
        }
        let start = lexer.at;
        if lexer.is_first() && lexer.rest().starts_with('#') && !lexer.rest().starts_with("#{") {
            lexer.at += 1;
            let line = whole(&mut lexer);
            let at = lexer.span(start);
            file.at = lexer.at;
            let line = line.trim();
            if condition(loader, file, line, at) {
                continue;
            }
            if let Some(inner) = directive(loader, file, module, line, at, is_main) {
                return Some(inner);
            }
            continue;
        }
        let token = match lexer.next(loader.names) {
            Ok(token) => token,
            Err(error) => {
                loader.diagnostics.push(error);
                continue;
            }
        };
        match token.kind {
            TokenKind::End => return None,
            TokenKind::Punctuation(P::Hash) => value(loader, &mut lexer, module, token.span),
            _ => module.tokens.push(token),
        }
    }
}

/// The rest of a line; of an import, up to its last brace.
fn whole(lexer: &mut Lexer<'_>) -> String {
    let mut line = lexer.line().to_owned();
    if line.trim_start().starts_with("import") {
        while (line.matches('{').count() > line.matches('}').count() || line.ends_with(','))
            && !lexer.rest().is_empty()
        {
            lexer.line_break();
            line.push('\n');
            line += lexer.line();
        }
    }
    line
}

/// A line that chooses text; false if it is another one.
fn condition(loader: &mut Loader<'_>, file: &mut Open, line: &str, at: Span) -> bool {
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let (is_else, first, rest) = match first {
        "else" => {
            let (second, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            match second {
                "if" | "ifdef" | "ifndef" => (true, second, behind.trim()),
                _ => (true, "else", ""),
            }
        }
        "elif" => (true, "if", rest),
        _ => (false, first, rest),
    };
    let name = rest.split_whitespace().next().unwrap_or_default();
    let defines = &loader.program.defines;
    let value = match first {
        "ifdef" => Some(defines.contains_key(name)),
        "ifndef" => Some(!defines.contains_key(name)),
        "if" => holds(rest, defines),
        "else" => Some(true),
        "endif" => {
            if !file.conditions.close() {
                loader.wrong(at, "`#endif` has no `#if` in front of it");
            }
            return true;
        }
        _ => return false,
    };
    let is_needed = file.conditions.is_active() || is_else;
    if value.is_none() && is_needed {
        match unset(rest, defines) {
            Some(name) => lacks_value(loader, at, name),
            None => {
                let message = format!("{} is no condition", quote(rest));
                let help = "write `#if NAME`, `#if NAME == value` or `#ifdef NAME`";
                loader.wrong(at, message).help(help);
            }
        }
    }
    let value = value.unwrap_or(false);
    if !is_else {
        file.conditions.open(value);
    } else if !file.conditions.turn(value) {
        loader.wrong(at, "`#else` has no `#if` in front of it");
    }
    true
}

/// Another line that begins with `#`. Returns the text that stands in its place.
fn directive(
    loader: &mut Loader<'_>,
    file: &Open,
    module: &mut Module,
    line: &str,
    at: Span,
    is_main: bool,
) -> Option<(Span, PathBuf)> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "define_import_path" => {
            let path = rest.split_whitespace().next().unwrap_or_default();
            module.path = path.split("::").map(str::to_owned).collect();
        }
        "define" => {
            let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            // Only the main file defines for all.
            if is_main {
                let value = value.trim().to_owned();
                loader.program.defines.entry(name.to_owned()).or_insert(value);
            }
        }
        "import" if rest.starts_with('<') && rest.ends_with('>') => {
            return loader.text_of(&rest[1..rest.len() - 1], &file.folder, at);
        }
        "include" => {
            let path = rest.trim_matches(|c| matches!(c, '"' | '<' | '>'));
            return loader.text_of(path, &file.folder, at);
        }
        "import" => {
            let all =
                clauses::pieces(rest).and_then(|all| clauses::imports(&all, at, Dialect::Oil));
            let Some(all) = all else {
                loader.wrong(at, "this is no import").help("write `#import a::b::{c, d as e}`");
                return None;
            };
            if let [Import { path, alias: None, .. }] = &all[..]
                && let [name] = &path[..]
                && loader.oil_module(name).is_none()
                && let Some(inner) = loader.text_by_stem(name, at)
            {
                return inner;
            }
            module.imports.extend(all);
        }
        "pragma" | "version" => {}
        _ => {
            let message = format!("there is no directive `#{word}`");
            loader
                .wrong(at, message)
                .help("`#import`, `#ifdef`, `#if` and the like are those of Bevy's naga_oil");
        }
    }
    None
}

fn lacks_value(loader: &mut Loader<'_>, at: Span, name: &str) {
    let message = format!("{} has no value", quote(name));
    loader.wrong(at, message).help(format!("give it one: `--define {name}=…`"));
}

/// `#{NAME}` or `#NAME`: the value of a name, joined with the words that touch the braces.
fn value(loader: &mut Loader<'_>, lexer: &mut Lexer<'_>, module: &mut Module, hash: Span) {
    let rest = lexer.rest();
    let word = |text: &str| {
        let is_inner = |c: char| c == '_' || c.is_alphanumeric();
        text.find(|c| !is_inner(c)).unwrap_or(text.len())
    };
    let (name, length, joined) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}'))
    {
        Some((name, behind)) => (name.trim(), name.len() + 2, &behind[..word(behind)]),
        None => (&rest[..word(rest)], word(rest), ""),
    };
    lexer.at += length + joined.len();
    let at = Span::new(hash.start, lexer.span(lexer.at).end);
    let Some(value) = loader.program.defines.get(name).cloned() else {
        if name.is_empty() {
            let message = "a name is expected behind `#`";
            loader.wrong(at, message).help("if a program replaces this, give its result");
        } else {
            lacks_value(loader, at, name);
        }
        return;
    };
    let value = if value.is_empty() { "true" } else { &value };
    // The value is text: `#{N}u` is a number with its suffix, `layer_#{N}` one name.
    let before = match module.tokens.last() {
        Some(&Token { kind: TokenKind::Name(before), span }) if span.end == hash.start => {
            module.tokens.pop();
            loader.names.text(before)
        }
        _ => "",
    };
    let value = format!("{before}{value}{joined}");
    let at = Span::new(at.start - before.len() as u32, at.end);
    let mut inner = Lexer::new(&value, 0, 0);
    loop {
        match inner.next(loader.names) {
            Ok(Token { kind: TokenKind::End, .. }) => return,
            Ok(Token { kind: TokenKind::Punctuation(P::Hash), .. }) => {}
            Ok(token) => module.tokens.push(Token { kind: token.kind, span: at }),
            Err(error) => {
                loader.wrong(at, error.message);
                return;
            }
        }
    }
}

/// Takes the statements `import …;` of WESL from the beginning.
fn wesl(loader: &mut Loader<'_>, module: &mut Module) {
    let mut from = 0;
    loop {
        let word = |k: usize| match module.tokens.get(k).map(|token| token.kind) {
            Some(TokenKind::Name(name)) => loader.names.text(name),
            _ => "",
        };
        if word(from) != "import" {
            break;
        }
        let is_end = |token: &Token| token.kind == TokenKind::Punctuation(P::Semicolon);
        let rest = &module.tokens[from..];
        let count = rest.iter().position(is_end).unwrap_or(rest.len());
        let at = rest[0].span.to(rest[count.max(1) - 1].span);
        let pieces: Option<Vec<Piece>> = rest[1..count.max(1)]
            .iter()
            .map(|token| match token.kind {
                TokenKind::Name(name) => Some(match loader.names.text(name) {
                    "as" => Piece::As,
                    text => Piece::Name(text.to_owned()),
                }),
                TokenKind::Punctuation(P::Path) => Some(Piece::Path),
                TokenKind::Punctuation(P::LeftBrace) => Some(Piece::Open),
                TokenKind::Punctuation(P::RightBrace) => Some(Piece::Close),
                TokenKind::Punctuation(P::Comma) => Some(Piece::Comma),
                _ => None,
            })
            .collect();
        match pieces.and_then(|all| clauses::imports(&all, at, Dialect::Wesl)) {
            Some(all) => module.imports.extend(all),
            None => {
                loader
                    .wrong(at, "this is no import")
                    .help("write `import package::a::{b, c as d};`");
            }
        }
        from += count + 1;
    }
    module.tokens.drain(..from.min(module.tokens.len()));
}
