//! Layout of values in memory shared with the host program, in bytes: std140 in a block of uniforms, std430
//! in a buffer (OpenGL's specification, §7.6.2.2).
//!
//! The frontend's warning of large blocks and the SPIR-V backend use it. The evaluator of SPIR-V words has a layout of its
//! own, so that each checks the other.

use crate::types::{Type, TypeKind, Types};
use rustc_hash::FxHashMap;

/// The rules of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// For uniforms: arrays, columns of matrices and structures are aligned to 16 bytes.
    Std140,
    /// For buffers: aggregates have the alignment of their parts.
    Std430,
}

/// The layout of all types of a table.
#[derive(Debug)]
pub struct Layout {
    rules: Rules,
    /// Alignment and size of each type, in bytes.
    layouts: FxHashMap<Type, (u64, u64)>,
}

impl Layout {
    /// Computes the layout of each type once, parts first. (Variants and resources are never in shared
    /// memory: their entries have no meaning.)
    pub fn new(types: &Types, rules: Rules) -> Self {
        let mut all = Self { rules, layouts: FxHashMap::default() };
        for ty in types.all() {
            let layout = match *types.kind(ty) {
                TypeKind::Scalar(_) | TypeKind::Variant(_) | TypeKind::Resource(_) => (4, 4),
                TypeKind::Vector(_, 2) => (8, 8),
                TypeKind::Vector(_, n) => (16, 4 * u64::from(n)),
                TypeKind::Matrix(scalar, n) => all.repeated(Type::of(scalar, n), n.into()),
                TypeKind::Array(element, count) => all.repeated(element, count.into()),
                TypeKind::Structure(_) => {
                    let (mut end, mut align) = (0, all.least().max(4));
                    for part in types.parts(ty) {
                        all.place(part, &mut end);
                        align = align.max(all.layouts[&part].0);
                    }
                    (align, end.next_multiple_of(align))
                }
            };
            all.layouts.insert(ty, layout);
        }
        all
    }

    /// Least alignment of a value with parts.
    fn least(&self) -> u64 {
        match self.rules {
            Rules::Std140 => 16,
            Rules::Std430 => 1,
        }
    }

    fn repeated(&self, element: Type, count: u64) -> (u64, u64) {
        (self.least().max(self.layouts[&element].0), self.stride(element) * count)
    }

    /// The distance between consecutive elements of an array, or columns of a matrix.
    pub fn stride(&self, element: Type) -> u64 {
        let (align, size) = self.layouts[&element];
        size.next_multiple_of(self.least().max(align))
    }

    /// The offsets of all words of a value that begins at `base`, in the order of its components. (Recursion
    /// is safe: types nest at most a few hundred deep.)
    pub fn words(&self, types: &Types, ty: Type, base: u64, out: &mut Vec<u64>) {
        let count = types.components(ty) as u64;
        match *types.kind(ty) {
            TypeKind::Matrix(scalar, n) => {
                let column = Type::of(scalar, n);
                let stride = self.stride(column);
                (0..n).for_each(|k| self.words(types, column, base + u64::from(k) * stride, out));
            }
            TypeKind::Array(element, count) => {
                let stride = self.stride(element);
                (0..count)
                    .for_each(|k| self.words(types, element, base + u64::from(k) * stride, out));
            }
            TypeKind::Structure(_) => {
                let mut end = 0;
                for part in types.parts(ty) {
                    let offset = self.place(part, &mut end);
                    self.words(types, part, base + offset, out);
                }
            }
            _ => out.extend((0..count).map(|k| base + 4 * k)),
        }
    }

    /// The offset of a member that follows members ending at `end`; advances `end`.
    pub fn place(&self, ty: Type, end: &mut u64) -> u64 {
        let (align, size) = self.layouts[&ty];
        let offset = end.next_multiple_of(align);
        *end = offset + size;
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Field, Structure};

    /// The examples of the specification, and the differences of the two layouts.
    #[test]
    fn buffers_have_fewer_gaps_than_uniforms() {
        let mut types = Types::default();
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let array = types.add_array(Type::NUM, 3).expect("is small");
        let fields = [field("a", Type::vec(2)), field("b", Type::NUM)];
        let pair = Structure { name: "Pair".into(), fields: fields.into() };
        let pair = types.add_structure(pair).expect("is small");
        let pairs = types.add_array(pair, 2).expect("is small");
        let all = [
            (Type::NUM, [16, 4]),
            (Type::BOOL, [16, 4]),
            (Type::vec(2), [16, 8]),
            (Type::vec(3), [16, 16]),
            (Type::mat(2), [32, 16]),
            (Type::mat(3), [48, 48]),
            (array, [48, 12]),
            (pair, [16, 16]),
            (pairs, [32, 32]),
        ];
        let layouts = [Rules::Std140, Rules::Std430].map(|rules| Layout::new(&types, rules));
        for (ty, strides) in all {
            assert_eq!([0, 1].map(|k| layouts[k].stride(ty)), strides, "{}", types.name(ty));
        }
        let offsets = |layout: &Layout| {
            let mut end = 0;
            let members = [Type::NUM, array, Type::vec(3), Type::NUM, Type::mat(2), pair];
            members.map(|ty| layout.place(ty, &mut end))
        };
        assert_eq!(offsets(&layouts[0]), [0, 16, 64, 76, 80, 112]);
        assert_eq!(offsets(&layouts[1]), [0, 4, 16, 28, 32, 48]);
    }
}
