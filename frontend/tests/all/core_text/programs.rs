//! Programs that together have every kind of statement.

pub(super) const PROGRAMS: &[&str] = &[
    // Values of all types.
    "1",
    "(frag-coord)",
    "(vec4 (time) (frame) (.x (mouse)) (.y (resolution)))",
    "(vec2 0.1 1e-40)",
    "(vec3 (/ 0 0) (/ 1 0) (/ -1 0))",
    "(- 0 (* -1 (.x (frag-coord))))",
    "(vec4 -0 0 1e-45 -1e38)",
    "(output 0 (.xyz (frag-coord))) (output 2 (.y (frag-coord))) (output 7 (.xy (mouse)))",
    "(output 5 1) (output 0 (sin (time)))",
    // Uniforms of all types, used and unused.
    "(uniform a num 0.1) (uniform b bool true) (uniform c vec2 (vec2 1 (/ 0 0))) \
     (uniform d vec3) (uniform e vec4 (vec4 1 2 3 (/ -1 0))) (uniform f mat2) \
     (uniform g mat3 (mat3 1 2 3 4 5 6 7 8 9)) (uniform h mat4) (uniform unused num 7) \
     (vec4 (if b a (.x c)) (.y d) (+ (.w e) (.x (col f 1))) (+ (.z (* g d)) (.x (* h e))))",
    "(uniform {a}:=,\"q\\ num 2) (+ {a}:=,\"q\\ 1)",
    // Textures and buffers, used and unused.
    "(struct S (a (array 3 num)) (on bool) (m mat2)) (buffer b S) (texture t (wrap mirror) mipmaps) (buffer unused ivec3) \
     (define e (at b (int (.x (frag-coord))))) (buffer c num) \
     (vec4 (if (.on e) (at (.a e) (size-of b)) (at c 7)) (.x (* (.m e) (vec2 1 2))) (.xy (texel t (ivec2 1i))))",
    "(texture t (kind depth) (wrap border mirror-once) (border white) (bias 0.5) mipmaps) \
     (texture u (compare neq) (wrap repeat mirror) (levels 0 1.5) mipmaps) \
     (vec4 (sample-compare t (.xy (frag-coord)) 0.5) (sample-compare u (.xy (frag-coord)) 0.5) \
      (.xy (gather t (.yx (frag-coord)) 2)))",
    // Matrices.
    "(define m (mat2 (.xy (frag-coord)) (vec2 1 2))) (* m (inverse m) (.xy (mouse)))",
    "(define m (mat3 (.xyz (frag-coord)) (vec3 1 2 4) (vec3 (time) 0 1))) \
     (* (transpose m) (vec3 (determinant m) 1 2))",
    "(define m (if (< (time) 1) (mat4 2) (mat4 (time)))) (col (* m m) 2)",
    "((rec-func (m n) (if (= n 0) (col m 1) (rec (* m m) (- n 1)))) \
      (mat2 1 0.5 (.x (frag-coord)) 0.25) 3)",
    // Vectors of bools.
    "(define b (< (frag-coord) (vec4 3 2 1 4))) (vec4 (if (any-of b) 1 0) (if (all-of b) 1 0) \
      (select (.y b) 5 6) (if (any-of (not (and b (= (mouse) (frag-coord))))) 1 2))",
    "(select (>= (.xyz (frag-coord)) 2) (vec3 1 2 3) (.xyz (mouse)))",
    "((rec-func (b i) (if (any-of b) (rec (or (and b (bvec2 false)) (> (vec2 i 5) 6)) (- i 1)) i)) \
      (bvec2 true false) 9)",
    "(define b (bvec3 (< (time) 1) true (= (.x (frag-coord)) 0.5))) \
     (vec3 (select b (vec3 1) (vec3 (time))))",
    // Operations.
    "(define x (- (/ (.x (frag-coord)) 2) 1.75)) (vec4 (floor x) (ceil x) (trunc x) (round x))",
    "(define p (.xy (frag-coord))) (vec4 (dot p p) (length p) (min 1 (.x p) 2) (max (.y p) (time)))",
    "(define p (.xyz (frag-coord))) (cross (normalize p) (reflect p (vec3 0 1 (time))))",
    "(mix (vec3 1 0 0) (.xyz (frag-coord)) (smooth-step 0 100 (.x (frag-coord))))",
    "(refract (.xy (frag-coord)) (vec2 0 1) 0.75)",
    "(if (and (neq (.x (frag-coord)) 1.5) (<= (time) 1)) (abs (- 3 (.x (frag-coord)))) (sqrt 2))",
    // Choices.
    "(define x (.x (frag-coord))) (if (< x 1) 1 (if (< x 3) (sin x) (if (< x 50) (cos x) x)))",
    "(define x (.x (frag-coord))) (define k (if (< x 2) (exp x) (log x))) (vec2 k (if (< x 4) k 0))",
    "(define x (.x (frag-coord))) (if (not (< x 2)) (if (< x 2) 1 2) (if (> x 0) x 3))",
    // Loops.
    "((rec-func (i a) (if (< i (.x (frag-coord))) (rec (+ i 1) (* a 1.5)) a)) 0 1)",
    "((rec-func (i s) (if (>= i 5) s (rec (+ i 1) (+ s \
       ((rec-func (j t) (if (>= j (+ i (.x (frag-coord)))) t (rec (+ j 1) (if (< t 9) (+ t j) (- t i))))) \
        0 0))))) 0 0)",
    "((rec-func (v) (if (> (length v) 100) v (rec (* v 1.5)))) (.xy (frag-coord)))",
    "((rec-func (i unused) (if (> i 9) i (rec (+ i 1) (sin unused)))) (time) 3)",
    "((rec-func (a b) (if (> a 99) (vec2 a b) (rec (+ a b) a))) 1 (+ (.x (frag-coord)) 1))",
    // No round changes anything: the loop is endless at some pixels.
    "((rec-func (i) (if (< (.x (frag-coord)) 4) 2 (rec i))) 0)",
    "((rec-func (i) (if (< i 10) (rec (+ i 1)) (/ i 0))) (- 0 (.x (frag-coord))))",
    // Tails with several decisions.
    "((rec-func (i s) (if (> i 20) s (if (< s 5) (rec (+ i 1) (+ s 2)) \
       (if (= s 6) (- s) (rec (+ i 3) (- s 1)))))) 0 (.x (frag-coord)))",
    "((rec-func (i s) (let ((next (rec (+ i 1) (+ s (.x (frag-coord)))))) \
       (if (> i 9) s (if (< s 50) next (if (< i 5) next (* s 2)))))) 0 0)",
    // Shared tails.
    "((rec-func (i) (let ((k (if (< i 10) (rec (+ i 1)) (* i 2)))) \
       (if (< i 5) k (if (> i 7) k i)))) (.x (frag-coord)))",
    "((rec-func (i s) (let ((k (if (< i 10) (rec (+ i 1) (+ s i)) (* s 2)))) \
       (if (< i 5) (if (< s 3) k s) (if (> i 7) (if (> s 20) 9 k) k)))) (.y (frag-coord)) 0)",
    "((rec-func (i s) (let* ((k (if (< i 9) (rec (+ i 1) (+ s i)) s)) \
       (l (if (< s 30) k (if (> i 3) k (rec (+ i 2) 1))))) (if (< s 40) l (if (> i 1) l k)))) 0 1)",
    // Nodes that might not end, needed on several paths.
    "(define x (.x (frag-coord))) (define k ((rec-func (i) (if (> i 100) i (rec (* i 2)))) (+ x 1))) \
     (if (< x 2) k (if (< x 4) (+ k 1) 3))",
    "(define x (.x (frag-coord))) (define k ((rec-func (i) (if (> i 100) i (rec (* i 2)))) (+ x 1))) \
     (output 0 (if (< x 2) k 5)) (output 1 (if (< x 4) (+ k 1) 3)) (output 2 (if (> x 50) 3 (sin k)))",
    "(define x (.x (frag-coord))) (define k ((rec-func (i) (if (> i 100) i (rec (* i 2)))) (+ x 1))) \
     (define l ((rec-func (i) (if (> i k) i (rec (* i 3)))) (+ x 2))) \
     (vec3 (if (< x 2) (if (> (time) 0) l 1) k) (if (< x 4) (+ l 1) 3) (if (= x 3.5) (- k l) 1))",
    "((rec-func (i s) (let ((k ((rec-func (j) (if (> j 50) j (rec (+ j (+ i 1))))) 0))) \
       (if (> i 5) (if (< s 100) k s) (if (< s 20) (rec (+ i 1) (+ s k)) (rec (+ i 2) (- s (/ k 2))))))) \
      0 (.x (frag-coord)))",
    // A condition that needs the guarded node, and one that depends on a parameter in between.
    "(define x (.x (frag-coord))) (define k ((rec-func (i) (if (> i 100) i (rec (* i 2)))) (+ x 1))) \
     (vec2 (if (< x 2) (if (> k 105) k 1) 2) (if (> x 3) k 4))",
    "(define x (.x (frag-coord))) (define k ((rec-func (i) (if (> i 100) i (rec (* i 2)))) (+ x 1))) \
     (vec2 ((rec-func (n) (if (> n 9) n (if (> n x) (rec (+ n k)) (rec (+ n 1))))) 0) (if (< x 2) k 1))",
];
