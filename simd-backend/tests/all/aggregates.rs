//! Structures, variants and arrays in lane programs: unused components vanish, and arrays are
//! stored where an index reads them cheaply.

use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::lanes::{InputWord, Options, Width, lower};

use crate::scheduled;

fn text(shader: &str) -> String {
    lower(&scheduled(shader), &Options::new(Width::Any)).to_string()
}

#[test]
fn fields_that_nobody_reads_are_not_computed() {
    let text = text(
        "(struct S a b)
         (.a (S (* 2.5 (.x (frag-coord))) (sqrt (.y (frag-coord)))))",
    );
    assert!(text.contains("= mul ") && !text.contains("= sqrt "), "{text}");
}

/// A loop passes and yields only the components that are used.
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

/// So does a divergent `if`; unused slots of variants vanish, too.
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
    let lanes = lower(&scheduled(shader), &Options::new(Width::Any));
    let is_constant = |word: &InputWord| matches!(word, InputWord::Constant(_));
    assert_eq!(lanes.inputs.iter().filter(is_constant).count(), 100, "{lanes}");
    let text = lanes.to_string();
    assert_eq!(text.matches("= load ").count(), 1, "{text}");
    assert!(!text.contains("select"), "{text}");
}

#[test]
fn the_same_constant_is_one_table() {
    let shader = "(define t (tabulate 30 (func (i) (* (num i) (num i)))))
                  (vec2 (at t (int (.x (frag-coord)))) (at t (int (.y (frag-coord)))))";
    let lanes = lower(&scheduled(shader), &Options::new(Width::Any));
    let is_constant = |word: &InputWord| matches!(word, InputWord::Constant(_));
    assert_eq!(lanes.inputs.iter().filter(is_constant).count(), 30, "{lanes}");
}

#[test]
fn a_uniform_is_read_where_it_is() {
    let text = text(
        "(struct Light (colour vec3) (weight num))
         (uniform lights (array 50 Light))
         (.colour (at lights (int (.x (frag-coord)))))",
    );
    // Loads three words of the uniform only.
    assert_eq!(text.matches("= load ").count(), 3, "{text}");
    assert_eq!(text.matches("= min-unsigned ").count(), 1, "{text}");
}

/// An index chooses among many parts by its bits, among few by comparisons.
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
    let many = text(11);
    assert_eq!((count(&many, "select"), count(&many, "and")), (10, 4), "{many}");
}

/// The memory for a shader's arrays, in words per lane, and its lane program.
fn memory(shader: &str) -> (u32, String) {
    let compiler = Compiler::new(Target::host().expect("a machine that is not too old"));
    let lanes = compiler.lane_program(&scheduled(shader));
    let shape = compiler.choice(&lanes).shape;
    (compiler.unspilled(&lanes, shape).array_words, lanes.to_string())
}

/// 40 numbers that vary by pixel, and a varying index.
const LARGE: &str = "(define a (tabulate 40 (func (k) (* (num k) (.y (frag-coord))))))
    (define i (int (.x (frag-coord))))";

/// An array that is updated in loops and arms stays in one place and is never merged, even if lanes
/// leave a loop in different rounds and the last round updates it.
#[test]
fn updates_are_made_in_place() {
    let (words, text) = memory(&format!(
        "{LARGE}
         (define b
           ((rec-func (a k)
              (if (< (at a k) 50)
                (rec (if (< (at a i) 20) (update a k 7) (update (update a 3i 1) i 2)) (+ k 1i))
                (update a 0i (num k))))
            a i))
         (at b (- 39i i))"
    ));
    assert_eq!((words, text.matches("merge").count()), (40, 0), "{text}");
}

/// An array with later uses is copied. A merged array takes the place of one of the two.
#[test]
fn arrays_that_are_needed_are_copied() {
    let (words, text) =
        memory(&format!("{LARGE} (vec2 (at (update a i 7) (* 2i i)) (at a (- 39i i)))"));
    assert_eq!((words, text.matches("merge").count()), (80, 0), "{text}");
    let (words, text) = memory(&format!(
        "{LARGE}
         (define b (tabulate 40 (func (k) (- (num k) (.x (frag-coord))))))
         (at (if (< (.x (frag-coord)) 9) a b) i)"
    ));
    assert_eq!((words, text.matches("merge").count()), (80, 1), "{text}");
}

/// Two arrays that are exchanged in each round need memory beside them.
#[test]
fn arrays_are_exchanged() {
    let (words, _) = memory(&format!(
        "{LARGE}
         (define b (tabulate 40 (func (k) (- (num k) (.x (frag-coord))))))
         ((rec-func (a b k) (if (< k 5i) (rec b (update a i 3) (+ k 1i)) (- (at a i) (at b k))))
          a b 0i)"
    ));
    assert_eq!(words, 120);
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
    assert!(compile(2000).is_ok());
    let error = compile(16_385).expect_err("it is too large").to_string();
    assert!(error.contains("16385") && error.contains("16384"), "{error}");
}
