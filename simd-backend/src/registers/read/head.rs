//! The head of a program: its shape, resources, inputs and slots.

use lambdav_core::texture::{Level, TextureKind};

use super::columns::column;
use super::error::{ReadError, ReadErrorKind};
use super::line::{Line, Lines};
use super::types::KINDS;
use crate::lanes::inputs::What;
use crate::lanes::{
    Axis, Column, Descriptors, Extent, Extents, InputSet, InputWord, InputWords, Items, Kind,
    Resource,
};
use crate::machine::Tile;
use crate::registers::Shape;

/// The head of a program.
pub(super) struct Head {
    pub(super) shape: Shape,
    pub(super) items: Items,
    pub(super) attachments: usize,
    pub(super) primitive_words: u32,
    pub(super) array_words: u32,
    pub(super) resources: Descriptors,
    pub(super) inputs: InputWords,
    pub(super) slots: Vec<Kind>,
}

/// The parts of the head that instructions name.
#[derive(Clone, Copy)]
pub(super) struct Named<'h> {
    pub(super) inputs: &'h InputWords,
    pub(super) resources: &'h Descriptors,
}

/// Takes the head.
pub(super) fn head(lines: &mut Lines<'_>) -> Result<Head, ReadError> {
    let shape = shape(&mut lines.take()?)?;
    let mut items = Items::Rows;
    if lines.begins_with("listed") {
        let mut line = lines.take()?;
        line.keyword("listed")?;
        line.end()?;
        items = Items::Listed;
    } else if lines.begins_with("invocations") {
        let mut line = lines.take()?;
        line.keyword("invocations")?;
        let mut columns = vec![Column::Mask];
        while columns.len() == 1 && !line.peek().is_empty() || line.has_mark(",") {
            columns.push(column(&mut line)?);
        }
        line.end()?;
        let (mut inputs, mut saved) = (InputSet::NONE, 0);
        for column in &columns[1..] {
            match *column {
                Column::Invocation(input, k) => inputs = inputs.with(input, k).unwrap_or(inputs),
                _ => saved += 1,
            }
        }
        items = Items::Invocations { inputs, saved };
        // They are printed in order.
        if !items.columns().eq(columns) {
            return Err(ReadErrorKind::Columns.at(line.number()));
        }
    }
    let mut attachments = 1;
    if lines.begins_with("attachments") {
        let mut line = lines.take()?;
        line.keyword("attachments")?;
        // One attachment is not printed.
        let is_printed = |&count: &usize| count != 1;
        attachments = line.printed("a number", |word| word.parse().ok().filter(is_printed))?;
        line.end()?;
    }
    let primitive_words = words(lines, "primitive")?;
    let array_words = words(lines, "arrays")?;
    let mut resources = Descriptors::default();
    while lines.begins_with("resource") {
        let mut line = lines.take()?;
        let resource = resource(&mut line, resources.0.len() as u32)?;
        line.end()?;
        resources.0.push(resource);
    }
    let mut inputs = InputWords::default();
    let mut last = 0;
    while lines.begins_with("input") {
        let mut line = lines.take()?;
        input(&mut line, &resources, &mut inputs)?;
        line.end()?;
        last = line.number();
    }
    for (number, resource) in (0..).zip(&resources.0) {
        let end = u64::from(resource.first) + u64::from(resource.words());
        if end > inputs.len() as u64 {
            return Err(ReadErrorKind::Sizes(number).at(last));
        }
    }
    let mut slots = Vec::new();
    if lines.begins_with("slots") {
        let mut line = lines.take()?;
        line.keyword("slots")?;
        slots.push(kind(&mut line)?);
        while line.has_mark(",") {
            slots.push(kind(&mut line)?);
        }
        line.end()?;
    }
    Ok(Head { shape, items, attachments, primitive_words, array_words, resources, inputs, slots })
}

fn shape(line: &mut Line<'_>) -> Result<Shape, ReadError> {
    line.keyword("groups")?;
    line.keyword("of")?;
    let columns: u32 = line.decimal()?;
    line.mark("×")?;
    let rows: u32 = line.decimal()?;
    line.keyword("pixels")?;
    line.mark(",")?;
    let width: u32 = line.decimal()?;
    for word in ["lanes", "to", "a", "register"] {
        line.keyword(word)?;
    }
    line.end()?;
    let tiles = [Tile::ONE, Tile::FOUR, Tile::EIGHT, Tile::SIXTEEN];
    let tile = tiles.into_iter().find(|tile| tile.width() == width);
    let shape = tile.and_then(|tile| Shape::new(columns.checked_mul(rows)?, tile));
    let shape =
        shape.filter(|of| (of.columns(), of.rows(), of.tile.width()) == (columns, rows, width));
    shape.ok_or_else(|| ReadErrorKind::Shape.at(line.number()))
}

/// Takes a line with a number of words; without that line there are none.
fn words(lines: &mut Lines<'_>, name: &'static str) -> Result<u32, ReadError> {
    if !lines.begins_with(name) {
        return Ok(0);
    }
    let mut line = lines.take()?;
    line.keyword(name)?;
    let words = line.positive()?;
    line.keyword("words")?;
    line.end()?;
    Ok(words)
}

fn resource(line: &mut Line<'_>, number: u32) -> Result<Resource, ReadError> {
    line.keyword("resource")?;
    line.counted(number)?;
    line.mark(":")?;
    let is_memory = line.has("memory");
    let (mut width, mut levels) = (1, 0);
    if !is_memory {
        width = line.positive()?;
        line.keyword("words")?;
        line.mark(",")?;
        levels = line.decimal()?;
        line.keyword("levels")?;
    }
    line.mark(",")?;
    let mut component = None;
    if line.has("component") {
        let is_narrow = |component: &u8| *component < 4 && width == 1 && levels > 0;
        component = Some(line.printed("a component", |word| word.parse().ok().filter(is_narrow))?);
        line.mark(",")?;
    }
    let kinds = TextureKind::ALL.into_iter().filter(|kind| kind.has_planes());
    let kind = kinds.into_iter().find(|kind| line.has(kind.name())).unwrap_or_default();
    if kind.has_planes() {
        line.mark(",")?;
    }
    line.keyword("sizes")?;
    line.keyword("at")?;
    let first = line.decimal()?;
    let mut extents = Extents::Any;
    let mut baked = Vec::new();
    while line.has_mark(",") {
        if baked.is_empty() && !line.has("level") {
            extents = Extents::Buffer(line.positive()?);
            line.keyword("elements")?;
            break;
        }
        if !baked.is_empty() {
            line.keyword("level")?;
        }
        let width = line.positive()?;
        line.mark("×")?;
        let height = line.positive()?;
        let planes = if line.has_mark("×") { line.positive()? } else { 1 };
        line.keyword("at")?;
        baked.push(Level { first: line.decimal()?, width, height, planes });
    }
    if !baked.is_empty() {
        extents = Extents::Texture(baked.into());
    }
    Ok(Resource { is_memory, width, component, levels, kind, extents, first })
}

/// Takes a run of words of inputs.
fn input(
    line: &mut Line<'_>,
    resources: &Descriptors,
    inputs: &mut InputWords,
) -> Result<(), ReadError> {
    line.keyword("input")?;
    line.counted(inputs.len() as u32)?;
    line.mark(":")?;
    let (what, words) = if line.has("uniform") {
        let index = line.decimal()?;
        line.mark(",")?;
        let words = line.positive()?;
        line.keyword("words")?;
        (What::Uniform(index), words)
    } else if line.has("sizes") {
        line.keyword("of")?;
        line.keyword("resource")?;
        let number: u32 = line.decimal()?;
        let Some(resource) = resources.0.get(number as usize) else {
            return Err(ReadErrorKind::NoResource(number).at(line.number()));
        };
        if resource.words() == 0 || resource.first as usize != inputs.len() {
            return Err(ReadErrorKind::Sizes(number).at(line.number()));
        }
        (What::Descriptor(number, resource.clone()), resource.words())
    } else if line.has("constants") {
        let mut words = vec![line.bits(8)? as u32];
        while line.has_mark(",") {
            words.push(line.bits(8)? as u32);
        }
        let count = words.len() as u32;
        (What::Constants(words.into()), count)
    } else {
        (What::One(line.printed("an input", input_word)?), 1)
    };
    if inputs.len() as u64 + u64::from(words) > u64::from(u32::MAX) {
        return Err(ReadErrorKind::Number(words.to_string()).at(line.number()));
    }
    inputs.add(what, words as usize);
    Ok(())
}

/// The word of that name.
fn input_word(name: &str) -> Option<InputWord> {
    let parts: Vec<&str> = name.split('.').collect();
    Some(match parts[..] {
        ["resolution", "x"] => InputWord::Resolution(Axis::X),
        ["resolution", "y"] => InputWord::Resolution(Axis::Y),
        ["time"] => InputWord::Time,
        ["frame"] => InputWord::Frame,
        ["mouse", component] => InputWord::Mouse(component.parse().ok()?),
        ["uniform", index, word] => InputWord::Uniform(index.parse().ok()?, word.parse().ok()?),
        ["resource", number, of] => InputWord::Extent(number.parse().ok()?, extent(of, None)?),
        ["resource", number, of, level] => {
            InputWord::Extent(number.parse().ok()?, extent(of, level.parse().ok())?)
        }
        [bits] => InputWord::Constant(u32::from_str_radix(bits.strip_prefix("0x")?, 16).ok()?),
        _ => return None,
    })
}

fn extent(name: &str, level: Option<u8>) -> Option<Extent> {
    Some(match (name, level) {
        ("length", None) => Extent::Length,
        ("last", None) => Extent::Last,
        ("levels", None) => Extent::Levels,
        ("last-level", None) => Extent::LastLevel,
        ("width", Some(level)) => Extent::Width(level),
        ("height", Some(level)) => Extent::Height(level),
        ("last-column", Some(level)) => Extent::LastColumn(level),
        ("last-row", Some(level)) => Extent::LastRow(level),
        ("first", Some(level)) => Extent::First(level),
        ("planes", Some(level)) => Extent::Planes(level),
        ("last-plane", Some(level)) => Extent::LastPlane(level),
        _ => return None,
    })
}

fn kind(line: &mut Line<'_>) -> Result<Kind, ReadError> {
    line.printed("a kind", |word| KINDS.into_iter().find(|kind| kind.to_string() == word))
}
