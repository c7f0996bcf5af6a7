//! Variables of the module: inputs, outputs, and Private ones.
//!
//! A read-only variable is a value: a block is a structure whose members are uniforms of the program. A
//! push-constant block is λV's own if its name and the names, types and offsets of all members are those
//! of LANGUAGE §5; its members are then the inputs of λV. An unsupported variable is an error if it is
//! used.

use super::outside::Outside;
use super::raiser::{Pointer, Raiser, Root, Value};
use crate::error::{RaiseError, Result};
use crate::memory::Memory;
use crate::module::{DEMOTED, EntryPoint, ModuleType, REPORTED, Variable};
use crate::options::RaiseOptions;
use lambdav_core::graph::{NodeId, StageInput, Uniform};
use lambdav_core::inputs::Input;
use lambdav_core::interface::{
    Binding, Block, BoundResource, LocationInput, LocationSource, Stage, StageOutput, UnusedInput,
};
use lambdav_core::limits::VALUE_WORDS;
use lambdav_core::memory::InvocationInput;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Resource, ResourceKind, Type};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The input of an invocation that a built-in variable is.
fn invocation_input(built_in: BuiltIn) -> Option<InvocationInput> {
    match built_in {
        BuiltIn::GlobalInvocationId => Some(InvocationInput::GlobalId),
        BuiltIn::LocalInvocationId => Some(InvocationInput::LocalId),
        BuiltIn::LocalInvocationIndex => Some(InvocationInput::LocalIndex),
        BuiltIn::WorkgroupId => Some(InvocationInput::WorkgroupId),
        BuiltIn::NumWorkgroups => Some(InvocationInput::Workgroups),
        _ => None,
    }
}

impl Raiser<'_, '_> {
    /// Gives all used variables their values or slots.
    pub(super) fn open(
        &mut self,
        used: &FxHashSet<u32>,
        options: &RaiseOptions,
        memory: &mut Memory,
        outside: &mut Outside,
    ) -> Result<()> {
        let module = self.module;
        // Variables of the workgroup come after all other resources, since nothing is bound to them. Variables with an
        // initial content come last, so that memories have the first slots.
        let order = |variable: &&Variable| match variable.class {
            StorageClass::Workgroup => 1,
            StorageClass::Private | StorageClass::Output => 2,
            _ => 0,
        };
        let mut variables: Vec<&Variable> = module.variables.iter().collect();
        variables.sort_by_key(order);
        for variable in variables {
            // Stages of a pipeline share blocks, textures and buffers.
            if !used.contains(&variable.id) || self.globals.contains_key(&variable.id) {
                continue;
            }
            if let DEMOTED | REPORTED = variable.id {
                let slot = memory.push(self.graph.bool(false, self.span));
                match variable.id {
                    DEMOTED => outside.demoted = Some(slot),
                    _ => self.reported = Some(slot),
                }
                let (root, path) = (Root::Slot(slot), Vec::new());
                let pointer = Pointer { root, ty: variable.ty, path };
                self.globals.insert(variable.id, Value::Pointer(pointer));
                continue;
            }
            let root = self.open_variable(variable, options, memory, outside).map_err(|error| {
                error.at(variable.at, module.declaration(variable, self.source))
            })?;
            let pointer = Pointer { root, ty: variable.ty, path: Vec::new() };
            self.globals.insert(variable.id, Value::Pointer(pointer));
        }
        outside.outputs.sort_unstable();
        if let Some(pair) = outside.outputs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let what = format!("two outputs have the location {}", pair[0].0);
            return Err(RaiseError::malformed(what));
        }
        Ok(())
    }

    /// Reserves names that several members share, so that a uniform gets a member's bare name only if it
    /// is unique.
    pub(super) fn reserve_names(&self, used: &FxHashSet<u32>, outside: &mut Outside) {
        let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
        for variable in self.module.variables.iter().filter(|of| used.contains(&of.id)) {
            let inner = self.wrapped_structure(variable.ty).ok().flatten().unwrap_or(variable.ty);
            if let Ok(ModuleType::Structure(members)) = self.module.ty(inner) {
                for k in 0..members.len() as u32 {
                    *counts.entry(self.module.member_name(inner, k)).or_default() += 1;
                }
            }
        }
        let several = counts.into_iter().filter(|&(_, count)| count > 1);
        outside.taken.extend(several.map(|(name, _)| name.to_owned()));
    }

    /// The inputs that are declared but not used; of inputs at locations, only the entry point's.
    pub(super) fn unused(&self, used: &FxHashSet<u32>, entry: &EntryPoint) -> Vec<UnusedInput> {
        let module = self.module;
        let all = module.variables.iter().filter(|of| !used.contains(&of.id));
        let unused = all.filter_map(|variable| {
            let mut input = UnusedInput::default();
            let own = module.name(variable.id);
            match variable.class {
                StorageClass::Input if entry.variables.contains(&variable.id) => {
                    input.location = Some(module.decorated(variable.id, Decoration::Location)?);
                }
                StorageClass::UniformConstant if self.is_sampler(variable) => return None,
                StorageClass::UniformConstant
                | StorageClass::Uniform
                | StorageClass::StorageBuffer => {
                    input.names.push(self.binding(variable).to_string());
                }
                StorageClass::PushConstant => {
                    input.names.push(Binding::PushConstants.to_string());
                }
                _ => return None,
            }
            let inner = self.wrapped_structure(variable.ty).ok().flatten().unwrap_or(variable.ty);
            if let Ok(ModuleType::Structure(members)) = module.ty(inner) {
                let names = (0..members.len() as u32).map(|k| module.member_name(inner, k));
                input.members.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
            }
            let own = if own.is_empty() { module.name(variable.ty) } else { own };
            input.names.extend((!own.is_empty()).then(|| own.to_owned()));
            Some(input)
        });
        unused.collect()
    }

    fn open_variable(
        &mut self,
        variable: &Variable,
        options: &RaiseOptions,
        memory: &mut Memory,
        outside: &mut Outside,
    ) -> Result<Root> {
        let module = self.module;
        match variable.class {
            StorageClass::Private | StorageClass::Output => {
                let ty = self.core_type(variable.ty)?;
                let content = match variable.initial {
                    Some(initial) => self.constant(initial)?,
                    None => self.zero(ty),
                };
                let content = self.of_type(content, ty)?;
                let slot = memory.push(content);
                if variable.initial.is_none() {
                    self.open_unset(variable.id, slot, memory);
                }
                if variable.class == StorageClass::Output {
                    self.open_output(variable, ty, slot, outside)?;
                }
                Ok(Root::Slot(slot))
            }
            _ if self.stage == Stage::Compute && module.is_memory(variable) => {
                self.open_memory(variable, self.binding(variable), memory, outside)
            }
            StorageClass::Input => self.open_input(variable, options, outside).map(Root::Constant),
            StorageClass::Uniform | StorageClass::StorageBuffer => {
                let ModuleType::Structure(members) = module.ty(variable.ty)? else {
                    return Err(RaiseError::unsupported("several blocks under one binding"));
                };
                let binding = self.binding(variable);
                if let Some((member, element)) = self.runtime_array(members)? {
                    return self.open_buffer(variable, binding, member, element, outside);
                }
                self.open_block(variable, binding, outside).map(Root::Constant)
            }
            StorageClass::PushConstant => {
                if self.is_own(variable)? {
                    let block = Block::of_inputs();
                    let inputs = block.inputs().map(|(input, _)| input);
                    let parts = inputs.map(|input| self.graph.input(input, self.span)).collect();
                    outside.interface.blocks.push(block);
                    let ty = self.core_type(variable.ty)?;
                    return self.construct(ty, parts).map(Root::Constant);
                }
                self.open_block(variable, Binding::PushConstants, outside).map(Root::Constant)
            }
            StorageClass::UniformConstant => self.open_opaque(variable, &options.images, outside),
            other => Err(RaiseError::unsupported(format!("variables of the class {other:?}"))),
        }
    }

    pub(super) fn binding(&self, variable: &Variable) -> Binding {
        let number = |decoration| self.module.decorated(variable.id, decoration).unwrap_or(0);
        Binding::Descriptor {
            set: number(Decoration::DescriptorSet),
            binding: number(Decoration::Binding),
        }
    }

    pub(super) fn built_in(&self, variable: &Variable) -> Option<BuiltIn> {
        BuiltIn::from_u32(self.module.decorated(variable.id, Decoration::BuiltIn)?)
    }

    fn open_output(
        &mut self,
        variable: &Variable,
        ty: Type,
        slot: usize,
        outside: &mut Outside,
    ) -> Result<()> {
        if self.pipeline.is_some() && self.open_stage_output(variable, ty, slot, outside)? {
            return Ok(());
        }
        if let Some(built_in) = self.built_in(variable) {
            // Depth is ignored: a full-screen triangle has none.
            return match built_in {
                BuiltIn::FragDepth => Ok(()),
                _ => Err(RaiseError::unsupported(format!("the output {built_in:?}"))),
            };
        }
        self.demand(Stage::has_pixels, "outputs at locations")?;
        let Some(location) = self.module.decorated(variable.id, Decoration::Location) else {
            return Err(RaiseError::unsupported("an output without a location"));
        };
        if self.module.decorated(variable.id, Decoration::Component).unwrap_or(0) != 0 {
            return Err(RaiseError::unsupported("outputs that share a location"));
        }
        if self.module.decorated(variable.id, Decoration::Index).unwrap_or(0) != 0 {
            return Err(RaiseError::unsupported("a second colour of an output"));
        }
        if !ty.is_num() && !ty.is_integer() {
            let name = self.graph.types().name(ty).to_string();
            return Err(RaiseError::unsupported(format!("an output of the type {name}")));
        }
        if location > 7 {
            return Err(RaiseError::unsupported(format!("the output location {location}")));
        }
        let name = self.module.name(variable.id).to_owned();
        outside.interface.outputs.push(StageOutput { location, name, ty });
        outside.outputs.push((location, slot));
        Ok(())
    }

    fn open_input(
        &mut self,
        variable: &Variable,
        options: &RaiseOptions,
        outside: &mut Outside,
    ) -> Result<NodeId> {
        let module = self.module;
        let ty = match module.ty(variable.ty)? {
            ModuleType::Structure(_) => {
                return Err(RaiseError::unsupported("a block of inputs"));
            }
            _ => self.core_type(variable.ty)?,
        };
        if self.pipeline.is_some()
            && let Some(node) = self.open_stage_input(variable, ty, outside)?
        {
            return Ok(node);
        }
        if let Some(built_in) = self.built_in(variable) {
            if let Some(input) = invocation_input(built_in).filter(|_| self.stage == Stage::Compute)
            {
                let node =
                    self.graph.stage_input(StageInput::Invocation(input), input.ty(), self.span);
                return self.of_type(node, ty);
            }
            let node = match built_in {
                BuiltIn::FragCoord => {
                    self.demand(Stage::has_pixels, "frag-coord")?;
                    self.graph.input(Input::FragCoord, self.span)
                }
                BuiltIn::FrontFacing => self.graph.bool(true, self.span),
                BuiltIn::HelperInvocation => self.graph.bool(false, self.span),
                // One sample is covered.
                BuiltIn::SampleMask => {
                    let ModuleType::Array(element, _) = *module.ty(variable.ty)? else {
                        return Err(RaiseError::malformed("the sample mask is no array"));
                    };
                    let element = self.core_type(element)?;
                    let one = self.splat(element, 1);
                    return self.construct(ty, vec![one]);
                }
                BuiltIn::SampleId | BuiltIn::PrimitiveId | BuiltIn::Layer | BuiltIn::ViewIndex => {
                    self.splat(ty, 0)
                }
                _ => {
                    return Err(RaiseError::unsupported(format!("the input {built_in:?}")));
                }
            };
            return self.of_type(node, ty);
        }
        let Some(location) = module.decorated(variable.id, Decoration::Location) else {
            return Err(RaiseError::unsupported("an input without a location"));
        };
        let name = module.name(variable.id).to_owned();
        let (node, source) = match options.locations.get(&location) {
            Some(&source) => {
                let node = self.location(source, ty)?;
                (node, Ok(source))
            }
            None => {
                let full = outside.name([name.clone(), format!("input.{location}")]);
                let (node, index) = self.uniform(full, ty, outside)?;
                (node, Err(index))
            }
        };
        let input = LocationInput { location, name, ty, source };
        outside.interface.locations.push(input);
        Ok(node)
    }

    /// The value of an input at a location: as many components as its type has, padded with zeros.
    fn location(&mut self, source: LocationSource, ty: Type) -> Result<NodeId> {
        let Some(width) = ty.width().filter(|_| ty.is_num()) else {
            return Err(RaiseError::unsupported("a position for an input that is no vector"));
        };
        let coordinates = self.graph.input(Input::FragCoord, self.span);
        let mut parts = self.scalars(&[coordinates])?;
        if source == LocationSource::Uv {
            let resolution = self.graph.input(Input::Resolution, self.span);
            let sizes = self.scalars(&[resolution])?;
            for (part, size) in parts.iter_mut().zip(sizes) {
                *part = self.op(Core::Div, &[*part, size])?;
            }
            let [zero, one] = [0.0, 1.0].map(|number| self.number(Type::NUM, number));
            (parts[2], parts[3]) = (zero, one);
        }
        parts.truncate(width.into());
        match width {
            1 => Ok(parts[0]),
            _ => self.construct(ty, parts),
        }
    }

    pub(super) fn uniform(
        &mut self,
        name: String,
        ty: Type,
        outside: &mut Outside,
    ) -> Result<(NodeId, usize)> {
        if !self.graph.types().fits_uniform(ty) {
            let what = self.graph.types().name(ty).to_string();
            return Err(RaiseError::unsupported(format!("{what} as a uniform")));
        }
        let types = self.graph.types();
        outside.uniform_words += types.components(ty);
        if outside.uniform_words > VALUE_WORDS {
            let what = format!("uniforms with more than {VALUE_WORDS} words together");
            return Err(RaiseError::too_large(what));
        }
        let index = outside.uniforms.len();
        let default = vec![0; types.components(ty)].into();
        outside.uniforms.push(Uniform { name, ty, default });
        Ok((self.graph.uniform(index as u32, ty, self.span), index))
    }

    /// A node for a buffer.
    pub(super) fn resource(
        &mut self,
        variable: &Variable,
        binding: Binding,
        kind: ResourceKind,
        outside: &mut Outside,
    ) -> NodeId {
        let own = self.module.name(variable.id).to_owned();
        let name = outside.name([own.clone(), binding.to_string()]);
        let resource = Resource { name: name.as_str().into(), kind };
        let ty = self.graph.types_mut().add_resource(resource);
        outside.interface.resources.push(BoundResource {
            name: own,
            binding,
            element: None,
            memory: None,
        });
        self.graph.constant(ty, &[], self.span)
    }

    /// True if a function queries the number of a texture's levels.
    pub(super) fn asks_for_levels(&self) -> bool {
        let functions = self.facts.keys().map(|id| &self.module.functions[id]);
        let mut all = functions.flat_map(|of| &of.blocks).flat_map(|block| &block.instructions);
        all.any(|of| of.op == Op::ImageQueryLevels)
    }
}
