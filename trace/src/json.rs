//! A trace as JSON. `docs/debugging.md` documents the members.

use super::event::{Place, ScopeKind, Value};
use super::tree::{Item, ItemKind, Scope, Trace};
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
        let colour = Self::colour(subject.colour);
        json!({
            "version": 1,
            "files": subject.files,
            "pixel": subject.pixel,
            "size": subject.size,
            "output": subject.output,
            "value": of_value(&colour),
            "discarded": subject.is_discarded,
            "drawn": subject.drawn.as_ref().map(|drawn| json!({
                "engine": drawn.engine,
                "value": of_value(&Self::colour(drawn.colour)),
                "equal": drawn.equals(subject.colour),
            })),
            "dropped": self.dropped,
            "scopes": self.scopes.iter().map(of_scope).collect::<Vec<_>>(),
        })
    }
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
            json!({"kind": "binding", "place": place, "rank": item.rank, "name": &**name, "value": of_value(value)})
        }
        ItemKind::Condition { text, value, arm } => json!({
            "kind": "condition",
            "place": place,
            "rank": item.rank,
            "text": text.as_deref(),
            "value": of_value(value),
            "arm": of_place(*arm),
        }),
        ItemKind::Scope(index) => {
            json!({"kind": "scope", "place": place, "rank": item.rank, "scope": index})
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
