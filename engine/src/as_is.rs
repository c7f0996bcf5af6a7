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
use lambdav_core::inputs::Input;
use lambdav_core::interface::{
    Binding, Block, BlockMember, BoundResource, EntryPoint, Interface, MemberValue, Placement,
    StageOutput,
};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{Field, Resource, ResourceKind, Structure, Type, TypeLimit, Types};
use lambdav_spirv::inspect::inspect;
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
            interface: interface(words, &module),
            module: None,
            as_is: Some(AsIs { words: words.to_vec(), clear }),
            names: ModuleNames::none(),
            named_inputs: Vec::new(),
            warnings: Diagnostics::default(),
        }))))
    }
}

/// The interface that the words declare. Uniforms and resources have the evaluator's order.
fn interface(words: &[u32], module: &Module) -> Interface {
    let declared = inspect(words).unwrap_or_default();
    let mut interface = Interface::default();
    let all = declared.entry_points.iter();
    interface.entry_points = all.map(|of| EntryPoint::new(of.name.clone(), of.stage)).collect();
    let entry = declared.entry_points.iter().find(|of| of.stage.has_pixels());
    let variables = entry.map(|of| (&of.inputs[..], &of.outputs[..])).unwrap_or_default();
    if let Some(entry) = entry {
        interface.entry_point = EntryPoint::new(entry.name.clone(), entry.stage);
    }
    if variables.0.iter().any(|of| of.builtin.as_deref() == Some("FragCoord")) {
        interface.inputs.push(Input::FragCoord);
    }
    let outputs = module.locations().into_iter().map(|location| {
        let declared = variables.1.iter().find(|of| of.location == Some(location));
        let name = declared.map(|of| of.name.clone()).unwrap_or_default();
        StageOutput { location, name, ty: Type::vec(4) }
    });
    interface.outputs = outputs.collect();
    let resources = module.resources().iter().map(|of| {
        let binding = Binding::Descriptor { set: of.set, binding: of.binding };
        BoundResource { name: of.name.clone(), binding }
    });
    interface.resources = resources.collect();
    let block = declared.resources.iter().find(|of| of.kind == "uniform buffer");
    if let Some((set, binding, name)) = block.and_then(|of| Some((of.set?, of.binding?, &of.name)))
    {
        let members = module.uniforms().iter().enumerate().map(|(index, of)| BlockMember {
            value: MemberValue::Uniform(index),
            name: of.name.clone(),
            placement: Placement::Words(of.words().map(|word| 4 * word as u32).collect()),
        });
        let (binding, members) = (Binding::Descriptor { set, binding }, members.collect());
        interface.blocks.push(Block { binding, name: name.clone(), members });
    }
    // Its members are read in part; which, no declaration says.
    if declared.resources.iter().any(|of| of.binding.is_none()) {
        let block = Block::of_inputs();
        interface.inputs.extend(block.inputs().map(|(input, _)| input));
        interface.blocks.push(block);
    }
    interface
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
