//! `let` and `let*`, and the bound terms: values, loops, functions, tails, forms, and values that end only
//! where a condition holds.

use crate::generator::Generator;
use crate::scope::{Fact, Form, IMPOSSIBLE, What};
use crate::term::{FunctionKind, Term, TermKind};
use lambdav_core::types::Type;

const NAMES: [&str; 20] = [
    "a", "b", "c", "d", "e", "g", "h", "k", "m", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y",
    "z",
];

/// Names of the outermost scope that bindings may shadow.
const SHADOWED: [&str; 23] = [
    "+", "-", "*", "/", "sin", "min", "max", "eq", "less", "length", "mod", "dot", ".x", "abs",
    "select", "floor", "pi", "and", "if", "let", "let*", "rec-func", "rec",
];
// Constructors and `func` are not among them, so every term can be written everywhere.

impl Generator<'_> {
    /// A name that is not among `taken`.
    pub(crate) fn name(&mut self, taken: &[String], tail: bool) -> String {
        loop {
            let name = if !tail && self.random.percent(3) {
                *self.random.pick(&SHADOWED)
            } else {
                *self.random.pick(&NAMES)
            };
            if !taken.iter().any(|t| t == name) {
                return name.into();
            }
        }
    }

    /// `let` or `let*` of any kind.
    pub(crate) fn let_(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        let sequential = self.random.percent(35);
        let word = self.form(if sequential { Form::LetStar } else { Form::Let })?;
        let count = self.random.weighted(&[1, 10, 6, 2]);
        let share = size / (count + 1);
        Some(self.inside(|this| {
            let (mut bindings, mut names, mut later) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..count {
                let tail = matches!(kind, TermKind::Tail { .. });
                let name = this.name(if sequential { &[] } else { &names }, tail);
                let (term, what, hot) = this.bound(kind, share);
                bindings.push(Term::syntax(vec![Term::word(name.clone()), term]));
                names.push(name.clone());
                if sequential {
                    this.scope.push(name, what, hot);
                } else {
                    later.push((name, what, hot));
                }
            }
            for (name, what, hot) in later {
                this.scope.push(name, what, hot);
            }
            let rest = size.saturating_sub(count * share);
            let body = this.term(kind, rest.saturating_sub(1));
            Term::list(kind.clone(), vec![Term::word(word), Term::bindings(bindings), body])
        }))
    }

    /// A term to bind around a body of that kind, and its meaning; true if it is hot.
    fn bound(&mut self, body: &TermKind, size: usize) -> (Term, What, bool) {
        if self.options.endless
            && self.random.percent(18)
            && let Some((term, what)) = self.guarded(size)
        {
            return (term, what, true);
        }
        if let (TermKind::Tail { of, ty, .. }, true) = (body, self.random.percent(35)) {
            let goes_on = self.random.percent(70);
            let kind = TermKind::Tail { of: *of, ty: *ty, goes_on };
            let term = self.term(&kind, size);
            return (term, What::Term { kind, loops: 0 }, true);
        }
        match self.random.weighted(&[30, 15, 25, 18, 1]) {
            1 => {
                let term = self.value(Type::BOOL, size);
                (term, What::Term { kind: TermKind::Value(Type::BOOL), loops: 0 }, true)
            }
            2 => {
                let ty = if self.random.percent(30) { Type::BOOL } else { self.any_type() };
                let kind = TermKind::Value(ty);
                let made = self.loop_(ty, size.max(6));
                let hot = made.is_some();
                let term = made.unwrap_or_else(|| self.value(ty, size));
                (term, What::Term { kind, loops: 0 }, hot)
            }
            3 => {
                let result = match body {
                    TermKind::Tail { .. } if self.random.percent(50) => body.clone(),
                    _ => TermKind::Value(self.any_type()),
                };
                let mut function = self.function_kind(result);
                if self.random.percent(15) {
                    let params = vec![TermKind::Value(self.any_type())];
                    function = FunctionKind { params, result: TermKind::Function(function.into()) };
                }
                let (term, loops) = self.measured(|this| this.function(&function, size));
                (term, What::Term { kind: TermKind::Function(function.into()), loops }, true)
            }
            4 => {
                let form = *self.random.pick(&Form::ALL);
                if let Some(name) = self.form(form) {
                    return (Term::word(name), What::Form(form), false);
                }
                (self.number(), What::Hidden, false)
            }
            _ => {
                let ty = self.any_type();
                let term = self.value(ty, size);
                (term, What::Term { kind: TermKind::Value(ty), loops: 0 }, self.random.percent(30))
            }
        }
    }

    /// The result of `make`, and the depth of loops in it.
    pub(crate) fn measured<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (T, u32) {
        let before = std::mem::replace(&mut self.deepest, self.loop_depth);
        let made = make(self);
        let loops = self.deepest - self.loop_depth;
        self.deepest = self.deepest.max(before);
        (made, loops)
    }

    /// A value that ends only where a fact holds.
    pub(crate) fn guarded(&mut self, size: usize) -> Option<(Term, What)> {
        let bool = TermKind::Value(Type::BOOL);
        let known: Vec<(String, u32)> = self
            .scope
            .visible()
            .filter(|b| matches!(&b.what, What::Term { kind, .. } if *kind == bool))
            .map(|b| (b.name.clone(), b.id))
            // The name would be shadowed by the loop's own `rec`.
            .filter(|(name, _)| name != "rec")
            .collect();
        let ty = self.any_type();
        if known.is_empty() || self.random.percent(15) {
            let never = Term::atom(bool, "false");
            return Some((self.ends_if(never, ty, size)?, What::Guarded(ty, IMPOSSIBLE)));
        }
        let (name, id) = self.random.pick(&known).clone();
        let (when, negate) = (self.random.percent(65), self.scope.are_original(&["not"]));
        let when = when || !negate;
        let mut condition = Term::atom(bool.clone(), name);
        if !when {
            condition = Term::list(bool, vec![Term::word("not"), condition]);
        }
        let fact: Fact = (id, when);
        let term = self.inside_here(|this| {
            this.scope.facts.push(fact);
            this.ends_if(condition, ty, size)
        })?;
        Some((term, What::Guarded(ty, fact)))
    }

    /// A loop that ends where the condition holds, at once or after some rounds. Its value may use the facts
    /// that hold now.
    fn ends_if(&mut self, condition: Term, ty: Type, size: usize) -> Option<Term> {
        let kind = TermKind::Value(ty);
        let [rec_func, if_] = [self.form(Form::RecFunc)?, self.form(Form::If)?];
        let name = format!("z{}", self.next_loop);
        self.next_loop += 1;
        self.deepest = self.deepest.max(self.loop_depth + 1);
        self.inside_here(|this| {
            let rounds = this.random.percent(40) && this.scope.are_original(&["+", "<"]);
            // The loop's own `rec` shadows any other, which the value must not use.
            this.scope.push("rec", What::Hidden, false);
            let value = this.value(ty, size / 2);
            let num = TermKind::Value(Type::NUM);
            let z = || Term::atom(num.clone(), name.clone());
            let rec = Term::word("rec");
            // The shrinker replaces nothing in this `rec`, so its terms need no kind.
            let again = Term::syntax(vec![rec.clone(), z()]);
            let mut body = Term::syntax(vec![Term::word(if_.clone()), condition, value, again]);
            if rounds {
                let limit = Term::atom(num.clone(), this.random.between(1, 4).to_string());
                let test = Term::syntax(vec![Term::word("<"), z(), limit]);
                let next = Term::syntax(vec![Term::word("+"), z(), Term::word("1")]);
                let next = Term::syntax(vec![rec, next]);
                body = Term::syntax(vec![Term::word(if_), test, next, body]);
            }
            let params = Term::syntax(vec![Term::word(name.clone())]);
            let function = Term::syntax(vec![Term::word(rec_func), params, body]);
            let first = if this.random.percent(60) {
                Term::atom(num, "0")
            } else {
                let coordinate = this.coordinate();
                coordinate.unwrap_or_else(|| Term::atom(num, "1"))
            };
            Some(Term::list(kind, vec![function, first]))
        })
    }
}
