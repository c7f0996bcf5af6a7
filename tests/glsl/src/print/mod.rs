//! Programs as text of a dialect.

mod expression;
mod statement;

use crate::dialect::Dialect;
use crate::program::{Direction, Item, Program, Scalar, Structure, Type, VariableId};
use std::collections::BTreeSet;

/// The form of the text.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The dialect of the text. A program that keeps the rules of `#version 100` can be printed in all of them.
    pub dialect: Dialect,
    /// True if nothing may be folded: literals of constant expressions become global variables, and nothing is
    /// `const`. glslang folds constants in binary64, by the functions of the system.
    pub is_opaque: bool,
}

/// The text of a program.
pub fn print(program: &Program, style: Style) -> String {
    let mut printer = Printer::new(program, style);
    printer.items();
    let body = std::mem::take(&mut printer.text);
    printer.header();
    printer.text + &body
}

/// Writes text.
struct Printer<'p> {
    program: &'p Program,
    style: Style,
    text: String,
    indent: usize,
    /// Literals that are global variables.
    literals: Vec<(Scalar, u32)>,
    /// True inside a constant expression that must not be folded.
    hides_literals: bool,
    /// Constants that are lengths of arrays and labels.
    sizes: BTreeSet<usize>,
    /// True inside an argument of a macro.
    is_in_macro: bool,
    /// Decides between equal forms.
    forms: u32,
    /// `const` variables.
    constants: Vec<VariableId>,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program, style: Style) -> Self {
        Self {
            program,
            style,
            text: String::new(),
            indent: 0,
            literals: Vec::new(),
            hides_literals: false,
            sizes: BTreeSet::new(),
            is_in_macro: false,
            forms: 0,
            constants: Vec::new(),
        }
    }

    /// True once in `count` times.
    fn one_in(&mut self, count: u32) -> bool {
        self.forms = self.forms.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.forms >> 8).is_multiple_of(count)
    }

    fn line(&mut self, line: &str) {
        self.text += &"    ".repeat(self.indent);
        self.text += line;
        self.text.push('\n');
    }

    fn header(&mut self) {
        let lines: &[&str] = match self.style.dialect {
            Dialect::Vulkan => &[
                "#version 450",
                "#extension GL_EXT_debug_printf : enable",
                "layout(location = 0) out vec4 o;",
            ],
            Dialect::Desktop => &["#version 330", "out vec4 o;"],
            Dialect::Es300 => &[
                "#version 300 es",
                "precision highp float;",
                "precision highp int;",
                "out vec4 o;",
            ],
            Dialect::Es100 => &["#version 100", "precision highp float;", "precision highp int;"],
        };
        lines.iter().for_each(|line| self.line(line));
        for (k, size) in std::mem::take(&mut self.sizes).into_iter().enumerate() {
            match k % 2 {
                0 => self.line(&format!("const int N{size} = {size};")),
                _ => self.line(&format!("#define N{size} {size}")),
            }
        }
        for k in 0..self.literals.len() {
            let (scalar, word) = self.literals[k];
            let (name, value) =
                (scalar.name(), expression::literal(scalar, word, self.style.dialect));
            self.line(&format!("{name} k{k} = {value};"));
        }
    }

    fn name(&self, variable: VariableId) -> &'p str {
        match variable == self.program.output && self.style.dialect.is_old() {
            true => "gl_FragColor",
            false => &self.program.variables[variable].name,
        }
    }

    /// The name of the type without the lengths of arrays.
    fn base_name(&self, ty: &Type) -> String {
        base_name(ty, &self.program.structures)
    }

    /// A declaration of a name.
    fn declared(&mut self, ty: &Type, name: &str) -> String {
        let lengths = self.lengths(ty, false);
        self.with_lengths(ty, name, &lengths)
    }

    /// A declaration with the lengths after the type or after the name.
    fn with_lengths(&mut self, ty: &Type, name: &str, lengths: &str) -> String {
        let base = self.base_name(ty);
        match !lengths.is_empty() && !self.style.dialect.is_old() && self.one_in(2) {
            true => format!("{base}{lengths} {name}"),
            false => format!("{base} {name}{lengths}"),
        }
    }

    fn full_name(&mut self, ty: &Type) -> String {
        let lengths = self.lengths(ty, false);
        self.base_name(ty) + &lengths
    }

    /// The lengths of arrays, the outermost first; that one is left out if the text is short.
    fn lengths(&mut self, ty: &Type, is_short: bool) -> String {
        let Type::Array(element, length) = ty else { return String::new() };
        let length = match is_short {
            true => String::new(),
            false if self.one_in(8) => self.constant(*length),
            false if self.one_in(16) => format!("{} + 1", length - 1),
            false => length.to_string(),
        };
        format!("[{length}]{}", self.lengths(element, false))
    }

    /// The name of a constant with this value.
    fn constant(&mut self, value: usize) -> String {
        self.sizes.insert(value);
        format!("N{value}")
    }

    fn items(&mut self) {
        let mut later = Vec::new();
        let program = self.program;
        for item in &program.items {
            match item {
                Item::Structure(number) => self.structure(&program.structures[*number]),
                Item::Uniforms => self.uniforms(),
                Item::Global { variable, value, is_const } => {
                    let ty = &program.variables[*variable].ty;
                    let mut line = self.declared(ty, self.name(*variable));
                    if let Some(value) = value {
                        line += " = ";
                        line += &self.expression(value, expression::ASSIGNMENT);
                    }
                    if *is_const {
                        self.constants.push(*variable);
                    }
                    let is_const = *is_const && !self.style.is_opaque;
                    self.line(&format!("{}{line};", if is_const { "const " } else { "" }));
                }
                Item::Macro(number) => {
                    let it = &program.macros[*number];
                    // Uses cannot hide a literal inside.
                    self.hides_literals = self.style.is_opaque && it.parameters.is_empty();
                    let body = self.expression(&it.body, expression::COMMA);
                    self.hides_literals = false;
                    let names: Vec<String> =
                        (0..it.parameters.len()).map(|k| format!("p{k}")).collect();
                    let parameters = match names.is_empty() {
                        true => String::new(),
                        false => format!("({})", names.join(", ")),
                    };
                    self.line(&format!("#define {}{parameters} ({body})", it.name));
                }
                Item::Prototype(number) => {
                    let head = self.head(*number);
                    self.line(&format!("{head};"));
                    later.push(*number);
                }
                Item::Function(number) => self.function(*number),
            }
        }
        self.line("void main() {");
        self.body(&program.main);
        self.line("}");
        later.into_iter().for_each(|number| self.function(number));
    }

    fn structure(&mut self, structure: &Structure) {
        self.line(&format!("struct {} {{", structure.name));
        self.indent += 1;
        for (name, ty) in &structure.fields {
            let field = self.declared(ty, name);
            self.line(&format!("{field};"));
        }
        self.indent -= 1;
        self.line("};");
    }

    fn uniforms(&mut self) {
        let all = &self.program.uniforms;
        if all.is_empty() {
            return;
        }
        let in_block = self.style.dialect == Dialect::Vulkan;
        if in_block {
            self.line("layout(set = 0, binding = 0) uniform Block {");
            self.indent += 1;
        }
        for (variable, _) in all {
            let uniform =
                self.declared(&self.program.variables[*variable].ty, self.name(*variable));
            self.line(&format!("{}{uniform};", if in_block { "" } else { "uniform " }));
        }
        if in_block {
            self.indent -= 1;
            self.line("};");
        }
    }

    /// A function's head.
    fn head(&mut self, number: usize) -> String {
        let function = &self.program.functions[number];
        let mut parameters = Vec::new();
        for (variable, direction) in &function.parameters {
            let direction = match direction {
                Direction::In if self.one_in(3) => "in ",
                Direction::In => "",
                Direction::ConstIn => "const in ",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            let ty = &self.program.variables[*variable].ty;
            let parameter = self.declared(ty, self.name(*variable));
            parameters.push(format!("{direction}{parameter}"));
        }
        let parameters = match parameters.is_empty() && self.one_in(3) {
            true => "void".into(),
            false => parameters.join(", "),
        };
        format!("{} {}({parameters})", self.full_name(&function.result), function.name)
    }

    fn function(&mut self, number: usize) {
        let head = self.head(number);
        self.line(&format!("{head} {{"));
        self.body(&self.program.functions[number].body);
        self.line("}");
    }
}

impl Scalar {
    /// The name of the type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float => "float",
        }
    }
}

/// The name of the type without the lengths of arrays.
fn base_name(ty: &Type, structures: &[Structure]) -> String {
    match ty {
        Type::Void => "void".into(),
        Type::Scalar(scalar) => scalar.name().into(),
        Type::Vector(scalar, width) => {
            let prefix = match scalar {
                Scalar::Bool => "b",
                Scalar::Int => "i",
                Scalar::Uint => "u",
                Scalar::Float => "",
            };
            format!("{prefix}vec{width}")
        }
        Type::Matrix(columns, rows) if columns == rows => format!("mat{columns}"),
        Type::Matrix(columns, rows) => format!("mat{columns}x{rows}"),
        Type::Structure(number) => structures[*number].name.clone(),
        Type::Array(element, _) => base_name(element, structures),
    }
}
