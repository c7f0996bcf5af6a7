//! Statements.

use super::{Generator, Use};
use crate::dialect::Dialect;
use crate::program::{Case, Expr, Kind, Scalar, Statement, Type};

impl Generator {
    /// About that many statements.
    pub(super) fn statements(&mut self, count: usize) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..count {
            if self.budget < 0 {
                break;
            }
            all.extend(self.statement());
        }
        all
    }

    /// The statements of a body in a scope of its own.
    pub(super) fn body(&mut self, may_hide: bool) -> Vec<Statement> {
        let count = self.random.between(1, 4);
        self.within(may_hide, |generator| generator.statements(count))
    }

    fn is_inner(&self) -> bool {
        self.scopes.len() > 2
    }

    pub(super) fn statement(&mut self) -> Vec<Statement> {
        self.cost.steps += self.rounds;
        self.cost.size += 1;
        self.budget -= 1;
        let is_deep = self.scopes.len() > 5;
        vec![match self.random.below(34) {
            0..9 => return self.declaration(),
            9..17 => self.effect(),
            17..20 if !is_deep => self.choice(),
            20..23 if !is_deep && self.loops < 3 => return self.any_loop(),
            23 if !is_deep && !self.dialect.is_old() => self.switch(),
            24 if !is_deep => {
                let body = self.body(true);
                Statement::Block(body)
            }
            25 if self.loops > 0 || self.switches > 0 => return self.leave_loop(),
            26 if self.is_inner() => return self.early_return(),
            27 if self.random.percent(15)
                && (self.result == Type::Void || self.random.percent(30)) =>
            {
                let condition = self.pure(&Type::BOOL, 2);
                Statement::If(condition, vec![Statement::Discard], None)
            }
            28 if !self.program.functions.is_empty() => match self.call(&Type::Void, 2) {
                Some(call) => Statement::Expression(call),
                None => self.effect(),
            },
            29 if self.random.percent(40) => self.dead_text(),
            30 if !self.dialect.is_old() => match self.wide_product() {
                Some(product) => Statement::Expression(product),
                None => self.effect(),
            },
            31 if self.dialect == Dialect::Vulkan && self.random.percent(50) => self.message(),
            _ => self.effect(),
        }]
    }

    /// A message with the values of some variables.
    fn message(&mut self) -> Statement {
        let fits = |id: &usize| {
            matches!(self.program.variables[*id].ty, Type::Scalar(_) | Type::Vector(..))
                && *id != self.program.output
        };
        let all: Vec<usize> = self.visible().into_iter().filter(fits).collect();
        let count = if all.is_empty() { 0 } else { self.random.below(3) };
        let variables = (0..count).map(|_| *self.random.pick(&all)).collect();
        self.messages += 1;
        Statement::Print(self.messages, variables)
    }

    /// A name for a variable in the innermost scope.
    fn local_name(&mut self) -> String {
        let scope = self.scopes.last().expect("there is a scope");
        if scope.may_hide && self.random.percent(30) {
            let used: Vec<&str> =
                scope.variables.iter().map(|&id| &self.program.variables[id].name[..]).collect();
            let fits = |id: &usize| {
                let name = &self.program.variables[*id].name[..];
                !used.contains(&name) && !name.starts_with("gl_") && *id != self.program.output
            };
            let outer: Vec<usize> = self.visible().into_iter().filter(fits).collect();
            if !outer.is_empty() {
                let id = *self.random.pick(&outer);
                return self.program.variables[id].name.clone();
            }
        }
        self.fresh("v")
    }

    fn declaration(&mut self) -> Vec<Statement> {
        let ty = self.value_type();
        if self.dialect.is_old() && ty.has_array(&self.program.structures) {
            return vec![self.effect()];
        }
        if self.dialect.is_old() && self.random.percent(12) {
            return self.old_array();
        }
        let is_const = self.random.percent(12);
        let count = if self.random.percent(12) { 2 } else { 1 };
        let mut variables = Vec::new();
        let of = Use { is_writable: !is_const, is_constant: is_const, rounds: None };
        for _ in 0..count {
            // An initialiser does not see its variable, but those before it.
            let value = match is_const {
                true => self.constant_expr(&ty, 2),
                false => {
                    let depth = self.random.between(1, 4) as u32;
                    self.converted(&ty, depth)
                }
            };
            let name = self.local_name();
            variables.push((self.named(name, ty.clone(), of), Some(value)));
        }
        vec![Statement::Declare { variables, is_const }]
    }

    /// An array of `#version 100`, set element by element.
    fn old_array(&mut self) -> Vec<Statement> {
        let element = self.plain_type();
        let length = self.random.between(2, 4);
        let ty = Type::array(element.clone(), length);
        let name = self.fresh("a");
        let id = self.hidden(name, ty.clone(), Use { is_writable: true, ..Use::default() });
        let mut all = vec![Statement::Declare { variables: vec![(id, None)], is_const: false }];
        for k in 0..length {
            let value = Box::new(self.expr(&element, 1));
            let array = Box::new(Expr::new(ty.clone(), Kind::Variable(id)));
            let index = Box::new(Expr::int(k as i32));
            let target = Box::new(Expr::new(element.clone(), Kind::Index(array, index)));
            let assign = Expr::new(element.clone(), Kind::Assign(None, target, value));
            all.push(Statement::Expression(assign));
        }
        self.show(id);
        all
    }

    /// An expression that changes a variable.
    pub(super) fn effect(&mut self) -> Statement {
        for _ in 0..6 {
            let ty = self.value_type();
            let depth = self.random.between(1, 4) as u32;
            let found = match self.random.below(6) {
                0 => self.step(&ty),
                1 => self.call(&ty, 2),
                _ => self.assignment(&ty, depth),
            };
            if let Some(found) = found {
                return Statement::Expression(found);
            }
        }
        Statement::Block(Vec::new())
    }

    /// `umulExtended`, which has no result.
    fn wide_product(&mut self) -> Option<Expr> {
        use crate::builtins::Builtin;
        let is_unsigned = self.random.percent(50);
        let (builtin, scalar) = match is_unsigned {
            true => (Builtin::MulExtended, Scalar::Uint),
            false => (Builtin::SignedMulExtended, Scalar::Int),
        };
        if !builtin.is_in(self.dialect) {
            return None;
        }
        let ty = Type::of(scalar, self.random.between(1, 4) as u8);
        self.with_places(&Type::Void, builtin, &[ty.clone(), ty.clone(), ty.clone(), ty], 2, 2)
    }

    fn choice(&mut self) -> Statement {
        let condition = self.expr(&Type::BOOL, 3);
        let yes = self.body(true);
        let no = match self.random.below(4) {
            0 | 1 => None,
            2 => Some(self.body(true)),
            _ => Some(self.within(true, |generator| vec![generator.choice()])),
        };
        Statement::If(condition, yes, no)
    }

    fn leave_loop(&mut self) -> Vec<Statement> {
        let is_continue = self.loops > 0 && self.random.percent(50);
        let leave = if is_continue { Statement::Continue } else { Statement::Break };
        let condition = self.expr(&Type::BOOL, 2);
        vec![Statement::If(condition, vec![leave], None)]
    }

    fn early_return(&mut self) -> Vec<Statement> {
        let value = match self.result.clone() {
            Type::Void => None,
            ty => Some(self.returned(&ty, 2)),
        };
        let condition = self.expr(&Type::BOOL, 2);
        vec![Statement::If(condition, vec![Statement::Return(value)], None)]
    }

    fn switch(&mut self) -> Statement {
        let is_signed = self.random.percent(70);
        let ty = if is_signed { Type::INT } else { Type::UINT };
        let selector = self.expr(&ty, 2);
        let selector = match self.random.percent(80) {
            true => {
                let mask = Expr::literal(ty.scalar().unwrap_or(Scalar::Int), 3);
                Expr::binary(ty, crate::program::Binary::BitAnd, selector, mask)
            }
            false => selector,
        };
        let mut labels: Vec<Option<u32>> =
            (0..self.random.between(1, 5) as u32).map(Some).collect();
        if is_signed && self.random.percent(30) {
            labels.push(Some(-1_i32 as u32));
        }
        if self.random.percent(75) {
            labels.push(None);
        }
        self.random.shuffle(&mut labels);
        self.switches += 1;
        let mut cases = Vec::new();
        self.scopes.push(super::Scope::default());
        while !labels.is_empty() {
            let count = self.random.between(1, 2).min(labels.len());
            let labels = labels.drain(..count).collect();
            let mut body = match self.random.percent(40) {
                true => vec![Statement::Block(self.body(true))],
                false => self.body(false),
            };
            // The last labels need a statement.
            let is_empty = body.iter().all(leaves_nothing);
            if self.random.percent(60) || is_empty {
                body.push(Statement::Break);
            }
            cases.push(Case { labels, body });
        }
        self.scopes.pop();
        self.switches -= 1;
        Statement::Switch(selector, cases)
    }

    /// Lines that the preprocessor takes out.
    fn dead_text(&mut self) -> Statement {
        let text = match self.random.below(5) {
            0 => "#if 0\n  this is \"not\" a program } @\n#endif",
            1 => "#ifdef NOT_DEFINED\n    o = vec4(12345.0);\n#else\n#endif",
            2 => {
                "#if defined(NOT_DEFINED) || __VERSION__ < 100\n    discard;\n#elif 1\n#else\n    discard;\n#endif"
            }
            3 => "#ifndef NOT_DEFINED\n#else\n    return;\n#endif",
            _ => "// o = vec4(1.0); \\\n    o = vec4(2.0);\n/* discard;\n   */",
        };
        let text = match self.dialect != Dialect::Vulkan && text.contains('\\') {
            true => "/* discard; */",
            false => text,
        };
        Statement::Text(text.into())
    }
}

/// True if a statement has no text but braces, or declares constants only.
fn leaves_nothing(statement: &Statement) -> bool {
    match statement {
        Statement::Text(_) | Statement::Declare { is_const: true, .. } => true,
        Statement::Block(body) => body.iter().all(leaves_nothing),
        _ => false,
    }
}
