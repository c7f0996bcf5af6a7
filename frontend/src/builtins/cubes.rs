//! Texts of samples of cubes: the face that a direction meets, and the texels beyond the edges of a face (LANGUAGE §12).

use crate::mutants::{Mutant, is_active};
use lambdav_core::sampler::Filter;
use lambdav_core::texture::{Texels, TextureKind, TextureOptions};

/// The text of a value that depends on the level of detail for these moves of a direction.
pub(super) fn of_moves(direction: &str, [dx, dy]: [&str; 2], value: &str) -> String {
    format!(
        "(let* ((n (num (.xy (texture-size t)))) (v {direction}) {} (square (* major major))
           (on-face (func (by) (let* ((v by) {})
             (vec2 (* (/ (- (* (.x seen-by) major) (* s (.z seen-by))) square) 0.5)
                   (* (/ (- (* (.y seen-by) major) (* t-on (.z seen-by))) square) 0.5)))))
           (d (* (on-face {dx}) n)) (e (* (on-face {dy}) n)))
      {value})",
        seen("0").replace("vector-of v", "vec3"),
        format_args!("(seen-by {})", seen_from("v").replace("vector-of v", "vec3")),
    )
}

/// Bindings for a direction `v`: whether its face is along z, or else y; whether its components are negative; and what is seen
/// from the face: to the right, downwards, and towards it. `zero` is a zero of its components.
fn seen(zero: &str) -> String {
    format!(
        "(size (abs v))
           (along-z (and (less-eq (.x size) (.z size)) (less-eq (.y size) (.z size))))
           (along-y (less-eq (.x size) (.y size)))
           (left (less (.x v) {zero})) (bottom (less (.y v) {zero})) (back (less (.z v) {zero}))
           (seen {}) (s (.x seen)) (t-on (.y seen)) (major (.z seen))",
        seen_from("v")
    )
}

/// The text of what is seen of a vector from the face that `along-z`, `along-y`, `left`, `bottom` and `back` say.
fn seen_from(v: &str) -> String {
    let of = |axis: &str| format!("(.{axis} {v})");
    let minus = |axis: &str| format!("(- (.{axis} {v}))");
    let by_axis =
        |x: String, y: String, z: String| format!("(select along-z {z} (select along-y {y} {x}))");
    let chosen = |is: &str, a: String, b: String| format!("(select {is} {a} {b})");
    let right =
        by_axis(chosen("left", of("z"), minus("z")), of("x"), chosen("back", minus("x"), of("x")));
    let down = by_axis(minus("y"), chosen("bottom", minus("z"), of("z")), minus("y"));
    let towards = by_axis(
        chosen("left", minus("x"), of("x")),
        chosen("bottom", minus("y"), of("y")),
        chosen("back", minus("z"), of("z")),
    );
    format!("(vector-of {v} {right} {down} {towards})")
}

/// The number of the face that [`seen`] has found.
const FACE: &str = "(select along-z (select back 5i 4i)
    (select along-y (select bottom 3i 2i) (select left 1i 0i)))";

/// The text of a sample of a cube in a level. `read` makes the text of a value from that of a texel, `used` that of the sample
/// from the four values around a place: x fastest, then y.
pub(super) fn of_cube(
    options: TextureOptions,
    direction: &str,
    level: &str,
    read: impl Fn(&str) -> String,
    used: impl Fn(Vec<String>) -> String,
) -> String {
    let first = match options.kind {
        TextureKind::CubeArray => {
            "(* 6i (min (max (int (round-even (.w uv))) 0i) (- (div (.z (texture-size t 0i)) 6i) 1i)))"
        }
        _ => "0i",
    };
    let (seen_here, seen_behind) = (seen("0"), seen("0i"));
    let (seen_here, seen_behind) =
        (seen_here.replace("vector-of v", "vec3"), seen_behind.replace("vector-of v", "ivec3"));
    let is = |mutant| if is_active(mutant) { "false" } else { "true" };
    let (seamless, closed) = (is(Mutant::FlatSeam), is(Mutant::OpenCorner));
    let place = "(vec2 (+ (* (/ s major) 0.5) 0.5) (+ (* (/ t-on major) 0.5) 0.5))";
    let head = format!(
        "(let* ((v {direction}) {seen_here} (face {FACE}) (first {first}) (place {place})
           (count (.x (texture-size t {level})))"
    );
    let mean = match options.texels {
        Texels::Numbers => "(/ (+ (+ k l) m) 3)",
        Texels::Integers => "(div (+ (+ k l) m) 3i)",
        Texels::Unsigned => "(div (+ (+ k l) m) 3u)",
    };
    let around = [
        "(at-corner x y b c d a)",
        "(at-corner right y a c d b)",
        "(at-corner x below a b d c)",
        "(at-corner right below a b c d)",
    ];
    let inside = ["(inside x y)", "(inside right y)", "(inside x below)", "(inside right below)"];
    match options.filter {
        Filter::Nearest => format!(
            "{head} (k (int (floor (* place (num (ivec2 count)))))))
           {})",
            read(&format!("(texel t (ivec3 k (+ first face)) {level})")),
        ),
        Filter::Linear => format!(
            "{head} (last (- count 1i)) (q (- (* place (num (ivec2 count))) 0.5)) (i (floor q)) (f (- q i)) (k (min (max (int i) -1i) (ivec2 last)))
           (beyond (func (at) (or (less at 0i) (less-eq count at))))
           (fold (func (at) (select (beyond at) (select (less at 0i) (- count) count) (- (+ at at) last))))
           (behind (func (x y)
             (let* ((a (fold x)) (b (fold y))
                    (v (ivec3
                      (select (eq face 0i) last (select (eq face 1i) (- last) (select (eq face 5i) (- a) a)))
                      (select (eq face 2i) last (select (eq face 3i) (- last) (- b)))
                      (select (eq face 4i) last (select (eq face 5i) (- last)
                        (select (eq face 0i) (- a) (select (eq face 1i) a (select (eq face 2i) b (- b))))))))
                    {seen_behind})
               (ivec3 (shift-right (+ s last) 1i) (shift-right (+ t-on last) 1i) (+ first {FACE})))))
           (of (func (x y) {}))
           (x (.x k)) (y (.y k)) (right (+ x 1i)) (below (+ y 1i))
           (a (of x y)) (b (of right y)) (c (of x below)) (d (of right below))
           (at-corner (func (x y k l m other)
             (if (and {closed} (and (beyond x) (beyond y))) {mean} other)))
           (inside (func (x y) {})))
           (if (or (or (less x 0i) (less-eq count right)) (or (less y 0i) (less-eq count below)))
             {}
             {}))",
            read(&format!(
                "(texel t (if (and {seamless} (or (beyond x) (beyond y))) (behind x y) (ivec3 x y (+ first face))) {level})"
            )),
            read(&format!("(texel t (ivec3 x y (+ first face)) {level})")),
            used(around.map(String::from).to_vec()),
            used(inside.map(String::from).to_vec()),
        ),
    }
}
