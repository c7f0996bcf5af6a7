//! Functions, and `main`.

use super::{Cost, Generator, Use};
use crate::program::{Direction, Expr, Function, Item, Kind, Scalar, Statement, Type};

impl Generator {
    /// A function.
    pub(super) fn function(&mut self, statements: usize) {
        let result = if self.random.percent(20) { Type::Void } else { self.result_type() };
        let count = self.random.below(4);
        let mut parameters: Vec<(Type, Direction)> = Vec::new();
        for _ in 0..count {
            use Direction::*;
            let ty = self.result_type();
            parameters.push((ty, *self.random.pick(&[In, In, In, ConstIn, Out, InOut, InOut])));
        }
        let name = self.function_name(&parameters);
        let outer = std::mem::replace(&mut self.result, result.clone());
        self.cost = Cost { steps: 1, size: 1 };
        self.budget = 40 * statements as i64;
        self.scopes.push(super::Scope::default());
        let mut ids = Vec::new();
        for (ty, direction) in &parameters {
            let name = self.fresh("p_");
            let is_writable = *direction != Direction::ConstIn;
            let of = Use { is_writable, ..Use::default() };
            ids.push((self.named(name, ty.clone(), of), *direction));
        }
        let mut body = Vec::new();
        for &(id, direction) in &ids {
            if direction == Direction::Out {
                // It cannot be read before: give it a value first.
                let ty = self.program.variables[id].ty.clone();
                let target = Box::new(Expr::new(ty.clone(), Kind::Variable(id)));
                let value = Box::new(self.constant(&ty));
                body.push(Statement::Expression(Expr::new(ty, Kind::Assign(None, target, value))));
            }
        }
        body.extend(self.statements(statements));
        if result != Type::Void {
            let value = self.returned(&result, 3);
            body.push(Statement::Return(Some(value)));
        }
        self.scopes.pop();
        self.result = outer;
        let mut effects = self.finder().of_statements(&body);
        let globals = &self.scopes[0].variables;
        effects.reads.retain(|id| globals.contains(id));
        effects.writes.retain(|id| globals.contains(id));
        self.effects.push(effects);
        self.costs.push(self.cost);
        self.program.functions.push(Function { name, parameters: ids, result, body });
        let number = self.program.functions.len() - 1;
        self.callable.push(number);
        let item = match self.random.percent(20) {
            true => Item::Prototype(number),
            false => Item::Function(number),
        };
        self.program.items.push(item);
    }

    /// A function's result. Results convert since version 420.
    pub(super) fn returned(&mut self, ty: &Type, depth: u32) -> Expr {
        match self.dialect {
            crate::dialect::Dialect::Vulkan => self.converted(ty, depth),
            _ => self.expr(ty, depth),
        }
    }

    /// A type of results and parameters.
    fn result_type(&mut self) -> Type {
        loop {
            let ty = self.value_type();
            if !(self.dialect.is_old() && ty.has_array(&self.program.structures)) {
                return ty;
            }
        }
    }

    /// A new name, or that of a function with other parameters.
    fn function_name(&mut self, parameters: &[(Type, Direction)]) -> String {
        let functions = &self.program.functions;
        if !functions.is_empty() && self.random.percent(35) {
            let other = self.random.pick(functions).name.clone();
            let types: Vec<&Type> = parameters.iter().map(|(ty, _)| ty).collect();
            let is_same = |of: &&Function| {
                let variables = &self.program.variables;
                let own = of.parameters.iter().map(|&(id, _)| &variables[id].ty);
                of.name == other && own.eq(types.iter().copied())
            };
            if !functions.iter().any(|of| is_same(&of)) {
                return other;
            }
        }
        self.fresh("fn")
    }

    /// The body of `main`.
    pub(super) fn main(&mut self, statements: usize) {
        self.result = Type::Void;
        self.cost = Cost::default();
        self.budget = 50 * statements as i64;
        self.has_quad = true;
        self.scopes.push(super::Scope::default());
        let of = Use { is_writable: true, ..Use::default() };
        self.uses[self.program.output] = of;
        let position = Expr::new(Type::of(Scalar::Float, 4), Kind::Variable(self.program.position));
        let xy = Kind::Swizzle(Box::new(position), vec![0, 1], 0);
        let xy = Expr::new(Type::of(Scalar::Float, 2), xy);
        let at = self.named("at".into(), Type::of(Scalar::Float, 2), of);
        let first = Statement::Declare { variables: vec![(at, Some(xy))], is_const: false };
        let mut body = vec![first];
        for _ in 0..statements {
            let new = match self.has_quad && self.random.percent(8) && !self.dialect.is_old() {
                true => self.derivative(),
                false => self.statement(),
            };
            let effects = self.finder().of_statements(&new);
            if effects.discards || returns(&new) {
                self.has_quad = false;
            }
            body.extend(new);
        }
        self.has_quad = false;
        self.finish(&mut body);
        self.scopes.pop();
        self.program.main = body;
    }

    /// A declaration or assignment with derivatives of pure expressions.
    fn derivative(&mut self) -> Vec<Statement> {
        use crate::builtins::Builtin;
        let ty = Type::of(Scalar::Float, self.random.between(1, 4) as u8);
        let of = self.pure(&ty, 2);
        let builtin = *self.random.pick(&[Builtin::DFdx, Builtin::DFdy, Builtin::FWidth]);
        let mut value = Expr::builtin(ty.clone(), builtin, vec![of]);
        if self.random.percent(20) {
            let builtin = *self.random.pick(&[Builtin::DFdx, Builtin::DFdy]);
            value = Expr::builtin(ty.clone(), builtin, vec![value]);
        }
        if self.random.percent(50) {
            let other = self.pure(&ty, 1);
            let op = *self.random.pick(&[
                crate::program::Binary::Add,
                crate::program::Binary::Mul,
                crate::program::Binary::Sub,
            ]);
            value = Expr::binary(ty.clone(), op, value, other);
        }
        let name = self.fresh("d");
        let of = Use { is_writable: true, ..Use::default() };
        let id = self.named(name, ty, of);
        vec![Statement::Declare { variables: vec![(id, Some(value))], is_const: false }]
    }
}

/// True if a statement may end `main`.
fn returns(all: &[Statement]) -> bool {
    all.iter().any(|statement| match statement {
        Statement::Return(_) | Statement::Discard => true,
        Statement::If(_, yes, no) => returns(yes) || no.as_deref().is_some_and(returns),
        Statement::For { body, .. }
        | Statement::While(_, body)
        | Statement::DoWhile(body, _)
        | Statement::Block(body) => returns(body),
        Statement::Switch(_, cases) => cases.iter().any(|case| returns(&case.body)),
        _ => false,
    })
}
