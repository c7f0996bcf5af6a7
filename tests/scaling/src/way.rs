//! Ways to compile a text.

use crate::Family;
use crate::families::TextLanguage;
use lambdav_core::core_text;
use lambdav_core::diagnostics::{Diagnostic, render_text};
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_engine::engines::{FastEngine, SimdError};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::Settings;
use lambdav_image::Size;
use lambdav_raster::{RenderOptions, render};
use lambdav_simd_backend::registers::{self, Between};
use lambdav_simd_backend::{Compiler, Target};
use lambdav_spirv_backend::emit::EmitOptions;
use std::fmt;

/// The product of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A picture, by the fastest engine for the program.
    Picture,
    /// Core text, which is read again.
    CoreText,
    /// SPIR-V.
    Spirv,
    /// A register program of four lanes. (The choices of lanes and register allocation depend on the
    /// program's size; here they are fixed.)
    Registers,
    /// The schedule of a program in GLSL, as `lambdav check` makes it.
    Glsl,
    /// The same of a program in WGSL.
    Wgsl,
}

impl Way {
    /// Ways with a usable product.
    pub const ALL: [Self; 5] = [Self::Picture, Self::CoreText, Self::Spirv, Self::Glsl, Self::Wgsl];

    /// True if the way takes texts of the family's language.
    pub fn takes(self, family: Family) -> bool {
        let language = match self {
            Self::Glsl => TextLanguage::Glsl,
            Self::Wgsl => TextLanguage::Wgsl,
            _ => TextLanguage::Lv,
        };
        family.language == language
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Picture => "picture",
            Self::CoreText => "core-text",
            Self::Spirv => "spirv",
            Self::Registers => "registers",
            Self::Glsl => "glsl",
            Self::Wgsl => "wgsl",
        }
    }
}

/// The result of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Success.
    Done,
    /// Success, by the core evaluator.
    Evaluated,
    /// An error: its code or message.
    Refused(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Evaluated => f.write_str("evaluated"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

/// Width and height of pictures. Drawing must cost less than compiling.
const SIDE: u32 = 4;

fn refused(diagnostics: &[Diagnostic], source: &SourceFile) -> Answer {
    // Rendering diagnostics is part of the work.
    let text = render_text(diagnostics, source, false);
    assert!(!text.is_empty(), "a refusal has a message");
    let first = diagnostics.iter().find(|d| d.is_error());
    Answer::Refused(first.expect("there is an error").code.as_str().to_owned())
}

impl Way {
    /// Compiles a text. The work stays on this thread if it belongs to a pool of one thread.
    pub fn go(self, text: &str) -> Answer {
        let name = match self {
            Self::Glsl => "scaling.frag",
            Self::Wgsl => "scaling.wgsl",
            _ => "scaling.lv",
        };
        let Loaded { source, core, diagnostics, .. } = Loaded::from_text(name, text);
        let Some(core) = core else { return refused(&diagnostics, &source) };
        // Rendering warnings is part of the work.
        drop(render_text(&diagnostics, &source, false));
        let mut locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
        locations.sort_unstable();
        match self {
            Self::Picture => {
                let size = Size::new(SIDE, SIDE).expect("within the limits");
                let settings = Settings::new(&core, size);
                let engine = match FastEngine::new(&core, locations[0], &settings, None) {
                    Ok(engine) => engine,
                    Err(SimdError::Program(found)) => return refused(&[found], &source),
                    Err(SimdError::Emit(error)) => return Answer::Refused(error.to_string()),
                };
                match render(&engine, size, &RenderOptions::default()) {
                    Ok(_) if matches!(engine, FastEngine::Core(..)) => Answer::Evaluated,
                    Ok(_) => Answer::Done,
                    Err(error) => Answer::Refused(error.to_string()),
                }
            }
            Self::CoreText => match core_text::print(&core, Some(&source)) {
                Err(found) => refused(&[found], &source),
                Ok(text) => {
                    let source = SourceFile::new("scaling.core", text);
                    match core_text::read(&source) {
                        (Some(_), _) => Answer::Done,
                        (None, found) => refused(&found, &source),
                    }
                }
            },
            Self::Registers => match schedule(&core, &locations[..1]) {
                Err(found) => refused(&[found], &source),
                Ok(program) => {
                    let target = Target::host().expect("the machine is of a known kind");
                    let machine = target.machine();
                    let compiler = Compiler { lanes: Some(4), ..Compiler::new(target) };
                    let lanes = compiler.lane_program(&program);
                    // Without the verifier, which debug builds run between the stages.
                    let mut code = registers::lower(&lanes, compiler.choice(&lanes).shape);
                    registers::spill(&mut code, &machine, Between::Registers);
                    Answer::Done
                }
            },
            Self::Glsl | Self::Wgsl => match schedule(&core, &locations) {
                Err(found) => refused(&[found], &source),
                Ok(_) => Answer::Done,
            },
            Self::Spirv => match schedule(&core, &locations) {
                Err(found) => refused(&[found], &source),
                Ok(program) => {
                    let options = EmitOptions::default();
                    match lambdav_spirv_backend::emit(&program, Some(&source), &options) {
                        Ok(_) => Answer::Done,
                        Err(error) => Answer::Refused(error.to_string()),
                    }
                }
            },
        }
    }
}
