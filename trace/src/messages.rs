//! The sink that keeps messages alone.

use super::event::{Event, EventKind, Place, Sink};
use super::recorder::Recorder;
use super::subject::Subject;
use super::tree::{Item, ItemKind};
use std::collections::HashMap;

/// Most messages of a unit.
const LIMIT: usize = 100_000;

/// Keeps the messages of a unit, and the scopes that have any.
#[derive(Debug)]
pub struct Messages {
    recorder: Recorder,
    /// Scopes without messages so far: the events that begin them.
    waiting: HashMap<u32, Event>,
    kept: usize,
    dropped: u64,
}

impl Default for Messages {
    fn default() -> Self {
        // Each message may have scopes of its own around it; none of them is to be dropped.
        let (recorder, waiting) = (Recorder::with_limit(usize::MAX), HashMap::new());
        Self { recorder, waiting, kept: 0, dropped: 0 }
    }
}

impl Sink for Messages {
    fn event(&mut self, event: Event) {
        match event.kind {
            EventKind::Open { scope, .. } => {
                self.waiting.insert(scope, event);
            }
            EventKind::Message(_) if self.kept == LIMIT => self.dropped += 1,
            EventKind::Message(_) => {
                self.kept += 1;
                let mut scopes = Vec::new();
                let mut scope = event.scope;
                while let Some(open) = self.waiting.remove(&scope) {
                    scope = open.scope;
                    scopes.push(open);
                }
                scopes.into_iter().rev().for_each(|open| self.recorder.event(open));
                self.recorder.event(event);
            }
            EventKind::Binding { .. }
            | EventKind::Condition { .. }
            | EventKind::Argument { .. }
            | EventKind::Close { .. } => {}
        }
    }
}

impl Messages {
    /// The messages with their places, and the number of those beyond the limit. `by_place`: those of a scope are in the order
    /// of the text, rounds of loops one after another; otherwise all are in the order of their events.
    pub fn finish(
        mut self,
        subject: Subject,
        by_place: bool,
    ) -> (Vec<(Option<Place>, String)>, u64) {
        if by_place {
            // A scope is recorded at its first message, which an evaluation by need may meet late.
            let number = |item: &Item| match item.kind {
                ItemKind::Scope(number) => number,
                _ => 0,
            };
            self.recorder.scopes.values_mut().for_each(|scope| scope.items.sort_by_key(number));
        }
        let trace = self.recorder.finish(subject, by_place, &|_| true);
        let mut found = Vec::new();
        let mut open = vec![(0, 0)];
        while let Some((scope, index)) = open.pop() {
            let Some(item) = trace.scopes[scope].items.get(index) else { continue };
            open.push((scope, index + 1));
            match &item.kind {
                ItemKind::Message(text) => found.push((item.place, text.to_string())),
                ItemKind::Scope(inner) => open.push((*inner, 0)),
                ItemKind::Binding(..) | ItemKind::Condition { .. } => {}
            }
        }
        (found, self.dropped)
    }
}
