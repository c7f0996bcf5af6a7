//! The interface of a program that comes from a module: its entry point, and its inputs by set, number and the author's name.
//!
//! The program has uniforms, textures and buffers, by their numbers. The interface tells where each lay in the module: in
//! which block, at which bytes, under which name. It knows no SPIR-V.

use crate::inputs::{Input, Inputs};
use crate::types::{Scalar, Type};
use std::fmt;

/// Where a block is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// Under that number of a descriptor set.
    Descriptor {
        /// The set.
        set: u32,
        /// The number.
        binding: u32,
    },
    /// As push constants.
    PushConstants,
}

impl Binding {
    /// The descriptor set and the number there; of push constants none.
    pub fn descriptor(self) -> Option<[u32; 2]> {
        match self {
            Self::Descriptor { set, binding } => Some([set, binding]),
            Self::PushConstants => None,
        }
    }
}

/// `0.1`, or `push`.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Descriptor { set, binding } => write!(f, "{set}.{binding}"),
            Self::PushConstants => f.write_str("push"),
        }
    }
}

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

/// A part of a uniform that has the value of an input of λV.
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

/// The interface of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The entry point.
    pub entry_point: String,
    /// Uniforms that lie in blocks.
    pub members: Vec<BlockMember>,
    /// Inputs of locations.
    pub locations: Vec<LocationInput>,
    /// Textures and buffers, in the order of their numbers.
    pub resources: Vec<BoundResource>,
    /// Inputs of λV that the module has under their own names.
    pub inputs: Vec<Input>,
    /// Inputs that are declared and not used.
    pub unused: Vec<UnusedInput>,
}
