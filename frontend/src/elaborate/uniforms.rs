//! The values and the size of uniforms.

use lambdav_core::graph::Uniform;
use lambdav_core::types::{Type, TypeKind, Types};

/// How many bytes of uniforms Vulkan guarantees.
pub(super) const GUARANTEED_BYTES: u64 = 16_384;

/// The words of the default of a uniform that does not give one.
pub(super) fn zero_or_identity(types: &Types, ty: Type) -> Box<[u32]> {
    let mut words = vec![0; types.components(ty)];
    // What lies at which component.
    let mut stack = vec![(ty, 0)];
    while let Some((ty, start)) = stack.pop() {
        match *types.kind(ty) {
            TypeKind::Matrix(_, n) => {
                let size = types.components(ty);
                let diagonal = words[start..start + size].iter_mut().step_by(usize::from(n) + 1);
                diagonal.for_each(|word| *word = 1f32.to_bits());
            }
            TypeKind::Structure(_) | TypeKind::Array(..) => {
                for index in 0..types.parts(ty).len() {
                    let (part, offset) = types.part(ty, index).expect("it is below the count");
                    stack.push((part, start + offset));
                }
            }
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Variant(_) => {}
        }
    }
    words.into()
}

/// How many bytes the uniforms take in the layout std140.
pub(super) fn block_bytes(types: &Types, uniforms: &[Uniform]) -> u64 {
    // Alignment and size of each type, parts before what consists of them.
    let mut layouts: Vec<(Type, u64, u64)> = Vec::new();
    let layout = |layouts: &[(Type, u64, u64)], ty: Type| {
        let at = layouts.binary_search_by_key(&ty, |&(ty, ..)| ty).expect("parts come first");
        (layouts[at].1, layouts[at].2)
    };
    let place = |end: u64, (align, size): (u64, u64)| end.next_multiple_of(align) + size;
    for ty in types.all() {
        let (align, size) = match *types.kind(ty) {
            // A variant is no uniform.
            TypeKind::Scalar(_) | TypeKind::Variant(_) => (4, 4),
            TypeKind::Vector(_, 2) => (8, 8),
            TypeKind::Vector(_, n) => (16, 4 * u64::from(n)),
            TypeKind::Matrix(_, n) => (16, 16 * u64::from(n)),
            TypeKind::Array(element, count) => {
                let (_, size) = layout(&layouts, element);
                (16, size.next_multiple_of(16) * u64::from(count))
            }
            TypeKind::Structure(_) => {
                let end = types.parts(ty).fold(0, |end, part| place(end, layout(&layouts, part)));
                (16, end.next_multiple_of(16))
            }
        };
        layouts.push((ty, align, size));
    }
    uniforms.iter().fold(0, |end, uniform| place(end, layout(&layouts, uniform.ty)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays_take_multiples_of_sixteen_bytes() {
        let mut types = Types::default();
        let array = types.add_array(Type::NUM, 3).expect("is small");
        let uniform = |ty| Uniform { name: String::new(), ty, default: [].into() };
        let bytes = |all: &[Type]| {
            block_bytes(&types, &all.iter().map(|&ty| uniform(ty)).collect::<Vec<_>>())
        };
        assert_eq!(bytes(&[Type::NUM, Type::vec(3), Type::NUM]), 32);
        assert_eq!(bytes(&[Type::NUM, array, Type::NUM]), 68);
        assert_eq!(bytes(&[Type::mat(3)]), 48);
    }
}
