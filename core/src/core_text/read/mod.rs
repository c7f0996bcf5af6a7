//! Reads core text into a graph.
//!
//! The reader takes one line at a time, with a stack of open blocks. It reports a wrong line and marks the
//! definitions in that line as broken, so that their uses are not reported, too.

mod blocks;
mod definitions;
mod interface;
mod memory;
mod passes;
mod triangles;
mod types;

use super::line::{Line, LineError, Reading, malformed, type_number, value_number};
use super::{MAGIC, VERSION, VERSION_WITHOUT_MEMORY};
use crate::decode::too_long;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::graph::{Attribute, Core, LoopId, Name, NodeId, Passes, Varying};
use crate::limits;
use crate::source::{SourceFile, Span};
use crate::state::State as PipelineState;
use crate::types::Type;
use lambdav_float_environment::with_default;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Reads core text. Returns the program, unless there is an error, and the diagnostics.
pub fn read(source: &SourceFile) -> (Option<Core>, Diagnostics) {
    read_within(source, limits::ERRORS)
}

/// Like [`read`], but stops after `most` errors, at least one.
pub fn read_within(source: &SourceFile, most: usize) -> (Option<Core>, Diagnostics) {
    with_default(|| read_all(source, most))
}

fn read_all(source: &SourceFile, most: usize) -> (Option<Core>, Diagnostics) {
    let mut reader = Reader {
        core: Core::default(),
        values: FxHashMap::default(),
        discard: None,
        uniforms: FxHashMap::default(),
        uniform_words: 0,
        triangles: Pending::default(),
        passes: PendingPasses::default(),
        types: FxHashMap::default(),
        has_memory: false,
        invocation: None,
        open_blocks: vec![OpenBlock::new(BlockKind::Root, Wants::Nothing, Span::default())],
        diagnostics: Diagnostics::new(most.max(1)),
        in_unknown: false,
        stopped: false,
    };
    reader.text(source.text());
    if reader.diagnostics.is_empty() {
        reader.finish_triangles();
    }
    if reader.diagnostics.is_empty() {
        reader.finish_passes();
    }
    let whole = reader.diagnostics.is_empty();
    if let (true, Some((condition, clear, span))) = (whole, reader.discard) {
        reader.core.discard_if(condition, clear, span);
    }
    (whole.then_some(reader.core), reader.diagnostics)
}

/// The state of a value's name.
#[derive(Clone, Copy)]
enum State {
    /// The blocks of its definition are still open.
    Pending,
    Defined(NodeId),
    /// Its definition is wrong.
    Broken,
    /// Its block has ended.
    Gone,
}

/// A loop whose body is open.
struct OpenLoop {
    id: LoopId,
    ty: Type,
    params: Vec<NodeId>,
    inits: Vec<NodeId>,
}

/// The required end of a block.
#[derive(Clone)]
enum Wants {
    /// None: the block is the root.
    Nothing,
    /// A value of this type.
    Value(Type),
    /// A tail of this loop.
    Tail(Rc<OpenLoop>),
    /// Unknown, since the opening line is wrong.
    Anything,
}

/// A value that is defined when the block closes.
#[derive(Clone)]
struct Definition {
    number: u32,
    name: Option<Name>,
    ty: Type,
}

/// The node at the end of a block; `None` if the end is wrong.
type Ending = Option<NodeId>;

/// The kind of an open block.
enum BlockKind {
    Root,
    /// An arm of an `if`, in a definition or in a tail. `then` is set in the second arm.
    If {
        target: Option<Definition>,
        condition: NodeId,
        then: Option<Ending>,
    },
    Guard(Definition),
    Loop(Definition, Rc<OpenLoop>),
    /// A block whose opening line is wrong.
    Broken,
}

struct OpenBlock {
    kind: BlockKind,
    wants: Wants,
    /// The opening line.
    span: Span,
    /// The values that go out of scope when the block closes.
    defined: Vec<u32>,
    ending: Option<Ending>,
}

impl OpenBlock {
    fn new(kind: BlockKind, wants: Wants, span: Span) -> Self {
        Self { kind, wants, span, defined: Vec::new(), ending: None }
    }
}

/// The declarations and roots that have been read.
#[derive(Default)]
struct Pending {
    attributes: Vec<Attribute>,
    /// Varyings, whose nodes are dummies until `vary` gives them.
    varyings: Vec<Varying>,
    /// The value of each varying.
    varied: Vec<Option<NodeId>>,
    position: Option<NodeId>,
    depth: Option<NodeId>,
    discard: Option<NodeId>,
    state: Option<PipelineState>,
    /// The first line of this kind.
    first: Option<Span>,
}

/// Results and passes so far.
#[derive(Default)]
struct PendingPasses {
    all: Passes,
    /// The number of words of the elements of all writes.
    words: usize,
    /// The first input of ids.
    id: Option<Span>,
    /// The first line of this kind.
    first: Option<Span>,
}

struct Reader {
    core: Core,
    values: FxHashMap<u32, (State, Span)>,
    /// The condition, colour and position of `discard`.
    discard: Option<(NodeId, [f32; 4], Span)>,
    uniforms: FxHashMap<String, u32>,
    /// The number of words of all uniforms.
    uniform_words: usize,
    /// The stages of a program that draws triangles.
    triangles: Pending,
    /// Results and passes.
    passes: PendingPasses,
    /// The declared types; `None` for a wrong declaration.
    types: FxHashMap<u32, Option<Type>>,
    /// The text is of a version with memories.
    has_memory: bool,
    /// The first input of invocations.
    invocation: Option<Span>,
    open_blocks: Vec<OpenBlock>,
    diagnostics: Diagnostics,
    /// The line before began with no statement's word.
    in_unknown: bool,
    stopped: bool,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if text.len() > limits::CORE_TEXT {
            self.report(too_long(limits::CORE_TEXT));
            return;
        }
        let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut offset = skipped as u32;
        let mut started = false;
        for text in text[skipped..].split('\n') {
            let mut line = Line::new(text, offset);
            offset += text.len() as u32 + 1;
            let first = line.peek();
            if first.text.is_empty() {
                continue;
            }
            let result = if started { self.line(&mut line) } else { self.header(&mut line) };
            match result {
                Ok(()) => self.in_unknown = false,
                Err(LineError::New(diagnostic)) if !started => return self.report(*diagnostic),
                Err(error) => self.recover(error, Line::new(text, first.span.start), line),
            }
            started = true;
            if self.stopped {
                return;
            }
        }
        let innermost = &self.open_blocks[self.open_blocks.len() - 1];
        if !started {
            self.report(malformed(Span::default(), format!("core text begins with `{MAGIC}`")));
        } else if !matches!(innermost.kind, BlockKind::Root | BlockKind::Broken) {
            let diagnostic = malformed(innermost.span, "this block is not closed")
                .help("close it with `}` on a line of its own");
            self.report(diagnostic);
        } else if self.diagnostics.is_empty() {
            let end = Span::new(offset - 1, offset - 1);
            if let Err(LineError::New(diagnostic)) = self.results(end) {
                self.report(*diagnostic);
            }
        }
    }

    fn report(&mut self, mut diagnostic: Diagnostic) {
        if self.diagnostics.len() + 1 == self.diagnostics.most() {
            diagnostic = diagnostic.note("further mistakes are not looked for");
            self.stopped = true;
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error, and marks the definitions and blocks of the line as broken.
    fn recover(&mut self, error: LineError, whole: Line<'_>, mut rest: Line<'_>) {
        let first = whole.peek();
        let is_unknown = !is_statement(first.text);
        match error {
            LineError::New(diagnostic) if !(is_unknown && self.in_unknown) => {
                self.report(*diagnostic);
            }
            LineError::New(_) | LineError::Known => {}
        }
        self.in_unknown = is_unknown;
        if matches!(first.text, "yield" | "rec" | "if") {
            self.set_ending(None);
        }
        if first.text == "type" {
            let mut tokens = whole.clone();
            tokens.take();
            if let Some(number) = type_number(tokens.peek().text) {
                self.types.entry(number).or_insert(None);
            }
        }
        // A line has one definition, or several if it begins a loop.
        let mut tokens = whole;
        while !tokens.peek().text.is_empty() {
            let token = tokens.take();
            let number = value_number(token.text);
            if number.is_some() && tokens.peek().text.starts_with('"') {
                tokens.take();
            }
            if let (Some(number), ":") = (number, tokens.peek().text) {
                self.values.entry(number).or_insert((State::Broken, token.span));
            }
        }
        let mut last = first.text;
        while !rest.peek().text.is_empty() {
            last = rest.take().text;
        }
        if last == "{" && first.text != "}" {
            self.open(OpenBlock::new(BlockKind::Broken, Wants::Anything, first.span));
        }
    }

    /// Takes the first line.
    fn header(&mut self, line: &mut Line<'_>) -> Reading<()> {
        let first = line.take();
        if first.text != MAGIC {
            return Err(malformed(first.span, format!("core text begins with `{MAGIC}`")).into());
        }
        let version = line.take();
        let known = [VERSION_WITHOUT_MEMORY, VERSION];
        let Some(found) = known.into_iter().find(|known| version.text == known.to_string()) else {
            let message = format!("this is version {} of core text", version.name());
            let [old, new] = known;
            let help = format!(
                "this program reads versions {old} and {new}: print the core again with it"
            );
            return Err(Diagnostic::new(DiagnosticCode::CoreVersion, version.span, message)
                .help(help)
                .into());
        };
        self.has_memory = found == VERSION;
        line.end()
    }

    fn line(&mut self, line: &mut Line<'_>) -> Reading<()> {
        let first = line.peek();
        if first.text.starts_with('%') {
            self.check_not_ended(first.span)?;
            return self.definition(line);
        }
        if !is_statement(first.text) {
            return Err(
                malformed(first.span, format!("{} begins no statement", first.name())).into()
            );
        }
        line.take();
        match first.text {
            "}" => self.close(line, first.span),
            "type" => self.declared_type(line, first.span),
            "uniform" => self.uniform(line, first.span),
            "output" => self.output(line, first.span),
            "discard" => self.discard(line, first.span),
            "effect" => self.effect(line, first.span),
            "workgroup-size" => self.workgroup_size(line, first.span),
            "result" => self.result(line, first.span),
            "pass" => self.pass(line, first.span),
            "write" => self.write(line, first.span),
            "attribute" | "varying" | "state" | "vary" | "position" | "depth" | "discard-if" => {
                self.of_triangles(first.text, line, first.span)
            }
            end => {
                self.check_not_ended(first.span)?;
                self.end(end, line, first.span)
            }
        }
    }

    fn open_block(&mut self) -> &mut OpenBlock {
        self.open_blocks.last_mut().expect("the root is never closed")
    }

    fn check_not_ended(&mut self, span: Span) -> Reading<()> {
        let open_block = self.open_block();
        if open_block.ending.is_none() || matches!(open_block.kind, BlockKind::Broken) {
            return Ok(());
        }
        Err(malformed(span, "the block has ended before this line").into())
    }

    fn set_ending(&mut self, ending: Ending) {
        self.open_block().ending = Some(ending);
    }

    /// Takes a use of a value.
    fn operand(&self, line: &mut Line<'_>) -> Reading<(NodeId, Type)> {
        let (number, span) = line.value()?;
        let (message, label, place) = match self.values.get(&number) {
            Some(&(State::Defined(node), _)) => {
                return Ok((node, self.core.graph.value_type(node)));
            }
            Some((State::Broken, _)) => return Err(LineError::Known),
            None => return Err(malformed(span, format!("%{number} is not defined")).into()),
            Some(&(State::Gone, place)) => {
                (format!("%{number} cannot be used here"), "its block has ended", place)
            }
            Some(&(State::Pending, place)) => {
                (format!("%{number} has no value yet"), "this computes it", place)
            }
        };
        Err(malformed(span, message).also(place, label).into())
    }

    fn condition(&self, line: &mut Line<'_>) -> Reading<NodeId> {
        let span = line.peek().span;
        let (node, ty) = self.operand(line)?;
        if ty != Type::BOOL {
            let message = format!("a condition is a bool, not a {}", self.type_name(ty));
            return Err(malformed(span, message).into());
        }
        line.expect("{")?;
        line.end()?;
        Ok(node)
    }

    fn type_name(&self, ty: Type) -> String {
        self.core.graph.types().name(ty).to_string()
    }

    /// Defines a name, which must be new, in the innermost block.
    fn name(&mut self, number: u32, span: Span, state: State) -> Reading<()> {
        if let Some(&(_, other)) = self.values.get(&number) {
            let message = format!("%{number} is defined a second time");
            return Err(malformed(span, message).also(other, "first here").into());
        }
        self.values.insert(number, (state, span));
        self.open_block().defined.push(number);
        Ok(())
    }
}

fn is_statement(word: &str) -> bool {
    word.starts_with('%')
        || matches!(word, "}" | "type" | "uniform" | "output" | "discard" | "yield" | "rec" | "if")
        || matches!(word, "attribute" | "varying" | "state" | "vary" | "position" | "depth")
        || matches!(word, "discard-if" | "effect" | "workgroup-size" | "result" | "pass" | "write")
}
