//! Conditions of `--break`: comparisons of named values with numbers.

use super::event::{Event, EventKind, Scalar, Sink, Value};
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// A condition on named values: comparisons that hold together.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Vec<Test>);

/// A comparison of one value.
#[derive(Clone, Debug, PartialEq)]
struct Test {
    name: String,
    /// Index of a component; without one, any component counts.
    component: Option<usize>,
    kind: TestKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum TestKind {
    IsNan,
    Compare(Comparison, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Eq,
    Neq,
}

/// Operators, longer ones first.
const OPERATORS: [(&str, Comparison); 6] = [
    ("<=", Comparison::LessEq),
    (">=", Comparison::GreaterEq),
    ("==", Comparison::Eq),
    ("!=", Comparison::Neq),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// Reasons why a text is no condition.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConditionError {
    /// A part is no comparison.
    #[error(
        "`{0}` is no condition: write NAME OP NUMBER, as in `r > 10` or `p.x <= -0.5`, or isnan(NAME); `and` joins several"
    )]
    Malformed(String),
    /// A part has no number behind its operator.
    #[error("`{0}` is no number")]
    Number(String),
}

impl Condition {
    /// Parses `NAME[.COMPONENT] OP NUMBER` or `isnan(NAME[.COMPONENT])`, joined by `and`.
    ///
    /// # Errors
    ///
    /// A text that is none.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let parts = words.split(|word| *word == "and").map(|part| test(&part.join(" ")));
        Ok(Self(parts.collect::<Result<_, _>>()?))
    }

    /// The names in the condition, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|test| test.name.as_str())
    }

    /// True if all comparisons hold for these values.
    fn holds(&self, values: &HashMap<&str, Value>) -> bool {
        self.0.iter().all(|test| values.get(test.name.as_str()).is_some_and(|of| test.holds(of)))
    }
}

/// Parses one comparison.
fn test(text: &str) -> Result<Test, ConditionError> {
    let malformed = || ConditionError::Malformed(text.to_owned());
    if let Some(inner) = text.strip_prefix("isnan(").and_then(|rest| rest.strip_suffix(')')) {
        let (name, component) = subject(inner.trim()).ok_or_else(malformed)?;
        return Ok(Test { name, component, kind: TestKind::IsNan });
    }
    let mut words = text.split(' ');
    let (name, operator, value) = match (words.next(), words.next(), words.next(), words.next()) {
        (Some(name), Some(operator), Some(value), None) => {
            let known = OPERATORS.iter().find(|(text, _)| *text == operator);
            (name, known.ok_or_else(malformed)?.1, value)
        }
        _ => {
            // Without blanks: the first operator ends the name.
            let text: &str = text;
            let at = text.char_indices().skip(1).find_map(|(at, _)| {
                let operator = OPERATORS.iter().find(|(of, _)| text[at..].starts_with(of))?;
                Some((at, operator))
            });
            let (at, (operator, comparison)) = at.ok_or_else(malformed)?;
            (text[..at].trim(), *comparison, text[at + operator.len()..].trim())
        }
    };
    let number: f64 = match value {
        "true" => 1.0,
        "false" => 0.0,
        _ => value.parse().map_err(|_| ConditionError::Number(value.to_owned()))?,
    };
    let (name, component) = subject(name).ok_or_else(malformed)?;
    // A literal is the nearest binary32, as in a shader.
    Ok(Test { name, component, kind: TestKind::Compare(operator, number) })
}

/// A name, and the index of its component.
fn subject(text: &str) -> Option<(String, Option<usize>)> {
    let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '(', ')', '=', ';']);
    if let Some((name, component)) = text.rsplit_once('.')
        && let Some(index) = ["xyzw", "rgba"]
            .iter()
            .find_map(|set| set.find(component).filter(|_| component.len() == 1))
    {
        return is_name(name).then(|| (name.to_owned(), Some(index)));
    }
    is_name(text).then(|| (text.to_owned(), None))
}

impl Test {
    fn holds(&self, value: &Value) -> bool {
        let Value::Words { scalar, words, .. } = value else { return false };
        let width = if matches!(scalar, Scalar::Double | Scalar::Long) { 2 } else { 1 };
        let mut components = words.chunks(width).enumerate();
        components.any(|(index, words)| {
            self.component.is_none_or(|of| of == index) && self.holds_of(*scalar, words)
        })
    }

    fn holds_of(&self, scalar: Scalar, words: &[u32]) -> bool {
        let long = || u64::from(words[words.len() - 1]) << 32 | u64::from(words[0]);
        let number = match scalar {
            Scalar::Num => f64::from(f32::from_bits(words[0])),
            Scalar::Int => f64::from(words[0] as i32),
            Scalar::Uint | Scalar::Bool => f64::from(words[0]),
            Scalar::Double => f64::from_bits(long()),
            Scalar::Long => long() as f64,
        };
        match self.kind {
            TestKind::IsNan => number.is_nan(),
            TestKind::Compare(comparison, with) => {
                let with = if scalar == Scalar::Num { f64::from(with as f32) } else { with };
                match comparison {
                    Comparison::Less => number < with,
                    Comparison::LessEq => number <= with,
                    Comparison::Greater => number > with,
                    Comparison::GreaterEq => number >= with,
                    Comparison::Eq => number == with,
                    Comparison::Neq => number != with,
                }
            }
        }
    }
}

/// A sink that tests a condition whenever one of its names gets a value, with the latest values of the others.
#[derive(Debug)]
pub struct Watch<'c> {
    condition: &'c Condition,
    latest: HashMap<&'c str, Value>,
    /// True once the condition has held.
    pub holds: bool,
}

impl<'c> Watch<'c> {
    /// A sink for one pixel.
    pub fn new(condition: &'c Condition) -> Self {
        Self { condition, latest: HashMap::new(), holds: false }
    }

    fn bind(&mut self, name: &Arc<str>, value: Value) {
        if let Some(test) = self.condition.0.iter().find(|test| *test.name == **name) {
            self.latest.insert(&test.name, value);
            self.holds |= self.condition.holds(&self.latest);
        }
    }
}

impl Sink for Watch<'_> {
    fn event(&mut self, event: Event) {
        match event.kind {
            EventKind::Binding { name, value } | EventKind::Argument { name, value } => {
                self.bind(&name, value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(numbers: &[f32]) -> Value {
        let words = numbers.iter().map(|number| number.to_bits()).collect();
        Value::Words { ty: "".into(), scalar: Scalar::Num, words }
    }

    fn holds(condition: &str, values: &[(&str, &[f32])]) -> bool {
        let condition = Condition::parse(condition).expect("it is one");
        let mut watch = Watch::new(&condition);
        for (name, numbers) in values {
            let kind = EventKind::Binding { name: Arc::from(*name), value: value(numbers) };
            watch.event(Event { scope: 0, place: None, number: 0, kind });
        }
        watch.holds
    }

    #[test]
    fn comparisons() {
        let values: &[(&str, &[f32])] = &[("r", &[10.5]), ("p", &[1.0, f32::NAN, -0.1])];
        for (text, expected) in [
            ("r > 10", true),
            ("r>10.5", false),
            ("r >= 10.5", true),
            ("r < 10.5", false),
            ("r<=10.5 and p.x==1", true),
            ("r != 10.5", false),
            ("p.z == -0.1", true),
            ("p == -0.1", true),
            ("p.x < 0", false),
            ("p < 0", true),
            ("isnan(p)", true),
            ("isnan( p.x )", false),
            ("isnan(p.y) and r > 0", true),
            ("isnan(r)", false),
            ("p.g != 0", true),
        ] {
            assert_eq!(holds(text, values), expected, "{text}");
        }
        // Values that hold at different times do not hold together.
        let values: &[(&str, &[f32])] =
            &[("a", &[1.0]), ("b", &[0.0]), ("a", &[0.0]), ("b", &[1.0])];
        assert!(!holds("a == 1 and b == 1", values));
        assert!(holds("a == 0 and b == 1", values));
    }

    #[test]
    fn malformed_conditions() {
        for text in
            ["", "r", "r >", "> 1", "r > 1 and", "r = 1", "r > 1 or r < 2", "isnan()", "(r) > 1"]
        {
            assert!(Condition::parse(text).is_err(), "{text}");
        }
        assert_eq!(Condition::parse("r > x"), Err(ConditionError::Number("x".to_owned())));
        let names = Condition::parse("soft-edge>1 and isnan(p.x)").expect("it is one");
        assert_eq!(names.names().collect::<Vec<_>>(), ["soft-edge", "p"]);
    }
}
