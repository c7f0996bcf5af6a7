//! Textures and samplers as values: each is known when the module is raised, except for the index of an array.

use super::outside::Outside;
use super::raiser::{Choice, Image, Pointer, Raiser, Root, Value};
use crate::error::{RaiseError, Result};
use crate::module::{Instruction, ModuleType, Variable};
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::NodeId;
use lambdav_core::interface::{BoundResource, BoundSampler};
use lambdav_core::op::Op as Core;
use lambdav_core::sampler::ImageOptions;
use lambdav_core::texture::{Texels, TextureOptions};
use lambdav_core::types::{Resource, ResourceKind, Type};

/// Most elements of an array of textures or samplers.
const ELEMENTS: u32 = 256;

impl Raiser<'_, '_> {
    /// The value for the chosen element.
    pub(super) fn by_element<T: Copy>(
        &mut self,
        of: &Choice<T>,
        mut value: impl FnMut(&mut Self, T) -> Result<NodeId>,
    ) -> Result<NodeId> {
        let (&last, rest) = of.all.split_last().expect("there is one");
        let mut chosen = value(self, last)?;
        let Some(index) = of.index else { return Ok(chosen) };
        if is_active(Mutant::FirstElement) {
            return value(self, of.all[0]);
        }
        for (k, &one) in rest.iter().enumerate().rev() {
            let one = value(self, one)?;
            let k = self.splat(self.type_of(index), k as u32);
            let is_before = self.op(Core::LessEqual, &[index, k])?;
            chosen = self.graph.if_([is_before, one, chosen], self.span);
        }
        Ok(chosen)
    }

    /// The texture that an id refers to.
    pub(super) fn image(&mut self, id: u32) -> Result<Image> {
        match self.value(id)? {
            Value::Image(image) => Ok(image),
            _ => Err(RaiseError::malformed(format!("%{id} is no image"))),
        }
    }

    /// A texture with a separate sampler.
    pub(super) fn with_sampler(&mut self, of: &Instruction<'_>) -> Result<Image> {
        let Image { ty, of: images } = self.image(of.operand(2)?)?;
        let Value::Sampler(samplers) = self.value(of.operand(3)?)? else {
            return Err(of.malformed("its second operand is no sampler"));
        };
        let of = match (&images.all[..], &samplers.all[..]) {
            (_, &[sampler]) => images.map(|(image, _)| (image, sampler)),
            (&[(image, _)], _) => samplers.map(|sampler| (image, sampler)),
            _ => {
                let message = "a texture and a sampler that are both chosen by an index";
                return Err(RaiseError::unsupported(message));
            }
        };
        Ok(Image { ty, of })
    }

    /// The texture or sampler at a pointer; `None` if it points to something else.
    pub(super) fn opaque_at(&mut self, pointer: &Pointer) -> Result<Option<Value>> {
        let Root::Opaque(value) = &pointer.root else { return Ok(None) };
        let index = match pointer.path[..] {
            [] => None,
            [index] => Some(index),
            _ => return Err(RaiseError::malformed("its pointer has too many indices")),
        };
        let ty = self.module.ty(pointer.ty)?;
        let is_array = matches!(ty, ModuleType::Array(..) | ModuleType::RuntimeArray(_));
        if is_array {
            return Err(RaiseError::unsupported("an array of textures as a value"));
        }
        Ok(Some(match (&**value, index) {
            (value, None) => value.clone(),
            (Value::Image(Image { ty, of }), Some(index)) => {
                Value::Image(Image { ty: *ty, of: self.element_of(of, index) })
            }
            (Value::Sampler(all), Some(index)) => {
                let mut samplers = self.element_of(all, index);
                if samplers.all.iter().all(|sampler| *sampler == samplers.all[0]) {
                    samplers = Choice { all: vec![samplers.all[0]], index: None };
                }
                Value::Sampler(samplers)
            }
            _ => return Err(RaiseError::malformed("it points to no texture or sampler")),
        }))
    }

    /// The samplers that the module declares, used or not.
    pub(super) fn samplers(&self) -> Vec<BoundSampler> {
        let all = self.module.variables.iter().filter(|variable| self.is_sampler(variable));
        let name = |variable: &Variable| self.module.name(variable.id).to_owned();
        all.map(|of| BoundSampler { name: name(of), binding: self.binding(of) }).collect()
    }

    /// True for a sampler, or an array of them.
    pub(super) fn is_sampler(&self, variable: &Variable) -> bool {
        let ty = match self.module.ty(variable.ty) {
            Ok(&(ModuleType::Array(element, _) | ModuleType::RuntimeArray(element))) => {
                self.module.ty(element)
            }
            ty => ty,
        };
        ty.is_ok_and(|ty| *ty == ModuleType::Sampler)
    }

    /// The elements that an index may choose.
    fn element_of<T: Copy>(&self, of: &Choice<T>, index: NodeId) -> Choice<T> {
        let last = of.all.len() - 1;
        match self.graph.constant_words(index) {
            Some(words) => {
                let is_signed = self.type_of(index) == Type::INT;
                let index = if is_signed { (words[0] as i32).max(0) as u32 } else { words[0] };
                Choice { all: vec![of.all[last.min(index as usize)]], index: None }
            }
            None if last == 0 => of.clone(),
            None => Choice { all: of.all.clone(), index: Some(index) },
        }
    }

    /// Declares the textures or samplers of a variable.
    pub(super) fn open_opaque(
        &mut self,
        variable: &Variable,
        options: &ImageOptions,
        outside: &mut Outside,
    ) -> Result<Root> {
        let (mut ty, mut count) = (self.module.ty(variable.ty)?, None);
        let binding = self.binding(variable);
        let own = self.module.name(variable.id);
        let names = |element| ImageOptions::names(own, &binding.to_string(), element);
        match *ty {
            ModuleType::Array(element, length) => {
                let length = self.module.length(length)?;
                (ty, count) = (self.module.ty(element)?, Some(length));
            }
            ModuleType::RuntimeArray(element) => {
                (ty, count) = (self.module.ty(element)?, Some(options.length(&names(None))));
            }
            _ => {}
        }
        if count.is_some_and(|count| count > ELEMENTS) {
            let what = format!("an array of more than {ELEMENTS} textures");
            return Err(RaiseError::too_large(what));
        }
        if let ModuleType::SampledImage(image) = ty {
            ty = self.module.ty(*image)?;
        }
        let elements: Vec<Option<u32>> = match count {
            None => vec![None],
            Some(count) => (0..count).map(Some).collect(),
        };
        Ok(Root::Opaque(Box::new(match *ty {
            ModuleType::Sampler => {
                let all =
                    elements.iter().map(|&element| options.sampler(&names(element))).collect();
                Value::Sampler(Choice { all, index: None })
            }
            ModuleType::Image(ty) => {
                let mut all = Vec::new();
                for &element in &elements {
                    let names = names(element);
                    let kind = ty.kind();
                    let has_levels = self.has_levels || options.has_levels(&names);
                    let mipmaps = has_levels && ty.texels == Texels::Numbers;
                    let kind = ResourceKind::Texture(TextureOptions {
                        kind,
                        mipmaps,
                        texels: ty.texels,
                        ..Default::default()
                    });
                    let name = outside.name(names.iter().take(2).cloned());
                    let ty = self
                        .graph
                        .types_mut()
                        .add_resource(Resource { name: name.as_str().into(), kind });
                    let of_element =
                        element.filter(|_| !own.is_empty()).map(|k| format!("{own}[{k}]"));
                    let own = of_element.unwrap_or_else(|| own.to_owned());
                    let resource = BoundResource { name: own, binding, element, memory: None };
                    outside.interface.resources.push(resource);
                    let node = self.graph.constant(ty, &[], self.span);
                    all.push((node, options.sampler(&names)));
                }
                Value::Image(Image { ty, of: Choice { all, index: None } })
            }
            ModuleType::Other(ref what) => return Err(RaiseError::unsupported(what.clone())),
            _ => return Err(RaiseError::unsupported("several textures under one binding")),
        })))
    }
}
