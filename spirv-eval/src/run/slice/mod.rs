//! The dynamic slice of an execution: the events that made its results.
//!
//! Each executed step is a node of a log. It depends on the nodes of its operands, on those of the words that it loads, and
//! on the decision because of which it is executed: the last one whose ways have not met yet (Xin and Zhang, "Efficient
//! Online Detection of Dynamic Control Dependence", 2007). Where the ways of a decision meet, the variables that one of
//! them stores depend on the decision, whichever was taken, as if they had a φ there. So a value that is old because a
//! condition was false depends on that condition. A decision that could have discarded the pixel is always needed.
//!
//! The slice is that of the words of the outputs, or of the words that an invocation writes to memories.

mod joins;
mod log;

use super::super::code::{Block, Call, End, Passed, Place, Step, Words};
use super::super::module::Module;
use super::super::values::Space;
use joins::{Between, between, joins};
use log::{Log, NOTHING};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The events that made the results of an execution, by their numbers in the order of execution, from 0 on.
#[derive(Clone, Debug, Default)]
pub struct Slice(Option<Vec<bool>>);

impl Slice {
    /// True if an event is in the slice, or no slice is known: it was not asked for, or the execution was too long.
    pub fn has(&self, event: usize) -> bool {
        self.0.as_ref().is_none_or(|all| all.get(event).copied().unwrap_or(false))
    }

    /// For each event, true if it is in the slice; `None` if no slice is known.
    pub fn into_events(self) -> Option<Vec<bool>> {
        self.0
    }
}

/// A decision whose ways have not met.
#[derive(Clone, Copy, Debug)]
struct Control {
    /// Number of callers.
    depth: usize,
    function: usize,
    block: usize,
    join: Option<usize>,
    node: u32,
}

/// A word of memory that other invocations see: memory of the workgroup or not, number, index.
type SharedWord = (bool, usize, u32);

/// Collects the log of an execution.
#[derive(Debug)]
pub(super) struct Collector {
    log: Log,
    /// Nodes of values, by place.
    values: Vec<u32>,
    /// Nodes of the words of variables.
    variables: Vec<u32>,
    shared: FxHashMap<SharedWord, u32>,
    controls: Vec<Control>,
    /// Joins by function, once they are known.
    joins: Vec<Option<Arc<[Option<usize>]>>>,
    between: FxHashMap<(usize, usize), Arc<Between>>,
    /// Node of the last return.
    returned: u32,
    /// Nodes without which there is no result.
    roots: Vec<u32>,
    /// Node of each event.
    events: Vec<u32>,
    /// Node of the next events.
    current: u32,
}

impl Collector {
    pub(super) fn new(module: &Module) -> Self {
        Self {
            log: Log::default(),
            values: vec![NOTHING; module.words],
            variables: vec![NOTHING; module.variable_words],
            shared: FxHashMap::default(),
            controls: Vec::new(),
            joins: vec![None; module.functions.len()],
            between: FxHashMap::default(),
            returned: NOTHING,
            roots: Vec::new(),
            events: Vec::new(),
            current: NOTHING,
        }
    }

    /// An event of the current node.
    pub(super) fn event(&mut self) {
        self.events.push(self.current);
    }

    /// The next events are those of a value.
    pub(super) fn about(&mut self, at: usize) {
        self.current = self.values[at];
    }

    /// The next events are those of the last return.
    pub(super) fn about_result(&mut self) {
        self.current = self.returned;
    }

    /// The next events belong to no node.
    pub(super) fn about_nothing(&mut self) {
        self.current = NOTHING;
    }

    /// The slice of these words of variables, and of the words that were written to memories.
    pub(super) fn slice(self, outputs: impl IntoIterator<Item = Range<usize>>) -> Slice {
        let words = outputs.into_iter().flatten().map(|word| self.variables[word]);
        let needed = self.log.needed(words.chain(self.roots.iter().copied()));
        Slice(needed.map(|needed| {
            self.events.iter().map(|&node| node != NOTHING && needed[node as usize]).collect()
        }))
    }

    fn control(&self) -> u32 {
        self.controls.last().map_or(NOTHING, |control| control.node)
    }

    /// Adds a node for the values at these places, in the current circumstances.
    fn add(&mut self, operands: impl IntoIterator<Item = usize>, more: &[u32]) -> u32 {
        let of = operands.into_iter().map(|at| self.values[at]);
        let control = self.controls.last().map_or(NOTHING, |control| control.node);
        self.log.add(of.chain(more.iter().copied()).chain([control]))
    }

    /// The words at an address of such memory.
    fn shared_words(place: &Place, address: usize, count: usize) -> Vec<SharedWord> {
        let (is_of_workgroup, number) = match place.space {
            Space::Shared(number) => (true, number),
            Space::Memory(number) => (false, number),
            _ => return Vec::new(),
        };
        let word = |offset: u32| (is_of_workgroup, number, (address as u32).wrapping_add(offset));
        match &place.words {
            Words::Together(_) => (0..count as u32).map(word).collect(),
            Words::Apart(words) => words.iter().take(count).copied().map(word).collect(),
        }
    }

    /// A step that was executed. `address` is the first word of its place, if it has one.
    pub(super) fn step(&mut self, step: &Step, address: Option<usize>) {
        let node = match step {
            Step::Call(call) => {
                self.values[call.to] = self.returned;
                self.current = self.returned;
                return;
            }
            Step::Load { place, .. } => {
                let mut loaded = Vec::new();
                if let (Space::Own(_) | Space::Pointed, Some(first), Words::Together(count)) =
                    (place.space, address, &place.words)
                {
                    let words = self.variables.get(first..first + count);
                    loaded.extend_from_slice(words.unwrap_or_default());
                } else if let Some(first) = address {
                    let count = match &place.words {
                        Words::Together(count) => *count,
                        Words::Apart(words) => words.len(),
                    };
                    let words = Self::shared_words(place, first, count);
                    loaded.extend(words.iter().filter_map(|word| self.shared.get(word)));
                }
                loaded.dedup();
                self.add(addresses(place), &loaded)
            }
            Step::Store { place, a } => {
                let node = self.add(addresses(place).chain([*a]), &[]);
                if let (Some(first), Words::Together(count)) = (address, &place.words)
                    && let Some(words) = self.variables.get_mut(first..first + count)
                {
                    words.fill(node);
                }
                node
            }
            Step::Write { place, a, numbers } => {
                let node = self.add(addresses(place).chain([*a]), &[]);
                self.write(place, address, numbers.len(), node);
                node
            }
            Step::Atomic { place, operand, comparand, .. } => {
                let words = address.map(|first| Self::shared_words(place, first, 1));
                let old: Vec<u32> =
                    words.iter().flatten().filter_map(|w| self.shared.get(w)).copied().collect();
                let node = self.add(addresses(place).chain(*operand).chain(*comparand), &old);
                self.write(place, address, 1, node);
                node
            }
            step => {
                let node = self.add(operands(step), &[]);
                if matches!(step, Step::Demote) {
                    self.roots.push(node);
                }
                node
            }
        };
        if let Some(to) = result(step) {
            self.values[to] = node;
        }
        self.current = node;
    }

    fn write(&mut self, place: &Place, address: Option<usize>, count: usize, node: u32) {
        let words = address.map(|first| Self::shared_words(place, first, count));
        self.shared.extend(words.into_iter().flatten().map(|word| (word, node)));
        // Other invocations may read it.
        self.roots.push(node);
    }

    /// The arguments of a call were passed.
    pub(super) fn call(&mut self, module: &Module, call: &Call) {
        for argument in &call.arguments {
            let (node, to) = match argument {
                Passed::Words { a, to, .. } => (self.add([*a], &[]), *to),
                Passed::Address { place, to } => (self.add(addresses(place), &[]), *to),
            };
            self.values[to] = node;
        }
        for &number in &module.functions[call.function].variables {
            let variable = &module.variables[number];
            self.variables[variable.at..variable.at + variable.words].fill(NOTHING);
        }
    }

    /// A function with that many callers ends.
    pub(super) fn leave(&mut self, end: &End, depth: usize) {
        let value = if let End::ReturnValue { a, .. } = end { Some(*a) } else { None };
        self.returned = self.add(value, &[]);
        while self.controls.last().is_some_and(|control| control.depth >= depth) {
            self.controls.pop();
        }
    }

    /// The pixel is discarded.
    pub(super) fn kill(&mut self) {
        let node = self.add([], &[]);
        self.roots.push(node);
    }

    /// A decision by the value at a place.
    pub(super) fn decide(
        &mut self,
        module: &Module,
        [function, block]: [usize; 2],
        depth: usize,
        condition: usize,
    ) {
        let node = self.add([condition], &[]);
        let of = &module.functions[function];
        let known = self.joins[function].get_or_insert_with(|| joins(of).into());
        let join = known[block];
        if self.effects(module, [function, block], join).discards {
            self.roots.push(node);
        }
        let new = Control { depth, function, block, join, node };
        match self.controls.last_mut() {
            // The new one depends on the old one. So a loop keeps one decision, however many rounds it has.
            Some(last) if last.depth == depth && last.join == join => *last = new,
            _ => self.controls.push(new),
        }
        self.current = node;
    }

    fn effects(
        &mut self,
        module: &Module,
        [function, block]: [usize; 2],
        join: Option<usize>,
    ) -> Arc<Between> {
        let of = &module.functions[function];
        let find = || Arc::new(between(module, of, block, join));
        Arc::clone(self.between.entry((function, block)).or_insert_with(find))
    }

    /// A block was entered.
    pub(super) fn enter(
        &mut self,
        module: &Module,
        block: &Block,
        [target, previous]: [usize; 2],
        depth: usize,
    ) {
        let way = |ways: &[(usize, usize)]| {
            let way = ways.binary_search_by_key(&previous, |&(from, _)| from).ok()?;
            Some(ways[way].1)
        };
        // All φs read before any is assigned.
        let nodes: Vec<u32> = block.phis.iter().map(|phi| self.add(way(&phi.ways), &[])).collect();
        for (phi, node) in block.phis.iter().zip(nodes) {
            self.values[phi.to] = node;
        }
        let meets = |control: &&Control| control.depth == depth && control.join == Some(target);
        while let Some(&Control { function, block, join, node, .. }) =
            self.controls.last().filter(meets)
        {
            self.controls.pop();
            let effects = self.effects(module, [function, block], join);
            for word in effects.stored.iter().cloned().flatten() {
                let old = self.variables[word];
                self.variables[word] = self.log.add([old, node, self.control()]);
            }
        }
    }
}

/// The values in the address of a place.
fn addresses(place: &Place) -> impl Iterator<Item = usize> + '_ {
    place.indices.iter().map(|index| index.value).chain(place.base)
}

/// The place of a step's result.
fn result(step: &Step) -> Option<usize> {
    match *step {
        Step::Unary { to, .. }
        | Step::Binary { to, .. }
        | Step::Fma { to, .. }
        | Step::Contract { to, .. }
        | Step::Lengthen { to, .. }
        | Step::Shorten { to, .. }
        | Step::Apply { to, .. }
        | Step::Select { to, .. }
        | Step::Any { to, .. }
        | Step::All { to, .. }
        | Step::Compose { to, .. }
        | Step::Pick { to, .. }
        | Step::Replace { to, .. }
        | Step::Load { to, .. }
        | Step::Fetch { to, .. }
        | Step::Size { to, .. }
        | Step::Samples { to, .. }
        | Step::Element { to, .. }
        | Step::Elements { to, .. }
        | Step::Length { to, .. }
        | Step::Levels { to, .. }
        | Step::Derivative { to, .. }
        | Step::Swap { to, .. }
        | Step::IsDemoted { to } => Some(to),
        Step::Atomic { to, .. } => to,
        Step::Call(ref call) => Some(call.to),
        Step::Sample(ref sample) => Some(sample.to),
        Step::Store { .. } | Step::Write { .. } | Step::Barrier | Step::Demote | Step::Print => {
            None
        }
    }
}

/// The operands of a step without a place.
fn operands(step: &Step) -> Vec<usize> {
    match step {
        Step::Unary { a, .. }
        | Step::Lengthen { a, .. }
        | Step::Shorten { a, .. }
        | Step::Any { a, .. }
        | Step::All { a, .. }
        | Step::Derivative { a, .. } => vec![*a],
        Step::Binary { a, b, .. } => vec![*a, *b],
        Step::Fma { of, .. } => of.to_vec(),
        // It changes the result of the step before.
        Step::Contract { to, of, .. } => of.iter().copied().chain([*to]).collect(),
        Step::Apply { of, .. } => of.iter().map(|argument| argument.at).collect(),
        Step::Select { condition, a, b, .. } => vec![*condition, *a, *b],
        Step::Compose { parts, .. } => parts.iter().map(|part| part.value).collect(),
        Step::Pick { a, index, .. } => vec![*a, index.value],
        Step::Replace { a, part, index, .. } => vec![*a, *part, index.value],
        Step::Fetch { texture, place, offset, level, sample, .. } => {
            let all = [*texture, *place].into_iter().chain(*offset).chain(*level);
            all.chain(*sample).collect()
        }
        Step::Sample(sample) => sample.operands(),
        Step::Element { first, index, .. } => vec![*first, index.value],
        Step::Size { texture, level, .. } => [*texture].into_iter().chain(*level).collect(),
        Step::Levels { texture, .. } | Step::Samples { texture, .. } => vec![*texture],
        Step::Swap { a, direction, .. } => vec![*a, *direction],
        Step::Load { .. }
        | Step::Store { .. }
        | Step::Write { .. }
        | Step::Atomic { .. }
        | Step::Barrier
        | Step::Elements { .. }
        | Step::Length { .. }
        | Step::Demote
        | Step::Print
        | Step::IsDemoted { .. }
        | Step::Call(_) => Vec::new(),
    }
}
