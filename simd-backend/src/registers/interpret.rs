//! An interpreter of register programs, before and after spilling: the meaning that emitters must
//! reproduce.
//!
//! It distinguishes defined from undefined lanes. *Undefined* are
//!
//! - lanes of [`Instr::Undefined`], and lanes of an elementary function outside its mask (where it
//!   is computed all the same);
//! - the centres of columns and rows without an active pixel in their quads;
//! - lanes that are computed from undefined ones; but false *and* anything is false, true *or*
//!   anything is true, any of several is true if one is, and a selection is defined if its
//!   condition and the selected value are.
//!
//! A [`Trap`] is an error of the program: reading a register not assigned since its block was last
//! entered; reading a spill slot that is empty or holds another type; storing in an array under an
//! undefined mask, at an undefined index or outside the array; the same of a memory, and storing an undefined word there; leaving or continuing a loop by an
//! undefined condition; storing an undefined value as an active pixel; storing outside the pixels;
//! returning without having stored them all.
//!
//! Any other branch on an undefined condition may go either way; here its direction alternates.
//! Correct programs have such branches: cheap code runs also for lanes that do not need it,
//! together with its branches, whose conditions may depend on code that skipped these lanes. A loop
//! is never cheap.
//!
//! Loops are limited and polled as in machine code.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{
    Argument, ArrayPlace, BlockCall, Columns, End, Inputs, Instr, Limit, Listed, Memories,
    PIXEL_BYTES, Poll, Reg, RegisterFunction, RegisterProgram, RegisterType, Row, Rows, Shape,
    Status, loop_depths, words_of_slot,
};
use crate::lanes::interpret::{Replaced, apply, is_defined, undefined_bits};
use crate::lanes::{Axis, Column, Items, Kind, LaneOp, Space};

/// An error of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The place: function, block and instruction.
    pub place: String,
    /// The error.
    pub message: String,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Executes the function for the frame. The result holds the slots' words; undefined ones have any
/// bits.
///
/// # Errors
///
/// If the program is wrong.
pub fn frame(
    program: &RegisterProgram,
    inputs: &Inputs,
    poll: Poll<'_>,
) -> Result<(Status, Vec<u64>), Trap> {
    let mut call = Call {
        program,
        inputs,
        poll,
        slots: vec![0; program.slots.len()],
        arrays: Vec::new(),
        row: None,
        turn: false,
    };
    let outcome = call.run("frame", &program.frame, &[])?;
    Ok((outcome.status(), call.slots))
}

/// Executes the function for a row of groups, as [`Executable::row`](crate::emit::Executable::row)
/// does.
///
/// # Errors
///
/// If the program is wrong.
pub fn row(
    program: &RegisterProgram,
    inputs: &Inputs,
    slots: &[u64],
    mask: &[u32],
    poll: Poll<'_>,
    row: Row,
    pixels: &mut [[f32; 4]],
) -> Result<Status, Trap> {
    let shape = program.shape;
    let active = (0..shape.lanes()).filter(|&lane| mask[lane as usize] != 0);
    let active = active.map(|lane| shape.pixel(lane)).collect();
    groups(program, inputs, slots, poll, Work::Row { row, mask, active }, pixels)
}

/// Executes the function for a row for listed lanes, as
/// [`Callable::listed`](super::Callable::listed) says. Each replaced word of a memory is reported, in the order of
/// execution.
///
/// # Errors
///
/// If the program is wrong.
pub fn listed<'a>(
    program: &'a RegisterProgram,
    inputs: &'a Inputs,
    slots: &[u64],
    poll: Poll<'a>,
    (listed, memories): (Listed<'a>, &'a Memories<'a>),
    pixels: &'a mut [[f32; 4]],
    changed: &'a mut dyn FnMut(Replaced),
) -> Result<Status, Trap> {
    assert!(inputs.are_for(memories), "the inputs have the sizes of memories");
    groups(program, inputs, slots, poll, Work::Listed { listed, memories, changed }, pixels)
}

fn groups<'a>(
    program: &'a RegisterProgram,
    inputs: &'a Inputs,
    slots: &[u64],
    poll: Poll<'a>,
    work: Work<'a>,
    pixels: &'a mut [[f32; 4]],
) -> Result<Status, Trap> {
    let shape = program.shape;
    let plane = match &work {
        Work::Row { row, .. } if program.attachments > 1 => row.plane,
        _ => pixels.len() / program.attachments.max(1),
    };
    let stored = vec![false; pixels.len()];
    let mut call = Call {
        program,
        inputs,
        poll,
        slots: slots.to_vec(),
        arrays: vec![None; program.array_words as usize * shape.lanes() as usize],
        row: Some(RowCall { work, plane, pixels, stored }),
        turn: false,
    };
    let outcome = call.run("row", &program.row, &[])?;
    let RowCall { work, stored, .. } = call.row.expect("it has one");
    if outcome.status() == Status::Done {
        let (width, stride, rows) = work.extent(program.items, shape);
        for (number, stored) in stored.chunks(plane.max(1)).take(program.attachments).enumerate() {
            for y in 0..rows {
                if stored[y * stride..][..width].contains(&false) {
                    let message = format!(
                        "not all pixels of row {y} of attachment {number} have been stored"
                    );
                    return Err(Trap { place: "row".into(), message });
                }
            }
        }
    }
    Ok(outcome.status())
}

/// The state of a call.
struct Call<'a> {
    program: &'a RegisterProgram,
    inputs: &'a Inputs,
    poll: Poll<'a>,
    slots: Vec<u64>,
    /// The words of arrays, for each word all lanes; `None` if undefined.
    arrays: Vec<Option<u64>>,
    /// The state of the function for a row.
    row: Option<RowCall<'a>>,
    /// The direction of the last branch on an undefined condition.
    turn: bool,
}

struct RowCall<'a> {
    work: Work<'a>,
    /// The distance from an attachment to the next, in pixels.
    plane: usize,
    pixels: &'a mut [[f32; 4]],
    stored: Vec<bool>,
}

/// The items of a call of the function for a row.
enum Work<'a> {
    Row {
        row: Row,
        mask: &'a [u32],
        /// The column and row in the group of each active pixel.
        active: Vec<(u32, u32)>,
    },
    Listed {
        listed: Listed<'a>,
        memories: &'a Memories<'a>,
        changed: &'a mut dyn FnMut(Replaced),
    },
}

impl Work<'_> {
    /// The width of a row of stored pixels, the distance between rows, and their number.
    fn extent(&self, items: Items, shape: Shape) -> (usize, usize, usize) {
        match self {
            Self::Row { row, .. } => {
                ((row.groups * shape.columns()) as usize, row.stride, shape.rows() as usize)
            }
            Self::Listed { listed, .. } => {
                let pixels = (listed.groups(items, shape) * shape.lanes()) as usize;
                (pixels, pixels, 1)
            }
        }
    }

    /// True if the pixel stored at that column and row is active.
    fn is_active(&self, items: Items, shape: Shape, x: usize, y: usize) -> bool {
        match self {
            Self::Row { active, .. } => active.contains(&(x as u32 % shape.columns(), y as u32)),
            Self::Listed { listed, .. } => {
                let (group, at) = (x / shape.lanes() as usize, x as u32 % shape.lanes());
                let pixel = (at % shape.columns(), at / shape.columns());
                let mask = listed.column(items, shape, group, Column::Mask);
                (0..).zip(mask).any(|(lane, &word)| word != 0 && shape.pixel(lane) == pixel)
            }
        }
    }
}

/// The lanes of a register; `None` if undefined.
type Lanes = Vec<Option<u64>>;

/// The result of a function.
enum Outcome {
    Status(Status),
    Value(Lanes),
}

impl Outcome {
    fn status(&self) -> Status {
        match self {
            Self::Status(status) => *status,
            Self::Value(_) => unreachable!("only procedures return a value"),
        }
    }
}

/// An activation of a function.
struct Activation<'a> {
    function: &'a RegisterFunction,
    shape: Shape,
    /// The registers assigned since their block was last entered.
    registers: Vec<Option<Lanes>>,
    spilled: Vec<Option<(RegisterType, Lanes)>>,
}

impl Activation<'_> {
    fn get(&self, reg: Reg) -> Result<&Lanes, String> {
        self.registers[reg.index()].as_ref().ok_or_else(|| format!("{reg} has not been assigned"))
    }

    fn ty(&self, reg: Reg) -> RegisterType {
        self.function.registers[reg.index()]
    }

    fn kind(&self, reg: Reg) -> Kind {
        match self.ty(reg) {
            RegisterType::Scalar(kind) | RegisterType::Vector(kind) => kind,
            RegisterType::WideMask => Kind::Mask,
        }
    }

    /// The number of lanes of a register.
    fn lanes(&self, reg: Reg) -> usize {
        let width = self.shape.tile.width() as usize;
        match self.ty(reg) {
            RegisterType::Scalar(_) => 1,
            RegisterType::Vector(Kind::F64 | Kind::I64) | RegisterType::WideMask => width / 2,
            RegisterType::Vector(_) => width,
        }
    }

    /// The defined value of a scalar, such as an address.
    fn scalar(&self, reg: Reg) -> Result<u64, String> {
        self.get(reg)?[0].ok_or_else(|| format!("{reg} is undefined"))
    }

    /// Enters a block with arguments. Its registers lose the values of an earlier execution.
    fn enter(&mut self, call: &BlockCall) -> Result<(), String> {
        let arguments = call.arguments.iter().map(|&reg| self.get(reg).cloned());
        let arguments: Vec<Lanes> = arguments.collect::<Result<_, _>>()?;
        let block = &self.function.blocks[call.block.index()];
        for instr in &block.instrs {
            instr.definitions(&mut |reg| self.registers[reg.index()] = None);
        }
        for (&param, argument) in block.params.iter().zip(arguments) {
            self.registers[param.index()] = Some(argument);
        }
        Ok(())
    }
}

impl<'a> Call<'a> {
    /// The words of a space at `first` plus an index, lane by lane.
    fn words(&self, space: Space, first: u32, index: &Lanes) -> Result<Lanes, String> {
        let lane = |word: &Option<u64>| {
            let Some(index) = *word else { return Ok(None) };
            let at = u64::from(first) + index;
            let word = match space {
                Space::Slots => {
                    let slot = self.slots.get(at as usize / 2);
                    slot.map(|&slot| words_of_slot(slot)[at as usize % 2])
                }
                _ => self.inputs.word(space, at),
            };
            let word = word.ok_or_else(|| format!("there is no word {space}{at}"))?;
            Ok(Some(u64::from(word)))
        };
        index.iter().map(lane).collect()
    }

    /// Executes a function.
    fn run(
        &mut self,
        name: &str,
        function: &'a RegisterFunction,
        arguments: &[Lanes],
    ) -> Result<Outcome, Trap> {
        let mut activation = Activation {
            function,
            shape: self.program.shape,
            registers: vec![None; function.registers.len()],
            spilled: vec![None; function.spill_slots as usize],
        };
        for (&param, argument) in function.blocks[0].params.iter().zip(arguments) {
            activation.registers[param.index()] = Some(argument.clone());
        }
        let mut id = super::BlockId(0);
        loop {
            let block = &function.blocks[id.index()];
            for (at, instr) in block.instrs.iter().enumerate() {
                self.instr(&mut activation, instr).map_err(|message| Trap {
                    place: format!("{name}, {id}, instruction {at}"),
                    message,
                })?;
            }
            let trap = |message| Trap { place: format!("{name}, {id}, its end"), message };
            let next = match &block.end {
                End::Jump(call) => call,
                End::Branch { condition, then, otherwise } => {
                    let holds = match activation.get(*condition).map_err(trap)?[0] {
                        Some(word) => word != 0,
                        None => {
                            let depths = loop_depths(function);
                            if depths[then.block.index()] != depths[otherwise.block.index()] {
                                return Err(trap(format!("{condition} is undefined")));
                            }
                            self.turn = !self.turn;
                            self.turn
                        }
                    };
                    if holds { then } else { otherwise }
                }
                End::Return(status) => return Ok(Outcome::Status(*status)),
                End::ReturnValue(reg) => {
                    return activation.get(*reg).cloned().map(Outcome::Value).map_err(trap);
                }
            };
            activation.enter(next).map_err(trap)?;
            id = next.block;
        }
    }

    fn instr(&mut self, on: &mut Activation<'a>, instr: &Instr) -> Result<(), String> {
        let scalar = |word: u64| vec![Some(word)];
        let (to, lanes) = match instr {
            Instr::Constant(to, bits) => (*to, vec![Some(*bits); on.lanes(*to)]),
            Instr::Undefined(to) => (*to, vec![None; on.lanes(*to)]),
            Instr::Centres(to, axis, first) => (*to, self.centres(on, *to, *axis, *first)),
            Instr::Op(to, op, operands) => (*to, operation(on, *op, operands)?),
            Instr::MulAdd(to, operands) => {
                let of = operands.map(|reg| on.get(reg));
                let [a, b, c] = [of[0].clone()?, of[1].clone()?, of[2].clone()?];
                let number = f64::from_bits;
                let lane = |lane: usize| {
                    let (a, b, c) = (number(a[lane]?), number(b[lane]?), number(c[lane]?));
                    Some((a * b + c).to_bits())
                };
                (*to, (0..on.lanes(*to)).map(lane).collect())
            }
            Instr::Part(to, part, from) => {
                let lane = |word: u64| part.of(f64::from_bits(word)).to_bits();
                (*to, on.get(*from)?.iter().map(|word| word.map(lane)).collect())
            }
            Instr::Broadcast(to, from) => (*to, vec![on.get(*from)?[0]; on.lanes(*to)]),
            Instr::Neighbour(to, from, axis, side) => {
                let (of, tile) = (on.get(*from)?, self.program.shape.tile);
                let lane = |lane| of[tile.neighbour(lane, *axis, *side) as usize];
                (*to, (0..tile.width()).map(lane).collect())
            }
            Instr::Half(to, from, upper) => {
                let (of, count) = (on.get(*from)?, on.lanes(*to));
                let half = &of[if *upper { count } else { 0 }..][..count];
                let lane = |word: u64| match on.ty(*to) {
                    RegisterType::WideMask => word,
                    RegisterType::Vector(Kind::I64) => {
                        apply(LaneOp::Widen, Kind::I32, [word, 0, 0])
                    }
                    _ => apply(LaneOp::Promote, Kind::F32, [word, 0, 0]),
                };
                (*to, half.iter().map(|word| word.map(lane)).collect())
            }
            Instr::Join(to, [low, high]) => {
                let lane = |word: u64| match on.ty(*low) {
                    RegisterType::WideMask => word,
                    RegisterType::Vector(Kind::I64) => {
                        apply(LaneOp::Narrow, Kind::I64, [word, 0, 0])
                    }
                    _ => apply(LaneOp::Demote, Kind::F64, [word, 0, 0]),
                };
                let both = on.get(*low)?.iter().chain(on.get(*high)?);
                (*to, both.map(|word| word.map(lane)).collect())
            }
            Instr::Concat(to, [upper, lower], is_upper) => {
                let (upper, lower) = (on.get(*upper)?, on.get(*lower)?);
                let first = if *is_upper { 2 } else { 0 };
                let lane = |lane: usize| {
                    let of = lane / 2 * 4 + first + lane % 2;
                    Some(upper[of]? << 32 | lower[of]?)
                };
                (*to, (0..on.lanes(*to)).map(lane).collect())
            }
            Instr::Words(to, of, is_upper) => {
                let of = [on.get(of[0])?, on.get(of[1])?];
                let lane = |lane: usize| {
                    let word = of[lane / 2 % 2][lane / 4 * 2 + lane % 2]?;
                    Some(if *is_upper { word >> 32 } else { word & u64::from(u32::MAX) })
                };
                (*to, (0..on.lanes(*to)).map(lane).collect())
            }
            Instr::Funnel(to, by, [upper, lower]) => {
                let both = on.get(*upper)?.iter().zip(on.get(*lower)?);
                let lane = |(upper, lower): (&Option<u64>, &Option<u64>)| {
                    let both = (*upper)? << 32 | (*lower)?;
                    Some(both << by >> 32)
                };
                (*to, both.map(lane).collect())
            }
            Instr::Logic(to, table, [a, b, c]) => {
                let (a, b, c) = (on.get(*a)?, on.get(*b)?, on.get(*c)?);
                let lane = |lane: usize| {
                    let (a, b, c) = (a[lane]?, b[lane]?, c[lane]?);
                    let bit = |of: u64, bit: u32| of >> bit & 1;
                    let one = |i| {
                        let index = bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i);
                        u64::from(table >> index & 1) << i
                    };
                    Some((0..32).map(one).sum())
                };
                (*to, (0..on.lanes(*to)).map(lane).collect())
            }
            Instr::Table(to, table, index) => {
                let word = |&index: &Option<u64>| Some(table[(index? % 8) as usize].into());
                (*to, on.get(*index)?.iter().map(word).collect())
            }
            Instr::Any(to, masks) => {
                let mut any = Some(0);
                for &mask in masks {
                    for &word in on.get(mask)? {
                        any = or(any, word);
                    }
                }
                (*to, vec![any])
            }
            Instr::Input(to, word) => {
                let word = self.inputs.words()[*word as usize];
                let is_mask = on.ty(*to) == RegisterType::Scalar(Kind::Mask);
                (*to, scalar(if is_mask { (word != 0).into() } else { word.into() }))
            }
            Instr::Load(to, space, first, index) => {
                (*to, self.words(*space, *first, on.get(*index)?)?)
            }
            Instr::LoadFour { to, space, first, index } => {
                let index = on.get(*index)?.clone();
                for (k, to) in (0..4).zip(to) {
                    // All four words must exist.
                    let words = self.words(*space, first + k, &index)?;
                    if let Some(to) = to {
                        on.registers[to.index()] = Some(words);
                    }
                }
                return Ok(());
            }
            Instr::Scattered(to, index, columns) => {
                (*to, vec![self.is_scattered(on.get(*index)?, *columns).map(u64::from)])
            }
            Instr::LoadColumns { to, space, first, index, columns } => {
                let index = on.get(*index)?.clone();
                if self.is_scattered(&index, *columns) == Some(true) {
                    return Err(format!("the indices do not grow {columns}"));
                }
                for (k, to) in (0..4).zip(to) {
                    if to.is_some() || columns.step == 4 {
                        let words = self.words(*space, *first + k, &index)?;
                        if let Some(to) = to {
                            on.registers[to.index()] = Some(words);
                        }
                    }
                }
                return Ok(());
            }
            Instr::Apart(to, step, pairs) => {
                (*to, vec![Self::is_apart(on, *step, pairs)?.map(u64::from)])
            }
            Instr::LoadTwo { to, space, first, index } => {
                let index = on.get(*index)?.clone();
                for (k, to) in (0..).zip(to) {
                    on.registers[to.index()] = Some(self.words(*space, *first + k, &index)?);
                }
                return Ok(());
            }
            Instr::LoadMixed { to, space, first, indices, weights } => {
                let number = |op, a: &Lanes, b: &Lanes| -> Lanes {
                    let both = a.iter().zip(b);
                    both.map(|(&a, &b)| Some(apply(op, Kind::F32, [a?, b?, 0]))).collect()
                };
                for (k, to) in (0..4).zip(to) {
                    let mut values = Vec::new();
                    for &index in indices {
                        // All four words of each texel must exist.
                        for word in [k, 4 + k] {
                            values.push(self.words(*space, first + word, on.get(index)?)?);
                        }
                    }
                    for [u, v] in weights {
                        let [u, v] = [on.get(*u)?, on.get(*v)?];
                        let mixed = values.chunks(2).map(|pair| {
                            let [a, b] = [(&pair[0], u), (&pair[1], v)];
                            let [a, b] = [a, b].map(|(of, weight)| number(LaneOp::Mul, of, weight));
                            number(LaneOp::Add, &a, &b)
                        });
                        values = mixed.collect();
                    }
                    if let Some(to) = to {
                        on.registers[to.index()] = values.pop();
                    }
                }
                return Ok(());
            }
            Instr::LoadArray(to, place) => {
                let word = |lane| match self.place(on, place, lane)? {
                    Some(at) => Ok::<_, String>(self.arrays[at]),
                    None => Ok(None),
                };
                (*to, (0..on.lanes(*to)).map(word).collect::<Result<_, _>>()?)
            }
            Instr::StoreArray { place, word, mask } => {
                for lane in 0..on.lanes(*word) {
                    let is_active = match mask {
                        Some(mask) => on.get(*mask)?[lane],
                        None => Some(1),
                    };
                    let is_active = is_active.ok_or("the mask of a store is undefined")?;
                    if is_active != 0 {
                        let at = self.place(on, place, lane)?;
                        let at = at.ok_or("the index of a store is undefined")?;
                        self.arrays[at] = on.get(*word)?[lane];
                    }
                }
                return Ok(());
            }
            Instr::LoadMemory(to, memory, index) => {
                let index = on.get(*index)?.clone();
                let words = self.memory(*memory)?;
                let word = |at: Option<u64>| match at {
                    // The word of an empty memory is undefined.
                    Some(0) if words.is_empty() => Ok(None),
                    Some(at) => match words.get(at as usize) {
                        Some(word) => Ok(Some(word.load(Ordering::Relaxed).into())),
                        None => Err(format!("memory {memory} has no word {at}")),
                    },
                    None => Ok(None),
                };
                (*to, index.into_iter().map(word).collect::<Result<_, _>>()?)
            }
            Instr::StoreMemory { memory, index, word, mask } => {
                if on.scalar(*mask)? != 0 {
                    self.replace(*memory, on.scalar(*index)?, on.scalar(*word)?)?;
                }
                return Ok(());
            }
            Instr::LoadMemoryLanes(to, memory, index) => {
                let index = on.get(*index)?.clone();
                if self.is_scattered(&index, Columns::LANES) != Some(false) {
                    return Err("the indices do not grow by one".into());
                }
                let words = self.memory(*memory)?;
                let word = |at: Option<u64>| {
                    let word = at.and_then(|at| words.get(at as usize));
                    let word = word.ok_or_else(|| format!("memory {memory} has no word {at:?}"))?;
                    Ok::<_, String>(Some(word.load(Ordering::Relaxed).into()))
                };
                (*to, index.into_iter().map(word).collect::<Result<_, _>>()?)
            }
            Instr::StoreMemoryLanes { memory, index, words, mask } => {
                let index = on.get(*index)?.clone();
                if self.is_scattered(&index, Columns::LANES) != Some(false) {
                    return Err("the indices do not grow by one".into());
                }
                if on.get(*mask)?.iter().any(|&lane| lane.is_none_or(|lane| lane == 0)) {
                    return Err("a lane has no mask".into());
                }
                for (at, word) in index.iter().zip(on.get(*words)?) {
                    let at = at.ok_or("an index is undefined")?;
                    self.replace(*memory, at, word.ok_or("a stored word is undefined")?)?;
                }
                return Ok(());
            }
            Instr::Lane(to, from, lane) => (*to, vec![on.get(*from)?[*lane as usize]]),
            Instr::FromLanes(to, of) => {
                let lane = |&reg: &Reg| Ok::<_, String>(on.get(reg)?[0]);
                (*to, of.iter().map(lane).collect::<Result<_, _>>()?)
            }
            Instr::Slot(to, slot) => (*to, scalar(self.slots[*slot as usize])),
            Instr::SetSlot(slot, from) => {
                let word = on.get(*from)?[0].unwrap_or_else(|| undefined_bits(on.kind(*from), 0));
                self.slots[*slot as usize] = word;
                return Ok(());
            }
            Instr::Primitive(to, word) => match &self.row().work {
                Work::Listed { listed, .. } => {
                    (*to, scalar(listed.primitive[*word as usize].into()))
                }
                Work::Row { .. } => return Err("there is no primitive".into()),
            },
            Instr::Lanes(to, column, index, group) => {
                let (count, shape, items) = (on.lanes(*to), on.shape, self.program.items);
                let first = on.scalar(*group)? as usize / size_of::<u32>();
                let Work::Listed { listed, .. } = &self.row().work else {
                    return Err("no lanes are listed".into());
                };
                let words = Listed::words_of_group(items, shape);
                let is_there = first.is_multiple_of(words) && first < listed.table.len();
                if !is_there {
                    return Err(format!("no group begins at word {first} of the table"));
                }
                let all = listed.column(items, shape, first / words, *column);
                let lanes = all[*index as usize * count..][..count].iter();
                let word = |&word: &u32| match column {
                    Column::Mask => Some((word != 0).into()),
                    _ => Some(word.into()),
                };
                (*to, lanes.map(word).collect())
            }
            Instr::Plane(to) => {
                let plane = self.row().plane as u64 * u64::from(PIXEL_BYTES);
                (*to, scalar(plane))
            }
            Instr::ExecutionMask(to, index) => {
                let count = on.lanes(*to);
                let Work::Row { mask, .. } = &self.row().work else {
                    return Err("listed lanes have their own masks".into());
                };
                let words = &mask[*index as usize * count..][..count];
                (*to, words.iter().map(|&word| Some((word != 0).into())).collect())
            }
            Instr::Argument(to, argument) => {
                let (shape, items) = (on.shape, self.program.items);
                let word = match (argument, &self.row().work) {
                    (Argument::Column, Work::Row { row, .. }) => row.x.into(),
                    (Argument::Row, Work::Row { row, .. }) => row.y.into(),
                    (Argument::Groups, Work::Row { row, .. }) => row.groups.into(),
                    (Argument::Groups, Work::Listed { listed, .. }) => {
                        listed.groups(items, shape).into()
                    }
                    (Argument::Stride, Work::Row { row, .. }) => {
                        row.stride as u64 * u64::from(PIXEL_BYTES)
                    }
                    // The addresses of pixels and of the table are 0.
                    (Argument::Pixels, _) | (Argument::Lanes, Work::Listed { .. }) => 0,
                    _ => return Err(format!("there is no {argument:?}")),
                };
                (*to, scalar(word))
            }
            Instr::Limit(to, limit) => {
                let [first, rest] = self.inputs.rounds();
                (*to, scalar(if *limit == Limit::First { first } else { rest }))
            }
            Instr::Poll(to) => (*to, scalar(self.poll.goes_on().into())),
            Instr::Call { procedure, to, arguments } => {
                (*to, self.procedure(on, *procedure, arguments)?)
            }
            Instr::Callout { function, to, mask, operands } => {
                let (mask, x) = (on.get(*mask)?, on.get(operands[0])?);
                let y = operands.get(1).map(|&reg| on.get(reg)).transpose()?;
                let number = |word: u64| f32::from_bits(word as u32);
                let lane = |lane: usize| {
                    if mask[lane]? == 0 {
                        return None;
                    }
                    let y = y.map_or(Some(0), |y| y[lane])?;
                    Some(function.evaluate(number(x[lane]?), number(y)).to_bits().into())
                };
                (*to, (0..on.lanes(*to)).map(lane).collect())
            }
            Instr::Spill(slot, from) => {
                on.spilled[*slot as usize] = Some((on.ty(*from), on.get(*from)?.clone()));
                return Ok(());
            }
            Instr::Reload(to, slot) => match &on.spilled[*slot as usize] {
                Some((ty, lanes)) if *ty == on.ty(*to) => (*to, lanes.clone()),
                Some((ty, _)) => return Err(format!("spill slot {slot} holds {ty}")),
                None => return Err(format!("spill slot {slot} is empty")),
            },
            Instr::Store { channels, rows, offset } => {
                return self.store(on, *channels, rows, *offset);
            }
        };
        on.registers[to.index()] = Some(lanes);
        Ok(())
    }

    /// True if the indices of lanes do not grow as `columns` says; `None` if one is undefined.
    fn is_scattered(&self, index: &Lanes, columns: Columns) -> Option<bool> {
        let tile = self.program.shape.tile;
        let index: Vec<u64> = match index.iter().copied().collect::<Option<_>>() {
            Some(index) => index,
            // A memory has the same words on both ways.
            None if columns.rows == Rows::Joined => return Some(true),
            None => return None,
        };
        let is_apart = |lane: u32| {
            let (first, further) = columns.of(tile, lane);
            index[lane as usize] != index[first as usize] + u64::from(further)
        };
        Some((0..tile.width()).any(is_apart))
    }

    /// True if in some lane the second index of a pair is not `step` more than the first; `None` if lanes have none.
    fn is_apart(
        on: &Activation<'_>,
        step: u32,
        pairs: &[[Reg; 2]],
    ) -> Result<Option<bool>, String> {
        let mut is_apart = Some(false);
        for &[first, second] in pairs {
            for pair in on.get(first)?.iter().zip(on.get(second)?) {
                match pair {
                    (Some(first), Some(second)) if first + u64::from(step) == *second => {}
                    (None, None) => is_apart = None,
                    // No word of an undefined index shows that the other texel is in range.
                    _ => return Ok(Some(true)),
                }
            }
        }
        Ok(is_apart)
    }

    /// The words of a memory.
    fn memory(&mut self, number: u32) -> Result<&'a [AtomicU32], String> {
        match &self.row().work {
            Work::Listed { memories, .. } => Ok(memories.words(number as usize)),
            Work::Row { .. } => Err("rows have no memories".into()),
        }
    }

    /// Replaces a word of a memory.
    fn replace(&mut self, memory: u32, index: u64, word: u64) -> Result<(), String> {
        let place = self.memory(memory)?.get(index as usize);
        let place = place.ok_or_else(|| format!("memory {memory} has no word {index}"))?;
        place.store(word as u32, Ordering::Relaxed);
        if let Work::Listed { changed, .. } = &mut self.row().work {
            changed(Replaced { memory, index: index as u32, word: word as u32 });
        }
        Ok(())
    }

    fn row(&mut self) -> &mut RowCall<'a> {
        self.row.as_mut().expect("the function is that for a row")
    }

    /// The position of the word of a lane, if its index is defined.
    fn place(
        &self,
        on: &Activation<'_>,
        place: &ArrayPlace,
        lane: usize,
    ) -> Result<Option<usize>, String> {
        let index = match place.index {
            None => Some(0),
            Some(index) => {
                let of = on.get(index)?;
                of[lane.min(of.len() - 1)]
            }
        };
        let Some(index) = index else { return Ok(None) };
        let word = index + u64::from(place.first);
        if word >= place.words.into() {
            return Err(format!("there is no word {word} in {place}"));
        }
        let lanes = on.shape.lanes() as usize;
        let lane = place.register as usize * on.shape.tile.width() as usize + lane;
        Ok(Some((place.array as usize + word as usize) * lanes + lane))
    }

    fn centres(&mut self, on: &Activation<'_>, to: Reg, axis: Axis, first: f32) -> Lanes {
        let tile = on.shape.tile;
        let active = self.row.as_ref().and_then(|row| match &row.work {
            Work::Row { active, .. } => Some(active),
            Work::Listed { .. } => None,
        });
        let lane = |lane: usize| {
            let at = first + tile.offset(axis, lane as u32);
            let is_there = |&(column, row): &(u32, u32)| {
                at as u32 / 2 == if axis == Axis::X { column / 2 } else { row / 2 }
            };
            let is_active = active.is_none_or(|active| active.iter().any(is_there));
            is_active.then(|| (at + 0.5).to_bits().into())
        };
        (0..on.lanes(to)).map(lane).collect()
    }

    /// The result of a procedure: undefined outside the mask, if it has one, and in lanes with an
    /// undefined operand.
    fn procedure(
        &mut self,
        on: &Activation<'_>,
        index: u32,
        arguments: &[Reg],
    ) -> Result<Lanes, String> {
        let callee = &self.program.procedures[index as usize];
        let passed: Vec<Lanes> =
            arguments.iter().map(|&reg| on.get(reg).cloned()).collect::<Result<_, _>>()?;
        // A procedure is total: for undefined lanes it computes some value.
        let bits = |lanes: &Lanes, kind| {
            let word = |lane: (usize, &Option<u64>)| {
                Some(lane.1.unwrap_or_else(|| undefined_bits(kind, lane.0)))
            };
            lanes.iter().enumerate().map(word).collect()
        };
        let kinds = arguments.iter().map(|&reg| on.kind(reg));
        let total: Vec<Lanes> =
            passed.iter().zip(kinds).map(|(lanes, kind)| bits(lanes, kind)).collect();
        let name = format!("procedure {index}");
        let outcome = self.run(&name, &callee.code, &total).map_err(|trap| trap.to_string())?;
        let Outcome::Value(mut result) = outcome else {
            return Err(format!("procedure {index} returns no value"));
        };
        let mask = callee.is_vector.then(|| passed.last()).flatten();
        for (lane, word) in result.iter_mut().enumerate() {
            let is_defined = passed.iter().all(|lanes| lanes[lane].is_some());
            if !is_defined || mask.is_some_and(|mask| mask[lane] == Some(0)) {
                *word = None;
            }
        }
        Ok(result)
    }

    fn store(
        &mut self,
        on: &Activation<'_>,
        channels: [Reg; 4],
        rows: &[Reg],
        offset: u32,
    ) -> Result<(), String> {
        let (shape, items) = (on.shape, self.program.items);
        let RowCall { work, plane, pixels, stored } = self.row();
        let (width, stride, rows_of) = work.extent(items, shape);
        for lane in 0..shape.tile.width() {
            let (column, tile_row) = shape.tile.pixel(lane);
            let address = on.scalar(rows[tile_row as usize])?;
            let address = address + u64::from(offset + column * PIXEL_BYTES);
            let index = (address / u64::from(PIXEL_BYTES)) as usize;
            let at = index % *plane;
            let (x, y) = (at % stride, at / stride);
            let is_inside = index < pixels.len()
                && x < width
                && y < rows_of
                && address.is_multiple_of(PIXEL_BYTES.into());
            if !is_inside {
                return Err(format!("a pixel is stored at {address}, outside the pixels"));
            }
            let is_active = work.is_active(items, shape, x, y);
            for (k, &channel) in channels.iter().enumerate() {
                let word = match on.get(channel)?[lane as usize] {
                    None if is_active => {
                        return Err(format!("lane {lane} of {channel} is undefined and active"));
                    }
                    word => word.unwrap_or_else(|| undefined_bits(Kind::F32, 0)),
                };
                pixels[index][k] = f32::from_bits(word as u32);
            }
            if std::mem::replace(&mut stored[index], true) {
                return Err(format!("pixel ({x}, {y}) is stored twice"));
            }
        }
        Ok(())
    }
}

/// Disjunction of two truth values: true *or* anything is true.
fn or(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    if a == Some(1) || b == Some(1) { Some(1) } else { Some(a? | b?) }
}

/// An operation, lane by lane.
fn operation(on: &Activation<'_>, op: LaneOp, operands: &[Reg]) -> Result<Lanes, String> {
    let kind = on.kind(operands[0]);
    let of: Vec<&Lanes> = operands.iter().map(|&reg| on.get(reg)).collect::<Result<_, _>>()?;
    let lane = |lane: usize| {
        let at = |k: usize| of[k][lane];
        match (op, kind) {
            (LaneOp::And, Kind::Mask) if at(0) == Some(0) || at(1) == Some(0) => Some(0),
            (LaneOp::AndNot, Kind::Mask) if at(0) == Some(0) || at(1) == Some(1) => Some(0),
            (LaneOp::Or, Kind::Mask) => or(at(0), at(1)),
            (LaneOp::Select, _) => at(if at(0)? != 0 { 1 } else { 2 }),
            _ => {
                let mut words = [0; 3];
                for (k, word) in words.iter_mut().take(of.len()).enumerate() {
                    *word = at(k)?;
                }
                is_defined(op, words).then(|| apply(op, kind, words))
            }
        }
    };
    Ok((0..of[0].len()).map(lane).collect())
}
