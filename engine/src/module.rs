//! SPIR-V modules as programs, from words or assembly text, and WGSL and GLSL through them.

#[cfg(feature = "foreign")]
use crate::foreign::{Language, to_spirv};
use crate::loaded::{Loaded, LoadedModule};
use crate::reading::ShaderOptions;
#[cfg(feature = "foreign")]
use lambdav_core::decode::decode;
use lambdav_core::diagnostics::Diagnostics;
#[cfg(feature = "foreign")]
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_spirv::assemble::{SpirvVersion, assemble, is_assembly};
use lambdav_spirv_frontend::{RaiseOptions, Raised, raise};

impl ShaderOptions {
    /// Options for raising a module.
    fn raise(&self) -> RaiseOptions {
        let (entry_point, locations) = (self.entry_point.clone(), self.locations.clone());
        RaiseOptions { entry_point, clear: self.clear, locations }
    }
}

/// Loads the bytes if they are a module or the text of one.
pub(crate) fn load(
    name: &str,
    bytes: &[u8],
    most: usize,
    options: &ShaderOptions,
) -> Option<Loaded> {
    if let Some(words) = lambdav_spirv::words(bytes) {
        return Some(of_module(name, bytes.to_vec(), &words, most, options));
    }
    let text = str::from_utf8(bytes).ok().filter(|text| is_assembly(text))?;
    Some(of_assembly(SourceFile::new(name, text), most, options))
}

/// A module that could not be read.
fn unread(bytes: Vec<u8>, options: &ShaderOptions) -> LoadedModule {
    LoadedModule { bytes, words: Vec::new(), is_foreign: false, clear: options.clear }
}

fn of_module(
    name: &str,
    bytes: Vec<u8>,
    words: &[u32],
    most: usize,
    options: &ShaderOptions,
) -> Loaded {
    let Raised { source, program } = raise(name, words, &options.raise());
    let mut diagnostics = Diagnostics::new(most);
    let (core, interface) = match program {
        Ok((core, interface)) => (Some(core), Some(interface)),
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            (None, None)
        }
    };
    let (words, clear, is_foreign) = (words.to_vec(), options.clear, false);
    let module = Some(LoadedModule { bytes, words, is_foreign, clear });
    Loaded { source, core, interface, diagnostics, module, ..Loaded::empty(most) }
}

/// Loads SPIR-V text. Errors of the text point into it; errors of the module are shown as for words.
fn of_assembly(source: SourceFile, most: usize, options: &ShaderOptions) -> Loaded {
    let bytes = source.text().as_bytes().to_vec();
    match assemble(source.text(), SpirvVersion::default()) {
        Ok(words) => of_module(source.name(), bytes, &words, most, options),
        Err(error) => {
            let mut diagnostics = Diagnostics::new(most);
            diagnostics.push(error.diagnostic());
            let module = Some(unread(bytes, options));
            Loaded { source, diagnostics, module, ..Loaded::empty(most) }
        }
    }
}

#[cfg(feature = "foreign")]
pub(crate) fn of_foreign(
    language: Language,
    name: &str,
    bytes: Vec<u8>,
    most: usize,
    options: &ShaderOptions,
) -> Loaded {
    let module = Some(unread(bytes.clone(), options));
    let mut loaded = Loaded { module, ..Loaded::empty(most) };
    match decode(name, bytes, limits::TEXT) {
        Ok(source) => {
            match to_spirv(language, &source) {
                Ok(words) => {
                    let bytes = source.text().as_bytes().to_vec();
                    let mut all = of_module(name, bytes, &words, most, options);
                    if let Some(module) = &mut all.module {
                        module.is_foreign = true;
                    }
                    // Diagnostics point into the text, even if the module has no lines.
                    return Loaded { source, ..all };
                }
                Err(all) => all.into_iter().for_each(|d| loaded.diagnostics.push(d)),
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
