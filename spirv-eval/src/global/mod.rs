//! Declarations of a module: types, constants, and variables in shared memory.

mod access;
mod constants;
mod layout;
mod members;
mod variables;

use super::binary::{Instruction, name};
use super::code::Step;
use super::error::LoadError;
use super::options::Undefined;
use super::resources::{InputVariable, Member, ResourceBinding};
use super::values::{
    ComponentType, Entity, Ids, ImageType, MAX_AGGREGATE, OpaqueType, SpirvType, ValueType,
};
use lambdav_core::interface::Stage;
use lambdav_core::sampler::{ImageOptions, Sampler};
use rspirv::spirv::{BuiltIn, Decoration, Dim, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// An output variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    /// Its location; `POSITION` or `DEPTH` for a built-in output.
    pub(super) location: u32,
    /// Number of components, and their place among the variables' words.
    pub(super) components: usize,
    pub(super) at: usize,
}

/// Role of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    FragCoord,
    /// An input other than FragCoord; read-only.
    Input,
    Output,
    /// A private variable, or one of a function.
    Own,
}

impl Role {
    /// True for inputs of the stage.
    pub(super) fn is_input(self) -> bool {
        matches!(self, Self::FragCoord | Self::Input)
    }
}

/// A variable in the module's own memory.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) role: Role,
    /// Index of the first word.
    pub(super) at: usize,
    pub(super) words: usize,
    /// Constant initialiser, if any.
    pub(super) initial: Option<Box<[u32]>>,
    /// Place in memory of a computed initialiser.
    pub(super) computed: Option<usize>,
    /// True if any instruction stores to the variable.
    pub(super) is_written: bool,
}

/// Most elements of an array of textures or samplers.
const MAX_OPAQUES: u32 = 256;

/// A read-only block.
#[derive(Clone, Copy, Debug)]
pub(super) struct UniformBlock {
    /// Descriptor set and binding; `None` for push constants.
    pub(super) binding: Option<[u32; 2]>,
    /// Number of words that the block needs at least.
    pub(super) words: usize,
}

/// The workgroups of a compute shader.
#[derive(Clone, Debug)]
pub(super) struct Workgroup {
    /// Invocations along each axis.
    pub(super) size: [u32; 3],
    /// The words of each variable of the workgroup.
    pub(super) variables: Vec<usize>,
}

/// The declarations so far.
#[derive(Debug)]
pub(super) struct Globals {
    pub(super) undefined: Undefined,
    pub(super) stage: Stage,
    /// Set and binding of the buffer that fragments change.
    pub(super) changed: Option<[u32; 2]>,
    /// Textures have several levels if any function queries their number.
    pub(super) has_levels: bool,
    /// Options of textures and samplers by name.
    pub(super) images: ImageOptions,
    /// The samplers, by number.
    pub(super) samplers: Vec<Sampler>,
    /// Debug information is read, for observers.
    pub(super) has_debug: bool,
    /// The variables of the entry point's interface.
    interface: FxHashSet<u32>,
    names: FxHashMap<(u32, Option<u32>), String>,
    decorations: FxHashMap<(u32, Option<u32>, Decoration), u32>,
    /// Index in `constants` by id.
    constant_ids: FxHashMap<u32, usize>,
    pub(super) constants: Vec<(usize, Box<[u32]>)>,
    pub(super) computed: Vec<Step>,
    /// The ids of computed constants.
    computed_ids: FxHashSet<u32>,
    pub(super) outputs: Vec<Output>,
    pub(super) inputs: Vec<InputVariable>,
    /// Built-in inputs other than FragCoord, with their places among the variables' words.
    pub(super) built_ins: Vec<(BuiltIn, usize)>,
    pub(super) uniforms: Vec<Member>,
    pub(super) blocks: Vec<UniformBlock>,
    pub(super) resources: Vec<ResourceBinding>,
    pub(super) variables: Vec<Variable>,
    pub(super) variable_words: usize,
    pub(super) workgroup: Workgroup,
    /// The module's own variables; `taken` counts all variables already assigned to the module or a
    /// function.
    pub(super) of_module: Vec<usize>,
    taken: usize,
}

impl Globals {
    /// No declarations yet.
    pub(super) fn new(undefined: Undefined, stage: Stage, interface: FxHashSet<u32>) -> Self {
        Self {
            undefined,
            stage,
            changed: None,
            has_levels: false,
            images: ImageOptions::default(),
            samplers: Vec::new(),
            has_debug: false,
            interface,
            names: FxHashMap::default(),
            decorations: FxHashMap::default(),
            constant_ids: FxHashMap::default(),
            constants: Vec::new(),
            computed: Vec::new(),
            computed_ids: FxHashSet::default(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            built_ins: Vec::new(),
            uniforms: Vec::new(),
            blocks: Vec::new(),
            resources: Vec::new(),
            variables: Vec::new(),
            variable_words: 0,
            workgroup: Workgroup { size: [1; 3], variables: Vec::new() },
            of_module: Vec::new(),
            taken: 0,
        }
    }

    /// Ends the list of the module's own variables.
    pub(super) fn close(&mut self) {
        self.of_module = self.take_variables();
    }

    /// The variables declared since the last call.
    pub(super) fn take_variables(&mut self) -> Vec<usize> {
        let first = std::mem::replace(&mut self.taken, self.variables.len());
        (first..self.variables.len()).collect()
    }

    /// Records the name of an id or member.
    pub(super) fn name(&mut self, id: u32, member: Option<u32>, name: String) {
        self.names.insert((id, member), name);
    }

    /// The name of an id or member.
    pub(super) fn name_of(&self, id: u32, member: Option<u32>) -> Option<&str> {
        self.names.get(&(id, member)).map(String::as_str)
    }

    /// Records a decoration.
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

    /// Reads a type, constant or variable.
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
            Op::TypeInt if operand(1)? == 64 && operand(2)? == 0 => {
                SpirvType::Value(ValueType::scalar(ComponentType::Long))
            }
            Op::TypeFloat if operand(1)? == 64 => {
                instruction.exactly(2)?;
                SpirvType::Value(ValueType::scalar(ComponentType::Double))
            }
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
                if !part.is_scalar() || part.scalar.is_wide() || !(2..=4).contains(&count) {
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
            Op::TypeRuntimeArray
                if let &SpirvType::Opaque(of) = ids.ty(instruction, operand(1)?)? =>
            {
                instruction.exactly(2)?;
                SpirvType::Opaques(of, 0)
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
            Op::TypeStruct
                if let &[.., last] = instruction.rest(1)?
                    && let SpirvType::RuntimeArray(_) = ids.ty(instruction, last)? =>
            {
                SpirvType::Open(instruction.rest(1)?.into())
            }
            Op::TypeStruct => {
                let (mut members, mut words) = (Vec::new(), 0);
                if instruction.operands.len() > MAX_AGGREGATE {
                    return malformed("it has too many members");
                }
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
            Op::TypeArray if let &SpirvType::Opaque(of) = ids.ty(instruction, operand(1)?)? => {
                instruction.exactly(3)?;
                match self.constant(operand(2)?) {
                    Some(&[count @ 1..=MAX_OPAQUES]) => SpirvType::Opaques(of, count as usize),
                    Some(_) => return malformed("its length is zero, or too large"),
                    None => return malformed("its length is no constant"),
                }
            }
            Op::TypeArray => {
                instruction.exactly(3)?;
                let kind = ids.kind(instruction, operand(1)?)?;
                let Some(&[count]) = self.constant(operand(2)?) else {
                    return malformed("its length is no constant");
                };
                let words = kind.words().max(1).saturating_mul(count as usize);
                if count == 0 || words > MAX_AGGREGATE {
                    return malformed("its length is zero, or its values are too large");
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
                // Supported: images that are only read.
                let of = ids.kind(instruction, operand(1)?)?;
                let is_component = of.is_scalar()
                    && matches!(
                        of.scalar,
                        ComponentType::Float | ComponentType::Int | ComponentType::Uint
                    );
                let rest = instruction.rest(2)?;
                let dimension = rest.first().and_then(|&dimension| Dim::from_u32(dimension));
                let is_known = match (self.undefined, dimension) {
                    (Undefined::Marked, Some(Dim::Dim2D | Dim::Dim3D | Dim::DimCube)) => {
                        matches!(rest, &[_, 0 | 2, _, 0, 1, 0])
                    }
                    (Undefined::Marked, _) => false,
                    (Undefined::Total, Some(Dim::DimSubpassData)) => {
                        matches!(rest, &[_, _, 0, _, 2, _])
                    }
                    (Undefined::Total, _) => matches!(rest, &[_, _, _, _, 0 | 1, _]),
                };
                let image = match (dimension, rest) {
                    (Some(dimension), &[_, _, is_array, is_multisampled, ..]) => ImageType {
                        dimension,
                        is_array: is_array == 1,
                        is_multisampled: is_multisampled == 1,
                        component: of.scalar,
                    },
                    _ => return malformed("no dimension of an image"),
                };
                let is_plane = matches!(dimension, Some(Dim::Dim2D | Dim::DimSubpassData));
                let fits = match [image.is_array, image.is_multisampled] {
                    [true, true] => false,
                    [false, true] => is_plane,
                    [true, false] => {
                        matches!(dimension, Some(Dim::Dim1D | Dim::Dim2D | Dim::DimCube))
                    }
                    [false, false] => true,
                };
                if !(is_component && is_known && fits) {
                    let what = "an image that is written, or of a kind that is not known".into();
                    return Err(LoadError::Unknown { what, at: instruction.at });
                }
                SpirvType::Opaque(OpaqueType::Image(image))
            }
            Op::TypeSampler => SpirvType::Opaque(OpaqueType::Sampler),
            Op::TypeSampledImage => match ids.ty(instruction, operand(1)?)? {
                &SpirvType::Opaque(OpaqueType::Image(kind)) => {
                    SpirvType::Opaque(OpaqueType::SampledImage(kind))
                }
                _ => return malformed("not of an image"),
            },
            Op::TypeFunction => SpirvType::Function,
            Op::Variable => return self.variable(ids, instruction),
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
            | Op::Undef => return self.define_constant(ids, instruction),
            other => return malformed(&format!("{} outside a block", name(other))),
        };
        ids.define(instruction, operand(0)?, Entity::Type(ty))
    }
}
