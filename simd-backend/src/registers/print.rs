//! The text form of register programs, for listings and tests. [`read`](super::read()) reads it.
//!
//! ```text
//! groups of 4×2 pixels, 4 lanes to a register
//! input 0: time
//! slots f32
//!
//! frame:
//! block0():
//!     r0: f32 = input 0 time
//!     slot 0 = r0
//!     return done
//!
//! row, 2 spill slots:
//! block0():
//!     …
//! ```
//!
//! The head gives the shape, then all that is not empty: listed items, attachments, words of a primitive, words
//! of arrays, resources, inputs, slots. The functions follow: frame, row, procedures. A register has its type
//! where it is assigned.

use std::fmt::{self, Display, Formatter};

use lambdav_core::elementary::Part;

use super::{
    ArrayPlace, BlockCall, BlockId, Columns, End, Instr, Reg, RegisterBlock, RegisterFunction,
    RegisterProgram, RegisterType, Rows, Status,
};
use crate::lanes::inputs::What;
use crate::lanes::print::{Beside, Constant, List, Place};
use crate::lanes::{Axis, Column, Extents, Items, Resource};

impl Display for Columns {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = match self.rows {
            Rows::Apart => "in rows",
            Rows::Alike => "in one row",
            Rows::Joined => "in lanes",
        };
        write!(f, "{rows} by {}", self.step)
    }
}

impl Display for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl Display for BlockId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "block{}", self.0)
    }
}

impl Display for RegisterType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(kind) => write!(f, "{kind}"),
            Self::Vector(kind) => write!(f, "{kind}s"),
            Self::WideMask => f.write_str("wide-masks"),
        }
    }
}

impl Display for BlockCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.block, List(&self.arguments))
    }
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Limit(site) => write!(f, "limit #{site}"),
        }
    }
}

impl Display for ArrayPlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "array {} of {} {}, register {}",
            self.array,
            self.words,
            Place(self.first, self.index),
            self.register
        )
    }
}

/// The resource of a number, in the head of a program.
struct Numbered<'a>(usize, &'a Resource);

impl Display for Numbered<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(number, resource) = self;
        let Resource { is_memory, width, component, levels, kind, extents, first } = resource;
        write!(f, "resource {number}: ")?;
        if *is_memory {
            write!(f, "memory, ")?;
        } else {
            write!(f, "{width} words, {levels} levels, ")?;
            if let Some(component) = component {
                write!(f, "component {component}, ")?;
            }
        }
        if kind.has_planes() {
            write!(f, "{}, ", kind.name())?;
        }
        write!(f, "sizes at {first}")?;
        match extents {
            Extents::Any => Ok(()),
            Extents::Texture(levels) => levels.iter().try_for_each(|level| {
                write!(f, ", level {}×{}", level.width, level.height)?;
                if kind.has_planes() {
                    write!(f, "×{}", level.planes)?;
                }
                write!(f, " at {}", level.first)
            }),
            Extents::Buffer(elements) => write!(f, ", {elements} elements"),
        }
    }
}

impl Display for RegisterProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_head(f, self)?;
        let procedures = self.procedures.iter().enumerate().map(|(i, procedure)| {
            let lanes = if procedure.is_vector { "a register" } else { "a number" };
            (format!("procedure {i}, {} of {lanes}", procedure.elementary.name()), &procedure.code)
        });
        let functions = [("frame".to_owned(), &self.frame), ("row".to_owned(), &self.row)];
        for (name, function) in functions.into_iter().chain(procedures) {
            match function.spill_slots {
                0 => writeln!(f, "\n{name}:")?,
                slots => writeln!(f, "\n{name}, {slots} spill slots:")?,
            }
            for (i, block) in function.blocks.iter().enumerate() {
                print_block(f, self, function, BlockId(i as u32), block)?;
            }
        }
        Ok(())
    }
}

fn print_head(f: &mut Formatter<'_>, program: &RegisterProgram) -> fmt::Result {
    let shape = program.shape;
    let (columns, rows, width) = (shape.columns(), shape.rows(), shape.tile.width());
    writeln!(f, "groups of {columns}×{rows} pixels, {width} lanes to a register")?;
    match program.items {
        Items::Rows => {}
        Items::Listed => writeln!(f, "listed")?,
        Items::Invocations { .. } => {
            let columns: Vec<Column> = program.items.columns().skip(1).collect();
            writeln!(f, "invocations {}", List(&columns))?;
        }
    }
    if program.attachments != 1 {
        writeln!(f, "attachments {}", program.attachments)?;
    }
    if program.primitive_words > 0 {
        writeln!(f, "primitive {} words", program.primitive_words)?;
    }
    if program.array_words > 0 {
        writeln!(f, "arrays {} words", program.array_words)?;
    }
    for (number, resource) in program.resources.0.iter().enumerate() {
        writeln!(f, "{}", Numbered(number, resource))?;
    }
    for (words, what) in program.inputs.runs() {
        write!(f, "input {}: ", words.start)?;
        match what {
            What::One(word) => writeln!(f, "{word}")?,
            What::Uniform(index) => writeln!(f, "uniform {index}, {} words", words.len())?,
            What::Descriptor(number, _) => writeln!(f, "sizes of resource {number}")?,
            What::Constants(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:#010x}")).collect();
                writeln!(f, "constants {}", List(&words))?;
            }
        }
    }
    if program.slots.is_empty() { Ok(()) } else { writeln!(f, "slots {}", List(&program.slots)) }
}

fn print_block(
    f: &mut Formatter<'_>,
    program: &RegisterProgram,
    function: &RegisterFunction,
    id: BlockId,
    block: &RegisterBlock,
) -> fmt::Result {
    let typed = |reg: &Reg| format!("{reg}: {}", function.registers[reg.index()]);
    let params: Vec<String> = block.params.iter().map(typed).collect();
    let cold = if block.cold { " cold" } else { "" };
    writeln!(f, "{id}({}):{cold}", List(&params))?;
    for instr in &block.instrs {
        let text = match instr {
            Instr::Constant(to, bits) => {
                let (RegisterType::Scalar(kind) | RegisterType::Vector(kind)) =
                    function.registers[to.index()]
                else {
                    unreachable!("no constant is a wide mask")
                };
                format!("{} = {}", typed(to), Constant(kind, *bits))
            }
            Instr::Undefined(to) => format!("{} = undefined", typed(to)),
            Instr::Centres(to, axis, first) => {
                let axis = if *axis == Axis::X { "x" } else { "y" };
                format!("{} = centres {axis} from {first}", typed(to))
            }
            Instr::Op(to, op, operands) => format!("{} = {op} {}", typed(to), List(operands)),
            Instr::MulAdd(to, [a, b, c]) => format!("{} = mul_add {a} {b} {c}", typed(to)),
            Instr::Part(to, part, from) => {
                let part = match part {
                    Part::Exponent => "exponent",
                    Part::Significand => "significand",
                };
                format!("{} = {part} {from}", typed(to))
            }
            Instr::Broadcast(to, from) => format!("{} = broadcast {from}", typed(to)),
            Instr::Neighbour(to, from, axis, side) => {
                format!("{} = {from} at {}", typed(to), Beside(*axis, *side))
            }
            Instr::Half(to, from, upper) => {
                format!("{} = {} {from}", typed(to), half(*upper))
            }
            Instr::Join(to, halves) => format!("{} = join {}", typed(to), List(halves)),
            Instr::Concat(to, of, upper) => {
                format!("{} = concat {} {}", typed(to), half(*upper), List(of))
            }
            Instr::Words(to, of, upper) => {
                format!("{} = words {} {}", typed(to), half(*upper), List(of))
            }
            Instr::Funnel(to, by, of) => format!("{} = funnel {by} {}", typed(to), List(of)),
            Instr::Logic(to, table, of) => {
                format!("{} = logic {table:#04x} {}", typed(to), List(of))
            }
            Instr::Table(to, table, index) => {
                let words = table.map(|word| format!("{word:#010x}"));
                format!("{} = table {} at {index}", typed(to), words.join(" "))
            }
            Instr::Any(to, masks) => format!("{} = any {}", typed(to), List(masks)),
            Instr::Input(to, word) if (*word as usize) < program.inputs.len() => {
                format!("{} = input {word} {}", typed(to), program.inputs.get(*word as usize))
            }
            Instr::Input(to, word) => format!("{} = input {word}", typed(to)),
            Instr::Load(to, space, first, index) => {
                format!("{} = load {space}{first} + {index}", typed(to))
            }
            Instr::LoadFour { to, space, first, index } => {
                let to = to.map(|to| to.map_or("_".to_owned(), |to| typed(&to)));
                format!("{} = load four {space}{first} + {index}", to.join(", "))
            }
            Instr::Scattered(to, index, columns) => {
                format!("{} = scattered {index} {columns}", typed(to))
            }
            Instr::LoadColumns { to, space, first, index, columns } => {
                let to = to.map(|to| to.map_or("_".to_owned(), |to| typed(&to)));
                format!("{} = load {space}{first} + {index} {columns}", to.join(", "))
            }
            Instr::Apart(to, step, pairs) => {
                format!("{} = apart by {step} {}", typed(to), List(pairs.as_flattened()))
            }
            Instr::LoadTwo { to, space, first, index } => {
                let to = to.map(|to| typed(&to));
                format!("{} = load two {space}{first} + {index}", to.join(", "))
            }
            Instr::LoadMixed { to, space, first, indices, weights } => {
                let to = to.map(|to| to.map_or("_".to_owned(), |to| typed(&to)));
                let (indices, weights) = (List(indices), List(weights.as_flattened()));
                format!("{} = load mixed {space}{first} + {indices} by {weights}", to.join(", "))
            }
            Instr::LoadArray(to, place) => format!("{} = {place}", typed(to)),
            Instr::StoreArray { place, word, mask: None } => format!("{place} = {word}"),
            Instr::StoreArray { place, word, mask: Some(mask) } => {
                format!("{place} = {word} where {mask}")
            }
            Instr::LoadMemory(to, memory, index) => {
                format!("{} = memory {memory} at {index}", typed(to))
            }
            Instr::StoreMemory { memory, index, word, mask } => {
                format!("memory {memory} at {index} = {word} where {mask}")
            }
            Instr::LoadMemoryLanes(to, memory, index) => {
                format!("{} = memory {memory} from {index}", typed(to))
            }
            Instr::StoreMemoryLanes { memory, index, words, mask } => {
                format!("memory {memory} from {index} = {words} where {mask}")
            }
            Instr::Lane(to, from, lane) => format!("{} = lane {lane} of {from}", typed(to)),
            Instr::FromLanes(to, of) => format!("{} = from {}", typed(to), List(of)),
            Instr::Slot(to, slot) => format!("{} = slot {slot}", typed(to)),
            Instr::SetSlot(slot, from) => format!("slot {slot} = {from}"),
            Instr::Primitive(to, word) => format!("{} = primitive {word}", typed(to)),
            Instr::Lanes(to, column, index, group) => {
                format!("{} = lanes {column} {index} of {group}", typed(to))
            }
            Instr::Plane(to) => format!("{} = plane", typed(to)),
            Instr::ExecutionMask(to, index) => format!("{} = execution mask {index}", typed(to)),
            Instr::Argument(to, argument) => format!("{} = argument {argument:?}", typed(to)),
            Instr::Limit(to, limit) => format!("{} = limit {limit:?}", typed(to)),
            Instr::Poll(to) => format!("{} = poll", typed(to)),
            Instr::Call { procedure, to, arguments } => {
                format!("{} = call {procedure} {}", typed(to), List(arguments))
            }
            Instr::Callout { function: callee, to, mask, operands } => {
                format!("{} = callout {} {} where {mask}", typed(to), callee.name(), List(operands))
            }
            Instr::Spill(slot, from) => format!("spill {slot} = {from}"),
            Instr::Reload(to, slot) => format!("{} = reload {slot}", typed(to)),
            Instr::Store { channels, rows, offset } => {
                format!("store {} at {} + {offset}", List(channels), List(rows))
            }
        };
        writeln!(f, "    {text}")?;
    }
    match &block.end {
        End::Jump(target) => writeln!(f, "    jump {target}"),
        End::Branch { condition, then, otherwise } => {
            writeln!(f, "    if {condition} jump {then} else jump {otherwise}")
        }
        End::Return(status) => writeln!(f, "    return {status}"),
        End::ReturnValue(reg) => writeln!(f, "    return {reg}"),
    }
}

/// The name of a half.
fn half(is_upper: bool) -> &'static str {
    if is_upper { "upper" } else { "lower" }
}
