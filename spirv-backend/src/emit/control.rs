//! Blocks: `if`s, loops and tails as structured control flow, and the function around them.
//!
//! φ's name the actual predecessor: the block that is open when an arm, a `rec` or an exit ends, not the
//! one where it began.
//!
//! An `if` in a tail becomes a selection whose arms branch to the loop's continue and merge blocks, as
//! SPIR-V allows from any construct inside a loop. The selection's own merge block is unreachable.

use super::Compute;
use super::declarations::TypeDeclaration;
use super::modes::Mode;
use super::translator::{FunctionState, Join, OpenConstruct, Selection, Translator, Ways};
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::Discard;
use lambdav_core::interface;
use lambdav_core::schedule::{BlockRole, End, Event, Program, Statement, ValueId};
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rspirv::dr::{Function, Instruction, Module, ModuleHeader, Operand};
use rspirv::spirv::{FunctionControl, Op, SelectionControl, Word};

impl<'p> Translator<'p> {
    /// Emits an entry point with the names and bindings of an interface.
    pub(super) fn entry_point(
        &mut self,
        program: &'p Program,
        interface: &interface::Interface,
        compute: Option<Compute>,
    ) {
        self.function = FunctionState::new(program, Mode::Native, Vec::new());
        self.exact.begin_entry_point();
        self.moved.clear();
        let uniforms = &program.uniforms[..self.block_members()];
        self.interface.begin_entry_point(interface, uniforms, &program.types);
        self.interface.workgroup = compute.map(|of| of.workgroup);
        self.interface.is_inside = compute.is_some_and(|of| of.is_inside);
        let main = self.declarations.id();
        self.declarations.name(main, &interface.entry_point.name);
        match self.options.exact {
            Some(exact) => self.exactly(main, exact),
            None if self.options.instrument.is_some() => self.instrumented(main),
            None => {
                let void = self.declarations.shape(TypeDeclaration::Void);
                let ty = self.declarations.shape(TypeDeclaration::Main);
                self.define_program(main, void, ty, Vec::new());
            }
        }
        self.interface.finish_entry_point(&mut self.declarations, main, self.options);
    }

    /// Returns the module, the loop headers, and three maxima: predecessors of a block, members of a
    /// structure, and parts of a constructed value.
    pub(super) fn finish(mut self) -> (Module, Vec<(Word, Span)>, [usize; 3]) {
        let version = self.interface.finish(&mut self.declarations, self.options);
        let mut header = ModuleHeader::new(self.declarations.bound());
        header.set_version(1, version.0);
        let mut module = std::mem::take(&mut self.declarations.module);
        module.header = Some(header);
        module.functions = self.functions;
        self.sites.sort_unstable_by_key(|&(label, _)| label);
        (
            module,
            self.sites,
            [self.most_ways, self.declarations.most_members, self.declarations.most_parts],
        )
    }

    /// Emits the program of the open function, which has no blocks yet.
    pub(super) fn define_program(
        &mut self,
        id: Word,
        result: Word,
        ty: Word,
        parameters: Vec<Instruction>,
    ) {
        let entry = self.declarations.id();
        self.begin(entry);
        if self.function.mode == Mode::Native {
            self.function.moved = self.moved_inputs();
        }
        if self.function.mode != Mode::Library {
            self.clear_workgroup();
        }
        for event in self.function.program.walk() {
            self.event(event);
        }
        // Sorted by id, so that equal programs give equal words.
        let mut variables: Vec<_> =
            std::mem::take(&mut self.function.variables).into_values().collect();
        variables.sort_unstable_by_key(|&(id, _)| id);
        let variables = variables.into_iter().map(|(_, instruction)| instruction);
        let prologue = std::mem::take(&mut self.function.prologue);
        self.function.blocks[0].instructions.splice(0..0, variables.chain(prologue));
        if let Mode::Rare { .. } = self.function.mode {
            self.drop_unused();
        }
        self.flatten();
        self.finish_function(id, result, ty, parameters);
    }

    /// Emits the instructions around the blocks of the open function.
    pub(super) fn finish_function(
        &mut self,
        id: Word,
        result: Word,
        ty: Word,
        parameters: Vec<Instruction>,
    ) {
        let control = Operand::FunctionControl(FunctionControl::NONE);
        let definition = vec![control, Operand::IdRef(ty)];
        self.functions.push(Function {
            def: Some(Instruction::new(Op::Function, Some(result), Some(id), definition)),
            end: Some(Instruction::new(Op::FunctionEnd, None, None, vec![])),
            parameters,
            blocks: std::mem::take(&mut self.function.blocks),
        });
    }

    fn event(&mut self, event: Event<'p>) {
        match event {
            Event::Enter(_, BlockRole::Then(_)) => {
                self.begin(self.selection().on_true);
                self.enter(true);
            }
            Event::Enter(_, BlockRole::Otherwise(_)) => {
                self.begin(self.selection().on_false);
                self.enter(false);
            }
            // `open_loop` begins the header and the first block of the body.
            Event::Enter(_, BlockRole::Root | BlockRole::Body(_)) => {}
            Event::Statement(_, statement) => self.statement(statement),
            Event::After(..) => self.close(),
            Event::End(_, end) => self.end(end),
            Event::Leave(block) => {
                if let End::If { .. } = self.function.program.block(block).end {
                    let merge = self.selection().merge;
                    self.function.selections.pop();
                    self.begin(merge);
                    self.push(Instruction::new(Op::Unreachable, None, None, vec![]));
                }
            }
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        self.function.span = self.function.program.values[statement.value().index()].span;
        match *statement {
            Statement::Let { value, ref expr } => {
                let slot = self.expression(value, expr);
                self.define(value, slot);
            }
            Statement::If { value, condition, .. } => {
                let label = self.declarations.id();
                // At the root, nothing after a discard is needed for the pixel.
                let is_it = |of: &Discard<ValueId>| {
                    self.function.targets.len() == 1 && of.condition == condition
                };
                let discards = self.function.program.discard.filter(is_it).map(|of| of.when);
                self.function.discards |= discards.is_some();
                self.function.targets.push(OpenConstruct::Join(Join {
                    value,
                    label,
                    ways: Ways::default(),
                    discards,
                    arm: true,
                }));
                let condition = self.value(condition);
                self.select_block(condition, label, false);
            }
            Statement::Loop { value, ref params, ref inits, body } => {
                let opened = self.open_loop(value, params, inits, body);
                self.function.targets.push(OpenConstruct::Loop(opened));
            }
        }
    }

    /// Begins the merge block of the innermost `if` or loop.
    fn close(&mut self) {
        match self.function.targets.pop().expect("a statement with blocks has a target") {
            OpenConstruct::Join(Join { value, label, mut ways, .. }) => {
                self.function.selections.pop();
                if let (true, [a, b]) = (is_active(Mutant::SwappedWays), &mut ways.0[..]) {
                    std::mem::swap(&mut a.0, &mut b.0);
                }
                let before = self.function.current;
                self.begin(label);
                self.merge(value, ways);
                if is_active(Mutant::StaleBlock) {
                    self.function.current = before;
                }
            }
            OpenConstruct::Loop(closed) => self.close_loop(closed),
            OpenConstruct::Root => unreachable!("the root is no statement"),
        }
    }

    fn end(&mut self, end: &'p End) {
        let values: Vec<Word> = match (end, self.target()) {
            (End::Yield(values), OpenConstruct::Root) => return self.store_outputs(values),
            (&End::If { condition, .. }, open) => {
                let leaves = match open {
                    OpenConstruct::Loop(open) => open.leaves.take(),
                    _ => None,
                };
                let label = self.declarations.id();
                let condition = self.value(condition);
                let condition = match leaves {
                    Some(arm) => self.or_ends_early(condition, arm),
                    None => condition,
                };
                return self.select_block(condition, label, is_active(Mutant::SwappedBranches));
            }
            (End::Yield(values) | End::Rec(values), _) => {
                values.iter().map(|&value| self.value(value)).collect()
            }
        };
        self.settle();
        let from = self.function.current;
        let to = match (end, self.target()) {
            (End::Yield(_), OpenConstruct::Join(join))
                if join.discards == Some(join.arm ^ is_active(Mutant::KilledElsewhere)) =>
            {
                return self.discard();
            }
            (End::Yield(_), OpenConstruct::Join(join)) => {
                join.ways.0.push((values[0], from));
                join.label
            }
            (End::Yield(_), OpenConstruct::Loop(open)) => {
                open.exits.0.push((values[0], from));
                open.merge
            }
            (End::Rec(_), OpenConstruct::Loop(open)) => {
                open.rounds.push((values, from));
                open.continuing
            }
            _ => unreachable!("tails stand in loops only"),
        };
        self.branch(to);
    }

    /// Discards the pixel.
    fn discard(&mut self) {
        if self.function.mode.is_exact() {
            return self.discard_exactly();
        }
        self.push(Instruction::new(Op::Kill, None, None, vec![]));
    }

    /// Discards the pixel under a condition, and goes on otherwise.
    pub(super) fn discard_where(&mut self, condition: Word) {
        if self.function.mode.is_exact() {
            return self.discard_exactly_where(condition);
        }
        let [kill, keep] = [(); 2].map(|()| self.declarations.id());
        self.select_between(condition, [kill, keep], keep);
        self.begin(kill);
        self.push(Instruction::new(Op::Kill, None, None, vec![]));
        self.begin(keep);
    }

    /// Enters an arm of the innermost construct; an arm in a tail belongs to a loop.
    fn enter(&mut self, arm: bool) {
        if let OpenConstruct::Join(join) = self.target() {
            join.arm = arm;
        }
    }

    /// The construct that receives the end of the open block.
    fn target(&mut self) -> &mut OpenConstruct<'p> {
        self.function.targets.last_mut().expect("the root is there to the end")
    }

    /// The innermost selection around the open block.
    fn selection(&self) -> Selection {
        *self.function.selections.last().expect("the block is that of a choice")
    }

    /// Ends the open block with a selection; its arms meet at `merge`.
    fn select_block(&mut self, condition: Word, merge: Word, is_swapped: bool) {
        let (on_true, on_false) = (self.declarations.id(), self.declarations.id());
        self.select_between(condition, [on_true, on_false], merge);
        let (on_true, on_false) =
            if is_swapped { (on_false, on_true) } else { (on_true, on_false) };
        self.function.selections.push(Selection { on_true, on_false, merge });
    }

    /// Ends the open block with a branch to two blocks that meet at `merge`.
    pub(super) fn select_between(
        &mut self,
        condition: Word,
        [on_true, on_false]: [Word; 2],
        merge: Word,
    ) {
        self.settle();
        let control = Operand::SelectionControl(SelectionControl::NONE);
        let operands = vec![Operand::IdRef(merge), control];
        self.push(Instruction::new(Op::SelectionMerge, None, None, operands));
        let operands = [condition, on_true, on_false].map(Operand::IdRef).to_vec();
        self.push(Instruction::new(Op::BranchConditional, None, None, operands));
    }

    /// Emits code under a condition.
    pub(super) fn when(&mut self, condition: Word, then: impl FnOnce(&mut Self)) {
        let [inside, behind] = [(); 2].map(|()| self.declarations.id());
        self.select_between(condition, [inside, behind], behind);
        self.begin(inside);
        then(self);
        self.branch(behind);
        self.begin(behind);
    }

    /// `value` if the condition holds, else the result of `otherwise`, computed only then.
    pub(super) fn unless(
        &mut self,
        condition: Word,
        ty: Type,
        value: Word,
        otherwise: impl FnOnce(&mut Self) -> Word,
    ) -> Word {
        let [inside, behind] = [(); 2].map(|()| self.declarations.id());
        self.select_between(condition, [behind, inside], behind);
        let before = self.function.current;
        self.begin(inside);
        let other = otherwise(self);
        self.settle();
        let from = self.function.current;
        self.branch(behind);
        self.begin(behind);
        self.join(ty, Ways(vec![(value, before), (other, from)]))
    }
}
