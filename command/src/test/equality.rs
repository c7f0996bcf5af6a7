//! Equality of values in expectations, and the message of a difference.

use super::expectation::{Kind, Literal};
use lambdav_core::flat::{FlatComponent, FlatType};
use lambdav_core::types::Scalar;
use lambdav_image_compare::ulp_distance;

/// A value: its type and its words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) ty: FlatType,
    pub(super) words: Vec<u32>,
}

/// Distances in ULP up to which a message shows the words of floats, too.
const NEAR: u32 = 1 << 16;

impl Value {
    /// A literal beside a value, as a value of its type.
    ///
    /// # Errors
    ///
    /// The message, if the type does not have it.
    pub(super) fn of_literal(
        text: &str,
        literal: &Literal,
        beside: &FlatType,
    ) -> Result<Self, String> {
        let [FlatComponent { scalar, .. }] = beside.components[..] else {
            let count = beside.components.len();
            let name = &beside.name;
            return Err(format!(
                "`{text}` is one number, and the other side, of the type {name}, has {count}"
            ));
        };
        let name = &beside.name;
        let other = || format!("`{text}` is no value of the type {name} of the other side");
        let word = match (scalar, literal) {
            (Scalar::Bool, Literal::Bool(value)) => u32::from(*value),
            (Scalar::Bool, _) => return Err(format!("{}; write `true` or `false`", other())),
            (Scalar::F32, Literal::Whole(value, None)) => rounded(*value).to_bits(),
            (Scalar::F32, Literal::Float(value)) => value.to_bits(),
            (Scalar::I32, Literal::Whole(value, None | Some(Kind::Signed))) => {
                i32::try_from(*value).map_err(|_| other())? as u32
            }
            (Scalar::U32, Literal::Whole(value, None | Some(Kind::Unsigned))) => {
                u32::try_from(*value).map_err(|_| other())?
            }
            _ => return Err(other()),
        };
        Ok(Self { ty: beside.clone(), words: vec![word] })
    }

    /// All components in decimal.
    fn shown(&self) -> String {
        let parts = self.ty.components.iter().zip(&self.words);
        let parts: Vec<String> = parts.map(|(of, &word)| shown(of.scalar, word)).collect();
        match &parts[..] {
            [one] => one.clone(),
            all => format!("({})", all.join(", ")),
        }
    }

    fn has_floats(&self) -> bool {
        self.ty.components.iter().any(|of| of.scalar == Scalar::F32)
    }
}

/// The nearest binary32 number; an integer of up to 64 bits is rounded once.
fn rounded(value: i128) -> f32 {
    value as f32
}

fn shown(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::F32 => format!("{:?}", f32::from_bits(word)),
        Scalar::I32 => (word as i32).to_string(),
        Scalar::U32 => word.to_string(),
        Scalar::Bool => (word != 0).to_string(),
    }
}

/// The difference of two values, in words; `None` if they are equal.
///
/// # Errors
///
/// The message, if their types differ, or steps are allowed between other values than floats.
pub(super) fn difference(
    [left, right]: [&Value; 2],
    ulp: Option<u32>,
) -> Result<Option<String>, String> {
    let is_same = |(a, b): (&FlatComponent, &FlatComponent)| a == b;
    let (a, b) = (&left.ty.components, &right.ty.components);
    if a.len() != b.len() || !a.iter().zip(b).all(is_same) {
        let [a, b] = [left, right].map(|of| &of.ty.name);
        return Err(format!("the sides have different types: {a} and {b}"));
    }
    if ulp.is_some() && !left.has_floats() {
        return Err(format!("`ulp` is for floats, and {} has none", left.ty.name));
    }
    let allowed = ulp.unwrap_or(0);
    let pairs = left.words.iter().zip(&right.words);
    let first = a.iter().zip(pairs).find_map(|(of, (&a, &b))| match of.scalar {
        Scalar::F32 => {
            let distance = ulp_distance(f32::from_bits(a), f32::from_bits(b));
            let is_equal = distance.is_some_and(|distance| distance <= allowed);
            (!is_equal).then_some((of, a, b, distance))
        }
        _ => (a != b).then_some((of, a, b, None)),
    });
    let Some((of, a, b, distance)) = first else { return Ok(None) };
    let mut message = format!("{} is not {}", left.shown(), right.shown());
    if !of.path.is_empty() {
        let [a, b] = [a, b].map(|word| shown(of.scalar, word));
        message += &format!("; the first difference is at {}: {a} and {b}", of.path);
    }
    if of.scalar == Scalar::F32 {
        match distance {
            Some(steps) if steps <= NEAR => {
                message += &format!(" (0x{a:08x} and 0x{b:08x}), {steps} ulp");
            }
            Some(steps) => message += &format!(", {steps} ulp"),
            None => {}
        }
    }
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(scalar: Scalar, words: &[u32]) -> Value {
        let path = |k: usize| if words.len() == 1 { String::new() } else { format!(".{k}") };
        let component = |(k, _)| FlatComponent { path: path(k), scalar };
        let components = words.iter().enumerate().map(component).collect();
        let ty = FlatType { name: format!("{scalar:?}"), components };
        Value { ty, words: words.to_vec() }
    }

    fn floats(all: &[f32]) -> Value {
        value(Scalar::F32, &all.iter().map(|of| of.to_bits()).collect::<Vec<_>>())
    }

    #[test]
    fn floats_are_equal_as_numbers() {
        let same =
            |a: f32, b: f32, ulp| difference([&floats(&[a]), &floats(&[b])], ulp) == Ok(None);
        assert!(same(0.0, -0.0, None) && same(f32::NAN, -f32::NAN, None));
        assert!(!same(1.0, 1.0_f32.next_up(), None) && same(1.0, 1.0_f32.next_up(), Some(1)));
        assert!(!same(1.0, 1.0_f32.next_up().next_up(), Some(1)));
        assert!(!same(f32::NAN, 1.0, Some(u32::MAX)) && same(f32::MAX, f32::INFINITY, Some(1)));
    }

    #[test]
    fn a_difference_is_told() {
        let told = |a: &Value, b: &Value| difference([a, b], None).expect("one type").expect("two");
        let near = told(&floats(&[1.0]), &floats(&[1.0_f32.next_up()]));
        assert_eq!(near, "1.0 is not 1.0000001 (0x3f800000 and 0x3f800001), 1 ulp");
        let far = told(&floats(&[1.0, 2.0]), &floats(&[1.0, 4.0]));
        let wanted =
            "(1.0, 2.0) is not (1.0, 4.0); the first difference is at .1: 2.0 and 4.0, 8388608 ulp";
        assert_eq!(far, wanted);
        let int = told(&value(Scalar::I32, &[u32::MAX]), &value(Scalar::I32, &[3]));
        assert_eq!(int, "-1 is not 3");
        let nan = told(&floats(&[f32::NAN]), &floats(&[1.0]));
        assert_eq!(nan, "NaN is not 1.0");
        let bools = told(&value(Scalar::Bool, &[1]), &value(Scalar::Bool, &[0]));
        assert_eq!(bools, "true is not false");
    }

    #[test]
    fn what_cannot_be_compared() {
        let wrong = |a: &Value, b: &Value, ulp| difference([a, b], ulp).expect_err("an error");
        let (one, two) = (floats(&[1.0]), floats(&[1.0, 2.0]));
        assert!(wrong(&one, &two, None).contains("different types: F32 and F32"));
        assert!(wrong(&one, &value(Scalar::U32, &[1]), None).contains("F32 and U32"));
        let int = value(Scalar::U32, &[1]);
        assert!(wrong(&int, &int, Some(1)).contains("`ulp` is for floats"));
    }

    #[test]
    fn literals_take_the_other_type() {
        let word = |text: &str, scalar| {
            let literal = Literal::of(text).expect(text);
            Value::of_literal(text, &literal, &value(scalar, &[0]).ty).map(|of| of.words[0])
        };
        for (text, scalar, wanted) in [
            ("1", Scalar::F32, 1.0_f32.to_bits()),
            ("0x10", Scalar::F32, 16.0_f32.to_bits()),
            ("16777217", Scalar::F32, 16_777_216.0_f32.to_bits()),
            ("-1", Scalar::I32, u32::MAX),
            ("0xffffffff", Scalar::U32, u32::MAX),
            ("true", Scalar::Bool, 1),
        ] {
            assert_eq!(word(text, scalar), Ok(wanted), "{text}");
        }
        for (text, scalar) in [
            ("-1", Scalar::U32),
            ("2147483648", Scalar::I32),
            ("1.0", Scalar::I32),
            ("1u", Scalar::I32),
            ("1u", Scalar::F32),
            ("nan", Scalar::U32),
            ("1", Scalar::Bool),
            ("true", Scalar::F32),
        ] {
            assert!(word(text, scalar).is_err(), "{text}");
        }
        let literal = Literal::of("1").expect("a number");
        let error = Value::of_literal("1", &literal, &floats(&[1.0, 2.0]).ty);
        assert!(error.expect_err("two").contains("has 2"));
    }
}
