//! Declarations outside functions, and the module as a whole.

use super::debug::{DEBUG_INFO, DEBUG_LINE, DEBUG_NO_LINE, DebugInfo};
use super::function::{Function, Reader};
use super::types::{ModuleType, declared};
use super::words::{Instruction, instructions};
use crate::error::{RaiseError, Result};
use lambdav_core::interface::Stage;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::texture::Texels;
use lambdav_spirv::stage;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// An entry point.
#[derive(Clone, Debug)]
pub(crate) struct EntryPoint {
    pub(crate) stage: Option<Stage>,
    pub(crate) function: u32,
    pub(crate) name: String,
    /// Ids of its interface variables.
    pub(crate) variables: Vec<u32>,
}

/// A variable outside functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) id: u32,
    pub(crate) class: StorageClass,
    /// Type of its content.
    pub(crate) ty: u32,
    pub(crate) initial: Option<u32>,
    /// Word index of the declaration.
    pub(crate) at: usize,
    /// File, line and column of the declaration.
    line: Option<[u32; 3]>,
}

/// Id of a synthetic variable, true once OpDemoteToHelperInvocation was executed. (Ids of a module are
/// smaller: the bound is checked.)
pub(crate) const DEMOTED: u32 = u32::MAX;

/// Id of a variable whose content waits for the probes that were executed so far.
pub(crate) const REPORTED: u32 = u32::MAX - 1;

type Decorations<'w, K> = FxHashMap<K, Vec<(Decoration, &'w [u32])>>;

/// A module, read but not interpreted.
#[derive(Debug, Default)]
pub(crate) struct Module<'w> {
    names: FxHashMap<u32, String>,
    member_names: FxHashMap<(u32, u32), String>,
    decorations: Decorations<'w, u32>,
    member_decorations: Decorations<'w, (u32, u32)>,
    pub(crate) entry_points: Vec<EntryPoint>,
    modes: Vec<(u32, ExecutionMode, &'w [u32])>,
    types: FxHashMap<u32, (ModuleType, usize)>,
    /// Constants of all kinds, including OpUndef.
    pub(crate) constants: FxHashMap<u32, Instruction<'w>>,
    /// In order of declaration.
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: FxHashMap<u32, Function<'w>>,
    glsl: FxHashSet<u32>,
    /// Instruction sets without effect.
    without_semantics: FxHashSet<u32>,
    /// The set among them that carries debug information.
    debug_info: Option<u32>,
    debug: DebugInfo,
    /// The place of the declaration that is read.
    line: Option<[u32; 3]>,
}

impl<'w> Module<'w> {
    /// Reads all words. Errors have no source positions.
    pub(crate) fn read(words: &'w [u32]) -> Result<Self> {
        let mut module = Self::default();
        let mut functions = Reader::default();
        for mut instruction in instructions(words)? {
            instruction.op = module.as_line(&instruction);
            if functions.is_inside() || instruction.op == Op::Function {
                functions.read(instruction)?;
                continue;
            }
            module.declare(instruction).map_err(|error| error.at(instruction.at, None))?;
        }
        module.functions = functions.finish()?;
        let functions = module.functions.values().flat_map(|function| &function.blocks);
        let lines = functions.flat_map(|block| block.instructions.iter().chain(&block.merge_line));
        let places = lines.filter_map(|line| module.line(line));
        let places =
            places.chain(module.variables.iter().filter_map(|of| of.line)).collect::<Vec<_>>();
        module.debug.fill(places.into_iter());
        if module.functions.values().any(Function::is_about_helpers) {
            module.add_state(DEMOTED);
        }
        Ok(module)
    }

    /// Adds [`REPORTED`].
    pub(crate) fn add_reports(&mut self) {
        self.add_state(REPORTED);
    }

    /// Adds a variable of a bool that the raise uses. Treated as an output, so its content at the end matters.
    fn add_state(&mut self, id: u32) {
        let (class, at) = (StorageClass::Output, 0);
        self.variables.push(Variable { id, class, ty: 0, initial: None, at, line: None });
    }

    /// Maps the debug-info forms of lines to OpLine and OpNoLine.
    fn as_line(&self, instruction: &Instruction<'w>) -> Op {
        match instruction.operands {
            [_, _, set, DEBUG_LINE, ..]
                if instruction.op == Op::ExtInst && Some(*set) == self.debug_info =>
            {
                Op::Line
            }
            [_, _, set, DEBUG_NO_LINE]
                if instruction.op == Op::ExtInst && Some(*set) == self.debug_info =>
            {
                Op::NoLine
            }
            _ => instruction.op,
        }
    }

    /// File, line and column of an OpLine.
    fn line(&self, instruction: &Instruction<'_>) -> Option<[u32; 3]> {
        let number = |id: u32| {
            let of = self.constants.get(&id).filter(|of| of.op == Op::Constant)?;
            of.operands.get(2).copied()
        };
        match *instruction.operands {
            _ if instruction.op != Op::Line => None,
            [file, line, column] => Some([file, line, column]),
            [_, _, _, DEBUG_LINE, file, line, _, column, ..] => {
                Some([file, number(line)?, number(column)?])
            }
            _ => None,
        }
    }

    fn declare(&mut self, instruction: Instruction<'w>) -> Result<()> {
        let operand = |index| instruction.operand(index);
        match instruction.op {
            Op::Line => self.line = self.line(&instruction),
            Op::NoLine => self.line = None,
            Op::Name => {
                self.names.insert(operand(0)?, instruction.string(1)?.0);
            }
            Op::MemberName => {
                let key = (operand(0)?, operand(1)?);
                self.member_names.insert(key, instruction.string(2)?.0);
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                if let Some(decoration) = Decoration::from_u32(operand(1)?) {
                    let all = self.decorations.entry(operand(0)?).or_default();
                    all.push((decoration, instruction.rest(2)));
                }
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                if let Some(decoration) = Decoration::from_u32(operand(2)?) {
                    let all = self.member_decorations.entry((operand(0)?, operand(1)?));
                    all.or_default().push((decoration, instruction.rest(3)));
                }
            }
            Op::GroupDecorate | Op::GroupMemberDecorate => {
                return Err(instruction.unsupported("groups of decorations"));
            }
            Op::EntryPoint => {
                let (name, words) = instruction.string(2)?;
                self.entry_points.push(EntryPoint {
                    stage: ExecutionModel::from_u32(operand(0)?).map(stage),
                    function: operand(1)?,
                    name,
                    variables: instruction.rest(2 + words).to_vec(),
                });
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                if let Some(mode) = ExecutionMode::from_u32(operand(1)?) {
                    self.modes.push((operand(0)?, mode, instruction.rest(2)));
                }
            }
            Op::ExtInstImport => match instruction.string(1)?.0.as_str() {
                "GLSL.std.450" => {
                    self.glsl.insert(operand(0)?);
                }
                name if name.starts_with("NonSemantic.") => {
                    if name == DEBUG_INFO {
                        self.debug_info = Some(operand(0)?);
                    }
                    self.without_semantics.insert(operand(0)?);
                }
                name => {
                    return Err(instruction.unsupported(&format!("the instructions of {name}")));
                }
            },
            Op::ExtInst if Some(operand(2)?) == self.debug_info => {
                self.debug.read_extended(&instruction)?;
            }
            Op::String | Op::Source | Op::SourceContinued => self.debug.read(&instruction)?,
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
            | Op::Undef => {
                self.constants.insert(operand(1)?, instruction);
            }
            Op::Variable => {
                let ModuleType::Pointer(class, ty) = *self.ty(operand(0)?)? else {
                    return Err(instruction.malformed("its type is no pointer"));
                };
                let initial = instruction.operands.get(3).copied();
                let (id, at, line) = (operand(1)?, instruction.at, self.line);
                let variable = Variable { id, class, ty, initial, at, line };
                self.variables.push(variable);
            }
            _ => {
                if let Some(mut ty) = declared(&instruction)? {
                    if let ModuleType::Image(image) = &mut ty {
                        image.texels = match *self.ty(operand(1)?)? {
                            ModuleType::Int(true) => Texels::Integers,
                            ModuleType::Int(false) => Texels::Unsigned,
                            _ => Texels::Numbers,
                        };
                    }
                    self.types.insert(operand(0)?, (ty, instruction.at));
                }
            }
        }
        Ok(())
    }

    /// The type with that id.
    pub(crate) fn ty(&self, id: u32) -> Result<&ModuleType> {
        match self.types.get(&id) {
            Some((ty, _)) => Ok(ty),
            None => Err(RaiseError::malformed(format!("%{id} is no type"))),
        }
    }

    /// The name of an id; empty if it has none.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The name of a member; empty if it has none.
    pub(crate) fn member_name(&self, of: u32, member: u32) -> &str {
        self.member_names.get(&(of, member)).map_or("", String::as_str)
    }

    /// The operands of a decoration of an id, if it has that decoration.
    pub(crate) fn decoration(&self, id: u32, wanted: Decoration) -> Option<&'w [u32]> {
        let all = self.decorations.get(&id)?;
        all.iter().find(|(decoration, _)| *decoration == wanted).map(|(_, of)| *of)
    }

    /// The number that is the operand of a decoration.
    pub(crate) fn decorated(&self, id: u32, wanted: Decoration) -> Option<u32> {
        self.decoration(id, wanted)?.first().copied()
    }

    /// The operands of a decoration of a member, if it has that decoration.
    pub(crate) fn member_decoration(
        &self,
        of: u32,
        member: u32,
        wanted: Decoration,
    ) -> Option<&'w [u32]> {
        let all = self.member_decorations.get(&(of, member))?;
        all.iter().find(|(decoration, _)| *decoration == wanted).map(|(_, of)| *of)
    }

    /// The operands of an execution mode of an entry point, if it has that mode.
    pub(crate) fn mode(&self, function: u32, wanted: ExecutionMode) -> Option<&'w [u32]> {
        let is_it = |&&(of, mode, _): &&(u32, ExecutionMode, _)| (of, mode) == (function, wanted);
        self.modes.iter().find(is_it).map(|&(.., operands)| operands)
    }

    /// The id that has a built-in as a decoration.
    pub(crate) fn with_built_in(&self, wanted: BuiltIn) -> Option<u32> {
        let mut all = self.decorations.keys().copied();
        all.find(|&id| self.decorated(id, Decoration::BuiltIn) == Some(wanted as u32))
    }

    /// True for a variable that invocations of a compute program share: a storage buffer, or a variable of the
    /// workgroup.
    pub(crate) fn is_memory(&self, variable: &Variable) -> bool {
        match variable.class {
            StorageClass::StorageBuffer | StorageClass::Workgroup => true,
            StorageClass::Uniform => {
                self.decoration(variable.ty, Decoration::BufferBlock).is_some()
            }
            _ => false,
        }
    }

    /// True for an id of GLSL.std.450.
    pub(crate) fn is_glsl(&self, id: u32) -> bool {
        self.glsl.contains(&id)
    }

    /// True for an id of an instruction set without effect.
    pub(crate) fn is_without_semantics(&self, id: u32) -> bool {
        self.without_semantics.contains(&id)
    }

    /// The embedded source text; `name` replaces a missing file name.
    pub(crate) fn source(&mut self, name: &str) -> SourceFile {
        self.debug.source(name)
    }

    /// The span of an OpLine.
    pub(crate) fn span(&self, line: &Instruction<'_>, source: &SourceFile) -> Option<Span> {
        self.debug.span(self.line(line)?, source)
    }

    /// The span of a variable's declaration.
    pub(crate) fn declaration(&self, of: &Variable, source: &SourceFile) -> Option<Span> {
        self.debug.span(of.line?, source)
    }

    /// The number of an array's elements.
    pub(crate) fn length(&self, constant: u32) -> Result<u32> {
        let length = self.constants.get(&constant);
        let length = length.filter(|of| matches!(of.op, Op::Constant | Op::SpecConstant));
        match length.and_then(|of| of.operands.get(2)) {
            Some(&length @ 1..) => Ok(length),
            Some(0) => Err(RaiseError::malformed("an array has no elements")),
            None => Err(RaiseError::unsupported("an array whose length is computed")),
        }
    }

    /// The truth value of a constant.
    pub(crate) fn truth(&self, id: u32) -> Option<bool> {
        match self.constants.get(&id)?.op {
            Op::ConstantTrue | Op::SpecConstantTrue => Some(true),
            Op::ConstantFalse | Op::SpecConstantFalse | Op::ConstantNull => Some(false),
            _ => None,
        }
    }
}
