//! Programs with difficult masks, after the tests of ISPC and Sierra. Each runs in the core evaluator, the
//! interpreter of lane programs and machine code, at all numbers of lanes, and at sizes that leave inactive
//! lanes.

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::schedule::schedule;
use lambdav_engine::Settings;
use lambdav_engine::engines::{BoundKernel, CoreEngine, SimdEngine};
use lambdav_engine::program::Loaded;
use lambdav_image::Size;
use lambdav_matrix::configurations::pool;
use lambdav_raster::{RenderError, RenderOptions, render};
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{Options, Width, lower};
use lambdav_simd_backend::registers::Shape;

/// The bits of all samples, or the fault of the first failing pixel.
type DrawOutcome = Result<Vec<u32>, Box<Diagnostic>>;

/// Widths from 1 to 7 leave all remainders of 4 and 8 lanes; larger ones cross tiles of 32 pixels.
const SIZES: [(u32, u32); 10] =
    [(1, 1), (2, 3), (3, 2), (4, 4), (5, 1), (6, 5), (7, 7), (9, 6), (33, 5), (67, 35)];

fn draw(engine: &impl BoundKernel, size: Size, threads: usize) -> DrawOutcome {
    match pool(threads).install(|| render(engine, size, &RenderOptions::default())) {
        Ok(frame) => Ok(frame.samples().iter().map(|s| s.to_bits()).collect()),
        Err(RenderError::Fault(fault)) => Err(Box::new(engine.explain(&fault))),
        Err(error) => panic!("{error}"),
    }
}

/// A whole small image as one group of active lanes, which must equal the image as groups of one lane.
fn interpreted(core: &Core, settings: &Settings, size: Size) -> Vec<u32> {
    let program = schedule(core, &[0]).expect("it nests little");
    let pixels: Vec<(u32, u32)> =
        (0..size.height()).flat_map(|y| (0..size.width()).map(move |x| (x, y))).collect();
    let in_groups = |width, count| -> Vec<u32> {
        let lanes = lower(&program, &Options::new(width));
        let inputs = words(&lanes, &settings.inputs);
        let groups = pixels.chunks(count).flat_map(|pixels| {
            let group = Group {
                inputs: &inputs,
                primitive: &[],
                resources: &settings.inputs.resources,
                pixels,
                mask: &vec![true; pixels.len()],
                max_iterations: settings.max_iterations,
            };
            interpret(&lanes, &group).expect("it ends")
        });
        groups.flatten().map(f32::to_bits).collect()
    };
    let together = in_groups(Width::Any, pixels.len());
    assert_eq!(together, in_groups(Width::One, 1), "pixel by pixel, {size}");
    together
}

/// Demands that all engines give the same image, or the same fault, at each size.
fn outcome(text: &str, max_iterations: u64) -> Vec<DrawOutcome> {
    let loaded = Loaded::from_text("masks.lv", text);
    assert!(loaded.diagnostics.iter().all(|d| !d.is_error()), "{:?}", loaded.diagnostics);
    let core = loaded.core.expect("no errors");
    let mut outcomes = Vec::new();
    for (width, height) in SIZES {
        let size = Size::new(width, height).expect("a small size");
        let mut settings = Settings::new(&core, size);
        settings.max_iterations = max_iterations;
        let engine = CoreEngine::new(&core, 0, &settings).expect("it schedules");
        let expected = draw(&engine, size, 1);
        if let Ok(expected) = &expected {
            assert_eq!(*expected, interpreted(&core, &settings, size), "interpreted, {size}");
        }
        for lanes in Shape::LANES {
            let engine = SimdEngine::new(&core, 0, &settings, Some(lanes)).expect("it compiles");
            for threads in [1, 2, 7] {
                let found = draw(&engine, size, threads);
                assert_eq!(expected, found, "{size}, {lanes} lanes, {threads} threads");
            }
        }
        outcomes.push(expected);
    }
    outcomes
}

fn agree(text: &str) {
    // A low limit, so that a lane that stays in a loop is noticed.
    for outcome in outcome(text, 2000) {
        assert!(outcome.is_ok(), "no loop of a pixel exceeds the limit");
    }
}

#[test]
fn trip_count_differs_per_lane() {
    agree(
        "(let ((sum (rec-func (i s) (if (less i (.x (frag-coord))) (rec (+ i 1) (+ s (* i 0.37))) s))))
           (vec2 (sum 0 1) (sum (.y (frag-coord)) 0)))",
    );
}

#[test]
fn some_lanes_skip_the_loop() {
    agree(
        "((rec-func (i s) (if (less i (- (mod (.x (frag-coord)) 4) 2)) (rec (+ i 0.25) (* s 1.5)) s))
          0 (.y (frag-coord)))",
    );
}

#[test]
fn all_lanes_skip_the_loop() {
    agree(
        "((rec-func (i s) (if (less i (- (.x (frag-coord)))) (rec (+ i 1) (+ s i)) (+ s 0.5))) 0 3)",
    );
}

#[test]
fn all_lanes_leave_at_once_from_different_starts() {
    agree(
        "(let ((start (* 3 (.x (frag-coord)))))
           ((rec-func (i n) (if (less i (+ start 5)) (rec (+ i 1) (+ n i)) n)) start 0))",
    );
}

#[test]
fn exit_at_both_levels_of_a_nest() {
    agree(
        "(let* ((p (.xy (frag-coord)))
                (inner (rec-func (i s) (if (less i (.y p)) (if (less 40 s) s (rec (+ i 1) (+ s i))) s))))
           ((rec-func (k t) (if (less k (.x p))
                              (let ((u (inner k t))) (if (less 30 u) u (rec (+ k 1) (+ u 0.25))))
                              t))
            0 0))",
    );
}

#[test]
fn work_after_the_inner_loop() {
    agree(
        "(let ((p (.xy (frag-coord))))
           ((rec-func (k t)
              (if (less k (mod (.x p) 5))
                (let* ((u ((rec-func (i s) (if (less i (mod (+ k (.y p)) 3)) (rec (+ i 1) (+ s i)) s)) 0 t))
                       (v (+ (* u 1.125) k)))
                  (rec (+ k 1) (if (less 9 v) (- v 9) v)))
                t))
            0 1))",
    );
}

#[test]
fn bound_uniform_on_one_side_and_varying_on_the_other() {
    agree(
        "((rec-func (i s) (if (less i 10) (if (less s (.x (frag-coord))) (rec (+ i 1) (+ s 1.5)) (+ s i)) s))
          0 0)",
    );
}

#[test]
fn uniform_loop_with_a_varying_exit() {
    agree(
        "((rec-func (i s) (if (less (.x (frag-coord)) (* i i)) (vec2 i s)
                            (if (less i 7) (rec (+ i 1) (+ s (.y (frag-coord)))) (vec2 s i))))
          0 0)",
    );
}

#[test]
fn a_dead_lane_keeps_no_inner_loop_alive() {
    // The inner loop is endless for pixels with x >= 2, which have left the outer loop.
    agree(
        "(let* ((x (.x (frag-coord)))
                (inner (rec-func (i) (if (less x 2) (if (less i 3) (rec (+ i 1)) i) (rec i)))))
           ((rec-func (k t) (if (less k (if (less x 2) 4 0)) (rec (+ k 1) (+ t (inner k))) t)) 0 x))",
    );
}

#[test]
fn loop_in_one_arm_of_a_divergent_if() {
    agree(
        "(let ((x (.x (frag-coord))))
           (if (less (mod x 3) 1)
             ((rec-func (i s) (if (less i x) (rec (+ i 2) (+ s 0.5)) s)) 0 0)
             (- x)))",
    );
}

#[test]
fn uniform_loop_in_one_arm_of_a_divergent_if() {
    agree(
        "(if (less (mod (.x (frag-coord)) 3) 1)
           ((rec-func (i s) (if (less i (.x (resolution))) (rec (+ i 2) (+ s i)) s)) 0 0)
           (.y (frag-coord)))",
    );
}

#[test]
fn ifs_all_true_all_false_and_one_lane() {
    for bound in ["1e9", "-1", "1"] {
        agree(&format!(
            "(let ((x (.x (frag-coord))))
               (if (less x {bound})
                 (vec3 (sqrt (/ 1 x)) (sqrt (+ x 1)) (sqrt (+ (sqrt (* x 3)) (sqrt (sqrt x)))))
                 (vec3 (/ x 7) (sqrt (/ x 3)) (sqrt (/ (sqrt x) (sqrt (/ 5 x)))))))"
        ));
    }
}

#[test]
fn ifs_three_deep() {
    agree(
        "(let* ((x (.x (frag-coord))) (y (.y (frag-coord)))
                (f (func (a) (sqrt (/ (sqrt (/ a 3)) (sqrt (/ 7 (+ a y))))))))
           (if (less (mod x 2) 1)
             (if (less (mod y 2) 1) (if (less x y) (f x) (f (+ x 1))) (f (* 2 x)))
             (if (less y x) (f (+ y 2)) (if (less (mod x 4) 2) (f 5) (f (f x))))))",
    );
}

#[test]
fn both_arms_end_in_rec() {
    agree(
        "(let ((x (.x (frag-coord))))
           ((rec-func (i a b)
              (if (less i (+ 3 (mod x 4)))
                (if (less (mod (+ i x) 3) 1) (rec (+ i 1) b (+ a i)) (rec (+ i 1.5) (+ a x) b))
                (vec2 a b)))
            0 1 2))",
    );
}

#[test]
fn one_arm_ends_in_rec() {
    agree(
        "(let ((x (.x (frag-coord))))
           ((rec-func (i a)
              (if (less 20 (+ a x)) (+ a 100)
                (if (less i 9) (if (less a i) (+ a 50) (rec (+ i 1) (+ (* a 1.5) (/ x 8)))) (- a))))
            0 2))",
    );
}

#[test]
fn parameters_are_swapped_at_once() {
    agree(
        "((rec-func (i a b c) (if (less i (mod (.x (frag-coord)) 7)) (rec (+ i 1) b c a) (vec3 a b c)))
          0 1 (.y (frag-coord)) 3)",
    );
}

#[test]
fn undefined_values_in_the_arm_that_is_not_taken() {
    agree(
        "(let ((x (- (.x (frag-coord)) 2.5)))
           (vec3 (if (= x 0) 7 (/ 1 x))
                 (if (less x 0) (sqrt (- x)) (sqrt x))
                 (if (less x 0) x ((rec-func (i) (if (less x 0) (rec i) (if (less i x) (rec (+ i 1)) i))) 0))))",
    );
}

#[test]
fn endless_loop_in_the_arm_that_no_pixel_takes() {
    agree("(if (less (.x (frag-coord)) 0) ((rec-func (i) (if (less i 1) (rec i) i)) 0) 0.5)");
}

#[test]
fn lanes_outside_the_image_do_not_run() {
    // The loop is endless for pixels to the right of the image and below it.
    agree(
        "(let ((p (.xy (frag-coord))) (r (resolution)))
           ((rec-func (i) (if (and (less (.x p) (.x r)) (less (.y p) (.y r)))
                            (if (less i (.x p)) (rec (+ i 1)) i)
                            (rec i)))
            0))",
    );
}

#[test]
fn a_value_lives_across_a_divergent_region() {
    agree(
        "(let* ((x (.x (frag-coord))) (v (* x 0.75))
                (w (if (less (mod x 2) 1) ((rec-func (i v) (if (less i 4) (rec (+ i 1) (+ v v)) v)) 0 v) 3)))
           (vec2 v (+ v w)))",
    );
}

#[test]
fn results_of_lanes_that_left_earlier_stay() {
    agree(
        "((rec-func (i a) (if (less i (mod (* 7 (.x (frag-coord))) 5)) (rec (+ i 1) (vec3 i a.x 1)) a))
          0 (vec3 9))"
            .replace("a.x", "(.x a)")
            .as_str(),
    );
}

#[test]
fn values_that_differ_by_column_or_row_alone() {
    agree(
        "(let* ((x (.x (frag-coord))) (y (.y (frag-coord)))
                (columns ((rec-func (i s) (if (less i x) (rec (+ i 1) (+ s (sqrt i))) s)) 0 0))
                (rows (if (less (mod y 3) 1) (sqrt (/ (sqrt y) (sqrt (sqrt (/ y 3))))) (- y))))
           (vec4 columns rows (+ columns rows) (if (less x y) columns rows)))",
    );
}

#[test]
fn elementary_functions_under_a_mask() {
    agree(
        "(let ((x (.x (frag-coord))))
           (vec3 (if (less x 3) (sin x) (cos (* x 1e9)))
                 (if (less (.y (frag-coord)) 2) (log x) (pow x 1.5))
                 (atan2 x (.y (frag-coord)))))",
    );
}

#[test]
fn derivatives_that_lanes_share() {
    agree(
        "(define p (.xy (frag-coord)))
         (define e ((rec-func (i s) (if (less i 4) (rec (+ i 1) (+ (sin (* s (.x p))) (* 0.1 (.y p)))) s)) 0 1))
         (vec4 e (dfdx e) (dfdy e) (dfdy (dfdx (* e e))))",
    );
    // Neighbours do not share these, since lanes leave in different rounds.
    agree(
        "(define p (.xy (frag-coord)))
         (define e ((rec-func (i s) (if (less i (.x p)) (rec (+ i 1) (+ s (.y p))) s)) 0 1))
         (vec3 e (dfdx e) (if (less (.y p) 2) (dfdy (* e e)) 7))",
    );
}

#[test]
fn faults_beside_derivatives_that_lanes_share() {
    // The failing pixel depends on the neighbours' values.
    let faults = outcome(
        "(define p (.xy (frag-coord)))
         (define e ((rec-func (i s) (if (less i 4) (rec (+ i 1) (+ (* s s) (* (.x p) (.y p)))) s)) 0 0))
         (if (less 40 (+ (abs (dfdx e)) (abs (dfdy e)))) ((rec-func (i) (if (less i 0) i (rec (+ i 1)))) e) 1)",
        100,
    );
    assert!(faults.iter().filter(|f| f.is_err()).count() >= 5, "most sizes have such a pixel");
}

#[test]
fn the_first_fault_in_scan_order() {
    let faults = outcome(
        "(let ((p (.xy (frag-coord))))
           ((rec-func (i) (if (less (mod (+ (* 3 (.x p)) (* 5 (.y p))) 11) 9) (.x p)
                            (if (less i 0) i (rec (+ i 1)))))
            0))",
        100,
    );
    assert!(faults.iter().filter(|f| f.is_err()).count() >= 5, "most sizes have such a pixel");
}

#[test]
fn the_first_loop_that_a_pixel_meets() {
    let faults = outcome(
        "(let* ((x (.x (frag-coord)))
                (a ((rec-func (i) (if (less x 3) x (rec (+ i 1)))) 0))
                (b ((rec-func (i) (if (less (.x (resolution)) 2) 1 (rec (+ i 1)))) 0)))
           (vec2 a b))",
        100,
    );
    assert!(faults[0].is_ok() && faults[1..].iter().all(Result::is_err));
}

#[test]
fn limits_are_exact() {
    // 7 rounds after the first.
    let text = "((rec-func (i) (if (less i (+ 6 (* 0 (.x (frag-coord))))) (rec (+ i 1)) i)) -1)";
    assert!(outcome(text, 7).iter().all(Result::is_ok));
    assert!(outcome(text, 6).iter().all(Result::is_err));
    assert!(outcome(text, 0).iter().all(Result::is_err));
}
