//! Visible variables, and accesses of their parts.

use super::Generator;
use crate::program::{Expr, Kind, Role, Scalar, Stage, Type, VariableId};

/// True if a value of the type has parts of the other one. A place has no vectors within vectors.
pub(super) fn reaches(
    program: &crate::program::Program,
    from: &Type,
    to: &Type,
    is_place: bool,
) -> bool {
    if from == to {
        return true;
    }
    match from {
        Type::Vector(scalar, _) => match is_place {
            true => *to == Type::Scalar(*scalar),
            false => to.is_of(*scalar),
        },
        Type::Structure(number) => program.structures[*number]
            .fields
            .iter()
            .any(|(_, field)| reaches(program, field, to, is_place)),
        from => from.indexed().is_some_and(|(part, _)| reaches(program, &part, to, is_place)),
    }
}

impl Generator {
    /// Variables that can be used at this place.
    fn visible(&self) -> Vec<VariableId> {
        let all = self.scopes.iter().flatten().copied();
        all.filter(|&id| {
            let stage = self.program.read(id).stage;
            stage <= self.limit && !self.hidden.contains(&id)
        })
        .collect()
    }

    /// A visible variable's part of this type.
    pub(super) fn part_of_variable(&mut self, ty: &Type) -> Option<Expr> {
        let mut all = self.visible();
        all.retain(|&id| reaches(&self.program, &self.program.variables[id].ty, ty, false));
        if all.is_empty() {
            return None;
        }
        // Later variables more often.
        let first = if self.random.percent(50) { all.len() / 2 } else { 0 };
        let id = all[self.random.between(first, all.len() - 1)];
        let base = self.use_of(id);
        self.descend(base, ty, false)
    }

    /// The name of a variable, or the place of a pointer.
    pub(super) fn use_of(&mut self, id: VariableId) -> Expr {
        let root = self.roots[id];
        if self.program.variables[root].role == Role::Private {
            self.cost.touched.insert(root);
        }
        self.program.read(id)
    }

    /// Accesses to a part of the type.
    pub(super) fn descend(&mut self, mut of: Expr, ty: &Type, is_place: bool) -> Option<Expr> {
        loop {
            if of.ty == *ty
                && (!matches!(of.ty, Type::Vector(..)) || is_place || self.random.percent(80))
            {
                return Some(of);
            }
            of = match of.ty.clone() {
                Type::Vector(scalar, width) => {
                    if ty.width() == Some(1) && self.random.percent(40) {
                        let index = self.index(usize::from(width));
                        return self.access(of, index, ty);
                    }
                    let count = ty.width()?;
                    let components =
                        (0..count).map(|_| self.random.below(usize::from(width)) as u8);
                    let components: Vec<u8> = components.collect();
                    let is_colour = self.random.percent(30);
                    let kind = Kind::Swizzle(Box::new(of), components, is_colour);
                    return self.finish_access(&Type::of(scalar, count), kind);
                }
                Type::Structure(number) => {
                    let fields = self.program.structures[number].fields.clone();
                    let mut all: Vec<usize> = (0..fields.len()).collect();
                    all.retain(|&k| reaches(&self.program, &fields[k].1, ty, is_place));
                    let field = *self.random.pick(&all);
                    let part = &fields[field].1;
                    self.finish_access(part, Kind::Field(Box::new(of), field))?
                }
                from => {
                    let (part, count) = from.indexed()?;
                    let index = self.index(count);
                    self.access(of, index, &part)?
                }
            };
        }
    }

    fn access(&mut self, base: Expr, index: Expr, part: &Type) -> Option<Expr> {
        self.finish_access(part, Kind::Index(Box::new(base), Box::new(index)))
    }

    /// An access, which has the stage of its base if that is a place or known at run time.
    fn finish_access(&self, ty: &Type, kind: Kind) -> Option<Expr> {
        self.finish(ty, kind)
    }

    /// An index. At run time it may lie outside.
    fn index(&mut self, count: usize) -> Expr {
        let scalar = self.integer();
        let literal = |word| Expr::literal(scalar, word);
        let known = literal(self.random.below(count) as u32);
        if self.indices > 1 || self.limit != Stage::Run || self.random.percent(50) {
            return known;
        }
        self.indices += 1;
        let any = self.expr(&Type::Scalar(scalar), 2);
        self.indices -= 1;
        if any.value.is_some() {
            return known;
        }
        if self.random.percent(60) && scalar == Scalar::Uint {
            let kind = Kind::Binary(
                crate::program::Binary::Rem,
                Box::new(any),
                Box::new(literal(count as u32)),
            );
            return self.finish(&Type::UINT, kind).unwrap_or(known);
        }
        any
    }

    /// A place of a uniform, by a name or a pointer.
    pub(super) fn uniform_place(&mut self, ty: &Type) -> Option<Expr> {
        let mut all = self.visible();
        all.retain(|&id| {
            let variable = &self.program.variables[id];
            matches!(variable.role, Role::Uniform | Role::UniformPointer)
                && reaches(&self.program, &variable.ty, ty, true)
                // No component of a vector has a pointer.
                && (variable.ty == *ty || !matches!(ty, Type::Scalar(_)))
        });
        if all.is_empty() {
            return None;
        }
        let id = *self.random.pick(&all);
        let base = self.use_of(id);
        self.descend(base, ty, true)
    }

    /// A place of the type that statements may change.
    pub(super) fn place(&mut self, ty: &Type) -> Option<Expr> {
        let mut all = self.writable();
        all.retain(|&id| reaches(&self.program, &self.program.variables[id].ty, ty, true));
        if all.is_empty() {
            return None;
        }
        let id = *self.random.pick(&all);
        let base = self.use_of(id);
        self.descend(base, ty, true)
    }

    /// Visible variables that statements may change.
    pub(super) fn writable(&self) -> Vec<VariableId> {
        let mut all: Vec<VariableId> = self.scopes.iter().flatten().copied().collect();
        all.retain(|id| {
            let role = self.program.variables[*id].role;
            let is_written = matches!(
                role,
                Role::Var | Role::Private | Role::FunctionPointer | Role::PrivatePointer
            );
            is_written && !self.protected.contains(id) && !self.hidden.contains(id)
        });
        all
    }
}
