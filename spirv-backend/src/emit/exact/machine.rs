//! Calls of functions that a module has in one place each.
//!
//! Where the rare function calls the library, its block ends: with the operands in variables, it goes to the one block that
//! calls the function, or not, if the value is there already; and from that one to where it came from. Such
//! blocks have no structure that SPIR-V knows. So the function becomes a machine: a loop around a switch whose
//! cases are its blocks, and a variable that says which one is next, by its label. Values that one block
//! computes and another one uses go through variables, and so do those that depend on the way. These are elements of arrays.
//!
//! An array of which all indices are constants is as many variables for compilers, each of which has a register for as long as
//! the machine runs; and a GPU executes the fewer pixels at once, rare or not, the more registers a shader has. So at the
//! beginning the machine writes one element at an index that compilers do not know, which keeps the array in memory
//! ([`Exact::registers`](crate::emit::Exact)).

use crate::emit::declarations::TypeDeclaration;
use crate::emit::modes::{Calls, Mode, Variant};
use crate::emit::translator::Translator;
use crate::exact::library::Function;
use lambdav_core::types::Type;
use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{LoopControl, Op, SelectionControl, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// The label that no block has: the end of the function.
const END: u32 = 0;

/// How many loops stay such in a function that calls no library.
const MOST_LOOPS: usize = 8;

impl Translator<'_> {
    /// The value of a function of the library; if that of another one may do, only where a condition says
    /// that it does not.
    pub(super) fn call_library(
        &mut self,
        function: Function,
        ids: &[Word],
        unless: Option<(Word, Word)>,
    ) -> Word {
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

    fn no_calls(&mut self) -> Calls {
        let [a, b, c, result, back] = [(); 5].map(|()| self.declarations.id());
        Calls { operands: [a, b, c], result, back, functions: Vec::new() }
    }

    /// Makes a machine of the function that is open, if it calls the library, or is the rare one and has many loops.
    pub(in crate::emit) fn flatten(&mut self) {
        let calls = match self.function.calls.take() {
            Some(calls) => calls,
            None if self.has_many_loops() => self.no_calls(),
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
        let mut machine = Machine::new(&blocks);
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
        self.assemble(machine, blocks, state, calls.back);
        self.lines = lines;
    }

    /// Whether the rare function has more loops than a driver's compiler should see besides those of the fast one.
    fn has_many_loops(&self) -> bool {
        let instructions = self.function.blocks.iter().flat_map(|block| &block.instructions);
        let loops = instructions.filter(|instruction| instruction.class.opcode == Op::LoopMerge);
        matches!(self.function.mode, Mode::Rare { .. }) && loops.count() > MOST_LOOPS
    }

    /// The loop, and the blocks as cases of its switch.
    fn assemble(&mut self, machine: Machine, blocks: Vec<Block>, state: Word, back: Word) {
        let uint = self.declarations.ty(Type::UINT);
        let [entry, header, test, body, merge, continuing, exit] =
            [(); 7].map(|()| self.declarations.id());
        let labels: Vec<Word> = blocks.iter().map(label).collect();
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
        for block in blocks {
            self.case(&machine, block, [state, back, merge]);
        }
        self.begin(merge);
        self.branch(continuing);
        self.begin(continuing);
        self.branch(header);
        self.begin(exit);
        self.push(Instruction::new(Op::Return, None, None, vec![]));
    }

    /// A block as a case.
    fn case(&mut self, machine: &Machine, block: Block, [state, back, merge]: [Word; 3]) {
        let from = label(&block);
        self.begin(from);
        // What stands here for the values of others.
        let mut here: FxHashMap<Word, Word> = FxHashMap::default();
        for mut instruction in block.instructions {
            let id = instruction.result_id;
            match instruction.class.opcode {
                Op::Variable | Op::SelectionMerge | Op::LoopMerge => continue,
                Op::Phi => {
                    let id = id.expect("a φ has a value");
                    let place = vec![Operand::IdRef(self.place(machine, id))];
                    self.push(Instruction::new(Op::Load, instruction.result_type, Some(id), place));
                    here.insert(id, id);
                    continue;
                }
                Op::Return | Op::Unreachable => {
                    let end = self.declarations.uint(END);
                    self.go_on(state, end, merge);
                    continue;
                }
                Op::Branch => {
                    let to = instruction.operands[0].unwrap_id_ref();
                    if to == back {
                        let uint = self.declarations.ty(Type::UINT);
                        let next = self.compute(Op::Load, uint, vec![Operand::IdRef(back)]);
                        self.go_on(state, next, merge);
                        continue;
                    }
                    self.pass(machine, &mut here, from, to);
                    let next = self.declarations.uint(to);
                    self.go_on(state, next, merge);
                    continue;
                }
                Op::BranchConditional => {
                    let of: Vec<Word> =
                        instruction.operands.iter().map(Operand::unwrap_id_ref).collect();
                    let condition = self.found(machine, &mut here, of[0]);
                    let [then, otherwise] = [of[1], of[2]].map(|to| self.declarations.uint(to));
                    let next =
                        self.instruction(Op::Select, Type::UINT, &[condition, then, otherwise]);
                    self.go_on(state, next, merge);
                    continue;
                }
                _ => {}
            }
            for operand in &mut instruction.operands {
                if let Operand::IdRef(used) = operand {
                    *used = self.found(machine, &mut here, *used);
                }
            }
            self.push(instruction);
            if let Some(id) = id {
                here.insert(id, id);
                if machine.places.contains_key(&id) {
                    let place = self.place(machine, id);
                    self.store(place, id);
                }
            }
        }
    }

    /// What stands in this block for a value.
    fn found(&mut self, machine: &Machine, here: &mut FxHashMap<Word, Word>, id: Word) -> Word {
        if let Some(&known) = here.get(&id) {
            return known;
        }
        if !machine.places.contains_key(&id) {
            return id;
        }
        let place = self.place(machine, id);
        let loaded = self.compute(Op::Load, machine.shared[&id], vec![Operand::IdRef(place)]);
        here.insert(id, loaded);
        loaded
    }

    /// Passes to another block what there depends on the way.
    fn pass(&mut self, machine: &Machine, here: &mut FxHashMap<Word, Word>, from: Word, to: Word) {
        let Some(phis) = machine.phis.get(&to) else { return };
        let passed: Vec<(Word, Word)> = phis
            .iter()
            .filter_map(|phi| {
                let &(value, _) = phi.ways.iter().find(|&&(_, way)| way == from)?;
                Some((phi.id, value))
            })
            .collect();
        // All at once.
        let values: Vec<(Word, Word)> =
            passed.into_iter().map(|(place, id)| (place, self.found(machine, here, id))).collect();
        for (phi, id) in values {
            let place = self.place(machine, phi);
            self.store(place, id);
        }
    }

    /// A pointer to where a value lies that goes from block to block.
    fn place(&mut self, machine: &Machine, id: Word) -> Word {
        let (array, index) = machine.places[&id];
        let to = machine.shared[&id];
        let index = self.declarations.uint(index);
        self.array_element(array, index, to)
    }

    /// A pointer to an element of that type.
    fn array_element(&mut self, array: Word, index: Word, ty: Word) -> Word {
        let pointer = self.declarations.shape(TypeDeclaration::Pointer(StorageClass::Function, ty));
        self.compute(Op::AccessChain, pointer, [array, index].map(Operand::IdRef).to_vec())
    }

    fn go_on(&mut self, state: Word, next: Word, merge: Word) {
        self.store(state, next);
        self.branch(merge);
    }
}

fn label(block: &Block) -> Word {
    block.label.as_ref().and_then(|label| label.result_id).expect("blocks have labels")
}

/// What is known of blocks that become the cases of a machine.
#[derive(Debug, Default)]
struct Machine {
    /// The variables of the function.
    variables: Vec<Instruction>,
    /// The values that go from block to block, and their types.
    shared: FxHashMap<Word, Word>,
    /// The arrays that these lie in, and where.
    places: FxHashMap<Word, (Word, u32)>,
    /// The arrays, and the types of their elements.
    arrays: Vec<(Word, Word)>,
    /// The φ of each block.
    phis: FxHashMap<Word, Vec<Phi>>,
}

/// A value that depends on the way.
#[derive(Debug)]
struct Phi {
    id: Word,
    /// The value of each way, and the block that it comes from.
    ways: Vec<(Word, Word)>,
}

impl Machine {
    fn new(blocks: &[Block]) -> Self {
        let mut machine = Self::default();
        // Where values are computed, and their types.
        let mut defined: FxHashMap<Word, (Word, Word)> = FxHashMap::default();
        let instructions =
            || blocks.iter().flat_map(|b| b.instructions.iter().map(move |i| (label(b), i)));
        for (block, instruction) in instructions() {
            if let (Some(ty), Some(id)) = (instruction.result_type, instruction.result_id) {
                if instruction.class.opcode == Op::Variable {
                    machine.variables.push(instruction.clone());
                } else {
                    defined.insert(id, (block, ty));
                }
            }
        }
        let mut shared: FxHashSet<Word> = FxHashSet::default();
        for (block, instruction) in instructions() {
            let ids: Vec<Word> = instruction
                .operands
                .iter()
                .filter_map(|operand| match operand {
                    Operand::IdRef(id) => Some(*id),
                    _ => None,
                })
                .collect();
            if instruction.class.opcode == Op::Phi {
                let id = instruction.result_id.expect("a φ has a value");
                shared.insert(id);
                let ways: Vec<(Word, Word)> = ids.chunks(2).map(|way| (way[0], way[1])).collect();
                let is_elsewhere =
                    |&&(id, way): &&(Word, Word)| defined.get(&id).is_some_and(|of| of.0 != way);
                shared.extend(ways.iter().filter(is_elsewhere).map(|&(id, _)| id));
                machine.phis.entry(block).or_default().push(Phi { id, ways });
            } else {
                let is_elsewhere = |id: &Word| defined.get(id).is_some_and(|of| of.0 != block);
                shared.extend(ids.into_iter().filter(is_elsewhere));
            }
        }
        machine.shared = shared.into_iter().map(|id| (id, defined[&id].1)).collect();
        machine
    }
}
