//! `lambdav inspect`: the interface of a module, and the metadata of an image.

use super::engines::failed;
use super::failure::{Failure, Result};
use super::files::{compile_fixed, form, load_image, read_bytes, samples};
use super::messages::{MessageFormat, Messages, print, report};
use super::module::{ModuleArguments, ProgramKind, TextArguments};
use clap::Args;
use lambdav_core::diagnostics::one_line;
use lambdav_engine::stages::EmitOptions;
use lambdav_engine::{Shader, error_chain};
use lambdav_image::file;
use lambdav_spirv as spirv;
use lambdav_spirv::inspect::{Interface, Variable, inspect};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Show the interface of a program: entry points, sets and bindings, members with their offsets, push
/// constants, specialisation constants
///
/// For a shader in λV, this is the interface of the module that `compile` writes; for WGSL and GLSL,
/// the author's own, with all entry points, and for GLSL the dialect and the origin. For an image, this shows the size, the samples and the
/// metadata of `render`: versions of lambdav and the language, a digest of the program, output, time
/// and the values of uniforms.
#[derive(Args)]
pub(super) struct InspectArguments {
    /// A SPIR-V module, a shader in λV, GLSL or WGSL, core text or an image; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    text: TextArguments,
    #[command(flatten)]
    messages: Messages,
}

pub(super) fn run(options: &InspectArguments) -> Result {
    let (name, bytes) = read_bytes(&options.file)?;
    if file::is_image(&bytes, &options.file) {
        return inspect_image(options, &name, &bytes);
    }
    let arguments = ModuleArguments { text: options.text.clone(), ..ModuleArguments::default() };
    let mut dialect = None;
    let (kind, words) = match spirv::words(&bytes) {
        Some(words) => (ProgramKind::Module, words),
        None => {
            let most = options.messages.max_errors;
            let (shader_options, ..) = arguments.read()?;
            let mut loaded =
                compile_fixed(&options.file, bytes, most, &mut |_, _| None, &shader_options);
            loaded.diagnostics.drop_lints();
            dialect = loaded.dialect.map(|name| (name, loaded.lower_left));
            let kind = ProgramKind::of_loaded(&loaded);
            // For modules of other compilers, show the original words, with entry points of all stages.
            let words = loaded.module.as_ref().map(|module| module.words.clone());
            let words = match words.filter(|words| !words.is_empty()) {
                Some(words) => words,
                None => {
                    report(&loaded.source, &loaded.diagnostics, options.messages)?;
                    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
                    let module = shader.spirv(&shader.outputs(), &EmitOptions::default());
                    module.map_err(|error| failed(error, options.messages))?.words
                }
            };
            (kind, words)
        }
    };
    arguments.check(kind, &name)?;
    let interface =
        inspect(&words).map_err(|error| Failure::input(format!("`{name}`: {error}")))?;
    print(match options.messages.format() {
        MessageFormat::Text => match dialect {
            Some((name, lower_left)) => {
                let corner = if lower_left { "lower" } else { "upper" };
                format!("GLSL: {name}, origin at the {corner} left\n{interface}")
            }
            None => interface.to_string(),
        },
        MessageFormat::Json => {
            let mut object = as_json(&interface);
            if let Some((name, lower_left)) = dialect {
                object["dialect"] = json!(name);
                object["origin"] = json!(if lower_left { "lower-left" } else { "upper-left" });
            }
            format!("{object}\n")
        }
    })
}

/// Size, samples and metadata of an image.
fn inspect_image(options: &InspectArguments, name: &str, bytes: &[u8]) -> Result {
    let fail = |error| Failure::input(format!("`{name}`: {}", error_chain(&error)));
    // An image file may exceed the limit on programs: read it again with the limit on images.
    let image = match options.file == Path::new("-") {
        true => file::decode(bytes).map_err(fail)?,
        false => load_image(&options.file)?,
    };
    let metadata = file::metadata(bytes).map_err(fail)?;
    let form = form(&image);
    print(match options.messages.format() {
        MessageFormat::Text => {
            let lines = metadata
                .entries()
                .map(|(name, text)| format!("{}: {}\n", one_line(name), one_line(text)));
            format!("image: {form}\n{}", lines.collect::<String>())
        }
        MessageFormat::Json => {
            let entries = metadata.entries().map(|(name, text)| (name.to_owned(), json!(text)));
            let (size, entries) = (image.size(), entries.collect::<serde_json::Map<_, _>>());
            let size = [size.width(), size.height()];
            let samples = samples(&image);
            format!(
                "{}\n",
                json!({"image": {"size": size, "samples": samples}, "metadata": entries})
            )
        }
    })
}

fn as_json(interface: &Interface) -> Value {
    let variables = |all: &[Variable]| -> Vec<Value> {
        let one = |v: &Variable| json!({"name": v.name, "type": v.ty, "location": v.location, "builtin": v.builtin});
        all.iter().map(one).collect()
    };
    let entry_points: Vec<Value> = interface
        .entry_points
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "stage": spirv::stage_name(entry.stage),
                "modes": entry.modes,
                "inputs": variables(&entry.inputs),
                "outputs": variables(&entry.outputs),
            })
        })
        .collect();
    let resources: Vec<Value> = interface
        .resources
        .iter()
        .map(|resource| {
            let members = resource.members.iter().map(|member| {
                json!({
                    "name": member.name,
                    "type": member.ty,
                    "offset": member.offset,
                    "array_stride": member.array_stride,
                    "matrix_stride": member.matrix_stride,
                })
            });
            json!({
                "name": resource.name,
                "kind": resource.kind,
                "set": resource.set,
                "binding": resource.binding,
                "type": resource.ty,
                "size": resource.size,
                "members": members.collect::<Vec<_>>(),
                "sampler": resource.sampler.map(|options| json!({
                    "filter": options.filter.name(),
                    "wrap": options.wrap[0].name(),
                    "srgb": options.srgb,
                    "mipmaps": options.mipmaps,
                })),
            })
        })
        .collect();
    let constants: Vec<Value> = interface
        .constants
        .iter()
        .map(|c| json!({"id": c.id, "name": c.name, "type": c.ty, "default": c.default}))
        .collect();
    let (major, minor) = interface.version;
    json!({
        "spirv": format!("{major}.{minor}"),
        "entry_points": entry_points,
        "resources": resources,
        "constants": constants,
        "sites": interface.sites.iter().map(|of| of.text.clone()).collect::<Vec<_>>(),
    })
}
