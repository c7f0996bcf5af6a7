//! Variables that are visible, and parts of them.

use super::Generator;
use crate::program::{Binary, Expr, Kind, Scalar, Type, VariableId};

impl Generator {
    /// The visible variables: an inner name hides an outer one.
    pub(super) fn visible(&self) -> Vec<VariableId> {
        let mut names: Vec<&str> = Vec::new();
        let mut found = Vec::new();
        for scope in self.scopes.iter().rev() {
            for &id in scope.variables.iter().rev() {
                let name = &self.program.variables[id].name[..];
                if !names.contains(&name) {
                    names.push(name);
                    found.push(id);
                }
            }
        }
        found
    }

    /// True if some part of `ty` has the type `wanted`.
    /// A part of a place is no wider than its vector.
    fn contains(&self, ty: &Type, wanted: &Type, is_place: bool) -> bool {
        if ty == wanted {
            return true;
        }
        match ty {
            Type::Vector(scalar, width) => {
                wanted.is_of(*scalar) && !(is_place && wanted.width() > Some(*width))
            }
            Type::Matrix(_, rows) => {
                self.contains(&Type::of(Scalar::Float, *rows), wanted, is_place)
            }
            Type::Array(element, _) => self.contains(element, wanted, is_place),
            Type::Structure(number) => {
                let fields = &self.program.structures[*number].fields;
                fields.iter().any(|(_, ty)| self.contains(ty, wanted, is_place))
            }
            _ => false,
        }
    }

    /// A part of a variable with that type.
    pub(super) fn variable(&mut self, ty: &Type) -> Option<Expr> {
        let is_candidate = |&id: &VariableId| {
            (!self.is_constant || self.uses[id].is_constant)
                && self.contains(&self.program.variables[id].ty, ty, false)
        };
        let all: Vec<VariableId> = self.visible().into_iter().filter(is_candidate).collect();
        self.part_of_one(&all, ty, false)
    }

    /// A place of that type that can be changed.
    pub(super) fn place(&mut self, ty: &Type) -> Option<Expr> {
        let is_candidate = |&id: &VariableId| {
            self.uses[id].is_writable && self.contains(&self.program.variables[id].ty, ty, true)
        };
        let all: Vec<VariableId> = self.visible().into_iter().filter(is_candidate).collect();
        self.part_of_one(&all, ty, true)
    }

    /// A variable that is an array, or one in a structure or array.
    pub(super) fn array(&mut self) -> Option<Expr> {
        let is_candidate = |&id: &VariableId| {
            let is_known = !self.is_constant || self.uses[id].is_constant;
            is_known && self.program.variables[id].ty.has_array(&self.program.structures)
        };
        let all: Vec<VariableId> = self.visible().into_iter().filter(is_candidate).collect();
        if all.is_empty() {
            return None;
        }
        let id = *self.random.pick(&all);
        let mut of = Expr::new(self.program.variables[id].ty.clone(), Kind::Variable(id));
        loop {
            of = match of.ty.clone() {
                Type::Structure(number) => {
                    let structures = &self.program.structures;
                    let mut fields = structures[number].fields.iter().enumerate();
                    let (field, (_, ty)) = fields.find(|(_, (_, ty))| ty.has_array(structures))?;
                    let ty = ty.clone();
                    Expr::new(ty, Kind::Field(Box::new(of), field))
                }
                Type::Array(element, _)
                    if element.has_array(&self.program.structures) && self.random.percent(50) =>
                {
                    Expr::new(*element, Kind::Index(Box::new(of), Box::new(Expr::int(0))))
                }
                _ => return Some(of),
            };
        }
    }

    fn part_of_one(&mut self, all: &[VariableId], ty: &Type, is_place: bool) -> Option<Expr> {
        if all.is_empty() {
            return None;
        }
        let id = *self.random.pick(all);
        let variable = Expr::new(self.program.variables[id].ty.clone(), Kind::Variable(id));
        Some(self.part(variable, ty, is_place))
    }

    /// A part of the value; there is one of the type.
    pub(super) fn part(&mut self, mut of: Expr, wanted: &Type, is_place: bool) -> Expr {
        let mut swizzles = 0;
        loop {
            let is_found = of.ty == *wanted;
            let is_vector = matches!(of.ty, Type::Vector(..));
            let chance = if is_vector { 12 } else { 0 };
            if is_found && (swizzles > 1 || !self.random.percent(chance)) {
                return of;
            }
            of = match of.ty.clone() {
                Type::Vector(scalar, width) => {
                    swizzles += 1;
                    self.vector_part(of, scalar, width, wanted, is_place, swizzles)
                }
                Type::Matrix(..) | Type::Array(..) => {
                    let (part, count) = of.ty.indexed().expect("it has parts");
                    let index = self.index(count, &of);
                    Expr::new(part, Kind::Index(Box::new(of), Box::new(index)))
                }
                Type::Structure(number) => {
                    let fields = &self.program.structures[number].fields;
                    let fits = |(k, (_, ty)): (usize, &(String, Type))| {
                        self.contains(ty, wanted, is_place).then(|| (k, ty.clone()))
                    };
                    let fields: Vec<(usize, Type)> =
                        fields.iter().enumerate().filter_map(fits).collect();
                    let (field, ty) = self.random.pick(&fields).clone();
                    Expr::new(ty, Kind::Field(Box::new(of), field))
                }
                _ => unreachable!("{:?} has no part {wanted:?}", of.ty),
            };
        }
    }

    /// A component, or a swizzle towards the wanted type.
    fn vector_part(
        &mut self,
        of: Expr,
        scalar: Scalar,
        width: u8,
        wanted: &Type,
        is_place: bool,
        swizzles: u32,
    ) -> Expr {
        let wanted_width = wanted.width().expect("it is a part of a vector");
        if wanted_width == 1 && self.random.percent(25) {
            let index = self.index(usize::from(width), &of);
            return Expr::new(wanted.clone(), Kind::Index(Box::new(of), Box::new(index)));
        }
        // A swizzle of another width may come first. A place has each component once.
        let any = self.random.between(2, 4) as u8;
        let to =
            match swizzles == 1 && self.random.percent(15) && (!is_place || any >= wanted_width) {
                true => any,
                false => wanted_width,
            };
        let to = if is_place { to.min(width) } else { to };
        let mut components: Vec<u8> = (0..width).collect();
        self.random.shuffle(&mut components);
        if !is_place {
            components = (0..to).map(|_| self.random.below(width.into()) as u8).collect();
        }
        components.truncate(to.into());
        let set = [0, 0, 1, 2][self.random.below(4)];
        Expr::new(Type::of(scalar, to), Kind::Swizzle(Box::new(of), components, set))
    }

    /// An index below `count`, mostly; it does not change `of`.
    fn index(&mut self, count: usize, of: &Expr) -> Expr {
        let literal = Expr::int(self.random.below(count) as i32);
        let is_output = crate::effects::root(of) == Some(self.program.output);
        let is_fixed = self.is_constant || (is_output && self.dialect.is_es());
        if is_fixed || self.indices > 1 || self.random.percent(50) {
            return literal;
        }
        if self.dialect.is_old() {
            return self.counter(count).unwrap_or(literal);
        }
        self.budget -= 3;
        let is_unsigned = self.random.percent(20);
        let (ty, scalar) =
            if is_unsigned { (Type::UINT, Scalar::Uint) } else { (Type::INT, Scalar::Int) };
        self.indices += 1;
        let inner = match self.random.percent(70) || self.budget < 0 {
            true => self.variable(&ty),
            false => Some(self.expr(&ty, 1)),
        };
        self.indices -= 1;
        let Some(inner) = inner else { return literal };
        // Rarely outside: the nearest element.
        let index = match self.random.percent(85) {
            true if count.is_power_of_two() => {
                let mask = Expr::literal(scalar, count as u32 - 1);
                Expr::binary(ty.clone(), Binary::BitAnd, inner, mask)
            }
            true => {
                let length = Expr::literal(scalar, count as u32);
                Expr::binary(ty.clone(), Binary::Rem, inner, length)
            }
            false => inner,
        };
        let is_changed = self.effects_of(&index).conflicts(&self.effects_of(of));
        // glslang takes a constant behind a comma for a constant index, and does not check it.
        let mut last = &index;
        while let Kind::Comma(_, second) = &last.kind {
            last = second;
        }
        if is_changed || self.is_constant_expr(last) { literal } else { index }
    }

    /// A loop's counter that stays below `count`.
    fn counter(&mut self, count: usize) -> Option<Expr> {
        let is_below =
            |&id: &VariableId| self.uses[id].rounds.is_some_and(|rounds| rounds <= count);
        let all: Vec<VariableId> = self.visible().into_iter().filter(is_below).collect();
        if all.is_empty() {
            return None;
        }
        Some(Expr::new(Type::INT, Kind::Variable(*self.random.pick(&all))))
    }
}
