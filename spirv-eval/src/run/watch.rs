//! An observer at work.

use super::super::code::Position;
use super::super::observer::{ModuleEvent, Observer};
use super::slice::Collector;

/// An open loop: the number of callers, its header and its merge block.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLoop {
    pub(super) depth: usize,
    pub(super) header: usize,
    pub(super) merge: Option<usize>,
}

/// An observer, the loops that are open, and the log of the execution.
pub(super) struct Watch<'o, O> {
    observer: Option<&'o mut O>,
    pub(super) loops: Vec<OpenLoop>,
    pub(super) collector: Option<Collector>,
}

impl Watch<'_, ()> {
    /// Observes nothing.
    pub(super) fn nobody() -> Self {
        Self { observer: None, loops: Vec::new(), collector: None }
    }
}

impl<'o, O: Observer> Watch<'o, O> {
    pub(super) fn new(observer: &'o mut O, collector: Option<Collector>) -> Self {
        Self { observer: Some(observer), loops: Vec::new(), collector }
    }

    /// The next events are those of a value.
    pub(super) fn about(&mut self, at: usize) {
        if let Some(collector) = &mut self.collector {
            collector.about(at);
        }
    }

    /// The next events are those of the last return.
    pub(super) fn about_result(&mut self) {
        if let Some(collector) = &mut self.collector {
            collector.about_result();
        }
    }

    /// The next events belong to no step.
    pub(super) fn about_nothing(&mut self) {
        if let Some(collector) = &mut self.collector {
            collector.about_nothing();
        }
    }

    pub(super) fn event(&mut self, position: Option<Position>, event: ModuleEvent) {
        if let Some(collector) = &mut self.collector {
            collector.event();
        }
        if let Some(observer) = &mut self.observer {
            observer.event(position, event);
        }
    }
}
