//! What a module declares: types, constants, and variables in the memory that it shares with the
//! world.

mod members;
mod memory;

use super::binary::{Instruction, name};
use super::error::LoadError;
use super::resources::{Member, ResourceBinding};
use super::values::{ComponentType, Entity, Ids, MAX_AGGREGATE, SpirvType, ValueType};
use rspirv::spirv::{Decoration, Dim, Op, StorageClass};
use rustc_hash::FxHashMap;

/// A variable that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) location: u32,
    /// How many components it has, and where they lie among the outputs' words.
    pub(super) components: usize,
    pub(super) at: usize,
}

/// A variable of the module's own.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) words: usize,
    /// What it holds before a pixel is computed, if that is said.
    pub(super) initial: Option<Box<[u32]>>,
    /// Whether something is stored in it.
    pub(super) is_written: bool,
}

/// The declarations so far.
#[derive(Debug, Default)]
pub(super) struct Globals {
    names: FxHashMap<(u32, Option<u32>), String>,
    decorations: FxHashMap<(u32, Option<u32>, Decoration), u32>,
    /// Index in `constants` by id.
    constant_ids: FxHashMap<u32, usize>,
    pub(super) constants: Vec<(usize, Box<[u32]>)>,
    pub(super) outputs: Vec<Output>,
    pub(super) output_words: usize,
    pub(super) uniforms: Vec<Member>,
    pub(super) uniform_words: usize,
    pub(super) resources: Vec<ResourceBinding>,
    pub(super) variables: Vec<Variable>,
    /// How many words these have.
    own_words: usize,
    has_uniforms: bool,
}

impl Globals {
    /// Remembers a name of an id or member.
    pub(super) fn name(&mut self, id: u32, member: Option<u32>, name: String) {
        self.names.insert((id, member), name);
    }

    /// Remembers a decoration.
    pub(super) fn decorate(
        &mut self,
        id: u32,
        member: Option<u32>,
        decoration: Decoration,
        value: u32,
    ) {
        self.decorations.insert((id, member, decoration), value);
    }

    /// The words of a constant.
    pub(super) fn constant(&self, id: u32) -> Option<&[u32]> {
        self.constant_ids.get(&id).map(|&index| &*self.constants[index].1)
    }

    /// A type, constant or variable.
    pub(super) fn declare(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let malformed = |what: &str| Err(instruction.malformed(what));
        let operand = |index| instruction.operand(index);
        let ty = match instruction.op {
            Op::TypeVoid => SpirvType::Void,
            Op::TypeBool => SpirvType::Value(ValueType::scalar(ComponentType::Bool)),
            Op::TypeInt | Op::TypeFloat if operand(1)? != 32 => {
                let what = format!("a number of {} bits", operand(1)?);
                return Err(LoadError::Unknown { what, at: instruction.at });
            }
            Op::TypeInt => {
                instruction.exactly(3)?;
                let is_signed = operand(2)? != 0;
                let scalar = if is_signed { ComponentType::Int } else { ComponentType::Uint };
                SpirvType::Value(ValueType::scalar(scalar))
            }
            Op::TypeFloat => {
                instruction.exactly(2)?;
                SpirvType::Value(ValueType::scalar(ComponentType::Float))
            }
            Op::TypeVector => {
                let (part, count) = (ids.kind(instruction, operand(1)?)?, operand(2)?);
                if !part.is_scalar() || !(2..=4).contains(&count) {
                    return malformed("not 2 to 4 scalars");
                }
                SpirvType::Value(ValueType { rows: count as u8, ..part })
            }
            Op::TypeMatrix => {
                let (part, count) = (ids.kind(instruction, operand(1)?)?, operand(2)?);
                let is_vector =
                    part.rows > 1 && !part.is_matrix() && part.scalar == ComponentType::Float;
                if !is_vector || !(2..=4).contains(&count) {
                    return malformed("not 2 to 4 vectors of numbers");
                }
                SpirvType::Value(ValueType { columns: count as u8, ..part })
            }
            Op::TypeRuntimeArray => {
                instruction.exactly(2)?;
                SpirvType::RuntimeArray(ids.kind(instruction, operand(1)?)?)
            }
            Op::TypeStruct
                if let &[only] = instruction.rest(1)?
                    && let SpirvType::RuntimeArray(_) = ids.ty(instruction, only)? =>
            {
                SpirvType::Buffer(only)
            }
            Op::TypeStruct => {
                let (mut members, mut words) = (Vec::new(), 0);
                for &member in instruction.rest(1)? {
                    let kind = ids.kind(instruction, member)?;
                    members.push((kind, words));
                    words += kind.words();
                    if words > MAX_AGGREGATE {
                        return malformed("its values are too large");
                    }
                }
                SpirvType::Struct(members.into(), words)
            }
            Op::TypeArray => {
                instruction.exactly(3)?;
                let kind = ids.kind(instruction, operand(1)?)?;
                let Some(&[count]) = self.constant(operand(2)?) else {
                    return malformed("its length is no constant");
                };
                let words = kind.words().max(1).saturating_mul(count as usize);
                if count == 0 || words > MAX_AGGREGATE {
                    return malformed("its values are too large, or there are none");
                }
                SpirvType::Array(kind, count as usize)
            }
            Op::TypePointer => {
                let Some(class) = StorageClass::from_u32(operand(1)?) else {
                    return malformed("no storage class");
                };
                ids.ty(instruction, operand(2)?)?;
                SpirvType::Pointer(class, operand(2)?)
            }
            Op::TypeImage => {
                // Of floats, 2D, no depth or nothing said of it, one layer, one sample, with a sampler.
                let of_floats =
                    ids.kind(instruction, operand(1)?)? == ValueType::scalar(ComponentType::Float);
                let rest = instruction.rest(2)?;
                let is_known =
                    matches!(rest, &[dim, 0 | 2, 0, 0, 1, 0] if dim == Dim::Dim2D as u32);
                if !of_floats || !is_known {
                    let what = "an image that is not 2D, of floats and sampled".into();
                    return Err(LoadError::Unknown { what, at: instruction.at });
                }
                SpirvType::Image
            }
            Op::TypeSampledImage => match ids.ty(instruction, operand(1)?)? {
                SpirvType::Image => SpirvType::SampledImage,
                _ => return malformed("not of an image"),
            },
            Op::TypeFunction => {
                instruction.exactly(2)?;
                match ids.ty(instruction, operand(1)?)? {
                    SpirvType::Void => SpirvType::Main,
                    _ => return malformed("a function with a result"),
                }
            }
            Op::Variable => return self.variable(ids, instruction),
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::Undef => return self.define_constant(ids, instruction),
            other => return malformed(&format!("{} outside a block", name(other))),
        };
        ids.define(instruction, operand(0)?, Entity::Type(ty))
    }

    /// What is undefined may be anything, so it is zero: a constant.
    pub(super) fn define_constant(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let kind = ids.kind(instruction, ty)?;
        let (is_bool, is_scalar) = (kind.scalar == ComponentType::Bool, kind.is_scalar());
        let words: Box<[u32]> = match instruction.op {
            Op::ConstantTrue | Op::SpecConstantTrue if is_bool && is_scalar => [1].into(),
            Op::ConstantFalse | Op::SpecConstantFalse if is_bool && is_scalar => [0].into(),
            Op::Constant | Op::SpecConstant if !is_bool && is_scalar => {
                instruction.exactly(3)?;
                [instruction.operand(2)?].into()
            }
            Op::ConstantNull | Op::Undef => vec![0; kind.words()].into(),
            Op::ConstantComposite if !is_scalar => {
                let parts = instruction.rest(2)?;
                if ids.parts(kind) != parts.len() {
                    return Err(instruction.malformed("too few or too many parts"));
                }
                let mut words = Vec::with_capacity(kind.words());
                for (index, &id) in parts.iter().enumerate() {
                    let (part, _) = ids.part(kind, index).expect("there are so many");
                    ids.value_of(instruction, id, part)?;
                    match self.constant(id) {
                        Some(constant) => words.extend_from_slice(constant),
                        None => return Err(instruction.malformed("a part is no constant")),
                    }
                }
                words.into()
            }
            _ => return Err(instruction.malformed("a constant of another type")),
        };
        let at = ids.allocate(kind);
        if ids.is_full() {
            return Err(instruction.malformed("the constants are too large"));
        }
        ids.define(instruction, id, Entity::Value(kind, at))?;
        self.constant_ids.insert(id, self.constants.len());
        self.constants.push((at, words));
        Ok(())
    }
}
