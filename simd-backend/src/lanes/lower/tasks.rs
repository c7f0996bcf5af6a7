//! The task loop of the lowering, in place of recursion on the nesting of a program.
//!
//! A [`Task`] is a step of the lowering. It does some work at once, and pushes the remaining steps, and
//! those of nested parts, onto a stack. Results are passed between tasks on separate stacks, one for each
//! type of result: a task for an arm pushes the arm's values, a task for a block pushes the block.

use lambdav_core::graph::Neighbour;
use lambdav_core::schedule::{self, BlockId, End, Statement};

use super::state::{Lowering, Tail, Task};
use crate::lanes::quads::Pair;
use crate::lanes::{self, LaneBlock, LaneEnd, LaneStatement, ValueId};

impl Lowering<'_> {
    /// Lowers the root and returns the values that it yields.
    pub(super) fn root(&mut self) -> Vec<schedule::ValueId> {
        let root = schedule::Program::ROOT;
        self.work.tasks.push(Task::Statements(root, 0, self.run));
        while let Some(task) = self.work.tasks.pop() {
            self.task(task);
        }
        match &self.program.block(root).end {
            End::Yield(values) => values.to_vec(),
            End::Rec(_) | End::If { .. } => unreachable!("the root yields"),
        }
    }

    /// Schedules these tasks next, in this order.
    pub(super) fn next<const N: usize>(&mut self, tasks: [Task; N]) {
        self.work.tasks.extend(tasks.into_iter().rev());
    }

    pub(super) fn take_values(&mut self) -> Vec<ValueId> {
        self.work.values.pop().expect("values were pushed")
    }

    pub(super) fn take_block(&mut self) -> lanes::BlockId {
        self.work.blocks.pop().expect("a block was pushed")
    }

    pub(super) fn take_tail(&mut self) -> Tail {
        self.work.tails.pop().expect("a tail was pushed")
    }

    /// A block without statements.
    pub(super) fn empty_block(&mut self, end: LaneEnd) -> lanes::BlockId {
        self.push_block(Vec::new(), end)
    }

    fn push_block(&mut self, statements: Vec<LaneStatement>, end: LaneEnd) -> lanes::BlockId {
        self.out.blocks.push(LaneBlock { statements, end });
        lanes::BlockId(self.out.blocks.len() as u32 - 1)
    }

    fn close(&mut self, end: LaneEnd) {
        self.lineage.forget();
        let outer = self.work.outer.pop().expect("a block has been begun");
        let statements = std::mem::replace(&mut self.current, outer);
        let block = self.push_block(statements, end);
        self.work.blocks.push(block);
    }

    fn task(&mut self, task: Task) {
        match task {
            Task::Statements(id, index, mask) => self.statements(id, index, mask),
            Task::Define(value) => {
                let values = self.take_values();
                let components = self.spread(value, &values);
                self.bind(value, components);
            }
            Task::Yields(id) => {
                let End::Yield(values) = &self.program.block(id).end else {
                    unreachable!("an arm yields");
                };
                let values = self.flat(values);
                self.work.values.push(values);
            }
            Task::Open => {
                self.lineage.forget();
                self.work.outer.push(std::mem::take(&mut self.current));
            }
            Task::CloseArm => self.close(LaneEnd::Yield(Box::default())),
            Task::Close => {
                let end = self.work.ends.pop().expect("an end was pushed");
                self.close(end);
            }
            Task::Undefined(first) => self.undefined_arm(first),
            Task::Guarded(id, mask) => self.guarded(id, mask),
            Task::Second(mask) => {
                let left = self.work.values.last().expect("values were pushed");
                self.lineage.begin_second(mask, left);
            }
            Task::Select(condition, ways) => self.select_arms(condition, ways),
            Task::Merge { condition, first } => self.merge(condition, first),
            Task::Loop(open) => self.end_loop(*open),
            Task::Uniform(id, mask) => {
                self.next([Task::Statements(id, 0, mask), Task::UniformEnd(id, mask)]);
            }
            Task::UniformEnd(id, mask) => self.uniform_end(id, mask),
            Task::Fork(condition) => {
                let otherwise = self.take_block();
                let then = self.take_block();
                self.work.ends.push(LaneEnd::If { condition, then, otherwise });
            }
            Task::Exit(exit) => self.exit(*exit),
            Task::Tail(round, id, mask, results) => {
                let statements = Task::Statements(id, 0, mask);
                self.next([statements, Task::TailEnd(round, id, mask, results)]);
            }
            Task::TailEnd(round, id, mask, results) => self.tail_end(round, id, mask, results),
            Task::Part(round, id, mask, results) => self.part(round, id, mask, results),
            Task::SecondPart(round, id, mask) => {
                let first = self.work.tails.last_mut().expect("a tail was pushed");
                let results = std::mem::take(&mut first.results);
                let arguments = first.again.iter().flat_map(|(_, arguments)| arguments);
                let left: Vec<ValueId> = results.iter().chain(arguments).copied().collect();
                self.lineage.begin_second(mask, &left);
                let results = results.into_iter().map(|result| self.lineage.latest(result));
                let results = results.collect();
                self.part(round, id, mask, results);
            }
            Task::Divergent(round, condition, arms, mask, results) => {
                self.divergent_part(round, condition, arms, mask, results);
            }
            Task::Combine(condition, ways) => self.combine(condition, ways),
            Task::Leave(results) => self.work.tails.push(Tail { again: None, results }),
            Task::Pack(round, goes_on) => {
                let tail = self.take_tail();
                let values = self.pack(tail, goes_on, &round);
                self.work.values.push(values);
            }
            Task::Unpack(round, goes_on) => {
                let values = self.take_values();
                self.work.tails.push(Tail::unpack(values, goes_on, round.params.len()));
            }
            Task::NextRound(round) => self.next_round(&round),
        }
    }

    /// Lowers statements up to and including one with inner blocks. A task continues after it.
    fn statements(&mut self, id: BlockId, first: usize, mask: ValueId) {
        let program = self.program;
        for (index, statement) in program.block(id).statements.iter().enumerate().skip(first) {
            let value = statement.value();
            match statement {
                Statement::Let { expr, .. } => {
                    let components = self.expr(value, expr, mask);
                    self.bind(value, components);
                    continue;
                }
                Statement::If { condition, then, otherwise, .. } => {
                    self.next([Task::Define(value), Task::Statements(id, index + 1, mask)]);
                    let condition = self.components(*condition)[0];
                    self.choice(value, condition, [*then, *otherwise], mask);
                }
                Statement::Loop { params, inits, body, .. } => {
                    self.next([Task::Define(value), Task::Statements(id, index + 1, mask)]);
                    self.begin_loop(value, params, inits, *body, mask);
                }
            }
            return;
        }
    }

    /// Binds a scheduled value to its components.
    fn bind(&mut self, value: schedule::ValueId, components: Vec<ValueId>) {
        debug_assert!(
            components
                .iter()
                .zip(self.rates.of(value))
                .filter(|&(&c, _)| self.out.kind(c).words().is_none())
                .all(|(&c, &rate)| (rate | lanes::Rate::GROUP).includes(self.out.rate(c))),
            "the rates of {value:?} were foreseen"
        );
        if let Some(&Neighbour { of, axis, side }) = self.program.neighbours.get(&value) {
            let of = self.map[of.index()].iter();
            let pairs = components.iter().zip(of).filter(|_| self.map[value.index()].is_empty());
            self.pairs.extend(pairs.map(|(&copy, &of)| Pair::new(copy, of, axis, side)));
        }
        self.map[value.index()] = components.into();
    }
}
