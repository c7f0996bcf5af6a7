//! The history of an evaluator's invocation, to compare with a trace.

use lambdav_core::float::canonical;
use lambdav_trace::{ItemKind, NamedValues, ScopeKind, Trace, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Values that variables got, in order, and rounds of loops.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Variables, by number, with their words.
    pub values: Vec<(usize, Vec<u32>)>,
    /// The texts of messages, in order.
    pub messages: Vec<String>,
    /// The rounds of all loops, each with the one that ends it.
    pub rounds: u64,
    /// True if a call is missing: the operand of a derivative is evaluated apart.
    pub is_partial: bool,
}

impl History {
    /// Compares with a trace: its rounds, the lines of its events, and the values of variables, all of which must occur here
    /// in that order. `names` are those of the variables; a name of two variables is left out. `pointers` are names by which
    /// a line may change a variable with another name. Returns the number of values that were compared.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare(
        &self,
        [names, pointers]: [&[&str]; 2],
        trace: &Trace,
        values: &NamedValues,
    ) -> Result<usize, String> {
        lines(trace, pointers)?;
        if self.is_partial {
            return Ok(0);
        }
        let loops = trace.scopes.iter().filter(|scope| scope.kind == ScopeKind::Loop);
        let rounds: u64 = loops.map(|scope| scope.rounds).sum();
        if rounds != self.rounds && trace.dropped == 0 {
            return Err(format!("there are {rounds} rounds, not {}", self.rounds));
        }
        let items = trace.scopes.iter().flat_map(|scope| &scope.items);
        let told = items.filter_map(|item| match &item.kind {
            ItemKind::Message(text) => Some((item.rank, &**text)),
            _ => None,
        });
        let mut told: Vec<(u64, &str)> = told.collect();
        told.sort_unstable();
        let told = told.into_iter().map(|(_, text)| text);
        if trace.dropped == 0 && !told.clone().eq(self.messages.iter().map(String::as_str)) {
            let told: Vec<&str> = told.collect();
            return Err(format!("the messages are {told:?}, not {:?}", self.messages));
        }
        let mut seen = BTreeSet::new();
        let twice: BTreeSet<&str> =
            names.iter().copied().filter(|name| !seen.insert(*name)).collect();
        let mut all: BTreeMap<&str, Vec<Vec<u32>>> = BTreeMap::new();
        for (variable, words) in self.values.iter().filter(|(_, words)| !words.is_empty()) {
            let words = words.iter().copied().map(canonical).collect();
            all.entry(names[*variable]).or_default().push(words);
        }
        let mut next: BTreeMap<&str, usize> = BTreeMap::new();
        let mut compared = 0;
        for (name, place, value) in values.iter() {
            let (Some(expected), Value::Words { words, .. }) = (all.get(name), value) else {
                continue;
            };
            if twice.contains(name) {
                continue;
            }
            let words: Vec<u32> = words.iter().copied().map(canonical).collect();
            let from = next.get(name).copied().unwrap_or(0);
            let found = expected[from..].iter().position(|expected| *expected == words);
            let Some(found) = found else {
                return Err(format!(
                    "`{name}` is {words:08x?} at {place:?}; its values from there on are {:08x?}",
                    &expected[from..]
                ));
            };
            next.insert(name, from + found + 1);
            compared += 1;
        }
        Ok(compared)
    }
}

/// Demands that the line of a binding has its name, and that of a call the name of its function.
fn lines(trace: &Trace, pointers: &[&str]) -> Result<(), String> {
    let line = |file: u32, line: u32| {
        let text = trace.subject.texts.get(file as usize)?;
        text.lines().nth(line as usize - 1)
    };
    let is_word = |text: &str, name: &str| {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        text.match_indices(name).any(|(at, _)| {
            !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part)
        })
    };
    for item in trace.scopes.iter().flat_map(|scope| &scope.items) {
        let name = match &item.kind {
            ItemKind::Binding(name, _) => Some(name),
            ItemKind::Scope(scope) => trace.scopes[*scope].name.as_ref(),
            ItemKind::Condition { .. } | ItemKind::Message(_) => None,
        };
        let (Some(name), Some(place)) = (name, item.place) else { continue };
        let name = name.split(['.', '[']).next().unwrap_or_default();
        let Some(text) = line(place.file, place.line) else {
            return Err(format!("`{name}` has the place {place:?}, which is outside of the text"));
        };
        // The call of an entry point, and of the function of global initialisers, has the place of the first statement.
        let has_pointer = || pointers.iter().any(|name| is_word(text, name));
        if !matches!(name, "main" | "initialise") && !is_word(text, name) && !has_pointer() {
            return Err(format!("`{name}` has the line {}: {text}", place.line));
        }
    }
    Ok(())
}
