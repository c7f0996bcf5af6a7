//! Arrays in memory, on handwritten programs: updates in arms, and in loops that lanes leave in different
//! rounds; arrays that stay live after an update, that are swapped, that hold structures, truth values and
//! arrays, or that are parts of other values; and arrays that are uniform over the frame.

use crate::case;
use lambdav_core::source::SourceFile;
use lambdav_differential::{Engine, compare_all, engines};
use lambdav_frontend::compile;

/// The head of all programs.
const HEAD: &str = "(define x (.x (frag-coord))) (define y (.y (frag-coord))) (define i (int x))
    (define a (tabulate 20 (func (k) (* (num k) y))))
    (define b (tabulate 20 (func (k) (- (num k) x))))
    (define (sum a) ((rec-func (s k) (if (< k (size-of a)) (rec (+ (* 1.5 s) (at a k)) (+ k 1i)) s)) 0 0i))";

const PROGRAMS: [&str; 30] = [
    // The old array stays live, in an arm and after the `if`.
    "(define c (if (< (fract (* 0.3 x)) 0.5) (update a i 100) a)) (vec3 (sum c) (sum a) (at c (- 9i i)))",
    "(define c (if (< x 4) (update a i 100) (update (update a 3i 7) i (at a 2i)))) (vec2 (sum c) (at a i))",
    "(define c (if (< x 4) (if (< y 3) (update a i 1) a) (if (< y 5) (update a 5i 2) (update b i 3)))) (sum c)",
    // Uniform decisions.
    "(define c (if (< (time) 1) (update a i 100) (update b i 3))) (vec2 (sum c) (sum a))",
    "(define c ((rec-func (c k) (if (< k 5i) (rec (update c (+ i k) (num k)) (+ k 1i)) c)) a 0i)) (vec2 (sum c) (sum a))",
    // Lanes leave in different rounds, with the array unchanged, updated, or another.
    "(sum ((rec-func (c k) (if (< (num k) x) (rec (update c k (num k)) (+ k 1i)) c)) a 0i))",
    "(sum ((rec-func (c k) (if (< (num k) x) (rec (update c k -1) (+ k 1i)) (update c k 9))) a 0i))",
    "(sum ((rec-func (c k) (if (< (num k) x) (rec (update c k -1) (+ k 1i)) (if (< y 3) b (update b k 2)))) a 0i))",
    "(sum ((rec-func (c k) (let ((d (update c k 7))) (if (< (num k) x) (rec d (+ k 1i)) (if (< y 4) c d)))) a 0i))",
    "(sum ((rec-func (c k) (if (< (num k) x) (if (< (at c k) 3) (rec (update c k 5) (+ k 1i)) (rec c (+ k 2i))) (if (< y 3) (update c 0i 1) c))) a 0i))",
    // Nested loops; lanes leave both in different rounds.
    "(sum ((rec-func (c n) (if (< n i)
        (rec ((rec-func (d k) (if (and (> k 0i) (> (at d (- k 1i)) x)) (rec (update d k (at d (- k 1i))) (- k 1i)) (update d k x))) c n) (+ n 1i))
        c)) b 1i))",
    // Swapped arrays.
    "((rec-func (c d k) (if (< k 5i) (rec d (update c i 3) (+ k 1i)) (- (sum c) (sum d)))) a b 0i)",
    "((rec-func (c d k) (if (< (num k) x) (rec d (update c i 3) (+ k 1i)) (- (sum c) (sum d)))) a b 0i)",
    "((rec-func (c d k) (if (< (num k) y) (rec d c (+ k 1i)) (vec2 (sum c) (at d i)))) a b 0i)",
    // Arrays of structures, of truth values and of arrays.
    "(struct P (v vec3) (on bool) (n int))
     (define ps (tabulate 20 (func (k) (P (vec3 x y (num k)) (< (num k) x) k))))
     (define qs (update ps i (P (vec3 1 2 3) (> y 3) (- i))))
     (define q (at qs (- 7i i))) (vec4 (.xy (.v q)) (if (.on q) 1 0) (num (.n (at ps i))))",
    "(define m (tabulate 17 (func (r) (tabulate 16 (func (c) (+ (* x (num r)) (num c)))))))
     (define n (update m i (update (at m 3i) (+ i 1i) 50)))
     (vec3 (at (at n i) (+ i 1i)) (at (at m i) i) (sum (at n 5i)))",
    "(struct S (stack (array 20 num)) (top int) (other (array 20 num)))
     (define s ((rec-func (s) (if (< (.top s) i) (rec (with s (stack (update (.stack s) (.top s) x)) (top (+ 1i (.top s))))) s)) (S a 0i b)))
     (vec3 (sum (.stack s)) (num (.top s)) (sum (.other s)))",
    "(variant V (Full (of (array 20 num))) (Empty))
     (define v (if (< x 4) (Full (update a i 5)) Empty))
     (case v ((Full of) (+ (at of i) (sum (update of 2i y)))) ((Empty) 3))",
    // Constants and uniforms.
    "(define t (tabulate 30 (func (k) (* 0.5 (num k))))) (define u (update t i 7)) (vec2 (at u (* 2i i)) (at t i))",
    "(uniform us (array 18 int)) (define vs (update us i (int x))) (vec2 (num (at vs (- 8i i))) (num (at us i)))",
    // Uniform over the frame, read at varying indices: once, in arms, in loops.
    "(uniform u num 3) (define t (tabulate 20 (func (k) (sin (* u (num k)))))) (vec3 (at t i) (at t (int (- y 4))) (at t (* 3i i)))",
    "(uniform u num 3) (define t (tabulate 9 (func (k) (* u (num k))))) (vec2 (at t i) (if (< x 5) (at t (int y)) (at t 3i)))",
    "(uniform u num 3) (define t (tabulate 17 (func (k) (vec3 u (num k) (* u (num k)))))) (+ (at t i) (if (< y 4) (at t (- i 2i)) (vec3 0)))",
    "(uniform u int 3i) (define t (tabulate 33 (func (k) (* u k)))) (num ((rec-func (n k) (if (< (num k) x) (rec (at t (+ n k)) (+ k 1i)) n)) i 0i))",
    "(uniform u int 5i) (define t ((rec-func (t k) (if (< k u) (rec (tabulate 16 (func (n) (+ (at t (bit-and (+ n 1i) 15i)) (num k)))) (+ k 1i)) t)) (tabulate 16 (func (n) (num n))) 0i)) (vec2 (at t i) (sum t))",
    // Updated in a loop, with few words and with many; and an update that makes it varying.
    "(uniform u int 5i) (define t ((rec-func (t k) (if (< k 9i) (rec (update t (* u k) (num k)) (+ k 1i)) t)) (tabulate 24 (func (n) (num n))) 0i)) (vec2 (at t i) (at t u))",
    "(uniform u int 5i) (define t ((rec-func (t k) (if (< k 9i) (rec (update t (* u k) (num k)) (+ k 1i)) t)) (tabulate 80 (func (n) (num n))) 0i)) (vec2 (at t i) (at t u))",
    "(uniform u num 3) (define t (tabulate 20 (func (k) (* u (num k))))) (vec2 (sum (update t i 4)) (at t i))",
    // With truth values, in structures, and beside a varying value in one loop.
    "(struct S (on (array 16 bool)) (at (array 16 num)))
     (uniform u num 3) (define s (S (tabulate 16 (func (k) (< (num k) u))) (tabulate 16 (func (k) (* u (num k))))))
     (vec2 (at (.at s) i) (if (at (.on s) (int y)) 1 0))",
    "(uniform u num 3) ((rec-func (t v k) (if (< k 4i) (rec (tabulate 16 (func (n) (+ u (at t n)))) (+ v x) (+ k 1i)) (vec2 (at t i) v))) (tabulate 16 (func (n) (num n))) 0 0i)",
];

#[test]
fn all_engines_agree() {
    let all = engines::all();
    let engines: Vec<&dyn Engine> = all.iter().map(|engine| &**engine).collect();
    for program in PROGRAMS {
        let source = SourceFile::new("arrays.lv", format!("{HEAD}\n{program}"));
        let (core, diagnostics) = compile(&source);
        let core = core.unwrap_or_else(|| panic!("{program}: {diagnostics:?}"));
        let case = case(source, core, 1000);
        if let Err(failure) = compare_all(&case, &engines) {
            panic!("{program}: {:?} {}", failure.bug, failure.detail);
        }
    }
}
