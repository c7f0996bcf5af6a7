//! Derivatives, of what has a value at the neighbours.

use crate::generator::Generator;
use crate::scope::What;
use crate::term::{Term, TermKind};
use lambdav_core::types::Type;
use lambdav_frontend::builtins::Builtin;

/// How deep derivatives nest: each doubles what is computed, or more.
const MAX_DERIVATIVES: u32 = 2;

impl Generator<'_> {
    /// What `make` makes where names are bound that have no value at a neighbour: parameters, fields, and
    /// what is evaluated only where something is known of the pixel.
    pub(crate) fn here_only<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.everywhere;
        self.everywhere = before.or(Some(self.scope.bindings.len()));
        let made = make(self);
        self.everywhere = before;
        made
    }

    /// The same; then the bindings and facts are what they were.
    pub(crate) fn inside_here<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(|this| this.here_only(make))
    }

    /// `(dfdx e)` and its like.
    pub(crate) fn derivative(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.constant || !ty.is_num() || self.derivatives >= MAX_DERIVATIVES {
            return None;
        }
        let all: Vec<Builtin> = Builtin::all().filter(|builtin| builtin.is_derivative()).collect();
        let builtin = *self.random.pick(&all);
        let name = self.scope.builtin(builtin, self.random)?;
        self.derivatives += 1;
        let operand = self.at_neighbours(|this| this.value(ty, size - 1));
        self.derivatives -= 1;
        Some(Term::list(TermKind::Value(ty), vec![Term::word(name), operand]))
    }

    /// What `make` makes of what has values at the neighbours, too.
    pub(crate) fn at_neighbours<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.everywhere.take();
        let everywhere = before.unwrap_or(self.scope.bindings.len());
        let hidden =
            self.scope.bindings[everywhere..].iter_mut().map(|binding| match binding.what {
                // A form is the same everywhere.
                What::Form(form) => What::Form(form),
                _ => std::mem::replace(&mut binding.what, What::Hidden),
            });
        let hidden: Vec<What> = hidden.collect();
        let facts = std::mem::take(&mut self.scope.facts);
        let made = make(self);
        self.scope.facts = facts;
        for (binding, what) in self.scope.bindings[everywhere..].iter_mut().zip(hidden) {
            binding.what = what;
        }
        self.everywhere = before;
        made
    }
}
