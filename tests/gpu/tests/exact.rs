//! Exact modules on a Vulkan device are equal to the core evaluator in every bit.
//!
//! Without a device the tests are skipped with a message.

use lambdav_core::op::{Elementary, Op};
use lambdav_generate::resources;
use lambdav_gpu::{Device, Error};
use lambdav_gpu_tests::operations::{ARITHMETIC, operands, wrong};
use lambdav_gpu_tests::{Output, Shader, open, without_float64};
use lambdav_spirv_backend::emit::{EmitOptions, Exact};
use lambdav_test_support::skipped;

/// Sizes of pictures: of the gallery, and of generated programs.
const SIZE: [u32; 2] = [97, 61];
const SMALL: [u32; 2] = [23, 11];

/// `VK_ERROR_UNKNOWN`.
const UNKNOWN: i32 = -13;

fn device() -> Option<Device> {
    let device = open().expect("Vulkan works, if it is there");
    if device.is_none() {
        skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    }
    device
}

/// The options for exact modules on a device: with 64-bit floats, if it has them, and without.
fn kinds(device: &Device) -> Vec<EmitOptions> {
    let best = device.exact(false, None);
    let integers = without_float64(device, best);
    let is_wide = best.exact != integers.exact;
    is_wide.then_some(best).into_iter().chain([integers]).collect()
}

/// The same options, once with the device's `fma` used and once without, whether or not the device's `fma`
/// rounds once.
fn all_kinds(device: &Device) -> Vec<EmitOptions> {
    let relying = |options: EmitOptions, fused| {
        let exact = options.exact.map(|exact| Exact { fused, ..exact });
        EmitOptions { exact, ..options }
    };
    let both = |options| [false, true].map(|fused| relying(options, fused));
    kinds(device).into_iter().flat_map(both).collect()
}

/// A description of the differences; `None` if there are none.
fn difference(
    device: &Device,
    output: &Output<'_>,
    size: [u32; 2],
    options: &EmitOptions,
) -> Result<Option<String>, Error> {
    let found = output.compare(device, size, options)?;
    let (exact, differing) = (options.exact, found.differing);
    Ok(found.first.map(|first| format!("{exact:?}: {differing} components, {first}")))
}

/// Programs that drivers got wrong: zeros and infinities that a driver finds when it compiles, as operands of
/// each operation; and loops whose vectors, matrices and structures are swapped while pixels leave one after
/// the other.
const DRIVERS: [&str; 11] = [
    "(define x (.x (frag-coord))) (define d (- 1 (step x x))) (vec3 (/ x d) (/ d d) (/ (- 0 x) d))",
    "(define x (.x (frag-coord))) (define d (- 1 (step x x))) (define y (/ 1 d)) (vec4 (* y d) (+ (* y d) x) (sqrt y) (* (- 0 d) x))",
    "(define x (.x (frag-coord))) (define y (dfdy x)) (define d (/ x y)) (vec4 d (/ (- 0 1) y) (* d y) (- d d))",
    "(define n (int (.x (frag-coord)))) (define z (num (- n n))) (vec3 (/ 1 z) (/ z z) (if (eq n n) z 1))",
    "(define n (int (.x (frag-coord)))) (define z (num (- n n))) (vec3 (* z (/ 1 z)) (/ (* z 2) z) (* (/ -1 z) z))",
    "(define x (.xy (frag-coord))) (define z (- x x)) (vec4 (mod x (vec2 0 1e-40)) (mod (vec2 1) z))",
    "(define x (.x (frag-coord))) (define d (- 1 (step x x))) (radians (vec4 (/ 1 0) (/ x d) (/ 0 d) (* d (/ 1 d))))",
    "(define x (.x (frag-coord))) (define z (from-bits (+ 0u (bits (- x x))))) (vec3 (* z (/ 1 z)) (/ z z) (fma z (/ 1 z) x))",
    "(define x (uint (.x (frag-coord))))
     (define g (rec-func (n a b) (if (eq n 0u) a (rec (- n 1u) b (+ a b)))))
     (define f (g (+ 3u x) (uvec2 0u 1u) (uvec2 1u 0u)))
     (vec2 (num (.x f)) (num (.y f)))",
    "(define x (int (.x (frag-coord))))
     (define g (rec-func (n a b c) (if (eq n 0i) (+ a (* 10 b) (* 100 c)) (rec (- n 1i) b c a))))
     (g x (vec3 1 2 3) (vec3 4 5 6) (.xyz (frag-coord)))",
    "(struct Pair (a vec2) (b mat2))
     (define x (int (.y (frag-coord))))
     (define g (rec-func (n p q)
       (if (eq n 0i) (vec4 (.a p) (* (.b p) (.a q))) (rec (- n 1i) q (Pair (.a p) (.b q))))))
     (g x (Pair (vec2 1 2) (mat2 1 2 3 4)) (Pair (vec2 3 4) (mat2 5 6 7 8)))",
];

#[test]
fn what_drivers_get_wrong() {
    let Some(device) = device() else { return };
    for (number, text) in DRIVERS.iter().enumerate() {
        let shader = Shader::new(&format!("driver {number}"), text);
        for options in all_kinds(&device) {
            for output in shader.outputs() {
                let wrong = difference(&device, &output, SMALL, &options).expect("it is drawn");
                assert_eq!(wrong, None, "{text}");
            }
        }
    }
}

#[test]
fn arithmetic() {
    let Some(device) = device() else { return };
    let operands = operands(60_000, 1);
    for options in all_kinds(&device) {
        for (op, meaning) in ARITHMETIC {
            let (wrong, first) = wrong(&device, &options, op, &operands, meaning);
            assert_eq!(wrong, 0, "{:?}: {first}", options.exact);
        }
    }
}

/// With and without 64-bit floats: special and random arguments. Bodies decline a third of them.
#[test]
fn elementary_functions() {
    let Some(device) = device() else { return };
    let operands = operands(60_000, 2);
    for options in kinds(&device) {
        for function in Elementary::ALL {
            let meaning = |[x, y, _]: [f32; 3]| function.evaluate(x, y);
            let op = Op::Elementary(function);
            let (wrong, first) = wrong(&device, &options, op, &operands, meaning);
            assert_eq!(wrong, 0, "{:?}: {first}", options.exact);
        }
    }
}

/// Generated programs that a driver got wrong or refused.
const FOUND: [(&str, &str); 4] = [
    ("888", include_str!("found/888.lv")),
    ("1474", include_str!("found/1474.lv")),
    ("1933", include_str!("found/1933.lv")),
    ("1967", include_str!("found/1967.lv")),
];

/// Number of generated programs: the variable `PROGRAMS`, or 60.
fn programs() -> u64 {
    std::env::var("PROGRAMS").map_or(60, |text| text.parse().expect("PROGRAMS is a number"))
}

#[test]
fn gallery() {
    let Some(device) = device() else { return };
    let options = device.exact(false, None);
    let mut wrong = Vec::new();
    for shader in Shader::gallery() {
        for output in shader.outputs() {
            let found = difference(&device, &output, SIZE, &options).expect("it draws");
            wrong.extend(found.map(|found| format!("{}: {found}", shader.name)));
        }
    }
    assert!(wrong.is_empty(), "{} differ: {}", wrong.len(), wrong.join("\n"));
}

/// Mesa's lavapipe compiles a module for the values of uniforms in conditions, and then takes products with
/// zero for zero.
const ZERO_UNIFORM: &str = "(uniform u num 0) (exp (mod (if (greater u 4) 1 0) u))";

/// In a loop with one exit, pixels that have left may get a value that the others compute later. These pixels
/// are computed again.
const LEFT_EARLY: &str = "
(buffer b num)
(uniform u num 1e-40)
(vec2
  ((rec-func (i)
     (if (less i 6)
         (rec (+ i 1))
         (at b (if (<= (.x (frag-coord)) 4) 0i ((rec-func (n) (if (greater n 0) (rec (- n 1)) 2i)) 4)))))
   (max 0 (.y (frag-coord))))
  (* u 1e30))";

#[test]
fn what_drivers_are_wrong_about() {
    let Some(device) = device() else { return };
    for (name, text) in [("zero uniform", ZERO_UNIFORM), ("left early", LEFT_EARLY)] {
        let shader = Shader::new(name, text).with_resources(resources);
        for output in shader.outputs() {
            for options in kinds(&device) {
                let found = difference(&device, &output, SMALL, &options).expect("it draws");
                assert_eq!(found, None, "{name}");
            }
        }
    }
}

#[test]
fn generated_programs() {
    let Some(device) = device() else { return };
    let (mut drawn, mut refused, mut wrong) = (0, 0, Vec::new());
    let generated = (0..programs()).filter_map(|seed| {
        let shader = Shader::generated(seed, 20 + (seed as usize * 7) % 120)?;
        Some((format!("seed {seed}"), shader))
    });
    let found = FOUND.map(|(name, text)| (format!("found/{name}.lv"), Shader::new(name, text)));
    for (name, shader) in generated.chain(found) {
        // The name, in case the driver hangs.
        println!("{name}");
        let shader = shader.with_resources(resources);
        for output in shader.outputs() {
            // Without 64-bit floats, drivers take long to compile elementary functions.
            let count = if output.has_elementary() { 1 } else { 2 };
            for options in kinds(&device).into_iter().take(count) {
                match difference(&device, &output, SMALL, &options) {
                    Ok(None) => drawn += 1,
                    Ok(Some(found)) => {
                        wrong.push(format!("{name}: {found}\n{}", shader.text()));
                    }
                    Err(Error::Vulkan { code: UNKNOWN, .. }) => refused += 1,
                    Err(error) => panic!("{name}: {error}"),
                }
            }
        }
    }
    println!("{drawn} pictures are equal, {refused} refused by the driver");
    assert!(wrong.is_empty(), "{} differ: {}", wrong.len(), wrong.join("\n"));
    assert!(drawn > 20 * refused, "{drawn} drawn, {refused} refused");
}
