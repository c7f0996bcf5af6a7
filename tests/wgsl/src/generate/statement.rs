//! Statements.

use super::Generator;
use super::function::ends;
use super::variables::reaches;
use crate::program::{
    Binary, Case, Expr, Kind, Role, Scalar, Stage, Statement, Type, Unary, VariableId,
};

impl Generator {
    /// Statements of one block, in a scope that the caller opens.
    pub(super) fn statements(&mut self, count: usize) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..count {
            if ends(&all) {
                break;
            }
            if let Some(statement) = self.statement(2) {
                all.push(statement);
            }
        }
        all
    }

    /// A block of its own scope.
    pub(super) fn block(&mut self, nesting: u32) -> Vec<Statement> {
        let count = self.random.between(1, 3);
        self.within(|own| {
            let mut all = Vec::new();
            for _ in 0..count {
                if ends(&all) {
                    break;
                }
                let found = own.statement(nesting);
                let anew = match found {
                    Some(Statement::Declare { variable, value: None, .. }) => own.anew(variable),
                    _ => None,
                };
                all.extend(found);
                all.extend(anew.into_iter().flatten());
            }
            all
        })
    }

    /// Reads a variable that begins anew in each round of a loop, changes it, and keeps what it was.
    fn anew(&mut self, variable: VariableId) -> Option<[Statement; 2]> {
        let base = self.use_of(variable);
        let types = [Scalar::Float, Scalar::Int, Scalar::Uint].map(Type::Scalar);
        let (ty, part) = types.into_iter().find_map(|ty| {
            let is_there = reaches(&self.program, &self.program.variables[variable].ty, &ty, true);
            is_there.then(|| Some((ty.clone(), self.descend(base.clone(), &ty, true)?)))?
        })?;
        let value = self.expr(&ty, 2);
        let kind = Kind::Binary(Binary::Add, Box::new(part.clone()), Box::new(value.clone()));
        self.finish(&ty, kind)?;
        let kept = self.place(&ty)?;
        let keep = Statement::Assign(Some(Binary::Add), kept, part.clone());
        Some([Statement::Assign(Some(Binary::Add), part, value), keep])
    }

    /// One statement; `None` if that of the kind cannot stand here.
    pub(super) fn statement(&mut self, nesting: u32) -> Option<Statement> {
        if self.cost.size > 250 || self.cost.steps > 1_500 {
            return None;
        }
        self.cost.size += 1;
        self.cost.steps += self.rounds;
        self.budget = self.budget.max(12);
        match self.random.below(32) {
            0..9 => Some(self.declare()),
            9..17 => self.assign(),
            17 => self.step(),
            18 => self.phony(),
            19 | 20 => self.call_statement(),
            21 => self.pointer_to(),
            22 => self.assert(),
            23..26 if nesting > 0 => Some(self.choice(nesting - 1)),
            26..29 if nesting > 0 => Some(self.any_loop(nesting - 1)),
            29 if nesting > 0 => Some(self.switch(nesting - 1)),
            30 if nesting > 0 && self.random.percent(50) => {
                Some(Statement::Block(self.block(nesting - 1)))
            }
            31 => self.leave(nesting),
            _ => self.assign(),
        }
    }

    fn declare(&mut self) -> Statement {
        let pointed = if self.random.percent(15) { self.array_of_pointed() } else { None };
        let roles = [Role::Let, Role::Let, Role::Var, Role::Var, Role::Var, Role::Const];
        let (ty, role) = match pointed {
            Some(ty) => (ty, Role::Var),
            None => (self.value_type(), *self.random.pick(&roles)),
        };
        let value = match role {
            Role::Var if self.random.percent(20) => None,
            Role::Const => Some(self.known(&ty, 3, Stage::Const)),
            _ => Some(self.expr(&ty, 4)),
        };
        let variable = self.variable("v", ty, role);
        self.hide_another(variable);
        if role == Role::Const {
            self.program.variables[variable].value =
                value.as_ref().and_then(|value: &Expr| value.value.clone());
        }
        self.show(variable);
        Statement::Declare { variable, value, has_type: self.random.percent(40) }
    }

    /// An array of what a function's pointer points to.
    fn array_of_pointed(&mut self) -> Option<Type> {
        let all = self.program.functions.iter().flat_map(|function| &function.parameters);
        let all = all.map(|&id| &self.program.variables[id]);
        let all: Vec<Type> = all
            .filter(|of| of.role == Role::FunctionPointer && !matches!(of.ty, Type::Array(..)))
            .map(|of| of.ty.clone())
            .collect();
        let element = (!all.is_empty()).then(|| self.random.pick(&all).clone())?;
        Some(Type::Array(Box::new(element), self.random.between(1, 3)))
    }

    /// Sometimes takes the name of a variable of an outer scope, which is hidden until this scope ends.
    fn hide_another(&mut self, variable: usize) {
        let [.., outer, own] = &self.scopes[..] else { return };
        let is_taken = |id: &usize| {
            let name = &self.program.variables[*id].name;
            own.iter().any(|own| self.program.variables[*own].name == *name)
        };
        let is_free = |id: &&usize| !self.protected.contains(id) && !is_taken(id);
        let all: Vec<usize> = self.scopes[0].iter().chain(outer).filter(is_free).copied().collect();
        if self.scopes.len() < 3 || all.is_empty() || !self.random.percent(10) {
            return;
        }
        let other = *self.random.pick(&all);
        self.program.variables[variable].name = self.program.variables[other].name.clone();
        // All variables of that name, since one of them may hide another already.
        let name = &self.program.variables[other].name;
        let all = self.scopes.iter().flatten().copied();
        self.hidden.extend(all.filter(|&id| self.program.variables[id].name == *name));
    }

    /// `a += f()` with a function that has `a` itself.
    fn change_by_call(&mut self) -> Option<Statement> {
        let mut all = Vec::new();
        for (function, cost) in self.costs.iter().enumerate() {
            let result = &self.program.functions[function].result;
            let is_sum = matches!(result, Type::Scalar(scalar) if *scalar != Scalar::Bool);
            let roots = cost.touched.iter().filter(|&&id| {
                reaches(&self.program, &self.program.variables[id].ty, result, true)
                    && !self.hidden.contains(&id)
            });
            if is_sum {
                all.extend(roots.map(|&root| (function, root)));
            }
        }
        let (function, root) = (!all.is_empty()).then(|| *self.random.pick(&all))?;
        let ty = self.program.functions[function].result.clone();
        let base = self.use_of(root);
        let target = self.descend(base, &ty, true)?;
        let value = self.call_of(function, 2)?;
        Some(Statement::Assign(Some(Binary::Add), target, value))
    }

    fn assign(&mut self) -> Option<Statement> {
        if self.random.percent(10)
            && let Some(statement) = self.change_by_call()
        {
            return Some(statement);
        }
        let ty = if self.random.percent(70) { self.small_type() } else { self.value_type() };
        let target = self.place(&ty)?;
        if self.random.percent(40)
            && let Some((op, other)) = self.compound(&ty)
        {
            let value = self.expr(&other, 3);
            // The rules for known operands are those of the operator.
            let kind = Kind::Binary(op, Box::new(target.clone()), Box::new(value.clone()));
            self.finish(&ty, kind)?;
            return Some(Statement::Assign(Some(op), target, value));
        }
        let value = self.expr(&ty, 4);
        Some(Statement::Assign(None, target, value))
    }

    /// An operator whose result has the type of the left operand, and the type of the right one.
    fn compound(&mut self, ty: &Type) -> Option<(Binary, Type)> {
        let scalar = ty.scalar()?;
        let arithmetic = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem];
        let bits = [Binary::BitAnd, Binary::BitOr, Binary::BitXor];
        if let Type::Matrix(columns, _) = *ty {
            return Some(match self.random.below(4) {
                0 => (Binary::Add, ty.clone()),
                1 => (Binary::Sub, ty.clone()),
                2 => (Binary::Mul, Type::FLOAT),
                _ => (Binary::Mul, Type::Matrix(columns, columns)),
            });
        }
        Some(match (scalar, self.random.below(4)) {
            (Scalar::Bool, _) => (*self.random.pick(&bits[..2]), ty.clone()),
            (Scalar::Int | Scalar::Uint, 0) => (*self.random.pick(&bits), ty.clone()),
            (Scalar::Int | Scalar::Uint, 1) => {
                let op = *self.random.pick(&[Binary::ShiftLeft, Binary::ShiftRight]);
                (op, Type::of(Scalar::Uint, ty.width()?))
            }
            (_, 2) => (*self.random.pick(&arithmetic), Type::Scalar(scalar)),
            _ => (*self.random.pick(&arithmetic), ty.clone()),
        })
    }

    fn step(&mut self) -> Option<Statement> {
        let ty = Type::Scalar(self.integer());
        let target = self.place(&ty)?;
        Some(Statement::Step { target, is_decrement: self.random.percent(50) })
    }

    fn phony(&mut self) -> Option<Statement> {
        let ty = self.value_type();
        Some(Statement::Phony(self.expr(&ty, 3)))
    }

    fn call_statement(&mut self) -> Option<Statement> {
        if self.program.functions.is_empty() {
            return None;
        }
        let function = self.random.below(self.program.functions.len());
        let call = self.call_of(function, 2)?;
        Some(Statement::Call(call))
    }

    /// `let p = &x.y[i];`
    fn pointer_to(&mut self) -> Option<Statement> {
        if self.random.percent(20) {
            let ty = self.uniform_type();
            let place = self.uniform_place(&ty)?;
            let pointer = self.variable("q", ty, Role::UniformPointer);
            self.show(pointer);
            return Some(Statement::Pointer(pointer, place));
        }
        let mut all = self.writable();
        all.retain(|&id| !matches!(self.program.variables[id].role, Role::PrivatePointer));
        if all.is_empty() {
            return None;
        }
        let id = *self.random.pick(&all);
        let variable = self.program.variables[id].clone();
        let role = match variable.role {
            Role::Private => Role::PrivatePointer,
            _ => Role::FunctionPointer,
        };
        let base = self.use_of(id);
        let ty = match &variable.ty {
            Type::Array(element, _) if self.random.percent(60) => (**element).clone(),
            ty => ty.clone(),
        };
        let place = self.descend(base, &ty, true)?;
        let pointer = self.variable("q", ty, role);
        self.roots[pointer] = self.roots[id];
        self.show(pointer);
        Some(Statement::Pointer(pointer, place))
    }

    fn assert(&mut self) -> Option<Statement> {
        let of = self.known(&Type::BOOL, 2, Stage::Const);
        let is_true = of.value.as_ref()?[0] != 0;
        Some(Statement::Assert(match is_true {
            true => of,
            false => self.finish(&Type::BOOL, Kind::Unary(Unary::Not, Box::new(of)))?,
        }))
    }

    fn choice(&mut self, nesting: u32) -> Statement {
        let condition = self.expr(&Type::BOOL, 3);
        let yes = self.block(nesting);
        let no = match self.random.below(4) {
            0 | 1 => None,
            2 if nesting > 0 => Some(vec![self.choice(nesting - 1)]),
            _ => Some(self.block(nesting)),
        };
        Statement::If(condition, yes, no)
    }

    fn switch(&mut self, nesting: u32) -> Statement {
        let scalar = self.integer();
        let ty = Type::Scalar(scalar);
        let selector = match self.random.percent(60) {
            true => {
                let any = self.expr(&ty, 2);
                let mask = Box::new(Expr::literal(scalar, 3));
                let kind = Kind::Binary(Binary::BitAnd, Box::new(any), mask);
                self.finish(&ty, kind).unwrap_or_else(|| Expr::literal(scalar, 1))
            }
            false => self.expr(&ty, 3),
        };
        let mut seen = Vec::new();
        let mut labels: Vec<Option<Expr>> = vec![None];
        for _ in 0..self.random.between(1, 5) {
            let label = match self.random.percent(60) {
                true => Expr::literal(scalar, self.random.below(5) as u32),
                false => self.known(&ty, 2, Stage::Const),
            };
            if let Some(value) = label.value.clone()
                && !seen.contains(&value)
            {
                seen.push(value);
                labels.push(Some(label));
            }
        }
        self.random.shuffle(&mut labels);
        self.switches += 1;
        let mut cases = Vec::new();
        while !labels.is_empty() {
            let count = self.random.between(1, labels.len().min(3));
            let labels = labels.drain(..count).collect();
            let mut body = self.block(nesting);
            if self.loops > 0 && self.random.percent(25) && !ends(&body) {
                body.push(Statement::Break);
            }
            cases.push(Case { labels, body });
        }
        self.switches -= 1;
        Statement::Switch(selector, cases)
    }

    /// `break`, `continue`, `return` or `discard`, in a condition if it would end the function's own statements.
    fn leave(&mut self, nesting: u32) -> Option<Statement> {
        let is_inner = nesting < 2;
        let found = match self.random.below(8) {
            0..2 if self.loops + self.switches > 0 => Statement::Break,
            2..4 if self.loops > 0 => Statement::Continue,
            4 if is_inner => Statement::Discard,
            5 | 6 if self.result == Type::Void => Statement::Return(None),
            5 | 6 => {
                let ty = self.result.clone();
                Statement::Return(Some(self.expr(&ty, 2)))
            }
            _ => return None,
        };
        self.cost.discards |= matches!(found, Statement::Discard);
        if is_inner && self.random.percent(40) {
            return Some(found);
        }
        let condition = self.expr(&Type::BOOL, 2);
        Some(Statement::If(condition, vec![found], None))
    }
}
