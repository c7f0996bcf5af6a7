//! WGSL and GLSL: naga makes SPIR-V of them, which is raised.
//!
//! naga's own diagnostics are shown as ours are, with our positions. Loops are as they are written, and
//! an index is clamped as LANGUAGE says it is (`Restrict`), so that no arithmetic is added.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::{SourceFile, Span};
use naga::back::spv;
use naga::front::{glsl, wgsl};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, ShaderStage};
use std::error::Error;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The longest text, in bytes, whose lines naga is asked to note: it counts from the beginning for each
/// statement.
const NOTED: usize = 1 << 18;

/// A language that is no λV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL: `.wgsl`.
    Wgsl,
    /// GLSL for Vulkan, of the fragment stage: `.frag` and `.glsl`.
    Glsl,
}

impl Language {
    /// The language that the ending of a file says.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)? {
            "wgsl" => Some(Self::Wgsl),
            "frag" | "glsl" => Some(Self::Glsl),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "WGSL",
            Self::Glsl => "GLSL",
        }
    }
}

/// The words of the module that a text is.
///
/// # Errors
///
/// LV0606, with naga's words.
pub fn to_spirv(language: Language, source: &SourceFile) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let wrong = |diagnostic| vec![diagnostic];
    // naga may be wrong about a text; that is no reason to end.
    let module = catch_unwind(AssertUnwindSafe(|| parse(language, source.text())));
    let module = module.map_err(|_| wrong(gave_up(language)))??;
    let words = catch_unwind(AssertUnwindSafe(|| write(language, source, &module)));
    words.map_err(|_| wrong(gave_up(language)))?.map_err(wrong)
}

fn gave_up(language: Language) -> Diagnostic {
    let message = format!("naga, which reads {}, gave up on this text", language.name());
    Diagnostic::new(DiagnosticCode::ForeignProgram, Span::default(), message)
}

fn span(of: naga::Span) -> Option<Span> {
    of.to_range().map(|range| Span::new(range.start as u32, range.end as u32))
}

fn parse(language: Language, text: &str) -> Result<Module, Vec<Diagnostic>> {
    match language {
        Language::Wgsl => wgsl::parse_str(text).map_err(|error| {
            let mut labels = error.labels().filter_map(|(at, what)| Some((span(at)?, what)));
            let (at, label) = labels.next().unwrap_or_default();
            let code = DiagnosticCode::ForeignProgram;
            let diagnostic = Diagnostic::new(code, at, error.message()).label(label);
            vec![labels.fold(diagnostic, |diagnostic, (at, what)| diagnostic.also(at, what))]
        }),
        Language::Glsl => {
            let options = glsl::Options::from(ShaderStage::Fragment);
            glsl::Frontend::default().parse(&options, text).map_err(|all| {
                let one = |error: &glsl::Error| {
                    let at = span(error.meta).unwrap_or_default();
                    Diagnostic::new(DiagnosticCode::ForeignProgram, at, error.kind.to_string())
                };
                all.errors.iter().map(one).collect()
            })
        }
    }
}

fn write(language: Language, source: &SourceFile, module: &Module) -> Result<Vec<u32>, Diagnostic> {
    let code = DiagnosticCode::ForeignProgram;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).map_err(|error| {
        // What naga calls its own things helps nobody.
        let said = |what: &String| if what.starts_with("naga::") { "" } else { what }.to_owned();
        let mut labels = error.spans().filter_map(|(at, what)| Some((span(*at)?, said(what))));
        let (at, label) = labels.next().unwrap_or_default();
        let diagnostic = Diagnostic::new(code, at, chain(error.as_inner())).label(label);
        labels.fold(diagnostic, |diagnostic, (at, what)| diagnostic.also(at, what))
    })?;
    let debug_info = spv::DebugInfo {
        source_code: source.text(),
        file_name: source.name(),
        language: match language {
            Language::Wgsl => spv::SourceLanguage::WGSL,
            Language::Glsl => spv::SourceLanguage::GLSL,
        },
    };
    let restrict = BoundsCheckPolicy::Restrict;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        bounds_check_policies: BoundsCheckPolicies {
            index: restrict,
            buffer: restrict,
            image_load: restrict,
            binding_array: restrict,
        },
        force_loop_bounding: false,
        debug_info: (source.text().len() <= NOTED).then_some(debug_info),
        ..spv::Options::default()
    };
    spv::write_vec(module, &info, &options, None)
        .map_err(|error| Diagnostic::new(code, Span::default(), chain(&error)))
}

/// An error and those that it is because of.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}
