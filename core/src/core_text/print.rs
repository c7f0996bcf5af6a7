//! From a program to text.

use super::names::{write_component, write_operation};
use super::{MAGIC, VERSION};
use crate::diagnostics::Diagnostic;
use crate::graph::Core;
use crate::schedule::{Block, BlockId, End, Expr, Program, Statement, ValueId, schedule};
use crate::source::{SourceFile, Span};
use crate::types::Type;
use std::fmt::Write;

/// Blocks nested deeper than this are not indented further, so that the text stays linear in the
/// size of the program.
const MAX_INDENTATION: usize = 32;

/// The text of a program, scheduled for all its outputs. Where the text that it was compiled from is
/// given, each definition says in a comment where it comes from.
///
/// # Errors
///
/// Those of [`schedule`]: LV0503.
pub fn print(core: &Core, source: Option<&SourceFile>) -> Result<String, Diagnostic> {
    let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    let program = schedule(core, &locations)?;
    let mut printer = Printer { program: &program, source, out: String::new() };
    printer.program();
    Ok(printer.out)
}

/// What remains to be printed, last first.
enum Task {
    /// A block from that statement on, at that depth.
    Block(BlockId, usize, usize),
    /// A line between or after blocks.
    Line(&'static str, usize),
}

struct Printer<'a> {
    program: &'a Program,
    source: Option<&'a SourceFile>,
    out: String,
}

impl<'a> Printer<'a> {
    fn program(&mut self) {
        let program = self.program;
        self.text(format_args!("{MAGIC} {VERSION}\n"));
        if let Some(source) = self.source {
            self.text(format_args!("; positions: {}\n", source.name().escape_debug()));
        }
        self.out.push('\n');
        for uniform in &program.uniforms {
            self.out.push_str("uniform ");
            self.string(&uniform.name);
            self.text(format_args!(": {} = ", uniform.ty));
            self.constant(uniform.ty, &uniform.default);
            self.out.push('\n');
        }
        if !program.uniforms.is_empty() {
            self.out.push('\n');
        }
        let mut tasks = vec![Task::Block(Program::ROOT, 0, 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Block(block, from, depth) => self.block(block, from, depth, &mut tasks),
                Task::Line(line, depth) => {
                    self.indent(depth);
                    self.text(format_args!("{line}\n"));
                }
            }
        }
        self.out.push('\n');
        for (location, value) in program.locations.iter().zip(program.outputs()) {
            self.text(format_args!("output {location} = %{}\n", value.0));
        }
    }

    /// Prints statements up to one with inner blocks, and leaves those and the rest as tasks.
    fn block(&mut self, id: BlockId, from: usize, depth: usize, tasks: &mut Vec<Task>) {
        let block: &'a Block = self.program.block(id);
        for (at, statement) in block.statements.iter().enumerate().skip(from) {
            let value = statement.value();
            self.indent(depth);
            self.definition(value);
            match statement {
                Statement::Let { expr, .. } => self.expr(self.program.ty(value), expr),
                Statement::If { condition, then, otherwise, .. } => {
                    let guard = self.program.is_guard(value);
                    let word = if guard { "guard" } else { "if" };
                    self.text(format_args!("{word} %{} {{", condition.0));
                    tasks.push(Task::Block(id, at + 1, depth));
                    let otherwise = (!guard).then_some(*otherwise);
                    push_arms(*then, otherwise, depth, tasks);
                }
                Statement::Loop { params, inits, body, .. } => {
                    self.out.push_str("loop (");
                    for (i, (param, init)) in params.iter().zip(inits).enumerate() {
                        self.out.push_str(if i == 0 { "" } else { ", " });
                        self.definition(*param);
                        self.text(format_args!("%{}", init.0));
                    }
                    self.out.push_str(") {");
                    tasks.push(Task::Block(id, at + 1, depth));
                    push_arms(*body, None, depth, tasks);
                }
            }
            self.position(self.program.values[value.index()].span);
            self.out.push('\n');
            if !matches!(statement, Statement::Let { .. }) {
                return;
            }
        }
        if id != Program::ROOT {
            self.indent(depth);
            match &block.end {
                End::Yield(values) => self.with_operands("yield", values),
                End::Rec(values) => self.with_operands("rec", values),
                End::If { condition, then, otherwise } => {
                    self.text(format_args!("if %{} {{", condition.0));
                    push_arms(*then, Some(*otherwise), depth, tasks);
                }
            }
            self.out.push('\n');
        }
    }

    fn definition(&mut self, value: ValueId) {
        self.text(format_args!("%{}", value.0));
        if let Some(name) = self.program.name(value) {
            self.out.push(' ');
            self.string(name);
        }
        self.text(format_args!(": {} = ", self.program.ty(value)));
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
        if let Type::Scalar(scalar) = ty {
            write_component(&mut self.out, scalar, words[0]);
            return;
        }
        for (i, &word) in words.iter().enumerate() {
            self.out.push_str(if i == 0 { "(" } else { ", " });
            write_component(&mut self.out, ty.scalar(), word);
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
            let at = source.line_column(span.start);
            self.text(format_args!("  ; {}:{}", at.line, at.column));
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

fn push_arms(then: BlockId, otherwise: Option<BlockId>, depth: usize, tasks: &mut Vec<Task>) {
    tasks.push(Task::Line("}", depth));
    if let Some(otherwise) = otherwise {
        tasks.push(Task::Block(otherwise, 0, depth + 1));
        tasks.push(Task::Line("} else {", depth));
    }
    tasks.push(Task::Block(then, 0, depth + 1));
}
