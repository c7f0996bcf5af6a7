//! The memory that a shader shares with the world, laid out as LANGUAGE §5 says.

use lambdav_core::inputs::Inputs;
use lambdav_core::texture::TextureData;
use lambdav_core::types::{Type, TypeKind, Types};
use std::sync::Arc;

/// How many words the block of push constants has.
pub const PUSH_CONSTANT_WORDS: usize = 8;

/// A member of the uniform block of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its type in λV.
    pub ty: Type,
    /// Where it begins, in words.
    pub at: usize,
    /// How many words lie between the beginnings of a matrix's columns.
    pub stride: usize,
}

/// A texture of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureBinding {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its number in the descriptor set.
    pub binding: u32,
}

/// Push constants, uniform block and textures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    pub(super) push_constants: [u32; PUSH_CONSTANT_WORDS],
    pub(super) uniforms: Vec<u32>,
    /// By their bindings.
    pub(super) textures: Vec<(u32, Arc<TextureData>)>,
}

impl Resources {
    /// The words of the block of push constants.
    pub fn push_constants(&self) -> &[u32; PUSH_CONSTANT_WORDS] {
        &self.push_constants
    }

    /// The words of the uniform block.
    pub fn uniforms(&self) -> &[u32] {
        &self.uniforms
    }

    /// For a program with uniforms of these types, of that table; `inputs` has their values, and its
    /// textures, which are bound from 1 on.
    pub fn new(inputs: &Inputs, types: &Types, of: impl IntoIterator<Item = Type>) -> Self {
        let mut uniforms = Vec::new();
        for (ty, value) in of.into_iter().zip(&inputs.uniforms) {
            put(types, ty, value, &mut uniforms);
        }
        let [x, y] = inputs.resolution;
        let [a, b, c, d] = inputs.mouse;
        let push_constants = [x, y, inputs.time, inputs.frame, a, b, c, d].map(f32::to_bits);
        let textures = (1..).zip(inputs.textures.iter().cloned()).collect();
        Self { push_constants, uniforms, textures }
    }

    /// The textures and their bindings.
    pub fn textures(&self) -> &[(u32, Arc<TextureData>)] {
        &self.textures
    }

    /// Changes what `(time)` and `(frame)` are.
    pub fn set_time(&mut self, time: f32, frame: f32) {
        [self.push_constants[2], self.push_constants[3]] = [time, frame].map(f32::to_bits);
    }

    /// For a module with such a uniform block; the values in `inputs` are those of its members, in
    /// order, and so are the textures.
    pub fn for_members(inputs: &Inputs, members: &[Member], textures: &[TextureBinding]) -> Self {
        let mut resources = Self::new(inputs, &Types::default(), []);
        let bindings = textures.iter().map(|texture| texture.binding);
        resources.textures = bindings.zip(inputs.textures.iter().cloned()).collect();
        for (member, value) in members.iter().zip(&inputs.uniforms) {
            let (columns, stride) = match member.ty.builtin() {
                Some(TypeKind::Matrix(_, n)) => (usize::from(n), member.stride),
                _ => (1, 0),
            };
            let rows = value.len() / columns;
            for (k, column) in value.chunks(rows.max(1)).enumerate() {
                let at = member.at + k * stride;
                if resources.uniforms.len() < at + rows {
                    resources.uniforms.resize(at + rows, 0);
                }
                resources.uniforms[at..at + rows].copy_from_slice(column);
            }
        }
        resources
    }
}

/// Appends a value in the layout std140. (Types nest a few hundred deep at most.)
fn put(types: &Types, ty: Type, value: &[u32], words: &mut Vec<u32>) {
    let large = 4;
    match *types.kind(ty) {
        TypeKind::Scalar(_) | TypeKind::Vector(..) => {
            align(words, if value.len() == 3 { large } else { value.len() });
            words.extend_from_slice(value);
        }
        // Columns lie like elements of an array; so do fields, but for the room between them.
        _ => {
            align(words, large);
            let is_structure = types.structure(ty).is_some();
            for index in 0..types.parts(ty).len() {
                let (part, first) = types.part(ty, index).expect("there are so many");
                put(types, part, &value[first..][..types.components(part)], words);
                if !is_structure {
                    align(words, large);
                }
            }
            align(words, large);
        }
    }
}

fn align(words: &mut Vec<u32>, to: usize) {
    words.resize(words.len().next_multiple_of(to), 0);
}
