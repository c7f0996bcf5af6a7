//! The sink that keeps events, within a limit.

use super::event::{Event, EventKind, PIXEL, ScopeKind, Sink};
use super::subject::Subject;
use super::tree::{Item, ItemKind, Scope, Trace};
use std::collections::HashMap;

/// Most events to keep.
const LIMIT: usize = 200_000;

/// Rounds to keep at either end of a loop, as the limit is exceeded again and again.
const KEPT: [usize; 3] = [64, 8, 2];

/// Keeps events as a tree of scopes.
#[derive(Debug)]
pub struct Recorder {
    pub(super) scopes: HashMap<u32, Scope>,
    /// Number of kept items.
    kept: usize,
    dropped: u64,
    rank: u64,
    /// Index in [`KEPT`] of the next reduction; beyond it, new items are dropped.
    reductions: usize,
    limit: usize,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

fn scope(kind: ScopeKind) -> Scope {
    Scope {
        kind,
        parent: 0,
        name: None,
        place: None,
        arguments: Vec::new(),
        result: None,
        rounds: 0,
        items: Vec::new(),
    }
}

impl Recorder {
    /// A recorder that keeps about so many events.
    pub fn with_limit(limit: usize) -> Self {
        let scopes = HashMap::from([(PIXEL, scope(ScopeKind::Pixel))]);
        Self { scopes, kept: 0, dropped: 0, rank: 0, reductions: 0, limit }
    }

    /// The finished trace. `by_place`: the items of a scope are put in the order of the text; otherwise they have the
    /// order of their events. `needed`: true for the numbers of the events that made the results.
    pub fn finish(self, subject: Subject, by_place: bool, needed: &dyn Fn(u32) -> bool) -> Trace {
        Trace::new(subject, self.scopes, self.dropped, by_place, needed)
    }

    /// Adds an item to a scope, if the scope is kept and there is room. Returns true if it was added.
    fn add(&mut self, to: u32, item: Item) -> bool {
        let is_full = self.reductions > KEPT.len();
        match self.scopes.get_mut(&to) {
            Some(scope) if !is_full => {
                scope.items.push(item);
                self.kept += 1;
                true
            }
            _ => {
                self.dropped += 1;
                false
            }
        }
    }

    /// Drops middle rounds until half of the limit is free.
    fn reduce(&mut self) {
        while self.kept > self.limit / 2 && self.reductions <= KEPT.len() {
            if let Some(&ends) = KEPT.get(self.reductions) {
                self.drop_rounds(ends);
            }
            if self.kept > self.limit / 2 {
                self.reductions += 1;
            }
        }
    }

    /// Drops rounds but for so many at either end of each loop.
    fn drop_rounds(&mut self, ends: usize) {
        let mut gone: Vec<u32> = Vec::new();
        for scope in self.scopes.values_mut().filter(|scope| scope.kind == ScopeKind::Loop) {
            let count = scope.items.len();
            if count > 2 * ends {
                let middle = scope.items.drain(ends..count - ends);
                gone.extend(middle.filter_map(|item| match item.kind {
                    ItemKind::Scope(number) => Some(number as u32),
                    _ => None,
                }));
            }
        }
        self.kept -= gone.len();
        while let Some(number) = gone.pop() {
            let Some(scope) = self.scopes.remove(&number) else { continue };
            self.kept -= scope.items.len();
            self.dropped += scope.items.len() as u64;
            gone.extend(scope.items.iter().filter_map(|item| match item.kind {
                ItemKind::Scope(number) => Some(number as u32),
                _ => None,
            }));
        }
    }
}

impl Sink for Recorder {
    fn event(&mut self, event: Event) {
        let Event { scope: to, place, number, kind } = event;
        self.rank += 1;
        let rank = self.rank;
        let item = |kind| Item { place, rank, number, closing: None, is_needed: true, kind };
        match kind {
            EventKind::Binding { name, value } => {
                self.add(to, item(ItemKind::Binding(name, value)));
            }
            EventKind::Condition { text, value, arm } => {
                self.add(to, item(ItemKind::Condition { text, value, arm }));
            }
            EventKind::Message(text) => {
                self.add(to, item(ItemKind::Message(text)));
            }
            EventKind::Open { scope: inner, kind, name } => {
                let rounds = match self.scopes.get_mut(&to) {
                    Some(outer) if kind == ScopeKind::Round => {
                        outer.rounds += 1;
                        outer.rounds
                    }
                    _ => 0,
                };
                if self.add(to, item(ItemKind::Scope(inner as usize))) {
                    let new = Scope { name, place, rounds, ..scope(kind) };
                    self.scopes.insert(inner, Scope { parent: to as usize, ..new });
                }
            }
            EventKind::Argument { name, value } => {
                if let Some(scope) = self.scopes.get_mut(&to) {
                    scope.arguments.push((name, value));
                }
            }
            EventKind::Close { result } => {
                let Some(scope) = self.scopes.get_mut(&to) else { return };
                scope.result = result;
                if scope.kind == ScopeKind::Round {
                    return;
                }
                // A scope is complete when it ends.
                let parent = scope.parent as u32;
                let items = self.scopes.get_mut(&parent).map(|outer| &mut outer.items);
                let is_this =
                    |item: &&mut Item| matches!(item.kind, ItemKind::Scope(of) if of as u32 == to);
                if let Some(item) = items.and_then(|items| items.iter_mut().rev().find(is_this)) {
                    (item.rank, item.closing) = (rank, Some(number));
                }
            }
        }
        if self.kept > self.limit {
            self.reduce();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Scalar, Value};
    use crate::subject::Unit;
    use std::sync::Arc;

    fn subject() -> Subject {
        Subject {
            files: vec!["a".to_owned()],
            texts: Vec::new(),
            unit: Unit::Pixel { at: [0; 2], size: [1; 2], output: 0 },
            results: Vec::new(),
            is_discarded: false,
            against: None,
        }
    }

    fn binding(scope: u32, word: u32) -> Event {
        let value = Value::Words { ty: "uint".into(), scalar: Scalar::Uint, words: [word].into() };
        Event {
            scope,
            place: None,
            number: word,
            kind: EventKind::Binding { name: Arc::from("x"), value },
        }
    }

    fn open(outer: u32, scope: u32, kind: ScopeKind) -> Event {
        Event {
            scope: outer,
            place: None,
            number: 0,
            kind: EventKind::Open { scope, kind, name: None },
        }
    }

    /// A loop in a loop keeps its first rounds and its last ones, and counts all.
    #[test]
    fn middle_rounds_are_dropped() {
        let mut recorder = Recorder::with_limit(1000);
        recorder.event(open(0, 1, ScopeKind::Loop));
        let mut next = 2;
        for outer in 0..100 {
            let round = next;
            recorder.event(open(1, round, ScopeKind::Round));
            recorder.event(open(round, round + 1, ScopeKind::Loop));
            next += 2;
            for inner in 0..100 {
                recorder.event(open(round + 1, next, ScopeKind::Round));
                recorder.event(binding(next, outer * 1000 + inner));
                next += 1;
            }
        }
        recorder.event(binding(0, 7));
        assert!(recorder.kept <= 1000, "{}", recorder.kept);
        let trace = recorder.finish(subject(), false, &|_| true);
        let outer = &trace.scopes[1];
        assert_eq!((outer.kind, outer.rounds), (ScopeKind::Loop, 100));
        let numbers = |scope: &Scope| -> Vec<u64> {
            let round = |item: &Item| match item.kind {
                ItemKind::Scope(index) => trace.scopes[index].rounds,
                _ => panic!("a loop has rounds"),
            };
            scope.items.iter().map(round).collect()
        };
        let all = numbers(outer);
        assert_eq!((all[0], all[all.len() - 2], all[all.len() - 1]), (1, 99, 100));
        assert!(all.is_sorted(), "{all:?}");
        let last = trace.scopes.iter().rfind(|scope| scope.kind == ScopeKind::Loop);
        let last = numbers(last.expect("there are loops"));
        assert_eq!((last[0], last[last.len() - 1]), (1, 100));
        assert!(trace.dropped > 0);
        let ItemKind::Binding(_, Value::Words { words, .. }) = &trace.scopes[0].items[1].kind
        else {
            panic!("it is the last event")
        };
        assert_eq!(**words, [7]);
    }

    /// Without loops, events beyond the limit are counted.
    #[test]
    fn events_beyond_the_limit_are_counted() {
        let mut recorder = Recorder::with_limit(100);
        (0..1000).for_each(|word| recorder.event(binding(0, word)));
        let trace = recorder.finish(subject(), true, &|_| true);
        assert_eq!(trace.scopes[0].items.len() as u64 + trace.dropped, 1000);
        assert!(trace.scopes[0].items.len() >= 100);
    }

    /// A chain of scopes of any depth is finished and dropped without recursion.
    #[test]
    fn deep_scopes() {
        let mut recorder = Recorder::default();
        (0..100_000).for_each(|k| recorder.event(open(k, k + 1, ScopeKind::Call)));
        (1..=100_000).rev().for_each(|scope| {
            recorder.event(Event {
                scope,
                place: None,
                number: 0,
                kind: EventKind::Close { result: None },
            });
        });
        let trace = recorder.finish(subject(), true, &|_| true);
        assert_eq!(trace.scopes.len(), 100_001);
        assert_eq!(trace.scopes[100_000].parent, 99_999);
        assert!(trace.text(false).lines().count() < 60);
    }

    /// The scopes around a needed event are needed, and others are not.
    #[test]
    fn needed_scopes() {
        let mut recorder = Recorder::default();
        recorder.event(open(0, 1, ScopeKind::Call));
        recorder.event(open(1, 2, ScopeKind::Call));
        recorder.event(binding(2, 7));
        recorder.event(binding(1, 8));
        recorder.event(open(0, 3, ScopeKind::Call));
        recorder.event(binding(3, 8));
        // A call of which the result alone is needed.
        recorder.event(open(0, 4, ScopeKind::Call));
        let kind = EventKind::Close { result: None };
        recorder.event(Event { scope: 4, place: None, number: 7, kind });
        let trace = recorder.finish(subject(), false, &|number| number == 7);
        let needed = |scope: usize| -> Vec<bool> {
            trace.scopes[scope].items.iter().map(|item| item.is_needed).collect()
        };
        assert_eq!(
            [0, 1, 2, 3].map(needed),
            [vec![true, false, true], vec![true, false], vec![true], vec![false]]
        );
        assert_eq!(trace.text(false).lines().filter(|line| line.contains("x = ")).count(), 1);
    }
}
