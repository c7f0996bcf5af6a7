//! Buffers: declarations, terms that read them, and data.

use crate::generator::{Generator, Stage};
use crate::scope::Form;
use crate::term::{Term, TermKind};
use lambdav_core::resource::BufferData;
use lambdav_core::types::{Scalar, Type, Types};
use lambdav_test_support::Random;

/// Numbers of elements.
const LENGTHS: [usize; 7] = [1, 2, 3, 5, 8, 17, 64];

/// Random data for a buffer with that element type.
pub(crate) fn elements(random: &mut Random, types: &Types, element: Type) -> BufferData {
    const SPECIAL: [f32; 6] = [0.0, -0.0, f32::NAN, f32::INFINITY, 1e-45, -1e30];
    const LARGE: [u32; 4] = [0, i32::MAX as u32, i32::MIN as u32, u32::MAX];
    let length = *random.pick(&LENGTHS);
    let scalars: Vec<Scalar> = types.scalars(element).collect();
    let mut words = Vec::with_capacity(length * scalars.len());
    for _ in 0..length {
        words.extend(scalars.iter().map(|scalar| match scalar {
            Scalar::Bool => random.below(2) as u32,
            Scalar::F32 if random.percent(8) => random.pick(&SPECIAL).to_bits(),
            Scalar::F32 => (random.below(81) as f32 / 8.0 - 5.0).to_bits(),
            Scalar::I32 | Scalar::U32 if random.percent(8) => *random.pick(&LARGE),
            Scalar::I32 | Scalar::U32 => (random.below(24) as u32).wrapping_sub(4),
        }));
    }
    BufferData::new(types, element, words).expect("it is small")
}

impl Generator<'_> {
    /// Declares buffers and returns the forms.
    pub(crate) fn buffers(&mut self) -> Vec<Term> {
        // A copy of the random state: programs without buffers do not depend on this function.
        let mut random = self.random.clone();
        let count = random.weighted(&[60, 25, 15]);
        let mut forms = Vec::new();
        for k in 0..count {
            std::mem::swap(self.random, &mut random);
            let ty = loop {
                let ty = self.any_type();
                if self.declared.fits_uniform(ty) && self.declared.types.fits_element(ty) {
                    break ty;
                }
            };
            std::mem::swap(self.random, &mut random);
            let name = format!("buffer{k}");
            let words = ["buffer".to_owned(), name.clone(), self.declared.text(ty)];
            forms.push(Term::syntax(words.map(Term::word).into()));
            self.buffers.push((name, ty));
        }
        forms
    }

    /// A value of that type from a buffer, an element or the number of elements, if there is a fitting
    /// buffer.
    pub(crate) fn of_buffer(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.constant {
            return None;
        }
        let is_size = ty == Type::INT && self.random.percent(25);
        let counts = self.stage == Stage::Pass
            && is_size
            && self.random.percent(50)
            && self.scope.are_original(&["count"]);
        let fitting = self.buffers.iter().filter(|(_, element)| is_size || *element == ty);
        let fitting: Vec<&String> = fitting.map(|(name, _)| name).collect();
        if fitting.is_empty() {
            return None;
        }
        let buffer = (*self.random.pick(&fitting)).clone();
        // Through a parameter, which still denotes that buffer.
        let func = match self.random.percent(20) {
            true => self.form(Form::Func),
            false => None,
        };
        let called = if func.is_some() { "any-buffer" } else { buffer.as_str() };
        let kind = TermKind::Value(ty);
        let read = match is_size {
            true => {
                vec![Term::word(if counts { "count" } else { "size-of" }), Term::word(called)]
            }
            false => {
                let index = match self.random.weighted(&[2, 5, 3]) {
                    0 => Term::word(self.random.below(9).to_string()),
                    1 => self.value(Type::INT, size / 2),
                    _ => self.value(Type::UINT, size / 2),
                };
                vec![Term::word("at"), Term::word(called), index]
            }
        };
        let read = Term::list(kind.clone(), read);
        let Some(func) = func else { return Some(read) };
        let params = Term::syntax(vec![Term::word(called)]);
        let function = Term::syntax(vec![Term::word(func), params, read]);
        Some(Term::list(kind, vec![function, Term::word(buffer)]))
    }
}
