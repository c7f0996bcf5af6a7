//! Instructions of blocks: variables, pointers and computations.
//!
//! A variable's content is one node. A read of a part takes the content apart. A write to a part makes a
//! new content ([`Core::Update`], or a structure of its fields), which the graph simplifies where the
//! parts are known.

use super::raiser::{Pointer, Raiser, Root, Value};
use crate::error::{RaiseError, Result};
use crate::memory::Memory;
use crate::module::{DEMOTED, Instruction, ModuleType};
use crate::mutants::{Mutant, is_active};
use crate::structure::is_atomic;
use lambdav_core::graph::NodeId;
use lambdav_core::interface::Stage;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::spirv::{Op, StorageClass};

impl Raiser<'_, '_> {
    /// Executes an instruction other than a call or a terminator.
    pub(super) fn instruction(&mut self, of: &Instruction<'_>, memory: &mut Memory) -> Result<()> {
        match of.op {
            Op::Line | Op::NoLine | Op::Nop | Op::Phi | Op::MemoryBarrier => {}
            // Pixels have no workgroup.
            Op::ControlBarrier if self.stage != Stage::Compute => {}
            Op::ControlBarrier => self.barrier(of, memory)?,
            op if is_atomic(op) => {
                if let Some(word) = self.atomic(of, memory)? {
                    let ty = self.core_type(of.operand(0)?)?;
                    let word = self.of_type(word, ty)?;
                    self.name(of.operand(1)?, word);
                    self.define(of, Value::Node(word))?;
                }
            }
            Op::ArrayLength if self.leads_to_memory(of)? => {
                let length = self.memory_length(of, memory)?;
                let ty = self.core_type(of.operand(0)?)?;
                let length = self.of_type(length, ty)?;
                self.define(of, Value::Node(length))?;
            }
            Op::DemoteToHelperInvocation => {
                self.demand(Stage::has_discard, "discard")?;
                let slot = self.demoted_slot()?;
                memory.set(slot, self.graph.bool(true, self.span));
            }
            Op::IsHelperInvocationEXT => {
                let slot = self.demoted_slot()?;
                self.define(of, Value::Node(memory.get(slot)))?;
            }
            Op::Variable => self.variable(of, memory)?,
            Op::AccessChain | Op::InBoundsAccessChain => {
                let pointer = self.access(of)?;
                self.define(of, Value::Pointer(pointer))?;
            }
            Op::Load => {
                let pointer = self.pointer(of.operand(2)?)?;
                let value = match self.opaque_at(&pointer)? {
                    Some(value) => value,
                    None => {
                        let node = self.load(&pointer, memory)?;
                        let ty = self.core_type(of.operand(0)?)?;
                        Value::Node(self.of_type(node, ty)?)
                    }
                };
                self.define(of, value)?;
            }
            Op::Store => {
                let pointer = self.pointer(of.operand(0)?)?;
                let node = self.operand(of, 1)?;
                self.store(&pointer, node, memory)?;
                if let [id, _, ..] = *of.operands
                    && pointer.path.is_empty()
                {
                    self.name(id, node);
                }
            }
            Op::CopyMemory => {
                let [to, from] = [of.operand(0)?, of.operand(1)?];
                let [to, from] = [self.pointer(to)?, self.pointer(from)?];
                let node = self.load(&from, memory)?;
                self.store(&to, node, memory)?;
            }
            Op::SampledImage => {
                let image = self.with_sampler(of)?;
                self.define(of, Value::Image(image))?;
            }
            Op::CopyObject | Op::Image => {
                let value = self.value(of.operand(2)?)?;
                self.define(of, value)?;
            }
            Op::ExtInst if self.module.is_without_semantics(of.operand(2)?) => {}
            Op::ExtInst if self.module.is_glsl(of.operand(2)?) => {
                match self.glsl_with_pointer(of)? {
                    None => self.compute(of)?,
                    Some((node, stored)) => {
                        let pointer = self.pointer(of.operand(5)?)?;
                        self.store(&pointer, stored, memory)?;
                        self.define(of, Value::Node(node))?;
                    }
                }
            }
            _ => self.compute(of)?,
        }
        Ok(())
    }

    /// True if a query of a length is about a memory.
    fn leads_to_memory(&mut self, of: &Instruction<'_>) -> Result<bool> {
        Ok(matches!(self.pointer(of.operand(2)?)?.root, Root::Memory(..)))
    }

    /// The slot that holds if the pixel has become a helper.
    fn demoted_slot(&self) -> Result<usize> {
        match self.globals.get(&DEMOTED) {
            Some(Value::Pointer(Pointer { root: Root::Slot(slot), .. })) => Ok(*slot),
            _ => Err(RaiseError::malformed("it is outside the functions of the entry point")),
        }
    }

    fn compute(&mut self, of: &Instruction<'_>) -> Result<()> {
        let node = self.operation(of)?;
        let ty = self.core_type(of.operand(0)?)?;
        let node = self.of_type(node, ty)?;
        self.name(of.operand(1)?, node);
        self.define(of, Value::Node(node))
    }

    fn define(&mut self, of: &Instruction<'_>, value: Value) -> Result<()> {
        let id = of.operand(1)?;
        self.frame().values.insert(id, value);
        Ok(())
    }

    fn variable(&mut self, of: &Instruction<'_>, memory: &mut Memory) -> Result<()> {
        let ModuleType::Pointer(StorageClass::Function, ty) = *self.module.ty(of.operand(0)?)?
        else {
            return Err(of.malformed("its type is no pointer to a variable of a function"));
        };
        let core = self.core_type(ty)?;
        let content = match of.operands.get(3) {
            Some(&initial) => self.constant(initial)?,
            None => self.zero(core),
        };
        let content = self.of_type(content, core)?;
        let slot = memory.push(content);
        let id = of.operand(1)?;
        match of.operands.get(3) {
            None => self.open_unset(id, slot, memory),
            Some(_) => self.unset.forget(slot),
        }
        let frame = self.frame();
        if let Some(&root) = frame.facts.root_of.get(&id) {
            frame.set_root(root, slot);
        }
        self.define(of, Value::Pointer(Pointer { root: Root::Slot(slot), ty, path: Vec::new() }))
    }

    /// The pointer that an id refers to.
    pub(super) fn pointer(&mut self, id: u32) -> Result<Pointer> {
        match self.value(id) {
            Ok(Value::Pointer(pointer)) => Ok(pointer),
            _ => Err(RaiseError::malformed(format!("%{id} does not point to a variable"))),
        }
    }

    fn access(&mut self, of: &Instruction<'_>) -> Result<Pointer> {
        let mut pointer = self.pointer(of.operand(2)?)?;
        for &id in of.rest(3) {
            let index = self.node(id)?;
            if !matches!(self.type_of(index), Type::INT | Type::UINT) {
                return Err(of.malformed("an index is no integer"));
            }
            pointer.ty = match self.module.ty(pointer.ty)? {
                ModuleType::Vector(part, _)
                | ModuleType::Matrix(part, _)
                | ModuleType::Array(part, _)
                | ModuleType::RuntimeArray(part) => *part,
                ModuleType::Structure(members) => {
                    let member = self.graph.constant_words(index).map(|words| words[0] as usize);
                    match member.and_then(|member| members.get(member)) {
                        Some(&member) => member,
                        None => return Err(of.malformed("there is no such member")),
                    }
                }
                _ => return Err(of.malformed("an index into a value without parts")),
            };
            pointer.path.push(index);
        }
        Ok(pointer)
    }

    /// Loads from a pointer.
    fn load(&mut self, pointer: &Pointer, memory: &mut Memory) -> Result<NodeId> {
        let (mut node, path) = match pointer.root {
            Root::Slot(slot) => (memory.get(slot), &pointer.path[..]),
            Root::Constant(node) => (node, &pointer.path[..]),
            Root::Buffer(buffer, member) => match pointer.path[..] {
                [first, index, ..] if self.is_member(first, member) => {
                    let mut node = self.op(Core::Element, &[buffer, index])?;
                    for &index in &pointer.path[2..] {
                        node = self.part(node, index)?;
                    }
                    return self.or_zero(buffer, index, node);
                }
                _ => return Err(RaiseError::unsupported("a whole buffer as a value")),
            },
            Root::Opaque(_) => return Err(RaiseError::malformed("a texture is no such value")),
            Root::Memory(..) => return self.load_memory(pointer, memory),
        };
        for &index in path {
            node = self.part(node, index)?;
        }
        Ok(node)
    }

    /// A part of the element of a buffer at an index, or zeros if there is no such element.
    fn or_zero(&mut self, buffer: NodeId, index: NodeId, part: NodeId) -> Result<NodeId> {
        if self.stays_inside(buffer, index) {
            return Ok(part);
        }
        let count = self.op(Core::Length, &[buffer])?;
        let [index, count] = [index, count].map(|node| self.integer_as(node, Scalar::U32));
        let is_inside = self.op(Core::Less, &[index?, count?])?;
        let zero = self.zero(self.type_of(part));
        self.op(Core::Select, &[is_inside, part, zero])
    }

    /// True if an index is a constant with the number of that member.
    pub(super) fn is_member(&self, index: NodeId, member: u32) -> bool {
        self.graph.constant_words(index).is_some_and(|words| words[0] == member)
    }

    /// A part of a value.
    pub(super) fn part(&mut self, node: NodeId, index: NodeId) -> Result<NodeId> {
        match self.field_of(node, index)? {
            Some(field) => self.op(Core::Field(field), &[node]),
            None => self.op(Core::At, &[node, index]),
        }
    }

    /// The field that an index selects in a structure; `None` for other values.
    fn field_of(&self, node: NodeId, index: NodeId) -> Result<Option<u32>> {
        match self.graph.types().kind(self.type_of(node)) {
            TypeKind::Structure(_) => match self.graph.constant_words(index) {
                Some(words) => Ok(Some(words[0])),
                None => Err(RaiseError::malformed("the index of a member is no constant")),
            },
            TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..) => Ok(None),
            _ => Err(RaiseError::malformed("an index into a value without parts")),
        }
    }

    /// Stores through a pointer.
    fn store(&mut self, pointer: &Pointer, node: NodeId, memory: &mut Memory) -> Result<()> {
        let slot = match pointer.root {
            Root::Slot(slot) => slot,
            Root::Memory(..) => return self.store_memory(pointer, node, memory),
            _ => return Err(RaiseError::unsupported("writing to shared memory")),
        };
        let whole = memory.get(slot);
        let new = self.replace(whole, &pointer.path, node)?;
        memory.set(slot, new);
        self.set(slot, memory);
        if is_active(Mutant::UnmaskedStore) && !pointer.path.is_empty() {
            self.unmask(slot, new);
        }
        Ok(())
    }

    /// Mutant: all other arms see the store.
    fn unmask(&mut self, slot: usize, new: NodeId) {
        for task in &mut self.tasks {
            if let super::raiser::Task::Enter { memory, .. } = task
                && slot < memory.len()
                && self.graph.value_type(memory.get(slot)) == self.graph.value_type(new)
            {
                memory.set(slot, new);
            }
        }
    }

    /// A value with the part at the end of a path replaced.
    pub(super) fn replace(
        &mut self,
        whole: NodeId,
        path: &[NodeId],
        part: NodeId,
    ) -> Result<NodeId> {
        // A whole store ignores the old content: searching the stores before it may take long.
        let Some((&last, outer)) = path.split_last() else {
            let ty = self.type_of(whole);
            return self.of_type(part, ty);
        };
        let mut wholes = vec![whole];
        for &index in outer {
            let inner = self.part(wholes[wholes.len() - 1], index)?;
            wholes.push(inner);
        }
        let innermost = wholes[wholes.len() - 1];
        let number = self.field_of(innermost, last)?.unwrap_or(0) as usize;
        let ty = self.graph.types().part(self.type_of(innermost), number);
        let Some((ty, _)) = ty else { return Err(RaiseError::malformed("index out of bounds")) };
        let mut new = self.of_type(part, ty)?;
        for (&index, whole) in path.iter().zip(wholes).rev() {
            new = match self.field_of(whole, index)? {
                None => self.op(Core::Update, &[whole, index, new])?,
                Some(field) => {
                    let ty = self.type_of(whole);
                    let count = self.graph.types().parts(ty).len() as u32;
                    let mut fields = Vec::with_capacity(count as usize);
                    for k in 0..count {
                        fields.push(match k == field {
                            true => new,
                            false => self.op(Core::Field(k), &[whole])?,
                        });
                    }
                    self.steps += fields.len() / 8;
                    self.op(Core::Construct(ty), &fields)?
                }
            };
        }
        Ok(new)
    }
}
