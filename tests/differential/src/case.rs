//! A program, compiled, and the pixels to compute.

use lambdav_frontend::core::Core;
use lambdav_frontend::diagnostics::{Diagnostic, Severity};
use lambdav_frontend::evaluate::Inputs;
use lambdav_frontend::source::SourceFile;
use lambdav_generate::Program;

/// Width and height of the image.
pub const SIDE: usize = 8;

/// How many `rec`s an entry of a loop may execute. Loops of generated programs need less than half
/// of it.
pub const MAX_ITERATIONS: u64 = 64;

/// A compiled program and its inputs.
#[derive(Debug)]
pub struct Case {
    /// The text.
    pub source: SourceFile,
    /// What the text compiles to.
    pub core: Core,
    /// One for each pixel, in scan order.
    pub pixels: Vec<Inputs>,
}

impl Case {
    /// Compiles a program; the diagnostics, warnings too, if there are any.
    pub fn new(program: &Program) -> Result<Self, Vec<Diagnostic>> {
        let source = SourceFile::new("generated.lv", program.to_string());
        let (core, diagnostics) = lambdav_frontend::compile(&source);
        // That there is nothing to warn of is part of being well typed.
        let Some(core) = core else { return Err(diagnostics) };
        if diagnostics.iter().any(|d| d.severity == Severity::Error || is_unexpected(d)) {
            return Err(diagnostics);
        }
        let uniforms = core
            .uniforms
            .iter()
            .map(|uniform| {
                let set = program.settings.iter().find(|(name, _)| *name == uniform.name);
                set.map_or_else(|| uniform.default.clone(), |(_, words)| words.clone())
            })
            .collect();
        let first = Inputs {
            resolution: [SIDE as f32; 2],
            time: 1.25,
            frame: 0.0,
            mouse: [3.5, 2.0, 1.0, -1.0],
            uniforms,
            ..Inputs::default()
        };
        let pixels = (0..SIDE * SIDE)
            .map(|i| {
                let (x, y) = ((i % SIDE) as f32, (i / SIDE) as f32);
                Inputs { frag_coord: [x + 0.5, y + 0.5, 0.0, 1.0], ..first.clone() }
            })
            .collect();
        Ok(Self { source, core, pixels })
    }

    /// The locations of the outputs.
    pub fn locations(&self) -> Vec<u32> {
        self.core.outputs.iter().map(|output| output.location).collect()
    }
}

/// Warnings that say that an unused part is ill-typed.
fn is_unexpected(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == lambdav_frontend::diagnostics::Code::UnreachedIllTyped
}
