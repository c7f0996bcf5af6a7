//! Expectations: `; expect: VALUE == VALUE [ulp N]`.
//!
//! A value is a number, a pixel of the test's picture, an element of a buffer, or an expression in the program's language.
//! Here the text is divided; [`super::evaluate`] finds the values.

use std::path::PathBuf;

/// An expectation as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expectation {
    /// Its file.
    pub(super) file: PathBuf,
    /// Its line, from 1.
    pub(super) line: usize,
    /// The column of its words, from 1.
    pub(super) column: usize,
    /// True for `undefined: none`.
    pub(super) of_undefined: bool,
    /// Text after `expect:` or `undefined:`.
    pub(super) words: String,
}

/// The parts of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// The two sides of `==`.
    pub(super) sides: [Side; 2],
    /// The largest distance of floats in ULP.
    pub(super) ulp: Option<u32>,
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// Its text, without blanks around it.
    pub(super) text: String,
    /// The column of the text, from 1.
    pub(super) column: usize,
}

/// An error in an expectation, with its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) column: usize,
    pub(super) message: String,
}

impl Expectation {
    /// A place in its file.
    pub(super) fn at(&self, column: usize) -> String {
        format!("{}:{}:{column}", self.file.display(), self.line)
    }

    /// Its place.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }

    /// Its error, if it has one.
    pub(super) fn malformed(&self) -> Option<Malformed> {
        if !self.of_undefined {
            return self.comparison().err();
        }
        let message = "an expectation of undefined behaviour is `undefined: none`".to_owned();
        (self.words.trim() != "none").then_some(Malformed { column: self.column, message })
    }

    /// Its parts.
    ///
    /// # Errors
    ///
    /// There is not exactly one `==` outside brackets and strings, a side is empty, `ulp` has no number, or both sides
    /// are numbers.
    pub(super) fn comparison(&self) -> Result<Comparison, Malformed> {
        let words = &self.words;
        let column = |at: usize| self.column + words[..at].chars().count();
        let wrong = |at: usize, message: &str| {
            Err(Malformed { column: column(at), message: message.to_owned() })
        };
        let found = comparisons(words);
        let at = match found[..] {
            [at] if words[at + 2..].starts_with('=') => {
                return wrong(at, "`===` is no comparison; write `==`");
            }
            [at] => at,
            [] => {
                let what = "an expectation compares two values outside brackets: `VALUE == VALUE`";
                return wrong(words.len() - words.trim_start().len(), what);
            }
            [_, second, ..] => {
                let what = "an expectation has one `==` outside brackets; put a value that compares in parentheses";
                return wrong(second, what);
            }
        };
        let (left, mut right) = (&words[..at], &words[at + 2..]);
        let mut ulp = None;
        if let Some((value, number)) = steps(right) {
            let place = words.len() - number.len();
            match number.trim().parse() {
                Ok(steps) => ulp = Some(steps),
                Err(_) => {
                    let what = "`ulp` has a number of steps behind it: `ulp 2`";
                    return wrong(place - (number.len() - number.trim_start().len()), what);
                }
            }
            right = value;
        }
        let side = |text: &str, begin: usize| Side {
            text: text.trim().to_owned(),
            column: column(begin + text.len() - text.trim_start().len()),
        };
        let sides = [side(left, 0), side(right, at + 2)];
        if let Some(k) = (0..2).find(|&k| sides[k].text.is_empty()) {
            let what = ["in front of", "behind"][k];
            return wrong(at, &format!("a value is missing {what} `==`"));
        }
        if sides.iter().all(|side| Literal::of(&side.text).is_some()) {
            let what = "two numbers are compared, and nothing is tested";
            return wrong(words.len() - words.trim_start().len(), what);
        }
        Ok(Comparison { sides, ulp })
    }
}

/// The places of `==` outside brackets and strings.
fn comparisons(words: &str) -> Vec<usize> {
    let (mut found, mut depth, mut is_string, mut is_escaped) = (Vec::new(), 0_usize, false, false);
    let bytes = words.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' if !is_escaped => is_string = !is_string,
            _ if is_string => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 && bytes.get(at + 1) == Some(&b'=') => {
                found.push(at);
                at += 1;
            }
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
        at += 1;
    }
    found
}

/// Divides `VALUE ulp N`: the value, and the text behind `ulp`.
fn steps(right: &str) -> Option<(&str, &str)> {
    let text = right.trim_end();
    if let Some(value) = text.strip_suffix("ulp") {
        return value.ends_with(char::is_whitespace).then_some((value, ""));
    }
    let (before, number) = text.rsplit_once(char::is_whitespace)?;
    let value = before.trim_end().strip_suffix("ulp")?;
    let is_number = number.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '+'));
    (value.ends_with(char::is_whitespace) && is_number).then_some((value, number))
}

/// A number, or `true` or `false`, whose type is that of the other side.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Bool(bool),
    /// An integer, with its type if a suffix says it.
    Whole(i128, Option<Kind>),
    /// A number with a point, an exponent or the suffix `f`, and `inf` and `nan`.
    Float(f32),
}

/// The type of an integer with a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signed,
    Unsigned,
}

impl Literal {
    /// The literal that a text is; `None` for other values.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (negative, number) = match text.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let sign = |value: f32| Self::Float(if negative { -value } else { value });
        match number {
            "inf" => return Some(sign(f32::INFINITY)),
            "nan" => return Some(Self::Float(f32::NAN)),
            "true" | "false" if number == text => return Some(Self::Bool(text == "true")),
            _ if !number.starts_with(|c: char| c.is_ascii_digit() || c == '.') => return None,
            _ => {}
        }
        let (digits, kind) = match number.as_bytes().last() {
            Some(b'u' | b'U') => (&number[..number.len() - 1], Some(Kind::Unsigned)),
            Some(b'i') => (&number[..number.len() - 1], Some(Kind::Signed)),
            _ => (number, None),
        };
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let whole = match hexadecimal {
            Some(digits) => i128::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 16),
            None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
            None => None,
        };
        if let Some(whole) = whole {
            return Some(Self::Whole(if negative { -whole } else { whole }, kind));
        }
        let digits = number.strip_suffix(['f', 'F']).unwrap_or(number);
        let is_decimal = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
        let value = digits.chars().all(is_decimal).then(|| digits.parse::<f32>().ok()).flatten()?;
        Some(sign(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Comparison, Malformed> {
        let (file, words) = (PathBuf::from("a.lv"), words.to_owned());
        Expectation { file, line: 3, column: 11, of_undefined: false, words }.comparison()
    }

    #[test]
    fn parts() {
        let parts = |words: &str| {
            let Comparison { sides: [a, b], ulp } = read(words).expect(words);
            ((a.text, a.column), (b.text, b.column), ulp)
        };
        let side = |text: &str, column| (text.to_owned(), column);
        assert_eq!(parts(" (f 1) == 2"), (side("(f 1)", 12), side("2", 21), None));
        assert_eq!(parts("f(a==b)==x[1]"), (side("f(a==b)", 11), side("x[1]", 20), None));
        assert_eq!(parts(" ä == 1.0  ulp 4 "), (side("ä", 12), side("1.0", 17), Some(4)));
        assert_eq!(parts(" f(\"==\") == ulp(2)").2, None);
        assert_eq!(parts(" f == (g ulp 2)").1.0, "(g ulp 2)");
        assert_eq!(parts(" f == gulp 2").1.0, "gulp 2");
        assert_eq!(parts("true == a").0.0, "true");
    }

    #[test]
    fn what_is_wrong_has_a_column() {
        for (words, column, part) in [
            ("", 11, "compares two values"),
            (" (f 1)", 12, "compares two values"),
            (" (f == 1", 12, "outside brackets"),
            (" a == b == c", 19, "one `==`"),
            (" a === b", 14, "`===`"),
            ("== 1", 11, "in front of"),
            (" a ==", 14, "behind"),
            (" a == ulp 1", 14, "behind"),
            (" 1 == 1.0", 12, "nothing is tested"),
            (" a == 1 ulp", 22, "`ulp` has a number"),
            (" a == 1 ulp x", 23, "`ulp` has a number"),
            (" a == 1 ulp 1.5", 23, "`ulp` has a number"),
            (" a == 1 ulp -1", 23, "`ulp` has a number"),
        ] {
            let error = read(words).expect_err(words);
            assert_eq!((error.column, error.message.contains(part)), (column, true), "{error:?}");
        }
    }

    #[test]
    fn literals() {
        let float = |text: &str| match Literal::of(text) {
            Some(Literal::Float(value)) => Some(value.to_bits()),
            _ => None,
        };
        for (text, value) in [
            ("1.5", 1.5_f32),
            ("-0.0", -0.0),
            ("1e3", 1000.0),
            (".5", 0.5),
            ("2.", 2.0),
            ("1f", 1.0),
            ("0.1", 0.1),
            ("inf", f32::INFINITY),
            ("-inf", f32::NEG_INFINITY),
            ("nan", f32::NAN),
            ("1e99", f32::INFINITY),
        ] {
            assert_eq!(float(text), Some(value.to_bits()), "{text}");
        }
        for (text, value) in [
            ("1", Literal::Whole(1, None)),
            ("-7", Literal::Whole(-7, None)),
            ("0xff", Literal::Whole(255, None)),
            ("3u", Literal::Whole(3, Some(Kind::Unsigned))),
            ("-3i", Literal::Whole(-3, Some(Kind::Signed))),
            ("true", Literal::Bool(true)),
        ] {
            assert_eq!(Literal::of(text), Some(value), "{text}");
        }
        for text in ["x", "1 2", "(f 1)", "-x", "1+1", "0x", "e5", "inf2", "-true", "", "1.2.3"] {
            assert_eq!(Literal::of(text), None, "{text}");
        }
    }
}
