//! Statements.

use super::Printer;
use super::expression::{ASSIGNMENT, COMMA};
use crate::program::{Expr, Statement, Type, message_format};

impl Printer<'_> {
    pub(super) fn body(&mut self, all: &[Statement]) {
        self.indent += 1;
        for statement in all {
            self.statement(statement);
        }
        self.indent -= 1;
    }

    /// A statement's condition or selector.
    fn whole(&mut self, of: &Expr) -> String {
        self.expression(of, COMMA)
    }

    /// The text of a declaration or an expression.
    fn simple(&mut self, statement: &Statement) -> String {
        match statement {
            Statement::Declare { variables, is_const } => {
                let mut line = String::new();
                for (k, (variable, value)) in variables.iter().enumerate() {
                    let ty = &self.program.variables[*variable].ty;
                    let name = self.name(*variable);
                    let is_short =
                        value.is_some() && !self.style.dialect.is_old() && self.one_in(4);
                    let lengths = self.lengths(ty, is_short);
                    match k {
                        0 if variables.len() == 1 => line += &self.with_lengths(ty, name, &lengths),
                        0 => {
                            let base = self.base_name(ty);
                            line += &format!("{base} {name}{lengths}");
                        }
                        _ => line += &format!(", {name}{lengths}"),
                    }
                    if let Some(value) = value {
                        line += " = ";
                        line += &self.expression(value, ASSIGNMENT);
                    }
                    if *is_const {
                        self.constants.push(*variable);
                    }
                }
                let is_const = *is_const && !self.style.is_opaque;
                format!("{}{line}", if is_const { "const " } else { "" })
            }
            Statement::Expression(of) => self.whole(of),
            _ => unreachable!("it is no simple statement"),
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declare { .. } | Statement::Expression(_) => {
                let line = self.simple(statement);
                self.line(&format!("{line};"));
            }
            Statement::If(condition, yes, no) => {
                let condition = self.whole(condition);
                // One simple statement needs no braces.
                if let ([only], None) = (&yes[..], no)
                    && !matches!(only, Statement::Declare { .. } | Statement::Text(_))
                    && self.one_in(2)
                {
                    self.line(&format!("if ({condition})"));
                    return self.body(yes);
                }
                self.line(&format!("if ({condition}) {{"));
                self.body(yes);
                match no.as_deref() {
                    None => self.line("}"),
                    Some([only @ Statement::If(..)]) => {
                        self.line("} else");
                        self.statement(only);
                    }
                    Some(no) => {
                        self.line("} else {");
                        self.body(no);
                        self.line("}");
                    }
                }
            }
            Statement::For { first, condition, step, body } => {
                let first = first.as_ref().map(|first| self.simple(first)).unwrap_or_default();
                let condition = condition.as_ref().map(|of| self.whole(of)).unwrap_or_default();
                let step = step.as_ref().map(|of| self.whole(of)).unwrap_or_default();
                self.line(&format!("for ({first}; {condition}; {step}) {{"));
                self.body(body);
                self.line("}");
            }
            Statement::While(condition, body) => {
                let condition = self.whole(condition);
                self.line(&format!("while ({condition}) {{"));
                self.body(body);
                self.line("}");
            }
            Statement::DoWhile(body, condition) => {
                self.line("do {");
                self.body(body);
                let condition = self.whole(condition);
                self.line(&format!("}} while ({condition});"));
            }
            Statement::Switch(selector, cases) => {
                let is_signed = selector.ty == Type::INT;
                let selector = self.whole(selector);
                self.line(&format!("switch ({selector}) {{"));
                for case in cases {
                    for label in &case.labels {
                        let line = match label {
                            None => "default:".into(),
                            Some(label @ 1..4) if is_signed && self.one_in(4) => {
                                format!("case {}:", self.constant(*label as usize))
                            }
                            Some(label) if is_signed => format!("case {}:", *label as i32),
                            Some(label) => format!("case {label}u:"),
                        };
                        self.line(&line);
                    }
                    self.body(&case.body);
                }
                self.line("}");
            }
            Statement::Block(body) => {
                self.line("{");
                self.body(body);
                self.line("}");
            }
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Return(None) => self.line("return;"),
            Statement::Return(Some(value)) => {
                let value = self.whole(value);
                self.line(&format!("return {value};"));
            }
            Statement::Discard => self.line("discard;"),
            Statement::Print(number, variables) => {
                let types: Vec<&Type> =
                    variables.iter().map(|&of| &self.program.variables[of].ty).collect();
                let format = message_format(*number, &types);
                let names = variables.iter().map(|&of| format!(", {}", self.name(of)));
                let names: String = names.collect();
                self.line(&format!("debugPrintfEXT(\"{format}\"{names});"));
            }
            Statement::Text(text) => text.lines().for_each(|line| {
                self.text += line;
                self.text.push('\n');
            }),
        }
    }
}
