//! Expansion of macros, as in C: arguments are expanded once, the replacement is read again together with the
//! text behind it, and a macro's name is not expanded within its own replacement, nor ever again.
//!
//! Tokens are read from a stack of *frames*, each a list of tokens, most of them replacements. A macro is
//! *active* while a frame of its replacement is on the stack; its name is then painted. The expansion of an
//! argument is a *level*: its frames are those above a base. So neither macros in macros nor calls in arguments
//! need recursion.

use super::define::{Macro, Origin, error};
use super::lexer::{RawKind, RawToken};
use super::state::Preprocessor;
use super::substitute::{Argument, Call, substitute};
use crate::token::Punctuation as P;
use std::rc::Rc;

struct Frame {
    tokens: Vec<RawToken>,
    next: usize,
    /// The macro of this replacement.
    of: Option<Rc<Macro>>,
}

/// An argument that is being expanded.
struct Level {
    /// The number of frames below.
    base: usize,
    call: Call,
    /// The argument's index.
    argument: usize,
    expanded: Vec<RawToken>,
    defined: Defined,
}

/// How much of `defined(NAME)` was read. Its name is not expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defined {
    No,
    Word,
    Parenthesis,
}

/// Where tokens come from after all frames.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    /// From the open files.
    Files,
    /// From nowhere: the line of a directive.
    Line,
}

/// Expands the text of the open files, and hands each token to the preprocessor.
pub(super) fn expand_files(preprocessor: &mut Preprocessor<'_>) {
    let mut machine = Machine::new(Input::Files);
    machine.run(preprocessor);
}

/// Expands the line of a directive. The operand of `defined` stays.
pub(super) fn expand_line(
    tokens: &[RawToken],
    preprocessor: &mut Preprocessor<'_>,
) -> Vec<RawToken> {
    let mut machine = Machine::new(Input::Line);
    machine.push(tokens.to_vec(), None);
    machine.run(preprocessor);
    machine.expanded
}

struct Machine {
    input: Input,
    frames: Vec<Frame>,
    levels: Vec<Level>,
    /// The result for a line.
    expanded: Vec<RawToken>,
    defined: Defined,
}

impl Machine {
    fn new(input: Input) -> Self {
        let (frames, levels, expanded) = (Vec::new(), Vec::new(), Vec::new());
        Self { input, frames, levels, expanded, defined: Defined::No }
    }

    fn push(&mut self, tokens: Vec<RawToken>, of: Option<Rc<Macro>>) {
        if let Some(of) = &of {
            of.active.set(of.active.get() + 1);
        }
        self.frames.push(Frame { tokens, next: 0, of });
    }

    fn run(&mut self, preprocessor: &mut Preprocessor<'_>) {
        while !preprocessor.stopped {
            let Some(token) = self.take(preprocessor, 0) else {
                let Some(level) = self.levels.pop() else { break };
                let mut call = level.call;
                call.arguments[level.argument].expanded = Some(level.expanded);
                self.advance(call, preprocessor);
                continue;
            };
            self.read(token, preprocessor);
        }
        // An active macro would stay so.
        for frame in self.frames.drain(..) {
            deactivate(&frame);
        }
    }

    /// The next token of this level; names of active macros are painted. Files below `floor` are not read
    /// beyond the end of their open part.
    fn take(&mut self, preprocessor: &mut Preprocessor<'_>, floor: usize) -> Option<RawToken> {
        if self.settle() {
            let frame = self.frames.last_mut()?;
            let mut token = frame.tokens[frame.next];
            frame.next += 1;
            if let RawKind::Name(name) = token.kind
                && preprocessor.macros.get(&name).is_some_and(|of| of.active.get() > 0)
            {
                token.paint();
            }
            return Some(token);
        }
        if self.levels.is_empty() && self.input == Input::Files {
            return preprocessor.next_text(floor);
        }
        None
    }

    /// Removes the frames of this level that are read. True if one remains.
    fn settle(&mut self) -> bool {
        let base = self.levels.last().map_or(0, |level| level.base);
        while self.frames.len() > base {
            let frame = &self.frames[self.frames.len() - 1];
            if frame.next < frame.tokens.len() {
                return true;
            }
            deactivate(frame);
            self.frames.pop();
        }
        false
    }

    /// True if the next token is an opening parenthesis.
    fn opens(&mut self, preprocessor: &Preprocessor<'_>) -> bool {
        if self.settle() {
            let frame = &self.frames[self.frames.len() - 1];
            return frame.tokens[frame.next].is(P::LeftParenthesis);
        }
        self.levels.is_empty() && self.input == Input::Files && preprocessor.text_opens()
    }

    fn read(&mut self, token: RawToken, preprocessor: &mut Preprocessor<'_>) {
        let RawKind::Name(name) = token.kind else {
            return self.emit(token, preprocessor);
        };
        if token.is_painted() || (self.input == Input::Line && self.is_operand(token, preprocessor))
        {
            return self.emit(token, preprocessor);
        }
        let Some(of) = preprocessor.macros.get(&name) else {
            return self.emit(token, preprocessor);
        };
        let of = Rc::clone(of);
        if of.parameters.is_none() {
            let tokens = match of.origin {
                Origin::Line | Origin::File => vec![preprocessor.position(of.origin, token.span)],
                _ => {
                    let call = Call {
                        of: Rc::clone(&of),
                        span: token.span,
                        arguments: Vec::new(),
                        next: 0,
                    };
                    substitute(&call, preprocessor)
                }
            };
            if preprocessor.charge(1, token.span) {
                self.push(tokens, Some(of));
            }
        } else if self.opens(preprocessor) {
            self.call(of, token, preprocessor);
        } else {
            self.emit(token, preprocessor);
        }
    }

    /// True for `defined` and its operand in the line of a directive.
    fn is_operand(&mut self, token: RawToken, preprocessor: &Preprocessor<'_>) -> bool {
        let state = self.levels.last_mut().map_or(&mut self.defined, |level| &mut level.defined);
        *state != Defined::No || token.kind == RawKind::Name(preprocessor.words.defined)
    }

    fn emit(&mut self, token: RawToken, preprocessor: &mut Preprocessor<'_>) {
        let state = self.levels.last_mut().map_or(&mut self.defined, |level| &mut level.defined);
        *state = match (*state, token.kind) {
            (Defined::No, RawKind::Name(name)) if name == preprocessor.words.defined => {
                Defined::Word
            }
            (Defined::Word, RawKind::Punctuation(P::LeftParenthesis)) => Defined::Parenthesis,
            _ => Defined::No,
        };
        match self.levels.last_mut() {
            Some(level) => level.expanded.push(token),
            None if self.input == Input::Line => self.expanded.push(token),
            None => preprocessor.emit(token),
        }
    }

    /// Reads the arguments of an invocation; the next token opens them.
    fn call(&mut self, of: Rc<Macro>, name: RawToken, preprocessor: &mut Preprocessor<'_>) {
        let floor = preprocessor.open_files();
        self.take(preprocessor, floor);
        let (mut arguments, mut depth) = (vec![Argument::default()], 0_usize);
        let end = loop {
            let Some(token) = self.take(preprocessor, floor) else {
                if !preprocessor.stopped {
                    let shown = preprocessor.shown(name.kind);
                    let found = error(name.span, format!("the arguments of {shown} do not end"));
                    let found = found.label("no `)` closes them");
                    let found = preprocessor.with_definition(found, &of);
                    preprocessor.diagnostics.push(found.help("write `)` behind the last argument"));
                }
                return;
            };
            // Tokens of the text are read once by level zero; others can be read many times.
            let is_again = !self.levels.is_empty() || !self.frames.is_empty();
            if is_again && !preprocessor.charge(1, name.span) {
                return;
            }
            match token.kind {
                RawKind::Punctuation(P::LeftParenthesis) => depth += 1,
                RawKind::Punctuation(P::RightParenthesis) if depth == 0 => break token.span,
                RawKind::Punctuation(P::RightParenthesis) => depth -= 1,
                RawKind::Punctuation(P::Comma) if depth == 0 => {
                    arguments.push(Argument::default());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.tokens.push(token);
            }
        };
        let span = preprocessor.invocation(name, end);
        let expected = of.parameters.unwrap_or(0);
        if expected == 0 && arguments.len() == 1 && arguments[0].tokens.is_empty() {
            arguments.clear();
        }
        if arguments.len() != expected {
            preprocessor.wrong_count(&of, name, span, arguments.len());
            return;
        }
        self.advance(Call { of, span, arguments, next: 0 }, preprocessor);
    }

    /// Expands the next argument of a call; after the last one, its replacement is read.
    fn advance(&mut self, mut call: Call, preprocessor: &mut Preprocessor<'_>) {
        let expandable = |token: &RawToken| match token.kind {
            RawKind::Name(name) => !token.is_painted() && preprocessor.macros.contains_key(&name),
            _ => false,
        };
        while let Some(argument) = call.arguments.get(call.next) {
            let index = call.next;
            call.next += 1;
            if call.of.expands[index] && argument.tokens.iter().any(expandable) {
                let tokens = argument.tokens.clone();
                if preprocessor.charge(tokens.len(), call.span) {
                    let (base, expanded) = (self.frames.len(), Vec::new());
                    let (argument, defined) = (index, Defined::No);
                    self.levels.push(Level { base, call, argument, expanded, defined });
                    self.push(tokens, None);
                }
                return;
            }
        }
        let tokens = substitute(&call, preprocessor);
        if preprocessor.charge(1, call.span) {
            self.push(tokens, Some(call.of));
        }
    }
}

fn deactivate(frame: &Frame) {
    if let Some(of) = &frame.of {
        of.active.set(of.active.get() - 1);
    }
}
