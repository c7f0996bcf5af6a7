//! Expressions with as few parentheses as the grammar allows.

use super::Printer;
use crate::dialect::Dialect;
use crate::program::{Binary, Expr, Kind, Scalar, Type};

/// Precedences of the grammar; the least binds closest.
const PRIMARY: u8 = 1;
const POSTFIX: u8 = 2;
const PREFIX: u8 = 3;
const CONDITION: u8 = 14;
const CONDITIONAL: u8 = 15;
pub(super) const ASSIGNMENT: u8 = 16;
pub(super) const COMMA: u8 = 17;

/// A literal's text and whether it begins with a sign.
pub(super) fn literal(scalar: Scalar, word: u32, dialect: Dialect) -> String {
    match scalar {
        Scalar::Bool => (if word != 0 { "true" } else { "false" }).into(),
        Scalar::Uint if word > 0xffff => format!("{word:#x}u"),
        Scalar::Uint => format!("{word}u"),
        Scalar::Int if word == 1 << 31 => "(-2147483647 - 1)".into(),
        Scalar::Int => {
            let number = word as i32;
            if number < 0 { format!("(-{})", -number) } else { format!("{number}") }
        }
        Scalar::Float => {
            let number = f32::from_bits(word);
            // Rust prints the shortest text of the number, with a point or an exponent.
            let text = format!("{:?}", number.abs());
            let text = match dialect.is_old() || text.contains('e') || !word.is_multiple_of(3) {
                true => text,
                false => text.strip_suffix('0').map_or(text.clone(), str::to_owned),
            };
            if number.is_sign_negative() { format!("(-{text})") } else { text }
        }
    }
}

impl Binary {
    /// The text and the precedence.
    fn text(self) -> (&'static str, u8) {
        match self {
            Self::Mul => ("*", 4),
            Self::Div => ("/", 4),
            Self::Rem => ("%", 4),
            Self::Add => ("+", 5),
            Self::Sub => ("-", 5),
            Self::ShiftLeft => ("<<", 6),
            Self::ShiftRight => (">>", 6),
            Self::Less => ("<", 7),
            Self::Greater => (">", 7),
            Self::LessEqual => ("<=", 7),
            Self::GreaterEqual => (">=", 7),
            Self::Equal => ("==", 8),
            Self::NotEqual => ("!=", 8),
            Self::BitAnd => ("&", 9),
            Self::BitXor => ("^", 10),
            Self::BitOr => ("|", 11),
            Self::And => ("&&", 12),
            Self::Xor => ("^^", 13),
            Self::Or => ("||", 14),
        }
    }
}

impl Printer<'_> {
    /// An expression, in parentheses if it binds less closely than `most`.
    pub(super) fn expression(&mut self, of: &Expr, most: u8) -> String {
        let hid = self.hides_literals;
        if self.style.is_opaque && !matches!(of.kind, Kind::Literal(_)) {
            let constants = &self.constants;
            self.hides_literals |= of.is_constant(&|variable| constants.contains(&variable));
        }
        let (text, precedence) = self.bare(of);
        self.hides_literals = hid;
        match precedence > most || (precedence > PRIMARY && self.one_in(40)) {
            true => format!("({text})"),
            false => text,
        }
    }

    fn bare(&mut self, of: &Expr) -> (String, u8) {
        match &of.kind {
            Kind::Literal(word) => {
                let scalar = of.ty.scalar().expect("a literal is a scalar");
                let text = match self.hides_literals {
                    true => self.hidden(scalar, *word),
                    false => literal(scalar, *word, self.style.dialect),
                };
                (text, PRIMARY)
            }
            Kind::Variable(variable) => (self.name(*variable).into(), PRIMARY),
            Kind::Parameter(number) => (format!("(p{number})"), PRIMARY),
            Kind::Field(a, field) => {
                let Type::Structure(number) = a.ty else { unreachable!("it has fields") };
                let name = self.program.structures[number].fields[*field].0.clone();
                (format!("{}.{name}", self.expression(a, POSTFIX)), POSTFIX)
            }
            Kind::Swizzle(a, components, set) => {
                let letters = ["xyzw", "rgba", "stpq"][usize::from(*set)].as_bytes();
                let letter = |&k: &u8| char::from(letters[usize::from(k)]);
                let names: String = components.iter().map(letter).collect();
                (format!("{}.{names}", self.expression(a, POSTFIX)), POSTFIX)
            }
            Kind::Index(a, index) => {
                let a = self.expression(a, POSTFIX);
                // In an argument of a macro, a comma outside parentheses ends the argument.
                let most = if self.is_in_macro { ASSIGNMENT } else { COMMA };
                (format!("{a}[{}]", self.expression(index, most)), POSTFIX)
            }
            Kind::Length(a) => {
                let text = format!("{}.length()", self.expression(a, POSTFIX));
                (if self.hides_literals { self.hidden_length(of, &text) } else { text }, POSTFIX)
            }
            Kind::Unary(op, a) => {
                let operand = self.expression(a, PREFIX);
                // `- -x` is no `--x`.
                let space = if operand.starts_with(['-', '+']) { " " } else { "" };
                (format!("{}{space}{operand}", op.text()), PREFIX)
            }
            Kind::Step { target, is_prefix, is_decrement } => {
                let op = if *is_decrement { "--" } else { "++" };
                match is_prefix {
                    true => (format!("{op}{}", self.expression(target, PREFIX)), PREFIX),
                    false => (format!("{}{op}", self.expression(target, POSTFIX)), POSTFIX),
                }
            }
            Kind::Binary(op, a, b) => {
                let (text, precedence) = op.text();
                let a = self.expression(a, precedence);
                let b = self.expression(b, precedence - 1);
                (format!("{a} {text} {b}"), precedence)
            }
            Kind::Assign(op, target, value) => {
                let op = op.map_or("", |op| op.text().0);
                let target = self.expression(target, PREFIX);
                let value = self.expression(value, ASSIGNMENT);
                (format!("{target} {op}= {value}"), ASSIGNMENT)
            }
            Kind::Conditional(condition, yes, no) => {
                let condition = self.expression(condition, CONDITION);
                let yes = self.expression(yes, ASSIGNMENT);
                let no = self.expression(no, ASSIGNMENT);
                (format!("{condition} ? {yes} : {no}"), CONDITIONAL)
            }
            Kind::Comma(a, b) => {
                let a = self.expression(a, COMMA);
                (format!("{a}, {}", self.expression(b, ASSIGNMENT)), COMMA)
            }
            Kind::Construct(parts) => {
                let is_array = matches!(of.ty, Type::Array(..));
                let name = match is_array && self.one_in(3) {
                    true => {
                        let rest = self.lengths(&of.ty, true);
                        self.base_name(&of.ty) + &rest
                    }
                    false => self.full_name(&of.ty),
                };
                // glslang converts literals one by one.
                let hid = self.hides_literals;
                let mut texts = Vec::new();
                for part in parts {
                    let is_other = part.ty.scalar() != of.ty.scalar();
                    self.hides_literals = hid || (self.style.is_opaque && is_other);
                    texts.push(self.expression(part, ASSIGNMENT));
                }
                self.hides_literals = hid;
                (format!("{name}({})", texts.join(", ")), POSTFIX)
            }
            Kind::Convert(a) => self.bare(a),
            Kind::Builtin(builtin, arguments) => {
                (format!("{}({})", builtin.name(), self.list(arguments)), POSTFIX)
            }
            Kind::Call(function, arguments) => {
                let name = &self.program.functions[*function].name;
                (format!("{name}({})", self.list(arguments)), POSTFIX)
            }
            Kind::Macro(number, arguments, _) => {
                let name = &self.program.macros[*number].name;
                // The expansion may have constant parts where the application is none.
                self.hides_literals |= self.style.is_opaque;
                let was_in_macro = std::mem::replace(&mut self.is_in_macro, true);
                let text = match arguments.is_empty() {
                    true => name.clone(),
                    false => format!("{name}({})", self.list(arguments)),
                };
                self.is_in_macro = was_in_macro;
                (text, PRIMARY)
            }
        }
    }

    fn list(&mut self, all: &[Expr]) -> String {
        let all: Vec<String> = all.iter().map(|of| self.expression(of, ASSIGNMENT)).collect();
        all.join(", ")
    }

    /// The name of a global variable with the literal's value.
    fn hidden(&mut self, scalar: Scalar, word: u32) -> String {
        let known = self.literals.iter().position(|&literal| literal == (scalar, word));
        let number = known.unwrap_or_else(|| {
            self.literals.push((scalar, word));
            self.literals.len() - 1
        });
        format!("k{number}")
    }

    /// A length that is added to a hidden zero.
    fn hidden_length(&mut self, of: &Expr, text: &str) -> String {
        debug_assert_eq!(of.ty, Type::INT);
        let zero = self.hidden(Scalar::Int, 0);
        format!("({text} + {zero})")
    }
}
