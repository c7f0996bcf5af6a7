//! The tree of a pixel's events.

use super::event::{Place, Scalar, ScopeKind, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The subject of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Names of the files, the main file first.
    pub files: Vec<String>,
    /// Texts of the files, as far as they are known.
    pub texts: Vec<String>,
    /// Column and row, from the upper left.
    pub pixel: [u32; 2],
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Location of the output.
    pub output: u32,
    /// Bits of the pixel.
    pub colour: [u32; 4],
    /// True if the pixel was discarded.
    pub is_discarded: bool,
    /// The pixel as an engine draws it, if one was asked.
    pub drawn: Option<Drawn>,
}

/// A pixel as an engine draws it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Name of the engine.
    pub engine: String,
    /// Bits of the pixel.
    pub colour: [u32; 4],
}

impl Drawn {
    /// True if it has the bits of a traced pixel; all NaNs are one value.
    pub fn equals(&self, traced: [u32; 4]) -> bool {
        let is_nan = |word| f32::from_bits(word).is_nan();
        let mut pairs = self.colour.into_iter().zip(traced);
        pairs.all(|(a, b)| a == b || is_nan(a) && is_nan(b))
    }
}

/// A finished trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The pixel.
    pub subject: Subject,
    /// The scopes, the pixel first; an inner scope stands behind the outer one.
    pub scopes: Vec<Scope>,
    /// Number of events that were not kept.
    pub dropped: u64,
}

/// A scope with its items.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its kind.
    pub kind: ScopeKind,
    /// Index of the outer scope; of the pixel its own.
    pub parent: usize,
    /// The function's name.
    pub name: Option<Arc<str>>,
    /// The place of the call or loop.
    pub place: Option<Place>,
    /// Arguments of a call or a round.
    pub arguments: Vec<(Arc<str>, Value)>,
    /// Result of a call or a loop.
    pub result: Option<Value>,
    /// The number of a round, from 1 on; for a loop, that of its rounds.
    pub rounds: u64,
    /// Items, in the order of the text. Those of a loop are rounds.
    pub items: Vec<Item>,
}

/// An item of a scope.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its place.
    pub place: Option<Place>,
    /// Its rank in the order in which the items of all scopes were completed.
    pub rank: u64,
    /// Its kind.
    pub kind: ItemKind,
}

/// The kind of an item.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A name got a value.
    Binding(Arc<str>, Value),
    /// A decision.
    Condition {
        /// The condition's text.
        text: Option<Arc<str>>,
        /// Its value.
        value: Value,
        /// The place of the arm that is taken.
        arm: Option<Place>,
    },
    /// An inner scope, by its number.
    Scope(usize),
}

impl Trace {
    /// Trace of scopes by number. `by_place`: items are sorted by their places, else they stay as they are.
    pub(crate) fn new(
        subject: Subject,
        mut all: HashMap<u32, Scope>,
        dropped: u64,
        by_place: bool,
    ) -> Self {
        let mut scopes: Vec<Scope> = Vec::with_capacity(all.len());
        // Pending scopes: number, index of the outer scope, and index of the item there.
        let mut open = vec![(0, 0, None)];
        while let Some((number, parent, item)) = open.pop() {
            let Some(mut scope) = all.remove(&number) else { continue };
            let index = scopes.len();
            scope.parent = parent;
            if by_place && scope.kind != ScopeKind::Loop {
                scope.items.sort_by_key(|item| item.place);
            }
            // Their own indices are set when they are taken.
            for (at, item) in scope.items.iter().enumerate().rev() {
                if let ItemKind::Scope(inner) = item.kind {
                    open.push((inner as u32, index, Some(at)));
                }
            }
            scopes.push(scope);
            if let Some(at) = item {
                scopes[parent].items[at].kind = ItemKind::Scope(index);
            }
        }
        Self { subject, scopes, dropped }
    }

    /// A pixel as a value.
    pub fn colour(bits: [u32; 4]) -> Value {
        Value::Words { ty: "vec4".into(), scalar: Scalar::Num, words: bits.into() }
    }

    /// A place as `FILE:LINE:COLUMN`.
    pub(crate) fn place(&self, place: Place) -> String {
        let Place { file, line, column } = place;
        let name = self.subject.files.get(file as usize).map_or("?", String::as_str);
        format!("{name}:{line}:{column}")
    }

    /// Number of bindings, conditions, calls and loops.
    pub fn events(&self) -> usize {
        let is_round = |scope: &&Scope| scope.kind == ScopeKind::Loop;
        let rounds: usize =
            self.scopes.iter().filter(is_round).map(|scope| scope.items.len()).sum();
        self.scopes.iter().map(|scope| scope.items.len()).sum::<usize>() - rounds
    }
}
