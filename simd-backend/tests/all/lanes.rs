//! Lane programs of the gallery: the interpreter against the evaluator of the core.

use lambdav_core::limits;

use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_image::Size;
use lambdav_matrix::pictures;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{Extents, Options, Width, lower};

use crate::scheduled;

fn text(shader: &str) -> String {
    text_for(shader, Width::Any)
}

fn text_for(shader: &str, width: Width) -> String {
    lower(&scheduled(shader), &Options::new(width)).to_string()
}

#[test]
fn a_uniform_loop_has_no_masks() {
    let text =
        text("((rec-func (i s) (if (less i (time)) (rec (+ i 1) (+ s (.x (frag-coord)))) s)) 0 0)");
    assert!(text.contains("loop #0"), "{text}");
    assert!(!text.contains("mask"), "{text}");
    assert!(!text.contains("any"), "{text}");
}

#[test]
fn a_loop_of_the_frame_is_outside_the_groups() {
    let text = text("((rec-func (i) (if (less i (time)) (rec (+ i 1)) i)) 0)");
    let (frame, group) = text.split_once("group {").expect("two parts");
    assert!(frame.contains("loop #0") && !group.contains("loop"), "{text}");
}

#[test]
fn a_counter_of_a_divergent_loop_is_one_number() {
    let text = text(
        "((rec-func (i x) (if (less i 9) (if (less x 50) (rec (+ i 1) (* x x)) i) -1))
          0 (.x (frag-coord)))",
    );
    // The loop's own counter has rate group; parameters follow the live mask in order.
    let line = text.lines().find(|line| line.contains("loop #0")).expect("a loop");
    let params = line.split("loop #0 (").nth(1).expect("parameters follow");
    let kinds: Vec<&str> = params
        .split(')')
        .next()
        .expect("they end")
        .split(", ")
        .map(|param| param.split(": ").nth(1).expect("rate and kind"))
        .collect();
    assert_eq!(kinds, ["varying mask", "group f32", "x f32", "varying f32"], "{text}");
}

#[test]
fn parameters_of_a_divergent_loop_are_not_blended() {
    // One select, for the captured result.
    let text =
        text("((rec-func (x y) (if (less x 50) (rec (* x x) (+ y x)) y)) (.x (frag-coord)) 0)");
    assert_eq!(text.matches("= select").count(), 1, "{text}");
}

#[test]
fn one_lane_needs_no_masks() {
    let shader = "((rec-func (x n)
                    (if (less x 50)
                      (rec (* x x) (if (less n 3) (+ n (sin (* x (sqrt (+ x n))))) n))
                      n))
                   (.x (frag-coord)) 0)";
    let many = text(shader);
    for what in [" mask", "= any ", "= select ", "varying"] {
        assert!(many.contains(what), "{what}: {many}");
        let one = text_for(shader, Width::One);
        assert!(!one.contains(what), "{what}: {one}");
    }
}

#[test]
fn components_that_stay_as_they_are_cost_nothing() {
    let count = |shader: &str, op: &str| text(shader).matches(&format!("= {op} ")).count();
    assert_eq!(count("(- (.xy (frag-coord)) (vec2 0 1))", "sub"), 1);
    assert_eq!(count("(* (.xy (frag-coord)) (vec2 1 3))", "mul"), 1);
    assert_eq!(count("(/ (.xy (frag-coord)) (vec2 1 3))", "div"), 1);
    // −0 + 0 is 0.
    assert_eq!(count("(+ (.xy (frag-coord)) (vec2 0 1))", "add"), 2);
    // 0 times infinity is NaN.
    assert_eq!(count("(* (.xy (frag-coord)) (vec2 0 3))", "mul"), 2);
}

#[test]
fn divisions_by_constants_are_products() {
    let has_division = |shader: &str| text(shader).contains("= div ");
    for inverse_is_exact in ["4", "-0.125", "4294967296", "8.507059e37"] {
        assert!(!has_division(&format!("(/ (.x (frag-coord)) {inverse_is_exact})")));
    }
    // The inverse of 2^127 is subnormal.
    for inverse_is_not in ["3", "1.7014118e38", "1e-45", "(time)"] {
        assert!(has_division(&format!("(/ (.x (frag-coord)) {inverse_is_not})")));
    }
    let int = "(int (.x (frag-coord)))";
    assert!(!has_division(&format!("(num (+ (div {int} 7i) (rem {int} -3i)))")));
    assert!(has_division(&format!("(num (div 7i {int}))")));
}

#[test]
fn conversions_of_what_fits_look_for_nothing_else() {
    let fits = |shader: &str| text(shader).contains("= to-integer-in-range ");
    assert!(fits("(num (uint (.x (frag-coord))))"));
    assert!(fits("(num (uint (- (* (floor (.x (frag-coord))) 0.5) 0.5)))"));
    assert!(fits("(num (int (- (.x (frag-coord)) 10)))"));
    assert!(!fits("(num (uint (- (.x (frag-coord)) 10)))"));
    assert!(!fits("(num (int (* (.x (frag-coord)) 1e5)))"));
    assert!(!fits("(num (int (* (.x (frag-coord)) (time))))"));
}

#[test]
fn a_count_below_32_is_not_taken_modulo_32() {
    let masks = |count: &str| {
        let shader = format!("(let ((a (uint (.x (frag-coord))))) (num (shift-right a {count})))");
        text(&shader).matches("= and ").count()
    };
    // As in O'Neill's PCG.
    assert_eq!(masks("(+ (shift-right a 28u) 4u)"), 0);
    assert_eq!(masks("(shift-right a 27u)"), 0);
    assert_eq!(masks("33u"), 0);
    assert_eq!(masks("(shift-right a 26u)"), 1);
    assert_eq!(masks("(+ (shift-right a 28u) 17u)"), 1);
}

#[test]
fn equal_components_are_one() {
    // Three distances from points in a row have the same difference in y.
    let text = text(
        "(let ((p (.xy (frag-coord))))
           (vec3 (distance p (vec2 1 9)) (distance p (vec2 2 9)) (distance p (vec2 3 9))))",
    );
    assert_eq!(text.matches("= sub ").count(), 4, "{text}");
    assert_eq!(text.matches("= mul ").count(), 4, "{text}");
}

#[test]
fn what_one_arm_needs_is_computed_there() {
    // The counter's test is uniform; the values of the other test are computed after it.
    let text = text(
        "((rec-func (x n) (if (and (less n 9) (less (* x x) 50)) (rec (+ x 1) (+ n 1)) n))
          (.x (frag-coord)) 0)",
    );
    let body = text.split_once("loop #0").expect("a loop").1;
    let (before, after) = body.split_once(" if ").expect("a decision");
    assert!(before.contains("= less ") && !before.contains("= mul "), "{text}");
    assert!(after.contains("= mul "), "{text}");
}

#[test]
fn gallery() {
    let mut count = 0;
    let size = Size::new(31, 17).expect("a small size");
    for shader in pictures::gallery() {
        let (name, core) = (&shader.name, shader.core());
        for output in &core.outputs {
            count += 1;
            let program = schedule(core, &[output.location]).expect("it nests little");
            let inputs = Inputs { time: 1.5, ..shader.settings(size).inputs };
            let baked: Vec<Extents> = inputs.resources.iter().map(Extents::of).collect();
            for (width, hoist, extents) in [
                (Width::Any, false, &[][..]),
                (Width::Any, true, &[]),
                (Width::Any, true, &baked),
                (Width::One, false, &[]),
                (Width::One, true, &[]),
                (Width::One, false, &baked),
            ] {
                let lanes = lower(&program, &Options { hoist, extents, ..Options::new(width) });
                let given = words(&lanes, &inputs);
                for seed in 0..6_u32 {
                    let count = if width == Width::One { 1 } else { 1 + 3 * seed };
                    let pixels: Vec<(u32, u32)> = (0..count)
                        .map(|k| ((seed * 5 + k * 7) % 31, (seed * 3 + k) % 17))
                        .collect();
                    let mask: Vec<bool> = (0..count).map(|k| k % 5 != 3).collect();
                    let group = Group {
                        inputs: &given,
                        primitive: &[],
                        resources: &inputs.resources,
                        pixels: &pixels,
                        mask: &mask,
                        max_iterations: limits::ITERATIONS,
                    };
                    let found = interpret(&lanes, &group).expect("it ends");
                    let mut evaluator = Evaluator::new(&program, limits::ITERATIONS);
                    for ((&(x, y), found), _) in
                        pixels.iter().zip(found).zip(&mask).filter(|(_, active)| **active)
                    {
                        let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
                        let inputs = Inputs { frag_coord, ..inputs.clone() };
                        evaluator.run(&inputs, &|| false).expect("it ends");
                        let words = evaluator.output(0);
                        let found: Vec<u32> = found.iter().map(|c| c.to_bits()).collect();
                        assert_eq!(found[..words.len()], *words, "{name} at {x}, {y}");
                    }
                }
            }
        }
    }
    assert!(count >= 8, "{count} outputs");
}
