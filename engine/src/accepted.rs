//! Accepted programs, which shaders, pipelines and bindings share.

use crate::error::Report;
#[cfg(feature = "foreign")]
use crate::loaded::WgslSettings;
use crate::loaded::{Loaded, LoadedModule};
use crate::settings::{ModuleNames, Paths};
use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::flat::FlatType;
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::inputs::Input;
use lambdav_core::interface::{BuiltInPart, Interface, NamedValue};
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
    /// The type of the expression that takes the place of the picture.
    pub(crate) expression: Option<FlatType>,
    /// The dialect of GLSL, by its name; none for other languages.
    pub(crate) dialect: Option<&'static str>,
    /// True if the first row of pixels is the lowest one; pictures are then written in reverse.
    pub(crate) lower_left: bool,
    /// For each uniform, true if the text of a module gives its default.
    pub(crate) has_default: Vec<bool>,
    pub(crate) warnings: Diagnostics,
    /// What compiles a text in WGSL again.
    #[cfg(feature = "foreign")]
    pub(crate) wgsl: Option<WgslSettings>,
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
        let has_default = loaded.has_default();
        let Loaded { source, is_core_text, core, interface, diagnostics, module, .. } = loaded;
        let (dialect, lower_left) = (loaded.dialect, loaded.lower_left);
        let expression = loaded.expression;
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
            expression,
            dialect,
            lower_left,
            has_default,
            warnings,
            #[cfg(feature = "foreign")]
            wgsl: loaded.wgsl,
        };
        Ok(program)
    }

    /// Locations of the outputs, ascending; none of a program of passes alone.
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

/// Parts of block members that have the name and the type of a value, such as `time`.
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
        let Some(value) = named_value(name) else { continue };
        let is_whole = matches!(value, NamedValue::Input(Input::Frame | Input::Resolution));
        let (Some(scalar), Some(width)) = (ty.scalar(), ty.width()) else { continue };
        let width = usize::from(width);
        let fits = match scalar {
            Scalar::F32 => true,
            Scalar::I32 | Scalar::U32 => is_whole,
            Scalar::Bool => false,
        };
        let has_width = match value {
            NamedValue::Input(Input::Resolution) => matches!(width, 2 | 3),
            NamedValue::Input(Input::Mouse) => matches!(width, 2 | 4),
            NamedValue::Input(_) | NamedValue::Delta => width == 1,
            NamedValue::Date => width == 4,
        };
        if fits && has_width && !ty.is_matrix() {
            let part = BuiltInPart { uniform: index, start, width, value, scalar };
            found.push(NamedInput { path, part });
        }
    }
    found
}

/// The value that a uniform of this name takes: the names of λV, Shadertoy, ISF, glslViewer and The Book of Shaders.
fn named_value(name: &str) -> Option<NamedValue> {
    Some(NamedValue::Input(match name {
        "time" | "iTime" | "iGlobalTime" | "u_time" | "TIME" => Input::Time,
        "frame" | "iFrame" | "u_frame" | "FRAMEINDEX" => Input::Frame,
        "resolution" | "size" | "iResolution" | "u_resolution" | "RENDERSIZE" => Input::Resolution,
        "mouse" | "iMouse" | "u_mouse" => Input::Mouse,
        "iDate" | "u_date" | "DATE" => return Some(NamedValue::Date),
        "TIMEDELTA" => return Some(NamedValue::Delta),
        _ => return None,
    }))
}
