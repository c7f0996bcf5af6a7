//! A trace as JSON. `docs/debugging.md` documents the members.

use super::event::{Place, ScopeKind, Value};
use super::subject::{Against, Unit};
use super::tree::{Item, ItemKind, Scope, Trace};
use super::values::Comparison;
use serde_json::{Value as Json, json};
use std::sync::Arc;

impl ScopeKind {
    fn name(self) -> &'static str {
        match self {
            Self::Pixel => "pixel",
            Self::Call => "call",
            Self::Loop => "loop",
            Self::Round => "round",
        }
    }
}

impl Trace {
    /// The trace as one JSON object.
    pub fn json(&self) -> Json {
        let subject = &self.subject;
        let (pixel, size, output) = match subject.unit {
            Unit::Pixel { at, size, output } => (json!(at), json!(size), json!(output)),
            _ => (Json::Null, Json::Null, Json::Null),
        };
        json!({
            "version": 1,
            "files": subject.files,
            "unit": subject.unit.to_string(),
            "pixel": pixel,
            "size": size,
            "output": output,
            "value": subject.pixel().map(of_value),
            "results": named(&subject.results),
            "discarded": subject.is_discarded,
            "compared": subject.against.as_ref().map(of_against),
            "dropped": self.dropped,
            "scopes": self.scopes.iter().map(of_scope).collect::<Vec<_>>(),
        })
    }
}

fn of_against(against: &Against) -> Json {
    let first = |comparison: &Comparison| {
        comparison.first.as_ref().map(|first| {
            json!({
                "name": &*first.name,
                "place": of_place(first.place),
                "value": of_value(&first.here),
                "there": of_value(&first.there),
            })
        })
    };
    json!({
        "name": against.name,
        "value": of_value(&against.value),
        "here": of_value(&against.here),
        "equal": against.is_equal(),
        "names": against.names.as_ref().map(|comparison| comparison.names),
        "first": against.names.as_ref().and_then(first),
    })
}

fn of_scope(scope: &Scope) -> Json {
    json!({
        "kind": scope.kind.name(),
        "parent": scope.parent,
        "name": scope.name.as_deref(),
        "place": of_place(scope.place),
        "arguments": named(&scope.arguments),
        "result": scope.result.as_ref().map(of_value),
        "rounds": scope.rounds,
        "items": scope.items.iter().map(of_item).collect::<Vec<_>>(),
    })
}

fn of_item(item: &Item) -> Json {
    let place = of_place(item.place);
    match &item.kind {
        ItemKind::Binding(name, value) => {
            json!({"kind": "binding", "place": place, "rank": item.rank, "needed": item.is_needed, "name": &**name, "value": of_value(value)})
        }
        ItemKind::Condition { text, value, arm } => json!({
            "kind": "condition",
            "place": place,
            "rank": item.rank,
            "needed": item.is_needed,
            "text": text.as_deref(),
            "value": of_value(value),
            "arm": of_place(*arm),
        }),
        ItemKind::Message(text) => {
            json!({"kind": "message", "place": place, "rank": item.rank, "needed": item.is_needed, "text": &**text})
        }
        ItemKind::Scope(index) => {
            json!({"kind": "scope", "place": place, "rank": item.rank, "needed": item.is_needed, "scope": index})
        }
    }
}

/// File, line and column.
fn of_place(place: Option<Place>) -> Json {
    match place {
        Some(Place { file, line, column }) => json!([file, line, column]),
        None => Json::Null,
    }
}

fn named(all: &[(Arc<str>, Value)]) -> Vec<Json> {
    all.iter().map(|(name, value)| json!({"name": &**name, "value": of_value(value)})).collect()
}

/// A value. The depth of a type is limited, so the recursion is.
fn of_value(value: &Value) -> Json {
    match value {
        Value::Words { ty, .. } => {
            json!({"type": &**ty, "decimal": value.components(), "bits": value.bits()})
        }
        Value::Parts { ty, parts, more } => {
            json!({"type": &**ty, "parts": named(parts), "more": more})
        }
    }
}
