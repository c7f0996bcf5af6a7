//! `rec-func` and tails.
//!
//! Each loop has a counter: a parameter that every `rec` moves towards a bound. Its name is unique and never
//! shadowed. The body begins with a test of the counter; a NaN ends the loop.

use crate::functions::fits;
use crate::generator::{Generator, MAX_LOOPS};
use crate::scope::{Form, What};
use crate::term::{FunctionKind, Term, TermKind};
use lambdav_core::types::Type;
use std::sync::Arc;

/// The direction of a counter.
#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}

impl Generator<'_> {
    /// A loop whose value has that type.
    pub(crate) fn loop_(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.random.percent(10)
            && let Some(term) = self.swaps(ty, size)
        {
            return Some(term);
        }
        let rec_func = self.form(Form::RecFunc)?;
        let if_ = self.form(Form::If)?;
        if !self.scope.are_original(&["+", "-", "less", "greater", "min", "max"])
            || self.loop_depth >= MAX_LOOPS
        {
            return None;
        }
        let of = self.next_loop;
        self.next_loop += 1;
        let direction = if self.random.percent(50) { Direction::Up } else { Direction::Down };
        let counter = counter(of, direction);
        // Parameters: name, kind inside, kind of `rec`'s argument, first value, depth of loops in the first
        // value.
        let share = size / 5;
        let mut params = vec![(
            counter.clone(),
            TermKind::Value(Type::NUM),
            TermKind::Step(of),
            self.first_count(direction, share),
            0,
        )];
        let count = self.random.weighted(&[1, 6, 5, 2]);
        // The local name of `if` must not be shadowed either.
        let mut names = vec![counter, if_.clone()];
        for i in 0..count {
            if self.random.percent(8) {
                let function = FunctionKind {
                    params: vec![TermKind::Value(self.any_type())],
                    result: TermKind::Value(if i == 0 { ty } else { self.any_type() }),
                };
                let first = self.function(&function, share);
                let name = format!("f{of}-{i}");
                let fixed = TermKind::Static(name.clone());
                params.push((name, TermKind::Function(function.into()), fixed, first, 0));
                continue;
            }
            if self.random.percent(14)
                && let Some(held) = self.held_kind(ty)
            {
                let held = Arc::new(held);
                let (first, loops) = self.measured(|this| this.held(&held, share));
                let name = format!("s{of}-{i}");
                let whole = TermKind::Whole(name.clone(), held.clone());
                params.push((name, TermKind::Held(held), whole, first, loops));
                continue;
            }
            let ty = if i == 0 && self.random.percent(60) { ty } else { self.any_type() };
            let kind = TermKind::Value(ty);
            let first = self.value(ty, share / 2);
            if !self.options.endless && self.random.percent(15) {
                // Every `rec` passes it on unchanged.
                let name = format!("v{of}-{i}");
                params.push((name.clone(), kind, TermKind::Static(name), first, 0));
                continue;
            }
            let name = self.name(&names, true);
            names.push(name.clone());
            params.push((name, kind.clone(), kind, first, 0));
        }
        self.random.shuffle(&mut params);
        let rec = FunctionKind {
            params: params.iter().map(|p| p.2.clone()).collect(),
            result: TermKind::Tail { of, ty, goes_on: true },
        };
        let texts: Vec<Term> = params.iter().map(|p| self.parameter(&p.0, &p.1)).collect();
        let body = self.inside_here(|this| {
            this.loop_depth += 1;
            this.deepest = this.deepest.max(this.loop_depth);
            for (name, kind, _, _, loops) in &params {
                let what = match this.random.percent(6) && !name.starts_with(['i', 'n']) {
                    true => What::Hidden,
                    false => What::Term { kind: kind.clone(), loops: *loops },
                };
                this.scope.push(name.clone(), what, false);
            }
            let kind = TermKind::Function(rec.into());
            this.scope.push("rec", What::Term { kind, loops: 0 }, true);
            let body = this.body((of, ty), direction, if_, size / 2);
            this.loop_depth -= 1;
            body
        });
        let function = Term::syntax(vec![Term::word(rec_func), Term::syntax(texts), body]);
        let mut parts = vec![function];
        parts.extend(params.into_iter().map(|p| p.3));
        Some(Term::list(TermKind::Value(ty), parts))
    }

    /// `(if test TAIL value)`, perhaps with bindings around it.
    fn body(
        &mut self,
        (of, ty): (u32, Type),
        direction: Direction,
        if_: String,
        size: usize,
    ) -> Term {
        let whole = TermKind::Tail { of, ty, goes_on: true };
        let mut binding = None;
        let let_ = self.form(Form::Let).filter(|_| self.random.percent(35));
        if let Some(let_) = let_ {
            // Call by name: bound before the test, used after it.
            let goes_on = self.random.percent(60);
            let kind = TermKind::Tail { of, ty, goes_on };
            let term = self.term(&kind, size / 2);
            let name = self.name(std::slice::from_ref(&if_), true);
            binding = Some((let_, Term::syntax(vec![Term::word(name.clone()), term])));
            self.scope.push(name, What::Term { kind, loops: 0 }, true);
        }
        let test = self.test(of, direction, size / 4);
        let mut arms = [self.term(&whole, size / 2), self.value(ty, size / 4)];
        let mut test = test;
        if self.random.percent(25) && self.scope.are_original(&["not"]) {
            test = Term::syntax(vec![Term::word("not"), test]);
            arms.reverse();
        }
        let body = Term::syntax([vec![Term::word(if_), test], arms.into()].concat());
        match binding {
            Some((let_, binding)) => {
                let bindings = Term::bindings(vec![binding]);
                Term::syntax(vec![Term::word(let_), bindings, body])
            }
            None => body,
        }
    }

    pub(crate) fn trip_bound(&mut self) -> String {
        let most = [20, 9, 5][self.loop_depth.saturating_sub(1).min(2) as usize];
        self.random.between(1, most).to_string()
    }

    /// The counter's first value: at least 0 when counting up, at most the bound when counting down, or NaN.
    fn first_count(&mut self, direction: Direction, size: usize) -> Term {
        let num = TermKind::Value(Type::NUM);
        self.loop_depth += 1;
        let bound = self.trip_bound();
        self.loop_depth -= 1;
        let simple = self.random.percent(35);
        match direction {
            Direction::Up if simple => Term::atom(num, "0"),
            Direction::Down if simple => Term::atom(num, bound),
            _ => {
                let value = self.count(size);
                let (name, limit) = match direction {
                    Direction::Up => ("max", "0".to_owned()),
                    Direction::Down => ("min", bound),
                };
                let limit = Term::word(limit);
                Term::list(num, vec![Term::word(name), limit, value])
            }
        }
    }

    /// A number to count to, which often varies by pixel.
    pub(crate) fn count(&mut self, size: usize) -> Term {
        if self.random.percent(60)
            && let Some(coordinate) = self.coordinate()
        {
            return coordinate;
        }
        self.value(Type::NUM, size)
    }

    /// The condition under which the loop goes on.
    fn test(&mut self, of: u32, direction: Direction, size: usize) -> Term {
        let counter = Term::atom(TermKind::Value(Type::NUM), counter(of, direction));
        match direction {
            Direction::Down => Term::syntax(vec![Term::word("greater"), counter, Term::word("0")]),
            Direction::Up => {
                let bound = Term::word(self.trip_bound());
                let bound = match self.random.percent(60) {
                    false => bound,
                    true => {
                        let value = self.count(size);
                        Term::syntax(vec![Term::word("min"), bound, value])
                    }
                };
                Term::syntax(vec![Term::word("less"), counter, bound])
            }
        }
    }

    /// The counter's next value.
    pub(crate) fn step(&mut self, of: u32) -> Term {
        let visible = |name: &String| self.scope.is_shadowed(name);
        let up = visible(&counter(of, Direction::Up));
        let direction = if up { Direction::Up } else { Direction::Down };
        let amount = if self.random.percent(20) { "2" } else { "1" };
        let word = if up { "+" } else { "-" };
        let parts = [word.into(), counter(of, direction), amount.to_owned()].map(Term::word);
        Term::list(TermKind::Step(of), parts.into())
    }

    /// A tail of that loop; with `must`, it contains a `rec`.
    pub(crate) fn tail(&mut self, (of, ty): (u32, Type), must: bool, size: usize) -> Term {
        let kind = TermKind::Tail { of, ty, goes_on: must };
        let weights = match (size <= 2, must) {
            (true, true) => [0, 10, 12, 0, 0, 0, 0, 0, 0],
            (true, false) => [8, 8, 12, 0, 0, 0, 0, 0, 0],
            (false, true) => [0, 10, 14, 24, 22, 10, 8, 6, 3],
            (false, false) => [10, 6, 14, 24, 14, 6, 8, 6, 3],
        };
        for _ in 0..6 {
            let made = match self.random.weighted(&weights) {
                0 => Some(self.value(ty, size)),
                1 => self.named_call(&kind, size),
                2 => self.tail_variable(&kind),
                3 => self.choice(&kind, size),
                4 => self.let_(&kind, size),
                5 => self.direct_call(&kind, size),
                6 => self.case(&kind, size),
                7 => self.chosen_call(&kind, size),
                _ => self.mode(&kind, size),
            };
            if let Some(term) = made {
                return term;
            }
        }
        // `rec` is visible, since nothing shadows it in a tail.
        self.named_call(&kind, size.min(4)).unwrap_or_else(|| self.value(ty, size))
    }

    fn tail_variable(&mut self, kind: &TermKind) -> Option<Term> {
        let all =
            self.scope.variables(|have| matches!(have, TermKind::Tail { .. }) && fits(have, kind));
        (!all.is_empty()).then(|| Term::atom(kind.clone(), self.random.pick(&all).0.clone()))
    }
}

/// The name of a loop's counter.
fn counter(of: u32, direction: Direction) -> String {
    match direction {
        Direction::Up => format!("i{of}"),
        Direction::Down => format!("n{of}"),
    }
}
