//! Programs with results and passes.
//!
//! Inside a pass the name `here` is its id. A pass has no pixels: no coordinates and no derivatives. Indices are often in
//! range, sizes are small, and some `unique` scatters write to one place twice.

use crate::generator::{GenerateOptions, Generator, Stage};
use crate::scope::What;
use crate::term::{GeneratedProgram, Term, TermKind};
use lambdav_core::graph::Combine;
use lambdav_core::types::{Scalar, Type};
use lambdav_test_support::Random;

/// The program for that seed, which has results and passes.
pub fn generate_passes(seed: u64, options: GenerateOptions) -> GeneratedProgram {
    let mut random = Random::new(seed);
    let mut generator = Generator::new(&mut random, options);
    generator.stage = Stage::Pass;
    generator.program()
}

/// Sizes of passes; the last ones have no ids.
const SIZES: [&str; 14] =
    ["1", "2", "3", "5", "8", "12", "17", "7i", "9u", "4 3", "2 5", "2 2 3", "0", "-3i 2"];

/// A result of the program.
struct Declared {
    name: String,
    element: Type,
}

/// The way in which a pass writes a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Scatter,
    Combine(Combine),
    Append,
}

impl Generator<'_> {
    /// Results, then passes with defines between them. Afterwards the stage is that of pixels.
    pub(crate) fn passes(&mut self, program: &mut GeneratedProgram) {
        let mut results = Vec::new();
        for k in 0..self.random.between(1, 3) {
            let result = self.result(k, &mut program.forms);
            results.push(result);
        }
        for k in 0..self.random.between(1, 4) {
            if self.random.percent(30) {
                let form = self.define();
                program.forms.push(form);
            }
            let pass = self.pass(k, &results);
            program.forms.push(pass);
        }
        self.stage = Stage::FullScreen;
    }

    fn result(&mut self, k: usize, forms: &mut Vec<Term>) -> Declared {
        let element = match self.random.weighted(&[5, 4, 5]) {
            0 => Type::NUM,
            1 => Type::of(
                *self.random.pick(&[Scalar::I32, Scalar::U32]),
                [1, 1, 2, 3][self.random.below(4)],
            ),
            _ => loop {
                let ty = self.any_type();
                let types = &self.declared.types;
                if self.declared.fits_uniform(ty)
                    && types.fits_element(ty)
                    && !types.scalars(ty).any(|of| of == Scalar::Bool)
                {
                    break ty;
                }
            },
        };
        let name = format!("result{k}");
        let length = match self.buffers.iter().find(|(name, _)| name.starts_with("buffer")) {
            Some((buffer, _)) if self.random.percent(30) && self.scope.are_original(&["count"]) => {
                format!("(count {buffer})")
            }
            _ => self.random.pick(&["1", "2", "3", "5", "8", "20"]).to_string(),
        };
        let words = ["result".to_owned(), name.clone(), self.declared.text(element), length];
        forms.push(Term::syntax(words.map(Term::word).into()));
        self.buffers.push((name.clone(), element));
        Declared { name, element }
    }

    fn pass(&mut self, k: usize, results: &[Declared]) -> Term {
        let size = *self.random.pick(&SIZES);
        let mut parts = vec![Term::word("pass"), Term::word(format!("pass{k}"))];
        parts.push(Term::word(format!("(size {size})")));
        let axes = size.split(' ').count();
        let before = self.scope.bindings.len();
        if self.scope.are_original(&["id"]) {
            let ty = Type::of(Scalar::I32, axes as u8);
            parts.push(Term::word("(define here (id))"));
            let what = What::Term { kind: TermKind::Value(ty), loops: 0 };
            self.scope.push("here", what, true);
        }
        for _ in 0..self.random.weighted(&[6, 3, 1]) {
            let form = self.define();
            parts.push(form);
        }
        let mut ways: Vec<Option<Way>> = vec![None; results.len()];
        for _ in 0..self.random.weighted(&[1, 8, 5, 2]) {
            let number = self.random.below(results.len());
            let result = &results[number];
            let way = match ways[number] {
                Some(way) => way,
                None => self.way(result.element),
            };
            ways[number] = Some(way);
            let write = self.inside(|this| this.write(result, way));
            parts.push(write);
        }
        self.scope.bindings.truncate(before);
        Term::syntax(parts)
    }

    fn way(&mut self, element: Type) -> Way {
        let fitting: Vec<Combine> = Combine::ALL
            .into_iter()
            .filter(|combine| combine.fits(&self.declared.types, element))
            .collect();
        match self.random.weighted(&[4, if fitting.is_empty() { 0 } else { 6 }, 2]) {
            0 => Way::Scatter,
            1 => Way::Combine(*self.random.pick(&fitting)),
            _ => Way::Append,
        }
    }

    fn write(&mut self, result: &Declared, way: Way) -> Term {
        let size = self.options.size / 4;
        let word = match way {
            Way::Scatter => "scatter",
            Way::Combine(_) => "combine",
            Way::Append => "append",
        };
        let mut parts = vec![Term::word(word), Term::word(result.name.as_str())];
        if way != Way::Append {
            parts.push(self.element_index(size));
        }
        // A later pass may combine an element that is a NaN.
        let is_special = result.element == Type::NUM && self.random.percent(30);
        let special = if is_special { self.quotient() } else { None };
        let value = match special {
            Some(quotient) => quotient,
            None => self.inside(|this| this.value(result.element, size)),
        };
        parts.push(value);
        match way {
            Way::Scatter if self.random.percent(25) => parts.push(Term::word("unique")),
            Way::Combine(combine) => parts.push(Term::word(combine.name())),
            _ => {}
        }
        if self.random.percent(40) {
            let condition = self.inside(|this| this.value(Type::BOOL, size));
            parts.push(Term::syntax(vec![Term::word("when"), condition]));
        }
        Term::syntax(parts)
    }

    /// The index of an element.
    fn element_index(&mut self, size: usize) -> Term {
        let integers = self.scope.variables(|kind| *kind == TermKind::Value(Type::INT));
        let is_plain = integers.iter().any(|(name, _)| name == "here");
        // Times the components of an element, these wrap to its first ones.
        const FAR: [&str; 3] = ["1073741824u", "2147483648u", "3221225472u"];
        match self.random.weighted(&[if is_plain { 4 } else { 0 }, 4, 2, 1, 1]) {
            0 => Term::word("here"),
            1 if self.scope.are_original(&["mod"]) => {
                let index = self.inside(|this| this.value(Type::INT, size));
                let count = self.random.pick(&["3i", "8i"]).to_string();
                Term::syntax(vec![Term::word("mod"), index, Term::word(count)])
            }
            2 => self.inside(|this| this.value(Type::UINT, size)),
            3 => Term::word(self.random.below(9).to_string()),
            4 => Term::word(*self.random.pick(&FAR)),
            _ => self.inside(|this| this.value(Type::INT, size)),
        }
    }
}
