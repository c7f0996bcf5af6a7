//! A pass as a compute program (LANGUAGE §18).
//!
//! An invocation is an id. Each buffer that the pass writes is a [memory](crate::memory), beside the read-only buffer
//! that has the elements from before the pass. So reads do not depend on writes, and the pass is the fold of its writes
//! in the order of ids, which is that of the dispatch: workgroups have one invocation, x is fastest.
//! Engines run it as any other dispatch, at once where they have a proof.
//!
//! - *scatter* is a store of the components of an element, under "the index is in range".
//! - *combine* is an atomic operation for each component. A `num` is compared by its bits: those of numbers without a
//!   sign ascend as signed integers, those with one descend as unsigned ones, and any without a sign is less as an unsigned
//!   integer. So the least of an element x and a value v is `int-min` of the bits for a positive v, else `uint-max`. An
//!   element that is a NaN stays one throughout the pass, so reading it before is no race.
//! - *append* counts by an atomic addition, in a memory of one word, and stores at the old count.
//! - *scatter … unique* keeps a record of three words for each element ([`Record`]): the last writer, and the first second
//!   write. Each invocation accesses the record of the element that it writes, so a proof for the element is one for the record.
//!
//! Values are forced also where nothing is written. A `when` that is false evaluates nothing else.
//!
//! For devices ([`Form::Device`]) elements have the layout std430, workgroups have 64 invocations, ids are compared with the
//! number of ids, and `unique` is taken on trust.

mod device;
mod faults;
mod order;

pub use device::{DevicePass, DevicePasses};
pub use faults::{Ids, MAX_IDS};
pub use order::Disorder;

use crate::graph::{
    Combine, Core, Effect, Graph, Node, NodeId, Pass, PassResult, Passes, ResultLength, StageInput,
    Way, Write,
};
use crate::layout::{Layout, Rules};
use crate::memory::{Atomic, InvocationInput, MemoryOp};
use crate::mutants::{Mutant, is_active};
use crate::op::{NAN, Op};
use crate::source::Span;
use crate::types::{Field, MemoryKind, Scalar, Structure, Type, TypeKind, TypeLimit, Types};
use lambdav_float_environment::with_default;
use rustc_hash::FxHashMap;

/// The form of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Workgroups of one invocation, elements without gaps, records of writers.
    Ordered,
    /// For devices, whose order of invocations is unknown.
    Device,
}

/// A pass as a compute program.
#[derive(Clone, Debug)]
pub struct PassProgram {
    /// The program. Its first resources are those of the whole program.
    pub core: Core,
    /// Its memories, in the order of their numbers.
    pub memories: Vec<PassMemory>,
}

/// A memory of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassMemory {
    /// Its number among the resources of the pass.
    pub number: usize,
    /// The number of the result's buffer, or of its counter for [`Role::Counter`].
    pub resource: u32,
    /// Its content.
    pub role: Role,
}

/// The content of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The elements of a result.
    Elements,
    /// The number of elements that were appended to a result.
    Counter,
    /// The records of writers to the elements of a result.
    Writers,
}

/// The words of a record of writers, all 0 before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// 1 + the id that wrote last, with [`Self::UNIQUE`] for a `unique` write. After a second write, the one before it.
    pub writer: u32,
    /// 1 + the id that wrote again where that is an error.
    pub again: u32,
    /// 1 + the index of that write in the pass.
    pub write: u32,
}

impl Record {
    /// The number of its words.
    pub const WORDS: usize = 3;
    /// The bit of a `unique` write.
    pub const UNIQUE: u32 = 1 << 31;
}

/// Two writes to one place of which one is `unique`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenTwice {
    /// The id that writes again.
    pub again: u32,
    /// The index of that write in the pass.
    pub write: u32,
    /// The id that wrote before.
    pub before: u32,
    /// The index of the element.
    pub element: u32,
}

impl WrittenTwice {
    /// The first one in the order of ids, among the records of a result.
    pub fn first(records: &[u32]) -> Option<Self> {
        let (records, _) = records.as_chunks::<{ Record::WORDS }>();
        let found = (0..).zip(records).filter(|(_, [_, again, _])| *again != 0);
        let all = found.map(|(element, &[writer, again, write])| Self {
            again: again - 1,
            write: write - 1,
            before: (writer & !Record::UNIQUE) - 1,
            element,
        });
        all.min()
    }
}

/// The places of the words of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Words from one element to the next.
    pub stride: u32,
    /// The place of each component in an element.
    pub words: Vec<u32>,
}

impl Places {
    /// The places for elements of a type.
    pub fn of(types: &Types, element: Type, form: Form) -> Self {
        match form {
            Form::Ordered => {
                let count = types.components(element) as u32;
                Self { stride: count, words: (0..count).collect() }
            }
            Form::Device => {
                let (layout, mut bytes) = (Layout::new(types, Rules::Std430), Vec::new());
                layout.words(types, element, 0, &mut bytes);
                let words = bytes.into_iter().map(|byte| (byte / 4) as u32).collect();
                Self { stride: (layout.stride(element) / 4) as u32, words }
            }
        }
    }
}

/// The numbers of invocations of a workgroup, by axes.
pub fn workgroup(axes: usize, form: Form) -> [u32; 3] {
    match (form, axes) {
        (Form::Ordered, _) => [1, 1, 1],
        (Form::Device, 1) => [64, 1, 1],
        (Form::Device, 2) => [8, 8, 1],
        (Form::Device, _) => [4, 4, 4],
    }
}

impl PassProgram {
    /// A pass of a program.
    ///
    /// # Errors
    ///
    /// If the pass writes more buffers than a program has memories.
    pub fn new(core: &Core, passes: &Passes, pass: &Pass, form: Form) -> Result<Self, TypeLimit> {
        let types = core.graph.types().clone();
        with_default(|| Lowering::lower(core, passes, pass, form, types))
    }

    /// All passes of a program for a device, with one table of types: the memory of a result is the same in all passes.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn for_device(core: &Core, passes: &Passes) -> Result<Vec<Self>, TypeLimit> {
        with_default(|| {
            let (mut all, mut types) = (Vec::new(), core.graph.types().clone());
            for pass in &passes.passes {
                let program = Lowering::lower(core, passes, pass, Form::Device, types)?;
                types = program.core.graph.types().clone();
                all.push(program);
            }
            let of = |program: &mut Self| *program.core.graph.types_mut() = types.clone();
            all.iter_mut().for_each(of);
            Ok(all)
        })
    }

    /// True if the pass reads the elements of a result, from before it.
    pub fn reads(&self, resource: u32) -> bool {
        let graph = &self.core.graph;
        let is_it = |ty| graph.types().resource(ty) == Some(resource as usize);
        let needed = graph.needed_by(self.core.roots());
        needed.into_iter().any(|id| matches!(graph.node(id), Node::Constant(ty, _) if is_it(*ty)))
    }

    /// A program of one invocation that stores the number of ids along each axis of a pass, 0 for negative ones, in
    /// its only memory, of three words.
    pub fn sizes(core: &Core, pass: &Pass) -> Core {
        with_default(|| {
            let mut types = core.graph.types().clone();
            let memory = types.add_memory("(size)".into(), MemoryKind::Storage);
            let memory = memory.expect("a program with passes has no other memories");
            let roots = pass.size.iter().copied();
            let (mut graph, map) = core.graph.rebuilt(roots, types, |_, _| None, |_, _, _| None);
            let mut state = graph.op(Op::Memory(MemoryOp::State(memory)), vec![], pass.span);
            for axis in 0..3 {
                let count = match pass.size.get(axis) {
                    Some(node) => number_of_ids(&mut graph, map[node]),
                    None => graph.constant(Type::UINT, &[1], pass.span),
                };
                let index = graph.constant(Type::UINT, &[axis as u32], pass.span);
                let store = Op::Memory(MemoryOp::Store);
                state = graph.op(store, vec![state, index, count], pass.span);
            }
            let effects = vec![Effect { node: state, span: pass.span }];
            let (uniforms, sites) = (core.uniforms.clone(), core.sites.clone());
            Core { graph, uniforms, effects, workgroup: Some([1; 3]), sites, ..Core::default() }
        })
    }

    /// The number of elements that a result has, if the buffer that its length refers to has `elements` ones.
    pub fn elements(result: &PassResult, elements: impl Fn(u32) -> Option<usize>) -> Option<usize> {
        match result.length {
            ResultLength::Elements(count) => Some(count as usize),
            ResultLength::Of(buffer) => elements(buffer),
        }
    }
}

/// A size as a `uint`, 0 for a negative one.
fn number_of_ids(graph: &mut Graph, size: NodeId) -> NodeId {
    let span = graph.span(size);
    if graph.value_type(size) == Type::UINT {
        return size;
    }
    let zero = graph.constant(Type::INT, &[0], span);
    let size = graph.op(Op::Max, vec![size, zero], span);
    graph.op(Op::Convert(Scalar::U32), vec![size], span)
}

/// A memory while the writes are made.
struct Open {
    memory: PassMemory,
    /// The state that the invocation finds.
    found: NodeId,
    /// The state after the writes so far.
    state: NodeId,
}

struct Lowering {
    graph: Graph,
    memories: Vec<Open>,
    form: Form,
    /// 1 + the index of the id, a `uint`.
    number: NodeId,
}

/// The roles of the memories that a write changes, with the buffers' numbers.
fn changed(write: &Write, passes: &Passes, has_records: bool) -> Vec<(u32, Role)> {
    let mut all = vec![(write.resource, Role::Elements)];
    if write.way == Way::Append {
        let counter = passes.result(write.resource as usize).and_then(|of| of.counter);
        all.push((counter.expect("a buffer that is appended to has a counter"), Role::Counter));
    }
    if has_records {
        all.push((write.resource, Role::Writers));
    }
    all
}

impl Lowering {
    fn lower(
        core: &Core,
        passes: &Passes,
        pass: &Pass,
        form: Form,
        mut types: Types,
    ) -> Result<PassProgram, TypeLimit> {
        let is_unique = |write: &&Write| write.way == Way::Unique && form == Form::Ordered;
        let unique: Vec<u32> =
            pass.writes.iter().filter(is_unique).map(|write| write.resource).collect();
        let changed = |write: &Write| changed(write, passes, unique.contains(&write.resource));
        let mut memories: Vec<(PassMemory, Type)> = Vec::new();
        for (resource, role) in pass.writes.iter().flat_map(changed) {
            if memories.iter().any(|(of, _)| (of.resource, of.role) == (resource, role)) {
                continue;
            }
            let name = &types.resources()[resource as usize].name;
            let name = match role {
                Role::Elements => format!("{name} after"),
                Role::Counter => format!("{name} after"),
                Role::Writers => format!("(writers {name})"),
            };
            let known = types.all().find(|&ty| {
                let number = types.resource(ty).filter(|_| types.memory(ty).is_some());
                number.is_some_and(|number| *types.resources()[number].name == *name)
            });
            let ty = match known {
                Some(known) => known,
                None => types.add_memory(name.into(), MemoryKind::Storage)?,
            };
            let number = types.resource(ty).expect("it is a memory");
            memories.push((PassMemory { number, resource, role }, ty));
        }
        let sizes = pass.size.iter().filter(|_| form == Form::Device).copied();
        let roots: Vec<NodeId> = sizes.chain(pass.writes.iter().flat_map(Write::roots)).collect();
        let replace = |graph: &mut Graph, id: NodeId| match *core.graph.node(id) {
            Node::Stage(StageInput::Id(axes), _) => Some(id_node(graph, axes, core.graph.span(id))),
            _ => None,
        };
        let (mut graph, map) = core.graph.rebuilt(roots, types, replace, |_, _, _| None);
        let number = number(&mut graph, pass.span);
        let memories = memories.into_iter().map(|(memory, ty)| {
            let found = graph.op(Op::Memory(MemoryOp::State(ty)), vec![], pass.span);
            Open { memory, found, state: found }
        });
        let memories = memories.collect();
        let mut lowering = Self { graph, memories, form, number };
        let in_range = match form {
            Form::Device => Some(lowering.in_range(pass, &map)),
            Form::Ordered => None,
        };
        for (index, write) in (0..).zip(&pass.writes) {
            let mapped = Write {
                index: write.index.map(|node| map[&node]),
                value: map[&write.value],
                condition: write.condition.map(|node| map[&node]),
                ..*write
            };
            lowering.write(&mapped, index, &changed(write), in_range);
        }
        let Self { graph, memories, .. } = lowering;
        let is_changed = |open: &&Open| open.state != open.found;
        let effects = memories
            .iter()
            .filter(is_changed)
            .map(|open| Effect { node: open.state, span: pass.span });
        let effects = effects.collect();
        let uniforms = core.uniforms.clone();
        let workgroup = Some(workgroup(pass.size.len(), form));
        let memories = memories.iter().map(|open| open.memory).collect();
        let sites = core.sites.clone();
        let core = Core { graph, uniforms, effects, workgroup, sites, ..Core::default() };
        Ok(PassProgram { core, memories })
    }

    /// The condition that the invocation is one of the pass.
    fn in_range(&mut self, pass: &Pass, map: &FxHashMap<NodeId, NodeId>) -> NodeId {
        let axes = (0..).zip(&pass.size).map(|(axis, size)| {
            let count = number_of_ids(&mut self.graph, map[size]);
            let id = global_id(&mut self.graph, axis, pass.span);
            self.graph.op(Op::Less, vec![id, count], pass.span)
        });
        let axes: Vec<NodeId> = axes.collect();
        let and = |a, b| self.graph.op(Op::And, vec![a, b], pass.span);
        axes.into_iter().reduce(and).expect("a pass has an axis")
    }

    fn open(&mut self, (resource, role): (u32, Role)) -> &mut Open {
        let is_it = |open: &&mut Open| (open.memory.resource, open.memory.role) == (resource, role);
        self.memories.iter_mut().find(is_it).expect("all memories are open")
    }

    fn uint(&mut self, word: u32, span: Span) -> NodeId {
        self.graph.constant(Type::UINT, &[word], span)
    }

    /// Makes a write, under its condition and that of the invocation.
    fn write(
        &mut self,
        write: &Write,
        number: u32,
        changed: &[(u32, Role)],
        in_range: Option<NodeId>,
    ) {
        let before: Vec<NodeId> = changed.iter().map(|&of| self.open(of).state).collect();
        let mut after = match write.way {
            Way::Append => self.append(write, &before),
            _ => self.at_index(write, number, &before),
        };
        for condition in write.condition.into_iter().chain(in_range) {
            after = self.under(condition, after, &before, write.span);
        }
        for (&of, state) in changed.iter().zip(after) {
            self.open(of).state = state;
        }
    }

    /// `after` where the condition holds, else `before`, by one decision.
    fn under(
        &mut self,
        condition: NodeId,
        after: Vec<NodeId>,
        before: &[NodeId],
        span: Span,
    ) -> Vec<NodeId> {
        if let ([after], &[before]) = (&*after, before) {
            return vec![self.graph.if_([condition, *after, before], span)];
        }
        let ty = self.structure(&after);
        let [then, otherwise] =
            [after, before.to_vec()].map(|states| self.graph.op(Op::Construct(ty), states, span));
        let both = self.graph.if_([condition, then, otherwise], span);
        let fields = 0..before.len() as u32;
        fields.map(|k| self.graph.op(Op::Field(k), vec![both], span)).collect()
    }

    /// The type of a structure of these values.
    fn structure(&mut self, values: &[NodeId]) -> Type {
        let types = values.iter().map(|&value| self.graph.value_type(value));
        let fields = types.map(|ty| Field { name: "".into(), ty, is_generic: false }).collect();
        let structure = Structure { name: "".into(), fields };
        self.graph.types_mut().add_structure(structure).expect("it has a few states")
    }

    /// The states after a scatter or a combine: of the elements, and of the writers.
    fn at_index(&mut self, write: &Write, number: u32, before: &[NodeId]) -> Vec<NodeId> {
        let Write { span, value, .. } = *write;
        let index = write.index.expect("only `append` has no index");
        let index = match self.graph.value_type(index) {
            Type::INT => self.graph.op(Op::Convert(Scalar::U32), vec![index], span),
            _ => index,
        };
        let element = self.graph.value_type(value);
        let places = Places::of(self.graph.types(), element, self.form);
        let is_inside = self.is_inside(before[0], index, value, &places, span);
        let words = self.words(value, span);
        let base = self.times(index, places.stride, span);
        let mut state = before[0];
        let scalars: Vec<Scalar> = self.graph.types().scalars(element).collect();
        for ((word, &place), scalar) in words.into_iter().zip(&places.words).zip(scalars) {
            let at = self.plus(base, place, span);
            state = match write.way {
                Way::Combine(combine) => self.combine(state, at, word, (combine, scalar), span),
                _ => self.graph.op(Op::Memory(MemoryOp::Store), vec![state, at, word], span),
            };
        }
        let mut after = vec![state];
        if let Some(&records) = before.get(1) {
            after.push(self.record(records, index, write, number));
        }
        self.under(is_inside, after, before, span)
    }

    /// The states after an append: of the elements and of the counter.
    fn append(&mut self, write: &Write, before: &[NodeId]) -> Vec<NodeId> {
        let Write { span, value, .. } = *write;
        let (elements, counter) = (before[0], before[1]);
        let [zero, one] = [0, 1].map(|word| self.uint(word, span));
        let [mut old, counter] = self.atomic(Atomic::Add, counter, zero, one, span);
        if is_active(Mutant::SkippedElement) {
            old = self.graph.op(Op::Add, vec![old, one], span);
        }
        let places = Places::of(self.graph.types(), self.graph.value_type(value), self.form);
        let is_inside = self.is_inside(elements, old, value, &places, span);
        let words = self.words(value, span);
        let (base, mut state) = (self.times(old, places.stride, span), elements);
        for (word, &place) in words.into_iter().zip(&places.words) {
            let at = self.plus(base, place, span);
            state = self.graph.op(Op::Memory(MemoryOp::Store), vec![state, at, word], span);
        }
        let state = self.under(is_inside, vec![state], &[elements], span);
        vec![state[0], counter]
    }

    /// True if an element exists, after the value, which is evaluated in any case.
    fn is_inside(
        &mut self,
        state: NodeId,
        index: NodeId,
        value: NodeId,
        places: &Places,
        span: Span,
    ) -> NodeId {
        let mut count = self.graph.op(Op::Memory(MemoryOp::Size), vec![state], span);
        if places.stride > 1 {
            let stride = self.uint(places.stride, span);
            count = self.graph.op(Op::Div, vec![count, stride], span);
        }
        let is_inside = match is_active(Mutant::UncheckedElement) {
            true => self.graph.bool(true, span),
            false => self.graph.op(Op::Less, vec![index, count], span),
        };
        self.graph.after(is_inside, [value], span)
    }

    fn times(&mut self, index: NodeId, stride: u32, span: Span) -> NodeId {
        if stride == 1 {
            return index;
        }
        let stride = self.uint(stride, span);
        self.graph.op(Op::Mul, vec![index, stride], span)
    }

    fn plus(&mut self, index: NodeId, place: u32, span: Span) -> NodeId {
        if place == 0 {
            return index;
        }
        let place = self.uint(place, span);
        self.graph.op(Op::Add, vec![index, place], span)
    }

    /// The old word and the next state of an atomic operation.
    fn atomic(
        &mut self,
        atomic: Atomic,
        state: NodeId,
        at: NodeId,
        word: NodeId,
        span: Span,
    ) -> [NodeId; 2] {
        let field = |ty| Field { name: "".into(), ty, is_generic: false };
        let fields = [Type::UINT, self.graph.value_type(state)].map(field).into();
        let structure = Structure { name: "".into(), fields };
        let ty = self.graph.types_mut().add_structure(structure).expect("it has one state");
        let op = Op::Memory(MemoryOp::Atomic(atomic, ty));
        let both = self.graph.op(op, vec![state, at, word], span);
        [0, 1].map(|k| self.graph.op(Op::Field(k), vec![both], span))
    }

    /// The state after a component is combined with a word.
    fn combine(
        &mut self,
        state: NodeId,
        at: NodeId,
        word: NodeId,
        (combine, scalar): (Combine, Scalar),
        span: Span,
    ) -> NodeId {
        let atomic = match (combine, scalar) {
            (Combine::Add, _) => Atomic::Add,
            (Combine::And, _) => Atomic::And,
            (Combine::Or, _) => Atomic::Or,
            (Combine::Xor, _) => Atomic::Xor,
            (Combine::Min, Scalar::I32) => Atomic::IntMin,
            (Combine::Max, Scalar::I32) => Atomic::IntMax,
            (Combine::Min, Scalar::U32) => Atomic::UintMin,
            (Combine::Max, Scalar::U32) => Atomic::UintMax,
            (_, Scalar::F32 | Scalar::Bool) => {
                return self.combine_nums(state, at, word, combine, span);
            }
        };
        self.atomic(atomic, state, at, word, span)[1]
    }

    /// The state after a `num` is combined with the bits of another.
    fn combine_nums(
        &mut self,
        state: NodeId,
        at: NodeId,
        word: NodeId,
        combine: Combine,
        span: Span,
    ) -> NodeId {
        let (nan, zero) = (self.uint(NAN, span), self.uint(0, span));
        let [old, state] = self.atomic(Atomic::Or, state, at, zero, span);
        let [old, new] = [old, word].map(|of| self.graph.op(Op::NotEqual, vec![of, nan], span));
        let is_changed = match is_active(Mutant::ReplacedNan) {
            true => new,
            false => self.graph.op(Op::And, vec![old, new], span),
        };
        let [positive, negative] = match combine {
            Combine::Max => [Atomic::IntMax, Atomic::UintMin],
            _ => [Atomic::IntMin, Atomic::UintMax],
        };
        let positive = self.atomic(positive, state, at, word, span)[1];
        let negative = self.atomic(negative, state, at, word, span)[1];
        let last = self.uint(i32::MAX as u32, span);
        let is_positive = self.graph.op(Op::LessEqual, vec![word, last], span);
        let changed = self.graph.if_([is_positive, positive, negative], span);
        self.graph.if_([is_changed, changed, state], span)
    }

    /// The state of the writers after a write to an element.
    fn record(&mut self, state: NodeId, index: NodeId, write: &Write, number: u32) -> NodeId {
        let span = write.span;
        let is_unique = write.way == Way::Unique;
        let first = self.times(index, Record::WORDS as u32, span);
        let places = [0, 1, 2].map(|place| self.plus(first, place, span));
        let load = Op::Memory(MemoryOp::Load);
        let old = places.map(|at| self.graph.op(load, vec![state, at], span));
        let zero = self.uint(0, span);
        let flag = self.uint(Record::UNIQUE, span);
        let is_second = match is_unique {
            true => self.graph.op(Op::NotEqual, vec![old[0], zero], span),
            // It has the bit of a unique write.
            false => self.graph.op(Op::LessEqual, vec![flag, old[0]], span),
        };
        let is_free = self.graph.op(Op::Equal, vec![old[1], zero], span);
        let is_error = self.graph.op(Op::And, vec![is_second, is_free], span);
        let own = match is_unique && !is_active(Mutant::ForgottenUnique) {
            true => self.graph.op(Op::Or, vec![self.number, flag], span),
            false => self.number,
        };
        let write = self.uint(number + 1, span);
        let again = self.graph.op(Op::Select, vec![is_error, self.number, old[1]], span);
        let write = self.graph.op(Op::Select, vec![is_error, write, old[2]], span);
        // After the error the record stays as it is.
        let is_closed = self.graph.op(Op::NotEqual, vec![again, zero], span);
        let writer = self.graph.op(Op::Select, vec![is_closed, old[0], own], span);
        let words = [writer, again, write];
        places.into_iter().zip(words).fold(state, |state, (at, word)| {
            self.graph.op(Op::Memory(MemoryOp::Store), vec![state, at, word], span)
        })
    }

    /// The words of a value, component by component.
    fn words(&mut self, value: NodeId, span: Span) -> Vec<NodeId> {
        let (mut all, mut rest) = (Vec::new(), vec![value]);
        while let Some(value) = rest.pop() {
            let ty = self.graph.value_type(value);
            let parts = self.graph.types().parts(ty).len() as u32;
            let part = |k: u32| match *self.graph.types().kind(ty) {
                TypeKind::Vector(..) => Op::Component(k as u8),
                TypeKind::Matrix(..) => Op::Column(k as u8),
                TypeKind::Structure(_) => Op::Field(k),
                _ => Op::At,
            };
            let scalar = match *self.graph.types().kind(ty) {
                TypeKind::Scalar(scalar) => Some(scalar),
                _ => None,
            };
            match scalar {
                Some(Scalar::F32) => all.push(self.graph.op(Op::Bits, vec![value], span)),
                Some(Scalar::U32) => all.push(value),
                Some(_) => {
                    all.push(self.graph.op(Op::Convert(Scalar::U32), vec![value], span));
                }
                None => {
                    let ops: Vec<Op> = (0..parts).map(part).collect();
                    for (k, op) in ops.into_iter().enumerate().rev() {
                        let operands = match op {
                            Op::At => vec![value, self.uint(k as u32, span)],
                            _ => vec![value],
                        };
                        rest.push(self.graph.op(op, operands, span));
                    }
                }
            }
        }
        all
    }
}

fn global_id(graph: &mut Graph, axis: u8, span: Span) -> NodeId {
    invocation(graph, InvocationInput::GlobalId, axis, span)
}

fn invocation(graph: &mut Graph, input: InvocationInput, axis: u8, span: Span) -> NodeId {
    let node = graph.stage_input(StageInput::Invocation(input), input.ty(), span);
    graph.op(Op::Component(axis), vec![node], span)
}

/// The value of `(id)`.
fn id_node(graph: &mut Graph, axes: u8, span: Span) -> NodeId {
    let parts = (0..axes).map(|axis| {
        let id = global_id(graph, axis, span);
        graph.op(Op::Convert(Scalar::I32), vec![id], span)
    });
    let parts: Vec<NodeId> = parts.collect();
    match *parts {
        [only] => only,
        _ => graph.op(Op::Construct(Type::of(Scalar::I32, axes)), parts, span),
    }
}

/// 1 + the index of the id: x + X (y + Y z), where workgroups have one invocation.
fn number(graph: &mut Graph, span: Span) -> NodeId {
    let [x, y, z] = [0, 1, 2].map(|axis| global_id(graph, axis, span));
    let [along_x, along_y] =
        [0, 1].map(|axis| invocation(graph, InvocationInput::Workgroups, axis, span));
    let mut row = graph.op(Op::Mul, vec![along_y, z], span);
    row = graph.op(Op::Add, vec![y, row], span);
    row = graph.op(Op::Mul, vec![along_x, row], span);
    let index = graph.op(Op::Add, vec![x, row], span);
    let one = graph.constant(Type::UINT, &[1], span);
    graph.op(Op::Add, vec![index, one], span)
}

#[cfg(test)]
mod tests;
