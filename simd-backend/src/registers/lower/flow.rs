//! Statements, `if` and loops as a flow graph.
//!
//! # Loops
//!
//! ```text
//!        ┌─▶ header ─ body ─▶ latch ─▶ next ──┐
//!        │             │         └─▶ (cold) rounds used up: stop, or poll and continue
//!        └─────────────┼──────────────────────┘
//!                      └─▶ exit ─▶ poll
//! ```

use std::ops::Range;

use super::builder::{Builder, Exits, Open};
use crate::cost;
use crate::lanes::walk::{Event, Walk};
use crate::lanes::{
    self, Kind, LaneEnd, LaneExpr, LaneOp, LaneProgram, LaneStatement, Reads, ValueId,
};
use crate::mutants::{Mutant, is_active};
use crate::registers::halves::Assemble;
use crate::registers::{BlockId, End, Instr, Limit, POLL_ROUNDS, Reg, RegisterType, Status};

impl Builder<'_> {
    /// Lowers these statements of the root.
    pub(super) fn statements(&mut self, statements: Range<usize>) {
        let program = self.program;
        self.flow.computed = (LaneProgram::ROOT, statements.start);
        let end = statements.end;
        for event in Walk::of_statements(LaneProgram::ROOT, statements).events(program) {
            self.event(event, end);
        }
    }

    fn event(&mut self, event: Event, end_of_root: usize) {
        match event {
            Event::Enter(id) => {
                if let Some(block) = self.flow.entries[id.index()] {
                    self.begin(block, Vec::new());
                }
                self.flow.computed = (id, 0);
            }
            Event::Statement(id, index) => self.statement(id, index, end_of_root),
            Event::After(id, index) => {
                self.after(id, index);
                self.flow.computed = (id, index + 1);
            }
            Event::End(id) => self.end(id),
            Event::Leave(_) => {}
        }
    }

    /// Begins a statement, before its blocks.
    fn statement(&mut self, id: lanes::BlockId, index: usize, end_of_root: usize) {
        let program = self.program;
        match &program.block(id).statements[index] {
            LaneStatement::Let { .. }
                if self.flow.computed.0 == id && index < self.flow.computed.1 => {}
            LaneStatement::Let { .. } => {
                let statements = &program.block(id).statements;
                let end = if id == LaneProgram::ROOT { end_of_root } else { statements.len() };
                let rest = &statements[index..end];
                if let (LaneStatement::Let { value, expr }, true) =
                    (&rest[0], self.is_bulk(&rest[0]))
                {
                    self.bulk(*value, expr);
                }
                let is_alone = |s: &LaneStatement| !self.is_per_register(s) || self.is_bulk(s);
                let count = rest.iter().position(is_alone).unwrap_or(rest.len());
                // A statement that is not computed register by register is computed alone.
                let count = count.max(1);
                self.register_by_register(&rest[..count]);
                self.flow.computed = (id, index + count);
            }
            LaneStatement::Access { value, access } => self.access(*value, access),
            LaneStatement::If { condition, then, otherwise, .. } => {
                let condition = self.condition(*condition);
                let [a, b, join] = [(); 3].map(|()| self.reserve());
                self.branch(condition, a, b);
                for (arm, block) in [(then, a), (otherwise, b)] {
                    self.flow.entries[arm.index()] = Some(block);
                    let exits = Exits { statement: (id, index), exit: join, latch: None };
                    self.flow.exits[arm.index()] = Some(exits);
                }
                self.flow.open.push(Open::If { join });
            }
            LaneStatement::Loop { params, inits, body, .. } => {
                let count = RegisterType::Scalar(Kind::I64);
                let [header, latch, exit, done] = [(); 4].map(|()| self.reserve());
                self.pass_arrays(inits, params);
                let mut arguments = self.fit_all(inits, params);
                for limit in [Limit::First, Limit::Rest] {
                    let reg = self.reg(count);
                    self.push(Instr::Limit(reg, limit));
                    arguments.push(reg);
                }
                self.jump(header, arguments);

                let mut own = self.new_params(params);
                let rounds = [(); 2].map(|()| self.reg(count));
                own.extend(rounds);
                self.begin(header, own);
                let exits = Exits { statement: (id, index), exit, latch: Some(latch) };
                self.flow.exits[body.index()] = Some(exits);
                let before = self.work;
                self.flow.open.push(Open::Loop { rounds, latch, header, exit, done, before });
            }
        }
    }

    /// Completes a statement, after its blocks.
    fn after(&mut self, id: lanes::BlockId, index: usize) {
        let program = self.program;
        let open = self.flow.open.pop().expect("the statement has begun");
        match (&program.block(id).statements[index], open) {
            (LaneStatement::If { values, .. }, Open::If { join }) => {
                let params = self.new_params(values);
                self.begin(join, params);
            }
            (
                LaneStatement::Loop { values, params, site, .. },
                Open::Loop { rounds, latch, header, exit, done, before },
            ) => {
                self.latch(params, rounds, [latch, header], *site, self.work - before);
                let params = self.new_params(values);
                self.begin(exit, params);
                self.poll(done);
                self.begin(done, Vec::new());
            }
            _ => unreachable!("statements end in the order in which they began"),
        }
    }

    /// The end of a block, before the blocks nested in that end.
    fn end(&mut self, id: lanes::BlockId) {
        let program = self.program;
        let exits = self.flow.exits[id.index()].expect("a block of a statement");
        let (block, index) = exits.statement;
        match (&program.block(id).end, &program.block(block).statements[index]) {
            (LaneEnd::Yield(yields), statement) => {
                self.pass_arrays(yields, statement.values());
                let arguments = self.fit_all(yields, statement.values());
                self.jump(exits.exit, arguments);
            }
            (LaneEnd::Rec(values), LaneStatement::Loop { params, .. }) => {
                self.pass_arrays(values, params);
                let arguments = self.fit_all(values, params);
                self.jump(exits.latch.expect("a loop has one"), arguments);
            }
            (LaneEnd::If { condition, then, otherwise }, _) => {
                let condition = self.condition(*condition);
                let (a, b) = (self.reserve(), self.reserve());
                self.branch(condition, a, b);
                for (part, block) in [(then, a), (otherwise, b)] {
                    self.flow.entries[part.index()] = Some(block);
                    self.flow.exits[part.index()] = Some(exits);
                }
            }
            (LaneEnd::Rec(_), _) => unreachable!("it stands in the tail of a loop"),
        }
    }

    /// The end of a round with `work`: starts the next round if the loop has one left.
    fn latch(
        &mut self,
        params: &[ValueId],
        [left, rest]: [Reg; 2],
        [latch, header]: [BlockId; 2],
        site: u32,
        work: u64,
    ) {
        let (count, flag) = (RegisterType::Scalar(Kind::I64), RegisterType::Scalar(Kind::Mask));
        let [next, ask, ask_more, more, stop] = [(); 5].map(|()| self.reserve());
        let mut arguments = self.new_params(params);
        self.begin(latch, arguments.clone());
        if let (true, [first, second, ..]) = (is_active(Mutant::LostArgument), &mut arguments[..])
            && self.function.registers[first.index()] == self.function.registers[second.index()]
        {
            *second = *first;
        }
        let zero = self.constant(count, 0);
        let is_last = self.op(flag, LaneOp::Equal, &[left, zero]);
        self.branch(is_last, ask, next);

        self.begin(next, Vec::new());
        self.poll_if_long(work);
        let one = self.constant(count, 1);
        let fewer = self.op(count, LaneOp::Sub, &[left, one]);
        self.jump(header, [&arguments[..], &[fewer, rest]].concat());

        self.begin(ask, Vec::new());
        self.cold = true;
        let zero = self.constant(count, 0);
        let none = self.op(flag, LaneOp::Equal, &[rest, zero]);
        self.branch(none, stop, ask_more);

        self.begin(stop, Vec::new());
        self.cold = true;
        self.finish(End::Return(Status::Limit(site)));

        self.begin(ask_more, Vec::new());
        self.poll(more);

        self.begin(more, Vec::new());
        self.cold = true;
        let poll = self.constant(count, POLL_ROUNDS);
        let enough = self.op(flag, LaneOp::Less, &[poll, rest]);
        let chunk = self.op(count, LaneOp::Select, &[enough, poll, rest]);
        let rest = self.op(count, LaneOp::Sub, &[rest, chunk]);
        let one = self.constant(count, 1);
        let fewer = self.op(count, LaneOp::Sub, &[chunk, one]);
        self.jump(header, [&arguments[..], &[fewer, rest]].concat());
    }

    /// Polls for cancellation if `work`, the work of one round, is large.
    pub(super) fn poll_if_long(&mut self, work: u64) {
        if work > cost::POLLING_ROUND {
            let next = self.reserve();
            self.poll(next);
            self.begin(next, Vec::new());
        }
    }

    /// True if [`Builder::register_by_register`] may compute the statement: each register of its
    /// result depends on the same register of its operands, and takes little time. (Elementary
    /// functions take long; they are computed for all registers together.)
    fn is_per_register(&self, statement: &LaneStatement) -> bool {
        match statement {
            LaneStatement::Let { expr: LaneExpr::Neighbour { axis, .. }, .. } => {
                self.shape.tile.extent(*axis) > 1
            }
            LaneStatement::Let { expr, .. } => {
                expr.reads() == Reads::Own && !matches!(expr, LaneExpr::Elementary { .. })
            }
            _ => false,
        }
    }

    /// Ends the block with a cancellation poll: returns if the call is cancelled, else goes to
    /// `next`.
    fn poll(&mut self, next: BlockId) {
        let cancelled = self.reserve();
        let goes_on = self.reg(RegisterType::Scalar(Kind::Mask));
        self.push(Instr::Poll(goes_on));
        self.branch(goes_on, next, cancelled);
        self.begin(cancelled, Vec::new());
        self.cold = true;
        self.finish(End::Return(Status::Cancelled));
    }
}
