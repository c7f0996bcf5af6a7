//! Calls of functions, and macros.

use super::Generator;
use crate::effects::{Effects, root};
use crate::program::{Binary, Direction, Expr, Item, Kind, Macro, Scalar, Type};

/// The most steps of a function, and the most statements after calls are put in place.
const MOST_STEPS: u64 = 1_500;
const MOST_SIZE: u64 = 400;

impl Generator {
    /// A call of a function of the program with a result of that type.
    pub(super) fn call(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if self.is_constant {
            return None;
        }
        let fits = |&&number: &&usize| {
            let cost = self.costs[number];
            self.program.functions[number].result == *ty
                && self.cost.steps + cost.steps * self.rounds <= MOST_STEPS
                && self.cost.size + cost.size <= MOST_SIZE
                && !(self.has_quad && self.effects[number].discards)
                && !(self.is_pure
                    && (!self.effects[number].is_pure()
                        || self.program.functions[number]
                            .parameters
                            .iter()
                            .any(|(_, d)| d.is_out())))
        };
        let all: Vec<usize> = self.callable.iter().filter(fits).copied().collect();
        if all.is_empty() {
            return None;
        }
        let number = *self.random.pick(&all);
        let cost = self.costs[number];
        self.cost.steps += cost.steps * self.rounds;
        self.cost.size += cost.size;
        let name = self.program.functions[number].name.clone();
        let overloads = self.program.functions.iter().filter(|of| of.name == name).count();
        let parameters = self.program.functions[number].parameters.clone();
        let mut arguments = Vec::new();
        for &(variable, direction) in &parameters {
            let ty = self.program.variables[variable].ty.clone();
            arguments.push(match direction.is_out() {
                true => self.place(&ty)?,
                // Overloads are found by exact types.
                false if overloads > 1 => self.expr(&ty, depth),
                false => self.converted(&ty, depth),
            });
        }
        let directions: Vec<Direction> =
            parameters.iter().map(|&(_, direction)| direction).collect();
        self.settle(&mut arguments, &directions)?;
        Some(Expr::new(ty.clone(), Kind::Call(number, arguments)))
    }

    /// Makes the order of arguments irrelevant. `None` if one place is copied to twice.
    fn settle(&mut self, arguments: &mut [Expr], directions: &[Direction]) -> Option<()> {
        let places = arguments.iter().zip(directions).filter(|(_, of)| of.is_out());
        let mut roots: Vec<_> = places.filter_map(|(place, _)| root(place)).collect();
        roots.sort_unstable();
        let count = roots.len();
        roots.dedup();
        if roots.len() < count {
            return None;
        }
        let of = |generator: &Self, k: usize, arguments: &[Expr]| -> Effects {
            if !directions[k].is_out() {
                return generator.effects_of(&arguments[k]);
            }
            let mut effects = generator.finder().of_place(&arguments[k]);
            effects.reads.extend(root(&arguments[k]));
            effects
        };
        let has_places = count > 0;
        for k in 1..arguments.len() {
            let own = of(self, k, arguments);
            let is_wrong = (0..k).any(|other| {
                let other = of(self, other, arguments);
                own.conflicts(&other) && (has_places || own.is_pure() || other.is_pure())
            });
            if is_wrong && directions[k].is_out() {
                return None;
            }
            if is_wrong {
                let ty = arguments[k].ty.clone();
                arguments[k] = self.constant(&ty);
            }
        }
        Some(())
    }

    /// Definitions of macros.
    pub(super) fn macros(&mut self) {
        for _ in 0..self.random.between(1, 3) {
            let ty = self.plain_type();
            let is_bool = ty.scalar() == Some(Scalar::Bool);
            let count = self.random.below(3);
            let parameter = |number: usize| Expr::new(ty.clone(), Kind::Parameter(number));
            let body = match count {
                0 => self.constant(&ty),
                _ if is_bool => {
                    if ty != Type::BOOL {
                        continue;
                    }
                    let op = *self.random.pick(&[Binary::And, Binary::Or, Binary::Xor]);
                    Expr::binary(Type::BOOL, op, parameter(0), parameter(count - 1))
                }
                1 => {
                    let other = match self.random.percent(50) {
                        true => parameter(0),
                        false => self.constant(&ty),
                    };
                    let op = *self.random.pick(&[Binary::Add, Binary::Mul, Binary::Sub]);
                    Expr::binary(ty.clone(), op, parameter(0), other)
                }
                _ => {
                    let factor = self.constant(&ty);
                    let product = Expr::binary(ty.clone(), Binary::Mul, parameter(1), factor);
                    Expr::binary(ty.clone(), Binary::Sub, parameter(0), product)
                }
            };
            let name = self.fresh("M");
            self.program.macros.push(Macro { name, parameters: vec![ty.clone(); count], body });
            self.program.items.push(Item::Macro(self.program.macros.len() - 1));
        }
    }
}
