//! Derivatives of terms that have values at neighbouring pixels.

use crate::generator::Generator;
use crate::scope::What;
use crate::term::{Term, TermKind};
use lambdav_core::types::Type;
use lambdav_frontend::builtins::Builtin;

/// Largest nesting depth of derivatives. Each level at least doubles the work.
const MAX_DERIVATIVES: u32 = 2;

impl Generator<'_> {
    /// Runs `make` in a place where bindings have no value at a neighbour: parameters, fields, and terms that
    /// are evaluated only where a fact about the pixel holds.
    pub(crate) fn here_only<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.everywhere;
        self.everywhere = before.or(Some(self.scope.bindings.len()));
        let made = make(self);
        self.everywhere = before;
        made
    }

    /// Like `here_only`, but also restores bindings and facts afterwards.
    pub(crate) fn inside_here<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(|this| this.here_only(make))
    }

    /// `(dfdx e)` and the other derivatives.
    pub(crate) fn derivative(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.constant
            || !self.stage.has_pixels()
            || !ty.is_num()
            || self.derivatives >= MAX_DERIVATIVES
        {
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

    /// Runs `make` with only those bindings visible that have values at the neighbours, too.
    pub(crate) fn at_neighbours<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.everywhere.take();
        let everywhere = before.unwrap_or(self.scope.bindings.len());
        let hidden =
            self.scope.bindings[everywhere..].iter_mut().map(|binding| match binding.what {
                // A form has the same meaning everywhere.
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
