//! Modules of ours that are executed as they are: exact ones, which cannot be raised to a program.
//!
//! Their program is no more than an interface: uniforms, textures, buffers and outputs, without anything that computes
//! them. The only engine for it is the evaluator of SPIR-V.

use crate::accepted::{Accepted, AsIs};
use crate::bindings::Bindings;
use crate::error::Error;
use crate::settings::ModuleNames;
use crate::shader::Shader;
use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::graph::{Core, Graph, Output, Uniform};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{Field, Resource, ResourceKind, Structure, Type, TypeLimit, Types};
use lambdav_spirv_eval::{BindingKind, Member, Module};
use std::sync::Arc;

impl Shader {
    /// The first uniform of a module that is executed as it is, if it has one that `bindings` give no value, and its type. Such a module
    /// does not hold the defaults of its uniforms.
    #[doc(hidden)]
    pub fn without_default(&self, bindings: &Bindings) -> Option<(String, Option<String>)> {
        self.0.as_is.as_ref()?;
        let name = bindings.unset(1).pop()?;
        let found = self.uniforms().iter().find(|uniform| uniform.name == name);
        let ty = found.map(|of| self.0.types().name(of.ty).to_string());
        Some((name, ty))
    }

    /// The module with these words, if the evaluator of words knows it as one that does nothing undefined, as those that
    /// are emitted here; messages call it `name`. Discarded pixels have the colour `clear`.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] where it has no output, or a buffer has too many types.
    #[doc(hidden)]
    pub fn executed_as_it_is(
        name: &str,
        words: &[u32],
        clear: [f32; 4],
    ) -> Result<Option<Self>, Error> {
        let Ok(module) = Module::new(words) else { return Ok(None) };
        if module.locations().is_empty() {
            return Err(Error::Unsupported(format!("`{name}` has no output")));
        }
        let mut graph = Graph::default();
        let fail = |limit: TypeLimit| Error::Unsupported(format!("`{name}`: {limit}"));
        let types = graph.types_mut();
        for resource in module.resources() {
            let kind = match &resource.kind {
                // It does not say whether there are levels; one that has none looks at none.
                BindingKind::Texture => {
                    let options = TextureOptions { mipmaps: true, ..TextureOptions::default() };
                    ResourceKind::Texture(options)
                }
                BindingKind::Buffer { element, .. } => {
                    ResourceKind::Buffer(element_type(types, element).map_err(fail)?)
                }
            };
            types.add_resource(Resource { name: resource.name.as_str().into(), kind });
        }
        let uniforms = module.uniforms().iter().map(|member| Uniform {
            name: member.name.clone(),
            ty: member.ty,
            default: vec![0; types.components(member.ty)].into(),
        });
        let uniforms = uniforms.collect();
        let span = Span::default();
        let zero = graph.constant(Type::NUM, &[0], span);
        let outputs = module.locations().into_iter();
        let outputs = outputs.map(|location| Output { location, node: zero, span }).collect();
        let core = Core { graph, outputs, uniforms, ..Core::default() };
        Ok(Some(Self(Arc::new(Accepted {
            source: carried(name, &module),
            is_core_text: false,
            core,
            module: None,
            as_is: Some(AsIs { words: words.to_vec(), clear }),
            names: ModuleNames::none(),
            named_inputs: Vec::new(),
            warnings: Diagnostics::default(),
        }))))
    }
}

/// The text that a module carries.
fn carried(name: &str, module: &Module) -> SourceFile {
    let mut files = module.sources().iter().map(|file| (file.name.clone(), &file.text));
    let mut source = match files.next() {
        Some((name, text)) => SourceFile::new(name, text),
        None => SourceFile::new(name, ""),
    };
    for (name, text) in files {
        source.append(name.clone(), name, text);
    }
    source
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
