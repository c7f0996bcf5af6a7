//! Accepted programs, which shaders, pipelines and bindings share.

use crate::error::Report;
use crate::loaded::{Loaded, LoadedModule};
use crate::settings::{ModuleNames, Paths};
use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::inputs::Input;
use lambdav_core::interface::{BuiltInPart, Interface};
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Scalar, Types};

/// A program without errors.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// Text that diagnostics point into.
    pub(crate) source: SourceFile,
    pub(crate) is_core_text: bool,
    pub(crate) core: Core,
    /// Entry point, inputs, outputs and bindings.
    pub(crate) interface: Interface,
    pub(crate) module: Option<LoadedModule>,
    /// Set for a module that is executed without raising it; `core` then holds only its interface.
    pub(crate) as_is: Option<AsIs>,
    /// Names of a module's uniforms.
    pub(crate) names: ModuleNames,
    /// Parts of a module's uniforms that are named like inputs of λV. A part without a value of its own
    /// takes the input's value.
    pub(crate) named_inputs: Vec<NamedInput>,
    pub(crate) warnings: Diagnostics,
}

/// A module that is executed without raising it.
#[cfg_attr(not(feature = "spirv"), expect(dead_code, reason = "no other module is"))]
#[derive(Debug)]
pub(crate) struct AsIs {
    pub(crate) words: Vec<u32>,
    /// Colour of discarded pixels.
    pub(crate) clear: [f32; 4],
}

/// A part of a uniform that is named like an input of λV.
#[derive(Clone, Debug)]
pub(crate) struct NamedInput {
    /// Path of the part.
    pub(crate) path: String,
    pub(crate) part: BuiltInPart,
}

impl Accepted {
    /// The program, or its diagnostics if it has errors.
    pub(crate) fn new(loaded: Loaded) -> Result<Self, Report> {
        let Loaded { source, is_core_text, core, interface, diagnostics, module, .. } = loaded;
        let Some(core) = core else { return Err(Report { source, diagnostics }) };
        let (interface, names, named_inputs) = match interface {
            Some(interface) => {
                let named = named_inputs(&core, &interface);
                let names = ModuleNames::new(&interface);
                (interface, names, named)
            }
            None => {
                let interface = Interface::of(&core);
                let names = ModuleNames::by_bindings(&interface);
                (interface, names, Vec::new())
            }
        };
        let (as_is, warnings) = (None, diagnostics);
        let program = Self {
            source,
            is_core_text,
            core,
            interface,
            module,
            as_is,
            names,
            named_inputs,
            warnings,
        };
        Ok(program)
    }

    /// Locations of the outputs, at least one, ascending.
    pub(crate) fn outputs(&self) -> Vec<u32> {
        self.interface.outputs.iter().map(|output| output.location).collect()
    }

    /// The module whose own words the engine `spirv` executes; none for WGSL and GLSL.
    #[cfg(feature = "spirv")]
    pub(crate) fn executed_module(&self) -> Option<&LoadedModule> {
        self.module.as_ref().filter(|module| !module.is_foreign)
    }

    pub(crate) fn types(&self) -> &Types {
        self.core.graph.types()
    }

    /// The uniforms under all their names.
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::new(self.types(), &self.core.uniforms).with_module(&self.names)
    }

    /// True for text in λV.
    pub(crate) fn is_shader(&self) -> bool {
        !self.is_core_text && self.has_defaults()
    }

    /// True if uniforms have defaults, as in λV; those of modules are zero.
    pub(crate) fn has_defaults(&self) -> bool {
        self.module.is_none() && self.as_is.is_none()
    }
}

/// Parts of block members that have the name and the number of components of an input of λV.
fn named_inputs(core: &Core, interface: &Interface) -> Vec<NamedInput> {
    let types = core.graph.types();
    let all = interface.uniforms();
    all.flat_map(|(_, index, of)| inputs_in(types, index, &of.name, &core.uniforms[index]))
        .collect()
}

fn inputs_in(types: &Types, index: usize, name: &str, uniform: &Uniform) -> Vec<NamedInput> {
    let mut found = Vec::new();
    let mut open = vec![(name, uniform.name.clone(), uniform.ty, 0)];
    while let Some((name, path, ty, start)) = open.pop() {
        if let Some(structure) = types.structure(ty) {
            for (index, field) in structure.fields.iter().enumerate().rev() {
                let (part, offset) = types.part(ty, index).expect("it is a field");
                open.push((&field.name, format!("{path}.{}", field.name), part, start + offset));
            }
            continue;
        }
        let input = match name {
            "time" => Input::Time,
            "frame" => Input::Frame,
            "resolution" | "size" => Input::Resolution,
            "mouse" => Input::Mouse,
            _ => continue,
        };
        let is_whole = matches!(input, Input::Frame | Input::Resolution);
        let Some(scalar) = ty.scalar() else { continue };
        let fits = match scalar {
            Scalar::F32 => true,
            Scalar::I32 | Scalar::U32 => is_whole,
            Scalar::Bool => false,
        };
        if fits && ty.width() == input.ty().width() {
            let part = BuiltInPart { uniform: index, start, input, scalar };
            found.push(NamedInput { path, part });
        }
    }
    found
}
