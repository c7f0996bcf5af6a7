//! Rendering a SPIR-V module of ours that cannot be raised to a program, such as an exact one, by its words alone.

use super::draw::{Job, MOST_TOLD};
use super::feedback::Feedback;
use super::options::{PictureArguments, RenderArguments};
use crate::engines::EngineName;
use crate::failure::{Failure, Result};
use crate::given::Given;
use crate::values::{Outputs, location, locations};
use lambdav_core::graph::Uniform;
use lambdav_core::resource::unbound;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{Field, Resource, ResourceKind, Structure, Type, TypeLimit, Types};
use lambdav_engine::engines::SpirvEngine;
use lambdav_engine::settings::to_json_within;
use lambdav_spirv_eval::{BindingKind, Member, Module};

/// Draws the module with these words, which messages call `name`.
pub(super) fn draw_module(
    options: &RenderArguments,
    given: &Given,
    name: &str,
    bytes: &[u8],
    words: &[u32],
    job: &mut Job<'_>,
) -> Result {
    let module = read(name, words)?;
    let locations = locations(module.locations(), options.picture.output)?;
    job.begin(&locations, &[])?;
    for location in locations {
        let picture =
            PictureArguments { output: Some(Outputs::At(location)), ..options.picture.clone() };
        let feedback = options.feedback.as_deref();
        let opened = open_module(&picture, options.engine, given, feedback, name, words)?;
        let OpenedModule { source, mut engine, uniforms, feedback } = opened;
        job.feed_back(feedback);
        job.describe(bytes, uniforms.as_deref());
        job.stats.took("read and compile");
        job.draw(&source, &mut engine, location)?;
    }
    Ok(())
}

/// Whether the evaluator of words knows a module as one that does nothing undefined, as those that are emitted here.
pub(crate) fn is_own(words: &[u32]) -> bool {
    Module::new(words).is_ok()
}

/// The module with these words, which has an output.
fn read(name: &str, words: &[u32]) -> Result<Module> {
    let module =
        Module::new(words).map_err(|error| Failure::input(format!("`{name}`: {error}")))?;
    match module.locations().is_empty() {
        true => Err(Failure::input(format!("`{name}` has no output"))),
        false => Ok(module),
    }
}

/// A module, ready to be drawn.
pub(crate) struct OpenedModule {
    /// The text that it was made of, as far as it tells.
    pub(crate) source: SourceFile,
    /// What draws it.
    pub(crate) engine: SpirvEngine,
    /// The values of its uniforms as JSON, if that is not too long.
    pub(crate) uniforms: Option<String>,
    /// The texture that holds the frame before, if one was asked for.
    pub(super) feedback: Option<Feedback>,
}

/// The module with these words as an engine, of whose textures that called `feedback` will hold frames.
pub(crate) fn open_module(
    picture: &PictureArguments,
    engine: Option<EngineName>,
    given: &Given,
    feedback: Option<&str>,
    name: &str,
    words: &[u32],
) -> Result<OpenedModule> {
    if engine.is_some_and(|engine| engine != EngineName::Spirv) {
        return Err(Failure::usage(format!("`{name}` is SPIR-V; --engine spirv renders it")));
    }
    if !picture.module.input.is_empty() || picture.module.entry.is_some() {
        return Err(Failure::usage(format!(
            "`{name}` is executed as it is, with one entry point and no inputs of locations: leave out --entry and --input"
        )));
    }
    let module = read(name, words)?;
    let location = location(module.locations(), picture.output, "a picture")?;
    let mut types = Types::default();
    for resource in module.resources() {
        let kind = match &resource.kind {
            // It does not say whether there are levels; one that has none looks at none.
            BindingKind::Texture => {
                let options = TextureOptions { mipmaps: true, ..TextureOptions::default() };
                ResourceKind::Texture(options)
            }
            BindingKind::Buffer { element, .. } => {
                let fail = |limit| Failure::input(format!("`{name}`: {limit}"));
                ResourceKind::Buffer(element_type(&mut types, element).map_err(fail)?)
            }
        };
        types.add_resource(Resource { name: resource.name.as_str().into(), kind });
    }
    let uniforms: Vec<Uniform> = module
        .uniforms()
        .iter()
        .map(|member| Uniform {
            name: member.name.clone(),
            ty: member.ty,
            default: vec![0; types.components(member.ty)].into(),
        })
        .collect();
    let mut settings = picture.settings(&uniforms);
    let given = given.for_words();
    given.apply(&mut settings, &types, &uniforms, &[])?;
    let begin = |name: &str| Feedback::begin(name, picture.size, &mut settings, &types);
    let feedback = feedback.map(begin).transpose()?;
    if let Some(Resource { name: missing, kind }) = unbound(&types, &settings.inputs.resources) {
        let word = kind.word();
        return Err(Failure::usage(format!(
            "nothing is bound to the {word} `{missing}` of `{name}`; give it data with --bind {missing}=FILE"
        )));
    }
    // Where it has a uniform block, its values lie outside.
    if let Some(missing) = given.unset(&types, &uniforms, 1).first() {
        let ty = uniforms.iter().find(|uniform| uniform.name == *missing).map(|of| of.ty);
        let ty = ty.map_or(String::new(), |ty| format!(", a {},", types.name(ty)));
        return Err(Failure::usage(format!(
            "`{name}` does not hold the defaults of uniforms; give `{missing}`{ty} with --set or --uniforms"
        )));
    }
    let mut files = module.sources().iter().map(|file| (file.name.clone(), &file.text));
    let mut source = match files.next() {
        Some((name, text)) => SourceFile::new(name, text),
        None => SourceFile::new(name, ""),
    };
    for (name, text) in files {
        source.append(name.clone(), name, text);
    }
    let clear = picture.module.clear.unwrap_or_default();
    let engine = SpirvEngine::of_module(module, &source, location, clear, &settings);
    let uniforms = to_json_within(&types, settings.values(&uniforms), MOST_TOLD);
    Ok(OpenedModule { source, engine, uniforms, feedback })
}

/// The type of a buffer's elements: of one that has parts, a structure of these, all of which have names.
fn element_type(types: &mut Types, members: &[Member]) -> Result<Type, TypeLimit> {
    if let [only] = members
        && only.name.is_empty()
    {
        return Ok(only.ty);
    }
    let field = |of: &Member| Field { name: of.name.as_str().into(), ty: of.ty, is_generic: false };
    let fields = members.iter().map(field).collect();
    types.add_structure(Structure { name: "element".into(), fields })
}
