//! Instructions and ends of blocks.

use lambdav_core::elementary::Part;
use lambdav_core::graph::Side;
use lambdav_core::op::Elementary;

use super::columns::column;
use super::error::{ReadError, ReadErrorKind};
use super::head::Named;
use super::line::Line;
use super::types::{Types, is_register};
use crate::lanes::print::Constant;
use crate::lanes::{Axis, Kind, LaneOp, Space};
use crate::registers::{
    Argument, ArrayPlace, BlockCall, BlockId, Columns, End, Instr, Limit, Reg, RegisterType, Rows,
    Status,
};

/// Takes the end of a block; `None` if the line is an instruction.
pub(super) fn end(line: &mut Line<'_>, types: &mut Types) -> Result<Option<End>, ReadError> {
    if line.has("jump") {
        return block_call(line, types).map(|target| Some(End::Jump(target)));
    }
    if line.has("if") {
        let condition = types.operand(line)?;
        line.keyword("jump")?;
        let then = block_call(line, types)?;
        line.keyword("else")?;
        line.keyword("jump")?;
        let otherwise = block_call(line, types)?;
        return Ok(Some(End::Branch { condition, then, otherwise }));
    }
    if !line.has("return") {
        return Ok(None);
    }
    Ok(Some(match line.peek() {
        word if is_register(word) => End::ReturnValue(types.operand(line)?),
        "done" => line.keyword("done").map(|()| End::Return(Status::Done))?,
        "cancelled" => line.keyword("cancelled").map(|()| End::Return(Status::Cancelled))?,
        _ => {
            line.keyword("limit")?;
            let site = |word: &str| Some(Site(word.strip_prefix('#')?.parse().ok()?));
            End::Return(Status::Limit(line.printed("a loop", site)?.0))
        }
    }))
}

/// A loop, by the number of its site.
struct Site(u32);

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

fn block_call(line: &mut Line<'_>, types: &mut Types) -> Result<BlockCall, ReadError> {
    let block = block_id(line)?;
    line.mark("(")?;
    if line.has_mark(")") {
        return Ok(BlockCall { block, arguments: Vec::new() });
    }
    let arguments = types.operands(line)?;
    line.mark(")")?;
    Ok(BlockCall { block, arguments })
}

/// Takes the name of a block.
pub(super) fn block_id(line: &mut Line<'_>) -> Result<BlockId, ReadError> {
    line.printed("a block", |word| word.strip_prefix("block")?.parse().ok().map(BlockId))
}

/// Takes the name of an elementary function.
pub(super) fn elementary(line: &mut Line<'_>) -> Result<Elementary, ReadError> {
    let word = line.peek();
    match Elementary::ALL.into_iter().find(|of| of.name() == word) {
        Some(of) => line.word("a function").map(|_| of),
        None => Err(line.expected("a function")),
    }
}

/// Takes an instruction.
pub(super) fn instruction(
    line: &mut Line<'_>,
    named: Named<'_>,
    types: &mut Types,
) -> Result<Instr, ReadError> {
    match line.peek() {
        "array" => {
            let place = array_place(line, types)?;
            line.mark("=")?;
            let word = types.operand(line)?;
            let mask = if line.has("where") { Some(types.operand(line)?) } else { None };
            return Ok(Instr::StoreArray { place, word, mask });
        }
        "memory" => {
            let (memory, index, is_of_lanes) = memory_place(line, types)?;
            line.mark("=")?;
            let word = types.operand(line)?;
            line.keyword("where")?;
            let mask = types.operand(line)?;
            return Ok(match is_of_lanes {
                true => Instr::StoreMemoryLanes { memory, index, words: word, mask },
                false => Instr::StoreMemory { memory, index, word, mask },
            });
        }
        "slot" => {
            line.keyword("slot")?;
            let slot = line.decimal()?;
            line.mark("=")?;
            return Ok(Instr::SetSlot(slot, types.operand(line)?));
        }
        "spill" => {
            line.keyword("spill")?;
            let slot = line.decimal()?;
            line.mark("=")?;
            return Ok(Instr::Spill(slot, types.operand(line)?));
        }
        "store" => {
            line.keyword("store")?;
            let channels = types.array(line)?;
            line.keyword("at")?;
            let rows = types.operands(line)?.into();
            line.mark("+")?;
            return Ok(Instr::Store { channels, rows, offset: line.decimal()? });
        }
        _ => {}
    }
    let mut to = Vec::new();
    loop {
        to.push(if line.has("_") { None } else { Some(types.definition(line)?) });
        if !line.has_mark(",") {
            break;
        }
    }
    line.mark("=")?;
    match to[..] {
        [Some((to, ty))] => assignment(line, to, ty, named, types),
        [a, b, c, d] => {
            let to = [a, b, c, d].map(|to| to.map(|(reg, _)| reg));
            line.keyword("load")?;
            if line.has("mixed") {
                let (space, first) = origin(line, named)?;
                let indices = types.operands(line)?.into();
                line.keyword("by")?;
                let weights = pairs(line, types)?;
                return Ok(Instr::LoadMixed { to, space, first, indices, weights });
            }
            let is_four = line.has("four");
            let (space, first, index) = address(line, named, types)?;
            if is_four {
                return Ok(Instr::LoadFour { to, space, first, index });
            }
            Ok(Instr::LoadColumns { to, space, first, index, columns: columns(line)? })
        }
        [Some((a, _)), Some((b, _))] => {
            line.keyword("load")?;
            line.keyword("two")?;
            let (space, first, index) = address(line, named, types)?;
            Ok(Instr::LoadTwo { to: [a, b], space, first, index })
        }
        _ => Err(line.expected("one register, two or four")),
    }
}

/// Takes the right side of an assignment to a register of a type.
fn assignment(
    line: &mut Line<'_>,
    to: Reg,
    ty: RegisterType,
    named: Named<'_>,
    types: &mut Types,
) -> Result<Instr, ReadError> {
    let word = line.peek();
    if is_register(word) {
        let from = types.operand(line)?;
        line.keyword("at")?;
        let side = choice(line, "a side", &[("even", Side::Even), ("odd", Side::Odd)])?;
        return Ok(Instr::Neighbour(to, from, axis(line)?, side));
    }
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        || ["inf", "true", "false"].contains(&word)
    {
        let (RegisterType::Scalar(kind) | RegisterType::Vector(kind)) = ty else {
            return Err(line.expected("an operation"));
        };
        let bits = |word: &str| Some(Constant(kind, bits(kind, word)?));
        return Ok(Instr::Constant(to, line.printed("a constant", bits)?.1));
    }
    if word == "array" {
        return Ok(Instr::LoadArray(to, array_place(line, types)?));
    }
    if word == "memory" {
        let (memory, index, is_of_lanes) = memory_place(line, types)?;
        return Ok(match is_of_lanes {
            true => Instr::LoadMemoryLanes(to, memory, index),
            false => Instr::LoadMemory(to, memory, index),
        });
    }
    let number = line.number();
    line.word("an operation")?;
    Ok(match word {
        "lane" => {
            let lane = line.decimal()?;
            line.keyword("of")?;
            Instr::Lane(to, types.operand(line)?, lane)
        }
        "from" => Instr::FromLanes(to, types.operands(line)?.into()),
        "undefined" => Instr::Undefined(to),
        "centres" => {
            let axis = axis(line)?;
            line.keyword("from")?;
            Instr::Centres(to, axis, line.decimal()?)
        }
        "mul_add" => {
            let [a, b, c] = [types.operand(line)?, types.operand(line)?, types.operand(line)?];
            Instr::MulAdd(to, [a, b, c])
        }
        "exponent" => Instr::Part(to, Part::Exponent, types.operand(line)?),
        "significand" => Instr::Part(to, Part::Significand, types.operand(line)?),
        "broadcast" => Instr::Broadcast(to, types.operand(line)?),
        "lower" => Instr::Half(to, types.operand(line)?, false),
        "upper" => Instr::Half(to, types.operand(line)?, true),
        "join" => Instr::Join(to, types.array(line)?),
        "concat" => {
            let is_upper = half(line)?;
            Instr::Concat(to, types.array(line)?, is_upper)
        }
        "words" => {
            let is_upper = half(line)?;
            Instr::Words(to, types.array(line)?, is_upper)
        }
        "funnel" => {
            let by = line.decimal()?;
            Instr::Funnel(to, by, types.array(line)?)
        }
        "logic" => {
            let table = line.bits(2)? as u8;
            Instr::Logic(to, table, types.array(line)?)
        }
        "table" => {
            let mut table = Box::new([0; 8]);
            for word in table.iter_mut() {
                *word = line.bits(8)? as u32;
            }
            line.keyword("at")?;
            Instr::Table(to, table, types.operand(line)?)
        }
        "any" => Instr::Any(to, types.operands(line)?.into()),
        "input" => Instr::Input(to, input(line, named)?),
        "primitive" => Instr::Primitive(to, line.decimal()?),
        "lanes" => {
            let column = column(line)?;
            let index = line.decimal()?;
            line.keyword("of")?;
            Instr::Lanes(to, column, index, types.operand(line)?)
        }
        "plane" => Instr::Plane(to),
        "load" => {
            let (space, first, index) = address(line, named, types)?;
            Instr::Load(to, space, first, index)
        }
        "scattered" => {
            let index = types.operand(line)?;
            Instr::Scattered(to, index, columns(line)?)
        }
        "apart" => {
            line.keyword("by")?;
            let step = line.positive()?;
            Instr::Apart(to, step, pairs(line, types)?)
        }
        "slot" => Instr::Slot(to, line.decimal()?),
        "execution" => {
            line.keyword("mask")?;
            Instr::ExecutionMask(to, line.decimal()?)
        }
        "argument" => {
            let all = [
                Argument::Column,
                Argument::Row,
                Argument::Groups,
                Argument::Pixels,
                Argument::Stride,
                Argument::Lanes,
            ];
            let all = all.map(|argument| (format!("{argument:?}"), argument));
            Instr::Argument(to, choice(line, "an argument", &all)?)
        }
        "limit" => {
            let all = [Limit::First, Limit::Rest].map(|limit| (format!("{limit:?}"), limit));
            Instr::Limit(to, choice(line, "a limit", &all)?)
        }
        "poll" => Instr::Poll(to),
        "call" => {
            let procedure = line.decimal()?;
            let has_arguments = !line.peek().is_empty();
            let arguments = if has_arguments { types.operands(line)? } else { Vec::new() };
            Instr::Call { procedure, to, arguments: arguments.into() }
        }
        "callout" => {
            let function = elementary(line)?;
            let operands = types.operands(line)?.into();
            line.keyword("where")?;
            Instr::Callout { function, to, mask: types.operand(line)?, operands }
        }
        "reload" => Instr::Reload(to, line.decimal()?),
        name => {
            let op = LaneOp::named(name);
            let op = op.ok_or_else(|| ReadErrorKind::Operation(name.to_owned()).at(number))?;
            Instr::Op(to, op, types.operands(line)?.into())
        }
    })
}

/// Takes an even number of registers.
fn pairs(line: &mut Line<'_>, types: &mut Types) -> Result<Box<[[Reg; 2]]>, ReadError> {
    match types.operands(line)?.as_chunks() {
        (pairs, []) => Ok(pairs.into()),
        _ => Err(line.expected("pairs of registers")),
    }
}

/// Takes one of several words.
fn choice<T: Copy>(
    line: &mut Line<'_>,
    expected: &'static str,
    all: &[(impl AsRef<str>, T)],
) -> Result<T, ReadError> {
    let word = line.peek();
    match all.iter().find(|(name, _)| name.as_ref() == word) {
        Some(&(_, value)) => line.word(expected).map(|_| value),
        None => Err(line.expected(expected)),
    }
}

fn axis(line: &mut Line<'_>) -> Result<Axis, ReadError> {
    choice(line, "an axis", &[("x", Axis::X), ("y", Axis::Y)])
}

/// Takes the name of a half; true for the upper one.
fn half(line: &mut Line<'_>) -> Result<bool, ReadError> {
    choice(line, "a half", &[("lower", false), ("upper", true)])
}

/// The bits of a constant.
fn bits(kind: Kind, word: &str) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return kind.is_float().then(|| u64::from_str_radix(digits, 16).ok())?;
    }
    Some(match kind {
        Kind::F32 => word.parse::<f32>().ok()?.to_bits().into(),
        Kind::F64 => word.parse::<f64>().ok()?.to_bits(),
        Kind::I32 => (word.parse::<i32>().ok()? as u32).into(),
        Kind::I64 => word.parse::<i64>().ok()? as u64,
        Kind::Mask => word.parse::<bool>().ok()?.into(),
        Kind::Array(_) => return None,
    })
}

/// Takes the number of a word of inputs, and its name if there is that word.
fn input(line: &mut Line<'_>, named: Named<'_>) -> Result<u32, ReadError> {
    let word = line.decimal::<u32>()?;
    if (word as usize) < named.inputs.len() {
        let name = named.inputs.get(word as usize).to_string();
        if line.word("the name of the input")? != name {
            return Err(ReadErrorKind::InputName { word, name }.at(line.number()));
        }
    }
    Ok(word)
}

/// Takes a space, the offset of the index, and the index.
fn address(
    line: &mut Line<'_>,
    named: Named<'_>,
    types: &mut Types,
) -> Result<(Space, u32, Reg), ReadError> {
    let (space, first) = origin(line, named)?;
    Ok((space, first, types.operand(line)?))
}

/// Takes a space and the offset of an index, with the sign before the index.
fn origin(line: &mut Line<'_>, named: Named<'_>) -> Result<(Space, u32), ReadError> {
    let word = line.peek();
    let space = if line.has("slots") {
        Space::Slots
    } else if word.starts_with("resource") {
        let resource = |word: &str| word.strip_prefix("resource.")?.parse().ok().map(Numbered);
        let Numbered(number) = line.printed("a resource", resource)?;
        if number as usize >= named.resources.0.len() {
            return Err(ReadErrorKind::NoResource(number).at(line.number()));
        }
        Space::Resource(number)
    } else {
        Space::Inputs
    };
    let first = line.decimal()?;
    line.mark("+")?;
    Ok((space, first))
}

/// A resource, by its number.
struct Numbered(u32);

impl std::fmt::Display for Numbered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "resource.{}", self.0)
    }
}

fn columns(line: &mut Line<'_>) -> Result<Columns, ReadError> {
    line.keyword("in")?;
    let rows = match () {
        () if line.has("lanes") => Rows::Joined,
        () if line.has("one") => {
            line.keyword("row")?;
            Rows::Alike
        }
        () => {
            line.keyword("rows")?;
            Rows::Apart
        }
    };
    line.keyword("by")?;
    Ok(Columns { step: line.decimal()?, rows })
}

/// Takes the number of a memory and an index. True if the words of all lanes begin there.
fn memory_place(line: &mut Line<'_>, types: &mut Types) -> Result<(u32, Reg, bool), ReadError> {
    line.keyword("memory")?;
    let memory = line.decimal()?;
    let is_of_lanes = line.has("from");
    if !is_of_lanes {
        line.keyword("at")?;
    }
    Ok((memory, types.operand(line)?, is_of_lanes))
}

fn array_place(line: &mut Line<'_>, types: &mut Types) -> Result<ArrayPlace, ReadError> {
    line.keyword("array")?;
    let array = line.decimal()?;
    line.keyword("of")?;
    let words = line.decimal()?;
    line.mark("[")?;
    let first = line.decimal()?;
    let index = if line.has_mark("+") { Some(types.operand(line)?) } else { None };
    line.mark("]")?;
    line.mark(",")?;
    line.keyword("register")?;
    Ok(ArrayPlace { array, words, first, index, register: line.decimal()? })
}
