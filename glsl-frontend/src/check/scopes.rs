//! Scopes and the symbols in them.

use super::values::{Constant, Place};
use crate::token::Name;
use crate::types::Type;
use lambdav_core::source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A variable; with a constant if its value is known.
    Variable(Place, Option<Rc<Constant>>),
    /// A constant without memory.
    Constant(Type, Rc<Constant>),
    /// A structure.
    Type(Type),
    /// A block whose members are variables of their own.
    Block(usize),
    /// Something that was reported.
    Error,
}

#[derive(Clone, Debug)]
struct Entry {
    symbol: Symbol,
    depth: u32,
    at: Span,
}

/// All scopes: for each name, what it is bound to, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    entries: FxHashMap<Name, Vec<Entry>>,
    /// The names that each open scope binds.
    open: Vec<Vec<Name>>,
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        for name in self.open.pop().unwrap_or_default() {
            if let Some(entries) = self.entries.get_mut(&name) {
                entries.pop();
            }
        }
    }

    fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    /// Binds a name in the innermost scope, or returns where that scope has bound it.
    pub(super) fn bind(&mut self, name: Name, symbol: Symbol, at: Span) -> Option<Span> {
        let depth = self.depth();
        let entries = self.entries.entry(name).or_default();
        if let Some(last) = entries.last()
            && last.depth == depth
        {
            return Some(last.at);
        }
        entries.push(Entry { symbol, depth, at });
        if let Some(names) = self.open.last_mut() {
            names.push(name);
        }
        None
    }

    pub(super) fn find(&self, name: Name) -> Option<&Symbol> {
        Some(&self.entries.get(&name)?.last()?.symbol)
    }

    /// True if the name is bound in a function.
    pub(super) fn is_local(&self, name: Name) -> bool {
        let last = self.entries.get(&name).and_then(|entries| entries.last());
        last.is_some_and(|entry| entry.depth > 0)
    }

    /// True if the name is bound in the innermost scope.
    pub(super) fn is_bound_here(&self, name: Name) -> bool {
        let last = self.entries.get(&name).and_then(|entries| entries.last());
        last.is_some_and(|entry| entry.depth == self.depth())
    }

    /// All names that are bound.
    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        self.entries.iter().filter(|(_, entries)| !entries.is_empty()).map(|(&name, _)| name)
    }
}
