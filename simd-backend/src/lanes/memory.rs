//! Where arrays lie: which of them share memory.
//!
//! Each array ([`Kind::Array`](super::Kind::Array)) has a *slot*, so many words of each lane. Arrays of
//! one *class* share a slot for all their lives, and what one is made of another in the same slot needs
//! no copy: an update stores a word, an arm or a round passes on what lies there already. This is the
//! coalescing of copies of graph-colouring register allocation (Chaitin, 1982):
//!
//! 1. *Interference.* Backward over the program, with the set of arrays that are used later: an array
//!    interferes with all that are in the set where it is defined. What is yielded or passed on is used
//!    at the end of its block, and a loop's own arrays and those that live after it are used later in
//!    all of its body. Values of an `if` or a loop are defined after it, parameters where the body
//!    begins.
//! 2. *Coalescing.* Two arrays that one would be copied to the other become one class, if no member of
//!    the one interferes with one of the other: first an update with what it updates, then arguments of
//!    `rec`s with parameters, yields with values, initial values with parameters, and what is merged.
//! 3. *Colouring.* Classes that do not interfere may get the same slot, largest first.
//!
//! *Invariants.* An array that is used later has its words in its slot: whoever is defined in between
//! interferes with it. So an update is made in place if and only if the old array is not used later —
//! on any way from there, the next round of a loop included —, and else on a copy. Loads and stores
//! need no order but that of uses and definitions, which is that of the statements: no pass after this
//! one moves either. What is copied at an edge is copied as if at once: arguments may be swapped.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{Event, Walk, tail};
use super::{BlockId, End, Expr, LaneProgram, Statement, ValueId};
use crate::mutants::{Mutant, is_active};

type Live = FxHashSet<ValueId>;

/// The slots of a program's arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// The first word of each array.
    first: FxHashMap<ValueId, u32>,
    /// How many words of each lane all slots have.
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

/// What is live where a block ends: if it yields, and if it goes round again.
#[derive(Clone)]
struct After {
    yields: Rc<Live>,
    recs: Rc<Live>,
}

struct Liveness<'p> {
    program: &'p LaneProgram,
    /// The arrays that are used later.
    live: Live,
    after: Vec<Option<After>>,
    /// What is live where blocks begin.
    entries: Vec<Live>,
    /// The parameters of the loops whose bodies these blocks are.
    params: FxHashMap<BlockId, &'p [ValueId]>,
    /// The arrays of outside that a loop uses, by its body.
    outer: FxHashMap<BlockId, Live>,
    graph: Graph,
}

impl<'p> Liveness<'p> {
    fn arrays<'v>(&self, values: &'v [ValueId]) -> impl Iterator<Item = ValueId> + use<'v, 'p> {
        let program = self.program;
        values.iter().copied().filter(|&value| program.kind(value).words().is_some())
    }

    /// These are defined, at once, and not live before.
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

    /// An event, later ones first.
    fn event(&mut self, event: Event) {
        let program = self.program;
        match event {
            Event::Leave(_) => {}
            Event::End(id) => {
                let after = self.after[id.index()].clone();
                let with =
                    |live: Option<&Rc<Live>>| live.map_or_else(Live::default, |l| (**l).clone());
                match &program.block(id).end {
                    End::Yield(values) => {
                        self.live = with(after.as_ref().map(|after| &after.yields));
                        self.live.extend(self.arrays(values));
                    }
                    End::Rec(values) => {
                        self.live = with(after.as_ref().map(|after| &after.recs));
                        self.live.extend(self.arrays(values));
                    }
                    &End::If { then, otherwise, .. } => self.live = self.either([then, otherwise]),
                }
            }
            Event::After(id, index) => self.after(&program.block(id).statements[index]),
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                Statement::Let { value, expr } => {
                    self.define(&[*value]);
                    let operands: Vec<ValueId> = expr.operands().collect();
                    self.live.extend(self.arrays(&operands));
                }
                &Statement::If { then, otherwise, .. } => {
                    self.live = self.either([then, otherwise]);
                }
                Statement::Loop { inits, body, .. } => {
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

    /// After a statement with blocks.
    fn after(&mut self, statement: &'p Statement) {
        self.define(statement.values());
        let live = Rc::new(std::mem::take(&mut self.live));
        match statement {
            Statement::Let { .. } => unreachable!("it has no blocks"),
            Statement::If { then, otherwise, .. } => {
                for arm in [then, otherwise] {
                    let after = After { yields: Rc::clone(&live), recs: Rc::clone(&live) };
                    self.after[arm.index()] = Some(after);
                }
            }
            Statement::Loop { params, body, .. } => {
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

/// The arrays that the body of each loop uses and that are defined outside of it.
fn used_in_loops(program: &LaneProgram) -> FxHashMap<BlockId, Live> {
    let mut used: FxHashMap<BlockId, Live> = FxHashMap::default();
    let mut depths: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut loops: Vec<BlockId> = Vec::new();
    for event in Walk::new().events(program) {
        let (uses, defines): (Vec<ValueId>, &[ValueId]) = match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                Statement::Let { value, expr } => {
                    (expr.operands().collect(), std::slice::from_ref(value))
                }
                Statement::If { .. } => continue,
                Statement::Loop { params, inits, body, .. } => {
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
                if let Statement::Loop { .. } = statement {
                    loops.pop();
                }
                (Vec::new(), statement.values())
            }
            Event::End(id) => match &program.block(id).end {
                End::Yield(values) | End::Rec(values) => (values.to_vec(), &[]),
                End::If { .. } => continue,
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

/// These are used in all of the loops that they are defined outside of.
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

/// Where one array would be copied to another, what matters most first, and whether that is an
/// update.
fn copies(program: &LaneProgram) -> Vec<(ValueId, ValueId, bool)> {
    let mut found: [Vec<(ValueId, ValueId, bool)>; 5] = Default::default();
    let mut targets: FxHashMap<BlockId, [&[ValueId]; 2]> = FxHashMap::default();
    for event in Walk::new().events(program) {
        match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                Statement::Let { value, expr: Expr::Put { array, .. } } => {
                    found[0].push((*value, *array, true));
                }
                Statement::Let { value, expr: Expr::Merge(_, [a, b]) } => {
                    found[4].extend([(*value, *b, false), (*value, *a, false)]);
                }
                Statement::Let { .. } => {}
                Statement::If { values, then, otherwise, .. } => {
                    targets.insert(*then, [values, &[]]);
                    targets.insert(*otherwise, [values, &[]]);
                }
                Statement::Loop { values, params, inits, body, .. } => {
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
                    End::Yield(from) => (values, from, 2),
                    End::Rec(from) => (params, from, 1),
                    End::If { .. } => continue,
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

/// Which arrays interfere.
#[derive(Default)]
struct Graph {
    /// Of each array another one of its class, the last of which is its first.
    parents: FxHashMap<ValueId, ValueId>,
    /// The classes that a class interferes with, by their first arrays.
    neighbours: FxHashMap<ValueId, Live>,
}

impl Graph {
    /// An array that interferes with these.
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

    /// Makes one class of two, if they do not interfere.
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

    /// Gives each class a slot.
    fn colour(mut self, program: &LaneProgram) -> Memory {
        let words = |array: ValueId| program.kind(array).words().unwrap_or(0);
        let mut classes: Vec<ValueId> = self.neighbours.keys().copied().collect();
        classes.sort_by_key(|&class| (std::cmp::Reverse(words(class)), class));
        // The first word of each slot, and who lies there.
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
