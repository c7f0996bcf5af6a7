//! Malformed words, and words close to a module: an error, never a panic, and never an endless run.

use crate::support::{Shader, generated};
use lambdav_core::inputs::Inputs;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::types::{Type, Types};
use lambdav_spirv_backend::emit::EmitOptions;
use lambdav_spirv_eval::{LoadError, LoadOptions, Module, ModuleEvaluator, Resources, Undefined};
use proptest::prelude::*;

fn sample() -> Vec<u32> {
    Shader::new(
        "a.lv",
        "(uniform m mat2) (uniform yes bool) (struct S (a vec2) (on bool)) (buffer b S)
         (output 1 (vec3 (.a (at b (int (time)))) (num (size-of b))))
         (output 0 ((rec-func (n v) (if (< n (time)) (rec (+ n 1) (* m (min v (sin n)))) v))
                    0 (if yes (.xy (frag-coord)) (.zw (mouse)))))",
    )
    .emitted(&EmitOptions::default())
    .words
}

/// Loads and runs any words.
fn survive(words: &[u32]) {
    for undefined in [Undefined::Marked, Undefined::Total] {
        survive_with(words, undefined);
    }
}

fn survive_with(words: &[u32], undefined: Undefined) {
    let options = LoadOptions { undefined, ..LoadOptions::default() };
    if let Ok(module) = Module::with_options(words, &options) {
        let mut types = Types::default();
        let element = types.add_array(Type::UINT, 3).expect("is small");
        let data = BufferData::new(&types, element, vec![1; 6]).expect("two elements");
        let resources = vec![Bound::Buffer(data.into()); module.resources().len()];
        let inputs = Inputs { resources, ..Inputs::default() };
        let resources = Resources::for_members(&inputs, &[], module.resources());
        let mut evaluator = ModuleEvaluator::new(&module, &resources, 3);
        for _ in 0..2 {
            let _ = evaluator.run([0.5, 0.5, 0.0, 1.0], &|| false);
        }
    }
}

#[test]
fn every_beginning_and_every_word() {
    let words = sample();
    assert!(Module::new(&words).is_ok());
    for end in 0..words.len() {
        assert!(Module::new(&words[..end]).is_err(), "{end} words");
    }
    for at in 0..words.len() {
        let flips = (0..32).map(|bit| words[at] ^ 1 << bit);
        let small = [0, 1, 2, 5, u32::MAX, words[at].wrapping_add(1), words[at].wrapping_sub(1)];
        for word in flips.chain(small) {
            let mut changed = words.clone();
            changed[at] = word;
            survive(&changed);
        }
    }
}

proptest! {
    #[test]
    fn changed_in_places(
        seed in 0_u64..50,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let shader = generated(seed..seed + 1).next().expect("one");
        let mut words = shader.emitted(&EmitOptions::default()).words;
        for (to, from) in changes {
            let (to, from) = (to.index(words.len()), from.index(words.len()));
            words[to] = words[from];
        }
        survive(&words);
    }

    #[test]
    fn random_words(mut words in prop::collection::vec(any::<u32>(), 0..64)) {
        survive(&words);
        words.splice(0..0, [0x0723_0203, 0x0001_0000, 0, 99, 0]);
        survive(&words);
    }
}

/// An unknown instruction is reported by name.
#[test]
fn refusals_name_the_instruction() {
    let mut words = sample();
    words.truncate(5);
    words.extend([1 << 16 | 253]);
    words.extend([4 << 16 | 234, 1, 2, 3]);
    let error = Module::new(&words).expect_err("not a module");
    assert!(matches!(error, LoadError::Malformed { .. }), "{error}");
    words.truncate(5);
    words.extend([1 << 16 | 218]);
    let error = Module::new(&words).expect_err("not a module").to_string();
    assert_eq!(error, "word 5: OpEmitVertex is not among the instructions that can be evaluated");
    words.truncate(5);
    words.extend([2 << 16 | 17, 3]);
    let error = Module::new(&words).expect_err("not a module").to_string();
    assert_eq!(error, "word 5: capability Tessellation cannot be evaluated");
}
