//! Images: which texture an id stands for, and what is read of it.

use super::binary::Instruction;
use super::code::Step;
use super::error::LoadError;
use super::values::{ComponentType, Entity, Ids, SpirvType, ValueType};
use rspirv::spirv::{ImageOperands, Op};

/// What an instruction loads from a pointer to a texture, or takes of what was loaded; nothing for
/// other instructions.
pub(super) fn image(ids: &Ids, instruction: &Instruction<'_>) -> Result<Option<Entity>, LoadError> {
    let (entity, wanted) = match instruction.op {
        Op::Load => match ids.get(instruction.operand(2)?) {
            Some(&Entity::Texture(number)) => {
                (Entity::SampledImage(number), SpirvType::SampledImage)
            }
            _ => return Ok(None),
        },
        Op::Image => match ids.get(instruction.operand(2)?) {
            Some(&Entity::SampledImage(number)) => (Entity::Image(number), SpirvType::Image),
            _ => return Err(instruction.malformed("not of an image with a sampler")),
        },
        _ => return Ok(None),
    };
    instruction.exactly(3)?;
    let found = ids.ty(instruction, instruction.operand(0)?)?;
    if std::mem::discriminant(found) != std::mem::discriminant(&wanted) {
        return Err(instruction.malformed("its result is of another type"));
    }
    Ok(Some(entity))
}

/// An instruction that reads an image, with a result of that type.
pub(super) fn read(
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Step, LoadError> {
    let Some(&Entity::Image(texture)) = ids.get(instruction.operand(2)?) else {
        return Err(instruction.malformed("not of an image"));
    };
    let wants = |is_so: bool| match is_so {
        true => Ok(()),
        false => Err(instruction.malformed("its result is of another type")),
    };
    // Integers, with signs or without: a place outside is none in either case.
    let integers = |index, count: u8| {
        let (from, at) = ids.value(instruction, instruction.operand(index)?)?;
        match from.scalar.is_integer()
            && from == (ValueType { rows: count, ..from.of(from.scalar) })
        {
            true => Ok(at),
            false => Err(instruction.malformed("an operand is of another type")),
        }
    };
    let is_pair = kind == ValueType { rows: 2, ..ValueType::scalar(kind.scalar) };
    match instruction.op {
        Op::ImageFetch => {
            instruction.exactly(6)?;
            wants(kind == ValueType::numbers(4))?;
            if instruction.operand(4)? != ImageOperands::LOD.bits() {
                let what = "a fetch that does not say the level alone".into();
                return Err(LoadError::Unknown { what, at: instruction.at });
            }
            Ok(Step::Fetch { to, texture, place: integers(3, 2)?, level: integers(5, 1)? })
        }
        Op::ImageQuerySizeLod => {
            instruction.exactly(4)?;
            wants(kind.scalar.is_integer() && is_pair)?;
            Ok(Step::Size { to, texture, level: integers(3, 1)? })
        }
        _ => {
            instruction.exactly(3)?;
            wants(
                kind.is_scalar() && matches!(kind.scalar, ComponentType::Int | ComponentType::Uint),
            )?;
            Ok(Step::Levels { to, texture })
        }
    }
}
