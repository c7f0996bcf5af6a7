//! Defaults and size of uniforms.

use lambdav_core::graph::Uniform;
use lambdav_core::layout::{Layout, Rules};
use lambdav_core::types::{Type, TypeKind, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The bytes of uniforms that Vulkan guarantees.
pub(super) const GUARANTEED_BYTES: u64 = 16_384;

/// The words of missing defaults, made once for each type.
#[derive(Debug, Default)]
pub(super) struct Zeros(FxHashMap<Type, Arc<[u32]>>);

impl Zeros {
    /// The words of the default of a uniform that declares none: zeros, but identity matrices.
    pub(super) fn of(&mut self, types: &Types, ty: Type) -> Arc<[u32]> {
        Arc::clone(self.0.entry(ty).or_insert_with(|| zero_or_identity(types, ty)))
    }
}

fn zero_or_identity(types: &Types, ty: Type) -> Arc<[u32]> {
    let mut words = vec![0; types.components(ty)];
    // Types, each with the index of its first component.
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
            TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::Variant(_)
            | TypeKind::Resource(_) => {}
        }
    }
    words.into()
}

/// The bytes that the uniforms take in their block.
pub(super) fn block_bytes(types: &Types, uniforms: &[Uniform]) -> u64 {
    let (layout, mut end) = (Layout::new(types, Rules::Std140), 0);
    for uniform in uniforms {
        layout.place(uniform.ty, &mut end);
    }
    end
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
