//! Expressions of a wanted type.

use super::Generator;
use crate::program::{Binary, Expr, Kind, Role, Scalar, Stage, Type, Unary};

impl Generator {
    /// An expression of a type.
    pub(super) fn expr(&mut self, ty: &Type, depth: u32) -> Expr {
        self.budget -= 1;
        if depth == 0 || self.budget < 0 {
            return self.leaf(ty);
        }
        for _ in 0..4 {
            let found = match self.random.below(20) {
                0..3 => Some(self.leaf(ty)),
                3..9 => self.operator(ty, depth - 1),
                9..14 => self.builtin(ty, depth - 1),
                14..16 => self.call(ty, depth - 1),
                16..19 => self.construct(ty, depth - 1),
                _ => self.conversion(ty, depth - 1),
            };
            if let Some(found) = found {
                return found;
            }
        }
        self.leaf(ty)
    }

    /// A variable's part, or a constant.
    pub(super) fn leaf(&mut self, ty: &Type) -> Expr {
        if self.random.percent(80)
            && let Some(found) = self.part_of_variable(ty)
        {
            return found;
        }
        self.constant(ty)
    }

    pub(super) fn relation(&mut self) -> Binary {
        *self.random.pick(&[
            Binary::Less,
            Binary::Greater,
            Binary::LessEqual,
            Binary::GreaterEqual,
            Binary::Equal,
            Binary::NotEqual,
        ])
    }

    fn two(&mut self, ty: &Type, op: Binary, types: [&Type; 2], depth: u32) -> Option<Expr> {
        let [a, b] = types.map(|ty| Box::new(self.expr(ty, depth)));
        self.finish(ty, Kind::Binary(op, a, b))
    }

    fn one(&mut self, op: Unary, ty: &Type, depth: u32) -> Option<Expr> {
        let a = Box::new(self.expr(ty, depth));
        self.finish(ty, Kind::Unary(op, a))
    }

    fn operator(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        match *ty {
            Type::Matrix(columns, rows) => self.of_matrices(ty, columns, rows, depth),
            Type::Scalar(Scalar::Bool) | Type::Vector(Scalar::Bool, _) => self.of_bools(ty, depth),
            Type::Vector(Scalar::Float, width) if self.random.percent(15) => {
                let other = self.random.between(2, 4) as u8;
                let vector = Type::Vector(Scalar::Float, other);
                match self.random.percent(50) {
                    true => {
                        let types = [&Type::Matrix(other, width), &vector];
                        self.two(ty, Binary::Mul, types, depth)
                    }
                    false => {
                        let types = [&vector, &Type::Matrix(width, other)];
                        self.two(ty, Binary::Mul, types, depth)
                    }
                }
            }
            Type::Scalar(scalar) | Type::Vector(scalar, _) => self.of_numbers(ty, scalar, depth),
            _ => None,
        }
    }

    fn of_matrices(&mut self, ty: &Type, columns: u8, rows: u8, depth: u32) -> Option<Expr> {
        match self.random.below(5) {
            0 => self.two(ty, Binary::Add, [ty, ty], depth),
            1 => self.two(ty, Binary::Sub, [ty, ty], depth),
            2 => self.two(ty, Binary::Mul, [ty, &Type::FLOAT], depth),
            3 => self.two(ty, Binary::Mul, [&Type::FLOAT, ty], depth),
            _ => {
                let inner = self.random.between(2, 4) as u8;
                let types = [&Type::Matrix(inner, rows), &Type::Matrix(columns, inner)];
                self.two(ty, Binary::Mul, types, depth)
            }
        }
    }

    fn of_bools(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let width = ty.width()?;
        match self.random.below(10) {
            0 => self.one(Unary::Not, ty, depth),
            1 | 2 if width == 1 => self.two(ty, Binary::And, [ty, ty], depth),
            3 | 4 if width == 1 => self.two(ty, Binary::Or, [ty, ty], depth),
            5 => {
                let ops = [Binary::BitAnd, Binary::BitOr, Binary::Equal, Binary::NotEqual];
                let op = *self.random.pick(&ops);
                self.two(ty, op, [ty, ty], depth)
            }
            6 if width == 1 => self.compare_abstracts(),
            _ => {
                let scalar = *self.random.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
                let operand = Type::of(scalar, width);
                let op = self.relation();
                self.two(ty, op, [&operand, &operand], depth)
            }
        }
    }

    fn of_numbers(&mut self, ty: &Type, scalar: Scalar, depth: u32) -> Option<Expr> {
        let width = ty.width()?;
        let is_integer = scalar != Scalar::Float;
        match self.random.below(10) {
            0 if scalar != Scalar::Uint => self.one(Unary::Minus, ty, depth),
            1 if is_integer => self.one(Unary::BitNot, ty, depth),
            1..3 if is_integer => {
                let op = *self.random.pick(&[Binary::BitAnd, Binary::BitOr, Binary::BitXor]);
                self.two(ty, op, [ty, ty], depth)
            }
            3..5 if is_integer => {
                let op = *self.random.pick(&[Binary::ShiftLeft, Binary::ShiftRight]);
                self.two(ty, op, [ty, &Type::of(Scalar::Uint, width)], depth)
            }
            _ => {
                let op = *self.random.pick(&[
                    Binary::Add,
                    Binary::Add,
                    Binary::Sub,
                    Binary::Mul,
                    Binary::Div,
                    Binary::Rem,
                ]);
                let other = Type::Scalar(scalar);
                let types = match self.random.below(6) {
                    0 => [ty, &other],
                    1 => [&other, ty],
                    _ => [ty, ty],
                };
                self.two(ty, op, types, depth)
            }
        }
    }

    /// A constructor of parts.
    fn construct(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let parts: Vec<Type> = match ty {
            Type::Vector(scalar, width) => {
                let mut left = *width;
                let mut parts = Vec::new();
                if self.random.percent(15) {
                    left = 0;
                    parts.push(Type::Scalar(*scalar));
                }
                while left > 0 {
                    let width = self.random.between(1, usize::from(left)) as u8;
                    parts.push(Type::of(*scalar, width));
                    left -= width;
                }
                parts
            }
            Type::Matrix(columns, rows) => match self.random.percent(50) {
                true => vec![Type::Vector(Scalar::Float, *rows); usize::from(*columns)],
                false => vec![Type::FLOAT; usize::from(columns * rows)],
            },
            Type::Structure(number) => {
                let fields = &self.program.structures[*number].fields;
                fields.iter().map(|(_, ty)| ty.clone()).collect()
            }
            Type::Array(element, length) => vec![(**element).clone(); *length],
            _ => return self.conversion(ty, depth),
        };
        let parts = parts.iter().map(|ty| self.expr(ty, depth)).collect();
        self.finish(ty, Kind::Construct(parts))
    }

    /// A conversion of components, or the same bits in another type.
    fn conversion(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let (scalar, width) = (ty.scalar()?, ty.width()?);
        if scalar != Scalar::Bool && self.random.percent(40) {
            let from = *self.random.pick(&[Scalar::Float, Scalar::Int, Scalar::Uint]);
            let a = Box::new(self.expr(&Type::of(from, width), depth));
            return self.finish(ty, Kind::Bitcast(a));
        }
        let from = self.scalar();
        let part = self.expr(&Type::of(from, width), depth);
        self.finish(ty, Kind::Construct(vec![part]))
    }

    /// A call of a function of the program.
    fn call(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let all: Vec<usize> = (0..self.program.functions.len())
            .filter(|&k| self.program.functions[k].result == *ty)
            .collect();
        if all.is_empty() {
            return None;
        }
        let function = *self.random.pick(&all);
        self.call_of(function, depth)
    }

    /// A call, if its cost is low and its pointers do not alias.
    pub(super) fn call_of(&mut self, function: usize, depth: u32) -> Option<Expr> {
        if !self.has_calls || self.limit != Stage::Run {
            return None;
        }
        let cost = self.costs[function].clone();
        let steps = self.cost.steps + self.rounds * cost.steps;
        if steps > 1_500 || self.cost.size + cost.size > 250 || self.rounds > 40 {
            return None;
        }
        let parameters = self.program.functions[function].parameters.clone();
        let mut roots = Vec::new();
        let mut arguments = Vec::new();
        for id in parameters {
            let parameter = self.program.variables[id].clone();
            if !parameter.role.is_pointer() {
                arguments.push(self.expr(&parameter.ty, depth.min(2)));
                continue;
            }
            if parameter.role == Role::UniformPointer {
                let place = self.uniform_place(&parameter.ty)?;
                let kind = Kind::AddressOf(Box::new(place));
                arguments.push(self.finish(&parameter.ty, kind)?);
                continue;
            }
            let (root, place) = self.pointer(&parameter.ty, parameter.role, &roots, &cost)?;
            roots.push(root);
            let kind = Kind::AddressOf(Box::new(place));
            arguments.push(self.finish(&parameter.ty, kind)?);
        }
        self.cost.steps += self.rounds * cost.steps;
        self.cost.size += cost.size;
        self.cost.touched.extend(&cost.touched);
        self.cost.discards |= cost.discards;
        let result = self.program.functions[function].result.clone();
        self.finish(&result, Kind::Call(function, arguments))
    }

    /// A place of the type for a pointer, with the variable that has it.
    fn pointer(
        &mut self,
        ty: &Type,
        role: Role,
        taken: &[usize],
        cost: &super::Cost,
    ) -> Option<(usize, Expr)> {
        let mut all = self.writable();
        all.retain(|&id| {
            let root = self.roots[id];
            let own = self.program.variables[id].role;
            let is_private = matches!(own, Role::Private | Role::PrivatePointer);
            self.program.variables[id].ty == *ty
                && is_private == (role == Role::PrivatePointer)
                && !taken.contains(&root)
                && !cost.touched.contains(&root)
        });
        let wider = self.wider_places(ty, role, taken, cost);
        if !wider.is_empty() && (all.is_empty() || self.random.percent(60)) {
            let id = *self.random.pick(&wider);
            let base = self.use_of(id);
            return Some((self.roots[id], self.descend(base, ty, true)?));
        }
        if all.is_empty() {
            return None;
        }
        let id = *self.random.pick(&all);
        Some((self.roots[id], self.use_of(id)))
    }

    /// Variables with parts of the type that are no components of vectors.
    fn wider_places(
        &self,
        ty: &Type,
        role: Role,
        taken: &[usize],
        cost: &super::Cost,
    ) -> Vec<usize> {
        let mut all = self.writable();
        all.retain(|&id| {
            let root = self.roots[id];
            let variable = &self.program.variables[id];
            let is_private = matches!(variable.role, Role::Private | Role::PrivatePointer);
            let has_part = match &variable.ty {
                Type::Array(element, _) => **element == *ty,
                Type::Structure(number) => {
                    self.program.structures[*number].fields.iter().all(|(_, field)| field == ty)
                }
                _ => false,
            };
            has_part
                && is_private == (role == Role::PrivatePointer)
                && !taken.contains(&root)
                && !cost.touched.contains(&root)
        });
        all
    }
}
