//! Exact modules: eval_S computes the same bits as the core's evaluator, however inaccurate a conformant
//! device is.

use crate::support::{Shader, by_core, by_words_of, conformance, gallery, generated, programs};
use crate::validity::accepted_by_spirv_val;
use lambdav_spirv_backend::emit as emit_program;
use lambdav_spirv_backend::emit::{EmitOptions, Exact, FloatControls, Subnormals};
use lambdav_spirv_eval::Arithmetic;
use lambdav_test_support::Random;

/// Limits of the rounds of a program's loops, and of all loops of a module: those of the library and the
/// rare function's dispatch loop, with one round per block.
const LIMIT: u64 = 1 << 12;
const ALL: u64 = 1 << 22;

/// The kinds of modules, each with devices on which it is right: IEEE 754, or as inaccurate as Vulkan
/// allows, except that some must keep subnormal numbers.
fn kinds() -> Vec<(EmitOptions, Arithmetic)> {
    let mut all = Vec::new();
    for (float64, subnormals) in [
        (true, Subnormals::Integers),
        (false, Subnormals::Integers),
        (true, Subnormals::Preserve),
        (false, Subnormals::Preserve),
    ] {
        let preserves = subnormals == Subnormals::Preserve;
        for fused in [false, true] {
            let float_controls = FloatControls { subnormals: preserves, ..FloatControls::ALL };
            let registers = fused;
            let exact = Some(Exact { float64, fused, subnormals, report: None, registers });
            let options = EmitOptions { float_controls, exact, ..EmitOptions::default() };
            let rough = Arithmetic { flushes: !preserves, rounds_twice: !fused, is_rough: fused };
            all.push((options, rough));
        }
    }
    all
}

fn check(shader: &Shader, count: usize, options: &EmitOptions, arithmetic: Arithmetic) {
    let pixels: Vec<_> = shader.pixels(count).collect();
    let program = shader.scheduled(&shader.locations());
    let module = emit_program(&program, Some(&shader.source), options).expect("it fits");
    let wanted = by_core(&program, &pixels, LIMIT);
    let found = |limit| by_words_of(&program, &module, &pixels, limit, arithmetic);
    // The dispatch loop does not identify the endless loop.
    let ends = wanted.iter().all(Result::is_ok);
    let found = found(if ends { ALL } else { 4 * LIMIT });
    for ((wanted, found), inputs) in wanted.iter().zip(&found).zip(&pixels) {
        let (name, at) = (shader.source.name(), inputs.frag_coord);
        let text = shader.source.text();
        if ends || found.is_ok() {
            assert_eq!(wanted, found, "{name} at {at:?}, {options:?}, {arithmetic:?}\n{text}");
        }
    }
}

#[test]
fn theorem_on_the_gallery() {
    for shader in &gallery() {
        for (options, rough) in kinds() {
            check(shader, 12, &options, rough);
        }
    }
}

#[test]
fn theorem_on_generated_programs() {
    for (i, shader) in generated(0..programs()).enumerate() {
        for (options, rough) in kinds() {
            check(&shader, 4, &options, rough);
            if i % 4 == 0 {
                check(&shader, 4, &options, Arithmetic::default());
                // The module detects that the device is not as it was emitted for.
                let twice = Arithmetic { rounds_twice: true, ..rough };
                check(&shader, 1, &options, twice);
            }
        }
    }
}

#[test]
fn theorem_on_the_conformance_suite() {
    for shader in &conformance() {
        for (options, rough) in kinds() {
            check(shader, 2, &options, rough);
        }
    }
}

/// The gallery in all kinds of modules, other programs in one kind each: a process per module takes longer
/// than its validation.
#[test]
fn spirv_val_accepts() {
    let kinds = kinds();
    for shader in gallery() {
        for (options, _) in &kinds {
            accepted_by_spirv_val(&shader.emitted(options));
        }
    }
    for (i, shader) in conformance().into_iter().chain(generated(0..programs() / 3)).enumerate() {
        let (options, _) = &kinds[i % kinds.len()];
        accepted_by_spirv_val(&shader.emitted(options));
    }
}

/// Selects before a function that does not decide.
#[test]
fn theorem_on_pitfalls() {
    for text in [
        "(uniform u num 0) (define m (.z (if (less 6 u) (mouse) (vec4 0))))
         (define w (if (less-eq u 6) u 3)) (tan (floor (/ m w)))",
        // A constant whose first use some pixels do not reach.
        "(define y (.y (frag-coord)))
         (vec2 (if (< y 3) (* 3e-41 y) y) (if (< y 6) (* 1e30 3e-41) (/ 3e-41 y)))",
        // More quotients than calls of a function with loops are allowed.
        "(define p (frag-coord)) (define q (/ (.yzxw p) (+ 1 p)))
         ((rec-func (n v) (if (greater n 0) (rec (- n 1) (/ (+ v 1e-38) (* q 3))) (+ (/ v q) (sqrt v))))
          (floor (* 0.1 (.x p))) (/ p 1e38))",
    ] {
        let shader = Shader::new("pitfall.lv", text);
        for (options, rough) in kinds() {
            check(&shader, 4, &options, rough);
        }
    }
}

/// Defines `word`, a function whose values are random words that depend on its argument, the pixel and
/// the seed.
fn words(seed: usize) -> String {
    format!(
        "(define place (frag-coord))
         (define at (+ (* 5381i (int (.x place))) (* 67i (int (.y place))) {seed}i))
         (define mixed (func (of) (bit-xor of (shift-right of 15u))))
         (define word (func (k) (mixed (* (mixed (+ (* (uint at) 2654435761u) k)) 2246822519u))))"
    )
}

/// Quotients, roots and `fma` of random bit patterns, and of numbers from 1 to 2, whose results are near
/// powers of two.
#[test]
fn theorem_on_operands_of_any_kind() {
    for seed in 0..12 {
        let text = format!(
            "{}
             (define any (func (k) (from-bits (word k))))
             (define near (func (k) (from-bits (bit-or 1065353216u (shift-right (word k) 9u)))))
             (define even (func (k) (from-bits (bit-or 1065353216u (bit-and (word k) 8372224u)))))
             (output 0 (vec4 (/ (any 1u) (any 2u)) (/ (near 3u) (near 4u)) (/ (near 5u) (even 6u))
                             (/ (* (even 7u) (even 3u)) (even 3u))))
             (output 1 (vec4 (sqrt (any 1u)) (sqrt (near 3u)) (sqrt (* (near 4u) 2))
                             (sqrt (* (even 6u) (even 6u)))))
             (output 2 (vec4 (fma (any 1u) (any 2u) (any 3u))
                             (fma (near 4u) (near 5u) (- 0 (* (near 4u) (near 5u))))
                             (/ (* (near 1u) 0) (any 3u)) (sqrt (* 0 (- 0 (near 3u))))))",
            words(seed)
        );
        let shader = Shader::new("operands.lv", &text);
        for (options, rough) in kinds() {
            check(&shader, 253, &options, rough);
        }
    }
}

/// A random expression of numbers near zero.
fn near_zero(random: &mut Random, depth: usize) -> String {
    // Includes the least normal number, numbers whose squares and products are near it, and numbers whose
    // differences are.
    const LEAVES: [&str; 18] = [
        "0",
        "1",
        "-1.5",
        "1e-19",
        "-1.1754944e-38",
        "1.1754944e-38",
        "1.0842022e-19",
        "3e-31",
        "-5e-23",
        "1.9721523e-31",
        "-1.9721523e-31",
        "9.8607613e-32",
        "-9.8607613e-32",
        "(near 1u)",
        "(near 2u)",
        "(edge 3u)",
        "(edge 4u)",
        "(edge 5u)",
    ];
    if depth == 0 || random.below(6) == 0 {
        return (*random.pick(&LEAVES)).to_owned();
    }
    let part = |random: &mut _| near_zero(random, depth - 1);
    match random.below(14) {
        0..3 => format!("(+ {} {})", part(random), part(random)),
        3..6 => format!("(- {} {})", part(random), part(random)),
        6..9 => format!("(* {} {})", part(random), part(random)),
        9 => format!("(let ((x {})) (+ (* x x) {}))", part(random), part(random)),
        10 => format!("({} {})", random.pick(&["abs", "sqrt", "floor", "-", "sqrt"]), part(random)),
        11 => format!("({} {} {})", random.pick(&["min", "max"]), part(random), part(random)),
        12 => {
            format!("(if (< {} {}) {} {})", part(random), part(random), part(random), part(random))
        }
        _ => format!(
            "((rec-func (x n) (if (greater n 0) (rec {} (- n 1)) x)) {} {})",
            random.pick(&[
                "(* x 0.5)",
                "(+ x (near 2u))",
                "(- (* x x) 1e-19)",
                "(+ (* x 0.5) 1e-37)"
            ]),
            part(random),
            random.below(4)
        ),
    }
}

/// Numbers so small that their sums and products may be subnormal; any that the module does not test
/// must not be.
#[test]
fn theorem_near_zero() {
    let mut random = Random::new(20);
    for _ in 0..4 * programs() {
        let parts = [1, 2, 2, 3].map(|depth| near_zero(&mut random, depth));
        let text = format!(
            "{}
             (define near (func (k) (let ((w (word k)))
               (from-bits (bit-or (bit-and w 2155872255u) (shift-left (+ 1u (rem (shift-right w 23u) 70u)) 23u))))))
             (define edge (func (k) (let ((w (word k)))
               (from-bits (+ (bit-and w 2147483648u) (shift-left (+ 23u (rem w 4u)) 23u) (rem (shift-right w 9u) 5u) 4294967294u)))))
             (vec4 {})",
            words(random.below(1000)),
            parts.join(" ")
        );
        let shader = Shader::new("near-zero.lv", &text);
        for (options, rough) in kinds().into_iter().take(4) {
            check(&shader, 60, &options, rough);
        }
    }
}
