//! Values of names by two evaluators, compared.
//!
//! An evaluator by need computes values in another order than a compiled program. The compiled program computes equal
//! values once, under the name of the first, constants never, and some values that are not needed. So only names that
//! the program binds at one place are compared; and, where the results are equal, only those that are bound once, by the
//! program itself rather than by a function, and have one value on both sides. Where the results differ, each name has a
//! bag of values. Loops may then have different numbers of rounds, so two bags agree if one contains the other.

use super::event::{Event, EventKind, PIXEL, Place, Sink, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The most values to keep.
const LIMIT: usize = 1 << 20;

/// A sink that keeps the values of names in order.
#[derive(Debug, Default)]
pub struct NamedValues {
    all: Vec<(Arc<str>, Option<Place>, Value)>,
    /// Names with a value that is not the program's own: of a parameter, or, by need, of a function.
    of_functions: HashSet<Arc<str>>,
    is_by_need: bool,
    /// True if some were not kept.
    is_full: bool,
}

/// The first value that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name.
    pub name: Arc<str>,
    /// Where the name gets the value.
    pub place: Option<Place>,
    /// The traced value.
    pub here: Value,
    /// A value that only the other evaluator has.
    pub there: Value,
}

/// Result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The number of names with values by both evaluators.
    pub names: usize,
    /// The first difference, in the order in which the traced values were computed.
    pub first: Option<Box<Difference>>,
}

impl Sink for NamedValues {
    fn event(&mut self, event: Event) {
        let (name, value) = match event.kind {
            EventKind::Binding { name, value } if event.scope == PIXEL || !self.is_by_need => {
                (name, value)
            }
            EventKind::Binding { name, value } | EventKind::Argument { name, value } => {
                self.of_functions.insert(Arc::clone(&name));
                (name, value)
            }
            _ => return,
        };
        self.add(name, event.place, value);
    }
}

impl NamedValues {
    /// A sink for events of an evaluator, which may be by need.
    pub fn of(is_by_need: bool) -> Self {
        Self { is_by_need, ..Self::default() }
    }

    /// Adds the next value of a name.
    pub fn add(&mut self, name: Arc<str>, place: Option<Place>, value: Value) {
        // Parts are laid out differently by different evaluators.
        if let Value::Words { .. } = value {
            match self.all.len() < LIMIT {
                true => self.all.push((name, place, value)),
                false => self.is_full = true,
            }
        }
    }

    /// The names with places and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<Place>, &Value)> {
        self.all.iter().map(|(name, place, value)| (&**name, *place, value))
    }

    /// Compares the values of `names` with those of another evaluator. None are compared if one of the two had too many.
    /// `is_result_equal`: only names with one value, of the program itself, are compared.
    pub fn compare(
        &self,
        other: &Self,
        names: &BTreeSet<String>,
        is_result_equal: bool,
    ) -> Comparison {
        let mut comparison = Comparison::default();
        if self.is_full || other.is_full {
            return comparison;
        }
        let (here, there) = (self.bags(names), other.bags(names));
        let mut differing: HashMap<&str, (Vec<Key>, &Value)> = HashMap::new();
        for (name, mine) in &here {
            let Some(others) = there.get(name) else { continue };
            let is_one = mine.len() == 1 && others.len() == 1 && !self.of_functions.contains(*name);
            if is_result_equal && !is_one {
                continue;
            }
            comparison.names += 1;
            let (missing, _) = without(mine, others);
            let (_, added) = without(others, mine);
            if let (false, Some(added)) = (missing.is_empty(), added) {
                differing.insert(name, (missing, added));
            }
        }
        comparison.first = self.all.iter().find_map(|(name, place, value)| {
            let (missing, there) = differing.get(&**name)?;
            missing.contains(&key(value)).then(|| {
                let (name, place) = (Arc::clone(name), *place);
                Difference { name, place, here: value.clone(), there: (*there).clone() }.into()
            })
        });
        comparison
    }

    fn bags(&self, names: &BTreeSet<String>) -> HashMap<&str, Vec<&Value>> {
        let mut bags: HashMap<&str, Vec<&Value>> = HashMap::new();
        for (name, _, value) in self.all.iter().filter(|(name, ..)| names.contains(&**name)) {
            bags.entry(name).or_default().push(value);
        }
        bags
    }
}

/// Words in which all NaNs are one value.
type Key = Vec<u32>;

fn key(value: &Value) -> Key {
    value.canonical_words()
}

/// The values of a bag beyond those of another one, and the first of them.
fn without<'v>(of: &[&'v Value], other: &[&Value]) -> (Vec<Key>, Option<&'v Value>) {
    let mut counts: HashMap<Key, usize> = HashMap::new();
    other.iter().for_each(|value| *counts.entry(key(value)).or_default() += 1);
    let mut first = None;
    let mut left = Vec::new();
    for value in of {
        match counts.get_mut(&key(value)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                first = first.or(Some(*value));
                left.push(key(value));
            }
        }
    }
    (left, first)
}

#[cfg(test)]
mod tests {
    use super::super::event::Scalar;
    use super::*;

    fn values(all: &[(&str, f32)]) -> NamedValues {
        let mut values = NamedValues::default();
        for &(name, number) in all {
            let words = [number.to_bits()].into();
            values.add(
                name.into(),
                None,
                Value::Words { ty: "".into(), scalar: Scalar::Num, words },
            );
        }
        values
    }

    fn first(here: &[(&str, f32)], there: &[(&str, f32)]) -> Option<(String, String, String)> {
        first_if(false, here, there)
    }

    fn first_if(
        is_equal: bool,
        here: &[(&str, f32)],
        there: &[(&str, f32)],
    ) -> Option<(String, String, String)> {
        let names: BTreeSet<String> = ["a", "b"].map(str::to_owned).into();
        let found = values(here).compare(&values(there), &names, is_equal).first?;
        let [here, there] = [&found.here, &found.there].map(|of| of.components().concat());
        Some((found.name.to_string(), here, there))
    }

    #[test]
    fn the_first_difference() {
        let differs = |name: &str, here: &str, there: &str| {
            Some((name.to_owned(), here.to_owned(), there.to_owned()))
        };
        let here = [("a", 1.0), ("b", 2.0), ("a", 3.0)];
        assert_eq!(first(&here, &here), None);
        // Another order, values that only one of the two computes, and names that are not compared.
        assert_eq!(first(&here, &[("a", 3.0), ("a", 1.0)]), None);
        assert_eq!(first(&here, &[("a", 1.0), ("a", 3.0), ("a", 4.0)]), None);
        assert_eq!(first(&[("c", 1.0)], &[("c", 2.0)]), None);
        assert_eq!(first(&[("a", f32::NAN)], &[("a", -f32::NAN)]), None);
        // A value in place of another one, also if there are more of them.
        assert_eq!(first(&here, &[("b", 2.5), ("a", 1.0)]), differs("b", "2.0", "2.5"));
        assert_eq!(
            first(&here, &[("b", 9.0), ("a", 1.0), ("a", 4.0), ("a", 5.0)]),
            differs("b", "2.0", "9.0")
        );
        assert_eq!(
            first(&here, &[("b", 2.0), ("a", 1.0), ("a", 4.0), ("a", 5.0)]),
            differs("a", "3.0", "4.0")
        );
        assert_eq!(first(&[("a", 0.0)], &[("a", -0.0)]), differs("a", "0.0", "-0.0"));
        // Where the results are equal, names with several values may have others.
        assert_eq!(first_if(true, &here, &[("a", 4.0), ("a", 1.0), ("b", 2.0)]), None);
        assert_eq!(first_if(true, &here, &[("a", 4.0), ("b", 2.5)]), differs("b", "2.0", "2.5"));
    }
}
