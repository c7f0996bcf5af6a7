//! Data for textures and buffers.

use crate::buffers::elements;
use crate::textures::texels;
use lambdav_core::resource::Bound;
use lambdav_core::types::{Resource, ResourceKind, Types};
use lambdav_test_support::Random;
use std::sync::Arc;

/// Data for each texture and buffer of a program. The name alone decides the data.
pub fn resources(types: &Types) -> Vec<Bound> {
    let data = |resource: &Arc<Resource>| {
        let next = |hash: u64, byte: u8| hash.wrapping_mul(31).wrapping_add(byte.into());
        let mut random = Random::new(resource.name.bytes().fold(0, next));
        match resource.kind {
            ResourceKind::Texture(options) => Bound::Texture(texels(&mut random, options).into()),
            ResourceKind::Buffer(element) => {
                Bound::Buffer(elements(&mut random, types, element).into())
            }
            ResourceKind::Memory(_) => Bound::Nothing,
        }
    };
    types.resources().iter().map(data).collect()
}
