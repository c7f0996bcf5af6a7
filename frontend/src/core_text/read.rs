//! From text to a graph.
//!
//! Lines are taken one by one; open blocks are on a stack. A line that is wrong is reported, and
//! what it would have defined counts as wrong from then on, so that its uses are not reported too.

use super::line::{Line, Reading, Trouble, malformed, value_number};
use super::names::{is_digits, operation, operation_names};
use super::{MAGIC, MAX_TEXT, VERSION};
use crate::builtins::Input;
use crate::core::{Core, ExprType, LoopId, NodeId, Output, Uniform};
use crate::diagnostics::{Code, Diagnostic, nearest_name, quote};
use crate::schedule::MAX_BLOCK_NESTING;
use crate::source::{SourceFile, Span};
use crate::types::{Scalar, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How many mistakes are reported.
pub(super) const MAX_MISTAKES: usize = 50;

/// Reads core text: the program, if no diagnostic is an error, and all that is to be said about it.
pub fn read(source: &SourceFile) -> (Option<Core>, Vec<Diagnostic>) {
    let mut reader = Reader {
        core: Core::default(),
        values: FxHashMap::default(),
        uniforms: FxHashMap::default(),
        frames: vec![Frame::new(Kind::Root, Wants::Nothing, Span::default())],
        diagnostics: Vec::new(),
        in_rubbish: false,
        stopped: false,
    };
    reader.text(source.text());
    let whole = reader.diagnostics.is_empty();
    (whole.then_some(reader.core), reader.diagnostics)
}

/// What is known of the name of a value.
#[derive(Clone, Copy)]
enum State {
    /// The blocks that compute it are still open.
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

/// What a block may end in.
#[derive(Clone)]
enum Wants {
    /// It is the root and has no end.
    Nothing,
    /// A value of that type.
    Value(Type),
    /// A tail of that loop.
    Tail(Rc<OpenLoop>),
    /// Nobody knows, since what opened it is wrong.
    Anything,
}

/// A value that is defined when the block closes.
#[derive(Clone, Copy)]
struct Target {
    number: u32,
    ty: Type,
}

/// The end of a block, or that it is wrong.
type Ending = Option<NodeId>;

/// What an open block is.
enum Kind {
    Root,
    /// The arm of an `if`: of a definition, or of a tail. `then` is there in the second arm.
    If {
        target: Option<Target>,
        condition: NodeId,
        then: Option<Ending>,
    },
    Guard(Target),
    Loop(Target, Rc<OpenLoop>),
    /// Something whose first line is wrong.
    Broken,
}

struct Frame {
    kind: Kind,
    wants: Wants,
    /// The line that opened it.
    span: Span,
    /// The values that are gone when it closes.
    defined: Vec<u32>,
    ending: Option<Ending>,
}

impl Frame {
    fn new(kind: Kind, wants: Wants, span: Span) -> Self {
        Self { kind, wants, span, defined: Vec::new(), ending: None }
    }
}

struct Reader {
    core: Core,
    values: FxHashMap<u32, (State, Span)>,
    uniforms: FxHashMap<String, u32>,
    frames: Vec<Frame>,
    diagnostics: Vec<Diagnostic>,
    /// Whether the line before was no statement at all.
    in_rubbish: bool,
    stopped: bool,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if text.len() > MAX_TEXT {
            let message = format!("core text is at most {MAX_TEXT} bytes long");
            self.report(Diagnostic::new(Code::TextTooLong, Span::default(), message));
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
            let result = if started { self.line(&mut line) } else { header(&mut line) };
            match result {
                Ok(()) => self.in_rubbish = false,
                Err(Trouble::New(diagnostic)) if !started => return self.report(*diagnostic),
                Err(trouble) => self.recover(trouble, Line::new(text, first.span.start), line),
            }
            started = true;
            if self.stopped {
                return;
            }
        }
        let innermost = &self.frames[self.frames.len() - 1];
        if !started {
            self.report(malformed(Span::default(), format!("core text begins with `{MAGIC}`")));
        } else if !matches!(innermost.kind, Kind::Root | Kind::Broken) {
            let diagnostic = malformed(innermost.span, "this block is not closed")
                .help("close it with `}` on a line of its own");
            self.report(diagnostic);
        } else if self.core.outputs.is_empty() && self.diagnostics.is_empty() {
            let end = Span::new(offset - 1, offset - 1);
            self.report(malformed(end, "the program has no output").help("add `output 0 = %…`"));
        }
    }

    fn report(&mut self, mut diagnostic: Diagnostic) {
        if self.diagnostics.len() + 1 == MAX_MISTAKES {
            diagnostic = diagnostic.note("further mistakes are not looked for");
            self.stopped = true;
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports trouble and takes care of what the line would have defined and opened.
    fn recover(&mut self, trouble: Trouble, whole: Line<'_>, mut rest: Line<'_>) {
        let first = whole.peek();
        let rubbish = !is_statement(first.text);
        if let Trouble::New(diagnostic) = trouble {
            if !(rubbish && self.in_rubbish) {
                self.report(*diagnostic);
            }
        }
        self.in_rubbish = rubbish;
        if matches!(first.text, "yield" | "rec" | "if") {
            self.set_ending(None);
        }
        // The line has one definition, or, if it begins a loop, several.
        let mut tokens = whole;
        while !tokens.peek().text.is_empty() {
            let token = tokens.take();
            if let (Some(number), ":") = (value_number(token.text), tokens.peek().text) {
                self.values.entry(number).or_insert((State::Broken, token.span));
            }
        }
        let mut last = first.text;
        while !rest.peek().text.is_empty() {
            last = rest.take().text;
        }
        if last == "{" && first.text != "}" {
            self.open(Frame::new(Kind::Broken, Wants::Anything, first.span));
        }
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
            "uniform" => self.uniform(line, first.span),
            "output" => self.output(line, first.span),
            end => {
                self.check_not_ended(first.span)?;
                self.end(end, line, first.span)
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the root is never closed")
    }

    fn check_not_ended(&mut self, span: Span) -> Reading<()> {
        let frame = self.frame();
        if frame.ending.is_none() || matches!(frame.kind, Kind::Broken) {
            return Ok(());
        }
        Err(malformed(span, "the block has ended before this line").into())
    }

    fn set_ending(&mut self, ending: Ending) {
        self.frame().ending = Some(ending);
    }

    fn uniform(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let name_span = line.peek().span;
        let name = line.string()?;
        line.expect(":")?;
        let type_span = line.peek().span;
        let ty = line.ty()?;
        line.expect("=")?;
        let default = line.constant(ty)?;
        line.end()?;
        self.check_root(first, "a uniform")?;
        let unfit = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | ';');
        if name.is_empty() || name.contains(unfit) {
            return Err(malformed(name_span, "this cannot be the name of a uniform").into());
        }
        if matches!(ty, Type::Vector(Scalar::Bool, _)) {
            return Err(malformed(type_span, format!("a uniform cannot be a {ty}")).into());
        }
        if self.uniforms.contains_key(&name) {
            let message = format!("there is a uniform {} already", quote(&name));
            return Err(malformed(name_span, message).into());
        }
        self.uniforms.insert(name.clone(), self.core.uniforms.len() as u32);
        self.core.uniforms.push(Uniform { name, ty, default: default.into() });
        Ok(())
    }

    fn output(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let location = line.take();
        line.expect("=")?;
        let (node, ty) = self.operand(line)?;
        line.end()?;
        self.check_root(first, "an output")?;
        let index = location.text.parse().ok().filter(|&l: &u32| l < 8 && is_digits(location.text));
        let Some(index) = index else {
            let message = format!("an output has a location from 0 to 7, not {}", location.name());
            return Err(malformed(location.span, message).into());
        };
        let span = line.span_from(first);
        if ty.scalar() != Scalar::F32 || matches!(ty, Type::Matrix(..)) {
            return Err(malformed(span, format!("an output cannot be a {ty}")).into());
        }
        if let Some(other) = self.core.outputs.iter().find(|output| output.location == index) {
            let message = format!("there is an output {index} already");
            return Err(malformed(span, message).also(other.span, "here").into());
        }
        self.core.outputs.push(Output { location: index, node, span });
        Ok(())
    }

    fn check_root(&self, span: Span, what: &str) -> Reading<()> {
        match self.frames.iter().find(|frame| !matches!(frame.kind, Kind::Root)) {
            None => Ok(()),
            Some(Frame { kind: Kind::Broken, .. }) => Err(Trouble::Known),
            Some(frame) => Err(malformed(span, format!("{what} stands outside all blocks"))
                .also(frame.span, "this block is open")
                .into()),
        }
    }

    /// Takes the use of a value.
    fn operand(&self, line: &mut Line<'_>) -> Reading<(NodeId, Type)> {
        let (number, span) = line.value()?;
        let (message, label, place) = match self.values.get(&number) {
            Some(&(State::Defined(node), _)) => {
                return Ok((node, self.core.graph.value_type(node)));
            }
            Some((State::Broken, _)) => return Err(Trouble::Known),
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
            let message = format!("a condition is a bool, not a {ty}");
            return Err(malformed(span, message).into());
        }
        line.expect("{")?;
        line.end()?;
        Ok(node)
    }

    /// Gives a name a meaning for the first time, in the innermost block.
    fn name(&mut self, number: u32, span: Span, state: State) -> Reading<()> {
        if let Some(&(_, other)) = self.values.get(&number) {
            let message = format!("%{number} is defined a second time");
            return Err(malformed(span, message).also(other, "first here").into());
        }
        self.values.insert(number, (state, span));
        self.frame().defined.push(number);
        Ok(())
    }

    fn definition(&mut self, line: &mut Line<'_>) -> Reading<()> {
        let (number, name_span) = line.value()?;
        line.expect(":")?;
        let ty = line.ty()?;
        line.expect("=")?;
        let target = Target { number, ty };
        match line.peek().text {
            word @ ("if" | "guard") => {
                line.take();
                let condition = self.condition(line)?;
                self.name(number, name_span, State::Pending)?;
                let kind = match word {
                    "if" => Kind::If { target: Some(target), condition, then: None },
                    _ => Kind::Guard(target),
                };
                self.open(Frame::new(kind, Wants::Value(ty), line.span_from(name_span)));
                Ok(())
            }
            "loop" => self.loop_(line, target, name_span),
            _ => {
                let node = self.simple(line, ty, name_span)?;
                self.name(number, name_span, State::Defined(node))
            }
        }
    }

    /// Takes a computation without blocks.
    fn simple(&mut self, line: &mut Line<'_>, ty: Type, first: Span) -> Reading<NodeId> {
        let word = line.peek();
        let (node, found) = match word.text {
            "input" => {
                line.take();
                let name = line.take();
                let input = Input::ALL.into_iter().find(|input| input.name() == name.text);
                let Some(input) = input else {
                    return Err(unknown(
                        name.text,
                        name.span,
                        "input",
                        Input::ALL.map(Input::name),
                    ));
                };
                (self.core.graph.input(input, line.span_from(first)), input.ty())
            }
            "uniform" => {
                line.take();
                let span = line.peek().span;
                let name = line.string()?;
                let Some(&index) = self.uniforms.get(&name) else {
                    let names = self.core.uniforms.iter().map(|uniform| &*uniform.name);
                    return Err(unknown(&name, span, "uniform", names));
                };
                let found = self.core.uniforms[index as usize].ty;
                (self.core.graph.uniform(index, found, line.span_from(first)), found)
            }
            text if text.starts_with(|c: char| c.is_ascii_alphabetic())
                && !matches!(text, "true" | "false" | "inf" | "nan") =>
            {
                return self.operation(line, ty, first);
            }
            _ => {
                let words = line.constant(ty)?;
                (self.core.graph.constant(ty, &words, line.span_from(first)), ty)
            }
        };
        line.end()?;
        if found != ty {
            let message = format!("this is a {found}, not a {ty}");
            return Err(malformed(line.span_from(word.span), message).into());
        }
        Ok(node)
    }

    fn operation(&mut self, line: &mut Line<'_>, ty: Type, first: Span) -> Reading<NodeId> {
        let name = line.take();
        let Some(op) = operation(name.text, ty) else {
            return Err(unknown(name.text, name.span, "operation", operation_names()));
        };
        let operands = line.list(|line| self.operand(line))?;
        line.end()?;
        let (operands, types): (Vec<NodeId>, Vec<Type>) = operands.into_iter().unzip();
        match op.result_type(&types) {
            Some(found) if found == ty => {
                Ok(self.core.graph.op(op, operands, line.span_from(first)))
            }
            Some(found) => {
                let message = format!("{} gives a {found} here, not a {ty}", quote(name.text));
                Err(malformed(line.span_from(name.span), message).into())
            }
            None => {
                let message = format!("{} is not defined on these operands", quote(name.text));
                let shown: Vec<String> = types.iter().take(8).map(Type::to_string).collect();
                let more = if types.len() > shown.len() { " …" } else { "" };
                Err(malformed(line.span_from(name.span), message)
                    .label(format!("({}{more})", shown.join(" ")))
                    .into())
            }
        }
    }

    fn loop_(&mut self, line: &mut Line<'_>, target: Target, first: Span) -> Reading<()> {
        line.take();
        line.expect("(")?;
        let params = line.list(|line| {
            let (number, span) = line.value()?;
            line.expect(":")?;
            let ty = line.ty()?;
            line.expect("=")?;
            let (init, found) = self.operand(line)?;
            if found != ty {
                let message = format!("%{number} is a {ty} and begins as a {found}");
                return Err(malformed(line.span_from(span), message).into());
            }
            Ok((number, span, ty, init))
        })?;
        line.expect(")")?;
        line.expect("{")?;
        line.end()?;
        self.name(target.number, first, State::Pending)?;
        let graph = &mut self.core.graph;
        let id = graph.begin_loop();
        let nodes: Vec<NodeId> = (0..)
            .zip(&params)
            .map(|(index, &(_, span, ty, _))| graph.param(id, index, ty, span))
            .collect();
        let inits = params.iter().map(|&(.., init)| init).collect();
        let open = Rc::new(OpenLoop { id, ty: target.ty, params: nodes.clone(), inits });
        let kind = Kind::Loop(target, Rc::clone(&open));
        self.open(Frame::new(kind, Wants::Tail(open), line.span_from(first)));
        for (&(number, span, ..), node) in params.iter().zip(nodes) {
            if let Err(Trouble::New(diagnostic)) = self.name(number, span, State::Defined(node)) {
                self.report(*diagnostic);
            }
        }
        Ok(())
    }

    /// Takes the end of a block, whose first word is taken.
    fn end(&mut self, word: &str, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let wants = self.frame().wants.clone();
        let not_here = |what: &str| -> Reading<()> {
            Err(malformed(first, format!("{what} stands in tails of loops only")).into())
        };
        match (word, wants) {
            (_, Wants::Anything) => Err(Trouble::Known),
            (_, Wants::Nothing) => {
                let message = format!("`{word}` stands in blocks only");
                Err(malformed(first, message).help("outputs are written `output 0 = %…`").into())
            }
            ("yield", wants) => {
                let (node, ty) = self.operand(line)?;
                line.end()?;
                let wanted = match wants {
                    Wants::Tail(open) => open.ty,
                    Wants::Value(ty) => ty,
                    Wants::Nothing | Wants::Anything => unreachable!("handled above"),
                };
                if ty != wanted {
                    let message = format!("the block yields a {ty} where a {wanted} is wanted");
                    return Err(malformed(line.span_from(first), message).into());
                }
                self.set_ending(Some(node));
                Ok(())
            }
            ("rec", Wants::Tail(open)) => {
                let arguments = line.list(|line| self.operand(line))?;
                line.end()?;
                let graph = &mut self.core.graph;
                let wanted = open.params.iter().map(|&param| graph.value_type(param));
                if !wanted.eq(arguments.iter().map(|&(_, ty)| ty)) {
                    let message = "`rec` has one value for each parameter of the loop, of its type";
                    return Err(malformed(line.span_from(first), message).into());
                }
                let arguments = arguments.into_iter().map(|(node, _)| node).collect();
                let node = graph.rec(open.id, arguments, line.span_from(first));
                self.set_ending(Some(node));
                Ok(())
            }
            ("rec", _) => not_here("`rec`"),
            (_, wants @ Wants::Tail(_)) => {
                let condition = self.condition(line)?;
                let kind = Kind::If { target: None, condition, then: None };
                self.open(Frame::new(kind, wants, line.span_from(first)));
                Ok(())
            }
            _ => not_here("an `if` without a value"),
        }
    }

    fn open(&mut self, frame: Frame) {
        if self.frames.len() > MAX_BLOCK_NESTING {
            if self.diagnostics.is_empty() {
                let message = format!("blocks are nested more than {MAX_BLOCK_NESTING} deep");
                self.report(malformed(frame.span, message));
            }
            self.stopped = true;
            return;
        }
        self.frames.push(frame);
    }

    /// Takes what follows `}`, and ends the block in any case.
    fn close(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        if self.frames.len() == 1 {
            return Err(malformed(first, "there is no block to close").into());
        }
        let is_else = line.accept("else");
        let shape = if is_else { line.expect("{") } else { Ok(()) }.and_then(|()| line.end());
        let frame = self.frame();
        let ending = frame.ending.take();
        if ending.is_none() && !matches!(frame.kind, Kind::Broken) {
            let diagnostic = malformed(first, "the block has no end")
                .also(frame.span, "it begins here")
                .help("a block ends in `yield`, `rec` or an `if` of such blocks");
            self.report(diagnostic);
        }
        for number in std::mem::take(&mut self.frame().defined) {
            if let Some((state @ State::Defined(_), _)) = self.values.get_mut(&number) {
                *state = State::Gone;
            }
        }
        let ending = ending.flatten();
        let frame = self.frame();
        if is_else {
            return match &mut frame.kind {
                Kind::Broken => shape,
                Kind::If { then: then @ None, .. } => {
                    *then = Some(ending);
                    shape
                }
                Kind::Loop(target, _)
                | Kind::Guard(target)
                | Kind::If { target: Some(target), .. } => {
                    let number = target.number;
                    self.values.entry(number).and_modify(|(state, _)| *state = State::Broken);
                    self.no_else(line.span_from(first))
                }
                _ => self.no_else(line.span_from(first)),
            };
        }
        let frame = self.frames.pop().expect("the root is never closed");
        self.finish(frame, ending, first).and(shape)
    }

    /// The innermost block has an `else` that it must not have: all about it is wrong now.
    fn no_else(&mut self, span: Span) -> Reading<()> {
        let frame = self.frame();
        (frame.kind, frame.wants) = (Kind::Broken, Wants::Anything);
        let diagnostic = malformed(span, "this block has no `else`");
        Err(diagnostic.also(frame.span, "it belongs to this").into())
    }

    /// Makes the node of a statement whose last block is closed.
    fn finish(&mut self, frame: Frame, ending: Ending, closing: Span) -> Reading<()> {
        let graph = &mut self.core.graph;
        match frame.kind {
            Kind::Root => unreachable!("the root is never closed"),
            Kind::Broken => Ok(()),
            Kind::If { target, then: None, .. } => {
                self.settle(target, None);
                Err(malformed(closing, "`} else {` must follow")
                    .also(frame.span, "after this")
                    .into())
            }
            Kind::If { target, condition, then: Some(then) } => {
                let arms = then.zip(ending).filter(|&(then, otherwise)| {
                    graph.expr_type(then).rec_match(graph.expr_type(otherwise)).is_some()
                });
                let node = arms
                    .map(|(then, otherwise)| graph.if_([condition, then, otherwise], frame.span));
                self.settle(target, node);
                Ok(())
            }
            Kind::Guard(target) => {
                self.settle(Some(target), ending);
                Ok(())
            }
            Kind::Loop(target, open) => {
                let ty = ending.map(|body| graph.expr_type(body));
                let wrong = match ty {
                    None => None,
                    Some(ExprType::Rec(_)) => None,
                    Some(ExprType::PureRec) => Some("no path through the loop ends in `yield`"),
                    Some(ExprType::Value(_)) => Some("no path through the loop ends in `rec`"),
                };
                if let Some(message) = wrong {
                    self.settle(Some(target), None);
                    return Err(malformed(frame.span, message).into());
                }
                let node = ending.map(|body| {
                    let (params, inits) = (open.params.clone(), open.inits.clone());
                    graph.finish_loop(open.id, params, inits, body, frame.span)
                });
                self.settle(Some(target), node);
                Ok(())
            }
        }
    }

    /// Says what a pending value is, or how the block ends that ended in an `if`.
    fn settle(&mut self, target: Option<Target>, node: Option<NodeId>) {
        let Some(target) = target else {
            return self.set_ending(node);
        };
        let node = node.filter(|&n| self.core.graph.expr_type(n) == ExprType::Value(target.ty));
        let (state, _) = self.values.get_mut(&target.number).expect("it is pending");
        *state = node.map_or(State::Broken, State::Defined);
    }
}

fn is_statement(word: &str) -> bool {
    word.starts_with('%') || matches!(word, "}" | "uniform" | "output" | "yield" | "rec" | "if")
}

fn unknown<'a>(
    name: &str,
    span: Span,
    what: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Trouble {
    let diagnostic = malformed(span, format!("there is no {what} {}", quote(name)));
    match nearest_name(name, candidates) {
        Some(near) => diagnostic.help(format!("did you mean {}?", quote(near))).into(),
        None => diagnostic.into(),
    }
}

/// Takes the first line.
fn header(line: &mut Line<'_>) -> Reading<()> {
    let first = line.take();
    if first.text != MAGIC {
        return Err(malformed(first.span, format!("core text begins with `{MAGIC}`")).into());
    }
    let version = line.take();
    if version.text != VERSION.to_string() {
        let message = format!("this is version {} of core text", version.name());
        return Err(Diagnostic::new(Code::CoreVersion, version.span, message)
            .help(format!("this program reads version {VERSION}: print the core again with it"))
            .into());
    }
    line.end()
}
