//! Structures that hold functions and are parameters of loops, which pass them on unchanged.

use crate::generator::{Generator, MAX_LOOPS};
use crate::scope::{Form, What};
use crate::term::{FunctionKind, HeldKind, Term, TermKind};
use lambdav_core::types::{Structure, Type};
use std::sync::Arc;

impl Generator<'_> {
    /// A declared structure with at least one function among its fields.
    pub(crate) fn held_kind(&mut self, result: Type) -> Option<HeldKind> {
        let structures = self.generic_structures();
        if structures.is_empty() {
            return None;
        }
        let structure = self.random.pick(&structures).clone();
        let generic: Vec<usize> =
            (0..structure.fields.len()).filter(|&i| structure.fields[i].is_generic).collect();
        let always = *self.random.pick(&generic);
        let mut fields = Vec::new();
        for (i, field) in structure.fields.iter().enumerate() {
            let is_function = i == always || (field.is_generic && self.random.percent(30));
            let kind = match is_function {
                false => TermKind::Value(field.ty),
                true => {
                    let same = self.random.percent(60);
                    let result = if same { result } else { self.any_type() };
                    let param =
                        if same && self.random.percent(60) { result } else { self.any_type() };
                    let params = vec![TermKind::Value(param)];
                    TermKind::Function(
                        FunctionKind { params, result: TermKind::Value(result) }.into(),
                    )
                }
            };
            fields.push((field.name.to_string(), kind));
        }
        Some(HeldKind { structure: structure.name.to_string(), fields })
    }

    /// The declared structures with generic fields, which may hold functions.
    pub(crate) fn generic_structures(&self) -> Vec<Structure> {
        let structures = self.declared.aggregates().iter();
        let structures = structures.filter_map(|&ty| self.declared.types.structure(ty));
        let is_generic = |structure: &&Structure| structure.fields.iter().any(|f| f.is_generic);
        structures.filter(is_generic).cloned().collect()
    }

    /// `(S …)`, sometimes with a field replaced by `with`.
    pub(crate) fn held(&mut self, kind: &Arc<HeldKind>, size: usize) -> Term {
        let whole = TermKind::Held(kind.clone());
        let share = size / (kind.fields.len() + 1);
        let mut parts = vec![Term::word(kind.structure.clone())];
        parts.extend(kind.fields.iter().map(|(_, field)| self.term(field, share)));
        let mut made = Term::list(whole.clone(), parts);
        if self.random.percent(20) {
            let (name, field) = self.random.pick(&kind.fields).clone();
            let new = Term::syntax(vec![Term::word(name), self.term(&field, share)]);
            made = Term::list(whole, vec![Term::word("with"), made, new]);
        }
        made
    }

    /// A parameter that holds functions, as an argument of `rec`.
    pub(crate) fn whole(&mut self, name: &str, kind: &Arc<HeldKind>) -> Term {
        let whole = TermKind::Whole(name.to_owned(), kind.clone());
        let itself = Term::atom(whole.clone(), name);
        match self.random.weighted(&[6, 3, 1]) {
            1 => match self.form(Form::The) {
                Some(the) => {
                    let structure = Term::word(kind.structure.clone());
                    Term::list(whole, vec![Term::word(the), structure, itself])
                }
                None => itself,
            },
            2 => match self.form(Form::Let) {
                Some(let_) => {
                    let binding = Term::syntax(vec![Term::word("kept"), itself]);
                    let bindings = Term::syntax(vec![binding]);
                    let body = Term::word("kept");
                    Term::list(whole, vec![Term::word(let_), bindings, body])
                }
                None => itself,
            },
            _ => itself,
        }
    }

    /// The fields of structures that loops pass on: a term that takes the field, its kind, and the depth of
    /// loops in it.
    fn held_fields(&self) -> Vec<(Term, TermKind, u32)> {
        let mut found = Vec::new();
        for binding in self.scope.visible() {
            let What::Term { kind: TermKind::Held(kind), loops } = &binding.what else { continue };
            for (name, field) in &kind.fields {
                let accessor = format!(".{name}");
                if !self.scope.is_shadowed(&accessor) {
                    let whole = Term::atom(TermKind::Held(kind.clone()), binding.name.clone());
                    let parts = vec![Term::word(accessor), whole];
                    found.push((Term::list(field.clone(), parts), field.clone(), *loops));
                }
            }
        }
        found
    }

    /// Those fields that are functions with that result, and whose loops do not exceed the nesting limit
    /// here.
    pub(crate) fn held_functions(&self, result: &TermKind) -> Vec<(Term, FunctionKind, u32)> {
        let depth = self.loop_depth;
        let fields = self.held_fields().into_iter();
        let functions = fields.filter_map(|(term, kind, loops)| match kind {
            TermKind::Function(function) => {
                let fits = function.result == *result && depth + loops <= MAX_LOOPS;
                fits.then(|| (term, (*function).clone(), loops))
            }
            _ => None,
        });
        functions.collect()
    }

    /// Sometimes a call of such a function, if there is one.
    pub(crate) fn held_application(&mut self, ty: Type, size: usize) -> Option<Term> {
        let functions = self.held_functions(&TermKind::Value(ty));
        if functions.is_empty() || !self.random.percent(30) {
            return None;
        }
        let (callee, function, loops) = self.random.pick(&functions).clone();
        self.deepest = self.deepest.max(self.loop_depth + loops);
        Some(self.call(callee, &function, size))
    }

    /// A field that is a value of that type.
    pub(crate) fn held_value(&mut self, ty: Type) -> Option<Term> {
        let mut fitting = self.held_fields();
        fitting.retain(|(_, kind, _)| *kind == TermKind::Value(ty));
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).0.clone())
    }
}
