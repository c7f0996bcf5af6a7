//! The text of a lane program, for people.

use std::fmt::{self, Display, Formatter};

use super::{Axis, BlockId, End, Expr, InputWord, Kind, LaneProgram, Op, Rate, Statement, ValueId};

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Mask => "mask",
        })
    }
}

impl Display for Rate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::FRAME => "frame",
            Self::GROUP => "group",
            Self::X => "x",
            Self::Y => "y",
            _ => "varying",
        })
    }
}

impl Display for ValueId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for Op {
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
            Self::Div => "div",
            Self::Min => "min",
            Self::Max => "max",
            Self::Less => "less",
            Self::LessEqual => "less-equal",
            Self::Equal => "equal",
            Self::NotEqual => "not-equal",
            Self::And => "and",
            Self::AndNot => "and-not",
            Self::Or => "or",
            Self::Not => "not",
            Self::ShiftLeft(n) => return write!(f, "shift-left.{n}"),
            Self::ShiftRight(n) => return write!(f, "shift-right.{n}"),
            Self::Select => "select",
            Self::Promote => "promote",
            Self::Demote => "demote",
            Self::FromInteger => "from-integer",
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
        }
    }
}

/// Values between commas.
pub(crate) struct List<'a, T>(pub(crate) &'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A constant with its value and, where that does not say everything, its bits.
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
        }
    }
}

impl Display for LaneProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { program: self, f };
        let root = self.block(Self::ROOT);
        printer.line(0, "frame {")?;
        printer.statements(&root.statements[..self.frame_len], 1)?;
        printer.line(0, "}")?;
        printer.line(0, "group {")?;
        printer.statements(&root.statements[self.frame_len..], 1)?;
        printer.end(&root.end, 1)?;
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

    /// Values as they are defined: with kind and rate.
    fn defined(&self, values: &[ValueId]) -> String {
        let defined: Vec<String> = values
            .iter()
            .map(|&v| {
                let (rate, kind) = (self.program.rate(v), self.program.kind(v));
                // One truth value for all lanes masks nothing.
                if rate.is_uniform() && kind == Kind::Mask {
                    format!("{v}: {rate} bool")
                } else {
                    format!("{v}: {rate} {kind}")
                }
            })
            .collect();
        List(&defined).to_string()
    }

    fn expr(&self, value: ValueId, expr: &Expr) -> String {
        match expr {
            Expr::Constant(bits) => Constant(self.program.kind(value), *bits).to_string(),
            Expr::Undefined => "undefined".into(),
            Expr::Input(word) => format!("input {}", self.program.inputs[*word as usize]),
            Expr::Coordinate(Axis::X) => "coordinate x".into(),
            Expr::Coordinate(Axis::Y) => "coordinate y".into(),
            Expr::ExecutionMask => "execution mask".into(),
            Expr::Op(op, operands) => format!("{op} {}", List(operands)),
            Expr::Elementary { function, operands, mask } => {
                let name = function.name();
                match mask {
                    Some(mask) => format!("elem {name} {} where {mask}", List(operands)),
                    None => format!("elem {name} {}", List(operands)),
                }
            }
            Expr::Any(mask) => format!("any {mask}"),
        }
    }

    fn statements(&mut self, statements: &[Statement], depth: usize) -> fmt::Result {
        for statement in statements {
            let defined = self.defined(statement.values());
            let equals = if defined.is_empty() { "" } else { " = " };
            match statement {
                Statement::Let { value, expr } => {
                    let expr = self.expr(*value, expr);
                    self.line(depth, format_args!("{defined} = {expr}"))?;
                }
                Statement::If { condition, then, otherwise, .. } => {
                    self.line(depth, format_args!("{defined}{equals}if {condition} {{"))?;
                    self.block(*then, depth + 1)?;
                    self.line(depth, "} else {")?;
                    self.block(*otherwise, depth + 1)?;
                    self.line(depth, "}")?;
                }
                Statement::Loop { params, inits, body, site, .. } => {
                    let params = self.defined(params);
                    let inits = List(inits);
                    self.line(
                        depth,
                        format_args!("{defined}{equals}loop #{site} ({params}) from ({inits}) {{"),
                    )?;
                    self.block(*body, depth + 1)?;
                    self.line(depth, "}")?;
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, id: BlockId, depth: usize) -> fmt::Result {
        let program = self.program;
        let block = program.block(id);
        self.statements(&block.statements, depth)?;
        self.end(&block.end, depth)
    }

    fn end(&mut self, end: &End, depth: usize) -> fmt::Result {
        match end {
            End::Yield(values) => self.line(depth, format_args!("yield {}", List(values))),
            End::Rec(values) => self.line(depth, format_args!("rec {}", List(values))),
            End::If { condition, then, otherwise } => {
                self.line(depth, format_args!("if {condition} {{"))?;
                self.block(*then, depth + 1)?;
                self.line(depth, "} else {")?;
                self.block(*otherwise, depth + 1)?;
                self.line(depth, "}")
            }
        }
    }
}
