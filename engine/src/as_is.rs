//! Modules emitted by this compiler that cannot be raised to a program, such as exact ones.
//!
//! Their program is only an interface: uniforms, textures, buffers and outputs, without code. Only the
//! evaluator of SPIR-V executes them.

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
use lambdav_core::types::{
    Field, Resource, ResourceKind, Scalar, Structure, Type, TypeLimit, Types,
};
use lambdav_spirv::inspect::inspect;
use lambdav_spirv_eval::{BindingKind, Member, Module};
use std::sync::Arc;

impl Shader {
    /// The first uniform without a value, and its type, for a module that is executed without raising
    /// it. Such a module does not hold the defaults of its uniforms.
    #[doc(hidden)]
    pub fn without_default(&self, bindings: &Bindings) -> Option<(String, Option<String>)> {
        self.0.as_is.as_ref()?;
        let name = bindings.unset(1).pop()?;
        let found = self.uniforms().iter().find(|uniform| uniform.name == name);
        let ty = found.map(|of| self.0.types().name(of.ty).to_string());
        Some((name, ty))
    }

    /// Shader of the module with these words, executed without raising it. None unless the evaluator of
    /// SPIR-V accepts the module as free of undefined behaviour, as emitted modules are. Messages call
    /// the module `name`; discarded pixels have the colour `clear`.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the module has no output, or a buffer has too many types.
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
                // The module does not declare whether a texture has levels; a module without levels
                // reads none.
                BindingKind::Texture => {
                    let options = TextureOptions { mipmaps: true, ..TextureOptions::default() };
                    ResourceKind::Texture(options)
                }
                BindingKind::Memory => unreachable!("a fragment shader has none"),
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
            dialect: None,
            expression: None,
            lower_left: false,
            has_default: Vec::new(),
            warnings: Diagnostics::default(),
            #[cfg(feature = "foreign")]
            wgsl: None,
        }))))
    }
}

/// Interface declared in the words. Uniforms and resources have the evaluator's order.
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
        let ty = match declared.map(|of| &*of.ty) {
            Some("ivec4") => Type::of(Scalar::I32, 4),
            Some("uvec4") => Type::of(Scalar::U32, 4),
            _ => Type::vec(4),
        };
        StageOutput { location, name, ty }
    });
    interface.outputs = outputs.collect();
    let resources = module.resources().iter().map(|of| {
        let binding = Binding::Descriptor { set: of.set, binding: of.binding };
        BoundResource { name: of.name.clone(), binding, element: of.element, memory: None }
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
    // Push constants hold the inputs of λV. No declaration lists the members that are read.
    if declared.resources.iter().any(|of| of.binding.is_none()) {
        let block = Block::of_inputs();
        interface.inputs.extend(block.inputs().map(|(input, _)| input));
        interface.blocks.push(block);
    }
    interface
}

/// Source text embedded in a module.
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

/// Type of a buffer's elements: the single unnamed member's type, or a structure of named members.
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
