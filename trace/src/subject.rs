//! The subject of a trace: a pixel or another unit, its results, and the other side of a comparison.

use super::event::{Place, Scalar, Value};
use super::values::Comparison;
use std::fmt;
use std::sync::Arc;

/// A unit of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A pixel.
    Pixel {
        /// Column and row, from the upper left.
        at: [u32; 2],
        /// Width and height of the picture.
        size: [u32; 2],
        /// Location of the output.
        output: u32,
    },
    /// A vertex.
    Vertex {
        /// Its index.
        vertex: u32,
        /// Index of its instance.
        instance: u32,
    },
    /// An id of a pass, or an invocation of a compute program.
    Id {
        /// The index along each axis.
        id: [u32; 3],
        /// Number of axes.
        axes: usize,
        /// Name of the pass; none of a compute program.
        pass: Option<String>,
    },
    /// The value of an expression.
    Expression(String),
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pixel { at: [x, y], size: [width, height], .. } => {
                write!(f, "pixel ({x}, {y}) of {width}x{height}")
            }
            Self::Vertex { vertex, instance } => {
                write!(f, "vertex {vertex} of instance {instance}")
            }
            Self::Id { id, axes, pass } => {
                match id.map(|along| along.to_string()) {
                    [x, ..] if *axes == 1 => write!(f, "id {x}"),
                    [x, y, _] if *axes == 2 => write!(f, "id ({x}, {y})"),
                    [x, y, z] => write!(f, "id ({x}, {y}, {z})"),
                }?;
                pass.as_ref().map_or(Ok(()), |pass| write!(f, " of {pass}"))
            }
            Self::Expression(text) => write!(f, "{text}"),
        }
    }
}

impl Unit {
    /// Its name, without the size of the picture: `pixel (7, 3)`.
    pub fn name(&self) -> String {
        match self {
            Self::Pixel { at: [x, y], .. } => format!("pixel ({x}, {y})"),
            _ => self.to_string(),
        }
    }
}

/// The subject of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Names of the files, the main file first.
    pub files: Vec<String>,
    /// Texts of the files, as far as they are known.
    pub texts: Vec<String>,
    /// The unit.
    pub unit: Unit,
    /// Names and values of its results: the colour of a pixel, position and varyings of a vertex, the writes of an id.
    pub results: Vec<(Arc<str>, Value)>,
    /// True if it is a pixel that was discarded.
    pub is_discarded: bool,
    /// Its value elsewhere, if that was asked for.
    pub against: Option<Against>,
}

impl Subject {
    /// A pixel as a value.
    pub fn colour(bits: [u32; 4]) -> Value {
        Value::Words { ty: "vec4".into(), scalar: Scalar::Num, words: bits.into() }
    }

    /// A pixel of an output of integers as a value.
    pub fn integers(bits: [u32; 4], scalar: Scalar) -> Value {
        let ty = if scalar == Scalar::Int { "ivec4" } else { "uvec4" };
        Value::Words { ty: ty.into(), scalar, words: bits.into() }
    }

    /// The colour of a pixel.
    pub(crate) fn pixel(&self) -> Option<&Value> {
        match self.unit {
            Unit::Pixel { .. } => self.results.first().map(|(_, value)| value),
            _ => None,
        }
    }

    /// A place as `FILE:LINE:COLUMN`.
    pub fn place(&self, place: Place) -> String {
        let Place { file, line, column } = place;
        let name = self.files.get(file as usize).map_or("?", String::as_str);
        format!("{name}:{line}:{column}")
    }
}

/// The value of a pixel by an engine, or in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    /// The engine or picture, as in `engine core` and `picture a.png`.
    pub name: String,
    /// The value there. In a picture of integers these are levels.
    pub value: Value,
    /// The traced pixel in the same form.
    pub here: Value,
    /// The comparison of named values, if the engine has them.
    pub names: Option<Comparison>,
}

impl Against {
    /// True if the pixel has the same bits there; all NaNs are one value.
    pub fn is_equal(&self) -> bool {
        self.value.equals(&self.here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_units() {
        let id = |axes, pass: Option<&str>| {
            Unit::Id { id: [3, 4, 5], axes, pass: pass.map(str::to_owned) }.to_string()
        };
        assert_eq!(id(1, Some("bins")), "id 3 of bins");
        assert_eq!(id(2, Some("bins")), "id (3, 4) of bins");
        assert_eq!(id(3, None), "id (3, 4, 5)");
        assert_eq!(Unit::Vertex { vertex: 4, instance: 1 }.to_string(), "vertex 4 of instance 1");
    }

    #[test]
    fn equality_of_pixels() {
        for (there, is) in [
            ([0xffc0_0001, 0, 0, 0], true),
            ([0x7fc0_0000, 0x8000_0000, 0, 0], false),
            ([0, 0, 0, 0], false),
        ] {
            let here = Subject::colour([0x7fc0_0000, 0, 0, 0]);
            let (name, value) = ("engine gpu".to_owned(), Subject::colour(there));
            assert_eq!(Against { name, value, here, names: None }.is_equal(), is);
        }
    }
}
