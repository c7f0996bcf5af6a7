//! Images: the texture that an id refers to, and reads of it.

use super::binary::Instruction;
use super::code::Step;
use super::error::LoadError;
use super::options::Undefined;
use super::values::{
    ComponentType, Entity, Ids, OpaqueType, SpirvType, ValueType, components_of_move,
    components_of_place,
};
use lambdav_core::texture::TextureKind;
use rspirv::spirv::{ImageOperands, Op};

/// The texture or sampler that an instruction loads, copies or combines; `None` for other instructions.
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
            Some((OpaqueType::SampledImage(kind), false, place)) => {
                (OpaqueType::Image(kind), place)
            }
            _ => return Err(instruction.malformed("not of an image with a sampler")),
        },
        Op::SampledImage => match (found(2)?, found(3)?) {
            (
                Some((OpaqueType::Image(kind), false, place)),
                Some((OpaqueType::Sampler, false, _)),
            ) => (OpaqueType::SampledImage(kind), place),
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

/// The optional image operands that have an effect.
#[derive(Default)]
struct Optional {
    bias: Option<u32>,
    level: Option<u32>,
    gradients: Option<[u32; 2]>,
    offset: Option<u32>,
}

/// The optional image operands from that index on.
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
            ImageOperands::BIAS => {
                all.bias = operand;
                1
            }
            ImageOperands::LOD => {
                all.level = operand;
                1
            }
            ImageOperands::GRAD => {
                all.gradients =
                    operand.zip(instruction.operands.get(next + 1).copied()).map(<[_; 2]>::from);
                2
            }
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

/// Place of the number of the texture that an instruction reads, and its kind.
fn texture(
    ids: &Ids,
    instruction: &Instruction<'_>,
    with_sampler: bool,
) -> Result<(usize, TextureKind), LoadError> {
    match ids.get(instruction.operand(2)?) {
        Some(&Entity::Opaque { of: OpaqueType::SampledImage(kind), is_pointer: false, place })
            if with_sampler =>
        {
            Ok((place, kind))
        }
        Some(&Entity::Opaque { of: OpaqueType::Image(kind), is_pointer: false, place })
            if !with_sampler =>
        {
            Ok((place, kind))
        }
        _ => Err(instruction.malformed("not of an image")),
    }
}

/// Place of a vector of `count` integers, signed or unsigned.
fn integers(
    ids: &Ids,
    instruction: &Instruction<'_>,
    id: u32,
    count: u8,
) -> Result<usize, LoadError> {
    let (from, at) = ids.value(instruction, id)?;
    match from.scalar.is_integer() && from == (ValueType { rows: count, ..from.of(from.scalar) }) {
        true => Ok(at),
        false => Err(instruction.malformed("an operand is of another type")),
    }
}

/// Operands of a sample.
pub(super) struct Sample {
    pub(super) texture: usize,
    pub(super) kind: TextureKind,
    /// Place of a vector of floats.
    pub(super) place: usize,
    pub(super) offset: Option<usize>,
    /// Level of detail, gradients, and bias, if given.
    pub(super) level: Option<usize>,
    pub(super) gradients: Option<[usize; 2]>,
    pub(super) bias: Option<usize>,
}

/// The operands of a sample with a result of type `kind`; `None` for other instructions.
pub(super) fn sample(
    undefined: Undefined,
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
) -> Result<Option<Sample>, LoadError> {
    let (Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod) = instruction.op else {
        return Ok(None);
    };
    let (texture, of) = texture(ids, instruction, true)?;
    if undefined == Undefined::Marked {
        let what = "an image sample, which depends on a sampler's state,".into();
        return Err(LoadError::Unknown { what, at: instruction.at });
    }
    if kind != ValueType::numbers(4) {
        return Err(instruction.malformed("its result is of another type"));
    }
    let numbers = |id: u32, least: usize| {
        let (of, place) = ids.value(instruction, id)?;
        match of.scalar == ComponentType::Float && !of.is_matrix() && of.words() >= least {
            true => Ok(place),
            false => Err(instruction.malformed("an operand is no vector of numbers")),
        }
    };
    let place = numbers(instruction.operand(3)?, components_of_place(of).into())?;
    let Optional { bias, level, gradients, offset } = optional(instruction, 4)?;
    let offset = offset.map(|id| integers(ids, instruction, id, components_of_move(of)));
    let offset = offset.transpose()?;
    let level = level.map(|id| numbers(id, 1)).transpose()?;
    let bias = bias.map(|id| numbers(id, 1)).transpose()?;
    let gradients = match gradients {
        Some([dx, dy]) => {
            let count = components_of_move(of).into();
            Some([numbers(dx, count)?, numbers(dy, count)?])
        }
        None => None,
    };
    Ok(Some(Sample { texture, kind: of, place, offset, level, gradients, bias }))
}

/// The step for an instruction that reads or queries an image; `None` for others, and for samples.
pub(super) fn read(
    undefined: Undefined,
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Option<Step>, LoadError> {
    let (Op::ImageFetch
    | Op::ImageRead
    | Op::ImageQuerySize
    | Op::ImageQuerySizeLod
    | Op::ImageQueryLevels) = instruction.op
    else {
        return Ok(None);
    };
    let (texture, of) = texture(ids, instruction, false)?;
    let wants = |is_so: bool| match is_so {
        true => Ok(()),
        false => Err(instruction.malformed("its result is of another type")),
    };
    let integers_of = |id: u32, count: u8| integers(ids, instruction, id, count);
    let integers = |index, count: u8| integers_of(instruction.operand(index)?, count);
    // The faces of a cube are squares.
    let axes = if of == TextureKind::Cube { 2 } else { of.axes() };
    let is_size = kind == ValueType { rows: axes, ..ValueType::scalar(kind.scalar) };
    Ok(Some(match instruction.op {
        Op::ImageFetch | Op::ImageRead => {
            wants(kind == ValueType::numbers(4))?;
            let is_known = instruction.operands.len() == 6
                && instruction.op == Op::ImageFetch
                && instruction.operand(4)? == ImageOperands::LOD.bits();
            if undefined == Undefined::Marked && !is_known {
                let what = "a fetch that does not say the level alone".into();
                return Err(LoadError::Unknown { what, at: instruction.at });
            }
            let Optional { level, offset, .. } = optional(instruction, 4)?;
            let level = level.map(|id| integers_of(id, 1)).transpose()?;
            let offset = offset.map(|id| integers_of(id, components_of_move(of))).transpose()?;
            // Further components of the coordinate are unused.
            let (ty, place) = ids.value(instruction, instruction.operand(3)?)?;
            if !ty.scalar.is_integer() || ty.rows < of.axes() || ty.aggregate.is_some() {
                return Err(instruction.malformed("its place is no vector of integers"));
            }
            Step::Fetch { to, texture, kind: of, place, offset, level }
        }
        Op::ImageQuerySizeLod => {
            instruction.exactly(4)?;
            wants(kind.scalar.is_integer() && is_size)?;
            Step::Size { to, texture, kind: of, level: Some(integers(3, 1)?) }
        }
        Op::ImageQuerySize => {
            instruction.exactly(3)?;
            wants(kind.scalar.is_integer() && is_size)?;
            Step::Size { to, texture, kind: of, level: None }
        }
        _ => {
            instruction.exactly(3)?;
            wants(kind.is_scalar() && kind.scalar.is_integer())?;
            Step::Levels { to, texture }
        }
    }))
}
