//! Evaluators with an observer compute the bits of the core evaluator, on generated programs.
//!
//! `TRACED=5000 cargo test --release -p lambdav-differential --test trace` traces more programs.

use lambdav_core::diagnostics::DiagnosticCode::ExpansionTooLarge;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::Span;
use lambdav_differential::{Campaign, Case, TraceProfile, check_traces};
use lambdav_frontend::reduction::{
    Limits, Observer, SourceEvent, SourceFault, SourceProgram, SourceValue,
};
use lambdav_frontend::syntax::parse;
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_eval::{
    self as eval, LoadOptions, Module, ModuleEvaluator, ModuleEvent, ModuleFault, Position,
    Resources,
};
use std::collections::HashMap;

/// The number of programs.
fn count() -> u64 {
    std::env::var("TRACED").map_or(60, |text| text.parse().expect("TRACED is a number"))
}

/// Generated programs whose loops end.
fn programs() -> impl Iterator<Item = (u64, Case)> {
    let campaign = Campaign {
        seed: 45,
        first: 0,
        programs: count(),
        size: 160,
        endless: 0,
        threads: 1,
        attempts: 1,
        max_bugs: 1,
    };
    (0..count()).filter_map(move |number| {
        let (program, conditions) = campaign.program(number);
        match Case::new(&program, conditions) {
            Ok(case) => Some((number, case)),
            // A program that unrolls to too much code, which is rare.
            Err(found) if found.iter().any(|of| of.code == ExpansionTooLarge) => None,
            Err(errors) => panic!("program {number}: {errors:?}"),
        }
    })
}

/// Some pixels of a picture: corners and the middle.
fn pixels(case: &Case) -> Vec<Inputs> {
    let all = case.conditions.pixels();
    let mut some = vec![0, all / 2, all - 1];
    some.dedup();
    some.into_iter().map(|pixel| case.at(pixel)).collect()
}

/// The components of an output; missing ones are those of (0, 0, 0, 1).
fn filled(words: &[u32]) -> Vec<u32> {
    let filler = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
    [words, &filler[words.len()..]].concat()
}

/// The words of an output by the core evaluator, if its loops end.
fn expected(case: &Case, location: u32, inputs: &Inputs, limit: u64) -> Option<Vec<u32>> {
    let program = schedule(&case.core, &[location]).expect("it is small");
    let mut evaluator = Evaluator::new(&program, limit);
    evaluator.run(inputs, &|| false).ok()?;
    Some(filled(evaluator.output(0)))
}

/// Checks that events are well formed.
#[derive(Default)]
struct Checked<'t> {
    text: &'t str,
    last: u32,
    /// Bindings, conditions and closed scopes.
    seen: usize,
    open: HashMap<u32, bool>,
}

impl Checked<'_> {
    fn is_text(&self, span: Span) {
        let text = self.text.get(span.start as usize..span.end as usize);
        assert!(text.is_some_and(|text| !text.is_empty()), "{span:?} is no place of the text");
    }
}

impl Observer for Checked<'_> {
    fn open(&mut self) -> u32 {
        self.last += 1;
        self.open.insert(self.last, true);
        self.last
    }

    fn event(&mut self, scope: u32, event: SourceEvent) {
        assert!(scope == 0 || self.open.contains_key(&scope), "an event of no scope");
        match event {
            SourceEvent::Binding { name, value } | SourceEvent::Argument { name, value } => {
                self.is_text(name);
                if let SourceValue::Data(ty, words) = &value {
                    assert!(ty.builtin().is_some() && !words.is_empty());
                }
                self.seen += 1;
            }
            SourceEvent::Condition { at, condition, value, arm } => {
                [at, condition, arm].into_iter().for_each(|span| self.is_text(span));
                assert!(at.start <= condition.start && condition.end <= at.end);
                assert!(at.start <= arm.start && arm.end <= at.end);
                if let SourceValue::Data(_, words) = &value {
                    assert!(words.len() == 1);
                }
                self.seen += 1;
            }
            SourceEvent::Call { at, .. }
            | SourceEvent::Loop { at, .. }
            | SourceEvent::Round { at, .. } => self.is_text(at),
            SourceEvent::Probe { name, at, .. } => {
                [name, at].into_iter().for_each(|span| self.is_text(span));
            }
            SourceEvent::Discard { condition, .. } => self.is_text(condition),
            SourceEvent::Operation { at, .. } => self.is_text(at),
            SourceEvent::Close(_) => {
                let is_open = self.open.get_mut(&scope).expect("the scope was opened");
                assert!(std::mem::take(is_open), "a scope closes twice");
                self.seen += 1;
            }
        }
    }
}

#[test]
fn the_observed_source_evaluator_has_the_bits_of_the_core() {
    let (mut compared, mut seen) = (0, 0);
    for (number, case) in programs() {
        let (tree, _) = parse(&case.source);
        let source = SourceProgram::new(&tree).expect("it is read");
        let max_iterations = case.conditions.max_iterations;
        let limits = Limits { max_iterations, max_steps: 1 << 22 };
        for location in case.locations() {
            for inputs in pixels(&case) {
                let mut observer = Checked { text: case.source.text(), ..Checked::default() };
                let found =
                    source.run_observed(location, &inputs, limits, &|| false, &mut observer);
                let plain = source.run(location, &inputs, limits, &|| false);
                let found = match (found, plain) {
                    (Ok(found), Ok(plain)) => {
                        assert_eq!(found, plain, "program {number}");
                        found
                    }
                    // A limit may be reached a little earlier.
                    (Err(SourceFault::Limit(_)), _) => continue,
                    (found, plain) => {
                        assert_eq!(found, plain, "program {number}");
                        continue;
                    }
                };
                let Some(expected) = expected(&case, location, &inputs, max_iterations) else {
                    continue;
                };
                assert_eq!(filled(&found), expected, "program {number} at {inputs:?}");
                compared += 1;
                seen += observer.seen;
            }
        }
    }
    assert!(compared as u64 > 2 * count(), "{compared} pixels were compared");
    assert!(seen > 10 * compared, "{seen} events in {compared} pixels");
}

/// Counts events of modules, whose scopes nest.
#[derive(Default)]
struct Nested {
    scopes: Vec<char>,
    seen: usize,
}

impl eval::Observer for Nested {
    fn event(&mut self, _: Option<Position>, event: ModuleEvent) {
        match event {
            ModuleEvent::Loop => self.scopes.push('l'),
            ModuleEvent::Round => assert_eq!(self.scopes.last(), Some(&'l')),
            ModuleEvent::EndLoop => assert_eq!(self.scopes.pop(), Some('l')),
            ModuleEvent::Call { .. } => self.scopes.push('c'),
            ModuleEvent::Return(_) => assert_eq!(self.scopes.pop(), Some('c')),
            _ => self.seen += 1,
        }
    }
}

#[test]
fn the_observed_evaluator_of_modules_has_the_bits_of_the_core() {
    let (mut compared, mut seen) = (0, 0);
    for (number, case) in programs() {
        let max_iterations = case.conditions.max_iterations;
        for location in case.locations() {
            let program = schedule(&case.core, &[location]).expect("it is small");
            let Ok(emitted) = emit(&program, Some(&case.source), &EmitOptions::default()) else {
                continue;
            };
            let module = Module::with_debug(&emitted.words, &LoadOptions::default());
            let module = module.unwrap_or_else(|error| panic!("program {number}: {error}"));
            let uniforms = case.core.uniforms.iter().map(|uniform| uniform.ty);
            for inputs in pixels(&case) {
                let resources = Resources::new(&inputs, case.core.graph.types(), uniforms.clone());
                let mut evaluator = ModuleEvaluator::new(&module, &resources, max_iterations);
                evaluator.set_clear(program.clear());
                let mut observer = Nested::default();
                let asked = Some(location);
                let ran =
                    evaluator.run_observed(inputs.frag_coord, asked, &|| false, &mut observer);
                let expected = expected(&case, location, &inputs, max_iterations);
                let Some(expected) = expected else {
                    assert!(matches!(ran, Err(ModuleFault::LoopLimit { .. })), "{ran:?}");
                    continue;
                };
                ran.unwrap_or_else(|fault| panic!("program {number}: {fault}"));
                let found = evaluator.output(location).expect("it has the output");
                assert_eq!(filled(found), expected, "program {number}");
                assert!(evaluator.is_discarded() || observer.scopes.is_empty());
                compared += 1;
                seen += observer.seen;
            }
        }
    }
    assert!(compared as u64 > 2 * count(), "{compared} pixels were compared");
    assert!(seen > compared, "{seen} events in {compared} pixels");
}

/// Traces of λV, with names, against the core evaluator and against the words that the compiler emits.
#[test]
fn traced_values_are_those_of_the_compiled_program() {
    let mut all = TraceProfile::default();
    for (number, case) in programs() {
        let found = check_traces(&case).unwrap_or_else(|error| {
            panic!("program {number}: {error}\n{}", case.source.text());
        });
        all.pixels += found.pixels;
        all.names += found.names;
        all.bags += found.bags;
        all.chances += found.chances;
        all.rounds += found.rounds;
        all.probes += found.probes;
    }
    println!("{all:?}");
    assert!(all.pixels > count() && all.rounds > count() && all.probes > count(), "{all:?}");
    assert!(10 * all.names > count() && all.bags > all.pixels, "{all:?}");
    assert!(200 * all.chances < all.bags, "{all:?}");
}
