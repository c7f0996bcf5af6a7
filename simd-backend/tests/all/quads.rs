//! Derivatives shared by lanes: reads of copies in other lanes happen only where these lanes are
//! right.

use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{
    LaneExpr, LaneProgram, LaneStatement, Options, Width, lower, verify,
};

use crate::scheduled;

/// A loop of three rounds in all pixels.
const SAME_ROUNDS: &str = "(define e ((rec-func (i s) (if (< i 3) (rec (+ i 1) (+ (* s s) (.x (frag-coord)))) s)) 0 (* 0.1 (.y (frag-coord)))))";

/// A loop whose number of rounds depends on the pixel's column.
const OTHER_ROUNDS: &str = "(define e ((rec-func (i s) (if (< i (.x (frag-coord))) (rec (+ i 1) (+ s (.y (frag-coord)))) s)) 0 1))";

fn lowered(text: &str, width: Width) -> LaneProgram {
    let program = lower(&scheduled(text), &Options::new(width));
    assert_eq!(verify(&program), Ok(()), "{program}");
    program
}

/// The number of loops, and of values read in other lanes.
fn counts(program: &LaneProgram) -> (usize, usize) {
    let statements = || program.blocks.iter().flat_map(|block| &block.statements);
    let is_read = |s: &&LaneStatement| {
        matches!(s, LaneStatement::Let { expr: LaneExpr::Neighbour { .. }, .. })
    };
    let is_loop = |s: &&LaneStatement| matches!(s, LaneStatement::Loop { .. });
    (statements().filter(is_loop).count(), statements().filter(is_read).count())
}

#[test]
fn a_loop_that_is_there_is_not_repeated() {
    let text = format!("{SAME_ROUNDS} (vec3 e (dfdx e) (dfdy e))");
    assert_eq!(counts(&lowered(&text, Width::Quads)), (1, 4));
    assert_eq!(counts(&lowered(&text, Width::Pairs)), (3, 2));
    assert_eq!(counts(&lowered(&text, Width::Any)), (5, 0));
    assert_eq!(counts(&lowered(&text, Width::One)), (5, 0));
}

#[test]
fn derivatives_of_derivatives_are_read_in_turn() {
    let text = format!("{SAME_ROUNDS} (vec3 e (dfdx e) (dfdy (dfdx e)))");
    assert_eq!(counts(&lowered(&text, Width::Quads)).0, 1);
}

#[test]
fn what_masks_have_a_say_in_is_not_read() {
    // Loops that lanes leave in different rounds, and a loop in an arm that only some lanes take.
    let text = format!("{OTHER_ROUNDS} (vec2 e (dfdx e))");
    assert_eq!(counts(&lowered(&text, Width::Quads)), (3, 0));
    let text = format!(
        "{SAME_ROUNDS} (define arm (if (< (.x (frag-coord)) 5) e 1)) (vec2 arm (dfdx arm))"
    );
    assert_eq!(counts(&lowered(&text, Width::Quads)).1, 0);
    // Within the arm lanes may read one another.
    let text = format!("{SAME_ROUNDS} (if (< (.x (frag-coord)) 5) (vec2 e (dfdx e)) (vec2 1))");
    assert_eq!(counts(&lowered(&text, Width::Quads)), (1, 2));
}

/// Quads with some inactive lanes, as at an image's edges; lanes are in a shuffled order.
#[test]
fn inactive_lanes_may_be_read() {
    let wave =
        "(define e (+ (sin (* (.x (frag-coord)) (.y (frag-coord)))) (exp (.x (frag-coord)))))";
    for (define, least) in [(SAME_ROUNDS, 4), (OTHER_ROUNDS, 0), (wave, 4)] {
        let text = format!("{define} (vec4 e (dfdx e) (dfdy e) (fwidth (fract e)))");
        let schedule = scheduled(&text);
        let lanes = lowered(&text, Width::Quads);
        assert!(counts(&lanes).1 >= least, "{lanes}");
        for seed in 0..9_u32 {
            let corner = (seed * 2, seed / 3 * 2);
            let pixels: Vec<(u32, u32)> =
                (0..16).map(|k| k * 7 % 16).map(|k| (corner.0 + k % 4, corner.1 + k / 4)).collect();
            let mask: Vec<bool> = (0..16).map(|k| seed == 0 || k % (seed + 1) == 1).collect();
            let inputs = Inputs { resolution: [21.0, 9.0], ..Inputs::default() };
            let given = words(&lanes, &inputs);
            let max_iterations = limits::ITERATIONS;
            let (inputs_of, resources) = (&given, &inputs.resources);
            let group = Group {
                inputs: inputs_of,
                primitive: &[],
                resources,
                pixels: &pixels,
                mask: &mask,
                max_iterations,
            };
            let found = interpret(&lanes, &group).expect("it ends");
            let mut evaluator = Evaluator::new(&schedule, limits::ITERATIONS);
            for ((&(x, y), found), _) in
                pixels.iter().zip(found).zip(&mask).filter(|(_, active)| **active)
            {
                evaluator.run(&inputs.at(x, y), &|| false).expect("it ends");
                let found = found.map(f32::to_bits);
                assert_eq!(found, *evaluator.output(0), "{text}: {x}, {y}");
            }
        }
    }
}
