//! Diagnostics as text for users, in the style of rustc.
//!
//! The `annotate-snippets` crate draws. It gets a short excerpt of the text around each label, never the
//! whole text. So the cost and length of a message do not depend on the length of the text or its lines.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Label, Severity, in_order, is_control, printable};
use crate::source::{FilePart, SourceFile, Span};

/// A label over more lines than this points at its first line only.
const MAX_LABEL_LINES: usize = 50;
/// Labels further apart than this are shown in separate snippets.
const MAX_GAP: usize = 500;
/// A line longer than this (in bytes) is shown only around a label.
const MAX_LINE: usize = 400;
/// The mark for the missing beginning of a long line. The renderer cuts its end with the same mark.
const CUT: &str = "...";
/// The number of bytes of a long line that are shown before a label.
const BEFORE_LABEL: usize = 100;

/// The diagnostics in order of position, without duplicates, each followed by an empty line; with ANSI escape
/// sequences if `color`.
///
/// Spans beyond the end of the text or inside a character are moved to the nearest valid position.
pub fn render_text(diagnostics: &[Diagnostic], source: &SourceFile, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in in_order(diagnostics) {
        text += &render_one(diagnostic, source, &renderer);
        text += "\n\n";
    }
    text
}

fn render_one(diagnostic: &Diagnostic, source: &SourceFile, renderer: &Renderer) -> String {
    let level = match diagnostic.code.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = printable(&diagnostic.message);
    let title = level.primary_title(message.as_ref()).id(diagnostic.code.as_str());
    let excerpts = excerpts(diagnostic, source);
    let mut group = Group::with_title(title);
    let names: Vec<_> = excerpts.iter().map(|excerpt| printable(&excerpt.file.name)).collect();
    for (excerpt, name) in excerpts.iter().zip(&names) {
        group = group.element(excerpt.snippet(name));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let mut text = renderer.render(&[group]);
    // The renderer counts columns from the beginning of the excerpt of a long line.
    for excerpt in &excerpts {
        if let Some((wrong, right)) = excerpt.column_correction(source) {
            text = text.replacen(&wrong, &right, 1);
        }
    }
    // The renderer replaces other control characters by symbols, but some terminals obey these, too.
    let controls = |c| c != '\u{1b}' && is_control(c);
    if text.contains(controls) { text.replace(controls, "\u{fffd}") } else { text }
}

/// A label with its lines, counted from 0.
struct Placed<'a> {
    label: &'a Label,
    is_primary: bool,
    /// Clamped to the text, on character boundaries.
    span: Span,
    first: usize,
    last: usize,
}

impl<'a> Placed<'a> {
    fn new(label: &'a Label, is_primary: bool, source: &SourceFile) -> Self {
        let text = source.text();
        let start = text.floor_char_boundary(label.span.start as usize);
        let mut end = text.ceil_char_boundary(label.span.end as usize).max(start);
        let first = source.line_index(start as u32);
        // A span that ends with a line belongs to that line, not to the next.
        let mut last = source.line_index(end.max(start + 1) as u32 - 1).max(first);
        if last - first >= MAX_LABEL_LINES {
            last = first;
            end = end.min(source.line_span(first).end as usize);
        }
        Self { label, is_primary, span: Span::new(start as u32, end as u32), first, last }
    }
}

/// A part of the text, prepared for display.
struct Excerpt<'a> {
    /// The file of the excerpt.
    file: &'a FilePart,
    /// The number of lines before that file.
    lines_before: usize,
    labels: Vec<Placed<'a>>,
    text: String,
    lines: Vec<Line>,
}

/// A line of an excerpt.
struct Line {
    /// The displayed part of the source.
    shown: Span,
    /// The offset of that part in the excerpt.
    offset: usize,
}

/// The excerpts for a diagnostic; the one with the primary label comes first.
fn excerpts<'a>(diagnostic: &'a Diagnostic, source: &'a SourceFile) -> Vec<Excerpt<'a>> {
    let primary = Placed::new(&diagnostic.primary, true, source);
    let secondary = diagnostic.secondary.iter().map(|label| Placed::new(label, false, source));
    let mut labels: Vec<_> = std::iter::once(primary).chain(secondary).collect();
    labels.sort_by_key(|label| label.first);
    let mut groups: Vec<(usize, Vec<Placed<'a>>)> = Vec::new();
    for label in labels {
        match groups.last_mut() {
            Some((last, group))
                if label.first <= *last + MAX_GAP
                    && source.file_index(label.span.start)
                        == source.file_index(group[0].span.start) =>
            {
                *last = label.last.max(*last);
                group.push(label);
            }
            _ => groups.push((label.last, vec![label])),
        }
    }
    groups.sort_by_key(|(_, group)| !group.iter().any(|label| label.is_primary));
    groups.into_iter().map(|(last, group)| Excerpt::new(group, last, source)).collect()
}

impl<'a> Excerpt<'a> {
    /// The excerpt from the first line of the first of `labels` to the line `last`.
    fn new(labels: Vec<Placed<'a>>, last: usize, source: &'a SourceFile) -> Self {
        let file = source.file(labels[0].span.start);
        let lines_before = source.lines_before(file);
        let (text, lines) = (String::new(), Vec::new());
        let mut excerpt = Self { file, lines_before, labels, text, lines };
        for index in excerpt.labels[0].first..=last {
            let shown = excerpt.shown_part(index, source);
            if !excerpt.lines.is_empty() {
                excerpt.text.push('\n');
            }
            if shown.start > source.line_span(index).start {
                excerpt.text.push_str(CUT);
            }
            excerpt.lines.push(Line { shown, offset: excerpt.text.len() });
            excerpt.text += source.slice(shown);
        }
        excerpt
    }

    /// The displayed part of a line: all of it or, if it is long, the part around a label.
    fn shown_part(&self, index: usize, source: &SourceFile) -> Span {
        let line = source.line_span(index);
        let (start, end) = (line.start as usize, line.end as usize);
        if end - start <= MAX_LINE {
            return line;
        }
        let of_line = |label: &&Placed<'_>| label.first == index || label.last == index;
        let label = self.labels.iter().filter(of_line).max_by_key(|label| label.is_primary);
        let anchor = match label {
            Some(label) if label.first == index => label.span.start as usize,
            Some(label) => label.span.end as usize,
            None => start,
        };
        let from = source.text().floor_char_boundary(anchor.saturating_sub(BEFORE_LABEL));
        let to = source.text().floor_char_boundary(anchor + MAX_LINE - BEFORE_LABEL);
        Span::new(from.max(start) as u32, to.clamp(start, end) as u32)
    }

    /// The offset in the excerpt nearest to an offset in the source.
    fn offset(&self, offset: u32) -> usize {
        let after = self.lines.partition_point(|line| line.shown.start <= offset);
        let line = &self.lines[after.saturating_sub(1)];
        let clamped = offset.clamp(line.shown.start, line.shown.end);
        line.offset + (clamped - line.shown.start) as usize
    }

    /// The end of the line `--> file:line:column`, as the renderer writes it and corrected; `None` if it is
    /// correct.
    fn column_correction(&self, source: &SourceFile) -> Option<(String, String)> {
        let label = self.labels.iter().find(|label| label.is_primary).unwrap_or(&self.labels[0]);
        let place = source.line_column(label.span.start);
        let before = &self.text[..self.offset(label.span.start)];
        let column = before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1;
        let end = |column| format!(":{}:{column}\n", place.line);
        (column != place.column).then(|| (end(column), end(place.column)))
    }

    fn snippet<'s>(&'s self, path: &'s str) -> Snippet<'s, Annotation<'s>> {
        let annotations = self.labels.iter().map(|label| {
            let kind = match label.is_primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            let message = Some(label.label.message.as_str()).filter(|message| !message.is_empty());
            let message = message.map(printable);
            kind.span(self.offset(label.span.start)..self.offset(label.span.end)).label(message)
        });
        Snippet::source(self.text.as_str())
            .path(path)
            .line_start(self.labels[0].first - self.lines_before + 1)
            .annotations(annotations)
    }
}
