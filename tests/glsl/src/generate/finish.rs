//! The end of `main`: every visible variable goes into the output.

use super::{Generator, Use};
use crate::builtins::Builtin;
use crate::program::{Binary, Expr, Kind, Scalar, Statement, Type, VariableId};

/// The most components that are looked at.
const MOST_COMPONENTS: usize = 60;

impl Generator {
    pub(super) fn finish(&mut self, body: &mut Vec<Statement>) {
        let components = self.visible_components();
        let float = |value: f32| Expr::float(value);
        let output = Expr::new(Type::of(Scalar::Float, 4), Kind::Variable(self.program.output));
        let of = Use::default();
        let parts = match self.dialect.is_old() {
            true => {
                let sums = [0, 1, 2, 3].map(|k| {
                    let parts = components.iter().skip(k).step_by(4).cloned();
                    parts.fold(float(0.0), |sum, part| {
                        let half = Expr::binary(Type::FLOAT, Binary::Mul, sum, float(0.5));
                        let part = Expr::new(Type::FLOAT, Kind::Construct(vec![part]));
                        Expr::binary(Type::FLOAT, Binary::Add, half, part)
                    })
                });
                sums.to_vec()
            }
            false => {
                let hash = self.named("hash".into(), Type::UINT, of);
                let read = || Expr::new(Type::UINT, Kind::Variable(hash));
                let first = Expr::literal(Scalar::Uint, 17);
                body.push(Statement::Declare {
                    variables: vec![(hash, Some(first))],
                    is_const: false,
                });
                for part in components {
                    let bits = match part.ty.scalar() {
                        Some(Scalar::Float) => {
                            Expr::builtin(Type::UINT, Builtin::FloatBitsToUint, vec![part])
                        }
                        Some(Scalar::Uint) => part,
                        _ => Expr::new(Type::UINT, Kind::Construct(vec![part])),
                    };
                    let factor = Expr::literal(Scalar::Uint, 31);
                    let moved = Expr::binary(Type::UINT, Binary::Mul, read(), factor);
                    let sum = Expr::binary(Type::UINT, Binary::Add, moved, bits);
                    let kind = Kind::Assign(None, Box::new(read()), Box::new(sum));
                    body.push(Statement::Expression(Expr::new(Type::UINT, kind)));
                }
                let literal = |word| Expr::literal(Scalar::Uint, word);
                let low = Expr::binary(Type::UINT, Binary::BitAnd, read(), literal(0xffff));
                let high = Expr::binary(Type::UINT, Binary::ShiftRight, read(), literal(16));
                let number = |of| Expr::new(Type::FLOAT, Kind::Construct(vec![of]));
                let (low, high) = (number(low), number(high));
                let [a, b] = [0, 1].map(|_| self.pure(&Type::FLOAT, 2));
                vec![low, high, a, b]
            }
        };
        let colour = Expr::new(output.ty.clone(), Kind::Construct(parts));
        // What the program itself has written counts, too.
        let kind = Kind::Assign(None, Box::new(output.clone()), Box::new(colour));
        body.push(Statement::Expression(Expr::new(output.ty, kind)));
    }

    /// Scalar parts of the visible variables.
    fn visible_components(&mut self) -> Vec<Expr> {
        let mut all = Vec::new();
        for id in self.visible() {
            if self.uses[id].is_writable || self.random.percent(20) {
                self.scalars_of(id, &mut all);
            }
        }
        all.truncate(MOST_COMPONENTS);
        all
    }

    fn scalars_of(&self, id: VariableId, all: &mut Vec<Expr>) {
        let mut open = vec![Expr::new(self.program.variables[id].ty.clone(), Kind::Variable(id))];
        while let Some(of) = open.pop() {
            match &of.ty {
                Type::Scalar(_) => all.push(of),
                Type::Structure(number) => {
                    let fields = &self.program.structures[*number].fields;
                    for (k, (_, ty)) in fields.iter().enumerate() {
                        let kind = Kind::Field(Box::new(of.clone()), k);
                        open.push(Expr::new(ty.clone(), kind));
                    }
                }
                ty => {
                    let Some((part, count)) = ty.indexed() else { continue };
                    for k in 0..count {
                        let index = Box::new(Expr::int(k as i32));
                        let kind = Kind::Index(Box::new(of.clone()), index);
                        open.push(Expr::new(part.clone(), kind));
                    }
                }
            }
        }
    }
}
