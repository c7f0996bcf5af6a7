//! Expressions, with the parentheses that the grammar of WGSL needs.

use super::{Printer, scalar};
use crate::abstracts::Abstract;
use crate::builtins::Shape;
use crate::program::{Binary, Expr, Kind, Scalar, Type, Unary};

/// The rank of an expression in the grammar, from the loosest to the tightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// The operator's text.
pub(super) fn operator(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor | Binary::Xor => "^",
        Binary::Less => "<",
        Binary::Greater => ">",
        Binary::LessEqual => "<=",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}

fn level(op: Binary) -> Level {
    match op {
        Binary::Add | Binary::Sub => Level::Sum,
        Binary::Mul | Binary::Div | Binary::Rem => Level::Product,
        Binary::ShiftLeft | Binary::ShiftRight => Level::Shift,
        Binary::BitAnd => Level::BitAnd,
        Binary::BitOr => Level::BitOr,
        Binary::BitXor | Binary::Xor => Level::BitXor,
        Binary::And => Level::And,
        Binary::Or => Level::Or,
        _ => Level::Relation,
    }
}

/// True if an operand of this rank needs no parentheses.
fn fits(op: Binary, is_left: bool, operand: Level) -> bool {
    let own = level(op);
    match own {
        Level::Product => operand >= if is_left { Level::Product } else { Level::Unary },
        Level::Sum => operand >= if is_left { Level::Sum } else { Level::Product },
        Level::Shift => operand >= Level::Unary,
        Level::Relation => operand >= Level::Shift,
        Level::And | Level::Or => operand >= Level::Relation || (is_left && operand == own),
        _ => operand >= Level::Unary || (is_left && operand == own),
    }
}

/// True if the text without a type may be an abstract number.
fn is_number(of: &Expr) -> bool {
    match &of.kind {
        Kind::Literal(_) | Kind::Abstract(_) => of.ty != Type::BOOL,
        Kind::Construct(parts) => {
            !parts.is_empty()
                && matches!(of.ty, Type::Vector(..) | Type::Matrix(..) | Type::Array(..))
                && parts.iter().all(is_number)
        }
        _ => false,
    }
}

impl Printer<'_> {
    /// The text of an expression. `has_type` if the place gives numbers their type.
    pub(super) fn expr(&mut self, of: &Expr, has_type: bool) -> String {
        self.ranked(of, has_type).0
    }

    /// The text, in parentheses unless its rank is at least this.
    fn at_least(&mut self, of: &Expr, has_type: bool, least: Level) -> String {
        let (text, level) = self.ranked(of, has_type);
        if level >= least { text } else { format!("({text})") }
    }

    fn ranked(&mut self, of: &Expr, has_type: bool) -> (String, Level) {
        let (text, level) = self.plain(of, has_type);
        match self.random.percent(4) && !matches!(of.kind, Kind::AddressOf(_)) {
            true => (format!("({text})"), Level::Primary),
            false => (text, level),
        }
    }

    /// The text without parentheses around it.
    pub(super) fn plain(&mut self, of: &Expr, has_type: bool) -> (String, Level) {
        let primary = |text: String| (text, Level::Primary);
        match &of.kind {
            Kind::Literal(word) => {
                let kind = of.ty.scalar().expect("a literal has a component");
                self.literal(kind, *word, has_type)
            }
            Kind::Abstract(number) => {
                let text = self.number(number);
                match has_type && self.random.percent(60) {
                    true => (format!("({text})"), Level::Primary),
                    false => {
                        primary(format!("{}({text})", scalar(of.ty.scalar().expect("number"))))
                    }
                }
            }
            Kind::Compare(op, a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                primary(format!("(({a}) {} ({b}))", operator(*op)))
            }
            Kind::Variable(id) => primary(self.name(*id).to_owned()),
            Kind::Deref(id) => (format!("*{}", self.name(*id)), Level::Unary),
            Kind::AddressOf(place) => match place.kind {
                Kind::Deref(id) if self.random.percent(70) => primary(self.name(id).to_owned()),
                _ => (format!("&{}", self.at_least(place, false, Level::Unary)), Level::Unary),
            },
            Kind::Field(base, field) => {
                let Type::Structure(number) = base.ty else { unreachable!("it has members") };
                let name = &self.program.structures[number].fields[*field].0;
                primary(format!("{}.{name}", self.base(base)))
            }
            Kind::Index(base, index) => {
                let base = self.base(base);
                primary(format!("{base}[{}]", self.expr(index, true)))
            }
            Kind::Swizzle(base, components, is_colour) => {
                let base = self.base(base);
                let letters = if *is_colour { b"rgba" } else { b"xyzw" };
                let letter = |&k: &u8| char::from(letters[usize::from(k)]);
                primary(format!("{base}.{}", components.iter().map(letter).collect::<String>()))
            }
            Kind::Unary(op, a) => {
                let sign = match op {
                    Unary::Plus => "",
                    Unary::Minus => "-",
                    Unary::Not => "!",
                    Unary::BitNot => "~",
                };
                let operand = self.at_least(a, false, Level::Unary);
                match operand.starts_with('-') && *op == Unary::Minus {
                    true => (format!("-({operand})"), Level::Unary),
                    false => (format!("{sign}{operand}"), Level::Unary),
                }
            }
            Kind::Binary(op, a, b) => self.binary(*op, a, b),
            Kind::Construct(parts) => primary(self.construct(&of.ty, parts, has_type)),
            Kind::Bitcast(a) => {
                let ty = self.ty(&of.ty);
                primary(format!("bitcast<{ty}>({})", self.argument(a, false)))
            }
            Kind::Builtin(builtin, arguments) => {
                // Two operands of one type: a number beside one with a type has that.
                let is_common = matches!(
                    builtin.shape(),
                    Shape::Floats(_) | Shape::Numbers(_) | Shape::Vectors(_) | Shape::Dot
                );
                let texts: Vec<String> = (0..arguments.len())
                    .map(|k| {
                        let mut others = arguments.iter().enumerate();
                        let has_type =
                            is_common && others.any(|(other, of)| other != k && !is_number(of));
                        self.argument(&arguments[k], has_type)
                    })
                    .collect();
                let arguments = texts.join(", ");
                primary(match builtin.name().split_once('.') {
                    Some((name, member)) => format!("{name}({arguments}).{member}"),
                    None => format!("{}({arguments})", builtin.name()),
                })
            }
            Kind::Call(function, arguments) => {
                let name = &self.program.functions[*function].name;
                let arguments = self.list(arguments, true);
                primary(format!("{name}({arguments})"))
            }
        }
    }

    /// The base of an access. The name of a pointer stands for its place.
    fn base(&mut self, base: &Expr) -> String {
        match base.kind {
            Kind::Deref(id) if self.random.percent(50) => self.name(id).to_owned(),
            _ => self.at_least(base, false, Level::Primary),
        }
    }

    /// An argument. Comparisons and shifts are in parentheses, so that no `<` begins a template list.
    fn argument(&mut self, of: &Expr, has_type: bool) -> String {
        let (text, level) = self.ranked(of, has_type);
        if level > Level::Shift { text } else { format!("({text})") }
    }

    fn list(&mut self, all: &[Expr], has_type: bool) -> String {
        let all: Vec<String> = all.iter().map(|of| self.argument(of, has_type)).collect();
        all.join(", ") + if self.random.percent(3) && !all.is_empty() { "," } else { "" }
    }

    fn construct(&mut self, ty: &Type, parts: &[Expr], has_type: bool) -> String {
        // A constructor without a type takes it from its parts.
        let is_inferred = self.random.percent(30)
            && match ty {
                Type::Vector(of, _) => {
                    !parts.is_empty() && parts.iter().all(|part| part.ty.scalar() == Some(*of))
                }
                Type::Matrix(..) => parts.len() > 1,
                Type::Array(..) => !parts.is_empty(),
                _ => false,
            };
        if is_inferred {
            let name = match ty {
                Type::Vector(_, width) => format!("vec{width}"),
                Type::Matrix(columns, rows) => format!("mat{columns}x{rows}"),
                _ => "array".into(),
            };
            return format!("{name}({})", self.list(parts, has_type));
        }
        let name = self.ty(ty);
        let is_conversion = parts.len() == 1 && parts[0].ty.scalar() != ty.scalar();
        format!("{name}({})", self.list(parts, !is_conversion))
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) -> (String, Level) {
        let is_shift = matches!(op, Binary::ShiftLeft | Binary::ShiftRight);
        let left_type = !is_shift && !is_number(b);
        let right_type = is_shift || !is_number(a);
        let (mut left, left_level) = self.ranked(a, left_type);
        let (mut right, right_level) = self.ranked(b, right_type && !(left_type && is_number(a)));
        if !fits(op, true, left_level) {
            left = format!("({left})");
        }
        // `a < b >> c` has a template list.
        let is_list = op == Binary::Less && right_level == Level::Shift;
        if is_list || !fits(op, false, right_level) {
            right = format!("({right})");
        }
        (format!("{left} {} {right}", operator(op)), level(op))
    }

    /// A literal; negative ones are a sign before it.
    fn literal(&mut self, kind: Scalar, word: u32, has_type: bool) -> (String, Level) {
        let is_bare = has_type && self.random.percent(50);
        let is_hex = self.random.percent(20);
        let suffix = |suffix: &'static str| if is_bare { "" } else { suffix };
        let signed = |is_negative: bool, text: String| match is_negative {
            true => (format!("-{text}"), Level::Unary),
            false => (text, Level::Primary),
        };
        let digits = |value: u32| if is_hex { format!("0x{value:X}") } else { format!("{value}") };
        match kind {
            Scalar::Bool => ((if word == 0 { "false" } else { "true" }).into(), Level::Primary),
            Scalar::Uint => (digits(word) + suffix("u"), Level::Primary),
            Scalar::Int => {
                let value = word as i32;
                if value == i32::MIN {
                    return (format!("i32(-{})", digits(1 << 31)), Level::Primary);
                }
                signed(value < 0, digits(value.unsigned_abs()) + suffix("i"))
            }
            Scalar::Float => {
                let value = f32::from_bits(word & u32::MAX >> 1);
                let text = if is_hex { hexadecimal(value) } else { format!("{value:e}") };
                let is_exact = is_hex || text.parse::<f64>().is_ok_and(|of| of as f32 == value);
                let suffix = if is_exact { suffix("f") } else { "f" };
                signed(word >> 31 == 1, text + suffix)
            }
        }
    }

    /// An abstract number, with parentheses around all operands.
    pub(super) fn number(&mut self, of: &Abstract) -> String {
        match of {
            Abstract::Int(value) => match self.random.percent(20) {
                true => format!("0x{value:x}"),
                false => format!("{value}"),
            },
            Abstract::Float(value) => {
                let text = format!("{value:?}");
                let is_float = text.contains(['.', 'e']);
                if is_float { text } else { text + ".0" }
            }
            Abstract::Constant(name, _) => name.clone(),
            Abstract::Negate(a) => format!("-({})", self.number(a)),
            Abstract::Complement(a) => format!("~({})", self.number(a)),
            Abstract::Binary(op, a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                format!("({a}) {} ({b})", operator(*op))
            }
            Abstract::Call(function, all) => {
                let all: Vec<String> = all.iter().map(|one| self.number(one)).collect();
                format!("{}({})", function.name(), all.join(", "))
            }
        }
    }
}

/// An exact hexadecimal float.
fn hexadecimal(value: f32) -> String {
    let (exponent, fraction) = (value.to_bits() >> 23, value.to_bits() & 0x7f_ffff);
    let (lead, exponent) = if exponent == 0 { (0, -126) } else { (1, i64::from(exponent) - 127) };
    format!("0x{lead}.{:06x}p{exponent}", fraction << 1)
}
