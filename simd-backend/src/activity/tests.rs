use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;

use super::*;
use crate::lanes::{Options, Width, lower};
use crate::machine::Tile;

/// With 16 lanes, 4x4 pixels a group, and all inputs zero.
fn activity(shader: &str, size: [u32; 2], patience: Duration) -> Activity {
    activity_of(16, shader, size, patience)
}

fn activity_of(
    lanes: u32,
    shader: &str,
    [width, height]: [u32; 2],
    patience: Duration,
) -> Activity {
    let (core, diagnostics) = compile(&SourceFile::new("test.lv", shader));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = schedule(&core.expect("no errors"), &[0]).expect("it nests little");
    let program = lower(&program, &Options::new(Width::Any));
    let inputs = Inputs::of_words(vec![0; program.inputs.len()], 1000);
    let shape = Shape::new(lanes, Tile::FOUR).expect("a shape");
    sample(&program, shape, &inputs, &[], Size::new(width, height).expect("a size"), patience)
}

fn share(shader: &str) -> f64 {
    let Activity { share, groups, planned } = activity(shader, [64, 64], Duration::MAX);
    assert_eq!((groups, planned), (64, 64));
    share.expect("something is computed in lanes")
}

/// A condition that holds in so many of the four columns of each group.
fn columns(number: u32) -> String {
    format!("(less (mod (.x (frag-coord)) 4) {number})")
}

const FUNCTION: &str = "(sin (* (.x (frag-coord)) (.y (frag-coord))))";

#[test]
fn what_all_lanes_do() {
    for shader in [
        FUNCTION,
        "((rec-func (i s) (if (less i 5) (rec (+ i 1) (+ s (.x (frag-coord)))) s)) 0 0)",
        &format!("(if (less (time) 1) {FUNCTION} (time))"),
        // Cheap enough to compute for all lanes without a test.
        &format!("(if {} (* 3 (.y (frag-coord))) 1)", columns(2)),
        // No lane needs the function.
        &format!("(if {} {FUNCTION} (.y (frag-coord)))", columns(0)),
    ] {
        assert_eq!(share(shader), 1.0, "{shader}");
    }
}

#[test]
fn what_some_lanes_do() {
    // The functions cost 40, the code around them at most 16.
    for number in 1..4 {
        let expected = f64::from(number) / 4.0;
        let found = share(&format!("(if {} {FUNCTION} 0)", columns(number)));
        assert!(
            (expected..expected + 0.3 * (1.0 - expected)).contains(&found),
            "{number}: {found}"
        );
    }
    let other = FUNCTION.replace("sin", "exp");
    let found = share(&format!("(if {} {FUNCTION} {other})", columns(1)));
    assert!((0.5..0.6).contains(&found), "{found}");
    // An arm of an arm.
    let inner = format!("(+ {FUNCTION} (if {} {other} 0))", columns(1));
    let found = share(&format!("(if {} {inner} 0)", columns(2)));
    assert!((0.375..0.5).contains(&found), "{found}");
    // A uniform condition changes nothing.
    let inner = format!("(if (less (time) 1) {FUNCTION} {other})");
    let found = share(&format!("(if {} {inner} 0)", columns(2)));
    assert!((0.5..0.65).contains(&found), "{found}");
}

#[test]
fn rounds_have_the_lanes_that_are_left() {
    let looped = |rounds: &str| {
        let next = "(sin (+ s (.y (frag-coord))))";
        format!("((rec-func (i s) (if (less i {rounds}) (rec (+ i 1) {next}) s)) 0 0)")
    };
    // No round for three columns, 100 for the last.
    let of_loop = share(&looped(&format!("(if {} 0 100)", columns(3))));
    assert!((0.25..0.27).contains(&of_loop), "{of_loop}");
    // A loop in an arm begins with the lanes of the arm.
    let in_arm = share(&format!("(if {} {} 0)", columns(2), looped("9")));
    assert!((0.5..0.52).contains(&in_arm), "{in_arm}");
}

#[test]
fn lanes_outside_of_the_image_are_not_active() {
    let found = activity(FUNCTION, [5, 5], Duration::MAX);
    assert_eq!(found, Activity { share: Some(25.0 / 64.0), groups: 4, planned: 4 });
}

#[test]
fn what_is_computed_without_lanes_does_not_count() {
    assert_eq!(activity("(sin (time))", [64, 64], Duration::MAX).share, None);
}

#[test]
fn one_lane_is_active() {
    let text = format!("(if {} {FUNCTION} 0)", columns(1));
    let found = activity_of(1, &text, [4, 4], Duration::MAX);
    assert_eq!(found, Activity { share: Some(1.0), groups: 16, planned: 16 });
}

#[test]
fn when_time_is_up_there_is_an_answer() {
    let found = activity(FUNCTION, [64, 64], Duration::ZERO);
    assert_eq!(found, Activity { share: Some(1.0), groups: 1, planned: 64 });
}

#[test]
fn places_are_spread_over_the_image() {
    for (columns, rows) in [(8, 8), (3, 20), (480, 270), (1, 1000), (1000, 1)] {
        let count = GROUPS.min(columns * rows);
        let mut places: Vec<_> = (0..count).map(|i| place(i, columns, rows)).collect();
        assert!(places.iter().all(|&(column, row)| column < columns && row < rows));
        let half = |&&(column, row): &&(u32, u32)| 2 * column < columns && 2 * row < rows;
        let quarter = places.iter().filter(half).count() as u32;
        let expected = columns.div_ceil(2) * rows.div_ceil(2) * count / (columns * rows);
        assert!(quarter.abs_diff(expected) <= 4, "{columns}x{rows}: {quarter}, not {expected}");
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len() as u32, count, "{columns}x{rows}: no group is looked at twice");
    }
}
