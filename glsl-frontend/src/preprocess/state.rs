//! The state of the preprocessor: macros, open files, findings.

use super::define::{self, Macro, Origin, error};
use super::lexer::{Interned, Lexer, RawKind, RawToken};
use super::lines::{Lines, SourceString};
use super::version_line;
use crate::token::{Name, Names, Punctuation, Token, TokenKind};
use crate::version::Version;
use lambdav_core::diagnostics::{Diagnostic, Diagnostics, quote};
use lambdav_core::files::Files;
use lambdav_core::limits;
use lambdav_core::source::{SourceFile, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What the user decides.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Macros of `--define NAME=VALUE`.
    pub defines: &'a [(String, String)],
    /// The version of a text without `#version`.
    pub default_version: Version,
    /// True for GLSL for Vulkan, which defines `VULKAN`.
    pub vulkan: bool,
    /// The folders of `--include`.
    pub roots: &'a [PathBuf],
    /// The main file's path; without one, paths are relative to the working directory.
    pub path: Option<&'a Path>,
    /// The most findings of each severity that are kept.
    pub most: usize,
}

/// What `#extension` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// `require`
    Require,
    /// `enable`
    Enable,
    /// `warn`
    Warn,
    /// `disable`
    Disable,
}

/// An `#extension`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its name, or `all`.
    pub name: String,
    /// The position of the name.
    pub span: Span,
    /// The rest of the directive.
    pub behaviour: Behaviour,
}

/// A `#pragma` that the preprocessor does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// The text behind `#pragma`.
    pub text: String,
    /// Its position.
    pub span: Span,
}

/// The tokens of a text, and the findings of its directives.
#[derive(Debug)]
pub struct Preprocessed {
    /// The tokens; the last one is [`TokenKind::End`], at the end of the last file of `order`.
    pub tokens: Vec<Token>,
    /// The names in `tokens`, and others of the text.
    pub names: Names,
    /// The version of the text.
    pub version: Version,
    /// True for the compatibility profile.
    pub compatibility: bool,
    /// The position of the `#version` that decides.
    pub version_at: Option<Span>,
    /// All `#extension`s, in order.
    pub extensions: Vec<Extension>,
    /// The `#pragma`s that have no meaning here.
    pub pragmas: Vec<Pragma>,
    /// The canonical paths of the included files.
    pub paths: Vec<PathBuf>,
    /// The findings. After an error `tokens` is a best effort.
    pub diagnostics: Diagnostics,
    /// False if a limit ended the work: `tokens` lacks the rest, and further errors would mean nothing.
    pub complete: bool,
    /// The lines that `#line` gives.
    pub lines: Lines,
}

impl Preprocessed {
    /// True if `int` becomes `uint` without being asked: from version 400, by an extension, or in a text that
    /// names no version.
    pub fn int_to_uint(&self) -> bool {
        let converting = ["GL_ARB_gpu_shader5", "GL_EXT_shader_implicit_conversions"];
        let mut enabled = self.extensions.iter().filter(|of| of.behaviour != Behaviour::Disable);
        self.version_at.is_none()
            || !self.version.es && self.version.number >= 400
            || enabled.any(|of| converting.contains(&of.name.as_str()))
    }
}

pub(super) struct Words {
    pub(super) defined: Name,
}

/// A file that is being read.
pub(super) struct OpenFile {
    pub(super) index: usize,
    /// The path in messages.
    pub(super) path: PathBuf,
    pub(super) tokens: Rc<[RawToken]>,
    pub(super) next: usize,
    pub(super) conditionals: Vec<Conditional>,
    /// False in a group of a conditional that is passed over.
    pub(super) is_active: bool,
    /// True if the file was read before.
    pub(super) is_repeated: bool,
    /// The file as `#line` calls it.
    pub(super) string: Option<SourceString>,
}

pub(super) struct Preprocessor<'a> {
    pub(super) source: &'a mut SourceFile,
    pub(super) settings: Settings<'a>,
    pub(super) files: &'a mut dyn Files,
    pub(super) interned: Interned,
    pub(super) words: Words,
    pub(super) macros: FxHashMap<Name, Rc<Macro>>,
    pub(super) open: Vec<OpenFile>,
    pub(super) lexed: FxHashMap<usize, Rc<[RawToken]>>,
    /// The files of the source, by canonical path.
    pub(super) known: FxHashMap<PathBuf, usize>,
    /// Files with `#pragma once`.
    pub(super) once: FxHashSet<usize>,
    /// The canonical folder of the main file.
    pub(super) folder: PathBuf,
    /// The canonical folders whose files may be read.
    pub(super) allowed: Vec<PathBuf>,
    pub(super) version: Version,
    pub(super) compatibility: bool,
    pub(super) version_at: Option<Span>,
    /// Tokens that macros and repeated inclusions made or read.
    pub(super) spent: usize,
    /// True if a limit ends the work.
    pub(super) stopped: bool,
    pub(super) tokens: Vec<Token>,
    pub(super) extensions: Vec<Extension>,
    pub(super) pragmas: Vec<Pragma>,
    pub(super) paths: Vec<PathBuf>,
    pub(super) lines: Lines,
    pub(super) diagnostics: Diagnostics,
}

/// An open conditional.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditional {
    /// The opening directive.
    pub(super) opening: Span,
    /// The `#else`, once read.
    pub(super) otherwise: Option<Span>,
    /// True if the text around it is read.
    pub(super) outer: bool,
    /// True if one of its groups was read.
    pub(super) is_taken: bool,
}

impl<'a> Preprocessor<'a> {
    /// A preprocessor that has read nothing.
    pub(super) fn new(
        source: &'a mut SourceFile,
        settings: &Settings<'a>,
        files: &'a mut dyn Files,
    ) -> Self {
        let mut interned = Interned::default();
        let words = Words { defined: interned.names.number("defined") };
        Self {
            source,
            settings: *settings,
            files,
            interned,
            words,
            macros: FxHashMap::default(),
            open: Vec::new(),
            lexed: FxHashMap::default(),
            known: FxHashMap::default(),
            once: FxHashSet::default(),
            folder: PathBuf::new(),
            allowed: Vec::new(),
            version: settings.default_version,
            compatibility: false,
            version_at: None,
            spent: 0,
            stopped: false,
            tokens: Vec::new(),
            extensions: Vec::new(),
            pragmas: Vec::new(),
            paths: Vec::new(),
            lines: Lines::default(),
            diagnostics: Diagnostics::new(settings.most),
        }
    }
}

impl Preprocessor<'_> {
    pub(super) fn find_folders(&mut self) {
        let main = self.settings.path.and_then(|path| self.files.canonical(path).ok());
        let folder = match &main {
            Some(main) => main.parent().map(Path::to_owned),
            None => self.files.canonical(Path::new(".")).ok(),
        };
        if let Some(main) = main {
            self.known.insert(main, 0);
        }
        self.allowed.extend(folder.clone());
        self.folder = folder.unwrap_or_default();
        for root in self.settings.roots {
            self.allowed.extend(self.files.canonical(root).ok());
        }
    }

    pub(super) fn find_version(&mut self, order: &[usize]) {
        for &index in order {
            let span = self.source.files()[index].span;
            if let Some((at, Ok(line))) = version_line::scan(self.source.slice(span)) {
                self.version = line.version;
                self.compatibility = line.compatibility;
                self.version_at = Some(Span::new(at.start + span.start, at.end + span.start));
                return;
            }
        }
    }

    /// Defines the macros of `--define`.
    pub(super) fn define_all(&mut self) {
        for (name, value) in self.settings.defines {
            let text = format!("{name} {value}");
            let mut lexer = Lexer::new(&text, 0);
            let mut line = Vec::new();
            while let Some(token) = lexer.next(&mut self.interned) {
                line.push(token);
            }
            line.pop();
            let parsed = define::parse(&line, Span::default(), &self.interned, Origin::CommandLine);
            let is_line = lexer.problems.is_empty() && !text.contains(['\n', '\r']);
            match parsed {
                Ok((name, of)) if is_line => {
                    self.macros.insert(name, Rc::new(Macro { at: Span::default(), ..of }));
                }
                Ok(_) => {
                    let what = format!("`--define {text}` is no definition");
                    self.diagnostics.push(error(Span::default(), what).help("write NAME=VALUE"));
                }
                Err(found) => {
                    let what = format!("`--define {text}`: {}", found.message);
                    self.diagnostics.push(error(Span::default(), what).help("write NAME=VALUE"));
                }
            }
        }
    }

    pub(super) fn finish(self, order: &[usize]) -> Preprocessed {
        let mut tokens = self.tokens;
        let end = order.last().map_or(0, |&index| self.source.files()[index].span.end);
        tokens.push(Token { kind: TokenKind::End, span: Span::new(end, end) });
        Preprocessed {
            tokens,
            names: self.interned.names,
            version: self.version,
            compatibility: self.compatibility,
            version_at: self.version_at,
            extensions: self.extensions,
            pragmas: self.pragmas,
            paths: self.paths,
            diagnostics: self.diagnostics,
            complete: !self.stopped,
            lines: self.lines,
        }
    }

    /// The file that is being read. There is one while a directive is read.
    pub(super) fn file(&mut self) -> &mut OpenFile {
        self.open.last_mut().expect("directives stand in files")
    }

    pub(super) fn open_files(&self) -> usize {
        self.open.len()
    }

    /// The tokens of a file.
    pub(super) fn tokens_of(&mut self, index: usize) -> Rc<[RawToken]> {
        if let Some(tokens) = self.lexed.get(&index) {
            return Rc::clone(tokens);
        }
        let span = self.source.files()[index].span;
        let mut lexer = Lexer::new(self.source.slice(span), span.start);
        let mut tokens = Vec::new();
        while let Some(token) = lexer.next(&mut self.interned) {
            tokens.push(token);
        }
        let problems = std::mem::take(&mut lexer.problems);
        problems.into_iter().for_each(|found| self.diagnostics.push(found));
        let tokens: Rc<[RawToken]> = tokens.into();
        self.lexed.insert(index, Rc::clone(&tokens));
        tokens
    }

    /// The next token of the text that is no directive's. With as few open files as `floor`, the end of the last
    /// one is an end of the text.
    pub(super) fn next_text(&mut self, floor: usize) -> Option<RawToken> {
        while !self.stopped {
            let file = self.open.last_mut()?;
            let Some(&token) = file.tokens.get(file.next) else {
                if self.open.len() <= floor {
                    return None;
                }
                if let Some(file) = self.open.pop() {
                    self.unclosed(&file.conditionals);
                }
                continue;
            };
            file.next += 1;
            if token.kind == RawKind::Hash && token.is_first() {
                self.directive(token);
            } else if !file.is_active {
                let rest = &file.tokens[file.next..];
                file.next += rest.iter().take_while(|token| !token.is_first()).count();
            } else if token.kind != RawKind::NewLine {
                let is_repeated = file.is_repeated;
                if is_repeated && !self.spend(1) {
                    let found = self.too_much(token.span);
                    self.diagnostics.push(found);
                    return None;
                }
                return Some(token);
            }
        }
        None
    }

    /// True if the text goes on with an opening parenthesis, before any directive.
    pub(super) fn text_opens(&self) -> bool {
        let Some(file) = self.open.last() else { return false };
        let next = file.tokens[file.next..].iter().find(|token| token.kind != RawKind::NewLine);
        next.is_some_and(|token| token.is(Punctuation::LeftParenthesis))
    }

    /// Counts tokens. False beyond the limit.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        self.spent = self.spent.saturating_add(tokens);
        self.spent <= limits::MACRO_TOKENS
    }

    /// Counts tokens of macros. False, with an error at the invocation, if a limit ends the work.
    pub(super) fn charge(&mut self, tokens: usize, invocation: Span) -> bool {
        if !self.spend(tokens) && !self.stopped {
            self.stopped = true;
            let what = format!("macros expand to more than {} tokens", limits::MACRO_TOKENS);
            let found = error(invocation, what).label("this invocation exceeds the limit");
            let help = "macros that use another one twice double at each level: write functions";
            self.diagnostics.push(found.help(help));
        }
        !self.stopped
    }

    /// The position of an invocation, from its name to its last parenthesis.
    pub(super) fn invocation(&self, name: RawToken, end: Span) -> Span {
        let is_one = !name.is_replaced()
            && end.end >= name.span.end
            && self.source.file_index(name.span.start) == self.source.file_index(end.end);
        if is_one { name.span.to(end) } else { name.span }
    }

    /// A token for messages.
    pub(super) fn shown(&self, kind: RawKind) -> String {
        self.interned.spelling(kind).map_or("a macro".to_owned(), quote)
    }

    /// Adds the definition of a macro to a finding.
    pub(super) fn with_definition(&self, found: Diagnostic, of: &Macro) -> Diagnostic {
        if of.origin == Origin::Text { found.also(of.at, "the macro") } else { found }
    }

    /// Reports an invocation with too few or too many arguments.
    pub(super) fn wrong_count(&mut self, of: &Macro, name: RawToken, span: Span, count: usize) {
        if !self.has_room() {
            return;
        }
        let shown = self.shown(name.kind);
        let arguments = |count: usize| match count {
            1 => "1 argument".to_owned(),
            count => format!("{count} arguments"),
        };
        let expected = arguments(of.parameters.unwrap_or(0));
        let found = error(span, format!("the macro {shown} takes {expected}, not {count}"));
        let found = self.with_definition(found.label(arguments(count)), of);
        self.diagnostics.push(found.help(format!("give it {expected}, with commas between")));
    }
}
