//! Names, types and lines of a module's functions, for observers.

use super::code::{Place, Position};
use super::observer::{ModuleScalar, ModuleValue};
use super::values::{ComponentType, Space, ValueType};
use std::sync::Arc;

/// Most parts of a structure or array that an observer sees.
const PARTS: usize = 64;

/// Debug information of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionDebug {
    pub(super) name: Option<Arc<str>>,
    pub(super) result: Option<Arc<Shape>>,
    /// Named parameters: name, place and shape.
    pub(super) parameters: Vec<NamedValue>,
    /// By block, in the order of the code.
    pub(super) blocks: Vec<BlockDebug>,
}

impl FunctionDebug {
    /// The names of values and variables, without inputs, each with its owner: a place of memory, or the number of a
    /// variable; `None` for a pointer's.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&str, Option<Owner>)> {
        let value = |of: &'_ NamedValue| Some(Owner::Value(of.at));
        let named = self.blocks.iter().flat_map(move |block| {
            let steps = block.names.iter().filter_map(move |(_, named)| match named {
                Named::Value(of) => Some((&*of.name, value(of))),
                Named::Stored { name, place, .. } => match place.space {
                    Space::Own(number) => Some((&**name, Some(Owner::Variable(number)))),
                    _ => Some((&**name, None)),
                },
                Named::Input(_) | Named::Written { .. } | Named::Printed { .. } => None,
            });
            steps.chain(block.phis.iter().map(move |(of, _)| (&*of.name, value(of))))
        });
        named.chain(self.parameters.iter().map(move |of| (&*of.name, value(of))))
    }

    /// All names, without the paths of parts.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.blocks.iter().flat_map(|block| {
            let steps = block.names.iter().filter_map(|(_, named)| match named {
                Named::Value(of) | Named::Input(of) => Some(&*of.name),
                Named::Stored { name, .. } | Named::Written { name, .. } => Some(&**name),
                Named::Printed { .. } => None,
            });
            steps.chain(block.phis.iter().map(|(of, _)| &*of.name))
        });
        named.chain(self.parameters.iter().map(|of| &*of.name))
    }
}

/// The owner of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Value(usize),
    Variable(usize),
}

/// Debug information of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockDebug {
    /// The merge block of a loop header.
    pub(super) merge: Option<usize>,
    /// Position of the first line.
    pub(super) first: Option<Position>,
    /// Position before the first line.
    pub(super) before: Option<Position>,
    /// Positions, each from a step on; ascending.
    pub(super) lines: Vec<(usize, Position)>,
    /// Named φs, with their positions.
    pub(super) phis: Vec<(NamedValue, Option<Position>)>,
    /// Steps after which a name has a new value; ascending.
    pub(super) names: Vec<(usize, Named)>,
    /// The selector of a switch is signed.
    pub(super) is_signed: bool,
}

impl BlockDebug {
    /// Position of a step; of the terminator, for the number of steps.
    pub(super) fn position(&self, step: usize) -> Option<Position> {
        let after = self.lines.partition_point(|&(from, _)| from <= step);
        let line = after.checked_sub(1).map(|index| self.lines[index].1);
        line.or(self.before)
    }

    /// The names that get values at a step.
    pub(super) fn named(&self, step: usize) -> impl Iterator<Item = &Named> {
        let first = self.names.partition_point(|&(at, _)| at < step);
        self.names[first..].iter().take_while(move |(at, _)| *at == step).map(|(_, named)| named)
    }
}

/// A named id.
#[derive(Clone, Debug)]
pub(super) struct NamedValue {
    pub(super) name: Arc<str>,
    pub(super) at: usize,
    pub(super) shape: Arc<Shape>,
}

/// An argument of a message.
#[derive(Clone, Debug)]
pub(super) enum PrintedPart {
    /// Place and shape of a value.
    Value(usize, Arc<Shape>),
    Text(Arc<str>),
}

/// A name that gets a value, or a message.
#[derive(Clone, Debug)]
pub(super) enum Named {
    Value(NamedValue),
    /// The load of an input or uniform.
    Input(NamedValue),
    /// A value that is stored into memory that other invocations see.
    Written {
        name: Arc<str>,
        /// Place of the value.
        at: usize,
        shape: Arc<Shape>,
        path: Vec<PathPart>,
    },
    /// A message: its format and arguments.
    Printed {
        format: Arc<str>,
        arguments: Box<[PrintedPart]>,
    },
    /// A variable, or a part of one, that is stored.
    Stored {
        name: Arc<str>,
        place: Place,
        shape: Arc<Shape>,
        path: Vec<PathPart>,
        /// The store of a parameter into the variable that stands for it.
        is_parameter: bool,
    },
}

/// A part of the path to a stored part.
#[derive(Clone, Debug)]
pub(super) enum PathPart {
    Member(Arc<str>),
    Index(u32),
    /// Place of an index.
    Dynamic(usize),
}

/// The shape of a value.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Components(ModuleScalar, u8, u8),
    /// Name, and members with their names and first words.
    Struct(Option<Arc<str>>, Vec<(Arc<str>, Arc<Shape>, usize)>),
    /// Element, words of an element, and number.
    Array(Arc<Shape>, usize, usize),
}

impl Shape {
    /// The shape of a type that is no aggregate.
    pub(super) fn components(kind: ValueType) -> Option<Self> {
        let scalar = match kind.scalar {
            ComponentType::Bool => ModuleScalar::Bool,
            ComponentType::Float => ModuleScalar::Float,
            ComponentType::Int => ModuleScalar::Int,
            ComponentType::Uint => ModuleScalar::Uint,
            ComponentType::Double => ModuleScalar::Double,
            ComponentType::Long => ModuleScalar::Long,
            ComponentType::Various => return None,
        };
        Some(Self::Components(scalar, kind.rows, kind.columns))
    }

    fn words(&self) -> usize {
        match self {
            Self::Components(scalar, rows, columns) => {
                let wide = matches!(scalar, ModuleScalar::Double | ModuleScalar::Long);
                usize::from(*rows) * usize::from(*columns) * if wide { 2 } else { 1 }
            }
            Self::Struct(_, members) => {
                members.last().map_or(0, |(_, shape, at)| at + shape.words())
            }
            Self::Array(_, words, count) => words * count,
        }
    }

    /// The value of these words; `None` if there are too few. The depth of shapes is limited, so the recursion is.
    pub(super) fn value(&self, words: &[u32]) -> Option<ModuleValue> {
        match self {
            Self::Components(scalar, rows, columns) => {
                let words = words.get(..self.words())?.into();
                Some(ModuleValue::Words { scalar: *scalar, rows: *rows, columns: *columns, words })
            }
            Self::Struct(name, members) => {
                let some = members.iter().take(PARTS);
                let parts = some.map(|(name, shape, at)| {
                    Some((Some(Arc::clone(name)), shape.value(words.get(*at..)?)?))
                });
                let more = members.len().saturating_sub(PARTS);
                Some(ModuleValue::Parts {
                    name: name.clone(),
                    parts: parts.collect::<Option<_>>()?,
                    more,
                })
            }
            Self::Array(element, size, count) => {
                let some = 0..(*count).min(PARTS);
                let parts =
                    some.map(|index| Some((None, element.value(words.get(index * size..)?)?)));
                let more = count.saturating_sub(PARTS);
                Some(ModuleValue::Parts { name: None, parts: parts.collect::<Option<_>>()?, more })
            }
        }
    }
}
