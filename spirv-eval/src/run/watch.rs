//! An observer at work.

use super::super::code::Position;
use super::super::observer::{ModuleEvent, Observer};

/// An open loop: the number of callers, its header and its merge block.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLoop {
    pub(super) depth: usize,
    pub(super) header: usize,
    pub(super) merge: Option<usize>,
}

/// An observer, and the loops that are open.
pub(super) struct Watch<'o, O> {
    observer: Option<&'o mut O>,
    pub(super) loops: Vec<OpenLoop>,
}

impl Watch<'_, ()> {
    /// Observes nothing.
    pub(super) fn nobody() -> Self {
        Self { observer: None, loops: Vec::new() }
    }
}

impl<'o, O: Observer> Watch<'o, O> {
    pub(super) fn new(observer: &'o mut O) -> Self {
        Self { observer: Some(observer), loops: Vec::new() }
    }

    pub(super) fn event(&mut self, position: Option<Position>, event: ModuleEvent) {
        if let Some(observer) = &mut self.observer {
            observer.event(position, event);
        }
    }
}
