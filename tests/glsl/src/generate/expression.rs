//! Expressions of a wanted type.

use super::Generator;
use crate::program::{Expr, Kind, Scalar, Type};

impl Generator {
    /// An expression of a type.
    pub(super) fn expr(&mut self, ty: &Type, depth: u32) -> Expr {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 {
            return self.leaf(ty);
        }
        for _ in 0..4 {
            let found = match self.random.below(24) {
                0..3 => Some(self.leaf(ty)),
                3..8 => self.operator(ty, depth - 1),
                8..13 => self.builtin(ty, depth - 1),
                13..16 => self.call(ty, depth - 1),
                16 => self.conditional(ty, depth - 1),
                17 => self.comma(ty, depth - 1),
                18 => self.assignment(ty, depth - 1),
                19 => self.step(ty),
                20..22 => Some(self.construct(ty, depth - 1)),
                22 => self.of_macro(ty, depth - 1),
                _ => self.part_of_value(ty, depth - 1),
            };
            if let Some(found) = found {
                return found;
            }
        }
        self.leaf(ty)
    }

    /// A variable's part, or a constant.
    pub(super) fn leaf(&mut self, ty: &Type) -> Expr {
        if self.random.percent(75)
            && let Some(variable) = self.variable(ty)
        {
            return variable;
        }
        self.constant(ty)
    }

    /// Replaces operands whose order would matter, if only one of a pair has effects.
    pub(super) fn order(&mut self, operands: &mut [Expr], is_strict: bool) {
        for k in 1..operands.len() {
            let own = self.effects_of(&operands[k]);
            let is_wrong = operands[..k].iter().any(|other| {
                let other = self.effects_of(other);
                own.conflicts(&other) && (is_strict || own.is_pure() || other.is_pure())
            });
            if is_wrong {
                let ty = operands[k].ty.clone();
                operands[k] = self.constant(&ty);
            }
        }
    }

    /// Operands of these types.
    pub(super) fn operands(&mut self, types: &[Type], depth: u32) -> Vec<Expr> {
        let mut all: Vec<Expr> = types.iter().map(|ty| self.expr(ty, depth)).collect();
        self.order(&mut all, false);
        all
    }

    /// An operand that may convert implicitly.
    pub(super) fn converted(&mut self, ty: &Type, depth: u32) -> Expr {
        let from = match ty.scalar() {
            Some(Scalar::Float) if self.dialect.converts() && ty.width().is_some() => {
                if self.random.percent(70) { Scalar::Int } else { Scalar::Uint }
            }
            Some(Scalar::Uint) if self.dialect.converts_to_unsigned() => Scalar::Int,
            _ => return self.expr(ty, depth),
        };
        if !self.random.percent(12) {
            return self.expr(ty, depth);
        }
        let inner = self.expr(&Type::of(from, ty.width().unwrap_or(1)), depth);
        Expr::new(ty.clone(), Kind::Convert(Box::new(inner)))
    }

    fn is_plain(ty: &Type) -> bool {
        ty.width().is_some() || ty.is_matrix()
    }

    fn conditional(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if !Self::is_plain(ty) && (self.dialect.is_es() || ty.has_array(&self.program.structures)) {
            return None;
        }
        let condition = self.expr(&Type::BOOL, depth);
        let [yes, no] = [0, 1].map(|_| Box::new(self.expr(ty, depth)));
        Some(Expr::new(ty.clone(), Kind::Conditional(Box::new(condition), yes, no)))
    }

    fn comma(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if self.is_constant || !Self::is_plain(ty) {
            return None;
        }
        let first = self.plain_type();
        let first = self.assignment(&first, depth).or_else(|| self.step(&first))?;
        let second = self.expr(ty, depth);
        Some(Expr::new(ty.clone(), Kind::Comma(Box::new(first), Box::new(second))))
    }

    /// `x = e` or `x op= e`.
    pub(super) fn assignment(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if self.is_pure || (self.dialect.is_old() && ty.has_array(&self.program.structures)) {
            return None;
        }
        let target = self.place(ty)?;
        let (op, value) = match self.compound(ty, depth) {
            Some((op, value)) if self.random.percent(60) => (Some(op), value),
            _ => (None, self.converted(ty, depth)),
        };
        // The place, its old value and the new one in any order.
        let finder = self.finder();
        let mut of_target = finder.of_place(&target);
        of_target.writes.extend(crate::effects::root(&target));
        let of_value = finder.of(&value);
        let is_open = match op {
            Some(_) => of_value.conflicts(&of_target),
            None => {
                of_target.writes.clear();
                of_value.conflicts(&of_target)
                    || crate::effects::root(&target)
                        .is_some_and(|root| of_value.writes.contains(&root))
            }
        };
        let value = match is_open && !of_value.is_pure() {
            true => {
                let ty = value.ty.clone();
                self.constant(&ty)
            }
            false => value,
        };
        Some(Expr::new(ty.clone(), Kind::Assign(op, Box::new(target), Box::new(value))))
    }

    /// `++` and `--`.
    pub(super) fn step(&mut self, ty: &Type) -> Option<Expr> {
        if self.is_pure || !Self::is_plain(ty) || ty.scalar() == Some(Scalar::Bool) {
            return None;
        }
        let target = Box::new(self.place(ty)?);
        let [is_prefix, is_decrement] = [0, 1].map(|_| self.random.percent(50));
        Some(Expr::new(ty.clone(), Kind::Step { target, is_prefix, is_decrement }))
    }

    /// A constructor.
    pub(super) fn construct(&mut self, ty: &Type, depth: u32) -> Expr {
        let old = self.dialect.is_old();
        let types = match ty {
            Type::Void => unreachable!("void has no value"),
            Type::Scalar(_) => vec![self.plain_type()],
            Type::Vector(_, width) => match self.random.below(6) {
                0 => {
                    let scalar = self.scalar();
                    vec![Type::Scalar(scalar)]
                }
                1 => {
                    let scalar = self.scalar();
                    vec![Type::of(scalar, self.random.between((*width).into(), 4) as u8)]
                }
                2 if !old => vec![Type::Matrix(2, self.random.between(2, 4) as u8)],
                _ => self.components((*width).into(), true),
            },
            Type::Matrix(columns, rows) => match self.random.below(6) {
                0 => {
                    let scalar = self.scalar();
                    vec![Type::Scalar(scalar)]
                }
                1 | 2 if !old => vec![self.matrix_type()],
                3 => vec![Type::of(Scalar::Float, *rows); (*columns).into()],
                _ => self.components((columns * rows).into(), false),
            },
            Type::Structure(number) => {
                let fields = &self.program.structures[*number].fields;
                fields.iter().map(|(_, ty)| ty.clone()).collect()
            }
            Type::Array(element, length) => vec![(**element).clone(); *length],
        };
        let depth = if types.len() > 4 { 0 } else { depth };
        let parts = self.operands(&types, depth);
        Expr::new(ty.clone(), Kind::Construct(parts))
    }

    /// Scalars and vectors of that many components; the last may have more if `may_exceed`.
    fn components(&mut self, mut left: usize, may_exceed: bool) -> Vec<Type> {
        let mut types = Vec::new();
        while left > 0 {
            let scalar = match self.random.percent(70) {
                true => Scalar::Float,
                false => self.scalar(),
            };
            let is_last = may_exceed && self.random.percent(10);
            let most = if is_last { 4 } else { left.min(4) };
            let width = self.random.between(1, most);
            types.push(Type::of(scalar, width as u8));
            left = left.saturating_sub(width);
        }
        // One scalar would be every component, which is meant elsewhere.
        types
    }

    /// A part of a value that is no variable.
    fn part_of_value(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let scalar = ty.scalar().filter(|_| ty.width().is_some())?;
        let width = self.random.between(2, 4) as u8;
        let whole = match self.random.below(4) {
            0 if scalar == Scalar::Float => self.matrix_type(),
            1 if !self.dialect.is_old() => {
                Type::array(Type::of(scalar, width), self.random.between(1, 3))
            }
            _ => Type::of(scalar, width),
        };
        let whole = match self.random.percent(50) {
            true => self.construct(&whole, depth),
            false => self.call(&whole, depth).or_else(|| self.operator(&whole, depth))?,
        };
        Some(self.part(whole, ty, false))
    }

    /// An application of a macro.
    fn of_macro(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let fits = |k: &usize| {
            let it = &self.program.macros[*k];
            it.body.ty == *ty && !(self.is_constant && it.parameters.is_empty())
        };
        let all: Vec<usize> = (0..self.program.macros.len()).filter(fits).collect();
        if all.is_empty() {
            return None;
        }
        let number = *self.random.pick(&all);
        let types = self.program.macros[number].parameters.clone();
        let arguments = self.operands(&types, depth);
        let mut expansion = self.program.macros[number].body.clone();
        expand(&mut expansion, &arguments);
        // An argument with effects that stands there twice must not meet itself between pure operands.
        if self.is_open(&expansion) {
            return None;
        }
        Some(Expr::new(ty.clone(), Kind::Macro(number, arguments, Box::new(expansion))))
    }

    /// True if operands conflict and one of them has no effects.
    fn is_open(&self, of: &Expr) -> bool {
        let operands = of.operands();
        let effects: Vec<_> = operands.iter().map(|operand| self.effects_of(operand)).collect();
        let meets = |k: usize| {
            effects[..k].iter().any(|other| {
                other.conflicts(&effects[k]) && (other.is_pure() || effects[k].is_pure())
            })
        };
        (1..operands.len()).any(meets) || operands.iter().any(|operand| self.is_open(operand))
    }
}

/// Puts arguments in place of parameters.
fn expand(body: &mut Expr, arguments: &[Expr]) {
    if let Kind::Parameter(number) = body.kind {
        *body = arguments[number].clone();
        return;
    }
    body.operands_mut().into_iter().for_each(|operand| expand(operand, arguments));
}
