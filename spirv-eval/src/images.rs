//! Images: the texture that an id refers to, and reads of it.

use super::binary::Instruction;
use super::code::{Sample, SampleResult, Step};
use super::error::LoadError;
use super::options::Undefined;
use super::values::{ComponentType, Entity, Ids, ImageType, OpaqueType, SpirvType, ValueType};
use rspirv::spirv::{Dim, ImageOperands, Op};

/// The texture or sampler that an instruction loads, copies or combines; `None` for other instructions.
pub(super) fn opaque(
    ids: &Ids,
    instruction: &Instruction<'_>,
) -> Result<Option<Entity>, LoadError> {
    let found = |index| match ids.get(instruction.operand(index)?) {
        Some(&Entity::Opaque { of, is_pointer, place, sampler }) => {
            Ok(Some((of, is_pointer, [place, sampler])))
        }
        _ => Ok(None),
    };
    let (of, [place, sampler]) = match instruction.op {
        Op::Load => match found(2)? {
            Some((of, true, at)) => (of, at),
            _ => return Ok(None),
        },
        Op::CopyObject => match found(2)? {
            Some((of, false, at)) => (of, at),
            _ => return Ok(None),
        },
        Op::Image => match found(2)? {
            Some((OpaqueType::SampledImage(kind), false, at)) => (OpaqueType::Image(kind), at),
            _ => return Err(instruction.malformed("not of an image with a sampler")),
        },
        Op::SampledImage => match (found(2)?, found(3)?) {
            (
                Some((OpaqueType::Image(kind), false, [place, _])),
                Some((OpaqueType::Sampler, false, [_, sampler])),
            ) => (OpaqueType::SampledImage(kind), [place, sampler]),
            _ => return Err(instruction.malformed("not of an image and a sampler")),
        },
        _ => return Ok(None),
    };
    match ids.ty(instruction, instruction.operand(0)?)? {
        SpirvType::Opaque(wanted) if *wanted == of => {
            Ok(Some(Entity::Opaque { of, is_pointer: false, place, sampler }))
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
    /// An array of four.
    offsets: Option<u32>,
    sample: Option<u32>,
    least_level: Option<u32>,
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
            ImageOperands::CONST_OFFSETS => {
                all.offsets = operand;
                1
            }
            ImageOperands::SAMPLE => {
                all.sample = operand;
                1
            }
            ImageOperands::MIN_LOD => {
                all.least_level = operand;
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

/// Places of the numbers of the texture and the sampler that an instruction reads, and the image's type.
fn texture(
    ids: &Ids,
    instruction: &Instruction<'_>,
    with_sampler: bool,
) -> Result<([usize; 2], ImageType), LoadError> {
    match ids.get(instruction.operand(2)?) {
        Some(&Entity::Opaque { of, is_pointer: false, place, sampler }) => match of {
            OpaqueType::SampledImage(ty) if with_sampler => Ok(([place, sampler], ty)),
            OpaqueType::Image(ty) if !with_sampler => Ok(([place, sampler], ty)),
            _ => Err(instruction.malformed("not of an image")),
        },
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
pub(super) struct Sampled {
    /// The sample; its level and result are not known yet, nor its place if it is divided.
    pub(super) sample: Sample,
    /// The place and the reference are divided by the component behind the place.
    pub(super) is_divided: bool,
    /// Level of detail, gradients, and bias, if given.
    pub(super) level: Option<usize>,
    pub(super) gradients: Option<[usize; 2]>,
    pub(super) bias: Option<usize>,
}

/// The operands of a sample with a result of type `kind`; `None` for other instructions. `constant` has the words of constants.
pub(super) fn sample<'c>(
    undefined: Undefined,
    constant: impl Fn(u32) -> Option<&'c [u32]>,
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
) -> Result<Option<Sampled>, LoadError> {
    let [is_compared, is_divided] = match instruction.op {
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageGather
        | Op::ImageQueryLod => [false, false],
        Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod => [false, true],
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod | Op::ImageDrefGather => {
            [true, false]
        }
        Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod => [true, true],
        _ => return Ok(None),
    };
    let ([texture, sampler], ty) = texture(ids, instruction, true)?;
    if undefined == Undefined::Marked {
        let what = "an image sample, which depends on a sampler's state,".into();
        return Err(LoadError::Unknown { what, at: instruction.at });
    }
    if ty.is_multisampled || matches!(ty.dimension, Dim::DimBuffer | Dim::DimSubpassData) {
        return Err(instruction.malformed("no sampler reads such an image"));
    }
    let is_query = instruction.op == Op::ImageQueryLod;
    let gathers = matches!(instruction.op, Op::ImageGather | Op::ImageDrefGather);
    if gathers && !matches!(ty.dimension, Dim::Dim2D | Dim::DimCube | Dim::DimRect) {
        return Err(instruction.malformed("nothing is gathered of such an image"));
    }
    let rows = match () {
        () if is_query => 2,
        () if is_compared && !gathers => 1,
        () => 4,
    };
    let component = if is_query || is_compared { ComponentType::Float } else { ty.component };
    if kind != (ValueType { rows, ..ValueType::scalar(component) }) {
        return Err(instruction.malformed("its result is of another type"));
    }
    let numbers = |id: u32, least: usize| {
        let (of, place) = ids.value(instruction, id)?;
        match of.scalar == ComponentType::Float && !of.is_matrix() && of.words() >= least {
            true => Ok(place),
            false => Err(instruction.malformed("an operand is no vector of numbers")),
        }
    };
    let count = match is_query {
        true => ty.axes(),
        false => ty.components() + usize::from(is_divided),
    };
    let place = numbers(instruction.operand(3)?, count)?;
    let has_number = is_compared || instruction.op == Op::ImageGather;
    let reference = match is_compared {
        true => Some(numbers(instruction.operand(4)?, 1)?),
        false => None,
    };
    let all = optional(instruction, if has_number { 5 } else { 4 })?;
    let move_of = |id: u32| integers(ids, instruction, id, ty.axes() as u8);
    let offset = all.offset.map(move_of).transpose()?;
    let number = |id: Option<u32>| id.map(|id| numbers(id, 1)).transpose();
    let [level, bias, least_level] =
        [number(all.level)?, number(all.bias)?, number(all.least_level)?];
    let gradients = match all.gradients {
        Some([dx, dy]) => Some([numbers(dx, ty.axes())?, numbers(dy, ty.axes())?]),
        None => None,
    };
    let result = match instruction.op {
        Op::ImageQueryLod => SampleResult::Level,
        _ if gathers => {
            let component = match is_compared {
                true => 0,
                false => match constant(instruction.operand(4)?) {
                    Some(&[component @ 0..=3]) => component as usize,
                    _ => return Err(instruction.malformed("its component is no constant below 4")),
                },
            };
            let offsets = match all.offsets {
                Some(id) => {
                    let (of, place) = ids.value(instruction, id)?;
                    let element = of.aggregate.and_then(|of| match ids.get(of.ty) {
                        Some(&Entity::Type(SpirvType::Array(element, 4))) => Some(element),
                        _ => None,
                    });
                    let is_offset = |of: &ValueType| {
                        of.scalar.is_integer() && usize::from(of.rows) == ty.axes()
                    };
                    if element.filter(is_offset).is_none() {
                        return Err(instruction.malformed("its offsets are not four"));
                    }
                    Some(place)
                }
                None => None,
            };
            SampleResult::Gathered { component, offsets }
        }
        _ => SampleResult::Filtered,
    };
    let sample = Sample {
        to: 0,
        texture,
        sampler,
        ty,
        place,
        reference,
        offset,
        level: None,
        least_level,
        result,
    };
    Ok(Some(Sampled { sample, is_divided, level, gradients, bias }))
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
    | Op::ImageQueryLevels
    | Op::ImageQuerySamples) = instruction.op
    else {
        return Ok(None);
    };
    let ([texture, _], of) = texture(ids, instruction, false)?;
    let wants = |is_so: bool| match is_so {
        true => Ok(()),
        false => Err(instruction.malformed("its result is of another type")),
    };
    let integers_of = |id: u32, count: u8| integers(ids, instruction, id, count);
    let integers = |index, count: u8| integers_of(instruction.operand(index)?, count);
    let sides = of.sides() as u8;
    let is_size = kind == ValueType { rows: sides, ..ValueType::scalar(kind.scalar) };
    Ok(Some(match instruction.op {
        Op::ImageFetch | Op::ImageRead => {
            wants(kind == ValueType { rows: 4, ..ValueType::scalar(of.component) })?;
            let is_known = instruction.operands.len() == 6
                && instruction.op == Op::ImageFetch
                && instruction.operand(4)? == ImageOperands::LOD.bits();
            if undefined == Undefined::Marked && !is_known {
                let what = "a fetch that does not say the level alone".into();
                return Err(LoadError::Unknown { what, at: instruction.at });
            }
            let Optional { level, offset, sample, .. } = optional(instruction, 4)?;
            let level = level.map(|id| integers_of(id, 1)).transpose()?;
            let offset = offset.map(|id| integers_of(id, of.axes() as u8)).transpose()?;
            let sample = sample.map(|id| integers_of(id, 1)).transpose()?;
            // Further components of the coordinate are unused.
            let (ty, place) = ids.value(instruction, instruction.operand(3)?)?;
            if !ty.scalar.is_integer()
                || usize::from(ty.rows) < of.components()
                || ty.aggregate.is_some()
            {
                return Err(instruction.malformed("its place is no vector of integers"));
            }
            Step::Fetch { to, texture, ty: of, place, offset, level, sample }
        }
        Op::ImageQuerySizeLod => {
            instruction.exactly(4)?;
            wants(kind.scalar.is_integer() && is_size)?;
            Step::Size { to, texture, ty: of, level: Some(integers(3, 1)?) }
        }
        Op::ImageQuerySize => {
            instruction.exactly(3)?;
            wants(kind.scalar.is_integer() && is_size)?;
            Step::Size { to, texture, ty: of, level: None }
        }
        _ => {
            instruction.exactly(3)?;
            wants(kind.is_scalar() && kind.scalar.is_integer())?;
            match instruction.op {
                Op::ImageQuerySamples if of.is_multisampled => Step::Samples { to, texture },
                Op::ImageQuerySamples => return Err(instruction.malformed("not of samples")),
                _ => Step::Levels { to, texture },
            }
        }
    }))
}
