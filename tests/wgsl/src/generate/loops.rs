//! Loops of few rounds.

use super::Generator;
use crate::program::{Binary, Expr, Kind, Role, Scalar, Statement, Type, VariableId};

impl Generator {
    fn less(&self, id: VariableId, op: Binary, rounds: usize) -> Expr {
        let scalar = self.program.variables[id].ty.scalar().expect("a counter is an integer");
        let end = Expr::literal(scalar, rounds as u32);
        Expr::new(Type::BOOL, Kind::Binary(op, Box::new(self.program.read(id)), Box::new(end)))
    }

    fn and(a: Expr, b: Expr) -> Expr {
        Expr::new(Type::BOOL, Kind::Binary(Binary::And, Box::new(a), Box::new(b)))
    }

    pub(super) fn any_loop(&mut self, nesting: u32) -> Statement {
        let rounds = self.random.between(1, 4);
        let ty = Type::Scalar(self.integer());
        let counter = self.variable("k", ty.clone(), Role::Var);
        let scalar = ty.scalar().expect("an integer");
        self.protected.insert(counter);
        let was = (self.rounds, self.switches);
        self.rounds *= rounds as u64;
        self.switches = 0;
        self.loops += 1;
        let start = Statement::Declare {
            variable: counter,
            value: Some(Expr::literal(scalar, 0)),
            has_type: self.random.percent(40),
        };
        let step = self.count(counter);
        let condition = self.less(counter, Binary::Less, rounds);
        let found = self.within(|own| {
            own.show(counter);
            match own.random.below(4) {
                0 | 1 => {
                    let has_condition = own.random.percent(85);
                    let condition = match own.random.percent(20) {
                        true => Self::and(condition.clone(), own.expr(&Type::BOOL, 2)),
                        false => condition.clone(),
                    };
                    let mut body = own.block(nesting);
                    if !has_condition {
                        let end = own.less(counter, Binary::GreaterEqual, rounds);
                        body.insert(0, Statement::If(end, vec![Statement::Break], None));
                    }
                    // The counter may be declared before the loop, and be set again there.
                    let (before, first) = match own.random.below(12) {
                        0 => (Some(start), None),
                        1 => {
                            let target = own.program.read(counter);
                            let zero = Expr::literal(scalar, 0);
                            (Some(start), Some(Statement::Assign(None, target, zero)))
                        }
                        _ => (None, Some(start)),
                    };
                    let found = Statement::For {
                        first: first.map(Box::new),
                        condition: has_condition.then_some(condition),
                        step: Some(Box::new(step)),
                        body,
                    };
                    match before {
                        Some(before) => Statement::Block(vec![before, found]),
                        None => found,
                    }
                }
                2 => {
                    let condition = match own.random.percent(40) {
                        true => Self::and(condition, own.expr(&Type::BOOL, 2)),
                        false => condition,
                    };
                    let mut body = own.block(nesting);
                    body.insert(0, step);
                    Statement::Block(vec![start, Statement::While(condition, body)])
                }
                _ => {
                    let found = own.open_loop(counter, rounds, step, nesting);
                    Statement::Block(vec![start, found])
                }
            }
        });
        self.loops -= 1;
        (self.rounds, self.switches) = was;
        found
    }

    /// The statement that counts a round.
    fn count(&mut self, counter: VariableId) -> Statement {
        let target = self.program.read(counter);
        let scalar = target.ty.scalar().expect("a counter is an integer");
        let one = Expr::literal(scalar, 1);
        match self.random.below(3) {
            0 => Statement::Step { target, is_decrement: false },
            1 => Statement::Assign(Some(Binary::Add), target, one),
            _ => {
                let kind = Kind::Binary(Binary::Add, Box::new(target.clone()), Box::new(one));
                let value = Expr::new(target.ty.clone(), kind);
                Statement::Assign(None, target, value)
            }
        }
    }

    /// `loop`, with its end in the body or in `continuing`.
    fn open_loop(
        &mut self,
        counter: VariableId,
        rounds: usize,
        step: Statement,
        nesting: u32,
    ) -> Statement {
        let end = self.less(counter, Binary::GreaterEqual, rounds);
        self.scopes.push(Vec::new());
        let count = self.random.between(1, 3);
        let mut body = Vec::new();
        for _ in 0..count {
            if super::function::ends(&body) {
                break;
            }
            body.extend(self.statement(nesting));
        }
        // Names of the body are visible unless a `continue` may pass their declarations.
        let has_continue = body.iter().any(continues);
        if has_continue || super::function::ends(&body) {
            self.scopes.pop();
        }
        let mut continuing = vec![step];
        for _ in 0..self.random.below(3) {
            let scalar = *self.random.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
            let ty = Type::of(scalar, self.width());
            if let Some(target) = self.place(&ty) {
                let value = self.expr(&ty, 2);
                continuing.push(Statement::Assign(None, target, value));
            }
        }
        let is_late = self.random.percent(50);
        let end = match is_late {
            true if self.random.percent(30) => {
                let other = self.expr(&Type::BOOL, 2);
                let kind = Kind::Binary(Binary::Or, Box::new(other), Box::new(end));
                Some(Expr::new(Type::BOOL, kind))
            }
            true => Some(end),
            false => {
                body.insert(0, Statement::If(end, vec![Statement::Break], None));
                None
            }
        };
        if !(has_continue || super::function::ends(&body)) {
            self.scopes.pop();
        }
        Statement::Loop { body, continuing, end }
    }
}

/// True if a `continue` is inside.
fn continues(statement: &Statement) -> bool {
    let any = |body: &[Statement]| body.iter().any(continues);
    match statement {
        Statement::Continue => true,
        Statement::If(_, yes, no) => any(yes) || no.as_deref().is_some_and(any),
        Statement::Block(body) => any(body),
        Statement::Switch(_, cases) => cases.iter().any(|case| any(&case.body)),
        _ => false,
    }
}
