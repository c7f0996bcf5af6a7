//! Texts of `printf` in shaders: formats of C, and vectors as the Vulkan validation layers print them.
//!
//! A specifier is `%`, flags, width, precision, `v2`, `v3` or `v4` for a vector, a length, and a conversion: `d i u o x X` of
//! integers and bools, `f F e E g G a A` of floats, `c` and `s`. Numbers are those of C: exact decimals, rounded half to even. The
//! length has no effect: a value knows its own. A vector is printed with `, ` between its components.
//!
//! A shader's mistakes are no errors. A conversion that does not fit its value prints the value as a trace does. A specifier
//! without a value, and what is no specifier, stay as they are. Values without specifiers follow in parentheses.

use super::event::{Scalar, Value};
use super::text::decimal;
use std::fmt::Write as _;
use std::sync::Arc;

/// An argument of a `printf`.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A value.
    Value(Value),
    /// A string.
    Text(Arc<str>),
}

/// The largest width and precision; larger ones are reduced to it.
const WIDEST: usize = 200;

/// A number of one component.
#[derive(Clone, Copy)]
enum Number {
    /// The bits, and their number.
    Integer(u64, u32),
    Float(f64),
}

/// A specifier.
#[derive(Clone, Copy, Default)]
struct Specifier {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

/// The text that a format makes of arguments.
pub fn printf(format: &str, arguments: &[Argument]) -> String {
    let mut text = String::new();
    let mut arguments = arguments.iter();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text += &rest[..at];
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%%") {
            text.push('%');
            rest = after;
            continue;
        }
        let Some((specifier, mut end)) = Specifier::parse(rest) else {
            text.push('%');
            rest = &rest[1..];
            continue;
        };
        match arguments.next() {
            None => text += &rest[..end],
            Some(argument) => {
                // The layers write `%ul` for 64 bits.
                let is_long =
                    matches!(argument, Argument::Value(Value::Words { scalar: Scalar::Long, .. }));
                end += usize::from(is_long && rest[end..].starts_with('l'));
                text += &specifier.of(argument);
            }
        }
        rest = &rest[end..];
    }
    text += rest;
    let left: Vec<String> = arguments.map(plain).collect();
    if !left.is_empty() {
        let _ = write!(text, " ({})", left.join(", "));
    }
    text
}

/// An argument as a trace shows it.
fn plain(argument: &Argument) -> String {
    match argument {
        Argument::Value(value) => decimal(value),
        Argument::Text(text) => text.to_string(),
    }
}

/// The numbers of a value without parts.
fn numbers(scalar: Scalar, words: &[u32]) -> Vec<Number> {
    let long = |pair: &[u32]| match pair {
        &[low, high] => u64::from(high) << 32 | u64::from(low),
        _ => 0,
    };
    let words_of = || words.iter().map(|&word| Number::Integer(word.into(), 32));
    match scalar {
        Scalar::Num => {
            words.iter().map(|&word| Number::Float(f32::from_bits(word).into())).collect()
        }
        Scalar::Int | Scalar::Uint | Scalar::Bool => words_of().collect(),
        Scalar::Double => {
            words.chunks(2).map(|pair| Number::Float(f64::from_bits(long(pair)))).collect()
        }
        Scalar::Long => words.chunks(2).map(|pair| Number::Integer(long(pair), 64)).collect(),
    }
}

/// Reads a number, which may be absent, from the front of a text; it is at most [`WIDEST`].
fn digits(text: &str) -> (usize, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    // Without digits it is 0, as in C; a number that is too large is large.
    let number = if end == 0 { 0 } else { text[..end].parse().unwrap_or(WIDEST) };
    (number.min(WIDEST), &text[end..])
}

impl Specifier {
    /// The specifier at the beginning of a text, and its length.
    fn parse(text: &str) -> Option<(Self, usize)> {
        let mut of = Self::default();
        let mut rest = text.strip_prefix('%')?;
        while let Some(flag) = rest.chars().next() {
            match flag {
                '-' => of.left = true,
                '+' => of.plus = true,
                ' ' => of.blank = true,
                '#' => of.alternate = true,
                '0' => of.zeros = true,
                _ => break,
            }
            rest = &rest[1..];
        }
        (of.width, rest) = digits(rest);
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = digits(after);
            (of.precision, rest) = (Some(precision), after);
        }
        if let Some(after) = rest.strip_prefix('v') {
            rest = after.strip_prefix(['2', '3', '4'])?;
        }
        rest = rest.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L', 'q']);
        of.conversion = rest.chars().next().filter(|c| "diuoxXfFeEgGaAcs".contains(*c))?;
        Some((of, text.len() - rest.len() + 1))
    }

    /// The text of an argument.
    fn of(&self, argument: &Argument) -> String {
        match argument {
            Argument::Value(value) => {
                let parts: Option<Vec<String>> = match value {
                    Value::Words { scalar, words, .. } => {
                        numbers(*scalar, words).into_iter().map(|of| self.number(of)).collect()
                    }
                    Value::Parts { .. } => None,
                };
                match parts {
                    Some(parts) => parts.join(", "),
                    None => self.padded("", &decimal(value), false),
                }
            }
            Argument::Text(text) => {
                let shown = match (self.conversion, self.precision) {
                    ('s', Some(most)) => text.chars().take(most).collect(),
                    _ => text.to_string(),
                };
                self.padded("", &shown, false)
            }
        }
    }

    /// The text of a number; `None` if the conversion is for another kind.
    fn number(&self, number: Number) -> Option<String> {
        match number {
            Number::Integer(bits, width) => self.integer(bits, width),
            Number::Float(value) => self.float(value),
        }
    }

    fn integer(&self, bits: u64, width: u32) -> Option<String> {
        let negative = matches!(self.conversion, 'd' | 'i') && bits >> (width - 1) & 1 != 0;
        let magnitude = match negative {
            true => bits.wrapping_neg() & (u64::MAX >> (64 - width)),
            false => bits,
        };
        let mut shown = match self.conversion {
            'd' | 'i' | 'u' => magnitude.to_string(),
            'o' => format!("{magnitude:o}"),
            'x' => format!("{magnitude:x}"),
            'X' => format!("{magnitude:X}"),
            'c' => {
                let character =
                    char::from_u32(magnitude as u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                return Some(self.padded("", &character.to_string(), false));
            }
            _ => return None,
        };
        match self.precision {
            // No digits are asked for, and zero has none.
            Some(0) if magnitude == 0 => shown.clear(),
            Some(least) if shown.len() < least => {
                shown.insert_str(0, &"0".repeat(least - shown.len()));
            }
            _ => {}
        }
        if self.conversion == 'o' && self.alternate && !shown.starts_with('0') {
            shown.insert(0, '0');
        }
        let prefix = match self.conversion {
            'd' | 'i' => self.sign(negative),
            'x' if self.alternate && magnitude != 0 => "0x",
            'X' if self.alternate && magnitude != 0 => "0X",
            _ => "",
        };
        Some(self.padded(prefix, &shown, self.zeros && self.precision.is_none()))
    }

    fn float(&self, value: f64) -> Option<String> {
        let is_upper = self.conversion.is_ascii_uppercase();
        // The sign of a NaN is not observable.
        let negative = value.is_sign_negative() && !value.is_nan();
        let (mut prefix, magnitude) = (self.sign(negative).to_owned(), value.abs());
        let shown = match self.conversion {
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' if !value.is_finite() => {
                let name = if value.is_nan() { "nan" } else { "inf" };
                let name = if is_upper { name.to_uppercase() } else { name.to_owned() };
                return Some(self.padded(&prefix, &name, false));
            }
            'f' | 'F' => self.fixed(magnitude, self.precision.unwrap_or(6)),
            'e' | 'E' => self.scientific(magnitude, self.precision.unwrap_or(6)),
            'g' | 'G' => self.shorter(magnitude),
            'a' | 'A' => {
                prefix += "0x";
                self.hexadecimal(magnitude)
            }
            _ => return None,
        };
        let (prefix, shown) = match is_upper {
            true => (prefix.to_uppercase(), shown.to_uppercase()),
            false => (prefix, shown),
        };
        Some(self.padded(&prefix, &shown, self.zeros))
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let point = if self.alternate && precision == 0 { "." } else { "" };
        format!("{value:.precision$}{point}")
    }

    fn scientific(&self, value: f64, precision: usize) -> String {
        let text = format!("{value:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let point = if self.alternate && precision == 0 { "." } else { "" };
        format!("{digits}{point}e{exponent:+03}")
    }

    /// `%g`: fixed or scientific, by the exponent.
    fn shorter(&self, value: f64) -> String {
        let significant = self.precision.unwrap_or(6).max(1);
        let rounded = format!("{value:.*e}", significant - 1);
        let exponent: i32 =
            rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
        let text = match exponent < -4 || exponent >= significant as i32 {
            true => self.scientific(value, significant - 1),
            false => self.fixed(value, (significant as i32 - 1 - exponent) as usize),
        };
        if self.alternate {
            return text;
        }
        let (digits, rest) = text.split_at(text.find('e').unwrap_or(text.len()));
        match digits.contains('.') {
            true => format!("{}{rest}", digits.trim_end_matches('0').trim_end_matches('.')),
            false => text,
        }
    }

    /// `%a`, without `0x`.
    fn hexadecimal(&self, value: f64) -> String {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
        let exponent = match (biased, fraction) {
            (0, 0) => 0,
            (0, _) => -1022,
            _ => biased - 1023,
        };
        // The leading digit and 13 others.
        let mut all = (u64::from(biased != 0) << 52) | fraction;
        let mut digits = 13;
        match self.precision {
            Some(wanted) if wanted < 13 => {
                let drop = 4 * (13 - wanted as u32);
                let (kept, lost, half) = (all >> drop, all & ((1 << drop) - 1), 1 << (drop - 1));
                let is_up = lost > half || lost == half && kept & 1 != 0;
                (all, digits) = (kept + u64::from(is_up), wanted);
            }
            Some(_) => {}
            None => {
                while digits > 0 && all & 0xf == 0 {
                    (all, digits) = (all >> 4, digits - 1);
                }
            }
        }
        let (leading, rest) = (all >> (4 * digits), all & ((1_u64 << (4 * digits)) - 1));
        let mut text = leading.to_string();
        let wanted = self.precision.unwrap_or(digits);
        if wanted > 0 || self.alternate {
            text.push('.');
        }
        if digits > 0 {
            let _ = write!(text, "{rest:0digits$x}");
        }
        text += &"0".repeat(wanted - digits);
        let _ = write!(text, "p{exponent:+}");
        text
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// Fills up to the width: with zeros behind the prefix, or with blanks.
    fn padded(&self, prefix: &str, text: &str, zeros: bool) -> String {
        let missing = self.width.saturating_sub(prefix.len() + text.chars().count());
        match (self.left, zeros) {
            (true, _) => format!("{prefix}{text}{}", " ".repeat(missing)),
            (false, true) => format!("{prefix}{}{text}", "0".repeat(missing)),
            (false, false) => format!("{}{prefix}{text}", " ".repeat(missing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(scalar: Scalar, words: &[u32]) -> Argument {
        Argument::Value(Value::Words { ty: "".into(), scalar, words: words.into() })
    }

    fn floats(all: &[f32]) -> Argument {
        value(Scalar::Num, &all.iter().map(|of| of.to_bits()).collect::<Vec<_>>())
    }

    #[test]
    fn vectors_strings_and_mistakes() {
        let two = value(Scalar::Int, &[2]);
        for (format, arguments, expected) in [
            ("p = %v2f!", vec![floats(&[1.0, -2.5])], "p = 1.000000, -2.500000!"),
            (
                "%.1v3f|%v4d",
                vec![floats(&[0.25; 3]), value(Scalar::Int, &[1, u32::MAX, 3, 4])],
                "0.2, 0.2, 0.2|1, -1, 3, 4",
            ),
            ("%f", vec![floats(&[1.0, 2.0])], "1.000000, 2.000000"),
            ("%d%%", vec![two.clone()], "2%"),
            (
                "%lu %ul %llx",
                vec![value(Scalar::Long, &[1, 1]); 3],
                "4294967297 4294967297 100000001",
            ),
            ("%d", vec![value(Scalar::Bool, &[1])], "1"),
            ("%s is %c", vec![Argument::Text("x".into()), value(Scalar::Uint, &[65])], "x is A"),
            // Mistakes.
            ("%d of %u", vec![two.clone()], "2 of %u"),
            ("done", vec![two.clone(), floats(&[1.5])], "done (2, 1.5)"),
            ("%d", vec![floats(&[0.1])], "0.1"),
            ("%5f|", vec![two.clone()], "    2|"),
            ("50% %v5f %y", vec![], "50% %v5f %y"),
            ("%", vec![], "%"),
            ("%999999999999999999999d", vec![two.clone()], &format!("{}2", " ".repeat(199))),
            ("ä%döü", vec![two], "ä2öü"),
        ] {
            assert_eq!(printf(format, &arguments), expected, "{format}");
        }
        let double = 0.1_f64.to_bits();
        let double = value(Scalar::Double, &[double as u32, (double >> 32) as u32]);
        assert_eq!(printf("%.20f", &[double]), "0.10000000000000000555");
    }
}
