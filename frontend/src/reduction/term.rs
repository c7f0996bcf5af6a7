//! Terms at run time, and substitution.

use super::operate::Data;
use super::pixel::Pixel;
use super::shape::{Stored, StoredParts};
use super::text::{Constructor, Form, TextId, Texts, Variable};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

thread_local! {
    /// The number of live nodes in this thread.
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

/// The number of live nodes in this thread.
pub(super) fn live_nodes() -> usize {
    LIVE.get()
}

/// A term: a term of the text with some of its variables replaced.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) text: TextId,
    /// The number of free variables of the text that have not been replaced.
    open: u32,
    /// The term was found to denote a function, without reducing it.
    pub(super) is_known_function: Cell<bool>,
    pub(super) state: RefCell<State>,
}

/// The state of a node.
#[derive(Debug)]
pub(super) enum State {
    /// A term of the text with these subterms.
    Term(Box<[Rc<Node>]>),
    /// A value, original or reduced.
    Data(Data),
    /// Reduced to a function, which is this node.
    Function(Rc<Node>),
    /// Reduced to an aggregate.
    Aggregate(Rc<Aggregate>),
    /// The `rec` of a loop's entry: the `rec-func` itself, with a count of rounds.
    Rec(Rc<Entry>),
    /// A term and its values at several pixels, in a program with derivatives, which evaluate it again
    /// elsewhere.
    Known(Box<Known>),
}

/// A term, and its values at pixels of the quad.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) term: Source,
    values: Vec<(Pixel, Part)>,
}

/// The term behind a value.
#[derive(Debug)]
pub(super) enum Source {
    /// A term of the text with these subterms.
    Term(Box<[Rc<Node>]>),
    /// A field, by index, of the value that a term makes.
    Field(Rc<Node>, Arc<Constructor>, usize),
}

impl Known {
    /// The value at a pixel, if known.
    pub(super) fn at(&self, pixel: Pixel) -> Option<&Part> {
        self.values.iter().find(|(at, _)| *at == pixel).map(|(_, value)| value)
    }
}

/// The kind of an aggregate.
#[derive(Clone, Debug)]
pub(super) enum AggregateKind {
    Made(Arc<Constructor>),
    Array,
}

/// A structure, a variant or an array.
#[derive(Debug)]
pub(super) struct Aggregate {
    pub(super) kind: AggregateKind,
    pub(super) parts: Parts,
}

/// The parts of an aggregate.
#[derive(Debug)]
pub(super) enum Parts {
    /// Computed parts.
    Values(Vec<Part>),
    /// Parts of a uniform, a constant or an element of a buffer.
    Stored(StoredParts),
}

impl Parts {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Stored(stored) => stored.len(),
        }
    }

    /// A part, whose index must be less than [`Self::len`].
    pub(super) fn get(&self, index: usize) -> Part {
        match self {
            Self::Values(values) => values[index].clone(),
            Self::Stored(stored) => stored.get(index).into(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Part> {
        (0..self.len()).map(|index| self.get(index))
    }

    pub(super) fn to_vec(&self) -> Vec<Part> {
        match self {
            Self::Values(values) => values.clone(),
            Self::Stored(_) => self.iter().collect(),
        }
    }
}

/// The value of a closed term.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Data(Data),
    /// A `func`, a `rec-func`, a `rec`, a builtin, a constructor or an accessor.
    Function(Rc<Node>),
    Aggregate(Rc<Aggregate>),
}

impl From<Stored> for Part {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Data(data) => Self::Data(data),
            Stored::Parts(parts) => {
                let kind = parts.constructor().cloned();
                let kind = kind.map_or(AggregateKind::Array, AggregateKind::Made);
                Self::Aggregate(Rc::new(Aggregate { kind, parts: Parts::Stored(parts) }))
            }
        }
    }
}

impl Constructor {
    /// True if a field can have this value, as far as the field's type is known here.
    pub(super) fn takes(&self, field: usize, value: &Part) -> bool {
        match (self.types[field], value) {
            (None, _) => true,
            (Some(Some(ty)), Part::Data(data)) => data.ty == ty,
            (Some(None), Part::Aggregate(_)) => true,
            _ => false,
        }
    }
}

impl Aggregate {
    /// The index of a structure's field, by name.
    pub(super) fn field(&self, name: &str) -> Option<usize> {
        match &self.kind {
            AggregateKind::Made(constructor) => {
                constructor.fields.iter().position(|field| **field == *name)
            }
            AggregateKind::Array => None,
        }
    }

    /// The aggregate with one part replaced.
    pub(super) fn with(&self, index: usize, part: Part) -> Self {
        let mut parts = self.parts.to_vec();
        parts[index] = part;
        Self { kind: self.kind.clone(), parts: Parts::Values(parts) }
    }
}

/// An entry of a loop.
#[derive(Debug)]
pub(super) struct Entry {
    /// The `rec-func`.
    pub(super) function: Rc<Node>,
    /// `functions[i]`: argument `i` of the entry is a function.
    pub(super) functions: Rc<[bool]>,
    /// The arguments of the entry, inside of their `probe`s; none in a program without derivatives.
    pub(super) first: Box<[Rc<Node>]>,
    /// The number of executed `rec`s.
    pub(super) rounds: Cell<u64>,
    /// Its scope for an observer, and the scope to return to; 0 without one.
    pub(super) scope: u32,
    pub(super) back: u32,
}

impl Node {
    fn new(text: TextId, open: u32, state: State) -> Rc<Self> {
        LIVE.set(LIVE.get() + 1);
        let is_known_function = Cell::new(false);
        Rc::new(Self { text, open, is_known_function, state: RefCell::new(state) })
    }

    /// The `rec` of an entry.
    pub(super) fn rec(entry: Rc<Entry>) -> Rc<Self> {
        Self::new(entry.function.text, 0, State::Rec(entry))
    }

    /// A node for a value, in place of the term `of`.
    pub(super) fn of_part(of: TextId, part: Part) -> Rc<Self> {
        match part {
            Part::Data(data) => Self::new(of, 0, State::Data(data)),
            Part::Function(function) => function,
            Part::Aggregate(aggregate) => Self::new(of, 0, State::Aggregate(aggregate)),
        }
    }

    /// A node for a field of the value that a term makes, with the field's value at a pixel.
    pub(super) fn field(
        of: (TextId, Rc<Self>),
        constructor: &Arc<Constructor>,
        index: usize,
        pixel: Pixel,
        value: Part,
    ) -> Rc<Self> {
        let term = Source::Field(of.1, Arc::clone(constructor), index);
        let known = Known { term, values: vec![(pixel, value)] };
        Self::new(of.0, 0, State::Known(Box::new(known)))
    }

    /// True if the value at this pixel is known and is not a function.
    pub(super) fn is_evaluated(&self, pixel: Pixel) -> bool {
        match &*self.state.borrow() {
            State::Data(_) | State::Aggregate(_) => true,
            State::Known(known) => {
                matches!(known.at(pixel), Some(Part::Data(_) | Part::Aggregate(_)))
            }
            State::Term(_) | State::Function(_) | State::Rec(_) => false,
        }
    }

    /// The value at the evaluated pixel itself, if known.
    pub(super) fn known_here(&self) -> Option<Part> {
        match &*self.state.borrow() {
            State::Data(data) => Some(Part::Data(data.clone())),
            State::Aggregate(value) => Some(Part::Aggregate(Rc::clone(value))),
            State::Function(function) => Some(Part::Function(Rc::clone(function))),
            State::Known(known) => known.at(Pixel::default()).cloned(),
            State::Term(_) | State::Rec(_) => None,
        }
    }

    /// The scalar or vector value at a pixel, if known.
    pub(super) fn data(&self, pixel: Pixel) -> Option<Data> {
        match &*self.state.borrow() {
            State::Data(data) => Some(data.clone()),
            State::Known(known) => match known.at(pixel)? {
                Part::Data(data) => Some(data.clone()),
                Part::Aggregate(_) | Part::Function(_) => None,
            },
            _ => None,
        }
    }

    /// Sets the value: at a pixel beside the term, or in place of the term.
    pub(super) fn update(&self, value: Part, beside: Option<Pixel>) {
        let mut state = self.state.borrow_mut();
        let replaced = State::Data(Data::bool(false));
        *state = match (std::mem::replace(&mut *state, replaced), beside) {
            (State::Term(term), Some(pixel)) => {
                let term = Source::Term(term);
                State::Known(Box::new(Known { term, values: vec![(pixel, value)] }))
            }
            (State::Known(mut known), Some(pixel)) => {
                known.values.push((pixel, value));
                State::Known(known)
            }
            (was, _) => {
                // Drops the old state after releasing the borrow: dropping may reach this node.
                drop(state);
                drop(was);
                let state = match value {
                    Part::Data(data) => State::Data(data),
                    Part::Function(function) => State::Function(function),
                    Part::Aggregate(aggregate) => State::Aggregate(aggregate),
                };
                self.state.replace(state);
                return;
            }
        };
    }

    /// Calls `of` with the subterms; `None` if the node is not a term.
    pub(super) fn with_children<T>(&self, of: impl FnOnce(&[Rc<Self>]) -> T) -> Option<T> {
        match &*self.state.borrow() {
            State::Term(children) => Some(of(children)),
            State::Known(known) => match &known.term {
                Source::Term(children) => Some(of(children)),
                Source::Field(..) => None,
            },
            _ => None,
        }
    }

    /// A subterm, by index.
    pub(super) fn child(&self, i: usize) -> Option<Rc<Self>> {
        self.with_children(|children| children.get(i).cloned())?
    }
}

/// Adds nodes for the terms of the text from `from` on to `nodes`.
pub(super) fn instantiate(texts: &Texts, from: usize, nodes: &mut Vec<Rc<Node>>) {
    for i in from..texts.len() {
        let id = TextId(i as u32);
        let text = texts.get(id);
        let state = match &text.form {
            Form::Data(data) => State::Data(data.clone()),
            _ => State::Term(text.children.iter().map(|c| nodes[c.0 as usize].clone()).collect()),
        };
        nodes.push(Node::new(id, text.free.len() as u32, state));
    }
}

/// A step of a substitution.
enum Task {
    Visit(Rc<Node>),
    /// Copies the node with the latest results as its subterms; the number is that of replaced variables.
    Copy(Rc<Node>, u32),
}

/// Substitution, with explicit stacks.
#[derive(Default)]
pub(super) struct Substitution {
    tasks: Vec<Task>,
    results: Vec<Rc<Node>>,
    /// The number of nodes copied by all substitutions so far.
    pub(super) copied: u64,
}

impl Substitution {
    /// `body[values/variables]`. The variables are numbered from `first` on; the values are closed.
    ///
    /// The cost is that of the paths to the variables: a subterm without these variables, or without open
    /// ones, is shared. Open subterms are never shared, so nothing is copied twice: substituted terms are
    /// closed, and the text is a tree (`define` makes it a graph only by sharing closed terms).
    pub(super) fn apply(
        &mut self,
        texts: &Texts,
        body: &Rc<Node>,
        first: Variable,
        values: &[Rc<Node>],
    ) -> Rc<Node> {
        self.tasks.push(Task::Visit(body.clone()));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(node) => self.visit(texts, node, first, values),
                Task::Copy(node, hits) => {
                    let count = match &*node.state.borrow() {
                        State::Term(children) => children.len(),
                        _ => 0,
                    };
                    let children = self.results.drain(self.results.len() - count..).collect();
                    self.copied += 1;
                    let copy = Node::new(node.text, node.open - hits, State::Term(children));
                    self.results.push(copy);
                }
            }
        }
        self.results.pop().expect("each visit leaves one result")
    }

    fn visit(&mut self, texts: &Texts, node: Rc<Node>, first: Variable, values: &[Rc<Node>]) {
        let text = texts.get(node.text);
        let end = first + values.len() as u32;
        let below = |limit| text.free.partition_point(|&v| v < limit) as u32;
        let hits = if node.open == 0 { 0 } else { below(end) - below(first) };
        if hits == 0 {
            self.results.push(node);
        } else if let Form::Variable(variable) = text.form {
            let value = &values[(variable - first) as usize];
            self.results.push(match &*value.state.borrow() {
                State::Function(function) => function.clone(),
                _ => value.clone(),
            });
        } else {
            self.tasks.push(Task::Copy(node.clone(), hits));
            if let State::Term(children) = &*node.state.borrow() {
                self.tasks.extend(children.iter().rev().map(|c| Task::Visit(c.clone())));
            }
        }
    }
}

impl Drop for Node {
    /// Drops all nodes that only this node holds, at any depth, without recursion.
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - 1);
        let mut orphans = Vec::new();
        release(self.state.get_mut(), &mut orphans);
        while let Some(mut orphan) = orphans.pop() {
            release(orphan.state.get_mut(), &mut orphans);
        }
    }
}

/// Moves the nodes that only `state` holds to `orphans`.
fn release(state: &mut State, orphans: &mut Vec<Node>) {
    let mut parts = Vec::new();
    match std::mem::replace(state, State::Data(Data::bool(false))) {
        State::Data(_) => {}
        State::Aggregate(aggregate) => parts.push(Part::Aggregate(aggregate)),
        State::Function(function) => parts.push(Part::Function(function)),
        State::Rec(entry) => {
            if let Some(entry) = Rc::into_inner(entry) {
                orphans.extend(Rc::into_inner(entry.function));
                orphans.extend(entry.first.into_iter().filter_map(Rc::into_inner));
            }
        }
        State::Term(children) => orphans.extend(children.into_iter().filter_map(Rc::into_inner)),
        State::Known(known) => {
            match known.term {
                Source::Term(children) => {
                    orphans.extend(children.into_iter().filter_map(Rc::into_inner));
                }
                Source::Field(of, ..) => orphans.extend(Rc::into_inner(of)),
            }
            parts.extend(known.values.into_iter().map(|(_, value)| value));
        }
    }
    while let Some(part) = parts.pop() {
        match part {
            Part::Data(_) => {}
            Part::Function(function) => orphans.extend(Rc::into_inner(function)),
            Part::Aggregate(aggregate) => {
                if let Some(Parts::Values(values)) = Rc::into_inner(aggregate).map(|a| a.parts) {
                    parts.extend(values);
                }
            }
        }
    }
}
