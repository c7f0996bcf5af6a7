//! Reading a module: one pass over its instructions, declarations before their uses.

use super::binary::{Instruction, instructions, name};
use super::error::LoadError;
use super::function::LoadedFunction;
use super::global::Globals;
use super::module::{Module, Source};
use super::values::{Entity, Ids};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
};

/// All instructions that are known.
#[rustfmt::skip]
const ACCEPTED: &[Op] = &[
    // Nothing to execute.
    Op::Nop, Op::Source, Op::SourceContinued, Op::SourceExtension, Op::Name, Op::MemberName,
    Op::String, Op::Line, Op::NoLine, Op::ModuleProcessed, Op::Extension, Op::ExtInstImport,
    Op::MemoryModel, Op::EntryPoint, Op::ExecutionMode, Op::Capability, Op::Decorate, Op::MemberDecorate,
    Op::SelectionMerge, Op::LoopMerge,
    // Declarations.
    Op::TypeVoid, Op::TypeBool, Op::TypeInt, Op::TypeFloat, Op::TypeVector, Op::TypeMatrix,
    Op::TypeImage, Op::TypeSampledImage, Op::TypeStruct, Op::TypeArray, Op::TypeRuntimeArray, Op::TypePointer, Op::TypeFunction, Op::ConstantTrue, Op::ConstantFalse,
    Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant,
    Op::Constant, Op::ConstantComposite, Op::ConstantNull, Op::Undef, Op::Variable, Op::Function,
    Op::FunctionEnd,
    // Memory and composites.
    Op::Load, Op::Store, Op::AccessChain, Op::ArrayLength, Op::CopyObject, Op::CompositeConstruct,
    Op::CompositeExtract, Op::CompositeInsert, Op::VectorShuffle,
    Op::VectorExtractDynamic, Op::VectorInsertDynamic,
    // Images.
    Op::Image, Op::ImageFetch, Op::ImageQuerySizeLod, Op::ImageQueryLevels,
    // Computations.
    Op::ExtInst, Op::FNegate, Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::Any, Op::All,
    Op::IsNan, Op::LogicalEqual, Op::LogicalNotEqual, Op::LogicalOr, Op::LogicalAnd, Op::LogicalNot,
    Op::Select, Op::IEqual, Op::INotEqual, Op::FOrdEqual, Op::FUnordEqual, Op::FOrdNotEqual,
    Op::FUnordNotEqual, Op::FOrdLessThan, Op::FUnordLessThan, Op::FOrdGreaterThan,
    Op::FUnordGreaterThan, Op::FOrdLessThanEqual, Op::FUnordLessThanEqual, Op::FOrdGreaterThanEqual,
    Op::FUnordGreaterThanEqual,
    Op::SNegate, Op::IAdd, Op::ISub, Op::IMul, Op::SDiv, Op::UDiv, Op::SRem, Op::SMod, Op::UMod,
    Op::SLessThan, Op::SLessThanEqual, Op::SGreaterThan, Op::SGreaterThanEqual, Op::ULessThan,
    Op::ULessThanEqual, Op::UGreaterThan, Op::UGreaterThanEqual, Op::Not, Op::BitwiseAnd,
    Op::BitwiseOr, Op::BitwiseXor, Op::ShiftLeftLogical, Op::ShiftRightLogical,
    Op::ShiftRightArithmetic, Op::Bitcast, Op::ConvertFToS, Op::ConvertFToU, Op::ConvertSToF,
    Op::ConvertUToF,
    // Control flow.
    Op::Phi, Op::Label, Op::Branch, Op::BranchConditional, Op::Return, Op::Unreachable,
];

/// What has been read.
#[derive(Debug, Default)]
struct Loader {
    ids: Ids,
    globals: Globals,
    entry: Option<u32>,
    function: Option<LoadedFunction>,
    sources: Vec<Source>,
    /// Whether what OpSourceContinued adds belongs to the last of `sources`.
    continues: bool,
}

impl Module {
    /// The instructions that the evaluator knows.
    pub const ACCEPTED: &'static [Op] = ACCEPTED;

    /// Reads a module.
    pub fn new(words: &[u32]) -> Result<Self, LoadError> {
        load(words)
    }
}

/// Reads a module.
fn load(words: &[u32]) -> Result<Module, LoadError> {
    let mut loader = Loader::default();
    for instruction in instructions(words)? {
        let instruction = instruction?;
        if !ACCEPTED.contains(&instruction.op) {
            return Err(LoadError::Opcode { name: name(instruction.op), at: instruction.at });
        }
        loader.instruction(&instruction)?;
    }
    let Loader { ids, globals, entry, function, sources, .. } = loader;
    let entry = entry.ok_or(LoadError::Missing("entry point"))?;
    let function = function.ok_or(LoadError::Missing("function"))?;
    if function.id != entry {
        return Err(LoadError::Missing("function for its entry point"));
    }
    let blocks = function.finish(&ids)?;
    let Globals {
        constants,
        outputs,
        output_words,
        uniforms,
        uniform_words,
        variables,
        resources,
        ..
    } = globals;
    let words = ids.words;
    Ok(Module {
        blocks,
        words,
        constants,
        outputs,
        output_words,
        uniforms,
        uniform_words,
        variables,
        resources,
        sources,
    })
}

impl Loader {
    fn instruction(&mut self, instruction: &Instruction<'_>) -> Result<(), LoadError> {
        if let Some(function) = &mut self.function
            && function.is_open()
        {
            return function.instruction(&mut self.ids, &mut self.globals, instruction);
        }
        let unknown = |what: String| Err(LoadError::Unknown { what, at: instruction.at });
        let first = || instruction.operand(0);
        match instruction.op {
            Op::Nop | Op::Line | Op::NoLine | Op::SourceExtension | Op::ModuleProcessed => Ok(()),
            Op::Source | Op::SourceContinued => self.source(instruction),
            Op::String => {
                let text = instruction.string(1)?.into();
                self.ids.define(instruction, first()?, Entity::String(text))
            }
            Op::Name => {
                self.globals.name(first()?, None, instruction.string(1)?);
                Ok(())
            }
            Op::MemberName => {
                let member = instruction.operand(1)?;
                self.globals.name(first()?, Some(member), instruction.string(2)?);
                Ok(())
            }
            Op::Capability => match Capability::from_u32(first()?) {
                Some(
                    Capability::Shader
                    | Capability::ImageQuery
                    | Capability::Matrix
                    | Capability::SignedZeroInfNanPreserve
                    | Capability::DenormPreserve
                    | Capability::RoundingModeRTE,
                ) => Ok(()),
                Some(other) => unknown(format!("capability {other:?}")),
                None => unknown(format!("capability {}", first()?)),
            },
            Op::Extension => match instruction.string(0)?.as_str() {
                "SPV_KHR_float_controls" | "SPV_KHR_storage_buffer_storage_class" => Ok(()),
                other => unknown(format!("extension {other}")),
            },
            Op::ExtInstImport => match instruction.string(1)?.as_str() {
                "GLSL.std.450" => self.ids.define(instruction, first()?, Entity::Glsl),
                other => unknown(format!("instruction set {other}")),
            },
            Op::MemoryModel => {
                let wanted = [AddressingModel::Logical as u32, MemoryModel::GLSL450 as u32];
                if instruction.operands == wanted {
                    return Ok(());
                }
                unknown("a memory model other than Logical GLSL450".into())
            }
            Op::EntryPoint => {
                if self.entry.is_some() {
                    return unknown("a second entry point".into());
                }
                if first()? != ExecutionModel::Fragment as u32 {
                    return unknown("an entry point that is no fragment shader".into());
                }
                self.entry = Some(instruction.operand(1)?);
                Ok(())
            }
            Op::ExecutionMode => match ExecutionMode::from_u32(instruction.operand(1)?) {
                Some(
                    ExecutionMode::OriginUpperLeft
                    | ExecutionMode::SignedZeroInfNanPreserve
                    | ExecutionMode::DenormPreserve
                    | ExecutionMode::RoundingModeRTE,
                ) => Ok(()),
                Some(other) => unknown(format!("execution mode {other:?}")),
                None => unknown(format!("execution mode {}", instruction.operand(1)?)),
            },
            Op::Decorate => self.decorate(instruction, None, 1),
            Op::MemberDecorate => self.decorate(instruction, Some(instruction.operand(1)?), 2),
            Op::Function => {
                if self.function.is_some() {
                    return unknown("a second function".into());
                }
                self.function = Some(LoadedFunction::new(&mut self.ids, instruction)?);
                Ok(())
            }
            _ => self.globals.declare(&mut self.ids, instruction),
        }
    }

    fn source(&mut self, instruction: &Instruction<'_>) -> Result<(), LoadError> {
        if instruction.op == Op::SourceContinued {
            if self.continues
                && let Some(source) = self.sources.last_mut()
            {
                source.text.push_str(&instruction.string(0)?);
            }
            return Ok(());
        }
        self.continues = false;
        if instruction.operands.len() > 3
            && let Some(Entity::String(name)) = self.ids.get(instruction.operand(2)?)
        {
            let (id, name) = (instruction.operand(2)?, (**name).into());
            self.sources.push(Source { id, name, text: instruction.string(3)? });
            self.continues = true;
        }
        Ok(())
    }

    fn decorate(
        &mut self,
        instruction: &Instruction<'_>,
        member: Option<u32>,
        index: usize,
    ) -> Result<(), LoadError> {
        let number = instruction.operand(index)?;
        let Some(decoration) = Decoration::from_u32(number) else {
            let what = format!("decoration {number}");
            return Err(LoadError::Unknown { what, at: instruction.at });
        };
        match decoration {
            // What is said of memory is read where memory is; the evaluator never contracts.
            Decoration::Block
            | Decoration::NonWritable
            | Decoration::ColMajor
            | Decoration::NoContraction
            | Decoration::SpecId
            | Decoration::DescriptorSet => Ok(()),
            Decoration::BuiltIn
            | Decoration::Location
            | Decoration::Binding
            | Decoration::Offset
            | Decoration::ArrayStride
            | Decoration::MatrixStride => {
                let value = instruction.operand(index + 1)?;
                self.globals.decorate(instruction.operand(0)?, member, decoration, value);
                Ok(())
            }
            other => {
                let what = format!("decoration {other:?}");
                Err(LoadError::Unknown { what, at: instruction.at })
            }
        }
    }
}
