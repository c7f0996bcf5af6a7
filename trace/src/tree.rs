//! The tree of a unit's events.

use super::event::{Place, ScopeKind, Value};
use super::subject::Subject;
use std::collections::HashMap;
use std::sync::Arc;

/// A finished trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The pixel, or another unit.
    pub subject: Subject,
    /// The scopes, that of the unit first; an inner scope stands behind the outer one.
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
    /// Numbers of its event, and of the event that ends its scope.
    pub(crate) number: u32,
    pub(crate) closing: Option<u32>,
    /// True if it made a result of the unit, or is a message.
    pub is_needed: bool,
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
    /// The author's own message.
    Message(Arc<str>),
    /// An inner scope, by its number.
    Scope(usize),
}

impl Trace {
    /// Trace of scopes by number. `by_place`: items are sorted by their places, else they stay as they are. `needed` says
    /// which events made the results; the scopes around them did, too.
    pub(crate) fn new(
        subject: Subject,
        mut all: HashMap<u32, Scope>,
        dropped: u64,
        by_place: bool,
        needed: &dyn Fn(u32) -> bool,
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
            for (at, item) in scope.items.iter_mut().enumerate().rev() {
                // The author asked for messages.
                item.is_needed = matches!(item.kind, ItemKind::Message(_))
                    || needed(item.number)
                    || item.closing.is_some_and(needed);
                if let ItemKind::Scope(inner) = item.kind {
                    open.push((inner as u32, index, Some(at)));
                }
            }
            scopes.push(scope);
            if let Some(at) = item {
                scopes[parent].items[at].kind = ItemKind::Scope(index);
            }
        }
        // Inner scopes stand behind outer ones.
        for index in (1..scopes.len()).rev() {
            if scopes[index].items.iter().any(|item| item.is_needed) {
                let parent = scopes[index].parent;
                let outer = scopes[parent].items.iter_mut();
                let is_this =
                    |item: &&mut Item| matches!(item.kind, ItemKind::Scope(of) if of == index);
                outer.filter(is_this).for_each(|item| item.is_needed = true);
            }
        }
        Self { subject, scopes, dropped }
    }

    /// Number of bindings, conditions, messages, calls and loops.
    pub fn events(&self) -> usize {
        let is_round = |scope: &&Scope| scope.kind == ScopeKind::Loop;
        let rounds: usize =
            self.scopes.iter().filter(is_round).map(|scope| scope.items.len()).sum();
        self.scopes.iter().map(|scope| scope.items.len()).sum::<usize>() - rounds
    }
}
