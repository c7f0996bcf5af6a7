//! Reduction to a value: finds the outermost place where a rule of the semantics applies, and
//! applies it. What waits for the value of an inner term is on a stack of frames.

use super::fault::{Limits, SourceFault};
use super::operate::{Data, follow};
use super::program::{SourceProgram, SourceUniform};
use super::read;
use super::term::{Entry, Node, State, Substitution, instantiate, live_nodes};
use super::text::{Form, TextId, Texts, Variable};
use crate::builtins::{Builtin, Operand, Recipe};
use crate::mutants::{Mutant, is_active};
use crate::syntax;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::inputs::Inputs;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Type, Types};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// How many reductions lie between two cancellation polls.
const POLL_INTERVAL: u64 = 1 << 12;
/// The most nodes at a time, in one thread: about a gigabyte.
const MAX_NODES: usize = 1 << 23;
/// The most terms that wait for the values of others.
const MAX_FRAMES: usize = 1 << 23;

/// What a closed term is reduced to.
enum ReducedValue {
    Data(Data),
    /// A `func`, a `rec-func`, a `rec` or a builtin.
    Function(Rc<Node>),
}

/// What to do next.
enum Control {
    Reduce(Rc<Node>),
    Return(ReducedValue),
}

/// What waits for the value of a term.
enum ReductionFrame {
    /// A node that others see: it is overwritten by the value.
    Update(Rc<Node>),
    /// An application, for its callee.
    Callee(Rc<Node>),
    /// An application of a builtin, for the operand before this one.
    Operands { application: Rc<Node>, builtin: Builtin, next: usize },
    /// An application of a `rec-func` or a `rec`, for the argument before this one.
    Arguments { application: Rc<Node>, callee: Rc<Node>, functions: Rc<[bool]>, next: usize },
    /// An `if`, for its condition.
    Condition(Rc<Node>),
    /// An expression of this type.
    The(Type, Span),
    /// An entry of a loop.
    Loop(Rc<Entry>),
}

/// A run for one pixel.
pub(super) struct Reducer<'a> {
    texts: Texts,
    /// The terms of the text.
    nodes: Vec<Rc<Node>>,
    frames: Vec<ReductionFrame>,
    substitution: Substitution,
    /// The functions that expansions of builtins are, by their text.
    expansions: FxHashMap<String, Rc<Node>>,
    types: &'a Types,
    uniforms: &'a [SourceUniform],
    inputs: &'a Inputs,
    limits: Limits,
    cancelled: &'a dyn Fn() -> bool,
    reductions: u64,
}

type Step<T> = Result<T, SourceFault>;

impl<'a> Reducer<'a> {
    pub(super) fn new(
        program: &'a SourceProgram,
        inputs: &'a Inputs,
        limits: Limits,
        cancelled: &'a dyn Fn() -> bool,
    ) -> Self {
        let mut nodes = Vec::with_capacity(program.texts.len());
        instantiate(&program.texts, 0, &mut nodes);
        Self {
            texts: program.texts.clone(),
            nodes,
            frames: Vec::new(),
            substitution: Substitution::default(),
            expansions: FxHashMap::default(),
            types: &program.types,
            uniforms: &program.uniforms,
            inputs,
            limits,
            cancelled,
            reductions: 0,
        }
    }

    /// Reduces a closed term of the text to a value.
    pub(super) fn run(mut self, root: TextId) -> Step<Data> {
        let root = self.nodes[root.0 as usize].clone();
        let mut control = Control::Reduce(root.clone());
        loop {
            control = match control {
                Control::Reduce(node) => {
                    self.count()?;
                    self.reduce(node)?
                }
                Control::Return(value) => match (self.frames.pop(), value) {
                    (Some(frame), value) => self.resume(frame, value)?,
                    (None, ReducedValue::Data(data)) => return Ok(data),
                    (None, ReducedValue::Function(_)) => {
                        return self.unexpected(&root, "the result is a function");
                    }
                },
            };
        }
    }

    fn count(&mut self) -> Step<()> {
        self.reductions += 1;
        if self.reductions.is_multiple_of(POLL_INTERVAL) && (self.cancelled)() {
            return Err(EvaluationFault::Cancelled.into());
        }
        if self.reductions + self.substitution.copied > self.limits.max_steps {
            return Err(SourceFault::Limit("steps"));
        }
        if live_nodes() > MAX_NODES {
            return Err(SourceFault::Limit("nodes"));
        }
        if self.frames.len() > MAX_FRAMES {
            return Err(SourceFault::Limit("pending reductions"));
        }
        Ok(())
    }

    fn unexpected<T>(&self, node: &Node, what: &'static str) -> Step<T> {
        Err(SourceFault::Unexpected(self.texts.get(node.text).span, what))
    }

    fn child(&self, node: &Node, i: usize) -> Step<Rc<Node>> {
        node.child(i).ok_or(SourceFault::Unexpected(
            self.texts.get(node.text).span,
            "a term has lost a part while it was reduced",
        ))
    }

    fn reduce(&mut self, node: Rc<Node>) -> Step<Control> {
        match &*node.state.borrow() {
            State::Data(data) => return Ok(Control::Return(ReducedValue::Data(data.clone()))),
            State::Function(f) => return Ok(Control::Return(ReducedValue::Function(f.clone()))),
            State::Rec(_) => return Ok(Control::Return(ReducedValue::Function(node.clone()))),
            State::Term(_) => {}
        }
        let form = self.texts.get(node.text).form.clone();
        if let Form::Builtin(_) | Form::Func(..) | Form::RecFunc(..) = form {
            return Ok(Control::Return(ReducedValue::Function(node)));
        }
        // Whoever else holds the node shall find its value there.
        if Rc::strong_count(&node) > 1 {
            self.frames.push(ReductionFrame::Update(node.clone()));
        }
        match form {
            Form::Apply => {
                let callee = self.child(&node, 0)?;
                self.frames.push(ReductionFrame::Callee(node));
                Ok(Control::Reduce(callee))
            }
            Form::Let(first) => Ok(Control::Reduce(self.let_(&node, first)?)),
            Form::If => {
                let condition = self.child(&node, 0)?;
                self.frames.push(ReductionFrame::Condition(node));
                Ok(Control::Reduce(condition))
            }
            Form::The(ty) => {
                let span = self.texts.get(node.text).span;
                self.frames.push(ReductionFrame::The(ty, span));
                Ok(Control::Reduce(self.child(&node, 0)?))
            }
            Form::Uniform(index) => {
                let uniform = self.uniforms.get(index as usize);
                let words = self.inputs.uniforms.get(index as usize);
                match (uniform, words) {
                    (Some(uniform), Some(words))
                        if words.len() == self.types.components(uniform.ty) =>
                    {
                        let data = Data { ty: uniform.ty, words: words.clone() };
                        Ok(Control::Return(ReducedValue::Data(data)))
                    }
                    _ => self.unexpected(&node, "this uniform was not given a value of its type"),
                }
            }
            Form::Variable(_) => self.unexpected(&node, "this variable was not substituted"),
            Form::Data(_) | Form::Builtin(_) | Form::Func(..) | Form::RecFunc(..) => {
                self.unexpected(&node, "this was a value already")
            }
        }
    }

    fn resume(&mut self, frame: ReductionFrame, value: ReducedValue) -> Step<Control> {
        match (frame, value) {
            (ReductionFrame::Update(node), value) => {
                let state = match &value {
                    ReducedValue::Data(data) => State::Data(data.clone()),
                    ReducedValue::Function(function) => State::Function(function.clone()),
                };
                // What the node consisted of is dropped when nobody looks at it any more.
                let _term = node.state.replace(state);
                Ok(Control::Return(value))
            }
            (ReductionFrame::Callee(application), ReducedValue::Function(callee)) => {
                self.apply(application, callee)
            }
            (ReductionFrame::Callee(application), ReducedValue::Data(_)) => {
                self.unexpected(&application, "this applies what is not a function")
            }
            (ReductionFrame::Operands { application, builtin, next }, ReducedValue::Data(_)) => {
                self.operands(application, builtin, next)
            }
            (ReductionFrame::Operands { application, .. }, ReducedValue::Function(_)) => {
                self.unexpected(&application, "an operand is a function")
            }
            (ReductionFrame::Arguments { application, callee, functions, next }, _) => {
                self.arguments(application, callee, functions, next)
            }
            (ReductionFrame::Condition(choice), ReducedValue::Data(data))
                if data.ty == Type::BOOL =>
            {
                let branch = if data.words[0] != 0 { 1 } else { 2 };
                Ok(Control::Reduce(self.child(&choice, branch)?))
            }
            (ReductionFrame::Condition(choice), _) => {
                self.unexpected(&choice, "the condition is not a bool")
            }
            (ReductionFrame::The(ty, _), ReducedValue::Data(data)) if data.ty == ty => {
                Ok(Control::Return(ReducedValue::Data(data)))
            }
            (ReductionFrame::The(_, span), _) => {
                Err(SourceFault::Unexpected(span, "this is not of the annotated type"))
            }
            (ReductionFrame::Loop(_), value) => Ok(Control::Return(value)),
        }
    }

    /// Applies a function to the arguments of an application.
    fn apply(&mut self, application: Rc<Node>, callee: Rc<Node>) -> Step<Control> {
        if let State::Rec(entry) = &*callee.state.borrow() {
            let functions = entry.functions.clone();
            return self.arguments(application, callee.clone(), functions, 0);
        }
        match self.texts.get(callee.text).form {
            Form::Builtin(builtin) => self.operands(application, builtin, 0),
            Form::Func(..) => {
                let body = self.enter(&callee, &self.values(&application))?;
                Ok(Control::Reduce(body))
            }
            Form::RecFunc(..) => {
                let arguments = self.values(&application);
                let functions = arguments.iter().map(|a| self.is_function(a));
                let functions = functions.collect::<Step<Rc<[bool]>>>()?;
                self.arguments(application, callee, functions, 0)
            }
            _ => self.unexpected(&application, "this applies what is not a function"),
        }
    }

    /// The arguments of an application.
    fn values(&self, application: &Node) -> Vec<Rc<Node>> {
        match &*application.state.borrow() {
            State::Term(children) => children[1..].to_vec(),
            _ => Vec::new(),
        }
    }

    /// The body of a `let` with its values substituted.
    fn let_(&mut self, node: &Node, first: Variable) -> Step<Rc<Node>> {
        match &*node.state.borrow() {
            State::Term(children) => {
                let (body, values) = children.split_last().expect("a `let` has a body");
                Ok(self.substitution.apply(&self.texts, body, first, values))
            }
            _ => self.unexpected(node, "this `let` was reduced already"),
        }
    }

    /// The body of a function with its arguments substituted, those of a `rec-func` followed by
    /// what is substituted for `rec`.
    fn enter(&mut self, function: &Node, values: &[Rc<Node>]) -> Step<Rc<Node>> {
        let (first, count) = match self.texts.get(function.text).form {
            Form::Func(first, count) => (first, count as usize),
            Form::RecFunc(first, count) => (first, count as usize + 1),
            _ => return self.unexpected(function, "this is not a function"),
        };
        if values.len() != count {
            return self.unexpected(function, "this is applied to a wrong number of arguments");
        }
        let body = self.child(function, 0)?;
        Ok(self.substitution.apply(&self.texts, &body, first, values))
    }

    /// Reduces the operands of a builtin from `next` on, then applies it.
    fn operands(
        &mut self,
        application: Rc<Node>,
        builtin: Builtin,
        mut next: usize,
    ) -> Step<Control> {
        while let Some(operand) = application.child(1 + next) {
            next += 1;
            if operand.data().is_none() {
                self.frames.push(ReductionFrame::Operands { application, builtin, next });
                return Ok(Control::Reduce(operand));
            }
        }
        let nodes = self.values(&application);
        let Some(values) = nodes.iter().map(|n| n.data()).collect::<Option<Vec<Data>>>() else {
            return self.unexpected(&application, "an operand is not a value");
        };
        let operands: Vec<Operand> = values
            .iter()
            .zip(&nodes)
            .map(|(v, n)| Operand {
                index: self.texts.get(n.text).index,
                ..Operand::of(self.types, v.ty)
            })
            .collect();
        let Ok(resolved) = builtin.resolve(&operands) else {
            return self.unexpected(&application, "a builtin does not take these operands");
        };
        if let Recipe::Expansion(text) = resolved.recipe {
            let function = self.expansion(text)?;
            return Ok(Control::Reduce(self.enter(&function, &nodes)?));
        }
        match follow(self.types, &resolved.recipe, &values, self.inputs) {
            Some(data) if data.ty == resolved.result => {
                Ok(Control::Return(ReducedValue::Data(data)))
            }
            _ => self.unexpected(&application, "the recipe of a builtin does not fit"),
        }
    }

    /// The function that an expansion is.
    fn expansion(&mut self, text: String) -> Step<Rc<Node>> {
        if let Some(known) = self.expansions.get(&text) {
            return Ok(known.clone());
        }
        let (tree, errors) = syntax::parse(&SourceFile::new("<expansion>", text.as_str()));
        if !errors.is_empty() {
            return Err(SourceFault::Unexpected(Span::default(), "a malformed expansion"));
        }
        let root = read::expansion(&tree, &mut self.texts)?;
        instantiate(&self.texts, self.nodes.len(), &mut self.nodes);
        let function = self.nodes[root.0 as usize].clone();
        self.expansions.insert(text, function.clone());
        Ok(function)
    }

    /// Reduces the value arguments of a `rec-func` or `rec` from `next` on, then begins a round.
    fn arguments(
        &mut self,
        application: Rc<Node>,
        callee: Rc<Node>,
        functions: Rc<[bool]>,
        mut next: usize,
    ) -> Step<Control> {
        while let Some(argument) = application.child(1 + next) {
            let is_function = functions.get(next).copied().unwrap_or(false);
            next += 1;
            if !is_function && argument.data().is_none() {
                self.frames.push(ReductionFrame::Arguments {
                    application,
                    callee,
                    functions,
                    next,
                });
                return Ok(Control::Reduce(argument));
            }
        }
        let entry = match &*callee.state.borrow() {
            State::Rec(entry) => Some(entry.clone()),
            _ => None,
        };
        let entry = match entry {
            Some(entry) => {
                self.go_on(&application, &entry)?;
                entry
            }
            None => {
                let entry = Rc::new(Entry { function: callee, functions, rounds: Cell::new(0) });
                self.frames.push(ReductionFrame::Loop(entry.clone()));
                entry
            }
        };
        let mut values = self.values(&application);
        values.push(Node::rec(entry.clone()));
        Ok(Control::Reduce(self.enter(&entry.function, &values)?))
    }

    /// Counts an executed `rec` and forgets what waits for its value, which is that of the loop.
    fn go_on(&mut self, application: &Node, entry: &Rc<Entry>) -> Step<()> {
        let rounds = entry.rounds.get() + 1;
        let mut limit = self.limits.max_iterations;
        if is_active(Mutant::OneRoundMore) {
            limit = limit.saturating_add(1);
        }
        if rounds > limit {
            return Err(EvaluationFault::LoopLimit(self.texts.get(entry.function.text).span).into());
        }
        entry.rounds.set(rounds);
        loop {
            match self.frames.last() {
                Some(ReductionFrame::Update(_)) => {
                    self.frames.pop();
                }
                Some(ReductionFrame::Loop(innermost)) if Rc::ptr_eq(innermost, entry) => {
                    return Ok(());
                }
                _ => return self.unexpected(application, "`rec` is not in tail position"),
            }
        }
    }

    /// Whether a closed term denotes a function. It is found without reducing a condition — the
    /// branches of an `if` are both functions or both are not — nor any argument, since that a
    /// function is not reduced is just what this is to tell.
    fn is_function(&mut self, term: &Rc<Node>) -> Step<bool> {
        let mut node = term.clone();
        // The applications whose callee is being looked at.
        let mut applications: Vec<Rc<Node>> = Vec::new();
        loop {
            self.count()?;
            let seen = match &*node.state.borrow() {
                State::Data(_) => return Ok(false),
                State::Rec(_) => return Ok(applications.is_empty()),
                State::Function(function) => Some(function.clone()),
                State::Term(_) => None,
            };
            if let Some(function) = seen {
                node = function;
                continue;
            }
            node = match self.texts.get(node.text).form {
                Form::Data(_) | Form::Uniform(_) | Form::The(_) => return Ok(false),
                Form::Builtin(_) | Form::RecFunc(..) => return Ok(applications.is_empty()),
                Form::Func(..) => match applications.pop() {
                    None => return Ok(true),
                    Some(application) => self.enter(&node, &self.values(&application))?,
                },
                Form::Apply => {
                    let callee = self.child(&node, 0)?;
                    applications.push(node);
                    callee
                }
                Form::Let(first) => self.let_(&node, first)?,
                Form::If => self.child(&node, 1)?,
                Form::Variable(_) => {
                    return self.unexpected(&node, "this variable was not substituted");
                }
            };
        }
    }
}
