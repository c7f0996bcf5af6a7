//! Loops whose parameters are swapped or rotated, and divisions by zeros, subnormals, infinities and NaN.

use crate::generator::{Generator, MAX_LOOPS};
use crate::scope::{Form, What};
use crate::table::type_name;
use crate::term::{Term, TermKind};
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::builtins::Builtin;

/// Special divisors.
const DIVISORS: [&str; 6] = ["0", "-0.0", "1e-40", "-1e-45", "(/ 1 0)", "(/ 0 0)"];

fn words<const N: usize>(words: [&str; N]) -> Vec<Term> {
    words.map(Term::word).into()
}

impl Generator<'_> {
    /// A loop of numbers or vectors that are swapped or rotated in each round. One of them may get a new
    /// value.
    pub(crate) fn swaps(&mut self, ty: Type, size: usize) -> Option<Term> {
        let is_number = ty.scalar().is_some_and(|scalar| scalar != Scalar::Bool);
        if ty.width().is_none() || !is_number || self.loop_depth >= MAX_LOOPS {
            return None;
        }
        let (rec_func, if_) = (self.form(Form::RecFunc)?, self.form(Form::If)?);
        if !self.scope.are_original(&["+", "-", "greater", "min", "uint"]) {
            return None;
        }
        let of = self.next_loop;
        self.next_loop += 1;
        let count = self.random.between(2, 4);
        let share = size / (count + 2);
        let kind = TermKind::Value(ty);
        let names: Vec<String> = (0..count).map(|k| format!("p{of}-{k}")).collect();
        let (counter, counts) = (format!("n{of}"), if self.random.percent(50) { "u" } else { "" });
        let mut firsts = vec![self.rounds(!counts.is_empty(), share)];
        firsts.extend((0..count).map(|_| self.value(ty, share)));
        let params = [Term::word(&*counter)].into_iter();
        let annotated: Vec<Term> = names.iter().map(|name| self.parameter(name, &kind)).collect();
        let params = Term::syntax(params.chain(annotated).collect());
        let body = self.inside_here(|this| {
            this.loop_depth += 1;
            this.deepest = this.deepest.max(this.loop_depth);
            for name in &names {
                this.scope.push(name.clone(), What::Term { kind: kind.clone(), loops: 0 }, true);
            }
            // The values computed here must not contain a `rec`.
            for name in ["rec", &counter] {
                this.scope.push(name, What::Hidden, false);
            }
            let atom = |name: &String| Term::atom(kind.clone(), &**name);
            let mut next: Vec<Term> = names.iter().map(atom).collect();
            match this.random.percent(40) {
                true => next.swap(0, count - 1),
                false => next.rotate_left(1),
            }
            if this.random.percent(65) {
                let at = this.random.below(count);
                next[at] = match this.random.percent(60) {
                    true => Term::list(
                        kind.clone(),
                        vec![Term::word("+"), atom(&names[0]), atom(&names[1])],
                    ),
                    false => this.value(ty, share),
                };
            }
            let result = match this.random.percent(60) {
                true => atom(this.random.pick(&names)),
                false => this.value(ty, share),
            };
            this.loop_depth -= 1;
            let zero = format!("0{counts}");
            let test = Term::syntax(words(["greater", &counter, &zero]));
            let less = Term::syntax(words(["-", &counter, &format!("1{counts}")]));
            let rec = Term::syntax([vec![Term::word("rec"), less], next].concat());
            Term::syntax(vec![Term::word(if_), test, rec, result])
        });
        let function = Term::syntax(vec![Term::word(rec_func), params, body]);
        Some(Term::list(kind, [vec![function], firsts].concat()))
    }

    /// The number of rounds, which often varies by pixel.
    fn rounds(&mut self, is_uint: bool, size: usize) -> Term {
        self.loop_depth += 1;
        let bound = self.trip_bound();
        self.loop_depth -= 1;
        let count = self.count(size);
        let (suffix, count) = match is_uint {
            true => ("u", Term::syntax(vec![Term::word("uint"), count])),
            false => ("", count),
        };
        let ty = if is_uint { Type::UINT } else { Type::NUM };
        let bound = Term::word(format!("{bound}{suffix}"));
        Term::list(TermKind::Value(ty), vec![Term::word("min"), bound, count])
    }

    /// A division or remainder by zeros, subnormals, infinities or NaN.
    pub(crate) fn division(&mut self, ty: Type, size: usize) -> Option<Term> {
        if ty.width().is_none() || ty.scalar() != Some(Scalar::F32) {
            return None;
        }
        let name = if self.random.percent(70) { "/" } else { "mod" };
        let all = ["/", "mod", "-", "step", "num"];
        if !self.scope.are_original(&all) || !self.scope.are_original(&[type_name(ty)]) {
            return None;
        }
        self.scope.used.extend(Builtin::lookup(name));
        let kind = TermKind::Value(ty);
        let of_numbers = |parts| match ty {
            Type::NUM => None,
            _ => Some(Term::list(kind.clone(), [words([type_name(ty)]), parts].concat())),
        };
        let one = Term::atom(TermKind::Value(Type::NUM), "1");
        let dividend = match self.random.percent(35) {
            true => of_numbers(vec![one.clone()]).unwrap_or(one),
            false => self.value(ty, size.saturating_sub(2)),
        };
        let count = usize::from(ty.width().unwrap_or(1));
        let divisor = match count > 1 && self.random.percent(25) {
            true => self.difference(ty),
            false => {
                let count = if self.random.percent(40) { 1 } else { count };
                let parts: Vec<Term> = (0..count).map(|_| self.divisor()).collect();
                let first = parts[0].clone();
                of_numbers(parts).unwrap_or(first)
            }
        };
        Some(Term::list(kind, vec![Term::word(name), dividend, divisor]))
    }

    /// A value minus itself.
    fn difference(&mut self, ty: Type) -> Term {
        let value = self.leaf(ty);
        Term::list(TermKind::Value(ty), vec![Term::word("-"), value.clone(), value])
    }

    /// A divisor: mostly a special constant or a computed zero, sometimes any number.
    fn divisor(&mut self) -> Term {
        let kind = TermKind::Value(Type::NUM);
        match self.random.weighted(&[9, 3, 3, 3, 2]) {
            0 => Term::atom(kind, *self.random.pick(&DIVISORS)),
            1 => self.difference(Type::NUM),
            2 => {
                let value = self.leaf(Type::NUM);
                let step = Term::syntax(vec![Term::word("step"), value.clone(), value]);
                Term::list(kind, vec![Term::word("-"), Term::word("1"), step])
            }
            3 => {
                let ty = if self.random.percent(50) { Type::INT } else { Type::UINT };
                let difference = self.difference(ty);
                Term::list(kind, vec![Term::word("num"), difference])
            }
            _ => self.leaf(Type::NUM),
        }
    }
}
