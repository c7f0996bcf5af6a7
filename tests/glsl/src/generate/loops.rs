//! Loops. A counter that the body cannot change bounds the rounds.

use super::{Generator, Use};
use crate::program::{Binary, Expr, Kind, Statement, Type, VariableId};

impl Generator {
    /// A loop, with the declaration of its counter.
    pub(super) fn any_loop(&mut self) -> Vec<Statement> {
        let rounds = self.random.between(1, 4);
        if self.rounds * rounds as u64 > 40 {
            return vec![self.effect()];
        }
        match self.random.below(4) {
            _ if self.dialect.is_old() => vec![self.counted(rounds)],
            0 => self.conditional_loop(rounds, false),
            1 => self.conditional_loop(rounds, true),
            _ => vec![self.counted(rounds)],
        }
    }

    fn loop_body(&mut self, rounds: usize) -> Vec<Statement> {
        self.rounds *= rounds as u64;
        self.loops += 1;
        let switches = std::mem::take(&mut self.switches);
        let body = self.body(false);
        self.switches = switches;
        self.loops -= 1;
        self.rounds /= rounds as u64;
        body
    }

    fn read(counter: VariableId) -> Expr {
        Expr::new(Type::INT, Kind::Variable(counter))
    }

    fn stepped(counter: VariableId, is_decrement: bool, is_prefix: bool) -> Expr {
        let target = Box::new(Self::read(counter));
        Expr::new(Type::INT, Kind::Step { target, is_prefix, is_decrement })
    }

    /// The condition, and more that must hold as well.
    fn with_more(&mut self, condition: Expr) -> Expr {
        if self.dialect.is_old() || self.random.percent(50) {
            return condition;
        }
        let more = self.expr(&Type::BOOL, 2);
        Expr::binary(Type::BOOL, Binary::And, condition, more)
    }

    /// `for (int i = 0; i < N; i++)`, upwards or downwards.
    fn counted(&mut self, rounds: usize) -> Statement {
        self.within(false, |generator| {
            let name = generator.fresh("i");
            let of = Use { rounds: Some(rounds), ..Use::default() };
            let counter = generator.named(name, Type::INT, of);
            let is_down = generator.random.percent(20);
            let last = rounds as i32 - 1;
            let (from, op, to) = match is_down {
                true => (last, Binary::GreaterEqual, 0),
                false if generator.random.percent(50) => (0, Binary::LessEqual, last),
                false => (0, Binary::Less, last + 1),
            };
            let first = Statement::Declare {
                variables: vec![(counter, Some(Expr::int(from)))],
                is_const: false,
            };
            let condition = Expr::binary(Type::BOOL, op, Self::read(counter), Expr::int(to));
            let condition = generator.with_more(condition);
            let step = match generator.random.percent(70) {
                true => Self::stepped(counter, is_down, generator.random.percent(50)),
                false => {
                    let op = if is_down { Binary::Sub } else { Binary::Add };
                    let target = Box::new(Self::read(counter));
                    let kind = Kind::Assign(Some(op), target, Box::new(Expr::int(1)));
                    Expr::new(Type::INT, kind)
                }
            };
            let step = match generator.random.percent(20) && !generator.dialect.is_old() {
                true => {
                    let ty = generator.plain_type();
                    match generator.assignment(&ty, 1) {
                        Some(other) => {
                            let kind = Kind::Comma(Box::new(other), Box::new(step));
                            Expr::new(Type::INT, kind)
                        }
                        None => step,
                    }
                }
                false => step,
            };
            let body = generator.loop_body(rounds);
            let first = Some(Box::new(first));
            Statement::For { first, condition: Some(condition), step: Some(step), body }
        })
    }

    /// `while` and `do`, whose bodies or conditions count.
    fn conditional_loop(&mut self, rounds: usize, is_do: bool) -> Vec<Statement> {
        let name = self.fresh("n");
        let of = Use { rounds: Some(rounds + 1), ..Use::default() };
        let counter = self.named(name, Type::INT, of);
        let first =
            Statement::Declare { variables: vec![(counter, Some(Expr::int(0)))], is_const: false };
        let counts_in_condition = self.random.percent(40);
        let bound = Expr::int(rounds as i32);
        let now = match counts_in_condition {
            true => Self::stepped(counter, false, is_do),
            false => Self::read(counter),
        };
        let condition = Expr::binary(Type::BOOL, Binary::Less, now, bound);
        let condition = self.with_more(condition);
        let mut body = self.loop_body(rounds + 1);
        if !counts_in_condition {
            let count = Self::stepped(counter, false, self.random.percent(50));
            body.insert(0, Statement::Expression(count));
        }
        vec![
            first,
            match is_do {
                true => Statement::DoWhile(body, condition),
                false => Statement::While(condition, body),
            },
        ]
    }
}
