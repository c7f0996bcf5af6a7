//! The interface of a module to its host program: entry points, resources by set and binding, members
//! and layouts of blocks, specialisation constants.
//!
//! Reads any module that the grammar of SPIR-V accepts and reports its declarations unchecked: the
//! module need not be valid. Only an invalid module has recursive types; their depth is limited.

use crate::sampler::SamplerNote;
use crate::site::SiteNote;
use crate::stage::{stage, stage_name};
use crate::text::{bytes, with_utf8};
use lambdav_core::diagnostics::one_line;
use lambdav_core::interface::Stage;
use lambdav_core::texture::TextureOptions;
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use thiserror::Error;

/// Error of [`inspect`]: the words are no module.
#[derive(Debug, Error)]
#[error("not SPIR-V: {0}")]
pub struct InspectError(String);

/// Limit of the depth of types.
const DEPTH: u32 = 64;

/// Limit of the members listed for a block, nested ones included.
const MEMBERS: usize = 65_536;

/// Interface of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The version of SPIR-V.
    pub version: (u8, u8),
    /// The entry points.
    pub entry_points: Vec<EntryPoint>,
    /// Bound resources, by set and binding; push constants last.
    pub resources: Vec<Resource>,
    /// The specialisation constants, by `SpecId`.
    pub constants: Vec<SpecConstant>,
    /// The sites of an instrumented module.
    pub sites: Vec<SiteNote>,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPoint {
    /// Name.
    pub name: String,
    /// The stage.
    pub stage: Stage,
    /// Execution modes, as `OriginUpperLeft`.
    pub modes: Vec<String>,
    /// Inputs from the previous stage or the system.
    pub inputs: Vec<Variable>,
    /// Outputs.
    pub outputs: Vec<Variable>,
}

/// An input or output of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name; empty if the module has none.
    pub name: String,
    /// Type, as `vec4`.
    pub ty: String,
    /// Location, if any.
    pub location: Option<u32>,
    /// Name of the built-in, as `FragCoord`, if it is one.
    pub builtin: Option<String>,
}

/// A bound resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Name; empty if the module has none.
    pub name: String,
    /// Kind of resource, as `uniform buffer`.
    pub kind: String,
    /// Descriptor set.
    pub set: Option<u32>,
    /// Binding in the set.
    pub binding: Option<u32>,
    /// Type; for a block, the structure's.
    pub ty: String,
    /// For a block, the bytes up to the end of the last member, if known.
    pub size: Option<u32>,
    /// Members of a block.
    pub members: Vec<Member>,
    /// Sampler state of a texture that a module of lambdav samples natively.
    pub sampler: Option<TextureOptions>,
}

/// A member of a block, or of a structure in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Name, qualified by the structures around it, as `light.power`; an array of structures adds
    /// `[]`.
    pub name: String,
    /// Type, as `vec3` or `f32[4]`.
    pub ty: String,
    /// Offset in bytes from the beginning of the block; in an array of structures, that of the first element.
    pub offset: u32,
    /// Bytes from one element of an array to the next.
    pub array_stride: Option<u32>,
    /// Bytes from one column of a matrix to the next.
    pub matrix_stride: Option<u32>,
}

/// A specialisation constant.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecConstant {
    /// `SpecId`.
    pub id: u32,
    /// Name; empty if the module has none.
    pub name: String,
    /// Type, as `f32`.
    pub ty: String,
    /// Default value, as text.
    pub default: String,
}

/// Reads the interface of a module.
///
/// # Errors
///
/// If the words are no module.
pub fn inspect(words: &[u32]) -> Result<Interface, InspectError> {
    let module = load_words(with_utf8(words)).map_err(|error| InspectError(error.to_string()))?;
    Ok(Reader::new(&module).interface())
}

/// The instructions in front of the functions, as far as the words can be read: opcodes and operands.
fn declarations(words: &[u32]) -> impl Iterator<Item = (Op, &[u32])> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        loop {
            let first = *rest.first()?;
            let (count, op) = ((first >> 16) as usize, Op::from_u32(first & 0xffff));
            let operands = rest.get(1..count).filter(|_| op != Some(Op::Function))?;
            rest = &rest[count..];
            if let Some(op) = op {
                return Some((op, operands));
            }
        }
    })
}

/// The name of an entry point, and the operands behind it.
fn named(operands: &[u32]) -> (String, &[u32]) {
    let name: Vec<u8> = bytes(operands).into_iter().take_while(|&byte| byte != 0).collect();
    let behind = operands.get(name.len() / 4 + 1..).unwrap_or_default();
    (String::from_utf8_lossy(&name).into_owned(), behind)
}

/// Names and stages of a module's entry points, as far as the words can be read. The functions are not read.
pub fn entry_points(words: &[u32]) -> Vec<(String, Stage)> {
    let mut all = Vec::new();
    for (op, operands) in declarations(words) {
        if let (Op::EntryPoint, [model, _, name @ ..]) = (op, operands)
            && let Some(model) = ExecutionModel::from_u32(*model)
        {
            all.push((named(name).0, stage(model)));
        }
    }
    all
}

/// True if a fragment entry point of that name has an output at a location. The functions are not read.
pub fn writes_colours(words: &[u32], name: &str) -> bool {
    let mut interface = &[][..];
    let (mut located, mut outputs) = (FxHashSet::default(), FxHashSet::default());
    for (op, operands) in declarations(words) {
        match (op, operands) {
            (Op::EntryPoint, [model, _, of @ ..]) if *model == ExecutionModel::Fragment as u32 => {
                let (found, variables) = named(of);
                if found == name {
                    interface = variables;
                }
            }
            (Op::Decorate, [id, decoration, ..]) if *decoration == Decoration::Location as u32 => {
                located.insert(*id);
            }
            (Op::Variable, [_, id, class, ..]) if *class == StorageClass::Output as u32 => {
                outputs.insert(*id);
            }
            _ => {}
        }
    }
    interface.iter().any(|id| located.contains(id) && outputs.contains(id))
}

/// Index of a module by ids.
struct Reader<'a> {
    module: &'a Module,
    /// Types, constants and variables.
    globals: FxHashMap<u32, &'a Instruction>,
    names: FxHashMap<u32, &'a str>,
    member_names: FxHashMap<(u32, u32), &'a str>,
    decorations: FxHashMap<u32, Vec<&'a [Operand]>>,
    member_decorations: FxHashMap<(u32, u32), Vec<&'a [Operand]>>,
}

/// The operand as an id.
fn id(instruction: &Instruction, index: usize) -> Option<u32> {
    match instruction.operands.get(index)? {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    }
}

/// The operand as a number.
fn number(instruction: &Instruction, index: usize) -> Option<u32> {
    match instruction.operands.get(index)? {
        Operand::LiteralBit32(number) => Some(*number),
        _ => None,
    }
}

impl<'a> Reader<'a> {
    fn new(module: &'a Module) -> Self {
        let mut reader = Self {
            module,
            globals: FxHashMap::default(),
            names: FxHashMap::default(),
            member_names: FxHashMap::default(),
            decorations: FxHashMap::default(),
            member_decorations: FxHashMap::default(),
        };
        for global in &module.types_global_values {
            reader.globals.extend(global.result_id.map(|id| (id, global)));
        }
        for name in &module.debug_names {
            match (&name.operands[..], name.class.opcode) {
                ([Operand::IdRef(id), Operand::LiteralString(text)], Op::Name) => {
                    reader.names.insert(*id, text);
                }
                (
                    [
                        Operand::IdRef(id),
                        Operand::LiteralBit32(member),
                        Operand::LiteralString(text),
                    ],
                    Op::MemberName,
                ) => {
                    reader.member_names.insert((*id, *member), text);
                }
                _ => {}
            }
        }
        for annotation in &module.annotations {
            match (&annotation.operands[..], annotation.class.opcode) {
                ([Operand::IdRef(id), decoration @ ..], Op::Decorate) => {
                    reader.decorations.entry(*id).or_default().push(decoration);
                }
                (
                    [Operand::IdRef(id), Operand::LiteralBit32(member), decoration @ ..],
                    Op::MemberDecorate,
                ) => {
                    let decorations = reader.member_decorations.entry((*id, *member)).or_default();
                    decorations.push(decoration);
                }
                _ => {}
            }
        }
        reader
    }

    fn interface(&self) -> Interface {
        let version = self.module.header.as_ref().map_or((0, 0), |header| header.version());
        let mut resources: Vec<Resource> = self
            .module
            .types_global_values
            .iter()
            .filter_map(|global| self.resource(global))
            .collect();
        resources.sort_by_key(|resource| {
            let last = resource.binding.is_none();
            (last, resource.set, resource.binding)
        });
        let mut constants: Vec<SpecConstant> = self
            .module
            .types_global_values
            .iter()
            .filter_map(|global| self.constant(global))
            .collect();
        constants.sort_by_key(|constant| constant.id);
        let entry_points =
            self.module.entry_points.iter().filter_map(|entry| self.entry_point(entry)).collect();
        let sites = self.strings().filter_map(SiteNote::parse).collect();
        Interface { version, entry_points, resources, constants, sites }
    }

    fn name(&self, id: u32) -> String {
        self.names.get(&id).copied().unwrap_or_default().to_owned()
    }

    /// Operands of a decoration of an id.
    fn decoration(&self, id: u32, wanted: Decoration) -> Option<&'a [Operand]> {
        Self::find(self.decorations.get(&id)?, wanted)
    }

    fn find(all: &[&'a [Operand]], wanted: Decoration) -> Option<&'a [Operand]> {
        all.iter().find_map(|decoration| match decoration {
            [Operand::Decoration(found), rest @ ..] if *found == wanted => Some(rest),
            _ => None,
        })
    }

    fn decorated_number(&self, id: u32, wanted: Decoration) -> Option<u32> {
        match self.decoration(id, wanted)? {
            [Operand::LiteralBit32(number), ..] => Some(*number),
            _ => None,
        }
    }

    fn member_number(&self, ty: u32, member: u32, wanted: Decoration) -> Option<u32> {
        match Self::find(self.member_decorations.get(&(ty, member))?, wanted)? {
            [Operand::LiteralBit32(number), ..] => Some(*number),
            _ => None,
        }
    }

    fn entry_point(&self, entry: &Instruction) -> Option<EntryPoint> {
        let [
            Operand::ExecutionModel(model),
            Operand::IdRef(main),
            Operand::LiteralString(name),
            variables @ ..,
        ] = &entry.operands[..]
        else {
            return None;
        };
        let modes = self.module.execution_modes.iter().filter(|mode| id(mode, 0) == Some(*main));
        let modes = modes
            .filter_map(|mode| match mode.operands.get(1)? {
                Operand::ExecutionMode(kind) => Some(mode_text(*kind, &mode.operands[2..])),
                _ => None,
            })
            .collect();
        let of = |class: StorageClass| {
            let ids = variables.iter().filter_map(|operand| match operand {
                Operand::IdRef(id) => Some(*id),
                _ => None,
            });
            ids.filter_map(|id| self.variable(id, class)).collect()
        };
        let (inputs, outputs) = (of(StorageClass::Input), of(StorageClass::Output));
        let (name, stage) = (name.clone(), stage(*model));
        Some(EntryPoint { name, stage, modes, inputs, outputs })
    }

    /// The storage class and the pointee type of a variable.
    fn pointed(&self, variable: &Instruction) -> Option<(StorageClass, u32)> {
        if variable.class.opcode != Op::Variable {
            return None;
        }
        let pointer = self.globals.get(&variable.result_type?)?;
        match pointer.operands[..] {
            [Operand::StorageClass(class), Operand::IdRef(ty)] => Some((class, ty)),
            _ => None,
        }
    }

    fn variable(&self, id: u32, wanted: StorageClass) -> Option<Variable> {
        let (class, ty) = self.pointed(self.globals.get(&id)?)?;
        let builtin = match self.decoration(id, Decoration::BuiltIn) {
            Some([Operand::BuiltIn(builtin), ..]) => Some(format!("{builtin:?}")),
            _ => None,
        };
        (class == wanted).then(|| Variable {
            name: self.name(id),
            ty: self.type_name(ty, DEPTH),
            location: self.decorated_number(id, Decoration::Location),
            builtin,
        })
    }

    fn resource(&self, variable: &Instruction) -> Option<Resource> {
        let (class, ty) = self.pointed(variable)?;
        let id = variable.result_id?;
        // Arrays of descriptors share one binding.
        let mut inner = ty;
        let mut count = String::new();
        for _ in 0..DEPTH {
            let found = self.globals.get(&inner)?;
            match found.class.opcode {
                Op::TypeArray | Op::TypeRuntimeArray => {
                    count += &self.length(found);
                    inner = self::id(found, 0)?;
                }
                _ => break,
            }
        }
        let opcode = self.globals.get(&inner)?.class.opcode;
        let kind = match (class, opcode) {
            (StorageClass::PushConstant, _) => "push constants",
            (StorageClass::StorageBuffer, _) => "storage buffer",
            (StorageClass::Uniform, _) => match self.decoration(inner, Decoration::BufferBlock) {
                Some(_) => "storage buffer",
                None => "uniform buffer",
            },
            (StorageClass::UniformConstant, Op::TypeSampledImage) => "combined image sampler",
            (StorageClass::UniformConstant, Op::TypeSampler) => "sampler",
            (StorageClass::UniformConstant, Op::TypeImage) => "image",
            (StorageClass::UniformConstant, _) => "opaque",
            _ => return None,
        };
        let mut members = Vec::new();
        let mut size = None;
        if opcode == Op::TypeStruct {
            // Some compilers wrap a value in a block without a name: it gets the variable's name.
            let (held, base) = self.unwrapped(inner);
            self.members(held, "", base, DEPTH, &mut members);
            size = self.size(inner, DEPTH);
            let is_wrapped = held == inner && !self.member_names.contains_key(&(inner, 0));
            if let [only, parts @ ..] = &mut members[..]
                && is_wrapped
                && only.name == "0"
                && parts.iter().all(|part| part.name.starts_with("0[]."))
            {
                let name = self.name(id);
                parts.iter_mut().for_each(|part| part.name.replace_range(..1, &name));
                only.name = if name.is_empty() { "0".to_owned() } else { name };
            }
        }
        let name = match self.name(id) {
            name if name.is_empty() => self.name(inner),
            name => name,
        };
        Some(Resource {
            name,
            kind: kind.to_owned(),
            set: self.decorated_number(id, Decoration::DescriptorSet),
            binding: self.decorated_number(id, Decoration::Binding),
            ty: self.type_name(inner, DEPTH) + &count,
            size,
            members,
            sampler: self.sampler(id),
        })
    }

    /// If the only member of a block is an unnamed structure, that structure and its offset; else the
    /// block itself.
    fn unwrapped(&self, block: u32) -> (u32, u32) {
        let only = match self.globals.get(&block).map(|of| &of.operands[..]) {
            Some(&[Operand::IdRef(only)]) => only,
            _ => return (block, 0),
        };
        let is_structure =
            self.globals.get(&only).is_some_and(|of| of.class.opcode == Op::TypeStruct);
        match is_structure && !self.member_names.contains_key(&(block, 0)) {
            true => (only, self.member_number(block, 0, Decoration::Offset).unwrap_or(0)),
            false => (block, 0),
        }
    }

    /// The strings of the module.
    fn strings(&self) -> impl Iterator<Item = &str> {
        self.module.debug_string_source.iter().filter_map(|it| {
            match (&it.operands[..], it.class.opcode) {
                ([Operand::LiteralString(text)], Op::String) => Some(&**text),
                _ => None,
            }
        })
    }

    /// Sampler state noted in the module for a variable.
    fn sampler(&self, variable: u32) -> Option<TextureOptions> {
        let place = [Decoration::DescriptorSet, Decoration::Binding];
        let [set, binding] = place.map(|of| self.decorated_number(variable, of));
        let mut notes = self.strings().filter_map(SamplerNote::parse);
        let note = notes.find(|note| set == Some(0) && binding == Some(note.binding))?;
        Some(note.options)
    }

    /// Adds the members of a structure, nested ones included.
    fn members(&self, ty: u32, prefix: &str, base: u32, depth: u32, out: &mut Vec<Member>) {
        let Some(structure) = self.globals.get(&ty) else { return };
        for (index, operand) in structure.operands.iter().enumerate() {
            let Operand::IdRef(member) = operand else { continue };
            if out.len() >= MEMBERS || depth == 0 {
                return;
            }
            let index = index as u32;
            let name = self.member_names.get(&(ty, index)).copied().unwrap_or_default();
            let name = match name {
                "" => format!("{prefix}{index}"),
                name => format!("{prefix}{name}"),
            };
            let offset = self.member_number(ty, index, Decoration::Offset).unwrap_or(0);
            let offset = base.saturating_add(offset);
            // Strip arrays down to their element type.
            let (mut inner, mut brackets) = (*member, String::new());
            let mut stride = None;
            for _ in 0..DEPTH {
                let Some(found) = self.globals.get(&inner) else { return };
                match (found.class.opcode, id(found, 0)) {
                    (Op::TypeArray | Op::TypeRuntimeArray, Some(element)) => {
                        stride = stride.or(self.decorated_number(inner, Decoration::ArrayStride));
                        brackets += "[]";
                        inner = element;
                    }
                    _ => break,
                }
            }
            out.push(Member {
                ty: self.type_name(*member, DEPTH),
                offset,
                array_stride: stride,
                matrix_stride: self.member_number(ty, index, Decoration::MatrixStride),
                name: name.clone(),
            });
            if self.globals.get(&inner).is_some_and(|found| found.class.opcode == Op::TypeStruct) {
                self.members(inner, &format!("{name}{brackets}."), offset, depth - 1, out);
            }
        }
    }

    /// The bytes of a value in a block, up to the end of its last part.
    fn size(&self, ty: u32, depth: u32) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        let found = self.globals.get(&ty)?;
        match found.class.opcode {
            Op::TypeBool => Some(4),
            Op::TypeInt | Op::TypeFloat => Some(number(found, 0)? / 8),
            Op::TypeVector => number(found, 1)?.checked_mul(self.size(id(found, 0)?, depth)?),
            Op::TypeArray => {
                let stride = self.decorated_number(ty, Decoration::ArrayStride)?;
                let length = number(self.globals.get(&id(found, 1)?)?, 0)?;
                stride.checked_mul(length)
            }
            Op::TypeStruct => {
                let last = found.operands.len().checked_sub(1)?;
                let offset = self.member_number(ty, last as u32, Decoration::Offset)?;
                let inner = id(found, last)?;
                let element = self.globals.get(&inner)?;
                let size = match self.member_number(ty, last as u32, Decoration::MatrixStride) {
                    Some(stride) => stride.checked_mul(number(element, 1)?)?,
                    None => self.size(inner, depth)?,
                };
                offset.checked_add(size)
            }
            _ => None,
        }
    }

    fn constant(&self, constant: &Instruction) -> Option<SpecConstant> {
        let id = constant.result_id?;
        let number = self.decorated_number(id, Decoration::SpecId)?;
        let ty = self.type_name(constant.result_type?, DEPTH);
        let default = match (constant.class.opcode, &constant.operands[..]) {
            (Op::SpecConstantTrue, _) => "true".to_owned(),
            (Op::SpecConstantFalse, _) => "false".to_owned(),
            (_, [Operand::LiteralBit32(bits)]) => match ty.as_str() {
                "f32" => f32::from_bits(*bits).to_string(),
                "i32" => bits.cast_signed().to_string(),
                _ => bits.to_string(),
            },
            (_, operands) => operands.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        };
        Some(SpecConstant { id: number, name: self.name(id), ty, default })
    }

    /// The number of an array's elements, in brackets.
    fn length(&self, array: &Instruction) -> String {
        let length = id(array, 1).and_then(|length| self.globals.get(&length));
        match length.and_then(|length| number(length, 0)) {
            Some(length) => format!("[{length}]"),
            None => "[]".to_owned(),
        }
    }

    /// A type in the notation of shading languages.
    fn type_name(&self, ty: u32, depth: u32) -> String {
        let Some((found, depth)) = self.globals.get(&ty).zip(depth.checked_sub(1)) else {
            return "?".to_owned();
        };
        let inner = || id(found, 0).map_or("?".to_owned(), |inner| self.type_name(inner, depth));
        let count = || number(found, 1).unwrap_or(0);
        match found.class.opcode {
            Op::TypeVoid => "void".to_owned(),
            Op::TypeBool => "bool".to_owned(),
            Op::TypeFloat => format!("f{}", number(found, 0).unwrap_or(0)),
            Op::TypeInt => {
                let letter = if number(found, 1) == Some(0) { 'u' } else { 'i' };
                format!("{letter}{}", number(found, 0).unwrap_or(0))
            }
            Op::TypeVector => match inner().as_str() {
                "f32" => format!("vec{}", count()),
                "i32" => format!("ivec{}", count()),
                "u32" => format!("uvec{}", count()),
                other => format!("{other}x{}", count()),
            },
            Op::TypeMatrix => {
                let column = id(found, 0).and_then(|column| self.globals.get(&column));
                let rows = column.and_then(|column| number(column, 1)).unwrap_or(0);
                let columns = count();
                if rows == columns { format!("mat{rows}") } else { format!("mat{columns}x{rows}") }
            }
            Op::TypeArray | Op::TypeRuntimeArray => {
                // The outermost length is written first.
                let element = inner();
                let at = element.find('[').unwrap_or(element.len());
                format!("{}{}{}", &element[..at], self.length(found), &element[at..])
            }
            Op::TypeStruct => match self.name(ty) {
                name if name.is_empty() => "struct".to_owned(),
                name => name,
            },
            Op::TypeSampler => "sampler".to_owned(),
            Op::TypeSampledImage => format!("sampled {}", inner()),
            Op::TypeImage => match found.operands.get(1) {
                Some(Operand::Dim(dimension)) => {
                    let name = format!("{dimension:?}");
                    let is_array = matches!(found.operands.get(3), Some(Operand::LiteralBit32(1)));
                    let array = if is_array { " array" } else { "" };
                    format!("image {}{array}", name.trim_start_matches("Dim"))
                }
                _ => "image".to_owned(),
            },
            other => format!("{other:?}"),
        }
    }
}

fn mode_text(mode: ExecutionMode, operands: &[Operand]) -> String {
    let operands: String = operands.iter().map(|operand| format!(" {operand}")).collect();
    format!("{mode:?}{operands}")
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.builtin, self.location) {
            (Some(builtin), _) => write!(f, "{builtin}: {}", one_line(&self.ty))?,
            (None, Some(location)) => write!(f, "location {location}: {}", one_line(&self.ty))?,
            (None, None) => f.write_str(&one_line(&self.ty))?,
        }
        if self.name.is_empty() { Ok(()) } else { write!(f, " {}", one_line(&self.name)) }
    }
}

/// Several lines, each with a line ending.
impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "SPIR-V {}.{}", self.version.0, self.version.1)?;
        for entry in &self.entry_points {
            write!(f, "entry point {}: {}", one_line(&entry.name), stage_name(entry.stage))?;
            for mode in &entry.modes {
                write!(f, ", {mode}")?;
            }
            writeln!(f)?;
            for input in &entry.inputs {
                writeln!(f, "  in   {input}")?;
            }
            for output in &entry.outputs {
                writeln!(f, "  out  {output}")?;
            }
        }
        for resource in &self.resources {
            if let Some(binding) = resource.binding {
                write!(f, "set {} binding {binding}: ", resource.set.unwrap_or(0))?;
            }
            write!(f, "{} {}", resource.kind, one_line(&resource.name))?;
            if resource.ty != resource.name {
                write!(f, " ({})", one_line(&resource.ty))?;
            }
            if let Some(options) = resource.sampler {
                write!(f, ", sampled {}, {}", options.filter.name(), options.wrap[0].name())?;
                f.write_str(if options.srgb { ", srgb" } else { "" })?;
                f.write_str(if options.mipmaps { ", mipmaps" } else { ", of one level" })?;
            }
            match resource.size {
                Some(size) => writeln!(f, ", {size} bytes")?,
                None => writeln!(f)?,
            }
            for member in &resource.members {
                let [ty, name] = [&member.ty, &member.name].map(|text| one_line(text));
                write!(f, "  {:>6}  {ty} {name}", member.offset)?;
                if let Some(stride) = member.array_stride {
                    write!(f, ", elements {stride} bytes apart")?;
                }
                if let Some(stride) = member.matrix_stride {
                    write!(f, ", columns {stride} bytes apart")?;
                }
                writeln!(f)?;
            }
        }
        for SpecConstant { id, name, ty, default } in &self.constants {
            let [ty, name] = [ty, name].map(|text| one_line(text));
            writeln!(f, "constant {id}: {ty} {name} = {default}")?;
        }
        for SiteNote { number, text } in &self.sites {
            writeln!(f, "site {number}: {}", one_line(text))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::{SpirvVersion, assemble};

    /// Entry points are found without the functions, and in modules that are cut off.
    #[test]
    fn entry_points_alone() {
        let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
                    OpEntryPoint Fragment %f \"main\"\nOpEntryPoint GLCompute %g \"λ and more\"\n\
                    OpExecutionMode %f OriginUpperLeft\n%void = OpTypeVoid\n\
                    %type = OpTypeFunction %void\n%f = OpFunction %void None %type\n\
                    %a = OpLabel\nOpReturn\nOpFunctionEnd\n\
                    %g = OpFunction %void None %type\n%b = OpLabel\nOpReturn\nOpFunctionEnd\n";
        let words = assemble(text, SpirvVersion::default()).expect("it is assembled");
        let whole = inspect(&words).expect("it is a module").entry_points;
        let whole: Vec<_> = whole.into_iter().map(|of| (of.name, of.stage)).collect();
        assert_eq!(whole.len(), 2);
        assert_eq!(entry_points(&words), whole);
        assert_eq!(entry_points(&words[..words.len() - 20]), whole);
        assert_eq!(entry_points(&words[..4]), []);
        for end in 0..words.len() {
            assert!(entry_points(&words[..end]).len() <= 2);
        }
        // A length of zero ends the search.
        let zeros = [&words[..5], &[0; 5]].concat();
        assert_eq!(entry_points(&zeros), []);
    }
}
