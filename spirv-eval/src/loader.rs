//! Loads a module in one pass over its instructions, declarations before their uses.

use super::accepted::ACCEPTED;
use super::binary::{Instruction, instructions, name};
use super::code::Function;
use super::debug::FunctionDebug;
use super::error::LoadError;
use super::function::LoadedFunction;
use super::global::Globals;
use super::module::{Module, Source};
use super::options::{LoadOptions, Undefined};
use super::scan::{Scan, scan};
use super::signature::{Signature, signature};
use super::values::{Entity, Ids};
use lambdav_core::interface::Stage;
use rspirv::spirv::{AddressingModel, Capability, Decoration, ExecutionMode, MemoryModel, Op};

/// Most invocations of a workgroup.
const MAX_INVOCATIONS: u64 = 1 << 16;

/// State of the loader.
#[derive(Debug)]
struct Loader<'w> {
    undefined: Undefined,
    scan: Scan<'w>,
    ids: Ids,
    globals: Globals,
    signatures: Vec<Signature>,
    functions: Vec<Option<Function>>,
    debug: Vec<FunctionDebug>,
    /// The function that is being read.
    function: Option<LoadedFunction>,
    /// True inside a function that is never called.
    is_skipped: bool,
    headers: usize,
    sources: Vec<Source>,
    /// Strings, which may be file names.
    names: Vec<(u32, String)>,
    /// True if OpSourceContinued extends the last of `sources`.
    continues: bool,
}

impl Module {
    /// The supported instructions.
    pub const ACCEPTED: &'static [Op] = ACCEPTED;

    /// Loads a module; undefined behaviour is a fault ([`Undefined::Marked`]).
    pub fn new(words: &[u32]) -> Result<Self, LoadError> {
        load(words, &LoadOptions::default(), false)
    }

    /// Loads a module.
    pub fn with_options(words: &[u32], options: &LoadOptions) -> Result<Self, LoadError> {
        load(words, options, false)
    }

    /// Like [`Module::with_options`], with the names and lines that an [`Observer`](crate::Observer) sees.
    pub fn with_debug(words: &[u32], options: &LoadOptions) -> Result<Self, LoadError> {
        load(words, options, true)
    }
}

/// Loads a module.
fn load(words: &[u32], options: &LoadOptions, has_debug: bool) -> Result<Module, LoadError> {
    let undefined = options.undefined;
    let scan = scan(words, options)?;
    let mut globals = Globals::new(undefined, options.stage, scan.interface.clone());
    globals.changed = options.changed;
    globals.has_levels = scan.asks_for_levels;
    globals.images = options.images.clone();
    globals.has_debug = has_debug;
    let mut loader = Loader {
        undefined,
        scan,
        ids: Ids::new(undefined),
        globals,
        signatures: Vec::new(),
        functions: Vec::new(),
        debug: Vec::new(),
        function: None,
        is_skipped: false,
        headers: 0,
        sources: Vec::new(),
        names: Vec::new(),
        continues: false,
    };
    for instruction in instructions(words)? {
        loader.next(&instruction?)?;
    }
    loader.finish()
}

fn known(instruction: &Instruction<'_>) -> Result<(), LoadError> {
    if ACCEPTED.contains(&instruction.op) {
        return Ok(());
    }
    Err(LoadError::Opcode { name: name(instruction.op), at: instruction.at })
}

impl<'w> Loader<'w> {
    /// Reads the next instruction.
    fn next(&mut self, instruction: &Instruction<'w>) -> Result<(), LoadError> {
        if self.is_skipped {
            self.is_skipped = instruction.op != Op::FunctionEnd;
            return Ok(());
        }
        let Some(function) = &mut self.function else {
            if instruction.op == Op::Function {
                return self.begin(instruction);
            }
            let done = known(instruction).and_then(|()| self.declare(instruction));
            return match done {
                Err(error) if self.undefined == Undefined::Total => {
                    // The id of a type is the first operand, that of other declarations the second.
                    let error = self.ids.reason(instruction, error);
                    let index = usize::from(!name(instruction.op).starts_with("OpType"));
                    match instruction.op {
                        Op::MemoryModel
                        | Op::ExecutionMode
                        | Op::GroupDecorate
                        | Op::GroupMemberDecorate => return Err(error),
                        _ => self.ids.refuse(instruction.operand(index)?, error),
                    }
                    Ok(())
                }
                done => done,
            };
        };
        let done = known(instruction).and_then(|()| {
            function.instruction(&mut self.ids, &mut self.globals, &self.signatures, instruction)
        });
        done.map_err(|error| self.ids.reason(instruction, error))?;
        if instruction.op == Op::FunctionEnd
            && let Some(function) = self.function.take()
        {
            let number = function.number;
            let variables = self.globals.take_variables();
            let (blocks, debug) = function.finish(&self.ids, &mut self.headers)?;
            if self.globals.has_debug {
                self.debug[number] = debug;
            }
            self.functions[number] = Some(Function { blocks, variables });
            self.ids.close();
        }
        Ok(())
    }

    /// Begins a function. The first one also reads the signatures of all called functions.
    fn begin(&mut self, instruction: &Instruction<'w>) -> Result<(), LoadError> {
        if self.signatures.is_empty() {
            self.globals.close();
            for head in &self.scan.functions {
                let number = self.signatures.len();
                let read = signature(&mut self.ids, head, number);
                self.signatures.push(read?);
            }
            self.functions = self.signatures.iter().map(|_| None).collect();
            if self.globals.has_debug {
                self.debug.resize(self.signatures.len(), FunctionDebug::default());
            }
        }
        let id = instruction.operand(1)?;
        let number = self.signatures.iter().position(|of| of.id == id);
        match number {
            None => self.is_skipped = true,
            Some(number) if self.functions[number].is_some() => {
                return Err(instruction.malformed("a second function of that id"));
            }
            Some(number) => {
                self.ids.open();
                let signature = &self.signatures[number];
                let function = LoadedFunction::new(number, signature, &self.ids, &self.globals);
                self.function = Some(function);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Module, LoadError> {
        if self.function.is_some() {
            return Err(LoadError::Missing("end of its function"));
        }
        let missing = LoadError::Missing(match self.globals.stage {
            Stage::Vertex => "matching vertex entry point",
            Stage::Compute => "matching compute entry point",
            _ => "matching fragment entry point",
        });
        let entry = self.scan.entry.ok_or(missing)?;
        let entry = self.signatures.iter().position(|of| of.id == entry);
        let entry = entry.ok_or(LoadError::Missing("function for its entry point"))?;
        let of_entry = &self.signatures[entry];
        if of_entry.result.is_some() || !of_entry.parameters.is_empty() {
            return Err(LoadError::Missing("entry point without parameters and result"));
        }
        let functions: Option<Vec<Function>> = self.functions.into_iter().collect();
        let functions = functions.ok_or(LoadError::Missing("function that is called"))?;
        let globals = self.globals;
        let mut workgroup = globals.workgroup.clone();
        // This constant takes precedence.
        if let Some(size) = globals.workgroup_size() {
            workgroup.size = size;
        }
        let invocations = workgroup.size.iter().map(|&n| u64::from(n)).product::<u64>();
        if !(1..=MAX_INVOCATIONS).contains(&invocations) {
            return Err(LoadError::Missing("workgroup of a size that is supported"));
        }
        Ok(Module {
            undefined: self.undefined,
            functions,
            entry,
            headers: self.headers,
            words: self.ids.words,
            constants: globals.constants,
            computed: globals.computed,
            outputs: globals.outputs,
            inputs: globals.inputs,
            built_ins: globals.built_ins,
            uniforms: globals.uniforms,
            blocks: globals.blocks,
            variables: globals.variables,
            variable_words: globals.variable_words,
            workgroup,
            globals: globals.of_module,
            resources: globals.resources,
            samplers: globals.samplers,
            sources: self.sources,
            names: self.names,
            debug: self.debug,
        })
    }

    /// Reads an instruction outside functions.
    fn declare(&mut self, instruction: &Instruction<'_>) -> Result<(), LoadError> {
        let is_marked = self.undefined == Undefined::Marked;
        let unknown = |what: String| match is_marked {
            true => Err(LoadError::Unknown { what, at: instruction.at }),
            false => Ok(()),
        };
        let first = || instruction.operand(0);
        match instruction.op {
            Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::SourceExtension
            | Op::ModuleProcessed
            | Op::EntryPoint => Ok(()),
            Op::Source | Op::SourceContinued => self.source(instruction),
            Op::ExtInst if let Some(Entity::DebugInfo) = self.ids.get(instruction.operand(2)?) => {
                self.debug_source(instruction)
            }
            Op::String => {
                let text: std::rc::Rc<str> = instruction.string(1)?.into();
                self.names.push((first()?, text.to_string()));
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
                    | Capability::Float64
                    | Capability::Int64
                    | Capability::Geometry
                    | Capability::GroupNonUniform
                    | Capability::GroupNonUniformQuad
                    | Capability::SignedZeroInfNanPreserve
                    | Capability::DenormPreserve
                    | Capability::RoundingModeRTE,
                ) => Ok(()),
                Some(other) => unknown(format!("capability {other:?}")),
                None => unknown(format!("capability {}", first()?)),
            },
            Op::Extension => match instruction.string(0)?.as_str() {
                "SPV_KHR_float_controls"
                | "SPV_KHR_non_semantic_info"
                | "SPV_KHR_storage_buffer_storage_class" => Ok(()),
                other => unknown(format!("extension {other}")),
            },
            Op::ExtInstImport => match instruction.string(1)?.as_str() {
                "GLSL.std.450" => self.ids.define(instruction, first()?, Entity::Glsl),
                "NonSemantic.Shader.DebugInfo.100" if !is_marked => {
                    self.ids.define(instruction, first()?, Entity::DebugInfo)
                }
                "NonSemantic.DebugPrintf" if self.globals.has_debug => {
                    self.ids.define(instruction, first()?, Entity::DebugPrintf)
                }
                of if of.starts_with("NonSemantic.") => {
                    self.ids.define(instruction, first()?, Entity::NonSemantic)
                }
                other => {
                    let what = format!("instruction set {other}");
                    Err(LoadError::Unknown { what, at: instruction.at })
                }
            },
            Op::MemoryModel => {
                let logical = AddressingModel::Logical as u32;
                let wanted = [logical, MemoryModel::GLSL450 as u32];
                if instruction.operands == wanted || !is_marked && first()? == logical {
                    return Ok(());
                }
                let what = "a memory model other than Logical GLSL450".into();
                Err(LoadError::Unknown { what, at: instruction.at })
            }
            Op::ExecutionMode if Some(first()?) != self.scan.entry => Ok(()),
            Op::ExecutionMode => match ExecutionMode::from_u32(instruction.operand(1)?) {
                Some(
                    ExecutionMode::OriginUpperLeft
                    | ExecutionMode::DepthReplacing
                    | ExecutionMode::SignedZeroInfNanPreserve
                    | ExecutionMode::DenormPreserve
                    | ExecutionMode::RoundingModeRTE,
                ) => Ok(()),
                Some(ExecutionMode::LocalSize) if self.globals.stage == Stage::Compute => {
                    let size = [2, 3, 4].map(|index| instruction.operand(index));
                    let [x, y, z] = size;
                    self.globals.workgroup.size = [x?, y?, z?];
                    Ok(())
                }
                Some(ExecutionMode::OriginLowerLeft) => {
                    let what = "an origin at the lower left".into();
                    Err(LoadError::Unknown { what, at: instruction.at })
                }
                Some(other) => unknown(format!("execution mode {other:?}")),
                None => unknown(format!("execution mode {}", instruction.operand(1)?)),
            },
            Op::Decorate => self.decorate(instruction, None, 1),
            Op::MemberDecorate => self.decorate(instruction, Some(instruction.operand(1)?), 2),
            _ => self.globals.declare(&mut self.ids, instruction),
        }
    }

    /// Records a file of NonSemantic.Shader.DebugInfo.100. Its types and variables are ignored.
    fn debug_source(&mut self, instruction: &Instruction<'_>) -> Result<(), LoadError> {
        let string =
            |s: &Self, index| match instruction.operands.get(index).map(|id| s.ids.get(*id)) {
                Some(Some(Entity::String(text))) => Some(String::from(&**text)),
                _ => None,
            };
        let id = instruction.operand(1)?;
        if instruction.operand(3)? == 35
            && let Some(name) = string(self, 4)
        {
            let text = string(self, 5).unwrap_or_default();
            self.sources.push(Source { id, name, text });
            self.ids.define(instruction, id, Entity::DebugFile)?;
        }
        Ok(())
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
        let is_marked = self.undefined == Undefined::Marked;
        let unknown = |what: String| match is_marked {
            true => Err(LoadError::Unknown { what, at: instruction.at }),
            false => Ok(()),
        };
        let Some(decoration) = Decoration::from_u32(number) else {
            return unknown(format!("decoration {number}"));
        };
        let value = match decoration {
            Decoration::BuiltIn
            | Decoration::Location
            | Decoration::Component
            | Decoration::Binding
            | Decoration::DescriptorSet
            | Decoration::Offset
            | Decoration::ArrayStride
            | Decoration::MatrixStride => instruction.operand(index + 1)?,
            Decoration::NoContraction | Decoration::BufferBlock => 0,
            Decoration::RowMajor if !is_marked => 0,
            // Decorations without effect, or checked where the memory is accessed.
            Decoration::Block
            | Decoration::NonWritable
            | Decoration::ColMajor
            | Decoration::Flat
            | Decoration::NoPerspective
            | Decoration::SpecId => return Ok(()),
            other => return unknown(format!("decoration {other:?}")),
        };
        self.globals.decorate(instruction.operand(0)?, member, decoration, value);
        Ok(())
    }
}
