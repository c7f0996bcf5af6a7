//! Parses tokens into the tree.
//!
//! Guarantees, for every text: the parser returns; it does not recurse; there is a finding if and only if the
//! text breaks a rule of the syntax. A text without findings has no [`ExprKind::Error`].

use super::lexer::{Lexer, Token, TokenKind};
use super::number::{self, Reading};
use super::{Expr, ExprId, ExprKind, Tree};
use lambdav_core::decode::too_long;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, Severity, quote};
use lambdav_core::limits::{self, LIST_NESTING};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type};
use lambdav_float_environment::with_default;

/// Parses a text, with at most [`limits::ERRORS`] findings in order of position.
pub fn parse(source: &SourceFile) -> (Tree, Diagnostics) {
    parse_within(source, limits::ERRORS)
}

/// Like [`parse`], with at most `most` findings.
///
/// Unreadable parts become [`ExprKind::Error`] in the tree: malformed numbers, words with control characters,
/// lists that are not closed or nested too deep. Nodes inside such lists stay in the arena, although no list
/// contains them.
pub fn parse_within(source: &SourceFile, most: usize) -> (Tree, Diagnostics) {
    let (tree, _, diagnostics) = parse_beside(source, None, most);
    (tree, diagnostics)
}

/// Like [`parse_within`], also for a file that no other file includes: returns its expressions, which are in the tree,
/// and not among its roots.
pub(crate) fn parse_beside(
    source: &SourceFile,
    beside: Option<usize>,
    most: usize,
) -> (Tree, Vec<ExprId>, Diagnostics) {
    if source.text().len() > limits::TEXT {
        return (Tree::default(), Vec::new(), vec![too_long(limits::TEXT)].into());
    }
    with_default(|| {
        let mut parser = Parser::new(source, most);
        let mut roots = Vec::with_capacity(source.files().len());
        for file in source.files() {
            for token in Lexer::new(source, file.span) {
                parser.token(token);
            }
            parser.end_file(file.span);
            roots.push(std::mem::take(&mut parser.tree.roots));
        }
        parser.tree.roots = spliced(source, &parser.tree, &roots);
        let beside = beside.map(|file| std::mem::take(&mut roots[file])).unwrap_or_default();
        let (tree, diagnostics) = parser.finish();
        (tree, beside, diagnostics)
    })
}

/// The top-level expressions of all files, with those of an included file in place of its `include`.
fn spliced(source: &SourceFile, tree: &Tree, roots: &[Vec<ExprId>]) -> Vec<ExprId> {
    let mut all = Vec::new();
    let mut inside = vec![roots[0].iter()];
    while let Some(file) = inside.last_mut() {
        match file.next() {
            None => drop(inside.pop()),
            Some(&root) => match source.inclusion(tree.get(root).span.start) {
                None => all.push(root),
                // Each file occurs only once: other `include`s of it stand for nothing.
                Some(inclusion) => inside.extend(inclusion.file.map(|file| roots[file].iter())),
            },
        }
    }
    all
}

/// A list whose closing parenthesis has not been read yet.
struct OpenList {
    open: Span,
    children: Vec<ExprId>,
}

/// A sign that a list should have been closed earlier: a line inside it is indented no further.
struct Suspicion {
    /// The index of the list in the stack.
    depth: usize,
    /// The parenthesis that begins the line.
    next: Span,
}

struct Parser<'a> {
    source: &'a SourceFile,
    /// The most findings that are kept.
    most: usize,
    tree: Tree,
    stack: Vec<OpenList>,
    /// The lists of the stack that begin a line: their indices and indents. Without a suspicion the indents
    /// ascend.
    indented: Vec<(usize, u32)>,
    /// The number of open lists beyond [`limits::LIST_NESTING`], and the beginning of the first one.
    skipped: usize,
    skipped_open: Span,
    /// The oldest suspicion about a list that is still open.
    suspicion: Option<Suspicion>,
    /// The index in `diagnostics` of the current run of unmatched parentheses, and its length. A run is one
    /// finding.
    unmatched: Option<(usize, usize)>,
    diagnostics: Vec<Diagnostic>,
    /// The number of findings not kept.
    dropped: usize,
    too_deep_reported: bool,
}

impl<'a> Parser<'a> {
    fn new(source: &'a SourceFile, most: usize) -> Self {
        Self {
            source,
            most,
            tree: Tree::default(),
            stack: Vec::new(),
            indented: Vec::new(),
            skipped: 0,
            skipped_open: Span::default(),
            suspicion: None,
            unmatched: None,
            diagnostics: Vec::new(),
            dropped: 0,
            too_deep_reported: false,
        }
    }

    fn report(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.diagnostics.len() < self.most {
            self.diagnostics.push(diagnostic());
        } else {
            self.dropped += 1;
        }
    }

    /// Adds a node to the innermost open list.
    fn push(&mut self, kind: ExprKind, span: Span) {
        let id = self.tree.push(Expr { kind, span });
        match self.stack.last_mut() {
            Some(list) => list.children.push(id),
            None => self.tree.roots.push(id),
        }
    }

    fn token(&mut self, token: Token) {
        if self.skipped > 0 {
            match token.kind {
                TokenKind::Open => self.skipped += 1,
                TokenKind::Close => {
                    self.skipped -= 1;
                    if self.skipped == 0 {
                        self.push(ExprKind::Error, self.skipped_open.to(token.span));
                    }
                }
                TokenKind::Word | TokenKind::String | TokenKind::Comment => {}
            }
            return;
        }
        if matches!(token.kind, TokenKind::Open | TokenKind::Word | TokenKind::String) {
            self.end_unmatched();
        }
        match token.kind {
            TokenKind::Open => self.open(token),
            TokenKind::Close => self.close(token.span),
            TokenKind::Word => self.word(token.span),
            TokenKind::String => self.string(token.span),
            TokenKind::Comment => {
                self.control_characters(token.span, is_other_control);
            }
        }
    }

    fn open(&mut self, token: Token) {
        if self.stack.len() == LIST_NESTING {
            self.skipped = 1;
            self.skipped_open = token.span;
            if !self.too_deep_reported {
                self.too_deep_reported = true;
                self.report(|| {
                    Diagnostic::new(
                        DiagnosticCode::NestedTooDeep,
                        token.span,
                        format!("this list is inside {LIST_NESTING} others, the most that can be"),
                    )
                    .label("too deep from here on")
                    .help("name inner expressions with `let*` or `define`")
                });
            }
            return;
        }
        let depth = self.stack.len();
        if let Some(indent) = token.indent {
            if self.suspicion.is_none() {
                let before = self.indented.partition_point(|&(_, other)| other < indent);
                let around = self.indented.get(before);
                self.suspicion = around.map(|&(depth, _)| Suspicion { depth, next: token.span });
            }
            self.indented.push((depth, indent));
        }
        self.stack.push(OpenList { open: token.span, children: Vec::new() });
    }

    fn close(&mut self, close: Span) {
        let Some(list) = self.stack.pop() else { return self.unmatched(close) };
        let depth = self.stack.len();
        self.indented.pop_if(|list| list.0 == depth);
        if self.suspicion.as_ref().is_some_and(|s| s.depth == depth) {
            self.suspicion = None;
        }
        self.push(ExprKind::List(list.children.into()), list.open.to(close));
    }

    fn unmatched(&mut self, close: Span) {
        if let Some((_, count)) = &mut self.unmatched {
            *count += 1;
            return;
        }
        self.unmatched = Some((self.diagnostics.len(), 1));
        self.report(|| {
            let message = "this closing parenthesis has no opening one";
            Diagnostic::new(DiagnosticCode::UnmatchedParenthesis, close, message)
                .label("no list is open here")
                .help("remove it or open a list before it")
        });
    }

    /// Ends a run of unmatched parentheses.
    fn end_unmatched(&mut self) {
        if let Some((at, count @ 2..)) = self.unmatched.take()
            && let Some(d) = self.diagnostics.get_mut(at)
        {
            d.message = format!("{count} closing parentheses have no opening ones");
            d.primary.message = "the first of them: no list is open here".into();
            d.help = Some("remove them or open lists before them".into());
        }
    }

    fn word(&mut self, span: Span) {
        let word = self.source.slice(span);
        if word.contains(char::is_control) {
            let has_others = self.control_characters(span, is_other_control);
            if has_others {
                self.push(ExprKind::Error, span);
            }
            return;
        }
        let kind = match number::read(word) {
            Reading::Number { value, index } => ExprKind::Number { value, index },
            Reading::Integer(scalar, bits) => ExprKind::Integer(scalar, bits),
            Reading::NotANumber => match word {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                _ => ExprKind::Identifier(word.into()),
            },
            Reading::Malformed => {
                self.report(|| {
                    let message = format!("{} starts like a number and is not one", quote(word));
                    Diagnostic::new(DiagnosticCode::MalformedNumber, span, message)
                        .label("not a number")
                        .help(number::advice(word))
                });
                ExprKind::Error
            }
            Reading::TooLarge => {
                self.report(|| {
                    let message = format!("{} is too large for a binary32", quote(word));
                    Diagnostic::new(DiagnosticCode::NumberTooLarge, span, message)
                        .label("rounds to infinity")
                        .note("the largest number is 3.4028235e38")
                        .help("write a smaller number; `(/ 1 0)` is infinity, if that is meant")
                });
                ExprKind::Error
            }
            Reading::DoesNotFit(scalar) => {
                let ty = Type::of(scalar, 1).name().expect("it is builtin");
                let (article, limits) = match scalar {
                    Scalar::I32 => ("an", "from -2147483648i to 2147483647i"),
                    _ => ("a", "from 0u to 4294967295u"),
                };
                self.report(|| {
                    let message = format!("{} does not fit in {article} {ty}", quote(word));
                    Diagnostic::new(DiagnosticCode::NumberTooLarge, span, message)
                        .label(format!("{article} {ty} is {limits}"))
                        .help(match scalar {
                            Scalar::I32 => "write `(int 0xffffffffu)` for the int of these bits",
                            _ => "write a smaller number, or a num, without the suffix",
                        })
                });
                ExprKind::Error
            }
        };
        self.push(kind, span);
    }

    fn string(&mut self, span: Span) {
        let text = self.source.slice(span);
        let Some(content) = text[1..].strip_suffix('"') else {
            self.report(|| {
                let message = "this string is not closed";
                Diagnostic::new(DiagnosticCode::UnclosedString, span, message)
                    .label("a string ends in its line")
                    .help("close it with `\"`")
            });
            return self.push(ExprKind::Error, span);
        };
        let has_control = content.contains(char::is_control);
        if has_control {
            self.control_characters(span, char::is_control);
        }
        let kind = if has_control { ExprKind::Error } else { ExprKind::String(content.into()) };
        self.push(kind, span);
    }

    /// Reports each run of characters that satisfy `is_bad` in `span`; returns true if the span has other
    /// characters.
    fn control_characters(&mut self, span: Span, is_bad: fn(char) -> bool) -> bool {
        let text = self.source.slice(span);
        let mut has_others = false;
        let mut rest = 0;
        while let Some(start) = text[rest..].find(is_bad).map(|n| rest + n) {
            has_others |= start > rest;
            let run = &text[start..];
            let run = &run[..run.find(|c| !is_bad(c)).unwrap_or(run.len())];
            rest = start + run.len();
            let at = span.start + start as u32;
            self.report(|| {
                let first = run.chars().next().unwrap_or_default();
                let number = u32::from(first);
                let message = match run.chars().count() {
                    1 => format!("the control character U+{number:04X} stands in the text"),
                    count => format!("{count} control characters stand in the text"),
                };
                Diagnostic::new(
                    DiagnosticCode::ControlCharacter,
                    Span::new(at, at + run.len() as u32),
                    message,
                )
                .label(format!("U+{number:04X}"))
                .help(if is_other_control(first) {
                    "remove it; of the control characters only white space may stand in a text"
                } else {
                    "remove it, or write blanks: in a string no control character may stand"
                })
            });
        }
        has_others || rest < text.len()
    }

    /// Reports the lists that are open at the end of a file.
    fn end_file(&mut self, file: Span) {
        self.end_unmatched();
        // Lists too deep have been reported; they are not reported as unclosed, too.
        if self.skipped == 0 {
            let unclosed = self.unclosed();
            unclosed.into_iter().for_each(|found| self.report(|| found));
        }
        if let Some(outermost) = self.stack.first() {
            let end = file.start + self.source.slice(file).trim_ascii_end().len() as u32;
            let span = Span::new(outermost.open.start, end.max(outermost.open.end));
            self.stack.clear();
            self.push(ExprKind::Error, span);
        }
        self.indented.clear();
        self.skipped = 0;
        self.suspicion = None;
    }

    fn finish(mut self) -> (Tree, Diagnostics) {
        self.diagnostics.sort_by_key(|d| d.primary.span);
        let mut found = Diagnostics::new(self.most);
        self.diagnostics.into_iter().for_each(|d| found.push(d));
        (0..self.dropped).for_each(|_| found.omit(Severity::Error));
        (self.tree, found)
    }

    /// LV0104, if lists are open at the end of the text.
    fn unclosed(&self) -> Option<Diagnostic> {
        let (innermost, outermost) = (self.stack.last()?, self.stack.first()?);
        let count = self.stack.len();
        let list = match &self.suspicion {
            Some(suspicion) => &self.stack[suspicion.depth],
            None => innermost,
        };
        let mut diagnostic =
            Diagnostic::new(DiagnosticCode::UnclosedList, list.open, "this list is not closed")
                .label("opened here");
        if let Some(suspicion) = &self.suspicion {
            diagnostic =
                diagnostic.also(suspicion.next, "indented as if that list had ended before");
        } else if count > 1 {
            diagnostic = diagnostic.also(outermost.open, "nor is this one");
        }
        if count > 1 {
            diagnostic = diagnostic.note(format!("{count} lists are open at the end of the text"));
        }
        let help = match (&self.suspicion, count) {
            (Some(_), _) => "close it with `)` before that line".into(),
            (None, 1) => "close it with `)` where it ends".into(),
            (None, _) => format!("close them with {count} `)` where they end"),
        };
        Some(diagnostic.help(help))
    }
}

/// True for control characters except white space: neither tokens nor comments may contain them.
fn is_other_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t'..='\r')
}
