//! Memory of arrays: slots, by liveness, interference and coalescing.
//!
//! Each array ([`Kind::Array`](super::Kind::Array)) has a *slot*, a number of words in each lane. Arrays of
//! one *class* share a slot for their whole live ranges. A copy between two arrays of one class needs no
//! code: an update stores one word, and an arm or a round passes the array on in place. This is the
//! coalescing of graph-colouring register allocation (Chaitin, 1982):
//!
//! 1. *Interference.* A backward pass keeps the set of live arrays. An array interferes with all arrays
//!    that are live at its definition. Yields and arguments are uses at the end of their block. Arrays that
//!    a loop uses but does not define, and those that are live after it, are live throughout its body.
//!    Values of an `if` or a loop are defined after it, parameters at the beginning of the body.
//! 2. *Coalescing.* Two arrays that a copy connects become one class, if no member of the one interferes
//!    with one of the other. The order of copies is: updates; arguments of `rec`s and parameters; yields
//!    and values; initial values and parameters; merges.
//! 3. *Colouring.* Classes that do not interfere may share a slot. Larger classes choose first.
//!
//! *Invariants.* A live array has its words in its slot, since every array defined in between interferes
//! with it. So an update is made in place if and only if the old array is dead afterwards, on every path,
//! the next round of a loop included. Otherwise it is made on a copy. Loads and stores need no order
//! besides that of definitions and uses, which is the order of statements: no later pass moves either. The
//! copies at an edge are parallel: arguments may be swapped.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{Event, Walk, tail};
use super::{BlockId, LaneEnd, LaneExpr, LaneProgram, LaneStatement, ValueId};
use crate::mutants::{Mutant, is_active};

type Live = FxHashSet<ValueId>;

/// The slots of a program's arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// The first word of each array.
    first: FxHashMap<ValueId, u32>,
    /// Words of all slots together, in each lane.
    pub(crate) words: u32,
}

impl Memory {
    /// Assigns slots.
    pub(crate) fn new(program: &LaneProgram) -> Self {
        if program.values.iter().all(|value| value.kind.words().is_none()) {
            return Self::default();
        }
        let mut liveness = Liveness {
            program,
            live: Live::default(),
            after: vec![None; program.blocks.len()],
            entries: vec![Live::default(); program.blocks.len()],
            params: FxHashMap::default(),
            outer: used_in_loops(program),
            graph: Graph::default(),
        };
        let events: Vec<Event> = Walk::new().events(program).collect();
        for &event in events.iter().rev() {
            liveness.event(event);
        }
        let mut graph = liveness.graph;
        for (a, b, is_update) in copies(program) {
            if program.kind(a) == program.kind(b) {
                graph.coalesce(a, b, is_update && is_active(Mutant::SharedArray));
            }
        }
        graph.colour(program)
    }

    /// The first word of an array.
    pub(crate) fn first(&self, array: ValueId) -> u32 {
        self.first[&array]
    }
}

/// The arrays that are live after a block, if it yields and if it starts the next round.
#[derive(Clone)]
struct After {
    yields: Rc<Live>,
    recs: Rc<Live>,
}

struct Liveness<'p> {
    program: &'p LaneProgram,
    /// The live arrays.
    live: Live,
    after: Vec<Option<After>>,
    /// The arrays that are live at the beginning of each block.
    entries: Vec<Live>,
    /// The parameters of each loop, by its body.
    params: FxHashMap<BlockId, &'p [ValueId]>,
    /// The arrays that a loop uses but does not define, by its body.
    outer: FxHashMap<BlockId, Live>,
    graph: Graph,
}

impl<'p> Liveness<'p> {
    fn arrays<'v>(&self, values: &'v [ValueId]) -> impl Iterator<Item = ValueId> + use<'v, 'p> {
        let program = self.program;
        values.iter().copied().filter(|&value| program.kind(value).words().is_some())
    }

    /// These values are defined in parallel, and dead before.
    fn define(&mut self, values: &[ValueId]) {
        let arrays: Vec<ValueId> = self.arrays(values).collect();
        self.live.extend(&arrays);
        for &array in &arrays {
            self.graph.add(array, &self.live);
        }
        for array in &arrays {
            self.live.remove(array);
        }
    }

    fn either(&mut self, [a, b]: [BlockId; 2]) -> Live {
        let mut live = std::mem::take(&mut self.entries[a.index()]);
        live.extend(std::mem::take(&mut self.entries[b.index()]));
        live
    }

    /// Handles an event. Events come in reverse order.
    fn event(&mut self, event: Event) {
        let program = self.program;
        match event {
            Event::Leave(_) => {}
            Event::End(id) => {
                let after = self.after[id.index()].clone();
                let with =
                    |live: Option<&Rc<Live>>| live.map_or_else(Live::default, |l| (**l).clone());
                match &program.block(id).end {
                    LaneEnd::Yield(values) => {
                        self.live = with(after.as_ref().map(|after| &after.yields));
                        self.live.extend(self.arrays(values));
                    }
                    LaneEnd::Rec(values) => {
                        self.live = with(after.as_ref().map(|after| &after.recs));
                        self.live.extend(self.arrays(values));
                    }
                    &LaneEnd::If { then, otherwise, .. } => {
                        self.live = self.either([then, otherwise]);
                    }
                }
            }
            Event::After(id, index) => self.after(&program.block(id).statements[index]),
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { value, expr } => {
                    self.define(&[*value]);
                    let operands: Vec<ValueId> = expr.operands().collect();
                    self.live.extend(self.arrays(&operands));
                }
                LaneStatement::Access { .. } => {}
                &LaneStatement::If { then, otherwise, .. } => {
                    self.live = self.either([then, otherwise]);
                }
                LaneStatement::Loop { inits, body, .. } => {
                    self.live = std::mem::take(&mut self.entries[body.index()]);
                    self.live.extend(self.arrays(inits));
                }
            },
            Event::Enter(id) => {
                if let Some(&params) = self.params.get(&id) {
                    self.define(params);
                }
                self.entries[id.index()] = std::mem::take(&mut self.live);
            }
        }
    }

    /// Handles the end of a statement with inner blocks.
    fn after(&mut self, statement: &'p LaneStatement) {
        self.define(statement.values());
        let live = Rc::new(std::mem::take(&mut self.live));
        match statement {
            LaneStatement::Let { .. } | LaneStatement::Access { .. } => {
                unreachable!("it has no blocks")
            }
            LaneStatement::If { then, otherwise, .. } => {
                for arm in [then, otherwise] {
                    let after = After { yields: Rc::clone(&live), recs: Rc::clone(&live) };
                    self.after[arm.index()] = Some(after);
                }
            }
            LaneStatement::Loop { params, body, .. } => {
                let mut again = (*live).clone();
                again.extend(self.outer.remove(body).unwrap_or_default());
                let again = Rc::new(again);
                for id in tail(self.program, *body) {
                    let after = After { yields: Rc::clone(&live), recs: Rc::clone(&again) };
                    self.after[id.index()] = Some(after);
                }
                self.params.insert(*body, params);
            }
        }
    }
}

/// For each loop, the arrays that its body uses and that are defined outside it.
fn used_in_loops(program: &LaneProgram) -> FxHashMap<BlockId, Live> {
    let mut used: FxHashMap<BlockId, Live> = FxHashMap::default();
    let mut depths: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut loops: Vec<BlockId> = Vec::new();
    for event in Walk::new().events(program) {
        let (uses, defines): (Vec<ValueId>, &[ValueId]) = match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { value, expr } => {
                    (expr.operands().collect(), std::slice::from_ref(value))
                }
                // Accesses take words.
                LaneStatement::If { .. } | LaneStatement::Access { .. } => continue,
                LaneStatement::Loop { params, inits, body, .. } => {
                    let around = loops.len();
                    for &param in params {
                        depths.insert(param, around + 1);
                    }
                    note(program, &mut used, &depths, &loops, inits);
                    loops.push(*body);
                    continue;
                }
            },
            Event::After(id, index) => {
                let statement = &program.block(id).statements[index];
                if let LaneStatement::Loop { .. } = statement {
                    loops.pop();
                }
                (Vec::new(), statement.values())
            }
            Event::End(id) => match &program.block(id).end {
                LaneEnd::Yield(values) | LaneEnd::Rec(values) => (values.to_vec(), &[]),
                LaneEnd::If { .. } => continue,
            },
            Event::Enter(_) | Event::Leave(_) => continue,
        };
        note(program, &mut used, &depths, &loops, &uses);
        for &value in defines {
            if program.kind(value).words().is_some() {
                depths.insert(value, loops.len());
            }
        }
    }
    used
}

/// Records uses in all loops that the values are defined outside of.
fn note(
    program: &LaneProgram,
    used: &mut FxHashMap<BlockId, Live>,
    depths: &FxHashMap<ValueId, usize>,
    loops: &[BlockId],
    values: &[ValueId],
) {
    for value in values.iter().filter(|&&value| program.kind(value).words().is_some()) {
        let depth = depths.get(value).copied().unwrap_or(0);
        for body in loops.iter().skip(depth) {
            used.entry(*body).or_default().insert(*value);
        }
    }
}

/// All copies between arrays, the most important first. The bool is true for an update.
fn copies(program: &LaneProgram) -> Vec<(ValueId, ValueId, bool)> {
    let mut found: [Vec<(ValueId, ValueId, bool)>; 5] = Default::default();
    let mut targets: FxHashMap<BlockId, [&[ValueId]; 2]> = FxHashMap::default();
    for event in Walk::new().events(program) {
        match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { value, expr: LaneExpr::Put { array, .. } } => {
                    found[0].push((*value, *array, true));
                }
                LaneStatement::Let { value, expr: LaneExpr::Merge(_, [a, b]) } => {
                    found[4].extend([(*value, *b, false), (*value, *a, false)]);
                }
                LaneStatement::Let { .. } | LaneStatement::Access { .. } => {}
                LaneStatement::If { values, then, otherwise, .. } => {
                    targets.insert(*then, [values, &[]]);
                    targets.insert(*otherwise, [values, &[]]);
                }
                LaneStatement::Loop { values, params, inits, body, .. } => {
                    for id in tail(program, *body) {
                        targets.insert(id, [values, params]);
                    }
                    let pairs = params.iter().zip(inits);
                    found[3].extend(pairs.map(|(&param, &init)| (param, init, false)));
                }
            },
            Event::End(id) => {
                let [values, params] = targets.get(&id).copied().unwrap_or_default();
                let (to, from, of) = match &program.block(id).end {
                    LaneEnd::Yield(from) => (values, from, 2),
                    LaneEnd::Rec(from) => (params, from, 1),
                    LaneEnd::If { .. } => continue,
                };
                found[of].extend(to.iter().zip(from).map(|(&to, &from)| (to, from, false)));
            }
            Event::Enter(_) | Event::After(..) | Event::Leave(_) => {}
        }
    }
    let mut all = found.concat();
    all.retain(|&(to, _, _)| program.kind(to).words().is_some());
    all
}

/// The interference graph.
#[derive(Default)]
struct Graph {
    /// Union-find forest of classes.
    parents: FxHashMap<ValueId, ValueId>,
    /// The classes that a class interferes with, by their representatives.
    neighbours: FxHashMap<ValueId, Live>,
}

impl Graph {
    /// Adds an array that interferes with these.
    fn add(&mut self, array: ValueId, with: &Live) {
        self.neighbours.entry(array).or_default();
        for &other in with.iter().filter(|&&other| other != array) {
            self.neighbours.entry(array).or_default().insert(other);
            self.neighbours.entry(other).or_default().insert(array);
        }
    }

    fn class(&mut self, array: ValueId) -> ValueId {
        let mut first = array;
        while let Some(&parent) = self.parents.get(&first) {
            first = parent;
        }
        let mut array = array;
        while array != first {
            array = self.parents.insert(array, first).unwrap_or(first);
        }
        first
    }

    /// Merges the classes of two arrays, if they do not interfere.
    fn coalesce(&mut self, a: ValueId, b: ValueId, in_any_case: bool) {
        let [mut a, mut b] = [a, b].map(|array| self.class(array));
        let size = |of: ValueId| self.neighbours.get(&of).map_or(0, Live::len);
        if a == b || !in_any_case && self.neighbours.get(&a).is_some_and(|of| of.contains(&b)) {
            return;
        }
        if size(a) < size(b) {
            (a, b) = (b, a);
        }
        self.parents.insert(b, a);
        for other in self.neighbours.remove(&b).unwrap_or_default() {
            if other == a {
                self.neighbours.entry(a).or_default().remove(&b);
                continue;
            }
            let of_other = self.neighbours.entry(other).or_default();
            of_other.remove(&b);
            of_other.insert(a);
            self.neighbours.entry(a).or_default().insert(other);
        }
    }

    /// Assigns a slot to each class.
    fn colour(mut self, program: &LaneProgram) -> Memory {
        let words = |array: ValueId| program.kind(array).words().unwrap_or(0);
        let mut classes: Vec<ValueId> = self.neighbours.keys().copied().collect();
        classes.sort_by_key(|&class| (std::cmp::Reverse(words(class)), class));
        // The first word and the classes of each slot.
        let mut slots: Vec<(u32, Live)> = Vec::new();
        let (mut first, mut end) = (FxHashMap::default(), 0_u32);
        for class in classes {
            let others = &self.neighbours[&class];
            let free = slots.iter_mut().find(|(_, members)| members.is_disjoint(others));
            let at = match free {
                Some((at, members)) => {
                    members.insert(class);
                    *at
                }
                None => {
                    slots.push((end, Live::from_iter([class])));
                    end = end.saturating_add(words(class));
                    slots.last().expect("it has just been put there").0
                }
            };
            first.insert(class, at);
        }
        let members: Vec<ValueId> = self.parents.keys().copied().collect();
        for array in members {
            let class = self.class(array);
            first.insert(array, first[&class]);
        }
        Memory { first, words: end }
    }
}
