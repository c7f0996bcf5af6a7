//! Exact modules: what eval_S makes of them is what the core's evaluator says, whether the device
//! flushes subnormal numbers or not.

use crate::support::{Shader, by_core, by_words_of, conformance, gallery, generated, programs};
use crate::validity::accepted_by_spirv_val;
use lambdav_spirv_backend::emit as emit_program;
use lambdav_spirv_backend::emit::{EmitOptions, Exact, FloatControls, Subnormals};

/// Rounds of a program's loops, and of all loops of a module: those of the library, and the machine that the rare function is,
/// whose rounds are its blocks.
const LIMIT: u64 = 1 << 12;
const ALL: u64 = 1 << 22;

/// The kinds of modules, and whether they are right on a device that flushes subnormal numbers.
fn kinds() -> impl Iterator<Item = (EmitOptions, bool)> {
    let kind = |float64, subnormals, report| {
        let float_controls =
            FloatControls { subnormals: subnormals == Subnormals::Preserve, ..FloatControls::ALL };
        let exact = Some(Exact { float64, subnormals, report });
        EmitOptions { float_controls, exact, ..EmitOptions::default() }
    };
    [
        (kind(true, Subnormals::Integers, None), true),
        (kind(false, Subnormals::Integers, None), true),
        (kind(true, Subnormals::Preserve, None), false),
        (kind(false, Subnormals::Preserve, None), false),
    ]
    .into_iter()
}

fn check(shader: &Shader, count: usize, options: &EmitOptions, flushes: bool) {
    let pixels: Vec<_> = shader.pixels(count).collect();
    let program = shader.scheduled(&shader.locations());
    let module = emit_program(&program, Some(&shader.source), options).expect("it fits");
    let wanted = by_core(&program, &pixels, LIMIT);
    let found = |limit| by_words_of(&program, &module, &pixels, limit, flushes);
    // Which loop it is that does not end, the machine does not know.
    let ends = wanted.iter().all(Result::is_ok);
    let found = found(if ends { ALL } else { 4 * LIMIT });
    for ((wanted, found), inputs) in wanted.iter().zip(&found).zip(&pixels) {
        let (name, at) = (shader.source.name(), inputs.frag_coord);
        let text = shader.source.text();
        if ends || found.is_ok() {
            assert_eq!(wanted, found, "{name} at {at:?}, {options:?}, flushes: {flushes}\n{text}");
        }
    }
}

#[test]
fn theorem_on_the_gallery() {
    for shader in &gallery() {
        for (options, flushes) in kinds() {
            check(shader, 12, &options, flushes);
        }
    }
}

#[test]
fn theorem_on_generated_programs() {
    for (i, shader) in generated(0..programs()).enumerate() {
        for (options, flushes) in kinds() {
            check(&shader, 4, &options, flushes);
            if i % 4 == 0 && flushes {
                check(&shader, 4, &options, false);
            }
        }
    }
}

#[test]
fn theorem_on_the_conformance_suite() {
    for shader in &conformance() {
        for (options, flushes) in kinds() {
            check(shader, 2, &options, flushes);
        }
    }
}

#[test]
fn spirv_val_accepts() {
    let all = gallery().into_iter().chain(conformance()).chain(generated(0..programs() / 3));
    for shader in all {
        for (options, _) in kinds() {
            accepted_by_spirv_val(&shader.emitted(&options));
        }
    }
}

/// Choices before a function that does not decide.
#[test]
fn theorem_on_pitfalls() {
    for text in [
        "(uniform u num 0) (define m (.z (if (less 6 u) (mouse) (vec4 0))))
         (define w (if (less-eq u 6) u 3)) (tan (floor (/ m w)))",
        // A constant whose first use not all pixels come to.
        "(define y (.y (frag-coord)))
         (vec2 (if (< y 3) (* 3e-41 y) y) (if (< y 6) (* 1e30 3e-41) (/ 3e-41 y)))",
    ] {
        let shader = Shader::new("pitfall.lv", text);
        for (options, flushes) in kinds() {
            check(&shader, 4, &options, flushes);
        }
    }
}
