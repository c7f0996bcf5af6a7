//! The evaluator of SPIR-V as an engine: of what a program compiles to, or of a module from elsewhere.

mod given;

use super::{Engine, Sites, each_pixel, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate::loop_limit_diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::schedule;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::texture::TextureData;
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use lambdav_spirv_backend::emit::{self, EmitError};
use lambdav_spirv_eval::{
    InputSource, LoadError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Position, Resources,
    Undefined,
};
use lambdav_spirv_frontend::Interface;
use std::sync::Arc;
use thiserror::Error;

/// Executes SPIR-V, pixel by pixel.
#[derive(Debug)]
pub struct SpirvEngine {
    module: Module,
    resources: Resources,
    location: u32,
    /// What a pixel keeps that is discarded.
    clear: [u32; 4],
    settings: Settings,
    loops: Loops,
    sites: Sites,
    /// What inputs of locations are.
    inputs: Vec<(u32, InputSource)>,
    /// Descriptor sets and bindings of textures and buffers, by their numbers.
    bindings: Vec<[u32; 2]>,
    /// Of a module of any compiler: what it wants.
    interface: Option<Interface>,
}

/// How the `rec-func` of a loop is found.
#[derive(Debug)]
enum Loops {
    /// By the label of its header, in what was emitted here.
    Emitted(emit::EmittedModule),
    /// By the line that the module gives, in the source that it carries.
    Carried(SourceFile),
}

/// Why there is no [`SpirvEngine`].
#[derive(Debug, Error)]
pub enum SpirvError {
    /// The program is at fault.
    #[error("{}", .0.message)]
    Program(Diagnostic),
    /// It cannot be said in SPIR-V.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The evaluator refuses what was emitted.
    #[error("what was emitted cannot be evaluated, which is a bug in lambdav")]
    Load(#[from] LoadError),
}

impl SpirvEngine {
    /// Compiles the output at `location`, which the program must have, to SPIR-V.
    pub fn new(core: &Core, location: u32, settings: &Settings) -> Result<Self, SpirvError> {
        if let Some(unbound) = core.unbound(&settings.inputs.resources) {
            return Err(SpirvError::Program(unbound));
        }
        let core = core.with_closed_loops_evaluated(settings.max_iterations);
        let program = schedule::schedule(&core, &[location]).map_err(SpirvError::Program)?;
        let emitted = emit::emit(&program, None, &emit::EmitOptions::default());
        let emitted = emitted.map_err(SpirvError::Emit)?;
        let module = Module::new(&emitted.words).map_err(SpirvError::Load)?;
        let types = core.uniforms.iter().map(|uniform| uniform.ty);
        Ok(Self {
            module,
            resources: Resources::new(&settings.inputs, &program.types, types),
            location,
            clear: program.clear(),
            settings: settings.clone(),
            loops: Loops::Emitted(emitted),
            sites: Sites::default(),
            inputs: Vec::new(),
            bindings: (1..)
                .map(|binding| [0, binding])
                .take(program.types.resources().len())
                .collect(),
            interface: None,
        })
    }

    /// For the output at `location` of a module of any compiler, by its words; `interface` is what these want, of which
    /// `settings` has the values: uniforms, textures and buffers are those of the program that it is raised to.
    /// `source` is the text that the module carries, `clear` the colour that a discarded pixel keeps.
    ///
    /// # Errors
    ///
    /// What the evaluator of words does not know.
    pub fn of_words(
        words: &[u32],
        interface: &Interface,
        source: &SourceFile,
        location: u32,
        clear: [f32; 4],
        settings: &Settings,
    ) -> Result<Self, LoadError> {
        let options = LoadOptions {
            undefined: Undefined::Total,
            entry_point: Some(interface.entry_point.clone()),
        };
        let module = Module::with_options(words, &options)?;
        let resources = given::resources(&module, interface, settings);
        let inputs = given::inputs(interface, settings);
        let all = interface.resources.iter();
        let bindings = all.map(|of| given::descriptor(of.binding).unwrap_or_default()).collect();
        Ok(Self {
            module,
            resources,
            location,
            clear: clear.map(f32::to_bits),
            settings: settings.clone(),
            loops: Loops::Carried(source.clone()),
            sites: Sites::default(),
            inputs,
            bindings,
            interface: Some(interface.clone()),
        })
    }

    /// For the output at `location` of a module, which must have it. The values of uniforms are those of
    /// the members of its uniform block, in order, and textures and buffers those that it declares. `source` is that which the module carries,
    /// `clear` the colour that a pixel keeps which it discards.
    pub fn of_module(
        module: Module,
        source: &SourceFile,
        location: u32,
        clear: [f32; 4],
        settings: &Settings,
    ) -> Self {
        let resources =
            Resources::for_members(&settings.inputs, module.uniforms(), module.resources());
        let bindings = module.resources().iter().map(|of| [of.set, of.binding]).collect();
        Self {
            module,
            resources,
            location,
            clear: clear.map(f32::to_bits),
            settings: settings.clone(),
            loops: Loops::Carried(source.clone()),
            sites: Sites::default(),
            inputs: Vec::new(),
            bindings,
            interface: None,
        }
    }

    fn diagnostic(&self, fault: ModuleFault) -> Diagnostic {
        let ModuleFault::LoopLimit { header, position } = fault else {
            let message = format!("the SPIR-V module goes wrong: {fault}");
            return Diagnostic::new(DiagnosticCode::InvalidModule, Span::default(), message)
                .note("the module breaks a rule of SPIR-V; spirv-val may say which");
        };
        let span = match (&self.loops, position) {
            (Loops::Emitted(emitted), _) => emitted.loop_span(header),
            (Loops::Carried(source), Some(position)) => {
                let name = self.module.file_name(position.file);
                let mut files = source.files().iter();
                let file = name.and_then(|name| files.position(|file| file.name == name));
                file.and_then(|file| span_at(source, file, position))
            }
            (Loops::Carried(_), None) => None,
        };
        let limit = self.settings.max_iterations;
        match span {
            Some(span) => loop_limit_diagnostic(span, limit),
            None => loop_limit_diagnostic(Span::default(), limit).note(format!(
                "the module does not say where; it is the loop with header %{header}"
            )),
        }
    }
}

/// The character at a line and column of the file of that index.
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
        let mut evaluator = ModuleEvaluator::new(&self.module, &self.resources, limit);
        evaluator.set_clear(self.clear);
        for (location, source) in &self.inputs {
            evaluator.set_input(*location, source);
        }
        each_pixel(tile, pixels, cancel, |x, y, cancelled| {
            let position = self.settings.at(x, y).frag_coord;
            match evaluator.run(position, cancelled) {
                Ok(()) if evaluator.is_discarded() => Ok(self.clear.map(f32::from_bits)),
                Ok(()) => Ok(fill(evaluator.output(self.location).unwrap_or_default())),
                Err(ModuleFault::Cancelled) => Err(Stop::Cancelled),
                Err(fault) => Err(self.sites.stop(self.diagnostic(fault), x, y)),
            }
        })
    }
}

impl Engine for SpirvEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }

    fn set_time(&mut self, time: f32, frame: f32) {
        self.settings.set_time(time, frame);
        self.resources.set_time(time, frame);
        if let Some(interface) = self.interface.as_ref().filter(|of| !of.given.is_empty()) {
            self.settings.give(&interface.given);
            given::set_blocks(&mut self.resources, interface, &self.settings);
        }
    }

    fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        self.settings.set_texture(number, texture);
        self.resources.set_texture_of(self.bindings[number], texture);
    }
}
