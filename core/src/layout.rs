//! How values lie in the memory that a shader shares with the world, in bytes: std140 in a block of
//! uniforms, std430 in a buffer (OpenGL's specification, §7.6.2.2).

use crate::types::{Type, TypeKind, Types};
use rustc_hash::FxHashMap;

/// The rules of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Of uniforms: arrays, columns of matrices and structures are aligned to 16 bytes.
    Std140,
    /// Of buffers: they are aligned as what they consist of.
    Std430,
}

/// The layout of all types of a table.
#[derive(Debug)]
pub struct Layout {
    rules: Rules,
    /// To which multiples a value is aligned, and how many bytes it takes.
    layouts: FxHashMap<Type, (u64, u64)>,
}

impl Layout {
    /// Looks at each type once, parts before what consists of them. (Variants and resources lie in no
    /// such memory: what is said of them means nothing.)
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

    /// To which multiples what has parts is aligned at least.
    fn least(&self) -> u64 {
        match self.rules {
            Rules::Std140 => 16,
            Rules::Std430 => 1,
        }
    }

    fn repeated(&self, element: Type, count: u64) -> (u64, u64) {
        (self.least().max(self.layouts[&element].0), self.stride(element) * count)
    }

    /// How far one element of an array, or one column of a matrix, is from the next.
    pub fn stride(&self, element: Type) -> u64 {
        let (align, size) = self.layouts[&element];
        size.next_multiple_of(self.least().max(align))
    }

    /// The offsets of all words of a value that begins at `base`, in the order of its components. (Types nest a few
    /// hundred deep at most.)
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

    /// The offset of a member after those that end at `end`, which is moved.
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

    /// The examples of the specification, and where the two layouts differ.
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
