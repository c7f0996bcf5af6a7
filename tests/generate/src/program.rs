//! Whole programs.

use crate::generator::{GenerateOptions, Generator, Stage};
use crate::scope::What;
use crate::table::type_name;
use crate::term::{FunctionKind, GeneratedProgram, Term, TermKind};
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::builtins::Builtin;
use lambdav_test_support::Random;
use std::collections::BTreeSet;

/// Values of uniforms, as bits.
const SETTINGS: [u32; 10] = [
    0x3f80_0000, // 1
    0x4020_0000, // 2.5
    0xbf00_0000, // -0.5
    0x40c0_0000, // 6
    0x0000_0000,
    0x8000_0000, // -0
    0x7f80_0000, // inf
    0x7fc0_0000, // NaN
    0x0000_0001, // the smallest subnormal
    0x42c8_0000, // 100
];

/// Components of the colour of discarded pixels.
const CLEAR: [&str; 6] = ["0", "1", "-0", "0.5", "-2.5e-40", "3e38"];

/// The program for that seed.
pub fn generate(seed: u64, options: GenerateOptions) -> GeneratedProgram {
    let mut random = Random::new(seed);
    Generator::new(&mut random, options).program()
}

/// The builtins, with swizzles, that the program for that seed applies or passes as functions.
pub fn builtins(seed: u64, options: GenerateOptions) -> BTreeSet<Builtin> {
    let mut random = Random::new(seed);
    let mut generator = Generator::new(&mut random, options);
    generator.program();
    generator.scope.used
}

impl Generator<'_> {
    pub(crate) fn program(&mut self) -> GeneratedProgram {
        let mut program = GeneratedProgram { forms: self.declarations(), settings: Vec::new() };
        let textures = self.textures();
        program.forms.extend(textures);
        let buffers = self.buffers();
        program.forms.extend(buffers);
        for i in 0..self.random.weighted(&[5, 3, 2]) {
            self.uniform(i, &mut program);
        }
        let draws_triangles = self.stage == Stage::Vertex;
        if draws_triangles {
            self.vertex_stage(&mut program);
        }
        if self.stage == Stage::Pass {
            self.passes(&mut program);
        }
        let defines = self.random.weighted(&[4, 3, 2, 1]);
        for _ in 0..defines {
            let form = self.define();
            program.forms.push(form);
        }
        if self.random.percent(15) {
            self.discard(&mut program);
        }
        if draws_triangles {
            self.fragment_state(&mut program);
        }
        let outputs = self.random.weighted(&[0, 5, 3, 1]);
        let mut locations = [0, 1, 2, 3];
        self.random.shuffle(&mut locations);
        for (i, &location) in locations[..outputs].iter().enumerate() {
            let ty = self.output_type();
            let size = self.options.size;
            let value = self.inside(|this| this.output(ty, size));
            let bare = i + 1 == outputs && location == 0 && self.random.percent(60);
            program.forms.push(match bare {
                true => value,
                false => {
                    let word = Term::word("output");
                    Term::syntax(vec![word, Term::word(location.to_string()), value])
                }
            });
            if i + 1 < outputs && self.random.percent(25) {
                let form = self.define();
                program.forms.push(form);
            }
        }
        program
    }

    /// A `discard-if`, often with a `clear` colour.
    fn discard(&mut self, program: &mut GeneratedProgram) {
        let size = self.options.size / 4;
        let condition = self.inside(|this| this.value(Type::BOOL, size));
        program.forms.push(Term::syntax(vec![Term::word("discard-if"), condition]));
        if self.random.percent(70) {
            let colour = (0..4).map(|_| Term::word(*self.random.pick(&CLEAR)));
            let clear = Term::syntax([vec![Term::word("clear")], colour.collect()].concat());
            program.forms.push(Term::syntax(vec![Term::word("state"), clear]));
        }
    }

    /// A value for an output. Often its components are generated separately, so that a NaN in one leaves the
    /// others.
    fn output(&mut self, ty: Type, size: usize) -> Term {
        let count = ty.width().map_or(1, usize::from);
        if count == 1 || self.random.percent(40) {
            return self.value(ty, size);
        }
        let parts = (0..count).map(|_| self.value(Type::NUM, size / count)).collect();
        Term::list(TermKind::Value(ty), [vec![Term::word(type_name(ty))], parts].concat())
    }

    /// A uniform or a constant.
    fn uniform(&mut self, i: usize, program: &mut GeneratedProgram) {
        let ty = loop {
            let ty = self.any_type();
            if self.declared.fits_uniform(ty) {
                break ty;
            }
        };
        let word = if self.random.percent(25) { "constant" } else { "uniform" };
        let name = format!("{word}{i}");
        let words = [word.to_owned(), name.clone(), self.declared.text(ty)].map(Term::word);
        let mut parts: Vec<Term> = words.into();
        if self.random.percent(70) {
            self.constant = true;
            let bindings = std::mem::take(&mut self.scope.bindings);
            let size = self.options.size / 4;
            parts.push(self.value(ty, size));
            self.scope.bindings = bindings;
            self.constant = false;
        }
        program.forms.push(Term::syntax(parts));
        if word == "uniform" && self.random.percent(50) {
            let scalars: Vec<Scalar> = self.declared.types.scalars(ty).collect();
            let words = scalars.into_iter().map(|scalar| match scalar {
                Scalar::Bool => self.random.below(2) as u32,
                Scalar::I32 | Scalar::U32 if self.random.percent(50) => {
                    self.random.below(9).wrapping_sub(4) as u32
                }
                _ => *self.random.pick(&SETTINGS),
            });
            let words = words.collect();
            program.settings.push((name.clone(), words));
        }
        self.scope.push(name, What::Term { kind: TermKind::Value(ty), loops: 0 }, true);
    }

    pub(crate) fn define(&mut self) -> Term {
        let size = self.options.size / 2;
        let name = self.name(&[], true);
        let define = Term::word("define");
        if self.random.percent(45) {
            let function: FunctionKind = {
                let result = TermKind::Value(self.any_type());
                self.function_kind(result)
            };
            let (term, loops) = self.measured(|this| this.function(&function, size));
            let what = What::Term { kind: TermKind::Function(function.into()), loops };
            self.scope.push(name.clone(), what, true);
            return Term::syntax(vec![define, Term::word(name), term]);
        }
        let guarded = match self.options.endless && self.random.percent(15) {
            true => self.guarded(size),
            false => None,
        };
        let (term, what) = guarded.unwrap_or_else(|| {
            let ty = self.any_type();
            let looping = self.random.percent(40).then(|| self.loop_(ty, size)).flatten();
            let term = looping.unwrap_or_else(|| self.value(ty, size));
            (term, What::Term { kind: TermKind::Value(ty), loops: 0 })
        });
        self.scope.push(name.clone(), what, true);
        Term::syntax(vec![define, Term::word(name), term])
    }
}
