//! Checks the invariants of a register program, and gathers all errors.
//!
//! # Invariants
//!
//! *The flow graph.*
//!
//! 1. Edges lead to blocks of the function, but never to its first one, and pass an argument of
//!    the same type for each parameter.
//! 2. No edge is critical: the two targets of a branch have no other predecessor and no
//!    parameters.
//! 3. The graph is reducible: the target of a back edge, against the order of the blocks, dominates
//!    its source.
//! 4. The functions for the frame and for a row return a status, procedures a value; the condition
//!    of a branch is a scalar mask.
//!
//! *Registers.*
//!
//! 5. Each register is assigned in one place, as a parameter or by an instruction, which dominates
//!    its uses.
//! 6. Types fit: operations are those of [`LaneOp::result`] on the lanes of their operands, which are
//!    all scalars or all vectors of lanes of one size; vectors are widened by halves and narrowed
//!    by joining halves. Programs for scalars have no vectors.
//!
//! *Memory.*
//!
//! 7. All slots, inputs, registers of the execution mask, spill slots and procedures that
//!    instructions name exist. Slots hold scalars of their kind. Each slot is filled once, in the
//!    function for the frame, on every path to a return of [`Status::Done`]; only the function for
//!    a row reads slots.
//! 8. A spill slot that is read has been filled on every path there, last by a value of the same
//!    type.
//! 9. Operations keep the index of a load or of an access inside the inputs, the slots, the
//!    resource, the memory or the array, in every lane ([`bounds`](super::bounds)): by constants or, for a
//!    resource whose sizes are not baked, by words of the *same* resource's descriptor. The number
//!    of an element, or of a texel of any level, is the min-unsigned of anything and the last
//!    number. Or a texel of the first level is a row times the width plus a column, each the
//!    min-unsigned of anything and the last one. The number is then scaled by at most the words of
//!    a texel or an element, and further words belong to the same texel or element.
//! 10. Only the function for a row has arguments, arrays and memories, reads the execution mask and stores
//!     pixels, as many rows of them as the tile has.
//! 11. A load by columns is in a block whose only predecessor branches there because it has found
//!     that the same index grows by these columns; the index may have been spilled in between.
//!
//! *Procedures.*
//!
//! 12. A call passes an argument of the same type for each parameter. Call-outs take the function's
//!     number of operands and a mask of the same lanes; they occur in cold blocks of procedures
//!     only. Products and sums of open rounding, and tables, occur in procedures only.

use std::fmt::{self, Display, Formatter};

use rustc_hash::FxHashMap;

use super::bounds::{Bounds, Origin};
use super::{
    Argument, ArrayPlace, BlockCall, BlockId, Columns, End, Instr, Procedure, Reg, RegisterBlock,
    RegisterFunction, RegisterProgram, RegisterType, Rows, Status,
};
use crate::lanes::{Bound, Items, Kind, LaneOp, Rate, Space};

/// A violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function that has the error.
    pub function: String,
    /// The block.
    pub block: BlockId,
    /// The number of the instruction; `None` for an error of the block, its parameters or its end.
    pub instr: Option<usize>,
    /// The error.
    pub message: String,
}

impl Display for VerifyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.function, self.block)?;
        if let Some(instr) = self.instr {
            write!(f, ", instruction {instr}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Checks all invariants.
///
/// # Errors
///
/// All violations.
pub fn verify(program: &RegisterProgram) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let bounds = Bounds::new(program);
    let procedures = program.procedures.iter().enumerate();
    let procedures = procedures.map(|(i, p)| (format!("procedure {i}"), Role::Procedure, &p.code));
    let callers = [
        ("frame".to_owned(), Role::Frame, &program.frame),
        ("row".to_owned(), Role::Row, &program.row),
    ];
    for (name, role, function) in procedures.chain(callers) {
        let mut verifier = Verifier {
            program,
            role,
            function,
            name,
            bounds: match role {
                Role::Frame => &bounds.frame,
                Role::Row => &bounds.row,
                Role::Procedure => &[],
            },
            origins: &bounds.origins,
            errors: &mut errors,
            block: BlockId(0),
            instr: None,
            definitions: vec![None; function.registers.len()],
        };
        verifier.function();
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The purpose of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Frame,
    Row,
    Procedure,
}

struct Verifier<'p, 'e> {
    program: &'p RegisterProgram,
    role: Role,
    function: &'p RegisterFunction,
    name: String,
    /// Upper bounds of integers, by register.
    bounds: &'e [Bound],
    /// For each reload in the function for a row, the register that was stored.
    origins: &'e FxHashMap<Reg, Origin>,
    errors: &'e mut Vec<VerifyError>,
    block: BlockId,
    instr: Option<usize>,
    /// The block and the position of each register's assignment; parameters have position 0.
    definitions: Vec<Option<(BlockId, usize)>>,
}

/// The lanes of a value; operations are defined on a kind and its lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    Scalar,
    /// W lanes of 32 bits.
    Narrow,
    /// W/2 lanes of 64 bits.
    Wide,
}

fn lanes_of(ty: RegisterType) -> (Kind, Lanes) {
    match ty {
        RegisterType::Scalar(kind) => (kind, Lanes::Scalar),
        RegisterType::Vector(kind @ (Kind::F64 | Kind::I64)) => (kind, Lanes::Wide),
        RegisterType::Vector(kind) => (kind, Lanes::Narrow),
        RegisterType::WideMask => (Kind::Mask, Lanes::Wide),
    }
}

fn type_of(kind: Kind, lanes: Lanes) -> Option<RegisterType> {
    match (kind, lanes) {
        (kind, Lanes::Scalar) => Some(RegisterType::Scalar(kind)),
        (Kind::F64 | Kind::I64, Lanes::Wide) => Some(RegisterType::Vector(kind)),
        (Kind::Mask, Lanes::Wide) => Some(RegisterType::WideMask),
        (Kind::F32 | Kind::I32 | Kind::Mask, Lanes::Narrow) => Some(RegisterType::Vector(kind)),
        _ => None,
    }
}

impl<'p> Verifier<'p, '_> {
    fn error(&mut self, message: String) {
        let function = self.name.clone();
        self.errors.push(VerifyError { function, block: self.block, instr: self.instr, message });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.error(message());
        }
    }

    /// The type of a register; an arbitrary one if the register does not exist.
    fn ty(&self, reg: Reg) -> RegisterType {
        self.function.registers.get(reg.index()).copied().unwrap_or(RegisterType::Scalar(Kind::I32))
    }

    /// The upper bound of an integer.
    fn bound(&self, reg: Reg) -> Bound {
        self.bounds.get(reg.index()).copied().unwrap_or(Bound::ANY)
    }

    fn blocks(&self) -> impl Iterator<Item = (BlockId, &'p RegisterBlock)> + use<'p> {
        self.function.blocks.iter().enumerate().map(|(i, block)| (BlockId(i as u32), block))
    }

    fn function(&mut self) {
        let known = self.errors.len();
        let mut predecessors = vec![Vec::new(); self.function.blocks.len()];
        for (id, block) in self.blocks() {
            (self.block, self.instr) = (id, None);
            let mut in_function = true;
            for call in block.end.targets() {
                let exists = call.block.index() < self.function.blocks.len();
                in_function &= exists;
                self.require(exists && call.block != BlockId(0), || {
                    format!("no edge may lead to {}", call.block)
                });
                if exists {
                    predecessors[call.block.index()].push(id);
                }
            }
            if in_function {
                self.block(block);
            }
        }
        if self.errors.len() > known {
            // The checks that follow rely on sound edges and types.
            return;
        }
        let order = self.function.reverse_postorder();
        let flow = Flow::new(&order, &predecessors);
        self.branches(&order, &predecessors, &flow);
        self.dominance(&order, &flow);
        self.spill_slots(&order, &predecessors);
        self.guarded_loads(&order, &predecessors);
        self.lanes(&order, &predecessors);
        if self.role == Role::Frame {
            self.filled_slots(&order, &flow);
        }
    }

    fn define(&mut self, reg: Reg, position: usize) {
        let Some(known) = self.definitions.get(reg.index()) else {
            self.error(format!("{reg} has no type"));
            return;
        };
        self.require(known.is_none(), || format!("{reg} is assigned twice"));
        self.definitions[reg.index()] = Some((self.block, position));
        let is_vector = !matches!(self.ty(reg), RegisterType::Scalar(_));
        self.require(!(is_vector && self.program.shape.tile.width() == 1), || {
            format!("{reg} is a vector in a program for scalars")
        });
    }

    fn block(&mut self, block: &RegisterBlock) {
        for &param in &block.params {
            self.define(param, 0);
        }
        for (at, instr) in block.instrs.iter().enumerate() {
            self.instr = Some(at);
            instr.definitions(&mut |reg| self.define(reg, 1 + at));
            self.instruction(instr, block);
        }
        self.instr = None;
        match &block.end {
            End::Jump(call) => self.block_call(call),
            End::Branch { condition, then, otherwise } => {
                self.expect(*condition, RegisterType::Scalar(Kind::Mask), "the condition");
                self.block_call(then);
                self.block_call(otherwise);
            }
            End::Return(_) => {
                self.require(self.role != Role::Procedure, || "a procedure returns a value".into());
            }
            End::ReturnValue(_) => {
                self.require(self.role == Role::Procedure, || {
                    "only procedures return a value".into()
                });
            }
        }
    }

    fn block_call(&mut self, call: &BlockCall) {
        let params = &self.function.blocks[call.block.index()].params;
        self.require(params.len() == call.arguments.len(), || {
            format!("{} takes {} arguments", call.block, params.len())
        });
        for (&param, &argument) in params.iter().zip(&call.arguments) {
            self.expect(argument, self.ty(param), "the argument");
        }
    }

    fn expect(&mut self, reg: Reg, ty: RegisterType, what: &str) {
        let found = self.ty(reg);
        self.require(found == ty, || format!("{what} {reg} is {found}, not {ty}"));
    }

    fn expect_result(&mut self, to: Reg, ty: Option<RegisterType>) {
        match ty {
            Some(ty) => self.expect(to, ty, "the result"),
            None => self.error("the operation is not defined on these types".into()),
        }
    }

    fn exists(&mut self, what: &str, index: u32, count: usize) {
        self.require((index as usize) < count, || format!("there is no {what} {index}"));
    }

    fn only_in(&mut self, role: Role, what: &str) {
        self.require(self.role == role, || format!("{what} is not for this function"));
    }

    fn of_integers(&mut self, of: &[Reg], kind: Kind) {
        for &reg in of {
            self.expect(reg, RegisterType::Vector(kind), "the operand");
        }
    }

    fn only_where_wide(&mut self, what: &str) {
        self.only_in(Role::Procedure, what);
        let has_512_bits = self.program.shape.tile.has_512_bits();
        self.require(has_512_bits, || format!("{what} needs registers of 512 bits"));
    }

    /// True if these registers are words of each lane.
    fn are_words<'r>(&self, mut all: impl Iterator<Item = &'r Reg>) -> bool {
        all.all(|reg| [Kind::F32, Kind::I32].map(RegisterType::Vector).contains(&self.ty(*reg)))
    }

    /// Slots are readable only after the function for the frame has filled them.
    fn after_frame(&mut self, space: Space) {
        if space == Space::Slots {
            self.only_in(Role::Row, "words of slots");
        }
    }

    fn instruction(&mut self, instr: &Instr, block: &RegisterBlock) {
        let program = self.program;
        let scalar = RegisterType::Scalar;
        match instr {
            Instr::Constant(to, _) | Instr::Undefined(to) => {
                let ty = self.ty(*to);
                self.require(ty != RegisterType::WideMask, || "no constant is a wide mask".into());
            }
            Instr::Centres(to, ..) => {
                let (kind, lanes) = lanes_of(self.ty(*to));
                self.require(kind == Kind::F32 && lanes != Lanes::Wide, || {
                    format!("the result {to} is not F32")
                });
            }
            Instr::Op(to, op, operands) => self.operation(*to, *op, operands),
            Instr::MulAdd(to, operands) => {
                self.only_in(Role::Procedure, "a product and sum of open rounding");
                let (kind, lanes) = lanes_of(self.ty(*to));
                self.require(kind == Kind::F64, || format!("the result {to} is not F64"));
                for &operand in operands {
                    self.require(lanes_of(self.ty(operand)) == (kind, lanes), || {
                        format!("the operand {operand} is not like the result")
                    });
                }
            }
            Instr::Part(to, _, from) => {
                self.only_where_wide("a part of a number");
                let ty = RegisterType::Vector(Kind::F64);
                self.require(self.ty(*from) == ty, || format!("{from} is no vector of F64"));
                self.expect_result(*to, Some(ty));
            }
            Instr::Broadcast(to, from) => {
                let of = match self.ty(*from) {
                    RegisterType::Scalar(kind) => Some(RegisterType::Vector(kind)),
                    _ => None,
                };
                self.expect_result(*to, of);
            }
            Instr::Neighbour(to, from, axis, _) => {
                let of = self.ty(*from);
                let is_word = [Kind::F32, Kind::I32].map(RegisterType::Vector).contains(&of);
                let has_pairs = program.shape.tile.extent(*axis).is_multiple_of(2);
                self.require(has_pairs, || "a register has no pairs along the axis".into());
                self.expect_result(*to, is_word.then_some(of));
            }
            Instr::Half(to, from, _) => {
                let of = match self.ty(*from) {
                    RegisterType::Vector(Kind::F32) => Some(RegisterType::Vector(Kind::F64)),
                    RegisterType::Vector(Kind::I32) => Some(RegisterType::Vector(Kind::I64)),
                    RegisterType::Vector(Kind::Mask) => Some(RegisterType::WideMask),
                    _ => None,
                };
                self.expect_result(*to, of);
            }
            Instr::Join(to, halves) => {
                let [low, high] = halves.map(|reg| self.ty(reg));
                let of = match low {
                    _ if low != high => None,
                    RegisterType::Vector(Kind::F64) => Some(RegisterType::Vector(Kind::F32)),
                    RegisterType::Vector(Kind::I64) => Some(RegisterType::Vector(Kind::I32)),
                    RegisterType::WideMask => Some(RegisterType::Vector(Kind::Mask)),
                    _ => None,
                };
                self.expect_result(*to, of);
            }
            Instr::Concat(to, of, _) => {
                self.only_where_wide("numbers of two words");
                self.of_integers(of, Kind::I32);
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I64)));
            }
            Instr::Words(to, of, _) => {
                self.only_where_wide("the words of two registers");
                self.of_integers(of, Kind::I64);
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I32)));
            }
            Instr::Funnel(to, by, of) => {
                self.only_where_wide("a shift of two words");
                self.of_integers(of, Kind::I32);
                self.require((1..32).contains(by), || format!("a word is shifted by {by}"));
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I32)));
            }
            Instr::Logic(to, _, of) => {
                self.only_where_wide("logic of three words");
                self.of_integers(of, Kind::I32);
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I32)));
            }
            Instr::Table(to, _, index) => {
                self.only_in(Role::Procedure, "a table");
                self.of_integers(&[*index], Kind::I32);
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I32)));
            }
            Instr::Any(to, masks) => {
                self.expect_result(*to, Some(scalar(Kind::Mask)));
                let first = masks.first().map(|&mask| self.ty(mask));
                let is_mask = matches!(
                    first,
                    Some(RegisterType::Vector(Kind::Mask) | RegisterType::Scalar(Kind::Mask))
                );
                let alike = masks.iter().all(|&mask| Some(self.ty(mask)) == first);
                self.require(is_mask && alike, || "these are not masks of one type".into());
            }
            Instr::Input(to, word) => {
                self.exists("input", *word, program.inputs.len());
                let ty = self.ty(*to);
                let is_word = [Kind::F32, Kind::I32, Kind::Mask].map(scalar).contains(&ty);
                self.require(is_word, || format!("the result {to} is no word"));
            }
            Instr::Load(to, space, first, index) => {
                let of = lanes_of(self.ty(*index));
                let is_index = of.0 == Kind::I32;
                let (kind, lanes) = lanes_of(self.ty(*to));
                let is_word = matches!(kind, Kind::F32 | Kind::I32) && lanes == of.1;
                self.require(is_index && is_word, || format!("{to} is no word at {index}"));
                let inside = program.spaces().hold(*space, *first, 0, self.bound(*index));
                self.require(inside, || format!("nothing keeps {index} inside"));
                self.after_frame(*space);
            }
            Instr::LoadFour { to, space, first, index } => {
                let found = self.ty(*index);
                let is_index = found == RegisterType::Vector(Kind::I32);
                let are_words = self.are_words(to.iter().flatten());
                self.require(is_index && are_words, || format!("results are no words at {index}"));
                let inside = program.spaces().hold(*space, *first, 3, self.bound(*index));
                self.require(inside, || format!("nothing keeps {index} and three more inside"));
                self.after_frame(*space);
            }
            Instr::Scattered(to, index, _) => {
                self.expect_result(*to, Some(scalar(Kind::Mask)));
                self.expect(*index, RegisterType::Vector(Kind::I32), "the index");
            }
            Instr::LoadColumns { to, space, first, index, columns } => {
                self.expect(*index, RegisterType::Vector(Kind::I32), "the index");
                let are_words = self.are_words(to.iter().flatten());
                self.require(are_words, || format!("results are no words at {index}"));
                let step = columns.step;
                let is_row = columns.rows == Rows::Alike || program.shape.tile.rows() == 1;
                self.require(columns.rows != Rows::Joined, || "lanes are of a memory".into());
                self.require(step == 4 || step == 1 && is_row, || {
                    format!("columns are not loaded {columns}")
                });
                let asked = to.iter().rposition(Option::is_some).unwrap_or(0) as u32;
                let last = if step == 4 { 3 } else { asked };
                let inside = program.spaces().hold(*space, *first, last, self.bound(*index));
                self.require(inside, || format!("nothing keeps {index} and {last} more inside"));
                self.after_frame(*space);
            }
            Instr::LoadTwo { to, space, index, .. } => {
                self.expect(*index, RegisterType::Vector(Kind::I32), "the index");
                let are_words = self.are_words(to.iter());
                self.require(are_words, || format!("results are no words at {index}"));
                self.after_frame(*space);
            }
            Instr::Apart(to, _, pairs) => {
                self.expect_result(*to, Some(scalar(Kind::Mask)));
                for &index in pairs.as_flattened() {
                    self.expect(index, RegisterType::Vector(Kind::I32), "the index");
                }
            }
            Instr::LoadMixed { to, space, indices, weights, .. } => {
                let axes = weights.len();
                self.require((2..=3).contains(&axes) && indices.len() == 1 << (axes - 1), || {
                    format!("{} weights for {} pairs", weights.len(), indices.len())
                });
                for &index in indices {
                    self.expect(index, RegisterType::Vector(Kind::I32), "the index");
                }
                for &weight in weights.as_flattened() {
                    self.expect(weight, RegisterType::Vector(Kind::F32), "the weight");
                }
                for &to in to.iter().flatten() {
                    self.expect_result(to, Some(RegisterType::Vector(Kind::F32)));
                }
                self.after_frame(*space);
            }
            Instr::LoadArray(to, place) => self.array(*to, place),
            Instr::StoreArray { place, word, mask } => {
                self.array(*word, place);
                if let (Some(mask), Some(ty)) =
                    (mask, type_of(Kind::Mask, lanes_of(self.ty(*word)).1))
                {
                    self.expect(*mask, ty, "the mask");
                }
            }
            Instr::LoadMemory(to, memory, index) => {
                self.memory(*memory, *index);
                let (_, lanes) = lanes_of(self.ty(*index));
                self.expect_result(*to, type_of(Kind::I32, lanes));
            }
            Instr::StoreMemory { memory, index, word, mask } => {
                self.memory(*memory, *index);
                for (reg, kind) in [(index, Kind::I32), (word, Kind::I32), (mask, Kind::Mask)] {
                    self.expect(*reg, scalar(kind), "the operand");
                }
            }
            Instr::LoadMemoryLanes(to, memory, index) => {
                self.memory(*memory, *index);
                self.expect(*index, RegisterType::Vector(Kind::I32), "the index");
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I32)));
            }
            Instr::StoreMemoryLanes { memory, index, words, mask } => {
                self.memory(*memory, *index);
                for (reg, kind) in [(index, Kind::I32), (words, Kind::I32), (mask, Kind::Mask)] {
                    self.expect(*reg, RegisterType::Vector(kind), "the operand");
                }
            }
            Instr::Lane(to, from, lane) => {
                self.exists("lane", *lane, program.shape.tile.width() as usize);
                let of = match self.ty(*from) {
                    RegisterType::Vector(kind @ (Kind::I32 | Kind::Mask)) => Some(scalar(kind)),
                    _ => None,
                };
                self.expect_result(*to, of);
            }
            Instr::FromLanes(to, of) => {
                let width = program.shape.tile.width() as usize;
                self.require(of.len() == width && width > 1, || "a scalar for each lane".into());
                for &reg in of {
                    self.expect(reg, scalar(Kind::I32), "the lane");
                }
                self.expect_result(*to, Some(RegisterType::Vector(Kind::I32)));
            }
            Instr::Slot(to, slot) => {
                self.only_in(Role::Row, "a slot's value");
                self.exists("slot", *slot, program.slots.len());
                self.expect_result(*to, program.slots.get(*slot as usize).copied().map(scalar));
            }
            Instr::SetSlot(slot, from) => {
                self.only_in(Role::Frame, "filling a slot");
                self.exists("slot", *slot, program.slots.len());
                if let Some(&kind) = program.slots.get(*slot as usize) {
                    self.expect(*from, scalar(kind), "the value");
                }
            }
            Instr::ExecutionMask(to, index) => {
                self.only_in(Role::Row, "the execution mask");
                self.require(program.items == Items::Rows, || "listed lanes have their own".into());
                self.exists("mask register", *index, program.shape.registers(Rate::VARYING));
                let is_scalar = program.shape.tile.width() == 1;
                let mask =
                    if is_scalar { scalar(Kind::Mask) } else { RegisterType::Vector(Kind::Mask) };
                self.expect_result(*to, Some(mask));
            }
            Instr::Primitive(to, word) => {
                self.only_in(Role::Row, "a word of the primitive");
                self.exists("primitive word", *word, program.primitive_words as usize);
                let found = self.ty(*to);
                let is_word = [Kind::F32, Kind::I32].map(scalar).contains(&found);
                self.require(is_word, || format!("{to} is no word"));
            }
            Instr::Lanes(to, column, index, group) => {
                self.only_in(Role::Row, "a column of the table");
                let has = program.items.position(*column).is_some();
                self.require(has, || format!("no lanes have a column {column}"));
                self.exists("column register", *index, program.shape.registers(Rate::VARYING));
                let kind = column.kind();
                let is_scalar = program.shape.tile.width() == 1;
                let ty = if is_scalar { scalar(kind) } else { RegisterType::Vector(kind) };
                self.expect_result(*to, Some(ty));
                self.expect(*group, scalar(Kind::I64), "the address");
            }
            Instr::Plane(to) => {
                self.only_in(Role::Row, "the distance of attachments");
                self.expect_result(*to, Some(scalar(Kind::I64)));
            }
            Instr::Argument(to, argument) => {
                self.only_in(Role::Row, "an argument");
                let has = Argument::of(program.items).contains(argument);
                self.require(has, || format!("{:?} have no {argument:?}", program.items));
                self.expect_result(*to, Some(scalar(argument.kind())));
            }
            Instr::Limit(to, _) => self.expect_result(*to, Some(scalar(Kind::I64))),
            Instr::Poll(to) => self.expect_result(*to, Some(scalar(Kind::Mask))),
            Instr::Call { procedure, to, arguments } => {
                self.require(self.role != Role::Procedure, || "procedures call none".into());
                self.exists("procedure", *procedure, program.procedures.len());
                if let Some(callee) = program.procedures.get(*procedure as usize) {
                    self.call(callee, *to, arguments);
                }
            }
            Instr::Callout { function, to, mask, operands } => {
                self.only_in(Role::Procedure, "a call-out");
                self.require(block.cold, || "a call-out stands in a cold block".into());
                self.require(operands.len() == function.arity(), || {
                    format!("{} takes {} operands", function.name(), function.arity())
                });
                let (kind, lanes) = lanes_of(self.ty(*to));
                self.require(kind == Kind::F32, || format!("the result {to} is not F32"));
                for &operand in operands {
                    self.expect(operand, self.ty(*to), "the operand");
                }
                if let Some(ty) = type_of(Kind::Mask, lanes) {
                    self.expect(*mask, ty, "the mask");
                }
            }
            Instr::Spill(slot, _) | Instr::Reload(_, slot) => {
                self.exists("spill slot", *slot, self.function.spill_slots as usize);
            }
            Instr::Store { channels, rows, .. } => {
                self.only_in(Role::Row, "storing pixels");
                let is_scalar = program.shape.tile.width() == 1;
                let ty =
                    if is_scalar { scalar(Kind::F32) } else { RegisterType::Vector(Kind::F32) };
                for &channel in channels {
                    self.expect(channel, ty, "the channel");
                }
                for &row in rows {
                    self.expect(row, scalar(Kind::I64), "the address");
                }
                self.require(rows.len() == program.shape.tile.rows() as usize, || {
                    format!("{} rows of pixels are stored", rows.len())
                });
            }
        }
    }

    /// Checks that words of a memory exist.
    fn memory(&mut self, memory: u32, index: Reg) {
        self.only_in(Role::Row, "a memory");
        let resources = &self.program.resources;
        let is_memory = resources.0.get(memory as usize).is_some_and(|of| of.is_memory);
        self.require(is_memory, || format!("there is no memory {memory}"));
        let is_index = lanes_of(self.ty(index)).0 == Kind::I32;
        let inside = resources.holds(memory, 0, 0, self.bound(index));
        self.require(is_index && inside, || format!("nothing keeps {index} inside"));
    }

    /// Checks that a register's words lie inside an array.
    fn array(&mut self, word: Reg, place: &ArrayPlace) {
        let program = self.program;
        self.only_in(Role::Row, "an array");
        self.exists("array register", place.register, program.shape.registers(Rate::VARYING));
        let (kind, lanes) = lanes_of(self.ty(word));
        let own = if program.shape.tile.width() == 1 { Lanes::Scalar } else { Lanes::Narrow };
        self.require(matches!(kind, Kind::F32 | Kind::I32) && lanes == own, || {
            format!("{word} is no word of an array")
        });
        let mut most = 0;
        if let Some(index) = place.index {
            let of = lanes_of(self.ty(index));
            let is_index = of.0 == Kind::I32 && (of.1 == Lanes::Scalar || of.1 == lanes);
            self.require(is_index, || format!("{index} is no index"));
            most = self.bound(index).most;
        }
        let inside = most.saturating_add(place.first) < place.words
            && place.array.saturating_add(place.words) <= program.array_words;
        self.require(inside, || format!("nothing keeps {place} inside"));
    }

    fn operation(&mut self, to: Reg, op: LaneOp, operands: &[Reg]) {
        let all: Vec<(Kind, Lanes)> = operands.iter().map(|&reg| lanes_of(self.ty(reg))).collect();
        let lanes = all.first().map_or(Lanes::Scalar, |&(_, lanes)| lanes);
        if all.iter().any(|&(_, other)| other != lanes) {
            self.error("the operands are not of lanes of one size".into());
            return;
        }
        let kinds: Vec<Kind> = all.iter().map(|&(kind, _)| kind).collect();
        let result = op.result(&kinds).and_then(|kind| type_of(kind, lanes));
        self.expect_result(to, result);
    }

    fn call(&mut self, callee: &Procedure, to: Reg, arguments: &[Reg]) {
        let code = &callee.code;
        let types: Vec<RegisterType> =
            code.blocks[0].params.iter().map(|reg| code.registers[reg.index()]).collect();
        self.require(types.len() == arguments.len(), || {
            format!("{} takes {} arguments", callee.elementary.name(), types.len())
        });
        for (&argument, ty) in arguments.iter().zip(types) {
            self.expect(argument, ty, "the argument");
        }
        for block in &code.blocks {
            if let End::ReturnValue(reg) = block.end {
                self.expect_result(to, code.registers.get(reg.index()).copied());
            }
        }
    }

    /// Checks that no edge is critical, and that the graph is reducible.
    fn branches(&mut self, order: &[BlockId], predecessors: &[Vec<BlockId>], flow: &Flow) {
        for &id in order {
            (self.block, self.instr) = (id, None);
            if let End::Branch { then, otherwise, .. } = &self.function.blocks[id.index()].end {
                for call in [then, otherwise] {
                    let is_alone = predecessors[call.block.index()] == [id];
                    self.require(is_alone && call.arguments.is_empty(), || {
                        format!("the edge to {} is critical", call.block)
                    });
                }
            }
            for call in self.function.blocks[id.index()].end.targets() {
                let goes_back = flow.index[call.block.index()] <= flow.index[id.index()];
                self.require(!goes_back || flow.dominates(call.block, id), || {
                    format!("the loop at {} has another entry", call.block)
                });
            }
        }
    }

    /// Checks that each definition dominates its uses.
    fn dominance(&mut self, order: &[BlockId], flow: &Flow) {
        for &id in order {
            self.block = id;
            let mut block = self.function.blocks[id.index()].clone();
            for (at, instr) in block.instrs.iter_mut().enumerate() {
                self.instr = Some(at);
                let mut used = Vec::new();
                instr.uses_mut(&mut |reg| used.push(*reg));
                self.uses(&used, 1 + at, flow);
            }
            self.instr = None;
            let mut used = Vec::new();
            block.end.uses_mut(&mut |reg| used.push(*reg));
            self.uses(&used, usize::MAX, flow);
        }
    }

    fn uses(&mut self, used: &[Reg], position: usize, flow: &Flow) {
        for &reg in used {
            let defined = match self.definitions.get(reg.index()) {
                Some(&Some((block, at))) if block == self.block => at < position,
                Some(&Some((block, _))) => flow.dominates(block, self.block),
                _ => false,
            };
            self.require(defined, || format!("{reg} has no value here"));
        }
    }

    /// Checks that spill slots are filled with the type that is read, on every path.
    fn spill_slots(&mut self, order: &[BlockId], predecessors: &[Vec<BlockId>]) {
        let function = self.function;
        if function.spill_slots == 0 {
            return;
        }
        // The contents of each slot at the end of each block, as far as known.
        let mut after: Vec<Option<Vec<Held>>> = vec![None; function.blocks.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &id in order {
                let mut held = held_before(function, id, predecessors, &after);
                for instr in &function.blocks[id.index()].instrs {
                    if let Instr::Spill(slot, from) = instr {
                        held[*slot as usize] = Held::Value(self.ty(*from));
                    }
                }
                if after[id.index()].as_ref() != Some(&held) {
                    after[id.index()] = Some(held);
                    changed = true;
                }
            }
        }
        for &id in order {
            self.block = id;
            let mut held = held_before(function, id, predecessors, &after);
            for (at, instr) in function.blocks[id.index()].instrs.iter().enumerate() {
                self.instr = Some(at);
                match instr {
                    Instr::Spill(slot, from) => held[*slot as usize] = Held::Value(self.ty(*from)),
                    Instr::Reload(to, slot) => {
                        let ty = self.ty(*to);
                        self.require(held[*slot as usize] == Held::Value(ty), || {
                            format!("spill slot {slot} does not hold {ty} on every way here")
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    /// Checks that each access to consecutive words of a memory is guarded by tests of its index and its mask.
    fn lanes(&mut self, order: &[BlockId], predecessors: &[Vec<BlockId>]) {
        let function = self.function;
        let origin = |reg: &Reg| self.origins.get(reg).copied().unwrap_or(Origin::Register(*reg));
        // Masks with their negations.
        let instrs = || order.iter().flat_map(|id| &function.blocks[id.index()].instrs);
        let negations: FxHashMap<Origin, Origin> = instrs()
            .filter_map(|instr| match instr {
                Instr::Op(to, LaneOp::Not, of) => Some((Origin::Register(*to), origin(&of[0]))),
                _ => None,
            })
            .collect();
        let mut wrong = Vec::new();
        for &id in order {
            for (at, instr) in function.blocks[id.index()].instrs.iter().enumerate() {
                let (index, mask) = match instr {
                    Instr::LoadMemoryLanes(_, _, index) => (index, None),
                    Instr::StoreMemoryLanes { index, mask, .. } => (index, Some(mask)),
                    _ => continue,
                };
                let [mut is_line, mut is_whole] = [false, mask.is_none()];
                let mut at_block = id;
                for _ in 0..2 {
                    let [before] = predecessors[at_block.index()][..] else { break };
                    let of = &function.blocks[before.index()];
                    let End::Branch { condition, otherwise, .. } = &of.end else { break };
                    if otherwise.block != at_block {
                        break;
                    }
                    for instr in &of.instrs {
                        match instr {
                            Instr::Scattered(to, tested, Columns::LANES) if to == condition => {
                                is_line |= origin(tested) == origin(index);
                            }
                            Instr::Any(to, masks) if to == condition => {
                                let negated = masks.first().map(origin);
                                let negated = negated.and_then(|reg| negations.get(&reg));
                                is_whole |= mask.map(origin).as_ref() == negated;
                            }
                            _ => {}
                        }
                    }
                    at_block = before;
                }
                if !is_line || !is_whole {
                    wrong.push((id, at, *index));
                }
            }
        }
        for (id, at, index) in wrong {
            (self.block, self.instr) = (id, Some(at));
            self.error(format!("no test shows that {index} and its mask are those of all lanes"));
        }
    }

    /// Checks that each load by columns is guarded by a test of its index, and each mix of loads by a test that its texels are
    /// pairs, all of which are in range.
    fn guarded_loads(&mut self, order: &[BlockId], predecessors: &[Vec<BlockId>]) {
        let function = self.function;
        let origin = |reg: &Reg| self.origins.get(reg).copied().unwrap_or(Origin::Register(*reg));
        let mut wrong = Vec::new();
        for &id in order {
            // The instruction whose result is false on the only way to the block.
            let before = match predecessors[id.index()][..] {
                [before] => Some(&function.blocks[before.index()]),
                _ => None,
            };
            let test = before.and_then(|before| match &before.end {
                End::Branch { condition, otherwise, .. } if otherwise.block == id => {
                    before.instrs.iter().find(|instr| {
                        let mut is_it = false;
                        instr.definitions(&mut |to| is_it |= to == *condition);
                        is_it
                    })
                }
                _ => None,
            });
            for (at, instr) in function.blocks[id.index()].instrs.iter().enumerate() {
                match instr {
                    Instr::LoadColumns { index, columns, .. } => {
                        let is_tested = matches!(test, Some(Instr::Scattered(_, of, by))
                            if origin(of) == origin(index) && by == columns);
                        if !is_tested {
                            wrong.push((id, at, format!("{index} grows from column to column")));
                        }
                    }
                    Instr::LoadTwo { space, first, index, .. } => {
                        let begins = |pair: &[Reg; 2]| {
                            let inside = |of: &Reg| {
                                self.program.spaces().hold(*space, *first, 0, self.bound(*of))
                            };
                            origin(&pair[0]) == origin(index) && pair.iter().all(inside)
                        };
                        let is_tested = matches!(test, Some(Instr::Apart(_, 1, pairs))
                            if pairs.iter().any(begins));
                        if !is_tested {
                            let what = format!("a word follows that at {index}, inside");
                            wrong.push((id, at, what));
                        }
                    }
                    Instr::LoadMixed { space, first, indices, .. } => {
                        let begins = |(pair, index): (&[Reg; 2], &Reg)| {
                            let inside = |of: &Reg| {
                                self.program.spaces().hold(*space, *first, 3, self.bound(*of))
                            };
                            origin(&pair[0]) == origin(index) && pair.iter().all(inside)
                        };
                        let is_tested = matches!(test, Some(Instr::Apart(_, 4, pairs))
                            if pairs.len() == indices.len() && pairs.iter().zip(indices).all(begins));
                        if !is_tested {
                            let what = format!("texels follow those at {}, inside", indices[0]);
                            wrong.push((id, at, what));
                        }
                    }
                    _ => {}
                }
            }
        }
        for (id, at, what) in wrong {
            (self.block, self.instr) = (id, Some(at));
            self.error(format!("no test shows that {what}"));
        }
    }

    /// Checks that each slot is filled once, on the path to every successful return.
    fn filled_slots(&mut self, order: &[BlockId], flow: &Flow) {
        let mut filled: Vec<Vec<BlockId>> = vec![Vec::new(); self.program.slots.len()];
        for &id in order {
            for instr in &self.function.blocks[id.index()].instrs {
                if let Instr::SetSlot(slot, _) = instr {
                    filled[*slot as usize].push(id);
                }
            }
        }
        for &id in order {
            if self.function.blocks[id.index()].end != End::Return(Status::Done) {
                continue;
            }
            (self.block, self.instr) = (id, None);
            for (slot, blocks) in filled.iter().enumerate() {
                self.require(matches!(blocks[..], [by] if flow.dominates(by, id)), || {
                    format!("slot {slot} is not filled once before the return")
                });
            }
        }
    }
}

/// The content of a spill slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Unset on some path, or conflicting types.
    Unknown,
    /// A value of that type.
    Value(RegisterType),
}

/// The contents of spill slots on entry to a block: those on which all predecessors visited so far
/// agree.
fn held_before(
    function: &RegisterFunction,
    id: BlockId,
    predecessors: &[Vec<BlockId>],
    after: &[Option<Vec<Held>>],
) -> Vec<Held> {
    let mut known = predecessors[id.index()].iter().filter_map(|p| after[p.index()].as_ref());
    let Some(first) = known.next() else {
        return vec![Held::Unknown; function.spill_slots as usize];
    };
    let mut held = first.clone();
    for other in known {
        for (held, other) in held.iter_mut().zip(other) {
            if *held != *other {
                *held = Held::Unknown;
            }
        }
    }
    held
}

/// Dominators (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
struct Flow {
    /// The index of each block in the order; `usize::MAX` if it cannot be reached.
    index: Vec<usize>,
    /// For each index, the index of its immediate dominator; the first block is its own.
    parents: Vec<usize>,
}

impl Flow {
    fn new(order: &[BlockId], predecessors: &[Vec<BlockId>]) -> Self {
        let mut index = vec![usize::MAX; predecessors.len()];
        for (at, id) in order.iter().enumerate() {
            index[id.index()] = at;
        }
        let mut parents = vec![usize::MAX; order.len()];
        parents[0] = 0;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (at, id) in order.iter().enumerate().skip(1) {
                let mut parent = usize::MAX;
                for before in &predecessors[id.index()] {
                    let before = index[before.index()];
                    if before == usize::MAX || parents[before] == usize::MAX {
                        continue;
                    }
                    parent = if parent == usize::MAX {
                        before
                    } else {
                        common(&parents, parent, before)
                    };
                }
                if parents[at] != parent {
                    parents[at] = parent;
                    changed = true;
                }
            }
        }
        Self { index, parents }
    }

    fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (a, mut b) = (self.index[a.index()], self.index[b.index()]);
        if a == usize::MAX || b == usize::MAX {
            return false;
        }
        while b > a {
            b = self.parents[b];
        }
        a == b
    }
}

fn common(parents: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = parents[*later];
    }
    a
}
