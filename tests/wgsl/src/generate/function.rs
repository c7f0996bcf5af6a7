//! Functions, and the entry point with its digest of all values.

use super::{Cost, Generator};
use crate::builtins::Builtin;
use crate::program::{Binary, Expr, Function, Kind, Role, Scalar, Statement, Type, VariableId};

/// Components of one variable in the digest.
const MOST_COMPONENTS: usize = 16;

impl Generator {
    /// A function that later ones can call.
    pub(super) fn function(&mut self, statements: usize) {
        self.cost = Cost::default();
        self.budget = 150;
        let mut parameters = Vec::new();
        for _ in 0..self.random.below(4) {
            let role = match self.random.below(10) {
                0..6 => Role::Parameter,
                6..8 => Role::FunctionPointer,
                8 if !self.program.uniforms.is_empty() => Role::UniformPointer,
                _ => Role::PrivatePointer,
            };
            let ty = match role {
                Role::Parameter => self.value_type(),
                _ => self.pointed_type(role),
            };
            parameters.push(self.variable("p", ty, role));
        }
        self.result = match self.random.percent(15) {
            true => Type::Void,
            false => self.value_type(),
        };
        let body = self.within(|own| {
            parameters.iter().for_each(|&id| own.show(id));
            let mut body = own.statements(statements);
            if !ends(&body) && own.result != Type::Void {
                let ty = own.result.clone();
                let value = own.expr(&ty, 3);
                body.push(Statement::Return(Some(value)));
            }
            body
        });
        self.names += 1;
        let name = format!("call{}", self.names);
        let result = std::mem::replace(&mut self.result, Type::Void);
        self.program.functions.push(Function { name, parameters, result, body });
        self.costs.push(std::mem::take(&mut self.cost));
    }

    /// The type of a place that calls are likely to have.
    fn pointed_type(&mut self, role: Role) -> Type {
        let private = self.scopes.iter().flatten();
        let private: Vec<Type> = private
            .map(|&id| &self.program.variables[id])
            .filter(|variable| variable.role == Role::Private)
            .map(|variable| variable.ty.clone())
            .collect();
        match role {
            Role::UniformPointer => {
                let (id, _) = self.random.pick(&self.program.uniforms);
                let ty = self.program.variables[*id].ty.clone();
                match ty.indexed() {
                    Some((part, _))
                        if !matches!(part, Type::Scalar(_)) && self.random.percent(50) =>
                    {
                        part
                    }
                    _ => ty,
                }
            }
            Role::PrivatePointer if !private.is_empty() => self.random.pick(&private).clone(),
            _ if self.random.percent(30) => self.value_type(),
            _ => {
                let scalar = *self.random.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
                Type::of(scalar, self.width())
            }
        }
    }

    /// The body of the entry point.
    pub(super) fn entry_point(&mut self, statements: usize) {
        self.cost = Cost::default();
        self.result = Type::of(Scalar::Float, 4);
        self.has_quad = true;
        let mut body = Vec::new();
        self.scopes.push(vec![self.program.position, self.program.facing]);
        for _ in 0..statements {
            self.budget = 40;
            if self.has_quad && self.random.percent(8) {
                body.push(self.derivative());
                continue;
            }
            if let Some(statement) = self.statement(2) {
                self.has_quad &= !returns(&statement);
                body.push(statement);
            }
        }
        self.digest(&mut body);
        self.scopes.pop();
        self.program.main = body;
    }

    /// `let d = dpdx(e);`
    fn derivative(&mut self) -> Statement {
        let mut all = Builtin::ALL.to_vec();
        all.retain(|builtin| builtin.is_derivative());
        let builtin = *self.random.pick(&all);
        let ty = Type::of(Scalar::Float, self.width());
        self.has_calls = false;
        let operand = self.expr(&ty, 3);
        self.has_calls = true;
        let value = Expr::new(ty.clone(), Kind::Builtin(builtin, vec![operand]));
        let variable = self.variable("d", ty, Role::Let);
        self.show(variable);
        Statement::Declare { variable, value: Some(value), has_type: self.random.percent(50) }
    }

    /// Statements that combine the words of all variables, and the result.
    fn digest(&mut self, body: &mut Vec<Statement>) {
        let all: Vec<VariableId> = self.scopes.iter().flatten().copied().collect();
        let sum = self.variable("h", Type::UINT, Role::Var);
        body.push(Statement::Declare { variable: sum, value: None, has_type: true });
        for id in all {
            let mut parts = Vec::new();
            self.components(self.program.read(id), &mut parts);
            for part in parts {
                let word = self.word_of(part);
                let target = self.program.read(sum);
                let factor = Expr::literal(Scalar::Uint, 0x0100_0193);
                let two =
                    |op, a, b| Expr::new(Type::UINT, Kind::Binary(op, Box::new(a), Box::new(b)));
                let product = two(Binary::Mul, target.clone(), factor);
                let value = two(Binary::BitXor, product, word);
                body.push(Statement::Assign(None, target, value));
            }
        }
        let half = |op, word| {
            let kind = Kind::Binary(
                op,
                Box::new(self.program.read(sum)),
                Box::new(Expr::literal(Scalar::Uint, word)),
            );
            let half = Expr::new(Type::UINT, kind);
            Expr::new(Type::FLOAT, Kind::Construct(vec![half]))
        };
        let halves = [half(Binary::BitAnd, 0xffff), half(Binary::ShiftRight, 16)];
        let mut parts = halves.to_vec();
        self.budget = 20;
        parts.push(self.expr(&Type::FLOAT, 2));
        parts.push(self.leaf(&Type::FLOAT));
        let value = Expr::new(Type::of(Scalar::Float, 4), Kind::Construct(parts));
        body.push(Statement::Return(Some(value)));
    }

    /// Scalars of a value.
    fn components(&self, of: Expr, all: &mut Vec<Expr>) {
        if all.len() >= MOST_COMPONENTS {
            return;
        }
        match of.ty.clone() {
            Type::Void => {}
            Type::Scalar(_) => all.push(of),
            Type::Structure(number) => {
                let fields = self.program.structures[number].fields.iter().enumerate();
                for (k, (_, ty)) in fields {
                    let kind = Kind::Field(Box::new(of.clone()), k);
                    self.components(self.finish(ty, kind).expect("a member"), all);
                }
            }
            ty => {
                let (part, count) = ty.indexed().expect("it has parts");
                for k in 0..count {
                    let index = Expr::literal(Scalar::Int, k as u32);
                    let kind = Kind::Index(Box::new(of.clone()), Box::new(index));
                    self.components(self.finish(&part, kind).expect("an element"), all);
                }
            }
        }
    }

    fn word_of(&self, of: Expr) -> Expr {
        let kind = match of.ty.scalar() {
            Some(Scalar::Uint) => return of,
            Some(Scalar::Bool) => Kind::Construct(vec![of]),
            _ => Kind::Bitcast(Box::new(of)),
        };
        self.finish(&Type::UINT, kind).expect("every scalar has a word")
    }
}

/// True if nothing follows the statements.
pub(super) fn ends(body: &[Statement]) -> bool {
    matches!(body.last(), Some(Statement::Return(_) | Statement::Break | Statement::Continue))
}

/// True if the function may end inside the statement.
fn returns(statement: &Statement) -> bool {
    let any = |body: &[Statement]| body.iter().any(returns);
    match statement {
        Statement::Return(_) => true,
        Statement::If(_, yes, no) => any(yes) || no.as_deref().is_some_and(any),
        Statement::For { body, .. }
        | Statement::While(_, body)
        | Statement::Loop { body, .. }
        | Statement::Block(body) => any(body),
        Statement::Switch(_, cases) => cases.iter().any(|case| any(&case.body)),
        _ => false,
    }
}
