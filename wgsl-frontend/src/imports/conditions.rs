//! `#ifdef`, `#if` and the like.

use rustc_hash::FxHashMap;

/// What is known of one `#if` … `#endif`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// The text is used.
    Active,
    /// An earlier branch was used, or the whole is not.
    Done,
    /// No branch was used yet.
    Waiting,
}

/// All that are open.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    levels: Vec<Level>,
}

/// Names and values that conditions know.
pub(super) type Defines = FxHashMap<String, String>;

impl Conditions {
    /// True if the text is used.
    pub(super) fn is_active(&self) -> bool {
        // A level is active only inside of active ones.
        self.levels.last().is_none_or(|level| *level == Level::Active)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// `#if`
    pub(super) fn open(&mut self, holds: bool) {
        let level = match (self.is_active(), holds) {
            (true, true) => Level::Active,
            (true, false) => Level::Waiting,
            (false, _) => Level::Done,
        };
        self.levels.push(level);
    }

    /// `#else`; false without an `#if`.
    pub(super) fn turn(&mut self, holds: bool) -> bool {
        let Some(last) = self.levels.last_mut() else { return false };
        *last = match (*last, holds) {
            (Level::Waiting, true) => Level::Active,
            (Level::Waiting, false) => Level::Waiting,
            _ => Level::Done,
        };
        true
    }

    /// `#endif`; false without an `#if`.
    pub(super) fn close(&mut self) -> bool {
        self.levels.pop().is_some()
    }
}

/// The value of `NAME`, `NAME == value`, `NAME >= 3`. `None` if it has another form.
pub(super) fn holds(text: &str, defines: &Defines) -> Option<bool> {
    let at = text.find(['=', '!', '<', '>']);
    let Some(at) = at else {
        let name = text.trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric());
        return is_name
            .then(|| defines.get(name).is_some_and(|value| !matches!(&**value, "false" | "0")));
    };
    let (name, rest) = text.split_at(at);
    let length = rest.find(|c| !matches!(c, '=' | '!' | '<' | '>')).unwrap_or(rest.len());
    let (op, value) = rest.split_at(length);
    let (name, value) = (name.trim(), value.trim());
    let own = defines.get(name);
    // A name without a value is true.
    let own_text = own.map(|own| if own.is_empty() { "true" } else { own });
    let order = own_text.and_then(|own| {
        let numbers = own.trim_end_matches('u').parse::<i64>().ok();
        Some(numbers?.cmp(&value.trim_end_matches('u').parse::<i64>().ok()?))
    });
    let is_on = own.is_some_and(|own| !matches!(&**own, "false" | "0"));
    let equal = match value {
        "true" => is_on,
        "false" => own.is_some() && !is_on,
        _ => order.map_or(own_text == Some(value), std::cmp::Ordering::is_eq),
    };
    Some(match op {
        "==" => equal,
        "!=" => !equal,
        "<" => order?.is_lt(),
        ">" => order?.is_gt(),
        "<=" => order?.is_le(),
        ">=" => order?.is_ge(),
        _ => return None,
    })
}

/// The name whose value a comparison needs and nobody gave.
pub(super) fn unset<'a>(text: &'a str, defines: &Defines) -> Option<&'a str> {
    let name = text[..text.find(['<', '>'])?].trim();
    let is_inner = |c: char| c == '_' || c.is_alphanumeric();
    let is_name = name.chars().all(is_inner) && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && !name.is_empty() && !defines.contains_key(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_know_numbers_and_words() {
        let all = [("N", "3"), ("ON", ""), ("OFF", "false"), ("KIND", "soft"), ("ONE", "1")];
        let defines = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let defines: Defines = defines.into_iter().collect();
        for (text, value) in [
            ("N == 3", true),
            ("N >= 4", false),
            ("N < 10", true),
            ("ON == true", true),
            ("ON", true),
            ("ONE == true", true),
            ("OFF == false", true),
            ("OFF", false),
            ("KIND == soft", true),
            ("KIND != soft", false),
            ("NONE == 1", false),
        ] {
            assert_eq!(holds(text, &defines), Some(value), "{text}");
        }
        assert_eq!(holds("a b", &defines), None);
    }

    #[test]
    fn one_branch_is_used() {
        let mut conditions = Conditions::default();
        conditions.open(false);
        assert!(!conditions.is_active());
        assert!(conditions.turn(true) && conditions.is_active());
        assert!(conditions.turn(true) && !conditions.is_active());
        assert!(conditions.close() && conditions.is_active() && !conditions.close());
    }
}
