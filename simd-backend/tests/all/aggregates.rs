//! Structures, variants and arrays in lane programs: what is not needed is not there, and what an
//! index chooses from lies where it is cheap.

use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::lanes::{InputWord, Width, lower};

use crate::scheduled;

fn text(shader: &str) -> String {
    lower(&scheduled(shader), 0, true, Width::Any).to_string()
}

#[test]
fn fields_that_nobody_reads_are_not_computed() {
    let text = text(
        "(struct S a b)
         (.a (S (* 2.5 (.x (frag-coord))) (sqrt (.y (frag-coord)))))",
    );
    assert!(text.contains("= mul ") && !text.contains("= sqrt "), "{text}");
}

/// Of what a loop carries and gives, only the components that something needs.
#[test]
fn components_of_loops_that_nobody_needs_vanish() {
    let text = text(
        "(struct S a b c)
         (.c ((rec-func (i s)
                (if (less i 9)
                  (rec (+ i 1) (S (sqrt (.a s)) (floor (.b s)) (+ (.c s) (.x (frag-coord)))))
                  s))
              0 (S 1 2 3)))",
    );
    assert!(!text.contains("= sqrt ") && !text.contains("= floor "), "{text}");
    let head = text.lines().find(|line| line.contains("loop #0")).expect("a loop");
    let params = head.split("loop #0 (").nth(1).and_then(|rest| rest.split(')').next());
    assert_eq!(params.map(|params| params.split(", ").count()), Some(2), "{text}");
}

/// The same of an `if` that lanes decide differently, and of slots that cases leave empty.
#[test]
fn components_of_arms_that_nobody_needs_vanish() {
    let text = text(
        "(variant V (A (x num) (y num)) (B (x num)))
         (case (if (less (.x (frag-coord)) 5) (A (sqrt (time)) (.y (frag-coord))) (B 7))
           ((A x y) y)
           ((B x) 3))",
    );
    assert!(!text.contains("= sqrt "), "{text}");
}

#[test]
fn a_large_constant_is_a_table() {
    let shader = "(at (tabulate 100 (func (i) (* (num i) (num i)))) (int (.x (frag-coord))))";
    let lanes = lower(&scheduled(shader), 0, true, Width::Any);
    let is_constant = |word: &&InputWord| matches!(word, InputWord::Constant(_));
    assert_eq!(lanes.inputs.iter().filter(is_constant).count(), 100, "{lanes}");
    let text = lanes.to_string();
    assert_eq!(text.matches("= load ").count(), 1, "{text}");
    assert!(!text.contains("select"), "{text}");
}

#[test]
fn the_same_constant_is_one_table() {
    let shader = "(define t (tabulate 30 (func (i) (* (num i) (num i)))))
                  (vec2 (at t (int (.x (frag-coord)))) (at t (int (.y (frag-coord)))))";
    let lanes = lower(&scheduled(shader), 0, true, Width::Any);
    let is_constant = |word: &&InputWord| matches!(word, InputWord::Constant(_));
    assert_eq!(lanes.inputs.iter().filter(is_constant).count(), 30, "{lanes}");
}

#[test]
fn a_uniform_is_read_where_it_is() {
    let text = text(
        "(struct Light (colour vec3) (weight num))
         (uniform lights (array 50 Light))
         (.colour (at lights (int (.x (frag-coord)))))",
    );
    // Three words, and nothing of the rest.
    assert_eq!(text.matches("= load ").count(), 3, "{text}");
    assert_eq!(text.matches("= min-unsigned ").count(), 1, "{text}");
}

/// Many parts are chosen from by the bits of the index, few by comparing it.
#[test]
fn computed_arrays_are_chosen_from_by_selects() {
    let text = |count: u32| {
        text(&format!(
            "(at (tabulate {count} (func (i) (* (num i) (.y (frag-coord))))) (int (.x (frag-coord))))"
        ))
    };
    let count = |text: &str, op: &str| text.matches(&format!("= {op} ")).count();
    let few = text(4);
    assert_eq!((count(&few, "select"), count(&few, "less-equal")), (3, 3), "{few}");
    let many = text(20);
    assert_eq!((count(&many, "select"), count(&many, "and")), (19, 5), "{many}");
}

#[test]
fn an_array_that_is_too_large_is_not_compiled() {
    let target = Target::host().expect("a machine that is not too old");
    let compile = |count: u32| {
        let shader = format!(
            "(at (tabulate {count} (func (i) (* (num i) (.y (frag-coord))))) (int (.x (frag-coord))))"
        );
        Compiler::new(target.clone()).compile(&scheduled(&shader)).map(drop)
    };
    assert!(compile(1000).is_ok());
    let error = compile(1025).expect_err("it is too large").to_string();
    assert!(error.contains("1025") && error.contains("1024"), "{error}");
}
