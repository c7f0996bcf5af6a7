//! Types as a module declares them.

use super::words::Instruction;
use crate::error::Result;
use lambdav_core::texture::TextureKind;
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
    /// A sampled image of floats, with one sample.
    Image(TextureKind),
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
    let dimension = Dim::from_u32(operand(2)?);
    let other = |what: &str| Ok(ModuleType::Other(what.to_owned()));
    let is_array = operand(4)? == 1;
    let kind = match dimension {
        Some(Dim::Dim2D) if is_array => TextureKind::Array,
        Some(Dim::Dim2D) => TextureKind::Flat,
        Some(Dim::Dim3D) => TextureKind::Volume,
        Some(Dim::DimCube) if is_array => TextureKind::CubeArray,
        Some(Dim::DimCube) => TextureKind::Cube,
        Some(Dim::Dim1D) => return other("1D textures"),
        Some(Dim::DimRect) => return other("rectangle textures"),
        Some(Dim::DimBuffer) => return other("texel buffers"),
        Some(Dim::DimSubpassData) => return other("subpass inputs"),
        Some(dimension) => return other(&format!("images of {dimension:?}")),
        None => return Err(instruction.malformed("there is no such dimension")),
    };
    match [operand(3)?, operand(4)?, operand(5)?, operand(6)?] {
        [1, ..] => other("textures with depth comparison"),
        [_, _, 1, _] => other("multisampled textures"),
        [.., 2] => other("images that are written"),
        _ => Ok(ModuleType::Image(kind)),
    }
}
