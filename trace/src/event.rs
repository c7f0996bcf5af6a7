//! Events of an evaluation, and values.

use std::fmt;
use std::sync::Arc;

/// The scope of the pixel itself.
pub const PIXEL: u32 = 0;

/// A place in the text. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index of the file.
    pub file: u32,
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// The kind of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// binary32.
    Num,
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// 0 or 1.
    Bool,
    /// binary64, in two words, the low one first.
    Double,
    /// An unsigned integer of 64 bits, in two words, the low one first.
    Long,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar, a vector, or a matrix by columns.
    Words {
        /// The type's name in its language.
        ty: Arc<str>,
        /// The kind of each component.
        scalar: Scalar,
        /// The bits.
        words: Box<[u32]>,
    },
    /// A structure, a case of a variant, or an array.
    Parts {
        /// The type's name in its language.
        ty: Arc<str>,
        /// The parts with their names; those of an array have none.
        parts: Box<[(Arc<str>, Value)]>,
        /// The number of further parts, which are not kept.
        more: usize,
    },
}

impl Value {
    /// The most parts of a structure or array that a value keeps.
    pub const MAX_PARTS: usize = 64;

    /// The type's name.
    pub fn ty(&self) -> &str {
        match self {
            Self::Words { ty, .. } | Self::Parts { ty, .. } => ty,
        }
    }

    /// True if two values have the same bits; all NaNs are one value.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Words { scalar: a, .. }, Self::Words { scalar: b, .. }) => {
                a == b && self.canonical_words() == other.canonical_words()
            }
            (
                Self::Parts { parts: a, more: more_a, .. },
                Self::Parts { parts: b, more: more_b, .. },
            ) => {
                let mut pairs = a.iter().zip(b);
                a.len() == b.len() && more_a == more_b && pairs.all(|((_, a), (_, b))| a.equals(b))
            }
            _ => false,
        }
    }

    /// The words, with one NaN; none of parts.
    pub(crate) fn canonical_words(&self) -> Vec<u32> {
        let Self::Words { scalar, words, .. } = self else { return Vec::new() };
        let is_nan = |word: u32| *scalar == Scalar::Num && f32::from_bits(word).is_nan();
        words.iter().map(|&word| if is_nan(word) { f32::NAN.to_bits() } else { word }).collect()
    }

    /// The components in decimal; NaN and infinities have names.
    pub fn components(&self) -> Vec<String> {
        let Self::Words { scalar, words, .. } = self else { return Vec::new() };
        let long = |pair: &[u32]| match pair {
            &[low, high] => u64::from(high) << 32 | u64::from(low),
            _ => 0,
        };
        match scalar {
            Scalar::Num => words.iter().map(|&word| number(f32::from_bits(word))).collect(),
            Scalar::Int => words.iter().map(|&word| (word as i32).to_string()).collect(),
            Scalar::Uint => words.iter().map(u32::to_string).collect(),
            Scalar::Bool => words.iter().map(|&word| (word != 0).to_string()).collect(),
            Scalar::Double => {
                words.chunks(2).map(|pair| number(f64::from_bits(long(pair)))).collect()
            }
            Scalar::Long => words.chunks(2).map(|pair| long(pair).to_string()).collect(),
        }
    }

    /// The bits in hexadecimal, a word each; none of bools.
    pub fn bits(&self) -> Vec<String> {
        match self {
            Self::Words { scalar: Scalar::Bool, .. } | Self::Parts { .. } => Vec::new(),
            Self::Words { words, .. } => words.iter().map(|word| format!("{word:#010x}")).collect(),
        }
    }
}

/// A number as the shortest decimal that reads back as the same bits.
fn number<T: fmt::Debug>(value: T) -> String {
    format!("{value:?}")
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The scope to which it belongs.
    pub scope: u32,
    /// Its place in the text, if known.
    pub place: Option<Place>,
    /// Its number among the events of the evaluator, by which a slice refers to it.
    pub number: u32,
    /// The kind, with its values.
    pub kind: EventKind,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A name got a value.
    Binding {
        /// The name; for a part of a variable, its path.
        name: Arc<str>,
        /// The value.
        value: Value,
    },
    /// A decision.
    Condition {
        /// The text of the condition, if it is known.
        text: Option<Arc<str>>,
        /// Its value.
        value: Value,
        /// The place of the arm that is taken, if known.
        arm: Option<Place>,
    },
    /// A scope begins inside the event's scope.
    Open {
        /// The number of the new scope.
        scope: u32,
        /// Its kind.
        kind: ScopeKind,
        /// The name of the function, if it has one.
        name: Option<Arc<str>>,
    },
    /// A parameter of the event's scope got a value.
    Argument {
        /// The parameter.
        name: Arc<str>,
        /// The value.
        value: Value,
    },
    /// The author's own message: the value of a `probe`, or the text of a `printf`.
    Message(Arc<str>),
    /// The event's scope ends.
    Close {
        /// The result, if there is one.
        result: Option<Value>,
    },
}

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The pixel.
    Pixel,
    /// A call of a function.
    Call,
    /// A loop, whose items are rounds.
    Loop,
    /// A round of a loop.
    Round,
}

/// A receiver of events.
pub trait Sink {
    /// Receives an event.
    fn event(&mut self, event: Event);
}
