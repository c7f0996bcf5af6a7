//! SPIR-V modules as programs, from words or assembly text, and WGSL and GLSL through them.

#[cfg(feature = "foreign")]
use crate::foreign::Language;
#[cfg(feature = "foreign")]
use crate::loaded::WgslSettings;
use crate::loaded::{Loaded, LoadedModule};
use crate::reading::ShaderOptions;
#[cfg(feature = "foreign")]
use lambdav_core::decode::decode;
use lambdav_core::diagnostics::Diagnostics;
#[cfg(feature = "foreign")]
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, quote};
#[cfg(feature = "foreign")]
use lambdav_core::files::Files;
#[cfg(feature = "foreign")]
use lambdav_core::flat::FLAT_ENTRY;
use lambdav_core::graph::{Core, Uniform};
#[cfg(feature = "foreign")]
use lambdav_core::interface;
#[cfg(feature = "foreign")]
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
#[cfg(feature = "foreign")]
use lambdav_core::source::Span;
use lambdav_core::types::{Type, Types};
use lambdav_frontend::Fix;
#[cfg(feature = "foreign")]
use lambdav_glsl_frontend::Stage;
use lambdav_spirv::assemble::{SpirvVersion, assemble, is_assembly};
use lambdav_spirv::inspect::{SpecConstant, inspect};
#[cfg(feature = "foreign")]
use lambdav_spirv::inspect::{entry_points, writes_colours};
use lambdav_spirv::{has_constants, specialise};
use lambdav_spirv_frontend::{RaiseOptions, Raised, raise};
use std::collections::BTreeMap;
#[cfg(feature = "foreign")]
use std::collections::BTreeSet;
#[cfg(feature = "foreign")]
use std::path::Path;

impl ShaderOptions {
    /// Options for raising a module; `is_text` if it was compiled from a text.
    fn raise(&self, is_text: bool) -> RaiseOptions {
        let (entry_point, locations) = (self.entry_point.clone(), self.locations.clone());
        let (stage, clear) = (self.stage, self.clear);
        let images = self.images.clone();
        RaiseOptions { stage, entry_point, clear, locations, images, is_text, reports: None }
    }
}

/// Loads the bytes if they are a module or the text of one.
pub(crate) fn load(
    name: &str,
    bytes: &[u8],
    most: usize,
    options: &ShaderOptions,
    fix: &mut Fix<'_>,
) -> Option<Loaded> {
    if let Some(words) = lambdav_spirv::words(bytes) {
        return Some(of_module(name, bytes.to_vec(), words, false, most, options, fix));
    }
    let text = str::from_utf8(bytes).ok().filter(|text| is_assembly(text))?;
    Some(of_assembly(SourceFile::new(name, text), most, options, fix))
}

/// A module that could not be read.
fn unread(bytes: Vec<u8>, options: &ShaderOptions) -> LoadedModule {
    let raise = options.raise(false);
    LoadedModule {
        bytes,
        words: Vec::new(),
        is_foreign: false,
        clear: options.clear,
        raise,
        guards: Vec::new(),
    }
}

fn of_module(
    name: &str,
    bytes: Vec<u8>,
    words: Vec<u32>,
    is_foreign: bool,
    most: usize,
    options: &ShaderOptions,
    fix: &mut Fix<'_>,
) -> Loaded {
    let (words, constants) = specialised(words, options, fix);
    let settings = options.raise(is_foreign);
    let Raised { source, program } = raise(name, &words, &settings);
    let mut diagnostics = Diagnostics::new(most);
    let (core, interface) = match program {
        Ok((core, interface)) => (Some(Core { constants, ..core }), Some(interface)),
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            (None, None)
        }
    };
    let (clear, raise) = (options.clear, settings);
    let guards = Vec::new();
    let module = Some(LoadedModule { bytes, words, is_foreign, clear, raise, guards });
    Loaded { source, core, interface, diagnostics, module, ..Loaded::empty(most) }
}

/// The module with the values that `fix` has for specialisation constants, and these with their values. One without a name
/// is called `constant.ID`.
fn specialised(
    words: Vec<u32>,
    options: &ShaderOptions,
    fix: &mut Fix<'_>,
) -> (Vec<u32>, Vec<Uniform>) {
    if !has_constants(&words) {
        return (words, Vec::new());
    }
    let Ok(interface) = inspect(&words) else { return (words, Vec::new()) };
    let (types, mut constants, mut values) = (Types::default(), Vec::new(), BTreeMap::new());
    for SpecConstant { id, name, ty, default } in interface.constants {
        let bits = match &*ty {
            "bool" => default.parse().map(|is_true: bool| (Type::BOOL, is_true.into())).ok(),
            "i32" => default.parse().map(|of: i32| (Type::INT, of as u32)).ok(),
            "u32" => default.parse().map(|of| (Type::UINT, of)).ok(),
            "f32" => default.parse().map(|of: f32| (Type::NUM, of.to_bits())).ok(),
            _ => None,
        };
        let Some((ty, bits)) = bits else { continue };
        let name = if name.is_empty() { format!("constant.{id}") } else { name };
        let mut own = Uniform { name, ty, default: [bits].into() };
        let by_name = fix(&types, &own).and_then(|given| given.first().copied());
        if let Some(bits) = by_name.or_else(|| options.constant_ids.get(&id).copied()) {
            values.insert(id, bits);
            own.default = [bits].into();
        }
        constants.push(own);
    }
    (specialise(&words, &values), constants)
}

/// Loads SPIR-V text. Errors of the text point into it; errors of the module are shown as for words.
fn of_assembly(
    source: SourceFile,
    most: usize,
    options: &ShaderOptions,
    fix: &mut Fix<'_>,
) -> Loaded {
    let bytes = source.text().as_bytes().to_vec();
    match assemble(source.text(), SpirvVersion::default()) {
        Ok(words) => of_module(source.name(), bytes, words, false, most, options, fix),
        Err(error) => {
            let mut diagnostics = Diagnostics::new(most);
            diagnostics.push(error.diagnostic());
            let module = Some(unread(bytes, options));
            Loaded { source, diagnostics, module, ..Loaded::empty(most) }
        }
    }
}

/// Loads a text in WGSL or GLSL.
#[cfg(feature = "foreign")]
pub(crate) fn of_foreign(
    language: Language,
    (name, path): (&str, Option<&Path>),
    bytes: Vec<u8>,
    most: usize,
    options: &ShaderOptions,
    fix: &mut Fix<'_>,
    files: &mut dyn Files,
) -> Loaded {
    let module = Some(unread(bytes.clone(), options));
    let mut loaded = Loaded { module, ..Loaded::empty(most) };
    let source = match decode(name, bytes, limits::TEXT) {
        Ok(source) => source,
        Err((source, diagnostic)) => {
            loaded.diagnostics.push(diagnostic);
            return Loaded { source, ..loaded };
        }
    };
    let bytes = source.text().as_bytes().to_vec();
    let (mut constants, mut guards) = (Vec::new(), Vec::new());
    let (source, words) = match language {
        Language::Wgsl => {
            let (compiled, given) = wgsl(source, path, most, options, fix, files);
            let (path, options) = (path.map(Path::to_owned), options.clone());
            loaded.wgsl = Some(WgslSettings { path, options, given });
            (loaded.diagnostics, loaded.included) = (compiled.diagnostics, compiled.paths);
            constants = compiled.overrides.iter().filter_map(constant).collect();
            loaded.expression = compiled.expression;
            (compiled.source, compiled.words)
        }
        Language::Glsl(stage) => {
            let compiled = glsl(source, path, stage, most, options, files);
            (loaded.diagnostics, loaded.included) = (compiled.diagnostics, compiled.paths);
            loaded.notes = compiled.notes;
            loaded.lower_left = options.glsl.lower_left.unwrap_or(compiled.dialect.is_lower_left());
            loaded.dialect = Some(compiled.dialect.name());
            loaded.is_dialect_found = options.glsl.dialect.is_none();
            loaded.defaults = compiled.defaults;
            guards = compiled.guards;
            loaded.expression = compiled.expression;
            (compiled.source, compiled.words)
        }
    };
    let Some(words) = words else { return Loaded { source, ..loaded } };
    let of_expression;
    let options = match options.expression {
        None => options,
        Some(_) => {
            let stage = interface::Stage::Fragment;
            let entry_point = Some(FLAT_ENTRY.to_owned());
            of_expression = ShaderOptions { stage, entry_point, ..options.clone() };
            &of_expression
        }
    };
    let is_compute = options.stage == interface::Stage::Compute;
    let is_drawn = is_compute || options.expression.is_some();
    if let Some(message) = undrawn(language, &words, options).filter(|_| !is_drawn) {
        let found = Diagnostic::new(DiagnosticCode::UnsupportedModule, Span::default(), message);
        let is_run =
            entry_points(&words).iter().any(|(_, stage)| *stage == interface::Stage::Compute);
        let help = match language {
            _ if is_run => {
                "`lambdav run` runs compute shaders; `lambdav compile --emit spirv` writes the module"
            }
            Language::Wgsl => {
                "`lambdav compile --emit spirv` writes its module; `@fragment` functions are drawn"
            }
            Language::Glsl(_) => {
                "`lambdav compile --emit spirv` writes its module; fragment shaders, `.frag`, are drawn"
            }
        };
        loaded.diagnostics.push(found.help(help));
        loaded.is_undrawn = true;
        let (clear, is_foreign, raise) = (options.clear, true, options.raise(true));
        let module = Some(LoadedModule { bytes, words, is_foreign, clear, raise, guards });
        return Loaded { source, module, ..loaded };
    }
    let mut all = of_module(name, bytes, words, true, most, options, fix);
    if let Some(module) = &mut all.module {
        module.guards = guards;
    }
    loaded.diagnostics.append(all.diagnostics);
    let mut core = all.core;
    for uniform in core.iter_mut().flat_map(|core| &mut core.uniforms) {
        let default = loaded.defaults.iter().find(|default| default.name == uniform.name);
        if let Some(default) = default.filter(|of| of.words.len() == uniform.default.len()) {
            uniform.default = default.words.clone().into();
        }
    }
    if let Some(core) = &mut core {
        core.constants.extend(constants);
    }
    // Diagnostics point into the text, even if the module has no lines.
    Loaded { source, core, interface: all.interface, module: all.module, ..loaded }
}

/// Says why nothing of a text can be drawn, if so: it has no fragment entry point, or the one that is meant writes no
/// colour.
#[cfg(feature = "foreign")]
fn undrawn(language: Language, words: &[u32], options: &ShaderOptions) -> Option<String> {
    let shader = |stage| Some(format!("this is a {stage} shader, which is compiled and not drawn"));
    match language {
        Language::Glsl(Stage::Vertex) => return shader("vertex"),
        Language::Glsl(Stage::Compute) => return shader("compute"),
        _ => {}
    }
    let all = entry_points(words);
    let fragments: Vec<&str> =
        all.iter().filter(|(_, stage)| stage.has_pixels()).map(|(name, _)| &**name).collect();
    let name = options.entry_point.as_deref();
    let entry = match (&fragments[..], name) {
        ([], None) => {
            let stages: BTreeSet<String> = all.iter().map(|(_, stage)| stage.to_string()).collect();
            let stages: Vec<String> = stages.into_iter().collect();
            return Some(match &*stages.join(" and ") {
                "" => "this text has no entry point, and nothing of it is drawn".to_owned(),
                stages => {
                    format!("this text has only {stages} shaders, which are compiled and not drawn")
                }
            });
        }
        ([one], None) => one,
        (all, name) => all.iter().find(|&&of| of == name.unwrap_or("main"))?,
    };
    (!writes_colours(words, entry))
        .then(|| format!("{} writes no colour, and is compiled and not drawn", quote(entry)))
}

/// An override as a constant of the program, if it has a value.
#[cfg(feature = "foreign")]
fn constant(of: &lambdav_wgsl_frontend::Override) -> Option<Uniform> {
    Some(Uniform { name: of.name.clone(), ty: type_of(of)?, default: [of.bits?].into() })
}

#[cfg(feature = "foreign")]
fn type_of(of: &lambdav_wgsl_frontend::Override) -> Option<Type> {
    Some(match &*of.ty {
        "bool" => Type::BOOL,
        "i32" => Type::INT,
        "u32" => Type::UINT,
        "f32" => Type::NUM,
        _ => return None,
    })
}

/// Compiles a text in WGSL. Values that are given to its overrides compile it again; they are returned, too.
#[cfg(feature = "foreign")]
fn wgsl(
    source: SourceFile,
    path: Option<&Path>,
    most: usize,
    options: &ShaderOptions,
    fix: &mut Fix<'_>,
    files: &mut dyn Files,
) -> (lambdav_wgsl_frontend::Compiled, Vec<(String, u32)>) {
    let own = &options.glsl;
    let (defines, roots) = (&own.defines[..], &own.roots[..]);
    let overrides = &[][..];
    let expression = options.expression.as_ref();
    let settings =
        lambdav_wgsl_frontend::Options { defines, roots, path, overrides, expression, most };
    let compiled = lambdav_wgsl_frontend::compile(source.clone(), &settings, files);
    let types = Types::default();
    let mut given = Vec::new();
    for of in &compiled.overrides {
        let Some(ty) = type_of(of) else { continue };
        let own = Uniform { name: of.name.clone(), ty, default: [of.bits.unwrap_or(0)].into() };
        if let Some(&[bits]) = fix(&types, &own).as_deref() {
            given.push((own.name, bits));
        }
    }
    if given.is_empty() {
        return (compiled, given);
    }
    let settings = lambdav_wgsl_frontend::Options { overrides: &given, ..settings };
    (lambdav_wgsl_frontend::compile(source, &settings, files), given)
}

/// Compiles a text in GLSL.
#[cfg(feature = "foreign")]
fn glsl(
    source: SourceFile,
    path: Option<&Path>,
    stage: Stage,
    most: usize,
    options: &ShaderOptions,
    files: &mut dyn Files,
) -> lambdav_glsl_frontend::Compiled {
    let own = &options.glsl;
    let dialect = own.dialect.as_deref().and_then(lambdav_glsl_frontend::Dialect::named);
    let (defines, roots) = (&own.defines[..], &own.roots[..]);
    let expression = options.expression.as_ref();
    let options =
        lambdav_glsl_frontend::Options { dialect, stage, defines, roots, path, expression, most };
    lambdav_glsl_frontend::compile(source, &options, files)
}
