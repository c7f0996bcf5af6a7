//! Engine of the SPIR-V evaluator, for compiled programs and for modules of other compilers.

mod dispatch;
mod given;
mod stages;

pub use dispatch::SpirvDispatch;
pub(super) use stages::SpirvInputs;
pub use stages::SpirvStages;

use super::{BoundKernel, Sites, bound, each_pixel, fill_with};
use crate::settings::Settings;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate::loop_limit_diagnostic;
use lambdav_core::graph::{Core, clear_words};
use lambdav_core::inputs::frag_coord;
use lambdav_core::interface::Interface;
use lambdav_core::schedule;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type, Types};
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use lambdav_spirv_backend::emit::{self, EmitError};
use lambdav_spirv_eval::{
    InputSource, LoadError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Observer, Position,
    Resources, Slice, Undefined,
};
use std::sync::Arc;
use thiserror::Error;

/// A module for the SPIR-V evaluator.
#[derive(Debug)]
pub struct SpirvProgram {
    module: Module,
    locations: Vec<u32>,
    /// Colour of discarded pixels.
    clear: [u32; 4],
    /// The components of each output.
    scalars: Vec<Scalar>,
    loops: Loops,
    origin: Origin,
}

/// Origin of a module, which decides the layout of its uniforms.
#[derive(Debug)]
enum Origin {
    /// Emitted here for a program with this table of types and these types of uniforms.
    Program(Types, Vec<Type>),
    /// A module of any compiler, with its interface.
    Interface(Interface),
    /// Executed without raising it: uniforms are the members of its block.
    Members,
}

/// The SPIR-V evaluator with its inputs; it executes pixel by pixel.
#[derive(Debug)]
pub struct SpirvEngine {
    program: Arc<SpirvProgram>,
    resources: Resources,
    settings: Settings,
    sites: Sites,
    /// Sources of inputs, by location.
    inputs: Vec<(u32, InputSource)>,
}

/// An observed pixel.
pub(crate) struct Observed {
    /// The words of its first output.
    pub(crate) words: Vec<u32>,
    /// True if it was discarded.
    pub(crate) is_discarded: bool,
    /// The events that made it.
    pub(crate) slice: Slice,
}

/// Way to find the `rec-func` of a loop.
#[derive(Debug)]
enum Loops {
    /// By the label of the loop header, in emitted modules.
    Emitted(emit::EmittedModule),
    /// By the line that the module gives, in its embedded source.
    Carried(SourceFile),
}

/// Reason why there is no [`SpirvEngine`].
#[derive(Debug, Error)]
pub enum SpirvError {
    /// The program is at fault.
    #[error("{}", .0.message)]
    Program(Diagnostic),
    /// The program cannot be expressed in SPIR-V.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The evaluator rejects the emitted module.
    #[error("the emitted module cannot be evaluated, which is a bug in lambdav")]
    Load(#[from] LoadError),
}

impl SpirvProgram {
    /// Compiles the outputs at these locations, which must exist, to SPIR-V. Loops that depend on no
    /// input are evaluated, within `max_iterations` each.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply, or is too large for SPIR-V.
    pub fn new(core: &Core, locations: &[u32], max_iterations: u64) -> Result<Self, SpirvError> {
        Self::compiled(core, locations, None, max_iterations)
    }

    /// The same of one output, with the names and lines that an observer sees.
    pub(crate) fn emitted(
        core: &Core,
        location: u32,
        source: &SourceFile,
        max_iterations: u64,
    ) -> Result<Self, SpirvError> {
        Self::compiled(core, &[location], Some(source), max_iterations)
    }

    fn compiled(
        core: &Core,
        locations: &[u32],
        source: Option<&SourceFile>,
        max_iterations: u64,
    ) -> Result<Self, SpirvError> {
        let core = core.with_closed_loops_evaluated(max_iterations);
        let program = schedule::schedule_reported(&core, locations).map_err(SpirvError::Program)?;
        let locations = program.locations.clone();
        let emitted = emit::emit(&program, source, &emit::EmitOptions::default());
        let emitted = emitted.map_err(SpirvError::Emit)?;
        let module = match source {
            Some(_) => Module::with_debug(&emitted.words, &LoadOptions::default()),
            None => Module::new(&emitted.words),
        };
        let module = module.map_err(SpirvError::Load)?;
        let clear = program.clear();
        let scalar = |&output: &_| program.ty(output).scalar().unwrap_or(Scalar::F32);
        let scalars = program.outputs().iter().map(scalar).collect();
        let types = core.uniforms.iter().map(|uniform| uniform.ty).collect();
        let origin = Origin::Program(program.types, types);
        Ok(Self { module, locations, clear, scalars, loops: Loops::Emitted(emitted), origin })
    }

    /// Program for the outputs at these locations of a module of any compiler. `interface` lists the
    /// inputs: uniforms, textures and buffers are those of the raised program. `source` is the module's
    /// embedded text, `clear` the colour of discarded pixels.
    ///
    /// # Errors
    ///
    /// A module that the evaluator does not support.
    pub fn of_words(
        words: &[u32],
        interface: &Interface,
        source: &SourceFile,
        locations: &[u32],
        clear: [f32; 4],
    ) -> Result<Self, LoadError> {
        let module = Module::with_options(words, &options_for(interface))?;
        let origin = Origin::Interface(interface.clone());
        Ok(Self::carried(module, source, locations, clear, origin))
    }

    /// Like [`Self::of_words`], with the names and lines that an observer sees.
    ///
    /// # Errors
    ///
    /// As for [`Self::of_words`].
    pub(crate) fn observed(
        words: &[u32],
        interface: &Interface,
        source: &SourceFile,
        location: u32,
        clear: [f32; 4],
    ) -> Result<Self, LoadError> {
        let module = Module::with_debug(words, &options_for(interface))?;
        let origin = Origin::Interface(interface.clone());
        Ok(Self::carried(module, source, &[location], clear, origin))
    }

    /// The module.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Program for the outputs at these locations of a module, which must exist. Values of uniforms are
    /// those of the members of its uniform block, in order; textures and buffers are those that it
    /// declares. `source` is the module's embedded text, `clear` the colour of discarded pixels.
    pub fn of_module(
        module: Module,
        source: &SourceFile,
        locations: &[u32],
        clear: [f32; 4],
    ) -> Self {
        Self::carried(module, source, locations, clear, Origin::Members)
    }

    fn carried(
        module: Module,
        source: &SourceFile,
        locations: &[u32],
        clear: [f32; 4],
        origin: Origin,
    ) -> Self {
        let (clear, loops) = (clear.map(f32::to_bits), Loops::Carried(source.clone()));
        let scalar = |&location: &u32| match &origin {
            Origin::Interface(interface) => interface.scalar_of(location),
            _ => Scalar::F32,
        };
        let scalars = locations.iter().map(scalar).collect();
        Self { module, locations: locations.to_vec(), clear, scalars, loops, origin }
    }

    /// Creates a kernel for these inputs; all textures and buffers must be bound.
    pub fn bind(self: &Arc<Self>, settings: Settings) -> SpirvEngine {
        let inputs = &settings.inputs;
        let module = &self.module;
        let (resources, inputs) = match &self.origin {
            Origin::Program(types, of) => {
                (Resources::new(inputs, types, of.iter().copied()), Vec::new())
            }
            Origin::Members => {
                let (members, bindings) = (module.uniforms(), module.resources());
                (Resources::for_members(inputs, members, bindings), Vec::new())
            }
            Origin::Interface(interface) => {
                let inputs = given::inputs(interface, &settings);
                (given::resources(module, interface, &settings), inputs)
            }
        };
        SpirvEngine {
            program: Arc::clone(self),
            resources,
            settings,
            sites: Sites::default(),
            inputs,
        }
    }
}

/// Options for loading a module of any compiler.
fn options_for(interface: &Interface) -> LoadOptions {
    LoadOptions {
        undefined: Undefined::Total,
        entry_point: Some(interface.entry_point.name.clone()),
        images: interface.images.clone(),
        ..LoadOptions::default()
    }
}

impl SpirvEngine {
    /// The program.
    pub(crate) fn program(&self) -> &SpirvProgram {
        &self.program
    }

    /// Evaluates a pixel with an observer, and the slice of its first output if it is asked for. `None` if it was cancelled.
    pub(crate) fn observe(
        &self,
        [x, y]: [u32; 2],
        is_sliced: bool,
        cancelled: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<Option<Observed>, Diagnostic> {
        let limit = self.settings.max_iterations;
        let SpirvProgram { module, loops, clear, locations, .. } = &*self.program;
        let mut evaluator = ModuleEvaluator::new(module, &self.resources, limit);
        evaluator.set_clear(*clear);
        for (location, source) in &self.inputs {
            evaluator.set_input(*location, source);
        }
        let asked = is_sliced.then_some(locations[0]);
        match evaluator.run_observed(frag_coord(x, y), asked, cancelled, observer) {
            Ok(slice) => {
                let is_discarded = evaluator.is_discarded();
                let words = match is_discarded {
                    true => clear,
                    false => evaluator.output(locations[0]).unwrap_or_default(),
                };
                Ok(Some(Observed { words: words.to_vec(), is_discarded, slice }))
            }
            Err(ModuleFault::Cancelled) => Ok(None),
            Err(fault) => Err(diagnostic(fault, module, loops, limit)),
        }
    }

    /// Compiles the output at `location`, which must exist, to SPIR-V.
    ///
    /// # Errors
    ///
    /// As for [`SpirvProgram::new`], and a texture or buffer that is not bound.
    pub fn new(core: &Core, location: u32, settings: &Settings) -> Result<Self, SpirvError> {
        let settings = bound(core, settings).map_err(SpirvError::Program)?;
        let program = SpirvProgram::new(core, &[location], settings.max_iterations)?;
        Ok(Arc::new(program).bind(settings))
    }

    /// Engine for the output at `location` of a module; see [`SpirvProgram::of_module`].
    pub fn of_module(
        module: Module,
        source: &SourceFile,
        location: u32,
        clear: [f32; 4],
        settings: &Settings,
    ) -> Self {
        let program = SpirvProgram::of_module(module, source, &[location], clear);
        Arc::new(program).bind(settings.clone())
    }
}

/// The diagnostic of a fault.
fn diagnostic(
    fault: ModuleFault,
    module: &Module,
    loops: &Loops,
    max_iterations: u64,
) -> Diagnostic {
    let ModuleFault::LoopLimit { header, position } = fault else {
        let message = format!("the SPIR-V module goes wrong: {fault}");
        return Diagnostic::new(DiagnosticCode::InvalidModule, Span::default(), message)
            .note("the module breaks a rule of SPIR-V; spirv-val may say which");
    };
    let span = match (loops, position) {
        (Loops::Emitted(emitted), _) => emitted.loop_span(header),
        (Loops::Carried(source), Some(position)) => {
            let name = module.file_name(position.file);
            let mut files = source.files().iter();
            let file = name.and_then(|name| files.position(|file| file.name == name));
            file.and_then(|file| span_at(source, file, position))
        }
        (Loops::Carried(_), None) => None,
    };
    match span {
        Some(span) => loop_limit_diagnostic(span, max_iterations),
        None => loop_limit_diagnostic(Span::default(), max_iterations)
            .note(format!("the module does not say where; it is the loop with header %{header}")),
    }
}

/// The character at a line and column of the file with that index.
fn span_at(source: &SourceFile, file: usize, at: Position) -> Option<Span> {
    let Position { line, column, .. } = at;
    let file = source.files()[file].span;
    let text = source.slice(file);
    let skip = text.starts_with('\u{feff}') && line == 1;
    let lines = line.checked_sub(1)? as usize;
    let before: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
    let found = text[before..].split('\n').next()?;
    let index = column.saturating_sub(1) as usize + usize::from(skip);
    let (offset, character) = found.char_indices().nth(index)?;
    let start = file.start + (before + offset) as u32;
    Some(Span::new(start, start + character.len_utf8() as u32))
}

impl Kernel for SpirvEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let limit = self.settings.max_iterations;
        let mut evaluator = ModuleEvaluator::new(&self.program.module, &self.resources, limit);
        evaluator.set_clear(self.program.clear);
        for (location, source) in &self.inputs {
            evaluator.set_input(*location, source);
        }
        each_pixel(tile, pixels, cancel, |x, y, cancelled, found| {
            let position = frag_coord(x, y);
            match evaluator.run(position, cancelled) {
                Ok(()) => {
                    let SpirvProgram { locations, scalars, clear, .. } = &*self.program;
                    let outputs = locations.iter().zip(scalars).zip(found);
                    for ((&location, &scalar), pixel) in outputs {
                        *pixel = match evaluator.is_discarded() {
                            true => {
                                let clear = clear.map(f32::from_bits);
                                clear_words(clear, Some(scalar)).map(f32::from_bits)
                            }
                            false => {
                                fill_with(evaluator.output(location).unwrap_or_default(), scalar)
                            }
                        };
                    }
                    Ok(())
                }
                Err(ModuleFault::Cancelled) => Err(Stop::Cancelled),
                Err(fault) => {
                    let SpirvProgram { module, loops, .. } = &*self.program;
                    Err(self.sites.stop(diagnostic(fault, module, loops, limit), x, y))
                }
            }
        })
    }

    fn attachments(&self) -> usize {
        self.program.locations.len()
    }
}

impl BoundKernel for SpirvEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }
}
