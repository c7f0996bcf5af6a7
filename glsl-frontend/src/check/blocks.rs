//! Interface blocks: uniforms, buffers, push constants, and blocks of inputs and outputs.

use super::checker::Checker;
use super::items::{Block, Bound, Direction, Stage};
use super::scopes::Symbol;
use super::values::{Layout, Operand, Place, Rules};
use crate::syntax::tree::{BlockDeclaration, Mark, Qualifiers, Storage};
use crate::token::Name;
use crate::types::{Kind, Length, Member, Struct};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Decoration, StorageClass};

impl Checker<'_> {
    /// Member of a block of inputs or outputs.
    pub(super) fn block_member(&mut self, number: usize, name: Name, at: Span) -> Operand {
        let block = &self.blocks[number];
        if let Some((_, place)) = block.members.iter().find(|(own, _)| *own == name) {
            return Operand::Place(place.clone());
        }
        let (text, owner) = (self.text(name).to_owned(), block.name.clone());
        let message = format!("the block `{owner}` has no member `{text}`");
        self.wrong(DiagnosticCode::GlslName, at, message);
        Operand::Error
    }

    pub(super) fn blocks_indexed(&mut self, at: Span) {
        self.unsupported(at, "arrays of blocks of inputs and outputs");
    }

    /// What the qualifiers of a block, or the defaults before, say of its memory.
    fn block_layout(&mut self, qualifiers: &Qualifiers, class: StorageClass) -> Layout {
        let default = match class {
            StorageClass::Uniform => self.interface.uniform_layout,
            _ => self.interface.buffer_layout,
        };
        self.layout_from(qualifiers, default)
    }

    pub(super) fn layout_from(&self, qualifiers: &Qualifiers, mut layout: Layout) -> Layout {
        for item in &qualifiers.layout {
            match self.text(item.name) {
                "std140" | "shared" | "packed" => layout.rules = Rules::Std140,
                "std430" => layout.rules = Rules::Std430,
                "scalar" => layout.rules = Rules::Scalar,
                "row_major" => layout.row_major = true,
                "column_major" => layout.row_major = false,
                _ => {}
            }
        }
        layout
    }

    /// `uniform Name { … } instance;`
    pub(super) fn block(&mut self, of: &BlockDeclaration) {
        let qualifiers = &of.qualifiers;
        let direction = if qualifiers.has(Storage::In) {
            Some(Direction::In)
        } else if qualifiers.has(Storage::Out) {
            Some(Direction::Out)
        } else {
            None
        };
        let text = self.text(of.name).to_owned();
        if text == "gl_PerVertex" {
            return;
        }
        let Some(members) = self.members(&of.members) else { return self.block_failed(of) };
        if let Some(direction) = direction {
            return self.stage_block(of, members, direction);
        }
        let class = if self.has_layout(qualifiers, "push_constant") {
            StorageClass::PushConstant
        } else if qualifiers.has(Storage::Buffer) {
            if self.has_layout(qualifiers, "buffer_reference") {
                self.unsupported(of.span, "buffer references");
                return self.block_failed(of);
            }
            StorageClass::StorageBuffer
        } else if qualifiers.has(Storage::Uniform) {
            if self.has_layout(qualifiers, "shaderRecordEXT") {
                self.unsupported(of.span, "shader records");
                return self.block_failed(of);
            }
            StorageClass::Uniform
        } else {
            self.wrong(
                DiagnosticCode::GlslQualifier,
                of.span,
                "a block is `uniform`, `buffer`, `in` or `out`",
            );
            return self.block_failed(of);
        };
        for (k, member) in members.iter().enumerate() {
            if self.types.contents(member.ty).is_opaque {
                self.wrong(DiagnosticCode::GlslTypes, member.at, "a texture is not in a block");
                return self.block_failed(of);
            }
            let open = matches!(self.types.kind(member.ty), Kind::Array(_, Length::Open));
            if open && (class != StorageClass::StorageBuffer || k + 1 < members.len()) {
                self.wrong(DiagnosticCode::GlslTypes, member.at, "the array has no length");
                self.help("only the last member of a `buffer` may have none");
                return self.block_failed(of);
            }
        }
        let layout = self.block_layout(qualifiers, class);
        let marks: Vec<Vec<Decoration>> = of
            .members
            .iter()
            .flat_map(|of| {
                let all = memory_marks(qualifiers).into_iter().chain(memory_marks(&of.qualifiers));
                let all: Vec<Decoration> = all.collect();
                vec![all; of.declarators.len()]
            })
            .collect();
        let ty = self.types.structure(Struct { name: text.clone(), members: members.clone() });
        let structure = self.id_of(ty, Some(layout));
        self.module.decorate(structure, Decoration::Block, &[]);
        if class == StorageClass::StorageBuffer {
            for (k, marks) in (0..).zip(marks) {
                for mark in marks {
                    self.module.decorate_member(structure, k, mark, &[]);
                }
            }
        }
        let whole = match &of.instance {
            Some(instance) if !instance.dims.is_empty() => {
                match self.with_dims(ty, &instance.dims) {
                    Some(ty) => ty,
                    None => return self.block_failed(of),
                }
            }
            _ => ty,
        };
        // An array of blocks has no stride.
        let id = match whole == ty {
            true => structure,
            false => {
                let mut id = structure;
                for length in self.types.innermost(whole).1.into_iter().rev() {
                    id = match length {
                        Length::Known(length) => {
                            let length = self.uint(length);
                            self.module.ty(rspirv::spirv::Op::TypeArray, &[id, length])
                        }
                        Length::Open => {
                            self.unsupported(of.span, "arrays of blocks without a length");
                            return self.block_failed(of);
                        }
                    };
                }
                id
            }
        };
        let pointer = self.module.pointer(class, id);
        let id = self.variable_outside(pointer, class);
        let set = self.layout_of(qualifiers, "set");
        let binding = self.layout_of(qualifiers, "binding");
        if class != StorageClass::PushConstant {
            self.interface.resources.push(Bound { id, set, binding });
        }
        let name = of.instance.as_ref().map_or(String::new(), |of| self.text(of.name).to_owned());
        self.module.name(id, &name);
        let mut place = Place::variable(id, class, whole);
        place.layout = Some(layout);
        if class != StorageClass::StorageBuffer {
            place.constant = Some("it is `uniform`");
        } else if qualifiers.marked(Mark::ReadOnly) {
            place.constant = Some("the buffer is `readonly`");
        }
        match &of.instance {
            Some(instance) => {
                self.bind(instance.name, Symbol::Variable(place, None), instance.span);
            }
            None => {
                for (k, member) in members.iter().enumerate() {
                    let part = self.part_of(place.clone(), k);
                    self.bind(member.name, Symbol::Variable(part, None), member.at);
                }
            }
        }
    }

    /// Binds the names of a faulty block.
    fn block_failed(&mut self, of: &BlockDeclaration) {
        match &of.instance {
            Some(instance) => {
                self.scopes.bind(instance.name, Symbol::Error, instance.span);
            }
            None => {
                for declarator in of.members.iter().flat_map(|member| &member.declarators) {
                    self.scopes.bind(declarator.name, Symbol::Error, declarator.span);
                }
            }
        }
    }

    /// A block of inputs or outputs: each member is a variable of its own.
    fn stage_block(&mut self, of: &BlockDeclaration, members: Vec<Member>, direction: Direction) {
        let mut location = self.layout_of(&of.qualifiers, "location");
        let is_array = of.instance.as_ref().is_some_and(|of| !of.dims.is_empty());
        if is_array && self.set.stage != Stage::Compute {
            self.unsupported(of.span, "arrays of blocks of inputs and outputs");
            return self.block_failed(of);
        }
        let all = of.members.iter().flat_map(|of| of.declarators.iter().map(|_| &of.qualifiers));
        let mut places = Vec::new();
        for (member, own) in members.iter().zip(all) {
            if let Some(own) = member.layout.location {
                location = Some(own);
            }
            let mut marks = own.clone();
            marks.marks.extend(of.qualifiers.marks.iter().copied());
            let text = self.text(member.name).to_owned();
            let place =
                self.stage_variable(&text, member.ty, &marks, direction, location, member.at);
            let count = self.locations(member.ty);
            location = location.map(|location| location.saturating_add(count));
            places.push((member.name, place));
        }
        match &of.instance {
            Some(instance) => {
                let name = self.text(instance.name).to_owned();
                self.blocks.push(Block { name, members: places });
                let number = self.blocks.len() - 1;
                self.bind(instance.name, Symbol::Block(number), instance.span);
            }
            None => {
                for ((name, place), member) in places.into_iter().zip(&members) {
                    self.bind(name, Symbol::Variable(place, None), member.at);
                }
            }
        }
    }
}

/// What qualifiers of memory become.
fn memory_marks(of: &Qualifiers) -> Vec<Decoration> {
    let of = of.marks.iter().filter_map(|(mark, _)| match mark {
        Mark::ReadOnly => Some(Decoration::NonWritable),
        Mark::WriteOnly => Some(Decoration::NonReadable),
        Mark::Coherent => Some(Decoration::Coherent),
        Mark::Volatile => Some(Decoration::Volatile),
        _ => None,
    });
    of.collect()
}
