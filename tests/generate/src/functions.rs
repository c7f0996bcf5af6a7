//! Functions and calls.

use crate::generator::{Generator, MAX_LOOPS};
use crate::scope::{Form, What};
use crate::table::giving;
use crate::term::{FunctionKind, Term, TermKind};
use lambdav_core::types::Type;

/// True if a term of kind `have` may stand where kind `want` is required.
pub(crate) fn fits(have: &TermKind, want: &TermKind) -> bool {
    match (have, want) {
        (
            TermKind::Tail { of, ty, goes_on },
            TermKind::Tail { of: wanted, ty: wanted_ty, goes_on: must },
        ) => of == wanted && ty == wanted_ty && (*goes_on || !must),
        _ => have == want,
    }
}

/// True if a call of such a function, or of its result, is a tail: there a `rec` and its counter's step must
/// stay visible.
fn leads_to_tail(kind: &FunctionKind) -> bool {
    match &kind.result {
        TermKind::Tail { .. } => true,
        TermKind::Function(inner) => leads_to_tail(inner),
        _ => false,
    }
}

impl Generator<'_> {
    /// A function value.
    pub(crate) fn function(&mut self, kind: &FunctionKind, size: usize) -> Term {
        let whole = TermKind::Function(kind.clone().into());
        let in_tail = leads_to_tail(kind);
        if self.random.percent(40) {
            let variables = self.functions(|have| *have == whole);
            if !variables.is_empty() {
                return Term::atom(whole, self.random.pick(&variables).clone());
            }
        }
        if self.random.percent(25)
            && let Some(name) = self.builtin_function(kind)
        {
            return Term::atom(whole, name);
        }
        if size > 6 && self.random.percent(25) {
            let made = match self.random.below(2) {
                0 => self.choice(&whole, size),
                _ if !in_tail => self.let_(&whole, size),
                _ => None,
            };
            if let Some(term) = made {
                return term;
            }
        }
        let func = self.form(Form::Func).expect("nothing shadows `func`");
        self.lambda(func, kind, size)
    }

    /// Names of visible functions whose loops do not exceed the nesting limit here.
    fn functions(&self, accepts: impl Fn(&TermKind) -> bool) -> Vec<String> {
        let depth = self.loop_depth;
        self.scope
            .visible()
            .filter(|b| match &b.what {
                What::Term { kind, loops } => accepts(kind) && depth + loops <= MAX_LOOPS,
                _ => false,
            })
            .map(|b| b.name.clone())
            .collect()
    }

    fn builtin_function(&mut self, kind: &FunctionKind) -> Option<String> {
        if let Some(name) = self.aggregate_function(kind) {
            return Some(name);
        }
        let TermKind::Value(result) = kind.result else { return None };
        let params: Vec<Type> = kind
            .params
            .iter()
            .map(|p| if let TermKind::Value(ty) = p { Some(*ty) } else { None })
            .collect::<Option<_>>()?;
        let fitting: Vec<_> = giving(result)
            .iter()
            .filter(|entry| {
                !(self.constant && params.is_empty())
                    && self.fits_stage(entry.builtin)
                    && entry.signatures.iter().any(|s| {
                        s.len() == params.len()
                            && s.iter().zip(&params).all(|(o, p)| o.index.is_none() && o.ty == *p)
                    })
            })
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let builtin = self.random.pick(&fitting).builtin;
        self.scope.builtin(builtin, self.random)
    }

    /// `(func (p …) body)`.
    fn lambda(&mut self, func: String, kind: &FunctionKind, size: usize) -> Term {
        let whole = TermKind::Function(kind.clone().into());
        let in_tail = leads_to_tail(kind);
        self.inside_here(|this| {
            let mut names = Vec::new();
            let mut params = Vec::new();
            for param in &kind.params {
                let name = this.name(&names, in_tail);
                params.push(this.parameter(&name, param));
                names.push(name);
            }
            for (name, param) in names.into_iter().zip(&kind.params) {
                let what = match this.random.percent(8) {
                    true => What::Hidden,
                    false => What::Term { kind: param.clone(), loops: 0 },
                };
                this.scope.push(name, what, false);
            }
            let body = this.term(&kind.result, size.saturating_sub(1));
            Term::list(whole, vec![Term::word(func), Term::syntax(params), body])
        })
    }

    /// A parameter, sometimes annotated.
    pub(crate) fn parameter(&mut self, name: &str, kind: &TermKind) -> Term {
        match kind {
            TermKind::Value(ty)
                if self.declared.fits_annotation(*ty) && self.random.percent(10) =>
            {
                Term::syntax(vec![Term::word(name), Term::word(self.declared.text(*ty))])
            }
            _ => Term::word(name),
        }
    }

    /// `((func (p …) body) e …)`; some arguments must not be evaluated.
    pub(crate) fn direct_call(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        let func = self.form(Form::Func)?;
        let in_tail = matches!(kind, TermKind::Tail { .. });
        let count = self.random.between(1, 3);
        let share = size / (count + 1);
        let (mut arguments, mut whats, mut names, mut params) = (vec![], vec![], vec![], vec![]);
        for _ in 0..count {
            let name = self.name(&names, in_tail);
            let (argument, what, annotation) = self.argument(kind, share);
            params.push(match annotation {
                Some(kind) => self.parameter(&name, &kind),
                None => Term::word(name.clone()),
            });
            names.push(name);
            arguments.push(argument);
            whats.push(what);
        }
        let body = self.inside(|this| {
            for (name, what) in names.into_iter().zip(whats) {
                this.scope.push(name, what, true);
            }
            this.term(kind, share)
        });
        let lambda = Term::syntax(vec![Term::word(func), Term::syntax(params), body]);
        Some(Term::list(kind.clone(), [vec![lambda], arguments].concat()))
    }

    /// An argument of a direct call, its meaning, and its kind for an annotation; `kind` is the kind of the
    /// call.
    fn argument(&mut self, kind: &TermKind, size: usize) -> (Term, What, Option<TermKind>) {
        if self.options.endless
            && self.random.percent(20)
            && let Some((term, what)) = self.guarded(size)
        {
            let annotation = match what {
                What::Guarded(ty, _) => Some(TermKind::Value(ty)),
                _ => None,
            };
            return (term, what, annotation);
        }
        if let (TermKind::Tail { of, ty, .. }, true) = (kind, self.random.percent(40)) {
            let kind = TermKind::Tail { of: *of, ty: *ty, goes_on: self.random.percent(60) };
            return (self.term(&kind, size), What::Term { kind, loops: 0 }, None);
        }
        let ty = self.any_type();
        let value = TermKind::Value(ty);
        if self.random.percent(15) {
            let term = self.loop_(ty, size.max(6)).unwrap_or_else(|| self.value(ty, size));
            // An unused argument, which ends nevertheless.
            let hidden = self.random.percent(20);
            let what =
                if hidden { What::Hidden } else { What::Term { kind: value.clone(), loops: 0 } };
            return (term, what, Some(value));
        }
        if self.random.percent(15) {
            let function = self.function_kind(TermKind::Value(ty));
            let (term, loops) = self.measured(|this| this.function(&function, size));
            return (term, What::Term { kind: TermKind::Function(function.into()), loops }, None);
        }
        (self.value(ty, size), What::Term { kind: value.clone(), loops: 0 }, Some(value))
    }

    /// A call of a visible function, or of its result.
    pub(crate) fn named_call(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        let depth = self.loop_depth;
        let mut fitting: Vec<(Term, FunctionKind, u32)> = self.held_functions(kind);
        for binding in self.scope.visible() {
            if let What::Term { kind: TermKind::Function(function), loops } = &binding.what {
                let result = match &function.result {
                    TermKind::Function(inner) => &inner.result,
                    result => result,
                };
                if fits(result, kind) && depth + loops <= MAX_LOOPS {
                    let callee = Term::atom(TermKind::Function(function.clone()), &*binding.name);
                    fitting.push((callee, (**function).clone(), *loops));
                }
            }
        }
        if fitting.is_empty() {
            return None;
        }
        let (callee, function, loops) = self.random.pick(&fitting).clone();
        self.deepest = self.deepest.max(depth + loops);
        let call = self.call(callee, &function, size);
        Some(match &function.result {
            TermKind::Function(inner) => self.call(call, inner, size / 2),
            _ => call,
        })
    }

    /// `(callee e …)`.
    pub(crate) fn call(&mut self, callee: Term, function: &FunctionKind, size: usize) -> Term {
        let share = size.saturating_sub(1) / function.params.len().max(1);
        let mut parts = vec![callee];
        parts.extend(function.params.iter().map(|param| self.term(param, share)));
        Term::list(function.result.clone(), parts)
    }

    /// `((if c f g) e …)` and other calls whose callee is no name.
    pub(crate) fn chosen_call(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        let function = self.function_kind(kind.clone());
        let whole = TermKind::Function(function.clone().into());
        let callee = match self.random.percent(60) {
            true => self.choice(&whole, size / 2)?,
            false => self.function(&function, size / 2),
        };
        Some(self.call(callee, &function, size / 2))
    }
}
