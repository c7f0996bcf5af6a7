//! Images: which texture an id stands for, and what is read of it.

use super::binary::Instruction;
use super::code::Step;
use super::error::LoadError;
use super::options::Undefined;
use super::values::{ComponentType, Entity, Ids, OpaqueType, SpirvType, ValueType};
use rspirv::spirv::{ImageOperands, Op};

/// What an instruction loads from a pointer to a texture or sampler, or makes of what was loaded; nothing for
/// other instructions.
pub(super) fn opaque(
    ids: &Ids,
    instruction: &Instruction<'_>,
) -> Result<Option<Entity>, LoadError> {
    let found = |index| match ids.get(instruction.operand(index)?) {
        Some(&Entity::Opaque { of, is_pointer, place }) => Ok(Some((of, is_pointer, place))),
        _ => Ok(None),
    };
    let (of, place) = match instruction.op {
        Op::Load => match found(2)? {
            Some((of, true, place)) => (of, place),
            _ => return Ok(None),
        },
        Op::CopyObject => match found(2)? {
            Some((of, false, place)) => (of, place),
            _ => return Ok(None),
        },
        Op::Image => match found(2)? {
            Some((OpaqueType::SampledImage, false, place)) => (OpaqueType::Image, place),
            _ => return Err(instruction.malformed("not of an image with a sampler")),
        },
        Op::SampledImage => match (found(2)?, found(3)?) {
            (Some((OpaqueType::Image, false, place)), Some((OpaqueType::Sampler, false, _))) => {
                (OpaqueType::SampledImage, place)
            }
            _ => return Err(instruction.malformed("not of an image and a sampler")),
        },
        _ => return Ok(None),
    };
    match ids.ty(instruction, instruction.operand(0)?)? {
        SpirvType::Opaque(wanted) if *wanted == of => {
            Ok(Some(Entity::Opaque { of, is_pointer: false, place }))
        }
        _ => Err(instruction.malformed("its result is of another type")),
    }
}

/// The optional operands that say something here.
#[derive(Default)]
struct Optional {
    level: Option<u32>,
    offset: Option<u32>,
}

/// The optional operands of an instruction, from that index on.
fn optional(instruction: &Instruction<'_>, from: usize) -> Result<Optional, LoadError> {
    let mut all = Optional::default();
    let Some(&mask) = instruction.operands.get(from) else { return Ok(all) };
    let unknown = |what: String| Err(LoadError::Unknown { what, at: instruction.at });
    let Some(mask) = ImageOperands::from_bits(mask) else {
        return unknown("operands of an image that are not known".into());
    };
    let mut next = from + 1;
    for one in mask.iter() {
        let operand = instruction.operands.get(next).copied();
        let count = match one {
            ImageOperands::BIAS => 1,
            ImageOperands::LOD => {
                all.level = operand;
                1
            }
            ImageOperands::GRAD => 2,
            ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => {
                all.offset = operand;
                1
            }
            ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND => 0,
            other => return unknown(format!("the operand {other:?} of an image")),
        };
        next += count;
    }
    instruction.exactly(next)?;
    Ok(all)
}

/// An instruction that reads an image, with a result of that type.
pub(super) fn read(
    undefined: Undefined,
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Option<Step>, LoadError> {
    let wanted = match instruction.op {
        Op::ImageFetch | Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels => {
            OpaqueType::Image
        }
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => OpaqueType::SampledImage,
        _ => return Ok(None),
    };
    let texture = match ids.get(instruction.operand(2)?) {
        Some(&Entity::Opaque { of, is_pointer: false, place }) if of == wanted => place,
        _ => return Err(instruction.malformed("not of an image")),
    };
    let wants = |is_so: bool| match is_so {
        true => Ok(()),
        false => Err(instruction.malformed("its result is of another type")),
    };
    // Integers, with signs or without.
    let integers_of = |id: u32, count: u8| {
        let (from, at) = ids.value(instruction, id)?;
        match from.scalar.is_integer()
            && from == (ValueType { rows: count, ..from.of(from.scalar) })
        {
            true => Ok(at),
            false => Err(instruction.malformed("an operand is of another type")),
        }
    };
    let integers = |index, count: u8| integers_of(instruction.operand(index)?, count);
    let is_pair = kind == ValueType { rows: 2, ..ValueType::scalar(kind.scalar) };
    Ok(Some(match instruction.op {
        Op::ImageFetch => {
            wants(kind == ValueType::numbers(4))?;
            let is_known = instruction.operands.len() == 6
                && instruction.operand(4)? == ImageOperands::LOD.bits();
            if undefined == Undefined::Marked && !is_known {
                let what = "a fetch that does not say the level alone".into();
                return Err(LoadError::Unknown { what, at: instruction.at });
            }
            let Optional { level, offset } = optional(instruction, 4)?;
            let level = level.map(|id| integers_of(id, 1)).transpose()?;
            let offset = offset.map(|id| integers_of(id, 2)).transpose()?;
            Step::Fetch { to, texture, place: integers(3, 2)?, offset, level }
        }
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => {
            if undefined == Undefined::Marked {
                let what = "a sample, which a sampler decides,".into();
                return Err(LoadError::Unknown { what, at: instruction.at });
            }
            wants(kind == ValueType::numbers(4))?;
            let (of, place) = ids.value(instruction, instruction.operand(3)?)?;
            if of.scalar != ComponentType::Float || of.is_matrix() || of.words() < 2 {
                return Err(instruction.malformed("its place is no vector of numbers"));
            }
            let offset = optional(instruction, 4)?.offset;
            let offset = offset.map(|id| integers_of(id, 2)).transpose()?;
            Step::Sample { to, texture, place, offset }
        }
        Op::ImageQuerySizeLod => {
            instruction.exactly(4)?;
            wants(kind.scalar.is_integer() && is_pair)?;
            Step::Size { to, texture, level: Some(integers(3, 1)?) }
        }
        Op::ImageQuerySize => {
            instruction.exactly(3)?;
            wants(kind.scalar.is_integer() && is_pair)?;
            Step::Size { to, texture, level: None }
        }
        _ => {
            instruction.exactly(3)?;
            wants(kind.is_scalar() && kind.scalar.is_integer())?;
            Step::Levels { to, texture }
        }
    }))
}
