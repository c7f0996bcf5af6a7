//! From the lane program to the register program.

use rustc_hash::FxHashMap;

use super::halves::{Assemble, Lanes};
use super::{
    Argument, Block, BlockCall, BlockId, End, Function, Instr, Limit, PIXEL_BYTES, POLL_ROUNDS,
    Reg, RegisterProgram, Shape, Status, Type, procedure,
};
use lambdav_core::op::Elementary;

use crate::lanes::{
    self, Axis, End as LaneEnd, Expr, Kind, Op, Rate, Reads, Statement, ValueId, Width,
};
use crate::mutants::{Mutant, is_active};

/// Makes the register program for a shape. Recurses on the nesting of blocks.
pub fn lower(program: &lanes::LaneProgram, shape: Shape) -> RegisterProgram {
    assert!(program.width == Width::Any || shape.lanes() == 1, "the program is for one lane");
    let root = program.block(lanes::LaneProgram::ROOT);
    let (frame, group) = root.statements.split_at(program.frame_len);
    let mut slots = Slots { of: FxHashMap::default(), kinds: Vec::new() };

    let mut row = Builder::new(program, shape);
    row.row(group, &mut slots);
    let (row, procedures) = (row.function, row.procedures);

    let mut builder = Builder::new(program, shape);
    builder.procedures = procedures;
    builder.statements(frame);
    let mut kept: Vec<_> = slots.of.into_iter().collect();
    kept.sort_by_key(|&(_, slot)| slot);
    for (value, slot) in kept {
        let from = builder.fit(value, Rate::FRAME)[0];
        builder.push(Instr::SetSlot(slot, from));
    }
    builder.finish(End::Return(Status::Done));
    let frame = builder.function;
    let procedures = builder.procedures.into_iter();
    let procedures = procedures.map(|(f, is_vector)| procedure::procedure(f, is_vector)).collect();
    RegisterProgram {
        shape,
        frame,
        row,
        procedures,
        slots: slots.kinds,
        inputs: program.inputs.len(),
    }
}

/// The values of the frame that groups use.
struct Slots {
    of: FxHashMap<ValueId, u32>,
    kinds: Vec<Kind>,
}

struct Builder<'p> {
    program: &'p lanes::LaneProgram,
    shape: Shape,
    function: Function,
    /// The registers of each value, as far as it has been lowered.
    map: Vec<Vec<Reg>>,
    /// The centres of the columns and rows of a group.
    coordinates: [Vec<Reg>; 2],
    /// The values that are constants: made where they are used.
    constants: FxHashMap<ValueId, Constant>,
    /// The values that the part for the frame has left in slots: read where they are used.
    slots: FxHashMap<ValueId, u32>,
    /// What has been made in this block of others: constants, what was read from slots, and numbers spread over a
    /// register.
    made: FxHashMap<(Made, Type), Reg>,
    /// The elementary functions that are called, of vectors or of scalars.
    procedures: Vec<(Elementary, bool)>,
    /// The comparisons of scalars of binary32.
    compares: FxHashMap<Reg, (Op, [Reg; 2])>,
    /// The scalars that are constants.
    constant_regs: FxHashMap<Reg, u64>,
    params: Vec<Reg>,
    instrs: Vec<Instr>,
    current: BlockId,
    cold: bool,
}

/// A value that is made where it is used.
#[derive(Clone, Copy)]
enum Constant {
    Bits(u64),
    Undefined,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Made {
    Undefined,
    Constant(u64),
    Slot(u32),
    Broadcast(Reg),
    Compare(Op, [Reg; 2]),
}

/// A block that is not there yet.
const PENDING: End = End::Return(Status::Done);

impl Assemble for Builder<'_> {
    fn reg(&mut self, ty: Type) -> Reg {
        self.function.registers.push(ty);
        Reg(self.function.registers.len() as u32 - 1)
    }

    fn push(&mut self, instr: Instr) {
        self.instrs.push(instr);
    }
}

impl<'p> Builder<'p> {
    fn new(program: &'p lanes::LaneProgram, shape: Shape) -> Self {
        let mut builder = Self {
            program,
            shape,
            function: Function { registers: Vec::new(), blocks: Vec::new(), spill_slots: 0 },
            map: vec![Vec::new(); program.values.len()],
            coordinates: [Vec::new(), Vec::new()],
            constants: FxHashMap::default(),
            slots: FxHashMap::default(),
            made: FxHashMap::default(),
            procedures: Vec::new(),
            compares: FxHashMap::default(),
            constant_regs: FxHashMap::default(),
            params: Vec::new(),
            instrs: Vec::new(),
            current: BlockId(0),
            cold: false,
        };
        let entry = builder.reserve();
        builder.begin(entry, Vec::new());
        builder
    }

    fn ty(&self, reg: Reg) -> Type {
        self.function.registers[reg.index()]
    }

    /// The number of a block that will be filled later.
    fn reserve(&mut self) -> BlockId {
        let block = Block { params: Vec::new(), instrs: Vec::new(), end: PENDING, cold: false };
        self.function.blocks.push(block);
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    fn begin(&mut self, block: BlockId, params: Vec<Reg>) {
        self.current = block;
        self.params = params;
        self.cold = false;
        self.made.clear();
    }

    fn finish(&mut self, end: End) {
        self.function.blocks[self.current.index()] = Block {
            params: std::mem::take(&mut self.params),
            instrs: std::mem::take(&mut self.instrs),
            end,
            cold: self.cold,
        };
    }

    fn jump(&mut self, block: BlockId, arguments: Vec<Reg>) {
        self.finish(End::Jump(BlockCall { block, arguments }));
    }

    /// Ends the block with a decision between two without parameters.
    fn branch(&mut self, condition: Reg, then: BlockId, otherwise: BlockId) {
        let target = |block| BlockCall { block, arguments: Vec::new() };
        self.finish(End::Branch { condition, then: target(then), otherwise: target(otherwise) });
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Constant(bits), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Constant(reg, bits));
        if matches!(ty, Type::Scalar(_)) {
            self.constant_regs.insert(reg, bits);
        }
        self.made.insert((Made::Constant(bits), ty), reg);
        reg
    }

    fn undefined(&mut self, ty: Type) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Undefined, ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Undefined(reg));
        self.made.insert((Made::Undefined, ty), reg);
        reg
    }

    fn slot(&mut self, slot: u32, kind: Kind) -> Reg {
        let ty = Type::Scalar(kind);
        if let Some(&known) = self.made.get(&(Made::Slot(slot), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Slot(reg, slot));
        self.made.insert((Made::Slot(slot), ty), reg);
        reg
    }

    fn broadcast(&mut self, from: Reg, ty: Type) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Broadcast(from), ty)) {
            return known;
        }
        let reg = self.reg(ty);
        self.push(Instr::Broadcast(reg, from));
        self.made.insert((Made::Broadcast(from), ty), reg);
        reg
    }

    /// What registers of a value of that kind and rate hold.
    fn type_of(&self, kind: Kind, rate: Rate) -> Type {
        if rate.is_uniform() || self.shape.tile.width() == 1 {
            Type::Scalar(kind)
        } else {
            Type::Vector(kind)
        }
    }

    /// How many registers hold the lanes of one of 32 bits.
    fn parts(&self, kind: Kind, rate: Rate) -> usize {
        let wide = matches!(kind, Kind::F64 | Kind::I64);
        if wide && matches!(self.type_of(kind, rate), Type::Vector(_)) { 2 } else { 1 }
    }

    /// New registers for a value.
    fn regs(&mut self, value: ValueId) -> Vec<Reg> {
        let (kind, rate) = (self.program.kind(value), self.program.rate(value));
        let ty = self.type_of(kind, rate);
        let count = self.shape.registers(rate) * self.parts(kind, rate);
        (0..count).map(|_| self.reg(ty)).collect()
    }

    fn new_params(&mut self, values: &[ValueId]) -> Vec<Reg> {
        let mut params = Vec::new();
        for &value in values {
            let regs = self.regs(value);
            params.extend(&regs);
            self.map[value.index()] = regs;
        }
        params
    }

    /// The registers of a value as if it had a rate that includes its own.
    fn fit(&mut self, value: ValueId, rate: Rate) -> Vec<Reg> {
        let count = self.shape.registers(rate) * self.parts(self.program.kind(value), rate);
        (0..count).map(|index| self.fit_one(value, rate, index)).collect()
    }

    /// One of the registers of [`Builder::fit`].
    fn fit_one(&mut self, value: ValueId, rate: Rate, index: usize) -> Reg {
        let kind = self.program.kind(value);
        let ty = self.type_of(kind, rate);
        match self.constants.get(&value) {
            Some(&Constant::Bits(bits)) => return self.constant(ty, bits),
            Some(Constant::Undefined) => return self.undefined(ty),
            None => {}
        }
        if let Some(&slot) = self.slots.get(&value) {
            let reg = self.slot(slot, kind);
            return if self.ty(reg) == ty { reg } else { self.broadcast(reg, ty) };
        }
        let regs = &self.map[value.index()];
        let first = regs[0];
        if self.ty(first) != ty {
            return match self.compares.get(&first) {
                Some(&(op, operands)) => self.compare_again(op, operands, ty),
                None => self.broadcast(first, ty),
            };
        }
        let parts = self.parts(kind, rate);
        let mut register = self.shape.project(index / parts, rate, self.program.rate(value));
        if self.program.rate(value) == Rate::Y && is_active(Mutant::WrongRegister) {
            register = index / parts % self.shape.across as usize;
        }
        regs[register * parts + index % parts]
    }

    /// A comparison of numbers as a mask: two spread numbers compared are cheaper than a truth value
    /// spread.
    fn compare_again(&mut self, op: Op, operands: [Reg; 2], ty: Type) -> Reg {
        if let Some(&known) = self.made.get(&(Made::Compare(op, operands), ty)) {
            return known;
        }
        let spread = operands.map(|reg| match self.constant_regs.get(&reg) {
            Some(&bits) => self.constant(Type::Vector(Kind::F32), bits),
            None => self.broadcast(reg, Type::Vector(Kind::F32)),
        });
        let reg = self.op(ty, op, &spread);
        self.made.insert((Made::Compare(op, operands), ty), reg);
        reg
    }

    fn fit_all(&mut self, values: &[ValueId], like: &[ValueId]) -> Vec<Reg> {
        let pairs = values.iter().zip(like);
        pairs.flat_map(|(&value, &like)| self.fit(value, self.program.rate(like))).collect()
    }

    fn condition(&mut self, value: ValueId) -> Reg {
        self.fit(value, Rate::GROUP)[0]
    }

    fn statements(&mut self, statements: &[Statement]) {
        let program = self.program;
        let mut rest = statements;
        while let Some(statement) = rest.first() {
            let run = rest.iter().position(|s| !Self::is_per_register(s)).unwrap_or(rest.len());
            if run > 0 {
                self.run(&rest[..run]);
                rest = &rest[run..];
                continue;
            }
            rest = &rest[1..];
            match statement {
                Statement::Let { .. } => self.run(std::slice::from_ref(statement)),
                Statement::If { values, condition, then, otherwise } => {
                    let condition = self.condition(*condition);
                    let [a, b, join] = [(); 3].map(|()| self.reserve());
                    self.branch(condition, a, b);
                    for (id, block) in [(*then, a), (*otherwise, b)] {
                        self.begin(block, Vec::new());
                        self.statements(&program.block(id).statements);
                        let LaneEnd::Yield(yields) = &program.block(id).end else {
                            unreachable!("an arm yields");
                        };
                        let arguments = self.fit_all(yields, values);
                        self.jump(join, arguments);
                    }
                    let params = self.new_params(values);
                    self.begin(join, params);
                }
                Statement::Loop { values, params, inits, body, site } => {
                    self.lower_loop(values, params, inits, *body, *site);
                }
            }
        }
    }

    fn lower_loop(
        &mut self,
        values: &[ValueId],
        params: &[ValueId],
        inits: &[ValueId],
        body: lanes::BlockId,
        site: u32,
    ) {
        let count = Type::Scalar(Kind::I64);
        let [header, latch, exit, done] = [(); 4].map(|()| self.reserve());
        let mut arguments = self.fit_all(inits, params);
        for limit in [Limit::First, Limit::Rest] {
            let reg = self.reg(count);
            self.push(Instr::Limit(reg, limit));
            arguments.push(reg);
        }
        self.jump(header, arguments);

        let mut own = self.new_params(params);
        let (left, rest) = (self.reg(count), self.reg(count));
        own.extend([left, rest]);
        self.begin(header, own);
        self.tail(body, &Around { values, params, latch, exit });

        self.latch(params, [left, rest], [latch, header], site);

        let params = self.new_params(values);
        self.begin(exit, params);
        self.poll(done);
        self.begin(done, Vec::new());
    }

    /// The end of a round: one more, if the loop may.
    fn latch(
        &mut self,
        params: &[ValueId],
        [left, rest]: [Reg; 2],
        [latch, header]: [BlockId; 2],
        site: u32,
    ) {
        let (count, flag) = (Type::Scalar(Kind::I64), Type::Scalar(Kind::Mask));
        let [next, ask, ask_more, more, stop] = [(); 5].map(|()| self.reserve());
        let mut arguments = self.new_params(params);
        self.begin(latch, arguments.clone());
        if let (true, [first, second, ..]) = (is_active(Mutant::LostArgument), &mut arguments[..])
            && self.function.registers[first.index()] == self.function.registers[second.index()]
        {
            *second = *first;
        }
        let zero = self.constant(count, 0);
        let is_last = self.op(flag, Op::Equal, &[left, zero]);
        self.branch(is_last, ask, next);

        self.begin(next, Vec::new());
        let one = self.constant(count, 1);
        let fewer = self.op(count, Op::Sub, &[left, one]);
        self.jump(header, [&arguments[..], &[fewer, rest]].concat());

        self.begin(ask, Vec::new());
        self.cold = true;
        let zero = self.constant(count, 0);
        let none = self.op(flag, Op::Equal, &[rest, zero]);
        self.branch(none, stop, ask_more);

        self.begin(stop, Vec::new());
        self.cold = true;
        self.finish(End::Return(Status::Limit(site)));

        self.begin(ask_more, Vec::new());
        self.poll(more);

        self.begin(more, Vec::new());
        self.cold = true;
        let poll = self.constant(count, POLL_ROUNDS);
        let enough = self.op(flag, Op::Less, &[poll, rest]);
        let chunk = self.op(count, Op::Select, &[enough, poll, rest]);
        let rest = self.op(count, Op::Sub, &[rest, chunk]);
        let one = self.constant(count, 1);
        let fewer = self.op(count, Op::Sub, &[chunk, one]);
        self.jump(header, [&arguments[..], &[fewer, rest]].concat());
    }

    /// Ends the block with a cancellation poll: in the caller if the call is cancelled, else in `next`.
    fn poll(&mut self, next: BlockId) {
        let cancelled = self.reserve();
        let goes_on = self.reg(Type::Scalar(Kind::Mask));
        self.push(Instr::Poll(goes_on));
        self.branch(goes_on, next, cancelled);
        self.begin(cancelled, Vec::new());
        self.cold = true;
        self.finish(End::Return(Status::Cancelled));
    }

    /// The statements and the end of a block of a loop's tail.
    fn tail(&mut self, id: lanes::BlockId, around: &Around<'_>) {
        let program = self.program;
        self.statements(&program.block(id).statements);
        match &program.block(id).end {
            LaneEnd::Yield(values) => {
                let arguments = self.fit_all(values, around.values);
                self.jump(around.exit, arguments);
            }
            LaneEnd::Rec(values) => {
                let arguments = self.fit_all(values, around.params);
                self.jump(around.latch, arguments);
            }
            LaneEnd::If { condition, then, otherwise } => {
                let condition = self.condition(*condition);
                let (a, b) = (self.reserve(), self.reserve());
                self.branch(condition, a, b);
                self.begin(a, Vec::new());
                self.tail(*then, around);
                self.begin(b, Vec::new());
                self.tail(*otherwise, around);
            }
        }
    }

    /// Whether a statement may be one of a [`Builder::run`]: each register of what it defines is computed from the same
    /// register of its operands, and soon. (Functions take long: all registers wait for them together.)
    fn is_per_register(statement: &Statement) -> bool {
        match statement {
            Statement::Let { expr, .. } => {
                expr.reads() == Reads::Own && !matches!(expr, Expr::Elementary { .. })
            }
            Statement::If { .. } | Statement::Loop { .. } => false,
        }
    }

    /// Computations without control flow: all of them for a register of the group, then for the next, so that
    /// what is computed on the way stays in machine registers. Constants are made again: they are read from memory
    /// anyway.
    fn run(&mut self, statements: &[Statement]) {
        for register in 0..self.shape.registers(Rate::VARYING) {
            if register > 0 {
                self.made.clear();
            }
            for statement in statements {
                let Statement::Let { value, expr } = statement else {
                    unreachable!("the caller has looked");
                };
                let rate = self.program.rate(*value);
                // What several registers share comes with the first of them.
                for index in 0..self.shape.registers(rate) {
                    if self.shape.first_of(index, rate) == register {
                        self.compute(*value, expr, index);
                    }
                }
            }
        }
    }

    /// One register of a value.
    fn compute(&mut self, value: ValueId, expr: &Expr, index: usize) {
        let (kind, rate) = (self.program.kind(value), self.program.rate(value));
        let ty = self.type_of(kind, rate);
        let reg = match expr {
            Expr::Constant(bits) => {
                self.constants.insert(value, Constant::Bits(*bits));
                return;
            }
            Expr::Undefined => {
                self.constants.insert(value, Constant::Undefined);
                return;
            }
            Expr::Input(word) => {
                let reg = self.reg(ty);
                self.push(Instr::Input(reg, *word));
                reg
            }
            // `Builder::row` has prepared them.
            Expr::Coordinate(Axis::X) => self.coordinates[0][index],
            Expr::Coordinate(Axis::Y) => self.coordinates[1][index],
            Expr::ExecutionMask => {
                let reg = self.reg(ty);
                self.push(Instr::ExecutionMask(reg, index as u32));
                reg
            }
            Expr::Op(op, operands) => {
                let regs = self.operation(*op, operands, kind, rate, index);
                self.map[value.index()].extend(regs);
                return;
            }
            Expr::Elementary { function, operands, mask } => {
                let to = self.reg(ty);
                let is_vector = matches!(ty, Type::Vector(_));
                let procedure = self.procedure(*function, is_vector);
                let mut arguments: Vec<Reg> =
                    operands.iter().map(|&v| self.fit_one(v, rate, index)).collect();
                if let (true, Some(mask)) = (is_vector, mask) {
                    arguments.push(self.mask_of(*mask, rate, index));
                }
                self.push(Instr::Call { procedure, to, arguments: arguments.into() });
                to
            }
            Expr::Any(mask) => {
                let masks = self.fit(*mask, self.program.rate(*mask));
                if self.program.rate(*mask).is_uniform() {
                    masks[0]
                } else {
                    let reg = self.reg(ty);
                    self.push(Instr::Any(reg, masks.into()));
                    reg
                }
            }
        };
        self.map[value.index()].push(reg);
    }

    /// The number of a procedure.
    fn procedure(&mut self, function: Elementary, is_vector: bool) -> u32 {
        let wanted = (function, is_vector);
        let known = self.procedures.iter().position(|known| *known == wanted);
        known.unwrap_or_else(|| {
            self.procedures.push(wanted);
            self.procedures.len() - 1
        }) as u32
    }

    /// The mask of the lanes that share a register of a value of `rate`.
    fn mask_of(&mut self, mask: ValueId, rate: Rate, index: usize) -> Reg {
        let ty = self.type_of(Kind::Mask, Rate::VARYING);
        let of = |i: &usize| self.shape.project(*i, Rate::VARYING, rate) == index;
        let mut sharing: Vec<usize> = (0..self.shape.registers(Rate::VARYING)).filter(of).collect();
        if is_active(Mutant::NarrowMask) {
            sharing.truncate(1);
        }
        let masks: Vec<Reg> =
            sharing.into_iter().map(|i| self.fit_one(mask, Rate::VARYING, i)).collect();
        masks[1..].iter().fold(masks[0], |all, &mask| self.op(ty, Op::Or, &[all, mask]))
    }

    /// A register of lanes of an operation's result: of binary64 and 64-bit integers, both halves.
    fn operation(
        &mut self,
        op: Op,
        operands: &[ValueId],
        kind: Kind,
        rate: Rate,
        index: usize,
    ) -> Vec<Reg> {
        let program = self.program;
        let ty = self.type_of(kind, rate);
        let is_wide = |s: &Self, kind| s.parts(kind, rate) == 2;
        let any_is_wide = operands.iter().any(|&v| is_wide(self, program.kind(v)));
        if !any_is_wide && !is_wide(self, kind) {
            let operands: Vec<Reg> =
                operands.iter().map(|&v| self.fit_one(v, rate, index)).collect();
            let reg = self.op(ty, op, &operands);
            let compares = matches!(op, Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual);
            if compares && self.ty(operands[0]) == Type::Scalar(Kind::F32) {
                self.compares.insert(reg, (op, [operands[0], operands[1]]));
            }
            return vec![reg];
        }
        let operands: Vec<Lanes> = operands
            .iter()
            .map(|&v| match program.kind(v) {
                kind if is_wide(self, kind) => {
                    Lanes::Wide([0, 1].map(|half| self.fit_one(v, rate, 2 * index + half)))
                }
                Kind::Mask => {
                    let mask = self.fit_one(v, rate, index);
                    Lanes::Wide(self.halves(mask, Type::WideMask))
                }
                _ => Lanes::Narrow(self.fit_one(v, rate, index)),
            })
            .collect();
        match self.lanewise(op, &operands, kind) {
            Lanes::Narrow(reg) => vec![reg],
            Lanes::Wide(halves) if kind == Kind::Mask => vec![self.join(ty, halves)],
            Lanes::Wide(halves) => halves.to_vec(),
        }
    }

    fn argument(&mut self, kind: Kind, argument: Argument) -> Reg {
        let reg = self.reg(Type::Scalar(kind));
        self.push(Instr::Argument(reg, argument));
        reg
    }

    /// The function for a row of groups.
    fn row(&mut self, statements: &[Statement], slots: &mut Slots) {
        let (integer, address) = (Type::Scalar(Kind::I32), Type::Scalar(Kind::I64));
        self.frame_values(statements, slots);
        self.slots.clone_from(&slots.of);
        let y = self.argument(Kind::I32, Argument::Row);
        let stride = self.argument(Kind::I64, Argument::Stride);
        let arguments = vec![
            self.argument(Kind::I32, Argument::Column),
            self.argument(Kind::I32, Argument::Groups),
            self.argument(Kind::I64, Argument::Pixels),
        ];
        let y = self.op(Type::Scalar(Kind::F32), Op::FromInteger, &[y]);
        let rows = self.centres(y, Axis::Y);
        let [group, again, end] = [(); 3].map(|()| self.reserve());
        self.jump(group, arguments);

        let [x, left, pixels] = [self.reg(integer), self.reg(integer), self.reg(address)];
        self.begin(group, vec![x, left, pixels]);
        let first = self.op(Type::Scalar(Kind::F32), Op::FromInteger, &[x]);
        let columns = self.centres(first, Axis::X);
        self.coordinates = [columns, rows];
        self.statements(statements);
        self.store(pixels, stride);
        let one = self.constant(integer, 1);
        let left = self.op(integer, Op::Sub, &[left, one]);
        let zero = self.constant(integer, 0);
        let is_last = self.op(Type::Scalar(Kind::Mask), Op::Equal, &[left, zero]);
        self.branch(is_last, end, again);

        self.begin(again, Vec::new());
        let columns = self.constant(integer, self.shape.columns().into());
        let x = self.op(integer, Op::Add, &[x, columns]);
        let bytes = self.constant(address, u64::from(self.shape.columns() * PIXEL_BYTES));
        let pixels = self.op(address, Op::Add, &[pixels, bytes]);
        self.jump(group, vec![x, left, pixels]);

        self.begin(end, Vec::new());
        self.finish(End::Return(Status::Done));
    }

    /// The centres of the pixels of a group along an axis, whose first has the column or row `from`.
    fn centres(&mut self, from: Reg, axis: Axis) -> Vec<Reg> {
        let rate = Width::Any.rate(axis);
        let tile = self.shape.tile;
        let ty = self.type_of(Kind::F32, rate);
        (0..self.shape.registers(rate))
            .map(|i| {
                let offset = self.reg(ty);
                let first = (i as u32 * tile.extent(axis)) as f32;
                if tile.extent(axis) > 1 {
                    self.push(Instr::Centres(offset, axis, first));
                } else {
                    self.push(Instr::Constant(offset, (first + 0.5).to_bits().into()));
                }
                let from = if self.ty(from) == ty { from } else { self.broadcast(from, ty) };
                self.op(ty, Op::Add, &[from, offset])
            })
            .collect()
    }

    /// Finds the values of the frame that `statements` and the outputs use: those that need slots; constants among them
    /// are made again.
    fn frame_values(&mut self, statements: &[Statement], slots: &mut Slots) {
        let program = self.program;
        let root = program.block(lanes::LaneProgram::ROOT);
        let mut of_frame = FxHashMap::default();
        for statement in &root.statements[..program.frame_len] {
            for &value in statement.values() {
                let bits = match statement {
                    Statement::Let { expr: Expr::Constant(bits), .. } => {
                        Some(Constant::Bits(*bits))
                    }
                    Statement::Let { expr: Expr::Undefined, .. } => Some(Constant::Undefined),
                    _ => None,
                };
                of_frame.insert(value, bits);
            }
        }
        let mut used = Vec::new();
        lanes::uses(program, statements, &mut used);
        used.extend(program.outputs());
        used.sort_unstable();
        used.dedup();
        for value in used {
            match of_frame.get(&value) {
                None => {}
                Some(&Some(constant)) => {
                    self.constants.insert(value, constant);
                }
                Some(None) => {
                    slots.of.insert(value, slots.kinds.len() as u32);
                    slots.kinds.push(program.kind(value));
                }
            }
        }
    }

    fn store(&mut self, pixels: Reg, stride: Reg) {
        let program = self.program;
        let channels: Vec<Vec<Reg>> =
            program.outputs().iter().map(|&v| self.fit(v, Rate::VARYING)).collect();
        let across = self.shape.across as usize;
        let mut address = pixels;
        let tile = self.shape.tile;
        for down in 0..self.shape.down as usize {
            let mut rows = Vec::with_capacity(tile.rows() as usize);
            for row in 0..tile.rows() {
                if down > 0 || row > 0 {
                    address = self.op(Type::Scalar(Kind::I64), Op::Add, &[address, stride]);
                }
                rows.push(address);
            }
            for column in 0..across {
                let channels = std::array::from_fn(|k| channels[k][down * across + column]);
                let offset = column as u32 * tile.columns() * PIXEL_BYTES;
                self.push(Instr::Store { channels, rows: rows.clone().into(), offset });
            }
        }
    }
}

/// Where a loop's tail goes.
struct Around<'a> {
    values: &'a [ValueId],
    params: &'a [ValueId],
    latch: BlockId,
    exit: BlockId,
}
