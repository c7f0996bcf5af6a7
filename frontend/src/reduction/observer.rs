//! Observation of a reduction: named values, conditions, calls and loops, each with its place in the text.
//!
//! An [`Observer`] sees the events of the evaluated pixel itself, not those of its neighbours under a derivative. The
//! observer `()` compiles away.
//!
//! Events belong to numbered scopes; 0 is the whole program. Reduction is by need: an argument, or the value of a `let`,
//! may be reduced while another function is. Its events belong to the scope in which the expression was substituted.

use super::term::{AggregateKind, Node, Part};
use super::text::{Form, TextId, Texts, Variable};
use crate::builtins::Builtin;
use crate::mutants::{Mutant, is_active};
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rustc_hash::FxHashMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// An observer of a reduction.
pub trait Observer {
    /// False for `()`, whose hooks compile away.
    const IS_ACTIVE: bool = true;

    /// A number for a new scope, other than 0.
    fn open(&mut self) -> u32;

    /// Called before each evaluation of a term of the same unit, such as the operands of a write. Names of the program get
    /// their values anew in each.
    #[inline]
    fn begin(&mut self) {}

    /// Called for each event of a scope.
    fn event(&mut self, scope: u32, event: SourceEvent);
}

/// Observes nothing; the hooks compile away.
impl Observer for () {
    const IS_ACTIVE: bool = false;

    #[inline]
    fn open(&mut self) -> u32 {
        0
    }

    #[inline]
    fn event(&mut self, _: u32, _: SourceEvent) {}
}

/// An event. Names are spans of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceEvent {
    /// A name got a value.
    Binding {
        /// The name where it is bound.
        name: Span,
        /// The value.
        value: SourceValue,
    },
    /// An `if` or a `case` was decided.
    Condition {
        /// The form.
        at: Span,
        /// The condition or scrutinee.
        condition: Span,
        /// Its value.
        value: SourceValue,
        /// The arm that is taken.
        arm: Span,
    },
    /// The condition of `discard-if` was evaluated.
    Discard {
        /// The condition.
        condition: Span,
        /// Its value.
        is_discarded: bool,
    },
    /// A call begins the scope.
    Call {
        /// The new scope.
        scope: u32,
        /// The function's name, if it has one.
        name: Option<Span>,
        /// The application.
        at: Span,
    },
    /// A loop begins the scope.
    Loop {
        /// The new scope.
        scope: u32,
        /// The function's name, if it has one.
        name: Option<Span>,
        /// The application.
        at: Span,
    },
    /// A round of a loop begins the scope.
    Round {
        /// The new scope.
        scope: u32,
        /// The application that begins it.
        at: Span,
    },
    /// A parameter of the scope got a value.
    Argument {
        /// The parameter.
        name: Span,
        /// The value.
        value: SourceValue,
    },
    /// A `probe` got a value.
    Probe {
        /// The string with its name, in quotes.
        name: Span,
        /// The form.
        at: Span,
        /// The value.
        value: SourceValue,
    },
    /// The scope ends with a value; functions are none.
    Close(Option<SourceValue>),
    /// A builtin that the author wrote was applied to values that are no aggregates, here or at a neighbour.
    Operation {
        /// The builtin.
        builtin: Builtin,
        /// The application.
        at: Span,
        /// The types and words of the operands.
        operands: Vec<(Type, Box<[u32]>)>,
    },
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceValue {
    /// A scalar, vector or matrix.
    Data(Type, Box<[u32]>),
    /// A structure, a case of a variant, or an array.
    Parts {
        /// The name of the structure or case; `None` for an array.
        name: Option<Arc<str>>,
        /// The first parts, with the names of fields.
        parts: Vec<(Option<Arc<str>>, SourceValue)>,
        /// The number of further parts.
        more: usize,
    },
}

/// The most parts of a value that an observer sees.
pub const SEEN_PARTS: usize = 64;

/// The names of a program, as spans of its text.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// By variable; of a variable without a name, an empty span.
    variables: Vec<Span>,
    /// Named terms: definitions, uniforms and constants.
    texts: Vec<(TextId, Span)>,
    /// Parts of each `if` and `case`: the condition or scrutinee, and the arms.
    parts: FxHashMap<u32, Box<[Span]>>,
}

impl Names {
    pub(super) fn set_variable(&mut self, variable: Variable, name: Span) {
        let index = variable as usize;
        if self.variables.len() <= index {
            self.variables.resize(index + 1, Span::default());
        }
        self.variables[index] = name;
    }

    pub(super) fn set_text(&mut self, text: TextId, name: Span) {
        self.texts.push((text, name));
    }

    pub(super) fn set_parts(&mut self, choice: TextId, parts: Box<[Span]>) {
        self.parts.insert(choice.0, parts);
    }

    fn variable(&self, variable: Variable) -> Option<Span> {
        let name = self.variables.get(variable as usize).copied();
        name.filter(|span| span.start < span.end)
    }

    /// All names.
    pub(super) fn all(&self) -> impl Iterator<Item = Span> {
        let variables = self.variables.iter().copied().filter(|span| span.start < span.end);
        self.texts.iter().map(|&(_, name)| name).chain(variables)
    }
}

/// A name that waits for a value.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    scope: u32,
    name: Span,
    is_argument: bool,
}

/// A term that has not been reduced: the scope of its substitution, and its names.
#[derive(Debug)]
pub(super) struct Birth {
    node: Weak<Node>,
    scope: u32,
    names: Vec<Waiting>,
}

/// The state of an observation.
pub(super) struct Watcher<'a, O> {
    observer: &'a mut O,
    names: &'a Names,
    /// The number of the program's own terms; the others are of builtins' expansions.
    own: usize,
    /// The current scope.
    pub(super) scope: u32,
    births: FxHashMap<*const Node, Birth>,
    /// The number of births at which those of dropped terms are removed.
    sweep_at: usize,
    /// The names of functions.
    functions: FxHashMap<u32, Span>,
}

/// The fewest births between two sweeps.
const SWEEP: usize = 1 << 12;

impl<'a, O: Observer> Watcher<'a, O> {
    pub(super) fn new(observer: &'a mut O, names: &'a Names, texts: &Texts) -> Self {
        Self {
            observer,
            names,
            own: texts.len(),
            scope: 0,
            births: FxHashMap::default(),
            sweep_at: SWEEP,
            functions: FxHashMap::default(),
        }
    }

    /// Names the program's own terms, which are `nodes`.
    pub(super) fn begin(&mut self, texts: &Texts, nodes: &[Rc<Node>]) {
        let names = self.names;
        for &(text, name) in &names.texts {
            match texts.get(text).form {
                Form::Func(..) | Form::RecFunc(..) => {
                    self.functions.insert(text.0, name);
                }
                // A literal is plain from the text.
                Form::Data(_) => {}
                _ => {
                    let waiting = Waiting { scope: 0, name, is_argument: false };
                    self.wait(&nodes[text.0 as usize], Some(waiting));
                }
            }
        }
    }

    /// Where a part of an `if` or `case` stands.
    pub(super) fn part(&self, choice: TextId, index: usize) -> Option<Span> {
        self.names.parts.get(&choice.0)?.get(index).copied()
    }

    /// True if a term is the author's.
    pub(super) fn is_own(&self, text: TextId) -> bool {
        (text.0 as usize) < self.own
    }

    pub(super) fn event(&mut self, event: SourceEvent) {
        self.observer.event(self.scope, event);
    }

    /// Begins a scope in the current one; the event is made from its number.
    pub(super) fn open(&mut self, event: impl FnOnce(u32) -> SourceEvent) -> u32 {
        let scope = self.observer.open();
        let event = event(scope);
        if let SourceEvent::Round { at, .. } = event
            && is_active(Mutant::DoubledRound)
        {
            let scope = self.observer.open();
            self.observer.event(self.scope, SourceEvent::Round { scope, at });
        }
        self.observer.event(self.scope, event);
        scope
    }

    /// A `probe` of a scope got a value. A function has none to be seen.
    pub(super) fn probed(&mut self, scope: u32, name: Span, at: Span, value: &Part) {
        if let Some(value) = seen(value) {
            self.observer.event(scope, SourceEvent::Probe { name, at, value });
        }
    }

    /// Ends a scope, and returns to another.
    pub(super) fn close(&mut self, scope: u32, result: &Part, back: u32) {
        self.observer.event(scope, SourceEvent::Close(seen(result)));
        self.scope = back;
    }

    /// The name of a function.
    pub(super) fn function(&self, function: &Node) -> Option<Span> {
        self.functions.get(&function.text.0).copied()
    }

    /// Binds variables from `first` on to terms, which are substituted for them: as parameters of the scope `of`, or, if
    /// there is none, as names in the current scope.
    pub(super) fn bind(
        &mut self,
        texts: &Texts,
        first: Variable,
        values: &[Rc<Node>],
        of: Option<u32>,
    ) {
        for (variable, value) in (first..).zip(values) {
            let scope = of.unwrap_or(self.scope);
            let name = self.names.variable(variable);
            let waiting = name.map(|name| Waiting { scope, name, is_argument: of.is_some() });
            if matches!(texts.get(value.text).form, Form::Func(..) | Form::RecFunc(..)) {
                if let Some(name) = name {
                    self.functions.entry(value.text.0).or_insert(name);
                }
                continue;
            }
            match value.known_here() {
                Some(part) => {
                    if let Some(waiting) = waiting {
                        self.tell(waiting, &part);
                    }
                }
                None => self.wait(value, waiting),
            }
        }
    }

    /// Binds a variable to a value.
    pub(super) fn bind_value(&mut self, variable: Variable, value: &Part) {
        if let Some(name) = self.names.variable(variable) {
            self.tell(Waiting { scope: self.scope, name, is_argument: false }, value);
        }
    }

    /// Notes a term that has no value yet. Its first scope stays.
    fn wait(&mut self, node: &Rc<Node>, waiting: Option<Waiting>) {
        if self.births.len() >= self.sweep_at {
            self.births.retain(|_, birth| birth.node.strong_count() > 0);
            self.sweep_at = SWEEP.max(2 * self.births.len());
        }
        let scope = self.scope;
        let new = || Birth { node: Rc::downgrade(node), scope, names: Vec::new() };
        let birth = self.births.entry(Rc::as_ptr(node)).or_insert_with(new);
        birth.names.extend(waiting);
    }

    /// A term is about to be reduced: what was noted of it. Its scope becomes the current one.
    pub(super) fn take(&mut self, node: &Rc<Node>) -> Option<Birth> {
        let birth = self.births.remove(&Rc::as_ptr(node))?;
        self.scope = birth.scope;
        Some(birth)
    }

    /// A noted term was reduced to a value.
    pub(super) fn born(&mut self, birth: &Birth, value: &Part) {
        for &waiting in &birth.names {
            self.tell(waiting, value);
        }
    }

    fn tell(&mut self, waiting: Waiting, value: &Part) {
        let Some(value) = seen(value) else { return };
        let Waiting { scope, name, is_argument } = waiting;
        self.observer.event(
            scope,
            match is_argument {
                true => SourceEvent::Argument { name, value },
                false => SourceEvent::Binding { name, value },
            },
        );
    }
}

/// A value for an observer; none of a function, a texture or a buffer. The depth of values is limited, so the recursion
/// is.
pub(super) fn seen(value: &Part) -> Option<SourceValue> {
    match value {
        Part::Function(_) => None,
        Part::Data(data) if data.words.is_empty() => None,
        Part::Data(data) => Some(SourceValue::Data(data.ty, data.words.clone())),
        Part::Aggregate(value) => {
            let (name, fields) = match &value.kind {
                AggregateKind::Made(of) => (Some(Arc::clone(&of.name)), &of.fields[..]),
                AggregateKind::Array => (None, &[][..]),
            };
            let parts = value.parts.iter().take(SEEN_PARTS).enumerate();
            let parts = parts.filter_map(|(index, part)| {
                let field = fields.get(index).map(|field| Arc::from(&**field));
                Some((field, seen(&part)?))
            });
            let more = value.parts.len().saturating_sub(SEEN_PARTS);
            Some(SourceValue::Parts { name, parts: parts.collect(), more })
        }
    }
}
