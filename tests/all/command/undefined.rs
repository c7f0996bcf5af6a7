//! `render --undefined`: reports of undefined behaviour.

use super::harness::{TestFolder, assert_one_error};

/// An expression of the uniforms `x` and `y`, their type, values that meet a condition, the operation with the condition's
/// words, the operands as they are shown, and the nearest values that do not meet it.
type Case =
    (&'static str, &'static str, [&'static str; 2], &'static str, &'static str, [&'static str; 2]);

/// A case for each condition.
#[rustfmt::skip]
const CONDITIONS: &[Case] = &[
    ("(/ x y)", "num", ["1", "-0.0"], "/: the divisor is 0", "1, -0", ["1", "1e-45"]),
    ("(.x (/ (vec2 x 1) (vec2 1 y)))", "num", ["1", "0"], "/: the divisor is 0", "(vec2 1 1), (vec2 1 0)", ["1", "1e-45"]),
    ("(mod x y)", "num", ["1", "0"], "mod: the divisor is 0", "1, 0", ["1", "1e-45"]),
    ("(num (div x y))", "int", ["7", "0"], "div: the divisor is 0", "7, 0", ["7", "1"]),
    ("(num (div x y))", "int", ["-2147483648", "-1"], "div: the least int by -1", "-2147483648, -1", ["-2147483647", "-1"]),
    ("(num (rem x y))", "uint", ["7", "0"], "rem: the divisor is 0", "7, 0", ["7", "1"]),
    ("(num (mod x y))", "int", ["-2147483648", "-1"], "mod: the least int by -1", "-2147483648, -1", ["-2147483648", "-2"]),
    ("(sqrt x)", "num", ["-1e-45", "0"], "sqrt: operand below 0", "-0.000000000000000000000000000000000000000000001", ["-0.0", "0"]),
    ("(log x)", "num", ["-1", "0"], "log: operand below 0", "-1", ["-0.0", "0"]),
    ("(log2 x)", "num", ["-1", "0"], "log2: operand below 0", "-1", ["1e-45", "0"]),
    ("(inverse-sqrt x)", "num", ["0", "0"], "inverse-sqrt: operand at or below 0", "0", ["1e-45", "0"]),
    ("(pow x y)", "num", ["0", "0"], "pow: x < 0, or x = 0 and y <= 0", "0, 0", ["0", "1e-45"]),
    ("(pow x y)", "num", ["-1", "2"], "pow: x < 0, or x = 0 and y <= 0", "-1, 2", ["1e-45", "2"]),
    ("(asin x)", "num", ["1.0000001", "0"], "asin: operand beyond 1 or -1", "1.0000001", ["1", "0"]),
    ("(acos x)", "num", ["-1.0000001", "0"], "acos: operand beyond 1 or -1", "-1.0000001", ["-1", "0"]),
    ("(acosh x)", "num", ["0.99999994", "0"], "acosh: operand below 1", "0.99999994", ["1", "0"]),
    ("(atanh x)", "num", ["2", "0"], "atanh: operand at or beyond 1 or -1", "2", ["0.99999994", "0"]),
    ("(atan2 x y)", "num", ["-0.0", "0"], "atan2: both 0", "-0, 0", ["0", "1e-45"]),
    ("(.x (normalize (vec2 x y)))", "num", ["0", "0"], "normalize: a length of 0", "(vec2 0 0)", ["0", "1"]),
    ("(smooth-step x y 0.5)", "num", ["1", "1"], "smooth-step: e0 >= e1", "1, 1, 0.5", ["0.99999994", "1"]),
    ("(clamp 0.5 x y)", "num", ["1", "0.99999994"], "clamp: lo > hi", "0.5, 1, 0.99999994", ["1", "1"]),
    ("(.x (col (inverse (mat2 x 0 0 y)) 0))", "num", ["0", "1"], "inverse: a determinant of 0", "(mat2 0 0 0 1)", ["1e-30", "1"]),
    ("(num (shift-left x y))", "int", ["1", "32"], "shift-left: a count that is not 0 to 31", "1, 32", ["1", "31"]),
    ("(num (shift-right x y))", "int", ["1", "-1"], "shift-right: a count that is not 0 to 31", "1, -1", ["1", "0"]),
    ("(num (extract-bits x 8u y))", "uint", ["1", "25"], "extract-bits: offset + count above 32", "1, 8, 25", ["1", "24"]),
    ("(num (insert-bits x 1u y 4u))", "uint", ["1", "29"], "insert-bits: offset + count above 32", "1, 1, 29, 4", ["1", "28"]),
    ("(num (int x))", "num", ["2147483648", "0"], "int: NaN, or out of range", "2147483600", ["2147483520", "0"]),
    ("(num (uint x))", "num", ["-1", "0"], "uint: NaN, or out of range", "-1", ["-0.99999994", "0"]),
    ("(at (array 1 2 3) x)", "int", ["3", "0"], "at: an index or level outside", "3", ["2", "0"]),
    ("(at (vec3 1 2 3) x)", "int", ["-1", "0"], "at: an index or level outside", "-1", ["0", "0"]),
    ("(at (update (array 1 2 3) x 4) 0)", "int", ["-1", "0"], "update: an index or level outside", "-1", ["0", "0"]),
];

fn program(expression: &str, ty: &str, [x, y]: [&str; 2]) -> String {
    let literal = |value: &str| match ty {
        "int" => format!("{value}i"),
        "uint" => format!("{value}u"),
        _ => value.to_owned(),
    };
    let (x, y) = (literal(x), literal(y));
    format!(
        "(uniform x {ty} {x}) (uniform y {ty} {y})\n(output 0 (vec3 (+ 0 (min 1 (max 0 {expression})))))\n"
    )
}

/// Each condition is reported where it holds, and not for the nearest operand, by both engines.
#[test]
fn each_condition_is_reported() {
    let place = TestFolder::new();
    for &(expression, ty, met, operation, operands, near) in CONDITIONS {
        for engine in ["simd", "core"] {
            let run = |values| {
                place.write("a.lv", program(expression, ty, values));
                let engine = format!("--engine={engine}");
                place.run(&[
                    "render",
                    "a.lv",
                    "a.png",
                    "--size",
                    "2x1",
                    "--undefined",
                    "report",
                    &engine,
                ])
            };
            let outcome = run(met);
            assert_eq!(outcome.status, 0, "{expression}: {}", outcome.err);
            let line = outcome.err.lines().find(|line| line.contains(operation));
            let line = line.unwrap_or_else(|| panic!("{expression}: {}", outcome.err));
            assert!(line.starts_with("a.lv:2:"), "{line}");
            let end = format!("{operation}; first at (0, 0) with {operands}; 2 pixels");
            assert!(line.ends_with(&end), "{line} in place of {end}");
            let outcome = run(near);
            assert!(!outcome.err.contains(operation), "{expression} {near:?}: {}", outcome.err);
        }
    }
}

const DIVISION: &str = "(define p (.x (frag-coord)))
(define (safe d) (if (= d 0) 0 (/ 1 d)))
(output 0 (vec3 (if (< p 3)
  (safe (- p 0.5))
  (/ 1 (floor (- p 4.5))))))
";

#[test]
fn lines_errors_and_paint() {
    let place = TestFolder::with([("a.lv", DIVISION)]);
    let run = |undefined: &str, out: &str| {
        place.run(&["render", "a.lv", out, "--size", "6x2", "--undefined", undefined])
    };
    run("ignore", "plain.npy");
    // A guarded division is none, and the quotient is infinite in two pixels of each row.
    let lines =
        "a.lv:3:11: output: NaN or infinity; first at (4, 0) with (vec3 inf inf inf); 2 pixels
a.lv:5:3: /: the divisor is 0; first at (4, 0) with 1, 0; 2 pixels
";
    let note = "note: the picture has non-finite samples: 6 infinite\n";
    let outcome = run("report", "report.npy");
    assert_eq!((outcome.status, outcome.err), (0, format!("{lines}{note}")));
    assert_eq!(place.read("report.npy"), place.read("plain.npy"));
    let outcome = run("error", "error.npy");
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.starts_with(lines), "{}", outcome.err);
    assert!(!place.path("error.npy").exists());
    let outcome = run("paint", "paint.npy");
    assert_eq!((outcome.status, outcome.err), (0, format!("{lines}{note}")));
    let (plain, paint) = (place.frame("plain.npy"), place.frame("paint.npy"));
    for y in 0..2 {
        for x in 0..6 {
            let expected = if x == 4 { Some([1.0, 0.0, 1.0, 1.0]) } else { plain.pixel(x, y) };
            assert_eq!(paint.pixel(x, y), expected, "({x}, {y})");
        }
    }
}

const QUAD: &str = "v -1 -1 0.5\nv 1 -1 0.5\nv 1 1 0.5\nv -1 1 0.5\nf 1 2 3\nf 1 3 4\n";

/// Ids of a pass, vertices and pixels meet one site.
const STAGES: &str = "; version 3
(define (root x) (sqrt x))
(result found num 4)
(pass fill (size 4) (scatter found (id) (root (- (num (id)) 2))))
(attribute position vec3)
(position (vec4 position 1))
(varying w (root (.x position)))
(varying unread (/ 1 0))
(state (depth off) (samples 4))
(discard-if (< (root (- 1.2 (.y (frag-coord)))) 0))
(output 0 (vec3 (if (< (+ w (root (- (.x (frag-coord)) 1))) 0) 1 0.5)))
(output 1 (/ 1 (- (.x (frag-coord)) 3.5)))
";

/// Triangles: ids come before vertices, and vertices before pixels; each vertex counts once, and each pixel. A discarded
/// fragment counts; varyings and outputs that nobody reads do not.
#[test]
fn stages_of_triangles() {
    let place = TestFolder::with([("a.lv", STAGES), ("quad.obj", QUAD)]);
    for engine in ["simd", "core", "source", "spirv"] {
        let engine = format!("--engine={engine}");
        let run = |undefined: &str, out: &str, more: &[&str]| {
            let of = ["render", "a.lv", out, "--size", "4x2", "--mesh", "quad.obj"];
            let options = ["--instances", "2", "--undefined", undefined, &engine];
            place.run(&[&of[..], &options, more].concat())
        };
        let line = "a.lv:2:18: sqrt: operand below 0; first at id 0 of fill with -2; 11 units\n";
        let outcome = run("report", "report.npy", &[]);
        assert_eq!((outcome.status, &*outcome.err), (0, line), "{engine}");
        let outcome = run("error", "error.npy", &[]);
        assert_eq!(outcome.status, 1, "{engine}");
        assert!(outcome.err.starts_with(line) && !place.path("error.npy").exists());
        run("ignore", "plain.npy", &[]);
        assert_eq!(place.read("report.npy"), place.read("plain.npy"), "{engine}");
        run("paint", "paint.npy", &[]);
        let (plain, paint) = (place.frame("plain.npy"), place.frame("paint.npy"));
        for (x, y) in (0..2).flat_map(|y| (0..4).map(move |x| (x, y))) {
            let is_met = x == 0 || y == 1;
            let expected = if is_met { Some([1.0, 0.0, 1.0, 1.0]) } else { plain.pixel(x, y) };
            assert_eq!(paint.pixel(x, y), expected, "{engine} ({x}, {y})");
        }
        let outcome = run("report", "other.npy", &["--output", "1"]);
        let others = "a.lv:2:18: sqrt: operand below 0; first at id 0 of fill with -2; 6 units
a.lv:12:11: /: the divisor is 0; first at (3, 0) with 1, 0; 2 pixels
a.lv:12:11: output: NaN or infinity; first at (3, 0) with inf; 2 pixels
";
        assert!(outcome.err.starts_with(others), "{engine}: {}", outcome.err);
    }
}

/// Defaults, applications to constants under `@`, and sizes of passes are of no unit, whatever the caller sets.
#[test]
fn lines_of_no_unit() {
    let text = "; version 3
(define (root x) (sqrt x))
(uniform u num (root -3.5))
(constant c num (/ 1 (- 1 1)))
(uniform sum num ((rec-func (n s) (if (< n 0) s (rec (- n 1) (+ s (log2 (- n 2)))))) 3 0))
(uniform zero int 0i)
(result found num 4)
(pass fill (size (div 4i zero)) (scatter found (id) 1))
(output 0 (vec3 (+ u (root (- (.x (frag-coord)) 1)) (@ (max c (log -2)))) c sum))
";
    let place = TestFolder::with([("a.lv", text)]);
    for engine in ["simd", "core", "source", "spirv"] {
        let outcome = place.run(&[
            "render",
            "a.lv",
            "a.npy",
            "--size",
            "2x1",
            "--set",
            "u=1",
            "--set",
            "sum=1",
            "--set",
            "c=1",
            "--undefined",
            "report",
            &format!("--engine={engine}"),
        ]);
        let lines = "a.lv:2:18: sqrt: operand below 0; with -3.5
a.lv:4:17: /: the divisor is 0; with 1, 0
a.lv:5:67: log2: operand below 0; with -1
a.lv:8:18: div: the divisor is 0; with 4, 0
a.lv:9:63: log: operand below 0; with -2
a.lv:2:18: sqrt: operand below 0; first at (0, 0) with -0.5; 1 pixel
a.lv:9:11: output: NaN or infinity; first at (0, 0) with (vec3 NaN 1 1); 1 pixel
";
        assert_eq!(outcome.status, 0, "{engine}: {}", outcome.err);
        assert!(outcome.err.starts_with(lines), "{engine}: {}", outcome.err);
    }
    // Passes alone have the same lines of no unit.
    let outcome =
        place.run(&["run", "a.lv", "--save", "found=found.json", "--undefined", "report"]);
    assert_eq!(outcome.err.matches("; with ").count(), 5, "{}", outcome.err);
    assert!(!outcome.err.contains("first at"), "{}", outcome.err);
}

/// `; undefined: none` of programs that draw triangles.
#[test]
fn tests_of_triangles() {
    let triangle = "(define x (- (num (vertex-index)) 1))
(position (vec4 (* 4 x) (- 1 (* 4 (* x x))) 0.5 1))
(varying w (sqrt x))
(output 0 (vec3 (if (< w 0) 1 0.5)))
; test: --size 4x4 --vertices 3
; undefined: none
";
    let place = TestFolder::with([("a.lv", triangle)]);
    place.run(&["test", "--bless", "a.lv"]);
    let outcome = place.run(&["test", "a.lv"]);
    assert_eq!(outcome.status, 1, "{}{}", outcome.text(), outcome.err);
    let line =
        "a.lv:3:12: sqrt: operand below 0; first at vertex 0 of instance 0 with -1; 1 vertex";
    assert!(format!("{}{}", outcome.text(), outcome.err).contains(line), "{}", outcome.text());
}

/// What cannot be reported is refused.
#[test]
fn other_programs_are_refused() {
    let place = TestFolder::with([("a.lv", "(output 0 1)")]);
    let core = place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]);
    assert_eq!(core.status, 0, "{}", core.err);
    let all = ["render", "--undefined", "report", "a.core", "-o", "a.png"];
    let outcome = place.run(&all);
    assert_ne!(outcome.status, 0);
    assert_one_error(&outcome.err, "core text is not reported");
    assert!(!place.path("a.png").exists());
}

/// A loop at its limit is reported by its place in the text, though its value has sites beside it.
#[test]
fn loops_at_their_limits_keep_their_places() {
    let text = "(uniform n int 5i)\n(output 0 (vec3 (num\n  ((rec-func (i) (if (< i n) (rec (+ i (int (* 0 (/ 1 (num n)))))) i)) 0i))))\n";
    let place = TestFolder::with([("a.lv", text)]);
    for engine in ["simd", "core"] {
        let limited = ["render", "a.lv", "a.png", "--size", "8x8", "--max-iterations", "9"];
        let plain = place.run(&[&limited[..], &["--engine", engine]].concat());
        let report = ["--engine", engine, "--undefined", "report"];
        let found = place.run(&[&limited[..], &report].concat());
        assert_one_error(&plain.err, "a.lv:3:");
        assert_eq!((plain.status, &plain.err), (found.status, &found.err));
    }
}

/// Equal arguments at two places are two sites.
#[test]
fn equal_arguments_have_their_own_places() {
    let root = "(sqrt (- (.x (frag-coord)) 2))";
    let function = "(func (x) (sqrt (- x 2)))";
    for (first, second) in [
        (format!("((func (a) (+ a 1)) {root})"), format!("((func (a) (+ a 2)) {root})")),
        (format!("(let ((a {root})) (+ a 1))"), format!("(let ((a {root})) (+ a 2))")),
        (
            format!("((rec-func (n a) (if (< n 3) (rec (+ n 1) (+ a 1)) a)) 0 {root})"),
            format!("((rec-func (n a) (if (< n 3) (rec (+ n 1) (* a 2)) a)) 0 {root})"),
        ),
        (
            format!("((func (f) (f (.x (frag-coord)))) {function})"),
            format!("((func (f) (+ 1 (f (.x (frag-coord))))) {function})"),
        ),
    ] {
        let text =
            format!("(output 0 (vec3 (min 1\n(if (< (.x (frag-coord)) 1) {first}\n{second}))))\n");
        let place = TestFolder::with([("a.lv", &*text)]);
        let found =
            place.run(&["render", "a.lv", "a.npy", "--size", "4x4", "--undefined", "report"]);
        let lines: Vec<&str> = found.err.lines().filter(|line| line.contains(" sqrt: ")).collect();
        assert_eq!(lines.len(), 2, "{text}{}", found.err);
        assert!(lines[0].starts_with("a.lv:2:") && lines[0].ends_with("; 4 pixels"), "{lines:?}");
        assert!(lines[1].starts_with("a.lv:3:") && lines[1].ends_with("; 4 pixels"), "{lines:?}");
    }
}
