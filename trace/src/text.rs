//! A trace as text.

use super::event::{ScopeKind, Value};
use super::subject::Against;
use super::tree::{Item, ItemKind, Scope, Trace};
use super::values::Comparison;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// Lines of events that fit a screen.
const SCREEN: usize = 40;

/// Most components of a value in a line.
const COMPONENTS: usize = 16;

/// Most characters of a condition's text in a line.
const CONDITION: usize = 60;

impl Trace {
    /// The trace as text: a screen of events, nearest to the output first; with `all`, all events in the order of the
    /// text. Of each loop, the first round, the last one and the deciding one are shown.
    pub fn text(&self, all: bool) -> String {
        let subject = &self.subject;
        let name = subject.files.first().map_or("", String::as_str);
        let mut text = format!("{name}: {}\n", subject.unit);
        if subject.is_discarded {
            text += "The pixel is discarded and keeps this colour:\n";
        }
        // Writing to a string does not fail.
        for (name, value) in &subject.results {
            let _ = writeln!(text, "{name} = {}", shown(value));
        }
        if let Some(against) = &subject.against {
            self.against(against, &mut text);
        }
        let limit = if all { usize::MAX } else { SCREEN };
        let (lines, left_out) = self.lines(all, limit);
        if lines.is_empty() {
            text += "\nNo name, condition, call or loop made it.\n";
        } else {
            text += if all { "\nIn the order of the text:\n" } else { "\nNearest first:\n" };
        }
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        if left_out > 0 {
            let are = if left_out == 1 { "line is" } else { "lines are" };
            let _ = writeln!(text, "{left_out} more {are} left out; --all shows all");
        }
        if self.dropped > 0 {
            let dropped = self.dropped;
            let _ = writeln!(
                text,
                "{dropped} events of middle rounds, or beyond the limit, were not kept"
            );
        }
        text
    }

    /// The value elsewhere, and the first line that differs.
    fn against(&self, against: &Against, text: &mut String) {
        let Against { name, value, here, names } = against;
        let is_equal = against.is_equal();
        let is = if is_equal { "the same" } else { "different" };
        let _ = writeln!(text, "{name} = {}: {is}", shown(value));
        // Levels of a picture of integers are no words of the output.
        if !is_equal && self.subject.pixel().is_some_and(|pixel| !pixel.equals(here)) {
            let _ = writeln!(text, "here {}", shown(here));
        }
        let Some(Comparison { names, first }) = names else { return };
        let plural = if *names == 1 { "name" } else { "names" };
        let _ = match first {
            Some(first) => {
                let place = first.place.map_or_else(|| "-".to_owned(), |at| self.subject.place(at));
                let (name, here, there) = (&first.name, shown(&first.here), shown(&first.there));
                writeln!(
                    text,
                    "The first line that differs:\n  {place}  {name} = {here}, there {there}"
                )
            }
            None if is_equal => writeln!(text, "values of {names} {plural}: the same"),
            None => writeln!(text, "No value of a name differs; {names} {plural} were compared."),
        };
    }

    /// The first `limit` lines, and the number of others.
    fn lines(&self, all: bool, limit: usize) -> (Vec<String>, usize) {
        let (mut lines, mut left_out) = (Vec::new(), 0);
        // Pending items, the next one last: scope, index of the item, depth.
        let mut open: Vec<(usize, usize, usize)> = Vec::new();
        left_out += self.push(&mut open, 0, 0, all);
        while let Some((scope, index, depth)) = open.pop() {
            let item = &self.scopes[scope].items[index];
            match lines.len() < limit {
                true => lines.push(self.line(item, depth)),
                false => left_out += 1,
            }
            if let ItemKind::Scope(inner) = item.kind {
                left_out += self.push(&mut open, inner, depth + 1, all);
            }
        }
        (lines, left_out)
    }

    /// Adds the items of a scope to the pending ones; unless `all`, those that made a result. Returns the number of others.
    fn push(
        &self,
        open: &mut Vec<(usize, usize, usize)>,
        scope: usize,
        depth: usize,
        all: bool,
    ) -> usize {
        let items = &self.scopes[scope].items;
        let chosen = (0..items.len()).filter(|&index| all || items[index].is_needed);
        let mut order: Vec<usize> = chosen.collect();
        let left_out = items.len() - order.len();
        if self.scopes[scope].kind == ScopeKind::Loop {
            order = folded(order.len()).into_iter().map(|at| order[at]).collect();
        }
        match all {
            true => order.reverse(),
            // The nearest one is the last one that was completed.
            false => order.sort_by_key(|&index| items[index].rank),
        }
        open.extend(order.into_iter().map(|index| (scope, index, depth)));
        left_out
    }

    fn line(&self, item: &Item, depth: usize) -> String {
        let place = item.place.map_or_else(|| "-".to_owned(), |place| self.subject.place(place));
        // Deep scopes must not make long lines.
        let indent = "  ".repeat(depth.min(20));
        let kind = match &item.kind {
            ItemKind::Binding(name, value) => format!("{name} = {}", shown(value)),
            ItemKind::Condition { text, value, arm } => {
                let is_truth = value.ty() == "bool";
                let value = shown(value);
                let is = match text {
                    Some(text) if is_truth => format!("if {}: {value}", shortened(text)),
                    Some(text) => format!("{}: {value}", shortened(text)),
                    None => format!("condition: {value}"),
                };
                match arm {
                    Some(arm) => format!("{is}, goes on at {}", self.subject.place(*arm)),
                    None => is,
                }
            }
            ItemKind::Message(text) => format!("message: {text}"),
            ItemKind::Scope(inner) => self.heading(&self.scopes[*inner]),
        };
        format!("  {indent}{place}  {kind}")
    }

    /// The line of a call, a loop or a round.
    fn heading(&self, scope: &Scope) -> String {
        let result = scope.result.as_ref().map_or(String::new(), |of| format!(" = {}", shown(of)));
        let name = scope.name.as_deref();
        match scope.kind {
            ScopeKind::Pixel | ScopeKind::Call => {
                let name = name.unwrap_or("function");
                format!("{name}({}){result}", arguments(&scope.arguments))
            }
            ScopeKind::Loop => {
                let rounds = scope.rounds;
                let plural = if rounds == 1 { "round" } else { "rounds" };
                let name = name.map_or(String::new(), |name| format!(" {name}"));
                format!("loop{name}: {rounds} {plural}{result}")
            }
            ScopeKind::Round => {
                let all = self.scopes[scope.parent].rounds;
                let which = if scope.rounds == all { "deciding round" } else { "round" };
                let values = arguments(&scope.arguments);
                let values = if values.is_empty() { values } else { format!(": {values}") };
                format!("{which} {} of {all}{values}", scope.rounds)
            }
        }
    }
}

/// The indices of the first round, the last one and the deciding one.
fn folded(count: usize) -> Vec<usize> {
    let mut shown = vec![0, count.saturating_sub(2), count.saturating_sub(1)];
    shown.dedup();
    shown.truncate(count);
    shown
}

fn arguments(all: &[(Arc<str>, Value)]) -> String {
    let all: Vec<String> =
        all.iter().map(|(name, value)| format!("{name} = {}", shown(value))).collect();
    all.join(", ")
}

/// The first line of a condition's text.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(CONDITION) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

impl fmt::Display for Value {
    /// A value in decimal, with its bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self))
    }
}

/// A value in decimal, with its bits.
pub(crate) fn shown(value: &Value) -> String {
    let (text, bits) = (decimal(value), value.bits());
    if bits.is_empty() {
        return text;
    }
    let some: Vec<&str> = bits.iter().take(COMPONENTS).map(String::as_str).collect();
    format!("{text} [{}]", some.join(" "))
}

/// A value in decimal. The depth of a type is limited, so the recursion is.
pub(crate) fn decimal(value: &Value) -> String {
    match value {
        Value::Words { .. } => {
            let all = value.components();
            match &all[..] {
                [one] => one.clone(),
                _ => {
                    let more = all.len().saturating_sub(COMPONENTS);
                    let some = all[..all.len() - more].join(", ");
                    let more = if more > 0 { format!(", … {more} more") } else { String::new() };
                    format!("({some}{more})")
                }
            }
        }
        Value::Parts { ty, parts, more } => {
            let left = parts.len().saturating_sub(COMPONENTS);
            let part = |(name, value): &(Arc<str>, Value)| match &**name {
                "" => shown(value),
                name => format!("{name} = {}", shown(value)),
            };
            let some: Vec<String> = parts[..parts.len() - left].iter().map(part).collect();
            let more = more + left;
            let more = if more > 0 { format!(", … {more} more") } else { String::new() };
            format!("{ty}({}{more})", some.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::{Event, EventKind, PIXEL, Place, Scalar, Sink};
    use super::super::recorder::Recorder;
    use super::super::subject::{Subject, Unit};
    use super::super::values::Difference;
    use super::*;

    fn trace(events: Vec<Event>, against: Option<Against>) -> Trace {
        let mut recorder = Recorder::default();
        events.into_iter().for_each(|event| recorder.event(event));
        let subject = Subject {
            files: vec!["a".to_owned()],
            texts: vec![String::new()],
            unit: Unit::Pixel { at: [1, 2], size: [3, 4], output: 0 },
            results: vec![("output 0".into(), Subject::colour([0x7fc0_0000, 0, 0, 0]))],
            is_discarded: false,
            against,
        };
        recorder.finish(subject, true, &|_| true)
    }

    fn bind(scalar: Scalar, words: &[u32]) -> Event {
        let value = Value::Words { ty: "".into(), scalar, words: words.into() };
        let place = Some(Place { file: 0, line: 5, column: 6 });
        Event {
            scope: PIXEL,
            place,
            number: 0,
            kind: EventKind::Binding { name: "n".into(), value },
        }
    }

    #[test]
    fn values_in_decimal_and_bits() {
        for (scalar, words, expected) in [
            (
                Scalar::Num,
                &[0x3e99_999a, 0x8000_0000, 0x7f80_0000][..],
                "(0.3, -0.0, inf) [0x3e99999a 0x80000000 0x7f800000]",
            ),
            (Scalar::Num, &[1], "1e-45 [0x00000001]"),
            (Scalar::Int, &[u32::MAX], "-1 [0xffffffff]"),
            (Scalar::Uint, &[u32::MAX], "4294967295 [0xffffffff]"),
            (Scalar::Bool, &[1, 0], "(true, false)"),
            (Scalar::Double, &[0, 0x3ff0_0000], "1.0 [0x00000000 0x3ff00000]"),
            (Scalar::Long, &[1, 1], "4294967297 [0x00000001 0x00000001]"),
        ] {
            let text = trace(vec![bind(scalar, words)], None).text(false);
            assert!(text.ends_with(&format!("\n  a:5:6  n = {expected}\n")), "{text}");
        }
        let many = trace(vec![bind(Scalar::Int, &[7; 20])], None).text(true);
        assert!(many.contains("7, … 4 more) [0x00000007"), "{many}");
    }

    #[test]
    fn a_screen_and_all() {
        let trace = trace((0..50).map(|k| bind(Scalar::Uint, &[k])).collect(), None);
        let (screen, all) = (trace.text(false), trace.text(true));
        assert!(screen.contains("Nearest first:\n  a:5:6  n = 49 "), "{screen}");
        assert!(
            screen.ends_with("n = 10 [0x0000000a]\n10 more lines are left out; --all shows all\n")
        );
        assert!(
            all.contains("In the order of the text:\n  a:5:6  n = 0 ")
                && all.ends_with("n = 49 [0x00000031]\n")
        );
    }

    /// The pixel of another engine, and the first value that differs.
    #[test]
    fn pixels_of_engines() {
        let value =
            |word: u32| Value::Words { ty: "".into(), scalar: Scalar::Uint, words: [word].into() };
        let place = Some(Place { file: 0, line: 7, column: 1 });
        let first = Difference { name: "n".into(), place, here: value(1), there: value(2) };
        for (colour, first, lines) in [
            ([0xffc0_0001, 0, 0, 0], None, "]: the same\nvalues of 3 names: the same\n"),
            (
                [0, 0, 0, 0],
                None,
                "]: different\nNo value of a name differs; 3 names were compared.\n",
            ),
            (
                [0, 0, 0, 0],
                Some(first.into()),
                "]: different\nThe first line that differs:\n  a:7:1  n = 1 [0x00000001], there 2 [0x00000002]\n",
            ),
        ] {
            let (value, here) = (Subject::colour(colour), Subject::colour([0x7fc0_0000, 0, 0, 0]));
            let names = Some(Comparison { names: 3, first });
            let against = Against { name: "engine gpu".to_owned(), value, here, names };
            let is_equal = against.is_equal();
            let trace = trace(Vec::new(), Some(against));
            let text = trace.text(false);
            assert!(text.contains("\nengine gpu = (") && text.contains(lines), "{text}");
            assert_eq!(trace.json()["compared"]["equal"], is_equal);
        }
    }
}
