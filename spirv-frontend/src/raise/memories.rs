//! Memories of compute programs: storage buffers and variables of the workgroup.
//!
//! A memory is a list of words ([`lambdav_core::memory`]). The slot of its variable holds its state, so a state takes the
//! ways that the content of a variable takes. Slots of memories are the first ones, in the order of the resources. A
//! pointer keeps its path; an access makes the index of the word of it:
//!
//! - in a buffer by the decorations Offset, ArrayStride, MatrixStride and RowMajor;
//! - in a variable of the workgroup, which has none, all words of a value lie together, in the order of its components.
//!
//! Indices are added modulo 2^32, and are in bounds if the word is. A value is read and written word by word.

use super::opened::OpenMemory;
use super::outside::Outside;
use super::raiser::{Pointer, Raiser, Root};
use crate::error::{RaiseError, Result};
use crate::memory::Memory;
use crate::module::{EntryPoint, Instruction, Layout, ModuleType, Variable, value_offsets};
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::{Effect, NodeId};
use lambdav_core::interface::{Binding, BoundResource};
use lambdav_core::limits::WORKGROUP_INVOCATIONS;
use lambdav_core::memory::{Atomic, MemoryOp};
use lambdav_core::memory_layout::{MemoryArray, MemoryLayout, MemoryMember};
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Field, MemoryKind, Scalar, Structure, Type, TypeKind};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, Scope, StorageClass};

/// The index of a word in a memory: a constant, and what indices known later add to it.
#[derive(Clone, Copy)]
struct Place {
    known: u32,
    added: Option<NodeId>,
}

impl Raiser<'_, '_> {
    /// Opens a memory.
    pub(super) fn open_memory(
        &mut self,
        variable: &Variable,
        binding: Binding,
        memory: &mut Memory,
        outside: &mut Outside,
    ) -> Result<Root> {
        let is_shared = variable.class == StorageClass::Workgroup;
        if is_shared && self.module.decoration(variable.ty, Decoration::Block).is_some() {
            // Such variables may lie in one another's memory.
            let what = "variables of a workgroup with an explicit layout";
            return Err(RaiseError::unsupported(what));
        }
        let is_it = |of: &OpenMemory| !is_shared && of.binding == Some(binding);
        // Variables at one binding are one memory.
        if let Some(slot) = self.memories.0.iter().position(is_it) {
            self.memories.0[slot].variables.push(variable.id);
            return Ok(Root::Memory(slot, variable.ty));
        }
        let own = self.module.name(variable.id);
        let own = if own.is_empty() { self.module.name(variable.ty) } else { own }.to_owned();
        let (kind, name) = match is_shared {
            true => {
                let words = self.core_type(variable.ty)?;
                let words = self.graph.types().components(words) as u32;
                (MemoryKind::Workgroup(words), outside.name([own, "workgroup".to_owned()]))
            }
            false => {
                let memory = Some(self.layout_of(variable.ty)?);
                let name = outside.name([own.clone(), binding.to_string()]);
                let resource = BoundResource { name: own, binding, element: None, memory };
                outside.interface.resources.push(resource);
                (MemoryKind::Storage, name)
            }
        };
        let ty = self.graph.types_mut().add_memory(name.into(), kind);
        let ty = ty.map_err(|limit| RaiseError::too_large(limit.to_string()))?;
        let span = self.module.declaration(variable, self.source).unwrap_or_default();
        let found = self.graph.op(Core::Memory(MemoryOp::State(ty)), Vec::new(), span);
        let slot = memory.push(found);
        debug_assert_eq!(slot, self.memories.count(), "memories are opened first");
        self.memories.0.push(OpenMemory {
            variables: vec![variable.id],
            binding: (!is_shared).then_some(binding),
            ty,
            found,
            is_written: false,
        });
        Ok(Root::Memory(slot, variable.ty))
    }

    /// Where the values of a block lie.
    fn layout_of(&mut self, block: u32) -> Result<MemoryLayout> {
        let module = self.module;
        // A compiler may wrap the author's structure in a block.
        let (block, first) = match self.wrapped_structure(block)? {
            Some(inner) => (inner, Layout::offset(module, block, 0)?),
            None => (block, 0),
        };
        let ModuleType::Structure(members) = module.ty(block)? else {
            return Err(RaiseError::unsupported("several blocks under one binding"));
        };
        let mut all = MemoryLayout::default();
        for (k, &member) in (0..).zip(members) {
            let name = match module.member_name(block, k) {
                "" => k.to_string(),
                name => name.to_owned(),
            };
            let layout = Layout::of_member(module, block, k);
            let offset = first.wrapping_add(Layout::offset(module, block, k)?);
            let is_last = k as usize + 1 == members.len();
            let array = match *module.ty(member)? {
                ModuleType::RuntimeArray(element) => Some((element, None)),
                ModuleType::Array(element, length) if is_last => {
                    Some((element, Some(module.length(length)?)))
                }
                _ => None,
            };
            if let Some((of, length)) = array {
                let (element, stride) = (self.core_type(of)?, Layout::stride(module, member)?);
                let words = value_offsets(module, of, layout)?;
                all.array = Some(MemoryArray { name, element, length, offset, stride, words });
            } else {
                let words = value_offsets(module, member, layout)?.into_iter();
                let words = words.map(|word| word.wrapping_add(offset)).collect();
                all.members.push(MemoryMember { name, ty: self.core_type(member)?, words });
            }
        }
        Ok(all)
    }

    /// The number of invocations of a workgroup, by axes.
    pub(super) fn workgroup(&mut self, entry: &EntryPoint) -> Result<[u32; 3]> {
        let module = self.module;
        let mode = |mode| module.mode(entry.function, mode);
        let size = if let Some(id) = module.with_built_in(BuiltIn::WorkgroupSize) {
            let size = self.constant(id)?;
            self.graph.constant_words(size).map(<[u32]>::to_vec)
        } else if let Some(ids) = mode(ExecutionMode::LocalSizeId) {
            let mut size = Vec::new();
            for &id in ids {
                let along = self.constant(id)?;
                size.extend(self.graph.constant_words(along).into_iter().flatten());
            }
            Some(size)
        } else {
            mode(ExecutionMode::LocalSize).map(<[u32]>::to_vec)
        };
        let Some(size) = size.and_then(|size| <[u32; 3]>::try_from(size).ok()) else {
            return Err(RaiseError::malformed("the entry point has no size of its workgroups"));
        };
        let count = size.iter().try_fold(1_u32, |count, &along| count.checked_mul(along));
        match count {
            Some(0) => Err(RaiseError::malformed("a workgroup has no invocations")),
            Some(count) if count <= WORKGROUP_INVOCATIONS => Ok(size),
            _ => Err(RaiseError::too_large(format!(
                "a workgroup has more than {WORKGROUP_INVOCATIONS} invocations"
            ))),
        }
    }

    /// The final states of the memories that an invocation changes. `last` are the states at its end.
    pub(super) fn effects(&self, last: &[NodeId]) -> Vec<Effect> {
        let all = self.memories.0.iter().zip(last);
        let changed = all.filter(|(memory, last)| memory.found != **last);
        changed.map(|(_, &node)| Effect { node, span: self.graph.span(node) }).collect()
    }

    /// The place that a pointer into a memory leads to, with its type in the module and the layout of matrices there.
    fn place(&mut self, pointer: &Pointer) -> Result<(usize, Place, u32, Layout)> {
        let Root::Memory(slot, mut ty) = pointer.root else {
            return Err(RaiseError::malformed("a pointer that does not lead into a memory"));
        };
        let module = self.module;
        let is_shared = self.memories.is_shared(slot);
        let (mut place, mut layout) = (Place { known: 0, added: None }, Layout::default());
        for &index in &pointer.path {
            let (part, stride) = match module.ty(ty)? {
                ModuleType::Structure(members) => {
                    let member = self.graph.constant_words(index).map(|words| words[0]);
                    let part = member.and_then(|member| members.get(member as usize));
                    let (Some(member), Some(&part)) = (member, part) else {
                        return Err(RaiseError::malformed("there is no such member"));
                    };
                    let offset = match is_shared {
                        true => {
                            let mut words = 0;
                            for &before in &members[..member as usize] {
                                words += self.words(before)?;
                            }
                            words
                        }
                        false => {
                            layout = Layout::of_member(module, ty, member);
                            Layout::offset(module, ty, member)?
                        }
                    };
                    place.known = place.known.wrapping_add(offset);
                    ty = part;
                    continue;
                }
                &ModuleType::Array(part, _) | &ModuleType::RuntimeArray(part) => match is_shared {
                    true => (part, self.words(part)?),
                    false => (part, Layout::stride(module, ty)?),
                },
                &ModuleType::Matrix(column, _) => {
                    let stride = match is_shared {
                        true => self.words(column)?,
                        false => {
                            let (of_column, stride) = layout.column()?;
                            layout = of_column;
                            stride
                        }
                    };
                    (column, stride)
                }
                &ModuleType::Vector(part, _) => (part, layout.components()?),
                _ => return Err(RaiseError::malformed("an index into a value without parts")),
            };
            ty = part;
            self.add_to(&mut place, index, stride)?;
        }
        Ok((slot, place, ty, layout))
    }

    /// The number of words of a value in a variable of the workgroup.
    fn words(&mut self, ty: u32) -> Result<u32> {
        let ty = self.core_type(ty)?;
        Ok(self.graph.types().components(ty) as u32)
    }

    /// Adds an index times a stride to a place.
    fn add_to(&mut self, place: &mut Place, index: NodeId, stride: u32) -> Result<()> {
        if let Some(words) = self.graph.constant_words(index) {
            place.known = place.known.wrapping_add(words[0].wrapping_mul(stride));
            return Ok(());
        }
        let mut words = self.integer_as(index, Scalar::U32)?;
        if stride != 1 && !is_active(Mutant::IgnoredStride) {
            let stride = self.splat(Type::UINT, stride);
            words = self.op(Core::Mul, &[words, stride])?;
        }
        place.added = Some(match place.added {
            Some(before) => self.op(Core::Add, &[before, words])?,
            None => words,
        });
        Ok(())
    }

    /// The index of the word at an offset from a place.
    fn index(&mut self, place: Place, offset: u32) -> Result<NodeId> {
        let known = self.splat(Type::UINT, place.known.wrapping_add(offset));
        match place.added {
            Some(added) if self.graph.constant_words(known) == Some(&[0]) => Ok(added),
            Some(added) => self.op(Core::Add, &[added, known]),
            None => Ok(known),
        }
    }

    /// The offsets, in words, of a value's words from its place.
    fn offsets(&mut self, slot: usize, ty: u32, layout: Layout) -> Result<Vec<u32>> {
        match self.memories.is_shared(slot) {
            true => Ok((0..self.words(ty)?).collect()),
            false => value_offsets(self.module, ty, layout),
        }
    }

    /// Loads a value from a memory.
    pub(super) fn load_memory(&mut self, pointer: &Pointer, memory: &mut Memory) -> Result<NodeId> {
        let (slot, place, ty, layout) = self.place(pointer)?;
        let offsets = self.offsets(slot, ty, layout)?;
        let mut words = Vec::with_capacity(offsets.len());
        for offset in offsets {
            self.step()?;
            let index = self.index(place, offset)?;
            let [word, state] = self.graph.load(memory.get(slot), index, self.span);
            // Nothing waits for the loads of a memory that stays as it is.
            if self.memories.is_written(slot) {
                memory.set(slot, state);
            }
            words.push(word);
        }
        let ty = self.core_type(ty)?;
        self.compose(ty, &mut words.into_iter())
    }

    /// Stores a value into a memory.
    pub(super) fn store_memory(
        &mut self,
        pointer: &Pointer,
        value: NodeId,
        memory: &mut Memory,
    ) -> Result<()> {
        let (slot, place, ty, layout) = self.place(pointer)?;
        let core = self.core_type(ty)?;
        let value = self.of_type(value, core)?;
        let offsets = self.offsets(slot, ty, layout)?;
        let mut words = Vec::with_capacity(offsets.len());
        self.decompose(value, &mut words)?;
        for (word, offset) in words.into_iter().zip(offsets) {
            self.step()?;
            let index = self.index(place, offset)?;
            let state = memory.get(slot);
            memory.set(slot, self.op(Core::Memory(MemoryOp::Store), &[state, index, word])?);
        }
        Ok(())
    }

    /// A value of a type from its words. (Types are nested only as deep as the limit allows.)
    fn compose(&mut self, ty: Type, words: &mut dyn Iterator<Item = NodeId>) -> Result<NodeId> {
        if let (Some(1), Some(scalar)) = (ty.width(), ty.scalar()) {
            let word =
                words.next().ok_or_else(|| RaiseError::malformed("a value without words"))?;
            return match scalar {
                Scalar::F32 => self.op(Core::FromBits, &[word]),
                Scalar::U32 => Ok(word),
                Scalar::I32 => self.op(Core::Convert(scalar), &[word]),
                Scalar::Bool => {
                    let zero = self.splat(Type::UINT, 0);
                    self.op(Core::NotEqual, &[word, zero])
                }
            };
        }
        let types: Vec<Type> = self.graph.types().parts(ty).collect();
        let mut parts = Vec::with_capacity(types.len());
        for part in types {
            parts.push(self.compose(part, words)?);
        }
        self.op(Core::Construct(ty), &parts)
    }

    /// Appends the words of a value.
    fn decompose(&mut self, value: NodeId, words: &mut Vec<NodeId>) -> Result<()> {
        let ty = self.type_of(value);
        if let (Some(1), Some(scalar)) = (ty.width(), ty.scalar()) {
            words.push(match scalar {
                Scalar::F32 => self.op(Core::Bits, &[value])?,
                Scalar::U32 => value,
                Scalar::I32 | Scalar::Bool => self.op(Core::Convert(Scalar::U32), &[value])?,
            });
            return Ok(());
        }
        let kind = *self.graph.types().kind(ty);
        let count = self.graph.types().parts(ty).len();
        for k in 0..count as u32 {
            let part = match kind {
                TypeKind::Structure(_) => self.op(Core::Field(k), &[value])?,
                TypeKind::Vector(..) => self.op(Core::Component(k as u8), &[value])?,
                _ => {
                    let index = self.splat(Type::INT, k);
                    self.op(Core::At, &[value, index])?
                }
            };
            self.decompose(part, words)?;
        }
        Ok(())
    }

    /// The number of elements of the array without a length in a buffer.
    pub(super) fn memory_length(
        &mut self,
        of: &Instruction<'_>,
        memory: &Memory,
    ) -> Result<NodeId> {
        let pointer = self.pointer(of.operand(2)?)?;
        let (Root::Memory(slot, ty), []) = (&pointer.root, &pointer.path[..]) else {
            return Err(of.malformed("not of a buffer"));
        };
        self.length_of_member(memory.get(*slot), *ty, of.operand(3)?)
    }

    /// The number of elements of the array without a length that is a member of the structure `ty`, the content of a memory with that
    /// state.
    pub(super) fn length_of_member(
        &mut self,
        state: NodeId,
        ty: u32,
        member: u32,
    ) -> Result<NodeId> {
        let module = self.module;
        let array = match module.ty(ty)? {
            ModuleType::Structure(members) => members.get(member as usize).copied(),
            _ => None,
        };
        let Some(array) =
            array.filter(|&array| matches!(module.ty(array), Ok(ModuleType::RuntimeArray(_))))
        else {
            return Err(RaiseError::malformed("the member is no array without a length"));
        };
        let [offset, stride] =
            [Layout::offset(module, ty, member)?, Layout::stride(module, array)?];
        if stride == 0 {
            return Err(RaiseError::malformed("the array has no stride"));
        }
        let [offset, stride] = [offset, stride].map(|words| self.splat(Type::UINT, words));
        let size = self.op(Core::Memory(MemoryOp::Size), &[state])?;
        if is_active(Mutant::LengthOfBuffer) {
            return Ok(size);
        }
        let end = self.op(Core::Max, &[size, offset])?;
        let words = self.op(Core::Sub, &[end, offset])?;
        self.op(Core::Div, &[words, stride])
    }

    /// Executes an atomic operation; the result is the old word, except that of a store.
    pub(super) fn atomic(
        &mut self,
        of: &Instruction<'_>,
        memory: &mut Memory,
    ) -> Result<Option<NodeId>> {
        if of.op == Op::AtomicStore {
            let pointer = self.pointer(of.operand(0)?)?;
            let value = self.operand(of, 3)?;
            self.store_memory(&pointer, value, memory)?;
            return Ok(None);
        }
        let pointer = self.pointer(of.operand(2)?)?;
        if of.op == Op::AtomicLoad {
            return self.load_memory(&pointer, memory).map(Some);
        }
        let (slot, place, ty, _) = self.place(&pointer)?;
        if !matches!(self.module.ty(ty)?, ModuleType::Int(_)) {
            return Err(
                of.unsupported("atomic operations on other values than integers of 32 bits")
            );
        }
        let word = |s: &mut Self, at| {
            let value = s.operand(of, at)?;
            s.integer_as(value, Scalar::U32)
        };
        let mut words = Vec::new();
        let atomic = match of.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let is_up = of.op == Op::AtomicIIncrement;
                words.push(self.splat(Type::UINT, if is_up { 1 } else { u32::MAX }));
                Atomic::Add
            }
            Op::AtomicCompareExchange => {
                // Two kinds of memory semantics come before the operands.
                words.extend([word(self, 6)?, word(self, 7)?]);
                Atomic::CompareExchange
            }
            Op::AtomicISub => {
                let operand = word(self, 5)?;
                words.push(self.op(Core::Neg, &[operand])?);
                Atomic::Add
            }
            other => {
                words.push(word(self, 5)?);
                match other {
                    Op::AtomicExchange => Atomic::Exchange,
                    Op::AtomicIAdd => Atomic::Add,
                    Op::AtomicSMin => Atomic::IntMin,
                    Op::AtomicUMin => Atomic::UintMin,
                    Op::AtomicSMax => Atomic::IntMax,
                    Op::AtomicUMax => Atomic::UintMax,
                    Op::AtomicAnd => Atomic::And,
                    Op::AtomicOr => Atomic::Or,
                    _ => Atomic::Xor,
                }
            }
        };
        let index = self.index(place, 0)?;
        let both = self.structure_of(&[Type::UINT, self.memories.0[slot].ty])?;
        let mut operands = vec![memory.get(slot), index];
        operands.extend(words);
        let both = self.op(Core::Memory(MemoryOp::Atomic(atomic, both)), &operands)?;
        memory.set(slot, self.op(Core::Field(1), &[both])?);
        self.op(Core::Field(0), &[both]).map(Some)
    }

    /// Waits for all invocations of the workgroup.
    pub(super) fn barrier(&mut self, of: &Instruction<'_>, memory: &mut Memory) -> Result<()> {
        let scope = self.operand(of, 0)?;
        let scope = self.graph.constant_words(scope).and_then(|words| Scope::from_u32(words[0]));
        match scope {
            Some(Scope::Workgroup) => {}
            Some(Scope::Invocation) => return Ok(()),
            _ => return Err(of.unsupported("a barrier of other invocations than a workgroup's")),
        }
        let count = self.memories.count();
        if count == 0 || is_active(Mutant::LostBarrier) {
            return Ok(());
        }
        let types: Vec<Type> = self.memories.0.iter().map(|memory| memory.ty).collect();
        let all = self.structure_of(&types)?;
        let states: Vec<NodeId> = (0..count).map(|slot| memory.get(slot)).collect();
        let all = self.op(Core::Memory(MemoryOp::Barrier(all)), &states)?;
        for slot in 0..count {
            memory.set(slot, self.op(Core::Field(slot as u32), &[all])?);
        }
        Ok(())
    }

    /// A structure of fields of these types.
    fn structure_of(&mut self, types: &[Type]) -> Result<Type> {
        let fields = types.iter().enumerate().map(|(k, &ty)| Field {
            name: k.to_string().into(),
            ty,
            is_generic: false,
        });
        let structure = Structure { name: "States".into(), fields: fields.collect() };
        let ty = self.graph.types_mut().add_structure(structure);
        ty.map_err(|limit| RaiseError::too_large(limit.to_string()))
    }
}
