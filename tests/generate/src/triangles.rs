//! Programs that draw triangles: a vertex stage before the rest.
//!
//! Attributes, and defines that read them, are visible in the vertex stage only. Varyings take their place in
//! the fragment stage. A vertex has no pixel: it has no coordinates and no derivatives.

use crate::generator::{GenerateOptions, Generator, Stage};
use crate::scope::What;
use crate::table::type_name;
use crate::term::{GeneratedProgram, Term, TermKind};
use lambdav_core::types::{Scalar, Type};
use lambdav_test_support::Random;

/// The program for that seed, which draws triangles. It reads the attribute `corner`, a `vec4`, and others called `a0`,
/// `a1` …
pub fn generate_triangles(seed: u64, options: GenerateOptions) -> GeneratedProgram {
    let mut random = Random::new(seed);
    let mut generator = Generator::new(&mut random, options);
    generator.stage = Stage::Vertex;
    generator.program()
}

/// Options of `state`, each with some of its values.
const STATES: [(&str, &[&str]); 8] = [
    ("cull", &["none", "none", "back", "front"]),
    ("front", &["ccw", "cw"]),
    ("depth", &["less", "less-eq", "always", "off", "neq"]),
    ("depth-write", &["on", "off"]),
    ("blend", &["off", "off", "over", "add"]),
    ("samples", &["1", "1", "4"]),
    ("topology", &["triangles", "triangles", "strip", "fan"]),
    ("clear", &["0 0 0 0", "1 0.5 -0 3e38"]),
];

impl Generator<'_> {
    /// The vertex stage, and the declarations of the fragment stage.
    pub(crate) fn vertex_stage(&mut self, program: &mut GeneratedProgram) {
        let before = self.scope.bindings.len();
        let mut forms = vec![self.attribute("corner", Type::vec(4), false)];
        for k in 0..self.random.weighted(&[2, 4, 3, 1]) {
            let (ty, is_of_instance) = (self.varying_type(), self.random.percent(20));
            forms.push(self.attribute(&format!("a{k}"), ty, is_of_instance));
        }
        for (name, input) in [("vertex", "vertex-index"), ("instance", "instance-index")] {
            if self.random.percent(40) {
                forms.push(self.input(name, input, Type::INT));
            }
        }
        for _ in 0..self.random.weighted(&[5, 3, 1]) {
            let form = self.define();
            forms.push(form);
        }
        forms.push(self.position());
        let mut varyings: Vec<(String, Type)> = Vec::new();
        for k in 0..self.random.between(1, 4) {
            let (name, ty) = (format!("w{k}"), self.varying_type());
            let size = self.options.size / 2;
            let value = self.inside(|this| this.value(ty, size));
            let mut parts = vec![Term::word("varying"), Term::word(name.as_str()), value];
            let interpolations = ["perspective", "linear", "flat"];
            if !ty.is_num() {
                parts.push(Term::word("flat"));
            } else if self.random.percent(60) {
                parts.push(Term::word(*self.random.pick(&interpolations)));
            }
            forms.push(Term::syntax(parts));
            varyings.push((name, ty));
        }
        // The names of the vertex stage are not those of the fragment stage.
        self.scope.bindings.truncate(before);
        self.stage = Stage::Fragment;
        for (name, ty) in varyings {
            let what = What::Term { kind: TermKind::Value(ty), loops: 0 };
            self.scope.push(name, what, true);
        }
        for (name, input, ty) in
            [("primitive", "primitive-index", Type::INT), ("front", "front-facing", Type::BOOL)]
        {
            if self.random.percent(30) {
                forms.push(self.input(name, input, ty));
            }
        }
        program.forms.extend(forms);
    }

    /// The depth and the state of the fragment stage.
    pub(crate) fn fragment_state(&mut self, program: &mut GeneratedProgram) {
        if self.random.percent(20) {
            let size = self.options.size / 3;
            let depth = self.inside(|this| this.value(Type::NUM, size));
            program.forms.push(Term::syntax(vec![Term::word("depth"), depth]));
        }
        let is_cleared = program.forms.iter().any(|form| form.to_string().starts_with("(state"));
        for (option, values) in STATES {
            if self.random.percent(30) && !(is_cleared && option == "clear") {
                let value = Term::word(*self.random.pick(values));
                let option = Term::syntax(vec![Term::word(option), value]);
                program.forms.push(Term::syntax(vec![Term::word("state"), option]));
            }
        }
    }

    fn attribute(&mut self, name: &str, ty: Type, is_of_instance: bool) -> Term {
        let what = What::Term { kind: TermKind::Value(ty), loops: 0 };
        self.scope.push(name, what, true);
        let mut words = vec!["attribute", name, type_name(ty)];
        words.extend(is_of_instance.then_some("instance"));
        Term::syntax(words.into_iter().map(Term::word).collect())
    }

    /// A name for an input of the stage.
    fn input(&mut self, name: &str, input: &str, ty: Type) -> Term {
        let value = Term::list(TermKind::Value(ty), vec![Term::word(input)]);
        let form = Term::syntax(vec![Term::word("define"), Term::word(name), value]);
        let what = What::Term { kind: TermKind::Value(ty), loops: 0 };
        self.scope.push(name, what, true);
        form
    }

    /// The position: `corner`, often moved a little by something.
    fn position(&mut self) -> Term {
        let vec4 = TermKind::Value(Type::vec(4));
        let place = Term::atom(vec4.clone(), "corner");
        let is_moved =
            self.random.percent(50) && self.scope.are_original(&["corner", "+", "*", "clamp"]);
        let place = if is_moved {
            let size = self.options.size / 3;
            let by = self.inside(|this| this.value(Type::vec(4), size));
            let [least, most] =
                ["-1", "1"].map(|text| Term::atom(TermKind::Value(Type::NUM), text));
            let by = Term::list(vec4.clone(), vec![Term::word("clamp"), by, least, most]);
            let little = Term::atom(TermKind::Value(Type::NUM), "0.1");
            let by = Term::list(vec4.clone(), vec![Term::word("*"), by, little]);
            Term::list(vec4, vec![Term::word("+"), place, by])
        } else {
            place
        };
        Term::syntax(vec![Term::word("position"), place])
    }

    /// A type of attributes and varyings.
    fn varying_type(&mut self) -> Type {
        let scalar = [Scalar::F32, Scalar::I32, Scalar::U32][self.random.weighted(&[8, 1, 1])];
        Type::of(scalar, self.random.between(1, 4) as u8)
    }
}
