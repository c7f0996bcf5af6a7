//! The text of a lane program, for human readers.

use std::fmt::{self, Display, Formatter};

use lambdav_core::graph::Side;

use super::{
    Access, Axis, Change, Column, Extent, InputWord, Kind, LaneEnd, LaneExpr, LaneOp, LaneProgram,
    LaneStatement, Rate, Space, ValueId,
};
use crate::lanes::walk::{Event, Walk};

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Mask => "mask",
            Self::Array(words) => return write!(f, "array.{words}"),
        })
    }
}

impl Display for Rate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::FRAME => "frame",
            Self::PRIMITIVE => "primitive",
            Self::GROUP => "group",
            Self::X => "x",
            Self::Y => "y",
            _ => "varying",
        })
    }
}

/// Another pixel of the quad.
pub(crate) struct Beside(pub(crate) Axis, pub(crate) Side);

impl Display for Beside {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.0, self.1) {
            (Axis::X, Side::Even) => "even x",
            (Axis::X, Side::Odd) => "odd x",
            (Axis::Y, Side::Even) => "even y",
            (Axis::Y, Side::Odd) => "odd y",
        })
    }
}

impl Display for ValueId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for LaneOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Neg => "neg",
            Self::Abs => "abs",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Trunc => "trunc",
            Self::RoundEven => "round-even",
            Self::Sqrt => "sqrt",
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::MulHigh => "mul-high",
            Self::Div => "div",
            Self::Fma => "fma",
            Self::Min => "min",
            Self::Max => "max",
            Self::MinUnsigned => "min-unsigned",
            Self::MaxUnsigned => "max-unsigned",
            Self::Less => "less",
            Self::LessEqual => "less-equal",
            Self::LessUnsigned => "less-unsigned",
            Self::LessEqualUnsigned => "less-equal-unsigned",
            Self::Equal => "equal",
            Self::NotEqual => "not-equal",
            Self::And => "and",
            Self::AndNot => "and-not",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Not => "not",
            Self::ShiftLeft(n) => return write!(f, "shift-left.{n}"),
            Self::ShiftRight(n) => return write!(f, "shift-right.{n}"),
            Self::ShiftRightSigned(n) => return write!(f, "shift-right-signed.{n}"),
            Self::ShiftLeftBy => "shift-left-by",
            Self::ShiftRightBy => "shift-right-by",
            Self::ShiftRightSignedBy => "shift-right-signed-by",
            Self::Select => "select",
            Self::Promote => "promote",
            Self::Demote => "demote",
            Self::FromInteger => "from-integer",
            Self::FromUnsigned => "from-unsigned",
            Self::ToInteger => "to-integer",
            Self::ToUnsigned => "to-unsigned",
            Self::ToIntegerInRange => "to-integer-in-range",
            Self::Widen => "widen",
            Self::Narrow => "narrow",
            Self::Bits => "bits",
        })
    }
}

impl Display for InputWord {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolution(Axis::X) => f.write_str("resolution.x"),
            Self::Resolution(Axis::Y) => f.write_str("resolution.y"),
            Self::Time => f.write_str("time"),
            Self::Frame => f.write_str("frame"),
            Self::Mouse(k) => write!(f, "mouse.{k}"),
            Self::Uniform(index, k) => write!(f, "uniform.{index}.{k}"),
            Self::Extent(number, extent) => write!(f, "resource.{number}.{extent}"),
            Self::Constant(bits) => write!(f, "{bits:#010x}"),
        }
    }
}

impl Display for Extent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => f.write_str("length"),
            Self::Last => f.write_str("last"),
            Self::Levels => f.write_str("levels"),
            Self::LastLevel => f.write_str("last-level"),
            Self::Width(level) => write!(f, "width.{level}"),
            Self::Height(level) => write!(f, "height.{level}"),
            Self::LastColumn(level) => write!(f, "last-column.{level}"),
            Self::LastRow(level) => write!(f, "last-row.{level}"),
            Self::First(level) => write!(f, "first.{level}"),
            Self::Planes(level) => write!(f, "planes.{level}"),
            Self::LastPlane(level) => write!(f, "last-plane.{level}"),
        }
    }
}

impl Display for Column {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mask => f.write_str("Mask"),
            Self::X => f.write_str("X"),
            Self::Y => f.write_str("Y"),
            Self::Invocation(input, k) => write!(f, "{}.{k}", input.name()),
            Self::Saved(word) => write!(f, "saved.{word}"),
        }
    }
}

impl LaneOp {
    /// The operation of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        /// Operations without a number in their names.
        const PLAIN: [LaneOp; 42] = [
            LaneOp::Neg,
            LaneOp::Abs,
            LaneOp::Floor,
            LaneOp::Ceil,
            LaneOp::Trunc,
            LaneOp::RoundEven,
            LaneOp::Sqrt,
            LaneOp::Add,
            LaneOp::Sub,
            LaneOp::Mul,
            LaneOp::MulHigh,
            LaneOp::Div,
            LaneOp::Fma,
            LaneOp::Min,
            LaneOp::Max,
            LaneOp::MinUnsigned,
            LaneOp::MaxUnsigned,
            LaneOp::Less,
            LaneOp::LessEqual,
            LaneOp::LessUnsigned,
            LaneOp::LessEqualUnsigned,
            LaneOp::Equal,
            LaneOp::NotEqual,
            LaneOp::And,
            LaneOp::AndNot,
            LaneOp::Or,
            LaneOp::Xor,
            LaneOp::Not,
            LaneOp::ShiftLeftBy,
            LaneOp::ShiftRightBy,
            LaneOp::ShiftRightSignedBy,
            LaneOp::Select,
            LaneOp::Promote,
            LaneOp::Demote,
            LaneOp::FromInteger,
            LaneOp::FromUnsigned,
            LaneOp::ToInteger,
            LaneOp::ToUnsigned,
            LaneOp::ToIntegerInRange,
            LaneOp::Widen,
            LaneOp::Narrow,
            LaneOp::Bits,
        ];
        let is_it = |op: &Self| op.to_string() == name;
        let Some((_, number)) = name.split_once('.') else {
            return PLAIN.into_iter().find(is_it);
        };
        let number = number.parse().ok()?;
        let shifts = [Self::ShiftLeft, Self::ShiftRight, Self::ShiftRightSigned];
        shifts.map(|shift| shift(number)).into_iter().find(is_it)
    }
}

/// An index into an array: an offset, and optionally a value.
pub(crate) struct Place<T>(pub(crate) u32, pub(crate) Option<T>);

impl<T: Display> Display for Place<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self(first, None) => write!(f, "[{first}]"),
            Self(first, Some(index)) => write!(f, "[{first} + {index}]"),
        }
    }
}

/// Values separated by commas.
pub(crate) struct List<'a, T>(pub(crate) &'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A constant's value, or its bits if it is a NaN.
pub(crate) struct Constant(pub(crate) Kind, pub(crate) u64);

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(kind, bits) = *self;
        match kind {
            Kind::F32 => {
                let value = f32::from_bits(bits as u32);
                if value.is_nan() { write!(f, "0x{bits:08x}") } else { write!(f, "{value:?}") }
            }
            Kind::F64 => {
                let value = f64::from_bits(bits);
                if value.is_nan() { write!(f, "0x{bits:016x}") } else { write!(f, "{value:?}") }
            }
            Kind::I32 => write!(f, "{}", bits as i32),
            Kind::I64 => write!(f, "{}", bits as i64),
            Kind::Mask => write!(f, "{}", bits != 0),
            Kind::Array(_) => unreachable!("no array is a constant"),
        }
    }
}

/// The prefix of a word's index.
impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inputs => Ok(()),
            Self::Resource(number) => write!(f, "resource.{number} "),
            Self::Slots => write!(f, "slots "),
        }
    }
}

impl Display for LaneProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { program: self, f };
        printer.line(0, "frame {")?;
        let first = self.frame_len + self.primitive_len;
        let between = |printer: &mut Printer<'_, '_, '_>, index: usize| {
            if index == self.frame_len && self.primitive_len > 0 {
                printer.line(0, "}")?;
                printer.line(0, "primitive {")?;
            } else if index == first {
                printer.line(0, "}")?;
                printer.line(0, "group {")?;
            }
            Ok(())
        };
        // Blocks that are followed by another arm.
        let mut is_first = vec![false; self.blocks.len()];
        let mut depth = 0;
        for event in Walk::new().events(self) {
            match event {
                Event::Enter(_) => depth += 1,
                Event::Statement(id, index) => {
                    if id == Self::ROOT {
                        between(&mut printer, index)?;
                    }
                    let statement = &self.block(id).statements[index];
                    if let LaneStatement::If { then, .. } = statement {
                        is_first[then.index()] = true;
                    }
                    printer.statement(statement, depth)?;
                }
                Event::After(..) => printer.line(depth, "}")?,
                Event::End(id) => {
                    let block = self.block(id);
                    if id == Self::ROOT && first == block.statements.len() {
                        between(&mut printer, first)?;
                    }
                    if let LaneEnd::If { then, .. } = block.end {
                        is_first[then.index()] = true;
                    }
                    printer.end(&block.end, depth)?;
                }
                Event::Leave(id) => {
                    if matches!(self.block(id).end, LaneEnd::If { .. }) {
                        printer.line(depth, "}")?;
                    }
                    depth -= 1;
                    if is_first[id.index()] {
                        printer.line(depth, "} else {")?;
                    }
                }
            }
        }
        printer.line(0, "}")
    }
}

struct Printer<'p, 'f, 'g> {
    program: &'p LaneProgram,
    f: &'f mut Formatter<'g>,
}

impl Printer<'_, '_, '_> {
    fn line(&mut self, depth: usize, text: impl Display) -> fmt::Result {
        let depth = 2 * depth.min(40);
        writeln!(self.f, "{:depth$}{text}", "")
    }

    /// Definitions of values, with rate and kind.
    fn defined(&self, values: &[ValueId]) -> String {
        let defined: Vec<String> = values
            .iter()
            .map(|&v| {
                let (rate, kind) = (self.program.rate(v), self.program.kind(v));
                // A uniform truth value masks no lane.
                if rate.is_uniform() && kind == Kind::Mask {
                    format!("{v}: {rate} bool")
                } else {
                    format!("{v}: {rate} {kind}")
                }
            })
            .collect();
        List(&defined).to_string()
    }

    fn expr(&self, value: ValueId, expr: &LaneExpr) -> String {
        match expr {
            LaneExpr::Constant(bits) => Constant(self.program.kind(value), *bits).to_string(),
            LaneExpr::Undefined => "undefined".into(),
            LaneExpr::Input(word) => format!("input {}", self.program.inputs.get(*word as usize)),
            LaneExpr::Primitive(word) => format!("primitive {word}"),
            LaneExpr::Load { space, first, index } => format!("load {space}{first} + {index}"),
            LaneExpr::Lookup { words, first, index } => {
                format!("lookup {first} + {index} of {}", List(words))
            }
            LaneExpr::Coordinate(Axis::X) => "coordinate x".into(),
            LaneExpr::Coordinate(Axis::Y) => "coordinate y".into(),
            LaneExpr::Invocation(input, k) => Column::Invocation(*input, *k).to_string(),
            LaneExpr::Saved(word) => Column::Saved(*word).to_string(),
            LaneExpr::ExecutionMask => "execution mask".into(),
            LaneExpr::Op(op, operands) => format!("{op} {}", List(operands)),
            LaneExpr::Elementary { function, operands, mask } => {
                let name = function.name();
                match mask {
                    Some(mask) => format!("elem {name} {} where {mask}", List(operands)),
                    None => format!("elem {name} {}", List(operands)),
                }
            }
            LaneExpr::Any(mask) => format!("any {mask}"),
            LaneExpr::Array(words) => format!("array {}", List(words)),
            LaneExpr::Table(first) => format!("table {first}"),
            LaneExpr::At { array, first, index } => format!("at {array} {}", Place(*first, *index)),
            LaneExpr::Put { array, first, index, word, mask } => {
                let place = Place(*first, *index);
                match mask {
                    Some(mask) => format!("put {array} {place} = {word} where {mask}"),
                    None => format!("put {array} {place} = {word}"),
                }
            }
            LaneExpr::Neighbour { of, axis, side } => format!("{of} at {}", Beside(*axis, *side)),
            LaneExpr::Merge(mask, arrays) => format!("merge {mask}, {}", List(arrays)),
        }
    }

    /// A statement, up to its inner blocks.
    fn statement(&mut self, statement: &LaneStatement, depth: usize) -> fmt::Result {
        let defined = self.defined(statement.values());
        let equals = if defined.is_empty() { "" } else { " = " };
        match statement {
            LaneStatement::Let { value, expr } => {
                let expr = self.expr(*value, expr);
                self.line(depth, format_args!("{defined} = {expr}"))
            }
            LaneStatement::Access { access, .. } => {
                let Access { memory, index, mask, change } = access;
                let place = format!("{defined}{equals}memory.{memory}[{index}]");
                match change {
                    None => match mask {
                        None => self.line(depth, place),
                        Some(mask) => self.line(depth, format_args!("{place} where {mask}")),
                    },
                    Some(Change { atomic, words, mask }) => {
                        let (name, words) = (atomic.name(), List(words));
                        self.line(depth, format_args!("{place} {name} {words} where {mask}"))
                    }
                }
            }
            LaneStatement::If { condition, .. } => {
                self.line(depth, format_args!("{defined}{equals}if {condition} {{"))
            }
            LaneStatement::Loop { params, inits, site, .. } => {
                let (params, inits) = (self.defined(params), List(inits));
                let head = format!("loop #{site} ({params}) from ({inits}) {{");
                self.line(depth, format_args!("{defined}{equals}{head}"))
            }
        }
    }

    /// The end of a block, up to the blocks of its tail.
    fn end(&mut self, end: &LaneEnd, depth: usize) -> fmt::Result {
        match end {
            LaneEnd::Yield(values) => self.line(depth, format_args!("yield {}", List(values))),
            LaneEnd::Rec(values) => self.line(depth, format_args!("rec {}", List(values))),
            LaneEnd::If { condition, .. } => self.line(depth, format_args!("if {condition} {{")),
        }
    }
}
