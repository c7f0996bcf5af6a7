//! Reads the debug information of a function while its code is read.

use super::binary::Instruction;
use super::code::Position;
use super::debug::{BlockDebug, FunctionDebug, Named, NamedValue, PathPart, PrintedPart, Shape};
use super::global::Globals;
use super::signature::Signature;
use super::values::{Entity, Ids, MemoryRegion, Space, SpirvType, ValueType};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The deepest nesting of types whose values an observer sees.
const DEPTH: usize = 32;

/// Debug information of the function that is being read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) function: FunctionDebug,
    /// The last position of the text, in any block.
    line: Option<Position>,
    /// The root and the path of each pointer to a part.
    pointers: FxHashMap<u32, (u32, Vec<PathPart>)>,
    /// Places of parameters.
    parameters: Vec<usize>,
    /// Labels of the merge blocks of loops, by header.
    pub(super) merges: FxHashMap<u32, u32>,
}

/// True for instructions whose second operand is no result.
fn has_no_result(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::Store
            | Op::CopyMemory
            | Op::AtomicStore
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::ControlBarrier
            | Op::MemoryBarrier
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::DemoteToHelperInvocation
            | Op::Unreachable
    )
}

/// True for the name that stands for a member without one.
fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name of an id, if it has one.
fn name(globals: &Globals, id: u32) -> Option<Arc<str>> {
    globals.name_of(id, None).filter(|name| !name.is_empty()).map(Arc::from)
}

/// The shape of a type; `None` if it nests too deeply. The recursion is limited.
fn shape(ids: &Ids, globals: &Globals, kind: ValueType, depth: usize) -> Option<Arc<Shape>> {
    if depth > DEPTH {
        return None;
    }
    let Some(aggregate) = kind.aggregate else { return Shape::components(kind).map(Arc::new) };
    let Some(Entity::Type(ty)) = ids.get(aggregate.ty) else { return None };
    Some(Arc::new(match ty {
        SpirvType::Struct(members, _) => {
            let all = members.iter().enumerate().map(|(index, &(kind, at))| {
                let given = globals.name_of(aggregate.ty, Some(index as u32));
                let name = given.map_or_else(|| index.to_string().into(), Arc::from);
                Some((name, shape(ids, globals, kind, depth + 1)?, at))
            });
            Shape::Struct(name(globals, aggregate.ty), all.collect::<Option<_>>()?)
        }
        SpirvType::Array(element, count) => {
            Shape::Array(shape(ids, globals, *element, depth + 1)?, element.words(), *count)
        }
        _ => return None,
    }))
}

/// The text of a string.
fn text_of(ids: &Ids, id: u32) -> Option<Arc<str>> {
    match ids.get(id) {
        Some(Entity::String(text)) => Some(Arc::from(&**text)),
        _ => None,
    }
}

/// An argument of a message.
fn printed(ids: &Ids, globals: &Globals, id: u32) -> Option<PrintedPart> {
    match ids.get(id)? {
        &Entity::Value(kind, at) => Some(PrintedPart::Value(at, shape(ids, globals, kind, 0)?)),
        _ => text_of(ids, id).map(PrintedPart::Text),
    }
}

impl Notes {
    /// Begins a function.
    pub(super) fn new(ids: &Ids, globals: &Globals, signature: &Signature) -> Self {
        let mut notes = Self::default();
        notes.function.name = name(globals, signature.id);
        notes.function.result = signature.result.and_then(|result| shape(ids, globals, result, 0));
        for (id, entity) in &signature.parameters {
            let &Entity::Value(kind, at) = entity else { continue };
            notes.parameters.push(at);
            if let (Some(name), Some(shape)) = (name(globals, *id), shape(ids, globals, kind, 0)) {
                notes.function.parameters.push(NamedValue { name, at, shape });
            }
        }
        notes
    }

    /// Notes a line between two blocks.
    pub(super) fn between(&mut self, line: Option<Position>) {
        self.line = line.or(self.line);
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, line: Option<Position>) {
        self.between(line);
        let block = BlockDebug { before: self.line, first: line, ..BlockDebug::default() };
        self.function.blocks.push(block);
    }

    /// Notes an instruction of the open block that has been read. `line` is the position now; `steps` the numbers of steps
    /// before and after it.
    pub(super) fn instruction(
        &mut self,
        (ids, globals): (&Ids, &Globals),
        instruction: &Instruction<'_>,
        line: Option<Position>,
        label: u32,
        steps: [usize; 2],
    ) {
        let Some(block) = self.function.blocks.last_mut() else { return };
        let [before, after] = steps;
        if let Some(line) = line
            && block.lines.last().is_none_or(|&(_, last)| last != line)
            && (!block.lines.is_empty() || block.first != Some(line))
        {
            block.lines.push((after, line));
            block.first = block.first.or(Some(line));
            self.line = Some(line);
        }
        let operand = |index: usize| instruction.operands.get(index).copied();
        match instruction.op {
            Op::LoopMerge => {
                if let Some(merge) = operand(0) {
                    self.merges.insert(label, merge);
                }
            }
            Op::Switch => {
                if let Some(&Entity::Value(kind, _)) = operand(0).and_then(|id| ids.get(id)) {
                    block.is_signed = kind.scalar == super::values::ComponentType::Int;
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain => self.pointer(ids, globals, instruction),
            Op::Store | Op::CopyMemory => {
                if let Some(pointer) = operand(0)
                    && after > before
                {
                    let value = operand(1).and_then(|id| match ids.get(id) {
                        Some(&Entity::Value(_, at)) => Some(at),
                        _ => None,
                    });
                    let is_parameter = value.is_some_and(|at| self.parameters.contains(&at));
                    self.stored((ids, globals), instruction, pointer, after - 1, is_parameter);
                }
            }
            Op::ExtInst
                if matches!(operand(2).and_then(|set| ids.get(set)), Some(Entity::DebugPrintf)) =>
            {
                if let Some(format) = operand(4).and_then(|id| text_of(ids, id)) {
                    let rest = &instruction.operands[5..];
                    let arguments =
                        rest.iter().filter_map(|&id| printed(ids, globals, id)).collect();
                    block.names.push((after - 1, Named::Printed { format, arguments }));
                }
            }
            op if has_no_result(op) => {}
            op => {
                let Some(id) = operand(1) else { return };
                if op == Op::Load
                    && let Some(pointer) = operand(2)
                    && after > before
                {
                    self.read((ids, globals), id, pointer, after - 1);
                }
                let (Some(&Entity::Value(kind, at)), Some(name)) = (ids.get(id), name(globals, id))
                else {
                    return;
                };
                let Some(shape) = shape(ids, globals, kind, 0) else { return };
                let named = NamedValue { name, at, shape };
                let block = self.function.blocks.last_mut().expect("a block is open");
                if op == Op::Phi {
                    // Without a line of its own, it belongs to the text before the block.
                    block.phis.push((named, line.or(block.before)));
                } else if after > before {
                    block.names.push((after - 1, Named::Value(named)));
                }
            }
        }
    }

    /// Notes the path of an access chain.
    fn pointer(&mut self, ids: &Ids, globals: &Globals, instruction: &Instruction<'_>) {
        let &[_, id, base, ref indices @ ..] = instruction.operands else { return };
        let (root, mut path) =
            self.pointers.get(&base).cloned().unwrap_or_else(|| (base, Vec::new()));
        for &index in indices {
            let constant = globals.constant(index).and_then(|words| words.first().copied());
            path.push(match (constant, ids.get(index)) {
                (Some(index), _) => PathPart::Index(index),
                (None, Some(&Entity::Value(_, at))) => PathPart::Dynamic(at),
                _ => return,
            });
        }
        self.pointers.insert(id, (root, path));
    }

    /// Notes the load of an input or uniform.
    fn read(&mut self, (ids, globals): (&Ids, &Globals), id: u32, pointer: u32, step: usize) {
        let (root, path) =
            self.pointers.get(&pointer).cloned().unwrap_or_else(|| (pointer, Vec::new()));
        let Some(Entity::Pointer(_, whole)) = ids.get(root) else { return };
        let Some(&Entity::Value(kind, at)) = ids.get(id) else { return };
        let mut path = named_path(ids, globals, whole.kind, path);
        let name = match whole.space {
            // A block around one value has a member without a name.
            Space::Block(_) if matches!(path.first(), Some(PathPart::Member(name)) if is_number(name)) =>
            {
                path.remove(0);
                name(globals, root)
            }
            Space::Block(_) => None,
            Space::Own(number) if globals.variables[number].role.is_input() => name(globals, root),
            _ => return,
        };
        let mut text = name.map_or_else(String::new, |name| name.to_string());
        for part in &path {
            match part {
                PathPart::Member(name) if text.is_empty() => text.push_str(name),
                PathPart::Member(name) => text.extend([".", name]),
                PathPart::Index(index) => text += &format!("[{index}]"),
                // Several parts have this name.
                PathPart::Dynamic(_) => return,
            }
        }
        let (false, Some(shape)) = (text.is_empty(), shape(ids, globals, kind, 0)) else { return };
        let named = Named::Input(NamedValue { name: text.into(), at, shape });
        if let Some(block) = self.function.blocks.last_mut() {
            block.names.push((step, named));
        }
    }

    /// Notes a store to a pointer.
    fn stored(
        &mut self,
        (ids, globals): (&Ids, &Globals),
        instruction: &Instruction<'_>,
        pointer: u32,
        step: usize,
        is_parameter: bool,
    ) {
        let (root, path) =
            self.pointers.get(&pointer).cloned().unwrap_or_else(|| (pointer, Vec::new()));
        if let Some(&Entity::Buffer { block, .. }) = ids.get(root) {
            let path = block_path(ids, globals, block, path);
            return self.written((ids, globals), instruction, root, path, step);
        }
        let (Some(Entity::Pointer(_, whole)), Some(Entity::Pointer(_, part))) =
            (ids.get(root), ids.get(pointer))
        else {
            return;
        };
        if whole.space.is_written_by_others() {
            let path = named_path(ids, globals, whole.kind, path);
            return self.written((ids, globals), instruction, root, path, step);
        }
        if !matches!(whole.space, Space::Own(_) | Space::Pointed) {
            return;
        }
        let Some(name) = name(globals, root) else { return };
        // A vector or matrix is shown whole; of an aggregate, the part.
        let (region, path): (&MemoryRegion, _) = match whole.kind.aggregate {
            None => (whole, Vec::new()),
            Some(_) => (part, named_path(ids, globals, whole.kind, path)),
        };
        let (Some(shape), Ok(place)) =
            (shape(ids, globals, region.kind, 0), globals.place(ids, instruction, region))
        else {
            return;
        };
        let named = Named::Stored { name, place, shape, path, is_parameter };
        if let Some(block) = self.function.blocks.last_mut() {
            block.names.push((step, named));
        }
    }
}

impl Notes {
    /// Notes a store to memory that other invocations see. The members of a block without a name have names of their own.
    fn written(
        &mut self,
        (ids, globals): (&Ids, &Globals),
        instruction: &Instruction<'_>,
        root: u32,
        mut path: Vec<PathPart>,
        step: usize,
    ) {
        let name = match (name(globals, root), path.first()) {
            (Some(name), _) => name,
            (None, Some(PathPart::Member(name))) => {
                let name = Arc::clone(name);
                path.remove(0);
                name
            }
            _ => return,
        };
        let id = instruction.operands.get(1).copied();
        let Some(&Entity::Value(kind, at)) = id.and_then(|id| ids.get(id)) else { return };
        let Some(shape) = shape(ids, globals, kind, 0) else { return };
        let named = Named::Written { name, at, shape, path };
        if let Some(block) = self.function.blocks.last_mut() {
            block.names.push((step, named));
        }
    }
}

/// A path in a block whose last member is an array without a length.
fn block_path(ids: &Ids, globals: &Globals, block: u32, path: Vec<PathPart>) -> Vec<PathPart> {
    let Some(&PathPart::Index(member)) = path.first() else { return path };
    let name = globals.name_of(block, Some(member));
    let mut named =
        vec![PathPart::Member(name.map_or_else(|| member.to_string().into(), Arc::from))];
    let array = match ids.get(block) {
        Some(&Entity::Type(SpirvType::Buffer(array))) => Some(array),
        Some(Entity::Type(SpirvType::Open(members))) => members.get(member as usize).copied(),
        _ => None,
    };
    let mut rest = path.into_iter().skip(1);
    let kind = match array.and_then(|ty| ids.get(ty)) {
        Some(&Entity::Type(SpirvType::RuntimeArray(kind))) => {
            named.extend(rest.next());
            Some(kind)
        }
        Some(&Entity::Type(SpirvType::Value(kind))) => Some(kind),
        _ => None,
    };
    match kind {
        Some(kind) => named.extend(named_path(ids, globals, kind, rest.collect())),
        None => named.extend(rest),
    }
    named
}

/// A path with the names of members.
fn named_path(
    ids: &Ids,
    globals: &Globals,
    whole: ValueType,
    path: Vec<PathPart>,
) -> Vec<PathPart> {
    let mut kind = Some(whole);
    let parts = path.into_iter().map(|part| {
        let of = kind;
        let index = if let PathPart::Index(index) = part { index } else { 0 };
        kind = of.and_then(|of| Some(ids.part(of, index as usize)?.0));
        let Some(aggregate) = of.and_then(|of| of.aggregate) else {
            let is_vector = of.is_some_and(|of| !of.is_matrix());
            return match (&part, ["x", "y", "z", "w"].get(index as usize)) {
                (PathPart::Index(_), Some(&name)) if is_vector => PathPart::Member(name.into()),
                _ => part,
            };
        };
        match ids.get(aggregate.ty) {
            Some(Entity::Type(SpirvType::Struct(..))) => {
                let name = globals.name_of(aggregate.ty, Some(index));
                PathPart::Member(name.map_or_else(|| index.to_string().into(), Arc::from))
            }
            _ => part,
        }
    });
    parts.collect()
}
