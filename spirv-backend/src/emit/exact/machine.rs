//! Dispatch loops: functions that call each library function from one place.
//!
//! A call of the library ends the block: it stores the operands in variables and branches to the one
//! block that calls the function, unless the value is known already; that block branches back to the
//! caller. SPIR-V cannot structure such blocks. So the function becomes a *machine*: a loop around a
//! switch, with a variable that holds the label of the next case's first block. A case is one block, or
//! several that only need the structure of selections ([`regions`](super::regions)). Values that one
//! case computes and another uses are stored in variables, and so are φ's at the beginning of a case.
//! The variables are elements of arrays. Drivers take long for them, so there should be few cases.
//!
//! Compilers treat an array whose indices are all constants as separate variables, each with a register
//! as long as the machine runs. The more registers a shader has, the fewer pixels a GPU executes at
//! once, rare or not. So the machine begins by writing one element at an index that compilers cannot
//! know, which keeps the array in memory ([`Exact::registers`](crate::emit::Exact)).

use super::drivers::MAX_LOOPS;
use super::regions::{cases, ids, label, merge_of};
use crate::emit::declarations::TypeDeclaration;
use crate::emit::modes::{Calls, Mode, Variant};
use crate::emit::translator::Translator;
use crate::library::LibraryFunction;
use lambdav_core::types::Type;
use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{LoopControl, Op, SelectionControl, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// The end of the function: a label that no block has.
const END: u32 = 0;

impl Translator<'_> {
    /// The value of a library function. With `unless`, a condition and a value, the function is called
    /// only if the condition holds; otherwise the value is used.
    pub(super) fn call_library(
        &mut self,
        function: LibraryFunction,
        ids: &[Word],
        unless: Option<(Word, Word)>,
    ) -> Word {
        if self.function.has_barriers {
            return self.call_in_place(function, ids, unless);
        }
        let mut calls = self.function.calls.take().unwrap_or_else(|| self.no_calls());
        let known = calls.functions.iter().find(|(of, _)| *of == function);
        let label = known.map(|&(_, label)| label).unwrap_or_else(|| {
            let label = self.declarations.id();
            calls.functions.push((function, label));
            label
        });
        let behind = self.declarations.id();
        for (&to, &id) in calls.operands.iter().zip(ids) {
            self.store(to, id);
        }
        let back = self.declarations.uint(behind);
        self.store(calls.back, back);
        match unless {
            Some((condition, value)) => {
                self.store(calls.result, value);
                let operands = [condition, label, behind].map(Operand::IdRef).to_vec();
                self.push(Instruction::new(Op::BranchConditional, None, None, operands));
            }
            None => self.branch(label),
        }
        self.begin(behind);
        let num = self.declarations.ty(Type::NUM);
        let value = self.compute(Op::Load, num, vec![Operand::IdRef(calls.result)]);
        self.function.calls = Some(calls);
        value
    }

    /// Calls a library function where its value is needed. A machine has barriers in one place for invocations that come
    /// there in different rounds of its loop.
    fn call_in_place(
        &mut self,
        function: LibraryFunction,
        ids: &[Word],
        unless: Option<(Word, Word)>,
    ) -> Word {
        let call = |s: &mut Self| s.call_function(function, Variant::Library, ids);
        match unless {
            None => call(self),
            Some((is_hard, value)) => {
                let is_decided = self.instruction(Op::LogicalNot, Type::BOOL, &[is_hard]);
                self.unless(is_decided, Type::NUM, value, call)
            }
        }
    }

    fn no_calls(&mut self) -> Calls {
        let [a, b, c, result, back] = [(); 5].map(|()| self.declarations.id());
        Calls { operands: [a, b, c], result, back, functions: Vec::new() }
    }

    /// Turns the open function into a dispatch loop if it calls the library, or is the rare one and has
    /// many loops.
    pub(in crate::emit) fn flatten(&mut self) {
        let calls = match self.function.calls.take() {
            Some(calls) => calls,
            None if self.has_many_loops() && !self.function.has_barriers => self.no_calls(),
            None => return,
        };
        let lines = self.lines.take();
        for &(function, label) in &calls.functions {
            self.begin(label);
            let num = self.declarations.ty(Type::NUM);
            let mut operands = vec![self.function_of(function, Variant::Library)];
            for &operand in &calls.operands[..function.arity()] {
                operands.push(self.compute(Op::Load, num, vec![Operand::IdRef(operand)]));
            }
            let operands = operands.into_iter().map(Operand::IdRef).collect();
            let value = self.compute(Op::FunctionCall, num, operands);
            self.store(calls.result, value);
            self.branch(calls.back);
        }
        let blocks = std::mem::take(&mut self.function.blocks);
        let cases = cases(blocks);
        let mut machine = Machine::new(&cases);
        let (number, uint) =
            (TypeDeclaration::Value(Type::NUM), TypeDeclaration::Value(Type::UINT));
        for (id, shape) in calls
            .operands
            .map(|id| (id, number))
            .into_iter()
            .chain([(calls.result, number), (calls.back, uint)])
        {
            let to = self.declarations.shape(shape);
            machine.variables.push(self.variable(id, to));
        }
        let mut shared: Vec<(Word, Word)> =
            machine.shared.iter().map(|(&id, &ty)| (ty, id)).collect();
        shared.sort_unstable();
        for of_type in shared.chunk_by(|a, b| a.0 == b.0) {
            let (ty, array) = (of_type[0].0, self.declarations.id());
            let count = self.declarations.uint(of_type.len() as u32);
            let operands = [ty, count].map(Operand::IdRef).to_vec();
            let to = self.declarations.declare(Op::TypeArray, None, operands);
            machine.variables.push(self.variable(array, to));
            machine.arrays.push((array, ty));
            let places = of_type.iter().zip(0..).map(|(&(_, id), index)| (id, (array, index)));
            machine.places.extend(places);
        }
        let state = self.declarations.id();
        let to = self.declarations.shape(uint);
        machine.variables.push(self.variable(state, to));
        self.assemble(machine, cases, state, calls.back);
        self.lines = lines;
    }

    /// True if the rare function has more loops than a driver's compiler should see, besides those of
    /// the fast one.
    fn has_many_loops(&self) -> bool {
        let instructions = self.function.blocks.iter().flat_map(|block| &block.instructions);
        let loops = instructions.filter(|instruction| instruction.class.opcode == Op::LoopMerge);
        matches!(self.function.mode, Mode::Rare { .. }) && loops.count() > MAX_LOOPS
    }

    /// Emits the loop, with the cases of its switch.
    fn assemble(&mut self, machine: Machine, cases: Vec<Vec<Block>>, state: Word, back: Word) {
        let uint = self.declarations.ty(Type::UINT);
        let [entry, header, test, body, merge, continuing, exit] =
            [(); 7].map(|()| self.declarations.id());
        let labels: Vec<Word> = cases.iter().map(|case| label(&case[0])).collect();
        let (end, first) = (self.declarations.uint(END), self.declarations.uint(labels[0]));
        self.begin(entry);
        machine.variables.iter().for_each(|variable| self.push(variable.clone()));
        if !self.options.exact.is_some_and(|exact| exact.registers) {
            let zero = self.zero();
            for &(array, ty) in &machine.arrays {
                let null = self.declarations.declare(Op::ConstantNull, Some(ty), vec![]);
                let first = self.array_element(array, zero, ty);
                self.store(first, null);
            }
        }
        self.store(state, first);
        self.branch(header);
        self.begin(header);
        let operands = vec![
            Operand::IdRef(exit),
            Operand::IdRef(continuing),
            Operand::LoopControl(LoopControl::NONE),
        ];
        self.push(Instruction::new(Op::LoopMerge, None, None, operands));
        self.branch(test);
        self.begin(test);
        let next = self.compute(Op::Load, uint, vec![Operand::IdRef(state)]);
        let goes_on = self.instruction(Op::INotEqual, Type::BOOL, &[next, end]);
        let operands = [goes_on, body, exit].map(Operand::IdRef).to_vec();
        self.push(Instruction::new(Op::BranchConditional, None, None, operands));
        self.begin(body);
        let control = Operand::SelectionControl(SelectionControl::NONE);
        let operands = vec![Operand::IdRef(merge), control];
        self.push(Instruction::new(Op::SelectionMerge, None, None, operands));
        let mut operands = [next, merge].map(Operand::IdRef).to_vec();
        for &label in &labels {
            operands.extend([Operand::LiteralBit32(label), Operand::IdRef(label)]);
        }
        self.push(Instruction::new(Op::Switch, None, None, operands));
        for (number, case) in cases.into_iter().enumerate() {
            self.case(&machine, number, case, [state, back, merge]);
        }
        self.begin(merge);
        self.branch(continuing);
        self.begin(continuing);
        self.branch(header);
        self.begin(exit);
        self.push(Instruction::new(Op::Return, None, None, vec![]));
    }

    /// Emits a case; its last block ends it.
    fn case(
        &mut self,
        machine: &Machine,
        number: usize,
        blocks: Vec<Block>,
        [state, back, merge]: [Word; 3],
    ) {
        let mut here = Here::new(machine, number);
        let count = blocks.len();
        for (index, mut block) in blocks.into_iter().enumerate() {
            let (from, inner_merge) = (label(&block), merge_of(&block));
            let end = block.instructions.pop().expect("blocks end");
            self.begin(from);
            here.enter(from);
            self.body(&mut here, block, index == 0);
            if index + 1 < count {
                self.inner_end(&mut here, from, inner_merge, end);
                continue;
            }
            let next = match end.class.opcode {
                Op::Branch => match end.operands[0].unwrap_id_ref() {
                    to if to == back => {
                        let uint = self.declarations.ty(Type::UINT);
                        self.compute(Op::Load, uint, vec![Operand::IdRef(back)])
                    }
                    to => {
                        self.pass(&mut here, from, to);
                        self.declarations.uint(to)
                    }
                },
                Op::BranchConditional => {
                    let of: Vec<Word> = ids(&end).collect();
                    let condition = self.found(&mut here, of[0]);
                    let [then, otherwise] = [of[1], of[2]].map(|to| self.declarations.uint(to));
                    self.instruction(Op::Select, Type::UINT, &[condition, then, otherwise])
                }
                _ => self.declarations.uint(END),
            };
            self.go_on(state, next, merge);
        }
    }

    /// Emits a block without its terminator. φ's of a case's first block become loads.
    fn body(&mut self, here: &mut Here<'_>, block: Block, is_first: bool) {
        let mut computed = Vec::new();
        for mut instruction in block.instructions {
            let id = instruction.result_id;
            match instruction.class.opcode {
                Op::Variable | Op::SelectionMerge | Op::LoopMerge => continue,
                Op::Phi if is_first => {
                    let id = id.expect("a φ has a value");
                    let place = vec![Operand::IdRef(self.place(here.machine, id))];
                    self.push(Instruction::new(Op::Load, instruction.result_type, Some(id), place));
                    here.loaded(id, id);
                    continue;
                }
                Op::Phi => {
                    for way in instruction.operands.chunks_mut(2) {
                        let key = [way[0].unwrap_id_ref(), way[1].unwrap_id_ref()];
                        if let Some(&loaded) = here.passed.get(&key) {
                            way[0] = Operand::IdRef(loaded);
                        }
                    }
                    self.push(instruction);
                    computed.extend(id);
                    continue;
                }
                _ => {}
            }
            // (φ's come first.)
            computed.drain(..).for_each(|id| self.keep(here.machine, id));
            for operand in &mut instruction.operands {
                if let Operand::IdRef(used) = operand {
                    *used = self.found(here, *used);
                }
            }
            self.push(instruction);
            id.into_iter().for_each(|id| self.keep(here.machine, id));
        }
        computed.into_iter().for_each(|id| self.keep(here.machine, id));
    }

    /// Ends a block that continues in its case.
    fn inner_end(
        &mut self,
        here: &mut Here<'_>,
        from: Word,
        merge: Option<Word>,
        mut end: Instruction,
    ) {
        if end.class.opcode == Op::BranchConditional {
            end.operands[0] = Operand::IdRef(self.found(here, end.operands[0].unwrap_id_ref()));
        }
        let targets: Vec<Word> = ids(&end).collect();
        for to in targets {
            for phi in here.machine.phis.get(&to).into_iter().flatten() {
                for &(id, way) in phi.ways.iter().filter(|way| way.1 == from) {
                    let found = self.found(here, id);
                    here.passed.insert([id, way], found);
                }
            }
        }
        if let Some(merge) = merge {
            let control = Operand::SelectionControl(SelectionControl::NONE);
            let operands = vec![Operand::IdRef(merge), control];
            self.push(Instruction::new(Op::SelectionMerge, None, None, operands));
            here.select(merge);
        }
        self.push(end);
    }

    /// Stores a value that other cases need.
    fn keep(&mut self, machine: &Machine, id: Word) {
        if machine.places.contains_key(&id) {
            let place = self.place(machine, id);
            self.store(place, id);
        }
    }

    /// The id of a value in this block; a value of another case is loaded.
    fn found(&mut self, here: &mut Here<'_>, id: Word) -> Word {
        if let Some(&known) = here.values.get(&id) {
            return known;
        }
        if !here.machine.places.contains_key(&id) || here.machine.cases[&id] == here.number {
            return id;
        }
        let place = self.place(here.machine, id);
        let ty = here.machine.shared[&id];
        let loaded = self.compute(Op::Load, ty, vec![Operand::IdRef(place)]);
        here.loaded(id, loaded);
        loaded
    }

    /// Stores the values of the target's φ's.
    fn pass(&mut self, here: &mut Here<'_>, from: Word, to: Word) {
        let Some(phis) = here.machine.phis.get(&to) else { return };
        let passed: Vec<(Word, Word)> = phis
            .iter()
            .filter_map(|phi| {
                let &(value, _) = phi.ways.iter().find(|&&(_, way)| way == from)?;
                Some((phi.id, value))
            })
            .collect();
        // Load all before storing any: the φ's are parallel.
        let values: Vec<(Word, Word)> =
            passed.into_iter().map(|(place, id)| (place, self.found(here, id))).collect();
        for (phi, id) in values {
            let place = self.place(here.machine, phi);
            self.store(place, id);
        }
    }

    /// A pointer to the place of a value that crosses cases.
    fn place(&mut self, machine: &Machine, id: Word) -> Word {
        let (array, index) = machine.places[&id];
        let to = machine.shared[&id];
        let index = self.declarations.uint(index);
        self.array_element(array, index, to)
    }

    /// A pointer to an array element of that type.
    fn array_element(&mut self, array: Word, index: Word, ty: Word) -> Word {
        let pointer = self.declarations.shape(TypeDeclaration::Pointer(StorageClass::Function, ty));
        self.compute(Op::AccessChain, pointer, [array, index].map(Operand::IdRef).to_vec())
    }

    fn go_on(&mut self, state: Word, next: Word, merge: Word) {
        self.store(state, next);
        self.branch(merge);
    }
}

/// Facts about the blocks that become cases.
#[derive(Debug, Default)]
struct Machine {
    /// The variables of the function.
    variables: Vec<Instruction>,
    /// The case that computes each value.
    cases: FxHashMap<Word, usize>,
    /// Values that cross cases, with their types.
    shared: FxHashMap<Word, Word>,
    /// Place of such a value: array and index.
    places: FxHashMap<Word, (Word, u32)>,
    /// The arrays, with their element types.
    arrays: Vec<(Word, Word)>,
    /// The φ's of each block.
    phis: FxHashMap<Word, Vec<Phi>>,
}

/// A φ.
#[derive(Debug)]
struct Phi {
    id: Word,
    /// The value and block of each predecessor.
    ways: Vec<(Word, Word)>,
}

impl Machine {
    fn new(cases: &[Vec<Block>]) -> Self {
        let mut machine = Self::default();
        let mut types: FxHashMap<Word, Word> = FxHashMap::default();
        let mut case_of: FxHashMap<Word, usize> = FxHashMap::default();
        for (number, block) in
            cases.iter().enumerate().flat_map(|(n, case)| case.iter().map(move |b| (n, b)))
        {
            case_of.insert(label(block), number);
            for instruction in &block.instructions {
                let (Some(ty), Some(id)) = (instruction.result_type, instruction.result_id) else {
                    continue;
                };
                if instruction.class.opcode == Op::Variable {
                    machine.variables.push(instruction.clone());
                } else {
                    machine.cases.insert(id, number);
                    types.insert(id, ty);
                }
            }
        }
        let mut shared: FxHashSet<Word> = FxHashSet::default();
        for (number, case) in cases.iter().enumerate() {
            let is_elsewhere =
                |id: Word, number| machine.cases.get(&id).is_some_and(|&of| of != number);
            for (index, block) in case.iter().enumerate() {
                for instruction in &block.instructions {
                    let of: Vec<Word> = ids(instruction).collect();
                    if instruction.class.opcode != Op::Phi {
                        shared.extend(of.into_iter().filter(|&id| is_elsewhere(id, number)));
                        continue;
                    }
                    let id = instruction.result_id.expect("a φ has a value");
                    shared.extend((index == 0).then_some(id));
                    let ways: Vec<(Word, Word)> =
                        of.chunks(2).map(|way| (way[0], way[1])).collect();
                    let others = ways.iter().filter(|&&(id, way)| is_elsewhere(id, case_of[&way]));
                    shared.extend(others.map(|&(id, _)| id));
                    machine.phis.entry(label(block)).or_default().push(Phi { id, ways });
                }
            }
        }
        machine.shared = shared.into_iter().map(|id| (id, types[&id])).collect();
        machine
    }
}

/// Ids of values in the open block of a case.
#[derive(Debug)]
struct Here<'m> {
    machine: &'m Machine,
    /// Number of the case.
    number: usize,
    /// Loaded values of other cases; `order` is the order of the loads.
    values: FxHashMap<Word, Word>,
    order: Vec<Word>,
    /// The merge blocks of the selections around, innermost last, each with the number of values loaded
    /// before.
    selections: Vec<(Word, usize)>,
    /// The id of a value at the end of a predecessor, for φ's.
    passed: FxHashMap<[Word; 2], Word>,
}

impl<'m> Here<'m> {
    fn new(machine: &'m Machine, number: usize) -> Self {
        Self {
            machine,
            number,
            values: FxHashMap::default(),
            order: Vec::new(),
            selections: Vec::new(),
            passed: FxHashMap::default(),
        }
    }

    fn loaded(&mut self, id: Word, by: Word) {
        self.values.insert(id, by);
        self.order.push(id);
    }

    /// Begins a selection with that merge block.
    fn select(&mut self, merge: Word) {
        self.selections.push((merge, self.order.len()));
    }

    /// Enters a block: an arm of the innermost selection, or its merge block. Loads of the previous arm
    /// do not dominate it.
    fn enter(&mut self, block: Word) {
        let Some(&(merge, count)) = self.selections.last() else { return };
        for id in self.order.drain(count..) {
            self.values.remove(&id);
        }
        if block == merge {
            self.selections.pop();
        }
    }
}
