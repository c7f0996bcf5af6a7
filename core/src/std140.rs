//! How uniforms lie in their block: the layout std140 (OpenGL's specification, §7.6.2.2), in bytes.

use crate::types::{Type, TypeKind, Types};
use rustc_hash::FxHashMap;

/// The layout of all types of a table.
#[derive(Debug)]
pub struct Std140 {
    /// To which multiples a value is aligned, and how many bytes it takes.
    layouts: FxHashMap<Type, (u64, u64)>,
}

impl Std140 {
    /// Looks at each type once, parts before what consists of them. (Variants and textures are no
    /// uniforms: what is said of them means nothing.)
    pub fn new(types: &Types) -> Self {
        let mut all = Self { layouts: FxHashMap::default() };
        for ty in types.all() {
            let layout = match *types.kind(ty) {
                TypeKind::Scalar(_) | TypeKind::Variant(_) | TypeKind::Texture(_) => (4, 4),
                TypeKind::Vector(_, 2) => (8, 8),
                TypeKind::Vector(_, n) => (16, 4 * u64::from(n)),
                TypeKind::Matrix(_, n) => (16, 16 * u64::from(n)),
                TypeKind::Array(element, count) => (16, all.stride(element) * u64::from(count)),
                TypeKind::Structure(_) => {
                    let mut end = 0;
                    for part in types.parts(ty) {
                        all.place(part, &mut end);
                    }
                    (16, end.next_multiple_of(16))
                }
            };
            all.layouts.insert(ty, layout);
        }
        all
    }

    /// How far one element of an array is from the next.
    pub fn stride(&self, element: Type) -> u64 {
        self.layouts[&element].1.next_multiple_of(16)
    }

    /// The offset of a member after those that end at `end`, which is moved.
    pub fn place(&self, ty: Type, end: &mut u64) -> u64 {
        let (align, size) = self.layouts[&ty];
        let offset = end.next_multiple_of(align);
        *end = offset + size;
        offset
    }
}
