//! Values as words: the types of expectations of `lambdav test`, and the words in a picture.
//!
//! A front end compiles an expression to a program whose outputs are the words of its value. Each word takes two numbers
//! of an output, its low and its high 16 bits. Both are exact in binary32, and no NaN is made canonical. Output k
//! holds the words 2k and 2k + 1 in its red and green, and its blue and alpha channel.

use crate::types::{Scalar, Type, TypeKind, Types};

/// Most words of a value that a program gives so: two for each of 8 outputs.
pub const FLAT_WORDS: usize = 16;

/// The name of the entry point of an expression, which no function of a text has.
pub const FLAT_ENTRY: &str = "an expectation";

/// An expression with its place in a file, where messages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedExpression {
    /// The name of the file in messages.
    pub file: String,
    /// The text, behind so many line breaks and blanks that it has the line and the column of its place.
    pub text: String,
}

impl PlacedExpression {
    /// An expression at a line and a column, both from 1.
    pub fn new(file: &str, line: usize, column: usize, text: &str) -> Self {
        let (lines, blanks) = (line.saturating_sub(1), column.saturating_sub(1));
        let text = format!("{}{}{text}", "\n".repeat(lines), " ".repeat(blanks));
        Self { file: file.to_owned(), text }
    }
}

/// The type of a value as a list of components, a word each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatType {
    /// Its name in the language of the program.
    pub name: String,
    /// Its components, in the order of the words.
    pub components: Vec<FlatComponent>,
}

/// A component of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatComponent {
    /// Its place in the value, such as `.position[2].x`; empty for a scalar.
    pub path: String,
    /// Its type.
    pub scalar: Scalar,
}

impl FlatType {
    /// The type in a table; `None` for variants, resources, and types with such a part.
    pub fn of(types: &Types, ty: Type) -> Option<Self> {
        let mut components = Vec::new();
        let mut open = vec![(String::new(), ty)];
        while let Some((path, ty)) = open.pop() {
            if let TypeKind::Scalar(scalar) = *types.kind(ty) {
                components.push(FlatComponent { path, scalar });
                continue;
            }
            let parts: Vec<Type> = types.parts(ty).collect();
            let name = |k: usize| match *types.kind(ty) {
                TypeKind::Vector(..) => Some(vector_path(k)),
                TypeKind::Structure(_) => {
                    types.structure(ty).map(|of| format!(".{}", of.fields[k].name))
                }
                TypeKind::Matrix(..) | TypeKind::Array(..) => Some(format!("[{k}]")),
                _ => None,
            };
            if matches!(types.kind(ty), TypeKind::Variant(_) | TypeKind::Resource(_)) {
                return None;
            }
            for (k, part) in parts.into_iter().enumerate().rev() {
                open.push((format!("{path}{}", name(k)?), part));
            }
        }
        Some(Self { name: types.name(ty).to_string(), components })
    }

    /// The number of outputs that hold a value.
    pub fn outputs(&self) -> u32 {
        self.components.len().div_ceil(2) as u32
    }
}

/// The path of a component of a vector.
pub fn vector_path(index: usize) -> String {
    format!(".{}", ["x", "y", "z", "w"].get(index).copied().unwrap_or("?"))
}

/// The words in a pixel of an output; `None` for numbers that are no halves of words.
pub fn words_of(pixel: [f32; 4]) -> Option<[u32; 2]> {
    let half = |number: f32| {
        let half = number as u32;
        (half <= 0xffff && half as f32 == number).then_some(half)
    };
    let [a, b, c, d] = pixel.map(half);
    Some([a? | b? << 16, c? | d? << 16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Field, Structure};

    #[test]
    fn types_are_lists_of_components() {
        let mut types = Types::default();
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let fields = [field("at", Type::vec(2)), field("n", Type::INT)];
        let point = types.add_structure(Structure { name: "P".into(), fields: fields.into() });
        let all = types.add_array(point.expect("it is small"), 2).expect("it is small");
        let flat = FlatType::of(&types, all).expect("it has components");
        let paths: Vec<&str> = flat.components.iter().map(|one| &*one.path).collect();
        assert_eq!(paths, ["[0].at.x", "[0].at.y", "[0].n", "[1].at.x", "[1].at.y", "[1].n"]);
        assert_eq!(flat.components[2].scalar, Scalar::I32);
        assert_eq!((flat.outputs(), &*flat.name), (3, "(array 2 P)"));
        let number = FlatType::of(&types, Type::NUM).expect("it is one component");
        assert_eq!((number.outputs(), &*number.components[0].path), (1, ""));
    }

    #[test]
    fn words_of_pixels() {
        assert_eq!(words_of([65535.0, 32639.0, 1.0, 0.0]), Some([0x7f7f_ffff, 1]));
        for wrong in [0.5, -1.0, 65536.0, f32::NAN, f32::INFINITY] {
            assert_eq!(words_of([0.0, 0.0, 0.0, wrong]), None, "{wrong}");
        }
    }
}
