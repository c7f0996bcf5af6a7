//! From a program to text.

use super::names::{write_component, write_operation};
use super::{MAGIC, VERSION};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::Core;
use crate::limits::CORE_TEXT;
use crate::schedule::{BlockRole, End, Event, Expr, Program, Statement, ValueId, schedule};
use crate::source::{SourceFile, Span};
use crate::types::{Type, TypeKind};
use lambdav_float_environment::with_default;
use std::fmt::Write;

/// Blocks nested deeper than this are not indented further, so that the text stays linear in the
/// size of the program.
const MAX_INDENTATION: usize = 32;

/// The text of a program, scheduled for all its outputs. Where the text that it was compiled from
/// is given, each definition says in a comment where it comes from.
///
/// # Errors
///
/// Those of [`schedule`], and LV0502 where the text would be longer than any that is read.
pub fn print(core: &Core, source: Option<&SourceFile>) -> Result<String, Diagnostic> {
    let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    let program = schedule(core, &locations)?;
    let mut printer = Printer { program: &program, source, out: String::new() };
    // Numbers are compared while they are written.
    with_default(|| printer.program())?;
    Ok(printer.out)
}

struct Printer<'a> {
    program: &'a Program,
    source: Option<&'a SourceFile>,
    out: String,
}

impl<'a> Printer<'a> {
    fn program(&mut self) -> Result<(), Diagnostic> {
        let program = self.program;
        self.text(format_args!("{MAGIC} {VERSION}\n"));
        if let Some(source) = self.source {
            self.text(format_args!("; positions: {}\n", source.name().escape_debug()));
        }
        self.out.push('\n');
        for uniform in &program.uniforms {
            self.out.push_str("uniform ");
            self.string(&uniform.name);
            self.text(format_args!(": {} = ", program.types.name(uniform.ty)));
            self.constant(uniform.ty, &uniform.default);
            self.out.push('\n');
        }
        if !program.uniforms.is_empty() {
            self.out.push('\n');
        }
        self.blocks()?;
        self.out.push('\n');
        for (location, value) in program.locations.iter().zip(program.outputs()) {
            self.text(format_args!("output {location} = %{}\n", value.0));
        }
        Ok(())
    }

    fn blocks(&mut self) -> Result<(), Diagnostic> {
        let program = self.program;
        let mut walk = program.walk();
        // How many blocks are open inside the root.
        let mut depth = 0;
        while let Some(event) = walk.next() {
            match event {
                Event::Enter(_, BlockRole::Root) => {}
                // What a guard is where its condition does not hold is never needed, and not shown.
                Event::Enter(_, BlockRole::Otherwise(Some(value))) if program.is_guard(value) => {
                    walk.skip_block();
                    depth += 1;
                }
                Event::Enter(_, BlockRole::Otherwise(_)) => {
                    self.line(depth, format_args!("}} else {{"));
                    depth += 1;
                }
                Event::Enter(_, BlockRole::Then(_) | BlockRole::Body(_)) => depth += 1,
                Event::Statement(_, statement) => self.statement(statement, depth),
                Event::After(..) => self.line(depth, format_args!("}}")),
                Event::End(Program::ROOT, _) => {}
                Event::End(_, end) => self.end(end, depth),
                Event::Leave(block) => {
                    if let End::If { .. } = program.block(block).end {
                        self.line(depth, format_args!("}}"));
                    }
                    depth = depth.saturating_sub(1);
                }
            }
            if self.out.len() > CORE_TEXT {
                return Err(too_long());
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let value = statement.value();
        self.indent(depth);
        self.definition(value);
        match statement {
            Statement::Let { expr, .. } => self.expr(self.program.ty(value), expr),
            Statement::If { condition, .. } => {
                let word = if self.program.is_guard(value) { "guard" } else { "if" };
                self.text(format_args!("{word} %{} {{", condition.0));
            }
            Statement::Loop { params, inits, .. } => {
                self.out.push_str("loop (");
                for (i, (param, init)) in params.iter().zip(inits).enumerate() {
                    self.out.push_str(if i == 0 { "" } else { ", " });
                    self.definition(*param);
                    self.text(format_args!("%{}", init.0));
                }
                self.out.push_str(") {");
            }
        }
        self.position(self.program.values[value.index()].span);
        self.out.push('\n');
    }

    fn end(&mut self, end: &End, depth: usize) {
        self.indent(depth);
        match end {
            End::Yield(values) => self.with_operands("yield", values),
            End::Rec(values) => self.with_operands("rec", values),
            End::If { condition, .. } => self.text(format_args!("if %{} {{", condition.0)),
        }
        self.out.push('\n');
    }

    fn line(&mut self, depth: usize, line: std::fmt::Arguments<'_>) {
        self.indent(depth);
        self.text(line);
        self.out.push('\n');
    }

    fn definition(&mut self, value: ValueId) {
        self.text(format_args!("%{}", value.0));
        if let Some(name) = self.program.name(value) {
            self.out.push(' ');
            self.string(name);
        }
        let name = self.program.types.name(self.program.ty(value));
        self.text(format_args!(": {name} = "));
    }

    fn expr(&mut self, ty: Type, expr: &Expr) {
        match expr {
            Expr::Constant(words) => self.constant(ty, words),
            Expr::Input(input) => self.text(format_args!("input {}", input.name())),
            Expr::Uniform(index) => {
                self.out.push_str("uniform ");
                self.string(&self.program.uniforms[*index as usize].name);
            }
            Expr::Op(op, operands) => {
                write_operation(&mut self.out, *op);
                self.with_operands("", operands);
            }
        }
    }

    fn with_operands(&mut self, word: &str, values: &[ValueId]) {
        self.out.push_str(word);
        for (i, value) in values.iter().enumerate() {
            self.text(format_args!("{}%{}", if i == 0 { " " } else { ", " }, value.0));
        }
    }

    fn constant(&mut self, ty: Type, words: &[u32]) {
        let types = &self.program.types;
        if let TypeKind::Scalar(scalar) = *types.kind(ty) {
            write_component(&mut self.out, scalar, words[0]);
            return;
        }
        for (i, (&word, scalar)) in words.iter().zip(types.scalars(ty)).enumerate() {
            self.out.push_str(if i == 0 { "(" } else { ", " });
            write_component(&mut self.out, scalar, word);
        }
        self.out.push(')');
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            if matches!(c, '"' | '\\') {
                self.out.push('\\');
            }
            self.out.push(c);
        }
        self.out.push('"');
    }

    fn position(&mut self, span: Span) {
        if let Some(source) = self.source.filter(|_| span != Span::default()) {
            let (file, at) = (source.file(span.start), source.line_column(span.start));
            self.text(format_args!("  ; {}:{}", at.line, at.column));
            if file != &source.files()[0] {
                self.text(format_args!(" {}", file.name.escape_debug()));
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        let width = 2 * depth.min(MAX_INDENTATION);
        self.text(format_args!("{:width$}", ""));
    }

    fn text(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("writing to a string does not fail");
    }
}

fn too_long() -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::ExpansionTooLarge,
        Span::default(),
        format!("the core text is longer than {CORE_TEXT} bytes, the most that are read"),
    )
    .help("use shorter names, or fewer operations")
}
