//! How uniforms lie in their block: the layout std140 (OpenGL's specification, §7.6.2.2), in bytes.

use lambdav_core::types::{Type, TypeKind, Types};

/// To which multiples a value is aligned, and how many bytes it takes. Types nest a few hundred deep
/// at most.
fn layout(types: &Types, ty: Type) -> (u32, u32) {
    match *types.kind(ty) {
        TypeKind::Scalar(_) => (4, 4),
        TypeKind::Vector(_, 2) => (8, 8),
        TypeKind::Vector(_, n) => (16, 4 * u32::from(n)),
        TypeKind::Matrix(_, n) => (16, 16 * u32::from(n)),
        TypeKind::Array(element, count) => (16, stride(types, element) * count),
        TypeKind::Structure(_) => {
            let mut end = 0;
            for part in types.parts(ty) {
                place(types, part, &mut end);
            }
            (16, end.next_multiple_of(16))
        }
        TypeKind::Variant(_) => unreachable!("no uniform is a variant"),
    }
}

/// How far one element of an array is from the next.
pub(super) fn stride(types: &Types, element: Type) -> u32 {
    layout(types, element).1.next_multiple_of(16)
}

/// The offset of a member after those that end at `end`, which is moved.
pub(super) fn place(types: &Types, ty: Type, end: &mut u32) -> u32 {
    let (align, size) = layout(types, ty);
    let offset = end.next_multiple_of(align);
    *end = offset + size;
    offset
}
