//! Programs from files: shader text, core text, SPIR-V words or text, WGSL or GLSL.

#[cfg(feature = "foreign")]
use crate::foreign::Language;
#[cfg(feature = "foreign")]
use crate::loaded::WgslSettings;
pub use crate::loaded::{Loaded, LoadedModule};
#[cfg(feature = "spirv")]
use crate::module;
use crate::reading::ShaderOptions;
#[cfg(feature = "foreign")]
use crate::reading::TextLanguage;
use lambdav_core::core_text;
use lambdav_core::decode::decode;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::files::Files;
#[cfg(feature = "foreign")]
use lambdav_core::files::NoFiles;
#[cfg(feature = "foreign")]
use lambdav_core::graph::Uniform;
use lambdav_core::graph::{Core, Pass, Passes};
use lambdav_core::interface;
use lambdav_core::limits;
use lambdav_core::passes::{Form, PassProgram};
use lambdav_core::schedule::{schedule, schedule_effects};
use lambdav_core::source::SourceFile;
#[cfg(feature = "foreign")]
use lambdav_core::types::Types;
use lambdav_frontend::syntax::include::{Included, include};
use lambdav_frontend::syntax::parse_within;
pub use lambdav_frontend::{Fix, Times};
use lambdav_frontend::{compile_expression, compile_fixed, compile_for_samplers, compile_keeping};
#[cfg(feature = "foreign")]
use lambdav_glsl_frontend::Stage;
#[cfg(feature = "foreign")]
use lambdav_spirv::assemble::is_assembly;
#[cfg(feature = "foreign")]
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files of the operating system.
#[derive(Default)]
struct SystemFiles {
    /// Missing files that were looked for.
    missing: Vec<PathBuf>,
}

impl Files for SystemFiles {
    fn canonical(&mut self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize().inspect_err(|_| self.missing.push(path.to_owned()))
    }

    fn read(&mut self, path: &Path, most: usize) -> io::Result<Vec<u8>> {
        read_within(File::open(path)?, most)
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder)?;
        let mut all: Vec<PathBuf> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
        all.sort_unstable();
        Ok(all)
    }
}

/// Unsupported shading language of a file name, and help.
fn foreign_file(path: &Path) -> Option<(&'static str, &'static str)> {
    const GLSL: &str = "fragment shaders are drawn, from names that end in `.frag` or `.glsl`; vertex and \
                        compute shaders, `.vert` and `.comp`, are compiled";
    Some(match path.extension()?.to_str()? {
        "hlsl" | "hlsli" | "fx" | "fxh" | "usf" => (
            "HLSL",
            "compile it with DXC to a SPIR-V module: `dxc -spirv -T ps_6_0 -E main FILE -Fo module.spv`",
        ),
        "slang" => (
            "Slang",
            "compile it with Slang to a SPIR-V module: `slangc FILE -target spirv -o module.spv`",
        ),
        "gdshader" | "gdshaderinc" => (
            "Godot's shading language",
            "no compiler translates it alone to SPIR-V; write its `fragment` in GLSL, as a `.frag`, or in λV",
        ),
        "metal" => ("the language of Metal", "write it in WGSL, as a `.wgsl`, in GLSL or in λV"),
        "shader" | "cginc" | "shadergraph" => (
            "Unity's shader format",
            "compile its HLSL with DXC to a SPIR-V module: `dxc -spirv -T ps_6_0 -E main FILE`",
        ),
        "geom" | "tesc" | "tese" | "rgen" | "mesh" | "task" => ("GLSL of another stage", GLSL),
        _ => return None,
    })
}

/// Endings of programs that are not recognised by their content.
#[cfg(feature = "foreign")]
const OWN: [&str; 5] = ["lv", "core", "spv", "spvasm", "amber"];

/// The language of a text in WGSL or GLSL: as the options say, by the ending, or else by the content.
#[cfg(feature = "foreign")]
fn language_of(path: Option<&Path>, bytes: &[u8], options: &ShaderOptions) -> Option<Language> {
    if lambdav_spirv::words(bytes).is_some() {
        return None;
    }
    let by_name = path.and_then(Language::of);
    let unsaid = match options.stage {
        interface::Stage::Compute => Stage::Compute,
        _ => Stage::Fragment,
    };
    match (options.language, by_name) {
        (Some(TextLanguage::Lv), _) => None,
        (Some(TextLanguage::Wgsl), _) => Some(Language::Wgsl),
        (Some(TextLanguage::Glsl), Some(Language::Glsl(stage))) => Some(Language::Glsl(stage)),
        (Some(TextLanguage::Glsl), _) => Some(Language::Glsl(unsaid)),
        // Also `.glsl`, the ending of any stage.
        (None, Some(Language::Glsl(Stage::Fragment))) => Some(Language::Glsl(unsaid)),
        (None, Some(language)) => Some(language),
        (None, None) => {
            let ending = path.and_then(Path::extension).and_then(OsStr::to_str);
            let is_other = path.is_some_and(|path| foreign_file(path).is_some());
            let text = str::from_utf8(bytes).ok().filter(|text| text.len() <= limits::TEXT)?;
            if is_other || ending.is_some_and(|of| OWN.contains(&of)) || is_assembly(text) {
                return None;
            }
            lambdav_glsl_frontend::is_glsl(text).then_some(Language::Glsl(unsaid))
        }
    }
}

/// The error of a pass that nests too deeply to be run.
fn nests_too_deeply(core: &Core, passes: &Passes, pass: &Pass) -> Option<Diagnostic> {
    // Another error is found where the pass is compiled.
    let program = PassProgram::new(core, passes, pass, Form::Ordered).ok()?;
    let changed: Vec<usize> = program.memories.iter().map(|memory| memory.number).collect();
    schedule_effects(&program.core, &changed).err()
}

/// All bytes, or `most + 1` bytes of a longer stream.
fn read_within(from: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// All bytes, or one more than the largest program has.
///
/// # Errors
///
/// Errors of the stream.
pub fn read_bytes(from: impl Read) -> io::Result<Vec<u8>> {
    read_within(from, limits::CORE_TEXT)
}

#[cfg(feature = "foreign")]
impl WgslSettings {
    /// Compiles the text with another value of an override.
    pub(crate) fn with(&self, source: &SourceFile, name: &str, bits: u32) -> Loaded {
        let file = source.file(0);
        let (text, language) = (source.slice(file.span).into(), Language::Wgsl);
        let (path, options) = (self.path.as_deref(), &self.options);
        let mut fix = |_: &Types, of: &Uniform| {
            let given = self.given.iter().find(|(given, _)| *given == of.name);
            let bits = if of.name == name { Some(bits) } else { given.map(|&(_, bits)| bits) };
            bits.map(|bits| [bits].into())
        };
        let files: &mut dyn Files =
            if path.is_some() { &mut SystemFiles::default() } else { &mut NoFiles };
        let named = (&*file.name, path);
        module::of_foreign(language, named, text, options.errors, options, &mut fix, files)
    }
}

impl Loaded {
    /// Loads the bytes of a text that cannot include files; messages call it `name`. The size limit of
    /// core text, which is longer than the shader it spells out, exceeds that of shader text.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Self {
        let include =
            |source| Included { source, paths: Vec::new(), diagnostics: Diagnostics::default() };
        let options = ShaderOptions::default();
        Self::new(name, bytes, limits::ERRORS, include, &mut |_, _| None, &options)
    }

    /// Loads a text that cannot include files; messages call it `name`. Its extension identifies WGSL
    /// and GLSL; without a known one, GLSL is recognised by its content.
    pub fn from_text(name: &str, text: &str) -> Self {
        let options = ShaderOptions::default();
        Self::from_text_with(name, text, limits::ERRORS, &mut |_, _| None, &options)
    }

    /// Like [`Self::from_text`], with at most `most` errors, values for constants, and options of
    /// modules.
    pub fn from_text_with(
        name: &str,
        text: &str,
        most: usize,
        fix: &mut Fix<'_>,
        options: &ShaderOptions,
    ) -> Self {
        #[cfg(feature = "foreign")]
        if let Some(language) = language_of(Some(Path::new(name)), text.as_bytes(), options) {
            let files = &mut NoFiles;
            let named = (name, None);
            return module::of_foreign(language, named, text.into(), most, options, fix, files);
        }
        let include =
            |source| Included { source, paths: Vec::new(), diagnostics: Diagnostics::default() };
        Self::new(name, text.into(), most, include, fix, options)
    }

    /// Recompiles a shader in λV for a device: with the device's samplers, with constants kept as
    /// specialisation constants, or both. Returns the number of kept constants; they are the last of
    /// the uniforms. Where a device has no such sampler, there is no core any more, and the diagnostics tell.
    pub fn compile_for_device(
        &mut self,
        most: usize,
        fix: &mut Fix<'_>,
        native_sampling: bool,
        keep_constants: bool,
    ) -> usize {
        let kept = match native_sampling {
            true => compile_for_samplers(&self.source, most, fix, keep_constants),
            false => compile_keeping(&self.source, most, fix),
        };
        if kept.core.is_none() {
            self.diagnostics = kept.diagnostics;
        }
        self.core = kept.core;
        kept.constants
    }

    /// Accepts a compiled module of a stage that is not drawn: drops the diagnostic that says so. Returns false for
    /// other programs.
    pub fn accept_undrawn(&mut self) -> bool {
        if self.is_undrawn {
            self.diagnostics.retain(|found| found.code != DiagnosticCode::UnsupportedModule);
        }
        self.is_undrawn
    }

    /// True for a module with a compute shader and no fragment shader.
    pub fn is_run(&self) -> bool {
        #[cfg(feature = "foreign")]
        let stages: Vec<interface::Stage> = {
            let words = self.module.as_ref().map_or(&[][..], |module| &module.words);
            lambdav_spirv::inspect::entry_points(words).into_iter().map(|(_, of)| of).collect()
        };
        #[cfg(not(feature = "foreign"))]
        let stages: [interface::Stage; 0] = [];
        stages.contains(&interface::Stage::Compute) && !stages.iter().any(|of| of.has_pixels())
    }

    /// True if a text in WGSL has this override, and a value was given to it.
    pub fn has_given_override(&self, name: &str) -> bool {
        #[cfg(feature = "foreign")]
        let has =
            |name: &str| self.wgsl.iter().flat_map(|wgsl| &wgsl.given).any(|(of, _)| of == name);
        #[cfg(not(feature = "foreign"))]
        let has = |_: &str| false;
        has(name)
    }

    /// Adds an error if the program nests too deeply to be drawn.
    pub fn check_nesting(&mut self) {
        if let Some(core) = &self.core {
            if let Some(passes) = core.passes.as_deref() {
                let found =
                    passes.passes.iter().find_map(|pass| nests_too_deeply(core, passes, pass));
                found.into_iter().for_each(|found| self.diagnostics.push(found));
            }
            let all: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
            if let Err(diagnostic) = schedule(core, &all) {
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// True for shader text.
    pub fn is_shader(&self) -> bool {
        !self.is_core_text && self.module.is_none()
    }

    /// Loads the bytes of the file at `path`, with the files that it includes, and keeps at most `most`
    /// errors and as many warnings; the others are only counted. Without a path it is standard input,
    /// and includes are relative to the working directory.
    pub fn from_file(path: Option<&Path>, bytes: Vec<u8>, most: usize) -> Self {
        Self::from_file_with(path, bytes, most, &mut |_, _| None, &ShaderOptions::default())
    }

    /// Like [`Self::from_file`], with values for constants, and options of modules.
    pub fn with_options(
        path: Option<&Path>,
        bytes: Vec<u8>,
        most: usize,
        fix: &mut Fix<'_>,
        options: &ShaderOptions,
    ) -> Self {
        Self::from_file_with(path, bytes, most, fix, options)
    }

    /// Like [`Self::from_file`], with values for constants, and options of modules.
    pub fn from_file_with(
        path: Option<&Path>,
        bytes: Vec<u8>,
        most: usize,
        fix: &mut Fix<'_>,
        options: &ShaderOptions,
    ) -> Self {
        let name = path.map_or("<stdin>".into(), Path::to_string_lossy);
        let include = |source| {
            let mut files = SystemFiles::default();
            let mut included = include(source, path, &mut files, most);
            included.paths.append(&mut files.missing);
            included
        };
        #[cfg(feature = "foreign")]
        if let Some(language) = language_of(path, &bytes, options) {
            let mut files = SystemFiles::default();
            let named = (&*name, path);
            let mut loaded =
                module::of_foreign(language, named, bytes, most, options, fix, &mut files);
            loaded.included.append(&mut files.missing);
            return loaded;
        }
        let loaded = Self::new(&name, bytes, most, include, fix, options);
        match path.and_then(foreign_file) {
            Some((language, help)) if loaded.core.is_none() && loaded.is_shader() => {
                let is_told = |d: &Diagnostic| d.code == DiagnosticCode::ForeignText;
                let told = loaded.diagnostics.iter().find(|&d| is_told(d)).map(|d| d.primary.span);
                let message = format!("this is {language}, which is not read");
                let mut diagnostics = Diagnostics::new(most);
                let at = told.unwrap_or_default();
                let label = "its name ends so, and it is not λV";
                let diagnostic = Diagnostic::new(DiagnosticCode::ForeignText, at, message);
                diagnostics.push(diagnostic.label(label).help(help));
                Self { diagnostics, ..loaded }
            }
            _ => loaded,
        }
    }

    fn new(
        name: &str,
        bytes: Vec<u8>,
        most: usize,
        include: impl FnOnce(SourceFile) -> Included,
        fix: &mut Fix<'_>,
        options: &ShaderOptions,
    ) -> Self {
        #[cfg(feature = "spirv")]
        if let Some(loaded) = module::load(name, &bytes, most, options, fix) {
            return loaded;
        }
        let long = bytes.len() > limits::TEXT;
        let is_core_text = long && core_text::is_core_text(&String::from_utf8_lossy(&bytes));
        let limit = if is_core_text { limits::CORE_TEXT } else { limits::TEXT };
        let mut loaded = Self::empty(most);
        match decode(name, bytes, limit) {
            Ok(source) if core_text::is_core_text(source.text()) => {
                loaded.is_core_text = true;
                (loaded.core, loaded.diagnostics) = core_text::read_within(&source, most);
                if options.stage != interface::Stage::Compute
                    && let Some(dispatched) =
                        loaded.core.as_ref().and_then(|core| core.dispatched())
                {
                    loaded.diagnostics.push(dispatched);
                    loaded.core = None;
                }
                loaded.source = source;
            }
            Ok(source) => {
                let Included { mut source, paths, diagnostics } = include(source);
                (loaded.included, loaded.diagnostics) = (paths, diagnostics);
                if loaded.diagnostics.has_errors() {
                    // A missing file would cause an error wherever its definitions are used: only
                    // parse.
                    loaded.diagnostics.append(parse_within(&source, most).1);
                } else if let Some(of) = &options.expression {
                    let file = source.append(of.file.clone(), of.file.clone(), &of.text);
                    let expressed = compile_expression(&source, file, most, fix);
                    loaded.diagnostics.append(expressed.diagnostics);
                    (loaded.core, loaded.expression) = (expressed.core, expressed.ty);
                } else {
                    let (core, diagnostics, times) = compile_fixed(&source, most, fix);
                    loaded.diagnostics.append(diagnostics);
                    (loaded.core, loaded.times) = (core, Some(times));
                }
                loaded.source = source;
            }
            Err((source, diagnostic)) => {
                loaded.diagnostics.push(diagnostic);
                loaded.source = source;
            }
        }
        loaded
    }
}
