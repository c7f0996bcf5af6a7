//! Types as a module declares them.

use super::words::Instruction;
use crate::error::Result;
use lambdav_core::texture::{Texels, TextureKind};
use rspirv::spirv::{Dim, Op, StorageClass};

/// A type; its parts are ids of other types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModuleType {
    Void,
    Bool,
    /// 32 bits; true if signed.
    Int(bool),
    Float,
    /// Component type and count.
    Vector(u32, u8),
    /// Column type and count.
    Matrix(u32, u8),
    /// Element type, and the id of the constant length.
    Array(u32, u32),
    RuntimeArray(u32),
    Structure(Vec<u32>),
    Pointer(StorageClass, u32),
    Function(u32),
    /// An image of floats that is only read.
    Image(ImageType),
    Sampler,
    /// A combined image sampler; id of the image type.
    SampledImage(u32),
    /// An unsupported type, described in words.
    Other(String),
}

/// The type that an instruction declares, if any.
pub(crate) fn declared(instruction: &Instruction<'_>) -> Result<Option<ModuleType>> {
    let operand = |index| instruction.operand(index);
    let count = |index| {
        let count = instruction.operand(index)?;
        match u8::try_from(count) {
            Ok(count @ 2..=4) => Ok(count),
            _ => Err(instruction.unsupported(&format!("{count} components"))),
        }
    };
    Ok(Some(match instruction.op {
        Op::TypeVoid => ModuleType::Void,
        Op::TypeBool => ModuleType::Bool,
        Op::TypeInt => match operand(1)? {
            32 => ModuleType::Int(operand(2)? != 0),
            width => ModuleType::Other(format!("integers of {width} bits")),
        },
        Op::TypeFloat => match operand(1)? {
            32 => ModuleType::Float,
            width => ModuleType::Other(format!("numbers of {width} bits")),
        },
        Op::TypeVector => ModuleType::Vector(operand(1)?, count(2)?),
        Op::TypeMatrix => ModuleType::Matrix(operand(1)?, count(2)?),
        Op::TypeArray => ModuleType::Array(operand(1)?, operand(2)?),
        Op::TypeRuntimeArray => ModuleType::RuntimeArray(operand(1)?),
        Op::TypeStruct => ModuleType::Structure(instruction.rest(1).to_vec()),
        Op::TypePointer => match StorageClass::from_u32(operand(1)?) {
            Some(class) => ModuleType::Pointer(class, operand(2)?),
            None => return Err(instruction.malformed("there is no such storage class")),
        },
        Op::TypeFunction => ModuleType::Function(operand(1)?),
        Op::TypeSampler => ModuleType::Sampler,
        Op::TypeSampledImage => ModuleType::SampledImage(operand(1)?),
        Op::TypeImage => image(instruction)?,
        Op::TypeForwardPointer | Op::TypeOpaque => {
            return Err(instruction.unsupported("there are no such values"));
        }
        other => {
            let name = format!("{other:?}");
            match name.strip_prefix("Type") {
                Some(_) => ModuleType::Other(format!("values of Op{name}")),
                None => return Ok(None),
            }
        }
    }))
}

fn image(instruction: &Instruction<'_>) -> Result<ModuleType> {
    let operand = |index| instruction.operand(index);
    let other = |what: &str| Ok(ModuleType::Other(what.to_owned()));
    let shape = match Dim::from_u32(operand(2)?) {
        Some(Dim::Dim1D) => ImageShape::Line,
        Some(Dim::Dim2D) => ImageShape::Plane,
        Some(Dim::Dim3D) => ImageShape::Volume,
        Some(Dim::DimCube) => ImageShape::Cube,
        Some(Dim::DimRect) => ImageShape::Rectangle,
        Some(Dim::DimBuffer) => ImageShape::Buffer,
        Some(Dim::DimSubpassData) => ImageShape::Subpass,
        Some(dimension) => return other(&format!("images of {dimension:?}")),
        None => return Err(instruction.malformed("there is no such dimension")),
    };
    let [is_array, is_multisampled] = [operand(4)? == 1, operand(5)? == 1];
    let has_layers = matches!(shape, ImageShape::Line | ImageShape::Plane | ImageShape::Cube);
    let has_samples = matches!(shape, ImageShape::Plane | ImageShape::Subpass);
    if is_array && !has_layers || is_multisampled && !has_samples {
        return Err(instruction.malformed("no image of this dimension is arrayed or multisampled"));
    }
    match operand(6)? {
        _ if is_array && is_multisampled => other("arrays of multisampled textures"),
        2 if shape != ImageShape::Subpass => other("images that are written"),
        _ => Ok(ModuleType::Image(ImageType {
            shape,
            is_array,
            is_multisampled,
            texels: Texels::Numbers,
        })),
    }
}

/// The type of an image that is only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageType {
    pub(crate) shape: ImageShape,
    /// Lines, planes or cubes are layers.
    pub(crate) is_array: bool,
    pub(crate) is_multisampled: bool,
    pub(crate) texels: Texels,
}

/// The dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageShape {
    /// One row of texels.
    Line,
    Plane,
    /// A plane whose places are in texels.
    Rectangle,
    Volume,
    Cube,
    /// A texel buffer: its texels are numbered, row by row.
    Buffer,
    /// A plane that is read at the place of the fragment.
    Subpass,
}

impl ImageType {
    /// The kind of the texture's planes. A multisampled image has samples as planes.
    pub(crate) fn kind(self) -> TextureKind {
        match self.shape {
            ImageShape::Volume => TextureKind::Volume,
            ImageShape::Cube if self.is_array => TextureKind::CubeArray,
            ImageShape::Cube => TextureKind::Cube,
            _ if self.is_array || self.is_multisampled => TextureKind::Array,
            _ => TextureKind::Flat,
        }
    }

    /// Components of a place, without a layer; of a cube, of a direction.
    pub(crate) fn axes(self) -> usize {
        match self.shape {
            ImageShape::Line | ImageShape::Buffer => 1,
            ImageShape::Plane | ImageShape::Rectangle | ImageShape::Subpass => 2,
            ImageShape::Volume | ImageShape::Cube => 3,
        }
    }

    /// Components of a place, with the layer.
    pub(crate) fn components(self) -> usize {
        self.axes() + usize::from(self.is_array)
    }

    /// True if it may be read by a sampler.
    pub(crate) fn is_sampled(self) -> bool {
        !self.is_multisampled && !matches!(self.shape, ImageShape::Buffer | ImageShape::Subpass)
    }
}
