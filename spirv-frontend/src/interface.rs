//! What a module wants from outside, after it has been raised, and how that lies in memory.

use lambdav_core::inputs::{Input, Inputs};
use lambdav_core::types::{Scalar, Type};
use lambdav_spirv::Binding;
use std::collections::BTreeMap;

/// A member of a block that is a uniform of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockMember {
    /// The index of the uniform.
    pub uniform: usize,
    /// Its block.
    pub binding: Binding,
    /// The name of the block; may be empty.
    pub block: String,
    /// What the module calls it; if it has no name, its number in the block.
    pub member: String,
    /// The bytes in front of each word of its value.
    pub offsets: Vec<u32>,
}

impl BlockMember {
    /// The words of the value in a block of these bytes; `None` where it is too short.
    pub fn words(&self, block: &[u8]) -> Option<Box<[u32]>> {
        let word = |&offset: &u32| {
            let bytes = block.get(offset as usize..)?.first_chunk::<4>()?;
            Some(u32::from_le_bytes(*bytes))
        };
        self.offsets.iter().map(word).collect()
    }
}

/// What a full-screen picture gives an input of that location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocationSource {
    /// `frag-coord` divided by the resolution: (0, 0) at the upper left, (1, 1) at the lower right.
    Uv,
    /// `frag-coord`.
    Position,
}

/// An input of a location.
#[derive(Clone, Debug, PartialEq)]
pub struct LocationInput {
    /// The location.
    pub location: u32,
    /// What the module calls it; may be empty.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it comes from; `None` if it is the uniform of that index.
    pub source: Result<LocationSource, usize>,
}

/// A texture or buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundResource {
    /// Its name among the program's resources.
    pub name: String,
    /// Where it is bound.
    pub binding: Binding,
}

/// An input that the module declares and the entry point does not use: a block, a texture, a buffer, or the input of a
/// location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnusedInput {
    /// What it can be called: its name, and `SET.BINDING` or `push`.
    pub names: Vec<String>,
    /// The names of the members of a block.
    pub members: Vec<String>,
    /// Its location, if it has one.
    pub location: Option<u32>,
}

/// A part of a uniform that is an input of λV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenInput {
    /// The index of the uniform.
    pub uniform: usize,
    /// The first of its words that are the input's.
    pub start: usize,
    /// The input.
    pub input: Input,
    /// What its components become.
    pub scalar: Scalar,
}

impl GivenInput {
    /// The words of the input, as the uniform has them.
    pub fn words(&self, inputs: &Inputs) -> Vec<u32> {
        let word = |&component: &f32| match self.scalar {
            Scalar::I32 => component as i32 as u32,
            Scalar::U32 => component as u32,
            Scalar::F32 | Scalar::Bool => component.to_bits(),
        };
        inputs.get(self.input).iter().map(word).collect()
    }
}

/// What a module wants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The entry point that was raised.
    pub entry_point: String,
    /// Uniforms that lie in blocks.
    pub members: Vec<BlockMember>,
    /// Inputs of locations.
    pub locations: Vec<LocationInput>,
    /// Textures and buffers, in the order of their numbers.
    pub resources: Vec<BoundResource>,
    /// Inputs of λV that the module has under their own names.
    pub inputs: Vec<Input>,
    /// Parts of uniforms that are inputs of λV, as the options say; the program does not read them as uniforms.
    pub given: Vec<GivenInput>,
    /// Inputs that are declared and not used.
    pub unused: Vec<UnusedInput>,
}

/// How to raise.
#[derive(Clone, Debug, Default)]
pub struct RaiseOptions {
    /// The name of the entry point; without it the module must have one fragment entry point only, or one
    /// that is called `main`.
    pub entry_point: Option<String>,
    /// The colour that a pixel keeps that is discarded.
    pub clear: [f32; 4],
    /// Where inputs of locations come from; all others are uniforms, whose default is zero.
    pub locations: BTreeMap<u32, LocationSource>,
    /// Values in blocks that are inputs of λV: their block, and the byte where they begin. They have as many components as
    /// the input, of any kind of number.
    pub inputs: BTreeMap<(Binding, u32), Input>,
}
