//! The gallery, generated programs and each elementary function on a Vulkan device, against the evaluator of
//! the core and the reference mathematics.
//!
//! Without a device the tests are skipped, and say so. Mesa's lavapipe (Debian's mesa-vulkan-drivers, which
//! `.ci/install-tools` installs) is one that needs no GPU.

use lambdav_core::op::Elementary;
use lambdav_generate::generate;
use lambdav_gpu::functions::measure;
use lambdav_gpu::{Device, Difference, Error, Output, Shader};
use lambdav_test_support::skipped;

const SIZE: [u32; 2] = [97, 61];

fn device() -> Option<Device> {
    let device = Device::open().expect("Vulkan works, if it is there");
    if device.is_none() {
        skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    }
    device
}

fn compare(device: &Device, output: &Output<'_>) -> Difference {
    let found = output.by_device(device, SIZE).expect("it draws");
    Difference::new(&output.by_core(SIZE), &found)
}

/// Whether it is Mesa's lavapipe, which divides and takes roots exactly, as GPUs may not.
fn is_lavapipe(device: &Device) -> bool {
    device.name().contains("llvmpipe")
}

/// What has no elementary functions is the same in every bit, and what has them is at most one level of
/// 8 bits off.
#[test]
fn gallery() {
    let Some(device) = device() else { return };
    let (mut exact, mut failures) = (0, Vec::new());
    for shader in Shader::gallery() {
        for output in shader.outputs() {
            let difference = compare(&device, &output);
            let is_exact = difference.components == 0;
            let is_right = if output.has_elementary() {
                difference.levels <= 1 && difference.nans == 0
            } else {
                exact += 1;
                is_exact
            };
            if !is_right {
                failures.push((shader.name.clone(), output.location(), difference));
            }
        }
    }
    assert!(exact >= 3, "{exact}");
    if is_lavapipe(&device) {
        assert!(failures.is_empty(), "these differ too much: {failures:?}");
    }
}

/// `VK_ERROR_UNKNOWN`.
const UNKNOWN: i32 = -13;

/// Most programs without elementary functions have the same bits; not those that subnormals, which lavapipe
/// makes zero, the signs of zeros or NaNs decide (see [`EXACT`]).
#[test]
fn generated_programs() {
    let Some(device) = device() else { return };
    // Of programs without textures and buffers and with some.
    let (mut same, mut different, mut refused) = ([0; 2], [Vec::new(), Vec::new()], 0);
    for seed in 0..300 {
        let program =
            generate(seed, lambdav_generate::GenerateOptions { size: 80, endless: false });
        let text = program.to_string();
        let shader = match Shader::compiled("generated", &text) {
            Ok(shader) => shader,
            Err(diagnostics) => {
                let all: Vec<_> = diagnostics.into_iter().collect();
                assert!(lambdav_generate::is_refused_for_rounds(&text, &all), "{all:?}");
                continue;
            }
        };
        let output = shader.outputs().next().expect("there is one");
        if output.has_elementary() {
            continue;
        }
        let of =
            usize::from(["(texture ", "(buffer "].iter().any(|word| shader.text().contains(word)));
        match output.by_device(&device, SIZE) {
            Ok(found) => match Difference::new(&output.by_core(SIZE), &found) {
                Difference { components: 0, .. } => same[of] += 1,
                difference => different[of].push((seed, difference)),
            },
            // Mesa says so of some valid modules, such as those with a φ of structures without members.
            Err(Error::Vulkan(error)) if error.as_raw() == UNKNOWN => refused += 1,
            Err(error) => panic!("{seed}: {error}"),
        }
    }
    if is_lavapipe(&device) {
        for ((same, different), least) in same.iter().zip(&different).zip([15, 10]) {
            assert!(*same >= least * different.len(), "{same} the same, not {different:?}");
        }
        assert!(same[0] >= 15 * refused, "{same:?} the same, {refused} refused");
    }
}

/// What has the same bits on lavapipe. `(- 0 x)` and `(sign x)` have not: Mesa is free with the sign of
/// zeros, whatever the module demands, and with NaN where an operand is the constant 0.
const EXACT: [&str; 24] = [
    "(sqrt x)",
    "(sqrt (* x y))",
    "(inverse-sqrt (abs x))",
    "(/ y (sqrt (abs x)))",
    "(/ (vec2 x y) (sqrt (abs x)))",
    "(normalize (vec3 x y 1))",
    "(length (vec2 x y))",
    "(dot (vec3 x y 0.3) (vec3 y 0.7 x))",
    "(/ x y)",
    "(/ 1 x)",
    "(/ (vec2 x y) 3)",
    "(mod x y)",
    "(mod x 3)",
    "(fract (+ x y))",
    "(* y (floor (/ x y)))",
    "(round (* x y))",
    "(trunc (* x y))",
    "(ceil (* x y))",
    "(min x y)",
    "(max x (sqrt x))",
    "(clamp x y 1)",
    "(step x y)",
    "(+ (* x y) (* y y))",
    "(* 1e30 (* x 1e30))",
];

#[test]
fn exact_operations() {
    let Some(device) = device() else { return };
    for expression in EXACT {
        let text = format!(
            "(define x (/ (- (.x (frag-coord)) 48.5) 16)) (define y (/ (- (.y (frag-coord)) 30.5) 7))
             {expression}"
        );
        let shader = Shader::new("a", &text);
        let output = shader.outputs().next().expect("there is one");
        let difference = compare(&device, &output);
        if is_lavapipe(&device) {
            assert_eq!(difference, Difference::default(), "{expression}");
        }
    }
}

/// What a loop yields is each pixel's own, where that is a parameter of the loop: pixels leave it in
/// different rounds.
///
/// Not where the last round computes it: lavapipe of Mesa 22.3 goes on
/// computing that for pixels that have left, as long as another of its vector has not, and from
/// parameters some of which are those of the next round. The module is right; no decoration or
/// execution mode says more. So shaders that are compared yield parameters.
#[test]
fn values_that_leave_loops() {
    let Some(device) = device() else { return };
    let text = "
        (define (draw state)
          (vec2 (/ (num (shift-right (* state 2654435769u) 8u)) 16777216)
                (/ (num (shift-right (* (+ (* state 747796405u) 1u) 2654435769u) 8u)) 16777216)))
        (define (next state) (+ (* state 747796405u) 2891336453u))
        (define pixel (uint (.xy (frag-coord))))
        ((rec-func (state drawn)
           (if (< (* (.x drawn) (.y drawn)) 0.2) drawn (rec (next state) (draw (next state)))))
         (+ (.x pixel) (* 97u (.y pixel)))
         (vec2 1))";
    let shader = Shader::new("a", text);
    let output = shader.outputs().next().expect("there is one");
    let difference = compare(&device, &output);
    if is_lavapipe(&device) {
        assert_eq!(difference, Difference::default());
    }
}

/// Texels of all levels, at places and levels that differ by pixel, inside and far outside.
#[test]
fn textures() {
    let Some(device) = device() else { return };
    let text = "
        (texture plain) (texture whole mipmaps (filter nearest))
        (define p (- (int (.xy (frag-coord))) 3i))
        (define level (- (rem (+ (.x p) (* 3i (.y p))) 7i) 1i))
        (define sizes (num (+ (texture-size whole level) (* 100i (texture-size plain)))))
        (output 0 (+ (texel whole (ivec2 (div (.x p) 8i) (div (.y p) 8i)) level)
                     (* 0.5 (texel plain (* 1000000i (rem p 3i))))))
        (output 1 (vec4 sizes (num (texture-levels whole)) (num (texture-levels plain))))
        (output 2
          ((rec-func (k sum)
             (if (< k (rem (.x p) 5i)) (rec (+ k 1i) (+ sum (texel whole (+ p k) k))) sum))
           0i (vec4 0)))";
    let shader = Shader::new("a", text);
    for output in shader.outputs() {
        let difference = compare(&device, &output);
        if is_lavapipe(&device) {
            assert_eq!(difference, Difference::default(), "output {}", output.location());
        }
    }
}

/// Elements of all kinds, at indices that differ by pixel, inside and far outside, and parts of them.
#[test]
fn buffers() {
    let Some(device) = device() else { return };
    let text = "
        (struct Light (at vec3) (on bool) (turn mat2) (weights (array 3 num)) (cell ivec2))
        (buffer numbers num) (texture between) (buffer lights Light) (buffer turns mat3) (buffer flags bool)
        (define p (- (int (.xy (frag-coord))) 3i))
        (define light (at lights (.x p)))
        (output 0 (vec4 (at numbers (* 1000000i (.x p))) (at numbers (uint (.y p)))
                        (num (size-of numbers)) (num (size-of lights))))
        (output 1 (vec4 (if (.on light) (.at light) (vec3 0.5)) (at (.weights light) (.y p))))
        (output 2 (+ (vec4 (* (.turn light) (vec2 1 2)) (num (.cell light)))
                     (if (at flags (.y p)) (texel between p) (vec4 0.25))))
        (output 3
          ((rec-func (k sum)
             (if (< k (rem (.x p) 5i)) (rec (+ k 1i) (+ sum (* (at turns (+ (.y p) k)) (vec3 1 2 4)))) sum))
           0i (vec3 0)))";
    let shader = Shader::new("a", text);
    for output in shader.outputs() {
        let difference = compare(&device, &output);
        if is_lavapipe(&device) {
            assert_eq!(difference, Difference::default(), "output {}", output.location());
        }
    }
}

/// The emitted instructions are those functions: each is as near as Vulkan demands.
#[test]
fn elementary_functions() {
    let Some(device) = device() else { return };
    for function in Elementary::ALL {
        let measured = measure(&device, function).expect("it draws");
        assert!(measured.beyond.is_empty(), "{measured:?}");
    }
}
