//! Statements.

use super::Printer;
use super::expression::operator;
use crate::program::{Case, Expr, Role, Statement, VariableId};

fn indent(depth: usize) -> String {
    "    ".repeat(depth)
}

impl Printer<'_> {
    /// Statements in braces.
    pub(super) fn body(&mut self, all: &[Statement], depth: usize) -> String {
        self.body_with(all, "", depth)
    }

    fn body_with(&mut self, all: &[Statement], last: &str, depth: usize) -> String {
        let mut text = String::from("{\n");
        for statement in all {
            text += &self.statement(statement, depth + 1);
        }
        text + last + &indent(depth) + "}"
    }

    pub(super) fn declaration(
        &mut self,
        word: &str,
        id: VariableId,
        value: Option<&Expr>,
        has_type: bool,
    ) -> String {
        let has_type = has_type || value.is_none();
        let ty = match has_type {
            true => format!(": {}", self.ty(&self.program.variables[id].ty)),
            false => String::new(),
        };
        let value = value.map_or_else(String::new, |of| format!(" = {}", self.expr(of, has_type)));
        format!("{word} {}{ty}{value}", self.name(id))
    }

    /// A statement without its semicolon.
    fn simple(&mut self, statement: &Statement) -> String {
        match statement {
            Statement::Declare { variable, value, has_type } => {
                let word = match self.program.variables[*variable].role {
                    Role::Const => "const",
                    Role::Let => "let",
                    _ => "var",
                };
                self.declaration(word, *variable, value.as_ref(), *has_type)
            }
            Statement::Pointer(id, place) => {
                let name = self.name(*id).to_owned();
                format!("let {name} = &({})", self.expr(place, false))
            }
            Statement::Assign(op, target, value) => {
                let op = op.map_or("", operator);
                let target = self.expr(target, false);
                let has_type = op.is_empty();
                format!("{target} {op}= {}", self.expr(value, has_type))
            }
            Statement::Phony(of) => format!("_ = {}", self.expr(of, false)),
            Statement::Step { target, is_decrement } => {
                format!("{}{}", self.expr(target, false), if *is_decrement { "--" } else { "++" })
            }
            Statement::Call(of) => self.plain(of, false).0,
            Statement::Break => "break".into(),
            Statement::Continue => "continue".into(),
            Statement::Return(None) => "return".into(),
            Statement::Return(Some(of)) => format!("return {}", self.expr(of, true)),
            Statement::Discard => "discard".into(),
            Statement::Assert(of) => format!("const_assert {}", self.expr(of, false)),
            _ => String::new(),
        }
    }

    fn condition(&mut self, of: &Expr) -> String {
        let text = self.expr(of, false);
        if self.random.percent(30) { format!("({text})") } else { text }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> String {
        let start = indent(depth);
        let text = match statement {
            Statement::If(condition, yes, no) => {
                let condition = self.condition(condition);
                let yes = self.body(yes, depth);
                let no = match no.as_deref() {
                    None => String::new(),
                    Some([inner @ Statement::If(..)]) => {
                        format!(" else {}", self.statement(inner, depth).trim())
                    }
                    Some(no) => format!(" else {}", self.body(no, depth)),
                };
                format!("if {condition} {yes}{no}")
            }
            Statement::For { first, condition, step, body } => {
                let mut part = |of: &Option<Box<Statement>>| {
                    of.as_ref().map_or_else(String::new, |of| self.simple(of))
                };
                let (first, step) = (part(first), part(step));
                let condition =
                    condition.as_ref().map_or_else(String::new, |of| self.expr(of, false));
                let body = self.body(body, depth);
                format!("for ({first}; {condition}; {step}) {body}")
            }
            Statement::While(condition, body) => {
                let condition = self.condition(condition);
                format!("while {condition} {}", self.body(body, depth))
            }
            Statement::Loop { body, continuing, end } => {
                let last = match (continuing.is_empty(), end) {
                    (true, None) => String::new(),
                    _ => {
                        let end = end.as_ref().map_or_else(String::new, |end| {
                            let end = self.expr(end, false);
                            format!("{}break if {end};\n", indent(depth + 2))
                        });
                        let continuing = self.body_with(continuing, &end, depth + 1);
                        format!("{}continuing {continuing}\n", indent(depth + 1))
                    }
                };
                format!("loop {}", self.body_with(body, &last, depth))
            }
            Statement::Switch(selector, cases) => {
                let selector = self.condition(selector);
                let cases: Vec<String> = cases.iter().map(|case| self.case(case, depth)).collect();
                format!("switch {selector} {{\n{}{start}}}", cases.concat())
            }
            Statement::Block(body) => self.body(body, depth),
            _ => self.simple(statement) + ";",
        };
        format!("{start}{text}\n")
    }

    fn case(&mut self, case: &Case, depth: usize) -> String {
        let labels: Vec<String> = case
            .labels
            .iter()
            .map(|label| label.as_ref().map_or_else(|| "default".into(), |of| self.expr(of, true)))
            .collect();
        let colon = if self.random.percent(50) { ":" } else { "" };
        let labels = match &labels[..] {
            [label] if label == "default" && self.random.percent(70) => label.clone(),
            labels => format!("case {}", labels.join(", ")),
        };
        let start = indent(depth + 1);
        format!("{start}{labels}{colon} {}\n", self.body(&case.body, depth + 1))
    }
}
