//! The gallery, generated programs and each elementary function on a Vulkan device, against the core
//! evaluator and the reference mathematics.
//!
//! Without a device the tests are skipped with a message. Mesa's lavapipe needs no GPU; `.ci/install-tools`
//! installs it (Debian's mesa-vulkan-drivers).

use lambdav_core::op::Elementary;
use lambdav_core::resource::Bound;
use lambdav_core::texture::TextureData;
use lambdav_core::types::{Resource, ResourceKind, Types};
use lambdav_gpu::functions::measure;
use lambdav_gpu::{Device, Difference, Error, forever};
use lambdav_gpu_tests::{Output, Shader, open};
use lambdav_spirv_backend::emit::EmitOptions;
use lambdav_test_support::skipped;
use std::sync::Arc;

const SIZE: [u32; 2] = [97, 61];

fn device() -> Option<Device> {
    let device = open().expect("Vulkan works, if it is there");
    if device.is_none() {
        skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    }
    device
}

fn compare(device: &Device, output: &Output<'_>) -> Difference {
    let found = output.by_device(device, SIZE).expect("it draws");
    Difference::new(&output.by_core(SIZE), &found)
}

/// True for Mesa's lavapipe, whose division and square root are exact. Those of GPUs need not be.
fn is_lavapipe(device: &Device) -> bool {
    device.name().contains("llvmpipe")
}

/// Shaders without elementary functions are equal in every bit; others differ by at most one 8-bit level.
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

/// Most programs without elementary functions are equal in every bit. Exceptions depend on subnormals, which
/// lavapipe flushes, on signs of zeros or on NaNs (see [`EXACT`]). Special divisors are switched off for that
/// reason.
#[test]
fn generated_programs() {
    let Some(device) = device() else { return };
    // Counts for programs without textures and buffers, and with them.
    let (mut same, mut different, mut refused) = ([0; 2], [Vec::new(), Vec::new()], 0);
    for seed in 0..300 {
        let Some(shader) = Shader::generated_with(seed, 80, false) else { continue };
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
            // Mesa refuses some valid modules with this error, such as those with a φ of an empty structure.
            Err(Error::Vulkan { code: UNKNOWN, .. }) => refused += 1,
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

/// Expressions with equal bits on lavapipe. `(- 0 x)` and `(sign x)` are not among them: Mesa ignores demands
/// on the sign of zeros, and on NaN where an operand is the constant 0.
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

/// Pixels leave a loop in different rounds, and each gets its own result, if the result is a parameter of the
/// loop.
///
/// A result computed in the last round may be wrong: lavapipe of Mesa 22.3 computes it again for pixels that
/// have left, while other pixels of the vector go on, and from parameters some of which belong to the next
/// round. The module is right, and no decoration or execution mode says more. Therefore the compared shaders
/// yield parameters.
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

/// Texels of all levels, at coordinates and levels that vary by pixel, in bounds and far out of bounds.
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

/// Texels from 0 to 1, all different, with or without levels.
fn texels(types: &Types) -> Vec<Bound> {
    let texture = |of: &Arc<Resource>| {
        let ResourceKind::Texture(options) = of.kind else { unreachable!("there are no buffers") };
        let texel = |k: u32| {
            [0, 8, 16, 24]
                .map(|shift| (k.wrapping_mul(2_654_435_769) >> shift & 255) as f32 / 255.0)
        };
        let data = TextureData::new([13, 9], (1..13 * 9 + 1).map(texel), options.mipmaps);
        Bound::Texture(data.expect("it is small").into())
    };
    types.resources().iter().map(texture).collect()
}

/// The largest distance between the picture by the device's samplers and the exact picture.
fn distance(device: &Device, text: &str) -> f32 {
    let shader = Shader::new("a", text).with_resources(texels).sampled_natively();
    let output = shader.outputs().next().expect("there is one");
    let found = output.by_device(device, SIZE).expect("it draws");
    let wanted = output.by_core(SIZE);
    let numbers = |image: &[[u32; 4]]| -> Vec<f32> {
        image.as_flattened().iter().map(|&bits| f32::from_bits(bits)).collect()
    };
    let (wanted, found) = (numbers(&wanted), numbers(&found));
    let apart = wanted.iter().zip(&found).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, |most, it| if it > most || it.is_nan() { it } else { most })
}

/// The device's samplers: filtered values are as exact as the number of fraction bits that the device
/// reports. Nearest texels, sampled away from their borders, are equal in every bit.
#[test]
fn native_sampling() {
    let Some(device) = device() else { return };
    let (mixes, [texel_bits, level_bits]) = device.filtering();
    if !mixes {
        return skipped("the device does not mix texels of binary32");
    }
    let step = |bits: u32| 0.5_f32.powi(bits as i32);
    // Texels are mixed twice and levels once. The rest is rounding, mostly of logarithms.
    let (of_level, rounding) = (2.0 * step(texel_bits), 1e-4);
    let mut most = [0.0_f32; 2];
    for wrap in ["clamp", "repeat", "mirror"] {
        let place = "(define uv (/ (- (.xy (frag-coord)) 30.25) 17.7))";
        let plain = format!("(texture t (wrap {wrap})) {place} (sample t uv)");
        let apart = distance(&device, &plain);
        assert!(apart <= of_level + rounding, "{plain}: {apart}");
        most[0] = most[0].max(apart);
        for sample in [
            "(sample t (* uv uv))",
            "(sample-level t uv (* 0.07 (.x (frag-coord))))",
            "(sample-grad t uv (* 0.1 uv) (vec2 0.05 (.y uv)))",
            "(if (< (fract (* 3 (.x uv))) 0.4) (sample t (* 2 uv)) (sample t (.yx uv)))",
        ] {
            let text = format!("(texture t (wrap {wrap}) mipmaps) {place} {sample}");
            let apart = distance(&device, &text);
            assert!(apart <= of_level + step(level_bits) + rounding, "{text}: {apart}");
            most[1] = most[1].max(apart);
        }
        // A quarter of a texel from its centre, in levels whose sizes are powers of two or not.
        let text = format!(
            "(texture t (wrap {wrap}) (filter nearest) mipmaps)
             (define level (rem (int (.x (frag-coord))) 3i))
             (define uv (/ (+ (- (floor (.xy (frag-coord))) 20) 0.75) (num (texture-size t level))))
             (sample-level t uv (+ 0.2 (num level)))"
        );
        assert_eq!(distance(&device, &text), 0.0, "{text}");
    }
    println!("{}: {texel_bits} and {level_bits} bits, at most {most:?} apart", device.name());
    assert!(most.iter().all(|&apart| apart > 0.0), "the device's samplers are not asked");
}

/// Elements of all types and parts of them, at indices that vary by pixel, in bounds and far out of bounds.
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

/// Each emitted instruction computes its function, with the precision that Vulkan demands.
#[test]
fn elementary_functions() {
    let Some(device) = device() else { return };
    for function in Elementary::ALL {
        let options = EmitOptions::default();
        let measured = measure(&device, &options, function, &forever).expect("it draws");
        assert!(measured.beyond.is_empty(), "{measured:?}");
    }
}
