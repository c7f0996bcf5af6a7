//! Variables outside of functions: buffers, textures, private and shared memory.

use super::checker::Checker;
use super::values::{Index, Place, Symbol};
use crate::syntax::tree::{Global, Variable};
use crate::types::{Access, Kind, Length, Space, TextureKind, Type, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::limits::WORDS;
use lambdav_core::source::Span;
use lambdav_spirv::build::round_up;
use rspirv::spirv::{Decoration, Op, StorageClass};

impl Checker<'_> {
    /// Address space and access of a template list.
    fn space(&mut self, of: &Variable, ty: Option<Type>) -> Option<(Space, Access)> {
        let is_handle = ty.is_some_and(|ty| self.types.is_handle(ty));
        let mut words = Vec::new();
        for &expression in &of.template {
            let &[node] = &self.set.unit.nodes[expression.start as usize..expression.end as usize]
            else {
                self.wrong(
                    DiagnosticCode::WgslTypes,
                    expression.span,
                    "an address space is a word",
                );
                return None;
            };
            let crate::syntax::tree::Code::Name(reference) = node.code else { return None };
            words.push((self.text(reference.name), expression.span));
        }
        let (space, at) = match words.first() {
            None if is_handle => return Some((Space::Handle, Access::Read)),
            None => return Some((Space::Handle, Access::ReadWrite)),
            Some(&(word, at)) => (Space::of(word), at),
        };
        let Some(space) = space else {
            let message = format!("{} is no address space", quote(words[0].0));
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            self.help("write `private`, `workgroup`, `uniform`, `storage`");
            return None;
        };
        let access = match words.get(1) {
            None => space.access(),
            Some(&(word, at)) => match Access::of(word) {
                Some(access) if space == Space::Storage => access,
                _ => {
                    let message = format!("{} is no access of this address space", quote(word));
                    self.wrong(DiagnosticCode::WgslTypes, at, message);
                    return None;
                }
            },
        };
        Some((space, access))
    }

    pub(super) fn global_variable(&mut self, global: &Global, of: &Variable) -> Option<Symbol> {
        self.check_attributes(&global.attributes, &["group", "binding"], "a variable");
        let name = self.text(global.name?);
        let wanted = of.ty.map(|ty| self.type_of(ty));
        if wanted == Some(Types::ERROR) {
            return None;
        }
        let (space, access) = self.space(of, wanted)?;
        if space == Space::Handle && !wanted.is_some_and(|ty| self.types.is_handle(ty)) {
            let message = format!("the variable {} has no address space", quote(name));
            self.wrong(DiagnosticCode::WgslTypes, global.at, message);
            self.help("write `var<private>`, `var<uniform>` or `var<storage>`; or `const`");
            return None;
        }
        if space == Space::Function {
            let message = "`function` is the address space of variables in functions";
            self.wrong(DiagnosticCode::WgslTypes, global.at, message);
            return None;
        }
        let value = match of.value {
            Some(value) if space != Space::Private => {
                let message = format!("a variable in `{}` has no value of its own", space.name());
                self.wrong(DiagnosticCode::WgslTypes, value.span, message);
                return None;
            }
            Some(value) => Some(self.initial(of.ty, value, "the variable has the type")?),
            None => None,
        };
        let ty = match (wanted, &value) {
            (Some(ty), _) => ty,
            (None, Some(value)) => self.types.concrete(value.ty),
            (None, None) => {
                let message = format!("the variable {} has no type", quote(name));
                self.wrong(DiagnosticCode::WgslTypes, global.at, message);
                return None;
            }
        };
        let at = of.ty.map_or(global.at, |ty| ty.span);
        if !self.fits_space(ty, space, access, at) {
            return None;
        }
        let value = match (value, of.value) {
            (Some(value), Some(expression)) => {
                Some(self.coerce(&value, ty, expression.span, "the variable has the type")?)
            }
            _ => None,
        };
        if let Some(value) = &value
            && value.constant.is_none()
        {
            self.not_constant(at, "its value");
            return None;
        }
        let mut place = Place::whole(0, space, access, ty);
        let class = space.class();
        let inner = self.id_of(ty);
        let line = self.place_of(global.at);
        match space {
            Space::Private => {
                let pointer = self.module.pointer(class, inner);
                let value = value.unwrap_or_else(|| self.zero_value(ty));
                let id = self.id(&value);
                place.root = self.module.initialised_variable(pointer, class, id, line);
            }
            Space::Uniform | Space::Storage | Space::Immediate => {
                let block = self.block_id(ty, inner);
                let pointer = self.module.pointer(class, block);
                place.root = self.variable(pointer, class, line);
                if block != inner {
                    let id = self.uint(0);
                    place.chain.push(Index { id, dynamic: None });
                }
                if space == Space::Storage && access == Access::Read {
                    self.module.decorate(place.root, Decoration::NonWritable, &[]);
                }
            }
            _ => {
                let pointer = self.module.pointer(class, inner);
                place.root = self.variable(pointer, class, line);
                if let Kind::Texture(texture) = self.types.kind(ty)
                    && let TextureKind::Storage(_, _, access) = texture.kind
                {
                    match access {
                        Access::Read => {
                            self.module.decorate(place.root, Decoration::NonWritable, &[]);
                        }
                        Access::Write => {
                            self.module.decorate(place.root, Decoration::NonReadable, &[]);
                        }
                        Access::ReadWrite => {}
                    }
                }
            }
        }
        self.module.name(place.root, name);
        self.bind_resource(global, space, place.root)?;
        Some(Symbol::Place(place))
    }

    fn variable(&mut self, pointer: u32, class: StorageClass, line: Option<[u32; 3]>) -> u32 {
        match line {
            Some(line) => self.module.variable_at(pointer, class, line),
            None => self.module.variable(pointer, class),
        }
    }

    /// The structure that is the block: one around the type, unless it ends in an array without a length.
    fn block_id(&mut self, ty: Type, inner: u32) -> u32 {
        if matches!(self.types.kind(ty), Kind::Struct(_)) && self.types.facts(ty).is_open {
            if self.blocks.insert(inner) {
                self.module.decorate(inner, Decoration::Block, &[]);
            }
            return inner;
        }
        let (block, new) = self.module.unique_type(Op::TypeStruct, &[inner], 1);
        if new {
            self.module.decorate(block, Decoration::Block, &[]);
            self.decorate_member(block, 0, ty, 0);
        }
        block
    }

    /// Set and binding of a resource; others have none.
    fn bind_resource(&mut self, global: &Global, space: Space, id: u32) -> Option<()> {
        let group = self.numbered(&global.attributes, "group");
        let binding = self.numbered(&global.attributes, "binding");
        let is_resource = matches!(space, Space::Uniform | Space::Storage | Space::Handle);
        match (is_resource, group, binding) {
            (true, Some(group), Some(binding)) => {
                self.module.decorate(id, Decoration::DescriptorSet, &[group]);
                self.module.decorate(id, Decoration::Binding, &[binding]);
            }
            (true, ..) => {
                let name = global.name.map_or("", |name| self.text(name));
                let message = format!("the resource {} lacks `@group` or `@binding`", quote(name));
                self.lacks(global.at, message);
                self.help("write `@group(0) @binding(0)` in front of `var`");
                return None;
            }
            (false, None, None) => {}
            (false, ..) => {
                let message = format!("a variable in `{}` has no binding", space.name());
                self.lacks(global.at, message);
            }
        }
        Some(())
    }

    /// True if values of the type may lie in the address space.
    fn fits_space(&mut self, ty: Type, space: Space, access: Access, at: Span) -> bool {
        let facts = self.types.facts(ty);
        let name = self.type_name(ty);
        let wrong = match space {
            Space::Handle => false,
            Space::Private | Space::Function => !facts.is_constructible,
            Space::Workgroup => facts.is_open || !(facts.is_constructible || facts.has_atomics),
            Space::Uniform | Space::Immediate => !facts.is_constructible || !facts.is_shareable,
            Space::Storage => !facts.is_shareable,
        };
        if wrong {
            let message = format!("{name} does not lie in `{}`", space.name());
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            if facts.is_constructible {
                self.help("a `bool` has no form in a buffer: use a `u32`");
            }
            return false;
        }
        if facts.has_atomics && space == Space::Storage && access != Access::ReadWrite {
            let message = "atomics need the access `read_write`";
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return false;
        }
        let is_buffer = matches!(space, Space::Uniform | Space::Storage | Space::Immediate);
        if !is_buffer && facts.words > u64::from(WORDS) {
            let message = format!("{name} has more than {WORDS} words");
            self.wrong(DiagnosticCode::WgslTooLarge, at, message);
            return false;
        }
        if space == Space::Uniform
            && let Some(why) = self.uniform_fault(ty)
        {
            self.wrong(DiagnosticCode::WgslTypes, at, why);
            self.help("write `@align(16)` in front of the member, or use elements of 16 bytes");
            return false;
        }
        true
    }

    /// Why a type does not follow the rules of uniform buffers.
    fn uniform_fault(&mut self, ty: Type) -> Option<String> {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            if !self.uniform.insert(ty) {
                continue;
            }
            match self.types.kind(ty) {
                Kind::Array(element, Length::Known(_)) => {
                    let stride = self.types.stride(element);
                    if !stride.is_multiple_of(16) {
                        let name = self.type_name(ty);
                        return Some(format!(
                            "the elements of {name} lie {stride} bytes apart, and a uniform buffer needs a multiple of 16"
                        ));
                    }
                    open.push(element);
                }
                Kind::Struct(number) => {
                    let members = &self.types.structs[number as usize].members;
                    for (k, member) in members.iter().enumerate() {
                        open.push(member.ty);
                        let is_composite =
                            matches!(self.types.kind(member.ty), Kind::Struct(_) | Kind::Array(..));
                        let name = self.text(member.name);
                        if is_composite && !member.offset.is_multiple_of(16) {
                            return Some(format!(
                                "the member `{name}` begins at byte {}, and a uniform buffer needs a multiple of 16",
                                member.offset
                            ));
                        }
                        let end = member.offset + round_up(self.types.facts(member.ty).size, 16);
                        if matches!(self.types.kind(member.ty), Kind::Struct(_))
                            && members.get(k + 1).is_some_and(|next| next.offset < end)
                        {
                            return Some(format!(
                                "the member behind `{name}` must begin at byte {end} of a uniform buffer"
                            ));
                        }
                    }
                }
                _ => {}
            }
        }
        None
    }
}
