//! Scopes of functions, and the symbols in them.

use super::values::Symbol;
use crate::token::Name;
use lambdav_core::source::Span;
use rustc_hash::FxHashMap;

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

    /// The number of open scopes.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The number of names that a scope binds.
    pub(super) fn count(&self, depth: usize) -> usize {
        depth.checked_sub(1).and_then(|k| self.open.get(k)).map_or(0, Vec::len)
    }

    /// Makes the names unusable that the innermost scope bound behind the first `from`.
    pub(super) fn bypass(&mut self, from: usize) {
        let Some(names) = self.open.last() else { return };
        for name in names.iter().skip(from) {
            if let Some(entry) = self.entries.get_mut(name).and_then(|all| all.last_mut()) {
                entry.symbol = Symbol::Bypassed;
            }
        }
    }

    /// Binds a name in the innermost scope, or returns where that scope has bound it.
    pub(super) fn bind(&mut self, name: Name, symbol: Symbol, at: Span) -> Option<Span> {
        let depth = self.open.len() as u32;
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

    /// All names that are bound.
    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        self.entries.iter().filter(|(_, entries)| !entries.is_empty()).map(|(&name, _)| name)
    }
}
