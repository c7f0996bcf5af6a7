//! The generator's state, and expressions of any kind.
//!
//! Terms are generated top-down: a production is chosen for a wanted [`TermKind`] and a size, and the size is
//! divided among its parts. Every term is generated in its final place, so the visible bindings give the
//! meaning of each name there.

use crate::aggregates::Declared;
use crate::scope::{Fact, Form, IMPOSSIBLE, Scope, What};
use crate::table::{Entry, TYPES, giving};
use crate::term::{FunctionKind, Term, TermKind};
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::builtins::Builtin;
use lambdav_test_support::Random;

/// Options of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerateOptions {
    /// Size of programs, about in terms for each output.
    pub size: usize,
    /// Some loops are endless, where substitution evaluates them for no pixel.
    pub endless: bool,
    /// Some divisors are zero, subnormal, infinite or NaN, for which drivers give various results.
    pub special_divisors: bool,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self { size: 60, endless: true, special_divisors: true }
    }
}

/// The stage that a place belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The only stage of a full-screen program.
    FullScreen,
    /// The vertex stage of a program that draws triangles.
    Vertex,
    /// Its fragment stage.
    Fragment,
    /// The writes of a pass, and what may be used in them.
    Pass,
}

impl Stage {
    /// True for a stage with coordinates and neighbours.
    pub(crate) fn has_pixels(self) -> bool {
        matches!(self, Self::FullScreen | Self::Fragment)
    }
}

pub(crate) struct Generator<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) options: GenerateOptions,
    pub(crate) stage: Stage,
    pub(crate) scope: Scope,
    pub(crate) declared: Declared,
    /// The names of textures, which are never shadowed, and their kinds, levels and comparisons.
    pub(crate) textures: Vec<(String, TextureOptions)>,
    /// The names of buffers, which are never shadowed, and their element types.
    pub(crate) buffers: Vec<(String, Type)>,
    /// Inputs, uniforms, textures and buffers must not be used.
    pub(crate) constant: bool,
    /// Number of loops around this place.
    pub(crate) loop_depth: u32,
    /// Largest nesting depth of loops so far.
    pub(crate) deepest: u32,
    pub(crate) next_loop: u32,
    /// Number of `if` arms around this place.
    pub(crate) if_depth: u32,
    /// Number of probes so far.
    probes: u32,
    /// Number of derivatives around this place.
    pub(crate) derivatives: u32,
    /// Number of bindings, the outermost ones, that have values at neighbouring pixels; `None`: all.
    pub(crate) everywhere: Option<usize>,
}

/// Largest nesting depth of loops, also through functions.
pub(crate) const MAX_LOOPS: u32 = 3;
/// The names of probes begin with it; no other name does.
pub const PROBE: &str = "probe-";

impl<'a> Generator<'a> {
    pub(crate) fn new(random: &'a mut Random, options: GenerateOptions) -> Self {
        Self {
            random,
            options,
            stage: Stage::FullScreen,
            scope: Scope::default(),
            declared: Declared::default(),
            textures: Vec::new(),
            buffers: Vec::new(),
            constant: false,
            loop_depth: 0,
            deepest: 0,
            next_loop: 0,
            if_depth: 0,
            probes: 0,
            derivatives: 0,
            everywhere: None,
        }
    }

    pub(crate) fn form(&mut self, form: Form) -> Option<String> {
        self.scope.form(form, self.random)
    }

    /// A random type, mostly a scalar or vector.
    pub(crate) fn any_type(&mut self) -> Type {
        if self.random.percent(30)
            && let Some(ty) = self.any_aggregate()
        {
            return ty;
        }
        TYPES[self.random.weighted(&[40, 14, 8, 8, 8, 2, 2, 2, 2, 2, 1, 11, 3, 3, 3, 11, 3, 3, 3])]
    }

    /// The result of `make`; restores bindings and facts afterwards.
    pub(crate) fn inside<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let (bindings, facts) = (self.scope.bindings.len(), self.scope.facts.len());
        let made = make(self);
        self.scope.bindings.truncate(bindings);
        self.scope.facts.truncate(facts);
        made
    }

    /// An expression of that kind.
    pub(crate) fn term(&mut self, kind: &TermKind, size: usize) -> Term {
        match kind {
            TermKind::Value(ty) => self.value(*ty, size),
            TermKind::Function(function) => self.function(function, size),
            TermKind::Step(of) => self.step(*of),
            TermKind::Static(name) => Term::atom(kind.clone(), name.clone()),
            TermKind::Held(held) => self.held(held, size),
            TermKind::Whole(name, held) => self.whole(name, held),
            TermKind::Tail { of, ty, goes_on } => self.tail((*of, *ty), *goes_on, size),
        }
    }

    /// A value of that type.
    pub(crate) fn value(&mut self, ty: Type, size: usize) -> Term {
        if size <= 1 {
            return self.leaf(ty);
        }
        if let Some(term) = self.held_application(ty, size) {
            return term;
        }
        let loops = if self.loop_depth < MAX_LOOPS { 13 } else { 0 };
        // More `if`s inside an `if`, so that some are three deep.
        let ifs = if (1..4).contains(&self.if_depth) { 34 } else { 17 };
        let is_aggregate = Declared::is_aggregate(ty);
        let (parts, changed) = if is_aggregate { (6, 30) } else { (16, 6) };
        let cases = ifs / 3;
        let modes = if self.options.endless { 0 } else { 5 };
        let weights = [
            40,
            changed,
            ifs,
            18,
            7,
            9,
            loops,
            2,
            3,
            2,
            loops * 2 / 3,
            parts,
            cases,
            1,
            modes,
            3,
            6,
        ];
        for _ in 0..8 {
            let made = match self.random.weighted(&weights) {
                0 => self.application(ty, size),
                1 => self.swizzle(ty, size),
                2 => self.choice(&TermKind::Value(ty), size),
                3 => self.let_(&TermKind::Value(ty), size),
                4 => self.direct_call(&TermKind::Value(ty), size),
                5 => self.named_call(&TermKind::Value(ty), size),
                6 => self.loop_(ty, size).map(|made| self.perhaps_eager(ty, made)),
                7 => self.annotated(ty, size),
                8 => self.chosen_call(&TermKind::Value(ty), size),
                10 => self.chosen_loop(ty, size),
                11 => self.part(ty, size),
                12 => self.case(&TermKind::Value(ty), size),
                13 => self.held_call(&TermKind::Value(ty), size),
                14 => self.mode(&TermKind::Value(ty), size),
                15 => self.derivative(ty, size),
                16 => self.probed(ty, size),
                _ => Some(self.leaf(ty)),
            };
            if let Some(term) = made {
                return term;
            }
        }
        self.leaf(ty)
    }

    /// Values of these types, which divide the size among them.
    pub(crate) fn values(&mut self, types: &[Type], size: usize) -> Vec<Term> {
        let share = size.saturating_sub(1) / types.len().max(1);
        types
            .iter()
            .map(|&ty| {
                let size = share.min(self.random.between(0, 2 * share));
                self.value(ty, size)
            })
            .collect()
    }

    /// A call of a builtin, or a construction.
    fn application(&mut self, ty: Type, size: usize) -> Option<Term> {
        if !self.buffers.is_empty()
            && self.random.percent(25)
            && let Some(term) = self.of_buffer(ty, size)
        {
            return Some(term);
        }
        if Declared::is_aggregate(ty) {
            return Some(self.make(ty, size));
        }
        if self.options.special_divisors
            && self.random.percent(14)
            && let Some(term) = self.division(ty, size)
        {
            return Some(term);
        }
        if !self.textures.is_empty()
            && self.random.percent(25)
            && let Some(term) = self.of_texture(ty, size)
        {
            return Some(term);
        }
        let entries = giving(ty);
        // These divide by differences of their operands.
        let divides =
            |entry: &Entry| ["perspective", "orthographic"].contains(&&*entry.builtin.name());
        let is_unfit = |entry: &Entry| {
            !self.options.special_divisors && divides(entry) || !self.fits_stage(entry.builtin)
        };
        let weight = |entry: &Entry| if is_unfit(entry) { 0 } else { entry.weight };
        let weights: Vec<u32> = entries.iter().map(weight).collect();
        let entry = &entries[self.random.weighted(&weights)];
        let operands = self.random.pick(&entry.signatures);
        if self.constant && operands.is_empty() {
            return None;
        }
        let name = self.scope.builtin(entry.builtin, self.random)?;
        let mut parts = vec![Term::word(name)];
        match operands.as_slice() {
            [first, index] if index.index.is_some() => {
                parts.push(self.value(first.ty, size - 1));
                parts.push(Term::word(index.index.unwrap_or_default().to_string()));
            }
            operands => {
                let types: Vec<Type> = operands.iter().map(|o| o.ty).collect();
                parts.extend(self.values(&types, size));
            }
        }
        Some(Term::list(TermKind::Value(ty), parts))
    }

    /// True if a builtin belongs to the stage.
    pub(crate) fn fits_stage(&self, builtin: Builtin) -> bool {
        match &*builtin.name() {
            "frag-coord" => self.stage.has_pixels(),
            "resolution" => self.stage != Stage::Pass,
            _ => true,
        }
    }

    /// A swizzle, or an aggregate or vector with some parts replaced.
    fn swizzle(&mut self, ty: Type, size: usize) -> Option<Term> {
        if Declared::is_aggregate(ty) || (ty.width() != Some(1) && self.random.percent(15)) {
            return self.changed(ty, size);
        }
        let count = ty.width()?;
        let scalar = ty.scalar()?;
        let n = self.random.between(2, 4);
        let letters = if self.random.percent(70) { "xyzw" } else { "rgba" };
        let mut name = String::from(".");
        for _ in 0..count {
            let k = self.random.below(n);
            name.push_str(&letters[k..=k]);
        }
        let builtin = Builtin::lookup(&name)?;
        if self.scope.is_shadowed(&name) {
            return None;
        }
        self.scope.used.insert(builtin);
        let value = self.value(Type::of(scalar, n as u8), size - 1);
        Some(Term::list(TermKind::Value(ty), vec![Term::word(name), value]))
    }

    /// `(@ e)` or `($ e)`.
    pub(crate) fn mode(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        // `@` unrolls endless loops that are not evaluated at run time.
        if self.options.endless {
            return None;
        }
        // In a tail, `@` might decide away the only `rec`.
        let is_tail = matches!(kind, TermKind::Tail { .. });
        let word = if !is_tail && self.random.percent(70) { "@" } else { "$" };
        if !self.scope.are_original(&[word]) {
            return None;
        }
        let inner = self.term(kind, size - 1);
        Some(Term::list(kind.clone(), vec![Term::word(word), inner]))
    }

    /// `(probe "name" e)`, with a name of its own. Tests put a `let` in its place.
    fn probed(&mut self, ty: Type, size: usize) -> Option<Term> {
        if !self.scope.are_original(&["probe", "let"]) {
            return None;
        }
        self.probes += 1;
        let name = Term::word(format!("\"{PROBE}{}\"", self.probes));
        let kind = TermKind::Value(ty);
        let inner = self.term(&kind, size - 1);
        Some(Term::list(kind, vec![Term::word("probe"), name, inner]))
    }

    /// `(@ e)` or `e`.
    fn perhaps_eager(&mut self, ty: Type, made: Term) -> Term {
        let is_eager = !self.options.endless && self.random.percent(25);
        if !is_eager || !self.scope.are_original(&["@"]) {
            return made;
        }
        Term::list(TermKind::Value(ty), vec![Term::word("@"), made])
    }

    fn annotated(&mut self, ty: Type, size: usize) -> Option<Term> {
        let the = self.form(Form::The).filter(|_| self.declared.fits_annotation(ty))?;
        let value = self.value(ty, size - 1);
        Some(Term::list(
            TermKind::Value(ty),
            vec![Term::word(the), Term::word(self.declared.text(ty)), value],
        ))
    }

    /// `if` of any kind.
    pub(crate) fn choice(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        let word = Term::word(self.form(Form::If)?);
        let comparison = if self.random.percent(60) { self.pixels_decide() } else { None };
        let share = if comparison.is_some() { size.saturating_sub(6) / 2 } else { size / 3 };
        let (condition, facts) = match comparison {
            Some(comparison) => (comparison, [vec![], vec![]]),
            None => self.condition(share),
        };
        let kinds = self.arms(kind);
        let mut parts = vec![word, condition];
        self.if_depth += 1;
        for (kind, facts) in kinds.iter().zip(facts) {
            parts.push(match facts.is_empty() {
                true => self.inside(|this| this.term(kind, share)),
                false => self.inside_here(|this| {
                    this.scope.facts.extend(facts);
                    this.term(kind, share)
                }),
            });
        }
        self.if_depth -= 1;
        Some(Term::list(kind.clone(), parts))
    }

    /// `(if test LOOP value)` with a divergent test.
    fn chosen_loop(&mut self, ty: Type, size: usize) -> Option<Term> {
        let word = Term::word(self.form(Form::If)?);
        let condition = self.pixels_decide()?;
        let share = size.saturating_sub(6) / 2;
        self.if_depth += 1;
        let looping = self.inside(|this| this.loop_(ty, share.max(6)));
        let other = self.inside(|this| this.value(ty, share));
        self.if_depth -= 1;
        let mut arms = [looping?, other];
        self.random.shuffle(&mut arms);
        Some(Term::list(TermKind::Value(ty), [vec![word, condition], arms.into()].concat()))
    }

    /// The kinds of the arms of an `if` of that kind. If it must contain a `rec`, one of the arms must.
    fn arms(&mut self, kind: &TermKind) -> [TermKind; 2] {
        match kind {
            TermKind::Tail { of, ty, goes_on: true } => {
                let first = self.random.percent(50);
                [first, !first].map(|goes_on| TermKind::Tail { of: *of, ty: *ty, goes_on })
            }
            _ => [kind.clone(), kind.clone()],
        }
    }

    /// A condition, and the facts that hold where it is true and where it is false.
    fn condition(&mut self, size: usize) -> (Term, [Vec<Fact>; 2]) {
        let bool = TermKind::Value(Type::BOOL);
        let known: Vec<(String, u32)> = self
            .scope
            .visible()
            .filter(|b| matches!(&b.what, What::Term { kind, .. } if *kind == bool))
            .map(|b| (b.name.clone(), b.id))
            .collect();
        if self.options.endless
            && self.random.percent(6)
            && let Some(never) = self.impossible()
        {
            return (never, [vec![IMPOSSIBLE], vec![]]);
        }
        if known.is_empty() || !self.random.percent(55) {
            return (self.value(Type::BOOL, size), [vec![], vec![]]);
        }
        let (name, id) = self.random.pick(&known).clone();
        let variable = Term::atom(bool.clone(), name);
        let plain = [vec![(id, true)], vec![(id, false)]];
        let if_ = self.form(Form::If);
        match (self.random.below(6), if_) {
            (0, _) if self.scope.are_original(&["not"]) => {
                let negated = Term::list(bool, vec![Term::word("not"), variable]);
                (negated, [vec![(id, false)], vec![(id, true)]])
            }
            (1, Some(if_)) => {
                let other = self.inside_here(|this| {
                    this.scope.facts.push((id, true));
                    this.value(Type::BOOL, size / 2)
                });
                let no = Term::atom(bool.clone(), "false");
                let both = Term::list(bool, vec![Term::word(if_), variable, other, no]);
                (both, [vec![(id, true)], vec![]])
            }
            (2, Some(if_)) => {
                let other = self.inside_here(|this| {
                    this.scope.facts.push((id, false));
                    this.value(Type::BOOL, size / 2)
                });
                let yes = Term::atom(bool.clone(), "true");
                let either = Term::list(bool, vec![Term::word(if_), variable, yes, other]);
                (either, [vec![], vec![(id, false)]])
            }
            (3, _) if self.scope.are_original(&["and"]) => {
                let other = self.value(Type::BOOL, size / 2);
                let both = Term::list(bool, vec![Term::word("and"), other, variable]);
                (both, [vec![(id, true)], vec![]])
            }
            _ => (variable, plain),
        }
    }

    /// A random kind of function with that result.
    pub(crate) fn function_kind(&mut self, result: TermKind) -> FunctionKind {
        let count = self.random.weighted(&[2, 8, 6, 2]);
        let params = (0..count)
            .map(|_| {
                if self.random.percent(12) {
                    let ty = self.any_type();
                    let params = vec![TermKind::Value(self.any_type())];
                    TermKind::Function(FunctionKind { params, result: TermKind::Value(ty) }.into())
                } else {
                    TermKind::Value(self.any_type())
                }
            })
            .collect();
        FunctionKind { params, result }
    }

    /// A random type for an output.
    pub(crate) fn output_type(&mut self) -> Type {
        Type::of(Scalar::F32, [1, 2, 3, 4][self.random.weighted(&[2, 1, 3, 4])])
    }
}
